// A container of docker or podman, by what its engine has written down: no daemon is asked, and none need run.
//
//   find_container   a name, or how an id begins, in the records of all engines of this machine
//   open_container   its files and its process as a Place: of one that runs those of its first process, as /proc has
//                    them; of one that does not its layers, merged, and what its configuration says
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loader/process.h"
#include "soresolve/place.h"
#include "soresolve/result.h"

namespace soresolve {

/// Two directories of containers/storage: what stays, and what a reboot takes away.
struct PodmanStore {
  std::string graph;
  std::string run;
};

/// Where engines keep their containers.
struct ContainerStores {
  std::vector<std::string> docker;  ///< each a data-root
  std::vector<PodmanStore> podman;
  std::string proc = "/proc";
};

/// Those of this machine: the system's, and those of the user who asks (rootless), as `environment` and the engines'
/// own configuration have them.
ContainerStores container_stores(const Environment& environment, std::uint32_t uid);

struct Container {
  std::string engine;  ///< "docker", "podman"
  std::string name;
  std::string id;
  std::string driver;  ///< of its storage: "overlay2", "overlay", "vfs", …
  int pid = 0;         ///< of its first process; 0: it does not run
  std::vector<std::string>
      layers;               ///< directories of its files, the upper one first; none: the driver keeps them elsewhere
  ProcessDefaults process;  ///< as it is configured
  std::vector<std::string> notes;
};

/// `word`: a name, an id, or how exactly one id begins. Errors: NotFound, with the containers that are there;
/// Unreadable, where records may be read by root only; Malformed.
Result<Container> find_container(const ContainerStores& stores, std::string_view word);

/// Errors: Unreadable; Unsupported for a storage driver whose files are no directories.
Result<Place> open_container(const Container& container, const ContainerStores& stores);

/// The directory that shows its files best: of its process, or the upper one of its layers.
std::string directory_of_container(const Container& container, const ContainerStores& stores);

}  // namespace soresolve
