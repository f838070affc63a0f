// Functions of the standard library, one row a name, and what finds a row.
//
// Sources: the Python Library Reference: os, os.path, pathlib, glob, platform, struct, textwrap, functools,
// collections, contextlib, dataclasses, itertools, importlib, ctypes, sys.
#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/pieces.h"
#include "python/evaluator.h"
#include "python/paths.h"

namespace soresolve::python {

struct LibraryFunctions {
  static const KnownCall kRows[];

  template <class Change>
  static Value changed_path(Evaluator& run, const Arguments& given, const Change& change) {
    const auto path = given.text(0);
    return path ? run.heap_.text(change(*path)) : Value{};
  }

  template <class Test>
  static Value tested_path(Evaluator& run, const Arguments& given, const Test& test) {
    const auto path = given.text(0);
    const std::string whole = path ? run.known_functions_.absolute(*path) : std::string();
    return whole.starts_with('/') ? truth_value(test(whole)) : Value{};
  }

  static Value joined(Evaluator& run, const Arguments& given, ValueKind kind, std::string path = {}) {
    for (const Value& part : given) {
      if (!part.is_text() && !part.is(ValueKind::Path)) return {};
      path = joined_path(path, part.text());
    }
    if (given.has_names()) return {};
    if (kind != ValueKind::Path) return run.heap_.text(std::move(path));
    // A path has no dots of its own and no slash at its end.
    std::string plain = path.starts_with('/') ? "/" : "";
    for (const std::string_view part : pieces_in(path, '/')) {
      if (!part.empty() && part != ".") plain = joined_path(plain, part);
    }
    return run.heap_.make_text(kind, plain.empty() ? "." : plain);
  }

  static Value home_of(Evaluator& run, std::string_view path, ValueKind kind) {
    if (!path.starts_with('~')) return run.heap_.make_text(kind, std::string(path));
    const auto place = run.place_of(run.variables_, run.heap_.text("HOME"));
    const bool is_known = place && *place != kNowhere && (path.size() == 1 || path[1] == '/');
    const Value home = is_known ? run.variables_.items()[*place + 1] : Value{};
    return home.is_text() ? run.heap_.make_text(kind, home.text() + std::string(path.substr(1))) : Value{};
  }

  static Value variable(Evaluator& run, const Arguments& given) {
    const Value name = given.at(0, "key");
    const Value* const otherwise = given.find(1, "default");
    const auto place = name.is_text() ? run.place_of(run.variables_, name) : std::nullopt;
    if (!place) return {};
    if (*place != kNowhere) return run.variables_.items()[*place + 1];
    return otherwise == nullptr ? none() : *otherwise;
  }

  /// Source: CPython Lib/textwrap.py:dedent.
  static Value dedented(Evaluator& run, const Arguments& given) {
    const auto whole = given.text(0, "text");
    if (!whole) return {};
    const auto indent_of = [](std::string_view line) { return line.substr(0, line.find_first_not_of(" \t")); };
    const auto is_blank = [](std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; };
    std::optional<std::string_view> margin;
    for (const std::string_view line : lines_in(*whole)) {
      if (is_blank(line)) continue;
      const std::string_view indent = indent_of(line);
      if (!margin) margin = indent;
      std::size_t same = 0;
      while (same < margin->size() && same < indent.size() && (*margin)[same] == indent[same]) ++same;
      margin = margin->substr(0, same);
    }
    std::string result;
    for (const std::string_view line : lines_in(*whole)) {
      if (!is_blank(line)) result += line.substr(margin->size());
      result += '\n';
    }
    if (!whole->ends_with('\n') && !result.empty()) result.pop_back();
    return run.heap_.text(std::move(result));
  }

  /// A decorator that returns the function as it is, or is called to make one.
  static Value same(Evaluator& run, const Arguments& given) {
    const bool is_function =
        given.has_only(1) && (given.at(0).is(ValueKind::Function) || given.at(0).is(ValueKind::Class));
    return is_function ? given.at(0) : run.known_functions_.named("functools.cache");
  }

  static Value manager(Evaluator& /*run*/, const Arguments& given) {
    const Value function = given.at(0);
    if (!function.is(ValueKind::Function)) return {};
    return function;
  }

  static Value dataclass(Evaluator& run, const Arguments& given) {
    if (!given.has_only(1) || !given.at(0).is(ValueKind::Class)) {
      const Value row = run.known_functions_.named("dataclasses.dataclass");
      const Value options = run.heap_.make_items(ValueKind::Mapping, {});
      for (const auto& [name, value] : given.names()) run.set_item(options, run.heap_.text(name), value);
      if (given.size() == 0) return run.heap_.make_items(ValueKind::Partial, {row, run.heap_.tuple({}), options});
    }
    const Value made = given.at(0);
    if (!made.is(ValueKind::Class)) return {};
    auto& type = static_cast<ClassObject&>(*made.object);
    bool is_by_name = false;
    for (const auto& [name, value] : given.names()) {
      const auto truth = truth_of(value);
      if (name == "frozen" && truth) {
        type.is_frozen = *truth;
      } else if (name == "eq" && truth) {
        type.is_compared = *truth;
      } else if (name == "kw_only" && truth) {
        is_by_name = *truth;
      } else if (name != "slots") {
        type.is_open = type.is_open || truth != (name == "init" || name == "repr" || name == "match_args");
      }
    }
    run.note_fields(type, false, is_by_name);
    return run.is_over() ? Value{} : made;
  }

  /// dataclasses.field(): {has a default, is it made, the default, is it a parameter}.
  static Value field(Evaluator& run, const Arguments& given) {
    const Value* const otherwise = given.named("default");
    const Value* const factory = given.named("default_factory");
    const Value* const init = given.named("init");
    const Value made = run.heap_.make_items(
        ValueKind::Opened,
        {otherwise != nullptr || factory != nullptr ? truth_value(true) : none(), truth_value(factory != nullptr),
         factory != nullptr     ? *factory
         : otherwise != nullptr ? *otherwise
                                : Value{},
         truth_value(init == nullptr || truth_of(*init) == true)});
    made.object->text = "field";
    made.object->has_escaped = given.named("kw_only") != nullptr || given.named("repr") != nullptr ||
                               given.named("compare") != nullptr || !given.is_complete();
    return made;
  }

  static Value suppress(Evaluator& run, const Arguments& given) {
    const Value made = run.heap_.make_items(ValueKind::Opened, given.positions());
    made.object->text = "suppress";
    made.object->has_escaped = !given.is_complete();
    return made;
  }

  // What they import at their first call (CPython
  // Lib/importlib/_bootstrap_external.py:FileLoader.get_resource_reader, Lib/email/__init__.py:message_from_string).
  static Value imports_readers(Evaluator& run, const Arguments& /*given*/) {
    run.perhaps([&] { run.import_chain("importlib.readers"); });
    return {};
  }
  static Value imports_parser(Evaluator& run, const Arguments& /*given*/) {
    run.perhaps([&] { run.import_chain("email.parser"); });
    return {};
  }

  static Value wraps(Evaluator& run, const Arguments& given) {
    const Value same = run.known_functions_.named("functools.update_wrapper");
    const Value options = run.heap_.make_items(ValueKind::Mapping, {run.heap_.text("wrapped"), given.at(0)});
    return run.heap_.make_items(ValueKind::Partial, {same, run.heap_.tuple({}), options});
  }

  static Value update_wrapper(Evaluator& run, const Arguments& given) {
    const Value wrapper = given.at(0, "wrapper");
    const Value wrapped = given.at(1, "wrapped");
    if (!wrapper.is(ValueKind::Function)) return {};
    Scope& scope = static_cast<Holder&>(*wrapper.object).scope;
    for (const char* name : {"__name__", "__qualname__", "__module__", "__doc__"})
      run.heap_.set(scope, name, run.attribute(wrapped, name));
    if (wrapped.is(ValueKind::Function)) {
      for (const auto& [name, value] : static_cast<Holder&>(*wrapped.object).scope.names)
        run.heap_.set(scope, name, value);
    }
    run.heap_.set(scope, "__wrapped__", wrapped);
    return wrapper;
  }

  static Value chain(Evaluator& run, std::vector<Value> sources) {
    return of(run.make_iterator(IteratorObject::Form::Chain, std::move(sources)));
  }

  static Value partial(Evaluator& run, const Arguments& given) {
    if (given.size() == 0) return {};
    const Value options = run.heap_.make_items(ValueKind::Mapping, {});
    for (const auto& [name, value] : given.names()) run.set_item(options, run.heap_.text(name), value);
    return run.heap_.make_items(ValueKind::Partial,
                                {given.at(0), run.heap_.tuple({given.begin() + 1, given.end()}), options});
  }

  static Value reduce(Evaluator& run, const Arguments& given) {
    auto items = run.items_of(given.at(1));
    if (!items) return {};
    if (given.size() > 2) items->insert(items->begin(), given.at(2));
    if (items->empty()) return run.heap_.failed("TypeError: reduce() of empty iterable with no initial value");
    Value all = (*items)[0];
    for (std::size_t i = 1; i < items->size() && !run.is_over(); ++i)
      all = run.call_value(given.at(0), Arguments({all, (*items)[i]}));
    return all;
  }

  static Value access(Evaluator& run, const Arguments& given) {
    const auto path = given.text(0);
    const Value mode = given.at(1);
    if (!path || !mode.is_number()) return {};
    const bool is_there = run.known_functions_.exists(run.known_functions_.absolute(*path));
    return !is_there ? truth_value(false) : mode.number == 0 ? truth_value(true) : Value{};
  }

  static Value which(Evaluator& run, const Arguments& given) {
    const auto name = given.text(0, "cmd");
    const auto place = run.place_of(run.variables_, run.heap_.text("PATH"));
    if (!name || given.count() != 1 || !place || *place == kNowhere || name->find('/') != std::string::npos) return {};
    const Value path = run.variables_.items()[*place + 1];
    if (!path.is_text()) return {};
    for (const std::string_view directory : pieces_in(path.text(), ':')) {
      const std::string file = path_in(directory, *name);
      const Result<FileStatus, Errno> status = run.around_.files.status(file);
      if (status && status->kind == FileKind::Regular && (status->mode & 0111) != 0) return run.heap_.text(file);
    }
    return none();
  }

  static Value call_abc_abstractmethod(Evaluator& run, const Arguments& given) {
    const Value method = given.at(0);
    if (method.is(ValueKind::Function))
      run.heap_.set(static_cast<Holder&>(*method.object).scope, "__isabstractmethod__", truth_value(true));
    return method;
  }

  static Value call_copy_copy(Evaluator& run, const Arguments& given) {
    const Value from = given.at(0);
    const bool is_copied = from.is_container() && !from.has_escaped() && from.object->type == nullptr;
    return is_copied ? run.heap_.make_items(from.kind, from.items())
           : from.is_number() || from.is_text() || from.is(ValueKind::None) ? from
                                                                            : Value{};
  }

  static Value call_collections_ordereddict(Evaluator& run, const Arguments& given) {
    Value made = known_call("dict")->call(run, given);
    if (made.is_mapping()) made.object->text = "OrderedDict";
    return made;
  }

  static Value call_collections_namedtuple(Evaluator& run, const Arguments& given) {
    const auto name = given.text(0, "typename");
    const Value* const defaults = given.named("defaults");
    return name ? run.record_class(*name, given.at(1, "field_names"), defaults == nullptr ? none() : *defaults)
                : Value{};
  }

  static Value call_contextlib_nullcontext(Evaluator& run, const Arguments& given) {
    const Value made = run.heap_.make_items(ValueKind::Opened, {given.size() == 0 ? none() : given.at(0)});
    made.object->text = "nullcontext";
    return made;
  }

  static Value call_ctypes_cdll(Evaluator& run, const Arguments& given) {
    return run.open_library(given, "ctypes.CDLL");
  }

  static Value call_ctypes_pydll(Evaluator& run, const Arguments& given) {
    return run.open_library(given, "ctypes.PyDLL");
  }

  static Value call_ctypes_cdll_loadlibrary(Evaluator& run, const Arguments& given) {
    return run.open_library(given, "ctypes.cdll");
  }

  static Value call_ctypes_pydll_loadlibrary(Evaluator& run, const Arguments& given) {
    return run.open_library(given, "ctypes.pydll");
  }

  static Value call_ctypes_sizeof(Evaluator& /*run*/, const Arguments& given) {
    const Value type = given.at(0);
    return type.is(ValueKind::Known) && type.text() == "ctypes.c_void_p" ? number(8) : Value{};
  }

  static Value call_ctypes_util_find_library(Evaluator& run, const Arguments& given) { return run.find_library(given); }

  static Value call_glob_glob(Evaluator& run, const Arguments& given) {
    const auto pattern = given.text(0, "pathname");
    return pattern && given.count() == 1 ? run.known_functions_.matching(*pattern, ValueKind::Text) : Value{};
  }

  static Value call_importlib_import_module(Evaluator& run, const Arguments& given) {
    return run.import_by_name(given, false);
  }

  static Value call_importlib_metadata_files(Evaluator& run, const Arguments& given) {
    return run.files_of_wheel(given);
  }

  static Value call_importlib_util_find_spec(Evaluator& run, const Arguments& given) { return run.find_spec(given); }

  static Value call_itertools_chain(Evaluator& run, const Arguments& given) { return chain(run, given.positions()); }

  static Value call_itertools_chain_from_iterable(Evaluator& run, const Arguments& given) {
    const auto items = run.items_of(given.at(0));
    return items ? chain(run, *items) : Value{};
  }

  static Value call_os_fspath(Evaluator& run, const Arguments& given) {
    return changed_path(run, given, [](const std::string& path) { return path; });
  }

  static Value call_os_getcwd(Evaluator& run, const Arguments& /*given*/) { return run.heap_.text(run.around_.cwd); }

  static Value call_os_getcwdpath(Evaluator& run, const Arguments& /*given*/) {
    return run.heap_.make_text(ValueKind::Path, run.around_.cwd);
  }

  static Value call_os_listdir(Evaluator& run, const Arguments& given) {
    const auto path = given.text(0, "path");
    return path ? run.known_functions_.names_in(*path) : Value{};
  }

  static Value call_os_path_abspath(Evaluator& run, const Arguments& given) {
    return changed_path(run, given,
                        [&](const std::string& path) { return normal_path(run.known_functions_.absolute(path)); });
  }

  static Value call_os_path_basename(Evaluator& run, const Arguments& given) {
    return changed_path(run, given, [](const std::string& path) { return path.substr(path.rfind('/') + 1); });
  }

  static Value call_os_path_dirname(Evaluator& run, const Arguments& given) {
    return changed_path(run, given, directory_part);
  }

  static Value call_os_path_exists(Evaluator& run, const Arguments& given) {
    return tested_path(run, given, [&](const std::string& path) { return run.known_functions_.exists(path); });
  }

  static Value call_os_path_expanduser(Evaluator& run, const Arguments& given) {
    const auto path = given.text(0);
    return path ? home_of(run, *path, ValueKind::Text) : Value{};
  }

  static Value call_os_path_isabs(Evaluator& /*run*/, const Arguments& given) {
    const auto path = given.text(0);
    return path ? truth_value(path->starts_with('/')) : Value{};
  }

  static Value call_os_path_isdir(Evaluator& run, const Arguments& given) {
    return tested_path(run, given,
                       [&](const std::string& path) { return run.known_functions_.exists(path, FileKind::Directory); });
  }

  static Value call_os_path_isfile(Evaluator& run, const Arguments& given) {
    return tested_path(run, given,
                       [&](const std::string& path) { return run.known_functions_.exists(path, FileKind::Regular); });
  }

  static Value call_os_path_join(Evaluator& run, const Arguments& given) { return joined(run, given, ValueKind::Text); }

  static Value call_os_path_normpath(Evaluator& run, const Arguments& given) {
    return changed_path(run, given, normal_path);
  }

  static Value call_os_path_realpath(Evaluator& run, const Arguments& given) {
    return changed_path(run, given,
                        [&](const std::string& path) { return normal_path(run.known_functions_.absolute(path)); });
  }

  static Value call_os_path_split(Evaluator& run, const Arguments& given) {
    const auto path = given.text(0);
    return path ? run.heap_.tuple(
                      {run.heap_.text(directory_part(*path)), run.heap_.text(path->substr(path->rfind('/') + 1))})
                : Value{};
  }

  static Value call_os_path_splitext(Evaluator& run, const Arguments& given) {
    const auto path = given.text(0);
    if (!path) return Value{};
    const std::size_t name = path->rfind('/') + 1;
    const std::size_t first = path->find_first_not_of('.', name);
    const std::size_t dot = path->rfind('.');
    const std::size_t end = dot == std::string::npos || first == std::string::npos || dot < first ? path->size() : dot;
    return run.heap_.tuple({run.heap_.text(path->substr(0, end)), run.heap_.text(path->substr(end))});
  }

  static Value call_pathlib_path(Evaluator& run, const Arguments& given) { return joined(run, given, ValueKind::Path); }

  static Value call_platform_architecture(Evaluator& run, const Arguments& /*given*/) {
    return run.heap_.tuple({run.heap_.text("64bit"), run.heap_.text("ELF")});
  }

  static Value call_platform_machine(Evaluator& run, const Arguments& /*given*/) {
    return run.known_functions_.named("platform machine");
  }

  static Value call_platform_python_implementation(Evaluator& run, const Arguments& /*given*/) {
    return run.heap_.text("CPython");
  }

  static Value call_platform_system(Evaluator& run, const Arguments& /*given*/) { return run.heap_.text("Linux"); }

  static Value call_struct_calcsize(Evaluator& /*run*/, const Arguments& given) {
    return given.text(0) == "P" ? number(8) : Value{};
  }

  static Value call_sys_exit(Evaluator& run, const Arguments& given) {
    run.raise({.what = run.make_exception(*run.exception_class("SystemExit"), given.positions()),
               .raised_by = run.frame_->module->file + ":" + std::to_string(run.line_)});
    return Value{};
  }

  static Value call_sys_getdlopenflags(Evaluator& run, const Arguments& /*given*/) { return number(run.dlopen_flags_); }

  static Value call_sys_intern(Evaluator& /*run*/, const Arguments& given) { return given.at(0); }

  static Value call_sys_modules_get(Evaluator& run, const Arguments& given) {
    const Value found = run.module_in(given.at(0));
    return found.is(ValueKind::Failed) ? (given.size() > 1 ? given.at(1) : none()) : found;
  }

  static Value call_sys_modules_pop(Evaluator& run, const Arguments& given) {
    const Value found = run.module_in(given.at(0));
    if (given.at(0).is_text()) run.modules_.erase(given.at(0).text());
    return found.is(ValueKind::Failed) && given.size() > 1 ? given.at(1) : found;
  }

  static Value call_sys_setdlopenflags(Evaluator& run, const Arguments& given) {
    const Value flags = given.at(0);
    if (flags.is_number()) run.dlopen_flags_ = static_cast<std::int64_t>(flags.number);
    return flags.is_number() ? none() : Value{};
  }

  static Value call_sysconfig_get_config_var(Evaluator& run, const Arguments& given) {
    return given.text(0) == "EXT_SUFFIX" ? run.heap_.text(run.finder_.suffixes().front()) : Value{};
  }

  static Value call_torch_ops_load_library(Evaluator& run, const Arguments& given) {
    return run.open_library(given, "torch.ops.load_library");
  }

  static Value call_typing_namedtuple(Evaluator& run, const Arguments& given) {
    const auto name = given.text(0);
    return name ? run.record_class(*name, given.at(1), none()) : Value{};
  }

  static Value call_typing_cast(Evaluator& /*run*/, const Arguments& given) { return given.at(1); }
};

constinit const KnownCall LibraryFunctions::kRows[] = {
    {"abc.ABC", nullptr},
    {"abc.ABCMeta", nullptr},
    {"abc.abstractmethod", call_abc_abstractmethod},
    {"copy.copy", call_copy_copy},
    {"collections.OrderedDict", call_collections_ordereddict},
    {"collections.namedtuple", call_collections_namedtuple},
    {"contextlib.contextmanager", manager},
    {"contextlib.nullcontext", call_contextlib_nullcontext},
    {"contextlib.suppress", suppress, true},
    {"ctypes.CDLL", call_ctypes_cdll},
    {"ctypes.PyDLL", call_ctypes_pydll},
    {"ctypes.cdll", nullptr},
    {"ctypes.cdll.LoadLibrary", call_ctypes_cdll_loadlibrary},
    {"ctypes.pydll", nullptr},
    {"ctypes.pydll.LoadLibrary", call_ctypes_pydll_loadlibrary},
    {"ctypes.sizeof", call_ctypes_sizeof},
    {"ctypes.c_void_p", nullptr},
    {"ctypes.util", nullptr},
    {"ctypes.util.find_library", call_ctypes_util_find_library},
    {"dataclasses.dataclass", dataclass},
    {"dataclasses.field", field, true},
    {"functools.cache", same},
    {"functools.lru_cache", same},
    {"functools.partial", partial},
    {"functools.reduce", reduce},
    {"functools.update_wrapper", update_wrapper},
    {"functools.wraps", wraps},
    {"glob.glob", call_glob_glob},
    {"importlib.import_module", call_importlib_import_module},
    {"importlib.metadata", nullptr},
    {"importlib.metadata.files", call_importlib_metadata_files},
    {"importlib.metadata.metadata", imports_parser},
    {"importlib.metadata.version", imports_parser},
    {"importlib.resources", nullptr},
    {"importlib.resources.contents", imports_readers},
    {"importlib.resources.files", imports_readers},
    {"importlib.resources.open_binary", imports_readers},
    {"importlib.resources.open_text", imports_readers},
    {"importlib.resources.path", imports_readers},
    {"importlib.resources.read_binary", imports_readers},
    {"importlib.resources.read_text", imports_readers},
    {"importlib.util", nullptr},
    {"importlib.util.find_spec", call_importlib_util_find_spec},
    {"itertools.chain", call_itertools_chain},
    {"itertools.chain.from_iterable", call_itertools_chain_from_iterable},
    {"os.access", access},
    {"os.fspath", call_os_fspath},
    {"os.getcwd", call_os_getcwd},
    {"os.getcwdpath", call_os_getcwdpath},
    {"os.getenv", variable},
    {"os.listdir", call_os_listdir},
    {"os.path", nullptr},
    {"os.path.abspath", call_os_path_abspath},
    {"os.path.basename", call_os_path_basename},
    {"os.path.dirname", call_os_path_dirname},
    {"os.path.exists", call_os_path_exists},
    {"os.path.expanduser", call_os_path_expanduser},
    {"os.path.isabs", call_os_path_isabs},
    {"os.path.isdir", call_os_path_isdir},
    {"os.path.isfile", call_os_path_isfile},
    {"os.path.join", call_os_path_join},
    // What Python has in __file__ is absolute; links are not followed.
    {"os.path.normpath", call_os_path_normpath},
    {"os.path.realpath", call_os_path_realpath},
    {"os.path.split", call_os_path_split},
    {"os.path.splitext", call_os_path_splitext},
    {"os.uname", nullptr},
    {"pathlib.Path", call_pathlib_path},
    {"platform.architecture", call_platform_architecture},
    {"platform.machine", call_platform_machine},
    {"platform.python_implementation", call_platform_python_implementation},
    {"platform.system", call_platform_system},
    {"shutil.which", which},
    {"struct.calcsize", call_struct_calcsize},
    {"sys.exit", call_sys_exit},
    {"sys.getdlopenflags", call_sys_getdlopenflags},
    {"sys.implementation", nullptr},
    {"sys.intern", call_sys_intern},
    {"sys.modules", nullptr},
    {"sys.modules.get", call_sys_modules_get},
    {"sys.modules.pop", call_sys_modules_pop},
    {"sys.setdlopenflags", call_sys_setdlopenflags},
    {"sysconfig", nullptr},
    {"sysconfig.get_config_var", call_sysconfig_get_config_var},
    {"textwrap.dedent", dedented},
    {"torch.ops", nullptr},
    {"torch.ops.load_library", call_torch_ops_load_library},
    {"types.FunctionType", nullptr},
    {"types.ModuleType", nullptr},
    {"typing.Generic", nullptr},
    {"typing.NamedTuple", call_typing_namedtuple},
    {"typing.Protocol", nullptr},
    {"typing.cast", call_typing_cast},
};

std::span<const KnownCall> library_functions() { return LibraryFunctions::kRows; }

const KnownCall* known_call(std::string_view name) {
  static const std::map<std::string_view, const KnownCall*> kAll = [] {
    std::map<std::string_view, const KnownCall*> all;
    for (const KnownCall& row : built_in_functions()) all.emplace(row.name, &row);
    for (const KnownCall& row : library_functions()) all.emplace(row.name, &row);
    return all;
  }();
  const auto found = kAll.find(name);
  return found == kAll.end() ? nullptr : found->second;
}

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> all;
  for (const KnownCall& row : built_in_functions()) all.push_back(row.name);
  for (const KnownCall& row : library_functions()) all.push_back(row.name);
  return all;
}

}  // namespace soresolve::python
