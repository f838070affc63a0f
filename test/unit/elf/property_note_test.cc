// GNU property notes of x86 files (glibc sysdeps/x86/dl-prop.h:_dl_process_property_note).
#include <doctest/doctest.h>

#include <string>

#include "support/elf_writer.h"
#include "unit/read_elf.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

ElfSpec needing(std::uint32_t isa) {
  ElfSpec spec = library();
  spec.isa_needed = isa;
  return spec;
}

/// Where the property's type stands in the written file.
std::size_t property_at(const std::string& bytes) {
  const std::size_t at = bytes.find(std::string("\x02\x80\x00\xc0", 4));
  REQUIRE(at != std::string::npos);
  return at;
}

std::uint32_t isa_of(const std::string& bytes) {
  const Result<ElfObject> object = read_elf(bytes);
  REQUIRE_MESSAGE(object.has_value(), object.error().to_string());
  return object->isa_needed;
}

}  // namespace

TEST_CASE("the ISA level that a file needs is read from its property note") {
  CHECK(isa_of(write_elf(library())) == 0);
  for (const std::uint32_t isa : {1u, 2u, 4u, 8u, 15u}) CHECK(isa_of(write_elf(needing(isa))) == isa);
}

TEST_CASE("a note that the loader passes over needs nothing") {
  const std::string good = write_elf(needing(8));
  const std::size_t at = property_at(good);
  struct Case {
    const char* why;
    std::size_t offset;
    char byte;
  };
  const Case cases[] = {
      {"another type of property", at, '\x01'},
      {"a size that is not 4", at + 4, '\x05'},
      {"a size beyond the note", at + 5, '\x7f'},
      {"another type of note", at - 8, '\x03'},
      {"another owner", at - 4, 'X'},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    std::string bytes = good;
    bytes[c.offset] = c.byte;
    CHECK(isa_of(bytes) == 0);
  }
}
