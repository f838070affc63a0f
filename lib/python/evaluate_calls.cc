// Calls: functions of sources are followed, those of the interpreter and its library are looked up, the rest is not
// known. Source: the Python Language Reference, "Calls", "Function definitions".
#include <algorithm>
#include <utility>

#include "python/evaluator.h"

namespace soresolve::python {
namespace {

constexpr int kStepsOfCall = 300'000;  ///< of a call at the level of modules, with all that it calls
constexpr int kMostOfOne = 25;         ///< calls of one function in each other

bool imports(const Function& function) {
  return function.suite.find("import ") != std::string_view::npos ||
         function.suite.find("import_module(") != std::string_view::npos ||
         function.suite.find("__import__(") != std::string_view::npos;
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all += (i == 0                 ? ""
            : i + 1 < names.size() ? ", "
            : names.size() == 2    ? " and "
                                   : ", and ") +
           ("'" + names[i] + "'");
  return all;
}

}  // namespace

Arguments Evaluator::arguments_of(const Expression& expression, std::size_t first) {
  Arguments given;
  for (std::size_t i = first; i < expression.parts.size() && !is_over(); ++i) {
    const Expression& part = expression.parts[i];
    const Value value = evaluate(part);
    if (is_over()) break;
    if (part.kind != ExpressionKind::Keyword) {
      given.add(value);
    } else if (part.text == "*") {
      const auto items = value.is_unknown() ? std::nullopt : items_of(value);
      if (items)
        for (const Value& item : *items) given.add(item);
      else
        given.add_unknown();
    } else if (part.text == "**") {
      bool is_known = value.is_mapping() && !value.has_escaped();
      for (std::size_t at = 0; is_known && at + 1 < value.items().size(); at += 2) {
        is_known = value.items()[at].is_text();
        if (is_known) given.add_named(value.items()[at].text(), value.items()[at + 1]);
      }
      if (!is_known) given.add_unknown();
    } else {
      given.add_named(part.text, value);
    }
  }
  return given;
}

// What it gets may be kept and changed by anybody.
Value Evaluator::unknown_call(const Arguments& given) {
  ++unknown_calls_;
  for (const Value& value : given) escape(value);
  for (const auto& entry : given.names()) escape(entry.second);
  return {};
}

std::string Evaluator::qualified(std::string_view name) const {
  if (frame_->type != nullptr) return frame_->type->text + "." + std::string(name);
  return frame_->function != nullptr ? frame_->function->text + ".<locals>." + std::string(name) : std::string(name);
}

Value Evaluator::call(const Expression& expression) {
  const Expression& callee = expression.parts[0];
  const Value function = evaluate(callee);
  const Arguments given = arguments_of(expression);
  if (is_over()) return {};
  if (function.is_unknown() && callee.kind == ExpressionKind::Attribute) {
    // What opens libraries by another name.
    const bool opens = callee.text == "dlopen" || callee.text == "LoadLibrary" || callee.text == "load_library";
    const auto file = opens ? given.text(0) : std::nullopt;
    if (file && file->find(".so") != std::string::npos) return open_library(given, callee.text);
  }
  return call_value(function, given);
}

Value Evaluator::call_value(const Value& callee, const Arguments& given) {
  if (is_over()) return {};
  switch (callee.kind) {
    case ValueKind::Known: return checked(call_known(callee.text(), given));
    case ValueKind::Function: return follow(static_cast<FunctionObject&>(*callee.object), given);
    case ValueKind::Method: {
      if (callee.items().size() == 1) return call_method(callee.items()[0], callee.text(), given);
      const Value function = callee.items()[1];
      return call_value(function, given.behind(callee.items()[0]));
    }
    case ValueKind::Partial: {
      if (callee.has_escaped()) return unknown_call(given);
      Arguments all(callee.items()[1].items());
      for (const Value& value : given) all.add(value);
      const std::vector<Value>& options = callee.items()[2].items();
      for (std::size_t i = 0; i + 1 < options.size(); i += 2) {
        if (given.named(options[i].text()) == nullptr) all.add_named(options[i].text(), options[i + 1]);
      }
      for (const auto& [name, value] : given.names()) all.add_named(name, value);
      if (!given.is_complete()) all.add_unknown();
      return call_value(callee.items()[0], all);
    }
    case ValueKind::Class: return instantiate(static_cast<ClassObject&>(*callee.object), given);
    case ValueKind::StaticMethod: return call_value(callee.items()[0], given);
    case ValueKind::Instance: {
      ClassObject& type = *callee.object->type;
      if (Value* const method = find_in_class(type, "__call__")) return call_value(bound(*method, callee, type), given);
      if (type.is_open) return unknown_call(given);
      break;
    }
    case ValueKind::Unknown:
    case ValueKind::Opened:
    case ValueKind::Failed:
    case ValueKind::Super: return unknown_call(given);
    default: break;
  }
  raise_text("TypeError: '" + type_name(callee) + "' object is not callable");
  return {};
}

Value Evaluator::call_known(const std::string& dotted, const Arguments& given) {
  constexpr std::string_view kWithNone[] = {"bool", "bytes", "dict",   "float",  "frozenset", "globals",
                                            "int",  "list",  "locals", "object", "print",     "property",
                                            "set",  "str",   "super",  "tuple",  "vars",      "zip"};
  const bool takes_none = dotted.find('.') != std::string::npos ||
                          std::find(std::begin(kWithNone), std::end(kWithNone), dotted) != std::end(kWithNone);
  if (!takes_none && given.has_only(0)) return heap_.failed("TypeError: " + dotted + "()", false);
  const KnownCall* const known = known_call(dotted);
  if (known == nullptr || known->call == nullptr || (!given.is_complete() && !known->takes_unknown))
    return unknown_call(given);
  const Value made = known->call(*this, given);
  if (made.is_unknown() && !is_over()) {
    Value other = made;
    unknown_call(given);
    return other;
  }
  return made;
}

Value Evaluator::call_method(const Value& self, const std::string& name, const Arguments& given) {
  if (self.has_escaped() || !given.is_complete()) {
    unknown_call(given);
    escape(self);
    return {};
  }
  const std::optional<Value> made = KnownMethods::call(*this, self, name, given);
  if (is_over()) return {};
  if (made && made->is(ValueKind::NotImplemented)) return {};
  if (made && !made->is_unknown()) return checked(*made);
  const bool is_changed =
      self.is(ValueKind::List) || self.is(ValueKind::Set) || self.is_mapping() || self.is(ValueKind::Iterator);
  if (is_changed && !made) escape(self);
  return unknown_call(given);
}

// Gives the parameters their values. False: TypeError is raised.
bool Evaluator::bind_parameters(const FunctionObject& function, const Arguments& given, Scope& scope) {
  const std::vector<Parameter>& parameters = function.function->parameters;
  const std::string name = function.text.substr(minor_number_ >= 10 ? 0 : function.text.rfind('.') + 1);
  const auto fail = [&](const std::string& text, bool is_known = true) {
    raise_text("TypeError: " + name + "() " + text, is_known);
    return false;
  };
  std::size_t position = 0;
  std::set<std::string, std::less<>> used;
  std::vector<std::string> missing;
  std::vector<std::string> missing_by_name;
  bool has_rest = false;
  const Parameter* options = nullptr;
  std::size_t least = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (parameter.is_collecting) {
      if (parameter.is_options) {
        options = &parameter;
        continue;
      }
      std::vector<Value> rest;
      while (position < given.size()) rest.push_back(given.positions()[position++]);
      has_rest = true;
      scope.names.insert_or_assign(std::string(parameter.name),
                                   given.is_complete() ? heap_.tuple(std::move(rest)) : Value{});
      continue;
    }
    Value value;
    const Value* const named = parameter.is_by_place ? nullptr : given.named(parameter.name);
    if (!parameter.is_by_name) {
      ++most;
      if (!parameter.has_default) ++least;
    }
    if (!parameter.is_by_name && position < given.size()) {
      if (named != nullptr) return fail("got multiple values for argument '" + std::string(parameter.name) + "'");
      value = given.positions()[position++];
    } else if (named != nullptr) {
      value = *named;
      used.emplace(parameter.name);
    } else if (given.is_complete()) {
      if (parameter.has_default)
        value = function.defaults[i];
      else
        (parameter.is_by_name ? missing_by_name : missing).emplace_back(parameter.name);
    }
    scope.names.insert_or_assign(std::string(parameter.name), value);
  }
  const Value rest = options != nullptr ? heap_.make_items(ValueKind::Mapping, {}) : Value{};
  for (const auto& [each, value] : given.names()) {
    if (used.contains(each)) continue;
    if (options == nullptr)
      return fail("got an unexpected keyword argument '" + each + "'", minor_number_ < 13 && missing.empty());
    set_item(rest, heap_.text(each), value);
  }
  if (options != nullptr) {
    rest.object->has_escaped = !given.is_complete();
    scope.names.insert_or_assign(std::string(options->name), rest);
  }
  if (position < given.size() && !has_rest) {
    const bool has_by_name = std::any_of(parameters.begin(), parameters.end(),
                                         [](const Parameter& one) { return one.is_by_name && !one.is_collecting; });
    const std::string takes =
        least == most ? std::to_string(most) : "from " + std::to_string(least) + " to " + std::to_string(most);
    return fail("takes " + takes + " positional argument" + (least == most && most == 1 ? "" : "s") + " but " +
                    std::to_string(given.size()) + (given.size() == 1 ? " was given" : " were given"),
                !has_by_name);
  }
  const std::vector<std::string>& first = missing.empty() ? missing_by_name : missing;
  if (first.empty()) return true;
  return fail("missing " + std::to_string(first.size()) + " required " +
              (missing.empty() ? "keyword-only" : "positional") + " argument" + (first.size() == 1 ? "" : "s") + ": " +
              listed(first));
}

// Carries a function out, where that is worth it; what it returns.
Value Evaluator::follow(FunctionObject& function, const Arguments& given, Follow which) {
  Module& module = *function.module;
  const bool is_own = frame_->module == &module || top_of(frame_->module->name) == top_of(module.name);
  const bool is_of_table = known_.contains(std::string(top_of(module.name)));
  const bool opens = module.source && (module.source->may_open_libraries() || imports(*function.function));
  const bool is_worth_it = is_own || which == Follow::Always || (!is_of_table && (opens || !module.is_standard));
  const bool is_bounded = call_depth_ < kMaxPythonCallDepth && calls_left_ > 0;
  const auto running = running_.find(function.function.get());
  const bool is_again = running != running_.end() && running->second >= (undecided_ != 0 ? 1 : kMostOfOne);
  if (is_worth_it && is_bounded && !is_again) return run_function(function, given);
  // What it would have changed is not known.
  if (is_worth_it || is_own) escape_function(function);
  return unknown_call(given);
}

Value Evaluator::run_function(FunctionObject& function, const Arguments& given) {
  --calls_left_;
  const FunctionBody& body = around_.sources.body_of(function.function);
  if (function.function->is_asynchronous) return unknown_call(given);
  Scope* const scope = heap_.make_scope(function.outer);
  scope->is_comprehension = function.function->made && function.function->name == "<genexpr>";
  if (!bind_parameters(function, given, *scope)) return {};
  if (body.yields || scope->is_comprehension) {
    IteratorObject* const made = make_iterator(IteratorObject::Form::Generator, {});
    made->frame =
        std::make_unique<Frame>(Frame{.module = function.module, .scope = scope, .code = &body, .function = &function});
    made->places.push_back({.block = &body.statements});
    return of(made);
  }
  heap_.begin();
  Frame frame{.module = function.module, .scope = scope, .code = &body, .function = &function, .returned = none()};
  Frame* const outer = std::exchange(frame_, &frame);
  const std::uint32_t line = line_;
  const int loops = std::exchange(loops_, 0);
  const bool was_uncertain = std::exchange(is_loop_uncertain_, false);
  if (call_depth_ == 0) call_end_ = steps_left_ - kStepsOfCall;
  ++running_[function.function.get()];
  ++call_depth_;
  const Flow flow = run_block(body.statements);
  --call_depth_;
  --running_[function.function.get()];
  is_loop_uncertain_ = was_uncertain;
  loops_ = loops;
  line_ = line;
  frame_ = outer;
  const Changes changes = heap_.take();
  heap_.keep(changes);
  if (raised_ && raised_->is_cut) {
    // Too long: what the rest of it would have changed is not known.
    spoil(changes);
    escape_function(function);
    if (call_depth_ == 0) {
      raised_.reset();
      limit("import-cut-steps", kStepsOfCall);
    }
    return unknown_call(given);
  }
  if (frame.is_perhaps_left) blur(changes);
  if (flow == Flow::Raise && frame.is_perhaps_left && !is_stopped_) drop();
  if (is_over()) return {};
  if (!frame.is_perhaps_left) return flow == Flow::Return ? frame.returned : none();
  const Value last = flow == Flow::Return  ? frame.returned
                     : flow == Flow::Raise ? frame.perhaps_returned.value_or(Value{})
                                           : none();
  const bool is_one = frame.perhaps_returned && is_same(last, *frame.perhaps_returned);
  if (is_one) return last;
  escape(last);
  const bool is_probable =
      frame.perhaps_returned && truth_of(last) == true && truth_of(*frame.perhaps_returned) == true;
  return is_probable ? probable() : Value{};
}

}  // namespace soresolve::python
