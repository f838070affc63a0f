// Tables of the dynamic section are held whole, by the section headers, which say their sizes: whoever asks another
// question later reads other parts of them. Of what was only searched the finds are held: names of libraries, texts
// with versions, the store of cudart's version, headers of GPU code. Between them a search reads zeros, so that each
// find keeps the byte before and behind it.
#include "place/snapshot_pieces.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/load.h"
#include "cuda/fatbin.h"
#include "soresolve/cuda.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostSections = 4096;
constexpr std::uint64_t kMostTableBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kHeadBytes = 4096;
constexpr std::uint64_t kReadAlongBytes = 11 * sizeof(Elf64_Rela);
constexpr std::uint64_t kMostDynamicBytes = std::uint64_t{1} << 16;

struct Table {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  PieceKind kind = PieceKind::Other;
  bool is_whole = true;          ///< held also where only parts were read
  std::uint64_t skip_bytes = 0;  ///< at its beginning; held nowhere
};

std::string read_bytes(const File& file, std::uint64_t start, std::uint64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto got = file.read_at(start + done, std::as_writable_bytes(std::span(bytes)).subspan(done));
    if (!got || *got == 0) break;
    done += *got;
  }
  bytes.resize(done);
  return bytes;
}

/// DT_RELA's leading relative entries: they have no symbols, and the loader's lookups pass over them, as DT_RELACOUNT
/// says (elf/relocation_reader.h).
struct RelativeEntries {
  std::uint64_t address = 0;  ///< DT_RELA
  std::uint64_t count = 0;    ///< DT_RELACOUNT
};

RelativeEntries relative_entries(const File& file, const Table& dynamic) {
  RelativeEntries found;
  const std::string entries = read_bytes(file, dynamic.start, dynamic.end - dynamic.start);
  for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= entries.size(); at += sizeof(Elf64_Dyn)) {
    const auto* const entry = reinterpret_cast<const std::byte*>(entries.data()) + at;
    const auto tag = load_as<std::uint64_t>(entry, std::endian::little);
    const auto value = load_as<std::uint64_t>(entry + offsetof(Elf64_Dyn, d_un), std::endian::little);
    if (tag == DT_NULL) break;
    if (tag == DT_RELA) found.address = value;
    if (tag == DT_RELACOUNT) found.count = value;
  }
  return found;
}

/// `addresses`: of tables of relocations, by where they start in the file.
void skip_relative(std::vector<Table>& tables, const std::map<std::uint64_t, std::uint64_t>& addresses,
                   const RelativeEntries& relative) {
  for (Table& table : tables) {
    const auto address = addresses.find(table.start);
    if (table.kind != PieceKind::Relocations || address == addresses.end() || address->second != relative.address)
      continue;
    table.skip_bytes = std::min(relative.count, (table.end - table.start) / sizeof(Elf64_Rela)) * sizeof(Elf64_Rela);
  }
}

/// The tables that the section headers of a 64-bit little-endian ELF file name; ascending, apart from each other.
std::vector<Table> tables_of(const File& file) {
  std::vector<Table> tables;
  const std::string head = read_bytes(file, 0, sizeof(Elf64_Ehdr));
  if (head.size() != sizeof(Elf64_Ehdr) || head.compare(0, SELFMAG, ELFMAG) != 0) return tables;
  const auto* const bytes = reinterpret_cast<const std::byte*>(head.data());
  if (head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB) return tables;
  const std::uint64_t start = load_as<std::uint64_t>(bytes + offsetof(Elf64_Ehdr, e_shoff), std::endian::little);
  const std::size_t count = load_as<std::uint16_t>(bytes + offsetof(Elf64_Ehdr, e_shnum), std::endian::little);
  const std::size_t entry = load_as<std::uint16_t>(bytes + offsetof(Elf64_Ehdr, e_shentsize), std::endian::little);
  if (entry != sizeof(Elf64_Shdr) || count > kMostSections || start > file.status().size_bytes) return tables;
  const std::string sections = read_bytes(file, start, count * entry);
  RelativeEntries relative;
  std::map<std::uint64_t, std::uint64_t> addresses;
  for (std::size_t i = 0; (i + 1) * entry <= sections.size(); ++i) {
    const auto* const at = reinterpret_cast<const std::byte*>(sections.data()) + i * entry;
    const auto type = load_as<std::uint32_t>(at + offsetof(Elf64_Shdr, sh_type), std::endian::little);
    const auto flags = load_as<std::uint64_t>(at + offsetof(Elf64_Shdr, sh_flags), std::endian::little);
    const auto offset = load_as<std::uint64_t>(at + offsetof(Elf64_Shdr, sh_offset), std::endian::little);
    const auto size = load_as<std::uint64_t>(at + offsetof(Elf64_Shdr, sh_size), std::endian::little);
    if ((flags & SHF_ALLOC) == 0 || size == 0 || size > kMostTableBytes || offset > file.status().size_bytes ||
        size > file.status().size_bytes - offset) {
      continue;
    }
    Table table = {offset, offset + size};
    switch (type) {
      case SHT_DYNSYM: table.kind = PieceKind::Symbols; break;
      case SHT_STRTAB: table.kind = PieceKind::Strings; break;
      case SHT_RELA:
        table.kind = PieceKind::Relocations;
        table.is_whole = false;
        addresses[offset] = load_as<std::uint64_t>(at + offsetof(Elf64_Shdr, sh_addr), std::endian::little);
        break;
      case SHT_GNU_HASH: table.kind = PieceKind::Hashes; break;
      case SHT_HASH:
      case SHT_GNU_versym: table.kind = PieceKind::Words; break;
      case SHT_DYNAMIC:
        table.kind = PieceKind::Heads;
        if (size <= kMostDynamicBytes) relative = relative_entries(file, table);
        break;
      case SHT_GNU_verdef:
      case SHT_GNU_verneed:
      case SHT_NOTE: table.kind = PieceKind::Heads; break;
      default: continue;
    }
    tables.push_back(table);
  }
  skip_relative(tables, addresses, relative);
  std::sort(tables.begin(), tables.end(), [](const Table& a, const Table& b) { return a.start < b.start; });
  std::uint64_t end = 0;
  std::erase_if(tables, [&](const Table& table) {
    const bool is_over = table.start < end;
    if (!is_over) end = table.end;
    return is_over;
  });
  return tables;
}

/// What searches can find in a piece of a file that was searched.
class Finds {
 public:
  Finds(const File& file, const RangeSet& searched) : file_(file) {
    constexpr std::uint64_t kPiece = 1u << 20;
    for (const SnapshotRange& range : searched.ranges()) {
      for (std::uint64_t at = range.start; at < range.end; at += kPiece) {
        const std::uint64_t before = std::min<std::uint64_t>(at - range.start, kAround);
        const std::uint64_t end = std::min(range.end, at + kPiece + kAround);
        const std::string text = read_bytes(file, at - before, end - at + before);
        look(text, at - before);
      }
    }
    if (has_gpu_code_) add_gpu_headers();
  }
  [[nodiscard]] const RangeSet& found() const { return found_; }
  [[nodiscard]] const RangeSet& gpu() const { return gpu_; }

 private:
  static constexpr std::size_t kAround = 512;
  static constexpr std::size_t kBlock = 64;
  static bool is_text(char c) { return c >= 0x20 && c < 0x7f; }

  /// All needles in one pass: memmem(3) goes byte by byte for the short ones, and nearly all blocks have none.
  void look(std::string_view text, std::uint64_t start) {
    for (std::size_t block = 0; block < text.size(); block += kBlock) {
      if (text.size() - block > kBlock && !may_begin(text.data() + block)) continue;
      const std::size_t end = std::min(block + kBlock, text.size());
      for (std::size_t at = block; at < end; ++at) look_at(text, at, start);
    }
  }

  /// Has a byte of the block, with the one behind it, the first two of a needle? Without a branch, for vectors.
  static bool may_begin(const char* block) {
    unsigned has = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
      const unsigned char first = static_cast<unsigned char>(block[i]);
      const unsigned char second = static_cast<unsigned char>(block[i + 1]);
      const unsigned char is_text = static_cast<unsigned char>(((first == '.') & (second == 's')) |
                                                               ((first == 'N') & ((second == 'C') | (second == 'V'))) |
                                                               ((first == 'C') & (second == 'u')));
      const unsigned char is_code =
          static_cast<unsigned char>(((first == 0xc7) & (second == 0x07)) | ((first == 0x50) & (second == 0xed)));
      has |= static_cast<unsigned char>(is_text | is_code);
    }
    return has != 0;
  }

  void look_at(std::string_view text, std::size_t at, std::uint64_t start) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(".so")) {
      std::size_t first = at, last = at + 3;
      while (first > 0 && at - first < kAround && is_text(text[first - 1])) --first;
      while (last < text.size() && last - at < kAround && is_text(text[last])) ++last;
      found_.add(start + first - (first == 0 ? 0 : 1), start + std::min(last + 1, text.size()));
    } else if (rest.starts_with("\xc7\x07") && rest.size() >= 6) {
      std::uint32_t number;
      std::memcpy(&number, rest.data() + 2, sizeof number);
      if (number >= 7000 && number < 40000) found_.add(start + at, start + at + 6);
    } else if (rest.starts_with("\x50\xed\x55\xba")) {
      has_gpu_code_ = true;
      gpu_.add(start + at, start + std::min(at + 16, text.size()));
    } else if (rest.starts_with("NCCL version ") || rest.starts_with("Cuda compilation tools, release ") ||
               rest.starts_with("NVIDIA Corporation")) {
      found_.add(start + at - std::min<std::size_t>(at, 16), start + std::min(at + 300, text.size()));
    }
  }

  void add_gpu_headers() {
    const auto ignore = [](const Error&) {};
    static_cast<void>(for_each_fatbin(
        file_, {},
        [this](const FatbinContainer& container) {
          gpu_.add(container.file_offset, container.file_offset + 16);
          std::uint64_t last = container.file_offset + 16;
          for (const FatbinEntry& entry : container.entries) {
            gpu_.add(entry.file_offset, std::min(entry.payload_offset, entry.file_offset + 256));
            last = entry.payload_offset + entry.stored_bytes;
          }
          gpu_.add(last, std::min(last + 64, file_.status().size_bytes));
        },
        ignore));
  }

  const File& file_;
  bool has_gpu_code_ = false;
  RangeSet found_;
  RangeSet gpu_;
};

/// What of `ranges` is not in `taken`.
std::vector<SnapshotRange> without(const std::vector<SnapshotRange>& ranges, const std::vector<SnapshotRange>& taken) {
  std::vector<SnapshotRange> rest;
  auto skip = taken.begin();
  for (SnapshotRange range : ranges) {
    while (skip != taken.end() && skip->end <= range.start) ++skip;
    for (auto cut = skip; cut != taken.end() && cut->start < range.end; ++cut) {
      if (cut->start > range.start) rest.push_back({range.start, cut->start});
      range.start = std::max(range.start, cut->end);
      if (range.start >= range.end) break;
    }
    if (range.start < range.end) rest.push_back(range);
  }
  return rest;
}

/// What of `ranges` is in `within`.
std::vector<SnapshotRange> inside(const std::vector<SnapshotRange>& ranges, const std::vector<SnapshotRange>& within) {
  std::vector<SnapshotRange> rest;
  for (const SnapshotRange& range : ranges) {
    auto at = std::partition_point(within.begin(), within.end(),
                                   [&](const SnapshotRange& one) { return one.end <= range.start; });
    for (; at != within.end() && at->start < range.end; ++at)
      rest.push_back({std::max(range.start, at->start), std::min(range.end, at->end)});
  }
  return rest;
}

void hold(const File& file, const SnapshotRange& range, PieceKind kind, bool is_exact, HeldContent& into) {
  if (range.start >= range.end) return;
  HeldPiece held;
  held.bytes = read_bytes(file, range.start, range.end - range.start);
  if (held.bytes.empty()) return;
  held.piece = {range.start, held.bytes.size(), kind, is_exact, 0};
  into.pieces.push_back(std::move(held));
}

/// Cuts an exact range where tables begin and end.
void hold_by_tables(const File& file, SnapshotRange range, const std::vector<Table>& tables, PieceKind other,
                    HeldContent& into) {
  for (const Table& table : tables) {
    if (table.end <= range.start || table.start >= range.end) continue;
    if (table.start > range.start) hold(file, {range.start, table.start}, other, true, into);
    SnapshotRange part = {std::max(range.start, table.start), std::min(range.end, table.end)};
    range.start = part.end;
    const bool has_records = table.kind == PieceKind::Symbols || table.kind == PieceKind::Relocations;
    if (has_records) {
      // Whole records only: a column of their parts would be none.
      const std::uint64_t first = (part.start - table.start + 23) / 24 * 24 + table.start;
      const std::uint64_t last = (part.end - table.start) / 24 * 24 + table.start;
      if (first < last) {
        hold(file, {part.start, first}, PieceKind::Other, true, into);
        hold(file, {first, last}, table.kind, true, into);
        part.start = last;
      }
      hold(file, part, PieceKind::Other, true, into);
    } else {
      hold(file, part, table.kind, true, into);
    }
  }
  hold(file, range, other, true, into);
}

}  // namespace

void RangeSet::add(std::uint64_t start, std::uint64_t end) {
  if (start >= end) return;
  if (!ranges_.empty() && start <= ranges_.back().end && start >= ranges_.back().start) {
    ranges_.back().end = std::max(ranges_.back().end, end);
    return;
  }
  if (!ranges_.empty() && start < ranges_.back().start) is_sorted_ = false;
  ranges_.push_back({start, end});
  // Reads that come back again and again must not be kept one by one.
  if (!is_sorted_ && ranges_.size() > 64 + 2 * settled_) static_cast<void>(ranges());
}

const std::vector<SnapshotRange>& RangeSet::ranges() const {
  if (is_sorted_) return ranges_;
  std::sort(ranges_.begin(), ranges_.end(), [](const SnapshotRange& a, const SnapshotRange& b) {
    return a.start != b.start ? a.start < b.start : a.end < b.end;
  });
  std::size_t count = 0;
  for (const SnapshotRange& range : ranges_) {
    if (count != 0 && range.start <= ranges_[count - 1].end)
      ranges_[count - 1].end = std::max(ranges_[count - 1].end, range.end);
    else
      ranges_[count++] = range;
  }
  ranges_.resize(count);
  settled_ = count;
  is_sorted_ = true;
  return ranges_;
}

bool has_gpu_section(const File& file) {
  constexpr std::uint64_t kMostNamesBytes = 1u << 16;
  const std::string head = read_bytes(file, 0, sizeof(Elf64_Ehdr));
  if (head.size() != sizeof(Elf64_Ehdr) || head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB) return false;
  const auto* const bytes = reinterpret_cast<const std::byte*>(head.data());
  const std::uint64_t start = load_as<std::uint64_t>(bytes + offsetof(Elf64_Ehdr, e_shoff), std::endian::little);
  const std::uint64_t index = load_as<std::uint16_t>(bytes + offsetof(Elf64_Ehdr, e_shstrndx), std::endian::little);
  const std::uint64_t size = file.status().size_bytes;
  if (start == 0 || start > size || (index + 1) * sizeof(Elf64_Shdr) > size - start) return false;
  const std::string section = read_bytes(file, start + index * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
  if (section.size() != sizeof(Elf64_Shdr)) return false;
  const auto* const at = reinterpret_cast<const std::byte*>(section.data());
  const auto names = load_as<std::uint64_t>(at + offsetof(Elf64_Shdr, sh_offset), std::endian::little);
  const auto length = load_as<std::uint64_t>(at + offsetof(Elf64_Shdr, sh_size), std::endian::little);
  if (names > size) return false;
  const std::string text = read_bytes(file, names, std::min({length, kMostNamesBytes, size - names}));
  return text.find("nv_fatbin") != std::string::npos || text.find("nv_relfatbin") != std::string::npos;
}

HeldContent hold_content(const File& file, const FileReads& reads) {
  HeldContent content;
  const std::uint64_t size = file.status().size_bytes;
  content.end = size != 0 ? size : reads.end;
  const std::vector<Table> tables = tables_of(file);
  // A file of which only headers were read keeps those; one whose symbols were, all its tables.
  const auto was_read = [&](const Table& table) {
    const bool has_names = table.kind == PieceKind::Symbols || table.kind == PieceKind::Hashes;
    // What lies near the beginning is read along with the headers.
    const std::uint64_t first = std::max(table.start, kHeadBytes);
    return has_names && std::any_of(reads.exact.ranges().begin(), reads.exact.ranges().end(), [&](const auto& range) {
             return (range.start < table.end && range.end > first) ||
                    (range.start <= table.start && range.end >= table.end);
           });
  };
  const bool is_read = std::any_of(tables.begin(), tables.end(), was_read);
  RangeSet exact;
  for (const SnapshotRange& range : reads.exact.ranges()) exact.add(range.start, std::min(range.end, content.end));
  if (is_read) {
    for (const Table& table : tables) {
      if (table.is_whole) exact.add(table.start, table.end);
    }
  }
  const bool is_elf = !tables.empty();
  std::vector<SnapshotRange> skipped;
  for (const Table& table : tables) {
    // The first page is held as it was read: a content is named by it. Of what precedes, the end is read with a little
    // of what follows.
    const std::uint64_t first = std::max(table.start + kReadAlongBytes, kHeadBytes);
    if (table.start + table.skip_bytes > first) skipped.push_back({first, table.start + table.skip_bytes});
  }
  const std::vector<SnapshotRange> held = without(exact.ranges(), skipped);
  for (const SnapshotRange& range : held) {
    SnapshotRange rest = range;
    if (is_elf && rest.start < kHeadBytes) {
      const std::uint64_t end = std::min({rest.end, kHeadBytes, std::max(rest.start, tables.front().start)});
      hold(file, {rest.start, end}, PieceKind::Heads, true, content);
      rest.start = end;
    }
    hold_by_tables(file, rest, tables, is_elf ? PieceKind::Other : PieceKind::Text, content);
  }
  if (!reads.searched.is_empty()) {
    RangeSet searched;
    for (const SnapshotRange& range : reads.searched.ranges())
      searched.add(range.start, std::min(range.end, content.end));
    const Finds finds(file, searched);
    content.searched = without(searched.ranges(), held);
    for (const SnapshotRange& range : inside(finds.gpu().ranges(), content.searched))
      hold(file, range, PieceKind::Gpu, false, content);
    const std::vector<SnapshotRange> texts = without(finds.found().ranges(), finds.gpu().ranges());
    for (const SnapshotRange& range : inside(texts, content.searched))
      hold(file, range, PieceKind::Found, false, content);
  }
  std::sort(content.pieces.begin(), content.pieces.end(),
            [](const HeldPiece& a, const HeldPiece& b) { return a.piece.offset < b.piece.offset; });
  return content;
}

}  // namespace soresolve
