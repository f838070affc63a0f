// soresolve-witness, the program that reads with LIEF, asked about one file.
#pragma once
#include <cstdint>
#include <string>

#include "command.h"
#include "options.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"
#include "witness/lief_facts.h"

namespace soresolve::tool {

/// What the witness may take for one file. LIEF reads whole files: the 542 MB of a libcublasLt take 5 s and
/// 1.2 GB.
struct WitnessLimits {
  double timeout_s = 60;
  std::uint64_t memory_mib = 4096;
};
/// --timeout and --memory.
OptionList witness_options(WitnessLimits& limits);

/// The largest file that is handed to it.
inline constexpr std::uint64_t kMaxWitnessFile = std::uint64_t{2} << 30;

/// What a command ends with that has no facts: a limit is hit because of the file, all else is a fault
/// of ours.
Exit exit_without_facts(const Error& error);

/// Hands it the bytes of `file`, as they are now, and waits. The witness is SORESOLVE_WITNESS, or stands
/// beside this program or in libexec. Fails when there is none, when it crashes, is ended for a limit, or
/// is not a line of facts; `path` is what the file is called. That the witness refuses the file is an
/// answer.
Result<witness::LiefFacts> ask_witness(const File& file, const std::string& path, const WitnessLimits& limits);

}  // namespace soresolve::tool
