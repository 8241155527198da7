#!/bin/sh
# Measures how the commands that need no GPU grow with the run: time, processor time and memory on
# runs of three sizes, the largest with four copies of the newest recorded run: 1.2 million
# instructions, as many counters. The command report does everything: it evaluates, explains, draws
# and reports.
#
# Passes if the largest run is reported within MOST_SECONDS=120, no command takes more than
# MOST_MIB=2048, and no command's processor time grows by more than 1.3 times as much as the run.
# COPIES=4 chooses another largest size; WORK=DIR keeps the runs.
set -u
COPIES=${COPIES:-4}
MOST_SECONDS=${MOST_SECONDS:-120}
MOST_MIB=${MOST_MIB:-2048}
WHYFAST_DATA=$ROOT
export WHYFAST_DATA
if [ ! -x /usr/bin/time ]; then
    echo 'bench_load: there is no /usr/bin/time: skipped'
    exit 0
fi
work=${WORK:-$(mktemp -d)}
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
recorded=$ROOT/reports/recorded/$(grep -L '^extent: quick' "$ROOT"/reports/recorded/*/run.txt |
    xargs grep -H '^date: ' | sed 's|.*/\(.*\)/run.txt:date: \(.*\)|\2 \1|' | sort | tail -n 1 | cut -d ' ' -f 2-)
: >"$work/table"

# measure LINES NAME COMMAND...: adds a row to the table: lines, name, seconds, processor seconds,
# MiB at most.
measure() {
    lines=$1
    name=$2
    shift 2
    command=$1
    shift
    /usr/bin/time -f '%e %U %S %M' -o "$work/time" "$WHYFAST" "$command" -q "$@" >/dev/null || {
        echo "not ok - $name of $lines lines"
        exit 1
    }
    awk -v lines="$lines" -v name="$name" '{ print lines, name, $1, $2 + $3, $4 / 1024 }' \
        "$work/time" >>"$work/table"
}

for part in 4 2 1; do
    [ "$((COPIES / part))" -gt 0 ] || continue
    run=$work/run-$part
    sh "$ROOT/tests/tools/copy_run.sh" "$recorded" "$run" $((COPIES / part)) || exit 1
    lines=$(($(wc -l <"$run/lines.csv") - 1))
    measure "$lines" evaluate evaluate "$run"
    measure "$lines" explain explain --csv "$run"
    measure "$lines" lines lines "$run" reduce_000/01_interleaved_modulo
    measure "$lines" timeline timeline -o "$work/trace.json" "$run"
    measure "$lines" plot plot "$run"
    measure "$lines" report report "$run" -o "$work/report"
    rm -rf "$work/report" "$work/trace.json"
    [ -n "${WORK:-}" ] || rm -rf "$run"
done
awk -v most_seconds="$MOST_SECONDS" -v most_mib="$MOST_MIB" -v largest="$lines" '
    function judge(what, good) { printf "%s %d - %s\n", good ? "ok" : "not ok", ++tests, what }
    BEGIN {
        printf "%9s %-9s %9s %9s %7s %7s %7s\n", "lines", "command", "seconds", "cpu s", "MiB",
            "larger", "cost"
    }
    {
        larger = ($2 in cpu) ? $1 / size[$2] : 0
        cost = larger && cpu[$2] > 0 ? $4 / cpu[$2] : 0
        printf "%9d %-9s %9.2f %9.2f %7.0f %7s %7s\n", $1, $2, $3, $4, $5,
            larger ? sprintf("%.2f", larger) : "", cost ? sprintf("%.2f", cost) : ""
        if (cost > 1.3 * larger) steep = steep " " $2 "(" $1 ")"
        if ($5 > most_mib) fat = fat " " $2 "(" $1 ")"
        if ($2 == "report" && $1 == largest) seconds = $3
        cpu[$2] = $4
        size[$2] = $1
    }
    END {
        judge("the largest run is evaluated, explained, drawn and reported within " most_seconds \
            " s: " seconds, seconds <= most_seconds)
        judge("nothing takes more than " most_mib " MiB" fat, fat == "")
        judge("cost grows with the run, by 1.3 times as much at most" steep, steep == "")
    }' "$work/table"
