#!/bin/sh
# Compares the pages that show the newest recorded run with it: the page of figures, and the output in
# README.md.
. "${ROOT:-.}/tests/tap.sh"
run=$(fixture_run)

sh "$ROOT/tests/tools/figures.sh" "$run" >"$work/figures.md"
none "$(looked diff "$ROOT/reports/figures.md" - <"$work/figures.md")" \
    'reports/figures.md is what make figures writes'
is "$(($(grep -c '^| ' "$work/figures.md") > 10))" 1 '  which has figures'

# ---- output: a block after "$ build/whyfast ..." has the first lines that the command prints ----

awk '/^```/ { inside = !inside; next } inside' "$ROOT/README.md" >"$work/blocks"
sed -n 's| *#.*||; s|^\$ build/whyfast ||p' "$work/blocks" >"$work/shown"
is "$(wc -l <"$work/shown")" 1 'README.md shows the output of one command'
# shellcheck disable=SC2046 # the words of a command line
"$WHYFAST" $(cat "$work/shown") >"$work/printed" 2>&1
awk '
    /^```/ { inside = !inside; shown = 0; next }
    shown
    inside && /^\$ build\/whyfast / { shown = 1 }' "$ROOT/README.md" >"$work/shown"
is "$([ "$(wc -l <"$work/shown")" -ge 10 ] && echo enough)" enough '  ten lines or more'
none "$(head -n "$(wc -l <"$work/shown")" "$work/printed" | looked diff "$work/shown" -)" \
    '  as it is printed'

finish
