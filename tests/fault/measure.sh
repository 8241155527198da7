#!/bin/sh
# Tests that the program, whatever it cannot write while it measures and whoever stops it, ends with
# one of its own exit codes, says why, leaves the earlier run unchanged, and loses nothing that was
# finished.
#
# FAULTS is how many calls of each kind are made to fail.
. "${ROOT:-.}/tests/tap.sh"
quick_gnuplot
. "$ROOT/tests/fault/sweep.inc"
. "$ROOT/tests/fault/kill.inc"
FAULTS=${FAULTS:-$(some 1 6)}
references
result $? 'without a fault every command ends well' || {
    explain "$(cat "$work/err")"
    finish
}

# completes KIND: passes if the interrupted run can be resumed or started again.
completes() {
    word=$(judge "$1" | tr '\n' ';')
    is "$word" '' '  and it is completed as without a break'
}

# ---- failing calls -------------------------------------------------------------------------------

attempt() {
    prepare "$made"
    fault=$1
    status=0
    run "$made" || status=$?
    fault=
}
# Facts of the processor that the system does not tell are absent, with the reason.
succeeded() {
    is_after "$made" "$place/run" ||
        grep -q '^cpu_name: absent: /proc/cpuinfo' "$place/run/run.txt"
}
left() {
    [ "$status" -eq 5 ] || [ "$status" -eq 4 ] || echo "ends with $status"
    judge "$made"
}
tidy_up() { :; }
made=again
for call in write fsync fclose fopen rename mkdir; do sweep "$call" "$FAULTS" '' $made; done
made=collect
for call in write fsync fopen rename; do sweep "$call" "$FAULTS" '' $made; done

# ---- signals -------------------------------------------------------------------------------------

# stop KIND SIGNAL SECONDS: sends the signal after so many seconds.
stop() {
    prepare "$1"
    status=0
    # Without --foreground, timeout signals the group, too, and a second signal ends the program at
    # once.
    before="timeout --foreground --preserve-status -s $2 $3"
    run "$1" || status=$?
    before=
}
for signal in INT TERM; do
    for seconds in 0.1 0.3 0.5 0.8; do
        stop again "$signal" "$seconds"
        if [ "$status" -ne 0 ]; then
            is "$status" 130 "SIG$signal after $seconds s"
            says 'interrupted; ' '  says so'
        fi
        completes again
    done
done

# ---- two at once ---------------------------------------------------------------------------------

# until CONDITION...: waits for it, ten seconds at most.
until_true() {
    left=500
    while ! "$@" 2>/dev/null && [ "$left" -gt 0 ]; do
        left=$((left - 1))
        sleep 0.02
    done
    "$@"
}
has_unit() { grep -q '^done ' "$place/run.part/journal.txt"; }

prepare again
"$fake" measure -q 'sums/0[12]*' -s 1024,2048 --samples 4 -o "$place/run" >/dev/null &
process=$!
until_true has_unit
kill -STOP "$process"
for option in '' --resume; do
    # shellcheck disable=SC2086 # no word or one
    expect 5 "another one at the same place ${option:-without --resume}" "$fake" measure \
        'sums/0[12]*' -s 1024,2048 --samples 4 -o "$place/run" $option
    says 'run.part: another whyfast is writing there' '  is refused'
done
expect 0 'meanwhile the earlier run is read' "$fake" timeline "$place/run" -o "$work/trace.json"
kill -CONT "$process"
wait "$process"
is_after again "$place/run"
result $? 'the first one completes its run'

# ---- resumed otherwise ---------------------------------------------------------------------------

# interrupted KIND: leaves an interrupted run with some units finished.
interrupted() {
    prepare "$1"
    fault="kill:$(($(cat "$work/kill.$1") * 3 / 4))"
    run "$1"
    fault=
    has_unit
}
interrupted again
result $? 'a run that was interrupted'
expect 2 'other options' "$fake" measure 'sums/0[12]*' -s 1024,2048 --samples 5 -o "$place/run" \
    --resume
says 'was started with the selection' '  are refused'
for what in 'program of revision' GPU; do
    cp "$place/run.part/journal.txt" "$work/journal"
    sed -i "s/^same $what: .*/same $what: another/" "$place/run.part/journal.txt"
    expect 2 "another $what" "$fake" measure 'sums/0[12]*' -s 1024,2048 --samples 4 \
        -o "$place/run" --resume
    says "was started with the $what 'another', which is now '" '  is refused'
    cp "$work/journal" "$place/run.part/journal.txt"
done
expect 5 'begun anew' "$fake" measure 'sums/0[12]*' -s 1024,2048 --samples 4 -o "$place/run"
says 'contains an interrupted run; continue it with --resume, or remove it to start again' \
    '  is refused'
expect 5 'a report of the run that is there' "$fake" report "$place/run"
says 'contains an interrupted run' '  is refused, too: it would be lost'
completes again
interrupted collect
result $? 'a collection that was interrupted'
echo 'remark2: another one' >>"$place/run/run.txt"
expect 2 'for another run' "$fake" collect --repeats 1 "$place/run" --resume
says 'was started with the run of' '  is refused'
expect 2 'of other sets' "$fake" collect --repeats 1 "$place/run" --resume --sets timeline
says 'was started with the' '  is refused'
mv "$place/run.part" "$work/elsewhere"
ln -s "$work/elsewhere" "$place/run.part"
for option in '' --resume; do
    # shellcheck disable=SC2086 # no word or one
    expect 5 "a link in its place ${option:-without --resume}" "$fake" collect --repeats 1 \
        "$place/run" $option
    says 'run.part: is a symbolic link' '  is refused'
done
result "$([ -s "$work/elsewhere/journal.txt" ]; echo $?)" '  and where it leads all is left alone'
rm -rf "$work/elsewhere"

# ---- vanished, read-only and full places ---------------------------------------------------------

prepare again
status=0
(until_true has_unit && rm -rf "$place/run.part") &
run again || status=$?
wait
if is_after again "$place/run"; then
    skip 'the run was complete before its directory could vanish'
else
    is "$status" 5 'the directory vanishes'
    says 'run.part/' '  names it'
    is_before again "$place/run"
    result $? '  the earlier run is as it was'
fi

# limited COMMAND...: runs it as a user who may not write everywhere.
if [ "$(id -u)" -ne 0 ]; then
    limited() { "$@"; }
elif command -v setpriv >/dev/null && chmod -R a+rX "$work" &&
    setpriv --reuid=65534 --regid=65534 --clear-groups "$fake" version >/dev/null 2>&1; then
    limited() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
fi
if command -v limited >/dev/null; then
    for what in . points.csv journal.txt; do
        interrupted again
        chmod -R a+rwX "$place"
        chmod a-w "$place/run.part/$what"
        [ "$what" = . ] || chmod a-w "$place/run.part"
        sums "$place/run.part" >"$work/part"
        expect 5 "run.part/$what may not be written" limited "$fake" measure 'sums/0[12]*' \
            -s 1024,2048 --samples 4 -o "$place/run" --resume
        says 'Permission denied' '  says so'
        sums "$place/run.part" | cmp -s - "$work/part"
        result $? '  and all is as it was'
        chmod -R u+w "$place"
        completes again
    done
else
    skip 'everything may be written here, and there is no setpriv to become somebody else'
fi

mkdir "$work/disk"
if [ "$(id -u)" -eq 0 ] &&
    unshare -m sh -c 'mount -t tmpfs -o size=64k none "$1"' sh "$work/disk" 2>/dev/null; then
    for room in 4 12 24; do
        # The disk belongs to this shell alone and has room for the earlier run and `room` KiB. Its
        # contents are copied back afterwards.
        prepare again
        size=$(find "$place/run" -type f -exec wc -c '{}' + |
            awk '$2 != "total" { pages += int(($1 + 4095) / 4096) } END { print 4 * pages }')
        expect 5 "a disk with $room KiB left" unshare -m sh -c '
            mount -t tmpfs -o "size=$(($4 + 8 + $5))k" none "$1" &&
                cp -R "$2/run" "$1/run" || exit 99
            "$3" measure "sums/0[12]*" -s 1024,2048 --samples 4 -o "$1/run"
            status=$?
            rm -rf "$2" && cp -R "$1" "$2"
            exit $status' sh "$work/disk" "$place" "$fake" "$size" "$room"
        says 'No space left on device' '  says so'
        completes again
    done
else
    skip 'no small disk can be mounted here'
fi
finish
