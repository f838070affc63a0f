// The page of `check --layers`: since which layer the file fails, then each layer with what it makes of it. What the
// loader says is printed where it changes.
#include "report/layers_report.h"
#include "report/page.h"
#include "report/pages.h"
#include "world/layers.h"

namespace soresolve {
namespace {

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
    const LayerOutcome& broke = history.layers[*history.fails_since - 1];
    const bool is_first =
        *history.fails_since == 1 || history.layers[*history.fails_since - 2].state == LayerState::Absent;
    return is_first
               ? Words(say("layers-never-worked",
                           {{"file", history.file}, {"number", *history.fails_since}, {"by", broke.layer.name()}}))
               : Words(say("layers-broken-by",
                           {{"file", history.file}, {"number", *history.fails_since}, {"by", broke.layer.name()}}));
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
    Words line = Words(say("layer-number", {{"number", i + 1}}));
    line += outcome.state == LayerState::Fails ? bad(state) : state;
    line += "  " + Words::foreign(outcome.layer.name());
    if (outcome.layer.is_absent) line += "  " + warn(say("layer-is-foreign"));
    page.line(std::move(line), 2);
    if (outcome.says != said && !outcome.says.empty()) page.line(Words::foreign(outcome.says), 6);
    said = outcome.says;
  }
  return page;
}

}  // namespace soresolve
