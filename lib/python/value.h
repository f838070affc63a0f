// What an expression of a Python source is, as far as it is known without running anything.
//
// Three values: a truth is yes, no or not known, and what is not known stays so through every operation. A path of
// pathlib is its text. Numbers beyond 64 bits are not known.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "python/syntax.h"

namespace soresolve::python {

struct Scope;

/// A function of a source, with the names around it.
struct Closure {
  std::shared_ptr<const Function> function;
  std::string module;            ///< whose source it is
  std::shared_ptr<Scope> outer;  ///< of the function around it; nullptr: none
};

/// What a class gives to what is made of it.
struct ClassBody {
  std::shared_ptr<Scope> scope;
  std::vector<std::shared_ptr<const ClassBody>> bases;  ///< in their order; nullptr: one of which nothing is known
};

enum class ValueKind : std::uint8_t {
  Unknown,  ///< `number` is 1: it is probably true; `text`: the native file that it is from, if known
  None,
  Bool,      ///< `number`
  Number,    ///< `number`
  Text,      ///< `text`
  List,      ///< `items`; tuples and sets, too
  Mapping,   ///< `items`: a key and its value by turns
  Known,     ///< `text`: the dotted name of what known_functions.h knows: "os.path.join"
  Module,    ///< `text`: its name
  Function,  ///< `closure`
  Class,     ///< `types`: its own name first, then those of its bases; `closure`: its __init__, if it has one
  Error,     ///< an exception: `types` of its class, `text` of it unless `number` is 1: that is not known
  Object,    ///< something that counts as true; `text` of a module's __spec__: its parent
};

struct Value {
  ValueKind kind = ValueKind::Unknown;
  std::int64_t number = 0;
  std::string text = {};
  std::shared_ptr<const std::vector<Value>> items = {};
  std::shared_ptr<const std::vector<std::string>> types = {};
  std::shared_ptr<const Closure> closure = {};
  std::shared_ptr<const ClassBody> of_class = {};  ///< of a Class its own; of what is Unknown that of which it is made

  [[nodiscard]] bool is(ValueKind which) const { return kind == which; }
  [[nodiscard]] bool is_unknown() const { return kind == ValueKind::Unknown; }
  [[nodiscard]] bool is_probable() const { return is_unknown() && number == 1; }
  [[nodiscard]] bool is_text() const { return kind == ValueKind::Text; }
  /// Does it count as true? nullopt: not known.
  [[nodiscard]] std::optional<bool> truth() const;
};

Value none();
Value truth_value(std::optional<bool> truth);
Value number(std::int64_t value);
Value text(std::string value);
Value list(std::vector<Value> items);
Value object();
Value probable();
/// Something of an extension module, or of the interpreter.
Value native(std::string file);

/// The text of one literal with its prefix and quotes, unless it is an f-string; nullopt: bytes, or an escape that is
/// not decoded.
std::optional<std::string> literal_text(std::string_view literal);

/// LEFT SIGN RIGHT, of "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in".
std::optional<bool> compare(const Value& left, std::string_view sign, const Value& right);

/// LEFT SIGN RIGHT, of "+", "/", "%" and their like.
Value operate(const Value& left, std::string_view sign, const Value& right);

/// What str() makes of it; nullopt: not known.
std::optional<std::string> shown(const Value& value);

inline constexpr std::size_t kMaxTextBytes = 4096;
inline constexpr std::size_t kMaxItems = 512;

}  // namespace soresolve::python
