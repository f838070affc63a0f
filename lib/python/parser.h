// From tokens to a tree. Cannot fail: a line that is no Python of any release is Opaque, with what is indented below.
#pragma once
#include <cstdint>
#include <string_view>

#include "python/syntax.h"

namespace soresolve::python {

/// The body of a module. Bounded: kMaxNesting expressions and blocks in each other; what is deeper is Opaque.
Block parse_source(std::string_view source);

/// The suite of a function, from its colon on.
struct FunctionBody {
  Block statements;
  bool yields = false;  ///< a generator: it runs when it is asked for values
};
FunctionBody parse_suite(std::string_view suite, std::uint32_t first_line);

/// A single expression, such as one in an f-string; Opaque where there is more.
Expression parse_expression(std::string_view text, std::uint32_t line);

inline constexpr int kMaxNesting = 60;

}  // namespace soresolve::python
