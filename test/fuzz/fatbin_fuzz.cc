// Any bytes as a file with GPU code: what is told of a piece lies in the file, and the sums agree.
#include "cuda/fatbin.h"
#include "fuzz/fuzz_target.h"
#include "support/fatbin_writer.h"

namespace soresolve::test::fatbin_target {
namespace {

GpuPiece compressed(std::uint64_t flag, const std::string& stored) {
  GpuPiece piece{
      .kind = kGpuPtx, .arch = 90, .flags = kPlainGpuFlags | flag, .unpacked_bytes = 64, .major = 8, .minor = 3};
  piece.compressed_bytes = static_cast<std::uint32_t>(stored.size());
  piece.payload = stored;
  return piece;
}

std::vector<std::string> seeds() {
  const GpuPiece plain{.arch = 75};
  const GpuPiece ptx{.kind = kGpuPtx, .arch = 90, .major = 8, .minor = 4};
  const GpuPiece packed{.arch = 100, .flags = kPlainGpuFlags | 0x208000, .unpacked_bytes = 999, .header_bytes = 120};
  const std::string one = container_of({plain, ptx, packed});
  const std::string lies = bytes_of(plain, 1u << 30);
  return {one,
          "x" + one + one,
          one + std::string(5000, '\0') + container_of({packed}),
          container_of(one, one.size()),
          container_of({compressed(0x2000, "\x60.versi"),
                        compressed(0x8000, std::string("\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello", 14))}),
          container_of(lies, lies.size()) + one};
}

void run(const std::uint8_t* data, std::size_t size) {
  MemoryFileSystem files;
  files.add_file("/f", std::string_view(reinterpret_cast<const char*>(data), size));
  const auto file = files.open("/f");
  std::uint64_t containers = 0;
  std::uint64_t entries = 0;
  const auto visit = [&](const FatbinContainer& container) {
    ++containers;
    entries += container.entries.size();
    for (const FatbinEntry& entry : container.entries) {
      require(entry.file_offset >= container.file_offset + 16 && entry.file_offset + 64 <= size,
              "a piece begins in its container");
      require(entry.stored_bytes <= size - entry.file_offset - 64, "a piece ends in the file");
      touch(name_of(entry.target));
    }
  };
  const auto damaged = [](const Error& error) { require(error.offset.has_value(), "damage has a place"); };
  const std::optional<Error> error = for_each_fatbin(**file, "/f", visit, damaged);
  const Result<GpuCode> code = read_gpu_code(**file, "/f");
  require(code.has_value() == !error.has_value(), "both ways come to the same end");
  const Result<GpuInside> inside = look_inside_gpu_code(**file, "/f");
  if (inside) {
    require(
        inside->agreeing + inside->differing + inside->damaged + inside->not_unpacked + inside->not_judged == entries,
        "each piece comes to one end");
  }
  if (code) {
    std::uint64_t sum = 0;
    for (const GpuTargetSum& target : code->targets) sum += target.entries;
    require(sum == entries && code->entries == entries && code->containers == containers,
            "what is told of targets is all there is");
  }
}

}  // namespace
}  // namespace soresolve::test::fatbin_target

const soresolve::test::FuzzTarget soresolve::test::kFatbinTarget = {"fatbin", fatbin_target::run, fatbin_target::seeds};
