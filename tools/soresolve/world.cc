// The world of a command line: what the library makes of the options, here on this host.
#include "command.h"
#include "descriptors.h"
#include "report/paint.h"

extern char** environ;

namespace soresolve::tool {

WorldSettings settings_here(const WorldOptions& options) {
  insist_on_descriptors();
  WorldSettings settings = options;
  settings.host = read_host_facts();
  for (char** entry = environ; *entry != nullptr; ++entry) settings.inherited.emplace_back(*entry);
  return settings;
}

namespace {

void tell_warnings(WorldSource& source) {
  for (const Error& warning : source.take_warnings()) {
    write_error("soresolve: warning: " + printable(warning.to_string()) + "\n");
  }
}

}  // namespace

WorldOpener::WorldOpener(const WorldOptions& options) : source_(settings_here(options)) {
  if (options.verbose) log_ = make_trace_log();
}
WorldOpener::~WorldOpener() = default;

Result<World> WorldOpener::open(const std::string& file) {
  Result<World> world = source_.open(file);
  tell_warnings(source_);
  return world;
}

Result<OpenedLibrary> WorldOpener::open_library(const std::string& name) {
  Result<OpenedLibrary> library = source_.open_library(name);
  tell_warnings(source_);
  return library;
}

Result<std::string> WorldOpener::absolute(const std::string& file) {
  const Result<std::shared_ptr<const FileSystem>> files = source_.files();  // for the current directory
  if (!files) return Unexpected{files.error()};
  return source_.absolute(file);
}

std::vector<std::string> WorldOpener::files_named_in(const Recognised& message) {
  const Result<std::shared_ptr<const FileSystem>> files = source_.files();
  return files ? named_files(**files, source_.cwd(), message) : std::vector<std::string>();
}

Result<World> open_dynamic(WorldOpener& opener, const std::string& file) {
  Result<World> world = opener.open(file);
  if (world && !world->is_dynamic) {
    return Unexpected{
        Error{ErrorCode::NotElf, file, {}, "is not dynamic: it has no PT_DYNAMIC, so no loader is involved"}};
  }
  return world;
}

Exit report_error(const Error& error) {
  write_error("soresolve: " + printable(error.to_string()) + "\n");
  return Exit::Usage;
}

}  // namespace soresolve::tool
