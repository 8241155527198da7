#: title   :headline
#: caption Useful work over clean time with a cold L2 cache: bytes per second, or operations per
#:            second where the family counts operations. Short black lines are 95 % intervals; a
#:            swept rung is shown in its best setting. The vertical line is the peak of the memory
#:            bus, or of the unit that the arithmetic is meant for. Pale: a library's own kernel,
#:            and the CPU.
#: each    WITH rate AS (SELECT r.*, f.rate = 'operations' AS is_operations, CASE f.rate WHEN
#:              'operations' THEN m.tflops ELSE m.effective_gbs END AS value, CASE f.rate WHEN
#:              'operations' THEN m.tflops_high ELSE m.effective_high_gbs END AS high, CASE f.rate
#:              WHEN 'operations' THEN m.unit_peak_tflops ELSE m.dram_peak_gbs END AS peak,
#:              m.speedup_first, b.words AS beside, row_number() OVER (PARTITION BY r.family, r.size
#:              ORDER BY r.kind <> 'kernel', m.time_ns IS NULL, m.time_ns) AS place FROM chart_rung
#:              r LEFT JOIN families f USING (family) LEFT JOIN metrics m ON m.family = r.family AND
#:              m.variant = r.variant AND m.size = r.size AND m.best = 1 LEFT JOIN beside_library b
#:              ON b.family = r.family AND b.size = r.size AND b.variant = r.variant)
#:            SELECT family, size, count(*) AS rungs, min(value) AS least, max(high) AS most,
#:              max(peak) AS peak, human(max(peak)) AS peak_text,
#:            CASE max(is_operations) WHEN 1 THEN 'TFLOP/s' ELSE 'GB/s' END AS unit,
#:            coalesce(max(CASE WHEN place = 1 AND kind = 'kernel' THEN title || ' reaches ' ||
#:              human(value) || CASE is_operations WHEN 1 THEN ' TFLOP/s' ELSE ' GB/s' END ||
#:              CASE WHEN peak > 0 THEN ', ' || CAST(round(100 * value / peak) AS INTEGER) || ' % of
#:              the peak'
#:              ELSE '' END || CASE WHEN abs(speedup_first - 1) >= 0.005 THEN printf(
#:              ' and %s× the first rung', human(speedup_first)) ELSE '' END END),
#:              'No rung was measured') AS headline,
#:            CASE max(is_operations) WHEN 1 THEN 'Throughput of each rung' ELSE
#:              'Effective bandwidth of each rung' END || coalesce(max(CASE WHEN place = 1 AND kind
#:              = 'kernel' THEN '; the fastest ' || beside || ' the library' END), '') ||
#:              '. ' || subject AS message
#:            FROM rate GROUP BY family, size HAVING count(value) > 1 AND max(value) > 1.1 *
#:              min(value) ORDER BY family, size
#: data    SELECT r.at, r.kind, CASE f.rate WHEN 'operations' THEN m.tflops ELSE m.effective_gbs END
#:              AS value, CASE f.rate WHEN 'operations' THEN m.tflops_low ELSE m.effective_low_gbs
#:              END AS low, CASE f.rate WHEN 'operations' THEN m.tflops_high ELSE
#:              m.effective_high_gbs END AS high, r.label, coalesce(human(CASE f.rate WHEN
#:              'operations' THEN m.tflops ELSE m.effective_gbs END), '') AS value_text, r.word
#:            FROM chart_rung r LEFT JOIN families f USING (family) LEFT JOIN metrics m ON m.family
#:              =
#:              r.family AND m.variant = r.variant AND m.size = r.size AND m.best = 1
#:            WHERE r.family = :family AND r.size = :size ORDER BY r.at

eval canvas(1)
eval rows(rungs)
# The peak belongs to the picture unless it would squeeze everything else.
peaks = peak ne '' && peak < 3 * most
eval axis(least, peaks && peak > most ? peak / 1.15 : most)
set xlabel (unit eq 'GB/s' ? 'Effective bandwidth, ' : 'Throughput, ').unit
if (peaks) {
    set arrow 1 from peak + 0, graph 0 to peak + 0, graph 1 nohead dashtype 2 linewidth 1.5 \
        linecolor rgb grey back
    set label 3 'peak '.peak_text.' '.unit at peak + 0, graph 1 center offset character 0, 0.7 \
        font font.',15' textcolor rgb ink
}
plot @bars, @intervals, @names, @values, @absences
