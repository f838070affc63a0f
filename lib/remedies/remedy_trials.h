// What a remedy comes to when it is tried: the verdict, what is left, what else changes.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "remedies/suitability.h"
#include "remedies/trial.h"

namespace soresolve {

/// Tries remedies of one question. What it is given must outlive it.
class RemedyTrials {
 public:
  /// `broken`: the libraries with a fatal problem; `problems`: with their candidates.
  RemedyTrials(const LinkMap& map, const std::vector<Problem>& problems,
               const std::set<std::string, std::less<>>& broken, Suitability& suitability, ImportEnd import_end)
      : map_(map), problems_(problems), broken_(broken), suitability_(suitability), trials_(map),
        import_end_(std::move(import_end)) {}

  /// `remedy` with its verdict and what proves it. `about`: the library whose obstacle is the
  /// proof; empty for the first one.
  Remedy tried(Remedy remedy, const WorldChange& world_change, std::string_view about = {});

 private:
  [[nodiscard]] std::vector<Statement> switched(const Trial& trial);
  void check_symbols(Trial& trial, Remedy& remedy);
  const Candidate* judged(const std::string& name, const std::string& path);
  void check_siblings(Trial& trial, Remedy& remedy);

  const LinkMap& map_;
  const std::vector<Problem>& problems_;
  const std::set<std::string, std::less<>>& broken_;
  Suitability& suitability_;
  Trials trials_;
  ImportEnd import_end_;
  const LoadedObject* find_library(std::string_view name);
  std::map<std::pair<std::string, std::string>, std::optional<Candidate>> judged_;
  std::unordered_map<std::string_view, const LoadedObject*> libraries_;  ///< by every name; the first one
};

/// `remedy` as one that cannot be tried here, and why.
Remedy untried(Remedy remedy, Statement reason);

}  // namespace soresolve
