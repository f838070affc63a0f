// What raises, and what catches: `try`, `with`, `raise`, `assert`. Source: the Python Language Reference, "Compound
// statements"; the Library Reference, contextlib.
#include <algorithm>
#include <utility>

#include "python/evaluator.h"

namespace soresolve::python {
namespace {

/// "E" of E("…") and of a.E.
std::string_view class_name_in(const Expression& expression) {
  return expression.kind == ExpressionKind::Call ? expression.parts[0].text : expression.text;
}

}  // namespace

Evaluator::Flow Evaluator::run_try(const Statement& statement) {
  const int unknown_before = unknown_calls_;
  heap_.begin();
  trials_.push_back({&statement});
  Flow flow = run_block(statement.body);
  const bool may_catch = trials_.back().may_catch;
  trials_.pop_back();
  const Changes changes = heap_.take();
  heap_.keep(changes);
  const bool is_cut = is_stopped_ || (raised_ && raised_->is_cut);
  if (flow == Flow::Raise && !is_cut) {
    flow = run_caught(statement);
  } else if (!is_cut) {
    // What is called there and not known may raise what the source expects: nobody says that it does.
    const bool may_fail = !statement.clauses.empty() && (may_catch || unknown_calls_ != unknown_before);
    const Flow end = flow;
    const auto go_on = [&] { return end == Flow::Next ? run_block(statement.otherwise) : end; };
    if (!may_fail) {
      flow = go_on();
    } else {
      const int quiet = may_catch ? 0 : 1;
      Alternatives all(*this);
      all.add(true, go_on);
      quiet_ += quiet;
      for (const Clause& clause : statement.clauses) {
        all.add(false, [&] {
          spoil(changes);
          return run_handler(clause, std::nullopt);
        });
      }
      quiet_ -= quiet;
      flow = all.end();
    }
  }
  if (statement.finally.empty() || is_stopped_ || (raised_ && raised_->is_cut)) return flow;
  std::optional<Raised> raised = std::exchange(raised_, std::nullopt);
  const Value returned = frame_->returned;
  const Flow last = run_block(statement.finally);
  if (last != Flow::Next) return last;
  frame_->returned = returned;
  raised_ = std::move(raised);
  return flow;
}

// By the handlers of a `try` whose body raises.
Evaluator::Flow Evaluator::run_caught(const Statement& statement) {
  const Raised raised = *raised_;
  if (!statement.clauses.empty() && statement.clauses[0].is_of_group) {
    // Each clause takes its part of a group; an exception alone is one of one.
    const bool is_group = raised.what.is(ValueKind::Instance) &&
                          is_derived(*raised.what.object->type, *exception_class("BaseExceptionGroup"));
    std::vector<Value> rest = {raised.what};
    if (is_group && raised.what.items().size() > 1) {
      const auto parts = items_of(raised.what.items()[1]);
      rest = parts.value_or(std::vector<Value>{Value{}});
    }
    for (const Clause& clause : statement.clauses) {
      const std::size_t before = rest.size();
      bool is_known = true;
      std::erase_if(rest, [&](const Value& part) {
        const auto caught = catches(clause, {.what = part});
        is_known = is_known && caught;
        return caught == true;
      });
      if (!is_known) rest = {Value{}};
      raised_.reset();
      if (rest.size() == before && is_known) continue;
      if (const Flow flow = run_handler(clause, Raised{.raised_by = raised.raised_by}); flow != Flow::Next) return flow;
    }
    if (rest.empty()) return Flow::Next;
    Raised left = raised;
    if (is_group) left.what = make_exception(*raised.what.object->type, {});
    if (is_group) left.what.object->has_escaped = true;
    raise(std::move(left));
    return Flow::Raise;
  }
  for (std::size_t i = 0; i < statement.clauses.size(); ++i) {
    const Clause& clause = statement.clauses[i];
    const std::optional<bool> caught = catches(clause, raised);
    if (raised_ && raised_->what.object != raised.what.object) return Flow::Raise;
    if (caught == false) continue;
    raised_.reset();
    if (caught == true) return run_handler(clause, raised);
    Alternatives both(*this);
    both.add(true, [&] { return run_handler(clause, raised); });
    both.add(false, [&] {
      raise(raised);
      return Flow::Raise;
    });
    return both.end();
  }
  raised_ = raised;
  return Flow::Raise;
}

// `caught`: nothing is known of what it is.
Evaluator::Flow Evaluator::run_handler(const Clause& clause, std::optional<Raised> caught) {
  raised_.reset();
  if (!clause.name.empty()) set(clause.name, caught ? caught->what : Value{});
  handled_.push_back(caught ? *std::move(caught) : Raised{});
  const Flow flow = run_block(clause.body);
  handled_.pop_back();
  if (!clause.name.empty()) {
    if (Scope* const scope = scope_of(clause.name)) heap_.erase(*scope, clause.name);
  }
  return flow;
}

// A class of which nothing is known is taken by its name.
std::optional<bool> Evaluator::is_of_class(const Value& classes, std::string_view name, const Raised& raised) {
  if (classes.is(ValueKind::Tuple)) {
    std::optional<bool> any = false;
    for (const Value& each : classes.items()) {
      const auto one = is_of_class(each, {}, raised);
      if (one == true) return true;
      if (!one) any.reset();
    }
    return any;
  }
  if (!raised.what.is(ValueKind::Instance)) {
    const bool is_base =
        classes.is(ValueKind::Class) && (classes.text() == "Exception" || classes.text() == "BaseException");
    return is_base ? std::optional(true) : std::nullopt;
  }
  const ClassObject& type = *raised.what.object->type;
  const std::string_view wanted = classes.is(ValueKind::Class) ? std::string_view(classes.text()) : name;
  const bool is_named = std::any_of(type.order.begin(), type.order.end(), [&](const ClassObject* each) {
    return last_part(each->text) == last_part(wanted) && (each->is_open || !classes.is(ValueKind::Class));
  });
  if (is_named) return true;
  if (!classes.is(ValueKind::Class)) return std::nullopt;
  if (is_derived(type, static_cast<const ClassObject&>(*classes.object))) return true;
  return type.is_open && !static_cast<const ClassObject&>(*classes.object).module.empty() ? std::nullopt
                                                                                          : std::optional(false);
}

std::optional<bool> Evaluator::catches(const Clause& clause, const Raised& raised) {
  if (raised.is_cut) return false;
  if (clause.catches_all) return true;
  std::optional<Raised> before = std::exchange(raised_, std::nullopt);
  const int calls = unknown_calls_;
  const auto named = [&](const Expression& value) { return is_of_class(evaluate(value), value.text, raised); };
  const bool is_tuple = clause.value.kind == ExpressionKind::Tuple;
  bool is_caught = false;
  bool is_known = true;
  for (std::size_t i = 0; i < (is_tuple ? clause.value.parts.size() : 1) && !is_caught; ++i) {
    const std::optional<bool> one = named(is_tuple ? clause.value.parts[i] : clause.value);
    is_caught = one.value_or(false);
    is_known = is_known && one.has_value();
  }
  unknown_calls_ = calls;
  raised_ = std::move(before);
  return is_caught || is_known ? std::optional(is_caught) : std::nullopt;
}

// Does a handler around in the sources that run catch exceptions of this class?
bool Evaluator::is_expected(std::string_view type) {
  Raised raised;
  raised.what = make_exception(*exception_class(type), {});
  return std::any_of(trials_.begin(), trials_.end(), [&](const Trial& each) {
    return std::any_of(each.statement->clauses.begin(), each.statement->clauses.end(),
                       [&](const Clause& clause) { return catches(clause, raised) == true; });
  });
}

// Leaves a manager of contextlib or of a source, with what is raised in its body. Is that caught? Others let all pass.
std::optional<bool> Evaluator::leave_manager(const Value& manager, const std::optional<Raised>& raised) {
  if (manager.is(ValueKind::Opened) && manager.text() == "suppress") {
    if (!raised) return false;
    const std::optional<bool> is_one = is_of_class(heap_.tuple(manager.items()), {}, *raised);
    return is_one == false && manager.has_escaped() ? std::nullopt : is_one;
  }
  if (manager.is(ValueKind::Instance)) {
    raised_.reset();
    std::vector<Value> given(3, none());
    const bool has_class = raised && raised->what.is(ValueKind::Instance);
    if (raised) given = {has_class ? of(raised->what.object->type) : Value{}, raised->what, Value{}};
    const auto made = special(manager, "__exit__", std::move(given));
    if (!raised || !made) return manager.object->type->is_open && raised ? std::nullopt : std::optional(false);
    return tested(*made);
  }
  if (!manager.is(ValueKind::Iterator)) return false;
  Value item;
  const Pull pulled = pull(manager, item);
  return pulled == Pull::Unknown && raised ? std::nullopt : std::optional(raised && pulled == Pull::End);
}

Evaluator::Flow Evaluator::run_with(const Statement& statement, std::size_t first) {
  if (first + 1 >= statement.values.size()) return run_block(statement.body);
  const Value manager = evaluate(statement.values[first]);
  if (is_over()) return Flow::Raise;
  Value entered;
  if (manager.is(ValueKind::Instance)) {
    entered = special(manager, "__enter__", {}).value_or(Value{});
  } else if (manager.is(ValueKind::Iterator)) {
    if (pull(manager, entered) == Pull::Unknown) entered = {};
  } else if (manager.is(ValueKind::Opened) && manager.text() == "file") {
    entered = manager;
  } else if (manager.is(ValueKind::Opened) && manager.text() == "nullcontext") {
    entered = manager.items()[0];
  }
  if (is_over()) return Flow::Raise;
  if (statement.values[first + 1].kind != ExpressionKind::Opaque) bind(statement.values[first + 1], entered);
  const Flow flow = is_over() ? Flow::Raise : run_with(statement, first + 2);
  if (is_stopped_ || (raised_ && raised_->is_cut)) return flow;
  const std::optional<Raised> raised = raised_;
  const Value returned = frame_->returned;
  const std::optional<bool> is_caught = leave_manager(manager, raised);
  const bool is_other = raised_ && !(raised && raised_->what.object == raised->what.object);
  if (is_stopped_ || is_other) return Flow::Raise;
  frame_->returned = returned;
  raised_.reset();
  if (!raised) return flow;
  if (is_caught.value_or(false)) return Flow::Next;
  raise(*raised);
  if (is_caught.has_value()) return Flow::Raise;
  drop();
  return Flow::Next;
}

Evaluator::Flow Evaluator::run_raise(const Statement& statement) {
  const std::string place = frame_->module->file + ":" + std::to_string(statement.line);
  if (statement.values.empty()) {
    if (handled_.empty())
      raise_text("RuntimeError: No active exception to reraise");
    else
      raise(handled_.back());
    raised_->raised_by = place;
    return Flow::Raise;
  }
  const Expression& what = statement.values[0];
  Value value = evaluate(what);
  if (!is_over() && statement.values.size() > 1) evaluate(statement.values[1]);
  if (is_over()) return Flow::Raise;
  if (value.is(ValueKind::Class) && is_error(static_cast<ClassObject&>(*value.object)))
    value = instantiate(static_cast<ClassObject&>(*value.object), {});
  if (is_over()) return Flow::Raise;
  const bool is_exception =
      value.is(ValueKind::Instance) && (is_error(*value.object->type) || value.object->type->is_open);
  if (!is_exception && !value.is_unknown() && !value.is(ValueKind::Known) && !value.is(ValueKind::Opened)) {
    raise_text("TypeError: exceptions must derive from BaseException");
    return Flow::Raise;
  }
  if (!is_exception) {
    // A variable may be anything; classes have an upper case letter.
    const std::string_view name = class_name_in(what);
    const bool is_class = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
    auto* const type = heap_.make<ClassObject>(ValueKind::Class);
    type->text = is_class ? std::string(name) : "Exception";
    type->is_open = true;
    type->order = {type, exception_class("Exception"), exception_class("BaseException")};
    value = make_exception(*type, {});
    value.object->has_escaped = true;
  }
  Raised made{.what = value};
  if (!handled_.empty()) made.open = handled_.back().open;
  made.is_of_operation = !handled_.empty() && handled_.back().is_of_operation;
  made.raised_by = place;
  made.is_of_module = call_depth_ == 0;
  raise(std::move(made));
  return Flow::Raise;
}

Evaluator::Flow Evaluator::run_assert(const Statement& statement) {
  const std::optional<bool> truth = tested(evaluate(statement.values[0]));
  if (is_over()) return Flow::Raise;
  if (truth == true) return Flow::Next;
  const auto fail = [&] {
    std::vector<Value> args;
    if (statement.values.size() > 1) args.push_back(evaluate(statement.values[1]));
    if (is_over()) return Flow::Raise;
    raise({.what = make_exception(*exception_class("AssertionError"), std::move(args)),
           .raised_by = frame_->module->file + ":" + std::to_string(statement.line)});
    return Flow::Raise;
  };
  if (truth == false) return fail();
  Alternatives both(*this);
  both.add(false, fail);
  both.add_nothing();
  return both.end();
}

}  // namespace soresolve::python
