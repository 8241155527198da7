#!/bin/sh
# Tests annotations by NVTX on a GPU: Nsight Compute selects the launches of one variant by its
# range, a measurement announces the ranges of its dry run and its results, and announcing does not
# change the times. Prints TAP.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
# shellcheck source=../nvtx/recorder.inc
. "$here/../nvtx/recorder.inc"

# ---- Nsight Compute ------------------------------------------------------------------------------

# choose WORDS RANGE CONDITION PATTERN SIZES: passes if ncu, run on everything that matches the
# pattern, profiles in this range exactly the launches for which the condition holds, in their
# order. The condition is in awk, on a row of the launches; at["name"] is the number of a column.
choose() {
    if ! ncu --nvtx --nvtx-include "$2" --clock-control none --kernel-name-base mangled \
        --print-kernel-base mangled --metrics gpu__time_duration.sum --csv \
        --page raw --print-units base --log-file "$work/ncu.csv" "$WHYFAST" launch "$4" \
        -s "$5" >"$work/launches" 2>"$work/err"; then
        tail -n 5 "$work/ncu.csv" "$work/err" | sed 's/^/# /'
        result 1 "$1: ncu profiles it"
        return
    fi
    awk -F , "$by_name NR > 1 && $3 { print \$at[\"kernel\"] }" "$work/launches" >"$work/wanted"
    awk '
        function cells(line) {
            sub(/^"/, "", line); sub(/"$/, "", line); return split(line, cell, /","/)
        }
        !/^"/ { next }
        { n = cells($0) }
        cell[1] == "ID" { for (i = 1; i <= n; i++) if (cell[i] == "Kernel Name") named = i; next }
        cell[1] != "" { sub(/\(.*/, "", cell[named]); print cell[named] }' \
        "$work/ncu.csv" >"$work/profiled"
    [ -s "$work/wanted" ] && cmp -s "$work/wanted" "$work/profiled"
    result $? \
        "$1: ncu profiles its $(wc -l \
            <"$work/wanted") launches of $(($(wc -l <"$work/launches") - 1)), and no others" ||
        diff "$work/wanted" "$work/profiled" | head -n 6 | sed 's/^/# /'
}
# choose_variant FAMILY/VARIANT PATTERN SIZES: does so for the range of a variant.
choose_variant() {
    choose "$1" "whyfast@$(echo "$1" | sed 's|/|\\/|')/" "\$1 \"/\" \$2 == \"$1\"" "$2" "$3"
}
if command -v ncu >/dev/null; then
    choose_variant reduce/02_interleaved_strided 'reduce/*' 2^16
    choose_variant reduce/07_many_per_thread 'reduce/*' 2^16
    choose_variant reduce/08_atomic_per_block 'reduce/*' 2^16
    choose_variant gemm/02_coalesced 'gemm/0*' 128x128x128
    choose 'one size' 'whyfast@reduce 4194304/reduce\/03_sequential/' \
        '$3 == 4194304 && $2 == "03_sequential"' 'reduce/0[23]*' 2^16,2^22
    choose 'one launch' 'whyfast@reduce\/03_sequential/launch 0/' \
        '$at["launch"] == 0 && $2 == "03_sequential"' 'reduce/0[23]*' 2^22
else
    skip 'ncu is not on the PATH'
fi

# ---- a measurement and its dry run ---------------------------------------------------------------

# launch_paths: prints each launch with the ranges around it, once.
launch_paths() {
    awk -F '\t' '
        $2 == "push" {
            open[$3] = $7
            if ($8 ~ /^launch:/)
                print open[0] "\t" open[1] "\t" open[2] "\t" open[3] "\t" open[4]
        }' "$work/events" |
        sort -u
}
set -- reduce/01_interleaved_modulo reduce/08_atomic_per_block@16 reduce/90_cub \
    reduce/91_cpu_one_thread gemm/02_coalesced -s 2^16,64x64x64 --samples 30 --seconds 4
under_recorder "$WHYFAST" measure -q "$@" --dry-run --csv >"$work/plan"
result $? 'a dry run'
chains | cut -f 1-4 | sort -u >"$work/chains"
launch_paths >"$work/paths"
under_recorder "$WHYFAST" measure -q "$@" -o "$work/run" >"$work/out" 2>&1
result $? 'the same, measured' || sed 's/^/# /' "$work/out"
said=$(balanced)
result $? "every range ends $said"
[ -s "$work/chains" ] && chains | cut -f 1-4 | sort -u | cmp -s - "$work/chains"
result $? "its ranges are those of the dry run: $(wc -l <"$work/chains") points" ||
    chains | cut -f 1-4 | sort -u | diff - "$work/chains" | head -n 6 | sed 's/^/# /'
[ -s "$work/paths" ] && launch_paths | cmp -s - "$work/paths"
result $? "  and so are its launches: $(wc -l <"$work/paths")"
awk -F '\t' '$2 == "push" && $8 ~ /^variant:.* sample=/ { n++ } END { print n + 0 }' \
    "$work/events" >"$work/samples"
[ "$(cat "$work/samples")" -gt 0 ] &&
    [ "$(cat "$work/samples")" -eq "$(($(wc -l <"$work/run/samples.csv") - 1))" ]
result $? "  each sample is a range: $(cat "$work/samples")"
[ "$(awk -F '\t' '$7 == "sample time [ns]"' "$work/events" | wc -l)" -eq "$(cat "$work/samples")" ]
result $? '  and a value of the counter of times'
"$WHYFAST" evaluate -q "$work/run" --metric time_ns 2>/dev/null |
    awk -F , "$by_name"'NR > 1 { printf "%s/%s %.6g\n", $1, $2, $at["time_ns"] }' |
    sort >"$work/times"
awk -F '\t' '
    $2 == "mark" && $7 ~ /^result / && match($8, / time_ns=[^ ]*/) {
        printf "%s %.6g\n", substr($7, 8), substr($8, RSTART + 9, RLENGTH - 9)
    }' "$work/events" |
    sort >"$work/marks"
[ -s "$work/times" ] && cmp -s "$work/times" "$work/marks"
result $? "  each result is a mark, with the time that is evaluated: $(wc -l <"$work/marks")" ||
    diff "$work/times" "$work/marks" | head -n 6 | sed 's/^/# /'
throttled=$(awk -F '\t' '$7 ~ /^throttled /' "$work/events" | wc -l)
[ "$throttled" -eq "$(grep -c ',throttled$' "$work/run/samples.csv")" ]
result $? "  each throttled sample is a mark: $throttled"

# ---- counters ------------------------------------------------------------------------------------

under_recorder "$WHYFAST" report -q --full reduce/15_few_tiles -s 2^22 --samples 10 \
    --seconds 1 -o "$work/whole" >"$work/out" 2>&1
result $? 'a whole run' || sed 's/^/# /' "$work/out"
said=$(balanced)
result $? "  every range ends $said"
for stage in measure collect probe timeline; do
    awk -F '\t' -v category="reduce/$stage" '
        $2 == "push" && $5 == category && $7 == "reduce/15_few_tiles" { found = 1 }
        END { exit !found }' "$work/events"
    result $? "  its variant has ranges in reduce/$stage"
done
samples=$(awk -F , 'NR > 1 && $6 != ""' "$work/whole/trace_samples.csv" | wc -l)
announced=$(awk -F '\t' \
    '$2 == "batch" && $7 ~ /^reduce\// { n += gsub(/=/, "", $8) } END { print n + 0 }' \
    "$work/events")
[ "$(awk -F '\t' '$2 == "batch"' "$work/events" |
    wc -l)" -eq "$(awk -F , 'NR > 1 { print $5 }' "$work/whole/trace_samples.csv" | sort -u |
        wc -l)" ] &&
    [ "$announced" -eq "$samples" ] && [ "$samples" -gt 100 ]
result $? "  each track is a batch of counter values: $announced of $samples samples"

# ---- the cost of annotations ---------------------------------------------------------------------

"$BUILD/tests/gpu/annotation_cost" >"$work/cost" 2>&1
status=$?
sed 's/^/# /; s/^# # /# /' "$work/cost"
result $status 'without a tool annotations do not change the times'
under_recorder "$BUILD/tests/gpu/annotation_cost" >"$work/cost" 2>&1
status=$?
sed 's/^/# /; s/^# # /# /' "$work/cost"
result $status 'with a tool annotations do not change the times'
grep -q 'with a tool' "$work/cost" &&
    [ "$(awk -F '\t' '$2 == "push" && $8 ~ /^variant:/' "$work/events" | wc -l)" -gt 1000 ]
result $? '  and the tool did hear of them'
finish
