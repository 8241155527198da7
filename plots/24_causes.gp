#: title   :headline
#: caption The change of the time by each cause in each step: saved (−, blue) or lost (+, red);
#:            the colour is stronger the more it is of the step's own time. Grey: not significant,
#:            or the sum of the other causes: none of them is the main cause of a step, and together
#:            they are at most a quarter of all the amounts of a significant step. A dot: too little
#:            to matter. The last column is the whole change of the time.
#: each    WITH moved AS (SELECT s.family, s.size, s.subject, s.variant, s.title, c.id,
#:              coalesce(k.title, c.id) AS words, c.saved_ns, abs(c.saved_ns) AS amount,
#:              c.direction, c.is_main, s.direction <> 0 AS is_sure
#:              FROM chart_step s JOIN said c ON c.family = s.family AND c.variant = s.variant AND
#:              c.size = s.size AND c.place > 0 AND c.id <> 'rest' LEFT JOIN cause k ON k.cause =
#:              c.id),
#:            named AS (SELECT *, row_number() OVER (PARTITION BY family, size ORDER BY is_main DESC,
#:              most DESC) AS pick FROM (SELECT family, size, id, max(is_main) AS is_main,
#:              max(amount) AS most FROM moved WHERE direction <> 0 GROUP BY family, size, id)),
#:            chosen AS (SELECT family, size, id, 0 AS is_other FROM named WHERE pick <= 6 OR
#:              is_main),
#:            needed AS (SELECT family, size, id, total(amount) OVER (PARTITION BY family, size,
#:              variant) AS whole, total(amount * coalesce(is_other, 1)) OVER (PARTITION BY family,
#:              size, variant ORDER BY coalesce(is_other, 1) DESC, amount, id) AS upto FROM moved
#:              LEFT
#:              JOIN chosen USING (family, size, id) WHERE is_sure),
#:            top AS (SELECT family, size, id, words, row_number() OVER (PARTITION BY family, size
#:              ORDER BY max(amount) DESC) AS place FROM moved WHERE (family, size, id) IN (SELECT
#:              family, size, id FROM chosen) OR (family, size, id) IN (SELECT family, size, id FROM
#:              needed WHERE upto > 0.25 * whole) GROUP BY family, size, id),
#:            best AS (SELECT *, row_number() OVER (PARTITION BY family, size ORDER BY saved_ns
#:              DESC) AS place FROM moved WHERE direction <> 0)
#:            SELECT m.family, m.size, count(DISTINCT m.variant) AS rungs, (SELECT count(*) FROM top
#:              t WHERE t.family = m.family AND t.size = m.size) + 2 AS places,
#:              (SELECT group_concat(words, '|') FROM (SELECT words FROM top t WHERE t.family =
#:              m.family AND t.size = m.size ORDER BY place)) || '|all others|all together' AS
#:              columns, (SELECT '|' || group_concat(id, '|') || '|' FROM (SELECT id FROM top t
#:              WHERE t.family = m.family AND t.size = m.size ORDER BY place)) AS chosen,
#:            (SELECT CASE WHEN b.saved_ns > 0 THEN 'The largest saving is that of ' ELSE
#:              'No cause saves time; the least loss is that of ' END || b.words || ' in ' ||
#:              b.title || ', ' || time_text(abs(b.saved_ns)) FROM best b WHERE b.family =
#:              m.family AND b.size = m.size AND b.place = 1) AS headline,
#:            'Change of the time by each cause, µs; blue: saved (−), red: lost (+), stronger: more
#:              '
#:              || 'of the step; grey: not significant, or others. ' || m.subject AS message
#:            FROM moved m GROUP BY m.family, m.size HAVING count(DISTINCT m.variant) > 1 AND
#:              headline IS NOT NULL ORDER BY m.family, m.size
#: data    WITH moved AS (SELECT s.variant, s.at, s.label, s.before_ns, s.time_ns, c.id, c.saved_ns,
#:              c.direction, c.is_small, instr(:chosen, '|' || c.id || '|') AS spot FROM chart_step
#:              s JOIN said c ON c.family = s.family AND c.variant = s.variant AND c.size = s.size
#:              AND c.place > 0 AND c.id <> 'rest' WHERE s.family = :family AND s.size = :size),
#:            cell AS (SELECT at, label, before_ns, saved_ns, direction, is_small, dense_rank() OVER
#:            (ORDER BY spot) - 1 AS place FROM moved WHERE spot > 0 UNION ALL SELECT at, label,
#:              before_ns, sum(saved_ns), 0, min(is_small), CAST(:places AS INTEGER) - 2 FROM moved
#:              WHERE spot = 0 GROUP BY at UNION ALL SELECT s.at, s.label, s.before_ns, s.before_ns
#:              - s.time_ns, s.direction, 0, CAST(:places AS INTEGER) - 1 FROM chart_step s WHERE
#:              s.family = :family AND s.size = :size AND EXISTS (SELECT 1 FROM moved m WHERE
#:              m.variant = s.variant))
#:            SELECT dense_rank() OVER (ORDER BY at) - 1 AS at, place, CASE WHEN direction <> 0
#:              THEN sign(saved_ns) * (0.1 + 1.5 * abs(saved_ns) / before_ns) END AS tint, label,
#:              CASE WHEN is_small THEN '·' ELSE coalesce(iif(saved_ns > 0, '−', '+') ||
#:              nullif(CASE WHEN us >= 999.95 THEN human(round(us)) WHEN us >= 99.995 THEN
#:              printf('%.1f', us) ELSE printf('%.2f', us) END, '0.00'), '·') END AS value_text
#:              FROM (SELECT *, abs(saved_ns) / 1e3 AS us FROM cell) ORDER BY at, place

right_margin = 14
bottom = no_tics
# Columns in which a word of a heading has no room are narrow, and their headings stand on end.
are_many = places > 10
most_for_labels = are_many ? 316 : 345
label_width = most_for_labels
heading_lines(i) = fold(raise(part(columns, i)), 24, 2)
headroom = are_many ? 190 : headings(1)
eval table(0, rungs)
eval columns_from
if (are_many) {
    text = '14'
    letters = int((label_width - 24) / (0.53 * text))
    do for [i = 1:places] {
        set label 100 + i heading_lines(i) at first i - 1 - 10.0 * breaks(heading_lines(i)) * \
            places / (width - label_width - right_margin), screen screen_y(top - 10) left rotate \
            by 90 font font.',15' textcolor rgb ink
    }
}
plot @cells, @names
