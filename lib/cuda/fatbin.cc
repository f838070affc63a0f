// Finds containers of GPU code by their magic number in one pass over the file, and sums up their pieces by target.
// Source: the header; offsets as cuobjdump shows them on CUDA 11.2 to 13.0. Nothing is unpacked here (unpack.cc), and a
// container counts wherever its bytes lie, whether or not it is registered.
#include "soresolve/cuda.h"

#include <elf.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/load.h"
#include "base/magic_search.h"
#include "cuda/fatbin.h"
#include "loader/load.h"
#include "soresolve/elf.h"

namespace soresolve {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint64_t kContainerHeader = 16;
constexpr std::uint64_t kEntryHeader = 64;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kFlagExact = 0x100000;
constexpr std::uint64_t kFlagFamily = 0x200000;
constexpr std::size_t kDamagesKept = 16;
// Real files have some dozen targets in as many combinations, and some ten thousand pieces.
constexpr std::size_t kMaxTargets = 1u << 12;
constexpr std::size_t kMaxChoices = 1u << 12;
constexpr std::size_t kMaxPiecesOfContainer = 1u << 16;
constexpr std::uint64_t kMaxPieces = 1u << 22;

bool is_zero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

/// Why `file` has no bytes to look through: a FIFO would have to be waited for, a device has no end, and some
/// files of /proc are said to be empty but are not.
std::optional<Error> refuse_endless(const File& file, std::string_view path) {
  const auto error = [&](std::string message) {
    return Error{ErrorCode::Unreadable, std::string(path), {}, std::move(message)};
  };
  switch (file.status().kind) {
    case FileKind::Regular: break;
    case FileKind::Directory: return error("is a directory, not a file to look through");
    case FileKind::Fifo: return error("is a FIFO, not a file to look through");
    case FileKind::Socket: return error("is a socket, not a file to look through");
    case FileKind::Device: return error("is a device, not a file to look through");
    case FileKind::Other: return error("is not a file to look through");
  }
  if (file.status().size_bytes != 0) return std::nullopt;
  std::byte first;
  const Result<std::size_t, Errno> got = file.read_at(0, {&first, 1});
  if (!got) return error("cannot be read: " + errno_text(got.error(), ErrnoText::FromDlerror));
  if (*got != 0) return error("has bytes, but says that it has none (as files of /proc do): copy it first");
  return std::nullopt;
}

/// A file through one window that moves on, and a small one for looks ahead.
class Windows {
 public:
  explicit Windows(const File& file) : file_(file), size_(file.status().size_bytes) {
    // No larger than the file: most files without GPU code are small, and each byte is cleared first.
    large_.bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kLarge, size_)));
    small_.bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kSmall, size_)));
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t next_data(std::uint64_t offset) const { return file_.next_data(offset); }

  /// What lies in the large window from `offset` on; it is moved there if need be. Empty at the end.
  std::span<const std::byte> from(std::uint64_t offset) {
    // Four bytes across its end would be missed.
    if (!large_.has(offset, 4) && !fill(large_, offset)) return {};
    return large_.from(offset);
  }

  /// `count` bytes, few; empty where the file ends before.
  std::span<const std::byte> look(std::uint64_t offset, std::size_t count) {
    if (large_.has(offset, count)) return large_.from(offset).first(count);
    const std::uint64_t end = large_.start + large_.length;
    // What lies close ahead will be read anyway.
    Window& window = offset >= end && offset - end < kLarge / 4 ? large_ : small_;
    if (!window.has(offset, count) && (!fill(window, offset) || !window.has(offset, count))) return {};
    return window.from(offset).first(count);
  }
  [[nodiscard]] std::optional<Errno> error() const { return error_; }

 private:
  static constexpr std::size_t kLarge = 256u << 10;
  static constexpr std::size_t kSmall = 4u << 10;
  struct Window {
    std::vector<std::byte> bytes;
    std::uint64_t start = 0;
    std::size_t length = 0;
    [[nodiscard]] bool has(std::uint64_t offset, std::size_t count) const {
      return offset >= start && is_within(offset - start, count, length);
    }
    [[nodiscard]] std::span<const std::byte> from(std::uint64_t offset) const {
      return std::span(bytes).subspan(static_cast<std::size_t>(offset - start),
                                      length - static_cast<std::size_t>(offset - start));
    }
  };

  bool fill(Window& window, std::uint64_t offset) {
    window.start = offset;
    window.length = 0;
    if (offset >= size_ || error_) return false;
    const Result<std::size_t, Errno> got = file_.read_to_search(offset, window.bytes);
    if (!got) {
      error_ = got.error();
      return false;
    }
    window.length = *got;
    return *got != 0;
  }

  const File& file_;
  std::uint64_t size_;
  Window large_;
  Window small_;
  std::optional<Errno> error_;
};

class Scan {
 public:
  Scan(const File& file, std::string_view path, const std::function<void(const FatbinContainer&)>& visit,
       const std::function<void(const Error&)>& damaged)
      : windows_(file), path_(path), visit_(visit), damaged_(damaged),
        // Honest files are passed through once; containers in containers cost more, up to this.
        steps_left_(std::min(windows_.size() / 16 + (1u << 16), kMaxPieces)) {}

  std::optional<Error> run() {
    std::uint64_t at = 0;
    while (at < windows_.size()) {
      const std::span<const std::byte> bytes = windows_.from(at);
      if (bytes.empty()) break;
      const std::size_t found = find_magic(bytes, 0, kMagicInMemory);
      if (found == bytes.size()) {
        // The last three bytes may be the beginning of a magic number.
        at += std::max<std::size_t>(bytes.size(), 4) - 3;
        if (is_zero(bytes)) at = windows_.next_data(at);
        continue;
      }
      at = pass_container(at + found);
      if (steps_left_ == 0) {
        return Error{ErrorCode::LimitReached, std::string(path_), at,
                     "has GPU code containers within containers, or too many pieces: what follows is not searched"};
      }
    }
    if (windows_.error()) {
      return Error{ErrorCode::Unreadable, std::string(path_), at,
                   errno_text(*windows_.error(), ErrnoText::FromDlerror)};
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kMagicInMemory =
      std::endian::native == std::endian::little ? kMagic : __builtin_bswap32(kMagic);

  template <class T>
  static T load(std::span<const std::byte> bytes, std::size_t at) {
    return load_as<T>(bytes.data() + at, std::endian::little);
  }

  /// Where the search goes on.
  std::uint64_t pass_container(std::uint64_t start) {
    const auto header = windows_.look(start, kContainerHeader);
    if (header.empty() || load<std::uint16_t>(header, 4) != 1 || load<std::uint16_t>(header, 6) != kContainerHeader) {
      return start + 4;  // four bytes of something else
    }
    container_.file_offset = start;
    container_.payload_bytes = load<std::uint64_t>(header, 8);
    container_.entries.clear();
    const std::uint64_t first = start + kContainerHeader;
    if (!is_within(first, container_.payload_bytes, windows_.size())) {
      tell(start, "has a container of GPU code that announces " + std::to_string(container_.payload_bytes) +
                      " bytes, more than the file has left");
      return first;
    }
    const bool is_whole = read_entries(first, first + container_.payload_bytes);
    visit_(container_);
    return is_whole ? first + container_.payload_bytes : first;
  }

  bool read_entries(std::uint64_t at, std::uint64_t end) {
    while (at < end && end - at >= kEntryHeader) {
      if (steps_left_ == 0 || --steps_left_ == 0) return false;
      const auto header = windows_.look(at, kEntryHeader);
      if (header.empty()) return false;
      const std::uint64_t header_bytes = load<std::uint32_t>(header, 4);
      const std::uint64_t stored = load<std::uint64_t>(header, 8);
      if (load<std::uint16_t>(header, 0) == 0 && header_bytes == 0) return true;  // padding
      if (header_bytes < kEntryHeader || header_bytes > end - at || stored > end - at - header_bytes) {
        tell(at, "has a piece of GPU code of " + std::to_string(header_bytes) + " + " + std::to_string(stored) +
                     " bytes, which leaves its container");
        return false;
      }
      if (container_.entries.size() == kMaxPiecesOfContainer) {
        steps_left_ = 0;
        return false;
      }
      container_.entries.push_back(entry_of(header, at));
      at += header_bytes + stored;
    }
    return true;
  }

  static FatbinEntry entry_of(std::span<const std::byte> header, std::uint64_t at) {
    FatbinEntry entry;
    entry.file_offset = at;
    entry.target.kind = load<std::uint16_t>(header, 0);
    entry.target.arch = load<std::uint32_t>(header, 0x1c);
    entry.payload_offset = at + load<std::uint32_t>(header, 4);
    entry.compressed_bytes = load<std::uint32_t>(header, 0x10);
    entry.stored_bytes = load<std::uint64_t>(header, 8);
    entry.flags = load<std::uint64_t>(header, 0x28);
    if ((entry.flags & kFlagExact) != 0) entry.target.suffix = 'a';
    if ((entry.flags & kFlagFamily) != 0) entry.target.suffix = 'f';
    if (entry.target.kind == kGpuPtx) {
      entry.target.isa_minor = load<std::uint16_t>(header, 0x18);
      entry.target.isa_major = load<std::uint16_t>(header, 0x1a);
    }
    if ((entry.flags & kFlagLz4) != 0) entry.compression = GpuCompression::Lz4;
    if ((entry.flags & kFlagZstd) != 0) entry.compression = GpuCompression::Zstd;
    const std::uint64_t uncompressed = load<std::uint64_t>(header, 0x38);
    entry.uncompressed_bytes =
        entry.compression == GpuCompression::None || uncompressed == 0 ? entry.stored_bytes : uncompressed;
    return entry;
  }

  void tell(std::uint64_t offset, std::string message) {
    damaged_(Error{ErrorCode::Malformed, std::string(path_), offset, std::move(message)});
  }

  Windows windows_;
  std::string_view path_;
  const std::function<void(const FatbinContainer&)>& visit_;
  const std::function<void(const Error&)>& damaged_;
  std::uint64_t steps_left_;
  FatbinContainer container_;
};

/// Native code first, then PTX, then the rest by number.
int rank(std::uint16_t kind) {
  switch (kind) {
    case kGpuCubin: return 0;
    case kGpuPtx: return 1;
    case kGpuLtoIr: return 2;
    default: return 3;
  }
}

bool comes_before(const GpuTarget& a, const GpuTarget& b) {
  return std::pair(rank(a.kind), a) < std::pair(rank(b.kind), b);
}

}  // namespace

std::string name_of(const GpuTarget& target) {
  std::string name;
  switch (target.kind) {
    case kGpuCubin: name = "sm_"; break;
    case kGpuPtx: name = "compute_"; break;
    case kGpuLtoIr: name = "lto_"; break;
    default: name = "kind " + std::to_string(target.kind) + " for "; break;
  }
  name += std::to_string(target.arch);
  if (target.suffix != '\0') name += target.suffix;
  return name;
}

std::optional<Error> for_each_fatbin(const File& file, std::string_view path,
                                     const std::function<void(const FatbinContainer&)>& visit,
                                     const std::function<void(const Error&)>& damaged) {
  if (std::optional<Error> refused = refuse_endless(file, path)) return refused;
  return Scan(file, path, visit, damaged).run();
}

/// An ELF file that ends before what its program headers say: more GPU code may have been in it.
static std::optional<Error> find_cut(const File& file, std::string_view path) {
  if (file.status().size_bytes < SELFMAG) return std::nullopt;
  const Result<ElfObject> object = ElfObject::read(file, path);
  if (!object) return object.error().code == ErrorCode::Truncated ? std::optional(object.error()) : std::nullopt;
  if (object->load_end() <= object->file_bytes) return std::nullopt;
  return Error{ErrorCode::Truncated, std::string(path), object->file_bytes, "ends before a segment to load does"};
}

Result<GpuCode> read_gpu_code(const File& file, std::string_view path) {
  if (auto error = find_cut(file, path)) return Unexpected{std::move(*error)};
  GpuCode code;
  std::map<GpuTarget, GpuTargetSum> sums;
  std::map<std::vector<GpuTarget>, std::uint64_t> choices;
  bool is_made_up = false;
  const auto visit = [&](const FatbinContainer& container) {
    ++code.containers;
    code.entries += container.entries.size();
    std::vector<GpuTarget> targets;
    for (const FatbinEntry& entry : container.entries) {
      if (sums.size() == kMaxTargets && !sums.contains(entry.target)) is_made_up = true;
      if (is_made_up) return;
      GpuTargetSum& sum = sums[entry.target];
      sum.target = entry.target;
      ++sum.entries;
      sum.stored_bytes += entry.stored_bytes;
      sum.uncompressed_bytes += entry.uncompressed_bytes;
      targets.push_back(entry.target);
    }
    std::sort(targets.begin(), targets.end(), comes_before);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (const GpuTarget& target : targets) ++sums[target].containers;
    if (choices.size() == kMaxChoices && !choices.contains(targets))
      is_made_up = true;
    else
      ++choices[std::move(targets)];
  };
  const auto damaged = [&](const Error& error) {
    ++code.damage_count;
    if (code.damages.size() < kDamagesKept) code.damages.push_back(error);
  };
  if (auto error = for_each_fatbin(file, path, visit, damaged)) return Unexpected{std::move(*error)};
  if (is_made_up) {
    return Unexpected{Error{ErrorCode::LimitReached,
                            std::string(path),
                            {},
                            "has GPU code for more than " + std::to_string(kMaxTargets) + " targets, or more than " +
                                std::to_string(kMaxChoices) + " combinations of them"}};
  }
  for (auto& [target, sum] : sums) code.targets.push_back(sum);
  std::sort(code.targets.begin(), code.targets.end(),
            [](const GpuTargetSum& a, const GpuTargetSum& b) { return comes_before(a.target, b.target); });
  for (const auto& [targets, count] : choices) code.choices.push_back({targets, count});
  std::sort(code.choices.begin(), code.choices.end(), [](const GpuChoice& a, const GpuChoice& b) {
    return a.containers > b.containers || (a.containers == b.containers && a.targets < b.targets);
  });
  return code;
}

}  // namespace soresolve
