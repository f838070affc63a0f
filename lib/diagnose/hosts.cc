// The look-up of hosts.toml's rows, and the reader of their words.
//
// A template is literals with captures between them. What stands before {error} is matched backwards from the place
// where the loader's text begins, since a log may put anything in front of it; what stands behind it forwards, as the
// loader's text may go on. A template whose words end a line before {error} is matched against the line above.
#include "diagnose/hosts.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/path.h"
#include "base/pieces.h"
#include "packages/what_brings.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

constexpr std::string_view kError = "{error}";

bool fits_one(std::string_view globs, std::string_view text) {
  if (globs.empty() || text.empty()) return false;
  const std::string name(text);
  for (const std::string_view glob : Pieces(globs, '|')) {
    if (::fnmatch(std::string(glob).c_str(), name.c_str(), 0) == 0) return true;
  }
  return false;
}

bool is_quote(char c) { return c == '\'' || c == '"' || c == '`'; }

bool is_same(std::string_view literal, std::string_view text) {
  return literal.size() == text.size() && std::equal(literal.begin(), literal.end(), text.begin(), [](char a, char b) {
           return a == b || (is_quote(a) && is_quote(b));
         });
}

/// The last place of `literal` that ends at or before `end`; npos: there is none.
std::size_t last_of(std::string_view text, std::string_view literal, std::size_t end) {
  if (literal.size() > end) return std::string_view::npos;
  for (std::size_t at = end - literal.size() + 1; at-- != 0;) {
    if (is_same(literal, text.substr(at, literal.size()))) return at;
  }
  return std::string_view::npos;
}

std::size_t first_of(std::string_view text, std::string_view literal, std::size_t from, std::size_t within) {
  for (std::size_t at = from; at + literal.size() <= text.size() && at <= from + within; ++at) {
    if (is_same(literal, text.substr(at, literal.size()))) return at;
  }
  return std::string_view::npos;
}

/// "lit {a} lit {b} lit": one more literal than captures; literals may be empty at either end.
struct Template {
  std::vector<std::string_view> literals;
  std::vector<std::string_view> captures;
  explicit Template(std::string_view text) {
    for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{')) {
      const std::size_t close = text.find('}', open);
      literals.push_back(text.substr(0, open));
      captures.push_back(text.substr(open + 1, close - open - 1));
      text.remove_prefix(close + 1);
    }
    literals.push_back(text);
  }
};

void take(HostWords& words, std::string_view name, std::string_view text) {
  if (name == "file") words.file = text;
  if (name == "name") words.name = text;
}

/// Do the words end `text`?
bool matches_before(std::string_view words, std::string_view text, HostWords& found) {
  const Template parts(words);
  std::size_t end = text.size();
  for (std::size_t i = parts.captures.size() + 1; i-- != 0;) {
    const std::string_view literal = parts.literals[i];
    const std::size_t at = last_of(text, literal, end);
    const bool is_last = i == parts.captures.size();
    if (at == std::string_view::npos || (is_last && at + literal.size() != end)) return false;
    if (!is_last) {
      const std::string_view captured = text.substr(at + literal.size(), end - at - literal.size());
      if (captured.empty() && parts.captures[i] != "text") return false;
      take(found, parts.captures[i], captured);
    }
    end = at;
  }
  return true;
}

/// Do the words stand in `text`, the first of them soon?
bool matches_behind(std::string_view words, std::string_view text, HostWords& found) {
  constexpr std::size_t kMaxError = 160;  // bytes of the loader's text behind what was recognised of it
  constexpr std::size_t kMaxCapture = 1024;
  const Template parts(words);
  if (parts.captures.empty()) return true;
  std::size_t at = 0;
  for (std::size_t i = 0; i != parts.literals.size(); ++i) {
    const std::string_view literal = parts.literals[i];
    const bool is_open = literal.empty() && i != 0;
    const std::size_t place = is_open ? std::min(text.size(), text.find_first_of(" )\n", at))
                                      : first_of(text, literal, at, i == 0 ? kMaxError : kMaxCapture);
    if (place == std::string_view::npos) return false;
    if (i != 0) {
      if (place == at) return false;
      take(found, parts.captures[i - 1], text.substr(at, place - at));
    }
    at = place + literal.size();
  }
  return true;
}

std::optional<HostWords> read_as(const HostRow& host, std::string_view words, std::string_view before,
                                 std::string_view behind, std::string_view above) {
  const std::size_t place = words.find(kError);
  if (place == std::string_view::npos) return std::nullopt;
  std::string_view ahead = words.substr(0, place);
  const std::string_view rest = words.substr(place + kError.size());
  // "ImportError: {error}" names no file.
  if (ahead.find('{') == std::string_view::npos && rest.find('{') == std::string_view::npos) return std::nullopt;
  HostWords found = {&host, {}, {}};
  if (const std::size_t line = ahead.find('\n'); line != std::string_view::npos) {
    if (before.find_first_not_of(" \t") != std::string_view::npos) return std::nullopt;
    std::swap(before, above);
    ahead = ahead.substr(0, line);
  }
  if (!matches_before(ahead, before, found) || !matches_behind(rest, behind, found)) return std::nullopt;
  return found;
}

}  // namespace

const HostRow* host_of(std::string_view file, std::string_view program) {
  const std::span<const HostRow> rows = host_rows();
  const auto by = [&](auto fits) -> const HostRow* {
    const auto row = std::find_if(rows.begin(), rows.end(), fits);
    return row == rows.end() ? nullptr : &*row;
  };
  const std::string_view name = file_name_of(program);
  const HostRow* const host = by([&](const HostRow& row) { return fits_one(row.programs, name); });
  return host != nullptr ? host : by([&](const HostRow& row) { return fits_one(row.modules, file); });
}

const HostRow* host_of_title(std::string_view title) {
  const std::span<const HostRow> rows = host_rows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const HostRow& one) { return one.title == title; });
  return row == rows.end() ? nullptr : &*row;
}

bool is_symbol_of(const HostRow& host, std::string_view symbol) {
  for (std::string_view name : Pieces(host.symbols, '|')) {
    const bool is_start = name.ends_with('*');
    if (is_start) name.remove_suffix(1);
    if (is_start ? symbol.starts_with(name) : symbol == name) return true;
  }
  return false;
}

const HostRow* host_of_symbols(std::span<const std::string> symbols) {
  constexpr std::size_t kEnough = 64;
  const std::span<const std::string> read = symbols.first(std::min(symbols.size(), kEnough));
  const HostRow* best = nullptr;
  std::size_t most = 0;
  for (const HostRow& host : host_rows()) {
    if (host.symbols.empty()) continue;
    const auto is_its = [&](const std::string& symbol) { return is_symbol_of(host, symbol); };
    const auto count = static_cast<std::size_t>(std::count_if(read.begin(), read.end(), is_its));
    if (count <= most) continue;
    most = count;
    best = &host;
  }
  return best != nullptr && 2 * most >= read.size() ? best : nullptr;
}

std::vector<std::string> programs_of(const HostRow& host) {
  std::vector<std::string> names;
  for (const std::string_view name : Pieces(host.programs, '|')) {
    if (!name.empty() && name.find('*') == std::string_view::npos) names.emplace_back(name);
  }
  return names;
}

std::string words_of_host(const HostRow& host, std::string_view file, std::string_view error) {
  const std::string_view stem = file_name_of(file).substr(0, file_name_of(file).find('.'));
  const std::string package = package_of(host, file);
  std::string words;
  const Template parts(host.says);
  for (std::size_t i = 0; i != parts.literals.size(); ++i) {
    words += parts.literals[i];
    if (i == parts.captures.size()) break;
    const std::string_view name = parts.captures[i];
    if (name == "module" && !package.empty())
      words += package;
    else
      words += name == "error" ? error : name == "file" ? file : name == "name" ? file_name_of(file) : stem;
  }
  return words;
}

std::string package_of(const HostRow& host, std::string_view file) {
  if (!host.package_before.empty()) {
    const std::size_t end = file.rfind(host.package_before);
    return end == std::string_view::npos ? std::string() : std::string(file_name_of(file.substr(0, end)));
  }
  const std::size_t after = host.package_after.empty() ? std::string_view::npos : file.rfind(host.package_after);
  if (after == std::string_view::npos) return {};
  std::string_view rest = file.substr(after + host.package_after.size());
  if (host.is_nested) {
    std::string name;
    for (const std::string_view folder : Pieces(rest.substr(0, rest.rfind('/')), '/')) {
      name += (name.empty() ? "" : "::") + std::string(folder);
    }
    return name;
  }
  std::size_t end = rest.find('/');
  // "@img/sharp" is one name of npm's.
  if (rest.starts_with('@') && end != std::string_view::npos) end = rest.find('/', end + 1);
  if (end == std::string_view::npos) return {};
  std::string_view folder = rest.substr(0, end);
  // "ffi-1.12.2" has its release behind the name.
  for (std::size_t dash = folder.find('-'); dash != std::string_view::npos; dash = folder.find('-', dash + 1)) {
    if (dash + 1 < folder.size() && folder[dash + 1] >= '0' && folder[dash + 1] <= '9') folder = folder.substr(0, dash);
  }
  return std::string(folder);
}

std::string installer_of(const HostRow& host, std::string_view file) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:@/";  // it goes into a command
  const std::string package = package_of(host, file);
  if (host.installer.empty() || package.empty() || package.front() == '-' ||
      package.find_first_not_of(kSafe) != std::string::npos)
    return {};
  constexpr std::string_view kPlace = "{package}";
  std::string command(host.installer);
  return command.replace(command.find(kPlace), kPlace.size(), package);
}

std::string installer_for(const HostRow* host, std::string_view file, std::string_view library) {
  const bool is_distributions = file.starts_with("/usr/lib") || file.starts_with("/usr/share/");
  if (host == nullptr || (is_distributions && !library.empty() && what_brings(library))) return {};
  return installer_of(*host, file);
}

Statement step_of_host(const Statement& next) {
  constexpr std::string_view kInstalls[] = {"next-install-here", "next-install-again", "next-copy-again"};
  const bool is_for_glibc = next.sentence == "next-build-for-glibc";
  const bool is_of_libc = is_for_glibc || next.sentence == "next-build-for-musl";
  const bool is_install = std::find(std::begin(kInstalls), std::end(kInstalls), next.sentence) != std::end(kInstalls);
  const auto* const file = next.arguments.empty() ? nullptr : std::get_if<std::string>(&next.arguments.front().value);
  const HostRow* const host = file != nullptr && (is_of_libc || is_install) ? host_of(*file) : nullptr;
  if (host == nullptr) return next;
  const std::string command = installer_of(*host, *file);
  if (!host->installer.empty() && command.empty()) return next;
  const std::string package = package_of(*host, *file);
  // Two packages, as sharp-linuxmusl-x64 and sharp-linux-x64, rollup-linux-x64-musl and rollup-linux-x64-gnu.
  std::string wanted = package;
  for (const std::string_view pair : Pieces(host->libcs, '|')) {
    const std::string_view musl = pair.substr(0, pair.find(':'));
    const std::string_view glibc = pair.substr(std::min(pair.size(), musl.size() + 1));
    const std::string_view from = is_for_glibc ? musl : glibc;
    const std::size_t at = is_of_libc && !from.empty() ? package.find(from) : std::string::npos;
    if (at != std::string::npos && wanted == package) wanted.replace(at, from.size(), is_for_glibc ? glibc : musl);
  }
  const bool has_build = is_of_libc && (host->libcs.empty() || wanted != package);
  std::string_view sentence = has_build                          ? is_for_glibc ? host->for_glibc : host->for_musl
                              : fits_one(host->systems, package) ? host->for_system
                                                                 : host->again;
  if (sentence.empty() && command.empty()) return next;
  if (sentence.empty()) sentence = "next-rebuild";
  return say(
      sentence,
      {{"file", file_name_of(*file)}, {"command", command}, {"package", package}, {"typed", shell_word(wanted)}});
}

std::optional<HostWords> read_host(std::string_view before, std::string_view behind, std::string_view above) {
  constexpr std::size_t kMaxWords = 4096;  // bytes that are looked at on either side
  before = before.substr(before.size() - std::min(before.size(), kMaxWords));
  behind = behind.substr(0, kMaxWords);
  for (const HostRow& host : host_rows()) {
    for (const std::string_view form : host.reads) {
      if (form.empty()) break;
      if (const auto found = read_as(host, form, before, behind, above)) return found;
    }
    if (const auto found = read_as(host, host.says, before, behind, above)) return found;
  }
  return std::nullopt;
}

}  // namespace soresolve
