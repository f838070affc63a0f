// Those of all releases from 3.6 on, as far as they are no classes of exceptions.
#include "python/built_in_names.h"

#include <algorithm>
#include <iterator>

namespace soresolve::python {

bool may_be_built_in(std::string_view name) {
  constexpr std::string_view kNames[] = {"Ellipsis",
                                         "NotImplemented",
                                         "__build_class__",
                                         "__builtins__",
                                         "__cached__",
                                         "__doc__",
                                         "__file__",
                                         "__loader__",
                                         "__name__",
                                         "__package__",
                                         "__spec__",
                                         "abs",
                                         "aiter",
                                         "anext",
                                         "ascii",
                                         "bin",
                                         "breakpoint",
                                         "bytearray",
                                         "bytes",
                                         "callable",
                                         "chr",
                                         "classmethod",
                                         "compile",
                                         "complex",
                                         "copyright",
                                         "credits",
                                         "delattr",
                                         "dict",
                                         "dir",
                                         "divmod",
                                         "eval",
                                         "exit",
                                         "filter",
                                         "float",
                                         "format",
                                         "hash",
                                         "help",
                                         "hex",
                                         "id",
                                         "input",
                                         "isinstance",
                                         "issubclass",
                                         "iter",
                                         "license",
                                         "locals",
                                         "map",
                                         "max",
                                         "memoryview",
                                         "min",
                                         "next",
                                         "object",
                                         "oct",
                                         "open",
                                         "ord",
                                         "pow",
                                         "property",
                                         "quit",
                                         "range",
                                         "repr",
                                         "reversed",
                                         "round",
                                         "setattr",
                                         "slice",
                                         "staticmethod",
                                         "sum",
                                         "super",
                                         "type",
                                         "vars",
                                         "zip"};
  constexpr std::string_view kEnds[] = {"Error",     "Exception", "ExceptionGroup", "Exit",
                                        "Interrupt", "Iteration", "Warning"};
  const bool is_class =
      !name.empty() && name[0] >= 'A' && name[0] <= 'Z' &&
      std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) { return name.ends_with(end); });
  return is_class || std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace soresolve::python
