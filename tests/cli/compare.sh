#!/bin/sh
# Tests 'whyfast compare' as a gate: verdicts, refusals, CSV and JSON, and widths of the screen.
. "${ROOT:-.}/tests/tap.sh"
unset COLUMNS
recorded=$(fixture_run)

# ---- a run with itself ---------------------------------------------------------------------------

expect 0 'a run with itself' "$WHYFAST" compare "$recorded" "$recorded"
is "$(complaints)" '' '  nothing to complain of'
# totals: prints the line that counts the verdicts.
totals() { grep -m 1 ' slower, ' "$work/out"; }
# timed: prints the points that have a time.
timed() {
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_ns") at = i; next }
        $at != "" { print $1, $2, $3, $4, $5 }' "$recorded/metrics.csv"
}
points=$(timed | cut -d ' ' -f 1-4 | sort -u | wc -l)
is "$(totals)" "0 slower, 0 faster, $points without evidence of a difference" \
    '  no evidence of anything'
is "$(grep -c '^no evidence: ' "$work/out")" 1 '  in one line together'
expect 0 'one by one' "$WHYFAST" compare -v "$recorded" "$recorded"
is "$(grep -c '^no evidence: ' "$work/out")" "$points" '  with -v'
expect 0 'every setting' "$WHYFAST" compare "$recorded" "$recorded" --all-settings
points=$(timed | wc -l)
is "$(totals)" \
    "0 slower, 0 faster, $points without evidence of a difference" \
    '  with itself'

# ---- one variant slower --------------------------------------------------------------------------

# One size of one family, without counters.
raw_run "$recorded" "$work/before"
for table in points launches series samples accesses; do
    [ -e "$recorded/$table.csv" ] || continue
    awk -F , 'NR == 1 || $1 == "reduce" && $3 == 536870912' \
        "$recorded/$table.csv" >"$work/before/$table.csv"
done
head -n 1 "$recorded/counters.csv" >"$work/before/counters.csv"
cp -R "$work/before" "$work/after"
awk -F , -v OFS=, "$by_name"'$2 ~ /^03_/ { $at["time_ns"] *= 1.03 } 1' \
    "$work/before/samples.csv" >"$work/after/samples.csv"
slow=$(sed -n 's/^reduce,\(03_[a-z_]*\),.*/\1/p' "$work/before/points.csv" | head -n 1)

expect 0 'evaluate' "$WHYFAST" evaluate "$work/before"
cp "$work/before/metrics.csv" "$work/after/"
expect 4 'a run that was evaluated before its samples changed' "$WHYFAST" compare "$work/before" \
    "$work/after"
says "'whyfast evaluate $work/after' recomputes it" '  says what to do'
expect 0 'evaluate' "$WHYFAST" evaluate "$work/after"
sums "$work/after" >"$work/after.sums"

expect 1 'one variant slower' "$WHYFAST" compare "$work/before" "$work/after"
prints "slower: reduce/$slow 2^29; same machine code" '  names it, and that its code is the same'
is "$(grep -c '^slower: ' "$work/out")" 1 '  and no other'
is "$(totals | cut -d , -f 1,2)" '1 slower, 0 faster' '  counts it'
says 'slower beyond the noise floor: 1' '  and says so'
"$WHYFAST" compare -v "$work/before" "$work/after" >"$work/out" 2>&1
is "$(grep -oE '^(slower|faster|no evidence): ' "$work/out" | head -n 1)" 'slower: ' \
    '  and lists it before those that are as fast'
expect 0 'one variant faster' "$WHYFAST" compare "$work/after" "$work/before"
prints "faster: reduce/$slow 2^29; same machine code" '  names it'
"$WHYFAST" compare -v "$work/after" "$work/before" >"$work/out" 2>&1
is "$(grep -oE '^(slower|faster|no evidence): ' "$work/out" | head -n 1)" 'faster: ' \
    '  and lists it first'
expect 0 'a slowdown below the threshold' "$WHYFAST" compare "$work/before" "$work/after" \
    --threshold 5
prints "tolerated: reduce/$slow 2^29" '  is still named'
expect 1 'a slowdown beyond the threshold' "$WHYFAST" compare "$work/before" "$work/after" \
    --threshold=2
expect 0 'only other variants' "$WHYFAST" compare "$work/before" "$work/after" 'reduce/0[12]*'
is "$(totals)" '0 slower, 0 faster, 2 without evidence of a difference' \
    '  are compared'
for word in 'reduce/03*' reduce/3; do
    expect 1 "this variant, as $word" "$WHYFAST" compare "$work/before" "$work/after" "$word" \
        --size 2^29
    is "$(totals)" '1 slower, 0 faster, 0 without evidence of a difference' '  alone'
done
sums "$work/after" | cmp -s - "$work/after.sums"
result $? 'comparing writes nothing'

sed 's/\(^reduce,03_[^,]*,536870912,.*\),ok,,/\1,failed,wrong sum,/' \
    "$work/before/points.csv" >"$work/after/points.csv"
expect 1 'a result that was right is wrong now' "$WHYFAST" compare "$work/before" "$work/after"
prints "failed now: reduce/$slow 2^29; wrong sum" '  is named'
cp "$work/before/points.csv" "$work/after/points.csv"
expect 7 'nothing in common' "$WHYFAST" compare "$work/before" "$recorded" 'gemm/*'
says 'nothing was compared' '  is not a success'

# ---- CSV and JSON --------------------------------------------------------------------------------

expect 1 'CSV' "$WHYFAST" compare "$work/before" "$work/after" --csv
is "$(head -n 1 "$work/out")" \
    'family,variant,size,block,sweep_before,sweep_after,verdict,ratio,ratio_low,ratio_high,floor_pct,time_before_ns,time_after_ns,machine_code,reason,account,reason_code' \
    '  has a header'
is "$(sed -n 2p "$work/out" | cut -d , -f 1-3,7)" "reduce,$slow,536870912,slower" \
    '  the slowest first'
is "$(awk -F , '{ print NF }' "$work/out" | sort -u)" 17 '  and rows of as many cells'
says '1 slower, 0 faster' '  the summary goes to stderr'
expect 1 'JSON' "$WHYFAST" compare "$work/before" "$work/after" --json
if command -v python3 >/dev/null; then
    is "$(python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))
point = found["points"][0]
print(found["summary"]["slower"], point["variant"], point["verdict"], round(point["ratio"], 2),
      len(found["points"]) == sum(found["summary"].values()), found["after"]["device_name"])
' "$work/out")" "1 $slow slower 1.03 True $(sed -n 's/^device_name: //p' "$work/before/run.txt")" \
        '  can be parsed'
else
    skip 'no parser of JSON is available'
fi

# ---- verify: one word and its exit code -----------------------------------------------------------

# first: prints the word that the last command began with.
first() { sed -n '1s/: .*//p' "$work/out"; }
expect 1 'a slower candidate' "$WHYFAST" verify "$work/before" "$work/after"
is "$(sed -n 1p "$work/out" | cut -d , -f 1,2)" 'slower: 1 slower, 0 faster' '  is called slower'
prints "slower: reduce/$slow 2^29; same machine code" '  with its point'
prints '1 of ' '  of which the machine code is the same'
prints 'floor %' '  with the noise floor'
prints 'No causes are given: ' '  without counters no causes are given'
expect 0 'a faster candidate' "$WHYFAST" verify "$work/after" "$work/before"
is "$(first)" faster '  is called faster'
expect 6 'the same run' "$WHYFAST" verify "$work/before" "$work/before"
is "$(first)" 'no evidence' '  is no evidence'
expect 6 'other variants' "$WHYFAST" verify "$work/before" "$work/after" 'reduce/0[12]*' --size 2^29
expect 1 'JSON' "$WHYFAST" verify "$work/before" "$work/after" --json
prints '"verdict":"slower","exit_code":1' '  has both'
prints '{"guard":"inputs","state":"holds"' '  and what was equal'
prints '"explanation":null' '  without counters no causes'
cp -R "$recorded" "$work/slow"
awk -F , -v OFS=, "$by_name"'$1 == "gemm" && $2 ~ /^06_/ && NR > 1 { $at["time_ns"] *= 1.1 } 1' \
    "$recorded/samples.csv" >"$work/slow/samples.csv"
expect 0 '  evaluated' "$WHYFAST" evaluate "$work/slow"
expect 1 '  of runs with counters' "$WHYFAST" verify "$recorded" "$work/slow" 'gemm/06*' --json
prints '"unexplained":null,"explanation":{"schema":"whyfast.explain/' '    the causes'
expect 6 '  without a change' "$WHYFAST" verify "$recorded" "$recorded" 'gemm/06*' --json
prints '"unexplained":{"code":"no_evidence",' '    no causes'
expect 6 'without a change' env COLUMNS=300 "$WHYFAST" verify "$recorded" "$recorded" 'gemm/06*'
is "$(sed -n '/^No causes/,$p' "$work/out" | sed 's/ (NVIDIA.*//')" \
    "No causes are given: there is no evidence of a change.

Run $recorded" '  no causes are given, and the run is named once'
expect 1 'CSV' "$WHYFAST" verify "$work/before" "$work/after" --csv
is "$(sed -n 2p "$work/out" | cut -d , -f 1-4)" \
    "reduce/$slow,reduce/$slow,536870912,slower" '  has the points'
sed 's/^seed: .*/seed: 77/' "$work/before/run.txt" >"$work/after/run.txt"
for command in compare verify; do
    expect 7 "$command: other inputs" "$WHYFAST" $command "$work/before" "$work/after"
    cat "$work/out" "$work/err" >"$work/all"
    contains "$work/all" 'the seeds of the inputs differ: ' '  are not compared'
done
is "$(first)" 'not comparable' '  as verify says'
expect 7 '  as JSON' "$WHYFAST" verify "$work/before" "$work/after" --json
prints '"unexplained":{"code":"not_comparable",' '  with a reason'
sed 's/^device_name: .*/device_name: Other GPU/' "$work/before/run.txt" >"$work/after/run.txt"
expect 7 'another device' "$WHYFAST" verify "$work/before" "$work/after"
prints 'not comparable: the runs were measured on different devices' '  is not compared'
sed 's/^driver: .*/driver: 1.2/' "$work/before/run.txt" >"$work/after/run.txt"
expect 1 'another driver' "$WHYFAST" verify "$work/before" "$work/after"
prints 'the machine had other settings: driver (' '  is told'
cp "$work/before/run.txt" "$work/after/run.txt"
sed 's/\(^reduce,03_[^,]*,536870912,.*\),ok,,/\1,failed,wrong sum,/' \
    "$work/before/points.csv" >"$work/after/points.csv"
expect 1 'a wrong candidate' "$WHYFAST" verify "$work/before" "$work/after"
is "$(first)" wrong '  is called wrong'
sed 's/^seed: .*/seed: 77/' "$work/before/run.txt" >"$work/after/run.txt"
expect 1 '  also with other inputs' "$WHYFAST" verify "$work/before" "$work/after"
prints 'wrong: ' '    because that is worse'
cp "$work/before/run.txt" "$work/after/run.txt"
expect 1 '  as JSON' "$WHYFAST" verify "$work/before" "$work/after" --json
cp "$work/before/points.csv" "$work/after/points.csv"
expect 7 'runs without a common point' "$WHYFAST" verify "$work/before" "$recorded" 'gemm/*'
prints 'not comparable: no point was measured in both runs' '  are not compared'
expect 4 'a run and a mistyped one' "$WHYFAST" verify "$work/before" "$work/befor"
says "did you mean '$work/before'?" '  ends as of compare'
expect 2 'a run and a program' "$WHYFAST" verify "$work/before" "$WHYFAST"
says "$work/before is one, and $WHYFAST is none" '  are told apart'
sed '/^seed: /d; $a program: ncu --set full ./app\
imported: x: times are those of Nsight Compute 2022.3.0.0, of launches' "$work/before/run.txt" \
    >"$work/after/run.txt"
expect 1 'an imported report' "$WHYFAST" verify "$work/before" "$work/after" --json
prints 'a report of Nsight Compute does not say what its program read' '  has unknown inputs'
prints 'measured the first run, Nsight Compute 2022.3.0.0 the second' \
    '  and was not measured by whyfast'
is "$(grep -c 'ncu --set' "$work/out")" 0 '  and ncu is no program'
cp "$work/before/run.txt" "$work/after/run.txt"
sed 's/,[0-9a-f]\{16\},/,,/' "$work/before/variants.csv" >"$work/after/variants.csv"
expect 1 'machine code that is not known' "$WHYFAST" verify "$work/before" "$work/after"
prints 'no machine code is known in both runs' '  is not taken for another one'
cp "$work/before/variants.csv" "$work/after/variants.csv"
expect 2 'runs and a command that builds' "$WHYFAST" verify "$work/before" "$work/after" --build make
says 'two runs are measured already' '  contradict'
expect 2 'a device of no merged run' "$WHYFAST" verify "$work/before" "$work/after" --device 1
expect 2 'nothing to verify' "$WHYFAST" verify
says 'verify: expected two runs, or two versions' '  asks for it'

# ---- refusals ------------------------------------------------------------------------------------

expect 2 'no run' "$WHYFAST" compare
says 'compare: expected the directories of two runs' '  says what was expected'
expect 2 'one run' "$WHYFAST" compare "$recorded"
expect 2 'CSV and JSON' "$WHYFAST" compare "$work/before" "$work/after" --csv --json
for value in x -1 nan inf ''; do
    expect 2 "--threshold '$value'" "$WHYFAST" compare "$work/before" "$work/after" \
        "--threshold=$value"
done
says '--threshold: expected a number of per cent' '  says what was expected'
cp "$work/before/samples.csv" "$work/before/metrics.csv" "$work/after/"
# shellcheck disable=SC2016 # for the inner shell
[ ! -w /dev/full ] ||
    expect 5 'into a full disk' sh -c '"$1" compare "$2" "$2" >/dev/full' sh "$WHYFAST" \
        "$work/before"

# ---- screens -------------------------------------------------------------------------------------

# plain: prints the lines of the table, with one byte for a character, which may take several. The
# summary is always one line, so it is left out.
plain() { sed '$d; s/[\xC2-\xF4][\x80-\xBF]*/./g' "$work/out"; }
for columns in 40 60 80 100 200; do
    expect 0 "$columns columns" env COLUMNS=$columns "$WHYFAST" compare -v "$work/before" \
        "$work/after"
    none "$(plain | looked grep -E "^.{$((columns + 1))}")" '  no line is wider'
done
coloured "'$WHYFAST' compare '$work/before' '$work/after'"

# ---- two variants instead of two runs ------------------------------------------------------------

expect 4 'two variants' "$WHYFAST" compare gemm/08 gemm/11
says "there are no runs 'gemm/08' and 'gemm/11' to compare; two variants are compared by 'whyfast explain gemm/08 gemm/11'" \
    '  are sent to explain'
expect 4 'two runs that are not there' "$WHYFAST" compare nowhere nothing
says "there is no directory 'nowhere'" '  are no variants'
for command in compare verify; do
    expect 2 "$command: two variants of a run" "$WHYFAST" $command "$recorded" gemm/08 gemm/11
    says "'gemm/08' is a variant, and no run; 'whyfast explain $recorded gemm/08 gemm/11' compares" \
        '  are sent to explain'
    expect 2 "$command: a variant of a run" "$WHYFAST" $command "$recorded" gemm/08
    says "'whyfast explain $recorded gemm/08' compares it with the one before it" '  is, too'
done
expect 4 'a mistyped run' "$WHYFAST" compare "$work/befor" "$work/before"
says "there is no directory '$work/befor'; expected that of a run; did you mean '$work/before'?" \
    '  names the nearest'

# ---- two devices ---------------------------------------------------------------------------------

# The same run as if of another device, whose memory is slower.
cp -R "$recorded" "$work/other"
sed -i 's/^device_name: .*/device_name: Slower (transformed)/; s/^device_uuid: .*/device_uuid: 0/' \
    "$work/other/run.txt"
expect 0 'two devices' "$WHYFAST" compare "$work/other" "$recorded" 'reduce/0[13]*' --size 2^29
says 'measured on different devices' '  are told'
prints 'load from DRAM' '  their rates are compared'
prints 'There is no evidence that it takes another time: instruction issue limits it on both devices' \
    '  and what limits a kernel is said'
expect 0 '  as CSV' "$WHYFAST" compare "$work/other" "$recorded" 'reduce/01*' --size 2^29 --csv
prints 'the SMs are equally fast' '  too'
expect 0 '  as JSON' "$WHYFAST" compare "$work/other" "$recorded" 'reduce/01*' --size 2^29 --json
prints '"account":"There is no evidence that it takes another time' '  too'
finish
