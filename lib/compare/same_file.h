// Is a file of one root the same as a file of another one?
//
// Device and inode say so for one file. Else size and content decide, read from both ends where it is large: the first
// page has the build id, which a linker makes from all of the file.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "soresolve/file_system.h"

namespace soresolve {

/// Do device and inode tell files of both roots apart? Those of two directories of this machine do; a snapshot has
/// those of another machine, and a tree in memory counts its own.
enum class FileIds : std::uint8_t { Comparable, Apart };
/// `root_a`, `root_b`: the directories of this machine that they may be; empty: this machine itself.
FileIds ids_of(const FileSystem& a, const std::string& root_a, const FileSystem& b, const std::string& root_b);

/// Compares files of two roots, each pair once. For several threads at a time.
class SameFiles {
 public:
  SameFiles(const FileSystem& a, const FileSystem& b, FileIds ids) : a_(a), b_(b), ids_(ids) {}
  /// False where one of them cannot be read.
  bool are_same(const std::string& path_a, const std::string& path_b);
  /// The path without links, as far as it leads; each is walked once.
  std::string real_a(const std::string& path) { return real(a_, real_a_, path); }
  std::string real_b(const std::string& path) { return real(b_, real_b_, path); }
  [[nodiscard]] const FileSystem& a() const { return a_; }
  [[nodiscard]] const FileSystem& b() const { return b_; }
  [[nodiscard]] FileIds ids() const { return ids_; }

 private:
  using RealPaths = std::map<std::string, std::string>;
  [[nodiscard]] bool compare(const std::string& path_a, const std::string& path_b) const;
  std::string real(const FileSystem& files, RealPaths& known, const std::string& path);
  const FileSystem& a_;
  const FileSystem& b_;
  FileIds ids_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, bool> known_;
  RealPaths real_a_;
  RealPaths real_b_;
};

}  // namespace soresolve
