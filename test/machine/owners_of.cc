// Prints which package brought each file of standard input, a line each: PATH, NAME, VERSION and BY, with tabs between.
// An argument is a root directory. compare_owners reads it.
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "packages/package_owner.h"

using namespace soresolve;

int main(int argc, char** argv) {
  Result<std::unique_ptr<FileSystem>> files = argc > 1 ? rooted_file_system(argv[1]) : host_file_system();
  if (!files) return 2;
  const PackageOwners owners(std::move(*files));
  for (std::string path; std::getline(std::cin, path);) {
    const std::optional<PackageOwner> owner = owners.owner_of(path);
    std::printf("%s\t%s\t%s\t%s\n", path.c_str(), owner ? owner->name.c_str() : "", owner ? owner->version.c_str() : "",
                owner ? std::string(name_of(owner->by)).c_str() : "");
  }
}
