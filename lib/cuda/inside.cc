// Sources: the PTX ISA manual (.version, .target); what e_flags of cubins hold was measured on ptxas 11.8, 12.4
// and 13.0: up to CUDA 12 EI_OSABI is 0x33 and the SM stands in the lowest byte, from 13.0 on it is 0x41 and the byte
// above.
#include <algorithm>
#include <charconv>

#include "base/load.h"
#include "base/pieces.h"
#include "cuda/fatbin.h"
#include "soresolve/cuda.h"

namespace soresolve {
namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr std::size_t kMostKept = 16;

enum class Verdict : std::uint8_t { Agrees, Differs, Damaged, NotJudged };
struct Judged {
  Verdict verdict;
  std::string text;
};

/// The word behind a directive at the beginning of a line: "8.3" of ".version 8.3".
std::string_view directive(std::string_view text, std::string_view name) {
  std::size_t at = 0;
  while ((at = text.find(name, at)) != std::string_view::npos) {
    const bool is_line = at == 0 || text[at - 1] == '\n';
    std::string_view rest = text.substr(at + name.size());
    at += name.size();
    if (!is_line || rest.empty() || (rest[0] != ' ' && rest[0] != '\t')) continue;
    rest = trimmed(rest);
    return rest.substr(0, rest.find_first_of(" \t\r\n,;"));
  }
  return {};
}

Judged judge_ptx(const GpuTarget& target, std::string_view text) {
  const std::string version(directive(text, ".version"));
  const std::string chip(directive(text, ".target"));
  if (version.empty() || chip.empty()) return {Verdict::Damaged, "has a piece of PTX without .version and .target"};
  const std::string reported = std::to_string(target.isa_major) + "." + std::to_string(target.isa_minor);
  GpuTarget native = target;  // PTX names its chip as native code does: sm_90a
  native.kind = kGpuCubin;
  if (version == reported && chip == name_of(native)) return {Verdict::Agrees, {}};
  return {Verdict::Differs,
          "has PTX " + version + " for " + chip + " where its header says " + reported + " for " + name_of(native)};
}

Judged judge_cubin(const GpuTarget& target, std::string_view bytes) {
  constexpr std::size_t kElfHeader = 64;
  constexpr std::uint16_t kCudaMachine = 190;
  if (bytes.size() < kElfHeader || !bytes.starts_with("\x7f"
                                                      "ELF"))
    return {Verdict::Damaged, "has a piece of native GPU code that is not an ELF file"};
  const auto* const header = reinterpret_cast<const std::byte*>(bytes.data());
  if (load_as<std::uint16_t>(header + 18, std::endian::little) != kCudaMachine) {
    return {Verdict::Damaged, "has a piece of native GPU code for another machine than CUDA's"};
  }
  const std::uint32_t flags = load_as<std::uint32_t>(header + 48, std::endian::little);
  std::uint32_t arch = 0;
  switch (std::to_integer<unsigned>(header[7])) {  // EI_OSABI
    case 0x33: arch = flags & 0xff; break;
    case 0x41: arch = flags >> 8 & 0xff; break;
    default: return {Verdict::NotJudged, {}};
  }
  if (arch == target.arch) return {Verdict::Agrees, {}};
  return {Verdict::Differs,
          "has native code for sm_" + std::to_string(arch) + " where its header says " + name_of(target)};
}

Judged judge(const FatbinEntry& entry, std::string_view head) {
  switch (entry.target.kind) {
    case kGpuPtx: return judge_ptx(entry.target, head);
    case kGpuCubin: return judge_cubin(entry.target, head);
    default: return {Verdict::NotJudged, {}};
  }
}

}  // namespace

Result<GpuInside> look_inside_gpu_code(const File& file, std::string_view path) {
  GpuInside inside;
  const auto tell = [&](Error error) {
    if (inside.reported.size() < kMostKept) inside.reported.push_back(std::move(error));
  };
  const auto look = [&](const FatbinEntry& entry) {
    const bool is_code = entry.target.kind == kGpuPtx || entry.target.kind == kGpuCubin;
    if (!is_code) {
      ++inside.not_judged;
      return;
    }
    const Result<std::string> head = read_gpu_head(file, entry, path, kHeadBytes);
    if (!head) {
      const bool is_limit = head.error().code == ErrorCode::Unsupported || head.error().code == ErrorCode::LimitReached;
      ++(is_limit ? inside.not_unpacked : inside.damaged);
      if (!is_limit) tell(head.error());
      return;
    }
    Judged judged = judge(entry, *head);
    switch (judged.verdict) {
      case Verdict::Agrees: ++inside.agreeing; return;
      case Verdict::NotJudged: ++inside.not_judged; return;
      case Verdict::Differs: ++inside.differing; break;
      case Verdict::Damaged: ++inside.damaged; break;
    }
    tell({ErrorCode::Malformed, std::string(path), entry.file_offset, std::move(judged.text)});
  };
  const auto visit = [&](const FatbinContainer& container) {
    std::for_each(container.entries.begin(), container.entries.end(), look);
  };
  if (auto error = for_each_fatbin(file, path, visit, [](const Error&) {})) return Unexpected{std::move(*error)};
  return inside;
}

}  // namespace soresolve
