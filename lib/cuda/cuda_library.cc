// Collects what the bytes, the pip package and the file name say of the release of one CUDA library, surest first, and
// notes a contradiction. Source: measured on the files that the header lists; NVIDIA documents no such format. What
// nothing says stays unknown. A runtime's code is read on x86-64 only.
#include "soresolve/cuda.h"

#include <algorithm>
#include <iterator>

#include "base/byte_search.h"
#include "base/path.h"
#include "cuda/cuda_library.h"
#include "cuda/wheel_file.h"
#include "elf/image_reader.h"
#include "elf/library_name.h"
#include "loader/load.h"
#include "soresolve/symbols.h"
#include "symbols/symbol_table.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kMaxSearchedBytes = 512u << 20;

/// What a file of this family can say of itself.
enum class Tells : std::uint8_t { Nothing, Runtime, Cudnn, Compiler, Nccl };

struct Family {
  std::string_view stem;
  Tells tells = Tells::Nothing;
};
constexpr Family kFamilies[] = {
    {"libcudart", Tells::Runtime},
    {"libcublas"},
    {"libcublasLt"},
    {"libcudnn", Tells::Cudnn},
    {"libcufft"},
    {"libcufftw"},
    {"libcurand"},
    {"libcusolver"},
    {"libcusolverMg"},
    {"libcusparse"},
    {"libcusparseLt"},
    {"libnvrtc", Tells::Compiler},
    {"libnvrtc-builtins"},
    {"libnvJitLink", Tells::Compiler},
    {"libnccl", Tells::Nccl},
    {"libcupti"},
    {"libnvToolsExt"},
    {"libcufile"},
    {"libnvshmem_host"},
    {"libcuda"},
    {"libnvidia-ml"},
    {"libnvidia-ptxjitcompiler", Tells::Compiler},
};

const Family* find_family(std::string_view family) {
  const bool is_cudnn_part = family.starts_with("libcudnn_");
  const std::string_view stem = is_cudnn_part ? std::string_view("libcudnn") : family;
  const auto found =
      std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const Family& known) { return known.stem == stem; });
  return found == std::end(kFamilies) ? nullptr : found;
}

Statement reported_by_text(const std::string& text, std::uint64_t offset) {
  return say("told-by-text", {{"text", text}, {"offset", offset}});
}

/// "NCCL version 2.28.9+cuda13.0", a line that it prints when asked to.
struct NcclText {
  ReportedVersion library;
  DottedVersion cuda;
};
std::optional<NcclText> read_nccl_text(const File& file) {
  constexpr std::string_view kText = "NCCL version ";
  std::optional<NcclText> read;
  for_each_place(file, kText, 0, kMaxSearchedBytes, [&](std::uint64_t offset, std::string_view bytes) {
    bytes.remove_prefix(kText.size());
    bytes = bytes.substr(0, bytes.find('\0'));
    const std::size_t plus = bytes.find("+cuda");
    std::optional<DottedVersion> version = parse_dotted(bytes.substr(0, plus));
    if (!version) return true;
    read = NcclText{{*std::move(version), reported_by_text(std::string(kText) + std::string(bytes), offset)}, {}};
    if (plus != std::string_view::npos) read->cuda = parse_dotted(bytes.substr(plus + 5)).value_or(DottedVersion{});
    return false;
  });
  return read;
}

/// "12.4.5.8" of libcublas.so.12.4.5.8; fewer than three numbers are a SONAME's.
std::optional<ReportedVersion> version_in_name(const std::string& real) {
  const std::string name(file_name_of(real));
  const std::size_t so = name.find(".so.");
  if (so == std::string::npos) return std::nullopt;
  std::optional<DottedVersion> version = parse_dotted(std::string_view(name).substr(so + 4));
  if (!version || (version->parts.size() < 3 && version->major_number() < 100)) return std::nullopt;
  return ReportedVersion{*std::move(version), say("told-by-name", {{"name", name}})};
}

std::optional<ReportedVersion> version_of_wheel(const FileSystem& files, const std::string& real, std::uint64_t size) {
  const std::optional<WheelFile> wheel = find_wheel_of(files, real);
  std::optional<DottedVersion> version = wheel ? leading_version(wheel->version) : std::nullopt;
  if (!version) return std::nullopt;
  const bool is_other = wheel->recorded_bytes && *wheel->recorded_bytes != size;
  if (is_other) return std::nullopt;  // put in the place of what the package brought
  return ReportedVersion{*std::move(version), say(wheel->recorded_bytes ? "told-by-wheel-with-size" : "told-by-wheel",
                                                  {{"metadata", wheel->metadata}})};
}

/// Where a number of version is part of the SONAME: libnvrtc-builtins.so.12.4.
std::optional<ReportedVersion> version_in_soname(const std::string& soname) {
  const std::size_t so = soname.find(".so.");
  std::optional<DottedVersion> version =
      so == std::string::npos ? std::nullopt : parse_dotted(std::string_view(soname).substr(so + 4));
  if (!version || version->parts.size() < 2) return std::nullopt;
  return ReportedVersion{*std::move(version), say("told-by-soname", {{"soname", soname}})};
}

/// A part of cuDNN that carries no version lies beside one that does: an installation is of one release.
std::optional<ReportedVersion> version_of_sibling(const FileSystem& files, const std::string& real,
                                                  const std::string& soname) {
  const std::size_t so = soname.find(".so.");
  if (so == std::string::npos) return std::nullopt;
  for (const std::string_view stem : {"libcudnn_graph", "libcudnn_ops", "libcudnn_ops_infer"}) {
    const std::string name = std::string(stem) + soname.substr(so);
    const std::string path = std::string(directory_prefix_of(real)) + name;
    const Result<OpenedObject> opened = open_object(files, path, path);
    std::optional<ReportedVersion> reported =
        opened ? read_cudnn_version(*opened->file, opened->elf, path) : std::nullopt;
    if (reported)
      return ReportedVersion{std::move(reported->version),
                             say("told-by-sibling", {{"name", name}, {"proof", reported->proof}})};
  }
  return std::nullopt;
}

bool agree(const DottedVersion& a, const DottedVersion& b) { return a.is_within(b) || b.is_within(a); }

/// The surest version, made more exact by what agrees with it.
void conclude(CudaLibrary& library) {
  if (library.reported.empty()) return;
  library.version = library.reported.front().version;
  for (const ReportedVersion& reported : library.reported) {
    if (reported.version.is_within(library.version)) library.version = reported.version;
    if (!agree(reported.version, library.reported.front().version) && library.contradiction.empty()) {
      library.contradiction =
          say("told-otherwise", {{"first", library.reported.front().proof}, {"second", reported.proof}});
    }
  }
}

}  // namespace

bool is_cuda_family(std::string_view family) { return find_family(family) != nullptr; }

std::optional<CudaLibrary> read_cuda_library(const FileSystem& files, const std::string& path) {
  const Result<OpenedObject> opened = open_object(files, path, path);
  if (!opened) return std::nullopt;
  return read_cuda_library(files, path, *opened->file, opened->elf);
}

CudaLibrary read_cuda_library(const FileSystem& files, const std::string& path, const File& file,
                              const ElfObject& elf) {
  const Result<std::string, Errno> real = files.real_path(path);
  CudaLibrary library;
  library.path = path;
  library.real = real ? *real : path;
  if (elf.soname) library.soname = *elf.soname;
  library.family = library_family(library.soname.empty() ? std::string_view(path) : library.soname);
  const Family* const family = find_family(library.family);
  const auto add = [&](std::optional<ReportedVersion> reported) {
    if (reported) library.reported.push_back(*std::move(reported));
  };
  const Tells tells = family == nullptr ? Tells::Nothing : family->tells;
  if (tells == Tells::Runtime) add(read_runtime_release(file, elf));
  if (tells == Tells::Cudnn) add(read_cudnn_version(file, elf, path));
  if (tells == Tells::Nccl) {
    if (std::optional<NcclText> text = read_nccl_text(file)) {
      library.cuda = text->cuda;
      add(std::move(text->library));
    }
  }
  if (library.family == "libnvrtc-builtins") add(version_in_soname(library.soname));
  add(version_of_wheel(files, library.real, file.status().size_bytes));
  add(version_in_name(library.real));
  // These are large, and their text stands far behind: only if nothing else has told.
  if (tells == Tells::Compiler && library.reported.empty()) add(read_compiler_release(file));
  if (tells == Tells::Cudnn && library.reported.empty()) add(version_of_sibling(files, library.real, library.soname));
  conclude(library);
  const bool has_release_of_cuda = tells == Tells::Runtime || library.family == "libnvrtc" ||
                                   library.family == "libnvrtc-builtins" || library.family == "libnvJitLink";
  if (has_release_of_cuda && library.version.parts.size() >= 2) library.cuda = library.version.first(2);
  return library;
}

std::optional<ReportedVersion> read_cudnn_version(const File& file, const ElfObject& elf, std::string_view path) {
  const Result<SymbolTable> table = read_symbol_table(
      file, elf, path, [](const DynamicSymbol& symbol) { return symbol.is_defined() && symbol.size_bytes == 4; });
  if (!table) return std::nullopt;
  for (const DynamicSymbol& symbol : table->symbols) {
    if (!symbol.name.starts_with("cudnn_") || !symbol.name.ends_with("_version")) continue;
    ImageReader reader(file, elf);
    const auto place = reader.locate(symbol.value);
    const std::span<const std::byte> bytes = reader.view(symbol.value, 4);
    if (!place || bytes.size() != 4) continue;
    const std::string version = std::to_string(std::to_integer<int>(bytes[2])) + "." +
                                std::to_string(std::to_integer<int>(bytes[1])) + "." +
                                std::to_string(std::to_integer<int>(bytes[0]));
    return ReportedVersion{
        *parse_dotted(version),
        say("told-by-data",
            {{"symbol", std::string(symbol.name)}, {"version", version}, {"offset", place->file_offset}}),
        place->file_offset};
  }
  return std::nullopt;
}

std::optional<ReportedVersion> read_compiler_release(const File& file) {
  constexpr std::string_view kText = "Cuda compilation tools, release ";
  std::optional<ReportedVersion> reported;
  for_each_place(file, kText, 0, kMaxSearchedBytes, [&](std::uint64_t offset, std::string_view bytes) {
    const std::size_t version = bytes.find(", V", kText.size());
    if (version == std::string_view::npos) return true;
    std::optional<DottedVersion> release = leading_version(bytes.substr(version + 3));
    if (!release || release->parts.size() < 3) return true;
    reported =
        ReportedVersion{*std::move(release), reported_by_text(std::string(bytes.substr(0, version)), offset), offset};
    return false;
  });
  return reported;
}

}  // namespace soresolve
