// What a loader does, read out of its file: strings first, the release number for the rest.
#include "loader/loader_rules.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "loader/load.h"
#include "support/glibc_roots.h"
#include "unit/print_list.h"
#include "unit/targets.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kPath = "/lib64/ld-linux-x86-64.so.2";

/// A loader's file: the strings with NULs around them.
std::string image_of(const Names& strings) {
  std::string image(16, '\0');
  for (const std::string& string : strings) image += string + '\0';
  return image + std::string(16, '\0');
}

LoaderRules read(const Names& strings, std::string_view file_name = {}) {
  return read_loader_rules(image_of(strings), kX86_64, file_name, kPath);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a release is 2.NN, with anything behind a further dot") {
  struct Case {
    std::string text;
    std::string want;
  };
  const Case cases[] = {
      {"2.31", "2.31"},
      {"2.42.9000", "2.42"},
      {"3.0", "3.0"},
      {"2", "0.0"},
      {"", "0.0"},
      {"2.", "0.0"},
      {"2.x", "0.0"},
      {".31", "0.0"},
      {"2.31x", "0.0"},
      {"v2.31", "0.0"},
      {"2.99999999999999999999", "0.0"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(parse_glibc_version(c.text).to_string() == c.want);
  }
}

TEST_CASE("releases are ordered by number, not by text") {
  CHECK(GlibcVersion{2, 9} < GlibcVersion{2, 31});
  CHECK(GlibcVersion{2, 36} < GlibcVersion{3, 0});
}

TEST_CASE("a libc says its release in its banner") {
  struct Case {
    std::string why;
    std::string image;
    std::string want;
  };
  const Case cases[] = {
      {"Debian's", "GNU C Library (Debian GLIBC 2.31-13+deb11u11) stable release version 2.31.\n", "2.31"},
      {"a pre-release", "GNU C Library (GNU libc) development release version 2.42.9000.\n", "2.42"},
      {"a mention first", "see the GNU C Library manual\nGNU C Library (x) release version 2.36.\n", "2.36"},
      {"no number", "GNU C Library (x) stable release\n", "0.0"},
      {"another libc", "musl libc (x86_64) Version 1.2.3\n", "0.0"},
      {"nothing", "", "0.0"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(find_release_text(c.image).to_string() == c.want);
  }
}

TEST_CASE("each behaviour changes with its release") {
  struct Case {
    std::string rule;
    bool LoaderRules::*member;
    int first;
    int last;
  };
  const Case cases[] = {
      {"glibc-hwcaps", &LoaderRules::has_glibc_hwcaps, 33, 99},
      {"legacy subdirectories", &LoaderRules::has_legacy_hwcaps, 17, 36},
      {"ABI note", &LoaderRules::tests_abi_note, 17, 35},
      {"ENOTDIR ends a list", &LoaderRules::enotdir_ends_list, 17, 38},
      {"`/` is lost", &LoaderRules::root_dir_is_missing, 17, 37},
      {"an empty element is `./`", &LoaderRules::empty_element_is_dot, 17, 26},
      {"old alignment texts", &LoaderRules::old_alignment_texts, 17, 34},
      {"ET_EXEC refused on opening", &LoaderRules::exec_refused_on_open, 20, 30},
      {"PIE refused", &LoaderRules::refuses_pie, 30, 99},
      {"entry count of a new cache", &LoaderRules::cache_checks_new_count, 32, 99},
      {"cache extension", &LoaderRules::cache_has_extension, 33, 99},
      {"legacy cache entries rejected", &LoaderRules::cache_rejects_legacy, 40, 99},
      {"ld.so always listed", &LoaderRules::always_lists_loader, 41, 99},
      {"$ORIGIN of an argument", &LoaderRules::origin_of_argument_is_real, 42, 99},
      {"program first asserted", &LoaderRules::asserts_program_first, 17, 31},
      {"dlopen sorts anew", &LoaderRules::dlopen_sorts_anew, 17, 31},
      {"libc sorted as program", &LoaderRules::sorts_libc_as_program, 32, 99},
      {"depth-first sort", &LoaderRules::sorts_depth_first, 35, 99},
      {"root forced first", &LoaderRules::forces_root_first, 37, 99},
      {"libc relocated first", &LoaderRules::relocates_libc_first, 39, 99},
  };
  for (const Case& c : cases) {
    for (int minor = 17; minor <= 43; ++minor) {
      CAPTURE(c.rule);
      CAPTURE(minor);
      CHECK(rules_for_release({2, minor}, kX86_64).*c.member == (minor >= c.first && minor <= c.last));
    }
  }
}

TEST_CASE("the release stands in the loader's help text, else in its file name") {
  struct Case {
    std::string why;
    Names strings;
    std::string file;
    std::string want;
    RuleSource source;
  };
  const Case cases[] = {
      {"help text", {"ld.so (Debian GLIBC 2.36-9) stable release version 2.36.\n"}, "", "2.36", RuleSource::LoaderFile},
      {"it beats the file name",
       {"ld.so (GNU libc) stable release version 2.36.\n"},
       "ld-2.31.so",
       "2.36",
       RuleSource::LoaderFile},
      {"a pre-release", {"ld.so (x) development release version 2.42.9000.\n"}, "", "2.42", RuleSource::LoaderFile},
      {"file name", {"x"}, "ld-2.31.so", "2.31", RuleSource::FileName},
      {"no such name", {"x"}, "ld-linux-x86-64.so.2", "0.0", RuleSource::LoaderFile},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const LoaderRules rules = read(c.strings, c.file);
    CHECK(rules.version.to_string() == c.want);
    if (c.want != "0.0") CHECK(rules.version_source == c.source);
  }
}

TEST_CASE("a string in the file beats the release: distributions backport") {
  const std::string release = "ld.so (x) stable release version 2.";
  struct Case {
    std::string why;
    std::string number;
    std::string string;
    bool LoaderRules::*member;
    bool want;
  };
  const Case cases[] = {
      {"ASSUME_KERNEL in 2.36", "36", "ASSUME_KERNEL", &LoaderRules::tests_abi_note, true},
      {"not in 2.35", "35", "x", &LoaderRules::tests_abi_note, false},
      {"suid-debug in 2.39", "39", "/etc/suid-debug", &LoaderRules::enotdir_ends_list, true},
      {"not in 2.38", "38", "x", &LoaderRules::enotdir_ends_list, false},
      {"old alignment text in 2.35", "35", "ELF load command alignment not page-aligned",
       &LoaderRules::old_alignment_texts, true},
      {"PIE text in 2.28", "28", "cannot dynamically load position-independent executable", &LoaderRules::refuses_pie,
       true},
      {"no PIE text in 2.30", "30", "x", &LoaderRules::refuses_pie, false},
      {"hwcaps list in 2.28 (RHEL)", "28", "x86-64-v4:x86-64-v3:x86-64-v2", &LoaderRules::has_glibc_hwcaps, true},
      {"no list in 2.33", "33", "x", &LoaderRules::has_glibc_hwcaps, false},
      {"depth-first sort in 2.34", "34", "rpo_head == rpo", &LoaderRules::sorts_depth_first, true},
      {"root forced first in 2.36", "36", "i < nmaps", &LoaderRules::forces_root_first, true},
      {"not in a 2.37", "37", "x", &LoaderRules::forces_root_first, false},
      {"program asserted first", "32", "map->l_searchlist.r_list[0] == map", &LoaderRules::asserts_program_first, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(read({release + c.number + ".\n", c.string}).*c.member == c.want);
  }
}

TEST_CASE("directories are a run of strings in slashes, $LIB stands alone") {
  struct Case {
    std::string why;
    Names strings;
    Names dirs;
    std::string lib;
  };
  const Case cases[] = {
      {"Debian amd64",
       {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib/", "/usr/lib/", "x", "lib/x86_64-linux-gnu"},
       {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib/", "/usr/lib/"},
       "lib/x86_64-linux-gnu"},
      {"upstream", {"lib64", "x", "/lib64/", "/usr/lib64/"}, {"/lib64/", "/usr/lib64/"}, "lib64"},
      {"a lone directory is no run",
       {"/usr/lib/debug/", "xyz", "/lib64/", "/usr/lib64/", "lib64"},
       {"/lib64/", "/usr/lib64/"},
       "lib64"},
      {"other strings around $LIB",
       {"/lib64/", "/usr/lib64/", "libc.so.6", "library", "lib64"},
       {"/lib64/", "/usr/lib64/"},
       "lib64"},
      {"$LIB hidden in another string", {"/lib64/", "/usr/lib64/"}, {"/lib64/", "/usr/lib64/"}, "lib64"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const LoaderRules rules = read(c.strings);
    CHECK(rules.system_dirs == c.dirs);
    CHECK(rules.lib_token == c.lib);
    CHECK(!rules.system_dirs_derived);
  }
}

TEST_CASE("directories that are not found are derived from where the loader lies, and marked") {
  struct Case {
    std::string path;
    Names dirs;
    std::string lib;
  };
  const Case cases[] = {
      {"/lib64/ld-linux-x86-64.so.2", {"/lib64/", "/usr/lib64/"}, "lib64"},
      {"/usr/lib64/ld-linux-x86-64.so.2", {"/lib64/", "/usr/lib64/"}, "lib64"},
      {"/lib/ld-linux-aarch64.so.1", {"/lib/", "/usr/lib/"}, "lib"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    const LoaderRules rules = read_loader_rules(image_of({"x"}), kX86_64, {}, c.path);
    CHECK(rules.system_dirs == c.dirs);
    CHECK(rules.lib_token == c.lib);
    CHECK(rules.system_dirs_derived);
  }
}

TEST_CASE("the cache's path and the hwcaps names are the loader's own") {
  CHECK(read({"/opt/glibc/etc/ld.so.cache"}).cache_path == "/opt/glibc/etc/ld.so.cache");
  CHECK(read({"x"}).cache_path == "/etc/ld.so.cache");
  const LoaderRules rules = read({"ld.so (x) release version 2.36.\n", "x86-64-v3:x86-64-v2"});
  CHECK(rules.glibc_hwcaps == Names{"x86-64-v3", "x86-64-v2"});
}

TEST_CASE("a file that is no loader at all is read without harm") {
  for (const std::string& image : {std::string(), std::string(1, '\0'), std::string(5000, 'l'), std::string("/lib/"),
                                   std::string("\0/lib/\0/usr/lib/", 16)}) {
    CHECK(read_loader_rules(image, kX86_64, {}, kPath).version == GlibcVersion{});
  }
}

TEST_CASE("the loaders of Debian's releases are read right") {
  struct Case {
    std::string release;
    bool hwcaps, legacy, abi_note, enotdir, old_alignment;
    int assert_line;
  };
  const Case cases[] = {
      {"2.31", false, true, true, true, true, 205},
      {"2.36", true, true, false, true, false, 204},
      {"2.41", true, false, false, false, false, 204},
      {"2.43", true, false, false, false, false, 204},
  };
  const Names dirs = {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib/", "/usr/lib/"};
  for (const Case& c : cases) {
    CAPTURE(c.release);
    const Result<test::GlibcRoot, std::string> root = test::find_glibc(c.release);
    if (!root) {
      MESSAGE("not tested: " << root.error());
      continue;
    }
    const LoaderRules rules = read_loader_rules(content_of(root->loader_file), kX86_64, root->loader_name, kPath);
    CHECK(rules.version.to_string() == c.release);
    CHECK(rules.system_dirs == dirs);
    CHECK(rules.lib_token == "lib/x86_64-linux-gnu");
    CHECK(rules.cache_path == "/etc/ld.so.cache");
    CHECK(rules.has_glibc_hwcaps == c.hwcaps);
    CHECK(rules.glibc_hwcaps == (c.hwcaps ? Names{"x86-64-v4", "x86-64-v3", "x86-64-v2"} : Names{}));
    CHECK(rules.has_legacy_hwcaps == c.legacy);
    CHECK(rules.tests_abi_note == c.abi_note);
    CHECK(rules.enotdir_ends_list == c.enotdir);
    CHECK(rules.old_alignment_texts == c.old_alignment);
    CHECK(rules.refuses_pie);
    CHECK(rules.asserts_program_first == (c.release == "2.31"));
    CHECK(rules.sorts_depth_first == (c.release != "2.31"));
    CHECK(rules.forces_root_first == (c.release != "2.31"));
    CHECK(rules.verneed_assert_line == c.assert_line);
    CHECK(find_release_text(content_of(root->libc_file)).to_string() == c.release);
  }
}

TEST_CASE("this machine's i386 loader has directories of its own") {
  const std::string image = content_of("/lib32/ld-linux.so.2");
  if (image.empty()) {
    MESSAGE("not tested: there is no /lib32/ld-linux.so.2");
    return;
  }
  const LoaderRules rules = read_loader_rules(image, kI386, {}, "/lib/ld-linux.so.2");
  CHECK(rules.version >= GlibcVersion{2, 17});
  CHECK(rules.system_dirs == Names{"/lib32/", "/usr/lib32/", "/lib/", "/usr/lib/"});
  CHECK(rules.lib_token == "lib32");
  CHECK(rules.glibc_hwcaps.empty());
}
