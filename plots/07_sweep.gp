#: title   :headline
#: caption The time of each rung in each of its settings, as a multiple of its own best; stronger
#:            red is slower. Blank: a setting that the rung does not have.
#: each    WITH swept AS (SELECT r.family, r.size, r.subject, r.variant, r.title, v.sweep_name AS
#:              name, m.sweep, m.time_ns, m.time_ns / min(m.time_ns) OVER (PARTITION BY r.family,
#:              r.size, r.variant) AS ratio FROM chart_rung r JOIN variants v USING (family,
#:              variant) JOIN metrics m USING (family, variant, size) WHERE v.sweep_name NOT IN ('',
#:              'threads', 'words') AND m.sweep > 0 AND m.time_ns IS NOT NULL),
#:            worst AS (SELECT *, row_number() OVER (PARTITION BY family, size, name ORDER BY ratio
#:              DESC) AS place FROM swept)
#:            SELECT w.family, w.size, w.name AS part, w.name, (SELECT count(DISTINCT variant) FROM
#:              swept s WHERE s.family = w.family AND s.size = w.size AND s.name = w.name) AS rungs,
#:              (SELECT count(DISTINCT sweep) FROM swept s WHERE s.family = w.family AND s.size =
#:              w.size AND s.name = w.name) AS places, (SELECT group_concat(sweep, '|') FROM (SELECT
#:              DISTINCT sweep FROM swept s WHERE s.family = w.family AND s.size = w.size AND s.name
#:              = w.name ORDER BY sweep)) AS columns,
#:            w.title || ' takes ' || ratio_text(w.ratio) || ' its best time with ' || w.sweep ||
#:              ' ' || CASE w.sweep WHEN 1 THEN rtrim(replace(w.name || ' ', 's ', ' ')) ELSE w.name
#:              END AS headline,
#:              'Time over the best, by setting: ' || w.name || '. ' || w.subject AS message FROM
#:              worst w WHERE w.place = 1 AND w.ratio >= CASE rungs WHEN 1 THEN 2 ELSE 1.05 END AND
#:              places BETWEEN 2 AND 16 ORDER BY w.family, w.size, w.name
#: data    WITH swept AS (SELECT r.at, r.label, m.sweep, m.time_ns, m.time_ns / min(m.time_ns) OVER
#:              (PARTITION BY r.variant) AS ratio FROM chart_rung r JOIN variants v USING (family,
#:              variant) JOIN metrics m USING (family, variant, size) WHERE r.family = :family AND
#:              r.size = :size AND v.sweep_name = :name AND m.sweep > 0 AND m.time_ns IS NOT NULL)
#:            SELECT dense_rank() OVER (ORDER BY at) - 1 AS at, dense_rank() OVER (ORDER BY sweep) -
#:              1 AS place, -(ratio - 1) AS tint, label, CASE WHEN row_number() OVER (PARTITION BY
#:              at ORDER BY ratio, sweep) = 1 THEN 'best' WHEN ratio
#:              < 9.95 THEN printf('%.2f×', ratio) ELSE human(ratio) || '×' END AS value_text FROM
#:              swept ORDER BY 1, 2

bottom = no_tics
headroom = headings(1)
eval table(1, rungs)
eval swatch(1, 0, 24, 0xffffff, 'best time of the row') . swatch(2, 0, 240, heat(-0.5), \
    '1.5× as long') . swatch(3, 0, 400, heat(-1), '2× as long, or more')
eval columns_from
# A white cell is a setting as well: it has a frame.
plot @cells, @frames, @names
