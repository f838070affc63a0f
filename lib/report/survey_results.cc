// A survey in the formats of those who show results of checks: SARIF 2.1.0 (OASIS), JUnit XML (the subset that GitLab,
// Jenkins and pytest share), workflow commands of GitHub Actions, and DOT (graphviz). Each of them shows what the page
// shows: causes, with the files that need what is missing.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/pieces.h"
#include "base/printable.h"
#include "catalogue/problem_rows.h"
#include "report/data.h"
#include "report/layer_words.h"
#include "report/pages.h"
#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostResults = 5000;    ///< that GitHub shows of one run
constexpr std::size_t kMostLocations = 100;   ///< that it keeps of one result
constexpr std::size_t kMostAnnotations = 10;  ///< of one level in one step
constexpr const char* kSite =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

std::string in_english(const Statement& statement) { return sentence(statement, Language::English); }

/// RFC 3986, 3.3: a path below the root, each byte that is no unreserved character escaped.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~/+@,=";
  while (path.starts_with('/')) path.remove_prefix(1);
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_alphanumeric || kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri.append(1, '%').append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    }
  }
  return uri;
}

/// The text of a result: the cause, what to type, who needs it.
std::string message_of(const ProblemGroup& group, const char* line_break) {
  std::string text = in_english(group.headline);
  if (group.fix) {
    text += line_break + std::string("try: ") + joined_commands(group.fix->commands).text();
  }
  constexpr std::size_t kShown = 5;
  const std::size_t shown = std::min(group.needers.size(), kShown);
  const std::string head = line_break + std::string(is_needed_by_others(group) ? "needed by: " : "in: ");
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? head : ", ") + group.needers[i];
  if (shown < group.needers.size()) text += " and " + std::to_string(group.needers.size() - shown) + " more";
  for (const LayerOfFile& layer : group.layers) text += line_break + in_english(layer_words(layer));
  return text;
}

Json location_json(const std::string& path, const ResultAnchor& anchor, const ProblemGroup& group) {
  Json artifact;
  if (anchor.file.empty()) {
    artifact = {{"uri", uri_of(path)}, {"uriBaseId", "ROOT"}};
  } else {
    artifact = {{"uri", uri_of(anchor.file)}};
  }
  const std::uint32_t line = anchor.file.empty() ? 1 : std::max(1u, anchor.line);
  Json logical = Json::array();
  logical.push_back({{"fullyQualifiedName", path}, {"kind", "module"}});
  if (group.owner) {
    logical.push_back({{"fullyQualifiedName", group.owner->name + "@" + group.owner->version}, {"kind", "package"}});
  }
  return {{"physicalLocation", {{"artifactLocation", std::move(artifact)}, {"region", {{"startLine", line}}}}},
          {"logicalLocations", std::move(logical)}};
}

Json rule_json(ProblemCode code) {
  const ProblemRow* const row = find_problem_row(code_of(code));
  Json rule = {{"id", code_of(code)}};
  if (row != nullptr) {
    rule["shortDescription"] = {{"text", row->meaning.en}};
    rule["fullDescription"] = {{"text", row->meaning.en}};
    rule["help"] = {{"text", row->help.en}, {"markdown", row->help.en}};
  }
  rule["properties"] = {{"tags", {"dynamic-linking"}}, {"precision", "very-high"}, {"problem.severity", "error"}};
  return rule;
}

/// XML 1.0 has no place for most control characters, and bytes that are not UTF-8 are not XML at all.
std::string xml_of(std::string_view text) {
  const std::string clean = printable_lines(text);
  std::string xml;
  for (const char c : clean) {
    switch (c) {
      case '&': xml += "&amp;"; break;
      case '<': xml += "&lt;"; break;
      case '>': xml += "&gt;"; break;
      case '"': xml += "&quot;"; break;
      default:
        xml += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? std::string("\xef\xbf\xbd")
                                                                              : std::string(1, c);
    }
  }
  return xml;
}

/// GitHub Actions, "Workflow commands": what ends a message or a property is escaped.
std::string command_data(std::string_view text, bool is_property) {
  std::string escaped;
  for (const char c : printable_lines(text)) {
    switch (c) {
      case '%': escaped += "%25"; break;
      case '\r': escaped += "%0D"; break;
      case '\n': escaped += "%0A"; break;
      case ':': escaped += is_property ? "%3A" : ":"; break;
      case ',': escaped += is_property ? "%2C" : ","; break;
      default: escaped += c;
    }
  }
  return escaped;
}

/// A quoted identifier of DOT.
std::string dot_name(std::string_view text) {
  std::string name = "\"";
  for (const char c : printable_lines(text)) {
    if (c == '"' || c == '\\') name += '\\';
    name += c == '\n' ? ' ' : c;
  }
  return name + "\"";
}

/// What was not judged, each with why.
std::vector<const SurveySkip*> open_skips(const Survey& survey) {
  std::vector<const SurveySkip*> open;
  for (const SurveySkip& skip : survey.skipped) {
    if (skip.is_open) open.push_back(&skip);
  }
  return open;
}
std::string not_judged(const SurveySkip& skip) {
  return "not judged" + (skip.reason.empty() ? std::string() : ": " + skip.reason);
}
/// Of a survey that was ended: those whose turn did not come, which no list names.
std::size_t unnamed(const Survey& survey, std::size_t named) {
  return survey.counts.unjudged - std::min(survey.counts.unjudged, named);
}
constexpr const char* kNothingToJudge = "nothing to judge: no dynamic ELF file is here";

bool has_nothing(const SurveyReport& report) {
  return report.survey.counts.dynamic == 0 && report.survey.counts.unjudged == 0 && !is_good(report);
}

/// The parts of a group that a policy has split are results of their own.
std::string fingerprint_of(const ProblemGroup& group) {
  if (!group.suppression) return group.key;
  return group.key + "|" + (group.suppression->by == Suppression::By::Baseline ? "known" : group.suppression->reason);
}

std::string root_uri(const std::string& root) {
  std::string uri = "file:///" + uri_of(root);
  if (!uri.ends_with('/')) uri += '/';
  return uri;
}

/// One cause as a result of SARIF; `rule` is the index of its rule.
Json sarif_result(const SurveyReport& report, const ProblemGroup& group, const ResultAnchor& anchor, std::size_t rule) {
  Json locations = Json::array();
  const std::size_t places = anchor.file.empty() ? std::min(group.needers.size(), kMostLocations) : 1;
  for (std::size_t k = 0; k < places && k < group.needers.size(); ++k) {
    locations.push_back(location_json(group.needers[k], anchor, group));
  }
  Json result = {{"ruleId", code_of(group.problem.code)},
                 {"ruleIndex", rule},
                 {"level", is_counted(report, group) ? "error" : "note"},
                 {"message", {{"text", message_of(group, "\n")}}},
                 {"locations", std::move(locations)},
                 {"partialFingerprints", {{"soresolve/v1", fingerprint_of(group)}}}};
  if (!group.layers.empty()) result["properties"] = {{"layers", to_json(group.layers)}};
  if (group.suppression) {
    const bool is_known = group.suppression->by == Suppression::By::Baseline;
    result["suppressions"] =
        Json::array({{{"kind", "external"},
                      {"status", "accepted"},
                      {"justification", is_known ? "in the baseline" : group.suppression->reason}}});
  }
  return result;
}

/// What the results do not cover: causes that are left out, files that were not judged.
Json sarif_notifications(const SurveyReport& report, std::size_t left_out) {
  Json notifications = Json::array();
  const auto notify = [&](const char* level, const std::string& text) {
    notifications.push_back({{"level", level}, {"message", {{"text", text}}}});
  };
  if (left_out != 0) notify("warning", std::to_string(left_out) + " further causes are left out");
  const std::vector<const SurveySkip*> open = open_skips(report.survey);
  const std::size_t named = std::min(open.size(), kMostLocations);
  for (std::size_t i = 0; i < named; ++i) {
    notify("error", not_judged(*open[i]));
    notifications.back()["locations"] = Json::array(
        {{{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(open[i]->path)}, {"uriBaseId", "ROOT"}}}}}}});
  }
  const std::size_t more = unnamed(report.survey, named);
  if (more != 0) notify("error", std::to_string(more) + " more were not judged");
  if (has_nothing(report)) notify("error", kNothingToJudge);
  return notifications;
}

}  // namespace

void write_sarif(const SurveyReport& report, const ResultAnchor& anchor, const WritePart& write) {
  const Survey& survey = report.survey;
  Json rules = Json::array();
  std::map<ProblemCode, std::size_t> rule_index;
  Json results = Json::array();
  const std::size_t count = std::min(survey.groups.size(), kMostResults);
  for (std::size_t i = 0; i < count; ++i) {
    const ProblemGroup& group = survey.groups[i];
    const auto [rule, is_new] = rule_index.try_emplace(group.problem.code, rules.size());
    if (is_new) rules.push_back(rule_json(group.problem.code));
    results.push_back(sarif_result(report, group, anchor, rule->second));
  }
  Json notifications = sarif_notifications(report, survey.groups.size() - count);
  Json invocation = {{"executionSuccessful", !survey.is_interrupted && answer_of(report) != SurveyAnswer::NotKnown}};
  if (!notifications.empty()) invocation["toolExecutionNotifications"] = std::move(notifications);
  const Json log = {
      {"$schema", kSite},
      {"version", "2.1.0"},
      {"runs",
       Json::array({{{"tool",
                      {{"driver",
                        {{"name", "soresolve"}, {"semanticVersion", SORESOLVE_VERSION}, {"rules", std::move(rules)}}}}},
                     {"automationDetails", {{"id", "soresolve/scan/"}}},
                     {"invocations", Json::array({std::move(invocation)})},
                     {"originalUriBaseIds", {{"ROOT", {{"uri", root_uri(report.root)}}}}},
                     {"columnKind", "utf16CodeUnits"},
                     {"results", std::move(results)}}})}};
  write(dump(log));
}

void write_junit(const SurveyReport& report, const WritePart& write) {
  const Survey& survey = report.survey;
  std::map<SurveyIndex, std::vector<const ProblemGroup*>> causes;
  std::vector<const ProblemGroup*> without_root;
  for (const ProblemGroup& group : survey.groups) {
    for (const SurveyIndex root : group.members) causes[root].push_back(&group);
    if (group.members.empty() && is_counted(report, group)) without_root.push_back(&group);
  }
  const std::vector<const SurveySkip*> open = open_skips(survey);
  const std::size_t more = unnamed(survey, open.size());
  const std::size_t error_count = open.size() + (more != 0 ? 1 : 0) + (has_nothing(report) ? 1 : 0);
  const std::string tests = std::to_string(survey.counts.roots + without_root.size() + error_count);
  const std::string failures = std::to_string(sums_of(report).fails + without_root.size());
  const std::string errors = std::to_string(error_count);
  write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"soresolve scan\" tests=\"" + tests +
        "\" failures=\"" + failures + "\" errors=\"" + errors + "\">\n  <testsuite name=\"soresolve scan\" tests=\"" +
        tests + "\" failures=\"" + failures + "\" errors=\"" + errors + "\" skipped=\"0\" time=\"0\">\n");
  const auto open_case = [](const std::string& path) {
    return "    <testcase classname=\"soresolve scan\" name=\"" + xml_of(path) + "\" time=\"0\"";
  };
  const auto failed = [&](const std::string& path, const std::string& text) {
    const std::string first = text.substr(0, text.find('\n'));
    write(open_case(path) + ">\n      <failure message=\"" + xml_of(first) + "\">" + xml_of(text) +
          "</failure>\n    </testcase>\n");
  };
  for (SurveyIndex i = 0; i < survey.files.size(); ++i) {
    const SurveyedFile& file = survey.files[i];
    if (!file.is_root()) continue;
    const bool is_passed_over = file.is_suppressed || (file.is_optional && report.strict == Strict::No);
    if (file.verdict == Verdict::Fails && !is_passed_over) {
      const std::string text =
          joined(causes[i], "\n", [&](const ProblemGroup* cause) { return message_of(*cause, "\n"); });
      failed(file.path, text.empty() ? "fails" : text);
    } else if (file.verdict == Verdict::Depends && report.strict == Strict::Yes) {
      failed(file.path, in_english(file.depends_on));
    } else {
      write(open_case(file.path) + "/>\n");
    }
  }
  for (const ProblemGroup* const cause : without_root) failed(cause->problem.name, message_of(*cause, "\n"));
  const auto unknown = [&](const std::string& name, const std::string& text) {
    write(open_case(name) + ">\n      <error message=\"" + xml_of(text) + "\"/>\n    </testcase>\n");
  };
  for (const SurveySkip* const skip : open) unknown(skip->path, not_judged(*skip));
  if (more != 0) unknown("the rest", std::to_string(more) + " more were not judged");
  if (has_nothing(report)) unknown(report.root, kNothingToJudge);
  write("  </testsuite>\n</testsuites>\n");
}

void write_annotations(const SurveyReport& report, const ResultAnchor& anchor, const WritePart& write) {
  const Survey& survey = report.survey;
  // Optional ones come last.
  const auto count = static_cast<std::size_t>(std::count_if(
      survey.groups.begin(), survey.groups.end(), [&](const auto& group) { return is_counted(report, group); }));
  const std::size_t shown = std::min(count, kMostAnnotations);
  for (std::size_t i = 0; i < shown; ++i) {
    const ProblemGroup& group = survey.groups[i];
    std::string command = "::error ";
    if (!anchor.file.empty()) {
      command += "file=" + command_data(anchor.file, true) + ",line=" + std::to_string(anchor.line) + ",";
    }
    command += "title=" + command_data("soresolve: " + std::string(code_of(group.problem.code)), true);
    write(command + "::" + command_data(message_of(group, "\n"), false) + "\n");
  }
  const std::vector<const SurveySkip*> open = open_skips(survey);
  for (std::size_t i = 0; i < std::min(open.size(), kMostAnnotations - shown); ++i) {
    const std::string file = anchor.file.empty() ? "" : "file=" + command_data(anchor.file, true) + ",";
    write("::error " + file +
          "title=soresolve%3A not-judged::" + command_data(open[i]->path + ": " + not_judged(*open[i]), false) + "\n");
  }
  if (has_nothing(report)) write(std::string("::error title=soresolve%3A not-judged::") + kNothingToJudge + "\n");
  const SurveySums total = sums_of(report);
  write(std::to_string(survey.counts.roots) + " processes: " + std::to_string(total.works) + " work, " +
        std::to_string(total.fails) + " fail, " + std::to_string(total.depends) + " depend, " +
        std::to_string(total.optional) + " optional, " + std::to_string(total.suppressed) + " passed over, " +
        std::to_string(survey.counts.unjudged) + " not judged; " + std::to_string(count) + " causes" +
        (shown < count ? ", the first " + std::to_string(shown) + " are shown" : "") + "\n");
}

void write_dot(const SurveyReport& report, const WritePart& write) {
  const Survey& survey = report.survey;
  write("digraph soresolve {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n");
  std::set<SurveyIndex> files;
  std::set<std::string> needers;
  for (const ProblemGroup& group : survey.groups) {
    if (!is_counted(report, group)) continue;
    files.insert(group.members.begin(), group.members.end());
    const std::string cause = dot_name(in_english(group.headline));
    write("  " + cause + " [color=red, fontcolor=red];\n");
    for (const std::string& needer : group.needers) {
      write("  " + dot_name(needer) + " -> " + cause + " [color=red];\n");
      needers.insert(needer);
    }
  }
  for (const SurveyIndex root : files) {
    const SurveyedFile& file = survey.files[root];
    for (const SurveyIndex loaded : file.loads) {
      const std::string& path = survey.files[loaded].path;
      // Of what it loads only what leads to the cause: a whole process would hide it.
      if (needers.contains(path)) write("  " + dot_name(file.path) + " -> " + dot_name(path) + ";\n");
    }
    for (const std::string& path : file.loads_others) {
      if (needers.contains(path) && path != file.path)
        write("  " + dot_name(file.path) + " -> " + dot_name(path) + ";\n");
    }
  }
  for (const SurveySkip* const skip : open_skips(survey)) {
    write("  " + dot_name(skip->path) + " [color=orange, xlabel=" + dot_name(not_judged(*skip)) + "];\n");
  }
  write("}\n");
}

}  // namespace soresolve
