// Which bytes the loader would have at an address: later segments lie over earlier ones, and the last page of the file
// is filled with zeros. Source: glibc 2.36 elf/dl-map-segments.h:_dl_map_segments, mmap(2). Nothing is mapped or
// relocated.
#include "elf/image_reader.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "base/limits.h"
#include "base/load.h"

namespace soresolve {
namespace {

constexpr std::array<std::byte, ImageReader::kWindowBytes> kZeros{};

Segment decode_segment(const std::byte* at, ElfClass elf_class, std::endian order) {
  Segment segment;
  segment.type = load_as<std::uint32_t>(at, order);
  if (elf_class == ElfClass::Elf64) {
    segment.flags = load_as<std::uint32_t>(at + 4, order);
    segment.file_offset = load_as<std::uint64_t>(at + 8, order);
    segment.vaddr = Vaddr{load_as<std::uint64_t>(at + 16, order)};
    segment.file_bytes = load_as<std::uint64_t>(at + 32, order);
    segment.memory_bytes = load_as<std::uint64_t>(at + 40, order);
    segment.alignment = load_as<std::uint64_t>(at + 48, order);
  } else {
    segment.file_offset = load_as<std::uint32_t>(at + 4, order);
    segment.vaddr = Vaddr{load_as<std::uint32_t>(at + 8, order)};
    segment.file_bytes = load_as<std::uint32_t>(at + 16, order);
    segment.memory_bytes = load_as<std::uint32_t>(at + 20, order);
    segment.flags = load_as<std::uint32_t>(at + 24, order);
    segment.alignment = load_as<std::uint32_t>(at + 28, order);
  }
  return segment;
}

}  // namespace

std::uint64_t page_bytes(std::uint16_t machine) {
  // Machines whose kernels are built with larger pages align for 64 KiB, so 4 KiB is the page size
  // that can matter; sparc has none below 8 KiB.
  return machine == EM_SPARC || machine == EM_SPARCV9 ? 8192 : 4096;
}

std::uint64_t sysv_hash_entry_bytes(const ElfTarget& target) {
  const bool is_wide = target.machine == EM_ALPHA || target.machine == EM_S390;
  return is_wide && target.elf_class == ElfClass::Elf64 ? 8 : 4;
}

ImageReader::ImageReader(const File& file) : file_(file) {
  // Of a file that is not an ELF file the first bytes are enough.
  std::size_t known = std::min(file.readable(0, head_.size()), head_.size());
  if (known >= SELFMAG && known < head_.size()) {
    const Result<std::size_t, Errno> magic = file.read_at(0, std::span(head_.data(), SELFMAG));
    if (!magic || *magic != SELFMAG || std::memcmp(head_.data(), ELFMAG, SELFMAG) == 0) known = head_.size();
  } else {
    known = head_.size();
  }
  const Result<std::size_t, Errno> got = file.read_at(0, std::span(head_.data(), known));
  if (got) {
    head_size_ = *got;
  } else {
    head_error_ = got.error();
  }
}

ImageReader::ImageReader(const File& file, const ElfObject& object)
    : file_(file), segments_(object.segments), class_(object.target.elf_class), order_(object.target.byte_order) {}

ElfHeader ImageReader::header(ElfClass elf_class, std::endian order) const {
  const std::byte* at = head_.data();
  ElfHeader header;
  header.type = load_as<std::uint16_t>(at + 16, order);
  header.machine = load_as<std::uint16_t>(at + 18, order);
  header.version = load_as<std::uint32_t>(at + 20, order);
  if (elf_class == ElfClass::Elf64) {
    header.program_header_offset = load_as<std::uint64_t>(at + 32, order);
    header.flags = load_as<std::uint32_t>(at + 48, order);
    header.program_header_bytes = load_as<std::uint16_t>(at + 54, order);
    header.program_header_count = load_as<std::uint16_t>(at + 56, order);
  } else {
    header.program_header_offset = load_as<std::uint32_t>(at + 28, order);
    header.flags = load_as<std::uint32_t>(at + 36, order);
    header.program_header_bytes = load_as<std::uint16_t>(at + 42, order);
    header.program_header_count = load_as<std::uint16_t>(at + 44, order);
  }
  return header;
}

ImageReader::TableRead ImageReader::read_segments(const ElfHeader& header, ElfClass elf_class, std::endian order) {
  class_ = elf_class;
  order_ = order;
  segments_.clear();
  const std::size_t count = header.program_header_count;
  if (count == 0) return {true, Errno::None};
  const std::size_t entry_bytes = program_header_bytes(elf_class);
  const std::size_t stride = header.program_header_bytes;
  const std::size_t table_bytes = stride * count;
  const std::uint64_t start = header.program_header_offset;
  if (is_within(start, std::max(table_bytes, stride * (count - 1) + entry_bytes), head_size_)) {
    segments_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      segments_.push_back(decode_segment(head_.data() + start + i * stride, elf_class, order));
    }
    return {true, Errno::None};
  }
  const std::optional<std::uint64_t> end = checked_add(start, table_bytes);
  if (!end) return {false, Errno::None};
  // Few entries at a time: the count comes from the file, the memory must not.
  std::array<std::byte, 4096> chunk;
  const std::size_t chunk_entries = stride == 0 ? count : 1 + (chunk.size() - entry_bytes) / stride;
  for (std::size_t done = 0; done < count;) {
    const std::size_t entries = std::min(chunk_entries, count - done);
    const std::size_t wanted = (entries - 1) * stride + entry_bytes;
    const Result<std::size_t, Errno> got = file_.read_at(start + done * stride, std::span(chunk.data(), wanted));
    if (!got) return {false, got.error()};
    if (*got < std::min(wanted, entries * stride)) return {false, Errno::None};
    std::fill(chunk.begin() + static_cast<std::ptrdiff_t>(*got), chunk.end(), std::byte{0});
    for (std::size_t i = 0; i < entries; ++i) {
      segments_.push_back(decode_segment(chunk.data() + i * stride, elf_class, order));
    }
    done += entries;
  }
  if (stride <= entry_bytes) return {true, Errno::None};
  const Result<std::size_t, Errno> last = file_.read_at(*end - 1, std::span(chunk.data(), 1));
  return {last && *last == 1, last ? Errno::None : last.error()};
}

std::optional<std::uint64_t> ImageReader::place_to_show(std::uint64_t address) const {
  const std::optional<Place> place = locate(address);
  if (place && !place->is_zero_fill) return place->file_offset;
  std::optional<std::uint64_t> dynamic;
  for (const Segment& segment : segments_) {
    if (segment.type == PT_DYNAMIC && segment.file_bytes != 0) dynamic = segment.file_offset;
  }
  return dynamic;
}

std::optional<ImageReader::Place> ImageReader::locate(std::uint64_t address) const {
  constexpr std::uint64_t page = 4096;
  // Later segments are mapped over earlier ones (_dl_map_segments uses MAP_FIXED).
  for (auto at = segments_.rbegin(); at != segments_.rend(); ++at) {
    const Segment& segment = *at;
    if (segment.type != PT_LOAD) continue;
    const std::uint64_t start = static_cast<std::uint64_t>(segment.vaddr);
    const std::uint64_t map_start = start & ~(page - 1);
    if (address < map_start) continue;
    const std::uint64_t within = address - start;  // wraps for the head of the first page
    const std::uint64_t file_offset = segment.file_offset + within;
    if (address < start) {
      if (segment.file_offset < start - address) continue;
      return Place{file_offset, start - address, false};
    }
    if (within < segment.file_bytes) return Place{file_offset, segment.file_bytes - within, false};
    if (within < segment.memory_bytes) return Place{0, segment.memory_bytes - within, true};
    // The rest of the last file page is mapped as well, with whatever the file has there.
    const std::uint64_t page_end = (segment.file_bytes + (start & (page - 1)) + page - 1) & ~(page - 1);
    const std::uint64_t limit = page_end - (start & (page - 1));
    if (segment.memory_bytes <= segment.file_bytes && within < limit) {
      return Place{file_offset, limit - within, false};
    }
  }
  return std::nullopt;
}

std::span<const std::byte> ImageReader::file_view(std::uint64_t offset, std::size_t wanted, std::size_t ahead) {
  const auto from_buffer = [&](std::uint64_t start, const std::byte* data, std::size_t size,
                               std::size_t need) -> std::optional<std::span<const std::byte>> {
    if (offset < start || offset - start > size || need > size - (offset - start)) return {};
    return std::span(data + (offset - start), need);
  };
  if (const auto hit = from_buffer(0, head_.data(), head_size_, wanted)) return *hit;
  if (const auto hit = from_buffer(window_offset_, window_.data(), window_size_, wanted)) {
    return *hit;
  }
  std::size_t length = std::min(std::max(wanted, ahead), kWindowBytes);
  length = std::clamp(file_.readable(offset, length), std::min(wanted, kWindowBytes), length);
  const Result<std::size_t, Errno> got = file_.read_at(offset, std::span(window_.data(), length));
  window_offset_ = offset;
  window_size_ = got ? *got : 0;
  return std::span(window_.data(), std::min(wanted, window_size_));
}

std::span<const std::byte> ImageReader::view(std::uint64_t address, std::size_t wanted, std::size_t ahead) {
  const std::optional<Place> place = locate(address);
  if (!place) return {};
  wanted = static_cast<std::size_t>(std::min<std::uint64_t>({wanted, place->available, kWindowBytes}));
  if (place->is_zero_fill) return std::span(kZeros.data(), wanted);
  ahead = static_cast<std::size_t>(std::min<std::uint64_t>(ahead, place->available));
  const std::span<const std::byte> bytes = file_view(place->file_offset, wanted, ahead);
  if (bytes.size() == wanted) return bytes;
  // Past the end of the file, but on its last page, memory reads as zero; further on it is SIGBUS.
  const std::uint64_t size = file_.status().size_bytes;
  const std::uint64_t page_end = (size + 4095) & ~std::uint64_t{4095};
  if (place->file_offset >= page_end) return bytes;
  const std::size_t readable = std::min(wanted, static_cast<std::size_t>(page_end - place->file_offset));
  if (place->file_offset >= size) return std::span(kZeros.data(), readable);
  // What is short has just been read, to the beginning of the window; it may have shrunk meanwhile.
  if (bytes.empty() || bytes.data() != window_.data() || place->file_offset + bytes.size() != size) return bytes;
  std::fill(window_.begin() + static_cast<std::ptrdiff_t>(bytes.size()),
            window_.begin() + static_cast<std::ptrdiff_t>(readable), std::byte{0});
  return std::span(window_.data(), readable);
}

std::optional<std::string_view> ImageReader::string_at(std::uint64_t address) {
  constexpr std::size_t kStep = 4096;
  long_string_.clear();
  while (long_string_.size() <= kMaxStringBytes) {
    const std::span<const std::byte> bytes = view(address, kStep, kWindowBytes);
    if (bytes.empty()) return std::nullopt;
    const char* first = reinterpret_cast<const char*>(bytes.data());
    const std::size_t length = strnlen(first, bytes.size());
    if (length < bytes.size() && long_string_.empty()) return std::string_view(first, length);
    long_string_.append(first, length);
    if (length < bytes.size()) return long_string_;
    address += length;
  }
  return std::nullopt;
}

}  // namespace soresolve
