#: title   :headline
#: caption Each row is a rung's own time, from the first to the last sample in which an SM held a
#:            warp, sampled by the hardware every :every. In each panel all rungs share one scale,
#:            the thin line is its end, and the number is the mean. At the
#:            right: the time, from launches that were not sampled.:repeated_words
#: each    WITH sampled AS (SELECT family, size, min(interval_ns) AS least, max(interval_ns) AS
#:              most, max(repeats) > 1 AS repeated FROM traces JOIN points USING (family, variant,
#:              size, block, sweep) WHERE counter_set = 'timeline' AND samples_status = 'ok' GROUP
#:              BY family, size),
#:            fit AS (SELECT *, row_number() OVER (PARTITION BY family ORDER BY (family, size) IN
#:              (SELECT family, size FROM chart_size) DESC, size DESC) AS place FROM sampled),
#:            led AS (SELECT s.*, d.peak FROM fit s JOIN (SELECT
#:              max(dram_peak_gbs) AS peak FROM metrics) d WHERE CASE WHEN EXISTS (SELECT 1 FROM
#:              wanted_sizes) THEN (s.family, s.size) IN (SELECT family, size FROM chart_size) ELSE
#:              s.place = 1 END),
#:            height AS (SELECT t.family, t.size, s.track, max(s.value) AS high FROM traces t JOIN
#:              life l USING (trace) JOIN shown s USING (trace) WHERE t.counter_set = 'timeline' AND
#:              s.end_ns > l.begin_ns AND s.begin_ns < l.end_ns GROUP BY t.family, t.size, s.track),
#:            tall AS (SELECT *, row_number() OVER (PARTITION BY family, size, variant ORDER BY part
#:              DESC) AS nth FROM (SELECT t.family, t.size, t.variant, l.track AS main, l.level,
#:              l.level / iif(l.track = 'dram', coalesce(c.peak, 1e9), 100) AS part FROM led c JOIN
#:              traces t USING
#:              (family, size) JOIN level l ON l.trace = t.trace AND l.track IN ('dram', 'issue',
#:              'shared_wavefronts') WHERE t.counter_set = 'timeline' AND l.level > 0)),
#:            fast AS (SELECT p.family, p.size, p.variant, v.title, count(*) OVER (PARTITION BY
#:              p.family, p.size) AS many, sum(m.time_ns IS NULL) OVER (PARTITION BY p.family,
#:            p.size)   AS untimed, m.demand_tensor_ns / m.time_ns AS tensor, row_number() OVER
#:              (PARTITION BY p.family, p.size ORDER BY
#:            m.time_ns,   v.rung) AS place FROM (SELECT DISTINCT family, variant, size FROM points
#:            WHERE   status = 'ok') p JOIN variants v USING (family, variant) LEFT JOIN metrics m
#:            ON   m.family = p.family AND m.variant = p.variant AND m.size = p.size AND m.best = 1
#:              WHERE v.kind = 'kernel'),
#:            said AS (SELECT family, size, a.level, a.main, '“' || f.title || '”' || CASE WHEN f.many > 1
#:              THEN ', the fastest rung,' ELSE '' END || CASE WHEN f.tensor > a.part THEN
#:              printf(' keeps the tensor cores busy for %.0f %% of its time; they are not sampled',
#:              100 * f.tensor) WHEN a.main = 'dram' THEN ' moves ' ||
#:              human(round(a.level)) || ' GB/s from and to DRAM' || coalesce(', ' || CAST(round(100
#:              * a.level / (SELECT max(dram_peak_gbs) FROM metrics)) AS INTEGER) ||
#:              ' % of the peak', '') WHEN a.main = 'issue' THEN printf(' uses %.0f %% of the issue
#:              slots',
#:              a.level) ELSE printf(' keeps the shared-memory pipe busy for %.0f %% of the time',
#:              a.level) END AS words FROM fast f JOIN tall a USING (family, size, variant) WHERE
#:              f.place = 1 AND f.untimed = 0 AND a.nth = 1)
#:            SELECT c.family AS family, c.size AS size,
#:              'Counters over the time of each rung; numbers: means. ' ||
#:              coalesce((SELECT title FROM families f WHERE f.family = c.family), c.family) ||
#:              iif(o.at_size IS NULL, ', ' || size_text(c.size), '') AS message,
#:            CASE WHEN c.repeated THEN
#:              ' × 2 and so on, below a time: number of runs in a row, because one run is too '
#:              || 'short for many samples. All but the first find the L2 cache warm, '
#:              || 'so the means are of the whole row, with the gaps between launches.' ELSE
#:            ''   END AS repeated_words,
#:            iif(c.most > c.least, time_text(c.least, c.most), time_text(c.least)) AS every,
#:              c.peak AS peak, 0.02 AS beyond,
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
#:            coalesce(s.words, CASE WHEN EXISTS (SELECT 1 FROM tall a WHERE a.family = c.family AND
#:              a.size = c.size) THEN 'How busy the fastest rung is was not measured' ELSE
#:              'No rung used what was sampled' END) || coalesce(o.at_size, '') AS headline
#:            FROM led c LEFT JOIN said s USING (family, size) LEFT JOIN chart_other o USING
#:              (family, size) WHERE (SELECT count(DISTINCT t.variant) FROM traces t WHERE t.family = c.family) > 1 AND NOT EXISTS (SELECT 1
#:            FROM   variants v WHERE v.family = c.family AND v.factors <> '') AND coalesce(s.level,
#:            10) >= iif(s.main = 'dram', 1, 10) ORDER BY c.family
#: data    WITH rung AS (SELECT v.family, v.variant, v.kind, row_number() OVER (ORDER BY v.rung,
#:              v.variant) - 1 AS at, row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS
#:              colour, max(p.status = 'ok') AS good, max(status_text(p.status,
#:              p.trials, p.wrong_trials)) AS state, v.rung || ' '
#:              || v.title AS name, v.sweep_name, v.sweep_text, (SELECT max(t.trace) FROM traces t WHERE t.family
#:              = v.family AND t.variant = v.variant AND t.size = :size AND t.counter_set =
#:              'timeline') AS trace FROM points p JOIN variants v USING (family, variant) WHERE
#:              p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant),
#:            lived AS (SELECT trace, begin_ns, end_ns, 1.0 * (end_ns - begin_ns) AS ns FROM life
#:              JOIN rung USING (trace)),
#:            wide AS (SELECT s.trace, s.begin_ns, s.end_ns, (s.begin_ns >= l.begin_ns) +
#:              (s.begin_ns >= l.end_ns) AS zone, max(CASE s.track WHEN 'dram' THEN s.value END) AS
#:              dram, max(CASE s.track WHEN 'resident_warps' THEN s.value END) AS warps, max(CASE
#:              s.track WHEN 'issue' THEN s.value END) AS issue, max(CASE s.track WHEN
#:              'shared_wavefronts' THEN s.value END) AS shared FROM shown s JOIN lived l USING
#:              (trace) WHERE s.end_ns > l.begin_ns - :beyond * l.ns AND s.begin_ns < l.end_ns + :beyond *
#:              l.ns GROUP BY s.trace, s.sample),
#:            placed AS (SELECT *, CASE zone WHEN 0 THEN 0 WHEN 2 THEN 1000 ELSE 1 + (row_number()
#:              OVER (PARTITION BY trace, zone ORDER BY begin_ns) - 1) / ((count(*) OVER (PARTITION
#:              BY trace, zone) + 23) / 24) END AS bin FROM wide),
#:            binned AS (SELECT trace, bin, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns,
#:              avg(dram) AS dram, avg(warps) AS warps, avg(issue) AS issue, avg(shared) AS shared
#:              FROM placed GROUP BY trace, bin),
#:            side AS (SELECT 0 AS side UNION ALL SELECT 1),
#:            told AS (SELECT r.*, t.sweep, t.samples_status, t.repeats, m.time_ns, l.begin_ns AS
#:              zero_ns, l.ns, d.level AS dram_level, w.level AS warps_level, i.level AS
#:            issue_level,   h.level AS shared_level FROM rung r LEFT JOIN traces t USING (trace)
#:            LEFT JOIN metrics   m ON m.family = t.family AND m.variant = t.variant AND m.size =
#:            t.size AND m.block =   t.block AND m.sweep = t.sweep LEFT JOIN lived l USING (trace)
#:            LEFT JOIN level d ON   d.trace = r.trace AND d.track = 'dram' LEFT JOIN level w ON
#:            w.trace = r.trace AND   w.track = 'resident_warps' LEFT JOIN level i ON i.trace =
#:            r.trace AND i.track =   'issue' LEFT JOIN level h ON h.trace = r.trace AND h.track =
#:            'shared_wavefronts'), drawn AS (SELECT t.*, -1 AS bin, 0 AS side, NULL AS dram, NULL
#:            AS warps, NULL AS   issue, NULL AS shared, NULL AS x, EXISTS (SELECT 1 FROM binned b
#:            WHERE b.trace =   t.trace) AS curved FROM told t UNION ALL SELECT t.*, b.bin, s.side,
#:            b.dram, b.warps,   b.issue, b.shared, (CASE s.side WHEN 0 THEN b.begin_ns ELSE
#:            b.end_ns END - t.zero_ns)   / t.ns, 1 FROM told t JOIN binned b ON b.trace = t.trace
#:            AND b.bin BETWEEN 1 AND 999   CROSS JOIN side s)
#:            SELECT at, colour, bin < 0 AS part, round(min(max(x, 0 - :beyond), 1 + :beyond), 4) AS x,
#:              round(dram) AS dram, round(warps, 1) AS warps,
#:              round(issue, 1) AS issue, round(shared, 1) AS shared,
#:              CASE bin WHEN -1 THEN dram_level END AS dram_level, CASE bin WHEN -1 THEN
#:            warps_level   END AS warps_level, CASE bin WHEN -1 THEN issue_level END AS
#:            issue_level, CASE bin   WHEN -1 THEN shared_level END AS shared_level,
#:            CASE bin WHEN -1 THEN replace(iif(length(name || ', ' || setting_text(sweep_name,
#:              sweep_text, sweep)) < 48, name || ', ' || setting_text(sweep_name, sweep_text,
#:              sweep), name), ',', char(8218)) ELSE '-' END AS label,
#:            CASE bin WHEN -1 THEN coalesce(human(round(dram_level)), '-') ELSE '-' END AS
#:              dram_text, CASE bin WHEN -1 THEN coalesce(CAST(round(warps_level) AS INTEGER), '-')
#:              ELSE '-' END AS warps_text, CASE WHEN issue_level IS NULL OR bin >= 0 THEN '-' ELSE
#:              printf(CASE WHEN issue_level < 10 THEN '%.1f' ELSE '%.0f' END, issue_level) END AS
#:              issue_text, CASE WHEN shared_level IS NULL OR bin >= 0 THEN '-' ELSE printf(CASE
#:              WHEN shared_level < 10 THEN '%.1f' ELSE '%.0f' END, shared_level) END AS
#:              shared_text, CASE bin WHEN -1 THEN coalesce(time_text(time_ns), '–')
#:              ELSE '-' END AS time_text, CASE WHEN repeats > 1 THEN '× ' || repeats
#:              ELSE '-' END AS repeats_text,
#:            replace(CASE WHEN curved THEN '-' WHEN NOT good THEN state WHEN trace IS NULL THEN
#:              'not sampled' WHEN samples_status <> 'ok' THEN samples_status ELSE
#:              'absent: no samples' END, ',', char(8218)) AS word
#:            FROM drawn ORDER BY at, bin, side

# A panel for each counter, at most four: its column, its heading, its unit, and the end of its
# scale.
right_margin = 150      # pixels for the numbers
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
# A pipe that no rung uses for a tenth of any moment is left out.
count = most(shared_most) >= 10 ? 4 : 3
headroom = 50
most_for_labels = 430   # names with their setting
label_width = most_for_labels
bottom = 44 + foot
row_height(n) = n > 8 ? 40 : 64
eval table(0, rungs)
lines = 1
set multiplot
gap = 60
panel_wide = (width - label_width - right_margin - (count - 1) * gap) / count
panel_from(p) = label_width + (p - 1) * (panel_wide + gap)
set xrange [0 - beyond:1 + beyond]
unset xtics
unset grid
set border 0
unset xlabel
# For a row: the base of the curve, its largest height, and the position of its number.
stands = 0.44
tall = 0.60
base(p) = column('at') + stands
# At least two pixels: gnuplot's PNG draws flatter areas as lines across the picture.
# In steps of about half a pixel, so that level parts of a curve are one line.
rise(p) = tall * floor(60 * column(word(known, p)) / ends[p] + 0.5) / 60
high(p) = base(p) - (rise(p) * row < 2 ? 2.0 / row : rise(p))
first(x) = column('part') == 1 ? x : nowhere
drawn(x) = column('part') == 1 && strcol('word') eq '-' ? x : NaN
curve(p) = strlen(strcol(word(known, p))) && column(word(known, p)) > 0 ? high(p) : NaN
known_number(p) = strlen(strcol(word(known, p).'_level'))
# The curves are drawn rung by rung and panel by panel, but read from the file once: the rung,
# x, and the heights of the curves. The first line of a rung has no x and serves as the names of
# columns.
set table $curves separator comma
plot data using (column('colour')):(number('x')):(curve(1)):(curve(2)):(curve(3)):(curve(4)) \
    with table
unset table
colours = ''
set datafile nocolumnheaders
do for [c = 0:rungs - 1] {
    eval 'set table $colour'.c.' separator comma'
    plot $curves using 1:2:3:4:5:6 with table if (column(1) == c)
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
         for [c in colours] '$colour'.c using 2:2 + p \
             with filledcurves y1=(c + stands) fillcolor rgb measured fillstyle solid 1 noborder \
                 notitle, \
         data using (drawn(0)):(base(p)):(1):(0) with vectors nohead linecolor rgb grey linewidth \
             0.7 notitle, \
         data using (known_number(p) ? first(1) : nowhere):(base(p) - 0.5 * \
             tall):(strcol(word(known, p).'_text')) with labels left offset 0.6, 0 font font.',14' \
                 textcolor rgb \
             ink notitle
    unset label 1
    unset label 2
    unset label 9
}
# Names and numbers, on pixels.
unset label
set lmargin at screen 0
set rmargin at screen 1
set xrange [0:width]
time_at = width - 24
# Names and times stand beside the middle of the curves.
beside(x) = column('at') + stands - 0.5 * tall
repeated(x) = strcol('repeats_text') eq '-' ? nowhere : first(x)
set label 1 'time' at first time_at, graph 1 right offset character 0, \
    0.6 font font.',14' textcolor rgb grey
set label 2 'its own time' at first label_width - 10, graph 0 right offset character 0, \
    -0.7 font font.',14' textcolor rgb grey
plot data using (first(label_width)):(beside(0) - raised_by(fold(strcol('label'), letters, 2))): \
    (fold(strcol('label'), letters, 2)) with labels right offset -0.8, 0 font font.','.text \
    textcolor rgb ink notitle, \
     data using (first(label_width)):(beside(0)): \
         (strcol('word') eq '-' ? '' : cut(strcol('word'), 84)) with labels left offset 0.6, \
             0 font font.','.text textcolor rgb grey notitle, \
     data using (first(time_at)):(beside(0)):(strcol('time_text')) \
         with labels right font font.','.text textcolor rgb ink notitle, \
     data using (repeated(time_at)):(beside(0) + 20.0 / row):(strcol('repeats_text')) \
         with labels right font font.',14' textcolor rgb grey notitle
unset multiplot
