// The data of `check --layers` (schema soresolve/1, "layers" in schema.json).
#include "report/data.h"
#include "report/layers_report.h"
#include "world/layers.h"

namespace soresolve {

Json layers_data(const LayerHistory& history) {
  Json layers = Json::array();
  for (std::size_t i = 0; i < history.layers.size(); ++i) {
    const LayerOutcome& outcome = history.layers[i];
    layers.push_back({{"number", i + 1},
                      {"digest", text_or_null(outcome.layer.digest)},
                      {"diff_id", text_or_null(outcome.layer.diff_id)},
                      {"created_by", text_or_null(outcome.layer.created_by)},
                      {"is_absent", outcome.layer.is_absent},
                      {"state", name_of(outcome.state)},
                      {"says", text_or_null(outcome.says)}});
  }
  return {{"schema", "soresolve/1"},
          {"command", "check"},
          {"file", history.file},
          {"fails_since", value_or_null(history.fails_since)},
          {"layers", std::move(layers)}};
}

}  // namespace soresolve
