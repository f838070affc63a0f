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
    """Shows what has become of the variables: as a text, by conditions, or by a library that is missing."""
    shown = maker.shown[-12:] or ["0"]
    kind = maker.below(10)
    if kind < 4:
        maker.emit(f"raise ImportError(repr([{', '.join(shown)}]))")
    elif kind < 5:
        few = maker.some(shown, 4)
        maker.emit(f"raise ImportError({' '.join('%r' for _ in few)!r} % ({', '.join(few)},))")
    elif kind < 8:
        for number, one in enumerate(maker.some(shown, 5)):
            form = maker.pick(["{}", "not {}", "len(str({})) % 2", "repr({}) > 'Z'", "str({}) < '4'", "{} == {other}", "{} != {other}", "{} in ({other}, 1, 'a')", "{} is None"])
            maker.emit(f"if {form.format(one, other=maker.pick(shown))}: raise ImportError('k{number}')")
        maker.write("if $bool: raise ImportError('k5')\nif $bool: raise ImportError('k6')")
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


@feature()
def recursion(maker):
    name = maker.name("f")
    maker.write(maker.pick([
        "def {f}(n):\n    return 1 if n < 2 else n * {f}(n - 1)", "def {f}(n):\n    if n <= 0:\n        return 0\n    return n + {f}(n - 2)",
        "def {f}(n, seen=()):\n    return len(seen) if n == 0 else {f}(n - 1, seen + (n,))"]), f=name)
    maker.show(f"{name}({maker.pick(['0', '1', '5', '9', '30'])})")


@feature()
def defaults(maker):
    name = maker.name("f")
    kind = maker.below(3)
    if kind == 0:
        maker.write("def {f}(x, seen=[]):\n    seen.append(x)\n    return {how}", f=name, how=maker.pick(["seen", "len(seen)", "list(seen)"]))
        for _ in range(2 + maker.below(2)):
            maker.write("{r} = {f}($int{rest})", r=maker.name("r"), f=name, rest=maker.pick(["", "", ", []", ", seen=[9]"]))
            maker.show(f"r{maker.count}")
    elif kind == 1:
        maker.write("def {f}(key, table={}):\n    table[key] = len(table)\n    return table", f=name)
        maker.write("{f}('a')\n{f}($word)", f=name)
        maker.show(f"{name}('z')")
    else:
        number = maker.variable("int")
        maker.write("def {f}(a={i}, b=$str, *, c=$int):\n    return (a, b, c)\n{i} = $int", f=name, i=number)
        maker.show(f"{name}({maker.pick(['', '1', 'b=2', '1, 2', 'c=3', '5, c=0', '*[1, 2]', '**dict(a=1, c=2)'])})")


@feature()
def keyword_arguments(maker):
    name = maker.name("f")
    maker.write("def {f}(a, b=2, *, c=3, **rest):\n    return [a, b, c, rest]", f=name)
    for _ in range(2):
        maker.show(maker.of(f"{name}({maker.pick(['1', 'a=1', '1, b=5', 'c=1, a=2', '1, z=$int', '1, c=$int, y=2', '**{chr(97): $int}', '1, **$dict', 'b=1, **dict(a=$int, q=1)'])})")
                   if maker.chance(0.7) else f"{name}(1)")


@feature()
def star_arguments(maker):
    name = maker.name("f")
    maker.write(maker.pick(["def {f}(*args):\n    return args", "def {f}(first, *args, last=0):\n    return (first, len(args), last)",
                            "def {f}(*args, **kw):\n    return [len(args), sorted(kw), sum(args)]", "def {f}(a, b, /, c=1):\n    return a + b + c"]), f=name)
    maker.show(maker.of(f"{name}({maker.pick(['1, 2', '*$list, 2, 3', '1, *$tuple', '*[1], *(2, 3)', '*range(2)', '1, 2, 3'])})"))


@feature()
def closures(maker):
    name, made = maker.name("make"), maker.name("c")
    kind = maker.below(4)
    if kind == 0:
        maker.write("def {m}(n):\n    def add(x):\n        return x + n\n    n = n + $int\n    return add\n{c} = {m}($int)", m=name, c=made)
        maker.show(maker.of(f"{made}($int)"))
    elif kind == 1:
        maker.write("def {m}():\n    kept = []\n    def add(x):\n        kept.append(x)\n        return kept\n    return add\n{c} = {m}()\n{c}($int)", m=name, c=made)
        maker.show(f"{made}(5)")
        maker.show(f"{name}()(6)")
    elif kind == 2:
        maker.write("{c} = [lambda{default}: i for i in range(3)]", c=made, default=maker.pick(["", " i=i"]))
        maker.show(f"[f() for f in {made}]")
    else:
        maker.write("{c} = []\nfor i in $list:\n    {c}.append(lambda x{default}: x + i)", c=made, default=maker.pick(["", ", i=i"]))
        maker.show(f"[f(10) for f in {made}]")


@feature()
def nonlocals(maker):
    name, made = maker.name("counter"), maker.name("c")
    maker.write("def {m}(n={start}):\n    def step():\n        {line}\n        n {sign}= {by}\n        return n\n    return step, lambda: n\n{c}, {c}_now = {m}()\n{c}()\n{c}()",
                m=name, c=made, start=maker.pick(["0", "5"]), line=maker.pick(["nonlocal n", "nonlocal n", "nonlocal n; n = n"]), sign=maker.pick(["+", "*", "-"]), by=maker.pick(["1", "2"]))
    maker.show(f"{made}()")
    maker.show(f"{made}_now()")


@feature()
def globals_changed(maker):
    name, number = maker.name("f"), maker.variable("int")
    maker.write("def {f}(x):\n    {how}global {i}\n    {i} {sign} x\n    return {i}\n" if maker.chance(0.7) else "def {f}(x):\n    {i} = x\n    return {i}\n",
                f=name, i=number, how=maker.pick(["", "'doc'\n    "]), sign=maker.pick(["=", "+="]))
    maker.show(maker.of(f"{name}($int)"))
    maker.show(number)
    if maker.chance(0.3):
        maker.show(maker.pick([f"globals().get('{number}')", f"'{number}' in globals()", "globals().get('not_there')", "'shadow' in dir()", "__name__", "__name__ == '__main__'"]))


@feature()
def unpacking(maker):
    names = [maker.name("u") for _ in range(3)]
    a, b, c = names
    maker.write(maker.pick([
        "{a}, {b}, {c} = $int, $str, $list", "{a}, *{b}, {c} = [1, 2, $int, 3]", "*{a}, {b}, {c} = 'abcd'", "({a}, {b}), {c} = (1, 2), $int", "{a} = {b} = {c} = $list",
        "[{a}, [{b}, *{c}]] = $int, [1, 2, 3]", "{a}, {b}, {c} = range(3)", "{a}, {b} = 1, 2\n{a}, {b} = {b}, {a}\n{c} = {a}", "{a}, {b}, {c} = sorted({'z': 1, 'y': 2, 'x': 3})",
        "{a} = {b} = []\n{a}.append(1)\n{c} = {b}", "{a}, {b}, {c} = {c0}, {c0}, 3", "for {a}, ({b}, {c}) in enumerate(zip('ab', [1, 2])): pass",
        "{a} = [0, 0]\n{b} = 0\n{b}, {a}[{b}] = 1, 5\n{c} = {a}"]), a=a, b=b, c=c, c0=maker.variable("list"))
    for name in names:
        maker.show(name)


@feature()
def deletion(maker):
    one, table = maker.variable("list"), maker.variable("dict")
    maker.write(maker.pick(["del {l}[:1]", "del {l}[::2]", "if {l}: del {l}[-1]", "if len({l}) > 1: del {l}[0], {l}[0]", "{d}['gone'] = 1\ndel {d}['gone']", "for key in list({d}):\n    del {d}[key]"]), l=one, d=table)
    if maker.chance(0.5):
        name = maker.name("x")
        maker.write("{x} = 1\ndel {x}\ntry:\n    {x}\n    {x}_there = True\nexcept NameError:\n    {x}_there = False", x=name)
        maker.show(f"{name}_there")


@feature()
def augmented(maker):
    for _ in range(2):
        kind, line = maker.pick([("int", "{v} += $int"), ("int", "{v} *= $small"), ("int", "{v} //= $nonzero"), ("int", "{v} -= 1"), ("int", "{v} |= $small"), ("int", "{v} <<= 3"), ("int", "{v} %= 7"),
                                 ("str", "{v} += $str"), ("str", "{v} *= $small"), ("list", "{v} += $list"), ("list", "{v} += $tuple"), ("list", "{v} += $str"), ("list", "{v} *= $small"),
                                 ("tuple", "{v} += ($int,)"), ("tuple", "{v} *= 2"), ("set", "{v} ^= $set"), ("bytes", "{v} += b'x'"), ("frozenset", "{v} |= $set"), ("strs", "{v} += 'xy'")])
        name = maker.variable(kind)
        before = maker.name("w")
        maker.write("{b} = {v}\n" + line, v=name, b=before)
        maker.show(f"{before} is {name}" if kind in ("list", "set", "strs") else f"{before} == {name}")


@feature()
def comprehensions(maker):
    for _ in range(2):
        name = maker.name("g")
        maker.write("{g} = " + maker.pick([
            "[(x, y) for x in $list for y in $strs if x]", "{k: [v, k] for k, v in $dict.items()}", "[[y + x for y in $tuple] for x in $list]", "sorted({len(x) for x in $strs})",
            "[x for x in $list if x if x > 1]", "{x: x ** 2 for x in range($small)}", "[a for a, *b in [(1, 2), (3,)]]", "[x for xs in $nested.values() for x in xs]",
            "[i if i % 2 else -i for i in $list]", "[s for s in $str if s.isalpha()]", "{v: k for k, v in $dict.items()}", "[y for x in $list if (y := x + 1) > 1]", "[x for x in 'ab' for x in x + 'c']"]), g=name)
        maker.show(name)


@feature()
def generators(maker):
    name = maker.name("gen")
    maker.write(maker.pick([
        "def {g}(n):\n    while n > 0:\n        yield n\n        n -= 1", "def {g}(n):\n    for i in range(n):\n        if i == 2:\n            return\n        yield i * $int",
        "def {g}(n):\n    yield from range(n)\n    yield from $list\n    return 5", "def {g}(n):\n    got = yield n\n    yield got", "def {g}(n):\n    x = yield from inner(n)\n    yield x\ndef inner(n):\n    yield n\n    return n + 1",
        "def {g}(n):\n    try:\n        yield n\n    finally:\n        done.append(n)\ndone = []"]), g=name)
    maker.show(f"list({name}({maker.pick(['0', '1', '3', '4'])}))")
    if maker.chance(0.5):
        one = maker.name("it")
        maker.write("{o} = {g}(3)\n{o}_a = next({o}, 'end')\n{o}_b = next({o}, 'end')\n{o}_c = list({o})", o=one, g=name)
        for part in "abc":
            maker.show(f"{one}_{part}")
    maker.show(f"sum(x or 0 for x in {name}(2))")


@feature()
def generator_expressions(maker):
    one = maker.name("it")
    maker.write("{o} = (x * 2 for x in $list if x)\n{o}_first = next({o}, None)\n{o}_rest = list({o})\n{o}_again = list({o})", o=one)
    for part in ("first", "rest", "again"):
        maker.show(f"{one}_{part}")
    maker.show(maker.of("any(x in $list for x in $tuple)"))
    maker.show(maker.of("'-'.join(s for s in $strs if s)"))
    maker.show(maker.of("next((x for x in $list if x > 100), $int)"))


@feature()
def iterators(maker):
    for _ in range(3):
        maker.show(maker.of(maker.pick([
            "list(zip($list, $str))", "list(enumerate($strs))", "list(enumerate($tuple, 1))", "list(map(lambda a, b: a + b, $list, $tuple))", "list(reversed($tuple))", "dict(enumerate($str))",
            "sorted(zip($tuple, $list))", "list(range(10, 0, -3))", "range(3) == range(0, 3)", "$int in range(10)", "list(filter(str.isalpha, $str))", "list(map(len, [$str, $list]))", "max($strs, key=len, default='')",
            "min((3, 'c'), (2, 'a'))", "sum([[1], [2]], [])", "list(zip(*[(1, 2), (3, 4)]))", "sorted($strs, key=lambda s: s[::-1])", "sorted([(2, 'b'), (1, 'z'), (2, 'a')])", "list(iter($list))", "range(5)[2:4]", "len(range(0, 10, 3))",
            "tuple(map(str, $tuple))", "list(zip($list, $list[1:]))"])))


@feature()
def lambdas(maker):
    name = maker.name("l")
    maker.write("{l} = lambda x, y=$int, *z: {body}", l=name, body=maker.pick(["x + y", "(x, y, z)", "[x] * 2 + list(z)", "x if y else z", "(lambda q: q + x)(y)"]))
    maker.show(maker.of(f"{name}({maker.pick(['$int', '1, 2', '1, 2, 3, 4', 'y=1, x=2'])})"))
    maker.show(maker.of("sorted($list, key=lambda v: (v % 2, v))"))


@feature()
def partials(maker):
    maker.imports("import functools")
    name, made = maker.name("f"), maker.name("p")
    maker.write("def {f}(a, b=2, *rest, **kw):\n    return (a, b, rest, sorted(kw))\n{p} = functools.partial({f}, {given})", f=name, p=made, given=maker.pick(["1", "b=5", "1, 2", "1, k=3", ""]).strip())
    maker.show(f"{made}({maker.pick(['7', '7, 8', 'q=1', ''])})" if maker.chance(0.8) else f"{made}.args")
    maker.show(maker.of("functools.reduce(lambda a, b: a * 2 + b, $list, 0)"))


@feature()
def decorators(maker):
    maker.imports("import functools")
    deco, name = maker.name("deco"), maker.name("f")
    maker.write(maker.pick([
        "def {d}(function):\n    @functools.wraps(function)\n    def wrapper(*args, **kw):\n        return [function(*args, **kw)]\n    return wrapper",
        "def {d}(function):\n    calls = []\n    def wrapper(x):\n        calls.append(x)\n        return function(x) + len(calls)\n    return wrapper",
        "def {d}(function):\n    table.append(function.__name__)\n    return function\ntable = []", "{d} = functools.lru_cache(maxsize=None)"]), d=deco)
    times = 1 + maker.below(2)
    maker.write("@{d}\n" * times + "def {f}(x):\n    return {body}", d=deco, f=name, body=maker.pick(["x", "x + 1", "x * 3"])) if times == 1 or maker.chance(0.3) else maker.write(
        "@{d}\ndef {f}(x):\n    return x + $int", d=deco, f=name)
    maker.show(f"{name}(1)")
    maker.show(f"{name}(2)")
    maker.show(f"{name}.__name__")


@feature(since=10)
def matches(maker):
    name = maker.name("m")
    maker.write("""
def {m}(v):
    match v:
        case 0 | 1:
            return 'small'
        case int() if v > {limit}:
            return 'big'
        case str() as s:
            return 's' + s
        case [a]:
            return ['one', a]
        case [a, *rest]:
            return [a, len(rest)]
        case {'a': x, **others}:
            return (x, sorted(others))
        case None:
            return 'none'
        case (True | False) as b:
            return b
        case _:
            return 'other'
""", m=name, limit=maker.pick(["5", "100"]))
    for kind in maker.some([*TYPES, "none"], 3):
        maker.show(maker.of(f"{name}(${kind})"))


@feature(since=10)
def class_patterns(maker):
    name = maker.name("Point")
    maker.write("""
class {P}:
    __match_args__ = ('x', 'y')
    def __init__(self, x, y):
        self.x, self.y = x, y
match {P}($small, $int):
    case {P}(0, y):
        {p} = ['on axis', y]
    case {P}(x=1 as one):
        {p} = ['one', one]
    case {P}(x, y) if x == y:
        {p} = 'same'
    case _:
        {p} = 'none'
""", P=name, p=name.lower())
    maker.show(name.lower())


@feature()
def contexts(maker):
    name, log = maker.name("C"), maker.name("log")
    maker.write("""
{l} = []
class {C}:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        {l}.append('in ' + self.name)
        return {what}
    def __exit__(self, kind, value, trace):
        {l}.append('out ' + self.name + (kind.__name__ if kind else ''))
        return {swallow}
""", l=log, C=name, what=maker.pick(["self", "self.name", "None"]), swallow=maker.pick(["False", "True", "kind is ValueError", "None"]))
    maker.write(maker.pick(["try:\n    with {C}('a') as {r}, {C}('b'):\n        {body}\nexcept ValueError as error:\n    {l}.append(str(error))",
                            "with {C}('a') as {r}:\n    {l}.append({r} is None)", "try:\n    with {C}('x') as {r}:\n        {body}\n    {l}.append('after')\nexcept Exception:\n    {l}.append('caught')"]),
                l=log, C=name, r=maker.name("r"), body=maker.pick(["pass", "raise ValueError('v')", "1 // 0", "if $bool: raise ValueError($str)"]))
    maker.show(log)


@feature()
def context_managers(maker):
    maker.imports("import contextlib")
    name, log = maker.name("cm"), maker.name("log")
    maker.write("""
{l} = []
@contextlib.contextmanager
def {c}(x):
    {l}.append(x)
    try:
        yield x + 1
    finally:
        {l}.append('end')
with {c}($int) as got:
    {l}.append(got)
with contextlib.suppress({kind}):
    {l}.append(1)
    {body}
    {l}.append(2)
""", l=log, c=name, kind=maker.pick(["KeyError", "ZeroDivisionError", "Exception", "LookupError"]), body=maker.pick(["{}['k']", "1 // 0", "pass"]))
    maker.show(log)


FAILING = ["1 // 0", "{}['k']", "[][1]", "int('x')", "None.a", "not_there", "'a' + 1", "raise ValueError('v')", "raise KeyError('k')", "raise OSError(2, 'text')", "import not_there_module", "assert False, 'words'",
           "raise ImportError('i')", "pass", "next(iter([]))", "a, b = [1]", "(lambda: 0)(1)", "raise RuntimeError", "{[]: 1}", "len(5)", "open('/not/there')", "'x'.missing()", "raise NotImplementedError('n')"]
CAUGHT = ["ValueError", "KeyError", "LookupError", "ArithmeticError", "(TypeError, AttributeError)", "Exception", "OSError", "ImportError", "NameError", "BaseException", "AssertionError", "RuntimeError"]


@feature()
def exceptions(maker):
    log = maker.name("log")
    maker.emit(f"{log} = []")
    for _ in range(1 + maker.below(2)):
        with maker.block("try:"):
            maker.emit(maker.pick(FAILING))
            maker.emit(f"{log}.append('done')")
        for kind in maker.some(CAUGHT[:-2], 1 + maker.below(2)) + ["Exception"]:
            with maker.block(f"except {kind} as error:"):
                maker.emit(maker.pick([f"{log}.append(type(error).__name__)", f"{log}.append('{kind[:4]}')", f"{log}.append(str(error))", f"{log}.append(error.args)", f"{log}.append(isinstance(error, LookupError))"]))
        if maker.chance(0.5):
            with maker.block("else:"):
                maker.emit(f"{log}.append('else')")
        if maker.chance(0.5):
            with maker.block("finally:"):
                maker.emit(f"{log}.append('finally')")
    maker.show(log)


@feature()
def finally_blocks(maker):
    name, log = maker.name("f"), maker.name("log")
    maker.write("""
{l} = []
def {f}(n):
    for i in range(3):
        try:
            if i == n:
                {how}
            {l}.append(i)
        finally:
            {l}.append('f')
            {last}
    else:
        {l}.append('else')
    return 'end'
""", l=log, f=name, how=maker.pick(["return 'early'", "break", "continue", "raise ValueError('x')"]), last=maker.pick(["pass", "pass", "if i == 1: break", "if i == 2: return 'last'"]))
    maker.write("try:\n    {r} = {f}({n})\nexcept ValueError as error:\n    {r} = repr(error)", r=name + "_r", f=name, n=maker.pick(["0", "1", "2", "7"]))
    maker.show(log)
    maker.show(name + "_r")


@feature()
def raised_from(maker):
    maker.write("""
try:
    try:
        {body}
    except Exception as inner:
        raise {kind}('outer') {cause}
except Exception as error:
    {r} = [type(error).__name__, str(error), type(error.__cause__).__name__, type(error.__context__).__name__]
else:
    {r} = 'fine'
""", body=maker.pick(FAILING), kind=maker.pick(["ImportError", "ValueError", "RuntimeError"]), cause=maker.pick(["from inner", "from None", "", "from KeyError('c')"]), r=maker.name("r"))
    maker.show(f"r{maker.count}")


@feature()
def own_exceptions(maker):
    base, name = maker.name("Base"), maker.name("Own")
    maker.write("class {b}({of}):\n    pass\nclass {o}({b}):\n    {body}", b=base, o=name, of=maker.pick(["Exception", "ImportError", "ValueError", "KeyError", "OSError"]), body=maker.pick([
        "pass", "code = 7", "def __str__(self):\n        return 'own ' + str(self.args)", "def __init__(self, what):\n        super().__init__('of ' + what)\n        self.what = what", "def __init__(self, what):\n        self.what = what"]))
    if maker.chance(0.75):
        maker.write("try:\n    raise {o}('w')\nexcept {c} as error:\n    {r} = ['{c}', str(error), type(error).__mro__[1].__name__, error.args]\nexcept Exception as error:\n    {r} = 'other'",
                    o=name, c=maker.pick([base, name, "ValueError", "Exception"]), r=maker.name("r"))
        maker.show(f"r{maker.count}")
    else:
        maker.write("if $bool:\n    raise {o}('w')", o=name)


@feature(since=11)
def exception_groups(maker):
    log = maker.name("log")
    maker.write("""
{l} = []
try:
    try:
        {body}
    except* {kind} as group:
        {l}.append([str(e) for e in group.exceptions])
    except* OSError:
        {l}.append('os')
    else:
        {l}.append('else')
except Exception as left:
    {l}.append(type(left).__name__)
""", l=log, kind=maker.pick(["ValueError", "TypeError", "(KeyError, ValueError)"]), body=maker.pick(["raise ExceptionGroup('g', [ValueError('a'), OSError('b')])", "raise ValueError('single')", "pass", "raise ExceptionGroup('g', [KeyError('k'), ExceptionGroup('h', [ValueError('n')])])"]))
    maker.show(log)


@feature()
def for_loops(maker):
    log = maker.name("log")
    maker.emit(f"{log} = []")
    with maker.block(maker.of("for x in " + maker.pick(["$list", "$tuple", "range(5)", "sorted($set)", "[1, 2, 3, 4]", "reversed($list)"]) + ":")):
        maker.write(maker.pick(["if x > 2: break", "if x % 2: continue", "if $bool: continue", "if not x:\n    {l}.append('zero')\n    break", "x = x + 1", "pass"]), l=log)
        maker.emit(f"{log}.append(x)")
    if maker.chance(0.6):
        with maker.block("else:"):
            maker.emit(f"{log}.append('else')")
    if maker.chance(0.5):
        maker.write("for i, (a, b) in enumerate(zip($list, $strs)):\n    for c in b:\n        if c == 'b': break\n        {l}.append((i, a, c))\n    else:\n        continue\n    break", l=log)
    maker.show(log)


@feature()
def while_loops(maker):
    number, log = maker.name("n"), maker.name("log")
    maker.write("{n}, {l} = {start}, []\nwhile {test}:\n    {n} -= 1\n    {inner}\n    {l}.append({n})\nelse:\n    {l}.append('else')", n=number, l=log, start=maker.pick(["0", "3", "6", "12"]),
                test=maker.pick([f"{number} > 0", f"{number} > 0 and len({log}) < 4", f"{number}", f"0 < {number} < 10"]), inner=maker.pick([f"if {number} == 2: break", f"if {number} % 3 == 0: continue", "pass", f"{number} -= {number} % 2"]))
    if maker.chance(0.4):
        maker.write("stack = list($list)\nwhile stack:\n    top = stack.pop()\n    if top > 3:\n        stack.append(top // 2)\n    {l}.append(top)\n    if len({l}) > 30: break", l=log)
    if maker.chance(0.4):
        maker.write("while True:\n    {l}.append('once')\n    if len({l}) > 2:\n        break", l=log)
    maker.show(log)
    maker.show(number)


@feature()
def walrus(maker):
    name = maker.name("w")
    maker.write(maker.pick(["if ({w} := $int) > 1:\n    {w}_is = 'more'\nelse:\n    {w}_is = {w}", "{w}_is = [{w} := $int, {w} + 1]", "{w}_is = ({w} := $str) + {w}", "{w} = 0\n{w}_is = [({w} := {w} + x) for x in $list]",
                            "{w}_is = []\ndata = list($list)\nwhile ({w} := len(data)) > 1:\n    data.pop()\n    {w}_is.append({w})", "{w}_is = any(({w} := x) > 1 for x in [0, $int, 5])"]), w=name)
    maker.show(name)
    maker.show(name + "_is")


@feature()
def short_circuits(maker):
    log, name = maker.name("log"), maker.name("f")
    maker.write("{l} = []\ndef {f}(x):\n    {l}.append(x)\n    return x", l=log, f=name)
    maker.show(maker.of(maker.pick([f"{name}(0) and {name}(1)", f"{name}($int) or {name}($str)", f"{name}(1) < {name}($int) < {name}(0)", f"{name}($list) if {name}($bool) else {name}(2)", f"not {name}($str)", f"[{name}(1), {name}(2)][{name}($bool)]",
                                    f"any({name}(x) for x in $list)", f"{name}(3) == {name}(3) != {name}(4)"])))
    maker.show(f"list({log})")


@feature()
def classes(maker):
    name, one = maker.name("K"), maker.name("k")
    maker.write("""
class {K}:
    def __init__(self, a, b=$int):
        self.a = a
        self.b = [b]
    def get(self):
        return [self.a, self.b]
    def change(self, x):
        self.b.append(x)
        {how}
        return self
    def __repr__(self):
        return f'K({self.a!r}, {self.b})'
""", K=name, how=maker.pick(["self.a = x", "self.c = len(self.b)", "pass", "self.b = list(self.b)"]))
    maker.write("{k} = {K}($value)\nother = {alias}\nother.change($int)".replace("$value", maker.pick(["$int", "$str", "$list", "a=1", "1, b=2"])), k=one, K=name, alias=maker.pick([one, f"{name}(0)"]))
    for _ in range(2):
        maker.show(maker.pick([f"{one}.get()", f"{one}.b", f"{one}", f"hasattr({one}, 'c')", f"getattr({one}, 'c', 'no')", f"{one} == {one}", f"{one} is other", f"isinstance({one}, {name})", f"type({one}).__name__", f"vars({one})",
                               f"{one}.change(3).b", f"callable({one})", f"{name}.get({one})", f"sorted({one}.__dict__)", f"bool({one})"]))


@feature()
def class_attributes(maker):
    name = maker.name("K")
    maker.write("""
class {K}:
    shared = []
    count = 0
    total = count + $int
    def __init__(self):
        {K}.count += 1
        self.shared.append(self.count)
        {how}
k1, k2 = {K}(), {K}()
""", K=name, how=maker.pick(["pass", "self.count = 10", "self.shared = list(self.shared)", "self.count += 5"]))
    if maker.chance(0.5):
        maker.write("class Sub{K}({K}):\n    {own}\nSub{K}()", K=name, own=maker.pick(["pass", "shared = []", "count = 100"]))
        maker.show(f"Sub{name}.shared")
        maker.show(f"Sub{name}.count")
    for one in (f"{name}.shared", f"{name}.count", "k1.count", "k1.shared is k2.shared"):
        maker.show(one)


@feature()
def inheritance(maker):
    base, sub = maker.name("A"), maker.name("B")
    maker.write("""
class {A}:
    kind = 'a'
    def __init__(self, x=1):
        self.x = x
    def who(self):
        return self.kind + str(self.x)
    def call(self):
        return 'A' + self.who()
class {B}({A}):
    {body}
""", A=base, B=sub, body=maker.pick([
        "kind = 'b'", "pass", "def who(self):\n        return 'B' + super().who()", "def __init__(self, x=2):\n        super().__init__(x + 1)\n        self.y = x", f"def __init__(self):\n        {base}.__init__(self, 7)",
        "def __init__(self):\n        pass", "def call(self):\n        return super().call() + self.kind\n    kind = 'z'", "x = 4\n    def __init__(self): self.kind = 'i'"]))
    for _ in range(2):
        maker.show(maker.pick([f"{sub}().call()", f"getattr({sub}(), 'x', 'no x')", f"issubclass({sub}, {base})", f"isinstance({sub}(), {base})", f"isinstance({base}(), {sub})", f"{sub}.__mro__[1].__name__", f"{sub}.__name__", f"type({sub}()) is {base}",
                               f"hasattr({sub}(), 'y')", f"{sub}.kind", f"{sub}.__bases__ == ({base},)"]))


@feature()
def multiple_inheritance(maker):
    a = maker.name("M")
    maker.write("""
class {a}:
    def go(self): return ['base']
class {a}L({a}):
    left = 1
    def go(self): return ['left'] + {left}
class {a}R({a}):
    right = 2
    left = 5
    def go(self): return ['right'] + super().go()
class {a}D({order}):
    {body}
""", a=a, left=maker.pick(["super().go()", f"{a}.go(self)"]), order=maker.pick([f"{a}L, {a}R", f"{a}R, {a}L"]), body=maker.pick(["pass", "def go(self): return ['d'] + super().go()", f"def go(self): return {a}R.go(self)"]))
    maker.show(f"{a}D().go()")
    maker.show(f"{a}D.left")
    maker.show(f"[c.__name__ for c in {a}D.__mro__]")


@feature()
def properties(maker):
    name = maker.name("P")
    maker.write("""
class {P}:
    def __init__(self):
        self._x = $int
        self.calls = 0
    @property
    def x(self):
        self.calls += 1
        return self._x
    @x.setter
    def x(self, value):
        self._x = value {how}
    @property
    def fixed(self): return 'f'
    @staticmethod
    def double(n): return n * 2
    @classmethod
    def make(cls, n):
        one = cls()
        one.x = n
        return one
    @classmethod
    def title(cls): return cls.__name__
p1 = {P}()
p1.x = $int
""", P=name, how=maker.pick(["", "+ 1", "* 2"]))
    if maker.chance(0.3):
        maker.write("class {P}S({P}):\n    @property\n    def fixed(self): return super().fixed + 's'", P=name)
        maker.show(f"{name}S().fixed + {name}S.title()")
    for _ in range(3):
        maker.show(maker.pick(["p1.x", "[p1.x, p1.calls]", "p1.fixed", f"{name}.double(4)", "p1.double('a')", f"{name}.make(3).x", "p1.make(2)._x", f"{name}.title()", f"type({name}.x).__name__", "hasattr(p1, 'x')"]))
    if maker.chance(0.3):
        maker.write("try:\n    p1.fixed = 1\nexcept AttributeError:\n    p1_set = 'no'\nelse:\n    p1_set = 'yes'")
        maker.show("p1_set")


@feature()
def special_methods(maker):
    name = maker.name("S")
    methods = {"__len__": "(self): return self.n", "__bool__": "(self): return self.n > 2", "__eq__": "(self, other): return self.n == getattr(other, 'n', other)", "__getitem__": "(self, i): return (self.n, i)" if maker.chance(0.5) else
               "(self, i):\n        if i >= self.n: raise IndexError\n        return i * 2", "__getattr__": "(self, name): return 'no ' + name", "__call__": "(self, x=1): return self.n + x", "__contains__": "(self, x): return x == self.n",
               "__add__": "(self, other): return self.n + other", "__radd__": "(self, other): return (other, self.n)", "__lt__": "(self, other): return self.n < other.n", "__iter__": "(self): return iter([self.n, self.n])", "__str__": "(self): return f'<{self.n}>'",
               "__hash__": "(self): return 5", "__setattr__": "(self, name, value): object.__setattr__(self, name, value + 1)", "__iadd__": "(self, x):\n        self.n += x\n        return self", "__setitem__": "(self, k, v): self.n = (k, v)",
               "__format__": "(self, spec): return 'F' + spec", "__index__": "(self): return self.n", "__enter__": "(self): return self.n", "__exit__": "(self, *a): return True", "__repr__": "(self): return 'S!'", "__next__": "(self): return self.n"}
    uses = {"__len__": ["len({s})", "bool({s})", "(1 if {s} else 2)"], "__bool__": ["bool({s})", "(not {s})", "({s} and 1) == 1"], "__eq__": ["({s} == {S}(3))", "({s} != 3)", "({s} == 'x')", "({s} in [{S}(3)])"], "__getitem__": ["{s}[1]", "list(zip({s}, 'ab'))", "{s}['k']"],
            "__getattr__": ["{s}.other", "hasattr({s}, 'zz')", "getattr({s}, 'n')"], "__call__": ["{s}()", "{s}(5)", "callable({s})", "list(map({s}, [1, 2]))"], "__contains__": ["(3 in {s})", "(9 not in {s})"], "__add__": ["{s} + 1"], "__radd__": ["1 + {s}"],
            "__lt__": ["({s} < {S}(9))", "({s} > {S}(9))", "[x.n for x in sorted([{S}(3), {S}(1)])]"], "__iter__": ["list({s})", "sum({s}) if {s} else 0", "[*{s}]"], "__str__": ["str({s})", "f'{{s}}'", "'%s' % {s}"], "__hash__": ["hash({s})"],
            "__setattr__": ["{s}.n"], "__iadd__": ["{s}.n"], "__setitem__": ["{s}.n"], "__format__": ["f'{{s}:x}'", "format({s}, 'q')"], "__index__": ["[5, 6, 7, 8][{s}]", "'a' * {s}"], "__enter__": ["{s}.n"], "__exit__": ["{s}.n"], "__repr__": ["repr({s})", "[{s}]", "str({s})"], "__next__": ["next({s})"]}
    chosen = maker.some(sorted(methods), 1 + maker.below(3))
    with maker.block(f"class {name}:"):
        maker.emit("def __init__(self, n): self.n = n")
        for method in chosen:
            maker.emit(f"def {method}{methods[method]}")
    one = name.lower()
    maker.emit(f"{one} = {name}({maker.pick(['0', '2', '3', '4'])})")
    if "__iadd__" in chosen:
        maker.emit(f"{one} += 2")
    if "__setitem__" in chosen:
        maker.emit(f"{one}['k'] = 4")
    for method in chosen:
        maker.show(maker.pick(uses[method]).replace("{s}", one).replace("{S}", name))


@feature()
def new_methods(maker):
    name = maker.name("N")
    maker.write(maker.pick(["""
class {N}:
    _one = None
    def __new__(cls, *args):
        if cls._one is None:
            cls._one = super().__new__(cls)
            cls._one.made = len(args)
        return cls._one
    def __init__(self, *args):
        self.args = args
n1, n2 = {N}(1), {N}(2, 3)
{N}_is = [n1 is n2, n1.args, n2.made]
""", """
class {N}(int):
    def __new__(cls, x):
        return super().__new__(cls, x + 1)
    def twice(self): return self * 2
{N}_is = [{N}(3), {N}(3).twice(), {N}(1) + 1, isinstance({N}(1), int)]
""", """
class {N}:
    def __new__(cls, x):
        return [x]
    def __init__(self, x):
        raise ValueError('never')
{N}_is = {N}(5)
""", """
class {N}(str):
    def __new__(cls, x):
        one = str.__new__(cls, x.upper())
        one.raw = x
        return one
{N}_is = [{N}('ab') + 'c', {N}('q').raw, {N}('ab') == 'AB']
""", """
class {N}:
    subs = []
    def __init_subclass__(cls, **kw):
        super().__init_subclass__()
        {N}.subs.append((cls.__name__, kw))
class Q({N}, flag=1): pass
{N}_is = {N}.subs
""", """
class Meta(type):
    def __call__(cls, *a):
        return ('made', super().__call__(*a))[0]
    def __getattr__(cls, name): return name * 2
class {N}(metaclass=Meta): pass
{N}_is = [{N}(), {N}.ab, type({N}).__name__]
""", """
class D:
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, one, owner): return [self.name, one is None]
class {N}:
    field = D()
{N}_is = [{N}.field, {N}().field]
"""]), N=name)
    maker.show(f"{name}_is")


@feature()
def builtin_bases(maker):
    name = maker.name("L")
    maker.write(maker.pick(["""
class {L}(dict):
    def __missing__(self, key): return key * 2
    def total(self): return sum(self.values())
{l} = {L}(a=1)
{l}['b'] = 2
{l}_is = [{l}['a'], {l}['zz'], {l}.total(), {l}.get('q'), len({l}), isinstance({l}, dict), {l} == {'a': 1, 'b': 2}]
""", """
class {L}(list):
    def append(self, x):
        super().append(x * 2)
{l} = {L}([1])
{l}.append(2)
{l} += [3]
{l}_is = [list({l}), len({l}), {l} == [1, 4, 3], {l}[0], bool({L}())]
""", """
class {L}(tuple):
    @property
    def first(self): return self[0]
{l}_is = [{L}((1, 2)).first, {L}((1,)) == (1,), len({L}())]
"""]), L=name, l=name.lower())
    maker.show(name.lower() + "_is")


@feature()
def dataclasses_used(maker):
    maker.imports("import dataclasses")
    maker.imports("from dataclasses import dataclass, field")
    name = maker.name("D")
    maker.write("""
@dataclass{how}
class {D}:
    a: int
    b: str = $str
    c: list = field(default_factory=list)
    {body}
{d} = {D}({given})
""", D=name, d=name.lower(), how=maker.pick(["", "", "()", "(frozen=True)", "(order=True)", "(eq=False)", "(repr=False)"]), given=maker.pick(["1", "1, 'x'", "a=2, c=[1]", "3, b='q'"]),
                body=maker.pick(["pass", "n = 5", "def total(self): return self.a + len(self.c)", "def __post_init__(self): self.c.append(self.a)", "e: int = field(default=4, repr=False)"]))
    one = name.lower()
    maker.emit(f"{one}.c.append(9)")
    for _ in range(3):
        maker.show(maker.pick([f"{one}.a", f"{one}.b", f"{one}.c", f"{one} == {name}(1)", f"{name}(1) == {name}(1)", f"{name}(5).c", f"[f.name for f in dataclasses.fields({one})]", f"dataclasses.asdict({one})", f"getattr({one}, 'e', 0)",
                               f"dataclasses.replace({one}, a=8).a", f"dataclasses.is_dataclass({one})", f"repr({one})[:12]"]))
    if maker.chance(0.3):
        maker.write("try:\n    {d}.a = 7\nexcept AttributeError as error:\n    {d}.c.append(type(error).__name__)", d=one)


@feature()
def namedtuples(maker):
    maker.imports("from collections import namedtuple")
    name, one = maker.name("T"), maker.name("t")
    maker.write(maker.pick(["{T} = namedtuple('{T}', 'x y')", "{T} = namedtuple('{T}', ['x', 'y'])", "{T} = namedtuple('{T}', 'x, y', defaults=[3])", "class {T}(namedtuple('{T}', 'x y')):\n    def sum(self): return self.x + self.y",
                            "from typing import NamedTuple\nclass {T}(NamedTuple):\n    x: int\n    y: int = 2"]), T=name)
    maker.write("{t} = {T}({given})", t=one, T=name, given=maker.pick(["1, 2", "x=1, y=$int", "*[1, 2]"]))
    for _ in range(3):
        maker.show(maker.pick([f"{one}.x", f"{one}[1]", f"{one}", f"{one} == (1, 2)", f"len({one})", f"{one}._replace(x=9)", f"{one}._asdict()", f"{one}._fields", f"sum({one})", f"[*{one}]", f"isinstance({one}, tuple)", f"{one} + (1,)"]))


@feature()
def collections_used(maker):
    maker.imports("import collections")
    maker.imports("import itertools")
    for _ in range(2):
        maker.show(maker.of(maker.pick([
            "dict(collections.Counter($str))", "sorted(collections.Counter($list).items())", "list(collections.OrderedDict([('b', 1), ('a', 2)]))", "list(itertools.chain($list, $tuple))", "list(itertools.islice(itertools.count(3), 2))",
            "list(itertools.product('ab', [1]))", "list(collections.deque($list, maxlen=2))", "[list(g) for k, g in itertools.groupby([1, 1, 2])]", "list(itertools.accumulate($list))", "collections.ChainMap({'a': 1}, {'a': 2, 'b': 3})['b']",
            "list(itertools.zip_longest($list, 'a'))", "list(itertools.takewhile(lambda x: x < 3, $list))"])))
    if maker.chance(0.5):
        maker.write("groups = collections.defaultdict(list)\nfor word in $strs:\n    groups[len(word)].append(word)")
        maker.show("sorted(groups.items())")


@feature()
def enums(maker):
    maker.imports("import enum")
    name = maker.name("E")
    maker.write("class {E}(enum.{base}):\n    RED = 1\n    BLUE = 2\n    ALSO = 1", E=name, base=maker.pick(["Enum", "IntEnum"]))
    for _ in range(2):
        maker.show(maker.pick([f"{name}.RED.value", f"{name}.BLUE.name", f"{name}(2) is {name}.BLUE", f"{name}['RED'].value", f"len({name})", f"[m.name for m in {name}]", f"{name}.RED == 1", f"{name}.ALSO.name", f"isinstance({name}.RED, {name})"]))


@feature()
def attributes(maker):
    name = maker.name("O")
    maker.write("class {O}: pass\n{o} = {O}()\nsetattr({o}, $word.strip() or 'a', $int)\n{o}.list = []\n{o}.list.append($int)\n{O}.late = lambda self, x=1: (x, len(self.list))\nif $bool: del {o}.list", O=name, o=name.lower())
    one = name.lower()
    for _ in range(3):
        maker.show(maker.pick([f"getattr({one}, 'a', None)", f"hasattr({one}, 'list')", f"sorted(vars({one}))", f"hasattr({name}, 'late')", f"getattr({one}, 'b', $int)".replace("$int", "3"), f"callable({one}.late)", f"getattr({name}, '__name__')",
                               "getattr('abc', 'upper')()", "hasattr([], 'append')", "getattr({}, 'get')('x', 4)", f"type({one}).__name__"]))


@feature()
def types(maker):
    for _ in range(3):
        maker.show(maker.of(maker.pick([
            "type($int) is int", "type($bool) is int", "isinstance($bool, int)", "isinstance($str, (list, str))", "isinstance($tuple, list)", "type($dict)", "type(None).__name__", "issubclass(bool, int)", "isinstance(len, type)", "callable(int)", "isinstance($bytes, str)",
            "type($set) == type($frozenset)", "isinstance(int, type)", "isinstance(print, object)", "type(lambda: 0).__name__", "isinstance($list, object)", "int", "[int, str][$bool].__name__", "type(type)", "str.__name__", "isinstance(3.5, float)", "isinstance(KeyError(), LookupError)"])))


@feature()
def floats(maker):
    for _ in range(2):
        maker.show(maker.of(maker.pick(["1 / 2", "$int / 4 if abs($int) < 10 ** 6 else 0", "0.1 + 0.2", "round(2.5)", "round(1.25, 1)", "float('1e3')", "int(3.9)", "-7 // 2.0", "2 ** -1", "1e100", "1.0 == 1", "float(3)", "7 / 7", "'%.2f' % 3.14159", "f'{2.5:.1f}'", "int(-3.9)", "3.0 // 2", "abs(-2.5)", "1e16", "divmod(7.5, 2)",
                                        "sorted([2.5, 1, 3])", "str(1.0)", "10 ** -2", "hash(1.0) == hash(1)", "{1: 'a', 1.0: 'b'}"])))


@feature()
def assertions(maker):
    maker.write("try:\n    assert $bool, $str\n    {r} = 'held'\nexcept AssertionError as error:\n    {r} = str(error)", r=maker.name("r"))
    maker.show(f"r{maker.count}")


@feature()
def uncaught(maker):
    maker.write("if $bool:\n    " + maker.pick(FAILING).replace("; ", "\n    "))


@feature()
def annotations(maker):
    maker.write("x: int = $int\ny: 'list[str]'\ndef f(a: int, *, b: str = 'q') -> None:\n    z: int\n    return a\nclass K:\n    a: int = 3\n    b: str")
    for one in maker.some(["'y' in globals()", "sorted(__annotations__)", "sorted(f.__annotations__)", "hasattr(K, 'b')", "sorted(K.__annotations__)", "f(x)"], 2):
        maker.show(one)


# Modules.


def module_name(maker):
    return maker.name("mod")


@feature()
def modules(maker):
    name = module_name(maker)
    with maker.file(f"{name}.py"):
        maker.emit("loaded = []")
        kind = maker.pick(TYPES)
        value = maker.let(kind)
        maker.write("def add(x):\n    loaded.append(x)\n    return len(loaded)\n_hidden = 1\nadd('self')")
        if maker.chance(0.3):
            maker.imports("import os")
        if maker.chance(0.2):
            maker.write("if $bool: raise ImportError('in module')")
    maker.emit(maker.pick([f"import {name}", f"import {name} as {name}_as\n{name} = {name}_as", f"import {name}\nimport {name} as again\nagain.add(0)"]))
    maker.emit(maker.pick([f"{name}.add(1)", f"from {name} import loaded, add\nadd(2)\nloaded.append(3)", f"{name}.loaded = [9]", f"from {name} import add as plus\nplus(1)", f"{name}.extra = 5"]))
    for one in maker.some([f"{name}.loaded", f"{name}.{value}" if kind not in SHOWN else SHOWN[kind] % f"{name}.{value}", f"{name}.__name__", f"hasattr({name}, '_hidden')", f"getattr({name}, 'extra', None)", f"hasattr({name}, 'os')"], 3):
        maker.show(one)


@feature()
def packages(maker):
    name = maker.name("pack")
    with maker.file(f"{name}/__init__.py"):
        maker.write(maker.pick(["from . import one", "from .one import value as got", "from .one import *", "", "from .sub import deep", "import {p}.one", "from .. import x" if maker.chance(0.1) else "name = __name__", "from .one import not_there" if maker.chance(0.2) else ""]), p=name)
        maker.emit("level = 1")
    with maker.file(f"{name}/one.py"):
        maker.write("value = $int\n_private = 2\nwords = $strs\n" + maker.pick(["", "from . import level" if maker.chance(0.2) else "", "from . import two", "__all__ = ['words']", "from .two import shared\nshared.append('one')"]))
    with maker.file(f"{name}/two.py"):
        maker.emit("shared = ['two']\nplace = __package__")
    with maker.file(f"{name}/sub/__init__.py"):
        maker.write(maker.pick(["", "from ..two import shared\nshared.append('sub')", "from . import deep"]))
    with maker.file(f"{name}/sub/deep.py"):
        maker.write(maker.pick(["from .. import two\nval = two.shared", "from ..one import value as val", "val = __name__", "from ... import val" if maker.chance(0.1) else "val = 3"]))
    maker.emit(f"import {name}" if maker.chance(0.5) else f"import {name}.two")
    maker.emit(maker.pick([f"from {name} import two", f"from {name}.sub.deep import val", f"import {name}.sub.deep", f"from {name}.sub import deep as d", f"from {name} import nothing_there" if maker.chance(0.3) else f"from {name} import one", f"from {name}.gone import x" if maker.chance(0.3) else "pass"]))
    for one in maker.some([f"hasattr({name}, 'one')", f"hasattr({name}, 'two')", f"hasattr({name}, 'sub')", f"getattr({name}, 'words', None)", f"getattr({name}, 'value', None)", f"getattr({name}, 'level')", f"getattr(getattr({name}, 'two', None), 'shared', None)",
                           f"{name}.__name__", f"hasattr({name}, '__path__')", f"{name}.__package__", "__package__", f"hasattr({name}, '_private')"], 3):
        maker.show(one)


@feature()
def star_imports(maker):
    name = module_name(maker)
    with maker.file(f"{name}.py"):
        maker.write("{all}\nalpha = $int\nbeta = $list\n_gamma = 3\ndef delta(): return beta\nimport os.path", all=maker.pick(["", "__all__ = ['alpha', '_gamma']", "__all__ = []\n__all__ += ['beta']", "__all__ = ['beta', 'nothing']" if maker.chance(0.3) else "__all__ = ('beta',)", "__all__ = ['alpha']\n__all__.append('delta')"]))
    maker.emit(f"from {name} import *")
    for one in ("alpha", "beta", "_gamma", "delta", "os"):
        maker.emit(f"try:\n    {name}_{one} = {one}\nexcept NameError:\n    {name}_{one} = 'no'") if one in ("_gamma", "beta") else None
        maker.show(f"'{one}' in globals()")
    maker.show(f"{name}__gamma")
    maker.show(f"{name}_beta")


@feature()
def module_getattr(maker):
    name = module_name(maker)
    with maker.file(f"{name}.py"):
        maker.write("asked = []\nreal = 1\ndef __getattr__(name):\n    if name.startswith('__'):\n        raise AttributeError(name)\n    asked.append(name)\n    {rest}", rest=maker.pick(["return name + '!'", "if name == 'lazy':\n        return 5\n    raise AttributeError('none: ' + name)", "import importlib\n    return importlib.import_module('" + name + "_lazy').found"]))
    with maker.file(f"{name}_lazy.py"):
        maker.write("found = $int")
    maker.emit(maker.pick([f"import {name}\ngot = {name}.lazy", f"from {name} import lazy as got\nimport {name}", f"import {name}\ngot = getattr({name}, 'lazy', 0)", f"import {name}\ngot = hasattr({name}, 'other')", f"import {name}\ngot = {name}.real"]))
    maker.show("got")
    maker.show(f"{name}.asked")


@feature()
def sys_modules(maker):
    maker.imports("import sys")
    name = module_name(maker)
    with maker.file(f"{name}.py"):
        maker.write("import sys\nme = sys.modules[__name__]\nme.put = $int\ncount = 1\n" + maker.pick(["", "sys.modules[__name__] = type('Lazy', (), {'put': 9, 'count': 3})()", "sys.modules['alias_of_it'] = me", "setattr(sys.modules[__name__], 'more', 4)"]))
    maker.emit(f"before = '{name}' in sys.modules\nimport {name}\nafter = '{name}' in sys.modules")
    maker.write(maker.pick(["again = sys.modules.pop('{m}')\nimport {m}\nagain = again is {m}", "again = sys.modules.get('{m}') is {m}", "again = sys.modules['{m}'].put", "again = 'alias_of_it' in sys.modules", "again = getattr({m}, 'more', 0)", "import types\nnew = types.ModuleType('made')\nnew.x = 5\nsys.modules['made'] = new\nimport made\nagain = made.x",
                            "again = sys.modules.get('not_there', 3)", "sys.modules['blocked'] = None\ntry:\n    import blocked\nexcept ImportError as error:\n    again = type(error).__name__", "del sys.modules['{m}']\nimport {m} as second\nagain = second is {m}"]), m=name)
    for one in ("before", "after", "again", f"{name}.put", f"'{name}' in sys.modules"):
        maker.show(one)


@feature()
def import_module(maker):
    maker.imports("import importlib")
    name = maker.name("dyn")
    with maker.file(f"{name}/__init__.py"):
        maker.emit("top = 1")
    with maker.file(f"{name}/part.py"):
        maker.write("inner = $int\n" + maker.pick(["", "import importlib\nother = importlib.import_module('.second', __package__)"]))
    with maker.file(f"{name}/second.py"):
        maker.emit("second = 2")
    maker.emit(maker.pick([f"got = importlib.import_module('{name}.part')", f"got = importlib.import_module('.part', '{name}')", f"got = __import__('{name}.part')", f"got = __import__('{name}.part', fromlist=['inner'])", f"got = importlib.import_module('{name}.' + 'pa' + 'rt')",
                           f"try:\n    got = importlib.import_module('{name}.gone')\nexcept ModuleNotFoundError as error:\n    got = error.name", f"for part in ['part', 'second']:\n    got = importlib.import_module(f'{name}.{{part}}')",
                           f"import importlib.util\ngot = importlib.util.find_spec('{name}.part') is not None", f"import importlib.util\ngot = importlib.util.find_spec('not_there_{name}')"]))
    for one in ("getattr(got, '__name__', got)", "getattr(got, 'inner', 'no')", "hasattr(got, 'part')", "hasattr(got, 'other')"):
        maker.show(one)


@feature()
def circular_imports(maker):
    one, two = maker.name("circ"), maker.name("circ")
    with maker.file(f"{one}.py"):
        maker.emit(maker.pick(["early = 1\n", ""]) + maker.pick([f"import {two}\nlate = {two}.value", f"from {two} import value", f"import {two}"]) + "\nfirst = 'one'")
    with maker.file(f"{two}.py"):
        maker.emit(maker.pick([f"import {one}\nseen = hasattr({one}, 'early')", f"from {one} import early" if maker.chance(0.5) else f"import {one}\nseen = getattr({one}, 'first', 'not yet')", f"def later():\n    from {one} import first\n    return first",
                               f"try:\n    from {one} import first\nexcept ImportError:\n    first = 'partial'\nseen = first"]) + "\nvalue = 2")
    maker.emit(f"import {maker.pick([one, two])}\nimport {one}, {two}")
    maker.show(f"getattr({two}, 'seen', None)")
    maker.show(f"{one}.first")
    maker.show(f"getattr({one}, 'late', 0)")


@feature()
def optional_modules(maker):
    name = maker.name("opt")
    there = maker.chance(0.5)
    if there:
        with maker.file(f"{name}.py"):
            maker.write("flag = $bool\n" + maker.pick(["", "raise ImportError('broken')", "raise ValueError('other')" if maker.chance(0.3) else "", "import not_there_either", "1 // 0" if maker.chance(0.2) else ""]))
    maker.emit(maker.pick([f"try:\n    import {name}\nexcept ImportError:\n    {name} = None", f"try:\n    from {name} import flag as {name}\nexcept ModuleNotFoundError as error:\n    {name} = error.name\nexcept ImportError as error:\n    {name} = str(error)",
                           f"try:\n    import {name}\n    have = True\nexcept Exception as error:\n    have = type(error).__name__\n    {name} = None\nelse:\n    have = 'yes'"]))
    maker.show(f"{name} is None")
    maker.show(f"getattr({name}, 'flag', {name} if isinstance({name}, (str, bool)) else 'none')")


# Surroundings that are known.


@feature()
def environment(maker):
    maker.imports("import os")
    for _ in range(2):
        name = maker.name("env")
        maker.emit(f"{name} = " + maker.pick([
            "os.environ.get('SET_HERE')", "os.environ.get('NOT_SET_HERE')", "os.environ.get('NOT_SET_HERE', 'other')", "os.environ.get('EMPTY_HERE', 'other')", "'SET_HERE' in os.environ", "'NOT_SET_HERE' not in os.environ", "os.environ['SET_HERE']", "os.getenv('NOT_SET_HERE') is None",
            "os.environ.setdefault('MADE_HERE', 'm')", "os.environ.setdefault('SET_HERE', 'm')", "bool(os.environ.get('EMPTY_HERE'))", "os.environ.get('SET_HERE', '').lower() in ('1', 'yes')", "os.getenv('SET_HERE', 'no') + '!'", "os.environ.get('MADE_HERE')", "os.environ.pop('SET_HERE', None)"]))
        maker.show(name)
    if maker.chance(0.5):
        maker.emit("os.environ['NOW_SET'] = 'n'\nif 'SET_HERE' in os.environ: del os.environ['SET_HERE']")
        maker.show("os.environ.get('NOW_SET')")
        maker.show("os.environ.get('SET_HERE', 'gone')")
    if maker.chance(0.2):
        maker.write("try:\n    os.environ['NEVER_SET']\n    never = 1\nexcept KeyError as error:\n    never = str(error)")
        maker.show("never")


@feature()
def paths(maker):
    maker.imports("import os")
    for _ in range(3):
        maker.show(maker.of(maker.pick([
            "os.path.join('a', $word, 'c')", "os.path.join('a', '/b')", "os.path.basename('/x/y.so')", "os.path.dirname('/x/y/z')", "os.path.splitext('lib.so.1')", "os.path.splitext('.hidden')", "os.path.normpath('/a/../b/./c//d')", "os.path.exists('/not/there')", "os.path.isabs('a/b')",
            "os.path.split('/a/b')", "os.path.basename(__file__)", "os.path.isfile(__file__)", "os.path.isdir(os.path.dirname(__file__) or '.')", "os.sep", "os.name", "os.path.join('', 'a')", "os.path.join('a/', 'b')", "os.pathsep", "os.path.commonprefix(['/ab', '/ac'])", "os.path.exists('/')",
            "os.path.relpath('/a/b/c', '/a/d')", "os.linesep", "os.path.exists(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'main.py'))", "os.path.basename(os.path.abspath(__file__))", "os.fspath('x')", "os.path.expanduser('a/~')", "os.curdir + os.extsep"])))
    if maker.chance(0.4):
        maker.imports("import pathlib")
        maker.show(maker.pick(["pathlib.PurePosixPath('/a/b.so.1').suffix", "pathlib.PurePosixPath('/a/b').name", "str(pathlib.PurePosixPath('a') / 'b' / '..' / 'c')", "pathlib.PurePosixPath('/a/b.c').stem", "str(pathlib.PurePosixPath('/a/b').parent)", "pathlib.Path(__file__).name", "pathlib.Path('/not/there').exists()",
                               "str(pathlib.PurePosixPath('/a/b.c').with_suffix('.d'))", "pathlib.PurePosixPath('/a/b').parts", "pathlib.PurePosixPath('a') == pathlib.PurePosixPath('./a')"]))


@feature()
def platforms(maker):
    maker.imports("import sys")
    for _ in range(3):
        maker.show(maker.pick([
            "sys.platform", "sys.platform.startswith('linux')", "sys.platform == 'win32'", "sys.version_info >= (3, 8)", "sys.version_info[:2] >= (3, 12)", "sys.version_info[0]", "sys.version_info.major", "sys.version_info < (3,)", "sys.maxsize > 2**32", "sys.maxsize", "sys.byteorder", "sys.implementation.name",
            "sys.version_info.minor > 9", "sys.platform in ('linux', 'darwin')", "hasattr(sys, 'real_prefix')", "sys.version_info[0] == 3 and sys.version_info[1] >= 9", "hasattr(sys, 'getwindowsversion')", "sys.maxsize == 2**63 - 1", "'win' in sys.platform", "len(sys.version_info)", "sys.flags.optimize", "sys.hexversion > 0x03080000",
            "sys.maxunicode", "hasattr(sys, 'pypy_version_info')", "sys.getsizeof is not None"]))
    maker.write("if sys.platform == 'win32':\n    system = 'w'\nelif sys.platform.startswith('{p}'):\n    system = 'l'\nelse:\n    system = 'o'", p=maker.pick(["linux", "lin", "darwin"]))
    maker.show("system")


@feature()
def frozen(maker):
    maker.imports("import sys")
    maker.emit(maker.pick(["frozen_is = getattr(sys, 'frozen', False)", "frozen_is = hasattr(sys, 'frozen')", "if getattr(sys, 'frozen', False):\n    frozen_is = sys._MEIPASS\nelse:\n    frozen_is = 'no'", "frozen_is = 1 if getattr(sys, 'frozen', None) else None", "frozen_is = getattr(sys, '_MEIPASS', 'here')"]))
    maker.show("frozen_is")


LIBRARIES = ["libnosuch_c.so", "libm.so.6", "libc.so.6", "libnosuch_d.so.1", "/not/there/libe.so", "libdl.so.2"]


@feature()
def libraries(maker):
    maker.imports("import ctypes")
    name = maker.name("lib")
    library = maker.pick(LIBRARIES)
    maker.write(maker.pick([
        "try:\n    {l} = ctypes.CDLL('{f}')\nexcept OSError:\n    {l} = None", "try:\n    {l} = ctypes.CDLL('{f}')\nexcept OSError as error:\n    {l} = str(error)", "{l} = None\nfor name in ['libnosuch_f.so', '{f}', 'libnosuch_g.so']:\n    try:\n        {l} = ctypes.CDLL(name)\n        break\n    except OSError:\n        pass",
        "if $bool:\n    {l} = ctypes.CDLL('{f}')\nelse:\n    {l} = 'not asked'", "def load(name):\n    return ctypes.CDLL(name)\ntry:\n    {l} = load('{f}')\nexcept OSError:\n    {l} = load('libm.so.6')", "class Lazy:\n    def __init__(self, name): self.lib = ctypes.CDLL(name)\ntry:\n    {l} = Lazy('{f}').lib\nexcept OSError:\n    {l} = 'failed'",
        "def names():\n    yield 'libnosuch_h.so'\n    yield '{f}'\n{l} = []\nfor one in names():\n    try:\n        ctypes.CDLL(one)\n    except OSError:\n        continue\n    {l}.append(one)", "{l} = ctypes.CDLL(None)", "loaded = {}\ndef get(n):\n    if n not in loaded:\n        loaded[n] = ctypes.CDLL(n)\n    return loaded[n]\ntry:\n    {l} = get('{f}') is get('{f}')\nexcept OSError:\n    {l} = len(loaded)"]),
        l=name, f=library)
    maker.show(maker.pick([f"{name} is None", f"isinstance({name}, str)", f"hasattr({name}, '_name')", f"getattr({name}, '_name', {name} if not isinstance({name}, ctypes.CDLL) else 'lib')"]))


@feature()
def failing_library(maker):
    maker.imports("import ctypes")
    maker.emit(f"if {maker.pick(maker.shown)}:\n    ctypes.CDLL('libnosuch_z.so')")


# What cannot be known.


@feature(is_open=True)
def process_numbers(maker):
    maker.imports("import os")
    maker.write(maker.pick(["if isinstance(os.getpid(), int):\n    {p} = 1\nelse:\n    {p} = 2", "{p} = os.getpid() > 0", "if os.getpid() % 2:\n    {p} = 'odd'\nelse:\n    {p} = 'even'", "{p} = os.getppid() == os.getpid()", "{p} = len(str(os.getpid())) < 9"]), p=maker.name("pid"))
    maker.show(f"pid{maker.count}")


@feature(is_open=True)
def clock(maker):
    maker.imports("import time")
    maker.write(maker.pick(["{t} = time.time() > 1e9", "if int(time.time()) % 2:\n    raise ImportError('odd second')\n{t} = 0", "{t} = time.time() - time.time() <= 0", "if time.time() > 1:\n    {t} = 'now'\nelse:\n    raise ImportError('past')", "import ctypes\nif time.time() < 5:\n    ctypes.CDLL('libnosuch_t.so')\n{t} = 1"]), t=maker.name("t"))
    maker.show(f"t{maker.count}")


@feature(is_open=True)
def opened_files(maker):
    maker.write(maker.pick(["try:\n    {o} = open('/not/there').read()\nexcept OSError as error:\n    {o} = type(error).__name__", "with open(__file__) as file:\n    {o} = len(file.read()) > 3", "try:\n    {o} = open('/etc/hostname').read() == ''\nexcept Exception:\n    {o} = 'unreadable'", "{o} = open(__file__).readline().startswith('import')"]), o=maker.name("o"))
    maker.show(f"o{maker.count}")


@feature(is_open=True)
def identities(maker):
    one = maker.variable("list")
    maker.write(maker.pick(["{i} = id({l}) == id({l})", "{i} = id({l}) % 16 == 0", "{i} = id([]) == id({l})", "{i} = {l} is list({l})", "{i} = 'a' * 3 is 'aaa'", "{i} = (1, 2) is (1, 2)", "{i} = id({l}) > 2 ** 40"]), i=maker.name("i"), l=one)
    maker.show(f"i{maker.count}")


@feature(is_open=True)
def hashes(maker):
    maker.write(maker.pick(["{h} = hash('a') % 2", "{h} = hash('a') == hash('a')", "if hash('a') & 1:\n    raise ImportError('odd hash')\n{h} = 1", "{h} = hash(5)", "{h} = hash((1, 2)) == hash((1, 2))", "{h} = hash('') == 0", "{h} = hash(-1)"]), h=maker.name("h"))
    maker.show(f"h{maker.count}")


@feature(is_open=True)
def set_order(maker):
    maker.write(maker.pick(["{z} = list({'a', 'b', 'c'})", "{z} = next(iter({'x', 'y'}))", "{z} = str({'p', 'q'})", "{z} = [x for x in {'a', 'b'}][0]", "{z} = {'a', 'b', 'c'}.pop()", "{z} = ''.join({'a', 'b'}) in ('ab', 'ba')", "{z} = list({3, 1, 2})"]), z=maker.name("z"))
    maker.show(f"z{maker.count}")


@feature(is_open=True)
def machine(maker):
    maker.imports("import platform, os, sys, random")
    maker.write(maker.pick(["{m} = platform.node() == 'nowhere'", "{m} = platform.machine() != ''", "{m} = random.random() < 1", "{m} = random.choice([1, 2])", "{m} = os.cpu_count() > 0", "{m} = sys.executable.startswith('/')", "{m} = len(os.listdir('/')) > 0", "{m} = os.getcwd() == '/nowhere'", "{m} = os.path.exists('/etc/passwd')", "{m} = platform.system()"]), m=maker.name("m"))
    maker.show(f"m{maker.count}")
