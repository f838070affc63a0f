// The loader's list of objects in the memory of a running process.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loader/live_process.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// What the kernel has told the process about its program (getauxval(3)).
struct ProgramImage {
  std::size_t word_bytes = 8;
  std::uint64_t headers = 0;     ///< AT_PHDR
  std::uint64_t count = 0;       ///< AT_PHNUM
  std::uint64_t size_bytes = 0;  ///< AT_PHENT, of one
  std::uint64_t entry = 0;       ///< AT_ENTRY
};

/// One struct link_map.
struct LiveEntry {
  std::uint64_t at = 0;               ///< its address
  std::uint64_t bias = 0;             ///< l_addr
  std::uint64_t dynamic = 0;          ///< l_ld
  std::string name;                   ///< l_name
  std::vector<std::string> names;     ///< l_libname; of musl its shortname, if it has one
  std::optional<std::string> origin;  ///< l_origin
  std::optional<std::string> rpath;   ///< of musl, once its tokens were expanded
  std::optional<std::size_t> loader;  ///< l_loader, an index; of musl needed_by
  std::optional<bool> is_opened;      ///< l_type is lt_loaded: dlopen(3) brought it, and not the start
  std::uint32_t space = 0;            ///< the namespace: 0 the program's, then those of dlmopen(3) by their number
  bool operator==(const LiveEntry&) const = default;
};

/// DL_NNS: each namespace but the program's has an entry that is no object, for ld.so.
inline constexpr std::size_t kMostLiveSpaces = 16;

struct LiveLinkMap {
  std::vector<LiveEntry> entries;                  ///< the program first, namespace after namespace
  std::optional<std::vector<std::size_t>> global;  ///< the program's l_searchlist, by index; of musl syms_next
  LiveOrigin origin_state = LiveOrigin::NotYet;    ///< the program's l_origin
  bool operator==(const LiveLinkMap&) const = default;
};

enum class ListState : std::uint8_t {
  Read,
  Absent,    ///< no loader that debuggers can find: not yet there, or `ld.so PROGRAM`
  Damaged,   ///< it contradicts itself
  Changing,  ///< an object comes or goes just now
};

struct LinkMapReading {
  ListState state = ListState::Absent;
  LiveLinkMap map;
};

/// Reads the list of `memory`, with at most `max_entries` objects.
LinkMapReading read_live_link_map(const File& memory, const ProgramImage& program, std::size_t max_entries);

}  // namespace soresolve
