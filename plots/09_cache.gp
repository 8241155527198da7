#: title   Effective bandwidth, cold and warm L2 cache, :size_words
#: caption Filled, and the first number: the cache was overwritten before each sample. Outlined, and
#:            the second number: the launches had run once before. If the data fit into the cache, a
#:            warm run can exceed the bandwidth of the memory; if they do not, both are the same.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS
#:              size_words,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant)
#:              WHERE p.family = m.family AND p.size = m.size AND v.kind <> 'cpu') AS rungs,
#:            human(max(dram_peak_gbs)) AS peak_text, max(dram_peak_gbs) AS peak,
#:            max(coalesce(max(effective_gbs), max(effective_warm_gbs)),
#:              coalesce(max(effective_warm_gbs), max(effective_gbs))) AS most,
#:            coalesce('Input and output: ' || human(round(max(useful_bytes) / 1048576.0, 1)) ||
#:              ' MiB' || coalesce('; L2 cache: ' || human((SELECT value FROM run WHERE key =
#:              'device_l2_bytes') / 1048576.0) || ' MiB', '') || coalesce('; warm is at most ' ||
#:              human(max(effective_warm_gbs / effective_gbs)) || '× as fast', ''), 'Not measured')
#:              AS message
#:            FROM metrics m JOIN variants v USING (family, variant) WHERE best = 1 AND v.kind <>
#:              'cpu' AND coalesce((SELECT f.rate FROM families f WHERE f.family = m.family),
#:              'bytes') = 'bytes' AND (m.family, m.size) IN (SELECT family, first_value(size) OVER
#:              (PARTITION BY family ORDER BY useful_bytes, size) FROM metrics UNION SELECT family,
#:              first_value(size) OVER (PARTITION BY family ORDER BY useful_bytes DESC, size) FROM
#:              metrics)
#:            GROUP BY m.family, m.size HAVING (rungs > 1 OR max(m.sweep) = 0) AND
#:              count(coalesce(effective_gbs, effective_warm_gbs)) > 0
#:            ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, CASE v.kind WHEN
#:              'library' THEN 0 ELSE v.rung END AS rung,
#:            replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep,
#:              ''), ',', char(8218)) AS label,
#:            m.effective_gbs AS cold, m.effective_warm_gbs AS warm,
#:            max(coalesce(m.effective_gbs, m.effective_warm_gbs), coalesce(m.effective_warm_gbs,
#:              m.effective_gbs)) AS value,
#:            coalesce(human(m.effective_gbs), 'not measured') || ' → ' ||
#:              coalesce(human(m.effective_warm_gbs), 'not measured') AS value_text,
#:            CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size =
#:              p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant
#:            ORDER BY v.rung, v.variant

eval canvas(top + bottom + rungs * row)
right = limit(peak, most, 1.4)
far = 0.66 * right
set xrange [0:right]
set xtics tics(right)
set xlabel 'Effective bandwidth, GB/s'
eval peak_line(right)
# Text stands behind a short bar, in the filled part of a long one, or in its empty part if that is
# larger.
in_cold(i) = strlen(strcol('cold')) && column('cold') > 0.36 * right
plot data using (number('cold')):(column('at')):(0):(number('cold')):(column('at') - \
    0.36):(column('at') + 0.36):(colour(column('rung'))) \
         with boxxyerror linecolor rgb variable notitle, \
     data using (number('warm')):(column('at')):(0):(number('warm')):(column('at') - \
         0.36):(column('at') + 0.36):(colour(column('rung'))) \
         with boxxyerror fillstyle empty linewidth 1.6 linecolor rgb variable notitle, \
     data using (number('value') <= far ? number('value') \
         : nowhere):(column('at')):(strcol('value_text')) \
         with labels left offset 0.8, 0 font font.',14' textcolor rgb ink notitle, \
     data using (number('value') > far && in_cold(0) ? number('cold') \
         : nowhere):(column('at')):(strcol('value_text')):(on(colour(column('rung')))) \
         with labels right offset -0.8, 0 font font.',14' textcolor rgb variable notitle, \
     data using (number('value') > far && !in_cold(0) ? number('value') \
         : nowhere):(column('at')):(strcol('value_text')) \
         with labels right offset -0.8, 0 font font.',14' textcolor rgb ink notitle, \
     @names, @absences, \
     keyentry with boxes linecolor rgb neutral title 'cold L2', \
     keyentry with boxes fillstyle empty linewidth 1.6 linecolor rgb neutral title 'warm L2'
