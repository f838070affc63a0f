// The interpreter's own functions, one row a name. Source: the Python Library Reference, "Built-in Functions".
#include <algorithm>
#include <charconv>
#include <utility>

#include "base/pieces.h"
#include "base/utf8.h"
#include "python/evaluator.h"

namespace soresolve::python {
namespace {

using Form = IteratorObject::Form;

/// Digits of this base, without signs; nullopt: they are none.
std::optional<std::int64_t> digits_of(std::string_view digits, int base) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole && digits[0] != '-' ? std::optional(value) : std::nullopt;
}

}  // namespace

/// What rows of more than a few lines do.
struct BuiltIns {
  static const KnownCall kRows[];

  static Value as_container(Evaluator& run, const Arguments& given, ValueKind kind) {
    if (given.count() > 1 || given.has_names()) return {};
    Value whole = run.heap_.make_items(kind, {});
    if (given.size() == 0) return whole;
    const bool is_set = kind == ValueKind::Set || kind == ValueKind::FrozenSet;
    const Value from = given.at(0);
    const auto items = from.is_unknown() ? std::nullopt : run.items_of(from, is_set);
    if (run.is_over()) return {};
    if (!items) {
      run.unknown_call(given);
      whole.object->has_escaped = true;
      return kind == ValueKind::Tuple || kind == ValueKind::FrozenSet ? Value{} : whole;
    }
    if (!is_set) return run.heap_.make_items(kind, *items);
    for (const Value& item : *items) {
      const Value key = run.hashed(item);
      if (key.is(ValueKind::Failed)) return key;
      if (key.is_unknown() || !run.add_to_set(whole, item)) return {};
    }
    return whole;
  }

  static Value dict(Evaluator& run, const Arguments& given) {
    const Value whole = run.heap_.make_items(ValueKind::Mapping, {});
    if (given.size() > 1) return {};
    if (given.size() == 1 && !run.update(whole, given.at(0)))
      return run.is_over() ? Value{} : (run.escape(whole), whole);
    for (const auto& [name, value] : given.names()) run.set_item(whole, run.heap_.text(name), value);
    return whole;
  }

  static Value sorted(Evaluator& run, const Arguments& given) {
    const Value whole = given.at(0);
    auto items = given.size() == 1 && !whole.is_unknown() ? run.items_of(whole, true) : std::nullopt;
    return items ? run.sorted(*std::move(items), given) : Value{};
  }

  /// any() and all(): `stop` is the truth that ends them.
  static Value first_truth(Evaluator& run, const Arguments& given, bool stop) {
    if (!given.has_only(1) || given.at(0).is_unknown()) return {};
    bool is_known = true;
    bool is_stopped = false;
    const bool is_whole = run.for_each(
        given.at(0),
        [&](const Value& item) {
          const auto truth = run.tested(item);
          is_stopped = truth == stop;
          is_known = is_known && truth;
          return !is_stopped && !run.is_over();
        },
        true);
    if (run.is_over()) return {};
    if (is_stopped) return is_known ? truth_value(stop) : Value{};
    return is_known && is_whole ? truth_value(!stop) : Value{};
  }

  /// min() and max().
  static Value extreme(Evaluator& run, const Arguments& given, std::string_view sign) {
    const bool is_max = sign == ">";
    const Value* const key = given.named("key");
    const Value* const otherwise = given.named("default");
    const auto items = given.size() == 1 ? run.items_of(given.at(0), true) : std::optional(given.positions());
    if (!items) return {};
    if (items->empty()) {
      if (otherwise != nullptr) return *otherwise;
      const std::string name = is_max ? "max()" : "min()";
      return run.heap_.failed("ValueError: " + name +
                              (run.minor_number_ >= 12 ? " iterable argument is empty" : " arg is an empty sequence"));
    }
    const auto key_of = [&](const Value& item) {
      return key == nullptr || key->is(ValueKind::None) ? item : run.call_value(*key, Arguments({item}));
    };
    Value best = (*items)[0];
    Value best_key = key_of(best);
    for (std::size_t i = 1; i < items->size() && !run.is_over(); ++i) {
      const Value each = key_of((*items)[i]);
      const Value is_more = run.compare(each, sign, best_key);
      if (is_more.is(ValueKind::Failed)) return is_more;
      const auto truth = run.tested(is_more);
      if (!truth) return {};
      if (*truth) best = (*items)[i], best_key = each;
    }
    return run.is_over() ? Value{} : best;
  }

  static Value sum(Evaluator& run, const Arguments& given) {
    const auto items = run.items_of(given.at(0), true);
    if (!items) return {};
    const Value* const start = given.find(1, "start");
    Value all = start == nullptr ? number(0) : *start;
    if (all.is_text()) return run.heap_.failed("TypeError: sum() can't sum strings [use ''.join(seq) instead]");
    for (const Value& item : *items) {
      all = run.operate(all, "+", item);
      if (all.is(ValueKind::Failed) || all.is_unknown()) return all;
    }
    return all;
  }

  static Value integer(Evaluator& run, const Arguments& given) {
    if (given.count() == 0) return number(0);
    const Value from = given.at(0);
    const Value* const base = given.find(1, "base");
    if (given.size() == 1 && base == nullptr && from.is_number()) return number(from.number);
    if (from.is(ValueKind::None) || from.is_container())
      return run.heap_.failed(
          "TypeError: int() argument must be a string, a bytes-like object or a real number, not '" + type_name(from) +
              "'",
          run.minor_number_ >= 10);
    if (!from.is_text()) {
      if (const auto made = run.special(from, "__int__", {})) return *made;
      return {};
    }
    if (base != nullptr && !base->is_number()) return {};
    const auto radix = base == nullptr ? 10 : static_cast<int>(base->number);
    std::string_view digits = trimmed(from.text(), " \t\r\n\f\v");
    const bool is_negative = digits.starts_with('-');
    if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
    const std::string_view prefix = radix == 16 ? "xX" : radix == 8 ? "oO" : radix == 2 ? "bB" : "";
    if (digits.size() > 2 && digits[0] == '0' && !prefix.empty() && prefix.find(digits[1]) != std::string_view::npos)
      digits.remove_prefix(2);
    const bool is_plain = radix >= 2 && radix <= 36 && digits.find('_') == std::string_view::npos &&
                          is_plain_ascii(digits) && digits.size() < 18;
    const auto parsed = is_plain ? digits_of(digits, radix) : std::nullopt;
    if (parsed) return number(is_negative ? -static_cast<Integer>(*parsed) : static_cast<Integer>(*parsed));
    if (!is_plain) return {};
    const auto name = run.written(from);
    return run.heap_.failed(
        "ValueError: invalid literal for int() with base " + std::to_string(radix) + ": " + name.value_or(""),
        name.has_value());
  }

  static Value range(Evaluator& run, const Arguments& given) {
    std::vector<Value> parts = {number(0), none(), number(1)};
    if (given.size() == 0 || given.size() > 3) return {};
    for (const Value& part : given) {
      if (part.is_unknown()) return {};
      if (!part.is_number())
        return run.heap_.failed("TypeError: '" + type_name(part) + "' object cannot be interpreted as an integer");
    }
    if (given.size() == 1) parts[1] = given.at(0);
    for (std::size_t i = 0; given.size() > 1 && i < given.size(); ++i) parts[i] = given.at(i);
    for (Value& part : parts) part.kind = ValueKind::Int;
    if (parts[2].number == 0) return run.heap_.failed("ValueError: range() arg 3 must not be zero");
    return run.heap_.make_items(ValueKind::Range, std::move(parts));
  }

  static Value iterators(Evaluator& run, const Arguments& given, Form form, std::size_t first) {
    std::vector<Value> sources;
    for (std::size_t i = first; i < given.size(); ++i) {
      sources.push_back(run.iterator_of(given.at(i)));
      if (run.is_over() || sources.back().is_unknown()) return {};
    }
    if (given.has_names()) return {};
    return of(run.make_iterator(form, std::move(sources), first == 0 ? Value{} : given.at(0)));
  }

  static Value reversed(Evaluator& run, const Arguments& given) {
    const Value whole = given.at(0);
    const bool is_plain = whole.is_sequence() || whole.is_text() || whole.is(ValueKind::Range) || whole.is_mapping();
    if (is_plain && !whole.has_escaped()) return of(run.make_iterator(Form::Reversed, {whole}));
    if (whole.is_set()) return run.heap_.failed("TypeError: '" + type_name(whole) + "' object is not reversible");
    return {};
  }

  static Value next(Evaluator& run, const Arguments& given) {
    const Value from = given.at(0);
    Value item;
    if (from.is(ValueKind::Instance)) {
      if (const auto made = run.special(from, "__next__", {})) return *made;
    }
    if (from.is_unknown()) return {};
    if (!from.is(ValueKind::Iterator))
      return from.is_container() ? run.heap_.failed("TypeError: '" + type_name(from) + "' object is not an iterator")
                                 : Value{};
    switch (run.pull(from, item)) {
      case Evaluator::Pull::Item: return item;
      case Evaluator::Pull::End: return given.size() > 1 ? given.at(1) : run.stop_iteration(from);
      default: return {};
    }
  }

  static Value get_attribute(Evaluator& run, const Arguments& given) {
    const auto name = given.text(1);
    if (!name || !given.is_complete()) return {};
    const Value base = given.at(0);
    if (given.size() < 3) return run.attribute(base, *name);
    const Value found = run.attribute(base, *name);
    if (!run.raised_) return found;
    const bool is_missing =
        run.raised_->what.is(ValueKind::Instance) && !run.is_stopped_ &&
        Evaluator::is_derived(*run.raised_->what.object->type, *run.exception_class("AttributeError"));
    if (!is_missing) return {};
    run.raised_.reset();
    return given.at(2);
  }

  static Value type(Evaluator& run, const Arguments& given) {
    if (given.size() != 3) return given.has_only(1) ? run.type_of(given.at(0)) : Value{};
    const auto name = given.text(0);
    if (!name || !given.at(1).is(ValueKind::Tuple) || !given.at(2).is_mapping() || given.at(2).has_escaped()) return {};
    auto* const made = run.heap_.make<ClassObject>(ValueKind::Class);
    made->text = *name;
    made->module = run.frame_->module->name;
    for (const Value& base : given.at(1).items()) {
      if (base.is(ValueKind::Class))
        made->bases.push_back(base);
      else if (!base.is(ValueKind::Known) || base.text() != "object")
        made->is_open = true;
    }
    run.order_class(*made);
    const std::vector<Value> items = given.at(2).items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i].is_text()) made->scope.names.insert_or_assign(items[i].text(), items[i + 1]);
    }
    return run.is_over() ? Value{} : of(made);
  }

  static Value based(Evaluator& run, const Arguments& given, unsigned base, const char* prefix) {
    const Value value = given.at(0);
    if (!value.is_number()) return {};
    std::string digits = decimal(value.number, base);
    return run.heap_.text(digits.insert(digits[0] == '-' ? 1 : 0, prefix));
  }

  static Value call_import(Evaluator& run, const Arguments& given) { return run.import_by_name(given, true); }

  static Value call_abs(Evaluator& run, const Arguments& given) {
    const Value value = given.at(0);
    if (value.is_number()) return value.number < 0 ? run.negated("-", value) : number(value.number);
    return value.is(ValueKind::Float) ? value : run.special(value, "__abs__", {}).value_or(Value{});
  }

  static Value call_all(Evaluator& run, const Arguments& given) { return first_truth(run, given, false); }

  static Value call_any(Evaluator& run, const Arguments& given) { return first_truth(run, given, true); }

  static Value call_bin(Evaluator& run, const Arguments& given) { return based(run, given, 2, "0b"); }

  static Value call_bool(Evaluator& run, const Arguments& given) {
    return given.count() == 0 ? truth_value(false) : given.has_only(1) ? truth_value(run.tested(given.at(0))) : Value{};
  }

  static Value call_bytes(Evaluator& run, const Arguments& given) {
    if (given.count() == 0) return run.heap_.make_text(ValueKind::Bytes, {});
    return given.has_only(1) && given.at(0).is(ValueKind::Bytes) ? given.at(0) : Value{};
  }

  static Value call_callable(Evaluator& run, const Arguments& given) {
    const Value value = given.at(0);
    switch (value.kind) {
      case ValueKind::Function:
      case ValueKind::Method:
      case ValueKind::Class:
      case ValueKind::Partial: return truth_value(true);
      case ValueKind::Instance:
        if (run.find_in_class(*value.object->type, "__call__") != nullptr) return truth_value(true);
        return value.object->type->is_open ? Value{} : truth_value(false);
      case ValueKind::Known: {
        const KnownCall* const known = known_call(value.text());
        return known != nullptr && known->call != nullptr ? truth_value(true) : Value{};
      }
      case ValueKind::None:
      case ValueKind::Bool:
      case ValueKind::Int:
      case ValueKind::Float:
      case ValueKind::Text:
      case ValueKind::Bytes:
      case ValueKind::Path:
      case ValueKind::List:
      case ValueKind::Tuple:
      case ValueKind::Set:
      case ValueKind::FrozenSet:
      case ValueKind::Mapping:
      case ValueKind::Range: return truth_value(false);
      default: return Value{};
    }
  }

  static Value call_chr(Evaluator& run, const Arguments& given) {
    const Value code = given.at(0);
    const bool is_one = code.is_number() && code.number >= 0 && code.number <= 0x10ffff;
    return is_one ? run.heap_.text(utf8_of(static_cast<char32_t>(code.number))) : Value{};
  }

  static Value call_classmethod(Evaluator& run, const Arguments& given) {
    return run.heap_.make_items(ValueKind::ClassMethod, {given.at(0)});
  }

  static Value call_compile(Evaluator& /*run*/, const Arguments& given) {
    return given.at(0).is_text() ? given.at(0) : Value{};
  }

  static Value call_delattr(Evaluator& run, const Arguments& given) {
    const auto name = given.text(1);
    if (!name) return Value{};
    run.delete_attribute(given.at(0), *name);
    return run.is_over() ? Value{} : none();
  }

  static Value call_dict_fromkeys(Evaluator& run, const Arguments& given) {
    const auto keys = run.items_of(given.at(0), false);
    const Value whole = run.heap_.make_items(ValueKind::Mapping, {});
    for (std::size_t i = 0; keys && i < keys->size(); ++i)
      run.set_item(whole, (*keys)[i], given.size() > 1 ? given.at(1) : none());
    return keys ? whole : Value{};
  }

  static Value call_divmod(Evaluator& run, const Arguments& given) {
    const Value whole = run.operate(given.at(0), "//", given.at(1));
    const Value rest = run.operate(given.at(0), "%", given.at(1));
    return whole.is_number() && rest.is_number() ? run.heap_.tuple({whole, rest}) : Value{};
  }

  static Value call_enumerate(Evaluator& run, const Arguments& given) {
    const Value* const start = given.find(1, "start");
    if (start != nullptr && !start->is_number()) return Value{};
    const Value source = run.iterator_of(given.at(0));
    if (run.is_over() || source.is_unknown()) return Value{};
    IteratorObject* const made = run.make_iterator(Form::Enumerate, {source});
    made->at = start == nullptr ? 0 : start->number;
    return of(made);
  }

  static Value call_exec(Evaluator& run, const Arguments& given) { return run.run_text(given); }

  static Value call_filter(Evaluator& run, const Arguments& given) {
    const Value source = run.iterator_of(given.at(1));
    return run.is_over() || source.is_unknown() ? Value{} : of(run.make_iterator(Form::Filter, {source}, given.at(0)));
  }

  static Value call_float(Evaluator& /*run*/, const Arguments& given) {
    const bool is_number = given.count() == 0 || given.at(0).is_number() || given.at(0).is(ValueKind::Float);
    return is_number ? Value{.kind = ValueKind::Float} : Value{};
  }

  static Value call_format(Evaluator& run, const Arguments& given) {
    const auto form = given.size() > 1 ? given.text(1) : std::string();
    return form ? run.formatted(given.at(0), *form) : Value{};
  }

  static Value call_frozenset(Evaluator& run, const Arguments& given) {
    return as_container(run, given, ValueKind::FrozenSet);
  }

  static Value call_globals(Evaluator& run, const Arguments& /*given*/) { return run.names_of(of(run.frame_->module)); }

  static Value call_hasattr(Evaluator& run, const Arguments& given) {
    const auto name = given.text(1);
    return name ? run.has_attribute(given.at(0), *name) : Value{};
  }

  static Value call_hash(Evaluator& run, const Arguments& given) {
    const Value made = run.hashed(given.at(0));
    return made.is(ValueKind::Failed) ? made : Value{};
  }

  static Value call_hex(Evaluator& run, const Arguments& given) { return based(run, given, 16, "0x"); }

  static Value call_isinstance(Evaluator& run, const Arguments& given) {
    return truth_value(run.is_instance(given.at(0), given.at(1)));
  }

  static Value call_issubclass(Evaluator& run, const Arguments& given) {
    return truth_value(run.is_subclass(given.at(0), given.at(1)));
  }

  static Value call_iter(Evaluator& run, const Arguments& given) {
    return given.has_only(1) ? run.iterator_of(given.at(0)) : Value{};
  }

  static Value call_len(Evaluator& run, const Arguments& given) {
    return given.has_only(1) ? run.length(given.at(0)) : Value{};
  }

  static Value call_list(Evaluator& run, const Arguments& given) { return as_container(run, given, ValueKind::List); }

  static Value call_locals(Evaluator& run, const Arguments& /*given*/) {
    if (run.frame_->code == nullptr)
      return run.frame_->type == nullptr ? run.names_of(of(run.frame_->module)) : Value{};
    const Value made = run.heap_.make_items(ValueKind::Mapping, {});
    for (const auto& [name, value] : run.frame_->scope->names) run.set_item(made, run.heap_.text(name), value);
    return made;
  }

  static Value call_map(Evaluator& run, const Arguments& given) { return iterators(run, given, Form::Map, 1); }

  static Value call_max(Evaluator& run, const Arguments& given) { return extreme(run, given, ">"); }

  static Value call_min(Evaluator& run, const Arguments& given) { return extreme(run, given, "<"); }

  static Value call_object(Evaluator& run, const Arguments& given) {
    return given.count() == 0 ? of(run.heap_.make(ValueKind::Opened)) : Value{};
  }

  static Value call_object_new(Evaluator& run, const Arguments& given) {
    const Value type = given.at(0);
    if (!type.is(ValueKind::Class)) return Value{};
    const Value made = run.make_exception(static_cast<ClassObject&>(*type.object), {});
    made.object->has_escaped = made.object->type->is_open;
    return made;
  }

  static Value call_object_setattr(Evaluator& run, const Arguments& given) {
    const auto name = given.text(1);
    if (!name || !given.at(0).is(ValueKind::Instance)) return Value{};
    run.heap_.set(static_cast<Holder&>(*given.at(0).object).scope, *name, given.at(2));
    return none();
  }

  static Value call_oct(Evaluator& run, const Arguments& given) { return based(run, given, 8, "0o"); }

  static Value call_open(Evaluator& run, const Arguments& given) {
    const auto path = given.text(0, "file");
    const auto mode = given.find(1, "mode") == nullptr ? std::string("r") : given.text(1, "mode");
    const std::string whole = path ? run.known_functions_.absolute(*path) : std::string();
    const bool is_read = mode && mode->find_first_of("wax+") == std::string::npos;
    if (!is_read || !whole.starts_with('/')) return Value{};
    if (run.known_functions_.exists(whole)) {
      const bool is_text = mode->find('b') == std::string::npos;
      const Value made =
          run.heap_.make_items(ValueKind::Opened, {run.heap_.text(whole), is_text ? none() : truth_value(true)});
      made.object->text = "file";
      return made;
    }
    const Value what = run.make_exception(*run.exception_class("FileNotFoundError"),
                                          {number(2), run.heap_.text("No such file or directory")});
    static_cast<Holder&>(*what.object).scope.names.emplace("filename", given.at(0, "file"));
    run.raise({.what = what, .raised_by = run.frame_->module->file + ":" + std::to_string(run.line_)});
    return Value{};
  }

  static Value call_ord(Evaluator& /*run*/, const Arguments& given) {
    const Value one = given.at(0);
    if (!one.is_text() || one.text().empty()) return Value{};
    const Character first = first_character(one.text());
    return first.length == one.text().size() ? number(first.code) : Value{};
  }

  static Value call_pow(Evaluator& run, const Arguments& given) {
    return given.has_only(2) ? run.operate(given.at(0), "**", given.at(1)) : Value{};
  }

  static Value call_print(Evaluator& run, const Arguments& given) {
    for (const Value& value : given) run.shown(value);
    return none();
  }

  static Value call_property(Evaluator& run, const Arguments& given) {
    const auto part = [&](std::size_t i, const char* name) {
      return given.find(i, name) == nullptr ? none() : given.at(i, name);
    };
    return run.heap_.make_items(ValueKind::Property, {part(0, "fget"), part(1, "fset"), part(2, "fdel")});
  }

  static Value call_repr(Evaluator& run, const Arguments& given) {
    auto text = given.has_only(1) ? run.written(given.at(0)) : std::nullopt;
    return text ? run.heap_.text(*std::move(text)) : Value{};
  }

  static Value call_round(Evaluator& /*run*/, const Arguments& given) {
    return given.has_only(1) && given.at(0).is_number() ? number(given.at(0).number) : Value{};
  }

  static Value call_set(Evaluator& run, const Arguments& given) { return as_container(run, given, ValueKind::Set); }

  static Value call_setattr(Evaluator& run, const Arguments& given) {
    const auto name = given.text(1);
    if (!name) {
      if (given.at(0).is(ValueKind::Module)) static_cast<Module&>(*given.at(0).object).is_open = true;
      return Value{};
    }
    run.set_attribute(given.at(0), *name, given.at(2));
    return run.is_over() ? Value{} : none();
  }

  static Value call_staticmethod(Evaluator& run, const Arguments& given) {
    return run.heap_.make_items(ValueKind::StaticMethod, {given.at(0)});
  }

  static Value call_str(Evaluator& run, const Arguments& given) {
    if (given.count() == 0) return run.heap_.text({});
    auto text = given.has_only(1) ? run.shown(given.at(0)) : std::nullopt;
    return text ? run.heap_.text(*std::move(text)) : Value{};
  }

  static Value call_str_join(Evaluator& run, const Arguments& given) {
    return given.has_only(2) ? run.call_method(given.at(0), "join", Arguments({given.at(1)})) : Value{};
  }

  static Value call_super(Evaluator& run, const Arguments& given) { return run.super_of(given); }

  static Value call_tuple(Evaluator& run, const Arguments& given) { return as_container(run, given, ValueKind::Tuple); }

  static Value call_vars(Evaluator& run, const Arguments& given) {
    if (given.size() == 0) return known_call("locals")->call(run, given);
    const Value base = given.at(0);
    const bool has_names = base.is(ValueKind::Instance) || base.is(ValueKind::Module) || base.is(ValueKind::Class);
    return has_names && !base.has_escaped() ? run.names_of(base) : Value{};
  }

  static Value call_zip(Evaluator& run, const Arguments& given) { return iterators(run, given, Form::Zip, 0); }
};

constinit const KnownCall BuiltIns::kRows[] = {
    {"__import__", call_import},
    {"abs", call_abs},
    {"all", call_all},
    {"any", call_any},
    {"ascii", nullptr},
    {"bin", call_bin},
    {"bool", call_bool},
    {"bytes", call_bytes},
    {"callable", call_callable},
    {"chr", call_chr},
    {"classmethod", call_classmethod},
    {"compile", call_compile},
    {"delattr", call_delattr},
    {"dict", dict},
    {"dict.fromkeys", call_dict_fromkeys},
    {"divmod", call_divmod},
    {"enumerate", call_enumerate},
    {"exec", call_exec},
    {"filter", call_filter},
    {"float", call_float},
    {"format", call_format},
    {"frozenset", call_frozenset},
    {"getattr", get_attribute},
    {"globals", call_globals},
    {"hasattr", call_hasattr},
    {"hash", call_hash},
    {"hex", call_hex},
    {"int", integer},
    {"isinstance", call_isinstance},
    {"issubclass", call_issubclass},
    {"iter", call_iter},
    {"len", call_len},
    {"list", call_list},
    {"locals", call_locals},
    {"map", call_map},
    {"max", call_max},
    {"min", call_min},
    {"next", next},
    {"object", call_object},
    {"object.__new__", call_object_new},
    {"object.__setattr__", call_object_setattr},
    {"oct", call_oct},
    {"open", call_open},
    {"ord", call_ord},
    {"pow", call_pow},
    {"print", call_print},
    {"property", call_property},
    {"range", range},
    {"repr", call_repr},
    {"reversed", reversed},
    {"round", call_round},
    {"set", call_set},
    {"setattr", call_setattr},
    {"slice", nullptr},
    {"sorted", sorted},
    {"staticmethod", call_staticmethod},
    {"str", call_str},
    {"str.join", call_str_join},
    {"sum", sum},
    {"super", call_super},
    {"tuple", call_tuple},
    {"type", type},
    {"vars", call_vars},
    {"zip", call_zip},
};

std::span<const KnownCall> built_in_functions() { return BuiltIns::kRows; }

}  // namespace soresolve::python
