#!/bin/sh
# Tests impossible values: they are left empty, the reason is printed once and shown in place of the
# value, and the program exits with 1 after everything was written.
. "${ROOT:-.}/tests/tap.sh"
quick_gnuplot
run=$work/run
small_run "$run"
expect 0 'evaluate, of a run in which all agrees' "$WHYFAST" evaluate "$run"
is "$(wc -l <"$run/impossible.csv")" 1 '  nothing is impossible'
expect 0 'report it' "$WHYFAST" report "$run" -o "$work/sound"
for file in report.md index.html; do
    lacks "$work/sound/$file" 'Impossible values' "  $file has no such section"
done

# ---- a count that contradicts another, and times too short for a cold cache ----------------------

# broken COUNTER VARIANT FACTOR: multiplies that counter of this variant.
broken() {
    awk -F , -v OFS=, -v counter="$1" -v variant="$2" -v factor="$3" "$by_name"'
        $at["counter"] == counter && $2 == variant { $at["value"] *= factor } { print }' \
        "$run/counters.csv" >"$work/new"
    cmp -s "$work/new" "$run/counters.csv"
    is $? 1 "$1 of $2 is changed"
    mv "$work/new" "$run/counters.csv"
}
broken branch_targets_uniform 03_sequential 2
broken branch_targets_uniform 05_last_warp_unrolled 2
broken dram_read_bytes 07_many_per_thread 100
many=$(awk -F , '$2 == "03_sequential" || $2 == "05_last_warp_unrolled"' "$run/points.csv" | wc -l)
expect 1 'evaluate, of one in which it does not' "$WHYFAST" evaluate "$run"
is "$(complaints | wc -l)" 2 '  each in one line'
says "reduce/03_sequential, size 4194304: branch_targets_uniform = " \
    '  with a point and its numbers'
rule='abs(branch_targets_uniform + branch_targets_divergent - branch_targets) <='
rule="$rule 1e-6 * branch_targets"
says "(and $((many - 1)) more); impossible: $rule must hold. At each branch target " \
    '  the relation that does not hold, and why'
says 'Left empty: branch_targets branch_targets_uniform branch_targets_divergent' \
    '  and the values left empty'
says 'abs(dram_bytes - dram_read_bytes - dram_write_bytes)' '  of the other one, too'
expect 1 'quietly' "$WHYFAST" evaluate -q "$run"
is "$(wc -l <"$work/err")" 2 '  the messages stay'
expect 1 'one metric' "$WHYFAST" evaluate "$run" --metric branch_efficiency_pct
prints 'reduce,03_sequential,4194304,256,0,0,' '  is printed'
is "$(grep -c '^reduce,03_sequential,4194304,256,0,0,$' "$work/out")" 1 \
    '  empty if it rests on an impossible value'
is "$(grep -c '^reduce,02_interleaved_strided,4194304,256,0,0,[0-9]' "$work/out")" 1 \
    '  and nowhere else'
expect 1 '  as JSON' "$WHYFAST" evaluate "$run" --metric branch_efficiency_pct,branch_targets --json
is "$(grep -o '"metric":"branch_[a-z_]*","code":"[a-z_]*","words":"' "$work/out" | wc -l)" \
    "$(grep -oE '"branch_[a-z_]*":null' "$work/out" | wc -l)" '  with a code and the reason for each'
prints '"metric":"branch_targets","code":"impossible","words":"At each branch target' '    of them'
column "$run/impossible.csv" kind variant name >"$work/impossible"
is "$(sed -n 's/^follows\t03_sequential\t//p' "$work/impossible" | sort -u)" branch_efficiency_pct \
    '  impossible.csv says what follows'
is "$(grep -cx "$(printf 'follows\t07_many_per_thread\tdram_gbs')" "$work/impossible")" \
    "$(awk -F , '$2 == "07_many_per_thread"' "$run/points.csv" | wc -l)" \
    '  of the bytes of device memory the rates'

expect 1 'report it' "$WHYFAST" report "$run" -o "$work/broken"
prints "$work/broken/index.html" '  it is there'
for file in report.md index.html; do
    contains "$work/broken/$file" 'Impossible values' "  $file has the section"
    contains "$work/broken/$file" \
        'At each branch target the threads of a warp either go the same way or diverge.' \
        '  with the reason'
done
expect 0 'explain uses the remaining data' "$WHYFAST" explain "$run"
is "$(complaints)" '' '  and has nothing to add'

# ---- single instructions -------------------------------------------------------------------------

small_run "$work/lines"
kernel=$(awk -F , '$3 == "03_sequential" && $2 == "reduce" { print $1; exit }' \
    "$work/lines/kernels.csv")
# Makes the active lanes of one instruction exceed those of its warps; the cells before them may be
# quoted.
awk -v kernel="$kernel" '
    BEGIN { FS = OFS = "," }
    $1 == kernel && !done && match($0, /,[1-9][0-9]*,[1-9][0-9]*,[1-9][0-9]*,/) {
        split(substr($0, RSTART + 1, RLENGTH - 2), n, ",")
        if (n[2] == 32 * n[1]) {
            $0 = substr($0, 1, RSTART) n[1] ",9" n[2] "," n[3] substr($0, RSTART + RLENGTH - 1)
            done = 1
        }
    }
    { print }' "$work/lines/lines.csv" >"$work/new"
is "$(cmp -s "$work/new" "$work/lines/lines.csv"; echo $?)" 1 \
    'counts of an instruction contradict each other'
mv "$work/new" "$work/lines/lines.csv"
expect 1 '  lines shows the rest' "$WHYFAST" lines "$work/lines" reduce/03
says 'reduce/03_sequential, size ' '  and says where'
rule='threads <= 32 * executed does not hold. A warp has 32 lanes. These counts are left empty'
says ": impossible counts at 1 of its instructions: $rule" \
    '  and what'
says "$rule. The first instruction is LDC R1" '  and at which instruction'
is "$(wc -l <"$work/err")" 1 '  once'
expect 1 '  report, too' "$WHYFAST" report "$work/lines" -o "$work/broken_lines"
contains "$work/broken_lines/report.md" '1 of its instructions are impossible: threads ' \
    '  report.md lists it'
contains "$work/broken_lines/index.html" 'The first is LDC R1' '  and the instruction'
contains "$work/broken_lines/index.html" 'threads &lt;= 32 * executed does not hold' \
    '  index.html, too'

# ---- the records ---------------------------------------------------------------------------------

expect 0 'list a metric' "$WHYFAST" list dram_gbs branch_targets
prints '  most       dram_peak_gbs' '  with its bound'
prints '  check      branches_whole: ' '  and its checks'
expect 0 'list a check' "$WHYFAST" list cold_reads
prints 'dram_read_bytes >= ' '  with what holds'
finish
