// cuDNN: version, version checks of its parts, one convolution compared with a plain kernel in result and time. Source:
// cuDNN 8 and 9 API references (legacy calls). The graph API is not used.
#include <cuda.h>
#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <future>

#include "base/path.h"
#include "convolution.h"
#include "cuda/driver.h"
#include "gpu_timing.h"
#include "kernels.h"
#include "library_steps.h"
#include "status_text.h"

namespace soresolve::confirm {
namespace {

/// Of cuDNN 9, then 8; each answers for one part.
constexpr const char* kVersionChecks[] = {
    "cudnnGraphVersionCheck",    "cudnnOpsVersionCheck",      "cudnnCnnVersionCheck",      "cudnnAdvVersionCheck",
    "cudnnOpsInferVersionCheck", "cudnnCnnInferVersionCheck", "cudnnAdvInferVersionCheck", "cudnnOpsTrainVersionCheck",
    "cudnnCnnTrainVersionCheck", "cudnnAdvTrainVersionCheck"};

/// The parts of cuDNN that this process has, against those that were predicted.
Outcome compare_parts(const Session& session, const PlannedLoad& load, Outcome outcome) {
  std::vector<LoadedFile> predicted;
  for (const PlannedLibrary& library : load.open) predicted.push_back(file_at(library.path));
  for (const std::string& path : load.adds) predicted.push_back(file_at(path));
  for (const std::string& path : load.later) predicted.push_back(file_at(path));
  Json parts = Json::array();
  std::string unforeseen;
  for (const LoadedFile& file : added_files(session.files, loaded_files())) {
    if (!file_name_of(file.path).starts_with("libcudnn")) continue;
    parts.push_back(file.path);
    const bool is_predicted =
        std::any_of(predicted.begin(), predicted.end(), [&](const LoadedFile& other) { return other.is_same(file); });
    if (!is_predicted) unforeseen += (unforeseen.empty() ? "" : ", ") + file.path;
  }
  const std::size_t count = parts.size();
  outcome.seen["opened_by_itself"] = std::move(parts);
  if (!unforeseen.empty()) return differs(say("cudnn-opened-unforeseen", {{"parts", unforeseen}}), outcome);
  if (count != 0) outcome.summary.push_back(say("parts-opened", {{"count", count}}));
  return outcome;
}

std::string three_digits(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

/// What the library needs to know of one convolution.
struct Descriptors {
  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t image = nullptr;
  cudnnTensorDescriptor_t output = nullptr;
  cudnnFilterDescriptor_t weights = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
};

Descriptors describe_convolution(Library& cudnn) {
  Descriptors made;
  cudnn.call<decltype(cudnnCreate)>("cudnnCreate", &made.handle);
  cudnn.call<decltype(cudnnCreateTensorDescriptor)>("cudnnCreateTensorDescriptor", &made.image);
  cudnn.call<decltype(cudnnCreateTensorDescriptor)>("cudnnCreateTensorDescriptor", &made.output);
  cudnn.call<decltype(cudnnCreateFilterDescriptor)>("cudnnCreateFilterDescriptor", &made.weights);
  cudnn.call<decltype(cudnnCreateConvolutionDescriptor)>("cudnnCreateConvolutionDescriptor", &made.convolution);
  cudnn.call<decltype(cudnnSetTensor4dDescriptor)>("cudnnSetTensor4dDescriptor", made.image, CUDNN_TENSOR_NCHW,
                                                   CUDNN_DATA_FLOAT, 1, kChannels, kImage, kImage);
  cudnn.call<decltype(cudnnSetTensor4dDescriptor)>("cudnnSetTensor4dDescriptor", made.output, CUDNN_TENSOR_NCHW,
                                                   CUDNN_DATA_FLOAT, 1, kFilters, kOutput, kOutput);
  cudnn.call<decltype(cudnnSetFilter4dDescriptor)>("cudnnSetFilter4dDescriptor", made.weights, CUDNN_DATA_FLOAT,
                                                   CUDNN_TENSOR_NCHW, kFilters, kChannels, kWindow, kWindow);
  cudnn.call<decltype(cudnnSetConvolution2dDescriptor)>("cudnnSetConvolution2dDescriptor", made.convolution, kPadding,
                                                        kPadding, kStride, kStride, 1, 1, CUDNN_CROSS_CORRELATION,
                                                        CUDNN_DATA_FLOAT);
  // Where there is a mode without TF32 (8 and later); 7 refuses the number and has no TF32.
  if (!cudnn.has_failed()) {
    cudnn.ask<decltype(cudnnSetConvolutionMathType)>("cudnnSetConvolutionMathType", made.convolution, CUDNN_FMA_MATH);
  }
  return made;
}

struct Algorithm {
  cudnnConvolutionFwdAlgo_t number = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  std::size_t workspace = 0;
  Statement fault;  ///< it gives none, and calls that success
};

/// What cuDNN thinks is fastest here; it has failed if it finds nothing. Only the first entry of the answer is read,
/// and from a generous buffer: the size of an entry is the library's, not our header's.
Algorithm choose_algorithm(Library& cudnn, const Descriptors& made) {
  Algorithm algorithm;
  constexpr const char* kAsked = "cudnnGetConvolutionForwardAlgorithm_v7";
  std::vector<cudnnConvolutionFwdAlgoPerf_t> answers(32);
  int count = 0;
  if (!cudnn.call<decltype(cudnnGetConvolutionForwardAlgorithm_v7)>(
          kAsked, made.handle, made.image, made.weights, made.convolution, made.output, 1, &count, answers.data())) {
    return algorithm;
  }
  if (count < 1) {
    algorithm.fault = say("no-algorithm", {{"function", kAsked}});
    return algorithm;
  }
  if (!cudnn.check(kAsked, static_cast<int>(answers.front().status))) return algorithm;
  algorithm.number = answers.front().algo;
  cudnn.call<decltype(cudnnGetConvolutionForwardWorkspaceSize)>("cudnnGetConvolutionForwardWorkspaceSize", made.handle,
                                                                made.image, made.weights, made.convolution, made.output,
                                                                algorithm.number, &algorithm.workspace);
  return algorithm;
}

/// Transforms (FFT, Winograd) round; all others only add up products.
bool is_transform(cudnnConvolutionFwdAlgo_t algorithm) { return algorithm >= CUDNN_CONVOLUTION_FWD_ALGO_FFT; }

/// Our own, from image and weights to the output; empty: it cannot be launched.
Queue queue_of(Library& driver, const PlainConvolution& plain, std::array<GpuAddress, 3> data) {
  auto* const launch = driver.find<decltype(cuLaunchKernel)>("cuLaunchKernel");
  if (launch == nullptr) return {};
  return [&driver, launch, plain, data]() mutable {
    void* arguments[] = {&data[0], &data[1], &data[2]};
    const LaunchShape& shape = plain.shape;
    return driver.check("cuLaunchKernel", launch(plain.kernel, shape.blocks_x, shape.blocks_y, 1U, shape.threads_x,
                                                 shape.threads_y, 1U, 0U, nullptr, arguments, nullptr));
  };
}

/// What came out of both; the summary of a good one is what is right of cuDNN's.
Outcome judge_both(const std::vector<float>& of_plain_kernel, const std::vector<float>& of_cudnn, Reference wanted,
                   cudnnConvolutionFwdAlgo_t algorithm) {
  const Comparison plain = compare(of_plain_kernel, wanted);
  if (is_transform(algorithm)) {
    wanted.exact.clear();
    wanted.tolerance = 1e-5;
  }
  const Comparison cudnn = compare(of_cudnn, wanted);
  Outcome outcome;
  outcome.seen["algorithm"] = static_cast<int>(algorithm);
  outcome.seen["relative_error"] = cudnn.worst_error;
  if (!plain.is_good()) return failed(say("plain-kernel-wrong", {{"numbers", describe(plain)}}), outcome);
  if (!cudnn.is_good()) return failed(say("cudnn-wrong", {{"numbers", describe(cudnn)}}), outcome);
  outcome.summary = {describe(cudnn)};
  return outcome;
}

/// Both right; what is left is how fast they are.
Outcome time_both(Session& session, const Queue& cudnn, const Queue& plain, Outcome outcome) {
  const Statement numbers = outcome.summary.front();
  const std::optional<TwoTimes> times = compare_times(session, cudnn, plain);
  if (!times || times->first_ms <= 0) {
    outcome.summary = {say("convolution-untimed", {{"numbers", numbers}})};
    return outcome;
  }
  const double ratio = times->second_ms / times->first_ms;
  outcome.seen["cudnn_ms"] = times->first_ms;
  outcome.seen["plain_kernel_ms"] = times->second_ms;
  outcome.seen["speed_of_plain_kernel"] = ratio;
  outcome.summary = {say("convolution-right", {{"numbers", numbers},
                                               {"time", three_digits(times->first_ms)},
                                               {"ratio", three_digits(ratio)},
                                               {"plain", three_digits(times->second_ms)}})};
  if (times->first_ms > times->second_ms) outcome.summary.push_back(say("slow-path"));
  return outcome;
}

/// When libcublasLt, which cuDNN 8 needs, looks for the driver in vain, it leaves a message of dlerror(3)
/// behind. cuDNN takes that for a failure of its own and aborts at the first call of any kind (measured on
/// 8.5.0; 9.19 and 9.26 answer).
bool dies_without_driver(Session& session) {
  const Library& cudnn = session.library("cudnn");
  return !session.library("driver").is_open() && file_name_of(cudnn.path()).starts_with("libcudnn.so.8");
}

}  // namespace

std::string cudnn_version_text(std::size_t number) {
  const std::size_t unit = number >= 90000 ? 10000 : 1000;
  return std::to_string(number / unit) + "." + std::to_string(number % unit / 100) + "." + std::to_string(number % 100);
}

Outcome run_cudnn_version(Session& session) {
  Library& cudnn = session.library("cudnn");
  if (dies_without_driver(session)) return unavailable(say("cudnn-8-needs-driver"));
  auto* get_version = cudnn.find<decltype(cudnnGetVersion)>("cudnnGetVersion");
  if (get_version == nullptr)
    return failed(say("function-missing", {{"function", "cudnnGetVersion"}, {"library", cudnn.path()}}));
  Outcome outcome = version_outcome(session, "cudnn", cudnn_version_text(get_version()));
  if (outcome.status != StepStatus::Passed) return outcome;
  std::vector<Statement> refused;
  for (const char* name : kVersionChecks) {
    using Check = cudnnStatus_t();
    Check* check = cudnn.peek<Check>(name);
    if (check == nullptr) continue;
    session.reporter.call(name);
    const int status = static_cast<int>(check());
    if (status == 0) continue;
    if (!refused.empty()) refused.push_back(say("semicolon"));
    refused.push_back(
        say("call-told", {{"function", name}, {"status", cudnn.describe(status)}, {"predicted", Statement{}}}));
  }
  if (!refused.empty()) return refused_by_library(say("cudnn-parts-differ", {{"parts", refused}}), outcome);
  return compare_parts(session, *session.load_of("cudnn"), outcome);
}

Outcome compute_cudnn_convolution(Computation& run) {
  Session& session = run.session;
  Library& cudnn = run.library;
  GpuMemory& memory = run.memory;
  const std::vector<float> image = random_steps(kImageCount, 5);
  const std::vector<float> weights = random_steps(kWeightCount, 6);
  auto reference =
      std::async(std::launch::async | std::launch::deferred, [&] { return convolution_reference(image, weights); });

  const GpuAddress image_there = memory.upload(image);
  const GpuAddress weights_there = memory.upload(weights);
  const GpuAddress output = memory.poisoned(kOutputCount);
  const GpuAddress plain_output = memory.poisoned(kOutputCount);
  if (run.has_failed()) return {};

  const Descriptors made = describe_convolution(cudnn);
  const Algorithm algorithm = choose_algorithm(cudnn, made);
  if (cudnn.has_failed()) return {};
  if (!algorithm.fault.empty()) return failed(algorithm.fault);
  const GpuAddress workspace = memory.allocate(std::max<std::size_t>(algorithm.workspace, 1));
  KernelModule module(session);
  module.load(session.kernel_image);
  const PlainConvolution plain = plain_convolution(module);
  if (memory.has_failed()) return {};
  if (module.has_failed()) return refusal(session, module.failure().code, module.failure().text);

  const Queue by_plain_kernel = queue_of(session.library("driver"), plain, {image_there, weights_there, plain_output});
  auto* const forward = cudnn.find<decltype(cudnnConvolutionForward)>("cudnnConvolutionForward");
  if (!by_plain_kernel || forward == nullptr)
    return failed(say("function-missing", {{"function", "cudnnConvolutionForward"}, {"library", cudnn.path()}}));
  const float one = 1;
  const float zero = 0;
  const Queue by_cudnn = [&] {
    const int status =
        forward(made.handle, &one, made.image, pointer_to<void>(image_there), made.weights,
                pointer_to<void>(weights_there), made.convolution, algorithm.number, pointer_to<void>(workspace),
                algorithm.workspace, &zero, made.output, pointer_to<void>(output));
    return cudnn.check("cudnnConvolutionForward", status);
  };
  // Each once, and waited for, so that what fails has a name.
  if (!by_cudnn() || !memory.synchronize()) return {};
  if (by_plain_kernel()) memory.synchronize();
  if (module.has_failed()) return refusal(session, module.failure().code, module.failure().text);
  if (memory.has_failed()) return {};

  const std::vector<float> of_plain_kernel = memory.download(plain_output, kOutputCount);
  const std::vector<float> of_cudnn = memory.download(output, kOutputCount);
  if (memory.has_failed()) return {};
  Outcome outcome = judge_both(of_plain_kernel, of_cudnn, reference.get(), algorithm.number);
  if (outcome.status != StepStatus::Passed) return outcome;
  session.reporter.call("cudnnConvolutionForward");
  outcome = time_both(session, by_cudnn, by_plain_kernel, std::move(outcome));
  if (cudnn.has_failed()) return run.failure(std::move(outcome));
  if (module.has_failed()) return refusal(session, module.failure().code, module.failure().text, outcome);
  return compare_parts(session, *session.load_of("cudnn"), outcome);
}

}  // namespace soresolve::confirm
