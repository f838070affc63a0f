// Lists the CUDA runtimes that the doctor's inventory finds, for `confirm` without a file. Only files are read.
#include "confirm_runtimes.h"

#include "cuda/contracts.h"
#include "doctor/inventory.h"
#include "soresolve/catalogue.h"

extern char** environ;

namespace soresolve::tool {

Result<std::vector<RuntimeHere>> list_runtimes(const WorldOptions& options) {
  DoctorOptions doctor;
  doctor.contracts = built_in_contracts();
  for (char** entry = environ; *entry != nullptr; ++entry) doctor.environment.add(*entry);
  const Result<Machine> machine = read_machine(settings_here(options), doctor);
  if (!machine) return Unexpected{machine.error()};
  std::vector<RuntimeHere> runtimes;
  Inventory inventory(*machine);
  for (const FoundLibrary& found : inventory.libraries("libcudart"))
    runtimes.push_back({found.library.path, found.what});
  return runtimes;
}

}  // namespace soresolve::tool
