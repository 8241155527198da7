#: title   Cost of the instructions, :size_words
#: caption Left: thread instruction slots spent on each operation that the problem needs. One slot
#:            does an operation, or two as a fused multiply-add; the rest are addresses, loops,
#:            comparisons, barriers and idle lanes. Right: instructions issued as a share of those
#:            that the schedulers could issue.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS
#:              size_words,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant)
#:              WHERE p.family = m.family AND p.size = m.size AND v.kind <> 'cpu') AS rungs,
#:            max(lane_slots_per_operation) AS most,
#:            coalesce('Issued lanes per useful operation: from ' ||
#:              human(max(lane_slots_per_operation)) || ' down to ' ||
#:              human(min(lane_slots_per_operation)), 'Not measured') AS message
#:            FROM metrics m WHERE best = 1 AND m.size = (SELECT w.size FROM metrics w WHERE
#:              w.family = m.family ORDER BY w.useful_bytes DESC, w.size LIMIT 1)
#:            GROUP BY m.family, m.size HAVING (rungs > 1 OR max(m.sweep) = 0) AND
#:              count(coalesce(lane_slots_per_operation, issue_slot_pct)) > 0
#:            ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, CASE v.kind WHEN
#:              'library' THEN 0 ELSE v.rung END AS rung,
#:            replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep,
#:              ''), ',', char(8218)) AS label,
#:            m.lane_slots_per_operation AS lanes, human(m.lane_slots_per_operation) AS lanes_text,
#:              m.issue_slot_pct AS slots,
#:            CASE WHEN m.issue_slot_pct IS NOT NULL THEN printf('%.1f', m.issue_slot_pct) END ||
#:              ' %' AS slots_text,
#:            CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size =
#:              p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant
#:            ORDER BY v.rung, v.variant

top = top + 24
bottom = 34
eval canvas(top + bottom + rungs * row)
set multiplot
which = 'lanes'
edge = which
right = most eq '' ? 1 : 1.02 * most
far = 0.6 * right
set xrange [0:right]
set xtics tics(2 * right)
eval panel(0, 2, 'Issued lanes per', 'useful operation')
plot @bars, @names, @values, @absences
which = 'slots'
edge = which
far = 60
set xrange [0:100]
set xtics 50
eval panel(1, 2, 'Issue slots used, %', 'share of all slots')
plot @bars, @values, @absences
unset multiplot
