// Looks through sys.path as importlib does. Directories are listed once, as FileFinder keeps them.
#include "python/python_finder.h"

#include <algorithm>

#include "base/path.h"

namespace soresolve {
namespace {

/// Built into the interpreter or frozen: sys.builtin_module_names of CPython 3.6 to 3.13 and Debian's 3.11 and
/// 3.13. Some have a file elsewhere, which is looked for first.
constexpr std::string_view kBuiltIn[] = {
    "__main__",
    "_abc",
    "_ast",
    "_bisect",
    "_blake2",
    "_codecs",
    "_collections",
    "_csv",
    "_datetime",
    "_elementtree",
    "_frozen_importlib",
    "_frozen_importlib_external",
    "_functools",
    "_heapq",
    "_imp",
    "_io",
    "_json",
    "_locale",
    "_md5",
    "_opcode",
    "_operator",
    "_peg_parser",
    "_pickle",
    "_posixsubprocess",
    "_random",
    "_sha1",
    "_sha2",
    "_sha256",
    "_sha3",
    "_sha512",
    "_signal",
    "_socket",
    "_sre",
    "_stat",
    "_statistics",
    "_string",
    "_struct",
    "_suggestions",
    "_symtable",
    "_sysconfig",
    "_thread",
    "_tokenize",
    "_tracemalloc",
    "_typing",
    "_warnings",
    "_weakref",
    "array",
    "atexit",
    "binascii",
    "builtins",
    "cmath",
    "errno",
    "faulthandler",
    "fcntl",
    "gc",
    "grp",
    "itertools",
    "marshal",
    "math",
    "posix",
    "pwd",
    "pyexpat",
    "select",
    "spwd",
    "sys",
    "syslog",
    "time",
    "unicodedata",
    "xxsubtype",
    "zipimport",
    "zlib",
};

/// ".cpython-311-x86_64-linux-gnu.so" as the standard library's own modules have it; empty where they show none.
std::string tagged_suffix(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::size_t at = name.find(".cpython-");
    if (at != std::string::npos && name.ends_with(".so")) return name.substr(at);
  }
  return {};
}

}  // namespace

PythonFinder::PythonFinder(const FileSystem& files, const PythonEnvironment& python, std::string cwd,
                           std::string_view machine)
    : files_(&files), path_(python.path) {
  for (std::string& entry : path_) {
    if (entry.empty())
      entry = cwd;
    else if (!entry.starts_with('/'))
      entry = path_in(cwd, entry);
  }
  first_path_ = path_;
  for (const std::string& entry : path_) {
    if (!entry.ends_with("/lib-dynload")) continue;
    if (std::string suffix = tagged_suffix(names_in(entry)); !suffix.empty()) suffixes_.push_back(std::move(suffix));
  }
  if (suffixes_.empty()) {
    const std::string tag = std::to_string(python.minor_number) + (python.minor_number < 8 ? "m" : "");
    suffixes_.push_back(".cpython-3" + tag + "-" + std::string(machine) + "-linux-gnu.so");
  }
  suffixes_.emplace_back(".abi3.so");
  suffixes_.emplace_back(".so");
}

std::string PythonFinder::take_cwd() {
  if (path_.empty()) return {};
  std::string cwd = std::move(path_.front());
  path_.erase(path_.begin());
  return cwd;
}

void PythonFinder::add(std::string directory, bool is_first) {
  if (path_.size() < kMaxPythonPath) path_.insert(is_first ? path_.begin() : path_.end(), std::move(directory));
}

const std::vector<std::string>& PythonFinder::names_in(const std::string& directory) {
  const auto known = listed_.find(directory);
  if (known != listed_.end()) return known->second;
  Result<std::vector<std::string>, Errno> names = files_->list_directory(directory.empty() ? "/" : directory);
  return listed_.emplace(directory, names ? std::move(names).value() : std::vector<std::string>()).first->second;
}

bool PythonFinder::has(const std::string& directory, const std::string& name) {
  const std::vector<std::string>& names = names_in(directory);
  return std::binary_search(names.begin(), names.end(), name);
}

bool PythonFinder::may_have(const std::string& directory, std::string_view module) {
  const std::vector<std::string>& names = names_in(directory);
  const auto first = std::lower_bound(names.begin(), names.end(), module);
  return first != names.end() && first->starts_with(module);
}

std::optional<PythonModule> PythonFinder::find_in(const std::string& directory, std::string_view name,
                                                  std::vector<std::string>& portions) {
  using enum PythonModule::Kind;
  if (!may_have(directory, name)) return std::nullopt;
  const std::string plain(name);
  const bool is_listed = has(directory, plain);
  const std::string folder = path_in(directory, name);
  // A name that leads to no file is passed over: a link to nothing (Debian's sitecustomize.py in a bare root).
  const auto is_file = [&](const std::string& in, const std::string& file) {
    if (!has(in, file)) return false;
    const Result<FileStatus, Errno> status = files_->status(path_in(in, file));
    return status && status->kind == FileKind::Regular;
  };
  const auto take = [&](const std::string& in, const std::string& stem) -> std::optional<PythonModule> {
    for (const std::string& suffix : suffixes_) {
      if (is_file(in, stem + suffix)) return PythonModule{Extension, path_in(in, stem + suffix), false, {}};
    }
    if (is_file(in, stem + ".py")) return PythonModule{Source, path_in(in, stem + ".py"), false, {}};
    if (is_file(in, stem + ".pyc")) return PythonModule{Bytecode, path_in(in, stem + ".pyc"), false, {}};
    return std::nullopt;
  };
  if (is_listed) {
    if (auto package = take(folder, "__init__")) {
      package->is_package = true;
      package->search = {folder};
      return package;
    }
  }
  if (auto module = take(directory, plain)) return module;
  const Result<FileStatus, Errno> status =
      is_listed ? files_->status(folder) : Result<FileStatus, Errno>(Unexpected{Errno::None});
  if (status && status->kind == FileKind::Directory) portions.push_back(folder);
  return std::nullopt;
}

std::optional<PythonModule> PythonFinder::find(std::string_view name, const std::vector<std::string>& directories) {
  if (name.empty() || name.find('/') != std::string_view::npos) return std::nullopt;
  std::vector<std::string> portions;
  for (const std::string& directory : directories) {
    if (auto module = find_in(directory, name, portions)) return module;
  }
  if (portions.empty()) return std::nullopt;
  return PythonModule{PythonModule::Kind::Namespace, {}, true, std::move(portions)};
}

bool is_built_in_module(std::string_view name) {
  return std::binary_search(std::begin(kBuiltIn), std::end(kBuiltIn), name);
}

}  // namespace soresolve
