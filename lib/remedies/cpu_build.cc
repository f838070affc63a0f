// Sources: PyTorch's indexes of wheels (whl/cu121, whl/cpu), whose wheels have a local version ("2.1.0+cpu"); which
// CUDA a release was built for are rows of contracts.json. libc10_cuda.so, libtorch_cuda.so and their like are in no
// build for the CPU; an extension that was compiled against such a build asks for none of them.
#include "remedies/cpu_build.h"

#include "base/path.h"
#include "cuda/contracts.h"
#include "remedies/pip_command.h"
#include "soresolve/dotted_version.h"

namespace soresolve {

std::optional<Remedy> cuda_build_of_torch(const LinkMap& map, const InstalledWheel& torch, const std::string& library,
                                          const std::string& cuda) {
  const std::size_t plus = torch.version.find("+cpu");
  if (torch.name != "torch" || plus == std::string::npos || library.find("cuda") == std::string::npos)
    return std::nullopt;
  const std::string release = torch.version.substr(0, plus);
  const std::optional<DottedVersion> version = leading_version(release);
  if (!version) return std::nullopt;
  const FrameworkBuild* best = nullptr;
  for (const FrameworkBuild* const build : find_builds(built_in_contracts().cuda, "torch", *version, {})) {
    const bool is_of_it = cuda.empty() || std::to_string(build->cuda.major_number()) == cuda;
    if (build->cuda.parts.size() >= 2 && is_of_it && (best == nullptr || best->cuda < build->cuda)) best = build;
  }
  if (best == nullptr) return std::nullopt;
  const std::string index = "cu" + std::to_string(best->cuda.parts[0]) + std::to_string(best->cuda.parts[1]);
  Remedy remedy;
  remedy.kind = RemedyKind::Install;
  remedy.text = say("torch-is-for-cpu", {{"version", torch.version}, {"library", library}});
  remedy.commands = {pip_install_into(map, directory_of(directory_of(torch.record)), "--force-reinstall ") +
                     shell_word("torch==" + release) + " --index-url https://download.pytorch.org/whl/" +
                     shell_word(index)};
  remedy.brings = {library};
  remedy.reason = remedy.text;
  return remedy;
}

}  // namespace soresolve
