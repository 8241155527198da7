#: title   Shared-memory bank conflicts, :size_words
#: caption Three views of the same conflicts. The hardware counter also counts lost arbitration, so
#:            it is rarely zero. Excess wavefronts count only address conflicts; they are left out
#:            if accesses of several widths may mix and the variant does not describe them. The
#:            black mark is the closed form, predicted from the variant's address map, if only loads
#:            and stores conflict. The axis is logarithmic, with a separate place for zero.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS
#:              size_words,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant)
#:              WHERE p.family = m.family AND p.size = m.size AND v.kind <> 'cpu') AS rungs,
#:            max(coalesce(max(shared_conflicts_hw), 1), coalesce(max(shared_excess_least), 1),
#:              coalesce(max(closed_form_excess_wavefronts), 1), 1) AS most,
#:            coalesce((SELECT CASE count(*) WHEN 0 THEN NULL WHEN 1 THEN 'rung ' ELSE 'rungs ' END
#:              || group_concat(rung, ', ') FROM (SELECT v.rung FROM metrics w JOIN variants v USING
#:              (family, variant) WHERE w.family = m.family AND w.size = m.size AND w.best = 1 AND
#:              w.shared_excess_least > 0 ORDER BY v.rung)), CASE WHEN max(shared_excess_least) = 0
#:              THEN 'no rung' END) AS who, human(max(shared_excess_least)) AS worst
#:            FROM metrics m WHERE best = 1 AND m.size = (SELECT w.size FROM metrics w WHERE
#:              w.family = m.family ORDER BY w.useful_bytes DESC, w.size LIMIT 1)
#:            GROUP BY m.family, m.size HAVING (rungs > 1 OR max(m.sweep) = 0) AND
#:              count(coalesce(shared_conflicts_hw, shared_excess_wavefronts)) > 0
#:            ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    WITH r AS (SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, CASE v.kind
#:              WHEN 'library' THEN 0 ELSE v.rung END AS rung, replace(v.rung || ' ' || v.title,
#:              ',', char(8218)) AS label, m.shared_conflicts_hw AS hw, CASE WHEN
#:              m.closed_form_excess_wavefronts IS NOT NULL OR m.shared_excess_wavefronts = 0 THEN
#:              m.shared_excess_wavefronts END AS excess, CASE WHEN m.matrix_excess_wavefronts +
#:              m.async_excess_wavefronts + m.atomic_excess_wavefronts = 0 THEN
#:              m.closed_form_excess_wavefronts END AS closed,
#:              CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:              FROM points p JOIN variants v USING (family, variant) LEFT JOIN metrics m ON
#:              m.family = p.family AND m.variant = p.variant AND m.size = p.size AND m.best = 1
#:              WHERE p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant)
#:            SELECT at, rung, label, 0 AS slot, hw AS value, NULL AS closed, human(hw) AS
#:              value_text, word FROM r
#:            UNION ALL SELECT at, rung, '', 1, excess, closed, human(excess), word
#:            FROM r ORDER BY at, slot

message = who eq '' ? 'Addresses were not examined; the hardware counter includes lost ' \
    .'arbitration' \
        : 'Addresses conflict in '.who.(worst eq '0' ? '' \
            : ' (up to '.worst.')').'; the rest is lost arbitration'
eval canvas(top + bottom + rungs * (row + 4))
# The legend by hand: gnuplot would break it over two lines.
legend_y = 1 - (70.0 + shift) / height
set label 11 '' at screen 22.0 / width, screen legend_y point pointtype 7 pointsize 0.8 linecolor \
    rgb neutral
set label 12 'hardware counter' at screen 34.0 / width, \
    screen legend_y left font font.',13' textcolor rgb ink
set label 13 '' at screen 182.0 / width, screen legend_y point pointtype 13 pointsize 0.9 \
    linecolor rgb neutral
set label 14 'SASS excess' at screen 194.0 / width, screen legend_y left font font.',13' textcolor \
    rgb ink
set label 15 'closed form' at screen 324.0 / width, screen legend_y left font font.',13' textcolor \
    rgb ink
set arrow 15 from screen 314.0 / width, screen legend_y - 8.0 / height to screen 314.0 / width, \
    screen legend_y + 8.0 / height nohead linewidth 2.5 linecolor rgb ink
# 0 is drawn at 0, 1 at 1, 10 at 2 and so on.
place(v) = v < 1 ? 0 : 1 + log10(v)
right = ceil(place(most + 0)) + 0.01
every = right > 9 ? 2 : 1
left = -0.03 * right   # beside the points that stand at zero
set xrange [left:1.28 * right]
set border 0
set arrow 1 from 0, graph 0 to 0, graph 1 nohead linewidth 1.2 linecolor rgb grey back
set xtics ('0' 0)
do for [i = 0:int(right) - 1:every] { set xtics add (power(i) i + 1) }
set xlabel 'Conflicts: cycles or wavefronts (logarithmic)'
slim = 0.0035 * right
level(i) = column('at') + (column('slot') > 0 ? 0.2 : -0.2)
plot data using (place(number('value'))):(level(0)):(0):(place(number('value'))):(level(0) - \
    0.035):(level(0) + 0.035):(colour(column('rung'))) \
         with boxxyerror linecolor rgb variable notitle, \
     data using (column('slot') > 0 ? NaN : \
         place(number('value'))):(level(0)):(colour(column('rung'))) \
         with points pointtype 7 pointsize 0.8 linecolor rgb variable notitle, \
     data using (column('slot') > 0 ? place(number('value')) \
         : NaN):(level(0)):(colour(column('rung'))) \
         with points pointtype 13 pointsize 0.9 linecolor rgb variable notitle, \
     data using (place(number('closed'))):(level(0)):(place(number('closed')) - \
         slim):(place(number('closed')) + slim):(level(0) - 0.19):(level(0) + 0.19) \
         with boxxyerror linecolor rgb ink notitle, \
     data using (strlen(strcol('value')) ? place(number('value')) \
         : nowhere):(level(0)):(strcol('value_text')) \
         with labels left offset 1.2, 0 font font.',13' textcolor rgb ink notitle, \
     data using (0):(level(0)):(strlen(strcol('value')) ? '' : strcol('word')) \
         with labels left offset 0.6, 0 font font.',13' textcolor rgb grey notitle, \
     @names
