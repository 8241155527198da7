-- reads: knockout_kinds knockouts metrics
-- makes: measured
-- What each cause of the account costs a point, measured by knock-outs of all that makes the cost.
-- Nothing was left alone, and these kernels take all but a twentieth of the time of the point: a
-- point may have further launches, of the same kernels or of others. A kernel that has no bank
-- conflicts has none to knock out.
CREATE TABLE IF NOT EXISTS measured AS
SELECT @POINT_KEY_OF(k), n.cause, max(sum(coalesce(k.saved_ns, 0)), 0) AS saved_ns,
    max(sum(coalesce(k.low_ns, 0)), 0) AS low_ns, max(sum(coalesce(k.high_ns, 0)), 0) AS high_ns,
    100 * max(sum(coalesce(k.saved_ns, 0)), 0) / sum(t.time_ns) AS share_pct
FROM knockouts k JOIN knockout_kinds n USING (knockout) JOIN metrics m USING (@POINT_KEY)
    JOIN knockouts t ON (@POINT_KEY_OF(t), t.launch) = (@POINT_KEY_OF(k), k.launch)
        AND t.knockout = 'nothing' AND t.time_ns IS NOT NULL
WHERE n.cause <> '' AND (k.saved_ns IS NOT NULL
    OR (n.cause = 'bank_conflicts' AND k.status = 'none'))
GROUP BY @POINT_KEY_OF(k), n.cause
HAVING sum(k.left) = 0 AND sum(t.time_ns) >= 0.95 * max(m.time_ns);
