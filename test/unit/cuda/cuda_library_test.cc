// Which release a CUDA library is. Real ones are asked in test/machine/compare_releases.
#include <doctest/doctest.h>

#include <string>

#include "cuda/cuda_library.h"
#include "soresolve/catalogue.h"
#include "soresolve/cuda.h"
#include "support/elf_writer.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

std::string named(std::string soname) { return write_elf(library().soname(std::move(soname))); }
/// What a compiler makes of `*version = number; return 0`.
std::string store_of(std::uint32_t number) {
  std::string code("\xc7\x07", 2);
  for (int i = 0; i < 4; ++i) code += static_cast<char>(number >> (8 * i) & 0xff);
  return code + "\x31\xc0\xc3";
}

CudaLibrary read(const MemoryFileSystem& files, const std::string& path) {
  return read_cuda_library(files, path).value_or(CudaLibrary{});
}
std::string in_english(const Statement& statement) { return sentence(statement, Language::English); }

}  // namespace

TEST_CASE("libcudart: the one release that its code stores") {
  struct Case {
    const char* why;
    std::string tail;
    std::string version;
  };
  const Case cases[] = {
      {"the same twice", store_of(12040) + store_of(12040), "12.4"},
      {"none", "", ""},
      {"no release", store_of(12345) + store_of(80), ""},
      {"two of them", store_of(12040) + store_of(11080), ""},
      {"across a piece's end", std::string((1 << 20) - 3, 'x') + store_of(11020), "11.2"},
      {"cut off", store_of(12040).substr(0, 4), ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemoryFileSystem files;
    files.add_file("/x/libcudart.so.12", named("libcudart.so.12") + c.tail);
    const CudaLibrary library = read(files, "/x/libcudart.so.12");
    CHECK(library.family == "libcudart");
    CHECK(library.version.text == c.version);
    CHECK(library.cuda.text == c.version);
  }
}

TEST_CASE("the name of a file makes it more exact, or contradicts") {
  MemoryFileSystem files;
  files.add_file("/cuda/libcudart.so.12.4.127", named("libcudart.so.12") + store_of(12040));
  files.add_symlink("/cuda/libcudart.so.12", "libcudart.so.12.4.127");
  const CudaLibrary right = read(files, "/cuda/libcudart.so.12");
  CHECK(right.version.text == "12.4.127");
  CHECK(right.real == "/cuda/libcudart.so.12.4.127");
  CHECK(right.contradiction.empty());
  REQUIRE(right.reported.size() == 2);
  CHECK(right.reported[1].proof == say("told-by-name", {{"name", "libcudart.so.12.4.127"}}));

  files.add_file("/bad/libcudart.so.12.1.105", named("libcudart.so.12") + store_of(12040));
  const CudaLibrary wrong = read(files, "/bad/libcudart.so.12.1.105");
  CHECK(wrong.version.text == "12.4");
  CHECK(in_english(wrong.contradiction).ends_with("but the file is named libcudart.so.12.1.105"));
}

TEST_CASE("a wheel's metadata tells the version of a file that it lists with its size") {
  const std::string bytes = named("libcublas.so.12");
  const std::string record = "/sp/nvidia_cublas_cu12-12.4.5.8.dist-info/RECORD";
  const std::string line = "nvidia/cublas/lib/libcublas.so.12,sha256=abc,";
  struct Case {
    const char* why;
    std::string record;
    std::string version;
  };
  const Case cases[] = {
      {"with its size", "x,,\n" + line + std::to_string(bytes.size()) + "\r\ny,,\n", "12.4.5.8"},
      {"without a size", "nvidia/cublas/lib/libcublas.so.12,,\n", "12.4.5.8"},
      {"of another size: it has been replaced", line + "5\n", ""},
      {"in quotes", "\"nvidia/cublas/lib/libcublas.so.12\",sha256=abc," + std::to_string(bytes.size()) + "\n",
       "12.4.5.8"},
      {"another file", "nvidia/cublas/lib/libcublas.so.1,,\nnvidia/cublas/lib/libcublas.so.12.1,,\n", ""},
      {"empty", "", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemoryFileSystem files;
    files.add_file("/sp/nvidia/cublas/lib/libcublas.so.12", bytes);
    files.add_file(record, c.record);
    files.add_file("/sp/torch-2.4.0.dist-info/RECORD", "nvidia/cublas/lib/libcublas.so.12,,\n");
    CHECK(read(files, "/sp/nvidia/cublas/lib/libcublas.so.12").version.text == c.version);
  }
}

TEST_CASE("cuDNN carries its version as data: patch, minor, major") {
  ElfSpec spec = library().soname("libcudnn_graph.so.9").runpath("ABC/");
  spec.define(data(defined("cudnn_graph_version"), 4));
  const std::size_t place = write_elf(spec).find("ABC/");
  spec.symbols.back().value = place;
  MemoryFileSystem files;
  files.add_file("/x/libcudnn_graph.so.9", write_elf(spec));
  const CudaLibrary library = read(files, "/x/libcudnn_graph.so.9");
  CHECK(library.version.text == "67.66.65");
  REQUIRE(library.reported.size() == 1);
  CHECK(in_english(library.reported[0].proof) ==
        "its cudnn_graph_version holds 67.66.65 (at file offset " + std::to_string(place) + ")");
  // A symbol that leads nowhere tells nothing.
  spec.symbols.back().value = 1u << 30;
  files.add_file("/x/libcudnn_graph.so.9", write_elf(spec));
  CHECK(read(files, "/x/libcudnn_graph.so.9").version.empty());
}

TEST_CASE("texts inside NCCL and the compilers") {
  MemoryFileSystem files;
  files.add_file("/x/libnccl.so.2", named("libnccl.so.2") + "NCCL version %s\0NCCL version 2.28.9+cuda13.0\0" +
                                        std::string("NCCL version 2.28.9+cuda13.0\0", 29));
  CHECK(read(files, "/x/libnccl.so.2").version.text == "2.28.9");
  CHECK(read(files, "/x/libnccl.so.2").cuda.text == "13.0");
  files.add_file("/x/libnvrtc.so.12", named("libnvrtc.so.12") + "Cuda compilation tools, release 12.4, V12.4.131\n");
  CHECK(read(files, "/x/libnvrtc.so.12").version.text == "12.4.131");
  CHECK(read(files, "/x/libnvrtc.so.12").cuda.text == "12.4");
  files.add_file("/x/libnvrtc.so.12", named("libnvrtc.so.12") + "Cuda compilation tools, release 13.0, V.79\n");
  CHECK(read(files, "/x/libnvrtc.so.12").version.empty());
  files.add_file("/x/libnvrtc-builtins.so.12.4", named("libnvrtc-builtins.so.12.4"));
  CHECK(read(files, "/x/libnvrtc-builtins.so.12.4").cuda.text == "12.4");
}

TEST_CASE("other files are read as far as they are ELF files") {
  MemoryFileSystem files;
  files.add_file("/x/libz.so.1.3.1", named("libz.so.1"));
  files.add_file("/x/text", "hello");
  CHECK(!is_cuda_family(read(files, "/x/libz.so.1.3.1").family));
  CHECK(is_cuda_family("libcudnn_engines_precompiled"));
  CHECK(!read_cuda_library(files, "/x/text"));
  CHECK(!read_cuda_library(files, "/x/none"));
}
