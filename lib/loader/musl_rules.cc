// Finds musl's release in the strings of its loader, and what that release does with symbols. Source: musl
// ldso/dynlink.c, by release. Where it searches is in musl_walk.cc, what it prints there and in lib/symbols.
#include "loader/loader_rules.h"

#include <charconv>

namespace soresolve {
namespace {

/// "1.2.3", and nothing behind it but what a build from git adds.
std::optional<MuslVersion> parse_musl_version(std::string_view text) {
  MuslVersion version;
  const char* at = text.data();
  const char* const end = at + text.size();
  int* const numbers[] = {&version.major_number, &version.minor_number, &version.patch_number};
  for (int i = 0; i < 3; ++i) {
    if (i > 0 && (at == end || *at++ != '.')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, *numbers[i]);
    if (error != std::errc() || next == at) return std::nullopt;
    at = next;
  }
  const bool is_whole = at == end || *at == '-';
  return is_whole && version.major_number <= 1 ? std::optional(version) : std::nullopt;
}

}  // namespace

std::string MuslVersion::to_string() const {
  return std::to_string(major_number) + "." + std::to_string(minor_number) + "." + std::to_string(patch_number);
}

std::optional<MuslRelease> find_musl_release(std::string_view image) {
  constexpr std::string_view kName = "musl libc (";
  const std::size_t name = image.find(kName);
  if (name == std::string_view::npos) return std::nullopt;
  const std::string_view behind = image.substr(name + kName.size(), 32);
  const std::size_t bracket = behind.find(')');
  if (bracket == std::string_view::npos) return std::nullopt;
  MuslRelease release;
  release.arch = std::string(behind.substr(0, bracket));
  // A string of its own: __libc_version.
  for (std::size_t start = image.find('.'); start != std::string_view::npos; start = image.find('.', start + 1)) {
    if (start < 2 || image[start - 2] != '\0') continue;
    const std::string_view text = image.substr(start - 1, 32);
    if (const auto version = parse_musl_version(text.substr(0, text.find('\0')))) {
      release.version = *version;
      return release;
    }
  }
  return release;
}

LoaderRules musl_rules(const MuslVersion& version, const ElfTarget& target) {
  LoaderRules rules;
  rules.libc = Libc::Musl;
  rules.musl_version = version;
  rules.target = target;
  rules.lib_token = "lib";
  rules.cache_path.clear();
  rules.has_glibc_hwcaps = false;
  rules.always_lists_loader = false;
  rules.checks_relr = false;
  rules.prefers_exact_version = false;
  rules.reads_audit_tags = false;
  rules.warns_of_protected = false;
  rules.checks_isa = false;
  rules.looks_for_malloc = false;
  rules.refuses_exec_stack = false;
  rules.refuses_pie = false;
  rules.relocates_libc_first = false;
  rules.compares_versions = false;
  rules.honours_visibility = false;
  rules.finds_ifuncs = false;
  rules.finds_zero = false;
  rules.has_symbolic = false;
  rules.has_unique = false;
  rules.retries_lfs64 = version >= MuslVersion{1, 2, 4};
  return rules;
}

}  // namespace soresolve
