// A level keeps what each name and object had when it was first changed in it.
#include "python/heap.h"

namespace soresolve::python {

Scope* Heap::make_scope(Scope* outer) {
  scopes_.push_back(std::make_unique<Scope>());
  scopes_.back()->outer = outer;
  scopes_.back()->birth = now_;
  bytes_ += sizeof(Scope);
  return scopes_.back().get();
}

Value Heap::make_text(ValueKind kind, std::string text) {
  if (text.size() > kMaxTextBytes) return {};
  bytes_ += text.size();
  Object* const made = make(kind);
  made->text = std::move(text);
  return of(made);
}

Value Heap::make_items(ValueKind kind, std::vector<Value> items) {
  if (items.size() > kMaxItems) return {};
  bytes_ += items.size() * sizeof(Value);
  Object* const made = make(kind);
  made->items = std::move(items);
  return of(made);
}

Value Heap::failed(std::string text, bool is_known) {
  Object* const made = make(ValueKind::Failed);
  made->text = std::move(text);
  return {.kind = ValueKind::Failed, .number = is_known ? 0 : 1, .object = made};
}

Value Heap::native(const std::string& file) {
  Object* const made = make(ValueKind::Unknown);
  made->text = file;
  return {.object = made};
}

void Heap::note(Scope& scope, std::string_view name) {
  if (levels_.empty() || scope.birth >= levels_.back().begin) return;
  const auto [change, is_new] = levels_.back().changes.names.try_emplace({&scope, std::string(name)});
  if (!is_new) return;
  const auto known = scope.names.find(name);
  if (known != scope.names.end()) change->second = known->second;
  bytes_ += name.size() + sizeof(Value);
}

void Heap::set(Scope& scope, std::string_view name, const Value& value) {
  note(scope, name);
  const auto known = scope.names.find(name);
  if (known != scope.names.end())
    known->second = value;
  else
    scope.names.emplace(name, value);
}

void Heap::erase(Scope& scope, std::string_view name) {
  note(scope, name);
  const auto known = scope.names.find(name);
  if (known != scope.names.end()) scope.names.erase(known);
}

void Heap::touch(Object& object) {
  if (levels_.empty() || object.birth >= levels_.back().begin) return;
  const auto [change, is_new] = levels_.back().changes.objects.try_emplace(&object);
  if (!is_new) return;
  change->second = {object.has_escaped, object.type, object.items};
  bytes_ += object.items.size() * sizeof(Value);
}

void Heap::begin() { levels_.push_back({++now_, {}}); }

Changes Heap::take() {
  Changes changes = std::move(levels_.back().changes);
  levels_.pop_back();
  return changes;
}

void Heap::undo(Changes& changes) {
  for (auto& [key, value] : changes.names) {
    auto& names = key.first->names;
    const auto known = names.find(key.second);
    std::optional<Value> then = known == names.end() ? std::nullopt : std::optional(known->second);
    if (value)
      names.insert_or_assign(key.second, *value);
    else if (known != names.end())
      names.erase(known);
    value = then;
  }
  for (auto& [object, state] : changes.objects) {
    std::swap(object->has_escaped, state.has_escaped);
    std::swap(object->type, state.type);
    std::swap(object->items, state.items);
    // Where it stands is not taken back.
    if (object->kind == ValueKind::Iterator) object->has_escaped = state.has_escaped = true;
  }
}

void Heap::mark(const Changes& changes) {
  for (const auto& entry : changes.names) note(*entry.first.first, entry.first.second);
  for (const auto& entry : changes.objects) touch(*entry.first);
}

void Heap::keep(const Changes& changes) {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  for (const auto& [key, value] : changes.names) {
    if (key.first->birth < level.begin) level.changes.names.try_emplace(key, value);
  }
  for (const auto& [object, state] : changes.objects) {
    if (object->birth < level.begin) level.changes.objects.try_emplace(object, state);
  }
}

}  // namespace soresolve::python
