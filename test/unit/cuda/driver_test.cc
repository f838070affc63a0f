// The driver of a machine, told by files.
#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/cuda_library.h"
#include "cuda/driver.h"
#include "loader/load.h"
#include "soresolve/catalogue.h"
#include "soresolve/cuda.h"
#include "support/counting_file_system.h"
#include "support/elf_writer.h"
#include "unit/cuda/driver_files.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

std::string proof_of(const std::optional<DriverLibrary>& driver) {
  return driver ? sentence(driver->cuda_proof, Language::English) : std::string();
}
ElfSpec libcuda() { return library().soname("libcuda.so.1").needed("libc.so.6"); }

}  // namespace

TEST_CASE("the kernel module tells its version in /proc, else in /sys") {
  struct Case {
    const char* why;
    std::string proc;
    std::string sys;
    std::string version;
    bool is_open;
  };
  const Case cases[] = {
      {"closed",
       "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023\nGCC version: gcc "
       "12.2.0\n",
       "", "535.129.03", false},
      {"open", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  555.42.06  Release Build  (dvs-builder@U16)\n",
       "1.1\n", "555.42.06", true},
      {"only /sys", "", "470.256.02\n", "470.256.02", false},
      {"words that are none", "NVRM version: unknown\n", "460.32.03", "460.32.03", false},
      {"nothing", "", "", "", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemoryFileSystem files;
    if (!c.proc.empty()) files.add_file("/proc/driver/nvidia/version", c.proc);
    if (!c.sys.empty()) files.add_file("/sys/module/nvidia/version", c.sys);
    const std::optional<KernelModule> module = read_kernel_module(files);
    CHECK((module ? module->version.text : "") == c.version);
    CHECK((module && module->is_open) == c.is_open);
  }
}

TEST_CASE("a driver's library is opened once, and not at all when it is open") {
  CountingFileSystem files;
  const std::string path = "/a/libcuda.so.535.261.03";
  files.tree.add_file(path, write_elf(libcuda()) + "Cuda compilation tools, release 12.2, V12.2.149");
  CHECK(read_driver_library(files, path, contracts(), Certainty::OwnText)->cuda.text == "12.2");
  CHECK(files.opened == 1);
  const Result<OpenedObject> open = open_object(files, path, path);
  REQUIRE(open.has_value());
  files.opened = 0;
  CudaLibrary library = read_cuda_library(files, path, *open->file, open->elf);
  CHECK(library.family == "libcuda");
  CHECK(read_driver_library(files, std::move(library), *open->file, open->elf, contracts(), Certainty::OwnText)
            .cuda.text == "12.2");
  CHECK(files.opened == 0);
}

TEST_CASE("a driver's library: its version by its name, its CUDA by its text, its compiler's, or its branch") {
  MemoryFileSystem files;
  files.add_file("/a/libcuda.so.535.261.03", write_elf(libcuda()) + "Cuda compilation tools, release 12.2, V12.2.149");
  files.add_symlink("/a/libcuda.so.1", "libcuda.so.535.261.03");
  const auto own = read_driver_library(files, "/a/libcuda.so.1", contracts(), Certainty::OwnText);
  REQUIRE(own.has_value());
  CHECK(own->version.text == "535.261.03");
  CHECK(own->cuda.text == "12.2");
  CHECK(proof_of(own).find("Cuda compilation tools, release 12.2") != std::string::npos);
  CHECK(proof_of(read_driver_library(files, "/a/libcuda.so.1", contracts())).find("branch 535") != std::string::npos);

  files.add_file("/b/libcuda.so.390.157", write_elf(libcuda()));
  CHECK(read_driver_library(files, "/b/libcuda.so.390.157", contracts())->cuda.text == "9.1");
  CHECK(proof_of(read_driver_library(files, "/b/libcuda.so.390.157", contracts())).find("branch 390") !=
        std::string::npos);
  files.add_file("/b/libnvidia-ptxjitcompiler.so.390.157",
                 write_elf(library()) + "Cuda compilation tools, release 9.1, V9.1.84");
  const auto beside = read_driver_library(files, "/b/libcuda.so.390.157", contracts(), Certainty::OwnText);
  CHECK(proof_of(beside).find("ptxjitcompiler") != std::string::npos);

  files.add_file("/usr/lib/wsl/lib/libcuda.so.1.1", write_elf(libcuda()));
  const auto wsl = read_driver_library(files, "/usr/lib/wsl/lib/libcuda.so.1.1", contracts());
  CHECK(wsl->version.empty());
  CHECK(wsl->cuda.empty());

  files.add_file("/cuda/lib64/stubs/libcuda.so", write_elf(library().soname("libcuda.so.1")));
  CHECK(read_driver_library(files, "/cuda/lib64/stubs/libcuda.so", contracts())->stub.has_value());
  CHECK(!read_driver_library(files, "/nowhere", contracts()));
}

TEST_CASE("what a forward-compatible libcuda says of the hosts that it accepts") {
  const std::string good = R"({"Format": 1, "CUDA Version": "12.9", "Driver": [535, 550, 575], "Device": [1, 2]})";
  MemoryFileSystem files;
  files.add_file("/usr/local/cuda/compat/libcuda.so.575.57.08", write_elf(libcuda()) + note(good));
  const auto driver = read_driver_library(files, "/usr/local/cuda/compat/libcuda.so.575.57.08", contracts());
  REQUIRE(driver.has_value());
  CHECK(driver->is_in_compat_folder);
  REQUIRE(driver->compatibility.has_value());
  CHECK(driver->compatibility->cuda.text == "12.9");
  struct Case {
    const char* module;
    CompatFit fit;
  };
  const Case cases[] = {
      {"535.129.03", CompatFit::Accepted}, {"550.54.14", CompatFit::Accepted}, {"525.60.13", CompatFit::Refused},
      {"560.35.05", CompatFit::Refused},   {"575.51.03", CompatFit::Needless}, {"580.65.06", CompatFit::Needless},
  };
  for (const Case& c : cases) {
    CAPTURE(c.module);
    CHECK(judge_forward_compatibility(*driver, v(c.module), contracts()) == c.fit);
  }
  CHECK(judge_forward_compatibility(*driver, {}, contracts()) == CompatFit::Unknown);
}

TEST_CASE("which nodes show a GPU") {
  for (const std::string_view node : {"nvidia0", "nvidia12"}) CHECK(is_gpu_node(node));
  for (const std::string_view node : {"nvidiactl", "nvidia-uvm", "nvidia", "null"}) CHECK(!is_gpu_node(node));
}

TEST_CASE("damaged notes are none") {
  const std::string good = R"({"CUDA Version": "12.9"})";
  const std::string cases[] = {
      note("no JSON"),
      note("[]"),
      note(R"({"Driver": [535]})"),
      note(good).substr(0, 40),
      little(19) + little(1u << 30) + little(1) + std::string("NVIDIA Corporation\0\0", 20) + good,
      std::string("NVIDIA Corporation\0\0", 20) + good,
  };
  for (const std::string& bytes : cases) {
    CAPTURE(bytes);
    MemoryFileSystem files;
    files.add_file("/x", bytes);
    CHECK(!read_forward_compatibility(*files.open("/x").value()));
  }
  MemoryFileSystem files;
  files.add_file("/x", note("no JSON") + note(good));
  CHECK(read_forward_compatibility(*files.open("/x").value())->cuda.text == "12.9");
}
