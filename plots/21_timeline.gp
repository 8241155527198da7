#: title   :headline
#: caption Each row is a rung's own time, from the first to the last sample in which an SM held a
#:            warp, sampled by the hardware every :every. Dark: between ramp and tail; pale: ramp
#:            and tail, before and after 90 % of the median are reached. In each panel all rungs
#:            share one scale, the thin line is its end, and the number is the median of the middle
#:            half. At the right: the clean time, from launches that were not sampled, and ramp and
#:            tail of :main_words; less than two intervals cannot be resolved (<).:repeated_words
#: each    WITH sampled AS (SELECT family, size, min(interval_ns) AS least, max(interval_ns) AS
#:              most, max(repeats) > 1 AS repeated FROM traces JOIN points USING (family, variant,
#:              size, block, sweep) WHERE counter_set = 'timeline' AND samples_status = 'ok' GROUP
#:              BY family, size),
#:            fit AS (SELECT *, row_number() OVER (PARTITION BY family ORDER BY (family, size) IN
#:              (SELECT
#:              family, size FROM chart_size) DESC, size DESC) AS place FROM sampled),
#:            led AS (SELECT s.*, (SELECT max(dram_peak_gbs) FROM metrics) AS peak, (SELECT
#:              max(p.track) FROM phases p WHERE p.family = s.family AND p.size = s.size AND p.main)
#:              AS main FROM fit s WHERE CASE WHEN EXISTS (SELECT 1 FROM wanted_sizes) THEN
#:              (s.family,
#:              s.size) IN (SELECT family, size FROM chart_size) ELSE s.place = 1 END),
#:            life AS (SELECT DISTINCT p.trace, p.family, p.size, p.begin_ns, p.end_ns FROM phases p
#:              JOIN traces t USING (trace) WHERE t.counter_set = 'timeline' AND p.kernel_ns IS NOT
#:              NULL),
#:            height AS (SELECT l.family, l.size, s.track, max(s.value) AS high FROM life l JOIN
#:              shown s USING (trace) WHERE s.end_ns > l.begin_ns AND s.begin_ns < l.end_ns GROUP BY
#:              l.family, l.size, s.track),
#:            edge AS (SELECT p.family, p.size, p.variant, v.rung, p.track, p.status, p.steady,
#:              t.repeats, round(p.ramp_ns / t.interval_ns) + round(p.tail_ns / t.interval_ns) AS
#:              steps, 100.0 * t.interval_ns / p.kernel_ns AS step FROM phases p JOIN traces t USING
#:              (trace) JOIN variants v ON v.family = p.family AND v.variant = p.variant WHERE
#:              p.main AND v.kind = 'kernel' AND p.steady > 0),
#:            longest AS (SELECT family, size, rung, step, steps * step AS pct, lead(steps * step)
#:              OVER w AS next_pct, row_number() OVER w AS place FROM edge WHERE steps IS NOT NULL
#:              WINDOW w AS (PARTITION BY family, size ORDER BY steps * step DESC, rung)),
#:            fast AS (SELECT p.family, p.size, p.variant, count(*) OVER (PARTITION BY p.family,
#:              p.size) AS many, sum(m.time_ns IS NULL) OVER (PARTITION BY p.family, p.size) AS
#:              untimed, row_number() OVER (PARTITION BY p.family, p.size ORDER BY m.time_ns,
#:              v.rung) AS place FROM (SELECT DISTINCT family, variant, size FROM points WHERE
#:              status = 'ok') p JOIN variants v USING (family, variant) LEFT JOIN metrics m ON
#:              m.family = p.family AND m.variant = p.variant AND m.size = p.size AND m.best = 1
#:              WHERE v.kind = 'kernel'),
#:            said AS (SELECT e.family, e.size, CASE WHEN f.many > 1 THEN 'Fastest, rung ' ELSE
#:              'Rung ' END || e.rung || ': ' || CASE e.track WHEN 'dram' THEN
#:              human(round(e.steady)) || ' GB/s of DRAM traffic' ELSE
#:              printf('%.0f %% of the issue slots used', e.steady) END || CASE WHEN e.status =
#:              'not steady' THEN ', not steady' ELSE '' END || CASE WHEN e.repeats > 1 THEN
#:              printf(', %d times in a row', e.repeats) WHEN e.steps < 2 THEN
#:              printf(', more than %d %% of its time between ramp and tail', 100 - CAST(2 * e.step
#:              + 0.999 AS INTEGER)) ELSE printf(', %.0f %% of its time between ramp and tail', 100
#:              - e.steps * e.step) END AS words FROM fast f JOIN edge e USING (family, size,
#:              variant) WHERE f.place = 1 AND f.untimed = 0),
#:            also AS (SELECT family, size, printf('Longest ramp and tail: rung %d, %.0f %%', rung,
#:              pct) AS words FROM longest WHERE place = 1 AND pct - next_pct > 2 * step)
#:            SELECT c.family AS family, c.size AS size, 'Counters over the time of each rung. ' ||
#:              coalesce((SELECT title FROM families f WHERE f.family = c.family), c.family) || ', '
#:              ||
#:              size_text(c.size) AS
#:              message,
#:            CASE c.main WHEN 'dram' THEN 'DRAM traffic' ELSE 'the issue slots used' END AS
#:              main_words,
#:            CASE WHEN c.repeated THEN
#:              ' × 2 and so on, below a time: number of runs in a row, because one run is too '
#:              || 'short for many samples. All but the first find the L2 cache warm, '
#:              || 'so ramp and tail are not given, ' ||
#:              'and the medians cover the whole row, including the gaps between launches.' ELSE ''
#:              END AS repeated_words,
#:            human(c.least / 1e3) || CASE WHEN c.most > c.least THEN ' to ' || human(c.most / 1e3)
#:              ELSE '' END || ' µs' AS every, c.peak AS peak,
#:            (SELECT count(DISTINCT p.variant) FROM points p JOIN variants v USING (family,
#:              variant) WHERE p.family = c.family AND p.size = c.size AND v.kind <> 'cpu') AS
#:              rungs,
#:            (SELECT high FROM height h WHERE h.family = c.family AND h.size = c.size AND h.track =
#:              'dram') AS dram_most,
#:            (SELECT value / 32 FROM run WHERE key = 'device_max_threads_per_sm') AS warps_most,
#:            (SELECT high FROM height h WHERE h.family = c.family AND h.size = c.size AND h.track =
#:              'issue') AS issue_most,
#:            (SELECT high FROM height h WHERE h.family = c.family AND h.size = c.size AND h.track =
#:              'shared_wavefronts') AS shared_most,
#:            coalesce(s.words || coalesce('. ' || a.words, ''), a.words, CASE WHEN EXISTS (SELECT 1
#:              FROM edge e WHERE e.family = c.family AND e.size = c.size) THEN '' ELSE
#:              'No rung has a steady part' END) AS headline
#:            FROM led c LEFT JOIN said s USING (family, size) LEFT JOIN also a USING (family, size)
#:              WHERE (SELECT count(DISTINCT t.variant) FROM traces t WHERE t.family = c.family) > 1
#:              AND NOT EXISTS (SELECT 1 FROM variants v WHERE v.family = c.family AND v.factors <>
#:              '')
#:              AND NOT EXISTS (SELECT 1 FROM fast f JOIN edge e USING (family, size, variant)
#:              WHERE f.family = c.family AND f.size = c.size AND f.place = 1 AND e.steady < 1)
#:              ORDER BY c.family
#: data    WITH rung AS (SELECT v.family, v.variant, v.kind, row_number() OVER (ORDER BY v.rung,
#:              v.variant) - 1 AS at, row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS
#:              colour, max(p.status = 'ok') AS good, max(p.status) AS state, v.rung || ' '
#:              || v.title AS name, v.sweep_name, (SELECT max(t.trace) FROM traces t WHERE t.family
#:              = v.family AND t.variant = v.variant AND t.size = :size AND t.counter_set =
#:              'timeline') AS trace FROM points p JOIN variants v USING (family, variant) WHERE
#:              p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant),
#:            life AS (SELECT DISTINCT trace, begin_ns, end_ns, kernel_ns AS ns FROM phases JOIN
#:              rung USING (trace) WHERE kernel_ns IS NOT NULL),
#:            wide AS (SELECT s.trace, s.begin_ns, s.end_ns, (s.begin_ns >= l.begin_ns) +
#:              (s.begin_ns >= l.end_ns) AS zone, max(CASE s.track WHEN 'dram' THEN s.value END) AS
#:              dram, max(CASE s.track WHEN 'resident_warps' THEN s.value END) AS warps, max(CASE
#:              s.track WHEN 'issue' THEN s.value END) AS issue, max(CASE s.track WHEN
#:              'shared_wavefronts' THEN s.value END) AS shared FROM shown s JOIN life l USING
#:              (trace) WHERE s.end_ns > l.begin_ns - 0.02 * l.ns AND s.begin_ns < l.end_ns + 0.02 *
#:              l.ns GROUP BY s.trace, s.sample),
#:            placed AS (SELECT *, CASE zone WHEN 0 THEN 0 WHEN 2 THEN 1000 ELSE 1 + (row_number()
#:              OVER (PARTITION BY trace, zone ORDER BY begin_ns) - 1) / ((count(*) OVER (PARTITION
#:              BY trace, zone) + 23) / 24) END AS bin FROM wide),
#:            binned AS (SELECT trace, bin, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns,
#:              avg(dram) AS dram, avg(warps) AS warps, avg(issue) AS issue, avg(shared) AS shared
#:              FROM placed GROUP BY trace, bin),
#:            edge AS (SELECT trace, track, ramp_ns, tail_ns, steady FROM phases WHERE track IN
#:              ('dram', 'resident_warps', 'issue', 'shared_wavefronts')),
#:            side AS (SELECT 0 AS side UNION ALL SELECT 1),
#:            told AS (SELECT r.*, t.sweep, t.samples_status, t.repeats, m.time_ns, l.begin_ns AS
#:              zero_ns, l.end_ns AS last_ns, l.ns, round(p.ramp_ns / t.interval_ns) +
#:              round(p.tail_ns / t.interval_ns) AS steps, 100.0 * t.interval_ns / l.ns AS step,
#:              (SELECT min(status) FROM phases p WHERE p.trace = r.trace AND p.kernel_ns IS NULL)
#:              AS phase_status, d.steady AS dram_steady, d.ramp_ns AS dram_ramp, d.tail_ns AS
#:              dram_tail, w.steady AS warps_steady, w.ramp_ns AS warps_ramp, w.tail_ns AS
#:              warps_tail, i.steady AS issue_steady, i.ramp_ns AS issue_ramp, i.tail_ns AS
#:              issue_tail, h.steady AS shared_steady, h.ramp_ns AS shared_ramp, h.tail_ns AS
#:              shared_tail FROM rung r LEFT JOIN traces t USING (trace) LEFT JOIN metrics m ON
#:              m.family = t.family AND m.variant = t.variant AND m.size = t.size AND m.block =
#:              t.block AND m.sweep = t.sweep LEFT JOIN life l USING (trace) LEFT JOIN phases p ON
#:              p.trace = r.trace AND p.main LEFT JOIN edge d ON d.trace = r.trace AND d.track =
#:              'dram' LEFT JOIN edge w ON w.trace = r.trace AND w.track = 'resident_warps' LEFT
#:              JOIN edge i ON i.trace = r.trace AND i.track = 'issue' LEFT JOIN edge h ON h.trace =
#:              r.trace AND h.track = 'shared_wavefronts'),
#:            drawn AS (SELECT t.*, -1 AS bin, 0 AS side, NULL AS dram, NULL AS warps, NULL AS
#:              issue, NULL AS shared, NULL AS x, NULL AS mid_ns, EXISTS (SELECT 1 FROM binned b
#:              WHERE b.trace = t.trace) AS curved FROM told t UNION ALL SELECT t.*, b.bin, s.side,
#:              b.dram, b.warps, b.issue, b.shared, (CASE s.side WHEN 0 THEN b.begin_ns ELSE
#:              b.end_ns END - t.zero_ns) / t.ns, (b.begin_ns + b.end_ns) / 2, 1 FROM told t JOIN
#:              binned b ON b.trace = t.trace AND b.bin BETWEEN 1 AND 999 CROSS JOIN side s)
#:            SELECT at, colour, bin < 0 AS part, round(min(max(x, -0.02), 1.02), 4) AS x,
#:              round(dram) AS dram, round(warps, 1) AS warps,
#:              round(issue, 1) AS issue, round(shared, 1) AS shared,
#:            coalesce(mid_ns < zero_ns + dram_ramp OR mid_ns > last_ns - dram_tail, 0) AS
#:              dram_edge, coalesce(mid_ns < zero_ns + warps_ramp OR mid_ns > last_ns - warps_tail,
#:              0) AS warps_edge, coalesce(mid_ns < zero_ns + issue_ramp OR mid_ns > last_ns -
#:              issue_tail, 0) AS issue_edge, coalesce(mid_ns < zero_ns + shared_ramp OR mid_ns >
#:              last_ns - shared_tail, 0) AS shared_edge, CASE bin WHEN -1 THEN dram_steady END AS
#:              dram_steady, CASE bin WHEN -1
#:              THEN warps_steady END AS warps_steady, CASE bin WHEN -1 THEN issue_steady END AS
#:              issue_steady, CASE bin WHEN -1 THEN shared_steady END AS shared_steady,
#:            CASE bin WHEN -1 THEN replace(name || CASE WHEN sweep > 0 THEN ', ' || sweep_name || '
#:              ' || sweep ELSE ''
#:              END, ',', char(8218)) ELSE '-' END AS label,
#:            CASE bin WHEN -1 THEN coalesce(human(round(dram_steady)), '-') ELSE '-' END AS
#:              dram_text,
#:              CASE bin WHEN -1 THEN coalesce(CAST(round(warps_steady) AS INTEGER), '-') ELSE '-'
#:              END AS warps_text, CASE WHEN
#:              issue_steady IS NULL OR bin >= 0 THEN '-' ELSE printf(CASE WHEN issue_steady < 10
#:              THEN '%.1f'
#:              ELSE '%.0f' END, issue_steady) END AS issue_text, CASE WHEN shared_steady IS NULL
#:              OR bin >= 0 THEN '-' ELSE printf(CASE WHEN shared_steady < 10 THEN '%.1f' ELSE
#:              '%.0f' END,
#:              shared_steady) END AS shared_text, CASE bin WHEN -1 THEN
#:              coalesce(replace(time_text(time_ns), ' us',
#:              ' µs'), '-') ELSE '-' END AS time_text, CASE WHEN repeats > 1 THEN '× ' || repeats
#:              ELSE '-' END
#:              AS repeats_text, CASE WHEN steps < 2 THEN printf('< %d', CAST(2 * step + 0.999 AS
#:              INTEGER)) WHEN steps IS NOT NULL THEN printf('%.0f', steps * step) ELSE '-' END AS
#:              share_text,
#:            replace(CASE WHEN curved THEN '-' WHEN NOT good THEN state WHEN trace IS NULL THEN
#:              'not sampled' WHEN samples_status <> 'ok' THEN samples_status ELSE
#:              coalesce(phase_status, 'absent: no samples') END, ',', char(8218)) AS word
#:            FROM drawn ORDER BY at, bin, side

# A panel for each counter, at most four: its column, its heading, its unit, and the end of its
# scale.
right_margin = 200      # pixels for the numbers
known = 'dram warps issue shared'
array heads[4] = ['DRAM traffic', 'Resident warps', 'Issue slots used', 'Shared-memory pipe']
array units[4] = ['GB/s', 'per SM', '%', '%']
# The end of a scale is at or above the largest value, so that nothing is cut off: one of these
# times a power of ten.
array steps_of_scale[9] = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8]
tenth(x) = 10**floor(log10(x))
least_step(x, i) = i > 9 ? 10 * tenth(x) : x <= steps_of_scale[i] * tenth(x) * 1.000001 \
    ? steps_of_scale[i] * tenth(x) : least_step(x, i + 1)
round_up(x) = x > 0 ? least_step(x, 1) : 1
most(x) = x eq '' ? 0 : x + 0
percent(x) = round_up(most(x)) > 100 ? 100 : round_up(most(x))
array ends[4]
ends[1] = peak eq '' || most(dram_most) < 0.4 * peak || most(dram_most) > peak \
    ? round_up(most(dram_most)) : peak + 0
ends[2] = warps_most eq '' ? 64 : warps_most + 0
ends[3] = percent(issue_most)
ends[4] = percent(shared_most)
# A pipe that every rung uses only negligibly is left out.
count = most(shared_most) >= 2 ? 4 : 3
eval canvas(0)
top = top + 44
bottom = 44
eval rows(rungs)
set multiplot
gap = 60
panel_wide = (width - label_width - right_margin - (count - 1) * gap) / count
panel_from(p) = label_width + (p - 1) * (panel_wide + gap)
set xrange [-0.02:1.02]
unset xtics
unset grid
set border 0
unset xlabel
# For a row: the base of the curve, its largest height, and the position of its number.
stands = 0.44
tall = 0.60
base(p) = column('at') + stands
# At least two pixels: gnuplot's PNG draws flatter areas as lines across the picture.
rise(p) = tall * column(word(known, p)) / ends[p]
high(p) = base(p) - (rise(p) * row < 2 ? 2.0 / row : rise(p))
first(x) = column('part') == 1 ? x : nowhere
drawn(x) = column('part') == 1 && strcol('word') eq '-' ? x : NaN
curve(p, edge) = strlen(strcol(word(known, p))) && column(word(known, p).'_edge') == edge \
    && column(word(known, p)) > 0 \
    ? high(p) : NaN
known_number(p) = strlen(strcol(word(known, p).'_steady'))
# The curves are drawn rung by rung and panel by panel, but read from the file once: the rung,
# x, the base of a curve, and the heights of its dark and its pale part. The first line of a rung
# has no x and serves as the names of columns.
set table $curves separator comma
plot data using (column('colour')):(number('x')):(base(1)):(curve(1, 0)):(curve(2, 0)):(curve(3, \
    0)):(curve(4, 0)):(curve(1, 1)):(curve(2, 1)):(curve(3, 1)):(curve(4, 1)) \
    with table
unset table
colours = ''
set datafile nocolumnheaders
do for [c = 0:rungs - 1] {
    eval 'set table $colour'.c.' separator comma'
    plot $curves using 1:2:3:4:5:6:7:8:9:10:11 with table if (column(1) == c)
    unset table
    lines = 0
    if (exists('$colour'.c)) { eval 'lines = |$colour'.c.'|' }
    if (lines > 1) { colours = colours.' '.c }
}
set datafile columnheaders
do for [p = 1:count] {
    set lmargin at screen panel_from(p) / width
    set rmargin at screen (panel_from(p) + panel_wide) / width
    set label 3 heads[p] at first 0, graph 1 left offset character 0, \
        1.7 font font.',16' textcolor rgb ink
    set label 4 '0 to '.gprintf('%.4g', ends[p]).' '.units[p] at first 0, \
        graph 1 left offset character 0, 0.6 font font.',14' textcolor rgb grey
    set label 5 'begin' at first 0, graph 0 left offset character 0, \
        -0.7 font font.',14' textcolor rgb grey
    set label 6 'end' at first 1, graph 0 right offset character 0, \
        -0.7 font font.',14' textcolor rgb grey
    plot data using (drawn(0)):(base(p) - tall):(1):(0) \
        with vectors nohead linecolor rgb 0xbbbbbb linewidth 0.5 notitle, \
         for [c in colours] '$colour'.c using 2:3 + p \
             with filledcurves y1=(c + stands) fillcolor rgb measured fillstyle solid 1 noborder \
                 notitle, \
         for [c in colours] '$colour'.c using 2:7 + p \
             with filledcurves y1=(c + stands) fillcolor rgb reference fillstyle solid 1 noborder \
                 notitle, \
         data using (drawn(0)):(base(p)):(1):(0) with vectors nohead linecolor rgb grey linewidth \
             0.7 notitle, \
         data using (known_number(p) ? first(1) : nowhere):(base(p) - 0.5 * \
             tall):(strcol(word(known, p).'_text')) with labels left offset 0.6, 0 font font.',14' \
                 textcolor rgb \
             ink notitle
    unset label 1
    unset label 2
}
# Names and numbers, on pixels.
unset label
set lmargin at screen 0
set rmargin at screen 1
set xrange [0:width]
time_at = width - 100
share_at = width - 24
repeated(x) = strcol('repeats_text') eq '-' ? nowhere : first(x)
set label 1 'clean time' at first time_at, graph 1 right offset character 0, \
    0.6 font font.',14' textcolor rgb grey
set label 2 'ramp and' at first share_at, graph 1 right offset character 0, \
    1.7 font font.',14' textcolor rgb grey
set label 3 'tail, %' at first share_at, graph 1 right offset character 0, \
    0.6 font font.',14' textcolor rgb grey
set label 4 'its own time' at first label_width - 10, graph 0 right offset character 0, \
    -0.7 font font.',14' textcolor rgb grey
plot data using (first(label_width)):(column('at')):(cut(strcol('label'), letters)) with labels \
    right \
    offset -0.8, \
    0 font font.','.text textcolor rgb ink notitle, \
     data using (first(label_width)):(column('at')): \
         (strcol('word') eq '-' ? '' : cut(strcol('word'), 84)) with labels left offset 0.6, \
             0 font font.','.text textcolor rgb grey notitle, \
     data using (first(time_at)):(column('at')):(strcol('time_text')) \
         with labels right font font.','.text textcolor rgb ink notitle, \
     data using (repeated(time_at)):(column('at') + 17.0 / row):(strcol('repeats_text')) \
         with labels right font font.',14' textcolor rgb grey notitle, \
     data using (first(share_at)):(column('at')):(strcol('share_text')) \
         with labels right font font.','.text textcolor rgb ink notitle
unset multiplot
