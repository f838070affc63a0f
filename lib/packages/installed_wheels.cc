// Sources: PyPA "Recording installed projects" (NAME-VERSION.dist-info), PEP 503 (names). Vendors cut one product into
// wheels of one version: tensorrt-cu12 requires tensorrt-cu12-libs and tensorrt-cu12-bindings of its own version, and
// each of them can be installed without the others by --no-deps.
#include "packages/installed_wheels.h"

#include <algorithm>

#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "packages/package_records.h"
#include "packages/wheel_requirements.h"
#include "packages/wheel_version.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kMostRecordBytes = 16u << 20;
constexpr std::size_t kMostRequirements = 512;  ///< of one METADATA
constexpr int kMostSteps = 4;                   ///< from a wheel that only requires others to the one that has files

/// "PyYAML" and "5.4.1" of "PyYAML-5.4.1-py3.11.egg-info", as setuptools and distutils have it; the version may not be
/// there. nullopt: no such name.
std::optional<WheelName> egg_name_of(std::string_view entry) {
  for (const std::string_view end : {".egg-info", ".egg-link", ".egg"}) {
    if (!entry.ends_with(end) || entry.size() == end.size()) continue;
    const CutText cut = cut_at(entry.substr(0, entry.size() - end.size()), '-');
    return WheelName{std::string(cut.before), std::string(cut_at(cut.behind, '-').before)};
  }
  return std::nullopt;
}

std::optional<InstalledWheel> wheel_in(const WheelsByName& wheels, std::string_view name) {
  const auto found = wheels.find(normalised_wheel_name(name));
  return found == wheels.end() ? std::nullopt : std::optional(found->second);
}

/// A file of that name in the wheel's record that is not there.
bool lacks_recorded_file(const FileSystem& files, const InstalledWheel& wheel, std::string_view library) {
  const std::optional<std::string> record = read_small_file(files, wheel.record, kMostRecordBytes);
  if (!record) return false;
  const std::string_view site = directory_of(directory_of(wheel.record));
  bool is_missing = false;
  recorded_paths_of(*record, [&](std::string_view path) {
    if (file_name_of(path) == library && !files.status(path_in(site, path))) is_missing = true;
  });
  return is_missing;
}

std::vector<std::string> requirements_of(const FileSystem& files, std::string_view record) {
  const std::optional<std::string> text =
      read_small_file(files, path_in(directory_of(record), "METADATA"), kMostMetadataBytes);
  std::vector<std::string> list = text ? requirements_in(*text) : std::vector<std::string>();
  list.resize(std::min(list.size(), kMostRequirements));
  return list;
}

/// What the wheel requires and what is not installed: its part with the libraries before others.
std::optional<std::string> missing_part(const FileSystem& files, const WheelsByName& wheels,
                                        const InstalledWheel& wheel) {
  std::optional<std::string> other;
  for (std::string& requirement : requirements_of(files, wheel.record)) {
    const std::string_view name = wheel_name(requirement);
    if (wheel_in(wheels, name)) continue;
    if (name.ends_with("-libs")) return std::move(requirement);
    if (!other && name.starts_with(normalised_wheel_name(wheel.name) + "-")) other = std::move(requirement);
  }
  return other;
}

}  // namespace

WheelsByName installed_wheels(const FileSystem& files, const std::vector<std::string>& sites) {
  WheelsByName wheels;
  for (const std::string& site : sites) {
    const Result<std::vector<std::string>, Errno> names = files.list_directory(site);
    for (const std::string& entry : names ? *names : std::vector<std::string>()) {
      std::optional<WheelName> found = wheel_name_of(entry);
      if (!found) found = egg_name_of(entry);
      if (!found) continue;
      std::string name = normalised_wheel_name(found->name);
      wheels.try_emplace(std::move(name), InstalledWheel{std::move(found->name), std::move(found->version),
                                                         path_in(path_in(site, entry), "RECORD")});
    }
  }
  return wheels;
}

bool contradicts(std::string_view version, std::string_view clauses) {
  for (const std::string_view clause : pieces_in(clauses, ',')) {
    if (!meets_clause(version, clause).value_or(true)) return true;
  }
  return false;
}

std::string_view wheel_name(std::string_view requirement) {
  return requirement.substr(0, requirement.find_first_of(" <>=!~;["));
}

std::optional<InstalledWheel> installed_wheel(const FileSystem& files, const std::vector<std::string>& sites,
                                              std::string_view name) {
  return wheel_in(installed_wheels(files, sites), name);
}

std::vector<UnmetRequirement> unmet_requirements(const FileSystem& files, std::string_view record) {
  std::vector<std::string> required = requirements_of(files, record);
  std::vector<UnmetRequirement> unmet;
  if (required.empty()) return unmet;
  const WheelsByName wheels = installed_wheels(files, {std::string(directory_of(directory_of(record)))});
  for (std::string& requirement : required) {
    std::optional<InstalledWheel> installed = wheel_in(wheels, wheel_name(requirement));
    if (!installed ||
        !contradicts(installed->version, std::string_view(requirement).substr(wheel_name(requirement).size())))
      continue;
    unmet.push_back({std::move(requirement), std::move(*installed)});
  }
  return unmet;
}

bool satisfies(std::string_view version, std::string_view requirement) {
  const std::string_view clauses = requirement.substr(wheel_name(requirement).size());
  if (clauses.empty()) return true;
  for (const std::string_view clause : pieces_in(clauses, ',')) {
    if (!meets_clause(version, clause).value_or(false)) return false;
  }
  return true;
}

WheelStep wheel_step(const FileSystem& files, const std::vector<std::string>& sites, const std::string& requirement,
                     std::string_view library, const std::optional<PackageOwner>& needer) {
  const WheelsByName wheels = installed_wheels(files, sites);
  std::string wanted = requirement;
  std::optional<InstalledWheel> from;
  for (int step = 0; step < kMostSteps; ++step) {
    std::optional<InstalledWheel> installed = wheel_in(wheels, wheel_name(wanted));
    if (!installed || !satisfies(installed->version, wanted)) {
      if (from) return {WheelStep::Kind::Part, std::move(wanted), std::move(from)};
      // Its bindings are installed by themselves: the libraries of their version go with them.
      const std::string bindings = std::string(wheel_name(wanted)) + "-bindings";
      const bool is_sibling = needer && needer->by == PackageRecord::Wheel && !needer->version.empty() &&
                              normalised_wheel_name(needer->name) == bindings && satisfies(needer->version, wanted);
      if (!is_sibling) return {WheelStep::Kind::Install, std::move(wanted)};
      return {WheelStep::Kind::Install, std::string(wheel_name(wanted)) + "-libs==" + needer->version};
    }
    if (lacks_recorded_file(files, *installed, library)) {
      std::string again = normalised_wheel_name(installed->name) + "==" + installed->version;
      return {WheelStep::Kind::Again, std::move(again), std::move(installed)};
    }
    std::optional<std::string> part = missing_part(files, wheels, *installed);
    if (!part) return {WheelStep::Kind::Nothing, {}, std::move(installed)};
    wanted = std::move(*part);
    from = std::move(installed);
  }
  return {WheelStep::Kind::Install, requirement};
}

}  // namespace soresolve
