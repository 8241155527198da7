#!/bin/sh
# Tests that the program, killed at any moment while it replaces the computed files of a run, leaves
# each file whole, either old or new, and the run readable; that doing it again gives the same
# result as without a break, and that no file is left over.
#
# KILLS is the number of kills besides those at the end of each command, where files are renamed.
. "${ROOT:-.}/tests/tap.sh"
quick_gnuplot
KILLS=${KILLS:-$(some 1 6)}
. "$ROOT/tests/fault/sweep.inc"
needs_faults kill

small_run "$work/run"
cut_points "$work/run" '$1 == "reduce" && $2 ~ /^0[23]_/'
cut_rows "$work/run" 0 kernels lines traces activities trace_samples
expect 0 'a run is reported' "$WHYFAST" report -q "$work/run"
expect 0 'and drawn as PNG, too' "$WHYFAST" plot "$work/run"
sums "$work/run" >"$work/new.sums"

# files_of COMMAND: prints the files that it replaces.
files_of() {
    case $1 in
    evaluate)
        echo metrics.csv noise.csv kernel_counters.csv evaluation.csv steps.csv verdicts.csv published_steps.csv \
            moved.csv ablation.csv demands.csv \
            ledger.csv levels.csv sides.csv causes.csv cause_lines.csv \
            conflicts.csv conflict_lines.csv remains.csv said.csv
        ;;
    plot) echo charts.csv charts ;;
    esac
}

# prepare COMMAND: makes a run whose files, as far as the command replaces them, are of another
# time.
prepare() {
    rm -rf "$work/place"
    cp -R "$work/run" "$work/place"
    for file in $(files_of "$1"); do
        if [ -d "$work/place/$file" ]; then
            rm -r "$work/place/$file"
            mkdir "$work/place/$file"
            echo old >"$work/place/$file/old.svg"
        else
            echo old >"$work/place/$file"
        fi
    done
}

# ages COMMAND: prints whether its files are old, new, missing or neither, each word once. The
# pictures may be missing while they are replaced, and what follows from metrics.csv may until it is
# made anew.
ages() {
    for file in $(files_of "$1"); do
        if diff -rq "$work/place/$file" "$work/run/$file" >/dev/null 2>&1; then
            echo new
        elif [ "$(cat "$work/place/$file" "$work/place/$file/old.svg" 2>/dev/null)" = old ]; then
            echo old
        elif [ ! -e "$work/place/$file" ] ||
            { [ "$file" = charts ] && [ ! -e "$work/place/charts/plot.gp" ]; }; then
            echo missing
        else
            echo "neither:$file"
        fi
    done | sort -u | tr '\n' ' '
}

for command in evaluate plot; do
    prepare "$command"
    is "$(ages "$command")" 'old ' "$command: another time's files can be told"
    with_fault kill:0 "$command" "$work/place"
    total=$(cat "$work/count")
    is "$(ages "$command")" 'new ' '  they are replaced'
    count=$(files_of "$command" | wc -w)
    : >"$work/wrong"
    : >"$work/ages"
    # All calls at the end of the command, where each file gets its name.
    for number in $(awk -v total="$total" -v kills="$KILLS" -v last="$((count + 9))" 'BEGIN {
        srand(3)
        for (i = 0; i < kills; i++) print 1 + int(rand() * total)
        for (n = total - last < 1 ? 1 : total - last; n <= total; n++) print n
    }'); do
        prepare "$command"
        with_fault "kill:$number" "$command" "$work/place"
        [ "$status" -eq 137 ] || echo "call $number: ends with $status" >>"$work/wrong"
        "$WHYFAST" report --dry-run "$work/place" >/dev/null 2>"$work/err" ||
            echo "call $number: cannot be opened: $(cat "$work/err")" >>"$work/wrong"
        age=$(ages "$command")
        echo "$age" >>"$work/ages"
        case $age in
        *neither*) echo "call $number: $age" >>"$work/wrong" ;;
        esac
        "$WHYFAST" "$command" "$work/place" >/dev/null 2>"$work/err" ||
            echo "call $number: cannot be done again: $(cat "$work/err")" >>"$work/wrong"
        sums "$work/place" | cmp -s - "$work/new.sums" ||
            echo "call $number: done again, something else lies there" >>"$work/wrong"
    done
    is "$(wc -l <"$work/wrong")" 0 \
        "  killed $(wc -l <"$work/ages") times of $total, each file is the one or the other" ||
        explain "$(head -n 8 "$work/wrong")"
    is "$(tr ' ' '\n' <"$work/ages" | sed 's/missing/old/' | sort -u | tr '\n' ,)" ',new,old,' \
        '  and both were seen, or what was old is gone'
done

# ---- one at a time -------------------------------------------------------------------------------

if command -v flock >/dev/null; then
    for command in evaluate plot; do
        expect 5 "$command while somebody else writes there" flock "$work/place" "$WHYFAST" \
            "$command" "$work/place"
        says 'another whyfast is writing there' '  is refused'
    done
    expect 0 'who only reads is not' flock "$work/place" "$WHYFAST" timeline "$work/place" \
        -o "$work/trace.json"
else
    skip 'there is no flock here'
fi
finish
