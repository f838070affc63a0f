// Calls that open libraries and import modules, and what stands beside them.
//
// Sources: the Python Library Reference, ctypes, importlib, sys; cffi's FFI.dlopen.
#include <algorithm>
#include <utility>

#include "base/byte_search.h"
#include "base/path.h"
#include "base/wheel_record.h"
#include "python/evaluator.h"
#include "python/package_modules.h"
#include "python/paths.h"

namespace soresolve::python {

// importlib.metadata.files(NAME): paths as RECORD has them. Of those that it does not list nothing is known.
Value Evaluator::files_of_wheel(const Arguments& given) {
  const auto name = given.text(0, "distribution_name");
  const auto record = name ? find_record(around_.files, finder_.path(), *name) : std::nullopt;
  if (!record) return {};
  record_site_ = record->site;
  std::vector<Value> paths;
  visit_wheel_record(record->text, [&](const WheelRecordLine& line) {
    paths.push_back(heap_.make_text(ValueKind::Path, std::string(line.path)));
    return paths.size() <= kMaxItems;
  });
  return heap_.list(std::move(paths));
}

// PackagePath.locate(): below the directory of sys.path that has the file; where it is gone, that of the list read
// last.
Value Evaluator::located(std::string_view path) {
  for (const std::string& directory : finder_.path()) {
    std::string whole = path_in(directory, path);
    if (known_functions_.exists(whole)) return heap_.make_text(ValueKind::Path, std::move(whole));
  }
  return record_site_.empty() ? Value{} : heap_.make_text(ValueKind::Path, path_in(record_site_, path));
}

bool Evaluator::has_string(const std::string& path, std::string_view text) {
  const auto [known, is_new] = strings_.try_emplace(path + "\n" + std::string(text), true);
  if (!is_new) return known->second;
  const Result<std::unique_ptr<File>, Errno> file = around_.files.open(path);
  if (!file) return true;
  bool is_there = false;
  for_each_place(**file, std::string(text) + '\0', 0, kMaxNativeBytes, [&](std::uint64_t, std::string_view) {
    is_there = true;
    return false;
  });
  known->second = is_there;
  return known->second;
}

// exec() of a text, in the names around it, or in those that are given and not known.
Value Evaluator::run_text(const Arguments& given) {
  const auto code = given.text(0);
  if (!code) {
    const bool is_in_module = given.size() < 2 || (given.at(1).is(ValueKind::View) && given.at(1).text() == "names");
    if (is_in_module) set_name(given.size() < 2 ? names_of(of(frame_->module)) : given.at(1), {}, {});
    return {};
  }
  const std::uint32_t line = line_;
  const std::shared_ptr<const Source> source = around_.sources.of_text(*code);
  if (given.has_only(1)) {
    if (frame_->code != nullptr)
      pass_over(source->body);
    else
      run_block(source->body);
    line_ = line;
    return is_over() ? Value{} : none();
  }
  // In names that are given: those of a module, or a mapping, which has what is assigned behind it.
  const Value names = given.at(1, "globals");
  const Value locals =
      given.find(2, "locals") == nullptr || given.at(2, "locals").is(ValueKind::None) ? names : given.at(2, "locals");
  const auto is_known = [](const Value& one) { return one.is_mapping() && !one.has_escaped(); };
  const bool is_of_module = names.is(ValueKind::View) && names.items()[0].is(ValueKind::Module);
  Module* const module =
      is_of_module ? static_cast<Module*>(names.items()[0].object) : heap_.make<Module>(ValueKind::Module);
  if (!is_of_module) {
    module->name = frame_->module->name;
    module->file = frame_->module->file;
    module->is_open = !is_known(names);
    module->source = source;
  }
  const bool has_locals = locals.object != names.object;
  Frame frame{.module = module, .scope = has_locals ? heap_.make_scope(nullptr) : &module->scope};
  const auto fill = [&](Scope& scope, const Value& from) {
    for (std::size_t i = 0; is_known(from) && i + 1 < from.items().size(); i += 2) {
      if (from.items()[i].is_text()) scope.names.insert_or_assign(from.items()[i].text(), from.items()[i + 1]);
    }
  };
  fill(module->scope, names);
  if (has_locals) fill(*frame.scope, locals);
  Frame* const outer = std::exchange(frame_, &frame);
  run_block(source->body);
  frame_ = outer;
  line_ = line;
  const auto give_back = [&](const Value& to, const Scope& scope) {
    if (!is_known(to)) return escape(to);
    const std::map<std::string, Value, std::less<>> all = scope.names;
    for (const auto& [name, value] : all) set_item(to, heap_.text(name), value);
  };
  if (!is_of_module) give_back(names, module->scope);
  if (has_locals) give_back(locals, *frame.scope);
  return is_over() ? Value{} : none();
}

// ctypes.CDLL and its like.
Value Evaluator::open_library(const Arguments& given, std::string_view by) {
  const auto opened = [&] { return of(heap_.make(ValueKind::Opened)); };
  const Value* name = given.find(0, "name");
  if (name != nullptr && name->is(ValueKind::None)) return opened();  // the program itself
  const auto file = given.text(0, "name");
  const Value* const handle = given.named("handle");
  if (handle != nullptr && !handle->is(ValueKind::None)) return opened();
  if (!file || file->empty()) return unknown_call(given);
  if (opened_by_table_.contains(*file)) return opened();
  constexpr std::int64_t kGlobal = 0x100;
  const Value* mode = by == "ctypes.CDLL" || by == "ctypes.PyDLL" ? given.find(1, "mode") : nullptr;
  PythonOpen what{.file = *file};
  if (mode != nullptr && mode->is(ValueKind::Int) && (mode->number & kGlobal) != 0) what.mode.scope = OpenScope::Global;
  open(std::move(what));
  return is_over() ? Value{} : opened();
}

Value Evaluator::import_by_name(const Arguments& given, bool returns_top) {
  std::string name = given.text(0, "name").value_or("");
  if (name.starts_with('.') && !returns_top) {
    const auto package = given.text(1, "package");
    const bool is_in_it = package && !package->empty() && name.find_first_not_of('.') == 1;
    name = is_in_it ? *package + name : std::string();
  }
  if (name.empty() || name.starts_with('.') || name.find('/') != std::string::npos) return unknown_call(given);
  if (!import_or_raise(name)) return {};
  const Value* const names = returns_top ? given.find(3, "fromlist") : nullptr;
  const bool is_whole = !returns_top || (names != nullptr && truth_of(*names) == true);
  Module* const module = loaded(is_whole ? std::string_view(name) : top_of(name));
  return module == nullptr ? Value{} : of(module);
}

Value Evaluator::find_spec(const Arguments& given) {
  const auto name = given.text(0, "name");
  const auto spec = [&] { return of(heap_.make(ValueKind::Opened)); };
  if (!name || name->empty() || name->starts_with('.')) return {};
  const std::size_t dot = name->rfind('.');
  if (loaded(*name) != nullptr) return spec();
  if (dot != std::string::npos && !import_or_raise(name->substr(0, dot))) return {};
  Module* const parent = dot == std::string::npos ? nullptr : loaded(name->substr(0, dot));
  if (dot != std::string::npos && parent == nullptr) return {};
  const bool is_there = finder_.find(std::string_view(*name).substr(dot + 1), search_of(parent)).has_value() ||
                        (parent == nullptr && is_built_in_module(*name)) || find_editable(*name).has_value();
  if (is_there) return spec();
  const bool is_certain =
      !is_path_unknown_ && !around_.pth_code.may_make(*name) && (parent == nullptr || !makes_modules(*parent));
  return is_certain ? none() : Value{};
}

// Source: CPython Lib/ctypes/util.py: the list of ldconfig -p, then what a compiler or a link editor takes for -lNAME.
// The latter is not played: where one is here, and a file that it could take, the result is not known.
Value Evaluator::find_library(const Arguments& given) {
  const auto name = given.text(0, "name");
  if (!name || !around_.machine.cached_library) return {};
  if (known_functions_.exists("/sbin/ldconfig")) {
    if (auto cached = around_.machine.cached_library(*name)) return heap_.text(*std::move(cached));
  }
  const auto is_any = [&](std::initializer_list<const char*> directories, const std::string& file) {
    return std::any_of(directories.begin(), directories.end(),
                       [&](const char* directory) { return known_functions_.exists(path_in(directory, file)); });
  };
  bool has_linker = false;
  for (const char* program : {"gcc", "cc", "ld"}) {
    has_linker = has_linker || is_any({"/usr/local/bin", "/usr/bin", "/bin"}, program);
  }
  const auto searched = place_of(variables_, heap_.text("LD_LIBRARY_PATH"));
  const std::string multiarch = around_.machine.name + "-linux-gnu/";
  for (const std::string& folder : {std::string(), multiarch}) {
    for (const char* suffix : {".so", ".a"}) {
      const std::string file = folder + "lib" + *name + suffix;
      if (has_linker && is_any({"/usr/local/lib", "/usr/lib", "/usr/lib64", "/lib"}, file)) return {};
    }
  }
  return has_linker && searched != kNowhere ? Value{} : none();
}

// sys.modules[NAME]
Value Evaluator::module_in(const Value& key) {
  if (!key.is_text()) return {};
  if (Module* const module = loaded(key.text())) return module->is_blocked ? none() : of(module);
  if (is_standard(top_of(key.text()))) return {};
  const auto name = written(key);
  return heap_.failed("KeyError: " + name.value_or(""), name.has_value());
}

}  // namespace soresolve::python
