// Writes the root directory that all golden reports are about.
//
// usage: make_tree DIR           exit status 77 when the loader of glibc 2.36 cannot be had
//        make_tree --pair DIR    DIR/old and DIR/new: a server with CUDA 11.0, and the one that came after it
//
// A small machine with one thing of each kind that a report has words for. The loader is Debian
// 12's own, since reports name what they read in it; every other file is by the ELF writer, and
// every time stamp is set, so that the reports are the same everywhere.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/cache_writer.h"
#include "support/fatbin_writer.h"
#include "support/file_tree.h"
#include "support/glibc_roots.h"

namespace soresolve::test {
namespace {

namespace files = std::filesystem;

ElfSpec shared_object(std::string soname) { return library().soname(std::move(soname)); }

/// A CUDA runtime: its SONAME is its base version and its only node, which all its symbols carry.
ElfSpec cuda_runtime(const std::string& soname, const std::vector<std::string>& more = {}) {
  ElfSpec spec = shared_object(soname);
  spec.version_definitions = {{soname}, {soname}};
  std::vector<std::string> names = {
      "cudaDeviceSynchronize", "cudaFree",         "cudaGetDeviceCount", "cudaGetErrorString",
      "cudaGetLastError",      "cudaLaunchKernel", "cudaMalloc",         "cudaMemcpy",
      "cudaMemcpyAsync",       "cudaSetDevice",    "cudaStreamCreate",   "cudaStreamSynchronize"};
  names.insert(names.end(), more.begin(), more.end());
  for (const std::string& name : names) {
    Symbol symbol = defined(name, soname);
    symbol.version_index = 2;  // the node, not the base of the same name
    spec.define(std::move(symbol));
  }
  return spec;
}

const std::vector<std::string> kNewIn12 = {"cudaGetDeviceProperties_v2", "cudaGraphNodeSetEnabled",
                                           "cudaLaunchKernelExC"};

/// An extension module that was built for CUDA 11 beside the libraries of CUDA 12.
std::vector<TreeNode> extension() {
  ElfSpec module = shared_object("_C.so")
                       .needed("libcudart.so.11.0")
                       .needed("libhelper.so")
                       .needed("libc.so.6")
                       .runpath("$ORIGIN/lib");
  module.version_needs = {{"libcudart.so.11.0", {{"libcudart.so.11.0"}}}};
  module.call(undefined("cudaMalloc", "libcudart.so.11.0")).call(undefined("cudaFree", "libcudart.so.11.0"));
  return {
      elf_file("/app/_C.so", module),
      elf_file("/app/lib/libhelper.so", shared_object("libhelper.so").needed("libc.so.6")),
      elf_file("/app/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", kNewIn12)),
      elf_file("/usr/local/cuda-12.4/lib64/libcudart.so.12", cuda_runtime("libcudart.so.12", kNewIn12)),
      elf_file("/opt/cuda-11.2/lib64/libcudart.so.11.2", cuda_runtime("libcudart.so.11.0")),
      symlink_to("/usr/local/cuda", "cuda-12.4"),
  };
}

/// A program whose libraries are all found, each in a way that deserves a remark.
std::vector<TreeNode> surprises() {
  return {
      elf_file("/app/bin/prog", program()
                                    .needed("libfirst.so")
                                    .needed("libvoid.so")
                                    .needed("libz.so.1")
                                    .needed("libc.so.6")
                                    .rpath("$ORIGIN/../first:/opt/second")),
      // Shadowed: the second entry has it too.
      // Entries of RPATH and RUNPATH that are of use, and all kinds that are not.
      elf_file("/app/bin/lint",
               program()
                   .needed("liblint.so")
                   .needed("libc.so.6")
                   .runpath("$ORIGIN/../lint:/app/gone:/app/lint/:/usr/lib:/builddir/lint:/tmp/lint:/cuda/stubs::")),
      elf_file("/app/lint/liblint.so", shared_object("liblint.so").needed("liblast.so").rpath("$ORIGIN")),
      elf_file("/app/lint/liblast.so", shared_object("liblast.so")),
      elf_file("/app/first/libfirst.so", shared_object("libfirst.so").needed("libinner.so")),
      elf_file("/opt/second/libfirst.so", shared_object("libfirst.so")),
      elf_file("/opt/second/libinner.so", shared_object("libinner.so")),
      // RPATH beside a RUNPATH, and found only because libfirst.so has loaded it before.
      elf_file("/app/first/libvoid.so",
               shared_object("libvoid.so").needed("libinner.so").rpath("/opt/second").runpath("/nowhere:")),
      elf_file("/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", shared_object("libz.so.1")),
      symlink_to("/usr/lib/x86_64-linux-gnu/libz.so.1", "libz.so.1.2.13"),
      elf_file("/usr/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v3/libz.so.1", shared_object("libz.so.1")),
  };
}

/// Programs that do not start.
std::vector<TreeNode> failures() {
  ElfSpec newer = program().needed("libversioned.so").runpath("/app/versions");
  newer.version_needs = {{"libversioned.so", {{"V_1"}, {"V_2"}}}};
  ElfSpec versioned = shared_object("libversioned.so");
  versioned.version_definitions = {{"libversioned.so"}, {"V_1"}};
  // Two families in one file, as in libstdc++.so.6: what is wanted of one must not be hidden behind the other.
  ElfSpec families = shared_object("libfamilies.so");
  families.version_definitions = {{"libfamilies.so"}};
  for (int i = 1; i <= 14; ++i) families.version_definitions.push_back({"ONE_3.4." + std::to_string(i)});
  for (int i = 1; i <= 13; ++i) families.version_definitions.push_back({"TWO_1.3." + std::to_string(i)});
  // The second DT_VERDEF record would lie far outside.
  ElfSpec damaged = versioned;
  damaged.patch(0x100 + 16, std::string("\x00\x00\xff\x7f", 4));
  ElfSpec other_class = shared_object("libwide.so");
  other_class.bits = Bits::Elf32;
  other_class.machine = kEm386;
  return {
      elf_file("/app/bin/deep", program().needed("libouter.so").runpath("/app/deep")),
      elf_file("/app/deep/libouter.so", shared_object("libouter.so").needed("libmiddle.so").runpath("$ORIGIN")),
      elf_file("/app/deep/libmiddle.so", shared_object("libmiddle.so").needed("libgone.so.3")),
      elf_file("/app/bin/newer", newer),
      elf_file("/app/versions/libversioned.so", versioned),
      elf_file("/app/versions/libfamilies.so", families),
      elf_file("/app/versions/libdamaged.so", damaged),
      elf_file("/app/bin/wide", program().needed("libwide.so").runpath("/app/wide")),
      elf_file("/app/wide/libwide.so", other_class),
      elf_file("/app/bin/broken", program().needed("libbroken.so").runpath("/app/broken")),
      text_file("/app/broken/libbroken.so",
                "/* GNU ld script: for the linker only, never for ld.so */\nGROUP(libbroken.so.1)\n"),
      text_file("/app/dev/start", "#!/app/bin/prog --quiet\n"),
      text_file("/app/dev/libz.so",
                "/* GNU ld script */\nGROUP ( /lib/x86_64-linux-gnu/libz.so.1 AS_NEEDED ( libm.so.6 ) )\n"),
      text_file("/srv/fast-1.0-cp311-cp311-linux_x86_64.whl", "PK\x03\x04 and so on"),
      text_file("/srv/fast-1.0-0.conda", "PK\x03\x04 and so on"),
      text_file("/srv/fast 1.0.deb", "!<arch>\ndebian-binary   0           0     0     100644  4         `\n2.0\n"),
      text_file("/app/notes.txt", "This is a text of more than sixty-four bytes, and no ELF file.\n"),
      damaged_file("/app/short.so", shared_object("short.so"), Damage::HeaderOnly),
  };
}

/// A program with calls into CUDA 11, and CUDA 11.2 to serve them.
ElfSpec cuda_program(const std::vector<std::string>& calls) {
  const std::string runtime = "libcudart.so.11.0";
  ElfSpec spec = program().needed(runtime).rpath("/opt/cuda-11.2/lib64");
  spec.version_needs = {{runtime, {{runtime}}}};
  for (const std::string& name : calls) spec.call(undefined(name, runtime));
  return spec;
}

/// What people most often meet, besides a runtime that was moved and a glibc that is too old: an older libstdc++ first,
/// an extension of another PyTorch, an older copy in LD_LIBRARY_PATH.
std::vector<TreeNode> usual_situations() {
  ElfSpec older = shared_object("libstdc++.so.6");
  older.version_definitions = {{"libstdc++.so.6"}, {"GLIBCXX_3.4"}, {"GLIBCXX_3.4.28"}};
  ElfSpec newer = older;
  newer.version_definitions.push_back({"GLIBCXX_3.4.30"});
  ElfSpec needs_newer = program().needed("libstdc++.so.6").runpath("/app/usual/env/lib:/app/usual/gcc/lib");
  needs_newer.version_needs = {{"libstdc++.so.6", {{"GLIBCXX_3.4"}, {"GLIBCXX_3.4.30"}}}};
  ElfSpec torch = shared_object("libtorch_cpu.so").needed("libc.so.6");
  torch.define(defined("_ZN5torch3jit11parseSchemaERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"));
  ElfSpec extension = shared_object("ext.so").needed("libtorch_cpu.so").runpath("/app/usual/torch/lib");
  extension.refer(data(undefined("_ZN5torch3jit11parseSchemaERKSs")));
  ElfSpec good = shared_object("libdep.so.1");
  good.version_definitions = {{"libdep.so.1"}, {"DEP_1"}, {"DEP_2"}};
  ElfSpec old = good;
  old.version_definitions.pop_back();
  ElfSpec server = program().needed("libdep.so.1").runpath("/app/usual/dep");
  server.version_needs = {{"libdep.so.1", {{"DEP_2"}}}};
  return {
      elf_file("/app/usual/env/lib/libstdc++.so.6", older),
      elf_file("/app/usual/gcc/lib/libstdc++.so.6", newer),
      elf_file("/app/usual/pandas", needs_newer),
      elf_file("/app/usual/torch/lib/libtorch_cpu.so", torch),
      elf_file("/app/usual/ext.so", extension),
      elf_file("/app/usual/dep/libdep.so.1", good),
      elf_file("/app/usual/old/libdep.so.1", old),
      elf_file("/app/usual/server", server),
  };
}

/// Programs whose libraries are all found; what they come to is a matter of versions and symbols.
std::vector<TreeNode> starts() {
  // What CUDA 11.2 does not have yet.
  ElfSpec trainer = cuda_program({"cudaMalloc", "cudaLaunchKernelExC"});
  trainer.refer(undefined("cudaGraphNodeSetEnabled", "libcudart.so.11.0"));
  ElfSpec newer_glibc = program().needed("libc.so.6");
  newer_glibc.version_needs = {{"libc.so.6", {{"GLIBC_2.2.5"}, {"GLIBC_2.38"}, {"GLIBC_2.39"}}}};
  ElfSpec unproven = program().needed("libplain.so").runpath("/app/plain").call(undefined("plain", "PLAIN_1"));
  unproven.version_needs = {{"libplain.so", {{"PLAIN_1"}}}};
  // Versions of another library, so that there is a table at all.
  ElfSpec plain = shared_object("libplain.so").needed("libc.so.6").define(defined("plain"));
  plain.version_needs = {{"libc.so.6", {{"GLIBC_2.2.5"}}}};
  ElfSpec fast = shared_object("libfast.so");
  fast.isa_needed = 8;
  ElfSpec module = shared_object("_ext.so").needed("libc.so.6");
  module.refer(data(undefined("PyExc_RuntimeError"))).call(undefined("PyModule_Create2"));
  module.stack = StackHeader::Executable;
  ElfSpec of_musl = program().needed("libc.so.6");
  of_musl.interp = "/lib/ld-musl-x86_64.so.1";
  return {
      elf_file("/app/musl/tool", of_musl),
      symlink_to("/opt/cuda-11.2/lib64/libcudart.so.11.0", "libcudart.so.11.2"),
      text_file("/var/lib/dpkg/info/cuda-cudart-11-2.list",
                "/.\n/opt\n/opt/cuda-11.2/lib64/libcudart.so.11.0\n/opt/cuda-11.2/lib64/libcudart.so.11.2\n"),
      text_file("/var/lib/dpkg/info/example-ext.list", "/.\n/app\n/app/_C.so\n/app/bin/train\n"),
      text_file("/var/lib/dpkg/status",
                "Package: cuda-cudart-11-2\nStatus: install ok installed\nVersion: 11.2.152-1\n\n"
                "Package: example-ext\nStatus: install ok installed\nVersion: 1.4.0-2\n"),
      elf_file("/app/bin/infer",
               cuda_program({"cudaMalloc", "cudaLaunchKernel", "cudaFree"}).refer(weak(undefined("__gmon_start__")))),
      elf_file("/app/bin/train", trainer),
      elf_file("/app/bin/serve", cuda_program({"cudaMalloc", "cudaLaunchKernelExC"})),
      elf_file("/app/bin/newer_glibc", newer_glibc),
      elf_file("/app/bin/unproven", unproven),
      elf_file("/app/plain/libplain.so", plain),
      elf_file("/app/bin/fast", program().needed("libfast.so").runpath("/app/fast")),
      elf_file("/app/fast/libfast.so", fast),
      elf_file("/app/_ext.so", module),
  };
}

/// Two releases of one library in a process, told apart by their versions alone; and a library that
/// nobody needs.
std::vector<TreeNode> bindings() {
  const auto png = [](const std::string& soname, const std::string& node) {
    ElfSpec spec = shared_object(soname).needed("libc.so.6");
    spec.hash = HashTables::Gnu;
    spec.version_definitions = {{soname}, {node}};
    return spec.define(defined("png_read_info", node)).define(defined("png_error", node));
  };
  const auto user_of = [](ElfSpec spec, const std::string& soname, const std::string& node) {
    spec.version_needs = {{soname, {{node}}}};
    return spec.needed(soname).call(undefined("png_read_info", node));
  };
  ElfSpec image = user_of(shared_object("libimage.so"), "libpng16.so.16", "PNG16_0");
  image.define(defined("load_image")).refer(defined("image_count"));
  image.symbolic = true;
  image.hash = HashTables::Gnu;
  const ElfSpec viewer = user_of(program(), "libpng12.so.0", "PNG12_0")
                             .needed("libimage.so")
                             .needed("libspare.so")
                             .runpath("/app/view")
                             .call(undefined("load_image"))
                             .refer(weak(undefined("__gmon_start__")));
  return {
      elf_file("/app/bin/viewer", viewer),
      elf_file("/app/view/libpng12.so.0", png("libpng12.so.0", "PNG12_0")),
      elf_file("/app/view/libpng16.so.16", png("libpng16.so.16", "PNG16_0")),
      elf_file("/app/view/libimage.so", image.runpath("$ORIGIN")),
      elf_file("/app/view/libspare.so",
               shared_object("libspare.so").needed("libpng12.so.0").runpath("$ORIGIN").call(undefined("png_error"))),
  };
}

/// An environment of Python with a module that its own CUDA runtime serves; a service that has loaded
/// an older one; a script.
std::vector<TreeNode> processes() {
  ElfSpec python = program().needed("libc.so.6");
  python.define(defined("PyModule_Create2"));
  ElfSpec module = library().needed("libcudart.so.11.0").needed("libc.so.6").runpath("$ORIGIN/../cuda/lib");
  module.version_needs = {{"libcudart.so.11.0", {{"libcudart.so.11.0"}}}};
  module.define(defined("PyInit__C"))
      .call(undefined("PyModule_Create2"))
      .call(undefined("cudaMalloc", "libcudart.so.11.0"))
      .call(undefined("cudaLaunchKernelExC", "libcudart.so.11.0"));
  const std::string site = "/opt/venv/lib/python3.11/site-packages/";
  return {
      elf_file("/usr/bin/python3.11", python),
      symlink_to("/opt/venv/bin/python3.11", "/usr/bin/python3.11"),
      text_file("/opt/venv/pyvenv.cfg", "home = /usr/bin\n"),
      elf_file(site + "ext/_C.cpython-311-x86_64-linux-gnu.so", module),
      elf_file(site + "cuda/lib/libcudart.so.11.0", cuda_runtime("libcudart.so.11.0", kNewIn12)),
      text_file("/opt/venv/bin/serve", "#!/opt/venv/bin/python3.11\nimport ext\n"),
  };
}

/// The same with sources: packages that are imported, and a torch whose wheel of the CUDA runtime is missing.
std::vector<TreeNode> imports() {
  const std::string site = "/srv/sources/lib/python3.11/site-packages/";
  const std::string pins = "/srv/pins/lib/python3.11/site-packages/";
  const std::string whole = "/srv/whole/lib/python3.11/site-packages/";
  const std::string tag = ".cpython-311-x86_64-linux-gnu.so";
  const auto module = [](const char* soname) {
    ElfSpec spec = library().needed("libc.so.6").needed(soname).runpath("$ORIGIN/lib");
    for (const char* init : {"PyInit__C", "PyInit__fast", "PyInit__slow"}) spec.define(defined(init));
    return spec.call(undefined("PyModule_Create2"));
  };
  return {
      text_file("/usr/lib/python3.11/os.py", "import posix\n"),
      text_file("/usr/lib/python3.11/ctypes/__init__.py", "from _ctypes import dlopen\n"),
      elf_file("/usr/lib/python3.11/lib-dynload/_ctypes" + tag,
               library().needed("libc.so.6").define(defined("PyInit__ctypes")).call(undefined("PyModule_Create2"))),
      symlink_to("/srv/sources/bin/python3", "/usr/bin/python3.11"),
      text_file("/srv/sources/pyvenv.cfg", "home = /usr/bin\n"),
      text_file(site + "gone/__init__.py",
                "import os\ntry:\n    from . import _fast\nexcept ImportError:\n    pass\n"
                "from . import _slow\n"),
      elf_file(site + "gone/_fast" + tag, module("libfast.so.1")),
      elf_file(site + "gone/_slow" + tag, module("libslow.so.1")),
      text_file(site + "torch/__init__.py",
                "import ctypes\nUSE_GLOBAL = False\nif USE_GLOBAL:\n    pass\nelse:\n    from torch._C import *\n"),
      elf_file(site + "torch/_C" + tag, module("libc10.so")),
      elf_file(site + "torch/lib/libc10.so", shared_object("libc10.so").needed("libc.so.6")),
      elf_file(site + "torch/lib/libtorch_global_deps.so",
               shared_object("libtorch_global_deps.so").needed("libcufft.so.11")),
      text_file(site + "torch-2.6.0+cu124.dist-info/METADATA", "Name: torch\n"),
      text_file(site + "vision/__init__.py", "import torch\ntorch.ops.load_library(input())\n"),
      elf_file(site + "vision/_C.so", library().needed("libc10.so").needed("libc.so.6")),
      // Two modules of one wheel, and a wheel that has libraries alone.
      text_file(site + "vision_tools.py", "import os\n"),
      text_file(site + "vision-0.21.0.dist-info/RECORD",
                "vision/__init__.py,,\nvision/_C.so,,\nvision_tools.py,,\nvision-0.21.0.dist-info/RECORD,,\n"),
      text_file(site + "torch_deps_cu12-12.4.dist-info/RECORD", "torch/lib/libtorch_global_deps.so,,\n"),
      // One whose wheel of cuDNN is missing, and the toolkit's serves.
      symlink_to("/srv/pins/bin/python3", "/usr/bin/python3.11"),
      text_file("/srv/pins/pyvenv.cfg", "home = /usr/bin\n"),
      text_file(pins + "torch/__init__.py", "from torch._C import *\n"),
      elf_file(pins + "torch/_C" + tag, module("libtorch_cuda.so")),
      elf_file(pins + "torch/lib/libtorch_cuda.so",
               shared_object("libtorch_cuda.so").needed("libcudnn.so.9").runpath("/srv/tools/cuda-13.0/lib")),
      elf_file(pins + "torch/lib/libtorch_global_deps.so",
               shared_object("libtorch_global_deps.so").needed("libc.so.6")),
      text_file(pins + "torch-2.6.0+cu124.dist-info/METADATA",
                "Metadata-Version: 2.1\nName: torch\nVersion: 2.6.0+cu124\nRequires-Dist: "
                "nvidia-cudnn-cu12==9.1.0.70; platform_system == \"Linux\"\n"),
      elf_file("/srv/tools/cuda-13.0/lib/libcudnn.so.9", shared_object("libcudnn.so.9").needed("libc.so.6")),
      // The same without CUDA.
      symlink_to("/srv/whole/bin/python3", "/usr/bin/python3.11"),
      text_file("/srv/whole/pyvenv.cfg", "home = /usr/bin\n"),
      text_file(whole + "torch/__init__.py", "from torch._C import *\n"),
      elf_file(whole + "torch/_C" + tag, module("libc10.so")),
      elf_file(whole + "torch/lib/libc10.so", shared_object("libc10.so").needed("libc.so.6")),
      elf_file(whole + "torch/lib/libtorch_global_deps.so",
               shared_object("libtorch_global_deps.so").needed("libc.so.6")),
      text_file(whole + "torch-2.6.0+cpu.dist-info/METADATA", "Name: torch\n"),
      text_file(whole + "vision/__init__.py", "import torch\ntorch.ops.load_library(input())\n"),
      elf_file(whole + "vision/_C.so", library().needed("libc10.so").needed("libc.so.6")),
      elf_file(site + "nvidia/cublas/lib/libcublas.so.12", shared_object("libcublas.so.12").needed("libc.so.6")),
      elf_file(site + "nvidia/cudnn/lib/libcudnn.so.9", shared_object("libcudnn.so.9").needed("libc.so.6")),
      elf_file(site + "nvidia/cuda_nvrtc/lib/libnvrtc.so.12", shared_object("libnvrtc.so.12").needed("libc.so.6")),
  };
}

/// A server with plug-ins: each lacks something alone, and loads in the process of the server or on a host with a GPU.
std::vector<TreeNode> plugins() {
  ElfSpec server = program().needed("libjitcore.so.2").runpath("/opt/db/lib/jit");
  server.define(defined("heap_open")).define(defined("elog_start")).define(defined("elog_finish"));
  const ElfSpec audit = shared_object("audit.so").call(undefined("heap_open")).call(undefined("elog_start"));
  const ElfSpec gpu = shared_object("gpu.so").needed("libcuda.so.1").call(undefined("cuInit"));
  const std::string libraries = "/lib/x86_64-linux-gnu/";
  return {
      // What a libcuda needs beside libc.
      elf_file(libraries + "libm.so.6", shared_object("libm.so.6")),
      elf_file(libraries + "libdl.so.2", shared_object("libdl.so.2")),
      elf_file(libraries + "libpthread.so.0", shared_object("libpthread.so.0")),
      elf_file(libraries + "librt.so.1", shared_object("librt.so.1")),
      elf_file("/opt/db/bin/dbserver", server),
      elf_file("/opt/db/lib/jit/libjitcore.so.2", shared_object("libjitcore.so.2")),
      elf_file("/opt/db/lib/plugins/audit.so", audit),
      elf_file("/opt/db/lib/plugins/jit.so", shared_object("jit.so").needed("libjitcore.so.2")),
      elf_file("/opt/db/lib/plugins/gpu.so", gpu),
  };
}

/// Libraries with kernels: for two chips and as PTX, in a container of each sort, and a broken one.
std::vector<TreeNode> kernels() {
  const GpuPiece a100{.arch = 80, .payload_bytes = 4096};
  const GpuPiece h100{.arch = 90, .flags = kPlainGpuFlags | 0x108000, .payload_bytes = 1024, .unpacked_bytes = 6000};
  const GpuPiece ptx{.kind = kGpuPtx, .arch = 90, .payload_bytes = 512, .major = 8, .minor = 3};
  const std::string code =
      container_of({a100, h100, ptx}) + container_of({a100, ptx}) + container_of({a100, h100, ptx});
  return {text_file("/app/kernels/libkernels.bin", "some file\n" + code),
          text_file("/app/kernels/libcut.bin", code.substr(0, 6000))};
}

/// A program that starts, past everything that can lie in the way.
std::vector<TreeNode> hazards() {
  ElfSpec foreign = shared_object("libforeign.so");
  foreign.machine = kEmAarch64;
  return {
      elf_file("/app/bin/hazards", program()
                                       .needed("libcudart.so.12")
                                       .needed("libforeign.so")
                                       .needed("libmodel.so")
                                       .needed("libcuda.so.1")
                                       .runpath("/opt/cuda/lib64:/app/arm:/app/shared:/app/hazards")
                                       .call(undefined("cudaMalloc", "libcudart.so.12"))),
      symlink_to("/opt/cuda", "cuda-12.4"),
      symlink_to("/app/arm/libcudart.so.12", "libcudart.so.12.4.127"),
      elf_file("/app/arm/libforeign.so", foreign),
      elf_file("/app/hazards/libforeign.so", shared_object("libforeign.so")),
      elf_file("/app/hazards/libcudart.so.12", cuda_runtime("libcudart.so.12")),
      elf_file("/app/hazards/libcudart-e409450e.so.11.0", cuda_runtime("libcudart-e409450e.so.11.0")),
      elf_file("/app/hazards/libmodel.so", shared_object("libmodel.so")
                                               .needed("libcudart-e409450e.so.11.0")
                                               .runpath("$ORIGIN")
                                               .call(undefined("cudaFree"))),
      elf_file("/usr/local/cuda-12.4/lib64/stubs/libcuda.so", shared_object("libcuda.so.1")),
      symlink_to("/app/hazards/libcuda.so.1", "/usr/local/cuda-12.4/lib64/stubs/libcuda.so"),
  };
}

/// What opens libraries by itself: cuDNN with a part missing, a library with a note, torch in its site.
std::vector<TreeNode> openers() {
  const std::string site = "/venv/site-packages/";
  ElfSpec shared = shared_object("libshared.so").needed("libc.so.6").runpath("$ORIGIN");
  shared.dlopens(
      R"([{"feature":"zlib","description":"Compressed journals","priority":"recommended",)"
      R"("soname":["libz.so.2","libz.so.1"]},)"
      R"({"feature":"tpm","description":"Support for TPM","priority":"suggested","soname":["libtss2-esys.so.0"]},)"
      R"({"feature":"core","description":"Everything","priority":"required","soname":["libcore.so.4"]}])");
  shared.dlopens(R"([{"soname":["libhelper.so"]},])");
  const auto wheel = [&](const std::string& folder, const std::string& name) {
    return elf_file(site + "nvidia/" + folder + "/lib/" + name, shared_object(name).needed("libc.so.6"));
  };
  return {
      elf_file("/app/cudnn/libcudnn.so.9", shared_object("libcudnn.so.9").needed("libc.so.6").runpath("$ORIGIN")),
      elf_file("/app/cudnn/libcudnn_graph.so.9",
               shared_object("libcudnn_graph.so.9").needed("libc.so.6").runpath("$ORIGIN")),
      elf_file("/app/cudnn/libcudnn_cnn.so.9", shared_object("libcudnn_cnn.so.9").needed("libcublasLt.so.12")),
      elf_file("/app/cudnn/libcudnn_adv.so.9", shared_object("libcudnn_adv.so.9").needed("libc.so.6")),
      elf_file("/app/shared/libshared.so", shared),
      elf_file(site + "torch/_C.so", shared_object("_C.so").needed("libc10.so").rpath("$ORIGIN/lib")),
      elf_file(site + "torch/lib/libc10.so", shared_object("libc10.so").needed("libc.so.6")),
      elf_file(site + "torch/lib/libtorch_global_deps.so",
               shared_object("libtorch_global_deps.so").needed("libcublas.so.11")),
      text_file(site + "torch-1.13.1+cu117.dist-info/METADATA", "Name: torch\n"),
      wheel("cublas", "libcublas.so.11"),
      wheel("cudnn", "libcudnn.so.8"),
  };
}

TreeNode cache_file() {
  CacheSpec cache;
  const std::string directory = "/lib/x86_64-linux-gnu/";
  cache.lines = {{"libc.so.6", directory + "libc.so.6"},
                 {"libz.so.1", directory + "libz.so.1"},
                 {"libcudart.so.12", "/usr/local/cuda/lib64/libcudart.so.12"}};
  CacheLine better{"libz.so.1", directory + "glibc-hwcaps/x86-64-v3/libz.so.1"};
  better.hwcaps_name = "x86-64-v3";
  better.isa_level = 2;
  cache.lines.push_back(better);
  return text_file("/etc/ld.so.cache", write_cache(cache));
}

void set_times(const std::string& root) {
  const timespec times[2] = {{1700000000, 0}, {1700000000, 0}};
  for (const auto& entry : files::recursive_directory_iterator(root)) {
    utimensat(AT_FDCWD, entry.path().c_str(), times, AT_SYMLINK_NOFOLLOW);
  }
}

/// The loader and libc where Debian has them.
void copy_glibc(const GlibcRoot& glibc, const std::string& root) {
  const std::string directory = root + "/usr/lib/x86_64-linux-gnu";
  files::create_directories(directory);
  files::create_directories(root + "/usr/lib64");
  files::create_symlink("usr/lib", root + "/lib");
  files::create_symlink("usr/lib64", root + "/lib64");
  files::copy_file(glibc.loader_file, directory + "/ld-linux-x86-64.so.2");
  files::copy_file(glibc.libc_file, directory + "/libc.so.6");
  files::create_symlink("/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", root + "/usr/lib64/ld-linux-x86-64.so.2");
}

/// A program that was built for CUDA 11.0, which the old server has on LD_LIBRARY_PATH; the new one has CUDA 12.4 in
/// ld.so.cache. And another that finds a library of its own elsewhere since.
void make_server(const GlibcRoot& glibc, const std::string& root, bool is_old) {
  files::create_directories(root);
  copy_glibc(glibc, root);
  ElfSpec train =
      program().needed("libcudart.so.11.0").needed("libmodel.so").needed("libc.so.6").runpath("$ORIGIN/lib");
  train.version_needs = {{"libcudart.so.11.0", {{"libcudart.so.11.0"}}}};
  train.call(undefined("cudaMalloc", "libcudart.so.11.0")).call(undefined("cudaFree", "libcudart.so.11.0"));
  std::vector<TreeNode> nodes = {
      elf_file("/app/train", train),
      elf_file("/app/lib/libmodel.so", shared_object("libmodel.so").needed("libcudart.so.11.0").needed("libc.so.6")),
      elf_file("/app/report", program().needed("libplot.so.1").needed("libc.so.6").runpath("/opt/plot:/usr/lib/plot")),
      elf_file("/usr/lib/plot/libplot.so.1", shared_object("libplot.so.1").define(defined("plot"))),
      elf_file("/app/same", program().needed("libc.so.6")),
  };
  CacheSpec cache;
  cache.lines = {{"libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6"}};
  if (is_old) {
    nodes.push_back(elf_file("/usr/local/cuda-11.0/lib64/libcudart.so.11.0", cuda_runtime("libcudart.so.11.0")));
    nodes.push_back(elf_file("/opt/plot/libplot.so.1", shared_object("libplot.so.1").define(defined("plot"))));
  } else {
    nodes.push_back(elf_file("/usr/local/cuda-12.4/lib64/libcudart.so.12", cuda_runtime("libcudart.so.12", kNewIn12)));
    cache.lines.push_back({"libcudart.so.12", "/usr/local/cuda-12.4/lib64/libcudart.so.12"});
  }
  nodes.push_back(text_file("/etc/ld.so.cache", write_cache(cache)));
  const int root_fd = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  write_tree(root_fd, nodes);
  ::close(root_fd);
  set_times(root);
}

int make_pair_of_servers(const std::string& directory) {
  const Result<GlibcRoot, std::string> glibc = fetch_glibc("bookworm");
  if (!glibc) {
    std::printf("%s; skipped\n", glibc.error().c_str());
    return 77;
  }
  make_server(*glibc, directory + "/old", true);
  make_server(*glibc, directory + "/new", false);
  return 0;
}

int make_tree(const std::string& root) {
  const Result<GlibcRoot, std::string> glibc = fetch_glibc("bookworm");
  if (!glibc) {
    std::printf("%s; skipped\n", glibc.error().c_str());
    return 77;
  }
  copy_glibc(*glibc, root);
  const int root_fd = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  write_tree(root_fd, extension());
  write_tree(root_fd, surprises());
  write_tree(root_fd, failures());
  write_tree(root_fd, usual_situations());
  write_tree(root_fd, starts());
  write_tree(root_fd, bindings());
  write_tree(root_fd, processes());
  write_tree(root_fd, imports());
  write_tree(root_fd, plugins());
  write_tree(root_fd, kernels());
  write_tree(root_fd, hazards());
  write_tree(root_fd, openers());
  write_tree(root_fd, {cache_file()});
  ::close(root_fd);
  files::create_directories(root + "/app/shared");
  files::permissions(root + "/app/shared", files::perms::all);
  set_times(root);
  return 0;
}

}  // namespace
}  // namespace soresolve::test

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--pair") return soresolve::test::make_pair_of_servers(argv[2]);
  if (argc != 2) {
    std::fputs("usage: make_tree [--pair] DIR\n", stderr);
    return 2;
  }
  return soresolve::test::make_tree(argv[1]);
}
