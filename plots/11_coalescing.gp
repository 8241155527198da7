#: title   Sectors per load, :size_words
#: caption 32-byte sectors of global memory that one load of a warp touches, on average. The black
#:            mark is the ideal: the sectors that the requested bytes would fill. In brackets: bytes
#:            used as a share of those in the sectors touched. A swept rung is shown in its best
#:            setting.
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS
#:              size_words,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant)
#:              WHERE p.family = m.family AND p.size = m.size AND v.kind <> 'cpu') AS rungs,
#:            max(m.sectors_per_request) AS most,
#:            coalesce((SELECT 'Rung ' || v.rung || ' touches ' || round(w.sectors_per_request, 1)
#:              || ' sectors per load and uses ' || round(w.global_sector_use_pct, 1) ||
#:              ' % of their bytes' FROM metrics w JOIN variants v USING (family, variant) WHERE
#:              w.family = m.family AND w.size = m.size AND w.best = 1 ORDER BY
#:              w.global_sector_use_pct IS NULL, w.global_sector_use_pct LIMIT 1) || '; ' || (SELECT
#:              'rung ' || v.rung || ': ' || round(w.sectors_per_request, 1) || ' and ' ||
#:              round(w.global_sector_use_pct, 1) || ' %' || coalesce(', ' || human(round(o.time_ns
#:              / w.time_ns, 2)) || '× as fast', '') FROM metrics w JOIN variants v USING (family,
#:              variant) LEFT JOIN metrics o ON o.rowid = (SELECT x.rowid FROM metrics x WHERE
#:              x.family = m.family AND x.size = m.size AND x.best = 1 ORDER BY
#:              x.global_sector_use_pct IS NULL, x.global_sector_use_pct LIMIT 1) WHERE w.family =
#:              m.family AND w.size = m.size AND w.best = 1 ORDER BY w.global_sector_use_pct DESC,
#:              v.rung LIMIT 1), 'Not measured') AS message
#:            FROM metrics m WHERE best = 1 AND m.size = (SELECT w.size FROM metrics w WHERE
#:              w.family = m.family ORDER BY w.useful_bytes DESC, w.size LIMIT 1)
#:            GROUP BY m.family, m.size HAVING count(m.sectors_per_request) > 0 AND
#:              max(m.global_excess_sectors > 0.5 * m.global_load_sectors)
#:            ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, CASE v.kind WHEN
#:              'library' THEN 0 ELSE v.rung END AS rung,
#:            replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep,
#:              ''), ',', char(8218)) AS label,
#:            m.sectors_per_request AS value, m.global_load_bytes / 32.0 /
#:              nullif(m.global_load_instructions, 0) AS ideal,
#:            round(m.sectors_per_request, 1) || coalesce(' (' || round(m.global_sector_use_pct, 1)
#:              || ' % used)', '') AS value_text,
#:            CASE WHEN max(p.status = 'ok') THEN CASE m.global_load_instructions WHEN 0 THEN
#:              'no load' ELSE 'not measured' END ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size =
#:              p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant
#:            ORDER BY v.rung, v.variant

eval canvas(top + bottom + rungs * row)
right = most > 32 ? 1.02 * most : 32.6
far = 0.55 * right
slim = 0.004 * right
set xrange [0:right]
set xtics 4
set xlabel 'Sectors of 32 bytes per load of a warp'
legend_y = 1 - (70.0 + shift) / height
set label 11 '' at screen 22.0 / width, screen legend_y point pointtype 5 pointsize 1.1 linecolor \
    rgb neutral
set label 12 'touched (share of bytes used)' at screen 34.0 / width, \
    screen legend_y left font font.',13' textcolor rgb ink
set arrow 15 from screen 250.0 / width, screen legend_y - 8.0 / height to screen 250.0 / width, \
    screen legend_y + 8.0 / height nohead linewidth 2.5 linecolor rgb ink
set label 15 'ideal for the requested bytes' at screen 260.0 / width, \
    screen legend_y left font font.',13' textcolor rgb ink
plot @bars, data using (number('ideal')):(column('at')):(number('ideal') - slim):(number('ideal') \
    + slim):(column('at') - 0.44):(column('at') + 0.44) \
         with boxxyerror linecolor rgb ink notitle, \
     @names, @values, @absences
