#!/bin/sh
# Tests places that cannot be written: exit 5, a message, and an unchanged earlier output.
. "${ROOT:-.}/tests/tap.sh"
quick_gnuplot

tiny_run "$work/good"
tiny_data "$work/data"
expect 0 'an earlier output' "$WHYFAST" report "$work/good" -o "$work/out dir/run"
prints "$work/out dir/run/index.html" 'the report is named on stdout'
out="$work/out dir/run"
sums "$out" >"$work/earlier"

# intact NAME: passes if the earlier output is unchanged and nothing lies beside it.
intact() {
    sums "$out" | cmp -s - "$work/earlier"
    result $? "  $1"
    is "$(ls "$work/out dir")" run '  nothing lies beside it'
}

odd="$work/it's a \"long\" \$(path) & so/d"
expect 0 'a path that a shell would change' "$WHYFAST" report "$work/good" -o "$odd"
sed -n 's/^whyfast: try next: \(.*[^ ]\)  *(.*)$/\1/p' "$work/err" >"$work/next"
is "$(wc -l <"$work/next")" 2 '  has two commands to try next'
expect 0 '  which can be pasted' sh -e "$work/next"
is "$(cat "$work/err")" '' '    and read that path'

expect 0 'the same again' "$WHYFAST" report "$work/good" -o "$out"
intact 'it is the same to the byte'

# ---- files beside and inside ---------------------------------------------------------------------

cp -r "$work/good" "$work/mine"
echo 'my notes' >"$work/mine/notes.md"
mkdir "$work/mine.old"
echo 'years of work' >"$work/mine.old/thesis.tex"
expect 0 'a run is reported in its own place' "$WHYFAST" report "$work/mine"
is "$(cat "$work/mine/notes.md")" 'my notes' '  a file of mine in it stays'
is "$(cat "$work/mine.old/thesis.tex")" 'years of work' '  files beside it stay'
mkdir "$work/mine/figures"
echo 'a picture' >"$work/mine/figures/one.svg"
expect 0 'with a directory of mine in it' "$WHYFAST" report "$work/mine"
is "$(cat "$work/mine/figures/one.svg")" 'a picture' '  that stays, too'

expect 0 'a replay' env WHYFAST_DATA="$work/data" "$WHYFAST" report --replay -o "$work/replayed"
expect 0 'reported again' "$WHYFAST" report "$work/replayed" -o "$work/again"
grep -q 'nothing was measured on this machine' "$work/again/report.md"
result $? '  still says that it is one'
expect 2 'options about measuring with a run' "$WHYFAST" report "$work/good" --size 77
says 'options about measuring do not apply' '  are refused'
expect 2 '--replay with a run' "$WHYFAST" report --replay "$work/good"
says '--replay and options about measuring do not apply' '  is refused'

# ---- foreign places ------------------------------------------------------------------------------

echo 'a file' >"$work/file"
expect 5 'the output is a file' "$WHYFAST" report "$work/good" -o "$work/file"
says "$work/file: exists and is not a directory" '  says so'
is "$(cat "$work/file")" 'a file' '  it is left alone'
# The page of a ladder that a new report lacks must not stay; a file of the user's must.
expect 0 'a report to replace' "$WHYFAST" report "$work/good" -o "$work/replaced"
cp "$work/replaced/ladder-reduce.html" "$work/replaced/ladder-gone.html"
cp "$work/replaced/ladder-reduce.js" "$work/replaced/ladder-gone.js"
echo 'mine' >"$work/replaced/notes.html"
expect 0 '  is replaced' "$WHYFAST" report "$work/good" -o "$work/replaced"
is "$(cd "$work/replaced" && ls ladder-* notes.html | tr '\n' ' ')" \
    'ladder-reduce.html ladder-reduce.js notes.html ' '  with all pages of the earlier one'
# from DIRECTORY COMMAND...: runs it there.
from() { (cd "$1" && shift && "$@"); }
mkdir "$work/replaced/deep"
sums "$work/replaced" >"$work/before"
for place in . .. "$work/replaced" deep/..; do
    at=$work/replaced
    [ "$place" != .. ] || at=$at/deep
    expect 5 "the output is $place" from "$at" "$WHYFAST" report "$work/good" -o "$place"
    says 'is or holds the current directory, which the result would replace' '  says so'
    expect 5 "a run at $place is reported in its place" from "$at" "$WHYFAST" report "$place"
    says 'is or holds the current directory, which the result would replace' '  says so'
done
sums "$work/replaced" | cmp -s - "$work/before"
result $? '  it is left alone'
ln -s replaced "$work/link"
expect 5 'the output is a symbolic link' "$WHYFAST" report "$work/good" -o "$work/link"
says "$work/link: is a symbolic link, which a result does not replace" '  says so'
expect 0 'a run that a link leads to' "$WHYFAST" report "$work/link"
prints "$work/replaced/index.html" '  is reported in its place'
is "$(readlink "$work/link")" replaced '  the link stays one'
mkdir "$work/empty"
expect 0 'an empty directory is taken' "$WHYFAST" report "$work/good" -o "$work/empty"
result "$([ -s "$work/empty/index.html" ]; echo $?)" '  and filled'
expect 0 'directories above are made' "$WHYFAST" report "$work/good" -o "$work/a/b/c/"
result "$([ -s "$work/a/b/c/index.html" ]; echo $?)" '  a slash at the end does not matter'

# ---- permissions, which root does not feel -------------------------------------------------------

# limited COMMAND...: runs it as a user who may not write everywhere.
if [ "$(id -u)" -ne 0 ]; then
    limited() { "$@"; }
elif command -v setpriv >/dev/null && chmod -R a+rX "$work" &&
    setpriv --reuid=65534 --regid=65534 --clear-groups "$WHYFAST" version >/dev/null 2>&1; then
    limited() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
fi
if command -v limited >/dev/null && limited test -r "$WHYFAST_DATA/metrics/sets.metric"; then
    chmod -R a+rX "$work"
    chmod a-w "$work/out dir"
    expect 5 'a directory that may not be written' limited "$WHYFAST" report "$work/good" -o "$out"
    says 'Permission denied' '  says so'
    chmod u+w "$work/out dir"
    intact 'the earlier output is intact'
    cp -R "$work/good" "$work/locked"
    chmod -R a-w,a+rX "$work/locked"
    sums "$work/locked" >"$work/before"
    expect 5 'a run that may not be written' limited "$WHYFAST" evaluate "$work/locked"
    says 'kernel_counters.csv: cannot write: Permission denied' '  says so'
    sums "$work/locked" | cmp -s - "$work/before"
    result $? '  it is as it was'
    expect 5 'nowhere to unpack the recorded run' limited env -u XDG_CACHE_HOME HOME="$work/none" \
        WHYFAST_DATA="$work/data" "$WHYFAST" explain reduce/02
    says 'XDG_CACHE_HOME must name a directory in which whyfast can keep files' '  says what to set'
    says "it cannot write $work/none/.cache/whyfast/recorded" '  and why'
    mkdir -p "$work/kept/whyfast"
    chmod a-w "$work/kept/whyfast"
    expect 5 'a cache that may not be written' limited env XDG_CACHE_HOME="$work/kept" \
        WHYFAST_DATA="$work/data" "$WHYFAST" explain reduce/02
    says 'XDG_CACHE_HOME must name a directory in which whyfast can keep files' '  says what to set'
    if [ -x "$(sed -n 's/^NVCC := //p' "$ROOT/build/config.mk")" ]; then
        cp -R "$ROOT/harness" "$work/data/"
        "$WHYFAST" new "$work/demo" >"$work/out"
        chmod -R a+rX "$work/data" "$work/demo"
        expect 5 'for a family of the user' limited env XDG_CACHE_HOME="$work/kept" \
            WHYFAST_DATA="$work/data" "$WHYFAST" list "$work/demo/"
        says "can keep files; it cannot write $work/kept/whyfast/own" '  the same'
    else
        skip 'there is no nvcc'
    fi
    chmod u+w "$work/kept/whyfast"
    XDG_CACHE_HOME=$work/kept WHYFAST_DATA=$work/data "$WHYFAST" explain reduce/02 >"$work/out" 2>&1
    chmod -R a-w,a+rX "$work/kept"
    expect 0 'what is in it can be read' limited env XDG_CACHE_HOME="$work/kept" \
        WHYFAST_DATA="$work/data" "$WHYFAST" explain reduce
    chmod -R u+w "$work/kept"
    mkdir "$work/open"
    chmod 777 "$work/open"
    mv "$work/locked" "$work/open/"
    expect 5 'a report of it' limited "$WHYFAST" report "$work/open/locked"
    says "$work/open/locked: you may not replace this directory: Permission denied" '  says so'
    is "$(grep -c ' stages in ' "$work/err")" 0 '  before it works'
    if [ "$(id -u)" -eq 0 ]; then
        chmod -R a+w "$work/open/locked"
        chmod 1777 "$work/open"
        expect 5 'nor where only owners may replace what is theirs' limited \
            "$WHYFAST" report "$work/open/locked"
        says "$work/open/locked: you may not replace this directory" '  says so'
    fi
    chmod -R u+w "$work/open"
    cp -R "$work/good" "$work/secret"
    chmod 000 "$work/secret/samples.csv"
    expect 4 'a table that may not be read' limited "$WHYFAST" evaluate "$work/secret"
    says 'samples.csv: cannot read: Permission denied' '  says so'
else
    skip 'everything may be written here, and there is no setpriv to become somebody else'
fi

# ---- a full disk ---------------------------------------------------------------------------------

# A limit on the size of files makes every write fail as on a full disk, and needs no privileges.
none=0
[ -z "${MEMCHECK:-}" ] || none= # valgrind itself cannot start if no file can be written
for blocks in $none 1 8 32 64; do
    expect 0 "no file beyond $((blocks * 512)) bytes" sh -c '
        { (trap "" XFSZ; ulimit -f "$1"; shift; "$@") 3>&1 1>&2 2>&3; echo "exit status $?" >&3; } \
            3>&1 2>/dev/null | cat >&2
    ' sh "$blocks" "$WHYFAST" report "$work/good" -o "$out"
    says 'exit status 5' '  is an output that cannot be written'
    says 'whyfast: ' '  says why'
    intact 'the earlier output is intact'
done

mkdir "$work/disk"
if [ "$(id -u)" -eq 0 ] &&
    unshare -m sh -c 'mount -t tmpfs -o size=64k none "$1"' sh "$work/disk" 2>/dev/null; then
    # The size of the earlier output in pages of 4 KiB; du would depend on this machine's file
    # system.
    size=$(find "$out" -type f -exec wc -c '{}' + |
        awk '$2 != "total" { pages += int(($1 + 4095) / 4096) } END { print 4 * pages }')
    for room in 4 $((size / 4)) $((size / 2)) $((size * 3 / 4)); do
        # The mount belongs to this shell alone and ends with it. It has room for the earlier output
        # and `room` KiB.
        expect 0 "a disk with $room KiB left" unshare -m sh -c '
            mount -t tmpfs -o "size=$(($8 + 16 + $5))k" none "$1" || exit 99
            cp -R "$2" "$1/run" || exit 98
            "$3" report "$4" -o "$1/run" >/dev/null 2>"$6"
            status=$?
            (cd "$1/run" && find . -type d | sort && find . -type f -exec cksum "{}" + | sort) |
                cmp -s - "$7" || exit 97
            [ "$(ls "$1")" = run ] || exit 96
            full="No space left on device\|is the disk full"
            full="$full\|did not finish drawing it\|gnuplot failed"
            [ $status -eq 5 ] && grep -q "$full" "$6" || {
                echo "exit status $status" >&2
                cat "$6" >&2
                exit 95
            }
        ' sh "$work/disk" "$out" "$WHYFAST" "$work/good" "$room" "$work/said" "$work/earlier" \
            "$size"
    done
else
    skip 'no small disk can be mounted here'
fi

# ---- stdout --------------------------------------------------------------------------------------

if [ -w /dev/full ]; then
    for command in help version list 'list metrics' 'list --csv' 'help --man'; do
        status=0
        # shellcheck disable=SC2086 # words
        "$WHYFAST" $command >/dev/full 2>"$work/err" || status=$?
        is "$status" 5 "$command into a full disk"
        says 'cannot write to stdout: No space left on device' '  says so'
    done
else
    skip 'there is no /dev/full here'
fi
if [ -n "${MEMCHECK:-}" ]; then
    skip 'where stdout is closed, valgrind itself opens its log there'
    finish
fi
status=0
"$WHYFAST" list >&- 2>"$work/err" || status=$?
is "$status" 5 'list with stdout closed'
says 'cannot write to stdout: Bad file descriptor' '  says so'
status=0
"$WHYFAST" report "$work/good" -o "$work/closed" >&- 2>"$work/err" || status=$?
is "$status" 5 'report with stdout closed'
result "$([ -s "$work/closed/index.html" ]; echo $?)" '  the report is still made'
for file in "$work/closed"/*.csv "$work/closed"/report.*; do
    if grep -q "^$work/closed/index.html" "$file"; then
        result 1 '  nothing meant for stdout is in a file' || explain "$file"
    fi
done
status=0
"$WHYFAST" report "$work/good" -o "$work/mute" >/dev/null 2>&- || status=$?
is "$status" 0 'report with stderr closed'
is "$(sums "$work/mute" | cksum)" "$(sums "$out" | cksum)" '  makes the same report'
finish
