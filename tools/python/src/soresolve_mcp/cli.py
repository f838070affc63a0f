"""The command `soresolve-mcp`.

Exit status: 0 the client has closed the connection, 2 the server cannot be started as asked.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Optional, Sequence

from soresolve_mcp import __version__

_NEEDS = 'soresolve-mcp: {}: pip install "soresolve[mcp]"'


class Refused(Exception):
    """Why the server cannot be started: a sentence."""


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError("is not a positive number")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="soresolve-mcp",
        description="An MCP server over standard input and output: why, check, explain, symvers, doctor and scan as tools "
        "of an assistant. It reads files, runs none of them and writes nothing.",
        epilog="exit status: 0 the client has closed the connection, 2 the server cannot be started as asked",
    )
    parser.add_argument("--version", action="version", version=f"soresolve-mcp {__version__}")
    parser.add_argument("--allow", action="append", default=[], metavar="DIR", help="a directory or file that may be "
                        "asked about; repeatable. The roots that the client declares are added to them. Without either, "
                        "everything that this user can read")
    parser.add_argument("--timeout", type=_positive, default=60, metavar="S", help="of one call (default: 60)")
    parser.add_argument("--memory", type=_positive, default=4096, metavar="MIB", help="address space of the process of "
                        "one call (default: 4096)")
    parser.add_argument("--calls", type=int, choices=range(1, 65), default=4, metavar="N", help="calls at once, 1 to 64; "
                        "further ones wait (default: 4)")
    parser.add_argument("--characters", type=int, choices=range(1000, 1_000_001), default=20_000, metavar="N",
                        help="of one answer, 1000 to 1000000; the rest is left out and counted (default: 20000)")
    return parser


def _require_mcp() -> None:
    import importlib.metadata

    if sys.version_info < (3, 10):
        raise Refused("soresolve-mcp: Python 3.10 or newer is required, by mcp")
    try:
        release = importlib.metadata.version("mcp")
        import mcp  # noqa: F401
    except (ImportError, importlib.metadata.PackageNotFoundError):
        raise Refused(_NEEDS.format("mcp is not installed")) from None
    if release.split(".")[0] != "2":
        raise Refused(_NEEDS.format(f"mcp {release} is installed, mcp >= 2, < 3 is required"))


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Serves one client; the exit status."""
    options = _parser().parse_args(arguments)
    try:
        _require_mcp()
        for place in options.allow:
            if not os.path.exists(place):
                raise Refused(f"soresolve-mcp: --allow {place}: does not exist")
    except Refused as error:
        print(error, file=sys.stderr)
        return 2
    from soresolve_mcp.server import serve
    from soresolve_mcp.tools import Settings

    serve(
        Settings(
            allow=tuple(options.allow),
            seconds=options.timeout,
            memory_bytes=int(options.memory * (1 << 20)),
            calls=options.calls,
            characters=options.characters,
        )
    )
    return 0


def entry() -> None:
    """For the installed command."""
    sys.exit(main())
