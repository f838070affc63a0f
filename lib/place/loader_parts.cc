// Source: elf(5) for where things are. Readers ask for windows: each part has one more behind it.
#include "place/loader_parts.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "elf/image_reader.h"
#include "place/unpacked_entries.h"
#include "soresolve/elf.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kSmallBytes = 256 << 10;
constexpr std::uint64_t kMostRecordBytes = 4 << 20;
constexpr std::uint64_t kUnknownTableBytes = 64 << 10;  ///< taken for a table that does not say how long it is
constexpr std::uint64_t kScriptBytes = 20 << 10;
constexpr std::uint64_t kKnownBytes = 1024;  ///< of each file: what it is, and all of a linker script
constexpr std::uint64_t kSmallSegmentBytes = 1 << 20;
constexpr std::uint64_t kSmallElfBytes = 48 << 10;  ///< kept whole
constexpr std::uint64_t kLoaderBytes = 8 << 20;     ///< of a loader or libc, kept whole
constexpr std::uint32_t kLoad = 1, kDynamic = 2, kInterp = 3, kNote = 4, kProperty = 0x6474e553;

using Extent = Window;

/// Known bytes as a file; what is not known reads as its end.
class KnownFile final : public File {
 public:
  KnownFile(const std::vector<KeptContent::Part>& parts, std::uint64_t size_bytes)
      : File(status_of(size_bytes)), parts_(parts) {}
  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    for (const KeptContent::Part& part : parts_) {
      if (offset < part.offset || offset - part.offset >= part.bytes.size()) continue;
      const std::size_t within = static_cast<std::size_t>(offset - part.offset);
      const std::size_t count = std::min(into.size(), part.bytes.size() - within);
      std::memcpy(into.data(), part.bytes.data() + within, count);
      return count;
    }
    return std::size_t{0};
  }

 private:
  static FileStatus status_of(std::uint64_t size_bytes) {
    FileStatus status;
    status.size_bytes = size_bytes;
    return status;
  }
  const std::vector<KeptContent::Part>& parts_;
};

/// Ascending, and none touches another.
std::vector<Extent> merged(std::vector<Extent> extents) {
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  std::vector<Extent> apart;
  for (const Extent& extent : extents) {
    if (!apart.empty() && extent.offset <= apart.back().end)
      apart.back().end = std::max(apart.back().end, extent.end);
    else
      apart.push_back(extent);
  }
  return apart;
}

/// The file offset of an address, by the segments.
std::optional<std::uint64_t> offset_of(const ElfObject& object, std::uint64_t address) {
  for (const Segment& segment : object.segments) {
    const std::uint64_t start = static_cast<std::uint64_t>(segment.vaddr);
    if (segment.type == kLoad && address >= start && address - start < segment.file_bytes) {
      return segment.file_offset + (address - start);
    }
  }
  return std::nullopt;
}

/// What of the segment with the tables of symbols is kept: up to the end of the last table. Behind it may be code and
/// constants.
Extent extent_of_tables(const ElfObject& object, const Segment& segment) {
  Extent extent{segment.file_offset, segment.file_offset + segment.file_bytes};
  std::uint64_t last = segment.file_offset;
  const auto reach = [&](const std::optional<Vaddr>& address, std::uint64_t size) {
    if (!address) return;
    const std::optional<std::uint64_t> offset = offset_of(object, static_cast<std::uint64_t>(*address));
    if (offset && *offset >= segment.file_offset && *offset < extent.end) last = std::max(last, *offset + size);
  };
  const SymbolTags& symbols = object.symbol_tags;
  for (const auto& address : {symbols.string_table, symbols.symbol_table, symbols.sysv_hash, symbols.gnu_hash,
                              symbols.version_index, symbols.version_needs, symbols.version_defs}) {
    reach(address, kUnknownTableBytes);
  }
  const RelocationTags& relocations = object.relocation_tags;
  reach(relocations.rela.start, std::min(relocations.rela.size_bytes, kWholeEntryBytes));
  reach(relocations.rel.start, std::min(relocations.rel.size_bytes, kWholeEntryBytes));
  reach(relocations.plt, std::min(relocations.plt_size_bytes, kWholeEntryBytes));
  extent.end = std::min(extent.end, last);
  return extent;
}

/// Its own words are searched, for releases and rules.
bool is_loader_or_libc(const ElfObject& object) {
  const std::string_view soname = object.soname.value_or("");
  return soname.starts_with("libc.") || soname.starts_with("ld-") || soname.starts_with("ld.") ||
         soname.starts_with("ld64.");
}

std::vector<Extent> wanted_extents(const ElfObject& object) {
  std::vector<Extent> extents = {{0, ImageReader::kHeadBytes}};
  for (const Segment& segment : object.segments) {
    const bool is_wanted =
        segment.type == kDynamic || segment.type == kInterp || segment.type == kNote || segment.type == kProperty;
    if (is_wanted)
      extents.push_back({segment.file_offset, segment.file_offset + std::min(segment.file_bytes, kWholeEntryBytes)});
    const std::optional<std::uint64_t> tables =
        object.symbol_tags.symbol_table
            ? offset_of(object, static_cast<std::uint64_t>(*object.symbol_tags.symbol_table))
            : std::nullopt;
    const bool has_tables = tables && segment.type == kLoad && *tables >= segment.file_offset &&
                            *tables - segment.file_offset < segment.file_bytes;
    if (has_tables) extents.push_back(extent_of_tables(object, segment));
  }
  for (Extent& extent : extents) extent.end += ImageReader::kWindowBytes;
  return merged(std::move(extents));
}

/// What `known` has of the extents.
std::vector<KeptContent::Part> cut(const std::vector<KeptContent::Part>& known, const std::vector<Extent>& extents) {
  std::vector<KeptContent::Part> parts;
  for (const Extent& extent : extents) {
    for (const KeptContent::Part& part : known) {
      const std::uint64_t start = std::max(extent.offset, part.offset);
      const std::uint64_t end = std::min(extent.end, part.offset + part.bytes.size());
      if (start >= end) continue;
      const auto first = part.bytes.begin() + static_cast<std::ptrdiff_t>(start - part.offset);
      parts.push_back({start, {first, first + static_cast<std::ptrdiff_t>(end - start)}});
    }
  }
  return parts;
}

}  // namespace

std::uint64_t bytes_asked_for(std::string_view path, std::uint32_t mode, std::uint64_t size_bytes) {
  while (path.starts_with("./") || path.starts_with('/')) path.remove_prefix(path.front() == '/' ? 1 : 2);
  const bool is_record = path.starts_with("var/lib/dpkg/") || path.find("/conda-meta/") != std::string_view::npos ||
                         path.find(".dist-info/") != std::string_view::npos ||
                         path.find(".egg-info/") != std::string_view::npos;
  if ((path.starts_with("etc/") || is_record) && size_bytes <= kMostRecordBytes) return size_bytes;
  constexpr std::string_view kEndings[] = {".py", ".pth", ".cfg", ".conf", ".json", ".toml"};
  const bool is_source = std::any_of(std::begin(kEndings), std::end(kEndings),
                                     [&](std::string_view ending) { return path.ends_with(ending); });
  if (is_source && size_bytes <= kSmallBytes) return size_bytes;
  // What may be started may be a script: its first lines say by what.
  const bool may_be_script = (mode & 0111) != 0;
  return std::min(size_bytes, may_be_script ? kScriptBytes : kKnownBytes);
}

std::vector<Window> large_file_windows(std::span<const std::byte> head, std::uint64_t size_bytes) {
  const std::vector<KeptContent::Part> known = {{0, {head.begin(), head.end()}}};
  const KnownFile file(known, size_bytes);
  std::vector<Window> windows = {{0, kHeadKeptBytes}};
  ImageReader image(file);
  const bool is_64 = head.size() > 5 && head[4] == std::byte{2};
  const ElfClass elf_class = is_64 ? ElfClass::Elf64 : ElfClass::Elf32;
  if (head.size() < elf_header_bytes(elf_class)) return windows;
  const std::endian order = head[5] == std::byte{2} ? std::endian::big : std::endian::little;
  image.read_segments(image.header(elf_class, order), elf_class, order);
  for (const Segment& segment : image.segments()) {
    const bool is_small = segment.file_bytes <= kSmallSegmentBytes && segment.file_offset < size_bytes;
    if (segment.type == kLoad || !is_small) continue;
    windows.push_back({segment.file_offset,
                       std::min(size_bytes, segment.file_offset + segment.file_bytes + ImageReader::kWindowBytes)});
  }
  return merged(std::move(windows));
}

std::vector<KeptContent::Part> loader_parts(std::vector<KeptContent::Part> known, std::uint64_t size_bytes) {
  if (size_bytes <= kSmallElfBytes) return known;
  const KnownFile file(known, size_bytes);
  const Result<ElfObject> object = ElfObject::read(file, "");
  // What is damaged is answered for by its first bytes.
  if (!object) return cut(known, {{0, ImageReader::kHeadBytes + ImageReader::kWindowBytes}});
  if (is_loader_or_libc(*object) && size_bytes <= kLoaderBytes) return known;
  return cut(known, wanted_extents(*object));
}

}  // namespace soresolve
