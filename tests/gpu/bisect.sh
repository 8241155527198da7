#!/bin/sh
# Tests `whyfast bisect` on a GPU: each of four planted slow-downs is found among 40 commits with its
# cause, in at most 8 comparisons; and tools/ci/gate.sh, and the module for Python.
. "${ROOT:-.}/tests/gpu/programs.inc"
export COLUMNS=120 CACHE="$work/cache"
mkdir "$CACHE" tree
cd tree || exit 1
cat >build.sh <<'CODE'
set -e
made=$CACHE/$(cksum <kernels.cu | tr ' ' -)
[ -e "$made" ] || nvcc -std=c++17 -O3 -arch=native -o "$made" kernels.cu
cp "$made" bench
CODE
. "$ROOT/tests/tools/bisect_tree.sh"

# becomes_slower KERNEL SUBJECT CAUSE: finds the commit that made a kernel slower.
becomes_slower() {
    begun=$(now)
    status=0
    timeout 600 "$WHYFAST" bisect --good c0 --bad c40 --kernel "^$1" --build 'sh build.sh' \
        -o "$work/$1.run" -- ./bench >"$work/out" 2>"$work/err" </dev/null || status=$?
    is "$status" 1 "$1 became slower" || explain "$(tail -n 5 "$work/err")"
    explain "in $(passed "$begun") s: $(cut -c 1-150 "$work/out" | head -n 60)" || :
    prints ": $2" '  by this commit'
    is "$(sed -n 's/.* \([0-9]*\) comparisons measured.*/\1/p' "$work/out" |
        awk '{ print $1 <= 8 ? "few" : $1 }')" few '  in few comparisons'
    prints "$3" '  for this reason'
}
becomes_slower add 'Use wide indices' 'instructions'
becomes_slower sum 'Shorten the code' 'latency'
becomes_slower transpose 'Save shared memory' 'bank conflicts'
becomes_slower spread 'Ask for more blocks' 'local memory'
expect 0 'equal machine code is not measured' timeout 300 "$WHYFAST" bisect --good c26 --bad c33 \
    --build 'sh build.sh' -- ./bench
prints 'the machine code of the kernels is the same' '  which is said'
expect 1 'all kernels' timeout 600 "$WHYFAST" bisect --good c0 --bad c40 --build 'sh build.sh' \
    -- ./bench
prints ': Use wide indices' '  the first commit of all'
is "$(git worktree list | wc -l) $(git status --short)" '1 ' 'nothing is left behind'

# ---- the gate ------------------------------------------------------------------------------------

gate() { timeout 600 sh "$ROOT/tools/ci/gate.sh" "$@" </dev/null; }
export WHYFAST
git checkout -q c26
expect 1 'a change that is slower' gate change c22 'sh build.sh' ./bench
prints ': Save shared memory' '  is told with its commit'
sh build.sh
expect 0 'a baseline' gate baseline ../kept ./bench
expect 0 '  that is the same' gate baseline ../kept ./bench
git checkout -q c34 && sh build.sh
expect 1 '  that is slower' gate baseline ../kept ./bench
explain "$(grep -E 'testcase|failure|skipped' junit.xml | cut -c 1-200)" || :

# ---- Python --------------------------------------------------------------------------------------

cat >called.py <<'CODE'
import os
def old(): os.execv(os.environ["CACHE"] + "/old", ["old"])
def new(): os.execv(os.environ["CACHE"] + "/new", ["new"])
CODE
git checkout -q c24 && sh build.sh && cp bench "$CACHE/old"
git checkout -q c25 && sh build.sh && cp bench "$CACHE/new"
PYTHONPATH=$ROOT/tools/python:$PWD timeout 300 python3 -c 'import called, whyfast
print(repr(whyfast.diff(called.old, called.new, "--kernel=^transpose", calls=1)))' \
    >"$work/out" 2>"$work/err" </dev/null
prints 'bank conflicts' 'two callables' || explain "$(tail -n 5 "$work/err")"
finish
