// explain as JSON (schema soresolve/1, "explain" in schema.json).
#include "base/enum_names.h"
#include "report/data.h"
#include "report/explain_packages.h"
#include "report/explain_report.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

std::string_view lookup_name(Lookup lookup) {
  using enum Lookup;
  static constexpr auto kNames = enum_names<Lookup>({{None, "none"},
                                                     {Search, "search"},
                                                     {Open, "open"},
                                                     {Version, "version"},
                                                     {Start, "start"},
                                                     {Program, "program"},
                                                     {Machine, "machine"},
                                                     {Plugin, "plugin"}});
  return kNames[lookup];
}

/// Null for messages of anything but a library that is missing, and for libraries of which nothing is known.
Json brings_json(const Recognised& message, Language language) {
  const std::optional<WhatBrings> brings = what_brings_missing(message);
  if (!brings) return nullptr;
  return {{"what", sentence(brings->what, language)}, {"commands", texts_of(brings->commands)}};
}

Json to_json(const Recognised& message, Language language) {
  const KnownMessage& known = *message.known;
  Json captures = Json::object();
  for (const Capture& capture : message.captures) captures[capture.name] = capture.text;
  Json frames = array_of(message.frames, [&](const TracebackFrame& frame) -> Json {
    return {{"file", frame.file}, {"function", frame.function}, {"code", frame.code}};
  });
  return {{"id", known.id},
          {"problem", known.problem ? Json(code_of(*known.problem)) : Json(nullptr)},
          {"printer", known.printer.in(language)},
          {"text", message.text},
          {"line", message.line},
          {"count", message.count},
          {"is_summary", known.weight == Weight::Summary},
          {"captures", std::move(captures)},
          {"cause", filled(known.cause.in(language), message)},
          {"proof", filled(known.proof.in(language), message)},
          {"next", filled(known.next.in(language), message)},
          {"commands", filled_command(known.command, message).text()},
          {"brought_by", brings_json(message, language)},
          {"lookup", lookup_name(known.lookup)},
          {"source", known.source},
          {"traceback", std::move(frames)}};
}

Json to_json(const LookupAnswer& answer, Language language) {
  return {{"command", answer.command.text()},
          {"is_good", answer.is_good},
          {"is_needer_unknown", answer.is_needer_unknown},
          {"assumed", text_or_null(answer.assumed.empty() ? std::string() : sentence(answer.assumed, language))},
          {"error", text_or_null(answer.error)},
          {"report", answer.data.empty() ? Json(nullptr) : Json::parse(answer.data, nullptr, false)}};
}

}  // namespace

Json explain_data(const ExplainReport& report) {
  Json json = {{"schema", "soresolve/1"}, {"command", "explain"}, {"language", name_of(report.language)}};
  json["is_mended"] = report.is_fixed;
  json["messages"] = Json::array();
  for (const Recognised& message : report.messages) {
    json["messages"].push_back(to_json(message, report.language));
  }
  json["answers"] = Json::array();
  for (const LookupAnswer& answer : report.answers) json["answers"].push_back(to_json(answer, report.language));
  return json;
}

}  // namespace soresolve
