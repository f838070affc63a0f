// A process that runs: its program, environment and objects are what /proc tells, not what a start would bring. Files
// that were removed or replaced since are read through its own links. Source: proc(5); only what may be read is.
#include <algorithm>
#include <cerrno>

#include "base/host_file.h"
#include "base/user.h"
#include "host/host.h"
#include "world/world_state.h"

namespace soresolve {
namespace {

/// Is a file that can be read at its path to be read there? Not where the process itself may not open it any more.
enum class KeepsLink : std::uint8_t { No, Yes };

/// Decides where the file of an object can be read: at its path, if that is still what is mapped. Is it a
/// library at all? Code of something else can be mapped as well, where only addresses tell what is loaded.
Result<bool> find_mapped_file(const FileSystem& files, KeepsLink keeps_link, LiveObject& object, const std::string& pid,
                              std::vector<Statement>& notes) {
  if (object.is_dynamic_loader) return true;
  const std::string who = "process " + pid;
  const Result<FileStatus, Errno> there = files.status(object.path);
  const bool is_same = !object.is_deleted && there && there->id.inode == object.inode;
  Result<OpenedObject> opened =
      is_same ? open_object(files, object.path, object.name) : Result<OpenedObject>(Unexpected{Error{}});
  const bool is_at_path = is_same && (opened || opened.error().code != ErrorCode::Unreadable);
  if (!is_at_path) opened = open_object(*host_file_system(), object.mapped_at, object.name);
  const auto cannot_tell = [&](const std::string& why) {
    return Unexpected{Error{ErrorCode::Unreadable, {}, {}, "cannot tell: " + who + why}};
  };
  if (!opened && opened.error().code == ErrorCode::NotFound) {
    return cannot_tell(" changed while it was read: " + object.name + " is no longer mapped");
  }
  if (!opened && opened.error().code == ErrorCode::Unreadable) {
    return cannot_tell(" has " + object.name + " mapped, " +
                       (is_same ? "whose file" : "as it was before it was removed or replaced, and that") +
                       " cannot be read: " + opened.error().message +
                       " (that takes root: CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE)");
  }
  if (!opened || !opened->elf.has_dynamic) {
    const Statement reason = opened ? say("mapped-not-dynamic") : words_of_others(opened.error().message);
    notes.push_back(say("note-no-library", {{"pid", pid}, {"file", object.name}, {"reason", reason}}));
    return false;
  }
  const FileId mapped = opened->file->status().id;
  const bool can_follow = keeps_link == KeepsLink::Yes && host_file_system()->open(object.mapped_at);
  if (is_at_path && !can_follow) object.mapped_at.clear();
  // Some file systems give mappings other numbers than files.
  if (is_at_path || (there && there->id == mapped)) return true;
  if (mapped.inode != object.inode)
    return cannot_tell(" changed while it was read: " + object.name + " is no longer mapped");
  notes.push_back(there ? say("note-replaced", {{"file", object.name}, {"pid", pid}})
                        : say("note-removed", {{"file", object.name}, {"pid", pid}}));
  return true;
}

/// Is the beginning of a file, with its headers and build id, what was mapped of it?
bool begins_with(const File& file, const std::vector<std::byte>& head) {
  std::vector<std::byte> now(head.size());
  const Result<std::size_t, Errno> got = file.read_at(0, now);
  if (!got) return false;
  // What was mapped behind the end of a short file is zeros.
  return std::equal(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(*got), head.begin());
}

/// An object of a dump, in the root as it is now: one that is gone is left out.
bool is_still_there(const FileSystem& files, const LiveObject& object, std::vector<Statement>& notes) {
  const Result<OpenedObject> opened = open_object(files, object.path, object.name);
  if (!opened || !opened->elf.has_dynamic) {
    if (!object.is_dynamic_loader && !opened) {
      notes.push_back(
          say("note-dump-gone", {{"file", object.path}, {"reason", words_of_others(opened.error().message)}}));
    }
    return object.is_dynamic_loader;
  }
  if (!object.head.empty() && !begins_with(*opened->file, object.head)) {
    notes.push_back(say("note-dump-other", {{"file", object.path}}));
  } else if (object.is_deleted) {
    notes.push_back(say("note-dump-replaced", {{"file", object.path}}));
  }
  return true;
}

void note_on_dump(const FileSystem& files, const LiveProcess& dump, std::vector<Statement>& notes) {
  if (!dump.is_environment_known) {
    notes.push_back(say("note-dump-environment"));
  }
  const Result<std::unique_ptr<File>, Errno> program = files.open(dump.exe);
  if (program && !dump.exe_head.empty() && !begins_with(**program, dump.exe_head)) {
    notes.push_back(say("note-dump-program", {{"file", dump.exe}}));
  }
}

}  // namespace

/// What a live process says comes first; options can replace its environment and directory.
std::optional<Error> World::State::prepare_live() {
  if (!settings_.live.core.empty()) return prepare_dump();
  if (settings_.live.pid == 0) return std::nullopt;
  if (!settings_.where.root.empty() || settings_.where.is_recorded || !process_.exe.empty()) {
    return usage_error("--pid gives root and program: --root and --exe do not go with it");
  }
  Result<LiveProcess> live = read_live_process(settings_.live.pid);
  if (!live) return std::move(live).error();
  live_ = std::move(live).value();
  root_ = live_->root;
  return std::nullopt;
}

std::optional<Error> World::State::prepare_dump() {
  if (settings_.live.pid != 0 || !process_.exe.empty()) {
    return usage_error("--core gives the program: --pid and --exe do not go with it");
  }
  const Result<std::unique_ptr<File>, Errno> dump =
      host_file_system()->open(absolute_path(settings_.live.core, settings_.host.cwd));
  if (!dump) {
    return Error{ErrorCode::Unreadable, settings_.live.core, {}, errno_text(dump.error(), ErrnoText::FromDlerror)};
  }
  Result<LiveProcess> process = read_core_dump(**dump, settings_.live.core);
  if (!process) return std::move(process).error();
  live_ = std::move(process).value();
  return std::nullopt;
}

/// The file that the process runs, whatever lies at its path now; of a dump what lies there.
Result<OpenedObject> World::State::open_live_program() const {
  if (live_->is_dump) return open_object(*files_, live_->exe, live_->exe);
  return open_object(*host_file_system(), live_->exe_file, live_->exe);
}

namespace {

/// Is it still where the process had it when it was read, whether or not it may be opened?
bool is_mapped(const LiveObject& object) {
  const Result<std::string, Errno> link = read_host_link(object.mapped_at);
  return link || link.error() != static_cast<Errno>(ENOENT);
}

/// Of an object that is listed all the same.
std::string why_unreadable(const FileSystem& files, const LiveObject& object) {
  const Result<OpenedObject> opened = object.mapped_at.empty()
                                          ? open_object(files, object.path, object.name)
                                          : open_object(*host_file_system(), object.mapped_at, object.name);
  return opened ? "it is not dynamic" : opened.error().message;
}

/// The same objects without some of them, counted anew.
class LiveSelection {
 public:
  explicit LiveSelection(const LiveProcess& whole) : live_(whole) {
    live_.objects.clear();
    place_ = {0};
  }
  void keep(LiveObject object) {
    live_.objects.push_back(std::move(object));
    place_.emplace_back(live_.objects.size());
  }
  void leave_out() { place_.emplace_back(); }
  void leave_out(LiveObject object, std::string reason) {
    live_.left_out.push_back({std::move(object), live_.objects.size(), std::move(reason)});
    leave_out();
  }
  LiveProcess finish(const LiveProcess& whole) {
    for (LiveObject& object : live_.objects) {
      if (object.loader) object.loader = place_[*object.loader];
    }
    for (LeftOutObject& left_out : live_.left_out) {
      if (left_out.object.loader) left_out.object.loader = place_[*left_out.object.loader];
    }
    if (!live_.global) return std::move(live_);
    live_.global->clear();
    for (const std::size_t number : *whole.global) {
      if (place_[number]) live_.global->push_back(*place_[number]);
    }
    return std::move(live_);
  }

 private:
  LiveProcess live_;
  std::vector<std::optional<std::size_t>> place_;  ///< by number before
};

}  // namespace

void World::State::note_dump(Prepared& prepared) const {
  if (live_ && live_->is_dump) note_on_dump(*files_, *live_, prepared.notes);
}

/// Which files the live process has mapped: those at their paths, or others that were there before.
std::optional<Error> World::State::add_live_objects(Prepared& prepared, LiveExtent extent) {
  if (!live_) return std::nullopt;
  const std::string pid = std::to_string(settings_.live.pid);
  const bool is_whole = extent == LiveExtent::Whole;
  // Without the list what has no dynamic section is no object: something else has mapped it.
  const bool is_listed = live_->is_in_load_order;
  LiveSelection selection(*live_);
  for (LiveObject object : live_->objects) {
    if (!is_whole && object.space != 0) {
      selection.leave_out();
      continue;
    }
    std::vector<Statement> notes;
    Result<bool> is_library =
        live_->is_dump
            ? Result<bool>(is_still_there(*files_, object, notes))
            : find_mapped_file(*files_, files_of(user_) == files_ ? KeepsLink::No : KeepsLink::Yes, object, pid, notes);
    if (!is_library && (!is_whole || !is_mapped(object))) return std::move(is_library).error();
    if (is_whole && is_listed && (!is_library || !*is_library)) {
      std::string reason = why_unreadable(*files_, object);
      selection.leave_out(std::move(object), std::move(reason));
      continue;
    }
    if (is_library && *is_library) {
      selection.keep(std::move(object));
    } else {
      selection.leave_out();
    }
    prepared.notes.insert(prepared.notes.end(), notes.begin(), notes.end());
  }
  LiveProcess live = selection.finish(*live_);
  if (!live.is_in_load_order) {
    prepared.notes.push_back(live.is_dump ? say("note-dump-order-guessed", {{"reason", live.list_problem}})
                                          : say("note-order-guessed", {{"pid", pid}, {"reason", live.list_problem}}));
  }
  if (!live.global && !is_whole) {
    prepared.notes.push_back(live.is_dump ? say("note-dump-opened-local") : say("note-opened-local", {{"pid", pid}}));
  }
  prepared.process.live = std::make_shared<const LiveProcess>(std::move(live));
  return std::nullopt;
}

/// Nothing is opened: the map is what the process has.
Result<Resolution> World::State::resolve_running(const ResolveOptions& options) {
  process_ = settings_.process;
  refused_.reset();
  if (auto error = read_settings()) return Unexpected{std::move(*error)};
  if (!live_) return Unexpected{usage_error("--pid or --core names the process")};
  Result<OpenedObject> opened = open_live_program();
  if (!opened) return Unexpected{std::move(opened).error()};
  const bool has_loader = std::any_of(live_->objects.begin(), live_->objects.end(),
                                      [](const LiveObject& object) { return object.is_dynamic_loader; });
  if (opened->elf.has_dynamic && !opened->elf.has_interp && !has_loader && !live_->objects.empty()) {
    return Unexpected{Error{ErrorCode::Unsupported,
                            live_->exe,
                            {},
                            "is the loader itself, started as `ld.so PROGRAM`, or a static program that has opened "
                            "libraries: its list of objects cannot be found"}};
  }
  if (!opened->elf.has_dynamic || (!opened->elf.has_interp && !has_loader)) {
    return Unexpected{Error{ErrorCode::NotDynamic, live_->exe, {}, "is static: no loader is in its process"}};
  }
  Result<Prepared> prepared = prepare_alone(live_->exe, {live_->exe, std::move(opened).value()});
  if (!prepared) return Unexpected{std::move(prepared).error()};
  if (auto error = add_live_objects(*prepared, LiveExtent::Whole)) return Unexpected{std::move(*error)};
  return walk(std::move(prepared).value(), {}, options);
}

}  // namespace soresolve
