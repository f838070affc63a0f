// What one build of ld.so does, as far as releases and distributions differ.
//
// The rules are read out of the loader file of the analysed system, never taken from the host and
// never by running it. Where a string in the file proves a behaviour it decides; the release number
// decides the rest (distributions backport, so the number alone would be wrong).
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/elf.h"

namespace soresolve {

struct GlibcVersion {
  int major_number = 0;
  int minor_number = 0;
  auto operator<=>(const GlibcVersion&) const = default;
  [[nodiscard]] std::string to_string() const;
};

/// Whose loader it is.
enum class Libc : std::uint8_t { Glibc, Musl };

struct MuslVersion {
  int major_number = 0;
  int minor_number = 0;
  int patch_number = 0;
  auto operator<=>(const MuslVersion&) const = default;
  [[nodiscard]] std::string to_string() const;
};

/// Where a rule set was taken from, for the report.
enum class RuleSource : std::uint8_t {
  LoaderFile,  ///< strings in the loader
  FileName,    ///< ld-2.31.so
  LibcFile,    ///< the libc.so.6 beside it
  Override,    ///< the caller named a release
};

struct LoaderRules {
  Libc libc = Libc::Glibc;
  MuslVersion musl_version;  ///< of musl's loader; all that is said of releases below is glibc's
  GlibcVersion version;
  RuleSource version_source = RuleSource::LoaderFile;
  ElfTarget target;

  std::vector<std::string> system_dirs;  ///< compiled-in directories, each with a trailing slash
  bool system_dirs_derived = false;      ///< not found in the file; taken from where ld.so lies
  std::string lib_token;                 ///< `$LIB`
  std::string cache_path = "/etc/ld.so.cache";

  std::vector<std::string> glibc_hwcaps;          ///< built-in names, best first; empty before 2.33
  bool has_glibc_hwcaps = true;                   ///< >= 2.33: subdirectories below glibc-hwcaps/
  bool has_legacy_hwcaps = false;                 ///< <= 2.36: tls, platform and hwcap subdirectories
  bool tests_abi_note = false;                    ///< <= 2.35: NT_GNU_ABI_TAG and LD_ASSUME_KERNEL
  bool enotdir_ends_list = false;                 ///< <= 2.38
  bool root_dir_is_missing = false;               ///< <= 2.37: `/` is dropped after its first miss
  bool empty_element_is_dot = false;              ///< <= 2.26: an empty element is spelled "./"
  bool old_alignment_texts = false;               ///< <= 2.34
  bool exec_refused_on_open = false;              ///< 2.20 … 2.30: ET_EXEC fails in open_verify
  bool refuses_pie = true;                        ///< >= 2.30, and backports
  bool cache_checks_new_count = true;             ///< >= 2.32
  bool cache_has_extension = true;                ///< >= 2.33
  bool cache_rejects_legacy = false;              ///< >= 2.40
  bool always_lists_loader = true;                ///< >= 2.41, and backports to 2.39 and 2.40
  bool origin_of_argument_is_real = false;        ///< >= 2.42: `ld.so PROG` resolves links for $ORIGIN
  bool checks_relr = true;                        ///< >= 2.36: DT_RELR needs GLIBC_ABI_DT_RELR
  bool asserts_program_first = false;             ///< <= 2.31: no filter of the program itself
  bool sorts_depth_first = true;                  ///< >= 2.35: unless a tunable selects the older sort
  bool forces_root_first = true;                  ///< >= 2.37, and branches of 2.35 and 2.36
  bool sorts_libc_as_program = true;              ///< >= 2.32: `ld.so libc.so.6` is sorted with the others
  bool relocates_libc_first = true;               ///< >= 2.39
  bool dlopen_sorts_anew = false;                 ///< <= 2.31
  bool prefers_exact_version = true;              ///< >= 2.42, branch of 2.41: an exact match beats a fallback
  bool follows_copies_of_protected_data = false;  ///< 2.22 … 2.35, x86: protected data may be copied
  bool reads_audit_tags = true;                   ///< >= 2.32: DT_AUDIT; the program's DT_STRTAB is read for it
  bool relocation_reads_strings = false;          ///< <= 2.34: DT_STRTAB is read before any relocation
  bool strict_tunables = true;                    ///< >= 2.39: one malformed entry voids GLIBC_TUNABLES
  bool x86_usable_bits = false;                   ///< <= 2.31, x86: tunables tell AVX2 from AVX2_Usable
  bool x86_needs_xsave = true;                    ///< >= 2.34, x86: without OSXSAVE there is no AVX
  bool warns_of_protected = true;                 ///< >= 2.35: copies of protected symbols and the like
  bool tlsdesc_is_lazy = false;                   ///< <= 2.33, x86: TLS descriptors of the PLT wait, too
  bool checks_isa = true;                         ///< >= 2.33, x86: GNU_PROPERTY_X86_ISA_1_NEEDED
  bool looks_for_malloc = true;                   ///< >= 2.32: ld.so calls the malloc that the program would get
  bool refuses_exec_stack = true;                 ///< >= 2.41: dlopen makes no stack executable
  bool secure_binds_lazily = true;                ///< >= 2.39: AT_SECURE ignores LD_BIND_NOW
  bool asserts_tls_order = false;                 ///< 2.32 … 2.40: no thread-local storage before the program's
  int match_assert_line = 0;                      ///< line in dl-lookup.c of check_match's assertion; 0: none
  int verneed_assert_line = 204;                  ///< line in dl-version.c of the `needed != NULL' assertion
  int close_assert_line = 154;                    ///< line in dl-close.c of the `idx == nloaded' assertion
  bool compares_versions = true;                  ///< musl: of a symbol's version only the hidden bit counts
  bool honours_visibility = true;                 ///< musl: symbols of any visibility are looked up, and found
  bool finds_ifuncs = true;                       ///< musl: a definition by IFUNC is none
  bool finds_zero = true;                         ///< musl: nor is one of value 0, absolute or not
  bool has_symbolic = true;                       ///< musl: DT_SYMBOLIC says nothing
  bool has_unique = true;                         ///< musl: STB_GNU_UNIQUE is as STB_GLOBAL
  bool retries_lfs64 = false;                     ///< musl >= 1.2.4: open64 is libc's open
  /// A lookup whose provider is out of sight repeats itself: does each round take of the stack? 2.43's build does.
  bool repeated_lookup_recurses = false;
};

/// Rules of an upstream release, for a machine; directories as upstream compiles them.
LoaderRules rules_for_release(GlibcVersion version, const ElfTarget& target);

/// Reads the rules out of the bytes of a loader file. `file_name` is the name that the file really
/// has (links resolved): up to 2.33 it carries the release. Returns version 0.0 when the release is
/// nowhere to be found in it.
LoaderRules read_loader_rules(std::string_view image, const ElfTarget& target, std::string_view file_name,
                              std::string_view loader_path);

/// Finds musl's release in the bytes of its loader, which is its libc as well; nullopt when it is no musl. "(x86_64)"
/// behind its name is the ARCH of its files.
struct MuslRelease {
  MuslVersion version;
  std::string arch;
};
std::optional<MuslRelease> find_musl_release(std::string_view image);
/// What a release of musl's loader does with symbols (musl ldso/dynlink.c). Of directories it says nothing.
LoaderRules musl_rules(const MuslVersion& version, const ElfTarget& target);

/// Finds "release version 2.NN" in the bytes of a loader or libc; 0.0 when it is not there.
GlibcVersion find_release_text(std::string_view image);

/// Parses "2.31"; 0.0 when `text` is not of that form.
GlibcVersion parse_glibc_version(std::string_view text);

}  // namespace soresolve
