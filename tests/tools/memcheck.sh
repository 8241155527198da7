#!/bin/sh
# Runs a program under valgrind's memcheck in its place: with the same output and the same exit
# status, but 99 if memory was misused or lost.
#
#   ROOT=DIR LOGS=DIR sh tests/tools/memcheck.sh PROGRAM ARGUMENT...
#
# Each process leaves a log in LOGS, which is empty if valgrind found nothing. A run takes about
# thirty times as long. A command about a large run, such as the recorded one, is therefore checked
# only the first time; the same command with the same options on a run of that size then runs
# without valgrind, and LOGS/unchecked lists it. Programs that it starts are not followed, nor is a
# process between fork and exec.

set -u
whole_path=$PATH # the program's own may hold nothing, for a test
PATH=/usr/local/bin:/usr/bin:/bin
valgrind=$(command -v "${VALGRIND:-valgrind}")
program=${1:?usage: sh tests/tools/memcheck.sh PROGRAM ARGUMENT...}
: "${ROOT:?names the project}" "${LOGS:?names the directory of the logs}"
shift

# The command, and whether its run is large. A command that names no run is about the recorded one.
command=${1:-} named=0 large=0
for argument; do
    case $argument in -*) command="$command $argument" ;; esac
    [ -f "$argument/samples.csv" ] || continue
    named=1
    size=$(wc -c <"$argument/samples.csv")
    [ "$size" -lt 1000000 ] || large=1 command="$command $size"
done
case ${1:-} in report | lines | timeline | explain | compare) [ "$named" = 1 ] || large=1 ;; esac
mark=$LOGS/checked.$(printf '%s' "$program $command" | cksum | cut -d ' ' -f 1)
if [ "$large" = 1 ] && ! mkdir "$mark" 2>/dev/null; then
    echo "$program $*" >>"$LOGS/unchecked"
    PATH=$whole_path exec "$program" "$@"
fi
PATH=$whole_path exec "$valgrind" --quiet --suppressions="$ROOT/tests/tools/memcheck.supp" \
    --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
    --errors-for-leak-kinds=definite,indirect --child-silent-after-fork=yes \
    --log-file="$LOGS/%p.log" "$program" "$@"
