// By needs alone: the edges of a survey, turned round. An exception of one process takes the common edge's place there.

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/path.h"
#include "survey/who.h"

namespace soresolve {
namespace {

/// Calls visit(index, file) for the files of the tree, then for those outside.
template <class Visit>
void for_each_file(const Survey& survey, Visit visit) {
  SurveyIndex index = 0;
  for (const SurveyedFile& file : survey.files) visit(index++, file);
  for (const OutsideFile& file : survey.outside) visit(index++, file);
}

/// The name of a library: with a slash a path, else a SONAME, the name of a file, or a name that files need.
class NamedFiles {
 public:
  NamedFiles(const Survey& survey, const std::string& name) {
    const bool is_path = name.find('/') != std::string::npos;
    std::set<SurveyIndex> found;
    for_each_file(survey, [&](SurveyIndex index, const auto& file) {
      const bool is_it = is_path ? file.path == name : file.soname == name || file_name_of(file.path) == name;
      if (is_it) found.insert(index);
      if (is_path) return;
      for (std::size_t i = 0; i < file.targets.size(); ++i) {
        if (file.needs[i] != name) continue;
        if (file.targets[i] == kNoFile) is_missing_ = true;
        if (file.targets[i] != kNoFile) found.insert(file.targets[i]);
      }
      for (const SurveyException& other : file.exceptions) {
        if (file.needs[other.need] != name) continue;
        if (other.target == kNoFile) is_missing_ = true;
        if (other.target != kNoFile) found.insert(other.target);
      }
    });
    files_.assign(found.begin(), found.end());
  }

  [[nodiscard]] const std::vector<SurveyIndex>& files() const { return files_; }
  [[nodiscard]] bool is_missing() const { return is_missing_; }

 private:
  std::vector<SurveyIndex> files_;
  bool is_missing_ = false;  ///< a need of that name is met by nothing in a process
};

/// Which files of the tree each root has loaded, and which of those outside.
class Processes {
 public:
  explicit Processes(const Survey& survey) : survey_(survey) {
    for (SurveyIndex i = 0; i < survey.outside.size(); ++i) {
      outside_.emplace(survey.outside[i].path, static_cast<SurveyIndex>(survey.files.size() + i));
    }
  }

  /// Calls visit(root, files) for each root, its own file among them.
  template <class Visit>
  void for_each(Visit visit) const {
    std::vector<SurveyIndex> files;
    for (SurveyIndex root = 0; root < survey_.files.size(); ++root) {
      const SurveyedFile& file = survey_.files[root];
      if (!file.is_root()) continue;
      files.assign(file.loads.begin(), file.loads.end());
      files.push_back(root);
      for (const std::string& path : file.loads_others) {
        // They were met by these paths, or by others that lead to the same file.
        if (const auto at = outside_.find(path); at != outside_.end()) files.push_back(at->second);
      }
      visit(root, files);
    }
  }

 private:
  const Survey& survey_;
  std::unordered_map<std::string, SurveyIndex> outside_;
};

std::vector<std::string> names_like(const Survey& survey, const std::string& name) {
  constexpr std::size_t kMostReported = 5;
  std::set<std::string> names;
  if (name.empty()) return {};
  for_each_file(survey, [&](SurveyIndex, const auto& file) {
    const std::string_view own = file.soname.empty() ? file_name_of(file.path) : std::string_view(file.soname);
    if (names.size() < kMostReported && own.find(name) != std::string_view::npos) names.emplace(own);
  });
  return {names.begin(), names.end()};
}

/// Who brings in the files that the name stands for, in which processes.
class NeedsReader {
 public:
  NeedsReader(const Survey& survey, WhoAnswer& answer) : survey_(survey), answer_(answer) {
    for (std::size_t i = 0; i < answer.copies.size(); ++i) copy_of_[answer.copies[i].file] = i;
  }

  void read() {
    find_needers();
    count_processes();
    for (std::size_t i = 0; i < answer_.copies.size(); ++i) {
      for (auto& [file, needer] : needers_[i]) answer_.copies[i].needers.push_back(std::move(needer));
    }
  }

 private:
  /// A file that was found nowhere is one for needs of the name only.
  [[nodiscard]] std::optional<std::size_t> copy_for(SurveyIndex target, const std::string& need) const {
    if (target == kNoFile && need != answer_.name) return std::nullopt;
    const auto at = copy_of_.find(target);
    return at == copy_of_.end() ? std::nullopt : std::optional<std::size_t>(at->second);
  }

  WhoNeeder& needer_of(std::size_t copy, SurveyIndex file) {
    WhoNeeder& needer = needers_[copy][file];
    needer.file = file;
    return needer;
  }

  void find_needers() {
    needers_.resize(answer_.copies.size());
    for_each_file(survey_, [&](SurveyIndex index, const auto& file) {
      for (std::size_t i = 0; i < file.targets.size(); ++i) {
        if (const auto copy = copy_for(file.targets[i], file.needs[i])) needer_of(*copy, index).is_needed = true;
      }
      for (const SurveyException& other : file.exceptions) {
        if (const auto copy = copy_for(other.target, file.needs[other.need])) needer_of(*copy, index).is_needed = true;
      }
      for (const SurveyLink& link : file.links) {
        const auto copy = copy_for(link.target, link.name);
        if (!copy) continue;
        WhoNeeder& needer = needer_of(*copy, index);
        if (!needer.link) needer.link = link.kind;
      }
    });
  }

  /// Does the need of the file lead to the copy in the root's process?
  template <class File>
  [[nodiscard]] bool leads_there(const File& file, SurveyIndex root, std::size_t copy) const {
    const SurveyIndex wanted = answer_.copies[copy].file;
    for (std::uint32_t i = 0; i < file.targets.size(); ++i) {
      if (wanted == kNoFile && file.needs[i] != answer_.name) continue;
      SurveyIndex target = file.targets[i];
      for (const SurveyException& other : file.exceptions) {
        if (other.root == root && other.need == i) target = other.target;
      }
      if (target == wanted) return true;
    }
    return std::any_of(file.links.begin(), file.links.end(), [&](const SurveyLink& link) {
      return link.target == wanted && (wanted != kNoFile || link.name == answer_.name);
    });
  }

  void count_processes() {
    Processes(survey_).for_each([&](SurveyIndex root, const std::vector<SurveyIndex>& files) {
      for (std::size_t copy = 0; copy < answer_.copies.size(); ++copy) {
        const SurveyIndex wanted = answer_.copies[copy].file;
        bool is_there = wanted != kNoFile && std::find(files.begin(), files.end(), wanted) != files.end();
        if (!is_there && wanted != kNoFile) continue;
        for (const SurveyIndex index : files) {
          const auto needer = needers_[copy].find(index);
          if (needer == needers_[copy].end()) continue;
          const bool leads = index < survey_.files.size()
                                 ? leads_there(survey_.files[index], root, copy)
                                 : leads_there(survey_.outside[index - survey_.files.size()], root, copy);
          if (!leads) continue;
          ++needer->second.processes;
          is_there = true;
        }
        if (is_there) answer_.copies[copy].processes.push_back(root);
      }
    });
  }

  const Survey& survey_;
  WhoAnswer& answer_;
  std::unordered_map<SurveyIndex, std::size_t> copy_of_;
  std::vector<std::map<SurveyIndex, WhoNeeder>> needers_;  ///< by copy
};

template <class Is>
std::size_t count_needers(const WhoAnswer& answer, Is is_counted) {
  std::unordered_set<SurveyIndex> files;
  for (const WhoCopy& copy : answer.copies) {
    for (const WhoNeeder& needer : copy.needers) {
      if (is_counted(needer)) files.insert(needer.file);
    }
  }
  return files.size();
}

}  // namespace

std::size_t WhoAnswer::needer_count() const {
  const bool is_symbol = about == About::Symbol;
  return count_needers(
      *this, [&](const WhoNeeder& needer) { return is_symbol || needer.is_needed || needer.link.has_value(); });
}

std::size_t WhoAnswer::binder_count() const {
  return count_needers(*this, [](const WhoNeeder& needer) { return !needer.symbols.empty(); });
}

std::size_t WhoAnswer::process_count() const {
  std::unordered_set<SurveyIndex> roots;
  for (const WhoCopy& copy : copies) roots.insert(copy.processes.begin(), copy.processes.end());
  return roots.size();
}

std::vector<SurveyIndex> WhoAnswer::processes_with_several() const {
  std::map<SurveyIndex, std::set<SurveyIndex>> files_of;
  for (const WhoCopy& copy : copies) {
    if (copy.file == kNoFile) continue;
    for (const SurveyIndex root : copy.processes) files_of[root].insert(copy.file);
  }
  std::vector<SurveyIndex> several;
  for (const auto& [root, files] : files_of) {
    if (files.size() > 1) several.push_back(root);
  }
  return several;
}

std::size_t unread_count(const Survey& survey, DamagedLibraries damaged) {
  return static_cast<std::size_t>(
      std::count_if(survey.skipped.begin(), survey.skipped.end(), [&](const SurveySkip& skip) {
        const bool is_damaged = skip.why == SurveySkip::Why::Damaged && damaged == DamagedLibraries::Count;
        return (skip.is_open || is_damaged) && skip.why != SurveySkip::Why::NoLoader &&
               skip.why != SurveySkip::Why::Unjudged;
      }));
}

std::size_t unread_count(const Survey& survey, const WhoAnswer& answer) {
  const bool is_found = answer.needer_count() + answer.binder_count() != 0;
  return unread_count(survey, is_found ? DamagedLibraries::PassOver : DamagedLibraries::Count);
}

WhoAnswer who_needs(const Survey& survey, const std::string& name) {
  WhoAnswer answer;
  answer.name = name;
  answer.is_interrupted = survey.is_interrupted;
  const NamedFiles named(survey, name);
  for (const SurveyIndex file : named.files()) answer.copies.push_back({file, {}, {}, {}});
  if (named.is_missing()) answer.copies.push_back({kNoFile, {}, {}, {}});
  if (answer.copies.empty()) {
    answer.near = names_like(survey, name);
    return answer;
  }
  NeedsReader(survey, answer).read();
  return answer;
}

std::vector<std::vector<SurveyNeeder>> needers_of_files(const Survey& survey) {
  std::vector<std::vector<SurveyNeeder>> needers(survey.files.size() + survey.outside.size());
  const auto add = [&](SurveyIndex target, SurveyNeeder needer) {
    if (target >= needers.size()) return;
    std::vector<SurveyNeeder>& list = needers[target];
    // Edges of one file come one after the other.
    if (list.empty() || list.back().file != needer.file) {
      list.push_back(needer);
    } else {
      list.back().is_needed = list.back().is_needed || needer.is_needed;
      if (!list.back().link) list.back().link = needer.link;
    }
  };
  for_each_file(survey, [&](SurveyIndex index, const auto& file) {
    for (const SurveyIndex target : file.targets) add(target, {index, true, std::nullopt});
    for (const SurveyException& other : file.exceptions) add(other.target, {index, true, std::nullopt});
    for (const SurveyLink& link : file.links) add(link.target, {index, false, link.kind});
  });
  return needers;
}

}  // namespace soresolve
