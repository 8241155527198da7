#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154,SC2086 # what tests/tap.sh defines; lists of words
# Everything that needs a GPU, from end to end, on a fake one: what the program makes of a device whose every figure is known.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"

fake report -o "$work/run"
ends 0 'a report is measured, counted and made'
all_closed '  and leaves nothing open'
run=$work/run
is "$(sed -n 's/^device_name: //p' "$run/run.txt")" 'Fake GPU (no device)' '  of a device that says what it is'
contains "$run/report.md" 'Measured on **Fake GPU (no device)**' '  and so does the report'
is "$(grep -c '^probe calls' "$FAKE_LOG")" 6 '  with probes: one for samples, one for the counts of each kernel that can be counted'
is "$(cut -d , -f 2,6 "$run/points.csv" | sort | uniq -c | awk '{ print $2 ":" $1 }' | grep -v '^variant' | tr '\n' ' ')" \
    '01_conflicts,ok:2 02_no_conflicts,ok:2 03_several_loads,ok:4 04_cluster,ok:2 05_refused,ok:1 05_refused,skipped:1 90_library,ok:2 91_cpu,ok:2 ' \
    'points: all are right, one is refused with its reason'
is "$(awk -F , 'FNR > 1 && $10 ~ /throttled/' "$run/samples.csv" | wc -l)" 0 'no sample is set aside'
is "$(grep -c ',25,[0-9.]*,ok$' "$run/ceilings.csv")" 9 'every ceiling was measured until its median was known'

# ---- figures that are known -----------------------------------------------------------------------------------------------------------------------

value() { awk -F , -v point="$1" -v launch="$2" -v counter="$3" '$1 "/" $2 == point && $3 == 65536 && $6 == launch && $7 == 0 && $10 == counter { print $12; exit }' "$run/counters.csv"; }
is "$(value sums/01_conflicts 0 shared_wavefronts_load)" 8192 'counters: 8 reads of 256 warps, in four wavefronts each'
is "$(value sums/02_no_conflicts 0 shared_wavefronts_load)" 2048 '  in one where no lanes collide'
is "$(value sums/02_no_conflicts 1 shared_wavefronts_load)" 64 '  and each launch has its own'
is "$(value sums/90_library 0 dram_read_bytes)" 262272 '  but those inside of a call: both of its kernels together'
is "$(grep -c 'absent' "$run/counters.csv")" 0 '  none is absent'
is "$(awk -F , '$1 "/" $2 == "sums/01_conflicts" && $3 == 65536 && $6 == 0 { print $(NF - 11), $(NF - 5) }' "$run/launches.csv")" '6144 8192' 'the closed form agrees'
is "$(awk -F , '$1 == 0 && $2 == 32 { print $12, $13 }' "$run/lines.csv")" '8192 2048' 'counts per instruction: the excess is at the one that reads shared memory'
is "$(cut -d , -f 10,11 "$run/kernels.csv" | sort | uniq -c | awk '$2 == "ok,ok" { print $1 }')" 5 '  of five kernels, which were sampled, too'
is "$(cut -d , -f 1,4 "$run/activities.csv" | sort -u | grep -c sum_conflicts)" 2 'timelines: the launches of a point, at both sizes'
is "$(cut -d , -f 12 "$run/traces.csv" | sort | uniq -c | awk '{ print $2 ":" $1 }' | grep '^time')" 'time:10' '  and samples by time of five points in two sets'

# ---- again ------------------------------------------------------------------------------------------------------------------------------------------

fake measure $few -o "$work/few"
ends 0 'a few points are measured'
cp "$FAKE_LOG" "$work/first.log"
mv "$work/few" "$work/first"
fake measure $few -o "$work/few"
is "$(diff -rq "$work/first" "$work/few" | grep -v run.txt; cmp "$FAKE_LOG" "$work/first.log" 2>&1)" '' '  and the same once more: call for call and cell for cell'
all_closed '  nothing is left'
is "$(ls -A "$work/few" | grep -E 'part|tmp')" '' '  neither in the run'
fake collect "$work/few" -o "$work/with" --repeats 2 --keep-image "$work/image"
ends 0 'counters are collected into a copy'
all_closed '  and nothing is left'
is "$(head -c 7 "$work/image")" LOPDATA '  the image of the first batch is kept'
is "$(cut -d , -f 7 "$work/with/counters.csv" | sort -u | tr '\n' ' ')" '0 1 repeat ' '  twice'
fake collect "$work/few" --sets timeline -o "$work/part"
ends 0 'one set alone'
is "$(wc -l <"$work/part/counters.csv" | tr -d ' '),$(grep -c timeline_memory "$work/part/traces.csv")" 1,0 '  brings nothing else'

# ---- single launches ---------------------------------------------------------------------------------------------------------------------------------

fake launch $points
ends 0 'points are launched for a profiler from outside'
is "$(column "$work/out" kernel | tr '\n' ' ')" '_Z16sum_no_conflictsPKjPjmi _Z16sum_no_conflictsPKjPjmi _Z11sum_cluster11CUtensorMapPKjPjmi library_blocks library_rest ' '  and their kernels named'
all_closed '  nothing is left'
fake probe counts sums/02_no_conflicts --size 16384 --launch 1
ends 0 'a probe counts a launch'
is "$(wc -l <"$work/out" | tr -d ' ')" 25 '  at each of its instructions'
all_closed '  nothing is left'
fake probe counts sums/02_no_conflicts --size 16384 --launch 2
ends 2 '  a launch that there is not is refused'
fake probe samples sums/02_no_conflicts sums/90_library sums/91_cpu --size 16384
ends 0 'a probe samples points'
is "$(column "$work/out" name | sort -u | tr '\n' ' ')" 'library_blocks library_rest sum_no_conflicts ' '  kernel by kernel'
all_closed '  nothing is left'
finish
