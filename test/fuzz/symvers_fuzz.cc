// Any bytes as a library with versions: read and answered for, or refused with a reason.
#include "soresolve/symbols.h"

#include <fstream>
#include <iterator>

#include "fuzz/fuzz_target.h"
#include "soresolve/report.h"
#include "support/elf_writer.h"
#include "symbols/cxx_names.h"

namespace soresolve::test::symvers_target {
namespace {

/// What the writer makes, and files of the compiler's, which have symbols.
std::vector<std::string> seeds() {
  ElfSpec spec = library().soname("libfuzz.so.1").needed("libone.so.1");
  spec.version_needs = {{"libone.so.1", {{"ONE_1", false}, {"ONE_2", true}}, 1}};
  spec.version_definitions = {{"libfuzz.so.1", 1}, {"FUZZ_1", 1}, {"FUZZ_2", 1}};
  std::vector<std::string> all;
  for (const Bits bits : {Bits::Elf32, Bits::Elf64}) {
    spec.bits = bits;
    all.push_back(write_elf(spec));
  }
  for (const char* name : {"libp_first.so", "libp_second.so", "consumer.so"}) {
    std::ifstream in(std::string(SORESOLVE_FIXTURES) + "/version_nodes/" + name, std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  MemoryFileSystem files;
  files.add_file("/f", std::string_view(reinterpret_cast<const char*>(data), size));
  const auto file = files.open("/f");
  const Result<ElfObject> object = ElfObject::read(**file, "/f");
  if (!object) return;
  const std::vector<std::string> parts = {"1f", "4fuzz"};
  const auto definitions = find_cxx_definitions(**file, *object, "/f", parts);
  require(definitions.has_value() || !definitions.error().message.empty(), "an error says why");
  const Result<VersionedLibrary> library = read_versioned_library(**file, *object, "/f");
  if (!library) {
    require(!library.error().message.empty(), "an error says why");
    require(library.error().path == "/f", "an error says where");
    return;
  }
  std::vector<NeedAnswer> needs;
  for (const char* need : {"1", "FUZZ_1", "f@LIBP_2.0", "f@"}) {
    needs.push_back(answer_need(*library, need));
  }
  const std::vector<ForAnswer> needers = {answer_for(*library, *library)};
  const SymversReport report{*library, needs, needers};
  const Document document = document_of(report, Detail::Full);
  touch(to_text(document, {.language = Language::Chinese}));
  touch(to_json(document));
  const LibraryDiff diff = compare_libraries(*library, *library);
  require(!diff.has_other_soname && diff.new_symbols == 0 && diff.new_requirements.empty(),
          "a library asks for nothing that it did not ask for before");
  const Document difference = document_of(LibraryDiffReport{*library, *library, diff}, Detail::Full);
  touch(to_text(difference));
  touch(to_json(difference));
}

}  // namespace
}  // namespace soresolve::test::symvers_target

const soresolve::test::FuzzTarget soresolve::test::kSymversTarget = {"symvers", symvers_target::run,
                                                                     symvers_target::seeds};
