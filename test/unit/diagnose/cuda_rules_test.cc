// What CUDA asks of a whole process: one case for each rule, and for each the nearest that is in order.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "cuda/framework_build.h"
#include "diagnose/cuda_rules.h"
#include "loader/load.h"
#include "soresolve/catalogue.h"
#include "soresolve/cuda.h"
#include "soresolve/diagnose.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;
using Fill = std::function<void(MemorySystem&)>;

std::string little(std::uint32_t number) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}
/// A libcudart whose code answers `number`.
void runtime(MemorySystem& s, const std::string& path, std::uint32_t number) {
  const std::string soname = number < 12000 ? "libcudart.so.11.0" : "libcudart.so." + std::to_string(number / 1000);
  s.files().add_file(path, write_elf(library().soname(soname)) + std::string("\xc7\x07", 2) + little(number));
}
/// A driver's library with its real name, and the link by which it is opened.
void driver(MemorySystem& s, const std::string& folder, const std::string& version, const std::string& tail = {}) {
  s.files().add_file(folder + "/libcuda.so." + version,
                     write_elf(library().soname("libcuda.so.1").needed("libx.so")) + tail);
  s.files().add_symlink(folder + "/libcuda.so.1", "libcuda.so." + version);
  s.elf(folder + "/libx.so", library());
}
void module(MemorySystem& s, const std::string& version) {
  s.files().add_file("/proc/driver/nvidia/version",
                     "NVRM version: NVIDIA UNIX x86_64 Kernel Module  " + version + "  Thu\n");
}
/// A program with this runtime on /usr/lib64, where its driver is searched, too.
void program_with(MemorySystem& s, std::uint32_t number) {
  s.program(program_needing({number < 12000 ? "libcudart.so.11.0" : "libcudart.so." + std::to_string(number / 1000)}));
  runtime(s,
          number < 12000 ? "/usr/lib64/libcudart.so.11.0" : "/usr/lib64/libcudart.so." + std::to_string(number / 1000),
          number);
}
void file_named(MemorySystem& s, const std::string& path, const std::string& soname) {
  s.files().add_file(path, write_elf(library().soname(soname)));
}

/// "code: TEXT" of all that is found.
Names found(const Fill& fill, const Dlopens& dlopens = {}) {
  MemorySystem memory;
  fill(memory);
  LoadOptions options;
  options.on_fatal = OnFatal::Continue;
  const Result<LinkMap> map = memory.load(kProgram, options);
  REQUIRE(map.has_value());
  Names lines;
  for (const Problem& problem : find_cuda_problems(*map, dlopens)) {
    std::string line = std::string(code_of(problem.code)) + ": " + sentence(problem.what, Language::English);
    for (const Evidence& each : problem.evidence) line += " | " + sentence(each.what, Language::English);
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Opened later, surely, and found at `path`.
Dlopen opened(const std::string& path) {
  Dlopen one;
  one.source = DlopenSource::Known;
  one.opener = "/x/opener";
  one.choices = {{path.substr(path.rfind('/') + 1), path, "RUNPATH"}};
  one.is_found = true;
  return one;
}

}  // namespace

TEST_CASE("libraries from elsewhere than the wheel that a loaded package requires") {
  constexpr const char* kSite = "/v/lib/python3.11/site-packages/";
  const auto with = [&](const std::string& needed, const std::string& folder, const std::string& metadata) {
    return [=](MemorySystem& s) {
      const std::string site = kSite;
      s.program(program_needing({"libtorch_cuda.so"}).rpath(site + "torch/lib"));
      s.files().add_file(site + "torch/lib/libtorch_cuda.so",
                         write_elf(library().soname("libtorch_cuda.so").needed(needed).runpath(folder)));
      s.files().add_file(site + "torch-2.6.0.dist-info/METADATA",
                         "Name: torch\nVersion: 2.6.0\n" + metadata + "\nRequires-Dist: nvidia-cudnn-cu12==1\n");
      if (needed.starts_with("libcudart"))
        runtime(s, folder + "/" + needed, 12010);
      else
        file_named(s, folder + "/" + needed, needed);
    };
  };
  const std::string cudnn = "Requires-Dist: nvidia-cudnn-cu12==9.1.0.70 ; platform_system == \"Linux\"\n";
  const std::string cudart = "Requires-Dist: nvidia-cuda-runtime-cu12==12.4.127\n";
  struct Case {
    const char* why;
    Fill fill;
    const char* start;  ///< of the problem; empty: none
  };
  const Case cases[] = {
      {"of a toolkit of another CUDA", with("libcudnn.so.9", "/usr/local/cuda-13.0/lib", cudnn),
       "framework-build: torch 2.6.0 requires nvidia-cudnn-cu12==9.1.0.70, and the process gets libcudnn.so.9 for "
       "another CUDA (13)"},
      {"of a toolkit of the same CUDA", with("libcudnn.so.9", "/usr/local/cuda-12.8/lib", cudnn), ""},
      {"of no place that tells a CUDA", with("libcudnn.so.9", "/opt/cudnn", cudnn), ""},
      {"an older runtime", with("libcudart.so.12", "/opt/cuda", cudart),
       "framework-build: torch 2.6.0 requires nvidia-cuda-runtime-cu12==12.4.127, and the process gets an older "
       "libcudart.so.12 12.1 (12)"},
      {"a newer one than the pin",
       with("libcudart.so.12", "/opt/cuda", "Requires-Dist: nvidia-cuda-runtime-cu12==12.0.1\n"), ""},
      {"a requirement of an extra",
       with("libcudnn.so.9", "/usr/local/cuda-13.0/lib",
            "Requires-Dist: nvidia-cudnn-cu12==9.1.0.70 ; extra == \"cuda\"\n"),
       ""},
      {"a range pins nothing",
       with("libcudnn.so.9", "/usr/local/cuda-13.0/lib", "Requires-Dist: nvidia-cudnn-cu12<10,>=9.1\n"), ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Names pins;
    for (const std::string& line : found(c.fill)) {
      if (line.find(" requires nvidia-") != std::string::npos) pins.push_back(line);
    }
    REQUIRE(pins.size() == (*c.start == '\0' ? 0 : 1));
    if (!pins.empty()) CHECK_MESSAGE(pins[0].starts_with(c.start), pins[0]);
  }
}

TEST_CASE("an extension of another release of its framework") {
  struct Case {
    const char* why;
    const char* installed;
    const char* requirement;
    bool is_problem;
  };
  const Case cases[] = {
      {"an older framework", "2.5.1+cu124", "torch==2.6.0", true},
      {"a newer one", "2.7.0", "torch==2.6.0", true},
      {"a build of the same", "2.6.0+cu124", "torch==2.6.0", false},
      {"the same build", "2.6.0+cpu", "torch==2.6.0+cpu", false},
      {"a range", "2.5.1", "torch>=2.6", false},
      {"of an extra", "2.5.1", "torch==2.6.0 ; extra == 'gpu'", false},
      {"no framework", "2.5.1", "numpy==1.0", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto fill = [&](MemorySystem& s) {
      const std::string site = "/v/lib/python3.11/site-packages/";
      s.program(program_needing({"_C.so"}).rpath(site + "torchvision:" + site + "torch/lib"));
      s.files().add_file(site + "torchvision/_C.so", write_elf(library().needed("libc10.so")));
      s.files().add_file(site + "torch/lib/libc10.so", write_elf(library()));
      s.files().add_file(site + "torch-" + c.installed + ".dist-info/METADATA", "Name: torch\n");
      s.files().add_file(site + "torchvision-0.21.0.dist-info/METADATA",
                         "Name: torchvision\nVersion: 0.21.0\nRequires-Dist: " + std::string(c.requirement) + "\n");
    };
    const Names lines = found(fill);
    REQUIRE(lines.size() == (c.is_problem ? 1 : 0));
    if (c.is_problem) {
      CHECK_MESSAGE(lines[0].starts_with("framework-build: torchvision 0.21.0 requires torch==2.6.0, and torch " +
                                         std::string(c.installed) + " is installed"),
                    lines[0]);
    }
  }
}

TEST_CASE("the driver of a process with a CUDA runtime") {
  struct Case {
    const char* why;
    Fill fill;
    Names starts;
  };
  const Case cases[] = {
      {"no CUDA at all", [](MemorySystem& s) { s.program(program_needing({})); }, {}},
      {"a driver that knows the runtime",
       [](MemorySystem& s) {
         program_with(s, 12040);
         driver(s, "/usr/lib64", "550.54.14");
         module(s, "550.54.14");
       },
       {}},
      {"minor-version compatibility",
       [](MemorySystem& s) {
         program_with(s, 12040);
         driver(s, "/usr/lib64", "525.85.12");
       },
       {}},
      {"none in reach", [](MemorySystem& s) { program_with(s, 12040); }, {"driver-missing: no driver is found"}},
      {"none in reach, but a module is loaded",
       [](MemorySystem& s) {
         program_with(s, 12040);
         module(s, "550.54.14");
       },
       {"driver-missing: no driver is found"}},
      {"too old for the runtime",
       [](MemorySystem& s) {
         program_with(s, 12040);
         driver(s, "/usr/lib64", "470.256.02");
       },
       {"driver-too-old: the runtime is of CUDA 12.4, and the driver, 470.256.02, is too old for it: calls fail with "
        "error "
        "35 (driver version is insufficient); it takes driver 525.60.13 or newer | /usr/lib64/libcudart.so.12: 12.4"}},
      {"no library, and the module is too old",
       [](MemorySystem& s) {
         program_with(s, 13000);
         module(s, "550.54.14");
       },
       {"driver-missing: ", "driver-too-old: the runtime is of CUDA 13.0, and the driver, 550.54.14, is too old"}},
      {"a library of another driver than the module",
       [](MemorySystem& s) {
         program_with(s, 12040);
         driver(s, "/usr/lib64", "550.54.14");
         module(s, "550.90.07");
       },
       {"driver-mismatch: the driver's library is of 550.54.14, its loaded kernel module of 550.90.07"}},
      {"a stub",
       [](MemorySystem& s) {
         program_with(s, 12040);
         s.elf("/usr/lib64/libcuda.so.1", library().soname("libcuda.so.1"));
       },
       {"stub-library: /usr/lib64/libcuda.so.1, which the CUDA runtime gets for its driver, is a stub"}},
      {"forward compatibility where it is needless",
       [](MemorySystem& s) {
         program_with(s, 12040);
         driver(s, "/usr/local/cuda/compat", "550.54.14");
         s.env("LD_LIBRARY_PATH=/usr/local/cuda/compat");
         module(s, "560.35.05");
       },
       {"forward-compat: /usr/local/cuda/compat/libcuda.so.1 is a forward-compatible driver library (cuda-compat), but "
        "the "
        "host's driver 560.35.05 supports as much"}},
      {"forward compatibility with an older host",
       [](MemorySystem& s) {
         program_with(s, 12040);
         driver(s, "/usr/local/cuda/compat", "550.54.14");
         s.env("LD_LIBRARY_PATH=/usr/local/cuda/compat");
         module(s, "470.256.02");
       },
       {"forward-compat: /usr/local/cuda/compat/libcuda.so.1 is a forward-compatible driver library (cuda-compat): it "
        "is made for"}},
      {"forward compatibility that does not accept the host",
       [](MemorySystem& s) {
         program_with(s, 12040);
         const std::string text = R"({"CUDA Version": "12.9", "Driver": [550, 560]})";
         driver(s, "/usr/local/cuda/compat", "575.57.08",
                little(19) + little(static_cast<std::uint32_t>(text.size())) + little(1) +
                    std::string("NVIDIA Corporation\0\0", 20) + text);
         s.env("LD_LIBRARY_PATH=/usr/local/cuda/compat");
         module(s, "535.129.03");
       },
       {"forward-compat: /usr/local/cuda/compat/libcuda.so.1 is a forward-compatible driver library (cuda-compat) that "
        "does not accept the "
        "host's driver 535.129.03: calls fail with error 803 | it accepts the branches 550 560 (its note at file "
        "offset "}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Names lines = found(c.fill);
    CAPTURE(lines.size() == 0 ? std::string() : lines.front());
    REQUIRE(lines.size() == c.starts.size());
    for (std::size_t i = 0; i < lines.size(); ++i) CHECK(lines[i].substr(0, c.starts[i].size()) == c.starts[i]);
  }
}

TEST_CASE("cuBLAS and cuBLASLt are of one build") {
  const auto with = [](const std::string& blas, const std::string& light) {
    return [=](MemorySystem& s) {
      s.program(program_needing({"libcublas.so.12", "libcublasLt.so.12"}).runpath("/a:/b"));
      file_named(s, "/a/libcublas.so." + blas, "libcublas.so.12");
      file_named(s, "/b/libcublasLt.so." + light, "libcublasLt.so.12");
      s.files().add_symlink("/a/libcublas.so.12", "libcublas.so." + blas);
      s.files().add_symlink("/b/libcublasLt.so.12", "libcublasLt.so." + light);
    };
  };
  CHECK(found(with("12.4.5.8", "12.4.5.8")).empty());
  const Names mixed = found(with("12.4.5.8", "12.1.3.1"));
  REQUIRE(mixed.size() == 1);
  CHECK(mixed[0].starts_with("mixed-build: libcublas 12.4.5.8 runs with libcublasLt 12.1.3.1: "));
}

TEST_CASE("the parts of cuDNN are of one release, those that are opened later as well") {
  const auto with = [](const std::string& opened_release) {
    return [=](MemorySystem& s) {
      s.program(program_needing({"libcudnn.so.9"}).runpath("/a"));
      file_named(s, "/a/libcudnn.so.9.1.0", "libcudnn.so.9");
      s.files().add_symlink("/a/libcudnn.so.9", "libcudnn.so.9.1.0");
      file_named(s, "/b/libcudnn_ops.so." + opened_release, "libcudnn_ops.so.9");
      s.files().add_symlink("/b/libcudnn_ops.so.9", "libcudnn_ops.so." + opened_release);
      file_named(s, "/a/libcudnn_graph.so.9.1.0", "libcudnn_graph.so.9");
      s.files().add_symlink("/a/libcudnn_graph.so.9", "libcudnn_graph.so.9.1.0");
    };
  };
  Dlopens dlopens;
  dlopens.list = {opened("/a/libcudnn_graph.so.9")};
  CHECK(found(with("9.1.0"), dlopens).empty());
  dlopens.list.push_back(opened("/b/libcudnn_ops.so.9"));
  const Names apart = found(with("9.1.0"), dlopens);
  REQUIRE(apart.size() == 1);
  CHECK(apart[0].starts_with("mixed-build: parts of cuDNN come from two directories"));
  const Names mixed = found(with("9.5.1"), dlopens);
  REQUIRE(mixed.size() == 1);
  CHECK(mixed[0].starts_with("mixed-build: parts of two releases of cuDNN are loaded together, 9.1.0 and 9.5.1: "));
}

TEST_CASE("a framework and what it gets") {
  const auto with = [](std::uint32_t number, const std::string& cudnn, const std::string& version) {
    return [=](MemorySystem& s) {
      const std::string runtime_name = number < 12000 ? "libcudart.so.11.0" : "libcudart.so.12";
      s.program(program_needing({"libc10.so", runtime_name, "libcudnn.so.8"}).runpath("/sp/torch/lib:/n"));
      s.elf("/sp/torch/lib/libc10.so", library());
      s.files().add_file("/sp/torch/version.py", version);
      runtime(s, "/n/" + runtime_name, number);
      file_named(s, "/n/libcudnn.so." + cudnn, "libcudnn.so.8");
      s.files().add_symlink("/n/libcudnn.so.8", "libcudnn.so." + cudnn);
      driver(s, "/usr/lib64", "550.54.14");
    };
  };
  const std::string build = "__version__ = '2.1.2+cu121'\ncuda: Optional[str] = '12.1'\n";
  CHECK(found(with(12040, "8.9.2", build)).empty());
  const Names other_cuda = found(with(11080, "8.9.2", build));
  REQUIRE(other_cuda.size() == 1);
  CHECK(other_cuda[0].starts_with(
      "framework-build: torch 2.1.2+cu121 was built for CUDA 12.1, and a runtime of CUDA 11.8 is in"));
  const Names old_cudnn = found(with(12010, "8.5.0", build));
  REQUIRE(old_cudnn.size() == 1);
  CHECK(
      old_cudnn[0].starts_with("framework-build: torch 2.1.2+cu121 was compiled with cuDNN 8.9.2.26 and gets 8.5.0: "));
  CHECK(found(with(11080, "8.5.0", "__version__ = '2.1.2+cpu'\ncuda: Optional[str] = None\n")).empty());
}

TEST_CASE("what frameworks write about their build") {
  MemoryFileSystem files;
  files.add_file("/sp/torch/version.py",
                 "from typing import Optional\n__all__ = ['__version__', 'cuda']\n__version__ = '2.15.0+cu132'\n"
                 "debug = False\ncuda: Optional[str] = '13.2'\n");
  const auto torch = read_torch_build(files, "/sp");
  REQUIRE(torch.has_value());
  CHECK(torch->version == "2.15.0+cu132");
  CHECK(torch->release.text == "2.15.0");
  CHECK(torch->cuda.text == "13.2");
  CHECK(!read_torch_build(files, "/other"));
  files.add_file("/tf/tensorflow/python/platform/build_info.py",
                 "build_info = collections.OrderedDict([('cpu_compiler', 'clang'), ('cuda_version', '12.5.1'), "
                 "('cudnn_version', '9'), ('is_cuda_build', True)])\n");
  files.add_directory("/tf/tensorflow-2.18.0.dist-info");
  const auto tensorflow = read_tensorflow_build(files, "/tf");
  REQUIRE(tensorflow.has_value());
  CHECK(tensorflow->version == "2.18.0");
  CHECK(tensorflow->cuda.text == "12.5.1");
  CHECK(tensorflow->cudnn.text == "9");
  CHECK(torch_site_of("/sp/torch/lib/libc10.so") == "/sp");
  CHECK(torch_site_of("/sp/torch/lib/x/libc10.so").empty());
  CHECK(torch_site_of("/usr/lib/libc10.so").empty());
}

TEST_CASE("libraries of one name in two releases of CUDA, under users that are built for one") {
  const auto user = [](const Names& needs) {
    return [=](MemorySystem& s) {
      s.program(program_needing({"libuser.so"}));
      ElfSpec spec = library().soname("libuser.so").runpath("/opt/lib");
      for (const std::string& need : needs) spec.needed(need);
      s.files().add_file("/usr/lib64/libuser.so", write_elf(spec));
      runtime(s, "/opt/lib/libcudart.so.12", 12040);
    };
  };
  /// With the code of a runtime of `number` in its only segment.
  const auto carrying = [](const std::string& soname, std::uint32_t number) {
    ElfSpec spec = library().soname(soname);
    spec.padding_bytes = 4096;
    std::string bytes = write_elf(spec);
    return bytes.replace(bytes.find(std::string(1024, '\0')) + 512, 6, std::string("\xc7\x07", 2) + little(number));
  };
  const auto needing = [](const std::string& soname, const std::string& needed) {
    return write_elf(library().soname(soname).needed(needed));
  };
  struct Case {
    const char* why;
    std::string library;
    std::string bytes;
    const char* reported;  ///< what the problem begins with; empty: none
  };
  const std::string of_13 =
      "framework-build: /usr/lib64/libuser.so is built for CUDA 12 (it takes libcudart.so.12) and gets ";
  const std::string sparse = of_13 +
                             "libcusparse.so.12 of CUDA 13: its calls can fail or crash | /opt/lib/libcusparse.so.12 "
                             "is made for CUDA 13: it needs libnvJitLink.so.13";
  const std::string rand =
      of_13 +
      "libcurand.so.10 of CUDA 13.0: its calls can fail or crash | /opt/lib/libcurand.so.10 is made "
      "for CUDA 13.0: the CUDA runtime inside it answers 13000";
  const Case cases[] = {
      {"by what it needs", "libcusparse.so.12", needing("libcusparse.so.12", "libnvJitLink.so.13"), sparse.c_str()},
      {"which fits", "libcusparse.so.12", needing("libcusparse.so.12", "libnvJitLink.so.12"), ""},
      {"by the runtime that it carries", "libcurand.so.10", carrying("libcurand.so.10", 13000), rand.c_str()},
      {"which fits, too", "libcurand.so.10", carrying("libcurand.so.10", 12060), ""},
      {"not known", "libcurand.so.10", write_elf(library().soname("libcurand.so.10")), ""},
      {"no library of CUDA", "libz.so.1", carrying("libz.so.1", 13000), ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Names lines = found([&](MemorySystem& s) {
      user({"libcudart.so.12", c.library})(s);
      s.files().add_file("/opt/lib/" + c.library, c.bytes);
    });
    Names others;
    for (const std::string& line : lines) {
      if (line.find(" is built for CUDA ") != std::string::npos) others.push_back(line);
    }
    REQUIRE(others.size() == (*c.reported == '\0' ? 0 : 1));
    if (!others.empty()) CHECK_MESSAGE(others[0].starts_with(c.reported), others[0]);
  }
  // What is opened later, by one who opens others that tell: also where those are not there.
  Dlopen missing = opened("/opt/lib/libcublas.so.12");
  missing.is_found = false;
  const Names later = found(
      [&](MemorySystem& s) {
        program_with(s, 12040);
        s.files().add_file("/opt/lib/libcusparse.so.12", needing("libcusparse.so.12", "libnvJitLink.so.13"));
      },
      {{missing, opened("/opt/lib/libcusparse.so.12")}, {}});
  CHECK(std::any_of(later.begin(), later.end(), [](const std::string& line) {
    return line.starts_with(
        "framework-build: /x/opener is built for CUDA 12 (it takes libcublas.so.12) and gets "
        "libcusparse.so.12 of CUDA 13");
  }));
  // A source is built for nothing, whatever it opens.
  Dlopen by_source = opened("/opt/lib/libcublas.so.12");
  Dlopen next = opened("/opt/lib/libcusparse.so.12");
  by_source.opener = next.opener = "/sp/torch/__init__.py";
  const Names of_source = found(
      [&](MemorySystem& s) {
        program_with(s, 12040);
        s.files().add_file("/opt/lib/libcusparse.so.12", needing("libcusparse.so.12", "libnvJitLink.so.13"));
      },
      {{by_source, next}, {}});
  for (const std::string& line : of_source) CHECK_MESSAGE(line.find(" is built for CUDA ") == std::string::npos, line);
  // Several of one release are one problem.
  const Names folded = found([&](MemorySystem& s) {
    user({"libcudart.so.12", "libcusparse.so.12", "libnccl.so.2"})(s);
    s.files().add_file("/opt/lib/libcusparse.so.12", needing("libcusparse.so.12", "libnvJitLink.so.13"));
    s.files().add_file("/opt/lib/libnccl.so.2", needing("libnccl.so.2", "libcudart.so.13"));
  });
  CHECK(std::any_of(folded.begin(), folded.end(), [&](const std::string& line) {
    return line.starts_with(of_13 + "libcusparse.so.12, libnccl.so.2 of CUDA 13: ");
  }));
  // Who takes names of two releases is built for neither.
  const Names lines = found([&](MemorySystem& s) {
    user({"libcudart.so.12", "libcublas.so.11", "libcurand.so.10"})(s);
    s.files().add_file("/opt/lib/libcurand.so.10", carrying("libcurand.so.10", 13000));
  });
  for (const std::string& line : lines) CHECK_MESSAGE(line.find(" is built for CUDA ") == std::string::npos, line);
}
