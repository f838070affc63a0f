// Maps by file, each behind the mutex of its shelf; what two threads read at the same time is kept once. Sizes are
// those of the large parts: values, references, names.
#include "symbols/object_store.h"

#include <utility>

namespace soresolve {
namespace {

std::size_t size_of(const HashedSymbols& symbols) {
  return sizeof symbols + 4 * (symbols.values.capacity() + symbols.notable.capacity()) +
         (symbols.all != nullptr ? symbols.all->size_bytes() : 0);
}

std::size_t size_of(const ObjectDigest& digest) {
  const ObjectReferences& references = digest.references;
  std::size_t bytes = sizeof digest + references.symbols.capacity() * sizeof(ReferredSymbol) +
                      references.references.capacity() * sizeof(Reference) + references.names.capacity();
  if (digest.versions) {
    bytes += (digest.versions->defs.capacity() * sizeof(VersionDef)) +
             (digest.versions->needs.capacity() * (sizeof(VersionNeed) + sizeof(WantedVersion)));
  }
  return bytes;
}

}  // namespace

bool ObjectStore::take_room(std::size_t bytes) {
  std::size_t left = bytes_left_.load(std::memory_order_relaxed);
  while (left >= bytes) {
    if (bytes_left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
  }
  return false;
}

std::shared_ptr<const HashedSymbols> ObjectStore::find_hashed(const FileStatus& file) const {
  const Shelf& shelf = shelf_of(file);
  const std::lock_guard lock(shelf.mutex);
  const auto known = shelf.hashed.find(key_of(file));
  return known == shelf.hashed.end() ? nullptr : known->second;
}

std::shared_ptr<const HashedSymbols> ObjectStore::keep(const FileStatus& file, HashedSymbols symbols) {
  symbols.values.shrink_to_fit();
  const std::size_t bytes = size_of(symbols);
  auto shared = std::make_shared<const HashedSymbols>(std::move(symbols));
  if (!take_room(bytes)) return shared;
  Shelf& shelf = shelf_of(file);
  const std::lock_guard lock(shelf.mutex);
  return shelf.hashed.emplace(key_of(file), std::move(shared)).first->second;
}

std::shared_ptr<const ObjectDigest> ObjectStore::find_digest(const FileStatus& file,
                                                             const ReferenceReading& how) const {
  const Shelf& shelf = shelf_of(file);
  const std::lock_guard lock(shelf.mutex);
  const auto known = shelf.digests.find({key_of(file), how});
  return known == shelf.digests.end() ? nullptr : known->second;
}

std::shared_ptr<const SettledReferences> ObjectStore::find_settled(const FileStatus& file,
                                                                   const ReferenceReading& how) const {
  const Shelf& shelf = shelf_of(file);
  const std::lock_guard lock(shelf.mutex);
  const auto known = shelf.settled.find({key_of(file), how});
  return known == shelf.settled.end() ? nullptr : known->second;
}

void ObjectStore::keep(const FileStatus& file, const ReferenceReading& how, SettledReferences settled) {
  settled.hashes.shrink_to_fit();
  settled.providers.shrink_to_fit();
  if (!take_room(sizeof settled + 4 * settled.hashes.size() + sizeof(FileKey) * settled.providers.size())) return;
  auto shared = std::make_shared<const SettledReferences>(std::move(settled));
  Shelf& shelf = shelf_of(file);
  const std::lock_guard lock(shelf.mutex);
  shelf.settled.emplace(std::pair(key_of(file), how), std::move(shared));
}

std::shared_ptr<const ObjectDigest> ObjectStore::keep(const FileStatus& file, const ReferenceReading& how,
                                                      ObjectDigest digest) {
  digest.references.symbols.shrink_to_fit();
  digest.references.references.shrink_to_fit();
  digest.references.names.shrink_to_fit();
  const std::size_t bytes = size_of(digest);
  auto shared = std::make_shared<const ObjectDigest>(std::move(digest));
  if (!take_room(bytes)) return shared;
  Shelf& shelf = shelf_of(file);
  const std::lock_guard lock(shelf.mutex);
  return shelf.digests.emplace(std::pair(key_of(file), how), std::move(shared)).first->second;
}

}  // namespace soresolve
