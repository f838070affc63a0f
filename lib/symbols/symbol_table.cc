// Reads all dynamic symbols: the count from DT_HASH or DT_GNU_HASH, else from the relocations, then entries, versions,
// names. Source: gABI "Symbol Table", "Hash Table"; glibc 2.36 elf/dl-lookup.c. Section headers and .symtab are not
// read.
#include "soresolve/symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/limits.h"
#include "base/load.h"
#include "elf/image_reader.h"
#include "elf/relocation_reader.h"
#include "elf/table_reader.h"
#include "symbols/cxx_names.h"
#include "symbols/symbol_table.h"

namespace soresolve {
namespace {

class SymbolReader {
 public:
  SymbolReader(const File& file, const ElfObject& object, std::string_view path)
      : reader_(file, object), object_(object), path_(path), is_64_(object.target.elf_class == ElfClass::Elf64) {}

  Result<SymbolTable> read(const std::function<bool(const DynamicSymbol&)>& is_wanted) {
    const SymbolTags& tags = object_.symbol_tags;
    if (!tags.symbol_table || !tags.string_table) return SymbolTable{};
    const std::uint64_t count = count_symbols();
    if (!failed_) read_symbols(static_cast<std::uint64_t>(*tags.symbol_table), count);
    if (!failed_ && tags.version_index) {
      read_versions(static_cast<std::uint64_t>(*tags.version_index));
    }
    if (!failed_ && is_wanted) leave_out(is_wanted);
    constexpr std::size_t kFew = 64;
    const bool are_few = is_wanted && table_.symbols.size() <= kFew;
    const std::uint64_t strings = static_cast<std::uint64_t>(*tags.string_table);
    if (!failed_) are_few ? read_few_names(strings) : read_names(strings);
    if (failed_) return Unexpected{std::move(*failed_)};
    return std::move(table_);
  }

  Result<std::vector<CxxDefinition>> find_cxx(std::span<const std::string> parts) {
    const SymbolTags& tags = object_.symbol_tags;
    std::vector<CxxDefinition> found;
    if (!tags.symbol_table || !tags.string_table) return found;
    const std::uint64_t symbols = static_cast<std::uint64_t>(*tags.symbol_table);
    const std::uint64_t strings = static_cast<std::uint64_t>(*tags.string_table);
    const std::uint64_t count = count_symbols();
    if (!failed_ && check_filled(symbols, count)) {
      const std::uint64_t last = last_name(symbols, count);
      if (are_too_far_apart(last, count)) {
        fail(strings, "has symbol names that are too far apart", ErrorCode::LimitReached);
      }
      const auto names = failed_ ? std::map<std::uint32_t, std::string>() : find_cxx_names(strings, last, parts);
      if (!failed_ && !names.empty()) {
        for_each_symbol(symbols, count, [&](const DynamicSymbol& symbol, std::uint32_t name) {
          const auto known = symbol.is_defined() ? names.find(name) : names.end();
          if (known == names.end()) return;
          found.push_back({known->second, symbol.binding});
        });
      }
    }
    if (failed_) return Unexpected{std::move(*failed_)};
    return found;
  }

 private:
  std::uint64_t count_symbols() {
    const SymbolTags& tags = object_.symbol_tags;
    std::uint64_t count = 0;
    if (tags.sysv_hash) {
      count = count_sysv(static_cast<std::uint64_t>(*tags.sysv_hash));
    } else if (tags.gnu_hash) {
      count = count_gnu(static_cast<std::uint64_t>(*tags.gnu_hash));
    }
    // Only definitions are hashed. With none, what the object refers to is known from its relocations.
    return count <= 1 ? std::max(count, count_referred()) : count;
  }

  void fail(std::uint64_t address, std::string message, ErrorCode code = ErrorCode::Malformed) {
    failed_ = Error{code, std::string(path_), reader_.place_to_show(address), std::move(message)};
  }

  /// More than so many entries of a table have no room in the file.
  [[nodiscard]] std::uint64_t room_for(std::size_t entry_bytes) const {
    return reader_.file().status().size_bytes / entry_bytes;
  }

  std::optional<std::uint32_t> word_at(std::uint64_t address) {
    const auto bytes = reader_.view(address, 4, ImageReader::kWindowBytes);
    if (bytes.size() < 4) return std::nullopt;
    return load_as<std::uint32_t>(bytes.data(), reader_.order());
  }

  /// Calls visit(entry) for entries of `bytes` bytes each, a window full of them at a time, while it returns true and
  /// they are mapped. Returns how many were visited.
  template <class Visit>
  std::uint64_t for_each_entry(std::uint64_t address, std::uint64_t count, std::size_t bytes, Visit visit) {
    std::uint64_t done = 0;
    while (done < count) {
      auto wanted =
          static_cast<std::size_t>(std::min<std::uint64_t>(count - done, ImageReader::kWindowBytes / bytes) * bytes);
      // Of a file of which parts are known, what follows the end of a chain need not be one of them.
      const std::optional<ImageReader::Place> place = reader_.locate(address + done * bytes);
      if (place && !place->is_zero_fill)
        wanted = std::max(bytes, reader_.file().readable(place->file_offset, wanted) / bytes * bytes);
      const auto window = reader_.view(address + done * bytes, wanted, ImageReader::kWindowBytes);
      if (window.size() < bytes) break;
      for (std::size_t at = 0; at + bytes <= window.size(); at += bytes) {
        ++done;
        if (!visit(window.data() + at)) return done;
      }
    }
    return done;
  }

  std::uint64_t count_sysv(std::uint64_t address) {
    const std::uint64_t entry_bytes = sysv_hash_entry_bytes(object_.target);
    const bool is_big = object_.target.byte_order == std::endian::big;
    // The lower half of an entry of eight bytes.
    const auto chains = word_at(address + entry_bytes + (is_big ? entry_bytes - 4 : 0));
    if (!chains) fail(address, "has its DT_HASH outside the mapped segments");
    return chains.value_or(0);
  }

  /// The last symbol is the end of the chain of the highest bucket.
  std::uint64_t count_gnu(std::uint64_t address) {
    const auto buckets = word_at(address);
    const auto first = word_at(address + 4);
    const auto bloom_words = word_at(address + 8);
    if (!buckets || !first || !bloom_words) {
      fail(address, "has its DT_GNU_HASH outside the mapped segments");
      return 0;
    }
    const std::uint64_t bucket_start = address + 16 + std::uint64_t{*bloom_words} * (is_64_ ? 8 : 4);
    // A segment without bytes in the file can be of any size, and all zeros.
    if (*buckets > std::min(room_for(4), kMaxSymbols)) {
      fail(address, "announces " + std::to_string(*buckets) + " DT_GNU_HASH buckets, more than it can hold");
      return 0;
    }
    std::uint32_t highest = 0;
    const std::endian order = reader_.order();
    const std::uint64_t read = for_each_entry(bucket_start, *buckets, 4, [&](const std::byte* at) {
      highest = std::max(highest, load_as<std::uint32_t>(at, order));
      return true;
    });
    if (read < *buckets) {
      fail(address, "has DT_GNU_HASH buckets outside the mapped segments");
      return 0;
    }
    if (highest < *first) return *first;
    const std::uint64_t chains = bucket_start + 4 * std::uint64_t{*buckets};
    const std::uint64_t most = std::min(room_for(4), kMaxSymbols);
    bool is_at_end = false;
    const std::uint64_t length = for_each_entry(chains + 4 * (std::uint64_t{highest} - *first),
                                                most < highest ? 0 : most - highest + 1, 4, [&](const std::byte* at) {
                                                  is_at_end = (load_as<std::uint32_t>(at, order) & 1) != 0;
                                                  return !is_at_end;
                                                });
    if (is_at_end) return highest + length;
    fail(address, "has a DT_GNU_HASH chain that does not end in the mapped segments");
    return 0;
  }

  /// Up to the last entry that a relocation names. Link editors give an object that defines nothing an
  /// empty DT_GNU_HASH, whose first symbol is 1 (binutils bfd/elflink.c). Indices that have no room in the
  /// file are passed over: the loader would crash there, and others tell.
  std::uint64_t count_referred() {
    TableScratch scratch;
    TableReader tables(reader_.file(), object_, scratch);
    std::uint64_t count = 0;
    const std::uint64_t room = std::min(room_for(is_64_ ? 24 : 16), kMaxSymbols);
    for_each_relocation(tables, object_, [&](const Relocation& relocation) {
      if (relocation.symbol != 0 && relocation.symbol < room)
        count = std::max<std::uint64_t>(count, relocation.symbol + 1);
    });
    return count;
  }

  /// What is a hole in the file is no table, whatever number it has.
  bool check_filled(std::uint64_t address, std::uint64_t count) {
    const std::size_t size = is_64_ ? 24 : 16;
    const bool is_filled = count <= kMaxSymbols && filled_bytes(reader_, address, count * size) >= count * size;
    if (!is_filled) fail(address, "announces " + std::to_string(count) + " dynamic symbols, more than it can hold");
    return is_filled;
  }

  void read_symbols(std::uint64_t address, std::uint64_t count) {
    if (!check_filled(address, count)) return;
    constexpr std::uint64_t kAtOnce = 1 << 16;  // for more the memory grows as they are read
    table_.symbols.reserve(static_cast<std::size_t>(std::min(count, kAtOnce)));
    for_each_symbol(address, count, [&](const DynamicSymbol& symbol, std::uint32_t name) {
      name_offsets_.push_back(name);
      table_.symbols.push_back(symbol);
    });
  }

  /// Calls visit(symbol without its name, the name's offset in DT_STRTAB).
  template <class Visit>
  void for_each_symbol(std::uint64_t address, std::uint64_t count, Visit visit) {
    const std::endian order = reader_.order();
    const std::uint64_t read = for_each_entry(address, count, is_64_ ? 24 : 16, [&](const std::byte* at) {
      DynamicSymbol symbol;
      const std::size_t info = is_64_ ? 4 : 12;
      const unsigned type_and_binding = std::to_integer<unsigned>(at[info]);
      symbol.type = type_and_binding & 0xf;
      symbol.binding = static_cast<std::uint8_t>(type_and_binding >> 4);
      symbol.visibility = std::to_integer<unsigned>(at[info + 1]) & 3;
      symbol.section = load_as<std::uint16_t>(at + info + 2, order);
      symbol.value = is_64_ ? load_as<std::uint64_t>(at + 8, order) : load_as<std::uint32_t>(at + 4, order);
      symbol.size_bytes = is_64_ ? load_as<std::uint64_t>(at + 16, order) : load_as<std::uint32_t>(at + 8, order);
      visit(symbol, load_as<std::uint32_t>(at, order));
      return true;
    });
    if (read < count) {
      fail(address, "has dynamic symbols outside the mapped segments, from entry " + std::to_string(read));
    }
  }

  void read_versions(std::uint64_t address) {
    table_.has_versions = true;
    auto symbol = table_.symbols.begin();
    const std::endian order = reader_.order();
    const std::uint64_t read = for_each_entry(address, table_.symbols.size(), 2, [&](const std::byte* at) {
      const std::uint16_t word = load_as<std::uint16_t>(at, order);
      symbol->version = word & 0x7fff;
      symbol->hidden = (word & 0x8000) != 0;
      ++symbol;
      return true;
    });
    if (read < table_.symbols.size()) {
      fail(address, "has its DT_VERSYM outside the mapped segments, from entry " + std::to_string(read));
    }
  }

  /// The names of real tables stand side by side: few are longer than this.
  static bool are_too_far_apart(std::uint64_t bytes, std::uint64_t count) {
    constexpr std::uint64_t kLeastBytes = 1 << 20;
    constexpr std::uint64_t kBytesForEach = 4096;
    return bytes > kLeastBytes + kBytesForEach * count;
  }

  std::uint64_t last_name(std::uint64_t symbols, std::uint64_t count) {
    std::uint64_t last = 0;
    for_each_symbol(symbols, count,
                    [&](const DynamicSymbol&, std::uint32_t name) { last = std::max<std::uint64_t>(last, name); });
    return last;
  }

  /// The names in DT_STRTAB up to the one at `last` that have one of the parts, by offset.
  std::map<std::uint32_t, std::string> find_cxx_names(std::uint64_t strings, std::uint64_t last,
                                                      std::span<const std::string> parts) {
    std::map<std::uint32_t, std::string> names;
    const auto place = reader_.locate(strings);
    if (!place || place->is_zero_fill) {
      fail(strings, "has its DT_STRTAB outside the mapped segments");
      return names;
    }
    constexpr std::size_t kChunkBytes = 1 << 20;
    constexpr std::size_t kOverlapBytes = 4096;  // what is across two chunks: a part with what stands before it
    const std::uint64_t end = std::min(place->available, last + kOverlapBytes);
    const auto chunk =
        std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(std::min<std::uint64_t>(end, kChunkBytes)));
    for (std::uint64_t start = 0; start < end; start += kChunkBytes - kOverlapBytes) {
      const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(end - start, kChunkBytes));
      const std::size_t wanted = reader_.file().readable(place->file_offset + start, most);
      const Result<std::size_t, Errno> got =
          reader_.file().read_at(place->file_offset + start, std::as_writable_bytes(std::span(chunk.get(), wanted)));
      if (!got || *got == 0) break;
      for (const std::string& part : parts) find_part({chunk.get(), *got}, strings, start, part, names);
      if (start + wanted >= end) break;
    }
    return names;
  }

  /// Where the name begins whose qualified part is behind `text`: after "_Z", or "_ZN" and qualifiers of a member
  /// function; of one that is not mangled, there.
  static std::optional<std::size_t> start_of_cxx_name(std::string_view text) {
    if (text.ends_with("_Z")) return text.size() - 2;
    if (text.ends_with('\0')) return text.size();  // a function of C
    constexpr std::string_view kQualifiers = "rVKRO";
    while (!text.empty() && kQualifiers.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    return text.ends_with("_ZN") ? std::optional(text.size() - 3) : std::nullopt;
  }

  void find_part(std::string_view text, std::uint64_t strings, std::uint64_t start, const std::string& part,
                 std::map<std::uint32_t, std::string>& names) {
    constexpr std::size_t kMostNames = 1 << 14;
    std::size_t at = 0;
    while (names.size() < kMostNames) {
      const void* const hit = ::memmem(text.data() + at, text.size() - at, part.data(), part.size());
      if (hit == nullptr) return;
      at = static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
      if (const std::optional<std::size_t> before = start_of_cxx_name(text.substr(0, at))) {
        const std::uint64_t offset = start + *before;
        const std::optional<std::string_view> name = reader_.string_at(strings + offset);
        constexpr std::size_t kLongest = 1 << 12;
        const bool is_short = name && name->size() <= kLongest;
        if (is_short && offset <= UINT32_MAX) {
          names.try_emplace(static_cast<std::uint32_t>(offset), *name);
        }
      }
      ++at;
    }
  }

  void leave_out(const std::function<bool(const DynamicSymbol&)>& is_wanted) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < table_.symbols.size(); ++i) {
      if (!is_wanted(table_.symbols[i])) continue;
      table_.symbols[kept] = table_.symbols[i];
      name_offsets_[kept++] = name_offsets_[i];
    }
    table_.symbols.resize(kept);
    name_offsets_.resize(kept);
  }

  /// One after the other, wherever they are.
  void read_few_names(std::uint64_t address) {
    constexpr std::size_t kMostBytes = 1 << 16;
    std::string names;
    std::vector<std::size_t> starts;
    for (const std::uint32_t offset : name_offsets_) {
      const std::optional<std::string_view> name = reader_.string_at(address + offset);
      if (!name) {
        return fail(address, "has a symbol name outside the mapped segments or without end, at offset " +
                                 std::to_string(offset) + " of DT_STRTAB");
      }
      if (names.size() + name->size() > kMostBytes) {
        return fail(address + offset, "has symbol names that are too long together", ErrorCode::LimitReached);
      }
      starts.push_back(names.size());
      names.append(*name);
    }
    starts.push_back(names.size());
    table_.strings = std::make_unique_for_overwrite<char[]>(names.size());
    std::copy(names.begin(), names.end(), table_.strings.get());
    for (std::size_t i = 0; i < table_.symbols.size(); ++i) {
      table_.symbols[i].name = std::string_view(table_.strings.get() + starts[i], starts[i + 1] - starts[i]);
    }
  }

  /// All names at once: one copy of the string table up to the last name.
  void read_names(std::uint64_t address) {
    if (name_offsets_.empty()) return;
    const std::uint64_t last = *std::max_element(name_offsets_.begin(), name_offsets_.end());
    const std::optional<std::string_view> last_name = reader_.string_at(address + last);
    if (!last_name || filled_bytes(reader_, address, last + last_name->size() + 1) <= last) {
      fail(address, "has a symbol name outside the mapped segments or without end, at offset " + std::to_string(last) +
                        " of DT_STRTAB");
      return;
    }
    const std::size_t size = static_cast<std::size_t>(last) + last_name->size() + 1;
    if (are_too_far_apart(size, name_offsets_.size())) {
      fail(address, "has symbol names that are too far apart", ErrorCode::LimitReached);
      return;
    }
    table_.strings = std::make_unique_for_overwrite<char[]>(size);
    if (reader_.read_mapped(address, std::as_writable_bytes(std::span(table_.strings.get(), size))) < size - 1) {
      fail(address, "ends before its symbol names do");
      return;
    }
    table_.strings[size - 1] = '\0';
    // Names may overlap, so that all together are many times as long as the table.
    std::uint64_t left = 16 * reader_.file().status().size_bytes;
    for (std::size_t i = 0; i < name_offsets_.size(); ++i) {
      const char* const start = table_.strings.get() + name_offsets_[i];
      const std::size_t length = strnlen(start, std::min(size - name_offsets_[i], kMaxStringBytes + 1));
      if (length > kMaxStringBytes || length > left) {
        fail(address + name_offsets_[i], "has symbol names that are too long, or too long together",
             ErrorCode::LimitReached);
        return;
      }
      left -= length;
      table_.symbols[i].name = std::string_view(start, length);
    }
  }

  ImageReader reader_;
  const ElfObject& object_;
  std::string_view path_;
  bool is_64_;
  SymbolTable table_;
  std::vector<std::uint32_t> name_offsets_;
  std::optional<Error> failed_;
};

}  // namespace

Result<std::vector<CxxDefinition>> find_cxx_definitions(const File& file, const ElfObject& object,
                                                        std::string_view path, std::span<const std::string> parts) {
  return SymbolReader(file, object, path).find_cxx(parts);
}

Result<SymbolTable> read_symbol_table(const File& file, const ElfObject& object, std::string_view path,
                                      const std::function<bool(const DynamicSymbol&)>& is_wanted) {
  return SymbolReader(file, object, path).read(is_wanted);
}

}  // namespace soresolve
