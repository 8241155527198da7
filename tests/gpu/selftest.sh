#!/bin/sh
# Tests the self-test on this machine's GPU: it passes, a later run says so, and it fails if a
# counter or a formula is not the intended one. Prints TAP. Set RECORD to keep its raw tables in
# that directory.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
# shellcheck source=selftest.inc
. "$here/selftest.inc"
XDG_STATE_HOME=$work/state
export XDG_STATE_HOME

"$WHYFAST" selftest -q -o "$work/run" >"$work/table" 2>"$work/err"
result $? 'the self-test passes'
grep -A 1 '^wrong' "$work/table" | head -n 20 | sed 's/^/# /'
sed 's/^/# /' "$work/err"
tail -n 1 "$work/table" | sed 's/^/# /'
awk -F , 'NR > 1 { n++ } $9 == "ok" { ok++ } END { exit !(n > 600 && ok == n) }' \
    "$work/run/selftest.csv"
result $? '  and has checked more than 600 values, all of which could be'

"$WHYFAST" measure -q 'reduce/03*' -s 2^22 --samples 6 -o "$work/later" >"$work/out" 2>&1
result $? 'a later run'
grep -q '^selftest: passed on ' "$work/later/run.txt" &&
    grep -q '^selftest_proven: .*\bdram_read_bytes\b' "$work/later/run.txt"
result $? '  says which metrics are proven'

# plant FILE EXPRESSION WORDS METRIC PATTERN: passes if the self-test of these kernels, with the
# records changed so, finds this metric wrong.
plant() {
    planted_data "$work/data" "$1" "$2" || {
        result 1 "$3: the records are changed"
        return
    }
    WHYFAST_DATA=$work/data "$WHYFAST" selftest -q "$5" \
        -o "$work/planted" >"$work/table" 2>"$work/err"
    found_wrong $? "$work/planted/selftest.csv" "$4"
    result $? "$3: $4 is found wrong" || sed 's/^/# /' "$work/err"
}
each_planted plant
# The kernels' own sums stay right, and none of these results is remembered.
"$WHYFAST" measure -q 'reduce/03*' -s 2^22 --samples 6 -o "$work/later" >"$work/out" 2>&1 &&
    grep -q '^selftest: passed on ' "$work/later/run.txt"
result $? 'what patterns chose is not remembered'
[ -z "${RECORD:-}" ] || cp -R "$work/run" "$RECORD"
finish
