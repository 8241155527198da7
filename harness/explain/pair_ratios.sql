-- reads: library_points library_ratios steps
-- makes: pair_ratios
-- The pairs of a run whose ratio has an interval of its own, narrower than that of two times: the
-- steps of its ladders, and each rung with the library that it is compared with, both ways.
CREATE TABLE pair_ratios AS
WITH paired AS (
    SELECT @POINT_KEY_OF(r), r.library AS after, l.block AS after_block, r.ratio, r.low, r.high,
        r.floor_pct, 1 AS in_rounds
    FROM library_ratios r JOIN library_points l USING (family, size)
    WHERE r.variant <> r.library
    UNION ALL SELECT @POINT_KEY_OF(l), r.variant, r.block, 1 / r.ratio, 1 / r.high, 1 / r.low,
        r.floor_pct, 1
    FROM library_ratios r JOIN library_points l USING (family, size)
    WHERE r.variant <> r.library)
SELECT *, verdict(low, high, floor_pct) AS evidence FROM paired
UNION ALL SELECT @POINT_KEY_OF(s), s.after, s.block, s.speedup_prev, s.speedup_prev_low,
    s.speedup_prev_high, s.floor_pct, 0, s.evidence
FROM steps s WHERE NOT EXISTS (SELECT 1 FROM paired p
    WHERE (@POINT_KEY_OF(p), p.after) = (@POINT_KEY_OF(s), s.after));
CREATE INDEX pair_ratios_key ON pair_ratios(family, variant, size, after);
