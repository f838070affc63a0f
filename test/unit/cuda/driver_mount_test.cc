// What a container gets from its host's driver, on images and hosts in memory. The same is judged by the real ldconfig
// and loader in test/machine/compare_drivers; here stand the rules one by one, and what is told of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "cuda/assumed_library.h"
#include "cuda/contracts.h"
#include "cuda/driver_mount.h"
#include "diagnose/cuda_rules.h"
#include "loader/ldconfig.h"
#include "soresolve/answer.h"
#include "soresolve/catalogue.h"
#include "soresolve/diagnose.h"
#include "soresolve/doctor.h"
#include "soresolve/remedies.h"
#include "soresolve/world.h"
#include "unit/cuda/driver_files.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Fill = std::function<void(MemoryFileSystem&)>;

const std::string kMultiarch = "/usr/lib/x86_64-linux-gnu";

std::string a_library(const std::string& soname) { return write_elf(library().soname(soname).needed("libc.so.6")); }

/// A small Debian: loader, libc, and a program that needs `needs`.
std::shared_ptr<MemoryFileSystem> image(const Fill& fill, std::vector<std::string> needs = {"libcuda.so.1"}) {
  auto files = std::make_shared<MemoryFileSystem>();
  std::string loader = write_elf(library().soname("ld-linux-x86-64.so.2")) + '\0';
  for (const char* text :
       {"ld.so (x) stable release version 2.36.\n", "/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib/",
        "/usr/lib/", "lib/x86_64-linux-gnu", "x86-64-v4:x86-64-v3:x86-64-v2"}) {
    loader += std::string(text) + '\0';
  }
  files->add_file("/lib64/ld-linux-x86-64.so.2", loader);
  files->add_file("/etc/debian_version", "12.1\n");
  files->add_file("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n");
  files->add_directory("/etc/ld.so.conf.d");
  ElfSpec libc = library().soname("libc.so.6");
  libc.version_definitions = {{"libc.so.6"}, {"GLIBC_2.2.5"}, {"GLIBC_2.7"}, {"GLIBC_2.9"}, {"GLIBC_2.36"}};
  files->add_file(kMultiarch + "/libc.so.6", write_elf(libc));
  for (const char* name : {"libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"})
    files->add_file(kMultiarch + "/" + name, write_elf(library().soname(name)));
  files->add_file("/bin/prog", write_elf(program_needing(std::move(needs))), 0755);
  if (fill) fill(*files);
  return files;
}

/// Ubuntu's way: everything in the multiarch directory.
std::shared_ptr<MemoryFileSystem> host(const std::string& version, const Fill& fill = {}) {
  auto files = std::make_shared<MemoryFileSystem>();
  for (const auto& [stem, ending] : std::vector<std::pair<std::string, std::string>>{
           {"libcuda", ".so.1"}, {"libnvidia-ml", ".so.1"}, {"libnvcuvid", ".so.1"}, {"libGLX_nvidia", ".so.0"}}) {
    files->add_file(kMultiarch + "/" + stem + ".so." + version, a_library(stem + ending));
  }
  if (fill) fill(*files);
  return files;
}

WorldSettings settings_of(std::shared_ptr<const FileSystem> image, std::shared_ptr<const FileSystem> host,
                          const std::string& mode = "toolkit", std::vector<std::string> env = {}) {
  WorldSettings settings;
  settings.where.files = std::move(image);
  settings.machine.cpu = "x86-64";
  settings.start.env = std::move(env);
  settings.start.clean_env = true;
  settings.driver.files = std::move(host);
  Result<DriverSettings> driver = with_driver_mode(settings.driver, mode);
  REQUIRE(driver);
  settings.driver = *driver;
  return settings;
}

/// The file, without links, that /bin/prog gets for `name`; "not found"; or the error.
std::string found(const WorldSettings& settings, const std::string& name = "libcuda.so.1") {
  World world(settings);
  const Result<Resolution> run = world.resolve("/bin/prog");
  if (!run) return run.error().message;
  for (const LoadedObject& object : run->map().objects) {
    bool is_it = false;
    object.for_each_name([&](std::string_view known) { is_it |= known == name; });
    if (!is_it || object.role != ObjectRole::Library) continue;
    const Result<std::string, Errno> real = run->system().files->real_path(object.path);
    return real ? *real : std::string(object.path);
  }
  return "not found";
}

void add_compat(MemoryFileSystem& files, const std::string& version, const std::string& tail = {}) {
  files.add_file("/usr/local/cuda-12/compat/libcuda.so." + version, a_library("libcuda.so.1") + tail);
  files.add_symlink("/usr/local/cuda-12/compat/libcuda.so.1", "libcuda.so." + version);
  files.add_symlink("/usr/local/cuda", "cuda-12");
}

/// So that hooks which want one find it; its content does not count.
void add_cache(MemoryFileSystem& files) { files.add_file("/etc/ld.so.cache", write_ld_cache({}, std::endian::little)); }

std::vector<std::string> codes_of(const Resolution& run) {
  std::vector<std::string> codes;
  for (const Problem& problem : find_cuda_problems(run.map(), run.dlopens(DlopenLevel::Known)))
    codes.emplace_back(code_of(problem.code));
  return codes;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("the mode and the capabilities decide which libraries come in, and where") {
  struct Case {
    const char* why;
    std::string mode;
    std::vector<std::string> env;
    std::string name;
    std::string want;
    Fill fill = {};
  };
  const Case cases[] = {
      {"compute is a default", "toolkit", {}, "libcuda.so.1", kMultiarch + "/libcuda.so.550.1"},
      {"so is utility", "toolkit", {}, "libnvidia-ml.so.1", kMultiarch + "/libnvidia-ml.so.550.1"},
      {"video is not", "toolkit", {}, "libnvcuvid.so.1", "not found"},
      {"it can be named",
       "toolkit",
       {"NVIDIA_DRIVER_CAPABILITIES=video"},
       "libnvcuvid.so.1",
       kMultiarch + "/libnvcuvid.so.550.1"},
      {"and brings compute in",
       "toolkit",
       {"NVIDIA_DRIVER_CAPABILITIES=video"},
       "libcuda.so.1",
       kMultiarch + "/libcuda.so.550.1"},
      {"utility alone does not", "toolkit", {"NVIDIA_DRIVER_CAPABILITIES=utility"}, "libcuda.so.1", "not found"},
      {"display brings graphics in",
       "toolkit",
       {"NVIDIA_DRIVER_CAPABILITIES=utility, display"},
       "libGLX_nvidia.so.0",
       kMultiarch + "/libGLX_nvidia.so.550.1"},
      {"an empty value is none",
       "toolkit",
       {"NVIDIA_DRIVER_CAPABILITIES="},
       "libcuda.so.1",
       kMultiarch + "/libcuda.so.550.1"},
      {"an unknown word ends the start",
       "toolkit",
       {"NVIDIA_DRIVER_CAPABILITIES=compute,x"},
       "libcuda.so.1",
       "NVIDIA_DRIVER_CAPABILITIES=compute,x: no container is started with 'x'; there are all, compute, compat32, "
       "display, graphics, ngx, utility, video"},
      {"the link is made besides", "toolkit", {}, "libcuda.so", kMultiarch + "/libcuda.so.550.1"},
      {"CDI takes everything",
       "cdi",
       {"NVIDIA_DRIVER_CAPABILITIES=utility"},
       "libnvcuvid.so.1",
       kMultiarch + "/libnvcuvid.so.550.1"},
      {"apptainer has a directory of its own",
       "apptainer",
       {},
       "libnvcuvid.so.1",
       "/.singularity.d/libs/libnvcuvid.so.1"},
      {"which comes behind what is in LD_LIBRARY_PATH",
       "apptainer",
       {"LD_LIBRARY_PATH=/app"},
       "libcuda.so.1",
       "/app/libcuda.so.1",
       [](MemoryFileSystem& files) { files.add_file("/app/libcuda.so.1", a_library("libcuda.so.1")); }},
      {"another distribution's image",
       "toolkit",
       {},
       "libcuda.so.1",
       "/usr/lib64/libcuda.so.550.1",
       [](MemoryFileSystem& files) {
         files.add_symlink("/etc/debian_version", "nowhere");
         files.add_file("/etc/ld.so.conf", "/usr/lib64\n");
       }},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files =
        image(c.fill, {"libcuda.so.1", "libcuda.so", "libnvidia-ml.so.1", "libnvcuvid.so.1", "libGLX_nvidia.so.0"});
    CHECK(found(settings_of(files, host("550.1"), c.mode, c.env), c.name) == c.want);
  }
}

TEST_CASE("which of the host's driver and the image's cuda-compat wins depends on the rules' release") {
  struct Case {
    const char* why;
    std::string mode;
    std::string host;
    std::string compat;
    bool compat_wins;
    std::string text = {};  ///< of its note
  };
  const Case cases[] = {
      {"newer by major version", "toolkit", "535.1", "550.1", true},
      {"of the same one", "toolkit", "550.1", "550.2", false},
      {"older", "toolkit", "555.1", "550.1", false},
      {"mounted over it, the greater number wins", "toolkit=1.17.3", "535.1", "550.1", true},
      {"but not of the same major version", "toolkit=1.17.3", "550.1", "550.2", false},
      {"off", "toolkit=1.17.4", "535.1", "550.1", false},
      {"by a file of ld.so.conf.d", "toolkit=1.17.5", "535.1", "550.1", true},
      {"CDI before its hook", "cdi=1.17.4", "535.1", "550.1", false},
      {"CDI", "cdi", "535.1", "550.1", true},
      {"CDI, no newer", "cdi", "550.1", "550.1", false},
      {"a note that lists the host", "cdi", "535.1", "550.1", true, R"({"CUDA Version":"12.4","Driver":[535]})"},
      {"a note that does not", "cdi", "535.1", "550.1", false, R"({"CUDA Version":"12.4","Driver":[470]})"},
      {"older rules read no note", "cdi=1.18.0", "535.1", "550.1", true, R"({"CUDA Version":"12.4","Driver":[470]})"},
      {"apptainer knows none", "apptainer", "535.1", "550.1", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files = image([&](MemoryFileSystem& tree) {
      add_compat(tree, c.compat, c.text.empty() ? std::string() : note(c.text));
      add_cache(tree);
    });
    const WorldSettings settings = settings_of(files, host(c.host), c.mode);
    World world(settings);
    const auto driver = world.driver();
    REQUIRE(driver);
    REQUIRE(driver->compat);
    CHECK(driver->compat->is_enabled == c.compat_wins);
    CHECK(driver->compat->version.text == c.compat);
    CHECK_FALSE(driver->compat->reason.empty());
    const std::string path = found(settings);
    const bool is_from_image =
        path.ends_with(c.compat) && (c.host != c.compat || path.find("/compat/") != std::string::npos);
    CHECK(is_from_image == c.compat_wins);
  }
}

TEST_CASE("a driver in the image: the greater number wins, and that is told") {
  struct Case {
    const char* why;
    std::string own;
    std::string want;
    bool wins;
  };
  const Case cases[] = {{"newer than the host's", "555.1", kMultiarch + "/libcuda.so.555.1", true},
                        {"older", "470.1", kMultiarch + "/libcuda.so.550.1", false}};
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files = image(
        [&](MemoryFileSystem& tree) { tree.add_file(kMultiarch + "/libcuda.so." + c.own, a_library("libcuda.so.1")); });
    const WorldSettings settings = settings_of(files, host("550.1"));
    CHECK(found(settings) == c.want);
    World world(settings);
    const Result<Resolution> run = world.resolve("/bin/prog");
    REQUIRE(run);
    CHECK(has(codes_of(*run), "driver-in-image") == c.wins);
    CHECK(has(codes_of(*run), "driver-mismatch") == c.wins);  // with the host's kernel module
  }
}

TEST_CASE("a libcuda copied into the image under the name of the link stays in the way") {
  const auto files =
      image([](MemoryFileSystem& tree) { tree.add_file(kMultiarch + "/libcuda.so.1", a_library("libcuda.so.1")); });
  const WorldSettings settings = settings_of(files, host("550.1"));
  CHECK(found(settings) == kMultiarch + "/libcuda.so.1");
  World world(settings);
  const Result<Resolution> run = world.resolve("/bin/prog");
  REQUIRE(run);
  CHECK(has(codes_of(*run), "driver-in-image"));
}

TEST_CASE("a library of the host that needs a newer glibc is told, loaded or not") {
  const auto with_gl = [](const char* version) {
    return host("550.1", [&](MemoryFileSystem& files) {
      ElfSpec gl = library().soname("libGL.so.1").needed("libc.so.6");
      gl.version_needs = {{"libc.so.6", {{version}}}};
      files.add_file(kMultiarch + "/libGL.so.1", write_elf(gl));
    });
  };
  struct Case {
    const char* why;
    const char* mode;
    const char* version;
    bool is_reported;
  };
  const Case cases[] = {{"apptainer passes it in", "apptainer", "GLIBC_2.38", true},
                        {"the image's glibc will do", "apptainer", "GLIBC_2.36", false},
                        {"the toolkit leaves it out", "toolkit", "GLIBC_2.38", false}};
  for (const Case& c : cases) {
    CAPTURE(c.why);
    World world(settings_of(image({}), with_gl(c.version), c.mode));
    const Result<Resolution> run = world.resolve("/bin/prog");
    REQUIRE(run);
    CHECK(has(codes_of(*run), "driver-glibc") == c.is_reported);
    if (!c.is_reported) continue;
    const std::vector<Problem> problems = find_cuda_problems(run->map(), {});
    CHECK(problems.front().loader_says ==
          kMultiarch + "/libc.so.6: version `GLIBC_2.38' not found (required by /.singularity.d/libs/libGL.so.1)");
  }
}

TEST_CASE("a library that stays outside is told to who asks for it, with the capability that it takes") {
  World world(
      settings_of(image({}, {"libnvidia-ml.so.1"}), host("550.1"), "toolkit", {"NVIDIA_DRIVER_CAPABILITIES=compute"}));
  const Result<Answer> answer = ask(world, {.file = "/bin/prog"});
  REQUIRE(answer);
  const std::vector<Problem> problems = find_cuda_problems(answer->run()->map(), {});
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().code == ProblemCode::DriverWithheld);
  CHECK(sentence(problems.front().what, Language::English).find("the capability utility") != std::string::npos);
  const Remedy* best = answer->first_fix();
  REQUIRE(best != nullptr);
  CHECK(best->kind == RemedyKind::Capabilities);
  CHECK(best->verdict == RemedyVerdict::Works);
  CHECK(texts_of(best->commands) ==
        std::vector<std::string>{"docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility IMAGE"});
  World other(settings_of(image({}), host("550.1"), "toolkit", {"NVIDIA_DRIVER_CAPABILITIES=compute"}));
  const Result<Resolution> fine = other.resolve("/bin/prog");
  REQUIRE(fine);
  CHECK(codes_of(*fine).empty());  // nobody asks for it
}

TEST_CASE("more capabilities are no fix where the library that comes in lacks something itself") {
  const auto needs_more = [](MemoryFileSystem& files) {
    files.add_file(kMultiarch + "/libnvidia-ml.so.550.1",
                   write_elf(library().soname("libnvidia-ml.so.1").needed("libnowhere.so.1")));
  };
  World world(settings_of(image({}, {"libnvidia-ml.so.1"}), host("550.1", needs_more), "toolkit",
                          {"NVIDIA_DRIVER_CAPABILITIES=compute"}));
  const Result<Answer> answer = ask(world, {.file = "/bin/prog"});
  REQUIRE(answer);
  const std::vector<Remedy>& remedies = answer->diagnosis_with_fixes().remedies;
  REQUIRE(!remedies.empty());
  CHECK(remedies.front().kind == RemedyKind::Capabilities);
  CHECK(remedies.front().verdict != RemedyVerdict::Works);
  CHECK(remedies.front().loader_says.find("libnowhere.so.1") != std::string::npos);
}

TEST_CASE("a release alone stands for what rows tell: found, bound as far as functions are known, else open") {
  struct Case {
    const char* why;
    const char* release;
    const char* symbol;
    Verdict want;
  };
  const Case cases[] = {
      {"as old as any", "535.1.1", "cuInit", Verdict::Works},
      {"new in 550, which was read", "550.54.14", "cuGreenCtxCreate", Verdict::Works},
      {"535 was read and lacks it", "535.54.03", "cuGreenCtxCreate", Verdict::Fails},
      {"545 lies between", "545.23.06", "cuGreenCtxCreate", Verdict::Depends},
      {"in no row, and all rows are newer", "470.1.1", "cuNew", Verdict::Fails},
      {"newer than all rows", "580.65.06", "cuNew", Verdict::Depends},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files = image({});
    ElfSpec spec = program_needing({"libcuda.so.1"});
    spec.refer(undefined(c.symbol));
    files->add_file("/bin/prog", write_elf(spec), 0755);
    WorldSettings settings = settings_of(files, nullptr);
    settings.driver.driver = c.release;
    World world(settings);
    const Result<Resolution> run = world.resolve("/bin/prog");
    REQUIRE(run);
    CHECK(found(settings) == kMultiarch + "/libcuda.so." + c.release);
    REQUIRE(run->check());
    CHECK(verdict_of(run->map(), *run->check(), {}) == c.want);
    CHECK(run->system().driver->is_assumed());
  }
}

TEST_CASE("what names no driver is refused") {
  struct Case {
    const char* why;
    Fill fill;
    std::string want;
  };
  const Case cases[] = {
      {"nothing in it", [](MemoryFileSystem&) {}, "has no driver"},
      {"a stub without a release", [](MemoryFileSystem& f) { f.add_file("/libcuda.so", a_library("libcuda.so.1")); },
       "has no driver"},
      {"Jetson's", [](MemoryFileSystem& f) { f.add_file("/libcuda.so.1.1", a_library("libcuda.so.1")); },
       "how drivers of WSL and Jetson are passed in is not modelled"},
      {"two, and nothing decides",
       [](MemoryFileSystem& f) {
         f.add_file(kMultiarch + "/nvidia/current/libcuda.so.535.1", a_library("libcuda.so.1"));
         f.add_file(kMultiarch + "/nvidia/tesla/libcuda.so.525.1", a_library("libcuda.so.1"));
       },
       "has several drivers"},
      {"no ELF file", [](MemoryFileSystem& f) { f.add_file("/libcuda.so.535.1", "text"); }, "not an ELF file"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    auto files = std::make_shared<MemoryFileSystem>();
    c.fill(*files);
    World world(settings_of(image({}), files));
    const Result<Resolution> run = world.resolve("/bin/prog");
    REQUIRE_FALSE(run);
    CAPTURE(run.error().message);
    CHECK(run.error().message.find(c.want) != std::string::npos);
  }
  World missing(settings_of(image({}), nullptr, "cdi"));
  CHECK_FALSE(missing.resolve("/bin/prog"));  // a mode without a driver
  for (const char* word : {"docker", "toolkit=", "toolkit=new", "=1.17", ""}) {
    CAPTURE(word);
    CHECK_FALSE(with_driver_mode({}, word));
  }
}

TEST_CASE("the kernel module of the host decides between two drivers") {
  const auto files = host("550.1", [](MemoryFileSystem& f) {
    f.add_file(kMultiarch + "/libcuda.so.535.1", a_library("libcuda.so.1"));
    f.add_file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.1  Thu\n");
  });
  CHECK(found(settings_of(image({}), files)) == kMultiarch + "/libcuda.so.535.1");
}

TEST_CASE("a fix is tried with the driver laid over") {
  const auto files =
      image([](MemoryFileSystem& f) { f.add_file("/opt/x/libx.so", write_elf(library().soname("libx.so"))); },
            {"libcuda.so.1", "libx.so"});
  World world(settings_of(files, host("550.1")));
  const Result<Resolution> run = world.resolve("/bin/prog");
  REQUIRE(run);
  Diagnosis diagnosis = diagnose(*run);
  find_remedies(*run, diagnosis, {.search = {"/opt"}});
  std::vector<std::string> working;
  for (const Remedy& remedy : diagnosis.remedies) {
    if (remedy.verdict == RemedyVerdict::Works) working.emplace_back(name_of(remedy.kind));
  }
  // ldconfig is played again in the second, and has to find the host's libraries.
  CHECK(has(working, "library-path"));
  CHECK(has(working, "configuration"));
}

TEST_CASE("the doctor sees the host's driver and says whose it is") {
  WorldSettings settings = settings_of(image({}), host("550.1"));
  DoctorOptions options;
  options.contracts = built_in_contracts();
  const Result<DoctorReport> report = examine_machine(settings, options);
  REQUIRE(report);
  REQUIRE(report->driver);
  CHECK(report->driver->version.text == "550.1");
  for (const DoctorCheck& check : report->checks) {
    CAPTURE(check.name);
    CHECK(check.result != DoctorResult::Fail);
    if (check.name == "driver")
      CHECK(sentence(check.seen, Language::English).find("driver 550.1, supports CUDA up to 12.4") !=
            std::string::npos);
  }
}

TEST_CASE("a library of rows is read as it was described") {
  const std::string bytes =
      write_assumed_library({kEmX86_64, "libx.so.1", {"libc.so.6", "liby.so"}, "GLIBC_2.7", {"one", "two", "three"}});
  MemorySystem system;
  system.files().add_file("/lib64/libx.so.1", bytes);
  system.elf("/lib64/libc.so.6", [] {
    ElfSpec libc = library().soname("libc.so.6");
    libc.version_definitions = {{"libc.so.6"}, {"GLIBC_2.7"}};
    return libc;
  }());
  system.elf("/lib64/liby.so", library().soname("liby.so"));
  ElfSpec spec = program_needing({"libx.so.1"});
  for (const char* name : {"one", "two", "three"}) spec.refer(undefined(name));
  system.program(spec);
  const Result<LinkMap> map = system.load();
  REQUIRE(map);
  CHECK(listing(*map) == std::vector<std::string>{"libx.so.1 => /lib64/libx.so.1", "libc.so.6 => /lib64/libc.so.6",
                                                  "liby.so => /lib64/liby.so"});
  const Result<Check> check = check_start(*map);
  REQUIRE(check);
  CHECK(check->is_ok());
  CHECK(check->counts.versions == 1);
}
