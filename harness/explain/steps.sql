-- reads: families ladder metrics published published_here run steps_of
-- makes: steps published_steps
CREATE INDEX noise_key ON noise(@POINT_KEY);

CREATE TABLE steps AS
SELECT @POINT_KEY, after, speedup_prev, speedup_prev_low,
    speedup_prev_high, speedup_first, speedup_first_low, speedup_first_high,
    max(floor_pct, prev_floor_pct) AS floor_pct,
    verdict(speedup_prev_low, speedup_prev_high, max(floor_pct, prev_floor_pct)) AS evidence
FROM ladder WHERE after IS NOT NULL AND best = 1
ORDER BY family, CAST(size AS INTEGER), size, variant;

-- Per source and size the best published time of each rung, and the speed-ups from these times. The
-- share of the peak is that of bandwidth, which means nothing for a family of operations. `differs`
-- names what is not the same in the measurement: size (it was not measured), block, device. Further
-- rows of a source's table for the same rung are left out.
CREATE TABLE published_steps AS
WITH best AS (
    SELECT rowid AS published, family, variant, size, source, device, peak_gbs,
        min(time_ns) AS time_ns, effective_gbs, block
    FROM published WHERE row IS NULL GROUP BY family, variant, size, source),
stepped AS (
    SELECT b.*, s.prev, (SELECT p.time_ns FROM best p WHERE p.family = b.family
            AND p.variant = s.prev AND p.size = b.size AND p.source = b.source) AS prev_time_ns,
        s.first, (SELECT p.time_ns FROM best p WHERE p.family = b.family
            AND p.variant = s.first AND p.size = b.size AND p.source = b.source) AS first_time_ns
    FROM best b LEFT JOIN steps_of s USING (family, variant)),
measured AS (
    SELECT t.*, m.family IS NOT NULL AS is_measured, m.block_threads,
        CASE m.best WHEN 1 THEN m.speedup_prev ELSE (SELECT min(o.time_ns) FROM metrics o
            WHERE (o.family, o.variant, o.size, o.block) = (t.family, t.prev, t.size, m.block))
            / m.time_ns END AS speedup_prev,
        CASE m.best WHEN 1 THEN m.speedup_first ELSE (SELECT min(o.time_ns) FROM metrics o
            WHERE (o.family, o.variant, o.size, o.block) = (t.family, t.first, t.size, m.block))
            / m.time_ns END AS speedup_first
    FROM stepped t JOIN published_here h USING (published) LEFT JOIN metrics m ON m.rowid = h.here)
SELECT t.family, t.variant, t.size, t.source, t.device, t.peak_gbs, t.effective_gbs,
    CASE WHEN f.rate = 'operations' THEN NULL ELSE 100.0 * t.effective_gbs / t.peak_gbs END
        AS pct_of_peak,
    t.prev_time_ns / t.time_ns AS published_speedup_prev,
    t.first_time_ns / t.time_ns AS published_speedup_first,
    t.speedup_prev AS measured_speedup_prev, t.speedup_first AS measured_speedup_first,
    t.block AS published_block, t.block_threads AS measured_block,
    trim(CASE WHEN t.is_measured THEN '' ELSE 'size ' END
        || CASE WHEN t.block > 0 AND t.block_threads <> t.block THEN 'block ' ELSE '' END
        || CASE WHEN instr((SELECT value FROM run WHERE key = 'device_name'), t.device) > 0 THEN ''
            ELSE 'device' END) AS differs
FROM measured t LEFT JOIN families f USING (family)
ORDER BY t.family, t.source, CAST(t.size AS INTEGER), t.size, t.variant;
