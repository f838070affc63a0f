"""The dynamic ELF files of a machine: which of them can be judged, and why the others cannot."""

import os
import stat
import typing

import loader_trace

ROOTS = ["/usr", "/opt", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]


class Subject(typing.NamedTuple):
    path: str
    header: loader_trace.ElfHeader


def walk(roots):
    """Yields (path, lstat) of each file and link below `roots`, in a stable order."""
    pending = [os.path.realpath(root) for root in reversed(roots) if os.path.isdir(root)]
    while pending:
        try:
            entries = sorted(os.scandir(pending.pop()), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
                yield entry.path, entry.stat(follow_symlinks=False)


def links_elsewhere(path):
    """Whether the symbolic link `path` leads to a regular file in another directory."""
    target = os.path.realpath(path)
    return os.path.isfile(target) and os.path.dirname(target) != os.path.dirname(path)


def find_subjects(roots, skipped):
    """The ELF programs and libraries below `roots`; counts the others in `skipped`."""
    subjects, seen = [], set()
    for path, status in walk(roots):
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        if stat.S_ISLNK(status.st_mode) and not links_elsewhere(path):
            continue
        if "\n" in path:
            skipped["a newline in its name"].append(path)
            continue
        try:
            header = loader_trace.read_elf_header(path)
        except OSError as error:
            skipped[f"unreadable: {error.strerror}"].append(path)
            continue
        if header is None:
            continue
        if header.type not in (loader_trace.ET_EXEC, loader_trace.ET_DYN):
            skipped["neither program nor library (objects, kernel modules, core files)"].append(path)
            continue
        subjects.append(Subject(path, header))
    return subjects


def spread(items, at_most):
    """At most so many of them, evenly spread; all where `at_most` is 0."""
    return items[::max(1, -(-len(items) // at_most))] if at_most else items


def print_skipped(skipped, verbose):
    for reason, paths in sorted(skipped.items(), key=lambda item: -len(item[1])):
        print(f"  skipped {len(paths):5}  {reason}")
        for path in paths if verbose else []:
            print(f"           {path}")
