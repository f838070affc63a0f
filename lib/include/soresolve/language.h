// The languages in which soresolve explains: those that people meet these errors in.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "soresolve/api.h"

namespace soresolve SORESOLVE_API {

enum class Language : std::uint8_t { English, Chinese };

/// The same thing said in each language.
struct Phrase {
  std::string_view en;
  std::string_view zh;  ///< empty: as in English, such as a product's name
  [[nodiscard]] constexpr std::string_view in(Language language) const {
    return language == Language::Chinese && !zh.empty() ? zh : en;
  }
};

/// "en", "zh".
std::string_view name_of(Language language);
std::optional<Language> find_language(std::string_view name);

/// The language of a POSIX locale name such as "zh_CN.UTF-8"; English unless it is Chinese.
Language language_of_locale(std::string_view locale);

}  // namespace SORESOLVE_API
