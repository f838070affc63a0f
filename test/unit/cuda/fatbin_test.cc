// Containers of GPU code, honest and lying.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/magic_search.h"
#include "soresolve/cuda.h"
#include "support/fatbin_writer.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

Result<GpuCode> read(const std::string& content) {
  MemoryFileSystem files;
  files.add_file("/f", content);
  return read_gpu_code(**files.open("/f"), "f");
}

std::string targets_in(const GpuCode& code) {
  std::string text;
  for (const GpuTargetSum& sum : code.targets) {
    text += name_of(sum.target) + "*" + std::to_string(sum.entries) + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("kinds, chips, suffixes, PTX versions and compression") {
  const GpuPiece ptx{.kind = kGpuPtx, .arch = 90, .major = 8, .minor = 3};
  const GpuPiece exact{.arch = 90, .flags = kPlainGpuFlags | 0x100000};
  const GpuPiece family{.arch = 100, .flags = kPlainGpuFlags | 0x200000};
  const GpuPiece packed{.arch = 75, .flags = kPlainGpuFlags | 0x8000, .payload_bytes = 40, .unpacked_bytes = 400};
  const GpuPiece lz4{.kind = kGpuLtoIr, .arch = 75, .flags = kPlainGpuFlags | 0x2000, .unpacked_bytes = 100};
  const GpuPiece unknown{.kind = 64, .arch = 80, .header_bytes = 112};
  const Result<GpuCode> code = read(container_of({ptx, exact, family, packed, lz4, unknown, packed}));
  REQUIRE(code.has_value());
  CHECK(code->damage_count == 0);
  CHECK(code->containers == 1);
  CHECK(code->entries == 7);
  CHECK(targets_in(*code) == "sm_75*2 sm_90a*1 sm_100f*1 compute_90*1 lto_75*1 kind 64 for 80*1 ");
  CHECK(code->targets.front().stored_bytes == 80);
  CHECK(code->targets.front().uncompressed_bytes == 800);
  CHECK(code->targets.front().containers == 1);
  CHECK(code->targets[3].target.isa_major == 8);
  CHECK(code->targets[3].target.isa_minor == 3);
}

TEST_CASE("what cannot be looked through to its end is refused, not called empty") {
  MemoryFileSystem files;
  for (const FileKind kind : {FileKind::Fifo, FileKind::Device}) {
    files.add_special("/f", kind);
    const Result<GpuCode> code = read_gpu_code(**files.open("/f"), "f");
    REQUIRE(!code.has_value());
    CHECK(code.error().code == ErrorCode::Unreadable);
    CHECK(code.error().path == "f");
  }
  const Result<GpuCode> said_empty = read_gpu_code(**host_file_system()->open("/proc/self/status"), "status");
  REQUIRE(!said_empty.has_value());
  CHECK(said_empty.error().message.find("says that it has none") != std::string::npos);
}

TEST_CASE("more than any compiler writes is a limit, and is told") {
  std::vector<GpuPiece> many_targets;
  for (std::uint32_t arch = 0; arch <= 4096; ++arch) many_targets.push_back({.arch = arch});
  const std::vector<GpuPiece> many_pieces(65537, GpuPiece{.payload_bytes = 0});
  for (const std::vector<GpuPiece>& pieces : {many_targets, many_pieces}) {
    const Result<GpuCode> code = read(container_of(pieces));
    REQUIRE(!code.has_value());
    CHECK(code.error().code == ErrorCode::LimitReached);
  }
  const std::vector<GpuPiece> enough(65536, GpuPiece{.payload_bytes = 0});
  CHECK(read(container_of(enough)).has_value());
}

TEST_CASE("holes of a file that is longer than any disk are passed over") {
  std::string name = (std::filesystem::temp_directory_path() / "soresolve-sparse-XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  REQUIRE(descriptor >= 0);
  const std::string code = container_of({GpuPiece{.arch = 90}});
  constexpr off_t kFar = off_t{4} << 40;
  const bool is_written = ::pwrite(descriptor, code.data(), code.size(), kFar) == static_cast<ssize_t>(code.size()) &&
                          ::ftruncate(descriptor, 2 * kFar) == 0;
  ::close(descriptor);
  if (is_written) {  // not every file system has so much room
    const Result<GpuCode> found = read_gpu_code(**host_file_system()->open(name), "f");
    REQUIRE(found.has_value());
    CHECK(targets_in(*found) == "sm_90*1 ");
  } else {
    MESSAGE("no sparse files here");
  }
  ::unlink(name.c_str());
}

TEST_CASE("containers are found wherever they stand, and counted by what they offer") {
  const std::string one = container_of({GpuPiece{.arch = 80}, GpuPiece{.arch = 90}});
  const std::string other = container_of({GpuPiece{.arch = 80}});
  for (const std::size_t shift : {0u, 1u, 3u, 4090u, 262137u, 262143u, 262144u, 500001u}) {
    CAPTURE(shift);
    const Result<GpuCode> code = read(std::string(shift, 'x') + one + "ab" + other + std::string(7, '\0') + one);
    REQUIRE(code.has_value());
    CHECK(code->containers == 3);
    REQUIRE(code->choices.size() == 2);
    CHECK(code->choices[0].containers == 2);
    CHECK(code->choices[0].targets.size() == 2);
    CHECK(code->choices[1].containers == 1);
  }
}

TEST_CASE("code that looks like a container inside a payload is passed over") {
  std::string inner = container_of({GpuPiece{.arch = 35}});
  GpuPiece outer{.arch = 80, .payload_bytes = 0};
  std::string payload = bytes_of(outer, inner.size()) + inner;
  const Result<GpuCode> code = read(container_of(payload, payload.size()));
  REQUIRE(code.has_value());
  CHECK(targets_in(*code) == "sm_80*1 ");
}

TEST_CASE("what contradicts itself is told with its place, and the search goes on") {
  const std::string good = container_of({GpuPiece{.arch = 75}});
  struct Case {
    std::string why;
    std::string content;
    std::string targets;
    std::uint64_t damages;
  };
  const std::string too_long = bytes_of(GpuPiece{.arch = 90}, 1000);
  const Case cases[] = {
      {"nothing", "", "", 0},
      {"three bytes of the number", "\x50\xed\x55", "", 0},
      {"another version", std::string("\x50\xed\x55\xba\x02\x00\x10\x00", 8) + std::string(64, 'x') + good, "sm_75*1 ",
       0},
      {"longer than the file", container_of("", 1u << 20) + good, "sm_75*1 ", 1},
      {"its length wraps", container_of("", ~std::uint64_t{0}) + good, "sm_75*1 ", 1},
      {"a piece that leaves it", container_of(too_long, too_long.size()) + good, "sm_75*1 ", 1},
      {"a piece whose length wraps", container_of(bytes_of(GpuPiece{}, ~std::uint64_t{0} - 8), 96) + good, "sm_75*1 ",
       1},
      {"a header of no length", container_of(bytes_of(GpuPiece{.header_bytes = 8}), 96) + good, "sm_75*1 ", 1},
      {"cut off in a header", good.substr(0, 12), "", 0},
      {"padding behind the pieces", container_of(bytes_of(GpuPiece{.arch = 75}) + std::string(64, '\0'), 160),
       "sm_75*1 ", 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Result<GpuCode> code = read(c.content);
    REQUIRE(code.has_value());
    CHECK(targets_in(*code) == c.targets);
    CHECK(code->damage_count == c.damages);
    if (c.damages != 0) CHECK(code->damages.front().offset.has_value());
  }
}

TEST_CASE("a file made to be slow is given up") {
  // Each header begins a container whose pieces are all the following ones, and end in damage.
  std::string content;
  for (int i = 0; i < 6000; ++i) {
    std::string header = container_of("", (6000 - static_cast<std::uint64_t>(i)) * 80 - 16);
    GpuPiece piece{.payload_bytes = 0};
    content += header + bytes_of(piece, 16);
  }
  const Result<GpuCode> code = read(content);
  REQUIRE(!code.has_value());
  CHECK(code.error().code == ErrorCode::LimitReached);
}

TEST_CASE("a word is found at every place, and only there") {
  constexpr std::uint32_t kWord = 0x04030201;
  for (std::size_t at = 0; at < 9000; at += at < 40 || at > 4080 ? 1 : 97) {
    std::string text(9000, 'x');
    text.replace(at, 4, "\x01\x02\x03\x04", 4);
    text.resize(std::max<std::size_t>(9000, at + 4));
    const auto bytes = std::as_bytes(std::span(text));
    REQUIRE(find_magic(bytes, 0, kWord) == at);
    REQUIRE(find_magic(bytes, at, kWord) == at);
    REQUIRE(find_magic(bytes, at + 1, kWord) == bytes.size());
  }
  CHECK(find_magic({}, 0, kWord) == 0);
}
