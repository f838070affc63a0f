// What would the loader do with a program, from a program of your own: the library names, and what each is.
#include <cstdio>

#include "soresolve/world.h"

int main(int argc, char** argv) {
  using namespace soresolve;
  const std::string file = argc > 1 ? argv[1] : "/bin/sh";

  // Where, and in which environment: here on this host, with one variable.
  WorldSettings settings;
  settings.start.env = {"LD_LIBRARY_PATH=/opt/lib"};
  World world = World::host(settings);

  // The answer: what is loaded, in order, and what goes wrong.
  const Result<Resolution> run = world.resolve(file);
  if (!run) return std::fprintf(stderr, "%s\n", run.error().to_string().c_str()), 2;
  for (const LoadedObject& object : run->map().objects) {
    std::printf("%.*s\n", static_cast<int>(object.name().size()), object.name().data());
  }
  const LoadFailure* fatal = run->map().first_fatal();
  if (fatal != nullptr) std::printf("%s\n", fatal->start_message(file).c_str());
  return fatal != nullptr ? 1 : 0;
}
