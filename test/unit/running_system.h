// A process in memory that runs: what its loader's list would have, over the files of a MemorySystem.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "loader/live_process.h"
#include "unit/memory_system.h"

namespace soresolve::test {

/// `opened`: as l_type has it. `loader`: as LiveObject::loader.
inline LiveObject live_object(std::string path, std::string name, std::optional<bool> opened,
                              std::optional<std::size_t> loader, std::uint32_t space = 0) {
  LiveObject object;
  object.path = object.name = std::move(path);
  object.names = {std::move(name)};
  object.is_opened = opened;
  object.loader = loader;
  object.space = space;
  return object;
}

/// The program has needed liba.so, which needs libc.so, and was preloaded with p.so. Then something has opened /D/m.so,
/// which needs libd.so, and libe.so; in another namespace there is /D/n.so with a libd.so. Of all these the program
/// refers to dlopen, and nothing else.
class RunningSystem : public MemorySystem {
 public:
  RunningSystem() {
    program(program_needing({"liba.so"}).refer(undefined("dlopen")));
    elf("/D/p.so", library()).elf("/D/liba.so", library_needing({"libc.so"})).elf("/D/libc.so", library());
    elf("/D/m.so", library_needing({"libd.so", "libc.so"})).elf("/D/libd.so", library()).elf("/D/libe.so", library());
    elf("/D/n.so", library_needing({"libd.so"}));
    live.exe = std::string(kProgram);
    live.is_in_load_order = true;
    live.global = {0, 1, 2, 3};
    live.objects = {live_object("/D/p.so", "/D/p.so", false, 0),    live_object("/D/liba.so", "liba.so", false, 0),
                    live_object("/D/libc.so", "libc.so", false, 2), live_object("/D/m.so", "/D/m.so", true, {}),
                    live_object("/D/libd.so", "libd.so", true, 4),  live_object("/D/libe.so", "libe.so", true, {}),
                    live_object("/D/n.so", "/D/n.so", true, {}, 1), live_object("/D/libd.so", "libd.so", true, 7, 1)};
  }

  /// What the process has.
  Result<LinkMap> running() {
    process.live = std::make_shared<const LiveProcess>(live);
    return load();
  }

  LiveProcess live;
};

}  // namespace soresolve::test
