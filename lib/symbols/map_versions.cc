// Reads each object's version tables once; many definitions are sorted for matching, with the result of going one by
// one (glibc 2.36 elf/dl-version.c:match_symbol). The vDSO has no file: its one version is linux arch/*/vdso/*.lds.S's.
#include "symbols/map_versions.h"
#include "loader/load.h"
#include "symbols/version_tables.h"

#include <elf.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace soresolve {

namespace {

/// What the kernel's object defines: itself and one version (linux arch/*/vdso/*.lds.S).
VersionTables vdso_tables(std::uint16_t machine, std::string_view soname) {
  VersionTables tables;
  const std::string_view version = machine == EM_X86_64    ? "LINUX_2.6"
                                   : machine == EM_386     ? "LINUX_2.5"
                                   : machine == EM_AARCH64 ? "LINUX_2.6.39"
                                                           : "";
  if (version.empty()) return tables;
  tables.has_defs = true;
  for (const std::string_view name : {soname, version}) {
    VersionDef def;
    def.name = tables.text.keep(name);
    def.hash = version_hash(name);
    def.index = static_cast<std::uint16_t>(tables.defs.size() + 1);
    def.base = tables.defs.empty();
    tables.defs.push_back(std::move(def));
  }
  return tables;
}

}  // namespace

VersionMatch MapVersions::match(const VersionNeed& need, ObjectIndex provider) {
  const VersionTables& tables = *of(provider);
  constexpr std::size_t kFew = 64;
  if (tables.defs.size() <= kFew) return match_version(need, tables);
  const auto less = [](const auto& a, const auto& b) { return std::tie(a.hash, a.name) < std::tie(b.hash, b.name); };
  const auto [at, is_new] = indices_.try_emplace(provider);
  Index& index = at->second;
  if (is_new) {
    index.sorted.resize(tables.defs.size());
    std::iota(index.sorted.begin(), index.sorted.end(), 0);
    std::stable_sort(index.sorted.begin(), index.sorted.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return less(tables.defs[a], tables.defs[b]); });
    const auto unknown = std::find_if(tables.defs.begin(), tables.defs.end(),
                                      [](const VersionDef& def) { return def.record_version != 1; });
    index.unknown = static_cast<std::size_t>(unknown - tables.defs.begin());
  }
  const auto same =
      std::lower_bound(index.sorted.begin(), index.sorted.end(), need,
                       [&](std::uint32_t a, const VersionNeed& wanted) { return less(tables.defs[a], wanted); });
  const bool is_there = same != index.sorted.end() && !less(need, tables.defs[*same]);
  // One by one the loader comes to the unknown record first, or not.
  if (is_there && *same < index.unknown) return {VersionVerdict::Defined, &tables.defs[*same]};
  if (index.unknown < tables.defs.size()) return {VersionVerdict::UnknownRecord, &tables.defs[index.unknown]};
  return {need.weak ? VersionVerdict::MissingWeak : VersionVerdict::Missing, nullptr};
}

Result<VersionTables> MapVersions::read(ObjectIndex index) {
  const LoadedObject& object = map_.objects[index];
  if (object.role == ObjectRole::Vdso) {
    return vdso_tables(system_.rules.target.machine, object.path);
  }
  Result<ObjectFile> opened = open_object_file(map_, index);
  if (!opened) return Unexpected{std::move(opened).error()};
  if (opened->file == nullptr) return VersionTables{};
  TableReader reader(*opened->file, *opened->elf, scratch_, TableReader::Purpose::Versions);
  return read_version_tables(reader, *opened->elf, object.name());
}

}  // namespace soresolve
