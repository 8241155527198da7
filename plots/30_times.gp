#: title   :headline
#: caption The time of each kernel over the number of elements, in its best setting at each size;
#:            both axes are logarithmic. Where a line is parallel to the dotted one,
#:            the time grows with the number of elements; where it is flatter, it contains what
#:            does not. The numbers beside the lines are those of the rungs in the list. Blue: the
#:            fastest rung at the largest size; pale: the library.
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
#:            '“' || b.title || '” is fastest at ' || CASE WHEN (SELECT count(*) FROM quick q WHERE
#:              q.family = p.family AND q.rank = 1 AND q.variant = b.variant) = p.sizes THEN
#:              'all ' || p.sizes || ' sizes' ELSE
#:              size_text(b.size) || CASE a.variant WHEN b.variant THEN ' and at ' ELSE ', “' ||
#:              a.title || '” at ' END || size_text(a.size) END AS headline,
#:            'Time of each rung over the number of elements; dotted: in proportion to it. ' ||
#:              coalesce(f.title, p.family) AS message
#:            FROM place p JOIN quick a ON a.family = p.family AND a.n = p.least_n AND a.rank = 1
#:              JOIN quick b ON b.family = p.family AND b.n = p.most_n AND b.rank = 1 LEFT JOIN
#:              families f ON f.family = p.family WHERE p.sizes > 2 AND rungs > 1 ORDER BY p.family
#: data    WITH point AS (SELECT m.variant, v.rung, v.kind, CAST(m.size AS INTEGER) AS n, m.time_ns
#:              / 1e3 AS time, replace(v.rung || ' ' || v.title, ',', char(8218)) AS label FROM
#:              metrics m JOIN variants v USING (family, variant) WHERE m.family = :family AND
#:              m.best = 1 AND v.kind <> 'cpu' AND m.time_ns > 0),
#:            last AS (SELECT variant, rung, row_number() OVER (ORDER BY rung) - 1 AS at, CAST(22 *
#:              ln(1.6 * time / :least) / ln(2.56 * :most / CAST(:least AS REAL)) AS INTEGER) AS
#:              band FROM point WHERE n = CAST(:most_n AS INTEGER)),
#:            island AS (SELECT band, min(rung) AS a, max(rung) AS b FROM (SELECT *, rung -
#:              row_number() OVER (PARTITION BY band ORDER BY rung) AS run FROM last) GROUP BY band,
#:              run),
#:            mark AS (SELECT band, group_concat(CASE b - a WHEN 0 THEN a WHEN 1 THEN a ||
#:              char(8218) || ' ' || b ELSE a || '–' || b END, char(8218) || ' ') AS mark FROM
#:              (SELECT * FROM island ORDER BY band, a) GROUP BY band)
#:            SELECT at, p.variant, n, time, kind = 'library' AS is_library, p.variant = :best AS
#:              is_best, n = CAST(:most_n AS INTEGER) AS is_last, :least / 1.6 * exp((l.band + 0.5)
#:              / 22 * ln(2.56 * :most / CAST(:least AS REAL))) AS mark_y, label, CASE WHEN n =
#:              CAST( :most_n AS INTEGER) AND at = min(at) OVER (PARTITION BY n, l.band) THEN mark
#:              ELSE '-' END AS mark FROM point p JOIN last l USING (variant) JOIN mark USING (band)
#:              ORDER BY at, n

right_margin = 550      # for the numbers and the names
left_margin = 116
eval canvas(0)
high_of_panel = height - top - bottom
panel = width - left_margin - right_margin
x0 = least_n / 1.3
x1 = most_n * 1.06
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
set xtics (binary(2.0**ceil(log(least_n) / log(2) - 0.001)) \
    2.0**ceil(log(least_n) / log(2) - 0.001))
do for [i = ceil(log(least_n) / log(2) - 0.001) + 1:floor(log(most_n) / log(2) + 0.001)] \
    { if (i % 2 == 0) { set xtics add (binary(2.0**i) 2.0**i) } }
eval fine_tics('y', y0, y1)
set xlabel 'Elements, n'
set label 3 'Time, µs' at screen 20 / width, screen screen_y(top + high_of_panel / 2) center \
    rotate by 90 font font.',16' textcolor rgb ink
shade(i) = column('is_best') == 1 ? faster : column('is_library') == 1 ? reference : measured
set arrow 1 from first most_n + 0, best_us / 1.4 to first most_n * y0 * 1.4 / best_us, y0 nohead \
    dashtype 2 linewidth 1.2 linecolor rgb grey back
plot for [k = 0:rungs - 1] data using (column('at') == k ? column('n') : NaN):(column('time')): \
         (shade(0)) with linespoints pointtype 7 pointsize 0.5 * dots linewidth 1.6 \
         linecolor rgb variable notitle, \
     data using (column('is_best') == 1 ? column('n') : NaN):(column('time')) with linespoints \
         pointtype 7 pointsize 0.5 * dots linewidth 2.4 linecolor rgb faster notitle
# The numbers at the ends of the lines, those of one height together, and the names; on pixels.
eval on_pixels
py(y) = top + high_of_panel * (1 - log(y / y0) / log(y1 / y0))
pitch = (high_of_panel - 10.0) / rungs < 23 ? (high_of_panel - 10.0) / rungs : 23
name_x = width - right_margin + 190
plot data using (column('is_last') == 1 ? name_x : nowhere):(top + 12 + column('at') * pitch): \
         (cut(strcol('label'), 46)):(column('is_library') == 1 ? grey : shade(0)) with labels left \
         font font.',15' textcolor rgb variable notitle, \
     data using (strcol('mark') eq '-' ? nowhere : width - right_margin + 4): \
         (py(column('mark_y'))):(strcol('mark')) with labels left font font.',15' textcolor rgb \
         ink notitle
unset multiplot
