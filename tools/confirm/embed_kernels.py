"""Writes our kernels as C++ constants: embed_kernels.py KERNELS.ptx OUTPUT.cc [NVCC].

With NVCC they are also assembled for every chip that it knows, into one compressed fat binary."""

import pathlib
import subprocess
import sys
import tempfile


def text_literal(text):
    lines = text.splitlines()
    return "\n".join('    "' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"' for line in lines)


def byte_literal(data, width=32):
    chunks = (data[i:i + width] for i in range(0, len(data), width))
    lines = ['    "' + "".join(f"\\{byte:03o}" for byte in chunk) + '"' for chunk in chunks]
    return "\n".join(lines or ['    ""'])


def assemble(nvcc, ptx):
    """The fat binary of all chips."""
    listed = subprocess.run([nvcc, "--list-gpu-code"], stdout=subprocess.PIPE, text=True, check=True).stdout
    numbers = [name[len("sm_"):] for name in listed.split()]
    targets = [word for number in numbers for word in ("-gencode", f"arch=compute_{number},code=sm_{number}")]
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "kernels.fatbin"
        subprocess.run([nvcc, "-fatbin", "-Xfatbin=-compress-all", *targets, ptx, "-o", str(output)], check=True)
        return output.read_bytes()


def main():
    source, target, *nvcc = sys.argv[1:]
    ptx = pathlib.Path(source).read_text(encoding="utf-8")
    native = assemble(nvcc[0], source) if nvcc else b""
    pathlib.Path(target).write_text(
        '#include "kernels.h"\n\nnamespace soresolve::confirm {\n\n'
        f"const char kKernelsPtx[] =\n{text_literal(ptx)};\n\n"
        f"alignas(16) static constexpr char kNativeBytes[] =\n{byte_literal(native)};\n"
        "const std::string_view kKernelsNative(kNativeBytes, sizeof kNativeBytes - 1);\n\n"
        "}  // namespace soresolve::confirm\n", encoding="utf-8")


main()
