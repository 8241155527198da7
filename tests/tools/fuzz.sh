#!/bin/sh
# Runs one fuzzer for some seconds, from its corpus: fuzz.sh DIRECTORY NAME SECONDS [SEED]. Its output
# goes to DIRECTORY/NAME.log, and is shown if it finds something.
directory=$1
name=$2
echo "== fuzz_$name, $3 s"
mkdir -p "$directory/corpus/$name"
seeds=tests/fuzz/corpus/$name
case $name in explain | load | view) seeds=tests/fuzz/corpus/tables ;; esac # they read whole runs
[ -d "$seeds" ] || seeds=
# A seed of this name is a whole run: if it is refused, so are all that come of it.
if [ -e "$seeds/whole" ] &&
    FUZZ_LOUD=1 "$directory/fuzz_$name" "$seeds/whole" 2>&1 | grep -E '^whyfast: .*(no such|expected|cannot)'; then
    echo "fuzz_$name refuses $seeds/whole"
    exit 1
fi
# shellcheck disable=SC2086 # a name or nothing
"$directory/fuzz_$name" -max_total_time="$3" -seed="${4:-0}" -timeout=60 -print_final_stats=1 \
    -artifact_prefix="$(realpath "$directory")/$name-" \
    "$directory/corpus/$name" $seeds >"$directory/$name.log" 2>&1 && exit
tail -n 50 "$directory/$name.log"
exit 1
