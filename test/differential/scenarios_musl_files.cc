// Scenarios 72 … 80 of musl: what it takes for a library. LD_LIBRARY_PATH is /t/a:/t/b, and a good file is in /t/b.
#include "differential/scenarios_musl.h"

namespace soresolve::test {
namespace {

Scenario before_a_good_one(const char* number, const std::string& title) {
  Scenario scenario = musl_scenario(number, title);
  return scenario.exe(musl_program(), "/t/m").library_path("/t/a:/t/b").lib("/t/b/libw.so", who());
}

Scenario& refuses(Scenario& scenario, const std::string& text) {
  return scenario.says("Error loading shared library libw.so: " + text + " (needed by /t/m)")
      .says("Error relocating /t/m: who: symbol not found")
      .ends("exit 127");
}

/// who() in a file with other bytes at `offset`.
ElfSpec patched(std::uint64_t offset, std::string bytes) { return who().patch(offset, std::move(bytes)); }

void add_accepted(std::vector<Scenario>& list) {
  const struct {
    const char* title;
    std::uint64_t offset;
    std::string bytes;
  } kHeaders[] = {{"bad magic", 0, "XELF"},        {"class", 4, "\x01"},      {"byte order", 5, "\x02"},
                  {"ident's version", 6, "\x02"},  {"OSABI", 7, "\x09"},      {"ABI version", 8, "\x05"},
                  {"padding", 9, "\x01"},          {"e_machine", 18, "\xb7"}, {"e_version", 20, "\x07"},
                  {"e_flags", 48, "\x01\x02\x03"}, {"e_ehsize", 52, "\x01"},  {"e_shoff", 40, "\xff\xff\xff\xff"}};
  for (const auto& header : kHeaders) {
    list.push_back(before_a_good_one("77", header.title).lib("/t/a/libw.so", patched(header.offset, header.bytes)));
    takes_who(list.back(), "/t/a/libw.so");
  }
  ElfSpec other = library();
  other.machine = kEmAarch64;
  other.relocations = {{1027, "", Relocation::Table::Rela}};
  list.push_back(before_a_good_one("78", "aarch64, with relocations")
                     .lib("/t/a/libw.so", other)
                     .says("Error relocating /t/a/libw.so: unsupported relocation type 1027")
                     .says("Error relocating /t/m: who: symbol not found")
                     .ends("exit 127"));
  list.push_back(before_a_good_one("79", "cut off inside its segments").bad("/t/a/libw.so", Damage::CutSegment, who()));
  list.back().ends("signal");
  ElfSpec pie = program().define(defined("who"));
  list.push_back(before_a_good_one("80a", "a position-independent program").lib("/t/a/libw.so", pie));
  takes_who(list.back(), "/t/a/libw.so");
  ElfSpec fixed = who();
  fixed.type = kEtExec;
  list.push_back(before_a_good_one("80b", "ET_EXEC at addresses that are free").lib("/t/a/libw.so", fixed));
  takes_who(list.back(), "/t/a/libw.so");
  Scenario& again = list.emplace_back(musl_scenario("80d", "/proc/self/exe is the program, which is mapped once more"));
  again.exe(musl_program().needed("/proc/self/exe"), "/t/m").library_path("/t/b").lib("/t/b/libw.so", who());
  again.omits("/proc/self/exe").starts();  // while listing it is the loader
  ElfSpec main = musl_program();
  main.type = kEtExec;
  main.flags_1.reset();
  Scenario& clash = list.emplace_back(musl_scenario("80c", "ET_EXEC at the program's"));
  clash.exe(main, "/t/m").library_path("/t/a:/t/b").lib("/t/b/libw.so", who()).lib("/t/a/libw.so", fixed);
  refuses(clash, "Resource busy");
}

constexpr std::size_t kHeaders = 64;  // PT_LOAD, PT_DYNAMIC, PT_GNU_STACK
constexpr std::size_t kHeaderBytes = 56;

std::string number(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

/// who() whose program headers lie at `offset`, `stride` bytes apart.
ElfSpec with_table(std::uint64_t offset, std::size_t stride) {
  ElfSpec spec = who();
  spec.padding_bytes = 4096;
  const std::string file = write_elf(spec);
  const std::size_t count = static_cast<unsigned char>(file[56]);
  spec.patch(32, number(offset, 8)).patch(54, number(stride, 2));
  // Between entries that overlap lies an empty one.
  const std::size_t step = stride < kHeaderBytes ? 2 : 1;
  spec.patch(56, number(count * step - (step - 1), 2));
  for (std::size_t i = 0; i < count; ++i) {
    spec.patch(offset + i * step * stride, file.substr(kHeaders + i * kHeaderBytes, kHeaderBytes));
  }
  return spec;
}

/// e_phentsize is how far the entries are apart, and no test of its own.
void add_strides(std::vector<Scenario>& list) {
  const struct {
    const char* title;
    std::uint64_t offset;
    std::size_t stride;
  } kTables[] = {{"in the first read", 512, 64},
                 {"behind it", 1024, 64},
                 {"in a buffer of its own", 1024, 400},
                 {"entries that overlap", 512, 28}};
  for (const auto& table : kTables) {
    list.push_back(before_a_good_one("77c", std::string("e_phentsize: ") + table.title)
                       .lib("/t/a/libw.so", with_table(table.offset, table.stride)));
    takes_who(list.back(), "/t/a/libw.so");
  }
  const struct {
    const char* title;
    std::string bytes;  ///< e_phentsize and e_phnum
  } kRefusals[] = {{"between the entries", std::string("\x39\0\x03\0", 4)},
                   {"the first one thrice", std::string("\0\0\x03\0", 4)},
                   {"past the end of the file", std::string("\0\x40\x03\0", 4)}};
  for (const auto& refusal : kRefusals) {
    list.push_back(before_a_good_one("77d", std::string("e_phentsize: ") + refusal.title)
                       .lib("/t/a/libw.so", patched(54, refusal.bytes)));
    refuses(list.back(), "Exec format error");
  }
}

/// Puts a PT_LOAD in the place of who()'s PT_GNU_STACK.
ElfSpec& with_second_load(ElfSpec& spec, std::uint32_t flags, std::uint64_t offset, std::uint64_t vaddr,
                          std::uint64_t bytes) {
  const std::string header = number(1, 4) + number(flags, 4) + number(offset, 8) + number(vaddr, 8) + number(vaddr, 8) +
                             number(bytes, 8) + number(bytes, 8) + number(0x1000, 8);
  return spec.patch(kHeaders + 2 * kHeaderBytes, header);
}

/// p_offset and p_vaddr that differ within a page: the page of the one is mapped at that of the other.
void add_odd_addresses(std::vector<Scenario>& list) {
  list.push_back(
      before_a_good_one("77e", "the first PT_LOAD off its page").bad("/t/a/libw.so", Damage::OddAddress, who()));
  takes_who(list.back(), "/t/a/libw.so");
  constexpr std::size_t kPage = 0x1000;
  ElfSpec moved = who();
  moved.padding_bytes = 3 * kPage;
  const std::string tables = write_elf(moved).substr(3 * kPage);
  moved.patch(kHeaders + 32, number(kPage, 8) + number(kPage, 8));
  moved.patch(3 * kPage, std::string(tables.size(), 'x')).patch(kPage, tables);
  with_second_load(moved, 7, kPage + 0x20, 3 * kPage + 0x10, tables.size());
  list.push_back(before_a_good_one("77f", "the second PT_LOAD off its page").lib("/t/a/libw.so", moved));
  takes_who(list.back(), "/t/a/libw.so");
  ElfSpec below = who();  // not writable: the rest of its page would become memory to allocate
  list.push_back(before_a_good_one("77g", "a second PT_LOAD on the page of the first is not mapped")
                     .lib("/t/a/libw.so", with_second_load(below, 5, 0x5000, 0x10, 0x800)));
  takes_who(list.back(), "/t/a/libw.so");
}

void add_open_errors(std::vector<Scenario>& list) {
  list.push_back(before_a_good_one("73", "a directory").node(directory("/t/a/libw.so")));
  refuses(list.back(), "Is a directory");
  const auto passes = [&](const char* number, const char* title, TreeNode node) -> Scenario& {
    list.push_back(before_a_good_one(number, title).node(std::move(node)));
    return takes_who(list.back(), "/t/b/libw.so");
  };
  passes("74a", "a dangling link", symlink_to("/t/a/libw.so", "/nowhere"));
  TreeNode closed = elf_file("/t/a/libw.so", who());
  closed.mode = 0;
  passes("74b", "mode 000, not root", closed).tree.user = kOtherUser;
  TreeNode locked = directory("/t/a");
  locked.mode = 0700;
  passes("74c", "a directory of mode 700, not root", locked).lib("/t/a/libw.so", who()).tree.user = kOtherUser;
  passes("74d", "a file for a directory", text_file("/t/a", "text"));
  list.push_back(before_a_good_one("75a", "a link to itself").node(symlink_to("/t/a/libw.so", "libw.so")));
  refuses(list.back(), "Symbolic link loop");
  list.push_back(before_a_good_one("75b", "an element that is one").node(symlink_to("/t/a", "a")));
  refuses(list.back(), "Symbolic link loop");
  list.push_back(before_a_good_one("76", "a FIFO").node(special_file("/t/a/libw.so", NodeKind::Fifo)));
  list.back().ends("blocks");
}

}  // namespace

std::vector<Scenario> musl_acceptance() {
  std::vector<Scenario> list;
  const Damage kRefused[] = {Damage::Empty,       Damage::ShortText, Damage::LongText,  Damage::HeaderOnly,
                             Damage::Relocatable, Damage::NoHeaders, Damage::NoDynamic, Damage::OtherClass};
  for (const Damage damage : kRefused) {
    list.push_back(before_a_good_one("72", std::string(name_of(damage))).bad("/t/a/libw.so", damage, who()));
    refuses(list.back(), "Exec format error");
  }
  ElfSpec short_magic = who();
  short_magic.truncate_to_bytes = 4;
  list.push_back(before_a_good_one("72b", "nothing but the magic").lib("/t/a/libw.so", short_magic));
  refuses(list.back(), "Exec format error");
  add_open_errors(list);
  add_accepted(list);
  add_strides(list);
  add_odd_addresses(list);
  return list;
}

}  // namespace soresolve::test
