// One row of a table of contracts, read with complaints.
//
// The first thing that is wrong is kept, with the table and the number of the row; what is read after
// it is empty and of no use.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "soresolve/cuda_contracts.h"

namespace soresolve {

/// Where and what was wrong first.
struct Complaint {
  std::optional<std::string> text;
  void add(const std::string& where, const std::string& what) {
    if (!text) text = where + " " + what;
  }
};

class ContractRow {
 public:
  /// `where` is "row 3 of chips". Borrows all three.
  ContractRow(const nlohmann::json& row, const std::string& where, Complaint& complaint)
      : row_(row), where_(where), complaint_(complaint) {}

  [[nodiscard]] bool has(const char* key) const { return row_.contains(key); }
  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] std::uint32_t number(const char* key) const;
  [[nodiscard]] DottedVersion version(const char* key) const;
  [[nodiscard]] ComputeCapability capability(const char* key) const;
  /// Two versions, "11.0-11.8".
  [[nodiscard]] std::pair<DottedVersion, DottedVersion> range(const char* key) const;
  [[nodiscard]] std::vector<std::string> texts(const char* key) const;
  [[nodiscard]] std::vector<ComputeCapability> capabilities(const char* key) const;
  void complain(const std::string& what) const { complaint_.add(where_, what); }

 private:
  [[nodiscard]] ComputeCapability capability_in(const std::string& text, const char* key) const;

  const nlohmann::json& row_;
  const std::string& where_;
  Complaint& complaint_;
};

}  // namespace soresolve
