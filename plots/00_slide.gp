#: title   :headline
#: caption The way from the ladder's first rung to its fastest, by the rungs that are each faster
#:            than all before them on it: the five rises that gain most, the others together. A
#:            rung that is slower is counted with the next one that is a gain on the whole. The
#:            speed-ups multiply, so a bar is as long as the logarithm of its speed-up.
#: each    WITH goal AS (SELECT r.family, r.size, r.subject, r.title, r.time_ns, b.words AS beside,
#:              row_number() OVER (PARTITION BY r.family, r.size ORDER BY r.time_ns, r.variant) AS
#:              place FROM chart_rung r JOIN metrics m ON m.family = r.family AND m.variant =
#:              r.variant AND m.size = r.size AND m.best = 1 JOIN variants v ON v.family = r.family
#:              AND v.variant = r.variant LEFT JOIN library_ratios b ON b.family = r.family AND
#:              b.size = r.size AND b.variant = r.variant WHERE r.kind = 'kernel' AND v.fails IS
#:              NULL AND r.time_ns > 0),
#:            whole AS (SELECT family, size, count(*) AS steps, exp(sum(ln(ratio))) AS gain,
#:              max(ratio) AS most, max(CASE place WHEN 1 THEN title END) AS best FROM (SELECT *,
#:              row_number() OVER (PARTITION BY family, size ORDER BY ratio DESC) AS place FROM
#:              rise) GROUP BY family, size)
#:            SELECT g.family, g.size, w.steps, w.gain, w.most, min(w.steps, 6) AS rungs, f.title ||
#:              ' becomes ' || ratio_text(w.gain) || ' as fast; “' || w.best || '” gains most, ' ||
#:              ratio_text(w.most) AS headline, 'From ' || time_text(w.gain * g.time_ns) ||
#:              ' to ' || time_text(g.time_ns) || ' with ' || g.title || coalesce(', which ' ||
#:              g.beside || ' the library', '') || '. ' || g.subject AS message
#:            FROM goal g JOIN whole w USING (family, size) JOIN families f USING (family) WHERE
#:              g.place = 1 AND w.gain >= 1.1 AND w.steps > 1 ORDER BY g.family, g.size
#: data    WITH step AS (SELECT *, row_number() OVER (ORDER BY ratio DESC) AS place FROM rise WHERE
#:              family = :family AND size = :size),
#:            bar AS (SELECT place, title || CASE steps WHEN 1 THEN '' ELSE '‚ over rung ' || over
#:              END AS label, ratio AS value FROM step WHERE place <= 5 OR CAST(:steps AS INTEGER) =
#:              6 UNION ALL SELECT 6, count(*) || ' other steps', exp(sum(ln(ratio))) FROM step
#:              WHERE place > 5 AND CAST(:steps AS INTEGER) > 6 HAVING count(*) > 0)
#:            SELECT row_number() OVER (ORDER BY place) - 1 AS at, value, replace(label, ',',
#:              char(8218)) AS label, ratio_text(value) AS value_text FROM bar ORDER BY at

label_width = 520
row_height(n) = 84
eval table(0, rungs)
set logscale x
least_end = 1 / most**0.02 # every bar is a gain
most_end = most * (most / least_end)**0.2
set xrange [least_end:most_end]
eval fine_tics('x', least_end, most_end)
set xlabel 'Speed-up of the step, × (logarithmic)'
set border 1
plot data using (number('value')):(column('at')):(1):(number('value')):(column('at') - \
         0.34):(column('at') + 0.34) with boxxyerror linecolor rgb faster notitle, \
     data using (column('value')):(column('at')):(strcol('value_text')) with labels \
         left offset 1, 0 font bold.',34' textcolor rgb ink notitle, \
     data using (least_end):(column('at') - 21.0 / row * breaks(fold(strcol('label'), 26, 2))): \
         (fold(strcol('label'), 26, 2)) with labels right offset -1.2, 0 font font.',28' \
         textcolor rgb ink notitle
