// A running process, as far as /proc shows it to this user. Nothing is attached to or stopped.
//
// Source: proc(5); the list of objects is the loader's own (elf/link.h: struct r_debug; include/link.h:
// struct link_map), read from the process's memory where that is allowed, else put together from its
// mappings. The memory is a stranger's: every pointer of it is checked against what the kernel says, each
// loop has an end, and all is read a second time: a process that changes meanwhile is read anew.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/user.h"
#include "loader/process.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve {

/// A file that the process has mapped and that its loader knows.
struct LiveObject {
  std::string path;         ///< where the kernel has the file now, inside the process's root, absolute
  bool is_deleted = false;  ///< it has been removed, or replaced by another one of its name
  std::uint64_t inode = 0;  ///< of what is mapped
  /// What is mapped, whatever lies at `path`: a link of /proc/PID/map_files. Empty once it is known that
  /// `path` still has the same file.
  std::string mapped_at;
  std::string name;  ///< `l_name`: what the loader calls it; `path` if its list cannot be read
  /// `l_libname`: under which it was requested, the first one first. Of musl's loader its shortname: none if it was
  /// requested by a path.
  std::vector<std::string> names;
  std::optional<std::string> origin;  ///< `l_origin`, if it could be read: $ORIGIN
  std::optional<std::string> rpath;   ///< of musl's loader: its search tag as it was expanded when it was first used
  std::optional<std::size_t> loader;  ///< `l_loader`: who needed it first, as LiveProcess::global counts
  std::optional<bool> is_opened;      ///< `l_type`: by dlopen(3), or what that needs; nullopt: it could not be read
  std::uint32_t space = 0;            ///< the namespace: 0 the program's, n one of dlmopen(3)
  bool is_dynamic_loader = false;     ///< it is ld.so
  std::vector<std::byte> head = {};   ///< of a dump: the beginning of the file as it was mapped; empty: unknown
};

/// $ORIGIN of the program, which the loader finds out when it is first needed.
enum class LiveOrigin : std::uint8_t { NotYet, None, Known };

/// One that the loader's list has and that cannot be read any more as it was loaded.
struct LeftOutObject {
  LiveObject object;
  std::size_t before = 0;  ///< index into LiveProcess::objects: the next one that can be read
  std::string reason;      ///< of the system, or of whoever reads ELF files
};

struct LiveProcess {
  std::string exe;  ///< path inside the process's root, as it is now
  bool exe_is_deleted = false;
  std::string exe_file;     ///< opens the program itself: /proc/PID/exe
  std::string root;         ///< directory to analyse as its root; empty: this process's own
  Environment environment;  ///< as it was started with: what its loader has seen
  std::string cwd;
  bool secure = false;  ///< AT_SECURE
  User user;            ///< as whom it opens files: fsuid, fsgid, groups, CAP_DAC_*
  bool has_exec_stack = false;
  std::vector<LiveObject> objects;           ///< without the program, ld.so comes where its list has it
  std::vector<LeftOutObject> left_out = {};  ///< in their order; of a question about all that is loaded
  /// In the order in which they were loaded? Without the loader's list: by address, which tends to it.
  bool is_in_load_order = false;
  /// Why the loader's list was not used, if not.
  Statement list_problem;
  /// The global scope (what the start has loaded, and what was opened with RTLD_GLOBAL): 0 is the program,
  /// n is objects[n - 1]. nullopt: it could not be read.
  std::optional<std::vector<std::size_t>> global;
  LiveOrigin origin_state = LiveOrigin::NotYet;
  std::string origin;                ///< for LiveOrigin::Known
  std::optional<std::string> rpath;  ///< the program's, as LiveObject::rpath
  /// It is the dump of a process: its files are those of a root, which may have changed since.
  bool is_dump = false;
  std::vector<std::byte> exe_head = {};  ///< as LiveObject::head
  bool is_environment_known = true;      ///< of a dump: it was in
};

/// Is it known what each earlier dlopen(3) of the process has put into the global scope?
inline bool is_scope_known(const Process& process) { return !process.live || process.live->global.has_value(); }

}  // namespace soresolve
