// The plan as JSON, for who writes it (soresolve confirm) and for who reads it (soresolve-confirm). Its form is in
// lib/report/schema.json, "confirm_plan".
#pragma once
#include "base/described_json.h"
#include "confirm/plan.h"
#include "report/statement_json.h"

namespace soresolve::confirm {

/// Texts without a zero byte and of at most a MiB; sentences of the catalogue; at most 4096 items in a list.
struct PlanForm {
  using Json = nlohmann::ordered_json;
  static constexpr Presence kPresence = Presence::Always;
  static constexpr std::size_t kMaxItems = 4096;
  static constexpr std::size_t kMaxText = 1 << 20;

  static Json write(const std::string& text) { return text; }
  static std::string_view read(const Json& json, std::string& text) {
    if (!json.is_string()) return "is not a text";
    text = json.get<std::string>();
    if (text.size() > kMaxText) return "is longer than a MiB";
    return text.find('\0') == std::string::npos ? "" : "has a zero byte in it";
  }

  static Json write(const Statement& statement) { return statement_json(statement); }
  /// Or a text, which is the words of others.
  static std::string_view read(const Json& json, Statement& statement) {
    if (json.is_string()) {
      std::string text;
      const std::string_view fault = read(json, text);
      statement = words_of_others(text);
      return fault;
    }
    std::optional<Statement> read = read_statement(json);
    if (!read) return "is neither a text nor a statement";
    statement = *std::move(read);
    return {};
  }
};

template <class Visitor>
void describe(Visitor& json, PlannedLibrary& library) {
  json.member("role", library.role);
  json.member("path", library.path, {.presence = Presence::Required});
  json.require("path", library.path.starts_with('/'), "is not an absolute path");
  json.member("version", library.version, {.presence = Presence::IfAny});
}

template <class Visitor>
void describe(Visitor& json, PlannedLoad& load) {
  json.member("name", load.name, {.presence = Presence::Required});
  json.member("open", load.open);
  json.member("adds", load.adds);
  json.member("dlerror", load.dlerror, {.presence = Presence::IfAny});
  json.member("later", load.later, {.presence = Presence::IfAny});
}

template <class Visitor>
void describe(Visitor& json, PlannedGroup& group) {
  json.member("name", group.name, {.presence = Presence::Required});
  json.member("loads", group.loads);
  const std::string_view first = group.loads.empty() ? std::string_view() : group.loads.front().name;
  json.require("loads", first == "cuda" || first == "base",
               "does not begin with \"cuda\" or \"base\", which all others need");
}

template <class Visitor>
void describe(Visitor& json, Expectation& expected) {
  json.member("driver_version", expected.driver_version, {Presence::IfAny, 0, 1000000});
  json.member("init", expected.init, {Presence::IfAny, 0, 100000});
  json.member("device_count", expected.device_count, {Presence::IfAny, 0, 100000});
  json.member("source", expected.source, {.presence = Presence::IfAny});
  json.member("no_driver", expected.no_driver, {.presence = Presence::IfAny});
}

template <class Visitor>
void describe(Visitor& json, Plan& plan) {
  json.constant("schema", "soresolve-confirm-plan/1");
  json.member("environment", plan.environment);
  json.member("start", plan.start, {.presence = Presence::IfAny});
  json.member("expected", plan.expected);
  json.member("device_nodes", plan.has_device_nodes);
  json.member("device", plan.device, {Presence::Always, 0, 1023});
  json.member("timeout_s", plan.timeout_s, {Presence::Always, 0, 86400});
  json.member("memory_mib", plan.memory_mib, {Presence::Always, 1, 1 << 30});
  json.member("groups", plan.groups);
  json.require("groups", !plan.groups.empty(), "there is nothing to confirm");
}

}  // namespace soresolve::confirm
