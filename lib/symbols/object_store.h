// Facts of files that many link maps have in common, read once.
//
// A system library is in nearly every process of a tree, and what its symbol tables say is the same in all of them: the
// hash values of its symbols, and what it refers to as long as no object before it has a notable symbol of the same
// hash value (own_symbols.h). Entries are immutable and shared; a file that changes is another file. What is beyond the
// bound on memory is not kept: that changes the time, not the answer.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "soresolve/file_system.h"
#include "symbols/object_digest.h"
#include "symbols/own_symbols.h"

namespace soresolve {

inline constexpr std::size_t kMaxStoreBytes = std::size_t{160} << 20;  ///< of all entries together

/// How a file's references were read, as far as that differs between maps.
struct ReferenceReading {
  bool has_version_table = true;
  bool tlsdesc_is_lazy = false;
  auto operator<=>(const ReferenceReading&) const = default;
};

/// Device, inode, time and size.
using FileKey = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::uint64_t>;

/// Of a file whose references were all found in one map, with nothing for the loader to say: see symbols/settled.h.
struct SettledReferences {
  std::vector<FileKey> providers;     ///< where they were found, without the file itself; ascending
  std::vector<std::uint32_t> hashes;  ///< of their names, without lowest bits; ascending
};

/// Used by several threads at a time. Of one machine: files are told apart by device and inode.
class ObjectStore {
 public:
  explicit ObjectStore(std::size_t max_bytes = kMaxStoreBytes) : bytes_left_(max_bytes) {}

  /// nullptr: not known.
  [[nodiscard]] std::shared_ptr<const HashedSymbols> find_hashed(const FileStatus& file) const;
  /// Gives it back, kept or not.
  std::shared_ptr<const HashedSymbols> keep(const FileStatus& file, HashedSymbols symbols);

  [[nodiscard]] std::shared_ptr<const ObjectDigest> find_digest(const FileStatus& file,
                                                                const ReferenceReading& how) const;
  std::shared_ptr<const ObjectDigest> keep(const FileStatus& file, const ReferenceReading& how, ObjectDigest digest);

  [[nodiscard]] std::shared_ptr<const SettledReferences> find_settled(const FileStatus& file,
                                                                      const ReferenceReading& how) const;
  void keep(const FileStatus& file, const ReferenceReading& how, SettledReferences settled);

  static FileKey key_of(const FileStatus& file) {
    return {file.id.device, file.id.inode, file.modified_ns, file.size_bytes};
  }

 private:
  struct Shelf {
    mutable std::mutex mutex;
    std::map<FileKey, std::shared_ptr<const HashedSymbols>> hashed;
    std::map<std::pair<FileKey, ReferenceReading>, std::shared_ptr<const ObjectDigest>> digests;
    std::map<std::pair<FileKey, ReferenceReading>, std::shared_ptr<const SettledReferences>> settled;
  };
  Shelf& shelf_of(const FileStatus& file) { return shelves_[file.id.inode % shelves_.size()]; }
  [[nodiscard]] const Shelf& shelf_of(const FileStatus& file) const {
    return shelves_[file.id.inode % shelves_.size()];
  }
  bool take_room(std::size_t bytes);

  std::array<Shelf, 16> shelves_;
  std::atomic<std::size_t> bytes_left_;
};

}  // namespace soresolve
