// A library that has a copy of another one's code in it, and whose own calls end in that other one: its global symbols
// are looked up in the order of the scope (glibc elf/dl-lookup.c:_dl_lookup_symbol_x), and whoever stands before it in
// the scope and defines them wins. Two plug-ins with the same static library, in two releases of it, are the usual
// case: the second runs with the code of the first.
//
// Much that binds elsewhere is meant so, and none of it counts here: weak and unique symbols (inline functions and
// templates of C++, which every user has a copy of), what the program or a preload puts in front (malloc, an
// interposer), what a library puts in front of one that it needs (libXaw of libXt), libc, the compiler's libraries and
// what of them is linked statically, and variables (protocols of Wayland, of which both sides have the tables).
// Steps: hash values that two libraries have in common; of those the
// strong functions and variables of one name; and of these the ones to which a reference of the second is bound to the
// first, for which the process is bound once more. Where nothing is in common, which is the rule, no name is read.
// Libraries with more than 20,000 symbols are passed over.
#include <elf.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/path.h"
#include "diagnose/detectors.h"
#include "diagnose/diagnosis_input.h"
#include "diagnose/verdict.h"
#include "elf/library_name.h"
#include "symbols/gnu_hash.h"
#include "symbols/gnu_table.h"
#include "symbols/map_files.h"
#include "symbols/symbol_table.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostSymbols = 20'000;    ///< of one library
constexpr std::size_t kMostHashes = 1'000'000;  ///< of all of them
constexpr std::size_t kMostDefiners = 16;       ///< what more libraries have is no copy of one

/// Libraries whose symbols others may put themselves in front of.
bool is_of_system(const LoadedObject& object) {
  constexpr std::array<std::string_view, 11> kStems = {"libc",      "libm",     "libpthread", "libdl",
                                                       "librt",     "libgcc_s", "libutil",    "libresolv",
                                                       "libstdc++", "libanl",   "libc++"};
  const std::string_view stem = library_stem(file_name_of(object.path));
  // Of the compiler, also in the copies that wheels have under names of their own.
  constexpr std::array<std::string_view, 5> kOfCompiler = {"ld-", "libgfortran", "libquadmath", "libgomp",
                                                           "libstdc++-"};
  const auto begins_stem = [&](std::string_view start) { return stem.starts_with(start); };
  return std::any_of(kOfCompiler.begin(), kOfCompiler.end(), begins_stem) ||
         std::find(kStems.begin(), kStems.end(), stem) != kStems.end();
}

/// Functions that everybody may bind to, and of which a process is to have one. Variables alone are tables that were
/// generated into both.
bool is_strong(const DynamicSymbol& symbol) {
  return symbol.is_defined() && symbol.binding == STB_GLOBAL && symbol.visibility == STV_DEFAULT &&
         symbol.type == STT_FUNC;
}

/// Of a compiler's runtime that is linked statically, or of the link editor.
bool is_of_runtime(std::string_view symbol) {
  constexpr std::array<std::string_view, 8> kStarts = {"_ZSt",   "_ZNSt",     "_ZNKSt", "__cxa",
                                                       "__gxx_", "_gfortran", "__gcc_", "__quadmath"};
  return symbol == "_init" || symbol == "_fini" ||
         std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view start) { return symbol.starts_with(start); });
}

/// "libwayland" of libwayland-client.so.0: parts of one project share code on purpose.
std::string_view family_of(std::string_view path) {
  const std::string_view stem = library_stem(file_name_of(path));
  return stem.substr(0, stem.find_first_of("-_"));
}

class TakenOver {
 public:
  explicit TakenOver(const LinkMap& map) : map_(map) {}

  std::vector<Problem> find() {
    for (const ObjectIndex object : libraries()) read_hashes(object);
    find_suspects();
    if (!find_common()) return {};
    const Result<Bindings> bindings = bind_symbols(map_);
    if (!bindings) return {};
    bindings->for_each([&](const Bindings::Event& event) {
      if (event.binding != nullptr) take(*event.binding);
    });
    std::vector<Problem> problems;
    for (const auto& [pair, symbols] : taken_) problems.push_back(describe(pair.first, pair.second, symbols));
    return problems;
  }

 private:
  [[nodiscard]] std::vector<ObjectIndex> libraries() const {
    std::set<ObjectIndex> preloads;
    for (const Need& need : map_.main().needs) {
      if (need.kind == NeedKind::Preload) preloads.insert(need.target);
    }
    std::vector<ObjectIndex> objects;
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      const LoadedObject& object = map_.objects[i];
      const bool is_one = object.role == ObjectRole::Library && object.elf.symbol_tags.gnu_hash &&
                          !is_of_system(object) && !preloads.contains(i);
      if (is_one) objects.push_back(i);
    }
    return objects.size() < 2 ? std::vector<ObjectIndex>() : objects;
  }

  /// What is of two libraries makes both of them suspects.
  void read_hashes(ObjectIndex object) {
    const Result<ObjectFile> file = open_object_file(map_, object);
    if (!file || file->file == nullptr) return;
    TableReader reader(*file->file, *file->elf, scratch_, TableReader::Purpose::Hashes);
    GnuTable table;
    std::vector<std::uint32_t> chain;
    const std::uint64_t address = static_cast<std::uint64_t>(*file->elf->symbol_tags.gnu_hash);
    if (table.read_filter(reader, address) || table.bucket_count() > kMostSymbols) return;
    if (table.read(reader, address, chain) || chain.size() > kMostSymbols) return;
    if (hashes_.size() + chain.size() > kMostHashes) return;
    for (const std::uint32_t value : chain) hashes_.emplace_back(value | 1, object);
  }

  /// Hash values of which two libraries have one, neither of which needs the other.
  void find_suspects() {
    // Few come up twice: those are sorted.
    constexpr std::uint32_t kBits = 1u << 20;
    std::vector<bool> once(kBits);
    std::vector<bool> twice(kBits);
    for (const auto& [value, object] : hashes_) {
      const std::uint32_t bit = value / 2 % kBits;
      if (once[bit]) twice[bit] = true;
      once[bit] = true;
    }
    std::erase_if(hashes_, [&](const auto& one) { return !twice[one.first / 2 % kBits]; });
    std::sort(hashes_.begin(), hashes_.end());
    for (auto first = hashes_.begin(); first != hashes_.end();) {
      const auto end = std::find_if(first, hashes_.end(), [&](const auto& one) { return one.first != first->first; });
      std::set<ObjectIndex> objects;
      for (auto one = first; end - first > 1 && one != end; ++one) objects.insert(one->second);
      if (has_strangers(objects)) {
        common_.push_back(first->first);
        suspects_.merge(objects);
      }
      first = end;
    }
  }

  /// Are there two of which neither needs the other?
  bool has_strangers(const std::set<ObjectIndex>& objects) {
    if (objects.size() < 2 || objects.size() > kMostDefiners) return false;
    const auto [known, is_new] = strangers_.try_emplace(objects, false);
    if (is_new) known->second = are_strangers(objects);
    return known->second;
  }

  bool are_strangers(const std::set<ObjectIndex>& objects) {
    for (auto a = objects.begin(); a != objects.end(); ++a) {
      if (std::any_of(std::next(a), objects.end(), [&](ObjectIndex b) { return !are_acquainted(*a, b); })) return true;
    }
    return false;
  }

  /// Does one of them need the other, through others or not? Then its link editor has seen both.
  bool are_acquainted(ObjectIndex a, ObjectIndex b) {
    return needs_of(a)[b] || needs_of(b)[a] || family_of(map_.objects[a].path) == family_of(map_.objects[b].path);
  }

  const std::vector<bool>& needs_of(ObjectIndex object) {
    const auto [known, is_new] = needs_.try_emplace(object, map_.objects.size());
    if (!is_new) return known->second;
    std::vector<ObjectIndex> todo = {object};
    while (!todo.empty()) {
      const ObjectIndex at = todo.back();
      todo.pop_back();
      for (const Need& need : map_.objects[at].needs) {
        if (need.target == kNoObject || known->second[need.target]) continue;
        known->second[need.target] = true;
        todo.push_back(need.target);
      }
    }
    return known->second;
  }

  /// Strong symbols that more than one of the suspects define. False: there are none.
  bool find_common() {
    std::map<std::string, std::set<ObjectIndex>, std::less<>> definers;
    for (const ObjectIndex object : suspects_) {
      const Result<ObjectFile> file = open_object_file(map_, object);
      if (!file || file->file == nullptr) continue;
      const Result<SymbolTable> table = read_symbol_table(*file->file, *file->elf, file->path, is_strong);
      if (!table) continue;
      for (const DynamicSymbol& symbol : table->symbols) {
        const bool is_common =
            is_strong(symbol) && std::binary_search(common_.begin(), common_.end(), gnu_hash(symbol.name) | 1);
        if (is_common && !is_of_runtime(symbol.name)) definers[std::string(symbol.name)].insert(object);
      }
    }
    std::erase_if(definers, [&](const auto& symbol) { return !has_strangers(symbol.second); });
    definers_ = std::move(definers);
    return !definers_.empty();
  }

  void take(const SymbolBinding& binding) {
    const bool is_elsewhere = binding.is_bound() && !binding.is_repeated && !binding.is_unique && !binding.is_weak &&
                              binding.lookup_class != LookupClass::Copy && binding.provider != binding.referrer;
    if (!is_elsewhere) return;
    const auto definers = definers_.find(binding.symbol);
    if (definers == definers_.end()) return;
    if (!definers->second.contains(binding.referrer) || !definers->second.contains(binding.provider)) return;
    if (are_acquainted(binding.referrer, binding.provider)) return;
    std::vector<std::string>& symbols = taken_[{binding.referrer, binding.provider}];
    if (std::find(symbols.begin(), symbols.end(), binding.symbol) == symbols.end())
      symbols.emplace_back(binding.symbol);
  }

  [[nodiscard]] Problem describe(ObjectIndex referrer, ObjectIndex provider,
                                 const std::vector<std::string>& symbols) const {
    const std::string name(map_.objects[referrer].name());
    Problem problem =
        make_problem(map_, ProblemCode::TwoCopies, name,
                     say("own-symbols-elsewhere", {{"referrer", name},
                                                   {"provider", map_.objects[provider].name()},
                                                   {"symbols", symbols_in_short(symbols.front(), symbols.size())},
                                                   {"count", symbols.size()}}));
    problem.object = referrer;
    problem.evidence = {{.what = say("own-symbols-code", {{"provider", map_.objects[provider].name()}}),
                         .path = file_of(map_, provider)}};
    return problem;
  }

  const LinkMap& map_;
  TableScratch scratch_;
  std::vector<std::pair<std::uint32_t, ObjectIndex>> hashes_;  ///< the lowest bit of each value is set
  std::vector<std::uint32_t> common_;                          ///< of those, ascending
  std::set<ObjectIndex> suspects_;
  std::map<std::set<ObjectIndex>, bool> strangers_;
  std::map<ObjectIndex, std::vector<bool>> needs_;  ///< by object, what it needs
  std::map<std::string, std::set<ObjectIndex>, std::less<>> definers_;
  std::map<std::pair<ObjectIndex, ObjectIndex>, std::vector<std::string>> taken_;  ///< by referrer and provider
};

}  // namespace

std::vector<Problem> find_symbols_taken_over(const LinkMap& map) { return TakenOver(map).find(); }

}  // namespace soresolve
