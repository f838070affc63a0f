// Reads the RECORD of a wheel: its modules are the packages and files at the top of what it lists. A directory without
// __init__.py is a namespace that several wheels share (nvidia, google), and its packages count as the top.
//
// Source: PyPA "Recording installed projects", PEP 420 (namespaces), PEP 503 (names).
#include "python/package_modules.h"

#include <algorithm>
#include <set>

#include "base/library_file.h"
#include "base/path.h"
#include "base/small_file.h"
#include "base/wheel_record.h"
#include "packages/package_records.h"
#include "packages/wheel_requirements.h"
#include "python/python_finder.h"
#include "python/tokens.h"

namespace soresolve {
namespace {

constexpr std::string_view kInit = "/__init__.py";

/// "a.b" of "a/b"; nullopt: it cannot be imported by that name.
std::optional<std::string> dotted(std::string_view path) {
  std::string name;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (!python::is_identifier(part)) return std::nullopt;
    name += (name.empty() ? "" : ".") + std::string(part);
    path.remove_prefix(std::min(part.size() + 1, path.size()));
  }
  return name;
}

/// The part before the suffix of a source or an extension module; empty: it is none.
std::string_view stem_of_module(std::string_view file, const std::vector<std::string>& suffixes) {
  if (file.ends_with(".py")) return file.substr(0, file.size() - 3);
  for (const std::string& suffix : suffixes) {
    if (file.ends_with(suffix)) return file.substr(0, file.size() - suffix.size());
  }
  return {};
}

class RecordReader {
 public:
  RecordReader(std::string site, const std::vector<std::string>& suffixes)
      : site_(std::move(site)), suffixes_(suffixes) {}

  void take(std::string_view path) {
    if (path.starts_with('/') || path.starts_with("../")) return;
    if (has_library_name(path) && parts_.libraries.size() < kMaxPackageParts)
      parts_.libraries.push_back(path_in(site_, path));
    if (path.ends_with(kInit)) {
      if (auto name = dotted(path.substr(0, path.size() - kInit.size()))) packages_.insert(*std::move(name));
    } else if (path.find('/') == std::string_view::npos) {
      const std::string_view stem = stem_of_module(path, suffixes_);
      if (python::is_identifier(stem)) packages_.emplace(stem);
    }
  }

  /// A package in another one is imported by way of that.
  PackageParts parts() {
    for (const std::string& name : packages_) {
      bool is_top = true;
      for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
        is_top = is_top && packages_.count(name.substr(0, dot)) == 0;
      }
      if (is_top && parts_.modules.size() < kMaxPackageParts) parts_.modules.push_back(name);
    }
    return std::move(parts_);
  }

 private:
  std::string site_;
  const std::vector<std::string>& suffixes_;
  std::set<std::string, std::less<>> packages_;
  PackageParts parts_;
};

}  // namespace

std::optional<WheelRecord> find_record(const FileSystem& files, const std::vector<std::string>& sites,
                                       std::string_view name) {
  const std::string wanted = normalised_wheel_name(name);
  for (const std::string& site : sites) {
    const Result<std::vector<std::string>, Errno> entries = files.list_directory(site);
    if (!entries) continue;
    for (const std::string& entry : *entries) {
      const std::optional<WheelName> wheel = wheel_name_of(entry);
      if (!wheel || normalised_wheel_name(wheel->name) != wanted) continue;
      const std::string path = path_in(path_in(site, entry), "RECORD");
      auto text = read_small_file(files, path, kMaxRecordBytes);
      if (text) return WheelRecord{site, path, *std::move(text)};
    }
  }
  return std::nullopt;
}

std::optional<PackageParts> find_package(const FileSystem& files, const PythonEnvironment& python,
                                         const std::string& cwd, std::string_view name) {
  PythonFinder finder(files, python, cwd, {});
  if (const auto record = find_record(files, finder.path(), name)) {
    RecordReader reader(record->site, finder.suffixes());
    visit_wheel_record(record->text, [&](const WheelRecordLine& line) {
      reader.take(line.path);
      return true;
    });
    PackageParts parts = reader.parts();
    parts.record = record->path;
    return parts;
  }
  if (!python::is_identifier(name) || !finder.find(name, finder.path())) return std::nullopt;
  return PackageParts{{}, {std::string(name)}, {}};
}

}  // namespace soresolve
