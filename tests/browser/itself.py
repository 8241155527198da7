"""Tests the checks themselves: each page of bad/ has faults that they must find, and no others.

A page names the kinds of its faults in a meta element, with the width if only one shows it. Prints
TAP; CHROMIUM names the browser.
"""

import os
import re
import sys

import tap
from chromium import Failure, Tab
from look import HERE, WIDTHS, look_at
from report import Report, is_printed, print_page, wrong_with

# A time in ns, words of a page, and whether they show it.
NUMBERS = ((401679.993, "401.7 µs", True), (401679.993, "401.6 µs", False),
           (-2524.74, "−2.525 µs", True), (-2524.74, "2.525 µs", False),
           (-2524.74, "−2.524 µs", False), (2362.667, "+2.363 µs", True),
           (0.0727, "0.07270 ns", True), (3.2e9, "3.200 s", True), (3.2e9, "not measured", False))


def found_on(tab, report, page, width):
    try:
        look = look_at(tab, report.path(page), width, timeout=4)
    except Failure:
        return {"failure"}
    kinds = {kind for kind, _, _ in look.findings}
    return kinds | {"link" for link in look.links if wrong_with(report, page, link)}


def main():
    report = Report(os.path.join(HERE, "bad"), None)
    tab = Tab()
    try:
        for page in report.pages:
            with open(report.path(page), encoding="utf-8") as file:
                faults = re.search('name="finds" content="(.*)"', file.read()).group(1)
            for width in WIDTHS:
                words = [fault.split("@") for fault in faults.split(", ") if fault]
                wanted = {word[0] for word in words if len(word) == 1 or word[1] == str(width)}
                found = found_on(tab, report, page, width)
                tap.result(found == wanted, f"{page} at {width} pixels: "
                           + (", ".join(sorted(wanted)) or "no fault"),
                           [f"found: {', '.join(sorted(found)) or 'nothing'}"])
                if "failure" in found:
                    tab.close()
                    tab = Tab()
        count = print_page(tab, report, "paper.html")
        tap.result(count == 14, "paper.html prints on 14 pages", [f"it prints on {count}"])
    finally:
        tab.close()
    for value, words, is_it in NUMBERS:
        tap.result(is_printed(value, words) == is_it,
                   f"{words} is {'' if is_it else 'not '}{value} ns")
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
