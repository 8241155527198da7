-- reads: metrics pair_ratios sides sizes variants
-- makes: steps pair_points pair_sizes
-- The rungs that are compared: of each family at its primary size those that were timed, in the
-- order of the ladder, as far as 32, because the pairs grow with the square. Those of a program are
-- its kernels with the most time. Times on the CPU have no causes.
CREATE TABLE pair_points AS
WITH timed AS (
    SELECT m.*, row_number() OVER (PARTITION BY m.family ORDER BY v.rung, m.variant) AS nth
    FROM metrics m JOIN sizes p USING (family, size) JOIN variants v USING (family, variant)
    WHERE p.place = 1 AND m.best = 1 AND m.time_ns IS NOT NULL AND v.kind <> 'cpu')
SELECT * FROM timed WHERE nth <= 32;
CREATE UNIQUE INDEX pair_points_key ON pair_points(family, variant);
CREATE INDEX metrics_key ON metrics(family, variant, size);
CREATE INDEX cause_lines_key ON cause_lines(family, variant, cause);

-- Each rung after each other one, at the primary size and the seven that follow it, as rows of
-- steps. The interval combines those of the two times where the run has none of the pair.
CREATE TABLE pair_sizes AS
WITH point AS (
    SELECT m.*, p.place FROM metrics m JOIN sizes p USING (family, size)
        JOIN (SELECT family, variant FROM pair_points) USING (family, variant)
    WHERE m.best = 1 AND m.time_ns IS NOT NULL AND p.place <= 8),
pair AS (
    SELECT @POINT_KEY_OF(a), a.place, b.variant AS after,
        iif(r.family IS NULL, b.time_ns / a.time_ns, r.ratio) AS speedup_prev,
        iif(r.family IS NULL, b.time_low_ns / a.time_high_ns, r.low) AS speedup_prev_low,
        iif(r.family IS NULL, b.time_high_ns / a.time_low_ns, r.high) AS speedup_prev_high,
        iif(r.family IS NULL, max(b.floor_pct, a.floor_pct), r.floor_pct) AS floor_pct
    FROM point a JOIN point b ON b.family = a.family AND b.size = a.size AND b.variant <> a.variant
        LEFT JOIN pair_ratios r ON (@POINT_KEY_OF(r)) = (@POINT_KEY_OF(a)) AND r.after = b.variant
            AND r.after_block = b.block)
SELECT @POINT_KEY, place, after, speedup_prev, speedup_prev_low, speedup_prev_high, floor_pct,
    verdict(speedup_prev_low, speedup_prev_high, floor_pct) AS evidence
FROM pair;
DELETE FROM sides WHERE (@POINT_KEY) NOT IN (SELECT @POINT_KEY FROM pair_sizes);
CREATE INDEX sides_key ON sides(@POINT_KEY);
DROP TABLE steps;
CREATE TABLE steps AS
SELECT @POINT_KEY, after, speedup_prev, speedup_prev_low, speedup_prev_high, floor_pct, evidence
FROM pair_sizes;
