// One machine in memory with a CUDA program, as small files: loader, cache, driver, Python packages, wheels. Each file
// is of a kind that soresolve parses, so that fuzz targets can damage it.
#include "support/small_machine.h"

#include "support/cache_writer.h"
#include "support/elf_writer.h"
#include "support/fatbin_writer.h"

namespace soresolve::test {
namespace {

ElfSpec train() {
  ElfSpec spec = program();
  for (const char* name : {"libx.so", "libcudart.so.12", "libcudnn.so.8", "libc10.so", "libgone.so.1"})
    spec.needed(name);
  spec.runpath("$ORIGIN/lib:/app/$LIB");
  spec.version_needs = {{"libx.so", {{"V1"}, {"V2", true}}}, {"libcudart.so.12", {{"libcudart.so.12"}}}};
  spec.refer(undefined("f", "V1")).call(undefined("cudaMalloc", "libcudart.so.12")).refer(undefined("gone"));
  spec.refer(data(defined("copied", "V2")), kRelocCopy).refer(weak(undefined("w")));
  return spec;
}

ElfSpec libx() {
  ElfSpec spec = library().soname("libx.so").needed("libc10.so").rpath("/opt/lib");
  spec.hash = HashTables::Gnu;
  spec.version_definitions = {{"libx.so"}, {"V1"}, {"V2"}};
  spec.version_definitions[2].parents = {"V1"};
  spec.define(defined_hidden("f", "V1")).define(defined("f", "V2")).define(data(defined("copied", "V2")));
  spec.refer(undefined("other"));
  spec.isa_needed = 3;
  spec.relr_words = 2;
  spec.dlopens(R"([{"feature":"x","priority":"required","soname":["libopened.so.2","libx.so"]}])");
  return spec;
}

/// libcudart, with a release in its code and GPU code behind it.
std::string cudart() {
  ElfSpec spec = library().soname("libcudart.so.12");
  spec.version_definitions = {{"libcudart.so.12"}, {"libcudart.so.12"}};
  spec.define(defined("cudaMalloc", "libcudart.so.12"));
  const std::string code =
      container_of({{.kind = kGpuCubin, .arch = 80}, {.kind = kGpuPtx, .arch = 90, .major = 8, .minor = 3}});
  return write_elf(spec) + std::string("\xc7\x07\x08\x2f\0\0", 6) + std::string(10, '\0') + code;
}

std::string cache() {
  CacheSpec spec;
  spec.lines = {{"libcudart.so.12", "/usr/lib64/libcudart.so.12"},
                {"libcuda.so.1", "/usr/lib64/libcuda.so.1"},
                {"libold.so.1", "/opt/old/libold.so.1"},
                {.key = "libc.so.6", .value = "/lib64/glibc-hwcaps/x86-64-v2/libc.so.6", .hwcaps_name = "x86-64-v2"}};
  return write_cache(spec);
}

}  // namespace

std::vector<MachineFile> small_machine() {
  const std::string site = "/usr/lib/python3.11/site-packages/";
  return {
      {kMachineProgram, write_elf(train()), 0755},
      {"/app/lib/libx.so", write_elf(libx())},
      {"/usr/lib64/libcudart.so.12", cudart()},
      {site + "torch/lib/libc10.so", write_elf(library().soname("libc10.so").needed("libcudart.so.12"))},
      {"/opt/lib/libgone.so.1", write_elf(library().soname("libgone.so.1").define(defined("gone")))},
      {"/usr/lib64/libcudnn.so.8", write_elf(library().soname("libcudnn.so.8"))},
      {"/usr/lib64/libcuda.so.1",
       write_elf(library().soname("libcuda.so.1")) + "Cuda compilation tools, release 12.2, V12.2.149"},
      {"/lib64/libc.so.6", write_elf(library().soname("libc.so.6"))},
      {"/lib64/ld-linux-x86-64.so.2", write_loader(), 0755},
      {"/etc/ld.so.cache", cache()},
      {"/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n/usr/lib64 # here\nhwcap 1 avx\n"},
      {"/etc/ld.so.conf.d/cuda.conf", "/usr/local/cuda/lib64\n"},
      {"/etc/ld.so.preload", "/app/lib/libx.so libmissing.so # none\n"},
      {"/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Thu\n"},
      {"/proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t NVIDIA GeForce RTX 4090\nIRQ: 1\n"},
      {"/usr/local/cuda/version.json", R"({"cuda":{"name":"CUDA SDK","version":"12.4.20240512"}})"},
      {"/usr/bin/python3.11", write_elf(program()), 0755},
      {site + "torch/version.py", "__version__ = '2.1.2+cu121'\ncuda: Optional[str] = '12.1'\n"},
      {site + "torch-2.1.2.dist-info/METADATA", "Name: torch\nVersion: 2.1.2+cu121\n"},
      {site + "nvidia_cudnn_cu12-8.9.2.26.dist-info/RECORD", "nvidia/cudnn/lib/libcudnn.so.8,sha256=x,150200\n"},
      {site + "nvidia/cudnn/lib/libcudnn.so.8", write_elf(library().soname("libcudnn.so.8"))},
      {"/app/run", "#! /usr/bin/env -S python3.11 -u\n", 0755},
  };
}

WorldSettings world_of(const std::vector<MachineFile>& files) {
  auto tree = std::make_shared<MemoryFileSystem>();
  for (const MachineFile& file : files) tree->add_file(file.path, file.content, file.mode);
  WorldSettings settings;
  settings.where.files = std::move(tree);
  settings.start.env = {"LD_LIBRARY_PATH=/usr/lib/python3.11/site-packages/torch/lib"};
  settings.machine.cpu = "x86-64";
  settings.host = {"/", "x86_64", "6.1.0"};
  return settings;
}

}  // namespace soresolve::test
