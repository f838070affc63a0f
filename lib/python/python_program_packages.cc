// What is known of packages whose code opens libraries by itself (dlopen/known_loaders.h), as steps of an import: when
// it is done, with which second try, and what Python prints where a file is nowhere.
#include "python/import_planner.h"

#include <span>
#include <utility>

#include "base/path.h"
#include "base/pieces.h"

namespace soresolve {
namespace {

/// "['', '/usr/lib/python311.zip']", as Python prints a list of texts.
std::string list_of(const std::vector<std::string>& entries) {
  std::string text = "[";
  for (const std::string& entry : entries) {
    const char quote = entry.find('\'') != std::string::npos && entry.find('"') == std::string::npos ? '"' : '\'';
    if (text.size() > 1) text += ", ";
    text += quote + entry + quote;
  }
  return text + "]";
}

std::string replaced(std::string_view pattern, std::string_view mark, std::string_view by) {
  std::string text(pattern);
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), by);
  return text;
}

}  // namespace

PythonProgram ImportPlanner::run_known(const std::vector<InstalledPackage>& packages) {
  for (const InstalledPackage& package : packages) {
    const std::string folder = path_in(package.site, package.name);
    const PythonModule module{PythonModule::Kind::Source, path_in(folder, "__init__.py"), true, {folder}};
    remember(package.name, {true, module.search, false, module.file});
    note_known_package(package.name, module);
    do_known_package(package.name);
  }
  resolve_labels();
  return std::move(program_);
}

void ImportPlanner::note_known_package(const std::string& name, const PythonModule& module) {
  if (!module.is_package || module.search.empty()) return;
  const std::string site(directory_of(module.search.front()));
  if (auto known = known_import(files_, site, name + "/__init__.py"))
    known_.emplace(name, KnownPackage{std::move(*known), false, false});
}

// What is done at this moment of the import of `module`; Usual: of the package.
void ImportPlanner::do_at(const std::string& package, KnownMoment::Side side, std::string_view module) {
  const auto found = known_.find(package);
  if (found == known_.end()) return;
  const KnownImport& import = *found->second.file.loader->import;
  const auto is_now = [&](const KnownMoment& moment) { return moment.side == side && moment.module == module; };
  // Each once; what is imported here may come back here.
  const bool opens = is_now(import.opens_at) && !std::exchange(found->second.is_opened, true);
  const KnownFile known = found->second.file;
  if (opens) open_known(known);
  const bool imports = is_now(import.imports_at) && !std::exchange(known_.find(package)->second.is_imported, true);
  if (imports) import_known(known);
}

void ImportPlanner::open_known(const KnownFile& known) {
  const KnownImport& import = *known.loader->import;
  const bool is_off =
      !import.unless_variable.empty() && !environment_.value(import.unless_variable).value_or("").empty();
  const std::size_t first_step = program_.steps.size();
  if (is_off) {
    if (!import.module.empty()) lazy_modules_.emplace(import.module);
  } else if (import.tries_first_again) {
    open_with_second_try(known);
  } else {
    open_all(known);
  }
  for (std::size_t i = first_step; i < program_.steps.size(); ++i)
    program_.steps[i].by_package = known.title + " (" + std::string(known.loader->source) + ")";
}

void ImportPlanner::import_known(const KnownFile& known) {
  const KnownImport& import = *known.loader->import;
  if (!import.modules.empty()) import_first(import.modules, {known.script, 0});
  if (import.module.empty()) return;
  const bool is_there = import_chain(import.module, {known.script, 0});
  const auto module = loaded_.find(import.module);
  const bool is_folder = module != loaded_.end() && module->second.is_namespace;
  if (is_there && !is_folder) return;
  const std::string text(import.without_module);
  if (!text.empty()) raise({known.script, 0}, text.substr(0, text.find(':')), text);
}

// The first of them that can be imported; a failure of the last one is nobody's.
void ImportPlanner::import_first(std::string_view modules, const Place& place) {
  const std::size_t end = new_label();
  const std::vector<std::string_view> words = words_in(modules);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view name = words[i].substr(0, words[i].find('@'));
    const int level = name.size() == words[i].size() ? 0 : words[i].back() - '0';
    if (level > isa_level_) continue;
    const bool is_last = i + 1 == words.size();
    const std::size_t next = new_label();
    if (!is_last) push_frame({{{{"ImportError"}, next}}});
    const bool is_there = import_chain(name, place);
    if (!is_last) pop_frame();
    if (is_there && !is_last) jump(end);
    place_label(next);
  }
  place_label(end);
}

void ImportPlanner::open_library(const std::string& file, OpenScope scope, const Place& place, std::size_t handler) {
  add({.kind = Kind::Open, .file = file, .mode = {.scope = scope}, .handler = handler}, place);
}

// What Python prints where the file is nowhere.
void ImportPlanner::raise_missing(const KnownFile& known, const KnownOpen& open, const Place& place) {
  const std::string_view pattern = known.loader->import->missing;
  if (pattern.empty()) {
    // It is opened all the same, and dlopen says so.
    const std::string_view folder = open.folder.substr(0, open.folder.find(' '));
    const auto wheel = open.wheel.empty() ? std::nullopt : known_files_.site_of_wheel(open.wheel);
    return open_library(
        wheel.value_or(known.site) + "/" + std::string(folder) + "/" + std::string(words_in(open.names).front()),
        known.loader->import->is_first_global ? OpenScope::Global : OpenScope::Local, place, catcher_of("OSError"));
  }
  std::string text =
      replaced(replaced(pattern, "{name}", words_in(open.names).front()), "{path}", list_of(python_.path));
  const std::string type = text.substr(0, text.find(':'));
  raise_for_wheel(place, type, std::move(text), known_files_.wheel_name(open), known.site);
}

void ImportPlanner::raise_for_wheel(const Place& place, std::string_view type, std::string text, std::string wheel,
                                    const std::string& site) {
  add({.kind = Kind::Raise,
       .handler = catcher_of(type),
       .exception = std::move(text),
       .wheel = std::move(wheel),
       .site = site},
      place);
}

void ImportPlanner::open_with_second_try(const KnownFile& known) {
  const KnownImport& import = *known.loader->import;
  const std::span<const KnownOpen> opens = known.loader->opens;
  const Place place{known.script, 0};
  const std::string first = known.site + "/" + std::string(opens[0].folder) + "/" + std::string(opens[0].names);
  const OpenScope scope = import.is_first_global ? OpenScope::Global : OpenScope::Local;
  const std::size_t failed = new_label();
  const std::size_t end = new_label();
  PythonStep step{.kind = Kind::Open, .file = first, .mode = {.scope = scope}, .handler = failed};
  for (const KnownOpen& open : opens.subspan(1)) {
    if (known_files_.holds(known, open) && open.when != KnownWhen::IfFirstLoads)
      step.handled_words.emplace_back(open.names.substr(0, open.names.find('.')));
  }
  add(std::move(step), place);
  if (!import.others_only_if_loaded.empty()) {
    add({.kind = Kind::IfLoaded, .file = std::string(import.others_only_if_loaded), .target = end}, place);
    for (const KnownOpen& open : opens.subspan(1)) {
      if (!known_files_.holds(known, open) || open.when == KnownWhen::IfFirstFails) continue;
      const std::string path = known_files_.path_of(known, open);
      const std::size_t next = import.ends_at_missing ? end : new_label();
      if (!path.empty()) open_library(path, OpenScope::Local, place, next);
      if (!import.ends_at_missing)
        place_label(next);
      else if (path.empty())
        break;
    }
  }
  jump(end);
  place_label(failed);
  for (const KnownOpen& open : opens.subspan(1)) {
    if (!known_files_.holds(known, open) || open.when == KnownWhen::IfFirstLoads) continue;
    const std::string path = known_files_.path_of(known, open);
    if (path.empty())
      raise_missing(known, open, place);
    else
      open_library(path, OpenScope::Local, place, catcher_of("OSError"));
  }
  open_library(first, scope, place, catcher_of("OSError"));
  place_label(end);
}

void ImportPlanner::open_all(const KnownFile& known) {
  const KnownImport& import = *known.loader->import;
  const Place place{known.script, 0};
  for (const KnownOpen& open : known.loader->opens) {
    if (!known_files_.holds(known, open)) continue;
    const bool is_required = open.importance == Importance::Required;
    if (!open.wheel.empty() && !known_files_.site_of_wheel(open.wheel)) {
      std::string text = replaced(import.missing_wheel, "{wheel}", open.wheel);
      const std::string type = text.substr(0, text.find(':'));
      raise_for_wheel(place, type, std::move(text), std::string(open.wheel), known.site);
      continue;
    }
    const std::string path = open.folder.empty() ? std::string(open.names) : known_files_.path_of(known, open);
    const std::size_t next = is_required ? catcher_of("OSError") : new_label();
    const OpenScope scope = import.is_first_global ? OpenScope::Global : OpenScope::Local;
    if (!path.empty())
      open_library(path, scope, place, next);
    else if (is_required)
      raise_missing(known, open, place);
    if (!is_required) place_label(next);
  }
}
}  // namespace soresolve
