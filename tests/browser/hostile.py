"""Opens the pages and pictures of a report whose texts are hostile, and prints TAP.

    python3 hostile.py HONEST REPORT...

Each REPORT is made from the run of HONEST, with words that want to be scripts. Each page is looked
at in all its states (look.py): nothing of the run may be executed, ask, load or become an element.
"""

import os
import sys

import tap
from chromium import Failure, Tab
from look import look_at, url_of
from report import Report

EXECUTED = ("dialog", "console", "request")
# What an honest page has none of, or only those of its template.
ELEMENTS = """(() => {
    const all = [...document.querySelectorAll('*')];
    return { injected: all.filter(e => e.matches('iframe, object, embed, base, form, img[src="x"]')
            || /^\\s*javascript:/i.test(e.getAttribute('href') || '')
            || [...e.attributes].some(a => /^on/i.test(a.name))).map(e => e.outerHTML.slice(0, 200)),
        scripts: all.filter(e => e.localName === 'script').map(e => e.getAttribute('src') || 'inline') };
})()"""


def elements_of(tab, path, width=1280):
    look = look_at(tab, path, width)
    found = tab.evaluate(ELEMENTS)
    wrong = [f"{kind}: {words}" for kind, words, _ in look.findings if kind in EXECUTED]
    return found["scripts"], wrong + found["injected"], look.states


def check_pictures(tab, report):
    """A picture that is opened by itself is a document, whose scripts would be executed."""
    charts = report.path("charts")
    pictures = sorted(name for name in os.listdir(charts) if name.endswith(".svg")) \
        if os.path.isdir(charts) else []
    tab.view(1280, "light")
    wrong = []
    for name in pictures:
        tab.load(url_of(os.path.join(charts, name)))
        wrong += [f"{name}: {kind}: {words}" for kind, words in tab.take_problems()]
        if tab.evaluate("document.querySelectorAll('script, [onload], [onerror], foreignObject').length"):
            wrong.append(name + ": has a script")
    tap.result(not wrong, f"{len(pictures)} pictures execute nothing", wrong)


def check_page(tab, page, honest, report):
    scripts, faults, _ = elements_of(tab, honest.path(page))
    found, wrong, states = elements_of(tab, report.path(page))
    if found != scripts:
        wrong.append(f"it has the scripts {found}, not {scripts}")
    tap.result(not wrong and not faults, f"{page}: {states} states execute nothing", faults + wrong)


def main(honest, *reports):
    honest = Report(honest, None)
    with Tab() as tab:
        for report in (Report(directory, None) for directory in reports):
            tap.result(report.pages == honest.pages, "the pages are those of the honest report",
                       [" ".join(report.pages)])
            for page in honest.pages:
                try:
                    check_page(tab, page, honest, report)
                except Failure as failure:
                    tap.result(False, f"{page} opens", [str(failure)])
                    return tap.finish()
            check_pictures(tab, report)
    return tap.finish()


if __name__ == "__main__":
    main(*map(os.path.abspath, sys.argv[1:]))
