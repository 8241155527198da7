-- reads: knockout_kinds knockouts points
-- makes: measured
-- What each cause of the account costs a point, measured by a knock-out of all that makes the cost:
-- nothing was left alone, and the point has one launch.
CREATE TABLE IF NOT EXISTS measured AS
SELECT @POINT_KEY_OF(k), n.cause, max(k.saved_ns, 0) AS saved_ns, max(k.low_ns, 0) AS low_ns,
    max(k.high_ns, 0) AS high_ns, 100 * max(k.saved_ns, 0) / k.time_ns AS share_pct
FROM knockouts k JOIN knockout_kinds n USING (knockout) JOIN points p USING (@POINT_KEY)
WHERE n.cause <> '' AND k.patched > 0 AND k.left = 0 AND k.saved_ns IS NOT NULL AND p.launches = 1;
