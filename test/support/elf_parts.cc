// Builds notes, version records, symbol tables and both hash tables as link editors write them. Format: gABI, LSB Core
// "Symbol Versioning", binutils bfd/elflink.c for DT_GNU_HASH. No code of lib/ is used.
#include "support/elf_parts.h"

#include <algorithm>
#include <numeric>

#include "support/byte_writer.h"

namespace soresolve::test {
namespace {

constexpr std::uint64_t kSectionAbsolute = 0xfff1;
constexpr std::uint16_t kHiddenVersion = 0x8000;
constexpr std::uint32_t kBloomShift = 6;
constexpr std::uint32_t kBloomWords = 2;

std::uint32_t sysv_hash(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const std::uint32_t high = hash & 0xf0000000U;
    if (high != 0) hash ^= high >> 24;
    hash &= ~high;
  }
  return hash;
}

std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

/// Index 1 is that of symbols without a version, even if there is no base definition.
std::size_t first_need_index(const ElfSpec& spec) {
  return std::max<std::size_t>(spec.version_definitions.size(), 1) + 1;
}

/// DT_VERSYM of one symbol: 0 or 1 without a version.
std::uint16_t versym_of(const ElfSpec& spec, const Symbol& symbol) {
  const bool is_defined = symbol.place != SymbolPlace::Undefined;
  const std::uint16_t hidden = symbol.is_hidden_version ? kHiddenVersion : 0;
  if (symbol.version_index) return static_cast<std::uint16_t>(*symbol.version_index | hidden);
  std::size_t defined_index = 0;
  std::size_t needed_index = 0;
  std::size_t index = first_need_index(spec);
  for (const VersionNeeds& need : spec.version_needs) {
    const bool is_file = symbol.version_file.empty() || symbol.version_file == need.file;
    for (const VersionNeeds::Version& version : need.versions) {
      if (needed_index == 0 && is_file && version.name == symbol.version) needed_index = index;
      ++index;
    }
  }
  for (std::size_t i = spec.version_definitions.size(); i > 0; --i)
    if (spec.version_definitions[i - 1].name == symbol.version) defined_index = i;
  std::size_t found = is_defined ? 1 : 0;
  if (!symbol.version.empty() && defined_index + needed_index != 0) {
    const bool takes_definition = needed_index == 0 || (is_defined && defined_index != 0);
    found = takes_definition ? defined_index : needed_index;
  }
  return static_cast<std::uint16_t>(found | hidden);
}

/// Linkers leave out of DT_GNU_HASH what nobody can bind to; a canonical PLT entry (undefined, but
/// with a value) stays in.
bool is_hashed(const Symbol& symbol) { return symbol.place != SymbolPlace::Undefined || symbol.value.value_or(0) != 0; }

}  // namespace

std::string abi_note(const ElfSpec& spec) {
  ByteWriter note(spec.endian, spec.bits);
  note.u32(4);
  note.u32(16);
  note.u32(1);
  note.text(std::string_view("GNU\0", 4));
  note.u32(spec.abi_tag->os);
  for (const std::uint32_t number : spec.abi_tag->kernel) note.u32(number);
  return note.take();
}

std::string property_note(const ElfSpec& spec) {
  const bool is_64 = spec.bits == Bits::Elf64;
  ByteWriter note(spec.endian, spec.bits);
  note.u32(4);
  note.u32(is_64 ? 16 : 12);
  note.u32(5);  // NT_GNU_PROPERTY_TYPE_0
  note.text(std::string_view("GNU\0", 4));
  note.u32(0xc0008002);  // GNU_PROPERTY_X86_ISA_1_NEEDED
  note.u32(4);
  note.u32(*spec.isa_needed);
  note.align_to(is_64 ? 8 : 4);
  return note.take();
}

std::string other_notes(const ElfSpec& spec) {
  ByteWriter notes(spec.endian, spec.bits);
  for (const Note& note : spec.notes) {
    notes.u32(static_cast<std::uint32_t>(note.owner.size() + 1));
    notes.u32(static_cast<std::uint32_t>(note.claimed_bytes != 0 ? note.claimed_bytes : note.text.size() + 1));
    notes.u32(note.type);
    notes.text(note.owner + '\0');
    notes.align_to(4);
    notes.text(note.text + '\0');
    notes.align_to(4);
  }
  return notes.take();
}

std::uint64_t StringTable::add(std::string_view text) {
  if (text.empty()) return 0;
  const std::uint64_t offset = bytes_.size();
  bytes_ += text;
  bytes_ += '\0';
  return offset;
}

std::string version_needs(const ElfSpec& spec, StringTable& strings) {
  ByteWriter part(spec.endian, spec.bits);
  std::size_t index = first_need_index(spec);
  for (std::size_t i = 0; i < spec.version_needs.size(); ++i) {
    const VersionNeeds& need = spec.version_needs[i];
    const std::size_t count = need.versions.size();
    part.u16(need.record_version);
    part.u16(count);
    part.u32(strings.add(need.file));
    part.u32(16);
    part.u32(i + 1 < spec.version_needs.size() ? 16 + 16 * count : 0);
    for (std::size_t k = 0; k < count; ++k) {
      const VersionNeeds::Version& version = need.versions[k];
      part.u32(version.hash.value_or(sysv_hash(version.name)));
      part.u16(version.weak ? kVersionWeak : 0);
      part.u16(index++ | (version.hidden ? kHiddenVersion : 0));
      part.u32(strings.add(version.name));
      part.u32(k + 1 < count ? 16 : 0);
    }
  }
  return part.take();
}

std::string version_definitions(const ElfSpec& spec, StringTable& strings) {
  ByteWriter part(spec.endian, spec.bits);
  const std::size_t count = spec.version_definitions.size();
  for (std::size_t i = 0; i < count; ++i) {
    const VersionDefinition& definition = spec.version_definitions[i];
    const std::size_t names = 1 + definition.parents.size();
    part.u16(definition.record_version);
    part.u16(definition.flags.value_or(i == 0 ? kVersionBase : 0));
    part.u16(i + 1);
    part.u16(names);
    part.u32(definition.hash.value_or(sysv_hash(definition.name)));
    part.u32(20);
    part.u32(i + 1 < count ? 20 + 8 * names : 0);
    part.u32(strings.add(definition.name));
    part.u32(names > 1 ? 8 : 0);
    for (std::size_t k = 1; k < names; ++k) {
      part.u32(strings.add(definition.parents[k - 1]));
      part.u32(k + 1 < names ? 8 : 0);
    }
  }
  return part.take();
}

bool needs_versym(const ElfSpec& spec) {
  if (!spec.has_versym) return false;
  return !spec.version_needs.empty() || !spec.version_definitions.empty() ||
         std::any_of(spec.symbols.begin(), spec.symbols.end(),
                     [](const Symbol& symbol) { return symbol.version_index.has_value(); });
}

SymbolOrder::SymbolOrder(const ElfSpec& spec) : spec_(spec), order_(spec.symbols.size()), places_(spec.symbols.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  for (std::size_t i = 0; i < spec.symbols.size(); ++i) by_key_.emplace(key_of(spec.symbols[i]), static_cast<int>(i));
  if (spec.hash == HashTables::Gnu || spec.hash == HashTables::Both) put_hashed_last();
  for (std::size_t i = 0; i < order_.size(); ++i) places_[order_[i]] = static_cast<int>(i);
}

void SymbolOrder::put_hashed_last() {
  const auto end_of_others =
      std::stable_partition(order_.begin(), order_.end(), [&](std::size_t i) { return !is_hashed(spec_.symbols[i]); });
  first_hashed_ = static_cast<std::size_t>(end_of_others - order_.begin());
  gnu_buckets_ = 1 + (order_.size() - first_hashed_) / 3;
  const auto bucket = [&](std::size_t i) { return gnu_hash(spec_.symbols[i].name) % gnu_buckets_; };
  std::stable_sort(end_of_others, order_.end(), [&](std::size_t a, std::size_t b) { return bucket(a) < bucket(b); });
}

int SymbolOrder::spec_index(const std::string& symbol) const {
  const auto known = by_key_.find(symbol);
  return known == by_key_.end() ? -1 : known->second;
}

int SymbolOrder::file_index(const std::string& symbol) const {
  if (symbol.empty()) return 0;
  const int index = spec_index(symbol);
  return index < 0 ? -1 : places_[static_cast<std::size_t>(index)] + 1;
}

std::string SymbolOrder::symbol_table(const std::vector<std::uint64_t>& values, StringTable& strings) const {
  const bool is_64 = spec_.bits == Bits::Elf64;
  ByteWriter part(spec_.endian, spec_.bits);
  part.text(std::string(is_64 ? 24 : 16, '\0'));
  for (const std::size_t i : order_) {
    const Symbol& symbol = spec_.symbols[i];
    const std::uint64_t info =
        static_cast<std::uint64_t>(symbol.binding) << 4 | static_cast<std::uint64_t>(symbol.type);
    const std::uint64_t section = symbol.place == SymbolPlace::Undefined ? 0
                                  : symbol.place == SymbolPlace::Inside  ? 1
                                                                         : kSectionAbsolute;
    part.u32(strings.add(symbol.name));
    if (!is_64) {
      part.u32(values[i]);
      part.u32(symbol.size_bytes);
    }
    part.u8(info);
    part.u8(static_cast<std::uint64_t>(symbol.visibility));
    part.u16(section);
    if (is_64) {
      part.u64(values[i]);
      part.u64(symbol.size_bytes);
    }
  }
  return part.take();
}

std::string SymbolOrder::versym() const {
  ByteWriter part(spec_.endian, spec_.bits);
  part.u16(0);
  for (const std::size_t i : order_) part.u16(versym_of(spec_, spec_.symbols[i]));
  return part.take();
}

/// Chains run in the order of the symbols.
std::string SymbolOrder::sysv_hash_table() const {
  const std::size_t count = order_.size() + 1;
  const std::size_t bucket_count = 1 + order_.size() / 3;
  std::vector<std::size_t> buckets(bucket_count, 0);
  std::vector<std::size_t> chains(count, 0);
  for (std::size_t index = count - 1; index > 0; --index) {
    std::size_t& bucket = buckets[sysv_hash(spec_.symbols[order_[index - 1]].name) % bucket_count];
    chains[index] = bucket;
    bucket = index;
  }
  ByteWriter part(spec_.endian, spec_.bits);
  // Alpha and 64-bit S/390 have entries of a whole word (elf.h).
  const bool is_wide = spec_.machine == kEmS390 && spec_.bits == Bits::Elf64;
  const auto put = [&](std::uint64_t entry) { is_wide ? part.u64(entry) : part.u32(entry); };
  put(bucket_count);
  put(count);
  for (const std::size_t index : buckets) put(index);
  for (const std::size_t index : chains) put(index);
  return part.take();
}

std::string SymbolOrder::gnu_hash_table() const {
  const std::uint32_t word_bits = spec_.bits == Bits::Elf64 ? 64 : 32;
  std::vector<std::uint64_t> bloom(kBloomWords, 0);
  std::vector<std::size_t> buckets(gnu_buckets_, 0);
  std::vector<std::uint32_t> chains;
  for (std::size_t at = first_hashed_; at < order_.size(); ++at) {
    const std::uint32_t hash = gnu_hash(spec_.symbols[order_[at]].name);
    std::uint64_t& word = bloom[hash / word_bits % kBloomWords];
    word |= std::uint64_t{1} << hash % word_bits;
    word |= std::uint64_t{1} << (hash >> kBloomShift) % word_bits;
    std::size_t& bucket = buckets[hash % gnu_buckets_];
    if (bucket == 0) {
      bucket = at + 1;
      if (!chains.empty()) chains.back() |= 1U;
    }
    chains.push_back(hash & ~1U);
  }
  if (!chains.empty()) chains.back() |= 1U;
  ByteWriter part(spec_.endian, spec_.bits);
  part.u32(gnu_buckets_);
  part.u32(first_hashed_ + 1);
  part.u32(kBloomWords);
  part.u32(kBloomShift);
  for (const std::uint64_t word : bloom) part.word(word);
  for (const std::size_t index : buckets) part.u32(index);
  for (const std::uint32_t hash : chains) part.u32(hash);
  return part.take();
}

}  // namespace soresolve::test
