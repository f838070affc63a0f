"""Writes a file as a C++ string constant: embed.py INPUT OUTPUT NAME."""

import sys

LINE = 96


def literal(line):
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'


def main():
    source, target, name = sys.argv[1:]
    with open(source, encoding="utf-8") as text:
        lines = text.read().splitlines()
    with open(target, "w", encoding="utf-8") as out:
        out.write(f"namespace soresolve {{\nextern const char {name}[];\nconst char {name}[] =\n")
        out.write("\n".join(literal(line) for line in lines))
        out.write(";\n}\n")


main()
