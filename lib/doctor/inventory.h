// CUDA's libraries and Python's environments on a machine, gathered once for all checks.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/machine.h"

namespace soresolve {

/// A directory that may have CUDA libraries, and what it is a part of.
struct LibraryPlace {
  std::string directory;
  Statement what;  ///< "toolkit /usr/local/cuda-12.1", "wheels in /opt/venv/…", "ld.so.cache"
};

struct FoundLibrary {
  CudaLibrary library;
  Statement what;  ///< of its place
};

/// A toolkit for building: it has headers or nvcc.
struct Toolkit {
  std::string directory;
  DottedVersion release;  ///< by version.json, version.txt or its runtime; empty: not told
  std::string reported_by;
};

/// Looks through a bounded number of directories, when it is first asked.
class Inventory {
 public:
  explicit Inventory(const Machine& machine);

  /// The files of one family ("libcudart"), each once, in the order of the places.
  const std::vector<FoundLibrary>& libraries(const std::string& family);
  /// Site directories of Python.
  const std::vector<std::string>& sites();
  const std::vector<Toolkit>& toolkits();
  /// Why not all of that was looked through; empty: it was.
  [[nodiscard]] const Statement& cut_short() const { return cut_short_; }

 private:
  const std::vector<LibraryPlace>& places();
  void add_place(const std::string& directory, const Statement& what);
  void add_prefix(const std::string& prefix);
  void add_site(const std::string& site);
  void add_if_site(const std::string& directory);
  void add_environments_below(const std::string& directory);
  void add_environments_in_path();
  void add_site_places(const std::string& site);
  void add_toolkit_places(const std::string& toolkit);
  /// The names in a directory, which is read once; none if it is no directory.
  const std::vector<std::string>& list(const std::string& directory);
  [[nodiscard]] bool is_directory(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> toolkit_directories();

  const Machine& machine_;
  Statement cut_short_;
  std::size_t names_left_;
  std::map<std::string, std::vector<std::string>> listed_;
  std::optional<std::vector<LibraryPlace>> places_;
  std::optional<std::vector<std::string>> sites_;
  std::optional<std::vector<Toolkit>> toolkits_;
  std::map<std::string, std::vector<FoundLibrary>> libraries_;
  std::set<std::string> known_;  ///< directories without links
};

}  // namespace soresolve
