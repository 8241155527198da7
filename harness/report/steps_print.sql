-- reads: families metrics said sizes steps variants
-- makes:
-- The rungs of each ladder at one size, in their best settings: the time, the step from the rung
-- before it, or over another one that is named, its verdict and its main cause. The size is the
-- asked one, else the primary one.
WITH chosen AS (
    SELECT family, size, row_number() OVER (PARTITION BY family ORDER BY place) AS nth
    FROM sizes
    WHERE (:family IS NULL OR family = :family)
        AND (:asked IS NULL OR instr(:asked, ',' || size || ',') > 0)
        AND EXISTS (SELECT 1 FROM metrics m WHERE m.family = sizes.family AND m.size = sizes.size)),
best AS (
    SELECT family, variant, size, block, sweep, device, min(time_ns) AS time_ns
    FROM metrics JOIN chosen USING (family, size) WHERE best = 1 AND nth = 1
    GROUP BY family, variant)
SELECT b.family AS family, b.variant AS variant, b.size AS size, b.block AS block,
    b.sweep AS sweep, b.device AS device, b.time_ns AS time_ns, s.after AS after,
    s.speedup_prev AS speedup, h.status AS verdict, c.id AS cause, c.title AS title,
    c.saved_ns AS saved_ns, c.share_pct AS share_pct, h.sentence AS sentence, f.title AS ladder,
    ratio_text(s.speedup_prev) AS ratio,
    CASE WHEN s.after IS NOT NULL AND s.after IS NOT lag(b.variant) OVER ladder
        THEN 'over ' || substr(s.after, 1, instr(s.after || '_', '_') - 1) || ': ' ELSE '' END
        || coalesce(h.note, c.title || ', '
            || saved_among(c.saved_ns, max(abs(c.saved_ns)) OVER (PARTITION BY b.family))
            || coalesce(substr(c.main_moved, length(c.moved) + 1), '')) AS words
FROM best b JOIN families f USING (family)
    LEFT JOIN steps s USING (family, variant, size, block, sweep, device)
    LEFT JOIN said h USING (family, variant, size, block, sweep, device, after)
    LEFT JOIN said c ON (c.family, c.variant, c.size, c.block, c.after)
        = (h.family, h.variant, h.size, h.block, h.after) AND c.is_main
    JOIN variants v USING (family, variant)
WHERE coalesce(h.place, 0) = 0
WINDOW ladder AS (PARTITION BY b.family ORDER BY v.rung, b.variant)
ORDER BY b.family, v.rung, b.variant
