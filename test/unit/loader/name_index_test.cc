// The index answers as a walk over all names would.
#include "loader/name_index.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace soresolve;

using Objects = std::vector<ObjectIndex>;

TEST_CASE("an empty index knows no name") {
  const NameIndex index;
  CHECK(index.find("liba.so") == kNoObject);
  CHECK(index.find_all("liba.so").empty());
}

TEST_CASE("a name is found under exactly its bytes, the empty one included") {
  NameIndex index;
  index.add("liba.so", 1);
  index.add("", 0);
  CHECK(index.find("liba.so") == 1);
  CHECK(index.find("") == 0);
  for (const std::string other : {"liba.so.1", "liba.s", "LIBA.SO", " liba.so"}) {
    CAPTURE(other);
    CHECK(index.find(other) == kNoObject);
  }
}

TEST_CASE("an object can go by several names, and a name can be several objects'") {
  NameIndex index;
  index.add("liba.so", 1);
  index.add("/lib/liba.so", 1);
  index.add("liba.so", 2);
  CHECK(index.find("/lib/liba.so") == 1);
  CHECK(index.find("liba.so") == NameIndex::kSeveral);
  CHECK(index.find_all("liba.so") == Objects{1, 2});
  CHECK(index.find_all("/lib/liba.so") == Objects{1});
}

TEST_CASE("the same name of the same object counts once") {
  NameIndex index;
  index.add("liba.so", 1);
  index.add("liba.so", 1);
  CHECK(index.find("liba.so") == 1);
  CHECK(index.find_all("liba.so") == Objects{1});
}

TEST_CASE("names survive growth, and keep their order of registration") {
  NameIndex index;
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("lib" + std::to_string(i) + ".so");
  for (ObjectIndex i = 0; i < names.size(); ++i) {
    index.add("common", 10000 + i % 3);
    index.add(names[i], i);
  }
  for (ObjectIndex i = 0; i < names.size(); ++i) {
    if (index.find(names[i]) != i) FAIL("lost " << names[i]);
  }
  CHECK(index.find("lib5000.so") == kNoObject);
  CHECK(index.find_all("common") == Objects{10000, 10001, 10002});
}
