#!/bin/sh
# shellcheck disable=SC2086 # lists of words
# Tests everything that needs a GPU from end to end on a fake one, whose figures are all known.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"
. "$ROOT/tests/nvtx/recorder.inc"

fake report --full -o "$work/run"
ends 0 'a report is measured, counted and made'
all_closed '  and leaves nothing open'
is "$(head -n 1 "$work/err" | grep -cE \
    '^whyfast: measuring [0-9]+ points of [0-9]+ problem sizes, with counters: about [0-9]+ ')" 1 \
    '  which begins with what is done, and how long it takes'
is "$(grep -nE '^whyfast: (measure|provisional|ceilings): ' "$work/err" | sed 's/.*whyfast: //; s/:.*//' |
    uniq | tr '\n' ' ')" 'measure provisional ceilings ' '  says what it found as soon as it has times'
run=$work/run
is "$(sed -n 's/^device_name: //p' "$run/run.txt")" 'Fake GPU (no device)' \
    '  of a device whose name says so'
contains "$run/report.md" 'Measured on **Fake GPU (no device)**' '  and so does the report'
contains "$run/coverage.md" '| reduce/91_cpu_one_thread | not in this run |' \
    '  and the coverage of the sources knows what was not measured'
is "$(grep -c '^probe calls' "$FAKE_LOG")" 9 \
    '  with probes: one for the samples of each size, one for the counts of each of six kernels, and one for the twins of the kernel that has machine code'
is "$(column "$run/points.csv" variant status | sed 's/ .*//' | sort | uniq -c |
    awk '{ print $2 "," $3 ":" $1 }' | tr '\n' ' ')" \
    '01_conflicts,ok:2 02_no_conflicts,ok:2 03_several_loads,ok:4 04_cluster,ok:2 05_refused,ok:1 05_refused,skipped:1 06_machine_code,ok:2 07_racy,right:1 07_racy,wrong:1 90_library,ok:2 91_cpu,ok:2 ' \
    'points: all are right, one is refused with its reason'
is "$(column "$run/points.csv" variant size choice | sort -u | grep "$(printf '\t[^\t]*\t.')" |
    tr '\t\n' ', ')" \
    "$(printf '%s ' 03_several_loads,16384,few\ blocks 03_several_loads,65536,all\ blocks)" \
    '  and one states its choice'
sed -n '1p; /07_racy/{ s/"\(wrong in .* launches\), at first: .*; .*",/\1,/; p; }' \
    "$run/points.csv" >"$work/racy"
is "$(column "$work/racy" size status reason trials wrong_trials | tr '\t' ,)" \
    '16384,right by luck,right in all of 200 launches,200,0
65536,wrong as expected,wrong in 50 of 100 launches,100,50' \
    '  the trials of a rung that is expected to fail are counted, again after it was timed'
is "$(cat "$run/counters.csv" "$run/kernels.csv" | grep -c racy)" 0 '  and it is not counted'
is "$(column "$run/samples.csv" variant size l2 kind copy | grep racy | sort -u | tr '\t\n' ', ')" \
    '07_racy,16384,cold,end_to_end,a 07_racy,16384,cold,end_to_end,b ' \
    '  but timed where it was always right'
is "$(column "$run/metrics.csv" variant size time_ns speedup_prev | grep racy | tr '\t\n' ', ')" \
    '07_racy,16384,, 07_racy,65536,, ' '  yet its time is not compared with others'
is "$(column "$run/metrics.csv" variant size unguaranteed_time_ns |
    awk '$1 == "07_racy" { print $2, ($3 > 1000) }' | tr '\n' ,)" '16384 1,65536 0,' \
    '  and stands in a column of its own'
is "$(column "$run/metrics.csv" variant unguaranteed_time_ns | awk '$2 != "" { print $1 }' |
    sort -u)" 07_racy '  which no other rung has'
contains "$run/verdicts.csv" 'refuted,wrong_pct = 50' '  its claim is judged'
contains "$run/said.csv" 'This rung races: 50 % of its launches were wrong.' \
    '  and its step told'
is "$(grep -c 'every launch was right: .*s, which nothing guarantees' "$run/said.csv")" 1 \
    '  with the mark of what was right by luck'
is "$(column "$run/samples.csv" status | sort -u)" ok 'no sample is set aside'
none "$(column "$run/samples.csv" time_ns sm_clock_mhz |
    looked grep -vE '^[1-9][0-9]*.([0-9]+(\.[0-9])?)?$')" \
    'times are whole nanoseconds, and clocks are known to 0.1 MHz'
is "$(grep -c ',25,[0-9.]*,ok$' "$run/ceilings.csv")" 19 \
    'every ceiling was measured until its median was known'
# near CEILING NS: prints 1 if the value is at most 1 % from NS, else the value.
near() {
    awk -F , -v ceiling="$1" -v ns="$2" '
        $1 == ceiling {
            x = $(NF - 5)
            print (x > 0.99 * ns && x < 1.01 * ns ? 1 : x)
        }' "$run/ceilings.csv"
}
is "$(near memory_latency_ns 400)" 1 '  a load from memory takes 600 cycles of 1.5 GHz'
is "$(near barrier_ns 20)" 1 '  a barrier 30'
is "$(near atomic_ns 2)" 1 '  an atomic addition 3'
is "$(near clear_ns 600)" 1 '  and a memset 900'
is "$(near mma_tflops 11.32)" 1 '  products of warps have a rate'
is "$(near wgmma_tflops 16.97)" 1 '  those of warpgroups a higher one'
is "$(column "$run/metrics.csv" ceiling_wgmma_clock_mhz | sort -u | sed 's/^1499\.[89].*/1500/')" 1500 \
    '  at a known clock'

# ---- known figures -------------------------------------------------------------------------------

value() {
    column "$run/counters.csv" family variant size launch repeat counter value |
        sed -n "s|^${1%/*}\t${1#*/}\t65536\t$2\t0\t$3\t||p"
}
is "$(value sums/01_conflicts 0 shared_wavefronts_load)" 8192 \
    'counters: 8 reads of 256 warps, in four wavefronts each'
is "$(value sums/02_no_conflicts 0 shared_wavefronts_load)" 2048 '  in one where no lanes collide'
is "$(value sums/02_no_conflicts 1 shared_wavefronts_load)" 64 '  and each launch has its own'
is "$(value sums/90_library 0 dram_read_bytes)" 262272 \
    '  but those inside of a call: both of its kernels together'
is "$(grep -c 'absent' "$run/counters.csv")" 0 '  none is absent'
rows_where "$run/launches.csv" \
    '$at["variant"] == "01_conflicts" && $at["size"] == 65536 && $at["launch"] == 0' \
    >"$work/conflicting"
is "$(column "$work/conflicting" closed_form_excess_wavefronts closed_form_load_wavefronts)" \
    "$(printf '6144\t8192')" 'the closed form agrees'
# kernel SYMBOL SIZE: prints the number of this kernel.
kernel() {
    column "$run/kernels.csv" name size kernel | sed -n "s/^$1\t$2\t//p" | head -n 1
}
load=$(kernel sum_conflicts 65536)
rows_where "$run/lines.csv" '$at["kernel"] == '"$load"' && $at["pc"] == 32' >"$work/load"
is "$(column "$work/load" shared_wavefronts shared_ideal)" "$(printf '8192\t2048')" \
    'counts per instruction: the excess is at the one that reads shared memory'
column "$run/kernels.csv" size samples_status counts_status | sort | uniq -c >"$work/statuses"
is "$(sed -n 's/^ *\([0-9]*\) 65536\tok\tok$/\1/p' "$work/statuses")" 6 \
    '  of six kernels, which were sampled, too'
is "$(sed -n 's/^ *\([0-9]*\) 16384\tok\tabsent: .* the primary size alone$/\1/p' \
    "$work/statuses")" 8 '  at the other size kernels are sampled alone'
if [ -x "$ROOT/build/nvdisasm/bin/nvdisasm" ] || command -v nvdisasm >/dev/null ||
    command -v cuobjdump >/dev/null; then
    is "$(awk -f "$ROOT/tests/full_lines.awk" "$run/lines.csv" |
        awk -F , -v kernel="$(kernel sum_machine_code 65536)" \
            '$1 == kernel { print $3 $4 != "" }' | sort -u | tail -n 1)" \
        1 '  where the code is there its instructions have lines'
    contains "$run/sources.csv" 'tests/fake/kernels/sums/06_machine_code.cu' '  of a source file'
else
    skip 'neither nvdisasm nor cuobjdump is on the PATH: listings were not looked at'
fi
is "$(cut -d , -f 1,4 "$run/activities.csv" | sort -u | grep -c sum_conflicts)" 2 \
    'timelines: the launches of a point, at both sizes'
is "$(column "$run/traces.csv" trigger | grep -cx time)" 12 '  and samples by time of six points in two sets'

fake report 'sums/0[34]*' sums/90_library -s '2^10..2^17' --samples 3 --no-counters -o "$work/map"
ends 0 'a range of sizes is reported'
is "$(column "$work/map/shape_map.csv" size choice library | sed -n '1p; 8p' | tr '\t\n' ', ')" \
    '1024,,90_library 131072,,90_library ' '  each over the library'
contains "$work/map/ladder-sums.html" 'The library is faster at none of 8 sizes' '  as a map'
rm -r "$work/map"

is "$(grep -c ',nothing,absent: the machine code of this build differs' "$run/knockouts.csv")" 4 \
    'a kernel without machine code has one row of knock-outs, which says so'
is "$(grep -c '^sums,06_machine_code,.*,nothing,absent: ' "$run/knockouts.csv")" 1 \
    '  and so has one whose copies cannot run'
fake knockout sums/01 sums/06 --csv
ends 0 'the costs of two variants are knocked out'
all_closed '  and nothing is left open'
is "$(grep -c '"sums/0[16]_.*,nothing,.*absent: ' "$work/out")" 2 '  with the reasons why they are not'

# ---- again ---------------------------------------------------------------------------------------

fake measure $few -o "$work/few"
ends 0 'a few points are measured'
cp "$FAKE_LOG" "$work/earlier.log"
mv "$work/few" "$work/earlier"
fake measure $few -o "$work/few"
is "$(
    diff -rq "$work/earlier" "$work/few" 2>&1 | grep -v run.txt
    cmp "$FAKE_LOG" "$work/earlier.log" 2>&1
)" \
    '' '  and the same once more: call for call and cell for cell'
all_closed '  nothing is left'
is "$(find "$work/few" -name '*part*' -o -name '*tmp*')" '' '  neither in the run'
fake collect "$work/few" -o "$work/with" --repeats 2
ends 0 'counters are collected into a copy'
all_closed '  and nothing is left'
# The fake's clock runs ahead of the system's, which each process starts from: for this process the
# clock was set back since the run was measured.
is "$(awk -F , "$by_name"'
    FNR == 1 { file++; next }
    file == 1 { length_ns[$1] = $at["end_ns"] - $at["begin_ns"]; next }
    $at["begin_ns"] < 0 || $at["end_ns"] > length_ns[$1] { wrong++ }
    END { print wrong + 0, (FNR > 100) }' \
    "$work/with/traces.csv" "$work/with/trace_samples.csv")" '0 1' \
    '  samples over time lie within their traces, though the clock was set back'
is "$(column "$work/with/counters.csv" repeat | sort -u | tr '\n' ' ')" '0 1 ' '  twice'
is "$(column "$work/with/counters.csv" repeat source | grep -c '^1.smsp__sass_') $(
    column "$work/with/counters.csv" repeat source | grep -c '^0.smsp__sass_' |
        sed 's/[1-9].*/some/'
)" '0 some' '  but counts by instrumentation once'
cp -R "$work/few" "$work/huge"
sed -i 's/,16384,/,4611686018427387904,/' "$work/huge/points.csv"
fake collect "$work/huge" -o "$work/without"
ends 2 'a size that fits into no memory'
says 'its arrays take at least ' '  is refused'
all_closed '  and nothing is left'
fake collect "$work/few" --sets timeline -o "$work/part"
ends 0 'one set alone'
is "$(wc -l <"$work/part/counters.csv" |
    tr -d ' '),$(grep -c timeline_memory "$work/part/traces.csv")" \
    1,0 '  brings nothing else'

# ---- interrupted ---------------------------------------------------------------------------------

# What fails late keeps what was finished: the second size is measured when the first is done.
two='sums/0[12]* --samples 5 --no-counters'
FAKE_FAIL=cudaHostAlloc:2 fake report --full $two -o "$work/halves"
ends 3 'a run that breaks off'
says 'gate: host memory' '  says why'
is "$(find "$work" -maxdepth 1 -name 'halves*' -exec basename '{}' ';')" 'halves.part' \
    '  and keeps what it finished'
cp "$work/halves.part/samples.csv" "$work/half.csv"
is "$(cut -d , -f 3 "$work/half.csv" | sort -u | tr '\n' ' ')" '16384 size ' '  which is one size'
fake report --full sums/01* --no-counters -o "$work/halves" --resume
ends 2 '  no other run can be resumed'
says "was started with the selection 'patterns sums/0[12]*" '  says so'
fake report --full $two -o "$work/halves" --resume
ends 0 '  it can be resumed'
is "$(cut -d , -f 3 "$work/halves/samples.csv" | sort -u | tr '\n' ' ')" '16384 65536 size ' \
    '  until both are there'
is "$(head -n "$(wc -l <"$work/half.csv")" "$work/halves/samples.csv" | cmp - "$work/half.csv")" \
    '' '  and the earlier part is unchanged'
all_closed '  nothing is left'

# ---- announced to a tool -------------------------------------------------------------------------

if [ ! -e "$recorder" ]; then
    skip 'there is no recorder: announcements were not looked at'
else
    under_recorder "$program" report -q --full $few -o "$work/told" >"$work/out" 2>"$work/err"
    result $? 'a run is announced to a tool that listens' || explain "$(cat "$work/err")"
    is "$(balanced)" '' '  every range ends'
    is "$(awk -F '\t' '$2 == "push" && $8 ~ /^variant:.* sample=/' "$work/events" | wc -l)" \
        "$(($(wc -l <"$work/told/samples.csv") - 1))" '  each sample is a range'
    is "$(awk -F '\t' '$2 == "mark" && $7 ~ /^result /' "$work/events" | wc -l |
        awk '{ print ($1 >= 4) }')" \
        1 '  each result is a mark'
    is "$(awk -F '\t' '$2 == "batch"' "$work/events" | wc -l)" \
        "$(awk -F , 'NR > 1 { print $1 $5 }' "$work/told/trace_samples.csv" | sort -u | wc -l)" \
        '  each track a batch of values'
    FAKE_STATE='wrong_result refused throttled' under_recorder "$program" report -q \
        --full sums/0[45]* --samples 40 -o "$work/trouble" >"$work/out" 2>"$work/err"
    is $? 1 'trouble is announced'
    is "$(awk -F '\t' '$2 == "mark" { print $7 }' "$work/events" |
        grep -oE '^(wrong result|skipped|throttled|counters refused)' | sort -u | tr '\n' ',')" \
        'counters refused,skipped,throttled,wrong result,' '  each kind of it'
    is "$(balanced)" '' '  and every range ends'
fi

# ---- never taken for a measurement ---------------------------------------------------------------

is "$(grep -l 'Fake GPU' "$ROOT"/tests/fixture/*/run.txt "$ROOT"/tests/gpu/recorded/*/run.txt)" '' \
    'no run of the tests is of the fake device'
if [ -n "${MEMCHECK:-}" ]; then
    skip 'a script runs the programs under valgrind'
else
    grep -qF 'Fake GPU' "$program-gpu"
    result $? 'the program on it carries its name'
fi
if grep -qF 'Fake GPU' "$WHYFAST" "$WHYFAST-gpu"; then
    result 1 '  and the program that is installed does not'
else
    result 0 '  and the program that is installed does not'
fi

# ---- single launches -----------------------------------------------------------------------------

fake launch $points
ends 0 'points are launched for a profiler from outside'
is "$(column "$work/out" kernel | tr '\n' ' ')" \
    '_Z16sum_no_conflictsPKjPjmi _Z16sum_no_conflictsPKjPjmi _Z11sum_cluster11CUtensorMapPKjPjmi library_blocks library_rest ' \
    '  and their kernels named'
all_closed '  nothing is left'
column "$work/out" kernel >"$work/round"
fake launch $points --samples 2
ends 0 'twice'
is "$(column "$work/out" kernel)" "$(cat "$work/round" "$work/round")" '  in rounds'
all_closed '  nothing is left'
fake probe counts sums/02_no_conflicts --size 16384 --launch 1
ends 0 'a probe counts a launch'
is "$(wc -l <"$work/out" | tr -d ' ')" 25 '  at each of its instructions'
all_closed '  nothing is left'
fake probe counts sums/02_no_conflicts --size 16384 --launch 2
ends 2 '  an unknown launch is refused'
fake probe samples sums/02_no_conflicts sums/90_library sums/91_cpu --size 16384
ends 0 'a probe samples points'
is "$(column "$work/out" name | sort -u | tr '\n' ' ')" \
    'library_blocks library_rest sum_no_conflicts ' '  kernel by kernel'
all_closed '  nothing is left'
finish
