// Random GLIBC_TUNABLES, and trees that are about nothing else.
//
// What the features of the processor come to shows in the directories that are tried for a library
// that is nowhere: glibc-hwcaps since 2.33, legacy names and the platform up to 2.36.
#include "differential/tree_generator.h"
#include "support/random.h"

namespace soresolve::test {
namespace {

constexpr std::initializer_list<const char*> kFeatures = {"AVX",
                                                          "CX8",
                                                          "FMA",
                                                          "HTT",
                                                          "IBT",
                                                          "RTM",
                                                          "AVX2",
                                                          "BMI1",
                                                          "BMI2",
                                                          "CMOV",
                                                          "ERMS",
                                                          "FMA4",
                                                          "SSE2",
                                                          "I586",
                                                          "I686",
                                                          "LZCNT",
                                                          "MOVBE",
                                                          "SHSTK",
                                                          "SSSE3",
                                                          "XSAVE",
                                                          "POPCNT",
                                                          "SSE4_1",
                                                          "SSE4_2",
                                                          "XSAVEC",
                                                          "AVX512F",
                                                          "OSXSAVE",
                                                          "AVX512CD",
                                                          "AVX512BW",
                                                          "AVX512DQ",
                                                          "AVX512ER",
                                                          "AVX512PF",
                                                          "AVX512VL",
                                                          "CMPXCHG16B",
                                                          "SSE3",
                                                          "F16C",
                                                          "LAHF64_SAHF64",
                                                          "Slow_BSF",
                                                          "Prefer_ERMS",
                                                          "Prefer_No_AVX512",
                                                          "AVX_Usable",
                                                          "AVX2_Usable",
                                                          "FMA_Usable",
                                                          "AVX512F_Usable",
                                                          "AVX512DQ_Usable",
                                                          "XSAVEC_Usable",
                                                          "Fast_Rep_String",
                                                          "avx2",
                                                          "AVX 2",
                                                          "-AVX2",
                                                          "",
                                                          "x"};

std::string random_features(Random& random) {
  std::string text;
  for (std::size_t count = random.between(0, 4); count-- > 0;) {
    // Mostly taken, and mostly one that every release knows by this name.
    if (random.chance(85)) text += "-";
    text += random.chance(60) ? random.pick({"AVX2", "AVX512F", "AVX512VL", "SSE4_2", "AVX512CD", "FMA"})
                              : random.pick(kFeatures);
    if (count > 0 || random.chance(10)) text += ",";
  }
  return text;
}

std::string random_number(Random& random) {
  return random.pick({"0",
                      "1",
                      "2",
                      "3",
                      "4",
                      "6",
                      "01",
                      "0x1",
                      "0x4",
                      " 2",
                      "+1",
                      "-1",
                      "",
                      "x",
                      "1x",
                      "2 ",
                      "0x",
                      "08",
                      "4294967297",
                      "18446744073709551615",
                      "99999999999999999999"});
}

std::string random_entry(Random& random) {
  switch (random.below(12)) {
    case 0: return random.pick({"", "x", "glibc.cpu.hwcaps", "y,-AVX2", "=", "a=b=c", "-FMA"});
    case 1:
      return random.pick({"glibc.malloc.check", "glibc.rtld.nns", "no.such.name", "glibc.cpu.x86_ibt"}) +
             ("=" + random_features(random));
    case 2: return "glibc.cpu.hwcap_mask=" + random_number(random);
    case 3: return "glibc.rtld.dynamic_sort=" + random_number(random);
    case 4: return "glibc.rtld.execstack=" + random.pick({"0", "0", "1", "2", "x", "1x", "0x1", "3"});
    case 5:
      return random.pick({"glibc.cpu.hwcaps_x", "glibc.cpu.hwcap", "xglibc.cpu.hwcaps", "glibc.cpu.hwcaps "}) +
             ("=" + random_features(random));
    default: return "glibc.cpu.hwcaps=" + random_features(random);
  }
}

}  // namespace

std::string random_tunables(Random& random) {
  std::string text;
  for (std::size_t count = random.chance(60) ? 1 : random.between(0, 4); count-- > 0;) {
    text += random_entry(random);
    if (count > 0 || random.chance(8)) text += ":";
  }
  return text;
}

Tree generate_tunables_tree(std::uint64_t seed) {
  Random random(seed);
  Tree tree;
  ElfSpec spec = program().needed("libgone.so").runpath("/D");
  if (random.chance(20)) spec.stack = StackHeader::Absent;
  tree.nodes.push_back(elf_file("/app/bin/prog", spec));
  // The second of a list is tried in what is left of the first one's directories, so all are there.
  for (const char* const name : {"glibc-hwcaps/x86-64-v4", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2",
                                 "tls/haswell/x86_64", "haswell/avx512_1", "x86_64", "avx512_1/x86_64"}) {
    tree.nodes.push_back(directory("/D/" + std::string(name)));
  }
  const auto add_other = [&] {
    if (random.chance(15))
      tree.environment.push_back(random.pick({"A", "A=b", "LANG=C,-AVX2", "B=,-SSSE3,", "C=-FMA"}));
    if (random.chance(10)) tree.environment.push_back("LD_HWCAP_MASK=" + random_number(random));
  };
  for (std::size_t count = random.chance(90) ? 1 : 2; count-- > 0;) {
    add_other();
    tree.environment.push_back("GLIBC_TUNABLES=" + random_tunables(random));
  }
  add_other();
  if (random.chance(20)) tree.launch = Launch::Argument;
  if (random.chance(8)) {
    // What it comes to shows in who is found. There is no tracing to compare with it.
    tree.asks_for_secure = true;
    tree.nodes.push_back(elf_file("/E/libgone.so", library().soname("libgone.so")));
    tree.environment.push_back("LD_LIBRARY_PATH=/E");
    std::string entries = "glibc.rtld.enable_secure=" + random_number(random);
    if (random.chance(50)) entries += ":" + random_tunables(random);
    if (random.chance(20)) entries = random_tunables(random) + ":" + entries;
    // Others before it, with what the loader has to say of them, and behind it.
    const auto place = random.chance(70) ? tree.environment.end() : tree.environment.begin();
    tree.environment.insert(place, "GLIBC_TUNABLES=" + entries);
  }
  return tree;
}

}  // namespace soresolve::test
