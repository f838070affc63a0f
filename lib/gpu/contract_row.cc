#include "gpu/contract_row.h"

#include "soresolve/gpu_contracts.h"

namespace soresolve {

std::string ContractRow::text(const char* key) const {
  const auto found = row_.find(key);
  if (found == row_.end() || !found->is_string() || found->get_ref<const std::string&>().empty()) {
    complain(std::string("has no ") + key);
    return {};
  }
  return found->get<std::string>();
}

std::uint32_t ContractRow::number(const char* key) const {
  constexpr std::uint64_t kMax = 1'000'000;
  const auto found = row_.find(key);
  if (found == row_.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > kMax) {
    complain(std::string("has no good ") + key);
    return 0;
  }
  return found->get<std::uint32_t>();
}

DottedVersion ContractRow::version(const char* key) const {
  const std::string written = text(key);
  std::optional<DottedVersion> version = parse_dotted(written);
  if (!version) complain(std::string("has no good ") + key + ": '" + written + "'");
  return version ? *std::move(version) : DottedVersion{};
}

ComputeCapability ContractRow::capability_in(const std::string& text, const char* key) const {
  const bool has_dot = text.find('.') != std::string::npos;
  const std::optional<ComputeCapability> capability = has_dot ? parse_capability(text) : std::nullopt;
  if (!capability) complain(std::string("has no good ") + key + ": '" + text + "'");
  return capability.value_or(ComputeCapability{});
}

ComputeCapability ContractRow::capability(const char* key) const { return capability_in(text(key), key); }

std::pair<DottedVersion, DottedVersion> ContractRow::range(const char* key) const {
  const std::string written = text(key);
  const std::size_t dash = written.find('-');
  std::optional<DottedVersion> first = parse_dotted(std::string_view(written).substr(0, dash));
  std::optional<DottedVersion> last =
      dash == std::string::npos ? std::nullopt : parse_dotted(std::string_view(written).substr(dash + 1));
  if (!first || !last || *last < *first) {
    complain(std::string("has no good ") + key + ": '" + written + "' (as in 11.0-11.8)");
    return {};
  }
  return {*std::move(first), *std::move(last)};
}

std::vector<std::string> ContractRow::texts(const char* key) const {
  std::vector<std::string> texts;
  const auto found = row_.find(key);
  if (found == row_.end()) return texts;
  if (!found->is_array()) {
    complain(std::string("has no list of ") + key);
    return texts;
  }
  for (const nlohmann::json& each : *found) {
    if (!each.is_string()) {
      complain(std::string("has one of ") + key + " that is no text");
      return {};
    }
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

std::vector<ComputeCapability> ContractRow::capabilities(const char* key) const {
  std::vector<ComputeCapability> capabilities;
  for (const std::string& each : texts(key)) capabilities.push_back(capability_in(each, "capability"));
  return capabilities;
}

}  // namespace soresolve
