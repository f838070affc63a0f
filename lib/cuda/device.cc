// Source of the rules of who runs what: the help text of ptxas 13.0, the CUDA binary utilities guide.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/enum_names.h"
#include "base/number_text.h"
#include "base/small_file.h"
#include "cuda/contracts.h"
#include "soresolve/cuda.h"

namespace soresolve {
namespace {

/// Words of a board's name that say nothing of the chip: makers and lines, forms of a board, memory, editions, virtual
/// and partitioned GPUs, developer kits.
constexpr std::string_view kFillers[] = {
    "nvidia", "geforce", "tesla",      "gpu",        "laptop",      "mobile",      "notebook", "max",   "q",
    "ti",     "super",   "graphics",   "device",     "d",           "generation",  "series",   "pcie",  "sxm",
    "sxm2",   "sxm3",    "sxm4",       "sxm5",       "fhhl",        "dgxs",        "nvl",      "hbm2",  "hbm2e",
    "hbm3",   "hbm3e",   "gddr6x",     "server",     "edition",     "workstation", "embedded", "sff",   "refresh",
    "oem",    "active",  "ceo",        "collectors", "grid",        "mig",         "jetson",   "drive", "developer",
    "kit",    "module",  "industrial", "reference",  "engineering", "with",        "design"};

/// "16q" of "GRID T4-16Q": the profile of a virtual GPU.
bool is_profile(std::string_view word) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  return digits > 0 && digits + 1 == word.size() &&
         std::string_view("abcq").find(word.back()) != std::string_view::npos;
}

/// "NVIDIA GeForce RTX 4090 Laptop GPU" is "rtx 4090"; "NVIDIA A100-SXM4-80GB" is "a100".
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    const bool is_size = word.ends_with("gb");  // "80gb", and "1g.10gb" of a partition
    const bool is_filler = std::find(std::begin(kFillers), std::end(kFillers), word) != std::end(kFillers);
    const bool is_extra = is_size || is_filler || (!words.empty() && is_profile(word));  // "940A" is a name
    if (!word.empty() && !is_extra) words.push_back(word);
    word.clear();
  };
  for (const char c : name) {
    if (c == ' ' || c == '-' || c == '_' || c == '(' || c == ')')
      end_word();
    else
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  end_word();
  return words;
}

std::optional<int> number_in(std::string_view word) {
  const std::size_t digit = word.find_first_of("0123456789");
  return digit == std::string_view::npos ? std::nullopt : parse_number<int>(word.substr(digit));
}
std::string_view letters_in(std::string_view word) {
  return word.substr(0, std::min(word.find_first_of("0123456789"), word.size()));
}

/// Is `word` the pattern, or does it lie in its range? "4090" in "4050 to 4090", "1080" in "10xx".
bool is_in_range(const std::vector<std::string>& words, std::size_t at, std::size_t& used, std::string_view word) {
  const std::string& first = words[at];
  used = 1;
  if (first.ends_with("xx")) {
    return word.size() == first.size() && word.substr(0, first.size() - 2) == first.substr(0, first.size() - 2);
  }
  const bool has_to = at + 2 < words.size() && words[at + 1] == "to";
  const bool has_dash = !has_to && at + 1 < words.size() && number_in(first) && number_in(words[at + 1]) &&
                        letters_in(first) == letters_in(words[at + 1]);
  if (!has_to && !has_dash) return word == first;
  const std::string& last = words[at + (has_to ? 2 : 1)];
  used = has_to ? 3 : 2;
  const auto number = number_in(word);
  const auto low = number_in(first);
  const auto high = number_in(last);
  return number && low && high && letters_in(word) == letters_in(first) && *number >= *low && *number <= *high;
}

bool is_board(const std::string& board, const std::vector<std::string>& words) {
  const std::vector<std::string> pattern = words_of(board);
  std::size_t at = 0;
  for (const std::string& word : words) {
    std::size_t used = 1;
    if (at >= pattern.size() || !is_in_range(pattern, at, used, word)) return false;
    at += used;
  }
  return at == pattern.size() && !words.empty();
}

bool is_same_family(const GpuContracts& contracts, ComputeCapability a, ComputeCapability b) {
  return a == b || std::any_of(contracts.families.begin(), contracts.families.end(), [&](const auto& family) {
           return std::find(family.begin(), family.end(), a) != family.end() &&
                  std::find(family.begin(), family.end(), b) != family.end();
         });
}

ComputeCapability capability_of(std::uint32_t arch) {
  return {static_cast<int>(arch / 10), static_cast<int>(arch % 10)};
}

}  // namespace

std::string ComputeCapability::to_string() const {
  return std::to_string(major_number) + "." + std::to_string(minor_number);
}
std::uint32_t ComputeCapability::arch() const { return static_cast<std::uint32_t>(major_number * 10 + minor_number); }

std::optional<ComputeCapability> parse_capability(std::string_view text) {
  for (const std::string_view start : {std::string_view("sm_"), std::string_view("compute_")}) {
    if (text.starts_with(start)) text.remove_prefix(start.size());
  }
  std::uint32_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, whole);
  if (error != std::errc() || whole > 9999) return std::nullopt;
  if (stop == end) return whole < 10 ? std::nullopt : std::optional(capability_of(whole));
  int minor_number = 0;
  if (*stop != '.') return std::nullopt;
  const auto [last, minor_error] = std::from_chars(stop + 1, end, minor_number);
  if (minor_error != std::errc() || last != end || minor_number < 0 || minor_number > 9) return std::nullopt;
  return ComputeCapability{static_cast<int>(whole), minor_number};
}

Result<GpuDevice> find_device(const GpuContracts& contracts, std::string_view name) {
  if (const auto capability = parse_capability(name)) {
    const auto known = std::find_if(contracts.chips.begin(), contracts.chips.end(),
                                    [&](const GpuChip& chip) { return chip.capability == *capability; });
    return GpuDevice{*capability, std::string(name), known == contracts.chips.end() ? "as given" : known->source};
  }
  const std::vector<std::string> words = words_of(name);
  for (const GpuChip& chip : contracts.chips) {
    for (const std::string& board : chip.boards) {
      if (is_board(board, words)) return GpuDevice{chip.capability, std::string(name), chip.source};
    }
  }
  // Those that share its number or its first word.
  std::string near;
  for (const GpuChip& chip : contracts.chips) {
    for (const std::string& board : chip.boards) {
      const std::vector<std::string> pattern = words_of(board);
      const bool is_near =
          !words.empty() && !pattern.empty() &&
          (pattern.front() == words.front() || letters_in(pattern.front()) == letters_in(words.front()));
      if (is_near) near += (near.empty() ? "" : ", ") + board + " (" + chip.capability.to_string() + ")";
    }
  }
  return Unexpected{Error{ErrorCode::Usage,
                          {},
                          {},
                          "no GPU is known as '" + std::string(name) + "'" +
                              (near.empty() ? "" : "; there are " + near) +
                              "; a compute capability (8.9 or sm_89) will do as well"}};
}

Result<std::vector<std::string>> list_devices(const FileSystem& files) {
  constexpr std::string_view kDirectory = "/proc/driver/nvidia/gpus";
  const Result<std::vector<std::string>, Errno> gpus = files.list_directory(kDirectory);
  std::vector<std::string> names;
  if (gpus) {
    for (const std::string& gpu : *gpus) {
      const std::string text = start_of_file(files, std::string(kDirectory) + "/" + gpu + "/information", 4096);
      const std::size_t model = text.find("Model:");
      if (model == std::string::npos) continue;
      const std::size_t start = text.find_first_not_of(" \t", model + 6);
      if (start == std::string::npos) continue;
      names.push_back(text.substr(start, text.find('\n', start) - start));
    }
  }
  if (names.empty()) {
    // Jetson: the board is named in the device tree (Jetson Linux developer guide), with a NUL at its end.
    std::string model = start_of_file(files, "/proc/device-tree/model", 256);
    model.resize(std::min(model.find('\0'), model.size()));
    if (model.find("Jetson") != std::string::npos) names.push_back(std::move(model));
  }
  if (names.empty()) {
    return Unexpected{Error{ErrorCode::NotFound,
                            std::string(kDirectory),
                            {},
                            "no GPU is shown by a driver here; --device takes its name or capability"}};
  }
  return names;
}

std::string_view name_of(GpuRun run) {
  using enum GpuRun;
  static constexpr auto kNames =
      enum_names<GpuRun>({{Native, "native"}, {Compiled, "compiled"}, {Linked, "linked"}, {Not, "not"}});
  return kNames[run];
}

GpuRun how_it_runs(const GpuContracts& contracts, const GpuTarget& target, ComputeCapability device) {
  const ComputeCapability made_for = capability_of(target.arch);
  const bool is_kept_to_chip = target.suffix == 'a' && made_for != device;
  const bool is_kept_to_family =
      target.suffix == 'f' && (device < made_for || !is_same_family(contracts, made_for, device));
  if (is_kept_to_chip || is_kept_to_family) return GpuRun::Not;
  switch (target.kind) {
    case kGpuCubin:
      return made_for.major_number == device.major_number && device.minor_number >= made_for.minor_number
                 ? GpuRun::Native
                 : GpuRun::Not;
    case kGpuPtx: return device >= made_for ? GpuRun::Compiled : GpuRun::Not;
    case kGpuLtoIr: return device >= made_for ? GpuRun::Linked : GpuRun::Not;
    default: return GpuRun::Not;
  }
}

GpuVerdict judge_gpu_code(const GpuContracts& contracts, const GpuCode& code, const GpuDevice& device) {
  GpuVerdict verdict;
  const auto isa_of = [](const GpuTarget& target) { return std::pair(target.isa_major, target.isa_minor); };
  for (const GpuChoice& choice : code.choices) {
    if (choice.targets.empty()) continue;
    GpuRun best = GpuRun::Not;
    const GpuTarget* ptx = nullptr;  // the driver takes that of the highest chip
    for (const GpuTarget& target : choice.targets) {
      const GpuRun run = how_it_runs(contracts, target, device.capability);
      best = std::min(best, run);
      if (run == GpuRun::Compiled && (ptx == nullptr || target.arch > ptx->arch)) ptx = &target;
    }
    switch (best) {
      case GpuRun::Native: verdict.native += choice.containers; break;
      case GpuRun::Compiled:
        verdict.compiled += choice.containers;
        if (!verdict.newest_ptx || isa_of(*ptx) > isa_of(*verdict.newest_ptx)) verdict.newest_ptx = *ptx;
        break;
      case GpuRun::Linked: verdict.linked += choice.containers; break;
      case GpuRun::Not:
        verdict.none += choice.containers;
        verdict.without.push_back(choice);
        break;
    }
  }
  if (verdict.newest_ptx) {
    for (const PtxRelease& release : contracts.ptx_releases) {
      if (std::pair(release.isa_major, release.isa_minor) >= isa_of(*verdict.newest_ptx)) {
        verdict.needs_driver_of_cuda = release.cuda;
        break;
      }
    }
  }
  return verdict;
}

}  // namespace soresolve
