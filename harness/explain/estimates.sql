-- reads: causes knocked_out knockout_kinds measured sides variants wait_cause
-- makes: estimate_side estimate_point estimate built_on brought remains
-- What a point may still gain: measured costs, estimates and bounds, none fitted. Times are of the
-- time on the GPU. metrics/method.md has the rules, "What remains to be gained".

CREATE TABLE estimate_side AS
WITH number AS (
    SELECT @POINT_KEY, name, iif(name IN ('grid', 'per_sm'), max(value), sum(value)) AS value
    FROM sides GROUP BY @POINT_KEY, name)
SELECT @POINT_KEY, json_group_object(name, value) AS numbers,
    sum(CASE WHEN name LIKE 'wait\_%' ESCAPE '\' THEN value END) AS waits
FROM number GROUP BY @POINT_KEY;
CREATE INDEX estimate_side_key ON estimate_side(@POINT_KEY);

CREATE TABLE estimate_point AS
WITH number AS (
    SELECT @POINT_KEY, numbers ->> 'time_ns' AS time_ns,
        (numbers ->> 'time_ns') - coalesce(numbers ->> 'launch_ns', 0) AS gpu_ns,
        coalesce(min((numbers ->> 'sm_mean') / nullif(numbers ->> 'sm_most', 0), 1), 1) AS active,
        (numbers ->> 'issued') / (numbers ->> 'active') AS busy,
        max(coalesce(numbers ->> 'demand_issue_ns', 0), coalesce(numbers ->> 'demand_alu_ns', 0),
            coalesce(numbers ->> 'demand_fma_ns', 0), coalesce(numbers ->> 'demand_tensor_ns', 0))
            AS sm_ns,
        max(coalesce(numbers ->> 'demand_l2_ns', 0), coalesce(numbers ->> 'demand_dram_ns', 0))
            AS device_ns,
        max(coalesce(numbers ->> 'demand_l2_ns', 0), coalesce((numbers ->> 'dram_bytes')
            / (numbers ->> 'dram_peak_gbs'), numbers ->> 'demand_dram_ns', 0)) AS least_ns,
        coalesce(numbers ->> 'demand_shared_ns', 0) + coalesce(numbers ->> 'demand_l1_ns', 0)
            AS ideal_ns,
        coalesce((numbers ->> 'conflict_wavefronts') / (numbers ->> 'sm_count')
            / (numbers ->> 'sm_clock_mhz') * 1e3, numbers ->> 'demand_conflicts_ns', 0)
            AS excess_ns,
        coalesce(numbers ->> 'demand_shared_ns', 0) AS shared_ns, numbers ->> 'wait_shared'
            AS shared_waits,
        waits, coalesce(numbers ->> 'wait_selected', 0)
            + coalesce(numbers ->> 'wait_not_selected', 0) AS issue_waits,
        coalesce(numbers ->> 'wait_polling', numbers ->> 'wait_at_grid') AS polling,
        coalesce(numbers ->> 'demand_tensor_ns', 0) AS tensor_ns,
        (numbers ->> 'wait_barriers') + min(1, coalesce((numbers ->> 'barriers')
                / (numbers ->> 'instructions') * (numbers ->> 'warp_instructions')
                / nullif(numbers ->> 'global_load_instructions', 0)
                * coalesce(numbers ->> 'loads_per_wait', 1), 0))
                * coalesce(numbers ->> 'wait_global', 0) AS block_waits,
        max(min(numbers ->> 'per_sm', (numbers ->> 'grid') / (numbers ->> 'sm_count')), 1)
            AS blocks, coalesce(numbers ->> 'unused_load_part', 0) AS unused,
        coalesce(numbers ->> 'global_wavefronts_ns', 0) AS global_ns
    FROM estimate_side)
SELECT *, gpu_ns - max(max(sm_ns, ideal_ns) / active, least_ns) AS conflict_room_ns,
    gpu_ns - max(max(sm_ns, ideal_ns + excess_ns) / active, least_ns) AS room_ns,
    excess_ns / active AS excess_cycles_ns,
    gpu_ns * (1 - busy) * shared_waits / nullif(waits - issue_waits, 0)
        * excess_ns / nullif(excess_ns + shared_ns, 0) AS excess_waits_ns
FROM number WHERE gpu_ns > 0 AND active > 0 AND waits > 0;

CREATE TABLE estimate AS
WITH cost AS (
    SELECT @POINT_KEY, time_ns, conflict_room_ns, coalesce(max(min(2 * excess_cycles_ns
        * excess_waits_ns / nullif(excess_cycles_ns + excess_waits_ns, 0), conflict_room_ns), 0), 0)
        AS saved_ns
    FROM estimate_point),
waiting AS ( -- at the end of a warp for atomics, where these take a tenth of the time
    SELECT @POINT_KEY, iif(w.cause = 'stores' AND (e.numbers ->> 'atomics_ns')
            >= 0.1 * (e.numbers ->> 'time_ns'), 'atomics', w.cause) AS cause, sum(s.value) AS cycles
    FROM sides s JOIN wait_cause w ON w.wait = s.name JOIN estimate_side e USING (@POINT_KEY)
    WHERE w.cause NOT IN ('instructions', 'division')
        AND w.wait NOT IN ('wait_special', 'wait_at_grid')
    GROUP BY 1, 2, 3, 4, 5, 6, 7),
barrier AS (
    SELECT @POINT_KEY, time_ns, room_ns, gpu_ns * block_waits / blocks / waits * CASE
        WHEN limit_part >= @LIMIT_OF_UNITS THEN max(1 - limit_part, 0) ELSE 1 END AS cost_ns
    FROM (SELECT *, max(device_ns, tensor_ns / active) / gpu_ns AS limit_part
        FROM estimate_point) WHERE block_waits IS NOT NULL AND polling IS NULL)
SELECT @POINT_KEY, 'bank_conflicts' AS cause, 'estimated' AS bound, saved_ns,
    100 * saved_ns / time_ns AS share_pct, 0.8 * saved_ns AS low_ns,
    min(saved_ns / 0.75, max(conflict_room_ns, 0)) AS high_ns
FROM cost
UNION ALL
SELECT @POINT_KEY, 'barriers', 'estimated', saved_ns, 100 * saved_ns / time_ns, NULL, NULL
FROM (SELECT *, max(min(cost_ns, room_ns), 0) AS saved_ns FROM barrier)
UNION ALL
SELECT @POINT_KEY, cause, 'at most', saved_ns, 100 * saved_ns / time_ns, NULL, NULL
FROM (SELECT @POINT_KEY, time_ns, cause,
        max(min(gpu_ns * cycles / waits, room_ns), 0) AS saved_ns
    FROM waiting JOIN estimate_point USING (@POINT_KEY)
    WHERE cause <> 'barriers' OR block_waits IS NULL OR polling IS NOT NULL
    UNION ALL SELECT @POINT_KEY, time_ns, 'uncoalesced',
        max(min(gpu_ns * unused * cycles / waits, gpu_ns - max(max(sm_ns, ideal_ns + excess_ns
            - unused * global_ns) / active, least_ns)), 0)
    FROM waiting JOIN estimate_point USING (@POINT_KEY)
    WHERE cause = 'global_latency' AND unused > 0.25
    -- Divisions wait, and have their part of what instructions wait for.
    UNION ALL SELECT @POINT_KEY, time_ns, 'division', max(min(gpu_ns * (coalesce(numbers
            ->> 'wait_division', 0) + part * (issue_waits + coalesce(numbers ->> 'wait_fixed', 0)
            + coalesce(numbers ->> 'wait_branch', 0) + coalesce(numbers ->> 'wait_pipe', 0)
            + coalesce(numbers ->> 'wait_dispatch', 0))) / waits, gpu_ns
            - max(max(sm_ns * (1 - part), ideal_ns + excess_ns) / active, least_ns)), 0)
    FROM (SELECT *, (numbers ->> 'division') / (numbers ->> 'instructions') AS part
        FROM estimate_point JOIN estimate_side USING (@POINT_KEY, waits)) WHERE part > 0.1
    -- Blocks that wait for others at a barrier of the grid fill their SMs in vain.
    UNION ALL SELECT @POINT_KEY, time_ns, 'idle_sms', max(min(gpu_ns * (1 - active * (1
            - coalesce(numbers ->> 'wait_at_grid', 0) / waits)), gpu_ns - least_ns), 0)
    FROM estimate_point JOIN estimate_side USING (@POINT_KEY, waits));
CREATE INDEX estimate_key ON estimate(@POINT_KEY, cause);

-- Waits for global loads save no more than a copy without any, here or at another size. Where an
-- estimate lies beyond what knock-outs at another size allow, it has their interval; they are of
-- copies from several cache lines, too, which estimates leave out.
WITH allowed AS (
    SELECT e.rowid AS id, p.time_ns, 0 AS least, k.value AS most, 1 AS is_within
    FROM estimate e JOIN estimate_point p USING (@POINT_KEY) JOIN sides k USING (@POINT_KEY)
    WHERE e.cause IN ('global_latency', 'uncoalesced') AND k.value > 0
        AND k.name IN ('measured_loads_ns', 'scaled_loads_most_ns')
    UNION ALL
    SELECT e.rowid, p.time_ns, s.value, m.value, e.saved_ns BETWEEN s.value AND m.value
    FROM estimate e JOIN estimate_point p USING (@POINT_KEY) JOIN sides s USING (@POINT_KEY)
        JOIN sides m USING (@POINT_KEY)
    WHERE e.bound = 'estimated' AND s.name = 'scaled_' || e.cause || '_least_ns'
        AND m.name = 'scaled_' || e.cause || '_most_ns' AND NOT EXISTS (SELECT 1 FROM sides c
            WHERE (@POINT_KEY_OF(c), c.name) = (@POINT_KEY_OF(e), 'line_wavefronts')
                AND c.value > 0))
UPDATE estimate SET (saved_ns, share_pct, low_ns, high_ns) = (
    SELECT min(max(saved_ns, least), most), 100 * min(max(saved_ns, least), most) / time_ns,
        iif(is_within, max(low_ns, least), least), iif(is_within, min(high_ns, most), most)
    FROM allowed WHERE id = estimate.rowid)
WHERE rowid IN (SELECT id FROM allowed);

-- A measured cost takes the place of an estimated one, which is kept beside it. That of conflicts
-- belongs to copies from several cache lines where these have most of the wavefronts.
ALTER TABLE estimate ADD COLUMN estimated_ns;
REPLACE INTO estimate(rowid, @POINT_KEY, cause, bound, saved_ns, share_pct, low_ns, high_ns,
    estimated_ns)
SELECT e.rowid, @POINT_KEY_OF(k), iif(k.cause = 'bank_conflicts' AND (
        SELECT (numbers ->> 'line_wavefronts') > (numbers ->> 'conflict_wavefronts')
        FROM estimate_side n WHERE (@POINT_KEY_OF(n)) = (@POINT_KEY_OF(k))), 'copied_lines',
        k.cause), 'measured', k.saved_ns, k.share_pct, k.low_ns,
    k.high_ns, e.saved_ns
FROM measured k LEFT JOIN estimate e ON (@POINT_KEY_OF(e), e.cause) = (@POINT_KEY_OF(k), k.cause)
WHERE k.cause <> 'barriers_conflicts';

-- The rungs that are built on a rung, directly or by others between them.
CREATE TABLE built_on AS
WITH RECURSIVE up(family, variant, base) AS (
    SELECT family, variant, after FROM variants WHERE after IS NOT NULL
    UNION SELECT u.family, u.variant, v.after FROM up u
    JOIN variants v ON v.family = u.family AND v.variant = u.base WHERE v.after IS NOT NULL)
SELECT * FROM up;
CREATE INDEX built_on_key ON built_on(family, base, variant);

-- The three largest for each point, and the next rung built on it that saved at least a third of it
-- by the same cause. A bound is no less than what the next rung saved; a later one that saved more
-- began from others in between, and says nothing. Of dispatch stalls a knock-out measures the part
-- that their advice is about, here or at another size: that is their weight. It is not given where
-- that is less than 1 % of the time, nor where FP32 instructions, which are counted per
-- sub-partition of an SM, are less than a quarter of all.
CREATE TABLE brought AS
SELECT c.family, c.variant, c.size, c.block, v.rung,
    iif(c.witness = 'measured_bank_conflicts_ns', 'bank_conflicts', c.cause) AS cause, v.after,
    c.saved_ns
FROM causes c JOIN variants v USING (family, variant)
WHERE c.status = 'resolved' AND c.saved_ns > 0;
CREATE INDEX brought_key ON brought(family, size, block, cause);

CREATE TABLE remains AS
WITH placed AS (
    SELECT @POINT_KEY_OF(e), e.cause, e.bound, e.saved_ns, e.share_pct, n.title AS part,
        k.saved_ns AS part_ns, coalesce(k.saved_ns, s.value) AS weight_ns,
        row_number() OVER (PARTITION BY @POINT_KEY_OF(e)
            ORDER BY coalesce(k.saved_ns, s.value, e.saved_ns) DESC) AS place
    FROM estimate e LEFT JOIN knocked_out k ON (@POINT_KEY_OF(k), k.knockout, e.cause)
            = (@POINT_KEY_OF(e), 'register_banks', 'dispatch')
        LEFT JOIN knockout_kinds n USING (knockout)
        LEFT JOIN sides s ON (@POINT_KEY_OF(s), s.name, e.cause)
            = (@POINT_KEY_OF(e), 'scaled_register_banks_most_ns', 'dispatch')
    WHERE e.share_pct >= 1),
first AS (SELECT *, row_number() OVER () AS id FROM placed WHERE place <= 3),
later AS (
    SELECT f.id, b.variant AS later, b.saved_ns AS later_saved_ns,
        iif(f.bound = 'at most', max(b.saved_ns, f.saved_ns), f.saved_ns) / f.saved_ns AS raised,
        row_number() OVER (PARTITION BY f.id ORDER BY b.rung, b.variant) AS nth
    FROM first f JOIN brought b ON b.family = f.family AND b.size = f.size AND b.block = f.block
            AND b.cause = f.cause
        JOIN built_on u ON u.family = f.family AND u.base = f.variant AND u.variant = b.variant
    WHERE b.saved_ns >= f.saved_ns / 3
        AND (f.bound <> 'at most' OR b.after = f.variant OR b.saved_ns <= f.saved_ns))
SELECT @POINT_KEY_OF(f), f.place, f.cause,
    f.bound || iif(f.bound = 'at most' AND count(*) OVER (PARTITION BY @POINT_KEY_OF(f), f.bound,
        f.saved_ns * coalesce(l.raised, 1)) > 1, ' together', '') AS bound,
    f.saved_ns * coalesce(l.raised, 1) AS saved_ns,
    f.share_pct * coalesce(l.raised, 1) AS share_pct, l.later, l.later_saved_ns, f.part,
    f.part_ns, f.cause <> 'dispatch' OR coalesce(f.weight_ns >= f.saved_ns / f.share_pct, 1)
        AND coalesce((SELECT (numbers ->> 'fp32_instructions') * 4
            * (numbers ->> 'sm_count') >= 0.25 * (numbers ->> 'warp_instructions')
        FROM estimate_side s WHERE (@POINT_KEY_OF(s)) = (@POINT_KEY_OF(f))), 1) AS is_advised
FROM first f LEFT JOIN later l ON l.id = f.id AND l.nth = 1
ORDER BY f.family, CAST(f.size AS INTEGER), f.size, f.variant, f.block, f.place;
