#!/bin/sh
# Tests kernels and counters over time on a GPU: both triggers of the sampler; a reduction of 2^29
# integers, whose bytes by samples must equal those by the range profiler; and its kernels and
# samples within their stage. Prints TAP.
here=$(dirname "$0")
BUILD=${BUILD:-build}
# shellcheck source=points.inc
. "$here/points.inc"
WHYFAST_DATA=${ROOT:-$PWD}
export WHYFAST_DATA

"$BUILD/tests/gpu/sampling_triggers" >"$work/triggers" 2>&1
status=$?
sed 's/^/# /; s/^# # /# /' "$work/triggers"
report $status 'sampled by time and by cycles, with lost samples reported'

"$WHYFAST" report -q 'reduce/0[678]*' 'reduce/15*' reduce/90_cub -s 2^29,2^16 --samples 20 \
    --seconds 2 --sets mission,timeline,timeline_memory -o "$work/run" >"$work/out" 2>&1
status=$?
report $status 'a run with a timeline'
[ $status -eq 0 ] || sed 's/^/# /' "$work/out"
case $WHYFAST in /*) ;; *) WHYFAST=$PWD/$WHYFAST ;; esac
cd "$work/run" || exit 1

# bytes COUNTER TRACK: prints for each variant that ran once at 2^29 the bytes by its samples, the
# bytes by the range profiler, and the difference in per cent.
bytes() {
    awk -F , -v counter="$1" -v track="$2" "$by_name"'
        FNR == 1 { next }
        { point = $at["variant"] "@" $at["sweep"] }
        FILENAME == "counters.csv" {
            repeat = $at["repeat"] + 0
            if ($at["size"] == 536870912 && $at["counter"] == counter && $at["status"] == "ok")
                sum[point " " repeat] += $at["value"]
            if (repeat + 1 > repeats) repeats = repeat + 1
        }
        FILENAME == "traces.csv" {
            if ($at["size"] == 536870912 && $at["counter_set"] == "timeline" &&
                $at["repeats"] == 1 && $at["samples_status"] == "ok")
                of[$1] = point
        }
        FILENAME == "trace_samples.csv" && $at["track"] == track && ($1 in of) {
            sampled[of[$1]] += $at["value"]
        }
        END {
            for (v in sampled) {
                range = 0
                for (r = 0; r < repeats; r++) range += sum[v " " r] / repeats
                printf "%s %.0f %.0f %.4f\n", v, sampled[v], range,
                    range ? 100 * (sampled[v] / range - 1) : 999
            }
        }' counters.csv traces.csv trace_samples.csv |
        sort
}
bytes dram_read_bytes dram_read >"$work/bytes"
sed 's/^/# /' "$work/bytes"
[ "$(wc -l <"$work/bytes")" -ge 4 ] &&
    awk '{ d = $4 < 0 ? -$4 : $4; if (d >= 3) bad = 1 } END { exit bad }' "$work/bytes"
report $? 'the samples of a 2^29 reduction sum up to the bytes of the range profiler within 3 %'
# Kernels lie within their trace, traces within their stage, and samples follow one another.
awk -F , "$by_name"'
    FILENAME == "stages.csv" && $1 == "timeline" { begin[$2 $3] = $4; end[$2 $3] = $5 }
    FILENAME == "traces.csv" && FNR > 1 {
        from = $at["begin_ns"]
        to = $at["end_ns"]
        length_of[$1] = to - from
        traces++
        if (from < begin[$2 $4] || to > end[$2 $4])
            print "trace " $1 " lies outside of its stage"
    }
    # Names of kernels may hold commas, so the later columns count from the end.
    FILENAME == "activities.csv" &&
        FNR > 1 { kernels++; from = $(NF - 11) + 0; to = $(NF - 10) + 0; if (to > length_of[$1] ||
            from >= to) print "a kernel of trace " $1 " lies outside of it"
        if ($1 == last && from < until) print "kernels of trace " $1 " overlap"
        last = $1
        until = to }
    FILENAME == "trace_samples.csv" && FNR > 1 && $5 == "dram_read" {
        samples++
        if (samples > 1 && $1 == before && $3 != after)
            print "a gap between samples of trace " $1
        before = $1
        after = $4
    }
    END { print traces " traces, " kernels " kernels, " samples " samples" }' stages.csv \
    traces.csv activities.csv trace_samples.csv >"$work/places"
sed 's/^/# /' "$work/places"
[ "$(wc -l <"$work/places")" -eq 1 ] &&
    awk '{ exit !($1 > 10 && $3 > 20 && $5 > 300) }' "$work/places"
report $? \
    'kernels lie in their trace, traces in their stage, no kernels overlap, samples have no gaps'
"$WHYFAST" timeline "$work/run" -o "$work/trace.json" >"$work/out" 2>&1
status=$?
report $status 'the run is a trace'
[ "$(grep -c '"ph":"X"' "$work/trace.json")" -ge 20 ] &&
    [ "$(grep -c '"ph":"C"' "$work/trace.json")" -ge 1000 ]
report $? '  with kernels and counters'
echo "1..$count"
