// From tokens to a tree. Cannot fail: a line that is no Python of any release is Opaque, with what is indented below,
// and it is told where the first such one is.
#pragma once
#include <cstdint>
#include <string_view>

#include "python/function_names.h"
#include "python/parse_failures.h"
#include "python/syntax.h"

namespace soresolve::python {

/// The body of a module. Bounded: kMaxNesting expressions and blocks in each other, which counts as not understood.
Block parse_source(std::string_view source, ParseFailures* failures = nullptr);

/// The suite of a function, from its colon on.
struct FunctionBody {
  Block statements;
  bool yields = false;  ///< a generator: it runs when it is asked for values
  ParseFailures failures = {};
  FunctionNames names = {};  ///< where Sources has read it
};
FunctionBody parse_suite(const Function& function);

/// A single expression, such as one in an f-string; Opaque where there is more.
Expression parse_expression(std::string_view text, std::uint32_t line);

/// Python has 100 blocks in each other and 200 brackets at most, and each of these is two steps here. A step takes up
/// to 20 KiB of the stack where nothing is optimised and all is checked by a sanitizer.
inline constexpr int kMaxNesting = 250;

}  // namespace soresolve::python
