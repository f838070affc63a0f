// One evaluation of an import: the state behind PythonImporter, not for others.
//
// A module's source is carried out statement by statement, in the order of the Language Reference, on values of which
// many are not known (value.h). There is one state. The rules for what is not known:
//  - A condition that is not decided, a call that may raise what a handler around it catches, a pattern: each
//    alternative is carried out, one behind the other, each from the state before, and what it changes is taken back.
//    What all that go on agree in is so behind it; all else is not known any more (Alternatives). What a source does in
//    general, `else` and the body of a `try`, is a guess; the other alternatives are possibilities only.
//  - A loop over what is not known is one: its body is carried out until it changes nothing more that is known.
//  - An exception, or a library that cannot be loaded, is a failure only where nothing undecided stands before it: an
//    alternative that raises is dropped, and noted as a doubt (PythonTrace::doubts). What might have left a function or
//    a loop there (return, break, continue) makes the rest of it uncertain in the same way.
//  - A call of what is not followed returns what is not known, and what it gets escapes: objects, and what the
//  functions
//    among them change. It is taken to go on; where it stands in `try`, the handlers are alternatives.
//  - A module that is nowhere is a failure only where nothing could have made it by code.
//
// For example: `try: from . import _ext` / `except ImportError: _ext = None` / `if _ext is None: raise OSError("…")`:
// where the loader refuses _ext, its ImportError is caught, None is assigned, the condition is true, and the import
// ends with the OSError. Were `if check(_ext): raise` there instead, that would be a doubt.
//
// An exception that no statement raises, but an operator, a call or an attribute of an object, ends the evaluation as
// any other; whoever asks takes it for a doubt (world/python_import.cc), since it may be one of the evaluation's own.
//
// Modules: evaluate_modules.cc, and what they give: evaluate_imports.cc; statements: evaluate_statements.cc, with
// evaluate_exceptions.cc, evaluate_patterns.cc and evaluate_targets.cc; what is not decided: alternatives.cc; compiled
// modules: evaluate_native.cc; expressions: evaluate_expressions.cc; calls: evaluate_calls.cc; classes and attributes:
// evaluate_classes.cc, evaluate_records.cc, evaluate_attributes.cc; iterators: evaluate_iterators.cc,
// evaluate_generators.cc; what opens and imports: evaluate_opens.cc; editable installations: evaluate_editables.cc;
// packages whose code opens libraries by itself: evaluate_packages.cc; functions and methods of the interpreter and its
// library: built_in_functions.cc, library_functions.cc, known_methods.cc, text_methods.cc.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dlopen/known_file.h"
#include "dlopen/known_loaders.h"
#include "python/arguments.h"
#include "python/heap.h"
#include "python/import_trace.h"
#include "python/known_functions.h"
#include "python/known_package_files.h"
#include "python/native_names.h"
#include "python/operations.h"
#include "python/pth_code.h"
#include "python/python_environment.h"
#include "python/python_finder.h"
#include "python/sources.h"
#include "python/value.h"

namespace soresolve::python {

/// "a" of "a.b.c".
inline std::string_view top_of(std::string_view module) { return module.substr(0, module.find('.')); }

/// "c" of "a.b.c".
inline std::string_view last_part(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

/// How sure it is that a statement is carried out.
struct Certainty {
  int possible = 0;  ///< 0: it is no possibility only
  int guesses = 0;   ///< conditions around it that are not decided, calls that are followed
  [[nodiscard]] StepEvidence evidence() const {
    return possible != 0 ? StepEvidence::Possible : guesses != 0 ? StepEvidence::Guess : StepEvidence::Likely;
  }
};

struct Module : Holder {
  using Holder::Holder;
  std::string name;
  std::string package;           ///< __package__
  std::string file;              ///< of a source
  std::string native_file = {};  ///< of an extension module; of one that is built in: the interpreter
  bool is_package = false;
  bool is_namespace = false;
  bool is_open = false;      ///< it may have names that are not in its scope
  bool is_standard = false;  ///< of the interpreter's library
  bool is_blocked = false;   ///< None stands in its place in sys.modules
  std::vector<std::string> search;
  std::shared_ptr<const Source> source;
  bool is_running = false;
  std::uint32_t line = 0;                     ///< of the statement that is carried out, while it runs
  Certainty certainty = {};                   ///< of its import
  std::size_t first_open = 0;                 ///< of what that opened
  std::size_t opens_end = std::string::npos;  ///< behind the last one; npos: it is being imported
};

/// A module, class or function whose statements are carried out.
struct Frame {
  Module* module = nullptr;
  Scope* scope = nullptr;
  const FunctionBody* code = nullptr;          ///< of a function
  FunctionObject* function = nullptr;          ///< likewise
  ClassObject* type = nullptr;                 ///< whose body it is
  Scope* around = nullptr;                     ///< of a class's body: that of the function around it
  std::vector<Value>* collected = nullptr;     ///< what it yields, where it is a comprehension
  bool is_perhaps_left = false;                ///< a condition that was not decided may have led out of it
  bool is_perhaps_whole = true;                ///< false: what it yields is not all
  std::optional<Value> perhaps_returned = {};  ///< then; Unknown: one of several
  Value returned = {};
};

/// Where a generator stands: the blocks around its next statement, outermost first.
struct GeneratorPlace {
  enum class Role : std::uint8_t { Block, Loop, Try, Handler, Finally, With };
  Role role = Role::Block;
  const Block* block = nullptr;
  std::size_t next = 0;
  const Statement* owner = nullptr;
  Value iterator = {};  ///< of a Loop over one, a manager of With
};

struct IteratorObject : Object {
  using Object::Object;
  enum class Form : std::uint8_t { Items, Reversed, Enumerate, Zip, Map, Filter, Chain, Call, Generator };
  Form form = Form::Items;  ///< over `items`: containers of Items and Reversed, else iterators; of Map also a function
  Value function = {};      ///< of Map, Filter, Call
  Integer at = 0;
  std::size_t size = 0;  ///< of a mapping or set, as it was at the start
  bool is_done = false;
  bool is_running = false;
  // Of a generator.
  std::unique_ptr<Frame> frame = {};
  std::vector<GeneratorPlace> places = {};
  const Expression* waiting = nullptr;  ///< the target of `x = yield`
  Value inner = {};                     ///< of `yield from`
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

class Evaluator;

/// A function of the interpreter or its library, by its dotted name.
struct KnownCall {
  std::string_view name;
  Value (*call)(Evaluator& in, const Arguments& given);  ///< nullptr: a module or an object whose parts are known
  bool takes_unknown = false;                            ///< also where not all arguments are known
};
std::span<const KnownCall> built_in_functions();
std::span<const KnownCall> library_functions();
/// nullptr: there is none of this name.
const KnownCall* known_call(std::string_view name);
/// All names of both.
std::vector<std::string_view> known_names();

/// What objects of a class of the interpreter are: "int"; nullopt: it has none of this name.
std::optional<ValueKind> kind_of_class(std::string_view name);

class Evaluator : private Operations {
 public:
  Evaluator(const Surroundings& around, PythonFinder finder, const PythonQuestion& question,
            const PythonAnswers& answers);

  PythonTrace run();
  /// With the directories that it has listed by now.
  PythonFinder take_finder() { return std::move(finder_); }

 private:
  friend std::span<const KnownCall> built_in_functions();
  friend std::span<const KnownCall> library_functions();
  friend struct BuiltIns;
  friend struct LibraryFunctions;
  friend struct KnownMethods;
  friend struct TextMethods;
  friend class Alternatives;

  /// How a statement ends. Raise: also where the evaluation is over.
  enum class Flow : std::uint8_t { Next, Break, Continue, Return, Raise };
  struct Raised {
    Value what = {};  ///< an Instance; Unknown: of which class is not known
    std::string raised_by = {};
    std::optional<std::size_t> open = {};  ///< the dlopen that it is raised for
    bool is_of_table = false;              ///< what is known of a package raises it
    bool is_of_module = false;             ///< a statement of a module raises it, in no function
    bool is_of_operation = false;          ///< not a statement: what the interpreter's own operations raise
    bool is_cut = false;                   ///< nothing raises: a call has taken too many steps
    std::string wheel = {};
    std::string site = {};
  };
  /// A `try` whose body is carried out.
  struct Trial {
    const Statement* statement;
    bool may_catch = false;  ///< an alternative in it was dropped that it would have caught
  };
  /// A package in the table, and what of it has been done.
  struct KnownPackage {
    KnownFile file;
    bool is_opened = false;
    bool is_imported = false;
  };
  enum class Pull : std::uint8_t { Item, End, Unknown, Raise };

  // evaluate_modules.cc
  void finish();
  void run_site();
  void run_code(const PthLine& line);
  void limit(std::string_view sentence, std::uint64_t most);
  void doubt(const Raised& raised);
  [[nodiscard]] bool is_over() const { return raised_ || is_stopped_; }
  [[nodiscard]] Module* loaded(std::string_view name) const;
  [[nodiscard]] std::string first_missing(std::string_view module) const;
  [[nodiscard]] std::vector<std::string> search_of(Module* parent);
  bool import_chain(std::string_view name);
  bool import_one(const std::string& name);
  [[nodiscard]] Certainty certainty() const;
  void make_certain(Module& module);
  void run_module(Module& module, const PythonModule& found);
  bool is_compiled(const Module& module);
  [[nodiscard]] bool has_codec(std::string_view name) const;
  void run_source(Module& module);
  void open_extension(Module& module, const std::string& file);
  void open(PythonOpen what);
  void raise(Raised what) { raised_ = std::move(what); }
  void raise_text(const std::string& text, bool is_known = true, std::string wheel = {}, std::string site = {});
  void raise_missing_module(std::string_view name);
  void note_other_python(const std::vector<std::string>& directories, std::string_view name);
  void blame_other_python(const Raised& raised, const std::string& text);
  [[nodiscard]] bool is_removed(const Module& package, std::string_view name) const;
  bool import_or_raise(const std::string& name);
  [[nodiscard]] bool makes_modules(const Module& package) const;
  [[nodiscard]] bool lacks_name(const Module& module, const std::string& name) const;
  void raise_missing_name(const Module& module, const std::string& name);
  [[nodiscard]] std::string absolute_name(std::string_view name, std::uint32_t level) const;
  Value attribute_of(Module& module, std::string_view name, bool is_certain);
  Value ask_module(Module& module, std::string_view name);
  static bool is_lacked(std::string_view module, std::string_view name);
  void import_statement(const Statement& statement);
  void from_statement(const Statement& statement);
  void take_all(Module& module);
  void import_by_hook(Module& module);
  Value take_name(Module& module, const std::string& name);

  // evaluate_native.cc
  void import_from_native(Module& module, const std::string& file);
  void import_linked(const Module& module, const std::string& file);
  void import_members(const Module& module, const std::vector<std::string>& names);
  bool may_be_module(std::string_view name);
  bool is_standard(std::string_view name);

  // evaluate_statements.cc
  Flow run_block(const Block& block);
  Flow run_statement(const Statement& statement);
  Flow run_clauses(const Statement& statement, std::size_t first);
  Flow run_while(const Statement& statement);
  Flow run_for(const Statement& statement);
  Flow run_undecided_loop(const Statement& statement);
  Flow run_turn(const Block& body, bool& is_left);
  Flow run_try(const Statement& statement);
  Flow run_caught(const Statement& statement);
  Flow run_handler(const Clause& clause, std::optional<Raised> caught);
  Flow run_with(const Statement& statement, std::size_t first = 0);
  std::optional<bool> leave_manager(const Value& manager, const std::optional<Raised>& raised);
  Flow run_class(const Statement& statement);
  Flow run_raise(const Statement& statement);
  Flow run_assert(const Statement& statement);
  Flow run_match(const Statement& statement);
  Flow change(const Statement& statement);
  void define(const Statement& statement);
  void annotate(const Statement& statement);
  [[nodiscard]] Value function_of(const std::shared_ptr<const Function>& function);
  [[nodiscard]] std::optional<bool> catches(const Clause& clause, const Raised& raised);
  [[nodiscard]] std::optional<bool> is_of_class(const Value& classes, std::string_view name, const Raised& raised);
  [[nodiscard]] bool is_expected(std::string_view type);
  std::optional<bool> matches_pattern(const Expression& pattern, const Value& value,
                                      std::vector<std::pair<std::string, Value>>& names);
  void bind(const Expression& target, const Value& value);
  void bind_all(const Expression& target, const Value& value);
  void bind_item(const Expression& target, const Value& value);
  void remove(const Expression& target);
  void set(std::string_view name, const Value& value);
  Scope* scope_of(std::string_view name);
  Value* find(std::string_view name);

  // alternatives.cc
  void blur(const Changes& changes);
  void spoil(const Changes& changes);
  void pass_over(const Block& block);
  void escape(const Value& value);
  void escape_function(FunctionObject& function);
  void escape_body(const FunctionObject& function, const FunctionBody& body,
                   const std::set<std::string, std::less<>>& own);
  void drop();
  void perhaps(const std::function<void()>& run);
  void import_perhaps(const Block& block);

  // evaluate_expressions.cc
  Value evaluate(const Expression& expression);
  Value evaluate_kind(const Expression& expression);
  Value evaluate_literal(const Expression& expression);
  Value evaluate_name(std::string_view name);
  Value evaluate_slice(const Expression& expression);
  Value evaluate_strings(const Expression& expression);
  Value evaluate_format(const Expression& expression);
  Value evaluate_logic(const Expression& expression, bool stop);
  Value evaluate_choice(const Expression& expression);
  Value evaluate_items(const Expression& expression);
  Value evaluate_comprehension(const Expression& expression);
  Value evaluate_comparison(const Expression& expression, const Value& left, const Value& right);
  Value evaluate_yield(const Expression& expression);
  /// Raises what has failed.
  Value checked(const Value& value);
  std::optional<bool> tested(const Value& value);

  // evaluate_calls.cc
  Value call(const Expression& expression);
  Arguments arguments_of(const Expression& expression, std::size_t first = 1);
  Value call_value(const Value& callee, const Arguments& given);
  Value call_known(const std::string& dotted, const Arguments& given);
  Value call_method(const Value& self, const std::string& name, const Arguments& given);
  enum class Follow : std::uint8_t { WorthIt, Always };
  Value follow(FunctionObject& function, const Arguments& given, Follow which = Follow::WorthIt);
  Value run_function(FunctionObject& function, const Arguments& given);
  bool bind_parameters(const FunctionObject& function, const Arguments& given, Scope& scope);
  Value unknown_call(const Arguments& given = {});
  std::string qualified(std::string_view name) const;

  // evaluate_classes.cc
  ClassObject* exception_class(std::string_view name);
  Value make_exception(ClassObject& type, std::vector<Value> args);
  void order_class(ClassObject& type);
  Value* find_in_class(const ClassObject& type, std::string_view name, const ClassObject* behind = nullptr) const;
  static bool is_derived(const ClassObject& type, const ClassObject& base);
  [[nodiscard]] bool is_error(const ClassObject& type);
  [[nodiscard]] bool lacks_methods(const ClassObject& type) const;
  Value instantiate(ClassObject& type, const Arguments& given);
  void init_record(ClassObject& type, const Value& self, const Arguments& given);
  Value make_record(ClassObject& type, const Arguments& given);
  void note_fields(ClassObject& type, bool is_tuple, bool is_by_name = false);
  Value record_class(std::string_view name, const Value& fields, const Value& defaults);
  Value attribute(const Value& base, std::string_view name);
  Value instance_attribute(const Value& base, std::string_view name);
  Value class_attribute(ClassObject& type, std::string_view name);
  Value bound(const Value& found, const Value& self, ClassObject& type);
  void set_attribute(const Value& base, std::string_view name, const Value& value);
  void delete_attribute(const Value& base, std::string_view name);
  Value super_of(const Arguments& given);
  std::optional<bool> is_instance(const Value& value, const Value& classes);
  std::optional<bool> is_subclass(const Value& type, const Value& classes);
  Value has_attribute(const Value& base, std::string_view name);
  Value names_of(const Value& base);
  Value name_in(const Value& names, const Value& key);
  void set_name(const Value& names, const Value& key, const Value& value);
  Value type_of(const Value& value);
  std::optional<Value> special(const Value& self, std::string_view name, std::vector<Value> given) override;
  Value decorated(const Value& decorator, const Value& what);

  // evaluate_iterators.cc
  Value iterator_of(const Value& whole, bool any_order = false);
  IteratorObject* make_iterator(IteratorObject::Form form, std::vector<Value> over, const Value& function = {});
  Pull pull(const Value& iterator, Value& item);
  Pull pull_items(IteratorObject& from, Value& item);
  /// False: not all of them are known, or one raises. `take` returns false where it has enough.
  bool for_each(const Value& whole, const std::function<bool(const Value&)>& take, bool any_order = false);
  Value found_in(const Value& whole, const Value& part) override;
  Value as_set(const Value& whole) override;
  Value stop_iteration(const Value& from);
  Value sorted(std::vector<Value> items, const Arguments& given);
  bool update(const Value& whole, const Value& from);
  std::optional<std::vector<Value>> items_of(const Value& whole, bool any_order = false);
  Pull resume(IteratorObject& from, Value& item, const Value& sent);
  bool step_into(IteratorObject& from, const Statement& statement);
  bool end_block(IteratorObject& from);
  bool leave_places(IteratorObject& from, Flow flow);
  bool yields(const Statement& statement);

  // evaluate_opens.cc
  Value files_of_wheel(const Arguments& given);
  Value located(std::string_view path);
  [[nodiscard]] bool has_string(const std::string& file, std::string_view text);
  Value run_text(const Arguments& given);
  Value open_library(const Arguments& given, std::string_view by);
  Value import_by_name(const Arguments& given, bool returns_top);
  Value find_spec(const Arguments& given);
  Value find_library(const Arguments& given);
  Value module_in(const Value& key);

  // evaluate_editables.cc
  void note_editables();
  void note_editable_files(const Value& mapping, const std::string& directory);
  void note_editable_calls(Module& module);
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
  Heap own_heap_;
  PythonFinder finder_;
  KnownPackageFiles known_files_;
  KnownFunctions known_functions_;
  const PythonQuestion& question_;
  const PythonAnswers& answers_;
  PythonTrace trace_;
  std::vector<Certainty> certainties_;  ///< of each open of the trace

  std::map<std::string, Module*, std::less<>> modules_;  ///< sys.modules
  Value path_;                                           ///< sys.path
  Value variables_;                                      ///< os.environ
  std::map<std::string, ClassObject*, std::less<>> exceptions_;
  std::map<const Expression*, Value> literals_;
  std::map<const char*, Expression> fields_;  ///< of f-strings, by their place
  Frame* frame_ = nullptr;
  std::optional<Raised> raised_;
  std::vector<Raised> handled_;  ///< what the handlers around have caught
  std::vector<Trial> trials_;
  std::map<const Statement*, bool> yields_;  ///< does a yield stand in it?
  std::map<const Function*, int> running_;   ///< that are followed
  std::map<std::string, KnownPackage, std::less<>> known_;
  std::set<const Module*> editables_;                               ///< finders of editable installations
  std::map<std::string, std::string, std::less<>> editable_files_;  ///< a module: its file or folder, of them
  std::map<std::string, std::vector<std::string>, std::less<>> editable_namespaces_;  ///< a module: its folders
  std::set<std::string, std::less<>> lazy_modules_;
  std::set<std::string, std::less<>> opened_by_table_;
  std::string by_package_;  ///< of what is opened now
  std::string by_file_;     ///< likewise; empty: the module that runs
  std::uint32_t line_ = 0;  ///< of the statement
  std::int64_t dlopen_flags_ = 2;
  int undecided_ = 0;               ///< alternatives around the statement
  int possible_ = 0;                ///< of those: what is perhaps done, and cannot fail
  int quiet_ = 0;                   ///< of those: what is dropped there is no doubt
  int collecting_ = 0;              ///< alternatives around the comprehension that is carried out
  bool is_asked_ = false;           ///< the statement is a name alone
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
  int call_end_ = 0;  ///< steps that have to be left when the outermost call ends
  std::uint64_t bytes_ = 0;
  std::map<std::string, bool, std::less<>> strings_;  ///< "FILE\nTEXT": does it stand in the file?
  bool is_in_site_ = false;                           ///< before the import that is asked about
  bool is_path_unknown_ = false;                      ///< a source has added to sys.path what is not known
  bool is_stopped_ = false;
};

struct KnownMethods {
  /// A method that values of this kind have; false: they have none of this name, nullopt: it is not known.
  static std::optional<bool> has(ValueKind kind, std::string_view name);
  /// nullopt: it changes the value, and how is not known. NotImplemented: what it returns is not known, and nothing
  /// else.
  static std::optional<Value> call(Evaluator& in, const Value& self, std::string_view name, const Arguments& given);
  /// Of a path, an exception, a tuple with names.
  static std::optional<Value> attribute(Evaluator& in, const Value& self, std::string_view name);

 private:
  static std::optional<Value> of_text(Evaluator& in, const Value& self, std::string_view name, const Arguments& given);
  static std::optional<Value> of_list(Evaluator& in, const Value& self, std::string_view name, const Arguments& given);
  static std::optional<Value> of_set(Evaluator& in, const Value& self, std::string_view name, const Arguments& given);
  static std::optional<Value> of_mapping(Evaluator& in, const Value& self, std::string_view name,
                                         const Arguments& given);
  static std::optional<Value> of_names(Evaluator& in, const Value& self, std::string_view name, const Arguments& given);
  static std::optional<Value> of_file(Evaluator& in, const Value& self, std::string_view name, const Arguments& given);
  static std::optional<Value> of_path(Evaluator& in, const Value& self, std::string_view name, const Arguments& given);
  static std::optional<Value> of_iterator(Evaluator& in, const Value& self, std::string_view name,
                                          const Arguments& given);
  static std::optional<Value> of_super(Evaluator& in, const Value& self, std::string_view name, const Arguments& given);
};

/// What is carried out where one of several things is, and it is not known which.
class Alternatives {
 public:
  using Flow = Evaluator::Flow;
  explicit Alternatives(Evaluator& in) : in_(in) {}
  /// `is_usual`: a guess; else a possibility only. What raises is dropped.
  void add(bool is_usual, const std::function<Flow()>& run);
  /// Nothing is done.
  void add_nothing();
  /// How all of them end, as far as that is the same.
  Flow end();

 private:
  struct End {
    Flow flow;
    bool is_usual;
    Changes changes;
    Value returned;
  };
  Evaluator& in_;
  std::vector<End> ends_;
  std::optional<Evaluator::Raised> raised_;
  bool has_dropped_ = false;
};

}  // namespace soresolve::python
