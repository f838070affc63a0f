// The rows: one a name. Methods, attributes and items of values: known_methods.cc.
#include "python/known_functions.h"

#include <algorithm>
#include <array>

#include "base/number_text.h"
#include "base/path.h"
#include "base/pieces.h"
#include "dlopen/known_loaders.h"
#include "python/paths.h"

namespace soresolve::python {
namespace {

using Call = Value (*)(const KnownFunctions& known, const Arguments& given);

Value optional_text(std::optional<std::string> value) { return value ? text(*std::move(value)) : Value{}; }

template <class Change>
Value changed_path(const Arguments& given, const Change& change) {
  const auto path = given.text(0);
  return path ? text(change(*path)) : Value{};
}

template <class Test>
Value tested_path(const Arguments& given, const Test& test) {
  const auto path = given.text(0);
  return path && path->starts_with('/') ? truth_value(test(*path)) : Value{};
}

Value as_list(const Value& value) {
  if (value.is(ValueKind::List)) return value;
  if (!value.is(ValueKind::Mapping)) return {};
  std::vector<Value> keys;
  for (std::size_t i = 0; i < value.items->size(); i += 2) keys.push_back((*value.items)[i]);
  return list(std::move(keys));
}

Value first_as_list(const KnownFunctions& /*known*/, const Arguments& given) {
  return given.size() == 0 ? list({}) : as_list(given.at(0));
}

Value sorted(const KnownFunctions& /*known*/, const Arguments& given) {
  const Value whole = given.has_only(1) ? as_list(given.at(0)) : Value{};
  if (!whole.is(ValueKind::List)) return {};
  std::vector<Value> items = *whole.items;
  if (!std::all_of(items.begin(), items.end(), [](const Value& item) { return item.is_text(); })) return {};
  std::sort(items.begin(), items.end(), [](const Value& a, const Value& b) { return a.text < b.text; });
  return list(std::move(items));
}

/// any() and all(): `stop` is the truth that ends them.
Value first_truth(const Arguments& given, bool stop) {
  const Value whole = as_list(given.at(0));
  if (!whole.is(ValueKind::List)) return {};
  bool is_known = true;
  for (const Value& item : *whole.items) {
    const auto truth = item.truth();
    if (truth == stop) return truth_value(stop);
    is_known = is_known && truth;
  }
  return is_known ? truth_value(!stop) : Value{};
}

Value numbered(const KnownFunctions& /*known*/, const Arguments& given) {
  const Value whole = given.has_only(1) ? as_list(given.at(0)) : Value{};
  if (!whole.is(ValueKind::List)) return {};
  std::vector<Value> pairs;
  for (const Value& item : *whole.items) pairs.push_back(list({number(static_cast<std::int64_t>(pairs.size())), item}));
  return list(std::move(pairs));
}

Value length(const KnownFunctions& /*known*/, const Arguments& given) {
  if (!given.has_only(1)) return {};
  const Value whole = given.at(0);
  if (whole.is_text()) return number(static_cast<std::int64_t>(whole.text.size()));
  const Value items = as_list(whole);
  return items.is(ValueKind::List) ? number(static_cast<std::int64_t>(items.items->size())) : Value{};
}

/// Source: CPython Lib/textwrap.py:dedent.
Value dedented(const KnownFunctions& /*known*/, const Arguments& given) {
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
  return text(std::move(result));
}

struct Row {
  std::string_view name;
  Call call;
};

/// By name. Without a call: a module or an object whose parts are known.
constexpr Row kRows[] = {
    {"__import__", nullptr},
    {"all", [](const KnownFunctions&, const Arguments& given) { return first_truth(given, false); }},
    {"any", [](const KnownFunctions&, const Arguments& given) { return first_truth(given, true); }},
    {"bool", [](const KnownFunctions&,
                const Arguments& given) { return given.has_only(1) ? truth_value(given.at(0).truth()) : Value{}; }},
    {"contextlib.suppress", nullptr},
    {"ctypes.CDLL", nullptr},
    {"ctypes.PyDLL", nullptr},
    {"ctypes.cdll", nullptr},
    {"ctypes.cdll.LoadLibrary", nullptr},
    {"ctypes.pydll", nullptr},
    {"ctypes.pydll.LoadLibrary", nullptr},
    {"ctypes.util", nullptr},
    {"ctypes.util.find_library", nullptr},
    {"enumerate", numbered},
    {"exec", nullptr},
    {"frozenset", first_as_list},
    {"getattr", nullptr},
    {"glob.glob",
     [](const KnownFunctions& known, const Arguments& given) {
       const auto pattern = given.text(0, "pathname");
       return pattern && given.count() == 1 ? known.matching(*pattern) : Value{};
     }},
    {"globals", nullptr},
    {"hasattr", nullptr},
    {"importlib.import_module", nullptr},
    {"importlib.metadata", nullptr},
    {"importlib.metadata.files", nullptr},
    {"importlib.metadata.metadata", nullptr},
    {"importlib.metadata.version", nullptr},
    {"importlib.resources", nullptr},
    {"importlib.resources.contents", nullptr},
    {"importlib.resources.files", nullptr},
    {"importlib.resources.open_binary", nullptr},
    {"importlib.resources.open_text", nullptr},
    {"importlib.resources.path", nullptr},
    {"importlib.resources.read_binary", nullptr},
    {"importlib.resources.read_text", nullptr},
    {"importlib.util", nullptr},
    {"importlib.util.find_spec", nullptr},
    {"int",
     [](const KnownFunctions&, const Arguments& given) {
       if (!given.has_only(1)) return Value{};
       const Value from = given.at(0);
       if (from.is(ValueKind::Number) || from.is(ValueKind::Bool)) return number(from.number);
       const auto parsed = from.is_text() ? parse_number<std::int64_t>(from.text) : std::nullopt;
       return parsed ? number(*parsed) : Value{};
     }},
    {"len", length},
    {"list", first_as_list},
    {"os.environ", nullptr},
    {"os.environ.get", nullptr},
    {"os.fspath", [](const KnownFunctions&, const Arguments& given) { return optional_text(given.text(0)); }},
    {"os.getcwd", [](const KnownFunctions& known, const Arguments&) { return text(known.absolute(".")); }},
    {"os.getenv",
     [](const KnownFunctions& known, const Arguments& given) {
       const auto name = given.text(0, "key");
       Value value = name ? known.variable(*name) : Value{};
       const Value* otherwise = given.find(1, "default");
       return value.is(ValueKind::None) && otherwise != nullptr ? *otherwise : value;
     }},
    {"os.listdir",
     [](const KnownFunctions& known, const Arguments& given) {
       const auto path = given.text(0, "path");
       return path ? known.names_in(*path) : Value{};
     }},
    {"os.path", nullptr},
    {"os.path.abspath",
     [](const KnownFunctions& known, const Arguments& given) {
       return changed_path(given, [&](const std::string& path) { return normal_path(known.absolute(path)); });
     }},
    {"os.path.basename",
     [](const KnownFunctions&, const Arguments& given) {
       return changed_path(given, [](const std::string& path) { return std::string(file_name_of(path)); });
     }},
    {"os.path.dirname",
     [](const KnownFunctions&, const Arguments& given) { return changed_path(given, directory_part); }},
    {"os.path.exists",
     [](const KnownFunctions& known, const Arguments& given) {
       return tested_path(given, [&](const std::string& path) { return known.exists(path); });
     }},
    {"os.path.expanduser",
     [](const KnownFunctions& known, const Arguments& given) {
       const auto path = given.text(0);
       return path ? known.home_of(*path) : Value{};
     }},
    {"os.path.isabs",
     [](const KnownFunctions&, const Arguments& given) {
       const auto path = given.text(0);
       return path ? truth_value(path->starts_with('/')) : Value{};
     }},
    {"os.path.isdir",
     [](const KnownFunctions& known, const Arguments& given) {
       return tested_path(given, [&](const std::string& path) { return known.exists(path, FileKind::Directory); });
     }},
    {"os.path.isfile",
     [](const KnownFunctions& known, const Arguments& given) {
       return tested_path(given, [&](const std::string& path) { return known.exists(path, FileKind::Regular); });
     }},
    {"os.path.join", [](const KnownFunctions&, const Arguments& given) { return KnownFunctions::joined(given); }},
    // What Python has in __file__ is absolute; links are not followed.
    {"os.path.normpath",
     [](const KnownFunctions&, const Arguments& given) { return changed_path(given, normal_path); }},
    {"os.path.realpath",
     [](const KnownFunctions& known, const Arguments& given) {
       return changed_path(given, [&](const std::string& path) { return normal_path(known.absolute(path)); });
     }},
    {"os.path.split",
     [](const KnownFunctions&, const Arguments& given) {
       const auto path = given.text(0);
       return path ? list({text(directory_part(*path)), text(std::string(file_name_of(*path)))}) : Value{};
     }},
    {"os.path.splitext",
     [](const KnownFunctions& known, const Arguments& given) {
       const auto path = given.text(0);
       if (!path) return Value{};
       const std::string suffix = known.attribute(text(*path), "suffix").text;
       return list({text(path->substr(0, path->size() - suffix.size())), text(suffix)});
     }},
    {"pathlib.Path", [](const KnownFunctions&, const Arguments& given) { return KnownFunctions::joined(given); }},
    {"platform.architecture",
     [](const KnownFunctions&, const Arguments&) {
       return list({text("64bit"), text("ELF")});
     }},
    {"platform.machine", [](const KnownFunctions& known, const Arguments&) { return known.named("platform machine"); }},
    {"platform.python_implementation", [](const KnownFunctions&, const Arguments&) { return text("CPython"); }},
    {"platform.system", [](const KnownFunctions&, const Arguments&) { return text("Linux"); }},
    {"print", [](const KnownFunctions&, const Arguments&) { return none(); }},
    {"set", first_as_list},
    {"sorted", sorted},
    {"str", [](const KnownFunctions&,
               const Arguments& given) { return given.has_only(1) ? optional_text(shown(given.at(0))) : Value{}; }},
    {"struct.calcsize",
     [](const KnownFunctions&, const Arguments& given) { return given.text(0) == "P" ? number(8) : Value{}; }},
    {"sys.getdlopenflags", nullptr},
    {"sys.implementation", nullptr},
    {"sys.modules", nullptr},
    {"sys.path", nullptr},
    {"sys.path.append", nullptr},
    {"sys.path.extend", nullptr},
    {"sys.path.insert", nullptr},
    {"sys.path.remove", nullptr},
    {"sys.setdlopenflags", nullptr},
    {"sysconfig", nullptr},
    {"sysconfig.get_config_var", nullptr},
    {"textwrap.dedent", dedented},
    {"torch.ops", nullptr},
    {"torch.ops.load_library", nullptr},
    {"tuple", first_as_list},
};

const Row* row_of(std::string_view name) {
  const auto row = std::lower_bound(std::begin(kRows), std::end(kRows), name,
                                    [](const Row& each, std::string_view wanted) { return each.name < wanted; });
  return row != std::end(kRows) && row->name == name ? &*row : nullptr;
}

static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const Row& a, const Row& b) { return a.name < b.name; }));

/// Names of the same things.
constexpr std::pair<std::string_view, std::string_view> kSame[] = {
    {"posixpath", "os.path"},
    {"glob.iglob", "glob.glob"},
    {"importlib.__import__", "__import__"},
    {"pathlib.PurePath", "pathlib.Path"},
    {"pathlib.PosixPath", "pathlib.Path"},
    {"pathlib.Path.cwd", "os.getcwd"},
    {"os.fsdecode", "os.fspath"},
    {"os.path.lexists", "os.path.exists"},
    {"pathlib.PurePosixPath", "pathlib.Path"},
};

/// Bases of the interpreter's exceptions. Source: the Library Reference, "Exception hierarchy".
constexpr std::pair<std::string_view, std::string_view> kExceptions[] = {
    {"ArithmeticError", "Exception"},
    {"AssertionError", "Exception"},
    {"AttributeError", "Exception"},
    {"BaseException", ""},
    {"BlockingIOError", "OSError"},
    {"BufferError", "Exception"},
    {"ConnectionError", "OSError"},
    {"DeprecationWarning", "Warning"},
    {"EOFError", "Exception"},
    {"EnvironmentError", "OSError"},
    {"Exception", "BaseException"},
    {"FileExistsError", "OSError"},
    {"FileNotFoundError", "OSError"},
    {"FutureWarning", "Warning"},
    {"IOError", "OSError"},
    {"ImportError", "Exception"},
    {"ImportWarning", "Warning"},
    {"IndentationError", "SyntaxError"},
    {"IndexError", "LookupError"},
    {"IsADirectoryError", "OSError"},
    {"KeyError", "LookupError"},
    {"KeyboardInterrupt", "BaseException"},
    {"LookupError", "Exception"},
    {"MemoryError", "Exception"},
    {"ModuleNotFoundError", "ImportError"},
    {"NameError", "Exception"},
    {"NotADirectoryError", "OSError"},
    {"NotImplementedError", "RuntimeError"},
    {"OSError", "Exception"},
    {"OverflowError", "ArithmeticError"},
    {"PermissionError", "OSError"},
    {"RecursionError", "RuntimeError"},
    {"RuntimeError", "Exception"},
    {"RuntimeWarning", "Warning"},
    {"SyntaxError", "Exception"},
    {"SystemError", "Exception"},
    {"TabError", "IndentationError"},
    {"SystemExit", "BaseException"},
    {"TimeoutError", "OSError"},
    {"TypeError", "Exception"},
    {"UnboundLocalError", "NameError"},
    {"UnicodeError", "ValueError"},
    {"UserWarning", "Warning"},
    {"ValueError", "Exception"},
    {"Warning", "Exception"},
    {"ZeroDivisionError", "ArithmeticError"},
};

}  // namespace

Arguments Arguments::behind(Value first) const {
  Arguments all = *this;
  all.positions_.insert(all.positions_.begin(), std::move(first));
  return all;
}

const Value* Arguments::named(std::string_view name) const {
  const auto found = std::find_if(names_.begin(), names_.end(), [&](const auto& one) { return one.first == name; });
  return found == names_.end() ? nullptr : &found->second;
}

const Value* Arguments::find(std::size_t position, std::string_view name) const {
  static const Value kUnknown;
  if (position < positions_.size()) return &positions_[position];
  const Value* found = named(name);
  return found == nullptr && !is_complete_ ? &kUnknown : found;
}

Value Arguments::at(std::size_t position, std::string_view name) const {
  const Value* found = find(position, name);
  return found == nullptr ? Value{} : *found;
}

std::optional<std::string> Arguments::text(std::size_t position, std::string_view name) const {
  const Value* value = find(position, name);
  return value != nullptr && value->is_text() && is_complete_ ? std::optional(value->text) : std::nullopt;
}

KnownFunctions::KnownFunctions(const FileSystem& files, const Environment& environment, const PythonEnvironment& python,
                               std::string cwd, std::string machine)
    : files_(files), environment_(environment), cwd_(std::move(cwd)), machine_(std::move(machine)) {
  const Value minor = number(python.minor_number);
  constants_ = {{"None", none()},
                {"True", truth_value(true)},
                {"False", truth_value(false)},
                {"__debug__", truth_value(true)},
                {"TYPE_CHECKING", truth_value(false)},
                {"typing.TYPE_CHECKING", truth_value(false)},
                {"typing_extensions.TYPE_CHECKING", truth_value(false)},
                {"os.name", text("posix")},
                {"os.sep", text("/")},
                {"os.path.sep", text("/")},
                {"os.pathsep", text(":")},
                {"os.pardir", text("..")},
                {"os.path.pardir", text("..")},
                {"os.curdir", text(".")},
                {"os.path.curdir", text(".")},
                {"os.linesep", text("\n")},
                {"os.RTLD_LAZY", number(1)},
                {"os.RTLD_NOW", number(2)},
                {"os.RTLD_NOLOAD", number(4)},
                {"os.RTLD_DEEPBIND", number(8)},
                {"os.RTLD_GLOBAL", number(0x100)},
                {"os.RTLD_LOCAL", number(0)},
                {"os.RTLD_NODELETE", number(0x1000)},
                {"ctypes.RTLD_GLOBAL", number(0x100)},
                {"ctypes.RTLD_LOCAL", number(0)},
                {"ctypes.DEFAULT_MODE", number(0)},
                {"sys.platform", text("linux")},
                {"sys.byteorder", text("little")},
                {"sys.maxsize", number(INT64_MAX)},
                {"sys.implementation.name", text("cpython")},
                {"platform machine", machine_.empty() ? Value{} : text(machine_)}};
  if (python.minor_number != 0) constants_.emplace("sys.version_info", list({number(3), minor, {}, {}, {}}));
  for (const auto& [name, value] : {std::pair{"sys.prefix", &python.prefix},
                                    {"sys.exec_prefix", &python.prefix},
                                    {"sys.base_prefix", &python.base_prefix},
                                    {"sys.executable", &python.interpreter}}) {
    if (!value->empty()) constants_.emplace(name, text(*value));
  }
}

Value KnownFunctions::named(std::string_view dotted) const {
  std::string whole(dotted);
  for (const auto& [from, to] : kSame) {
    const bool is_part = dotted == from || (dotted.starts_with(from) && dotted[from.size()] == '.');
    if (is_part) whole = std::string(to) + std::string(dotted.substr(from.size()));
  }
  if (const auto constant = constants_.find(whole); constant != constants_.end()) return constant->second;
  return row_of(whole) == nullptr ? Value{} : Value{.kind = ValueKind::Known, .text = whole};
}

std::vector<std::string_view> KnownFunctions::names() {
  std::vector<std::string_view> all;
  for (const Row& row : kRows) all.push_back(row.name);
  return all;
}

Value KnownFunctions::call(std::string_view dotted, const Arguments& given) const {
  const Row* row = row_of(dotted);
  if (dotted == "os.environ.get") return call("os.getenv", given);
  return row == nullptr || row->call == nullptr || !given.is_complete() ? Value{} : row->call(*this, given);
}

void KnownFunctions::set_variable(const Value& name, const Value& value) {
  if (name.is_text())
    variables_.insert_or_assign(name.text, value);
  else
    are_variables_unknown_ = true;
}

Value KnownFunctions::variable(std::string_view name) const {
  if (const auto set = variables_.find(name); set != variables_.end()) return set->second;
  if (are_variables_unknown_) return {};
  const auto value = environment_.value(name);
  return value ? text(std::string(*value)) : none();
}

bool KnownFunctions::exists(const std::string& path, std::optional<FileKind> kind) const {
  const Result<FileStatus, Errno> status = files_.status(path);
  return status && (!kind || status->kind == *kind);
}

Value KnownFunctions::names_in(const std::string& directory) const {
  const Result<std::vector<std::string>, Errno> names = files_.list_directory(absolute(directory));
  if (!names) return {};
  std::vector<Value> items;
  for (const std::string& name : *names) items.push_back(text(name));
  return list(std::move(items));
}

// With stars in the last part only.
Value KnownFunctions::matching(const std::string& pattern) const {
  const std::string directory = directory_part(pattern);
  const std::string_view last = file_name_of(pattern);
  const bool is_plain = directory.starts_with('/') && directory.find_first_of("*?[") == std::string::npos &&
                        last.find_first_of("?[") == std::string_view::npos;
  if (!is_plain) return {};
  const Result<std::vector<std::string>, Errno> names = files_.list_directory(normal_path(directory));
  std::vector<Value> paths;
  if (!names) return list({});
  for (const std::string& name : *names) {
    const bool is_hidden = name.starts_with('.') && !last.starts_with('.');
    if (!is_hidden && matches(name, last)) paths.push_back(text(joined_path(directory, name)));
  }
  return list(std::move(paths));
}

std::string KnownFunctions::absolute(std::string_view path) const { return joined_path(cwd_, path); }

Value KnownFunctions::exception_class(std::string_view name) {
  std::vector<std::string> types;
  while (!name.empty()) {
    const auto row = std::find_if(std::begin(kExceptions), std::end(kExceptions),
                                  [&](const auto& each) { return each.first == name; });
    if (row == std::end(kExceptions)) return {};
    types.emplace_back(name);
    name = row->second;
  }
  // IOError is another name of OSError.
  if (types.front() == "IOError" || types.front() == "EnvironmentError") types.erase(types.begin());
  return {.kind = ValueKind::Class, .types = std::make_shared<const std::vector<std::string>>(std::move(types))};
}

}  // namespace soresolve::python
