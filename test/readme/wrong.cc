// What is wrong with a file on this machine, and what to type.
#include <cstdio>
#include <string>

#include "soresolve/report.h"
#include "soresolve/world.h"

int main(int argc, char** argv) {
  using namespace soresolve;
  const std::string file = argc > 1 ? argv[1] : "/bin/sh";

  const Result<Resolution> run = World::host().resolve(file);
  if (!run) return std::fprintf(stderr, "%s\n", run.error().to_string().c_str()), 2;
  for (const Problem& problem : run->problems()) std::puts(sentence(problem.what, Language::English).c_str());
  if (const Remedy* fix = run->first_remedy()) std::puts(joined_commands(fix->commands).text().c_str());
  return 0;
}
