// Text and JSON views of the GPU code in files.
#pragma once
#include <string>
#include <string_view>

#include "soresolve/fatbin.h"
#include "soresolve/report.h"

namespace soresolve {

/// One file on one line: "libx.so: sm_75 sm_80 compute_90 (PTX 8.3)"; "no GPU code".
std::string gpu_line(const GpuCode& code, std::string_view file, Colour colour);

/// The targets as a table: kind, target, pieces, containers that have it, sizes.
std::string gpu_text(const GpuCode& code, std::string_view file, Colour colour, Detail detail);

/// Schema `soresolve/1`, "gpu".
std::string gpu_json(const GpuCode& code, std::string_view file);

}  // namespace soresolve
