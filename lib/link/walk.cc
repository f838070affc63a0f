#include "link/walk.h"

#include <elf.h>

#include <algorithm>

#include "elf/dynamic_reader.h"
#include "link/preload.h"

namespace soresolve {
namespace {

/// A filtee may be walked a second time when another object asks for it, or be loaded again when the
/// first copy is out of sight; it comes to this often only in a circle.
constexpr std::uint8_t kMaxRounds = 32;
constexpr std::string_view kCircle =
    "DT_AUXILIARY or DT_FILTER lead in a circle: the loader runs out of stack";

/// SONAME of the kernel's virtual object (Linux arch/*/vdso).
std::string_view vdso_soname(std::uint16_t machine) {
  switch (machine) {
    case EM_386: return "linux-gate.so.1";
    case EM_PPC64:
    case EM_S390: return "linux-vdso64.so.1";
    case EM_PPC: return "linux-vdso32.so.1";
    default: return "linux-vdso.so.1";
  }
}

}  // namespace

Walk::Walk(const System& system, const Process& process, const LoadOptions& options)
    : system_(system), process_(process), options_(options), search_(system, process) {}

void Walk::log(std::string_view text) const {
  if (options_.log != nullptr) options_.log->line(text);
}

std::string_view Walk::keep(std::string_view text) { return map_.text.keep(text); }

ObjectIndex Walk::add_object(LoadedObject object) {
  const ObjectIndex index = static_cast<ObjectIndex>(map_.objects.size());
  map_.objects.push_back(std::move(object));
  is_queued_.push_back(false);
  is_before_main_.push_back(false);
  lists_.push_back(nullptr);
  list_.push_back(index);
  if (map_.objects.size() > kMaxObjects && !error_) {
    error_ = Error{ErrorCode::LimitReached, std::string(map_.main().name()), {},
                   "needs more than " + std::to_string(kMaxObjects) + " objects"};
    is_over_ = true;
  }
  return index;
}

void Walk::add_name(ObjectIndex object, std::string_view name) {
  LoadedObject& to = map_.objects[object];
  if (name == to.requested_name) return;
  if (std::find(to.other_names.begin(), to.other_names.end(), name) != to.other_names.end()) return;
  to.other_names.push_back(name);
  index_.add(name, object);
}

void Walk::keep_file(LoadedObject& object, std::unique_ptr<File> file) {
  if (open_files_ >= kMaxOpenFiles) return;
  ++open_files_;
  object.file = std::move(file);
}

Result<LinkMap> Walk::run(std::string_view file, OpenedObject opened) {
  map_.objects.reserve(256);
  if (auto error = start_main(file, std::move(opened))) return Unexpected{std::move(*error)};
  add_loader();
  add_vdso();
  // LD_LIBRARY_PATH is split once, with the program's tokens; AT_SECURE drops it.
  if (const auto value = process_.environment.value("LD_LIBRARY_PATH"); value && !process_.secure) {
    search_.set_library_path(keep(*value), token_values(map_, 0));
  }
  note_auditors();
  load_preloads();
  if (auto error = queue_roots(file)) return Unexpected{std::move(*error)};
  walk_dependencies();
  if (error_) return Unexpected{std::move(*error_)};
  place_loader();
  if (!is_over_) check_version_files();
  return std::move(map_);
}

// ------------------------------------------------------------------------------- start-up

std::optional<Error> Walk::start_main(std::string_view file, OpenedObject opened) {
  LoadedObject object;
  object.role = ObjectRole::Main;
  if (process_.start == Start::Dlopen) {
    object.given_name = "(a program without search tags)";
  } else {
    if (process_.start == Start::Argument) {
      if (auto error = accept_argument(opened, file)) return error;
      object.requested_name = keep(file);
    }
    object.given_name = process_.argv0.empty() ? std::string(file) : process_.argv0;
    // The loader's own idea of the path: $ORIGIN starts from it.
    map_.main_path = absolute_path(file, process_.cwd);
    object.status = opened.file->status();
    object.elf = std::move(opened.elf);
    keep_file(object, std::move(opened.file));
  }
  add_object(std::move(object));
  index_.add("", 0);
  const LoadedObject& main = map_.objects[0];
  if (!main.requested_name.empty()) index_.add(main.requested_name, 0);
  if (main.elf.soname) index_.add(*main.elf.soname, 0);
  return std::nullopt;
}

/// As the argument of ld.so the file has to pass the loader's own tests, not only the kernel's.
std::optional<Error> Walk::accept_argument(const OpenedObject& opened,
                                           std::string_view file) const {
  ImageReader reader(*opened.file);
  Acceptance acceptance = verify_candidate(reader, system_.rules, OpenedAs::Program, 0);
  if (acceptance.outcome == Outcome::Loaded) {
    const ElfHeader header =
        reader.header(system_.rules.target.elf_class, system_.rules.target.byte_order);
    acceptance = check_mapping(reader, header, system_.rules, OpenedAs::Program);
  }
  if (acceptance.outcome == Outcome::Loaded) return std::nullopt;
  if (!acceptance.text.empty() || !acceptance.reason.empty()) {
    return Error{ErrorCode::Malformed, std::string(file), {},
                 "the loader refuses it: " + (acceptance.text.empty()
                                                  ? acceptance.reason
                                                  : std::string(acceptance.text))};
  }
  return Error{ErrorCode::Unsupported, std::string(file), {},
               "is " + describe(opened.elf.target) + ", not for the loader " +
                   system_.loader_path};
}

void Walk::add_loader() {
  LoadedObject object;
  object.role = ObjectRole::Loader;
  object.path = system_.loader_path;
  const LoadedObject& main = map_.objects[0];
  object.requested_name =
      main.elf.has_interp ? main.elf.interp : std::string_view(system_.loader_path);
  object.elf.target = system_.loader.target;
  object.elf.type = system_.loader.type;
  const std::optional<std::string_view> soname = system_.loader.soname;
  loader_object_ = add_object(std::move(object));
  index_.add(system_.loader_path, loader_object_);
  index_.add(map_.objects[loader_object_].requested_name, loader_object_);
  if (soname) {
    map_.objects[loader_object_].elf.soname = *soname;
    add_name(loader_object_, *soname);
  }
}

void Walk::add_vdso() {
  LoadedObject object;
  object.role = ObjectRole::Vdso;
  object.requested_name = vdso_soname(system_.rules.target.machine);
  object.path = object.requested_name;
  object.elf.target = system_.rules.target;
  const ObjectIndex index = add_object(std::move(object));
  index_.add(vdso_soname(system_.rules.target.machine), index);
}

void Walk::note_auditors() {
  const auto note = [&](std::string_view what, std::string_view value) {
    map_.notes.push_back("audit modules (" + std::string(what) + "=" + std::string(value) +
                         ") can change every answer; they are not run here");
  };
  if (const auto audit = process_.environment.value("LD_AUDIT"); audit && !audit->empty()) {
    note("LD_AUDIT", *audit);
  }
  const ElfObject& main = map_.objects[0].elf;
  if (main.audit && !main.audit->empty()) note("DT_AUDIT", *main.audit);
  if (main.depaudit && !main.depaudit->empty()) note("DT_DEPAUDIT", *main.depaudit);
}

void Walk::load_preloads() {
  std::vector<PreloadName> names;
  if (const auto value = process_.environment.value(kPreloadVariable)) {
    names = parse_preload_variable(*value, process_.secure);
  }
  if (system_.preload_file) {
    for (PreloadName& name : parse_preload_file(*system_.preload_file)) {
      names.push_back(std::move(name));
    }
  }
  for (const PreloadName& preload : names) {
    if (is_over_) return;
    const std::size_t failures = map_.failures.size();
    request(0, NeedKind::Preload, keep(preload.name));
    for (std::size_t i = failures; i < map_.failures.size(); ++i) {
      LoadFailure& failure = map_.failures[i];
      if (failure.kind != LoadFailure::Kind::PreloadIgnored) continue;
      failure.text = "ERROR: ld.so: object '" + preload.name + "' from " +
                     std::string(preload.source) + " cannot be preloaded (" + failure.text +
                     "): ignored.";
    }
  }
}

std::optional<Error> Walk::queue_roots(std::string_view file) {
  if (process_.start == Start::Dlopen) {
    const Resolved opened = request(0, NeedKind::Dlopen, keep(file));
    if (opened.object != kNoObject) append_to_queue(opened.object);
    return std::nullopt;
  }
  append_to_queue(0);
  for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
    if (map_.objects[i].role == ObjectRole::Library) append_to_queue(i);  // preloads
  }
  return std::nullopt;
}

// ------------------------------------------------------------------------------- the queue

void Walk::append_to_queue(ObjectIndex object) {
  queue_.push_back({object, false, -1});
  const int node = static_cast<int>(queue_.size()) - 1;
  if (queue_tail_ >= 0) queue_[static_cast<std::size_t>(queue_tail_)].next = node;
  queue_tail_ = node;
  is_queued_[object] = true;
}

void Walk::walk_dependencies() {
  const auto at = [&](int node) -> QueueNode& { return queue_[static_cast<std::size_t>(node)]; };
  int node = queue_.empty() ? -1 : 0;
  while (node >= 0 && !is_over_) {
    at(node).is_done = true;
    const ObjectIndex object = at(node).object;
    if (walks_.size() <= object) walks_.resize(map_.objects.size());
    if (++walks_[object] > kMaxRounds) {
      give_up_circle(object);
      break;
    }
    int insert_at = node;
    const std::size_t count = map_.objects[object].elf.needs.size();
    map_.objects[object].needs.reserve(count + map_.objects[object].needs.size());
    for (std::size_t i = 0; i < count && !is_over_; ++i) {
      const NeedEntry entry = map_.objects[object].elf.needs[i];
      if (entry.kind == NeedKind::Needed) {
        const Resolved resolved = request(object, entry.kind, entry.name);
        if (resolved.object != kNoObject && !is_queued_[resolved.object]) {
          append_to_queue(resolved.object);
        }
      } else {
        insert_at = follow_filter(insert_at, entry);
      }
    }
    // A filtee took this node's place in the queue: it is still to be walked.
    if (!at(node).is_done) continue;
    do {
      node = at(node).next;
    } while (node >= 0 && at(node).is_done);
  }
  for (int n = queue_.empty() ? -1 : 0; n >= 0; n = at(n).next) {
    if (map_.objects[at(n).object].role != ObjectRole::Placeholder) {
      map_.search_list.push_back(at(n).object);
    }
  }
}

/// Filters that lead back to themselves: each filtee is walked again and again, and each round takes
/// of the loader's stack (alloca in elf/dl-deps.c) until it dies.
void Walk::give_up_circle(ObjectIndex object) {
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::Crash;
  failure.needer = object;
  failure.object = std::string(map_.objects[object].name());
  failure.text = std::string(kCircle);
  failure.is_fatal_in_trace = true;
  map_.failures.push_back(std::move(failure));
  is_over_ = true;
}

/// DT_AUXILIARY and DT_FILTER put their object in front of the one that has the tag: the node at
/// `node` is copied behind itself and then taken over. Returns the node of the tag's owner.
int Walk::follow_filter(int node, const NeedEntry& entry) {
  const auto at = [&](int n) -> QueueNode& { return queue_[static_cast<std::size_t>(n)]; };
  const ObjectIndex owner = at(node).object;
  const Resolved resolved = request(owner, entry.kind, entry.name);
  if (resolved.object == kNoObject) return node;
  const ObjectIndex filtee = resolved.object;

  queue_.push_back(at(node));
  const int copy = static_cast<int>(queue_.size()) - 1;
  at(node).is_done = false;
  at(node).object = filtee;
  if (is_queued_[filtee]) {
    int before = copy;
    while (at(before).next >= 0 && at(at(before).next).object != filtee) before = at(before).next;
    if (at(before).next < 0) {
      at(node) = at(copy);  // it stands earlier already: undo
      return node;
    }
    at(node).next = copy;
    if (queue_tail_ == at(before).next) queue_tail_ = before;
    at(before).next = at(at(before).next).next;
  } else {
    at(node).next = copy;
    is_queued_[filtee] = true;
  }
  move_before(filtee, owner);
  if (queue_tail_ == node) queue_tail_ = copy;
  return copy;
}

/// Moves an object in the namespace list. In front of the program it is out of sight: every walk
/// over the list starts at the program.
void Walk::move_before(ObjectIndex moved, ObjectIndex anchor) {
  if (moved == anchor) return;
  list_.erase(std::find(list_.begin(), list_.end(), moved));
  list_.insert(std::find(list_.begin(), list_.end(), anchor), moved);
  is_before_main_[moved] = anchor == 0 || is_before_main_[anchor];
}

// ------------------------------------------------------------------------------- one request

std::optional<ObjectIndex> Walk::find_loaded(std::string_view name, Resolution& how) {
  ObjectIndex found = index_.find(name);
  if (found == NameIndex::kSeveral || (found != kNoObject && is_before_main_[found])) {
    const std::vector<ObjectIndex> all = index_.find_all(name);
    found = kNoObject;
    for (const ObjectIndex object : list_) {
      if (is_before_main_[object]) continue;
      if (std::find(all.begin(), all.end(), object) == all.end()) continue;
      found = object;
      break;
    }
  }
  if (found == kNoObject) return std::nullopt;
  const LoadedObject& object = map_.objects[found];
  if (name == object.path && object.role != ObjectRole::Main) {
    how = Resolution::ByPath;
  } else if (object.elf.soname && name == *object.elf.soname && name != object.requested_name) {
    how = Resolution::BySoname;
    add_name(found, name);
  } else {
    how = Resolution::ByName;
  }
  return found;
}

std::optional<ObjectIndex> Walk::find_same_file(const FileId& id) const {
  // The program's and ld.so's own files are not recorded. First in list order, if several match:
  // that takes a filter that hides one, so the order of loading serves.
  std::optional<ObjectIndex> found;
  const auto [first, last] = by_inode_.equal_range(id.inode);
  for (auto at = first; at != last; ++at) {
    const ObjectIndex object = at->second;
    if (map_.objects[object].status.id != id || is_before_main_[object]) continue;
    if (!found || object < *found) found = object;
  }
  return found;
}

/// How many objects of this file a filter has moved out of sight.
std::size_t Walk::count_hidden_copies(const FileId& id) const {
  std::size_t count = 0;
  const auto [first, last] = by_inode_.equal_range(id.inode);
  for (auto at = first; at != last; ++at) {
    if (is_before_main_[at->second] && map_.objects[at->second].status.id == id) ++count;
  }
  return count;
}

/// The name to look for; nullopt when there is none, with `resolved` filled in.
std::optional<std::string_view> Walk::expand_need(ObjectIndex needer, NeedKind kind,
                                                  std::string_view written, Resolved& resolved) {
  if (kind == NeedKind::Preload || kind == NeedKind::Dlopen || count_tokens(written) == 0) {
    return written;
  }
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::Token;
  failure.needer = needer;
  failure.need = static_cast<std::uint32_t>(map_.objects[needer].needs.size());
  failure.object = std::string(written);
  failure.is_fatal_in_trace = true;
  if (process_.secure) {
    failure.text = "DST not allowed in SUID/SGID programs";
  } else if (const auto name = expand_tokens(written, token_values(map_, needer));
             name && !name->empty()) {
    return keep(*name);
  } else if (kind == NeedKind::Auxiliary) {
    // Only here is the empty name an error; the flag is passed the wrong way round in dl-deps.c.
    failure.text = "empty dynamic string token substitution";
  } else {
    resolved.resolution = Resolution::EmptyToken;
    return std::nullopt;
  }
  map_.failures.push_back(std::move(failure));
  if (options_.on_fatal == OnFatal::Stop) is_over_ = true;
  resolved.resolution = Resolution::Failed;
  return std::nullopt;
}

Walk::Resolved Walk::request(ObjectIndex needer, NeedKind kind, std::string_view written) {
  Need need;
  need.kind = kind;
  need.written = written;
  need.name = written;
  const std::uint32_t need_index = static_cast<std::uint32_t>(map_.objects[needer].needs.size());
  if (options_.attempts == Attempts::Record) {
    need.trace = static_cast<std::uint32_t>(map_.traces.size());
    map_.traces.emplace_back();
  }
  Resolved resolved;
  if (const auto name = expand_need(needer, kind, written, resolved)) {
    need.name = *name;
    Resolution how = Resolution::ByName;
    if (const auto loaded = find_loaded(need.name, how)) {
      resolved = {*loaded, how};
      if (options_.attempts == Attempts::Record) {
        Attempt attempt;
        attempt.step = SearchStep::AlreadyLoaded;
        attempt.outcome = Outcome::AlreadyLoaded;
        attempt.candidate = map_.objects[*loaded].path;
        attempt.text = std::string(name_of(how));
        map_.traces[need.trace].attempts.push_back(std::move(attempt));
      }
    } else {
      resolved = search_and_map(needer, need, need_index);
    }
  }
  need.target = resolved.object;
  need.resolution = resolved.resolution;
  map_.objects[needer].needs.push_back(need);
  return resolved;
}

Walk::Resolved Walk::search_and_map(ObjectIndex needer, Need& need, std::uint32_t need_index) {
  SearchTrace* trace =
      options_.attempts == Attempts::Record ? &map_.traces[need.trace] : nullptr;
  std::string_view to_open = need.name;
  // Preloads and dlopen keep their name as it is; only a path to open is expanded.
  const bool is_late = need.kind == NeedKind::Preload || need.kind == NeedKind::Dlopen;
  if (is_late && to_open.find('/') != std::string_view::npos && count_tokens(to_open) != 0) {
    to_open = keep(expand_tokens(to_open, token_values(map_, needer)).value_or(std::string()));
    if (to_open.empty()) to_open = "/";  // open("") and open("/…") both come to nothing
  }
  SearchRequest request = make_request(map_, needer, to_open, chain_);
  request.is_secure_preload = need.kind == NeedKind::Preload && process_.secure;
  SearchResult found = search_.search(request, trace);
  if (options_.log != nullptr) {
    log("find " + std::string(need.name) + " for " +
        std::string(map_.objects[needer].name()) + ": " +
        (found.outcome == Outcome::Loaded ? std::string(found.path) : std::string(name_of(found.outcome))));
  }
  if (found.outcome == Outcome::Loaded) return map_found_file(needer, need, need_index, found);

  LoadFailure failure;
  failure.error = found.error;
  switch (found.outcome) {
    case Outcome::Fatal:
      failure.kind = LoadFailure::Kind::FatalFile;
      failure.object = std::string(found.path);
      failure.text = std::string(found.text);
      break;
    case Outcome::WouldCrash:
    case Outcome::WouldBlock:
      failure.kind = found.outcome == Outcome::WouldCrash ? LoadFailure::Kind::Crash
                                                          : LoadFailure::Kind::Block;
      failure.object = std::string(found.path);
      failure.text = found.reason;
      failure.error = Errno::None;
      break;
    case Outcome::WrongClass:
      failure.kind = LoadFailure::Kind::WrongClass;
      failure.object = std::string(need.name);
      failure.text = system_.rules.target.elf_class == ElfClass::Elf64
                         ? "wrong ELF class: ELFCLASS32"
                         : "wrong ELF class: ELFCLASS64";
      break;
    default:
      failure.kind = LoadFailure::Kind::Missing;
      failure.object = std::string(need.name);
      failure.text = "cannot open shared object file";
  }
  return give_up(needer, need, need_index, std::move(failure));
}

Walk::Resolved Walk::map_found_file(ObjectIndex needer, Need& need, std::uint32_t need_index,
                                    SearchResult& found) {
  Attempt* attempt = options_.attempts == Attempts::Record
                         ? &map_.traces[need.trace].attempts.back()
                         : nullptr;
  const FileStatus status = search_.file().status();
  if (const auto same = find_same_file(status.id)) {
    if (attempt != nullptr) attempt->outcome = Outcome::SameFile;
    add_name(*same, need.name);
    return {*same, Resolution::ByFile};
  }
  const auto refuse = [&](LoadFailure::Kind kind, std::string text, Errno error) {
    if (attempt != nullptr) {
      attempt->outcome =
          kind == LoadFailure::Kind::Crash ? Outcome::WouldCrash : Outcome::Fatal;
      attempt->text = text;
    }
    LoadFailure failure;
    failure.kind = kind;
    // From here on the loader names what was asked for, not the file.
    failure.object = kind == LoadFailure::Kind::Crash ? std::string(found.path) : std::string(need.name);
    failure.text = std::move(text);
    failure.error = error;
    return give_up(needer, need, need_index, std::move(failure));
  };
  if (count_hidden_copies(status.id) > kMaxRounds) {
    return refuse(LoadFailure::Kind::Crash, std::string(kCircle), Errno::None);
  }
  const LoaderRules& rules = system_.rules;
  ImageReader& reader = search_.reader();
  const ElfHeader header = reader.header(rules.target.elf_class, rules.target.byte_order);
  Acceptance acceptance = check_mapping(reader, header, rules, OpenedAs::Library);
  if (acceptance.outcome == Outcome::WouldCrash) {
    return refuse(LoadFailure::Kind::Crash, std::move(acceptance.reason), Errno::None);
  }
  if (acceptance.outcome != Outcome::Loaded) {
    return refuse(LoadFailure::Kind::FatalFile, std::string(acceptance.text), acceptance.error);
  }
  Result<ElfObject> elf = DynamicReader::read(reader, header, found.path, scratch_);
  if (!elf) {
    if (elf.error().code == ErrorCode::LimitReached) {
      error_ = elf.error();
      is_over_ = true;
    }
    return refuse(LoadFailure::Kind::Crash, elf.error().message, Errno::None);
  }
  acceptance = check_dynamic(*elf, rules, OpenedAs::Library);
  if (acceptance.outcome == Outcome::Loaded && need.kind == NeedKind::Dlopen &&
      elf->is_no_dlopen()) {
    acceptance = {Outcome::Fatal, "shared object cannot be dlopen()ed", Errno::None, {}};
  }
  if (acceptance.outcome != Outcome::Loaded) {
    return refuse(LoadFailure::Kind::FatalFile, std::string(acceptance.text), acceptance.error);
  }

  LoadedObject object;
  object.role = ObjectRole::Library;
  object.path = keep(found.path);
  object.requested_name = need.name;
  object.elf = std::move(elf).value();
  object.status = status;
  object.loader = need.kind == NeedKind::Dlopen ? kNoObject : needer;
  object.found = {found.step, found.owner, found.entry, {}};
  if (!found.subdirectory.empty()) object.found.subdirectory = keep(found.subdirectory);
  keep_file(object, search_.take_file());
  const ObjectIndex index = add_object(std::move(object));
  by_inode_.emplace(status.id.inode, index);
  index_.add(need.name, index);
  index_.add(map_.objects[index].path, index);
  if (map_.objects[index].elf.soname) index_.add(*map_.objects[index].elf.soname, index);
  return {index, Resolution::Mapped};
}

/// What trace mode does instead of failing: a placeholder for what is merely not found. Preloads are
/// passed over; everything else ends the walk, or is replaced by a placeholder if it is to go on.
Walk::Resolved Walk::give_up(ObjectIndex needer, const Need& need, std::uint32_t need_index,
                             LoadFailure failure) {
  const bool is_mild = failure.kind == LoadFailure::Kind::Missing ||
                       failure.kind == LoadFailure::Kind::WrongClass;
  const bool is_deadly = failure.kind == LoadFailure::Kind::Crash ||
                         failure.kind == LoadFailure::Kind::Block;
  failure.needer = needer;
  failure.need = need_index;
  if (need.kind == NeedKind::Preload && !is_deadly) {
    failure.kind = LoadFailure::Kind::PreloadIgnored;
    failure.is_fatal_at_start = false;
    map_.failures.push_back(std::move(failure));
    return {kNoObject, Resolution::NotFound};
  }
  failure.is_fatal_in_trace = !is_mild;
  if (need.kind == NeedKind::Auxiliary && !is_deadly) {
    failure.is_fatal_at_start = false;
    // Errors of an auxiliary object are caught; only a placeholder gets further.
    failure.is_fatal_in_trace = false;
    if (is_mild) {
      failure.kind = LoadFailure::Kind::AuxiliaryIgnored;
      map_.failures.push_back(std::move(failure));
      return {add_placeholder(needer, need), Resolution::NotFound};
    }
    failure.kind = LoadFailure::Kind::AuxiliaryIgnored;
    map_.failures.push_back(std::move(failure));
    return {kNoObject, Resolution::Failed};
  }
  const bool stops = failure.is_fatal_in_trace && options_.on_fatal == OnFatal::Stop;
  map_.failures.push_back(std::move(failure));
  if (stops) {
    is_over_ = true;
    return {kNoObject, Resolution::Failed};
  }
  return {add_placeholder(needer, need), is_mild ? Resolution::NotFound : Resolution::Failed};
}

ObjectIndex Walk::add_placeholder(ObjectIndex needer, const Need& need) {
  LoadedObject object;
  object.role = ObjectRole::Placeholder;
  object.path = need.name;
  object.requested_name = need.name;
  object.loader = needer;
  return add_object(std::move(object));
}

// ------------------------------------------------------------------------------- search lists

TokenValues Walk::token_values(const LinkMap& map, ObjectIndex owner) {
  TokenValues values;
  if (auto origin = origin_of(system_, process_, map, owner)) {
    origins_.push_back(std::make_unique<std::string>(std::move(*origin)));
    values.origin = *origins_.back();
  }
  if (!process_.cpu.platform.empty()) values.platform = process_.cpu.platform;
  values.lib = system_.rules.lib_token;
  values.is_secure = process_.secure;
  values.is_executable = owner == 0;
  values.system_dirs = system_.rules.system_dirs;
  return values;
}

/// Splits a tag's list. Its owner's token values are worked out only if it has a token.
SearchList Walk::make_tag_list(const LinkMap& map, ObjectIndex owner, std::string_view text) {
  const TokenValues values =
      text.find('$') == std::string_view::npos ? TokenValues{} : token_values(map, owner);
  return search_.directories().make_list(text, ListSyntax::Tag, values);
}

const SearchList* Walk::rpath_of(const LinkMap& map, ObjectIndex owner) {
  const ElfObject& elf = map.objects[owner].elf;
  if (!elf.rpath || elf.runpath) return nullptr;  // DT_RUNPATH erases the object's own DT_RPATH
  if (!lists_[owner]) lists_[owner] = std::make_unique<ObjectLists>();
  std::optional<SearchList>& list = lists_[owner]->rpath;
  if (!list) {
    list = make_tag_list(map, owner, *elf.rpath);
  }
  return list->empty() ? nullptr : &*list;
}

const SearchList* Walk::runpath_of(const LinkMap& map, ObjectIndex owner) {
  const ElfObject& elf = map.objects[owner].elf;
  if (!elf.runpath) return nullptr;
  if (!lists_[owner]) lists_[owner] = std::make_unique<ObjectLists>();
  std::optional<SearchList>& list = lists_[owner]->runpath;
  if (!list) {
    list = make_tag_list(map, owner, *elf.runpath);
  }
  return list->empty() ? nullptr : &*list;
}

SearchRequest Walk::make_request(const LinkMap& map, ObjectIndex needer, std::string_view name,
                                 std::vector<TaggedList>& chain) {
  SearchRequest request;
  request.name = name;
  chain.clear();
  const ElfObject& elf = map.objects[needer].elf;
  if (!elf.runpath) {
    bool did_main = false;
    std::size_t steps = 0;
    for (ObjectIndex at = needer; at != kNoObject && steps <= map.objects.size();
         at = map.objects[at].loader, ++steps) {
      const SearchList* list = rpath_of(map, at);
      if (list == nullptr) continue;
      chain.push_back({at, list});
      did_main |= at == 0;
    }
    if (!did_main) {
      if (const SearchList* list = rpath_of(map, 0)) chain.push_back({0, list});
    }
  }
  request.rpath_chain = chain;
  if (const SearchList* list = runpath_of(map, needer)) request.runpath = {needer, list};
  request.bars_default_dirs = elf.is_no_default_lib();
  return request;
}

// ------------------------------------------------------------------------------- the end

/// Puts ld.so where tracing shows it (rtld.c:dl_main): behind its predecessor in the search list, or
/// nowhere. From 2.41 on it is always shown, at the end of the search list if nobody needs it.
void Walk::place_loader() {
  list_.erase(std::find(list_.begin(), list_.end(), loader_object_));
  const auto& scope = map_.search_list;
  const auto at = std::find(scope.begin(), scope.end(), loader_object_);
  const bool is_needed = at != scope.end();
  if ((is_needed || system_.rules.always_lists_loader) && !scope.empty()) {
    const ObjectIndex before = at == scope.begin() ? scope.front() : *(at - 1);
    const auto place = std::find(list_.begin(), list_.end(), before);
    list_.insert(place + 1, loader_object_);
  }
  const auto main = std::find(list_.begin(), list_.end(), ObjectIndex{0});
  map_.list_order.assign(main, list_.end());
}

/// Every DT_VERNEED file must be somebody's path or requested name, or the loader's assertion fails
/// (glibc elf/dl-version.c:_dl_check_map_versions, find_needed). A SONAME counts only once a request
/// has matched it.
void Walk::check_version_files() {
  const auto goes_by = [&](const LoadedObject& object, std::string_view name) {
    if (object.role != ObjectRole::Main && name == object.path) return true;
    if (name == object.requested_name) return true;
    return std::find(object.other_names.begin(), object.other_names.end(), name) !=
           object.other_names.end();
  };
  for (const ObjectIndex index : map_.list_order) {
    const LoadedObject& object = map_.objects[index];
    if (index == loader_object_) continue;
    LoadFailure failure;
    failure.needer = index;
    failure.is_fatal_in_trace = true;
    if (object.elf.odd_verneed_version != 0) {
      failure.kind = LoadFailure::Kind::VersionRecord;
      failure.object = index == 0 ? process_.argv0 : std::string(object.path);
      failure.text = "unsupported version " + std::to_string(object.elf.odd_verneed_version) +
                     " of Verneed record";
      map_.failures.push_back(std::move(failure));
      return;
    }
    for (const std::string_view name : object.elf.version_files) {
      const ObjectIndex hit = index_.find(name);
      if (hit < map_.objects.size() && goes_by(map_.objects[hit], name)) continue;
      const bool is_known =
          std::any_of(map_.list_order.begin(), map_.list_order.end(),
                      [&](ObjectIndex other) { return goes_by(map_.objects[other], name); });
      if (is_known) continue;
      failure.kind = LoadFailure::Kind::VersionFile;
      failure.object = std::string(name);
      failure.text = "Inconsistency detected by ld.so: dl-version.c: " +
                     std::to_string(system_.rules.verneed_assert_line) +
                     ": _dl_check_map_versions: Assertion `needed != NULL' failed!";
      map_.failures.push_back(std::move(failure));
      return;
    }
  }
}

// ------------------------------------------------------------------------------- lone searches

void Walk::adopt(const LinkMap& map) {
  lists_.clear();
  lists_.resize(map.objects.size());
  if (const auto value = process_.environment.value("LD_LIBRARY_PATH"); value && !process_.secure) {
    search_.set_library_path(*value, token_values(map, 0));
  }
}

SearchResult Walk::search_for(const LinkMap& map, ObjectIndex needer, std::string_view name,
                              bool goes_on_after_hit, SearchTrace* trace) {
  SearchRequest request = make_request(map, needer, name, chain_);
  request.goes_on_after_hit = goes_on_after_hit;
  return search_.search(request, trace);
}

}  // namespace soresolve
