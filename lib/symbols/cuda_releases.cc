// Reads names of version nodes and symbols by the tables of cuda_releases.toml.
#include "symbols/cuda_releases.h"

#include <algorithm>
#include <span>

namespace soresolve {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

std::optional<CudaNode> parse_cuda_node(std::string_view node) {
  const std::size_t so = node.find(".so.");
  if (so == std::string_view::npos) return std::nullopt;
  CudaNode found{"CUDA", node.substr(0, so), {}};
  const std::string_view number = node.substr(so + 4);
  if (found.stem.starts_with("libcudnn")) {
    found.product = "cuDNN";
    found.release = number;
    return found;
  }
  bool is_known = false;
  for (const SonameRelease& row : soname_releases()) {
    if (row.stem != found.stem) continue;
    is_known = true;
    if (row.number == number) found.release = row.release;
  }
  const std::span<const std::string_view> stems = numbered_like_cuda();
  const bool is_like_cuda =
      found.stem.starts_with("libnpp") || std::find(stems.begin(), stems.end(), found.stem) != stems.end();
  if (!is_known && !is_like_cuda) return std::nullopt;
  if (is_like_cuda && found.release.empty()) {
    found.release = std::string(number) + (is_number(number) ? ".0" : "");
  }
  return found;
}

std::string_view cuda_runtime_release(std::string_view symbol) {
  // The same functions for other default streams.
  for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
    if (symbol.ends_with(suffix)) symbol.remove_suffix(suffix.size());
  }
  if (symbol.empty() || symbol.find(' ') != std::string_view::npos) return {};
  for (const RuntimeAddition& addition : runtime_additions()) {
    if (has_word(addition.names, symbol)) return addition.release;
  }
  return {};
}

std::string nvjitlink_release(std::string_view symbol) {
  if (!symbol.starts_with("__nvJitLink")) return {};
  const std::size_t minor = symbol.rfind('_');
  const std::size_t major = symbol.rfind('_', minor - 1);
  if (major == std::string_view::npos || major < 2) return {};
  const std::string_view number[] = {symbol.substr(major + 1, minor - major - 1), symbol.substr(minor + 1)};
  if (!is_number(number[0]) || !is_number(number[1])) return {};
  return std::string(number[0]) + "." + std::string(number[1]);
}

}  // namespace soresolve
