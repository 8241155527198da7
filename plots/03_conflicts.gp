#: title   Shared-memory bank conflicts, :size_words
#: caption Three views of the same thing. The hardware counter also counts lost arbitration, so it is rarely zero. Excess wavefronts count address
#:           conflicts only. The cross is what the variant's address map predicts. The axis is logarithmic, with a place of its own for zero.
#: each    SELECT m.family AS family, m.size AS size, CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS size_words,
#:           (SELECT count(DISTINCT variant) FROM points p WHERE p.family = m.family AND p.size = m.size) AS rungs,
#:           max(max(shared_conflicts_hw), max(shared_excess_wavefronts), 1) AS most,
#:           coalesce((SELECT group_concat('rung ' || rung, ', ') FROM (SELECT v.rung FROM metrics w JOIN variants v USING (family, variant) WHERE w.family = m.family
#:           AND w.size = m.size AND w.best = 1 AND w.shared_excess_wavefronts > 0 ORDER BY v.rung)), CASE WHEN max(shared_excess_wavefronts) = 0 THEN 'no rung' END) AS who
#:           FROM metrics m WHERE best = 1 GROUP BY m.family, m.size ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    WITH r AS (SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, v.rung, replace(v.rung || ' ' || v.title, ',', char(8218)) AS label,
#:           m.shared_conflicts_hw AS hw, m.shared_excess_wavefronts AS excess, m.closed_form_excess_wavefronts AS closed,
#:           CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:           FROM points p JOIN variants v USING (family, variant) LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size = p.size
#:           AND m.best = 1 WHERE p.family = :family AND p.size = :size GROUP BY v.variant )
#:           SELECT at, rung, label, 0 AS slot, hw AS value, NULL AS closed, human(hw) AS value_text, word FROM r
#:           UNION ALL SELECT at, rung, '', 1, excess, closed, human(excess), word FROM r ORDER BY at, slot

message = who eq '' ? 'Not measured' : 'Addresses conflict in '.who.'; the rest of the hardware counter is arbitration'
eval canvas(top + bottom + 14 + rungs * (row + 4))
# 0 stands at 0, 1 at 1, 10 at 2 and so on.
place(v) = v < 1 ? 0 : 1 + log10(v)
right = ceil(place(most + 0)) + 0.01
every = right > 9 ? 2 : 1
set xrange [0:right + 0.28 * right]
set xtics ('0' 0, '1' 1, '10' 2)
do for [i = 2:int(right) - 1:every] { set xtics add (power(i) i + 1) }
set xlabel 'Cycles lost to conflicts (counter) or wavefronts beyond the ideal (SASS), logarithmic'
level(i) = column('at') + (column('slot') > 0 ? 0.2 : -0.2)
plot data using (0):(level(0)):(0):(place(column('value'))):(level(0) - 0.035):(level(0) + 0.035):(colour(column('rung'))) with boxxyerror linecolor rgb variable notitle, \
     data using (column('slot') > 0 ? NaN : place(column('value'))):(level(0)):(colour(column('rung'))) with points pointtype 7 pointsize 1.1 linecolor rgb variable notitle, \
     data using (column('slot') > 0 ? place(column('value')) : NaN):(level(0)):(colour(column('rung'))) with points pointtype 13 pointsize 1.3 linecolor rgb variable notitle, \
     data using (place(column('closed'))):(level(0)) with points pointtype 2 pointsize 0.9 linewidth 1.6 linecolor rgb ink notitle, \
     data using (place(column('value'))):(level(0)):(strcol('value_text')) with labels left offset 1.2, 0 font font.',13' textcolor rgb ink notitle, \
     data using (left):(level(0)):(strlen(strcol('value')) ? '' : strcol('word')) with labels left offset 0.6, 0 font font.',13' textcolor rgb grey notitle, \
     @names, \
     keyentry with points pointtype 7 pointsize 1.1 linecolor rgb neutral title 'hardware counter', \
     keyentry with points pointtype 13 pointsize 1.3 linecolor rgb neutral title 'SASS excess', \
     keyentry with points pointtype 2 pointsize 0.9 linewidth 1.6 linecolor rgb ink title 'predicted by the address map'
