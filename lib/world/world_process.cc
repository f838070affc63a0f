// Whose process it is: who starts or opens the file, as which user, with which loader, after what. Each assumption is a
// note in the result. Source: execve(2), ld.so(8) for AT_SECURE; how Python opens its modules: python/python.cc.
#include <elf.h>

#include <algorithm>
#include <cerrno>

#include "base/overlay_file_system.h"
#include "base/path.h"
#include "base/pieces.h"
#include "base/user.h"
#include "dlopen/known_loaders.h"
#include "host/host.h"
#include "loader/cpu.h"
#include "loader/gcompat.h"
#include "loader/loader_rules.h"
#include "python/environments.h"
#include "python/interpreter.h"
#include "soresolve/symbols.h"
#include "symbols/settle_dlopen_calls.h"
#include "symbols/startup.h"
#include "world/text_file.h"
#include "world/world_state.h"

namespace soresolve {
namespace {

/// For a library name nothing says which machine is meant: the host's, else the first that the root
/// has a loader for.
constexpr std::uint16_t kMachines[] = {
#if defined(__aarch64__)
    183, 62,
#else
    62, 183,
#endif
    3,   40, 21, 22, 243, 258, 20, 8, 43};

/// As it is told.
AssumedProcess assumed_process(const AssumedProgram& program) {
  AssumedProcess assumed;
  assumed.rule = program.rule;
  assumed.program = program.path;
  for (const OpenRequest& loaded : program.loaded) assumed.loaded.push_back(loaded.file);
  assumed.what = say("assumed-opened-by", {{"program", program.path}, {"reason", program.reason}});
  assumed.evidence = program.evidence;
  return assumed;
}

/// A library in a package of Python that needs what another package brings along.
bool is_of_python_package(const FileSystem& files, std::string_view path, const ElfObject& object) {
  const bool needs_package = std::any_of(object.needs.begin(), object.needs.end(), [](const NeedEntry& need) {
    return !package_that_provides(need.name).empty();
  });
  if (!needs_package) return false;
  const Result<std::string, Errno> real = files.real_path(path);
  const std::string_view folder = directory_of(real ? std::string_view(*real) : path);
  return files.status(path_in(folder, "__init__.py")).has_value();
}

/// The directory of the interpreter's DT_RPATH with something that the library needs: conda builds its programs so, and
/// the list counts for whatever they open, unless that has a RUNPATH; one with an RPATH is taken to find its own.
/// Empty: there is none. Source: glibc elf/dl-load.c:_dl_map_object, which goes up to the main map.
std::string rpath_that_decides(const FileSystem& files, const std::string& program, const ElfObject& library) {
  if (library.runpath || library.rpath) return {};
  const Result<OpenedObject> opened = open_object(files, program, program);
  if (!opened || !opened->elf.rpath || opened->elf.runpath) return {};
  const Result<std::string, Errno> real = files.real_path(program);
  const std::string origin(directory_of(real ? *real : program));
  for (const std::string_view entry : pieces_in(*opened->elf.rpath, ':')) {
    std::string directory(entry);
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
      if (const std::size_t at = directory.find(token); at != std::string::npos)
        directory.replace(at, token.size(), origin);
    }
    const bool has_one = std::any_of(library.needs.begin(), library.needs.end(), [&](const NeedEntry& need) {
      return files.status(path_in(directory, need.name)).has_value();
    });
    if (has_one && directory.starts_with('/')) return without_dots(directory);
  }
  return {};
}

/// The interpreter of the environment that a plain library lies in, where its DT_RPATH decides what the library gets;
/// no program elsewhere: most libraries load alike wherever they are opened.
AssumedProgram opener_by_rpath(const FileSystem& files, const Environment& environment, const std::string& path,
                               const ElfObject& library, const PythonChoice& choice) {
  const std::string home = environment_of(files, path);
  if (home.empty()) return {};
  std::optional<AssumedProgram> python = find_python(files, environment, path, choice);
  if (!python) return {};
  const std::string directory = rpath_that_decides(files, python->path, library);
  if (directory.empty()) return {};
  python->reason = say("process-by-rpath", {{"environment", home}, {"directory", directory}});
  return std::move(*python);
}

}  // namespace

/// What is said to be loaded and cannot be: the process goes on without it.
void World::State::Prepared::settle() {
  const Result<std::vector<FailedDlopenCall>> failed =
      settle_dlopen_calls(system, std::make_shared<const Process>(process), file, dlopen_calls, Settle::BeforeLast);
  if (!failed) return;  // loading says the same, where it matters
  for (const FailedDlopenCall& one : *failed) {
    if (one.is_process_over) continue;
    notes.push_back(say("note-not-loaded", {{"file", dlopen_calls[one.index].file}, {"message", one.message}}));
  }
}

/// Does the program of the process come through its start? What it opens later is not looked at.
bool does_start(const LinkMap& alone) {
  if (alone.first_fatal() != nullptr) return false;
  const Result<StartFacts> facts = read_start_facts(alone, {.own = OwnReferences::Counted});
  return !facts || start_up(alone, *facts, BindTime::AsAsked).end == StartEnd::Runs;
}

/// The start of the program alone, where the program that is to open something does not come through it: nothing is
/// opened then. The walk ends at files that are missing; here are versions, symbols and the processor.
static std::optional<LinkMap> start_that_fails(const LinkMap& map, LoadOptions options) {
  const bool is_running = map.process->live || map.process->start == Start::Dlopen ||
                          std::any_of(map.requested.begin(), map.requested.end(),
                                      [](const OpenRequest& each) { return each.skips_loaded; });
  if (map.requested.empty() || map.dlopen_calls_left != 0 || is_running) return std::nullopt;
  options.dlopen_calls.clear();
  options.log = nullptr;  // what it finds has been logged
  Result<LinkMap> alone = load(map.system, map.process, map.file, options);
  if (!alone || does_start(*alone)) return std::nullopt;
  alone->requested = map.requested;
  alone->dlopen_calls_left = map.requested.size();
  return std::move(*alone);
}

Result<LinkMap> World::State::Prepared::walk(LoadOptions options) {
  options.dlopen_calls = std::move(dlopen_calls);
  Result<LinkMap> map =
      load(system, std::make_shared<const Process>(std::move(process)), file, std::move(opened), options);
  if (!map) return map;
  if (auto start = start_that_fails(*map, options)) map = std::move(*start);
  map->notes.insert(map->notes.begin(), notes.begin(), notes.end());
  map->assumed = std::move(assumed);
  return map;
}

/// The files as the process can open them. Who asks opens them as the kernel lets him, without our help.
std::shared_ptr<const FileSystem> World::State::files_of(const User& user) const {
  const User& self = settings_.host.user;
  const bool is_self = user.uid == self.uid && user.gid == self.gid && user.groups == self.groups &&
                       user.passes_modes == self.passes_modes;
  return is_self ? files_ : files_as_user(files_, user);
}

/// Whom the kernel makes of the user when it starts this program, and whether it sets AT_SECURE. In a tree
/// that is only laid out here nothing is said by how it is mounted.
Result<ExecIdentity> World::State::identity_of(const ElfObject& object, const File& file, const std::string& name,
                                               Prepared& prepared) const {
  ExecIdentity identity{user_, false, {}};
  if (live_) return identity;
  if (!object.has_interp) return identity;
  const bool is_here = root_.empty() && !settings_.where.files;
  SetIdLimits limits;
  limits.nosuid_counts = is_here || settings_.where.has_mounts;
  ExecIdentity started = identity_after_exec(user_, file, limits);
  if (is_here && started.is_secure) {
    // What the asking process may gain counts for the few files whose bits count at all.
    const std::vector<IdRange> uids = mapped_ids(*files_, "/proc/self/uid_map");
    const std::vector<IdRange> gids = mapped_ids(*files_, "/proc/self/gid_map");
    limits.no_new_privs = has_no_new_privs();
    limits.uids = uids;
    limits.gids = gids;
    started = identity_after_exec(user_, file, limits);
  }
  if (!started.held_back.empty() && settings_.start.secure == AtSecure::AsStarted && !started.is_secure) {
    prepared.notes.push_back(say("note-not-secure", {{"program", name}, {"reason", started.held_back}}));
  }
  if (!started.is_secure || settings_.start.secure == AtSecure::No) return identity;
  if (settings_.start.secure == AtSecure::AsStarted) {
    prepared.notes.push_back(
        say("note-secure", {{"program", name}, {"user", describe(user_)}, {"reason", started.reason}}));
  }
  const User& self = settings_.host.user;
  if (!self.passes_modes && started.user.uid != self.uid) {
    prepared.notes.push_back(say("note-reads-as", {{"self", describe(self)}, {"user", describe(started.user)}}));
  }
  return started;
}

Result<std::shared_ptr<const System>> World::State::system_for(const std::string& loader_path, const User& user) {
  for (const KnownSystem& known : systems_) {
    if (known.loader_path == loader_path && known.user == user) return known.system;
  }
  const std::shared_ptr<const FileSystem> seen = files_of(user);
  Result<System> system = read_system(seen, loader_path, release_);
  if (!system && live_ && seen != files_) {
    // It has its loader, whether or not it may open it now.
    system = read_system(files_, loader_path, release_);
    if (system) system->files = seen;
  }
  if (!system) return Unexpected{std::move(system).error()};
  system->driver = driver_;
  if (place_) system->layers = place_->layers;
  // The loader passes over a cache that it cannot use without a word; a person wants to know.
  if (system->cache_problem) warnings_.push_back(*system->cache_problem);
  if (system->preload_problem) warnings_.push_back(*system->preload_problem);
  system->store = settings_.store;
  log_system(*system);
  systems_.push_back({loader_path, user, std::make_shared<const System>(std::move(system).value())});
  return systems_.back().system;
}

std::optional<Error> World::State::fill_process(Prepared& prepared, const Environment& environment) {
  Process& process = prepared.process;
  process.environment = environment;
  process.cwd = cwd_;
  process.secure |= settings_.start.secure == AtSecure::Yes || (live_ && live_->secure);
  if (live_) {
    // Without /proc in its root it does not learn where its program lies.
    process.has_proc =
        live_->is_dump || files_->status("/proc/stat").has_value() || files_->status("/proc/self/stat").has_value();
    if (live_->exe_is_deleted)
      process.exe_directory = live_->exe.substr(0, std::max<std::size_t>(live_->exe.rfind('/'), 1));
  }
  process.may_get_driver = process_.host_driver == HostDriver::Assumed && process_.opened_by == OpenedBy::WhoFits &&
                           process_.asked_as == AskedAs::File && process_.exe.empty() && !live_;
  const ElfTarget& target = prepared.system->rules.target;
  if (settings_.machine.cpu.empty()) {
    process.cpu = settings_.host.processors ? settings_.host.processors->of(target)
                                            : detect_host_cpu(target, settings_.host.platform);
  } else {
    Result<Cpu> cpu = cpu_by_name(settings_.machine.cpu, target);
    if (!cpu) return std::move(cpu).error();
    process.cpu = std::move(cpu).value();
  }
  apply_tunables(process, prepared.system->rules);
  if (prepared.system->rules.tests_abi_note) process.os_release = settings_.host.kernel_release;
  return std::nullopt;
}

Result<World::State::Prepared> World::State::prepare_library_name(const std::string& name) {
  for (const std::uint16_t machine : kMachines) {
    for (const ElfClass elf_class : {ElfClass::Elf64, ElfClass::Elf32}) {
      ElfObject wanted;
      wanted.target = {elf_class, std::endian::little, machine, 0};
      const Result<std::string> loader = find_loader(*files_, wanted, name);
      if (!loader) continue;
      Result<std::shared_ptr<const System>> system = system_for(*loader, user_);
      if (!system) return Unexpected{std::move(system).error()};
      Prepared prepared;
      prepared.system = *system;
      prepared.file = name;
      prepared.process.start = Start::Dlopen;
      prepared.process.argv0 = name;
      if (auto error = fill_process(prepared, environment_)) return Unexpected{std::move(*error)};
      return prepared;
    }
  }
  return Unexpected{Error{ErrorCode::NoLoader, root_.empty() ? "/" : root_, {}, "no dynamic loader is installed here"}};
}

Result<World::State::Target> World::State::find_target(const std::string& file) {
  if (file.empty() && live_) {
    Result<OpenedObject> opened = open_live_program();
    if (!opened) return Unexpected{std::move(opened).error()};
    return Target{live_->exe, std::move(opened).value()};
  }
  Target target{file, std::nullopt};
  if (is_library_name(file)) return target;
  Result<OpenedObject> opened = open_object(*files_, absolute_path(file, cwd_), file);
  const std::string root = root_.ends_with('/') ? root_ : root_ + '/';
  if (!opened && opened.error().code == ErrorCode::NotFound) {
    if (!root_.empty() && file.starts_with(root)) {
      // The path as seen from outside the root.
      target.name = file.substr(root.size() - 1);
      opened = open_object(*files_, target.name, file);
    } else if (file.find('/') == std::string::npos && file.find(".so") != std::string::npos) {
      return target;
    }
  }
  if (opened) {
    target.opened = std::move(opened).value();
    return target;
  }
  // Whose process it is has been said: then what dlopen makes of the file is the answer. A module of Python is taken
  // for one by its name alone.
  if (is_process_named()) return target;
  if (opened.error().code == ErrorCode::Unreadable) {
    refused_ = refusal_of_reading(target.name);
    const bool is_module = refused_ && process_.opened_by == OpenedBy::WhoFits &&
                           is_python_module(*files_, absolute_path(target.name, cwd_));
    if (is_module && find_python(*files_, environment_, refused_->path, python_choice())) return target;
    if (refused_) return Unexpected{refused_->error()};
  }
  Error error = std::move(opened).error();
  if (error.code == ErrorCode::Truncated) {
    refused_ = refusal_of_other_file(absolute_path(target.name, cwd_), file);
    if (refused_) return Unexpected{refused_->error()};
  }
  if (error.code == ErrorCode::NotElf) {
    const std::string path = absolute_path(target.name, cwd_);
    refused_ = refusal_of_script(path, file);
    if (!refused_) refused_ = refusal_of_other_file(path, file);
    if (refused_) return Unexpected{refused_->error()};
    if (process_.opened_by != OpenedBy::Ldd) {
      Result<std::optional<Target>> program = program_of_script(path, file);
      if (!program) return Unexpected{std::move(program).error()};
      if (*program) return std::move(**program);
    }
    std::optional<std::string> hint = container_hint(*files_, path, file);
    if (!hint) hint = text_file_hint(*files_, path);
    if (hint) {
      error.message = std::move(*hint);
      error.offset.reset();
    }
  }
  return Unexpected{std::move(error)};
}

/// The program that the kernel starts for a script, which is the one to judge; nullopt: it is none, or stands for none.
Result<std::optional<World::State::Target>> World::State::program_of_script(const std::string& path,
                                                                            const std::string& name) {
  std::optional<Target> none;
  Environment environment = environment_;
  const bool is_here = root_.empty() && !settings_.where.files;
  if (!is_here && !environment.value("PATH")) environment.add("PATH=" + std::string(kContainerPath));
  Result<StartedProgram> started = started_program(*files_, environment, path, cwd_);
  if (!started || started->path == path) return none;
  if (!started->not_found.empty()) {
    refused_ = Refused{.by = Refused::By::Command,
                       .file = name,
                       .path = path,
                       .interpreter = started->not_found,
                       .env = started->argv0,
                       .reason = static_cast<Errno>(ENOENT),
                       .user = user_};
    refused_->is_script = true;
    return Unexpected{refused_->error()};
  }
  Result<OpenedObject> opened = open_object(*files_, absolute_path(started->path, cwd_), started->path);
  if (!opened) return none;
  Target target{started->path, std::move(*opened)};
  target.argv0 = started->argv0;
  target.environment = std::move(started->environment);
  return std::optional(std::move(target));
}

/// Has it been said whose process it is? Then dlopen's refusal of a file is the answer about it.
bool World::State::is_process_named() const { return live_ || (!process_.exe.empty() && process_.exe != "none"); }

/// As dlopen is given it: what exists here as a file is meant as one.
std::string World::State::name_to_open(const std::string& word) const {
  const bool is_path = word.find('/') != std::string::npos;
  return is_path || !files_->status(absolute_path(word, cwd_)) ? word : "./" + word;
}

bool World::State::is_library_name(const std::string& word) const {
  return process_.bare_name == BareName::Library && word.find('/') == std::string::npos;
}

/// Which of the two a name is taken for that is a library's and a file's, and how to ask about the other.
std::optional<Statement> World::State::note_on_bare_name(const std::string& word) const {
  const std::size_t so = word.rfind(".so");
  const bool looks_like_library = so != std::string::npos && so != 0 && word.find('/') == std::string::npos &&
                                  word.find_first_not_of(".0123456789", so + 3) == std::string::npos;
  if (!looks_like_library || !files_->status(absolute_path(word, cwd_))) return std::nullopt;
  return is_library_name(word) ? say("note-bare-library", {{"word", word}}) : say("note-bare-file", {{"word", word}});
}

/// The program that is to open the target; an empty path for none.
Result<AssumedProgram> World::State::choose_program(const Target& target) {
  if (live_) return AssumedProgram{live_->exe, {}, {}};
  if (process_.exe.empty() && process_.opened_by != OpenedBy::WhoFits) return AssumedProgram{};
  if (!process_.exe.empty()) {
    // A word that a shell would take: python3.
    if (!files_->status(absolute_path(process_.exe, cwd_)))
      process_.exe = program_in_path(process_.exe).value_or(process_.exe);
    Result<StartedProgram> program = started_program(*files_, environment_, absolute_path(process_.exe, cwd_), cwd_);
    if (!program) return Unexpected{std::move(program).error()};
    if (program->path == absolute_path(process_.exe, cwd_)) return AssumedProgram{process_.exe, {}, {}};
    AssumedProgram assumed{std::move(program->path), say("process-script", {{"script", process_.exe}}), {}};
    std::vector<std::string> entries = program->environment.entries();
    std::erase_if(entries, [](const std::string& entry) { return !is_of_interest(entry); });
    if (entries != environment_.entries()) {
      assumed.reason = say("process-script-env", {{"script", process_.exe}});
      assumed.environment = Environment(std::move(entries));
    }
    return assumed;
  }
  // Something that can be started is asked about as such.
  const std::string path = absolute_path(target.name, cwd_);
  if (!target.opened && refused_) return *find_python(*files_, environment_, path, python_choice());
  if (!target.opened || target.opened->elf.has_interp) return AssumedProgram{};
  const bool is_module = is_python_module(*files_, path);
  // What a package opens with its own functions (torch.ops.load_library) is no module.
  if (!is_module && !is_of_python_package(*files_, path, target.opened->elf)) {
    if (!may_open_by_rpath_) return AssumedProgram{};
    AssumedProgram opener = opener_by_rpath(*files_, environment_, path, target.opened->elf, python_choice());
    is_opened_by_rpath_ = !opener.path.empty();
    return opener;
  }
  auto python = find_python(*files_, environment_, path, python_choice());
  if (python) {
    add_imported_before(*python, path, target.opened->elf);
    return std::move(*python);
  }
  if (!is_module) return AssumedProgram{};
  return AssumedProgram{{}, say("process-no-python"), {}};
}

Result<World::State::Prepared> World::State::prepare(const std::string& file) {
  if (auto error = read_settings()) return Unexpected{std::move(*error)};
  if (file.empty() && !live_) return Unexpected{usage_error("the name of a file is empty")};
  const bool is_python_of_use = !live_ && process_.exe.empty() && process_.opened_by == OpenedBy::WhoFits;
  if (is_python_of_use) {
    if (Result<std::string> named = named_interpreter(); !named) return Unexpected{std::move(named).error()};
  }
  Result<Target> target = find_target(file);
  if (!target) return Unexpected{std::move(target).error()};
  if (file.empty()) {
    const std::string name = target->name;
    return prepare_alone(name, std::move(target).value());
  }
  Result<AssumedProgram> program = choose_program(*target);
  if (!program) return Unexpected{std::move(program).error()};
  if (!program->path.empty()) {
    return prepare_in_process(std::move(target).value(), *program);
  }
  if (!process_.loaded.empty() || !process_.caller.empty() || process_.mode != OpenMode{}) {
    const std::string_view given = !process_.loaded.empty()   ? "--loaded"
                                   : !process_.caller.empty() ? "--caller"
                                                              : "--rtld";
    return Unexpected{usage_error(std::string(given) + " describes a process: --exe names its program")};
  }
  const std::string interpreter = target->argv0.empty() ? std::string() : target->name;
  const std::string argv0 = target->argv0.empty() ? file : target->argv0;
  Result<Prepared> prepared = target->opened ? prepare_alone(argv0, *std::move(target)) : prepare_library_name(file);
  if (!prepared) return prepared;
  if (!interpreter.empty()) {
    prepared->notes.push_back(say("note-script", {{"script", file}, {"program", interpreter}}));
  }
  prepared->has_open_process = process_.opened_by == OpenedBy::WhoFits && prepared->process.start == Start::Argument;
  if (!program->reason.empty()) prepared->notes.push_back(program->reason);
  if (const auto note = note_on_bare_name(file)) prepared->notes.push_back(*note);
  return prepared;
}

/// The environment of a start with `library` as the first preload.
static Environment preloading(const std::string& library, const Environment& environment) {
  constexpr std::string_view kVariable = "LD_PRELOAD=";
  std::vector<std::string> entries = {std::string(kVariable) + library};
  for (const std::string& entry : environment.entries()) {
    const bool is_preload = entry.starts_with(kVariable);
    if (is_preload) entries.front() += ":" + entry.substr(kVariable.size());
    if (!is_preload) entries.push_back(entry);
  }
  return Environment(std::move(entries));
}

/// musl's ldd(1) is its loader, started as a command: it opens the program itself, and takes no more than its own name
/// from PT_INTERP, whether or not that is there. nullptr: the program is started, which is how glibc's ldd(1) asks.
Result<std::shared_ptr<const System>> World::State::musl_that_lists(const ElfObject& object,
                                                                    const std::string& interpreter) {
  std::shared_ptr<const System> none;
  if (is_process_named() || process_.opened_by != OpenedBy::Ldd || !object.has_interp) return none;
  const std::string path = absolute_path(interpreter, cwd_);
  const auto is_musl = [&](const std::string& loader) {
    const Result<std::shared_ptr<const System>> system = system_for(loader, user_);
    return system && (*system)->rules.libc == Libc::Musl;
  };
  const auto is_no_glibc = [&](const std::string& loader) {
    return read_gcompat(*files_, loader, object.target) || is_musl(loader);
  };
  if (files_->status(path)) {
    return !read_gcompat(*files_, interpreter, object.target) && is_musl(interpreter) ? system_for(interpreter, user_)
                                                                                      : none;
  }
  const std::vector<std::string> musl = loaders_for(*files_, object.target, Libc::Musl);
  const std::vector<std::string> others = loaders_for(*files_, object.target, Libc::Glibc);
  if (musl.empty() || !std::all_of(others.begin(), others.end(), is_no_glibc)) return none;
  const auto named = std::make_shared<OverlayFileSystem>(files_of(user_));
  named->add_directory(directory_of(path));
  if (named->bind_file(path, files_, musl.front()) != Errno::None) return none;
  Result<System> system = read_system(named, interpreter, release_);
  if (!system) return Unexpected{std::move(system).error()};
  if (place_) system->layers = place_->layers;
  system->store = settings_.store;
  return std::make_shared<const System>(std::move(*system));
}

Result<World::State::Prepared> World::State::prepare_alone(const std::string& file, Target target) {
  Prepared prepared;
  prepared.opened = std::move(*target.opened);
  const ElfObject& object = prepared.opened.elf;
  prepared.is_dynamic = object.has_dynamic;
  prepared.file = target.name;
  prepared.process.argv0 = file;
  if (live_ && live_->exe_is_deleted) {
    prepared.notes.push_back(say("note-program-replaced", {{"program", live_->exe}}));
  }
  note_dump(prepared);
  // ldd(1) gives a PIE to the loader, which calls it "statically linked".
  const bool is_static = is_static_program(object) && (!object.has_dynamic || process_.opened_by != OpenedBy::Ldd);
  if (!object.has_dynamic || (is_static && !live_)) {
    prepared.is_dynamic = false;
    if (live_ || !is_static) return prepared;
    if (const std::uint64_t size = object.file_bytes; object.load_end() > size) {
      return Unexpected{Error{ErrorCode::Truncated, file, size, "ends before a segment that is loaded of it does"}};
    }
    refused_ = refusal_of_file(prepared.opened, file, {});
    if (!refused_) refused_ = refusal_of_machine(prepared.opened, file);
    if (refused_) return Unexpected{refused_->error()};
    return prepared;
  }
  if (!live_) refused_ = refusal_of_machine(prepared.opened, file);
  if (refused_) return Unexpected{refused_->error()};
  Result<std::string> loader = find_loader(*files_, object, file);
  if (!loader) return Unexpected{std::move(loader).error()};
  if (object.has_interp && !interpreter_instead_.empty()) loader = interpreter_instead_;
  Result<std::shared_ptr<const System>> lister = musl_that_lists(object, *loader);
  if (!lister) return Unexpected{std::move(lister).error()};
  if (!live_) refused_ = refusal_of_file(prepared.opened, file, *lister ? std::string() : *loader);
  if (refused_) return Unexpected{refused_->error()};
  if (*lister) {
    prepared.system = std::move(*lister);
    prepared.process.start = Start::Argument;
    if (auto error = fill_process(prepared, target.environment.value_or(environment_)))
      return Unexpected{std::move(*error)};
    return prepared;
  }
  const std::optional<Gcompat> stand_in =
      object.has_interp && !live_ ? read_gcompat(*files_, *loader, object.target) : std::nullopt;
  Environment environment = target.environment.value_or(environment_);
  if (stand_in) {
    prepared.notes.push_back(
        say("note-gcompat", {{"stand_in", *loader}, {"loader", stand_in->loader}, {"library", stand_in->library}}));
    loader = stand_in->loader;
    environment = preloading(stand_in->library, environment);
  }
  Result<ExecIdentity> identity = identity_of(object, *prepared.opened.file, file, prepared);
  if (!identity) return Unexpected{std::move(identity).error()};
  prepared.process.secure = identity->is_secure;
  Result<std::shared_ptr<const System>> system = system_for(*loader, identity->user);
  if (!system) {
    Error error = system.error();
    if (error.code == ErrorCode::NoLoader && object.has_interp) {
      error.path = file;
      error.message = no_interpreter(*loader);
    }
    return Unexpected{std::move(error)};
  }
  // Where only loaders of other machines are, nobody has compared them yet.
  const ElfTarget& theirs = (*system)->loader.target;
  if (theirs.machine != object.target.machine || theirs.elf_class != object.target.elf_class) {
    return Unexpected{Error{ErrorCode::NoLoader,
                            file,
                            {},
                            "no loader for " + describe(object.target) + " files is installed here: " + *loader +
                                " is for " + describe(theirs)}};
  }
  prepared.system = *system;
  prepared.process.start = object.has_interp ? Start::Kernel : Start::Argument;
  // As ldd(1) does, so that the loader takes it for a path.
  if (prepared.process.start == Start::Argument && prepared.file.find('/') == std::string::npos) {
    prepared.file = "./" + prepared.file;
  }
  if (auto error = fill_process(prepared, environment)) return Unexpected{std::move(*error)};
  return prepared;
}

/// The program starts; then it opens what it is said to have loaded, and the file.
Result<World::State::Prepared> World::State::prepare_in_process(Target target, const AssumedProgram& program) {
  Result<OpenedObject> opened =
      live_ ? open_live_program() : open_object(*files_, absolute_path(program.path, cwd_), program.path);
  if (!opened) return Unexpected{std::move(opened).error()};
  if (!opened->elf.has_dynamic) {
    return Unexpected{
        Error{ErrorCode::NotElf, program.path, {}, "is not dynamic: no loader is there to open anything in it"}};
  }
  Result<Prepared> prepared =
      prepare_alone(program.path, {program.path, std::move(opened).value(), program.environment});
  refused_.reset();  // the program was not asked about
  if (!prepared) return prepared;
  if (target.opened && !target.opened->elf.has_dynamic && !is_process_named()) prepared->is_dynamic = false;
  // Python opens modules by absolute paths.
  const bool is_assumed = process_.exe.empty() && !live_;
  const std::string name = target.opened && is_assumed    ? absolute_path(target.name, cwd_)
                           : is_library_name(target.name) ? target.name
                                                          : name_to_open(target.name);
  if (is_assumed) {
    prepared->assumed = assumed_process(program);
  } else if (!program.reason.empty()) {
    prepared->notes.push_back(say("note-opened-by", {{"program", program.path}, {"reason", program.reason}}));
  }
  // A module of Python is opened by its path, which the answer has.
  if (const auto note = note_on_bare_name(target.name); note && !is_assumed) prepared->notes.push_back(*note);
  if (auto error = add_live_objects(*prepared)) return Unexpected{std::move(*error)};
  prepared->dlopen_calls.insert(prepared->dlopen_calls.end(), program.loaded.begin(), program.loaded.end());
  for (OpenRequest loaded : process_.loaded) {
    loaded.file = name_to_open(loaded.file);
    prepared->dlopen_calls.push_back(std::move(loaded));
  }
  prepared->dlopen_calls.push_back({name, process_.mode, process_.caller});
  if (!process_.loaded.empty() || !program.loaded.empty()) prepared->settle();
  return prepared;
}

}  // namespace soresolve
