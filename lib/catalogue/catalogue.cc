// Finds rows of the tables by their names.
#include "soresolve/catalogue.h"

#include <algorithm>

#include "catalogue/problem_rows.h"
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

/// FNV-1a, as make_tables.py has it.
std::uint32_t hash_of_name(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace

const Sentence* find_sentence(std::string_view name) {
  const SentenceTable table = sentence_table();
  const std::size_t mask = table.slots.size() - 1;
  for (std::size_t at = hash_of_name(name) & mask; table.slots[at] != 0; at = (at + 1) & mask) {
    const Sentence& row = table.rows[table.slots[at] - 1];
    if (row.name == name) return &row;
  }
  return nullptr;
}

const ProblemRow* find_problem_row(std::string_view name) {
  const std::span<const ProblemRow> rows = problem_rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const ProblemRow& row) { return code_of(row.code) == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace soresolve
