// Mangled names: the Itanium C++ ABI, section 5.1. Only what tells two functions of one name apart is read here; words
// for people come from the C++ runtime's own demangler (abi::__cxa_demangle), which is trusted with names of bounded
// size only: each of its back references may double what it writes.
#include "symbols/cxx_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace soresolve {
namespace {

constexpr std::size_t kLongestName = 1024;
constexpr std::size_t kMostReferences = 24;

/// Back references: S_, S0_, …, T_, T0_, …; those of std (St, Sa, Ss, …) lead to nothing long.
std::size_t count_references(std::string_view symbol) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < symbol.size(); ++i) {
    const bool is_reference = symbol[i] == 'S' || symbol[i] == 'T';
    const char next = symbol[i + 1];
    count += is_reference && (next == '_' || (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z'));
  }
  return count;
}

/// A <source-name> at the start of `rest`: its length in letters, digits included; 0 for none.
std::size_t source_name_length(std::string_view rest) {
  std::size_t digits = 0;
  std::size_t length = 0;
  while (digits < rest.size() && digits < 5 && rest[digits] >= '0' && rest[digits] <= '9') {
    length = length * 10 + static_cast<std::size_t>(rest[digits++] - '0');
  }
  return digits == 0 || length == 0 || length > rest.size() - digits ? 0 : digits + length;
}

/// The two strings as their headers call them.
std::string with_short_strings(std::string text) {
  constexpr std::string_view kArguments = "basic_string<char, std::char_traits<char>, std::allocator<char> >";
  for (std::size_t at = text.find(kArguments); at != std::string::npos; at = text.find(kArguments, at)) {
    text.replace(at, kArguments.size(), "string");
  }
  return text;
}

/// "u_foldCase_" of ICU's u_foldCase_73, whose functions are renamed by each release; empty: it has no such number.
std::string_view before_release(std::string_view symbol) {
  constexpr std::size_t kShortest = 4;
  const std::size_t last = symbol.find_last_not_of("0123456789");
  const bool is_one =
      last != std::string_view::npos && last >= kShortest && symbol[last] == '_' && symbol.size() - last - 1 >= 2;
  return is_one ? symbol.substr(0, last + 1) : std::string_view();
}

}  // namespace

std::string demangled(std::string_view symbol) {
  if (!symbol.starts_with("_Z") || symbol.size() > kLongestName || count_references(symbol) > kMostReferences)
    return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? with_short_strings(text.get()) : std::string();
}

std::string class_of_table(std::string_view symbol) {
  constexpr std::string_view kTables[] = {"_ZTV", "_ZTI", "_ZTT"};
  const bool is_table = std::any_of(std::begin(kTables), std::end(kTables),
                                    [&](std::string_view start) { return symbol.starts_with(start); });
  const std::string name = is_table ? demangled(symbol) : std::string();
  const std::size_t at = name.find(" for ");
  const bool is_plain = at != std::string::npos && name.find_first_of(":<(*", at) == std::string::npos;
  return is_plain ? name.substr(at + 5) : std::string();
}

std::string qualified_part(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return std::string(before_release(symbol));
  std::string_view rest = symbol.substr(2);
  const bool is_nested = rest.starts_with('N');
  if (is_nested) {
    rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of("rVKRO"), rest.size()));
  }
  std::string part;
  if (rest.starts_with("St")) {
    part = "St";
    rest.remove_prefix(2);
  }
  while (const std::size_t length = source_name_length(rest)) {
    part += rest.substr(0, length);
    rest.remove_prefix(length);
    if (!is_nested) break;
  }
  if (part.empty() || part == "St") return {};
  if (is_nested && (rest.starts_with('C') || rest.starts_with('D'))) part += rest[0];
  return part;
}

}  // namespace soresolve
