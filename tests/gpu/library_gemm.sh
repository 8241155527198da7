#!/bin/sh
# shellcheck disable=SC2086 # lists of words
# Tests the top rung of the matrix product against both modes of cuBLAS: timed in the same rounds,
# and compared with the faster mode at each size. By the lower end of the interval of the ratio, it
# must not be slower for squares, nor much slower on average for shapes drawn at random: uniform,
# with one side below 64, and small. The script also prints whether it reaches its goals: 1.10 times
# the speed for large squares, 1.05 times on average for the others and 0.90 for each. Prints TAP.
#
# TOP is a pattern of family/variant; of several rungs the fastest counts at each size. SHAPES is
# the number of shapes drawn of each of the three kinds (20), from SEED. Keeps the runs in $RUN and
# $RUN-random if RUN is set.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
TOP=${TOP:-gemm/22*}
LIBRARY=${LIBRARY:-gemm/9*}
GOAL=1.10
SEED=${SEED:-20260713}
place=${RUN:-$work/run}

# draw COUNT: prints so many shapes M x N x K of each kind: with sides up to 4096; the same, but one
# side, each in its turn, up to 63; with sides up to 512. They are the same on every machine, by
# Lehmer's generator with the factor 48271 (Park, Miller, Stockmeyer, 1993), whose products awk's
# numbers hold exactly. Its first numbers are skipped because they depend on the small seed.
draw() {
    awk -v seed="$SEED" -v count="$1" '
        function side(most) { x = 48271 * x % 2147483647; return 1 + int(most * x / 2147483647) }
        function shape(m_most, n_most, k_most,    m, n) {
            m = side(m_most); n = side(n_most); print m "x" n "x" side(k_most)
        }
        BEGIN {
            x = seed
            for (i = 0; i < 16; i++) side(1)
            for (i = 0; i < count; i++) shape(4096, 4096, 4096)
            for (i = 0; i < count; i++)
                shape(i % 3 ? 4096 : 63, i % 3 == 1 ? 63 : 4096, i % 3 == 2 ? 63 : 4096)
            for (i = 0; i < count; i++) shape(512, 512, 512)
        }'
}

# compare RUN LABEL SIZES OPTION...: times them all, and writes to $work/best a row of the fastest
# kernel for each size: size, variant, time, TFLOP/s, % of the peak, speed-up over the library, both
# ends of its interval, A/A floor.
compare() {
    run=$1
    label=$2
    sizes=$3
    shift 3
    wanted=$(echo "$sizes" | tr ',' '\n' | grep -c .)
    start=$(date +%s.%N)
    "$WHYFAST" measure -q "$TOP" "$LIBRARY" -s "$sizes" "$@" -o "$run" >"$work/out" 2>&1
    report $? \
        "$label: measured in $(echo "$start $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }') s"
    grep -v "^$run\$" "$work/out" | sed 's/^/# /'
    : >"$work/best"
    if ! [ -s "$run/points.csv" ] || ! "$WHYFAST" evaluate "$run" >"$work/out" 2>&1; then
        sed 's/^/# /' "$work/out"
        report 1 "$label: evaluated"
        return
    fi
    wrong=$(faults "$run")
    nothing "$wrong" "$label: every point is right, or skipped"
    kinds "$run" >"$work/kinds"
    column "$run/metrics.csv" family variant size time_ns tflops tflops_pct_peak speedup_library \
        speedup_library_low speedup_library_high floor_pct |
        awk -F '\t' 'FNR == NR { split($0, part, ","); kind[part[1] "," part[2]] = part[3]; next }
            kind[$1 "," $2] != "kernel" || $4 == "" || $7 == "" { next }
            { if (!($3 in best)) order[++n] = $3; else if ($4 + 0 >= time[$3]) next }
            {
                time[$3] = $4 + 0
                best[$3] = $3
                for (i = 2; i <= 10; i++)
                    if (i != 3) best[$3] = best[$3] " " ($i == "" ? "-" : $i)
            }
            END { for (i = 1; i <= n; i++) print best[order[i]] }' "$work/kinds" - >"$work/best"
    awk -v label="$label" '
        BEGIN {
            print "# " label ": size, variant: us, TFLOP/s, % of the FP32 peak, " \
                "speed-up over the library [95 % interval], A/A floor in %"
        }
        {
            printf "#   %-16s %-14s %10.2f %8.2f %6.1f   %.4f [%.4f, %.4f]   %.3f\n", $1, $2,
                $3 / 1000, $4, $5, $6, $7, $8, $9
        }' "$work/best"
    [ "$(wc -l <"$work/best")" -eq "$wanted" ]
    report $? "$label: there is a rung and a library call to compare at each of $wanted sizes"
}

# ---- squares -------------------------------------------------------------------------------------

sizes=
for side in 64 128 256 512 1024 2048 4096 8192; do
    size=${side}x${side}x$side
    if fits "$size"; then
        sizes="$sizes,$size"
    else
        skip "$size does not fit into this machine's memory"
    fi
done
if [ -n "$sizes" ]; then compare "$place" squares "${sizes#,}"; else : >"$work/best"; fi
awk '{ print $1, $2, $7 }' "$work/best" >"$work/low"
while read -r size variant low; do
    holds 'x >= 1.00' \
        "$variant at $size: lower end of the speed-up over the library (>= 1.00)" "$low"
    case $size in 2048x* | 4096x* | 8192x*)
        echo "$low" |
            awk -v goal="$GOAL" '
                {
                    printf "#   the goal of %s is %s\n", goal,
                        ($1 >= goal + 0 ? "reached" : "not reached")
                }'
        ;;
    esac
done <"$work/low"

# ---- shapes at random ----------------------------------------------------------------------------

shapes=$(draw "${SHAPES:-20}" | paste -s -d, -)
compare "$place-random" "shapes at random, seed $SEED" "$shapes" --samples 25 --seconds 1
mean=$(awk '$6 > 0 { sum += log($6); n++ } END { if (n && n == NR) printf "%.4f", exp(sum / n) }' \
    "$work/best")
holds 'x >= 0.90' "geometric mean of the speed-up over the library, shapes at random (>= 0.90)" \
    "$mean"
awk '{ print $6, $1 }' "$work/best" | sort -g |
    awk '
        NR == 1 { low = $0 }
        { if ($1 >= 1) n++; high = $0 }
        END { if (NR) printf "# from %s to %s; %d of %d at 1 or above\n", low, high, n, NR }'
echo "# the goals are 1.05 on average, and 0.90 for the slowest"
echo "1..$count"
