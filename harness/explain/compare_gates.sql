-- reads: compared
-- makes: counted_work counts
-- Equal machine code is as fast: such a point is not judged by its time. Of the others, the counts
-- that are the same each time a kernel runs are compared exactly.
UPDATE compared SET verdict = 'no evidence', direction = 0, is_news = 0,
    reason = 'the same machine code', reason_code = 'same_code'
WHERE machine_code = 'same' AND verdict IN ('slower', 'faster', 'tolerated', 'not measured');
CREATE TABLE counted_work AS
SELECT 1 AS run, @POINT_KEY, 'warp instructions' AS count, warp_instructions AS value FROM metrics_1
UNION ALL SELECT 1, @POINT_KEY, 'shared-memory wavefronts', shared_wavefronts FROM metrics_1
UNION ALL SELECT 1, @POINT_KEY, 'sectors', requested_sectors FROM metrics_1
UNION ALL SELECT 2, @POINT_KEY, 'warp instructions', warp_instructions FROM metrics_2
UNION ALL SELECT 2, @POINT_KEY, 'shared-memory wavefronts', shared_wavefronts FROM metrics_2
UNION ALL SELECT 2, @POINT_KEY, 'sectors', requested_sectors FROM metrics_2;
CREATE INDEX counted_work_key ON counted_work(run, family, variant, size, block, sweep);
CREATE TABLE counts AS
SELECT c.rowid AS point, group_concat(CASE WHEN a.value <> b.value THEN
    CASE WHEN a.value = 0 THEN printf('%s from 0 to %.0f', a.count, b.value)
    ELSE printf('%s %+.3g %%', a.count, 100 * (b.value / a.value - 1)) END END, ', ') AS changes
FROM compared c
    JOIN counted_work a ON a.run = 1 AND a.family = c.family AND a.variant = c.variant
        AND a.size = c.size AND a.block = c.block AND a.sweep = c.sweep_before
    JOIN counted_work b ON b.run = 2 AND b.count = a.count AND b.family = c.family
        AND b.variant = c.variant AND b.size = c.size AND b.block = c.block
        AND b.sweep = c.sweep_after
WHERE c.machine_code = 'changed' AND a.value IS NOT NULL AND b.value IS NOT NULL
GROUP BY c.rowid;
UPDATE compared SET
    reason = coalesce(reason || '; ', '') || (SELECT coalesce(changes, 'the same counts')
        FROM counts WHERE point = compared.rowid),
    is_news = is_news OR (SELECT changes IS NOT NULL FROM counts WHERE point = compared.rowid)
WHERE rowid IN (SELECT point FROM counts);
