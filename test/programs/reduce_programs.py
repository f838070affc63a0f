"""Makes programs shorter as long as they are wrong in the same way: files and statements are left out, a block takes the
place of the statement that holds it, an expression the place of one around it. All programs take each step together, as
a batch of questions costs little more than one."""
import ast
import itertools
import re
import time

CANDIDATES = 40  # of a program, in one step
MOST_SECONDS = 100


def lists_of_statements(tree):
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            some = getattr(node, field, None)
            if isinstance(some, list) and some:
                yield node, field, some


def inner_blocks(statement):
    for field in ("body", "orelse", "finalbody"):
        if getattr(statement, field, None):
            yield getattr(statement, field)
    for clause in getattr(statement, "handlers", []) + getattr(statement, "cases", []):
        yield clause.body


def with_statements(tree):
    """Changes the tree by one step after the other, and takes each back behind the yield."""
    for node, field, some in list(lists_of_statements(tree)):
        whole = list(some)
        size = len(whole)
        while size >= 1:
            for begin in range(0, len(whole), size):
                left = whole[:begin] + whole[begin + size:]
                is_needed = not left and field == "body" and not isinstance(node, ast.Module)
                some[:] = [ast.Pass()] if is_needed else left
                yield
            size //= 2
        for place, statement in enumerate(whole):
            for block in inner_blocks(statement):
                some[:] = whole[:place] + block + whole[place + 1:]
                yield
        some[:] = whole


def simpler(node):
    yield from [child for child in ast.walk(node) if child is not node and isinstance(child, ast.expr)][:12]
    if not isinstance(node, (ast.Constant, ast.Name)):
        yield from (ast.Constant(0), ast.Constant(""), ast.List([], ast.Load()))


def with_expressions(tree):
    for parent in list(ast.walk(tree)):
        for field, value in list(ast.iter_fields(parent)):
            for place, node in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                    continue
                if isinstance(value, list) and field not in ("ops", "values", "keys", "comparators", "targets"):
                    value.pop(place)
                    yield
                    value.insert(place, node)
                for other in simpler(node):
                    if isinstance(value, list):
                        value[place] = other
                        yield
                        value[place] = node
                    else:
                        setattr(parent, field, other)
                        yield
                        setattr(parent, field, node)


def shorter(source):
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    seen = {source}
    for _ in itertools.chain(with_statements(tree), with_expressions(tree)):
        try:
            text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
            ast.parse(text)
        except (SyntaxError, ValueError, AttributeError, IndexError, TypeError):
            continue
        if text not in seen and len(text) < len(source) + (source.count("\n") > 3):
            seen.add(text)
            yield text


def candidates_of(files):
    for path in files:
        if path != "main.py":
            yield {other: text for other, text in files.items() if other != path}
            if files[path]:
                yield {**files, path: ""}
    for path, source in files.items():
        for text in shorter(source):
            yield {**files, path: text}


class Case:
    def __init__(self, files, result, real, claimed):
        self.files = {path: re.sub(r"\n\n+", "\n", source) for path, source in files.items()}
        self.result, self.real, self.claimed = result, real, claimed
        self.left = candidates_of(self.files)

    def take(self, files, real, claimed):
        self.files, self.real, self.claimed = files, real, claimed
        self.left = candidates_of(files)


def reduce_all(programs, ask, judge):
    """`programs`: (files, what is wrong). For each the shortest files, and both outcomes."""
    cases = [Case(files, result, *outcomes) for (files, result), outcomes in zip(programs, ask([files for files, _ in programs]))]
    ends_at = time.monotonic() + MOST_SECONDS
    while time.monotonic() < ends_at:
        batch = [(case, files) for case in cases for files in itertools.islice(case.left, CANDIDATES)]
        if not batch:
            break
        done = set()
        for (case, files), (real, claimed) in zip(batch, ask([files for _, files in batch])):
            if case not in done and judge(real, claimed) == case.result and "SyntaxError" not in real.text:
                done.add(case)
                case.take(files, real, claimed)
    return [(case.files, case.real, case.claimed) for case in cases]
