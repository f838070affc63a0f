// What is said of sources before they are evaluated, for check_compile: of each file that standard input names, a line
// "ok", "unread LINE" or "TYPE: TEXT" (without ": TEXT" where that is not known), and a tab and the file.
//
// usage: read_sources MINOR_NUMBER <FILES
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "python/sources.h"
#include "soresolve/file_system.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int minor_number = std::atoi(argv[1]);
  const auto files = soresolve::host_file_system();
  for (std::string file; std::getline(std::cin, file);) {
    soresolve::python::Sources sources(*files);
    const auto source = sources.read(file);
    std::string said = "ok";
    const auto has_codec = [](std::string_view name) { return name != "foo"; };
    if (!source) {
      said = "left out";
    } else if (const auto* error = sources.error_of(*source, minor_number, has_codec)) {
      said = error->type + (error->text.empty() ? "" : ": " + error->text);
    } else if (const char* place = source->failures.unread) {
      said = "unread " + std::to_string(std::count(source->text.data(), place, '\n') + 1);
    }
    std::printf("%s\t%s\n", said.c_str(), file.c_str());
  }
  return 0;
}
