"""How the pages look and are used: at four widths, light and dark, on paper, by keys alone, for a screen reader."""

import json
import re
from pathlib import Path

import axe

SCRIPTS = Path(__file__).resolve().parents[2] / "lib/report/page"
COMPUTED = ("as-", "unused-", "works", "fails", "depends", "partly", "untried")  # names that the data complete

WIDTHS = (400, 850, 1280, 2000)

# Elements that reach beyond the right edge, but for what scrolls or is clipped in a frame of its own.
BEYOND = """
const edge = document.documentElement.clientWidth;
const isFramed = (element) => {
  for (let at = element.parentElement; at; at = at.parentElement)
    if (getComputedStyle(at).overflowX !== 'visible') return true;
  return false;
};
const list = [...document.querySelectorAll('main *')].filter((element) => !(element instanceof SVGElement) &&
    element.getBoundingClientRect().right > edge + 1 && !isFramed(element))
    .map((element) => element.outerHTML.slice(0, 90));
return document.documentElement.scrollWidth > edge + 1 ? ['the page', ...list] : list;
"""

# Words of table cells that stand on two lines. A path may be broken behind a slash.
BROKEN_WORDS = """
const broken = [];
for (const cell of document.querySelectorAll('td, th')) {
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest('.cut')) continue;
    for (const word of node.data.matchAll(/[^\\s/-]+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size > 1) broken.push(word[0]);
    }
  }
}
return broken;
"""

# The picture of the map: is all of it inside its frame, and the frame inside the window?
WHOLE = """
const svg = document.querySelector('#map svg.graph').getBoundingClientRect();
const frame = document.querySelector('#map .picture').getBoundingClientRect();
const isIn = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
return isIn(svg, frame) && svg.width > 50 && frame.bottom <= innerHeight && frame.right <= innerWidth;
"""

UNFOLD_LARGEST = """
const size = (box) => parseInt(box.querySelector('text').textContent);
const largest = [...document.querySelectorAll('.node.group')].sort((a, b) => size(b) - size(a))[0];
largest.dispatchEvent(new MouseEvent('click', {bubbles: true}));
"""

AREAS = """
const svg = document.querySelector('svg.treemap');
const boxes = [...svg.querySelectorAll('.area')].map((area) => {
  const rect = area.querySelector('rect');
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(rect.getAttribute(name)));
  return {bytes: Number(area.dataset.bytes), x, y, width, height};
});
const {width, height} = svg.viewBox.baseVal;
return {boxes, width, height};
"""

# Where the focus is, how it is seen, and whether it went forward in the document.
FOCUS = """
const at = document.activeElement;
const isForward = !window.lastFocus ||
    !!(window.lastFocus.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING);
window.lastFocus = at;
const shape = at.querySelector(':scope > rect');
const isSeen = getComputedStyle(at).outlineStyle !== 'none' ||
    (shape !== null && parseFloat(getComputedStyle(shape).strokeWidth) >= 2.5);
return [at === document.body, isForward, isSeen, at.outerHTML.slice(0, 80)];
"""


def set_width(reader, width):
    reader.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                   {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})


def set_media(reader, media="", scheme="light"):
    reader.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})


def settle(reader):
    """Until what was changed is laid out and drawn anew."""
    reader.browser.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))")


def check_widths(reader):
    for width in WIDTHS:
        set_width(reader, width)
        settle(reader)
        beyond = reader.run(BEYOND)
        reader.expect(beyond == [], f"nothing is wider than a screen of {width} {beyond}")
        if width > 400:
            broken = reader.run(BROKEN_WORDS)
            reader.expect(broken == [], f"no word of a table is broken at {width} {broken}")
        reader.shot(str(width))
    reader.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def check_rules(reader, text):
    """axe-core, light and dark."""
    if text is None:
        return
    for scheme in ("light", "dark"):
        set_media(reader, scheme=scheme)
        settle(reader)
        violations = axe.violations(reader.browser, text)
        reader.expect(violations == [], f"axe-core has nothing to say of it, {scheme} {violations}")
        reader.shot(scheme)
    set_media(reader)


def check_paper(reader):
    """Everything is open and no control is printed; after that the page is as it was."""
    closed = reader.run("return document.querySelectorAll('details:not([open])').length")
    set_media(reader, media="print")
    reader.run("window.dispatchEvent(new Event('beforeprint'))")
    settle(reader)
    left = reader.run("return document.querySelectorAll('#page details:not([open])').length")
    reader.expect(left == 0 < closed, f"on paper all of {closed} folded parts are open")
    shown = reader.run("""return [...document.querySelectorAll(
        '.bar button, .search, .controls button, .controls input, button.small, .cut')].filter((element) =>
        element.className === 'cut' ? getComputedStyle(element).fontSize === '0px' :
        element.checkVisibility()).length""")
    reader.expect(shown == 0, "no button is printed, and no path is shortened")
    hidden = reader.run("return [...document.querySelectorAll('tr')].filter((row) => !row.checkVisibility()).length")
    reader.expect(hidden == 0, "every attempt is printed")
    beyond = reader.run(BEYOND)
    reader.expect(beyond == [], f"nothing is wider than the paper {beyond}")
    reader.run("window.dispatchEvent(new Event('afterprint'))")
    set_media(reader)
    settle(reader)
    again = reader.run("return document.querySelectorAll('details:not([open])').length")
    reader.expect(again >= closed, "what was folded is folded again")


def check_keys(reader):
    """Tab goes down the page, and each stop is seen."""
    from selenium.webdriver.common.keys import Keys
    reader.run("document.activeElement.blur(); window.scrollTo(0, 0); window.lastFocus = null")
    stops = []
    for _ in range(14):
        reader.press(Keys.TAB)
        is_end, is_forward, is_seen, name = reader.run(FOCUS)
        if is_end:
            break
        stops.append(name)
        if not (is_forward and is_seen):
            reader.expect(False, f"the focus goes forward and is seen: {name}")
    reader.expect(len(stops) > 6, f"{len(stops)} stops of the focus")


def check_attempts(reader):
    """One row a directory; a click, or the space bar, shows its subdirectories."""
    from selenium.webdriver.common.keys import Keys
    count = "return document.querySelectorAll('.panel table.attempts tbody tr:not([hidden])').length"
    before = reader.run(count)
    folded = reader.text(".panel .fold")
    total = len(reader.text(".panel table.attempts tbody tr"))
    sums = sum(int(label) for label in folded)
    reader.expect(0 < before < total and before + sums == total, f"{total} attempts in {before} rows, {sums} folded")
    reader.run("document.querySelector('.panel .fold').focus()")
    reader.press(Keys.SPACE)
    reader.expect(reader.run(count) == before + int(folded[0]), f"the space bar unfolds {folded[0]}")
    reader.press(Keys.SPACE)
    reader.expect(reader.run(count) == before, "and folds them again")


def check_areas(reader, lines):
    """Areas of the treemap are in proportion and add up; a package opens to its files."""
    from selenium.webdriver.common.keys import Keys
    total = sum(next(line for line in lines if line["type"] == "sizes")["bytes"])
    reader.run("const out = document.querySelector('[data-zoom=out]'); if (out) out.click()")
    for name in ("packages", "files"):
        drawn = reader.run(AREAS)
        boxes, surface = drawn["boxes"], drawn["width"] * drawn["height"]
        told = sum(box["bytes"] for box in boxes)
        reader.expect(told == total > 0, f"the areas of {len(boxes)} {name} are {told} bytes of {total}")
        wrong = [box for box in boxes
                 if abs(box["width"] * box["height"] / surface - box["bytes"] / total) > 0.001
                 or box["x"] + box["width"] > drawn["width"] + 0.01
                 or box["y"] + box["height"] > drawn["height"] + 0.01]
        reader.expect(wrong == [], f"each is in proportion, and inside {wrong[:2]}")
        overlaps = sum(a["x"] < b["x"] + b["width"] - 0.01 and b["x"] < a["x"] + a["width"] - 0.01 and
                       a["y"] < b["y"] + b["height"] - 0.01 and b["y"] < a["y"] + a["height"] - 0.01
                       for i, a in enumerate(boxes) for b in boxes[:i])
        reader.expect(overlaps == 0, "no two overlap")
        if name == "packages":
            total = max(box["bytes"] for box in boxes)
            reader.run("document.querySelector('.area[tabindex=\"0\"]').focus()")
            reader.press(Keys.ENTER)
    reader.press(Keys.ESCAPE)
    reader.expect(reader.run("return document.querySelector('[data-zoom=out]') === null"), "Escape leads back")


def check_copied(reader):
    """A path whose middle is an ellipsis is copied whole."""
    paths = reader.run("""const shown = [...document.querySelectorAll('.cut')].filter((cut) => cut.checkVisibility());
    return shown.slice(0, 20).map((cut) => {
      const path = cut.closest('.path');
      getSelection().selectAllChildren(path);
      const copied = String(getSelection());
      getSelection().removeAllRanges();
      return [path.title, copied];
    })""")
    reader.expect(paths != [] and all(title == copied for title, copied in paths),
                  f"{len(paths)} shortened paths are copied whole {[pair for pair in paths if pair[0] != pair[1]][:2]}")


def check_said_once(reader, works):
    """How many processes work is said by the verdict alone."""
    seen = reader.run("return document.getElementById('page').innerText")
    found = re.findall(rf"\b{works}\b[^\n]*\bwork|\bworks? {works}\b", seen)
    reader.expect(len(found) <= 1, f"how many work is said once at most {found}")


def change_data(page, change):
    """Makes PAGE that of other data: what `change` leaves of them."""
    text = page.read_text(encoding="utf-8")
    begin = text.index('id="data">') + len('id="data">')
    end = text.index("</script>", begin)
    data = json.loads(text[begin:end])
    change(data)
    page.write_text(text[:begin] + json.dumps(data).replace("<", "\\u003c") + text[end:], encoding="utf-8")


def many_objects(data):
    """The answer of a file that loads 215 objects, five below each, beside what it had."""
    objects = data["objects"]
    library = next(one for one in objects if one["role"] == "library" and one["needs"])
    first = len(objects)
    for number in range(first, 215):
        made = json.loads(json.dumps(library))
        loader = 0 if number < first + 12 else first + (number - first) // 5
        name = f"libmade{number}.so.1"
        made.update(index=number, path=f"/usr/lib/x86_64-linux-gnu/{name}", soname=None, loader=loader, needs=[])
        objects.append(made)
        need = json.loads(json.dumps(library["needs"][0]))
        need.update(name=name, written=name, target=number, resolution="mapped", attempts=[])
        objects[loader]["needs"].append(need)
        data["list"].append(number)


def nobody_provides(data):
    """The same answer of `check` where no library had to define the symbols."""
    for lost in data["undefined"]:
        lost.update(provider=None, required_from=None, version=None)


def check_words(expect):
    """Each word that a script says is there in both languages, and each that is there is said."""
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SCRIPTS.glob("*.js")) if path.stem != "words")
    rows = re.findall(r"^  '?([\w-]+)'?: (\[.*?\]),$", (SCRIPTS / "words.js").read_text(encoding="utf-8"), re.M | re.S)
    words = {name: re.findall(r"'((?:[^'\\]|\\.)*)'", texts) for name, texts in rows}
    expect(len(words) > 100 and len(words) == len(rows), f"{len(words)} words, each once")
    holes = [name for name, texts in words.items()
             if len(texts) != 2 or not all(texts) or
             set(re.findall(r"\{\w+\}", texts[0])) != set(re.findall(r"\{\w+\}", texts[1]))]
    expect(holes == [], f"each in two languages, with the same blanks {holes}")
    said = set(re.findall(r"\bsay\('([\w-]+)'[,)]", scripts))
    expect(said <= set(words), f"each that is said is there {sorted(said - set(words))}")
    unsaid = [name for name in words if f"'{name}'" not in scripts and not name.startswith(COMPUTED)]
    expect(unsaid == [], f"each that is there is said {unsaid}")
