#!/usr/bin/env python3
"""Writes the parts of the page as C++ data, with the policy that lets a browser run them and nothing else.

    embed_page.py OUTPUT LIBRARY page.css SCRIPT...

LIBRARY lays out graphs (dagre.min.js); "none": the page shows them as lists. The scripts become one. The policy names each part by its
hash: a script that a name of a stranger's smuggled in would not run, and nothing may be fetched.
"""

import base64
import hashlib
import sys

# Of dagre, which asks for it in every copy.
NOTICE = """/* dagre: Copyright (c) 2012-2014 Chris Pettitt
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and
this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED
"AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT
HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
"""
PIECE = 16000  # characters of a literal; a compiler has to take 65,536 bytes


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for end in ("</script", "</style", "<!--"):
        if end in text.lower():
            raise SystemExit(f"{path}: {end} would end the element that it stands in")
    return text


def compact(text):
    """Without indents and lines that are comments: a fifth of a script, in every page. No literal spans lines here."""
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith("//")) + "\n"


def literal(text):
    def escaped(piece):
        piece = piece.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
        return '"' + piece.replace("\n", "\\n").replace("\t", "\\t") + '"'
    return "joined({" + ",\n    ".join(escaped(text[i:i + PIECE]) for i in range(0, len(text), PIECE)) + "})"


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def main():
    output, library, style, *scripts = sys.argv[1:]
    style, script = compact(read(style)), "".join(compact(read(path)) for path in scripts)
    library = "" if library == "none" else NOTICE + read(library)
    scripts = [hash_of(text) for text in (library, script) if text]
    policy = (f"default-src 'none'; style-src {hash_of(style)}; script-src {' '.join(scripts)}; "
              "base-uri 'none'; form-action 'none'")
    parts = {"policy": policy, "style": style, "library": library, "script": script}
    with open(output, "w", encoding="utf-8") as file:
        file.write('#include "report/html_parts.h"\n\nnamespace soresolve {\n\nHtmlParts html_parts() {\n'
                   "  const auto joined = [](std::initializer_list<std::string_view> pieces) {\n    std::string all;\n"
                   "    for (const std::string_view piece : pieces) all += piece;\n    return all;\n  };\n  return {")
        file.write(", ".join(f".{name} = {literal(text)}" for name, text in parts.items()))
        file.write("};\n}\n\n}  // namespace soresolve\n")


if __name__ == "__main__":
    main()
