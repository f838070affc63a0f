// GLIBC_TUNABLES, as the ld.so of one release reads it (glibc elf/dl-tunables.c).
//
// Up to 2.38 an entry NAME=VALUE ends at a colon, what is malformed is passed over, a number is what
// its first digits say, and each valid entry replaces an earlier one. Since 2.39 one entry without
// "=", or with two of them, makes the whole variable void; a number must be one to its last character;
// and of several entries of one name only the last is looked at. GLIBC_TUNABLES may be there several
// times: each is read. With AT_SECURE nothing that matters here is read.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pieces.h"
#include "loader/loader_rules.h"
#include "loader/process.h"

namespace soresolve {

class Tunables {
 public:
  /// Borrows from `process` and `rules`.
  Tunables(const LoaderRules& rules, const Process& process);

  /// The value of a tunable that is a text; nullopt where it is not set.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view name) const;

  /// What the loader keeps of a number.
  enum class Width : std::uint8_t { Bits32, Bits64 };
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = ~std::uint64_t{0};
    Width width = Width::Bits64;
  };
  /// The value of a tunable that is a number: the last valid one; nullopt where there is none.
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name, Range range) const;

  /// Is a start with these treated as one with AT_SECURE (glibc.rtld.enable_secure=1, since 2.40)?
  [[nodiscard]] bool asks_for_secure() const { return asks_for_secure_; }

  /// What the loader says of malformed ones on standard error, line by line. Since 2.39.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  /// The elements of glibc.cpu.hwcaps as the loader comes to see them. Up to 2.38 it reads on behind the
  /// end of the value: what follows in the variable, and the environment behind it.
  [[nodiscard]] std::vector<std::string_view> hwcaps_elements() const;

 private:
  struct Entry {
    std::string_view name;
    std::string_view value;
    std::size_t variable = 0;  ///< index in the environment
  };
  void warn_of_numbers(const std::vector<Entry>& found);
  void read_lenient(std::string_view text, std::size_t variable);
  void read_strict(std::string_view text, std::size_t variable);
  [[nodiscard]] bool is_known(std::string_view name) const;

  const LoaderRules& rules_;
  const Process& process_;
  std::vector<Entry> entries_;
  std::vector<std::string> warnings_;
  bool asks_for_secure_ = false;
};

/// glibc.rtld.execstack: 0 nobody gets an executable stack, 1 only a start does, 2 everybody.
std::uint64_t exec_stack_mode(const LoaderRules& rules, const Process& process);

/// Calls visit(entry) for each entry NAME=VALUE of a variable, in order, whatever the release makes of it.
template <class Visit>
void for_each_tunable(std::string_view tunables, Visit visit) {
  for (const std::string_view entry : pieces_in(tunables, ':')) visit(entry);
}

/// A number as elf/dl-misc.c:_dl_strtoul reads it: blanks, a sign, decimal, 0 octal, 0x hexadecimal.
struct LoaderNumber {
  std::uint64_t value = 0;
  std::size_t length = 0;  ///< how far it got
};
LoaderNumber read_loader_number(std::string_view text);

}  // namespace soresolve
