"""Random small programs of Python, each of which ends in a way that reveals its values.

A program is some features of FEATURES, carried out one after the other on variables of known types, and an end. A new
feature is one function with @feature; it writes statements with maker.emit(), and expressions with maker.of(TEMPLATE),
where $int, $str, $list … stand for a random expression of that type and $INT, $STR … for a variable. What is made depends on
the seed, the release of Python and the features that are wanted alone: only Random.random() is called, whose results no
release of Python has changed."""
import contextlib
import random
import re
import textwrap

FEATURES = {}


class Feature:
    def __init__(self, make, since, is_open):
        self.make, self.since, self.is_open = make, since, is_open


def feature(since=9, is_open=False):
    """`since`: the first release, as the number behind "3."; `is_open`: it has what cannot be known beforehand."""
    def add(make):
        FEATURES[make.__name__] = Feature(make, since, is_open)
        return make
    return add


# Literals that expressions end in.
LEAVES = {
    "int": ["0", "1", "2", "3", "7", "-1", "-5", "10", "255", "2**31", "2**32", "2**63", "-2**63", "2**64 - 1", "10**20", "0x1f", "1_000"],
    "small": ["0", "1", "2", "3", "5"],
    "nonzero": ["1", "2", "3", "-2", "7", "10"],
    "bool": ["True", "False"],
    "str": ["''", "'a'", "'b'", "'abc'", "'lib.so.1'", "'x y'", "'A,b,,c'", "'%d'", "'é'", "\"it's\"", "'\\n'", "'12'", "'aXbX'"],
    "word": ["'a'", "'b'", "'c'", "'ab'", "'key'", "','", "'X'"],
    "bytes": ["b''", "b'a'", "b'\\x00\\xff'", "b'lib'"],
    "list": ["[]", "[1]", "[1, 2]", "[3, 1, 2]", "[0, 0, 5]", "[-1, 4]"],
    "strs": ["[]", "['a']", "['b', 'a']", "['a', 'b', 'c']", "['lib', '']"],
    "tuple": ["()", "(1,)", "(1, 2)", "(3, 1, 2)"],
    "set": ["set()", "{1}", "{1, 2}", "{2, 1, 2}"],
    "frozenset": ["frozenset()", "frozenset({1, 3})"],
    "dict": ["{}", "{'a': 1}", "{'a': 1, 'b': 2}", "{'c': 3, 'a': 0}"],
    "nested": ["{'a': [1]}", "{'a': [1], 'b': []}"],
    "none": ["None"],
}
# Expressions of a type.
PARTS = {
    "int": ["($int + $int)", "($int - $int)", "($int * $int)", "($int // $nonzero)", "($int % $nonzero)", "($int & $int)", "($int | $int)",
            "($int ^ $int)", "($int >> $small)", "(($int % 1000) << $small)", "-$int", "~$int", "abs($int)", "len($list)", "len($str)",
            "len($dict)", "len($set)", "len($tuple)", "len($bytes)", "len($strs)", "sum($list)", "sum($tuple, $int)", "max($int, $int)",
            "min($int, $int)", "max($list, default=$int)", "min($list, default=0)", "$str.find($word)", "$str.count($word)",
            "$list.count($int)", "int($bool)", "int('12')", "int('ff', 16)", "pow($small, $small)",
            "($int % 7) ** $small", "divmod($int, $nonzero)[$bool]", "($int if $bool else $int)", "$dict.get($word, $int)", "($int or $int)",
            "($bool and $int)", "next(iter($list), $int)", "$int.bit_length()", "(lambda x: x + $int)($int)", "ord(($str or 'q')[0])",
            "($list or [$int])[-1]", "($list + [$int])[0]", "$tuple.count($int)", "($tuple + ($int,))[0]", "len($set | $set)",
            "len($set & $set)", "len($frozenset)", "round($int)", "sum(x for x in $list if x)", "sum(1 for _ in $strs)",
            "[$int, $int][$bool]", "len(range($small, $int % 10))", "len(repr($str))", "$list.index($int) if False else $int",
            "($bytes or b'z')[0]", "sum(map(int, ['1', '2']))", "sum([a * b for a, b in zip($list, $list)])", "len($nested['a'])",
            "$strs.index('a') if 'a' in $strs else -1"],
    "bool": ["($int == $int)", "($int < $int)", "($int >= $int)", "($int != $int)", "(not $bool)", "($bool and $bool)", "($bool or $bool)",
             "($str == $str)", "($str < $str)", "($str in $str)", "($word in $dict)", "($int in $list)", "($int not in $tuple)", "($int in $set)",
             "($word in $strs)", "($list == $list)", "($list == $tuple)", "($tuple == $tuple)", "($set == $set)", "($set <= $set)",
             "($dict == $dict)", "($tuple < $tuple)", "($list < $list)", "($list is None)", "(None is None)", "($str is not None)",
             "($list == [])", "bool($list)", "bool($str)", "bool($int)", "bool($dict)", "any($list)", "all($list)", "any(x > 1 for x in $list)",
             "all(x < 5 for x in $tuple)", "isinstance($int, int)", "isinstance($bool, int)", "isinstance($str, (bytes, str))",
             "isinstance($list, tuple)", "($int < $int < $int)", "(0 <= $int <= $int != 3)", "$str.startswith($word)", "$str.endswith(($word, $word))",
             "$str.isdigit()", "$str.isidentifier()", "callable($int)", "callable(len)", "hasattr($str, 'upper')", "hasattr($list, 'keys')",
             "($frozenset == $set)", "($bytes == $bytes)", "(type($list) is list)", "(type($int) == type($bool))", "($set.isdisjoint($set))",
             "(1 == True)", "(1 == 1.0)", "($bool is True)", "($int == $str)", "($bytes == $str)"],
    "str": ["($str + $str)", "($word * $small)", "$str.upper()", "$str.lower()", "$str.strip()", "$str.replace($word, $word)", "$str.title()",
            "$str[$small:]", "$str[:$small]", "$str[::-1]", "$str[-2:]", "$str[1:-1]", "str($int)", "str($bool)", "repr($str)", "str($list)", "repr($tuple)",
            "repr($list)", "repr($dict)", "repr($bytes)", "repr($strs)", "str(None)", "','.join($strs)", "''.join(sorted($str))", "$str.partition($word)[0]",
            "$str.rpartition($word)[2]", "($str or $str)", "($str if $bool else $str)", "'%s' % $str", "'%d' % $int", "'%r' % ($str,)",
            "'%s-%05d' % ($str, $int)", "'%x' % abs($int)", "'{}-{}'.format($int, $str)", "'{0}{1!r}{0}'.format($word, $str)", "'{a:>4}'.format(a=$word)",
            "f'{$INT}'", "f'{$STR}!'", "f'{$STR!r:>6}'", "f'{$INT:04d}'", "f'{$INT:x}'", "f'{len($STR)}:{$INT}'", "f'{{{$INT}}}'", "f'{$INT=}'",
            "str($str)", "$str.split($word)[0]", "$str.zfill($small)", "$str.ljust(4, '.')", "$str.center(5)", "$str.lstrip('a')", "$str.removeprefix('a')",
            "$str.capitalize()", "$str.swapcase()", "type($list).__name__", "type($int).__name__", "chr(97 + $small)", "hex($int)", "bin($int)",
            "$bytes.decode('latin-1')", "$bytes.hex()", "max($strs, default='')", "repr(sorted($set))", "str($int)[-1]", "'%s' % ($list,)", "'%(a)s' % {'a': $int}",
            "str($tuple)", "ascii($str)", "repr(None)", "' '.join(str(x) for x in $list)", "$word.join(map(str, $tuple))", "'ab'[$bool]", "'%-4s|' % $word", "'%3d%%' % ($int % 100)"],
    "bytes": ["($bytes + $bytes)", "$bytes[::-1]", "$str.encode()", "$bytes[:$small]", "bytes([1, 2])", "bytes($small)", "($bytes or b'n')", "$bytes.replace(b'a', b'bc')"],
    "list": ["($list + $list)", "$list[$small:]", "$list[:$small]", "$list[::-1]", "$list[::2]", "sorted($list)", "sorted($list, reverse=True)",
             "list($tuple)", "list(range($small))", "list(range($small, -2, -1))", "list(reversed($list))", "[x + $int for x in $list]", "[x for x in $list if x > $int]",
             "[x * y for x in $list for y in $tuple]", "list(map(abs, $list))", "list(filter(None, $list))", "($list or $list)", "($list if $bool else $list)",
             "[$int, $int]", "[*$list, $int]", "sorted($set)", "list($dict.values())", "($list * 2)", "$list.copy()", "[len(s) for s in $strs]",
             "[i for i, x in enumerate($list) if x]", "[a - b for a, b in zip($list, $tuple)]", "list(filter(lambda x: x % 2, $list))", "sorted($list, key=lambda x: -x)",
             "[int(c) for c in str(abs($int))]", "[y for x in [$list, $list] for y in x]", "[x for x in range(10) if x % 3 == $small]", "list($bytes)", "[i * s for i, s in enumerate($list, 1)]"],
    "strs": ["($strs + $strs)", "$str.split()", "$str.split($word)", "sorted($strs)", "[s.upper() for s in $strs]", "list($dict)", "list($str)", "sorted($dict)",
             "[str(x) for x in $list]", "$str.splitlines()", "$str.split(',', 1)", "[$str, $str]", "$strs[::-1]", "list(map(str.upper, $strs))", "$str.rsplit('.', 1)",
             "[k for k, v in $dict.items() if v]", "sorted($strs, key=len)", "[a + b for a, b in zip($strs, $str)]", "[f'{i}{s}' for i, s in enumerate($strs)]"],
    "tuple": ["($tuple + $tuple)", "tuple($list)", "$tuple[::-1]", "$tuple[1:]", "($int, $int)", "($int,)", "(*$list, $int)", "tuple(sorted($tuple))", "tuple(x for x in $list)", "divmod($int, $nonzero)"],
    "set": ["($set | $set)", "($set & $set)", "($set - $set)", "($set ^ $set)", "set($list)", "{x % 3 for x in $list}", "{$int, $int}", "set($tuple)", "set(range($small))"],
    "frozenset": ["frozenset($list)", "($frozenset | $set)", "frozenset($tuple)"],
    "dict": ["{**$dict, $word: $int}", "dict($dict)", "dict(a=$int)", "{k: v + 1 for k, v in $dict.items()}", "dict(zip($strs, $list))", "{$word: $int, $word: $int}", "$dict.copy()",
             "{s: len(s) for s in $strs}", "dict([($word, $int)])", "($dict or {'z': $int})", "dict($dict, b=$int)", "($dict | $dict)", "dict.fromkeys($strs, $int)"],
    "nested": ["{'a': $list}", "{'a': $list, $word: $list}", "dict($nested)", "{'a': [], **$nested}"],
    "none": ["[].append($int)", "print", "{}.get('none')"],
    "small": ["($int % 4)", "len($word)"],
    "nonzero": ["(abs($int) + 1)", "(len($list) + 1)"],
    "word": ["($word or 'a')", "($word if $bool else $word)"],
}
PARTS["none"].remove("print")
TYPES = ["int", "bool", "str", "bytes", "list", "strs", "tuple", "set", "frozenset", "dict", "nested"]
# How a value of the type is shown so that it does not depend on the order of a set.
SHOWN = {"set": "sorted(%s)", "frozenset": "sorted(%s)"}


class Maker:
    """What has been written of a program, and the variables that are there at this point."""

    def __init__(self, seed, minor):
        self.random = random.Random(seed)
        self.minor = minor
        self.files = {}  # a path: its lines
        self.lines = self.files["main.py"] = []
        self.indent = 0
        self.count = 0
        self.names = {}  # a type: variables of it
        self.shown = []  # expressions whose values make a difference
        self.imported = set()

    # Choices.
    def below(self, end):
        return int(self.random.random() * end)

    def chance(self, share):
        return self.random.random() < share

    def pick(self, some):
        return some[self.below(len(some))]

    def some(self, all_of_them, count):
        left = list(all_of_them)
        return [left.pop(self.below(len(left))) for _ in range(min(count, len(left)))]

    # Writing.
    def emit(self, text):
        for line in textwrap.dedent(text).strip("\n").split("\n"):
            self.lines.append("    " * self.indent + line)

    def write(self, template, **names):
        """Statements: `{name}` are those given, $int … random expressions."""
        for name, value in names.items():
            template = template.replace("{" + name + "}", value)
        self.emit(self.of(textwrap.dedent(template)))

    @contextlib.contextmanager
    def block(self, head):
        """What is assigned in it is not counted on behind it."""
        self.emit(head)
        names, shown = {kind: list(some) for kind, some in self.names.items()}, list(self.shown)
        self.indent += 1
        length = len(self.lines)
        yield
        if len(self.lines) == length:
            self.emit("pass")
        self.indent -= 1
        self.names, self.shown = names, shown

    @contextlib.contextmanager
    def file(self, path):
        lines, indent, names, shown, imported = self.lines, self.indent, self.names, self.shown, self.imported
        self.lines, self.indent, self.names, self.shown, self.imported = self.files.setdefault(path, []), 0, {}, [], set()
        self.let("int", 0)
        self.let("str", 0)
        yield
        self.lines, self.indent, self.names, self.shown, self.imported = lines, indent, names, shown, imported

    def imports(self, statement):
        if statement not in self.imported:
            self.lines.insert(0, statement)
            self.imported.add(statement)

    # Names and expressions.
    def name(self, prefix="v"):
        self.count += 1
        return f"{prefix}{self.count}"

    def has(self, kind, name):
        self.names.setdefault(kind, []).append(name)
        self.show(SHOWN.get(kind, "%s") % name)
        return name

    def show(self, expression):
        self.shown.append(expression)

    def let(self, kind, depth=2):
        """A new variable."""
        name = self.name(kind[0])
        self.emit(f"{name} = {self.value(kind, depth)}")
        return self.has(kind, name)

    def variable(self, kind):
        return self.pick(self.names[kind]) if self.names.get(kind) else self.let(kind, 1)

    def value(self, kind, depth=2):
        if self.names.get(kind) and self.chance(0.35):
            return self.pick(self.names[kind])
        if depth <= 0 or self.chance(0.2):
            return self.pick(LEAVES[kind])
        return self.of(self.pick(PARTS[kind]), depth - 1)

    def of(self, template, depth=1):
        def found(match):
            kind = match[1]
            if kind.islower():
                text = self.value(kind, depth)
                # -1.bit_length() and 1.bit_length() are not what they seem to be.
                follows = template[match.end():match.end() + 1]
                is_plain = re.fullmatch(r"\w+|\(.*\)|'[^']*'", text) and not text[0].isdigit()
                return text if is_plain or follows not in (".", "[", "*", " ") or text[0] in "[{" else f"({text})"
            return self.pick(self.names[kind.lower()])
        return re.sub(r"\$([a-zA-Z]+)", found, template)


class Program:
    def __init__(self, seed, files, features, is_open):
        self.seed, self.files, self.features, self.is_open = seed, files, features, is_open


def text_of(files):
    return "".join(f"# {path}\n{source}" if len(files) > 1 else source for path, source in sorted(files.items()))


def make_program(seed, minor, wanted=()):
    maker = Maker(seed, minor)
    known = {name: one for name, one in FEATURES.items() if one.since <= minor and (not wanted or name in wanted)}
    closed = [name for name, one in known.items() if not one.is_open]
    opened = [name for name, one in known.items() if one.is_open]
    names = maker.some(closed, 1 + maker.below(4))
    if opened and (not closed or maker.chance(0.15)):
        names.insert(maker.below(len(names) + 1), maker.pick(opened))
    maker.let("int", 0)
    maker.let("str", 0)
    for kind in maker.some(TYPES, 1 + maker.below(3)):
        maker.let(kind, 1)
    for name in names:
        known[name].make(maker)
    end(maker)
    files = {path: "\n".join(lines) + "\n" if lines else "" for path, lines in maker.files.items()}
    return Program(seed, files, names, any(known[name].is_open for name in names))


def end(maker):
    shown = maker.shown[-12:] or ["0"]
    kind = maker.below(10)
    if kind < 4:
        maker.emit(f"raise ImportError(repr([{', '.join(shown)}]))")
    elif kind < 6:
        few = maker.some(shown, 4)
        maker.emit(f"raise ImportError({' '.join('%r' for _ in few)!r} % ({', '.join(few)},))")
    elif kind < 8:
        for number in range(3):
            maker.write(f"if $bool: raise ImportError('k{number}')")
        for number, one in enumerate(maker.some(shown, 2)):
            maker.emit(f"if {one}: raise ImportError('t{number}')")
    elif kind < 9:
        maker.imports("import ctypes")
        maker.emit(f"if {maker.pick(shown)}:\n    ctypes.CDLL('libnosuch_a.so')")
        maker.write("if $bool:\n    ctypes.CDLL('libnosuch_b.so')\nelse:\n    ctypes.CDLL('libm.so.6')")


# What follows are the features.


@feature()
def expressions(maker):
    for kind in maker.some(TYPES, 3):
        maker.let(kind, 3)


@feature()
def numbers(maker):
    for _ in range(3):
        maker.let("int", 4)


@feature()
def strings(maker):
    for _ in range(3):
        maker.let("str", 3)
    maker.let("strs", 3)


@feature()
def formatting(maker):
    maker.let("int")
    maker.let("str")
    for template in maker.some([one for one in PARTS["str"] if "%" in one or "format" in one or one.startswith("f'")], 3):
        name = maker.name("s")
        maker.emit(f"{name} = {maker.of(template)}")
        maker.has("str", name)


@feature()
def conditions(maker):
    for _ in range(3):
        maker.let("bool", 3)


@feature()
def slices(maker):
    for kind in ("list", "str", "tuple"):
        name = maker.name(kind[0])
        bounds = [maker.pick(["", "0", "1", "-1", "2", "-2", "10", "-10", "None"]) for _ in range(2)]
        step = maker.pick(["", ":", ":1", ":-1", ":2", ":-2"])
        maker.emit(f"{name} = {maker.variable(kind)}[{':'.join(bounds)}{step}]")
        maker.has(kind, name)


@feature()
def aliases(maker):
    one, other = maker.variable("list"), maker.name("b")
    maker.emit(f"{other} = {one}")
    maker.has("list", other)
    for _ in range(2):
        maker.write(maker.pick([
            "{b}.append($int)", "{b}.insert(0, $int)", "{b}.extend($list)", "{b} += [$int]", "{b}[:] = $list", "{b}.sort()", "{b}.reverse()",
            "{b} = {b} + [$int]", "{b}.clear()", "if {b}: {b}.pop()", "if {b}: {b}[0] = $int", "{b}[1:] = $list", "{b}[:1] = [$int, $int]",
            "if {b}: {b}.remove({b}[0])", "{b} *= 2", "{b}[len({b}):] = [7]"]), b=maker.pick([one, other]))
    maker.show(f"{one} is {other}")
    maker.show(f"len({one})")


@feature()
def dict_aliases(maker):
    one, other = maker.variable("dict"), maker.name("e")
    maker.emit(f"{other} = {one}")
    maker.has("dict", other)
    for _ in range(2):
        maker.write(maker.pick([
            "{e}[$word] = $int", "{e}.update($dict)", "{e}.setdefault($word, $int)", "{e}.pop($word, None)", "{e}.clear()", "{e} |= $dict",
            "{e}['a'] = {e}.get('a', 0) + 1", "if 'a' in {e}: del {e}['a']", "if {e}: {e}.popitem()", "{e}.update(a=$int)"]), e=maker.pick([one, other]))
    maker.show(f"{one} is {other}")
    maker.show(f"list({one}.items())")


@feature()
def set_aliases(maker):
    one, other = maker.variable("set"), maker.name("z")
    maker.emit(f"{other} = {one}")
    maker.has("set", other)
    for _ in range(2):
        maker.write(maker.pick(["{z}.add($int)", "{z}.discard($int)", "{z} |= $set", "{z}.update($list)", "{z} &= $set", "{z} -= $set", "{z}.clear()",
                                "{z} = {z} | {5}", "{z}.difference_update($list)"]), z=maker.pick([one, other]))
    maker.show(f"{one} is {other}")


@feature()
def nested_aliases(maker):
    outer, inner = maker.variable("nested"), maker.name("n")
    maker.write("{n} = {o}.setdefault($word, [])", o=outer, n=inner)
    maker.has("list", inner)
    maker.write(maker.pick(["{n}.append($int)", "{o}['a'] = {n}", "{n} += $list", "{o}.update(b={n})"]), o=outer, n=inner)
    maker.write(maker.pick(["{o}.get('a', []).append($int)", "{n}.append(9)", "for k in {o}: {o}[k].append(1)", "del {o}[next(iter({o}))]"]), o=outer, n=inner)
    if maker.chance(0.5):
        table = maker.name("t")
        maker.emit(f"{table} = [{maker.pick(['[0] * 2', '[]', '[1]'])}] * 2")
        maker.write("{t}[0].append($int)\n{t}.append([$int])\n{t}[-1] += [1]", t=table)
        maker.show(table)


@feature()
def functions(maker):
    name = maker.name("f")
    kinds = [maker.pick(TYPES) for _ in range(1 + maker.below(2))]
    parameters = [maker.name("p") for _ in kinds]
    result = maker.pick(TYPES)
    with maker.block(f"def {name}({', '.join(parameters)}):"):
        for kind, parameter in zip(kinds, parameters):
            maker.names.setdefault(kind, []).append(parameter)
        if maker.chance(0.5):
            maker.let(maker.pick(TYPES))
        if maker.chance(0.4):
            with maker.block(maker.of("if $bool:")):
                maker.emit(f"return {maker.value(result)}")
        maker.emit(f"return {maker.value(result)}")
    for _ in range(1 + maker.below(2)):
        value = maker.name("r")
        maker.emit(f"{value} = {name}({', '.join(maker.value(kind, 1) for kind in kinds)})")
        maker.has(result, value)


@feature()
def mutated_by_call(maker):
    name, one = maker.name("f"), maker.variable("list")
    with maker.block(f"def {name}(p, q=0):"):
        maker.write(maker.pick(["p.append(q)", "p += [q]", "p[:] = [q]", "p = p + [q]", "p.extend([q, q])", "p = [q]; p.append(1)", "p.insert(0, len(p))"]))
        maker.emit(maker.pick(["return p", "return len(p)", "return None", "pass"]))
    for _ in range(1 + maker.below(2)):
        value = maker.name("r")
        maker.write("{r} = {f}({l}, $int)", r=value, f=name, l=one)
        maker.show(value)
    maker.show(f"len({one})")
