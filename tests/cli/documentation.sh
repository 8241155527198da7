#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Checks the pages against the program and the newest recorded run: command lines, output, figures.
#
# A command that needs no GPU runs as it stands, on copies of the recorded run. A command that would
# measure runs with --dry-run, so its options, variants and sizes are checked. For the others, such
# as collect and report of a run, --help is printed, so only the command and its options are
# checked.
. "${ROOT:-.}/tests/tap.sh"
recorded=$(newest_recorded)
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
        'whyfast evaluate '* | 'whyfast explain '* | 'whyfast lines '* | \
            'whyfast timeline '* | 'whyfast compare '*)
            eval "set -- $(here "$line")"
            ;;
        'whyfast report RUN'*) how=--help ;;
        'whyfast run '*)
            line=${line%% -- *} # the options without the program
            how=--help
            ;;
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
done <<'END'
README.md 8
reports/timelines.md 8
metrics/method.md 4
END

# ---- output: a block after "$ build/whyfast ..." has the first lines that the command prints ----

awk '/^```/ { inside = !inside; next } inside' "$ROOT/README.md" >"$work/blocks"
sed -n 's|^\$ build/whyfast ||p' "$work/blocks" >"$work/shown"
is "$(wc -l <"$work/shown")" 1 'README.md shows the output of one command'
# shellcheck disable=SC2046 # the words of a command line
"$WHYFAST" $(cat "$work/shown") >"$work/printed" 2>&1
awk '
    /^```/ { inside = !inside; shown = 0; next }
    shown
    inside && /^\$ build\/whyfast / { shown = 1 }' "$ROOT/README.md" >"$work/shown"
head -n "$(wc -l <"$work/shown")" "$work/printed" | diff "$work/shown" - >"$work/differences"
is "$([ "$(wc -l <"$work/shown")" -ge 10 ] && echo enough)" enough '  ten lines or more'
is "$(cat "$work/differences")" '' '  as it is printed'

# ---- figures of the recorded run ----

metrics=effective_pct_peak,speedup_library,tflops_pct_peak,effective_gbs,tflops
"$WHYFAST" evaluate -q "$work/run" --metric "$metrics" >"$work/metrics"
# figure METRIC FAMILY/VARIANT SIZE: prints its value there, the largest over all settings.
figure() {
    awk -F , -v metric="$1" -v name="$2" \
        -v size="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == metric) column = i; next }
        index($1 "/" $2, name) == 1 && $3 == size && (best == "" || $column > best) {
            best = $column
        }
        END { print best }' "$work/metrics"
}
# says_figure PAGE FORMAT METRIC VARIANT SIZE: passes if the page has this value, printed by the
# format.
says_figure() {
    # shellcheck disable=SC2059 # the format is the test's
    contains "$ROOT/$1" "$(printf "$2" "$(figure "$3" "$4" "$5")")" "$1: $3 of $4 at $5"
}
says_figure README.md '%.1f %% of the memory bus' effective_pct_peak reduce/15 536870912
says_figure README.md '%.3f times the speed of CUB' speedup_library reduce/15 536870912
says_figure README.md '%.1f %% of the FP32 peak' tflops_pct_peak gemm/17 8192x8192x8192
says_figure README.md '%.3f times cuBLAS' speedup_library gemm/17 8192x8192x8192
says_figure reports/trust.md '%.0f GB/s' effective_gbs reduce/15 536870912
says_figure reports/trust.md 'the first rung %.0f)' effective_gbs reduce/01 536870912
says_figure reports/trust.md '%.1f TFLOP/s' tflops gemm/17 8192x8192x8192
quick_gnuplot
expect 0 'the report has the error of the predictions' "$WHYFAST" report -q "$work/run"
tr '\n' ' ' <"$work/run/report.md" | tr -s ' ' |
    sed -n 's/.* over all \([0-9]*\) steps that change the time, predictions miss the gain by \*\*\([0-9.]* %\)\*\* (median).*/\2 over the \1/p' \
        >"$work/error"
tr '\n' ' ' <"$ROOT/metrics/method.md" | tr -s ' ' >"$work/method"
contains "$work/method" "median error on the gain is $(cat "$work/error") steps" \
    'metrics/method.md: the error of the predictions'
tr '\n' ' ' <"$work/run/report.md" | tr -s ' ' |
    sed -n 's/.*Causes explain \([0-9]*\) steps that change the time: the model of time leaves \*\*\([0-9.]* %\)\*\* of the change unexplained (median), and \([0-9.]* %\) is .* At \([0-9]*\) of these steps .*/Over the \1 steps of the recorded run that change the time, the median residual is \2 of the change and the median interaction \3. At \4 of these/p' \
        >"$work/causes"
contains "$work/method" "$(cat "$work/causes")" 'metrics/method.md: the causes that are explained'
is "$([ -s "$work/causes" ] && echo some)" some '  which the report has'
finish
