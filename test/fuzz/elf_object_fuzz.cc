// Any bytes as an ELF file: ElfObject::read parses them, or says where and why not.
#include "base/limits.h"
#include "elf/dlopen_note.h"
#include "soresolve/elf.h"

#include "elf/library_literals.h"
#include "fuzz/fuzz_target.h"
#include "support/elf_writer.h"

namespace soresolve::test::elf_object_target {
namespace {

void check_object(const ElfObject& object) {
  require(object.needs.size() <= kMaxNeedsPerObject, "the number of needs is bounded");
  for (const NeedEntry& need : object.needs) {
    require(need.name.size() <= kMaxStringBytes, "the length of a string is bounded");
    touch(need.name);
  }
  for (const std::string_view file : object.version_files) touch(file);
  for (const auto& text : {object.soname, object.rpath, object.runpath, object.audit, object.depaudit}) {
    if (text) touch(*text);
  }
  touch(object.interp);
  touch(describe(object.target));
}

/// What the file says that it opens: damage has a place in the file, an entry has names.
void check_opened(const File& file, const ElfObject& object) {
  const DlopenNotes notes = read_dlopen_notes(file, object, "/f");
  for (const DlopenNote& note : notes.list) {
    require(!note.sonames.empty(), "an entry has names");
    for (const std::string& name : note.sonames) require(!name.empty(), "a name is not empty");
  }
  for (const Error& error : notes.damaged) require(error.offset.has_value(), "damage has a place");
  for (const LibraryLiteral& literal : find_library_literals(file, object)) {
    require(literal.file_offset + literal.name.size() <= file.status().size_bytes, "a constant lies in the file");
  }
}

ElfSpec rich_library() {
  ElfSpec spec = library();
  spec.soname("libfuzz.so.1").needed("libone.so.1").needed("libtwo.so.2");
  spec.rpath("$ORIGIN/../lib:/opt").runpath("${ORIGIN}:$LIB");
  spec.add(StringTag::Auxiliary, "libaux.so").add(StringTag::Filter, "libfilter.so");
  spec.version_needs = {{"libone.so.1", {{"ONE_1", false}, {"ONE_2", true}}, 1},
                        {"libtwo.so.2", {{"TWO_2", false}}, 1}};
  spec.version_definitions = {{"libfuzz.so.1", 1}, {"FUZZ_1", 1}};
  spec.flags_1 = kDf1Now;
  spec.abi_tag = AbiTag{};
  spec.dlopens(R"([{"feature":"x","priority":"required","soname":["liba.so.2","liba.so.1"]},{"soname":["libb.so"]}])");
  spec.notes.push_back({"FDO", 0xcafe1a7e, "libz.so.1"});
  return spec;
}

std::vector<std::string> seeds() {
  std::vector<std::string> all = {write_elf(program())};
  for (const Bits bits : {Bits::Elf32, Bits::Elf64}) {
    for (const Endian endian : {Endian::Little, Endian::Big}) {
      ElfSpec spec = rich_library();
      spec.bits = bits;
      spec.endian = endian;
      all.push_back(write_elf(spec));
    }
  }
  for (int damage = 0; damage <= static_cast<int>(kLastDamage); ++damage) {
    all.push_back(write_damaged(rich_library(), static_cast<Damage>(damage)));
  }
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  MemoryFileSystem files;
  files.add_file("/f", std::string_view(reinterpret_cast<const char*>(data), size));
  const auto file = files.open("/f");
  const Result<ElfObject> object = ElfObject::read(**file, "/f");
  if (object) {
    check_object(*object);
    check_opened(**file, *object);
  } else {
    require(!object.error().message.empty(), "an error says why");
    require(object.error().path == "/f", "an error says where");
  }
}

}  // namespace
}  // namespace soresolve::test::elf_object_target

const soresolve::test::FuzzTarget soresolve::test::kElfObjectTarget = {"elf_object", elf_object_target::run,
                                                                       elf_object_target::seeds, InputKind::Elf};
