// What is known of packages whose code opens libraries by itself (dlopen/known_loaders.h): when it is done, with which
// second try, and what Python prints where a file is nowhere.
#include <optional>
#include <span>
#include <utility>

#include "base/path.h"
#include "base/pieces.h"
#include "cuda/framework_build.h"
#include "python/evaluator.h"

namespace soresolve::python {
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

OpenScope scope_in(const KnownImport& import) { return import.is_first_global ? OpenScope::Global : OpenScope::Local; }

}  // namespace

void Evaluator::run_packages() {
  for (const InstalledPackage& package : question_.packages) {
    const std::string folder = path_in(package.site, package.name);
    Module* const module = heap_.make<Module>(ValueKind::Module);
    module->name = package.name;
    module->file = path_in(folder, "__init__.py");
    module->is_package = true;
    module->is_open = true;
    module->search = {folder};
    modules_[package.name] = module;
    note_known_package(*module);
    do_known_package(package.name);
    if (is_over()) return;
  }
}

void Evaluator::note_known_package(const Module& module) {
  if (!module.is_package || module.search.empty()) return;
  const std::string site(directory_of(module.search.front()));
  if (auto known = known_import(around_.files, site, module.name + "/__init__.py"))
    known_.emplace(module.name, KnownPackage{std::move(*known), false, false});
}

// What is done at this moment of the import of `module`; Usual: of the package.
void Evaluator::do_at(const std::string& package, KnownMoment::Side side, std::string_view module) {
  const auto found = known_.find(package);
  if (found == known_.end()) return;
  const KnownImport& import = *found->second.file.loader->import;
  const auto is_now = [&](const KnownMoment& moment) { return moment.side == side && moment.module == module; };
  // Each once; what is imported here may come back here.
  const bool opens = is_now(import.opens_at) && !std::exchange(found->second.is_opened, true);
  const KnownFile known = found->second.file;
  std::string by_file = std::exchange(by_file_, known.script);
  if (opens) open_known(known);
  const bool imports =
      !is_over() && is_now(import.imports_at) && !std::exchange(known_.find(package)->second.is_imported, true);
  if (imports) import_known(known);
  by_file_ = std::move(by_file);
}

void Evaluator::open_known(const KnownFile& known) {
  const KnownImport& import = *known.loader->import;
  const bool is_off =
      !import.unless_variable.empty() && !around_.environment.value(import.unless_variable).value_or("").empty();
  if (is_off) {
    if (!import.module.empty()) lazy_modules_.emplace(import.module);
    return;
  }
  std::string outer = std::exchange(by_package_, known.title + " (" + std::string(known.loader->source) + ")");
  if (import.tries_first_again)
    open_with_second_try(known);
  else
    open_all(known);
  by_package_ = std::move(outer);
}

void Evaluator::import_known(const KnownFile& known) {
  const KnownImport& import = *known.loader->import;
  if (!import.modules.empty()) import_first(import.modules);
  if (import.module.empty() || is_over()) return;
  const bool is_there = import_chain(import.module);
  Module* const module = loaded(import.module);
  const bool is_folder = module != nullptr && module->is_namespace;
  if (is_over() || (is_there && !is_folder)) return;
  if (!import.without_module.empty()) raise_text(std::string(import.without_module));
}

// The first of them that can be imported; a failure of the last one is nobody's.
void Evaluator::import_first(std::string_view modules) {
  const std::vector<std::string_view> words = words_in(modules);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view name = words[i].substr(0, words[i].find('@'));
    const int level = name.size() == words[i].size() ? 0 : words[i].back() - '0';
    if (level > around_.machine.isa_level) continue;
    if (import_chain(name) || is_stopped_) return;
    if (i + 1 < words.size()) raised_.reset();
  }
}

void Evaluator::open_at(const std::string& file, OpenScope scope, const std::string& script) {
  opened_by_table_.insert(file);
  by_file_ = script;
  open({.file = file, .mode = {.scope = scope}});
}

// True where it is loaded; a failure is nobody's.
bool Evaluator::open_quietly(const std::string& file, OpenScope scope) {
  open_at(file, scope, by_file_);
  if (!raised_ || is_stopped_) return !is_over();
  raised_.reset();
  return false;
}

// What Python prints where the file is nowhere.
void Evaluator::raise_missing_file(const KnownFile& known, const KnownOpen& open) {
  const std::string_view pattern = known.loader->import->missing;
  if (pattern.empty()) {
    // It is opened all the same, and dlopen says so.
    const std::string_view folder = open.folder.substr(0, open.folder.find(' '));
    const auto wheel = open.wheel.empty() ? std::nullopt : known_files_.site_of_wheel(open.wheel);
    return open_at(
        wheel.value_or(known.site) + "/" + std::string(folder) + "/" + std::string(words_in(open.names).front()),
        scope_in(*known.loader->import), known.script);
  }
  raise_text(
      replaced(replaced(pattern, "{name}", words_in(open.names).front()), "{path}", list_of(around_.python.path)), true,
      known_files_.wheel_name(open), known.site);
}

// torch: where its first library fails, and the message names one of the wheels', those are opened, and it once more.
void Evaluator::open_with_second_try(const KnownFile& known) {
  const KnownImport& import = *known.loader->import;
  const std::span<const KnownOpen> opens = known.loader->opens;
  const std::string first = known.site + "/" + std::string(opens[0].folder) + "/" + std::string(opens[0].names);
  open_at(first, scope_in(import), known.script);
  if (is_stopped_) return;
  const bool is_loaded = !raised_;
  const std::string failure = is_loaded ? std::string() : raised_->what.items()[0].text();
  std::vector<const KnownOpen*> others;
  bool is_named = false;
  for (const KnownOpen& open : opens.subspan(1)) {
    if (!known_files_.holds(known, open)) continue;
    if (open.when != (is_loaded ? KnownWhen::IfFirstFails : KnownWhen::IfFirstLoads)) others.push_back(&open);
    const std::string_view name = open.names.substr(0, open.names.find('.'));
    is_named = is_named || (open.when != KnownWhen::IfFirstLoads && failure.find(name) != std::string::npos);
  }
  if (is_loaded) return open_others(known, others);
  if (!is_named) return;
  raised_.reset();
  for (const KnownOpen* open : others) {
    const std::string path = known_files_.path_of(known, *open);
    if (path.empty())
      raise_missing_file(known, *open);
    else
      open_at(path, OpenScope::Local, known.script);
    if (is_over()) return;
  }
  open_at(first, scope_in(import), known.script);
}

// Those that are opened only if the process has a certain file.
void Evaluator::open_others(const KnownFile& known, const std::vector<const KnownOpen*>& others) {
  const KnownImport& import = *known.loader->import;
  if (import.others_only_if_loaded.empty()) return;
  const auto answer = answers_.loaded.find(trace_.opens.size());
  if (answer == answers_.loaded.end()) {
    trace_.asked = std::string(import.others_only_if_loaded);
    is_stopped_ = true;
    return;
  }
  if (!answer->second) return;
  for (const KnownOpen* open : others) {
    const std::string path = known_files_.path_of(known, *open);
    const bool is_loaded = !path.empty() && open_quietly(path, OpenScope::Local);
    if (is_over() || (!is_loaded && import.ends_at_missing)) return;
  }
}

void Evaluator::open_all(const KnownFile& known) {
  const KnownImport& import = *known.loader->import;
  std::optional<bool> is_first_loaded;
  for (const KnownOpen& open : known.loader->opens) {
    if (!known_files_.holds(known, open)) continue;
    const bool is_required = open.importance == Importance::Required;
    if (!open.wheel.empty() && !known_files_.site_of_wheel(open.wheel)) {
      return raise_text(replaced(import.missing_wheel, "{wheel}", open.wheel), true, std::string(open.wheel),
                        known.site);
    }
    const std::string path = open.folder.empty() ? std::string(open.names) : known_files_.path_of(known, open);
    const bool is_caught = !is_required || import.catches_failures;
    const bool is_tried = !path.empty() && is_caught;
    const bool is_loaded = is_tried && open_quietly(path, scope_in(import));
    if (!is_first_loaded) is_first_loaded = is_loaded || !is_caught;
    if (!is_over() && is_required && !is_loaded) {
      if (path.empty() || is_caught)
        raise_missing_file(known, open);
      else
        open_at(path, scope_in(import), known.script);
    }
    if (is_over()) return;
  }
  // It is a function of the first library that says it.
  if (!import.other_cuda.empty() && is_first_loaded.value_or(false)) compare_cuda(known);
}

// torchaudio, torchvision: a function of their library says for which CUDA it was compiled, as version.py does.
void Evaluator::compare_cuda(const KnownFile& known) {
  const KnownImport& import = *known.loader->import;
  const auto own = read_companion_build(around_.files, known.site, std::string(known.loader->package));
  const auto torch = known_files_.torch_build();
  if (!own || !torch || own->cuda.parts.size() < 2 || torch->cuda.parts.size() < 2) return;
  const std::size_t parts = import.compares_cuda_minor ? 2 : 1;
  if (own->cuda.first(parts) == torch->cuda.first(parts)) return;
  raise_text(replaced(replaced(import.other_cuda, "{torch}", torch->cuda.first(2).text), "{own}", own->cuda.text));
}

}  // namespace soresolve::python
