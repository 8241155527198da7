#: title   Effective bandwidth, cold and warm L2 cache, :size_words
#: caption Filled: the cache was overwritten before each sample. Outlined: the launches had run once right before. Where the data fit into
#:            the cache, a warm run can go beyond the bandwidth of the memory; where they do not, both are the same.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS size_words,
#:            (SELECT count(DISTINCT variant) FROM points p WHERE p.family = m.family AND p.size = m.size) AS rungs,
#:            human(max(dram_peak_gbs)) AS peak_text, max(dram_peak_gbs) AS peak,
#:            max(coalesce(max(effective_gbs), max(effective_warm_gbs)), coalesce(max(effective_warm_gbs), max(effective_gbs))) AS most,
#:            coalesce('Input and output: ' || human(round(max(useful_bytes) / 1048576.0, 1)) || ' MiB' || coalesce('; L2 cache: ' ||
#:              human((SELECT value FROM run WHERE key = 'device_l2_bytes') / 1048576.0) || ' MiB', ''), 'Not measured') AS message
#:            FROM metrics m WHERE best = 1 GROUP BY m.family, m.size
#:            ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, v.rung,
#:            replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep, ''), ',', char(8218)) AS label,
#:            m.effective_gbs AS cold, m.effective_warm_gbs AS warm,
#:            max(coalesce(m.effective_gbs, m.effective_warm_gbs), coalesce(m.effective_warm_gbs, m.effective_gbs)) AS value,
#:            coalesce(human(m.effective_gbs) || ' cold', 'cold not measured') || char(8218) || ' ' || coalesce(human(m.effective_warm_gbs)
#:              || ' warm', 'warm not measured') AS value_text,
#:            CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size = p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size GROUP BY v.variant
#:            ORDER BY v.rung, v.variant

eval canvas(top + bottom + rungs * row)
right = limit(peak, most, 1.4)
far = 0.55 * right
set xrange [0:right]
set xtics tics(right)
set xlabel 'Effective bandwidth, GB/s'
eval peak_line
plot data using (number('cold')):(column('at')):(0):(number('cold')):(column('at') - 0.36):(column('at') + 0.36):(colour(column('rung'))) \
         with boxxyerror linecolor rgb variable notitle, \
     data using (number('warm')):(column('at')):(0):(number('warm')):(column('at') - 0.36):(column('at') + 0.36):(colour(column('rung'))) \
         with boxxyerror fillstyle empty linewidth 1.6 linecolor rgb variable notitle, \
     @names, @values, @absences, \
     keyentry with boxes linecolor rgb neutral title 'cold L2', \
     keyentry with boxes fillstyle empty linewidth 1.6 linecolor rgb neutral title 'warm L2'
