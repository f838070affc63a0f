// A hash table from names to objects (FNV-1a, linear probing, at most half full). Several objects may have one name:
// find() then returns kSeveral, and the caller walks the list, as glibc 2.36 elf/dl-load.c:_dl_map_object always does.
#include "loader/name_index.h"

#include <cstring>

namespace soresolve {
namespace {

/// Eight bytes at a time: most names are paths.
std::uint32_t hash_of(std::string_view name) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
  std::uint64_t hash = name.size();
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 32;
  };
  const char* at = name.data();
  std::size_t left = name.size();
  for (; left >= sizeof(std::uint64_t); left -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    mix(word);
  }
  std::uint64_t word = 0;
  for (; left > 0; --left, ++at) word = word << 8 | static_cast<unsigned char>(*at);
  mix(word);
  return static_cast<std::uint32_t>(hash);
}

}  // namespace

void NameIndex::insert(const Slot& slot) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = slot.hash & mask;
  while (slots_[at].object != kNoObject) at = (at + 1) & mask;
  slots_[at] = slot;
}

void NameIndex::grow() {
  std::vector<Slot> old(slots_.empty() ? 256 : slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.object != kNoObject) insert(slot);
  }
}

void NameIndex::add(std::string_view name, ObjectIndex object) {
  if ((used_ + 1) * 2 > slots_.size()) grow();
  const std::uint32_t hash = hash_of(name);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].object != kNoObject; at = (at + 1) & mask) {
    if (slots_[at].object == object && slots_[at].hash == hash && slots_[at].name == name) return;
  }
  insert({name, hash, object});
  ++used_;
}

void NameIndex::add_unless_known(std::string_view name, ObjectIndex object) {
  if ((used_ + 1) * 2 > slots_.size()) grow();
  const std::uint32_t hash = hash_of(name);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].object != kNoObject; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && slots_[at].name == name) return;
  }
  insert({name, hash, object});
  ++used_;
}

ObjectIndex NameIndex::find(std::string_view name) const {
  if (slots_.empty()) return kNoObject;
  const std::uint32_t hash = hash_of(name);
  const std::size_t mask = slots_.size() - 1;
  ObjectIndex found = kNoObject;
  for (std::size_t at = hash & mask; slots_[at].object != kNoObject; at = (at + 1) & mask) {
    if (slots_[at].hash != hash || slots_[at].name != name) continue;
    if (found != kNoObject) return kSeveral;
    found = slots_[at].object;
  }
  return found;
}

std::vector<ObjectIndex> NameIndex::find_all(std::string_view name) const {
  std::vector<ObjectIndex> found;
  if (slots_.empty()) return found;
  const std::uint32_t hash = hash_of(name);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].object != kNoObject; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && slots_[at].name == name) found.push_back(slots_[at].object);
  }
  return found;
}

}  // namespace soresolve
