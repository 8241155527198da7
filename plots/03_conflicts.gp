#: title   :headline
#: caption The cost of bank conflicts: the time that the kernel would save without them. Dark:
#:            measured by a knock-out. Pale, with 'about': estimated. Line with ends: the 95 %
#:            interval of what was measured, the range of an estimate. Wavefronts that a wide access
#:            needs anyway, and those of arbitration, are not conflicts. The first picture ranks all
#:            kernels of the run by the low end, the others show a ladder in its order, where more
#:            than one rung loses time to them.
#: each    WITH cost AS (SELECT r.family, r.size, r.subject, r.title, l.cost_ns AS ns,
#:              l.cost_low_ns AS low_ns, l.cost_high_ns AS high_ns, l.share_pct, l.cost_ns > 0 AND
#:              NOT l.is_small AS is_worse, l.has_copies AS of_both, l.bound <> 'measured' AS
#:              is_estimate, row_number() OVER (ORDER BY l.cost_low_ns DESC) <= 16 AS is_ranked
#:              FROM chart_rung r JOIN conflicts l USING (family, size, variant) WHERE
#:              r.kind <> 'cpu' AND l.cost_ns IS NOT NULL),
#:            worst AS (SELECT *, printf('Bank conflicts cost %s ', title) AS cost_words,
#:              iif(is_estimate, 'about ', '') || time_text(ns) || iif(of_both, ' *', '') AS
#:              cost_text, row_number() OVER (ORDER BY low_ns DESC) AS place, row_number() OVER
#:              (PARTITION BY family, size ORDER BY low_ns DESC) AS here FROM cost WHERE is_worse),
#:            told AS (SELECT NULL AS family, NULL AS size, count(*) AS kernels, sum(is_worse) AS
#:              worse, max(high_ns) / 1e3 AS most, max(is_worse AND of_both AND is_ranked) AS
#:              has_both, max(is_worse AND is_estimate AND is_ranked) AS has_estimates, min(16,
#:              sum(is_worse)) AS rungs, 0 AS one FROM cost
#:            UNION ALL SELECT family, size, count(*), sum(is_worse), max(high_ns) / 1e3,
#:              max(is_worse AND of_both), max(is_worse AND is_estimate), (SELECT count(*) FROM
#:              chart_rung r WHERE r.family = c.family AND r.size = c.size AND r.kind <> 'cpu'), 1
#:              FROM cost c GROUP BY family, size)
#:            SELECT t.family, t.size, t.one, t.rungs, t.most, w.cost_words || CASE t.one WHEN 0
#:              THEN
#:              '(' || w.family || ') ' ELSE '' END || w.cost_text || CASE t.one WHEN 0 THEN iif(
#:              w.is_estimate OR NOT t.has_estimates, ', the most of ' || t.kernels || ' kernels',
#:              ', the most that was measured') ELSE ', ' || round(w.share_pct, 1) ||
#:              ' % of its time' END AS headline,
#:            CASE WHEN t.one = 0 THEN iif(t.rungs < t.worse, 'The ' || t.rungs || ' worst of ' ||
#:              t.worse || ' kernels', 'Kernels') || ' that lose time to bank conflicts; ' ||
#:              (t.kernels - t.worse) || ' others lose little or nothing' ELSE (t.kernels - t.worse)
#:              ||
#:              ' of ' || t.kernels || ' ' || noun || 's lose little or nothing' END || iif(
#:              t.has_estimates, '; pale: estimated', '') || iif(t.has_both,
#:              '; *: with copies from several cache lines', '') || iif(t.one, '. ' || w.subject,
#:              '')
#:              AS message FROM told t JOIN worst w ON iif(t.one, w.family = t.family AND w.size =
#:              t.size AND w.here = 1, w.place = 1) JOIN chart_noun WHERE iif(t.one, t.worse > 1,
#:              (SELECT count(DISTINCT family) FROM worst) > 1) ORDER BY t.one, t.family, t.size
#: data    WITH cost AS (SELECT r.*, l.cost_ns / 1e3 AS us, l.cost_low_ns / 1e3 AS low,
#:              l.cost_high_ns
#:              / 1e3 AS high, l.share_pct, l.excess, l.has_copies, l.cost_ns > 0 AND NOT l.is_small
#:              AS is_worse, l.bound <> 'measured' AS is_estimate, row_number() OVER (ORDER BY
#:              l.cost_low_ns DESC, r.family, r.at) - 1 AS place FROM chart_rung r LEFT JOIN
#:              conflicts l USING (family, size, variant) WHERE r.kind <> 'cpu' AND (:one = '0' OR
#:              r.family = :family AND r.size = :size))
#:            SELECT CASE :one WHEN '0' THEN place ELSE at END AS at, iif(is_worse, us, '') AS
#:              value,
#:              iif(is_worse, low, '') AS low, iif(is_worse, high, '') AS high, iif(is_worse,
#:              is_estimate, 0) AS estimated, CASE :one WHEN '0' THEN family || '/' || label ELSE
#:              label END AS label, iif(is_worse, iif(is_estimate, 'about ', '') || time_text(1e3 *
#:              us)
#:              || ' (' || round(share_pct, 1) || ' %)' || iif(has_copies, ' *', ''), '') AS
#:              value_text, CASE WHEN us IS NULL THEN 'not known' WHEN us > 0 OR excess > 0 THEN
#:              'little' ELSE 'none' END AS word FROM cost WHERE :one <> '0' OR place <
#:              CAST(:rungs AS INTEGER) ORDER BY 1

if (one eq '0') label_width = 500
eval table(0, rungs)
room = 1.38
eval axis(most)
set xlabel 'Cost of bank conflicts, µs (share of the time)'
cost_colour = group_colour('shared_memory')
shade = "(column('estimated') > 0 ? light(cost_colour) : cost_colour)"
cost = bar('value', shade)
plot @cost, @intervals, @names, @values, @absences
