"""The transcripts in this folder: which command each is of."""

import pathlib
import shlex

FOLDER = pathlib.Path(__file__).resolve().parent
PROMPT = "$ soresolve "


def all_files():
    return sorted(FOLDER.glob("*.txt"))


def all_tables():
    return sorted(FOLDER.glob("*.table"))


def words_of(file):
    """The words of the command that `file` begins with, its own name left out."""
    return commands_of(file)[0]


def commands_of(file):
    """The words of each of the commands in `file`."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [shlex.split(line.removeprefix(PROMPT)) for line in lines if line.startswith(PROMPT)]


def split_input(words, root=""):
    """The words without `< FILE`, and what is in FILE of the folder messages, or beside the tree: standard input."""
    if len(words) > 2 and words[-2] == "<":
        is_beside = words[-1].startswith("HOST/")
        file = words[-1].replace("HOST", f"{root}.host", 1) if is_beside else FOLDER / "messages" / words[-1]
        return words[:-2], pathlib.Path(file).read_bytes()
    return words, b""


def in_tree(words, root):
    """The words of a command that is asked about the tree at `root`, with an empty environment, for one processor.

    Of diff: OLD and NEW are the two servers in `root`.pair, which MAKE_TREE --pair writes."""
    if words[0] == "diff":
        pair = {"OLD": f"{root}.pair/old", "NEW": f"{root}.pair/new"}
        return ["diff", "--clean-env", "--cpu", "x86-64-v3", *(pair.get(word, word) for word in words[1:])]
    world = ["--root", root, "--clean-env", "--cpu", "x86-64-v3"] if words[0] != "help" else []
    return [words[0], *world, *words[1:]]


def as_typed(words, root):
    """The same of a line in a .table: HOST/NAME lies beside the tree, standard input as well, and a word alone is the whole line."""
    if any(word.startswith("HOST/") for word in words):
        return [word.replace("HOST/", f"{root}.host/", 1) for word in words]
    if len(words) == 1 or words[-1] in ("-h", "--help", "-"):
        return words
    if words[0].startswith("-"):
        return [*words, *in_tree(["why"], root)[1:]]
    return in_tree(words, root)
