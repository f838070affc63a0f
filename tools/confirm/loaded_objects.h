// What is in this process, as its loader lists it, against what was predicted.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "soresolve/statement.h"

namespace soresolve::confirm {

struct LoadedFile {
  std::string path;  ///< as the loader has it
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  ///< 0: the path leads to nothing
  [[nodiscard]] bool is_same(const LoadedFile& other) const {
    return inode != 0 && device == other.device && inode == other.inode;
  }
};

/// The file behind a path.
LoadedFile file_at(const std::string& path);

/// The loader's list in its order, without the program itself and the kernel's vDSO.
std::vector<LoadedFile> loaded_files();

/// One way in which reality is not as predicted.
struct Difference {
  enum class Kind : std::uint8_t { NotLoaded, Unforeseen, OtherOrder };
  Kind kind = Kind::NotLoaded;
  std::string path;
};

/// Those of `now` that are not in `before`.
std::vector<LoadedFile> added_files(const std::vector<LoadedFile>& before, const std::vector<LoadedFile>& now);

/// Files, not names, are compared: one file may have several paths. What is predicted but was there `before`
/// counts as loaded. The order is looked at only if both have the same files.
std::vector<Difference> compare_files(const std::vector<std::string>& predicted, const std::vector<LoadedFile>& before,
                                      const std::vector<LoadedFile>& added);

/// "libx.so was predicted and is not loaded", one sentence for all; empty when there is none.
std::vector<Statement> describe(const std::vector<Difference>& differences);

}  // namespace soresolve::confirm
