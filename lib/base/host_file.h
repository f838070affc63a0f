// A file descriptor as a File. Shared by the host's tree and by rooted trees.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"

struct stat;

namespace soresolve {

/// Flags of every open: never waits for a FIFO's writer, never takes a terminal.
int host_open_flags();

/// Does a mount with noexec keep the files on it from running, or is the tree only laid out there?
enum class NoexecMounts : std::uint8_t { Count, Ignored };

/// Takes over `descriptor` and asks for its status.
Result<std::unique_ptr<File>, Errno> adopt_descriptor(int descriptor, NoexecMounts noexec);

FileStatus to_file_status(const struct stat& from);

/// readlinkat(2).
Result<std::string, Errno> read_link_at(int directory, const char* path);

/// What is in the directory behind `descriptor`, sorted by name; closes it.
Result<std::vector<DirectoryEntry>, Errno> list_descriptor(int descriptor);
/// The names alone.
Result<std::vector<std::string>, Errno> names_of(Result<std::vector<DirectoryEntry>, Errno> entries);

/// readlink(2) on the machine's own tree: the text, which for links of /proc need not lead anywhere.
Result<std::string, Errno> read_host_link(const std::string& path);

Unexpected<Errno> last_errno();

}  // namespace soresolve
