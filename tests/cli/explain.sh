#!/bin/sh
# Tests 'whyfast explain' for a run's steps and for any two of its variants: wrong and missing
# names, CSV and JSON, and widths of the screen.
. "${ROOT:-.}/tests/tap.sh"
unset COLUMNS
recorded=$(fixture_run)

# ---- a run ---------------------------------------------------------------------------------------

small_run "$work/small"
mkdir "$work/scratch"
(cd "$work/small" && cksum ./*) >"$work/before"
# asked WORDS...: runs explain with a scratch directory of its own, which it must leave empty.
asked() { TMPDIR=$work/scratch "$WHYFAST" explain "$@"; }
expect 0 'a step of a run that is not evaluated' asked "$work/small" reduce/03
cp "$work/out" "$work/asked"
says "$work/small is not evaluated; 'whyfast evaluate $work/small' keeps the results" '  says so'
is "$(cd "$work/small" && cksum ./*)" "$(cat "$work/before")" '  writes nothing into it'
is "$(ls "$work/scratch")" '' '  and leaves nothing behind'
expect 0 'all its steps' asked "$work/small"
cp "$work/out" "$work/steps"
expect 0 'those of a family as JSON' asked "$work/small" reduce --json -q
is "$(wc -c <"$work/err")" 0 '  quietly'
expect 0 'as CSV' asked "$work/small" REDUCE --csv -s 2^22
is "$(head -n 1 "$work/out")" \
    'family,variant,size,block,sweep,device,time_ns,after,speedup,verdict,cause,title,saved_ns,'\
'share_pct,sentence' \
    '  has a header'
expect 2 'a variant that it lacks' asked "$work/small" reduce/99
says "has no variant 'reduce/99'" '  is refused'
is "$(ls "$work/scratch")" '' '  nothing is left behind'
expect 2 'a size that it lacks' asked "$work/small" reduce/3 -s 77
says 'reduce/03_sequential has no size 77; it has 4194304' '  is refused at once'
expect 0 'a variant of two such runs' asked "$work/small" "$work/small/." reduce/03
expect 0 'evaluate' "$WHYFAST" evaluate -q "$work/small"
is "$(cat "$work/out" "$work/err")" '' '  nothing to say'
expect 0 'the step of the evaluated run' "$WHYFAST" explain "$work/small" reduce/03
is "$(cat "$work/out")" "$(cat "$work/asked")" '  has the same answer'
is "$(wc -c <"$work/err")" 0 '  without a message'
expect 0 'and its steps' "$WHYFAST" explain "$work/small"
is "$(cat "$work/out")" "$(cat "$work/steps")" '  have the same'
prints 'reduce: Sum of 32-bit integers, 4194304' '  the ladder'
prints '03_sequential ' '  its rungs'
is "$(head -n 1 "$work/small/ledger.csv")" \
    'family,variant,size,block,sweep,device,part,term,cycles,ns,low_ns,high_ns,share_pct,status' \
    '  has a ledger'
is "$(head -n 1 "$work/small/causes.csv")" \
    'family,variant,size,block,sweep,device,after,cause,saved_ns,low_ns,high_ns,gross_ns,share_pct,'\
'status,named,witness,witness_before,witness_after,detail,line_before,line_after,inferred_ns' \
    '  and causes'
is "$(head -n 1 "$work/small/sides.csv")" \
    'family,variant,size,block,sweep,device,function,name,value' '  by the numbers of each side'
is "$(awk -F , "$by_name"'NR > 1 && $at["place"] == 0' "$work/small/said.csv" | wc -l)" \
    "$(($(wc -l <"$work/small/steps.csv") - 1))" '  and a sentence for every step'

# ---- two variants, by hand -----------------------------------------------------------------------

cd "$work" || exit 1
data=$work/data
run=run # the last line names it, which is broken where it is long
mkdir -p "$data" "$run"
cp -R "$ROOT/metrics" "$data/"
WHYFAST_DATA=$data
export WHYFAST_DATA
printf 'whyfast run 1\nstatus: complete\ndate: 2026-01-02T03:04:05Z\ndevice_name: Test GPU\n' \
    >"$run/run.txt"
printf '%s\n' 'family,title,problem,useful_bytes_text,rate,lines_size,operations_per_lane' \
    'reduce,Sum,p,b,bytes,4096,1' 'gemm,Product,p,b,operations,,2' >"$run/families.csv"
# All columns of a variant are empty except its names and its kind.
head -n 1 "$recorded/variants.csv" >"$run/variants.csv"
commas=$(awk -F , 'NR == 1 { for (i = 5; $i != "kind"; i++) printf "," }' "$run/variants.csv")
after=$(awk -F , 'NR == 1 { for (i = NF; $i != "kind"; i--) printf "," }' "$run/variants.csv")
for variant in 'reduce,02_strided,2,Strided,' 'reduce,03_sequential,3,Sequential,02_strided' \
    'reduce,04_other,4,Other,' 'gemm,01_naive,1,Naive,'; do
    echo "$variant${commas#,},kernel$after" >>"$run/variants.csv"
done
# point FAMILY,VARIANT,SIZE TIME SHARED GLOBAL: prints the row of a point at 1 cycle per ns.
point() {
    echo "$1,128,0,0,1,$2,$(($2 - 100)),$(($2 + 100)),0.5,1000,$((${1##*,} * 4)),$3,$4,0" \
        >>"$work/metrics"
    echo "$1,128,0,0,ok,,$((${1##*,} * 4))$(printf "%${cells}s" '' | tr ' ' ,)" >>"$run/points.csv"
}
head -n 1 "$work/small/points.csv" >"$run/points.csv"
cells=$(awk -F , '{ print NF - 9 }' "$run/points.csv")
echo \
    'family,variant,size,block,sweep,device,best,time_ns,time_low_ns,time_high_ns,floor_pct,'\
'sm_clock_mhz,useful_bytes,shared_wait_cycles,global_wait_cycles,global_load_instructions' \
    >"$work/metrics"
point reduce,02_strided,4096 100000 50 41000.5
point reduce,03_sequential,4096 60000 50 8200
point reduce,02_strided,1024 10000 50 20
point reduce,03_sequential,1024 20000 50 40
point reduce,04_other,512 5000 50 10
point gemm,01_naive,64 5000 50 10
# All other metrics are empty.
head -n 1 "$work/small/metrics.csv" | awk -F , '
    NR == FNR { count = split($0, name, ","); next }
    FNR == 1 { for (i = 1; i <= NF; i++) known[$i] = 1 }
    { for (i = 1; i <= count; i++) if (!(name[i] in known)) $0 = $0 "," (FNR > 1 ? "" : name[i]) }
    1' - "$work/metrics" >"$run/metrics.csv"
sed 's/,.*//' "$work/small/evaluation.csv" >"$run/evaluation.csv" # without numbers of rows
# ledger FAMILY,VARIANT,SIZE PART=TERM=CYCLES...: prints rows of the ledger, each with an interval
# of 1 %.
ledger() {
    for row in "$@"; do
        [ "$row" = "$1" ] ||
            echo "$row" |
            awk -F = -v key="$1" '
                    {
                        printf "%s,128,0,0,%s,%s,%g,%g,%g,%g,1,counted\n", key, $1, $2, $3, $3,
                            $3 * 0.99, $3 * 1.01
                    }'
    done >>"$run/ledger.csv"
}
head -n 1 "$work/small/ledger.csv" >"$run/ledger.csv"
ledger reduce,02_strided,4096 issued=work=10000 issued=overhead=30050 \
    stalled=long_scoreboard=40000 stalled=short_scoreboard=10000 \
    stalled=wait=100 empty=imbalance=5000 empty=launch=4000 residual=residual=850 \
    elapsed=elapsed=100000
ledger reduce,03_sequential,4096 issued=work=10000 issued=overhead=30000 \
    stalled=long_scoreboard=8000 stalled=short_scoreboard=1000 \
    stalled=wait=50 empty=imbalance=6000 empty=launch=4000 residual=residual=950 \
    elapsed=elapsed=60000
ledger reduce,02_strided,1024 issued=issued=6000 stalled=stalled=3000 empty=launch=1000 \
    elapsed=elapsed=10000
ledger reduce,03_sequential,1024 issued=issued=8000 stalled=stalled=11000 empty=launch=1000 \
    elapsed=elapsed=20000
ledger gemm,01_naive,64 issued=issued=5000 elapsed=elapsed=5000
# side FAMILY,VARIANT,SIZE TIME LAUNCH WAIT=CYCLES...: prints the numbers of a point. Its one warp
# waits as long as it runs, and issues an instruction in each selected cycle.
side() {
    echo "$@" | awk -v OFS=, '
        function put(of, name, value) { print $1 ",128,0,0", of, name, value }
        {
            for (i = 4; i <= NF; i++) {
                split($i, wait, "=")
                put("k", "wait_" wait[1], wait[2])
                sum += wait[2]
                if (wait[1] == "selected") issued = wait[2]
            }
            put("k", "instructions", issued)
            put("k", "issued", issued)
            count = split("active resident elapsed sm_mean sm_most main", name, " ")
            for (i = 1; i <= count; i++) put("k", name[i], sum)
            put("", "time_ns", $2)
            put("", "time_low_ns", $2 - 100)
            put("", "time_high_ns", $2 + 100)
            put("", "sm_clock_mhz", 1000)
            put("", "launch_ns", $3)
            put("", "global_load_instructions", 0)
        }' >>"$run/sides.csv"
}
head -n 1 "$work/small/sides.csv" >"$run/sides.csv"
side reduce,02_strided,4096 100000 7000 selected=40050 global=41000 shared=11000 fetch=950
side reduce,03_sequential,4096 60000 10000 selected=40000 global=8200 shared=1000 fetch=800
side reduce,02_strided,1024 10000 1000 selected=6000 fixed=3000
side reduce,03_sequential,1024 20000 1000 selected=6000 fixed=13000
side gemm,01_naive,64 5000 0 selected=5000
printf 'reduce,%s,4096,128,0,0,,global_wait_cycles,%s\n' 02_strided 41000.5 03_sequential 8200 \
    >>"$run/sides.csv"
head -n 1 "$work/small/remains.csv" >"$run/remains.csv"
{
    echo "reduce,03_sequential,4096,128,0,0,1,global_latency,at most,8200,13.7,04_other,7000,,,1"
    echo "reduce,03_sequential,4096,128,0,0,2,fetch,at most,800,1.3,,,its part,300,1"
} >>"$run/remains.csv"
head -n 1 "$work/small/cause_lines.csv" >"$run/cause_lines.csv"
head -n 1 "$work/small/steps.csv" >"$run/steps.csv"
echo "reduce,02_strided,global_latency,kernels/reduce/02.cu,20,90," >>"$run/cause_lines.csv"
echo "reduce,03_sequential,global_latency,a.h,19,80,b.cu:3" >>"$run/cause_lines.csv"
echo "reduce,02_strided,shared_waits,a.h,1,90," >>"$run/cause_lines.csv"
echo "reduce,03_sequential,shared_waits,a.h,2,80," >>"$run/cause_lines.csv"

# The titles of causes are what their records say.
for cause in global_latency launches shared_waits fetch instructions dependencies; do
    eval "$cause=\$(cause_title $cause)"
done
long_scoreboard=$(sed -n '/^cause global_latency$/,/^$/s/^ *counts *//p' \
    "$ROOT/metrics/causes.metric")
expect 0 'two variants of a run' "$WHYFAST" explain "$run" reduce/02 reduce/03
is "$(complaints)" '' '  nothing to complain of'
advice=$(sed -n '/^cause global_latency$/,/^$/s/^ *try *//p' "$ROOT/metrics/causes.metric")
prints "    ${advice%"${advice#????????????}"}" '  what to try where it is still to be gained'
# The sentence, and the lines of a long title, are folded; the advice is left out.
sed -zE 's/\n {33}([^ ])/ \1/g; s/\n {15}[^ \n][^\n]*//g; s/\n {4}[A-Za-z(][^\n]*//g' "$work/out" | awk '
    !NF { told = 1 }
    NR > 2 && !told { line = line " " $0; next }
    { if (NR > 1) print line; line = $0 }
    END { print line }' >"$work/unfolded"
is "$(cat "$work/unfolded")" "reduce/02_strided -> reduce/03_sequential, 4096
1.67× faster, 40.00 µs saved: 82 % from $global_latency ($long_scoreboard −80 %), 25 % from $shared_waits (waits 11 k → 1 k).

  2 Strided -> 3 Sequential
  100.0 µs -> 60.00 µs: 1.667 times as fast [1.662 to 1.671], faster; noise floor 0.50 %

change, µs                       cause, saved (−) or lost (+)
    −32.80   ██████████████████  $global_latency
    −10.00   ██████              $shared_waits
     +3.00 ██                    $launches
     −0.20                       2 smaller ones (-v lists them)
    −40.00 in all

Lines with most of a cause
  kernels/reduce/02.cu:20 -> a.h:19 (called at b.cu:3): $global_latency

Still to be gained from reduce/03_sequential
saves, ns   %  without
     8200  14  $global_latency, at most; 04_other saved 7.000 µs
      800   1  $fetch, at most; its part cost 300.0 ns, measured

Run $run (Test GPU, 2026-01-02T03:04:05Z)" '  says why, the sentence first'
expect 0 'the other way round' "$WHYFAST" explain "$run" reduce/03 reduce/02
is "$(sed -n '2,/^$/p' "$work/out" | tr '\n' ' ' | sed 's/ *$//')" \
    "1.67× slower, 40.00 µs lost: 82 % to $global_latency ($long_scoreboard +400 %), 25 % to $shared_waits (waits 1 k → 11 k)." '  is slower'
prints '60.00 µs -> 100.0 µs: 0.600 times as fast [0.598 to 0.602], slower' '  by as much'
prints "    +32.80   ██████████████████  $global_latency" '  a loss is shown as one'
prints "     −3.00 ██                    $launches" '  and what offsets it as a gain'
expect 0 'every cause' "$WHYFAST" explain "$run" reduce/02 reduce/03 -v
lacks "$work/out" 'smaller' '  none gathered with others'
prints "     −0.15                       $fetch (not significant)" '  but by itself'
prints "     −0.05                       $instructions (not significant)" '  as every other one'
prints "    −32.80   ██████████████████  $global_latency" '  and the others as before'
prints '                                 interval −33.61 µs to −31.99 µs, 82.0 % of the change' \
    '  with its interval'
prints '                                 Warp cycles of long scoreboard and LG throttle: 41 000 -> 8200' \
    '  and the counter that shows it'
expect 0 'the one before in the ladder' "$WHYFAST" explain "$run" reduce/3
is "$(head -n 1 "$work/out")" 'reduce/02_strided -> reduce/03_sequential, 4096' \
    '  is the predecessor'
expect 2 'the first of a ladder' "$WHYFAST" explain "$run" reduce/02
says "reduce/02_strided follows no other variant of its ladder; name the one to compare it with: \
'whyfast explain OTHER reduce/02_strided'" \
    '  says what to type'
for size in 2^10 1024; do
    expect 0 "the size $size" "$WHYFAST" explain "$run" reduce/02 reduce/03 --size $size
    prints 'reduce/02_strided -> reduce/03_sequential, 1024' '  is the one that was asked for'
done
prints "    +10.00 ████████████████████  $dependencies" '  by the time that it waits'
expect 0 'a variant and itself' "$WHYFAST" explain "$run" reduce/02 reduce/02
prints \
    'No evidence of a change: +0.0 % in speed, 95 % interval −0.2 to +0.2 %, noise floor 0.50 %.' \
    '  do not differ'
lacks "$work/out" '█' '  nothing is put down to anything'

# ---- names ---------------------------------------------------------------------------------------

# A size of three dimensions is named by its edge.
mkdir "$work/cubes"
cp "$run"/* "$work/cubes/"
for table in metrics ledger sides; do
    sed 's/^gemm,01_naive,64,/gemm,01_naive,64x64x64,/' "$run/$table.csv" >"$work/cubes/$table.csv"
done
for size in 64 64^3 2^6 64x64x64 2^6x64x2^6; do
    expect 0 "the size $size" "$WHYFAST" explain "$work/cubes" gemm/1 gemm/1 -s $size
    is "$(head -n 1 "$work/out")" 'gemm/01_naive -> gemm/01_naive, 64x64x64' '  is the cube'
done
expect 2 'a size that it lacks' "$WHYFAST" explain "$work/cubes" gemm/1 gemm/1 -s 8192
says 'have no size 8192 in common at which both were counted; both have 64x64x64' \
    '  the ones that there are'

# ---- which runs ----------------------------------------------------------------------------------

cp -R "$run" "later"
sed 's/^date: 2026/date: 2027/' "$run/run.txt" >"later/run.txt"
expect 0 'a variant in two runs' "$WHYFAST" explain "$run" "later" reduce/02
prints "Run $run (Test GPU, 2026-01-02T03:04:05Z)" '  says which'
prints "Run later (Test GPU, 2027-01-02T03:04:05Z)" '  both'
prints 'reduce/02_strided -> reduce/02_strided, 4096' '  the same'
expect 0 'variants of two runs' "$WHYFAST" explain "$run" "later" reduce/02 reduce/03
prints 'reduce/02_strided -> reduce/03_sequential, 4096' '  each of its own'
expect 3 'no run, and none recorded' "$WHYFAST" explain reduce/02 reduce/03
mkdir -p "$data/reports/recorded"
cp -R "$run" "$data/reports/recorded/test-gpu"
expect 0 'the newest recorded run' "$WHYFAST" explain reduce/02 reduce/03
is "$(tail -n 1 "$work/out")" \
    'Recorded run test-gpu (Test GPU, 2026-01-02T03:04:05Z): nothing was measured on this '\
'machine.' \
    '  says that it is one'
expect 0 'the same in its directory' sh -c 'cd "$1" && "$2" explain run reduce/02 reduce/03' sh \
    "$work" "$WHYFAST"
is "$(head -n 1 "$work/out")" 'reduce/02_strided -> reduce/03_sequential, 4096' \
    '  a run without a slash'

# The primary size of a family of which no instructions were counted is its largest.
mkdir "$work/uncounted"
cp "$run"/* "$work/uncounted/"
sed 's/,bytes,4096,/,bytes,,/' "$run/families.csv" >"$work/uncounted/families.csv"
for table in causes said; do
    head -n 1 "$work/small/$table.csv" >"$work/uncounted/$table.csv"
done
expect 0 'steps without a counted size' "$WHYFAST" explain "$work/uncounted" reduce
prints 'reduce: Sum, 4096' '  are those of the largest'

# ---- CSV and JSON --------------------------------------------------------------------------------

expect 0 'CSV' "$WHYFAST" explain "$run" reduce/02 reduce/03 --csv
is "$(head -n 1 "$work/out")" \
    'before,after,size,cause,saved_ns,low_ns,high_ns,share_pct,status,direction,note,is_small,'\
'witness,witness_before,witness_after,line_before,line_after,counted,title' \
    '  has a header'
is "$(sed -n 2p "$work/out" | cut -d , -f 1-5,8-19)" \
    'reduce/02_strided,reduce/03_sequential,4096,global_latency,32800,82,resolved,1,,0,'\
'global_wait_cycles,41000.5,8200,kernels/reduce/02.cu:20,a.h:19 (called at b.cu:3),'\
"$long_scoreboard −80 %,$global_latency" \
    '  the largest first'
is "$(awk -F , 'NR > 1 { sum += $5 } END { printf "%.3f", sum }' "$work/out")" 40000.000 \
    '  all that was saved'
is "$(awk -F , '{ sub(/,"[^"]*"$/, ",t"); print NF }' "$work/out" | sort -u)" 19 '  rows of as many cells'
expect 0 'JSON' "$WHYFAST" explain "$run" reduce/02 reduce/03 --json
if command -v python3 >/dev/null; then
    is "$(python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))
first = found["causes"][0]
last = found["causes"][-1]
print(found["before"]["variant"], found["after"]["time_ns"], found["verdict"],
      round(found["speedup"], 3), first["cause"], first["saved_ns"],
      abs(sum(cause["saved_ns"] for cause in found["causes"]) - 40000) < 1e-6,
      last["status"], found["sentence"][:12], found["remains"][0]["saved_ns"],
      found["remains"][0]["later"], len(found["remains"]), found["remains"][0]["try"][:4])
' "$work/out")" \
        'reduce/02_strided 60000 faster 1.667 global_latency 32800 True unresolved '\
'1.67× faster 8200 04_other 2 Load' \
        '  can be parsed'
else
    skip 'no parser of JSON is available'
fi
sed 's/^\(reduce,02_strided,4096,128,0,0,1,100000\),99900,100100,0.5/\1,,,/' \
    "$run/metrics.csv" >"later/metrics.csv"
expect 0 'a time without an interval' "$WHYFAST" explain "later" reduce/02 reduce/03 --json
prints '"low":null,"high":null,"floor_pct":null,"verdict":"not measured"' \
    '  is no evidence of anything'
expect 0 'and as a table' "$WHYFAST" explain "later" reduce/02 reduce/03
prints '1.67× faster, from too few samples for an interval.' '  says so'
lacks "$work/out" '█' '  no cause is significant'

# ---- refusals ------------------------------------------------------------------------------------

expect 2 'a typo in a variant' "$WHYFAST" explain "$run" reduce/02_stridet reduce/03
says "has no variant 'reduce/02_stridet'; did you mean 'reduce/02_strided'?" '  names the nearest'
is "$(wc -c <"$work/out")" 0 '  and prints nothing'
expect 2 'in the second' "$WHYFAST" explain "$run" reduce/02 reduce/03_sequentiel
says "did you mean 'reduce/03_sequential'?" '  as well'
expect 2 'a name that means several' "$WHYFAST" explain "$run" 'reduce/*' reduce/03
says 'matches several variants: reduce/02_strided, reduce/03_sequential' '  says which'
expect 4 'a variant without a ledger' "$WHYFAST" explain "$run" reduce/02 04_other
says 'has no ledger of reduce/04_other' '  says so'
expect 2 'an unknown size' "$WHYFAST" explain "$run" reduce/02 reduce/03 --size 77
says \
    'reduce/02_strided and reduce/03_sequential have no size 77 in common at which both were counted;'\
' both have 1024, 4096' \
    '  says so, and which they have'
expect 2 'a malformed size' "$WHYFAST" explain "$run" reduce/02 reduce/03 --size many
expect 2 'two sizes' "$WHYFAST" explain "$run" reduce/02 reduce/03 --size 1024,4096
says 'explain: expected one size' '  says what was expected'
expect 2 'variants of two families' "$WHYFAST" explain "$run" reduce/02 gemm/01
says 'have no size in common' '  says that they have nothing in common'
expect 2 'CSV and JSON' "$WHYFAST" explain "$run" reduce/02 reduce/03 --csv --json
expect 2 'a rung that a long ladder lacks' "$WHYFAST" explain "$recorded" gemm/77
says "'gemm/77'; it has " '  says how many there are'
says ', from gemm/01_naive to gemm/9' '  and names the first and the last alone'
expect 2 'a part of a family' "$WHYFAST" explain "$recorded" tensor/9
says "did you mean 'gemm_tensor/9'?" '  is mended, and the number kept'
expect 2 'a typo behind the number of a rung' "$WHYFAST" explain "$recorded" gemm/8x
says "did you mean 'gemm/08_double_buffer'?" '  names the rung of this number'
expect 2 'a word of the names of several rungs' "$WHYFAST" lines "$recorded" reduce/warp
says "did you mean 'reduce/05_last_warp_unrolled' or 'reduce/12_warp_reduction'?" \
    '  names them'
expect 2 'a typo in a family' "$WHYFAST" explain "$recorded" redcue
says "has no variant 'redcue'; did you mean 'reduce'?" '  names the nearest'
for command in explain lines conflicts timeline; do
    expect 2 "$command of a family that does not exist" "$WHYFAST" $command "$recorded" gem/08
    says "'gem/08'; did you mean 'gemm/08'?" '  names the one that does'
    is "$(wc -c <"$work/out")" 0 '  and prints nothing'
done
expect 0 'the steps of a ladder' "$WHYFAST" explain "$recorded" gemm --csv
column "$work/out" variant after | awk -F '\t' '{ if ($2 != "" && $2 != last) print $1, substr($2, 1, 2)
    last = $1 }' >"$work/jumps"
expect 0 '  on the screen' "$WHYFAST" explain "$recorded" gemm
is "$(awk '$1 ~ /^[0-9][0-9]_/ { name = $1 }
    match($0, / over [0-9][0-9]: /) { print name, substr($0, RSTART + 6, 2) }' "$work/out")" "$(cat "$work/jumps")" \
    '  name the rung that a step follows if it is not the row above'
is "$(($(wc -l <"$work/jumps") > 5))" 1 '  which some do'
expect 2 'two runs and no variant' "$WHYFAST" explain "$run" "later"
says "explain: expected a variant, as in 'whyfast explain gemm/06'" '  says what was expected'
expect 2 'three variants of two runs' "$WHYFAST" explain "$run" "later" reduce/02 reduce/03 \
    reduce/03
expect 2 'nothing' "$WHYFAST" explain
for command in explain lines; do
    has_variants || continue # this build has no variants
    expect 2 "$command: three variants" "$WHYFAST" $command gemm/8 gemm/9 gemm/10
    says "$command: at most two variants; there is no run 'gemm/8'" '  says so'
done
expect 2 'three runs' "$WHYFAST" explain "$run" "later" "$run" gemm/8
says "explain: at most two runs; '$run' is a third one" '  says so'
expect 2 'two runs of conflicts' "$WHYFAST" conflicts "$work/small" "$run"
says "variant '$run'; it is a run, and one too many" '  says so'
mkdir "$work/links"
ln -s . "$work/links/loop"
expect 4 'a directory of links' "$WHYFAST" explain "$work/links"
says "$work/links has no run.txt; expected a run directory" '  is no run before anything else'
expect 4 'one whose name looks like that of a variant' "$WHYFAST" explain nowhere reduce/02 \
    reduce/03
says "there is no directory 'nowhere'" '  names it'
cp "$run/ledger.csv" "later/"
sed 's/^\(reduce,02_strided,4096,128,0,0,1\),100000/\1,100001/' \
    "$run/metrics.csv" >"later/metrics.csv"
expect 4 'a ledger of other times' "$WHYFAST" explain "later" reduce/02 reduce/03
command="whyfast evaluate later"
says "ledger.csv does not match the times in metrics.csv; '$command' recomputes it" \
    '  says what to do'
cp "$run/metrics.csv" "later/"
rm "later/sides.csv"
expect 4 'no sides' "$WHYFAST" explain "later" reduce/02 reduce/03
says "sides.csv: is missing; 'whyfast evaluate later' creates it" '  names the command'
sed 's/^    witness dram_gbs$/    witness no_such_metric/' \
    "$ROOT/metrics/causes.metric" >"$data/metrics/causes.metric"
expect 4 'a witness that is no metric' "$WHYFAST" evaluate -q "$work/small"
says "causes.metric:$(grep -n 'no_such_metric' "$data/metrics/causes.metric" |
    cut -d : -f 1): no metric is called 'no_such_metric'" \
    '  names file and line'
cp "$ROOT/metrics/causes.metric" "$data/metrics/"
# shellcheck disable=SC2016 # for the inner shell
[ ! -w /dev/full ] ||
    expect 5 'into a full disk' sh -c '"$1" explain "$2" reduce/02 reduce/03 >/dev/full' sh \
        "$WHYFAST" "$run"

# What is advised for dispatch stalls is about FP32 multiply-adds: most instructions of the one
# kernel, few of the other.
expect 0 'a kernel of many multiply-adds' "$WHYFAST" explain "$(fixture_run)" gemm/10
prints 'In a kernel of many multiply-adds' '  has the advice for its dispatch stalls'
expect 0 'one of few' "$WHYFAST" explain "$(fixture_run)" gemm/02
prints "$(cause_title dispatch), at most" '  may have such stalls'
lacks "$work/out" 'In a kernel of many multiply-adds' '  without that advice'

# ---- screens -------------------------------------------------------------------------------------

# plain: prints the lines, with one byte for a character, which may take several; but for those with
# the name of a run, which may be longer than any line.
plain() { sed 's/[\xC2-\xF4][\x80-\xBF]*/./g' "$work/out" | grep -vF "$work"; }
for columns in 40 60 80 100 200; do
    expect 0 "$columns columns" env COLUMNS=$columns "$WHYFAST" explain -v "$run" reduce/02 \
        reduce/03
    none "$(plain | looked grep -E "^.{$((columns + 1))}")" '  no line is wider'
    expect 0 "$columns columns of steps" env COLUMNS=$columns "$WHYFAST" explain "$work/small"
    none "$(plain | looked grep -E "^.{$((columns + 1))}")" '  no line is wider'
done
none "$(looked grep ' $' <"$work/out")" 'no blanks at the ends of lines'
coloured "'$WHYFAST' explain '$run' reduce/02 reduce/03"

# ---- tables that another build has computed ------------------------------------------------------

cp -R "$(fixture_run)" "$work/other"
expect 0 'tables of this build' "$WHYFAST" explain "$work/other" reduce/02 reduce/03
cp "$work/out" "$work/right"
lacks "$work/err" 'evaluat' '  are read as they are'
sed -i '1s/,unguaranteed_time_ns,/,once_called_so_ns,/' "$work/other/metrics.csv"
sed -i '2,$d' "$work/other/ledger.csv" "$work/other/remains.csv"
for build in another half no; do
    printf 'build\n0123456789abcdef\n' >"$work/other/evaluation.csv"
    why='was evaluated by another build of whyfast'
    [ $build = another ] || why='has no whole evaluation.csv'
    [ $build != half ] || echo build >"$work/other/evaluation.csv"
    [ $build != no ] || rm "$work/other/evaluation.csv"
    other="whyfast: $work/other $why; 'whyfast evaluate $work/other'"
    cksum "$work/other"/* >"$work/files"
    expect 0 "tables of $build build" "$WHYFAST" explain "$work/other" reduce/02 reduce/03
    is "$(cat "$work/out")" "$(cat "$work/right")" '  are computed anew'
    says "$other keeps the results" '  which is said'
    expect 0 '  and their conflicts' "$WHYFAST" conflicts "$work/other"
    says "$other keeps the results" '  likewise'
    for view in 'lines RUN reduce/02' 'compare RUN RUN' 'timeline RUN reduce'; do
        # shellcheck disable=SC2046 # words
        expect 0 "${view%% *} of them" "$WHYFAST" $(echo "$view" | sed "s|RUN|$work/other|g")
        is "$(grep -c "warning: ${other#whyfast: } computes its tables anew" "$work/err")" \
            "$(echo "$view" | grep -o RUN | wc -l)" '  warns of each run once'
    done
    is "$(cksum "$work/other"/*)" "$(cat "$work/files")" '  writes nothing'
done
mkdir "$work/records"
cp -R "$ROOT/metrics" "$work/records/"
# by_records NAME: asks for a step by the changed records.
by_records() {
    expect 0 "$1" env WHYFAST_DATA="$work/records" "$WHYFAST" explain "$(fixture_run)" reduce/03
}
echo 'A word.' >>"$work/records/metrics/README.md"
by_records 'words about the records'
lacks "$work/err" 'evaluat' '  change nothing'
echo '# a comment' >>"$work/records/metrics/checks.metric"
by_records 'other records'
says "$(fixture_run) was evaluated by another build of whyfast" '  are another build'
expect 0 'a new evaluation' "$WHYFAST" evaluate "$work/other"
expect 0 '  is read' "$WHYFAST" explain "$work/other" reduce/02 reduce/03
is "$(cat "$work/out")" "$(cat "$work/right")" '  and gives the same'
lacks "$work/err" 'evaluat' '  at once'

# ---- constants whose address has a register ------------------------------------------------------

# Four rungs get another index for their loads of constants; that of zero is none.
raw_run "$(fixture_run)" "$work/indexed"
indexed=
for rung in 01_interleaved_modulo=R9 02_interleaved_strided=UR4 03_sequential=RZ \
    04_first_add_on_load=URZ; do
    kernel=$(rows_where "$work/indexed/kernels.csv" '$at["variant"] == "'"${rung%=*}"'"' |
        sed -n '2s/,.*//p')
    indexed="$indexed; /^$kernel,/s/(LDC(.64)? R[0-9]+, c\[0x0\])\[0x[0-9a-f]+\]/\1[${rung#*=}]/"
done
sed -i -E "$indexed" "$work/indexed/lines.csv"
expect 0 'loads of constants by a register' "$WHYFAST" evaluate -q "$work/indexed"
is "$(column "$work/indexed/sides.csv" variant name | sed -n 's/\twait_constant$//p' | sort -u)" \
    "$(printf '01_interleaved_modulo\n02_interleaved_strided')" '  are waited for'

# ---- a rung that is expected to fail ------------------------------------------------------------

expect 4 'a rung that is expected to fail' "$WHYFAST" explain "$(fixture_run)" reduce/05 \
    reduce/17
says \
    'of reduce/17_unsynchronised: it is expected to fail, so that it is neither compared nor counted' \
    '  says why it has no causes'
finish
