#: title   DRAM throughput, :size_words
#: caption Bytes that device memory really moved, by its counters, over clean time: reads in full colour, writes behind them in a light one. The
#:           dashed line is what the memory bus can carry.
#: each    SELECT m.family AS family, m.size AS size, CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS size_words,
#:           (SELECT count(DISTINCT variant) FROM points p WHERE p.family = m.family AND p.size = m.size) AS rungs,
#:           human(max(dram_peak_gbs)) AS peak_text, max(dram_peak_gbs) AS peak, max(dram_gbs) AS most,
#:           coalesce('From ' || printf('%.1f', min(dram_pct_peak)) || ' to ' || printf('%.1f', max(dram_pct_peak)) || ' % of the DRAM bus peak', 'Not measured') AS message
#:           FROM metrics m WHERE best = 1 GROUP BY m.family, m.size ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, v.rung,
#:           replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep, ''), ',', char(8218)) AS label,
#:           m.dram_gbs AS value, m.dram_read_bytes / m.time_ns AS reads, human(m.dram_gbs) || ' GB/s' || coalesce(char(8218) || ' ' || printf('%.1f', m.dram_pct_peak) || ' %', '')
#:           AS value_text,
#:           CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:           FROM points p JOIN variants v USING (family, variant) LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size = p.size
#:           AND m.best = 1 WHERE p.family = :family AND p.size = :size GROUP BY v.variant ORDER BY v.rung, v.variant

eval canvas(top + bottom + rungs * row)
right = peak eq '' ? (most eq '' ? 1 : 1.4 * most) : 1.02 * (peak > most ? peak : most)
far = 0.58 * right
set xrange [0:right]
set xtics tics(right)
set xlabel 'DRAM throughput, GB/s (and % of the bus peak)'
if (peak ne '') {
    set arrow 1 from peak + 0, graph 0 to peak + 0, graph 1 nohead dashtype 2 linewidth 1.5 linecolor rgb ink front
    set label 3 'DRAM bus peak '.peak_text.' GB/s' at peak + 0, graph 1 right offset character 0, 0.6 font font.',13' textcolor rgb ink
}
plot data using (0):(column('at')):(0):(column('value')):(column('at') - 0.36):(column('at') + 0.36):(light(colour(column('rung')))) with boxxyerror linecolor rgb variable notitle, \
     data using (0):(column('at')):(0):(column('reads')):(column('at') - 0.36):(column('at') + 0.36):(colour(column('rung'))) with boxxyerror linecolor rgb variable notitle, \
     @names, @values, @absences, \
     keyentry with boxes linecolor rgb neutral title 'read', \
     keyentry with boxes linecolor rgb light(neutral) title 'written'
