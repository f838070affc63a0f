// Reads METADATA in each *.dist-info of a directory, line by line, up to the blank line behind its headers.
#include "packages/wheel_requirements.h"

#include <algorithm>
#include <optional>

#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"

namespace soresolve {
namespace {

constexpr std::string_view kDistInfo = ".dist-info";
constexpr std::string_view kRequires = "Requires-Dist: ";

/// The version behind "==" of one requirement; empty for a range, or without one.
std::string pinned_version(std::string_view requirement) {
  const std::size_t equals = requirement.find("==");
  const std::size_t marker = requirement.find(';');
  if (equals == std::string_view::npos || equals > marker) return {};
  std::string_view version = requirement.substr(equals + 2);
  version.remove_prefix(std::min(version.find_first_not_of(" ="), version.size()));
  version = version.substr(0, version.find_first_of(" ;),"));
  constexpr std::string_view kVersion = "0123456789abcdefghijklmnopqrstuvwxyz.+!-_";
  return version.find_first_not_of(kVersion) == std::string_view::npos ? std::string(version) : std::string();
}

bool is_of_extra(std::string_view requirement) {
  const std::size_t marker = requirement.find(';');
  return marker != std::string_view::npos && requirement.find("extra", marker) != std::string_view::npos;
}

std::string wheel_of_requirement(std::string_view requirement) {
  return normalised_wheel_name(requirement.substr(0, requirement.find_first_of(" (;=<>!~[@")));
}

/// ">=1.2,<2" of "name[extra] (>=1.2, <2)", which stands before any marker; nullopt: other characters.
std::optional<std::string> versions_of_requirement(std::string_view requirement) {
  constexpr std::string_view kVersions = "0123456789abcdefghijklmnopqrstuvwxyz.+*!-_<>=~,";
  requirement.remove_prefix(std::min(requirement.find_first_of(" (=<>!~[@"), requirement.size()));
  if (requirement.starts_with('['))
    requirement.remove_prefix(std::min(requirement.find(']'), requirement.size() - 1) + 1);
  std::string versions;
  for (const char c : requirement) {
    if (c == ' ' || c == '(' || c == ')') continue;
    if (kVersions.find(c) == std::string_view::npos) return std::nullopt;
    versions += c;
  }
  return versions;
}

void read_metadata(const std::string& path, std::string_view text, std::vector<WheelRequirement>& list) {
  constexpr std::string_view kName = "Name: ";
  constexpr std::string_view kVersion = "Version: ";
  WheelRequirement found;
  found.metadata = path;
  std::uint64_t number = 0;
  for (std::string_view line : lines_in(text)) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return;  // the description follows
    if (line.starts_with(kName)) found.package = normalised_wheel_name(line.substr(kName.size()));
    if (line.starts_with(kVersion)) found.release = line.substr(kVersion.size());
    if (!line.starts_with(kRequires)) continue;
    const std::string_view requirement = line.substr(kRequires.size());
    found.version = pinned_version(requirement);
    if (found.version.empty() || is_of_extra(requirement)) continue;
    found.wheel = wheel_of_requirement(requirement);
    if (!is_wheel_name(found.wheel)) continue;
    found.line = number;
    list.push_back(found);
  }
}

}  // namespace

bool is_wheel_name(std::string_view name) {
  constexpr std::string_view kName508 = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !name.empty() && name.find_first_not_of(kName508) == std::string_view::npos;
}

std::string normalised_wheel_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool is_separator = c == '-' || c == '_' || c == '.';
    if (is_separator && plain.ends_with('-')) continue;
    plain += is_separator ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

std::vector<ListedRequirement> listed_requirements(std::string_view metadata) {
  std::vector<ListedRequirement> list;
  std::uint32_t number = 0;
  for (std::string_view line : lines_in(metadata)) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || list.size() == kMostListedRequirements) break;  // the description follows
    if (!line.starts_with(kRequires)) continue;
    const CutText cut = cut_at(line.substr(kRequires.size()), ';');
    std::string wheel = wheel_of_requirement(cut.before);
    const bool is_fetched = cut.before.find('@') != std::string_view::npos;  // "name @ https://…"
    std::optional<std::string> versions = is_fetched ? std::string() : versions_of_requirement(cut.before);
    if (!is_wheel_name(wheel) || !versions) continue;
    list.push_back({std::move(wheel), *std::move(versions), std::string(trimmed(cut.behind)), number});
  }
  return list;
}

std::vector<std::string> requirements_in(std::string_view metadata) {
  std::vector<std::string> list;
  for (const ListedRequirement& requirement : listed_requirements(metadata)) {
    const std::string& marker = requirement.marker;
    const bool is_for_linux = marker.find("== \"Linux\"") != std::string::npos ||
                              marker.find("== 'Linux'") != std::string::npos ||
                              marker.find("== \"linux\"") != std::string::npos;
    const bool is_more = marker.find(" and ") != std::string::npos || marker.find(" or ") != std::string::npos;
    if (marker.empty() || (is_for_linux && !is_more)) list.push_back(requirement.typed());
  }
  return list;
}

std::vector<WheelRequirement> read_wheel_requirements(const FileSystem& files, std::string_view site) {
  std::vector<WheelRequirement> list;
  const Result<std::vector<std::string>, Errno> names = files.list_directory(site.empty() ? "/" : site);
  std::size_t count = 0;
  for (const std::string& name : names ? *names : std::vector<std::string>{}) {
    if (!name.ends_with(kDistInfo) || ++count > kMostMetadataFiles) continue;
    const std::string path = path_in(path_in(site, name), "METADATA");
    const std::optional<std::string> text = read_small_file(files, path, kMostMetadataBytes);
    if (text) read_metadata(path, *text, list);
  }
  return list;
}

}  // namespace soresolve
