#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# The command lines in README.md and reports/timelines.md: commands, options, variants and sizes are there. What would measure says what it would do.
. "${ROOT:-.}/tests/tap.sh"

# commands FILE: every command line of the program in a block of code, without what stands before it (nsys, ncu) and its comment; lines that go on are joined.
commands() {
    awk '/^```/ { inside = !inside; next } inside { if (sub(/\\$/, "")) { part = part $0; next } print part $0; part = "" }' "$1" |
        sed -n 's/ #.*//; s/^.* \(whyfast .*\)$/\1/; s/ *$//; /^whyfast /p'
}
for page in README.md reports/timelines.md; do
    commands "$ROOT/$page" >"$work/commands"
    is "$([ "$(wc -l <"$work/commands")" -ge 8 ] && echo enough)" enough "$page has command lines"
    while read -r line; do
        case $line in
            'whyfast report RUN'*) how=--help ;; # of a run that there is not
            'whyfast measure '* | 'whyfast launch '* | 'whyfast report '*) how=--dry-run ;;
            *) how=--help ;;
        esac
        [ "$("$WHYFAST" list --csv | wc -l)" -gt 1 ] || how=--help # a build without CUDA has no variants
        eval "set -- $line"
        shift
        expect 0 "$page: $line" "$WHYFAST" "$@" $how
        [ -s "$work/out" ] || result 1 "  and prints something"
    done <"$work/commands"
done
finish
