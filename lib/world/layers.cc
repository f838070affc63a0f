// Asks the same question of the image as its first layers make it, for each number of them. What the image says of its
// process is that of the whole: a recipe's ENV line makes no layer.

#include <memory>
#include <utility>

#include "base/enum_names.h"
#include "soresolve/answer.h"
#include "world/layers.h"

namespace soresolve {
namespace {

LayerOutcome outcome_of(WorldSettings settings, const std::string& file, DlopenLevel later) {
  LayerOutcome outcome;
  World world(std::move(settings));
  const Result<Answer> answer =
      ask(world, {.file = file, .later = later, .cuda = JudgeCuda::No, .references = OwnReferences::Settled});
  if (!answer && answer.error().code == ErrorCode::NotFound) return outcome;
  const Error* const error = !answer ? &answer.error() : answer->unreadable() ? &*answer->unreadable() : nullptr;
  if (error != nullptr) {
    outcome.state = LayerState::Fails;
    outcome.says = error->to_string();
    return outcome;
  }
  switch (answer->verdict()) {
    case Verdict::Works: outcome.state = LayerState::Works; break;
    case Verdict::Depends: outcome.state = LayerState::Depends; break;
    case Verdict::Fails: outcome.state = LayerState::Fails; break;
  }
  if (outcome.state != LayerState::Fails) return outcome;
  if (answer->run() == nullptr) {
    outcome.says = answer->diagnosis().loader_prints;
    return outcome;
  }
  if (const PythonImport* const import = answer->run()->import(); import != nullptr && !import->exception.empty()) {
    outcome.says = import->exception;
    return outcome;
  }
  const Startup& startup = answer->run()->check()->answer();
  const bool has_words = startup.end != StartEnd::Runs && !startup.lines.empty();
  outcome.says = has_words ? startup.lines.back() : startup.death;
  for (const Dlopen& missing : answer->later().list) {
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
