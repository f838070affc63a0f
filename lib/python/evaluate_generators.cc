// Generators, which are carried out up to their next value. Source: the Python Language Reference, "Yield expressions".
#include <algorithm>
#include <utility>

#include "python/evaluator.h"

namespace soresolve::python {
namespace {

using Role = GeneratorPlace::Role;

constexpr std::size_t kMostPlaces = 60;

}  // namespace

// Does a yield stand in it, apart from functions in it?
bool Evaluator::yields(const Statement& statement) {
  const auto [known, is_new] = yields_.try_emplace(&statement, false);
  if (!is_new) return known->second;
  bool has_one = false;
  for_each_expression(statement, [&](const Expression& each) {
    has_one = has_one || each.kind == ExpressionKind::Yield || each.kind == ExpressionKind::YieldFrom;
  });
  if (statement.kind != StatementKind::Class) {
    for_each_block(statement, [&](const Block& block) {
      has_one = has_one || std::any_of(block.begin(), block.end(), [&](const Statement& each) { return yields(each); });
    });
  }
  return yields_[&statement] = has_one;
}

// Goes into a statement that yields somewhere in it. False: how is not known.
bool Evaluator::step_into(IteratorObject& from, const Statement& statement) {
  if (from.places.size() > kMostPlaces) return false;
  switch (statement.kind) {
    case StatementKind::If:
      for (const Clause& clause : statement.clauses) {
        const auto truth = tested(evaluate(clause.value));
        if (is_over()) return true;
        if (!truth) return false;
        if (!*truth) continue;
        from.places.push_back({.block = &clause.body});
        return true;
      }
      from.places.push_back({.block = &statement.otherwise});
      return true;
    case StatementKind::While:
      from.places.push_back(
          {.role = Role::Loop, .block = &statement.body, .next = statement.body.size(), .owner = &statement});
      return true;
    case StatementKind::For: {
      const Value iterator = iterator_of(evaluate(statement.values[1]));
      if (is_over()) return true;
      if (iterator.is_unknown()) return false;
      from.places.push_back({.role = Role::Loop,
                             .block = &statement.body,
                             .next = statement.body.size(),
                             .owner = &statement,
                             .iterator = iterator});
      return true;
    }
    case StatementKind::Try:
      if (!statement.clauses.empty() && statement.clauses[0].is_of_group) return false;
      from.places.push_back({.role = Role::Try, .block = &statement.body, .owner = &statement});
      return true;
    case StatementKind::With: {
      if (statement.values.size() != 2) return false;
      const Value manager = evaluate(statement.values[0]);
      if (is_over()) return true;
      const bool is_of_source = manager.is(ValueKind::Instance) && !manager.object->type->is_open;
      if (!is_of_source) return false;
      const Value entered = special(manager, "__enter__", {}).value_or(Value{});
      if (!is_over() && statement.values[1].kind != ExpressionKind::Opaque) bind(statement.values[1], entered);
      from.places.push_back({.role = Role::With, .block = &statement.body, .owner = &statement, .iterator = manager});
      return true;
    }
    default: return false;
  }
}

// The innermost block has no more statements. False: what comes next is not known.
bool Evaluator::end_block(IteratorObject& from) {
  const GeneratorPlace place = from.places.back();
  const Statement* const owner = place.owner;
  if (place.role == Role::Loop) {
    bool goes_on = false;
    if (owner->kind == StatementKind::While) {
      const auto truth = tested(evaluate(owner->values[0]));
      if (is_over()) return true;
      if (!truth) return false;
      goes_on = *truth;
    } else {
      Value item;
      const Pull pulled = pull(place.iterator, item);
      if (pulled == Pull::Unknown) return false;
      goes_on = pulled == Pull::Item;
      if (goes_on) bind(owner->values[0], item);
    }
    if (is_over()) return true;
    if (goes_on && --turns_left_ >= 0) {
      from.places.back().next = 0;
      return true;
    }
    if (goes_on) return false;
    from.places.back() = {.block = &owner->otherwise};
    return true;
  }
  from.places.pop_back();
  if (place.role == Role::Handler && !handled_.empty()) handled_.pop_back();
  if (place.role == Role::With) special(place.iterator, "__exit__", std::vector<Value>(3, none()));
  if (place.role == Role::Try) {
    from.places.push_back({.role = Role::Finally, .block = &owner->otherwise, .owner = owner});
  } else if (place.role == Role::Handler || place.role == Role::Finally) {
    from.places.push_back({.block = &owner->finally});
  }
  return true;
}

// What leaves blocks: an exception up to a handler, break and continue up to a loop, return out of all. False: where it
// leads is not known.
bool Evaluator::leave_places(IteratorObject& from, Flow flow) {
  while (!from.places.empty()) {
    GeneratorPlace& place = from.places.back();
    const bool is_of_loop = flow == Flow::Break || flow == Flow::Continue;
    if (place.role == Role::Loop && is_of_loop) {
      place.next = place.block->size();
      if (flow == Flow::Break) from.places.pop_back();
      return true;
    }
    const GeneratorPlace left = place;
    from.places.pop_back();
    if (left.role == Role::Handler && !handled_.empty()) handled_.pop_back();
    if (left.role == Role::With) {
      const std::optional<Raised> raised = std::exchange(raised_, std::nullopt);
      std::vector<Value> given(3, none());
      if (raised)
        given = {raised->what.is(ValueKind::Instance) ? of(raised->what.object->type) : Value{}, raised->what, Value{}};
      const auto made = special(left.iterator, "__exit__", std::move(given));
      const auto is_caught = raised && made ? tested(*made) : std::optional(false);
      if (!is_caught) return false;
      if (is_over()) continue;
      if (*is_caught) return true;
      raised_ = raised;
      continue;
    }
    if (left.role == Role::Try && flow == Flow::Raise && raised_) {
      const Raised raised = *raised_;
      bool is_taken = false;
      for (const Clause& clause : left.owner->clauses) {
        const auto caught = catches(clause, raised);
        if (!caught) return false;
        if (!*caught) continue;
        raised_.reset();
        if (!clause.name.empty()) set(clause.name, raised.what);
        handled_.push_back(raised);
        from.places.push_back({.role = Role::Handler, .block = &clause.body, .owner = left.owner});
        is_taken = true;
        break;
      }
      if (is_taken) return true;
    }
    const bool has_end = left.role == Role::Try || left.role == Role::Handler || left.role == Role::Finally;
    if (!has_end || left.owner->finally.empty()) continue;
    if (std::any_of(left.owner->finally.begin(), left.owner->finally.end(),
                    [&](const Statement& each) { return yields(each); }))
      return false;
    std::optional<Raised> raised = std::exchange(raised_, std::nullopt);
    const Flow last = run_block(left.owner->finally);
    if (last == Flow::Next) raised_ = std::move(raised);
    if (last != Flow::Next) flow = last;
  }
  return true;
}

// Up to the next value, or the end; an exception that is raised already is thrown where it stands.
Evaluator::Pull Evaluator::resume(IteratorObject& from, Value& item, const Value& sent) {
  if (from.has_escaped || from.is_running) return Pull::Unknown;
  if (is_stopped_) return Pull::Raise;
  if (from.is_done) return raised_ ? Pull::Raise : Pull::End;
  if (nesting_ >= kMaxPythonDepth || call_depth_ >= kMaxPythonCallDepth) return Pull::Unknown;
  heap_.touch(from);
  from.is_running = true;
  Frame* const outer = std::exchange(frame_, from.frame.get());
  const std::uint32_t line = line_;
  const int loops = std::exchange(loops_, 0);
  const bool was_uncertain = std::exchange(is_loop_uncertain_, false);
  if (call_depth_ == 0) call_end_ = steps_left_ - 300'000;
  ++call_depth_;
  nesting_ += 4;
  Pull pulled = Pull::Unknown;
  bool is_known = true;
  if (raised_) {
    from.waiting = nullptr;
    from.inner = {};
    is_known = leave_places(from, Flow::Raise);
  } else if (from.waiting != nullptr && from.inner.is_unknown()) {
    bind(*std::exchange(from.waiting, nullptr), sent);
  }
  while (is_known) {
    if (raised_ && (raised_->is_cut || is_stopped_)) {
      pulled = Pull::Raise;
      break;
    }
    if (is_over() && !from.places.empty()) {
      is_known = leave_places(from, Flow::Raise);
      continue;
    }
    if (from.places.empty()) {
      pulled = is_over() ? Pull::Raise : Pull::End;
      break;
    }
    if (!from.inner.is_unknown()) {
      pulled = pull(from.inner, item);
      if (pulled == Pull::Item) break;
      if (pulled == Pull::Unknown) is_known = false;
      if (pulled == Pull::End) {
        const auto& inner = static_cast<const IteratorObject&>(*from.inner.object);
        const Value result = inner.frame ? inner.frame->returned : none();
        if (const Expression* const target = std::exchange(from.waiting, nullptr)) bind(*target, result);
        from.inner = {};
      }
      continue;
    }
    GeneratorPlace& place = from.places.back();
    if (place.next >= place.block->size()) {
      is_known = end_block(from);
      continue;
    }
    const Statement& statement = (*place.block)[place.next++];
    if (--steps_left_ <= 0) break;
    if (!yields(statement)) {
      const Flow flow = run_statement(statement);
      if (frame_->is_perhaps_left || is_loop_uncertain_) is_known = false;
      if (flow == Flow::Return)
        from.places.clear();
      else if (flow != Flow::Next && flow != Flow::Raise)
        is_known = is_known && leave_places(from, flow);
      continue;
    }
    const bool is_simple = statement.kind == StatementKind::Expression || statement.kind == StatementKind::Assign ||
                           statement.kind == StatementKind::Annotation;
    if (!is_simple) {
      is_known = step_into(from, statement);
      continue;
    }
    const Expression& yielded = statement.values.back();
    const bool is_from = yielded.kind == ExpressionKind::YieldFrom;
    if (statement.values.size() > 2 || (yielded.kind != ExpressionKind::Yield && !is_from)) {
      is_known = false;
      break;
    }
    line_ = statement.line;
    const Value value = yielded.parts.empty() ? none() : evaluate(yielded.parts[0]);
    if (is_over()) continue;
    if (statement.kind != StatementKind::Expression) from.waiting = &statement.values[0];
    if (is_from) {
      from.inner = iterator_of(value);
      is_known = is_over() || !from.inner.is_unknown();
      continue;
    }
    item = value;
    pulled = Pull::Item;
    break;
  }
  nesting_ -= 4;
  --call_depth_;
  is_loop_uncertain_ = was_uncertain;
  loops_ = loops;
  line_ = line;
  frame_ = outer;
  from.is_running = false;
  if (!is_known || pulled == Pull::Unknown) {
    // The rest of it may do anything that its function does.
    escape_function(*from.frame->function);
    for (const auto& entry : from.frame->scope->names) escape(entry.second);
    from.has_escaped = true;
    return is_over() ? Pull::Raise : Pull::Unknown;
  }
  from.is_done = pulled == Pull::End || pulled == Pull::Raise;
  return pulled;
}

}  // namespace soresolve::python
