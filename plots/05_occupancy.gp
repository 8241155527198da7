#: title   Occupancy, :size_words
#: caption Filled: average resident warps while the first launch ran, as a share of the most that an
#:            SM can hold. Outlined: the share that block size, registers and shared memory would
#:            allow.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS
#:              size_words,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant)
#:              WHERE p.family = m.family AND p.size = m.size AND v.kind <> 'cpu') AS rungs,
#:            CASE WHEN count(achieved_occupancy_pct) = 0 THEN 'Achieved: not measured' ELSE
#:              printf('Achieved %.0f', min(achieved_occupancy_pct)) || CASE WHEN
#:              round(min(achieved_occupancy_pct)) < round(max(achieved_occupancy_pct)) THEN
#:              printf(' to %.0f', max(achieved_occupancy_pct)) ELSE '' END || ' %' END || CASE WHEN
#:              count(theoretical_occupancy_pct) = 0 THEN '' ELSE printf('; theoretical %.0f',
#:              min(theoretical_occupancy_pct)) || CASE WHEN round(min(theoretical_occupancy_pct)) <
#:              round(max(theoretical_occupancy_pct)) THEN printf(' to %.0f',
#:              max(theoretical_occupancy_pct)) ELSE '' END || ' %' END AS message
#:            FROM metrics m WHERE best = 1 AND (m.family, m.size) IN (SELECT family,
#:              first_value(size) OVER (PARTITION BY family ORDER BY useful_bytes, size) FROM
#:              metrics UNION SELECT family, first_value(size) OVER (PARTITION BY family ORDER BY
#:              useful_bytes DESC, size) FROM metrics)
#:            GROUP BY m.family, m.size HAVING (rungs > 1 OR max(m.sweep) = 0) AND
#:              count(coalesce(achieved_occupancy_pct, theoretical_occupancy_pct)) > 0
#:            ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, CASE v.kind WHEN
#:              'library' THEN 0 ELSE v.rung END AS rung,
#:            replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep,
#:              ''), ',', char(8218)) AS label,
#:            m.achieved_occupancy_pct AS value,
#:            CASE WHEN m.achieved_occupancy_pct IS NOT NULL THEN printf('%.1f',
#:              m.achieved_occupancy_pct) END || ' %' AS value_text,
#:            m.theoretical_occupancy_pct AS theoretical,
#:            CASE WHEN m.theoretical_occupancy_pct - m.achieved_occupancy_pct < 15 THEN
#:              m.theoretical_occupancy_pct ELSE m.achieved_occupancy_pct END AS clear, CASE WHEN
#:              max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size =
#:              p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant
#:            ORDER BY v.rung, v.variant

eval canvas(top + bottom + rungs * row)
far = 50
edge = 'clear'   # the text does not cross the outline
set xrange [0:100.5]
set xtics 20
set xlabel 'Occupancy, % of the warps that an SM can hold'
plot @bars, \
     data using (number('theoretical')):(column('at')):(0):(number('theoretical')): \
         (column('at') - 0.4):(column('at') + 0.4):(colour(column('rung'))) \
         with boxxyerror fillstyle empty linewidth 1.6 linecolor rgb variable notitle, \
     @names, @values, @absences, \
     keyentry with boxes linecolor rgb neutral title 'achieved', \
     keyentry with boxes fillstyle empty linewidth 1.6 linecolor rgb neutral title 'theoretical'
