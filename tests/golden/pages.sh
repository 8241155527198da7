#!/bin/sh
# Tests pages of the recorded run: conflicts.html ranks the kernels as 'whyfast conflicts' does,
# compare.html shows of pairs of rungs what 'whyfast explain A B' says, and index.html, method.html
# and the ladders say what their numbers are of.
. "${ROOT:-.}/tests/tap.sh"
recorded=$(fixture_run)
node=$(command -v node)
expect 0 'a report' env PATH=/nowhere "$WHYFAST" report "$recorded" -o "$work/report"

# ---- conflicts -----------------------------------------------------------------------------------

page=$work/report/conflicts.html
expect 0 'the ranking' "$WHYFAST" conflicts "$work/report" --csv
awk -F , "$by_name"'NR > 1 && $at["excess"] > 0 { print $at["family"] "-" $at["variant"] }' \
    "$work/out" >"$work/ranked"
is "$(($(wc -l <"$work/ranked") > 20))" 1 '  has kernels with conflicts'
none "$(sed -n 's/^.*<details class="kernel" id="\([^"]*\)".*$/\1/p' "$page" |
    looked diff - "$work/ranked")" 'conflicts.html has them in this order'
contains "$page" \
    'kernels/gemm/13_async_copies.cu:24</b> Asynchronous copies of 4 bytes per lane: 17 wavefronts instead of 1' \
    '  with their lines'
contains "$page" ', of which each further cache line takes one' '  and what is no conflict in them'
# A copy of the machine code without conflicts has no copies from several cache lines, either.
case $recorded in
*-slice) lacks "$page" 'with copies from several cache lines' '  all of it, without knock-outs' ;;
*)
    contains "$page" 'measured with copies from several cache lines' \
        '  and that a measured cost is of both'
    ;;
esac
contains "$page" 'reads of sum[first], stride 8: 8 wavefronts instead of 1' '  and bank maps'
sed 's/<wbr>//g; s/&nbsp;/ /g' "$page" >"$work/page"
contains "$work/page" '11_zigzag.cu:20) and 3 other lines, 25 % each<' \
    '  and how many lines tie for the worst'
grep -qE '<b>kernels/gemm/classic\.h:[0-9]+</b> \(called at' "$work/page"
result $? '  and calls, as a ladder has them'
contains "$page" 'No bank map: only loads and stores are described' '  or why there is none'
contains "$page" '>reduce/18_volatile: ' '  and kernels that were not counted'
lacks "$page" '<b>:</b>' '  and no place without a file'

is "$(grep -c '<li>17 Last warp' "$work/report/ladder-reduce.html")" 1 \
    'a rung that is wrong at every size has one line'
none "$(ls "$work"/report/ladder-*.html | looked xargs grep -l '"Of [a-z]*">0&nbsp;%')" \
    'no rung without a time has a share of the peak'
contains "$work/report/ladder-reduce.js" \
    '"no_text":"The run has no text of kernels/reduce/18_volatile.cu: its lines were not counted."' \
    'a step without code has the reason'

# apart: prints the numbers in pages that a line may part from their units. Code is as it is.
apart() { xargs sed '/<pre/,/<\/pre>/d' | grep -oE '[0-9] (%|(n|µ|m)?s|GB/s|MHz)([^a-zA-Z0-9_%]|$)'; }
none "$(ls "$work"/report/*.html | looked apart)" 'no page parts a number from its unit'
echo '<p>It takes 3 % more: 12.5 µs.</p>' >"$work/parted.html"
is "$(echo "$work/parted.html" | apart | wc -l)" 2 '  planted ones are found'

# powers: prints the powers of two whose exponent is not raised. Code is as it is, and so are
# formulas of a source.
powers() { xargs sed '/<pre/,/<\/pre>/d; s/<code[^>]*>[^<]*//g' | grep -oE '(^|[^a-zA-Z0-9_.])2\^[0-9]+'; }
ls "$work"/report/*.html "$work/report/report.md" "$work/report/coverage.md" >"$work/pages"
none "$(looked powers <"$work/pages")" 'every page raises the exponent of a power'
is "$(($(xargs cat <"$work/pages" | grep -o '2²[²⁴⁹]' | wc -l) > 20))" 1 '  of which there are some'
echo '<p>At 2^24, not <code>2^24</code>.</p>' >"$work/low.html"
is "$(echo "$work/low.html" | powers | wc -l)" 1 '  a planted one is found'

# A count in a script is as the tables have it: a rounded one would look exact.
script=$work/report/compare-gemm.js
size=$(sed -n 's/.*"size": "\([^"]*\)".*/\1/p' "$script")
none "$(column "$work/report/metrics.csv" family size best warp_instructions |
    awk -F '\t' -v size="$size" '$1 == "gemm" && $2 == size && $3 == 1 && $4 != "" { print $4 }' |
    while read -r count; do
        if grep -q "[[,]${count}[],]" "$script"; then echo in; else echo "not $count"; fi
    done | looked grep '^not')" 'the script of a comparison has whole counts'
# settled: prints settings without words.
settled() { xargs grep -ohE '(>|, )setting [0-9]+|with [a-z_]+=[01]'; }
none "$(ls "$work"/report/ladder-*.html "$work/report/report.md" | looked settled)" \
    'settings are in words'
is "$(printf '<p>n = 5, setting 8: 1.1× with a=1.\n' >"$work/set.html"
    echo "$work/set.html" | settled | wc -l)" 2 '  planted ones are found'
# doubled: prints the names of metrics that have their unit twice.
doubled() { grep -oE '"title":"[^"]*","unit":"[^"]*"' | awk -F '"' '
    { words = tolower($4); unit = tolower($8) } unit != "" && index(words ", ", unit ", ") + index(words, ", " unit)'; }
none "$(cat "$work"/report/ladder-*.js | looked doubled)" 'no metric has its unit twice'
is "$(echo '"title":"Blocks","unit":"blocks"' | doubled | wc -l)" 1 '  a planted one is found'

# ---- the peak and the library --------------------------------------------------------------------

# These figures are of the run that is kept for the tests; check-record reads other runs, too.
kept_figures() {
    peak='at 1980 MHz, 89 % at the 1565 MHz that the 700 W limit allows between pauses'
    for page in index.html report.md ladder-gemm_tensor.html; do
        sed 's/&nbsp;/ /g' "$work/report/$page" >"$work/page"
        contains "$work/page" "$peak" \
            "$page has the peak at the clock that the limit allows"
    done
    is "$(grep -c ' MHz' "$work/report/ladder-gemm.html")" 0 \
        '  and none where the clock was not lowered'

    expect 0 'what a rung may gain' "$WHYFAST" explain "$work/report" reduce/7
    contains "$work/out" ': at most 13.' '  is bounded by the hardware'
    contains "$work/out" 'for the hardware needs 111.5 µs' \
        '  which needs the bytes at the peak of the bus'
    contains "$work/report/ladder-reduce.js" 'for the hardware needs 111.5 µs' '  on the page, too'

    # The fastest rung is 1.005 times as fast, within the noise of the two; no line says that it is
    # faster.
    contains "$work/report/report.md" '1.005×, as fast' 'a speed within the noise is no other speed'
    contains "$work/report/index.html" '>as fast as cublasLt, tried<' '  on the index'
    contains "$work/report/ladder-gemm_tensor.html" 'The fastest rung is as fast as' '  on its page'
    contains "$work/report/ladder-gemm.html" 'The fastest rung has 1.1' '  and another one has its ratio'

    sed 's/&nbsp;/ /g' "$work/report/index.html" >"$work/page"
    contains "$work/page" 'Stopped by DRAM, busy 96 %.<' 'what stops a ladder is said'
    contains "$work/page" 'Stopped by tensor arithmetic, busy 89 % at 1565 of 1980 MHz, which power limits.<' \
        '  which may be the power of the board'
    contains "$work/page" 'No unit is at its limit; the busiest is instruction issue, 75 %.<' \
        '  or the busiest unit'
    sed 's/&nbsp;/ /g' "$work/report/ladder-gemm_tensor.html" >"$work/page"
    contains "$work/page" 'Without pauses, the power limit of 700 W allows only 1260 MHz. Largest cost left:' \
        '  and more on its page'
}
case $recorded in
*-slice) kept_figures ;;
*) skip 'figures of the run that is kept for the tests' ;;
esac

# ---- the glossary --------------------------------------------------------------------------------

none "$(ls "$work"/report/*.html | looked xargs grep -L 'href="method.html#glossary"')" \
    'every page links the glossary'
is "$(cat "$work"/report/*.html | grep -c 'id="glossary"')" 1 '  which stands at one place'

# ---- compare -------------------------------------------------------------------------------------

all=$(cat "$work"/report/compare-*.js | wc -c)
others=$(cat "$work"/report/compare-*-*.js | wc -c)
is "$((all - others < 1000000))" 1 'the data of compare.html take less than 1 MB'
is "$(wc -c "$work"/report/compare-*-*.js | awk '$2 != "total" && $1 >= 150000' | wc -l)" 0 \
    '  and those of another size, which it loads when that is chosen, less than 150 kB of a ladder'
if [ -z "$node" ]; then
    skip 'node is not installed'
    finish
fi
"$node" "$ROOT/tests/golden/compare_page.js" "$work/report" "$WHYFAST" >"$work/compared"
result $? 'compare.html has data that are JSON'
is "$(sed '$d' "$work/compared" | head -n 20)" '' '  which say of each pair what explain says'
read -r pairs reverse library ladders <<END
$(tail -n 1 "$work/compared")
END
is "$((pairs >= 20 && reverse >= 4 && library >= 2 && ladders >= 3))" 1 \
    "  $pairs pairs, $reverse in reverse, $library with a library, of $ladders ladders"

# ---- what numbers are of -------------------------------------------------------------------------

contains "$work/report/index.html" '<code class="unit">gemm</code>' 'the index has the names of ladders'
method=$(tr '\n' ' ' <"$work/report/method.html")
is "$(echo "$method" | grep -o 'farther end of the interval of the ratio' | wc -l)" 2 \
    'the method defines the noise floor as its fact does'
wide=$(awk -F , "$by_name"'NR > 1 && $at["time_high_ns"] > $at["time_low_ns"] {
        half = 50 * ($at["time_high_ns"] - $at["time_low_ns"]) / $at["time_ns"]
        times++; wide += half > 0.5; if (half > most) most = half }
    END { printf "Of %d times, %d have a wider interval than ± 0.5&nbsp;%%: .* ± %.2g&nbsp;%% at most", times, wide, most }' \
    "$work/report/metrics.csv")
echo "$method" | grep -q "$wide"
result $? '  and says how wide the intervals are that did not converge'
bars() { sed -n '/<div class="bounds"/,/<\/div>/p' "$work/report"/ladder-*.html; }
is "$(($(bars | grep -o '<b>busy [0-9]* *[^<]*%</b>' | wc -l) > 50))" 1 'bars of units say busy'
none "$(bars | looked grep -n 'of peak')" '  and not "of peak", which is of the task'

# ---- the code ------------------------------------------------------------------------------------

none "$(cat "$work"/report/compare-*.js | looked grep -oE '"kernels/[^"]*",":? *\\"[^]]*')" \
    'of inline assembly no page shows the operands alone'
none "$(sed -n '/^metrics:/{n;p;}' "$work"/report/ladder-*.js | looked grep -oE '"[a-z0-9_]+":\{(\}|"unit)')" \
    'every number that shows a cause has words'

# changes: prints what is wrong with the changes of code that the pages show, then their numbers.
changes() { "$node" "$ROOT/tests/golden/changes.js" "$work/report" "$@" >"$work/changes"; }
changes
result $? 'the changes of code are found'
is "$(sed '$d' "$work/changes" | head -n 20)" '' '  without what describes a rung to whyfast'
read -r all changed helpers cells told <<END
$(tail -n 1 "$work/changes")
END
is "$((all >= 15 && changed >= all * 9 / 10 && helpers >= 6))" 1 \
    "  of $all steps $changed have one, $helpers of them in a function of a header"
changes gemm/08_double_buffer
is "$(grep -c 'gemm_double_buffer\|gemm_wide_loads' "$work/changes")" 0 '  another name of a kernel is none'
contains "$work/changes" 'kernels/gemm/classic.h multiply_double_buffered(float' \
    '  and a function that only one rung calls is'
# The lines of experiments are in a whole run only.
case $recorded in
*-slice) is "$cells" 0 '  and no cell of an experiment is compared without its lines' ;;
*)
    is "$((told >= cells * 9 / 10 && cells > 30))" 1 \
        "  and of $cells cells of experiments $told tell the code that their switches change"
    changes gemm_ablation/03_conflict_free
    contains "$work/changes" 'if (S::conflict_free) return' \
        '  so does a line that a switched constant decides'
    ;;
esac
finish
