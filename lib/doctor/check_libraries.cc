// CUDA runtimes and cuDNN on the machine: which the loader takes, which fit, which to take.
#include <algorithm>
#include <set>

#include "doctor/checks.h"

#include "base/path.h"

namespace soresolve {
namespace {

using enum DoctorResult;

std::vector<std::string> proofs_of(const FoundLibrary& found) {
  std::vector<std::string> proofs;
  if (!found.library.told.empty()) proofs.push_back(found.library.told.front().proof);
  if (!found.library.contradiction.empty()) proofs.push_back("not the same: " + found.library.contradiction);
  return proofs;
}

/// Chips that a release makes no native code for.
std::string without_code(const Machine& machine, const DottedVersion& release) {
  for (const ShownGpu& gpu : machine.gpus) {
    if (!gpu.device) continue;
    for (const GpuChip& chip : machine.options.contracts.chips) {
      if (chip.capability != gpu.device->capability) continue;
      const auto first = parse_dotted(chip.first_toolkit);
      const auto last = parse_dotted(chip.last_toolkit);
      if (first && release.first(2) < *first)
        return gpu.name + " (" + chip.capability.to_string() + ", code for it since CUDA " + first->text + ")";
      if (last && release.first(2) > *last)
        return gpu.name + " (" + chip.capability.to_string() + ", code for it up to CUDA " + last->text + ")";
    }
  }
  return {};
}

struct JudgedRuntime {
  const FoundLibrary* found;
  RuntimeVerdict verdict;
  std::string without;  ///< a chip that its release makes no code for
};

/// Better ones first: those that the driver knows fully, with code for the chips, the newest.
bool is_better(const JudgedRuntime& a, const JudgedRuntime& b) {
  const auto rank = [](const JudgedRuntime& runtime) {
    return std::tuple(!runtime.without.empty(), runtime.verdict.fit != RuntimeFit::Full);
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return a.found->library.version > b.found->library.version;
}

void add_runtime(DoctorCheck& check, const JudgedRuntime& runtime, bool is_taken) {
  const CudaLibrary& library = runtime.found->library;
  std::string text = library.path + ": " +
                     (library.cuda.empty() ? "of a release that nothing tells" : "CUDA " + library.cuda.text) + " (" +
                     runtime.found->what + ")";
  DoctorResult result = Pass;
  switch (runtime.verdict.fit) {
    case RuntimeFit::Full: text += "; the driver knows it"; break;
    case RuntimeFit::Minor:
      text +=
          "; newer than the driver, which runs it all the same (minor-version compatibility), but for what is new in "
          "it";
      break;
    case RuntimeFit::Refused:
      text += "; the driver is too old for it: error 35, it takes " + runtime.verdict.needs;
      result = Warn;
      break;
    case RuntimeFit::Unknown: break;
  }
  if (!runtime.without.empty()) {
    text += "; no native code for " + runtime.without;
    result = Warn;
  }
  if (is_taken) text += "; a plain program gets this one";
  std::vector<std::string> proof = proofs_of(*runtime.found);
  if (!runtime.verdict.source.empty()) proof.push_back("the rule: " + runtime.verdict.source);
  add_item(check, result, std::move(text), std::move(proof));
}

void advise_on_runtime(const Machine& machine, DoctorCheck& check, const JudgedRuntime& best,
                       const std::string& taken) {
  const CudaLibrary& library = best.found->library;
  if (taken == library.real) {
    check.advice.push_back({"take CUDA " + library.cuda.text + ": the loader does so by itself, nothing has to be set",
                            {},
                            true,
                            library.soname + " is " + library.path + " for a plain program"});
    return;
  }
  const std::string directory(directory_of(library.path));
  std::string value = directory;
  for (const std::string& element : library_path_of(machine.options.environment)) value += ":" + element;
  const std::string path = machine.find(library.soname, {"LD_LIBRARY_PATH=" + value});
  const bool is_right = machine.find_real(library.soname, {"LD_LIBRARY_PATH=" + value}) == library.real;
  check.advice.push_back({"take CUDA " + library.cuda.text +
                              ", the best of those that this driver runs (programs that need " + library.soname + ")",
                          {"export LD_LIBRARY_PATH=" + directory + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"},
                          is_right,
                          is_right ? "with it " + library.soname + " is " + path
                                   : "it was tried, and " + (path.empty() ? "nothing" : path) + " is found"});
}

}  // namespace

DoctorCheck check_runtimes(const Machine& machine, Inventory& inventory) {
  DoctorCheck check;
  check.why = "a program gets the runtime that its search leads to; it has to be one that the driver takes";
  const std::vector<FoundLibrary>& all = inventory.libraries("libcudart");
  if (all.empty()) {
    check.result = Skip;
    check.seen = "no libcudart is on this machine, as far as was looked";
    return check;
  }
  std::set<std::string> taken;  // without links
  std::string names;
  std::set<std::string> asked;
  for (const FoundLibrary& found : all) {
    if (!asked.insert(found.library.soname).second || found.library.soname.empty()) continue;
    const std::string real = machine.find_real(found.library.soname);
    if (!real.empty())
      taken.insert(real);
    else
      names += (names.empty() ? "" : ", ") + found.library.soname;
  }
  check.seen = std::to_string(all.size()) + (all.size() == 1 ? " runtime" : " runtimes");
  if (!names.empty()) check.seen += "; not in a plain program's search: " + names;
  std::vector<JudgedRuntime> fit;
  std::size_t refused = 0;
  for (const FoundLibrary& found : all) {
    JudgedRuntime runtime{
        &found, judge_runtime(machine.contracts(), found.library.cuda, machine.driver_version(), machine.driver_cuda()),
        without_code(machine, found.library.cuda)};
    add_runtime(check, runtime, taken.contains(found.library.real));
    const bool is_fit = runtime.verdict.fit == RuntimeFit::Full || runtime.verdict.fit == RuntimeFit::Minor;
    refused += runtime.verdict.fit == RuntimeFit::Refused ? 1 : 0;
    if (is_fit) fit.push_back(std::move(runtime));
  }
  if (refused == all.size()) {
    check.result = Fail;
    check.advice.push_back(
        {"install a runtime that driver " + machine.driver_version().text + " takes, or a newer driver",
         {},
         false,
         ""});
  }
  if (!fit.empty() && machine.system != nullptr) {
    std::stable_sort(fit.begin(), fit.end(), is_better);
    advise_on_runtime(machine, check, fit.front(), machine.find_real(fit.front().found->library.soname));
  }
  return check;
}

DoctorCheck check_cudnn(const Machine& machine, Inventory& inventory) {
  DoctorCheck check;
  check.why =
      "cuDNN opens its sub-libraries by itself: ldd shows nothing missing when they are, and two releases do not mix";
  const std::vector<FoundLibrary>& all = inventory.libraries("libcudnn");
  if (all.empty()) {
    check.result = Skip;
    check.seen = "no libcudnn is on this machine, as far as was looked";
    return check;
  }
  check.seen = std::to_string(all.size()) + (all.size() == 1 ? " copy" : " copies");
  for (const FoundLibrary& found : all) {
    const CudaLibrary& library = found.library;
    const std::size_t so = library.soname.find(".so.");
    const auto major_number =
        so == std::string::npos ? std::nullopt : leading_version(std::string_view(library.soname).substr(so + 4));
    std::string text = library.path + ": cuDNN " +
                       (library.version.empty() ? "of a release that nothing tells" : library.version.text) + " (" +
                       found.what + ")";
    if (machine.find_real(library.soname) == library.real) text += "; a plain program gets this one";
    std::vector<std::string> missing;
    for (const CudnnPart& part : machine.contracts().cudnn_parts) {
      const bool is_meant = major_number && part.major_number == major_number->major_number() &&
                            (part.since.empty() || (!library.version.empty() && library.version >= part.since));
      if (is_meant && !machine.files->status(path_in(directory_of(library.real), part.soname)))
        missing.push_back(part.soname);
    }
    if (missing.empty()) {
      add_item(check, Pass, text + "; its parts are beside it", proofs_of(found));
    } else {
      add_item(check, Fail,
               text + "; " + std::to_string(missing.size()) + (missing.size() == 1 ? " part is" : " parts are") +
                   " not beside it",
               missing);
    }
  }
  return check;
}

}  // namespace soresolve
