// One request of a walk in musl's way, as load_library() answers it.
//
//   libc's own names   "libm.so.6" and its like are the loader itself, wherever they are asked for
//   a name with "/"    is opened as it is written
//   any other name     is it loaded already, by a name that was searched for? Else it is searched for: LD_LIBRARY_PATH,
//                      the DT_RUNPATH or DT_RPATH of the needer and of those that loaded it, the system's directories
//
// A file that is there ends the search, whatever it is: the first directory that has one decides. Source: musl 1.2
// ldso/dynlink.c: load_library, path_open, fixup_rpath. What becomes of the file is in musl_file.cc; a live process,
// in which nothing is searched for, in musl_live.cc.
#include <algorithm>
#include <cerrno>

#include "base/limits.h"
#include "base/log_line.h"
#include "loader/live_process.h"
#include "loader/musl_walk.h"
#include "loader/search_log.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostNameBytes = 255;
constexpr std::size_t kMostPathBytes = 2 * kMostNameBytes + 2;  // with its NUL

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

MuslWalk::Resolved MuslWalk::request(ObjectIndex needer, ObjectIndex searcher, NeedKind kind, std::string_view name) {
  Need need;
  need.kind = kind;
  need.written = need.name = name;
  SearchTrace trace;
  const bool is_recorded = options_.attempts == Attempts::Record;
  trace_ = is_recorded || wants(options_.log, LogLevel::Trace) ? &trace : nullptr;
  path_.clear();
  file_.reset();
  found_ = {};
  is_on_noexec_ = false;
  const Resolved resolved = load_library(searcher, name, need);
  file_.reset();
  if (options_.log != nullptr) {
    log_attempts(options_.log, name, trace);
    if (resolved.object != kNoObject) {
      log_found(options_.log, name, shown(needer), map_.objects[resolved.object].path);
    } else {
      log_found(options_.log, name, shown(needer), musl_errno_text(errno_));
    }
    log_request(options_.log, name, shown(needer), resolved.resolution);
  }
  if (is_recorded) {
    need.trace = static_cast<std::uint32_t>(map_.traces.size());
    map_.traces.push_back(std::move(trace));
  }
  trace_ = nullptr;
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
  std::string file;
  if (path != kOwnProgram) {
    file = absolute_path(path, process_.cwd);
  } else if (process_.has_proc) {
    file = own_program(map_);
  }
  Result<std::unique_ptr<File>, Errno> opened = Unexpected{errno_of(ENOENT)};
  if (!file.empty()) opened = system_.files->open(file);
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

}  // namespace soresolve
