// An import as steps: what is opened in which order, what catches, what a known package does by itself.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "python/python_program.h"

using namespace soresolve;

namespace {

const std::string kSite = "/opt/py/lib/python3.11/site-packages/";
const std::string kTag = ".cpython-311-x86_64-linux-gnu.so";

void install(MemoryFileSystem& files) {
  files.add_file("/opt/py/bin/python3.11", "\177ELF", 0755);
  files.add_file("/opt/py/lib/python3.11/os.py", "import posix\n");
  files.add_file("/opt/py/lib/python3.11/lib-dynload/math" + kTag, "");
  files.add_directory(kSite);
}

PythonProgram plan(const MemoryFileSystem& files, std::string_view module, std::vector<std::string> variables = {}) {
  const Environment environment(std::move(variables));
  const PythonEnvironment python = read_python_environment(files, environment, "/opt/py/bin/python3.11");
  return plan_import(files, environment, python, "/cwd", {}, module);
}

std::string place(const PythonProgram& program, StepIndex index) {
  return index == kNoStep ? "-" : index == program.steps.size() ? "end" : std::to_string(index);
}

std::string value_name(const PythonStep& step) {
  constexpr const char* kNames[] = {"unknown", "false", "none", "true"};
  return step.source.empty() ? kNames[static_cast<std::size_t>(step.value)] : step.source;
}

/// One line a step: "open FILE !HANDLER", "raise TEXT !HANDLER", "jump TARGET", "if FILE else TARGET".
std::vector<std::string> shown(const PythonProgram& program) {
  std::vector<std::string> lines;
  for (const PythonStep& step : program.steps) {
    const std::string file = step.file.starts_with(kSite) ? step.file.substr(kSite.size()) : step.file;
    switch (step.kind) {
      case PythonStep::Kind::Open:
        lines.push_back("open " + file + (is_global(step.mode.scope) ? " global" : "") + " !" +
                        place(program, step.handler));
        break;
      case PythonStep::Kind::Raise:
        lines.push_back("raise " + step.exception + " !" + place(program, step.handler));
        break;
      case PythonStep::Kind::Jump: lines.push_back("jump " + place(program, step.target)); break;
      case PythonStep::Kind::Begin:
        lines.push_back("begin " + step.module + " to " + place(program, step.target));
        break;
      case PythonStep::Kind::End: lines.push_back("end " + step.module); break;
      case PythonStep::Kind::Again:
        lines.push_back("again " + step.module + " from " + place(program, step.target));
        break;
      case PythonStep::Kind::Set: lines.push_back("set " + step.module + "." + file + " " + value_name(step)); break;
      case PythonStep::Kind::IfSet: lines.push_back("if set " + file + " else " + place(program, step.target)); break;
      case PythonStep::Kind::IfSays: lines.push_back("if says " + file + " else " + place(program, step.target)); break;
      case PythonStep::Kind::IfLoaded: lines.push_back("if " + file + " else " + place(program, step.target)); break;
    }
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a module is opened once, after what its package imports") {
  MemoryFileSystem files;
  install(files);
  files.add_file(kSite + "a/__init__.py", "import math\nfrom . import _x\nfrom .b import c\nimport a._x\n");
  files.add_file(kSite + "a/b.py", "from a import _y\nimport a\n");
  files.add_file(kSite + "a/_x" + kTag, "");
  files.add_file(kSite + "a/_y.abi3.so", "");
  CHECK(shown(plan(files, "a")) == Lines{"open /opt/py/lib/python3.11/lib-dynload/math" + kTag + " !-",
                                         "open a/_x" + kTag + " !-", "open a/_y.abi3.so !-"});
  CHECK_MESSAGE(shown(plan(files, "a.b")).size() == 3, "the package is imported before");
}

TEST_CASE("what fails goes on at the handler that catches it") {
  MemoryFileSystem files;
  install(files);
  files.add_file(kSite + "a/__init__.py",
                 "try:\n    from . import _x\nexcept OSError:\n    from . import _z\nexcept ImportError:\n"
                 "    from . import _y\nimport nothing\n");
  for (const char* name : {"_x", "_y", "_z"}) files.add_file(kSite + "a/" + name + kTag, "");
  const std::string missing = "raise ModuleNotFoundError: No module named 'nothing' !-";
  CHECK(shown(plan(files, "a")) == Lines{"begin a._x to 2", "open a/_x" + kTag + " !8", "end a._x", "jump 12",
                                         "begin a._z to 6", "open a/_z" + kTag + " !-", "end a._z", "jump 12",
                                         "begin a._y to 10", "open a/_y" + kTag + " !-", "end a._y", "jump 12",
                                         missing});
}

TEST_CASE("a module that is nowhere") {
  MemoryFileSystem files;
  install(files);
  CHECK(shown(plan(files, "nothing.sub")) == Lines{"raise ModuleNotFoundError: No module named 'nothing' !-"});
  CHECK_MESSAGE(shown(plan(files, "sys")).empty(), "built into the interpreter");
  files.add_file(kSite + "hook.pth", "import my_finder\n");
  files.add_file(kSite + "a.py", "import nothing\n");
  CHECK_MESSAGE(shown(plan(files, "a")).empty(), "an import hook may find it");
}

TEST_CASE("a folder in the way is no module of the interpreter's own") {
  MemoryFileSystem files;
  install(files);
  files.add_directory("/sys/kernel");
  files.add_file(kSite + "pkg/__init__.py", "from sys import intern\n");
  files.add_file(kSite + "x.pth", "/\n");
  CHECK(shown(plan(files, "pkg")) == Lines{});
}

TEST_CASE("a name that a package has not got") {
  struct Case {
    const char* why;
    std::string source;  ///< of the package
    Lines want;
  };
  const std::string half =
      "raise ImportError: cannot import name '_core' from partially initialized module 'pkg' (most "
      "likely due to a circular import) (" +
      kSite + "pkg/__init__.py) !-";
  const Case cases[] = {
      {"nothing gives it", "from .loader import *\n", {half}},
      {"only behind the import that asks for it", "from .loader import *\n_core = 1\n", {half}},
      {"before it", "_core = 1\nfrom .loader import *\n", {}},
      {"another name has it in it", "not_core = 1\nfrom .loader import *\n", {half}},
      {"a comment gives none", "# We import * of _core.\n  # _core\nfrom .loader import *\n", {half}},
      {"what may give any name", "from .all import *\nfrom .loader import *\n", {}},
      {"a folder without a source",
       "from .part import _core\n",
       {"raise ImportError: cannot import name '_core' from 'pkg.part' (unknown location) !-"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemoryFileSystem files;
    install(files);
    files.add_file(kSite + "pkg/__init__.py", c.source);
    files.add_file(kSite + "pkg/all.py", "");
    files.add_file(kSite + "pkg/loader.py", "from . import _core\n");
    files.add_file(kSite + "pkg/part/text", "");
    CHECK(shown(plan(files, "pkg")) == c.want);
  }
}

TEST_CASE("a function of another module opens a library before the module that needs it") {
  MemoryFileSystem files;
  install(files);
  files.add_file(kSite + "rmm/__init__.py",
                 "try:\n  import librmm\nexcept ModuleNotFoundError:\n  pass\nelse:\n  librmm.load_library()\n"
                 "from rmm import own\nown.load_library()\n");
  files.add_file(kSite + "rmm/own.py", "from rmm import _c\ndef load_library():\n  import _never\n");
  files.add_file(kSite + "rmm/_c.so", "");
  files.add_file(kSite + "librmm/__init__.py", "from librmm.load import load as load_library\n");
  files.add_file(
      kSite + "librmm/load.py",
      "import ctypes, os\ndef _wheel(name):\n"
      "  if os.path.isfile(lib := os.path.join(os.path.dirname(__file__), 'lib64', name)):\n"
      "    return ctypes.CDLL(lib, ctypes.RTLD_LOCAL)\n  return None\n"
      "def load():\n  try:\n    import log\n    log.load_library()\n  except ModuleNotFoundError:\n    pass\n"
      "  try:\n    lib = _wheel('librmm.so')\n    if lib is None:\n      lib = ctypes.CDLL('librmm.so')\n"
      "  except OSError:\n    pass\n  load()\n  return lib\n");
  files.add_file(kSite + "librmm/lib64/librmm.so", "");
  const Lines lines = shown(plan(files, "rmm"));
  std::string opened;
  for (const std::string& line : lines) {
    if (line.starts_with("open ")) opened += line.substr(5, line.find(" !") - 5) + "; ";
  }
  CHECK(opened == "librmm/lib64/librmm.so; rmm/_c.so; ");
}

TEST_CASE("torch opens its dependencies before its module, and again once the wheels are opened") {
  MemoryFileSystem files;
  install(files);
  files.add_file(kSite + "torch/__init__.py", "from torch._C import *\n");
  files.add_file(kSite + "torch/_C" + kTag, "");
  files.add_file(kSite + "torch-2.4.1.dist-info/METADATA", "Name: torch\n");
  files.add_file(kSite + "nvidia/cublas/lib/libcublas.so.12", "");
  const Lines lines = shown(plan(files, "torch"));
  REQUIRE(lines.size() > 6);
  CHECK(lines[0] == "open torch/lib/libtorch_global_deps.so global !3");
  CHECK_MESSAGE(lines[1] == "if nvidia/cuda_runtime/lib/libcudart.so else 15", "nothing is opened in this release");
  CHECK(lines[2] == "jump 15");
  CHECK(lines[3] == "open nvidia/cublas/lib/libcublas.so.12 !-");
  CHECK(lines[4] ==
        "raise ValueError: libcudnn.so.*[0-9] not found in the system path ['', "
        "'/opt/py/lib/python311.zip', '/opt/py/lib/python3.11', '/opt/py/lib/python3.11/lib-dynload', "
        "'/opt/py/lib/python3.11/site-packages'] !-");
  CHECK(lines[14] == "open torch/lib/libtorch_global_deps.so global !-");
  CHECK(lines[15] == "open torch/_C" + kTag + " !-");

  const Lines global = shown(plan(files, "torch", {"TORCH_USE_RTLD_GLOBAL=1"}));
  CHECK(global == Lines{"open torch/_C" + kTag + " global !-"});
}

TEST_CASE("what could not be imported is imported anew by the next one") {
  MemoryFileSystem files;
  install(files);
  files.add_file(kSite + "a/__init__.py", "try:\n  from . import _x\nexcept ImportError:\n  pass\nfrom . import _x\n");
  files.add_file(kSite + "a/_x" + kTag, "");
  CHECK(shown(plan(files, "a")) ==
        Lines{"begin a._x to 2", "open a/_x" + kTag + " !4", "end a._x", "jump 5", "jump 5", "again a._x from 0"});
  files.add_file(kSite + "a/__init__.py",
                 "try:\n  from . import _x\n  from . import _x\nexcept ImportError:\n  pass\n");
  CHECK_MESSAGE(shown(plan(files, "a")).size() == 5, "it is there, or this is not come to");
}

TEST_CASE("names say which imports went well, in the module and in those that have them from there") {
  MemoryFileSystem files;
  install(files);
  files.add_file(kSite + "a/__init__.py",
                 "try:\n  from . import _x\n  HAS_X = True\nexcept ImportError as e:\n  HAS_X = False\n  why = str(e)\n"
                 "from .b import HAS_Y\n");
  files.add_file(kSite + "a/b.py", "from a import HAS_X as HAS_Y\nif not HAS_Y:\n  raise ImportError('no x')\n");
  files.add_file(kSite + "a/_x" + kTag, "");
  CHECK(shown(plan(files, "a")) == Lines{"begin a._x to 2", "open a/_x" + kTag + " !5", "end a._x", "set a.HAS_X true",
                                         "jump 8", "set a.HAS_X false", "set a.why true", "jump 8",
                                         "set a.b.HAS_Y a.HAS_X", "if set not HAS_Y else end",
                                         "raise ImportError: no x !-"});
}

TEST_CASE("faiss opens libraries of wheels that are installed, and a module by the processor") {
  MemoryFileSystem files;
  install(files);
  files.add_file(kSite + "faiss/__init__.py", "from .loader import *\n");
  files.add_file(kSite + "faiss/loader.py", "import math\nfrom ._loader import *\n");
  files.add_file(kSite + "faiss/_loader.py", "");
  files.add_file(kSite + "faiss/swigfaiss_avx512.py", "from . import _swigfaiss_avx512\n");
  files.add_file(kSite + "faiss/swigfaiss.py", "from . import _swigfaiss\n");
  for (const char* name : {"_swigfaiss", "_swigfaiss_avx512"}) files.add_file(kSite + "faiss/" + name + kTag, "");
  files.add_file(kSite + "faiss_gpu_cu12-1.14.1.dist-info/METADATA", "Name: faiss-gpu-cu12\n");
  const std::string no_wheel = "raise importlib.metadata.PackageNotFoundError: No package metadata was found for ";
  Lines lines = shown(plan(files, "faiss"));
  REQUIRE(lines.size() == 5);
  CHECK(lines[1] == no_wheel + "nvidia-cuda-runtime-cu12 !-");
  CHECK(lines[4] == "open faiss/_swigfaiss" + kTag + " !-");
  files.add_file(kSite + "nvidia_cuda_runtime_cu12-12.4.127.dist-info/METADATA", "");
  files.add_file(kSite + "nvidia_cublas_cu12-12.4.5.8.dist-info/METADATA", "");
  files.add_file(kSite + "nvidia/cuda_runtime/lib/libcudart.so.12", "");
  lines = shown(plan(files, "faiss"));
  REQUIRE(lines.size() == 5);
  CHECK(lines[1] == "open nvidia/cuda_runtime/lib/libcudart.so.12 global !-");
  CHECK_MESSAGE(lines[2] == "open nvidia/cublas/lib/libcublas.so.12 global !-", "it is opened where it was recorded");
  CHECK(shown(plan(files, "faiss", {"_FAISS_WHEEL_DISABLE_CUDA_PRELOAD=1"})).size() == 2);

  const PythonEnvironment python = read_python_environment(files, Environment(), "/opt/py/bin/python3.11");
  const PythonProgram wide = plan_import(files, Environment(), python, "/", {"x86_64", 4}, "faiss");
  CHECK(shown(wide)[6] == "open faiss/_swigfaiss_avx512" + kTag + " !10");
}

TEST_CASE("bitsandbytes takes the library for the CUDA of torch where there is a GPU") {
  MemoryFileSystem files;
  install(files);
  files.add_file(kSite + "torch/__init__.py", "");
  files.add_file(kSite + "torch/version.py", "__version__ = '2.9.1'\ncuda = '12.8'\n");
  files.add_file(kSite + "bitsandbytes/__init__.py", "from . import cextension\n");
  files.add_file(kSite + "bitsandbytes/cextension.py", "");
  for (const char* name : {"cpu", "cuda124", "cuda126", "cuda130"})
    files.add_file(kSite + "bitsandbytes/libbitsandbytes_" + name + ".so", "");
  CHECK(shown(plan(files, "bitsandbytes")) == Lines{"open bitsandbytes/libbitsandbytes_cpu.so !end"});
  files.add_file("/dev/nvidiactl", "");
  CHECK(shown(plan(files, "bitsandbytes")) == Lines{"open bitsandbytes/libbitsandbytes_cuda126.so !end"});
  CHECK(shown(plan(files, "bitsandbytes", {"BNB_CUDA_VERSION=124"})) ==
        Lines{"open bitsandbytes/libbitsandbytes_cuda124.so !end"});
  files.add_file(kSite + "bitsandbytes-0.45.0.dist-info/METADATA", "");
  CHECK_MESSAGE(shown(plan(files, "bitsandbytes")).empty(), "this release takes no other than 128");
}

TEST_CASE("sources that import each other without end, and very many of them, are bounded") {
  MemoryFileSystem files;
  install(files);
  for (int i = 0; i < 600; ++i) {
    files.add_file(kSite + "m" + std::to_string(i) + ".py", "import m" + std::to_string(i + 1) + "\n");
  }
  const PythonProgram deep = plan(files, "m0");
  CHECK(deep.source_count == kMaxImportDepth);
  CHECK(deep.limits.size() == 1);
  files.add_file(kSite + "huge.py", std::string(kMaxPythonSourceBytes + 1, ' '));
  CHECK(plan(files, "huge").limits.size() == 1);
}
