#: title   Time over the number of threads, :size_words
#: caption Brent's theorem bounds the time with P threads by n / P + log2 P steps. The cost of a
#:            step is taken from the point with the fewest threads, so that model and measurement
#:            agree there. The dashed line is the time of reading the input at the peak of the
#:            memory bus. Cold L2 cache. Both axes of the upper panel are logarithmic. Below:
#:            resident warps as a share of the most that an SM can hold, and cycles in which the
#:            average SM had work as a share of the busiest one's.
#: each    WITH swept AS (SELECT m.*, v.rung, v.title, CAST(m.size AS INTEGER) AS elements,
#:              row_number() OVER (PARTITION BY m.family, m.variant, m.size ORDER BY m.sweep) AS
#:              place, count(*) OVER (PARTITION BY m.family, m.variant, m.size) AS places FROM
#:              metrics m JOIN variants v USING (family, variant) WHERE v.sweep_name = 'threads' AND
#:              m.sweep > 0 AND m.time_ns IS NOT NULL)
#:            SELECT b.family AS family, b.size || CASE WHEN (SELECT count(DISTINCT w.variant) FROM
#:              swept w WHERE w.family = b.family) > 1 THEN ' ' || b.variant ELSE '' END AS size,
#:              b.size AS at_size, b.variant AS variant, b.rung AS rung,
#:            'n = ' || size_text(b.size) AS size_words, b.elements AS elements, f.sweep AS fewest,
#:              f.time_ns / 1e3 AS slow, l.sweep AS most, l.time_ns / 1e3 AS many, human(l.time_ns /
#:              1e3) AS many_text,
#:            b.sweep AS best, b.time_ns / 1e3 AS fast, human(b.time_ns / 1e3) AS fast_text,
#:              size_text(b.sweep) AS best_text,
#:            b.useful_bytes / b.dram_peak_gbs / 1e3 AS memory, human(b.useful_bytes /
#:              b.dram_peak_gbs / 1e3) AS memory_text,
#:            (SELECT max(p.sweep) FROM points p WHERE p.family = b.family AND p.variant = b.variant
#:              AND p.size = b.size) AS last,
#:            (SELECT count(*) FROM swept w WHERE w.family = b.family AND w.variant = b.variant AND
#:              w.size = b.size AND coalesce(w.achieved_occupancy_pct, w.sm_coverage_pct) IS NOT
#:              NULL) AS counted,
#:            'Fastest with ' || size_text(b.sweep) || ' threads: ' || human(b.time_ns / 1e3) ||
#:              ' µs' || coalesce((SELECT ' (' || group_concat(words, ', ') ||
#:              ': no evidence of a difference)' FROM (SELECT size_text(w.sweep) AS words FROM swept
#:              w WHERE w.family = b.family AND w.variant = b.variant AND w.size = b.size AND w.best
#:              = 0 AND w.behind_best_low_pct <= w.floor_pct ORDER BY w.sweep) HAVING count(*) > 0),
#:              '') || coalesce(', ' || human(b.time_ns / (b.useful_bytes / b.dram_peak_gbs)) ||
#:              '× the time of memory alone', '') || CASE WHEN l.sweep <> b.sweep THEN '; with ' ||
#:              size_text(l.sweep) || ' threads ' || human(l.time_ns / b.time_ns) || '× as long'
#:              ELSE '' END AS message
#:            FROM swept b JOIN swept f ON f.family = b.family AND f.variant = b.variant AND f.size
#:              = b.size AND f.place = 1
#:            JOIN swept l ON l.family = b.family AND l.variant = b.variant AND l.size = b.size AND
#:              l.place = l.places
#:            WHERE b.best = 1 AND b.elements > 1 AND b.size NOT LIKE '%x%' ORDER BY b.family,
#:              b.elements, b.rung
#: data    SELECT p.sweep, m.time_ns / 1e3 AS time, m.achieved_occupancy_pct AS occupancy,
#:              m.sm_coverage_pct AS coverage, CASE p.status WHEN 'ok' THEN '-' ELSE p.status END AS
#:              word
#:            FROM points p LEFT JOIN metrics m USING (family, variant, size, block, sweep)
#:            WHERE p.family = :family AND p.variant = :variant AND p.size = :at_size AND p.sweep >
#:              0 ORDER BY p.sweep

top = top + 8
upper = 330
gap = 58
lower = 130
eval canvas(top + upper + gap + lower + 50)
n = elements + 0
fewest = fewest + 0
slow = slow + 0
fast = fast + 0
last = last + 0
binary_log(x) = log(x) / log(2)
tau = slow / (n / fewest + binary_log(fewest))
brent(x) = (n / x + binary_log(x)) * tau
wise = n / binary_log(n)
shade = colour(rung)
floored = memory ne ''
lowest = brent(last) < fast ? brent(last) : fast
lowest = floored && memory < lowest ? memory + 0 : lowest
set multiplot
eval between(top, top + upper)
set lmargin at screen 84.0 / width
set xrange [fewest / 1.5:last * 1.5]
set yrange [lowest / 2.2:slow * 1.6]
set logscale y
set logscale x 2
set samples 200
set border 3
set grid xtics ytics back linetype 1 linecolor rgb faint linewidth 0.7
step = binary_log(last / fewest) > 18 ? 4 : 2
set xtics (binary(fewest) fewest)
do for [i = step:int(binary_log(last / fewest) + 0.5):step] \
    { set xtics add (binary(fewest * 2**i) fewest * 2**i) }
set ytics nomirror scale 0 font font.',13' textcolor rgb grey
set ytics (power(0) 1)
do for [i = -1:9] { set ytics add ((i < 0 ? '0.1' : power(i)) 10**i) }
set ylabel 'Time, µs' font font.',14' textcolor rgb ink offset 1, 0
if (wise > fewest && wise < last) {
    set arrow 1 from wise, graph 0 to wise, graph 1 nohead dashtype 3 linewidth 1.5 linecolor rgb \
        grey back
    set label 3 "Brent's answer: n / log₂ n" at wise, graph 1 center offset character 0, \
        0.6 font font.',13' textcolor rgb grey
}
if (floored) {
    set arrow 2 from graph 0, first memory + 0 to graph 1, \
        first memory + 0 nohead dashtype 2 linewidth 1.5 linecolor rgb ink front
    set label 4 'memory alone: '.memory_text.' µs' at graph 0.02, \
        first memory + 0 left offset character 0, 0.6 font font.',13' textcolor rgb ink
}
set label 5 raise(best_text).': '.fast_text.' µs' at best + 0, fast center offset character 0, \
    1.4 font font.',14' textcolor rgb ink front
if (most ne best) { set label 6 many_text.' µs' at most + 0, many + 0 right offset character 0, \
    1.1 font font.',13' textcolor rgb ink front }
plot brent(x) with lines linewidth 2.4 linecolor rgb neutral title "Brent's model", \
     data using (column('sweep')):(number('time')) with linespoints linewidth 2.4 pointtype 7 \
         pointsize 0.7 linecolor rgb shade title 'measured', \
     data using (column('sweep') == best + 0 ? column('sweep') : NaN):(number('time')) \
         with points pointtype 6 pointsize 1.6 linewidth 2 linecolor rgb 0xd55e00 title 'fastest', \
     data using (column('sweep')):(strlen(strcol('time')) ? nowhere \
         : lowest / 1.8):(strcol('word')) with labels center font font.',13' textcolor rgb grey \
         notitle
eval between(top + upper + gap, top + upper + gap + lower)
unset label
unset arrow
unset key
# The legend by hand, close to its panel.
legend_y = 1 - (top + upper + gap - 14.0) / height
set label 11 '' at screen 94.0 / width, screen legend_y point pointtype 7 pointsize 0.8 linecolor \
    rgb shade
set label 12 'achieved occupancy' at screen 106.0 / width, \
    screen legend_y left font font.',13' textcolor rgb ink
set label 13 '' at screen 264.0 / width, screen legend_y point pointtype 6 pointsize 0.7 linewidth \
    1.6 linecolor rgb ink
set label 14 'SM coverage' at screen 276.0 / width, screen legend_y left font font.',13' textcolor \
    rgb ink
unset logscale y
set yrange [0:105]
unset ytics
set ytics 0, 50, 100 nomirror scale 0 font font.',13' textcolor rgb grey format '%g %%'
unset ylabel
set xlabel 'threads of the grid, P'
if (counted + 0 == 0) { set label 3 'occupancy and SM coverage were not measured' at graph 0.5, \
    graph 0.5 center font font.',14' textcolor rgb grey }
plot data using (column('sweep')):(number('coverage')) with linespoints linewidth 1.8 dashtype 3 \
    pointtype 6 pointsize 0.6 linecolor rgb ink notitle, \
     data using (column('sweep')):(number('occupancy')) \
         with linespoints linewidth 2.4 pointtype 7 pointsize 0.6 linecolor rgb shade notitle
unset multiplot
