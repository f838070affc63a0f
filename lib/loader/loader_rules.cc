// Finds release, directories and rules in the strings of a loader: a text that only some releases have proves their
// rule. Other rules follow from the release number (rules_for_release). Source: glibc elf/ by release; loader_rules.h
// names the release of each change. musl and other loaders are not modelled.
#include "loader/loader_rules.h"
#include "base/pieces.h"
#include "loader/load.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace soresolve {
namespace {

constexpr GlibcVersion kUnknown{};

GlibcVersion release(int minor) { return {2, minor}; }

/// Visits each run of at least three bytes between NULs. Tables of numbers lie between the strings,
/// so most runs are a byte or two: those are passed over byte by byte, and only what could be a
/// string has its end looked for.
template <class Visit>
void for_each_string(std::string_view image, Visit visit) {
  const char* at = image.data();
  const char* const end = at + image.size();
  while (end - at > 3) {
    if (at[0] == '\0') {
      at += 1;
    } else if (at[1] == '\0') {
      at += 2;
    } else if (at[2] == '\0') {
      at += 3;
    } else {
      const void* nul = std::memchr(at, 0, static_cast<std::size_t>(end - at));
      if (nul == nullptr) return;
      const char* const stop = static_cast<const char*>(nul);
      visit(std::string_view(at, static_cast<std::size_t>(stop - at)), static_cast<std::size_t>(at - image.data()));
      at = stop + 1;
    }
  }
}

/// The last part of a string that is text: compilers put strings behind binary tables.
bool is_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_directory_text(std::string_view text) {
  return text.size() > 4 && text.front() == '/' && text.back() == '/' && text.find("lib") != std::string_view::npos &&
         is_text(text);
}

/// `$LIB`: lib, lib32, lib64 or libx32, alone or with one more component.
bool is_lib_token_text(std::string_view text) {
  if (!text.starts_with("lib")) return false;
  const std::string_view base = text.substr(0, text.find('/'));
  if (base != "lib" && base != "lib32" && base != "lib64" && base != "libx32") return false;
  if (base.size() == text.size()) return true;
  const std::string_view rest = text.substr(base.size() + 1);
  return !rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// The compiled-in list of glibc-hwcaps names: "x86-64-v4:x86-64-v3:x86-64-v2".
bool is_hwcaps_list_text(std::string_view text) {
  return text.starts_with("x86-64-v") || text.starts_with("power10:") || text.starts_with("z1");
}

std::vector<std::string> builtin_hwcaps(GlibcVersion version, std::uint16_t machine, ElfClass elf_class) {
  if (version < release(33)) return {};
  if (machine == EM_X86_64 && elf_class == ElfClass::Elf64) {
    return {"x86-64-v4", "x86-64-v3", "x86-64-v2"};
  }
  if (machine == EM_PPC64) return {"power10", "power9"};
  if (machine == EM_S390 && elf_class == ElfClass::Elf64) {
    std::vector<std::string> names;
    if (version >= release(42)) names.emplace_back("z17");
    if (version >= release(36)) names.emplace_back("z16");
    names.insert(names.end(), {"z15", "z14", "z13"});
    return names;
  }
  return {};
}

/// Upstream's slibdir, libdir and `$LIB` for a loader at `loader_path`.
void derive_directories(LoaderRules& rules, std::string_view loader_path) {
  const std::size_t slash = loader_path.rfind('/');
  std::string directory(loader_path.substr(0, slash == std::string_view::npos ? 0 : slash));
  if (directory.starts_with("/usr/")) directory.erase(0, 4);
  if (directory.empty()) {
    directory = rules.target.elf_class == ElfClass::Elf64 ? "/lib64" : "/lib";
  }
  rules.system_dirs = {directory + "/", "/usr" + directory + "/"};
  rules.lib_token = directory.substr(directory.rfind('/') + 1);
  rules.system_dirs_derived = true;
}

/// What one pass over the strings of a loader shows.
struct LoaderStrings {
  GlibcVersion version;
  std::vector<std::string> system_dirs;
  std::vector<std::string_view> lib_tokens;
  std::string_view cache_path;
  std::optional<std::vector<std::string>> hwcaps;
  bool has_assume_kernel = false;
  bool has_suid_debug = false;
  bool has_alignment_text = false;
  bool has_relr_text = false;
  bool has_isa_text = false;
  bool has_exec_stack_tunable = false;
  bool has_match_assertion = false;
  bool has_pie_text = false;
  bool has_legacy_hwcaps_help = false;
  bool has_depth_first_sort = false;
  bool has_root_assertion = false;
  bool refuses_tunables = false;
  bool has_program_assertion = false;
};

GlibcVersion release_in(std::string_view text) {
  constexpr std::string_view kMarker = "release version ";
  const std::size_t at = text.find(kMarker);
  if (at == std::string_view::npos) return kUnknown;
  std::string_view number = text.substr(at + kMarker.size());
  number = number.substr(0, std::min(number.find_first_not_of("0123456789."), number.size()));
  while (number.ends_with('.')) number.remove_suffix(1);
  return parse_glibc_version(number);
}

/// A text that only some releases have, and what it shows.
struct Mark {
  enum class At : std::uint8_t { Whole, Start, Inside };
  std::string_view text;
  At at = At::Whole;
  bool LoaderStrings::*shows = nullptr;
};

constexpr Mark kMarks[] = {
    {"ASSUME_KERNEL", Mark::At::Whole, &LoaderStrings::has_assume_kernel},
    {"ELF load command alignment not page-aligned", Mark::At::Whole, &LoaderStrings::has_alignment_text},
    {"DT_RELR without GLIBC_ABI_DT_RELR", Mark::At::Start, &LoaderStrings::has_relr_text},
    {"cannot dynamically load position-independent", Mark::At::Start, &LoaderStrings::has_pie_text},
    {"CPU ISA level is lower than required", Mark::At::Inside, &LoaderStrings::has_isa_text},
    {"version->filename == NULL", Mark::At::Start, &LoaderStrings::has_match_assertion},
    {"Fatal glibc error: executable stack is not allowed", Mark::At::Start, &LoaderStrings::has_exec_stack_tunable},
    {"WARNING: ld.so: invalid GLIBC_TUNABLES `", Mark::At::Start, &LoaderStrings::refuses_tunables},
    {"i < nmaps", Mark::At::Whole, &LoaderStrings::has_root_assertion},
    {"map->l_searchlist.r_list[0] == map", Mark::At::Whole, &LoaderStrings::has_program_assertion},
    {"rpo_head == rpo", Mark::At::Whole, &LoaderStrings::has_depth_first_sort},
    {"\nLegacy HWCAP subdirectories", Mark::At::Start, &LoaderStrings::has_legacy_hwcaps_help},
};

/// One pass over the strings of a loader.
class StringReader {
 public:
  /// `start`: the offset of `text` in the file.
  void see(std::string_view text, std::size_t start) {
    // Few first characters begin anything of interest; most strings end here.
    switch (text.front()) {
      case '/': see_path(text, start); return;
      case 'l':
        if (is_lib_token_text(text)) seen_.lib_tokens.push_back(text);
        if (text.starts_with("ld.so (") && seen_.version == kUnknown) seen_.version = release_in(text);
        return;
      case 'x':
      case 'p':
      case 'z':
        if (is_hwcaps_list_text(text) && text.find(':') != std::string_view::npos) {
          seen_.hwcaps = words_in<std::vector<std::string>>(text, ":");
        }
        return;
      case 'A':
      case 'E':
      case 'D':
      case 'c':
      case 'C':
      case 'v':
      case 'F':
      case 'W':
      case 'i':
      case 'm':
      case 'r':
      case '\n': see_mark(text); return;
      default: return;
    }
  }
  LoaderStrings take() { return std::move(seen_); }

 private:
  /// The system directories are the longest run of directory strings, one behind the other.
  void see_path(std::string_view text, std::size_t start) {
    if (is_directory_text(text)) {
      if (start != run_end_) run_.clear();
      run_.emplace_back(text);
      run_end_ = start + text.size() + 1;
      if (run_.size() >= 2 && run_.size() > seen_.system_dirs.size()) seen_.system_dirs = run_;
    } else if (text.ends_with("/ld.so.cache")) {
      seen_.cache_path = text;
    } else if (text == "/etc/suid-debug") {
      seen_.has_suid_debug = true;
    }
  }

  void see_mark(std::string_view text) {
    for (const Mark& mark : kMarks) {
      if (mark.text.front() != text.front()) continue;
      const bool is_it = mark.at == Mark::At::Whole   ? text == mark.text
                         : mark.at == Mark::At::Start ? text.starts_with(mark.text)
                                                      : text.find(mark.text) != std::string_view::npos;
      if (is_it) seen_.*mark.shows = true;
    }
  }

  LoaderStrings seen_;
  std::vector<std::string> run_;  ///< of consecutive directory strings
  std::size_t run_end_ = 0;       ///< where the next one of the run would begin
};

LoaderStrings read_strings(std::string_view image) {
  StringReader reader;
  for_each_string(image, [&](std::string_view text, std::size_t start) { reader.see(text, start); });
  return reader.take();
}

/// The candidate for `$LIB` that is also a system directory, else the first.
std::string choose_lib_token(const LoaderStrings& seen) {
  for (const std::string_view token : seen.lib_tokens) {
    const std::string directory = "/" + std::string(token) + "/";
    if (std::find(seen.system_dirs.begin(), seen.system_dirs.end(), directory) != seen.system_dirs.end()) {
      return std::string(token);
    }
  }
  return seen.lib_tokens.empty() ? std::string() : std::string(seen.lib_tokens.front());
}

}  // namespace

std::string GlibcVersion::to_string() const {
  return std::to_string(major_number) + "." + std::to_string(minor_number);
}

GlibcVersion parse_glibc_version(std::string_view text) {
  GlibcVersion version;
  const char* end = text.data() + text.size();
  const auto major_end = std::from_chars(text.data(), end, version.major_number);
  if (major_end.ec != std::errc() || major_end.ptr == end || *major_end.ptr != '.') return kUnknown;
  const auto minor_end = std::from_chars(major_end.ptr + 1, end, version.minor_number);
  if (minor_end.ec != std::errc()) return kUnknown;
  // Pre-releases are called 2.42.9000.
  if (minor_end.ptr != end && *minor_end.ptr != '.') return kUnknown;
  return version;
}

GlibcVersion find_release_text(std::string_view image) {
  // The libc says "GNU C Library (…) stable release version 2.31.".
  std::size_t at = 0;
  while ((at = image.find("GNU C Library", at)) != std::string_view::npos) {
    const GlibcVersion version = release_in(image.substr(at, 200));
    if (version != kUnknown) return version;
    at += 1;
  }
  return kUnknown;
}

LoaderRules rules_for_release(GlibcVersion version, const ElfTarget& target) {
  LoaderRules rules;
  rules.version = version;
  rules.target = target;
  rules.glibc_hwcaps = builtin_hwcaps(version, target.machine, target.elf_class);
  rules.has_glibc_hwcaps = version >= release(33);
  rules.has_legacy_hwcaps = version <= release(36);
  rules.tests_abi_note = version <= release(35);
  rules.enotdir_ends_list = version <= release(38);
  rules.root_dir_is_missing = version <= release(37);
  rules.empty_element_is_dot = version <= release(26);
  rules.old_alignment_texts = version <= release(34);
  rules.exec_refused_on_open = version >= release(20) && version <= release(30);
  rules.refuses_pie = version >= release(30);
  rules.cache_checks_new_count = version >= release(32);
  rules.cache_has_extension = version >= release(33);
  rules.cache_rejects_legacy = version >= release(40);
  rules.always_lists_loader = version >= release(41);
  rules.origin_of_argument_is_real = version >= release(42);
  rules.checks_relr = version >= release(36);
  rules.asserts_program_first = version <= release(31);
  rules.sorts_depth_first = version >= release(35);
  rules.forces_root_first = version >= release(37);
  rules.sorts_libc_as_program = version >= release(32);
  rules.relocates_libc_first = version >= release(39);
  rules.dlopen_sorts_anew = version <= release(31);
  const bool is_x86 = target.machine == EM_X86_64 || target.machine == EM_386;
  rules.prefers_exact_version = version >= release(41);
  rules.follows_copies_of_protected_data = is_x86 && version >= release(22) && version <= release(35);
  rules.warns_of_protected = version >= release(35);
  rules.reads_audit_tags = version >= release(32);
  rules.relocation_reads_strings = version <= release(34);
  rules.strict_tunables = version >= release(39);
  rules.x86_usable_bits = version <= release(31);
  rules.x86_needs_xsave = version >= release(34);
  rules.tlsdesc_is_lazy = is_x86 && version <= release(33);
  rules.checks_isa = is_x86 && version >= release(33);
  rules.refuses_exec_stack = version >= release(41);
  rules.secure_binds_lazily = version >= release(39);
  rules.asserts_tls_order = version >= release(32) && version <= release(40);
  rules.looks_for_malloc = version >= release(32);
  rules.match_assert_line = version <= release(31) ? 111 : version <= release(40) ? 107 : 0;
  rules.repeated_lookup_recurses = version >= release(43);
  rules.verneed_assert_line = version <= release(31) ? 205 : 204;
  derive_directories(rules, {});
  return rules;
}

LoaderRules read_loader_rules(std::string_view image, const ElfTarget& target, std::string_view file_name,
                              std::string_view loader_path) {
  const LoaderStrings seen = read_strings(image);
  GlibcVersion version = seen.version;
  RuleSource source = RuleSource::LoaderFile;
  if (version == kUnknown && file_name.starts_with("ld-") && file_name.ends_with(".so")) {
    version = parse_glibc_version(file_name.substr(3, file_name.size() - 6));
    source = RuleSource::FileName;
  }
  LoaderRules rules = rules_for_release(version, target);
  rules.version_source = source;

  // What the file itself shows beats what its release number suggests.
  rules.tests_abi_note = seen.has_assume_kernel;
  rules.enotdir_ends_list = seen.has_suid_debug;
  rules.secure_binds_lazily = !seen.has_suid_debug;
  rules.old_alignment_texts = seen.has_alignment_text;
  rules.refuses_pie = seen.has_pie_text;
  rules.checks_relr = seen.has_relr_text;
  rules.asserts_program_first = seen.has_program_assertion;
  rules.sorts_depth_first = seen.has_depth_first_sort;
  rules.forces_root_first = seen.has_root_assertion;
  rules.checks_isa = seen.has_isa_text;
  rules.refuses_exec_stack = seen.has_exec_stack_tunable;
  rules.strict_tunables = seen.refuses_tunables;
  if (!seen.has_match_assertion) {
    rules.match_assert_line = 0;
  } else if (rules.match_assert_line == 0) {
    rules.match_assert_line = 107;
  }
  if (seen.hwcaps) {
    rules.glibc_hwcaps = *seen.hwcaps;
    rules.has_glibc_hwcaps = true;
    rules.has_legacy_hwcaps = seen.has_legacy_hwcaps_help;
  } else if (!rules.glibc_hwcaps.empty()) {
    // No list in the file: a release that has none yet.
    rules.glibc_hwcaps.clear();
    rules.has_glibc_hwcaps = false;
  }
  if (seen.system_dirs.empty()) {
    derive_directories(rules, loader_path);
  } else {
    rules.system_dirs = seen.system_dirs;
    rules.system_dirs_derived = false;
    if (std::string token = choose_lib_token(seen); !token.empty()) {
      rules.lib_token = std::move(token);
    } else {
      // Merged into the tail of another string: the first directory has the same component.
      const std::string_view first = rules.system_dirs.front();
      rules.lib_token = std::string(first.substr(1, first.size() - 2));
    }
  }
  if (!seen.cache_path.empty()) rules.cache_path = std::string(seen.cache_path);
  return rules;
}

}  // namespace soresolve
