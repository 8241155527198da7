#!/bin/sh
# Prints reports/figures.md: the figures of a recorded run that the other pages speak about. The run
# is unpacked and evaluated; make figures calls this.
#
#   sh tests/tools/figures.sh RUN
set -eu
LC_ALL=C
export LC_ALL
run=${1:?usage: figures.sh RUN}
fact() { sed -n "s/^$1: //p" "$run/run.txt"; }
by_name='FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; file++ } '
# The leading cells of these tables hold no commas.
metrics=$run/metrics.csv

# best FAMILY SIZE: prints the fastest rung there that is no library: its name and its setting.
best() {
    awk -F , -v family="$1" -v size="$2" "$by_name"'
        FNR > 1 && $1 == family && $at["size"] == size && $at["best"] == 1 && $2 !~ /^9/ &&
            $at["time_ns"] > 0 && (least == "" || $at["time_ns"] + 0 < least) {
                least = $at["time_ns"] + 0
                name = $2
            }
        END { print name }' "$metrics"
}
# cell FAMILY VARIANT SIZE FORMAT COLUMN: prints a cell of the best setting; VARIANT is the
# beginning of a name.
cell() {
    awk -F , -v family="$1" -v variant="$2" -v size="$3" -v format="$4" -v column="$5" "$by_name"'
        FNR > 1 && $1 == family && index($2, variant) == 1 && $at["size"] == size &&
            $at["best"] == 1 { printf format, $at[column]; exit }' "$metrics"
}
# row FAMILY SIZE PROBLEM FORMAT SPEED UNIT LIMIT WORDS: prints a row of the table about the fastest
# rung: its speed, the share of a limit (both columns of metrics.csv), and the library.
row() {
    rung=$(best "$1" "$2")
    printf '| %s | `%s` | %s %s | %s %% of %s | %s (%s to %s) |\n' "$3" "$1/$rung" \
        "$(cell "$1" "$rung" "$2" "$4" "$5")" "$6" "$(cell "$1" "$rung" "$2" %.1f "$7")" "$8" \
        "$(cell "$1" "$rung" "$2" %.3f speedup_library)" \
        "$(cell "$1" "$rung" "$2" %.3f speedup_library_low)" \
        "$(cell "$1" "$rung" "$2" %.3f speedup_library_high)"
}
# useful VARIANT: prints the share of the time of gemm at 2048 that is useful work.
useful() {
    awk -F , -v variant="$1" "$by_name"'
        FNR > 1 && $1 == "gemm" && index($2, variant) == 1 && $at["size"] == "2048x2048x2048" &&
            $at["cause"] == "work" { sum += $at["share_pct"] }
        END { printf "%.0f %%", sum }' "$run/levels.csv"
}
# sure_steps: prints the number of steps of 2 % or more, and of those that name no cause.
sure_steps() {
    awk -F , "$by_name"'
        FNR == 1 || $at["place"] != 0 || $at["saved_ns"] == "" { next }
        $at["status"] !~ /^(faster|slower)$/ { next }
        { open += $at["is_open"]; steps++ }
        END { print steps, open + 0 }' "$run/said.csv"
}

# shellcheck disable=SC2046 # three words
set -- $(sure_steps)
cat <<END
# Figures of the recorded run

\`make figures\` writes this page from the newest recorded run, \`$(basename "$run")\` ($(fact device_name),
$(fact date | cut -c 1-10), revision $(fact git_revision)), and \`make check-record\` says when it is stale.
No other page repeats these figures.

## The fastest rungs

A ratio above 1 is faster than the fastest library; the range is its 95 % interval.

| problem | rung | speed | share of the limit | over the library |
|---|---|---|---|---|
END
for power in 29 27 22; do
    row reduce $((1 << power)) "sum of 2^$power integers" %.0f effective_gbs GB/s \
        effective_pct_peak 'the memory bus'
done
for side in 8192 4096 2048 1024 256; do
    row gemm "${side}x${side}x$side" "product of $side x $side floats" %.1f tflops TFLOP/s \
        tflops_pct_peak 'the FP32 peak'
done
for side in 8192 4096 2048 1024; do
    row gemm_tensor "${side}x${side}x$side" "of bfloat16, on tensor cores, $side x $side" %.0f \
        tflops TFLOP/s tflops_pct_peak 'the peak of tensor cores'
done
half=$(best gemm_split 4096x4096x4096)
row gemm_split 4096x4096x4096 'of floats in pieces of 16 bits, 4096 x 4096' %.0f tflops TFLOP/s \
    tflops_pct_fp32_peak 'the FP32 peak'
cat <<END

- The first rungs reach $(cell reduce 01_ 536870912 %.0f effective_gbs) GB/s at 2^29 and $(cell gemm 01_ 8192x8192x8192 %.1f tflops) TFLOP/s at 8192.
- cuBLAS ran at $(cell gemm_split 90_ 4096x4096x4096 %.0f sm_clock_mhz) MHz in turns with the rungs of \`gemm_split\`, and alone at $(cell gemm_split 90_ 4096x4096x4096 %.0f sustained_clock_mhz) MHz:
  the ratio to it is too large by as much.
- The error of \`gemm_split/$half\` is $(cell gemm_split "$half" 4096x4096x4096 %.2f error_over_library) times that of cuBLAS.
- In the product of 2048 x 2048 floats, useful work takes $(useful 01_) of the time of the first rung,
  $(useful "$(best gemm 2048x2048x2048)") of that of the fastest one and $(useful 90_) of that of cuBLAS.

## Causes

Steps of 2 % or more that name no cause: $2, of $1 that change the time and have counters.
END
