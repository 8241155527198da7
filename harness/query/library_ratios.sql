-- reads: metrics variants
-- makes: library_points library_ratios
-- The speed of each point over that of the fastest library at its size: the only rule for it. Both
-- are timed in the same rounds, so that the ratio is the median of those within a round; that of
-- the library to itself is 1 in every round. `direction` is 1 if the point is faster, -1 if the
-- library is, 0 within the noise; `words` say it of a rung, `pct_text` in a table.
CREATE TABLE library_points AS
SELECT * FROM (SELECT m.*, row_number() OVER (PARTITION BY m.family, m.size
        ORDER BY m.time_ns, m.variant) AS place
    FROM metrics m JOIN variants v USING (family, variant)
    WHERE v.kind = 'library' AND m.best = 1 AND m.speedup_library = 1
        AND coalesce(m.speedup_library_low, 1) = 1 AND coalesce(m.speedup_library_high, 1) = 1)
WHERE place = 1;
CREATE TABLE library_ratios AS
WITH paired AS (
    SELECT @POINT_KEY_OF(m), l.variant AS library, m.speedup_library AS ratio,
        m.speedup_library_low AS low, m.speedup_library_high AS high,
        max(m.floor_pct, l.floor_pct) AS floor_pct,
        max(coalesce(m.floor_pct, 0), coalesce(l.floor_pct, 0)) AS known_floor_pct
    FROM metrics m JOIN library_points l USING (family, size)
    WHERE m.best = 1 AND m.speedup_library > 0),
judged AS (
    SELECT *, verdict(low, high, floor_pct) AS evidence,
        CASE verdict(coalesce(low, ratio), coalesce(high, ratio), known_floor_pct)
            WHEN 'faster' THEN 1 WHEN 'slower' THEN -1 ELSE 0 END AS direction
    FROM paired)
SELECT *, iif(direction, 'has ' || ratio_text(ratio) || ' the speed of', 'is as fast as') AS words,
    printf(iif(ratio < 0.005, '%.1g %%', '%.0f %%'), 100 * ratio) AS pct_text
FROM judged;
CREATE INDEX library_ratios_key ON library_ratios(family, size, variant);
