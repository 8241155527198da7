#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Draws every picture of the run of tests/fixture, and names those that cannot be drawn. Its tables
# are extended by what some pictures are of: settings of other names, and a map of many shapes.
. "${ROOT:-.}/tests/tap.sh"
run=$work/run
cp -R "$(fixture_run)" "$run"
sed -i '/^reduce,07_/s/,loads,/,threads,/; s/,KiB in flight,/,words,/' "$run/variants.csv"
awk -F , -v OFS=, '
    NR > 1 && !seen[$1]++ && ($1 == "gemm" || $1 == "reduce") {
        for (m = 64; m <= 256; m *= 2)
            for (n = 64; n <= 256; n *= 2) {
                $2 = $1 == "gemm" ? m "x" n "x64" : m * m * n
                $3 = $1 == "gemm" ? m : ""
                $4 = $1 == "gemm" ? n : $2
                $5 = $1 == "gemm" ? 64 : ""
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
awk -F , -v OFS=, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "shared_load_instructions") at = i }
    $2 == "03_sequential" { $at *= 2 }
    { print }' "$run/metrics.csv" >"$work/metrics" && mv "$work/metrics" "$run/metrics.csv"
expect 0 'the pictures of other counts are drawn' "$WHYFAST" plot "$run"
is "$(grep -c '^32_lanes' "$run/charts.csv")" 0 '  no map of lanes that do not load as counted'
finish
