#!/usr/bin/env python3
"""Turns data (TOML) into C++ tables at build time.

usage: make_tables.py OUTPUT INPUT.toml…

All inputs become one source, in their order; rows stand in it in the order of the files. What a top-level key of a file
may hold is in KINDS below: the C++ type of a row, its fields, and the function that returns the table. Two keys are no
tables: `phrases` are texts that several rows name, and `defaults.KEY` are fields of all rows of this file.

A row that has an unknown field, lacks one, or is wrong in another way that can be seen here is refused with its file and
line; for what only the compiler sees, such as an enumerator that does not exist, the source names the line of the TOML
file (#line).

Sentences have a hash table beside them, so that the start of the command costs nothing for 1,600 of them: FNV-1a of the
name, open addressing, twice as many slots as rows; a slot has the number of its row, from 1, and 0 is none.
"""

import json
import re
import sys
import tomllib

MESSAGE_PATTERNS = 14  # the size of KnownMessage::patterns


class Fault(Exception):
    """Something is wrong with the row in work."""


def quoted(text):
    # A trigraph cannot arise in C++20; a hexadecimal escape could take in what follows, so that there is none.
    return json.dumps(text, ensure_ascii=False).replace("\\u007f", "\\177")


def pascal(name):
    return "".join(part.capitalize() for part in name.split("-"))


def text(value, _):
    if not isinstance(value, str):
        raise Fault(f"{value!r} is not a text")
    return quoted(value)


def texts(value, _):
    if not isinstance(value, list):
        raise Fault(f"{value!r} is not a list")
    return "{" + ", ".join(text(entry, _) for entry in value) + "}"


def words(value, _):
    """A list, or a text already: separated by spaces."""
    return quoted(" ".join(value)) if isinstance(value, list) else text(value, _)


def number(value, _):
    if type(value) is not int:
        raise Fault(f"{value!r} is not a number")
    return str(value)


def flag(value, _):
    if not isinstance(value, bool):
        raise Fault(f"{value!r} is neither true nor false")
    return "true" if value else "false"


def enumerator(kind):
    """A name such as `missing-library`, of an enum whose enumerators are written MissingLibrary."""
    return lambda value, _: f"{kind}::{pascal(value)}"


def problem_code(value, context):
    if value not in context.codes:
        raise Fault(f"there is no problem {value}")
    return f"ProblemCode::{context.codes[value]}"


def places(template):
    return sorted({place.split("|")[0] for place in re.findall(r"\{([^{}]*)\}", template)})


def phrase(value, context):
    """Both languages, or a name of `phrases`."""
    if not isinstance(value, dict):
        raise Fault("a text has to have both languages, en and zh, and nothing else")
    if "phrase" in value:
        if value["phrase"] not in context.phrases:
            raise Fault(f"there is no phrase {value['phrase']}")
        value = context.phrases[value["phrase"]]
    if sorted(value) != ["en", "zh"] or not all(isinstance(side, str) and side for side in value.values()):
        raise Fault("a text has to have both languages, en and zh, and nothing else")
    if places(value["en"]) != places(value["zh"]):
        raise Fault(f"places {places(value['en'])} in English, {places(value['zh'])} in Chinese")
    return f"{{{quoted(value['en'])}, {quoted(value['zh'])}}}"


def name_or_phrase(value, context):
    """A text alone is the same in each language, as the name of a product is."""
    return f"{{{quoted(value)}, {{}}}}" if isinstance(value, str) else phrase(value, context)


def patterns(value, context):
    if not value or len(value) > MESSAGE_PATTERNS:
        raise Fault(f"{len(value)} patterns; from 1 to {MESSAGE_PATTERNS} can be given")
    return texts(value, context)


class Kind:
    """What stands under a top-level key: `fields` are name: (how it is written, is it required), in the order of the
    members of `type`; `key` is the member that has the row's name, if one has."""

    def __init__(self, type_, table, header, fields, key=None):
        self.type, self.table, self.header, self.fields, self.key = type_, table, header, fields, key

    def row(self, name, row, context):
        members = [f".{self.key} = {quoted(name)}"] if self.key else []
        for unknown in row.keys() - self.fields.keys():
            raise Fault(f"there is no field {unknown}")
        for field, (write, is_required) in self.fields.items():
            if field in row:
                members.append(f".{field} = {write(row[field], context)}")
            elif is_required:
                raise Fault(f"lacks {field}")
        return "{" + ", ".join(members) + "}"

    def before(self, rows):
        """What stands before the table."""
        return ()


class Sentences(Kind):
    def __init__(self):
        super().__init__("Sentence", "sentence_table", "catalogue/tables.h", {})

    def row(self, name, row, context):
        return f"{{{quoted(name)}, {phrase(row, context)}}}"


class Words(Kind):
    """A list of texts."""

    def __init__(self, table, header):
        super().__init__("std::string_view", table, header, {})

    def row(self, name, row, context):
        return text(row, context)


class Translations(Kind):
    """A table of its own for each language."""

    def __init__(self):
        super().__init__("std::span<const Translation>", "translation_tables", "catalogue/tables.h", {})

    def row(self, name, row, context):
        return f"kTranslations_{name}"

    def before(self, rows):
        for name, row in rows:
            pairs = ", ".join(f"{{{quoted(english)}, {quoted(other)}}}" for english, other in row.items())
            yield f"constexpr Translation kTranslations_{name}[] = {{{pairs}}};"


class Opens(Kind):
    """The libraries of one loader, which rows of `loaders` name."""

    LIBRARY = {
        "names": (words, True),
        "folder": (words, False),
        "importance": (enumerator("Importance"), False),
        "when": (enumerator("KnownWhen"), False),
        "only_if_named": (text, False),
        "from_release": (text, False),
        "to_release": (text, False),
        "wheel": (text, False),
        "device": (enumerator("KnownDevice"), False),
        "is_by_name_else": (flag, False),
    }

    def __init__(self):
        super().__init__("KnownOpen", None, "dlopen/known_loaders.h", self.LIBRARY)

    def row(self, name, row, context):
        libraries = ", ".join(super(Opens, self).row("", library, context) for library in row["libraries"])
        return f"constexpr KnownOpen kOpens_{symbol(name)}[] = {{{libraries}}};"


def symbol(name):
    return name.replace("-", "_")


def moment(value, _):
    if isinstance(value, dict) and len(value) == 1 and value.keys() <= {"before", "after"}:
        (side, module), = value.items()
        return f"{{KnownMoment::Side::{pascal(side)}, {quoted(module)}}}"
    raise Fault("when it happens is { before = MODULE } or { after = MODULE }")


class Imports(Kind):
    """What a package does while it is imported, which rows of `loaders` name."""

    def __init__(self):
        super().__init__("KnownImport", None, "dlopen/known_loaders.h", {
            "module": (text, False),
            "is_first_global": (flag, False),
            "tries_first_again": (flag, False),
            "others_only_if_loaded": (text, False),
            "ends_at_missing": (flag, False),
            "missing": (text, False),
            "catches_failures": (flag, False),
            "other_cuda": (text, False),
            "compares_cuda_minor": (flag, False),
            "without_module": (text, False),
            "provides": (words, False),
            "unless_variable": (text, False),
            "opens_at": (moment, False),
            "imports_at": (moment, False),
            "modules": (words, False),
            "missing_wheel": (text, False),
        })

    def row(self, name, row, context):
        return f"constexpr KnownImport kImports_{symbol(name)} = {super().row(name, row, context)};"


class Commands(Kind):
    """A subcommand, with its examples and the texts of its options."""

    def __init__(self):
        super().__init__("tool::CommandWords", "command_words", "command_words.h", {})

    def before(self, rows):
        for name, row in rows:
            examples = [[one["command"]] for one in row.get("examples", ())]
            options = [[option, one.get("group", "options")] for option, one in row.get("options", {}).items()]
            texts_of = {"Example": (examples, row.get("examples", ())), "OptionWords": (options, row.get("options", {}).values())}
            for type_, (heads, ones) in texts_of.items():
                written = [", ".join([*map(quoted, head), phrase(sides(one), None)]) for head, one in zip(heads, ones)]
                if written:
                    yield f"constexpr tool::{type_} k{type_}_{name}[] = {{{', '.join(f'{{{one}}}' for one in written)}}};"

    def row(self, name, row, context):
        for option, one in row.get("options", {}).items():
            if ("groups", one.get("group", "options")) not in context.names:
                raise Fault(f"{option}: there is no group {one['group']}")
            try:
                phrase(sides(one), context)
            except Fault as fault:
                raise Fault(f"{option}: {fault}") from fault
        has_words = name not in ("soresolve", "shared")
        texts_of = [phrase(row[field], context) if has_words else "{}" for field in ("summary", "description")]
        lists = [f"{prefix}_{name}" if row.get(field) else "{}" for field, prefix in
                 (("examples", "kExample"), ("options", "kOptionWords"))]
        return f"{{{quoted(name)}, {', '.join(texts_of + lists)}}}"


def sides(row):
    """The text of a row that has other fields, too."""
    return {side: row[side] for side in ("en", "zh") if side in row}


class Groups(Kind):
    def __init__(self):
        super().__init__("tool::GroupWords", "group_words", "command_words.h", {})

    def row(self, name, row, context):
        return f"{{{quoted(name)}, {phrase(row, context)}}}"


def named_in(kind, prefix):
    def write(value, context):
        if (kind, value) not in context.names:
            raise Fault(f"there is no {kind}.{value}")
        return f"{prefix}{symbol(value)}"
    return write


KINDS = {
    "sentences": Sentences(),
    "problems": Kind("ProblemRow", "problem_rows", "catalogue/problem_rows.h", {
        "code": (lambda value, _: f"ProblemCode::{value}", True),
        "meaning": (phrase, True),
        "help": (phrase, True),
    }),
    "translations": Translations(),
    "messages": Kind("KnownMessage", "known_messages", "soresolve/catalogue.h", {
        "problem": (problem_code, False),
        "printer": (name_or_phrase, True),
        "patterns": (patterns, True),
        "cause": (phrase, True),
        "proof": (phrase, True),
        "next": (phrase, True),
        "command": (text, False),
        "fix": (text, False),
        "variable": (text, False),
        "lookup": (enumerator("Lookup"), False),
        "weight": (enumerator("Weight"), False),
        "is_of_cuda": (flag, False),
        "is_general": (flag, False),
        "source": (text, True),
    }, key="id"),
    "opens": Opens(),
    "imports": Imports(),
    "loaders": Kind("KnownLoader", "known_loaders", "dlopen/known_loaders.h", {
        "title": (text, True),
        "recognised_by": (text, False),
        "package": (words, False),
        "from_release": (text, False),
        "to_release": (text, False),
        "evidence": (enumerator("Confidence"), False),
        "script": (text, False),
        "source": (text, True),
        "opens": (named_in("opens", "kOpens_"), False),
        "import": (named_in("imports", "&kImports_"), False),
        "brought_by": (text, False),
    }),
    "passed": Kind("PassedRow", "passed_rows", "cuda/driver_rows.h", {
        "begins": (text, True),
        "capability": (text, False),
        "since": (text, False),
        "is_in_apptainer": (flag, False),
        "apptainer_since": (text, False),
    }),
    "capabilities": Words("driver_capabilities", "cuda/driver_rows.h"),
    "driver_files": Kind("DriverFileRow", "driver_files", "cuda/driver_rows.h", {
        "stem": (text, True),
        "number": (text, False),
        "from": (number, True),
        "to": (number, False),
        "glibc": (texts, True),
        "needs": (words, False),
    }),
    "passing": Kind("PassingRow", "passing_rows", "cuda/driver_rows.h", {
        "mode": (enumerator("DriverMode"), True),
        "since": (text, True),
        "compat": (enumerator("CompatRule"), True),
        "sets_path_behind_image": (flag, False),
        "source": (text, True),
    }),
    "driver_symbols": Kind("DriverSymbols", "driver_symbols", "cuda/driver_rows.h", {
        "driver": (text, True),
        "source": (text, True),
        "names": (words, True),
    }),
    "runtime_additions": Kind("RuntimeAddition", "runtime_additions", "symbols/cuda_releases.h", {
        "release": (text, True),
        "names": (words, True),
    }),
    "soname_releases": Kind("SonameRelease", "soname_releases", "symbols/cuda_releases.h", {
        "stem": (text, True),
        "number": (text, True),
        "release": (text, True),
    }),
    "numbered_like_cuda": Words("numbered_like_cuda", "symbols/cuda_releases.h"),
    "frameworks": Kind("FrameworkRow", "framework_rows", "doctor/framework_rows.h", {
        "name": (text, True),
        "packages": (texts, True),
        "libraries": (texts, False),
        "code": (text, False),
        "build_file": (text, False),
        "version_key": (text, False),
        "cuda_key": (text, False),
        "cudnn_key": (text, False),
        "load": (enumerator("FrameworkLoad"), True),
        "opens": (text, False),
        "families": (words, False),
        "extra": (text, False),
        "wheels_since": (text, False),
    }),
    "hosts": Kind("HostRow", "host_rows", "diagnose/hosts.h", {
        "title": (text, True),
        "programs": (text, True),
        "modules": (text, True),
        "symbols": (text, False),
        "opens": (enumerator("HostOpens"), True),
        "variable": (text, False),
        "says": (text, True),
        "reads": (texts, False),
        "is_name_derived": (flag, False),
        "name_prefix": (text, False),
        "name_suffix": (text, False),
        "package_after": (text, False),
        "package_before": (text, False),
        "is_nested": (flag, False),
        "installer": (text, False),
        "again": (text, False),
        "for_glibc": (text, False),
        "for_musl": (text, False),
        "libcs": (text, False),
        "systems": (text, False),
        "for_system": (text, False),
        "plugin_file": (text, False),
        "plugin_places": (text, False),
        "source": (text, True),
    }),
    "packages": Kind("PackageRow", "package_rows", "packages/what_brings.h", {
        "stem": (text, True),
        "number": (text, False),
        "product": (text, True),
        "wheels": (texts, False),
        "conda": (text, False),
    }),
    "groups": Groups(),
    "commands": Commands(),
    "debian": Kind("DebianRow", "debian_rows", "packages/what_brings.h", {
        "soname": (text, True),
        "package": (text, True),
    }),
}


class Context:
    """All inputs together."""

    def __init__(self, paths):
        self.rows = []  # kind, name, row, path, line
        self.phrases = {}
        self.codes = {}  # of problems, by name
        self.names = set()  # (kind, name)
        for path in paths:
            with open(path, "rb") as file:
                try:
                    data = tomllib.load(file)
                except tomllib.TOMLDecodeError as error:
                    sys.exit(f"{path}: {error}")
            lines = lines_of_rows(path)
            phrases = data.pop("phrases", {})
            for name in phrases.keys() & self.phrases.keys():
                sys.exit(f"{path}:{lines['phrases', name]}: phrases.{name}: stands in another file, too")
            self.phrases |= phrases
            self.codes |= {name: row.get("code") for name, row in data.get("problems", {}).items()}
            defaults = data.pop("defaults", {})
            for kind in defaults.keys() - data.keys():
                sys.exit(f"{path}: defaults.{kind}: no row of this file is of that kind")
            for kind, rows in data.items():
                if isinstance(rows, list):
                    rows = {str(number): row for number, row in enumerate(rows)}
                for name, row in rows.items():
                    row = defaults[kind] | row if kind in defaults else row
                    self.names.add((kind, name))
                    self.rows.append((kind, name, row, path, lines.get((kind, name), 1)))


def lines_of_rows(path):
    """(top-level key, name or number): line of the row, which has a header or is an inline table of its own line.
    tomllib does not say."""
    lines, counts, is_inside, array = {}, {}, False, None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            header = None if is_inside else re.match(r'\[+([\w-]+)(?:\.("[^"]*"|[\w-]+))?\]', line)
            begins = re.match(r"([\w-]+) = \[", line)
            array = begins[1] if begins else None if header or line.startswith("]") else array
            if array and re.match(r"\s+\{", line):
                lines[array, str(counts.setdefault(array, 0))] = number
                counts[array] += 1
            if header:
                name = header[2].strip('"') if header[2] else str(counts.setdefault(header[1], 0))
                counts[header[1]] = counts.get(header[1], 0) + 1
                lines.setdefault((header[1], name), number)
            if line.count('"""') % 2 or line.count("'''") % 2:
                is_inside = not is_inside
    return lines


def hash_of_name(name):
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


def slots_of(names):
    slots = [0] * (1 << (2 * len(names) - 1).bit_length())
    for number, name in enumerate(names, 1):
        at = hash_of_name(name)
        while slots[at % len(slots)]:
            at += 1
        slots[at % len(slots)] = number
    return slots


def source(context):
    """The C++ of all tables."""
    tables, seen, faults = {}, {}, []
    for kind, name, row, path, line in context.rows:
        where = f"{path}:{line}"
        try:
            if kind not in KINDS:
                raise Fault("there is no such kind of table")
            if (kind, name) in seen:
                raise Fault(f"stands in {seen[kind, name]}, too")
            written = f'#line {line} "{path}"\n    {KINDS[kind].row(name, row, context)},'
            tables.setdefault(kind, []).append((name, row, written))
        except Fault as fault:
            faults.append(f"{where}: {kind}.{name}: {fault}")
        seen[kind, name] = where
    if faults:
        sys.exit("\n".join(faults))
    lines = [f'#include "{header}"' for header in sorted({KINDS[kind].header for kind in tables})]
    lines += ["", "namespace soresolve {"]
    for kind, rows in tables.items():
        table, constant = KINDS[kind], f"k{kind.capitalize()}Table"
        if table.table is None:
            lines += ["namespace {", *(written.strip().removesuffix(",") for *_, written in rows), "}  // namespace"]
            continue
        lines += ["namespace {", *table.before([(name, row) for name, row, _ in rows]),
                  f"constexpr {table.type} {constant}[] = {{", *(written for *_, written in rows), "};"]
        if kind == "sentences":
            slots = ", ".join(map(str, slots_of([name for name, *_ in rows])))
            lines += [f"constexpr std::uint16_t kSentenceSlots[] = {{{slots}}};", "}  // namespace",
                      f"SentenceTable {table.table}() {{ return {{{constant}, kSentenceSlots}}; }}"]
        else:
            scope = "tool::" if table.type.startswith("tool::") else ""
            lines += ["}  // namespace", f"std::span<const {table.type}> {scope}{table.table}() {{ return {constant}; }}"]
    return "\n".join([*lines, "}  // namespace soresolve", ""])


def main():
    output, *paths = sys.argv[1:]
    written = source(Context(paths))
    with open(output, "w", encoding="utf-8") as file:
        file.write(written)


if __name__ == "__main__":
    main()
