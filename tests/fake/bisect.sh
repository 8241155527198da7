#!/bin/sh
# Tests 'whyfast bisect' on a repository of 40 commits, in which four kernels become slower: by the
# type of an index, a loop that is no longer unrolled, a bank conflict, and a spill. nvcc makes the
# machine code; a program that stands in for one on a GPU (watched.c) gives the times.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"
nvcc=$(sed -n 's/^NVCC := //p' "$ROOT/build/config.mk")
if [ ! -x "$nvcc" ]; then
    skip 'there is no nvcc'
    finish
fi
mkdir "$work/cache" "$work/tmp" "$work/tree"
cd "$work/tree" || exit 1
export CACHE="$work/cache" COMPILER="$nvcc" WATCHED="$BUILD/fake/watched" TMPDIR="$work/tmp"
# The same source is compiled once. The program is slow where the index is too wide.
cat >build.sh <<'CODE'
set -e
echo "$PWD" >>"$CACHE/builds"
made=$CACHE/$(cksum <kernels.cu | tr ' ' -)
if [ ! -e "$made" ]; then
    "$COMPILER" -arch=sm_90 -cubin -o "$made.part" kernels.cu
    mv "$made.part" "$made"
fi
slow=
! grep -q 'long long i' kernels.cu || slow=slow
printf '#!/bin/sh\nexec %s %s "$@"\n' "$WATCHED" "$slow" | cat - "$made" >bench
chmod +x bench
CODE
. "$ROOT/tests/tools/bisect_tree.sh"

# bisect GOOD BAD OPTION...: asks about the repository.
bisect() {
    good=$1
    bad=$2
    shift 2
    rm -f "$work/cache/builds"
    fake bisect --good "$good" --bad "$bad" --build 'sh build.sh' "$@" -- ./bench
}
# clean NAME: passes if nothing is left behind.
clean() { is "$(ls "$work/tmp"; git worktree list | sed 1d; git status --short)" '' "$1"; }
# changed: prints the subjects of the commits that change the machine code.
changed() { sed -n '/^commit,/,$p' "$work/out" | awk -F , '$2 == "changed" { print $5 }' | tr '\n' ';'; }

# ---- without a GPU -------------------------------------------------------------------------------

bisect c0 c40 --dry-run --csv
ends 0 'the commits of a repository'
is "$(sed 1d "$work/out" | wc -l)" 41 '  are listed'
is "$(changed)" \
    'Use wide indices;Shorten the code;Save shared memory;Ask for more blocks;' \
    '  four change the machine code'
is "$(grep -c ',absent,.*cannot be built' "$work/out")" 2 '  two cannot be built'
contains "$work/out" '"add(float*): ' '  of one, the kernel is told'
contains "$work/out" ' LDL' '  and that it spills'
is "$(wc -l <"$work/cache/builds")" 41 '  each is built once'
clean '  nothing is left'
bisect c0 c40 --dry-run
contains "$work/out" '40 commits, 40 looked at: 4 with other machine code than the one before, 2 without any' \
    '  which is said'
lacks "$work/out" 'Write line' '  and the others are not shown'
bisect c0 c40 --dry-run --csv --kernel '^transpose'
is "$(changed)" 'Save shared memory;' 'one kernel is changed by one commit'
bisect c10 c15 --dry-run --json
ends 0 'as JSON'
json_valid "$work/out"
# shellcheck disable=SC2016 # for the shell that builds
fake bisect --good c24 --bad c26 --dry-run --csv --kernel '^transpose' \
    --build 'mkdir -p out && "$COMPILER" -arch=sm_90 -c -o out/kernels.o kernels.cu' -- true
is "$(changed)" 'Save shared memory;' 'objects are read if the program has no machine code'
FAKE_DEVICES=0
export FAKE_DEVICES
bisect c24 c26
ends 3 'without a GPU'
contains "$work/out" 'Save shared memory' '  the commits are listed'
contains "$work/err" 'no GPU here to measure which' '  and what is missing is said'
bisect c26 c33
ends 0 '  equal machine code needs none'
unset FAKE_DEVICES

# ---- with one ------------------------------------------------------------------------------------

bisect c0 c40 --kernel add -o "$work/run"
ends 1 'a slower commit'
id=$(git rev-parse --short c8)
contains "$work/out" "The first slower commit is $id: Use wide indices" '  is found'
contains "$work/out" "A is $(git rev-parse --short c7) (watched), B is $id (watched_after)." \
    '  it is compared with the one before'
contains "$work/out" 'Their results are equal.' '  with its results'
contains "$work/out" 'slower' '  and is slower'
contains "$work/out" '2 comparisons measured' '  machine code decides all but the ends'
is "$(ls "$work/run/run.txt")" "$work/run/run.txt" '  the run is kept'
clean '  nothing else is left'
touch "$work/blocked.part"
bisect c0 c8 --kernel add --no-counters -o "$work/blocked"
ends 5 'a last comparison that cannot write its run'
contains "$work/out" "The first slower commit is $id: Use wide indices" '  does not lose what is found'
rm "$work/cache/builds"
# shellcheck disable=SC2016 # for the shell that builds
fake bisect --good c0 --bad c8 --kernel add \
    --build 'sh build.sh && [ "$(grep -c /before "$CACHE/builds")" -lt 2 ]' -- ./bench
ends 7 'a last build that fails'
contains "$work/out" "The first slower commit is $id: Use wide indices" '  does not lose it, either'
contains "$work/err" "$(git rev-parse --short c7): it cannot be built" '  and is told'
contains "$work/out" "$(git rev-parse --short c7) " '  of a commit that is listed as before'
bisect c0 c40 --no-counters
ends 1 'all kernels'
contains "$work/out" ': Use wide indices' '  the first of four commits with other machine code is found'
is "$(sed -n 's/.* \([0-9]*\) comparisons measured.*/\1/p' "$work/out" |
    awk '{ print ($1 > 3 && $1 <= 8 ? "few" : $1) }')" few '  in few comparisons'

bisect c0 c20 --kernel add
ends 7 'a bad end that cannot be built'
contains "$work/err" "$(git rev-parse --short c20): it cannot be built" '  is said'
bisect c24 c33 --no-counters
ends 0 'machine code that takes as long'
contains "$work/out" "$(git rev-parse --short c33) is not slower than $(git rev-parse --short c24)." \
    '  is not slower'
bisect c0 c8 --kernel add --csv
ends 1 'as CSV'
is "$(sed -n 's/,1$//p' "$work/out" | cut -d , -f 2-5)" 'changed,slower,time,Use wide indices' \
    '  the commit is marked'
# The commits from 5 to 8 cannot be built but for the last one.
git checkout -q -b gap c7
sed -i '1i #error' kernels.cu
git -c user.name=x -c user.email=x@localhost commit -q -a -m 'Break what was mended'
sed -i '1d; s/for (int i = blockIdx/for (long long i = blockIdx/' kernels.cu
git -c user.name=x -c user.email=x@localhost commit -q -a -m 'Mend it otherwise'
bisect c7 gap --kernel add
ends 1 'a slower commit behind one that cannot be built'
contains "$work/out" "is $(git rev-parse --short gap) or the one before it, which was skipped" \
    '  may be either'
bisect c0 c8 --kernel nothing
ends 7 'a kernel that is not there'
contains "$work/err" 'what is built has no machine code of such a kernel' '  is told'
git checkout -q c8

# ---- what is refused -----------------------------------------------------------------------------

bisect c8 c0 --dry-run
ends 2 'revisions in the wrong order'
contains "$work/err" 'bisect: c8 is no ancestor of c0' '  are told'
bisect c8 c8 --dry-run
ends 2 'one commit'
bisect c8 nowhere --dry-run
ends 4 'no revision'
bisect c0 c8 --kernel '(' --dry-run
ends 2 'no regular expression'
fake bisect --good c0 --bad c8 -- ./bench
ends 2 'no build'
touch "$work/file"
bisect c0 c8 -o "$work/file"
ends 5 'an output that is a file'
result "$([ ! -e "$work/cache/builds" ]; echo $?)" '  is refused before anything is built'
mkdir "$work/run/below"
(cd "$work/run/below" && ! "$program" bisect --good c0 --bad c8 --build true -o .. -- ./bench) \
    >"$work/out" 2>"$work/err"
contains "$work/err" 'is or holds the current directory' 'an output that holds the current directory'
rmdir "$work/run/below"

# ---- an interruption -----------------------------------------------------------------------------

# shellcheck disable=SC2016 # for the shell that builds
"$program" bisect --good c0 --bad c8 \
    --build 'sleep 100 & echo $! >"$CACHE/child" && touch "$CACHE/begun" && wait' -- ./bench \
    >"$work/out" 2>"$work/err" </dev/null &
waiting=$!
seconds=0
until [ -e "$work/cache/begun" ] || [ $seconds -ge 60 ]; do sleep 1; seconds=$((seconds + 1)); done
result "$([ -e "$work/cache/begun" ]; echo $?)" 'a build begins within a minute'
kill -TERM $waiting
status=0
wait $waiting || status=$?
ends 130 'a search that is ended'
clean '  leaves nothing behind'
is "$(cat "/proc/$(cat "$work/cache/child")/cmdline" 2>/dev/null | tr '\0' ' ')" '' \
    '  and nothing of the build running'
finish
