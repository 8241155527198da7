#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# The command lines in README.md and reports/timelines.md. What works on a run without a GPU is run as it stands, on copies of the newest recorded one. What would
# measure says what it would do (--dry-run): its options, variants and sizes are there. Of what is left, collect and report of a run, --help is printed: the command
# and its options are there, and no more than that is tested.
. "${ROOT:-.}/tests/tap.sh"
cp -R "$(newest_recorded)" "$work/run"
cp -R "$work/run" "$work/baseline"

# commands FILE: every command line of the program in a block of code, without what stands before it (nsys, ncu) and its comment; lines that go on are joined.
commands() {
    awk '/^```/ { inside = !inside; next } inside { if (sub(/\\$/, "")) { part = part $0; next } print part $0; part = "" }' "$1" |
        sed -n 's/ #.*//; s/^.* \(whyfast .*\)$/\1/; s/ *$//; /^whyfast /p'
}
# here LINE: the line with the copies for its runs, and its files in the scratch directory.
here() { echo "$1 " | sed "s| RUN1\{0,1\} | $work/run |; s| RUN2 | $work/baseline |; s| BASELINE | $work/baseline |; s| trace.json | $work/trace.json |"; }

for page in README.md reports/timelines.md; do
    commands "$ROOT/$page" >"$work/commands"
    is "$([ "$(wc -l <"$work/commands")" -ge 8 ] && echo enough)" enough "$page has command lines"
    while read -r line; do
        rm -f "$work/trace.json"
        how=
        case $line in
            'whyfast evaluate '* | 'whyfast explain '* | 'whyfast lines '* | 'whyfast timeline '* | 'whyfast compare '*) eval "set -- $(here "$line")" ;;
            'whyfast report RUN'*) how=--help ;;
            'whyfast measure '* | 'whyfast launch '* | 'whyfast report '*) how=--dry-run ;;
            *) how=--help ;;
        esac
        # A build without CUDA has no variants.
        [ "$how" != --dry-run ] || [ "$("$WHYFAST" list --csv | wc -l)" -gt 1 ] || how=--help
        [ -z "$how" ] || eval "set -- $line"
        shift
        expect 0 "$page: $line" "$WHYFAST" "$@" $how
        [ -s "$work/out" ] || [ -s "$work/trace.json" ] || result 1 "  and prints something"
    done <"$work/commands"
done
finish
