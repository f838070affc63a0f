// Device and inode first, then size, then bytes: all of a small file; of a larger one both ends, where its time of
// change is the same as well (packages bring that along); else all of it up to kWholeBytes, and both ends of what is
// larger still. A file that was changed in its middle and given its old time again is taken for the same.
//
// Of an archive that was unpacked as it was read, ELF files have hashes, which are compared instead.
//
// Of a snapshot the same bytes are compared as far as both sides hold them: from the first page on, which both must
// hold, the tables that the loader reads. What lies between them is not there to be compared.
#include "compare/same_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "base/content_hash.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kSmallBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kPageBytes = std::uint64_t{4} << 10;
constexpr std::uint64_t kWholeBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kEndBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 18;

constexpr std::uint64_t kStepBytes = 256;

/// Are the bytes equal that both hold? `a` or `b` is of a snapshot.
bool are_equal_where_held(const File& a, const File& b, std::uint64_t from, std::uint64_t end) {
  std::vector<std::byte> piece_a(kPieceBytes);
  std::vector<std::byte> piece_b(kPieceBytes);
  while (from < end) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(end - from, kPieceBytes));
    const std::size_t held = std::min(a.readable(from, wanted), b.readable(from, wanted));
    if (held == 0) {
      from += kStepBytes - from % kStepBytes;
      continue;
    }
    const Result<std::size_t, Errno> got_a = a.read_at(from, std::span(piece_a).first(held));
    const Result<std::size_t, Errno> got_b = b.read_at(from, std::span(piece_b).first(held));
    if (!got_a || !got_b || *got_a != *got_b) return false;
    if (*got_a == 0) return true;
    if (std::memcmp(piece_a.data(), piece_b.data(), *got_a) != 0) return false;
    from += *got_a;
  }
  return true;
}

/// Does one of them hold only a part of its first `size` bytes?
bool has_gaps(const File& a, const File& b, std::uint64_t size) {
  const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, ~std::size_t{0}));
  return std::min(a.readable(0, wanted), b.readable(0, wanted)) < wanted;
}

bool are_equal(const File& a, const File& b, std::uint64_t from, std::uint64_t end) {
  std::vector<std::byte> piece_a(std::min(end - from, kPieceBytes));
  std::vector<std::byte> piece_b(piece_a.size());
  while (from < end) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(end - from, kPieceBytes));
    const Result<std::size_t, Errno> got_a = a.read_at(from, std::span(piece_a).first(wanted));
    const Result<std::size_t, Errno> got_b = b.read_at(from, std::span(piece_b).first(wanted));
    if (!got_a || !got_b || *got_a != *got_b) return false;
    if (*got_a == 0) return true;  // both have shrunk
    if (std::memcmp(piece_a.data(), piece_b.data(), *got_a) != 0) return false;
    from += *got_a;
  }
  return true;
}

std::optional<ContentHash::Value> hash_of(const File& file) {
  const auto* const hashed = dynamic_cast<const HashedFile*>(&file);
  return hashed == nullptr ? std::nullopt : hashed->hash();
}

std::optional<ContentHash::Value> read_hash(const File& file) {
  ContentHash hash;
  std::vector<std::byte> piece(kPieceBytes);
  for (std::uint64_t at = 0;;) {
    const Result<std::size_t, Errno> got = file.read_at(at, piece);
    if (!got) return std::nullopt;
    if (*got == 0) return hash.finish();
    hash.add(std::span(piece).first(*got));
    at += *got;
  }
}

std::string absolute_here(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).string();
}

bool is_directory_here(const FileSystem& files, const std::string& root) {
  const Result<FileStatus, Errno> inside = files.status("/");
  const Result<FileStatus, Errno> here = host_file_system()->status(root.empty() ? "/" : absolute_here(root));
  return inside && here && inside->id == here->id;
}

}  // namespace

FileIds ids_of(const FileSystem& a, const std::string& root_a, const FileSystem& b, const std::string& root_b) {
  return is_directory_here(a, root_a) && is_directory_here(b, root_b) ? FileIds::Comparable : FileIds::Apart;
}

bool SameFiles::are_same(const std::string& path_a, const std::string& path_b) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find({path_a, path_b});
    if (known != known_.end()) return known->second;
  }
  const bool same = compare(path_a, path_b);
  const std::lock_guard lock(mutex_);
  known_.emplace(std::make_pair(path_a, path_b), same);
  return same;
}

std::string SameFiles::real(const FileSystem& files, RealPaths& known, const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known.find(path); found != known.end()) return found->second;
  }
  const Result<std::string, Errno> real = files.real_path(path);
  const std::lock_guard lock(mutex_);
  return known.emplace(path, real ? *real : path).first->second;
}

bool SameFiles::compare(const std::string& path_a, const std::string& path_b) const {
  const Result<std::unique_ptr<File>, Errno> a = a_.open(path_a);
  const Result<std::unique_ptr<File>, Errno> b = b_.open(path_b);
  if (!a || !b) return false;
  const FileStatus& in_a = (*a)->status();
  const FileStatus& in_b = (*b)->status();
  if (ids_ == FileIds::Comparable && in_a.id == in_b.id) return true;
  if (in_a.size_bytes != in_b.size_bytes || in_a.kind != in_b.kind) return false;
  // Of what is compressed each further read may be a pass through all that lies before it.
  const std::optional<ContentHash::Value> of_a = hash_of(**a);
  const std::optional<ContentHash::Value> of_b = hash_of(**b);
  if (of_a || of_b) return (of_a ? of_a : read_hash(**a)) == (of_b ? of_b : read_hash(**b));
  const std::uint64_t size = in_a.size_bytes;
  const std::uint64_t end_bytes = in_a.modified_ns == in_b.modified_ns ? kPageBytes : kEndBytes;
  if (has_gaps(**a, **b, size)) {
    return are_equal(**a, **b, 0, std::min(size, kPageBytes)) &&
           (size <= kWholeBytes ? are_equal_where_held(**a, **b, 0, size)
                                : are_equal_where_held(**a, **b, 0, kEndBytes) &&
                                      are_equal_where_held(**a, **b, size - kEndBytes, size));
  }
  if (size <= (in_a.modified_ns == in_b.modified_ns ? kSmallBytes : kWholeBytes)) return are_equal(**a, **b, 0, size);
  return are_equal(**a, **b, 0, end_bytes) && are_equal(**a, **b, size - end_bytes, size);
}

}  // namespace soresolve
