#!/bin/sh
# Tests that whatever call fails while runs are merged, the program ends with one of its own exit
# codes and says why, and leaves either the whole result or nothing that is in the way.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fault/sweep.inc"

# Two parts of the run of one device, and a run of another.
small_run "$work/first"
sed -i '/^replay_of: /d' "$work/first/run.txt"
measured='points launches series samples counters'
# shellcheck disable=SC2086 # names
cut_rows "$work/first" '$1 == "reduce" && $2 ~ /^0[1-4]_/' $measured
cut_rows "$work/first" 0 lines kernels accesses sources source_files traces activities trace_samples
cp -R "$work/first" "$work/second"
cp -R "$work/first" "$work/other"
sed -i 's/^device_uuid: .*/device_uuid: 0123/' "$work/other/run.txt"
sed -i 's/^date: .*/date: 2026-01-01T00:00:00Z/' "$work/second/run.txt"
# shellcheck disable=SC2086 # names
cut_rows "$work/first" '$2 !~ /^0[12]_/' $measured
# shellcheck disable=SC2086 # names
cut_rows "$work/second" '$2 !~ /^0[34]_/' $measured
mkdir "$work/place"
place=$work/place

expect 0 'without a fault the runs are merged' "$WHYFAST" merge "$work/first" "$work/second" \
    "$work/other" -o "$place/out"
sums "$place/out" >"$work/whole.sums"
sums "$place/out/devices" >"$work/devices.sums"
rm -r "$place/out"
needs_faults malloc

attempt() { with_fault "$1" merge "$work/first" "$work/second" "$work/other" -o "$place/out"; }
succeeded() { sums "$place/out" | cmp -s - "$work/whole.sums"; }
# The page of the boards is written when the merged run is in its place.
left() {
    [ ! -d "$place/out" ] || sums "$place/out/devices" | cmp -s - "$work/devices.sums" ||
        echo 'leaves half a result'
}
# What is left beside the output must not obstruct the next start.
tidy_up() {
    rm -rf "$place/out"
    [ ! -e "$place/out.part" ] || "$WHYFAST" merge -q "$work/first" "$work/second" "$work/other" \
        -o "$place/out" >/dev/null 2>"$work/err" ||
        echo "the next start fails: $(head -c 200 "$work/err")"
    rm -rf "$place/out"
}
sweep malloc "$(some 40 200)"
sweep fopen "$(some 24 100)"
sweep write "$(some 16 60)"
sweep fclose "$(some 16 60)"
sweep rename "$(some 9 40)"
sweep mkdir "$(some 6 20)"
sweep fsync "$(some 12 40)"
sweep unlink "$(some 6 20)"
is "$(ls "$place")" '' 'failed merges leave nothing'
finish
