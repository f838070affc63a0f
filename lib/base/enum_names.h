// The names that enumerators have for scripts (JSON, options), one table for each enum, read in both directions.
//
// A table has a row for each enumerator in their order, which is checked when it is compiled: a row that is missing,
// out of its place or behind the last enumerator does not compile, as -Wswitch had it of a switch. Whether a number is
// an enumerator is seen by how GCC and clang spell it as a template argument: "Phase::Gpu", but "(Phase)4". Not here:
// sentences (lib/catalogue), and problem codes, whose rows have more than names.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace soresolve {

template <auto Value>
consteval bool is_enumerator() {
  constexpr std::string_view kMark = "Value = ";
  const std::string_view spelled = __PRETTY_FUNCTION__;
  const std::string_view value = spelled.substr(spelled.find(kMark) + kMark.size());
  const std::size_t cast = value.rfind(')');  // of "(anonymous namespace)::Phase::Gpu" a colon follows
  return cast == std::string_view::npos || value[cast + 1] == ':';
}

template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

template <class Enum, std::size_t kCount>
class EnumNames {
 public:
  static_assert(is_enumerator<static_cast<Enum>(kCount - 1)>(), "more rows than enumerators");
  static_assert(!is_enumerator<static_cast<Enum>(kCount)>(), "an enumerator has no row");

  consteval explicit EnumNames(const EnumName<Enum> (&rows)[kCount]) {
    for (std::size_t i = 0; i < kCount; ++i) {
      if (static_cast<std::size_t>(rows[i].value) != i) row_out_of_its_place();
      names_[i] = rows[i].name;
    }
  }
  /// Empty for what is no enumerator.
  constexpr std::string_view operator[](Enum value) const {
    const auto index = static_cast<std::size_t>(value);
    return index < kCount ? names_[index] : std::string_view();
  }

 private:
  static void row_out_of_its_place() {}  ///< not constexpr: to get here does not compile
  std::string_view names_[kCount];
};

template <class Enum, std::size_t kCount>
consteval EnumNames<Enum, kCount> enum_names(const EnumName<Enum> (&rows)[kCount]) {
  return EnumNames<Enum, kCount>(rows);
}

/// The enumerator whose name_of() this is, by the same table; nullopt: none.
template <class Enum>
std::optional<Enum> find_named(std::string_view name) {
  for (std::size_t i = 0; !name_of(static_cast<Enum>(i)).empty(); ++i) {
    if (name_of(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace soresolve
