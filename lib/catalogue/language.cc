// The language of an option or of a locale name. Source: POSIX XBD 8.2 "Internationalization Variables". Only English
// and Chinese; every other locale gets English.
#include "soresolve/catalogue.h"

namespace soresolve {

std::string_view name_of(Language language) { return language == Language::Chinese ? "zh" : "en"; }

std::optional<Language> find_language(std::string_view name) {
  if (name == "en") return Language::English;
  if (name == "zh") return Language::Chinese;
  return std::nullopt;
}

Language language_of_locale(std::string_view locale) {
  // language[_territory][.codeset][@modifier], XBD 8.2
  return locale.substr(0, locale.find_first_of("_.@")) == "zh" ? Language::Chinese : Language::English;
}

}  // namespace soresolve
