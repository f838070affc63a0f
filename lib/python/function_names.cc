// By a walk through its statements: what binds a name makes it one of the function, unless it is declared otherwise.
// Source: the Python Language Reference, "Naming and binding".
#include "python/function_names.h"

namespace soresolve::python {
namespace {

class NameReader {
 public:
  explicit NameReader(FunctionNames& names, bool is_comprehension = false)
      : names_(names), is_comprehension_(is_comprehension) {}

  void read(const Block& block) {
    for (const Statement& statement : block) read(statement);
  }

 private:
  void bind(std::string_view name) {
    if (!name.empty()) names_.locals.emplace(name);
  }

  void bind_target(const Expression& target) {
    switch (target.kind) {
      case ExpressionKind::Name: return bind(target.text);
      case ExpressionKind::Tuple:
      case ExpressionKind::Keyword:
        for (const Expression& part : target.parts) bind_target(part);
        return;
      default: return;
    }
  }

  /// What a pattern captures: plain names, and those behind `as`.
  void bind_pattern(const Expression& pattern) {
    const bool is_constant = pattern.text == "None" || pattern.text == "True" || pattern.text == "False";
    if (pattern.kind == ExpressionKind::Name && !is_constant) bind(pattern.text);
    if (pattern.kind == ExpressionKind::Walrus) bind(pattern.text);
    if (pattern.kind == ExpressionKind::Attribute) return;
    for (std::size_t i = pattern.kind == ExpressionKind::Call ? 1 : 0; i < pattern.parts.size(); ++i)
      bind_pattern(pattern.parts[i]);
  }

  void read_expression(const Expression& expression) {
    if (expression.kind == ExpressionKind::Name) names_.read.emplace(expression.text);
    // In a comprehension it is a name of the function around it.
    if (expression.kind == ExpressionKind::Walrus && !is_comprehension_) bind(expression.text);
    // What a comprehension names stands in the function as well; what it binds does not.
    if (expression.kind != ExpressionKind::Comprehension || !expression.function) return;
    FunctionNames inner;
    NameReader(inner, true).read(*expression.function->made);
    names_.read.insert(inner.read.begin(), inner.read.end());
    if (!is_comprehension_) read_walrus(*expression.function->made);
  }

  void read_walrus(const Block& block) {
    for (const Statement& statement : block) {
      for_each_expression(statement, [&](const Expression& each) {
        if (each.kind == ExpressionKind::Walrus) bind(each.text);
        if (each.kind == ExpressionKind::Comprehension && each.function) read_walrus(*each.function->made);
      });
      for_each_block(statement, [&](const Block& inner) { read_walrus(inner); });
    }
  }

  void read(const Statement& statement) {
    for_each_expression(statement, [&](const Expression& each) { read_expression(each); });
    switch (statement.kind) {
      case StatementKind::Assign:
        for (std::size_t i = 0; i + 1 < statement.values.size(); ++i) bind_target(statement.values[i]);
        break;
      case StatementKind::Annotation:
      case StatementKind::Change:
      case StatementKind::For:
      case StatementKind::Delete: bind_target(statement.values[0]); break;
      case StatementKind::With:
        for (std::size_t i = 1; i < statement.values.size(); i += 2) bind_target(statement.values[i]);
        break;
      case StatementKind::Function:
      case StatementKind::Class: bind(statement.text); break;
      case StatementKind::Import:
      case StatementKind::From:
        for (const Alias& alias : statement.aliases)
          bind(alias.other.empty() ? alias.name.substr(0, alias.name.find('.')) : alias.other);
        break;
      case StatementKind::Global:
      case StatementKind::Nonlocal:
        for (const Alias& alias : statement.aliases)
          (statement.kind == StatementKind::Global ? names_.globals : names_.nonlocals).emplace(alias.name);
        break;
      case StatementKind::Match:
        for (const Clause& clause : statement.clauses) bind_pattern(clause.value);
        break;
      default: break;
    }
    for (const Clause& clause : statement.clauses) bind(clause.name);
    if (statement.kind == StatementKind::Class) return;
    for_each_block(statement, [&](const Block& block) { read(block); });
  }

  FunctionNames& names_;
  bool is_comprehension_;
};

}  // namespace

FunctionNames names_of(const Function& function, const Block& body) {
  FunctionNames names;
  for (const Parameter& parameter : function.parameters) names.locals.emplace(parameter.name);
  NameReader(names, function.made && function.name == "<genexpr>").read(body);
  for (const auto* const others : {&names.globals, &names.nonlocals}) {
    for (const std::string& name : *others) names.locals.erase(name);
  }
  return names;
}

}  // namespace soresolve::python
