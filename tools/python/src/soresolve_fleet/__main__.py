"""`python -m soresolve_fleet`, and the entry of the archive that is sent to nodes."""
import sys

if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "probe":
        from soresolve_fleet.probe import main
        sys.exit(main(sys.argv[2:]))
    from soresolve_fleet.cli import entry
    entry()
