#include "version/map_versions.h"

#include <elf.h>

namespace soresolve {

const Result<VersionTables>& MapVersions::of(ObjectIndex index) {
  if (!tables_[index]) set(index, read(index));
  return *tables_[index];
}

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

Result<VersionTables> MapVersions::read(ObjectIndex index) const {
  const LoadedObject& object = map_.objects[index];
  if (object.role == ObjectRole::Vdso) {
    return vdso_tables(system_.rules.target.machine, object.path);
  }
  Result<ObjectFile> opened = open_object_file(system_, process_, map_, index);
  if (!opened) return Unexpected{std::move(opened).error()};
  if (opened->file == nullptr) return VersionTables{};
  return read_version_tables(*opened->file, *opened->elf, object.name());
}

}  // namespace soresolve
