#!/bin/sh
# Tests that pictures and pages show the numbers of the tables (pictures.py), and that no number that
# stands at two places of the report, or is printed by 'whyfast explain' and 'whyfast conflicts', has
# two values (numbers.py). To prove that they can fail, a number of each kind is changed.
. "${ROOT:-.}/tests/tap.sh"
recorded=$(fixture_run)
report=$work/report
if ! command -v python3 >/dev/null || ! command -v gnuplot >/dev/null; then
    skip 'python3 or gnuplot is not installed'
    finish
fi
pictures() { python3 -B "$ROOT/tests/golden/pictures.py" "$report" >"$work/out"; }
numbers() { python3 -B "$ROOT/tests/golden/numbers.py" "$report" "$@" >"$work/out"; }
expect 0 'a report' "$WHYFAST" report -q --single-file "$recorded" -o "$report"

pictures
result $? 'its pictures and pages are compared with the tables' ||
    explain "$(tail -n 3 "$work/err" 2>/dev/null)"
is "$(sed '$d' "$work/out" | head -n 20)" '' '  no number differs'
# Of a run with one size of each family there is no picture of sizes.
sizes=$(grep -q ',22_sizes,' "$report/charts.csv" && echo 22_sizes)
for part in 00_slide 01_ladder 02_speedup 03_conflicts 17_roofline 19_ledger 20_waterfall $sizes \
    24_causes page data markdown 'useful work' 'global memory'; do
    prints "$part:" "  $part was compared"
done

contains "$report/charts.csv" 'the roof of L1 lies over' \
    'where DRAM is the roof of no rung, that of L1 is drawn'
intensity=$(rows_where "$report/metrics.csv" '$at["family"] == "gemm" && $at["best"] == 1 &&
    $at["variant"] ~ /^03/ && $at["size"] == "2048x2048x2048" && $1 = sprintf("%.4f",
    $at["useful_operations"] / 128 / $at["l1_wavefronts"])' | sed -n 2p | cut -d ' ' -f 1)
drawn=$report/charts/17_roofline-gemm-2048x2048x2048.csv
is "$(awk -F , '$2 == 3 { printf "%.4f", $3 }' "$drawn")" "$intensity" \
    '  with the bytes of its wavefronts'

# The fastest library is at 1 times its own speed.
library=$(rows_where "$report/metrics.csv" '$at["family"] == "gemm" && $at["speedup_library"] == 1 &&
    $at["size"] == "2048x2048x2048" && $at["best"] == 1' | sed -n 2p | cut -d , -f 2)
expect 0 'a rung and the library' "$WHYFAST" explain "$report" "gemm/$library" gemm/22
prints 'in the same rounds ' '  are compared in the rounds that timed both'

numbers "$WHYFAST"
result $? 'numbers that stand at two places are compared'
is "$(sed '$d' "$work/out" | head -n 20)" '' '  none has two values'
others=$(cut -d , -f 1,3 "$report/metrics.csv" | sort -u | cut -d , -f 1 | uniq -d)
for part in time speed-up low high 'noise floor' change 'saved by a cause' share 'witness before' \
    'cost of conflicts' 'excess wavefronts' 'percent of peak' '× library' 'low over library' \
    'beside the library' 'explain LIBRARY RUNG --json' shape_map.csv 'main cause' sentence \
    00_slide 01_ladder 02_speedup 03_conflicts 19_ledger 20_waterfall index.html 'ladder-*.html' \
    'ladder-*.js' 'compare-*.js' "compare-*.js${others:+, other sizes}" \
    conflicts.html report.md explain 'explain --json' \
    'explain FAMILY' conflicts 'ranking of conflicts' 'conflicts --json'; do
    is "$(($(sed -n "\$s/.*\(^\|; \)$(echo "$part" | sed 's/[*.]/\\&/g'): \([0-9]*\).*/\2/p" \
        "$work/out") > 2))" 1 "  $part was compared"
done

# unlinked: prints the pictures that no page links.
unlinked() {
    for drawn in "$report"/charts/*.svg; do
        grep -qF "href=\"charts/$(basename "$drawn")\"" "$report"/*.html || basename "$drawn"
    done
}
none "$(looked unlinked <"$report/charts.csv")" 'every picture that is drawn is linked from a page'
cp "$report/charts/03_conflicts.svg" "$report/charts/99_planted.svg"
is "$(unlinked)" 99_planted.svg '  a planted picture without a link is found'
rm "$report/charts/99_planted.svg"
# foreign: prints the pictures on pages of ladders that are not of that ladder.
foreign() {
    while read -r page; do
        family=$(basename "$page" .html)
        grep -o 'href="charts/[^"]*\.svg"' "$page" | grep -vE "[0-9]_[a-z_]+-${family#ladder-}[-.]"
    done
}
none "$(ls "$report"/ladder-*.html | looked foreign)" 'the page of a ladder has its own pictures only'
is "$(sed 's|charts/01_ladder-[^.]*|charts/31_peaks|' "$report/ladder-gemm.html" >"$work/ladder-gemm.html"
    echo "$work/ladder-gemm.html" | foreign | sort -u)" 'href="charts/31_peaks.svg"' '  a planted one is found'
none "$(looked grep -oE '(href|src)="[^#"][^"]*"' <"$report/report.html")" \
    'the report in a single file needs none of them'

# changed FILE SED NAME [SCRIPT [PATTERN]]: the comparison finds the number that the expression
# changes, in a line like the pattern.
changed() {
    cp "$report/$1" "$work/kept"
    sed "$2" "$work/kept" >"$report/$1"
    if cmp -s "$report/$1" "$work/kept"; then result 1 "$3: nothing was changed"; fi
    for compare in pictures numbers; do
        [ "${4:-$compare}" = "$compare" ] || continue
        $compare
        is "$(($(sed '$d' "$work/out" | grep -c "${5:-.}") > 0))" 1 \
            "a changed $3 is found by $compare.py"
    done
    cp "$work/kept" "$report/$1"
}
size=gemm-2048x2048x2048
# All but the one of the sign put a digit before a number, whatever that is in the newest run.
changed charts/00_slide-$size.csv '2s/,/&1/' 'bar of the slide'
changed charts/01_ladder-$size.csv '3s/,kernel,/&1/' 'speed'
changed charts/02_speedup-$size.csv '2s/,/&1/' 'speed-up'
changed charts/03_conflicts.csv '2s/,/&1/' 'cost of conflicts'
changed charts/17_roofline-$size.csv 's/,1$/,2/' 'number beside a point' pictures
changed charts/24_causes-$size.csv '2s/−/+/' 'sign of a cause' pictures
changed charts/20_waterfall-$size-02_coalesced.csv '3s/,−/&1/' 'bar of a waterfall'
changed charts.csv '/^24_causes-gemm-/s/\( in [^,]*, \)\([0-9]\)/\11\2/' 'title' pictures
changed charts/19_ledger-gemm_tensor-4096x4096x4096.csv 's/\(,work,\)\([0-9]\)/\19\2/' 'useful work' pictures
changed charts/19_ledger-reduce-134217728.csv 's/\(,global_memory,\)[0-9.]*/\11/' 'time that DRAM needs' \
    pictures '^global memory: '
changed charts.csv '/^19_ledger-gemm-/s/ spends /&1/' 'share in a title' pictures
# A run of one size of each ladder has no picture of another one.
[ -z "$sizes" ] ||
    changed charts.csv '/^27_published-reduce-/s/ (n = [^)]*)//' 'size in a title' pictures
changed conflicts.html 's/class="number">/&1/' 'cost on a page'
changed ladder-gemm.html 's/class="unit">−/&9/' 'main cause on a page'
changed ladder-gemm.js 's/"moved":"−/"moved":"+/' 'cause in the data of a page'
changed report.md 's/ faster, / slower, /' 'sentence in report.md'
changed report.md 's/| Naive [0-9]/&1/' 'time of a ladder in report.md' numbers
changed index.html 's/<b>[0-9]/&1/' 'time on index.html' numbers
changed index.html 's/&nbsp;%\( *<br>\)/0\&nbsp;%\1/' 'percentage of the peak on index.html' numbers
changed ladder-gemm.js 's/"interval":"[0-9]/&1/' 'interval in the data of a page' numbers
changed ladder-gemm.js 's/"ns":[0-9]/&1/' 'time in the data of a page' numbers
changed compare-gemm.js 's/",\[\[[0-9]*,/&1/' 'saved time on compare.html' numbers
pair='\(\[[0-9]*,[0-9]*,[0-9],\)\([0-9.]*,\)\([0-9.]*,[0-9.]*,[0-9.]*,"\)'
changed compare-gemm.js "s/$pair/\\19\\2\\3/g" 'ratio to the library on compare.html' numbers \
    '^× library of'
changed compare-gemm.js "s/$pair/\\1\\29\\3/g" 'interval beside the library' numbers \
    '^low over library of'
changed ladder-gemm.html 's/has [0-9.]*× the speed of/is as fast as/' \
    'word about the library on a page' numbers '^beside the library of'
finish
