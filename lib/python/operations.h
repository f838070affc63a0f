// Operators, comparisons, items, texts of values: what the interpreter's own types do, and whom they ask else.
//
// Sources: the Python Language Reference, "Expressions"; the Library Reference, "Built-in Types", "Format Specification
// Mini-Language", "printf-style String Formatting"; CPython Objects/*.c for the texts of exceptions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "python/heap.h"
#include "python/value.h"

namespace soresolve::python {

/// "int", "list", "C".
std::string type_name(const Value& value);
/// Letters, digits and signs of ASCII: what is counted in characters is known of those alone.
bool is_plain_ascii(std::string_view text);
std::string decimal(Integer value, unsigned base = 10);
inline std::optional<bool> inverted(std::optional<bool> truth) { return truth ? std::optional(!*truth) : truth; }

class Operations {
 public:
  Operations(Heap& heap, int minor_number) : heap_(heap), minor_number_(minor_number) {}
  virtual ~Operations() = default;

  /// What a method of the class of an object returns; nullopt: the class has none of this name.
  virtual std::optional<Value> special(const Value& self, std::string_view name, std::vector<Value> given) = 0;

  /// `part in whole` of an iterator, or of an object that is one.
  virtual Value found_in(const Value& whole, const Value& part) = 0;
  /// A Set of what is in it; Unknown: that is not known.
  virtual Value as_set(const Value& whole) = 0;

  std::optional<bool> truth(const Value& value);
  std::optional<bool> equal(const Value& left, const Value& right);
  /// LEFT SIGN RIGHT, of "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in".
  Value compare(const Value& left, std::string_view sign, const Value& right);
  /// LEFT SIGN RIGHT, of "+", "/", "%" and their like. `is_in_place`: LEFT SIGN= RIGHT, which changes a list or a set.
  Value operate(const Value& left, std::string_view sign, const Value& right, bool is_in_place = false);
  Value negated(std::string_view sign, const Value& value);

  /// str() and repr(); nullopt: not known.
  std::optional<std::string> shown(const Value& value);
  std::optional<std::string> written(const Value& value);
  Value formatted(const Value& value, std::string_view form);

  Value length(const Value& value);
  Value item(const Value& whole, const Value& key);
  /// Failed, or None.
  Value set_item(const Value& whole, const Value& key, const Value& value);
  Value delete_item(const Value& whole, const Value& key);
  /// Where the key stands in a Mapping, or the element in a Set: an index of its items. npos: nowhere; nullopt: not
  /// known.
  std::optional<std::size_t> place_of(const Value& whole, const Value& key);
  /// Adds to a Set, as far as it is not in it. False: not known whether it is.
  bool add_to_set(const Value& whole, const Value& item);
  /// TypeError where it cannot be a key; None where it can.
  Value hashed(const Value& key);
  /// ATTRIBUTE of an object of the class, as AttributeError says it.
  Value no_attribute(const Value& self, std::string_view name);

 protected:
  Heap& heap_;
  int minor_number_;

 private:
  [[nodiscard]] Value failed(std::string text, bool is_known = true) { return heap_.failed(std::move(text), is_known); }
  std::optional<bool> equal_items(const Value& left, const Value& right);
  std::optional<bool> equal_mappings(const Value& left, const Value& right);
  Value contains(const Value& whole, const Value& part);
  Value ordered(const Value& left, std::string_view sign, const Value& right);
  Value ordered_items(const Value& left, std::string_view sign, const Value& right);
  Value calculated(Integer left, std::string_view sign, Integer right);
  Value repeated(const Value& whole, const Value& count);
  Value joined(const Value& left, const Value& right, bool is_in_place);
  Value of_sets(const Value& left, std::string_view sign, const Value& right, bool is_in_place);
  Value of_classes(const Value& left, std::string_view sign, const Value& right, bool is_in_place, bool& is_done);
  Value unsupported(const Value& left, std::string_view sign, const Value& right, bool is_in_place);
  Value filled(const Value& pattern, const Value& given);
  Value sliced(const Value& whole, const Value& slice);
  std::optional<std::string> written_items(const Value& value, std::string_view open, std::string_view close);

  int depth_ = 0;  ///< lists in each other
};

inline constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

/// The indices that a slice takes of so many; nullopt: not known.
std::optional<std::vector<std::size_t>> taken_by(const Value& slice, std::size_t size);

}  // namespace soresolve::python
