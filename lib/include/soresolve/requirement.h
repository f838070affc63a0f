// What a program's start is to be gated by: "cuda=12.1", "driver>=530.30.02", each proved or refuted.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/dlopens.h"
#include "soresolve/gpu_contracts.h"
#include "soresolve/link_map.h"
#include "soresolve/process.h"
#include "soresolve/result.h"
#include "soresolve/system.h"

namespace soresolve SORESOLVE_API {

enum class RequiredThing : std::uint8_t {
  Cuda,  ///< the CUDA runtime of the process
  Cudnn,
  Nccl,
  Driver,     ///< the driver's library in reach, else its kernel module
  Glibc,      ///< the release of the loader
  Framework,  ///< torch or tensorflow whose libraries are in the process
  Device,     ///< GPU code of the process runs on it
};

enum class Relation : std::uint8_t { Within, NotWithin, Equal, Less, LessEqual, Greater, GreaterEqual };

struct Requirement {
  std::string text;  ///< as written
  RequiredThing thing = RequiredThing::Cuda;
  std::string name;  ///< of the framework or device
  Relation relation = Relation::Within;
  DottedVersion version;  ///< empty for a device, and for a framework of any release
};

/// NAME RELATION VALUE: "cuda=12.1" (12.1 and whatever begins so), "cudnn>=8.9", "driver>=530.30.02", "device=sm_80",
/// "framework=torch" or "framework=torch==2.5.0" (exactly); relations are = == != < <= > >=. Errors: Usage.
Result<Requirement> parse_requirement(std::string_view text);

/// Requirements of a TOML document: the table [require], with a text or a list of texts for each name
/// ("cuda = '12.1'", "cudnn = ['>=8.9', '<10']"), and [require.framework] with a release for each name. `path` for
/// errors. Errors: Malformed with line and reason; Unsupported where soresolve was built without TOML.
Result<std::vector<Requirement>> read_contract(std::string_view toml, std::string_view path);

/// The same from the file `path` (absolute), `shown` in errors. Further errors: Unreadable, LimitReached.
Result<std::vector<Requirement>> read_contract_file(const FileSystem& files, std::string_view path,
                                                    std::string_view shown);

struct RequirementVerdict {
  Requirement requirement;
  bool is_met = false;
  std::string seen;  ///< what is there: "CUDA 12.4"; "no CUDA runtime"
  std::vector<std::string> proof;
};

/// Judges each against the process of `map`; what is opened later counts as far as `dlopens` tells. A device is
/// judged by all GPU code of the process: one file that has none for it refutes.
/// Errors: Usage for a device that is not known.
Result<std::vector<RequirementVerdict>> judge_requirements(const LinkMap& map, const Dlopens& dlopens,
                                                           const GpuContracts& contracts,
                                                           const std::vector<Requirement>& requirements);

}  // namespace SORESOLVE_API
