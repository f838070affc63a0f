// A tree that stands still while it is asked: what it has answered once is known.
//
// For questions about many processes of one tree. Each of them opens the same libraries, reads the same headers and
// tables of them, and looks in vain at the same places: as system calls that is half of the time of a survey. A file
// that is opened again is opened by nobody but whoever reads what has not been read.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "soresolve/file_system.h"

namespace soresolve {

inline constexpr std::size_t kMaxKnownBytes = std::size_t{32} << 20;  ///< of all that is known of a tree

/// What may still be kept.
class Allowance {
 public:
  explicit Allowance(std::size_t bytes) : left_(bytes) {}
  bool take(std::size_t bytes) {
    std::size_t left = left_.load(std::memory_order_relaxed);
    while (left >= bytes) {
      if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
    }
    return false;
  }

 private:
  std::atomic<std::size_t> left_;
};

/// What came of each path that one question was asked of.
template <typename Value>
class AnswersByPath {
 public:
  /// nullptr: it was not asked. An answer stays where it is.
  const Result<Value, Errno>* find(std::string_view path) const {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(path);
    return known == known_.end() ? nullptr : &known->second;
  }
  void keep(std::string_view path, const Result<Value, Errno>& answer, Allowance& allowance) {
    constexpr std::size_t kEntryBytes = 128;  // beside the path
    if (!allowance.take(path.size() + kEntryBytes)) return;
    const std::lock_guard lock(mutex_);
    known_.try_emplace(std::string(path), answer);
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view path) const { return std::hash<std::string_view>()(path); }
  };
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Result<Value, Errno>, Hash, std::equal_to<>> known_;
};

class KnownContent;  // steady_file_system.cc

/// For several threads at a time, all of which ask about one tree.
class KnownTree {
 public:
  explicit KnownTree(std::size_t max_bytes = kMaxKnownBytes) : allowance(std::make_shared<Allowance>(max_bytes)) {}

  const std::shared_ptr<Allowance> allowance;
  AnswersByPath<std::shared_ptr<KnownContent>> opened;
  AnswersByPath<FileStatus> statuses;
  AnswersByPath<std::string> real_paths;
  AnswersByPath<std::string> links;
};

/// The same tree. Errors that are those of the process and not of the tree (EMFILE, EACCES of its own and others) are
/// asked for anew; so is what goes beyond the bound. A file that has become another one behind its path answers with
/// ESTALE where it is read anew. Directories are not kept. An overlay stays as it is: it keeps what it learns of the
/// tree below, and another one on top has to know it, to number its files otherwise.
std::shared_ptr<const FileSystem> steady_files(std::shared_ptr<const FileSystem> files,
                                               std::shared_ptr<KnownTree> known);

}  // namespace soresolve
