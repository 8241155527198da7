-- reads: compared device_fact resource_unit
-- makes: device_rate device_line busy limiter gains ratio_pieces
-- Why a variant is faster on one of two devices, and why not: the resource that limits it on each
-- (demands.csv), how many times faster that resource is on the second, and what the kernel does
-- more or less of there. From metrics_N, demands_N and device_fact.

-- The rates of the devices. The clock is the highest that a point had.
CREATE TABLE device_rate AS
SELECT 1 AS run, max(ceiling_read_gbs) AS dram, max(ceiling_l2_read_gbs) AS l2,
    max(ceiling_launch_ns) AS launch_ns, max(ceiling_memory_latency_ns) AS latency_ns,
    max(ceiling_fma_tflops) AS fma, max(sm_clock_mhz) AS clock, max(sm_count) AS sms FROM metrics_1
UNION ALL
SELECT 2, max(ceiling_read_gbs), max(ceiling_l2_read_gbs), max(ceiling_launch_ns),
    max(ceiling_memory_latency_ns), max(ceiling_fma_tflops), max(sm_clock_mhz), max(sm_count)
FROM metrics_2;
CREATE TABLE device_line AS
SELECT 1 AS place, 'DRAM read' AS title, 'GB/s' AS unit, a.dram AS before, b.dram AS after
FROM device_rate a JOIN device_rate b WHERE a.run = 1 AND b.run = 2
UNION ALL SELECT 2, 'L2 read', 'GB/s', a.l2, b.l2
FROM device_rate a JOIN device_rate b WHERE a.run = 1 AND b.run = 2
UNION ALL SELECT 3, 'L2 size', 'MB', (SELECT value / 1e6 FROM device_fact WHERE run = 1
        AND key = 'device_l2_bytes'), (SELECT value / 1e6 FROM device_fact WHERE run = 2
        AND key = 'device_l2_bytes')
UNION ALL SELECT 4, 'FP32', 'TFLOP/s', a.fma, b.fma
FROM device_rate a JOIN device_rate b WHERE a.run = 1 AND b.run = 2
UNION ALL SELECT 5, 'SMs', '', a.sms, b.sms
FROM device_rate a JOIN device_rate b WHERE a.run = 1 AND b.run = 2
UNION ALL SELECT 6, 'SM clock', 'MHz', a.clock, b.clock
FROM device_rate a JOIN device_rate b WHERE a.run = 1 AND b.run = 2
UNION ALL SELECT 7, 'load from DRAM', 'ns', a.latency_ns, b.latency_ns
FROM device_rate a JOIN device_rate b WHERE a.run = 1 AND b.run = 2;

-- How busy each resource is, in per cent of the time of the point.
CREATE TABLE busy AS
SELECT run, family, variant, size, block, sweep, unit AS part, min(article || title) AS title,
    sum(pct) AS pct
FROM (SELECT 1 AS run, @POINT_KEY, resource, pct FROM demands_1
    UNION ALL SELECT 2, @POINT_KEY, resource, pct FROM demands_2)
JOIN resource_unit USING (resource) GROUP BY run, family, variant, size, block, sweep, unit;
CREATE INDEX busy_key ON busy(run, family, variant, size, block, sweep);

-- SQLite takes the other columns from the row with the maximum.
CREATE TABLE limiter AS
SELECT run, family, variant, size, block, sweep, part, title, max(pct) AS pct
FROM busy GROUP BY run, family, variant, size, block, sweep;
CREATE INDEX limiter_key ON limiter(run, family, variant, size, block, sweep);

-- Of each compared point: the measured gain, how many times faster its limiter is on the second
-- device, and the figures that show it.
CREATE TABLE gains AS
SELECT c.rowid AS row, c.family, c.variant, c.size, c.block, c.sweep_before AS sweep, c.verdict,
    1 / c.ratio AS gain, iif(abs(c.ratio - 1) < 0.05, 3, 2) AS decimals,
    l.part, l.title, l.pct, o.part AS part_2, o.title AS title_2,
    o.pct AS pct_2, m.sm_clock_mhz AS clock_1, n.sm_clock_mhz AS clock_2, a.sms AS sms_1,
    b.sms AS sms_2, a.dram AS dram_1, b.dram AS dram_2, a.l2 AS l2_1, b.l2 AS l2_2,
    a.launch_ns AS launch_1, b.launch_ns AS launch_2,
    a.latency_ns AS latency_1, b.latency_ns AS latency_2,
    CASE l.part WHEN 'dram' THEN b.dram / a.dram WHEN 'l2' THEN b.l2 / a.l2
        WHEN 'launch' THEN a.launch_ns / b.launch_ns
        ELSE n.sm_clock_mhz * b.sms / (m.sm_clock_mhz * a.sms) END AS rate,
    n.dram_bytes / m.dram_bytes AS bytes, n.warp_instructions / m.warp_instructions AS instructions,
    n.dram_bytes / n.useful_bytes > 0.1 AS uses_dram
FROM compared c
    JOIN metrics_1 m ON m.family = c.family AND m.variant = c.variant AND m.size = c.size
        AND m.block = c.block AND m.sweep = c.sweep_before
    JOIN metrics_2 n ON n.family = c.family AND n.variant = c.variant AND n.size = c.size
        AND n.block = c.block AND n.sweep = c.sweep_after
    JOIN device_rate a ON a.run = 1 JOIN device_rate b ON b.run = 2
    LEFT JOIN limiter l ON l.run = 1 AND l.family = c.family AND l.variant = c.variant
        AND l.size = c.size AND l.block = c.block AND l.sweep = c.sweep_before
    LEFT JOIN limiter o ON o.run = 2 AND o.family = c.family AND o.variant = c.variant
        AND o.size = c.size AND o.block = c.block AND o.sweep = c.sweep_after
WHERE c.ratio IS NOT NULL;

-- The pieces of the sentence. A ratio near 1 has a third decimal.
-- A resource is said to limit a kernel if it is busy half of the time on both devices.
CREATE TABLE ratio_pieces AS
SELECT row, CASE WHEN verdict IN ('no evidence', 'not measured')
            THEN 'There is no evidence that it takes another time: '
        WHEN gain >= 1 THEN printf('It is %.*f times as fast: ', decimals, gain)
        ELSE printf('It takes %.*f times as long: ', decimals, 1 / gain) END
    || CASE WHEN part IS NULL OR part_2 IS NULL
            THEN 'the runs do not say what limits it; their counters are absent'
        WHEN round(pct) < 50 AND round(pct_2) < 50
            THEN printf('no resource is busy half of the time on either '
            || 'device (%s %.0f %% and %.0f %%); it waits', title, pct, coalesce((
                SELECT o.pct FROM busy o WHERE o.run = 2 AND o.family = gains.family
                AND o.variant = gains.variant AND o.size = gains.size AND o.block = gains.block
                AND o.sweep = gains.sweep AND o.part = gains.part), pct_2))
            || CASE WHEN latency_1 + latency_2 > 0 THEN printf(
                ', and a load from DRAM takes %.0f ns instead of %.0f ns', latency_2, latency_1)
                ELSE '' END
        ELSE printf('%s %s ', title,
            iif(min(round(pct), round(pct_2)) < 50, 'is the busiest resource', 'limits it'))
            || CASE WHEN part = part_2 THEN printf('on both devices (%.0f %% and %.0f %% of the '
                || 'time)', pct, pct_2)
            ELSE printf('on the first device (%.0f %% of the time), %s on the second (%.0f %%)',
                pct, title_2, pct_2) END END AS limits,
    CASE WHEN part IS NULL OR part_2 IS NULL OR rate IS NULL THEN ''
        WHEN part = 'dram' THEN printf(', and DRAM is %.2f times as fast (%.0f to %.0f GB/s)', rate,
            dram_1, dram_2)
        WHEN part = 'l2' THEN printf(', and the L2 cache is %.2f times as fast (%.0f to %.0f GB/s)',
            rate, l2_1, l2_2)
        WHEN part = 'launch' THEN printf(', and a launch takes %.0f ns instead of %.0f ns',
            launch_2, launch_1)
        WHEN abs(rate - 1) < 0.005 THEN printf(', and the SMs are equally fast (%d at %.0f MHz)',
            sms_2, clock_2)
        ELSE printf(', and the SMs together are %.3f times as fast (%d at %.0f MHz, then %d at '
            || '%.0f MHz)', rate, sms_1, clock_1, sms_2, clock_2) END AS rates,
    CASE WHEN uses_dram AND abs(bytes - 1) > 0.05
            THEN printf(' It moves %.2f times the bytes to and from DRAM%s.', bytes,
                coalesce((SELECT printf(' (L2 cache of %.0f, then %.0f MB)', before, after)
                    FROM device_line WHERE title = 'L2 size' AND before <> after), ''))
        ELSE '' END
    || CASE WHEN abs(instructions - 1) > 0.02
            THEN printf(' It executes %.2f times the instructions.', instructions) ELSE '' END
        AS counts,
    -- What is faster on the second device, and little used.
    CASE WHEN part NOT IN ('dram') AND dram_2 / dram_1 > 1.05 THEN (
            SELECT printf(' DRAM is %.2f times as fast, but busy only %.0f %% of the time.',
                dram_2 / dram_1, o.pct)
            FROM busy o WHERE o.run = 1 AND o.family = gains.family AND o.variant = gains.variant
                AND o.size = gains.size AND o.block = gains.block AND o.sweep = gains.sweep
                AND o.part = 'dram' AND o.pct < 50) END AS unused,
    CASE WHEN pct >= 50 AND part = part_2 AND abs(gain / rate - 1) > 0.05
        THEN printf(' By the limiter alone it would be %.2f times as fast.', rate) ELSE '' END
        AS expected
FROM gains;

UPDATE compared SET account = (
    SELECT upper(substr(limits, 1, 1)) || substr(limits, 2) || rates || '.' || counts
        || coalesce(unused, '') || expected
    FROM ratio_pieces p WHERE p.row = compared.rowid);
