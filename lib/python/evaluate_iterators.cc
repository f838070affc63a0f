// Iterators: what is gone through by turns.
//
// Sources: the Python Library Reference, "Iterator Types", zip(), map(),
// filter(), enumerate(), itertools.
#include <algorithm>
#include <utility>

#include "python/evaluator.h"

namespace soresolve::python {
namespace {

using Form = IteratorObject::Form;

}  // namespace

IteratorObject* Evaluator::make_iterator(Form form, std::vector<Value> over, const Value& function) {
  auto* const made = heap_.make<IteratorObject>(ValueKind::Iterator);
  made->form = form;
  made->items = std::move(over);
  made->function = function;
  if (!made->items.empty() && (made->items[0].is_mapping() || made->items[0].is_set()))
    made->size = made->items[0].items().size();
  return made;
}

// iter(); Unknown: nothing is known of what it goes through. `any_order`: whoever asks looks at all of a set.
Value Evaluator::iterator_of(const Value& whole, bool any_order) {
  switch (whole.kind) {
    case ValueKind::Iterator: return whole;
    case ValueKind::List:
    case ValueKind::Tuple:
    case ValueKind::Mapping:
    case ValueKind::Range:
    case ValueKind::Bytes: return whole.has_escaped() ? Value{} : of(make_iterator(Form::Items, {whole}));
    case ValueKind::View:
      if (whole.items()[0].has_escaped()) return {};
      if (whole.text() == "names") {
        std::vector<Value> names;
        for (const auto& entry : static_cast<Holder&>(*whole.items()[0].object).scope.names)
          names.push_back(heap_.text(entry.first));
        const bool is_whole =
            !whole.items()[0].is(ValueKind::Module) || !static_cast<Module&>(*whole.items()[0].object).is_open;
        return is_whole && (any_order || names.size() < 2) ? iterator_of(heap_.list(std::move(names))) : Value{};
      }
      return of(make_iterator(Form::Items, {whole.items()[0], whole}));
    case ValueKind::Set:
    case ValueKind::FrozenSet: {
      const bool has_order = any_order || whole.items().size() < 2;
      return whole.has_escaped() || !has_order ? Value{} : of(make_iterator(Form::Items, {whole}));
    }
    case ValueKind::Text: return is_plain_ascii(whole.text()) ? of(make_iterator(Form::Items, {whole})) : Value{};
    case ValueKind::Instance: {
      ClassObject& type = *whole.object->type;
      if (const auto made = special(whole, "__iter__", {})) {
        if (is_over() || made->is_unknown()) return {};
        if (made->is(ValueKind::Iterator)) return *made;
        if (made->is(ValueKind::Instance) && find_in_class(*made->object->type, "__next__") != nullptr)
          return of(make_iterator(
              Form::Call, {},
              heap_.make_items(ValueKind::Method, {*made, *find_in_class(*made->object->type, "__next__")})));
        return {};
      }
      if (type.is_open) return {};
      if (Value* const get = find_in_class(type, "__getitem__"))
        return of(make_iterator(Form::Call, {whole}, Value(*get)));
      break;
    }
    case ValueKind::Int:
    case ValueKind::Bool:
    case ValueKind::None:
    case ValueKind::Float:
    case ValueKind::Function:
    case ValueKind::Method: break;
    default: return {};
  }
  raise_text("TypeError: '" + type_name(whole) + "' object is not iterable");
  return {};
}

Evaluator::Pull Evaluator::pull_items(IteratorObject& from, Value& item) {
  const Value whole = from.items[0];
  const bool is_reversed = from.form == Form::Reversed;
  if (whole.has_escaped()) return Pull::Unknown;
  if (whole.is(ValueKind::Range) || whole.is_text() || whole.is(ValueKind::Bytes)) {
    const Value size = length(whole);
    if (from.at >= size.number) return Pull::End;
    item = Operations::item(whole, number(is_reversed ? size.number - 1 - from.at : from.at));
    ++from.at;
    return Pull::Item;
  }
  const bool is_mapping = whole.is_mapping();
  if ((is_mapping || whole.is_set()) && whole.items().size() != from.size) {
    raise_text("RuntimeError: " + std::string(is_mapping ? "dictionary" : "Set") + " changed size during iteration");
    return Pull::Raise;
  }
  const auto step = is_mapping ? 2 : 1;
  const auto size = static_cast<Integer>(whole.items().size()) / step;
  if (from.at >= size) return Pull::End;
  const auto at = static_cast<std::size_t>((is_reversed ? size - 1 - from.at : from.at) * step);
  ++from.at;
  item = whole.items()[at];
  if (!is_mapping || from.items.size() == 1 || from.items[1].text() == "keys") return Pull::Item;
  const bool is_value = from.items[1].text() == "values";
  item = is_value ? whole.items()[at + 1] : heap_.tuple({item, whole.items()[at + 1]});
  return Pull::Item;
}

Evaluator::Pull Evaluator::pull(const Value& iterator, Value& item) {
  if (!iterator.is(ValueKind::Iterator) || iterator.has_escaped()) return Pull::Unknown;
  auto& from = static_cast<IteratorObject&>(*iterator.object);
  if (from.form == Form::Generator) return resume(from, item, none());
  if (is_over()) return Pull::Raise;
  if (from.is_done) return Pull::End;
  if (--steps_left_ <= 0 || from.is_running) return Pull::Unknown;
  heap_.touch(from);
  from.is_running = true;
  Pull pulled = Pull::Item;
  const auto pull_from = [&](std::size_t i, Value& into) {
    const Value source = from.items[i];
    return pull(source, into);
  };
  switch (from.form) {
    case Form::Items:
    case Form::Reversed: pulled = pull_items(from, item); break;
    case Form::Enumerate:
      pulled = pull_from(0, item);
      if (pulled == Pull::Item) item = heap_.tuple({number(from.at), item});
      ++from.at;
      break;
    case Form::Zip:
    case Form::Map: {
      std::vector<Value> parts(from.items.size());
      if (parts.empty()) pulled = Pull::End;
      for (std::size_t i = 0; i < parts.size() && pulled == Pull::Item; ++i) pulled = pull_from(i, parts[i]);
      if (pulled != Pull::Item) break;
      if (from.form == Form::Zip) {
        item = heap_.tuple(std::move(parts));
      } else {
        const Value function = from.function;
        item = call_value(function, Arguments(std::move(parts)));
        if (is_over()) pulled = Pull::Raise;
      }
      break;
    }
    case Form::Filter:
      while (true) {
        pulled = pull_from(0, item);
        if (pulled != Pull::Item) break;
        const Value function = from.function;
        const auto is_taken = tested(function.is(ValueKind::None) ? item : call_value(function, Arguments({item})));
        if (is_over())
          pulled = Pull::Raise;
        else if (!is_taken)
          pulled = Pull::Unknown;
        if (pulled != Pull::Item || *is_taken) break;
      }
      break;
    case Form::Chain:
      for (pulled = Pull::End; static_cast<std::size_t>(from.at) < from.items.size(); ++from.at) {
        const auto at = static_cast<std::size_t>(from.at);
        if (!from.items[at].is(ValueKind::Iterator)) {
          const Value source = iterator_of(from.items[at]);
          from.items[at] = source;
        }
        pulled = is_over() ? Pull::Raise : pull_from(at, item);
        if (pulled != Pull::End) break;
      }
      break;
    case Form::Call: {
      // __next__, or __getitem__ with 0, 1, 2, …
      const Value function = from.function;
      item = from.items.empty() ? call_value(function, {})
                                : call_value(function, Arguments({from.items[0], number(from.at++)}));
      if (!raised_) break;
      const std::string_view end = from.items.empty() ? "StopIteration" : "IndexError";
      const bool is_end = raised_->what.is(ValueKind::Instance) &&
                          is_derived(*raised_->what.object->type, *exception_class(end)) && !is_stopped_;
      if (is_end) raised_.reset();
      pulled = is_end ? Pull::End : Pull::Raise;
      break;
    }
    case Form::Generator: break;
  }
  from.is_running = false;
  if (pulled == Pull::End) from.is_done = true;
  if (pulled == Pull::Unknown) escape(iterator);
  return pulled;
}

bool Evaluator::for_each(const Value& whole, const std::function<bool(const Value&)>& take, bool any_order) {
  const Value iterator = iterator_of(whole, any_order);
  if (is_over()) return false;
  while (--turns_left_ >= 0) {
    Value item;
    const Pull pulled = pull(iterator, item);
    if (pulled == Pull::End) return true;
    if (pulled != Pull::Item) break;
    if (!take(item)) return !is_over();
  }
  if (!is_over()) escape(whole);
  return false;
}

std::optional<std::vector<Value>> Evaluator::items_of(const Value& whole, bool any_order) {
  std::vector<Value> items;
  const bool is_whole = for_each(
      whole,
      [&](const Value& item) {
        items.push_back(item);
        return items.size() <= kMaxItems;
      },
      any_order);
  return is_whole && items.size() <= kMaxItems ? std::optional(std::move(items)) : std::nullopt;
}

// What next() raises at the end: with what a generator returns.
Value Evaluator::stop_iteration(const Value& from) {
  const auto& iterator = static_cast<const IteratorObject&>(*from.object);
  const bool has_value =
      iterator.frame && !iterator.frame->returned.is_unknown() && !iterator.frame->returned.is(ValueKind::None);
  raise({.what = make_exception(*exception_class("StopIteration"),
                                has_value ? std::vector{iterator.frame->returned} : std::vector<Value>()),
         .raised_by = frame_->module->file + ":" + std::to_string(line_)});
  return {};
}

// A list of them in the order of `<`, or of what `key` makes of them.
Value Evaluator::sorted(std::vector<Value> items, const Arguments& given) {
  const Value* const key = given.named("key");
  const Value* const reverse = given.named("reverse");
  const auto is_reverse = reverse == nullptr ? std::optional(false) : tested(*reverse);
  if (!is_reverse) return {};
  std::vector<std::pair<Value, Value>> made;
  if (*is_reverse) std::reverse(items.begin(), items.end());
  for (const Value& item : items) {
    const bool has_key = key != nullptr && !key->is(ValueKind::None);
    const Value by = has_key ? call_value(*key, Arguments({item})) : item;
    if (is_over()) return {};
    std::size_t low = 0;
    for (std::size_t high = made.size(); low < high;) {
      const std::size_t middle = (low + high) / 2;
      const Value is_less = compare(by, "<", made[middle].first);
      if (is_less.is(ValueKind::Failed)) return is_less;
      const auto truth = tested(is_less);
      if (!truth) return {};
      (*truth ? high : low) = *truth ? middle : middle + 1;
    }
    made.insert(made.begin() + static_cast<std::ptrdiff_t>(low), {by, item});
  }
  std::vector<Value> all;
  for (const auto& entry : made) all.push_back(entry.second);
  if (*is_reverse) std::reverse(all.begin(), all.end());
  return heap_.list(std::move(all));
}

// `part in whole` of what has to be gone through; Failed: it cannot be.
Value Evaluator::found_in(const Value& whole, const Value& part) {
  if (whole.is(ValueKind::View) && whole.text() == "names") {
    const Value found = name_in(whole, part);
    return found.is(ValueKind::Failed)               ? truth_value(false)
           : found.is_unknown() && found.number == 0 ? Value{}
                                                     : truth_value(true);
  }
  std::optional<bool> found = false;
  const bool is_whole = for_each(
      whole,
      [&](const Value& item) {
        const auto same = is_same(item, part) ? std::optional(true) : equal(item, part);
        if (same == true) found = true;
        if (!same && found == false) found.reset();
        return found != true && !is_over();
      },
      true);
  return is_whole && !is_over() ? truth_value(found) : Value{};
}

Value Evaluator::as_set(const Value& whole) {
  if (whole.is_set()) return whole.has_escaped() ? Value{} : whole;
  const auto items = whole.is_unknown() ? std::nullopt : items_of(whole, true);
  if (!items) return {};
  const Value made = heap_.make_items(ValueKind::Set, {});
  for (const Value& item : *items) {
    if (!hashed(item).is(ValueKind::None) || !add_to_set(made, item)) return {};
  }
  return made;
}

// dict.update() with a mapping, or pairs. False: nothing is known of what it gets, or one raises.
bool Evaluator::update(const Value& whole, const Value& from) {
  if (from.is_mapping()) {
    if (from.has_escaped()) return false;
    const std::vector<Value> items = from.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (!set_item(whole, items[i], items[i + 1]).is(ValueKind::None)) return false;
    }
    return true;
  }
  if (from.is_unknown()) return false;
  bool is_known = true;
  const bool is_whole = for_each(from, [&](const Value& pair) {
    const auto parts = pair.is_unknown() ? std::nullopt : items_of(pair);
    is_known = parts && parts->size() == 2 && checked(set_item(whole, (*parts)[0], (*parts)[1])).is(ValueKind::None);
    return is_known;
  });
  return is_whole && is_known;
}

}  // namespace soresolve::python
