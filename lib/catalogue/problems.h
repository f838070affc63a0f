// The parts of the table of problems, split by area. Each file has the rows of its codes and the sentences of their
// cases.
#pragma once
#include <span>

#include "catalogue/sentences.h"
#include "soresolve/catalogue.h"

namespace soresolve {

std::span<const ProblemRow> loader_problems();  ///< problems_loader.cc
std::span<const ProblemRow> cuda_problems();    ///< problems_cuda.cc
std::span<const ProblemRow> search_problems();  ///< problems_search.cc

SentenceTable loader_problem_sentences();
SentenceTable cuda_problem_sentences();
SentenceTable search_problem_sentences();

}  // namespace soresolve
