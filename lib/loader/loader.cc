// load() itself, $ORIGIN of an object, and LoneSearcher: one name searched as if nothing else were loaded. Source:
// glibc 2.36 elf/dl-origin.c:_dl_get_origin, elf/dl-load.c:_dl_map_object. The walk is in walk.cc.
#include "loader/load.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "base/path.h"
#include "loader/live_process.h"
#include "loader/musl_walk.h"
#include "loader/process.h"
#include "loader/system.h"
#include "loader/walk.h"

namespace soresolve {

Result<OpenedObject> open_object(const FileSystem& files, std::string_view path, std::string_view shown) {
  Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file) {
    const bool is_absent = file.error() == static_cast<Errno>(ENOENT);
    return Unexpected{Error{is_absent ? ErrorCode::NotFound : ErrorCode::Unreadable,
                            std::string(shown),
                            {},
                            errno_text(file.error(), ErrnoText::FromDlerror)}};
  }
  Result<ElfObject> elf = DynamicReader::read_file(**file, shown);
  if (!elf) return Unexpected{std::move(elf).error()};
  return OpenedObject{std::move(file).value(), std::move(elf).value()};
}

Result<LinkMap> load(std::shared_ptr<const System> system, std::shared_ptr<const Process> process,
                     std::string_view file, OpenedObject opened, const LoadOptions& options) {
  if (system->rules.libc == Libc::Musl) {
    return MuslWalk(std::move(system), std::move(process), options).run(file, std::move(opened));
  }
  return Walk(std::move(system), std::move(process), options).run(file, std::move(opened));
}

Result<LinkMap> load(std::shared_ptr<const System> system, std::shared_ptr<const Process> process,
                     std::string_view file, const LoadOptions& options) {
  OpenedObject opened;
  if (process->start != Start::Dlopen) {
    Result<OpenedObject> root = open_object(*system->files, absolute_path(file, process->cwd), file);
    if (!root) return Unexpected{std::move(root).error()};
    opened = std::move(root).value();
  }
  return load(std::move(system), std::move(process), file, std::move(opened), options);
}

std::optional<std::string> origin_of(const LinkMap& map, ObjectIndex object) {
  const LoadedObject& owner = map.objects[object];
  if (owner.live != nullptr && owner.live->origin) return owner.live->origin;
  if (object != 0) return std::string(directory_of(absolute_path(owner.path, map.process->cwd)));
  if (map.main_path.empty()) return std::nullopt;
  if (map.process->live) {
    if (map.process->live->origin_state == LiveOrigin::Known) return map.process->live->origin;
    if (map.process->live->origin_state == LiveOrigin::None) return std::nullopt;
    if (map.process->has_proc) return std::string(directory_of(map.process->live->exe));
  }
  const bool is_real = map.process->start == Start::Kernel || map.system->rules.origin_of_argument_is_real;
  if (is_real && map.process->has_proc) {
    const Result<std::string, Errno> real = map.system->files->real_path(map.main_path);
    if (!real) return map.process->exe_directory;
    return std::string(directory_of(*real));
  }
  if (map.process->start == Start::Argument) return std::string(directory_of(map.main_path));
  // Without /proc only the variable helps (elf/dl-origin.c).
  const auto variable = map.process->environment.value("LD_ORIGIN_PATH");
  if (!variable || map.process->secure) return std::nullopt;
  std::string origin(*variable);
  while (origin.size() > 1 && origin.ends_with('/')) origin.pop_back();
  return origin;
}

std::string own_program(const LinkMap& map) {
  return map.process->start == Start::Argument ? map.system->loader_path : map.main_path;
}

bool ends_program(const LinkMap& map) { return map.process->start == Start::Kernel && map.subject() == 0; }

struct LoneSearcher::State {
  explicit State(const LinkMap& from)
      : system(*from.system), process(*from.process), map(from), search(system, process),
        lists(system, process, search.directories()) {
    search.set_program(own_program(from));
    if (const auto value = lists.library_path()) {
      search.set_library_path(*value, lists.token_values(from, 0));
    }
  }

  SearchResult run(ObjectIndex needer, std::string_view name, PastFirst past_first, SearchTrace* trace) {
    SearchRequest request = lists.make_request(map, needer, name);
    request.goes_on_after_hit = past_first == PastFirst::Continue;
    return search.search(request, trace);
  }

  /// Whose lists a search by `needer` uses: its own number, or kNoObject when neither it nor anyone
  /// above it has any, as for most system libraries.
  ObjectIndex list_owner(ObjectIndex needer) const {
    const auto has_lists = [&](ObjectIndex at) {
      const ElfObject& elf = map.objects[at].elf;
      return elf.rpath || elf.runpath || elf.is_no_default_lib();
    };
    std::size_t steps = 0;
    for (ObjectIndex at = needer; at != kNoObject && steps <= map.objects.size();
         at = map.objects[at].loader, ++steps) {
      if (has_lists(at)) return needer;
    }
    return has_lists(0) ? needer : kNoObject;
  }

  Result<FileStatus, Errno> status_of(std::string_view path) const {
    return system.files->status(absolute_path(path, process.cwd));
  }

  const System& system;
  const Process& process;
  const LinkMap& map;
  NameSearch search;
  SearchLists lists;
  std::map<std::pair<ObjectIndex, std::string>, LoneSearch> alone;  ///< by owner of lists, and name
};

LoneSearcher::LoneSearcher(const LinkMap& map) : state_(std::make_unique<State>(map)) {}
LoneSearcher::~LoneSearcher() = default;

bool LoneSearcher::is_spent() const { return state_->search.is_spent(); }

LoneSearch LoneSearcher::search(ObjectIndex needer, std::string_view name, PastFirst past_first) {
  LoneSearch lone;
  state_->search.forget_traces();
  const SearchResult result = state_->run(needer, name, past_first, &lone.trace);
  lone.outcome = result.outcome;
  if (is_found(result.outcome)) lone.path = std::string(result.path);
  return lone;
}

const LoneSearch* LoneSearcher::alone(ObjectIndex needer, const Need& need) {
  if (need.resolution != HowFound::ByName && need.resolution != HowFound::BySoname) {
    return nullptr;
  }
  // ld.so, the vDSO and the program are there before any search.
  if (need.target == kNoObject || state_->map.objects[need.target].role != ObjectRole::Library) {
    return nullptr;
  }
  if (need.name.find('/') != std::string_view::npos) return nullptr;
  const ObjectIndex owner = state_->list_owner(needer);
  const LoadedObject& target = state_->map.objects[need.target];
  const bool is_found_by_all = target.found.step == SearchStep::LibraryPath || target.found.step == SearchStep::Cache ||
                               target.found.step == SearchStep::DefaultDirs;
  // What was found under the same name in places that every object searches, one without lists of
  // its own finds there, too.
  if (owner == kNoObject && is_found_by_all && target.requested_name == need.name) return nullptr;
  const auto [at, is_new] = state_->alone.try_emplace({owner, std::string(need.name)});
  if (is_new) {
    const SearchResult result = state_->run(needer, need.name, PastFirst::Stop, nullptr);
    at->second.outcome = result.outcome;
    if (is_found(result.outcome)) at->second.path = std::string(result.path);
  }
  return &at->second;
}

bool LoneSearcher::is_fragile(ObjectIndex needer, const Need& need) {
  const LoneSearch* lone = alone(needer, need);
  // Nothing is known of what was not looked for.
  return !is_spent() && lone != nullptr && !is_found(lone->outcome);
}

std::string LoneSearcher::other_choice(ObjectIndex needer, const Need& need) {
  const LoneSearch* lone = alone(needer, need);
  if (lone == nullptr || !is_found(lone->outcome)) return {};
  const LoadedObject& target = state_->map.objects[need.target];
  if (lone->path == target.path) return {};
  const Result<FileStatus, Errno> status = state_->status_of(lone->path);
  return status && status->id != target.status.id ? lone->path : std::string();
}

}  // namespace soresolve
