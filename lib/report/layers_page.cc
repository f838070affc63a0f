// The page of `check --layers`: since which layer the file fails, then each layer with what it makes of it. What the
// loader says is printed where it changes. And the part of the page of `scan --layers` that stands behind the causes.
#include "report/layer_words.h"
#include "report/layers_report.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"
#include "survey/layer_survey.h"
#include "world/layers.h"

namespace soresolve {
namespace {

constexpr std::size_t kTitleColumn = 24;  // behind the longest state

Statement state_words(LayerState state) {
  switch (state) {
    case LayerState::Absent: return say("layer-absent");
    case LayerState::Works: return say("layer-works");
    case LayerState::Depends: return say("layer-depends");
    case LayerState::Fails: return say("layer-fails");
  }
  return {};
}

Words verdict_line(const LayerHistory& history) {
  if (history.fails_since) {
    const std::size_t number = *history.fails_since;
    const bool is_first = number == 1 || history.layers[number - 2].state == LayerState::Absent;
    const Statement layer = layer_title(number, history.layers[number - 1].layer);
    return Words(
        say(is_first ? "layers-never-worked" : "layers-broken-by", {{"file", history.file}, {"layer", layer}}));
  }
  const LayerState last = history.layers.empty() ? LayerState::Absent : history.layers.back().state;
  if (last == LayerState::Absent) return Words(say("layers-absent", {{"file", history.file}}));
  return last == LayerState::Works ? Words(say("layers-work", {{"file", history.file}}))
                                   : Words(say("layers-depend", {{"file", history.file}}));
}

}  // namespace

Page layers_page(const LayerHistory& history) {
  Page page;
  page.line(verdict_line(history));
  page.line({});
  std::string said;
  for (std::size_t i = 0; i < history.layers.size(); ++i) {
    const LayerOutcome& outcome = history.layers[i];
    const Words state = Words(state_words(outcome.state));
    Words line = (outcome.state == LayerState::Fails ? bad(state) : state) + Words::stop(kTitleColumn);
    line += layer_title(i + 1, outcome.layer);
    if (outcome.layer.is_absent) line += " " + warn(say("layer-is-foreign"));
    page.line(std::move(line), 2);
    if (outcome.says != said && !outcome.says.empty()) page.line(Words::foreign(outcome.says), 6);
    said = outcome.says;
  }
  return page;
}

Page layer_survey_page(const LayerSurvey& survey, Detail detail) {
  constexpr std::size_t kHiddenShown = 10;
  Page page;
  page.blank();
  page.heading(say("scan-layers"));
  for (std::size_t i = 0; i < survey.layers.size(); ++i) {
    const SurveyedLayer& layer = survey.layers[i];
    const Statement counts = say("scan-layer-counts", {{"fails", layer.counts.fails}, {"roots", layer.counts.roots}});
    Words line = (layer.appears.empty() ? Words(counts) : bad(counts)) + Words::stop(kTitleColumn);
    line += layer_title(i + 1, layer.layer);
    if (layer.layer.is_absent) line += " " + warn(say("layer-is-foreign"));
    page.line(std::move(line), 2);
    if (!layer.appears.empty()) page.line(bad(say("scan-layer-appears", {{"count", layer.appears.size()}})), 6);
    for (const Statement& ended : layer.ended) page.line(good(say("scan-layer-ended", {{"what", ended}})), 6);
  }
  if (survey.is_interrupted) page.line(warn(say("scan-interrupted")));
  if (survey.hidden.empty()) return page;
  page.blank();
  page.line(say("scan-hidden", {{"count", survey.hidden.size()}, {"size", size_text(survey.hidden_bytes())}}));
  const std::size_t shown =
      detail == Detail::Full ? survey.hidden.size() : std::min(survey.hidden.size(), kHiddenShown);
  Table table;
  table.columns = {{Words(), Table::Side::Right}, {}, {}};
  table.indent = 2;
  for (std::size_t i = 0; i < shown; ++i) {
    const HiddenFile& file = survey.hidden[i];
    const Statement how = say(file.is_replaced ? "scan-hidden-replaced" : "scan-hidden-removed",
                              {{"number", file.number}, {"by", file.by}});
    table.rows.push_back({Words::foreign(size_text(file.size_bytes)), Words::foreign(file.path), dim(how)});
  }
  page.add(std::move(table));
  if (shown < survey.hidden.size()) {
    page.line(dim(say("scan-more-files", {{"count", survey.hidden.size() - shown}})), 2);
  }
  return page;
}

}  // namespace soresolve
