-- reads: knockout_kinds knockouts metrics sides
-- makes: knocked_out measured unmeasured
-- What each knock-out saves a point, of the kernels that take all but a twentieth of its time.
-- Kernels that take longer one by one than together do not count: a launch finds what the one
-- before it left in the caches. A part was left alone unless is_whole. Of a cause that is_measured
-- there is all: flags that are polled are barriers, too, and stay. What a kernel lacks costs
-- it nothing; one of which nothing can be taken out was not timed. Shares are of the clean time.
CREATE TABLE IF NOT EXISTS knocked_out AS
SELECT @POINT_KEY_OF(k), k.knockout, n.cause, max(sum(coalesce(k.saved_ns, 0)), 0) AS saved_ns,
    max(sum(coalesce(k.low_ns, 0)), 0) AS low_ns, max(sum(coalesce(k.high_ns, 0)), 0) AS high_ns,
    100 * max(sum(coalesce(k.saved_ns, 0)), 0) / max(m.time_ns) AS share_pct,
    sum(k.left) = 0 AS is_whole, max(k.status = 'ok') AS is_cost, min(k.status = 'none') AS is_none,
    n.cause <> '' AND sum(k.left) = 0 AND NOT (n.cause LIKE 'barriers%' AND EXISTS (
        SELECT 1 FROM sides s WHERE (@POINT_KEY_OF(s)) = (@POINT_KEY_OF(k))
            AND s.name IN ('wait_polling', 'wait_at_grid') AND s.value > 0)) AS is_measured
FROM knockouts k JOIN knockout_kinds n USING (knockout) JOIN metrics m USING (@POINT_KEY)
    JOIN knockouts t ON (@POINT_KEY_OF(t), t.launch, t.symbol)
            = (@POINT_KEY_OF(k), k.launch, k.symbol)
        AND t.knockout = 'nothing' AND (t.time_ns IS NOT NULL OR t.status = 'none')
WHERE k.saved_ns IS NOT NULL OR k.status = 'none'
GROUP BY @POINT_KEY_OF(k), k.knockout
HAVING sum(t.time_ns) IS NULL
    OR sum(t.time_ns) BETWEEN 0.95 * max(m.time_ns) AND 1.05 * max(m.time_ns);

-- Why no cost of a point was measured, though that was tried.
CREATE TABLE IF NOT EXISTS unmeasured AS
SELECT @POINT_KEY_OF(k), CASE WHEN k.status LIKE 'absent: %' THEN substr(k.status, 9) ELSE
    printf('the launch whose copies were timed takes %s, but %s in the clean timing; its clock, '
        || 'caches or inputs differ',
        time_text(sum(k.time_ns)), time_text(max(m.time_ns))) END AS reason
FROM knockouts k JOIN metrics m USING (@POINT_KEY)
WHERE k.knockout = 'nothing' AND (@POINT_KEY_OF(k)) NOT IN (SELECT @POINT_KEY FROM knocked_out)
GROUP BY @POINT_KEY_OF(k);

-- In a kernel that lacks barriers or conflicts nothing is knocked out at once: the cost of both is
-- their sum.
UPDATE knocked_out SET (saved_ns, low_ns, high_ns, share_pct, is_measured) = (
    SELECT sum(s.saved_ns), sum(s.low_ns), sum(s.high_ns), sum(s.share_pct),
        knocked_out.is_measured AND count(*) = 2
    FROM knocked_out s WHERE (@POINT_KEY_OF(s)) = (@POINT_KEY_OF(knocked_out))
        AND s.is_measured AND s.cause IN ('barriers', 'bank_conflicts'))
WHERE cause = 'barriers_conflicts' AND NOT is_cost;

-- What each cause of the account costs a point.
CREATE TABLE IF NOT EXISTS measured AS
SELECT @POINT_KEY, cause, saved_ns, low_ns, high_ns, share_pct FROM knocked_out WHERE is_measured;
