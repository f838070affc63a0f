// Puts what a message captured into the phrases and commands of its catalogue entry.
#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>

#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

/// What stands in a command for a name that the message does not tell.
std::string placeholder(std::string_view name) {
  if (name == "object" || name == "requirer" || name == "consumer" || name == "program") return "FILE";
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

/// The first releases of distributions with a glibc, by its minor number. Source: glibc in their package lists.
struct GlibcRelease {
  int minor;
  std::string_view distributions;
};
constexpr GlibcRelease kGlibcReleases[] = {
    {38, "Ubuntu 24.04, Debian 13, Fedora 39"}, {36, "Debian 12, Ubuntu 24.04, Fedora 37"},
    {35, "Ubuntu 22.04, Debian 12, Fedora 36"}, {34, "RHEL 9, Ubuntu 22.04, Debian 12"},
    {32, "RHEL 9, Ubuntu 22.04, Debian 12"},    {29, "Debian 11, Ubuntu 20.04, RHEL 9"},
    {28, "Debian 10, RHEL 8, Ubuntu 20.04"},    {18, "Debian 10, RHEL 8, Ubuntu 18.04"},
};

/// Those that define "GLIBC_2.38"; the newest for a version that is newer still.
std::string_view distributions_with(std::string_view version) {
  constexpr std::string_view kPrefix = "GLIBC_2.";
  if (!version.starts_with(kPrefix)) return kGlibcReleases[0].distributions;
  int minor = 0;
  const std::string_view digits = version.substr(kPrefix.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  const auto release = std::find_if(std::begin(kGlibcReleases), std::end(kGlibcReleases),
                                    [&](const GlibcRelease& one) { return one.minor <= minor; });
  return release == std::end(kGlibcReleases) ? std::prev(release)->distributions : release->distributions;
}

/// "_ZTIN4Rcpp6not_s4E (typeinfo for Rcpp::not_s4)"; other words as they are.
std::string with_cxx_name(std::string_view word) {
  constexpr std::size_t kMaxName = 300;  // bytes; longer ones take the line of who reads them
  std::string text(word);
  if (!text.starts_with("_Z") || text.size() > kMaxName) return text;
  int status = 0;
  char* const name = abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status);
  if (name != nullptr && std::string_view(name).size() <= kMaxName) text += " (" + std::string(name) + ")";
  std::free(name);
  return text;
}

/// "Java_Adder_add_1two" for Adder.add_two: the JNI specification, "Resolving Native Method Names".
std::string jni_function(std::string_view method) {
  if (method.empty()) return {};
  std::string name = "Java_";
  for (const char c : method) {
    if (c == '.' || c == '/')
      name += '_';
    else if (c == '_')
      name += "_1";
    else
      name += c;
  }
  return name;
}

/// What a row says by a name: captured, or known by what was captured.
std::string meant_by(std::string_view name, const Recognised& message) {
  if (name == "distributions") return std::string(distributions_with(message.captured("version")));
  if (name == "function") return jni_function(message.captured("method"));
  return std::string(message.captured(name));
}

template <class Word>
std::string fill(std::string_view text, const Recognised& message, Word word) {
  std::string result;
  while (true) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return result + std::string(text);
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const std::string captured = meant_by(name, message);
    result += text.substr(0, open);
    result += captured.empty() ? placeholder(name) : word(captured);
    text.remove_prefix(close + 1);
  }
}

}  // namespace

std::string filled(std::string_view phrase, const Recognised& message) {
  return fill(phrase, message, [](std::string_view text) { return with_cxx_name(text); });
}

CommandText filled_command(std::string_view command, const Recognised& message) {
  return CommandText::of(fill(command, message, [](std::string_view text) { return shell_path(text).text(); }));
}

}  // namespace soresolve
