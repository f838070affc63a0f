// cuDNN: version, version checks of its parts, one convolution compared with a plain kernel in result and time. Source:
// cuDNN 8 and 9 API references (legacy calls). The graph API is not used.
#include "cudnn_steps.h"

#include <cudnn.h>

#include <algorithm>
#include <cstdio>
#include <future>

#include "base/path.h"
#include "convolution.h"
#include "gpu_memory.h"
#include "kernels.h"
#include "status_text.h"
#include "stopwatch.h"

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
};

/// What cuDNN thinks is fastest here. Only the first entry of the answer is read, and from a generous
/// buffer: the size of an entry is the library's, not our header's.
Algorithm choose_algorithm(Library& cudnn, const Descriptors& made) {
  Algorithm algorithm;
  std::vector<cudnnConvolutionFwdAlgoPerf_t> answers(32);
  int count = 0;
  cudnn.call<decltype(cudnnGetConvolutionForwardAlgorithm_v7)>("cudnnGetConvolutionForwardAlgorithm_v7", made.handle,
                                                               made.image, made.weights, made.convolution, made.output,
                                                               1, &count, answers.data());
  algorithm.number = answers.front().algo;
  cudnn.call<decltype(cudnnGetConvolutionForwardWorkspaceSize)>("cudnnGetConvolutionForwardWorkspaceSize", made.handle,
                                                                made.image, made.weights, made.convolution, made.output,
                                                                algorithm.number, &algorithm.workspace);
  return algorithm;
}

/// Transforms (FFT, Winograd) round; all others only add up products.
bool is_transform(cudnnConvolutionFwdAlgo_t algorithm) { return algorithm >= CUDNN_CONVOLUTION_FWD_ALGO_FFT; }

/// The numbers and the times of one convolution done twice.
struct ConvolutionRun {
  Comparison plain;
  Comparison cudnn;
  double plain_ms = 0;
  double cudnn_ms = 0;
};

Outcome judge(const ConvolutionRun& run, cudnnConvolutionFwdAlgo_t algorithm, Outcome outcome) {
  outcome.seen["algorithm"] = static_cast<int>(algorithm);
  outcome.seen["cudnn_ms"] = run.cudnn_ms;
  outcome.seen["plain_kernel_ms"] = run.plain_ms;
  outcome.seen["relative_error"] = run.cudnn.worst_error;
  if (!run.plain.is_good()) return failed(say("plain-kernel-wrong", {{"numbers", describe(run.plain)}}), outcome);
  if (!run.cudnn.is_good()) return failed(say("cudnn-wrong", {{"numbers", describe(run.cudnn)}}), outcome);
  outcome.seen["speed_of_plain_kernel"] = run.plain_ms / run.cudnn_ms;
  outcome.summary = {say("convolution-right", {{"numbers", describe(run.cudnn)},
                                               {"time", three_digits(run.cudnn_ms)},
                                               {"ratio", three_digits(run.plain_ms / run.cudnn_ms)},
                                               {"plain", three_digits(run.plain_ms)}})};
  if (run.cudnn_ms > run.plain_ms) outcome.summary.push_back(say("slow-path"));
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
  if (!refused.empty()) return failed(say("cudnn-parts-differ", {{"parts", refused}}), outcome);
  return compare_parts(session, *session.load_of("cudnn"), outcome);
}

Outcome run_cudnn_convolution(Session& session) {
  Outcome outcome;
  const std::vector<float> image = random_steps(kImageCount, 5);
  const std::vector<float> weights = random_steps(kWeightCount, 6);
  auto reference =
      std::async(std::launch::async | std::launch::deferred, [&] { return convolution_reference(image, weights); });

  GpuMemory memory(session);
  const GpuAddress image_there = memory.upload(image);
  const GpuAddress weights_there = memory.upload(weights);
  const GpuAddress output = memory.poisoned(kOutputCount);
  const GpuAddress plain_output = memory.poisoned(kOutputCount);
  if (memory.has_failed()) return memory.failure_outcome(outcome);

  Library& cudnn = session.library("cudnn");
  const Descriptors made = describe_convolution(cudnn);
  const Algorithm algorithm = choose_algorithm(cudnn, made);
  if (cudnn.has_failed()) return failed(cudnn.failure().text, outcome);
  const GpuAddress workspace = memory.allocate(std::max<std::size_t>(algorithm.workspace, 1));
  if (memory.has_failed()) return memory.failure_outcome(outcome);
  const float one = 1;
  const float zero = 0;
  ConvolutionRun run;
  run.cudnn_ms = best_time([&] {
    return cudnn.call<decltype(cudnnConvolutionForward)>(
               "cudnnConvolutionForward", made.handle, &one, made.image, pointer_to<void>(image_there), made.weights,
               pointer_to<void>(weights_there), made.convolution, algorithm.number, pointer_to<void>(workspace),
               algorithm.workspace, &zero, made.output, pointer_to<void>(output)) &&
           memory.synchronize();
  });
  if (cudnn.has_failed()) return failed(cudnn.failure().text, outcome);
  KernelModule module(session);
  if (module.load(kKernelsPtx))
    run.plain_ms = time_convolution(module, memory, image_there, weights_there, plain_output);
  if (module.has_failed()) return failed(module.failure().text, outcome);

  Reference wanted = reference.get();
  run.plain = compare(memory.download(plain_output, kOutputCount), wanted);
  if (is_transform(algorithm.number)) {
    wanted.exact.clear();
    wanted.tolerance = 1e-5;
  }
  run.cudnn = compare(memory.download(output, kOutputCount), wanted);
  if (memory.has_failed()) return memory.failure_outcome(outcome);
  outcome = judge(run, algorithm.number, outcome);
  return outcome.status == StepStatus::Passed ? compare_parts(session, *session.load_of("cudnn"), outcome) : outcome;
}

}  // namespace soresolve::confirm
