"""Tests the checks themselves: each page of bad/ has faults that they must find, and no others.

A page names the kinds of its faults in a meta element, with the width if only one shows it. Prints
TAP; CHROMIUM names the browser.
"""

import os
import re
import sys

import tap
from chromium import Browser, Failure, Tab
from look import HERE, WIDTHS, look_at
from report import Report, wrong_with


def found_on(tab, report, page, width):
    try:
        look = look_at(tab, report.path(page), width, timeout=4)
    except Failure:
        return {"failure"}
    kinds = {kind for kind, _, _ in look.findings}
    return kinds | {"link" for link in look.links if wrong_with(report, page, link)}


def main():
    report = Report(os.path.join(HERE, "bad"), None)
    program = os.environ.get("CHROMIUM") or "chromium"
    browser = Browser(program)
    tab = Tab(browser)
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
                    browser.close()
                    browser = Browser(program)
                    tab = Tab(browser)
    finally:
        browser.close()
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
