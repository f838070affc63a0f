// Which release an entry of the table holds for, and what fits its patterns. The table is known_loaders.toml.
#include "dlopen/known_loaders.h"

#include <algorithm>
#include <charconv>

namespace soresolve {

std::string_view package_that_provides(std::string_view library) {
  for (const KnownLoader& loader : known_loaders()) {
    std::string_view names = loader.import != nullptr ? loader.import->provides : std::string_view();
    while (!names.empty()) {
      const std::string_view pattern = names.substr(0, names.find(' '));
      if (matches(library, pattern)) return loader.script.substr(0, loader.script.find('/'));
      names.remove_prefix(std::min(pattern.size() + 1, names.size()));
    }
  }
  return {};
}

bool matches(std::string_view text, std::string_view pattern) {
  constexpr std::string_view kDigit = "[0-9]";
  // Where to go on if what follows the last star does not fit.
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  std::size_t t = 0;
  std::size_t p = 0;
  while (t < text.size()) {
    const bool is_digit_set = pattern.substr(p).starts_with(kDigit);
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (is_digit_set && text[t] >= '0' && text[t] <= '9') {
      p += kDigit.size();
      ++t;
    } else if (!is_digit_set && p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

bool holds_for(std::string_view release, std::string_view from_release, std::string_view to_release) {
  if (release.empty()) return to_release.empty();
  return (from_release.empty() || compare_releases(release, from_release) >= 0) &&
         (to_release.empty() || compare_releases(release, to_release) < 0);
}

int compare_releases(std::string_view left, std::string_view right) {
  while (true) {
    unsigned numbers[2] = {0, 0};
    std::string_view* const texts[2] = {&left, &right};
    for (int i = 0; i < 2; ++i) {
      const char* const end = texts[i]->data() + texts[i]->size();
      const std::from_chars_result result = std::from_chars(texts[i]->data(), end, numbers[i]);
      texts[i]->remove_prefix(static_cast<std::size_t>(result.ptr - texts[i]->data()));
    }
    if (numbers[0] != numbers[1]) return numbers[0] < numbers[1] ? -1 : 1;
    // Only what follows a dot is a further number.
    for (std::string_view* text : texts) {
      if (text->starts_with('.')) {
        text->remove_prefix(1);
      } else {
        *text = {};
      }
    }
    if (left.empty() && right.empty()) return 0;
  }
}

std::vector<std::pair<std::string_view, std::string_view>> packages_needed(const ElfObject& object) {
  std::vector<std::pair<std::string_view, std::string_view>> packages;
  for (const KnownLoader& loader : known_loaders()) {
    const std::string_view package = loader.script.substr(0, loader.script.find('/'));
    for (const NeedEntry& need : object.needs) {
      if (package.empty() || package_that_provides(need.name) != package) continue;
      const bool is_known =
          std::any_of(packages.begin(), packages.end(), [&](const auto& known) { return known.first == package; });
      if (!is_known) packages.emplace_back(package, need.name);
    }
  }
  return packages;
}

}  // namespace soresolve
