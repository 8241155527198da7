#: title   :headline
#: caption Left: time over the number of threads. Brent's theorem bounds the time with P threads by
#:            log2 n + (n - log2 n) / P steps; the cost of a step is taken from the point with the
#:            fewest threads.
#:            Right: the cost, threads times time. It stays near that of one thread, W, as long as
#:            the threads share the work without waste; the grid's threads beyond those that the GPU
#:            holds at once wait. All axes are logarithmic; cold L2 cache.
#: each    WITH swept AS (SELECT m.*, v.rung, CAST(m.size AS INTEGER) AS elements, row_number() OVER
#:              (PARTITION BY m.family, m.variant, m.size ORDER BY m.sweep) AS place, count(*) OVER
#:              (PARTITION BY m.family, m.variant, m.size) AS places, max(m.time_ns) OVER (PARTITION
#:              BY m.family, m.variant, m.size) AS slow FROM metrics m JOIN variants v USING
#:              (family, variant) WHERE v.sweep_name = 'threads' AND m.sweep > 0 AND m.time_ns IS
#:              NOT NULL)
#:            SELECT b.family AS family, b.size || CASE WHEN (SELECT count(DISTINCT w.variant) FROM
#:              swept w WHERE w.family = b.family) > 1 THEN ' ' || b.variant ELSE '' END AS size,
#:              b.size AS at_size, b.variant AS variant, b.elements AS elements, f.sweep AS fewest,
#:              f.time_ns / 1e3 AS first_us, l.sweep AS last, l.time_ns / 1e3 AS last_us, b.sweep AS
#:              best, b.time_ns / 1e3 AS best_us, b.slow / 1e3 AS slow, size_text(b.sweep) AS
#:              best_text, time_text(b.time_ns) AS best_time, b.useful_bytes / b.dram_peak_gbs /
#:              1e3 AS memory, time_text(b.useful_bytes / b.dram_peak_gbs) AS memory_text,
#:            size_text(b.sweep) || ' threads are fastest, ' || time_text(b.time_ns) ||
#:              coalesce(', ' || human(b.time_ns / (b.useful_bytes / b.dram_peak_gbs), 2) ||
#:              '× the time of memory alone', '') AS headline,
#:            'Time and cost over the number of threads' || CASE WHEN l.sweep <> b.sweep THEN '; '
#:              || size_text(l.sweep) || ' threads take ' || human(l.time_ns / b.time_ns, 2) ||
#:              '× as long as the fastest' ELSE '' END || '. ' || s.subject AS message
#:            FROM swept b JOIN chart_size s USING (family, size) JOIN swept f ON f.family =
#:              b.family AND f.variant = b.variant AND f.size = b.size AND f.place = 1 JOIN swept l
#:              ON l.family = b.family AND l.variant = b.variant AND l.size = b.size AND l.place =
#:              l.places WHERE b.best = 1 AND b.elements > 1 AND b.size NOT LIKE '%x%' AND l.sweep >
#:              f.sweep ORDER BY b.family, b.elements, b.rung
#: data    SELECT sweep, time_ns / 1e3 AS time, sweep * time_ns / 1e6 AS cost FROM metrics WHERE
#:              family = :family AND variant = :variant AND size = :at_size AND sweep > 0 AND
#:              time_ns IS NOT NULL ORDER BY sweep

eval canvas(2)
n = elements + 0
fewest = fewest + 0
last = last + 0
depth(x) = log(x) / log(2)
steps(x) = depth(n) + (n - depth(n)) / x
step_us = first_us / steps(fewest)
brent(x) = steps(x) * step_us
floored = memory ne ''
lowest = brent(last) < best_us ? brent(last) : best_us + 0
lowest = floored && memory < lowest ? memory + 0 : lowest
set multiplot
set lmargin at screen 100 / width
set rmargin at screen 0.49
set logscale y
set logscale x 2
set samples 200
set border 3
set grid xtics ytics back linetype 1 linecolor rgb faint linewidth 0.7
set xrange [fewest / 1.5:last * 1.5]
set yrange [lowest / 2.2:slow * 2.2]
set xtics (binary(fewest) fewest)
every = depth(last / fewest) > 12 ? 4 : 2
do for [i = every:int(depth(last / fewest) + 0.5):every] \
    { set xtics add (binary(fewest * 2**i) fewest * 2**i) }
eval log_tics('y', floor(log10(lowest)), ceil(log10(slow)))
set xlabel 'Threads of the grid, P'
set ylabel 'Time, µs' offset 1, 0
if (floored) {
    set arrow 2 from graph 0, first memory + 0 to graph 1, first memory + 0 nohead dashtype 2 \
        linewidth 1.5 linecolor rgb ink front
    set label 4 'memory alone: '.memory_text at graph 0.03, first memory + 0 left offset \
        character 0, 0.7 font font.',15' textcolor rgb ink
}
set label 5 raise(best_text).': '.best_time at best + 0, best_us + 0 center offset \
    character 0, 1.5 font font.',16' textcolor rgb ink front
fastest(x) = column('sweep') == best + 0 ? column('sweep') : NaN
plot brent(x) with lines linewidth 2.4 linecolor rgb reference title "Brent's bound", \
     data using (column('sweep')):(column('time')) with linespoints linewidth 2.4 pointtype 7 \
         pointsize 0.7 * dots linecolor rgb measured title 'measured', \
     data using (fastest(0)):(column('time')) with points pointtype 6 pointsize 1.6 * dots \
         linewidth 2 linecolor \
         rgb faster title 'fastest'
unset label 1
unset label 2
unset label 9
unset label 4
unset label 5
unset arrow
unset key
one = n * step_us / 1e3
set lmargin at screen 0.58
set rmargin at screen 1 - right_margin / width
least_cost = one < fewest * first_us / 1e3 ? one : fewest * first_us / 1e3
most_cost = brent(last) > last_us + 0 ? last * brent(last) / 1e3 : last * last_us / 1e3
set yrange [least_cost / 3:most_cost * 3]
eval log_tics('y', floor(log10(least_cost)), ceil(log10(most_cost)))
set ylabel 'Cost, threads × ms' offset 1, 0
set arrow 2 from graph 0, first one to graph 1, first one nohead dashtype 2 linewidth 1.5 \
    linecolor rgb ink front
set label 4 'W: the cost of one thread' at graph 0.97, first one right offset character 0, -0.8 \
    font font.',15' textcolor rgb ink
plot x * brent(x) / 1e3 with lines linewidth 2.4 linecolor rgb reference notitle, \
     data using (column('sweep')):(column('cost')) with linespoints linewidth 2.4 pointtype 7 \
         pointsize 0.7 * dots linecolor rgb measured notitle, \
     data using (fastest(0)):(column('cost')) with points pointtype 6 pointsize 1.6 * dots \
         linewidth 2 linecolor \
         rgb faster notitle
unset multiplot
