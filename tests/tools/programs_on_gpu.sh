#!/bin/sh
# Runs the tests of `whyfast run` on a GPU one after the other, each with a time limit, and writes
# to $OUT (build/programs): summary.txt, one page; logs.tar.gz; tables of the rungs in
# rungs.tar.gz. PARTS names the parts; forks is a part of programs. LIMIT is the number of seconds
# for all of them: a part that would not fit is not begun, and the summary says so.
set -u
cd "$(dirname "$0")/../.." || exit 1
OUT=${OUT:-build/programs}
LIMIT=${LIMIT:-570}
PARTS=${PARTS:-rungs memory leaves cost edits torch triton cupy own_family programs samples}
mkdir -p "$OUT"
logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT
begun=$(date +%s)
failed=0

# most_seconds PART: prints how long a part may take.
most_seconds() {
    case $1 in
    rungs) echo 300 ;;
    programs) echo 260 ;;
    cost) echo 150 ;;
    *) echo 100 ;;
    esac
}
say() { echo "$*" | tee -a "$OUT/summary.txt"; }

# run PART: runs tests/gpu/programs_PART.sh or the like.
run() {
    case $1 in
    programs | own_family) script=tests/gpu/$1.sh ;;
    torch | triton | cupy) script=tests/gpu/programs_python.sh ;;
    forks) script=tests/gpu/programs.sh ;;
    *) script=tests/gpu/programs_$1.sh ;;
    esac
    now=$(date +%s)
    left=$((LIMIT - now + begun))
    most=$(most_seconds "$1")
    [ "$most" -le "$left" ] || most=$left
    if [ "$most" -lt 30 ]; then
        say "== $1: not run: $left s are left"
        return
    fi
    kinds=
    [ "$1" != forks ] || kinds='fork fork_exit'
    KINDS=$kinds KEEP=$logs/kept/$1 TARGETS=$1 timeout -k 10 "$most" sh "$script" \
        >"$logs/$1.log" 2>&1
    status=$?
    took=$(($(date +%s) - now))
    good=$(grep -c '^ok' "$logs/$1.log")
    bad=$(grep -c '^not ok' "$logs/$1.log")
    skipped=$(grep -c '^ok.*# SKIP' "$logs/$1.log")
    say "== $1: $good ok ($skipped of them skipped), $bad not ok, exit status $status, $took s"
    [ "$status" -ne 124 ] ||
        say "   ended after $most s; the last line: $(tail -n 1 "$logs/$1.log")"
    [ "$status" -eq 0 ] || failed=1
    grep -A 3 '^not ok' "$logs/$1.log" | cut -c 1-240 | head -n 40 | sed 's/^/   /' |
        tee -a "$OUT/summary.txt"
}

: >"$OUT/summary.txt"
say "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | head -n 1)" \
    "$(date -u)"
for part in $PARTS; do run "$part"; done
say "whole: $(($(date +%s) - begun)) s"
{
    grep -h '^# ' "$logs/rungs.log" 2>/dev/null | head -n 90
    grep -h 'KiB\|starts with counters\|counters .* are equal\|samples x\|leaves:\|took .* s$' \
        "$logs"/*.log
} | cut -c 1-200 | tee -a "$OUT/summary.txt"
(cd "$logs" && tar czf - ./*.log) >"$OUT/logs.tar.gz"
[ ! -d "$logs/kept/rungs" ] || (cd "$logs/kept" && tar czf - rungs) >"$OUT/rungs.tar.gz"
exit $failed
