// Heads of JSON documents, and a writer with nlohmann::json's own layout that makes large lists piece by piece. Form:
// lib/report/schema.json. Bytes that are not UTF-8 become U+FFFD.
#include "report/json_parts.h"

#include <cstring>
#include <utility>
#include <vector>

#include "base/enum_names.h"
#include "base/printable.h"
#include "cuda/driver_mount.h"
#include "diagnose/cuda_rules.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

std::string_view start_name(Start start) {
  using enum Start;
  static constexpr auto kNames =
      enum_names<Start>({{Kernel, "kernel"}, {Argument, "loader-argument"}, {Dlopen, "dlopen"}});
  return kNames[start];
}

std::string_view source_name(RuleSource source) {
  using enum RuleSource;
  static constexpr auto kNames = enum_names<RuleSource>(
      {{LoaderFile, "loader"}, {FileName, "file name"}, {LibcFile, "libc"}, {Override, "option"}});
  return kNames[source];
}

/// What the loader reads of it.
Json loaders_environment(const Process& process) {
  Json entries = Json::array();
  for (const std::string& entry : process.environment.entries()) {
    if (entry.starts_with("LD_") || entry.starts_with("GLIBC_TUNABLES=")) entries.push_back(entry);
  }
  return entries;
}

}  // namespace

Json driver_json(const DriverMount* driver) {
  if (driver == nullptr) return nullptr;
  Json libraries = array_of(driver->libraries, [&](const PassedLibrary& library) -> Json {
    return {{"path", library.path}, {"source", library.source}};
  });
  Json withheld = array_of(driver->withheld, [&](const WithheldLibrary& library) -> Json {
    return {{"name", library.name}, {"soname", library.soname}, {"lacks", text_or_null(library.lacks)}};
  });
  Json own = array_of(driver->own, [&](const OwnDriverLibrary& library) -> Json {
    return {{"path", library.path}, {"version", library.version.text}};
  });
  Json compat = nullptr;
  if (driver->compat) {
    compat = {{"directory", driver->compat->directory},
              {"version", driver->compat->version.text},
              {"enabled", driver->compat->is_enabled},
              {"reason", sentence(driver->compat->reason, Language::English)}};
  }
  return {{"mode", name_of(driver->mode)},
          {"rules", driver->rules.text},
          {"source", driver->source},
          {"version", driver->version.text},
          {"place", driver->is_assumed() ? Json(nullptr) : Json(driver->place)},
          {"capabilities", driver->capabilities},
          {"libraries", std::move(libraries)},
          {"withheld", std::move(withheld)},
          {"own", std::move(own)},
          {"foreign", driver->foreign},
          {"compat", std::move(compat)},
          {"cache_rebuilt", driver->is_cache_rebuilt},
          {"library_path", value_or_null(driver->library_path)},
          {"notes", english_of(driver_notes(*driver))}};
}

namespace {

Json world(const System& system, const Process& process) {
  const bool is_musl = system.rules.libc == Libc::Musl;
  return {{"loader", system.loader_path},
          {"libc", is_musl ? "musl" : "glibc"},
          {"glibc", is_musl ? Json(nullptr) : Json(system.rules.version.to_string())},
          {"musl", is_musl ? Json(system.rules.musl_version.to_string()) : Json(nullptr)},
          {"glibc_from", is_musl ? Json(nullptr) : Json(source_name(system.rules.version_source))},
          {"target", describe(system.rules.target)},
          {"system_dirs", system.rules.system_dirs},
          {"system_dirs_derived", system.rules.system_dirs_derived},
          {"lib_token", system.rules.lib_token},
          {"cache", system.has_cache ? Json(system.rules.cache_path) : Json(nullptr)},
          {"cache_problem", system.cache_problem ? Json(system.cache_problem->to_string()) : Json(nullptr)},
          {"start", start_name(process.start)},
          {"cwd", process.cwd},
          {"secure", process.secure},
          {"cpu", process.cpu.name},
          {"platform", process.cpu.platform},
          {"environment", loaders_environment(process)},
          {"driver", driver_json(system.driver.get())}};
}

}  // namespace

Json text_or_null(const Statement& statement) {
  return statement.empty() ? Json(nullptr) : Json(sentence(statement, Language::English));
}

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(std::string(text)); }

Json english_of(const std::vector<Statement>& statements) {
  return array_of(statements, [](const Statement& each) { return sentence(each, Language::English); });
}

Json index_or_null(ObjectIndex index) { return index == kNoObject ? Json(nullptr) : Json(index); }

Json document_head(const char* command, const LinkMap& map, std::string_view file) {
  Json json = {{"schema", "soresolve/1"}, {"command", command}, {"file", std::string(file)}};
  json["world"] = world(*map.system, *map.process);
  return json;
}

Json assumed_json(const LinkMap& map) {
  if (!map.assumed) return nullptr;
  return {{"rule", name_of(map.assumed->rule)},
          {"program", map.assumed->program},
          {"loaded", map.assumed->loaded},
          {"text", sentence(map.assumed->what, Language::English)},
          {"evidence", english_of(map.assumed->evidence)}};
}

Json dlopen_calls_json(const LinkMap& map) {
  Json list = Json::array();
  for (const DlopenCall& dlopen_call : map.dlopen_calls) {
    const Need& need = map.objects[dlopen_call.request.needer].needs[dlopen_call.request.need];
    list.push_back({{"file", std::string(need.name)},
                    {"scope", name_of(dlopen_call.mode.scope)},
                    {"binding", dlopen_call.mode.bind_time == BindTime::Now ? "now" : "lazy"},
                    {"noload", dlopen_call.mode.only_if_loaded},
                    {"nodelete", dlopen_call.mode.stays},
                    {"namespace", dlopen_call.space},
                    {"caller", dlopen_call.request.needer},
                    {"object", index_or_null(dlopen_call.asked)},
                    {"first_new", dlopen_call.first_new},
                    {"opens", dlopen_call.root != kNoObject}});
  }
  return list;
}

Json later(const LaterPart& part) {
  std::vector<std::uint8_t> bytes(sizeof part);
  std::memcpy(bytes.data(), &part, sizeof part);
  return Json::binary(std::move(bytes));
}

namespace {

/// Writes as nlohmann::json::dump(2) does.
class JsonWriter {
 public:
  JsonWriter(const std::function<Json(const LaterPart&)>& make, const std::function<void(std::string_view)>& write)
      : make_(make), write_(write) {}

  void write(const Json& json) {
    put(json, 0);
    buffer_ += '\n';
    write_(printable_json(buffer_));
  }

 private:
  static constexpr std::size_t kPiece = 64 << 10;

  void put(const Json& json, std::size_t depth) {
    if (json.is_binary()) {
      LaterPart part;
      std::memcpy(&part, json.get_binary().data(), sizeof part);
      return put(make_(part), depth);
    }
    const bool is_object = json.is_object();
    if (!json.is_structured() || json.empty()) {
      buffer_ += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    } else {
      buffer_ += is_object ? '{' : '[';
      bool is_first = true;
      for (auto at = json.begin(); at != json.end(); ++at) {
        buffer_ += is_first ? "\n" : ",\n";
        is_first = false;
        buffer_.append(2 * (depth + 1), ' ');
        if (is_object) buffer_ += Json(at.key()).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
        put(*at, depth + 1);
      }
      buffer_ += '\n';
      buffer_.append(2 * depth, ' ');
      buffer_ += is_object ? '}' : ']';
    }
    if (buffer_.size() < kPiece) return;
    write_(printable_json(buffer_));  // no character begins in one piece and ends in the next
    buffer_.clear();
  }

  const std::function<Json(const LaterPart&)>& make_;
  const std::function<void(std::string_view)>& write_;
  std::string buffer_;
};

}  // namespace

void write_json(const Json& json, const std::function<Json(const LaterPart&)>& make,
                const std::function<void(std::string_view)>& write) {
  JsonWriter(make, write).write(json);
}

std::string dump(const Json& json) {
  return printable_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

std::string dump_line(const Json& json) {
  return printable_json(json.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace soresolve
