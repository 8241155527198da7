#!/bin/sh
# Tests that whatever call fails while a report is made, the program ends with one of its own exit
# codes and says why, and the earlier output is unchanged.
. "${ROOT:-.}/tests/tap.sh"
quick_gnuplot
. "$ROOT/tests/fault/sweep.inc"

# Two rungs of one family, one setting of the swept one, the library and the CPU, with the fewest
# samples that give an interval: every stage takes a few hundredths of a second.
small_run "$work/run"
cut_points "$work/run" '$1 == "reduce" && ($2 ~ /^(0[12]|9[01])_/ || $2 ~ /^07_/ && $5 <= 1)'
cut_rows "$work/run" '$1 == "reduce"' families
is "$(awk -F , 'NR > 1 { print $2 }' "$work/run/points.csv" | sort -u | grep -cE '^0[127]_')" 3 \
    'three rungs are in the run'
sed -i '/07_/s/06_fully_unrolled/02_interleaved_strided/' "$work/run/variants.csv"
mkdir "$work/place"
place=$work/place
expect 0 'without a fault the report is made' "$WHYFAST" report "$work/run" -o "$place/out"
sums "$place" >"$work/new.sums"
mv "$place/out" "$work/new"
cp -R "$work/run" "$work/older"
echo 'remark: this is the earlier one' >>"$work/older/run.txt"
"$WHYFAST" report -q "$work/older" -o "$place/out" >/dev/null
sums "$place" >"$work/earlier.sums"
cp -R "$place" "$work/earlier"
result "$(
    cmp -s "$work/earlier.sums" "$work/new.sums"
    [ $? -eq 1 ]
    echo $?
)" \
    'the earlier output differs from the new one'

needs_faults malloc

attempt() { with_fault "$1" report "$work/run" -o "$place/out"; }
succeeded() {
    forget_last_steps
    sums "$place" | cmp -s - "$work/new.sums"
}
left() {
    forget_last_steps
    if [ ! -d "$place/out" ]; then
        echo 'loses the earlier output'
    else
        sums "$place/out" >"$work/now"
        sums "$work/earlier/out" | cmp -s - "$work/now" ||
            sums "$work/new" | cmp -s - "$work/now" ||
            echo 'leaves something between the earlier output and the new one'
    fi
}
# These are left by the very last steps; the next program that writes there removes them.
forget_last_steps() {
    ! grep -q 'out: is complete, but the earlier run could not be removed' "$work/err" ||
        rm -rf "$place/out/earlier.whyfast" "$place/out/journal.txt"
}
# Files left beside the output must not obstruct the next report.
tidy_up() {
    [ "$status" -eq 0 ] || [ "$(ls "$place")" = out ] ||
        "$WHYFAST" report -q "$work/run" -o "$place/out" >/dev/null 2>"$work/err" ||
        echo "the next report fails: $(head -c 200 "$work/err")"
    sums "$place" | cmp -s - "$work/earlier.sums" || {
        rm -rf "$place"
        cp -R "$work/earlier" "$place"
    }
}
sweep malloc "$(some 9 160)"
sweep malloc "$(some 4 60)" +
sweep fopen "$(some 5 80)"
sweep write "$(some 4 60)"
sweep fclose "$(some 9 60)"
sweep rename "$(some 4 60)"
sweep mkdir "$(some 4 20)"
sweep opendir "$(some 4 20)"
sweep fsync "$(some 4 40)"
sweep unlink "$(some 4 20)"
finish
