// Names of libraries among a file's constants, and nothing that only looks like one.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "elf/library_literals.h"
#include "support/elf_writer.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

/// The constants of a library with `text` in place of its padding. The writer's files have one segment,
/// which may be written to: without that flag it counts as text.
std::vector<LibraryLiteral> literals_of(const std::string& text, bool is_writable = false) {
  ElfSpec spec = library();
  spec.padding_bytes = text.size() + 64;
  std::string bytes = write_elf(spec);
  const std::size_t padding = bytes.find(std::string(text.size() + 64, '\0'));
  REQUIRE(padding != std::string::npos);
  bytes.replace(padding + 32, text.size(), text);
  MemoryFileSystem files;
  files.add_file("/f", bytes);
  const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
  Result<ElfObject> object = ElfObject::read(**file, "/f");
  REQUIRE(object.has_value());
  for (Segment& segment : object->segments) {
    if (segment.type == 1 && !is_writable) segment.flags = 5;
  }
  const std::vector<LibraryLiteral> found = find_library_literals(**file, *object);
  for (const LibraryLiteral& literal : found) {
    CHECK(bytes.compare(literal.file_offset, literal.name.size(), literal.name) == 0);
    const auto same = find_library_literal(**file, *object, literal.name);
    CHECK((same && same->name == literal.name && same->file_offset == literal.file_offset));
    const std::string beginning = literal.name.substr(0, literal.name.find(".so") + 3);
    const auto like = find_library_literal(**file, *object, beginning + "*");
    CHECK((like && like->name.starts_with(beginning)));
    CHECK(!find_library_literal(**file, *object, literal.name + ".99"));
  }
  return found;
}

Names names_of(const std::vector<LibraryLiteral>& literals) {
  Names names;
  for (const LibraryLiteral& literal : literals) names.push_back(literal.name);
  return names;
}

std::string joined(const Names& strings) {
  std::string text;
  for (const std::string& string : strings) text += string + '\0';
  return text;
}

}  // namespace

TEST_CASE("whole strings that are names of libraries") {
  struct Case {
    const char* why;
    std::string text;
    Names want;
  };
  const Case cases[] = {
      {"with and without a version", joined({"libnvrtc.so.12", "libcuda.so"}), {"libnvrtc.so.12", "libcuda.so"}},
      {"each once", joined({"libz.so.1", "libz.so.1"}), {"libz.so.1"}},
      {"inside a sentence", joined({"failed to open libnvrtc.so.12."}), {}},
      {"the beginning of a name", joined({"libnvrtc.so."}), {}},
      {"no number behind it", joined({"libfoo.so.conf"}), {}},
      {"no lib in front", joined({"foo.so.1", ".so"}), {}},
      {"a path", joined({"/usr/lib/libz.so.1"}), {}},
      {"longer than any name", joined({"lib" + std::string(400, 'a') + ".so"}), {}},
      {"a format", joined({"lib%s.so"}), {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(names_of(literals_of(c.text)) == c.want);
  }
}

TEST_CASE("data that can be written to is no constant") { CHECK(literals_of(joined({"libz.so.1"}), true).empty()); }

TEST_CASE("a name across two chunks is seen once") {
  const std::size_t chunk = 1 << 20;
  for (const std::size_t before : {chunk - 600, chunk - 500, chunk - 490, chunk - 470}) {
    CAPTURE(before);
    const std::string text = std::string(before, 'x') + '\0' + joined({"libacross.so.1"});
    CHECK(names_of(literals_of(text)) == Names{"libacross.so.1"});
  }
}

TEST_CASE("hostile text costs no more than its length") {
  std::string text;
  for (int i = 0; i < 1000000; ++i) text += ".so";
  CHECK(literals_of(text).empty());
  Names many;
  for (int i = 0; i < 1000; ++i) many.push_back("lib" + std::to_string(i) + ".so");
  CHECK(literals_of(joined(many)).size() == 256);
}
