// A process that runs: its program, environment and objects are what /proc tells, not what a start would bring. Files
// that were removed or replaced since are read through its own links. Source: proc(5); only what may be read is.
#include <algorithm>

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

/// Which files the live process has mapped: those at their paths, or others that were there before.
std::optional<Error> World::State::add_live_objects(Prepared& prepared) {
  if (!live_) return std::nullopt;
  const std::string pid = std::to_string(settings_.live.pid);
  if (live_->is_dump) note_on_dump(*files_, *live_, prepared.notes);
  LiveProcess live = *live_;
  live.objects.clear();
  std::vector<std::optional<std::size_t>> place = {0};  // by number before: without what is no library
  for (LiveObject object : live_->objects) {
    Result<bool> is_library =
        live_->is_dump ? Result<bool>(is_still_there(*files_, object, prepared.notes))
                       : find_mapped_file(*files_, files_of(user_) == files_ ? KeepsLink::No : KeepsLink::Yes, object,
                                          pid, prepared.notes);
    if (!is_library) return std::move(is_library).error();
    place.push_back(*is_library ? std::optional(live.objects.size() + 1) : std::nullopt);
    if (*is_library) live.objects.push_back(std::move(object));
  }
  for (LiveObject& object : live.objects) {
    if (object.loader) object.loader = place[*object.loader];
  }
  if (live.global) {
    live.global->clear();
    for (const std::size_t number : *live_->global) {
      if (place[number]) live.global->push_back(*place[number]);
    }
  }
  if (!live.is_in_load_order) {
    prepared.notes.push_back(live.is_dump ? say("note-dump-order-guessed", {{"reason", live.list_problem}})
                                          : say("note-order-guessed", {{"pid", pid}, {"reason", live.list_problem}}));
  }
  if (!live.global) {
    prepared.notes.push_back(live.is_dump ? say("note-dump-opened-local") : say("note-opened-local", {{"pid", pid}}));
  }
  prepared.process.live = std::make_shared<const LiveProcess>(std::move(live));
  return std::nullopt;
}

}  // namespace soresolve
