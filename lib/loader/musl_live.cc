// The start of a walk in a process that runs under musl's loader: nothing is searched for, everything is as it has it.
//
// Source: musl ldso/dynlink.c: the list of struct dso, as lib/host/live_link_map.cc reads it. What each object needs is
// looked up among what is there, as a dlopen(3) with RTLD_NOLOAD would. Where the private part of the list could not be
// read, every object counts as found by a search, and as global.
#include <algorithm>

#include "loader/live_process.h"
#include "loader/musl_walk.h"

namespace soresolve {

std::optional<Error> MuslWalk::adopt_live_objects() {
  const LiveProcess& live = *process_.live;
  known_[0].rpath = live.rpath;
  std::vector<ObjectIndex> places = {0};
  for (const LiveObject& object : live.objects) {
    if (object.is_dynamic_loader) {
      places.push_back(loader_);
      // Without the list it is not known whether anybody has asked for it: it is mapped in any case.
      itself(HowFound::ByName);
      continue;
    }
    places.push_back(static_cast<ObjectIndex>(map_.objects.size()));
    if (auto error = add_live_object(object)) return error;
    if (error_) return std::move(error_);
  }
  for (std::size_t i = 0; i < live.objects.size(); ++i) {
    const auto loader = live.objects[i].loader;
    const ObjectIndex object = places[i + 1];
    if (loader && *loader < places.size() && object != loader_) map_.objects[object].loader = places[*loader];
  }
  const std::vector<ObjectIndex> list = list_;
  only_if_loaded_ = true;
  for (const ObjectIndex index : list) {
    const std::vector<NeedEntry> needs = map_.objects[index].elf.needs;
    for (const NeedEntry& entry : needs) {
      if (entry.kind == NeedKind::Needed && !is_over_) request(index, index, entry.kind, entry.name);
    }
    known_[index].has_deps = true;
  }
  only_if_loaded_ = false;
  blocks_ = is_over_ = false;
  list_live_scope(places);
  map_.list_order = list_;
  return std::move(error_);
}

std::optional<Error> MuslWalk::add_live_object(const LiveObject& live) {
  Result<OpenedLiveObject> opened = open_live_object(*system_.files, live, options_, map_.text);
  if (!opened) return std::move(opened).error();
  LoadedObject& object = opened->object;
  if (open_files_ < kMaxOpenFiles) {
    ++open_files_;
    object.file = std::move(opened->file);
  }
  Known known;
  known.has_deps = true;
  known.rpath = live.rpath;
  if (!live.names.empty()) known.shortname = live.names.front();
  const bool is_list_read = process_.live->is_in_load_order && process_.live->global;
  if (!is_list_read) known.shortname = live.name.substr(live.name.rfind('/') + 1);
  list_.push_back(add_object(std::move(object), std::move(known)));
  return std::nullopt;
}

/// The order of lookups, as the process has it.
void MuslWalk::list_live_scope(const std::vector<ObjectIndex>& places) {
  map_.search_list = list_;
  if (!process_.live->global) return;
  map_.search_list.clear();
  for (const std::size_t place : *process_.live->global) {
    if (place < places.size()) map_.search_list.push_back(places[place]);
  }
}

}  // namespace soresolve
