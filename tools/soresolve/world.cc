// From options to the world that the library is asked about.
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>

#include "command.h"

extern char** environ;

namespace soresolve::tool {
namespace {

std::string current_directory() {
  char path[4096];
  return ::getcwd(path, sizeof path) != nullptr ? std::string(path) : std::string("/");
}

std::string_view kernel_platform() {
  const unsigned long address = ::getauxval(AT_PLATFORM);
  return address == 0 ? std::string_view() : reinterpret_cast<const char*>(address);
}

Error usage_error(std::string message) { return {ErrorCode::Usage, {}, {}, std::move(message)}; }

/// For a library name nothing says which machine is meant: the host's, else the first that the root
/// has a loader for.
constexpr std::uint16_t kMachines[] = {
#if defined(__aarch64__)
    183, 62,
#else
    62, 183,
#endif
    3, 40, 21, 22, 243, 258, 20, 8, 43};

}  // namespace

WorldOpener::WorldOpener(const WorldOptions& options) : options_(options) {
  if (options.verbose) log_ = make_trace_log();
}
WorldOpener::~WorldOpener() = default;

std::optional<Error> WorldOpener::prepare() {
  if (is_prepared_) return std::nullopt;
  if (options_.root.empty()) {
    files_ = host_file_system();
  } else {
    Result<std::unique_ptr<FileSystem>> rooted = rooted_file_system(options_.root);
    if (!rooted) return std::move(rooted).error();
    files_ = std::move(rooted).value();
  }
  cwd_ = !options_.cwd.empty() ? options_.cwd : options_.root.empty() ? current_directory() : "/";
  if (!cwd_.starts_with('/')) cwd_ = absolute_path(cwd_, current_directory());
  std::vector<std::string> entries = options_.env;
  for (const std::string& entry : entries) {
    if (entry.find('=') == std::string::npos) {
      return usage_error("--env wants NAME=VALUE, not '" + entry + "'");
    }
  }
  if (entries.empty() && !options_.clean_env) {
    // Only what the loader reads.
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      if (text.starts_with("LD_") || text.starts_with("GLIBC_TUNABLES=")) {
        entries.emplace_back(text);
      }
    }
  }
  environment_ = Environment(std::move(entries));
  if (!options_.glibc.empty()) {
    release_ = parse_glibc_version(options_.glibc);
    if (release_ == GlibcVersion{}) {
      return usage_error("--glibc wants a release such as 2.31, not '" + options_.glibc + "'");
    }
  }
  is_prepared_ = true;
  return std::nullopt;
}

Result<std::shared_ptr<const System>> WorldOpener::system_for(const std::string& loader_path) {
  for (const auto& [path, system] : systems_) {
    if (path == loader_path) return system;
  }
  Result<System> system = read_system(files_, loader_path, release_);
  if (!system) return Unexpected{std::move(system).error()};
  // The loader passes over a cache that it cannot use without a word; a person wants to know.
  if (system->cache_problem) {
    write_error("soresolve: warning: " + system->cache_problem->to_string() + "\n");
  }
  systems_.emplace_back(loader_path, std::make_shared<const System>(std::move(system).value()));
  return systems_.back().second;
}

std::optional<Error> WorldOpener::fill_process(World& world) {
  Process& process = world.process;
  process.environment = environment_;
  process.cwd = cwd_;
  process.secure = options_.secure;
  const ElfTarget& target = world.system->rules.target;
  if (options_.cpu.empty()) {
    process.cpu = detect_host_cpu(target, kernel_platform());
  } else {
    Result<Cpu> cpu = cpu_by_name(options_.cpu, target);
    if (!cpu) return std::move(cpu).error();
    process.cpu = std::move(cpu).value();
  }
  if (const auto tunables = environment_.value("GLIBC_TUNABLES"); tunables && !options_.secure) {
    apply_hwcaps_tunable(process.cpu, *tunables);
  }
  if (world.system->rules.tests_abi_note) {
    utsname kernel;
    if (::uname(&kernel) == 0) process.os_release = kernel.release;
  }
  return std::nullopt;
}

Result<OpenedLibrary> WorldOpener::open_library(const std::string& name) {
  if (auto error = prepare()) return Unexpected{std::move(*error)};
  Result<OpenedObject> opened = open_object(*files_, absolute_path(name, cwd_), name);
  if (opened) return OpenedLibrary{std::move(opened).value(), name};
  if (opened.error().code != ErrorCode::NotFound || name.find('/') != std::string::npos) {
    return Unexpected{std::move(opened).error()};
  }
  Result<World> world = open_library_name(name);
  if (!world) return Unexpected{std::move(world).error()};
  Result<LinkMap> map = load_world(*world, {});
  if (!map) return Unexpected{std::move(map).error()};
  const std::vector<Need>& needs = map->main().needs;
  if (!needs.empty() && needs.back().resolution == Resolution::Mapped) {
    LoadedObject& object = map->objects[needs.back().target];
    std::string path(object.path);
    return OpenedLibrary{{std::move(object.file), std::move(object.elf)}, std::move(path)};
  }
  const LoadFailure* failure = map->first_fatal();
  return Unexpected{Error{ErrorCode::NotFound, name, {},
                          failure != nullptr ? failure->text + ": " + errno_text(failure->error, ErrnoText::FromDlerror)
                                             : "is no library that can be found"}};
}

bool WorldOpener::has_file(const std::string& name) {
  return !prepare() && files_->status(absolute_path(name, cwd_)).has_value();
}

Result<World> WorldOpener::open_library_name(const std::string& name) {
  for (const std::uint16_t machine : kMachines) {
    for (const ElfClass elf_class : {ElfClass::Elf64, ElfClass::Elf32}) {
      ElfObject wanted;
      wanted.target = {elf_class, ByteOrder::Little, machine, 0};
      const Result<std::string> loader = find_loader(*files_, wanted, name);
      if (!loader) continue;
      Result<std::shared_ptr<const System>> system = system_for(*loader);
      if (!system) return Unexpected{std::move(system).error()};
      World world;
      world.system = *system;
      world.file = name;
      world.process.start = Start::Dlopen;
      world.process.argv0 = name;
      if (auto error = fill_process(world)) return Unexpected{std::move(*error)};
      return world;
    }
  }
  return Unexpected{Error{ErrorCode::NoLoader, options_.root.empty() ? "/" : options_.root, {},
                          "no dynamic loader is installed here"}};
}

Result<World> WorldOpener::open(const std::string& file) {
  if (auto error = prepare()) return Unexpected{std::move(*error)};
  std::string name = file;
  Result<OpenedObject> opened = open_object(*files_, absolute_path(name, cwd_), file);
  const std::string root = options_.root.ends_with('/') ? options_.root : options_.root + '/';
  if (!opened && opened.error().code == ErrorCode::NotFound) {
    if (!options_.root.empty() && name.starts_with(root)) {
      // The path as seen from outside the root.
      name = name.substr(root.size() - 1);
      opened = open_object(*files_, name, file);
    } else if (file.find('/') == std::string::npos && file.find(".so") != std::string::npos) {
      return open_library_name(file);
    }
  }
  if (!opened) return Unexpected{std::move(opened).error()};

  World world;
  world.opened = std::move(opened).value();
  const ElfObject& object = world.opened.elf;
  world.is_dynamic = object.has_dynamic;
  world.file = name;
  world.process.argv0 = file;
  if (!object.has_dynamic) return world;
  Result<std::string> loader = find_loader(*files_, object, file);
  if (!loader) return Unexpected{std::move(loader).error()};
  Result<std::shared_ptr<const System>> system = system_for(*loader);
  if (!system) {
    Error error = system.error();
    if (error.code == ErrorCode::NoLoader && object.has_interp) {
      error.path = file;
      error.message = "the kernel would not start it: its interpreter (PT_INTERP) " + *loader +
                      " cannot be opened here";
    }
    return Unexpected{std::move(error)};
  }
  world.system = *system;
  world.process.start = object.has_interp ? Start::Kernel : Start::Argument;
  // As ldd(1) does, so that the loader takes it for a path.
  if (world.process.start == Start::Argument && name.find('/') == std::string::npos) {
    world.file = "./" + name;
  }
  if (auto error = fill_process(world)) return Unexpected{std::move(*error)};
  return world;
}

Result<LinkMap> load_world(World& world, const LoadOptions& options) {
  return load(*world.system, world.process, world.file, std::move(world.opened), options);
}

Result<World> open_dynamic(WorldOpener& opener, const std::string& file) {
  Result<World> world = opener.open(file);
  if (world && !world->is_dynamic) {
    return Unexpected{Error{ErrorCode::NotElf, file, {},
                            "is not dynamic: it has no PT_DYNAMIC, so no loader is involved"}};
  }
  return world;
}

Exit report_error(const Error& error) {
  write_error("soresolve: " + error.to_string() + "\n");
  return Exit::Usage;
}

}  // namespace soresolve::tool
