#!/bin/sh
# Tests that --dry-run says what would be done and does nothing, and announces the ranges that the
# stages announce: run, stage, size, variant, launch.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/nvtx/recorder.inc"
mkdir "$work/place"
cd "$work/place" || exit 1

if ! has_variants; then
    for command in measure report launch; do
        expect 2 "$command --dry-run" "$WHYFAST" $command --dry-run
        says 'nothing is selected: this build has no variants' '  says why there is nothing'
    done
    finish
fi
header='stage,family,variant,size,block,sweep,device,launches,series,repeats'

# ---- the plan ------------------------------------------------------------------------------------

expect 0 'measure' "$WHYFAST" measure reduce/01_interleaved_modulo reduce/08_atomic_per_block@16 \
    reduce/90_cub 'reduce/91*' -s 2^16 --dry-run --csv
is "$(cat "$work/out")" "$header
measure,reduce,01_interleaved_modulo,65536,256,0,0,2,4,
measure,reduce,08_atomic_per_block,65536,256,16,0,1,3,
measure,reduce,90_cub,65536,256,0,0,1,3,
measure,reduce,91_cpu_one_thread,65536,256,0,0,,2,
ceilings,,,,,,,,," '  each point with its launches and series, and the ceilings'
is "$(complaints)" '' '  nothing to complain of'
expect 0 'report' "$WHYFAST" report --full reduce/07_many_per_thread 'reduce/91*' -s 2^16 \
    --repeats 2 --dry-run --csv
is "$(cut -d , -f 1 "$work/out" | uniq | tr '\n' ' ')" \
    "stage measure ceilings collect lines timeline knockouts evaluate explain $(command -v gnuplot \
        >/dev/null &&
        echo 'plot ')report " \
    '  all stages in their order'
is "$(grep -c '^collect,reduce,07_many_per_thread,65536,256,[1-9][0-9]*,0,[12],,2$' "$work/out")" \
    "$(grep -c '^measure,reduce,07' "$work/out")" '  counters of every setting, as often as asked'
is "$(grep '^timeline' "$work/out")" 'timeline,reduce,07_many_per_thread,65536,256,,0,,,' \
    '  over time that setting which is the fastest'
none "$(looked grep '^[clt][a-z]*,reduce,91' <"$work/out")" '  nothing but times of the CPU'
expect 0 'report without counters' "$WHYFAST" report reduce/01_interleaved_modulo -s 2^16 \
    --no-counters --dry-run --csv
none "$(cut -d , -f 1 "$work/out" | uniq | looked grep -E 'collect|lines|timeline')" \
    '  collects none'
expect 0 'report of some sets' "$WHYFAST" report reduce/01_interleaved_modulo -s 2^16 --sets lines \
    --dry-run --csv
is "$(cut -d , -f 1 "$work/out" | uniq | grep -E 'collect|lines|timeline')" lines '  collects those'
expect 0 'report --replay' "$WHYFAST" report --replay --dry-run --csv
is "$(cut -d , -f 1 "$work/out" | grep -cE '^(stage|evaluate|explain|report)$')" 4 \
    '  computes and measures nothing'
expect 0 'launch' "$WHYFAST" launch 'reduce/0[12]*' 'reduce/91*' -s 2^16 --dry-run
is "$(cat "$work/out")" "$header
launch,reduce,01_interleaved_modulo,65536,256,0,0,2,,
launch,reduce,02_interleaved_strided,65536,256,0,0,2,," '  the launches on the GPU'
expect 0 'report for people' "$WHYFAST" report reduce/01_interleaved_modulo 'reduce/91*' \
    -s 2^16,2^20 --dry-run
is "$(sed 's/  *about [0-9]* [a-z]*$//' "$work/out" | tr -s ' ' | grep -v '^GPU memory')" \
    'On a GPU like an H200, within about a third:
 times of points 4
 counters of points 4
 instructions of kernels 1
 costs that are knocked out
 the report
 in all' '  counts points and kernels'
is "$(grep -c '  about [0-9]* [a-z]*$' "$work/out")" 6 '  with the time of each part'
none "$(looked awk '/ about / { if (/in all/ && ($4 - sum) ^ 2 > 25) print; sum += $(NF - 1) }' \
    <"$work/out")" '  whose sum is the time of all'
prints 'for reduce at 1048576. Disk: about 1 MB. --csv lists all points.' '  memory and disk'
expect 0 'report --replay for people' "$WHYFAST" report --replay --dry-run
prints 'would be reported again; nothing would be measured' '  says so'
expect 2 'report --csv' "$WHYFAST" report --csv
says 'report: --csv is for --dry-run' '  is refused'
expect 2 'a typo' "$WHYFAST" measure reduse --dry-run
says "did you mean 'reduce'?" '  says so'
expect 2 'an unknown set' "$WHYFAST" report --sets lnes --dry-run
says "did you mean 'lines'?" '  says so'
expect 4 'a missing run' "$WHYFAST" report ./nothing --dry-run
is "$(ls -A "$work/place")" '' 'dry runs write nothing'

# ---- the ranges ----------------------------------------------------------------------------------

if [ ! -e "$recorder" ]; then
    skip 'the recorder is not built'
    finish
fi
for command in 'measure --csv' 'report --csv' launch; do
    # shellcheck disable=SC2086 # words
    set -- $command
    command=$1
    expect 0 "$command under a tool" under_recorder "$WHYFAST" "$@" 'reduce/0[178]*' \
        'gemm/0[12]*' gemm/90_cublas -s 2^16,64x64x32 --dry-run
    said=$(balanced)
    result $? '  every range ends' || explain "$said"
    # Every row about a point is a range in its place, with a launch for each known launch.
    awk -F , -v command="$command" "$by_name"'NR > 1 && $2 != "" {
        sweep = $at["sweep"]
        print "whyfast " command "\t" $1 "\t" $2 " " $4 "\t" $2 "/" $3 \
            (sweep + 0 ? "@" sweep : "") "\t" $at["launches"] + 0
    }' "$work/out" >"$work/rows"
    is "$(($(wc -l <"$work/rows") > 5))" 1 '  there are points'
    chains | cmp -s - "$work/rows"
    result $? '  run, stage, size and variant as in the rows, and the launches' ||
        explain "$(chains | diff "$work/rows" - | head -n 6)"
    none "$(looked awk -F '\t' '$2 == "push" && $3 > 0 {
        if ($3 == 1) { stage = $7; wanted = "run/" stage }
        if ($3 == 2) { split($7, word, " "); wanted = word[1] "/" stage }
        if ($5 != wanted) print }' <"$work/events")" '  categories are those of stage and family'
    none "$(looked awk -F '\t' '
        $8 ~ /^launch:/ && ($7 != "launch " substr($8, 16) || $6 != colour) || $2 == "push" &&
            $3 == 3 && (colour = $6) == "-"' <"$work/events")" \
        '  launches are numbered, in the colour of their variant'
done
is "$(awk -F '\t' '$7 == "gemm/02_coalesced" { print $8 }' "$work/events" | head -n 1)" \
    'variant: m=64 n=64 k=32 rung=2 block=256 useful_bytes=32768' \
    'a payload has the dimensions of a product'
is "$(awk -F '\t' '$7 == "gemm/90_cublas" { print $6 }' "$work/events" | head -n 1)" ffa0a0a0 \
    'a library is grey'
finish
