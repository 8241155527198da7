#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests that compare.html computes the same causes as the program, for every step of the recorded
# run, and that its data are JSON.
. "${ROOT:-.}/tests/tap.sh"
if ! command -v node >/dev/null; then
    skip 'node is not installed'
    finish
    exit
fi
recorded=$(newest_recorded)
node=$(command -v node)
expect 0 'a report' env PATH=/nowhere "$WHYFAST" report "$recorded" -o "$work/report"
"$node" "$ROOT/tests/golden/compare_page.js" "$ROOT/reports/pages" "$work/report" >"$work/compared"
result $? 'compare.js is run'
is "$(sed '$d' "$work/compared" | head -n 20)" '' '  every cause is that of the program'
is "$(($(tail -n 1 "$work/compared") >= 200))" 1 '  of many steps'
for data in "$work"/report/compare-*.js; do
    sed "s/^whyfast_compare.add(//; \$s/);\$//" "$data" |
        "$node" -e 'JSON.parse(require("fs").readFileSync(0, "utf8"))'
    result $? "$(basename "$data") holds JSON"
done
finish
