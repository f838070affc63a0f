// usage: consumer ROOT FILE      prints what the loader would say of FILE in ROOT
#include <cstdio>

#include <soresolve/report.h>
#include <soresolve/world.h>

namespace {

soresolve::Result<std::string> line_of(const std::string& root, const std::string& file) {
  const soresolve::Result<soresolve::Resolution> run = soresolve::World::root(root).resolve(file);
  if (!run) return soresolve::Unexpected{run.error()};
  if (!run->check()) return soresolve::Unexpected{run->check().error()};
  return soresolve::check_line({run->map(), *run->check()});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const soresolve::Result<std::string> line = line_of(argv[1], argv[2]);
  std::puts(line ? line->c_str() : line.error().to_string().c_str());
  return line ? 0 : 1;
}
