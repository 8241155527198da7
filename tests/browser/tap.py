"""Prints the results of tests as TAP, as tests/tap.sh does."""

import sys

tests = failures = 0


def result(passed, name, reasons=()):
    global tests, failures
    tests += 1
    print(("ok" if passed else "not ok"), tests, "-", name, flush=True)
    if not passed:
        failures += 1
        for reason in list(reasons)[:40]:
            print("#   " + reason.replace("\n", " ")[:300], file=sys.stderr, flush=True)


def finish():
    print(f"1..{tests}")
    sys.exit(failures > 0)
