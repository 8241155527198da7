-- The rungs of each ladder at one size, in their best settings: the time, the step from the rung
-- before, its evidence and the significant cause that made most of it. The size is the asked one,
-- else that at which instructions were counted, else that with the most useful bytes.
WITH sizes AS (
    SELECT family, size, max(coalesce(size = lines_size, 0) * 1e30 + coalesce(useful_bytes, 0))
        AS rank
    FROM metrics JOIN families USING (family)
    WHERE (:family IS NULL OR family = :family)
        AND (:asked IS NULL OR instr(:asked, ',' || size || ',') > 0)
    GROUP BY family),
best AS (
    SELECT family, variant, size, block, sweep, device, min(time_ns) AS time_ns
    FROM metrics JOIN sizes USING (family, size) WHERE best = 1 GROUP BY family, variant),
main AS (
    SELECT c.family, c.variant, c.size, c.block,
        k.title || CASE WHEN c.detail IS NULL THEN coalesce(' (mostly ' || (SELECT x.title
                FROM details d JOIN cause x ON x.cause = d.detail
                WHERE (d.family, d.variant, d.size, d.block, d.cause)
                    = (c.family, c.variant, c.size, c.block, c.cause)
                ORDER BY abs(d.saved_ns) DESC LIMIT 1) || ')', '') ELSE '' END AS title,
        max(c.share_pct) AS share_pct
    FROM causes c JOIN cause k ON k.cause = coalesce(c.detail, c.cause)
    WHERE c.status = 'resolved' AND c.share_pct > 0
    GROUP BY c.family, c.variant, c.size, c.block)
SELECT b.family AS family, b.variant AS variant, b.size AS size, b.block AS block,
    b.sweep AS sweep, b.device AS device, b.time_ns AS time_ns, s.after AS after,
    s.speedup_prev AS speedup_prev, s.evidence AS evidence, m.title AS main_cause,
    m.share_pct AS share_pct, h.headline AS headline, f.title AS ladder
FROM best b JOIN families f USING (family)
    LEFT JOIN steps s USING (family, variant, size, block, sweep, device)
    LEFT JOIN headlines h USING (family, variant, size, block, sweep, device)
    LEFT JOIN main m USING (family, variant, size, block)
    LEFT JOIN (SELECT family, variant, rung FROM variants) v USING (family, variant)
ORDER BY b.family, v.rung, b.variant
