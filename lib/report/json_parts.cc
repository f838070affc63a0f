#include "report/json_parts.h"

namespace soresolve {
namespace {

const char* start_name(Start start) {
  switch (start) {
    case Start::Kernel: return "kernel";
    case Start::Argument: return "loader-argument";
    case Start::Dlopen: return "dlopen";
  }
  return "";
}

const char* source_name(RuleSource source) {
  switch (source) {
    case RuleSource::LoaderFile: return "loader";
    case RuleSource::FileName: return "file name";
    case RuleSource::LibcFile: return "libc";
    case RuleSource::Override: return "option";
  }
  return "";
}

Json world(const System& system, const Process& process) {
  return {{"loader", system.loader_path},
          {"glibc", system.rules.version.to_string()},
          {"glibc_from", source_name(system.rules.version_source)},
          {"target", describe(system.rules.target)},
          {"system_dirs", system.rules.system_dirs},
          {"system_dirs_derived", system.rules.system_dirs_derived},
          {"lib_token", system.rules.lib_token},
          {"cache", system.has_cache ? Json(system.rules.cache_path) : Json(nullptr)},
          {"cache_problem",
           system.cache_problem ? Json(system.cache_problem->to_string()) : Json(nullptr)},
          {"start", start_name(process.start)},
          {"cwd", process.cwd},
          {"secure", process.secure},
          {"cpu", process.cpu.name},
          {"platform", process.cpu.platform},
          {"environment", process.environment.entries()}};
}

}  // namespace

Json document_head(const char* command, const System& system, const Process& process,
                   std::string_view file) {
  Json json = {{"schema", "soresolve/1"}, {"command", command}, {"file", std::string(file)}};
  json["world"] = world(system, process);
  return json;
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace soresolve
