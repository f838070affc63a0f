// What a log of LD_DEBUG tells of its processes. The lines are those of glibc 2.36.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "compare/loader_log.h"

using namespace soresolve;

namespace {

std::vector<LoggedProcess> processes_in(std::string_view log) {
  LoaderLogReader reader;
  reader.read(log);
  return reader.finish();
}

constexpr std::string_view kSearch =
    "     19688:\tfind library=libgone.so [0]; searching\n"
    "     19688:\t search cache=/etc/ld.so.cache\n"
    "     19688:\t search path=/lib:/usr/lib\t\t(system search path)\n"
    "     19688:\t  trying file=/lib/libgone.so\n"
    "     19688:\t\n";
constexpr std::string_view kEnd =
    "./p: error while loading shared libraries: libgone.so: "
    "cannot open shared object file: No such file or directory\n";

}  // namespace

TEST_CASE("a program that never started is named by what its log has of it") {
  struct Case {
    const char* why;
    std::string log;
    std::string want;
  };
  const std::string search(kSearch);
  const Case cases[] = {
      {"LD_DEBUG=libs: the message that ends the start", search + std::string(kEnd), "./p"},
      {"LD_DEBUG=libs into a file, where the message is not", search, ""},
      {"LD_DEBUG=files: who needs the first file", "     19688:\tfile=libgone.so [0];  needed by /app/q [0]\n" + search,
       "/app/q"},
      {"whose RUNPATH the first search goes through",
       "     19688:\tfind library=libgone.so [0]; searching\n"
       "     19688:\t search path=/x/y:/x\t\t(RUNPATH from file ./r)\n",
       "./r"},
      {"not the RPATH of a later search, which may be a library's",
       search + "     19688:\tfind library=libtwo.so [0]; searching\n"
                "     19688:\t search path=/x\t\t(RPATH from file /lib/libone.so)\n",
       ""},
      {"where it was started, its own line",
       "     19688:\tfind library=libone.so [0]; searching\n     19688:\tinitialize program: ./s\n" + std::string(kEnd),
       "./s"},
      {"a symbol that is missing", search + "./t: symbol lookup error: ./t: undefined symbol: f\n", "./t"},
      {"the message of another program", "./other: something else: libgone.so: no\n" + search, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::vector<LoggedProcess> processes = processes_in(c.log);
    REQUIRE(processes.size() == 1);
    CHECK(processes.front().program == c.want);
  }
}

TEST_CASE("of the last search the message says that it was in vain") {
  const std::vector<LoggedProcess> said = processes_in(std::string(kSearch) + std::string(kEnd));
  REQUIRE(said.size() == 1);
  CHECK(said.front().searches.back().is_missing);
  CHECK(!said.front().has_started);
  const std::vector<LoggedProcess> not_said = processes_in(kSearch);
  CHECK(!not_said.front().searches.back().is_missing);
  const std::vector<LoggedProcess> started =
      processes_in(std::string(kSearch) + "     19688:\tcalling init: /lib/libc.so.6\n" + std::string(kEnd));
  CHECK(started.front().has_started);
  CHECK(!started.front().searches.back().is_missing);
}

TEST_CASE("the message goes to the process that has searched for the library in vain") {
  const std::string log =
      std::string(kSearch) + "     19700:\tfind library=libelse.so [0]; searching\n" + std::string(kEnd);
  const std::vector<LoggedProcess> processes = processes_in(log);
  REQUIRE(processes.size() == 2);
  CHECK(processes[0].program == "./p");
  CHECK(processes[1].program.empty());
}
