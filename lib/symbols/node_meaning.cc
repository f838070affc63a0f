// Which release a version node stands for: tables of glibc, libstdc++ and libgcc. Source: glibc's nodes carry the
// release; libstdc++ manual "ABI Policy and Guidelines"; symbols/cuda_releases.cc for CUDA.
#include "symbols/node_meaning.h"

#include <algorithm>
#include <iterator>

#include "symbols/cuda_releases.h"

namespace soresolve {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct NamedRelease {
  std::string_view number;
  std::string_view release;
};
constexpr NamedRelease kGlibcxx[] = {
    {"3.4", "3.4.0"},     {"3.4.9", "4.2.0"},   {"3.4.10", "4.3.0"},  {"3.4.11", "4.4.0"},  {"3.4.14", "4.5.0"},
    {"3.4.15", "4.6.0"},  {"3.4.17", "4.7.0"},  {"3.4.18", "4.8.0"},  {"3.4.19", "4.8.3"},  {"3.4.20", "4.9.0"},
    {"3.4.21", "5.1.0"},  {"3.4.22", "6.1.0"},  {"3.4.23", "7.1.0"},  {"3.4.24", "7.2.0"},  {"3.4.25", "8.1.0"},
    {"3.4.26", "9.1.0"},  {"3.4.27", "9.2.0"},  {"3.4.28", "9.3.0"},  {"3.4.29", "11.1.0"}, {"3.4.30", "12.1.0"},
    {"3.4.31", "13.1.0"}, {"3.4.32", "13.2.0"}, {"3.4.33", "14.1.0"}, {"3.4.34", "15.1.0"}};
constexpr NamedRelease kCxxabi[] = {
    {"1.3", "3.4.0"},     {"1.3.3", "4.4.0"},   {"1.3.4", "4.5.0"},  {"1.3.5", "4.6.0"},  {"1.3.6", "4.7.0"},
    {"1.3.7", "4.8.0"},   {"1.3.8", "4.9.0"},   {"1.3.9", "5.1.0"},  {"1.3.10", "6.1.0"}, {"1.3.11", "7.1.0"},
    {"1.3.13", "11.1.0"}, {"1.3.14", "13.1.0"}, {"1.3.15", "14.1.0"}};
/// Nodes of glibc that are not named by a release.
constexpr NamedRelease kGlibcAbi[] = {{"GLIBC_ABI_DT_RELR", "2.36"},
                                      {"GLIBC_ABI_GNU_TLS", "2.43"},
                                      {"GLIBC_ABI_GNU2_TLS", "2.43"},
                                      {"GLIBC_ABI_DT_X86_64_PLT", "2.43"}};

template <std::size_t Count>
std::string release_of(const NamedRelease (&releases)[Count], std::string_view number) {
  const auto known = std::find_if(std::begin(releases), std::end(releases),
                                  [&](const NamedRelease& row) { return row.number == number; });
  return known == std::end(releases) ? std::string() : std::string(known->release);
}

/// The number behind `prefix`, if the node is made of both.
std::string_view number_after(std::string_view node, std::string_view prefix) {
  if (!node.starts_with(prefix) || node.size() == prefix.size() || !is_digit(node[prefix.size()])) {
    return {};
  }
  return node.substr(prefix.size());
}

bool is_glibcs_own(const LoadedObject& object, const VersionTables& tables) {
  static constexpr std::string_view kNames[] = {
      "libc.so.",      "libm.so.",          "libmvec.so.",          "libpthread.so.", "libdl.so.",
      "librt.so.",     "libutil.so.",       "libanl.so.",           "libresolv.so.",  "libBrokenLocale.so.",
      "libnsl.so.1",   "libthread_db.so.",  "libnss_compat.so.",    "libnss_dns.so.", "libnss_files.so.",
      "libnss_db.so.", "libnss_hesiod.so.", "libc_malloc_debug.so."};
  const std::string_view soname = object.elf.soname.value_or("");
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return soname.starts_with(name); }) ||
         std::any_of(tables.defs.begin(), tables.defs.end(),
                     [](const VersionDef& def) { return def.name == "GLIBC_PRIVATE"; });
}

}  // namespace

std::optional<NodeMeaning> meaning_of(std::string_view node) {
  if (const auto number = number_after(node, "GLIBC_"); !number.empty()) {
    return NodeMeaning{0, "glibc", "glibc", std::string(number), std::string(number)};
  }
  if (const std::string release = release_of(kGlibcAbi, node); !release.empty()) {
    return NodeMeaning{0, "glibc", "glibc", release, release};
  }
  if (const auto number = number_after(node, "GLIBCXX_"); !number.empty()) {
    return NodeMeaning{1, "libstdc++ GLIBCXX", "GCC", std::string(number), release_of(kGlibcxx, number)};
  }
  if (const auto number = number_after(node, "CXXABI_"); !number.empty()) {
    return NodeMeaning{2, "libstdc++ CXXABI", "GCC", std::string(number), release_of(kCxxabi, number)};
  }
  if (const auto number = number_after(node, "GCC_"); !number.empty()) {
    return NodeMeaning{3, "libgcc", "GCC", std::string(number), std::string(number)};
  }
  if (const auto cuda = parse_cuda_node(node)) {
    return NodeMeaning{cuda->product == "CUDA" ? kCudaOrder : kCudaOrder + 1,
                       std::string(cuda->product) + " " + std::string(cuda->stem), std::string(cuda->product),
                       cuda->release, cuda->release};
  }
  return std::nullopt;
}

std::string release_of_function(std::string_view family, std::string_view symbol) {
  if (family == "CUDA libcudart") return std::string(cuda_runtime_release(symbol));
  return family == "CUDA libnvJitLink" ? nvjitlink_release(symbol) : std::string();
}

OwnFamilies::OwnFamilies(const LoadedObject& object, const VersionTables& tables) {
  if (is_glibcs_own(object, tables)) names_.insert("glibc");
  for (const VersionDef& def : tables.defs) {
    // Others than glibc have its nodes, too: libcrypt.so.1.
    const auto meaning = meaning_of(def.name);
    if (meaning && meaning->product != "glibc") names_.insert(name_of(*meaning));
  }
}

}  // namespace soresolve
