#: title   :headline
#: caption The way from the ladder's first rung to its fastest, along the rungs that improve on each
#:            other: the five steps that gain most, the rest together. The speed-ups multiply, so a
#:            bar is as long as the logarithm of its speed-up.
#: each    WITH RECURSIVE goal AS (SELECT r.family, r.size, r.subject, r.variant, r.title,
#:              m.speedup_first, m.speedup_library, row_number() OVER (PARTITION BY r.family, r.size
#:              ORDER BY r.time_ns) AS place FROM chart_rung r JOIN metrics m ON m.family = r.family
#:              AND m.variant = r.variant AND m.size = r.size AND m.best = 1 WHERE r.kind = 'kernel'
#:              AND r.time_ns IS NOT NULL),
#:            way(family, size, variant, at) AS (SELECT family, size, variant, 0 FROM goal WHERE
#:              place = 1 UNION SELECT w.family, w.size, s.after, w.at + 1 FROM way w JOIN
#:              chart_step
#:              s ON s.family = w.family AND s.size = w.size AND s.variant = w.variant WHERE w.at <
#:              100),
#:            step AS (SELECT s.*, row_number() OVER (PARTITION BY s.family, s.size ORDER BY
#:              s.speedup_prev DESC) AS place FROM way w JOIN chart_step s USING (family, size,
#:              variant)),
#:            whole AS (SELECT family, size, count(*) AS steps, exp(sum(ln(speedup_prev))) AS gain,
#:              max(speedup_prev) AS most, min(speedup_prev) AS least FROM step GROUP BY family,
#:              size)
#:            SELECT g.family, g.size, w.steps, w.gain, w.most, min(w.steps, 6) AS rungs,
#:              (SELECT '|' || group_concat(variant, '|') || '|' FROM way y WHERE y.family =
#:              g.family
#:              AND y.size = g.size) AS way,
#:            f.title || ' ' || human(w.gain, 2) || '×: where it came from' AS headline,
#:            'From the first rung to ' || g.title || CASE WHEN g.speedup_library IS NULL THEN ''
#:              ELSE printf(', %.2f× the speed of the library', g.speedup_library) END || '. ' ||
#:              g.subject AS message
#:            FROM goal g JOIN whole w USING (family, size) JOIN families f USING (family) WHERE
#:              g.place = 1 AND w.gain >= 1.1 AND w.steps > 1 ORDER BY g.family, g.size
#: data    WITH step AS (SELECT s.*, row_number() OVER (ORDER BY s.speedup_prev DESC) AS place FROM
#:              chart_step s WHERE s.family = :family AND s.size = :size AND instr(:way, '|' ||
#:              s.variant || '|') > 0),
#:            bar AS (SELECT place, title AS label, speedup_prev AS value FROM step WHERE place <= 5
#:              OR CAST(:steps AS INTEGER) = 6 UNION ALL SELECT 6, count(*) || ' other steps',
#:              exp(sum(ln(speedup_prev))) FROM step WHERE place > 5 AND CAST(:steps AS INTEGER) > 6
#:              HAVING count(*) > 0)
#:            SELECT row_number() OVER (ORDER BY place) - 1 AS at, value, replace(label, ',',
#:              char(8218)) AS label, CASE WHEN value < 9.95 THEN printf('%.2f×', value) ELSE
#:              human(value) || '×' END AS value_text FROM bar ORDER BY at

label_width = 520
eval canvas(0)
top = top + 20
eval rows(rungs)
row = (height - top - bottom) / (rungs < 4 ? 4 : rungs)
set bmargin at screen screen_y(top + row * rungs)
set logscale x
least_end = 1 / most**0.02
set xrange [least_end:most**1.22]
eval fine_tics('x', least_end, most**1.22)
set xlabel 'Speed-up of the step, × (logarithmic)'
set border 1
up(x) = column('value') >= 1
plot data using (number('value')):(column('at')):(1):(number('value')):(column('at') - \
         0.34):(column('at') + 0.34):(up(0) ? faster : slower) with boxxyerror linecolor rgb \
         variable notitle, \
     data using (up(0) ? column('value') : 1):(column('at')):(strcol('value_text')) with labels \
         left offset 1, 0 font bold.',34' textcolor rgb ink notitle, \
     data using (least_end):(column('at')):(fold(strcol('label'), 26, 2)) with labels right \
         offset -1.2, 0 font font.',28' textcolor rgb ink notitle
