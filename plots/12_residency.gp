#: title   :headline
#: caption The same work on an array of the given number of words per thread, kept where the row
#:            says. Stronger red is slower than the best row of the column. Below the time:
#:            registers per thread, and the share of its warps that an SM held on average.
#: each    WITH timed AS (SELECT r.family, r.size, r.subject, r.variant, r.title, m.sweep,
#:              m.time_ns, row_number() OVER (PARTITION BY r.family, r.size, m.sweep ORDER BY
#:              m.time_ns) AS place, max(m.time_ns) OVER (PARTITION BY r.family, r.size, m.sweep) /
#:              m.time_ns AS lead FROM chart_rung r JOIN variants v USING (family, variant) JOIN
#:              metrics m USING (family, variant, size) WHERE v.sweep_name = 'words' AND m.sweep > 0
#:              AND m.time_ns IS NOT NULL),
#:            wins AS (SELECT family, size, title, count(*) AS many, max(lead) AS most, row_number()
#:              OVER (PARTITION BY family, size ORDER BY count(*) DESC, max(lead) DESC) AS place
#:              FROM timed WHERE place = 1 GROUP BY family, size, variant)
#:            SELECT t.family, t.size, count(DISTINCT t.variant) AS rungs, count(DISTINCT t.sweep)
#:              AS places, (SELECT group_concat(words, '|') FROM (SELECT DISTINCT sweep || ' words'
#:              AS words FROM timed o WHERE o.family = t.family AND o.size = t.size ORDER BY sweep))
#:              AS columns, w.title || ' is fastest at ' || CASE w.many WHEN count(DISTINCT t.sweep)
#:              THEN 'all ' || w.many ELSE w.many || ' of ' || count(DISTINCT t.sweep) END ||
#:              ' lengths, by up to ' || ratio_text(w.most) AS headline,
#:              'Time, registers per thread, achieved occupancy; red: slower than the best row. ' || t.subject AS message
#:              FROM timed t JOIN wins w ON w.family = t.family AND w.size = t.size AND w.place = 1
#:              GROUP BY t.family, t.size HAVING rungs > 1 ORDER BY t.family, t.size
#: data    WITH timed AS (SELECT r.at, r.label, m.*, m.time_ns / min(m.time_ns) OVER (PARTITION BY
#:              m.sweep) AS ratio FROM chart_rung r JOIN variants v USING (family, variant) JOIN
#:              metrics m USING (family, variant, size) WHERE r.family = :family AND r.size = :size
#:              AND v.sweep_name = 'words' AND m.sweep > 0 AND m.time_ns IS NOT NULL)
#:            SELECT dense_rank() OVER (ORDER BY at) - 1 AS at, dense_rank() OVER (ORDER BY sweep) -
#:              1 AS place, -ln(ratio) / 4 AS tint, label, coalesce(CAST(registers AS INTEGER) ||
#:              ' reg', '-') AS registers_text, coalesce(CAST(round(achieved_occupancy_pct) AS
#:              INTEGER) || ' %', '-') AS occupancy_text, time_text(time_ns) AS value_text FROM
#:              timed ORDER BY 1, 2

bottom = no_tics
headroom = headings(1)
row_height(n) = 100
text_shift = -0.22
eval table(0, rungs)
eval columns_from
below(name, y) = sprintf("data using (column('place')):(column('at') + %g):(strcol('%s')):(on(" \
    ."heat(column('tint')))) with labels center font font.',14' textcolor rgb variable notitle", \
    y, name)
registers_below = below('registers_text', 0.06)
occupancy_below = below('occupancy_text', 0.26)
plot @cells, @names, @registers_below, @occupancy_below
