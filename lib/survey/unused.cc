// What no program of the tree loads. A file counts as loaded if it is in the process of a program, of a module of
// Python or of a plug-in for which a program was found. How far anything else names it: by needs that lead to another
// copy, by files that are not loaded either, by whole strings among constants. Nothing here proves that a file is not
// used: programs put names together, and read them from configuration.
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/enum_names.h"
#include "base/parallel.h"
#include "base/path.h"
#include "elf/library_literals.h"
#include "packages/package_owner.h"
#include "python/interpreter.h"
#include "survey/who.h"

namespace soresolve {

std::string_view name_of(UnusedEvidence evidence) {
  using enum UnusedEvidence;
  static constexpr auto kNames = enum_names<UnusedEvidence>(
      {{Nothing, "nothing"}, {OtherCopy, "other-copy"}, {OnlyUnused, "unused-needer"}, {OnlyString, "string"}});
  return kNames[evidence];
}

namespace {

class UnusedFinder {
 public:
  UnusedFinder(const Survey& survey, const WorldSettings& settings, const SurveyOptions& options)
      : survey_(survey), options_(options) {
    for (unsigned i = 0; i < std::max(1u, options.jobs); ++i) worlds_.emplace_back(settings);
  }

  Result<Unused> find() {
    const Result<std::shared_ptr<const FileSystem>> files = worlds_.front().files();
    if (!files) return Unexpected{files.error()};
    files_ = *files;
    mark_loaded();
    for (SurveyIndex i = 0; i < survey_.files.size(); ++i) {
      if (!is_loaded_[i] && survey_.files[i].as != SurveyedAs::Unjudged) add(i);
    }
    find_needers();
    find_strings();
    find_owners();
    std::stable_sort(unused_.files.begin(), unused_.files.end(),
                     [](const UnusedFile& a, const UnusedFile& b) { return a.size_bytes > b.size_bytes; });
    unused_.is_interrupted = survey_.is_interrupted || is_stopped();
    return std::move(unused_);
  }

 private:
  [[nodiscard]] bool is_stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  [[nodiscard]] bool is_opened_by_somebody(const SurveyedFile& file) const {
    return file.as == SurveyedAs::Program ||
           (file.is_root() && (file.process.has_value() || is_python_module(*files_, file.path)));
  }

  void mark_loaded() {
    is_loaded_.resize(survey_.files.size());
    for (SurveyIndex i = 0; i < survey_.files.size(); ++i) {
      const SurveyedFile& file = survey_.files[i];
      if (!is_opened_by_somebody(file)) continue;
      is_loaded_[i] = true;
      for (const SurveyIndex loaded : file.loads) is_loaded_[loaded] = true;
    }
  }

  void add(SurveyIndex index) {
    const SurveyedFile& file = survey_.files[index];
    const Result<FileStatus, Errno> status = files_->status(file.path);
    place_of_.emplace(index, unused_.files.size());
    UnusedFile unused;
    unused.file = index;
    if (status) {
      const auto [first, is_new] = first_of_.try_emplace({status->id.device, status->id.inode}, index);
      unused.size_bytes = is_new ? status->size_bytes : 0;
      if (!is_new) unused.link_of = first->second;
    }
    unused_.files.push_back(std::move(unused));
    by_name_[std::string(file_name_of(file.path))].push_back(index);
    if (!file.soname.empty() && file.soname != file_name_of(file.path)) by_name_[file.soname].push_back(index);
  }

  void raise(SurveyIndex index, UnusedEvidence evidence, SurveyIndex by, SurveyIndex instead = kNoFile) {
    UnusedFile& file = unused_.files[place_of_.at(index)];
    if (file.evidence >= evidence || by == index) return;
    file.evidence = evidence;
    file.by = by;
    file.instead = instead;
  }

  void find_needers() {
    for (SurveyIndex i = 0; i < survey_.files.size(); ++i) {
      const SurveyedFile& needer = survey_.files[i];
      for (std::size_t need = 0; need < needer.targets.size(); ++need) {
        const SurveyIndex target = needer.targets[need];
        if (target < survey_.files.size() && !is_loaded_[target]) raise(target, UnusedEvidence::OnlyUnused, i);
        const auto of_name = by_name_.find(std::string(file_name_of(needer.needs[need])));
        if (of_name == by_name_.end() || target == kNoFile) continue;
        for (const SurveyIndex other : of_name->second) {
          if (other != target) raise(other, UnusedEvidence::OtherCopy, i, target);
        }
      }
    }
  }

  /// The first file by path in which the name stands, other than the file itself, than one that needs the name (it
  /// stands there for that), and than a file of the same name.
  void find_strings() {
    std::vector<std::vector<SurveyIndex>> named(survey_.files.size());  // by file in whose constants they stand
    for_each_index(survey_.files.size(), options_.jobs, [&](unsigned thread, std::size_t i) {
      if (is_stopped()) return;
      const SurveyedFile& file = survey_.files[i];
      const Result<OpenedLibrary> opened = worlds_[thread].open_library(file.path, BareName::File);
      if (!opened || opened->object.file == nullptr) return;
      const auto is_wanted = [&](std::string_view name) {
        return by_name_.contains(std::string(name)) && name != file.soname && name != file_name_of(file.path) &&
               std::none_of(file.needs.begin(), file.needs.end(),
                            [&](const std::string& need) { return file_name_of(need) == name; });
      };
      for (const LibraryLiteral& literal : find_file_names(*opened->object.file, opened->object.elf, is_wanted)) {
        const std::vector<SurveyIndex>& of_name = by_name_.at(literal.name);
        named[i].insert(named[i].end(), of_name.begin(), of_name.end());
      }
    });
    for (SurveyIndex i = 0; i < named.size(); ++i) {
      for (const SurveyIndex index : named[i]) raise(index, UnusedEvidence::OnlyString, i);
    }
  }

  void find_owners() {
    const PackageOwners owners(files_);
    for (UnusedFile& file : unused_.files) {
      if (!is_stopped()) file.owner = owners.owner_of(survey_.files[file.file].path);
    }
  }

  const Survey& survey_;
  const SurveyOptions& options_;
  std::vector<World> worlds_;
  std::shared_ptr<const FileSystem> files_;
  std::vector<bool> is_loaded_;
  std::unordered_map<SurveyIndex, std::size_t> place_of_;                    ///< in Unused::files
  std::unordered_map<std::string, std::vector<SurveyIndex>> by_name_;        ///< names of files, and SONAMEs
  std::map<std::pair<std::uint64_t, std::uint64_t>, SurveyIndex> first_of_;  ///< by device and inode
  Unused unused_;
};

}  // namespace

std::uint64_t Unused::total_bytes() const {
  std::uint64_t total = 0;
  for (const UnusedFile& file : files) total += file.size_bytes;
  return total;
}

Result<Unused> find_unused(const Survey& survey, const WorldSettings& settings, const SurveyOptions& options) {
  return UnusedFinder(survey, settings, options).find();
}

}  // namespace soresolve
