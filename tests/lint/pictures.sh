#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Draws every picture of the run of tests/fixture, and names those that cannot be drawn. Its tables
# are extended by what some pictures are of: settings of other names, and a map of many shapes.
. "${ROOT:-.}/tests/tap.sh"
run=$work/run
cp -R "$(fixture_run)" "$run"
sed -i '/^reduce,07_/s/,loads,/,threads,/; s/,KiB in flight,/,words,/' "$run/variants.csv"
awk -F , -v OFS=, '
    NR > 1 && !seen[$1]++ && ($1 == "gemm_tensor" || $1 == "reduce") {
        for (m = 64; m <= 256; m *= 2)
            for (n = 64; n <= 256; n *= 2) {
                $2 = $1 == "gemm_tensor" ? m "x" n "x64" : m * m * n
                $3 = $1 == "gemm_tensor" ? m : ""
                $4 = $1 == "gemm_tensor" ? n : $2
                $5 = $1 == "gemm_tensor" ? 64 : ""
                print
            }
    }' "$run/shape_map.csv" >"$work/map"
cat "$work/map" >>"$run/shape_map.csv"

expect 0 'every picture is drawn' "$WHYFAST" plot "$run"
is "$(complaints)" '' '  gnuplot and SQL have nothing to say'
sed 1d "$run/charts.csv" | cut -d , -f 1 >"$work/charts"
while read -r chart; do
    result "$([ -s "$run/charts/$chart.svg" ] && [ -s "$run/charts/$chart.png" ]; echo $?)" \
        "  $chart"
done <"$work/charts"
for script in "$ROOT"/plots/[0-9]*.gp; do
    script=$(basename "$script" .gp)
    is "$(($(grep -cE "^$script(-|\$)" "$work/charts") > 0))" 1 "plots/$script.gp has a picture"
done

# ---- what a reader would stumble over ------------------------------------------------------------

fact() { sed -n "s/^$1: //p" "$run/run.txt"; }
origin="$(fact device_name) · $(fact date | cut -c 1-10) · whyfast $(fact whyfast_version) ($(fact \
    git_revision))"
faults() { python3 -B "$ROOT/tests/lint/pictures.py" "$origin" "$@"; }
# planted SED WORDS: a fault that the expression plants in a picture is found.
planted() {
    sed "$1" "$bars" >"$work/planted.svg"
    is "$(($(faults "$work/planted.svg" | grep -c "$2") > 0))" 1 "  a planted one is found: $2"
}
if command -v python3 >/dev/null; then
    none "$(faults "$run"/charts/*.svg | looked sed '$d')" \
        'each says device, date and program; no text is cut, small or in the way'
    bars=$(find "$run/charts" -name '01_ladder-reduce-*.svg')
    planted "s/ · whyfast .*<\/text>/<\/text>/" lacks
    planted 's/peak [0-9]* GB/peak … GB/' 'is cut'
    planted 's/font-size="15"/font-size="13"/' 'has 13.0 pixels'
    planted 's/translate(24,/translate(-24,/' 'leaves the picture'
    planted 's/translate(24,[0-9.]*)/translate(24,36)/' overlap
    planted 's|^</svg>|<text transform="translate(24,60)" font-size="16" text-anchor="end">a</text>\
<text transform="translate(24,82)" font-size="16" text-anchor="end">b</text>&|' 'is too near'
    planted "s/\(stroke-dasharray='[0-9.,]*'  d=\)'[^']*'/\1'M60.00,700.00 L60.00,10.00'/" \
        'struck through'
else
    skip 'python3 is not installed'
fi
cut='"[^"]*,[^"]*"'
none "$(ls "$run"/charts/*.csv | looked xargs grep -HE "$cut")" \
    'no cell has a comma, at which gnuplot would cut it'
is "$(echo '3,"−9.671 µs, partly offset",1.02' | grep -cE "$cut")" 1 '  a planted one is found'
# What spans decades on a logarithmic axis has no length that compares: bars that say how much begin
# at 0; only those of ratios are logarithmic.
none "$(grep -lE 'with boxxyerror|@bars' "$ROOT"/plots/[0-9]*.gp | xargs grep -l 'set logscale x' |
    looked grep -vE '/(00_slide|02_speedup)\.gp$')" 'no bar of an amount on a logarithmic axis'


# ---- what a picture says --------------------------------------------------------------------------

# each_row: prints the pictures with a row for which `bad`, an awk expression over its cells, holds.
each_row() {
    xargs awk -F , '
        FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; if (NR > 1) ends(); last = FILENAME; next }
        { rows() }
        END { ends() }'"$1"
}
none "$(ls "$run"/charts/03_conflicts-*.csv | looked each_row '
    function rows() { if ($at["value"] != "") lose++ }
    function ends() { if (lose < 2) print last; lose = 0 }')" \
    'conflicts are drawn where more than one rung loses time to them'
none "$(ls "$run"/charts/07_sweep-*.csv | looked each_row '
    function rows() { seen[$at["at"]]; if ($at["value_text"] == "best") best[$at["at"]]++ }
    function ends() { for (i in seen) if (best[i] != 1) print last, i; split("", seen); split("", best) }')" \
    'one setting of a rung is the best'
none "$(ls "$run"/charts/19_ledger-*.csv | looked each_row '
    function rows() { if ($at["upto"] != "") upto[$at["at"]] = $at["upto"]; if ($at["at"]) many = 1 }
    function ends() {
        for (i in upto) if (upto[i] != 100) print last, i, upto[i]
        if (!many) print last, "one row"
        split("", upto)
        many = 0
    }')" 'the parts of a time are shares of it, of more than one rung'
none "$(ls "$run"/charts/11_coalescing-*.csv | looked each_row '
    function rows() { if ($at["value"] < 0.05) print last, $at["label"] }
    function ends() {}')" 'only rungs with unused sectors are drawn'
none "$(ls "$run"/charts/15_stalls-*.csv | looked each_row '
    function rows() {
        if ($at["at"] != row) sum = value[1] = value[2] = 0
        row = $at["at"]
        if ($at["value_text"] ~ /%/ && (value[1] - sum > 0.6 + 0.05 * value[1])) print last, $at["label"], value[1], sum
        sum += value[1]; value[1] = value[2]; value[2] = $at["value_text"] + 0
    }
    function ends() { row = "" }')" 'the waits of a warp add up to all of them'
none "$(ls "$run"/charts/20_waterfall-*.csv | looked each_row '
    function rows() { if ($at["kind"] != "full" && $at["direction"]) named = 1 }
    function ends() { if (!named) print last; named = 0 }')" \
    'a waterfall has a significant cause'
none "$(ls "$run"/charts/24_causes-*.csv | looked each_row '
    function rows() {
        if ($at["value_text"] !~ /^(·|(−|[+])[0-9]+( [0-9][0-9][0-9])*([.][0-9]+)?)$/) print last, $at["value_text"]
    }
    function ends() {}')" 'causes of all steps have one unit'
none "$(ls "$run"/charts/17_roofline-*.csv | looked each_row '
    function rows(x, y) {
        x = $at["intensity"]; y = $at["tflops"]
        if (!low || x < low) low = x
        if (x > high) high = x
        if (!slow || y < slow) slow = y
        if (y > fast) fast = y
    }
    function ends() { if (high < 1.5 * low && fast < 2 * slow) print last; low = high = slow = fast = 0 }')" \
    'a roofline has points that differ'

# A group of causes has one colour and one place, in records, on pages and in pictures.
style=$ROOT/plots/style.gp
# in_pictures STYLE: prints the areas and their colours, in their order.
in_pictures() {
    sed -n '/^areas_known = /,/[^\\]$/s/.*'"'\(.*\)'"'.*/\1/p' "$1" | tr -s ' ' '\n' |
        grep . >"$work/areas"
    sed -n 's/^area_colours = //p' "$1" | grep -o '0x[0-9a-f]*' | paste -d ' ' "$work/areas" -
}
in_pages=$(grep -oE -- '--(work|instructions|shared_memory|global_memory|synchronisation'\
'|launch_and_tail): #[0-9a-f]{6}' "$ROOT/reports/pages/whyfast.css" | sed 's/^--//; s/: #/ 0x/')
is "$(in_pictures "$style" | sed '$d')" "$in_pages" 'pages and pictures have the same colours'
is "$(in_pictures "$style" | cut -d ' ' -f 1)" \
    "$(sed -n 's/^area //p' "$ROOT/metrics/causes.metric")" '  and the order of the records'
sed 's/0x009e73 0xe69f00/0xe69f00 0x009e73/' "$style" >"$work/style.gp"
is "$([ "$(in_pictures "$work/style.gp" | sed '$d')" = "$in_pages" ]; echo $?)" 1 \
    '  planted exchanged ones are found'

awk -F , -v OFS=, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "shared_load_instructions") at = i }
    $2 == "03_sequential" { $at *= 2 }
    { print }' "$run/metrics.csv" >"$work/metrics" && mv "$work/metrics" "$run/metrics.csv"
echo 'program_starts: 1' >>"$run/run.txt"
expect 0 'the pictures of other counts are drawn' "$WHYFAST" plot "$run"
is "$(grep -c '^32_lanes' "$run/charts.csv")" 0 '  no map of lanes that do not load as counted'
none "$(ls "$run"/charts/03_*.svg "$run"/charts/1[159]_*.svg | looked xargs grep -hE '<text.*\brungs?\b')" \
    '  of the kernels of a program none speaks of rungs'
finish
