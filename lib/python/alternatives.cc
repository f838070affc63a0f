// What is not decided: several alternatives from one state, and what they have in common. What escapes: objects that
// code has got which is not followed.
#include <algorithm>
#include <utility>

#include "python/evaluator.h"

namespace soresolve::python {
namespace {

bool are_same(const std::optional<Value>& left, const std::optional<Value>& right) {
  return left.has_value() == right.has_value() && (!left || is_same(*left, *right));
}

bool are_same(const Changes::State& left, const Changes::State& right) {
  return left.has_escaped == right.has_escaped && left.type == right.type &&
         std::equal(left.items.begin(), left.items.end(), right.items.begin(), right.items.end(), is_same);
}

std::optional<Value> value_of(const Scope& scope, const std::string& name) {
  const auto known = scope.names.find(name);
  return known == scope.names.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace

void Alternatives::add(bool is_usual, const std::function<Flow()>& run) {
  if (in_.is_over()) return;
  Evaluator& in = in_;
  const auto known = in.known_;
  const auto opened_by_table = in.opened_by_table_;
  const auto lazy_modules = in.lazy_modules_;
  const std::int64_t flags = in.dlopen_flags_;
  const int unknown_calls = in.unknown_calls_;
  const bool is_path_unknown = in.is_path_unknown_;
  const int possible = is_usual ? 0 : 1;
  in.heap_.begin();
  ++in.undecided_;
  in.possible_ += possible;
  const Flow flow = run();
  in.possible_ -= possible;
  --in.undecided_;
  Changes changes = in.heap_.take();
  if (!is_usual) {
    in.unknown_calls_ = unknown_calls;
    in.is_path_unknown_ = is_path_unknown;
  }
  const bool is_cut = in.raised_ && in.raised_->is_cut;
  const bool is_kept = is_cut || (in.is_stopped_ && (is_usual || !in.raised_));
  if (is_kept) return in.heap_.keep(changes);
  if (in.raised_) {
    in.is_stopped_ = false;
    if (!is_usual) {
      in.known_ = known;
      in.opened_by_table_ = opened_by_table;
      in.lazy_modules_ = lazy_modules;
      in.dlopen_flags_ = flags;
    }
    if (!raised_ || is_usual) raised_ = in.raised_;
    has_dropped_ = true;
    in.heap_.undo(changes);
    in.drop();
    in.heap_.mark(changes);
    return;
  }
  in.heap_.undo(changes);
  ends_.push_back({flow, is_usual, std::move(changes), flow == Flow::Return ? in.frame_->returned : Value{}});
}

void Alternatives::add_nothing() { ends_.push_back({Flow::Next, false, {}, {}}); }

Alternatives::Flow Alternatives::end() {
  if (in_.is_over()) return Flow::Raise;
  if (ends_.empty()) {
    if (!has_dropped_) return Flow::Next;
    in_.raise(*raised_);
    return Flow::Raise;
  }
  std::set<std::pair<Scope*, std::string>> names;
  std::set<Object*> objects;
  for (const End& end : ends_) {
    for (const auto& entry : end.changes.names) names.insert(entry.first);
    for (const auto& entry : end.changes.objects) objects.insert(entry.first);
  }
  for (const auto& key : names) {
    const std::optional<Value> before = value_of(*key.first, key.second);
    const auto at_end = [&](const End& end) {
      const auto changed = end.changes.names.find(key);
      return changed == end.changes.names.end() ? before : changed->second;
    };
    const std::optional<Value> first = at_end(ends_.front());
    const bool is_agreed =
        std::all_of(ends_.begin(), ends_.end(), [&](const End& end) { return are_same(at_end(end), first); });
    if (is_agreed && !first) {
      in_.heap_.erase(*key.first, key.second);
      continue;
    }
    const auto usual = std::find_if(ends_.begin(), ends_.end(), [](const End& end) { return end.is_usual; });
    const std::optional<Value> likely = usual == ends_.end() ? std::nullopt : at_end(*usual);
    const bool is_probable = likely && (likely->is_probable() || truth_of(*likely) == true);
    in_.heap_.set(*key.first, key.second, is_agreed ? *first : is_probable ? probable() : Value{});
  }
  for (Object* const object : objects) {
    const Changes::State before{object->has_escaped, object->type, object->items};
    const auto at_end = [&](const End& end) {
      const auto changed = end.changes.objects.find(object);
      return changed == end.changes.objects.end() ? before : changed->second;
    };
    const Changes::State first = at_end(ends_.front());
    const bool is_agreed =
        std::all_of(ends_.begin(), ends_.end(), [&](const End& end) { return are_same(at_end(end), first); });
    in_.heap_.touch(*object);
    if (is_agreed) {
      object->has_escaped = first.has_escaped;
      object->type = first.type;
      object->items = first.items;
      continue;
    }
    for (const End& end : ends_) {
      for (const Value& item : at_end(end).items) in_.escape(item);
    }
    in_.escape(of(object));
  }
  const auto ends_so = [&](Flow flow) {
    return std::any_of(ends_.begin(), ends_.end(), [&](const End& end) { return end.flow == flow; });
  };
  const bool is_one =
      std::all_of(ends_.begin(), ends_.end(), [&](const End& end) { return end.flow == ends_[0].flow; });
  Frame& frame = *in_.frame_;
  if (ends_so(Flow::Return)) {
    std::optional<Value> returned;
    for (const End& end : ends_) {
      if (end.flow != Flow::Return) continue;
      returned = returned && !is_same(*returned, end.returned) ? Value{} : end.returned;
      if (!is_one) in_.escape(end.returned);
    }
    if (is_one) {
      frame.returned = *returned;
    } else {
      frame.is_perhaps_left = true;
      const bool is_new = !frame.perhaps_returned;
      frame.perhaps_returned = is_new || is_same(*frame.perhaps_returned, *returned) ? *returned : Value{};
    }
  }
  if (is_one) return ends_[0].flow;
  in_.is_loop_uncertain_ = in_.is_loop_uncertain_ || ends_so(Flow::Break) || ends_so(Flow::Continue);
  if (ends_so(Flow::Next)) return Flow::Next;
  frame.is_perhaps_left = true;
  return ends_so(Flow::Return) ? Flow::Return : Flow::Break;
}

// What an alternative raises: a handler around may catch it, else it is a doubt.
void Evaluator::drop() {
  const Raised raised = *std::exchange(raised_, std::nullopt);
  // Of what a call may raise of which nothing is known: nobody says that it does.
  if (quiet_ != 0) {
    ++unknown_calls_;
    return;
  }
  for (std::size_t i = trials_.size(); i-- > 0;) {
    bool is_caught = false;
    for (const Clause& clause : trials_[i].statement->clauses) {
      const std::optional<bool> caught = catches(clause, raised);
      raised_.reset();
      if (caught == false) continue;
      trials_[i].may_catch = true;
      is_caught = caught == true;
      if (is_caught) break;
    }
    if (is_caught) return;
  }
  doubt(raised);
}

// What has been changed where it is not known whether that was run. Of names only what differs from before.
void Evaluator::blur(const Changes& changes) {
  for (const auto& [key, before] : changes.names) {
    const std::optional<Value> now = value_of(*key.first, key.second);
    if (!are_same(now, before)) heap_.set(*key.first, key.second, {});
  }
  for (const auto& [object, before] : changes.objects) {
    if (are_same(before, {object->has_escaped, object->type, object->items}) && object->kind != ValueKind::Iterator)
      continue;
    for (const Value& item : before.items) escape(item);
    escape(of(object));
  }
}

// Of all that has been changed nothing is known: it was so far, or not.
void Evaluator::spoil(const Changes& changes) {
  for (const auto& entry : changes.names) heap_.set(*entry.first.first, entry.first.second, {});
  for (const auto& [object, before] : changes.objects) {
    for (const Value& item : before.items) escape(item);
    escape(of(object));
  }
}

// A block that is perhaps run, and of which nothing is said.
void Evaluator::pass_over(const Block& block) {
  for (const std::string& name : python::names_of({}, block).locals) set(name, {});
  frame_->is_perhaps_left = true;
  is_loop_uncertain_ = true;
}

void Evaluator::escape(const Value& value) {
  if (value.object == nullptr || value.is(ValueKind::Module)) return;
  Object& object = *value.object;
  switch (value.kind) {
    case ValueKind::Function: return escape_function(static_cast<FunctionObject&>(object));
    case ValueKind::Tuple:
    case ValueKind::FrozenSet:
    case ValueKind::Method:
    case ValueKind::Property:
    case ValueKind::StaticMethod:
    case ValueKind::ClassMethod:
    case ValueKind::Super:
    case ValueKind::View:
    case ValueKind::Partial: {
      const std::vector<Value> items = object.items;
      for (const Value& item : items) escape(item);
      return;
    }
    case ValueKind::List:
    case ValueKind::Set:
    case ValueKind::Mapping:
    case ValueKind::Instance:
    case ValueKind::Class:
    case ValueKind::Iterator: break;
    default: return;
  }
  if (object.has_escaped) return;
  heap_.touch(object);
  object.has_escaped = true;
  std::vector<Value> held = object.items;
  if (value.is(ValueKind::Instance) || value.is(ValueKind::Class)) {
    for (const auto& entry : static_cast<Holder&>(object).scope.names) held.push_back(entry.second);
  }
  if (value.is(ValueKind::Instance)) held.push_back(of(object.type));
  if (value.is(ValueKind::Iterator)) held.push_back(static_cast<IteratorObject&>(object).function);
  for (const Value& each : held) escape(each);
}

// A function that may be called at any time from now on.
void Evaluator::escape_function(FunctionObject& function) {
  if (function.has_escaped || --steps_left_ <= 0) return;
  heap_.touch(function);
  function.has_escaped = true;
  const FunctionBody& body = around_.sources.body_of(function.function);
  escape_body(function, body, {});
  for (const Value& value : function.defaults) escape(value);
}

void Evaluator::escape_body(const FunctionObject& function, const FunctionBody& body,
                            const std::set<std::string, std::less<>>& own) {
  std::set<std::string, std::less<>> shadowed = own;
  shadowed.insert(body.names.locals.begin(), body.names.locals.end());
  for (const std::string& name : body.names.globals) {
    heap_.set(function.module->scope, name, {});
    function.module->scope.escaped.insert(name);
  }
  const auto holder_of = [&](const std::string& name) -> Scope* {
    for (Scope* scope = function.outer; scope != nullptr; scope = scope->outer) {
      if (scope->names.contains(name)) return scope;
    }
    return function.module->scope.names.contains(name) ? &function.module->scope : nullptr;
  };
  for (const char* maker : {"globals", "vars", "exec", "setattr"}) {
    if (body.names.read.contains(std::string_view(maker))) function.module->is_open = true;
  }
  for (const std::string& name : body.names.nonlocals) {
    Scope* const scope = own.contains(name) ? nullptr : holder_of(name);
    if (scope == nullptr) continue;
    heap_.set(*scope, name, {});
    scope->escaped.insert(name);
  }
  for (const std::string& name : body.names.read) {
    Scope* const scope = shadowed.contains(name) ? nullptr : holder_of(name);
    if (scope != nullptr) escape(scope->names.find(name)->second);
  }
  const std::function<void(const Block&)> look_into = [&](const Block& block) {
    for (const Statement& statement : block) {
      if (statement.kind == StatementKind::Function)
        escape_body(function, around_.sources.body_of(statement.function), shadowed);
      for_each_block(statement, look_into);
    }
  };
  look_into(body.statements);
}

// What is perhaps done, and not by a statement that says so: nothing that fails there counts, and it can be done again.
void Evaluator::perhaps(const std::function<void()>& run) {
  ++quiet_;
  Alternatives both(*this);
  both.add(false, [&] {
    run();
    return is_over() ? Flow::Raise : Flow::Next;
  });
  both.add_nothing();
  both.end();
  --quiet_;
}

// The imports of a block that is perhaps run.
void Evaluator::import_perhaps(const Block& block) {
  for (const Statement& statement : block) {
    const bool imports = statement.kind == StatementKind::Import || statement.kind == StatementKind::From;
    if (imports) perhaps([&] { run_statement(statement); });
  }
}

}  // namespace soresolve::python
