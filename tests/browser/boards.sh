#!/bin/sh
# Opens the page of the boards of a merged run in Chromium, at the widths of a screen and of a
# phone, also with names that want to be scripts; the tests are in boards.py.
. "${ROOT:-.}/tests/tap.sh"
tiny_run "$work/tiny"
sed -i '/^replay_of: /d' "$work/tiny/run.txt"

# fleet DIRECTORY WORDS: merges nine transformed copies of a small run, one of them slower. WORDS
# follow the name of the device and that of its host.
fleet() {
    mkdir "$1.runs"
    for number in 0 1 2 3 4 5 6 7 8; do
        run=$1.runs/$number
        cp -R "$work/tiny" "$run"
        WORDS=$2 awk -v number="$number" '
            /^device_uuid: / { $0 = "device_uuid: 0000-" number }
            /^device_name: / { $0 = $0 " (transformed)" ENVIRON["WORDS"] }
            /^(host|device_temperature_c): / { next }
            { print }
            END {
                print "host: node" number % 2 ENVIRON["WORDS"]
                print "device_temperature_c: " 40 + number
            }' "$work/tiny/run.txt" >"$run/run.txt"
        [ "$number" -ne 5 ] || sed -i '/^read_gbs/s/4[0-9]*\.[0-9]*/4000/g' "$run/ceilings.csv"
    done
    "$WHYFAST" merge -q "$1.runs"/* -o "$1" >/dev/null || {
        echo "Bail out! $1 cannot be merged"
        exit 1
    }
}
fleet "$work/honest" ''
fleet "$work/hostile" '"><script>alert(1)</script><img src=x onerror=alert(2)>'\
'</title></style>{{each SELECT 1}}'
"${PYTHON:-python3}" -B "$ROOT/tests/browser/boards.py" "$work/honest" "$work/hostile"
