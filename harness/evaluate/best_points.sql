-- reads: common_settings families points timing
-- makes: known_points main_series best_series best_points
-- Which points are the best settings of their variants, by clean times alone.

-- Points with facts: those with a right result, and those of rungs that are expected to fail.
CREATE TABLE known_points AS
SELECT p.rowid AS point, p.trials > 0 AS is_tried,
    p.block = coalesce(f.usual_block, p.block) AS is_usual
FROM points p LEFT JOIN families f USING (family)
WHERE p.status = 'ok' OR p.trials > 0;
CREATE UNIQUE INDEX known_points_point ON known_points(point);

-- The series that time_ns is of. Rungs that are expected to fail have no time_ns, even if they were
-- timed.
CREATE TABLE main_series AS
SELECT p.rowid AS point, @POINT_KEY_OF(p), k.is_usual,
    t.rowid AS timing, t.median
FROM points p JOIN timing t ON t.point = p.rowid AND t.main = 1
LEFT JOIN known_points k ON k.point = p.rowid
WHERE k.is_tried IS NOT 1;
CREATE INDEX main_series_point ON main_series(point);

-- The best of the settings of a swept variant: the first one with the least time.
CREATE TABLE best_series AS
SELECT point, first_value(timing) OVER settings AS timing, min(median) OVER settings AS median
FROM main_series
WINDOW settings AS (PARTITION BY family, variant, size, block ORDER BY median, sweep
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
CREATE INDEX best_series_point ON best_series(point);

-- Of several block sizes, only the one that the run uses by default has a best setting: the others
-- are there for the published figures alone.
CREATE TABLE best_points AS
SELECT point FROM (
    SELECT point, row_number() OVER (PARTITION BY family, variant, size, block
        ORDER BY sweep <> coalesce(common, sweep), median, sweep) AS rank
    FROM main_series LEFT JOIN (SELECT family, size, sweep AS common FROM common_settings)
        USING (family, size)
    WHERE is_usual AND median IS NOT NULL)
WHERE rank = 1
UNION ALL
SELECT point FROM known_points WHERE is_tried AND is_usual;
