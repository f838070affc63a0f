// soresolve-confirm, the only program of soresolve that loads what is looked at.
#pragma once
#include <string>

#include "soresolve/result.h"

namespace soresolve::tool {

/// Does a driver of the kernel answer behind the device nodes: NVIDIA's, WSL's, Jetson's? A node alone says
/// nothing: libcuda makes /dev/nvidiactl for root even where no module is loaded.
bool has_gpu_driver();

/// Beside this program, or in the libexec folder of the same installation. Fails with NotFound and the
/// places that were tried.
Result<std::string> find_probe();

struct ProbeAnswer {
  std::string text;  ///< its standard output
  int exit_status = -1;
};

/// Gives it `plan` and waits, but not longer than `patience_s`. Its standard error, the progress, is ours. Fails when
/// it cannot be started, dies, or takes too long. Nothing that it or its libraries have started is left behind.
Result<ProbeAnswer> run_probe(const std::string& path, const std::string& plan, double patience_s);

}  // namespace soresolve::tool
