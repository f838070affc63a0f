// The values that random trees choose from: directories, list elements with tokens or oddities, requested names, hwcaps
// subdirectories. Each odd one stands for a rule of the search that was wrong once or is easy to get wrong.
#include "differential/tree_ingredients.h"

#include <algorithm>

namespace soresolve::test {
namespace {

constexpr std::initializer_list<const char*> kDirectories = {"/d1",
                                                             "/d2",
                                                             "/d3",
                                                             "/opt/a",
                                                             "/opt/a/lib",
                                                             "/srv/with space",
                                                             "/lib/x86_64-linux-gnu",
                                                             "/usr/lib/x86_64-linux-gnu",
                                                             "/lib",
                                                             "/usr/lib",
                                                             "/usr/lib/x86_64-linux-gnu/sub",
                                                             "/app/lib",
                                                             "/app/bin",
                                                             "/app/lib/x86_64-linux-gnu",
                                                             "/app/x86_64",
                                                             "/app/haswell",
                                                             "/cwd",
                                                             "/cwd/sub",
                                                             "/",
                                                             "/work:colon",
                                                             "/lib64",
                                                             "/usr/local/lib"};

std::string make_token_element(Random& random, const Vocabulary& words) {
  const std::string base = random.pick(words.directories).substr(1);
  switch (random.below(14)) {
    case 0: return "$ORIGIN";
    case 1: return "${ORIGIN}/../lib";
    case 2: return "$ORIGIN/../" + base;
    case 3: return "$ORIGIN/../../" + base + "/";
    case 4: return "/app/$LIB";
    case 5: return "$ORIGIN/../${LIB}";
    case 6: return "/app/$PLATFORM";
    case 7: return "/$LIB";
    case 8: return "$ORIGINX/lib";
    case 9: return "${ORIGIN/lib";
    case 10: return "/d1/$FOO";
    case 11: return "/usr/$LIB/sub";
    case 12: return "x$ORIGIN/y";
    default: return "/" + base + "$";
  }
}

std::string make_odd_element(Random& random, const Vocabulary& words) {
  const std::string& base = random.pick(words.directories);
  switch (random.below(13)) {
    case 0: return "";
    case 1: return base + "//";
    case 2: return "/." + base;
    case 3: return base + "/../" + base.substr(1);
    case 4: return "/missing";
    case 5: return make_relative(base, words.cwd);
    case 6: return "./" + make_relative(base, words.cwd) + "/";
    case 7: return base + "/" + random.pick(words.names);  // often a file
    case 8: return make_relative(base, words.cwd) + "/" + random.pick(words.names);
    case 9: return "/" + std::string(random.between(250, 300), 'x');
    case 10: return "/" + std::string(random.between(4080, 5000), 'y');
    case 11: return "/link" + std::to_string(random.below(3));
    default: return base + ";/d2";
  }
}

}  // namespace

Ingredients choose_ingredients(Random& random, bool has_users) {
  Ingredients with;
  for (bool* const flag : {&with.library_path, &with.odd_lists, &with.tokens, &with.slashes, &with.odd_names,
                           &with.missing, &with.cache, &with.hwcaps, &with.links, &with.loops, &with.sonames,
                           &with.preload, &with.filters, &with.no_default_lib, &with.skipped_files})
    *flag = random.chance(33);
  with.odd_cache = with.cache && random.chance(33);
  with.tunables = random.chance(10);
  with.preload_file = random.chance(15);
  with.fatal_files = random.chance(20);
  with.blocking_files = random.chance(1);
  with.versions = random.chance(15);
  with.permissions = has_users && random.chance(10);
  with.secure = has_users && !with.permissions && random.chance(6);
  with.no_proc = !with.secure && random.chance(5);
  with.libc = random.chance(25);
  with.dense = random.chance(15);
  if (with.dense) {
    for (bool* const flag : {&with.odd_lists, &with.tokens, &with.slashes, &with.missing, &with.odd_cache, &with.loops,
                             &with.sonames, &with.no_default_lib, &with.skipped_files, &with.fatal_files,
                             &with.blocking_files, &with.permissions, &with.secure})
      *flag = false;
  }
  return with;
}

Vocabulary choose_vocabulary(Random& random, const Ingredients& with, std::size_t libraries) {
  Vocabulary words;
  const std::size_t names = 1 + libraries * random.between(40, 90) / 100;
  for (std::size_t i = 0; i < names; ++i) {
    std::string name = "lib" + std::string(1, static_cast<char>('a' + i % 26));
    if (i >= 26) name += std::to_string(i / 26);
    words.names.push_back(name + random.pick({".so", ".so", ".so.1", ".so.1.2"}));
  }
  std::vector<std::string> all(kDirectories.begin(), kDirectories.end());
  const std::size_t count = random.between(1, 5);
  for (std::size_t i = 0; i < count; ++i) words.directories.push_back(random.pick(all));
  words.directories.push_back(
      random.pick({"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib", "/d1"}));
  if (with.odd_lists || with.slashes) words.cwd = random.pick({"/", "/cwd", "/app/bin", "/d1", "/cwd/sub"});
  return words;
}

std::string make_relative(const std::string& path, const std::string& cwd) {
  std::string prefix;
  if (cwd != "/") {
    for (const char c : cwd)
      if (c == '/') prefix += "../";
  }
  if (cwd != "/" && path.starts_with(cwd + "/")) return path.substr(cwd.size() + 1);
  if (path == cwd) return ".";
  return prefix + path.substr(1);
}

std::string make_path_list(Random& random, const Ingredients& with, const Vocabulary& words, ListFor purpose) {
  std::string list;
  if (purpose == ListFor::Everywhere) {
    for (const std::string& directory : words.directories) list += directory + ":";
    list.pop_back();
    return list;
  }
  const std::size_t count = random.chance(60) ? random.between(1, 2) : random.between(2, 5);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) list += purpose == ListFor::Environment && random.chance(20) ? ";" : ":";
    if (with.tokens && random.chance(40)) {
      list += make_token_element(random, words);
    } else if (with.odd_lists && random.chance(40)) {
      list += make_odd_element(random, words);
    } else {
      list += random.pick(words.directories);
    }
  }
  return list;
}

std::string make_request(Random& random, const Ingredients& with, const Vocabulary& words) {
  const std::string& name = random.pick(words.names);
  if (with.missing && random.chance(10)) return "libmissing" + std::to_string(random.below(3)) + ".so";
  if (with.libc && random.chance(10)) return "libc.so.6";
  if (with.odd_names && random.chance(12)) {
    switch (random.below(9)) {
      case 0: return "";
      case 1: return "linux-vdso.so.1";
      case 2: return "ld-linux-x86-64.so.2";
      case 3: return std::string(kInterp);
      case 4: return std::string(random.between(254, 300), 'n');
      case 5: return std::string(random.between(4000, 5200), 'n');
      case 6: return name + "." + random.pick({"0", "01", "1", "00000000004294967297"});
      case 7: return "lib" + std::string("\xc3\xa9") + ".so";
      default: return "ld.so";
    }
  }
  if (with.slashes && random.chance(15)) {
    const std::string path = random.pick(words.directories) + "/" + name;
    switch (random.below(4)) {
      case 0: return make_relative(path, words.cwd);
      case 1: return "./" + name;
      case 2: return "/." + path;
      default: return path;
    }
  }
  if (with.tokens && random.chance(10)) {
    switch (random.below(7)) {
      case 0: return "$ORIGIN/" + name;
      case 1: return "${ORIGIN}/../lib/" + name;
      case 2: return "/app/$LIB/" + name;
      case 3: return "lib$LIB.so";
      case 4: return "$ORIGINX/" + name;
      case 5: return "lib$FOO.so";
      default: return "/app/${PLATFORM}/" + name;
    }
  }
  return name;
}

std::string make_hwcaps_directory(Random& random) {
  return random.pick({"glibc-hwcaps/x86-64-v2", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v4",
                      "glibc-hwcaps/x86-64-v5", "glibc-hwcaps/custom", "glibc-hwcaps", "tls", "tls/x86_64",
                      "tls/x86_64/x86_64", "x86_64", "x86_64/x86_64", "haswell", "tls/haswell/avx512_1/x86_64",
                      "haswell/x86_64", "avx512_1/x86_64"});
}

}  // namespace soresolve::test
