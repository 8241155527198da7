"""Opens the page of the boards of merged runs in a browser, and prints TAP.

    python3 boards.py HONEST HOSTILE

Both are merged runs with their page; the names in the second want to be scripts.
"""

import os
import sys

import tap
from chromium import Failure, Tab
from hostile import EXECUTED, elements_of
from look import WIDTHS, look_at, told_once


def check(tab, run, width, kinds=None):
    look = look_at(tab, os.path.join(run, "index.html"), width)
    findings = [finding for finding in look.findings if kinds is None or finding[0] in kinds]
    tap.result(not findings, f"{os.path.basename(run)}, {width} pixels", told_once(findings))


def main(honest, hostile):
    with Tab() as tab:
        try:
            for width in WIDTHS:
                check(tab, honest, width)
                check(tab, hostile, width, EXECUTED)
            dots = tab.evaluate("document.querySelectorAll('.track i.out').length")
            tap.result(dots == 1, "the slow board has a dot of its own", [str(dots)])
            scripts, faults, _ = elements_of(tab, os.path.join(hostile, "index.html"))
            tap.result(not scripts and not faults, "nothing is injected", scripts + faults)
        except Failure as failure:
            tap.result(False, "the page opens", [str(failure)])
    tap.finish()


if __name__ == "__main__":
    main(*map(os.path.abspath, sys.argv[1:]))
