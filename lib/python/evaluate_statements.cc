// Statements in their order. Source: the Python Language Reference, "Simple statements", "Compound statements".
#include <algorithm>
#include <utility>

#include "python/built_in_names.h"
#include "python/evaluator.h"

namespace soresolve::python {
namespace {

std::string_view last_part(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

}  // namespace

// Deeper than the stack should be, a block is one that is perhaps run.
Evaluator::Flow Evaluator::run_block(const Block& block) {
  if (block.empty()) return Flow::Next;
  if (nesting_ >= kMaxPythonDepth) {
    limit("import-cut-depth", kMaxPythonDepth);
    pass_over(block);
    return Flow::Next;
  }
  ++nesting_;
  Flow flow = Flow::Next;
  for (const Statement& statement : block) {
    flow = run_statement(statement);
    if (flow != Flow::Next) break;
  }
  --nesting_;
  return flow;
}

Evaluator::Flow Evaluator::run_statement(const Statement& statement) {
  if (is_over()) return Flow::Raise;
  if (--steps_left_ <= 0) {
    limit("import-cut-steps", kMaxPythonSteps);
    is_stopped_ = true;
    return Flow::Raise;
  }
  line_ = statement.line;
  if (!frame_->is_function) frame_->module->line = statement.line;
  switch (statement.kind) {
    case StatementKind::Opaque: pass_over(statement.body); break;
    case StatementKind::Expression:
      if (!raises_name_error(statement.values[0])) evaluate(statement.values[0]);
      break;
    case StatementKind::Assign: {
      const Value value = evaluate(statement.values.back());
      for (std::size_t i = 0; i + 1 < statement.values.size() && !is_over(); ++i) bind(statement.values[i], value);
      break;
    }
    case StatementKind::Change: return change(statement);
    case StatementKind::Import: import_statement(statement); break;
    case StatementKind::From: from_statement(statement); break;
    case StatementKind::If: return run_if(statement);
    case StatementKind::While: return run_while(statement);
    case StatementKind::For: return run_for(statement);
    case StatementKind::Try: return run_try(statement);
    case StatementKind::With: return run_with(statement);
    case StatementKind::Function: define(statement); break;
    case StatementKind::Class: return run_class(statement);
    case StatementKind::Return:
      frame_->returned = statement.values.empty() ? none() : evaluate(statement.values[0]);
      return is_over() ? Flow::Raise : Flow::Return;
    case StatementKind::Raise: return run_raise(statement);
    case StatementKind::Break: return Flow::Break;
    case StatementKind::Continue: return Flow::Continue;
    case StatementKind::Delete: forget_target(statement.values[0]); break;
    case StatementKind::Global:
      for (const Alias& alias : statement.aliases) frame_->globals.emplace(alias.name);
      break;
  }
  return is_over() ? Flow::Raise : Flow::Next;
}

// `try: NAME` / `except NameError:` asks whether a name is there (numpy's __NUMPY_SETUP__); elsewhere what is not known
// is no failure.
bool Evaluator::raises_name_error(const Expression& value) {
  const bool is_plain = value.kind == ExpressionKind::Name && !frame_->module->is_open && !may_be_built_in(value.text);
  if (!is_plain || find(value.text) != nullptr || !evaluate_name(value.text).is_unknown()) return false;
  if (!is_expected("NameError")) return false;
  raise_text("NameError: name '" + std::string(value.text) + "' is not defined");
  return true;
}

Evaluator::Flow Evaluator::run_if(const Statement& statement) {
  bool is_decided = true;
  const auto run = [&](const Block& block) {
    if (is_decided) return run_block(block);
    if (raises(block)) {
      pass_over(block);
      return Flow::Next;
    }
    return run_guess(block);
  };
  for (const Clause& clause : statement.clauses) {
    const Value condition = evaluate(clause.value);
    const std::optional<bool> truth = condition.truth();
    if (is_over()) return Flow::Raise;
    if (truth == true) return run(clause.body);
    if (truth == false) continue;
    is_decided = false;
    if (condition.is_probable()) return run(clause.body);
    import_perhaps(clause.body);
    pass_over(clause.body);
  }
  return run(statement.otherwise);
}

Evaluator::Flow Evaluator::run_while(const Statement& statement) {
  constexpr int kMostTurns = 100;
  bool is_left = false;
  const bool was_uncertain = is_loop_uncertain_;
  ++loops_;
  Flow flow = Flow::Next;
  for (int turn = 0; flow == Flow::Next && !is_left; ++turn) {
    const std::optional<bool> truth = evaluate(statement.values[0]).truth();
    if (is_over()) flow = Flow::Raise;
    if (truth == false || flow != Flow::Next) break;
    if (!truth || turn == kMostTurns || --turns_left_ < 0) {
      pass_over(statement.body);
      is_left = true;
    } else {
      flow = run_turn(statement.body, is_left);
    }
  }
  --loops_;
  is_loop_uncertain_ = was_uncertain;
  if (flow == Flow::Next && !is_left) flow = run_block(statement.otherwise);
  return flow;
}

// One turn of a loop, of which nothing is left but whether it ends the loop. An exception that leaves an uncertain loop
// is dropped.
Evaluator::Flow Evaluator::run_turn(const Block& body, bool& is_left) {
  const Flow flow = run_block(body);
  is_left = flow == Flow::Break;
  if (flow == Flow::Raise && is_loop_uncertain_ && !is_stopped_) {
    raised_.reset();
    is_left = true;
    return Flow::Next;
  }
  return flow == Flow::Break || flow == Flow::Continue ? Flow::Next : flow;
}

Evaluator::Flow Evaluator::run_for(const Statement& statement) {
  Value whole = evaluate(statement.values[1]);
  if (is_over()) return Flow::Raise;
  if (whole.is(ValueKind::Mapping)) whole = known_functions_.method(whole, "keys", {});
  if (!whole.is(ValueKind::List)) {
    forget_target(statement.values[0]);
    ++loops_;
    const bool was_uncertain = is_loop_uncertain_;
    pass_over(statement.body);
    is_loop_uncertain_ = was_uncertain;
    --loops_;
    pass_over(statement.otherwise);
    return Flow::Next;
  }
  bool is_left = false;
  const bool was_uncertain = is_loop_uncertain_;
  Flow flow = Flow::Next;
  ++loops_;
  for (const Value& item : *whole.items) {
    if (flow != Flow::Next || is_left) break;
    if (--turns_left_ < 0) {
      pass_over(statement.body);
      is_left = true;
      break;
    }
    bind(statement.values[0], item);
    flow = run_turn(statement.body, is_left);
  }
  --loops_;
  const bool is_uncertain = std::exchange(is_loop_uncertain_, was_uncertain) && !was_uncertain;
  if (is_uncertain) forget_names(statement.body, true);
  if (flow != Flow::Next || is_left) return flow;
  return is_uncertain ? run_guess(statement.otherwise) : run_block(statement.otherwise);
}

Evaluator::Flow Evaluator::run_try(const Statement& statement) {
  const int unknown_before = unknown_calls_;
  tries_.push_back(&statement);
  Flow flow = run_block(statement.body);
  tries_.pop_back();
  if (flow == Flow::Raise && !is_stopped_) {
    const std::vector<std::string> types = raised_->types;
    const auto clause = std::find_if(statement.clauses.begin(), statement.clauses.end(),
                                     [&](const Clause& each) { return catches(each, types); });
    if (clause != statement.clauses.end()) flow = run_handler(*clause);
  } else if (flow == Flow::Next) {
    // What is called there and not known may raise what the source expects.
    const bool may_fail = unknown_calls_ != unknown_before && !statement.clauses.empty();
    flow = may_fail ? run_guess(statement.otherwise) : run_block(statement.otherwise);
    for (const Clause& clause : statement.clauses) {
      if (!may_fail || flow != Flow::Next) break;
      doubt_names(clause.body);
      note_leaving(clause.body, 0);
    }
  }
  if (statement.finally.empty() || is_stopped_) return flow;
  std::optional<Raised> raised = std::exchange(raised_, std::nullopt);
  const Flow last = run_block(statement.finally);
  if (last != Flow::Next) return last;
  raised_ = std::move(raised);
  return flow;
}

Evaluator::Flow Evaluator::run_handler(const Clause& clause) {
  handled_.push_back(*std::exchange(raised_, std::nullopt));
  const Raised& caught = handled_.back();
  if (!clause.name.empty()) {
    set(clause.name, {.kind = ValueKind::Error,
                      .number = caught.is_text_known ? 0 : 1,
                      .text = caught.text,
                      .types = std::make_shared<const std::vector<std::string>>(caught.types)});
  }
  const Flow flow = run_block(clause.body);
  handled_.pop_back();
  return flow;
}

bool Evaluator::names_class(const Expression& value, const std::vector<std::string>& types) {
  if (value.kind == ExpressionKind::Tuple) {
    return std::any_of(value.parts.begin(), value.parts.end(),
                       [&](const Expression& part) { return names_class(part, types); });
  }
  const Value named = evaluate(value);
  if (named.is(ValueKind::List)) {
    return std::any_of(named.items->begin(), named.items->end(), [&](const Value& item) {
      return item.is(ValueKind::Class) && std::any_of(types.begin(), types.end(), [&](const std::string& type) {
               return last_part(type) == last_part(item.types->front());
             });
    });
  }
  // A class of which nothing is known is taken by its name.
  const std::string_view name = named.is(ValueKind::Class) ? std::string_view(named.types->front()) : value.text;
  return std::any_of(types.begin(), types.end(),
                     [&](const std::string& type) { return last_part(type) == last_part(name); });
}

bool Evaluator::catches(const Clause& clause, const std::vector<std::string>& types) {
  if (clause.catches_all) return true;
  std::optional<Raised> raised = std::exchange(raised_, std::nullopt);
  const bool is_caught = names_class(clause.value, types);
  raised_ = std::move(raised);
  return is_caught;
}

// Does a handler around in the sources that run catch exceptions of this class?
bool Evaluator::is_expected(std::string_view type) {
  const Value known = KnownFunctions::exception_class(type);
  for (const Statement* each : tries_) {
    for (const Clause& clause : each->clauses) {
      if (catches(clause, *known.types)) return true;
    }
  }
  return false;
}

// contextlib.suppress() catches; other managers let all pass.
Evaluator::Flow Evaluator::run_with(const Statement& statement) {
  std::vector<std::string> suppressed;
  bool suppresses = false;
  bool is_any_suppressed = false;  // perhaps
  for (std::size_t i = 0; i + 1 < statement.values.size(); i += 2) {
    const Expression& manager = statement.values[i];
    const Value callee = manager.kind == ExpressionKind::Call ? evaluate(manager.parts[0]) : Value{};
    if (callee.is(ValueKind::Known) && callee.text == "contextlib.suppress") {
      suppresses = true;
      const Arguments given = arguments_of(manager);
      is_any_suppressed = is_any_suppressed || !given.is_complete();
      for (const Value& type : given) {
        if (type.is(ValueKind::Class)) suppressed.push_back(type.types->front());
      }
      continue;
    }
    const Value entered = evaluate(manager);
    if (is_over()) return Flow::Raise;
    if (statement.values[i + 1].kind != ExpressionKind::Opaque)
      bind(statement.values[i + 1], entered.is_unknown() ? Value{} : entered);
  }
  const Flow flow = run_block(statement.body);
  if (flow != Flow::Raise || !suppresses || is_stopped_) return flow;
  const bool is_caught =
      is_any_suppressed || std::any_of(suppressed.begin(), suppressed.end(), [&](const std::string& type) {
        return std::find(raised_->types.begin(), raised_->types.end(), type) != raised_->types.end();
      });
  if (!is_caught) return flow;
  raised_.reset();
  return Flow::Next;
}

Evaluator::Flow Evaluator::run_class(const Statement& statement) {
  std::vector<std::string> types = {frame_->module->name + "." + std::string(statement.text)};
  auto body = std::make_shared<ClassBody>();
  for (const Expression& base : statement.values) {
    const Value value = evaluate(base);
    if (base.kind != ExpressionKind::Keyword) body->bases.push_back(value.of_class);
    if (value.is(ValueKind::Class))
      types.insert(types.end(), value.types->begin(), value.types->end());
    else if (!base.text.empty())
      types.emplace_back(base.text);
  }
  const auto scope = std::make_shared<Scope>();
  scope->outer = frame_->scope;
  body->scope = scope;
  captured_.push_back(scope);
  Frame frame{frame_->module, scope, frame_->is_function};
  Frame* const outer = std::exchange(frame_, &frame);
  const Flow flow = run_block(statement.body);
  frame_ = outer;
  if (flow == Flow::Raise) return flow;
  const auto made = scope->names.find("__init__");
  const bool has_maker = made != scope->names.end() && made->second.is(ValueKind::Function);
  set(statement.text, {.kind = ValueKind::Class,
                       .types = std::make_shared<const std::vector<std::string>>(std::move(types)),
                       .closure = has_maker ? made->second.closure : nullptr,
                       .of_class = std::move(body)});
  return Flow::Next;
}

Evaluator::Flow Evaluator::run_raise(const Statement& statement) {
  const std::string place = frame_->module->file + ":" + std::to_string(statement.line);
  if (statement.values.empty()) {
    if (handled_.empty())
      raise({.types = {"RuntimeError", "Exception", "BaseException"}});
    else
      raise(handled_.back());
    raised_->raised_by = place;
    return Flow::Raise;
  }
  const Expression& what = statement.values[0];
  const Value value = evaluate(what);
  if (is_over()) return Flow::Raise;
  const Expression& named = what.kind == ExpressionKind::Call ? what.parts[0] : what;
  const bool is_known = value.is(ValueKind::Error) || value.is(ValueKind::Class);
  Raised made{.types = is_known ? *value.types
                                : std::vector<std::string>{std::string(named.text), "Exception", "BaseException"}};
  // A variable may be anything; classes have an upper case letter.
  const bool is_class = is_known || (!named.text.empty() && named.text[0] >= 'A' && named.text[0] <= 'Z');
  if (!is_class) made.types.front() = "Exception";
  if (value.is(ValueKind::Error)) {
    made.text = value.text;
    made.is_text_known = value.number == 0;
  } else {
    made.is_text_known = what.kind != ExpressionKind::Call && value.is(ValueKind::Class);
  }
  if (!handled_.empty()) made.open = handled_.back().open;
  made.raised_by = place;
  raise(std::move(made));
  return Flow::Raise;
}

Evaluator::Flow Evaluator::change(const Statement& statement) {
  const Expression& target = statement.values[0];
  const Value old = evaluate(target);
  const Value by = evaluate(statement.values[1]);
  if (is_over()) return Flow::Raise;
  const std::string_view sign = statement.text.substr(0, statement.text.size() - 1);
  if (old.is(ValueKind::Known) && old.text == "sys.path") {
    change_path("sys.path.extend", Arguments({by}));
  } else {
    bind(target, operate(old, sign, by));
  }
  return Flow::Next;
}

// What a decorator makes of a function that imports or opens: most return it, as it is or in another one.
Value Evaluator::decorated(const Expression& decorator, const Value& function) {
  Value made;
  perhaps([&] {
    const bool is_call = decorator.kind == ExpressionKind::Call;
    const Value callee = evaluate(is_call ? decorator.parts[0] : decorator);
    const bool is_followed = function.is(ValueKind::Function) && callee.is(ValueKind::Function);
    const Value wrapper = !is_call       ? callee
                          : !is_followed ? evaluate(decorator)
                                         : follow(*callee.closure, arguments_of(decorator), Follow::Always);
    if (!wrapper.is(ValueKind::Function)) return;
    const Value given = is_followed ? function : object();
    made = follow(*wrapper.closure, Arguments({given}), is_followed ? Follow::Always : Follow::WorthIt);
  });
  return made.is(ValueKind::Function) ? made : Value{};
}

void Evaluator::define(const Statement& statement) {
  const std::vector<Expression>& decorators = statement.function->decorators;
  // A cache calls the function; any other decorator may do anything with it.
  const bool is_plain = std::all_of(decorators.begin(), decorators.end(), [](const Expression& decorator) {
    const Expression& name = decorator.kind == ExpressionKind::Call ? decorator.parts[0] : decorator;
    return name.text.find("cache") != std::string_view::npos;
  });
  const std::shared_ptr<Scope> outer = frame_->scope == frame_->module->scope ? nullptr : frame_->scope;
  if (outer) captured_.push_back(outer);
  Value function{.kind = ValueKind::Function,
                 .closure = std::make_shared<const Closure>(Closure{statement.function, frame_->module->name, outer})};
  if (is_plain) return set(statement.text, std::move(function));
  const std::string_view suite = statement.function->suite;
  const bool is_worth_it = suite.find("import ") != std::string_view::npos ||
                           suite.find("cdll") != std::string_view::npos || suite.find("DLL(") != std::string_view::npos;
  if (!is_worth_it) function = {};
  for (std::size_t i = decorators.size(); i-- > 0;) function = decorated(decorators[i], function);
  set(statement.text, std::move(function));
}

void Evaluator::set(std::string_view name, Value value) {
  const bool is_global = frame_->globals.find(name) != frame_->globals.end();
  Scope& scope = is_global ? *frame_->module->scope : *frame_->scope;
  scope.names.insert_or_assign(std::string(name), std::move(value));
}

Value* Evaluator::find(std::string_view name) {
  const bool is_global = frame_->globals.find(name) != frame_->globals.end();
  for (Scope* scope = is_global ? nullptr : frame_->scope.get(); scope != nullptr; scope = scope->outer.get()) {
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) return &found->second;
  }
  const auto found = frame_->module->scope->names.find(name);
  return found == frame_->module->scope->names.end() ? nullptr : &found->second;
}

void Evaluator::bind(const Expression& target, const Value& value) {
  switch (target.kind) {
    case ExpressionKind::Name: return set(target.text, value);
    case ExpressionKind::Tuple: {
      const bool fits = value.is(ValueKind::List) && value.items->size() == target.parts.size();
      for (std::size_t i = 0; i < target.parts.size(); ++i) bind(target.parts[i], fits ? (*value.items)[i] : Value{});
      return;
    }
    case ExpressionKind::Attribute: {
      const Value base = evaluate(target.parts[0]);
      if (base.is(ValueKind::Module)) {
        if (base.text == "sys" && target.text == "path") is_path_unknown_ = true;
        if (const auto module = loaded(base.text))
          module->scope->names.insert_or_assign(std::string(target.text), value);
      }
      return;
    }
    case ExpressionKind::Subscript: return bind_item(target, value);
    default: return;
  }
}

void Evaluator::bind_item(const Expression& target, const Value& value) {
  const Value base = evaluate(target.parts[0]);
  const Value key = evaluate(target.parts[1]);
  if (is_over()) return;
  if (base.is(ValueKind::Known)) {
    if (base.text == "os.environ") known_functions_.set_variable(key, value);
    if (base.text == "sys.path") is_path_unknown_ = true;
    if (base.text == "sys.modules" && key.is_text()) {
      const auto aliased = value.is(ValueKind::Module) ? loaded(value.text) : nullptr;
      auto made = std::make_shared<Module>();
      made->name = key.text;
      made->is_open = true;
      modules_.insert_or_assign(key.text, aliased ? aliased : made);
    }
    return;
  }
  const bool is_globals = target.parts[0].kind == ExpressionKind::Call;
  if (is_globals) frame_->module->is_open = true;
  forget_target(target);
}

}  // namespace soresolve::python
