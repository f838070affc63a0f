"""Makes programs shorter as long as they are wrong in the same way: statements are left out, a block takes the place of
the statement that holds it, an expression the place of one around it. All programs take each step together, as a batch
of questions costs little more than one."""
import ast
import copy
import re

MOST_STEPS = 60
CANDIDATES = 60  # of a program, in one step


def places(tree):
    """(parent, field, index) of each node; the index is None where the field is no list."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, list):
                for index, node in enumerate(value):
                    if isinstance(node, ast.AST):
                        yield parent, field, index
            elif isinstance(value, ast.AST):
                yield parent, field, None


def blocks_of(statement):
    for field in ("body", "orelse", "finalbody"):
        if block := getattr(statement, field, None):
            if isinstance(block, list):
                yield block
    for clause in getattr(statement, "handlers", []) + getattr(statement, "cases", []):
        yield clause.body


def replacements(node):
    """What may stand in place of a node: lists of statements, or an expression."""
    if isinstance(node, ast.stmt):
        yield []
        yield from blocks_of(node)
    elif isinstance(node, (ast.ExceptHandler, getattr(ast, "match_case", ast.ExceptHandler))):
        yield []
    elif isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", ast.Load()), (ast.Store, ast.Del)):
        yield from [child for child in ast.walk(node) if child is not node and isinstance(child, ast.expr)][:8]
        if not isinstance(node, (ast.Constant, ast.Name)):
            for text in ("0", "''", "[]"):
                yield ast.parse(text, mode="eval").body


def shorter(source):
    """Sources with one thing less, the greatest steps first."""
    tree = ast.parse(source)
    everything = list(places(tree))
    made = {}
    for number, (parent, field, index) in enumerate(everything):
        node = getattr(parent, field) if index is None else getattr(parent, field)[index]
        for choice, _ in enumerate(replacements(node)):
            twin = copy.deepcopy(tree)
            parent_of_twin, _, _ = list(places(twin))[number]
            inner = getattr(parent_of_twin, field)
            put = list(replacements(inner if index is None else inner[index]))[choice]
            if index is None:
                if isinstance(put, list):
                    continue
                setattr(parent_of_twin, field, put)
            elif isinstance(put, list):
                inner[index:index + 1] = put
                if not inner and field == "body" and not isinstance(parent_of_twin, ast.Module):
                    inner.append(ast.Pass())
            else:
                inner[index] = put
            try:
                text = ast.unparse(ast.fix_missing_locations(twin)) + "\n"
                ast.parse(text)
            except (SyntaxError, ValueError, AttributeError, IndexError):
                continue
            if len(text) < len(source):
                made[text] = None
    return sorted(made, key=len)


def candidates_of(files):
    if len(files) > 1:
        for path in files:
            if path != "main.py":
                yield {other: text for other, text in files.items() if other != path}
    for path, source in files.items():
        if path != "main.py" and source:
            yield {**files, path: ""}
    lists = [[{**files, path: text} for text in shorter(source)] for path, source in files.items()]
    while any(lists):
        for some in lists:
            if some:
                yield some.pop(0)


def reduce_all(cases, ask, judge):
    """`cases`: (files, kind of wrong). For each the shortest files, and both outcomes."""
    best = []
    for (files, kind), (real, claimed) in zip(cases, ask([files for files, _ in cases])):
        tidy = {path: re.sub(r"\n\n+", "\n", source) for path, source in files.items()}
        best.append([tidy, real, claimed, kind, True])
    for _ in range(MOST_STEPS):
        batch = []
        for number, (files, _, _, _, is_going) in enumerate(best):
            if is_going:
                batch += [(number, candidate) for candidate in list(candidates_of(files))]
        if not batch:
            break
        found = set()
        outcomes = ask([candidate for _, candidate in batch])
        for (number, candidate), (real, claimed) in zip(batch, outcomes):
            if number not in found and judge(real, claimed) == best[number][3] and "SyntaxError" not in real.text:
                found.add(number)
                best[number][:3] = [candidate, real, claimed]
        for number, one in enumerate(best):
            one[4] = one[4] and number in found
    return [tuple(one[:3]) for one in best]
