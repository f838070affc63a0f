// The text of a small file, or the start of a file: /proc entries, metadata, configuration, scripts.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve {

/// All of the file at `path` (absolute), also of those in /proc that have no size; nullopt when it cannot be
/// read, is no regular file, or is longer than `max_bytes`.
std::optional<std::string> read_small_file(const FileSystem& files, std::string_view path, std::uint64_t max_bytes);

/// The first bytes of the file at `path` (absolute), by one read of at most `max_bytes`; empty when it cannot be read
/// or is no regular file.
std::string start_of_file(const FileSystem& files, std::string_view path, std::uint64_t max_bytes);

/// A file that the user names: all of it, or why not, with `shown` for its name. Errors: Unreadable, LimitReached.
Result<std::string> read_text_file(const FileSystem& files, std::string_view path, std::string_view shown);

}  // namespace soresolve
