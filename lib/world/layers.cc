// Asks the same question of the image as its first layers make it, for each number of them. What the image says of its
// process is that of the whole: a recipe's ENV line makes no layer.

#include <memory>
#include <utility>

#include "base/enum_names.h"
#include "soresolve/diagnose.h"
#include "world/layers.h"

namespace soresolve {
namespace {

LayerOutcome outcome_of(WorldSettings settings, const std::string& file, DlopenLevel later) {
  LayerOutcome outcome;
  World world(std::move(settings));
  const Result<Resolution> run = world.resolve(file);
  if (!run) {
    const std::optional<Diagnosis> refusal = world.refusal(RefusalFixes::None);
    if (run.error().code == ErrorCode::NotFound && !refusal) return outcome;
    const bool works = refusal && refusal->answer == Verdict::Works;
    outcome.state = works ? LayerState::Works : LayerState::Fails;
    if (outcome.state == LayerState::Fails) outcome.says = refusal ? refusal->loader_prints : run.error().to_string();
    return outcome;
  }
  const Result<Check>& check = run->check();
  if (!check) {
    outcome.state = LayerState::Fails;
    outcome.says = check.error().to_string();
    return outcome;
  }
  switch (verdict_of(run->map(), *check, run->checked_dlopens(later).dlopens)) {
    case Verdict::Works: outcome.state = LayerState::Works; break;
    case Verdict::Depends: outcome.state = LayerState::Depends; break;
    case Verdict::Fails: outcome.state = LayerState::Fails; break;
  }
  if (outcome.state != LayerState::Fails) return outcome;
  const Startup& startup = check->answer();
  const bool has_words = startup.end != StartEnd::Runs && !startup.lines.empty();
  outcome.says = has_words ? startup.lines.back() : startup.death;
  for (const Dlopen& missing : run->checked_dlopens(later).dlopens.list) {
    if (outcome.says.empty() && !missing.failure.empty()) outcome.says = missing.failure;
  }
  return outcome;
}

}  // namespace

std::string_view name_of(LayerState state) {
  using enum LayerState;
  static constexpr auto kNames =
      enum_names<LayerState>({{Absent, "absent"}, {Works, "works"}, {Depends, "depends"}, {Fails, "fails"}});
  return kNames[state];
}

Result<LayerHistory> judge_layers(const WorldSettings& settings, const std::string& file, DlopenLevel later) {
  World whole(settings);
  const Result<std::shared_ptr<const FileSystem>> files = whole.files();
  if (!files) return Unexpected{files.error()};
  const std::shared_ptr<const Place> place = whole.place();
  if (!place || !place->layers) {
    return Unexpected{
        Error{ErrorCode::Usage, settings.where.root, {}, "is no image: --layers asks about the layers of one"}};
  }
  LayerHistory history;
  history.file = file;
  if (file.empty()) {
    const Result<Resolution> run = whole.resolve(file);
    if (run) history.file = run->file();
    if (!run && run.error().code == ErrorCode::Usage) return Unexpected{run.error()};
  }
  const std::vector<ImageLayer>& layers = place->layers->list();
  for (std::size_t number = 1; number <= layers.size(); ++number) {
    auto stage = std::make_shared<Place>(*place);
    stage->files = place->layers->first(number);
    WorldSettings of_stage = settings;
    of_stage.where.place = std::move(stage);
    of_stage.where.known.reset();  // of another tree
    LayerOutcome outcome = outcome_of(std::move(of_stage), history.file, later);
    outcome.layer = layers[number - 1];
    if (outcome.state != LayerState::Fails)
      history.fails_since.reset();
    else if (!history.fails_since)
      history.fails_since = number;
    history.layers.push_back(std::move(outcome));
  }
  return history;
}

}  // namespace soresolve
