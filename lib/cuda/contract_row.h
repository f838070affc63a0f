// One row of a table of contracts, read with complaints.
//
// The first thing that is wrong is kept, with the table and the number of the row; what is read after
// it is empty and of no use.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "soresolve/cuda.h"

namespace soresolve {

/// Where and what was wrong first.
struct Complaint {
  std::optional<std::string> text;
  void add(const std::string& where, const std::string& what) {
    if (!text) text = where + " " + what;
  }
};

/// A number is written out; what is in a list is joined by line ends.
struct ContractField {
  std::string_view key;
  std::string_view text;
};
/// One of the rows that are compiled in (embed.py); of "sources" each field is a source.
struct EmbeddedRow {
  std::string_view table;
  std::span<const ContractField> fields;
};
std::span<const EmbeddedRow> embedded_rows();

class ContractRow {
 public:
  /// `where` is "row 3 of chips". Borrows all three.
  ContractRow(std::span<const ContractField> fields, const std::string& where, Complaint& complaint)
      : fields_(fields), where_(where), complaint_(complaint) {}

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] std::string text(std::string_view key) const;
  [[nodiscard]] std::uint32_t number(std::string_view key) const;
  [[nodiscard]] DottedVersion version(std::string_view key) const;
  [[nodiscard]] ComputeCapability capability(std::string_view key) const;
  /// Two versions, "11.0-11.8".
  [[nodiscard]] std::pair<DottedVersion, DottedVersion> range(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  [[nodiscard]] std::vector<ComputeCapability> capabilities(std::string_view key) const;
  void complain(const std::string& what) const { complaint_.add(where_, what); }

 private:
  [[nodiscard]] const ContractField* find(std::string_view key) const;
  [[nodiscard]] ComputeCapability capability_in(const std::string& text, std::string_view key) const;

  std::span<const ContractField> fields_;
  const std::string& where_;
  Complaint& complaint_;
};

}  // namespace soresolve
