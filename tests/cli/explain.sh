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
    'family,variant,size,block,sweep,device,after,cause,detail,saved_ns,low_ns,high_ns,share_pct,status,witness,witness_before,witness_after,line_before,line_after' \
    '  and causes'
is "$(head -n 1 "$work/small/details.csv")" \
    'family,variant,size,block,sweep,device,after,cause,detail,saved_ns,share_pct' '  with details'
is "$(head -n 1 "$work/small/features.csv")" \
    'family,variant,size,block,sweep,device,input,cause,value' '  by features'
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
# point FAMILY,VARIANT,SIZE TIME SHARED GLOBAL: prints the row of a point at 1 cycle per ns.
point() {
    echo "$1,128,0,0,1,$2,$(($2 - 100)),$(($2 + 100)),0.5,1000,$((${1##*,} * 4)),$3,$4" \
        >>"$run/metrics.csv"
}
echo 'family,variant,size,block,sweep,device,best,time_ns,time_low_ns,time_high_ns,floor_pct,sm_clock_mhz,useful_bytes,shared_wait_cycles,global_wait_cycles' \
    >"$run/metrics.csv"
point reduce,02_strided,4096 100000 50 1200.5
point reduce,03_sequential,4096 60000 50 400
point reduce,02_strided,1024 10000 50 20
point reduce,03_sequential,1024 20000 50 40
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
# features FAMILY,VARIANT,SIZE INPUT=CAUSE=VALUE...: prints rows of features. With one warp and
# nothing else, the time is their sum.
features() {
    for row in "$@"; do
        [ "$row" = "$1" ] || echo "$1,128,0,0,$row" | tr '=' ,
    done >>"$run/features.csv"
}
head -n 1 "$work/small/features.csv" >"$run/features.csv"
features reduce,02_strided,4096 issue=work=10000 issue=overhead=30050 long=global_latency=41000 \
    short=shared_waits=10000 short=bank_conflicts=1000 fixed=fetch=950 launch_ns=launches=4000 \
    end=launches=3000 time_ns==100000
features reduce,03_sequential,4096 issue=work=10000 issue=overhead=30000 \
    long=global_latency=8200 short=shared_waits=1000 fixed=fetch=800 launch_ns=launches=4000 \
    end=launches=6000 time_ns==60000
features reduce,02_strided,1024 issue=issued=6000 fixed=stalled=3000 launch_ns=launches=1000 \
    time_ns==10000
features reduce,03_sequential,1024 issue=issued=8000 fixed=stalled=11000 launch_ns=launches=1000 \
    time_ns==20000
features gemm,01_naive,64 issue=issued=5000 time_ns==5000
head -n 1 "$work/small/remains.csv" >"$run/remains.csv"
{
    echo "reduce,03_sequential,4096,128,0,0,1,global_latency,8200,13.7,04_other,7000"
    echo "reduce,03_sequential,4096,128,0,0,2,fetch,800,1.3,,"
} >>"$run/remains.csv"
head -n 1 "$work/small/cause_lines.csv" >"$run/cause_lines.csv"
echo "reduce,02_strided,global_latency,kernels/reduce/02.cu,20,90" >>"$run/cause_lines.csv"
echo "reduce,03_sequential,global_latency,kernels/reduce/03.cu,19,80" >>"$run/cause_lines.csv"

expect 0 'two variants of a run' "$WHYFAST" explain "$run" reduce/02 reduce/03
is "$(complaints)" '' '  nothing to complain of'
is "$(cat "$work/out")" "Run $run (Test GPU, 2026-01-02T03:04:05Z)

reduce/02_strided -> reduce/03_sequential, 4096
  2 Strided -> 3 Sequential
  100.0 us -> 60.00 us: 1.667 times as fast [1.662 to 1.671]
  faster; the noise floor is 0.50 %
  causes of the 40.00 us saved; causes below 0 offset it:

      saved    share  cause; interval, details, counter, lines
   32.80 us   82.0 %  exposed latency of global memory: waiting for global memory
                      interval 31.99 us to 33.61 us
                      global_wait_cycles 1200 -> 400
                      mostly at kernels/reduce/02.cu:20 -> kernels/reduce/03.cu:19
   10.00 us   25.0 %  shared memory: waiting for shared memory (its witness stood still)
                      interval 9.188 us to 10.81 us
                      waiting for shared memory 22.5 %, bank conflicts 2.5 %
                      shared_wait_cycles 50 -> 50
  -3.000 us   -7.5 %  launches
                      interval -3.812 us to -2.188 us
   200.0 ns    0.5 %  2 smaller ones, together (-v lists them)
       0 ns    0.0 %  interaction
       0 ns    0.0 %  not explained

  still to be gained from reduce/03_sequential, by the model: waiting for global memory 14 %, 8.200
  us (04_other saved 7.000 us); fetching instructions 1 %, 800.0 ns" '  says why'
expect 0 'the other way round' "$WHYFAST" explain "$run" reduce/03 reduce/02
prints '60.00 us -> 100.0 us: 0.600 times as fast [0.598 to 0.602]' '  is slower'
prints '  causes of the 40.00 us lost; causes below 0 offset it:' '  says so'
prints '   32.80 us   82.0 %  exposed latency of global memory: waiting for global memory' '  a loss is shown as one'
prints '  -3.000 us   -7.5 %  launches' '  and what offsets it as a gain'
expect 0 'every cause' "$WHYFAST" explain "$run" reduce/02 reduce/03 -v
lacks "$work/out" 'smaller' '  none gathered with others'
prints '   150.0 ns    0.4 %  fetching instructions (unresolved)' '  but by itself'
prints '   50.00 ns    0.1 %  instructions: address, loop and control instructions (unresolved)' \
    '  by the name of its main detail'
expect 0 'a size' "$WHYFAST" explain "$run" reduce/02 reduce/03 --size 2^10
prints 'reduce/02_strided -> reduce/03_sequential, 1024' '  is the one that was asked for'
prints '   10.00 us  100.0 %  instructions: waiting' '  by the name of what makes up most of it'
prints 'waiting 80.0 %, instructions of all kinds 20.0 %' '  with its details'
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
    'before,after,size,cause,detail,saved_ns,low_ns,high_ns,share_pct,status,witness,witness_before,witness_after,line_before,line_after' \
    '  has a header'
is "$(sed -n 2p "$work/out" | cut -d , -f 1-6,9-15)" \
    'reduce/02_strided,reduce/03_sequential,4096,latency,global_latency,32800,82,resolved,global_wait_cycles,1200.5,400,kernels/reduce/02.cu:20,kernels/reduce/03.cu:19' \
    '  the largest first'
is "$(awk -F , 'NR > 1 { sum += $6 } END { printf "%.3f", sum }' "$work/out")" 40000.000 \
    '  all that was saved'
is "$(awk -F , '{ print NF }' "$work/out" | sort -u)" 15 '  rows of as many cells'
expect 0 'JSON' "$WHYFAST" explain "$run" reduce/02 reduce/03 --json
if command -v python3 >/dev/null; then
    is "$(python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))
first = found["causes"][0]
last = found["causes"][-1]
print(found["before"]["variant"], found["after"]["time_ns"], found["evidence"],
      round(found["speedup"], 3), first["cause"], first["detail"], first["saved_ns"],
      abs(sum(cause["saved_ns"] for cause in found["causes"]) - 40000) < 1e-6,
      last["cause"], last["status"])
' "$work/out")" \
        'reduce/02_strided 60000.0 faster 1.667 latency global_latency 32800.0 True residual model' \
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
cp "$run/ledger.csv" "$work/later/"
for damage in 's/overhead/weather/' 's/issue,overhead/rain,overhead/' '3s/,30050$/,many/'; do
    sed "$damage" "$run/features.csv" >"$work/later/features.csv"
    expect 4 "features that are damaged by $damage" "$WHYFAST" explain "$work/later" reduce/02 \
        reduce/03
    case $damage in
        *weather*) says "features.csv: 'issue' of 'weather' is unknown" '  names it' ;;
        *rain*) says "features.csv: 'rain' of 'overhead' is unknown" '  names it' ;;
        *) says "features.csv:3: column 'value'" '  names file and line' ;;
    esac
done
rm "$work/later/features.csv"
expect 4 'no features' "$WHYFAST" explain "$work/later" reduce/02 reduce/03
says "features.csv: is missing; 'whyfast explain $work/later' creates it" '  names the command'
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
