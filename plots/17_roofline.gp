#: title   :headline
#: caption Throughput over arithmetic intensity, both axes logarithmic: useful operations per
#:            second, and useful operations for each byte that device memory actually moved, or,
#:            where device memory is the roof of no rung, for each byte that the data stage of L1
#:            could move: 128 for each wavefront, of shared and of global memory, with conflicts.
#:            The roof is the rate that memory allows at that intensity, at most the peak of the
#:            unit that the arithmetic is meant for, for each useful operation if several products
#:            take the place of one. Thin: that of the fastest rung, if it is another one. If the
#:            unit is the tensor cores, the grey line is the FP32 peak of the CUDA cores. Numbers
#:            are those of the rungs in the list; they stand beside the points at their height.
#:            Pale: a library's own kernel.
#:            A grey arrow leads from each rung to the one that improves on it. Drawn where rungs
#:            differ in intensity, or, of operations, climb to half of their roof or more from less
#:            than half of that.
#: each    WITH counted AS (SELECT *, max(1, coalesce(CAST(tensor_operations_per_useful + 0.1 AS
#:              INTEGER), 1)) AS products FROM metrics),
#:            metric AS (SELECT *, unit_peak_tflops / products AS useful_peak FROM counted),
#:            measured AS (SELECT m.family, m.variant, m.size, m.arithmetic_intensity,
#:              m.useful_operations / (128.0 * max(m.l1_wavefronts, m.shared_wavefronts)) AS
#:              l1_intensity, m.shared_peak_gbs,
#:              m.tflops, m.dram_peak_gbs, m.fp32_peak_tflops, m.useful_peak AS unit_peak_tflops,
#:              m.unit_peak_tflops AS one_peak, m.products, f.rate,
#:              unit_text(f.unit, coalesce(m.mma_bf16_operations, 0) +
#:              coalesce(m.wgmma_bf16_operations, 0), coalesce(m.mma_tf32_operations, 0) +
#:              coalesce(m.wgmma_tf32_operations, 0), m.wgmma_half_operations) AS unit, v.kind,
#:              v.rung, v.title, row_number() OVER (PARTITION BY m.family, m.size,
#:              v.kind ORDER BY m.tflops DESC) AS place FROM metric m JOIN variants v USING
#:              (family, variant) JOIN families f ON f.family = m.family WHERE m.best = 1 AND
#:              m.arithmetic_intensity > 0 AND m.tflops > 0 AND NOT EXISTS (SELECT 1 FROM variants a
#:              WHERE a.family = m.family AND a.factors IS NOT NULL) AND (m.family, m.size) IN
#:              (SELECT family, size FROM chart_size)),
#:            level AS (SELECT family, size, max(rate) <> 'bytes' AND count(*) = count(l1_intensity)
#:              AND NOT max(kind = 'kernel' AND dram_peak_gbs * arithmetic_intensity / 1e3 <
#:              unit_peak_tflops) AS is_l1 FROM measured GROUP BY family, size),
#:            placed AS (SELECT *, CASE is_l1 WHEN 1 THEN l1_intensity ELSE arithmetic_intensity END
#:              AS intensity, CASE is_l1 WHEN 1 THEN shared_peak_gbs ELSE dram_peak_gbs END AS
#:              memory_gbs, CASE is_l1 WHEN 1 THEN 'L1' ELSE 'DRAM' END AS memory_name FROM measured
#:              JOIN level USING (family, size)),
#:            point AS (SELECT *, min(memory_gbs * intensity / 1e3, unit_peak_tflops) AS roof FROM
#:              placed),
#:            whole AS (SELECT p.family AS family, p.size AS size, 'Roofline of ' ||
#:              max(p.memory_name) || '. ' || (SELECT subject
#:              FROM chart_size s WHERE s.family = p.family AND s.size = p.size) AS message,
#:            CASE max(p.rate) WHEN 'bytes' THEN 'operations' ELSE 'FLOP' END AS counted, count(*)
#:              AS places, min(p.intensity) AS least, max(p.intensity) AS most, min(p.tflops)
#:              AS low, max(p.tflops) AS high,
#:            max(p.memory_gbs) AS memory, human(max(p.memory_gbs)) AS memory_text,
#:              max(p.memory_name) AS memory_name, max(p.is_l1) AS is_l1,
#:              max(p.unit_peak_tflops) AS peak,
#:            human(max(p.unit_peak_tflops)) AS peak_text, (SELECT b.unit FROM point b WHERE
#:              b.family = p.family AND b.size = p.size ORDER BY b.unit_peak_tflops DESC, b.place
#:              LIMIT 1) AS unit_name,
#:            CASE WHEN max(p.unit_peak_tflops) > max(p.fp32_peak_tflops) THEN
#:              max(p.fp32_peak_tflops) END AS fp32_peak, human(max(p.fp32_peak_tflops)) AS
#:              fp32_text,
#:            (SELECT b.unit_peak_tflops FROM point b WHERE b.family = p.family AND b.size =
#:              p.size AND b.kind = 'kernel' AND b.place = 1 AND b.products > 1) AS own_peak,
#:            (SELECT b.unit || printf(' peak by %d products: ', b.products) ||
#:              human(b.unit_peak_tflops) FROM point b WHERE b.family = p.family AND b.size =
#:              p.size AND b.kind = 'kernel' AND b.place = 1) AS own_text,
#:            (SELECT '“' || b.title || '” reaches ' || CASE WHEN b.roof < b.unit_peak_tflops
#:              THEN CAST(round(100 * b.tflops / b.roof) AS INTEGER) || ' % of what ' ||
#:              b.memory_name || ' allows'
#:              ELSE CAST(round(100 * b.tflops / b.one_peak) AS INTEGER) || ' % of the ' || b.unit
#:              || ' peak' || CASE WHEN b.products > 1 THEN ', ' || CAST(round(100 * b.tflops /
#:              b.roof) AS INTEGER) || ' % with its ' || b.products || ' products for one' ELSE ''
#:              END END FROM point b WHERE b.family = p.family AND b.size = p.size AND b.kind =
#:              'kernel' AND b.place = 1) || '; the roof of ' || max(p.memory_name) || ' lies over '
#:              ||
#:              CASE sum(p.kind = 'kernel' AND p.roof < p.unit_peak_tflops) WHEN 0 THEN
#:              'no rung' WHEN sum(p.kind = 'kernel') THEN 'every rung' ELSE sum(p.kind = 'kernel'
#:              AND p.roof <
#:              p.unit_peak_tflops) || ' of ' || sum(p.kind = 'kernel') || ' rungs' END
#:              AS headline
#:            FROM point p GROUP BY p.family, p.size HAVING sum(p.kind = 'kernel') > (max(p.rate) =
#:              'bytes') AND (max(p.intensity) > 1.5 * min(p.intensity) OR
#:              max(p.rate) <> 'bytes' AND max(p.tflops) > 2 * min(p.tflops) AND
#:              max(p.tflops / p.roof) >= 0.5) AND peak IS NOT NULL AND memory IS NOT NULL),
#:            wide AS (SELECT *, counted = 'operations' AS is_sum, min(least, peak * 1e3 / memory) /
#:              3 AS x0, CASE counted WHEN 'operations' THEN most * 8 ELSE CASE is_l1 WHEN 1 THEN 12
#:              ELSE 4 END * max(most, peak * 1e3 / memory) END AS x1 FROM whole)
#:            SELECT *, min(low / 1.7, 0.5 * memory * x0 / 1e3) AS y0, 1.5 * CASE is_sum WHEN 1 THEN
#:              memory * x1 / 1e3 ELSE max(high, peak) END AS y1 FROM wide ORDER BY family
#: data    WITH point AS (SELECT v.rung, v.variant, v.after, v.title, v.kind, CASE :is_l1 + 0 WHEN 1
#:              THEN m.useful_operations / (128.0 * max(m.l1_wavefronts, m.shared_wavefronts)) ELSE
#:              m.arithmetic_intensity END AS intensity, m.tflops, CAST(22 * ln(m.tflops / :y0) /
#:              ln(:y1 / CAST(:y0 AS REAL)) AS INTEGER) AS band FROM metrics m JOIN variants v
#:              USING (family, variant) WHERE m.family = :family AND m.size = :size AND m.best = 1
#:              AND m.arithmetic_intensity > 0
#:              AND m.tflops > 0),
#:            apart AS (SELECT *, sum(is_apart) OVER (PARTITION BY band ORDER BY intensity DESC,
#:              rung) AS heap FROM (SELECT *, coalesce(ln(lag(intensity) OVER (PARTITION BY band
#:              ORDER BY
#:              intensity DESC, rung) / intensity) > 0.045 * ln(:x1 / CAST(:x0 AS REAL)), 0) AS
#:              is_apart FROM point)),
#:            island AS (SELECT band, heap, min(rung) AS a, max(rung) AS b FROM (SELECT *, rung -
#:              row_number() OVER (PARTITION BY band, heap ORDER BY rung) AS run FROM apart) GROUP
#:              BY band, heap, run),
#:            mark AS (SELECT band, heap, group_concat(CASE b - a WHEN 0 THEN a WHEN 1 THEN a ||
#:              char(8218) || ' ' || b ELSE a || '–' || b END, char(8218) || ' ') AS mark FROM
#:              (SELECT * FROM island ORDER BY band, heap, a) GROUP BY band, heap)
#:            SELECT row_number() OVER (ORDER BY p.rung) - 1 AS at, CASE p.kind WHEN
#:              'library' THEN 0 ELSE p.rung END AS rung, p.intensity,
#:            p.tflops, q.intensity AS from_intensity, q.tflops AS from_tflops, :y0 * exp((p.band +
#:              0.5) / 22 * ln(:y1 / CAST(:y0 AS REAL))) AS mark_y, heap > 0 AS is_left,
#:            replace(p.rung || ' ' || p.title, ',', char(8218)) AS label, CASE row_number() OVER
#:              (PARTITION BY p.band, heap ORDER BY CASE heap WHEN 0 THEN -p.intensity ELSE
#:              p.intensity END) WHEN 1 THEN mark ELSE '-' END AS mark FROM apart p JOIN mark USING
#:              (band, heap) LEFT JOIN point q ON q.variant = p.after ORDER BY at

right_margin = 390      # for the names
left_margin = 100
eval canvas(0)
high_of_panel = height - top - bottom
panel = width - left_margin - right_margin
places = places + 0
x0 = x0 + 0
x1 = x1 + 0
y0 = y0 + 0
y1 = y1 + 0
ridge = peak * 1e3 / memory
# The operations of sums are of integers, too, so FP32 is no roof of theirs.
is_sum = is_sum + 0
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
set xlabel 'Arithmetic intensity, '.counted.' per '.memory_name.' byte'
set ylabel 'Throughput, '.(counted eq 'FLOP' ? 'TFLOP/s' : '10¹² operations/s') offset 0.5, 0
if (!is_sum) set label 3 unit_name.' peak '.peak_text.' TFLOP/s' at graph 0.98, \
    first peak + 0 right offset character 0, 0.7 font font.',15' textcolor rgb ink
if (fp32_peak ne '') {
    set arrow 3 from graph 0, first fp32_peak + 0 to graph 1, first fp32_peak + 0 nohead \
        dashtype 2 linewidth 1.5 linecolor rgb grey back
    set label 5 'FP32 peak '.fp32_text.' TFLOP/s' at graph 0.98, first fp32_peak + 0 \
        right offset character 0, 0.7 font font.',15' textcolor rgb grey
}
if (own_peak ne '') {
    set arrow 4 from first own_peak * 1e3 / memory, own_peak + 0 to graph 1, first own_peak + 0 \
        nohead linewidth 1.2 linecolor rgb ink back
    set label 6 own_text.' TFLOP/s' at graph 0.98, first own_peak + 0 right \
        offset character 0, -0.7 font font.',15' textcolor rgb ink
}
bus = memory_name.' peak '.memory_text.' GB/s'
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
         with points pointtype 7 pointsize dots linecolor rgb variable notitle, \
     data using (strcol('mark') eq '-' || column('is_left') > 0 ? nowhere : column('intensity')): \
         (column('mark_y')):(strcol('mark')) with labels left offset 1.1, (is_sum ? -0.4 : 0) \
         font font.',15' textcolor rgb ink notitle, \
     data using (strcol('mark') ne '-' && column('is_left') > 0 ? column('intensity') : nowhere): \
         (column('mark_y')):(strcol('mark')) with labels right offset -1.1, 0 \
         font font.',15' textcolor rgb ink notitle
# The names, on pixels.
eval on_pixels
pitch = (high_of_panel - 10.0) / places < 23 ? (high_of_panel - 10.0) / places : 23
name_x = width - right_margin + 26
name_y(i) = top + 12 + column('at') * pitch
plot data using (name_x + 6):(name_y(0)):(column('rung') > 0 ? measured : reference) \
         with points pointtype 7 pointsize 0.7 * dots linecolor rgb variable notitle, \
     data using (name_x + 16):(name_y(0)):(cut(strcol('label'), 46)) \
         with labels left font font.',15' textcolor rgb ink notitle
unset multiplot
