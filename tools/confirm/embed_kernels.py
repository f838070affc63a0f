"""Writes our kernels as C++ constants: embed_kernels.py KERNELS.ptx OUTPUT.cc [NVCC [NATIVE.ptx]].

With NVCC they are also assembled for every chip that it knows, into one compressed fat binary; from NATIVE.ptx, for
tests, into one that is not compressed."""

import pathlib
import re
import subprocess
import sys
import tempfile


def text_literal(text):
    lines = text.splitlines()
    return "\n".join('    "' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"' for line in lines)


def byte_list(data, width=24):
    """At least one: an array cannot be empty."""
    data = data or b"\0"
    return "\n".join("    " + "".join(f"{byte}," for byte in data[i:i + width]) for i in range(0, len(data), width))


def assemble(nvcc, ptx, compression):
    """The fat binary of all chips."""
    listed = subprocess.run([nvcc, "--list-gpu-code"], stdout=subprocess.PIPE, text=True, check=True).stdout
    numbers = [name[len("sm_"):] for name in listed.split()]
    targets = [word for number in numbers for word in ("-gencode", f"arch=compute_{number},code=sm_{number}")]
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "kernels.fatbin"
        subprocess.run([nvcc, "-fatbin", f"-Xfatbin={compression}", *targets, ptx, "-o", str(output)], check=True)
        return output.read_bytes()


def release_of(nvcc):
    """13.0 is 13000, as the driver counts releases."""
    text = subprocess.run([nvcc, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    major, minor = re.search(r"release (\d+)\.(\d+)", text).groups()
    return int(major) * 1000 + int(minor) * 10


def main():
    source, target, *nvcc = sys.argv[1:]
    ptx = pathlib.Path(source).read_text(encoding="utf-8")
    native = b""
    if nvcc:
        native = assemble(nvcc[0], *([nvcc[1], "--compress=false"] if nvcc[1:] else [source, "-compress-all"]))
    pathlib.Path(target).write_text(
        '#include "kernels.h"\n\nnamespace soresolve::confirm {\n\n'
        f"const char kKernelsPtx[] =\n{text_literal(ptx)};\n\n"
        f"alignas(16) static const unsigned char kNativeBytes[] = {{\n{byte_list(native)}\n}};\n"
        f"const std::string_view kKernelsNative(reinterpret_cast<const char*>(kNativeBytes), {len(native)});\n"
        f"const int kKernelsNativeRelease = {release_of(nvcc[0]) if nvcc else 0};\n\n"
        "}  // namespace soresolve::confirm\n", encoding="utf-8")


main()
