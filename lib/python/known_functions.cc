// Constants of the platform as CPython on Linux has them. What lies in files is looked up when it is asked for.
#include "python/known_functions.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "base/path.h"
#include "base/pieces.h"
#include "dlopen/known_loaders.h"
#include "python/evaluator.h"
#include "python/paths.h"

namespace soresolve::python {
namespace {

/// Names of the same things.
constexpr std::pair<std::string_view, std::string_view> kSame[] = {
    {"posixpath", "os.path"},
    {"builtins", ""},
    {"glob.iglob", "glob.glob"},
    {"importlib.__import__", "__import__"},
    {"pathlib.PurePath", "pathlib.Path"},
    {"pathlib.PosixPath", "pathlib.Path"},
    {"pathlib.Path.cwd", "os.getcwdpath"},
    {"os.fsdecode", "os.fspath"},
    {"os.path.lexists", "os.path.exists"},
    {"pathlib.PurePosixPath", "pathlib.Path"},
    {"typing.OrderedDict", "collections.OrderedDict"},
};

}  // namespace

KnownFunctions::KnownFunctions(Heap& heap, const FileSystem& files, const PythonEnvironment& python, std::string cwd,
                               std::string machine)
    : heap_(heap), files_(files), cwd_(std::move(cwd)) {
  const auto text = [&](std::string_view value) { return heap_.text(std::string(value)); };
  constants_ = {{"None", none()},
                {"True", truth_value(true)},
                {"False", truth_value(false)},
                {"Ellipsis", {.kind = ValueKind::Ellipsis}},
                {"NotImplemented", {.kind = ValueKind::NotImplemented}},
                {"__debug__", truth_value(true)},
                {"TYPE_CHECKING", truth_value(false)},
                {"typing.TYPE_CHECKING", truth_value(false)},
                {"typing_extensions.TYPE_CHECKING", truth_value(false)},
                {"os.name", text("posix")},
                {"os.sep", text("/")},
                {"os.path.sep", text("/")},
                {"os.altsep", none()},
                {"os.pathsep", text(":")},
                {"os.pardir", text("..")},
                {"os.path.pardir", text("..")},
                {"os.curdir", text(".")},
                {"os.path.curdir", text(".")},
                {"os.linesep", text("\n")},
                {"os.devnull", text("/dev/null")},
                {"os.F_OK", number(0)},
                {"os.X_OK", number(1)},
                {"os.W_OK", number(2)},
                {"os.R_OK", number(4)},
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
                {"sys.maxunicode", number(0x10ffff)},
                {"sys.implementation.name", text("cpython")},
                {"sys.platlibdir", python.base_prefix.empty() ? Value{} : text("lib")},
                {"string.ascii_lowercase", text("abcdefghijklmnopqrstuvwxyz")},
                {"string.ascii_uppercase", text("ABCDEFGHIJKLMNOPQRSTUVWXYZ")},
                {"string.digits", text("0123456789")},
                {"platform machine", machine.empty() ? Value{} : text(machine)}};
  if (python.minor_number != 0) {
    auto* const type = heap_.make<ClassObject>(ValueKind::Class);
    type->text = "version_info";
    type->module = "sys";
    type->is_tuple = true;
    type->order = {type};
    for (const char* field : {"major", "minor", "micro", "releaselevel", "serial"})
      type->fields.push_back({.name = field});
    Value info = heap_.tuple({number(3), number(python.minor_number), {}, {}, {}});
    info.object->type = type;
    constants_.emplace("sys.version_info", info);
  }
  for (const auto& [name, value] : {std::pair{"sys.prefix", &python.prefix},
                                    {"sys.exec_prefix", &python.prefix},
                                    {"sys.base_prefix", &python.base_prefix},
                                    {"sys.base_exec_prefix", &python.base_prefix},
                                    {"sys.executable", &python.interpreter}}) {
    if (!value->empty()) constants_.emplace(name, text(*value));
  }
}

Value KnownFunctions::named(std::string_view dotted) const {
  std::string whole(dotted);
  for (const auto& [from, to] : kSame) {
    const bool is_part = dotted == from || (dotted.starts_with(from) && dotted[from.size()] == '.');
    if (is_part)
      whole = std::string(to) + std::string(dotted.substr(from.size() + (to.empty() && dotted != from ? 1 : 0)));
  }
  if (const auto constant = constants_.find(whole); constant != constants_.end()) return constant->second;
  return known_call(whole) == nullptr ? Value{} : heap_.make_text(ValueKind::Known, whole);
}

bool KnownFunctions::exists(const std::string& path, std::optional<FileKind> kind) const {
  const Result<FileStatus, Errno> status = files_.status(path);
  return status && (!kind || status->kind == *kind);
}

Value KnownFunctions::names_in(const std::string& directory) const {
  const Result<std::vector<std::string>, Errno> names = files_.list_directory(absolute(directory));
  if (!names) return {};
  std::vector<Value> items;
  for (const std::string& name : *names) items.push_back(heap_.text(name));
  return heap_.list(std::move(items));
}

// With stars in the last part only.
Value KnownFunctions::matching(const std::string& pattern, ValueKind kind) const {
  const std::string directory = directory_part(pattern);
  const std::string_view last = file_name_of(pattern);
  const bool is_plain = directory.starts_with('/') && directory.find_first_of("*?[") == std::string::npos &&
                        last.find_first_of("?[") == std::string_view::npos;
  if (!is_plain) return {};
  const Result<std::vector<std::string>, Errno> names = files_.list_directory(normal_path(directory));
  std::vector<Value> paths;
  if (!names) return heap_.list({});
  for (const std::string& name : *names) {
    const bool is_hidden = name.starts_with('.') && !last.starts_with('.') && kind == ValueKind::Text;
    if (!is_hidden && matches(name, last)) paths.push_back(heap_.make_text(kind, joined_path(directory, name)));
  }
  return heap_.list(std::move(paths));
}

std::string KnownFunctions::absolute(std::string_view path) const { return joined_path(cwd_, path); }

}  // namespace soresolve::python
