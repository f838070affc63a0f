// The rules, each from what it needs to know to a proposal. Sources: glibc elf/dl-lookup.c (the scope of a process),
// elf/dl-load.c:_dl_map_object (a SONAME that is loaded already); OpenJDK java.base/unix/native/libjli/java_md.c
// (LoadJavaVM); zsh Src/module.c and Apache mod_so.c for modules that use other modules.
#include "world/whose_process.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/byte_search.h"
#include "base/path.h"
#include "cuda/driver_mount.h"
#include "diagnose/hosts.h"
#include "loader/load.h"
#include "soresolve/symbols.h"
#include "symbols/gnu_hash.h"
#include "symbols/offer.h"
#include "symbols/symbol_table.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostLiteralFiles = 12;           ///< whose constants are looked through
constexpr std::uint64_t kMostConstantBytes = 32 << 20;  ///< of one of them
constexpr std::size_t kLongestConstant = 64;
constexpr std::size_t kMostSymbolsRead = 4 << 20;         ///< of all tables that are read whole
constexpr std::size_t kMostNeeders = 256;                 ///< libraries, directly or through others
constexpr std::size_t kMostChain = 4;                     ///< from a program to the file
constexpr std::size_t kMostCompanions = 6;                ///< libraries beside the file that are opened before it
constexpr std::size_t kMostCompanionDepth = 4;            ///< of those that need others
constexpr std::size_t kMostPartial = 3;                   ///< programs that define some of the symbols
constexpr std::size_t kMostNames = std::size_t{1} << 16;  ///< of needs, in all files together

using NearFiles = std::vector<std::shared_ptr<const NearFile>>;

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// How many of some symbols an object defines.
class Definitions {
 public:
  explicit Definitions(const std::vector<std::string>& symbols) : symbols_(symbols) {
    for (const std::string& symbol : symbols_) hashes_.push_back(gnu_hash(symbol));
  }

  /// Is it worth a look, by the hash values of an object that are known?
  [[nodiscard]] bool may_be_in(const HashValues& defined, bool wants_all) const {
    const auto is_there = [&](std::uint32_t hash) { return defined.has(hash); };
    return wants_all ? std::all_of(hashes_.begin(), hashes_.end(), is_there)
                     : std::any_of(hashes_.begin(), hashes_.end(), is_there);
  }

  std::set<std::string_view> in(const OpenedObject& object, std::string_view path) {
    if (symbols_read_ > kMostSymbolsRead) return {};
    const Result<SymbolTable> table = read_symbol_table(*object.file, object.elf, path);
    if (!table) return {};
    symbols_read_ += table->symbols.size();
    std::set<std::string_view> wanted(symbols_.begin(), symbols_.end());
    std::set<std::string_view> defined;
    for (const DynamicSymbol& symbol : table->symbols) {
      if (!is_offered(symbol)) continue;
      if (const auto found = wanted.find(symbol.name); found != wanted.end()) defined.insert(*found);
    }
    return defined;
  }

 private:
  const std::vector<std::string>& symbols_;
  std::vector<std::uint32_t> hashes_;
  std::size_t symbols_read_ = 0;
};

class ProcessSearch {
 public:
  ProcessSearch(Neighbourhood& near, const Environment& environment, const Surroundings& around, const LoneFile& file,
                const JudgeIn& judge)
      : near_(near), files_(near.files()), environment_(environment), around_(around), file_(file), judge_(judge),
        definitions_(file.lacks.symbols), best_rank_(file.lacks.libraries.size(), file.lacks.count()) {}

  /// Among the programs alone, and only a process in which nothing is lacking.
  std::optional<AssumedProgram> run_exporter() { return look_at_programs() ? best_ : std::nullopt; }

  std::optional<AssumedProgram> run() {
    const bool is_found = look_at_programs() || look_for_needers(file_.soname, ProcessRule::Reached) ||
                          look_for_siblings() || look_for_companions() || look_for_host();
    if (!is_found && best_) {
      // It has its library there, and leaves symbols to what is opened beside it.
      AssumedProgram process = *best_;
      if (complete(process, file_.path, 0)) best_ = std::move(process);
    }
    if (!best_) look_for_other_release();
    return best_ ? best_ : other_release_of_host_;
  }

 private:
  /// A program of which some symbols are.
  struct Partial {
    std::string path;
    std::size_t count = 0;
  };
  /// A file that needs what is looked for, and through which others.
  struct Needer {
    std::string path;
    std::vector<std::string> chain;  ///< sonames, from what it needs itself to what is looked for
  };

  /// Tries a process. True: the file lacks nothing there.
  bool try_process(AssumedProgram process) {
    if (++trials_ > kMostProcessTrials) return false;
    const Lacks lacks = judge_(process, file_.path);
    if (lacks.is_nothing()) {
      best_ = std::move(process);
      return true;
    }
    // Libraries count first: while one is missing, what it would define is unknown.
    const std::size_t missing = file_.lacks.libraries.size();
    const bool is_sure = process.rule != ProcessRule::Exporter && (missing == 0 || lacks.libraries.size() < missing);
    const std::pair<std::size_t, std::size_t> rank(lacks.libraries.size(), lacks.count());
    if (is_sure && lacks.is_started && rank < best_rank_) {
      best_rank_ = rank;
      best_ = std::move(process);
    }
    return false;
  }

  static AssumedProgram process_of(ProcessRule rule, std::string program, Statement what) {
    AssumedProgram process;
    process.path = std::move(program);
    process.rule = rule;
    process.reason = std::move(what);
    return process;
  }

  [[nodiscard]] std::optional<OpenedObject> open(const std::string& path) const {
    Result<OpenedObject> opened = open_object(files_, path, path);
    if (!opened || !opened->elf.has_dynamic) return std::nullopt;
    if (!is_alike(opened->elf.target)) return std::nullopt;
    return std::move(opened).value();
  }

  /// Which of the symbols the file defines; with `wants_all` none of them unless it may define all.
  [[nodiscard]] std::set<std::string_view> defined_in(Definitions& definitions, const std::string& path,
                                                      bool wants_all) const {
    const std::shared_ptr<const HashValues> values = near_.defined_in(path);
    if (values && !definitions.may_be_in(*values, wants_all)) return {};
    const std::optional<OpenedObject> opened = open(path);
    return opened ? definitions.in(*opened, path) : std::set<std::string_view>();
  }

  /// What the file says of itself; nullptr: it is for another machine, or beyond the limits.
  std::shared_ptr<const NearFile> facts_of(const std::string& path) {
    std::shared_ptr<const NearFile> facts = near_.file(path);
    if (!facts || !is_alike(facts->target) || names_kept_ > kMostNames) return nullptr;
    names_kept_ += facts->needs.size();
    return facts;
  }
  [[nodiscard]] bool is_alike(const ElfTarget& target) const {
    return target.machine == file_.target.machine && target.elf_class == file_.target.elf_class;
  }

  /// Each program once: does it need the file, or define what the file leaves open?
  bool look_at_programs() {
    const std::vector<std::string>& symbols = file_.lacks.symbols;
    const bool may_export = file_.lacks.libraries.empty() && file_.lacks.others == 0 && !symbols.empty();
    const std::size_t count = std::min(around_.programs.size(), kMostProgramsRead);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& path = around_.programs[i]->entry->path;
      std::shared_ptr<const NearFile> program = facts_of(path);
      if (!program || !program->has_interp) continue;
      programs_.push_back(std::move(program));
      if (i < around_.related_programs) related_ = programs_.size();
      if (has(programs_.back()->needs, file_.soname)) {
        if (try_process(process_of(ProcessRule::Reached, path, say("process-needs", {{"library", file_.soname}})))) {
          return true;
        }
        continue;
      }
      if (!may_export) continue;
      const std::size_t defined = defined_in(definitions_, path, i >= around_.related_programs).size();
      if (defined == symbols.size()) {
        if (try_process(process_of(ProcessRule::Exporter, path, exports(defined)))) return true;
      }
      if (defined != 0) partial_.push_back({path, defined});
    }
    return false;
  }

  static Statement exports(std::size_t count) {
    return count == 1 ? say("process-exports-one") : say("process-exports", {{"count", count}});
  }

  /// Indices of the files that need a name, ascending. It borrows the names: no file is added later.
  using ByNeed = std::unordered_map<std::string_view, std::vector<std::size_t>>;
  static ByNeed by_need(const NearFiles& files) {
    ByNeed index;
    for (std::size_t i = 0; i < files.size(); ++i) {
      for (const std::string& need : files[i]->needs) {
        std::vector<std::size_t>& all = index[need];
        if (all.empty() || all.back() != i) all.push_back(i);
      }
    }
    return index;
  }
  static const std::vector<std::size_t>& that_need(const ByNeed& index, std::string_view name) {
    static const std::vector<std::size_t> kNone;
    const auto found = index.find(name);
    return found == index.end() ? kNone : found->second;
  }

  /// Who needs a library of this name, through others or not: programs and modules of Python, shortest way first.
  std::vector<Needer> needers_of(const std::string& soname) {
    if (programs_by_need_.empty()) programs_by_need_ = by_need(programs_);
    std::vector<Needer> found;
    std::map<std::string, std::vector<std::string>, std::less<>> chains = {{soname, {soname}}};
    std::deque<std::string> open = {soname};
    std::size_t looked_at = 0;
    while (!open.empty()) {
      const std::string name = std::move(open.front());
      open.pop_front();
      const std::vector<std::string> chain = chains.at(name);
      for (const std::size_t i : that_need(programs_by_need_, name)) found.push_back({programs_[i]->path, chain});
      for (const std::shared_ptr<const NearFile>& near : around_.files->that_need(near_, name)) {
        const NearFile& library = *near;
        if (library.path == around_.path || !is_alike(library.target) || chains.contains(library.soname)) continue;
        if (++looked_at > kMostNeeders) return found;
        if (is_module(library.path)) {
          found.push_back({library.path, chain});
        } else if (chain.size() < kMostChain) {
          std::vector<std::string> longer = {library.soname};
          longer.insert(longer.end(), chain.begin(), chain.end());
          chains.emplace(library.soname, std::move(longer));
          open.push_back(library.soname);
        }
      }
    }
    return found;
  }

  [[nodiscard]] bool is_module(const std::string& path) const {
    if (!python_tag(file_name_of(path)).implementation.empty()) return true;
    return path.find("-packages/") != std::string::npos && is_python_module(files_, path);
  }

  /// "it needs liba.so.1, which needs libb.so.2": the way from a needer.
  static Statement needs(const std::vector<std::string>& chain) {
    if (chain.size() == 1) return say("process-needs", {{"library", chain.front()}});
    return say("process-needs-through", {{"library", chain.back()}, {"first", chain.front()}});
  }

  std::optional<AssumedProgram> process_with(const Needer& needer, ProcessRule rule) {
    if (!is_module(needer.path)) return process_of(rule, needer.path, needs(needer.chain));
    std::optional<AssumedProgram> python = find_python(files_, environment_, needer.path, file_.python);
    if (!python) return std::nullopt;
    python->rule = rule;
    python->reason = say("process-module-needs", {{"module", needer.path}, {"library", needer.chain.back()}});
    python->loaded.push_back({.file = needer.path, .skips_loaded = true});
    return python;
  }

  bool look_for_needers(const std::string& soname, ProcessRule rule) {
    for (const Needer& needer : needers_of(soname)) {
      // Of the file itself the programs have been asked.
      if (rule == ProcessRule::Reached && needer.chain.size() == 1 && !is_module(needer.path)) continue;
      std::optional<AssumedProgram> process = process_with(needer, rule);
      if (process && try_process(std::move(*process))) return true;
      if (trials_ > kMostProcessTrials) return false;
    }
    return false;
  }

  bool look_for_siblings() {
    for (const std::string& missing : file_.lacks.libraries) {
      if (missing.find('/') != std::string::npos) continue;
      const std::string* const place = around_.files->library_of_name(missing);
      // A library of another tree (a CUDA runtime, say) says nothing about who opens the file.
      if (place == nullptr || *place == around_.path) continue;
      if (look_for_needers(missing, ProcessRule::Sibling) || look_for_constant(missing, *place)) return true;
      if (look_into_processes(missing)) return true;
    }
    return false;
  }

  /// Programs of a like name may have it by way of libraries that lie elsewhere.
  bool look_into_processes(const std::string& missing) {
    const std::size_t count = std::min({programs_.size(), around_.related_programs, 2 * kMostPartial});
    for (std::size_t i = 0; i < count; ++i) {
      const Statement what = say("process-has", {{"library", missing}});
      if (try_process(process_of(ProcessRule::Sibling, programs_[i]->path, what))) return true;
    }
    return false;
  }

  /// Where a file has a library's name among its constants.
  struct NamedAt {
    std::string path;
    std::uint64_t offset = 0;
  };
  std::optional<NamedAt> find_constant(const std::string& path, std::string_view name) {
    if (literal_files_ == kMostLiteralFiles || !scanned_.insert(path).second) return std::nullopt;
    const std::optional<OpenedObject> opened = open(path);
    if (!opened) return std::nullopt;
    ++literal_files_;
    std::optional<NamedAt> found;
    for (const char before : {'/', '\0'}) {
      std::string constant = before + std::string(name);
      constant.push_back('\0');
      if (found || constant.size() > kLongestConstant) continue;
      for_each_place(*opened->file, constant, 0, kMostConstantBytes, [&](std::uint64_t offset, std::string_view) {
        found = NamedAt{path, offset + 1};
        return false;
      });
    }
    return found;
  }

  /// A program that opens the missing library: it, or a library of the tree that it needs, has its name.
  bool look_for_constant(const std::string& missing, const std::string& place) {
    scanned_.clear();
    literal_files_ = 0;
    for (std::size_t i = 0; i < related_; ++i) {
      const NearFile& program = *programs_[i];
      std::optional<NamedAt> named = find_constant(program.path, missing);
      for (const std::string& need : program.needs) {
        if (named) break;
        const std::string* const library = around_.files->library_of_name(need);
        if (library != nullptr && *library != around_.path) named = find_constant(*library, missing);
      }
      if (!named) continue;
      AssumedProgram process =
          process_of(ProcessRule::Sibling, program.path, say("process-opens", {{"library", missing}}));
      process.evidence = {
          say("process-names", {{"path", named->path}, {"library", missing}, {"offset", named->offset}}),
          say("process-lies-at", {{"library", missing}, {"path", place}})};
      process.loaded.push_back({.file = place, .mode = {.scope = OpenScope::Global}, .skips_loaded = true});
      if (try_process(std::move(process))) return true;
    }
    return false;
  }

  /// Programs that define some of it, with libraries beside the file that define the rest; and those of the file's own
  /// tree with what they need.
  bool look_for_companions() {
    if (!file_.lacks.libraries.empty() || file_.lacks.others != 0 || file_.lacks.symbols.empty()) return false;
    std::stable_sort(partial_.begin(), partial_.end(),
                     [](const Partial& a, const Partial& b) { return a.count > b.count; });
    std::vector<std::string> candidates;
    for (std::size_t i = 0; i < partial_.size() && i < kMostPartial; ++i) candidates.push_back(partial_[i].path);
    for (std::size_t i = 0; i < programs_.size() && i < around_.related_programs && i < 2 * kMostPartial; ++i) {
      if (!has(candidates, programs_[i]->path)) candidates.push_back(programs_[i]->path);
    }
    for (const std::string& program : candidates) {
      AssumedProgram process = process_of(ProcessRule::Exporter, program, exports(file_.lacks.symbols.size()));
      if (complete(process, file_.path, 0)) {
        best_ = std::move(process);
        return true;
      }
    }
    return false;
  }

  /// A program of the file's own tree that defines most of the symbols, and neither it nor what lies beside the file
  /// the rest: that is whose process it is, in a release that it was not built for.
  void look_for_other_release() {
    const std::size_t wanted = file_.lacks.symbols.size();
    for (std::size_t i = 0; i < partial_.size() && i < kMostPartial; ++i) {
      const Partial& partial = partial_[i];
      const bool is_most = partial.count >= 2 && 3 * partial.count >= 2 * wanted;
      if (!is_most) continue;
      AssumedProgram process = process_of(ProcessRule::Exporter, partial.path,
                                          say("process-exports-most", {{"count", partial.count}, {"total", wanted}}));
      const Lacks lacks = judge_(process, file_.path);
      const bool is_it = lacks.is_started && lacks.libraries.empty() && lacks.others == 0 &&
                         lacks.symbols.size() == wanted - partial.count;
      if (!is_it) continue;
      best_ = std::move(process);
      return;
    }
  }

  /// The host that the symbols are of by their names: its programs need not lie in the tree of the file. Where each of
  /// them that is here lacks some of its own symbols, the file was built for another release of it.
  bool look_for_host() {
    const std::vector<std::string>& symbols = file_.lacks.symbols;
    if (!file_.lacks.libraries.empty() || file_.lacks.others != 0 || symbols.empty()) return false;
    const HostRow* const host = host_of_symbols(symbols);
    // Python's interpreter is that of an environment, which python/interpreter.h finds for its modules.
    if (host == nullptr || host == host_of({}, "python3")) return false;
    std::size_t fewest = symbols.size();
    for (const std::string& path : programs_in_path(files_, environment_, programs_of(*host))) {
      AssumedProgram process = process_of(ProcessRule::Exporter, path, exports(symbols.size()));
      if (++trials_ > kMostProcessTrials) return false;
      const Lacks lacks = judge_(process, file_.path);
      if (lacks.is_nothing()) {
        best_ = std::move(process);
        return true;
      }
      const std::size_t left = lacks.symbols.size();
      const bool are_its = std::all_of(lacks.symbols.begin(), lacks.symbols.end(),
                                       [&](const std::string& symbol) { return is_symbol_of(*host, symbol); });
      if (!lacks.is_started || !lacks.libraries.empty() || lacks.others != 0 || !are_its || left >= fewest) continue;
      fewest = left;
      process.reason = say("process-exports-most", {{"count", symbols.size() - left}, {"total", symbols.size()}});
      other_release_of_host_ = std::move(process);
    }
    return false;
  }

  /// Adds to the process what `path` needs to have been opened before it; false: something stays open.
  bool complete(AssumedProgram& process, const std::string& path, std::size_t depth) {
    for (std::size_t round = 0; round < kMostCompanions; ++round) {
      if (++trials_ > kMostProcessTrials) return false;
      const Lacks lacks = judge_(process, path);
      if (lacks.is_nothing()) return true;
      if (!lacks.is_started || !lacks.libraries.empty() || lacks.others != 0) return false;
      if (process.loaded.size() == kMostCompanions || depth == kMostCompanionDepth) return false;
      const std::optional<std::string> companion = companion_for(process, path, lacks.symbols);
      if (!companion || !complete(process, *companion, depth + 1)) return false;
      process.loaded.push_back({.file = *companion, .mode = {.scope = OpenScope::Global}, .skips_loaded = true});
    }
    return false;
  }

  /// A library in the directory of the file, or below, that defines one of the symbols, and is not yet in the process.
  std::optional<std::string> companion_for(AssumedProgram& process, const std::string& path,
                                           const std::vector<std::string>& symbols) {
    Definitions definitions(symbols);
    const std::string_view directory = directory_of(around_.path);
    for (const Neighbourhood::Entry* entry : around_.files->libraries) {
      const std::string& library = entry->path;
      if (library == around_.path || library == path || !directory_of(library).starts_with(directory)) continue;
      const bool is_there = std::any_of(process.loaded.begin(), process.loaded.end(),
                                        [&](const OpenRequest& loaded) { return loaded.file == library; });
      if (is_there) continue;
      const std::set<std::string_view> defined = defined_in(definitions, library, /*wants_all=*/false);
      if (defined.empty()) continue;
      process.evidence.push_back(
          say("process-companion", {{"library", library}, {"symbol", *defined.begin()}, {"file", path}}));
      return library;
    }
    return std::nullopt;
  }

  Neighbourhood& near_;
  const FileSystem& files_;
  const Environment& environment_;
  const Surroundings& around_;
  const LoneFile& file_;
  const JudgeIn& judge_;
  Definitions definitions_;
  std::pair<std::size_t, std::size_t> best_rank_;  ///< libraries that are missing, and all that is
  std::optional<AssumedProgram> best_;
  std::optional<AssumedProgram> other_release_of_host_;
  NearFiles programs_;
  std::size_t related_ = 0;  ///< of programs_, the first
  ByNeed programs_by_need_;
  std::vector<Partial> partial_;
  std::set<std::string> scanned_;
  std::size_t literal_files_ = 0;
  std::size_t names_kept_ = 0;
  std::size_t trials_ = 0;
};

}  // namespace

std::optional<AssumedProgram> try_exporter(Neighbourhood& near, const Environment& environment,
                                           const std::string& program, const LoneFile& file, const JudgeIn& judge) {
  Neighbourhood::Entry entry;
  entry.path = program;
  Surroundings only;
  only.path = file.path;
  only.files = std::make_shared<FilesAround>();
  only.files->programs.push_back({.entry = &entry});
  only.programs = {&only.files->programs.front()};
  only.related_programs = 1;
  return ProcessSearch(near, environment, only, file, judge).run_exporter();
}

std::optional<AssumedProgram> find_process(Neighbourhood& near, const Environment& environment,
                                           const Surroundings& around, const LoneFile& file, const JudgeIn& judge) {
  return ProcessSearch(near, environment, around, file, judge).run();
}

}  // namespace soresolve
