// One import, planned: the state behind plan_import(), not for others.
//
// Modules, labels and steps: python_program.cc; what the statements of a source come to: python_program_statements.cc;
// packages whose code opens libraries by itself: python_program_packages.cc.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dlopen/known_file.h"
#include "dlopen/known_loaders.h"
#include "python/known_package_files.h"
#include "python/python_environment.h"
#include "python/python_finder.h"
#include "python/python_program.h"
#include "python/python_source.h"

namespace soresolve {

/// One import, once.
class ImportPlanner {
 public:
  ImportPlanner(const FileSystem& files, const Environment& environment, const PythonEnvironment& python,
                const std::string& cwd, const PythonMachine& machine)
      : files_(files), environment_(environment), python_(python), finder_(files, python, cwd, machine.name),
        known_files_(files, environment, finder_), platform_{python.minor_number, machine.name},
        isa_level_(machine.isa_level) {}

  PythonProgram run_known(const std::vector<InstalledPackage>& packages);

  PythonProgram run(std::string_view module);

 private:
  using Kind = PythonStep::Kind;
  /// The statement that is carried out.
  struct Place {
    std::string file;
    std::uint32_t line = 0;
  };
  /// The module whose body is run.
  struct Running {
    std::string name;
    std::string package;  ///< __package__
    std::string file;
    bool is_called = false;  ///< a function of it, from another one
  };
  /// A try statement around what is planned now: who catches, and where it goes on.
  struct Frame {
    std::vector<std::pair<std::vector<std::string>, std::size_t>> handlers;  ///< exceptions, label
  };
  struct Loaded {
    bool is_package = false;
    std::vector<std::string> search;
    bool is_namespace = false;
    std::string file = {};  ///< of a source
    std::size_t guard = 0;  ///< what its import stands in that is perhaps not come to
    std::size_t begin = 0;  ///< the label of that, where there is one
  };
  /// A package in the table, and what of it has been done.
  struct KnownPackage {
    KnownFile file;
    bool is_opened = false;
    bool is_imported = false;
  };

  // python_program.cc
  std::size_t new_label();
  void place_label(std::size_t label) { labels_[label] = program_.steps.size(); }
  void resolve_labels();
  [[nodiscard]] std::size_t catcher_of(std::string_view exception) const;
  [[nodiscard]] std::vector<std::pair<std::vector<std::string>, StepIndex>> catchers() const;
  PythonStep* add(PythonStep step, const Place& place);
  void limit(std::string_view sentence, std::uint64_t most);
  void raise(const Place& place, std::string_view type, std::string text);
  void jump(std::size_t label) { add({.kind = Kind::Jump, .target = label}, {}); }
  [[nodiscard]] bool is_imported(std::string_view name) const { return loaded_.find(name) != loaded_.end(); }
  [[nodiscard]] std::string first_missing(std::string_view module) const;
  bool import_chain(std::string_view module, const Place& place);
  bool import_one(const std::string& name, const Place& place);
  void import_again(const std::string& name, const Place& place);
  [[nodiscard]] bool is_guarded_by(std::size_t guard) const;
  void push_guard();
  void pop_guard() { guard_ = guards_[guard_]; }
  void push_frame(Frame frame);
  void pop_frame();
  void remember(const std::string& name, Loaded loaded) { loaded_.emplace(name, std::move(loaded)); }
  [[nodiscard]] PythonPlace place_of(const Running& running) const;
  void run_module(const std::string& name, const PythonModule& module, const Place& place);
  void open_extension(const std::string& name, const std::string& file, const Place& place);

  // python_program_statements.cc
  void run_body(const std::vector<PythonStatement>& body, const Running& running);
  void do_import(const PythonStatement& statement, const Place& place);
  void tell_missing(std::string_view name, const Place& place);
  bool makes_modules(const Loaded& package);
  static std::string module_named_by(const PythonStatement& statement, const std::string& name, const Running& running);
  void do_from(const PythonStatement& statement, const Running& running, const Place& place);
  bool lacks_name(const std::string& package, const std::string& name);
  void tell_no_name(const std::string& package, const std::string& name, const Place& place);
  void do_load(const PythonStatement& statement, const Place& place);
  void do_raise(const PythonStatement& statement, const Place& place);
  void do_block(const PythonStatement& statement, const Running& running);
  void do_if_says(const PythonStatement& statement, const Running& running);
  void do_set(const PythonStatement& statement, const Running& running, const Place& place);
  void do_if_set(const PythonStatement& statement, const Running& running, const Place& place);
  void do_path(const PythonStatement& statement);
  void do_leave(const PythonStatement& statement);
  void do_call(const PythonStatement& statement, const Running& running);
  void run_guarded(const std::vector<PythonStatement>& body, const Running& running);
  void do_try(const PythonStatement& statement, const Running& running);

  // python_program_packages.cc
  void note_known_package(const std::string& name, const PythonModule& module);
  /// Before the first extension module of the package, or behind its sources if it has none.
  void do_known_package(const std::string& name) { do_at(name, KnownMoment::Side::Usual, {}); }
  void do_at(const std::string& package, KnownMoment::Side side, std::string_view module);
  void open_known(const KnownFile& known);
  void import_known(const KnownFile& known);
  void import_first(std::string_view modules, const Place& place);
  void open_library(const std::string& file, OpenScope scope, const Place& place, std::size_t handler);
  void raise_missing(const KnownFile& known, const KnownOpen& open, const Place& place);
  void raise_for_wheel(const Place& place, std::string_view type, std::string text, std::string wheel,
                       const std::string& site);
  void open_with_second_try(const KnownFile& known);
  void open_all(const KnownFile& known);

  const FileSystem& files_;
  const Environment& environment_;
  const PythonEnvironment& python_;
  PythonFinder finder_;
  KnownPackageFiles known_files_;
  PythonPlatform platform_;
  int isa_level_;
  PythonProgram program_;
  std::vector<std::size_t> labels_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> guards_ = {0};  ///< what is perhaps not come to, by number: what is around each; 0: nothing
  std::size_t guard_ = 0;                  ///< the innermost around what is planned now
  std::vector<std::vector<std::string>> caught_;       ///< of the handlers whose bodies are planned
  std::vector<std::size_t> ends_;                      ///< labels behind the blocks of a source, the innermost last
  std::map<std::string, Loaded, std::less<>> loaded_;  ///< sys.modules
  std::map<std::string, KnownPackage, std::less<>> known_;
  std::set<std::string, std::less<>> lazy_modules_;
  std::vector<std::string> running_;           ///< modules whose bodies are not at their end
  std::vector<std::uint32_t> lines_;           ///< of each of them the statement that is run
  std::set<std::string, std::less<>> called_;  ///< functions that are followed from other modules, by module and name
  int calls_left_ = kMaxPythonCalls;
  std::uint64_t bytes_ = 0;
  int guesses_ = 0;  ///< statements around that depend on a condition that was not decided
  int depth_ = 0;
  bool is_path_unknown_ = false;  ///< a source has added to sys.path what is not known
};

}  // namespace soresolve
