// Prints a tree so that a failing case can be read and typed again; nothing in it is compared.
#include "differential/tree.h"

namespace soresolve::test {
namespace {

std::string shortened(const std::string& text) {
  if (text.size() <= 300) return text;
  return text.substr(0, 140) + "…" + text.substr(text.size() - 100) + " (" + std::to_string(text.size()) + " bytes)";
}

std::string describe(const CacheSpec& cache) {
  std::string text = "cache, " + std::string(name_of(cache.layout)) + " format";
  if (cache.endian_flag != 2) text += ", endian flag " + std::to_string(cache.endian_flag);
  if (cache.order == CacheOrder::AsGiven) text += ", not sorted";
  if (cache.count) text += ", nlibs " + std::to_string(*cache.count);
  if (!cache.has_extension) text += ", no extension";
  for (const BytePatch& patch : cache.patches) text += ", patched at " + std::to_string(patch.offset);
  if (cache.truncate_to_bytes) text += ", truncated to " + std::to_string(*cache.truncate_to_bytes);
  text += '\n';
  for (const CacheLine& line : cache.lines) {
    text += "    " + line.key + " => " + line.value;
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, " flags %#x", static_cast<unsigned>(line.flags));
    if (line.flags != kCacheFlagsX86_64) text += numbers;
    if (line.os_version != 0) text += " osversion " + std::to_string(line.os_version >> 16);
    if (!line.hwcaps_name.empty()) text += " hwcaps " + line.hwcaps_name + " level " + std::to_string(line.isa_level);
    std::snprintf(numbers, sizeof numbers, " hwcap %#llx", static_cast<unsigned long long>(line.legacy_hwcap));
    if (line.legacy_hwcap != 0) text += numbers;
    text += '\n';
  }
  return text;
}

}  // namespace

std::vector<TreeNode> all_nodes(const Tree& tree) {
  std::vector<TreeNode> nodes = tree.nodes;
  if (tree.cache) nodes.push_back(text_file("/etc/ld.so.cache", write_cache(*tree.cache)));
  return nodes;
}

std::string describe(const Tree& tree) {
  std::string text = "  started: ";
  text += tree.launch == Launch::Kernel ? "" : "ld.so ";
  if (tree.loader != kInterp) text += "(the loader is " + tree.loader + ") ";
  for (const std::string& option : tree.loader_options) text += option + " ";
  text += tree.file;
  if (tree.argv0 != tree.file) text += " as argv[0] '" + tree.argv0 + "'";
  text += " in " + tree.cwd;
  text += tree.layout == RootLayout::Merged ? ", merged /usr" : ", split /usr";
  if (tree.proc == Proc::Absent) text += ", no /proc";
  if (tree.user != 0) text += ", user " + std::to_string(tree.user);
  if (tree.is_secure) text += ", AT_SECURE";
  text += '\n';
  for (const std::string& variable : tree.environment) text += "  env " + shortened(variable) + '\n';
  for (const TreeNode& node : tree.nodes) text += "  " + shortened(test::describe(node)) + '\n';
  if (tree.cache) text += "  " + describe(*tree.cache);
  return text;
}

}  // namespace soresolve::test
