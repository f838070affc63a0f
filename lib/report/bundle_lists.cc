// A bundle for those who copy: tar(1), a Dockerfile, and the kernel's list of an initramfs.
//
// Sources: GNU tar's manual, "--files-from"; the Dockerfile reference, COPY and ENV (sources are patterns of Go's
// filepath.Match, words are expanded as a shell does, and a link that is named itself is followed); the kernel's
// usr/gen_init_cpio.c. A name that a format cannot say is refused, and so is one that is no UTF-8 or drives a terminal:
// a list that means another file is worse than none.
#include <algorithm>
#include <cstdio>
#include <set>

#include "base/path.h"
#include "base/printable.h"
#include "soresolve/command_text.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

/// Would a terminal obey it, or show it as another name? What is written here is not escaped.
bool is_unprintable(std::string_view name) { return printable(name) != name; }

std::optional<Error> unsayable(const std::string& name, const char* format) {
  return Error{ErrorCode::Unsupported, name, {}, std::string("cannot be written in ") + format + "; --json can"};
}

/// The first of the names of `entry` that has one of these characters, or one that cannot be shown.
std::optional<std::string> name_with(const BundledEntry& entry, std::string_view characters) {
  for (const std::string* const name : {&entry.path, &entry.source, &entry.link}) {
    if (is_unprintable(*name) || name->find_first_of(characters) != std::string::npos) return *name;
  }
  return std::nullopt;
}

/// Directories that no other entry lies in: the others are made with what lies there.
bool is_empty_directory(const Bundle& bundle, const BundledEntry& entry) {
  if (entry.kind != BundledKind::Directory) return false;
  const std::string inside = entry.path + "/";
  return std::none_of(bundle.entries.begin(), bundle.entries.end(),
                      [&](const BundledEntry& other) { return other.path.starts_with(inside); });
}

/// A source of COPY, which is a pattern.
std::string copy_pattern(std::string_view path) {
  std::string pattern;
  for (const char c : path) {
    if (c == '[' || c == '*' || c == '?')
      pattern.append("[").append(1, c).append("]");
    else
      pattern += c;
  }
  return pattern;
}

std::string copy_line(const std::string& stage, const std::string& from, const std::string& to) {
  const bool has_space = (from + to).find(' ') != std::string::npos;
  const std::string source = copy_pattern(from);
  const std::string words = has_space ? "[\"" + source + "\", \"" + to + "\"]" : source + " " + to;
  return "COPY --from=" + stage + " " + words + "\n";
}

}  // namespace

std::optional<Error> write_bundle_list(const BundleReport& report, const WritePart& write) {
  std::string text;
  for (const BundledEntry& entry : report.bundle.entries) {
    if (entry.kind == BundledKind::Directory && !is_empty_directory(report.bundle, entry)) continue;
    if (const auto name = name_with(entry, "\\")) return unsayable(*name, "a list for tar");
    if (entry.path != entry.source) {
      return Error{
          ErrorCode::Unsupported,
          entry.path,
          {},
          "has another path in the source, which a list for tar cannot say; the formats dockerfile, cpio-list and "
          "json can"};
    }
    text += "." + entry.path + "\n";
  }
  write(text);
  return std::nullopt;
}

std::optional<Error> write_bundle_dockerfile(const BundleReport& report, const BundleStages& stages,
                                             const WritePart& write) {
  constexpr const char* kFormat = "a Dockerfile";
  const Bundle& bundle = report.bundle;
  std::set<std::string> directories;
  std::string links;
  std::string copies;
  for (const BundledEntry& entry : bundle.entries) {
    if (const auto name = name_with(entry, "\\$\"'")) return unsayable(*name, kFormat);
    if (is_empty_directory(bundle, entry)) directories.insert(entry.path);
    if (entry.kind == BundledKind::Link) {
      directories.insert(std::string(directory_of(entry.path)));
      links += (" && ln -s " + shell_path(entry.link) + " " + shell_path("/links" + entry.path)).text();
    }
    if (entry.kind == BundledKind::File) copies += copy_line(stages.source, entry.source, entry.path);
  }
  const std::string base = !stages.base.empty() ? stages.base : report.into.empty() ? "scratch" : "base";
  std::string text;
  if (!directories.empty()) {
    text = "FROM " + stages.source + " AS links\nRUN mkdir -p";
    for (const std::string& directory : directories)
      text += (" " + shell_path(directory == "/" ? "/links" : "/links" + directory)).text();
    text += links + "\n";
  }
  text += "FROM " + base + "\n";
  if (!directories.empty()) text += "COPY --from=links /links/ /\n";
  text += copies;
  if (!bundle.search.empty()) {
    const BundleSearch& search = bundle.search.front();
    for (const CommandText& command : search.lines) {
      const std::string& line = command.text();
      if (is_unprintable(line)) return unsayable(line, kFormat);
      switch (search.kind) {
        case BundleSearch::Kind::LibraryPath: {
          if (line.find_first_of("\\$\"' ") != std::string::npos) return unsayable(line, kFormat);
          text += "ENV " + line + "\n";
          break;
        }
        case BundleSearch::Kind::Configuration: text += "RUN " + line + "\n"; break;
        case BundleSearch::Kind::SearchTag:
          text += "# needed in the stage " + stages.source + ": " + line + "\n";
          break;
      }
    }
  }
  write(text);
  return std::nullopt;
}

std::optional<Error> write_bundle_cpio_list(const BundleReport& report, const WritePart& write) {
  constexpr const char* kFormat = "a list of gen_init_cpio";
  std::string text;
  std::string root = report.root;
  while (root.ends_with('/')) root.pop_back();
  if (is_unprintable(root) || root.find_first_of(" $") != std::string::npos) return unsayable(root, kFormat);
  for (const BundledEntry& entry : report.bundle.entries) {
    if (const auto name = name_with(entry, " $")) return unsayable(*name, kFormat);
    char mode[16];
    std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(entry.mode));
    switch (entry.kind) {
      case BundledKind::Directory: text += "dir " + entry.path + " " + mode + " 0 0\n"; break;
      case BundledKind::Link: text += "slink " + entry.path + " " + entry.link + " " + mode + " 0 0\n"; break;
      case BundledKind::File: text += "file " + entry.path + " " + root + entry.source + " " + mode + " 0 0\n"; break;
    }
  }
  write(text);
  return std::nullopt;
}

}  // namespace soresolve
