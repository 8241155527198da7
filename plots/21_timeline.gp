#: title   Counters over time, :size_words
#: caption Each row is a rung's own time, from the begin of its first kernel to the end of its last one, sampled by the hardware every :every. Dark: the steady
#:            part; pale: ramp and tail, before and after 90 % of the steady median are reached. In each panel all rungs have one scale, the thin line is
#:            its end, and the number is the steady median. At the right, ramp and tail of :main_words. What is too short for many samples was run
#:            several times in a row (× 3 and so on, below the time of one); what is shown then is the whole row.
#: each    WITH sampled AS (SELECT family, size, min(interval_ns) AS least, max(interval_ns) AS most FROM traces JOIN points USING (family, variant, size, block,
#:              sweep) WHERE counter_set = 'timeline' AND samples_status = 'ok' GROUP BY family, size),
#:            height AS (SELECT t.family, t.size, p.track, max(coalesce(p.high, (SELECT max(s.value) FROM shown s WHERE s.trace = p.trace AND s.track = p.track)))
#:              AS high FROM phases p JOIN traces t USING (trace) WHERE t.counter_set = 'timeline' GROUP BY
#:              t.family, t.size, p.track),
#:            led AS (SELECT s.*, (SELECT max(dram_peak_gbs) FROM metrics) AS peak, (SELECT h.high FROM height h WHERE h.family = s.family AND h.size = s.size
#:              AND h.track = 'dram_read') AS read FROM sampled s),
#:            chosen AS (SELECT *, CASE WHEN read >= 0.5 * peak THEN 'dram_read' ELSE 'issue' END AS main FROM led),
#:            edge AS (SELECT c.family, c.size, v.rung, v.kind, p.steady, p.kernel_ns, 100 * (p.ramp_ns + p.tail_ns) / p.kernel_ns AS pct, m.time_ns, c.main,
#:              t.repeats FROM chosen c JOIN
#:              traces t ON t.family = c.family AND t.size = c.size AND t.counter_set = 'timeline' JOIN phases p ON p.trace = t.trace AND p.track = c.main
#:              JOIN variants v ON v.family = t.family AND v.variant = t.variant LEFT JOIN metrics m ON m.family = t.family AND m.variant = t.variant AND
#:              m.size = t.size AND m.block = t.block AND m.sweep = t.sweep WHERE p.status = 'ok' AND v.kind = 'kernel'),
#:            fast AS (SELECT *, row_number() OVER (PARTITION BY family, size ORDER BY time_ns IS NULL, time_ns, rung) AS fastest, row_number() OVER (PARTITION
#:              BY family, size ORDER BY repeats > 1, pct DESC, rung) AS longest, sum(repeats = 1) OVER (PARTITION BY family, size) AS alone FROM edge)
#:            SELECT c.family AS family, c.size AS size, CASE WHEN c.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(c.size) AS size_words, c.main AS main,
#:            CASE c.main WHEN 'issue' THEN 'the issue slots used' ELSE 'what is read from DRAM' END AS main_words,
#:            human(c.least / 1e3) || CASE WHEN c.most > c.least THEN ' to ' || human(c.most / 1e3) ELSE '' END || ' µs' AS every, c.peak AS peak,
#:            (SELECT count(DISTINCT p.variant) FROM points p JOIN variants v USING (family, variant) WHERE p.family = c.family AND p.size = c.size AND v.kind <>
#:              'cpu') AS rungs,
#:            (SELECT sum(high) FROM height h WHERE h.family = c.family AND h.size = c.size AND h.track IN ('dram_read', 'dram_write')) AS dram_most,
#:            (SELECT value / 32 FROM run WHERE key = 'device_max_threads_per_sm') AS warps_most,
#:            (SELECT high FROM height h WHERE h.family = c.family AND h.size = c.size AND h.track = 'issue') AS issue_most,
#:            (SELECT high FROM height h WHERE h.family = c.family AND h.size = c.size AND h.track = 'shared_wavefronts') AS shared_most,
#:            coalesce((SELECT 'Fastest, rung ' || f.rung || ': ' || CASE f.main WHEN 'issue' THEN printf('%.0f %% of the issue slots used', f.steady) ELSE
#:              human(round(f.steady)) || ' GB/s read from DRAM' END || CASE WHEN f.repeats > 1 THEN printf(', %d times in a row', f.repeats) ELSE
#:              printf(', steady for %.1f %% of its time', 100 - f.pct) END FROM fast f WHERE f.family =
#:              c.family AND f.size = c.size AND f.fastest = 1) || coalesce((SELECT printf('. Longest ramp and tail: rung %d, %.1f %%', f.rung, f.pct) FROM fast f
#:              WHERE f.family = c.family AND f.size = c.size AND f.longest = 1 AND f.alone > 1), ''), 'Of no rung ramp and tail can be told') AS message
#:            FROM chosen c ORDER BY c.family
#: data    WITH rung AS (SELECT v.variant, v.kind, row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, CASE v.kind WHEN 'library' THEN 0 ELSE (v.rung - 1) % 8 +
#:              1 END AS colour, max(p.status = 'ok') AS good, max(p.status) AS state, v.rung || ' ' || v.title AS name, v.sweep_name, (SELECT max(t.trace)
#:              FROM traces t WHERE t.family = v.family AND t.variant = v.variant AND t.size = :size AND t.counter_set = 'timeline') AS trace FROM points p JOIN
#:              variants v USING (family, variant) WHERE p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant),
#:            launched AS (SELECT a.trace, a.repeat, min(a.begin_ns) AS begin_ns, max(a.end_ns) AS end_ns FROM activities a JOIN rung USING (trace) GROUP BY a.trace,
#:              a.repeat),
#:            life AS (SELECT trace, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns, 1.0 * max(end_ns) - min(begin_ns) AS ns, median(end_ns - begin_ns) AS one_ns,
#:              count(*) AS repeats FROM launched GROUP BY trace),
#:            reach AS (SELECT s.trace, min(s.begin_ns) AS from_ns, max(s.end_ns) AS to_ns FROM shown s JOIN rung USING (trace) GROUP BY s.trace),
#:            covered AS (SELECT trace FROM reach JOIN life USING (trace) WHERE from_ns <= begin_ns AND to_ns >= end_ns),
#:            wide AS (SELECT s.trace, s.begin_ns, s.end_ns, max(CASE s.track WHEN 'dram_read' THEN s.value END) + coalesce(max(CASE s.track WHEN 'dram_write' THEN
#:              s.value END), 0) AS dram, max(CASE s.track WHEN 'resident_warps' THEN s.value END) AS warps, max(CASE s.track WHEN 'issue' THEN s.value END) AS
#:              issue, max(CASE s.track WHEN 'shared_wavefronts' THEN s.value END) AS shared FROM shown s JOIN life l USING (trace) JOIN covered USING (trace)
#:              WHERE s.end_ns >
#:              l.begin_ns - 0.02 * l.ns AND s.begin_ns < l.end_ns + 0.02 * l.ns GROUP BY s.trace, s.sample),
#:            placed AS (SELECT *, (row_number() OVER (PARTITION BY trace ORDER BY begin_ns) - 1) / ((count(*) OVER (PARTITION BY trace) + 99) / 100) AS bin FROM
#:              wide),
#:            binned AS (SELECT trace, bin, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns, avg(dram) AS dram, avg(warps) AS warps, avg(issue) AS issue, avg(shared)
#:              AS shared FROM placed GROUP BY trace, bin),
#:            edge AS (SELECT trace, track, ramp_ns, tail_ns, steady FROM phases WHERE track IN ('dram_read', 'resident_warps', 'issue', 'shared_wavefronts')),
#:            side AS (SELECT 0 AS side UNION ALL SELECT 1),
#:            told AS (SELECT r.*, t.sweep, t.samples_status, l.begin_ns AS zero_ns, l.end_ns AS last_ns, l.ns, l.one_ns, l.repeats, (SELECT sum(steady) FROM phases p
#:              WHERE p.trace = r.trace AND p.track IN ('dram_read', 'dram_write')) AS dram_steady, d.ramp_ns AS dram_ramp, d.tail_ns AS dram_tail, w.steady AS
#:              warps_steady, w.ramp_ns AS warps_ramp, w.tail_ns AS warps_tail, i.steady AS issue_steady, i.ramp_ns AS issue_ramp, i.tail_ns AS issue_tail,
#:              h.steady AS shared_steady, h.ramp_ns AS shared_ramp, h.tail_ns AS shared_tail FROM rung r LEFT JOIN traces t USING (trace) LEFT JOIN life l USING
#:              (trace) LEFT JOIN edge d ON d.trace = r.trace AND d.track = 'dram_read' LEFT JOIN edge w ON w.trace = r.trace AND w.track = 'resident_warps' LEFT
#:              JOIN edge i ON i.trace = r.trace AND i.track = 'issue' LEFT JOIN edge h ON h.trace = r.trace AND h.track = 'shared_wavefronts'),
#:            drawn AS (SELECT t.*, -1 AS bin, 0 AS side, NULL AS dram, NULL AS warps, NULL AS issue, NULL AS shared, NULL AS x, NULL AS mid_ns, EXISTS (SELECT 1 FROM
#:              binned b WHERE b.trace = t.trace) AS curved FROM told t
#:              UNION ALL SELECT t.*, b.bin, s.side, b.dram, b.warps, b.issue, b.shared, (CASE s.side WHEN 0 THEN b.begin_ns ELSE b.end_ns END - t.zero_ns) / t.ns,
#:              (b.begin_ns + b.end_ns) / 2, 1 FROM told t JOIN binned b USING (trace) CROSS JOIN side s)
#:            SELECT at, colour, bin < 0 AS part, min(max(x, -0.02), 1.02) AS x, dram, warps, issue, shared,
#:            coalesce(mid_ns < zero_ns + dram_ramp OR mid_ns > last_ns - dram_tail, 0) AS dram_edge, coalesce(mid_ns < zero_ns + warps_ramp OR mid_ns > last_ns -
#:              warps_tail, 0) AS warps_edge, coalesce(mid_ns < zero_ns + issue_ramp OR mid_ns > last_ns - issue_tail, 0) AS issue_edge, coalesce(mid_ns < zero_ns +
#:              shared_ramp OR mid_ns > last_ns - shared_tail, 0) AS shared_edge, dram_steady, warps_steady, issue_steady, shared_steady,
#:            replace(name || CASE WHEN sweep > 0 THEN ', ' || sweep_name || ' ' || sweep ELSE '' END, ',', char(8218)) AS label,
#:            coalesce(human(round(dram_steady)), '-') AS dram_text, coalesce(CAST(round(warps_steady) AS INTEGER), '-') AS warps_text, CASE WHEN issue_steady IS
#:              NULL THEN
#:              '-' ELSE printf(CASE WHEN issue_steady < 10 THEN '%.1f' ELSE '%.0f' END, issue_steady) END AS issue_text, CASE WHEN shared_steady IS NULL THEN '-'
#:              ELSE printf(CASE WHEN shared_steady < 10 THEN '%.1f' ELSE '%.0f' END, shared_steady) END AS shared_text, coalesce(replace(time_text(one_ns), ' us',
#:              ' µs'), '-') AS time_text, CASE WHEN repeats > 1 THEN '× ' || repeats ELSE '-' END AS
#:              repeats_text, CASE WHEN CASE :main WHEN 'issue' THEN issue_ramp ELSE dram_ramp END IS NOT NULL THEN printf('%.1f', 100 * CASE :main WHEN 'issue'
#:              THEN issue_ramp + issue_tail ELSE dram_ramp + dram_tail END / ns) ELSE '-' END AS share_text,
#:            replace(CASE WHEN curved THEN '-' WHEN NOT good THEN state WHEN trace IS NULL THEN 'not sampled' WHEN samples_status <> 'ok' THEN samples_status
#:              WHEN ns IS NULL THEN 'absent: when its kernels ran is not known' WHEN EXISTS (SELECT 1 FROM reach e WHERE
#:              e.trace = drawn.trace) THEN 'absent: the samples do not cover its kernels' ELSE 'absent: no samples' END, ',', char(8218)) AS word
#:            FROM drawn ORDER BY at, bin, side

# A panel for each counter, at most four: its column, its heading, its unit, and how far its scale reaches.
width = 900
most_letters = 122
row = rungs + 0 <= 6 ? 64 : 52
columns = 150           # pixels for the numbers at the right
top = 118
known = 'dram warps issue shared'
array heads[4] = ['DRAM traffic', 'Resident warps', 'Issue slots used', 'Shared-memory pipe']
array units[4] = ['GB/s', 'per SM', '%', '%']
# The end of a scale: 1, 2, 2.5 or 5 times a power of ten.
tenth(x) = 10**floor(log10(x))
round_up(x) = !(x > 0) ? 1 : x <= tenth(x) ? tenth(x) : x <= 2 * tenth(x) ? 2 * tenth(x) : x <= 2.5 * tenth(x) ? 2.5 * tenth(x) : x <= 5 * tenth(x) ? 5 * tenth(x) : 10 * tenth(x)
most(x) = x eq '' ? 0 : x + 0
percent(x) = round_up(most(x)) > 100 ? 100 : round_up(most(x))
array ends[4]
ends[1] = peak eq '' || far_below(peak, dram_most) ? round_up(most(dram_most)) : peak + 0
ends[2] = warps_most eq '' ? 64 : warps_most + 0
ends[3] = percent(issue_most)
ends[4] = percent(shared_most)
# A pipe that no rung uses to speak of is left out.
count = most(shared_most) >= 2 ? 4 : 3
eval canvas(top + 46 + rungs * row)
set bmargin at screen 46.0 / height
set multiplot
gap = 16
panel_wide = (width - label_width - columns - (count - 1) * gap) / real(count)
panel_from(p) = label_width + (p - 1) * (panel_wide + gap)
set xrange [-0.02:1.02]
unset xtics
unset grid
set border 0
unset xlabel
# Of a row: where the curve stands, how tall it may be (a bit beyond its scale, too), and where its number is.
stands = 0.44
tall = 0.60
part_of(p) = column(word(known, p)) / ends[p]
high(p) = column('at') + stands - tall * (part_of(p) > 1.05 ? 1.05 : part_of(p))
base(p) = column('at') + stands
first(x) = column('part') == 1 ? x : nowhere
drawn(x) = column('part') == 1 && strcol('word') eq '-' ? x : NaN
is(p, c, edge) = column('colour') == c && strlen(strcol(word(known, p))) && column(word(known, p).'_edge') == edge
known_number(p) = strlen(strcol(word(known, p).'_steady'))
filled(c) = c > 0 ? int(word(palette, int(c))) : 0xa0a0a0
do for [p = 1:count] {
    set lmargin at screen panel_from(p) / width
    set rmargin at screen (panel_from(p) + panel_wide) / width
    set label 3 heads[p] at first 0, graph 1 left offset character 0, 1.7 font font.',14' textcolor rgb ink
    set label 4 '0 to '.gprintf('%.4g', ends[p]).' '.units[p] at first 0, graph 1 left offset character 0, 0.6 font font.',13' textcolor rgb grey
    set label 5 'begin' at first 0, graph 0 left offset character 0, -0.7 font font.',13' textcolor rgb grey
    set label 6 'end' at first 1, graph 0 right offset character 0, -0.7 font font.',13' textcolor rgb grey
    plot data using (drawn(0)):(base(p) - tall):(1):(0) with vectors nohead linecolor rgb 0xbbbbbb linewidth 0.5 notitle, \
         for [c = 0:8] data using (column('x')):(is(p, c, 0) ? high(p) : NaN):(base(p)) with filledcurves fillcolor rgb filled(c) fillstyle solid 1 noborder notitle, \
         for [c = 0:8] data using (column('x')):(is(p, c, 1) ? high(p) : NaN):(base(p)) with filledcurves fillcolor rgb light(filled(c)) fillstyle solid 1 noborder notitle, \
         data using (drawn(0)):(base(p)):(1):(0) with vectors nohead linecolor rgb grey linewidth 0.7 notitle, \
         data using (known_number(p) ? first(1) : nowhere):(base(p) - tall - 7.5 / row):(strcol(word(known, p).'_text')) with labels right font font.',12' textcolor rgb ink notitle
    unset label 1
    unset label 2
}
# Names and numbers, on pixels.
unset label
set lmargin at screen 0
set rmargin at screen 1
set xrange [0:width]
time_at = width - 70
share_at = width - 12
repeated(x) = strcol('repeats_text') eq '-' ? nowhere : first(x)
set label 1 'time' at first time_at, graph 1 right offset character 0, 0.6 font font.',13' textcolor rgb grey
set label 2 'ramp and' at first share_at, graph 1 right offset character 0, 1.7 font font.',13' textcolor rgb grey
set label 3 'tail, %' at first share_at, graph 1 right offset character 0, 0.6 font font.',13' textcolor rgb grey
set label 4 'its own time' at first label_width - 10, graph 0 right offset character 0, -0.7 font font.',13' textcolor rgb grey
plot data using (first(label_width)):(column('at') - lift(strcol('label'), name)):(wrap(strcol('label'), name)) with labels right offset -0.8, 0 font font.',14' textcolor rgb ink notitle, \
     data using (first(label_width)):(column('at') - (strcol('word') eq '-' ? 0 : lift(strcol('word'), 62))): \
         (strcol('word') eq '-' ? '' : wrap(strcol('word'), 62)) with labels left offset 0.6, 0 font font.',14' textcolor rgb grey notitle, \
     data using (first(time_at)):(column('at')):(strcol('time_text')) with labels right font font.',14' textcolor rgb ink notitle, \
     data using (repeated(time_at)):(column('at') + 17.0 / row):(strcol('repeats_text')) with labels right font font.',13' textcolor rgb grey notitle, \
     data using (first(share_at)):(column('at')):(strcol('share_text')) with labels right font font.',14' textcolor rgb ink notitle
unset multiplot
