// The question asked again in a world with changes, and what a start lacks there.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/overlay_file_system.h"
#include "loader/load.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// What is changed.
struct WorldChange {
  std::vector<std::string> environment;                    ///< "NAME=VALUE"
  std::vector<std::pair<std::string, std::string>> files;  ///< path and content
  std::vector<std::pair<std::string, std::string>> links;  ///< path and target
  std::vector<std::pair<std::string, std::string>> renames;
  std::vector<TagEdit> tags;
  std::vector<NeedEdit> needs;
  std::vector<OpenRequest> dlopen_calls;  ///< made before the one asked about
  bool runs_ldconfig = false;
  std::shared_ptr<const FileSystem> instead;  ///< of all files, the loader's cache with them; nullptr: those there are
};

/// One thing that ends the start or the dlopen call.
struct Obstacle {
  std::string library;  ///< whose
  std::string line;     ///< the loader's
};

/// The answer there.
struct Trial {
  Statement refused;  ///< why the change itself cannot be made; empty: it can
  LinkMap map;
  std::vector<Obstacle> obstacles;  ///< in the loader's order; of symbols only those that were looked for

  [[nodiscard]] bool has_obstacle(std::string_view library) const;
};

/// Makes trials of one question.
class Trials {
 public:
  explicit Trials(const LinkMap& map);
  /// Walks, and checks versions. The reason in `refused` is the only thing to look at if there is one.
  [[nodiscard]] std::unique_ptr<Trial> make(const WorldChange& world_change);

 private:
  const LinkMap& map_;
  OverlayFileSystem base_;
  std::uint64_t attempts_left_ = kMaxAttempts;  ///< for all trials together
};

/// All that stands in the way in a map: files and versions.
std::vector<Obstacle> obstacles_in(const LinkMap& map);

/// Binds every symbol and adds what that comes to: the first reference that nothing serves. An error says
/// why that cannot be known.
std::optional<Error> add_symbol_obstacle(Trial& trial);

}  // namespace soresolve
