"""Opens every page of a report in Chromium and prints TAP.

    python3 report.py REPORT WHYFAST

Each page is looked at in its states (look.py) at 1280 and 390 pixels, in light and dark. Every link
must lead somewhere, and the budgets of the pages are kept: bytes, visible words, printed pages.
Without JavaScript the index and the ladders show their tables and pictures. The numbers of a step
are those that `whyfast explain` prints. CHROMIUM names the browser, JOBS how many run at a time.
"""

import collections
import concurrent.futures
import csv
import html.parser
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.parse

import tap
from chromium import Failure, Tab
from look import WIDTHS, look_at, told_once, url_of

# Most bytes of a page with its styles, scripts and data, most visible words, most printed pages.
BUDGETS = {"index.html": (300e3, 600, 12), "ladder": (600e3, 2500, 12),
           "conflicts.html": (400e3, None, None), "report.html": (4e6, None, None)}
MARKDOWN_BYTES, MARKDOWN_LINES = 60e3, 400
# All files but the tables of the run and the single file, which is made on request: 8 MB for ten
# ladders, and 1 MB more for each further one.
LADDERS, ALL_BYTES, LADDER_BYTES = 10, 8e6, 1e6
LETTERS_LEAST = 9  # pixels, of the letters of a picture
SLOW = 5  # seconds; a page that takes longer to load is broken
DRAWN = 1  # second until a page shows its first sentence, at the best of three times
SENTENCES = {"compare.html": "#result h2", "ladder": ".js .step.chosen .headline"}  # else "main p"


class Ids(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids = set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        self.ids.update(value for name, value in attrs if name == "id")


class Report:
    def __init__(self, directory, program):
        self.directory, self.program = directory, program
        self.pages = sorted(name for name in os.listdir(directory) if name.endswith(".html"))
        self.ladders = [name for name in self.pages if name.startswith("ladder-")]
        self.ids = {name: Ids(self.path(name)).ids for name in self.pages}
        self.steps = {i[5:] for ids in self.ids.values() for i in ids if i.startswith("step=")}

    def path(self, name):
        return os.path.join(self.directory, name)

    def size(self, name):
        return os.path.getsize(self.path(name))


# ---- links and budgets ---------------------------------------------------------------------------

def wrong_with(report, page, link):
    """Returns why a link of a page leads nowhere, or None. Links to the net are not followed."""
    target = urllib.parse.urlsplit(link)
    if target.scheme in ("http", "https", "data", "blob"):
        return None
    if target.scheme or target.netloc:
        return "has a scheme that no page needs"
    name = urllib.parse.unquote(target.path) or page
    path = os.path.normpath(report.path(name))
    if not path.startswith(os.path.normpath(report.directory) + os.sep):
        return "leaves the report"
    if not os.path.exists(path):
        return "there is no such file"
    if not target.fragment:
        return None
    # The address of a state: #step=gemm/11&size=8192x8192x8192, #a=gemm/10&b=gemm/11.
    fragment = urllib.parse.unquote(target.fragment)
    ids, first = report.ids.get(name, ()), fragment.split("&")[0]
    if fragment in ids or first in ids or name == page and first.startswith("ladder="):
        return None
    rungs = [word[2:] for word in fragment.split("&") if word[:2] in ("a=", "b=")]
    if name == "compare.html" and rungs and all(rung in report.steps for rung in rungs):
        return None
    return "there is no such anchor"


def files_of(report, page):
    """The page and the files that it loads, without pictures."""
    with open(report.path(page), encoding="utf-8") as file:
        text = file.read()
    return [page, *set(re.findall(r'(?:script src|stylesheet" href)="([^"]*)"', text))]


def check_links(report, looks):
    seen = set()
    for look in looks:
        seen.update((os.path.basename(look.path), link) for link in look.links if link)
    text = open(report.path("report.md"), encoding="utf-8").read()
    seen.update(("report.md", link) for link in re.findall(r"\]\(([^)\s]+)\)", text))
    wrong = [f"{page}: {link}: {why}" for page, link in sorted(seen)
             if (why := wrong_with(report, page, link))]
    tap.result(not wrong, f"{len(seen)} links lead somewhere", wrong)


def check_budgets(report, looks):
    for page in report.pages:
        limits = BUDGETS.get("ladder" if page in report.ladders else page)
        if not limits:
            continue
        size = sum(report.size(name) for name in files_of(report, page))
        tap.result(size <= limits[0], f"{page} loads {size / 1e3:.0f} of {limits[0] / 1e3:.0f} kB")
        words = max(look.words for look in looks if os.path.basename(look.path) == page)
        if limits[1]:
            tap.result(words <= limits[1], f"{page} shows {words} of {limits[1]} words")
    lines = open(report.path("report.md"), encoding="utf-8").read().count("\n")
    size = report.size("report.md")
    tap.result(lines <= MARKDOWN_LINES and size <= MARKDOWN_BYTES,
               f"report.md has {lines} of {MARKDOWN_LINES} lines and {size / 1e3:.0f} of "
               f"{MARKDOWN_BYTES / 1e3:.0f} kB")
    size = sum(os.path.getsize(os.path.join(place, name))
               for place, _, names in os.walk(report.directory) for name in names
               if place != report.directory or not name.endswith((".csv", "report.html")))
    limit = ALL_BYTES + LADDER_BYTES * max(0, len(report.ladders) - LADDERS)
    tap.result(size <= limit, f"all files but the tables take {size / 1e6:.2f} of "
                              f"{limit / 1e6:.0f} MB")


# ---- paper, and no JavaScript --------------------------------------------------------------------

def pages_of(pdf):
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


def print_page(tab, report, page):
    tab.view(1280, "light")
    tab.load(url_of(report.path(page)))
    return pages_of(tab.print_to_pdf())


def ranks_on_paper(tab, report):
    tab.view(1280, "light")
    tab.load(url_of(report.path("conflicts.html")))
    tab.paper()
    return tab.evaluate("[...document.querySelectorAll('main > .kernel > summary')]"
                        ".map(e => e.checkVisibility() && e.innerText.trim().length > 0)")


def pixels_of_a_map(tab, report):
    """Of the first bank map, in the colour of lanes that are later."""
    tab.view(1280, "light")
    tab.load(url_of(report.path("conflicts.html")))
    tab.evaluate("document.querySelector('.maps').closest('.kernel').open = true")
    return tab.painted(".maps svg", [0xd5, 0x5e, 0x00])


# The letters of drawings in a page, at the size at which it shows them, and the width of pictures.
LETTERS = """(() => {
    document.querySelectorAll('.kernel').forEach((fold, at) => { fold.open = at < 3; });
    const letters = {}, pictures = {}, scale = svg => {
        const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
        return Math.min(box.width / view.width, box.height / view.height);
    };
    const size = text => parseFloat(getComputedStyle(text).fontSize);
    const least = (kind, pixels) => { if (pixels > 0 && !(letters[kind] <= pixels)) letters[kind] = pixels; };
    for (const text of document.querySelectorAll('svg[viewBox] text'))
        least(text.ownerSVGElement.classList[0], size(text) * scale(text.ownerSVGElement));
    for (const map of document.querySelectorAll('.maps svg'))
        least('map', size(document.querySelector('.labels')) * scale(map) / 10);
    for (const image of document.querySelectorAll('figure img'))
        pictures[image.getAttribute('src')] = image.getBoundingClientRect().width;
    return { letters, pictures };
})()"""


def letters_on(tab, report, page, width, style=""):
    """The smallest letters of each kind of drawing and picture, in pixels, where they are shown."""
    tab.view(width, "light")
    tab.load(url_of(report.path(page)))
    tab.evaluate("void document.head.append(Object.assign(document.createElement('style'), "
                 f"{{ textContent: {json.dumps(style)} }}))")
    found = tab.evaluate(LETTERS)
    least = collections.Counter(found["letters"])
    for picture, shown in found["pictures"].items():
        with open(report.path(picture), encoding="utf-8") as file:
            text = file.read()
        wide = float(re.search(r'viewBox="0 0 ([0-9.]+)', text).group(1))
        letters = min(float(size) for size in re.findall(r'font-size="([0-9.]+)"', text))
        kind = re.sub("-.*", "", os.path.basename(picture).removesuffix(".svg"))
        if shown:
            least[kind] = min(least.get(kind, shown), letters * shown / wide)
    return least


ON_PAPER = """(() => {
    const data = Object.values(whyfast.ladders)[0], of_size = data.steps[data.sizes[0].size] || {};
    const seen = () => [...document.querySelectorAll('.step')].filter(e =>
        e.querySelector('[data-part="waterfall"] svg')).map(e => e.dataset.variant);
    dispatchEvent(new Event('beforeprint'));
    const paper = seen();
    dispatchEvent(new Event('afterprint'));
    return { paper, screen: seen(), steps: data.rungs.map(r => r.variant).filter(v =>
        of_size[v] && of_size[v].causes.length) };
})()"""


def steps_on_paper(tab, report, page):
    tab.view(1280, "light")
    tab.load(url_of(report.path(page)))
    return tab.evaluate(ON_PAPER)


def seconds_until_drawn(tab, report, page):
    selector = SENTENCES.get("ladder" if page in report.ladders else page, "main p")
    seconds = []
    for _ in range(3):
        tab.view(1280, "light")
        tab.at_start("""(() => {
            const look = () => {
                const sentence = document.querySelector(%s);
                if (sentence && sentence.innerText.trim())
                    requestAnimationFrame(() => setTimeout(() => { window.drawn = performance.now(); }));
                else requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
        })()""" % json.dumps(selector))
        tab.load(url_of(report.path(page)))
        seconds.append(tab.evaluate("""new Promise(done => {
            const ask = () => window.drawn ? done(window.drawn / 1000) : setTimeout(ask, 5);
            ask();
        })""", SLOW))
    return min(seconds)


WITHOUT_SCRIPTS = """(() => {
    const seen = selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility());
    return { scripts: document.documentElement.classList.contains('js'),
        rows: seen('tbody tr').filter(e => e.innerText.trim()).length,
        pictures: seen('img').filter(e => e.complete && e.naturalWidth > 0).length
            + seen('svg, .way').filter(e => e.getBoundingClientRect().width > 20).length,
        broken: [...document.images].filter(e => e.loading !== 'lazy' && !e.naturalWidth).length };
})()"""


def without_scripts(tab, report, page):
    # High enough for all pictures to be loaded.
    tab.view(1280, "light", height=20000, scripts=False)
    tab.load(url_of(report.path(page)))
    return tab.evaluate(WITHOUT_SCRIPTS)


# ---- a question, and the numbers of its answer ---------------------------------------------------

TINY = 0.1  # ns; causes that save less are rounding
DIGITS = 1e-8  # of a time: the tables, from which the pages are made, have nine digits
UNITS = {"ns": 1, "µs": 1e3, "us": 1e3, "ms": 1e6, "s": 1e9}


def printed(words):
    """Returns the value of a time such as −2.525 µs in ns, and half of its last digit."""
    match = re.search(r"([+−-]?)(\d+(?:\.(\d+))?)(?:e(-\d+))?\s*(ns|µs|us|ms|s)\b", words)
    if not match:
        return None
    sign, digits, decimals, power, unit = match.groups()
    by = UNITS[unit] * 10 ** int(power or 0)
    return (-1 if sign in ("−", "-") else 1) * float(digits) * by, \
        0.5 * by * 10 ** -len(decimals or "")


def is_printed(value, words, error=0):
    """Whether words show this time. The data of a page have four digits, so that a value may have
    been rounded twice."""
    shown = printed(words)
    return shown is not None and abs(shown[0] - value) <= 1.1 * shown[1] + error


STEP = """(() => {
    const step = document.querySelector('.step.chosen'), main = step.closest('main');
    const row = [...main.querySelectorAll('.steps tr')].find(e => e.dataset.variant === step.dataset.variant);
    const part = name => step.querySelector(`[data-part="${name}"]`);
    const own = node => [...node.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('');
    const fold = [...step.querySelectorAll('details')].find(e => /^All causes/.test(e.innerText));
    if (fold) fold.open = true;
    const data = Object.values(whyfast.ladders).find(d => d.family === main.dataset.family);
    const measured = data.sizes.filter(s => (data.steps[s.size] || {})[step.dataset.variant]).length;
    return new Promise(done => setTimeout(() => done({
        unlinked: Math.min(8, Math.max(0, measured - 1)) - part('sizes').querySelectorAll('a').length,
        headline: part('headline').innerText.replace(/\\u00a0/g, ' '), row: [...row.cells].map(e => e.innerText),
        experiments: step.querySelectorAll('.experiments tbody tr').length,
        untold: data.sizes.some(s => ((data.steps[s.size] || {})[step.dataset.variant] || {}).experiments) &&
            !step.querySelector('.experiments tbody tr, .experiments a'),
        bars: [...part('waterfall').querySelectorAll('text')].map(own),
        causes: fold ? [...fold.querySelectorAll('tbody tr')].map(r => [r.cells[0].innerText, r.cells[1].innerText]) : [],
    }), 0));
})()"""


def explain(report, family, step, size):
    words = [report.program, "explain", report.directory, f"{family}/{step['after']}",
             f"{family}/{step['variant']}", "-s", size, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"{' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def compare_step(report, tab, family, step, size):
    """Opens a step at a size; returns what differs from `whyfast explain` there."""
    name = f"step={family}/{step['key']}"
    tab.evaluate(f"location.hash = {json.dumps(name + '&size=' + size)}")
    # The state of the primary size is the shorter address, but this one leads there, too.
    tab.evaluate("new Promise(done => setTimeout(() => setTimeout(done, 20), 0))")
    shown, said = tab.evaluate(STEP), explain(report, family, step, size)
    wrong = []
    if shown["unlinked"]:
        wrong.append(f"{shown['unlinked']} other sizes have no link")
    if not is_printed(said["after"]["time_ns"], shown["row"][1]):
        wrong.append(f"time {shown['row'][1]}, not {said['after']['time_ns']} ns")
    bars = [bar for bar in shown["bars"] if printed(bar)]
    if not bars or not is_printed(said["before"]["time_ns"], bars[0]) \
            or not is_printed(said["after"]["time_ns"], bars[-1]):
        wrong.append(f"waterfall from {bars[:1]} to {bars[-1:]}, not from "
                     f"{said['before']['time_ns']} to {said['after']['time_ns']} ns")
    marks = [c["note"] for c in said["causes"]
             if not c["is_small"] and c["direction"] and c["note"]]
    marked = [bar for bar in shown["bars"] if any(bar.endswith(f" ({note})") for note in marks)]
    if len(marked) != len(marks):
        wrong.append(f"bars {marked}, not one with each of {marks}")
    # Why none was measured is no row of the page.
    tried = [e for e in said["experiments"] if e["knockout"] != "nothing"]
    if shown["experiments"] != len(tried) or shown["untold"]:
        wrong.append(f"{shown['experiments']} of {len(tried)} knock-outs"
                     f"{', and no link to them' if shown['untold'] else ''}")
    headline = shown["headline"].replace("\u00a0", " ").strip()
    if said.get("sentence") and said["sentence"].strip() != headline:
        wrong.append(f"“{headline}”, not “{said['sentence']}”")
    listed = [(c["title"], c["saved_ns"]) for c in said["causes"] if not c["is_small"]]
    cells = [(title, moved) for title, moved in shown["causes"] if "smaller ones" not in title]
    if [title for title, _ in listed] != [title for title, _ in cells]:
        wrong.append(f"causes {cells}, not {listed}")
    wrong += [f"{title} {moved}, not {saved} ns saved"
              for (title, moved), (_, saved) in zip(cells, listed)
              if not is_printed(-saved, moved, DIGITS * said["before"]["time_ns"] + TINY)]
    return [f"{name} at {size}: {words}" for words in wrong]


SAMPLE = """(data => {
    const sizes = data.sizes.map(s => s.size), of = size => data.rungs.filter(r =>
        r.after && ((data.steps[size] || {})[r.variant] || { causes: [] }).causes.length);
    const all = sizes.flatMap((size, i) => {
        const rungs = of(size), some = i ? [0] : [0, rungs.length >> 1, rungs.length - 1];
        return [...new Set(some.map(at => rungs[at]).filter(Boolean))].map(step => ({ size, step }));
    });
    return { family: data.family, steps: all };
})(Object.values(whyfast.ladders)[0])"""


def compare_numbers(tab, report, page):
    """Compares some steps at the primary size, and one at each other size, with explain."""
    tab.view(1280, "light")
    tab.load(url_of(report.path(page)))
    sample = tab.evaluate(SAMPLE)
    wrong = []
    for one in sample["steps"]:
        wrong += compare_step(report, tab, sample["family"], one["step"], one["size"])
    return len(sample["steps"]), wrong


def compare_formats(tab, report):
    """Compares how the script and the program write numbers."""
    tab.view(1280, "light")
    tab.load(url_of(report.path(report.ladders[0])))
    wrong = []
    with open(os.path.join(os.path.dirname(__file__), "formats.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        value, *written = row.values()
        shown = tab.evaluate(f"[whyfast.human({value}), whyfast.time({value}), "
                             f"whyfast.column([1234567, 12.3])({value}), "
                             f"whyfast.column([1234567], true)({value})]")
        shown = [text.replace("\u2212", "-").replace("\u00a0", " ") for text in shown]
        if shown != written:
            wrong.append(f"{value}: {shown} instead of {written}")
    return len(rows), wrong


def waits_for(tab, shown):
    """Waits until a page that is being loaded fulfils a condition; returns whether it does."""
    for _ in range(100):
        try:
            if tab.evaluate(f"document.readyState === 'complete' && !!({shown})"):
                return True
        except Failure:  # the page is being replaced
            pass
        time.sleep(0.05)
    return False


def two_clicks(tab, report):
    """Asks from the index why a step is faster: one click to its ladder, one to the step. The
    address of the step on the index leads there, too."""
    tab.view(1280, "light")
    tab.load(url_of(report.path("index.html")))
    ladder = max(report.ladders, key=report.size)
    step = sorted(i for i in report.ids[ladder] if re.match("step=.*/[0-8]", i))[-1]
    is_shown = f"""(step => step && step.checkVisibility()
        && step.getBoundingClientRect().top < innerHeight && step.getBoundingClientRect().top >= 0
        && step.querySelector('.headline').innerText.trim())(document.getElementById('{step}'))"""
    for link, shown in ((f'a[href^="{ladder}"]', "!!document.querySelector('.strip a.chosen')"),
                        (f'.strip:not(.sizes) a[href*="{step}"]', is_shown)):
        tab.evaluate(f"document.querySelector({json.dumps(link)}).click()")
        if not waits_for(tab, shown):
            return False, f"{link} does not show it"
    tab.load(url_of(report.path("index.html")))
    tab.evaluate(f"void (location.hash = {json.dumps(step)})")
    return waits_for(tab, is_shown), f"index.html#{step}"


SHOWN = """(() => {
    const step = document.querySelector('.step.chosen'), head = step && step.querySelector('.headline');
    if (!head || !head.innerText.trim()) return null;
    const data = Object.values(whyfast.ladders).find(d => d.family === step.closest('main').dataset.family);
    const size = new URLSearchParams(location.hash.slice(1)).get('size') || data.sizes[0].size;
    const { top, bottom } = head.getBoundingClientRect(), said = (data.steps[size] || {})[step.dataset.variant];
    const plain = words => words.replace(/\\s/g, ' ').trim();
    const others = [...step.querySelectorAll('[data-part="sizes"] a')].map(e => e.nextSibling.data);
    return { id: step.id, size, in_view: top >= 0 && bottom <= innerHeight, is_said: !!said
        && plain(step.querySelector('[data-part="headline"]').innerText) === plain(said.sentence),
        bare: others.filter(words => /(faster|slower)[.;]? *$/.test(words)),
        compares: [...step.querySelectorAll('.compare a')].map(e => e.getAttribute('href')) };
})()"""


def step_at_a_size(tab, report):
    """Asks from the index why a step is faster at another size: one click to its ladder at that size,
    one to the step, which is then on the screen, with a cause at the other sizes, too; one click
    more compares it with any rung at that size. The index leads to such a page by one click."""
    tab.view(1280, "light")
    index = url_of(report.path("index.html"))
    tab.load(index)
    links = tab.evaluate("[...document.querySelectorAll('a[href*=\"&size=\"]')].map(e => e.getAttribute('href'))")
    pairs = tab.evaluate("[...document.querySelectorAll('a[href^=\"compare.html#\"]')].map(e => e.getAttribute('href'))")
    if not links or not pairs:
        return False, "the index has no link to a size, or to two rungs"
    for link in links[:1] + links[-1:]:
        family, size = re.match(r".*#ladder=(.*)&size=(.*)", link).groups()
        tab.load(index)
        tab.evaluate(f"document.querySelector({json.dumps(f'a[href={json.dumps(link)}]')}).click()")
        if not waits_for(tab, f"({SHOWN} || {{}}).size === {json.dumps(size)}"):
            return False, f"{link} does not show the size"
        if not tab.evaluate("(box => box.top >= 0 && box.bottom <= innerHeight)(document.querySelector("
                            "'.sizes .chosen').getBoundingClientRect())"):
            return False, f"{link}: the sizes are not on the first screen"
        steps = tab.evaluate("[...document.querySelectorAll('.bar .strip:not(.sizes) a')].length")
        for number in range(1, steps):
            tab.evaluate(f"document.querySelectorAll('.bar .strip:not(.sizes) a')[{number}].click()")
            tab.evaluate("new Promise(done => setTimeout(() => setTimeout(done, 20), 0))")
            found = tab.evaluate(SHOWN)
            if not found:
                continue
            if not (found["in_view"] and found["is_said"] and found["size"] == size) or found["bare"]:
                return False, str(found)
            if [h for h in found["compares"] if f"&size={size}" not in h]:
                return False, str(found)
    shown = "document.querySelector('#result h2') && location.href.includes('compare.html#a=')"
    for page, link in (("index.html", pairs[0]), (None, found["compares"][0] if found else pairs[-1])):
        if page:
            tab.load(index)
            tab.evaluate(f"document.querySelector({json.dumps(f'a[href={json.dumps(link)}]')}).click()")
        else:
            tab.load(index.replace("index.html", link.replace("#", "#", 1)))
        if not waits_for(tab, shown):
            return False, f"{link} compares nothing"
    return True, ""


def said_of_pairs(report):
    """Returns the number of steps that compare-*.js has, and how they differ from said.csv: the same
    sentence, and the same causes with the same amounts and notes, at each size."""
    said, files, count, wrong = collections.defaultdict(list), {}, 0, []
    with open(report.path("said.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            said[row["family"], row["size"], row["after"], row["variant"]].append(row)
    for name in sorted(os.listdir(report.directory)):
        if re.match(r"compare-.*\.js$", name):
            with open(report.path(name), encoding="utf-8") as file:
                text = file.read()
            data = json.loads(text[text.index(".add(") + 5:text.rindex(")")])
            files.setdefault(data["family"], {})[data["size"]] = data
    for sizes in files.values():
        main = next(data for data in sizes.values() if "rungs" in data)
        for size, data in sizes.items():
            pairs = {(pair[0], pair[1]): pair for pair in data["pairs"]}
            for (a, b), pair in pairs.items():
                rows = said.get((main["family"], size, main["rungs"][a]["variant"], main["rungs"][b]["variant"]))
                if not rows:
                    continue
                count += 1
                causes, sign = (pair[8], 1) if pair[8] is not None else (pairs[b, a][8] or [], -1)
                words = "".join(main["phrases"][int(word)] if i % 2 else word
                                for i, word in enumerate(pair[7].split("|")))
                found = [(main["causes"][c[0]]["title"], main["notes"][c[5]] if c[5] is not None else "",
                          float(f"{sign * c[1]:.3g}")) for c in causes]
                asked = [(row["title"], row["note"], float(f"{float(row['saved_ns']):.3g}"))
                         for row in rows if row["place"] != "0" and row["is_small"] == "0"]
                # Nine digits of a table decide how many have no time at all.
                found, asked = ([(re.sub(r"^\d+ (?=smaller)", "", title), *rest) for title, *rest in some]
                                for some in (found, asked))
                if words != rows[0]["sentence"] or [f[:2] for f in found] != [q[:2] for q in asked] \
                        or any(abs(f[2] - q[2]) > 0.011 * abs(q[2]) for f, q in zip(found, asked)):
                    wrong.append(f"{main['family']} {a} {b} at {size}: “{words}” {found}, not "
                                 f"“{rows[0]['sentence']}” {asked}")
    return count, wrong


# ---- all of it -----------------------------------------------------------------------------------

def main(directory, program):
    report = Report(directory, program)
    mine, tabs = threading.local(), []

    def tab_of_thread():
        if not hasattr(mine, "tab"):
            mine.tab = Tab()
            tabs.append(mine.tab)
        return mine.tab

    def run(job, *words):
        """Does a job in this thread's tab; a browser that does not answer is replaced."""
        try:
            return job(tab_of_thread(), *words)
        except Failure as failure:
            if hasattr(mine, "tab"):
                del mine.tab
            return failure

    pool = concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or 2))
    by_size = sorted(report.pages, reverse=True, key=lambda name: sum(
        report.size(file) for file in files_of(report, name)))
    try:
        looks = [(page, width, pool.submit(run, look_at, report.path(page), width))
                 for page in by_size for width in WIDTHS]
        papers = [(page, pool.submit(run, print_page, report, page))
                  for page in by_size if (BUDGETS.get("ladder" if page in report.ladders else page)
                                          or [None] * 3)[2]]
        plain = [(page, pool.submit(run, without_scripts, report, page))
                 for page in ["index.html", *report.ladders]]
        numbers = [(page, pool.submit(run, compare_numbers, report, page))
                   for page in report.ladders]
        steps = [(page, pool.submit(run, steps_on_paper, report, page)) for page in report.ladders]
        drawn = [(page, pool.submit(run, seconds_until_drawn, report, page))
                 for page in ("index.html", by_size[0], "compare.html", "conflicts.html",
                              "method.html") if page in report.pages]
        letters = [(page, width, pool.submit(run, letters_on, report, page, width))
                   for page in report.pages if page != "report.html" for width in WIDTHS]
        planted = pool.submit(run, letters_on, report, max(report.ladders, key=report.size), 1280,
                              "figure img { max-width: 600px } svg.plot { font-size: 8px }")
        ranks = pool.submit(run, ranks_on_paper, report)
        pixels = pool.submit(run, pixels_of_a_map, report)
        formats = pool.submit(run, compare_formats, report)
        clicks = pool.submit(run, two_clicks, report)
        at_size = pool.submit(run, step_at_a_size, report)

        good = []
        for page, width, future in looks:
            name = f"{page} at {width} pixels"
            look = future.result()
            if isinstance(look, Failure):
                tap.result(False, name, [str(look)])
                continue
            good.append(look)
            told = told_once(look.findings)
            if look.seconds > SLOW:
                told.append(f"it took {look.seconds:.1f} s to load")
            tap.result(not told, f"{name}: {look.states} states, loaded in {look.seconds:.2f} s", told)
        times = sorted(((look.seconds, look.width, os.path.basename(look.path)) for look in good),
                       reverse=True)
        tap.note("seconds until the slowest pages were loaded: " + ", ".join(
            f"{name} {seconds:.2f}" for seconds, _, name in times[:4]))
        check_links(report, good)
        if len(good) == len(looks):
            check_budgets(report, good)
        for page, future in papers:
            count, limit = future.result(), BUDGETS["ladder"][2]
            if isinstance(count, Failure):
                tap.result(False, f"{page} is printed", [str(count)])
            else:
                tap.result(1 <= count <= limit, f"{page} prints on {count} of {limit} pages")
        for page, future in steps:
            found = future.result()
            good = not isinstance(found, Failure) and found["paper"] == found["steps"] \
                and len(found["screen"]) <= 1
            tap.result(good, f"{page} prints the waterfall of every step", [str(found)])
        for page, future in drawn:
            found = future.result()
            tap.result(not isinstance(found, Failure) and found <= DRAWN,
                       f"{page} shows its sentence after {found:.2f} s"
                       if not isinstance(found, Failure) else f"{page} shows its sentence", [str(found)])
        kinds = set()
        for page, width, future in letters:
            found = future.result()
            wrong = [str(found)] if isinstance(found, Failure) else [
                f"{kind}: {size:.1f} pixels" for kind, size in found.items() if size < LETTERS_LEAST]
            kinds.update(() if isinstance(found, Failure) else found)
            tap.result(not wrong, f"{page} at {width} pixels has pictures that can be read", wrong)
        tap.result(len(kinds) > 12, f"{len(kinds)} kinds of drawings and pictures were measured")
        found = planted.result()
        small = [] if isinstance(found, Failure) else [
            kind for kind, size in found.items() if size < LETTERS_LEAST]
        tap.result({"plot", "01_ladder"} <= set(small), "small letters are found", [str(found)])
        found = ranks.result()
        tap.result(not isinstance(found, Failure) and found and all(found),
                   "conflicts.html prints the kernels with their costs", [str(found)])
        found = pixels.result()
        tap.result(not isinstance(found, Failure) and found >= 100,
                   "conflicts.html paints a bank map", [str(found)])
        for page, future in plain:
            found = future.result()
            good = not isinstance(found, Failure) and not found["scripts"] and found["rows"] > 0 \
                and found["pictures"] > 0 and not found["broken"]
            tap.result(good, f"{page} has its tables and pictures without JavaScript", [str(found)])
        for page, future in numbers:
            found = future.result()
            count, wrong = (0, [str(found)]) if isinstance(found, Failure) else found
            tap.result(not wrong, f"{page}: {count} steps have the numbers of explain", wrong)
        found = formats.result()
        count, wrong = (0, [str(found)]) if isinstance(found, Failure) else found
        tap.result(count > 10 and not wrong, f"{count} numbers look as the program writes them", wrong)
        found = clicks.result()
        tap.result(not isinstance(found, Failure) and found[0],
                   "a step is two clicks from the index", [str(found)])
        found = at_size.result()
        tap.result(not isinstance(found, Failure) and found[0],
                   "a step at another size is two clicks from the index, and one from any pair", [str(found)])
        count, wrong = said_of_pairs(report)
        tap.result(count > 10 and not wrong, f"{count} steps are the same on compare.html", wrong)
    finally:
        pool.shutdown(cancel_futures=True)
        for tab in tabs:
            tab.close()
    tap.finish()


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
