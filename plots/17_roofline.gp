#: title   :headline
#: caption Throughput over arithmetic intensity, both axes logarithmic: useful operations per
#:            second, and useful operations for each byte that device memory actually moved. The
#:            roof is the rate that the memory bus allows at that intensity, at most the peak of the
#:            unit that the arithmetic is meant for, for each useful operation if several products
#:            take the place of one. If these are the tensor cores, the grey line is the FP32 peak
#:            of the CUDA cores.
#:            A grey arrow leads from each rung to the one that improves on it. Drawn where rungs
#:            differ in intensity, or climb to half of their roof or more from less than half of
#:            that.
#: each    WITH metric AS (SELECT *, unit_peak_tflops / max(1, coalesce(CAST(
#:              tensor_operations_per_useful + 0.1 AS INTEGER), 1)) AS useful_peak FROM metrics),
#:            point AS (SELECT m.family, m.variant, m.size, m.arithmetic_intensity AS intensity,
#:              m.tflops, m.dram_peak_gbs, m.fp32_peak_tflops, m.useful_peak AS unit_peak_tflops,
#:              f.rate, unit_text(f.unit, coalesce(m.mma_bf16_operations, 0) +
#:              coalesce(m.wgmma_bf16_operations, 0), coalesce(m.mma_tf32_operations, 0) +
#:              coalesce(m.wgmma_tf32_operations, 0),
#:              m.wgmma_half_operations) AS unit,
#:              v.kind, v.rung, min(m.dram_peak_gbs * m.arithmetic_intensity / 1e3,
#:              m.useful_peak) AS roof, row_number() OVER (PARTITION BY m.family, m.size,
#:              v.kind ORDER BY m.tflops DESC) AS place FROM metric m JOIN variants v USING
#:              (family, variant) JOIN families f ON f.family = m.family WHERE m.best = 1 AND
#:              m.arithmetic_intensity > 0 AND m.tflops > 0 AND NOT EXISTS (SELECT 1 FROM variants a
#:              WHERE a.family = m.family AND a.factors IS NOT NULL) AND (m.family, m.size) IN
#:              (SELECT family, size FROM chart_size))
#:            SELECT p.family AS family, p.size AS size, 'Roofline. ' || (SELECT subject FROM
#:              chart_size s WHERE s.family = p.family AND s.size = p.size) AS message,
#:            CASE max(p.rate) WHEN 'bytes' THEN 'operations' ELSE 'FLOP' END AS counted, count(*)
#:              AS places, min(p.intensity) AS least, max(p.intensity) AS most, min(p.tflops)
#:              AS low, max(p.tflops) AS high,
#:            max(p.dram_peak_gbs) AS memory, human(max(p.dram_peak_gbs)) AS memory_text,
#:              max(p.unit_peak_tflops) AS peak,
#:            human(max(p.unit_peak_tflops)) AS peak_text, (SELECT b.unit FROM point b WHERE
#:              b.family = p.family AND b.size = p.size ORDER BY b.unit_peak_tflops DESC, b.place
#:              LIMIT 1) AS
#:              unit_name,
#:            CASE WHEN max(p.unit_peak_tflops) > max(p.fp32_peak_tflops) THEN
#:              max(p.fp32_peak_tflops) END AS fp32_peak, human(max(p.fp32_peak_tflops)) AS
#:              fp32_text,
#:            (SELECT 'Rung ' || b.rung || ' reaches ' || round(100 * b.tflops / b.roof, 1) ||
#:              ' % of its roof, the ' || CASE WHEN b.roof < b.unit_peak_tflops THEN 'memory''s'
#:              ELSE b.unit || ' peak' END FROM point b WHERE b.family = p.family AND
#:              b.size = p.size AND b.kind = 'kernel' AND b.place = 1) || '; memory bounds ' || CASE
#:              sum(p.kind = 'kernel' AND p.roof < p.unit_peak_tflops) WHEN 0 THEN 'no rung' WHEN
#:              sum(p.kind = 'kernel') THEN 'every rung' ELSE sum(p.kind = 'kernel' AND p.roof <
#:              p.unit_peak_tflops) || ' of ' || sum(p.kind = 'kernel') || ' rungs' END AS headline
#:            FROM point p GROUP BY p.family, p.size HAVING sum(p.kind = 'kernel') > (max(p.rate) =
#:              'bytes') AND (max(p.intensity) > 1.5 * min(p.intensity) OR
#:              max(p.tflops) > 2 * min(p.tflops) AND max(p.tflops / p.roof) >= 0.5) AND peak IS NOT
#:              NULL AND memory IS NOT NULL ORDER BY p.family
#: data    WITH point AS (SELECT v.rung, v.variant, v.after, v.title, v.kind, m.arithmetic_intensity
#:              AS intensity, m.tflops FROM metrics m JOIN variants v USING (family, variant) WHERE
#:              m.family = :family AND m.size = :size AND m.best = 1 AND m.arithmetic_intensity > 0
#:              AND m.tflops > 0)
#:            SELECT row_number() OVER (ORDER BY p.tflops DESC, p.rung) - 1 AS at, CASE p.kind WHEN
#:              'library' THEN 0 ELSE p.rung END AS rung, p.intensity,
#:            p.tflops, q.intensity AS from_intensity, q.tflops AS from_tflops,
#:            replace(p.rung || ' ' || p.title, ',', char(8218)) AS label FROM point p LEFT JOIN
#:              point q ON q.variant = p.after ORDER BY at

right_margin = 390      # for the names
left_margin = 100
eval canvas(0)
high_of_panel = height - top - bottom
panel = width - left_margin - right_margin
places = places + 0
ridge = peak * 1e3 / memory
x0 = (least + 0 < ridge ? least : ridge) / 3.0
# The operations of sums are of integers, too, so FP32 is no roof of theirs.
is_sum = counted eq 'operations'
x1 = is_sum ? most * 8.0 : (most + 0 > ridge ? most : ridge) * 1.8
y0 = low / 1.7 < 0.5 * memory * x0 / 1e3 ? low / 1.7 : 0.5 * memory * x0 / 1e3
y1 = is_sum ? 1.5 * memory * x1 / 1e3 : (high + 0 > peak + 0 ? high : peak) * 1.5
roof(x) = is_sum || x < ridge ? memory * x / 1e3 : peak + 0
set multiplot
eval between(top, top + high_of_panel)
set lmargin at screen real(left_margin) / width
set xrange [x0:x1]
set yrange [y0:y1]
set logscale xy
set border 3
set samples 400
set grid xtics ytics back linetype 1 linecolor rgb faint linewidth 0.7
eval fine_tics('x', x0, x1)
eval fine_tics('y', y0, y1)
set xlabel 'Arithmetic intensity, '.counted.' per DRAM byte'
set ylabel 'Throughput, '.(counted eq 'FLOP' ? 'TFLOP/s' : '10¹² operations/s') offset -1, 0
if (!is_sum) set label 3 unit_name.' peak '.peak_text.' TFLOP/s' at graph 0.98, \
    first peak + 0 right offset character 0, 0.7 font font.',15' textcolor rgb ink
if (fp32_peak ne '') {
    set arrow 3 from graph 0, first fp32_peak + 0 to graph 1, first fp32_peak + 0 nohead \
        dashtype 2 linewidth 1.5 linecolor rgb grey back
    set label 5 'FP32 peak '.fp32_text.' TFLOP/s' at graph 0.98, first fp32_peak + 0 \
        right offset character 0, 0.7 font font.',15' textcolor rgb grey
}
bus = 'DRAM bus peak '.memory_text.' GB/s'
if (is_sum || ridge / x0 > (x1 / x0)**0.6) {
    middle = sqrt(x0 * (is_sum ? x1 : ridge))
    set label 4 bus at first middle, first 1.2 * roof(middle) right font font.',15' \
        textcolor rgb ink
} else {
    set label 4 bus at first x0 * 1.12, first 0.78 * roof(x0) left font font.',15' textcolor rgb ink
}
plot roof(x) with lines linewidth 2.2 linecolor rgb ink notitle, \
     data using (number('from_intensity')):(number('from_tflops')):(number('intensity') - \
         number('from_intensity')):(number('tflops') - number('from_tflops')) \
         with vectors filled head size screen 0.012, 22 linewidth 1 linecolor rgb reference \
             notitle, \
     data using (number('intensity')):(number('tflops')):(column('rung') > 0 ? measured : \
         reference) \
         with points pointtype 7 pointsize dots linecolor rgb variable notitle
# The names beside the panel, sorted by throughput and evenly spaced, each with a thin line to its
# point; on pixels.
eval on_pixels
px(x) = left_margin + panel * log(x / x0) / log(x1 / x0)
py(y) = top + high_of_panel * (1 - log(y / y0) / log(y1 / y0))
pitch = (high_of_panel - 10.0) / places < 23 ? (high_of_panel - 10.0) / places : 23
# The block of names begins beside the uppermost point, or higher if it would not fit.
first = py(high + 0) + places * pitch < top + high_of_panel ? py(high + 0) \
    : top + high_of_panel - places * pitch
name_x = width - right_margin + 26
name_y(i) = first + column('at') * pitch
plot data using (px(number('intensity')) + 4):(py(number('tflops'))):(name_x - 4 - \
    px(number('intensity')) - 4):(name_y(0) - py(number('tflops'))) \
         with vectors nohead linewidth 0.6 linecolor rgb 0xc0c0c0 notitle, \
     data using (name_x + 6):(name_y(0)):(column('rung') > 0 ? measured : reference) \
         with points pointtype 7 pointsize 0.7 * dots linecolor rgb variable notitle, \
     data using (name_x + 16):(name_y(0)):(cut(strcol('label'), 46)) \
         with labels left font font.',15' textcolor rgb ink notitle
unset multiplot
