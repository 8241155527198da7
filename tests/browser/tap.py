"""Prints the results of tests as TAP, as tests/tap.sh does."""

import sys

MOST = 40  # reasons that are printed
tests = failures = 0


def result(passed, name, reasons=()):
    global tests, failures
    tests += 1
    print(("ok" if passed else "not ok"), tests, "-", name, flush=True)
    if not passed:
        failures += 1
        note(name + ":")
        for reason in list(reasons)[:MOST]:
            note("  " + reason.replace("\n", " ")[:300])
        if len(reasons) > MOST:
            note(f"  and {len(reasons) - MOST} more")


def note(words):
    print("# " + words, file=sys.stderr, flush=True)


def finish():
    print(f"1..{tests}")
    sys.exit(failures > 0)
