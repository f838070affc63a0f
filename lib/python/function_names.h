// Which names a function has of its own. Source: the Python Language Reference, "Resolution of names".
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "python/syntax.h"

namespace soresolve::python {

struct FunctionNames {
  std::set<std::string, std::less<>> locals;     ///< with its parameters
  std::set<std::string, std::less<>> globals;    ///< that it declares so
  std::set<std::string, std::less<>> nonlocals;  ///< likewise
  std::set<std::string, std::less<>> read;       ///< that stand in it, but not in functions in it
};

FunctionNames names_of(const Function& function, const Block& body);

/// Calls `visit` with each expression of a statement, outermost first, but not those of its blocks, and with what
/// stands in it, but not in functions.
template <class Visit>
void for_each_expression(const Expression& expression, const Visit& visit) {
  visit(expression);
  for (const Expression& part : expression.parts) for_each_expression(part, visit);
}

template <class Visit>
void for_each_expression(const Statement& statement, const Visit& visit) {
  for (const Expression& value : statement.values) for_each_expression(value, visit);
  for (const Clause& clause : statement.clauses) {
    for_each_expression(clause.value, visit);
    for_each_expression(clause.guard, visit);
  }
  if (!statement.function) return;
  for (const Expression& decorator : statement.function->decorators) for_each_expression(decorator, visit);
  for (const Parameter& parameter : statement.function->parameters) for_each_expression(parameter.otherwise, visit);
}

/// The blocks of a statement, in their order.
template <class Visit>
void for_each_block(const Statement& statement, const Visit& visit) {
  visit(statement.body);
  for (const Clause& clause : statement.clauses) visit(clause.body);
  visit(statement.otherwise);
  visit(statement.finally);
}

}  // namespace soresolve::python
