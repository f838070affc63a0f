// NCCL: its version, and an all-reduce with one rank, which halves its input. Source: NCCL manual, ncclCommInitAll,
// ncclRedOpCreatePreMulSum, ncclAllReduce. More ranks and transports between GPUs are not tested.
#include <nccl.h>

#include "library_steps.h"
#include "status_text.h"
#include "symbols/version_tables.h"

namespace soresolve::confirm {
namespace {

constexpr std::size_t kNcclCount = 1 << 16;

/// 22809 is "2.28.9"; up to 2.8 the number was 2804.
std::string version_text(int number) {
  const int unit = number < 10000 ? 1000 : 10000;
  return std::to_string(number / unit) + "." + std::to_string(number % unit / 100) + "." + std::to_string(number % 100);
}

}  // namespace

Outcome run_nccl_version(Session& session) {
  Library& nccl = session.library("nccl");
  int version = 0;
  if (!nccl.call<decltype(ncclGetVersion)>("ncclGetVersion", &version)) return refused_by_library(nccl.failure().text);
  return version_outcome(session, "nccl", version_text(version));
}

// ncclRedOpCreatePreMulSum and ncclScalarHostImmediate came with 2.11; here by number, so that older headers do.
using CreatePreMulSum = ncclResult_t(ncclRedOp_t*, void*, ncclDataType_t, int, ncclComm_t);
constexpr int kHostImmediate = 1;

/// With one rank a plain sum is what was sent, which NCCL only copies. So each number is halved on the way, which takes
/// a kernel of its own (oneRankReduce) and is exact; before 2.11 there is no such operator, and the step says so.
Outcome compute_nccl_all_reduce(Computation& run) {
  const std::vector<float> sent = random_floats(kNcclCount, 13);
  auto& [session, nccl, memory] = run;
  const GpuAddress from = memory.upload(sent);
  const GpuAddress to = memory.poisoned(kNcclCount);
  if (run.has_failed()) return {};
  ncclComm_t communicator = nullptr;
  const int device = session.plan.device;
  nccl.call<decltype(ncclCommInitAll)>("ncclCommInitAll", &communicator, 1, &device);
  ncclRedOp_t operation = ncclSum;
  float factor = 1;
  if (nccl.peek<CreatePreMulSum>("ncclRedOpCreatePreMulSum") != nullptr) {
    factor = 0.5F;
    nccl.call<CreatePreMulSum>("ncclRedOpCreatePreMulSum", &operation, &factor, ncclFloat, kHostImmediate,
                               communicator);
  }
  nccl.call<decltype(ncclAllReduce)>("ncclAllReduce", pointer_to<void>(from), pointer_to<void>(to), kNcclCount,
                                     ncclFloat, operation, communicator, nullptr);
  run.wait();
  Reference reference;
  reference.scales.assign(kNcclCount, 1.0);
  for (const float value : sent) reference.exact.push_back(factor * value);
  reference.values.assign(reference.exact.begin(), reference.exact.end());
  const Comparison comparison = compare(memory.download(to, kNcclCount), reference);
  nccl.call<decltype(ncclCommDestroy)>("ncclCommDestroy", communicator);
  return run.judge(comparison, say(operation == ncclSum ? "all-reduce-copied" : "all-reduce"));
}

}  // namespace soresolve::confirm
