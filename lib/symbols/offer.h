// What a library offers under each name, and what a reference finds there.
//
// Source: glibc elf/dl-lookup.c:check_match, do_lookup_x. Leaves out the hash tables: a symbol that
// its own file's hash table does not lead to counts as offered.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/symbols.h"

namespace soresolve {

/// One definition that the loader would take. Views borrow from the library.
struct OfferedSymbol {
  const DynamicSymbol* symbol = nullptr;
  std::size_t index = 0;     ///< in the dynamic symbol table
  std::string_view version;  ///< empty: none
  std::uint32_t hash = 0;    ///< of the version, as stored; 0: none
  bool is_hidden = false;    ///< not the default version of its name
};

/// Could the loader bind anything to this symbol? Undefined, local and hidden ones it passes over,
/// and those whose value is 0 unless that is an absolute value or an offset in thread storage.
bool is_offered(const DynamicSymbol& symbol);

/// All that one library offers. The library must outlive it.
class Offer {
 public:
  explicit Offer(const VersionedLibrary& library);

  /// Every definition but the absolute symbols that link editors add to name the nodes themselves;
  /// by name, then version, "" first. Of several with the same name and version the first stands.
  [[nodiscard]] std::span<const OfferedSymbol> all() const { return symbols_; }
  /// Does the loader look at version indices? If not, a versioned reference takes what is there, and
  /// ends in an assertion (before glibc 2.41).
  [[nodiscard]] bool has_versions() const { return has_versions_; }
  [[nodiscard]] std::span<const OfferedSymbol> named(std::string_view name) const;

  struct Found {
    ForVerdict verdict = ForVerdict::Missing;
    const OfferedSymbol* symbol = nullptr;  ///< for Met and MetUnversioned
  };
  /// What a reference with a version finds; `hash` is the one stored in the vernaux entry.
  [[nodiscard]] Found find(std::string_view name, std::string_view version, std::uint32_t hash) const;
  /// Is there a definition of exactly this name and version?
  [[nodiscard]] bool has(std::string_view name, std::string_view version, std::uint32_t hash) const {
    return find(name, version, hash).verdict == ForVerdict::Met;
  }
  /// What a reference without one finds: a definition of version index 0 to 2, even a hidden one, or
  /// the only one that is not hidden.
  [[nodiscard]] Found find_unversioned(std::string_view name) const;
  /// The versions in which the name is defined, kMaxListed at most; "" for none.
  static constexpr std::size_t kMaxListed = 32;
  [[nodiscard]] std::vector<std::string> versions_of(std::string_view name) const;

 private:
  std::vector<OfferedSymbol> symbols_;
  bool has_versions_ = false;
};

/// answer_for() for whoever asks one library on behalf of many needers: its symbols are put in order once.
ForAnswer answer_for(const Offer& offer, const VersionedLibrary& library, const VersionedLibrary& needer);

/// File offset of an entry of the dynamic symbol table.
std::uint64_t place_of_symbol(const VersionedLibrary& library, std::size_t index);

/// The record of the only node, if all definitions of the library carry it. Such a node is the same
/// in each release that has it, so it tells none from another: what a newer release has more, only
/// the symbols show. All libraries of CUDA are so; their node is the SONAME once more.
std::optional<std::size_t> sole_node(const VersionedLibrary& library);

}  // namespace soresolve
