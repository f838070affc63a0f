// Checks and reads GNU_PROPERTY_X86_ISA_1_NEEDED and GNU_PROPERTY_1_NEEDED, in the loader's order and with its
// refusals. Source: glibc 2.36 sysdeps/x86/dl-prop.h:_dl_process_property_note. Left out: IBT and SHSTK, which the
// rules do not use.
#include "elf/property_note.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/load.h"

namespace soresolve {
namespace {

constexpr std::uint32_t kIsaNeeded = 0xc0008002;
constexpr std::uint32_t kNeeded = 0xb0008000;
constexpr std::size_t kMaxPropertyBytes =
    ImageReader::kWindowBytes;  ///< of notes that are looked at; real ones have 64

/// The properties of one note's description.
std::optional<PropertyNote> read_properties(std::span<const std::byte> description, std::size_t alignment,
                                            std::endian order) {
  PropertyNote note;
  if (description.size() < 8 || description.size() % alignment != 0) return std::nullopt;
  std::uint32_t last_type = 0;
  while (description.size() >= 8) {
    const std::uint32_t type = load_as<std::uint32_t>(description.data(), order);
    const std::uint32_t size = load_as<std::uint32_t>(description.data() + 4, order);
    if (type < last_type) return std::nullopt;
    description = description.subspan(8);
    if (size > description.size()) return std::nullopt;
    last_type = type;
    if (type == kIsaNeeded || type == kNeeded) {
      if (size != 4) return std::nullopt;
      const std::uint32_t value = load_as<std::uint32_t>(description.data(), order);
      (type == kIsaNeeded ? note.isa_needed : note.needed) = value;
    }
    const std::size_t step = (std::size_t{size} + alignment - 1) / alignment * alignment;
    description = description.subspan(std::min(step, description.size()));
  }
  return note;
}

/// The properties of the only property note of a segment; nullopt if it has none.
std::optional<PropertyNote> read_segment(ImageReader& reader, const Segment& segment) {
  const std::size_t alignment = reader.elf_class() == ElfClass::Elf64 ? 8 : 4;
  if (segment.alignment != alignment) return std::nullopt;
  std::span<const std::byte> notes =
      reader.view(static_cast<std::uint64_t>(segment.vaddr),
                  static_cast<std::size_t>(std::min<std::uint64_t>(segment.memory_bytes, kMaxPropertyBytes)));
  const std::endian order = reader.order();
  std::optional<PropertyNote> found;
  while (notes.size() > 12) {
    const std::uint32_t name_bytes = load_as<std::uint32_t>(notes.data(), order);
    const std::uint32_t size = load_as<std::uint32_t>(notes.data() + 4, order);
    const std::uint32_t type = load_as<std::uint32_t>(notes.data() + 8, order);
    const std::uint64_t start = (12 + std::uint64_t{name_bytes} + alignment - 1) / alignment * alignment;
    if (!is_within(start, size, notes.size())) break;
    if (name_bytes == 4 && type == 5 && std::memcmp(notes.data() + 12, "GNU", 4) == 0) {
      if (found) return PropertyNote{};  // of two none counts
      found = read_properties(notes.subspan(16, size), alignment, order);
      if (!found) return PropertyNote{};
    }
    const std::uint64_t next = (start + size + alignment - 1) / alignment * alignment;
    notes = notes.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(next, notes.size())));
  }
  return found;
}

}  // namespace

PropertyNote read_property_note(ImageReader& reader) {
  const auto& segments = reader.segments();
  for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
    if (segment->type != PT_NOTE && segment->type != PT_GNU_PROPERTY) continue;
    if (const auto note = read_segment(reader, *segment)) return *note;
  }
  return {};
}

}  // namespace soresolve
