#!/bin/sh
# Opens every page of the report of a run in Chromium; the tests are in report.py.
. "${ROOT:-.}/tests/tap.sh"
"$WHYFAST" report --replay --single-file -q -o "$work/report" >/dev/null || {
    echo 'Bail out! there is no report'
    exit 1
}
"${PYTHON:-python3}" -B "$ROOT/tests/browser/report.py" "$work/report" "$WHYFAST"
