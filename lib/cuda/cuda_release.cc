// NVIDIA keeps some SONAMEs over major releases (libcurand.so.10 in CUDA 11 to 13, cuDNN's and NCCL's always). Then
// other marks tell. Sources: the files of 11.2 to 13.2 that the tests fetch, whose needs and carried runtimes were
// compared with the packages that they are from; NVIDIA documents none of it.
#include "cuda/cuda_release.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

#include "base/byte_search.h"
#include "base/number_text.h"
#include "base/path.h"
#include "cuda/contracts.h"
#include "cuda/cuda_library.h"
#include "cuda/wheel_file.h"
#include "loader/load.h"

namespace soresolve {
namespace {

/// The number behind `mark`; 0 without one.
std::uint32_t number_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  std::uint32_t number = 0;
  if (at != std::string_view::npos) std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), number);
  return number;
}

ReportedVersion major_release(std::uint32_t number, Statement proof) {
  return {*parse_dotted(std::to_string(number)), std::move(proof)};
}

/// Their runtime is that of the CUDA that they are made for.
bool carries_its_runtime(std::string_view family) {
  constexpr std::string_view kFamilies[] = {"libcurand",     "libcusolver", "libcusolverMg",  "libcusparse",
                                            "libcusparseLt", "libnccl",     "libnvshmem_host"};
  return family.starts_with("libcudnn") ||
         std::find(std::begin(kFamilies), std::end(kFamilies), family) != std::end(kFamilies);
}

/// Of libcusparse.so.12: it needs libnvJitLink.so.13.
std::optional<ReportedVersion> reported_by_needs(const ElfObject& elf, const CudaContracts& contracts) {
  for (const NeedEntry& need : elf.needs) {
    const std::uint32_t number = cuda_major_of_name(contracts, need.name);
    if (number != 0) return major_release(number, say("told-by-need", {{"name", need.name}}));
  }
  return std::nullopt;
}

/// By the name of the wheel whose RECORD has this file, with its size; by the folder of a toolkit, or of the wheels
/// of CUDA 13 ("nvidia/cu13/lib").
std::optional<ReportedVersion> reported_by_place(const FileSystem& files, const CudaLibrary& library) {
  const std::optional<WheelFile> wheel = find_wheel_of(files, library.real);
  if (wheel) {
    const Result<FileStatus, Errno> status = files.status(library.real);
    const bool is_other = wheel->recorded_bytes && status && status->size_bytes != *wheel->recorded_bytes;
    if (is_other) return std::nullopt;
    const std::uint32_t number = cuda_major_of_wheel(wheel->metadata.substr(0, wheel->metadata.find('-')));
    if (number != 0) return major_release(number, say("told-by-wheel", {{"metadata", wheel->metadata}}));
  }
  for (const std::string_view mark : {"/cuda-", "/nvidia/cu"}) {
    const std::uint32_t number = number_behind(library.real, mark);
    if (number != 0) return major_release(number, say("told-by-folder", {{"path", directory_of(library.real)}}));
  }
  return std::nullopt;
}

/// The numbers of the form 1000 * major + 10 * minor that code stores through a function's first argument, from `from`
/// on; each with its first place.
void collect_releases(const File& file, std::uint64_t from, std::uint64_t bytes,
                      std::map<std::uint32_t, std::uint64_t>& releases) {
  constexpr std::string_view kStore("\xc7\x07", 2);  // mov DWORD PTR [rdi], imm32
  for_each_place(file, kStore, from, bytes, [&](std::uint64_t offset, std::string_view found) {
    if (found.size() < 6) return true;
    std::uint32_t number;
    std::memcpy(&number, found.data() + 2, sizeof number);
    const bool is_release = number >= 7000 && number < 40000 && number % 10 == 0 && number % 1000 < 200;
    if (is_release) releases.try_emplace(number, offset);
    return true;
  });
}

std::optional<ReportedVersion> the_one_of(const std::map<std::uint32_t, std::uint64_t>& releases,
                                          std::string_view text) {
  if (releases.size() != 1) return std::nullopt;
  const auto [number, place] = *releases.begin();
  return ReportedVersion{cuda_release_of(number), say(text, {{"number", number}, {"offset", place}}), place};
}

}  // namespace

std::uint32_t cuda_major_of_name(const CudaContracts& contracts, std::string_view soname) {
  std::uint32_t number = 0;
  for (const CudaLibraryName& row : contracts.libraries) {
    if (row.soname != soname) continue;
    const std::uint32_t from = row.from.major_number();
    if (from != row.to.major_number() || (number != 0 && number != from)) return 0;
    number = from;
  }
  return number;
}

std::uint32_t cuda_major_of_wheel(std::string_view wheel) {
  const std::size_t mark = wheel.find_last_of("-_");
  if (mark == std::string_view::npos || !wheel.substr(mark + 1).starts_with("cu")) return 0;
  return parse_number<std::uint32_t>(wheel.substr(mark + 3)).value_or(0);
}

std::optional<ReportedVersion> read_runtime_release(const File& file, const ElfObject& elf) {
  constexpr std::uint64_t kMaxRuntimeBytes = 32u << 20;  // real ones have less than one
  if (elf.target.machine != EM_X86_64 || file.status().size_bytes > kMaxRuntimeBytes) return std::nullopt;
  std::map<std::uint32_t, std::uint64_t> releases;
  collect_releases(file, 0, kMaxRuntimeBytes, releases);
  return the_one_of(releases, "told-by-code");
}

std::optional<ReportedVersion> read_carried_runtime(const File& file, const ElfObject& elf) {
  // It is linked first or last: in the files seen, up to 5 MB from the begin of the code or 2 MB from its end, of up
  // to 96 MB. Code stands first in a segment that has data as well.
  constexpr std::uint64_t kFirstBytes = 16u << 20;
  constexpr std::uint64_t kLastBytes = 8u << 20;
  if (elf.target.machine != EM_X86_64) return std::nullopt;
  std::map<std::uint32_t, std::uint64_t> releases;
  for (const Segment& segment : elf.segments) {
    if (segment.type != PT_LOAD || (segment.flags & PF_X) == 0) continue;
    const std::uint64_t first = std::min(segment.file_bytes, kFirstBytes);
    const std::uint64_t last = std::min(segment.file_bytes - first, kLastBytes);
    collect_releases(file, segment.file_offset, first, releases);
    collect_releases(file, segment.file_offset + segment.file_bytes - last, last, releases);
  }
  return the_one_of(releases, "told-by-carried-runtime");
}

std::optional<ReportedVersion> find_cuda_release(const FileSystem& files, const CudaLibrary& library,
                                                 const CudaContracts& contracts) {
  if (const std::uint32_t number = cuda_major_of_name(contracts, library.soname); number != 0) {
    return major_release(number, say("told-by-soname", {{"soname", library.soname}}));
  }
  const Result<OpenedObject> opened = open_object(files, library.real, library.real);
  if (!opened) return std::nullopt;
  if (auto reported = reported_by_needs(opened->elf, contracts)) return reported;
  if (!library.cuda.empty()) {
    return ReportedVersion{library.cuda, library.reported.empty() ? Statement{} : library.reported.front().proof};
  }
  if (auto reported = reported_by_place(files, library)) return reported;
  if (!carries_its_runtime(library.family)) return std::nullopt;
  if (auto reported = read_carried_runtime(*opened->file, opened->elf)) return reported;
  const std::size_t so = library.soname.find(".so.");
  if (!library.family.starts_with("libcudnn") || so == std::string::npos) return std::nullopt;
  for (const std::string_view stem : {"libcudnn_graph", "libcudnn_ops", "libcudnn_ops_infer"}) {
    const std::string name = std::string(stem) + library.soname.substr(so);
    const std::string path = std::string(directory_prefix_of(library.real)) + name;
    const Result<OpenedObject> part = open_object(files, path, path);
    std::optional<ReportedVersion> reported = part ? read_carried_runtime(*part->file, part->elf) : std::nullopt;
    if (reported)
      return ReportedVersion{std::move(reported->version),
                             say("told-by-sibling", {{"name", name}, {"proof", reported->proof}})};
  }
  return std::nullopt;
}

}  // namespace soresolve
