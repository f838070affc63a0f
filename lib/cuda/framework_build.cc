// Sources: torch/version.py is written by pytorch's tools/generate_torch_version.py; build_info.py by
// tensorflow's tensorflow/tools/build_info/gen_build_info.py. Both are read as text: nothing is run.
#include "cuda/framework_build.h"
#include "soresolve/cuda.h"

#include "base/small_file.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kMaxBuildFileBytes = 256 << 10;

/// The text that a line `NAME = 'TEXT'` or `NAME: Optional[str] = 'TEXT'` gives; nullopt for None and without one.
std::optional<std::string> assigned(std::string_view text, std::string_view name) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(name) || line.size() == name.size()) continue;
    const char next = line[name.size()];
    const std::size_t equals = line.find('=');
    if ((next != ' ' && next != ':' && next != '=') || equals == std::string_view::npos) continue;
    const std::size_t open = line.find_first_of("'\"", equals);
    const std::size_t close = open == std::string_view::npos ? open : line.find(line[open], open + 1);
    if (close != std::string_view::npos) return std::string(line.substr(open + 1, close - open - 1));
  }
  return std::nullopt;
}

/// The text behind a quoted key of a Python dictionary: `'cuda_version': '12.5.1'` or `("cuda_version", "12.5.1")`.
std::optional<std::string> value_of(std::string_view text, std::string_view quoted_key) {
  const std::size_t found = text.find(quoted_key);
  if (found == std::string_view::npos) return std::nullopt;
  const std::size_t end = found + quoted_key.size();
  const std::size_t open = text.find_first_of("'\"", end);
  if (open == std::string_view::npos || open - end > 3) return std::nullopt;  // `: '` or `, "`
  const std::size_t close = text.find(text[open], open + 1);
  return close == std::string_view::npos ? std::nullopt
                                         : std::optional(std::string(text.substr(open + 1, close - open - 1)));
}

DottedVersion version_in(const std::optional<std::string>& text) {
  return text ? leading_version(*text).value_or(DottedVersion{}) : DottedVersion{};
}

}  // namespace

std::optional<InstalledFramework> read_torch_build(const FileSystem& files, const std::string& site) {
  InstalledFramework torch{"torch", site, site + "/torch/version.py", {}, {}, {}, {}, false};
  const std::optional<std::string> text = read_small_file(files, torch.reported_by, kMaxBuildFileBytes);
  const std::optional<std::string> version = text ? assigned(*text, "__version__") : std::nullopt;
  if (!version) return std::nullopt;
  torch.version = *version;
  torch.release = version_in(version);
  torch.cuda = version_in(assigned(*text, "cuda"));
  torch.is_for_cuda = !torch.cuda.empty();
  return torch;
}

std::optional<InstalledFramework> read_companion_build(const FileSystem& files, const std::string& site,
                                                       const std::string& name) {
  InstalledFramework package{name, site, site + "/" + name + "/version.py", {}, {}, {}, {}, false};
  const std::optional<std::string> text = read_small_file(files, package.reported_by, kMaxBuildFileBytes);
  const std::optional<std::string> version = text ? assigned(*text, "__version__") : std::nullopt;
  if (!version) return std::nullopt;
  package.version = *version;
  package.release = version_in(version);
  package.cuda = cuda_of_tag(*version);
  package.is_for_cuda = !package.cuda.empty();
  return package;
}

DottedVersion cuda_of_tag(std::string_view version) {
  constexpr std::string_view kTag = "+cu";
  const std::size_t at = version.find(kTag);
  if (at == std::string_view::npos) return {};
  std::string_view digits = version.substr(at + kTag.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  if (digits.size() < 2 || digits.size() > 4) return {};
  const std::string number = std::string(digits.substr(0, digits.size() - 1)) + "." + digits.back();
  return leading_version(number).value_or(DottedVersion{});
}

std::optional<InstalledFramework> read_tensorflow_build(const FileSystem& files, const std::string& site) {
  InstalledFramework tensorflow{"tensorflow", site, site + "/tensorflow/python/platform/build_info.py", {}, {}, {},
                                {},           false};
  const std::optional<std::string> text = read_small_file(files, tensorflow.reported_by, kMaxBuildFileBytes);
  if (!text) return std::nullopt;
  // The release stands in another file; its metadata folder has it, too.
  const auto names = files.list_directory(site);
  for (const std::string& name : names ? *names : std::vector<std::string>{}) {
    for (const std::string_view package : {"tensorflow-", "tensorflow_cpu-", "tensorflow_gpu-"}) {
      if (!name.starts_with(package) || !name.ends_with(".dist-info")) continue;
      tensorflow.version = name.substr(package.size(), name.size() - package.size() - 10);
    }
  }
  tensorflow.release = version_in(tensorflow.version);
  const BuildFacts facts = read_build_facts(files, tensorflow.reported_by, {}, "cuda_version", "cudnn_version");
  tensorflow.cuda = facts.cuda;
  tensorflow.cudnn = facts.cudnn;
  tensorflow.is_for_cuda = text->find("is_cuda_build") != std::string::npos && !tensorflow.cuda.empty();
  return tensorflow;
}

BuildFacts read_build_facts(const FileSystem& files, const std::string& path, std::string_view version_name,
                            std::string_view cuda_name, std::string_view cudnn_name) {
  const std::optional<std::string> text = read_small_file(files, path, kMaxBuildFileBytes);
  if (!text) return {};
  const auto reported = [&](std::string_view name) -> std::optional<std::string> {
    if (name.empty()) return std::nullopt;
    if (auto value = assigned(*text, name)) return value;
    for (const char quote : {'\'', '"'}) {
      if (auto value = value_of(*text, quote + std::string(name) + quote)) return value;
    }
    return std::nullopt;
  };
  return {reported(version_name).value_or(std::string()), version_in(reported(cuda_name)),
          version_in(reported(cudnn_name))};
}

std::string torch_site_of(std::string_view real_path) {
  constexpr std::string_view kFolder = "/torch/lib/";
  const std::size_t folder = real_path.rfind(kFolder);
  const bool is_there =
      folder != std::string_view::npos && real_path.find('/', folder + kFolder.size()) == std::string_view::npos;
  return is_there ? std::string(real_path.substr(0, folder)) : std::string();
}

}  // namespace soresolve
