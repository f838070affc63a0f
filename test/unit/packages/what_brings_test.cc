// What brings a library: by its SONAME, whose number is not CUDA's.
#include "packages/what_brings.h"

#include <doctest/doctest.h>

#include <string>

#include "soresolve/catalogue.h"

using namespace soresolve;

TEST_CASE("a library of CUDA is brought by the wheel of its release") {
  struct Case {
    const char* why;
    const char* soname;
    const char* command;
    const char* said;
  };
  const Case cases[] = {
      {"a wheel of its own for CUDA 12", "libcudart.so.12", "pip install nvidia-cuda-runtime-cu12", "CUDA 12"},
      {"no suffix since CUDA 13", "libcudart.so.13", "pip install 'nvidia-cuda-runtime==13.*'", "CUDA 13"},
      {"all of 11.x is 11.0", "libcudart.so.11.0", "pip install nvidia-cuda-runtime-cu11", "CUDA 11"},
      {"10.x has no wheel", "libcudart.so.10.2", "conda install -c conda-forge cudatoolkit=10.2", "no wheel"},
      {"a path", "/opt/x/libcublasLt.so.12", "pip install nvidia-cublas-cu12", "libcublasLt.so.12 belongs"},
      {"the number of cuFFT is not CUDA's", "libcufft.so.11", "pip install nvidia-cufft-cu12", "CUDA 12"},
      {"one number for two releases", "libcusolver.so.11", "pip install nvidia-cusolver-cu12", "CUDA 11 and 12"},
      {"the same, 12 and 13", "libcusparse.so.12", "pip install nvidia-cusparse-cu12",
       "nvidia-cusparse-cu12, nvidia-cus"},
      {"cuDNN keeps the suffix", "libcudnn.so.9", "pip install 'nvidia-cudnn-cu12>=9'", "nvidia-cudnn-cu13"},
      {"a part of cuDNN 8", "libcudnn_ops_infer.so.8", "pip install 'nvidia-cudnn-cu12<9'", "cuDNN 8"},
      {"cuSPARSELt is not cuSPARSE", "libcusparseLt.so.0", "pip install nvidia-cusparselt-cu12", "cuSPARSELt"},
      {"the minor release counts", "libnvrtc-builtins.so.12.4", "pip install 'nvidia-cuda-nvrtc-cu12==12.4.*'", "12.4"},
      {"CUPTI of 11 as well", "libcupti.so.11.7", "pip install 'nvidia-cuda-cupti-cu11==11.7.*'", "CUDA 11.7"},
      {"CUPTI 12", "libcupti.so.12", "pip install nvidia-cuda-cupti-cu12", "CUDA 12"},
      {"TensorRT", "libnvinfer.so.10", "pip install 'tensorrt-cu12==10.*'", "TensorRT 10"},
      {"TensorRT's parts", "libnvinfer_plugin.so.8", "pip install 'tensorrt==8.6.*'", "TensorRT 8"},
      {"NCCL", "libnccl.so.2", "pip install nvidia-nccl-cu12", "NCCL"},
      {"any number of MKL", "libmkl_intel_lp64.so.2", "pip install mkl", "Intel MKL"},
      {"torch's own", "libc10_cuda.so", "pip install torch", "PyTorch"},
      {"of the distribution", "libGL.so.1", "sudo apt install libgl1", "libgl1"},
      {"OpenSSL that newer distributions dropped", "libssl.so.1.1", "conda install -c conda-forge openssl=1.1.1",
       "libssl1.1 of Debian 11"},
      {"its other half", "libcrypto.so.1.1", "conda install -c conda-forge openssl=1.1.1", "OpenSSL 1.1.1"},
      {"OpenSSL of now", "libssl.so.3", "sudo apt install libssl3", "libssl3"},
      {"what Qt's plugin needs", "libxcb-cursor.so.0", "sudo apt install libxcb-cursor0", "libxcb-cursor0"},
      {"Open MPI's C++", "libmpi_cxx.so.40", "sudo apt install libopenmpi3", "libopenmpi3"},
      {"ODBC", "libodbc.so.2", "sudo apt install libodbc2", "libodbc2"},
      {"HIP", "libamdhip64.so.5", "sudo apt install libamdhip64-5", "libamdhip64-5"},
      {"HSA", "libhsa-runtime64.so.1", "sudo apt install libhsa-runtime64-1", "libhsa-runtime64-1"},
      {"FFmpeg of the distribution", "libavutil.so.57", "sudo apt install libavutil57", "libavutil57"},
      {"FFmpeg of another release", "libavcodec.so.60", "conda install -c conda-forge ffmpeg=6", "FFmpeg 6"},
      {"several in one package", "libgthread-2.0.so.0", "sudo apt install libglib2.0-0", "libglib2.0-0"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::optional<WhatBrings> brings = what_brings(c.soname);
    REQUIRE(brings.has_value());
    REQUIRE_FALSE(brings->commands.empty());
    CHECK(brings->commands.front().text() == c.command);
    const std::string said = sentence(brings->what, Language::English);
    CAPTURE(said);
    CHECK(said.find(c.said) != std::string::npos);
    CHECK(said.find('{') == std::string::npos);
    CHECK(sentence(brings->what, Language::Chinese) != said);
  }
}

TEST_CASE("dnf is asked for what a package provides") {
  const std::optional<WhatBrings> brings = what_brings("libSM.so.6");
  REQUIRE(brings.has_value());
  REQUIRE(brings->commands.size() == 2);
  CHECK(brings->commands[1] == "sudo dnf install 'libSM.so.6()(64bit)'");
}

TEST_CASE("the driver's libraries are nothing to install with pip") {
  for (const char* soname : {"libcuda.so.1", "libcuda.so", "libnvidia-ml.so.1", "libnvidia-ptxjitcompiler.so.1",
                             "libnvcuvid.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}) {
    CAPTURE(soname);
    const std::optional<WhatBrings> brings = what_brings(soname);
    REQUIRE(brings.has_value());
    CHECK(brings->commands.empty());
    CHECK(brings->what.sentence == "brought-by-driver");
  }
}

TEST_CASE("of other libraries, and of numbers that no release has, nothing is said") {
  for (const char* soname :
       {"", "libfoo.so.1", "libcudart.so", "libcudart.so.14", "libcudart.so.1", "libcudart.so.12.4.127", "libcudart",
        "libcudart.so.13'; rm -rf x", "libcudart.so.10.$(x)", "libcudartx.so.12", "xlibcudart.so.12", "libGL.so.2",
        "libcudnn.so.6", "libnvrtc-builtins.so.", "libnvidia-container.so.1", "libtorchaudio.so",
        "libcudart.solid.12"}) {
    CAPTURE(soname);
    CHECK_FALSE(what_brings(soname).has_value());
  }
}
