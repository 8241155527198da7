"""Looks at a page of a report in a browser: in each of its states, at a width and in both schemes.

A state is the page after a reader did something: opened a step, chose a size, unfolded what is
folded. Findings are (kind, words, state); the kinds are those of page_checks.js, those of
chromium.Tab, and `state` for a page that does not do what was asked of it.
"""

import json
import os
import re
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTHS = (1280, 390)
LAYOUT = ("sideways", "clipped", "overlap")

with open(os.path.join(HERE, "page_checks.js"), encoding="utf-8") as file:
    CHECKS = file.read()

# What is to happen follows from an event that comes later.
SETTLE = "new Promise(done => setTimeout(() => setTimeout(done, 0), 0))"
OPEN_FOLDS = """(within => {
    for (let left = 3; left; left--)
        for (const fold of document.querySelectorAll(within + ' details:not([open])'))
            if (fold.checkVisibility()) fold.open = true;
})(%s)"""
# The addresses that these parts of the page lead to or show.
LINKS = """(parts => [...document.querySelectorAll(parts)].flatMap(part =>
    [...part.querySelectorAll('[href], [src]')].map(e => e.getAttribute('href') || e.getAttribute('src'))
))(%s)"""
CHANGING = ".bar, .overview, .table, .step.chosen"  # of a ladder's page
WORDS = "document.body.innerText.trim().split(/\\s+/).length"


def url_of(path):
    return "file://" + urllib.parse.quote(os.path.abspath(path))


class Look:
    """One page at one width; `findings` and `links` are what is asked for at the end."""

    def __init__(self, tab, path, width, timeout):
        self.tab, self.path, self.width, self.timeout = tab, path, width, timeout
        self.findings, self.links, self.states = [], set(), 0
        self.words = None
        tab.view(width, "light")
        self.seconds = tab.load(url_of(path))
        if self.width < 600 and self.value("document.documentElement.clientWidth") != width:
            self.find("sideways", "the page does not take the width of a phone")

    def value(self, expression):
        return self.tab.evaluate(expression, self.timeout)

    def find(self, kind, words, state="as it opens"):
        self.findings.append((kind, words, state))

    def wait(self, condition):
        """Waits until a condition of the page holds; returns whether it did within 2 s."""
        return self.value(SETTLE + """.then(() => new Promise(done => {
            const end = Date.now() + 2000;
            const ask = () => (%s) ? done(true) : Date.now() > end ? done(false)
                : setTimeout(ask, 5);
            ask();
        }))""" % condition)

    def go(self, action, state, expected):
        """Does something on the page, and says so if it does not lead to what is expected."""
        self.value(action)
        if not self.wait(expected):
            self.find("state", "did not lead to what was asked for", state)

    def do(self, action, state, expected="true", within="body"):
        """Does something on the page and looks at these parts of it."""
        self.go(action, state, expected)
        self.look(state, within)

    def checks(self, kinds, within):
        return self.value(CHECKS.replace("(WANTED)", f"({json.dumps(kinds)}, {json.dumps(within)})"))

    def look(self, state="as it opens", within="body"):
        self.states += 1
        for kind, words in self.checks([*LAYOUT, "contrast"], within):
            self.find(kind, words, state)
        self.tab.scheme("dark")
        for _, words in self.checks(["contrast"], within):
            self.find("contrast in the dark", words, state)
        self.tab.scheme("light")
        self.links.update(self.value(LINKS % json.dumps(within)))
        for kind, words in self.tab.take_problems():
            self.find(kind, words, state)

    def look_at_start(self):
        self.words = self.value(WORDS)
        self.look(within="html")
        # Pictures below the window are loaded when the reader gets there.
        broken = self.value("""Promise.all([...document.images].map(image => {
            image.loading = 'eager';
            return image.decode().then(() => null, () => image.getAttribute('src'));
        })).then(all => all.filter(Boolean))""")
        for source in broken:
            self.find("request", "a picture is not shown: " + source)

    def open_folds(self, within, state):
        self.do(OPEN_FOLDS % json.dumps(within), state, within=within)


# ---- the kinds of pages --------------------------------------------------------------------------

def look_at_ladder(look):
    """Opens each step, chooses each size, uses the keys, and unfolds each step."""
    look.look_at_start()
    steps = look.value("[...document.querySelectorAll('.step')].map(e => e.id.replace('step=', ''))")
    chosen = ("[...document.querySelectorAll('.step')].filter(e => e.checkVisibility())"
              ".map(e => e.id).join() === %s")
    for number, step in enumerate(steps):
        look.go(f"document.querySelectorAll('.strip a')[{number}].click()", f"step {step}",
                chosen % json.dumps("step=" + step))
        look.do(OPEN_FOLDS % "'.step.chosen'", f"step {step}", within=".bar, .step.chosen")
    sizes = look.value("[...document.querySelectorAll('.bar option')].map(e => e.value)")
    for size in sizes:
        look.do(f"""(select => {{ select.value = {json.dumps(size)};
            select.dispatchEvent(new Event('change', {{ bubbles: true }}));
        }})(document.querySelector('.bar select'))""", f"size {size}",
                f"location.hash.includes({json.dumps('size=' + size)}) || {json.dumps(size == sizes[0])}",
                CHANGING)
    for button in range(look.value("document.querySelectorAll('.tools button').length")):
        look.do(f"(b => b && b.click())(document.querySelectorAll('.tools button')[{button}])",
                f"button {button} of the overview", within=CHANGING)
    look.open_folds("main", "unfolded")
    if len(steps) > 1:
        look.go(f"location.hash = {json.dumps('step=' + steps[0])}", "the first step",
                chosen % json.dumps("step=" + steps[0]))
        for key, step in (("ArrowRight", steps[1]), ("ArrowLeft", steps[0])):
            look.tab.key(key)
            if not look.wait(chosen % json.dumps("step=" + step)):
                look.find("state", f"{key} does not lead to {step}")


def look_at_compare(look):
    """Chooses each option of each list, and swaps the two rungs."""
    shown = "(result => result.ariaBusy === 'false' && result.innerText.trim().length > 40)" \
            "(document.querySelector('#result'))"
    look.wait(shown)
    look.look_at_start()
    # A reader chooses another ladder before the data of the one chosen first have come.
    look.do("""for (const [id, index] of [['family', 1], ['family', 2], ['family', 3]]) {
            const select = document.getElementById(id);
            select.selectedIndex = Math.min(index, select.options.length - 1);
            select.dispatchEvent(new Event('change', { bubbles: true }));
        }""", "three ladders in quick succession", shown)
    lists = look.value("[...document.querySelectorAll('select')].map(e => e.id)")
    for name in lists:
        options = f"[...document.getElementById({json.dumps(name)}).options]"
        for value in look.value(f"{options}.map(e => e.value)")[:30]:
            look.do(f"""(select => {{ select.value = {json.dumps(value)};
                select.dispatchEvent(new Event('change', {{ bubbles: true }}));
            }})(document.getElementById({json.dumps(name)}))""", f"{name} {value}", shown)
    look.do("document.getElementById('swap').click()", "swapped", shown)
    look.open_folds("main", "unfolded")


def look_at_single(look):
    """One file with all pages: opens each ladder and one step of it."""
    look.look_at_start()
    for step in look.value("""[...document.querySelectorAll('main[data-family]')].map(main =>
            [...main.querySelectorAll('.step')].slice(-1).map(e => e.id)[0]).filter(Boolean)"""):
        look.do(f"location.hash = {json.dumps(step)}", step,
                f"document.getElementById({json.dumps(step)}).checkVisibility()")


def look_at_page(look):
    look.look_at_start()
    look.open_folds("body", "unfolded")


def look_at(tab, path, width, timeout=30):
    """Looks at a page in all its states. Raises Failure if it does not answer in these seconds."""
    name = os.path.basename(path)
    look = Look(tab, path, width, timeout)
    kinds = {"compare.html": look_at_compare, "report.html": look_at_single}
    if re.match(r"ladder-.*\.html$", name):
        look_at_ladder(look)
    else:
        kinds.get(name, look_at_page)(look)
    return look


def told_once(findings):
    """Findings as lines: one for each kind and place, with the first state in which it was seen."""
    states = {}
    for kind, words, state in findings:
        states.setdefault((kind, words), []).append(state)
    return [f"{kind}: {words} [{seen[0]}" + (f", and {len(seen) - 1} more" if seen[1:] else "") + "]"
            for (kind, words), seen in states.items()]
