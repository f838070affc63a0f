// Gives the files of a tree definitions, versions and relocations that collide often. Source of the cases: glibc
// elf/dl-lookup.c, elf/dl-version.c. Cases whose result is chance are in the header's list.
#include "differential/tree_symbols.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace soresolve::test {
namespace {

/// Which ingredients one tree has, as in tree_ingredients.h.
struct Ingredients {
  bool versions = false;
  bool several_versions = false;   ///< of one symbol in one file
  bool unversioned_files = false;  ///< required versions of files that define none
  bool missing_versions = false;
  bool weak_needs = false;
  bool hidden_needs = false;
  bool plain_references = false;  ///< without the version of the definition
  bool missing_symbols = false;
  bool visibility = false;
  bool unique = false;
  bool odd_kinds = false;  ///< IFUNC, common, absolute, local, value 0
  bool tls = false;
  bool copies = false;
  bool sizes = false;
  bool canonical_plt = false;
  bool symbolic = false;
  bool eager = false;
  bool other_relocations = false;
};

Ingredients choose(Random& random) {
  Ingredients with;
  for (bool* const flag :
       {&with.several_versions, &with.unique, &with.visibility, &with.odd_kinds, &with.tls, &with.copies, &with.sizes,
        &with.canonical_plt, &with.symbolic, &with.eager, &with.weak_needs})
    *flag = random.chance(33);
  for (bool* const flag : {&with.unversioned_files, &with.missing_versions, &with.hidden_needs, &with.plain_references,
                           &with.missing_symbols, &with.other_relocations})
    *flag = random.chance(12);
  with.versions = random.chance(75);
  return with;
}

constexpr std::array kNames = {"s0", "s1", "s2", "s3", "s4", "s5"};
constexpr std::array kVersions = {"V1", "V2", "V3"};

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// A definition that a reference may be made to.
struct Target {
  std::string file;
  Symbol symbol;
};

class Grower {
 public:
  Grower(Random& random, Tree& tree) : random_(random), tree_(tree), with_(choose(random)) {}

  void grow() {
    for (TreeNode& node : tree_.nodes)
      if (node.kind == NodeKind::Elf && !node.elf.interp) add_definitions(node);
    for (TreeNode& node : tree_.nodes) {
      if (node.kind != NodeKind::Elf) continue;
      if (node.elf.interp) add_own_definitions_of_program(node.elf);
      add_references(node.elf);
      add_marks(node.elf);
    }
    if (random_.chance(12)) tree_.environment.push_back(random_.chance(50) ? "LD_DYNAMIC_WEAK=" : "LD_DYNAMIC_WEAK=1");
  }

 private:
  /// s0 and s1 are data, s5 is thread-local if anything is.
  [[nodiscard]] SymbolType type_of(const std::string& name) const {
    if (name == "s0" || name == "s1") return SymbolType::Object;
    return name == "s5" && with_.tls ? SymbolType::Tls : SymbolType::Func;
  }

  Symbol make_definition(const std::string& name) {
    Symbol symbol = defined(name);
    symbol.type = type_of(name);
    if (random_.chance(20)) symbol.binding = Binding::Weak;
    if (with_.unique && random_.chance(30)) symbol.binding = Binding::Unique;
    if (with_.visibility && random_.chance(25))
      symbol.visibility = random_.chance(80) ? Visibility::Protected : Visibility::Hidden;
    if (with_.sizes && symbol.type == SymbolType::Object) symbol.size_bytes = 4U << random_.below(3);
    if (with_.odd_kinds && random_.chance(25)) make_odd(symbol);
    return symbol;
  }

  void make_odd(Symbol& symbol) {
    if (random_.chance(15)) symbol.binding = Binding::Local;
    if (symbol.type != SymbolType::Func) return;
    switch (random_.below(5)) {
      case 0: symbol.type = SymbolType::Ifunc; break;
      case 1: symbol.type = random_.chance(50) ? SymbolType::NoType : SymbolType::Common; break;
      case 2: symbol.type = SymbolType::Section; break;
      case 3:
        symbol.place = SymbolPlace::Absolute;
        symbol.value = random_.chance(50) ? 0 : 0x1234;
        break;
      default: symbol.value = 0; break;
    }
  }

  void add_definitions(TreeNode& node) {
    ElfSpec& spec = node.elf;
    const std::string file = base_name(node.path);
    choose_hash(spec);
    const bool is_versioned = with_.versions && random_.chance(70);
    if (is_versioned) {
      const std::size_t count = random_.between(1, kVersions.size());
      spec.version_definitions = {{file}};
      for (std::size_t i = 0; i < count; ++i) {
        VersionDefinition definition{kVersions[i]};
        if (i > 0 && random_.chance(50)) definition.parents = {kVersions[i - 1]};
        spec.version_definitions.push_back(std::move(definition));
      }
    }
    const std::size_t first = random_.below(kNames.size());
    const std::size_t count = random_.below(5);
    for (std::size_t i = 0; i < count; ++i) define(spec, file, make_definition(kNames[(first + i) % kNames.size()]));
  }

  void choose_hash(ElfSpec& spec) {
    const std::size_t roll = random_.below(20);
    spec.hash = roll < 10   ? HashTables::Gnu
                : roll < 14 ? HashTables::Both
                : roll < 19 ? HashTables::Sysv
                            : HashTables::None;
  }

  /// Adds the symbol in one or more of the versions of the file.
  void define(ElfSpec& spec, const std::string& file, Symbol symbol) {
    std::vector<Symbol> all;
    const std::size_t versions = spec.version_definitions.size();
    if (versions > 1 && random_.chance(85)) {
      const std::size_t last = random_.between(1, versions - 1);
      symbol.version = spec.version_definitions[last].name;
      symbol.is_hidden_version = random_.chance(5);
      all.push_back(symbol);
      for (std::size_t i = 1; with_.several_versions && i < last; ++i) {
        if (!random_.chance(60)) continue;
        Symbol older = symbol;
        older.version = spec.version_definitions[i].name;
        older.is_hidden_version = random_.chance(95);
        if (with_.sizes && older.type == SymbolType::Object) older.size_bytes = 4U << random_.below(3);
        all.insert(random_.chance(50) ? all.begin() : all.end(), older);
      }
    }
    if (all.empty() || (with_.several_versions && random_.chance(10))) {
      symbol.version.clear();
      symbol.is_hidden_version = false;
      all.insert(random_.chance(50) ? all.begin() : all.end(), symbol);
    }
    for (Symbol& each : all) {
      targets_.push_back({file, each});
      spec.define(std::move(each));
    }
  }

  /// What a program defines itself: rarely anything but copies.
  void add_own_definitions_of_program(ElfSpec& spec) {
    choose_hash(spec);
    if (random_.chance(30)) spec.define(make_definition(random_.pick({"s2", "s3", "s4"})));
    if (with_.canonical_plt) {
      Symbol symbol = undefined(random_.pick({"s2", "s3", "s4"}));
      symbol.value = 0x40;
      if (!has(spec, symbol)) spec.define(std::move(symbol));
    }
  }

  static bool has(const ElfSpec& spec, const Symbol& symbol) {
    return std::any_of(spec.symbols.begin(), spec.symbols.end(),
                       [&](const Symbol& other) { return key_of(other) == key_of(symbol); });
  }

  std::uint32_t choose_relocation(const ElfSpec& spec, SymbolType type) {
    if (type == SymbolType::Tls) return random_.chance(50) ? kRelocTpOff64 : kRelocDtpMod64;
    if (type == SymbolType::Object && spec.interp && with_.copies && random_.chance(50)) return kRelocCopy;
    if (type != SymbolType::Object && random_.chance(50)) return kRelocJumpSlot;
    return random_.chance(80) ? kRelocGlobDat : kReloc64;
  }

  void add_references(ElfSpec& spec) {
    for (const Symbol& own : std::vector<Symbol>(spec.symbols))
      if (random_.chance(25)) relocate(spec, own);
    const std::size_t count = random_.below(6);
    for (std::size_t i = 0; i < count && !targets_.empty(); ++i) {
      Target target = random_.pick(targets_);
      Symbol symbol = undefined(target.symbol.name, target.symbol.version);
      symbol.type = type_of(symbol.name);
      if (with_.missing_symbols && random_.chance(20)) {
        symbol.name = random_.pick({"gone", "s2", "s3"});
        symbol.type = type_of(symbol.name);
      }
      if (with_.missing_versions && random_.chance(30)) symbol.version = random_.pick({"V1", "V3", "V4"});
      if (with_.plain_references && random_.chance(40)) symbol.version.clear();
      if (with_.unversioned_files && random_.chance(30) && symbol.version.empty()) symbol.version = "V1";
      if (random_.chance(15)) symbol.binding = Binding::Weak;
      if (random_.chance(90)) need(spec, target.file);
      if (!symbol.version.empty()) require(spec, symbol, target.file);
      relocate(spec, std::move(symbol));
    }
  }

  void relocate(ElfSpec& spec, Symbol symbol) {
    const std::uint32_t type = choose_relocation(spec, type_of(symbol.name));
    if (type == kRelocCopy) {
      symbol.place = SymbolPlace::Inside;
      if (with_.sizes) symbol.size_bytes = 4U << random_.below(3);
    }
    const bool can_be_hidden = symbol.place == SymbolPlace::Undefined && symbol.type != SymbolType::Tls;
    if (with_.visibility && can_be_hidden && random_.chance(4)) symbol.visibility = Visibility::Hidden;
    Relocation relocation;
    relocation.type = type;
    relocation.symbol = key_of(symbol);
    if (type == kRelocJumpSlot && random_.chance(5)) relocation.table = Relocation::Table::Rela;
    if (!has(spec, symbol)) {
      spec.define(std::move(symbol));
    } else if (type == kRelocCopy) {
      return;
    }
    const bool comes_first = random_.chance(30);
    spec.relocations.insert(comes_first ? spec.relocations.begin() : spec.relocations.end(), std::move(relocation));
  }

  void need(ElfSpec& spec, const std::string& file) {
    const DynamicString entry{StringTag::Needed, file};
    if (std::find(spec.strings.begin(), spec.strings.end(), entry) == spec.strings.end()) spec.strings.push_back(entry);
  }

  /// Adds the version of `symbol` to what the file requires of `file`.
  void require(ElfSpec& spec, Symbol& symbol, const std::string& file) {
    symbol.version_file = file;
    const auto need = std::find_if(spec.version_needs.begin(), spec.version_needs.end(),
                                   [&](const VersionNeeds& each) { return each.file == file; });
    VersionNeeds& needs =
        need != spec.version_needs.end() ? *need : spec.version_needs.emplace_back(VersionNeeds{file, {}});
    for (const VersionNeeds::Version& version : needs.versions)
      if (version.name == symbol.version) return;
    VersionNeeds::Version version{symbol.version};
    version.weak = with_.weak_needs && random_.chance(40);
    version.hidden = with_.hidden_needs && random_.chance(30);
    needs.versions.push_back(std::move(version));
  }

  void add_marks(ElfSpec& spec) {
    if (with_.symbolic && random_.chance(30)) {
      if (random_.chance(50))
        spec.symbolic = true;
      else
        spec.flags = 2;  // DF_SYMBOLIC
    }
    if (with_.eager && random_.chance(40)) {
      switch (random_.below(3)) {
        case 0: spec.bind_now = true; break;
        case 1: spec.flags = spec.flags.value_or(0) | 8; break;  // DF_BIND_NOW
        default: spec.flags_1 = spec.flags_1.value_or(0) | kDf1Now; break;
      }
    }
    if (!with_.other_relocations || !random_.chance(50)) return;
    spec.relocations.push_back({random_.chance(50) ? kRelocRelative : kRelocNone, ""});
    if (random_.chance(30)) spec.relr_words = random_.between(1, 3);
    if (random_.chance(15))
      spec.relocations.push_back({99, "", random_.chance(50) ? Relocation::Table::Plt : Relocation::Table::Rela});
  }

  Random& random_;
  Tree& tree_;
  Ingredients with_;
  std::vector<Target> targets_;
};

}  // namespace

Tree make_plain_tree(Random& random) {
  Tree tree;
  const std::size_t count = random.between(2, 8);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("lib" + std::string(1, static_cast<char>('a' + i)) + ".so");
  const bool has_filters = random.chance(20);
  const bool has_libc = random.chance(12);
  const auto add_needs = [&](ElfSpec& spec, std::size_t needs) {
    for (std::size_t i = 0; i < needs; ++i) {
      const bool is_filter = has_filters && random.chance(spec.interp ? 8 : 25);
      const StringTag tag = !is_filter          ? StringTag::Needed
                            : random.chance(50) ? StringTag::Filter
                                                : StringTag::Auxiliary;
      spec.add(tag, random.pick(names));
    }
    if (has_libc && random.chance(20)) spec.needed("libc.so.6");
  };
  ElfSpec exe = program();
  if (random.chance(30)) {
    exe.type = kEtExec;
    exe.flags_1.reset();
  }
  add_needs(exe, random.between(1, 4));
  tree.nodes.push_back(elf_file(tree.file, exe));
  for (const std::string& name : names) {
    ElfSpec spec = library();
    if (random.chance(70)) spec.soname(name);
    add_needs(spec, random.below(4) < 2 ? 0 : random.between(1, 2));
    tree.nodes.push_back(elf_file("/d1/" + name, spec));
  }
  tree.environment.push_back("LD_LIBRARY_PATH=/d1");
  if (random.chance(20))
    tree.environment.push_back("GLIBC_TUNABLES=glibc.rtld.dynamic_sort=" + random.pick({"1", "2"}));
  if (random.chance(30)) tree.environment.push_back("LD_PRELOAD=" + random.pick(names));
  return tree;
}

void add_symbols(Random& random, Tree& tree) { Grower(random, tree).grow(); }

}  // namespace soresolve::test
