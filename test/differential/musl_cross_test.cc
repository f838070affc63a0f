// Random trees for musl's loader on aarch64, which qemu runs: what it lists, and what it prints. Programs are not
// started, as nothing here writes code for that machine.
//
//   musl_cross_test SUITE [--seed N] [--count N]
//
// Case k is made from seed N+k, as tree_test makes it for x86-64, with the machine and its relocations put into every
// file. Exit status as of tree_test; 77 where test/support/fetch_musl_aarch64 has not been.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "differential/answer.h"
#include "differential/our_loader.h"
#include "differential/run_output.h"
#include "differential/tree_generator.h"
#include "support/sandbox.h"

using namespace soresolve;
using namespace soresolve::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kQemu = "/qemu-aarch64";
constexpr const char* kPathFile = "/etc/ld-musl-x86_64.path";

int skip(const std::string& why) {
  std::printf("SKIP: %s\n", why.c_str());
  return 77;
}

/// psABI for the Arm 64-bit architecture, "Dynamic relocations".
std::uint32_t relocation_of_aarch64(std::uint32_t type) {
  static const std::map<std::uint32_t, std::uint32_t> kTypes = {
      {kRelocNone, 0},        {kReloc64, 257},        {kRelocCopy, 1024},
      {kRelocGlobDat, 1025},  {kRelocJumpSlot, 1026}, {kRelocRelative, 1027},
      {kRelocDtpMod64, 1028}, {kRelocTpOff64, 1030},  {kRelocTlsDesc, 1031}};
  const auto known = kTypes.find(type);
  return known == kTypes.end() ? type : known->second;
}

void suit_aarch64(test::Tree& tree) {
  tree.proc = Proc::Mounted;
  tree.user = 0;
  tree.is_secure = false;
  // Of a variable that stands twice qemu keeps the last.
  std::vector<std::string> environment;
  std::set<std::string> names;
  for (std::string& entry : tree.environment) {
    if (names.insert(entry.substr(0, entry.find('='))).second) environment.push_back(std::move(entry));
  }
  tree.environment = std::move(environment);
  for (TreeNode& node : tree.nodes) {
    if (node.path == kPathFile) node.path = "/etc/ld-musl-aarch64.path";
    if (node.path == "/etc/ld-musl-aarch64.path" && node.text == "ld-musl-x86_64.path") node.text = node.path;
    node.elf.machine = kEmAarch64;
    for (Relocation& relocation : node.elf.relocations) {
      const bool is_plt = relocation.table == Relocation::Table::ByType && relocation.type == kRelocJumpSlot;
      if (is_plt) relocation.table = Relocation::Table::Plt;
      relocation.type = relocation_of_aarch64(relocation.type);
    }
    node.elf.isa_needed.reset();  // x86's
  }
}

/// `LDSO --list FILE` under qemu.
LoaderAnswer list(const Sandbox& box, const test::Tree& tree) {
  RunSpec spec;
  spec.path = kQemu;
  spec.arguments = {kQemu, tree.loader, "--list", tree.file};
  spec.environment = tree.environment;
  spec.cwd = tree.cwd;
  spec.limit_cpu_ms = 20000;
  const RunResult run = box.run(spec);
  LoaderAnswer answer;
  answer.trace_end = end_of(run);
  for (const std::string_view line : split_lines(run.output)) answer.trace.push_back(without_address(line));
  for (const std::string_view line : split_lines(run.errors)) {
    // Its own report of a signal.
    if (!line.starts_with("qemu: uncaught target signal")) answer.trace_messages.emplace_back(line);
  }
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seed = 1;
  std::uint64_t count = 200;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--count") count = std::strtoull(argv[i + 1], nullptr, 10);
  }
  if (argc < 2) {
    std::fputs("usage: musl_cross_test SUITE [--seed N] [--count N]\n", stderr);
    return 2;
  }
  const fs::path cache = fs::path(glibc_cache_directory()).parent_path() / "musl-aarch64";
  const fs::path loader = cache / argv[1] / "libc.so";
  if (!fs::exists(loader) || !fs::exists(cache / "qemu-aarch64")) {
    return skip(loader.string() + " or qemu is not there; run test/support/fetch_musl_aarch64");
  }
  const Result<std::unique_ptr<Sandbox>, std::string> box = Sandbox::create();
  if (!box) return skip(box.error());
  GlibcRoot root;
  root.is_musl = true;
  root.loader_file = root.libc_file = loader.string();
  root.loader_name = "ld-musl.so";
  root.libc_name = "libc.so.6";
  std::ifstream release_file(cache / argv[1] / "release");
  std::getline(release_file, root.release);
  std::ifstream qemu_file(cache / "qemu-aarch64", std::ios::binary);
  const std::string qemu{std::istreambuf_iterator<char>(qemu_file), std::istreambuf_iterator<char>()};

  std::uint64_t differences = 0;
  std::map<std::string, std::uint64_t> ends;
  for (std::uint64_t i = 0; i < count; ++i) {
    test::Tree tree = generate_tree(seed + i, false);
    add_musl_ingredients(seed + i, tree);
    suit_aarch64(tree);
    std::vector<TreeNode> nodes = all_nodes(tree);
    nodes.push_back(text_file(kQemu, qemu));
    nodes.back().mode = 0755;
    (*box)->prepare(root, tree.layout, tree.proc, nodes);
    const LoaderAnswer ours = ask_our_musl(**box, tree, Runs::TraceAndStart);
    const LoaderAnswer real = list(**box, tree);
    ++ends[real.trace_end];
    const bool is_same =
        real.trace_end == ours.trace_end && real.trace == ours.trace && real.trace_messages == ours.trace_messages;
    if (is_same || ++differences > 3) continue;
    std::printf("DIFFERENCE, musl %s on aarch64, seed %llu:\n%s", root.release.c_str(),
                static_cast<unsigned long long>(seed + i), describe(tree).c_str());
    for (const Difference& difference : {Difference{"end", {real.trace_end}, {ours.trace_end}},
                                         Difference{"messages", real.trace_messages, ours.trace_messages},
                                         Difference{"list", real.trace, ours.trace}}) {
      if (difference.real != difference.ours) std::fputs(describe(difference).c_str(), stdout);
    }
  }
  std::printf("musl %s on aarch64, by qemu: %llu trees listed, %llu differences;", root.release.c_str(),
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(differences));
  for (const auto& [end, times] : ends) std::printf(" %s: %llu", end.c_str(), static_cast<unsigned long long>(times));
  std::putchar('\n');
  return differences == 0 ? 0 : 1;
}
