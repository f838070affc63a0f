// The start of a walk in a process that runs: nothing is searched for, everything is as it has it.
//
// Source: the process's own link maps (loader/live_process.h). What each object needs is looked up
// among the names that are there, as a dlopen(3) would (elf/dl-load.c:_dl_map_object, first loop). Where the
// loader's list could not be read, an object goes by its path, its file name and its SONAME, which is what
// most requests have used.
#include <algorithm>
#include <iterator>

#include "loader/live_process.h"
#include "loader/load.h"
#include "loader/walk.h"

namespace soresolve {

std::optional<Error> Walk::adopt_live_objects() {
  const LiveProcess& live = *process_.live;
  has_exec_stack_ |= live.has_exec_stack;
  live_places_ = {0};
  const ObjectIndex vdso = loader_object_ + 1;
  std::vector<ObjectIndex> order = {0, vdso};  // of the program's namespace
  for (const LiveObject& object : live.objects) {
    // Each namespace of dlmopen has a list and names of its own, and follows the ones before.
    enter_space(object.space);
    if (object.is_dynamic_loader) {
      name_live_loader(object);
      live_places_.push_back(loader_object_);
    } else {
      live_places_.push_back(static_cast<ObjectIndex>(map_.objects.size()));
      if (auto error = add_live_object(object)) return error;
      if (error_) return std::move(error_);
    }
    if (object.space == 0) order.push_back(live_places_.back());
  }
  enter_space(0);
  for (std::size_t i = 0; i < live.objects.size(); ++i) {
    const auto loader = live.objects[i].loader;
    if (loader && *loader < live_places_.size()) map_.objects[live_places_[i + 1]].loader = live_places_[*loader];
  }
  if (std::find(order.begin(), order.end(), loader_object_) == order.end()) order.push_back(loader_object_);
  list_ = order;
  map_.list_order = std::move(order);
  std::copy_if(live_places_.begin(), live_places_.end(), std::back_inserter(map_.list_order),
               [&](ObjectIndex index) { return map_.objects[index].space != 0; });
  if (!live.is_in_load_order) guess_names();
  is_adopting_ = true;
  for (const ObjectIndex index : std::vector<ObjectIndex>(map_.list_order)) {
    enter_space(map_.objects[index].space);
    const std::vector<NeedEntry> needs = map_.objects[index].elf.needs;
    for (const NeedEntry& entry : needs) request(index, entry.kind, entry.name);
  }
  enter_space(0);
  is_adopting_ = false;
  list_global_scope();
  return std::nullopt;
}

Result<OpenedLiveObject> open_live_object(const FileSystem& files, const LiveObject& live, const LoadOptions& options,
                                          TextArena& text) {
  Result<OpenedObject> opened = live.mapped_at.empty() ? open_object(files, live.path, live.name)
                                                       : open_object(*host_file_system(), live.mapped_at, live.name);
  if (!opened) return Unexpected{std::move(opened).error()};
  LoadedObject object;
  object.live = &live;
  object.path = text.keep(live.name);
  object.requested_name = live.names.empty() ? object.path : text.keep(live.names.front());
  object.elf = std::move(opened->elf);
  object.status = opened->file->status();
  edit_tags(object, options, text);
  object.found.step = SearchStep::Path;
  return OpenedLiveObject{std::move(object), std::move(opened->file)};
}

std::optional<Error> Walk::add_live_object(const LiveObject& live) {
  Result<OpenedLiveObject> opened = open_live_object(*system_.files, live, options_, map_.text);
  if (!opened) return std::move(opened).error();
  LoadedObject& object = opened->object;
  keep_file(object, std::move(opened->file));
  const std::uint64_t inode = object.status.id.inode;
  const ObjectIndex index = add_object(std::move(object));
  by_inode_.emplace(inode, index);
  const LoadedObject& added = map_.objects[index];
  index_.add(added.requested_name, index);
  index_.add(added.path, index);
  if (added.elf.soname) index_.add(*added.elf.soname, index);
  for (const std::string& name : live.names) add_name(index, keep(name));
  if (live.names.empty()) add_name(index, added.path.substr(added.path.rfind('/') + 1));
  return std::nullopt;
}

/// Without the loader's list: what a search for the SONAME finds is what the loader calls the same file.
void Walk::guess_names() {
  for (const ObjectIndex index : live_places_) {
    const LoadedObject& object = map_.objects[index];
    if (object.role != ObjectRole::Library || !object.elf.soname) continue;
    const SearchResult found = search_.search(lists_.make_request(map_, 0, *object.elf.soname), nullptr);
    if (found.outcome != Outcome::Loaded || search_.file().status().id != object.status.id) continue;
    const std::string_view path = keep(found.path);
    map_.objects[index].path = path;
    index_.add(path, index);
  }
  search_.clear_errno();
}

/// What its own list calls it: the path of PT_INTERP as a rule, but not if it was the command.
void Walk::name_live_loader(const LiveObject& live) {
  if (live.names.empty()) return;
  LoadedObject& loader = map_.objects[loader_object_];
  loader.path = keep(live.name);
  index_.add(loader.path, loader_object_);
  for (const std::string& name : live.names) add_name(loader_object_, keep(name));
}

/// As the process has it. Where that could not be read: what the program and its preloads need.
void Walk::list_global_scope() {
  std::vector<ObjectIndex> list;
  std::vector<bool> is_listed(map_.objects.size(), false);
  const auto append = [&](ObjectIndex object) {
    if (object == kNoObject || is_listed[object]) return;
    is_listed[object] = true;
    list.push_back(object);
  };
  if (process_.live->global) {
    for (const std::size_t place : *process_.live->global) {
      if (place < live_places_.size()) append(live_places_[place]);
    }
  } else {
    append(0);
    for (const PreloadName& preload : preload_names()) {
      HowFound how = HowFound::ByName;
      append(find_loaded(keep(preload.name), how).value_or(kNoObject));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (const Need& need : map_.objects[list[i]].needs) append(need.target);
    }
  }
  map_.search_list = std::move(list);
}

}  // namespace soresolve
