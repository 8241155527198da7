#: title   :headline
#: caption The speed-up of each step at each size that was measured, over the rung before. Blue is
#:            faster, red slower, the stronger the more (by its logarithm); white: within the
#:            noise. Where a row changes its colour, advice depends on the size.
#: each    WITH step AS (SELECT s.family, s.variant, s.size, v.title, max(s.speedup_prev) AS gain,
#:              max(h.direction = 1) AS wins, max(h.direction = -1) AS loses FROM steps s JOIN said
#:              h USING (family, variant, size, block, sweep) JOIN variants v USING (family,
#:              variant) JOIN metrics m USING (family, variant, size, block, sweep) WHERE
#:              s.speedup_prev IS NOT NULL AND m.best = 1 AND h.place = 0 GROUP BY s.family,
#:              s.variant, s.size),
#:            turn AS (SELECT family, variant, title, max(wins) * max(loses) AS flips, max(gain) /
#:              min(gain) AS range FROM step GROUP BY family, variant),
#:            column_of AS (SELECT family, size, bytes FROM sizes WHERE (family, size) IN (SELECT
#:              family, size FROM step))
#:            SELECT t.family, count(*) AS rungs, (SELECT count(*) FROM column_of c WHERE c.family =
#:              t.family) AS places, (SELECT group_concat(words, '|') FROM (SELECT size_text(size)
#:              AS words FROM column_of c WHERE c.family = t.family ORDER BY bytes, size)) AS
#:              columns,
#:            CASE sum(flips) WHEN 0 THEN 'No step that helps at one size hurts at another' WHEN
#:              count(*) THEN CASE count(*) WHEN 2 THEN 'Both' ELSE 'All ' || count(*) END ||
#:              ' steps help at one size and hurt at another' ELSE sum(flips) || ' of ' || count(*)
#:              || CASE sum(flips) WHEN 1 THEN ' steps helps at one size and hurts at another: '
#:              ELSE ' steps help at one size and hurt at another: ' END || (SELECT '“' || o.title
#:              || '”' FROM turn o WHERE o.family = t.family AND o.flips ORDER BY o.range DESC LIMIT
#:              1) || CASE sum(flips) WHEN 1 THEN '' ELSE ' most' END END AS headline,
#:            'Speed-up of each step at each size; blue: faster, red: slower, white: within the '
#:              || 'noise. ' || coalesce(f.title, t.family) AS message
#:            FROM turn t LEFT JOIN families f USING (family) GROUP BY t.family HAVING places > 1
#:              AND count(*) > 1 ORDER BY t.family
#: data    WITH step AS (SELECT s.variant, s.size, s.speedup_prev AS gain, h.direction, v.rung,
#:              replace(v.rung || ' ' || v.title, ',', char(8218)) AS label FROM steps s JOIN said h
#:              USING (family, variant, size, block, sweep) JOIN variants v USING (family, variant)
#:              JOIN metrics m USING (family, variant, size, block, sweep) WHERE s.family = :family
#:              AND s.speedup_prev IS NOT NULL AND m.best = 1 AND h.place = 0 GROUP BY s.variant,
#:              s.size),
#:            column_of AS (SELECT size, row_number() OVER (ORDER BY bytes, size) - 1 AS place FROM
#:              sizes WHERE family = :family AND size IN (SELECT size FROM step))
#:            SELECT dense_rank() OVER (ORDER BY rung, variant) - 1 AS at, place, CASE direction
#:              WHEN 1 THEN 0.15 + ln(gain) / 2.3 WHEN -1 THEN ln(gain) / 1.1 - 0.15 END AS tint,
#:              label, ratio_text(gain) AS value_text FROM step JOIN column_of USING (size) ORDER BY
#:              at, place

bottom = no_tics
headroom = headings(1)
eval table(0, rungs)
eval columns_from
plot @cells, @names
