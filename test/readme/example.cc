// What would the loader do with a program, from a program of your own.
#include <cstdio>

#include "soresolve/loader.h"

int main(int argc, char** argv) {
  using namespace soresolve;
  const std::string file = argc > 1 ? argv[1] : "/bin/sh";

  // Where: a file system (the host, a sysroot, one in memory), and the loader in it.
  const std::shared_ptr<const FileSystem> files = host_file_system();
  Result<OpenedObject> opened = open_object(*files, file, file);
  if (!opened) return std::fprintf(stderr, "%s\n", opened.error().to_string().c_str()), 2;
  const Result<std::string> loader = find_loader(*files, opened->elf, file);
  if (!loader) return std::fprintf(stderr, "%s\n", loader.error().to_string().c_str()), 2;
  Result<System> system = read_system(files, *loader);
  if (!system) return std::fprintf(stderr, "%s\n", system.error().to_string().c_str()), 2;

  // Who: a process that the kernel starts, with an environment of its own.
  Process process;
  process.argv0 = file;
  process.start = opened->elf.has_interp ? Start::Kernel : Start::Argument;
  process.cpu = detect_host_cpu(system->rules.target, "");
  process.environment.add("LD_LIBRARY_PATH=/opt/lib");

  // The answer: what is loaded, in order, and what goes wrong.
  const Result<LinkMap> map = load(std::make_shared<const System>(std::move(*system)),
                                   std::make_shared<const Process>(std::move(process)), file, std::move(*opened));
  if (!map) return std::fprintf(stderr, "%s\n", map.error().to_string().c_str()), 2;
  for (const LoadedObject& object : map->objects) {
    std::printf("%.*s\n", static_cast<int>(object.name().size()), object.name().data());
  }
  const LoadFailure* fatal = map->first_fatal();
  if (fatal != nullptr) std::printf("%s\n", fatal->start_message(process.argv0).c_str());
  return fatal != nullptr ? 1 : 0;
}
