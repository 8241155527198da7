#: title   Effective bandwidth over the setting of a swept rung, :size_words
#: caption Each point is one setting; the ring marks the best with a cold L2 cache. Cold: the cache was overwritten before. Warm: the launches had run
#:           once right before. The dashed line is what the memory bus can carry.
#: each    SELECT m.family AS family, m.size AS size, CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS size_words,
#:           (SELECT group_concat(variant, ' ') FROM (SELECT DISTINCT variant FROM metrics w WHERE w.family = m.family AND w.size = m.size AND w.sweep > 0
#:           ORDER BY variant)) AS swept, (SELECT group_concat(rung, ' ') FROM (SELECT DISTINCT x.variant, x.rung FROM metrics w JOIN variants x
#:           USING (family, variant) WHERE w.family = m.family AND w.size = m.size AND w.sweep > 0 ORDER BY x.variant)) AS swept_rungs, group_concat(DISTINCT v.sweep_text) AS axis, human(max(dram_peak_gbs)) AS peak_text, max(dram_peak_gbs) AS peak,
#:           max(max(effective_high_gbs), coalesce(max(effective_warm_gbs), 0)) AS most, min(m.sweep) AS first, max(m.sweep) AS last,
#:           coalesce('Best: ' || (SELECT group_concat(words, '; ') FROM (SELECT x.rung || ' ' || x.title || ', ' || x.sweep_name || ' ' || w.sweep || ': '
#:           || human(w.effective_gbs) || ' GB/s' AS words FROM metrics w JOIN variants x USING (family, variant) WHERE w.family = m.family AND w.size = m.size
#:           AND w.sweep > 0 AND w.best = 1 ORDER BY x.rung)), 'Not measured') AS message
#:           FROM metrics m JOIN variants v USING (family, variant) WHERE m.sweep > 0 GROUP BY m.family, m.size ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT m.variant, v.rung, m.sweep, m.effective_gbs AS cold, m.effective_low_gbs AS low, m.effective_high_gbs AS high, m.effective_warm_gbs AS warm, m.best,
#:           CASE WHEN m.best = 1 THEN v.sweep_name || ' ' || m.sweep || ': ' || human(m.effective_gbs) || ' GB/s' ELSE '' END AS best_text
#:           FROM metrics m JOIN variants v USING (family, variant) WHERE m.family = :family AND m.size = :size AND m.sweep > 0 ORDER BY m.variant, m.sweep

eval canvas(440)
set lmargin at screen 78.0 / width
right = peak eq '' ? (most eq '' ? 1 : 1.15 * most) : 1.04 * (peak > most ? peak : most)
set yrange [0:right]
set ytics tics(right) nomirror scale 0 font font.',13' textcolor rgb grey
set ylabel 'Effective bandwidth, GB/s' font font.',14' textcolor rgb ink
set logscale x 2
set xrange [first / 1.3:last * 1.3]
set xtics format '%g'
set border 3
set grid ytics back linetype 1 linecolor rgb faint linewidth 0.7
set xlabel axis.' (logarithmic)'
if (peak ne '') {
    set arrow 1 from graph 0, first peak + 0 to graph 1, first peak + 0 nohead dashtype 2 linewidth 1.5 linecolor rgb ink front
    set label 3 'DRAM bus peak '.peak_text.' GB/s' at graph 1, first peak + 0 right offset character 0, -0.7 font font.',13' textcolor rgb ink
}
mine(i) = strcol('variant') eq word(swept, i)
shade(i) = colour(word(swept_rungs, i) + 0)
plot for [i = 1:words(swept)] data using (mine(i) ? column('sweep') : NaN):(column('warm')) with linespoints linewidth 1.6 dashtype 3 pointtype 6 pointsize 0.9 linecolor rgb shade(i) notitle, \
     for [i = 1:words(swept)] data using (mine(i) ? column('sweep') : NaN):(column('cold')) with linespoints linewidth 2.4 pointtype 7 pointsize 0.9 linecolor rgb shade(i) notitle, \
     data using (column('best') == 1 ? column('sweep') : NaN):(column('cold')) with points pointtype 6 pointsize 2.2 linewidth 2 linecolor rgb 0xd55e00 notitle, \
     data using (column('sweep')):(column('best') == 1 ? column('cold') : NaN):(strcol('best_text')) with labels center offset 0, -1.6 font font.',14' textcolor rgb ink notitle, \
     keyentry with linespoints linewidth 2.4 pointtype 7 pointsize 0.9 linecolor rgb neutral title 'cold L2', \
     keyentry with linespoints linewidth 1.6 dashtype 3 pointtype 6 pointsize 0.9 linecolor rgb neutral title 'warm L2', \
     keyentry with points pointtype 6 pointsize 1.6 linewidth 2 linecolor rgb 0xd55e00 title 'best'
