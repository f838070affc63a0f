// The loader's list where it could be read: each entry is the file that is mapped where its dynamic section lies. Else
// whatever is mapped as code, from the highest address down. Source: as in live_process.h.
#include "host/live_objects.h"

#include <elf.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/load.h"

namespace soresolve {
namespace {

bool starts_lower(const LiveMapping& a, const LiveMapping& b) { return a.start < b.start; }

class ObjectFiller {
 public:
  using Where = std::function<void(LiveObject&, const LiveMapping&)>;

  /// What lies at AT_BASE is ld.so, whatever its names are.
  ObjectFiller(LiveProcess& process, const AuxiliaryVector& vector, const std::vector<LiveMapping>& mappings,
               const Where& where)
      : process_(process), vector_(vector), mappings_(mappings),
        loader_(mapping_at(mappings, vector.value(AT_BASE).value_or(0))), where_(where) {}

  void fill_from_list(const LiveLinkMap& map) {
    // By entry: the place in the answer, 0 for the program.
    std::vector<std::optional<std::size_t>> place(map.entries.size());
    std::vector<std::optional<std::size_t>> loaders;
    for (std::size_t i = 0; i < map.entries.size(); ++i) {
      const LiveEntry& entry = map.entries[i];
      const LiveMapping* mapping = mapping_at(mappings_, entry.dynamic);
      if (i == 0) {
        place[0] = 0;
        continue;
      }
      if (mapping == nullptr) continue;  // the vDSO
      LiveObject object = object_of(*mapping);
      if (!entry.name.empty()) object.name = entry.name;
      object.names = entry.names;
      object.origin = entry.origin;
      object.rpath = entry.rpath;
      object.is_opened = entry.is_opened;
      object.space = entry.space;
      process_.objects.push_back(std::move(object));
      loaders.push_back(entry.loader);
      place[i] = process_.objects.size();
    }
    for (std::size_t i = 0; i < loaders.size(); ++i) {
      if (loaders[i]) process_.objects[i].loader = place[*loaders[i]];
    }
    if (map.global) {
      process_.global.emplace();
      for (const std::size_t entry : *map.global) {
        if (place[entry]) process_.global->push_back(*place[entry]);
      }
    }
    process_.origin_state = map.origin_state;
    process_.origin = map.entries.front().origin.value_or("");
    process_.rpath = map.entries.front().rpath;
    process_.is_in_load_order = true;
  }

  /// The kernel maps from the top downwards, so what was loaded first tends to lie highest.
  void list_by_address() {
    const LiveMapping* const program = mapping_at(mappings_, vector_.value(AT_PHDR).value_or(0));
    std::set<std::pair<std::uint64_t, std::uint64_t>> known;
    for (auto mapping = mappings_.rbegin(); mapping != mappings_.rend(); ++mapping) {
      if (!mapping->is_code || (program != nullptr && program->is_same_file(*mapping))) continue;
      if (!known.emplace(mapping->device, mapping->inode).second) continue;
      process_.objects.push_back(object_of(*mapping));
    }
  }

 private:
  [[nodiscard]] LiveObject object_of(const LiveMapping& mapping) const {
    LiveObject object;
    object.path = mapping.path;
    object.is_deleted = mapping.is_deleted;
    object.inode = mapping.inode;
    object.name = mapping.path;
    object.is_dynamic_loader = loader_ != nullptr && loader_->is_same_file(mapping);
    where_(object, mapping);
    return object;
  }

  LiveProcess& process_;
  const AuxiliaryVector& vector_;
  const std::vector<LiveMapping>& mappings_;
  const LiveMapping* loader_;
  const Where& where_;
};

}  // namespace

void sort_by_address(std::vector<LiveMapping>& mappings) {
  std::stable_sort(mappings.begin(), mappings.end(), starts_lower);
}

const LiveMapping* mapping_at(const std::vector<LiveMapping>& mappings, std::uint64_t address) {
  LiveMapping wanted;
  wanted.start = address;
  const auto behind = std::upper_bound(mappings.begin(), mappings.end(), wanted, starts_lower);
  if (behind == mappings.begin()) return nullptr;
  const LiveMapping& mapping = *std::prev(behind);
  return address < mapping.end ? &mapping : nullptr;
}

std::optional<std::uint64_t> AuxiliaryVector::value(std::uint64_t type) const {
  const auto word = [this](const std::byte* at) {
    return word_bytes == 8 ? load_as<std::uint64_t>(at, std::endian::native)
                           : load_as<std::uint32_t>(at, std::endian::native);
  };
  const std::byte* const first = reinterpret_cast<const std::byte*>(bytes.data());
  for (std::size_t at = 0; at + 2 * word_bytes <= bytes.size(); at += 2 * word_bytes) {
    if (word(first + at) == type) return word(first + at + word_bytes);
  }
  return std::nullopt;
}

ProgramImage AuxiliaryVector::program() const {
  return {word_bytes, value(AT_PHDR).value_or(0), value(AT_PHNUM).value_or(0), value(AT_PHENT).value_or(0),
          value(AT_ENTRY).value_or(0)};
}

void add_live_objects(LiveProcess& process, const AuxiliaryVector& vector, const std::vector<LiveMapping>& mappings,
                      const LinkMapReading& list, const Statement& why_no_list,
                      const std::function<void(LiveObject& object, const LiveMapping& mapping)>& where) {
  ObjectFiller filler(process, vector, mappings, where);
  switch (list.state) {
    case ListState::Read: return filler.fill_from_list(list.map);
    case ListState::Damaged: process.list_problem = say("list-damaged"); break;
    default: process.list_problem = why_no_list;
  }
  filler.list_by_address();
}

}  // namespace soresolve
