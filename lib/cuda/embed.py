#!/usr/bin/env python3
"""Writes the rows of contracts.json as C++ data.

    embed.py contracts.json OUTPUT

Each field is a text, as ContractRow reads it: numbers are written out, and what is in a list is joined by
line ends. Reading JSON at each start would cost more than all that the rows are asked for.
"""

import json
import sys


def quoted(text):
    return json.dumps(text, ensure_ascii=False).replace("\\u007f", "\\177")


def text_of(value):
    if isinstance(value, list):
        return "\n".join(value)
    return str(value)


def fields_of(row):
    return ", ".join(f"{{{quoted(key)}, {quoted(text_of(value))}}}" for key, value in row.items())


def main():
    source, output = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        tables = json.load(file)
    lines = ['#include "cuda/contract_row.h"', "", "namespace soresolve {", "namespace {", ""]
    rows = [("sources", {name: what}) for name, what in tables.pop("sources").items()]
    rows += [(table, row) for table, entries in tables.items() for row in entries]
    for number, (_, row) in enumerate(rows):
        lines.append(f"constexpr ContractField kRow{number}[] = {{{fields_of(row)}}};")
    lines += ["", "constexpr EmbeddedRow kRows[] = {"]
    lines += [f"    {{{quoted(table)}, kRow{number}}}," for number, (table, _) in enumerate(rows)]
    lines += ["};", "", "}  // namespace", "",
              "std::span<const EmbeddedRow> embedded_rows() { return kRows; }", "", "}  // namespace soresolve", ""]
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    main()
