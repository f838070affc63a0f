// What a compiled module imports. Its file names modules; when it imports them is in code, which is not read. Sure are
// those that it takes C functions of while it is made: NumPy's interface, and since Cython 3.2 the names that are not
// in the table of strings (native_names.h). All others are a possibility.
//
// For example: scipy.linalg.cython_lapack has "scipy._cyutility" as a literal, so that is imported with it, and a cut
// file there ends the import; "scipy.special" in its table may stand in a function that nobody calls.
#include <algorithm>
#include <utility>

#include "base/path.h"
#include "python/evaluator.h"

namespace soresolve::python {
namespace {

bool is_numpy_interface(std::string_view name) {
  return name == "numpy._core._multiarray_umath" || name == "numpy.core._multiarray_umath";
}

}  // namespace

// Does the name lead to a module of the standard library?
bool Evaluator::is_standard(std::string_view name) {
  const std::optional<PythonModule> found = finder_.find(name, search_of(nullptr));
  const std::string_view file = found ? std::string_view(found->file) : std::string_view();
  if (is_built_in_module(name)) return true;
  return file.find("/lib/python3.") != std::string_view::npos && file.find("-packages/") == std::string_view::npos;
}

// What a compiled module takes C functions and types of: without it the module is not made. NumPy's import_array()
// tries two names, of which one is there; a name of more parts than a module has is that of a class.
void Evaluator::import_linked(const Module& module, const std::string& file) {
  const std::vector<std::string>& names = around_.native_names.of(file);
  const bool wants_numpy = std::any_of(names.begin(), names.end(), is_numpy_interface);
  std::vector<std::string> linked;
  if (wants_numpy && top_of(module.name) != "numpy") linked.emplace_back("numpy");
  for (const std::string& name : around_.native_names.linked(file)) {
    if (!is_numpy_interface(name)) linked.push_back(name);
  }
  // The names of the module's own classes begin with its own.
  const std::string own = module.search.empty() ? module.name + "." : std::string();
  ++undecided_;
  for (const std::string& name : linked) {
    if (is_over()) break;
    if (!own.empty() && name.starts_with(own)) continue;
    if (loaded(name) || is_standard(top_of(name)) || !may_be_module(name)) continue;
    if (!import_chain(name) && !is_over()) raise_missing_module(name);
  }
  --undecided_;
}

// Is there a file of this name, or was there one that its wheel has brought?
bool Evaluator::may_be_module(std::string_view name) {
  std::vector<std::string> search = search_of(nullptr);
  for (std::size_t start = 0;;) {
    const std::size_t dot = name.find('.', start);
    const std::string_view part = name.substr(start, dot - start);
    const std::optional<PythonModule> found = finder_.find(part, search);
    if (dot == std::string_view::npos) {
      Module package(ValueKind::Module);
      package.search = search;
      return found ? found->kind != PythonModule::Kind::Namespace : start != 0 && is_removed(package, part);
    }
    if (!found || found->search.empty()) return false;
    search = found->search;
    start = dot + 1;
  }
}

// `from .core import flags` in Cython: the name of a package, and apart from it a word that is one of its modules. Of
// the packages that the module is one of, and of those named that lie in the same one at the top: elsewhere a word is
// hardly ever a module.
void Evaluator::import_members(const Module& module, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), "cython_runtime") == names.end()) return;
  std::vector<std::string> packages;
  for (std::size_t dot = module.name.rfind('.'); dot != std::string::npos && dot != 0;
       dot = module.name.rfind('.', dot - 1)) {
    packages.push_back(module.name.substr(0, dot));
  }
  for (const std::string& name : names) {
    const bool is_near = name.find('.') != std::string::npos && top_of(name) == top_of(module.name);
    if (is_near && std::find(packages.begin(), packages.end(), name) == packages.end()) packages.push_back(name);
  }
  for (const std::string& package : packages) {
    const auto known = modules_.find(package);
    if (known == modules_.end()) continue;  // what is named was imported above, if it is there
    const std::vector<std::string> search = known->second->search;
    for (const std::string& word : names) {
      if (is_over()) return;
      if (word.find('.') != std::string::npos || search.empty()) continue;
      const std::string member = package + "." + word;
      if (!loaded(member) && finder_.find(word, search)) perhaps([&] { import_chain(member); });
    }
  }
}

// What a compiled module imports: what its source imports where that lies beside it (Cython, mypyc), else modules that
// its file names.
void Evaluator::import_from_native(Module& module, const std::string& file) {
  if (depth_ >= kMaxImportDepth || trace_.source_count >= kMaxPythonSources) return;
  Frame frame{.module = &module, .scope = heap_.make_scope(nullptr)};
  Frame* const outer = std::exchange(frame_, &frame);
  ++depth_;
  const std::string_view name = file_name_of(file);
  const std::string beside = path_in(directory_of(file), name.substr(0, name.find('.'))) + ".py";
  if (const std::shared_ptr<const Source> source = around_.sources.read(beside)) {
    import_perhaps(source->body);
  }
  const std::vector<std::string>& names = around_.native_names.of(file);
  if (possible_ == 0) import_linked(module, file);
  for (const std::string& imported : names) {
    if (is_over()) break;
    const auto find = [&](std::string_view top) { return finder_.find(top, search_of(nullptr)).has_value(); };
    if (loaded(imported) || !around_.native_names.is_module(top_of(imported), find)) continue;
    // A word in a module that is itself a possibility names modules of the standard library, else attributes mostly.
    const bool is_word = imported.find('.') == std::string::npos;
    if (possible_ != 0 && is_word && !is_standard(imported)) continue;
    perhaps([&] { import_chain(imported); });
  }
  import_members(module, names);
  --depth_;
  frame_ = outer;
}

}  // namespace soresolve::python
