#: title   Cost over the number of threads, :size_words
#: caption Cost is threads times time, P × T. Brent's theorem bounds the time by T = t + (W - t) / P
#:            steps, where the work W is n and the depth t is log2 n, so that the cost is at most
#:            W + P log2 n: 1 thread costs W, n / log2 n threads twice as much, n threads
#:            W log2 n. An algorithm is cost-efficient where the cost stays near W, the flat part.
#:            The measured cost leaves the bound where the grid has more threads than the GPU
#:            holds at once: the others wait. The cost of a step is taken from the point with the
#:            fewest threads. Both axes are logarithmic.
#: each    WITH swept AS (SELECT m.*, v.rung, CAST(m.size AS INTEGER) AS elements, row_number() OVER
#:              (PARTITION BY m.family, m.variant, m.size ORDER BY m.sweep) AS place, count(*) OVER
#:              (PARTITION BY m.family, m.variant, m.size) AS places, min(m.cost_thread_ms) OVER
#:              (PARTITION BY m.family, m.variant, m.size) AS least FROM metrics m JOIN variants v
#:              USING (family, variant) WHERE v.sweep_name = 'threads' AND m.sweep > 0 AND
#:              m.cost_thread_ms IS NOT NULL)
#:            SELECT b.family AS family, b.size || CASE WHEN (SELECT count(DISTINCT w.variant) FROM
#:              swept w WHERE w.family = b.family) > 1 THEN ' ' || b.variant ELSE '' END AS size,
#:              b.size AS at_size, b.variant AS variant, b.rung AS rung, b.elements AS elements,
#:            'n = ' || size_text(b.size) AS size_words, f.sweep AS fewest, f.cost_thread_ms AS
#:              first_cost, l.sweep AS last, l.cost_thread_ms AS last_cost, f.least AS least,
#:              b.sweep AS best, b.cost_thread_ms AS best_cost,
#:            'The fastest point, ' || size_text(b.sweep) || ' threads, costs ' ||
#:              human(b.cost_thread_ms / f.least) || '× the least; ' || size_text(l.sweep) ||
#:              ' threads cost ' || human(l.cost_thread_ms / f.least) || '× and take ' ||
#:              human(l.time_ns / b.time_ns) || '× as long as the fastest point' AS message
#:            FROM swept b JOIN swept f ON f.family = b.family AND f.variant = b.variant AND f.size
#:              = b.size AND f.place = 1
#:            JOIN swept l ON l.family = b.family AND l.variant = b.variant AND l.size = b.size AND
#:              l.place = l.places
#:            WHERE b.best = 1 AND b.elements > 1 AND b.size NOT LIKE '%x%' ORDER BY b.family,
#:              b.elements, b.rung
#: data    SELECT sweep, cost_thread_ms AS cost FROM metrics WHERE family = :family AND variant =
#:              :variant AND size = :at_size AND sweep > 0 ORDER BY sweep

top = top + 8
high = 330
eval canvas(top + high + 60)
eval between(top, top + high)
set lmargin at screen 84.0 / width
n = elements + 0
fewest = fewest + 0
binary_log(x) = log(x) / log(2)
depth = binary_log(n)
cost_of_step = first_cost / (n + (fewest - 1) * depth)
brent(x) = (n + (x - 1) * depth) * cost_of_step
wise = n / depth
peak_cost = brent(last + 0) > last_cost + 0 ? brent(last + 0) : last_cost + 0
set xrange [fewest / 1.5:last * 1.5]
set yrange [least / 3:peak_cost * 3]
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
do for [i = 1:12] { set ytics add (power(i) 10**i) }
set ylabel 'Cost, threads × ms' font font.',14' textcolor rgb ink offset 1, 0
set xlabel 'threads of the grid, P'
if (wise > fewest && wise < last) {
    set arrow 1 from wise, graph 0 to wise, graph 1 nohead dashtype 3 linewidth 1.5 linecolor rgb \
        grey back
    set label 3 "n / log₂ n threads: 2 W" at wise, graph 1 center offset character 0, \
        0.6 font font.',13' textcolor rgb grey
}
set arrow 2 from graph 0, first n * cost_of_step to graph 1, \
    first n * cost_of_step nohead dashtype 2 linewidth 1.5 linecolor rgb ink front
set label 4 'W: the cost of one thread' at graph 0.02, \
    first n * cost_of_step left offset character 0, -0.8 font font.',13' textcolor rgb ink
plot brent(x) with lines linewidth 2.4 linecolor rgb neutral title "Brent's bound", \
     data using (column('sweep')):(number('cost')) with linespoints linewidth 2.4 pointtype 7 \
         pointsize 0.7 linecolor rgb colour(rung) title 'measured', \
     data using (column('sweep') == best + 0 ? column('sweep') : NaN):(number('cost')) \
         with points pointtype 6 pointsize 1.6 linewidth 2 linecolor rgb 0xd55e00 title \
         'fastest point'
