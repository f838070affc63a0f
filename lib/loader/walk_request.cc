// One request of a walk, as glibc's elf/dl-load.c:_dl_map_object answers it.
//
//   request          a name is written in DT_NEEDED, a filter, LD_PRELOAD or a call of dlopen
//   expand_need      $ORIGIN, $LIB and $PLATFORM in it; refused where the process is secure
//   find_loaded      is an object loaded that has this name already? Its path, a name by which it was requested, or
//                    its DT_SONAME, in the order of the list; a match by SONAME adds the name to the object
//   search_and_map   else it is searched for, or opened if it has a slash (name_search.cc)
//   map_found_file   the file that was found: is it loaded under another name (device and inode)? Else it is checked
//                    as _dl_map_object_from_fd does, and becomes the last object of the list
//   give_up          what a failure means: fatal, passed over (a preload, an auxiliary filter), or a placeholder
//
// "Is it loaded" comes before any search: that a library of this SONAME came in by another directory decides, and not
// what RPATH says here. So the answer to a request depends on all requests before it. For example libb.so.1, needed by
// a plug-in whose RUNPATH has a copy, is the program's libb.so.1 if the program has loaded one.
//
// What is found and refused is not passed over: only a file of the other ELF class or another machine is
// (name_search.cc). From map_found_file on the loader's messages name what was requested, no longer the path.
#include <algorithm>
#include <cerrno>

#include "base/log_line.h"
#include "elf/dynamic_reader.h"
#include "loader/loader_rules.h"
#include "loader/search_log.h"
#include "loader/tunables.h"
#include "loader/walk.h"

namespace soresolve {

std::optional<ObjectIndex> Walk::find_loaded(std::string_view name, HowFound& how) {
  ObjectIndex found = index_.find(name);
  if (found == NameIndex::kSeveral || (found != kNoObject && is_out_of_sight_[found])) {
    std::vector<bool> has_name(map_.objects.size());
    for (const ObjectIndex object : index_.find_all(name)) has_name[object] = true;
    found = kNoObject;
    for (const ObjectIndex object : list_) {
      if (is_out_of_sight_[object] || !has_name[object]) continue;
      found = object;
      break;
    }
  }
  if (found == kNoObject) return std::nullopt;
  const LoadedObject& object = map_.objects[found];
  if (name == object.path && object.role != ObjectRole::Main) {
    how = HowFound::ByPath;
  } else if (object.elf.soname && name == *object.elf.soname && name != object.requested_name) {
    how = HowFound::BySoname;
    add_name(found, name);
  } else {
    how = HowFound::ByName;
  }
  return found;
}

/// An object with a name that a request reads where nothing is mapped: a DT_SONAME, if no object before it in the list
/// goes by the name, else the search path of the needer or of one through which it was loaded.
std::optional<ObjectIndex> Walk::find_unmapped_name(ObjectIndex needer, const Need& need,
                                                    std::optional<ObjectIndex> loaded) const {
  if (!has_unmapped_names_ || is_adopting_) return std::nullopt;
  const auto unmapped_of = [&](ObjectIndex object) -> const UnmappedNames* {
    const std::optional<UnmappedNames>& unmapped = map_.objects[object].elf.unmapped_names;
    return unmapped ? &*unmapped : nullptr;
  };
  for (const ObjectIndex object : list_) {
    if (object == loaded) return std::nullopt;
    const UnmappedNames* const unmapped = unmapped_of(object);
    if (unmapped != nullptr && unmapped->soname && !is_out_of_sight_[object] &&
        need.name != map_.objects[object].requested_name)
      return object;
  }
  if (need.name.find('/') != std::string_view::npos) return std::nullopt;
  for (ObjectIndex object = needer; object != kNoObject; object = map_.objects[object].loader) {
    if (const UnmappedNames* const unmapped = unmapped_of(object); unmapped != nullptr && unmapped->search_path)
      return object;
  }
  return std::nullopt;
}

bool Walk::has_libc() const {
  return std::any_of(list_.begin(), list_.end(), [&](ObjectIndex object) {
    return map_.objects[object].role == ObjectRole::Library && map_.objects[object].elf.soname == "libc.so.6";
  });
}

std::optional<ObjectIndex> Walk::find_same_file(const FileId& id) const {
  // The program's and ld.so's own files are not recorded. First in list order, if several match:
  // that takes a filter that hides one, so the order of loading serves.
  std::optional<ObjectIndex> found;
  const auto [first, last] = by_inode_.equal_range(id.inode);
  for (auto at = first; at != last; ++at) {
    const ObjectIndex object = at->second;
    if (map_.objects[object].status.id != id || is_out_of_sight_[object]) continue;
    if (!found || object < *found) found = object;
  }
  return found;
}

/// How many objects of this file a filter has moved out of sight.
std::size_t Walk::count_hidden_copies(const FileId& id) const {
  std::size_t count = 0;
  const auto [first, last] = by_inode_.equal_range(id.inode);
  for (auto at = first; at != last; ++at) {
    if (is_out_of_sight_[at->second] && map_.objects[at->second].status.id == id) ++count;
  }
  return count;
}

/// The name to look for; nullopt when there is none, with `resolved` filled in.
std::optional<std::string_view> Walk::expand_need(ObjectIndex needer, NeedKind kind, std::string_view written,
                                                  Resolved& resolved) {
  if (kind == NeedKind::Preload || kind == NeedKind::Dlopen || count_tokens(written) == 0) {
    return written;
  }
  if (is_adopting_ && process_.secure) {
    resolved.resolution = HowFound::Failed;
    return std::nullopt;
  }
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::Token;
  failure.needer = needer;
  failure.need = static_cast<std::uint32_t>(map_.objects[needer].needs.size());
  failure.object = std::string(written);
  failure.is_fatal_in_trace = true;
  if (process_.secure) {
    failure.text = "DST not allowed in SUID/SGID programs";
  } else if (const auto name = expand_tokens(written, lists_.token_values(map_, needer)); name && !name->empty()) {
    return keep(*name);
  } else if (kind == NeedKind::Auxiliary && !is_adopting_) {
    // Only here is the empty name an error; the flag is passed the wrong way round in dl-deps.c.
    failure.text = "empty dynamic string token substitution";
  } else {
    resolved.resolution = HowFound::EmptyToken;
    return std::nullopt;
  }
  note_out_of_sight();
  map_.failures.push_back(std::move(failure));
  if (is_taken_back_ || options_.on_fatal == OnFatal::Stop) is_over_ = true;
  resolved.resolution = HowFound::Failed;
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
    need.name = is_taken_back_ ? keep(*name) : *name;
    HowFound how = HowFound::ByName;
    const auto loaded = find_loaded(need.name, how);
    if (const auto unmapped = find_unmapped_name(needer, need, loaded)) {
      give_up_unmapped_name(*unmapped);
      resolved.resolution = HowFound::Failed;
    } else if (loaded) {
      resolved = {*loaded, how};
      if (options_.attempts == Attempts::Record) {
        Attempt attempt;
        attempt.step = SearchStep::AlreadyLoaded;
        attempt.outcome = Outcome::AlreadyLoaded;
        attempt.candidate = map_.objects[*loaded].path;
        attempt.text = std::string(name_of(how));
        map_.traces[need.trace].attempts.push_back(std::move(attempt));
      }
    } else if (is_adopting_) {
      resolved.resolution = HowFound::Failed;
    } else {
      resolved = search_and_map(needer, need, need_index);
    }
  }
  if (options_.log != nullptr) log_request(options_.log, need.name, map_.objects[needer].name(), resolved.resolution);
  need.target = resolved.object;
  need.resolution = resolved.resolution;
  map_.objects[needer].needs.push_back(need);
  return resolved;
}

/// The search itself, made anew where it runs out of descriptors; a limit that is reached ends the walk.
SearchResult Walk::search_for(ObjectIndex needer, const Need& need, SearchTrace* trace) {
  std::string_view to_open = need.name;
  // Preloads and dlopen keep their name as it is; only a path to open is expanded.
  const bool is_late = need.kind == NeedKind::Preload || need.kind == NeedKind::Dlopen;
  const bool names_a_path = to_open.find('/') != std::string_view::npos;
  if (is_late && names_a_path && count_tokens(to_open) != 0) {
    to_open = keep(expand_tokens(to_open, lists_.token_values(map_, needer)).value_or(std::string()));
  }
  SearchRequest request = lists_.make_request(map_, needer, to_open);
  request.names_a_path = names_a_path;
  request.is_secure_preload = need.kind == NeedKind::Preload && process_.secure;
  SearchResult found = search_.search(request, trace);
  if (search_.lacks_descriptors()) {
    // The files that the map keeps open are in the way; what they are kept for can open them again.
    for (LoadedObject& object : map_.objects) object.file.reset();
    open_files_ = kMaxOpenFiles;
    if (trace != nullptr) trace->attempts.clear();
    found = search_.search(request, trace);
    if (search_.lacks_descriptors()) {
      error_ = Error{ErrorCode::Unreadable, std::string(need.name), {}, "cannot be looked for: too many open files"};
      is_over_ = true;
    }
  }
  if (search_.is_spent() && found.outcome != Outcome::Loaded && !error_) {
    error_ = Error{ErrorCode::LimitReached,
                   std::string(map_.main().name()),
                   {},
                   "has libraries to look for in more than " + std::to_string(options_.max_attempts) + " places"};
    is_over_ = true;
  }
  return found;
}

/// What a search that loads nothing means to the loader.
LoadFailure Walk::failure_of(const SearchResult& found, std::string_view name) const {
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
      failure.kind = found.outcome == Outcome::WouldCrash ? LoadFailure::Kind::Crash : LoadFailure::Kind::Block;
      failure.object = std::string(found.path);
      failure.text = found.reason;
      failure.error = Errno::None;
      break;
    case Outcome::WrongClass:
      failure.kind = LoadFailure::Kind::WrongClass;
      failure.object = std::string(name);
      failure.text = system_.rules.target.elf_class == ElfClass::Elf64 ? "wrong ELF class: ELFCLASS32"
                                                                       : "wrong ELF class: ELFCLASS64";
      break;
    default:
      failure.kind = LoadFailure::Kind::Missing;
      failure.object = std::string(name);
      failure.text = "cannot open shared object file";
  }
  return failure;
}

Walk::Resolved Walk::search_and_map(ObjectIndex needer, Need& need, std::uint32_t need_index) {
  SearchTrace* trace = nullptr;
  if (options_.attempts == Attempts::Record) {
    trace = &map_.traces[need.trace];
  } else if (wants(options_.log, LogLevel::Trace)) {
    logged_ = {};
    trace = &logged_;
  }
  SearchResult found = search_for(needer, need, trace);
  if (options_.log != nullptr) {
    if (trace != nullptr) log_attempts(options_.log, need.name, *trace);
    log_found(options_.log, need.name, map_.objects[needer].name(),
              found.outcome == Outcome::Loaded ? found.path : name_of(found.outcome));
  }
  if (found.outcome == Outcome::Loaded) return map_found_file(needer, need, need_index, found);
  return give_up(needer, need, need_index, failure_of(found, need.name));
}

/// The object that the file is, where it is loaded under another name.
std::optional<ObjectIndex> Walk::find_as_file(std::string_view name, const FileId& id, std::string_view path) {
  if (const auto same = find_same_file(id)) {
    add_name(*same, name);
    return same;
  }
  // Of ld.so there is one for all namespaces: its name stands for it in each.
  if (space_ == 0 || !map_.objects[loader_object_].matches_name(name)) return std::nullopt;
  index_.add(name, loader_object_);
  index_.add(keep(path), loader_object_);
  return loader_object_;
}

Walk::Resolved Walk::map_found_file(ObjectIndex needer, Need& need, std::uint32_t need_index, SearchResult& found) {
  Attempt* attempt = options_.attempts == Attempts::Record ? &map_.traces[need.trace].attempts.back() : nullptr;
  const FileStatus status = search_.file().status();
  if (const auto same = find_as_file(need.name, status.id, found.path)) {
    if (attempt != nullptr) attempt->outcome = Outcome::SameFile;
    return {*same, HowFound::ByFile};
  }
  if (only_if_loaded_) {
    is_absent_ = true;
    return {kNoObject, HowFound::NotLoaded};
  }
  std::variant<ElfObject, Refusal> read = read_found_file(need, found, status.id);
  if (Refusal* const refusal = std::get_if<Refusal>(&read)) {
    const bool is_crash = refusal->kind == LoadFailure::Kind::Crash;
    if (attempt != nullptr) {
      attempt->outcome = is_crash ? Outcome::WouldCrash : Outcome::Fatal;
      attempt->text = refusal->text;
    }
    LoadFailure failure;
    failure.kind = refusal->kind;
    // From here on the loader names what was asked for, not the file.
    failure.object = std::string(is_crash ? found.path : need.name);
    failure.text = std::move(refusal->text);
    failure.error = refusal->error;
    failure.is_on_noexec = refusal->is_on_noexec;
    return give_up(needer, need, need_index, std::move(failure));
  }
  return {add_found_file(needer, need, found, status, std::get<ElfObject>(std::move(read))), HowFound::Mapped};
}

/// The checks of elf/dl-load.c:_dl_map_object_from_fd, in its order.
std::variant<ElfObject, Walk::Refusal> Walk::read_found_file(const Need& need, const SearchResult& found,
                                                             const FileId& id) {
  const auto crash = [](std::string text) { return Refusal{LoadFailure::Kind::Crash, std::move(text)}; };
  if (count_hidden_copies(id) > kMaxRounds) return crash(std::string(kCircle));
  const LoaderRules& rules = system_.rules;
  ImageReader& reader = search_.reader();
  const ElfHeader header = reader.header(rules.target.elf_class, rules.target.byte_order);
  Acceptance acceptance = check_mapping(reader, header, rules, OpenedAs::Library);
  if (acceptance.outcome == Outcome::WouldCrash) return crash(std::move(acceptance.reason));
  const bool is_on_noexec = acceptance.is_on_noexec;
  const auto fatal = [&](std::string_view text, Errno error) {
    return Refusal{LoadFailure::Kind::FatalFile, std::string(text), error, is_on_noexec};
  };
  if (acceptance.outcome != Outcome::Loaded) return fatal(acceptance.text, acceptance.error);
  Result<ElfObject> elf = DynamicReader::read(reader, header, found.path, scratch_);
  if (!elf) {
    if (elf.error().code == ErrorCode::LimitReached) {
      error_ = elf.error();
      is_over_ = true;
    }
    Refusal refusal = crash(elf.error().message);
    refusal.is_on_noexec = is_on_noexec;
    return refusal;
  }
  acceptance = check_dynamic(*elf, rules, OpenedAs::Library);
  if (acceptance.outcome == Outcome::WouldCrash) return crash(std::move(acceptance.reason));
  // Since 2.32 the loader asks each new object whether it is the libc, until one is.
  if (elf->unmapped_names && elf->unmapped_names->soname && rules.version.minor_number >= 32 && !has_libc()) {
    return crash(std::move(elf->unmapped_names->error.message));
  }
  const bool is_loaded = acceptance.outcome == Outcome::Loaded;
  if (is_loaded && need.kind != NeedKind::Preload && is_in_dlopen() && elf->is_no_dlopen()) {
    return fatal("shared object cannot be dlopen()ed", Errno::None);
  }
  if (is_loaded && !can_have_exec_stack(*elf)) return fatal(kExecStackRefused, static_cast<Errno>(EINVAL));
  if (!acceptance.assertion.empty()) {
    return Refusal{LoadFailure::Kind::Assertion, std::move(acceptance.assertion), Errno::None, is_on_noexec};
  }
  if (!is_loaded) return fatal(acceptance.text, acceptance.error);
  return std::move(elf).value();
}

ObjectIndex Walk::add_found_file(ObjectIndex needer, const Need& need, const SearchResult& found,
                                 const FileStatus& status, ElfObject&& elf) {
  LoadedObject object;
  object.role = ObjectRole::Library;
  object.path = keep(found.path);
  object.requested_name = need.name;
  object.elf = std::move(elf);
  object.status = status;
  edit_tags(object, options_, map_.text);
  object.loader = need.kind == NeedKind::Dlopen ? kNoObject : needer;
  object.found = {found.step, found.owner, found.entry, {}};
  if (!found.subdirectory.empty()) object.found.subdirectory = keep(found.subdirectory);
  keep_file(object, search_.take_file());
  const ObjectIndex index = add_object(std::move(object));
  by_inode_.emplace(status.id.inode, index);
  index_.add(need.name, index);
  index_.add(map_.objects[index].path, index);
  if (map_.objects[index].elf.soname) index_.add(*map_.objects[index].elf.soname, index);
  return index;
}

/// Makes the stack executable if the file wants it so. Since 2.41 only a start does that, and only
/// with glibc.rtld.execstack=1, which is the default (elf/dl-load.c:_dl_map_object_from_fd).
bool Walk::can_have_exec_stack(const ElfObject& elf) {
  if (!system_.rules.refuses_exec_stack || has_exec_stack_ || !elf.wants_exec_stack()) return true;
  const std::uint64_t mode = exec_stack_mode(system_.rules, process_);
  has_exec_stack_ = mode == 2 || (mode == 1 && !is_in_dlopen());
  return has_exec_stack_;
}

/// What trace mode does instead of failing: a placeholder for what is merely not found. Preloads are
/// passed over; everything else ends the walk, or is replaced by a placeholder if it is to go on.
Walk::Resolved Walk::give_up(ObjectIndex needer, const Need& need, std::uint32_t need_index, LoadFailure failure) {
  const bool is_mild = failure.kind == LoadFailure::Kind::Missing || failure.kind == LoadFailure::Kind::WrongClass;
  const bool is_deadly = failure.kind == LoadFailure::Kind::Crash || failure.kind == LoadFailure::Kind::Block;
  failure.needer = needer;
  failure.need = need_index;
  if (need.kind == NeedKind::Preload && !is_deadly) {
    failure.kind = LoadFailure::Kind::PreloadIgnored;
    failure.is_fatal_at_start = false;
    map_.failures.push_back(std::move(failure));
    return {kNoObject, HowFound::NotFound};
  }
  failure.is_fatal_in_trace = !is_mild;
  if (need.kind == NeedKind::Auxiliary && !is_deadly) {
    failure.is_fatal_at_start = false;
    // Errors of an auxiliary object are caught; only a placeholder gets further.
    failure.is_fatal_in_trace = false;
    if (is_mild) {
      failure.kind = LoadFailure::Kind::AuxiliaryIgnored;
      map_.failures.push_back(std::move(failure));
      return {add_placeholder(needer, need), HowFound::NotFound};
    }
    failure.kind = LoadFailure::Kind::AuxiliaryIgnored;
    map_.failures.push_back(std::move(failure));
    return {kNoObject, HowFound::Failed};
  }
  const bool ends_trace = failure.is_fatal_in_trace && map_.first_fatal_in_trace() == nullptr;
  if (!is_deadly && (ends_trace || map_.first_fatal() == nullptr)) {
    assert_program_first(ends_trace ? EndsTrace::Yes : EndsTrace::No);
  }
  note_out_of_sight();
  const bool stops = is_taken_back_ || (failure.is_fatal_in_trace && options_.on_fatal == OnFatal::Stop);
  map_.failures.push_back(std::move(failure));
  if (stops) {
    is_over_ = true;
    return {kNoObject, HowFound::Failed};
  }
  return {add_placeholder(needer, need), is_mild ? HowFound::NotFound : HowFound::Failed};
}

ObjectIndex Walk::add_placeholder(ObjectIndex needer, const Need& need) {
  LoadedObject object;
  object.role = ObjectRole::Placeholder;
  object.path = need.name;
  object.requested_name = need.name;
  object.loader = needer;
  return add_object(std::move(object));
}

}  // namespace soresolve
