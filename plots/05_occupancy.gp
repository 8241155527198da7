#: title   Occupancy, :size_words
#: caption Filled: resident warps on average while the first launch ran, of the most that an SM can hold. Outlined: what block size,
#:            registers and shared memory would allow.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS size_words,
#:            (SELECT count(DISTINCT variant) FROM points p WHERE p.family = m.family AND p.size = m.size) AS rungs,
#:            coalesce('Achieved ' || CASE WHEN min(achieved_occupancy_pct) IS NOT NULL THEN printf('%.0f', min(achieved_occupancy_pct)) END
#:              || ' to ' || CASE WHEN max(achieved_occupancy_pct) IS NOT NULL THEN printf('%.0f', max(achieved_occupancy_pct)) END ||
#:              ' %; theoretical ' || CASE WHEN min(theoretical_occupancy_pct) IS NOT NULL THEN printf('%.0f',
#:              min(theoretical_occupancy_pct)) END || CASE WHEN round(min(theoretical_occupancy_pct)) <
#:              round(max(theoretical_occupancy_pct)) THEN ' to ' || CASE WHEN max(theoretical_occupancy_pct) IS NOT NULL THEN
#:              printf('%.0f', max(theoretical_occupancy_pct)) END ELSE '' END || ' %', 'Not measured') AS message
#:            FROM metrics m WHERE best = 1 GROUP BY m.family, m.size
#:            ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, v.rung,
#:            replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep, ''), ',', char(8218)) AS label,
#:            m.achieved_occupancy_pct AS value,
#:            CASE WHEN m.achieved_occupancy_pct IS NOT NULL THEN printf('%.1f', m.achieved_occupancy_pct) END || ' %' AS value_text,
#:            m.theoretical_occupancy_pct AS theoretical, CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size = p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size GROUP BY v.variant
#:            ORDER BY v.rung, v.variant

eval canvas(top + bottom + rungs * row)
far = 50
set xrange [0:100.5]
set xtics 20
set xlabel 'Occupancy, % of the warps that an SM can hold'
plot @bars, data using (number('theoretical')):(column('at')):(0):(number('theoretical')):(column('at') - 0.4):(column('at') + 0.4):(colour(column('rung'))) \
         with boxxyerror fillstyle empty linewidth 1.6 linecolor rgb variable notitle, \
     @names, @values, @absences, \
     keyentry with boxes linecolor rgb neutral title 'achieved', \
     keyentry with boxes fillstyle empty linewidth 1.6 linecolor rgb neutral title 'theoretical'
