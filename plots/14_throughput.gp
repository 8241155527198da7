#: title   Throughput of each rung, :size_words
#: caption Useful operations over clean time, cold L2 cache; the short black lines are 95 %
#:            intervals. A swept rung is shown in its best setting. The dashed line is the
#:            single-precision peak of the CUDA cores at the highest SM clock. The grey line is the
#:            fastest library call.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS
#:              size_words,
#:            (SELECT count(DISTINCT variant) FROM points p WHERE p.family = m.family AND p.size =
#:              m.size) AS rungs,
#:            human(max(m.fp32_peak_tflops)) AS peak_text, max(m.fp32_peak_tflops) AS peak,
#:              max(m.tflops_high) AS most,
#:            l.tflops AS library, l.title || ' ' || human(l.tflops) || ' TFLOP/s' AS library_text,
#:            coalesce('Best: rung ' || b.rung || ', ' || human(b.tflops) || ' TFLOP/s' ||
#:              coalesce(', ' || round(b.tflops_pct_peak, 1) || ' % of the FP32 peak', '') || CASE
#:              WHEN b.speedup_library IS NOT NULL THEN printf(', %.3f× the library',
#:              b.speedup_library) WHEN abs(b.speedup_first - 1) >= 0.005 THEN
#:              printf(', %.2f× the first', b.speedup_first) ELSE '' END,
#:              'No rung of the ladder was measured') AS message
#:            FROM metrics m JOIN families f ON f.family = m.family AND f.rate = 'operations'
#:            LEFT JOIN (SELECT w.*, v.rung, row_number() OVER (PARTITION BY w.family, w.size ORDER
#:              BY w.time_ns) AS place FROM metrics w JOIN variants v USING (family, variant) WHERE
#:              w.best = 1 AND v.kind = 'kernel' AND w.time_ns IS NOT NULL) b ON b.family = m.family
#:              AND b.size = m.size AND b.place = 1
#:            LEFT JOIN (SELECT w.*, v.title, row_number() OVER (PARTITION BY w.family, w.size ORDER
#:              BY w.time_ns) AS place FROM metrics w JOIN variants v USING (family, variant) WHERE
#:              w.best = 1 AND v.kind = 'library' AND w.time_ns IS NOT NULL) l ON l.family =
#:              m.family AND l.size = m.size AND l.place = 1
#:            WHERE m.best = 1 GROUP BY m.family, m.size ORDER BY m.family, CAST(m.size AS INTEGER),
#:              m.size
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at,
#:            CASE v.kind WHEN 'library' THEN 0 WHEN 'cpu' THEN -1 ELSE v.rung END AS rung,
#:            replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep,
#:              ''), ',', char(8218)) AS label,
#:            m.tflops AS value, m.tflops_low AS low, m.tflops_high AS high,
#:            human(m.tflops) || '' AS value_text,
#:            CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size =
#:              p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size GROUP BY v.variant
#:            ORDER BY v.rung, v.variant

# Two lines of text above the bars: the peak's, and below it the library's, which may be close to
# it.
over = library eq '' ? 0.6 : 1.6
if (library ne '') { top = top + 10 }
eval canvas(top + bottom + rungs * row)
right = limit(peak, most, 1.3)
# so that the library's line crosses no number
far = library eq '' ? 0.8 * right : library - 0.16 * right
edge = 'high'   # behind the interval
set xrange [0:right]
set xtics tics(right)
set xlabel 'Throughput, TFLOP/s'
if (peak ne '') {
    if (peak + 0 > right) {
        set label 3 'FP32 peak '.peak_text.' TFLOP/s, far to the right' at graph 1, \
            graph 1 right offset character 0, over font font.',13' textcolor rgb grey
    } else {
        set arrow 1 from peak + 0, graph 0 to peak + 0, \
            graph 1 nohead dashtype 2 linewidth 1.5 linecolor rgb ink front
        set label 3 'FP32 peak '.peak_text.' TFLOP/s' at peak + 0, \
            graph 1 right offset character 0, over font font.',13' textcolor rgb ink
    }
}
side = library ne '' && library < 0.2 * right ? 'left' : 'right'
if (library ne '') {
    set arrow 2 from library + 0, graph 0 to library + 0, \
        graph 1 nohead linewidth 2 linecolor rgb grey back
    set label 4 cut(library_text, 46) at library + 0, graph 1 @side offset character 0, \
        0.6 font font.',13' textcolor rgb grey
}
plot @bars, data using (number('value')):(column('at')):(number('low')):(number('high')) \
         with xerrorbars pointtype -1 linewidth 1.3 linecolor rgb ink notitle, \
     @names, @values, @absences
