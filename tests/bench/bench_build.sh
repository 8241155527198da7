#!/bin/sh
# Measures what the README's table says of the first build: the CPU seconds and the disk of `make
# report` without a GPU, `make` and `make check`, one after the other in a copy of the committed
# tree. Fails if a figure of the table is off by more than a third. Takes about 10 minutes of CPU.
set -u
if [ ! -x /usr/bin/time ] || ! git -C "$ROOT" rev-parse HEAD >/dev/null 2>&1; then
    echo 'bench_build: there is no /usr/bin/time, or no git repository: skipped'
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q --depth 1 "file://$ROOT" "$work/tree" || exit 1
# The README says what a machine without a GPU does.
PATH=$work/bin:$PATH XDG_CACHE_HOME=$work/cache SETUP=no
export PATH XDG_CACHE_HOME SETUP
mkdir "$work/bin"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/nvidia-smi"
chmod +x "$work/bin/nvidia-smi"

printf '%-22s %14s %14s\n' command 'CPU seconds' 'MB in all'
failed=0
for words in 'make report' 'make' 'make check'; do
    # shellcheck disable=SC2086 # words
    (cd "$work/tree" && /usr/bin/time -o "$work/time" -f '%U %S' $words HAS_GPU= >"$work/log" 2>&1) || {
        tail -n 5 "$work/log"
        echo "not ok - $words"
        exit 1
    }
    seconds=$(awk '{ print int($1 + $2 + 0.5) }' "$work/time")
    disk=$(du -sm "$work/tree" | cut -f 1)
    printf '%-22s %14d %14d\n' "$words" "$seconds" "$disk"
    # The first row of the table that begins with these words; its numbers of s and of MB.
    row=$(grep -m 1 "^| \`$words\`" "$ROOT/README.md")
    echo "$row" | awk -F '|' -v seconds="$seconds" -v disk="$disk" '
        function off(said, found) { return said < found * 2 / 3 || said > found * 4 / 3 }
        off($3 + 0, seconds) || off($4 + 0, disk) { exit 1 }' || {
        echo "not ok - the README says of it: $row"
        failed=1
    }
done
exit "$failed"
