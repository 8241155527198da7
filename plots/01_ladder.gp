#: title   Effective bandwidth of each rung, :size_words
#: caption Useful bytes over clean time, cold L2 cache; the short black lines are 95 % intervals. A
#:            swept rung is shown in its best setting. The dashed line is the capacity of the memory
#:            bus. Grey: a library's own kernel and the CPU, for comparison.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS
#:              size_words,
#:            (SELECT count(DISTINCT variant) FROM points p WHERE p.family = m.family AND p.size =
#:              m.size) AS rungs,
#:            human(max(m.dram_peak_gbs)) AS peak_text, max(m.dram_peak_gbs) AS peak,
#:              max(m.effective_high_gbs) AS most,
#:            coalesce('Best: rung ' || b.rung || ', ' || human(b.effective_gbs) || ' GB/s' ||
#:              coalesce(', ' || round(b.effective_pct_peak, 1) || ' % of the peak', '') || CASE
#:              WHEN abs(b.speedup_first - 1) >= 0.005 THEN printf(', %.2f× the first',
#:              b.speedup_first) ELSE '' END || CASE WHEN b.speedup_library IS NOT NULL THEN
#:              printf(', %.3f× the library', b.speedup_library) ELSE '' END,
#:              'No rung of the ladder was measured') AS message
#:            FROM metrics m LEFT JOIN (SELECT w.*, v.rung, row_number() OVER (PARTITION BY
#:              w.family, w.size ORDER BY w.time_ns) AS place FROM metrics w JOIN variants v USING
#:              (family, variant) WHERE w.best = 1 AND v.kind = 'kernel' AND w.time_ns IS NOT NULL)
#:              b ON b.family = m.family AND b.size = m.size AND b.place = 1
#:            WHERE m.best = 1 AND coalesce((SELECT f.rate FROM families f WHERE f.family =
#:              m.family), 'bytes') = 'bytes'
#:            GROUP BY m.family, m.size ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at,
#:            CASE v.kind WHEN 'library' THEN 0 WHEN 'cpu' THEN -1 ELSE v.rung END AS rung,
#:            replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep,
#:              ''), ',', char(8218)) AS label,
#:            m.effective_gbs AS value, m.effective_low_gbs AS low, m.effective_high_gbs AS high,
#:            human(m.effective_gbs) || ' GB/s' AS value_text,
#:            CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size =
#:              p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size GROUP BY v.variant
#:            ORDER BY v.rung, v.variant

eval canvas(top + bottom + rungs * row)
right = limit(peak, most, 1.3)
far = 0.62 * right
edge = 'high'   # behind the interval
set xrange [0:right]
set xtics tics(right)
set xlabel 'Effective bandwidth, GB/s'
eval peak_line(right)
plot @bars, data using (number('value')):(column('at')):(number('low')):(number('high')) \
         with xerrorbars pointtype -1 linewidth 1.3 linecolor rgb ink notitle, \
     @names, @values, @absences
