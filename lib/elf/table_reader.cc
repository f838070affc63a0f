// Windows over the tables of one file: one region for small tables side by side, one window for each large table.
// Behind the end of the file its last page reads as zeros (mmap(2)); holes of a sparse file count as absent
// (filled_bytes). The entries are decoded by the callers.
#include "elf/table_reader.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/limits.h"
#include "base/load.h"

namespace soresolve {
namespace {

constexpr std::size_t kRegionBytes = 128 << 10;  ///< tables within so much come in one piece
constexpr std::size_t kWindowBytes = 64 << 10;
constexpr std::size_t kBackBytes = 4 << 10;
constexpr std::size_t kStringSlackBytes = 1 << 10;   ///< read along behind the start of the last string
constexpr std::size_t kSlackBytes = 8 << 10;         ///< behind the start of the last table
constexpr std::uint64_t kNamesBytes = 2 << 10;       ///< of names of versions, before the end of the strings
constexpr std::size_t kVersionSlackBytes = 2 << 10;  ///< behind the start of the last table of versions

}  // namespace

std::uint64_t filled_bytes(const ImageReader& image, std::uint64_t address, std::uint64_t size) {
  constexpr std::uint64_t kStep = 1 << 20;
  // The last page is filled up.
  const std::uint64_t page_end = (image.file().status().size_bytes + 4095) & ~std::uint64_t{4095};
  size = std::min(size, page_end);
  for (std::uint64_t done = 0; done < size;) {
    const std::optional<ImageReader::Place> place = image.locate(address + done);
    if (!place || place->is_zero_fill || place->file_offset >= page_end) return done;
    const std::uint64_t available = std::min({size - done, place->available, page_end - place->file_offset});
    // Few tables are so long that it takes a look.
    for (std::uint64_t at = 0; available > kStep && at < available; at += kStep) {
      const std::uint64_t next = image.file().next_data(place->file_offset + at);
      if (next - (place->file_offset + at) >= kStep) return done + at;
    }
    done += available;
  }
  return size;
}

RegionFile::RegionFile(const File& file, std::uint64_t offset, std::size_t size_bytes, ReadBuffer& buffer)
    : File(file.status()), file_(file), offset_(offset) {
  if (size_bytes == 0 || file.readable(offset, size_bytes) < size_bytes) return;
  std::byte* const bytes = buffer.at_least(size_bytes);
  const Result<std::size_t, Errno> got = file.read_at(offset, std::span(bytes, size_bytes));
  region_ = std::span<const std::byte>(bytes, got ? *got : 0);
}

std::span<const std::byte> RegionFile::borrow(std::uint64_t offset, std::size_t size) const {
  if (offset < offset_ || !is_within(offset - offset_, size, region_.size())) return {};
  return region_.subspan(static_cast<std::size_t>(offset - offset_), size);
}

Result<std::size_t, Errno> RegionFile::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  const std::span<const std::byte> here = borrow(offset, into.size());
  if (here.empty()) return file_.read_at(offset, into);
  std::memcpy(into.data(), here.data(), here.size());
  return into.size();
}

RegionFile TableReader::open_region(const File& file, const ElfObject& object, const ImageReader& image,
                                    TableScratch& scratch, Purpose purpose) {
  const SymbolTags& tags = object.symbol_tags;
  const RelocationTags& relocations = object.relocation_tags;
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  const auto cover = [&](std::optional<Vaddr> start, std::uint64_t size_bytes) {
    if (!start) return;
    const auto place = image.locate(static_cast<std::uint64_t>(*start));
    if (!place || place->is_zero_fill) return;
    first = std::min(first, place->file_offset);
    const std::uint64_t size = std::min(size_bytes, place->available);
    last = std::max(last, place->file_offset + size);
  };
  if (purpose == Purpose::Hashes) {
    cover(tags.gnu_hash, kSlackBytes);
    return {file, first, first < last ? static_cast<std::size_t>(last - first) : 0, scratch.region};
  }
  if (purpose == Purpose::Versions) {
    // Linkers put the names of versions at the end of the strings, and DT_VERSYM behind them.
    if (tags.version_index) {
      const auto place = image.locate(static_cast<std::uint64_t>(*tags.version_index));
      if (place && !place->is_zero_fill) first = place->file_offset - std::min(place->file_offset, kNamesBytes);
    }
    cover(tags.version_needs, kVersionSlackBytes);
    cover(tags.version_defs, kVersionSlackBytes);
    last = std::min(last, file.status().size_bytes);
    const bool is_near = first < last && last - first <= kWindowBytes;
    return {file, first, is_near ? static_cast<std::size_t>(last - first) : 0, scratch.region};
  }
  cover(tags.symbol_table, kSlackBytes);
  cover(tags.string_table, kSlackBytes);
  cover(tags.version_index, kSlackBytes);
  if (purpose == Purpose::Definitions) {
    cover(tags.gnu_hash ? tags.gnu_hash : tags.sysv_hash, kSlackBytes);
  } else {
    cover(tags.version_needs, kSlackBytes);
    cover(tags.version_defs, kSlackBytes);
    cover(relocations.rela.start, relocations.rela.size_bytes);
    cover(relocations.rel.start, relocations.rel.size_bytes);
    cover(relocations.plt, relocations.plt_size_bytes);
  }
  // Of larger tables only what is asked for.
  std::uint64_t size = first < last && last - first <= kRegionBytes ? last - first : 0;
  if (first < file.status().size_bytes) size = std::min(size, file.status().size_bytes - first);
  return {file, first, static_cast<std::size_t>(size), scratch.region};
}

TableReader::TableReader(const File& file, const ElfObject& object, TableScratch& scratch, Purpose purpose)
    : image_(file, object), region_(open_region(file, object, image_, scratch, purpose)), scratch_(scratch) {}

std::span<const std::byte> TableReader::move_window(Table table, std::uint64_t address, std::size_t size,
                                                    std::size_t ahead) {
  const std::size_t slot = static_cast<std::size_t>(table);
  Window& window = windows_[slot];
  const std::optional<ImageReader::Place> place = image_.locate(address);
  if (!place) return {};
  // What the file cannot have is not asked for: no memory for a number that it only claims.
  const std::uint64_t page_end = (file().status().size_bytes + 4095) & ~std::uint64_t{4095};
  std::uint64_t available = place->available;
  if (!place->is_zero_fill) {
    if (place->file_offset >= page_end) return {};
    available = std::min(available, page_end - place->file_offset);
  } else {
    available = std::min<std::uint64_t>(available, kWindowBytes);
  }
  if (available < size && image_.locate(address + available))
    return cross_segments(window, slot, *place, address, size);
  size = static_cast<std::size_t>(std::min<std::uint64_t>(size, available));
  std::size_t length =
      static_cast<std::size_t>(std::min<std::uint64_t>(std::max(size, std::min(ahead, kWindowBytes)), available));
  if (!place->is_zero_fill) length = std::clamp(region_.readable(place->file_offset, length), size, length);
  if (!place->is_zero_fill && use_region(window, *place, address, size)) {
    return window.bytes.subspan(static_cast<std::size_t>(address - window.start), size);
  }
  // Who asks for a little of what it brings may ask for neighbours in nearly ascending order: such a
  // window begins a little earlier.
  if (length >= kWindowBytes / 2 && size < length / 2 && !place->is_zero_fill) {
    const std::uint64_t before = address - kBackBytes;
    const auto earlier = image_.locate(before);
    if (address > kBackBytes && earlier && !earlier->is_zero_fill && place->file_offset > kBackBytes &&
        earlier->file_offset == place->file_offset - kBackBytes &&
        region_.readable(earlier->file_offset, length + kBackBytes) == length + kBackBytes) {
      const std::span<const std::byte> bytes = fill_window(window, slot, *earlier, before, length + kBackBytes);
      return bytes.subspan(std::min<std::size_t>(kBackBytes, bytes.size()))
          .first(std::min(size, bytes.size() - std::min<std::size_t>(kBackBytes, bytes.size())));
    }
  }
  const std::span<const std::byte> bytes = fill_window(window, slot, *place, address, length);
  return bytes.first(std::min(size, bytes.size()));
}

/// A table that goes on in the next segment: no more of it than the file could have.
std::span<const std::byte> TableReader::cross_segments(Window& window, std::size_t slot,
                                                       const ImageReader::Place& place, std::uint64_t address,
                                                       std::size_t size) {
  size = static_cast<std::size_t>(std::min<std::uint64_t>(size, file().status().size_bytes + kWindowBytes));
  const std::span<std::byte> buffer(scratch_.windows[slot].at_least(size), size);
  window = {address, buffer.first(image_.read_mapped(address, buffer)), place.file_offset, place.is_zero_fill};
  return window.bytes;
}

/// All that the region has around the address becomes the window, if that is enough.
bool TableReader::use_region(Window& window, const ImageReader::Place& place, std::uint64_t address, std::size_t size) {
  if (size == 0 || region_.borrow(place.file_offset, size).empty()) return false;
  const std::span<const std::byte> region = region_.bytes();
  std::size_t back = static_cast<std::size_t>(place.file_offset - region_.offset());
  const std::optional<ImageReader::Place> start = address < back ? std::nullopt : image_.locate(address - back);
  const bool is_one_piece = start && !start->is_zero_fill && start->file_offset == region_.offset() &&
                            start->available == place.available + back;
  if (!is_one_piece) back = 0;
  const std::size_t begin = static_cast<std::size_t>(place.file_offset - region_.offset()) - back;
  const std::uint64_t length = std::min<std::uint64_t>(region.size() - begin, place.available + back);
  window = {address - back, region.subspan(begin, static_cast<std::size_t>(length)), place.file_offset - back, false};
  return true;
}

std::span<const std::byte> TableReader::fill_window(Window& window, std::size_t slot, const ImageReader::Place& place,
                                                    std::uint64_t address, std::size_t length) {
  ReadBuffer& memory = scratch_.windows[slot];
  if (memory.size_bytes() < length) memory.at_least(std::max(length, kWindowBytes + kBackBytes));
  const std::span<std::byte> buffer(memory.at_least(length), length);
  std::size_t got = length;
  if (place.is_zero_fill) {
    std::memset(buffer.data(), 0, length);
  } else {
    const auto read = region_.read_at(place.file_offset, buffer);
    got = read ? *read : 0;
    const std::uint64_t page_end = (file().status().size_bytes + 4095) & ~std::uint64_t{4095};
    // The last page of a file reads as zero past its end.
    if (got < length && place.file_offset + got < page_end) {
      const std::size_t zeros =
          static_cast<std::size_t>(std::min<std::uint64_t>(length - got, page_end - place.file_offset - got));
      std::memset(buffer.data() + got, 0, zeros);
      got += zeros;
    }
  }
  window = {address, buffer.first(got), place.file_offset, place.is_zero_fill};
  return window.bytes;
}

void TableReader::bring_strings(std::uint64_t first, std::uint64_t last) {
  const Window& window = windows_[static_cast<std::size_t>(Table::Strings)];
  if (first >= window.start && last - window.start < window.bytes.size()) return;
  const std::uint64_t size = last - first + kStringSlackBytes;
  if (size <= kWindowBytes) {
    move_window(Table::Strings, first, 1, static_cast<std::size_t>(size));
  }
}

std::optional<std::string_view> TableReader::string_at(std::uint64_t address) {
  const Window& window = windows_[static_cast<std::size_t>(Table::Strings)];
  if (const std::uint64_t offset = address - window.start; offset < window.bytes.size()) {
    const char* first = reinterpret_cast<const char*>(window.bytes.data() + offset);
    const std::size_t most = window.bytes.size() - offset;
    const std::size_t length = strnlen(first, most);
    if (length < most) return std::string_view(first, length);
  }
  const std::optional<ImageReader::Place> place = image_.locate(address);
  const bool has_bytes = place && !place->is_zero_fill;
  for (std::size_t wanted = 128; wanted <= 2 * kMaxStringBytes; wanted *= 4) {
    // Of a file of which parts are known, what follows the string need not be one of them.
    const std::size_t known =
        has_bytes ? std::max<std::size_t>(region_.readable(place->file_offset, wanted), 1) : wanted;
    const std::span<const std::byte> bytes = view(Table::Strings, address, std::min(wanted, known), kWindowBytes / 4);
    const char* first = reinterpret_cast<const char*>(bytes.data());
    const std::size_t length = bytes.empty() ? 0 : strnlen(first, bytes.size());
    if (length < bytes.size()) return std::string_view(first, length);
    if (bytes.size() < wanted) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace soresolve
