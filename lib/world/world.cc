// A question and its answer: the settings are read once, the file becomes a process, and that is walked. The rules of
// the loader are in lib/loader; nothing of a file is run.
#include "soresolve/world.h"

#include <algorithm>

#include "base/steady_file_system.h"
#include "cuda/driver_mount.h"
#include "loader/load.h"
#include "packages/package_owner.h"
#include "symbols/object_store.h"
#include "world/text_file.h"
#include "world/world_state.h"

namespace soresolve {

Result<OpenedLibrary> World::State::open_library(const std::string& name, std::optional<BareName> bare_name) {
  if (auto error = read_settings()) return Unexpected{std::move(*error)};
  process_ = settings_.process;
  process_.bare_name = bare_name.value_or(process_.bare_name);
  if (!is_library_name(name)) {
    Result<OpenedObject> file = open_object(*files_, absolute_path(name, cwd_), name);
    if (file) return OpenedLibrary{std::move(file).value(), name};
    if (file.error().code != ErrorCode::NotFound || name.find('/') != std::string::npos) {
      Error error = std::move(file).error();
      if (error.code == ErrorCode::NotElf) {
        if (auto hint = container_hint(*files_, absolute_path(name, cwd_), name)) {
          error.message = std::move(*hint);
          error.offset.reset();
        }
      }
      return Unexpected{std::move(error)};
    }
  }
  Result<Prepared> prepared = prepare_library_name(name);
  if (!prepared) return Unexpected{std::move(prepared).error()};
  Result<LinkMap> map = prepared->walk({});
  if (!map) return Unexpected{std::move(map).error()};
  const std::vector<Need>& needs = map->main().needs;
  // ld.so is loaded before anything is looked for.
  const ObjectIndex found = needs.empty() ? kNoObject : needs.back().target;
  const bool is_loader = found != kNoObject && map->objects[found].role == ObjectRole::Loader;
  if (is_loader || (found != kNoObject && needs.back().resolution == HowFound::Mapped)) {
    LoadedObject& object = map->objects[found];
    std::string path(is_loader ? std::string_view(map->system->loader_path) : object.path);
    if (object.file) return OpenedLibrary{{std::move(object.file), std::move(object.elf)}, std::move(path)};
    // A map keeps so many files open and no more: then it is opened anew, and read anew with it.
    map->objects.clear();
    Result<OpenedObject> opened = open_object(*files_, absolute_path(path, cwd_), path);
    if (!opened) return Unexpected{std::move(opened).error()};
    return OpenedLibrary{std::move(opened).value(), std::move(path)};
  }
  const LoadFailure* failure = map->first_fatal();
  if (failure == nullptr) return Unexpected{Error{ErrorCode::NotFound, name, {}, "is no library that can be found"}};
  // dlerror's message says which file it is about.
  const bool is_elsewhere = failure->object != name;
  return Unexpected{Error{ErrorCode::NotFound, is_elsewhere ? name : std::string(), {}, failure->dlerror_message()}};
}

Result<std::shared_ptr<const FileSystem>> World::State::files() {
  if (auto error = read_settings()) return Unexpected{std::move(*error)};
  return files_;
}

const std::shared_ptr<const PackageOwners>& World::State::owners() {
  if (!owners_) owners_ = std::make_shared<PackageOwners>(files_);
  return owners_;
}

bool World::State::has_file(const std::string& name) {
  return !name.empty() && !read_settings() && files_->status(absolute_path(name, cwd_)).has_value();
}

Result<Resolution> World::State::resolve(const std::string& asked, const ResolveOptions& options) {
  process_ = options.process.value_or(settings_.process);
  refused_.reset();
  static_program_.clear();
  is_opened_by_rpath_ = false;
  std::string file = asked;
  if (file.empty() && settings_.live.pid == 0 && settings_.live.core.empty() && !settings_.where.root.empty()) {
    Result<std::vector<std::string>> programs = entry_points();
    if (!programs) return Unexpected{std::move(programs).error()};
    if (!programs->empty()) file = std::move(programs->front());
  }
  const bool is_import = process_.asked_as == AskedAs::Import && !file.empty();
  Result<Prepared> prepared = is_import ? prepare_import(file, options.import_extent) : prepare(file);
  if (!prepared) return Unexpected{std::move(prepared).error()};
  if (!prepared->is_dynamic) {
    if (is_static_program(prepared->opened.elf)) static_program_ = file;
    if (static_program_.empty()) refused_ = refusal_of_other_file(absolute_path(file, cwd_), file);
    if (refused_) return Unexpected{refused_->error()};
    return Unexpected{Error{ErrorCode::NotDynamic, file, {}, "is not dynamic: no loader is involved"}};
  }
  if (!options.dlopen_calls.empty()) prepared->dlopen_calls = options.dlopen_calls;
  const bool has_open_process = prepared->has_open_process && options.dlopen_calls.empty();
  const bool is_by_rpath = is_opened_by_rpath_ && options.dlopen_calls.empty();
  Result<Resolution> run = walk(std::move(prepared).value(), file, options);
  if (run && is_by_rpath) {
    if (std::optional<Result<Resolution>> alone = resolve_without_rpath(*run, file, options)) return std::move(*alone);
  }
  if (!run || !has_open_process) return run;
  std::optional<Result<Resolution>> better = resolve_where_it_belongs(*run, file, options);
  return better ? std::move(*better) : std::move(run);
}

Result<Resolution> World::State::walk(Prepared prepared, const std::string& file, const ResolveOptions& options) {
  LoadOptions load_options;
  load_options.attempts = options.attempts;
  load_options.on_fatal = options.on_fatal;
  load_options.log = settings_.log.get();
  log_process(prepared);
  std::optional<PythonImport> import = std::move(prepared.import);
  ImportEnd import_end = std::move(prepared.import_end);
  std::string shown = file.empty() ? prepared.file : file;
  Result<LinkMap> map = prepared.walk(std::move(load_options));
  if (!map) return Unexpected{std::move(map).error()};
  const BindOptions binding{.jobs = options.jobs, .own = options.references};
  if (import) {
    map->import = import->module;
    // Whatever the sources raise: nobody runs them in a program that does not start.
    if (!live_ && (map->dlopen_calls_left != 0 || (map->requested.empty() && !does_start(*map)))) {
      map->dlopen_calls_left = std::max<std::size_t>(map->dlopen_calls_left, 1);
      import->exception.clear();
      import->raised_by.clear();
      import->other_python.clear();
      import->steps.clear();
      import_end = {};
    }
    shown = map->requested.empty() ? import->interpreter : map->requested.back().file;
    return Resolution(std::move(*map), std::move(shown), std::move(*import), binding, std::move(import_end));
  }
  return Resolution(std::move(*map), std::move(shown), binding);
}

Result<std::shared_ptr<const System>> World::State::system() {
  if (auto error = read_settings()) return Unexpected{std::move(*error)};
  Result<Prepared> prepared = live_ ? prepare({}) : prepare_library_name("libc.so.6");
  if (!prepared) return Unexpected{std::move(prepared).error()};
  return std::move(prepared->system);
}

std::shared_ptr<ObjectStore> make_object_store() { return std::make_shared<ObjectStore>(); }
std::shared_ptr<KnownTree> make_known_tree() { return std::make_shared<KnownTree>(); }

World::World(WorldSettings settings) : state_(std::make_unique<State>(std::move(settings))) {}
World World::host(WorldSettings settings) {
  const HostFacts& host = settings.host;
  const bool is_set = host.cwd != HostFacts{}.cwd || !host.platform.empty() || !host.kernel_release.empty() ||
                      host.user != User{} || host.processors != nullptr;
  if (!is_set) settings.host = read_host_facts();
  return World(std::move(settings));
}
World World::root(std::string place, WorldSettings settings) {
  settings.where.root = std::move(place);
  return host(std::move(settings));
}
World World::of_process(int pid, WorldSettings settings) {
  settings.live.pid = pid;
  return host(std::move(settings));
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

Result<Resolution> World::resolve(const std::string& file, const ResolveOptions& options) {
  return state_->resolve(file, options);
}
Result<Resolution> World::resolve_running(const ResolveOptions& options) { return state_->resolve_running(options); }
Result<std::shared_ptr<const System>> World::system() { return state_->system(); }
Result<OpenedLibrary> World::open_library(const std::string& name, std::optional<BareName> bare_name) {
  return state_->open_library(name, bare_name);
}
bool World::has_file(const std::string& name) { return state_->has_file(name); }
Result<std::shared_ptr<const FileSystem>> World::files() { return state_->files(); }
std::shared_ptr<const PackageOwners> World::owners() { return state_->files() ? state_->owners() : nullptr; }
std::shared_ptr<const Place> World::place() { return state_->files() ? state_->place_ : nullptr; }
std::shared_ptr<const DriverMount> World::driver() { return state_->files() ? state_->driver_ : nullptr; }
const std::string& World::root_name() const { return state_->settings_.where.root; }
const std::string& World::cwd() const { return state_->cwd_; }
Result<std::vector<std::string>> World::entry_points() { return state_->entry_points(); }
std::optional<Diagnosis> World::refusal(RefusalFixes fixes) { return state_->refusal(fixes); }
std::string World::absolute(const std::string& file) const { return absolute_path(file, state_->cwd_); }
std::vector<Error> World::take_warnings() { return std::exchange(state_->warnings_, {}); }

}  // namespace soresolve
