#: title   :headline
#: caption Sectors of 32 bytes that a load of a warp touches beyond those that its bytes would fill,
#:            on average; none is ideal for every width of access. In brackets: bytes used as a
#:            share of those in the sectors touched. Rungs whose loads touch none too many are left
#:            out, as are those that copy by TMA or asynchronously; a swept rung is shown in its
#:            best setting.
#: each    WITH load AS (SELECT r.*, m.sectors_per_request - m.global_load_bytes / 32.0 /
#:              nullif(m.global_load_instructions, 0) AS excess, m.global_sector_use_pct AS used
#:              FROM chart_rung r JOIN metrics m ON m.family = r.family AND m.variant = r.variant
#:              AND m.size = r.size AND m.best = 1 WHERE r.kind <> 'cpu'),
#:            worst AS (SELECT *, row_number() OVER (PARTITION BY family, size ORDER BY excess DESC)
#:              AS place, count(*) OVER (PARTITION BY family, size) AS loading, sum(excess >= least)
#:              OVER (PARTITION BY family, size) AS wasting FROM load, (SELECT 0.05 AS least) WHERE
#:              excess IS NOT NULL)
#:            SELECT w.family, w.size, w.wasting AS rungs, w.excess AS most, w.least,
#:              w.title || ' uses ' || CAST(round(w.used) AS INTEGER) || ' % of what it loads: '
#:              || round(w.excess, 1) || ' sectors too many per load' AS headline,
#:              'Excess sectors per load' || CASE w.loading - w.wasting WHEN 0 THEN '' WHEN 1 THEN
#:              '; the other ' || noun || ' that loads has none' ELSE '; the ' || (w.loading -
#:              w.wasting) || ' other ' || noun || 's that load have none' END || '. ' || w.subject
#:              AS message FROM worst w JOIN chart_noun WHERE w.place = 1 AND w.excess > 2 AND w.loading > 1 ORDER BY w.family,
#:              w.size
#: data    WITH load AS (SELECT r.at, r.label, max(0, m.sectors_per_request - m.global_load_bytes /
#:              32.0 / m.global_load_instructions) AS excess, m.global_sector_use_pct AS used FROM
#:              chart_rung r JOIN metrics m ON m.family = r.family AND m.variant = r.variant AND
#:              m.size = r.size AND m.best = 1 WHERE r.family = :family AND r.size = :size AND
#:              r.kind <> 'cpu' AND m.global_load_instructions > 0 AND m.sectors_per_request -
#:              m.global_load_bytes / 32.0 / m.global_load_instructions >= CAST(:least AS REAL))
#:            SELECT row_number() OVER (ORDER BY at) - 1 AS at, excess AS value, '' AS high, label,
#:              round(excess, 1) || coalesce(' (' || CAST(round(used) AS INTEGER) || ' % used)', '')
#:              AS value_text, '-' AS word FROM load ORDER BY at

eval table(0, rungs)
eval axis(most)
set xlabel 'Sectors of 32 bytes per load of a warp, beyond the ideal'
shade = "group_colour('global_memory')"
waste = bar('value', shade)
plot @waste, @names, @values, @absences
