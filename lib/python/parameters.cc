// What stands in brackets behind a name: parameters of functions, arguments of calls, parameters of types.
//
// Source: the Python Language Reference, "Function definitions", "Calls", "Type parameter lists".
#include <algorithm>
#include <utility>

#include "python/expression_parser.h"

namespace soresolve::python {

/// Names that are compared with each other; of more, which no hand has written, those behind them are not.
constexpr std::size_t kMostCompared = 1000;

// By what has been there: '/' once, a star once, a value for each behind the first that has one.
std::vector<Parameter> ExpressionParser::parameters(std::string_view close) {
  const bool is_annotated = close == ")";
  std::vector<Parameter> all;
  const char* const begin = place();
  bool has_slash = false;
  bool has_star = false;
  bool is_bare = false;  // a star that no name follows yet
  bool has_default = false;
  bool is_last = false;
  while (!failed_ && !token_.is(close)) {
    if (is_last) fail();
    if (token_.is("/")) {
      if (has_slash || has_star || all.empty()) fail();
      needs(8);
      has_slash = true;
      for (Parameter& before : all) before.is_by_place = true;
      advance();
    } else if (token_.is("*") && has_star) {
      fail();
    } else {
      Parameter one{.name = {}, .otherwise = {}, .is_by_name = has_star};
      const bool is_star = take("*");
      is_last = !is_star && take("**");
      one.is_collecting = is_star || is_last;
      one.is_options = is_last;
      has_star = has_star || is_star;
      if (is_last && is_bare) fail();
      if (is_star && token_.is(",")) {
        is_bare = true;
      } else {
        is_bare = false;
        one.name = name();
        if (is_annotated && take(":")) {
          if (is_star && token_.is("*")) needs(11);
          is_star ? starred() : expression();
        }
        one.has_default = !one.is_collecting && take("=");
        if (one.has_default) one.otherwise = expression();
        if (!one.has_default && has_default && !has_star && !is_last) fail();
        has_default = has_default || one.has_default;
        all.push_back(std::move(one));
      }
    }
    if (!take(",") && !token_.is(close)) fail();
  }
  if (is_bare) fail();
  for (std::size_t i = 0; i < std::min(all.size(), kMostCompared); ++i) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(all.begin(), end, [&](const Parameter& other) { return other.name == all[i].name; }))
      misplace(begin, {});
  }
  return all;
}

void ExpressionParser::type_parameters() {
  if (!token_.is("[")) return;
  needs(12);
  advance();
  if (token_.is("]")) fail();
  while (!failed_ && !take("]")) {
    const bool is_star = take("*");
    const bool is_plain = !is_star && !take("**");
    name();
    if (is_plain && take(":")) expression();
    if (token_.is("=")) {
      needs(13);
      advance();
      is_star ? starred() : expression();
    }
    if (!take(",") && !token_.is("]")) fail();
  }
}

void ExpressionParser::arguments(Expression& call) {
  bool has_named = false;
  bool has_mapping = false;
  const std::size_t first = call.parts.size();
  while (!failed_ && !take(")")) {
    const bool is_unpacked = token_.is("*") || token_.is("**");
    if (is_unpacked) {
      Expression star = make(ExpressionKind::Keyword, token_.text);
      if (token_.is("*") && has_mapping) fail();
      has_mapping = has_mapping || token_.is("**");
      advance();
      star.parts.push_back(expression());
      call.parts.push_back(std::move(star));
    } else {
      const ExpressionParser before = *this;
      Expression value = named();
      if (token_.is("=")) {
        // By its place it is in no brackets.
        if (!is_target(value) || value.kind != ExpressionKind::Name || value.text.data() != before.place()) fail();
        const auto is_same = [&](const Expression& other) {
          return other.kind == ExpressionKind::Keyword && other.text == value.text;
        };
        if (call.parts.size() < kMostCompared &&
            std::any_of(call.parts.begin() + static_cast<std::ptrdiff_t>(first), call.parts.end(), is_same))
          fail();
        Expression one{ExpressionKind::Keyword, value.line, value.text, {}};
        advance();
        one.parts.push_back(expression());
        value = std::move(one);
        has_named = true;
      } else if (has_named || has_mapping) {
        fail();
      } else if (token_.is("for") || token_.is("async")) {
        value = comprehension(std::move(value), "(", before);
        // Without brackets of its own it is alone.
        if (call.parts.size() != first || !token_.is(")")) fail();
      }
      call.parts.push_back(std::move(value));
    }
    if (take(")")) return;
    if (!take(",")) fail();
  }
}

}  // namespace soresolve::python
