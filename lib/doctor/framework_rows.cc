// Finds the frameworks of frameworks.toml in a site directory, and what they were built for.
#include "doctor/framework_rows.h"

#include <algorithm>

#include "cuda/framework_build.h"
#include "soresolve/cuda.h"

namespace soresolve {
namespace {

/// Does a name match a pattern with at most one '*'?
bool is_like(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  const std::string_view end = pattern.substr(star + 1);
  return name.size() + 1 >= pattern.size() && name.starts_with(pattern.substr(0, star)) && name.ends_with(end);
}

/// The first file that a pattern leads to, its parts taken one by one; empty: none.
std::string find_like(const FileSystem& files, std::string folder, std::string_view pattern) {
  while (!pattern.empty()) {
    const std::size_t slash = std::min(pattern.find('/'), pattern.size());
    const std::string_view part = pattern.substr(0, slash);
    pattern.remove_prefix(std::min(slash + 1, pattern.size()));
    if (part.find('*') == std::string_view::npos) {
      folder += "/" + std::string(part);
      continue;
    }
    const auto names = files.list_directory(folder);
    if (!names) return {};
    const auto name = std::find_if(names->begin(), names->end(), [&](const auto& each) { return is_like(each, part); });
    if (name == names->end()) return {};
    folder += "/" + *name;
  }
  return files.status(folder) ? folder : std::string();
}

/// The major number in "cupy-cuda12x", "tensorrt-cu12-libs", "faiss-gpu-cu12"; empty: none.
DottedVersion cuda_in_name(std::string_view package) {
  for (const std::string_view mark : {"cuda", "cu"}) {
    const std::size_t at = package.find(mark);
    if (at == std::string_view::npos || at + mark.size() + 2 > package.size()) continue;
    if (const auto major = leading_version(package.substr(at + mark.size(), 2))) return *major;
  }
  return {};
}

void read_build(const FileSystem& files, const std::string& site, FoundFramework& found) {
  const FrameworkRow& row = *found.row;
  if (!row.build_file.empty()) {
    const std::string path = site + "/" + std::string(row.build_file);
    const BuildFacts facts = read_build_facts(files, path, row.version_key, row.cuda_key, row.cudnn_key);
    if (!facts.version.empty()) found.version = facts.version;
    found.cuda = facts.cuda;
    found.cudnn = facts.cudnn;
    if (!facts.cuda.empty() || !facts.version.empty()) found.reported_by = path;
  }
  if (found.cuda.empty()) found.cuda = cuda_in_name(found.package);
}

}  // namespace

std::string release_in(const Machine& machine, const std::string& site, std::string_view package) {
  const auto names = machine.files->list_directory(site);
  if (!names) return {};
  for (const std::string& name : *names) {
    const std::size_t end = name.find(".dist-info");
    const bool is_it = end != std::string::npos && name.starts_with(package) && name.size() > package.size() &&
                       name[package.size()] == '-';
    if (is_it) return name.substr(package.size() + 1, end - package.size() - 1);
  }
  return {};
}

std::vector<FoundFramework> find_frameworks(const Machine& machine, const std::string& site) {
  const FileSystem& files = *machine.files;
  std::vector<FoundFramework> all;
  for (const FrameworkRow& row : framework_rows()) {
    FoundFramework found{&row, site, std::string(row.name), {}, {}, {}, {}, {}, {}};
    for (const std::string_view package : row.packages) {
      if (package.empty() || !found.version.empty()) continue;
      found.version = release_in(machine, site, package);
      if (found.version.empty()) continue;
      found.package = package;
      std::replace(found.package.begin(), found.package.end(), '_', '-');
    }
    for (const std::string_view library : row.libraries) {
      if (library.empty() || !found.library.empty()) continue;
      found.library = find_like(files, site, library);
    }
    const bool is_here = row.load == FrameworkLoad::Never ? !found.version.empty() : !found.library.empty();
    if (!is_here) continue;
    found.code = row.code.empty() ? found.library : find_like(files, site, row.code);
    read_build(files, site, found);
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace soresolve
