// What is perhaps run: guesses, and what is a possibility only. What they assign is not known behind them.
#include <algorithm>
#include <utility>

#include "python/evaluator.h"

namespace soresolve::python {

// A block of which it is not known whether it is run. Of what it may end with, a library that cannot be loaded stays.
Evaluator::Flow Evaluator::run_guess(const Block& block) {
  if (block.empty()) return Flow::Next;
  ++undecided_;
  const Flow flow = run_block(block);
  --undecided_;
  if (is_stopped_ || (raised_ && (raised_->open || raised_->is_of_table))) return Flow::Raise;
  raised_.reset();
  forget_names(block, true);
  if (flow == Flow::Return) frame_->is_perhaps_left = true;
  if (flow == Flow::Break || flow == Flow::Continue) is_loop_uncertain_ = true;
  return Flow::Next;
}

// A block that is perhaps run, and of which nothing is said.
void Evaluator::pass_over(const Block& block) {
  forget_names(block, false);
  note_leaving(block, 0);
}

// Names that a handler assigns which is perhaps run: what was true before is so, probably.
void Evaluator::doubt_names(const Block& block) {
  std::vector<std::string> probable_names;
  for (const Statement& statement : block) {
    const bool assigns = statement.kind == StatementKind::Assign && statement.values[0].kind == ExpressionKind::Name;
    const Value* value = assigns ? find(statement.values[0].text) : nullptr;
    if (value != nullptr && value->truth() == true) probable_names.emplace_back(statement.values[0].text);
  }
  forget_names(block, false);
  for (const std::string& name : probable_names) set(name, probable());
}

void Evaluator::forget_names(const Block& block, bool keeps_modules) {
  const auto forget = [&](std::string_view name) {
    const Value* value = find(name);
    const bool is_kept = keeps_modules && value != nullptr &&
                         (value->is(ValueKind::Module) || value->is(ValueKind::Known) ||
                          value->is(ValueKind::Function) || value->is(ValueKind::Class));
    if (!is_kept) set(name, {});
  };
  for (const Statement& statement : block) {
    switch (statement.kind) {
      case StatementKind::Assign:
        for (std::size_t i = 0; i + 1 < statement.values.size(); ++i) {
          const Expression& target = statement.values[i];
          if (target.kind == ExpressionKind::Name)
            forget(target.text);
          else
            forget_target(target);
        }
        break;
      case StatementKind::Expression:
        // NAME.append(…) and its like; nobody says which methods of what is not known here change it.
        if (const Expression& call = statement.values[0]; call.kind == ExpressionKind::Call &&
                                                          call.parts[0].kind == ExpressionKind::Attribute &&
                                                          call.parts[0].parts[0].kind == ExpressionKind::Name) {
          const Value* const changed = find(call.parts[0].parts[0].text);
          const bool is_container =
              changed != nullptr && (changed->is(ValueKind::List) || changed->is(ValueKind::Mapping));
          if (is_container) set(call.parts[0].parts[0].text, {});
        }
        break;
      case StatementKind::Change:
      case StatementKind::For:
      case StatementKind::Delete: forget_target(statement.values[0]); break;
      case StatementKind::Function:
      case StatementKind::Class: forget(statement.text); break;
      case StatementKind::Import:
      case StatementKind::From:
        for (const Alias& alias : statement.aliases) {
          const std::string_view name = alias.name.substr(0, alias.name.find('.'));
          if (alias.name == "*")
            frame_->module->is_open = true;
          else
            forget(alias.other.empty() ? name : alias.other);
        }
        break;
      default: break;
    }
    if (statement.kind == StatementKind::Class) continue;
    forget_names(statement.body, keeps_modules);
    forget_names(statement.otherwise, keeps_modules);
    forget_names(statement.finally, keeps_modules);
    for (const Clause& clause : statement.clauses) forget_names(clause.body, keeps_modules);
  }
}

void Evaluator::forget_target(const Expression& target) {
  if (target.kind == ExpressionKind::Name) return set(target.text, {});
  // x[0] = … and x.append(…) change what x is.
  if (target.kind == ExpressionKind::Tuple || target.kind == ExpressionKind::Subscript) {
    for (const Expression& part : target.parts) {
      if (target.kind == ExpressionKind::Subscript && &part != target.parts.data()) break;
      forget_target(part);
    }
  }
}

// What may lead out of the function, or of the loop that is `loops` around the block.
void Evaluator::note_leaving(const Block& block, int loops) {
  for (const Statement& statement : block) {
    if (statement.kind == StatementKind::Return && frame_->is_function) frame_->is_perhaps_left = true;
    const bool is_of_loop = statement.kind == StatementKind::Break || statement.kind == StatementKind::Continue;
    if (is_of_loop && loops == 0 && loops_ > 0) is_loop_uncertain_ = true;
    if (statement.kind == StatementKind::Class) continue;
    const bool is_loop = statement.kind == StatementKind::For || statement.kind == StatementKind::While;
    note_leaving(statement.body, loops + (is_loop ? 1 : 0));
    note_leaving(statement.otherwise, loops);
    note_leaving(statement.finally, loops);
    for (const Clause& clause : statement.clauses) note_leaving(clause.body, loops);
  }
}

bool Evaluator::raises(const Block& block) {
  return std::any_of(block.begin(), block.end(),
                     [](const Statement& statement) { return statement.kind == StatementKind::Raise; });
}

// What is perhaps done: nothing that fails there counts, and it can be done again.
void Evaluator::perhaps(const std::function<void()>& run) {
  const auto known = known_;
  const auto opened_by_table = opened_by_table_;
  const auto lazy_modules = lazy_modules_;
  const std::int64_t flags = dlopen_flags_;
  const int unknown_calls = unknown_calls_;
  const bool is_path_unknown = is_path_unknown_;
  ++undecided_;
  ++possible_;
  run();
  --possible_;
  --undecided_;
  unknown_calls_ = unknown_calls;
  is_path_unknown_ = is_path_unknown;
  if (!raised_) return;
  raised_.reset();
  is_stopped_ = false;
  known_ = known;
  opened_by_table_ = opened_by_table;
  lazy_modules_ = lazy_modules;
  dlopen_flags_ = flags;
}

// The imports of a block that is perhaps run.
void Evaluator::import_perhaps(const Block& block) {
  for (const Statement& statement : block) {
    const bool imports = statement.kind == StatementKind::Import || statement.kind == StatementKind::From;
    if (imports) perhaps([&] { run_statement(statement); });
  }
}

}  // namespace soresolve::python
