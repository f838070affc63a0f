"""A headless browser that opens pages of a disk, and tells what it complained of and what it asked for."""

import json
import shutil
import sys
from pathlib import Path

BROWSER, DRIVER = "chromium", "chromedriver"
SKIPPED = 77


def start():
    """A browser, or the end of the test where there is none."""
    missing = [name for name in (BROWSER, DRIVER) if shutil.which(name) is None]
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        missing.append("python3-selenium")
    if missing:
        print("skipped: not here: " + ", ".join(missing))
        sys.exit(SKIPPED)
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which(BROWSER)
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1400,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(shutil.which(DRIVER)))
    browser.set_page_load_timeout(30)
    browser.set_script_timeout(30)
    return browser


def complaints(browser):
    """Lines of the console, errors of scripts and refusals of the policy among them."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def requests(browser, page):
    """What was asked for that is not the page itself."""
    asked = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            if url != Path(page).as_uri() and not url.startswith("blob:"):
                asked.append(url)
    return asked
