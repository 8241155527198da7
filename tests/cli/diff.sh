#!/bin/sh
# Tests 'whyfast diff' without a GPU: what it refuses, what it compiles, and what it says of a run
# that stands in for one of two versions. tests/fake/diff.sh starts programs.
. "${ROOT:-.}/tests/tap.sh"
cd "$work" || exit 1

# ---- the answer ----------------------------------------------------------------------------------

# The program that measures is a script: it makes a run of which one kernel is that of A, and
# another that of B, out of the run of the tests.
mkdir bin
cp "$WHYFAST" bin/whyfast
sh "$ROOT/tools/unpack_run.sh" "$ROOT"/tests/fixture/*/ raw
rm raw/trace*.csv raw/activities.csv
cat >bin/whyfast-gpu <<'CODE'
#!/bin/sh
[ -z "${FAILS:-}" ] || exit "$FAILS"
rm -rf made.part
mkdir made.part
old="s/^([0-9]+,)?gemm,${BEFORE:-01_naive},/\1old,${BEFORE:-01_naive},/p"
new="s/^([0-9]+,)?gemm,${AFTER:-06_wide_loads},/\1new,${AFTER:-06_wide_loads},/p"
for table in raw/*.csv; do
    case ${table##*/} in
    families.csv) sed -n '1p; s/^gemm,/old,/p' "$table"; sed -n 's/^gemm,/new,/p' "$table" ;;
    source* | ceilings.csv | stages.csv) cat "$table" ;;
    lines.csv) cat "$table"; sed '1d; s/^/9/' "$table" ;;
    kernels.csv) sed -nE "1p; $old" "$table"; sed -nE "$new" "$table" | sed 's/^/9/' ;;
    *) sed -nE "1p; $old" "$table"; sed -nE "$new" "$table" ;;
    esac >"made.part/${table##*/}"
done
awk -F , -v OFS=, -v blocks="${BLOCKS:-}" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "grid_blocks") at = i }
    /^new,/ && blocks { $at = blocks }
    { print }' made.part/launches.csv >launches.csv
mv launches.csv made.part
for table in variants launches; do
    [ -n "${MANY:-}" ] || break
    awk -F , '/^old,/ { old = $0 } { print }
        END { for (i = 1; i <= 70; i++) { $0 = old; sub(/,01_naive,/, ",01_naive" i ","); print } }' \
        "made.part/$table.csv" >many.csv
    mv many.csv "made.part/$table.csv"
done
if [ -n "${KNOCKED:-}" ]; then
    echo "family,variant,size,block,sweep,device,launch,symbol,knockout,status,patched,left,\
left_reason,samples,time_ns,saved_ns,low_ns,high_ns"
    echo "old,01_naive,2048x2048x2048,256,0,0,0,f,nothing,$KNOCKED"
    echo 'old,01_naive,2048x2048x2048,256,0,0,0,f,conflicts,none,0,0,,0,,,,'
    for row in 'nothing,no cost,0,0' 'conflicts,ok,9,0'; do
        echo "new,06_wide_loads,2048x2048x2048,256,0,0,0,f,$row,,15,489000,100000,99000,101000"
    done
fi >made.part/knockouts.csv
[ -s made.part/knockouts.csv ] || rm made.part/knockouts.csv
{
    sed 's/^status: .*/status: incomplete/' raw/run.txt
    printf 'diff_before: old.cu\ndiff_after: new.cu\ndiff_results: %s\n' "${RESULTS:-equal}"
    [ -z "${NAMED:-}" ] || printf 'diff_kernel_before: %s\n' "$NAMED"
} >made.part/run.txt
{
    echo 'done raw'
    for table in made.part/*.csv; do
        echo "  $(basename "$table" .csv) $(wc -c <"$table")"
    done
    echo facts
    sed 1d made.part/run.txt
} >made.part/journal.txt
eval "echo \"$PWD/made\" >&$WHYFAST_ANNOUNCE"
CODE
chmod +x bin/whyfast-gpu

expect 0 'a faster version' bin/whyfast diff old.cu new.cu
prints 'A is old.cu (old), B is new.cu (new).' '  the versions are named'
prints 'Their results are equal.' '  before the times, their results'
prints 'old/01_naive -> new/06_wide_loads' '  kernels of other names are paired if they are alone'
prints 'times as fast' '  the speed-up is told'
prints 'global L1 wavefronts' '  and its causes'
prints 'Lines with most of a cause' '  with the lines'
prints 'gemm/01_naive.cu' '  of A'
prints 'gemm/06_wide_loads.cu' '  and of B'
expect 0 '  its run' "$WHYFAST" explain made old/01_naive new/06_wide_loads
prints 'times as fast' '    can be asked again'
# Costs of both that were knocked out, of one of them, and of a launch unlike those of the program.
measured='no cost,0,0,,15,35300000,0,-1,1' vendor='absent: it is a kernel of libcublas,0,0,,0,,,,'
expect 0 'causes that were measured' env KNOCKED="$measured" bin/whyfast diff -v --knockout old.cu \
    new.cu
prints 'Measured by knock-outs; without them nothing would be inferred.' '  are told as such'
prints '0      100.0      +100.0  bank conflicts (used' '  with the costs of both versions'
lacks "$work/out" 'No cost of' '  and without a reason for a lack'
expect 0 '  as JSON' env KNOCKED="$measured" bin/whyfast diff --knockout old.cu new.cu --json
prints '"before_ns":0,"after_ns":100000,' '    too'
expect 0 'a kernel of a vendor' env KNOCKED="$vendor" bin/whyfast diff --knockout old.cu new.cu
prints 'No cost of old/01_naive was measured: it is a kernel of libcublas.' '  leaves the answer, and its reason'
prints 'times as fast' '    with the answer'
expect 0 '  as JSON' env KNOCKED="$vendor" bin/whyfast diff --knockout old.cu new.cu --json
prints '"note":"old/01_naive: it is a kernel of libcublas"' '    likewise'
expect 0 'a launch that takes another time' env KNOCKED='no cost,0,0,,15,1000000,0,-1,1' bin/whyfast \
    diff --knockout old.cu new.cu
prints 'No cost of old/01_naive was measured: the launch whose copies were timed takes 1.000 ms' \
    '  has that reason'
expect 1 'a slower version' env BEFORE=06_wide_loads AFTER=01_naive bin/whyfast diff old.cu new.cu
prints 'slower' '  is told'
expect 1 'a version that is wrong' env RESULTS='differ: argument 1 of f differs' bin/whyfast diff \
    old.cu new.cu
is "$(sed -n 2p "$work/out")" 'B is wrong: argument 1 of f differs.' '  is told before its speed'
expect 0 'two versions that write nothing' env RESULTS='absent: nothing was written' bin/whyfast \
    diff old.cu new.cu
is "$(sed -n 2p "$work/out")" 'Whether their results are equal is unknown: nothing was written.' \
    '  are not said to be equal'
expect 0 '  as JSON' env RESULTS='absent: nothing was written' bin/whyfast diff old.cu new.cu --json
says 'whether the results are equal is unknown: nothing was written' '    nor here'
expect 0 'as JSON' bin/whyfast diff old.cu new.cu --json
prints '"schema":"whyfast.explain/' '  is the answer of explain'
expect 1 '  of a wrong version' env RESULTS='differ: argument 1' bin/whyfast diff old.cu new.cu --json
says 'B is wrong: argument 1' '    is told beside it'
expect 0 'as CSV' bin/whyfast diff old.cu new.cu --csv
is "$(head -c 12 "$work/out")" 'before,after' '  has a header'
expect 7 'more kernels than are compared' env MANY=1 bin/whyfast diff old.cu new.cu
says 'old has 71 kernels; only the 64 with the most time are compared' '  are noted'
expect 7 'a kernel that A lacks' env NAMED=nothing bin/whyfast diff old.cu:nothing new.cu
says 'which kernels are to be compared? A has none; B has' '  is asked for'
expect 0 'the same kernel twice' env AFTER=01_naive bin/whyfast diff old.cu new.cu
prints 'no evidence' '  is not faster'
expect 7 '  with another grid' env AFTER=01_naive BLOCKS=77 bin/whyfast diff old.cu new.cu
says 'blocks in A and 77 in B: the problem sizes differ' '    has another problem'
for code in 1 3 7; do
    expect $code "a version that ends with $code" env FAILS=$code bin/whyfast diff old.cu new.cu
done

# ---- verify: one word and its exit code -----------------------------------------------------------

expect 0 'a faster candidate' bin/whyfast verify old.cu new.cu
is "$(sed -n 1p "$work/out")" 'faster: 0 slower, 1 faster, 0 without evidence of a difference' \
    '  is called faster'
prints 'global L1 wavefronts' '  with its causes'
prints 'Still to be gained from new/06_wide_loads: at most' '  and what could be gained'
expect 1 'a slower candidate' env BEFORE=06_wide_loads AFTER=01_naive bin/whyfast verify old.cu new.cu
expect 6 'the same kernel' env AFTER=01_naive bin/whyfast verify old.cu new.cu
expect 1 'a wrong candidate' env RESULTS='differ: argument 1 of f differs' bin/whyfast verify \
    old.cu new.cu
is "$(sed -n 1p "$work/out")" 'wrong: argument 1 of f differs' '  is called wrong'
expect 7 'another grid' env AFTER=01_naive BLOCKS=77 bin/whyfast verify old.cu new.cu
prints 'not comparable: the same machine code' '  is not comparable'
expect 0 'JSON' bin/whyfast verify old.cu new.cu --json
prints '"verdict":"faster","exit_code":0' '  has the word and the code'
prints '{"guard":"results","state":"holds"' '  and that the results are equal'
expect 7 '  of another grid' env AFTER=01_naive BLOCKS=77 bin/whyfast verify old.cu new.cu --json
expect 0 '  of results that are unknown' env RESULTS='absent: nothing was written' bin/whyfast \
    verify old.cu new.cu --json
prints '{"guard":"results","state":"unknown"' '    says so'
for code in 1 7; do
    expect $code "  of a version that ends with $code" env FAILS=$code bin/whyfast verify old.cu \
        new.cu --json
done
expect 3 'no GPU' env FAILS=3 bin/whyfast verify old.cu new.cu --json
is "$(cat "$work/out")" '' '  gives no answer'

# ---- what is refused -----------------------------------------------------------------------------

if ! has_variants; then
    skip 'whyfast-gpu was not built'
    finish
fi
expect 2 'no version' "$WHYFAST" diff --dry-run
says 'diff: expected two versions' '  is said'
for command in diff verify; do
    expect 2 "two sizes of $command" "$WHYFAST" $command --dry-run --size 1 --size 2 old.cu new.cu
    says "$command: expected one size" '  are told'
done
expect 2 'three versions' "$WHYFAST" diff --dry-run a b c
touch old.cu new.cu
expect 4 'a version that is nothing' "$WHYFAST" diff --dry-run nothing nowhere
says "there is no file, no folder and no revision of git 'nothing'" '  is said'
for command in diff verify; do
    expect 4 "a typo in a file of $command" "$WHYFAST" $command old.cu nwe.cu
    says "revision of git 'nwe.cu'; did you mean 'new.cu'?" '  is told before the missing GPU'
done
expect 4 'a typo in a file with a kernel' "$WHYFAST" diff old.cu:add nwe.cu:add
says "revision of git 'nwe.cu:add'; did you mean 'new.cu'?" '  too'
expect 2 'two reports' "$WHYFAST" diff a.ncu-rep b.ncu-rep
says 'a.ncu-rep is a report of Nsight Compute; ' '  are for other commands'
mkdir alone
cp "$WHYFAST" alone/
expect 4 'a typo without whyfast-gpu' alone/whyfast diff old.cu nwe.cu
says "there is no file 'nwe.cu'; did you mean 'new.cu'?" '  is told before that'
expect 3 'without whyfast-gpu' alone/whyfast diff old.cu new.cu
expect 4 'neither versions nor runs' "$WHYFAST" verify nothing nowhere
says 'neither nothing nor nowhere is a run, which has a run.txt' '  is said'
expect 3 'without a GPU' "$WHYFAST" diff old.cu new.cu
says 'no GPU here' '  nothing is started'
mkdir -p one/inc two empty
expect 2 'a folder without CUDA files' "$WHYFAST" diff --dry-run empty empty
says 'has no CUDA file' '  is said'
expect 2 '  and verify' "$WHYFAST" verify empty empty
says 'neither empty nor empty is a run, which has a run.txt' '    names runs, and no missing GPU'
: >one/family.c
expect 2 'the folder of a family' "$WHYFAST" diff --dry-run one two
says "'whyfast report one' compares its variants" '  has another command'
rm one/family.c
echo 'no program' >one/text
expect 4 'a file that is no program' "$WHYFAST" diff --dry-run one/text one/text
says 'can neither be started nor compiled' '  is said'
expect 2 'a file alone' "$WHYFAST" diff --dry-run one/text
says 'whyfast: one/text is no revision; name a second version' '  is said'
expect 2 'a file and a build' "$WHYFAST" diff --dry-run --build true one/text one/text
for call in 'f(1)' 'f<<<1(2)'; do
    expect 2 "the call '$call'" "$WHYFAST" diff --dry-run --call "$call" one two
    says '--call: expected KERNEL<<<GRID, BLOCK>>>(ARGUMENT, ...)' '  is refused'
done
for size in x 0 2^ 2x2 -1 1^99999999999999 4294967297^2; do
    expect 2 "the size '$size'" "$WHYFAST" diff --dry-run "--size=$size" one two
done

# ---- programs, folders and revisions -------------------------------------------------------------

printf '#!/bin/sh\n' >one/bench
cp one/bench two/bench
chmod +x one/bench two/bench
expect 0 'two programs' "$WHYFAST" diff --dry-run one/bench two/bench
is "$(cat "$work/out")" "$(printf '%s\n' version,label,call 'A,one/bench,main()' \
    'B,two/bench,main()')" '  are started as they are'
expect 0 'a program in two folders' "$WHYFAST" diff --dry-run one two -- ./bench 1
expect 0 '  that are built' "$WHYFAST" diff --dry-run one two --build 'touch built' -- ./bench
is "$(find one two -name built | wc -l)" 2 '    in each folder'
expect 7 '  and cannot be built' "$WHYFAST" diff --dry-run one two --build 'exit 1' -- ./bench
says 'one cannot be built, so there is nothing to compare' '    is said'
expect 7 '  that is missing' "$WHYFAST" diff --dry-run one two --build true -- ./none
says 'one has no ./none; --build names the command that makes it' '    is said'
expect 2 'a folder and no program' "$WHYFAST" diff --dry-run one two --build true
says "Name it behind '--'" '  is said'
git init -q tree
cd tree || exit 1
commit() { git add -A && git -c user.name=x -c user.email=x@localhost commit -q -m "$1"; }
mkdir deep
cp ../one/bench deep/bench
printf '*.txt export-ignore\n' >.gitattributes
echo needed >deep/needed.txt
commit first
cd deep || exit 1
expect 0 'a revision and the working tree' "$WHYFAST" diff --dry-run HEAD -- ./bench
prints 'B,the working tree,main()' '  in the same folder'
rm bench
expect 7 '  without a file' "$WHYFAST" diff --dry-run HEAD -- nofile.cu
says 'HEAD has no nofile.cu; --build' '    names what was typed'
expect 7 '  which lacks the program' "$WHYFAST" diff --dry-run HEAD -- ./bench
says 'the working tree has no ./bench' '  is said'
expect 0 '  and is built' "$WHYFAST" diff --dry-run HEAD --build 'git -C .. checkout -q . 2>&1 || :' \
    -- ./bench
expect 0 'two revisions' env TMPDIR=.. "$WHYFAST" diff --dry-run HEAD HEAD -- ./bench
expect 0 '  with files that no archive has' "$WHYFAST" diff --dry-run HEAD HEAD \
    --build 'test -f needed.txt' -- ./bench
is "$(git -C .. status --short)" '' '  change nothing here'
expect 2 'a revision and no program' "$WHYFAST" diff --dry-run HEAD
says "Name it behind '--'" '  is said'
expect 2 'a revision and a file' "$WHYFAST" diff --dry-run HEAD bench -- ./bench
is "$(git worktree list | wc -l)" 1 '  and nothing is left'
cd "$work" || exit 1

# ---- CUDA files ----------------------------------------------------------------------------------

nvcc=$(sed -n 's/^NVCC := //p' "$ROOT/build/config.mk")
if [ ! -x "$nvcc" ]; then
    skip 'there is no nvcc'
    finish
fi
echo '#define FACTOR 2' >one/inc/factor.h
cat >one/scale.cu <<'CODE'
#include "inc/factor.h"
__global__ void scale(float *x, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= FACTOR * a;
}
CODE
expect 4 'a file that does not exist' "$WHYFAST" diff --dry-run one/scale.cu two/none.cu
echo '__global__ void scale(float *x) { x[0] = y; }' >two/scale.cu
expect 7 'a version that does not compile' "$WHYFAST" diff --dry-run one/scale.cu two/scale.cu
says 'no program can be made of two/scale.cu, so there is nothing to compare' '  is said'
says 'identifier "y" is undefined' '  below what nvcc says'
expect 0 'two kernels of one file' "$WHYFAST" diff --dry-run one/scale.cu:scale one/scale.cu:scale
prints 'A,one/scale.cu:scale,"scale<<<(n + block - 1) / block, block>>>(array(n), 1, n), n = 8388608"' \
    '  are called by their signature, and headers beside the file are found'
says 'whyfast: --call and --size choose other calls' '  which is said'
is "$(grep -c '^whyfast: compiling ' "$work/err")" 2 '  each compiling is told once'
expect 2 '  by a call that is no code' "$WHYFAST" diff --dry-run one/scale.cu:scale one/scale.cu:scale \
    --call 'scale<<<1, 1>>>(array(n), zz, 1)'
says '--call(1): error: identifier "zz" is undefined' '    which is told'
lacks "$work/err" 'driver.cu' '    as it was typed'
expect 0 '  as JSON' "$WHYFAST" diff --dry-run --json one/scale.cu:scale one/scale.cu:scale
prints '{"version":"B","label":"one/scale.cu:scale","call":"scale<<<(n + block' '    the same'
cp one/scale.cu one/.cu
expect 0 'a file whose name is its ending' "$WHYFAST" diff --dry-run one/.cu:scale one/.cu:scale
expect 7 'a kernel that the file has not' "$WHYFAST" diff --dry-run one/scale.cu:none one/scale.cu
says 'no program can be made of one/scale.cu:none, so there is nothing to compare' '  is said'
for name in 'a"b' 'a$b' 'a,b' "a'b" 'a`b' 'a\b'; do
    cp one/scale.cu "two/$name.cu"
    expect 7 "a file named $name.cu" "$WHYFAST" diff --dry-run one/scale.cu "two/$name.cu"
    says "nvcc takes no file with quotes, '\$', '\\' or ',' in its path" '  is refused'
done
printf 'int main() { return 0; }\n' >two/main.cu
expect 7 'a kernel and a program' "$WHYFAST" diff --dry-run one/scale.cu two/main.cu \
    --call 'scale<<<1, 32>>>(array(n), 2.0f, 32)'
says 'has none, so they do different work' '  do different work'
finish
