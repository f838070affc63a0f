// Editable installations: finders whose sources say of which file a module is.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "python_machine.h"

using namespace soresolve;
using test::kTag;
using test::Machine;

namespace {

const std::string kInstall = "import sys\nclass F: pass\ndef install(*a):\n  sys.meta_path.append(F())\n";

struct EditableCase {
  const char* why;
  std::string finder;  ///< the source of the finder's module
  const char* module;
  const char* want;
};

}  // namespace

TEST_CASE("the finder of an editable installation says where its modules are") {
  const EditableCase cases[] = {
      {"setuptools: a package", "MAPPING: dict[str, str] = {'e': '/w/impl'}\nNAMESPACES = {}\n" + kInstall, "e",
       "/w/impl/_x"},
      {"a module in it", "MAPPING = {'e': '/w/impl'}\n" + kInstall, "e.m", "/w/impl/_x; a"},
      {"a single file", "MAPPING = {'f': '/w/one'}\n" + kInstall, "f", "b"},
      {"an extension module", "MAPPING = {'g': '/w/ext'}\n" + kInstall, "g", "/w/ext"},
      {"a namespace", "MAPPING = {'n.e': '/w/impl'}\nNAMESPACES = {'n': []}\n" + kInstall, "n.e", "/w/impl/_x"},
      {"a namespace with folders", "MAPPING = {}\nNAMESPACES = {'n': ['/w']}\n" + kInstall, "n.one", "b"},
      {"a module that is not there", "MAPPING = {'e': '/w/impl'}\n" + kInstall, "e.no",
       "/w/impl/_x; !ModuleNotFoundError: No module named 'e.no'"},
      {"a folder that is not there", "MAPPING = {'r': '/w/gone'}\n" + kInstall, "r",
       "!ModuleNotFoundError: No module named 'r'"},
      {"scikit-build-core", kInstall + "install({'e': '/w/impl/__init__.py'}, {'e._y': 'e/_y" + kTag + "'}, None)\n",
       "e._y", "/w/impl/_x; e/_y"},
      {"pfmoore/editables",
       "from editables.redirector import RedirectingFinder as F\nF.install()\n"
       "F.map_module('e', '/w/impl/__init__.py')\n",
       "e", "/w/impl/_x"},
      {"a name that stands nowhere in it", "MAPPING = {'e': '/w/impl'}\n" + kInstall, "q",
       "!ModuleNotFoundError: No module named 'q'"},
      {"values of other kinds",
       "MAPPING = {1: 2, 'e': ['/w'], 'h': None}\nNAMESPACES = {'n': 3, 4: []}\n" + kInstall +
           "install(1, 2)\ninstall()\n",
       "e", ""},
  };
  for (const EditableCase& c : cases) {
    CAPTURE(std::string(c.why));
    Machine machine;
    machine.add("e.pth", "import __editable___e_finder; __editable___e_finder.install()\n")
        .add("__editable___e_finder.py", c.finder)
        .add("editables/__init__.py")
        .add("editables/redirector.py",
             "class RedirectingFinder:\n  @classmethod\n  def install(cls): pass\n"
             "  @classmethod\n  def map_module(cls, n, p): pass\n")
        .add("/w/impl/__init__.py", "from . import _x\n")
        .add("/w/impl/_x" + kTag)
        .add("/w/impl/m.py", "import a\n")
        .add("/w/one.py", "import b\n")
        .add("/w/ext" + kTag)
        .add("e/_y" + kTag)
        .extensions({"a", "b"});
    CHECK(machine.shown(c.module) == std::string(c.want));
  }
}

TEST_CASE("a finder that does not say of which file is named, and nothing fails") {
  Machine machine;
  machine.add("e.pth", "import _e_editable_loader\n")
      .add("_e_editable_loader.py", kInstall + "install({'e'}, '/w/build/cp311', ['ninja'], False)\n");
  const PythonTrace trace = machine.import("e");
  CHECK(trace.exception.empty());
  CHECK(trace.made_by.ends_with("/_e_editable_loader.py"));
  const PythonTrace other = machine.import("q");
  CHECK(other.made_by.empty());
  CHECK(other.exception == "ModuleNotFoundError: No module named 'q'");
}
