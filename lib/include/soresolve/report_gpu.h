// Text and JSON views of the GPU code in files.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "soresolve/api.h"
#include "soresolve/cuda_library.h"
#include "soresolve/fatbin.h"
#include "soresolve/gpu_contracts.h"
#include "soresolve/report.h"

namespace soresolve SORESOLVE_API {

/// The code of one file, and what it comes to on a device if one was asked about.
struct GpuReport {
  std::string_view file;
  const GpuCode& code;
  const GpuDevice* device = nullptr;
  const GpuVerdict* verdict = nullptr;
  const CudaLibrary* library = nullptr;  ///< if it is one of CUDA's
  const GpuInside* inside = nullptr;     ///< if its code was looked into
};

/// One file on one line: "libx.so: sm_75 sm_80 compute_90 (PTX 8.3)"; "no GPU code".
std::string gpu_line(const GpuReport& report, Colour colour);

/// The targets as a table: kind, target, pieces, containers that have it, sizes.
std::string gpu_text(const GpuReport& report, Colour colour, Detail detail);

/// Schema `soresolve/1`, "gpu".
std::string gpu_json(const GpuReport& report);

}  // namespace SORESOLVE_API
