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

constexpr std::uint64_t kPage = 4096;
std::uint64_t page_of(std::uint64_t address) { return address & ~(kPage - 1); }

/// Where one segment alone has the byte at `address`, which is not before its first page, from. In memory it is
///
///   start of its page | p_vaddr | p_vaddr + p_filesz | p_vaddr + p_memsz | end of a page
///   the file's bytes, from one page's start to another's end, with zeros over [p_filesz, p_memsz); where these go past
///   the last page of the file's bytes, zeros to the end of theirs.
std::optional<ImageReader::Place> place_in(const Segment& segment, std::uint64_t address) {
  const std::uint64_t start = static_cast<std::uint64_t>(segment.vaddr);
  const std::uint64_t file_offset = segment.file_offset + (address - start);  // wraps for the head of the first page
  if (address < start) {
    if (segment.file_offset < start - address) return std::nullopt;
    return ImageReader::Place{file_offset, start - address, false};
  }
  const std::uint64_t within = address - start;
  if (within < segment.file_bytes) return ImageReader::Place{file_offset, segment.file_bytes - within, false};
  const std::uint64_t skew = start - page_of(start);
  const auto to_page_end = [skew](std::uint64_t bytes) { return page_of(bytes + skew + kPage - 1) - skew; };
  const std::uint64_t file_end = to_page_end(segment.file_bytes);
  const bool is_zero_to_the_end = segment.memory_bytes > file_end;
  const std::uint64_t zero_end = is_zero_to_the_end ? to_page_end(segment.memory_bytes) : segment.memory_bytes;
  if (within < zero_end) return ImageReader::Place{0, zero_end - within, true};
  if (within < file_end) return ImageReader::Place{file_offset, file_end - within, false};
  return std::nullopt;
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
  // Later segments lie over earlier ones (_dl_map_segments maps them with MAP_FIXED, in their order): what an earlier
  // one has ends where the next of them begins.
  std::uint64_t end = ~std::uint64_t{0};
  for (auto at = segments_.rbegin(); at != segments_.rend(); ++at) {
    if (at->type != PT_LOAD) continue;
    const std::uint64_t start = page_of(static_cast<std::uint64_t>(at->vaddr));
    if (address < start) {
      end = std::min(end, start);
      continue;
    }
    if (std::optional<Place> place = place_in(*at, address)) {
      // The last byte of the address space has nothing behind it, and is nobody's.
      if (address == end) return std::nullopt;
      place->available = std::min(place->available, end - address);
      return place;
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

std::size_t ImageReader::read_mapped(std::uint64_t address, std::span<std::byte> into) const {
  // Past the end of the file, but on its last page, memory reads as zero.
  const std::uint64_t page_end = page_of(file_.status().size_bytes + kPage - 1);
  std::size_t done = 0;
  while (done < into.size()) {
    const std::optional<Place> place = locate(address + done);
    if (!place) break;
    const std::span<std::byte> part =
        into.subspan(done, static_cast<std::size_t>(std::min<std::uint64_t>(into.size() - done, place->available)));
    std::fill(part.begin(), part.end(), std::byte{0});
    if (!place->is_zero_fill) {
      if (place->file_offset >= page_end) break;
      if (!file_.read_at(place->file_offset, part)) break;
    }
    const std::uint64_t readable = place->is_zero_fill ? part.size() : page_end - place->file_offset;
    done += static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), readable));
    if (readable < part.size()) break;
  }
  return done;
}

std::span<const std::byte> ImageReader::view(std::uint64_t address, std::size_t wanted, std::size_t ahead) {
  const std::optional<Place> place = locate(address);
  if (!place) return {};
  if (const std::size_t most = std::min(wanted, kWindowBytes); place->available < most) {
    window_size_ = 0;
    return std::span(window_.data(), read_mapped(address, std::span(window_.data(), most)));
  }
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
    // Of a file of which parts are known, what follows the string need not be one of them.
    const std::optional<Place> place = locate(address);
    const bool has_bytes = place && !place->is_zero_fill;
    const std::size_t step = has_bytes ? std::max<std::size_t>(file_.readable(place->file_offset, kStep), 1) : kStep;
    const std::span<const std::byte> bytes = view(address, step, kWindowBytes);
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
