// Why Python does not compile a source, as far as that is certain without its parser.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "python/parser.h"

namespace soresolve::python {

struct CompileError {
  std::string type;        ///< "SyntaxError", "TabError"
  std::string text = {};   ///< of the exception; empty: not known
  std::uint32_t line = 0;  ///< of the source
};

/// Is there a codec of this name? Asked only for names that are none of Python's own plain ones.
using HasCodec = std::function<bool(std::string_view name)>;

/// `failures`: those of the parser, in the same text. nullopt: nothing is certain.
std::optional<CompileError> find_compile_error(std::string_view source, int minor_number, const ParseFailures& failures,
                                               const HasCodec& has_codec);

}  // namespace soresolve::python
