// Puts a random tree together from the ingredients that its seed has switched on. The same seed gives the same tree.
// What is left out on purpose is in the header.
#include "differential/tree_generator.h"

#include <algorithm>

#include "differential/tree_ingredients.h"
#include "differential/tree_symbols.h"
#include "support/random.h"

namespace soresolve::test {
namespace {

std::string join(const std::string& directory, const std::string& name) {
  return directory == "/" ? "/" + name : directory + "/" + name;
}

class Generator {
 public:
  Generator(std::uint64_t seed, bool has_users) : random_(seed), has_users_(has_users) {}

  Tree make() {
    with_ = choose_ingredients(random_, has_users_);
    const std::size_t libraries = random_.chance(70) ? random_.between(3, 12) : random_.between(8, 38);
    words_ = choose_vocabulary(random_, with_, libraries);
    tree_.cwd = words_.cwd;
    tree_.layout = random_.chance(70) ? RootLayout::Merged : RootLayout::Split;
    if (with_.no_proc) tree_.proc = Proc::Absent;
    make_program();
    for (std::size_t i = 0; i < libraries; ++i) make_library(i);
    make_links();
    make_odd_files();
    if (with_.cache) make_cache();
    make_environment();
    if (random_.chance(8)) ask_about_library();
    if (with_.preload_file) make_preload_file();
    make_users();
    // The directories of relative names must exist for the start itself.
    tree_.nodes.push_back(directory(tree_.cwd == "/" ? "/cwd" : tree_.cwd));
    return std::move(tree_);
  }

 private:
  void add_search_tags(ElfSpec& spec, unsigned rpath_percent, unsigned runpath_percent) {
    if (random_.chance(rpath_percent)) spec.rpath(make_path_list(random_, with_, words_, ListFor::Tag));
    if (random_.chance(runpath_percent)) spec.runpath(make_path_list(random_, with_, words_, ListFor::Tag));
    if (random_.chance(1)) spec.add(random_.chance(50) ? StringTag::Rpath : StringTag::Runpath, "");
    if (with_.no_default_lib && random_.chance(25)) spec.flags_1 = spec.flags_1.value_or(0) | kDf1NoDefLib;
  }

  void add_needs(ElfSpec& spec, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      StringTag tag = StringTag::Needed;
      std::string name = make_request(random_, with_, words_);
      // A filter of libc moves it in the order of relocation, which is not the search's affair; with
      // one of ld.so itself the loader reads in front of a table, and what follows is chance.
      const bool can_be_filtered = name != "libc.so.6" && name.find("ld-linux") == std::string::npos;
      if (with_.filters && random_.chance(20) && can_be_filtered)
        tag = random_.chance(60) ? StringTag::Auxiliary : StringTag::Filter;
      spec.add(tag, std::move(name));
    }
    if (with_.versions && random_.chance(40)) {
      // Mostly of a file that is needed as well: any other one is the loader's assertion.
      const bool is_needed = count > 0 && random_.chance(90);
      const std::string file = is_needed ? spec.strings.back().text : make_request(random_, with_, words_);
      spec.version_needs.push_back({file, {{"V1", true}}, 1});
    }
    if (with_.versions && random_.chance(30)) spec.version_definitions = {{"base"}, {random_.chance(70) ? "V1" : "V2"}};
  }

  void make_program() {
    ElfSpec spec = program();
    if (random_.chance(20)) {
      spec.type = kEtExec;
      spec.flags_1.reset();
    }
    is_provided_ = random_.chance(with_.dense ? 100 : 50);
    if (is_provided_ && random_.chance(with_.dense ? 100 : 70)) {
      spec.rpath(make_path_list(random_, with_, words_, ListFor::Everywhere));
    } else {
      add_search_tags(spec, 45, 35);
    }
    add_needs(spec, random_.between(1, 6));
    if (with_.sonames && random_.chance(15)) spec.soname(random_.pick(words_.names));
    if (random_.chance(2)) spec.strings.clear();
    tree_.nodes.push_back(elf_file("/app/bin/prog", spec));

    switch (random_.below(with_.links ? 7 : 3)) {
      case 0: tree_.file = make_relative("/app/bin/prog", tree_.cwd); break;
      case 3:
        tree_.nodes.push_back(symlink_to("/d1/prog", "../app/bin/prog"));
        tree_.file = "/d1/prog";
        break;
      case 4:
        tree_.nodes.push_back(symlink_to("/applink", "app/bin"));
        tree_.file = "/applink/prog";
        break;
      case 5:
        tree_.nodes.push_back(hard_link_to("/opt/a/prog", "/app/bin/prog"));
        tree_.file = "/opt/a/prog";
        break;
      default: break;
    }
    if (tree_.file.find('/') == std::string::npos) tree_.file = "./" + tree_.file;
    tree_.argv0 = random_.chance(85) ? tree_.file : "some name";
    if (random_.chance(20)) tree_.launch = Launch::Argument;
  }

  std::string place_for(const std::string& name) {
    std::string directory = random_.pick(words_.directories);
    if (with_.hwcaps && random_.chance(30)) directory = join(directory, make_hwcaps_directory(random_));
    if (with_.tokens && random_.chance(20))
      directory = random_.pick({"/app/lib", "/app/bin", "/app", "/d1/$FOO", "/app/bin/$ORIGINX/lib"});
    return join(directory, name);
  }

  void make_library(std::size_t index) {
    ElfSpec spec = library();
    const std::string name = index < words_.names.size() ? words_.names[index] : random_.pick(words_.names);
    if (!with_.sonames) {
      if (random_.chance(70)) spec.soname(name);
    } else if (random_.chance(80)) {
      spec.soname(random_.chance(50) ? name : random_.pick(words_.names));
      if (random_.chance(5)) spec.soname(random_.pick(words_.names));
    }
    if (!with_.dense) add_search_tags(spec, 25, is_provided_ ? 8 : 20);
    const std::size_t roll = random_.below(10) + (with_.dense ? 3 : 0);
    add_needs(spec, roll < 4 ? 0 : roll < 8 ? random_.between(1, 2) : random_.between(2, 5));
    tree_.nodes.push_back(elf_file(place_for(name), spec));
  }

  std::string any_library() {
    std::vector<std::string> paths;
    for (const TreeNode& node : tree_.nodes)
      if (node.kind == NodeKind::Elf && !node.elf.interp) paths.push_back(node.path);
    return random_.pick(paths);
  }

  /// As ldd(1) asks about a library. One with neither needs nor an interpreter is left to the kernel
  /// by ld.so since 2.36.
  void ask_about_library() {
    std::vector<std::string> paths;
    for (const TreeNode& node : tree_.nodes) {
      const auto is_needed = [](const DynamicString& entry) { return entry.tag == StringTag::Needed; };
      const bool has_needs = std::any_of(node.elf.strings.begin(), node.elf.strings.end(), is_needed);
      // Where /usr is merged, two paths may be one file, and the last one written is what is there.
      const auto merged = [](std::string_view path) { return path.substr(path.starts_with("/usr/") ? 4 : 0); };
      const auto is_there = [&](const TreeNode& other) { return merged(other.path) == merged(node.path); };
      const bool is_alone = std::count_if(tree_.nodes.begin(), tree_.nodes.end(), is_there) == 1;
      if (node.kind == NodeKind::Elf && !node.elf.interp && has_needs && is_alone) paths.push_back(node.path);
    }
    if (paths.empty()) return;
    tree_.launch = Launch::Argument;
    tree_.file = tree_.argv0 = random_.pick(paths);
  }

  void make_links() {
    tree_.nodes.push_back(symlink_to("/link0", random_.pick(words_.directories)));
    if (!with_.links) return;
    tree_.nodes.push_back(symlink_to("/link1", "link0"));
    const std::size_t count = random_.between(1, 5);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string path = place_for(random_.pick(words_.names));
      switch (random_.below(4)) {
        case 0: tree_.nodes.push_back(hard_link_to(path, any_library())); break;
        case 1: tree_.nodes.push_back(symlink_to(path, any_library())); break;
        case 2:
          // With the real libc in the process, a second ld.so is a crash of its own kind.
          if (!with_.libc) tree_.nodes.push_back(symlink_to(path, "/lib64/ld-linux-x86-64.so.2"));
          break;
        default: tree_.nodes.push_back(symlink_to(path, "/nowhere/" + path.substr(1))); break;
      }
    }
  }

  /// Puts a node where something is looked for, before or after whatever is there already.
  void put_in_the_way(TreeNode node) {
    if (random_.chance(50)) node.path = any_library();
    const bool takes_the_place = random_.chance(50);
    tree_.nodes.insert(takes_the_place ? tree_.nodes.begin() : tree_.nodes.end(), std::move(node));
  }

  void make_odd_files() {
    const auto place = [this] { return place_for(random_.pick(words_.names)); };
    const std::size_t count = random_.between(1, 3);
    if (with_.skipped_files) {
      for (std::size_t i = 0; i < count; ++i) {
        const Damage damage =
            random_.pick(std::vector<Damage>{Damage::OtherClass, Damage::OddClass, Damage::OtherMachine,
                                             Damage::NewKernel, Damage::OtherOs, Damage::GnuOsAbi});
        put_in_the_way(damaged_file(place(), library().soname(random_.pick(words_.names)), damage));
      }
    }
    if (with_.fatal_files) {
      for (std::size_t i = 0; i < count; ++i) {
        if (random_.chance(10)) {
          put_in_the_way(directory(place()));
          continue;
        }
        const auto damage = static_cast<Damage>(random_.below(static_cast<std::size_t>(kLastDamage) + 1));
        put_in_the_way(damaged_file(place(), library().soname(random_.pick(words_.names)), damage));
      }
    }
    if (with_.loops) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::string path = place();
        switch (random_.below(4)) {
          case 0: put_in_the_way(symlink_to(path, path)); break;
          case 1: put_in_the_way(symlink_to(path, "/app/bin/prog/x")); break;
          case 2: put_in_the_way(special_file(path, NodeKind::Socket)); break;
          default: put_in_the_way(symlink_to("/link2", "/link2")); break;
        }
      }
    }
    if (with_.blocking_files) put_in_the_way(special_file(place(), NodeKind::Fifo));
  }

  void make_cache() {
    CacheSpec cache;
    for (const TreeNode& node : tree_.nodes) {
      const bool is_candidate = node.kind == NodeKind::Elf && !node.elf.interp;
      if (!is_candidate || !random_.chance(50)) continue;
      CacheLine line;
      line.value = node.path;
      line.key = node.path.substr(node.path.rfind('/') + 1);
      const std::size_t hwcaps = node.path.find("/glibc-hwcaps/");
      if (hwcaps != std::string::npos) {
        const std::size_t from = hwcaps + 14;
        const std::size_t to = node.path.find('/', from);
        if (to != std::string::npos) line.hwcaps_name = node.path.substr(from, to - from);
        line.isa_level = random_.chance(70) ? 0 : static_cast<std::uint32_t>(random_.below(5));
      }
      cache.lines.push_back(line);
    }
    const std::size_t more = random_.below(4);
    for (std::size_t i = 0; i < more; ++i) {
      const std::string& name = random_.pick(words_.names);
      CacheLine line;
      line.key = name;
      line.value = join(random_.pick(words_.directories), name);
      cache.lines.push_back(line);
    }
    if (with_.odd_cache) make_cache_odd(cache);
    tree_.cache = std::move(cache);
  }

  void make_cache_odd(CacheSpec& cache) {
    if (random_.chance(30)) cache.layout = random_.chance(50) ? CacheLayout::Old : CacheLayout::Compat;
    for (CacheLine& line : cache.lines) {
      if (random_.chance(15)) line.flags = random_.pick(std::vector<std::int32_t>{3, 1, 0x803, 0x903, 0x303, 0x403});
      if (random_.chance(10))
        line.legacy_hwcap = random_.pick(std::vector<std::uint64_t>{1, 2, 4, std::uint64_t{1} << 50,
                                                                    std::uint64_t{1} << 51, std::uint64_t{1} << 63, 3});
      if (random_.chance(10)) line.os_version = random_.chance(50) ? 0x020600U : 0x630000U;
      if (random_.chance(10)) line.key += random_.pick({".0", "1", ".01", "x"});
    }
    // A count far beyond the file kills 2.31, which does not check it; that is not modelled.
    switch (random_.below(12)) {
      case 0: cache.endian_flag = static_cast<std::uint8_t>(random_.below(4)); break;
      case 1: cache.count = static_cast<std::uint32_t>(random_.below(2 * cache.lines.size() + 2)); break;
      case 3: cache.has_extension = false; break;
      case 4: cache.truncate_to_bytes = random_.below(600); break;
      case 5: cache.patches.push_back({random_.below(20), "\xff"}); break;
      case 6: cache.patches.push_back({48 + random_.below(400), "\xff"}); break;
      case 7: cache.order = CacheOrder::AsGiven; break;
      default: break;
    }
  }

  std::string any_request_for_preload() {
    if (random_.chance(8)) return tree_.file;  // what is started itself
    if (random_.chance(30)) return any_library();
    if (random_.chance(10)) return "libnotthere.so";
    const std::string name = make_request(random_, with_, words_);
    return name.find(' ') == std::string::npos ? name : any_library();
  }

  void make_environment() {
    std::vector<std::string>& environment = tree_.environment;
    if (with_.library_path) {
      if (random_.chance(10)) environment.push_back("LD_LIBRARY_PATH=/d3");
      environment.push_back("LD_LIBRARY_PATH=" +
                            (random_.chance(4) ? "" : make_path_list(random_, with_, words_, ListFor::Environment)));
    }
    if (is_provided_ && random_.chance(50))
      environment.push_back("LD_LIBRARY_PATH=" + make_path_list(random_, with_, words_, ListFor::Everywhere));
    if (with_.preload) {
      std::string value;
      const std::size_t count = random_.between(1, 3);
      for (std::size_t i = 0; i < count; ++i)
        value += random_.pick({"", " ", ":", ""}) + any_request_for_preload() + random_.pick({" ", ":"});
      environment.push_back("LD_PRELOAD=" + value);
    }
    std::string tunables;
    if (with_.tunables) tunables = random_tunables(random_);
    if (random_.chance(with_.dense ? 40 : 15))
      tunables += (tunables.empty() ? "" : ":") + std::string("glibc.rtld.dynamic_sort=") +
                  random_.pick({"1", "1", "1", "2", "3", "3:glibc.rtld.dynamic_sort=1", "1:glibc.rtld.dynamic_sort=3",
                                "01", "0x1"});
    if (!tunables.empty()) environment.push_back("GLIBC_TUNABLES=" + tunables);
    if (with_.no_proc && random_.chance(50))
      environment.push_back("LD_ORIGIN_PATH=" + random_.pick({"/app/bin", "/app/lib/", "/d1//", "/"}));
    if (random_.chance(3)) environment.push_back("LD_ASSUME_KERNEL=2.6.10");
    if (random_.chance(3)) environment.push_back("LD_BIND_NOW=1");
    if (random_.chance(5)) environment.push_back("LD_VERBOSE=1");
    environment.push_back("PATH=/bin");
  }

  void make_preload_file() {
    std::string text;
    const std::size_t lines = random_.between(1, 5);
    for (std::size_t i = 0; i < lines; ++i) {
      if (random_.chance(40)) {
        text += "# " + random_.pick({"comment", "why this is here", "liba.so", "see /d1/liba.so # twice"});
      } else {
        text += any_request_for_preload() + random_.pick({"", " ", ":", "\t"});
      }
      text += random_.chance(90) ? "\n" : " ";
    }
    tree_.nodes.push_back(text_file("/etc/ld.so.preload", text));
  }

  void make_users() {
    if (with_.permissions) {
      tree_.user = kOtherUser;
      for (TreeNode& node : tree_.nodes)
        if (node.kind == NodeKind::Elf && !node.elf.interp && node.path != tree_.file && random_.chance(25)) {
          node.mode = 0;
        }
      if (random_.chance(50)) {
        TreeNode locked = directory(random_.pick(words_.directories));
        locked.mode = 0;
        // Created first, so that it is there with this mode; the writer is root and still gets in.
        // The program itself must stay in reach.
        if ((locked.path.starts_with("/d") || locked.path.starts_with("/opt")) &&
            !tree_.file.starts_with(locked.path) && !tree_.cwd.starts_with(locked.path))
          tree_.nodes.insert(tree_.nodes.begin(), locked);
      }
    }
    if (with_.secure && tree_.launch == Launch::Kernel) {
      tree_.user = kOtherUser;
      tree_.is_secure = true;
      for (TreeNode& node : tree_.nodes) {
        if (node.path == "/app/bin/prog")
          node.mode = 04755;
        else if (node.kind == NodeKind::Elf && random_.chance(20))
          node.mode = 04755;
      }
    }
  }

  Random random_;
  bool has_users_;
  bool is_provided_ = false;  ///< the program finds most of what it asks for
  Ingredients with_;
  Vocabulary words_;
  Tree tree_;
};

}  // namespace

void spoil_some(Random& random, Tree& tree) {
  std::vector<std::size_t> files;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].kind == NodeKind::Elf && !tree.nodes[i].elf.calls_plt) files.push_back(i);
  }
  if (files.empty()) return;
  for (std::size_t count = random.between(1, 2); count-- > 0;) spoil(tree.nodes[random.pick(files)].elf, random);
}

void map_some_in_pieces(Random& random, Tree& tree) {
  std::vector<std::size_t> libraries;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    if (node.kind == NodeKind::Elf && !node.elf.interp && node.path != tree.file) libraries.push_back(i);
  }
  if (libraries.empty()) return;
  for (std::size_t count = random.between(1, 3); count-- > 0;)
    map_in_pieces(tree.nodes[random.pick(libraries)].elf, random);
}

Tree generate_tree(std::uint64_t seed, bool has_users) {
  Random random(~seed);
  const std::size_t kind = random.below(10);
  Tree tree = kind < 5 ? make_plain_tree(random) : Generator(seed, has_users).make();
  if (kind < 7) add_symbols(random, tree);
  return tree;
}

}  // namespace soresolve::test
