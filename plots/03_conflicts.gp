#: title   :headline
#: caption The cost of bank conflicts: the time that the kernel would save without them,
#:            measured or estimated. Wavefronts that a wide access needs anyway, and those of
#:            arbitration, are not conflicts. The first picture ranks all kernels of the run, the others show a
#:            ladder in its order, where more than one rung loses time to them.
#: each    WITH cost AS (SELECT r.family, r.size, r.subject, r.title, r.rung, r.kind,
#:              l.cost_ns AS ns, l.share_pct, l.is_small, l.has_copies AS of_both FROM chart_rung r JOIN conflicts l USING (family, size, variant)
#:              WHERE r.kind <> 'cpu' AND l.cost_ns IS NOT NULL),
#:            worst AS (SELECT *, row_number() OVER (ORDER BY of_both, ns DESC) AS place,
#:              row_number() OVER (PARTITION BY family, size ORDER BY of_both, ns DESC) AS here
#:              FROM cost WHERE ns > 0)
#:            SELECT NULL AS family, NULL AS size, 0 AS one, min(16, (SELECT count(*) FROM worst))
#:              AS rungs, (SELECT max(ns) / 1e3 FROM worst) AS most, 'Bank conflicts cost ' ||
#:              title || ' (' || family ||
#:              ') ' || time_text(ns) || ', the most of ' || (SELECT count(*) FROM cost) ||
#:              ' kernels' AS headline, 'Cost of bank conflicts in each kernel; ' || ((SELECT
#:              count(*) FROM cost) - (SELECT count(*) FROM worst WHERE NOT is_small)) ||
#:              ' lose little or nothing' || CASE WHEN (SELECT max(of_both AND NOT is_small) FROM (SELECT * FROM worst
#:              ORDER BY ns DESC LIMIT 16)) THEN
#:              '; * and pale: with copies from several cache lines' ELSE '' END AS message
#:              FROM worst WHERE place = 1 AND (SELECT
#:              count(DISTINCT family) FROM worst) > 1
#:            UNION ALL SELECT c.family, c.size, 1, (SELECT count(*) FROM chart_rung r WHERE
#:              r.family = c.family AND r.size = c.size AND r.kind <> 'cpu'), max(c.ns) / 1e3,
#:              'Bank conflicts cost ' || w.title || ' ' || round(w.share_pct, 1) ||
#:              ' % of its time, ' || time_text(w.ns), sum(c.ns = 0 OR c.is_small) ||
#:              ' of ' || count(*) || ' ' || noun || 's lose little or nothing' || CASE WHEN
#:              max(c.of_both AND NOT c.is_small) THEN '; * and pale: with copies from several cache lines. '
#:              ELSE '. ' END || c.subject FROM cost c
#:              JOIN worst w ON w.family = c.family AND w.size = c.size AND w.here = 1 JOIN
#:              chart_noun GROUP BY
#:              c.family, c.size HAVING sum(c.ns > 0 AND NOT c.is_small) > 1 ORDER BY one, family,
#:              size
#: data    WITH cost AS (SELECT r.*, l.cost_ns AS ns, l.share_pct, l.is_small, l.excess,
#:              l.has_copies AS of_both,
#:              row_number() OVER (ORDER BY l.cost_ns DESC, r.family, r.at) - 1 AS place FROM chart_rung r LEFT JOIN
#:              conflicts l USING (family, size, variant) WHERE r.kind <> 'cpu' AND (:one = '0' OR
#:              r.family = :family AND r.size = :size))
#:            SELECT CASE :one WHEN '0' THEN place ELSE at END AS at, CASE WHEN ns > 0 AND NOT
#:              is_small THEN ns / 1e3 END AS value, '' AS low, '' AS high, CASE :one WHEN '0' THEN
#:              family || '/' || label ELSE label END AS label, CASE WHEN ns > 0 AND NOT is_small
#:              THEN time_text(ns) || ' (' || round(share_pct, 1) || ' %)' || CASE WHEN
#:              of_both THEN ' *' ELSE '' END ELSE '' END AS
#:              value_text, CASE WHEN ns IS NULL THEN 'not known' WHEN ns > 0 OR excess > 0 THEN
#:              'little' ELSE 'none' END AS word FROM cost WHERE :one <> '0' OR place <
#:              CAST(:rungs AS INTEGER) ORDER BY 1

if (one eq '0') label_width = 500
eval table(0, rungs)
room = 1.38
eval axis(most)
set xlabel 'Cost of bank conflicts, µs (share of the time)'
cost_colour = group_colour('shared_memory')
shade = "(strstrt(strcol('value_text'), '*') ? light(cost_colour) : cost_colour)"
cost = bar('value', shade)
plot @cost, @names, @values, @absences
