// `match`. Source: the Python Language Reference, "Patterns".
#include <algorithm>
#include <utility>

#include "python/evaluator.h"

namespace soresolve::python {

Evaluator::Flow Evaluator::run_match(const Statement& statement) {
  const Value subject = evaluate(statement.values[0]);
  if (is_over()) return Flow::Raise;
  const std::function<Flow(std::size_t)> run_from = [&](std::size_t begin) {
    for (std::size_t i = begin; i < statement.clauses.size(); ++i) {
      const Clause& clause = statement.clauses[i];
      std::vector<std::pair<std::string, Value>> names;
      std::optional<bool> is_it = matches_pattern(clause.value, subject, names);
      if (is_over()) return Flow::Raise;
      if (is_it == false) continue;
      const auto enter = [&] {
        for (const auto& [name, value] : names) set(name, is_it ? value : Value{});
      };
      if (is_it == true) enter();
      if (is_it == true && clause.guard.kind != ExpressionKind::Opaque) is_it = tested(evaluate(clause.guard));
      if (is_over()) return Flow::Raise;
      if (is_it == false) continue;
      if (is_it == true) return run_block(clause.body);
      Alternatives both(*this);
      both.add(false, [&] {
        enter();
        return run_block(clause.body);
      });
      both.add(true, [&] { return run_from(i + 1); });
      return both.end();
    }
    return Flow::Next;
  };
  return run_from(0);
}

// Source: the Python Language Reference, "Patterns".
std::optional<bool> Evaluator::matches_pattern(const Expression& pattern, const Value& value,
                                               std::vector<std::pair<std::string, Value>>& names) {
  const auto all = [&](const std::vector<std::pair<const Expression*, Value>>& parts) {
    std::optional<bool> is_it = true;
    for (const auto& [part, each] : parts) {
      const auto one = matches_pattern(*part, each, names);
      if (one == false) return std::optional(false);
      if (!one) is_it.reset();
    }
    return is_it;
  };
  switch (pattern.kind) {
    case ExpressionKind::Name:
      if (pattern.text == "None") return truth_of(compare(value, "is", none()));
      if (pattern.text == "True" || pattern.text == "False")
        return truth_of(compare(value, "is", truth_value(pattern.text == "True")));
      if (pattern.text != "_") names.emplace_back(pattern.text, value);
      return true;
    case ExpressionKind::Walrus: {
      const auto is_it = matches_pattern(pattern.parts[0], value, names);
      names.emplace_back(pattern.text, value);
      return is_it;
    }
    case ExpressionKind::Or: {
      std::optional<bool> any = false;
      for (const Expression& part : pattern.parts) {
        const auto one = matches_pattern(part, value, names);
        if (one == true && any == false) return true;
        if (one != false) any.reset();
      }
      return any;
    }
    case ExpressionKind::Tuple: {
      if (value.is_unknown() || value.has_escaped() || value.is(ValueKind::Instance) || value.is(ValueKind::Range)) {
        if (value.is(ValueKind::Instance) && !value.object->type->is_open) return false;
        all([&] {
          std::vector<std::pair<const Expression*, Value>> parts;
          for (const Expression& part : pattern.parts)
            parts.emplace_back(part.kind == ExpressionKind::Keyword ? part.parts.data() : &part, Value{});
          return parts;
        }());
        return std::nullopt;
      }
      if (!value.is_sequence()) return false;
      const std::vector<Value> items = value.items();
      const auto star = std::find_if(pattern.parts.begin(), pattern.parts.end(),
                                     [](const Expression& part) { return part.kind == ExpressionKind::Keyword; });
      const bool has_star = star != pattern.parts.end();
      const std::size_t fixed = pattern.parts.size() - (has_star ? 1 : 0);
      if (items.size() < fixed || (!has_star && items.size() != fixed)) return false;
      std::vector<std::pair<const Expression*, Value>> parts;
      std::size_t at = 0;
      for (const Expression& part : pattern.parts) {
        if (part.kind == ExpressionKind::Keyword) {
          const std::size_t count = items.size() - fixed;
          parts.emplace_back(part.parts.data(), heap_.list({items.begin() + static_cast<std::ptrdiff_t>(at),
                                                            items.begin() + static_cast<std::ptrdiff_t>(at + count)}));
          at += count;
        } else {
          parts.emplace_back(&part, items[at++]);
        }
      }
      return all(parts);
    }
    case ExpressionKind::Mapping: {
      if (!value.is_mapping())
        return value.is_unknown() || value.is(ValueKind::Instance) ? std::nullopt : std::optional(false);
      std::vector<std::pair<const Expression*, Value>> parts;
      const Value rest = heap_.make_items(ValueKind::Mapping, value.items());
      for (std::size_t i = 0; i < pattern.parts.size(); ++i) {
        if (pattern.parts[i].kind == ExpressionKind::Keyword) {
          parts.emplace_back(pattern.parts[i].parts.data(), value.has_escaped() ? Value{} : rest);
          continue;
        }
        const Value key = evaluate(pattern.parts[i]);
        const auto place = place_of(value, key);
        if (!place || key.is_unknown()) return std::nullopt;
        if (*place == kNowhere) return false;
        parts.emplace_back(&pattern.parts[++i], value.items()[*place + 1]);
        delete_item(rest, key);
      }
      return all(parts);
    }
    case ExpressionKind::Call: {
      const Value type = evaluate(pattern.parts[0]);
      const auto is_it = is_instance(value, type);
      if (is_it != true) return is_it;
      std::vector<std::pair<const Expression*, Value>> parts;
      const bool is_plain = type.is(ValueKind::Known);
      const Value order = is_plain ? Value{} : attribute(type, "__match_args__");
      raised_.reset();
      for (std::size_t i = 1; i < pattern.parts.size(); ++i) {
        const Expression& part = pattern.parts[i];
        if (part.kind != ExpressionKind::Keyword && is_plain) {
          parts.emplace_back(&part, value);
          continue;
        }
        std::string name(part.text);
        if (part.kind != ExpressionKind::Keyword) {
          if (!order.is(ValueKind::Tuple) || order.items().size() < i || !order.items()[i - 1].is_text())
            return std::nullopt;
          name = order.items()[i - 1].text();
        }
        const Value found = attribute(value, name);
        if (std::exchange(raised_, std::nullopt)) return false;
        parts.emplace_back(part.kind == ExpressionKind::Keyword ? part.parts.data() : &part, found);
      }
      return all(parts);
    }
    default: return truth_of(compare(value, "==", evaluate(pattern)));
  }
}

}  // namespace soresolve::python
