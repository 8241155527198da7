#!/bin/sh
# Tests `whyfast diff` on a GPU with pairs of files of different kinds (tests/gpu/diff/), a revision
# against the working tree, and two executables. Each must be answered in 20 s beside compiling.
. "${ROOT:-.}/tests/gpu/programs.inc"
pairs=$work/pairs
cp -R "$ROOT/tests/gpu/diff" "$pairs"
# made FROM TO EXPRESSION: makes a version that differs from another one in this alone.
made() { sed "$3" "$pairs/$1.cu" >"$pairs/$2.cu" && ! cmp -s "$pairs/$1.cu" "$pairs/$2.cu" || exit 1; }
made main_a main_b 's/tile\[32\]\[32\]/tile[32][33]/' # a column more, without conflicts
made main_a size_b 's/4096/2048/'
made barrier_a barrier_b 's/__syncthreads/__syncwarp/' # neighbours are in one warp
made spill_a spill_b 's/(256, 8)/(256)/'               # as many registers as it needs
made alone_b wrong_b 's|i < n|i < n / 2|'
made alone_b failing_b 's/out\[i\]/out[i + (1ll << 40)]/' # where there is no memory
made alone_b broken_b '/const int i/d'
MOST_SECONDS=${MOST_SECONDS:-20}
export COLUMNS=160

# ask STATUS NAME ARGUMENT...: compares two versions. Prints the first lines of the answer, and how
# long it took without compiling.
ask() {
    wanted=$1
    name=$2
    shift 2
    rm -rf run
    begun=$(now)
    timeout 300 "$WHYFAST" diff --dry-run "$@" >plan 2>/dev/null
    compiling=$(passed "$begun")
    begun=$(now)
    status=0
    timeout 300 "$WHYFAST" diff -o run "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    seconds=$(awk -v a="$(passed "$begun")" -v b="$compiling" 'BEGIN { printf "%.1f", a - b }')
    result "$([ "$status" -eq "$wanted" ]; echo $?)" "$name" ||
        explain "status $status instead of $wanted; $(tail -n 5 "$work/err")"
    explain "$seconds s beside $compiling s of compiling; $(sed -n '1,12p' "$work/out")" || :
    awk -v s="$seconds" -v most="$MOST_SECONDS" 'BEGIN { exit s > most }'
    result $? "  is answered in $MOST_SECONDS s" || explain "$seconds s"
}
# faster WORDS: passes if the answer says that B is faster, and these words.
faster() {
    prints 'Their results are equal.' '  with equal results'
    grep -qE 'times as fast .*, faster;' "$work/out"
    result $? '  B is faster'
    [ $# -eq 0 ] || prints "$1" "  and says $1"
    prints 'stall' '  with the lines of both'
}

ask 0 'own main(): a transposition with and without bank conflicts' "$pairs/main_a.cu" \
    "$pairs/main_b.cu"
faster 'conflict'
ask 0 'kernels alone: a copy by neighbours' "$pairs/alone_a.cu" "$pairs/alone_b.cu"
faster
ask 0 'templates with two instantiations' "$pairs/template_a.cu" "$pairs/template_b.cu"
faster
is "$(column run/variants.csv family | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" '2 2 ' \
    '  which are kernels each'
ask 0 'half precision' "$pairs/half_a.cu" "$pairs/half_b.cu"
faster
ask 0 'two kernels each' "$pairs/two_a.cu" "$pairs/two_b.cu"
is "$(sed -nE 's/^ .*  ([a-z ]+: two_a.* -> two_b.*)$/\1/p' "$work/out")" \
    'faster: two_a/sums -> two_b/sums
no evidence: two_a/scale -> two_b/scale' '  are two rows, and the kernel that is the same is not faster'
ask 0 'one kernel of two' "$pairs/two_a.cu:sums" "$pairs/two_b.cu:sums"
faster
ask 0 'a structure as a parameter' "$pairs/struct_a.cu" "$pairs/struct_b.cu" --size 2^24 \
    --call 'stencil<<<(n + 255) / 256, 256>>>(array(n), array(n), parameters{(int)n, {1, 2, 3}})'
prints 'Their results are equal.' '  with equal results'
ask 0 'vectors of indices' "$pairs/gather.cu" "$pairs/gather.cu"
prints 'Their results are equal.' '  are below the number of elements'
ask 1 'a version that is faster because it is wrong' "$pairs/alone_a.cu" "$pairs/wrong_b.cu"
is "$(sed -n 2p "$work/out" | cut -c 1-36)" 'B is wrong: argument 1 of copy diffe' \
    '  is said before any speed'
ask 1 'a version that fails' "$pairs/alone_a.cu" "$pairs/failing_b.cu"
says 'failing_b.cu) ends with status 3: copy fails: ' '  is said with the reason'
ask 7 'a version that does not compile' "$pairs/alone_a.cu" "$pairs/broken_b.cu"
grep -q 'no program can be made of .*broken_b.cu, so there is nothing to compare' "$work/err"
result $? '  is said'
ask 7 'another problem size' "$pairs/main_a.cu" "$pairs/size_b.cu"
says 'the problem sizes differ' '  is said'
ask 0 'the same file twice' "$pairs/main_a.cu" "$pairs/main_a.cu"
prints 'no evidence' '  there is no evidence of a difference'
ask 1 'a slower version' "$pairs/main_b.cu" "$pairs/main_a.cu"
prints 'Their results are equal.' '  with equal results'

# ---- knock-outs ----------------------------------------------------------------------------------

# knocked NAME A B TITLE...: compares two versions with knock-outs: of both the costs of these titles
# must be measured and used.
knocked() {
    name=$1 a=$2 b=$3
    shift 3
    MOST_SECONDS=40
    ask 0 "$name, with knock-outs" "$pairs/$a" "$pairs/$b" --knockout
    faster
    for title; do
        grep -q " $title (used" "$work/out"
        result $? "  $title were measured in both versions"
    done
    is "$(grep 'No cost of' "$work/out")" '' '  and both could be knocked out'
}
knocked 'a transposition with and without bank conflicts' main_a.cu main_b.cu 'bank conflicts'
knocked 'barriers of the block and of the warp' barrier_a.cu barrier_b.cu barriers
knocked 'too few registers and enough' spill_a.cu spill_b.cu

# ---- executables, revisions ----------------------------------------------------------------------

compile -o old "$pairs/main_a.cu" && compile -o new "$pairs/main_b.cu"
ask 0 'two executables' ./old ./new
faster 'conflict'
mkdir tree
cd tree || exit 1
git init -q .
cp "$pairs/main_a.cu" main.cu
cp "$pairs/main.cuh" .
git add -A && git -c user.name=x -c user.email=x@localhost commit -q -m first
cp "$pairs/main_b.cu" main.cu
ask 0 'a file in a revision and in the working tree' HEAD -- main.cu
faster 'conflict'
ask 0 'a program in both, which is built' HEAD --build "$(command -v nvcc) -std=c++17 -O3 -lineinfo \
    -arch=native -o bench main.cu" -- ./bench
faster 'conflict'
finish
