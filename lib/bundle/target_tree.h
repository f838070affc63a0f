// The target with what is brought laid over it: each path is walked in both trees at once, link by link, so that the
// target gets the links that lead to a file and keeps those of its own.
//
// Source of the rules: the kernel's fs/namei.c for the walk. Not here: which paths are wanted (bundle.cc).
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/overlay_file_system.h"
#include "soresolve/bundle.h"

namespace soresolve {

/// What is said of an entry beyond where it lies.
struct BundledAs {
  BundledFor reason = BundledFor::Needed;
  std::string name = {};
  std::string needed_by = {};
};

/// What the target does with a file of its own that differs.
enum class IfOther : std::uint8_t { Keep, Replace };

struct Placed {
  enum class Outcome : std::uint8_t {
    Added,    ///< it is on the list now
    Listed,   ///< it was before
    Same,     ///< the target has it, byte for byte
    Other,    ///< the target has another file there, and keeps it
    Blocked,  ///< something else is in the way: a file for a directory, a link that leads nowhere
    Missing,  ///< the source has no such file
  } outcome = Outcome::Missing;
  std::string path;  ///< in the target
};

class TargetTree {
 public:
  TargetTree(std::shared_ptr<const FileSystem> source, const std::shared_ptr<const FileSystem>& target)
      : source_(std::move(source)), files_(std::make_shared<OverlayFileSystem>(target)) {}

  /// The file (or directory) at `path` of the source, with the links that lead to it.
  Placed place(std::string_view path, const BundledAs& as, IfOther if_other = IfOther::Keep);
  /// The file at `path` of the source as `to` (absolute, without links but those of the target).
  Placed place_as(std::string_view path, const std::string& to, const BundledAs& as);
  /// What is there without being brought: for judging only.
  void lay_under(std::string_view path, const std::string& to);

  [[nodiscard]] const std::shared_ptr<OverlayFileSystem>& files() const { return files_; }
  [[nodiscard]] const std::map<std::string, BundledEntry>& entries() const { return entries_; }
  /// Is the file at this path (with links) of the target on the list?
  [[nodiscard]] bool is_listed(std::string_view path) const;
  /// Have both files the same bytes?
  [[nodiscard]] bool is_same(const std::string& source, const std::string& target) const;
  [[nodiscard]] const FileSystem& source() const { return *source_; }

 private:
  /// One path that is walked in both trees.
  struct PathInBoth {
    std::string from = "/";         ///< in the source
    std::string to = "/";           ///< in the target
    std::vector<std::string> rest;  ///< what is left of the path, last component first
    unsigned links = 0;             ///< that were followed
    bool is_added = false;          ///< something of it is on the list now
  };
  /// A step into a link or a directory of the source; what the walk ended with, or nullopt while it goes on.
  std::optional<Placed> step_link(PathInBoth& walk, const std::string& next, const std::string& there,
                                  const std::string& link, const BundledAs& as, IfOther if_other);
  std::optional<Placed> step_directory(PathInBoth& walk, const std::string& next, const std::string& there,
                                       std::uint32_t mode, const BundledAs& as);
  Placed settle_file(const std::string& from, const std::string& to, const BundledAs& as, IfOther if_other);
  bool add_directory(const std::string& from, const std::string& to, std::uint32_t mode, const BundledAs& as);

  std::shared_ptr<const FileSystem> source_;
  std::shared_ptr<OverlayFileSystem> files_;
  std::map<std::string, BundledEntry> entries_;
  std::map<std::string, std::string> prefixed_;  ///< source, without links, to the place it went to by place_as()
};

}  // namespace soresolve
