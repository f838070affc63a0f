// Adds to a random tree what only musl's loader reads. The rest of the tree is as glibc's judge gets it: its lists,
// names and damaged files are musl's business as well. Left out: damage of which the kernel's mmap(2) decides.
#include <algorithm>
#include <set>

#include "differential/tree_generator.h"
#include "support/random.h"

namespace soresolve::test {
namespace {

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string make_list(Random& random, const std::vector<std::string>& directories, unsigned most) {
  std::string list;
  const std::size_t count = random.between(1, most);
  for (std::size_t i = 0; i < count; ++i) {
    if (random.chance(10)) list += random.pick({":", "\n", "::", "\n:"});
    list += random.chance(6) ? random.pick({"# comment", "nowhere", " /lib", "$ORIGIN", "/lib\r", "."})
                             : random.pick(directories);
    list += random.pick({":", "\n"});
  }
  if (random.chance(50)) list.pop_back();
  return list;
}

bool is_of_the_kernel(Damage damage) {
  switch (damage) {
    case Damage::OddAlignment:
    case Damage::NoLoad: return true;
    default: return false;
  }
}

}  // namespace

void add_musl_ingredients(std::uint64_t seed, Tree& tree) {
  Random random(seed ^ 0x6d75736c);
  std::set<std::string> seen = {"/lib", "/usr/lib", "/usr/local/lib"};
  for (TreeNode& node : tree.nodes) {
    if (node.kind == NodeKind::Elf || node.kind == NodeKind::Damaged) seen.insert(parent_of(node.path));
    node.elf.has_debug = node.elf.interp.has_value();
    if (node.kind == NodeKind::Damaged && is_of_the_kernel(node.damage)) node.damage = Damage::Relocatable;
    // There is nothing in a program that names no libc, and nothing else in one that does.
    if (!random.chance(20)) continue;
    node.elf.needed(random.pick({"libc.so", "libm.so.6", "libc.musl-x86_64.so.1", "libpthread.so.0", "libp.so", "libm",
                                 "libc.d/x.so", "libxnet.so.1", "libc.so.6", "linux-gate.so.1"}));
  }
  const std::vector<std::string> directories(seen.begin(), seen.end());
  tree.cache.reset();
  if (random.chance(60)) {
    TreeNode file = text_file("/etc/ld-musl-x86_64.path", random.chance(6) ? "" : make_list(random, directories, 8));
    if (random.chance(4)) file = directory(file.path);
    if (random.chance(3)) file = symlink_to(file.path, random.pick({"/nowhere", "ld-musl-x86_64.path"}));
    if (tree.user != 0 && random.chance(20)) file.mode = 0;
    if (random.chance(3)) file.text.insert(random.below(file.text.size() + 1), 1, '\0');
    tree.nodes.push_back(file);
  }
  // Of a name that stands twice the first counts, where glibc takes the last.
  if (random.chance(30)) tree.environment.push_back("LD_LIBRARY_PATH=" + make_list(random, directories, 4));
}

}  // namespace soresolve::test
