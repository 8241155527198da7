#!/bin/sh
# Tests that times taken under a profiler that serialises launches are marked wherever they are
# shown, and that one tool is named as one reason.
. "${ROOT:-.}/tests/tap.sh"
quick_gnuplot
small_run "$work/clean"
raw_run "$work/clean" "$work/unclean"
reason='Nsight Compute (ncu) holds CUPTI in this process, which serves one tool at a time;'
reason="$reason run without it for counters"
sed '/^counters/d' "$work/clean/run.txt" >"$work/unclean/run.txt"
{
    echo 'timing: not clean: the stream could not be held under Nsight Compute (ncu)'
    echo "counters: absent: $reason"
    echo "counters_lines: absent: $reason"
} >>"$work/unclean/run.txt"

expect 0 'a report of clean times' "$WHYFAST" report -q "$work/clean"
lacks "$work/clean/report.md" 'not clean' '  does not speak of others'
expect 0 'a report of times that are not clean' "$WHYFAST" report -q "$work/unclean"
contains "$work/unclean/report.md" \
    '> **Times are not clean** (the stream could not be held under Nsight Compute (ncu)): they include the host' \
    '  says so'
contains "$work/unclean/index.html" \
    '<b>Times are not clean</b> (the stream could not be held under Nsight Compute (ncu)): they include the host' \
    '  in both forms'
is "$(grep -c 'Hardware counters are missing' "$work/unclean/report.md")" 1 \
    '  one tool that keeps everything to itself is one reason'
is "$(grep -c 'Hardware counters are missing' "$work/unclean/index.html")" 1 '  in both forms'
is "$(sed -n '/^timing: /p' "$work/unclean/run.txt")" \
    'timing: not clean: the stream could not be held under Nsight Compute (ncu)' \
    '  the fact stays with the run'
expect 0 'a comparison with them' "$WHYFAST" compare "$work/clean" "$work/unclean"
says "$work/unclean: times are not clean: the stream could not be held under Nsight Compute (ncu)" \
    '  warns of them'
lacks "$work/err" "$work/clean: times" '  and of no others'
finish
