"""Which places a client may ask about.

The client's roots and the server's --allow bound what a path in an argument can name, after symbolic links: `..` and
links lead nowhere else. A name without a directory (libc.so.6) is searched as the loader does it, in the system's
directories, and its answer names what is found there. Without roots and without --allow nothing is bounded: the
server then is the command, with the rights of its user.

Not here: what a file inside names itself (DT_NEEDED, RPATH, a script's interpreter). That is read wherever it lies,
because the loader would; answers have paths and names from there, and no contents. Nor a link that somebody replaces
between this check and the command's reading.
"""

from __future__ import annotations

import os
import re
import urllib.parse
from dataclasses import dataclass
from typing import Iterable, Optional

# What a message may name besides: programs and libraries of the system, which every answer names anyway.
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/ld.so.preload")
_END_OF_WORD = r"\s\"'`‘’“”:;,()<>|=\[\]{}\x00-\x1f"


class Refused(Exception):
    """A question that is not answered: a sentence for the client."""


@dataclass(frozen=True)
class Places:
    """The directories and files that may be asked about, as real paths; None: all."""

    allowed: Optional[tuple[str, ...]]

    def has(self, path: str) -> bool:
        """Does the path, relative to this process's directory, lie inside after symbolic links?"""
        return self.allowed is None or _is_below(os.path.realpath(path), self.allowed)

    def check(self, path: str) -> str:
        """The path, if it may be asked about. Raises Refused."""
        if not self.has(path):
            raise Refused(
                f"{path} may not be asked about: it is outside of {self.sentence()}; whoever configures this server can "
                "add a directory with --allow DIR"
            )
        return path

    def sentence(self) -> str:
        """What is allowed, in words."""
        if self.allowed is None:
            return "nothing: every path is allowed"
        return ", ".join(self.allowed) if self.allowed else "what is allowed, which is nothing"

    def first_outside(self, text: str, cwd: str) -> Optional[str]:
        """The first word of a message that is a path outside; `..` counts as outside, whatever it leads to."""
        if self.allowed is None:
            return None
        for word in re.findall(f"[^{_END_OF_WORD}]+", re.sub(r"\bhttps?://\S+", " ", text)):
            path = os.path.join(cwd, os.path.expanduser(word) if word.startswith("~") else word)
            if not word.startswith(("/", "~", ".")) and not os.path.lexists(path):
                continue  # a word or a name
            real = os.path.realpath(path)
            if ".." in word.split("/") or not _is_below(real, self.allowed + _SYSTEM):
                return str(word)
        return None


def _is_below(path: str, places: Iterable[str]) -> bool:
    return any(path == place or place == "/" or path.startswith(place + "/") for place in places)


def places_of(allow: Iterable[str], roots: Optional[Iterable[str]]) -> Places:
    """`allow`: paths; `roots`: the URIs that the client declares, None if it declares none. Other URIs than file://
    allow nothing."""
    allow = tuple(allow)
    if not allow and roots is None:
        return Places(None)
    paths = [os.path.realpath(path) for path in allow]
    for root in roots or ():
        uri = urllib.parse.urlsplit(root)
        path = urllib.parse.unquote(uri.path, errors="surrogateescape")
        if uri.scheme == "file" and uri.netloc in ("", "localhost") and path.startswith("/") and "\0" not in path:
            paths.append(os.path.realpath(path))
    return Places(tuple(paths))
