// The doctor's first line on small machines in memory: devices, driver and frameworks, in order and not.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "cuda/contracts.h"
#include "soresolve/answer.h"
#include "soresolve/catalogue.h"
#include "soresolve/doctor.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

const std::string kSite = "/opt/venv/lib/python3.11/site-packages";

void add_loader(MemoryFileSystem& files) { files.add_file("/lib64/ld-linux-x86-64.so.2", write_loader()); }

void add_driver(MemoryFileSystem& files, const std::string& version) {
  files.add_file("/usr/lib64/libcuda.so." + version, write_elf(library().soname("libcuda.so.1").needed("libx.so")));
  files.add_symlink("/usr/lib64/libcuda.so.1", "libcuda.so." + version);
  files.add_file("/usr/lib64/libx.so", write_elf(library().soname("libx.so")));
}

void add_module(MemoryFileSystem& files, const std::string& version) {
  files.add_directory("/proc/self");
  files.add_file("/proc/driver/nvidia/version",
                 "NVRM version: NVIDIA UNIX x86_64 Kernel Module  " + version + "  Thu Oct 19 18:56:32 UTC 2023\n");
}

void add_gpu(MemoryFileSystem& files, const std::string& name) {
  files.add_file("/proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t " + name + "\nIRQ:   \t\t 171\n");
}

void add_torch(MemoryFileSystem& files, const std::string& release, const std::string& cuda) {
  files.add_file(kSite + "/torch/version.py",
                 "__version__ = '" + release + "'\ncuda: Optional[str] = '" + cuda + "'\n");
  files.add_file(kSite + "/torch/lib/libtorch_cuda.so", write_elf(library().soname("libtorch_cuda.so")));
}

void add_wheel(MemoryFileSystem& files, const std::string& metadata, const std::string& library_path) {
  files.add_directory(kSite + "/" + metadata + ".dist-info");
  files.add_file(kSite + "/" + library_path, write_elf(library()));
}

using Fill = std::function<void(MemoryFileSystem&)>;

WorldSettings settings_of(const Fill& fill) {
  auto files = std::make_shared<MemoryFileSystem>();
  add_loader(*files);
  fill(*files);
  WorldSettings settings;
  settings.where.files = files;
  settings.machine.cpu = "x86-64";
  return settings;
}

DoctorReport examined(const Fill& fill, const std::vector<std::string>& env = {}, std::vector<std::string> only = {}) {
  const WorldSettings settings = settings_of(fill);
  DoctorOptions options;
  options.contracts = built_in_contracts();
  options.only = std::move(only);
  for (const std::string& entry : env) options.environment.add(entry);
  Result<DoctorReport> report = examine_machine(settings, options);
  REQUIRE(report.has_value());
  return std::move(report).value();
}

std::string line_of(const DoctorReport& report) { return sentence(report.verdict.text, Language::English); }

const DoctorFramework* find_framework(const DoctorReport& report, std::string_view title) {
  for (const DoctorCheck& check : report.checks) {
    for (const DoctorFramework& framework : check.frameworks) {
      if (framework.title == title) return &framework;
    }
  }
  return nullptr;
}

/// Of the frameworks that are found, if there is one alone.
const DoctorFramework* only_framework(const DoctorReport& report) {
  for (const DoctorCheck& check : report.checks) {
    if (check.frameworks.size() == 1) return &check.frameworks.front();
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the first line says whether a GPU is usable here, and else why not") {
  struct Case {
    const char* why;
    Fill fill;
    std::vector<std::string> env;
    std::string line;
    std::string command;
    std::string backend;
  };
  const Case cases[] = {
      {"nothing",
       [](auto&) {},
       {},
       "no GPU is usable here: no driver is installed (libcuda.so.1 is found nowhere)",
       "",
       "cpu"},
      {"a container without its GPU",
       [](auto& files) {
         files.add_file("/.dockerenv", "");
         files.add_file("/dev/null", "");
         add_module(files, "535.129.03");
       },
       {},
       "no GPU is usable here: the container was started without it",
       "docker run --gpus all …",
       "cpu"},
      {"what the mounts of the NVIDIA runtime have left in an image",
       [](auto& files) {
         files.add_file("/usr/lib64/libcuda.so.1", "");
         files.add_file("/usr/lib64/libnvidia-ml.so.1", "");
       },
       {},
       "no GPU is usable here: /usr/lib64/libcuda.so.1 is empty (0 bytes): the image was built under the NVIDIA "
       "container runtime, which left its mount points behind, and it runs without --gpus",
       "sudo rm /usr/lib64/libcuda.so.1 /usr/lib64/libnvidia-ml.so.1",
       "cpu"},
      {"WSL, with a driver for Linux before that of Windows",
       [](auto& files) {
         files.add_file("/dev/dxg", "");
         files.add_file("/usr/lib/wsl/lib/libcuda.so.1", write_elf(library().soname("libcuda.so.1")));
         add_driver(files, "550.54.14");
       },
       {},
       "no GPU is usable here: /usr/lib64/libcuda.so.1 is a driver for Linux, and comes before "
       "/usr/lib/wsl/lib/libcuda.so.1: in WSL only the library of Windows' driver reaches the GPU",
       "",
       "cu128"},
      {"a driver whose module is not loaded",
       [](auto& files) {
         files.add_file("/dev/null", "");
         files.add_directory("/proc/self");
         add_driver(files, "550.54.14");
       },
       {},
       "no GPU is usable here: the kernel module nvidia is not loaded",
       "modprobe nvidia",
       "cu128"},
      {"no driver at all, on a machine that runs",
       [](auto& files) {
         files.add_file("/dev/null", "");
         files.add_directory("/proc/self");
       },
       {},
       "no GPU is usable here: no driver is installed (libcuda.so.1 is found nowhere)",
       "",
       "cpu"},
      {"torch without CUDA beside a GPU",
       [](auto& files) {
         add_module(files, "550.54.14");
         add_driver(files, "550.54.14");
         add_gpu(files, "NVIDIA A100-SXM4-80GB");
         files.add_file(kSite + "/torch/version.py", "__version__ = '2.6.0+cpu'\ncuda: Optional[str] = None\n");
         files.add_file(kSite + "/torch/lib/libtorch_cpu.so", write_elf(library().soname("libtorch_cpu.so")));
       },
       {},
       "driver 550.54.14 and the GPU here can be used; no framework for CUDA is in the places searched",
       "",
       "cu128"},
      {"nodes are missing",
       [](auto& files) {
         files.add_file("/dev/null", "");
         add_module(files, "550.54.14");
         add_driver(files, "550.54.14");
       },
       {},
       "no GPU is usable here: /dev/nvidia0 and /dev/nvidiactl are missing, though the kernel module is loaded",
       "nvidia-modprobe -u -c=0",
       "cu128"},
      {"library and module of two releases",
       [](auto& files) {
         add_module(files, "535.129.03");
         add_driver(files, "550.54.14");
       },
       {},
       "no GPU is usable here: libcuda 550.54.14 does not match kernel module 535.129.03 (error 803)",
       "",
       "cu128"},
      {"hidden by a variable",
       [](auto& files) {
         add_module(files, "550.54.14");
         add_driver(files, "550.54.14");
       },
       {"CUDA_VISIBLE_DEVICES="},
       "no GPU is usable here: CUDA_VISIBLE_DEVICES='' hides every GPU: error 100 (no device)",
       "unset CUDA_VISIBLE_DEVICES",
       "cu128"},
      {"a driver too old for torch",
       [](auto& files) {
         add_module(files, "470.256.02");
         add_driver(files, "470.256.02");
         add_gpu(files, "Tesla V100-SXM2-32GB");
         add_torch(files, "2.6.0+cu124", "12.4");
       },
       {},
       "driver 470.256.02 supports CUDA up to 11.4; torch 2.6.0+cu124 needs driver 525.60.13 or newer",
       "pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu118",
       "cu118"},
      {"everything fits",
       [](auto& files) {
         add_module(files, "550.54.14");
         add_driver(files, "550.54.14");
         add_gpu(files, "NVIDIA GeForce GTX 1080 Ti");
         add_torch(files, "2.6.0+cu124", "12.4");
       },
       {},
       "torch 2.6.0+cu124 fits driver 550.54.14 and the GPU here",
       "",
       "cu126"},
      {"no framework",
       [](auto& files) {
         add_module(files, "580.65.06");
         add_driver(files, "580.65.06");
         add_gpu(files, "NVIDIA GeForce RTX 4090");
       },
       {},
       "driver 580.65.06 and the GPU here can be used; no framework for CUDA is in the places searched",
       "",
       "cu130"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const DoctorReport report = examined(c.fill, c.env);
    CHECK(line_of(report) == c.line);
    CHECK(report.verdict.command.text() == c.command);
    CHECK(report.torch_backend == c.backend);
    CHECK(!sentence(report.verdict.text, Language::Chinese).empty());
  }
}

TEST_CASE("frameworks are found by their rows, with what their files tell") {
  const DoctorReport report = examined([](MemoryFileSystem& files) {
    add_torch(files, "2.6.0+cu124", "12.4");
    add_wheel(files, "onnxruntime_gpu-1.31.1", "onnxruntime/capi/libonnxruntime_providers_cuda.so");
    files.add_file(kSite + "/onnxruntime/capi/build_and_package_info.py",
                   "package_name = 'onnxruntime-gpu'\n__version__ = '1.31.1'\ncuda_version = '13.0'\n");
    add_wheel(files, "jax_cuda12_plugin-0.4.38", "jax_plugins/xla_cuda12/xla_cuda_plugin.so");
    add_wheel(files, "cupy_cuda11x-13.3.0", "cupy_backends/cuda/api/runtime.cpython-311-x86_64-linux-gnu.so");
    add_wheel(files, "ctranslate2-4.4.0", "ctranslate2/_ext.cpython-311-x86_64-linux-gnu.so");
    add_wheel(files, "faiss_gpu_cu12-1.14.1", "faiss/_swigfaiss.abi3.so");
    add_wheel(files, "xgboost-2.1.3", "xgboost/lib/libxgboost.so");
    add_wheel(files, "lightgbm-4.7.0", "lightgbm/lib/lib_lightgbm.so");
    add_wheel(files, "paddlepaddle_gpu-2.6.1", "paddle/base/libpaddle.so");
    files.add_file(kSite + "/paddle/version/__init__.py",
                   "full_version = '2.6.1'\ncuda_version = '11.8'\ncudnn_version = '8.6.0'\n");
    add_wheel(files, "tensorrt_cu12_libs-10.7.0", "tensorrt_libs/libnvinfer.so.10");
    add_wheel(files, "vllm-0.6.4", "vllm/_C.abi3.so");
    add_wheel(files, "bitsandbytes-0.50.2", "bitsandbytes/libbitsandbytes_cuda121.so");
    files.add_directory(kSite + "/numba_cuda-0.30.4.dist-info");
  });
  struct Case {
    std::string title, cuda, cudnn, driver;
    bool uses_cuda;
  };
  const Case cases[] = {
      {"torch 2.6.0+cu124", "12.4", "", "525.60.13", true},
      {"onnxruntime-gpu 1.31.1", "13.0", "", "580.65.06", true},
      {"jax-cuda12-plugin 0.4.38", "12", "", "525.60.13", true},
      {"cupy-cuda11x 13.3.0", "11", "", "450.80.02", true},
      {"ctranslate2 4.4.0", "", "", "", false},
      {"faiss-gpu-cu12 1.14.1", "12", "", "525.60.13", true},
      {"xgboost 2.1.3", "", "", "", false},
      {"lightgbm 4.7.0", "", "", "", false},
      {"paddlepaddle-gpu 2.6.1", "11.8", "8.6.0", "450.80.02", true},
      {"tensorrt-cu12-libs 10.7.0", "12", "", "525.60.13", true},
      {"vllm 0.6.4", "", "", "525.60.13", true},           // with torch's CUDA
      {"bitsandbytes 0.50.2", "", "", "525.60.13", true},  // likewise
      {"numba-cuda 0.30.4", "", "", "", true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.title);
    const DoctorFramework* framework = find_framework(report, c.title);
    REQUIRE(framework != nullptr);
    CHECK(framework->cuda.text == c.cuda);
    CHECK(framework->cudnn.text == c.cudnn);
    CHECK(framework->driver.text == c.driver);
    CHECK(framework->uses_cuda == c.uses_cuda);
  }
}

TEST_CASE("environments that PATH alone leads to are examined, directly and behind a shim") {
  const std::string site = "/srv/ml/.venv/lib/python3.11/site-packages";
  const auto add_torch = [&](MemoryFileSystem& files) {
    files.add_file(site + "/torch/version.py", "__version__ = '2.5.1+cu124'\ncuda: Optional[str] = '12.4'\n");
    files.add_file(site + "/torch/lib/libtorch_cuda.so", write_elf(library().soname("libtorch_cuda.so")));
    files.add_file("/srv/ml/.venv/bin/python3", write_elf(library()), 0755);
    files.add_file("/home/me/shims/python3", "#!/bin/sh\nexec /srv/ml/.venv/bin/python3 \"$@\"\n", 0755);
  };
  for (const char* path : {"PATH=/usr/bin:/srv/ml/.venv/bin", "PATH=/home/me/shims:/usr/bin"}) {
    CAPTURE(path);
    CHECK(find_framework(examined(add_torch, {path}, {"frameworks"}), "torch 2.5.1+cu124") != nullptr);
  }
  CHECK(find_framework(examined(add_torch, {"PATH=/usr/bin"}, {"frameworks"}), "torch 2.5.1+cu124") == nullptr);
}

TEST_CASE("packages beside torch that were built for another CUDA are named") {
  struct Case {
    std::string why;
    std::string package;
    std::string metadata;  ///< release there
    std::string version;   ///< that of version.py; empty: it has none
    std::string named;     ///< empty: all is well
  };
  const Case cases[] = {
      {"PyTorch's index", "torchaudio", "2.5.1+cu121", "", "torchaudio 2.5.1+cu121 beside torch 2.6.0+cu124"},
      {"PyPI", "torchaudio", "2.5.1", "2.5.1+cu121", "torchaudio 2.5.1+cu121 beside torch 2.6.0+cu124"},
      {"the same CUDA", "torchaudio", "2.6.0", "2.6.0+cu124", ""},
      {"built without CUDA", "torchaudio", "2.6.0", "2.6.0+cpu", ""},
      {"another minor number", "torchvision", "0.21.0", "0.21.0+cu121", ""},
      {"another major number", "torchvision", "0.21.0", "0.21.0+cu118",
       "torchvision 0.21.0+cu118 beside torch 2.6.0+cu124"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const DoctorReport report = examined(
        [&](MemoryFileSystem& files) {
          add_torch(files, "2.6.0+cu124", "12.4");
          files.add_directory(kSite + "/" + c.package + "-" + c.metadata + ".dist-info");
          if (!c.version.empty())
            files.add_file(kSite + "/" + c.package + "/version.py", "__version__ = '" + c.version + "'\n");
        },
        {}, {"frameworks"});
    std::string named;
    for (const DoctorCheck& check : report.checks) {
      for (const DoctorItem& item : check.items) {
        const std::string text = sentence(item.text, Language::English);
        if (text.find("built for different CUDA") != std::string::npos) named += text;
      }
    }
    CHECK(named == (c.named.empty() ? "" : c.named + ": built for different CUDA releases"));
  }
}

TEST_CASE("LD_LIBRARY_PATH is judged by the names in it that programs ask for") {
  struct Case {
    const char* why;
    const char* directory;
    std::vector<const char*> names;
    DoctorResult want;
  };
  const Case cases[] = {
      {"what the toolkit has: no program opens libcuda.so.1 there",
       "/usr/local/cuda/lib64/stubs",
       {"libcuda.so", "libcublas.so"},
       DoctorResult::Warn},
      {"as recipes of images link it",
       "/usr/local/cuda/lib64/stubs",
       {"libcuda.so", "libcuda.so.1"},
       DoctorResult::Fail},
      {"a driver alone, which no wheel brings",
       "/usr/local/nvidia/lib64",
       {"libcuda.so.1", "libnvidia-ml.so.1", "libnvidia-ptxjitcompiler.so.1"},
       DoctorResult::Pass},
      {"what wheels have as well", "/usr/local/nvidia/lib64", {"libcuda.so.1", "libcudart.so.12"}, DoctorResult::Warn},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const DoctorReport report = examined(
        [&](MemoryFileSystem& files) {
          for (const char* name : c.names)
            files.add_file(c.directory + std::string("/") + name, write_elf(library().soname(name)));
          files.add_file(kSite + "/nvidia/cuda_runtime/lib/libcudart.so.12", write_elf(library()));
        },
        {"VIRTUAL_ENV=/opt/venv", std::string("LD_LIBRARY_PATH=") + c.directory}, {"library-path"});
    REQUIRE(report.checks.size() == 1);
    CHECK(report.checks.front().result == c.want);
  }
}

TEST_CASE("libraries that a framework opens by name are counted, in wheels and elsewhere") {
  const auto add_jax = [](MemoryFileSystem& files) {
    add_wheel(files, "jax_cuda12_plugin-0.4.38", "jax_plugins/xla_cuda12/xla_cuda_plugin.so");
  };
  const DoctorReport none = examined(add_jax, {"VIRTUAL_ENV=/opt/venv"}, {"frameworks"});
  const DoctorFramework* jax = only_framework(none);
  REQUIRE(jax != nullptr);
  CHECK(jax->result == DoctorResult::Fail);
  REQUIRE(jax->commands.size() == 1);
  CHECK(jax->commands[0].text().ends_with("pip install 'jax[cuda12]==0.4.38'"));
  const DoctorReport some = examined(
      [&](MemoryFileSystem& files) {
        add_jax(files);
        files.add_file(kSite + "/nvidia/cuda_runtime/lib/libcudart.so.12", write_elf(library()));
        files.add_file("/usr/lib64/libcublas.so.12", write_elf(library().soname("libcublas.so.12")));
      },
      {"VIRTUAL_ENV=/opt/venv"}, {"frameworks"});
  jax = only_framework(some);
  REQUIRE(jax != nullptr);
  CHECK_MESSAGE(jax->result == DoctorResult::Warn, "some of them are there");
}

TEST_CASE("cupy is fit only with the libraries of the CUDA in the name of its distribution") {
  const auto cupy_with = [](const std::vector<std::string>& libraries) {
    const DoctorReport report = examined(
        [&](MemoryFileSystem& files) {
          add_wheel(files, "cupy_cuda12x-13.3.0", "cupy_backends/cuda/api/runtime.cpython-311-x86_64-linux-gnu.so");
          for (const std::string& library : libraries)
            files.add_file("/usr/lib64/" + library, write_elf(test::library().soname(library)));
        },
        {"VIRTUAL_ENV=/opt/venv"}, {"frameworks"});
    const DoctorFramework* cupy = only_framework(report);
    REQUIRE(cupy != nullptr);
    return *cupy;
  };
  std::vector<std::string> all = {"libcublas.so.12",   "libcufft.so.11",    "libcurand.so.10",
                                  "libcusolver.so.11", "libcusparse.so.12", "libnvrtc.so.12"};
  CHECK(cupy_with(all).problem.empty());
  all.front() = "libcublas.so.11";
  const DoctorFramework without = cupy_with(all);
  CHECK(without.result == DoctorResult::Fail);
  CHECK(sentence(without.problem, Language::English).find("libcublas.so.12") != std::string::npos);
  const std::string search =
      "export LD_LIBRARY_PATH=" + kSite + "/nvidia/cublas/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}";
  REQUIRE(without.commands.size() == 2);
  CHECK(without.commands[0].text().ends_with("pip install nvidia-cublas-cu12"));
  CHECK(without.commands[1].text() == search);
}

TEST_CASE("cupy 13 does not look into the wheels of NVIDIA, cupy 14 does") {
  for (const bool is_new : {false, true}) {
    CAPTURE(is_new);
    const DoctorReport report = examined(
        [&](MemoryFileSystem& files) {
          add_wheel(files, is_new ? "cupy_cuda12x-14.0.1" : "cupy_cuda12x-13.6.0",
                    "cupy_backends/cuda/api/runtime.cpython-311-x86_64-linux-gnu.so");
          const std::pair<const char*, const char*> libraries[] = {
              {"cublas", "libcublas.so.12"},     {"cufft", "libcufft.so.11"},       {"curand", "libcurand.so.10"},
              {"cusolver", "libcusolver.so.11"}, {"cusparse", "libcusparse.so.12"}, {"cuda_nvrtc", "libnvrtc.so.12"}};
          for (const auto& [part, name] : libraries)
            files.add_file(kSite + "/nvidia/" + part + "/lib/" + name, write_elf(library().soname(name)));
        },
        {"VIRTUAL_ENV=/opt/venv"}, {"frameworks"});
    const DoctorFramework* cupy = only_framework(report);
    REQUIRE(cupy != nullptr);
    CHECK((cupy->result == DoctorResult::Fail) != is_new);
    if (is_new) continue;
    REQUIRE(cupy->commands.size() == 1);
    CHECK(cupy->commands[0].text().starts_with("export LD_LIBRARY_PATH=" + kSite + "/nvidia/cublas/lib:"));
  }
}

TEST_CASE("a framework that has lost a file of its own wheel is installed again, as why says") {
  const std::string library_path = kSite + "/xgboost/lib/libxgboost.so";
  const auto fill = [&](MemoryFileSystem& files) {
    files.add_file(
        library_path,
        write_elf(library().soname("libxgboost.so").needed("libgomp-1.so").runpath("$ORIGIN/../../xgboost.libs")));
    files.add_file(kSite + "/xgboost-2.1.3.dist-info/RECORD",
                   "xgboost/lib/libxgboost.so,,\nxgboost.libs/libgomp-1.so,,\n");
    files.add_file(kSite + "/xgboost-2.1.3.dist-info/METADATA", "Name: xgboost\n");
  };
  const DoctorReport report = examined(fill);
  const DoctorFramework* xgboost = find_framework(report, "xgboost 2.1.3");
  REQUIRE(xgboost != nullptr);
  CHECK(xgboost->result == DoctorResult::Fail);
  REQUIRE(xgboost->commands.size() == 1);
  CHECK(xgboost->commands[0].text().find("--force-reinstall --no-deps") != std::string::npos);
  CHECK(xgboost->commands[0].text().ends_with(" xgboost==2.1.3"));
  World world(settings_of(fill));
  const Result<Answer> answer = ask(world, {.file = library_path});
  REQUIRE(answer.has_value());
  REQUIRE(answer->first_fix() != nullptr);
  CHECK(xgboost->commands == answer->first_fix()->commands);
  CHECK(xgboost->problem == answer->diagnosis().problems.front().what);
}

TEST_CASE("a container without its GPU is told by each check of the way to it") {
  for (const char* only : {"device-nodes", "kernel-module", "driver"}) {
    CAPTURE(only);
    const DoctorReport report = examined(
        [](MemoryFileSystem& files) {
          files.add_file("/.dockerenv", "");
          files.add_file("/dev/null", "");
          files.add_directory("/proc/self");
        },
        {}, {only});
    CHECK(line_of(report) == "no GPU is usable here: the container was started without it");
    CHECK(report.verdict.command == "docker run --gpus all …");
    CHECK(!report.is_healthy());
  }
}

TEST_CASE("torch without CUDA is offered the build that this driver and GPU take") {
  const DoctorReport report = examined([](MemoryFileSystem& files) {
    add_module(files, "550.54.14");
    add_driver(files, "550.54.14");
    add_gpu(files, "NVIDIA GeForce GTX 1080 Ti");
    files.add_file(kSite + "/torch/version.py", "__version__ = '2.6.0+cpu'\ncuda: Optional[str] = None\n");
    files.add_file(kSite + "/torch/lib/libtorch_cpu.so", write_elf(library().soname("libtorch_cpu.so")));
  });
  const DoctorFramework* torch = find_framework(report, "torch 2.6.0+cpu");
  REQUIRE(torch != nullptr);
  CHECK(torch->result == DoctorResult::Warn);
  CHECK(texts_of(torch->commands) == std::vector<std::string>{"pip install --force-reinstall torch --index-url "
                                                              "https://download.pytorch.org/whl/cu126"});
}

TEST_CASE("the GPU of a Jetson is told by its device tree") {
  MemoryFileSystem files;
  CHECK(!list_devices(files).has_value());
  files.add_file("/proc/device-tree/model", std::string("NVIDIA Jetson AGX Orin Developer Kit\0", 37));
  const auto names = list_devices(files);
  REQUIRE(names.has_value());
  CHECK(*names == std::vector<std::string>{"NVIDIA Jetson AGX Orin Developer Kit"});
  CHECK(find_device(built_in_contracts(), names->front())->capability == ComputeCapability{8, 7});
}
