// Each library is opened once; of most of them only the header of DT_GNU_HASH and its filter are read. Source: glibc
// elf/dl-lookup.c:do_lookup_x (the filter), check_match (what counts as a definition). At most 4,096 files are asked,
// for at most 64 symbols of one referrer.
#include "remedies/definers.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "diagnose/verdict.h"
#include "loader/load.h"
#include "loader/system.h"
#include "symbols/gnu_hash.h"
#include "symbols/gnu_table.h"
#include "symbols/offer.h"
#include "symbols/symbol_table.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostFiles = 4096;
constexpr std::size_t kMostSymbols = 64;  ///< of one referrer
constexpr std::size_t kMostTables = 64;   ///< of symbols, that are read whole
constexpr std::size_t kMostShown = 3;     ///< libraries of one problem

bool is_open(const Problem& problem) {
  const bool is_missing =
      problem.code == ProblemCode::SymbolMissing && problem.object == kNoObject && problem.referrer != kNoObject;
  return is_missing || problem.what.sentence == "left-to-host";
}

/// Python's own are defined by the interpreter, never by a library to link with.
bool is_of_python(std::string_view symbol) { return symbol.starts_with("Py") || symbol.starts_with("_Py"); }

/// What is missing without a version, and nothing nearly like it is there.
std::map<ObjectIndex, std::vector<std::string>> wanted_symbols(const Check& check) {
  std::map<ObjectIndex, std::vector<std::string>> wanted;
  for (const UnresolvedSymbol& symbol : check.symbols) {
    const bool is_known = symbol.reference.has_version || symbol.from != kNoObject || !symbol.out_of_scope.empty() ||
                          std::any_of(symbol.near_misses.begin(), symbol.near_misses.end(),
                                      [](const NearSymbol& near) { return near.how != NearSymbol::How::NotLoaded; });
    std::vector<std::string>& names = wanted[symbol.reference.referrer];
    if (!is_known && !is_of_python(symbol.reference.name) && names.size() < kMostSymbols)
      names.push_back(symbol.reference.name);
  }
  std::erase_if(wanted, [](const auto& one) { return one.second.empty(); });
  return wanted;
}

/// A library that defines some of it.
struct Definer {
  NamedFile file;
  std::string soname;
  std::vector<std::string> symbols;
};

class DefinerSearch {
 public:
  DefinerSearch(const LinkMap& map, const CandidateSearch& search) : map_(map), libraries_(search.libraries()) {
    for (const LoadedObject& object : map.objects) loaded_.emplace(object.status.id.device, object.status.id.inode);
  }

  /// Those with most symbols first.
  std::vector<Definer> find(const std::vector<std::string>& symbols) {
    std::vector<std::uint32_t> hashes;
    for (const std::string& symbol : symbols) hashes.push_back(gnu_hash(symbol));
    std::vector<Definer> found;
    std::set<std::string> known;  // of one SONAME the first: what is searched comes before copies elsewhere
    std::size_t tables = 0;
    for (std::size_t i = 0; i < std::min(libraries_.size(), kMostFiles); ++i) {
      const std::string& path = libraries_[i].path;
      const Result<OpenedObject> opened = open_object(*map_.system->files, path, path);
      if (!opened || !is_alike(*opened) || is_loaded(opened->file->status().id)) continue;
      if (!may_define(*opened, hashes) || ++tables > kMostTables) continue;
      Definer definer{libraries_[i], std::string(opened->elf.soname.value_or(file_name_of(path))), {}};
      definer.symbols = defined_in(*opened, path, symbols);
      if (!definer.symbols.empty() && known.insert(definer.soname).second) found.push_back(std::move(definer));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Definer& a, const Definer& b) { return a.symbols.size() > b.symbols.size(); });
    return found;
  }

 private:
  [[nodiscard]] bool is_loaded(const FileId& file) const { return loaded_.contains({file.device, file.inode}); }

  [[nodiscard]] bool is_alike(const OpenedObject& opened) const {
    const ElfTarget& target = map_.system->rules.target;
    return opened.elf.has_dynamic && opened.elf.target.machine == target.machine &&
           opened.elf.target.elf_class == target.elf_class;
  }

  bool may_define(const OpenedObject& opened, const std::vector<std::uint32_t>& hashes) {
    if (!opened.elf.symbol_tags.gnu_hash) return opened.elf.symbol_tags.sysv_hash.has_value();
    TableReader reader(*opened.file, opened.elf, scratch_, TableReader::Purpose::Hashes);
    GnuTable table;
    if (table.read_filter(reader, static_cast<std::uint64_t>(*opened.elf.symbol_tags.gnu_hash))) return false;
    return table.bucket_count() != 0 &&
           std::any_of(hashes.begin(), hashes.end(), [&](std::uint32_t hash) { return table.may_have(hash); });
  }

  static std::vector<std::string> defined_in(const OpenedObject& opened, const std::string& path,
                                             const std::vector<std::string>& symbols) {
    const Result<SymbolTable> table = read_symbol_table(*opened.file, opened.elf, path);
    if (!table) return {};
    std::set<std::string_view> there;
    for (const DynamicSymbol& symbol : table->symbols) {
      if (is_offered(symbol)) there.insert(symbol.name);
    }
    std::vector<std::string> defined;
    for (const std::string& symbol : symbols) {
      if (there.contains(symbol)) defined.push_back(symbol);
    }
    return defined;
  }

  const LinkMap& map_;
  std::vector<NamedFile> libraries_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> loaded_;
  TableScratch scratch_;
};

void add_evidence(const LinkMap& map, const Definer& definer, ObjectIndex referrer, Problem& problem, std::size_t at) {
  const bool is_said = std::any_of(problem.evidence.begin(), problem.evidence.end(), [&](const Evidence& evidence) {
    return evidence.what.sentence == "near-not-loaded" && evidence.path == definer.file.path;
  });
  if (is_said) return;
  problem.evidence.insert(problem.evidence.begin() + static_cast<std::ptrdiff_t>(at),
                          {.what = say("defined-by-unneeded",
                                       {{"path", definer.file.path},
                                        {"place", definer.file.place},
                                        {"symbols", symbols_in_short(definer.symbols.front(), definer.symbols.size())},
                                        {"referrer", map.objects[referrer].name()}}),
                           .path = definer.file.path});
}

}  // namespace

bool is_of_other_release(const Evidence& evidence) {
  return evidence.what.sentence == "provider-lacks" || evidence.what.sentence == "host-lacks" ||
         evidence.what.sentence == "defines-newer-only";
}

bool may_lack_need(const std::vector<Problem>& problems) {
  return std::any_of(problems.begin(), problems.end(), is_open);
}

std::vector<MissingNeed> find_missing_needs(const LinkMap& map, const CandidateSearch& search, const Check& check,
                                            std::vector<Problem>& problems) {
  std::vector<MissingNeed> needs;
  if (!may_lack_need(problems)) return needs;
  DefinerSearch definers(map, search);
  LoneSearcher searcher(map);
  for (const auto& [asked_by, symbols] : wanted_symbols(check)) {
    const ObjectIndex referrer = asked_by;  // a lambda of C++20 captures it
    const std::string path = file_of(map, referrer);
    const auto problem = std::find_if(problems.begin(), problems.end(), [&](const Problem& one) {
      const bool is_left = one.what.sentence == "left-to-host";
      return is_open(one) &&
             (is_left ? one.name == (referrer == 0 ? map.process->argv0 : path) : one.referrer == referrer);
    });
    if (problem == problems.end()) continue;
    std::vector<Definer> found = definers.find(symbols);
    const bool is_left = problem->code == ProblemCode::Note;
    if (is_left && (found.empty() || found.front().symbols.size() < symbols.size())) continue;
    std::erase_if(found, [&](const Definer& one) { return one.symbols.size() < found.front().symbols.size(); });
    if (found.empty()) continue;
    // It is another library's, whatever else the referrer asks of those that it has.
    std::erase_if(problem->evidence, is_of_other_release);
    for (std::size_t i = 0; i < std::min(found.size(), kMostShown); ++i)
      add_evidence(map, found[i], referrer, *problem, i);
    std::vector<MissingNeed> of_this;
    for (const Definer& definer : found) {
      const LoneSearch lone = searcher.search(referrer, definer.soname, PastFirst::Stop);
      of_this.push_back({referrer, definer.symbols, definer.file.path, definer.soname, is_found(lone.outcome)});
    }
    // Where several define it, which of them was meant is not known; one that is searched is likelier than one that is
    // not.
    std::stable_partition(of_this.begin(), of_this.end(),
                          [](const MissingNeed& need) { return need.is_found_by_name; });
    const bool is_sure = of_this.size() == 1 || (of_this[0].is_found_by_name && !of_this[1].is_found_by_name);
    if (is_sure) needs.push_back(std::move(of_this.front()));
  }
  return needs;
}

}  // namespace soresolve
