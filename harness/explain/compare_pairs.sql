-- reads: asked
-- makes: point side pairs
-- The points of both runs, the points to compare, of each variant in its best setting or in all,
-- and those that both runs measured. The series of a pair are 2 pair and 2 pair + 1.
CREATE TABLE point AS
SELECT 1 AS run, @POINT_KEY, status, p.reason, time_ns, floor_pct, best,
    sass_hash AS hash, kind, m.rowid IS NOT NULL AS evaluated
FROM points_1 p JOIN variants_1 USING (family, variant)
    LEFT JOIN metrics_1 m USING (@POINT_KEY)
UNION ALL
SELECT 2, @POINT_KEY, status, p.reason, time_ns, floor_pct, best,
    sass_hash, kind, m.rowid IS NOT NULL
FROM points_2 p JOIN variants_2 USING (family, variant)
    LEFT JOIN metrics_2 m USING (@POINT_KEY);
CREATE INDEX point_key ON point(@POINT_KEY);

-- SQLite takes the other columns from the row with the maximum.
CREATE TABLE side AS
SELECT run, @POINT_KEY, time_ns, floor_pct, hash,
    kind, max(coalesce(best, 0)) AS best
FROM point, asked
WHERE status = 'ok' AND evaluated AND family || '/' || variant IN wanted AND size IN wanted_sizes
GROUP BY run, family, variant, size, block, CASE WHEN all_settings THEN sweep END;
CREATE INDEX side_key ON side(family, variant, size, block);
CREATE TABLE pairs AS
SELECT row_number() OVER () - 1 AS pair, family, variant, size, block, a.sweep AS sweep_1,
    b.sweep AS sweep_2, a.kind AS kind_1, b.kind AS kind_2,
    a.time_ns AS time_1, b.time_ns AS time_2,
    max(a.floor_pct, b.floor_pct) AS floor_pct,
    CASE WHEN a.hash = b.hash THEN 'same' WHEN a.hash <> b.hash THEN 'changed' END AS machine_code
FROM asked, side a JOIN side b USING (family, variant, size, block)
WHERE a.run = 1 AND b.run = 2 AND (NOT all_settings OR a.sweep = b.sweep);
CREATE INDEX pairs_1 ON pairs(family, variant, size, block, sweep_1);
CREATE INDEX pairs_2 ON pairs(family, variant, size, block, sweep_2);
