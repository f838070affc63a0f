// Where else on the machine a library of that name, or of one like it, lies; and what the search tags of other objects
// lead to.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "elf/library_name.h"
#include "loader/load.h"
#include "loader/system.h"
#include "soresolve/diagnose.h"
#include "soresolve/remedies.h"

namespace soresolve {

/// A file of a name that looks right. Nothing is known of what is in it.
struct NamedFile {
  std::string path;
  Statement place;  ///< how it was come by
};

/// Looks through the machine once, for any number of names: ld.so.cache, the directories that the map's
/// requests searched and its objects lie in, those of ld.so.conf, wheels and conda environments around them, the
/// environment that is active, CUDA toolkits, other conda environments, and the directories that the user names.
class CandidateSearch {
 public:
  CandidateSearch(const LinkMap& map, const std::vector<NeedRef>& requests, const RemedyOptions& options);

  /// Files with the stem of `name`, in the order in which they were come by; one of each file, under
  /// `name` itself if it goes by that as well.
  [[nodiscard]] std::vector<NamedFile> files_like(std::string_view name) const;
  /// All that are called lib*.so*, in the same order; a file that has several names stands there under the first.
  [[nodiscard]] std::vector<NamedFile> libraries() const;
  /// Why not everything was looked through; empty if it was.
  [[nodiscard]] const Statement& cut_short() const { return cut_short_; }
  /// Were there more places in the searches of the requests than are remembered?
  [[nodiscard]] bool has_left_out() const { return has_left_out_; }

 private:
  struct Listed {
    std::string directory;  ///< with its slash
    Statement place;
    std::vector<std::string> names;
  };
  void add_searched(const LinkMap& map, const std::vector<NeedRef>& requests);
  void add_object_directories(const LinkMap& map);
  void add_around(const std::string& directory);
  void add_neighbours(const std::string& directory, std::string_view object);
  void add_active_environment();
  void add_toolkits();
  void add_configured();
  void add_conda_environments();
  void add_virtual_environments(const LinkMap& map);
  void add_usual_places();
  [[nodiscard]] bool has_fitting(std::string_view name) const;
  void add_far(const LinkMap& map, const std::vector<NeedRef>& requests);
  void add_tree(const std::string& top, std::size_t depth, std::size_t most);
  void add_below(const std::string& directory);
  const std::vector<std::string>* add(const std::string& directory, const Statement& place);
  [[nodiscard]] std::vector<std::string> names_in(const std::string& directory) const;
  bool count(std::size_t names);

  const System& system_;
  const Process& process_;
  const RemedyOptions& options_;
  std::vector<Listed> listed_;
  std::set<std::string, std::less<>> known_;
  std::set<std::string, std::less<>> around_;
  std::set<std::string, std::less<>> neighboured_;
  std::size_t entries_ = 0;
  Statement cut_short_;
  bool has_left_out_ = false;
};

}  // namespace soresolve
