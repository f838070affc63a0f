// Any bytes as one of the small texts that soresolve reads: configuration of ldconfig and the loader,
// contracts, what drivers and Python packages say of themselves, the first line of a script.
//
// The first byte says which; the rest is the text.
#include <algorithm>
#include <array>

#include "cuda/contracts.h"
#include "cuda/driver.h"
#include "cuda/framework_build.h"
#include "cuda/wheel_file.h"
#include "diagnose/contract_file.h"
#include "diagnose/requirement.h"
#include "fuzz/fuzz_target.h"
#include "host/host.h"
#include "loader/ld_cache.h"
#include "loader/ldconfig.h"
#include "loader/loader_rules.h"
#include "loader/preload.h"
#include "packages/package_owner.h"
#include "packages/package_records.h"
#include "packages/recorded_file.h"
#include "packages/wheel_requirements.h"
#include "python/environments.h"
#include "python/import_trace.h"
#include "python/parser.h"
#include "soresolve/cuda.h"
#include "soresolve/diagnose.h"
#include "soresolve/survey.h"
#include "survey/policy.h"
#include "unit/memory_system.h"

namespace soresolve::test::configuration_target {
namespace {

using Text = const std::string&;

void check_refusal(const Error& error) {
  require(!error.message.empty(), "a refusal says why");
  require(!error.path.empty() || error.code == ErrorCode::Usage, "a refusal says where");
}

/// What ldconfig would write is what the loader reads.
void ldconfig(Text text) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file("/etc/ld.so.conf", text);
  files->add_file("/etc/ld.so.conf.d/a.conf", "/opt/lib\n");
  files->add_file("/opt/lib/liba.so.1.2", write_elf(library().soname("liba.so.1")));
  OverlayFileSystem overlay(files);
  MemorySystem system;
  const LdConfigRun run = play_ldconfig(overlay, system.rules);
  for (const std::string& directory : run.directories) touch(directory);
  std::string written = write_ld_cache(run.entries, std::endian::little);
  const Result<LdCache> cache = LdCache::parse(written, system.rules, kX86_64, "/etc/ld.so.cache");
  require(cache.has_value() && cache->size() == run.entries.size(), "the loader reads what ldconfig writes");
}

void preload_file(Text text) {
  std::size_t sum = 0;
  for (const PreloadName& name : parse_preload_file(text)) {
    require(!name.name.empty() && name.name.find_first_of(": \t\n") == std::string::npos, "a name is one word");
    sum += name.name.size();
  }
  require(sum <= text.size(), "names stand in the file");
}

void preload_variable(Text text) {
  for (const bool is_secure : {false, true}) {
    for (const PreloadName& name : parse_preload_variable(text, is_secure)) {
      require(!name.name.empty() && name.name.size() < 4096, "a name is not long");
      require(!is_secure || name.name.find('/') == std::string::npos, "no path where it is set-uid");
    }
  }
}

void contract(Text text) {
  const Result<std::vector<Requirement>> all = read_contract(text, "/c.toml");
  if (!all) return check_refusal(all.error());
  for (const Requirement& one : *all) {
    const Result<Requirement> again = parse_requirement(one.text);
    require(again.has_value() && again->thing == one.thing && again->relation == one.relation,
            "it can be said on the command line, too");
  }
}

/// What a survey writes of what it read is read again as the same.
void policy(Text text) {
  if (const Result<SurveyPolicy> policy = parse_policy(text, "/soresolve.toml"); !policy) {
    check_refusal(policy.error());
  } else {
    for (const SurveyIgnore& ignore : policy->ignores) require(!ignore.reason.empty(), "each ignore has a reason");
  }
  const Result<SurveyBaseline> baseline = parse_baseline(text, "/known.toml");
  if (!baseline) return check_refusal(baseline.error());
  for (const SurveyBaseline::Known& known : baseline->known) require(!known.key.empty(), "each cause has a key");
}

void requirement(Text text) {
  const Result<Requirement> one = parse_requirement(text);
  if (!one) return require(one.error().code == ErrorCode::Usage, "the caller's mistake");
  require(one->text == text, "it is kept as written");
}

void facts(Text text) {
  const GpuContracts& base = built_in_contracts();
  const Result<GpuContracts> once = read_contracts(text, "/facts.json", base);
  if (!once) return check_refusal(once.error());
  const Result<GpuContracts> twice = read_contracts(text, "/facts.json", *once);
  require(twice.has_value() && *twice == *once, "rows that are there already change nothing");
}

void driver(Text text) {
  for (const char* path : {"/proc/driver/nvidia/version", "/sys/module/nvidia/version"}) {
    MemoryFileSystem files;
    files.add_file(path, text);
    const std::optional<KernelModule> module = read_kernel_module(files);
    if (module) require(text.find(module->version.text) != std::string::npos, "the version stands in the file");
  }
}

void devices(Text text) {
  MemoryFileSystem files;
  files.add_file("/proc/driver/nvidia/gpus/0000:01:00.0/information", text);
  const Result<std::vector<std::string>> names = list_devices(files);
  if (!names) return check_refusal(names.error());
  for (const std::string& name : *names) touch(name);
}

void framework(Text text) {
  MemoryFileSystem files;
  files.add_file("/sp/torch/version.py", text);
  files.add_file("/sp/tensorflow/python/platform/build_info.py", text);
  for (const auto& build : {read_torch_build(files, "/sp"), read_tensorflow_build(files, "/sp")}) {
    if (!build) continue;
    require(text.find(build->version) != std::string::npos, "the version stands in the file");
    touch(build->cuda.text);
  }
}

void wheel(Text text) {
  MemoryFileSystem files;
  files.add_file("/sp/nvidia/cublas/lib/libcublas.so.12", "x");
  files.add_file("/sp/nvidia_cublas_cu12-12.4.5.8.dist-info/RECORD", text);
  const std::optional<WheelFile> found = find_wheel_of(files, "/sp/nvidia/cublas/lib/libcublas.so.12");
  if (!found) return;
  require(found->version == "12.4.5.8", "the version is that of the package");
  require(text.find("nvidia/cublas/lib/libcublas.so.12") != std::string::npos, "it is recorded");
}

void script(Text text) {
  MemoryFileSystem files;
  files.add_file("/s", text, 0755);
  files.add_file("/usr/bin/python3", write_elf(program()), 0755);
  const Result<std::string> behind = program_behind(files, Environment(), "/s");
  if (!behind) return check_refusal(behind.error());
  touch(*behind);
}

/// Whose file it is, says a record that has its path; what else stands there is never opened.
void owner(const std::string& record, Text text, std::string_view path) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(path, "x");
  files->add_file(record, text);
  files->add_file("/var/lib/dpkg/info/a.md5sums", text);
  files->add_file("/var/lib/dpkg/status", "Package: a\nVersion: 1\n");
  const PackageOwners owners(files);
  const std::optional<PackageOwner> found = owners.owner_of(path);
  if (!found) return;
  require(found->record == record && !found->name.empty(), "a record says so");
  require(text.find("b.so") != std::string::npos, "the file stands in it");
  for (const std::string& file : owners.files_of(*found))
    require(file.starts_with('/'), "files of the package are paths");
  RecordedFiles recorded(*files, 1000);
  require(recorded.state_of(*found, std::string(path)) != FileState::Missing, "the file is there");
}

void dpkg_list(Text text) { owner("/var/lib/dpkg/info/a.list", text, "/usr/lib/b.so"); }
void wheel_record(Text text) { owner("/v/sp/a-1.dist-info/RECORD", text, "/v/sp/a/b.so"); }
void conda_record(Text text) { owner("/e/conda-meta/a-1-0.json", text, "/e/lib/b.so"); }

void dpkg_texts(Text text) {
  for (const Diversion& one : parse_diversions(text)) {
    require(one.from.starts_with('/') && one.to.starts_with('/') && !one.package.empty(),
            "a diversion has three lines");
  }
  require(text.find(dpkg_version(text, "a:amd64")) != std::string::npos, "the version stands in the file");
}

/// Prefixes that conda lists: no path is taken that is not one of its own.
void conda_list(Text text) {
  MemoryFileSystem files;
  files.add_file("/h/.conda/environments.txt", text);
  files.add_directory("/e/conda-meta");
  for (const std::string& prefix : conda_prefixes(files, Environment({"HOME=/h"}))) {
    require(prefix == "/e", "an environment has conda-meta");
  }
}

/// Statements stand on lines of the source, and nothing is deeper than the limit.
void check_block(const python::Block& block, std::size_t lines, int depth) {
  require(depth <= 3 * python::kMaxNesting, "nesting is bounded");
  for (const python::Statement& one : block) {
    require(one.line >= 1 && one.line <= lines, "a statement stands on a line of the source");
    if (one.function) {
      const python::FunctionBody body = python::parse_suite(*one.function);
      require(body.statements.empty() || body.statements.back().line <= lines, "a body lies in the source");
    }
    check_block(one.body, lines, depth + 1);
    check_block(one.otherwise, lines, depth + 1);
    check_block(one.finally, lines, depth + 1);
    for (const python::Clause& clause : one.clauses) check_block(clause.body, lines, depth + 1);
  }
}

void python_source(Text text) {
  const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  check_block(python::parse_source(text), lines, 0);
}

/// A package that is imported, with the text for its source, for a module in it, and for a .pth file.
void python_import(Text text) {
  const auto files = std::make_shared<MemoryFileSystem>();
  const std::string site = "/p/lib/python3.11/site-packages/";
  files->add_file("/p/bin/python3.11", "\177ELF", 0755);
  files->add_file("/p/lib/python3.11/os.py", "");
  files->add_file(site + "a/__init__.py", text);
  files->add_file(site + "a/b.py", text);
  files->add_file(site + "a/_c.abi3.so", "");
  files->add_file(site + "x.pth", text);
  const Environment environment;
  const PythonEnvironment python = read_python_environment(*files, environment, "/p/bin/python3.11");
  for (const std::string& entry : python.path) require(entry.empty() || entry.starts_with('/'), "entries are paths");
  PythonImporter importer(files, environment, python, "/", {});
  const PythonTrace good = importer.evaluate({.module = "a"});
  require(good.opens.size() <= kMaxPythonOpens, "what is opened is bounded");
  PythonAnswers answers;
  for (std::size_t i = 0; i < good.opens.size(); ++i) answers.failures[i] = {"no", false};
  const PythonTrace bad = importer.evaluate({.module = "a"}, answers);
  const bool begins_alike = good.opens.empty() || (!bad.opens.empty() && bad.opens[0].file == good.opens[0].file);
  require(begins_alike, "what is opened first does not depend on whether it fails");
}

void virtual_environment(Text text) {
  MemoryFileSystem files;
  files.add_file("/p/bin/python3", "\177ELF", 0755);
  files.add_file("/p/lib/python3.11/os.py", "");
  files.add_file("/v/bin/python3", "\177ELF", 0755);
  files.add_file("/v/pyvenv.cfg", text);
  const PythonEnvironment python = read_python_environment(files, Environment(), "/v/bin/python3");
  require(python.path.size() <= kMaxPythonPath, "sys.path is bounded");
}

void metadata(Text text) {
  MemoryFileSystem files;
  files.add_file("/s/a-1.dist-info/METADATA", text);
  for (const WheelRequirement& one : read_wheel_requirements(files, "/s")) {
    require(!one.version.empty() && text.find(one.version) != std::string::npos, "the version stands in the file");
    require(one.version.find_first_of(" ;'\"$`\n") == std::string::npos, "it can be typed");
    require(one.wheel.find_first_of(" ;'\"$`\n") == std::string::npos, "so can the name");
  }
}

constexpr std::array kReaders = {ldconfig,
                                 preload_file,
                                 preload_variable,
                                 contract,
                                 requirement,
                                 facts,
                                 driver,
                                 devices,
                                 framework,
                                 wheel,
                                 script,
                                 dpkg_list,
                                 wheel_record,
                                 conda_record,
                                 dpkg_texts,
                                 conda_list,
                                 python_source,
                                 python_import,
                                 virtual_environment,
                                 metadata,
                                 policy};

std::vector<std::string> seeds() {
  const std::array<std::vector<std::string>, kReaders.size()> texts = {{
      {"include ld.so.conf.d/*.conf\n/opt/lib # x\n  /usr/lib64/=libc6\nhwcap 3 avx\n",
       "include /etc/ld.so.conf\n/opt/lib/\n"},
      {"/a/b.so liba.so:libb.so\t# comment\nlibc.so # more\nlibd.so"},
      {"liba.so:/a/b.so libc.so", ":: ;"},
      {"[require]\ncuda = '12.1'\ncudnn = ['>=8.9', '<10']\ndevice = 'sm_80'\n[require.framework]\ntorch = '2.5.0'\n"},
      {"cuda=12.1", "driver>=530.30.02", "framework=torch==2.5.0", "device=sm_80", "glibc!=2.17"},
      {R"({"sources":{"s":"a book"},"chips":[{"capability":"9.9","architecture":"X","boards":["Y 1"],)"
       R"("first_toolkit":"13.0","last_toolkit":"current","source":"s"}]})",
       R"({"ptx_releases":[{"ptx":"9.9","cuda":"14.0","source":"s"}],"sources":{"s":"x"}})"},
      {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Thu\nGCC version: 12\n", "550.54.15\n",
       "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  575.57.08  Release Build\n"},
      {"Model: \t\t NVIDIA GeForce RTX 4090\nIRQ:   1\nGPU UUID: \t GPU-1\n"},
      {"from typing import Optional\n__version__ = '2.15.0+cu132'\ncuda: Optional[str] = '13.2'\n",
       "build_info = {'cuda_version': '12.5.1', 'cudnn_version': '9', 'is_cuda_build': True}\n"},
      {"nvidia/cublas/lib/libcublas.so.12,sha256=x,123456\n", "\"nvidia/cublas/lib/libcublas.so.12\",,\r\na,b,c\n"},
      {"#!/usr/bin/python3 -u\n", "#! /usr/bin/env -S A=1 python3 x\n", "#!/s\n"},
      {"/.\n/usr\n/usr/lib\n/usr/lib/b.so\n/usr/lib/b.so.1\n", "/usr/lib/b.so\r\n\n"},
      {"a/b.so,sha256=x,1\na/__init__.py,,\n", "\"a/b.so\",,\r\n\"c,\"\"d\",,\n../../../../etc/passwd,,\n"},
      {R"({"name":"a","version":"1","files":["lib/b.so","lib/b\\u002eso"],"x":{"paths":[{"_path":"lib/b.so"}]}})",
       R"({"name":"a","files":[["lib/b.so"]]})"},
      {"/a/b\n/c/d\npkg\n/e\n/f\n:\n", "Package: a\nArchitecture: amd64\nVersion: 1:2-3\n\nPackage: b\nVersion: 4\n"},
      {"/e\n/nowhere\n", "/e/./\r\n../e\n", "/../e/"},
      {"try:\n    from . import (_c,  # x\n        b)\nexcept (OSError, E) as e:\n    raise X('y')\n"
       "else:\n    import a.b as c\nclass E:\n\twith suppress(F):\n\t\tctypes.CDLL(\"lib.so\", RTLD_GLOBAL)\n",
       "if sys.version_info >= (3, 8) and not A:\n    x = \"\"\"\n\\\"\"\"\n\"\"\" ; import a\nelif B: import b\n"
       "else:\n  import c\n",
       "def f(n, m='x'):\n  if n:\n    return f'{n}.so'\n  for a in ('b', m):\n    try:\n      import_module(a)\n"
       "    except ImportError:\n      continue\n    else:\n      break\n  else:\n    raise X\n"
       ""
       "for g in glob.glob('/s/*.so'):\n  sys.path.insert(0, g)\n"
       "P = Path(__file__).parent\nif P.exists():\n  ctypes.CDLL(f('y', m=str(P / 'z.so')))\nf(0)\n"},
      {"from . import _c\nfrom .b import x\ntry:\n  import zz\nexcept ImportError:\n  from a import _c, nn\n",
       "import os, sys, ctypes\nif not (sys.platform == 'l' or os.name in x) and sys.version_info[:2] < (3, 12):\n"
       "  ctypes.CDLL(os.path.join(os.path.dirname(__file__), f'{b}{{}}', *x), mode=1)\nL = [n for n in ('a', 'b')]\n"
       "def f(*a, b=1, **c):\n  global L\n  with x as y: return b\nwhile f(*L, b={1: 2}): break\n",
       "/p\n../..\nimport os; x()\n"},
      {"home = /p/bin\ninclude-system-site-packages = true\nversion = 3.11.2\n", "home=/\nversion_info = 3.99.x\n"},
      {"Metadata-Version: 2.1\nName: A_b.c\nVersion: 1.0+x\nRequires-Dist: nvidia-cudnn-cu12 (==9.1.0.70) ; a\r\n"
       "Requires-Dist: x[y]===1; extra == 'z'\n\nRequires-Dist: n==2\n"},
      {"[[ignore]]\nfiles = '/a/*'\ncode = 'missing-library'\nreason = \"r\xc3\xa9\"\nuntil = 2027-01-31\n",
       "form = \"soresolve-baseline/1\"\n[[known]]\nkey = \"missing-library|liba.so\"\n"
       "roots = [\n  \"/a\\u0001\",\n]\n"},
  }};
  std::vector<std::string> all;
  for (std::size_t reader = 0; reader < texts.size(); ++reader) {
    for (const std::string& text : texts[reader]) all.push_back(std::string(1, static_cast<char>(reader)) + text);
  }
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  kReaders[data[0] % kReaders.size()](text);
}

}  // namespace
}  // namespace soresolve::test::configuration_target

const soresolve::test::FuzzTarget soresolve::test::kConfigurationTarget = {"configuration", configuration_target::run,
                                                                           configuration_target::seeds};
