#!/bin/sh
# Tests the example for CI, tools/ci/gate.sh, with programs that stand in for some on a GPU.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"
nvcc=$(sed -n 's/^NVCC := //p' "$ROOT/build/config.mk")
mkdir "$work/tree"
cd "$work/tree" || exit 1
export WHYFAST="$program" WATCHED="$BUILD/fake/watched" COMPILER="$nvcc"
gate() { sh "$ROOT/tools/ci/gate.sh" "$@"; }

# ---- against a run that was kept -----------------------------------------------------------------

cp "$BUILD/fake/watched" bench
expect 0 'the first run' gate baseline kept ./bench
prints 'This run is the new baseline.' '  is kept'
result "$([ -e kept/run.txt ] && [ -e kept/samples.csv.xz ]; echo $?)" '  packed'
expect 0 'the same program again' gate baseline kept ./bench
prints '**./bench: not slower**' '  is as fast'
contains junit.xml 'failures="0"' '  as JUnit says'
is "$(cat comment.md)" "$(cat "$work/out")" '  and the comment'
# Other machine code: without any, as here, time alone decides.
expect 1 'a slower one' gate baseline kept ./bench slow
prints '**./bench: slower, or wrong**' '  fails'
contains junit.xml '<failure message="slower: ' '  as JUnit says, too'
expect 3 'a program that fails' gate baseline kept ./bench exit=3
prints 'the program, or whyfast, ended with 3' '  is told'
result "$([ ! -e junit.xml ]; echo $?)" '  without the points of the job before'
expect 7 'a program that fails with 1' gate baseline kept ./bench exit=1
prints '**./bench: unknown, exit status 7**' '  is not called slower'
prints 'the program, or whyfast, ended with 1' '  and its status is told'
touch file
expect 5 'a baseline that cannot be kept' gate baseline file/kept ./bench
prints 'the run cannot be kept in file/kept' '  is told'
rm file
expect 2 'a mode that is none' gate nothing

# ---- a change ------------------------------------------------------------------------------------

if [ ! -x "$nvcc" ]; then
    skip 'there is no nvcc'
    finish
fi
git init -q .
printf '%s\n' bench kept answer.txt '*.run' comment.md junit.xml program.txt >.gitignore
cat >build.sh <<'CODE'
set -e
"$COMPILER" -arch=sm_90 -cubin -o add.cubin add.cu
word=$(sed -n 's|^// ||p' add.cu)
printf '#!/bin/sh\nexec %s %s "$@"\n' "$WATCHED" "$word" | cat - add.cubin >bench
chmod +x bench
CODE
# version SUBJECT WORD TERM: commits a kernel that adds a term.
version() {
    printf '// %s\n__global__ void add(float *x) { x[threadIdx.x] += %s; }\n' "$2" "$3" >add.cu
    git add -A
    git -c user.name=x -c user.email=x@localhost commit -q -m "$1"
}
version 'Add a kernel' '' 1
git tag base
expect 0 'no commit' gate change base 'sh build.sh' ./bench
prints 'HEAD has no commit of its own' '  is no change'
expect 4 'no base' gate change nowhere 'sh build.sh' ./bench
prints 'git finds no revision that HEAD and nowhere come from' '  is told'
is "$(cat comment.md)" "$(cat "$work/out")" '    in the comment'
version 'Say the same' '' '1.0f'
expect 0 'equal machine code' gate change base 'sh build.sh' ./bench
prints 'the machine code of the kernels is the same' '  is as fast'
version 'Change the sum' '' 2
expect 0 'other machine code' gate change base 'sh build.sh' ./bench
prints 'Their results are equal.' '  is measured, with its results'
version 'Print another sum' say=other 3
expect 1 'wrong results' gate change base 'sh build.sh' ./bench
prints 'B is wrong' '  are told'
version 'Be slow' slow 4
version 'Stay slow' slow 5
expect 1 'slower machine code' gate change base 'sh build.sh' ./bench
prints ": Be slow" '  is told with the commit'
result "$([ -e slower.run/run.txt ]; echo $?)" '  and its run is kept'
finish
