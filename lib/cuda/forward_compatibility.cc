// Source: the note as NVIDIA's container toolkit reads it (cmd/nvidia-cdi-hook/cudacompat): owner "NVIDIA Corporation",
// JSON text with "CUDA Version", "Driver" (branches of the host) and "Device" (classes). It is found by its owner's
// name wherever it stands: nothing says that a segment covers it.
#include <array>
#include <span>

#include <nlohmann/json.hpp>

#include "base/byte_search.h"
#include "base/json_members.h"
#include "cuda/cuda_library.h"
#include "soresolve/cuda.h"

namespace soresolve {
namespace {

constexpr std::string_view kOwner("NVIDIA Corporation\0", 19);
constexpr std::size_t kMaxOwnerTextBytes = 4096;
constexpr std::uint64_t kHeaderBytes = 12;

/// The text of the note whose owner stands at `owner`; empty if no note has it there.
std::string text_of_note(const File& file, std::uint64_t owner) {
  if (owner < kHeaderBytes) return {};
  std::array<std::uint32_t, 3> header{};
  const auto got = file.read_at(owner - kHeaderBytes, std::as_writable_bytes(std::span(header)));
  if (!got || *got != kHeaderBytes || header[0] != kOwner.size() || header[1] > kMaxOwnerTextBytes) return {};
  std::string text(header[1], '\0');
  const auto read = file.read_at(owner + 20, std::as_writable_bytes(std::span(text)));  // the owner, padded to 4
  if (!read || *read != text.size()) return {};
  return text;
}

std::optional<ForwardCompatibility> parse(std::string_view text, std::uint64_t offset) {
  const std::size_t start = text.find('{');  // padded to 8 where the note is
  if (start == std::string_view::npos) return std::nullopt;
  const std::size_t end = text.rfind('}');
  if (end == std::string_view::npos || end < start) return std::nullopt;
  const auto json = nlohmann::json::parse(text.substr(start, end - start + 1), nullptr, false);  // does not throw
  if (!json.is_object() || !json.contains("CUDA Version")) return std::nullopt;
  ForwardCompatibility note;
  note.file_offset = offset;
  note.cuda = leading_version(text_of(member(json, "CUDA Version"))).value_or(DottedVersion{});
  if (const auto branches = json.find("Driver"); branches != json.end() && branches->is_array()) {
    for (const auto& branch : *branches) {
      if (branch.is_number_unsigned()) note.driver_branches.push_back(branch.get<std::uint32_t>());
    }
  }
  return note;
}

}  // namespace

std::optional<ForwardCompatibility> read_forward_compatibility(const File& file) {
  constexpr std::uint64_t kMaxSearchedBytes = 512u << 20;
  std::optional<ForwardCompatibility> note;
  for_each_place(file, kOwner, 0, kMaxSearchedBytes, [&](std::uint64_t offset, std::string_view) {
    note = parse(text_of_note(file, offset), offset);
    return !note;
  });
  return note;
}

}  // namespace soresolve
