// usage: consumer ROOT FILE      prints what the loader would say of FILE in ROOT
#include <cstdio>

#include <soresolve/answer.h>
#include <soresolve/report.h>

namespace {

soresolve::Result<std::string> line_of(const std::string& root, const std::string& file) {
  soresolve::World world = soresolve::World::root(root);
  const soresolve::Result<soresolve::Answer> answer = soresolve::ask(world, {.file = file});
  if (!answer) return soresolve::Unexpected{answer.error()};
  if (answer->unreadable()) return soresolve::Unexpected{*answer->unreadable()};
  return soresolve::check_line(*answer);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const soresolve::Result<std::string> line = line_of(argv[1], argv[2]);
  std::puts(line ? line->c_str() : line.error().to_string().c_str());
  return line ? 0 : 1;
}
