#: title   :headline
#: caption Sectors of 32 bytes that a load of a warp touches beyond those that its bytes would fill,
#:            on average; none is ideal for every width of access. In brackets: bytes used as a
#:              share
#:            of those in the sectors touched. A swept rung is shown in its best setting.
#: each    WITH load AS (SELECT r.*, m.sectors_per_request - m.global_load_bytes / 32.0 /
#:              nullif(m.global_load_instructions, 0) AS excess, m.global_sector_use_pct AS used
#:              FROM
#:              chart_rung r JOIN metrics m ON m.family = r.family AND m.variant = r.variant AND
#:              m.size = r.size AND m.best = 1 WHERE r.kind <> 'cpu'),
#:            worst AS (SELECT *, row_number() OVER (PARTITION BY family, size ORDER BY excess DESC)
#:              AS place FROM load WHERE excess IS NOT NULL)
#:            SELECT w.family, w.size, (SELECT count(*) FROM chart_rung r WHERE r.family = w.family
#:              AND r.size = w.size AND r.kind <> 'cpu') AS rungs, w.excess AS most,
#:              'A load of ' || w.title || ' touches ' || round(w.excess, 1) ||
#:              ' sectors too many and uses ' || CAST(round(w.used) AS INTEGER) || ' % of what it
#:              fetches' AS
#:              headline, 'Excess sectors per load; ' || (SELECT count(*) FROM load l WHERE l.family
#:              = w.family AND l.size = w.size AND l.excess < 0.5) || ' rungs have less than half a
#:              sector. '
#:              || w.subject AS message FROM worst w WHERE w.place = 1 AND w.excess > 2 ORDER BY
#:              w.family, w.size
#: data    SELECT r.at, r.kind, max(0, m.sectors_per_request - m.global_load_bytes / 32.0 /
#:              nullif(m.global_load_instructions, 0)) AS value, '' AS high, r.label,
#:              coalesce(round(max(0, m.sectors_per_request - m.global_load_bytes / 32.0 /
#:              nullif(m.global_load_instructions, 0)), 1) || coalesce(' (' ||
#:              CAST(round(m.global_sector_use_pct) AS INTEGER) || ' % used)', ''), '') AS
#:              value_text, CASE WHEN
#:              m.global_load_instructions = 0 THEN 'no load' ELSE r.word END AS word FROM
#:              chart_rung r LEFT JOIN metrics m ON m.family = r.family AND m.variant = r.variant
#:              AND
#:              m.size = r.size AND m.best = 1 WHERE r.family = :family AND r.size = :size AND
#:              r.kind
#:              <> 'cpu' ORDER BY r.at

eval canvas(0)
eval rows(rungs)
eval axis(0, most)
set xlabel 'Sectors of 32 bytes per load of a warp, beyond the ideal'
waste = bar('value', "group_colour('global_memory')")
plot @waste, @names, @values, @absences
