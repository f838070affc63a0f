// Our kernels (kernels.ptx), in a module of the driver.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "cuda/driver.h"
#include "gpu_memory.h"
#include "session.h"

struct CUfunc_st;  // CUfunction of cuda.h points to one

namespace soresolve::confirm {

/// PTX that the driver compiles.
extern const char kKernelsPtx[];
/// The same assembled for every chip that the toolkit of the build knew, as a fat binary; empty without
/// nvcc.
extern const std::string_view kKernelsNative;
/// The release of that toolkit, as the driver counts them: 13000. A driver for an older one does not know what its
/// cubins are.
extern const int kKernelsNativeRelease;

struct LaunchShape {
  unsigned blocks_x = 1;
  unsigned blocks_y = 1;
  unsigned threads_x = 1;
  unsigned threads_y = 1;
};

/// A module of the driver and its kernels. The device's context has to be current (GpuMemory::set_up).
class KernelModule {
 public:
  explicit KernelModule(Session& session) : driver_(session.library("driver")) { driver_.forget_failure(); }

  /// `image`: PTX text with its zero, a cubin or a fat binary. The driver's compiler log is in the failure.
  bool load(const void* image);
  bool launch(const char* kernel, LaunchShape shape, void** arguments);
  /// The kernel of this name; null after a failure.
  CUfunc_st* kernel(const char* name);

  [[nodiscard]] bool has_failed() const { return driver_.has_failed(); }
  [[nodiscard]] const CallFailure& failure() const { return driver_.failure(); }
  [[nodiscard]] const std::string& compiler_log() const { return compiler_log_; }

 private:
  Library& driver_;
  void* module_ = nullptr;
  std::string compiler_log_;
};

/// Launches with arguments of any kinds.
template <class... Arguments>
bool launch(KernelModule& module, const char* kernel, LaunchShape shape, Arguments... arguments) {
  std::array<void*, sizeof...(Arguments)> pointers{static_cast<void*>(&arguments)...};
  return module.launch(kernel, shape, pointers.data());
}

/// saxpy and the matrix product, from PTX and natively, each element checked.
Outcome run_kernels(Session& session);

/// Our own convolution, whose time cuDNN's is compared with; nullptr in `call`: it is not to be had.
struct PlainConvolution {
  CUfunc_st* kernel = nullptr;
  LaunchShape shape;
};
PlainConvolution plain_convolution(KernelModule& module);

}  // namespace soresolve::confirm
