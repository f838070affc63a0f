// The relocations of one object in the order in which the loader takes them.
//
// Source: glibc elf/dynamic-link.h:_ELF_DYNAMIC_DO_RELOC (DT_JMPREL may be the end of DT_RELA),
// elf/do-rel.h. DT_RELR and the leading relative entries have no symbols and are passed over unread.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/load.h"
#include "elf/table_reader.h"
#include "soresolve/elf.h"

namespace soresolve {

struct Relocation {
  std::uint64_t address = 0;  ///< r_offset
  std::uint32_t type = 0;
  std::uint32_t symbol = 0;  ///< index in DT_SYMTAB
  bool is_in_plt = false;    ///< of DT_JMPREL
};

/// One of the two ranges that the loader works through, one after the other.
struct RelocationRange {
  std::uint64_t start = 0;
  std::uint64_t size_bytes = 0;
  bool is_plt = false;
};
struct RelocationRanges {
  RelocationRange ranges[2];
  std::size_t entry_bytes = 24;
};
/// Where the ranges lie; leading relative entries are left out.
RelocationRanges relocation_ranges(const ElfObject& object);

template <class Visit, class Layout>
std::optional<std::uint64_t> for_each_relocation_in(TableReader& reader, const RelocationRanges& all, Layout layout,
                                                    Visit& visit) {
  for (const RelocationRange& range : all.ranges) {
    std::uint64_t address = range.start;
    std::uint64_t left = range.size_bytes;
    while (left > 0) {
      // Zeros are R_*_NONE all along.
      const auto place = reader.image().locate(address);
      if (place && place->is_zero_fill && place->available >= std::min<std::uint64_t>(left, all.entry_bytes)) {
        const std::uint64_t zeros = std::min(left, place->available - place->available % all.entry_bytes);
        if (zeros == 0) break;
        address += zeros;
        left -= zeros;
        continue;
      }
      constexpr std::size_t kChunkEntries = 2048;
      const std::size_t chunk =
          static_cast<std::size_t>(std::min<std::uint64_t>(left, kChunkEntries * all.entry_bytes));
      const auto bytes = reader.view(TableReader::Table::Relocations, address, chunk);
      const std::size_t entries = bytes.size() / all.entry_bytes;
      if (entries == 0) return address;
      for (std::size_t i = 0; i < entries; ++i) {
        const std::byte* at = bytes.data() + i * all.entry_bytes;
        Relocation relocation;
        relocation.is_in_plt = range.is_plt;
        if (layout.is_64) {
          relocation.address = load_as<std::uint64_t>(at, layout.order);
          const std::uint64_t info = load_as<std::uint64_t>(at + 8, layout.order);
          relocation.type = static_cast<std::uint32_t>(info);
          relocation.symbol = static_cast<std::uint32_t>(info >> 32);
        } else {
          relocation.address = load_as<std::uint32_t>(at, layout.order);
          const std::uint32_t info = load_as<std::uint32_t>(at + 4, layout.order);
          relocation.type = info & 0xff;
          relocation.symbol = info >> 8;
        }
        visit(relocation);
      }
      address += entries * all.entry_bytes;
      left -= std::min<std::uint64_t>(left, entries * all.entry_bytes);
    }
  }
  return std::nullopt;
}

/// Calls visit(Relocation) for each entry. Returns the address at which the table leaves the file;
/// nullopt when it could be read to its end.
template <class Visit>
std::optional<std::uint64_t> for_each_relocation(TableReader& reader, const ElfObject& object, Visit visit) {
  return with_layout(reader.layout(), [&](auto layout) {
    return for_each_relocation_in(reader, relocation_ranges(object), layout, visit);
  });
}

}  // namespace soresolve
