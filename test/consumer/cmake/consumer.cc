// usage: consumer ROOT FILE      prints what the loader would say of FILE in ROOT
#include <cstdio>

#include <soresolve/report_check.h>
#include <soresolve/world.h>

namespace {

soresolve::Result<std::string> line_of(const std::string& root, const std::string& file) {
  soresolve::WorldSettings settings;
  settings.root = root;
  soresolve::WorldSource source(settings);
  soresolve::Result<soresolve::World> world = source.open(file);
  if (!world) return soresolve::Unexpected{world.error()};
  soresolve::LoadOptions options;
  options.on_fatal = soresolve::OnFatal::GoOn;
  const soresolve::Result<soresolve::LinkMap> map = soresolve::load_world(*world, options);
  if (!map) return soresolve::Unexpected{map.error()};
  const soresolve::Result<soresolve::Check> check = soresolve::check_start(*map);
  if (!check) return soresolve::Unexpected{check.error()};
  return soresolve::check_line({*map, *check});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const soresolve::Result<std::string> line = line_of(argv[1], argv[2]);
  std::puts(line ? line->c_str() : line.error().to_string().c_str());
  return line ? 0 : 1;
}
