// `.note.dlopen` in files of every shape, read from PT_NOTE.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "elf/dlopen_note.h"
#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "support/elf_writer.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

DlopenNotes notes_of(const ElfSpec& spec) {
  MemoryFileSystem files;
  files.add_file("/f", write_elf(spec));
  const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
  REQUIRE(file.has_value());
  const Result<ElfObject> object = ElfObject::read(**file, "/f");
  REQUIRE(object.has_value());
  return read_dlopen_notes(**file, *object, "/f");
}

}  // namespace

TEST_CASE("an entry has names in their order, an importance, and what it is for") {
  const std::string json =
      R"([{"feature":"xz","description":"Support XZ","priority":"suggested","soname":["liblzma.so.5","liblzma.so.4"]},)"
      R"({"priority":"required","soname":["libz.so.1"]},{"soname":["liba.so"]},)"
      R"({"priority":"vital","soname":["libb.so"]}])";
  const DlopenNotes notes = notes_of(library().dlopens(json));
  CHECK(notes.damaged.empty());
  REQUIRE(notes.list.size() == 4);
  CHECK(notes.list[0].feature == "xz");
  CHECK(notes.list[0].description == "Support XZ");
  CHECK(notes.list[0].importance == Importance::Suggested);
  CHECK(notes.list[0].sonames == std::vector<std::string>{"liblzma.so.5", "liblzma.so.4"});
  CHECK(notes.list[1].importance == Importance::Required);
  CHECK_MESSAGE(notes.list[2].importance == Importance::Recommended, "none given");
  CHECK_MESSAGE(notes.list[3].importance == Importance::Recommended, "an unknown one");
}

TEST_CASE("other notes are passed over, also those before and behind") {
  const std::string json = R"([{"soname":["liba.so"]}])";
  ElfSpec spec = library();
  spec.notes = {{"FDX", 0x407c0c0a, json}, {"FDO", 0xcafe1a7e, "{}"}, {"a long name", 1, "?"}};
  CHECK(notes_of(spec).list.empty());
  CHECK(notes_of(spec).damaged.empty());
  spec.dlopens(json).dlopens(json);
  spec.notes.push_back({"FDO", 0xcafe1a7e, "{}"});
  CHECK(notes_of(spec).list.size() == 2);
  CHECK(notes_of(library()).list.empty());
}

TEST_CASE("both byte orders, both classes") {
  for (const Bits bits : {Bits::Elf32, Bits::Elf64}) {
    for (const Endian endian : {Endian::Little, Endian::Big}) {
      ElfSpec spec = library();
      spec.bits = bits;
      spec.endian = endian;
      const DlopenNotes notes = notes_of(spec.dlopens(R"([{"soname":["liba.so"]}])"));
      REQUIRE(notes.list.size() == 1);
      CHECK(notes.list.front().sonames == std::vector<std::string>{"liba.so"});
    }
  }
}

TEST_CASE("damage is told with its place, and the entries before it stay") {
  struct Case {
    const char* why;
    std::string json;
    std::size_t byte;
    std::size_t good;
    const char* part;
  };
  const Case cases[] = {
      {"no JSON", "nonsense", 1, 0, "no valid JSON"},
      {"cut off", R"([{"soname":["liba.so")", 21, 0, "no valid JSON"},
      {"a comma too many", R"([{"soname":["liba.so"],}])", 23, 0, "no valid JSON"},
      {"bytes that are no UTF-8", "[{\"soname\":[\"lib\xff.so\"]}]", 16, 0, "no valid JSON"},
      {"an object", R"({"soname":["liba.so"]})", 0, 0, "no JSON array"},
      {"an entry that is a text", R"([{"soname":["liba.so"]},"x"])", 0, 1, "without an array of sonames"},
      {"no sonames", R"([{"soname":[]}])", 0, 0, "without an array of sonames"},
      {"a soname that is a number", R"([{"soname":["liba.so",5]}])", 0, 0, "no text"},
      {"an empty soname", R"([{"soname":[""]}])", 0, 0, "no text"},
      {"nested beyond reason", std::string(20000, '['), 20000, 0, "no valid JSON"},
      {"nothing", "", 0, 0, "no valid JSON"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const ElfSpec spec = library().dlopens(c.json);
    const DlopenNotes notes = notes_of(spec);
    CHECK(notes.list.size() == c.good);
    REQUIRE(notes.damaged.size() == 1);
    CAPTURE(notes.damaged.front().message);
    CHECK(notes.damaged.front().message.find(c.part) != std::string::npos);
    REQUIRE(notes.damaged.front().offset.has_value());
    const std::size_t text = write_elf(spec).find(std::string_view("FDO\0", 4)) + 4;
    CHECK(*notes.damaged.front().offset == text + c.byte);
  }
}

TEST_CASE("a note that is longer than its segment") {
  ElfSpec spec = library().dlopens(R"([{"soname":["liba.so"]}])");
  spec.notes.front().claimed_bytes = 1000000;
  const DlopenNotes notes = notes_of(spec);
  CHECK(notes.list.empty());
  REQUIRE(notes.damaged.size() == 1);
  CHECK(notes.damaged.front().message.find("cut off") != std::string::npos);
}

TEST_CASE("more entries than anyone has") {
  std::string json = "[";
  for (int i = 0; i < 2000; ++i) json += R"({"soname":["liba.so"]},)";
  json.back() = ']';
  const DlopenNotes notes = notes_of(library().dlopens(json));
  CHECK(notes.list.size() == 1024);
  CHECK(notes.damaged.size() == 1);
}
