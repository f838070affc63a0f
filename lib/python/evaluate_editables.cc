// Modules that the finder of an editable installation makes: `pip install -e` leaves a .pth file whose code imports
// such a finder, and the finder's source says which module is which file.
//
// Sources: setuptools/command/editable_wheel.py (MAPPING, NAMESPACES: names of the module; asked after sys.path),
// scikit-build-core/resources/_editable_redirect.py (install(): a mapping of sources, then one of files beside the
// finder; asked before it), pfmoore/editables (map_module(), of hatchling and pdm-backend). meson-python's finder reads
// a plan that the build has written: of the modules that it names nothing more is known.
#include <utility>

#include "base/path.h"
#include "python/evaluator.h"
#include "python/tokens.h"

namespace soresolve::python {

// After a line of a .pth file: what the finders say that it has imported.
void Evaluator::note_editables() {
  for (const auto& entry : modules_) {
    const std::string& name = entry.first;
    Module* const module = entry.second;
    const bool is_finder = name.find("editable") != std::string::npos && module->source && !module->is_package;
    if (!is_finder || !editables_.insert(module).second) continue;
    const auto named = [&](std::string_view key) {
      const auto found = module->scope.names.find(key);
      return found == module->scope.names.end() ? Value{} : found->second;
    };
    note_editable_files(named("MAPPING"), {});
    const Value namespaces = named("NAMESPACES");
    for (std::size_t i = 0; namespaces.is_mapping() && i + 1 < namespaces.items().size(); i += 2) {
      const Value& places = namespaces.items()[i + 1];
      if (!namespaces.items()[i].is_text() || !places.is(ValueKind::List)) continue;
      std::vector<std::string>& known = editable_namespaces_[namespaces.items()[i].text()];
      for (const Value& place : places.items()) {
        if (place.is_text()) known.push_back(place.text());
      }
    }
    note_editable_calls(*module);
  }
}

void Evaluator::note_editable_files(const Value& mapping, const std::string& directory) {
  if (!mapping.is_mapping()) return;
  for (std::size_t i = 0; i + 1 < mapping.items().size(); i += 2) {
    const Value& name = mapping.items()[i];
    const Value& place = mapping.items()[i + 1];
    if (!name.is_text() || !place.is_text()) continue;
    const bool is_absolute = place.text().starts_with('/');
    if (is_absolute || !directory.empty())
      editable_files_.emplace(name.text(), is_absolute ? place.text() : path_in(directory, place.text()));
  }
}

// The statements install({…}, {…}, …) and F.map_module("name", "/file").
void Evaluator::note_editable_calls(Module& module) {
  Frame frame{.module = &module, .scope = &module.scope};
  Frame* const outer = std::exchange(frame_, &frame);
  for (const Statement& statement : module.source->body) {
    const bool is_call = statement.kind == StatementKind::Expression && statement.values.size() == 1 &&
                         statement.values[0].kind == ExpressionKind::Call;
    if (!is_call || is_over()) continue;
    const std::string_view function = statement.values[0].parts[0].text;
    if (function != "install" && function != "map_module") continue;
    const Arguments given = arguments_of(statement.values[0]);
    if (function == "install" && given.size() > 1) {
      note_editable_files(given.at(0), {});
      note_editable_files(given.at(1), std::string(directory_of(module.file)));
    }
    const auto name = given.text(0);
    const auto place = given.text(1);
    if (function == "map_module" && name && place) editable_files_.emplace(*name, *place);
  }
  frame_ = outer;
}

// As finder_.find(), after it.
std::optional<PythonModule> Evaluator::find_editable(const std::string& name) {
  const auto file = editable_files_.find(name);
  if (file != editable_files_.end()) {
    std::string place = file->second;
    if (place.ends_with("/__init__.py")) place = directory_of(place);
    std::string_view last = file_name_of(place);
    last = last.substr(0, last.find('.'));
    auto found = finder_.find(last, {std::string(directory_of(place))});
    if (found && found->kind != PythonModule::Kind::Namespace) return found;
  }
  const auto portions = editable_namespaces_.find(name);
  if (portions == editable_namespaces_.end()) return std::nullopt;
  std::vector<std::string> search = portions->second;
  if (search.empty() && file != editable_files_.end()) search.push_back(file->second);
  return PythonModule{PythonModule::Kind::Namespace, {}, true, std::move(search)};
}

// The finder that may make the module, without a file of it that can be read there; nullptr: none.
const Module* Evaluator::unread_editable(const std::string& name) const {
  const std::string_view top = top_of(name);
  const auto own = editable_files_.lower_bound(top);
  const bool is_known = own != editable_files_.end() && top_of(own->first) == top;
  if (is_known || editable_namespaces_.find(top) != editable_namespaces_.end()) return nullptr;
  for (const Module* const module : editables_) {
    if (has_word(module->source->text, top)) return module;
  }
  return nullptr;
}

}  // namespace soresolve::python
