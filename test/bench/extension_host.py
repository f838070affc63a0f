"""A program that loads an extension module at start, and leaves before any code of it has run.

`python -c "import torch"` is mostly Python and constructors. What the loader alone does for it shows
in a program that is linked against the module, defines what the module expects of its host, and
leaves from DT_PREINIT_ARRAY: by then all is mapped and relocated, and no constructor has been called.
"""

import os
import re
import subprocess

SOURCE = """#include <unistd.h>
static void leave(void) { _exit(0); }
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = leave;
int main(void) { return 1; }
"""


def expected_of_host(module, loader):
    """The symbols that the loader cannot find for `module` on its own."""
    settings = {"LD_TRACE_LOADED_OBJECTS": "1", "LD_WARN": "1", "LD_BIND_NOW": "1"}
    done = subprocess.run([loader, module], env=dict(os.environ, **settings), text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    return sorted(set(re.findall(r"^undefined symbol: (\w+)\t", done.stderr, re.M)))


def build(module, loader, folder):
    """The path of such a program for `module`."""
    path, source = folder / "host", folder / "host.c"
    source.write_text(SOURCE + "".join(f"char {name}[8];\n" for name in expected_of_host(module, loader)))
    subprocess.run([os.environ.get("CC", "cc"), "-w", "-rdynamic", str(source), "-o", str(path), "-Wl,--no-as-needed",
                    module, "-Wl,--allow-shlib-undefined"], check=True)
    return str(path)
