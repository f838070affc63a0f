// What is opened later: by notes, by the table of known packages, by names among constants; each searched
// as its opener's dlopen does it.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "diagnose/diagnose.h"
#include "dlopen/find_dlopens.h"
#include "loader/load.h"
#include "loader/process.h"
#include "soresolve/catalogue.h"
#include "soresolve/diagnose.h"
#include "soresolve/dlopens.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

struct Found {
  Dlopens dlopens;
  Diagnosis diagnosis;
};

Found find(const std::function<void(MemorySystem&)>& fill, DlopenLevel level = DlopenLevel::Known,
           std::string_view file = kProgram) {
  MemorySystem memory;
  memory.process.argv0 = "prog";
  fill(memory);
  LoadOptions options;
  options.attempts = Attempts::Record;
  options.on_fatal = OnFatal::Continue;
  const Result<LinkMap> map = memory.load(file, options);
  REQUIRE(map.has_value());
  Found found;
  found.dlopens = find_dlopens(*map, level);
  CHECK_FALSE(check_dlopens(*map, found.dlopens).has_value());
  found.diagnosis = diagnose(*map, file, {}, found.dlopens);
  return found;
}

/// "OPENER: NAME => PATH (HOW)", "… is not found", "… fails: WHY".
Names lines(const Dlopens& dlopens) {
  Names list;
  for (const Dlopen& opened : dlopens.list) {
    const DlopenChoice& shown = opened.shown();
    std::string line = opened.opener + ": " + shown.name;
    if (!opened.is_found) {
      line += " is not found";
    } else {
      line += " => " + shown.path + (shown.found_by.empty() ? "" : " (" + std::string(shown.found_by) + ")");
    }
    if (!opened.failure.empty()) line += " fails: " + opened.failure;
    list.push_back(line);
  }
  return list;
}

std::string note(const std::string& names, const std::string& priority = "required") {
  return R"([{"feature":"f","description":"what for","priority":")" + priority + R"(","soname":[)" + names + "]}]";
}

std::size_t missing_count(const Found& found) {
  return static_cast<std::size_t>(
      std::count_if(found.diagnosis.problems.begin(), found.diagnosis.problems.end(),
                    [](const Problem& problem) { return problem.code == ProblemCode::DlopenMissing; }));
}

}  // namespace

TEST_CASE("a note's library is searched as dlopen does it for the object that has the note") {
  struct Case {
    const char* why;
    std::function<void(MemorySystem&)> fill;
    Names want;
  };
  const auto user = [](const std::string& names) { return library().soname("libuser.so").dlopens(note(names)); };
  const Case cases[] = {
      {"by the opener's RUNPATH",
       [&](MemorySystem& s) {
         s.program(program_needing({"libuser.so"}))
             .elf("/lib64/libuser.so", user(R"("libx.so")").runpath("/p"))
             .elf("/p/libx.so", library());
       },
       {"/lib64/libuser.so: libx.so => /p/libx.so (RUNPATH)"}},
      {"not by the program's",
       [&](MemorySystem& s) {
         s.program(program_needing({"libuser.so"}).runpath("/p"))
             .elf("/lib64/libuser.so", user(R"("libx.so")"))
             .elf("/p/libx.so", library());
       },
       {"/lib64/libuser.so: libx.so is not found"}},
      {"by the RPATH of who has loaded the opener",
       [&](MemorySystem& s) {
         s.program(program_needing({"libuser.so"}).rpath("/p"))
             .elf("/p/libuser.so", user(R"("libx.so")"))
             .elf("/p/libx.so", library());
       },
       {"/p/libuser.so: libx.so => /p/libx.so (RPATH)"}},
      {"the second name where the first is not there",
       [&](MemorySystem& s) {
         s.program(program_needing({"libuser.so"}))
             .elf("/lib64/libuser.so", user(R"("libx.so.2","libx.so.1")"))
             .elf("/lib64/libx.so.1", library());
       },
       {"/lib64/libuser.so: libx.so.1 => /lib64/libx.so.1 (default directories)"}},
      {"what is loaded is taken by its SONAME, without a search",
       [&](MemorySystem& s) {
         s.program(program_needing({"libuser.so", "liby.so"}))
             .elf("/lib64/libuser.so", user(R"("libx.so.1")"))
             .elf("/lib64/liby.so", library().soname("libx.so.1"))
             .elf("/lib64/libx.so.1", library());
       },
       {"/lib64/libuser.so: libx.so.1 => /lib64/liby.so (already loaded)"}},
      {"found, but what it needs is not there",
       [&](MemorySystem& s) {
         s.program(program_needing({"libuser.so"}))
             .elf("/lib64/libuser.so", user(R"("libx.so")"))
             .elf("/lib64/libx.so", library_needing({"libgone.so"}));
       },
       {"/lib64/libuser.so: libx.so => /lib64/libx.so (default directories) fails: libgone.so: cannot open shared "
        "object file: No such file or directory"}},
      {"what the process has provides its needs",
       [&](MemorySystem& s) {
         s.program(program_needing({"libuser.so", "libdeep.so"}).runpath("/p"))
             .elf("/p/libuser.so", user(R"("libx.so")"))
             .elf("/p/libdeep.so", library().soname("libdeep.so"))
             .elf("/lib64/libx.so", library_needing({"libdeep.so"}));
       },
       {"/p/libuser.so: libx.so => /lib64/libx.so (default directories)"}},
      {"and what is opened opens others",
       [&](MemorySystem& s) {
         s.program(program_needing({"libuser.so"}))
             .elf("/lib64/libuser.so", user(R"("libx.so")"))
             .elf("/lib64/libx.so", library().dlopens(note(R"("liby.so")")));
       },
       {"/lib64/libuser.so: libx.so => /lib64/libx.so (default directories)", "/lib64/libx.so: liby.so is not found"}},
      {"in a circle it ends",
       [&](MemorySystem& s) {
         s.program(program_needing({"libuser.so"}))
             .elf("/lib64/libuser.so", user(R"("libx.so")"))
             .elf("/lib64/libx.so", library().dlopens(note(R"("libx.so")")));
       },
       {"/lib64/libuser.so: libx.so => /lib64/libx.so (default directories)",
        "/lib64/libx.so: libx.so => /lib64/libx.so (default directories)"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(lines(find(c.fill).dlopens) == c.want);
  }
}

TEST_CASE("what is missing is a finding as far as it matters, and in the verdict if nothing goes without it") {
  struct Case {
    const char* why;
    std::string priority;
    std::size_t problems;
    bool in_verdict;
  };
  const Case cases[] = {
      {"cannot work without", "required", 1, true},
      {"an important part", "recommended", 1, false},
      {"few want it", "suggested", 0, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Found found = find([&](MemorySystem& s) {
      s.program(program_needing({"libuser.so"}))
          .elf("/lib64/libuser.so", library().dlopens(note(R"("libx.so")", c.priority)));
    });
    CHECK(missing_count(found) == c.problems);
    CHECK(found.diagnosis.starts);
    CHECK((sentence(found.diagnosis.verdict, Language::English)
               .find("; but libx.so, which /lib64/libuser.so opens by itself, is not found") != std::string::npos) ==
          c.in_verdict);
  }
}

TEST_CASE("versions and symbols of what is opened later") {
  const auto user = [] { return library().soname("libuser.so").dlopens(note(R"("libx.so")")); };
  const auto provider = [] {
    ElfSpec spec = library().soname("libv.so.1");
    spec.version_definitions = {{"libv.so.1"}, {"V_1"}};
    return spec.define(defined("f", "V_1"));
  };
  const auto needer = [](const std::string& version, const std::string& symbol) {
    ElfSpec spec = library_needing({"libv.so.1"}).soname("libx.so");
    spec.version_needs = {{"libv.so.1", {{version}}}};
    return spec.call(undefined(symbol, version));
  };
  struct Case {
    const char* why;
    ElfSpec opened;
    std::string failure;      // with every flag
    std::string failure_now;  // with RTLD_NOW only
  };
  const Case cases[] = {
      {"all is there", needer("V_1", "f"), "", ""},
      {"a version is missing", needer("V_2", "f"),
       "/lib64/libv.so.1: version `V_2' not found (required by /lib64/libx.so)", ""},
      {"a function is missing", needer("V_1", "g"), "", "/lib64/libx.so: undefined symbol: g, version V_1"},
      {"a variable is missing", library().soname("libx.so").refer(undefined("v")),
       "/lib64/libx.so: undefined symbol: v", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Found found = find([&](MemorySystem& s) {
      s.program(program_needing({"libuser.so"}))
          .elf("/lib64/libuser.so", user())
          .elf("/lib64/libx.so", c.opened)
          .elf("/lib64/libv.so.1", provider());
    });
    REQUIRE(found.dlopens.list.size() == 1);
    CHECK(found.dlopens.list.front().failure == c.failure);
    CHECK(found.dlopens.list.front().failure_now == c.failure_now);
    CHECK(missing_count(found) == (c.failure.empty() && c.failure_now.empty() ? 0 : 1));
  }
}

TEST_CASE("a library that is judged on its own leaves symbols without a version to its process") {
  struct Case {
    const char* why;
    ElfSpec opened;
    std::string want;
  };
  ElfSpec versioned = library_needing({"libv.so.1"}).soname("libx.so");
  versioned.version_needs = {{"libv.so.1", {{"V_1"}}}};
  versioned.refer(undefined("PyObject_New")).refer(undefined("g", "V_1"));
  const Case cases[] = {
      {"without one", library().soname("libx.so").refer(undefined("PyObject_New")), ""},
      {"with one behind it", versioned, "/lib64/libx.so: undefined symbol: g, version V_1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Found found = find(
        [&](MemorySystem& s) {
          ElfSpec provider = library().soname("libv.so.1");
          provider.version_definitions = {{"libv.so.1"}, {"V_1"}};
          s.elf("/app/_C.so", library().dlopens(note(R"("libx.so")")))
              .elf("/lib64/libx.so", c.opened)
              .elf("/lib64/libv.so.1", provider.define(defined("f", "V_1")));
          s.process.start = Start::Argument;
        },
        DlopenLevel::Known, "/app/_C.so");
    REQUIRE(found.dlopens.list.size() == 1);
    CHECK(found.dlopens.list.front().failure == c.want);
  }
}

TEST_CASE("where the caller's own name or search path cannot be read, its dlopen calls end the process") {
  constexpr std::string_view kTags[] = {
      {"\x0e\0\0\0\0\0\0\0", 8}, {"\x0f\0\0\0\0\0\0\0", 8}, {"\x1d\0\0\0\0\0\0\0", 8}};
  for (const std::string_view tag : kTags) {
    ElfSpec spec = program_needing({}).soname("prog").dlopens(note(R"("libx.so")"));
    spec.strings.push_back({tag.front() == '\x1d' ? StringTag::Runpath : StringTag::Rpath, "/opt"});
    // Its string lies where nothing is mapped.
    const std::string bytes = write_elf(spec);
    for (std::size_t at = 0; at + 16 <= bytes.size(); at += 8) {
      if (bytes.substr(at, 8) == tag) spec.patches.push_back({at + 8, std::string("\0\0\0\0\x10\x01\0\0", 8)});
    }
    CAPTURE(static_cast<int>(tag.front()));
    REQUIRE(spec.patches.size() == 1);
    const Found found = find([&](MemorySystem& s) { s.program(spec).elf("/lib64/libx.so", library()); });
    CHECK(missing_count(found) <= 1);
  }
}

TEST_CASE("what ends threads opens libgcc_s.so.1, where that is missing") {
  struct Case {
    const char* why;
    ElfSpec program;
    ElfSpec library;
    bool has_libgcc;
    Names want;  ///< with its importance
  };
  const ElfSpec plain = program_needing({"libx.so", "libc.so.6"});
  const auto calls = [](ElfSpec spec, const char* function) { return spec.call(undefined(function)); };
  const ElfSpec plain_library = library().soname("libx.so");
  const Case cases[] = {
      {"nothing calls it", plain, plain_library, false, {}},
      {"it is there", calls(plain, "pthread_exit"), plain_library, true, {}},
      {"the program calls it", calls(plain, "pthread_exit"), plain_library, false, {"libgcc_s.so.1 required"}},
      {"thrd_exit", calls(plain, "thrd_exit"), plain_library, false, {"libgcc_s.so.1 required"}},
      {"a library calls it", plain, calls(plain_library, "pthread_cancel"), false, {"libgcc_s.so.1 recommended"}},
      {"only if it is there", ElfSpec(plain).call(weak(undefined("pthread_cancel"))), plain_library, false, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Found found = find([&](MemorySystem& s) {
      ElfSpec libc = library().soname("libc.so.6");
      for (const char* const name : {"pthread_exit", "pthread_cancel", "thrd_exit"}) libc.define(defined(name));
      s.program(c.program).elf("/lib64/libx.so", c.library).elf("/lib64/libc.so.6", libc);
      if (c.has_libgcc) s.elf("/lib64/libgcc_s.so.1", library().soname("libgcc_s.so.1"));
    });
    Names opened;
    for (const Dlopen& one : found.dlopens.list) {
      opened.push_back(one.shown().name + " " + std::string(name_of(one.importance)));
    }
    CHECK(opened == c.want);
  }
}

TEST_CASE("a damaged note is told, and the others are read") {
  const Found found = find([](MemorySystem& s) {
    s.program(program_needing({"liba.so", "libb.so"}))
        .elf("/lib64/liba.so", library().dlopens("[{"))
        .elf("/lib64/libb.so", library().dlopens(note(R"("libx.so")")));
  });
  REQUIRE(found.dlopens.damaged.size() == 1);
  CHECK(found.dlopens.damaged.front().path == "/lib64/liba.so");
  CHECK(lines(found.dlopens) == Names{"/lib64/libb.so: libx.so is not found"});
  CHECK(std::any_of(found.diagnosis.problems.begin(), found.diagnosis.problems.end(), [](const Problem& problem) {
    return problem.code == ProblemCode::Note &&
           sentence(problem.what, Language::English).find("no valid JSON") != std::string::npos;
  }));
}

TEST_CASE("cuDNN 9 is known by its name, and opens what lies beside it") {
  const auto fill = [](MemorySystem& s) {
    s.program(program_needing({"libcudnn.so.9"}).runpath("/c"));
    s.elf("/c/libcudnn.so.9", library().soname("libcudnn.so.9").runpath("$ORIGIN"));
    s.elf("/c/libcudnn_graph.so.9", library().soname("libcudnn_graph.so.9").runpath("$ORIGIN"));
    s.elf("/c/libcudnn_ops.so.9", library()).elf("/c/libcudnn_cnn.so", library());
    s.elf("/c/libcudnn_heuristic.so.9", library()).elf("/c/libcudnn_engines_precompiled.so.9", library());
  };
  const Found found = find(fill);
  CHECK(
      lines(found.dlopens) ==
      Names{
          "/c/libcudnn.so.9: libcudnn_graph.so.9 => /c/libcudnn_graph.so.9 (RUNPATH)",
          "/c/libcudnn.so.9: libcudnn_ops.so.9 => /c/libcudnn_ops.so.9 (RUNPATH)",
          "/c/libcudnn.so.9: libcudnn_cnn.so => /c/libcudnn_cnn.so (RUNPATH)",
          "/c/libcudnn.so.9: libcudnn_adv.so.9 is not found",
          "/c/libcudnn_graph.so.9: libcudnn_heuristic.so.9 => /c/libcudnn_heuristic.so.9 (RUNPATH)",
          "/c/libcudnn_graph.so.9: libcudnn_engines_precompiled.so.9 => /c/libcudnn_engines_precompiled.so.9 (RUNPATH)",
          "/c/libcudnn_graph.so.9: libcudnn_engines_runtime_compiled.so.9 is not found",
          "/c/libcudnn_graph.so.9: libcudnn_engines_tensor_ir.so.9 is not found"});
  CHECK(found.dlopens.list.front().evidence == Confidence::Likely);
  CHECK(find(fill, DlopenLevel::Notes).dlopens.list.empty());
  CHECK(find(fill, DlopenLevel::None).dlopens.list.empty());
}

TEST_CASE("a copy that auditwheel has renamed opens its parts by their plain names") {
  struct Case {
    const char* why;
    std::string path;
    std::string opened;
    Importance importance;
  };
  const Case cases[] = {
      {"in the folder of a package", "/c/libcudnn-74a4c495.so.9.1.0", "libcudnn_graph.so.9", Importance::Required},
      {"of a wheel that runs without it", "/x.libs/libcudnn-74a4c495.so.9.1.0", "libcudnn_graph.so.9",
       Importance::Recommended},
      {"an older one", "/c/libcudnn-0a1b2c3d.so.8.4.0", "libcudnn_ops_infer.so.8", Importance::Recommended},
      {"not by its hash", "/c/libcudnn-nothash0.so.9.1.0", "", Importance::Required},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Found found = find([&](MemorySystem& s) {
      const std::string name = c.path.substr(c.path.rfind('/') + 1);
      s.program(program_needing({name}).runpath(c.path.substr(0, c.path.rfind('/'))));
      s.elf(c.path, library().soname(name));
    });
    REQUIRE(found.dlopens.list.empty() == c.opened.empty());
    if (c.opened.empty()) continue;
    CHECK(found.dlopens.list.front().shown().name == c.opened);
    CHECK(found.dlopens.list.front().importance == c.importance);
  }
}

TEST_CASE("TensorFlow's framework library opens CUDA by name, with its own RUNPATH, more of it since 2.21") {
  const auto tensorflow = [](const std::string& release) {
    return [=](MemorySystem& s) {
      s.files().add_directory("/site/tensorflow-" + release + ".dist-info");
      s.elf("/site/tensorflow/libtensorflow_cc.so.2",
            library_needing({"libtensorflow_framework.so.2"}).runpath("$ORIGIN:$ORIGIN/../nvidia/cusolver/lib"));
      s.elf("/site/tensorflow/libtensorflow_framework.so.2", library().runpath("$ORIGIN/../nvidia/cudnn/lib"));
      s.elf("/site/nvidia/cudnn/lib/libcudnn.so.9", library());
      s.elf("/site/nvidia/cusolver/lib/libcusolver.so.11", library());
      s.process.start = Start::Argument;
    };
  };
  const auto reported = [&](const std::string& release) {
    return lines(find(tensorflow(release), DlopenLevel::Known, "/site/tensorflow/libtensorflow_cc.so.2").dlopens);
  };
  const std::string opener = "/site/tensorflow/libtensorflow_framework.so.2: ";
  const auto has = [&](const Names& names, const std::string& line) {
    return std::find(names.begin(), names.end(), opener + line) != names.end();
  };
  const Names old = reported("2.20.0");
  const Names now = reported("2.21.0");
  for (const Names& names : {old, now}) {
    CHECK(has(names, "libcudart.so.12 is not found"));
    CHECK(has(names, "libcudnn.so.9 => /site/tensorflow/../nvidia/cudnn/lib/libcudnn.so.9 (RUNPATH)"));
    CHECK_MESSAGE(has(names, "libcusolver.so.11 is not found"), "the RUNPATH of libtensorflow_cc.so.2 does not count");
  }
  for (const char* late :
       {"libcupti.so.12 is not found", "libnccl.so.2 is not found", "libnvshmem_host.so.3 is not found"}) {
    CHECK(!has(old, late));
    CHECK(has(now, late));
  }
}

TEST_CASE("jax: a device's plugin, where one is there, and by folder or by name what it needs") {
  const std::string plugin = "/site/jax_plugins/xla_cuda12/xla_cuda_plugin.so";
  const auto jax = [&](bool has_plugin) {
    return [=](MemorySystem& s) {
      s.elf("/site/jaxlib/xla_extension.so", library());
      s.elf("/site/nvidia/cublas/lib/libcublas.so.12", library());
      s.elf("/lib64/libcudnn.so.9", library());
      s.files().add_directory("/site/jax_cuda12_plugin-0.4.38.dist-info");
      if (has_plugin) s.elf(plugin, library());
      s.process.start = Start::Argument;
    };
  };
  CHECK(find(jax(false), DlopenLevel::Known, "/site/jaxlib/xla_extension.so").dlopens.list.empty());
  const Found found = find(jax(true), DlopenLevel::Known, "/site/jaxlib/xla_extension.so");
  REQUIRE(!found.dlopens.list.empty());
  CHECK(found.dlopens.list.front().shown().path == plugin);
  const auto opened = [&](std::string_view name) {
    const auto& list = found.dlopens.list;
    const auto one = std::find_if(list.begin(), list.end(), [&](const Dlopen& d) { return d.shown().name == name; });
    REQUIRE(one != list.end());
    return *one;
  };
  CHECK(opened("libcublas.so.12").shown().path == "/site/nvidia/cublas/lib/libcublas.so.12");
  CHECK(opened("libcudnn.so.9").shown().path == "/lib64/libcudnn.so.9");
  CHECK(!opened("libcudart.so.12").is_found);
  CHECK(opened("libcudart.so.12").wheel == "jax[cuda12]==0.4.38");
}

TEST_CASE("torch preloads by release: only if its own dependencies fail, or in any case") {
  const auto torch = [](const std::string& release, bool has_cublas_in_reach) {
    return [=](MemorySystem& s) {
      s.files().add_directory("/site/torch-" + release + ".dist-info");
      s.elf("/site/torch/_C.so", library_needing({"libc10.so"}).runpath("$ORIGIN/lib"));
      s.elf("/site/torch/lib/libc10.so", library());
      s.elf("/site/torch/lib/libtorch_global_deps.so", library_needing({"libcublas.so.11"}));
      s.elf(has_cublas_in_reach ? "/lib64/libcublas.so.11" : "/site/nvidia/cublas/lib/libcublas.so.11",
            library().soname("libcublas.so.11"));
      s.elf("/site/nvidia/cudnn/lib/libcudnn.so.8", library());
      s.process.start = Start::Argument;
    };
  };
  const auto names = [](const Found& found) {
    Names list;
    for (const Dlopen& opened : found.dlopens.list) {
      if (opened.is_found) list.push_back(opened.shown().path);
    }
    return list;
  };
  const std::string deps = "/site/torch/lib/libtorch_global_deps.so";
  const std::string cublas = "/site/nvidia/cublas/lib/libcublas.so.11";
  const std::string cudnn = "/site/nvidia/cudnn/lib/libcudnn.so.8";
  CHECK(names(find(torch("1.13.1+cu117", true), DlopenLevel::Known, "/site/torch/_C.so")) == Names{deps});
  CHECK(names(find(torch("1.13.1+cu117", false), DlopenLevel::Known, "/site/torch/_C.so")) ==
        Names{deps, cublas, cudnn});
  const Found cured = find(torch("1.13.1", false), DlopenLevel::Known, "/site/torch/_C.so");
  CHECK_MESSAGE(cured.dlopens.list.front().is_good(), "what was preloaded provides the second try");
  const Found missing = find(
      [&](MemorySystem& s) {
        torch("1.13.1", true)(s);
        s.elf("/site/torch/lib/libtorch_global_deps.so", library_needing({"libother.so"}));
      },
      DlopenLevel::Known, "/site/torch/_C.so");
  CHECK_MESSAGE(names(missing) == Names{deps}, "no library of its own is in the message");
  CHECK(!missing.dlopens.list.front().is_good());
  const Names preloaded = {deps, cudnn};
  CHECK_MESSAGE(names(find(torch("2.14.0", true), DlopenLevel::Known, "/site/torch/_C.so")) == preloaded,
                "the system's cublas is in none of its folders");
  const Found unknown = find(
      [&](MemorySystem& s) {
        torch("2.14.0", true)(s);
        s.elf("/other/torch/_C.so", library_needing({"libc10.so"}).runpath("$ORIGIN/lib"));
        s.elf("/other/torch/lib/libc10.so", library());
      },
      DlopenLevel::Known, "/other/torch/_C.so");
  REQUIRE(!unknown.dlopens.list.empty());
  CHECK_MESSAGE(unknown.dlopens.list.front().evidence == Confidence::Guess, "no metadata says which release it is");
}

TEST_CASE("the one folder of CUDA 13's wheels, not one that begins alike") {
  const Found found = find(
      [](MemorySystem& s) {
        s.files().add_directory("/site/torch-2.12.0.dist-info");
        s.elf("/site/torch/_C.so", library_needing({"libc10.so"}).runpath("$ORIGIN/lib"));
        s.elf("/site/torch/lib/libc10.so", library()).elf("/site/torch/lib/libtorch_global_deps.so", library());
        s.elf("/site/nvidia/cusparse/lib/libcublas.so.12", library());
        s.elf("/site/nvidia/cu13/lib/libcublas.so.13", library());
        s.process.start = Start::Argument;
      },
      DlopenLevel::Known, "/site/torch/_C.so");
  CHECK(std::any_of(found.dlopens.list.begin(), found.dlopens.list.end(), [](const Dlopen& opened) {
    return opened.shown().path == "/site/nvidia/cu13/lib/libcublas.so.13";
  }));
  CHECK(missing_count(found) == 0);
}

TEST_CASE("names among constants are a guess, and never a finding") {
  // The note's text is mapped, and holds a whole string that is a name.
  const auto fill = [](MemorySystem& s) {
    ElfSpec spec = library().soname("libuser.so");
    spec.notes = {{"X", 1, "libguess.so.3"}, {"X", 1, "libuser.so"}};
    std::string bytes = write_elf(spec);
    // The writer's only segment is made read-only.
    for (std::size_t at = 64; at + 56 < bytes.size(); at += 56) {
      if (bytes.compare(at, 4, std::string("\1\0\0\0", 4)) == 0) {
        bytes[at + 4] = 4;
        break;
      }
    }
    s.files().add_file("/lib64/libuser.so", bytes);
    s.program(program_needing({"libuser.so"}));
  };
  const Found found = find(fill, DlopenLevel::Strings);
  CHECK(lines(found.dlopens) == Names{"/lib64/libuser.so: libguess.so.3 is not found"});
  CHECK(found.dlopens.list.front().evidence == Confidence::Guess);
  CHECK(missing_count(found) == 0);
  CHECK(find(fill).dlopens.list.empty());
}
