// The policy and the baseline: both are TOML, read by diagnose/toml_document.cc. A group of which a part is suppressed
// is split, so that what is new of an old cause still counts.
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "diagnose/contract_file.h"
#include "diagnose/toml_document.h"
#include "soresolve/survey.h"
#include "survey/policy.h"
#include "survey/problem_groups.h"
#include "symbols/floor.h"

namespace soresolve {
namespace {

constexpr std::string_view kBaselineForm = "soresolve-baseline/1";

bool matches(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

std::optional<Error> read_ignore(const TomlNode& node, std::string_view path, SurveyIgnore& ignore) {
  const TomlTable* const table = node.table();
  if (table == nullptr) return toml_error(path, node.line, "has an ignore that is no table");
  ignore.line = node.line;
  for (const auto& [key, value] : *table) {
    if (key == "until") {
      const TomlDate* const date = value.date();
      if (date == nullptr) return toml_error(path, value.line, "gives until no date, such as 2027-01-31");
      ignore.until = SurveyDay{date->year, date->month, date->day};
      continue;
    }
    std::string* const into = key == "files"     ? &ignore.files
                              : key == "code"    ? &ignore.code
                              : key == "library" ? &ignore.library
                              : key == "reason"  ? &ignore.reason
                                                 : nullptr;
    if (into == nullptr) return toml_error(path, value.line, "has '" + key + "', which nobody reads");
    if (value.text() == nullptr) return toml_error(path, value.line, "gives " + key + " no text");
    *into = *value.text();
  }
  if (ignore.reason.empty()) return toml_error(path, node.line, "has an ignore without a reason");
  return std::nullopt;
}

/// The texts of a text or of a list of texts.
std::optional<Error> read_texts(const TomlNode& node, std::string_view path, const std::string& key,
                                const std::function<std::optional<Error>(const std::string&, std::uint32_t)>& take) {
  const auto take_one = [&](const TomlNode& one) -> std::optional<Error> {
    if (one.text() == nullptr) return toml_error(path, one.line, "gives " + key + " no text");
    return take(*one.text(), one.line);
  };
  if (node.array() == nullptr) return take_one(node);
  for (const TomlNode& each : *node.array()) {
    if (auto error = take_one(each)) return error;
  }
  return std::nullopt;
}

/// The table [require].
std::optional<Error> read_demands(const TomlNode& node, std::string_view path, SurveyDemands& demands) {
  const TomlTable* const table = node.table();
  if (table == nullptr) return toml_error(path, node.line, "has 'require' that is no table [require]");
  TomlTable rest;
  for (const TomlEntry& entry : *table) {
    if (entry.key != "floor") {
      rest.push_back(entry);
      continue;
    }
    const auto take = [&](const std::string& text, std::uint32_t line) -> std::optional<Error> {
      std::optional<FloorBound> bound = parse_floor_bound(text);
      if (!bound) return toml_error(path, line, "has the floor '" + text + "', which is no bound such as glibc<=2.28");
      demands.floors.push_back(std::move(*bound));
      return std::nullopt;
    };
    if (auto error = read_texts(entry.node, path, entry.key, take)) return error;
  }
  Result<std::vector<Requirement>> requirements = read_requirements(rest, path);
  if (!requirements) return requirements.error();
  demands.requirements = std::move(requirements).value();
  return std::nullopt;
}

std::optional<Error> read_denied(const TomlNode& node, std::string_view path, SurveyDemands& demands) {
  const auto take = [&](const std::string& text, std::uint32_t line) -> std::optional<Error> {
    bool is_known = false;
    for (unsigned code = 0; code <= static_cast<unsigned>(ProblemCode::Note) && !is_known; ++code)
      is_known = matches(text, std::string(code_of(static_cast<ProblemCode>(code))));
    if (!is_known) return toml_error(path, line, "denies '" + text + "', which is no code of a problem");
    demands.denied.push_back(text);
    return std::nullopt;
  };
  return read_texts(node, path, "deny", take);
}

/// A basic string of TOML.
std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted.append(1, '\\').append(1, c);
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted.append("\\u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

/// The roots of a group; of one without, what is damaged.
std::vector<std::string> roots_of(const Survey& survey, const ProblemGroup& group) {
  std::vector<std::string> roots;
  for (const SurveyIndex member : group.members) roots.push_back(survey.files[member].path);
  return roots.empty() ? group.needers : roots;
}

class Policing {
 public:
  Policing(Survey& survey, const SurveyPolicy& policy, const SurveyBaseline& baseline, const SurveyDay& today)
      : survey_(survey), policy_(policy), today_(today), is_used_(policy.ignores.size(), false) {
    for (const SurveyBaseline::Known& known : baseline.known) {
      known_[known.key].insert(known.roots.begin(), known.roots.end());
    }
  }

  void run() {
    std::vector<ProblemGroup> groups;
    std::vector<ProblemGroup> suppressed;
    for (ProblemGroup& group : survey_.groups) split(std::move(group), groups, suppressed);
    std::move(suppressed.begin(), suppressed.end(), std::back_inserter(groups));
    survey_.groups = std::move(groups);
    constexpr std::string_view kCode = kNotJudgedCode;  // whose own address would be exported
    for (SurveySkip& skip : survey_.skipped) {
      if (skip.is_open && ignored(kCode, "", skip.path)) skip.is_open = false;
    }
    count_roots(survey_);
    remark();
  }

 private:
  using Reason = std::pair<Suppression::By, std::string>;

  /// The reason of the first ignore that holds for it today; all that match it are used.
  const std::string* ignored(std::string_view code, const std::string& library, const std::string& file) {
    const std::string* reason = nullptr;
    for (std::size_t i = 0; i < policy_.ignores.size(); ++i) {
      const SurveyIgnore& ignore = policy_.ignores[i];
      if (!matches(ignore.code, std::string(code)) || !matches(ignore.library, library) ||
          !matches(ignore.files, file)) {
        continue;
      }
      is_used_[i] = true;
      if (ignore.until && *ignore.until < today_) continue;
      if (reason == nullptr) reason = &ignore.reason;
    }
    return reason;
  }

  std::optional<Reason> reason_for(const ProblemGroup& group, const std::string& root) {
    std::optional<Reason> reason;
    if (const std::string* const why = ignored(code_of(group.problem.code), group.problem.name, root)) {
      reason = Reason(Suppression::By::Ignore, *why);
    }
    const auto known = known_.find(group.key);
    if (known != known_.end() && known->second.erase(root) != 0 && !reason) {
      reason = Reason(Suppression::By::Baseline, std::string());
    }
    return reason;
  }

  void split(ProblemGroup group, std::vector<ProblemGroup>& groups, std::vector<ProblemGroup>& suppressed) {
    const std::vector<std::string> roots = roots_of(survey_, group);
    std::map<Reason, std::vector<SurveyIndex>> parts;
    std::vector<SurveyIndex> rest;
    std::optional<Reason> of_damaged;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      std::optional<Reason> reason = reason_for(group, roots[i]);
      if (group.members.empty()) {
        if (!of_damaged) of_damaged = std::move(reason);
      } else if (reason) {
        parts[std::move(*reason)].push_back(group.members[i]);
      } else {
        rest.push_back(group.members[i]);
      }
    }
    if (of_damaged) parts[std::move(*of_damaged)] = {};
    for (const auto& [reason, members] : parts) {
      ProblemGroup part = group;
      part.members = members;
      part.suppression = Suppression{reason.first, reason.second};
      suppressed.push_back(std::move(part));
    }
    if (!rest.empty() || (group.members.empty() && !of_damaged)) {
      group.members = std::move(rest);
      groups.push_back(std::move(group));
    }
  }

  void remark() {
    for (std::size_t i = 0; i < policy_.ignores.size(); ++i) {
      const SurveyIgnore& ignore = policy_.ignores[i];
      const bool has_ended = ignore.until && *ignore.until < today_;
      if (is_used_[i] && !has_ended) continue;
      const std::string_view sentence = is_used_[i] ? "ignore-has-ended" : "ignore-matches-nothing";
      survey_.remarks.push_back({sentence, {{"file", policy_.path}, {"line", ignore.line}, {"reason", ignore.reason}}});
    }
    for (const auto& [key, roots] : known_) {
      if (roots.empty()) continue;
      survey_.remarks.push_back(
          say("known-is-gone", {{"key", key}, {"count", roots.size()}, {"first", *roots.begin()}}));
    }
  }

  Survey& survey_;
  const SurveyPolicy& policy_;
  const SurveyDay& today_;
  std::vector<bool> is_used_;                           ///< by ignore
  std::map<std::string, std::set<std::string>> known_;  ///< roots that have not been met yet
};

}  // namespace

Result<SurveyPolicy> parse_policy(std::string_view toml, std::string_view path) {
  const Result<TomlTable> document = parse_toml(toml, path);
  if (!document) return Unexpected{document.error()};
  SurveyPolicy policy;
  policy.path = std::string(path);
  for (const auto& [key, node] : *document) {
    if (key == "require") {
      if (auto error = read_demands(node, path, policy.demands)) return Unexpected{std::move(*error)};
      continue;
    }
    if (key == "deny") {
      if (auto error = read_denied(node, path, policy.demands)) return Unexpected{std::move(*error)};
      continue;
    }
    if (key != "ignore") return Unexpected{toml_error(path, node.line, "has '" + key + "', which nobody reads")};
    if (node.array() == nullptr) return Unexpected{toml_error(path, node.line, "has 'ignore' that is no [[ignore]]")};
    for (const TomlNode& each : *node.array()) {
      SurveyIgnore ignore;
      if (auto error = read_ignore(each, path, ignore)) return Unexpected{std::move(*error)};
      policy.ignores.push_back(std::move(ignore));
    }
  }
  return policy;
}

std::string baseline_of(const Survey& survey) {
  std::string text =
      "# Causes that are known: soresolve scan --baseline passes over them. Written by --write-baseline.\nform = " +
      quoted(kBaselineForm) + "\n";
  std::map<std::string, std::set<std::string>> known;
  for (const ProblemGroup& group : survey.groups) {
    if (group.is_optional) continue;
    const std::vector<std::string> roots = roots_of(survey, group);
    known[group.key].insert(roots.begin(), roots.end());
  }
  for (const auto& [key, roots] : known) {
    text += "\n[[known]]\nkey = " + quoted(key) + "\nroots = [\n";
    for (const std::string& root : roots) text += "  " + quoted(root) + ",\n";
    text += "]\n";
  }
  return text;
}

Result<SurveyBaseline> parse_baseline(std::string_view toml, std::string_view path) {
  const Result<TomlTable> document = parse_toml(toml, path);
  if (!document) return Unexpected{document.error()};
  SurveyBaseline baseline;
  baseline.path = std::string(path);
  bool has_form = false;
  for (const auto& [key, node] : *document) {
    if (key == "form") {
      has_form = node.text() != nullptr && *node.text() == kBaselineForm;
    } else if (key == "known" && node.array() != nullptr) {
      for (const TomlNode& each : *node.array()) {
        SurveyBaseline::Known known;
        const TomlTable* const table = each.table();
        if (table == nullptr) return Unexpected{toml_error(path, each.line, "has a cause that is no table")};
        for (const auto& [name, value] : *table) {
          if (name == "key" && value.text() != nullptr) known.key = *value.text();
          if (name != "roots" || value.array() == nullptr) continue;
          for (const TomlNode& root : *value.array()) {
            if (root.text() != nullptr) known.roots.push_back(*root.text());
          }
        }
        if (known.key.empty()) return Unexpected{toml_error(path, each.line, "has a cause without a key")};
        baseline.known.push_back(std::move(known));
      }
    } else {
      return Unexpected{toml_error(path, node.line, "has '" + key + "', which nobody reads")};
    }
  }
  if (!has_form) return Unexpected{toml_error(path, 0, "is no baseline of this form: " + std::string(kBaselineForm))};
  return baseline;
}

void apply_policy(Survey& survey, const SurveyPolicy& policy, const SurveyBaseline& baseline, const SurveyDay& today) {
  Policing(survey, policy, baseline, today).run();
}

}  // namespace soresolve
