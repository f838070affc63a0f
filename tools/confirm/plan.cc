// Reads the plan; every complaint has its place. The members stand in plan_json.h.
#include "plan.h"

#include "group_steps.h"
#include "plan_json.h"

namespace soresolve::confirm {
namespace {

/// The first load of which nothing is known that could be done with it, as a complaint.
std::string load_without_steps(const Plan& plan) {
  for (std::size_t group = 0; group < plan.groups.size(); ++group) {
    const std::vector<PlannedLoad>& loads = plan.groups[group].loads;
    for (std::size_t load = 0; load < loads.size(); ++load) {
      if (has_steps(loads[load].name)) continue;
      return "groups[" + std::to_string(group) + "].loads[" + std::to_string(load) +
             "].name: nothing is known to be done with it";
    }
  }
  return {};
}

}  // namespace

Result<Plan> parse_plan(std::string_view json) {
  const nlohmann::ordered_json document = nlohmann::ordered_json::parse(json, nullptr, false);
  if (document.is_discarded()) return Unexpected{Error{ErrorCode::Malformed, "plan", {}, "is not JSON"}};
  Plan plan;
  std::string fault = JsonReader<PlanForm>::read(document, plan, "plan");
  if (fault.empty()) fault = load_without_steps(plan);
  if (!fault.empty()) return Unexpected{Error{ErrorCode::Malformed, "plan", {}, std::move(fault)}};
  return plan;
}

}  // namespace soresolve::confirm
