// The tables of a test file that stand on their own, as bytes: notes, strings, versions, symbols,
// hashes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/elf_writer.h"

namespace soresolve::test {

std::string abi_note(const ElfSpec& spec);
std::string property_note(const ElfSpec& spec);
std::string other_notes(const ElfSpec& spec);

/// A string table that grows while the tables that refer to it are written.
class StringTable {
 public:
  std::uint64_t add(std::string_view text);
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
};

std::string version_definitions(const ElfSpec& spec, StringTable& strings);
/// Indexes follow those of the definitions; the first one is 2.
std::string version_needs(const ElfSpec& spec, StringTable& strings);
/// Does any symbol or version call for DT_VERSYM?
bool needs_versym(const ElfSpec& spec);

/// The symbols in the order of the file: DT_GNU_HASH wants what it finds at the end, by bucket.
class SymbolOrder {
 public:
  explicit SymbolOrder(const ElfSpec& spec);

  /// Where the symbol that a relocation names stands in the file, and in the ElfSpec; -1: nowhere.
  [[nodiscard]] int file_index(const std::string& symbol) const;
  [[nodiscard]] int spec_index(const std::string& symbol) const;

  /// `values`: st_value of each symbol of the ElfSpec.
  [[nodiscard]] std::string symbol_table(const std::vector<std::uint64_t>& values, StringTable& strings) const;
  [[nodiscard]] std::string versym() const;
  [[nodiscard]] std::string sysv_hash_table() const;
  [[nodiscard]] std::string gnu_hash_table() const;

 private:
  void put_hashed_last();

  const ElfSpec& spec_;
  std::vector<std::size_t> order_;               ///< indexes of spec_.symbols
  std::vector<int> places_;                      ///< of each symbol in order_
  std::unordered_map<std::string, int> by_key_;  ///< the first symbol of each key_of()
  std::size_t first_hashed_ = 0;                 ///< index of order_
  std::size_t gnu_buckets_ = 1;
};

}  // namespace soresolve::test
