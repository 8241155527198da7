-- reads: demands library_ratios metrics points remains variants
-- makes: map_points map_fastest map_limiters map_sizes shape_map
-- Of each family with a library, at every size: the fastest rung's time over that of the fastest
-- library, among the points whose result must be as accurate as the family asks. The limiter is
-- the resource with the largest demand; without the counters for a ranking, the launch if an empty
-- kernel takes half of the time.
CREATE TABLE map_points AS
SELECT @POINT_KEY_OF(p), v.kind, v.rung, p.status, p.reason, p.choice, m.time_ns,
    p.error_bound IS min(p.error_bound) OVER (PARTITION BY p.family, p.size) AS is_accurate
FROM points p JOIN variants v USING (family, variant)
    LEFT JOIN metrics m ON (@POINT_KEY_OF(m)) = (@POINT_KEY_OF(p)) AND m.best = 1
WHERE v.kind IN ('kernel', 'library') AND v.fails IS NULL AND p.family IN (
    SELECT o.family FROM points o JOIN variants USING (family, variant) WHERE kind = 'library');
CREATE TABLE map_fastest AS
SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY family, size, kind
        ORDER BY time_ns, variant, block, sweep, device) AS place
    FROM map_points WHERE is_accurate AND time_ns IS NOT NULL)
WHERE place = 1;
CREATE INDEX map_points_key ON map_points(family, size, kind);
CREATE INDEX map_fastest_key ON map_fastest(family, size, kind);

-- Resources of one unit share a rank: the largest of them names it.
CREATE TABLE map_limiters AS
SELECT @POINT_KEY, resource, sum(pct) AS pct, max(ns) FROM demands
WHERE rank = 1 OR rank IS NULL AND resource = 'launch' AND pct >= 50 GROUP BY @POINT_KEY;
CREATE INDEX map_limiters_key ON map_limiters(@POINT_KEY);
CREATE INDEX remains_point ON remains(@POINT_KEY);

-- n of one dimension, rows and columns of two, M, N and K of three.
CREATE TABLE map_sizes AS
WITH size AS (SELECT DISTINCT family, size FROM map_points),
tail AS (
    SELECT *, CASE WHEN instr(size, 'x') THEN substr(size, instr(size, 'x') + 1) END AS rest
    FROM size)
SELECT family, size, CASE WHEN rest IS NOT NULL THEN CAST(size AS INTEGER) END AS m,
    CAST(coalesce(rest, size) AS INTEGER) AS n,
    CASE WHEN instr(rest, 'x') THEN CAST(substr(rest, instr(rest, 'x') + 1) AS INTEGER) END AS k
FROM tail;

CREATE TABLE shape_map AS
SELECT s.family, s.size, s.m, s.n, s.k, o.variant, o.block, o.sweep, o.device, o.choice,
    l.variant AS library, o.time_ns, l.time_ns AS library_time_ns,
    1 / y.ratio AS ratio, 1 / y.high AS low, 1 / y.low AS high,
    d.resource AS limiter, d.pct AS limiter_pct, r.cause AS remains, r.share_pct AS remains_pct,
    CASE
        WHEN y.ratio IS NOT NULL AND l.time_ns IS NOT NULL THEN 'ok'
        ELSE 'absent: ' || coalesce((SELECT CASE WHEN reason <> '' THEN reason ELSE status END
                FROM map_points p WHERE p.family = s.family AND p.size = s.size AND
                    p.status <> 'ok' AND p.kind = CASE WHEN o.variant IS NULL THEN 'kernel' ELSE
                        'library' END ORDER BY p.rung DESC, p.sweep LIMIT 1),
            CASE WHEN o.variant IS NULL THEN 'no rung was timed'
                WHEN l.variant IS NULL THEN 'no library was timed'
                ELSE 'they have no round in common' END) END AS status,
    y.direction
FROM map_sizes s
    LEFT JOIN map_fastest o ON o.family = s.family AND o.size = s.size AND o.kind = 'kernel'
    LEFT JOIN map_fastest l ON l.family = s.family AND l.size = s.size AND l.kind = 'library'
    LEFT JOIN library_ratios y ON (@POINT_KEY_OF(y)) = (@POINT_KEY_OF(o))
    LEFT JOIN map_limiters d ON (@POINT_KEY_OF(d)) = (@POINT_KEY_OF(o))
    LEFT JOIN remains r ON (@POINT_KEY_OF(r)) = (@POINT_KEY_OF(o)) AND r.place = 1
ORDER BY s.family, s.k, s.m, s.n;
