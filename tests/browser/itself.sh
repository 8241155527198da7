#!/bin/sh
# Tests that the checks of the pages find the faults of the pages of bad.html; the tests are in
# itself.py.
"${PYTHON:-python3}" -B "${ROOT:-.}/tests/browser/itself.py"
