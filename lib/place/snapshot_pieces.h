// Which bytes of a file a snapshot holds, and in which stream.
#pragma once
#include <string>
#include <vector>

#include "place/snapshot_data.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// Ranges of a file, ascending and apart from each other.
class RangeSet {
 public:
  void add(std::uint64_t start, std::uint64_t end);
  void add(const RangeSet& other) {
    for (const SnapshotRange& range : other.ranges()) add(range.start, range.end);
  }
  [[nodiscard]] const std::vector<SnapshotRange>& ranges() const;
  [[nodiscard]] bool is_empty() const { return ranges_.empty(); }

 private:
  mutable std::vector<SnapshotRange> ranges_;
  mutable bool is_sorted_ = true;
  mutable std::size_t settled_ = 0;
};

/// A piece with its bytes.
struct HeldPiece {
  SnapshotPiece piece;
  std::string bytes;
};
struct HeldContent {
  std::uint64_t end = 0;
  std::vector<HeldPiece> pieces;
  std::vector<SnapshotRange> searched;
};

/// What was read of a file.
struct FileReads {
  RangeSet exact;
  RangeSet searched;
  std::uint64_t end = 0;  ///< the farthest byte that was read, where the file has no size
};

/// Has a section the name of one that compilers put GPU code in? Of a 64-bit little-endian ELF file.
bool has_gpu_section(const File& file);

/// Reads it again, tables of a dynamic ELF file whole.
HeldContent hold_content(const File& file, const FileReads& reads);

}  // namespace soresolve
