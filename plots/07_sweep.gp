#: title   :headline
#: caption The time of each rung in each of its settings, as a multiple of its own best; stronger
#:            red is slower. Blank: a setting that the rung does not have.
#: each    WITH swept AS (SELECT r.family, r.size, r.subject, r.variant, r.title, v.sweep_name AS
#:              name, m.sweep, m.time_ns, m.time_ns / min(m.time_ns) OVER (PARTITION BY r.family,
#:              r.size, r.variant) AS ratio FROM chart_rung r JOIN variants v USING (family,
#:              variant)
#:              JOIN metrics m USING (family, variant, size) WHERE v.sweep_name NOT IN ('',
#:              'threads', 'words') AND m.sweep > 0 AND m.time_ns IS NOT NULL),
#:            worst AS (SELECT *, row_number() OVER (PARTITION BY family, size, name ORDER BY ratio
#:              DESC) AS place FROM swept)
#:            SELECT w.family, w.size, w.name AS part, w.name, (SELECT count(DISTINCT variant) FROM
#:              swept s WHERE s.family = w.family AND s.size = w.size AND s.name = w.name) AS rungs,
#:              (SELECT count(DISTINCT sweep) FROM swept s WHERE s.family = w.family AND s.size =
#:              w.size AND s.name = w.name) AS places, (SELECT group_concat(sweep, '|') FROM (SELECT
#:              DISTINCT sweep FROM swept s WHERE s.family = w.family AND s.size = w.size AND s.name
#:              = w.name ORDER BY sweep)) AS columns,
#:            'The worst setting costs ' || w.title || ' ' || human(w.ratio, 2) ||
#:              '× its best time' AS headline, 'Time over the best, by setting: ' || w.name || '. '
#:              ||
#:              w.subject AS message FROM worst w WHERE w.place = 1 AND w.ratio >= CASE rungs WHEN 1
#:              THEN 2 ELSE 1.05 END AND places BETWEEN 2 AND 16 ORDER BY w.family, w.size, w.name
#: data    WITH swept AS (SELECT r.at, r.label, m.sweep, m.time_ns, m.time_ns / min(m.time_ns) OVER
#:              (PARTITION BY r.variant) AS ratio FROM chart_rung r JOIN variants v USING (family,
#:              variant) JOIN metrics m USING (family, variant, size) WHERE r.family = :family AND
#:              r.size = :size AND v.sweep_name = :name AND m.sweep > 0 AND m.time_ns IS NOT NULL)
#:            SELECT dense_rank() OVER (ORDER BY at) - 1 AS at, dense_rank() OVER (ORDER BY sweep) -
#:              1 AS place, -(ratio - 1) AS tint, label, CASE WHEN ratio <= 1 THEN 'best' WHEN ratio
#:              < 9.95 THEN printf('%.2f×', ratio) ELSE human(ratio) || '×' END AS value_text FROM
#:              swept ORDER BY 1, 2

eval canvas(2)
eval rows(rungs)
eval columns_from
plot @cells, @names
