// Header, program headers, tables one behind the other, PT_DYNAMIC at the end; addresses are file offsets. Every table
// is small and made here, so nothing is checked. Source: gABI; psABI x86-64 and AArch64 for 64-bit little-endian files.
#include "cuda/assumed_library.h"

#include <elf.h>

#include <array>
#include <map>

namespace soresolve {
namespace {

constexpr std::uint64_t kHeaders = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr);

std::uint32_t sysv_hash_of(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const std::uint32_t top = hash & 0xf0000000U;
    hash = (hash ^ (top >> 24)) & ~top;
  }
  return hash;
}

class Writer {
 public:
  explicit Writer(const AssumedLibrary& library) : library_(library), bytes_(kHeaders, '\0') {}

  std::string write() {
    strings_ = "";
    strings_ += '\0';
    for (const std::string& need : library_.needs) tag(DT_NEEDED, string(need));
    tag(DT_SONAME, string(library_.soname));
    add_symbols();
    if (!library_.libc_version.empty()) add_version();
    tag(DT_STRTAB, bytes_.size());
    tag(DT_STRSZ, strings_.size());
    bytes_ += strings_;
    align();
    const std::uint64_t dynamic = bytes_.size();
    for (const auto& [name, value] : tags_) {
      put(static_cast<std::uint64_t>(name), 8);
      put(value, 8);
    }
    put(0, 8);
    put(0, 8);
    write_headers(dynamic);
    return std::move(bytes_);
  }

 private:
  void put(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void align() { bytes_.resize((bytes_.size() + 7) / 8 * 8, '\0'); }
  void tag(std::int64_t name, std::uint64_t value) { tags_.emplace_back(name, value); }

  std::uint64_t string(std::string_view text) {
    const auto [at, is_new] = places_.try_emplace(std::string(text), strings_.size());
    if (is_new) strings_.append(text) += '\0';
    return at->second;
  }

  void add_symbols() {
    const std::size_t count = library_.symbols.size() + 1;
    tag(DT_SYMTAB, bytes_.size());
    tag(DT_SYMENT, sizeof(Elf64_Sym));
    bytes_.append(sizeof(Elf64_Sym), '\0');
    for (const std::string_view name : library_.symbols) {
      put(string(name), 4);
      put(STB_GLOBAL << 4 | STT_FUNC, 1);
      put(STV_DEFAULT, 1);
      put(1, 2);  // any section: there are none
      put(sizeof(Elf64_Ehdr), 8);
      put(0, 8);
    }
    // One bucket for two symbols; each chain ends in 0.
    const std::size_t bucket_count = count / 2 + 1;
    std::vector<std::uint32_t> buckets(bucket_count), chain(count);
    for (std::uint32_t i = 1; i < count; ++i) {
      std::uint32_t& first = buckets[sysv_hash_of(library_.symbols[i - 1]) % bucket_count];
      chain[i] = first;
      first = i;
    }
    tag(DT_HASH, bytes_.size());
    put(bucket_count, 4);
    put(count, 4);
    for (const std::uint32_t index : buckets) put(index, 4);
    for (const std::uint32_t index : chain) put(index, 4);
    align();
    tag(DT_VERSYM, bytes_.size());
    for (std::size_t i = 0; i < count; ++i) put(i == 0 ? VER_NDX_LOCAL : VER_NDX_GLOBAL, 2);
    align();
  }

  void add_version() {
    tag(DT_VERNEED, bytes_.size());
    tag(DT_VERNEEDNUM, 1);
    put(1, 2);  // vn_version
    put(1, 2);  // vn_cnt
    put(string(library_.needs.front()), 4);
    put(sizeof(Elf64_Verneed), 4);
    put(0, 4);
    put(sysv_hash_of(library_.libc_version), 4);
    put(0, 2);
    put(2, 2);  // vna_other: the first index that is free
    put(string(library_.libc_version), 4);
    put(0, 4);
    align();
  }

  void write_headers(std::uint64_t dynamic) {
    const std::uint64_t size = bytes_.size();
    std::string rest = std::move(bytes_);
    bytes_.clear();
    bytes_.append(ELFMAG, SELFMAG);
    for (const unsigned byte : {ELFCLASS64, ELFDATA2LSB, EV_CURRENT, ELFOSABI_NONE}) put(byte, 1);
    put(0, 8);
    put(ET_DYN, 2);
    put(library_.machine, 2);
    put(EV_CURRENT, 4);
    put(0, 8);                   // e_entry
    put(sizeof(Elf64_Ehdr), 8);  // e_phoff
    put(0, 8);                   // e_shoff
    put(0, 4);
    put(sizeof(Elf64_Ehdr), 2);
    put(sizeof(Elf64_Phdr), 2);
    put(3, 2);
    put(sizeof(Elf64_Shdr), 2);
    put(0, 4);
    segment(PT_LOAD, PF_R | PF_W, 0, size, 0x1000);
    segment(PT_DYNAMIC, PF_R | PF_W, dynamic, size - dynamic, 8);
    segment(PT_GNU_STACK, PF_R | PF_W, 0, 0, 16);
    bytes_.append(rest, kHeaders);
  }

  void segment(std::uint32_t type, std::uint32_t flags, std::uint64_t offset, std::uint64_t size,
               std::uint64_t alignment) {
    put(type, 4);
    put(flags, 4);
    for (const std::uint64_t place : {offset, offset, offset}) put(place, 8);
    put(size, 8);
    put(size, 8);
    put(alignment, 8);
  }

  const AssumedLibrary& library_;
  std::string bytes_;
  std::string strings_;
  std::map<std::string, std::uint64_t> places_;
  std::vector<std::pair<std::int64_t, std::uint64_t>> tags_;
};

}  // namespace

std::string write_assumed_library(const AssumedLibrary& library) { return Writer(library).write(); }

}  // namespace soresolve
