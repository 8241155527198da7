#!/bin/sh
# shellcheck disable=SC2086 # lists of words
# Tests every fault of a GPU, its counters and its kernels: one line says why and gives advice, the
# exit code is that of the manual, the run and the report give the reason for absent values, and
# nothing is left open.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"

fake measure $few -o "$work/few"
ends 0 'a few points are measured'

# ---- counters ------------------------------------------------------------------------------------

# reasons RUN: prints why the counters of the points are absent, one a line.
reasons() { grep -o 'absent: .*' "$1/counters.csv" | tr -d '"' | sort -u; }

# lacks_counters STATE WORDS KIND SHOWN: passes if there are no counters in this state, for this
# reason. KIND is all, or the kind of counters concerned: ranges, counts, samples, tracks, kernels.
# SHOWN is "shown" if the report is to be made without them, too.
lacks_counters() {
    rm -rf "$work/run"
    FAKE_STATE=$1 fake collect "$work/few" -o "$work/run" --repeats 1
    ends 0 "$1: collecting goes on without counters"
    all_closed '  and leaves nothing open'
    is "$(grep -c "warning: .*$2" "$work/err" | awk '{ print ($1 > 0) }')" 1 "  it says why: $2" ||
        explain "$(cat "$work/err")"
    case $3 in
    all | ranges)
        is "$(reasons "$work/run" | grep -cv "$2")$(reasons "$work/run" | grep -c .)" 01 \
            '  and so does each row'
        contains "$work/run/run.txt" 'counters: absent: ' '  and the run'
        ;;
    *) is "$(reasons "$work/run")" '' '  counters of whole launches are there' ;;
    esac
    case $3 in
    all | counts)
        is "$(column "$work/run/kernels.csv" counts_status | grep -cx ok)" 0 \
            '  no instruction is counted'
        ;;
    *)
        is "$(column "$work/run/kernels.csv" counts_status | grep -cx ok)" 3 \
            '  instructions are counted'
        ;;
    esac
    case $3 in
    all | tracks)
        is "$(grep -c ',ok$' "$work/run/traces.csv"),$(wc -l <"$work/run/trace_samples.csv" |
            tr -d ' ')" \
            0,1 '  nothing is sampled over time'
        ;;
    kernels) is "$(wc -l <"$work/run/activities.csv" | tr -d ' ')" 1 '  no kernel has its times' ;;
    esac
    if [ "$4" = shown ]; then
        fake report -q "$work/run" -o "$work/report-$1"
        ends 0 '  the report is made'
        is "$(grep -c "$2" "$work/report-$1/report.md" | awk '{ print ($1 > 0) }')" 1 \
            '  and says why'
    fi
    rm -rf "$work/run"
    FAKE_STATE=$1 fake collect "$work/few" -o "$work/run" --repeats 1 --demand-counters
    ends 3 '  where they are demanded that is a failure'
    is "$(find "$work" -maxdepth 1 -name run)" '' '  which leaves no run'
    all_closed '  and nothing open'
    rm -rf "$work/run.part"
}
lacks_counters refused \
    'run as root, or have root set NVreg_RestrictProfilingToAdminUsers=0.*error 35' all shown
lacks_counters busy 'dcgmi profile --pause.*error 26' all ''
lacks_counters subscribed 'CUPTI for a tool of this test holds CUPTI in this process' all ''
lacks_counters cupti_memory 'CUPTI ran out of memory.*error 8' all ''
lacks_counters vgpu 'virtual GPU without profiling enabled' all ''
lacks_counters unsupported 'the device does not support' all ''
lacks_counters dropped 'CUPTI dropped 2 ranges' ranges shown
lacks_counters ranges_wrong 'CUPTI returned 3 ranges of 4' ranges ''
lacks_counters endless_passes 'CUPTI still wants more after' ranges ''
lacks_counters no_instructions 'CUPTI returned no counts for the instructions' counts ''
lacks_counters buffer_full "the hardware's buffer for samples was full" samples ''
lacks_counters overflow "the hardware's buffer for samples overflowed" tracks ''
lacks_counters image_full 'more than 2048 samples' tracks ''
lacks_counters many_passes 'need 2 passes on this chip' tracks ''
lacks_counters dropped_records 'CUPTI dropped 3 records' kernels ''

FAKE_STATE=nan fake collect "$work/few" -o "$work/run" --repeats 1 --demand-counters
ends 0 'where CUPTI has no number for some counters the others count'
is "$(reasons "$work/run")" 'absent: CUPTI returned no number (0/0)' '  and those are absent'
rm -rf "$work/run"
FAKE_STATE=no_time_trigger fake collect "$work/few" -o "$work/run" --sets timeline --demand-counters
ends 0 'where a chip cannot sample by time'
is "$(column "$work/run/traces.csv" trigger | sort -u | tr -d '\n')" cycles '  it samples by cycles'
rm -rf "$work/run"
FAKE_STATE=refused fake collect "$work/few" -o "$work/run" --sets lines --demand-counters
ends 3 'instructions are demanded as other counters are'
FAKE_FAIL='cuptiProfilerHostGetMetricProperties:5' fake collect "$work/few" -o "$work/other" \
    --repeats 1
ends 0 'a chip that does not tell whether it knows a counter'
lacks "$work/other/counters.csv" 'has no such counter' '  is not taken for one that does not'
says 'cuptiProfilerHostGetMetricProperties: error 999' '  says so'

# ---- no device -----------------------------------------------------------------------------------

for state in no_gpu insufficient_driver; do
    for command in "measure -o $work/new" "collect $work/few -o $work/new" 'launch sums/02*' \
        'probe counts sums/02* --size 16384' 'probe samples sums/02* --size 16384'; do
        FAKE_STATE=$state fake $command
        ends 3 "$state: ${command%% *} ends"
        says 'no GPU here' '  and says so'
        is "$(find "$work" -maxdepth 1 -name 'new*'),$(left)" , '  leaving nothing'
    done
done
FAKE_FAIL=cudaGetDeviceProperties:1 fake collect "$work/few" -o "$work/new"
ends 3 'a device that does not tell its name ends it'
says 'cudaGetDeviceProperties' '  with the right reason'
FAKE_FAIL=cudaGetDeviceProperties:1 fake measure $few
ends 3 '  also where the run was to be named by it'

FAKE_FAIL=cudaGetDeviceCount:1:46 fake measure $few -o "$work/new"
ends 3 'a device that cannot be used ends it'
says 'the GPU cannot be used: CUDA-capable device(s) is/are busy or unavailable' \
    '  with the right reason'
FAKE_STATE=renamed fake collect "$work/few" -o "$work/new"
ends 2 'counters are not collected on another device'
says 'the run was measured on Fake GPU (no device); this machine has Fake GPU (another)' \
    '  than the one that was measured'
cd "$work" || exit 1
fake measure sums/02* --size 16384 --samples 3
cd "$ROOT" || exit 1
ends 0 'a run without a name'
is "$(find "$work" -maxdepth 1 -name 'fake-gpu-no-device-20*' | wc -l)" 1 \
    '  is named by the device and the date'

# ---- no library, no probes -----------------------------------------------------------------------

mkdir "$work/bin"
cp "$program" "$program-gpu" "$work/bin/"
if [ -n "${MEMCHECK:-}" ]; then
    skip 'a script runs the program under valgrind: no library lies beside that'
elif echo 'int cuptiGetResultString; ' |
    ${CC:-cc} -shared -x c -o "$work/bin/libcupti.so.13" - 2>/dev/null; then
    program=$work/bin/whyfast
    fake collect "$work/few" -o "$work/unlike" --repeats 1
    program=$BUILD/fake/whyfast
    ends 0 "a library without CUPTI's functions"
    is "$(reasons "$work/unlike")" 'absent: libcupti.so.13 has no function cuptiGetVersion' \
        '  leaves counters absent'
    all_closed '  nothing is left'
else
    skip 'there is no compiler for another library'
fi
for state in killed_probes:'was killed by signal 9' silent_probes:'ended with status 77'; do
    FAKE_STATE=${state%%:*} fake collect "$work/few" --sets lines -o "$work/${state%%:*}"
    ends 0 "${state%%:*}: nothing is known of instructions"
    says "sums: nothing is known of its instructions: the process ${state#*:}" '  and it says why'
    contains "$work/${state%%:*}/run.txt" 'counters_lines: absent: no kernel could be probed' \
        '  and so does the run'
    FAKE_STATE=${state%%:*} fake collect "$work/few" --sets lines --demand-counters -o "$work/new"
    ends 3 '  where they are demanded that is a failure'
    rm -rf "$work/new" "$work/new.part"
done

# ---- a device with less --------------------------------------------------------------------------

FAKE_STATE='little_memory mig throttled' fake measure sums/0* --size 16384 -o "$work/less"
ends 0 'a device with little memory, cut into slices, of a clock that falls'
is "$(grep -c 'absent: not enough memory for two buffers' "$work/less/ceilings.csv")" 4 \
    '  lacks the ceilings for which there is no room'
contains "$work/less/run.txt" 'device_mig: 1' '  says that it is cut'
contains "$work/less/run.txt" 'device_clock_event_reasons: 0x4' '  and why its clock falls'
is "$(awk -F , '
    FNR > 1 { all[$NF]++ }
    END { print (all["throttled"] > 100), (all["ok"] > all["throttled"]) }' \
    "$work/less/samples.csv")" \
    '1 1' '  samples at the lower clock are set aside'
is "$(column "$work/less/series.csv" throttled | awk '{ sum += $1 } END { print sum }')" \
    "$(grep -c ',throttled$' "$work/less/samples.csv")" '  and counted'
all_closed '  nothing is left'
# status_of VARIANT RUN: prints the different states of its points.
status_of() { column "$2/points.csv" variant status | sed -n "s/^$1\t//p" | sort -u; }
for state in old no_clusters; do
    FAKE_STATE=$state fake measure $few -o "$work/$state"
    ends 0 "$state: what the device lacks"
    is "$(status_of 04_cluster "$work/$state")" skipped '  is skipped'
done
for state in no_cooperation small smallest; do
    FAKE_STATE=$state fake measure sums/02_no_conflicts sums/03_several_loads --size 16384 \
        --samples 3 -o "$work/$state"
    ends 0 "$state: what the device lacks"
    is "$(status_of 03_several_loads "$work/$state")" skipped '  is skipped'
done
contains "$work/no_cooperation/points.csv" 'the device has no cooperative launch' \
    '  with the reason'
contains "$work/small/points.csv" 'it has 8 blocks of 256 threads, 4 SMs hold 4' '  each'
contains "$work/smallest/points.csv" \
    'it needs 65536 bytes of shared memory per block; the device has 64512' '  time'
contains "$work/old/points.csv" 'compute capability 9.0 or more; the device has 8.0' \
    '  with the reason'
contains "$work/no_clusters/points.csv" 'cannot hold a cluster of 8 such blocks' '  each time'
FAKE_FAIL=fake_gate:60 fake measure $few -o "$work/new"
ends 3 'a gate that nobody opens in time'
says 'the host was paused for more than 5 s while the stream was held' \
    '  makes its sample worthless'
FAKE_STATE=wandering_stamps fake measure $few -o "$work/wandering"
ends 0 'an unknown clock'
is "$(column "$work/wandering/samples.csv" sm_clock_mhz status | sort -u)" "$(printf '\tok')" \
    '  is absent, and no reason to set a sample aside'
FAKE_STATE=no_time fake report -q $few --no-counters -o "$work/instant"
ends 1 'times that are all 0'
says 'Device memory cannot deliver the inputs in this time' '  cannot be'
is "$(grep -c 'absent: it was as fast as an empty kernel' "$work/instant/ceilings.csv")" 13 \
    '  make no rates'
is "$(grep -lE '(^|,)-?(inf|nan)(,|$)' "$work/instant"/*.csv)" '' '  nor anything that is no number'
FAKE_FAIL='nvmlInit_v2:1' fake measure $few -o "$work/silent"
ends 0 'a driver that tells nothing of itself'
contains "$work/silent/run.txt" 'driver: absent: ' '  leaves its facts absent'
FAKE_FAIL='cudaMalloc:1:2' fake measure $few -o "$work/new"
ends 3 'a device without memory'
says 'out of memory' '  says so'
is "$(left)" '' '  and nothing is left'

# ---- wrong results -------------------------------------------------------------------------------

for state in wrong_result wrong_later writes_outside; do
    FAKE_STATE=$state fake measure $few -o "$work/$state"
    ends 1 "$state: a wrong result is told by the exit code"
    says 'sums/04_cluster, size 16384' '  and by name'
    is "$(column "$work/$state/points.csv" variant status | grep -v "$(printf '\tok$')" |
        tr '\t' ' ')" '04_cluster failed' '  it failed, and no other'
    is "$(grep -c 04_cluster "$work/$state/samples.csv")" 0 '  it has no time'
    is "$(grep -c '^wrong_results: 1$' "$work/$state/run.txt")" 1 '  it counts once'
    all_closed '  nothing is left'
done
contains "$work/wrong_result/points.csv" 'before timing: element 0 is' \
    'a wrong result says when and what'
contains "$work/wrong_later/points.csv" 'after timing: element 0 is' '  also one that came later'
contains "$work/writes_outside/points.csv" 'wrote outside of its buffers' '  or that lies elsewhere'
fake report -q "$work/wrong_result" -o "$work/report-wrong"
contains "$work/report-wrong/report.md" 'failed' '  the report shows it'
FAKE_STATE=wrong_result fake collect "$work/few" -q -o "$work/wrong-counted" --repeats 1
ends 1 'a result that is wrong while it is counted sets the exit code'
says 'sums/04_cluster' '  and by name'
is "$(reasons "$work/wrong-counted")" \
    'absent: it gave a wrong result before its counters were collected' \
    '  its counters are absent, those of others are not'
FAKE_STATE=wrong_ceilings fake measure sums/02_no_conflicts --size 16384 --samples 3 \
    -o "$work/wrong-ceilings"
ends 1 'ceilings are not taken from kernels with wrong results'
is "$(grep -c 'failed: before timing' "$work/wrong-ceilings/ceilings.csv")" 13 \
    '  those that leave a result'
contains "$work/wrong-ceilings/ceilings.csv" 'failed: before timing: 3 elements are wrong' \
    '  each says how'
FAKE_STATE=wrong_result fake launch sums/04_cluster --size 16384
ends 1 'one that is wrong when it is launched, too'
finish
