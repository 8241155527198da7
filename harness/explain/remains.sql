-- The rungs that are built on a rung, directly or by others between them.
CREATE TABLE built_on AS
WITH RECURSIVE up(family, variant, base) AS (
    SELECT family, variant, after FROM variants WHERE after IS NOT NULL
    UNION SELECT u.family, u.variant, v.after FROM up u
    JOIN variants v ON v.family = u.family AND v.variant = u.base WHERE v.after IS NOT NULL)
SELECT * FROM up;
CREATE INDEX built_on_key ON built_on(family, base, variant);

-- The three largest causes for each point, and the next rung built on it that saved at least a
-- third of the estimate by the same cause.
CREATE TABLE brought AS
SELECT c.family, c.variant, c.size, c.block, v.rung, c.cause, c.saved_ns
FROM causes c JOIN variants v USING (family, variant)
WHERE c.status = 'resolved' AND c.saved_ns > 0;
CREATE INDEX brought_key ON brought(family, size, block, cause);

CREATE TABLE remains AS
WITH placed AS (
    SELECT *, row_number() OVER (PARTITION BY @POINT_KEY ORDER BY saved_ns DESC) AS place
    FROM spare WHERE share_pct >= 1),
later AS (
    SELECT p.rowid_of, b.variant AS later, b.saved_ns AS later_saved_ns,
        row_number() OVER (PARTITION BY p.rowid_of ORDER BY b.rung, b.variant) AS nth
    FROM (SELECT *, rowid AS rowid_of FROM spare) p
        JOIN brought b ON b.family = p.family AND b.size = p.size AND b.block = p.block
            AND b.cause = p.cause
        JOIN built_on u ON u.family = p.family AND u.base = p.variant AND u.variant = b.variant
    WHERE b.saved_ns >= p.saved_ns / 3)
SELECT @POINT_KEY_OF(p), p.place, p.cause, p.saved_ns, p.share_pct, l.later, l.later_saved_ns
FROM placed p JOIN spare s ON (@POINT_KEY_OF(s)) = (@POINT_KEY_OF(p)) AND s.cause = p.cause
    LEFT JOIN later l ON l.rowid_of = s.rowid AND l.nth = 1
WHERE p.place <= 3
ORDER BY p.family, CAST(p.size AS INTEGER), p.size, p.variant, p.block, p.place;
