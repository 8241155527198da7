#!/bin/sh
# Checks the command lines of the pages.
#
# A command that needs no GPU runs as it stands, on copies of a run. A command that would measure runs with --dry-run, so its options, variants and sizes are checked. For the others, such
# as collect and report of a run, --help is printed, so only the command and its options are
# checked.
. "${ROOT:-.}/tests/tap.sh"
recorded=$(fixture_run)
cp -R "$recorded" "$work/run"
cp -R "$work/run" "$work/baseline"

# commands FILE: prints every command line of the program in a block of code, without the words
# before it (build/, nsys, ncu) and without its comment; continued lines are joined.
commands() {
    awk '
        /^```/ { inside = !inside; next }
        inside { if (sub(/\\$/, "")) { part = part $0; next } print part $0; part = "" }' "$1" |
        sed -n 's|build/whyfast|whyfast|; s/ #.*//; s/^.* \(whyfast .*\)$/\1/
            s/ *$//; /^whyfast /p'
}
# here LINE: prints the line with its runs replaced by the copies, and its files by files in the
# scratch directory.
here() {
    echo "$1 " |
        sed "s| RUN1\{0,1\} | $work/run |; s| RUN2 | $work/baseline |
            s| before | $work/run |; s| after | $work/baseline |
            s| slow | reduce/02 |; s| fast | reduce/03 |
            s| BASELINE | $work/baseline |; s| trace.json | $work/trace.json |"
}

while read -r page least; do
    commands "$ROOT/$page" >"$work/commands"
    is "$([ "$(wc -l <"$work/commands")" -ge "$least" ] && echo enough)" enough \
        "$page has command lines"
    while read -r line; do
        rm -f "$work/trace.json"
        how=
        case $line in
        'whyfast evaluate '* | 'whyfast explain '* | 'whyfast lines '* | 'whyfast conflicts' | \
            'whyfast timeline '* | 'whyfast compare '*)
            eval "set -- $(here "$line")"
            ;;
        'whyfast report RUN'*) how=--help ;;
        'whyfast run '* | 'whyfast bisect '*)
            line=${line%% -- *} # the options without the program
            how=--help
            ;;
        'whyfast measure '* | 'whyfast launch '* | 'whyfast report '*) how=--dry-run ;;
        *) how=--help ;;
        esac
        # A build without CUDA has no variants.
        [ "$how" != --dry-run ] || has_variants || how=--help
        [ -z "$how" ] || eval "set -- $line"
        shift
        expect 0 "$page: $line" "$WHYFAST" "$@" $how
        [ -s "$work/out" ] || [ -s "$work/trace.json" ] || result 1 "  and prints something"
    done <"$work/commands"
done <<'END'
README.md 12
reports/timelines.md 8
metrics/method.md 4
END

# The thresholds that pages tell, wherever their lines break, are those of the program; PERCENT stands
# for a part of one.
while read -r name page words; do
    value=$(find "$ROOT/harness" -name '*.[ch]' -exec \
        sed -nE "s/^.*[ (]$name( =)? ([0-9.]+).*/\2/p" '{}' + | sort -u)
    words=$(echo "$words" | awk -v value="${value:-no $name}" \
        '{ sub(/NUMBER/, value); sub(/PERCENT/, 100 * value); print }')
    tr -s '\n ' '  ' <"$ROOT/$page" >"$work/page"
    contains "$work/page" "$words" "$page tells $name"
done <<'END'
ACCOUNT_LEAST_CHANGE metrics/method.md a change of PERCENT % or more
ACCOUNT_MAIN_PCT metrics/README.md sure, NUMBER % of the change or more
ACCOUNT_MOST_PCT metrics/README.md its share of the change if that is below NUMBER %
ACCOUNT_NOISE metrics/method.md with PERCENT % of their mean
BUSY_LIMIT_PCT reports/programs.md a unit that is busy for NUMBER % of its time
COARSE metrics/method.md is more than PERCENT % of their median
KNOCKOUT_LONG_MS metrics/method.md kernels of more than NUMBER ms
MCP_ANSWER_KB reports/automation.md An answer has at most NUMBER kB
MOST_COUNTED reports/programs.md at most NUMBER | counts of its instructions
PROGRAM_KEPT_PCT reports/programs.md the kernels that make up NUMBER % of the GPU's time
PROGRAM_LONG_S reports/programs.md If a start takes NUMBER s or more
PROGRAM_MINOR_PCT reports/programs.md one for each kernel with NUMBER % of the selected time
PROGRAM_MINOR_PCT reports/programs.md A kernel with less than NUMBER % of the time
SLOW_SECONDS metrics/method.md Launches of more than NUMBER s
TIMELINE_LONG_MS reports/timelines.md once if it takes more than NUMBER ms
END

# Every goal of make that a page names exists.
make -s -C "$ROOT" help >"$work/help"
for page in README.md CONTRIBUTING.md tests/README.md; do
    none "$(grep -oE '(^|`|&& )make [a-z-]+' "$ROOT/$page" | sed 's/.*make //; /^build$/d' |
        looked sh -c "while read -r goal; do grep -q \"^  make \$goal \" '$work/help' || echo \$goal; done")" \
        "$page names goals that make has"
done
finish
