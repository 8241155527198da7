#: title   :headline
#: caption The time of each kernel over the number of elements, in its best setting at each size;
#:            both axes are logarithmic. Where a line is parallel to the thin one without points,
#:            the time grows with the number of elements; where it is flatter, it contains what
#:            does not. Blue: the fastest rung at the largest size; pale: the library.
#: each    WITH point AS (SELECT m.family, m.variant, v.kind, v.rung, v.title, m.size,
#:              CAST(m.size AS INTEGER) AS n, m.time_ns FROM metrics m JOIN variants v USING
#:              (family, variant) WHERE m.best = 1 AND v.kind <> 'cpu' AND m.time_ns > 0 AND m.size
#:              NOT LIKE '%x%'),
#:            place AS (SELECT family, min(n) AS least_n, max(n) AS most_n, count(DISTINCT n) AS
#:              sizes, min(time_ns) / 1e3 AS least, max(time_ns) / 1e3 AS most FROM point GROUP BY
#:              family),
#:            quick AS (SELECT *, row_number() OVER (PARTITION BY family, n ORDER BY time_ns) AS
#:              rank FROM point WHERE kind = 'kernel')
#:            SELECT p.family AS family, p.least_n, p.most_n, p.least, p.most, (SELECT count(*) FROM
#:              point o WHERE o.family = p.family AND o.n = p.most_n) AS rungs, b.variant AS best,
#:              b.time_ns / 1e3 AS best_us,
#:            b.title || ' is fastest at ' || size_text(b.size) || CASE a.variant WHEN
#:              b.variant THEN ' and at ' ELSE ', ' || a.title || ' at ' END || size_text(a.size) AS
#:              headline,
#:            'Time of each rung over the number of elements. ' || coalesce(f.title, p.family) AS
#:              message
#:            FROM place p JOIN quick a ON a.family = p.family AND a.n = p.least_n AND a.rank = 1
#:              JOIN quick b ON b.family = p.family AND b.n = p.most_n AND b.rank = 1 LEFT JOIN
#:              families f ON f.family = p.family WHERE p.sizes > 1 AND rungs > 1 ORDER BY p.family
#: data    WITH point AS (SELECT m.variant, v.rung, v.kind, CAST(m.size AS INTEGER) AS n, m.time_ns
#:              / 1e3 AS time, replace(v.rung || ' ' || v.title, ',', char(8218)) AS label FROM
#:              metrics m JOIN variants v USING (family, variant) WHERE m.family = :family AND
#:              m.best = 1 AND v.kind <> 'cpu' AND m.time_ns > 0),
#:            last AS (SELECT variant, row_number() OVER (ORDER BY time DESC) - 1 AS at FROM point
#:              WHERE n = CAST(:most_n AS INTEGER))
#:            SELECT at, p.variant, n, time, kind = 'library' AS is_library, p.variant = :best AS
#:              is_best, n = CAST(:most_n AS INTEGER) AS is_last, label FROM point p JOIN last USING
#:              (variant) ORDER BY at, n

right_margin = 390      # for the names
left_margin = 100
eval canvas(0)
high_of_panel = height - top - bottom
panel = width - left_margin - right_margin
x0 = least_n / 1.3
x1 = most_n * 1.3
y0 = least / 1.6
y1 = most * 1.6
set multiplot
eval between(top, top + high_of_panel)
set lmargin at screen real(left_margin) / width
set xrange [x0:x1]
set yrange [y0:y1]
set logscale y
set logscale x 2
set border 3
set grid xtics ytics back linetype 1 linecolor rgb faint linewidth 0.7
set xtics (binary(2.0**ceil(log(least_n) / log(2) - 0.001)) 2.0**ceil(log(least_n) / log(2) - 0.001))
do for [i = ceil(log(least_n) / log(2) - 0.001) + 1:floor(log(most_n) / log(2) + 0.001)] \
    { if (i % 2 == 0) { set xtics add (binary(2.0**i) 2.0**i) } }
eval log_tics('y', floor(log10(y0)), ceil(log10(y1)))
set xlabel 'Elements, n'
set ylabel 'Time, µs' offset -1, 0
shade(i) = column('is_best') == 1 ? faster : column('is_library') == 1 ? reference : measured
set arrow 1 from first most_n + 0, best_us / 1.4 to first most_n * y0 * 1.4 / best_us, y0 nohead \
    dashtype 2 linewidth 1.2 linecolor rgb grey back
plot for [k = 0:rungs - 1] data using (column('at') == k ? column('n') : NaN):(column('time')): \
         (shade(0)) with linespoints pointtype 7 pointsize 0.5 * dots linewidth 1.6 \
         linecolor rgb variable notitle
# The names beside the panel, in the order of the times at the largest size, each with a thin line
# to its point; on pixels.
eval on_pixels
px(x) = left_margin + panel * log(x / x0) / log(x1 / x0)
py(y) = top + high_of_panel * (1 - log(y / y0) / log(y1 / y0))
pitch = (high_of_panel - 10.0) / rungs < 23 ? (high_of_panel - 10.0) / rungs : 23
first = py(most + 0) + rungs * pitch < top + high_of_panel ? py(most + 0) \
    : top + high_of_panel - rungs * pitch
name_x = width - right_margin + 26
name_y(i) = first + column('at') * pitch
ends(i) = column('is_last') == 1
plot data using (ends(0) ? px(number('n')) + 4 : NaN):(py(number('time'))): \
         (name_x - 8 - px(number('n'))):(name_y(0) - py(number('time'))) \
         with vectors nohead linewidth 0.6 linecolor rgb 0xc0c0c0 notitle, \
     data using (ends(0) ? name_x : NaN):(name_y(0)):(cut(strcol('label'), 46)):(shade(0)) \
         with labels left font font.',15' textcolor rgb variable notitle
unset multiplot
