// By bindings: the processes that have the library are walked and bound once more, with what is opened later opened as
// well, and each reference is counted for the file that its definition lies in. A process says what it binds, so the
// answer is the union of what all processes of a file bind.
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/parallel.h"
#include "base/path.h"
#include "loader/system.h"
#include "survey/judge.h"
#include "survey/who.h"
#include "symbols/cxx_names.h"

namespace soresolve {
namespace {

/// The files of a survey by what a link map says of them.
class SurveyedIds {
 public:
  SurveyedIds(const Survey& survey, const FileSystem& files) : files_(files) {
    const std::size_t count = survey.files.size() + survey.outside.size();
    for (SurveyIndex i = 0; i < count; ++i) {
      const std::string& path = survey.path_of(i);
      by_path_.emplace(path, i);
      const Result<FileStatus, Errno> status = files.status(path);
      if (!status) continue;
      // Hard links are one file with several paths: then the path decides.
      const auto [at, is_new] = by_id_.try_emplace({status->id.device, status->id.inode}, i);
      if (!is_new) at->second = kNoFile;
    }
  }

  [[nodiscard]] SurveyIndex find(const FileId& id, const std::string& path) const {
    if (id != FileId{}) {
      const auto at = by_id_.find({id.device, id.inode});
      if (at != by_id_.end() && at->second != kNoFile) return at->second;
    }
    const Result<std::string, Errno> real = files_.real_path(path);
    const auto at = by_path_.find(real ? *real : path);
    return at == by_path_.end() ? SurveyIndex{kNoFile} : at->second;
  }

 private:
  const FileSystem& files_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, SurveyIndex> by_id_;
  std::unordered_map<std::string, SurveyIndex> by_path_;
};

/// By object of the map.
std::vector<SurveyIndex> indices_of(const LinkMap& map, const SurveyedIds& ids) {
  std::vector<SurveyIndex> indices;
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const LoadedObject& object = map.objects[i];
    const bool is_loader = object.role == ObjectRole::Loader;
    std::string path = is_loader ? map.system->loader_path : i == 0 ? map.main_path : std::string(object.path);
    const bool is_file = object.role != ObjectRole::Vdso && object.role != ObjectRole::Placeholder && !path.empty();
    indices.push_back(is_file ? ids.find(is_loader ? FileId{} : object.status.id, path) : SurveyIndex{kNoFile});
  }
  return indices;
}

std::string text_of(const SymbolBinding& binding) {
  std::string text(binding.symbol);
  if (binding.has_version) text += "@" + std::string(binding.version);
  return text;
}

/// Asks every process of a list what it binds.
class BindingReader {
 public:
  BindingReader(const Survey& survey, const WorldSettings& settings, const SurveyOptions& options)
      : survey_(survey), options_(options) {
    WorldSettings shared = settings;
    if (!shared.store) shared.store = make_object_store();
    if (!shared.where.known) shared.where.known = make_known_tree();
    for (unsigned i = 0; i < std::max(1u, options.jobs); ++i) worlds_.emplace_back(shared);
  }

  std::optional<Error> prepare() {
    const Result<std::shared_ptr<const FileSystem>> files = worlds_.front().files();
    if (!files) return files.error();
    files_ = *files;
    ids_ = std::make_unique<SurveyedIds>(survey_, *files_);
    return std::nullopt;
  }

  [[nodiscard]] unsigned jobs() const { return static_cast<unsigned>(worlds_.size()); }
  [[nodiscard]] World& first_world() { return worlds_.front(); }

  /// Calls visit(thread, root, files, binding) for each reference that is bound, or that should be; `files`: by object.
  /// False: it was stopped.
  template <class Visit>
  bool for_each(const std::vector<SurveyIndex>& roots, Visit visit) {
    std::size_t done = 0;
    std::atomic<std::size_t> count = 0;
    for_each_index(roots.size(), jobs(), [&](unsigned thread, std::size_t i) {
      if (is_stopped()) return;
      read(thread, roots[i], visit);
      ++count;
    });
    done = count;
    return done == roots.size();
  }

 private:
  [[nodiscard]] bool is_stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  template <class Visit>
  void read(unsigned thread, SurveyIndex root, Visit& visit) {
    const Result<Resolution> run = worlds_[thread].resolve(survey_.files[root].path);
    if (!run) return;
    const std::optional<LinkMap> later = with_later(run->map(), run->dlopens(options_.dlopens));
    const LinkMap& map = later ? *later : run->map();
    const Result<Bindings> bindings = bind_symbols(map);
    if (!bindings) return;
    const std::vector<SurveyIndex> files = indices_of(map, *ids_);
    bindings->for_each([&](const Bindings::Event& event) {
      if (event.binding != nullptr && !event.binding->is_loaders_own && !event.binding->is_repeated) {
        visit(thread, root, files, *event.binding);
      }
    });
  }

  const Survey& survey_;
  const SurveyOptions& options_;
  std::vector<World> worlds_;
  std::shared_ptr<const FileSystem> files_;
  std::unique_ptr<SurveyedIds> ids_;
};

/// Texts, each once. Most are met in every process again, so their hash values are compared first.
class SymbolSet {
 public:
  void add(const SymbolBinding& binding) {
    const std::uint64_t hash = std::hash<std::string_view>()(binding.symbol) * 31 +
                               (binding.has_version ? std::hash<std::string_view>()(binding.version) + 1 : 0);
    if (known_.insert(hash).second) texts_.push_back(text_of(binding));
  }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_set<std::uint64_t> known_;
  std::vector<std::string> texts_;
};

void sort_and_unique(std::vector<std::string>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// The name of a symbol as it was asked about.
class WantedSymbol {
 public:
  explicit WantedSymbol(const std::string& text) : is_readable_(text.find_first_of(":( ") != std::string::npos) {
    const std::size_t at = is_readable_ ? std::string::npos : text.find('@');
    name_ = text.substr(0, at);
    if (at != std::string::npos) {
      const std::size_t begin = text.find_first_not_of('@', at);
      version_ = begin == std::string::npos ? std::string() : text.substr(begin);
    }
    if (!is_readable_) return;
    // The last part of the name before its parameters stands in the mangled name as it is.
    const std::string head = name_.substr(0, name_.find_first_of("(<"));
    const std::size_t begin = head.find_last_of(": ~");
    part_ = begin == std::string::npos ? head : head.substr(begin + 1);
  }

  [[nodiscard]] const std::optional<std::string>& version() const { return version_; }
  [[nodiscard]] bool matches(const SymbolBinding& binding) const {
    if (version_ && (!binding.has_version || binding.version != *version_)) return false;
    return matches(binding.symbol);
  }
  [[nodiscard]] bool matches(std::string_view symbol) const {
    if (!is_readable_) return symbol == name_;
    if (!symbol.starts_with("_Z") || (!part_.starts_with("operator") && symbol.find(part_) == std::string_view::npos)) {
      return false;
    }
    const std::string readable = demangled(symbol);
    if (!readable.starts_with(name_)) return false;
    const std::string_view rest = std::string_view(readable).substr(name_.size());
    return rest.empty() || rest.starts_with('(') || rest.starts_with('<') || rest.starts_with("[abi");
  }

 private:
  bool is_readable_;
  std::string name_;
  std::optional<std::string> version_;
  std::string part_;
};

/// Is it defined by a file of the tree?
bool is_defined_somewhere(World& world, const Survey& survey, const WantedSymbol& wanted) {
  return std::any_of(survey.files.begin(), survey.files.end(), [&](const SurveyedFile& file) {
    const Result<OpenedLibrary> opened = world.open_library(file.path, BareName::File);
    if (!opened || opened->object.file == nullptr) return false;
    const Result<VersionedLibrary> library =
        read_versioned_library(*opened->object.file, opened->object.elf, file.path);
    if (!library) return false;
    const std::vector<VersionDef>& versions = library->versions.defs;
    return std::any_of(library->symbols.symbols.begin(), library->symbols.symbols.end(), [&](const auto& symbol) {
      if (!symbol.is_defined() || !wanted.matches(symbol.name)) return false;
      return !wanted.version() || std::any_of(versions.begin(), versions.end(), [&](const VersionDef& version) {
        return version.index == symbol.version && version.name == *wanted.version();
      });
    });
  });
}

/// Needers by path order, which is that of their numbers.
std::vector<WhoNeeder> sorted(std::map<SurveyIndex, WhoNeeder> needers) {
  std::vector<WhoNeeder> list;
  for (auto& [file, needer] : needers) list.push_back(std::move(needer));
  return list;
}

}  // namespace

std::optional<Error> add_bindings(WhoAnswer& answer, const Survey& survey, const WorldSettings& settings,
                                  const SurveyOptions& options) {
  BindingReader reader(survey, settings, options);
  if (std::optional<Error> error = reader.prepare()) return error;
  std::unordered_map<SurveyIndex, std::size_t> copy_of;
  std::vector<SurveyIndex> roots;
  for (std::size_t i = 0; i < answer.copies.size(); ++i) {
    const WhoCopy& copy = answer.copies[i];
    if (copy.file == kNoFile) continue;
    copy_of.emplace(copy.file, i);
    roots.insert(roots.end(), copy.processes.begin(), copy.processes.end());
  }
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  using Found = std::map<std::pair<std::size_t, SurveyIndex>, SymbolSet>;  // copy, referrer
  std::vector<Found> found(reader.jobs());
  const auto note = [&](unsigned thread, SurveyIndex, const std::vector<SurveyIndex>& files, const SymbolBinding& is) {
    if (!is.is_bound() || is.provider == is.referrer) return;
    const auto copy = copy_of.find(files[is.provider]);
    if (copy == copy_of.end() || files[is.referrer] == kNoFile) return;
    found[thread][{copy->second, files[is.referrer]}].add(is);
  };
  if (!reader.for_each(roots, note)) answer.is_interrupted = true;
  for (std::size_t i = 0; i < answer.copies.size(); ++i) {
    std::map<SurveyIndex, WhoNeeder> needers;
    for (WhoNeeder& needer : answer.copies[i].needers) needers.emplace(needer.file, std::move(needer));
    for (const Found& of_thread : found) {
      for (const auto& [key, symbols] : of_thread) {
        if (key.first != i) continue;
        WhoNeeder& needer = needers[key.second];
        needer.file = key.second;
        needer.symbols.insert(needer.symbols.end(), symbols.texts().begin(), symbols.texts().end());
      }
    }
    for (auto& [file, needer] : needers) sort_and_unique(needer.symbols);
    answer.copies[i].needers = sorted(std::move(needers));
  }
  answer.has_bindings = true;
  return std::nullopt;
}

Result<WhoAnswer> who_references(const Survey& survey, const std::string& symbol, const WorldSettings& settings,
                                 const SurveyOptions& options) {
  WhoAnswer answer;
  answer.about = WhoAnswer::About::Symbol;
  answer.name = symbol;
  answer.has_bindings = true;
  answer.is_interrupted = survey.is_interrupted;
  BindingReader reader(survey, settings, options);
  if (std::optional<Error> error = reader.prepare()) return Unexpected{std::move(*error)};
  std::vector<SurveyIndex> roots;
  for (SurveyIndex i = 0; i < survey.files.size(); ++i) {
    if (survey.files[i].is_root()) roots.push_back(i);
  }
  const WantedSymbol wanted(symbol);
  struct Taken {
    std::map<SurveyIndex, std::unordered_set<SurveyIndex>> referrers;  // each with its roots
    std::unordered_set<SurveyIndex> roots;
  };
  using Found = std::map<std::pair<SurveyIndex, std::string>, Taken>;  // definition's file, symbol
  std::vector<Found> found(reader.jobs());
  const auto note = [&](unsigned thread, SurveyIndex root, const std::vector<SurveyIndex>& files,
                        const SymbolBinding& is) {
    if ((!is.is_bound() && is.is_weak) || !wanted.matches(is) || files[is.referrer] == kNoFile) return;
    Taken& taken = found[thread][{is.is_bound() ? files[is.provider] : SurveyIndex{kNoFile}, text_of(is)}];
    taken.referrers[files[is.referrer]].insert(root);
    taken.roots.insert(root);
  };
  if (!reader.for_each(roots, note)) answer.is_interrupted = true;
  Found all;
  for (Found& of_thread : found) {
    for (auto& [key, taken] : of_thread) {
      Taken& into = all[key];
      into.roots.insert(taken.roots.begin(), taken.roots.end());
      for (auto& [file, of_file] : taken.referrers) into.referrers[file].insert(of_file.begin(), of_file.end());
    }
  }
  for (auto& [key, taken] : all) {
    WhoCopy copy{key.first, key.second, {}, {taken.roots.begin(), taken.roots.end()}};
    std::sort(copy.processes.begin(), copy.processes.end());
    for (const auto& [file, of_file] : taken.referrers) {
      copy.needers.push_back({file, false, std::nullopt, of_file.size(), {key.second}});
    }
    answer.copies.push_back(std::move(copy));
  }
  answer.is_defined = !answer.copies.empty() || is_defined_somewhere(reader.first_world(), survey, wanted);
  return answer;
}

}  // namespace soresolve
