#!/bin/sh
# shellcheck disable=SC2086 # lists of words
# Tests the top rungs against the vendor's library: timed in the same rounds, at sizes from 256 KiB
# to 2 GiB. The best kernel of each family must not be slower at any size, by the lower end of the
# interval of the ratio, and must move 4600 GB/s of useful bytes at 2^29. Prints TAP.
#
# PATTERN is a pattern of family/variant; without it, the script takes every rung from 10 on of the
# families named reduce..., every library, and every variant that claims something about the
# library. Families have sizes of RANK dimensions (1). (library_batched.sh has batched sums,
# library_gemm.sh and library_shapes.sh the matrix product. The CPU is left out.) SIZES are the
# sizes, OPTIONS further options of measure, LEAST_SPEEDUP and LEAST_GBS the least figures;
# LEAST_MEAN is that of the geometric mean of a family's speed-ups, which is then judged in place of
# each. Keeps the run in $RUN if that is set.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
SIZES=${SIZES:-65536 1048576 4194304 16777216 67108864 134217728 536870912 536870913}
place=${RUN:-$work/run}

# wanted FAMILY/VARIANT: succeeds if the variant is to be timed.
wanted() {
    # shellcheck disable=SC2254 # a pattern
    case $1 in
    */*_cpu_*) return 1 ;;
    ${PATTERN:-reduce*/[1-9]?_*}) return 0 ;;
    */9?_*) [ -z "${PATTERN:-}" ] ;;
    *) [ -z "${PATTERN:-}" ] && "$WHYFAST" list "$1" | grep -q '^ *expects:.*\(speedup\|slower_than\)_library' ;;
    esac
}

names=
for family in $(families); do
    family_takes "$family" && [ "$rank" -eq "${RANK:-1}" ] || continue
    for variant in $(variants "$family"); do
        if wanted "$family/$variant"; then names="$names $family/$variant"; fi
    done
done
sizes=
for size in $SIZES; do
    if fits "$size"; then
        sizes="$sizes,$size"
    else
        skip "$size elements do not fit into this machine's memory"
    fi
done
if [ -z "$names" ] || [ -z "$sizes" ]; then
    result 1 "no variant matches '${PATTERN:-}', or no size fits"
    finish
fi
"$WHYFAST" measure $names -s "${sizes#,}" ${OPTIONS:-} -o "$place" 2>&1 | sed 's/^/# /'
[ -s "$place/points.csv" ]
result $? "measured:$names"
"$WHYFAST" evaluate "$place" >"$work/out" 2>&1
result $? 'evaluated'
sed 's/^/# /' "$work/out"
# Rungs that show a mistake have these statuses.
wrong=$(faults "$place" | grep -ve ',wrong as expected,' -e ',right by luck,')
nothing "$wrong" "every point is right, or skipped"
kinds "$place" >"$work/kinds"

# The fastest kernel of each family and size, in its best setting.
column "$place/metrics.csv" family variant size sweep time_ns effective_gbs speedup_library \
    speedup_library_low speedup_library_high floor_pct |
    awk -F '\t' 'FNR == NR { split($0, part, ","); kind[part[1] "," part[2]] = part[3]; next }
        kind[$1 "," $2] == "library" { library[$1] = 1 }
        kind[$1 "," $2] == "kernel" && $5 != "" &&
            (!(($1, $3) in best) || $5 + 0 < time[$1, $3]) {
            best[$1, $3] = $0; time[$1, $3] = $5 + 0; family[$1, $3] = $1
        }
        END { for (k in best) if (library[family[k]]) print best[k] }' "$work/kinds" - |
    sort -t "$(printf '\t')" -k1,1 -k3,3n >"$work/best"
[ -s "$work/best" ]
result $? 'there is a kernel to compare with a library'
families_compared=$(cut -f 1 "$work/best" | sort -u | tr '\n' ' ')
points=$(wc -l <"$work/best")
wanted=$(($(echo $families_compared | wc -w) * $(echo "$sizes" | tr ',' '\n' | grep -c .)))
[ "$points" -eq "$wanted" ]
result $? "for each family and size: $points of $wanted"
echo '# family, size, kernel, setting: us, useful GB/s,' \
    'speed-up over the library [95 % interval], A/A floor in %'
tab=$(printf '\t')
while IFS=$tab read -r family size variant setting time gbs speedup low high floor; do
    echo "$family $size $variant $setting $time $gbs $speedup $low $high $floor" |
        awk '
            {
                printf "#   %-14s %10s %-22s %4s: %9.2f %8.1f   %.4f [%.4f, %.4f]   %.3f\n", $1,
                    $2, $3, $4, $5 / 1000, $6, $7, $8, $9, $10
            }'
    [ -n "${LEAST_MEAN:-}" ] || holds "x >= ${LEAST_SPEEDUP:-1.00}" \
        "$family at $size: lower end of the speed-up over the library (>= ${LEAST_SPEEDUP:-1.00})" \
        "$low"
    if [ "$size" = 536870912 ]; then
        holds "x >= ${LEAST_GBS:-4600}" "$family at 2^29: useful GB/s (>= ${LEAST_GBS:-4600})" \
            "$gbs"
    fi
done <<END
$(awk -F '\t' '
    BEGIN { OFS = "\t" }
    {
        for (i = 5; i <= 10; i++) if ($i == "") $i = "-"
        print $1, $3, $2, $4, $5, $6, $7, $8, $9, $10
    }' "$work/best")
END
[ -z "${LEAST_MEAN:-}" ] || for family in $families_compared; do
    holds "x >= $LEAST_MEAN" \
        "$family: geometric mean of the speed-up over the library (>= $LEAST_MEAN)" \
        "$(awk -F '\t' -v family="$family" '
            $1 == family { n++; if ($7 > 0) { sum += log($7); known++ } }
            END { if (n && n == known) printf "%.4f", exp(sum / n) }' "$work/best")"
done
finish
