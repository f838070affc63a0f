"""axe-core, the rules of accessibility by Deque, as its wheel on PyPI carries it: fetched once into the test cache."""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

WHEEL, VERSION = "axe_playwright_python", "0.1.8"
DIGEST = "fdd263c998388f1a8e67cad02677e612d946248bd44d163be5e8650ea31f95f8"
RUN = """
const done = arguments[0];
axe.run().then((result) => done(result.violations.map(
    (one) => `${one.id}: ${one.nodes.length} of ${one.nodes[0].html.slice(0, 120)}`)),
    (error) => done([String(error)]));
"""


def script():
    """The text of axe.min.js, or None with the reason printed."""
    cache = Path(os.environ.get("SORESOLVE_TEST_CACHE") or Path.home() / ".cache/soresolve-test") / "axe"
    wheel = cache / f"{WHEEL}-{VERSION}-py3-none-any.whl"
    if not wheel.is_file():
        run = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
                              "--no-deps", "--retries", "1", "--timeout", "20", "--dest", str(cache), f"{WHEEL}=={VERSION}"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode or not wheel.is_file():
            print(f"skipped: axe-core cannot be had: {(run.stdout.strip().splitlines() or ['no wheel'])[-1]}")
            return None
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != DIGEST:
        print(f"skipped: {wheel} is not the wheel that was reviewed")
        return None
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(f"{WHEEL}/axe.min.js").decode()


def violations(browser, text):
    """One line for each rule that the open page breaks."""
    browser.execute_script(text)
    return browser.execute_async_script(RUN)
