#include "version/map_versions.h"

namespace soresolve {

const Result<VersionTables>& MapVersions::of(ObjectIndex index) {
  if (!tables_[index]) set(index, read(index));
  return *tables_[index];
}

Result<VersionTables> MapVersions::read(ObjectIndex index) const {
  Result<ObjectFile> opened = open_object_file(system_, process_, map_, index);
  if (!opened) return Unexpected{std::move(opened).error()};
  if (opened->file == nullptr) return VersionTables{};
  return read_version_tables(*opened->file, *opened->elf, map_.objects[index].name());
}

}  // namespace soresolve
