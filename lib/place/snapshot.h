// What decides on a machine, in one file: the answers of its file system, and facts of the machine and the process.
//
// A snapshot is a FileSystem made of recorded facts (see lib/docs/snapshot.md). It answers as the machine did. What it
// does not hold is not taken for missing: the question fails with kNotRecorded, and the path is kept.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "soresolve/file_system.h"
#include "soresolve/place.h"
#include "soresolve/result.h"

namespace soresolve {
struct Processors;
/// The machine and the process that a snapshot was made for.
struct MachineFacts {
  std::string root;                              ///< as it was named; empty: the machine itself
  std::vector<std::string> env;                  ///< "NAME=VALUE"
  std::string cwd;                               ///< of who asked
  std::string platform;                          ///< AT_PLATFORM
  std::string kernel_release;                    ///< uname -r
  User user;                                     ///< who asked
  std::shared_ptr<const Processors> processors;  ///< as the loaders there see it
  std::vector<std::string> trees;                ///< that it was made of
  std::string made_by;                           ///< the release of soresolve
};

/// One path of a snapshot.
struct SnapshotEntry {
  enum class Kind : std::uint8_t { Absent, Refused, Named, Link, Directory, File, Special } kind = Kind::Named;
  std::string path;              ///< without links
  std::string target;            ///< of a link, as written
  std::uint64_t size_bytes = 0;  ///< of the file
  std::uint64_t held_bytes = 0;  ///< of them in the snapshot
  bool is_complete = false;      ///< of a directory: all its entries are named
  /// Of a file: SHA-256 (hexadecimal, 32 digits of it) of its size, and of all of it where the snapshot holds all, else
  /// of its first page, where a linker puts the build id, which it makes from all of the file. The time of change is
  /// not in it. Empty where the snapshot holds neither.
  std::string content;
  bool operator==(const SnapshotEntry&) const = default;
};

/// The files of a snapshot.
class SnapshotFiles : public FileSystem {
 public:
  /// Paths that were asked for and that it does not hold; ascending, each once, at most 1000.
  [[nodiscard]] virtual std::vector<std::string> unrecorded() const = 0;
  /// Forgets them.
  virtual void forget_unrecorded() const = 0;
  /// All that is in it, by path.
  [[nodiscard]] virtual std::vector<SnapshotEntry> entries() const = 0;
  /// Bytes of files that it holds, equal ones once.
  [[nodiscard]] virtual std::uint64_t held_bytes() const = 0;
};

/// Does a file begin as a snapshot does?
bool is_snapshot(const File& file);

/// Opens a snapshot. Errors: Malformed and Truncated for damaged bytes, Unsupported for a later version and where
/// soresolve was built without zstd, LimitReached, Unreadable.
Result<Place> read_snapshot(std::unique_ptr<File> file, const std::string& path);

}  // namespace soresolve
