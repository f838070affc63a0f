// What an expression of a Python source is, as far as it is known without running anything.
//
// Values are shared as Python shares them: a list that two names have is one object, and changes for both. Three
// values: a truth is yes, no or not known, and what is not known stays so through every operation. Integers beyond 128
// bits, and the value of any float, are not known. An object that code has got which is not followed has escaped:
// nobody knows what it holds from then on. Who makes objects, and takes changes of them back: heap.h.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "python/syntax.h"

namespace soresolve::python {

__extension__ using Integer = __int128;

enum class ValueKind : std::uint8_t {
  Unknown,  ///< `number`: 1 it is probably true, 2 it is true, 3 it is false; `object`: the native file that it is from
  Failed,   ///< an operation raises: `text` is "TYPE: TEXT"; `number` is 1: the text is not known
  None,
  Ellipsis,
  NotImplemented,
  Bool,       ///< `number`
  Int,        ///< `number`
  Float,      ///< its value is not known
  Text,       ///< `text`, in UTF-8
  Bytes,      ///< `text`
  Path,       ///< `text`: of pathlib
  List,       ///< `items`
  Tuple,      ///< `items`; of a class that namedtuple() makes: `type`
  Set,        ///< `items`, in no order
  FrozenSet,  ///< likewise
  Mapping,    ///< `items`: a key and its value by turns, in the order in which they were added
  View,       ///< of a Mapping, `items`[0]: its "keys", "values" or "items", `text`; "names": the names of a module, a
              ///< class or an object as a mapping
  Range,      ///< `items`: start, stop, step
  Slice,      ///< `items`: low, high, step
  Known,      ///< `text`: the dotted name of what known_functions.h knows: "os.path.join"
  Module,     ///< a Module
  Function,   ///< a FunctionObject
  Method,     ///< `items`: self, a function; or self alone, of whose kind it is the method `text`
  Class,      ///< a ClassObject
  Instance,   ///< a Holder of class `type`; of an exception: `items` are its args
  Iterator,   ///< an IteratorObject
  Property,   ///< `items`: getter, setter, deleter
  StaticMethod,  ///< `items`: the function
  ClassMethod,   ///< likewise
  Super,         ///< `items`: self; `type`: the class behind which it looks
  Partial,       ///< functools.partial(): `items`: a function, a Tuple, a Mapping
  Opened,        ///< something that counts as true: a library, a module's __spec__ (`text`: its parent)
};

struct Object;
struct ClassObject;

struct Value {
  ValueKind kind = ValueKind::Unknown;
  Integer number = 0;
  Object* object = nullptr;

  [[nodiscard]] bool is(ValueKind which) const { return kind == which; }
  [[nodiscard]] bool is_unknown() const { return kind == ValueKind::Unknown; }
  [[nodiscard]] bool is_probable() const { return is_unknown() && (number == 1 || number == 2); }
  [[nodiscard]] bool is_number() const { return kind == ValueKind::Int || kind == ValueKind::Bool; }
  [[nodiscard]] bool is_text() const { return kind == ValueKind::Text; }
  [[nodiscard]] bool is_set() const { return kind == ValueKind::Set || kind == ValueKind::FrozenSet; }
  [[nodiscard]] bool is_mapping() const { return kind == ValueKind::Mapping; }
  [[nodiscard]] bool is_sequence() const { return kind == ValueKind::List || kind == ValueKind::Tuple; }
  /// A list, tuple, set or mapping.
  [[nodiscard]] bool is_container() const { return is_sequence() || is_set() || is_mapping(); }
  /// Are its items not known?
  [[nodiscard]] bool has_escaped() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] std::vector<Value>& items() const;
};

struct Object {
  explicit Object(ValueKind its_kind) : kind(its_kind) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  ValueKind kind;
  bool has_escaped = false;
  std::uint32_t birth = 0;  ///< Heap::now() then
  ClassObject* type = nullptr;
  std::string text = {};
  std::vector<Value> items = {};
};

inline bool Value::has_escaped() const { return object != nullptr && object->has_escaped; }
inline const std::string& Value::text() const { return object->text; }
inline std::vector<Value>& Value::items() const { return object->items; }

/// Names and their values; of a module, a class, a call, an object.
struct Scope {
  std::map<std::string, Value, std::less<>> names = {};
  Scope* outer = nullptr;                           ///< of the function around it
  std::set<std::string, std::less<>> escaped = {};  ///< that code which is not followed may bind at any time
  std::uint32_t birth = 0;                          ///< Heap::now() then
  bool is_comprehension = false;
};

struct Holder : Object {
  using Object::Object;
  Scope scope = {};
};

struct Module;

struct FunctionObject : Holder {
  using Holder::Holder;
  std::shared_ptr<const Function> function = {};
  Module* module = nullptr;          ///< whose source it is
  Scope* outer = nullptr;            ///< of the function around it; nullptr: none
  std::vector<Value> defaults = {};  ///< by parameter
  ClassObject* owner = nullptr;      ///< the class in whose body it stands
};

/// A class of a source, or an exception of the interpreter. `text`: __qualname__.
struct ClassObject : Holder {
  using Holder::Holder;
  struct Field {
    std::string name;
    Value otherwise = {};
    bool has_default = false;
    bool is_made = false;  ///< `otherwise` is a function that makes the default
    bool is_taken = true;  ///< by __init__
    bool is_by_name = false;
  };
  std::string module = {};  ///< __module__; empty: the interpreter's
  std::vector<Value> bases = {};
  std::vector<ClassObject*> order = {};  ///< __mro__, itself first, without object
  std::vector<std::string> annotated = {};
  std::vector<Field> fields = {};  ///< of a dataclass, or of what namedtuple() makes
  bool is_open = false;            ///< of a base, metaclass or decorator nothing is known
  bool is_abstract = false;        ///< its metaclass is ABCMeta
  bool is_data = false;
  bool is_compared = true;  ///< of `is_data`: by its fields
  bool is_frozen = false;
  bool is_tuple = false;
};

Value none();
Value truth_value(std::optional<bool> truth);
Value number(Integer value);
Value probable();
/// Of which no more is known than its truth.
Value unknown_of(bool truth);
inline Value of(Object* object) { return {.kind = object->kind, .object = object}; }

/// Does it count as true, where no method of a class has to be asked? nullopt: not known.
std::optional<bool> truth_of(const Value& value);

/// The same object, or an equal number or text.
bool is_same(const Value& left, const Value& right);

/// The text of one literal with its prefix and quotes, escapes decoded; nullopt: an f-string, or an escape by name.
std::optional<std::string> literal_text(std::string_view literal);
/// The inside of one: escapes decoded.
std::optional<std::string> unescaped(std::string_view inside, bool is_raw, bool is_bytes);

inline constexpr std::size_t kMaxTextBytes = 16384;
inline constexpr std::size_t kMaxItems = 2048;

}  // namespace soresolve::python
