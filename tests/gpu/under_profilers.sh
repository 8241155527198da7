#!/bin/sh
# Tests the program under nsys and under ncu: it keeps times and NVTX and ends well, every point is
# timed, counters are absent with one message that names the tool, and if launches are serialised
# the times are marked as not clean. Prints TAP.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
case $WHYFAST in /*) ;; *) WHYFAST=$PWD/$WHYFAST ;; esac
set -- 'reduce/0[12]*' -s 2^22 --samples 5

# found COMMAND PLACE...: prints the command's path, from the PATH or from one of the places.
found() {
    command -v "$1" && return
    shift
    for place; do [ -x "$place" ] && echo "$place" && return; done
    return 1
}
# fact KEY: prints this fact of the run.
fact() { sed -n "s/^$1: //p" "$work/run/run.txt" 2>/dev/null; }

# profile WORDS COMMAND...: runs it into $work/run and makes the tests that are the same for all
# tools.
profile() {
    words=$1
    shift
    rm -rf "$work/run" "$work/run.part"
    begun=$(date +%s)
    "$@" >"$work/out" 2>"$work/err"
    result $? "$words: it ends well, in $(($(date +%s) - begun)) s" ||
        tail -n 8 "$work/out" "$work/err" | sed 's/^/#   /'
    is "$(column "$work/run/points.csv" status 2>/dev/null | sort -u)" ok \
        '  every point is right'
    series=$(($(wc -l <"$work/run/series.csv") - 1))
    [ "$series" -ge 8 ] &&
        [ "$(column "$work/run/samples.csv" time_ns | awk '$1 > 0' | wc -l)" -eq $((5 * series)) ]
    result $? "  $series series, each of five samples with a time"
}

# refused HOLDER: tests that a report gives the holder as the reason for absent counters.
refused() {
    is "$(cat "$work/out" "$work/err" | grep -c 'warning: .*not collected')" 1 \
        '  one message says what is not collected'
    is "$(cat "$work/out" "$work/err" | grep -c "not collected: $1 holds CUPTI")" 1 \
        '    with the name of the tool'
    is "$(fact counters | cut -c "1-$((8 + ${#1} + 12))")" "absent: $1 holds CUPTI" \
        '  the run says why it has no counters'
    is "$(fact counters_lines | cut -c "1-$((8 + ${#1} + 12))")" "absent: $1 holds CUPTI" \
        '    and no lines'
    is "$(awk 'NR > 1 { n++ } /,ok$/ { ok++ } END { print (n > 0) " " ok + 0 }' \
        "$work/run/counters.csv")" \
        '1 0' '  every counter has its row, and none a value'
    is "$(wc -l <"$work/run/activities.csv")" 1 '  no kernel has been recorded'
    grep -q "Hardware counters are missing.*$1 holds CUPTI" "$work/run/report.md"
    result $? '  the report says so at its head'
}

# ---- Nsight Systems ------------------------------------------------------------------------------

if nsys=$(found nsys /usr/local/cuda/bin/nsys /opt/nvidia/nsight-systems/*/target-linux-x64/nsys \
    /opt/nvidia/nsight-compute/*/host/target-linux-x64/nsys); then
    holder='Nsight Systems (nsys)'
    profile 'measure under nsys' "$nsys" profile -t cuda,nvtx --force-overwrite=true \
        -o "$work/measure" "$WHYFAST" measure "$@" -o "$work/run"
    is "$(fact timing)" '' '  times are clean: nothing serialises launches'
    cat "$work"/measure.* | grep -aq 'reduce/01_interleaved'
    result $? '  the recording holds the ranges'
    profile 'report under nsys' "$nsys" profile -t cuda,nvtx --force-overwrite=true \
        -o "$work/report" "$WHYFAST" report --full "$@" -o "$work/run"
    refused "$holder"
    rm -rf "$work/run" "$work/run.part"
    "$nsys" profile -t cuda,nvtx --force-overwrite=true -o "$work/demand" "$WHYFAST" report "$@" \
        --demand-counters -o "$work/run" >"$work/out" 2>&1
    grep -q "whyfast: counters: $holder holds CUPTI" "$work/out" && [ ! -e "$work/run" ]
    result $? 'counters that were demanded are a failure' || tail -n 4 "$work/out" | sed 's/^/#   /'
else
    skip 'there is no nsys'
fi

# ---- Nsight Compute ------------------------------------------------------------------------------

# under_ncu OPTION... WHYFAST...: profiles in one pass, so that it takes only seconds.
under_ncu() {
    "$ncu" --clock-control none --metrics gpu__time_duration.sum --csv --page raw \
        --log-file "$work/ncu.csv" "$@"
}
if ncu=$(found ncu /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu); then
    holder='Nsight Compute (ncu)'
    unheld='not clean: the stream could not be held under Nsight Compute (ncu)'
    profile 'measure under ncu' under_ncu "$WHYFAST" measure "$@" --block 128 -o "$work/run"
    is "$(fact timing)" "$unheld" '  the run says that times are not clean'
    is "$(cat "$work/out" "$work/err" | grep -c 'warning: times are not clean')" 1 \
        '    with one message'
    is "$(grep -c gate_wait "$work/ncu.csv")" 0 '  no stream was held'
    profile 'report under ncu, which looks at one variant' under_ncu --nvtx \
        --nvtx-include 'whyfast@reduce\/01_interleaved_modulo/' "$WHYFAST" report --full "$@" \
        --block 128 -o "$work/run"
    is "$(fact timing)" "$unheld" '  the run says that times are not clean'
    grep -q 'Times are not clean.*under Nsight Compute (ncu)' "$work/run/report.md"
    result $? '  the report says so at its head'
    refused "$holder"
    [ "$(grep -c '^"[0-9]' "$work/ncu.csv")" -ge 20 ]
    result $? "  ncu found the launches by their ranges: $(grep -c '^"[0-9]' "$work/ncu.csv")"
else
    skip 'there is no ncu'
fi

# ---- launches that wait, without a tool ----------------------------------------------------------

profile 'measure with launches that wait' env CUDA_LAUNCH_BLOCKING=1 "$WHYFAST" measure "$@" \
    --block 128 -o "$work/run"
is "$(fact timing)" 'not clean: the stream could not be held under CUDA_LAUNCH_BLOCKING' \
    '  the run says that times are not clean'
finish
