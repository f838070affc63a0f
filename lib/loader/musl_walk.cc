// The driver of a walk in musl's way: run() is __dls3, load_library() one request, search_all() its places in order,
// map_file() what becomes of the file that was opened. Source: musl 1.2 ldso/dynlink.c. Left out: constructors, and
// files whose segments the kernel refuses to map.
#include "loader/musl_walk.h"

#include <elf.h>

#include <algorithm>
#include <cerrno>

#include "base/limits.h"
#include "base/load.h"
#include "elf/image_reader.h"
#include "loader/live_process.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostNameBytes = 255;
constexpr std::size_t kMostPathBytes = 2 * kMostNameBytes + 2;  // with its NUL

Errno errno_of(int number) { return static_cast<Errno>(number); }

std::string_view text_after_slash(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

Outcome musl_outcome(Errno error) {
  if (error == errno_of(ENOENT)) return Outcome::NoSuchFile;
  if (error == errno_of(EACCES)) return Outcome::PermissionDenied;
  return Outcome::OpenFailed;
}

}  // namespace

std::optional<std::size_t> reserved_musl_name(std::string_view name) {
  constexpr std::string_view kReserved[] = {"c.", "pthread.", "rt.", "m.", "dl.", "util.", "xnet."};
  if (!name.starts_with("lib")) return std::nullopt;
  name.remove_prefix(3);
  for (std::size_t i = 0; i < std::size(kReserved); ++i) {
    if (name.starts_with(kReserved[i])) return i;
  }
  return std::nullopt;
}

std::string musl_errno_text(Errno error) {
  switch (static_cast<int>(error)) {
    case 0: return "No error information";
    case EIO: return "I/O error";
    case ENXIO: return "No such device or address";
    case ENOMEM: return "Out of memory";
    case EBUSY: return "Resource busy";
    case EMFILE: return "No file descriptors available";
    case ENFILE: return "Too many open files in system";
    case ENAMETOOLONG: return "Filename too long";
    case ELOOP: return "Symbolic link loop";
    default: return errno_text(error, ErrnoText::FromDlerror);  // the two libcs agree
  }
}

MuslWalk::MuslWalk(std::shared_ptr<const System> system, std::shared_ptr<const Process> process,
                   const LoadOptions& options)
    : system_(*system), process_(*process), options_(options) {
  map_.requested = options.dlopen_calls;
  map_.system = std::move(system);
  map_.process = std::move(process);
}

std::string_view MuslWalk::shown(ObjectIndex object) const {
  return object == 0 ? std::string_view(program_) : map_.objects[object].path;
}

ObjectIndex MuslWalk::add_object(LoadedObject object, Known known) {
  const ObjectIndex index = static_cast<ObjectIndex>(map_.objects.size());
  map_.objects.push_back(std::move(object));
  known_.push_back(std::move(known));
  if (map_.objects.size() > kMaxObjects && !error_) {
    error_ =
        Error{ErrorCode::LimitReached, program_, {}, "needs more than " + std::to_string(kMaxObjects) + " objects"};
    is_over_ = true;
  }
  return index;
}

std::optional<Error> MuslWalk::start_main(std::string_view file, OpenedObject opened) {
  LoadedObject object;
  object.role = ObjectRole::Main;
  if (process_.start == Start::Dlopen) {
    object.given_name = "(a plain program)";
  } else {
    object.given_name = process_.argv0.empty() ? std::string(file) : process_.argv0;
    program_ = process_.start == Start::Kernel && file.starts_with("/proc/") ? process_.argv0 : std::string(file);
    map_.main_path = absolute_path(file, process_.cwd);
    object.status = opened.file->status();
    object.elf = std::move(opened.elf);
    const bool is_taken = object.elf.has_dynamic && (object.elf.type == ET_DYN || object.elf.type == ET_EXEC);
    if (process_.start == Start::Argument && !is_taken) {
      return Error{ErrorCode::Malformed, std::string(file), {}, "the loader refuses it: Not a valid dynamic program"};
    }
    edit_tags(object, options_, map_.text);
    object.file = std::move(opened.file);
  }
  add_object(std::move(object), {});
  list_ = {0};

  LoadedObject loader;
  loader.role = ObjectRole::Loader;
  loader.path = loader.requested_name = system_.loader_path;
  loader.elf.target = system_.loader.target;
  loader.elf.type = system_.loader.type;
  loader_ = add_object(std::move(loader), {.shortname = {}, .rpath = {}, .has_deps = true});
  LoadedObject vdso;
  vdso.role = ObjectRole::Vdso;
  vdso.requested_name = vdso.path = "linux-gate.so.1";  // on every machine
  vdso.elf.target = system_.rules.target;
  add_object(std::move(vdso), {.shortname = {}, .rpath = {}, .has_deps = true});
  return std::nullopt;
}

Result<LinkMap> MuslWalk::run(std::string_view file, OpenedObject opened) {
  map_.file = file;
  if (auto error = start_main(file, std::move(opened))) return Unexpected{std::move(*error)};
  if (process_.live) {
    if (auto error = adopt_live_objects()) return Unexpected{std::move(*error)};
    make_dlopen_calls();
    if (error_) return Unexpected{std::move(*error_)};
    map_.attempts = attempts_;
    return std::move(map_);
  }
  if (process_.start == Start::Dlopen) {
    itself(HowFound::ByName);  // a plain program has its libc
    const Resolved asked = request(0, 0, NeedKind::Dlopen, keep(file));
    if (asked.object == kNoObject) fail(0, map_.objects[0].needs.back());
  } else {
    load_preloads();
  }
  load_deps(0);
  map_.search_list = map_.list_order = list_;
  for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
    if (map_.objects[i].role == ObjectRole::Placeholder) map_.list_order.push_back(i);
  }
  make_dlopen_calls();
  if (error_) return Unexpected{std::move(*error_)};
  map_.attempts = attempts_;
  return std::move(map_);
}

/// Names between colons and white space. What cannot be loaded is passed over in silence; an empty name at the end is
/// asked for, too.
void MuslWalk::load_preloads() {
  if (process_.secure) return;
  const auto& entries = process_.environment.entries();
  constexpr std::string_view kVariable = "LD_PRELOAD=";
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const std::string& e) { return e.starts_with(kVariable); });
  if (entry == entries.end()) return;
  std::string_view left = std::string_view(*entry).substr(kVariable.size());
  const auto is_separator = [](char c) { return c == ':' || is_white(c); };
  while (!left.empty() && !is_over_) {
    while (!left.empty() && is_separator(left.front())) left.remove_prefix(1);
    const auto end = std::find_if(left.begin(), left.end(), is_separator);
    const std::string_view name = left.substr(0, static_cast<std::size_t>(end - left.begin()));
    left.remove_prefix(name.size());
    if (name.empty()) {
      errno_ = errno_of(EINVAL);
      continue;
    }
    const Resolved resolved = request(0, kNoObject, NeedKind::Preload, keep(name));
    if (resolved.object != kNoObject) continue;
    if (is_over_) return fail(0, map_.objects[0].needs.back());
    LoadFailure failure;
    failure.kind = LoadFailure::Kind::PreloadIgnored;
    failure.needer = 0;
    failure.need = static_cast<std::uint32_t>(map_.objects[0].needs.size() - 1);
    failure.object = std::string(name);
    failure.text = "passed over in silence: " + musl_errno_text(errno_);
    failure.error = errno_;
    failure.is_fatal_at_start = false;
    map_.failures.push_back(std::move(failure));
  }
}

void MuslWalk::load_deps(std::size_t from) {
  for (std::size_t i = from; i < list_.size() && !is_over_; ++i) load_direct_deps(list_[i]);
}

void MuslWalk::load_direct_deps(ObjectIndex object) {
  if (known_[object].has_deps) return;
  known_[object].has_deps = true;
  const std::size_t count = map_.objects[object].elf.needs.size();
  for (std::size_t i = 0; i < count && !is_over_; ++i) {
    const NeedEntry entry = map_.objects[object].elf.needs[i];
    if (entry.kind != NeedKind::Needed) continue;  // filters say nothing here
    const Resolved resolved = request(object, object, entry.kind, entry.name);
    if (resolved.object != kNoObject) continue;
    fail(object, map_.objects[object].needs.back());
    // A dlopen ends with the first one.
    if (!map_.dlopen_calls.empty() && options_.on_fatal == OnFatal::Stop) is_over_ = true;
  }
}

/// The last request of `needer` has failed: says so, and puts a placeholder in its place.
void MuslWalk::fail(ObjectIndex needer, const Need& need) {
  LoadFailure failure;
  const bool is_deadly = blocks_ || !death_.empty();
  const bool is_found = !path_.empty() && need.resolution == HowFound::Failed;
  failure.kind = blocks_     ? LoadFailure::Kind::Block
                 : is_deadly ? LoadFailure::Kind::Crash
                 : is_found  ? LoadFailure::Kind::FatalFile
                             : LoadFailure::Kind::Missing;
  failure.needer = needer;
  failure.need = static_cast<std::uint32_t>(map_.objects[needer].needs.size() - 1);
  failure.object = std::string(failure.kind == LoadFailure::Kind::Missing ? need.name : std::string_view(path_));
  failure.text = blocks_     ? "it is a FIFO: the loader would wait for a writer"
                 : is_deadly ? death_
                             : "Error loading shared library";
  failure.is_on_noexec = is_found && is_on_noexec_;
  failure.error = is_deadly ? Errno::None : errno_;
  failure.line = "Error loading shared library " + std::string(need.name) + ": " + musl_errno_text(errno_);
  if (need.kind == NeedKind::Needed) failure.line += " (needed by " + std::string(shown(needer)) + ")";
  failure.dlopen_call = static_cast<std::uint32_t>(map_.dlopen_calls.size());
  failure.is_fatal_in_trace = is_deadly;
  map_.failures.push_back(std::move(failure));
  LoadedObject placeholder;
  placeholder.role = ObjectRole::Placeholder;
  placeholder.path = placeholder.requested_name = need.name;
  placeholder.loader = needer;
  const ObjectIndex index = add_object(std::move(placeholder), {.shortname = {}, .rpath = {}, .has_deps = true});
  map_.objects[needer].needs.back().target = index;
}

void MuslWalk::note(SearchStep step, ObjectIndex owner, std::string_view entry, std::string_view path,
                    Outcome outcome) {
  if (trace_ == nullptr) return;
  const bool is_end = is_found(outcome) || ends_start(outcome);
  if (!is_end && trace_->attempts.size() >= kMaxAttemptsOfOne) {
    ++trace_->left_out;
    return;
  }
  const std::string directory = entry.empty() ? std::string() : std::string(entry) + "/";
  trace_->attempts.push_back(
      {step, owner, std::string(entry), directory, {}, std::string(path), outcome, errno_, {}, true});
}

MuslWalk::Resolved MuslWalk::request(ObjectIndex needer, ObjectIndex searcher, NeedKind kind, std::string_view name) {
  Need need;
  need.kind = kind;
  need.written = need.name = name;
  SearchTrace trace;
  trace_ = options_.attempts == Attempts::Record ? &trace : nullptr;
  path_.clear();
  file_.reset();
  found_ = {};
  is_on_noexec_ = false;
  const Resolved resolved = load_library(searcher, name, need);
  file_.reset();
  if (options_.attempts == Attempts::Record) {
    need.trace = static_cast<std::uint32_t>(map_.traces.size());
    map_.traces.push_back(std::move(trace));
  }
  trace_ = nullptr;
  if (options_.log != nullptr) {
    options_.log->line(
        "find " + std::string(name) + " for " + std::string(shown(needer)) + ": " +
        (resolved.object == kNoObject ? musl_errno_text(errno_) : std::string(map_.objects[resolved.object].path)));
  }
  need.target = resolved.object;
  need.resolution = resolved.resolution;
  map_.objects[needer].needs.push_back(need);
  return resolved;
}

/// The loader is libc. It comes into the list where it is asked for first.
MuslWalk::Resolved MuslWalk::itself(HowFound how) {
  if (std::find(list_.begin(), list_.end(), loader_) == list_.end()) list_.push_back(loader_);
  return {loader_, how};
}

MuslWalk::Resolved MuslWalk::load_library(ObjectIndex searcher, std::string_view name, Need& need) {
  if (name.empty()) {
    errno_ = errno_of(EINVAL);
    return {};
  }
  if (reserved_musl_name(name) || name == system_.loader_path) {
    note(SearchStep::AlreadyLoaded, kNoObject, {}, system_.loader_path, Outcome::AlreadyLoaded);
    return itself(HowFound::ByName);
  }
  if (name.find('/') != std::string_view::npos) {
    ++attempts_;
    const Opened opened = open_path(name);
    if (opened != Opened::Yes) {
      note(SearchStep::Path, kNoObject, {}, name, blocks_ ? Outcome::WouldBlock : musl_outcome(errno_));
      return {kNoObject, HowFound::NotFound};
    }
    path_ = std::string(name);
    found_ = {SearchStep::Path, kNoObject, {}, {}};
    return map_file(searcher, name, false, need);
  }
  for (std::size_t i = 1; i < list_.size(); ++i) {
    if (known_[list_[i]].shortname != name) continue;
    note(SearchStep::AlreadyLoaded, kNoObject, {}, map_.objects[list_[i]].path, Outcome::AlreadyLoaded);
    return {list_[i], HowFound::ByName};
  }
  // The vDSO is in the list once the program runs.
  if (!map_.dlopen_calls.empty() && name == "linux-gate.so.1") return {loader_ + 1, HowFound::ByName};
  if (name.size() > kMostNameBytes) return {};
  if (search_all(searcher, name) != Opened::Yes) return {kNoObject, HowFound::NotFound};
  return map_file(searcher, name, true, need);
}

MuslWalk::Opened MuslWalk::open_path(std::string_view path) {
  Result<std::unique_ptr<File>, Errno> opened = system_.files->open(absolute_path(path, process_.cwd));
  if (opened) {
    file_ = std::move(opened).value();
    if (file_->status().kind != FileKind::Fifo) return Opened::Yes;
    path_ = std::string(path);
    blocks_ = is_over_ = true;
    return Opened::Stop;
  }
  errno_ = opened.error();
  switch (static_cast<int>(errno_)) {
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case ENAMETOOLONG: return Opened::Continue;
    default: return Opened::Stop;
  }
}

/// path_open: a file that is there ends the search, whatever it is.
MuslWalk::Opened MuslWalk::search(std::string_view name, std::string_view list, SearchStep step, ObjectIndex owner) {
  while (true) {
    const std::size_t start = list.find_first_not_of(":\n");
    if (start == std::string_view::npos) return Opened::Continue;
    list.remove_prefix(start);
    const std::string_view entry = list.substr(0, list.find_first_of(":\n"));
    list.remove_prefix(entry.size());
    if (++attempts_ > options_.max_attempts) {
      error_ = Error{ErrorCode::LimitReached,
                     program_,
                     {},
                     "has libraries to look for in more than " + std::to_string(options_.max_attempts) + " places"};
      is_over_ = true;
      return Opened::Stop;
    }
    if (entry.size() + 1 + name.size() >= kMostPathBytes) continue;
    std::string path(entry);
    path.append("/").append(name);
    const Opened opened = open_path(path);
    if (opened == Opened::Yes) {
      found_ = {step, owner, keep(entry), {}};
      path_ = std::move(path);
      return opened;
    }
    note(step, owner, entry, path, blocks_ ? Outcome::WouldBlock : musl_outcome(errno_));
    if (opened == Opened::Stop) return opened;
  }
}

MuslWalk::Opened MuslWalk::search_all(ObjectIndex searcher, std::string_view name) {
  Opened opened = Opened::Continue;
  const auto& entries = process_.environment.entries();
  constexpr std::string_view kVariable = "LD_LIBRARY_PATH=";
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const std::string& e) { return e.starts_with(kVariable); });
  if (entry != entries.end() && !process_.secure) {
    opened = search(name, std::string_view(*entry).substr(kVariable.size()), SearchStep::LibraryPath, kNoObject);
  }
  for (ObjectIndex at = searcher; opened == Opened::Continue && at != kNoObject; at = map_.objects[at].loader) {
    if (!make_rpath(at)) opened = Opened::Stop;
    if (!known_[at].rpath || opened == Opened::Stop) continue;
    const SearchStep step = map_.objects[at].elf.runpath ? SearchStep::Runpath : SearchStep::Rpath;
    opened = search(name, *known_[at].rpath, step, at);
  }
  if (opened != Opened::Continue) return opened;
  if (!knows_system_path_) {
    knows_system_path_ = true;
    if (!system_.musl_path.lists) errno_ = system_.musl_path.error;
  }
  return search(name, musl_system_lists(system_.musl_path), SearchStep::DefaultDirs, kNoObject);
}

/// fixup_rpath: false where the search is over.
bool MuslWalk::make_rpath(ObjectIndex object) {
  std::optional<std::string>& known = known_[object].rpath;
  const ElfObject& elf = map_.objects[object].elf;
  const std::optional<std::string_view> written = elf.runpath ? elf.runpath : elf.rpath;
  if (known || !written) return true;
  constexpr std::string_view kTokens[] = {"$ORIGIN", "${ORIGIN}"};
  const auto token_at = [&](std::size_t at) {
    for (const std::string_view token : kTokens) {
      if (written->substr(at).starts_with(token)) return token.size();
    }
    return std::size_t{0};
  };
  if (written->find('$') == std::string_view::npos) {
    known = std::string(*written);
    return true;
  }
  for (std::size_t at = written->find('$'); at != std::string_view::npos; at = written->find('$', at + 1)) {
    if (token_at(at) == 0) return true;
  }
  std::string name(shown(object));
  if (object == 0 && process_.start == Start::Kernel) {
    if (process_.secure) return true;
    if (!process_.has_proc) {
      errno_ = errno_of(ENOENT);
      return true;
    }
    if (process_.live) {
      name = process_.live->exe;
    } else if (process_.exe_directory) {
      name = *process_.exe_directory + "/";
    } else {
      const Result<std::string, Errno> real = system_.files->real_path(map_.main_path);
      name = real ? *real : map_.main_path;
    }
    if (name.size() >= kMostPathBytes) return true;
  }
  const std::size_t slash = name.rfind('/');
  const std::string origin = slash == std::string::npos ? "." : name.substr(0, slash);
  if (process_.secure && !name.starts_with('/')) return true;
  std::string expanded;
  std::string_view left = *written;
  for (std::size_t at = left.find('$'); at != std::string_view::npos; at = left.find('$')) {
    expanded.append(left.substr(0, at)).append(origin);
    left.remove_prefix(at + (left.substr(at + 1).starts_with('{') ? kTokens[1].size() : kTokens[0].size()));
  }
  known = expanded.append(left);
  return true;
}

MuslWalk::Resolved MuslWalk::map_file(ObjectIndex searcher, std::string_view name, bool is_searched, Need& need) {
  const FileStatus status = file_->status();
  for (std::size_t i = 1; i < list_.size(); ++i) {
    const ObjectIndex index = list_[i];
    LoadedObject& object = map_.objects[index];
    if (object.role != ObjectRole::Library || object.status.id != status.id) continue;
    note(found_.step, found_.owner, found_.entry, path_, Outcome::SameFile);
    if (!known_[index].shortname && is_searched) known_[index].shortname = std::string(text_after_slash(object.path));
    object.other_names.push_back(need.name);
    return {index, HowFound::ByFile};
  }
  if (only_if_loaded_) return {kNoObject, HowFound::NotLoaded};
  std::optional<ElfObject> elf = read_library(path_);
  if (!elf) {
    note(found_.step, found_.owner, found_.entry, path_, death_.empty() ? Outcome::Fatal : Outcome::WouldCrash);
    if (trace_ != nullptr && !trace_->attempts.empty()) {
      trace_->attempts.back().text = death_.empty() ? musl_errno_text(errno_) : death_;
    }
    return {kNoObject, HowFound::Failed};
  }
  if (elf->type == ET_EXEC && is_in_the_way(*elf)) {
    errno_ = errno_of(EBUSY);
    note(found_.step, found_.owner, found_.entry, path_, Outcome::Fatal);
    if (trace_ != nullptr && !trace_->attempts.empty()) trace_->attempts.back().text = musl_errno_text(errno_);
    return {kNoObject, HowFound::Failed};
  }
  if (!elf->symbol_tags.sysv_hash && !elf->symbol_tags.gnu_hash) {
    note(found_.step, found_.owner, found_.entry, path_, Outcome::WouldCrash);
    death_ = "has neither DT_HASH nor DT_GNU_HASH, which the loader looks into at once";
    is_over_ = true;
    return {kNoObject, HowFound::Failed};
  }
  if (is_libc(*elf)) {
    note(found_.step, found_.owner, found_.entry, path_, Outcome::SameFile);
    return itself(HowFound::ByFile);
  }
  note(found_.step, found_.owner, found_.entry, path_, Outcome::Loaded);
  LoadedObject object;
  object.path = keep(path_);
  object.requested_name = need.name;
  object.elf = std::move(*elf);
  object.status = status;
  edit_tags(object, options_, map_.text);
  object.loader = searcher;
  object.found = found_;
  if (open_files_ < kMaxOpenFiles) {
    ++open_files_;
    object.file = std::move(file_);
  }
  Known known;
  if (is_searched) known.shortname = std::string(name);
  const ObjectIndex index = add_object(std::move(object), std::move(known));
  list_.push_back(index);
  return {index, HowFound::Mapped};
}

/// map_library, as far as it is up to the file; sets errno where it refuses one.
std::optional<ElfObject> MuslWalk::read_library(std::string_view path) {
  if (file_->status().kind == FileKind::Directory) {
    errno_ = errno_of(EISDIR);
    return std::nullopt;
  }
  const ElfTarget& target = system_.rules.target;
  ImageReader reader(*file_);
  const auto refuse = [&](Errno error) {
    errno_ = error == Errno::None ? errno_of(ENOEXEC) : error;
    return std::nullopt;
  };
  if (reader.head().size() < elf_header_bytes(target.elf_class)) return refuse(reader.head_error());
  const ElfHeader header = reader.header(target.elf_class, target.byte_order);
  if (header.type != ET_DYN && header.type != ET_EXEC) return refuse(Errno::None);
  const ImageReader::TableRead read = reader.read_segments(header, target.elf_class, target.byte_order);
  if (!read.complete) return refuse(read.error);
  const auto& segments = reader.segments();
  const auto is_dynamic = [](const Segment& segment) {
    return segment.type == PT_DYNAMIC && static_cast<std::uint64_t>(segment.vaddr) != 0;
  };
  if (std::none_of(segments.begin(), segments.end(), is_dynamic)) return refuse(Errno::None);
  if (maps_nothing(segments)) return refuse(errno_of(EINVAL));
  const auto is_code = [](const Segment& segment) {
    return segment.type == PT_LOAD && (segment.flags & PF_X) != 0 && segment.memory_bytes != 0;
  };
  if (std::any_of(segments.begin(), segments.end(), is_code) && file_->is_on_noexec()) {
    is_on_noexec_ = true;
    return refuse(errno_of(EPERM));
  }
  Result<ElfObject> elf = DynamicReader::read(reader, header, path, scratch_, LoaderView::Musl);
  if (!elf) {
    is_over_ = true;
    if (elf.error().code == ErrorCode::LimitReached || elf.error().code == ErrorCode::Unreadable) {
      error_ = elf.error();
    } else {
      death_ = elf.error().message;  // it is mapped, and followed
    }
    return std::nullopt;
  }
  return std::move(elf).value();
}

/// Up to 1.2.2 a segment without a byte, on a page of its own, is given to mmap(2), which refuses it.
bool MuslWalk::maps_nothing(const std::vector<Segment>& segments) const {
  if (system_.rules.musl_version >= MuslVersion{1, 2, 3}) return false;
  const std::uint64_t page = page_bytes(system_.rules.target.machine);
  const auto start_of = [](const Segment& segment) { return static_cast<std::uint64_t>(segment.vaddr); };
  std::uint64_t lowest = ~std::uint64_t{0};
  for (const Segment& segment : segments) {
    if (segment.type == PT_LOAD) lowest = std::min(lowest, start_of(segment) / page);
  }
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& segment) {
    return segment.type == PT_LOAD && segment.memory_bytes == 0 && start_of(segment) % page == 0 &&
           start_of(segment) / page != lowest;
  });
}

/// Is one of its own addresses taken by another file that is loaded at fixed ones?
bool MuslWalk::is_in_the_way(const ElfObject& elf) const {
  const std::uint64_t page = page_bytes(system_.rules.target.machine);
  const auto range_of = [page](const ElfObject& of) {
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t last = 0;
    for (const Segment& segment : of.segments) {
      if (segment.type != PT_LOAD) continue;
      const std::uint64_t start = static_cast<std::uint64_t>(segment.vaddr);
      first = std::min(first, start / page * page);
      last = std::max(last, (start + segment.memory_bytes + page - 1) / page * page);
    }
    return std::pair(first, last);
  };
  const std::pair<std::uint64_t, std::uint64_t> own = range_of(elf);
  return own.first != 0 && std::any_of(list_.begin(), list_.end(), [&](ObjectIndex index) {
           const ElfObject& other = map_.objects[index].elf;
           if (other.type != ET_EXEC) return false;
           const auto [start, end] = range_of(other);
           return start < own.second && own.first < end;
         });
}

/// Does it define both __libc_start_main and stdin? Then it is a libc, and the loader takes itself instead.
bool MuslWalk::is_libc(const ElfObject& elf) {
  const SymbolTags& tags = elf.symbol_tags;
  if (!tags.symbol_table || !tags.string_table || !(tags.gnu_hash || tags.sysv_hash)) return false;
  TableReader reader(*file_, elf, tables_, TableReader::Purpose::Definitions);
  using Table = TableReader::Table;
  const auto word = [&](std::uint64_t address) -> std::optional<std::uint32_t> {
    const auto bytes = reader.view(Table::Hash, address, 4, 64);
    if (bytes.size() < 4) return std::nullopt;
    return load_as<std::uint32_t>(bytes.data(), reader.order());
  };
  const std::size_t symbol_bytes = reader.is_64() ? 24 : 16;
  const auto at = [](const auto& tag) { return static_cast<std::uint64_t>(*tag); };
  // Is the symbol of that number the one, and does it count?
  const auto is_that = [&](std::uint64_t number, std::string_view name) {
    const auto bytes = reader.view(Table::Symbols, at(tags.symbol_table) + number * symbol_bytes, symbol_bytes);
    if (bytes.size() < symbol_bytes) return false;
    const std::size_t info = reader.is_64() ? 4 : 12;
    const std::uint8_t kind = std::to_integer<std::uint8_t>(bytes[info]);
    const std::uint16_t section = load_as<std::uint16_t>(bytes.data() + info + 2, reader.order());
    const std::uint32_t offset = load_as<std::uint32_t>(bytes.data(), reader.order());
    const std::uint64_t value = reader.is_64() ? load_as<std::uint64_t>(bytes.data() + 8, reader.order())
                                               : load_as<std::uint32_t>(bytes.data() + 4, reader.order());
    const unsigned type = kind & 0xf;
    const unsigned binding = kind >> 4;
    const bool is_type = type <= STT_FUNC || type == STT_COMMON || type == STT_TLS;
    const bool is_binding = binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE;
    if (section == SHN_UNDEF || (value == 0 && type != STT_TLS) || !is_type || !is_binding) return false;
    const auto text = reader.view(Table::Strings, at(tags.string_table) + offset, name.size() + 1);
    if (text.size() != name.size() + 1 || text.back() != std::byte{0}) return false;
    if (!std::equal(name.begin(), name.end(), reinterpret_cast<const char*>(text.data()))) return false;
    if (!tags.version_index) return true;
    const auto version = reader.view(Table::Versions, at(tags.version_index) + 2 * number, 2);
    return version.size() < 2 || (load_as<std::uint16_t>(version.data(), reader.order()) & 0x8000) == 0;
  };
  const auto defines = [&](std::string_view name) {
    if (tags.gnu_hash) {
      std::uint32_t hash = 5381;
      for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
      const std::uint64_t table = at(tags.gnu_hash);
      const auto buckets = word(table);
      const auto first = word(table + 4);
      const auto filter = word(table + 8);
      if (!buckets || *buckets == 0 || !first || !filter) return false;
      const std::uint64_t start = table + 16 + std::uint64_t{*filter} * (reader.is_64() ? 8 : 4);
      const auto bucket = word(start + 4ull * (hash % *buckets));
      if (!bucket || *bucket < *first || *bucket == 0) return false;
      for (std::uint64_t i = *bucket; i - *bucket < kMaxSymbols; ++i) {
        const auto stored = word(start + 4 * (std::uint64_t{*buckets} + i - *first));
        if (!stored) return false;
        if ((*stored | 1) == (hash | 1) && is_that(i, name)) return true;
        if ((*stored & 1) != 0) return false;
      }
      return false;
    }
    std::uint32_t hash = 0;
    for (const char c : name) {
      hash = (hash << 4) + static_cast<unsigned char>(c);
      hash = (hash ^ (hash & 0xf0000000) >> 24) & 0x0fffffff;
    }
    const std::uint64_t table = at(tags.sysv_hash);
    const auto buckets = word(table);
    if (!buckets || *buckets == 0) return false;
    auto i = word(table + 8 + 4ull * (hash % *buckets));
    for (std::uint64_t steps = 0; i && *i != 0 && steps < kMaxSymbols; ++steps) {
      if (is_that(*i, name)) return true;
      i = word(table + 8 + 4 * (std::uint64_t{*buckets} + *i));
    }
    return false;
  };
  return defines("stdin") && defines("__libc_start_main");
}

void MuslWalk::make_dlopen_calls() {
  map_.dlopen_calls_left = options_.dlopen_calls.size();
  for (std::size_t number = 0; number < options_.dlopen_calls.size(); ++number) {
    const OpenRequest& dlopen_call = options_.dlopen_calls[number];
    if (error_ || is_over_ || map_.first_fatal() != nullptr) return;
    --map_.dlopen_calls_left;
    if (dlopen_call.skips_loaded) {
      const Result<FileStatus, Errno> status = system_.files->status(absolute_path(dlopen_call.file, process_.cwd));
      const auto is_it = [&](ObjectIndex i) { return status && map_.objects[i].status.id == status->id; };
      if (std::any_of(list_.begin(), list_.end(), is_it)) continue;
    }
    open_also(dlopen_call, number);
  }
}

void MuslWalk::take_back(std::size_t objects) {
  std::erase_if(list_, [&](ObjectIndex i) { return i >= objects; });
}

/// dlopen: its search begins with the program, whoever calls. A failure takes everything back.
void MuslWalk::open_also(const OpenRequest& dlopen_call, std::size_t number) {
  const std::size_t objects = map_.objects.size();
  const std::size_t failures = map_.failures.size();
  const std::size_t traces = map_.traces.size();
  DlopenCall& begun = map_.dlopen_calls.emplace_back();
  begun.number = number;
  begun.mode = dlopen_call.mode;
  begun.mode.scope = is_global(dlopen_call.mode.scope) ? OpenScope::Global : OpenScope::Local;  // no RTLD_DEEPBIND
  begun.request = {0, static_cast<std::uint32_t>(map_.objects[0].needs.size())};
  begun.first_new = static_cast<ObjectIndex>(objects);
  only_if_loaded_ = dlopen_call.mode.only_if_loaded;
  const Resolved opened = request(0, 0, NeedKind::Dlopen, keep(dlopen_call.file));
  only_if_loaded_ = false;
  DlopenCall& made = map_.dlopen_calls.back();
  made.asked = opened.object;
  made.is_absent = dlopen_call.mode.only_if_loaded && opened.object == kNoObject;
  if (opened.object == kNoObject && !made.is_absent) {
    fail(0, map_.objects[0].needs.back());
    map_.dlopen_calls.back().asked = map_.objects[0].needs.back().target;
  } else if (opened.object != kNoObject) {
    const auto at = std::find(list_.begin(), list_.end(), opened.object);
    load_deps(static_cast<std::size_t>(at - list_.begin()));
    std::vector<ObjectIndex>& own = map_.dlopen_calls.back().search_list;
    own = {opened.object};
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (const Need& need : map_.objects[own[i]].needs) {
        const bool counts = need.kind == NeedKind::Needed && need.target != kNoObject &&
                            map_.objects[need.target].role != ObjectRole::Placeholder &&
                            std::find(own.begin(), own.end(), need.target) == own.end();
        if (counts) own.push_back(need.target);
      }
    }
  }
  const bool fails = map_.failures.size() > failures;
  if (!fails && opened.object != kNoObject) map_.dlopen_calls.back().root = opened.object;
  for (ObjectIndex i = static_cast<ObjectIndex>(objects); i < map_.objects.size(); ++i) map_.list_order.push_back(i);
  if (fails) take_back(objects);
  if (!dlopen_call.is_taken_back) return;
  // It is known to fail, and leaves nothing.
  take_back(objects);
  for (LoadedObject& object : map_.objects) {
    std::erase_if(object.needs, [&](const Need& need) { return need.target != kNoObject && need.target >= objects; });
  }
  std::erase_if(map_.list_order, [&](ObjectIndex i) { return i >= objects; });
  map_.objects.erase(map_.objects.begin() + static_cast<std::ptrdiff_t>(objects), map_.objects.end());
  known_.resize(objects);
  map_.failures.resize(failures);
  map_.traces.resize(traces);
  map_.dlopen_calls.pop_back();
  is_over_ = false;
}

}  // namespace soresolve
