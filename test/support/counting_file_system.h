// A tree in memory that counts the files opened in it.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"

namespace soresolve::test {

class CountingFileSystem final : public FileSystem {
 public:
  [[nodiscard]] Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override {
    ++opened;
    return tree.open(path);
  }
  [[nodiscard]] Result<FileStatus, Errno> status(std::string_view path) const override { return tree.status(path); }
  [[nodiscard]] Result<std::string, Errno> real_path(std::string_view path) const override {
    return tree.real_path(path);
  }
  [[nodiscard]] Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    return tree.list_directory(path);
  }

  MemoryFileSystem tree;
  mutable int opened = 0;
};

}  // namespace soresolve::test
