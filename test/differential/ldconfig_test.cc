// What play_ldconfig foretells, against what the real ldconfig of one glibc does in random trees: the
// links that it makes, turns and removes, and every entry of the cache in its order.
//
// usage: ldconfig_test --glibc NAME [--seed N] [--count N]     exit 0 equal, 1 a difference, 77 skipped
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>

#include "base/overlay_file_system.h"
#include "loader/ldconfig.h"
#include "loader/system.h"
#include "support/file_tree.h"
#include "support/glibc_roots.h"
#include "support/random.h"

namespace soresolve::test {
namespace {
namespace fs = std::filesystem;

const std::vector<std::string> kDirectories = {"/opt/a",
                                               "/opt/b",
                                               "/opt/a/glibc-hwcaps/x86-64-v3",
                                               "/opt/a/glibc-hwcaps/x86-64-v2",
                                               "/opt/b/glibc-hwcaps/custom",
                                               "/opt/b/glibc-hwcaps/x:y",
                                               "/usr/lib",
                                               "/lib/x86_64-linux-gnu",
                                               "/usr/lib/x86_64-linux-gnu",
                                               "/lib",
                                               "/lib64",
                                               "/opt/a/tls",
                                               "/opt/a/tls/haswell",
                                               "/opt/b/x86_64",
                                               "/opt/b/libdir.so.d",
                                               "/opt/c"};

/// No two that only leading zeros tell apart: their order is that of readdir(3).
const std::vector<std::string> kNames = {"libx.so.1",
                                         "libx.so.1.2",
                                         "libx.so.1.10",
                                         "libx.so",
                                         "liby.so",
                                         "liby.so.2",
                                         "plugin.so",
                                         "ld-w.so.1",
                                         "ld.so.1",
                                         "ld64.so.1",
                                         "libt.so.1;6a",
                                         "libd.so.1.dpkg-new",
                                         "libp.so.#prelink#",
                                         "libp.so.#prelink#.abcdef",
                                         "libz.so.1",
                                         "libnone",
                                         "lib.so"};

/// Of two kinds in one directory with one SONAME ldconfig takes what readdir(3) gives first, with a
/// warning; so a directory has libraries of one kind here.
enum class Machine { Wide, Narrow, NarrowWithoutGlibc };

ElfSpec random_library(Random& random, Machine machine) {
  ElfSpec spec = library();
  if (random.chance(80)) spec.soname(random.pick({"libx.so.1", "liby.so.2", "libz.so.1", "libx.so", "other.so"}));
  if (machine != Machine::Wide) {
    spec.bits = Bits::Elf32;
    spec.machine = kEm386;
    spec.needed(machine == Machine::Narrow ? random.pick({"libc.so.6", "libm.so.6"})
                                           : random.pick({"libfoo.so", "libc.so.5"}));
  } else if (random.chance(6)) {
    spec.machine = kEmAarch64;
  }
  if (random.chance(30)) spec.isa_needed = static_cast<std::uint32_t>(random.pick(std::vector<int>{1, 2, 3, 4, 8, 16}));
  return spec;
}

std::string random_configuration(Random& random, const std::string& other) {
  std::string text;
  const std::size_t lines = random.between(0, 5);
  for (std::size_t i = 0; i < lines; ++i) {
    text +=
        random.pick({"/opt/a", "/opt/b", "/opt/b/", "  /opt/a  ", "/opt/b # second", "# /opt/c", "", "/opt/c=libc6",
                     "hwcap 0 nosegneg", "HWCAP\t1 x", "/nowhere", "/opt/link", "opt/c", "include", "includes /opt/c"});
    text += '\n';
    if (random.chance(20)) text += "include " + other + "\n";
  }
  if (random.chance(10)) text += "/opt/c";
  return text;
}

std::vector<TreeNode> random_tree(Random& random) {
  std::vector<TreeNode> nodes;
  for (const std::string& path : kDirectories) {
    if (random.chance(70)) nodes.push_back(directory(path));
  }
  nodes.push_back(symlink_to("/opt/link", "b"));
  nodes.push_back(directory("/etc"));
  nodes.push_back(
      text_file("/etc/ld.so.conf", random_configuration(random, "/etc/ld.so.conf.d/*.conf ld.so.conf.d/[x-z]?")));
  if (random.chance(80)) nodes.push_back(text_file("/etc/ld.so.conf.d/b.conf", random_configuration(random, "zz")));
  if (random.chance(50)) nodes.push_back(text_file("/etc/ld.so.conf.d/a.conf", random_configuration(random, "*.none")));
  if (random.chance(50)) nodes.push_back(text_file("/etc/ld.so.conf.d/.hidden.conf", "/opt/c\n"));
  if (random.chance(50)) nodes.push_back(text_file("/etc/ld.so.conf.d/zz", "/opt/c\n"));
  std::map<std::string, Machine> machines;
  for (const std::string& path : kDirectories) {
    if (path != "/opt/c" && random.chance(12))
      machines[path] = random.chance(50) ? Machine::Narrow : Machine::NarrowWithoutGlibc;
  }
  const std::size_t count = random.between(2, 14);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& parent = random.pick(kDirectories);
    const Machine machine = machines[parent];
    const std::string path = parent + "/" + random.pick(kNames);
    if (random.chance(10)) {
      nodes.push_back(damaged_file(path, random_library(random, machine),
                                   static_cast<Damage>(random.pick(std::vector<Damage>{
                                       Damage::Empty, Damage::ShortText, Damage::LongText, Damage::Executable}))));
    } else if (random.chance(30)) {
      nodes.push_back(symlink_to(
          path, random.chance(70) ? random.pick(kNames) : random.pick(kDirectories) + "/" + random.pick(kNames)));
    } else {
      nodes.push_back(elf_file(path, random_library(random, machine)));
    }
  }
  return nodes;
}

/// "PATH -> TARGET" of every link below `directory` ("" is the root).
std::set<std::string> links_in(const FileSystem& files, const std::string& directory) {
  std::set<std::string> links;
  const Result<std::vector<std::string>, Errno> names = files.list_directory(directory + "/");
  if (!names) return links;
  for (const std::string& name : *names) {
    const std::string path = directory + "/" + name;
    if (const Result<std::string, Errno> target = files.read_link(path)) {
      links.insert(path + " -> " + *target);
    } else {
      links.merge(links_in(files, path));
    }
  }
  return links;
}

std::vector<std::string> entries_of(const LdCache& cache) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < cache.size(); ++i) {
    const std::optional<CacheEntry> entry = cache.entry(i);
    if (!entry) continue;
    // The number of a named entry counts the names, which is not the same where two ldconfigs differ.
    const std::uint64_t hwcap = entry->hwcaps_name.empty() ? entry->hwcap : entry->hwcap >> 32;
    lines.push_back(std::string(entry->key) + " " + std::to_string(entry->flags) + " " +
                    std::string(entry->hwcaps_name) + " " + std::to_string(hwcap) + " => " + std::string(entry->value));
  }
  return lines;
}

bool run_ldconfig(const std::string& program, const std::string& root) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, 1);
    ::dup2(null, 2);
    ::execl(program.c_str(), "ldconfig", "-r", root.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void print(const char* title, const std::vector<std::string>& lines) {
  std::printf("  %s:\n", title);
  for (const std::string& line : lines) std::printf("    %s\n", line.c_str());
}

/// True if both say the same.
bool compare(const GlibcRoot& glibc, const System& system, const std::vector<TreeNode>& nodes,
             const std::string& root) {
  const int root_fd = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  write_tree(root_fd, nodes);
  ::close(root_fd);
  OverlayFileSystem files(std::move(*rooted_file_system(root)));
  const LdConfigRun ours = play_ldconfig(files, system.rules);
  const std::set<std::string> our_links = links_in(files, "");
  const Result<std::unique_ptr<File>, Errno> written = files.open(system.rules.cache_path);
  std::string our_bytes(written ? (*written)->status().size_bytes : 0, '\0');
  if (written) static_cast<void>((*written)->read_at(0, std::as_writable_bytes(std::span(our_bytes))));
  const Result<LdCache> our_cache = LdCache::parse(our_bytes, system.rules, system.rules.target, "ours");

  const bool has_run = ours.error == Errno::None && run_ldconfig(glibc.ldconfig_file, root);
  std::ifstream file(root + "/etc/ld.so.cache", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Result<LdCache> real_cache = LdCache::parse(bytes, system.rules, system.rules.target, "real");
  // A cache without entries is too short for some loaders to take it for one.
  const std::vector<std::string> want = real_cache ? entries_of(*real_cache) : std::vector<std::string>{};
  const std::vector<std::string> got = our_cache ? entries_of(*our_cache) : std::vector<std::string>{};
  const std::set<std::string> links = links_in(**rooted_file_system(root), "");
  if (has_run && want == got && links == our_links) return true;
  for (const TreeNode& node : nodes) std::printf("  %s\n", describe(node).c_str());
  print("real cache", want);
  print("ours", got);
  print("real links", {links.begin(), links.end()});
  print("ours", {our_links.begin(), our_links.end()});
  return false;
}

int run(int argc, char** argv) {
  std::string name;
  std::uint64_t seed = 1;
  std::uint64_t count = 1000;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--glibc") name = argv[i + 1];
    if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--count") count = std::strtoull(argv[i + 1], nullptr, 10);
  }
  const Result<GlibcRoot, std::string> glibc = find_glibc(name);
  if (!glibc || glibc->ldconfig_file.empty()) {
    std::printf("SKIP: %s\n", glibc ? "no ldconfig in the cache; run test/support/fetch_glibc" : glibc.error().c_str());
    return 77;
  }
  const Result<System> system = read_system(host_file_system(), glibc->loader_file);
  if (!system) {
    std::printf("SKIP: %s\n", system.error().to_string().c_str());
    return 77;
  }
  std::uint64_t differences = 0;
  for (std::uint64_t i = 0; i < count && differences < 3; ++i) {
    Random random(seed + i);
    std::string root = (fs::temp_directory_path() / "soresolve-ldconfig-XXXXXX").string();
    if (::mkdtemp(root.data()) == nullptr) {
      std::perror("SKIP: mkdtemp");
      return 77;
    }
    if (!compare(*glibc, *system, random_tree(random), root)) {
      std::printf("DIFFERENCE, glibc %s, seed %llu\n", glibc->release.c_str(),
                  static_cast<unsigned long long>(seed + i));
      ++differences;
    }
    fs::remove_all(root);
  }
  std::printf("glibc %s: %llu trees, %llu differences\n", glibc->release.c_str(),
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(differences));
  return differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace soresolve::test

int main(int argc, char** argv) { return soresolve::test::run(argc, argv); }
