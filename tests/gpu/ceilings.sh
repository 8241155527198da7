#!/bin/sh
# Tests the ceilings of the device as 'whyfast measure' finds them: all that its compute capability
# allows are there and verified, with tight intervals, within the data sheet's limits, in a few
# seconds. Set RUN to a directory to keep the run. Prints TAP.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
place=${RUN:-$work/run}

# The ceilings with one small point.
start=$(date +%s.%N)
"$WHYFAST" measure -v 'reduce/03*' --size 65536 --samples 25 -o "$place" >"$work/out" 2>&1
result $? 'a run of one small point and the ceilings'
seconds=$(echo "$start $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }')
sed 's/^/# /' "$work/out"
holds 'x < 10' 'seconds for all of it (< 10)' "$seconds"
sed 's/^/# /' "$place/ceilings.csv"

# of CEILING COLUMN: prints a cell. Titles may hold commas, so columns count from the end.
of() {
    awk -F , -v ceiling="$1" \
        -v column="$2" '
            BEGIN {
                n = split("value low high samples sm_clock_mhz status", name, " ")
                for (i = 1; i <= n; i++) from_end[name[i]] = n - i
            }
        $1 == ceiling { print $(NF - from_end[column]) }' "$place/ceilings.csv"
}
fact() { sed -n "s/^$1: //p" "$place/run.txt"; }
capability=$(fact device_compute_capability)
tensor=
case $capability in
7.*) ;;
9.0) tensor='mma_tflops wgmma_tflops' ;;
*) tensor=mma_tflops ;;
esac
[ "$capability" = 9.0 ] || {
    of wgmma_tflops status | grep -q '^absent: '
    result $? "wgmma_tflops: $(of wgmma_tflops status)"
}
for ceiling in read_gbs write_gbs copy_gbs launch_ns next_launch_ns l2_read_gbs shared_read_gbs \
    ldmatrix_gbs fma_tflops integer_gops clear_ns memory_latency_ns barrier_ns atomic_ns $tensor \
    host_launch_ns malloc_ns pool_malloc_ns; do
    [ "$(of $ceiling status)" = ok ]
    result $? "$ceiling: $(of $ceiling status)"
    awk -v low="$(of $ceiling low)" -v x="$(of $ceiling value)" -v high="$(of $ceiling high)" \
        'BEGIN { exit !(low != "" && low > 0 && low <= x && x <= high) }'
    result $? \
        "  $(of $ceiling value) lies in its interval, $(of $ceiling low) to $(of $ceiling high)"
    holds 'x >= 15' '  samples (>= 15)' "$(of $ceiling samples)"
done
for ceiling in read_gbs write_gbs copy_gbs l2_read_gbs shared_read_gbs ldmatrix_gbs fma_tflops \
    integer_gops memory_latency_ns barrier_ns atomic_ns $tensor; do
    holds 'x < 3' "$ceiling: width of the interval, % (< 3)" \
        "$(echo "$(of $ceiling low) $(of $ceiling high) $(of $ceiling value)" |
            awk '{ print 100 * ($2 - $1) / $3 }')"
done

# Compared with the device's facts, per SM and cycle at the clock of the samples. The memory's bus
# moves two words per cycle.
bus=$(awk -v bits="$(fact device_dram_bus_bits)" -v khz="$(fact device_dram_clock_khz)" \
    'BEGIN { print bits / 8 * khz * 2 / 1e6 }')
per_cycle() {
    awk -v x="$(of "$1" value)" -v mhz="$(of "$1" sm_clock_mhz)" -v sms="$(fact device_sm_count)" \
        -v scale="$2" 'BEGIN { if (mhz > 0) print scale * x / sms / (mhz / 1000) }'
}
holds 'x > 70 && x <= 100' 'reading, % of the bus (70 to 100)' \
    "$(awk -v x="$(of read_gbs value)" -v bus="$bus" 'BEGIN { print 100 * x / bus }')"
holds 'x > 60 && x <= 100' 'writing, % of the bus (60 to 100)' \
    "$(awk -v x="$(of write_gbs value)" -v bus="$bus" 'BEGIN { print 100 * x / bus }')"
holds 'x > 60 && x <= 100' 'copying, % of the bus (60 to 100)' \
    "$(awk -v x="$(of copy_gbs value)" -v bus="$bus" 'BEGIN { print 100 * x / bus }')"
awk -v l2="$(of l2_read_gbs value)" -v dram="$(of read_gbs value)" \
    -v shared="$(of shared_read_gbs value)" \
    'BEGIN { exit !(dram + 0 < l2 + 0 && l2 + 0 < shared + 0) }'
result $? 'the L2 cache is faster than device memory, and shared memory than both'
holds 'x > 110 && x <= 129' 'shared memory, bytes per SM and cycle (110 to 129)' \
    "$(per_cycle shared_read_gbs 1)"
holds 'x > 110 && x <= 129' 'matrix loads, bytes per SM and cycle (110 to 129)' \
    "$(per_cycle ldmatrix_gbs 1)"
# Operations per SM and cycle, at the clock that their load leaves: the peak is 4096, and for
# mma.sync two thirds of it.
if [ "$capability" = 9.0 ]; then
    holds 'x > 0.9 * 4096 && x <= 1.01 * 4096' 'wgmma, operations per SM and cycle (90 % of 4096)' \
        "$(per_cycle wgmma_tflops 1000)"
    holds 'x > 0.8 * 2731 && x <= 1.01 * 2731' \
        'mma.sync, operations per SM and cycle (80 % of 2731)' \
        "$(per_cycle mma_tflops 1000)"
    echo "# clock: wgmma $(of wgmma_tflops sm_clock_mhz) MHz," \
        "FFMA $(of fma_tflops sm_clock_mhz) MHz"
fi
lanes=$(per_cycle fma_tflops 500)
holds 'x > 0.9 * 64 && x <= 1.01 * 128' 'FFMA per SM and cycle (64 or 128 lanes)' "$lanes"
holds 'x > 0.9 * 64 && x <= 1.01 * 128' 'IADD3 per SM and cycle (64 or 128 lanes)' \
    "$(per_cycle integer_gops 1)"
holds 'x > 500 && x < 20000' 'a launch, ns' "$(of launch_ns value)"
awk -v next_ns="$(of next_launch_ns value)" -v first="$(of launch_ns value)" \
    'BEGIN { exit !(next_ns > 100 && next_ns + 0 <= first + 0) }'
result $? "the next one costs less: $(of next_launch_ns value) ns"
holds 'x > 250 && x < 1000' 'a load from device memory, ns' "$(of memory_latency_ns value)"
holds 'x > 5 && x < 60' 'a barrier of eight warps, ns' "$(of barrier_ns value)"
holds 'x > 0.2 && x < 10' 'an atomic addition to a word that all add to, ns' "$(of atomic_ns value)"
holds 'x > 0 && x < 5000' 'a memset of a word ahead of a launch, ns' "$(of clear_ns value)"
holds 'x > 500 && x < 50000' 'a launch on the clock of the host, ns' "$(of host_launch_ns value)"
awk -v launch="$(of host_launch_ns value)" -v pool="$(of pool_malloc_ns value)" \
    -v malloc="$(of malloc_ns value)" 'BEGIN { exit !(launch < pool && pool < malloc) }'
result $? "with memory from a pool $(of pool_malloc_ns value) ns, with cudaMalloc $(of malloc_ns value)"
finish
