#!/bin/sh
# Tests the doctor on a fake GPU: a trial finds why counters are refused, and faults of the device
# are named. Then tests tools from outside: one that serialises launches and one that holds CUPTI.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"
for variable in NV_COMPUTE_PROFILER_PERFWORKS_DIR NSYS_PROFILING_SESSION_ID \
    NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN NV_NSIGHT_INJECTION_TRANSPORT_TYPE \
    CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH CUDA_LAUNCH_BLOCKING CUDA_VISIBLE_DEVICES; do
    unset "$variable"
done

# ---- the doctor ----------------------------------------------------------------------------------

# doctor STATE VARIABLE=VALUE...: runs the doctor in this state; passes if the exit status follows
# from its findings and nothing is left open. Sets $bad to the names of the bad checks.
doctor() {
    state=$1
    shift
    : >"$FAKE_LOG"
    status=0
    env FAKE_STATE="$state" "$@" "$program" doctor >"$work/printed" 2>"$work/err" </dev/null ||
        status=$?
    apart "$work/printed" >"$work/out"
    # These checks are about this machine, not about the fake GPU.
    bad=$(grep -vE '^(output|temporary files|gnuplot|permissions) ' "$work/out" | cut -c 1-20 |
        sed -n 's/ *bad$//p' | tr '\n' ';')
    any=$(cut -c 18-20 "$work/out" | grep -c bad)
    is "$status" "$([ "$any" -eq 0 ]; echo $?)" \
        "${state:-nothing the matter}${1:+ }$*: the exit status follows"
    is "$(grep -cE ' (left|misuse) ' "$FAKE_LOG")" 0 '  nothing is left open'
    is "$(wc -l <"$work/out")" 30 '  every check has its line'
}

doctor ''
is "$bad" '' '  nothing is bad'
finds GPU ok 'Fake GPU (no device), compute capability 9.0' '  the GPU'
finds kernels ok 'made for this GPU (sm_90)' '  its code'
finds CUPTI ok "${BUILD%/valgrind}/fake/libcupti.so.13" '  CUPTI, where it is'
finds 'counter support' ok 'FAKE100: counters' '  the supported counters'
finds counters ok 'a trial session was opened, started and closed' '  a trial'
is "$(sed -nE 's/^main call cuptiRangeProfiler(Enable|Disable|SetConfig|Start|Stop) 1$/\1/p' \
    "$FAKE_LOG" |
    sort | tr '\n' ' ')" \
    'Disable Enable SetConfig Start Stop ' \
    '  which enables, configures, starts, stops and disables'
finds clocks ok 'not limited' '  its clocks'
finds self-test note "whyfast selftest' runs it" \
    '  and that its counters were not put to the test'
finds MIG ok 'MIG is off' '  and how it is shared'
doctor refused
is "$bad" 'counters;' '  counters are bad'
finds counters bad 'a trial was refused: only administrators may read counters here: run as root' \
    '  gives advice, and'
finds counters bad 'error 35' '  the error'
doctor busy
is "$bad" 'counters;' '  counters are bad'
finds counters bad \
    "held by another program, for instance DCGM: 'dcgmi profile --pause' frees them" \
    '  gives advice'
doctor subscribed
is "$bad" 'counters;' '  counters are bad'
finds counters bad 'CUPTI for a tool of this test holds CUPTI in this process' '  who holds them'
doctor subscribed NSYS_PROFILING_SESSION_ID=7
is "$bad" 'counter support;' '  CUPTI is asked for no more than who has it'
finds 'counter support' bad 'Nsight Systems (nsys) holds CUPTI in this process' '  who holds it'
finds counters skipped "not tried: see 'counter support'" '  there is no trial'
is "$(grep -c 'call cuptiProfiler' "$FAKE_LOG")" 0 '  and no other call'
doctor '' NV_COMPUTE_PROFILER_PERFWORKS_DIR=/nowhere
is "$bad" 'counter support;' '  CUPTI is not asked at all'
is "$(grep -c 'call cuptiSubscribe' "$FAKE_LOG")" 0 '  not even who has it'
doctor vgpu
finds 'counter support' bad 'a virtual GPU without profiling enabled' '  is named'
doctor sli
finds 'counter support' bad 'SLI is on' '  is named'
doctor wsl
finds 'counter support' bad 'this is WSL' '  is named'
doctor mig
is "$bad" '' '  nothing is bad'
finds MIG note 'MIG is on' '  but worth a note'
doctor throttled
is "$bad" '' '  nothing is bad'
finds clocks note 'limited by power cap' '  but worth a note'
doctor old
finds kernels bad 'no kernel runs on this GPU (sm_80); build with ARCH=native' \
    '  there is no code for it'
doctor no_gpu
is "$bad" '' '  nothing is bad'
finds GPU note 'only recorded runs can be replayed' '  but worth a note'
doctor no_gpu CUDA_VISIBLE_DEVICES=7 # NVML of the fake knows a GPU only by its place on the bus
finds GPU note 'no GPU' '  says so'
doctor insufficient_driver
is "$bad" 'GPU;' '  the GPU is bad'
finds GPU bad 'CUDA 13 needs R580 or later: update the driver' '  gives advice'
doctor '' FAKE_FAIL=nvmlInit_v2:1:18
finds driver bad 'are of different versions; reboot' '  a driver half updated'
finds clocks skipped 'no GPU (libnvidia-ml.so.1 cannot be used: error 18)' '  cannot be asked'
finds counters ok 'a trial' '  but CUPTI can'
doctor '' FAKE_FAIL=cudaGetDeviceCount:1:802
finds GPU bad 'start the service nvidia-fabricmanager' '  GPUs that are not ready'
doctor '' FAKE_FAIL=cudaStreamCreateWithFlags:1
finds GPU bad 'the GPU cannot be opened' '  a GPU that cannot be opened'
for call in cuptiProfilerInitialize cuptiProfilerDeviceSupported cuptiDeviceGetChipName; do
    doctor '' "FAKE_FAIL=$call:1"
    is "$bad" 'counter support;' '  is found'
done
for call in cuptiProfilerHostInitialize cuptiRangeProfilerEnable \
    cuptiRangeProfilerGetCounterDataSize cuptiRangeProfilerSetConfig cuptiRangeProfilerStart; do
    doctor '' "FAKE_FAIL=$call:1"
    is "$bad" 'counters;' '  is found'
done

# ---- tools from outside --------------------------------------------------------------------------

# tool NAME STATE VARIABLE=VALUE... -- COMMAND...: passes if the program, run so, succeeds and
# leaves nothing open.
tool() {
    name=$1 state=$2
    shift 2
    set_to=
    while [ "$1" != -- ]; do
        set_to="$set_to $1"
        shift
    done
    shift
    : >"$FAKE_LOG"
    rm -rf "$work/run"
    # shellcheck disable=SC2086 # words
    expect 0 "$name" env FAKE_STATE="$state" $set_to "$program" "$@" -o "$work/run"
    is "$(grep -cE ' (left|misuse) ' "$FAKE_LOG")" 0 '  nothing is left open'
}
fact() { sed -n "s/^$1: //p" "$work/run/run.txt"; }
few='sums/01_conflicts sums/02_no_conflicts --size 16384 --samples 4'

# shellcheck disable=SC2086 # words
tool 'a gate that is opened' '' -- measure $few
is "$(fact timing)" '' '  times are clean'
# shellcheck disable=SC2086
tool 'launches that an unknown tool serialises' serialised -- measure $few
is "$(fact timing)" \
    'not clean: the stream could not be held: launches wait for their kernels here, as under a profiler or a debugger' \
    '  times are not clean'
is "$(grep -c 'times are not clean' "$work/err")" 1 '    with one message'
is "$(awk '
    NR > 1 { n++ }
    /,,,,[0-9]+,,"?absent: times are not clean: the stream could not be held: launches wait/ {
        absent++
    }
    END { print (n > 0 && absent == n) }' "$work/run/ceilings.csv")" \
    1 \
    '    ceilings are absent for it'
is "$(awk -F , '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_ns") at = i; next }
    $at > 0 && $at < 1e9 { n++ }
    END { print n / (NR - 1) }' "$work/run/samples.csv")" \
    1 '  every sample has a time, and none that of a gate which gave up'
# shellcheck disable=SC2086
tool 'the same with everything that is collected' serialised -- report --full $few
is "$(fact counters)" 'collected by CUPTI' '  counters are there'
is "$(cut -d , -f 13 "$work/run/kernels.csv" | grep -c .)" "$(wc -l <"$work/run/kernels.csv")" \
    '  and lines'
is "$([ "$(wc -l <"$work/run/activities.csv")" -gt 1 ]; echo $?)" 0 \
    '  kernels are recorded, without a gate before them'
is "$(grep -o 'CUPTI recorded [^,"]*' "$work/run/traces.csv" | sort -u)" '' '    all of them'
grep -q 'Times are not clean' "$work/run/report.md"
result $? '  the report says how they were timed'
# shellcheck disable=SC2086
tool 'launches that ncu serialises' serialised NV_COMPUTE_PROFILER_PERFWORKS_DIR=/nowhere \
    -- report $few
is "$(fact timing)" 'not clean: the stream could not be held under Nsight Compute (ncu)' \
    '  times are not clean'
is "$(grep -c warning "$work/err")" 2 '  one warning of times, one of counters' ||
    explain "$(cat "$work/err")"
is "$(fact counters | cut -c 1-50)" 'absent: Nsight Compute (ncu) holds CUPTI in this p' \
    '  counters are absent, for that reason'
is "$(fact counters_lines | cut -c 1-50)" 'absent: Nsight Compute (ncu) holds CUPTI in this p' \
    '  and lines'
is "$(grep -c 'call cupti' "$FAKE_LOG")$(grep -c '^probe ' "$FAKE_LOG")" 00 \
    '  CUPTI is not called, and no probe started'
# shellcheck disable=SC2086
tool 'CUPTI that nsys holds' subscribed NSYS_PROFILING_SESSION_ID=7 -- report $few
is "$(fact timing)" '' '  times are clean'
is "$(grep -c warning "$work/err")" 1 '  one warning' || explain "$(cat "$work/err")"
says 'counters, lines and timelines are not collected: Nsight Systems (nsys) holds CUPTI' \
    '    with the name of the tool'
is "$(sed -n 's/^main call \(cupti[A-Z].*\)/\1/p' "$FAKE_LOG" | tr '\n' ';')" \
    'cuptiGetVersion 1;cuptiSubscribe 1;cuptiSubscribe_v2 1;' '  CUPTI is asked once who has it' ||
    explain "$(grep 'call cupti' "$FAKE_LOG")"
is "$(grep -c '^probe ' "$FAKE_LOG")" 0 '  no probe is started'
is "$(awk 'NR > 1 { n++ } /,ok$/ { ok++ } END { print (n > 0) " " ok + 0 }' \
    "$work/run/counters.csv")" \
    '1 0' '  every counter has its row, and none a value'
# shellcheck disable=SC2086
tool 'nsys that traces no CUDA' '' NSYS_PROFILING_SESSION_ID=7 -- report $few
is "$(fact counters)" 'collected by CUPTI' '  counters are there'
# shellcheck disable=SC2086
tool 'CUPTI that somebody else holds' subscribed -- report $few
is "$(grep -c warning "$work/err")" 1 '  one warning' || explain "$(cat "$work/err")"
says 'not collected: CUPTI for a tool of this test holds CUPTI' '    with the name that CUPTI has'
# shellcheck disable=SC2086
expect 3 'demanded' env FAKE_STATE=subscribed NSYS_PROFILING_SESSION_ID=7 "$program" report $few \
    --demand-counters -o "$work/demanded"
says 'counters: Nsight Systems (nsys) holds CUPTI' '  counters are a failure'
finish
