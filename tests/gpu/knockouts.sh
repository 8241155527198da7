#!/bin/sh
# Tests knock-outs on a GPU against pairs of kernels that differ in one thing (truth/knockouts.csv,
# beside this directory): what the knock-outs of a pair differ by is what their times differ by,
# within 3 % of the time, in nine of ten pairs. Tests that unchanged copies cost nothing, and that
# no copy fails. Keeps the tables in $OUT if that is set. Prints TAP, and each pair.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
PLANTED=${PLANTED:-$BUILD/planted/whyfast}
keep=${OUT:-$work}

# measure PROGRAM NAME WORDS...: knocks out the costs of these variants into $keep/NAME.csv.
measure() {
    program=$1
    name=$2
    shift 2
    "$program" knockout "$@" -o "$work/$name" >"$work/out" 2>"$work/$name.err"
    result $? "$name: the costs are knocked out" || explain "$(tail -n 3 "$work/$name.err")"
    cp "$work/$name/knockouts.csv" "$keep/$name.csv"
}
measure "$PLANTED" planted 'causes*/*' 'conflicts/*'
measure "$WHYFAST" products gemm_ablation -s 2048^3
measure "$WHYFAST" tensor gemm_tensor_ablation -s 4096^3
nothing "$(cat "$work"/*.err | grep 'the twin failed')" 'no copy fails'
cat "$keep/planted.csv" "$keep/products.csv" "$keep/tensor.csv" >"$work/all.csv"

# ---- unchanged copies ----------------------------------------------------------------------------

awk -F , '$9 == "nothing" && $16 != "" { x = $16 / $15; print 100 * (x < 0 ? -x : x) }' \
    "$work/all.csv" | sort -n >"$work/unchanged"
# quantile PERCENT: prints that of the unchanged copies.
quantile() {
    awk -v q="$1" '{ x[NR] = $1 } END { print x[int(1 + q * (NR - 1) / 100)] }' "$work/unchanged"
}
holds 'x >= 60' 'unchanged copies ran' "$(wc -l <"$work/unchanged")"
holds 'x <= 0.1' 'they save nothing: median, in % of the time' "$(quantile 50)"
holds 'x <= 1.5' '  and of 99 %' "$(quantile 99)"

# ---- pairs ---------------------------------------------------------------------------------------

awk -F , '
    FNR == 1 { file++ }
    file == 1 && FNR > 1 { with[++pairs] = $1; without[pairs] = $2; knockout[pairs] = $3 }
    file > 1 && $7 == 0 {
        name = $1 "/" $2
        if ($15 != "") time[name] = $15
        if ($16 != "") saved[name, $9] = $16
        # A few that are left alone weigh little: these pairs have their cost in a loop.
        left[name, $9] = 20 * $12 > $11 + $12 ? $12 : 0
    }
    END {
        for (i = 1; i <= pairs; i++) {
            a = with[i]
            b = without[i]
            k = knockout[i]
            if (!((a, k) in saved) || left[a, k] > 0 || left[b, k] > 0) {
                printf "absent %s %s: %d left alone\n", a, k, left[a, k] + left[b, k]
                continue
            }
            truth = time[a] - time[b]
            found = saved[a, k] - saved[b, k]
            printf "%.2f %s %s: %.1f of %.1f us, truth %.1f\n", 100 * (found - truth) / time[a], a,
                k, found / 1e3, time[a] / 1e3, truth / 1e3
        }
    }' "$here/../truth/knockouts.csv" "$work/all.csv" >"$work/pairs"
sed 's/^/# /' "$work/pairs"
holds 'x >= 15' 'pairs could be compared' "$(grep -vc '^absent' "$work/pairs")"
holds 'x >= 90' '  % of them within 3 % of the time' "$(grep -v '^absent' "$work/pairs" |
    awk '{ right += $1 >= -3 && $1 <= 3 } END { print 100 * right / NR }')"
finish
