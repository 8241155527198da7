#!/bin/sh
# Every rung gives the right sum at the sizes where bounds, tails and empty warps go wrong, with every block size that is offered; the
# sanitizers find nothing. Prints TAP.
set -u
sizes='1 2 31 32 33 255 257 1048577 4194304 536870912'
count=0
report() { # report STATUS WORDS
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

for block in 128 256; do
    for size in $sizes; do
        out=$("$WHYFAST" launch -s "$size" -b "$block" 2>&1)
        status=$?
        [ "$status" -eq 0 ] || echo "$out" | sed 's/^/# /'
        rows=$(echo "$out" | grep -c ',ok$')
        [ "$rows" -ge 17 ] || status=1
        report "$status" "n = $size, block $block: all variants right ($rows launches)"
    done
done

if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck synccheck; do
        for size in 257 100001 1048577; do
            for block in 128 256; do
                out=$(compute-sanitizer --tool $tool --error-exitcode 9 "$WHYFAST" launch -s "$size" -b "$block" 2>&1)
                status=$?
                [ "$status" -eq 0 ] || echo "$out" | tail -n 20 | sed 's/^/# /'
                report "$status" "compute-sanitizer $tool, n = $size, block $block"
            done
        done
    done
else
    count=$((count + 1))
    echo "ok $count # SKIP compute-sanitizer is not on the PATH"
fi
echo "1..$count"
