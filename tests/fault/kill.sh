#!/bin/sh
# Tests that the program, killed at any moment, loses nothing that was finished: either the earlier
# run is there or the new one, and --resume completes an interrupted run to the same bytes.
#
# KILLS is the number of kills. A quarter each comes before a call that changes the disk, before one
# of the last such calls, where the run is swapped into place, in the middle of a write, and at a
# time; KILL_SEED chooses the moments.
. "${ROOT:-.}/tests/tap.sh"
quick_gnuplot
. "$ROOT/tests/fault/kill.inc"
KILLS=${KILLS:-$(some 24 200)}
KILL_SEED=${KILL_SEED:-1}

references
result $? 'every command succeeds without a break' || {
    explain "$(cat "$work/err")"
    finish
}
prepare measure
run measure
is_after measure "$place/run"
result $? '  and the same once more, to the byte, but for when it was'
awk -v kills="$KILLS" -v seed="$KILL_SEED" -v kinds="$kinds" 'BEGIN {
    srand(seed)
    count = split(kinds, kind, " ")
    split("kill end tear clock", way, " ")
    for (i = 0; i < kills; i++) print kind[i % count + 1], way[int(i / count) % 4 + 1], rand()
}' >"$work/plan"

# moment KIND WAY FRACTION: prints the number of the call, among all or the last 90, or the number
# of seconds; the command takes one or two seconds, and a kill after its end does nothing.
moment() {
    case $2 in
    clock) echo "$3" | awk '{ print 0.01 + $1 * 1.5 }' ;;
    end) awk -v part="$3" '{ print $1 - int(part * ($1 < 90 ? $1 : 90)) }' "$work/kill.$1" ;;
    *) awk -v part="$3" '{ print 1 + int(part * $1) }' "$work/$2.$1" ;;
    esac
}

: >"$work/wrong"
: >"$work/ends"
while read -r kind way fraction; do
    prepare "$kind"
    status=0
    at=$(moment "$kind" "$way" "$fraction")
    case $way in
    clock)
        before="timeout --foreground -s KILL $at"
        ;; # it waits for the end; a lock ends with its process
    end) fault=kill:$at ;;
    *) fault=$way:$at ;;
    esac
    run "$kind" || status=$?
    before=
    fault=
    echo "$way $status" >>"$work/ends"
    word=$(judge "$kind" | tr '\n' ';')
    if [ -n "$word" ]; then echo "$kind $way $at: $word" >>"$work/wrong"; fi
done <"$work/plan"
is "$(wc -l <"$work/wrong")" 0 \
    "killed $KILLS times, $(grep -c ' 137$' \
        "$work/ends") of them before the end, it loses nothing" ||
    explain "$(head -n 12 "$work/wrong")"
for way in kill end tear; do
    is "$(grep "^$way " "$work/ends" | grep -vc ' 137$')" 0 \
        "  $way: at each chosen call it was killed"
done
finish
