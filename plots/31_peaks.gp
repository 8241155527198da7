#: title   :headline
#: caption Pale: the peaks of the units of the device, from widths, clocks and the rates of its
#:            generation, at the highest SM clock. Dark: the most that a rung of a family that is
#:            meant for the unit reached, at any size: useful operations or, of memory, bytes that
#:            the counters saw. Peaks of arithmetic have one scale; that of memory has its own.
#: each    WITH unit AS (SELECT * FROM (SELECT f.unit, v.title, m.family, m.tflops AS best,
#:              m.unit_peak_tflops AS peak, m.tflops_pct_peak_at_clock AS at_clock_pct,
#:              m.sm_clock_mhz, m.sm_clock_pct, m.power_capped, row_number() OVER (PARTITION BY
#:              f.unit
#:              ORDER BY m.tflops DESC) AS place FROM metrics m JOIN families f USING (family) JOIN
#:              variants v USING (family, variant) WHERE f.rate = 'operations' AND f.unit <>
#:              'tensor_tf32' AND v.kind = 'kernel' AND m.best = 1 AND m.tflops > 0 AND
#:              m.unit_peak_tflops > 0) WHERE place = 1)
#:            SELECT NULL AS family, NULL AS size, count(*) + (SELECT count(dram_gbs) > 0 FROM
#:              metrics) AS places, max(peak) AS most,
#:            'Tensor cores have ' || human(max(peak) / min(peak), 0) ||
#:              '× the peak of CUDA cores; rungs reach ' || human(100 * max(CASE unit WHEN 'fp32'
#:              THEN 0 ELSE best / peak END), 0) || ' % of the one, ' || human(100 * max(CASE unit
#:              WHEN 'fp32' THEN best / peak END), 0) || ' % of the other' AS headline,
#:            'Peaks of ' || (SELECT value FROM run WHERE key = 'device_name') ||
#:              ' and what the best rungs reach' || coalesce((SELECT printf('; “%s” of %s reaches '
#:              || '%.0f %% of the peak at the %.0f MHz ', title, family, at_clock_pct,
#:              sm_clock_mhz)
#:              || iif(power_capped = 1, 'that the power limit allows', 'at which it ran') FROM unit
#:              WHERE unit <> 'fp32' AND sm_clock_pct < 98 AND at_clock_pct > 0 ORDER BY best DESC
#:              LIMIT 1), '') AS message FROM unit HAVING count(*) > 1 AND
#:              sum(unit = 'fp32') = 1
#: data    WITH point AS (SELECT f.unit, m.family, v.rung, m.size, m.tflops AS best, m.unit_peak_tflops AS
#:              peak, row_number() OVER (PARTITION BY f.unit ORDER BY m.tflops DESC) AS place FROM
#:              metrics m JOIN families f USING (family) JOIN variants v USING (family, variant)
#:              WHERE f.rate = 'operations' AND f.unit <> 'tensor_tf32' AND v.kind = 'kernel' AND
#:              m.best = 1 AND m.tflops > 0 AND m.unit_peak_tflops > 0
#:            UNION ALL SELECT 'memory', m.family, v.rung, m.size, m.dram_gbs, m.dram_peak_gbs, row_number()
#:              OVER (ORDER BY m.dram_gbs DESC) FROM metrics m JOIN variants v USING (family,
#:              variant) WHERE v.kind = 'kernel' AND m.best = 1 AND m.dram_gbs > 0 AND
#:              m.dram_peak_gbs > 0)
#:            SELECT row_number() OVER (ORDER BY unit = 'memory', peak DESC) - 1 AS at, unit =
#:              'memory' AS is_memory, best, peak, human(peak) || printf(' %s', CASE unit WHEN
#:              'memory' THEN 'GB/s' ELSE 'TFLOP/s' END) AS peak_text, human(best) || printf(' %s',
#:              CASE unit WHEN 'memory' THEN 'GB/s' ELSE 'TFLOP/s' END) || ' reached (' || human(100
#:              * best / peak, 0) || ' %) by rung ' || rung || ' of ' || family || ' at ' ||
#:              size_text(size) AS best_text, CASE
#:              unit WHEN 'memory' THEN 'Device memory' WHEN 'fp32' THEN 'CUDA cores' || char(8218)
#:              || ' FP32' ELSE 'Tensor cores' || char(8218) || ' bfloat16' END AS label FROM point
#:              WHERE place = 1 ORDER BY at

right_margin = 200
places = places + 0
height = top + 120 * places + 50.0 + foot
eval canvas(0)
eval on_pixels
eval heading
left_edge = 260
full = width - left_edge - right_margin
pitch = 120
# Memory has another unit, so it stands apart.
y0(i) = top + 8 + column('at') * pitch + (column('is_memory') > 0 ? 20 : 0)
long(x) = full * column(x) / (column('is_memory') > 0 ? column('peak') : most)
plot data using (left_edge):(y0(0)):(left_edge):(left_edge + long('peak')):(y0(0)): \
         (y0(0) + 0.42 * pitch) with boxxyerror linecolor rgb reference notitle, \
     data using (left_edge):(y0(0)):(left_edge):(left_edge + long('best')):(y0(0)): \
         (y0(0) + 0.42 * pitch) with boxxyerror linecolor rgb measured notitle, \
     data using (left_edge - 12):(y0(0) + 0.21 * pitch):(strcol('label')) \
         with labels right font font.',18' textcolor rgb ink notitle, \
     data using (left_edge + long('peak') + 10):(y0(0) + 0.21 * pitch):(strcol('peak_text')) \
         with labels left font font.',18' textcolor rgb ink notitle, \
     data using (left_edge + 2):(y0(0) + 0.58 * pitch):(raise(strcol('best_text'))) \
         with labels left font font.',16' textcolor rgb measured notitle
