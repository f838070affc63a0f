// The table of what brings a library, and its look-up: the first row that fits counts.
//
// Sources: SONAMEs by release of CUDA, cuDNN, NCCL: the reference "cuda-facts", section 1, read from the files of 11.2
// to 13.0. Wheels that torch, TensorFlow, JAX and onnxruntime require: their METADATA (reference "frameworks", section
// 1). From CUDA 13 on NVIDIA's wheels have no suffix -cuNN, but cuDNN, NCCL, cuSPARSELt and NVSHMEM keep it, since
// their own numbers do not tell the CUDA. conda: conda-forge's packages of CUDA 12 and newer; cudatoolkit up to 11.
// Debian: names of Debian 12; Ubuntu and newer Debian have the same or provide them (libglib2.0-0t64 provides
// libglib2.0-0).
#include "host/what_brings.h"

#include <algorithm>
#include <array>

#include "host/host_driver.h"

namespace soresolve {
namespace {

struct PackageRow {
  std::string_view stem;    ///< of the name before ".so"; `*` at its end: begins so
  std::string_view number;  ///< behind ".so."; "": any or none; `*` at its end: begins so
  std::string_view product;
  std::array<std::string_view, 3> wheels = {};  ///< requirements of pip; {number} is the SONAME's
  std::string_view conda = {};                  ///< what `conda install -c conda-forge` takes
};

constexpr PackageRow kPackageRows[] = {
    // CUDA's runtime. Each 10.x and older has a name of its own and no wheel.
    {"libcudart", "13", "CUDA 13", {"nvidia-cuda-runtime==13.*"}, "cuda-cudart cuda-version=13"},
    {"libcudart", "12", "CUDA 12", {"nvidia-cuda-runtime-cu12"}, "cuda-cudart cuda-version=12"},
    {"libcudart", "11.0", "CUDA 11", {"nvidia-cuda-runtime-cu11"}, "cudatoolkit=11.8"},
    {"libcudart", "10.*", "CUDA {number}", {}, "cudatoolkit={number}"},
    {"libcudart", "9.*", "CUDA {number}", {}, "cudatoolkit={number}"},

    {"libcublas*", "13", "CUDA 13", {"nvidia-cublas==13.*"}, "libcublas cuda-version=13"},
    {"libcublas*", "12", "CUDA 12", {"nvidia-cublas-cu12"}, "libcublas cuda-version=12"},
    {"libcublas*", "11", "CUDA 11", {"nvidia-cublas-cu11"}, "cudatoolkit=11.8"},
    {"libcublas*", "10", "CUDA 10.1 and 10.2", {}, "cudatoolkit=10.2"},

    {"libcufft*", "12", "CUDA 13", {"nvidia-cufft==12.*"}, "libcufft cuda-version=13"},
    {"libcufft*", "11", "CUDA 12", {"nvidia-cufft-cu12"}, "libcufft cuda-version=12"},
    {"libcufft*", "10", "CUDA 11", {"nvidia-cufft-cu11"}, "cudatoolkit=11.8"},

    {"libcurand",
     "10",
     "CUDA 11, 12 and 13",
     {"nvidia-curand-cu12", "nvidia-curand-cu11", "nvidia-curand"},
     "libcurand"},

    {"libcusolver*", "12", "CUDA 13", {"nvidia-cusolver==12.*"}, "libcusolver cuda-version=13"},
    // One name in two releases: only their own needs (libcublas.so.11 or .12) tell them apart.
    {"libcusolver*", "11", "CUDA 11 and 12", {"nvidia-cusolver-cu12", "nvidia-cusolver-cu11"}, "libcusolver"},

    {"libcusparse", "12", "CUDA 12 and 13", {"nvidia-cusparse-cu12", "nvidia-cusparse==12.*"}, "libcusparse"},
    {"libcusparse", "11", "CUDA 11", {"nvidia-cusparse-cu11"}, "cudatoolkit=11.8"},
    {"libcusparse", "10", "CUDA 10", {}, "cudatoolkit=10.2"},

    {"libnvJitLink", "13", "CUDA 13", {"nvidia-nvjitlink==13.*"}, "libnvjitlink cuda-version=13"},
    {"libnvJitLink", "12", "CUDA 12", {"nvidia-nvjitlink-cu12"}, "libnvjitlink cuda-version=12"},

    {"libnvrtc", "13", "CUDA 13", {"nvidia-cuda-nvrtc==13.*"}, "cuda-nvrtc cuda-version=13"},
    {"libnvrtc", "12", "CUDA 12", {"nvidia-cuda-nvrtc-cu12"}, "cuda-nvrtc cuda-version=12"},
    {"libnvrtc", "11.2", "CUDA 11.2 to 11.8", {"nvidia-cuda-nvrtc-cu11"}, "cudatoolkit=11.8"},
    {"libnvrtc", "11.*", "CUDA {number}", {}, "cudatoolkit={number}"},
    {"libnvrtc", "10.*", "CUDA {number}", {}, "cudatoolkit={number}"},
    // Of exactly the release of libnvrtc: the number has the minor release.
    {"libnvrtc-builtins",
     "13.*",
     "CUDA {number}",
     {"nvidia-cuda-nvrtc=={number}.*"},
     "cuda-nvrtc cuda-version={number}"},
    {"libnvrtc-builtins",
     "12.*",
     "CUDA {number}",
     {"nvidia-cuda-nvrtc-cu12=={number}.*"},
     "cuda-nvrtc cuda-version={number}"},
    {"libnvrtc-builtins", "11.*", "CUDA {number}", {"nvidia-cuda-nvrtc-cu11=={number}.*"}, "cudatoolkit={number}"},

    {"libcupti", "13", "CUDA 13", {"nvidia-cuda-cupti==13.*"}, "cuda-cupti cuda-version=13"},
    {"libcupti", "12", "CUDA 12", {"nvidia-cuda-cupti-cu12"}, "cuda-cupti cuda-version=12"},
    {"libcupti", "11.*", "CUDA {number}", {"nvidia-cuda-cupti-cu11=={number}.*"}, {}},

    {"libnpp*", "13", "CUDA 13", {"nvidia-npp==13.*"}, "libnpp cuda-version=13"},
    {"libnpp*", "12", "CUDA 12", {"nvidia-npp-cu12"}, "libnpp cuda-version=12"},
    {"libnpp*", "11", "CUDA 11", {"nvidia-npp-cu11"}, "cudatoolkit=11.8"},
    {"libnvjpeg", "13", "CUDA 13", {"nvidia-nvjpeg==13.*"}, "libnvjpeg cuda-version=13"},
    {"libnvjpeg", "12", "CUDA 12", {"nvidia-nvjpeg-cu12"}, "libnvjpeg cuda-version=12"},
    {"libnvjpeg", "11", "CUDA 11", {"nvidia-nvjpeg-cu11"}, {}},
    {"libcufile*", "0", "CUDA 11.4 and newer", {"nvidia-cufile-cu12", "nvidia-cufile"}, "libcufile"},
    // Gone since 12.9; the wheel of 12.4 was read and has it.
    {"libnvToolsExt", "1", "CUDA up to 12.8", {"nvidia-nvtx-cu12==12.4.*", "nvidia-nvtx-cu11"}, {}},

    // Parts with numbers of their own.
    {"libcudnn*", "9", "cuDNN 9", {"nvidia-cudnn-cu12>=9", "nvidia-cudnn-cu13"}, "cudnn=9"},
    {"libcudnn*", "8", "cuDNN 8", {"nvidia-cudnn-cu12<9", "nvidia-cudnn-cu11<9"}, "cudnn=8"},
    {"libcudnn*", "7", "cuDNN 7", {}, "cudnn=7"},
    {"libnccl", "2", "NCCL", {"nvidia-nccl-cu12", "nvidia-nccl-cu13"}, "nccl"},
    {"libcusparseLt", "0", "cuSPARSELt", {"nvidia-cusparselt-cu12", "nvidia-cusparselt-cu13"}, "cusparselt"},
    {"libnvshmem_host", "3", "NVSHMEM 3", {"nvidia-nvshmem-cu12", "nvidia-nvshmem-cu13"}, "libnvshmem3"},
    {"libcutensor*", "2", "cuTENSOR 2", {"cutensor-cu12", "cutensor-cu13"}, "cutensor"},
    {"libnvinfer*", "8", "TensorRT 8", {"tensorrt==8.6.*"}, {}},
    {"libnvinfer*", "1*", "TensorRT {number}", {"tensorrt-cu12=={number}.*", "tensorrt-cu13=={number}.*"}, {}},
    {"libnvonnxparser", "8", "TensorRT 8", {"tensorrt==8.6.*"}, {}},
    {"libnvonnxparser", "1*", "TensorRT {number}", {"tensorrt-cu12=={number}.*", "tensorrt-cu13=={number}.*"}, {}},

    // Of others that Python's wheels need.
    {"libmkl_*", "", "Intel MKL", {"mkl"}, "mkl"},
    {"libiomp5", "", "Intel's OpenMP", {"intel-openmp"}, "intel-openmp"},
    {"libtbb", "12", "oneTBB", {"tbb"}, "tbb"},
    {"libtorch", "", "PyTorch", {"torch"}, "pytorch"},
    {"libtorch_*", "", "PyTorch", {"torch"}, "pytorch"},
    {"libc10", "", "PyTorch", {"torch"}, "pytorch"},
    {"libc10_*", "", "PyTorch", {"torch"}, "pytorch"},
};

struct DebianRow {
  std::string_view soname;
  std::string_view package;
};
constexpr DebianRow kDebianRows[] = {
    {"libEGL.so.1", "libegl1"},
    {"libGL.so.1", "libgl1"},
    {"libGLESv2.so.2", "libgles2"},
    {"libGLU.so.1", "libglu1-mesa"},
    {"libGLX.so.0", "libglx0"},
    {"libICE.so.6", "libice6"},
    {"libOpenCL.so.1", "ocl-icd-libopencl1"},
    {"libOpenGL.so.0", "libopengl0"},
    {"libSM.so.6", "libsm6"},
    {"libX11.so.6", "libx11-6"},
    {"libXcursor.so.1", "libxcursor1"},
    {"libXext.so.6", "libxext6"},
    {"libXfixes.so.3", "libxfixes3"},
    {"libXi.so.6", "libxi6"},
    {"libXinerama.so.1", "libxinerama1"},
    {"libXrandr.so.2", "libxrandr2"},
    {"libXrender.so.1", "libxrender1"},
    {"libXt.so.6", "libxt6"},
    {"libasound.so.2", "libasound2"},
    {"libatomic.so.1", "libatomic1"},
    {"libblas.so.3", "libblas3"},
    {"libcrypt.so.1", "libcrypt1"},
    {"libcrypto.so.3", "libssl3"},
    {"libdbus-1.so.3", "libdbus-1-3"},
    {"libffi.so.8", "libffi8"},
    {"libfftw3.so.3", "libfftw3-double3"},
    {"libfontconfig.so.1", "libfontconfig1"},
    {"libfreetype.so.6", "libfreetype6"},
    {"libgcc_s.so.1", "libgcc-s1"},
    {"libgfortran.so.5", "libgfortran5"},
    {"libgio-2.0.so.0", "libglib2.0-0"},
    {"libglib-2.0.so.0", "libglib2.0-0"},
    {"libgmodule-2.0.so.0", "libglib2.0-0"},
    {"libgobject-2.0.so.0", "libglib2.0-0"},
    {"libgomp.so.1", "libgomp1"},
    {"libgthread-2.0.so.0", "libglib2.0-0"},
    {"libgtk-3.so.0", "libgtk-3-0"},
    {"libibverbs.so.1", "libibverbs1"},
    {"libjemalloc.so.2", "libjemalloc2"},
    {"liblapack.so.3", "liblapack3"},
    {"libmagic.so.1", "libmagic1"},
    {"libmpi.so.40", "libopenmpi3"},
    {"libnss3.so", "libnss3"},
    {"libnuma.so.1", "libnuma1"},
    {"libopenblas.so.0", "libopenblas0"},
    {"libpng16.so.16", "libpng16-16"},
    {"libportaudio.so.2", "libportaudio2"},
    {"libpulse.so.0", "libpulse0"},
    {"libquadmath.so.0", "libquadmath0"},
    {"librdmacm.so.1", "librdmacm1"},
    {"libsndfile.so.1", "libsndfile1"},
    {"libsqlite3.so.0", "libsqlite3-0"},
    {"libssl.so.3", "libssl3"},
    {"libstdc++.so.6", "libstdc++6"},
    {"libtcmalloc.so.4", "libgoogle-perftools4"},
    {"libtinfo.so.6", "libtinfo6"},
    {"libunwind.so.8", "libunwind8"},
    {"libusb-1.0.so.0", "libusb-1.0-0"},
    {"libva.so.2", "libva2"},
    {"libvulkan.so.1", "libvulkan1"},
    {"libxcb.so.1", "libxcb1"},
    {"libxkbcommon.so.0", "libxkbcommon0"},
    {"libxml2.so.2", "libxml2"},
    {"libz.so.1", "zlib1g"},
    {"libzbar.so.0", "libzbar0"},
};

/// `*` at the end of `pattern` stands for anything.
bool fits(std::string_view pattern, std::string_view text) {
  if (!pattern.ends_with('*')) return pattern == text;
  pattern.remove_suffix(1);
  return text.starts_with(pattern);
}

std::string with_number(std::string_view text, std::string_view number) {
  constexpr std::string_view kPlace = "{number}";
  std::string result(text);
  if (const std::size_t place = result.find(kPlace); place != std::string::npos) {
    result.replace(place, kPlace.size(), number);
  }
  return result;
}

/// Numbers go into commands, so they are what a release is made of and nothing else.
bool is_release(std::string_view number) {
  return number.size() <= 8 && number.find_first_not_of("0123456789.") == std::string_view::npos;
}

WhatBrings of_row(const PackageRow& row, std::string_view name, std::string_view number) {
  WhatBrings brings;
  std::string wheels;
  for (const std::string_view wheel : row.wheels) {
    if (wheel.empty()) break;
    const std::string requirement = with_number(wheel, number);
    if (!wheels.empty()) wheels += ", ";
    wheels += requirement.substr(0, requirement.find_first_of("<>="));
    brings.commands.push_back("pip install " + shell_word(requirement));
    brings.wheels.push_back(requirement);
  }
  const std::string conda = with_number(row.conda, number);
  if (!conda.empty()) {
    CommandText command = "conda install -c conda-forge";
    for (std::string_view rest = conda; !rest.empty(); rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()))) {
      command += " " + shell_word(rest.substr(0, rest.find(' ')));
      if (rest.find(' ') == std::string_view::npos) break;
    }
    brings.commands.push_back(std::move(command));
  }
  const std::string product = with_number(row.product, number);
  if (wheels.empty()) {
    brings.what =
        say("brought-by-conda",
            {{"library", name}, {"product", product}, {"package", conda.substr(0, conda.find_first_of(" ="))}});
  } else {
    brings.what = say("brought-by-wheel", {{"library", name}, {"product", product}, {"wheels", wheels}});
  }
  return brings;
}

/// "libcudnn_ops.so.9" is libcudnn_ops and 9; nullopt for other names.
std::optional<std::pair<std::string_view, std::string_view>> stem_and_number(std::string_view soname) {
  if (const std::size_t slash = soname.rfind('/'); slash != std::string_view::npos) soname.remove_prefix(slash + 1);
  const std::size_t so = soname.find(".so");
  if (so == std::string_view::npos) return std::nullopt;
  std::string_view number = soname.substr(so + 3);
  if (!number.empty() && !number.starts_with('.')) return std::nullopt;
  if (!number.empty()) number.remove_prefix(1);
  if (!is_release(number)) return std::nullopt;
  return std::pair(soname.substr(0, so), number);
}

bool fits(const PackageRow& row, std::string_view stem, std::string_view number) {
  return fits(row.stem, stem) && (row.number.empty() || fits(row.number, number));
}

}  // namespace

// Read in the wheels themselves: cuda-runtime of CUDA 11.8, 12.9 and 13.5, CUPTI, NVTX and cuFile of 12.9, tbb 2023.
// The others are taken to follow the same scheme.
std::optional<WheelFolder> folder_of_wheel(std::string_view requirement) {
  struct Place {
    std::string_view path;
    bool is_of_prefix = false;
  };
  constexpr std::pair<std::string_view, Place> kPlaces[] = {
      {"cutensor", {"cutensor/lib"}}, {"tensorrt", {"tensorrt_libs"}}, {"torch", {"torch/lib"}},
      {"mkl", {"lib", true}},         {"intel-openmp", {"lib", true}}, {"tbb", {"lib", true}}};
  constexpr std::string_view kOfNvidia = "nvidia-";
  std::string wheel(requirement.substr(0, requirement.find_first_of(" <>=!~;[")));
  const std::size_t suffix = wheel.rfind("-cu1");
  const bool has_suffix = suffix != std::string::npos;
  if (has_suffix) wheel.resize(suffix);
  for (const auto& [name, place] : kPlaces) {
    if (wheel == name) return WheelFolder{std::string(place.path), place.is_of_prefix};
  }
  if (!wheel.starts_with(kOfNvidia)) return std::nullopt;
  // Since CUDA 13 all parts that have its own number lie in one folder.
  if (!has_suffix) return WheelFolder{"nvidia/cu13/lib"};
  wheel.erase(0, kOfNvidia.size());
  std::replace(wheel.begin(), wheel.end(), '-', '_');
  return WheelFolder{"nvidia/" + wheel + "/lib"};
}

bool is_in_wheel(std::string_view soname, std::string_view wheel) {
  const auto name = stem_and_number(soname);
  return name && std::any_of(std::begin(kPackageRows), std::end(kPackageRows), [&](const PackageRow& row) {
           const bool has_wheel = std::any_of(row.wheels.begin(), row.wheels.end(), [&](std::string_view one) {
             return !one.empty() && one.substr(0, one.find_first_of("<>=")) == wheel;
           });
           return has_wheel && fits(row, name->first, name->second);
         });
}

std::string wheel_for_cuda(std::string_view soname, std::uint32_t cuda) {
  // From 13 on without a suffix, but for parts with numbers of their own.
  constexpr std::uint32_t kFirstWithoutSuffix = 13;
  const auto name = stem_and_number(soname);
  if (!name) return {};
  std::string plain;
  for (const PackageRow& row : kPackageRows) {
    if (!fits(row, name->first, name->second)) continue;
    for (const std::string_view wheel : row.wheels) {
      const std::string_view bare = wheel.substr(0, wheel.find_first_of("<>="));
      if (bare.ends_with("-cu" + std::to_string(cuda))) return std::string(wheel);
      if (!bare.empty() && bare.find("-cu1") == std::string_view::npos) plain = wheel;
    }
  }
  return cuda >= kFirstWithoutSuffix ? plain : std::string();
}

std::optional<WhatBrings> what_brings(std::string_view soname) {
  if (const std::size_t slash = soname.rfind('/'); slash != std::string_view::npos) soname.remove_prefix(slash + 1);
  const auto debian = std::find_if(std::begin(kDebianRows), std::end(kDebianRows),
                                   [&](const DebianRow& row) { return row.soname == soname; });
  if (debian != std::end(kDebianRows)) {
    // dnf and zypper find a package by what it provides; the mark of 64 bits is part of that name.
    return WhatBrings{say("brought-by-distribution", {{"library", soname}, {"package", debian->package}}),
                      {"sudo apt install " + shell_word(debian->package),
                       "sudo dnf install " + shell_word(std::string(soname) + "()(64bit)")}};
  }
  const auto name = stem_and_number(soname);
  if (!name) return std::nullopt;
  if (is_of_driver(soname)) {
    return WhatBrings{say("brought-by-driver", {{"library", soname}}), {}};
  }
  const auto row = std::find_if(std::begin(kPackageRows), std::end(kPackageRows), [&](const PackageRow& candidate) {
    return fits(candidate, name->first, name->second);
  });
  if (row == std::end(kPackageRows)) return std::nullopt;
  return of_row(*row, soname, name->second);
}

}  // namespace soresolve
