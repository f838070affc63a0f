// A snapshot as plain data: what was recorded of each path, and the bytes of files. Stored without the DT_GNU_HASH
// tables, which follow from the names of the symbols (only their sizes are), and without the names of people where that
// is wanted.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "place/snapshot.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve {

/// What is known of one path without links.
struct SnapshotNode {
  SnapshotEntry::Kind kind = SnapshotEntry::Kind::Named;
  EntryKind entry_kind = EntryKind::Unknown;  ///< as its directory names it
  bool is_listed = false;                     ///< its directory names it
  bool is_complete = false;                   ///< a directory whose entries are all there
  bool has_status = false;
  bool was_opened = false;
  bool is_on_nosuid = false;
  bool is_on_noexec = false;
  std::string name;
  std::string target;  ///< of a link
  std::vector<std::byte> capabilities;
  FileStatus status;
  int error = 0;       ///< Absent, Refused: the errno
  int open_error = 0;  ///< of opening it; of listing a directory
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;
  std::uint32_t content = 0;  ///< index + 1; 0: none
};

/// The streams that bytes go to: equal things compress together.
enum class PieceKind : std::uint8_t { Other, Strings, Symbols, Relocations, Heads, Words, Text, Gpu, Found, Hashes };
inline constexpr std::size_t kPieceKinds = 10;

/// Bytes of a file that are known.
struct SnapshotPiece {
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
  PieceKind kind = PieceKind::Other;
  bool is_exact = true;  ///< false: what a search has found; around it is nothing that one looks for
  std::uint64_t at = 0;  ///< where its bytes stand in the stream
};
struct SnapshotRange {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};
struct SnapshotContent {
  std::uint64_t end = 0;                ///< where reading ends
  std::vector<SnapshotPiece> pieces;    ///< ascending, apart from each other
  std::vector<SnapshotRange> searched;  ///< ascending; exact pieces are not in it
};

struct SnapshotData {
  MachineFacts machine;
  std::vector<SnapshotNode> nodes;  ///< the root first, children of one node together, ascending by name
  std::vector<SnapshotContent> contents;
  std::array<std::string, kPieceKinds> streams;
};

inline constexpr std::uint32_t kSnapshotVersion = 2;
inline constexpr std::uint32_t kOldSnapshotVersion = 1;  ///< still read
inline constexpr std::string_view kSnapshotMagic{"\x7fSORSNAP", 8};

/// As bytes of a file; without a level, one by its size. Errors: Unsupported where soresolve was built without zstd;
/// LimitReached.
Result<std::string> write_snapshot(SnapshotData data, std::optional<int> level, unsigned jobs);
/// What write_snapshot() has written. Errors: as read_snapshot().
Result<SnapshotData> parse_snapshot(std::string_view bytes, const std::string& path);

/// The section of the machine, and what it says; nullopt where it ends too early.
std::string machine_section(const MachineFacts& machine);
std::optional<MachineFacts> parse_machine(std::string_view bytes);

/// The files of it.
std::shared_ptr<const SnapshotFiles> snapshot_files(SnapshotData data);

/// The stream of tables without what can be computed.
std::string fold_hashes(const SnapshotData& data);
/// The stream from what fold_hashes() has made; nullopt where the two do not fit together. The other streams and the
/// contents are there.
std::optional<std::string> unfold_hashes(const SnapshotData& data, std::string_view folded);

/// Replaces the names of users, of directories in /home and `own` ones, such as the machine's, everywhere alike.
void redact(SnapshotData& data, const std::vector<std::string>& own);

}  // namespace soresolve
