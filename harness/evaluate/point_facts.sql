-- reads: accesses activities best_points best_series ceilings families kernels known_points
--        launches lines longest_launches main_series points power repeats run timing traces
--        variants
-- makes: launch_sums access_sums counted_kernels counted_sums counted_multiplies later_kernels
--        least_costs library_series floors fact_rows point_repeats point_facts
-- The facts of a point. To add one: a column of the view point_facts below, and a record of its
-- name in metrics/facts.metric or metrics/ceilings.metric.

CREATE INDEX launches_key ON launches(@POINT_KEY, launch);
CREATE INDEX kernels_of_launches ON kernels(@POINT_KEY, launch);

-- Sums over the launches of a point. A sum is absent if one of its terms is.
CREATE TABLE launch_sums AS
SELECT p.rowid AS point,
    CASE WHEN count(*) = count(l.grid_blocks) THEN sum(l.grid_blocks) END AS blocks,
    CASE WHEN count(*) = count(l.closed_form_excess_wavefronts)
        THEN sum(l.closed_form_excess_wavefronts) END AS closed_form_excess_wavefronts,
    CASE WHEN count(*) = count(l.closed_form_load_wavefronts)
        THEN sum(l.closed_form_load_wavefronts) END AS closed_form_load_wavefronts,
    CASE WHEN count(*) = count(l.closed_form_store_wavefronts)
        THEN sum(l.closed_form_store_wavefronts) END AS closed_form_store_wavefronts,
    CASE WHEN count(*) = count(l.closed_form_load_ideal)
        THEN sum(l.closed_form_load_ideal) END AS closed_form_load_ideal,
    CASE WHEN count(*) = count(l.closed_form_store_ideal)
        THEN sum(l.closed_form_store_ideal) END AS closed_form_store_ideal,
    CASE WHEN count(*) = count(l.closed_form_matrix_wavefronts)
        THEN sum(l.closed_form_matrix_wavefronts) END AS closed_form_matrix_wavefronts,
    CASE WHEN count(*) = count(l.closed_form_matrix_ideal)
        THEN sum(l.closed_form_matrix_ideal) END AS closed_form_matrix_ideal
FROM points p JOIN launches l USING (@POINT_KEY)
GROUP BY p.rowid;
CREATE UNIQUE INDEX launch_sums_point ON launch_sums(point);

-- Excess wavefronts by the name of the access, with the same rule.
CREATE TABLE access_sums AS
SELECT p.rowid AS point, a.name,
    CASE WHEN count(*) = count(a.executions * (a.wavefronts - a.ideal))
        THEN sum(a.executions * (a.wavefronts - a.ideal)) END AS excess
FROM points p JOIN accesses a USING (@POINT_KEY)
GROUP BY p.rowid, a.name;
CREATE UNIQUE INDEX access_sums_key ON access_sums(point, name);

-- The accesses of each kernel whose instructions were counted, by their kind. A wide read whose
-- lanes share words may need less than the ideal, which makes up for no conflict elsewhere: its
-- excess is 0. Copies that bypass the L1 cache do not pass through the data stage.
CREATE TABLE counted_kernels AS
WITH counted AS (
    SELECT kernel, opcode_of(sass) AS opcode, shared_wavefronts AS wavefronts,
        max(shared_wavefronts - shared_ideal, 0.0) AS excess, global_sectors AS sectors,
        max(global_sectors - global_ideal, 0.0) AS unused,
        min(global_sectors, global_ideal) AS filled, local_sectors
    FROM lines WHERE shared_wavefronts <> 0 OR global_sectors <> 0 OR local_sectors <> 0),
split AS (
    SELECT *, CASE WHEN opcode LIKE 'LDGSTS%' THEN 'copy'
        WHEN opcode LIKE 'LDSM%' OR opcode LIKE 'STSM%' THEN 'matrix'
        WHEN opcode LIKE 'LD%' THEN 'load' WHEN opcode LIKE 'ST%' THEN 'store' END AS kind
    FROM counted)
SELECT kernel, count(*) = count(opcode) AS is_known, total(excess) AS excess,
    total(wavefronts) FILTER (WHERE kind = 'load') AS load_wavefronts,
    total(excess) FILTER (WHERE kind = 'load') AS load_excess,
    total(wavefronts) FILTER (WHERE kind = 'store') AS store_wavefronts,
    total(excess) FILTER (WHERE kind = 'store') AS store_excess,
    total(excess) FILTER (WHERE kind = 'matrix') AS matrix_excess,
    total(sectors) FILTER (WHERE kind = 'load') AS load_sectors,
    total(sectors) FILTER (WHERE kind = 'store') AS store_sectors,
    total(local_sectors) AS local_sectors,
    total(unused) FILTER (WHERE kind = 'load') AS unused_load_sectors,
    total(unused) FILTER (WHERE kind = 'store') AS unused_store_sectors,
    total(sectors) FILTER (WHERE kind = 'copy') AS copy_sectors,
    total(unused) FILTER (WHERE kind = 'copy') AS unused_copy_sectors,
    total(excess) FILTER (WHERE kind = 'copy' AND opcode NOT LIKE '%.BYPASS%') AS copy_excess,
    total(filled) FILTER (WHERE kind IN ('load', 'store', 'copy')) AS filled_sectors
FROM split GROUP BY kernel;
CREATE UNIQUE INDEX counted_kernels_key ON counted_kernels(kernel);

-- Their sums over the launches of a point, if the instructions of all of them were counted. Without
-- the machine code only the sum over all kinds is known.
CREATE TABLE counted_sums AS
SELECT p.rowid AS point, total(c.load_wavefronts) AS load_wavefronts,
    total(c.load_excess) AS load_excess, total(c.store_wavefronts) AS store_wavefronts,
    total(c.store_excess) AS store_excess, total(c.matrix_excess) AS matrix_excess,
    total(c.load_sectors) AS load_sectors, total(c.store_sectors) AS store_sectors,
    total(c.local_sectors) AS local_sectors, total(c.unused_load_sectors) AS unused_load_sectors,
    total(c.unused_store_sectors) AS unused_store_sectors, total(c.copy_sectors) AS copy_sectors,
    total(c.unused_copy_sectors) AS unused_copy_sectors, total(c.copy_excess) AS copy_excess,
    total(c.filled_sectors) AS filled_sectors, total(c.excess) AS excess,
    min(coalesce(c.is_known, 1)) AS is_known
FROM points p JOIN kernels k USING (@POINT_KEY) LEFT JOIN counted_kernels c USING (kernel)
GROUP BY p.rowid
HAVING count(*) = p.launches AND count(DISTINCT k.launch) = p.launches
    AND min(k.counts_status = 'ok');
CREATE UNIQUE INDEX counted_sums_point ON counted_sums(point);

-- The integer multiply-adds of a point, by the machine code; a wide one takes two turns.
CREATE TABLE counted_multiplies AS
SELECT c.point, total(l.executed * iif(l.sass LIKE '%IMAD.WIDE%', 2, 1)) AS turns
FROM counted_sums c JOIN points p ON p.rowid = c.point JOIN kernels k USING (@POINT_KEY)
    JOIN lines l USING (kernel)
WHERE l.sass LIKE '%IMAD%' GROUP BY c.point;
CREATE UNIQUE INDEX counted_multiplies_point ON counted_multiplies(point);

-- From the end of the first kernel of a point to the end of its last one, as the timeline has them.
CREATE TABLE later_kernels AS
SELECT point, median(ns) AS ns
FROM (SELECT p.rowid AS point, max(a.end_ns) - min(a.end_ns) AS ns
    FROM points p JOIN traces t USING (@POINT_KEY) JOIN activities a USING (trace)
    WHERE p.launches > 1
    GROUP BY p.rowid, t.trace, a.repeat HAVING count(*) = p.launches)
GROUP BY point;
CREATE UNIQUE INDEX later_kernels_point ON later_kernels(point);

-- The least cost, threads of the longest launch times their time, of the settings of a variant.
CREATE TABLE least_costs AS
SELECT point, min(cost) OVER (PARTITION BY family, variant, size, block) AS least, cost
FROM (SELECT s.*, l.grid_blocks * l.block_threads * s.median AS cost
    FROM main_series s JOIN launches l USING (@POINT_KEY) JOIN known_points k USING (point)
    LEFT JOIN longest_launches g USING (point) WHERE l.launch = coalesce(g.launch, 0));
CREATE UNIQUE INDEX least_costs_point ON least_costs(point);

-- The fastest series of a library for each family and size, among those whose result must be as
-- accurate as the family asks: a call with shorter arithmetic is no yardstick for the others.
CREATE TABLE library_series AS
SELECT family, size, timing, relative_error FROM (
    SELECT s.*, p.relative_error, row_number() OVER (PARTITION BY s.family, s.size
        ORDER BY s.median, s.variant, s.block, s.sweep) AS rank
    FROM variants v CROSS JOIN main_series s USING (family, variant)
        JOIN points p ON p.rowid = s.point
    WHERE v.kind = 'library' AND p.error_bound IS (SELECT min(o.error_bound) FROM points o
        WHERE o.family = s.family AND o.size = s.size))
WHERE rank = 1;
CREATE INDEX library_series_key ON library_series(family, size);

-- The noise floor of a series that was measured twice: how far both of the same kernel are apart.
CREATE TABLE floors AS
SELECT a.rowid AS timing, 100.0 * max(abs(ratio_low(a.series, b.series) - 1),
    abs(ratio_high(a.series, b.series) - 1)) AS pct
FROM timing a JOIN timing b ON b.point = a.point AND b.l2 = a.l2 AND b.kind = a.kind
    AND b.copy = 'b';
CREATE INDEX floors_timing ON floors(timing);

CREATE INDEX power_key ON power(@POINT_KEY);

-- For each point the rows that its facts are taken from.
CREATE TABLE fact_rows AS
SELECT p.rowid AS point,
    (SELECT s.timing FROM main_series s WHERE s.point = p.rowid) AS main,
    (SELECT t.rowid FROM timing t WHERE t.point = p.rowid
        AND t.l2 = 'warm' AND t.kind = 'end_to_end' AND t.copy = 'a') AS warm,
    (SELECT t.rowid FROM timing t WHERE t.point = p.rowid
        AND t.l2 = 'cold' AND t.kind = 'kernels' AND t.copy = 'a') AS kernels,
    (SELECT s.timing FROM best_series s WHERE s.point = p.rowid) AS best,
    (SELECT s.median FROM best_series s WHERE s.point = p.rowid) AS best_median,
    p.rowid IN (SELECT point FROM best_points) AS is_best,
    (SELECT l.rowid FROM launches l WHERE (@POINT_KEY_OF(l))
        = (@POINT_KEY_OF(p)) AND l.launch = coalesce(g.launch, 0)) AS launch,
    (SELECT min(k.rowid) FROM kernels k WHERE (@POINT_KEY_OF(k))
        = (@POINT_KEY_OF(p)) AND k.launch = coalesce(g.launch, 0)) AS kernel,
    (SELECT w.rowid FROM power w WHERE (@POINT_KEY_OF(w)) = (@POINT_KEY_OF(p))) AS power,
    (SELECT s.timing FROM library_series s
        WHERE s.family = p.family AND s.size = p.size) AS library,
    (SELECT s.relative_error FROM library_series s
        WHERE s.family = p.family AND s.size = p.size) AS library_error
FROM points p JOIN known_points k ON k.point = p.rowid
LEFT JOIN longest_launches g ON g.point = p.rowid;
CREATE UNIQUE INDEX fact_rows_point ON fact_rows(point);

-- Slow points have fewer repeats of their counters. Points without counters have all of them, all
-- alike.
CREATE TABLE point_repeats AS
SELECT k.point, r.repeat FROM known_points k JOIN repeats r ON r.point = k.point
UNION ALL
SELECT k.point, r.repeat
FROM known_points k JOIN (SELECT 0 AS repeat UNION SELECT repeat FROM repeats) r
WHERE k.point NOT IN (SELECT point FROM repeats)
ORDER BY 1, 2;

-- The columns up to best_series name a row; each of the others is a fact. An empty cell of
-- occupancy_limiter makes all four limited_by facts absent.
CREATE VIEW point_facts AS
SELECT n.rowid AS row_id, p.rowid AS point, @POINT_KEY_OF(p), n.repeat,
    main.series,
    -- The CPU takes no turns in the rounds, so no sample of the library belongs to one of its own.
    CASE WHEN v.kind <> 'cpu' THEN library.series END AS library_series,
    r.is_best AS best,
    best.series AS best_series,

    main.median AS time_ns,
    coalesce(main.low, CASE main.kind WHEN 'replayed'
        THEN main.median * (1 - @REPLAYED_PCT / 100.0) END) AS time_low_ns,
    coalesce(main.high, CASE main.kind WHEN 'replayed'
        THEN main.median * (1 + @REPLAYED_PCT / 100.0) END) AS time_high_ns,
    main.q1 AS time_q1_ns, main.q3 AS time_q3_ns, main.samples AS time_samples,
    main.throttled AS time_throttled, warm.median AS time_warm_ns, warm.low AS time_warm_low_ns,
    warm.high AS time_warm_high_ns,
    CASE WHEN p.launches = 1 THEN main.median ELSE kernels.median END AS time_kernels_ns,
    (SELECT k.ns FROM later_kernels k WHERE k.point = p.rowid) AS later_kernels_ns,
    100.0 * (main.median / r.best_median - 1) AS behind_best_pct, main.clock AS sm_clock_mhz,
    coalesce((SELECT f.pct FROM floors f WHERE f.timing = r.main),
        CASE main.kind WHEN 'replayed' THEN @REPLAYED_PCT END) AS floor_pct,
    coalesce((SELECT f.pct FROM floors f WHERE f.timing = r.best),
        CASE main.kind WHEN 'replayed' THEN @REPLAYED_PCT END) AS best_floor_pct,
    library.median AS library_time_ns,
    (SELECT f.pct FROM floors f WHERE f.timing = r.library) AS library_floor_pct,
    (SELECT value FROM run WHERE key = 'event_overhead_ns') AS event_overhead_ns,

    power.time_ns AS sustained_time_ns, power.sm_clock_mhz AS sustained_clock_mhz,
    power.power_w AS sustained_power_w,
    (power.reasons LIKE '%power cap%' OR power.reasons LIKE '%power brake%')
        AND main.clock < coalesce((SELECT min(w.sm_clock_mhz) FROM power w
            WHERE w.status = 'ok' AND coalesce(w.reasons, '') NOT LIKE '%power %'), 1e9)
        AS power_capped,

    p.relative_error, p.error_bound, r.library_error AS library_relative_error,
    100.0 * p.wrong_trials / nullif(p.trials, 0) AS wrong_pct,
    (SELECT t.median FROM timing t WHERE t.point = p.rowid AND t.main = 1 AND p.trials > 0
        AND p.wrong_trials = 0) AS unguaranteed_time_ns,
    (SELECT cost / least FROM least_costs c WHERE c.point = p.rowid) AS cost_over_least,
    coalesce(main.l2 = 'as_run', 0) AS is_as_run, @CLOCK_SHORTER_NS_OF(main) AS clock_shorter_ns,
    p.launches, l.launch AS longest_launch, z.blocks, p.input_bytes, p.useful_bytes,
    p.useful_operations,
    coalesce(f.unit = 'tensor_bf16', 0) AS unit_tensor_bf16,
    coalesce(f.unit = 'tensor_tf32', 0) AS unit_tensor_tf32, l.grid_blocks,
    l.block_threads, l.registers, l.static_shared_bytes, l.dynamic_shared_bytes, l.local_bytes,
    l.blocks_per_sm, l.theoretical_occupancy_pct,
    ', ' || nullif(l.occupancy_limiter, '') || ',' LIKE '%, warps,%' AS limited_by_warps,
    ', ' || nullif(l.occupancy_limiter, '') || ',' LIKE '%, registers,%' AS limited_by_registers,
    ', ' || nullif(l.occupancy_limiter, '') || ',' LIKE '%, shared memory,%'
        AS limited_by_shared_memory,
    ', ' || nullif(l.occupancy_limiter, '') || ',' LIKE '%, blocks,%' AS limited_by_blocks,
    l.max_block_threads, l.sass_shuffles, l.sass_warp_reductions, l.sass_barriers,
    l.sass_float_adds, l.sass_loop_barriers, l.sass_shared_stores, code.sass_read_distance,
    code.sass_copy_distance,

    z.closed_form_excess_wavefronts, z.closed_form_load_wavefronts, z.closed_form_store_wavefronts,
    z.closed_form_load_ideal, z.closed_form_store_ideal, z.closed_form_matrix_wavefronts,
    z.closed_form_matrix_ideal,
    counted.excess AS counted_shared_excess, counted.local_sectors AS counted_local_sectors,
    s.load_sectors AS counted_load_sectors, s.store_sectors AS counted_store_sectors,
    s.load_wavefronts AS counted_load_wavefronts, s.load_excess AS counted_load_excess,
    s.store_wavefronts AS counted_store_wavefronts, s.store_excess AS counted_store_excess,
    s.matrix_excess AS counted_matrix_excess, s.unused_load_sectors AS counted_unused_load_sectors,
    s.unused_store_sectors AS counted_unused_store_sectors,
    s.copy_sectors AS counted_copy_sectors, s.unused_copy_sectors AS counted_unused_copy_sectors,
    s.copy_excess AS counted_copy_excess, s.filled_sectors AS counted_filled_sectors,
    (SELECT x.turns FROM counted_multiplies x WHERE x.point = p.rowid) AS counted_multiplies,
    (SELECT a.excess FROM access_sums a WHERE a.point = p.rowid AND a.name = 'reads of A')
        AS closed_form_excess_reads_a,
    (SELECT a.excess FROM access_sums a WHERE a.point = p.rowid AND a.name = 'reads of B')
        AS closed_form_excess_reads_b,
    (SELECT a.excess FROM access_sums a WHERE a.point = p.rowid AND a.name = 'writes of A')
        AS closed_form_excess_writes_a,
    (SELECT a.excess FROM access_sums a WHERE a.point = p.rowid AND a.name = 'writes of B')
        AS closed_form_excess_writes_b,

    (SELECT value FROM ceilings WHERE ceiling = 'read_gbs') AS ceiling_read_gbs,
    (SELECT value FROM ceilings WHERE ceiling = 'write_gbs') AS ceiling_write_gbs,
    (SELECT value FROM ceilings WHERE ceiling = 'copy_gbs') AS ceiling_copy_gbs,
    (SELECT max(value - @CLOCK_SHORTER_NS_OF(main), 0) FROM ceilings WHERE ceiling = 'launch_ns')
        AS ceiling_launch_ns,
    (SELECT value FROM ceilings WHERE ceiling = 'next_launch_ns') AS ceiling_next_launch_ns,
    (SELECT value FROM ceilings WHERE ceiling = 'l2_read_gbs') AS ceiling_l2_read_gbs,
    (SELECT value FROM ceilings WHERE ceiling = 'shared_read_gbs') AS ceiling_shared_read_gbs,
    (SELECT value FROM ceilings WHERE ceiling = 'ldmatrix_gbs') AS ceiling_ldmatrix_gbs,
    (SELECT value FROM ceilings WHERE ceiling = 'mma_tflops') AS ceiling_mma_tflops,
    (SELECT value FROM ceilings WHERE ceiling = 'wgmma_tflops') AS ceiling_wgmma_tflops,
    (SELECT sm_clock_mhz FROM ceilings WHERE ceiling = 'mma_tflops') AS ceiling_mma_clock_mhz,
    (SELECT sm_clock_mhz FROM ceilings WHERE ceiling = 'wgmma_tflops') AS ceiling_wgmma_clock_mhz,
    (SELECT value FROM ceilings WHERE ceiling = 'fma_tflops') AS ceiling_fma_tflops,
    (SELECT value FROM ceilings WHERE ceiling = 'integer_gops') AS ceiling_integer_gops,
    (SELECT value FROM ceilings WHERE ceiling = 'clear_ns') AS ceiling_clear_ns,
    (SELECT value FROM ceilings WHERE ceiling = 'memory_latency_ns') AS ceiling_memory_latency_ns,
    (SELECT value FROM ceilings WHERE ceiling = 'barrier_ns') AS ceiling_barrier_ns,
    (SELECT value FROM ceilings WHERE ceiling = 'atomic_ns') AS ceiling_atomic_ns,
    (SELECT value FROM ceilings WHERE ceiling = 'host_launch_ns') AS ceiling_host_launch_ns,
    (SELECT value FROM ceilings WHERE ceiling = 'malloc_ns') AS ceiling_malloc_ns,
    (SELECT value FROM ceilings WHERE ceiling = 'pool_malloc_ns') AS ceiling_pool_malloc_ns
FROM point_repeats n
CROSS JOIN points p ON p.rowid = n.point
JOIN fact_rows r ON r.point = p.rowid
LEFT JOIN timing main ON main.rowid = r.main
LEFT JOIN timing warm ON warm.rowid = r.warm
LEFT JOIN timing kernels ON kernels.rowid = r.kernels
LEFT JOIN timing best ON best.rowid = r.best
LEFT JOIN timing library ON library.rowid = r.library
LEFT JOIN launches l ON l.rowid = r.launch
LEFT JOIN kernels code ON code.rowid = r.kernel
LEFT JOIN power ON power.rowid = r.power
LEFT JOIN launch_sums z ON z.point = p.rowid
LEFT JOIN counted_sums counted ON counted.point = p.rowid
LEFT JOIN counted_sums s ON s.point = p.rowid AND s.is_known
LEFT JOIN variants v ON v.family = p.family AND v.variant = p.variant
LEFT JOIN families f ON f.family = p.family;
