// A library that the compiler has built for the tests, read for its versions.
#pragma once
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "loader/load.h"
#include "soresolve/symbols.h"

namespace soresolve::test {

/// `name`: below the directory of fixtures.
inline VersionedLibrary read_library(const std::string& name) {
  const std::string path = std::string(SORESOLVE_FIXTURES) + "/" + name;
  const std::unique_ptr<FileSystem> files = host_file_system();
  Result<OpenedObject> opened = open_object(*files, path, path);
  REQUIRE_MESSAGE(opened.has_value(), path);
  Result<VersionedLibrary> library = read_versioned_library(*opened->file, opened->elf, path);
  REQUIRE_MESSAGE(library.has_value(), library.error().to_string());
  return std::move(*library);
}

}  // namespace soresolve::test
