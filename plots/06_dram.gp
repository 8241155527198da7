#: title   DRAM throughput, :size_words
#: caption Bytes that device memory actually moved, by its counters, over clean time: reads in full
#:            colour, writes behind them in a light one. The dashed line is the capacity of the
#:            memory bus.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS
#:              size_words,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant)
#:              WHERE p.family = m.family AND p.size = m.size AND v.kind <> 'cpu') AS rungs,
#:            human(max(dram_peak_gbs)) AS peak_text, max(dram_peak_gbs) AS peak, max(dram_gbs) AS
#:              most,
#:            coalesce('From ' || CASE WHEN min(dram_pct_peak) IS NOT NULL THEN printf('%.1f',
#:              min(dram_pct_peak)) END || ' to ' || CASE WHEN max(dram_pct_peak) IS NOT NULL THEN
#:              printf('%.1f', max(dram_pct_peak)) END || ' % of the DRAM bus peak', 'Not measured')
#:              AS message
#:            FROM metrics m WHERE best = 1 AND (m.family, m.size) IN (SELECT family,
#:              first_value(size) OVER (PARTITION BY family ORDER BY useful_bytes, size) FROM
#:              metrics UNION SELECT family, first_value(size) OVER (PARTITION BY family ORDER BY
#:              useful_bytes DESC, size) FROM metrics)
#:            GROUP BY m.family, m.size HAVING (rungs > 1 OR max(m.sweep) = 0) AND count(dram_gbs) >
#:              0
#:            ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, CASE v.kind WHEN
#:              'library' THEN 0 ELSE v.rung END AS rung,
#:            replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep,
#:              ''), ',', char(8218)) AS label,
#:            m.dram_gbs AS value, CASE WHEN m.dram_gbs IS NOT NULL THEN m.dram_read_bytes /
#:              m.time_ns END AS reads,
#:            human(m.dram_gbs) || ' GB/s' || coalesce(char(8218) || ' ' || CASE WHEN
#:              m.dram_pct_peak IS NOT NULL THEN printf('%.1f', m.dram_pct_peak) END || ' %', '') AS
#:              value_text,
#:            CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size =
#:              p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant
#:            ORDER BY v.rung, v.variant

eval canvas(top + bottom + rungs * row)
right = limit(peak, most, 1.9)   # far below the peak no text is on the light colour
far = 0.58 * right
set xrange [0:right]
set xtics tics(right)
set xlabel 'DRAM throughput, GB/s (and % of the bus peak)'
eval peak_line(right)
plot data using (number('value')):(column('at')):(0):(number('value')):(column('at') - \
    0.36):(column('at') + 0.36):(light(colour(column('rung')))) \
         with boxxyerror linecolor rgb variable notitle, \
     data using (number('reads')):(column('at')):(0):(number('reads')):(column('at') - \
         0.36):(column('at') + 0.36):(colour(column('rung'))) \
         with boxxyerror linecolor rgb variable notitle, \
     @names, @values, @absences, \
     keyentry with boxes linecolor rgb neutral title 'read', \
     keyentry with boxes linecolor rgb light(neutral) title 'written'
