#: title   Warp efficiency, :size_words
#: caption Branch efficiency: branch targets at which the whole warp went the same way. Warp
#:            execution efficiency: active threads per instruction, as a share of 32. Predicated-on
#:            threads: active threads with their predicate on. Read all three: code that the
#:            compiler predicates does not show as a branch.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS
#:              size_words,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant)
#:              WHERE p.family = m.family AND p.size = m.size AND v.kind <> 'cpu') AS rungs,
#:            coalesce('Branch efficiency ' || CASE WHEN min(branch_efficiency_pct) >= 99.95 THEN
#:              '100' WHEN min(branch_efficiency_pct) IS NOT NULL THEN printf('%.1f to %.1f',
#:              min(branch_efficiency_pct), max(branch_efficiency_pct)) END ||
#:              ' %; predicated-on threads ' || CASE WHEN min(predicated_on_pct) IS NOT NULL THEN
#:              printf('%.1f', min(predicated_on_pct)) END || ' to ' || CASE WHEN
#:              max(predicated_on_pct) IS NOT NULL THEN printf('%.1f', max(predicated_on_pct)) END
#:              || ' %', 'Not measured') AS message
#:            FROM metrics m WHERE best = 1 AND m.size = (SELECT w.size FROM metrics w WHERE
#:              w.family = m.family ORDER BY w.useful_bytes DESC, w.size LIMIT 1)
#:            GROUP BY m.family, m.size HAVING (rungs > 1 OR max(m.sweep) = 0) AND
#:              count(coalesce(branch_efficiency_pct, warp_execution_efficiency_pct,
#:              predicated_on_pct)) > 0
#:            ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, CASE v.kind WHEN
#:              'library' THEN 0 ELSE v.rung END AS rung,
#:            replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep,
#:              ''), ',', char(8218)) AS label,
#:            m.branch_efficiency_pct AS branch, m.warp_execution_efficiency_pct AS active,
#:              m.predicated_on_pct AS predicated,
#:            CASE WHEN m.branch_efficiency_pct IS NOT NULL THEN printf('%.1f',
#:              m.branch_efficiency_pct) END AS branch_text,
#:            CASE WHEN m.warp_execution_efficiency_pct IS NOT NULL THEN printf('%.1f',
#:              m.warp_execution_efficiency_pct) END AS active_text,
#:            CASE WHEN m.predicated_on_pct IS NOT NULL THEN printf('%.1f', m.predicated_on_pct) END
#:              AS predicated_text,
#:            CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size =
#:              p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant
#:            ORDER BY v.rung, v.variant

top = top + 24
bottom = 34
eval canvas(top + bottom + rungs * row)
far = 45
set xrange [0:100]
set xtics 50
set multiplot
which = 'branch'
edge = which
eval panel(0, 3, 'Branch', 'efficiency, %')
plot @bars, @names, @values, @absences
which = 'active'
edge = which
eval panel(1, 3, 'Warp execution', 'efficiency, %')
plot @bars, @values, @absences
which = 'predicated'
edge = which
eval panel(2, 3, 'Predicated-on', 'threads, %')
plot @bars, @values, @absences
unset multiplot
