// A /proc of files, in which mappings, environment, auxiliary vector and memory of a process are any
// bytes: its objects are found, or not, and each of them is one of the mappings.
//
// The parts are separated by lines of one '%'. Memory begins at address 0, so that a mutation can reach it.
#include <elf.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "fuzz/fuzz_target.h"
#include "host/host.h"
#include "loader/process.h"
#include "support/byte_writer.h"

namespace soresolve::test::live_process_target {
namespace {

constexpr std::string_view kSeparator = "\n%\n";
constexpr std::uint64_t kEntry = 0x1234;
constexpr const char* kParts[] = {"maps", "environ", "auxv", "mem", "status"};

/// Program headers, dynamic section, r_debug and two link maps with their private parts, at small addresses.
std::string memory() {
  ByteWriter bytes(Endian::Little, Bits::Elf64);
  const auto words = [&](std::initializer_list<std::uint64_t> list) {
    for (const std::uint64_t word : list) bytes.u64(word);
  };
  words({PT_PHDR, 0, 0, 0, 0, 0, 0});                   // 0
  words({PT_DYNAMIC, 0, 0x70, 0, 0, 0, 0});             // 0x38
  words({DT_DEBUG, 0x90, DT_NULL, 0});                  // 0x70
  words({1, 0xb0, 0, 0});                               // 0x90: r_version, r_map, r_brk, r_state
  words({0, 0, 0x70, 0x138, 0, 0xb0, 0, 0});            // 0xb0: the program, up to l_libname
  words({0, 0, kEntry, 0, 0x1e8, 2, 0, 0, 0});          // l_info, l_phdr, l_entry, …, l_searchlist, …, l_loader
  words({0, 0x1f8, 0x2000, 0, 0xb0, 0x138, 0, 0x1d0});  // 0x138: a library
  words({0, 0, 0, 0, 0, 0, 0, 0, 0xb0, 0x209, 0});      // l_info, …, l_loader, l_origin, l_map_start
  words({0x212, 0, 0});                                 // 0x1d0: l_libname
  words({0xb0, 0x138});                                 // 0x1e8: the global scope
  std::string text = bytes.take();
  text += std::string("/usr/lib/libx.so\0/usr/lib\0libx.so.1\0", 36);
  text.resize(0x400);
  return text;
}

std::string auxiliary_vector() {
  ByteWriter bytes(Endian::Little, Bits::Elf64);
  for (const std::uint64_t word :
       {std::uint64_t{AT_PHDR}, std::uint64_t{0}, std::uint64_t{AT_PHNUM}, std::uint64_t{2}, std::uint64_t{AT_PHENT},
        std::uint64_t{56}, std::uint64_t{AT_SECURE}, std::uint64_t{0}, std::uint64_t{AT_ENTRY}, kEntry}) {
    bytes.u64(word);
  }
  return bytes.take();
}

/// /proc below a directory of this run's own.
class FalseProc {
 public:
  FalseProc() {
    const std::filesystem::path base =
        std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (base / "soresolve-proc-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "there is a directory");
    root_ = name;
    for (const char* process : {"1", "self"}) {
      std::filesystem::create_directories(root_ / process / "ns");
      std::filesystem::create_symlink("mnt:[1]", root_ / process / "ns/mnt");
      std::filesystem::create_symlink("/", root_ / process / "root");
    }
    std::filesystem::create_symlink("/bin/sh", root_ / "1/exe");
    write("stat", "1 (sh) S 0 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 0 77 1 1");
    std::filesystem::create_symlink("/", root_ / "1/cwd");
  }
  ~FalseProc() { std::filesystem::remove_all(root_); }
  FalseProc(const FalseProc&) = delete;
  FalseProc& operator=(const FalseProc&) = delete;

  void write(const char* part, std::string_view content) const {
    std::ofstream(root_ / "1" / part, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  [[nodiscard]] std::string path() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

std::vector<std::string> seeds() {
  const std::string maps =
      "00400000-00401000 r-xp 00000000 08:01 11 /usr/bin/dash\n"
      "00002000-00003000 r-xp 00001000 08:01 12 /usr/lib/libx.so (deleted)\n"
      "7f0000000000-7f0000001000 r-xp 00000000 08:01 13 /usr/lib/a\\012b.so\n"
      "7ffd0000-7ffe0000 rw-p 00000000 00:00 0 [stack]";
  const std::string separator(kSeparator);
  const std::string environment("A=1\0LD_LIBRARY_PATH=/x\0odd", 26);
  const std::string status =
      "Name:\tsh\nUid:\t0\t0\t0\t65534\nGid:\t0\t0\t0\t5\nGroups:\t4 27 \nCapEff:\t0000000000000000\n";
  return {maps + separator + environment + separator + auxiliary_vector() + separator + memory() + separator + status,
          maps, maps + separator};
}

void run(const std::uint8_t* data, std::size_t size) {
  static const FalseProc proc;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view maps = rest.substr(0, rest.find(kSeparator));
  for (const char* part : kParts) {
    const std::size_t end = rest.find(kSeparator);
    proc.write(part, rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + kSeparator.size());
  }
  const Result<LiveProcess> process = read_live_process(1, proc.path());
  if (!process) {
    require(!process.error().message.empty() && !process.error().path.empty(), "a refusal says where and why");
    return;
  }
  require(process->exe == "/bin/sh" && process->root.empty(), "links tell the program and its root");
  for (const LiveObject& object : process->objects) {
    const std::string_view first_line = std::string_view(object.path).substr(0, object.path.find('\n'));
    require(first_line.starts_with('/') && maps.find(first_line) != std::string_view::npos,
            "an object is one of the mappings");
  }
  const std::size_t count = process->objects.size();
  for (const LiveObject& object : process->objects)
    require(!object.loader || *object.loader <= count, "a loader is in the list");
  if (process->global) {
    for (const std::size_t number : *process->global) require(number <= count, "the global scope is of the list");
  }
  for (const std::string& entry : process->environment.entries()) {
    require(entry.find('=') != std::string::npos, "an entry of the environment has a name");
  }
}

}  // namespace
}  // namespace soresolve::test::live_process_target

const soresolve::test::FuzzTarget soresolve::test::kLiveProcessTarget = {"live_process", live_process_target::run,
                                                                         live_process_target::seeds};
