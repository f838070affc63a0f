#include <algorithm>
#include <iterator>
#include <tuple>

#include <nlohmann/json.hpp>

#include "cuda/contract_row.h"
#include "cuda/small_file.h"
#include "soresolve/gpu_contracts.h"

namespace soresolve {

namespace {

using Json = nlohmann::json;

/// Puts `row` in the place of the one that `is_same` knows, or behind all others.
template <class Row, class IsSame>
void put(std::vector<Row>& rows, Row row, IsSame is_same) {
  const auto known = std::find_if(rows.begin(), rows.end(), is_same);
  if (known != rows.end())
    *known = std::move(row);
  else
    rows.push_back(std::move(row));
}

/// A family of chips; a chip is of one family.
void put_family(std::vector<std::vector<ComputeCapability>>& families, std::vector<ComputeCapability> family) {
  std::erase_if(families, [&](const std::vector<ComputeCapability>& known) {
    return std::any_of(known.begin(), known.end(), [&](ComputeCapability member) {
      return std::find(family.begin(), family.end(), member) != family.end();
    });
  });
  families.push_back(std::move(family));
}

void add_family(const ContractRow& row, GpuContracts& contracts) {
  static_cast<void>(row.text("source"));
  std::vector<ComputeCapability> family = row.capabilities("capabilities");
  if (family.empty()) row.complain("has no capabilities");
  put_family(contracts.families, std::move(family));
}

void add_chip(const ContractRow& row, GpuContracts& contracts) {
  GpuChip chip{row.capability("capability"), row.text("architecture"), row.texts("boards"),
               row.text("first_toolkit"),    row.text("last_toolkit"), row.text("source")};
  put(contracts.chips, chip, [&](const GpuChip& known) { return known.capability == chip.capability; });
}

void add_ptx_release(const ContractRow& row, GpuContracts& contracts) {
  const DottedVersion ptx = row.version("ptx");
  if (ptx.parts.size() != 2 || ptx.parts[0] > 999 || ptx.parts[1] > 9)
    row.complain("has no good ptx: '" + ptx.text + "'");
  PtxRelease release{static_cast<std::uint16_t>(ptx.major_number()), static_cast<std::uint16_t>(ptx.minor_number()),
                     row.text("cuda"), row.text("source")};
  put(contracts.ptx_releases, release, [&](const PtxRelease& known) {
    return known.isa_major == release.isa_major && known.isa_minor == release.isa_minor;
  });
}

void add_toolkit(const ContractRow& row, GpuContracts& contracts) {
  CudaToolkit toolkit{row.version("release"), row.has("update") ? row.text("update") : "", row.version("driver"),
                      row.text("source")};
  put(contracts.cuda.toolkits, toolkit,
      [&](const CudaToolkit& known) { return known.release == toolkit.release && known.update == toolkit.update; });
}

void add_minor_compatibility(const ContractRow& row, GpuContracts& contracts) {
  MinorCompatibility rule{row.number("cuda_major"), row.version("driver"), row.text("source")};
  put(contracts.cuda.minor_compatibility, rule,
      [&](const MinorCompatibility& known) { return known.cuda_major == rule.cuda_major; });
}

void add_driver_branch(const ContractRow& row, GpuContracts& contracts) {
  DriverBranch branch{row.number("branch"), row.version("cuda"), row.text("source")};
  put(contracts.cuda.driver_branches, branch, [&](const DriverBranch& known) { return known.branch == branch.branch; });
}

void add_last_branch(const ContractRow& row, GpuContracts& contracts) {
  LastBranch last{row.capability("from"), row.capability("to"), row.number("branch"), row.text("source")};
  put(contracts.cuda.last_branches, last, [&](const LastBranch& known) { return known.from == last.from; });
}

void add_cudnn_support(const ContractRow& row, GpuContracts& contracts) {
  const auto [cuda_from, cuda_to] = row.range("cuda");
  CudnnSupport support{row.version("from"), row.version("to"), cuda_from, cuda_to, {}, {}, {}, row.text("source")};
  if (row.has("driver")) support.driver = row.version("driver");
  if (row.has("capability_from")) support.capability_from = row.capability("capability_from");
  if (row.has("capability_to")) support.capability_to = row.capability("capability_to");
  put(contracts.cuda.cudnn_support, support,
      [&](const CudnnSupport& known) { return known.from == support.from && known.cuda_from == support.cuda_from; });
}

void add_cudnn_part(const ContractRow& row, GpuContracts& contracts) {
  CudnnPart part{row.number("major"), row.text("soname"), {}, row.text("source")};
  if (row.has("since")) part.since = row.version("since");
  put(contracts.cuda.cudnn_parts, part, [&](const CudnnPart& known) { return known.soname == part.soname; });
}

void add_framework(const ContractRow& row, GpuContracts& contracts) {
  FrameworkBuild build;
  build.name = row.text("name");
  build.release = row.version("release");
  build.cuda = row.version("cuda");
  if (row.has("cudnn")) build.cudnn = row.version("cudnn");
  build.capabilities = row.capabilities("capabilities");
  if (row.has("ptx")) build.ptx = row.capability("ptx");
  build.source = row.text("source");
  put(contracts.cuda.frameworks, build, [&](const FrameworkBuild& known) {
    return known.name == build.name && known.release == build.release && known.cuda == build.cuda;
  });
}

void add_library(const ContractRow& row, GpuContracts& contracts) {
  CudaLibraryName library{row.text("soname"), row.version("from"), row.version("to"),
                          row.has("node") ? row.text("node") : "", row.text("source")};
  put(contracts.cuda.libraries, library,
      [&](const CudaLibraryName& known) { return known.soname == library.soname && known.from == library.from; });
}

struct Table {
  std::string_view name;
  void (*add)(const ContractRow&, GpuContracts&);
};
constexpr Table kTables[] = {
    {"chips", add_chip},
    {"ptx_releases", add_ptx_release},
    {"families", add_family},
    {"toolkits", add_toolkit},
    {"minor_compatibility", add_minor_compatibility},
    {"driver_branches", add_driver_branch},
    {"last_branches", add_last_branch},
    {"cudnn_support", add_cudnn_support},
    {"cudnn_parts", add_cudnn_part},
    {"frameworks", add_framework},
    {"libraries", add_library},
};

std::string table_names() {
  std::string names = "sources";
  for (const Table& table : kTables) names += ", " + std::string(table.name);
  return names;
}

void read_sources(const Json& rows, GpuContracts& contracts, Complaint& complaint) {
  if (!rows.is_object()) return complaint.add("sources", "is no object");
  for (const auto& [name, what] : rows.items()) {
    if (!what.is_string()) return complaint.add("source " + name, "is no text");
    contracts.sources[name] = what.get<std::string>();
  }
}

/// The fields of a row, as texts; `texts` keeps what they borrow.
std::vector<ContractField> fields_of(const Json& row, const std::string& where, std::vector<std::string>& texts,
                                     Complaint& complaint) {
  texts.reserve(2 * row.size());
  std::vector<ContractField> fields;
  for (const auto& [key, value] : row.items()) {
    std::string text;
    if (value.is_string()) {
      text = value.get<std::string>();
    } else if (value.is_number_unsigned()) {
      text = std::to_string(value.get<std::uint64_t>());
    } else if (value.is_array()) {
      for (const Json& each : value) {
        if (!each.is_string())
          complaint.add(where, "has one of " + key + " that is no text");
        else
          text += (text.empty() ? "" : "\n") + each.get<std::string>();
      }
    }
    texts.push_back(key);
    texts.push_back(std::move(text));
    fields.push_back({texts[texts.size() - 2], texts.back()});
  }
  return fields;
}

void read_table(const Table& table, const Json& rows, GpuContracts& contracts, Complaint& complaint) {
  const std::string name(table.name);
  if (!rows.is_array()) return complaint.add(name, "is no list");
  for (std::size_t i = 0; i < rows.size() && !complaint.text; ++i) {
    const std::string where = "row " + std::to_string(i + 1) + " of " + name;
    if (!rows[i].is_object()) return complaint.add(where, "is no object");
    std::vector<std::string> texts;
    const std::vector<ContractField> fields = fields_of(rows[i], where, texts, complaint);
    table.add(ContractRow(fields, where, complaint), contracts);
  }
}

const Table* find_table(std::string_view name) {
  const auto table =
      std::find_if(std::begin(kTables), std::end(kTables), [&](const Table& known) { return known.name == name; });
  return table == std::end(kTables) ? nullptr : table;
}

void sort(GpuContracts& contracts) {
  const auto by = [](auto& rows, auto key) {
    std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  };
  by(contracts.chips, [](const GpuChip& row) { return row.capability; });
  by(contracts.ptx_releases, [](const PtxRelease& row) { return std::pair(row.isa_major, row.isa_minor); });
  by(contracts.cuda.toolkits, [](const CudaToolkit& row) { return std::tie(row.release, row.driver); });
  by(contracts.cuda.minor_compatibility, [](const MinorCompatibility& row) { return row.cuda_major; });
  by(contracts.cuda.driver_branches, [](const DriverBranch& row) { return row.branch; });
  by(
      contracts.cuda.cudnn_support, [](const CudnnSupport& row) -> const auto& { return row.from; });
  by(contracts.cuda.frameworks, [](const FrameworkBuild& row) { return std::tie(row.name, row.release, row.cuda); });
}

}  // namespace

Result<GpuContracts> read_contracts(std::string_view json, std::string_view path, const GpuContracts& base) {
  const auto refuse = [&](std::string message) {
    return Unexpected{Error{ErrorCode::Malformed, std::string(path), {}, std::move(message)}};
  };
  Json document;
  try {
    document = Json::parse(json);
  } catch (const Json::parse_error& error) {
    const std::string_view before = json.substr(0, error.byte == 0 ? 0 : error.byte - 1);
    return refuse("is no JSON in line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')));
  }
  if (!document.is_object()) return refuse("is no object");
  GpuContracts contracts = base;
  Complaint complaint;
  for (const auto& [key, value] : document.items()) {
    const Table* const table = find_table(key);
    if (key == "sources")
      read_sources(value, contracts, complaint);
    else if (table != nullptr)
      read_table(*table, value, contracts, complaint);
    else
      complaint.add(key, "is no table that is known; tables are " + table_names());
  }
  if (complaint.text) return refuse(*std::move(complaint.text));
  sort(contracts);
  return contracts;
}

Result<GpuContracts> read_contracts_file(const FileSystem& files, std::string_view path, std::string_view shown,
                                         const GpuContracts& base) {
  const Result<std::string> text = read_text_file(files, path, shown);
  if (!text) return Unexpected{text.error()};
  return read_contracts(*text, shown, base);
}

const GpuContracts& built_in_contracts() {
  static const GpuContracts contracts = [] {
    GpuContracts built_in;
    Complaint complaint;
    const std::string where = "a built-in row";
    for (const EmbeddedRow& row : embedded_rows()) {
      if (const Table* table = find_table(row.table))
        table->add(ContractRow(row.fields, where, complaint), built_in);
      else
        built_in.sources.emplace(row.fields[0].key, row.fields[0].text);
    }
    sort(built_in);
    return built_in;  // a test compares them with what is read from the file
  }();
  return contracts;
}

}  // namespace soresolve
