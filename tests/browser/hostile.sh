#!/bin/sh
# Opens a report whose texts want to be scripts in Chromium; the tests are in hostile.py. That the
# words may stand in any column, tests/cli/hostile.sh tests.
. "${ROOT:-.}/tests/tap.sh"
tiny_run "$work/tiny"
words="\"><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>'\`](javascript:alert(4)) --></title></style></textarea>{{each SELECT 1}} \\u003cscript\\u003e \${alert(5)} \\'+alert(6)+\\'"
# put TABLE COLUMN...: puts the words into every cell of these columns.
put() {
    table=$work/run/$1.csv
    shift
    for column; do
        with_words "$table" "$column" "$words" >"$work/table" && mv "$work/table" "$table"
    done
}
report() {
    "$WHYFAST" report "$1" --single-file -q -o "$2" >/dev/null || {
        echo "Bail out! $1 is not reported"
        exit 1
    }
}

cp -R "$work/tiny" "$work/run"
put families title problem
put variants title suffers changes pays fails factors sweep_name sweep_text
put claims says source place
put published source device row peak_source
put points reason
put launches kernel occupancy_limiter
put accesses name
put kernels symbol
put lines sass
put ceilings title unit
WORDS=$words awk '
    /^[a-z_]*: [^0-9]/ && !/^status:/ { sub(/: .*/, ": "); print $0 ENVIRON["WORDS"]; next }
    { print }' "$work/tiny/run.txt" >"$work/run/run.txt"
report "$work/tiny" "$work/honest"
report "$work/run" "$work/hostile"
# The pages show no code of files with such names.
put variants file
put sources path
report "$work/run" "$work/nameless"
"${PYTHON:-python3}" -B "$ROOT/tests/browser/hostile.py" "$work/honest" "$work/hostile" "$work/nameless"
