// Parses the plan with a place for each complaint; unknown members are refused, so that a misspelt one has no silent
// default. Format: lib/report/schema.json, "confirm_plan". At most 4096 items in a list, texts of 1 MiB.
#include "plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "group_steps.h"
#include "report/statement_json.h"
#include "step.h"

namespace soresolve::confirm {
namespace {

constexpr std::size_t kMaxItems = 4096;
constexpr std::size_t kMaxText = 1 << 20;

/// Reads members and remembers the first one that is not as it must be.
class PlanReader {
 public:
  [[nodiscard]] const std::string& problem() const { return problem_; }

  void complain(const std::string& place, const std::string& what) {
    if (problem_.empty()) problem_ = place + ": " + what;
  }

  /// Every member has a name that is known: a misspelt one would be a silent default.
  void allow(const Json& object, const std::string& place, std::initializer_list<std::string_view> names) {
    if (!object.is_object()) return complain(place.empty() ? "plan" : place, "is not an object");
    for (const auto& member : object.items()) {
      if (std::find(names.begin(), names.end(), member.key()) == names.end()) {
        complain(join(place, member.key()), "no such member is known");
      }
    }
  }

  std::string text(const Json& object, const std::string& place, const char* name, bool is_required) {
    const Json* value = member(object, place, name, is_required);
    if (value == nullptr) return {};
    if (!value->is_string()) return complain(join(place, name), "is not a text"), std::string();
    std::string text = value->get<std::string>();
    if (text.size() > kMaxText) complain(join(place, name), "is longer than a MiB");
    if (text.find('\0') != std::string::npos) complain(join(place, name), "has a zero byte in it");
    return text;
  }

  /// A text, or a statement of the catalogue.
  Statement words(const Json& object, const std::string& place, const char* name) {
    const Json* value = member(object, place, name, false);
    if (value == nullptr) return {};
    if (value->is_string()) return words_of_others(text(object, place, name, false));
    std::optional<Statement> statement = read_statement(*value);
    if (!statement) return complain(join(place, name), "is neither a text nor a statement"), Statement{};
    return std::move(*statement);
  }

  std::string path(const Json& object, const std::string& place, const char* name) {
    std::string path = text(object, place, name, true);
    if (!path.starts_with('/')) complain(join(place, name), "is not an absolute path");
    return path;
  }

  std::vector<std::string> texts(const Json& object, const std::string& place, const char* name) {
    std::vector<std::string> list;
    for_each(object, place, name, [&](const Json& item, const std::string& at) {
      if (!item.is_string()) return complain(at, "is not a text");
      list.push_back(item.get<std::string>());
      if (list.back().find('\0') != std::string::npos) complain(at, "has a zero byte in it");
    });
    return list;
  }

  std::optional<double> number(const Json& object, const std::string& place, const char* name, double least,
                               double most) {
    const Json* value = member(object, place, name, false);
    if (value == nullptr || value->is_null()) return std::nullopt;
    if (!value->is_number()) return complain(join(place, name), "is not a number"), std::nullopt;
    const double number = value->get<double>();
    if (!(number >= least && number <= most)) {
      return complain(join(place, name), "is not between " + shown(least) + " and " + shown(most)), std::nullopt;
    }
    return number;
  }

  std::optional<int> integer(const Json& object, const std::string& place, const char* name, int least, int most) {
    const std::optional<double> value = number(object, place, name, least, most);
    if (!value) return std::nullopt;
    if (*value != std::floor(*value)) return complain(join(place, name), "is not a whole number"), std::nullopt;
    return static_cast<int>(*value);
  }

  template <class Visit>
  void for_each(const Json& object, const std::string& place, const char* name, Visit visit) {
    const Json* list = member(object, place, name, false);
    if (list == nullptr) return;
    if (!list->is_array()) return complain(join(place, name), "is not a list");
    if (list->size() > kMaxItems) return complain(join(place, name), "has more than 4096 items");
    for (std::size_t i = 0; i < list->size(); ++i) {
      visit((*list)[i], join(place, name) + "[" + std::to_string(i) + "]");
    }
  }

  static std::string join(const std::string& place, std::string_view name) {
    return place.empty() ? std::string(name) : place + "." + std::string(name);
  }

 private:
  static std::string shown(double number) { return std::to_string(static_cast<long long>(number)); }

  const Json* member(const Json& object, const std::string& place, const char* name, bool is_required) {
    if (!object.is_object()) return nullptr;  // complained about by allow()
    const auto found = object.find(name);
    if (found != object.end()) return &*found;
    if (is_required) complain(join(place, name), "is missing");
    return nullptr;
  }

  std::string problem_;
};

PlannedLibrary read_library(PlanReader& reader, const Json& json, const std::string& place) {
  reader.allow(json, place, {"role", "path", "version"});
  return {reader.text(json, place, "role", false), reader.path(json, place, "path"),
          reader.text(json, place, "version", false)};
}

PlannedLoad read_load(PlanReader& reader, const Json& json, const std::string& place) {
  reader.allow(json, place, {"name", "open", "adds", "dlerror", "later"});
  PlannedLoad load;
  load.name = reader.text(json, place, "name", true);
  if (!has_steps(load.name)) reader.complain(PlanReader::join(place, "name"), "nothing is known to be done with it");
  reader.for_each(json, place, "open", [&](const Json& item, const std::string& at) {
    load.open.push_back(read_library(reader, item, at));
  });
  load.adds = reader.texts(json, place, "adds");
  load.dlerror = reader.text(json, place, "dlerror", false);
  load.later = reader.texts(json, place, "later");
  return load;
}

PlannedGroup read_group(PlanReader& reader, const Json& json, const std::string& place) {
  reader.allow(json, place, {"name", "loads"});
  PlannedGroup group;
  group.name = reader.text(json, place, "name", true);
  reader.for_each(json, place, "loads",
                  [&](const Json& item, const std::string& at) { group.loads.push_back(read_load(reader, item, at)); });
  const std::string first = group.loads.empty() ? "" : group.loads.front().name;
  if (first != "cuda" && first != "base") {
    reader.complain(PlanReader::join(place, "loads"),
                    "does not begin with \"cuda\" or \"base\", which all others need");
  }
  return group;
}

Expectation read_expectation(PlanReader& reader, const Json& plan) {
  Expectation expected;
  const auto found = plan.find("expected");
  if (found == plan.end()) return expected;
  reader.allow(*found, "expected", {"driver_version", "init", "device_count", "source", "no_driver"});
  expected.driver_version = reader.integer(*found, "expected", "driver_version", 0, 1000000);
  expected.init = reader.integer(*found, "expected", "init", 0, 100000);
  expected.device_count = reader.integer(*found, "expected", "device_count", 0, 100000);
  expected.source = reader.text(*found, "expected", "source", false);
  expected.no_driver = reader.words(*found, "expected", "no_driver");
  return expected;
}

}  // namespace

Result<Plan> parse_plan(std::string_view json) {
  const Json document = Json::parse(json, nullptr, false);
  if (document.is_discarded()) return Unexpected{Error{ErrorCode::Malformed, "plan", {}, "is not JSON"}};
  PlanReader reader;
  reader.allow(
      document, "",
      {"schema", "environment", "start", "expected", "device_nodes", "device", "timeout_s", "memory_mib", "groups"});
  Plan plan;
  if (reader.problem().empty()) {
    if (reader.text(document, "", "schema", true) != "soresolve-confirm-plan/1") {
      reader.complain("schema", "is not soresolve-confirm-plan/1");
    }
    plan.environment = reader.texts(document, "", "environment");
    plan.start = reader.texts(document, "", "start");
    plan.expected = read_expectation(reader, document);
    plan.has_device_nodes = document.value("device_nodes", Json(true)) == Json(true);
    plan.device = reader.integer(document, "", "device", 0, 1023).value_or(plan.device);
    plan.timeout_s = reader.number(document, "", "timeout_s", 0, 86400).value_or(plan.timeout_s);
    plan.memory_mib = static_cast<std::uint64_t>(
        reader.number(document, "", "memory_mib", 1, 1 << 30).value_or(static_cast<double>(plan.memory_mib)));
    reader.for_each(document, "", "groups", [&](const Json& item, const std::string& at) {
      plan.groups.push_back(read_group(reader, item, at));
    });
    if (plan.groups.empty()) reader.complain("groups", "there is nothing to confirm");
  }
  if (!reader.problem().empty()) {
    return Unexpected{Error{ErrorCode::Malformed, "plan", {}, reader.problem()}};
  }
  return plan;
}

}  // namespace soresolve::confirm
