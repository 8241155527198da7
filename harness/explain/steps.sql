CREATE INDEX noise_key ON noise(@POINT_KEY);

CREATE TABLE steps AS
SELECT @POINT_KEY, after, speedup_prev, speedup_prev_low,
    speedup_prev_high, speedup_first, speedup_first_low, speedup_first_high,
    max(floor_pct, prev_floor_pct) AS floor_pct,
    CASE
        WHEN speedup_prev_low IS NULL OR floor_pct IS NULL OR prev_floor_pct IS NULL
            THEN 'not measured'
        WHEN speedup_prev_low > 1 + max(floor_pct, prev_floor_pct) / 100.0 THEN 'faster'
        WHEN speedup_prev_high < 1 - max(floor_pct, prev_floor_pct) / 100.0 THEN 'slower'
        ELSE 'no evidence'
    END AS evidence
FROM ladder WHERE after IS NOT NULL AND best = 1
ORDER BY family, CAST(size AS INTEGER), size, variant;

-- Per source and size the best published time of each rung, and the speed-ups from these times. The
-- share of the peak is that of bandwidth, which means nothing for a family of operations. `differs`
-- names what is not the same in the measurement: size (it was not measured), block, device.
CREATE TABLE published_steps AS
WITH best AS (
    SELECT family, variant, size, source, device, peak_gbs, min(time_ns) AS time_ns,
        effective_gbs, block
    FROM published GROUP BY family, variant, size, source),
stepped AS (
    SELECT b.*, (SELECT p.time_ns
            FROM steps_of s JOIN best p ON p.family = b.family AND p.variant = s.prev
                AND p.size = b.size AND p.source = b.source
            WHERE s.family = b.family AND s.variant = b.variant) AS prev_time_ns,
        (SELECT p.time_ns
            FROM steps_of s JOIN best p ON p.family = b.family AND p.variant = s.first
                AND p.size = b.size AND p.source = b.source
            WHERE s.family = b.family AND s.variant = b.variant) AS first_time_ns
    FROM best b)
SELECT t.family, t.variant, t.size, t.source, t.device, t.peak_gbs, t.effective_gbs,
    CASE WHEN f.rate = 'operations' THEN NULL ELSE 100.0 * t.effective_gbs / t.peak_gbs END
        AS pct_of_peak,
    t.prev_time_ns / t.time_ns AS published_speedup_prev,
    t.first_time_ns / t.time_ns AS published_speedup_first,
    m.speedup_prev AS measured_speedup_prev, m.speedup_first AS measured_speedup_first,
    t.block AS published_block, m.block_threads AS measured_block,
    trim(CASE WHEN m.family IS NULL THEN 'size ' ELSE '' END
        || CASE WHEN t.block > 0 AND m.block_threads <> t.block THEN 'block ' ELSE '' END
        || CASE WHEN instr((SELECT value FROM run WHERE key = 'device_name'), t.device) > 0 THEN ''
            ELSE 'device' END) AS differs
FROM stepped t LEFT JOIN families f USING (family) LEFT JOIN metrics m
    ON m.family = t.family AND m.variant = t.variant AND m.size = t.size AND m.best = 1
ORDER BY t.family, t.source, CAST(t.size AS INTEGER), t.size, t.variant;
