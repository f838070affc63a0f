// Reading messages out of logs: colours, prefixes, UTF-16, order and repetition, captures, tracebacks. The single texts
// are in explain_catalogue_test.cc.
#include "soresolve/catalogue.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace soresolve;

namespace {

std::vector<std::string> ids(std::string_view text) {
  std::vector<std::string> found;
  for (const Recognised& message : recognise(text)) found.emplace_back(message.known->id);
  return found;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("what stands around a message does not hide it") {
  const std::string message =
      "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory";
  struct Case {
    const char* why;
    std::string text;
  };
  const Case cases[] = {
      {"alone", message},
      {"Windows line ends", "first\r\n" + message + "\r\nlast\r\n"},
      {"old Macs' line ends, progress bars", "10%\r50%\r" + message + "\rdone"},
      {"colours", "\x1b[1;31mImportError\x1b[0m: \x1b[4mlibcudart.so.11.0\x1b[24m: cannot open shared object file"},
      {"a terminal's title", "\x1b]0;title\x07" + message},
      {"a time and a prefix", "2026-11-21T04:00:00.123Z worker-7 | E " + message},
      {"bytes that are no UTF-8", "\xff\xfe\x80" + message + "\xc3"},
      {"in quotation marks", "RuntimeError(\"libcudart.so.11.0: cannot open shared object file\")"},
      {"a path with spaces", "OSError: /my models/libcudart.so.11.0: cannot open shared object file"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::vector<Recognised> found = recognise(c.text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].captured("library").ends_with("libcudart.so.11.0"));
  }
}

TEST_CASE("a text of UTF-16 is readable as far as it is Latin") {
  std::string wide = "\xff\xfe";
  for (const char c : std::string("libx.so: cannot open shared object file\r\n")) wide += std::string{c, '\0'};
  const std::vector<Recognised> found = recognise(wide);
  REQUIRE(found.size() == 1);
  CHECK(found[0].captured("library").ends_with("libx.so"));
}

TEST_CASE("the message that takes in more of the line counts") {
  struct Case {
    const char* why;
    const char* text;
    Ids want;
  };
  const Case cases[] = {
      {"cuDNN's, not ld.so's",
       "Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object file: No such "
       "file",
       {"cudnn-needs-nvrtc"}},
      {"the errno counts",
       "libcudart.so.12: cannot open shared object file: Permission denied",
       {"library-permission"}},
      {"the library counts",
       "libcudart.so.12: cannot open shared object file: No such file or directory",
       {"cudart-missing"}},
      {"the frame only when alone",
       "p: error while loading shared libraries: libx.so: file too short",
       {"file-too-short"}},
      {"the frame alone", "p: error while loading shared libraries: libx.so: some new text", {"start-failed"}},
      {"a preload that is passed over",
       "ERROR: ld.so: object 'libx.so' from LD_PRELOAD cannot be preloaded (cannot open shared object file): ignored.",
       {"preload-ignored"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(ids(c.text) == c.want);
  }
}

TEST_CASE("the last message comes first, summaries behind the causes, repetitions once") {
  const std::vector<Recognised> found = recognise(
      "liba.so: cannot open shared object file\n"
      "libb.so: cannot open shared object file\n"
      "liba.so: cannot open shared object file\n"
      "Cannot dlopen some GPU libraries.\n");
  REQUIRE(found.size() == 3);
  CHECK(found[0].captured("library") == "liba.so");
  CHECK(found[0].count == 2);
  CHECK(found[0].line == 3);
  CHECK(found[1].captured("library") == "libb.so");
  CHECK(found[2].known->weight == Weight::Summary);
}

TEST_CASE("who is named by ld.so is captured: program, object, version, requirer") {
  struct Case {
    const char* why;
    const char* text;
    const char* name;
    const char* want;
  };
  const Case cases[] = {
      {"start-up", "./my prog: error while loading shared libraries: libx.so.1: cannot open shared object file",
       "program", "./my prog"},
      {"version", "/bin/p: /lib/libc.so.6: version `GLIBC_2.38' not found (required by /bin/p)", "program", "/bin/p"},
      {"version, its object", "/bin/p: /lib/libc.so.6: version `GLIBC_2.38' not found (required by /bin/p)", "object",
       "/lib/libc.so.6"},
      {"version, by whom", "ImportError: /lib/libc.so.6: version `GLIBC_2.38' not found (required by /a b/_C.so)",
       "requirer", "/a b/_C.so"},
      {"an exception is no program", "ImportError: /lib/libc.so.6: version `GLIBC_2.38' not found (required by /x)",
       "program", ""},
      {"symbol", "p: symbol lookup error: /x/liby.so: undefined symbol: f, version V_1", "object", "/x/liby.so"},
      {"symbol, its program", "p: symbol lookup error: /x/liby.so: undefined symbol: f, version V_1", "program", "p"},
      {"symbol, its version", "p: symbol lookup error: /x/liby.so: undefined symbol: f, version V_1", "version", "V_1"},
      {"French",
       "ImportError: libx.so.1: Ne peut ouvrir le fichier d'objet partagé: Aucun fichier ou dossier de ce type",
       "library", "libx.so.1"},
      {"translated", "ImportError: libx.so.1: 无法打开共享对象文件: 没有那个文件或目录", "library", "libx.so.1"},
      {"half translated", "p: 符号查询错误: /x/liby.so: undefined symbol: f", "program", "p"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::vector<Recognised> found = recognise(c.text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].captured(c.name) == c.want);
  }
}

TEST_CASE("who says it and of which file is read from the words around the loader's text") {
  struct Case {
    const char* why;
    const char* text;
    std::string host;
    std::string needer;
    std::string library;
  };
  const Case cases[] = {
      {"nginx", "dlopen() \"/m/ngx.so\" failed (libpq.so.5: cannot open shared object file: No such file)", "nginx",
       "/m/ngx.so", "libpq.so.5"},
      {"httpd", "Cannot load modules/a.so into server: libb.so.1: cannot open shared object file: No such file",
       "Apache httpd", "modules/a.so", "libb.so.1"},
      {"behind the text", "libffi.so.6: cannot open shared object file: No such file - /g/ffi_c.so (LoadError)", "Ruby",
       "/g/ffi_c.so", "libffi.so.6"},
      {"the line above",
       "  unable to load shared object '/R/sf/libs/sf.so':\n  libgdal.so.30: cannot open shared object file", "R",
       "/R/sf/libs/sf.so", "libgdal.so.30"},
      {"the second attempt counts",
       "Unable to load dynamic library 'gd' (tried: /x/gd (/x/gd: cannot open shared object file: No such file or "
       "directory), /x/gd.so (libavif.so.15: cannot open shared object file: No such file or directory)) in Unknown",
       "PHP", "/x/gd.so", "libavif.so.15"},
      {"a name that the host has made",
       "Unable to load shared library 'libgdiplus' or one of its dependencies. See LD_DEBUG: liblibgdiplus: cannot "
       "open shared object file: No such file or directory",
       ".NET", "", "libgdiplus.so"},
      {"without lib",
       "Unable to load shared library 'plplot' or one of its dependencies. Consider LD_DEBUG: libplplot: "
       "cannot open shared object file: No such file or directory",
       ".NET", "", "libplplot.so"},
      {"of a dependency",
       "Unable to load shared library 'a' or one of its dependencies. Consider LD_DEBUG: libz.so.9: "
       "cannot open shared object file: No such file or directory",
       ".NET", "", "libz.so.9"},
      {"Python names no file", "ImportError: libb.so.1: cannot open shared object file: No such file", "", "",
       "libb.so.1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::vector<Recognised> messages = recognise(c.text);
    REQUIRE(!messages.empty());
    CHECK(messages.front().captured("host") == c.host);
    CHECK(messages.front().captured("consumer") == c.needer);
    CHECK(messages.front().captured("library") == c.library);
  }
}

TEST_CASE("what a host has tried on its own is neither a message nor repeated") {
  const std::vector<Recognised> of_php = recognise(
      "Unable to load dynamic library 'redis.so' (tried: /x/redis.so (/x/redis.so: undefined symbol: f),"
      " /x/redis.so.so (/x/redis.so.so: cannot open shared object file: No such file or directory)) in Unknown on "
      "line 0");
  REQUIRE(of_php.size() == 1);
  CHECK(of_php.front().known->id == "symbol-missing");
  CHECK(
      of_php.front().text ==
      "Unable to load dynamic library 'redis.so' (tried: /x/redis.so (/x/redis.so: undefined symbol: f), …) in Unknown "
      "on line 0");
  CHECK(ids("Unable to load shared library 'kernel32.dll' or one of its dependencies. Consider LD_DEBUG: "
            "libkernel32.dll: cannot open shared object file: No such file or directory") ==
        Ids{"dotnet-windows-library"});
}

TEST_CASE("of a set in braces the name with the major release alone is the library") {
  const std::vector<Recognised> messages = recognise(
      "Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9, libcudnn_ops.so}");
  REQUIRE(!messages.empty());
  CHECK(messages.front().captured("library") == "libcudnn_ops.so.9");
}

TEST_CASE("the library before the loader's text is the missing one, whatever stands before it") {
  const char* const starts[] = {
      "",
      "OSError: ",
      "ImportError: ",
      "RuntimeError: cannot load the plugin; dlerror: ",
      "RuntimeError: dlopen(libopened.so.7) failed: dlerror: ",
      "dlerror: ",
      "dlerror() says: ",
      "app[12]: dlerror: ",
      "Nov 21 04:00:00 host app[12]: ",
      "[2026-11-21 04:00:00,123] ERROR: ",
      "[2026-11-21T04:00:00.123Z] [error] OSError: ",
      ("2026-11-21 04:00:00.123456: W tensorflow/dso_loader.cc:64] Could not load dynamic library 'libopened.so.7'; "
       "dlerror: "),
      "W0000 12:00:00 dso_loader.cc:60] Could not load dynamic library libopened.so.7; dlerror: ",
      "E1121 04:00:00.123456 17 loader.cc:42] dlopen failed: dlerror: ",
      "[rank0]: OSError: ",
      "(EngineCore pid=169) ImportError: ",
      "time=\"2026-11-21T04:00:00Z\" level=error msg=\"",
      "{\"level\":\"error\",\"message\":\"OSError: ",
      "Exception: Failed to open libopened.so.7: ",
      "error: ",
      "FATAL: ",
      "Warning: ",
      "Could not load library libopened.so.7. Error: ",
      "Failed to load module: /opt/app/libopened.so.7: ",
      "thread 'main' panicked at src/main.rs:3:5: ",
      "Caused by: java.lang.UnsatisfiedLinkError: /tmp/libopened.so: ",
      "OSError: libopened.so.7: dlerror: ",
      "what():  ",
  };
  const char* const ends[] = {"", " (errno 2)", "; LD_LIBRARY_PATH: /a/lib:/b/lib", "\"}", "')", "\n"};
  for (const std::string library : {"libmissing.so.3", "/opt/x/libmissing.so", "libcublas.so.11"}) {
    for (const std::string start : starts) {
      for (const std::string end : ends) {
        const std::string text = start + library + ": cannot open shared object file: No such file or directory" + end;
        CAPTURE(text);
        const std::vector<Recognised> found = recognise(text);
        REQUIRE(found.size() == 1);
        CHECK(found[0].captured("library") == library);
        for (const char* word : {"dlerror", "error", "ERROR", "FATAL", "Warning"}) {
          CHECK(found[0].captured("program") != word);
        }
      }
    }
  }
}

TEST_CASE("errors of AMD's runtime are not explained as CUDA's") {
  struct Case {
    const char* why;
    const char* text;
    Ids want;
  };
  const Case cases[] = {
      {"a kernel of CUDA", "RuntimeError: CUDA error: invalid device function", {"no-kernel-image"}},
      {"PyTorch for ROCm", "RuntimeError: HIP error: invalid device function", {"rocm-no-binary"}},
      {"the same by its other text",
       "HIP error: no kernel image is available for execution on the device",
       {"rocm-no-binary"}},
      {"HIP's own name",
       "hipErrorNoBinaryForGpu: no kernel image is available for execution on the device",
       {"rocm-no-binary"}},
      {"no device", "RuntimeError: HIP error: no CUDA-capable device is detected", {}},
      {"called CUDA's",
       "RuntimeError: CUDA error: invalid device function, compile with TORCH_USE_HIP_DSA to enable device assertions",
       {}},
      {"rocBLAS", "rocBLAS error: no kernel image is available for execution on the device", {"rocm-no-binary"}},
      {"a library that a message names is what it is",
       "rocblas: ImportError: librocblas.so.4: cannot open shared object file: No such file or directory",
       {"rocm-library-missing"}},
      {"and so is one of CUDA's",
       "hipify: ImportError: libcudart.so.12: cannot open shared object file: No such file or directory",
       {"cudart-missing"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(ids(c.text) == c.want);
  }
}

TEST_CASE("the traceback that a message ends belongs to it, innermost frame first") {
  const std::string traceback =
      "[rank0]: Traceback (most recent call last):\n"
      "[rank0]:   File \"/srv/train.py\", line 3, in <module>\n"
      "[rank0]:     import demo\n"
      "[rank0]:   File \"/app/demo/__init__.py\", line 1, in <module>\n"
      "[rank0]:     from demo._C import add\n"
      "[rank0]: ImportError: libx.so.1: cannot open shared object file: No such file or directory\n";
  const std::vector<Recognised> found = recognise(traceback);
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].frames.size() == 2);
  CHECK(found[0].frames[0].file == "/app/demo/__init__.py");
  CHECK(found[0].frames[0].code == "from demo._C import add");
  CHECK(found[0].frames[1].code == "import demo");

  SUBCASE("but not to what comes much later") {
    std::string text = traceback;
    for (int i = 0; i < 10; ++i) text += "step " + std::to_string(i) + "\n";
    const std::vector<Recognised> later = recognise(text + "liby.so: cannot open shared object file\n");
    REQUIRE(later.size() == 2);
    CHECK(later[0].captured("library") == "liby.so");
    CHECK(later[0].frames.empty());
  }
  SUBCASE("and not to one of another traceback") {
    const std::vector<Recognised> other =
        recognise(traceback + "Traceback (most recent call last):\nOSError: liby.so: file too short\n");
    REQUIRE(other.size() == 2);
    CHECK(other[0].frames.empty());
  }
}

TEST_CASE("a message that was broken into two lines is one, unless a line has a message of its own") {
  struct Case {
    const char* why;
    std::string text;
    Ids want;
  };
  const std::string long_path(60, 'x');
  const Case cases[] = {
      {"between words", "OSError: /a/libx.so: wrong ELF\nclass: ELFCLASS32 (Possible cause)\n", {"wrong-class"}},
      {"indented", "OSError: /a/libx.so: wrong ELF\n    class: ELFCLASS32\n", {"wrong-class"}},
      {"within a word, at a terminal's width",
       "OSError: /" + long_path + "/libx.so: invalid EL\nF header\n",
       {"invalid-elf-header"}},
      {"a short line ends by itself", "OSError: /a/libx.so: invalid EL\nF header\n", {}},
      {"what frames it does not hide it",
       "p: error while loading shared libraries: libx.so: cannot open shared object\nfile: No such file or directory\n",
       {"missing-library", "start-failed"}},
      {"the first line is a message",
       "libx.so: cannot open shared object file\nliby.so: file too\n",
       {"missing-library"}},
      {"three lines are not one", "libx.so: invalid\n\nELF header\n", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(ids(c.text) == c.want);
  }
}

TEST_CASE("what a quotation or an editor did to a line is undone") {
  struct Case {
    const char* why;
    std::string text;
    const char* id;
    const char* name;
    const char* want;
  };
  const Case cases[] = {
      {"a backslash within a word", "OSError: /a/libx.so: undefined symbol: _Zf\\\noo\n", "symbol-missing", "symbol",
       "_Zfoo"},
      {"the same in a quotation", "> OSError: /a/libx.so: undefined symbol: _Zf\\\n> oo\n", "symbol-missing", "symbol",
       "_Zfoo"},
      {"a backslash ends the text", "OSError: /a/libx.so: undefined symbol: f \\", "symbol-missing", "symbol", "f"},
      {"lines of a quotation are no log", "> > OSError: /a/libx.so: invalid ELF\n> > header\n", "invalid-elf-header",
       "object", "/a/libx.so"},
      {"the address of a search", "libx.so:%20undefined%20symbol:%20foo", "symbol-missing", "symbol", "foo"},
      {"spaces that cannot be seen",
       "libx.so:\xc2\xa0undefined\xc2\xa0symbol: \xe2\x80\x8b"
       "foo",
       "symbol-missing", "symbol", "foo"},
      {"a quotation that was broken anew", "> libx.so: cannot open shared > object file: No such file",
       "missing-library", "library", "libx.so"},
      {"the name on the line above", "ImportError: /a/libx.so:\nundefined symbol: foo", "symbol-missing", "object",
       "/a/libx.so"},
      {"the end was cut", "/a/libc.so.6: version `GLIBC_2.34' not found (required by /a/x", "glibc-too-old", "requirer",
       "/a/x"},
      {"no colon before the text", "ImportError: libx.so.1 cannot open shared object file", "missing-library",
       "library", "libx.so.1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::vector<Recognised> found = recognise(c.text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].known->id == c.id);
    CHECK(found[0].captured(c.name) == c.want);
  }
}

TEST_CASE("a wrapper is explained by the loader's text in the line above it") {
  const std::vector<Recognised> messages = recognise(
      "MESA-LOADER: failed to open iris: /l/libLLVM.so: undefined symbol: ffi_type_sint32, version LIBFFI_BASE_7.0\n"
      "libGL error: failed to load driver: iris\n");
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].known->id == "libffi-of-another");
  CHECK_FALSE(messages[0].is_explained);
  CHECK(messages[1].is_explained);
  CHECK_FALSE(recognise("libGL error: failed to load driver: iris\n").front().is_explained);
}

TEST_CASE("of a wrapper and the loader's reason behind it the reason comes first") {
  struct Case {
    const char* why;
    const char* text;
    Ids want;
  };
  const Case cases[] = {
      {"another file is the reason",
       "libGL error: MESA-LOADER: failed to open iris: /e/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required "
       "by /usr/lib/dri/iris_dri.so) (search paths /usr/lib/dri, suffix _dri)",
       {"libstdcxx-too-old", "mesa-driver-missing"}},
      {"the wrapper is the line below",
       "libGL error: MESA-LOADER: failed to open iris: /e/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required "
       "by /usr/lib/dri/iris_dri.so)\nlibGL error: failed to load driver: iris",
       {"libstdcxx-too-old", "mesa-driver-missing"}},
      {"the wrapper knows more of the same file",
       "CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared object file",
       {"cupy-library", "cuda-library-missing"}},
      {"the loader of macOS says it",
       "cannot load library 'x': dlopen(x, 2): image not found.  Additionally, ctypes.util.find_library() did not "
       "manage to locate a library called 'x'",
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(ids(c.text) == c.want);
  }
}

TEST_CASE("lines of any length are looked through, each message once") {
  const std::string message = "libx.so.1: cannot open shared object file";
  for (const std::size_t before : {0UL, 1000UL, 65000UL, 65536UL - 20, 57344UL - 10, 200000UL}) {
    CAPTURE(before);
    const std::vector<Recognised> found =
        recognise(std::string(before, '.') + " " + message + " " + std::string(100000, '.'));
    REQUIRE(found.size() == 1);
    CHECK(found[0].captured("library") == "libx.so.1");
    CHECK(found[0].count == 1);
    CHECK(found[0].line == 1);
    CHECK(found[0].text.size() < 1000);
  }
}

TEST_CASE("of too many different messages the last are kept") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "lib" + std::to_string(i) + ".so: cannot open shared object file\n";
  const std::vector<Recognised> found = recognise(text);
  CHECK(found.size() == MessageReader::kMaxRecognised);
  CHECK(found.front().captured("library") == "lib999.so");
}

TEST_CASE("what was captured goes into the words, and quoted into commands") {
  const std::vector<Recognised> found = recognise("/my dir/it's.so: file too short");
  REQUIRE(found.size() == 1);
  CHECK(filled("{object} and {version}", found[0]) == "/my dir/it's.so and VERSION");
  CHECK(filled_command("ls {object} {consumer}", found[0]) == "ls '/my dir/it'\\''s.so' FILE");
  CHECK(filled("an open { stays", found[0]) == "an open { stays");
  const std::vector<Recognised> java = recognise("UnsatisfiedLinkError: 'int org.my_app.Adder.add(int, int)'");
  REQUIRE(java.size() == 1);
  CHECK(filled("{function}", java[0]) == "Java_org_my_1app_Adder_add");
}
