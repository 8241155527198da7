#!/bin/sh
# shellcheck disable=SC2016
# Tests 'whyfast conflicts': the ranking of a recorded run, patterns, sizes, CSV and JSON, runs
# without lines, without counters or without tables, and narrow screens.
. "${ROOT:-.}/tests/tap.sh"
unset COLUMNS
recorded=$(fixture_run)

# ---- the recorded run ----------------------------------------------------------------------------

expect 0 'the recorded run' "$WHYFAST" conflicts
is "$(head -n 1 "$work/out" | cut -d ' ' -f 1-3)" 'Bank conflicts cost' '  begins with the verdict'
prints 'Recorded run ' '  names the run'
prints 'kernels have no bank conflicts' '  counts kernels without conflicts'
prints 'reduce/17_unsynchronised could not be counted: ' '  and says which could not be counted'
# Each kernel whose conflicts cost something is ranked, and the lines of three are shown.
"$WHYFAST" conflicts --csv >"$work/all.csv"
ranked=$(column "$work/all.csv" excess share_pct | awk -F '\t' '$1 > 0 && !($2 < 0.5)' | wc -l)
expect 0 'a screen of 80 columns' env COLUMNS=80 "$WHYFAST" conflicts
is "$(head -n 24 "$work/out" | tr '\n' ' ' | grep -c 'Cost: the time .* share: its part of the ker')" 1 \
    '  says at its top what costs and shares are'
is "$(grep -cE '^ *[0-9]+ +[0-9.]+ +[0-9.]+  [a-z_]+/[0-9]+_' "$work/out")" "$ranked" \
    '  ranks each kernel in a row'
is "$(sed '1,/^The lines of the first 3/d' "$work/out" | grep -cE '^[a-z_]+/[0-9]+_[^ ]*$')" 3 \
    '  shows the lines of three'
is "$(grep -c 'of each further cache line' "$work/out")" 0 '  and no details of others'
is "$(column "$work/all.csv" cost_low_ns share_pct excess | awk -F '\t' '$3 > 0 && !($2 < 0.5) { n++
    falls += n > 1 && $1 <= last; last = $1 } END { print (n > 3 && falls == n - 1) }')" 1 \
    '  by the least that its conflicts cost'
none "$(sed -n '/Each kernel with/,/^$/p' "$work/out" | grep '^    [a-z]' | looked uniq -d)" \
    '  repeats no line'
expect 0 'with -v' env COLUMNS=80 "$WHYFAST" conflicts -v
is "$(sed '1,/^Their lines/d' "$work/out" | grep -cE '^[a-z_]+/[0-9]+_[^ ]*$')" \
    "$(grep -cE '^ *[0-9]+ +[0-9.]+ +[0-9.]+  [a-z_]+/[0-9]+_' "$work/out")" '  shows those of all'
expect 0 'a run' "$WHYFAST" conflicts "$recorded" gemm/13_async_copies reduce/03_sequential
prints 'Bank conflicts cost gemm/13_async_copies most: ' '  the worst of the patterns'
prints 'kernels/gemm/13_async_copies.cu:24' '  with its line'
prints 'asynchronous copies 33' '  and its excess'
prints '1 other kernel has no bank conflicts.' '  the other has none'
prints '__pipeline_memcpy_async(&tile_a' '  the code of the line'
expect 0 'a kernel with inlined code' "$WHYFAST" conflicts "$recorded" gemm/08
tr -s ' \n' ' ' <"$work/out" | grep -q 'classic.h:[0-9]* (called at kernels/gemm/08_double_buffer.cu:'
result $? '  names the call'
prints 'multiply_double_buffered(' '  and shows its code'
# The pages of steps name the same call of a line.
if command -v python3 >/dev/null; then
    is "$(python3 -c '
import csv, sys
def rows(name): return csv.DictReader(open(sys.argv[1] + "/" + name, encoding="utf-8"))
steps = {(r["family"], r["variant"], r["path"], r["line"]): r["called_from"]
         for r in rows("cause_lines.csv") if r["cause"] == "bank_conflicts"}
calls = {}
for r in rows("conflict_lines.csv"):
    key = r["family"], r["variant"], r["path"], r["line"]
    if r["place"] == "1" and key in steps:
        calls[key] = r["called_path"] and r["called_path"] + ":" + r["called_line"]
print(len(calls) > 3, [key for key in calls if calls[key] != steps[key]])' "$recorded")" 'True []' \
        '  steps name the same call'
fi
prints 'Cost: the time that the kernel would save' '  says what the columns are'
is "$(grep -c '^ *1 ' "$work/out")" 0 '  ranks no single kernel'
expect 0 'a kernel without conflicts' "$WHYFAST" conflicts "$recorded" gemm/02_coalesced
is "$(head -n 1 "$work/out")" 'No kernel has bank conflicts.' '  says so first'
expect 0 'a library' "$WHYFAST" conflicts "$recorded" gemm/90_cublas
prints 'line unknown: the code belongs to a library' '  has no line'
prints ' ≤ ' '  its number is called an upper bound'
prints 'At most (≤): the number is estimated from the sums over a launch' '  and the reason is given'
expect 0 'a kernel that was not counted' "$WHYFAST" conflicts "$recorded" reduce/18_volatile
is "$(head -n 1 "$work/out")" 'No kernel could be counted.' '  says so first'
expect 0 'two sizes' "$WHYFAST" conflicts "$recorded" gemm/13_async_copies -s 2048x2048x2048,8192x8192x8192
prints 'gemm/13_async_copies 8192x8192x8192' '  are told apart'
expect 2 'an unknown variant' "$WHYFAST" conflicts "$recorded" gemm/31_nothing
says 'has no kernel of a variant' '  is named'
expect 2 'an unknown run' "$WHYFAST" conflicts nowhere/nothing
says "there is no run 'nowhere/nothing'" '  may have been meant as a run'
expect 2 'an unknown size' "$WHYFAST" conflicts "$recorded" -s 12345
says 'has no kernel of size 12345; the sizes are 2048x2048x2048, ' '  is named'
expect 2 'two formats' "$WHYFAST" conflicts "$recorded" --csv --json
says 'not both' '  only one'

# ---- for programs --------------------------------------------------------------------------------

expect 0 'CSV' "$WHYFAST" conflicts "$recorded" --csv
cp "$work/out" "$work/conflicts.csv"
none "$(column "$work/conflicts.csv" cost_ns status share_pct | looked awk -F '\t' '
        $2 == "ok" && $3 >= 0.5 && last != "" && $1 + 0 > last { print "not ranked" }
        $2 == "ok" && $3 >= 0.5 { last = $1 + 0 }')" '  is ranked by cost, but for small ones'
is "$(rows_where "$work/conflicts.csv" '$at["variant"] == "13_async_copies"' >"$work/row"
    column "$work/row" excess copies ways)" "$(printf '33554432\t33554432\t1.61538462')" \
    '  has the counts'
expect 0 'JSON' "$WHYFAST" conflicts "$recorded" gemm/13_async_copies --json
prints '"excess":33554432,' '  has the counts'
prints '"lines":[{"path":"kernels/gemm/13_async_copies.cu","line":24' '  and the lines'
prints '{"schema":"whyfast.conflicts/1","kernels":[{"family":"gemm"' '  under its schema'

# ---- screens -------------------------------------------------------------------------------------

for columns in 40 80; do
    COLUMNS=$columns expect 0 "$columns columns" env COLUMNS=$columns "$WHYFAST" conflicts -v
    none "$(looked awk -v most=$columns '{ gsub(/[\200-\277]/, "") } length > most' <"$work/out")" \
        '  are not exceeded'
done

# ---- other runs ----------------------------------------------------------------------------------

tiny_run "$work/tiny"
cp -R "$work/tiny" "$work/wrong"
expect 2 'a typo in a run without tables' "$WHYFAST" conflicts "$work/tiny" redcue
is "$(complaints | grep -c 'evaluat')" 0 '  is refused before it is evaluated'
expect 0 'a run without tables' "$WHYFAST" conflicts "$work/tiny"
says 'is not evaluated' '  is evaluated, and nothing is kept'
mv "$work/out" "$work/unkept"
tables() { "$WHYFAST" evaluate "$1" >/dev/null 2>&1 && "$WHYFAST" explain "$1" >/dev/null 2>&1; }
tables "$work/tiny"
expect 0 'a run of two kernels' "$WHYFAST" conflicts "$work/tiny"
prints 'reduce/02_interleaved_strided' '  ranks them'
is "$(cat "$work/out")" "$(cat "$work/unkept")" '  as before it was evaluated'
cp -R "$work/tiny" "$work/small"
awk -F , -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 && $at["cost_ns"] > 0 { $at["cost_ns"] = 0.0004 } { print }' \
    "$work/tiny/conflicts.csv" >"$work/small/conflicts.csv"
expect 0 'a cost that no clock can show' "$WHYFAST" conflicts "$work/small"
prints 'most: less than 1 ns' '  is called small'
lacks "$work/out" '0.000 ns' '  and is no figure'
sed -i 's/\(,shared_load_instructions,[^,]*,\)[^,]*,ok/\1987654321,ok/' "$work/wrong/counters.csv"
expect 0 'a count that cannot be right' "$WHYFAST" conflicts "$work/wrong"
prints 'could not be counted: shared_wavefronts_load = ' '  is named'
prints 'shared_load_instructions = 2' '  with its value'
lacks "$work/out" 'It needs' '  and not by what needs it'
quick_gnuplot
expect 0 'its report' "$WHYFAST" report -q "$work/tiny" -o "$work/report"
contains "$work/report/conflicts.html" '>1 kernel has</span> no bank conflicts.' \
    '  counts one kernel in the singular'
cp -R "$work/tiny" "$work/without_lines"
rm "$work/without_lines/lines.csv" "$work/without_lines/kernels.csv"
tables "$work/without_lines"
expect 0 'a run without single instructions' "$WHYFAST" conflicts "$work/without_lines"
prints 'line unknown: the run has no counts of single instructions' '  says why no line is known'
cp -R "$work/tiny" "$work/without_counters"
sed -i 1q "$work/without_counters/counters.csv"
sed -i '/,counters,/d' "$work/without_counters/evaluation.csv"
sed -i 's/^counters: .*/counters: absent: no permission/' "$work/without_counters/run.txt"
tables "$work/without_counters"
expect 0 'a run without counters' "$WHYFAST" conflicts "$work/without_counters"
is "$(head -n 1 "$work/out")" 'No kernel could be counted.' '  says so first'
prints 'could not be counted: no permission' '  with the reason'
finish
