// A library that defines versions.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "support/elf_writer.h"

namespace soresolve::test {

/// `names`: of its verdefs, in file order; the first one is the base.
inline ElfSpec versioned(std::vector<std::string> names) {
  ElfSpec spec = library();
  for (std::string& name : names) spec.version_definitions.push_back({std::move(name)});
  return spec;
}

}  // namespace soresolve::test
