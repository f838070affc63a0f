// Mangled names: what two of them have in common, and which are left to the demangler. The names are those that GCC
// gives; the entangled one doubles with each back reference.
#include "symbols/cxx_names.h"

#include <doctest/doctest.h>

#include <string>

using namespace soresolve;

TEST_CASE("the qualified part is what namespaces and name take") {
  struct Case {
    const char* symbol;
    const char* part;
  };
  const Case cases[] = {
      {"_ZN5torch3jit11parseSchemaERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "5torch3jit11parseSchema"},
      {"_ZN5torch3jit11parseSchemaERKSs", "5torch3jit11parseSchema"},
      {"_ZNK3c106Device3strB5cxx11Ev", "3c106Device3str"},
      {"_ZN3c103FooC1Ei", "3c103FooC"},
      {"_ZN3c103FooD2Ev", "3c103FooD"},
      {"_Z6launchPfi", "6launch"},
      {"_ZSt4cout", "St4cout"},
      {"_ZNSt6vectorIiE9push_backERKi", "St6vector"},
      {"cudaMalloc", ""},
      {"u_foldCase_73", "u_foldCase_"},
      {"av_1", ""},
      {"_73", ""},
      {"_ZTVN10__cxxabiv117__class_type_infoE", ""},
      {"_Z99999x", ""},
      {"_Z", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.symbol);
    CHECK(qualified_part(c.symbol) == c.part);
  }
}

TEST_CASE("names are demangled within bounds") {
  CHECK(demangled("_ZN5torch3jit11parseSchemaERKSs") == "torch::jit::parseSchema(std::string const&)");
  CHECK(demangled("_ZN5torch3jit11parseSchemaERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE") ==
        "torch::jit::parseSchema(std::__cxx11::string const&)");
  CHECK(demangled("cudaMalloc").empty());
  CHECK(demangled("_ZN3c10").empty());
  CHECK(demangled("_Z" + std::string(5000, 'N')).empty());
  std::string doubling = "_Z1fI1aIii";
  for (int i = 0; i < 40; ++i) doubling += "1aIS_S_E";
  CHECK(demangled(doubling).empty());
}
