// usage: tree ROOT [PLACE...]      what is wrong below places of a root; without one in all of it
#include <cstdio>
#include <string>
#include <vector>

#include "soresolve/report.h"
#include "soresolve/survey.h"

int main(int argc, char** argv) {
  using namespace soresolve;
  if (argc < 2) return 2;

  // A root is a directory, an image, a package, an archive or a snapshot.
  WorldSettings settings;
  settings.where.root = argv[1];
  settings.host = read_host_facts();
  const std::vector<std::string> places(argv + 2, argv + argc);

  // Each program and module is judged in its own process; what is wrong comes cause by cause.
  const Result<Survey> found = survey(settings, places);
  if (!found) return std::fprintf(stderr, "%s\n", found.error().to_string().c_str()), 2;
  const SurveyCounts& sum = found->counts;
  std::printf("of %zu processes %zu work, %zu fail, %zu depend on what loads them\n", sum.roots, sum.works, sum.fails,
              sum.depends);
  for (const ProblemGroup& group : found->groups) {
    if (!counts(group)) continue;
    std::puts(sentence(group.headline, Language::English).c_str());
    for (const SurveyIndex member : group.members) std::printf("  in %s\n", found->path_of(member).c_str());
    if (group.fix) std::printf("  try: %s\n", joined_commands(group.fix->commands).text().c_str());
  }
  return is_good({*found, settings.where.root}) ? 0 : 1;
}
