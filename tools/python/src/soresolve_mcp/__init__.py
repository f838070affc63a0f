"""An MCP server: an assistant that helps with an ImportError asks this machine instead of guessing.

The command `soresolve` answers, in a process of its own with bounds; here its JSON becomes typed results and a few
lines. Nothing is written, and no analysed file is executed. See lib/docs/assistants.md.
"""

from soresolve import __version__

__all__ = ["__version__"]
