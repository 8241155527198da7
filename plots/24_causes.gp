#: title   :headline
#: caption The change of the time by each cause in each step, in µs: saved (−, blue) or lost (+,
#:            red); the colour is
#:            stronger the more it is of the step's own time. Grey: not significant, or its counter
#:            did not move. The last columns are the interaction of the causes with the part that
#:            the model does not explain, and the whole change of the time.
#: each    WITH moved AS (SELECT s.family, s.size, s.subject, s.variant, s.title, c.cause,
#:              coalesce(k.title, c.cause) AS words, c.saved_ns, c.status FROM chart_step s JOIN
#:              causes c ON c.family = s.family AND c.variant = s.variant AND c.size = s.size LEFT
#:              JOIN cause k USING (cause)),
#:            top AS (SELECT family, size, cause, words, row_number() OVER (PARTITION BY family,
#:              size ORDER BY max(abs(saved_ns)) DESC) AS place FROM moved WHERE status =
#:              'resolved' GROUP BY family, size, cause),
#:            best AS (SELECT *, row_number() OVER (PARTITION BY family, size ORDER BY saved_ns
#:              DESC)
#:              AS place FROM moved WHERE status = 'resolved')
#:            SELECT m.family, m.size, count(DISTINCT m.variant) AS rungs, (SELECT count(*) FROM top
#:              t WHERE t.family = m.family AND t.size = m.size AND t.place <= 7) + 2 AS places,
#:              (SELECT group_concat(words, '|') FROM (SELECT words FROM top t WHERE t.family =
#:              m.family AND t.size = m.size AND t.place <= 7 ORDER BY place)) ||
#:              '|not explained, other|all together' AS columns, (SELECT '|' || group_concat(cause,
#:              '|') || '|' FROM (SELECT cause FROM top t WHERE t.family = m.family AND t.size =
#:              m.size AND t.place <= 7 ORDER BY place)) AS chosen,
#:            (SELECT CASE WHEN b.saved_ns > 0 THEN 'The largest saving: ' ELSE
#:              'No cause saves time; the least loss: ' END || b.words || ' in ' || b.title || ', '
#:              ||
#:              human(abs(b.saved_ns) / 1e3) || ' µs' FROM best b WHERE b.family = m.family AND
#:              b.size = m.size AND b.place = 1) AS headline,
#:            'Change of the time by each cause, µs (− saved, + lost). ' || m.subject AS message
#:            FROM moved m GROUP BY m.family, m.size HAVING count(DISTINCT m.variant) > 1 AND
#:              headline IS NOT NULL ORDER BY m.family, m.size
#: data    WITH moved AS (SELECT s.variant, s.at, s.label, s.before_ns, s.time_ns, c.cause,
#:              c.saved_ns, c.status, instr(:chosen, '|' || c.cause || '|') AS spot FROM chart_step
#:              s JOIN causes c ON c.family = s.family AND c.variant = s.variant AND c.size = s.size
#:              WHERE s.family = :family AND s.size = :size),
#:            cell AS (SELECT at, label, before_ns, saved_ns, status, dense_rank() OVER (ORDER BY
#:              spot) - 1 AS place FROM moved WHERE spot > 0 UNION ALL SELECT at, label, before_ns,
#:              sum(saved_ns), 'no', CAST(:places AS INTEGER) - 2 FROM moved WHERE spot = 0 GROUP BY
#:              at UNION ALL SELECT s.at, s.label, s.before_ns, s.before_ns - s.time_ns, CASE
#:              s.evidence WHEN 'no evidence' THEN 'no' ELSE 'resolved' END, CAST(:places AS
#:              INTEGER)
#:              - 1 FROM chart_step s WHERE s.family = :family AND s.size = :size AND EXISTS (SELECT
#:              1 FROM moved m WHERE m.variant = s.variant))
#:            SELECT dense_rank() OVER (ORDER BY at) - 1 AS at, place, CASE WHEN status = 'resolved'
#:              AND abs(saved_ns) >= 0.5 THEN CASE WHEN saved_ns > 0 THEN 1 ELSE -1 END * (0.1 + 1.5
#:              * abs(saved_ns) / before_ns) END AS tint, label, CASE WHEN abs(saved_ns) < 5 OR
#:              abs(saved_ns) < 0.002 * before_ns THEN '·' ELSE CASE WHEN saved_ns > 0 THEN '−'
#:              ELSE '+' END || human(abs(saved_ns) / 1e3) END AS value_text FROM cell ORDER BY at,
#:              place

eval canvas(2)
eval rows(rungs)
eval columns_from
plot @cells, @names
