#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests 'whyfast explain' for a run's steps and for any two of its variants: wrong and missing
# names, CSV and JSON, and widths of the screen.
. "${ROOT:-.}/tests/tap.sh"
unset COLUMNS
recorded=$(newest_recorded)

# ---- a run ---------------------------------------------------------------------------------------

small_run "$work/small"
expect 4 'a run that is not evaluated' "$WHYFAST" explain "$work/small"
says "metrics.csv: is missing; 'whyfast evaluate $work/small' creates it" '  says what makes it so'
expect 0 'evaluate' "$WHYFAST" evaluate "$work/small"
expect 4 'two variants of a run that is not explained' "$WHYFAST" explain "$work/small" reduce/01 \
    reduce/02
says "ledger.csv: is missing; 'whyfast explain $work/small' creates it" '  names the command'
expect 0 'a run' "$WHYFAST" explain "$work/small"
is "$(cat "$work/out" "$work/err")" '' '  nothing to say'
is "$(head -n 1 "$work/small/ledger.csv")" \
    'family,variant,size,block,sweep,device,part,term,cycles,ns,low_ns,high_ns,share_pct,status' \
    '  has a ledger'
is "$(head -n 1 "$work/small/causes.csv")" \
    'family,variant,size,block,sweep,device,after,cause,before_ns,after_ns,saved_ns,low_ns,high_ns,share_pct,status,witness,witness_before,witness_after' \
    '  and causes'
is "$(wc -l <"$work/small/headlines.csv")" "$(wc -l <"$work/small/steps.csv")" \
    '  and a headline for every step'

# ---- two variants, by hand -----------------------------------------------------------------------

data=$work/data
run=$work/run
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
for variant in reduce,02_strided,2,Strided reduce,03_sequential,3,Sequential \
    reduce,04_other,4,Other gemm,01_naive,1,Naive; do
    echo "$variant$commas,kernel$after" >>"$run/variants.csv"
done
# point FAMILY,VARIANT,SIZE TIME WARPS DRAM: prints the row of a point at 1 cycle per ns.
point() {
    echo "$1,128,0,0,1,$2,$(($2 - 100)),$(($2 + 100)),0.5,1000,$((${1##*,} * 4)),$3,$4" \
        >>"$run/metrics.csv"
}
echo 'family,variant,size,block,sweep,device,best,time_ns,time_low_ns,time_high_ns,floor_pct,sm_clock_mhz,useful_bytes,warps_active_pct,dram_gbs' \
    >"$run/metrics.csv"
point reduce,02_strided,4096 100000 50 400
point reduce,03_sequential,4096 60000 50 1200.5
point reduce,02_strided,1024 10000 50 40
point reduce,03_sequential,1024 20000 50 20
point reduce,04_other,512 5000 50 10
point gemm,01_naive,64 5000 50 10
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

expect 0 'two variants of a run' "$WHYFAST" explain "$run" reduce/02 reduce/03
is "$(complaints)" '' '  nothing to complain of'
is "$(cat "$work/out")" "Run $run (Test GPU, 2026-01-02T03:04:05Z)

reduce/02_strided -> reduce/03_sequential, 4096
  2 Strided -> 3 Sequential
  100.0 us -> 60.00 us: 1.667 times as fast [1.662 to 1.671]
  faster; the noise floor is 0.50 %
  causes of the 40.00 us saved; causes below 0 offset it:

      saved    share  cause; levels, 95 % interval, counter
   34.84 us   87.1 %  global memory
                      43.56 us -> 8.711 us, interval 34.40 us to 35.29 us
                      dram_gbs 400 -> 1200
   9.800 us   24.5 %  shared memory
                      10.89 us -> 1.089 us, interval 9.691 us to 9.909 us
  -4.654 us  -11.6 %  tail and imbalance
                      3.860 us -> 8.514 us, interval -4.732 us to -4.575 us
   108.9 ns    0.3 %  4 smaller ones, together (-v lists them)
  -100.0 ns   -0.3 %  not explained
                      850.0 ns -> 950.0 ns, interval -112.7 ns to -87.25 ns" '  says why'
expect 0 'the other way round' "$WHYFAST" explain "$run" reduce/03 reduce/02
prints '60.00 us -> 100.0 us: 0.600 times as fast [0.598 to 0.602]' '  is slower'
prints '  causes of the 40.00 us lost; causes below 0 offset it:' '  says so'
prints '   34.84 us   87.1 %  global memory' '  a loss is shown as one'
expect 0 'every cause' "$WHYFAST" explain "$run" reduce/02 reduce/03 -v
lacks "$work/out" 'smaller' '  none gathered with others'
prints '    0.1 %  waiting for results and pipes' '  but by itself'
prints '       0 ns    0.0 %  launches (unresolved)' '  also where it saved nothing'
expect 0 'a size' "$WHYFAST" explain "$run" reduce/02 reduce/03 --size 2^10
prints 'reduce/02_strided -> reduce/03_sequential, 1024' '  is the one that was asked for'
prints '   8.000 us   80.0 %  waiting' '  its parts are not distinguished'
expect 0 'a variant and itself' "$WHYFAST" explain "$run" reduce/02 reduce/02
prints 'no evidence; the noise floor is 0.50 %' '  do not differ'
prints '  the difference of 0 ns may be noise' '  nothing is put down to anything'

# ---- which runs ----------------------------------------------------------------------------------

cp -R "$run" "$work/later"
sed 's/^date: 2026/date: 2027/' "$run/run.txt" >"$work/later/run.txt"
expect 0 'a variant in two runs' "$WHYFAST" explain "$run" "$work/later" reduce/02
prints "Run $run (Test GPU, 2026-01-02T03:04:05Z)" '  says which'
prints "Run $work/later (Test GPU, 2027-01-02T03:04:05Z)" '  both'
prints 'reduce/02_strided -> reduce/02_strided, 4096' '  the same'
expect 0 'variants of two runs' "$WHYFAST" explain "$run" "$work/later" reduce/02 reduce/03
prints 'reduce/02_strided -> reduce/03_sequential, 4096' '  each of its own'
expect 3 'no run, and none recorded' "$WHYFAST" explain reduce/02 reduce/03
mkdir -p "$data/reports/recorded"
cp -R "$run" "$data/reports/recorded/test-gpu"
expect 0 'the newest recorded run' "$WHYFAST" explain reduce/02 reduce/03
is "$(head -n 1 "$work/out")" \
    'Recorded run test-gpu (Test GPU, 2026-01-02T03:04:05Z): nothing was measured on this machine.' \
    '  says that it is one'
expect 0 'the same in its directory' sh -c 'cd "$1" && "$2" explain run reduce/02 reduce/03' sh \
    "$work" "$WHYFAST"
is "$(sed -n 3p "$work/out")" 'reduce/02_strided -> reduce/03_sequential, 4096' \
    '  a run without a slash'

# ---- CSV and JSON --------------------------------------------------------------------------------

expect 0 'CSV' "$WHYFAST" explain "$run" reduce/02 reduce/03 --csv
is "$(head -n 1 "$work/out")" \
    'before,after,size,cause,before_ns,after_ns,saved_ns,low_ns,high_ns,share_pct,status,witness,witness_before,witness_after' \
    '  has a header'
is "$(sed -n 2p "$work/out" | cut -d , -f 1-7,10-14)" \
    'reduce/02_strided,reduce/03_sequential,4096,global_memory,43555.7455,8711.1491,34844.5964,87.111491,resolved,dram_gbs,400,1200.5' \
    '  the largest first'
is "$(awk -F , 'NR > 1 { sum += $7 } END { printf "%.3f", sum }' "$work/out")" 40000.000 \
    '  all that was saved'
is "$(awk -F , '{ print NF }' "$work/out" | sort -u)" 14 '  rows of as many cells'
expect 0 'JSON' "$WHYFAST" explain "$run" reduce/02 reduce/03 --json
if command -v python3 >/dev/null; then
    is "$(python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))
first = found["causes"][0]
last = found["causes"][-1]
print(found["before"]["variant"], found["after"]["time_ns"], found["evidence"],
      round(found["speedup"], 3), first["cause"], first["saved_ns"],
      abs(sum(cause["saved_ns"] for cause in found["causes"]) - 40000) < 1e-6,
      last["cause"], last["status"])
' "$work/out")" \
        'reduce/02_strided 60000.0 faster 1.667 global_memory 34844.5964167773 True residual resolved' \
        '  can be parsed'
else
    skip 'no parser of JSON is available'
fi
sed 's/^\(reduce,02_strided,4096,128,0,0,1,100000\),99900,100100,0.5/\1,,,/' \
    "$run/metrics.csv" >"$work/later/metrics.csv"
expect 0 'a time without an interval' "$WHYFAST" explain "$work/later" reduce/02 reduce/03 --json
prints '"low":null,"high":null,"floor_pct":null,"evidence":"not measured"' \
    '  is no evidence of anything'
expect 0 'and as a table' "$WHYFAST" explain "$work/later" reduce/02 reduce/03
prints '(not measured)' '  no cause is resolved'

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
says 'reduce/02_strided and reduce/03_sequential have no size 77 in common at which both have a ledger' \
    '  says so'
expect 2 'a malformed size' "$WHYFAST" explain "$run" reduce/02 reduce/03 --size many
expect 2 'two sizes' "$WHYFAST" explain "$run" reduce/02 reduce/03 --size 1024,4096
says 'explain: expected one size' '  says what was expected'
expect 2 'variants of two families' "$WHYFAST" explain "$run" reduce/02 gemm/01
says 'have no size in common' '  says that they have nothing in common'
expect 2 'CSV and JSON' "$WHYFAST" explain "$run" reduce/02 reduce/03 --csv --json
expect 2 'one variant of a run' "$WHYFAST" explain "$run" reduce/02
says 'explain: expected a run; or two variants' '  says what was expected'
expect 2 'two runs and no variant' "$WHYFAST" explain "$run" "$work/later"
expect 2 'three variants of two runs' "$WHYFAST" explain "$run" "$work/later" reduce/02 reduce/03 \
    reduce/03
expect 2 'nothing' "$WHYFAST" explain
expect 4 'a missing run' "$WHYFAST" explain "$work/nowhere" reduce/02 reduce/03
says "$work/nowhere/run.txt: cannot read" '  names it'
expect 4 'one whose name looks like that of a variant' "$WHYFAST" explain nowhere reduce/02 \
    reduce/03
says 'nowhere/run.txt: cannot read' '  names it'
cp "$run/ledger.csv" "$work/later/"
sed 's/^\(reduce,02_strided,4096,128,0,0,1\),100000/\1,100001/' \
    "$run/metrics.csv" >"$work/later/metrics.csv"
expect 4 'a ledger of other times' "$WHYFAST" explain "$work/later" reduce/02 reduce/03
command="whyfast explain $work/later"
says "ledger.csv does not match the times in metrics.csv; '$command' recomputes it" \
    '  says what to do'
cp "$run/metrics.csv" "$work/later/"
sed '3s/,1,counted$/,many,counted/' "$run/ledger.csv" >"$work/later/ledger.csv"
expect 4 'a damaged ledger' "$WHYFAST" explain "$work/later" reduce/02 reduce/03
says "ledger.csv:3: column 'share_pct'" '  names file and line'
sed '3s/,overhead,/,weather,/' "$run/ledger.csv" >"$work/later/ledger.csv"
expect 4 'a ledger with an unknown term' "$WHYFAST" explain "$work/later" reduce/02 \
    reduce/03
says "ledger.csv: the term 'weather' has no cause" '  names it'
sed 's/^    witness dram_gbs$/    witness no_such_metric/' \
    "$ROOT/metrics/causes.metric" >"$data/metrics/causes.metric"
expect 4 'a witness that is no metric' "$WHYFAST" explain "$run" reduce/02 reduce/03
says "causes.metric:$(grep -n 'no_such_metric' "$data/metrics/causes.metric" |
    cut -d : -f 1): no such column: no_such_metric" \
    '  names file and line'
cp "$ROOT/metrics/causes.metric" "$data/metrics/"
# shellcheck disable=SC2016 # for the inner shell
[ ! -w /dev/full ] ||
    expect 5 'into a full disk' sh -c '"$1" explain "$2" reduce/02 reduce/03 >/dev/full' sh \
        "$WHYFAST" "$run"

# ---- screens -------------------------------------------------------------------------------------

# wider N: prints the lines with more than N columns; the thousands separator takes three bytes, and
# the name of a run may be longer than any line.
wider() { sed '1d; s/\xE2\x80[\xA6\xAF]/./g' "$work/out" | awk -v n="$1" 'length($0) > n'; }
for columns in 40 60 80 100 200; do
    expect 0 "$columns columns" env COLUMNS=$columns "$WHYFAST" explain -v "$run" reduce/02 \
        reduce/03
    is "$(wider $columns)" '' '  no line is wider'
done
is "$(grep -c "$(printf '\033')" "$work/out")" 0 'no colours where there is no terminal'
is "$(grep -c ' $' "$work/out")" 0 'no blanks at the ends of lines'
if has_terminal; then
    on_terminal "'$WHYFAST' explain '$run' reduce/02 reduce/03"
    is "$(grep -c "$(printf '\033')" "$work/out" | awk '{ print ($1 > 0) }')" 1 \
        'colours on a terminal'
    on_terminal "NO_COLOR=1 '$WHYFAST' explain '$run' reduce/02 reduce/03"
    is "$(grep -c "$(printf '\033')" "$work/out")" 0 '  none with NO_COLOR'
else
    skip 'no terminal is available'
fi

# ---- a rung that is expected to fail ------------------------------------------------------------

expect 4 'a rung that is expected to fail' "$WHYFAST" explain "$(newest_recorded)" reduce/05 \
    reduce/17
says 'of reduce/17_unsynchronised: it is expected to fail, so that it is neither timed nor counted' \
    '  says why it has no causes'
finish
