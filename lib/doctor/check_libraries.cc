// CUDA runtimes and cuDNN on the machine: which the loader takes, which fit, which to take.
#include <algorithm>
#include <set>

#include "cuda/contracts.h"
#include "doctor/checks.h"

#include "base/path.h"

namespace soresolve {
namespace {

using enum DoctorResult;

std::vector<Statement> proofs_of(const FoundLibrary& found) {
  std::vector<Statement> proofs;
  if (!found.library.reported.empty()) proofs.push_back(found.library.reported.front().proof);
  if (!found.library.contradiction.empty()) {
    proofs.push_back(say("not-the-same", {{"text", found.library.contradiction}}));
  }
  return proofs;
}

/// Chips that a release makes no native code for.
Statement without_code(const Machine& machine, const DottedVersion& release) {
  for (const ShownGpu& gpu : machine.gpus) {
    if (!gpu.device) continue;
    for (const GpuChip& chip : machine.options.contracts.get().chips) {
      if (chip.capability != gpu.device->capability) continue;
      const auto first = parse_dotted(chip.first_toolkit);
      const auto last = parse_dotted(chip.last_toolkit);
      const std::string capability = chip.capability.to_string();
      if (first && release.first(2) < *first)
        return say("code-since", {{"gpu", gpu.name}, {"capability", capability}, {"version", first->text}});
      if (last && release.first(2) > *last)
        return say("code-up-to", {{"gpu", gpu.name}, {"capability", capability}, {"version", last->text}});
    }
  }
  return {};
}

struct JudgedRuntime {
  const FoundLibrary* found;
  RuntimeVerdict verdict;
  Statement without;  ///< a chip that its release makes no code for
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
  DoctorResult result = Pass;
  Statement fit;
  switch (runtime.verdict.fit) {
    case RuntimeFit::Full: fit = say("driver-knows-it"); break;
    case RuntimeFit::Minor: fit = say("newer-than-driver"); break;
    case RuntimeFit::Refused:
      fit = say("driver-too-old-for-it", {{"needs", runtime.verdict.needs}});
      result = Warn;
      note_problem(check, ProblemCode::DriverTooOld);
      break;
    case RuntimeFit::Unknown: break;
  }
  Statement without;
  if (!runtime.without.empty()) {
    without = say("no-native-code-for", {{"chip", runtime.without}});
    result = Warn;
  }
  std::vector<Statement> proof = proofs_of(*runtime.found);
  if (!runtime.verdict.source.empty()) proof.push_back(say("the-rule", {{"source", runtime.verdict.source}}));
  add_item(check, result,
           say("runtime-seen", {{"path", library.path},
                                {"release", release_of(library.cuda)},
                                {"place", runtime.found->what},
                                {"fit", fit},
                                {"without", without},
                                {"taken", is_taken ? say("plain-gets-this") : Statement{}}}),
           std::move(proof));
}

void advise_on_runtime(const Machine& machine, DoctorCheck& check, const JudgedRuntime& best,
                       const std::string& taken) {
  const CudaLibrary& library = best.found->library;
  if (taken == library.real) {
    check.advice.push_back({say("take-as-it-is", {{"version", library.cuda.text}}),
                            {},
                            true,
                            say("is-for-plain", {{"library", library.soname}, {"path", library.path}})});
    return;
  }
  const std::string directory(directory_of(library.path));
  std::string value = directory;
  for (const std::string& element : library_path_of(machine.options.environment)) value += ":" + element;
  const std::string path = machine.find(library.soname, {"LD_LIBRARY_PATH=" + value});
  const bool is_right = machine.find_real(library.soname, {"LD_LIBRARY_PATH=" + value}) == library.real;
  check.advice.push_back({say("take-the-best", {{"version", library.cuda.text}, {"library", library.soname}}),
                          {"export LD_LIBRARY_PATH=" + shell_word(directory) + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"},
                          is_right,
                          is_right       ? say("with-it-is", {{"library", library.soname}, {"path", path}})
                          : path.empty() ? say("nothing-is-found")
                                         : say("other-is-found", {{"path", path}})});
}

}  // namespace

DoctorCheck check_runtimes(const Machine& machine, Inventory& inventory) {
  DoctorCheck check;
  check.why = say("why-runtimes");
  const std::vector<FoundLibrary>& all = inventory.libraries("libcudart");
  if (all.empty()) {
    check.result = Skip;
    check.seen = say("none-as-far-as-looked", {{"library", "libcudart"}});
    return check;
  }
  std::set<std::string> taken;  // without links
  NameList names;
  std::set<std::string> asked;
  for (const FoundLibrary& found : all) {
    if (!asked.insert(found.library.soname).second || found.library.soname.empty()) continue;
    const std::string real = machine.find_real(found.library.soname);
    if (!real.empty())
      taken.insert(real);
    else
      names.shown.push_back(found.library.soname);
  }
  const Statement missing = names.shown.empty() ? Statement{} : say("not-in-plain-search", {{"libraries", names}});
  check.seen = say("runtime-count", {{"count", all.size()}, {"lost", missing}});
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
        {say("install-runtime-for-driver", {{"version", machine.driver_version().text}}), {}, false, {}});
  }
  if (!fit.empty() && machine.system != nullptr) {
    std::stable_sort(fit.begin(), fit.end(), is_better);
    advise_on_runtime(machine, check, fit.front(), machine.find_real(fit.front().found->library.soname));
  }
  return check;
}

DoctorCheck check_cudnn(const Machine& machine, Inventory& inventory) {
  DoctorCheck check;
  check.why = say("why-cudnn");
  const std::vector<FoundLibrary>& all = inventory.libraries("libcudnn");
  if (all.empty()) {
    check.result = Skip;
    check.seen = say("none-as-far-as-looked", {{"library", "libcudnn"}});
    return check;
  }
  check.seen = say("copy-count", {{"count", all.size()}});
  for (const FoundLibrary& found : all) {
    const CudaLibrary& library = found.library;
    const std::size_t so = library.soname.find(".so.");
    const auto major_number =
        so == std::string::npos ? std::nullopt : leading_version(std::string_view(library.soname).substr(so + 4));
    const Statement release = library.version.empty() ? say("release-untold") : words_of_others(library.version.text);
    const bool is_taken = machine.find_real(library.soname) == library.real;
    std::vector<std::string> missing;
    for (const CudnnPart& part : machine.contracts().cudnn_parts) {
      const bool is_meant = major_number && part.major_number == major_number->major_number() &&
                            (part.since.empty() || (!library.version.empty() && library.version >= part.since));
      if (is_meant && !machine.files->status(path_in(directory_of(library.real), part.soname)))
        missing.push_back(part.soname);
    }
    const Statement parts =
        missing.empty() ? say("parts-beside-it") : say("parts-not-beside-it", {{"count", missing.size()}});
    add_item(check, missing.empty() ? Pass : Fail,
             say("cudnn-seen", {{"path", library.path},
                                {"release", release},
                                {"place", found.what},
                                {"taken", is_taken ? say("plain-gets-this") : Statement{}},
                                {"parts", parts}}),
             missing.empty() ? proofs_of(found) : as_statements(missing));
  }
  return check;
}

}  // namespace soresolve
