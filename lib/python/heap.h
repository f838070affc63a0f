// Who makes the objects of one evaluation, keeps them until its end, and knows what has changed.
//
// Where it is not known whether something is run, it is run as one of several alternatives: what an alternative changes
// is taken back behind it, and what all of them come to is what stays. So every change of a name or an object goes
// through here, while a level is open.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/value.h"

namespace soresolve::python {

/// Changes since a level was opened: what each had before, or behind Heap::undo() what it had at the end.
struct Changes {
  struct State {
    bool has_escaped = false;
    ClassObject* type = nullptr;
    std::vector<Value> items = {};
  };
  std::map<std::pair<Scope*, std::string>, std::optional<Value>> names;  ///< nullopt: none of this name
  std::map<Object*, State> objects;
};

class Heap {
 public:
  template <class Type = Object>
  Type* make(ValueKind kind) {
    auto made = std::make_unique<Type>(kind);
    made->birth = now_;
    if constexpr (std::is_base_of_v<Holder, Type>) made->scope.birth = now_;
    bytes_ += sizeof(Type);
    Type* const kept = made.get();
    objects_.push_back(std::move(made));
    return kept;
  }
  Scope* make_scope(Scope* outer);
  Value make_text(ValueKind kind, std::string text);
  Value text(std::string text) { return make_text(ValueKind::Text, std::move(text)); }
  /// Unknown where it has more than kMaxItems.
  Value make_items(ValueKind kind, std::vector<Value> items);
  Value list(std::vector<Value> items) { return make_items(ValueKind::List, std::move(items)); }
  Value tuple(std::vector<Value> items) { return make_items(ValueKind::Tuple, std::move(items)); }
  /// Of an operation that raises: "TYPE: TEXT". `is_known`: is this its text?
  Value failed(std::string text, bool is_known = true);
  /// Something of an extension module, or of the interpreter.
  Value native(const std::string& file);
  [[nodiscard]] bool is_full() const { return bytes_ > kMaxHeapBytes; }

  // Changes.
  void set(Scope& scope, std::string_view name, const Value& value);
  void erase(Scope& scope, std::string_view name);
  /// Before the items, the class or the escape of an object change.
  void touch(Object& object);
  /// Opens a level, which is closed by take().
  void begin();
  Changes take();
  /// Takes all back, and leaves in `changes` what there was.
  void undo(Changes& changes);
  /// Counts changes that stay as changes of the level that is open now.
  void keep(const Changes& changes);
  /// Counts what they have changed as changed, from now on.
  void mark(const Changes& changes);
  /// At what time, as `birth` has it.
  [[nodiscard]] std::uint32_t now() const { return now_; }
  [[nodiscard]] bool is_open() const { return !levels_.empty(); }

 private:
  struct Level {
    std::uint32_t begin;
    Changes changes;
  };
  void note(Scope& scope, std::string_view name);
  void count(std::size_t bytes) { bytes_ += bytes; }

  std::vector<std::unique_ptr<Object>> objects_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  std::vector<Level> levels_;
  std::uint32_t now_ = 1;
  std::size_t bytes_ = 0;
  static constexpr std::size_t kMaxHeapBytes = std::size_t{512} << 20;
};

}  // namespace soresolve::python
