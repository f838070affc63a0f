// The tree of one archive: a layer of an image, or what a package brings.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "place/archive_reader.h"
#include "place/content.h"
#include "place/file_tree.h"

namespace soresolve {

struct ArchiveTreeOptions {
  std::uint32_t layer = 0;
  Whiteouts whiteouts = Whiteouts::No;
  std::string name = {};    ///< for errors
  std::string sha256 = {};  ///< of the bytes as they are stored, in hexadecimal; empty: not known, or not asked for
  std::string_view digest_by = "the image";  ///< who says so
  std::string unpacked_sha256 = {};          ///< of what comes out where it is compressed; empty likewise
  bool must_digest = false;                  ///< also where nothing else reads all of it
  bool is_alone = false;                     ///< nothing follows it in its stream, as other archives of an initrd do
  std::optional<ArchiveKind> kind = std::nullopt;  ///< nullopt: what its first bytes say
};

struct ArchiveTree {
  TreeBuilder::Built built;
  ArchiveKind kind;  ///< of what was read; a cpio is known to be one also where it is compressed
  std::uint64_t stored_bytes = 0;
  std::uint64_t end = 0;  ///< how far it went in what is unpacked
};

/// Reads it once. Where files lie in it as they are, they stay there; of others only what is likely to be asked for is
/// kept, and the rest is unpacked again. Errors: as ArchiveReader; Malformed, for another digest; LimitReached.
Result<ArchiveTree> read_archive_tree(const ByteRange& range, const ArchiveTreeOptions& options);

/// st_dev of an archive's files: made of where it lies, so that no other one has it. Equal bytes at one place are one
/// archive, and its files are the same ones.
std::uint64_t device_of(const ByteRange& range, const ArchiveKind& kind);

/// Does a byte range that grows out of all measure when it is unpacked deserve no more work?
bool is_bomb(std::uint64_t stored, std::uint64_t unpacked);
std::string bomb_words();

/// The first bytes of a range.
std::vector<std::byte> first_bytes(const ByteRange& range, std::size_t count = kSniffedBytes);

/// All of a file that lies in the machine's own tree. Errors: NotFound, Unreadable.
Result<ByteRange> range_of_host_file(const std::string& path);
/// The same of a file in another tree.
Result<ByteRange> range_of_file(const FileSystem& files, const std::string& path);

}  // namespace soresolve
