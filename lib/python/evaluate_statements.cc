// Statements in their order. Source: the Python Language Reference, "Simple statements", "Compound statements".
#include <algorithm>
#include <utility>

#include "python/built_in_names.h"
#include "python/evaluator.h"

namespace soresolve::python {
namespace {

constexpr int kMostTurnsOfWhile = 200;
constexpr int kMostPasses = 3;  ///< through a loop that is not decided

}  // namespace

// Deeper than the stack should be, a block is one that is perhaps run.
Evaluator::Flow Evaluator::run_block(const Block& block) {
  if (block.empty()) return is_over() ? Flow::Raise : Flow::Next;
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
  if (--steps_left_ <= 0 || heap_.is_full()) {
    limit("import-cut-steps", kMaxPythonSteps);
    is_stopped_ = true;
    return Flow::Raise;
  }
  if (call_depth_ > 0 && steps_left_ < call_end_) {
    raise({.is_cut = true});
    return Flow::Raise;
  }
  line_ = statement.line;
  if (frame_->code == nullptr) frame_->module->line = statement.line;
  switch (statement.kind) {
    case StatementKind::Opaque:
      // It may give any name.
      frame_->module->is_open = frame_->module->is_open || !statement.text.empty();
      for_each_block(statement, [&](const Block& block) {
        if (!block.empty()) pass_over(block);
      });
      break;
    case StatementKind::Expression:
      is_asked_ = statement.values[0].kind == ExpressionKind::Name;
      evaluate(statement.values[0]);
      is_asked_ = false;
      break;
    case StatementKind::Assign: {
      is_asked_ = statement.values.back().kind == ExpressionKind::Name;
      const Value value = evaluate(statement.values.back());
      is_asked_ = false;
      for (std::size_t i = 0; i + 1 < statement.values.size() && !is_over(); ++i) bind(statement.values[i], value);
      break;
    }
    case StatementKind::Annotation: annotate(statement); break;
    case StatementKind::Change: return change(statement);
    case StatementKind::Import: import_statement(statement); break;
    case StatementKind::From: from_statement(statement); break;
    case StatementKind::If: return run_clauses(statement, 0);
    case StatementKind::While: return run_while(statement);
    case StatementKind::For: return run_for(statement);
    case StatementKind::Try: return run_try(statement);
    case StatementKind::Match: return run_match(statement);
    case StatementKind::With: return run_with(statement);
    case StatementKind::Function: define(statement); break;
    case StatementKind::Class: return run_class(statement);
    case StatementKind::Return:
      frame_->returned = statement.values.empty() ? none() : evaluate(statement.values[0]);
      return is_over() ? Flow::Raise : Flow::Return;
    case StatementKind::Raise: return run_raise(statement);
    case StatementKind::Assert: return run_assert(statement);
    case StatementKind::Break: return Flow::Break;
    case StatementKind::Continue: return Flow::Continue;
    case StatementKind::Delete: remove(statement.values[0]); break;
    case StatementKind::Global:
    case StatementKind::Nonlocal: break;
  }
  return is_over() ? Flow::Raise : Flow::Next;
}

// From one of the conditions on.
Evaluator::Flow Evaluator::run_clauses(const Statement& statement, std::size_t first) {
  for (std::size_t i = first; i < statement.clauses.size(); ++i) {
    const Clause& clause = statement.clauses[i];
    const Value condition = evaluate(clause.value);
    const std::optional<bool> truth = tested(condition);
    if (is_over()) return Flow::Raise;
    if (truth == true) return run_block(clause.body);
    if (truth == false) continue;
    Alternatives both(*this);
    both.add(condition.is_probable(), [&] { return run_block(clause.body); });
    both.add(!condition.is_probable(), [&] { return run_clauses(statement, i + 1); });
    return both.end();
  }
  return run_block(statement.otherwise);
}

Evaluator::Flow Evaluator::run_while(const Statement& statement) {
  bool is_left = false;
  const bool was_uncertain = std::exchange(is_loop_uncertain_, false);
  heap_.begin();
  ++loops_;
  Flow flow = Flow::Next;
  for (int turn = 0; flow == Flow::Next && !is_left; ++turn) {
    const std::optional<bool> truth = tested(evaluate(statement.values[0]));
    if (is_over()) flow = Flow::Raise;
    if (truth == false || flow != Flow::Next) break;
    if (!truth || turn == kMostTurnsOfWhile || --turns_left_ < 0) {
      if (truth) is_loop_uncertain_ = true;
      flow = run_undecided_loop(statement);
      break;
    }
    flow = run_turn(statement.body, is_left);
  }
  --loops_;
  const bool is_uncertain = std::exchange(is_loop_uncertain_, was_uncertain);
  const Changes changes = heap_.take();
  heap_.keep(changes);
  if (is_uncertain) blur(changes);
  if (flow != Flow::Next || is_left) return flow;
  if (!is_uncertain) return run_block(statement.otherwise);
  Alternatives both(*this);
  both.add(true, [&] { return run_block(statement.otherwise); });
  both.add_nothing();
  return both.end();
}

// One turn of a loop, of which nothing is left but whether it ends the loop. What leaves an uncertain loop is dropped.
Evaluator::Flow Evaluator::run_turn(const Block& body, bool& is_left) {
  const Flow flow = run_block(body);
  is_left = flow == Flow::Break;
  if (flow == Flow::Raise && is_loop_uncertain_ && raised_ && !is_stopped_ && !raised_->is_cut) {
    drop();
    is_left = true;
    return Flow::Next;
  }
  if (flow == Flow::Return && is_loop_uncertain_) {
    frame_->is_perhaps_left = true;
    escape(frame_->returned);
    frame_->perhaps_returned = Value{};
    is_left = true;
    return Flow::Next;
  }
  return flow == Flow::Break || flow == Flow::Continue ? Flow::Next : flow;
}

// Its body, until it changes nothing more that is known.
Evaluator::Flow Evaluator::run_undecided_loop(const Statement& statement) {
  Flow flow = Flow::Next;
  for (int pass = 0; pass < kMostPasses && flow == Flow::Next; ++pass) {
    heap_.begin();
    Alternatives both(*this);
    both.add(false, [&] {
      if (statement.kind == StatementKind::For)
        bind(statement.values[0], {});
      else if (pass != 0)
        evaluate(statement.values[0]);
      const Flow end = run_block(statement.body);
      return end == Flow::Continue || end == Flow::Break ? Flow::Next : end;
    });
    both.add_nothing();
    flow = both.end();
    const Changes changes = heap_.take();
    heap_.keep(changes);
    const bool has_changed =
        !changes.objects.empty() || std::any_of(changes.names.begin(), changes.names.end(), [](const auto& entry) {
          const auto now = entry.first.first->names.find(entry.first.second);
          return now != entry.first.first->names.end() && entry.second && !entry.second->is_unknown();
        });
    if (!has_changed) break;
  }
  return flow;
}

Evaluator::Flow Evaluator::run_for(const Statement& statement) {
  const Value whole = evaluate(statement.values[1]);
  if (is_over()) return Flow::Raise;
  const Value iterator = iterator_of(whole);
  if (is_over()) return Flow::Raise;
  bool is_left = false;
  const bool was_uncertain = std::exchange(is_loop_uncertain_, false);
  heap_.begin();
  Flow flow = Flow::Next;
  ++loops_;
  while (flow == Flow::Next && !is_left) {
    Value item;
    const Pull pulled = --turns_left_ < 0 ? Pull::Unknown : pull(iterator, item);
    if (pulled == Pull::End) break;
    if (pulled == Pull::Raise) {
      flow = Flow::Raise;
    } else if (pulled == Pull::Unknown) {
      frame_->is_perhaps_whole = false;
      escape(whole);
      flow = run_undecided_loop(statement);
      break;
    } else {
      bind(statement.values[0], item);
      flow = is_over() ? Flow::Raise : run_turn(statement.body, is_left);
    }
  }
  --loops_;
  const bool is_uncertain = std::exchange(is_loop_uncertain_, was_uncertain);
  const Changes changes = heap_.take();
  heap_.keep(changes);
  if (is_uncertain) blur(changes);
  if (flow != Flow::Next || (is_left && !is_uncertain)) return flow;
  if (!is_uncertain) return run_block(statement.otherwise);
  Alternatives both(*this);
  both.add(true, [&] { return run_block(statement.otherwise); });
  both.add_nothing();
  return both.end();
}

}  // namespace soresolve::python
