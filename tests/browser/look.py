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
        look.go(f"document.querySelectorAll('.bar .strip:not(.sizes) a')[{number}].click()", f"step {step}",
                chosen % json.dumps("step=" + step))
        look.do(OPEN_FOLDS % "'.step.chosen'", f"step {step}", within=".bar, .step.chosen")
    for number in range(look.value("document.querySelectorAll('.sizes a').length")):
        look.do(f"document.querySelectorAll('.sizes a')[{number}].click()", f"size {number}",
                f"document.querySelectorAll('.sizes a')[{number}].className === 'chosen'", CHANGING)
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
    """Types in both lists, chooses rungs by keys and by a click, and swaps the two. With a keyboard
    nothing else is needed; each rung of the ladder and each size is one click away."""
    shown = "(result => result.ariaBusy === 'false' && result.innerText.trim().length > 40)" \
            "(document.querySelector('#result'))"
    look.wait(shown)
    look.look_at_start()
    rungs = look.value("""[...document.querySelectorAll('#rungs option')].map(e => e.value)""")
    at = "document.getElementById('{}')".format
    ladders = list(dict.fromkeys(rung.split("/")[0] for rung in rungs))

    has_keys = look.value("matchMedia('(hover: hover) and (pointer: fine)').matches")
    if has_keys and len(rungs) > 1:
        for rung in rungs[-2:]:
            look.tab.type(rung)
            look.tab.key("Enter")
        look.go("0", "two rungs, typed at once", f"{shown} && location.hash.startsWith("
                f"{json.dumps(f'#a={rungs[-2]}&b={rungs[-1]}')})")

    def typed(side, words):
        look.tab.focus(f"#{side}")
        look.value(f"{at(side)}.select()")
        look.tab.type(words)

    # A reader chooses another ladder before the data of the one chosen first have come.
    firsts = [next(rung for rung in rungs if rung.startswith(name + "/")) for name in ladders]
    for rung in firsts[1:4]:
        typed("a", rung)
        look.tab.key("Enter")
    look.go("0", "three ladders in quick succession",
            f"{shown} && location.hash.startsWith('#a={firsts[:4][-1]}&')")
    look.look("three ladders in quick succession")
    of_first = [rung for rung in rungs if rung.startswith(ladders[0] + "/")]
    if len(ladders) > 1 and len(of_first) > 2:
        first, *_, last = of_first
        for after, told in ((firsts[1], "true"), (last, "false")):
            look.do(f"location.hash = '#a={first}&b={after}'", f"{first} beside {after}",
                    f"{shown} && {told} === document.querySelector('#result').innerText"
                    ".includes('another ladder')")
    for side in "ab":
        look.do(f"{at(side)}.click()", f"the list of {side} is open",
                f"{at(side + '-list')}.checkVisibility()")
        if look.value(f"{at(side + '-list')}.children.length") != len(rungs):
            look.find("state", f"the list of {side} does not show all rungs")
        typed(side, "no such name")
        look.do("0", "nothing is found", f"{at(side + '-list')}.innerText.includes('No rung')")
        look.tab.key("Escape")
        look.go("0", "the list is closed again", f"!{at(side + '-list')}.checkVisibility()")
        for rung in firsts + [r for r in rungs if r.startswith(ladders[0] + "/")][:24]:
            # The pieces of a name, in another order.
            family, variant = rung.split("/")
            typed(side, f"{variant.split('_', 1)[-1].upper()} {variant} {family}/")
            look.tab.key("Enter")
            look.do("0", f"{side} {rung}", f"{shown} && location.hash.slice(1).split('&')"
                    f".includes({json.dumps(side + '=' + rung)})")
    before = look.value("location.hash")
    look.value(f"{at('b')}.click()")
    for key in ("ArrowUp", "ArrowUp", "ArrowDown", "Enter"):
        look.tab.key(key)
    look.go("0", "keys in the list", f"{shown} && location.hash !== {json.dumps(before)}")
    look.value(f"{at('a')}.click()")
    look.do(f"{at('a-list')}.lastElementChild.click()", "a click in the list",
            f"{shown} && location.hash.startsWith({json.dumps('#a=' + rungs[-1] + '&')})")
    for strip in ("a-rungs", "b-rungs", "sizes"):
        for number in range(look.value(f"{at(strip)}.querySelectorAll('a').length")):
            look.do(f"{at(strip)}.querySelectorAll('a')[{number}].click()", f"{strip} {number}",
                    f"{shown} && (a => a && a.className === 'chosen')"
                    f"({at(strip)}.querySelectorAll('a')[{number}])")
    before = look.value("location.hash").split("&")[0][3:]
    look.do("document.getElementById('swap').click()", "swapped",
            f"{shown} && location.hash.includes({json.dumps('&b=' + before)})")
    look.open_folds("main", "unfolded")


def look_at_conflicts(look):
    """Chooses each ladder: the headline, the kernels and the counts are of it."""
    look_at_page(look)
    for ladder in look.value("[...document.querySelectorAll('.pick option')].map(e => e.value)"):
        look.do(f"""(pick => {{ pick.value = {json.dumps(ladder)};
            pick.dispatchEvent(new Event('change'));
        }})(document.querySelector('.pick select'))""", f"ladder {ladder}", f"""(ladder => {{
            const shown = [...document.querySelectorAll('details.kernel')].filter(e => !e.hidden);
            const title = document.querySelector('h1').innerText, costs = shown.filter(e => e.dataset.cost);
            return (!ladder || shown.length && shown.every(e => e.dataset.family === ladder))
                && (costs.length ? title.includes(costs[0].querySelector('b').innerText)
                    && title.includes(costs[0].dataset.cost) : title.startsWith('No kernel'))
                && [...document.querySelectorAll('figure.wide')].every(e =>
                    e.hidden || (e.dataset.family || '') === ladder);
        }})({json.dumps(ladder)})""")


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
    kinds = {"compare.html": look_at_compare, "conflicts.html": look_at_conflicts,
             "report.html": look_at_single}
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
