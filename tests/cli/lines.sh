#!/bin/sh
# Tests 'whyfast lines': wrong and missing names, missing data, sources, and screens of all
# widths.
. "${ROOT:-.}/tests/tap.sh"
unset COLUMNS
cd "$work" || exit 1
data=$work/data
run=run # the first lines name it, which are broken where it is long
mkdir -p "$data/kernels/reduce" "$run"
cp -R "$ROOT/metrics" "$data/"
WHYFAST_DATA=$data
export WHYFAST_DATA

# ---- a run by hand -------------------------------------------------------------------------------

printf '%s\n' 'whyfast run 1' 'status: complete' 'date: 2026-01-02T03:04:05Z' \
    'device_name: Test GPU' 'device_sm_count: 10' >"$run/run.txt"
recorded=$(fixture_run)
head -n 1 "$recorded/launches.csv" >"$run/launches.csv"
head -n 1 "$recorded/variants.csv" >"$run/variants.csv"
# All columns of the variants are empty except their names and their kind.
awk -F , '{ for (width = 1; $width != "kind"; width++) continue; more = NF - width } END {
    for (rung = 2; rung <= 4; rung++) {
        printf "reduce,0%d_%s,%d,Title", rung,
            rung == 2 ? "strided" : rung == 3 ? "sequential" : "other", rung
        for (i = 5; i < width; i++) printf ","
        printf ",kernel"
        for (i = 0; i < more; i++) printf ","
        print ""
    }
}' "$run/variants.csv" >"$work/rows"
cat "$work/rows" >>"$run/variants.csv"
cat >"$run/kernels.csv" <<'END'
kernel,family,variant,size,block,sweep,launch,symbol,name,counts_status,samples_status,sampled_launches,period_cycles,samples_total,samples_dropped,samples_elsewhere,lines_status,sass_status
0,reduce,02_strided,4096,128,0,0,_Z7strided,strided,ok,ok,2,1000,50,0,0,ok,ok
1,reduce,03_sequential,4096,128,0,0,_Z10sequential,sequential,ok,ok,2,1000,20,0,0,ok,ok
END
cat >"$run/lines.csv" <<'END'
kernel,pc,source,line,inlined_at,sass,executed,threads,threads_on,branches_uniform,branches_divergent,shared_wavefronts,shared_ideal,global_sectors,global_ideal,local_sectors,samples,not_issued,stalls
0,0,0,5,,"STS [R3], R1",100,3200,3200,,,100,100,,,,20,10,long_scoreboard=20/10
0,16,0,6,,"LDS R4, [R5]",100,3200,3200,,,200,100,,,,30,20,short_scoreboard=30/20
1,0,1,3,,"LDS R4, [R5]",100,3200,3200,,,100,100,,,,20,20,short_scoreboard=20/20
END

printf '%s\n' 'source,path,hash,status' \
    "0,kernels/reduce/02_strided.cu,HASH,ok" \
    '1,include/toolkit/sum.h,,absent: no file of the project' >"$run/sources.csv"

# ---- sources -------------------------------------------------------------------------------------

expect 0 'a source that the run does not have' "$WHYFAST" lines "$run" reduce/02
says 'warning: kernels/reduce/02_strided.cu is not in the run' '  says so'
prints '   6  2.00     100' '  its numbers are shown'
prints '(text not shown: the run does not have the file)' '  and why there is no text'
expect 0 'quietly' "$WHYFAST" lines -q "$run" reduce/02
is "$(complaints)" '' '  no warning'
cat >"$run/source_files.csv" <<'END'
source,text
0,"/* A kernel. */
static __global__ void strided(unsigned *in)
{
    extern __shared__ unsigned sum[];
    sum[threadIdx.x] = in[threadIdx.x]; /* a comment that is much longer than what is left of any line on a terminal of common width */
    sum[0] += sum[2 * threadIdx.x];
}
"
END
expect 0 'a source that differs from the measured one' "$WHYFAST" lines "$run" reduce/02
says 'warning: kernels/reduce/02_strided.cu is not in the run' '  says so'
lacks "$work/out" 'threadIdx' '  its text is not shown'
sed -i 's/HASH/b862400223da6e00/' "$run/sources.csv"
expect 0 'the source that was measured' "$WHYFAST" lines "$run" reduce/02
is "$(complaints)" '' '  nothing to complain of'
prints '   6  2.00     100     60.0  short scoreboard       100   32.0      sum[0] += sum[2 * threadIdx.x];' \
    '  text beside numbers'
expect 0 'a kernel that is a header of a toolkit' "$WHYFAST" lines "$run" reduce/03
is "$(complaints)" '' '  nothing to complain of'
prints '(text not shown: the file is not part of the project)' '  says so'

# ---- names ---------------------------------------------------------------------------------------

expect 4 'a variant without per-line data' "$WHYFAST" lines "$run" 04_other
says 'has no per-line data of reduce/04_other' '  says so'
expect 2 'no variant' "$WHYFAST" lines "$run"
says 'expected one or two variants' '  says what was expected'
small_run "$work/good"
sed -i '/^replay_of: /d' "$work/good/run.txt"
rm "$work/good/lines.csv"
for command in "lines $work/good reduce/02" "evaluate $work/good" \
    "merge $work/good -o $work/merged"; do
    # shellcheck disable=SC2086 # words
    expect 4 "${command%% *}: no lines.csv beside kernels.csv" "$WHYFAST" $command
    says "$work/good/lines.csv: is missing; by kernels.csv, instructions were counted;" '  says so'
done
rm -f "$work/good/kernels.csv" "$work/good/sources.csv"
expect 4 'a run without per-line data' "$WHYFAST" lines "$work/good" reduce/02
command="whyfast collect $work/good --sets lines"
says "$work/good has no per-line data; '$command' adds them on a machine with a GPU" \
    '  says how to get them'
expect 3 'no run, and none recorded' "$WHYFAST" lines reduce/02
mkdir -p "$data/reports/recorded"
cp -R "$run" "$data/reports/recorded/test-gpu"
expect 0 'the newest recorded run' "$WHYFAST" lines reduce/02
is "$(sed '/^$/,$d' "$work/out" | tr '\n' ' ')" \
    'Recorded run test-gpu (Test GPU, 2026-01-02T03:04:05Z): nothing was measured on this machine. ' \
    '  says that it is one'

# ---- screens -------------------------------------------------------------------------------------

# plain: prints the lines, with one byte for a character outside ASCII, which takes one column.
plain() { sed 's/\xE2\x80[\xA6\xAF]/./g; s/\xE2\x94\x82/./g' "$work/out"; }
for columns in 40 72 133; do
    expect 0 "$columns columns" env COLUMNS=$columns "$WHYFAST" lines "$run" reduce/02 reduce/03
    none "$(plain | looked grep -E "^.{$((columns + 1))}")" '  no line is wider'
done
expect 0 'without COLUMNS' "$WHYFAST" lines "$run" reduce/02 reduce/03
none "$(plain | looked grep -E '^.{101}')" '  a hundred'
expect 0 'a wide screen' env COLUMNS=250 "$WHYFAST" lines "$run" reduce/02 reduce/03
is "$(grep -c '^reduce/02_strided.* │ reduce/03_sequential' "$work/out")" 1 \
    '  has two kernels side by side'
coloured "'$WHYFAST' lines '$run' reduce/02" '1;31m'
prints 'threadIdx' '  but the lines'

# ---- CSV -----------------------------------------------------------------------------------------

expect 0 'CSV' "$WHYFAST" lines "$run" reduce/02 --csv --metric excess,samples,reason
is "$(cat "$work/out")" \
    'family,variant,size,block,sweep,device,launch,name,path,line,excess,sample_pct,reason
reduce,02_strided,4096,128,0,0,0,strided,kernels/reduce/02_strided.cu,5,0,40,long_scoreboard
reduce,02_strided,4096,128,0,0,0,strided,kernels/reduce/02_strided.cu,6,100,60,short_scoreboard' \
    '  has the sums of the lines'
# shellcheck disable=SC2016 # for the inner shell
[ ! -w /dev/full ] ||
    expect 5 'into a full disk' sh -c '"$1" lines "$2" reduce/02 >/dev/full' sh "$WHYFAST" "$run"

# ---- the hot part, the verdict, bank maps --------------------------------------------------------

expect 0 'two variants' "$WHYFAST" lines "$run" reduce/2 REDUCE/3
is "$(sed -n 3p "$work/out")" 'A  reduce/02_strided, size 2^12, block 128, launch 0' \
    '  what differs comes first'
expect 0 'two variants of an evaluated run' "$WHYFAST" lines "$recorded" gemm/8 GEMM/11
is "$(sed '1,/^$/d; s/:.*//; q' "$work/out")" \
    'gemm/08_double_buffer -> gemm/11_zigzag' '  the verdict comes first'
verdict=$(sed -n '1,/^$/d; /^$/q; s/^[^:]*: //; p' "$work/out" | tr '\n' ' ')
"$WHYFAST" explain "$recorded" gemm/8 gemm/11 >"$work/explained"
is "$verdict" "$(sed -n '1d; /^$/q; p' "$work/explained" | tr '\n' ' ')" '  it is that of explain'
expect 0 'one variant' "$WHYFAST" lines "$recorded" gemm/8
hot=$(wc -l <"$work/out")
prints 'below 1 % are left out; --all shows them.' '  has its hot lines'
prints ' 141  1.67  33.55M ' '  such as the one with conflicts'
lacks "$work/out" 'now ^= 1;' '  but not a cold one'
expect 0 'with --all' "$WHYFAST" lines "$recorded" gemm/8 --all
prints 'now ^= 1;' '  the cold ones, too'
lacks "$work/out" 'left out' '  nothing is left out'
is "$([ "$hot" -lt "$(wc -l <"$work/out")" ] && echo more)" more '  which is longer'
expect 0 'sectors beyond the ideal' env COLUMNS=250 "$WHYFAST" lines "$recorded" gemm/8
contains "$work/out" 'lanes  uncoalesced  ' '  are a column where there are any'
expect 0 '  and where all are used' env COLUMNS=250 "$WHYFAST" lines "$recorded" gemm/11
is "$(grep -c uncoalesced "$work/out")" 0 '  they are not'
expect 0 'bank maps' "$WHYFAST" lines "$recorded" gemm/8 --banks
is "$(grep -c '^at kernels/gemm/classic.h:141$' "$work/out")" 2 '  name the line of the reads'
is "$(grep -c '^at kernels/gemm/classic.h:126, 127, 128, 129$' "$work/out")" 1 \
    '  and the lines of a write'
none "$(sed 's/[\xC2-\xF4][\x80-\xBF]*/./g' "$work/out" | looked awk 'length($0) > 80')" \
    '  in 80 columns'
expect 0 'bank maps as CSV' "$WHYFAST" lines "$recorded" gemm/8 --banks --csv
is "$(head -n 1 "$work/out")" \
    'family,variant,size,block,sweep,device,launch,access,name,kind,width_bytes,lines,executions,wavefronts,ideal,lane,address,bank,wavefront' \
    '  have a header'
is "$(sed -n 3p "$work/out")" \
    'gemm,08_double_buffer,2048x2048x2048,256,0,0,0,1,reads of B,load,16,kernels/gemm/classic.h:141,8388608,8,4,1,32,8,0' \
    '  a row for each lane'
expect 2 'bank maps of instructions' "$WHYFAST" lines "$recorded" gemm/8 --banks --sass
says 'lines: --banks shows no lines, to which --sass,' '  are refused'
expect 0 'those of two kernels' "$WHYFAST" lines "$recorded" gemm/8 gemm/11 --banks --csv
is "$(grep -c '^family,' "$work/out")" 1 '  have one header'

# as_json ARGUMENT...: passes if JSON has the names of the columns and the rows of CSV.
as_json() {
    "$WHYFAST" lines "$recorded" "$@" --csv >"$work/csv" 2>/dev/null
    "$WHYFAST" lines "$recorded" "$@" --json >"$work/json" 2>/dev/null
    is "$(grep -c '"family":' "$work/json") $(sed 1d "$work/json" | head -n 1 |
        grep -o '"[a-z_0-9]*":' | tr -d '":' | tr '\n' ',')" \
        "$(sed 1d "$work/csv" | wc -l) $(head -n 1 "$work/csv")," "JSON of $*"
    is "$(wc -c <"$work/csv" | awk '{ print ($1 > 1000) }')" 1 '  of some rows'
}
as_json gemm/8
as_json gemm/8 gemm/11 --sass --metric ways,reason
as_json gemm/8 gemm/11 --banks
expect 0 'a kernel of a library, which has no lines, as JSON' "$WHYFAST" lines "$recorded" gemm/90 --json
expect 4 'no bank map as JSON' "$WHYFAST" lines "$recorded" gemm/01 --banks --json
is "$(tr -d '\n' <"$work/out")" '{"schema":"whyfast.lines.banks/1","lanes":[]}' '  is an empty list'
finish
