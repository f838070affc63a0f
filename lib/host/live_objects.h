// From what a process has mapped, and its loader's list, to the objects of a LiveProcess: the same for one that runs
// and for the dump of one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/live_link_map.h"
#include "loader/live_process.h"

namespace soresolve {

/// A part of a file in the memory of a process: a line of /proc/PID/maps, an entry of NT_FILE.
struct LiveMapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  ///< of a dump: a number for each path
  bool is_code = false;
  bool is_deleted = false;
  std::string path;  ///< inside the root
  [[nodiscard]] bool is_same_file(const LiveMapping& other) const {
    return device == other.device && inode == other.inode;
  }
  bool operator==(const LiveMapping&) const = default;
};
void sort_by_address(std::vector<LiveMapping>& mappings);
/// nullptr: no file is mapped there. `mappings` by address.
const LiveMapping* mapping_at(const std::vector<LiveMapping>& mappings, std::uint64_t address);

/// What getauxval(3) reads, as the kernel shows it. Borrows the bytes.
struct AuxiliaryVector {
  std::string_view bytes;
  std::size_t word_bytes = 8;
  [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t type) const;
  [[nodiscard]] ProgramImage program() const;
};

/// Adds the objects, from the list or, where it cannot be used, from the mappings (by address). `where`: says where the
/// mapped bytes of an object can be read. `why_no_list`: of ListState::Absent.
void add_live_objects(LiveProcess& process, const AuxiliaryVector& vector, const std::vector<LiveMapping>& mappings,
                      const LinkMapReading& list, const Statement& why_no_list,
                      const std::function<void(LiveObject& object, const LiveMapping& mapping)>& where);

}  // namespace soresolve
