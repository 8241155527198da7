#!/bin/sh
# Tests the shape map of a hand-made run: a product at 4 x 4 shapes for each of four K and at two
# shapes of another, with two rungs and two libraries; a sum at twelve sizes; products at nine
# shapes that are no grid; and a copy at three sizes, which are too few for a map.
. "${ROOT:-.}/tests/tap.sh"

run=$work/run
mkdir "$run"
recorded=$(fixture_run)
cp "$recorded/run.txt" "$run/"
cat >"$run/families.csv" <<'END'
family,title,problem,useful_bytes_text,rate
product,A product,Multiply.,4 bytes each,operations
total,A sum,Add.,4 bytes each,bytes
odd,Odd products,Multiply.,4 bytes each,operations
copy,A copy,Copy.,8 bytes each,bytes
END
cat >"$run/variants.csv" <<'END'
family,variant,rung,title,after,suffers,changes,pays,factors,sweep_name,sweep_text,file,sass_hash,sass_status,kind
product,01_first,1,First,,s,c,p,,,,f,,absent,kernel
product,02_best,2,Best tile,01_first,s,c,p,,,,f,,absent,kernel
product,90_one,90,One library,,s,c,p,,,,f,,absent,library
product,91_two,91,Another library,,s,c,p,,,,f,,absent,library
total,01_sum,1,Sum,,s,c,p,,,,f,,absent,kernel
total,90_lib,90,Library,,s,c,p,,,,f,,absent,library
odd,01_only,1,Only,,s,c,p,,,,f,,absent,kernel
odd,90_lib,90,Library,,s,c,p,,,,f,,absent,library
copy,01_copy,1,Copy,,s,c,p,,,,f,,absent,kernel
copy,90_lib,90,Library,,s,c,p,,,,f,,absent,library
END
# Columns: family, variant, size, time in ns, choice. At each shape the ratio of the fastest times
# is a multiple of 0.03 from 0.8 on; at 64 x 64 x 256 it is 1.36, and at 256 x 64 x 256 it is 1.
awk '
    function shape(m, n, k, ratio, library) {
        size = m "x" n "x" k
        time = 3000 + m * n * k / 1e5
        print "product", "01_first", size, 4 * time, "-"
        print "product", "02_best", size, ratio * time, m * n < 1e5 ? "small" : "large"
        print "product", "90_one", size, library ? time : 1.5 * time, "-"
        print "product", "91_two", size, library ? 1.2 * time : time, "-"
    }
    BEGIN {
        for (l = 0; l < 4; l++)
            for (i = 0; i < 4; i++)
                for (j = 0; j < 4; j++) {
                    ratio = 0.8 + 0.03 * ((5 * i + 3 * j + 7 * l) % 12)
                    if (l + j == 0 && i < 2) ratio = i ? 1 : 1.36
                    shape(64 * 4 ^ i, 64 * 4 ^ j, 256 * 4 ^ l, ratio, j % 2)
                }
        shape(33, 65, 7, 1.1, 1)
        shape(65, 33, 9, 0.9, 1)
        for (i = 10; i < 22; i++) {
            ratio = i < 14 ? 1.18 - i / 1000 : 0.9
            print "total", "01_sum", 2 ^ i, ratio * (2000 + 2 ^ i / 500), "-"
            print "total", "90_lib", 2 ^ i, 2000 + 2 ^ i / 500, "-"
        }
        for (i = 0; i < 9; i++) {
            size = 3 + 100 * i "x" 5 + 31 * i "x" 900 - 77 * i
            print "odd", "01_only", size, 2000 * (0.86 + i / 50), "-"
            print "odd", "90_lib", size, 2000, "-"
        }
        for (i = 10; i < 13; i++) {
            print "copy", "01_copy", 2 ^ i, 2000, "-"
            print "copy", "90_lib", 2 ^ i, 3000, "-"
        }
    }' >"$work/points"
rows() {
    echo "$1"
    awk '{ at = $1 "," $2 "," $3 ",0,0" } '"$2" "$work/points"
}
# The best rung refuses one shape, where the first is the fastest; another shape has no result of
# any rung.
refused=256x1024x4096
nothing=4096x4096x16384
at='family,variant,size,block,sweep'
sed -i "/02_best $refused/d; /0[12]_[a-z]* $nothing/d" "$work/points"
{
    rows "$at,status,reason,useful_bytes,useful_operations,launches,input_bytes,trials,\
wrong_trials,relative_error,error_bound,choice" \
        '{
            split($3, side, "x")
            print at ",ok,," 4 * side[1] * (side[2] ? side[2] : 1) "," 2 * side[1] \
                ",1,,,,," ($1 == "product" ? 1e-5 : "") "," ($5 == "-" ? "" : $5)
        }'
    echo "product,02_best,$refused,0,0,skipped,\"needs a device of 9.0\",4,2,1,,,,,,"
    for variant in 01_first 02_best; do
        echo "product,$variant,$nothing,0,0,skipped,too large,4,2,1,,,,,,"
    done
} >"$run/points.csv"
rows "$at,launch,grid_blocks,block_threads,registers,static_shared_bytes,dynamic_shared_bytes,\
local_bytes,blocks_per_sm,theoretical_occupancy_pct,occupancy_limiter,\
closed_form_excess_wavefronts,max_block_threads,sass_shuffles,sass_warp_reductions,\
sass_barriers,sass_float_adds,kernel" \
    '{ print at ",0,16,256,128,8192,512,0,2,25,registers,0,256,0,0,1,0,kernel" }' \
    >"$run/launches.csv"
rows "$at,l2,kind,copy,samples,throttled,stop_reason" \
    '{ print at ",cold,end_to_end,a,12,0,converged"
       print at ",cold,end_to_end,b,12,0,converged" }' \
    >"$run/series.csv"
# The median of a library is its time; those of a rung differ from its own by up to 1 %.
rows "$at,l2,kind,copy,round,time_ns,sm_clock_mhz,status" \
    '{
        for (i = 0; i < 13; i++)
            for (c = 0; c < 2; c++)
                print at ",cold,end_to_end," (c ? "b" : "a") "," i "," \
                    $4 * ($2 ~ /^9/ ? 1 : 1 + (i * 5 % 13 - 6) / 600) ",1980,ok"
    }' >"$run/samples.csv"
echo "$at,launch,repeat,counter_set,passes,counter,source,value,status" >"$run/counters.csv"
echo 'family,variant,claim,says,source,place,size,expect,at_sweep' >"$run/claims.csv"
echo 'family,variant,source,device,peak_gbs,size,block,sweep,time_ns,effective_gbs' \
    >"$run/published.csv"
echo 'ceiling,title,unit,value,low,high,samples,sm_clock_mhz,status
launch_ns,An empty kernel,ns,2000,2000,2000,25,1980,ok
next_launch_ns,The next empty kernel,ns,800,800,800,25,1980,ok' >"$run/ceilings.csv"

expect 0 'the run is reported' "$WHYFAST" report "$run" -o "$work/report"
is "$(complaints)" '' '  nothing to complain of'
report=$work/report
[ -z "${KEEP:-}" ] || cp -r "$report" "$KEEP"

# ---- the table -----------------------------------------------------------------------------------

map=$report/shape_map.csv
# cells SIZE COLUMN...: prints these cells of the product, with commas between them.
cells() {
    size=$1
    shift
    column "$map" family size "$@" | sed -n "s/^product\t$size\t//p" | tr '\t' ,
}
is "$(column "$map" family | sort | uniq -c | awk '{ print $2 $1 }' | tr '\n' ' ')" \
    'copy3 odd9 product66 total12 ' 'the table has each size of each family with a library'
is "$(cells 64x64x256 m n k variant choice library limiter status)" \
    '64,64,256,02_best,small,91_two,,ok' '  the fastest rung, its choice, and the fastest library'
is "$(cells 64x64x256 ratio low high | awk -F , '{ printf "%.3f %.3f %.3f", $1, $2, $3 }')" \
    '1.360 1.351 1.369' '  its time over that of the library, with the interval'
is "$(cells 33x65x7 limiter limiter_pct)" launch,60.6029386 \
    '  a launch that takes most of the time limits even without counters'
is "$(cells $refused variant library ratio choice | sed 's/,4\.0000[0-9]*,/,4,/')" \
    01_first,91_two,4, '  where a rung refuses the next one counts'
is "$(cells $nothing variant library ratio status)" ',90_one,,absent: too large' \
    '  and where all refuse there is a reason'
is "$(column "$map" family m n k | grep -c "^total$(printf '\t\t[0-9]*\t')\$")" 12 \
    '  one dimension is n'

# ---- the pictures --------------------------------------------------------------------------------

is "$(sed 1d "$report/charts.csv" | grep -oE '^2[89]_[^,]*' | tr '\n' ' ')" \
    '28_shape_map-product-k256 28_shape_map-product-k1024 28_shape_map-product-k16384 '\
'29_size_map-odd 29_size_map-total ' \
    'pictures: the least, the middle and the largest K, and lines; none of few sizes'
contains "$report/charts.csv" \
    '"K = 256: the library is faster at 6 of 16 shapes, at worst ours takes 1.36× its time"' \
    '  titles say where the library is faster'
contains "$report/charts.csv" 'K = 16384: the library is faster at 4 of 15 shapes' \
    '  a cell without a ratio does not count'
contains "$report/charts.csv" '"The library is faster at 4 of 12 sizes; ours takes 0.982× its time '\
'on average, at worst 1.17× (n = 2¹' '  the line: losses, geometric mean, worst'
cell() { column "$report/charts/28_shape_map-product-$1.csv" m n level value_text | tr '\t' ,; }
is "$(cell k256 | head -n 5 | tr '\n' ' ')" \
    '64,64,-3,1.36 64,256,2,0.89 64,1024,1,0.98 64,4096,-2,1.07 256,64,0,1.00 ' \
    '  cells: above 0 ours is faster, below 0 the library, at 0 both are even within the noise'
is "$(cell k16384 | tail -n 1)" '4096,4096,,–' '  a shape without a ratio is an empty cell'
is "$(column "$report/charts/29_size_map-total.csv" n level | sed -n '1p; $p' | tr '\t\n' ', ')" \
    '1024,-2 2097152,2 ' '  points of the line'

# ---- the pages -----------------------------------------------------------------------------------

page=$report/ladder-product.html
contains "$report/report.md" 'A selection: ' 'the run is too large to be shown in full'
contains "$page" 'The library is faster at 23 of 65 shapes; ours takes 0.989× its time on average, '\
'at worst 4.00× (256 × 1024 × 4096)' '  but its map is of all shapes'
is "$(grep -c '<table class="heat">' "$page")" 3 '  three maps'
is "$(grep -o '<td class="l-3" title="[^"]*">[^<]*' "$page" | head -n 1)" \
    '<td class="l-3" title="1.351 to 1.369, 02_best, small over 91_two">1.36' '  of coloured cells'
is "$(grep -c '<td class="gone" title="absent: too large">–</td>' "$page")" 1 \
    '  and one without a ratio'
contains "$page" 'Geometric mean: <b>0.989×<' '  the geometric mean'
contains "$page" 'Ours is faster at 36 of 65 shapes, the library at' '  wins'
contains "$page" '<b>23</b>; at 6 both are as fast within the noise.' '  losses and draws'
is "$(sed -n '/The worst shapes/,$p' "$page" | grep -c 'data-label="Shape"')" 10 \
    '  the ten worst shapes'
contains "$page" '2 Best tile<span class="unit">, small</span>' '  with the choice of the rung'
contains "$page" 'launch: an empty kernel takes 61&nbsp;% of the time' '  and the limiter'
contains "$page" 'href="shape_map.csv"' '  linked to the table'
contains "$report/charts.csv" '"The library is faster at 1 of 9 shapes; ours takes 0.939× its time '\
'on average, at worst 1.020× (803 × 253 × 284)"' 'shapes that are no grid have their picture, too'
contains "$report/ladder-odd.html" 'charts/29_size_map-odd.svg' '  on their page'
contains "$report/ladder-total.html" 'charts/29_size_map-total.svg' 'the sum has its line'
is "$(grep -o '^13_library-[a-z]*' "$report/charts.csv")" 13_library-copy 'the library has a picture of its own where there is no map'
contains "$report/charts.csv" ',The fastest rung has 1.50× the speed of “Library” and is faster at each '\
'size,' '  one ratio is said once'
lacks "$report/ladder-total.html" 'class="heat"' '  and no grid'
lacks "$report/ladder-copy.html" 'Against the library' 'a family of few sizes has no map'
contains "$report/report.md" '| 64 × 64 × 256 | 1.360 (1.351–1.369) | 2 Best tile, small |' \
    'report.md has the worst shapes'
finish
