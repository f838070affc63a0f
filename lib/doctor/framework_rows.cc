// The rows were read from wheels of these projects: torch 1.13 to 2.15, onnxruntime-gpu 1.20 and 1.31, tensorflow 2.18,
// jax 0.4 to 0.12, cupy 13 and 14, ctranslate2 4.4 and 4.8, faiss-gpu-cu12 1.14, bitsandbytes 0.45 and 0.50,
// xgboost 2.1, lightgbm 4.7, numba-cuda 0.30; paddle, tensorrt and vllm from their sources (2026-11). Nothing of them
// is executed.
#include "doctor/framework_rows.h"

#include <algorithm>

#include "soresolve/cuda.h"

namespace soresolve {
namespace {

using enum FrameworkLoad;

constexpr FrameworkRow kRows[] = {
    {"torch",
     {"torch"},
     {"torch/lib/libtorch_cuda.so", "torch/lib/libtorch_cuda_cpp.so", "torch/lib/libtorch_cpu.so"},  // _cpp: 1.9-1.12
     "",
     "torch/version.py",
     {"__version__", "cuda", ""},
     Alone},
    {"tensorflow",
     {"tensorflow", "tensorflow_gpu", "tensorflow_cpu"},
     {"tensorflow/libtensorflow_framework.so.2"},
     "tensorflow/libtensorflow_cc.so.2",
     "tensorflow/python/platform/build_info.py",
     {"", "cuda_version", "cudnn_version"},
     Alone},
    {"onnxruntime",
     {"onnxruntime_gpu", "onnxruntime"},
     {"onnxruntime/capi/libonnxruntime_providers_cuda.so", "onnxruntime/capi/onnxruntime_pybind11_state.*so"},
     "",
     "onnxruntime/capi/build_and_package_info.py",
     {"", "cuda_version", ""},
     Alone},
    {"jax CUDA plugin",
     {"jax_cuda13_plugin", "jax_cuda12_plugin", "jax_cuda11_plugin"},
     {"jax_plugins/xla_cuda*/xla_cuda_plugin.so"},
     "",
     "",
     {},
     Alone,
     "",
     "libcudart libnvrtc libcublas libcublasLt libcupti libcusparse libcusolver libcufft libcudnn libnccl",
     "jax[cuda{major}]"},
    {"cupy",
     {"cupy_cuda13x", "cupy_cuda12x", "cupy_cuda11x", "cupy"},
     {"cupy_backends/cuda/api/runtime.*so"},
     "",
     "",
     {},
     Alone,
     "",
     // Needed by the modules of cupy_backends/cuda/libs, without a RPATH; a package of CUDA preloads them, or nobody.
     "libcublas libcufft libcurand libcusolver libcusparse libnvrtc"},
    {"ctranslate2",
     {"ctranslate2"},
     {"ctranslate2/_ext.*so"},
     "ctranslate2.libs/libctranslate2-*",
     "",
     {},
     Alone,
     "libcublas"},
    {"faiss",
     {"faiss_gpu_cu12", "faiss_gpu_cu11", "faiss_gpu", "faiss_cpu"},
     {"faiss/_swigfaiss.*so", "faiss/_swigfaiss.so"},
     "",
     "",
     {},
     ByImport},
    {"xgboost", {"xgboost"}, {"xgboost/lib/libxgboost.so"}, "", "", {}, Alone},
    {"lightgbm", {"lightgbm"}, {"lightgbm/lib/lib_lightgbm.so", "lightgbm/lib_lightgbm.so"}, "", "", {}, Alone},
    {"paddle",
     {"paddlepaddle_gpu", "paddlepaddle"},
     {"paddle/base/libpaddle.so", "paddle/fluid/libpaddle.so"},
     "",
     "paddle/version/__init__.py",
     {"full_version", "cuda_version", "cudnn_version"},
     Alone,
     "",
     "libcublas libcublasLt libcudnn libcufft libcurand libcusolver libcusparse"},
    {"tensorrt",
     {"tensorrt_cu13_libs", "tensorrt_cu12_libs", "tensorrt_libs", "tensorrt"},
     {"tensorrt_libs/libnvinfer.so.*"},
     "",
     "",
     {},
     Alone},
    {"bitsandbytes", {"bitsandbytes"}, {"bitsandbytes/libbitsandbytes_cuda*.so"}, "", "", {}, AfterTorch},
    {"vllm", {"vllm"}, {"vllm/_C.*so"}, "", "", {}, AfterTorch},
    {"numba", {"numba_cuda", "numba"}, {}, "", "", {}, Never},
};

/// Does a name match a pattern with at most one '*'?
bool is_like(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  const std::string_view end = pattern.substr(star + 1);
  return name.size() + 1 >= pattern.size() && name.starts_with(pattern.substr(0, star)) && name.ends_with(end);
}

/// The first file that a pattern leads to, its parts taken one by one; empty: none.
std::string find_like(const FileSystem& files, std::string folder, std::string_view pattern) {
  while (!pattern.empty()) {
    const std::size_t slash = std::min(pattern.find('/'), pattern.size());
    const std::string_view part = pattern.substr(0, slash);
    pattern.remove_prefix(std::min(slash + 1, pattern.size()));
    if (part.find('*') == std::string_view::npos) {
      folder += "/" + std::string(part);
      continue;
    }
    const auto names = files.list_directory(folder);
    if (!names) return {};
    const auto name = std::find_if(names->begin(), names->end(), [&](const auto& each) { return is_like(each, part); });
    if (name == names->end()) return {};
    folder += "/" + *name;
  }
  return files.status(folder) ? folder : std::string();
}

/// The major number in "cupy-cuda12x", "tensorrt-cu12-libs", "faiss-gpu-cu12"; empty: none.
DottedVersion cuda_in_name(std::string_view package) {
  for (const std::string_view mark : {"cuda", "cu"}) {
    const std::size_t at = package.find(mark);
    if (at == std::string_view::npos || at + mark.size() + 2 > package.size()) continue;
    if (const auto major = leading_version(package.substr(at + mark.size(), 2))) return *major;
  }
  return {};
}

void read_build(const FileSystem& files, const std::string& site, FoundFramework& found) {
  const FrameworkRow& row = *found.row;
  if (!row.build_file.empty()) {
    const std::string path = site + "/" + std::string(row.build_file);
    const BuildFacts facts = read_build_facts(files, path, row.keys[0], row.keys[1], row.keys[2]);
    if (!facts.version.empty()) found.version = facts.version;
    found.cuda = facts.cuda;
    found.cudnn = facts.cudnn;
    if (!facts.cuda.empty() || !facts.version.empty()) found.told_by = path;
  }
  if (found.cuda.empty()) found.cuda = cuda_in_name(found.package);
}

}  // namespace

std::span<const FrameworkRow> framework_rows() { return kRows; }

std::string release_in(const Machine& machine, const std::string& site, std::string_view package) {
  const auto names = machine.files->list_directory(site);
  if (!names) return {};
  for (const std::string& name : *names) {
    const std::size_t end = name.find(".dist-info");
    const bool is_it = end != std::string::npos && name.starts_with(package) && name.size() > package.size() &&
                       name[package.size()] == '-';
    if (is_it) return name.substr(package.size() + 1, end - package.size() - 1);
  }
  return {};
}

std::vector<FoundFramework> find_frameworks(const Machine& machine, const std::string& site) {
  const FileSystem& files = *machine.files;
  std::vector<FoundFramework> all;
  for (const FrameworkRow& row : kRows) {
    FoundFramework found{&row, site, std::string(row.name), {}, {}, {}, {}, {}, {}};
    for (const std::string_view package : row.packages) {
      if (package.empty() || !found.version.empty()) continue;
      found.version = release_in(machine, site, package);
      if (found.version.empty()) continue;
      found.package = package;
      std::replace(found.package.begin(), found.package.end(), '_', '-');
    }
    for (const std::string_view library : row.libraries) {
      if (library.empty() || !found.library.empty()) continue;
      found.library = find_like(files, site, library);
    }
    const bool is_here = row.load == Never ? !found.version.empty() : !found.library.empty();
    if (!is_here) continue;
    found.code = row.code.empty() ? found.library : find_like(files, site, row.code);
    read_build(files, site, found);
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace soresolve
