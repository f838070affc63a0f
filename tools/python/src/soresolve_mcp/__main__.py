"""`python -m soresolve_mcp`."""

from soresolve_mcp.cli import entry

if __name__ == "__main__":
    entry()
