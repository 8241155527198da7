-- reads: asked pairs point side
-- makes: compared
CREATE TABLE compared AS
SELECT family, variant, size, block, sweep_1 AS sweep_before, sweep_2 AS sweep_after, '' AS verdict,
    time_2 / time_1 AS ratio, ratio_low(2 * pair + 1, 2 * pair) AS ratio_low,
    ratio_high(2 * pair + 1, 2 * pair) AS ratio_high, floor_pct, time_1 AS time_before_ns,
    time_2 AS time_after_ns, machine_code, NULL AS reason, NULL AS account, NULL AS direction,
    1 AS is_news, NULL AS reason_code
FROM pairs;
UPDATE compared SET
    verdict = CASE
        WHEN verdict(1 / ratio_high, 1 / ratio_low, floor_pct) = 'slower' AND verdict(
            1 / ratio_high, 1 / ratio_low, max(floor_pct, (SELECT threshold_pct FROM asked)))
            <> 'slower' THEN 'tolerated'
        ELSE verdict(1 / ratio_high, 1 / ratio_low, floor_pct) END,
    reason = CASE WHEN ratio_low IS NULL THEN 'fewer than six samples'
        WHEN floor_pct IS NULL THEN 'no noise floor' END,
    reason_code = CASE WHEN ratio_low IS NULL THEN 'few_samples'
        WHEN floor_pct IS NULL THEN 'no_floor' END;
-- As in said.csv: 1 is faster, -1 slower, 0 no evidence. That is no news.
UPDATE compared SET direction = CASE verdict WHEN 'faster' THEN 1 WHEN 'slower' THEN -1
    WHEN 'tolerated' THEN -1 WHEN 'no evidence' THEN 0 END, is_news = verdict <> 'no evidence';

-- A wrong result counts in any setting.
INSERT INTO compared
SELECT family, variant, size, block, sweep, sweep, 'failed now', NULL, NULL, NULL, NULL, a.time_ns,
    NULL, NULL, b.reason, NULL, -1, 1, 'wrong_result'
FROM point a JOIN point b USING (@POINT_KEY)
WHERE a.run = 1 AND b.run = 2 AND a.status = 'ok' AND b.status = 'failed'
    AND family || '/' || variant IN wanted AND size IN wanted_sizes;

-- Points of one run that are in no pair and did not fail, with their status in the other run.
INSERT INTO compared
SELECT s.family, s.variant, s.size, s.block, CASE s.run WHEN 1 THEN s.sweep END,
    CASE s.run WHEN 2 THEN s.sweep END, 'only in RUN' || s.run, NULL, NULL, NULL, NULL,
    CASE s.run WHEN 1 THEN s.time_ns END, CASE s.run WHEN 2 THEN s.time_ns END, NULL,
    o.status || coalesce(': ' || o.reason, ''), NULL, NULL, 0,
    CASE WHEN o.status = 'failed' THEN 'wrong_result' WHEN o.status IS NULL THEN 'missing'
        ELSE 'not_run' END
FROM side s LEFT JOIN point o ON o.family = s.family AND o.variant = s.variant AND o.size = s.size
    AND o.block = s.block AND o.sweep = s.sweep AND o.run = 3 - s.run
WHERE (s.run, s.family, s.variant, s.size, s.block, s.sweep) NOT IN (
        SELECT 1, family, variant, size, block, sweep_1 FROM pairs
        UNION ALL SELECT 2, family, variant, size, block, sweep_2 FROM pairs)
    AND (s.family, s.variant, s.size, s.block, s.sweep) NOT IN (
        SELECT family, variant, size, block, sweep_before FROM compared
        WHERE verdict = 'failed now');
