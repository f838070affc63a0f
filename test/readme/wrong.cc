// What is wrong with a file on this machine, and what to type.
#include <cstdio>
#include <string>

#include "soresolve/answer.h"
#include "soresolve/report.h"

int main(int argc, char** argv) {
  using namespace soresolve;
  const std::string file = argc > 1 ? argv[1] : "/bin/sh";

  World world = World::host();
  const Result<Answer> answer = ask(world, {.file = file});
  if (!answer) return std::fprintf(stderr, "%s\n", answer.error().to_string().c_str()), 2;
  for (const Problem& problem : answer->diagnosis().problems)
    std::puts(sentence(problem.what, Language::English).c_str());
  if (const Remedy* fix = answer->first_fix()) std::puts(joined_commands(fix->commands).text().c_str());
  return 0;
}
