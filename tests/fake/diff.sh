#!/bin/sh
# Tests 'whyfast diff' with programs that write what the injected library would (watched.c): that
# both are started in turn in one run, and the exit statuses.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"
cd "$work" || exit 1
cp "$BUILD/fake/watched" old
cp "$BUILD/fake/watched" new

# compare_them ARGUMENT...: compares the two programs with these arguments; a:WORD and b:WORD are
# for one of them. Does it with $option, if it is set.
option=
compare_them() {
    rm -rf run
    fake diff -q $option -o run ./old ./new -- "$@"
}

# ---- one run of both -----------------------------------------------------------------------------

compare_them
ends 0 'two programs that are the same'
all_closed '  leave nothing open'
is "$(column run/families.csv family | tr '\n' ' ')" 'watched watched_after ' \
    '  are two families of one run'
is "$(column run/series.csv family variant copy samples | grep -c 'add.[ab].20')" 4 \
    '  each with two starts'
is "$(column run/counters.csv family variant status | sed -n 's/.add\t/ /p' | sort -u |
    tr '\n' ' ')" 'watched ok watched_after ok ' '  and with all counters'
is "$(sed -n 's/^program: //p' run/run.txt)" './old and ./new in turn' '  the run tells them'
is "$(sed -n 's/^diff_results: //p' run/run.txt)" equal '  and that their results are equal'
is "$(sed -n '1,2p' "$work/out")" "A is ./old (watched), B is ./new (watched_after).
Their results are equal." '  which is printed first'
contains "$work/out" 'watched/product' '  kernels are paired by their names'
contains "$work/out" 'no evidence' '  nothing is slower'
is "$(ls -d "${TMPDIR:-/tmp}"/whyfast-*/both 2>/dev/null)" '' '  and no program is left behind'
rm -rf run
fake verify -q -o run ./old ./new
ends 6 'verify of the same'
is "$(sed -n '1s/: .*//p' "$work/out")" 'no evidence' '  says so in one word'
# A program that measures, announces the run, and fails nevertheless.
mkdir failing
cp "$program" failing/whyfast
printf '#!/bin/sh\n"%s-gpu" "$@"\nexit 7\n' "$program" >failing/whyfast-gpu
chmod +x failing/whyfast-gpu
rm -rf run
status=0
failing/whyfast verify -q -o run ./old ./new --json >"$work/out" 2>"$work/err" || status=$?
ends 6 'a run that is announced by a program that fails'
json_valid "$work/out"

for version in old new; do
    printf '#!/bin/sh\necho x >>%s/%s.log\nexec %s/%s "$@"\n' "$work" $version "$work" $version \
        >counted_$version
done
chmod +x counted_old counted_new
rm -rf run
fake diff -q -o run ./counted_old ./counted_new
ends 0 'two programs that count their starts'
starts=$(sed -n 's/^program_starts: //p' run/run.txt)
is "$(cat old.log new.log | wc -l)" "$((starts + 4))" \
    '  start together once alone, and for times; else the one whose kernels are counted'

compare_them b:slow
ends 1 'a slower version'
contains "$work/out" 'watched/add takes 100.0 µs in A, watched_after/add takes 150.0 µs in B' \
    '  is told with its times'
compare_them slow
ends 0 'two slow versions'
compare_them slow b:say=other
ends 1 'a version that prints something else'
is "$(sed -n 2p "$work/out")" "B is wrong: line 2 of the output is '' in A and 'other' in B." \
    '  is told before the times'
compare_them random
ends 0 'lines that differ from start to start are no results'
compare_them a:say='took 3 ms' b:say='took 2 ms'
ends 0 '  nor are times'
printf '#!/bin/sh\n"%s/old" "$@" >/dev/null\n' "$work" >silent
chmod +x silent
cp silent silent_too
rm -rf run
fake diff -q -o run ./silent ./silent_too
ends 0 'two programs that print nothing'
is "$(sed -n 's/^diff_results: //p' run/run.txt)" 'absent: nothing was written that can be compared' \
    '  have no results'
is "$(sed -n 2p "$work/out")" \
    'Whether their results are equal is unknown: nothing was written that can be compared.' \
    '  which is said'
compare_them a:say='sum 1.000001' b:say='sum 1.000002'
ends 0 '  numbers may differ a little'
compare_them a:say='sum 1.01' b:say='sum 1.02'
ends 1 '  but not more'
rm -rf run
fake diff -q -o run --no-compare ./old ./new -- b:say=other
ends 0 '  unless they are not compared'

# ---- kernels -------------------------------------------------------------------------------------

compare_them b:renamed
ends 0 'a kernel with another name'
contains "$work/out" 'watched_after/add_all' '  is paired by its grid'
rm -rf run
fake diff -q -o run ./old:mul ./new:add
ends 1 'kernels that are named'
contains "$work/out" 'watched_after/add takes' '  are compared'
rm -rf run
"$program" diff -o run ./old:tiny ./new:tiny >"$work/out" 2>"$work/err" </dev/null
status=$?
ends 7 '  and launched too rarely for an interval'
contains "$work/out" 'watched_after/tiny' '    are those that are compared'
is "$(grep -cE 'output/|--once' "$work/err")" 0 '  no file is named that is removed'
compare_them random
is "$(grep -c 'output/' run/run.txt "$work/err" | tr '\n' ' ')" "run/run.txt:0 $work/err:0 " \
    '  nor where starts differ'
compare_them b:larger
ends 0 'another grid of one name is the same kernel'
compare_them b:none
ends 1 'a version that launches no kernel'
contains "$work/err" 'watched alone ran kernels to their end' '  is told'
compare_them none
ends 3 'two versions that launch no kernel'
contains "$work/err" 'the two versions launched no kernel' '  are told'

# ---- knock-outs ----------------------------------------------------------------------------------

# knocked: prints which costs were measured of which kernel, and why others were not.
knocked() {
    column run/knockouts.csv family variant knockout status | tr '\t' ' ' |
        grep -E ' (nothing|barriers|conflicts) ' | sort | tr '\n' ';'
}
other='absent: other pairs of kernels take more time and changed more'
option=--knockout
compare_them
ends 0 'costs of kernels whose machine code is not known'
is "$(knocked | tr ';' '\n' | grep -c "absent: its machine code was not found")" 2 \
    '  have that reason, of both versions'
is "$(knocked | tr ';' '\n' | grep -c "$other")" 4 '  and the kernels of other pairs another one'
rm -rf run
fake diff -q -o run --knockout --no-counters ./old ./new
ends 2 'knock-outs without counters'
says '--knockout needs the counts of instructions, which --no-counters leaves out' '  are refused'

nvcc=$(sed -n 's/^NVCC := //p' "$ROOT/build/config.mk")
cat >kernels.cu <<'CODE'
__global__ void add(float *x)
{
    __shared__ float tile[1024];
    tile[threadIdx.x * 32 % 1024] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[(threadIdx.x + 1) * 32 % 1024];
}
CODE
if [ ! -x "$nvcc" ] || ! "$nvcc" -cubin -arch=sm_90 -o add.cubin kernels.cu; then
    skip 'there is no nvcc'
else
    for word in a:vendor x; do
        compare_them cubin=add.cubin b:say=other $word
        ends 1 "costs of both versions are measured, with $word"
        is "$(sed -n 2p "$work/out")" "B is wrong: line 2 of the output is '' in A and 'other' in B." \
            '  after the results, which the programs then do not write'
        old='watched add barriers ok;watched add conflicts none;watched add nothing no cost;'
        new=$(echo "$old" | sed 's/watched/&_after/g')
        [ "$word" = x ] || old='watched add nothing absent: it is a kernel of libcublas;'
        is "$(knocked | sed 's/[^;]* \(mul-float\|product\) [^;]*;//g')" "$old$new" \
            '  of the pair with the most time'
        is "$(sed -n 's/^program_repeats: \([a-z]*\).*/\1/p' run/run.txt)" yes \
            '  and the starts that end early are not compared with others'
    done
fi
option=

# ---- failures ------------------------------------------------------------------------------------

compare_them b:exit=3
ends 1 'a version that fails'
contains "$work/err" 'B (./new) ends with status 3; its speed does not matter' '  is told'
compare_them b:exit=139
ends 1 'a version that crashes'
contains "$work/err" 'B (./new) is killed by signal 11' '  is told'
compare_them exit=3
ends 7 'two versions that fail'
contains "$work/err" 'A (./old) ends with status 3, so there is nothing to compare with' '  are told'
is "$(ls -d run run.part 2>/dev/null)" '' '  and leave no run'

printf '#!/bin/sh\necho $$ >%s/pid\nexec sleep 100\n' "$work" >sleeper
chmod +x sleeper
"$program" diff -q -o run ./sleeper ./new >"$work/out" 2>"$work/err" </dev/null &
waiting=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -s pid ] || sleep 0.5
done
kill -TERM $waiting
status=0
wait $waiting || status=$?
ends 130 'a comparison that is ended'
for _ in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$(cat pid)" 2>"$work/err" && sleep 0.5
done
contains "$work/err" 'No such process' '  ends the program that runs'
finish
