#: title   :headline
#: caption Useful work over clean time with a cold L2 cache: bytes per second, or operations per
#:            second where the family counts operations; the time itself where no rung comes near
#:            the peak of the memory bus. Short black lines are 95 % intervals; a swept rung is
#:            shown in its best setting. The vertical line is the peak of the memory bus, or of the
#:            unit that the arithmetic is meant for. Pale: a library's own kernel, and the CPU.
#:            Combinations of ideas have a picture of their own. Where rungs compute with different
#:            numbers of bits, the error of each stands at the right.
#: each    WITH rate AS (SELECT r.*, CASE f.rate WHEN 'operations' THEN m.tflops ELSE
#:              m.effective_gbs END AS value, CASE f.rate WHEN 'operations' THEN m.unit_peak_tflops
#:              ELSE m.dram_peak_gbs END AS peak, CASE WHEN f.rate = 'operations' THEN 'TFLOP/s'
#:              WHEN max(CASE r.kind WHEN 'kernel' THEN m.effective_pct_peak END) OVER (PARTITION BY
#:              r.family, r.size) < 20 THEN 'µs' ELSE 'GB/s' END AS unit, CASE f.rate WHEN
#:              'operations' THEN unit_text(f.unit,
#:              coalesce(m.mma_bf16_operations, 0) + coalesce(m.wgmma_bf16_operations, 0), coalesce(
#:              m.mma_tf32_operations, 0) + coalesce(m.wgmma_tf32_operations, 0),
#:              m.wgmma_half_operations) ELSE 'DRAM' END AS peak_of, m.sm_clock_pct,
#:              m.sm_clock_mhz, m.power_capped, m.tflops_pct_peak_at_clock, m.tflops_high,
#:              m.effective_high_gbs, m.time_high_ns, m.speedup_first, b.words || ' “' ||
#:              x.title || '”' AS beside, o.has_errors,
#:              row_number() OVER (PARTITION BY r.family, r.size ORDER BY r.kind <> 'kernel',
#:              m.time_ns IS NULL, m.time_ns) AS place FROM chart_rung r LEFT JOIN families f USING
#:              (family) LEFT JOIN metrics m ON m.family = r.family AND m.variant = r.variant AND
#:              m.size = r.size AND m.best = 1 LEFT JOIN library_ratios b ON b.family = r.family AND
#:              b.size = r.size AND b.variant = r.variant LEFT JOIN variants x ON x.family =
#:              b.family
#:              AND x.variant = b.library LEFT JOIN (SELECT family, size, max(error_bound) >
#:              min(error_bound) AS has_errors FROM points GROUP BY family, size) o ON o.family =
#:              r.family AND o.size = r.size)
#:            SELECT family, size, max(has_errors) AS has_errors, unit, count(*) AS rungs, max(CASE
#:              unit WHEN 'µs' THEN
#:              time_high_ns / 1e3 WHEN 'GB/s' THEN effective_high_gbs ELSE tflops_high END) AS
#:              most, CASE unit WHEN 'µs' THEN '' ELSE max(CASE place WHEN 1 THEN peak END) END AS
#:              peak, max(CASE place WHEN 1 THEN peak_of || ' peak ' || human(peak) END) AS
#:              peak_text,
#:            coalesce(max(CASE WHEN place = 1 AND kind = 'kernel' THEN title || CASE unit WHEN 'µs'
#:              THEN ' takes ' || time_text(time_ns) ELSE ' reaches ' || human(value) ||
#:              ' ' || unit || CASE WHEN peak > 0 THEN ', ' || CAST(round(100 * value / peak) AS
#:              INTEGER) || ' % of the peak' ELSE '' END END || CASE WHEN abs(speedup_first - 1) >=
#:              0.005 THEN printf('%s %s the speed of the first rung', CASE unit WHEN 'µs' THEN ','
#:              ELSE ' and' END, ratio_text(speedup_first)) ELSE '' END END),
#:              'No rung was measured') AS headline,
#:            CASE unit WHEN 'µs' THEN 'Time of each rung' WHEN 'GB/s' THEN
#:              'Effective bandwidth of each rung' ELSE 'Throughput of each rung' END ||
#:              coalesce(max(CASE WHEN place = 1 AND kind = 'kernel' THEN
#:              '; the fastest ' || beside END), '') || '. ' || subject ||
#:              coalesce(max(CASE WHEN place = 1 AND kind = 'kernel' AND unit = 'TFLOP/s' AND
#:              sm_clock_pct < 98 THEN printf('. The fastest reaches %.0f %% of the peak at the '
#:              || '%.0f MHz ', tflops_pct_peak_at_clock, sm_clock_mhz) || CASE power_capped WHEN 1
#:              THEN 'that the power limit allows' ELSE 'at which it ran' END END), '') AS message
#:            FROM rate WHERE family NOT IN (SELECT family FROM variants WHERE factors <> '') GROUP
#:              BY family, size HAVING count(value) > 1 AND max(value) > 1.1 * min(value) ORDER BY
#:              family, size
#: data    WITH rate AS (SELECT r.at, r.kind, r.label, r.word, CASE :unit WHEN 'µs' THEN m.time_ns /
#:              1e3 WHEN 'GB/s' THEN m.effective_gbs ELSE m.tflops END AS value, CASE :unit WHEN
#:              'µs' THEN m.time_low_ns / 1e3 WHEN 'GB/s' THEN m.effective_low_gbs ELSE m.tflops_low
#:              END AS low, CASE :unit WHEN 'µs' THEN m.time_high_ns / 1e3 WHEN 'GB/s' THEN
#:              m.effective_high_gbs ELSE m.tflops_high END AS high, m.relative_error FROM
#:              chart_rung r LEFT JOIN
#:              metrics m ON m.family = r.family AND m.variant = r.variant AND m.size = r.size AND
#:              m.best = 1 WHERE r.family = :family AND r.size = :size)
#:            SELECT at, kind, value, low, high, label, coalesce(CASE :unit WHEN
#:              'µs' THEN time_text(1e3 * value) ELSE human(value) END, '') AS value_text,
#:              CASE WHEN relative_error IS NOT NULL THEN printf('%.2g', relative_error) ELSE '' END
#:              AS
#:              error_text, word FROM rate ORDER BY at

# The peak belongs to the picture unless it would squeeze everything else.
peaks = peak ne '' && peak < 3 * most
headroom = peaks ? 24 : 0
if (has_errors eq '1') { right_margin = 130 }
eval table(0, rungs)
eval axis(peaks && peak > most ? peak / 1.15 : most)
set xlabel (unit eq 'µs' ? 'Time, ' : unit eq 'GB/s' ? 'Effective bandwidth, ' \
    : 'Throughput, ').unit
if (peaks) {
    barrier = peak + 0
    set arrow 1 from peak + 0, graph 0 to peak + 0, graph 1 nohead dashtype 2 linewidth 1.5 \
        linecolor rgb grey back
    set label 4 peak_text.' '.unit at axis_end, graph 1 right offset character 0, 0.7 \
        font font.',15' textcolor rgb ink
}
if (has_errors eq '1') {
    set label 5 'relative error' at screen 1 - 24 / width, graph 1 right offset character 0, 0.7 \
        font font.',15' textcolor rgb ink
}
errors_at = axis_end * (1 + (right_margin - 24.0) / (width - label_width - right_margin))
errors = "data using (strlen(strcol('error_text')) && has_errors eq '1' ? errors_at : nowhere):" \
    ."(column('at')):(strcol('error_text')) with labels right font font.','.text textcolor rgb " \
    ."ink notitle"
plot @bars, @intervals, @names, @values, @errors, @absences
