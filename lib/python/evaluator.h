// One evaluation of an import: the state behind PythonImporter, not for others.
//
// A module's source is carried out statement by statement, in the order of the Language Reference, on values of which
// many are not known (value.h). The rules for what is not known:
//  - A condition that is not decided: its branch is passed over but for its imports, which are a possibility, and what
//    the branch would have assigned is not known behind it. `else` is what a source does in general, and is carried out
//    as a guess, unless it raises. A library that cannot be loaded there is a failure; any other exception is dropped.
//  - What might have left a function or a loop there (return, break, continue) makes the rest of it uncertain. An
//    exception that leaves an uncertain part is dropped at its end: nobody knows that it is raised.
//  - A loop runs over values that are known; over others it is passed over like a branch.
//  - A call of a function of the module itself is followed, with the arguments; one of another module where that may
//    open libraries. Any other call returns what is not known. Where that stands in `try`, the handlers may run as
//    well: what they assign is not known.
//  - A module that is nowhere is a failure only where nothing could have made it by code.
//
// For example: `try: from . import _ext` / `except ImportError: _ext = None` / `if _ext is None: raise OSError("…")`:
// where the loader refuses _ext, its ImportError is caught, None is assigned, the condition is true, and the import
// ends with the OSError. Were `if check(_ext): raise` there instead, nothing would be said of it.
//
// Modules: evaluate_modules.cc; statements: evaluate_statements.cc; what is perhaps run: evaluate_guesses.cc;
// compiled modules: evaluate_native.cc; expressions: evaluate_expressions.cc; calls: evaluate_calls.cc; editable
// installations: evaluate_editables.cc; packages whose code opens libraries by itself: evaluate_packages.cc.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dlopen/known_file.h"
#include "dlopen/known_loaders.h"
#include "python/import_trace.h"
#include "python/known_functions.h"
#include "python/known_package_files.h"
#include "python/native_names.h"
#include "python/pth_code.h"
#include "python/python_environment.h"
#include "python/python_finder.h"
#include "python/sources.h"
#include "python/value.h"

namespace soresolve::python {

/// "a" of "a.b.c".
inline std::string_view top_of(std::string_view module) { return module.substr(0, module.find('.')); }

/// Names and their values; of a module, a class or a call.
struct Scope {
  std::map<std::string, Value, std::less<>> names = {};
  std::shared_ptr<Scope> outer = {};  ///< of the function around it
};

/// What every evaluation of one importer shares.
struct Surroundings {
  const FileSystem& files;
  const Environment& environment;
  const PythonEnvironment& python;
  std::string cwd;
  PythonMachine machine;
  Sources& sources;
  NativeNames& native_names;
  const PthCode& pth_code;
};

class Evaluator {
 public:
  Evaluator(const Surroundings& around, PythonFinder finder, const PythonQuestion& question,
            const PythonAnswers& answers);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  PythonTrace run();
  /// With the directories that it has listed by now.
  PythonFinder take_finder() { return std::move(finder_); }

 private:
  /// How a statement ends. Raise: also where the evaluation is over.
  enum class Flow : std::uint8_t { Next, Break, Continue, Return, Raise };

  /// How sure it is that a statement is carried out.
  struct Certainty {
    int possible = 0;  ///< 0: it is no possibility only
    int guesses = 0;   ///< conditions around it that are not decided, calls that are followed
    [[nodiscard]] StepEvidence evidence() const {
      return possible != 0 ? StepEvidence::Possible : guesses != 0 ? StepEvidence::Guess : StepEvidence::Likely;
    }
  };
  struct Module {
    std::string name;
    std::string package;           ///< __package__
    std::string file;              ///< of a source
    std::string native_file = {};  ///< of an extension module; of one that is built in: the interpreter
    bool is_package = false;
    bool is_namespace = false;
    bool is_open = false;  ///< it may have names that are not in its scope
    std::vector<std::string> search;
    std::shared_ptr<Scope> scope = std::make_shared<Scope>();
    std::shared_ptr<const Source> source;
    bool is_running = false;
    std::uint32_t line = 0;                     ///< of the statement that is carried out, while it runs
    Certainty certainty = {};                   ///< of its import
    std::size_t first_open = 0;                 ///< of what that opened
    std::size_t opens_end = std::string::npos;  ///< behind the last one; npos: it is being imported
  };
  /// A module, class or function whose statements are carried out.
  struct Frame {
    std::shared_ptr<Module> module;
    std::shared_ptr<Scope> scope;
    bool is_function = false;
    bool is_perhaps_left = false;  ///< a condition that was not decided may have led out of the function
    std::set<std::string, std::less<>> globals = {};
    Value returned = {};
  };
  struct Raised {
    std::vector<std::string> types;  ///< the class, then its bases
    std::string text = {};
    bool is_text_known = false;
    std::string raised_by = {};
    std::optional<std::size_t> open = {};  ///< the dlopen that it is raised for
    bool is_of_table = false;              ///< what is known of a package raises it
    std::string wheel = {};
    std::string site = {};
  };
  /// A package in the table, and what of it has been done.
  struct KnownPackage {
    KnownFile file;
    bool is_opened = false;
    bool is_imported = false;
  };

  // evaluate_modules.cc
  void finish();
  void run_site();
  void run_code(const PthLine& line);
  void limit(std::string_view sentence, std::uint64_t most);
  [[nodiscard]] bool is_over() const { return raised_ || is_stopped_; }
  [[nodiscard]] std::shared_ptr<Module> loaded(std::string_view name) const;
  [[nodiscard]] std::string first_missing(std::string_view module) const;
  bool import_chain(std::string_view name);
  bool import_one(const std::string& name);
  [[nodiscard]] Certainty certainty() const;
  void make_certain(Module& module);
  void run_module(Module& module, const PythonModule& found);
  bool is_compiled(const Module& module);
  [[nodiscard]] bool has_codec(std::string_view name) const;
  void run_source(Module& module);
  void open_extension(const Module& module, const std::string& file);
  void open(PythonOpen what);
  void raise(Raised what) { raised_ = std::move(what); }
  void raise_text(std::string text, std::string wheel = {}, std::string site = {});
  void raise_missing_module(std::string_view name);
  void note_other_python(const std::vector<std::string>& directories, std::string_view name);
  void blame_other_python(const Raised& raised);
  [[nodiscard]] bool is_removed(const Module& package, std::string_view name) const;
  bool import_or_raise(const std::string& name);
  bool makes_modules(const Module& package);
  [[nodiscard]] bool lacks_name(const Module& module, const std::string& name) const;
  void raise_missing_name(const Module& module, const std::string& name);
  [[nodiscard]] std::string absolute_name(std::string_view name, std::uint32_t level) const;
  Value attribute_of(const std::string& module, std::string_view name);
  Value ask_module(const Module& module, std::string_view name);
  void import_statement(const Statement& statement);
  void from_statement(const Statement& statement);
  void take_all(const Module& module);
  void import_by_hook(const Module& module);
  Value take_name(const std::shared_ptr<Module>& module, const std::string& name);

  // evaluate_native.cc
  void import_from_native(const Module& module, const std::string& file);
  void import_linked(const Module& module, const std::string& file);
  void import_members(const Module& module, const std::vector<std::string>& names);
  bool may_be_module(std::string_view name);
  bool is_standard(std::string_view name);

  // evaluate_statements.cc
  Flow run_block(const Block& block);
  Flow run_statement(const Statement& statement);
  bool raises_name_error(const Expression& value);
  Flow run_if(const Statement& statement);
  Flow run_while(const Statement& statement);
  Flow run_for(const Statement& statement);
  Flow run_turn(const Block& body, bool& is_left);
  Flow run_try(const Statement& statement);
  Flow run_handler(const Clause& clause);
  Flow run_with(const Statement& statement);
  Flow run_class(const Statement& statement);
  Flow run_raise(const Statement& statement);
  Flow change(const Statement& statement);
  Value decorated(const Expression& decorator, const Value& function);
  void define(const Statement& statement);
  [[nodiscard]] bool catches(const Clause& clause, const std::vector<std::string>& types);
  [[nodiscard]] bool names_class(const Expression& value, const std::vector<std::string>& types);
  [[nodiscard]] bool is_expected(std::string_view type);
  void bind(const Expression& target, const Value& value);
  void bind_item(const Expression& target, const Value& value);
  void set(std::string_view name, Value value);
  Value* find(std::string_view name);

  // evaluate_guesses.cc
  Flow run_guess(const Block& block);
  void pass_over(const Block& block);
  void forget_names(const Block& block, bool keeps_modules);
  void doubt_names(const Block& block);
  void forget_target(const Expression& target);
  void note_leaving(const Block& block, int loops);
  [[nodiscard]] static bool raises(const Block& block);
  void perhaps(const std::function<void()>& run);
  void import_perhaps(const Block& block);

  // evaluate_expressions.cc
  Value evaluate(const Expression& expression);
  Value evaluate_kind(const Expression& expression);
  Value evaluate_name(std::string_view name);
  Value evaluate_attribute(const Value& base, std::string_view name);
  Value evaluate_strings(const Expression& expression);
  std::optional<std::string> formatted(std::string_view literal, std::uint32_t line);
  Value evaluate_logic(const Expression& expression, bool stop);
  Value evaluate_items(const Expression& expression);
  Value evaluate_comprehension(const Expression& expression);

  // evaluate_calls.cc
  Value call(const Expression& expression);
  Arguments arguments_of(const Expression& expression);
  Value call_value(const Value& callee, const Arguments& given);
  Value call_known(const std::string& dotted, const Arguments& given);
  Value call_method(const Expression& callee, const Value& self, const Arguments& given);
  [[nodiscard]] static const Value* find_method(const ClassBody& body, std::string_view name, int& classes_left);
  Value call_method_of_class(const ClassBody& body, std::string_view name, const Value& self, const Arguments& given);
  std::optional<Value> changed_list(const Value& self, std::string_view method, const Arguments& given);
  /// A function of another module only where that seems to be worth it, or always.
  enum class Follow : std::uint8_t { WorthIt, Always };
  Value follow(const Closure& closure, const Arguments& given, Follow which = Follow::WorthIt);
  void bind_parameters(const Closure& closure, const Arguments& given, Scope& scope);
  Value unknown_call();
  Value files_of_wheel(const Arguments& given);
  Value located(std::string_view path);
  Value has_attribute(const Value& base, std::string_view name);
  [[nodiscard]] bool has_string(const std::string& file, std::string_view text);
  Value run_text(const Arguments& given);
  Value open_library(const Arguments& given, std::string_view by);
  Value import_by_name(const Arguments& given, bool returns_top);
  Value find_spec(const Arguments& given);
  Value find_library(const Arguments& given);
  void change_path(std::string_view how, const Arguments& given);

  // evaluate_editables.cc
  void note_editables();
  void note_editable_files(const Value& mapping, const std::string& directory);
  void note_editable_calls(const std::shared_ptr<Module>& module);
  std::optional<PythonModule> find_editable(const std::string& name);
  [[nodiscard]] const Module* unread_editable(const std::string& name) const;

  // evaluate_packages.cc
  void run_packages();
  void note_known_package(const Module& module);
  void do_known_package(const std::string& name) { do_at(name, KnownMoment::Side::Usual, {}); }
  void do_at(const std::string& package, KnownMoment::Side side, std::string_view module);
  void open_known(const KnownFile& known);
  void import_known(const KnownFile& known);
  void import_first(std::string_view modules);
  bool open_quietly(const std::string& file, OpenScope scope);
  void open_at(const std::string& file, OpenScope scope, const std::string& script);
  void raise_missing_file(const KnownFile& known, const KnownOpen& open);
  void compare_cuda(const KnownFile& known);
  void open_with_second_try(const KnownFile& known);
  void open_others(const KnownFile& known, const std::vector<const KnownOpen*>& others);
  void open_all(const KnownFile& known);

  const Surroundings& around_;
  PythonFinder finder_;
  KnownPackageFiles known_files_;
  KnownFunctions known_functions_;
  const PythonQuestion& question_;
  const PythonAnswers& answers_;
  PythonTrace trace_;
  std::vector<Certainty> certainties_;  ///< of each open of the trace

  std::map<std::string, std::shared_ptr<Module>, std::less<>> modules_;  ///< sys.modules
  std::vector<std::shared_ptr<Scope>> captured_;                         ///< a function in a scope holds that scope
  Frame* frame_ = nullptr;
  std::optional<Raised> raised_;
  std::vector<Raised> handled_;          ///< what the handlers around have caught
  std::vector<const Statement*> tries_;  ///< whose bodies are carried out
  std::set<const Function*> running_;    ///< that are followed
  std::map<std::string, KnownPackage, std::less<>> known_;
  std::set<std::shared_ptr<Module>> editables_;                     ///< finders of editable installations
  std::map<std::string, std::string, std::less<>> editable_files_;  ///< a module: its file or folder, of them
  std::map<std::string, std::vector<std::string>, std::less<>> editable_namespaces_;  ///< a module: its folders
  std::set<std::string, std::less<>> lazy_modules_;
  std::set<std::string, std::less<>> opened_by_table_;
  std::string by_package_;  ///< of what is opened now
  std::string by_file_;     ///< likewise; empty: the module that runs
  std::uint32_t line_ = 0;  ///< of the statement
  std::int64_t dlopen_flags_ = 2;
  int undecided_ = 0;               ///< guesses around the statement
  int possible_ = 0;                ///< of those: what is perhaps done, and cannot fail
  int loops_ = 0;                   ///< that are carried out, in the frame
  bool is_loop_uncertain_ = false;  ///< the loop around may have been left
  std::string record_site_;         ///< of the RECORD that was read last
  int unknown_calls_ = 0;           ///< so far
  int depth_ = 0;                   ///< modules in each other
  int call_depth_ = 0;
  int nesting_ = 0;  ///< blocks and expressions in each other, through modules and calls
  int calls_left_ = kMaxPythonCalls;
  int turns_left_ = kMaxPythonTurns;
  int steps_left_ = kMaxPythonSteps;
  std::uint64_t bytes_ = 0;
  std::map<std::string, bool, std::less<>> strings_;  ///< "FILE\nTEXT": does it stand in the file?
  bool is_in_site_ = false;                           ///< before the import that is asked about
  bool is_path_unknown_ = false;                      ///< a source has added to sys.path what is not known
  bool is_stopped_ = false;
};

}  // namespace soresolve::python
