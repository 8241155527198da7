"""Tests the checks themselves: each page of bad.html has faults that they must find, and no others.

Prints TAP; CHROMIUM names the browser.
"""

import os
import re
import sys
import tempfile

import tap
from chromium import Failure, Tab
from look import HERE, WIDTHS, look_at
from report import Report, is_printed, print_page, wrong_with

# A time in ns, words of a page, and whether they show it.
NUMBERS = ((401679.993, "401.7 µs", True), (401679.993, "401.6 µs", False),
           (-2524.74, "−2.525 µs", True), (-2524.74, "2.525 µs", False),
           (-2524.74, "−2.524 µs", False), (2362.667, "+2.363 µs", True),
           (0.0727, "0.07270 ns", True), (3.2e9, "3.200 s", True), (3.2e9, "not measured", False))


PAGE = re.compile(r'<template id="(\w+)" data-finds="([^"]*)">\n(.*?)</template>', re.DOTALL)
FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
</head>
<body>
%s</body>
</html>
"""


def write_pages(place):
    """Writes the pages into place/pages, beside a file to link to; returns their report and the
    faults of each."""
    faults = {}
    os.mkdir(os.path.join(place, "pages"))
    with open(os.path.join(HERE, "bad.html"), encoding="utf-8") as file:
        pages = PAGE.findall(file.read())
    for name, finds, body in [("../outside", "", ""), *pages]:
        with open(os.path.join(place, "pages", name + ".html"), "w", encoding="utf-8") as file:
            file.write(FRAME % (name, body))
        faults[name + ".html"] = finds
    return Report(os.path.join(place, "pages"), None), faults


def found_on(tab, report, page, width):
    try:
        look = look_at(tab, report.path(page), width, timeout=4)
    except Failure:
        return {"failure"}
    kinds = {kind for kind, _, _ in look.findings}
    return kinds | {"link" for link in look.links if wrong_with(report, page, link)}


def main(place):
    report, faults = write_pages(place)
    tab = Tab()
    try:
        for page in report.pages:
            for width in WIDTHS:
                words = [fault.split("@") for fault in faults[page].split(", ") if fault]
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
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(main(scratch))
