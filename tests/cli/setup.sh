#!/bin/sh
# Tests what make and tools/setup.sh do before anything is built: goals that do not exist, and
# SETUP=no, which forbids to install and to fetch.
. "${ROOT:-.}/tests/tap.sh"
unset MAKEFLAGS MAKELEVEL MFLAGS CC CXX GNUPLOT PROVE

# A package manager that only remembers that it was called, and what setup.sh itself needs.
mkdir "$work/bin"
for tool in awk cat cut dirname grep head id mkdir mktemp mv readlink rm sed sh tail tr uname; do
    ln -s "$(command -v $tool)" "$work/bin/"
done
printf '#!/bin/sh\necho "$*" >>"%s"\n' "$work/called" >"$work/bin/apt-get"
printf '#!/bin/sh\n[ "$1" = -n ] || exec "$@"\n' >"$work/bin/sudo"
chmod +x "$work/bin/apt-get" "$work/bin/sudo"
setup() { env PATH="$work/bin" "$@" sh "$ROOT/tools/setup.sh" "$work/made/config.mk" replay; }

expect 1 'a machine without tools' setup SETUP=no
says 'setup: missing: cc sqlite gnuplot xz; SETUP=no forbids to install; as root: apt-get update' \
    '  is told what is missing, and the command to type'
result "$([ ! -e "$work/called" ]; echo $?)" '  the package manager is not called'
expect 1 'without SETUP=no' setup SETUP=
contains "$work/called" 'install -y --no-install-recommends gcc libc6-dev' '  it is'
says 'still missing after the installation: cc sqlite gnuplot xz' '  which does not help here'

for goal in reprot build/replay/whyfast build/whyfats; do
    expect 2 "make $goal" make -C "$ROOT" "$goal"
    says "there is no goal '$goal'; 'make help' lists them, and nothing was installed" '  says so'
    lacks "$work/err" SETUP '  before anything is looked for'
done
expect 0 'make help' make -s -C "$ROOT" help
prints 'SETUP=no installs and fetches nothing' '  names SETUP'
if command -v tidy >/dev/null && command -v prove >/dev/null && command -v zstd >/dev/null; then
    expect 0 'without CUDA' env SETUP=no WHYFAST_HIDE_CUDA=1 sh "$ROOT/tools/setup.sh" \
        "$work/cuda/config.mk" full
    says 'no CUDA toolkit (SETUP=no forbids to fetch one): building for analysis only' \
        '  none is fetched, and it says so'
fi

# What make report has built without a GPU is installed as it is.
mkdir -p "$work/tree/build"
ln -s "$ROOT"/* "$work/tree/" 2>/dev/null
printf 'CC := gcc\nFOUND_FOR := replay\n' >"$work/tree/build/config.mk"
expect 0 'make install after make report' make -n -C "$work/tree" install
lacks "$work/out" tools/setup.sh '  needs no more tools'
lacks "$work/out" whyfast-gpu '  and no other program'
expect 0 'make' make -n -C "$work/tree" all
prints 'tools/setup.sh build/config.mk full' '  does'

# ---- without a toolkit ---------------------------------------------------------------------------

# On a machine without CUDA whyfast is built from the headers of the system, SQLite's and its own.
headers="-nostdinc -isystem $(${CC:-gcc} -print-file-name=include) -isystem /usr/include"
headers="$headers -isystem /usr/include/$(${CC:-gcc} -print-multiarch)"
rooms=$(sed -n '/^GPU_ROOMS/,/[^\\]$/p' "$ROOT/Makefile" | tr -d '\\\n' | sed 's/.*:= *//; s/  */|/g')
for source in "$ROOT"/harness/*/*.c; do
    room=${source%/*}
    echo "${room##*/}" | grep -qxE "$rooms|injected" || grep -lE '^#include <(cu|nv)' "$source"
done >"$work/suspects"
while read -r source; do
    # shellcheck disable=SC2086 # options
    expect 0 "without a toolkit: ${source##*/}" "${CC:-gcc}" $headers -std=c11 -D_GNU_SOURCE \
        -Wall -Wextra -Wpedantic -Werror -I"$ROOT/harness" -I"$BUILD/gen" -fsyntax-only "$source"
done <"$work/suspects"

# ---- how make runs unit tests --------------------------------------------------------------------

if [ -e "$BUILD/gen/run-test" ]; then
    run_test() { sh "$BUILD/gen/run-test" sh -c "echo 'whyfast: a warning' >&2; echo 'ok 1'; $1"; }
    expect 0 'a unit test that passes' run_test true
    is "$(cat "$work/out" "$work/err")" 'ok 1' '  is shown without messages of the modules'
    expect 3 'one that fails' run_test 'exit 3'
    says 'whyfast: a warning' '  with them'
fi
finish
