// With --json another subcommand's document is nobody's answer: then the error stands, which names the command.
//
// In the order of what is cheap to see: a message has spaces, a place and a directory are there, and a name that is no
// file is that of a program, else of a module that Python finds.
#include "meaning.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/pieces.h"
#include "base/text.h"
#include "explanation.h"
#include "reference.h"
#include "soresolve/place.h"
#include "soresolve/world.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

void report_meaning(const Text& reason, const CommandText& command) {
  write_error("soresolve: " + reason + "; answering: " + Text::escaped(command.text()) + "\n");
}

CommandText line_of_words(std::string_view subcommand, const std::vector<std::string>& words) {
  CommandText line = "soresolve " + shell_word(subcommand);
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

/// Is it a process or an import that was named, so that FILE is not what the question starts from?
bool has_subject(const WorldOptions& options) {
  return options.live.pid != 0 || !options.live.core.empty() || options.process.asked_as == AskedAs::Import;
}

bool is_directory(WorldHere& world, const std::string& file) {
  const Result<std::string> path = world.absolute(file);
  const Result<std::shared_ptr<const FileSystem>> files = world.files();
  if (!path || !files) return false;
  const Result<FileStatus, Errno> status = (*files)->status(*path);
  return status && status->kind == FileKind::Directory;
}

/// A line that some program has printed, quoted or not.
std::optional<Exit> follow_message(const WorldOptions& options, const std::vector<std::string>& files) {
  const std::string text = joined(files, " ");
  if (text.find(' ') == std::string::npos || text.find(':') == std::string::npos || !options.html.empty()) {
    return std::nullopt;
  }
  const std::vector<Recognised> messages = recognise(text);
  if (options.json || messages.empty() || WorldHere(options).has_file(files.front())) return std::nullopt;
  report_meaning("this is an error message, not a file", "soresolve explain " + shell_word(text));
  return write_explanation(messages, options, Analysis::OfFilesHere);
}

Text name_of_kind(PlaceKind kind) {
  switch (kind) {
    case PlaceKind::Directory: return "a directory";
    case PlaceKind::Image: return "an image without a command";
    case PlaceKind::Package: return "a package";
    case PlaceKind::Archive: return "an archive";
    case PlaceKind::Snapshot: return "a snapshot";
  }
  return {};
}

/// A directory as roots of systems are laid out.
bool is_system_root(WorldHere& world, const std::string& directory) {
  const auto has = [&](const char* name) { return is_directory(world, directory + "/" + name); };
  return has("etc") && (has("usr") || has("lib"));
}

/// An image has a program to ask about; of everything else that has files in it all of them are meant.
std::optional<Exit> follow_place(const Subcommand& asked, WorldOptions& options, std::vector<std::string>& files,
                                 std::span<char* const> typed) {
  const bool is_about_trees = &asked == &kCheck || &asked == &kWhy || &asked == &kLdd;
  if (!is_about_trees || has_subject(options)) return std::nullopt;
  const std::string name = files.front();
  if (options.where.root.empty() && files.size() == 1 && is_packed_place(name)) {
    WorldOptions inside = options;
    inside.where.root = name;
    const std::shared_ptr<const Place> place = settings_here(inside).where.place;
    const bool has_program = place != nullptr && place->process && !place->process->command.empty();
    if (place != nullptr && !has_program) {
      if (options.json) return std::nullopt;
      // What came through a pipe has another name by now than it was given.
      const bool is_input = name == "/dev/stdin";
      return hand_on(asked, kScan, is_input ? std::vector{name} : std::vector<std::string>{}, typed,
                     Text::escaped(name) + " is " + name_of_kind(place->kind) + ", not an ELF file");
    }
    // What cannot be opened is refused with what can.
    options.where.root = name;
    files.clear();
    if (has_program) {
      report_meaning(Text::escaped(name) + " is a container image, not an ELF file",
                     line_of_words(asked.name, {"--root", name}));
    }
    return std::nullopt;
  }
  if (options.json) return std::nullopt;
  WorldHere world(options);
  const auto is_tree = [&](const std::string& file) { return is_directory(world, file); };
  if (!std::all_of(files.begin(), files.end(), is_tree)) return std::nullopt;
  const Text reason = Text::escaped(name) + " is a directory, not an ELF file";
  const bool is_root = options.where.root.empty() && files.size() == 1 && is_system_root(world, name);
  if (!is_root) return hand_on(asked, kScan, {}, typed, reason);
  std::vector<std::string> words = words_in_common(asked, kScan, typed);
  std::erase(words, name);
  std::vector<char*> rest;
  for (std::string& word : words) rest.push_back(word.data());
  return hand_on(asked, kScan, {"--root", name}, rest, reason);
}

/// --root without FILE: of an image its program is meant, of everything else that is a root all of its files.
std::optional<Exit> follow_root(const Subcommand& asked, const WorldOptions& options, std::span<char* const> typed) {
  const bool is_about_trees = &asked == &kCheck || &asked == &kWhy;
  if (!is_about_trees || options.json || options.where.root.empty() || has_subject(options)) return std::nullopt;
  const std::shared_ptr<const Place> place = settings_here(options).where.place;
  if (place != nullptr && place->process) return std::nullopt;
  const Text reason = "FILE is missing";
  const bool is_part = place != nullptr && (place->kind == PlaceKind::Package || place->kind == PlaceKind::Archive);
  if (!is_part) return hand_on(asked, kScan, {}, typed, reason);
  std::vector<std::string> words = words_in_common(asked, kScan, typed);
  const auto option = std::find(words.begin(), words.end(), "--root");
  if (option == words.end()) return hand_on(asked, kScan, {}, typed, reason);
  words.erase(option);  // its value stays, as PLACE
  std::vector<char*> rest;
  for (std::string& word : words) rest.push_back(word.data());
  return hand_on(asked, kScan, {}, rest, reason);
}

/// As Python takes it behind `import`.
bool is_module_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 && name.front() != '.' &&
         name.back() != '.' && std::all_of(name.begin(), name.end(), is_letter) &&
         name.find("..") == std::string_view::npos && name.find(".so") == std::string_view::npos;
}

/// Does the import end because no such module is there? Not where what the module itself imports is missing.
bool is_no_module(const PythonImport& import, std::string_view module) {
  constexpr std::string_view kText = "ModuleNotFoundError: No module named '";
  if (!import.exception.starts_with(kText) || !import.exception.ends_with('\'')) return false;
  std::string_view missing = std::string_view(import.exception).substr(kText.size());
  missing.remove_suffix(1);
  return module == missing || (module.starts_with(missing) && module[missing.size()] == '.');
}

/// A name without a file: what the shell would start, else what Python would import.
std::optional<Exit> follow_name(const Subcommand& asked, WorldOptions& options, std::vector<std::string>& files) {
  const bool takes_library = &asked == &kWhy && files.size() == 2;
  if ((files.size() != 1 && !takes_library) || has_subject(options)) return std::nullopt;
  if (options.process.bare_name == BareName::Library) return std::nullopt;
  const std::string name = files.front();
  if (name.empty() || name.find('/') != std::string::npos || name.find(".so") != std::string::npos) return std::nullopt;
  WorldHere world(options);
  if (world.has_file(name)) return std::nullopt;
  if (const std::string program = world.program_named(name); !program.empty()) {
    files.front() = program;
    report_meaning(Text::escaped(name) + " is not a file here, but an installed program",
                   line_of_words(asked.name, files));
    return std::nullopt;
  }
  if (!is_module_name(name)) return std::nullopt;
  WorldOptions as_import = options;
  as_import.process.asked_as = AskedAs::Import;
  as_import.import_module = name;
  WorldSettings settings = settings_here(as_import);
  settings.log = nullptr;  // it is asked again
  World probe(std::move(settings));
  const Result<Resolution> run = probe.resolve(name);
  if (!run || run->import() == nullptr) return std::nullopt;
  const PythonImport& import = *run->import();
  std::vector<std::string> words = files;
  words.insert(words.begin(), "--import");
  if (is_no_module(import, name)) {
    words.insert(words.begin(), {"--python", "ENV"});
    return report_error({ErrorCode::NotFound,
                         name,
                         {},
                         "No such file or directory, and " + import.interpreter +
                             " finds no module of that name; to ask about another Python environment: " +
                             line_of_words(asked.name, words).text()});
  }
  report_meaning(Text::escaped(name) + " is not a file here, but a Python module", line_of_words(asked.name, words));
  options.process.asked_as = AskedAs::Import;
  options.import_module = name;
  files.erase(files.begin());
  return std::nullopt;
}

}  // namespace

Exit hand_on(const Subcommand& asked, const Subcommand& other, std::vector<std::string> first,
             std::span<char* const> typed, const Text& reason) {
  std::vector<std::string> words = std::move(first);
  for (std::string& word : words_in_common(asked, other, typed)) {
    const bool is_there = word.starts_with('-') && std::find(words.begin(), words.end(), word) != words.end();
    if (!is_there) words.push_back(std::move(word));
  }
  report_meaning(reason, line_of_words(other.name, words));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return run_subcommand(other, arguments);
}

std::optional<Exit> follow_meaning(const Subcommand& asked, WorldOptions& options, std::vector<std::string>& files,
                                   std::span<char* const> typed) {
  const bool has_empty = std::any_of(files.begin(), files.end(), [](const std::string& file) { return file.empty(); });
  if (files.empty()) return follow_root(asked, options, typed);
  if (has_empty) return std::nullopt;
  if (const auto exit = follow_message(options, files)) return exit;
  if (const auto exit = follow_place(asked, options, files, typed)) return exit;
  return files.empty() ? std::nullopt : follow_name(asked, options, files);
}

}  // namespace soresolve::tool
