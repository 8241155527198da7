#!/bin/sh
# Tests the charts and the report of a hand-made run of families whose speed is given in operations:
# one ladder of two rungs and a library, with stalls and accesses to shared memory; one grid of two
# ideas, x worth 1.25 and y worth 2; one copy. All do 4e9 operations on 1e8 bytes; the FP32 peak of
# the device is 66.908 TFLOP/s.
. "${ROOT:-.}/tests/tap.sh"

run=$work/run
mkdir "$run"
recorded=$(fixture_run)
cp "$recorded/run.txt" "$run/"
cat >"$run/families.csv" <<'END'
family,title,problem,useful_bytes_text,rate
ladder,A product,Multiply.,4 bytes each,operations
cells,Its ideas,Multiply.,4 bytes each,operations
over,A copy,Copy.,4 bytes each,operations
END
variants='family,variant,rung,title,after,suffers,changes,pays,factors,sweep_name,sweep_text,'\
'file,sass_hash,sass_status,kind'
{
    echo "$variants"
    echo 'ladder,01_slow,1,Slow,,s,c,p,,,,f,,absent,kernel'
    echo 'ladder,02_fast,2,"Fast, at last",01_slow,s,c,p,,,,f,,absent,kernel'
    echo 'ladder,90_library,90,Vendor,,s,c,p,,,,f,,absent,library'
    echo 'cells,01_none,1,None,,s,c,p,x=0 y=0 xy=1,,,f,,absent,kernel'
    echo 'cells,02_x,2,X,,s,c,p,x=1 y=0 xy=1,,,f,,absent,kernel'
    echo 'cells,03_y,3,Y,,s,c,p,x=0 y=1 xy=1,,,f,,absent,kernel'
    echo 'cells,04_both,4,Both,,s,c,p,x=1 y=1 xy=1,,,f,,absent,kernel'
    echo 'over,01_a,1,A,,s,c,p,,,,f,,absent,kernel'
    echo 'over,02_b,2,B,01_a,s,c,p,,,,f,,absent,kernel'
} >"$run/variants.csv"
# Columns: family, variant, time_ns, dram_bytes, name of the kernel.
cat >"$work/points" <<'END'
ladder 01_slow 400000 400000000 slow_kernel
ladder 02_fast 100000 40000000 fast_kernel
ladder 90_library 125000 80000000 sgemm_128x256
cells 01_none 400000 400000000 cell
cells 02_x 320000 400000000 cell
cells 03_y 200000 400000000 cell
cells 04_both 160000 400000000 cell
over 01_a 400000 400000000 copy
over 02_b 300000 400000000 copy
END
# rows HEADER AWK: prints a table with the rows that the awk program prints for each point; `at`
# names the point.
rows() {
    echo "$1"
    awk '{ at = $1 "," $2 ",512x512x512,0,0" } '"$2" "$work/points"
}
at='family,variant,size,block,sweep'
rows "$at,status,reason,useful_bytes,useful_operations,launches" \
    '{ print at ",ok,,100000000,4000000000,1" }' >"$run/points.csv"
rows "$at,launch,grid_blocks,block_threads,registers,static_shared_bytes,dynamic_shared_bytes,\
local_bytes,blocks_per_sm,theoretical_occupancy_pct,occupancy_limiter,\
closed_form_excess_wavefronts,max_block_threads,sass_shuffles,sass_warp_reductions,\
sass_barriers,sass_float_adds,kernel" \
    '{ print at ",0,16,256,128,8192,512,0,2,25,registers,0,256,0,0,1,0," $5 }' >"$run/launches.csv"
rows "$at,l2,kind,copy,samples,throttled,stop_reason" \
    '{ print at ",cold,end_to_end,a,8,0,converged"; print at ",cold,end_to_end,b,8,0,converged" }' \
    >"$run/series.csv"
rows "$at,l2,kind,copy,round,time_ns,sm_clock_mhz,status" \
    '{ for (i = 0; i < 16; i++)
        print at ",cold,end_to_end," (i % 2 ? "b," : "a,") int(i / 2) "," $3 ",1980,ok" }' \
    >"$run/samples.csv"
rows "$at,launch,repeat,counter_set,passes,counter,source,value,status" '
    function counter(name, value) {
        for (r = 0; r < 2; r++) print at ",0," r ",some,7," name ",x," value ",ok"
    }
    { counter("dram_read_bytes", $4); counter("dram_write_bytes", 0) }
    $1 == "ladder" {
        n = split("barrier long_scoreboard short_scoreboard mio_throttle lg_throttle " \
            "math_pipe_throttle dispatch_stall wait no_instruction branch_resolving " \
            "not_selected", reason, " ")
        most = $2 == "01_slow" ? "long_scoreboard" : "math_pipe_throttle"
        for (i = 1; i <= n; i++) counter("stall_" reason[i], reason[i] == most ? 6 : 0.1)
        counter("stall_total", 9)
        counter("issue_active_pct", $2 == "01_slow" ? 12 : 90)
    }
    # Cycles of the 528 schedulers, in a clean time at 1980 MHz: issued, by one instruction each,
    # idle, and active on the busiest SM. Instrumented code has counted that nothing was loaded.
    $1 == "ladder" && $2 != "90_library" {
        cycles = $3 * 1.98
        counter("scheduler_cycles_issued", 528 * cycles * ($2 == "01_slow" ? 0.1 : 0.6))
        counter("warp_instructions_hw", 528 * cycles * ($2 == "01_slow" ? 0.1 : 0.6))
        counter("scheduler_cycles_idle", 528 * cycles * ($2 == "01_slow" ? 0.8 : 0.3))
        counter("sm_cycles_active_busiest", cycles * ($2 == "01_slow" ? 0.95 : 1.02))
        counter("global_load_instructions", 0)
    }' >"$run/counters.csv"
echo 'family,variant,claim,says,source,place,size,expect,at_sweep' >"$run/claims.csv"
echo 'family,variant,source,device,peak_gbs,size,block,sweep,time_ns,effective_gbs
ladder,01_slow,Book,OLD,100,512x512x512,0,0,8000000,' >"$run/published.csv"

# Rung 1 reads B with two lanes of a quarter on each bank, rung 2 without conflicts. "reads, step k"
# of rung 1 are ten address maps; its stores are damaged. addresses STEP LANES FROM: prints the
# addresses of lanes that are STEP bytes apart.
addresses() {
    awk -v step="$1" -v lanes="$2" -v from="$3" '
        BEGIN {
            for (i = 0; i < 32; i++)
                printf "%s%s", i ? " " : "", i < lanes ? from + i * step : "-"
        }'
}
{
    echo "$at,launch,access,name,kind,width_bytes,executions,wavefronts,ideal,addresses"
    echo "ladder,01_slow,512x512x512,0,0,0,0,reads of B,load,16,1000,8,4,$(addresses 32 32 0)"
    echo "ladder,02_fast,512x512x512,0,0,0,0,reads of B,load,16,1000,4,4,$(addresses 16 32 0)"
    for step in 0 1 2 3 4 5 6 7 8 9; do
        wavefronts=$((step < 9 ? 2 : 8))
        lanes=$(addresses $((step < 9 ? 64 : 128)) $((step < 9 ? 4 : 8)) $((4 * step)))
        echo "ladder,01_slow,512x512x512,0,0,0,$((step + 1)),\"reads of A, step $step\"\
,load,4,10,$wavefronts,1,$lanes"
    done
    echo "ladder,01_slow,512x512x512,0,0,0,11,writes of A,store,4,1e6,32,1,$(addresses 6 32 0)"
} >"$run/accesses.csv"

# Rung 1 over time: 400 us, slower in the first 20 and in the last 40. Rung 2 runs twice in a row,
# 100 us each. The library was refused. Of the copy, every third sample of rung 1 is half as high.
{
    echo "trace,$at,counter_set,begin_ns,end_ns,repeats,interval_ns,trigger\
,activities_status,samples_status"
    none='"absent: kernels are not recorded while they are sampled: that would change their code"'
    echo "0,ladder,01_slow,512x512x512,0,0,timeline,0,430000,1,10000,time,$none,ok"
    echo "1,ladder,02_fast,512x512x512,0,0,timeline,500000,750000,2,5000,time,$none,ok"
    refused='"absent: refused, for a test"'
    echo "2,ladder,90_library,512x512x512,0,0,timeline,800000,900000,1,5000,time,$none,$refused"
    echo "3,over,01_a,512x512x512,0,0,timeline,900000,1400000,1,10000,time,$none,ok"
    echo "4,over,02_b,512x512x512,0,0,timeline,1400000,1800000,1,10000,time,$none,ok"
} >"$run/traces.csv"
awk '
    function row(trace, at, length_ns, track, value) {
        print trace "," at / length_ns "," at "," at + length_ns "," track "," value
    }
    function sample(trace, at, length_ns, runs, issue, read, written) {
        row(trace, at, length_ns, "resident_warps", runs ? 8 : 0)
        row(trace, at, length_ns, "issue", runs ? issue : 0)
        row(trace, at, length_ns, "dram_read", read * length_ns)
        row(trace, at, length_ns, "dram_write", written * length_ns)
    }
    BEGIN { print "trace,sample,begin_ns,end_ns,track,value"
        for (at = 0; at < 430000; at += 10000)
            sample(0, at, 10000, at >= 10000 && at < 410000,
                at < 30000 ? 10 : at < 370000 ? 50 : 20, 900, 100)
        for (at = 0; at < 250000; at += 5000)
            sample(1, at, 5000, at >= 10000 && at < 212000, 80, 900, 100)
        for (at = 0; at < 480000; at += 10000)
            sample(3, at, 10000, at >= 10000 && at < 450000, 5, at % 30000 ? 2000 : 500, 1000)
        for (at = 0; at < 340000; at += 10000)
            sample(4, at, 10000, at >= 10000 && at < 310000, 5, at >= 30000 &&
                at < 270000 ? 2000 : 0, 1000) }' >"$run/trace_samples.csv"

# The same run, but the launches of rung 1 take too long for instrumented code; and one without its
# waits.
too_long='"absent: its launches take more than 0.1 s"'
for lacking in long:global_load_instructions bare:stall_total; do
    mkdir "$work/${lacking%:*}"
    cp "$run"/* "$work/${lacking%:*}/"
    sed -E "s/^(ladder,01_slow,.*,${lacking#*:}),.*/\\1,,,$too_long/" "$run/counters.csv" \
        >"$work/${lacking%:*}/counters.csv"
done

expect 0 'the run is reported' "$WHYFAST" report "$run" -o "$work/report"
is "$(complaints)" '' '  nothing to complain of'
report=$work/report
charts=$report/charts

# given NAME CHART: prints the value that its script gets under this name; title CHART: prints its
# title.
given() {
    awk -v name="$1 = " -v chart="$2.png" -F "'" \
        '$1 == name { said = $2 } $1 == "output = " && $2 == chart { print said }' "$charts/plot.gp"
}
title() { given title "$1"; }
is "$(title 01_ladder-ladder-512x512x512)" \
    '“Fast, at last” reaches 40 TFLOP/s, 60 % of the peak and 4.00× the speed of the first rung' \
    'the ladder: the best rung, the peak, the first rung'
is "$(title 16_ablation-cells-512x512x512)" 'The idea that gains most is y, 2.00× on average' \
    'ablation: the idea that is worth most'
none "$(looked grep -E '^0[12]_[a-z]*-cells' <"$report/charts.csv")" \
    '  the combinations have no pictures of a ladder'
is "$(title 17_roofline-ladder-512x512x512)" \
    '“Fast, at last” reaches 60 % of the FP32 peak; the roof of DRAM lies over 1 of 2 rungs' \
    'roofline: which roof'
none "$(looked grep '^15_stalls' <"$report/charts.csv")" 'no stalls if all rungs wait equally long'
is "$(awk -F , 'NR > 1 { printf "%s ", $2 }' "$charts/16_ablation-cells-512x512x512.csv")" \
    '4 3 2 1 ' 'the cells stand with the fastest first'
is "$(awk -F , '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /_tflops$/) at = i; next }
    { printf "%s|", $at }' "$charts/17_roofline-ladder-512x512x512.csv")" \
    '|10||' 'an arrow leads from the rung before; the library has none'
is "$(sed 1d "$report/charts.csv" | grep -o '^18_bank_map[^,]*' | tr '\n' ' ')" \
    '18_bank_map-ladder-512x512x512-1-reads-of-B 18_bank_map-ladder-512x512x512-2-reads-of-A-1 '\
'18_bank_map-ladder-512x512x512-2-reads-of-A-2 ' \
    'bank maps: most excess first, eight address maps to a picture, none of damaged rows'
is "$(title 18_bank_map-ladder-512x512x512-1-reads-of-B)" \
    'Reads of B conflict in 1 of 2 rungs: 8 wavefronts in place of 4' \
    '  where the conflicts are'
is "$(title 18_bank_map-ladder-512x512x512-2-reads-of-A-2)" \
    'Reads of A take 2.60× the ideal number of wavefronts, up to 8 wavefronts in place of 1' \
    '  and how bad they are'
is "$(awk -F , 'NR > 1 && $1 == 0 && $2 >= 3 && $2 <= 9 { print $2, $3, $4, $5, $6, $7, $8 }' \
    "$charts/18_bank_map-ladder-512x512x512-1-reads-of-B.csv" |
    tr '\n' '|')" \
    '3 24 4 0 0 0 0|4 0 4 0 1 1 0|5 8 4 0 1 1 0|6 16 4 0 1 1 0|7 24 4 0 1 1 0|8 0 4 1 2 0 1|'\
'9 8 4 1 2 0 0|' \
    '  lane, bank, words, turn, wavefront, delay, where a turn begins'
is "$(awk -F , 'NR > 1 && $2 >= 7 && $2 <= 8 { print $1, $2, $3, $6 }' \
    "$charts/18_bank_map-ladder-512x512x512-2-reads-of-A-2.csv" |
    tr '\n' '|')" \
    '0 7  |0 8  |1 7 9 7|1 8  |' \
    '  idle lanes have no bank'
is "$(title 19_ledger-ladder-512x512x512)" \
    '“Slow” spends 62 % on global memory; “Fast, at last”, the fastest, 86 % on instructions' \
    'ledger: what the slowest and the fastest rung spend most on'
# shown CHART COLUMN...: prints these columns of its data, with blanks between cells and bars
# between lines.
shown() {
    chart=$1
    shift
    awk -F , -v names="$*" '
        NR == 1 { n = split(names, name, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (k = 1; k <= n; k++) printf "%s%s", $at[name[k]], k < n ? " " : "|" }' \
        "$charts/$chart.csv"
}
is "$(shown 19_ledger-ladder-512x512x512 at area us time_text word |
    sed 's/|/\n/g' | awk 'NF == 7 { print $1, $2, int($3 + 0.5); next } NF { print }' |
    tr '\n' '|')" \
    '0 instructions 101|0 shared_memory 8|0 global_memory 247|0 synchronisation 4|'\
'0 launch_and_tail 20|0 unexplained 20|1 instructions 86|1 shared_memory 1|1 global_memory 1|'\
'1 synchronisation 0|1 launch_and_tail 12|2   125.0 µs no counters|' \
    '  each rung, a library without counters too'
is "$(sed 1d "$report/charts.csv" | grep -c '^20_waterfall')" 1 \
    'waterfall: the step that has counters on both sides'
waterfall=20_waterfall-ladder-512x512x512-02_fast
is "$(title $waterfall)" \
    "$(grep '^ladder,02_fast,.*,01_slow,0,' "$report/said.csv" | grep -o '"[^"]*\."' |
        sed 's/^"//; s/\."$//; s/\([ (]\)-/\1−/g')" \
    '  its title is the headline'
is "$(shown $waterfall kind before value |
    awk -v RS='|' '
        NF == 3 && $1 == "full" { full[n++] = $3; next }
        NF == 3 {
            if (!bars++) was = $2
            if ($2 != was) print "apart"
            was = $3
        }
        END { print n, full[0], full[1], sprintf("%.6g", was) }')" \
    '2 400 100 100' '  it leads from the time before to the time after, without a gap'
is "$(shown $waterfall label | tr '|' '\n' | sed -n '1p; 2p; $p' | tr '\n' '|')" \
    "1 Slow|$(cause_title global_latency)|2 Fast‚ at last|" \
    '  from name to name, the largest cause first'
expect 0 'without the counts of accesses of a slow rung' "$WHYFAST" evaluate "$work/long"
contains "$work/long/said.csv" \
    "Also changed: $(cause_title instructions) (+50 %). Accesses were not counted: waits stand "\
'for what caused them.' '  waits explain its step, and the sentence says so'
expect 0 'without its waits' "$WHYFAST" report "$work/bare" -o "$work/of_bare"
contains "$work/of_bare/said.csv" \
    '4.00× faster; the counters that would explain it are missing.' \
    '  its step says that the counters are missing'
none "$(looked grep '^20_waterfall' <"$work/of_bare/charts.csv")" '  and there is no waterfall'
timeline=21_timeline-ladder-512x512x512
is "$(title $timeline)" '“Fast, at last”, the fastest rung, uses 80 % of the issue slots' \
    'over time: the fastest rung'
is "$(shown $timeline part issue_text time_text repeats_text word | tr '|' '\n' |
    grep '^1 ' | tr '\n' '|')" \
    '1 45 400.0 µs - -|1 80 100.0 µs × 2 -|1 - 125.0 µs - absent: refused‚ for a test|' \
    '  each rung: mean, clean time, or why refused'
is "$(shown $timeline part x issue | tr '|' '\n' |
    awk '
        $1 == 0 && NF == 3 && ($3 == 10 || $3 == 20 || $3 == 50) && !seen[$3]++ {
            printf "%s %s|", $2, $3
        }')" \
    '0 10|0.05 50|0.9 20|' '  the curve lies where the counter rises and falls'
is "$(sed -n "s/^$timeline,.*\(All but the first find the L2 cache warm\).*/\1/p" \
    "$report/charts.csv")" \
    'All but the first find the L2 cache warm' '  a row of launches is explained'
copy=21_timeline-over-512x512x512
is "$(title $copy)" \
    '“B”, the fastest rung, moves 2600 GB/s from and to DRAM, 54 % of the peak' \
    'over time: DRAM is reads plus writes'
is "$(shown $copy part dram_text | tr '|' '\n' | grep '^1 ' | tr '\n' '|')" '1 2523|1 2600|' \
    '  each with its mean'
none "$(looked grep "^$copy,.*L2 cache warm" <"$report/charts.csv")" '  no row of launches'
none "$(looked grep '^17_roofline-cells' <"$report/charts.csv")" \
    'a grid of ideas is no ladder: no roofline'
expect 0 'the pictures are drawn again, as PNG too' "$WHYFAST" plot "$report"
for chart in $(sed 1d "$report/charts.csv" | cut -d , -f 1); do
    is "$(grep -c '</svg>' "$charts/$chart.svg")" 1 "$chart.svg is whole"
    is "$(grep -cE '^<(title|desc)>[^<]{10,}' "$charts/$chart.svg")" 2 \
        '  with a title and a description'
    is "$(od -An -tu1 -j16 -N4 "$charts/$chart.png" | tr -s ' ')" ' 0 0 6 64' \
        '  as PNG, 1600 wide'
    result "$([ -s "$charts/$chart.csv" ] && [ -s "$charts/${chart%%-*}.gp" ]; echo $?)" \
        '  with its data and its script'
done

# cells FILE: prints the rows of the tables of a page, one a line, as "| a | b |".
cells() {
    tr '\n' ' ' <"$1" | sed 's|&nbsp;| |g; s|<tr|\n<tr|g; s|</tr>|\n|g' | grep '^<tr' |
        sed 's|</t[dh]>|;;|g; s|<[^>]*>| |g; s|;;| \||g; s/^/| /' | tr -s ' '
}
cells "$report/ladder-ladder.html" >"$work/ladder"
cells "$report/ladder-cells.html" >"$work/cells"
is "$(grep -c 'Not sampled over time: absent: not asked for' "$report/report.md")" 1 \
    'over time: why there is nothing of a family that was not sampled'
is "$(cat "$report"/ladder-*.html | grep -c 'src="charts/21_timeline.*svg"')" 2 \
    '  each picture appears once'
tr '\n' ' ' <"$report/ladder-ladder.html" | tr -s ' ' | sed 's/&nbsp;/ /g' >"$work/page"
contains "$work/page" 'At 512 × 512 × 512, Slow takes 400.0 µs and' \
    'the first sentence has the times'
contains "$work/page" \
    'The fastest rung has 1.25× the speed of the library (Vendor) and reaches 60 % of '\
'the FP32 peak' \
    '  the library and the peak'
contains "$work/ladder" '| Book, OLD | 8000 µs | 0.5 | | 400.0 µs | 10 | 14.9 |' \
    '  and the published figures'
lacks "$report/report.md" 'effective bandwidth' '  not in GB/s'
contains "$report/ladder-ladder.html" '<code>sgemm_128x256</code>' "the library's kernel is named"
lacks "$report/ladder-ladder.html" '`fast_kernel`' "  a rung's own kernel is not"
contains "$report/ladder-cells.html" 'Worth of each idea' 'of the grid: the worth of its ideas'
for words in 'Y: 2.000× on average.' 'X: 1.250× on average.'; do
    contains "$report/ladder-cells.html" "$words" "of the grid: $words"
    contains "$report/report.md" "$words" '  in the Markdown too'
done
is "$(cat "$report"/ladder-*.html | grep -c 'id="worth-')" 1 '  of the ladder nothing of that kind'
contains "$work/cells" '| x and y | unresolved |' \
    '  two ideas that do not touch each other are no effect'
contains "$report/moved.csv" ',tflops,10,40,' 'what moved: TFLOP/s'
lacks "$report/moved.csv" ',effective_gbs,' '  not GB/s'
finish
