// Empty, relative and world-writable directories in search lists. Source: ld.so(8); glibc 2.36
// elf/dl-load.c:fillin_rpath (an empty element is the current directory). Mode bits only: no access control lists, no
// owner of a directory above.
#include "diagnose/detectors.h"
#include "loader/process.h"
#include "loader/system.h"

#include <algorithm>
#include <set>
#include <string>

#include "diagnose/rpath_entries.h"

namespace soresolve {
namespace {

class UnsafeElements {
 public:
  explicit UnsafeElements(const DiagnosisInput& input) : input_(input) {}

  std::vector<Problem> find() {
    if (input_.asked.empty()) {
      look_at_environment();
      for (ObjectIndex i = 0; i < input_.map.objects.size(); ++i) {
        if (input_.belongs[i]) look_at_tags(i);
      }
    }
    look_at_searched_directories();
    if (input_.asked.empty()) look_at_other_entries();
    return std::move(problems_);
  }

 private:
  void look_at_environment() {
    const auto value = input_.map.process->environment.value("LD_LIBRARY_PATH");
    if (value && !input_.map.process->secure)
      look_at_list(*value, ":;", "LD_LIBRARY_PATH", words_of_others("LD_LIBRARY_PATH"), kNoObject);
  }

  void look_at_tags(ObjectIndex index) {
    const LoadedObject& object = input_.map.objects[index];
    const std::string name(object.name());
    if (object.elf.runpath) {
      look_at_list(*object.elf.runpath, ":", "the RUNPATH of " + name, tag_of("RUNPATH", name), index);
    } else if (object.elf.rpath) {
      look_at_list(*object.elf.rpath, ":", "the RPATH of " + name, tag_of("RPATH", name), index);
    }
  }

  static Statement tag_of(std::string_view tag, std::string_view object) {
    return say("tag-of", {{"tag", tag}, {"object", object}});
  }

  void look_at_list(std::string_view list, std::string_view separators, const std::string& name, const Statement& what,
                    ObjectIndex object) {
    if (list.empty()) return;
    std::set<std::string, std::less<>> reported;
    while (true) {
      const std::size_t end = list.find_first_of(separators);
      const std::string_view element = list.substr(0, end);
      // Tokens expand to absolute paths, but for $LIB and $PLATFORM.
      const bool is_relative =
          !element.starts_with('/') && !element.starts_with("$ORIGIN") && !element.starts_with("${ORIGIN}");
      if (is_relative && reported.emplace(element).second) {
        problems_.push_back(make_problem(input_.map, ProblemCode::UnsafeElement, name, sentence_of(what, element)));
        problems_.back().object = object;
        add_evidence(object, element);
      }
      if (end == std::string_view::npos) return;
      list.remove_prefix(end + 1);
    }
  }

  static Statement sentence_of(const Statement& list, std::string_view element) {
    if (element.empty()) return say("empty-element", {{"list", list}});
    // A shell expands it, but not within quotes nor behind a colon that is no part of an assignment.
    const bool is_home = element == "~" || element.starts_with("~/");
    return say(is_home ? "tilde-element" : "relative-element", {{"list", list}, {"element", element}});
  }

  /// The file that has the entry.
  void add_evidence(ObjectIndex object, std::string_view element) {
    if (object == kNoObject) return;
    const Statement words = element.empty() ? say("rpath-entry-empty") : words_of_others(element);
    problems_.back().evidence = {{.what = words, .path = file_of(input_.map, object)}};
  }

  /// Entries of RPATH and RUNPATH that no search came to yet: the next library may.
  void look_at_other_entries() {
    for (const RpathTag& tag : read_rpaths(input_.map)) {
      for (const RpathEntry& entry : tag.entries) {
        const bool is_new = !tag.is_void && entry.is_writable_by_all && entry.directory.starts_with('/') &&
                            seen_.insert(entry.directory).second;
        if (is_new) add_writable(entry.directory, tag.step, tag.owner, entry.written);
      }
    }
  }

  void look_at_searched_directories() {
    for (ObjectIndex i = 0; i < input_.map.objects.size(); ++i) {
      for (const Need& need : input_.map.objects[i].needs) {
        if (need.trace >= input_.map.traces.size() || !concerns(input_, i, need)) continue;
        for (const Attempt& attempt : input_.map.traces[need.trace].attempts) {
          if (is_before_system(attempt) && seen_.insert(attempt.directory).second) look_at_directory(attempt);
        }
      }
    }
  }

  [[nodiscard]] static bool is_before_system(const Attempt& attempt) {
    const bool is_listed = attempt.step == SearchStep::Rpath || attempt.step == SearchStep::LibraryPath ||
                           attempt.step == SearchStep::Runpath;
    return is_listed && attempt.directory.starts_with('/') && attempt.outcome != Outcome::NoSuchDirectory &&
           attempt.outcome != Outcome::SkippedDirectory;
  }

  void look_at_directory(const Attempt& attempt) {
    constexpr std::uint32_t kOthersMayWrite = 0002;
    const Result<FileStatus, Errno> status = input_.map.system->files->status(attempt.directory);
    if (!status || status->kind != FileKind::Directory || (status->mode & kOthersMayWrite) == 0) return;
    add_writable(attempt.directory, attempt.step, attempt.owner, attempt.entry);
  }

  void add_writable(const std::string& directory, SearchStep step, ObjectIndex owner, std::string_view element) {
    const Statement list =
        owner == kNoObject ? term(name_of(step)) : tag_of(name_of(step), input_.map.objects[owner].name());
    Problem problem = make_problem(input_.map, ProblemCode::UnsafeElement, directory,
                                   say("writable-directory", {{"directory", directory}, {"list", list}}));
    problem.object = owner;
    problems_.push_back(std::move(problem));
    add_evidence(owner, element);
  }

  const DiagnosisInput& input_;
  std::vector<Problem> problems_;
  std::set<std::string, std::less<>> seen_;  ///< directories
};

}  // namespace

std::vector<Problem> find_unsafe_elements(const DiagnosisInput& input) { return UnsafeElements(input).find(); }

}  // namespace soresolve
