"""What an entry of Meson's testlog.json says of a test; for run_tests and summarise."""

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP", "IGNORED"}


def lines_of(entry):
    return (entry.get("stdout", "") + entry.get("stderr", "")).splitlines()


def short_name(entry):
    """Without the suites."""
    return entry["name"].split(" / ", 1)[-1]


def reason_of(entry):
    """Why it was skipped: the last line that it printed."""
    said = [line.strip() for line in lines_of(entry) if line.strip()]
    return said[-1][:120] if said else "no reason printed"
