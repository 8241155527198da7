#: title   Effective bandwidth over the swept setting, :size_words
#: caption Each point is one setting; the ring marks the best with a cold L2 cache. Cold: the cache was overwritten before. Warm: the
#:            launches had run once right before. The dashed line is what the memory bus can carry.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS size_words,
#:            (SELECT group_concat(variant, ' ') FROM (SELECT DISTINCT variant FROM metrics w WHERE w.family = m.family AND w.size = m.size
#:              AND w.sweep > 0 ORDER BY variant)) AS swept,
#:            (SELECT group_concat(rung, ' ') FROM (SELECT DISTINCT x.variant, x.rung FROM metrics w JOIN variants x USING (family, variant)
#:              WHERE w.family = m.family AND w.size = m.size AND w.sweep > 0 ORDER BY x.variant)) AS swept_rungs,
#:            group_concat(DISTINCT v.sweep_text) AS axis, human(max(dram_peak_gbs)) AS peak_text, max(dram_peak_gbs) AS peak,
#:            max(coalesce(max(effective_high_gbs), max(effective_warm_gbs)), coalesce(max(effective_warm_gbs), max(effective_high_gbs))) AS
#:              most, min(m.sweep) AS first, max(m.sweep) AS last,
#:            coalesce('Best: ' || (SELECT group_concat(words, '; ') FROM (SELECT x.rung || ' ' || x.title || ', ' || x.sweep_name || ' ' ||
#:              w.sweep || ': ' || human(w.effective_gbs) || ' GB/s' AS words FROM metrics w JOIN variants x USING (family, variant) WHERE
#:              w.family = m.family AND w.size = m.size AND w.sweep > 0 AND w.best = 1 ORDER BY x.rung)), 'Not measured') AS message
#:            FROM metrics m JOIN variants v USING (family, variant)
#:            WHERE m.sweep > 0 GROUP BY m.family, m.size ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT m.variant, v.rung, m.sweep, m.effective_gbs AS cold, m.effective_low_gbs AS low, m.effective_high_gbs AS high,
#:            m.effective_warm_gbs AS warm, m.best,
#:            CASE WHEN m.best = 1 THEN v.sweep_name || ' ' || m.sweep || ': ' || human(m.effective_gbs) || ' GB/s' ELSE '-' END AS best_text
#:            FROM metrics m JOIN variants v USING (family, variant)
#:            WHERE m.family = :family AND m.size = :size AND m.sweep > 0
#:            ORDER BY m.variant, m.sweep

if (words(swept) > 1) { top = top + 16 }   # the legend takes a second line
eval canvas(440)
set lmargin at screen 96.0 / width
right = 1.1 * limit(peak, most, 1.1)
set yrange [0:right]
set ytics tics(right) nomirror scale 0 font font.',13' textcolor rgb grey
set ylabel 'Effective bandwidth, GB/s' font font.',14' textcolor rgb ink offset 1.2, 0
set logscale x 2
set xrange [first / (first + 0 == last + 0 ? 2.5 : 1.3):last * (first + 0 == last + 0 ? 2.5 : 1.3)]
set xtics 1, 2, 1048576 format '%g'
set border 3
set grid ytics back linetype 1 linecolor rgb faint linewidth 0.7
set xlabel axis.' (logarithmic)'
if (peak ne '') {
    set arrow 1 from graph 0, first peak + 0 to graph 1, first peak + 0 nohead dashtype 2 linewidth 1.5 linecolor rgb ink front
    set label 3 'DRAM bus peak '.peak_text.' GB/s' at graph 1, first peak + 0 right offset character 0, 0.6 font font.',13' textcolor rgb ink
}
if (most eq '') { set label 4 'not measured' at graph 0.5, graph 0.5 center font font.',14' textcolor rgb grey }
mine(i) = strcol('variant') eq word(swept, i)
shade(i) = colour(word(swept_rungs, i) + 0)
plot for [i = 1:words(swept)] data using (mine(i) ? column('sweep') : NaN):(number('warm')) \
         with linespoints linewidth 1.6 dashtype 3 pointtype 6 pointsize 0.7 linecolor rgb shade(i) notitle, \
     for [i = 1:words(swept)] data using (mine(i) ? column('sweep') : NaN):(number('cold')) with linespoints linewidth 2.4 pointtype 7 pointsize 0.7 linecolor rgb shade(i) notitle, \
     data using (column('best') == 1 ? column('sweep') : NaN):(number('cold')) \
         with points pointtype 6 pointsize 1.5 linewidth 2 linecolor rgb 0xd55e00 notitle, \
     data using (column('sweep')):(column('best') == 1 && strlen(strcol('cold')) ? number('cold') : nowhere):(column('best') == 1 ? strcol('best_text') : '') \
         with labels center offset 0, -1.6 font font.',14' textcolor rgb ink notitle, \
     keyentry with linespoints linewidth 2.4 pointtype 7 pointsize 0.7 linecolor rgb neutral title 'cold L2', \
     keyentry with linespoints linewidth 1.6 dashtype 3 pointtype 6 pointsize 0.7 linecolor rgb neutral title 'warm L2', \
     keyentry with points pointtype 6 pointsize 1.1 linewidth 2 linecolor rgb 0xd55e00 title 'best', \
     for [i = 1:(words(swept) > 1 ? words(swept) : 0)] keyentry with lines linewidth 2.4 linecolor rgb shade(i) title 'rung '.word(swept_rungs, i)
