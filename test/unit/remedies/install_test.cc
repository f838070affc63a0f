// Where pip puts a wheel, and the second command where no search list of the file that needs it leads there.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "diagnose/diagnose.h"
#include "loader/load.h"
#include "packages/what_brings.h"
#include "remedies/find_remedies.h"
#include "soresolve/command_text.h"
#include "soresolve/diagnose.h"
#include "soresolve/remedies.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Lines = std::vector<std::string>;

struct Needer {
  const char* why;
  const char* file;    ///< that needs libcudnn.so.8
  const char* search;  ///< its RUNPATH
  Lines commands;
};

/// What is proposed to `file`, opened by `program`.
Lines commands_for(const Needer& place, const std::string& program) {
  MemorySystem memory;
  memory.elf(kInterp, library().soname("ld-linux-x86-64.so.2"));
  memory.elf(program, program_needing({}));
  memory.process.argv0 = program;
  if (program.ends_with("/bin/python")) memory.elf("/other/bin/python", program_needing({}));
  ElfSpec spec = library().soname("_C.so").needed("libcudnn.so.8");
  if (*place.search != '\0') spec.runpath(place.search);
  memory.elf(place.file, spec);
  LoadOptions options;
  options.attempts = Attempts::Record;
  options.on_fatal = OnFatal::Continue;
  options.dlopen_calls = {{place.file, {}, {}, false}};
  const Result<LinkMap> map = memory.load(program, options);
  REQUIRE(map.has_value());
  Diagnosis diagnosis = diagnose(*map, place.file);
  find_remedies(*map, diagnosis, {});
  for (const Remedy& remedy : diagnosis.remedies) {
    if (remedy.kind == RemedyKind::Install) return texts_of(remedy.commands);
  }
  return {};
}

}  // namespace

TEST_CASE("a wheel that lies where nothing looks comes with the directory for the search") {
  const std::string tail = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}";
  const std::string in_site = "/venv/bin/python -m pip install 'nvidia-cudnn-cu12<9'";
  const std::string to_site = "export LD_LIBRARY_PATH=/venv/lib/python3.11/site-packages/nvidia/cudnn/lib" + tail;
  const std::string target = "/venv/bin/python -m pip install --target ";
  const std::string wheel = " 'nvidia-cudnn-cu12<9'";
  const Needer places[] = {
      {"its RUNPATH leads there",
       "/venv/lib/python3.11/site-packages/demo/_C.so",
       "$ORIGIN/../nvidia/cudnn/lib",
       {in_site}},
      {"none", "/venv/lib/python3.11/site-packages/demo/_C.so", "", {in_site, to_site}},
      {"another wheel's",
       "/venv/lib/python3.11/site-packages/demo/_C.so",
       "$ORIGIN/../nvidia/cublas/lib",
       {in_site, to_site}},
      {"that of another environment",
       "/venv/lib/python3.11/site-packages/demo/_C.so",
       "/other/lib/python3.11/site-packages/nvidia/cudnn/lib",
       {in_site, to_site}},
      {"an environment of its own",
       "/other/lib/python3.11/site-packages/demo/_C.so",
       "",
       {"/other/bin/python -m pip install 'nvidia-cudnn-cu12<9'",
        "export LD_LIBRARY_PATH=/other/lib/python3.11/site-packages/nvidia/cudnn/lib" + tail}},
      {"the user's",
       "/home/u/.local/lib/python3.11/site-packages/demo/_C.so",
       "$ORIGIN/../nvidia/cudnn/lib",
       {"/venv/bin/python -m pip install --user 'nvidia-cudnn-cu12<9'"}},
      {"no interpreter is known for it",
       "/job/site-packages/demo/_C.so",
       "",
       {target + "/job/site-packages" + wheel, "export LD_LIBRARY_PATH=/job/site-packages/nvidia/cudnn/lib" + tail}},
      {"the same, and its RUNPATH leads there",
       "/job/site-packages/demo/_C.so",
       "$ORIGIN/../nvidia/cudnn/lib",
       {target + "/job/site-packages" + wheel}},
      {"in no environment",
       "/app/_C.so",
       "",
       {target + "\"$HOME\"/wheels" + wheel, "export LD_LIBRARY_PATH=\"$HOME\"/wheels/nvidia/cudnn/lib" + tail}},
      {"in no environment, its RUNPATH leads into wheels",
       "/app/_C.so",
       "$ORIGIN/deps/nvidia/cudnn/lib",
       {target + "/app/deps" + wheel}},
      {"a directory that LD_LIBRARY_PATH cannot name",
       "/a:b/site-packages/demo/_C.so",
       "",
       {target + "\"$HOME\"/wheels" + wheel, "export LD_LIBRARY_PATH=\"$HOME\"/wheels/nvidia/cudnn/lib" + tail}},
      {"a blank in its name",
       "/a b/site-packages/demo/_C.so",
       "",
       {target + "'/a b/site-packages'" + wheel,
        "export LD_LIBRARY_PATH='/a b/site-packages'/nvidia/cudnn/lib" + tail}},
  };
  for (const Needer& place : places) {
    CAPTURE(place.why);
    CHECK(commands_for(place, "/venv/bin/python") == place.commands);
  }
  const Needer debian = {"the distribution's packages",
                         "/usr/lib/python3/dist-packages/demo/_C.so",
                         "",
                         {"/usr/bin/python3.11 -m pip install 'nvidia-cudnn-cu12<9'",
                          "export LD_LIBRARY_PATH=/usr/local/lib/python3.11/dist-packages/nvidia/cudnn/lib" + tail}};
  CHECK(commands_for(debian, "/usr/bin/python3.11") == debian.commands);
}

TEST_CASE("a required wheel that is not installed is named where it has the library by its name") {
  struct Case {
    const char* why;
    const char* requires_dist;
    const char* library;
    const char* command;  ///< empty: no such fix
  };
  const std::string pip = "/venv/bin/python -m pip install ";
  const Case cases[] = {
      {"by the library", "rapids-logger==0.3.*", "librapids_logger.so", "'rapids-logger==0.3.*'"},
      {"spelled otherwise, a range in brackets", "Rapids_Logger (<0.3,>=0.2)", "librapids_logger.so",
       "'rapids-logger<0.3,>=0.2'"},
      {"with CUDA's release behind", "librmm-cu12", "librmm.so", "librmm-cu12"},
      {"by the folder that is searched", "libucx-cu12>=1.15", "libucp.so.0", "'libucx-cu12>=1.15'"},
      {"for Linux", "librmm-cu12; sys_platform == \"linux\"", "librmm.so", "librmm-cu12"},
      {"of an extra", "librmm-cu12; extra == 'test'", "librmm.so", ""},
      {"a marker that is not read", "librmm-cu12; python_version < '3.8'", "librmm.so", ""},
      {"nothing of a shell", "librmm==1$(reboot)", "librmm.so", ""},
      {"it is installed", "there", "libthere.so", ""},
      {"another library", "rapids-logger", "libother.so", ""},
  };
  const std::string site = "/venv/lib/python3.11/site-packages";
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    memory.elf(kInterp, library().soname("ld-linux-x86-64.so.2"));
    memory.elf("/venv/bin/python", program_needing({}));
    memory.process.argv0 = "/venv/bin/python";
    const std::string file = site + "/demo/_C.so";
    memory.elf(file, library().soname("_C.so").needed(c.library).runpath("$ORIGIN/../libucx/lib"));
    memory.files().add_file(site + "/demo-1.dist-info/RECORD", "demo/_C.so,,\n");
    memory.files().add_file(site + "/demo-1.dist-info/METADATA",
                            "Name: demo\nRequires-Dist: " + std::string(c.requires_dist) + "\n");
    memory.files().add_file(site + "/there-2.dist-info/METADATA", "Name: there\n");
    LoadOptions options;
    options.attempts = Attempts::Record;
    options.on_fatal = OnFatal::Continue;
    options.dlopen_calls = {{file, {}, {}, false}};
    const Result<LinkMap> map = memory.load("/venv/bin/python", options);
    REQUIRE(map.has_value());
    Diagnosis diagnosis = diagnose(*map, file);
    find_remedies(*map, diagnosis, {});
    const Remedy* const best = best_remedy(diagnosis);
    REQUIRE((best != nullptr) == (*c.command != '\0'));
    if (best != nullptr) CHECK(texts_of(best->commands) == Lines{pip + c.command});
  }
}

TEST_CASE("a library beside the modules of another package, or in its lib64, is found") {
  for (const char* const folder : {"/tensorrt_libs", "/librmm/lib64"}) {
    CAPTURE(folder);
    MemorySystem memory;
    memory.elf(kInterp, library().soname("ld-linux-x86-64.so.2"));
    const std::string site = "/venv/lib/python3.11/site-packages";
    const std::string file = site + "/demo/_C.so";
    memory.elf(file, library().soname("_C.so").needed("libown.so.1"));
    memory.elf(site + folder + "/libown.so.1", library().soname("libown.so.1"));
    LoadOptions options;
    options.attempts = Attempts::Record;
    options.on_fatal = OnFatal::Continue;
    const Result<LinkMap> map = memory.load(file, options);
    REQUIRE(map.has_value());
    Diagnosis diagnosis = diagnose(*map, file);
    find_remedies(*map, diagnosis, {});
    const Remedy* const best = best_remedy(diagnosis);
    REQUIRE(best != nullptr);
    CHECK(texts_of(best->commands) ==
          Lines{"export LD_LIBRARY_PATH=" + site + folder + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"});
  }
}

TEST_CASE("where the libraries of a wheel lie") {
  const std::pair<const char*, const char*> folders[] = {{"nvidia-cuda-runtime-cu11", "nvidia/cuda_runtime/lib"},
                                                         {"nvidia-cuda-runtime-cu12", "nvidia/cuda_runtime/lib"},
                                                         {"nvidia-cuda-runtime==13.*", "nvidia/cu13/lib"},
                                                         {"nvidia-cudnn-cu13", "nvidia/cudnn/lib"},
                                                         {"nvidia-nvtx-cu12==12.4.*", "nvidia/nvtx/lib"},
                                                         {"nvidia-cuda-cupti-cu12", "nvidia/cuda_cupti/lib"},
                                                         {"nvidia-cufile-cu12", "nvidia/cufile/lib"},
                                                         {"cutensor-cu12", "cutensor/lib"}};
  for (const std::pair<const char*, const char*>& row : folders) {
    CAPTURE(row.first);
    const std::optional<WheelFolder> folder = folder_of_wheel(row.first);
    REQUIRE(folder.has_value());
    CHECK(folder->path == row.second);
    CHECK_FALSE(folder->is_of_prefix);
  }
  CHECK(folder_of_wheel("tbb")->is_of_prefix);
  CHECK_FALSE(folder_of_wheel("numpy").has_value());
}
