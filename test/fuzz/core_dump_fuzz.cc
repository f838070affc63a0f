// Any bytes as the dump of a process: it is refused with a reason, or its objects are among what NT_FILE lists.
#include <string>

#include "fuzz/fuzz_target.h"
#include "host/host.h"
#include "loader/process.h"
#include "support/core_writer.h"

namespace soresolve::test::core_dump_target {
namespace {

std::vector<std::string> seeds() { return {write_core()}; }

void run(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  MemoryFileSystem files;
  files.add_file("/core", bytes);
  const Result<std::unique_ptr<File>, Errno> file = files.open("/core");
  require(file.has_value(), "the dump can be opened");
  const Result<LiveProcess> process = read_core_dump(**file, "core");
  if (!process) {
    require(!process.error().message.empty() && !process.error().path.empty(), "a refusal says where and why");
    return;
  }
  require(process->is_dump, "it is a dump");
  const std::size_t count = process->objects.size();
  for (const LiveObject& object : process->objects) {
    require(object.path.starts_with('/') && bytes.find(object.path) != std::string_view::npos,
            "an object is one of the mapped files");
    require(!object.loader || *object.loader <= count, "a loader is in the list");
  }
  if (process->global) {
    for (const std::size_t number : *process->global) require(number <= count, "the global scope is of the list");
  }
  for (const std::string& entry : process->environment.entries()) {
    require(entry.find('=') != std::string::npos, "an entry of the environment has a name");
  }
}

}  // namespace
}  // namespace soresolve::test::core_dump_target

const soresolve::test::FuzzTarget soresolve::test::kCoreDumpTarget = {"core_dump", core_dump_target::run,
                                                                      core_dump_target::seeds};
