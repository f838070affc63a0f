// One FILE of a bundle: what its process is and loads in the source, and the same process in the target.
//
// It is walked on load() itself and not on a World, because the process has been decided in the source: who opens the
// file, after what, as which user. Only the files and the environment are the target's.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bundle/target_tree.h"
#include "loader/load.h"
#include "soresolve/bundle.h"

namespace soresolve {

/// How a process of the target is started.
struct BundleSetting {
  std::shared_ptr<const FileSystem> files;
  std::vector<std::string> environment;
  std::vector<TagEdit> tags;
  /// While what has to come along is found out, a set-uid program may read LD_LIBRARY_PATH.
  bool may_be_secure = true;
};

/// Puts directories in front of LD_LIBRARY_PATH.
void add_library_path(std::vector<std::string>& environment, std::span<const std::string> directories);
std::string library_path_of(const std::vector<std::string>& environment);

/// The target with directories in its ld.so.conf and the cache that ldconfig writes, and the commands for that.
struct Configured {
  std::shared_ptr<const FileSystem> files;
  std::vector<CommandText> commands;
};
/// nullopt: no loader is there, or a name cannot stand in ld.so.conf.
std::optional<Configured> configure(const std::shared_ptr<OverlayFileSystem>& target, const std::string& loader_path,
                                    std::span<const std::string> directories);

/// DT_RPATH of a file, and the command that sets it.
struct TaggedFile {
  TagEdit edit;
  CommandText command;
};

/// The interpreter that the "#!" of `path` names; nullopt: it is no script.
std::optional<std::string> script_interpreter(const FileSystem& files, const std::string& path);

struct BundleQuestion {
  enum class Later : std::uint8_t { Left, Opened };

  /// Takes over what the source says. `target`: for what of it decides what is opened later. Errors: symbols cannot be
  /// read.
  std::optional<Error> take(Resolution run, const BundleOptions& options, const FileSystem& target);
  /// Is there something to judge in the target?
  [[nodiscard]] bool is_to_be_tried() const { return !program.is_static && !program.fails_in_source; }
  /// The file that served a request for `name` in the source: of this needer, else of anyone; empty: none did.
  [[nodiscard]] std::string answer(const std::string& needer, const std::string& name) const;
  /// Its process in the target. Errors: as load() and read_system().
  [[nodiscard]] Result<LinkMap> walk(const BundleSetting& setting, Later later) const;
  [[nodiscard]] Resolution resolution_of(LinkMap map, unsigned jobs) const;
  /// What it opens later, as found and judged in the target; `map`: the walk without it.
  [[nodiscard]] Dlopens later_in(const BundleSetting& setting, const LinkMap& map) const;
  /// What the source's process opens later and the target's does not.
  [[nodiscard]] std::vector<std::string> missing_later() const;
  /// The file that has to know `directories`; nullopt: nothing is missed without them.
  [[nodiscard]] std::optional<TaggedFile> tagged(const TargetTree& tree,
                                                 const std::vector<std::string>& directories) const;

  BundledProgram program;
  BundledFor reason = BundledFor::Asked;
  std::string prefix;
  std::optional<Answer> in_source;
  const Resolution* source = nullptr;  ///< that of `in_source`; nullptr: it is not tried in the target
  Dlopens dlopens;                     ///< in the source
  std::vector<std::size_t> later;      ///< indices of those that are to come along
  bool converts_text = false;

 private:
  [[nodiscard]] std::vector<OpenRequest> dlopen_calls(std::span<const std::size_t> which) const;
  [[nodiscard]] Result<LinkMap> walk_with(const BundleSetting& setting, std::span<const std::size_t> which) const;

  std::map<std::pair<std::string, std::string>, std::string> answers_;  ///< by needer and name
  std::map<std::string, std::string> by_name_;
};

}  // namespace soresolve
