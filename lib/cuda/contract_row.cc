// Reads one row by the type of its fields: texts, numbers, versions, capabilities, ranges. Format:
// cuda/contracts.schema.json. Keys that no reader asks for are ignored.
#include "cuda/contract_row.h"

#include "base/number_text.h"
#include "cuda/contracts.h"
#include "soresolve/cuda.h"

namespace soresolve {

const ContractField* ContractRow::find(std::string_view key) const {
  for (const ContractField& field : fields_) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

std::string ContractRow::text(std::string_view key) const {
  const ContractField* const field = find(key);
  if (field == nullptr || field->text.empty()) {
    complain("has no " + std::string(key));
    return {};
  }
  return std::string(field->text);
}

std::uint32_t ContractRow::number(std::string_view key) const {
  constexpr std::uint32_t kMax = 1'000'000;
  const ContractField* const field = find(key);
  const std::string_view text = field == nullptr ? std::string_view() : field->text;
  const auto number = parse_number<std::uint32_t>(text);
  if (number && *number <= kMax) return *number;
  complain("has no good " + std::string(key));
  return 0;
}

DottedVersion ContractRow::version(std::string_view key) const {
  const std::string written = text(key);
  std::optional<DottedVersion> version = parse_dotted(written);
  if (!version) complain("has no good " + std::string(key) + ": '" + written + "'");
  return version ? *std::move(version) : DottedVersion{};
}

ComputeCapability ContractRow::capability_in(const std::string& text, std::string_view key) const {
  const bool has_dot = text.find('.') != std::string::npos;
  const std::optional<ComputeCapability> capability = has_dot ? parse_capability(text) : std::nullopt;
  if (!capability) complain("has no good " + std::string(key) + ": '" + text + "'");
  return capability.value_or(ComputeCapability{});
}

ComputeCapability ContractRow::capability(std::string_view key) const { return capability_in(text(key), key); }

std::pair<DottedVersion, DottedVersion> ContractRow::range(std::string_view key) const {
  const std::string written = text(key);
  const std::size_t dash = written.find('-');
  std::optional<DottedVersion> first = parse_dotted(std::string_view(written).substr(0, dash));
  std::optional<DottedVersion> last =
      dash == std::string::npos ? std::nullopt : parse_dotted(std::string_view(written).substr(dash + 1));
  if (!first || !last || *last < *first) {
    complain("has no good " + std::string(key) + ": '" + written + "' (as in 11.0-11.8)");
    return {};
  }
  return {*std::move(first), *std::move(last)};
}

std::vector<std::string> ContractRow::texts(std::string_view key) const {
  std::vector<std::string> texts;
  const ContractField* const field = find(key);
  if (field == nullptr || field->text.empty()) return texts;
  std::string_view rest = field->text;
  while (true) {
    const std::size_t end = rest.find('\n');
    texts.emplace_back(rest.substr(0, end));
    if (end == std::string_view::npos) return texts;
    rest.remove_prefix(end + 1);
  }
}

std::vector<ComputeCapability> ContractRow::capabilities(std::string_view key) const {
  std::vector<ComputeCapability> capabilities;
  for (const std::string& each : texts(key)) capabilities.push_back(capability_in(each, "capability"));
  return capabilities;
}

}  // namespace soresolve
