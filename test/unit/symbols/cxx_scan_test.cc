// C++ symbols that are found by a part of their names are those that the whole table has.
#include "symbols/cxx_names.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "soresolve/symbols.h"
#include "support/elf_writer.h"
#include "symbols/symbol_table.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

struct Found {
  Names by_part;
  std::size_t in_table = 0;
};

Found find(const ElfSpec& spec, const Names& parts) {
  MemoryFileSystem files;
  files.add_file("/f", write_elf(spec));
  const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
  const Result<ElfObject> object = ElfObject::read(**file, "/f");
  REQUIRE(object.has_value());
  const auto definitions = find_cxx_definitions(**file, *object, "/f", parts);
  const Result<SymbolTable> table = read_symbol_table(**file, *object, "/f");
  REQUIRE((definitions.has_value() && table.has_value()));
  Found found;
  found.in_table = table->symbols.size();
  for (const CxxDefinition& definition : *definitions) found.by_part.push_back(definition.name);
  return found;
}

}  // namespace

TEST_CASE("definitions with a part behind the beginning of a mangled name") {
  ElfSpec spec = library();
  spec.hash = HashTables::Sysv;
  for (const char* name : {"_ZN1a1fEi", "_ZNK1a1fEv", "_ZNVKR1a1hEv", "_Z1gi", "x_ZN1a1fEd", "f", "_ZN1b1fEv"})
    spec.define(defined(name));
  spec.refer(undefined("_ZN1a1fEl"));
  struct Case {
    const char* why;
    Names parts;
    Names want;
  };
  const Case cases[] = {
      {"in a namespace, and of a const member", {"1a1f"}, {"_ZN1a1fEi", "_ZNK1a1fEv"}},
      {"of a member that is all that a member can be", {"1a1h"}, {"_ZNVKR1a1hEv"}},
      {"without one", {"1g"}, {"_Z1gi"}},
      {"one part begins another", {"1a", "1a1f"}, {"_ZN1a1fEi", "_ZNK1a1fEv", "_ZNVKR1a1hEv"}},
      {"none", {"1c"}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(find(spec, c.parts).by_part == c.want);
  }
}

TEST_CASE("names across the pieces in which strings are read") {
  ElfSpec spec = library();
  spec.hash = HashTables::Sysv;
  Names want;
  // Some three mebibytes; each name is one that is wanted, so that one lies across each border.
  for (int i = 0; i < 3000; ++i) {
    want.push_back("_ZN1a1fE" + std::string(1000, 'x') + std::to_string(i));
    spec.define(defined(want.back()));
  }
  const Found found = find(spec, {"1a1f"});
  CHECK(found.in_table == want.size() + 1);
  CHECK(found.by_part == want);
}

TEST_CASE("a file without symbols has none") { CHECK(find(library(), {"1a1f"}).by_part.empty()); }
