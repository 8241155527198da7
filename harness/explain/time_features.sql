-- The features of every point that ran on the GPU and has counters, for the model of its time
-- (time_model.h): rows of input, cause and value. Work and waits are per scheduler, wavefronts per
-- SM, of the mean SM; a time is that of the whole device.

-- The states of warps that counters know, by the names of the PC sampler; 'other' is the rest.
CREATE TABLE wait_state(state TEXT PRIMARY KEY, input TEXT, cause TEXT);
INSERT INTO wait_state VALUES
    ('wait', 'fixed', 'dependencies'), ('no_instructions', 'fixed', 'fetch'),
    ('branch_resolving', 'fixed', 'fetch'), ('other', 'fixed', 'fetch'),
    ('short_scoreboard', 'short', 'shared_waits'), ('mio_throttle', 'short', 'shared_waits'),
    ('math_pipe_throttle', 'short_queue', 'pipes'), ('long_scoreboard', 'long', 'global_latency'),
    ('barrier', 'long', 'barriers'), ('lg_throttle', 'long_queue', 'global_queue'),
    ('gmma', 'long_queue', 'tensor_waits');

-- How the samples of each state divide by cause. A warp that only copies and waits for a free slot
-- holds nobody up: it has no cause, and its waiting is left out. Waits for the queue of memory
-- count as such whatever state the counters give them.
CREATE TABLE wait_samples AS
WITH charge AS (
    SELECT w.kernel, w.reason, CASE WHEN w.role IS NOT 'producer' THEN coalesce(ti.cause, tc.cause,
            tr.cause) END AS cause, w.samples, w.role IS 'producer' AS is_harmless
    FROM wait_charges w JOIN charged_kernel USING (kernel)
        LEFT JOIN ledger_idiom i ON i.kernel = w.kernel AND i.pc = w.producer_pc
            AND i.part = 'stalled'
        LEFT JOIN term ti ON ti.term = i.term
        LEFT JOIN term_class c ON c.class = w.class LEFT JOIN term tc ON tc.term = c.term
        LEFT JOIN term_reason r ON r.reason = w.reason LEFT JOIN term tr ON tr.term = r.term
    UNION ALL
    SELECT s.kernel, s.reason, t.cause, s.samples, 0
    FROM reason_sums s LEFT JOIN term_reason r USING (reason) LEFT JOIN term t ON t.term = r.term
    WHERE NOT EXISTS (SELECT 1 FROM wait_charges w JOIN charged_kernel USING (kernel)
        WHERE w.kernel = s.kernel AND w.reason = s.reason))
SELECT b.point, coalesce(w.state, 'other') AS state, c.cause, c.is_harmless,
    sum(c.samples) AS samples
FROM charge c JOIN kernels k USING (kernel) JOIN ledger_base b USING (@POINT_KEY)
    LEFT JOIN wait_state w
        ON w.state = CASE c.reason WHEN 'warpgroup_arrive' THEN 'gmma' ELSE c.reason END
WHERE c.samples > 0 AND c.reason NOT IN ('selected', 'not_selected', 'dispatch_stall')
GROUP BY 1, 2, 3, 4;
CREATE INDEX wait_samples_key ON wait_samples(point, state);

-- Warp-cycles per scheduler in each state, by the counters.
CREATE TABLE wait_cycles AS
WITH stall AS (
    SELECT point, warp_instructions_hw / scheduler_count AS issued, stall_wait,
        stall_no_instruction, stall_branch_resolving, stall_other, stall_short_scoreboard,
        stall_mio_throttle, stall_math_pipe_throttle, stall_long_scoreboard, stall_barrier,
        stall_lg_throttle, stall_gmma FROM ledger_metrics)
SELECT point, 'wait' AS state, issued * stall_wait AS cycles FROM stall
UNION ALL SELECT point, 'no_instructions', issued * stall_no_instruction FROM stall
UNION ALL SELECT point, 'branch_resolving', issued * stall_branch_resolving FROM stall
UNION ALL SELECT point, 'other', issued * stall_other FROM stall
UNION ALL SELECT point, 'short_scoreboard', issued * stall_short_scoreboard FROM stall
UNION ALL SELECT point, 'mio_throttle', issued * stall_mio_throttle FROM stall
UNION ALL SELECT point, 'math_pipe_throttle', issued * stall_math_pipe_throttle FROM stall
UNION ALL SELECT point, 'long_scoreboard', issued * stall_long_scoreboard FROM stall
UNION ALL SELECT point, 'barrier', issued * stall_barrier FROM stall
UNION ALL SELECT point, 'lg_throttle', issued * stall_lg_throttle FROM stall
UNION ALL SELECT point, 'gmma', issued * stall_gmma FROM stall;

-- The same by cause: as the samples of the state divide, else whole to the cause of the state.
CREATE TABLE wait_feature AS
SELECT c.point, c.state, w.input, coalesce(CASE s.cause WHEN 'shared_memory' THEN 'shared_waits'
        WHEN 'global_memory' THEN CASE c.state WHEN 'long_scoreboard' THEN 'global_latency'
            ELSE 'global_queue' END
        ELSE s.cause END, w.cause) AS cause,
    c.cycles * coalesce(s.samples / t.samples, 1) AS cycles
FROM wait_cycles c JOIN wait_state w USING (state)
    LEFT JOIN (SELECT point, state, sum(samples) AS samples FROM wait_samples GROUP BY 1, 2) t
        USING (point, state)
    LEFT JOIN wait_samples s ON s.point = t.point AND s.state = t.state
WHERE c.cycles > 0 AND s.is_harmless IS NOT 1;
UPDATE wait_feature SET input = 'long_queue' WHERE state = 'other' AND cause = 'global_queue';
UPDATE wait_feature SET input = 'long_queue' WHERE state = 'barrier' AND cause = 'tensor_waits';
UPDATE wait_feature SET input = 'long'
WHERE state = 'other' AND cause IN ('barriers', 'atomics', 'spills');

-- How often a warp waits for loads from global memory, and how often it passes a barrier, where
-- single instructions were counted: executions of instructions that wait for 30 % or more of the
-- longest average wait there, and of barriers. At other sizes they are as many per load and per
-- instruction. Of several kernels the largest number counts.
CREATE TABLE wait_counts AS
WITH waiting AS (
    SELECT w.kernel, w.pc, l.executed, sum(w.samples) / l.executed AS samples
    FROM wait_charges w JOIN term_class c ON c.class = w.class JOIN term t USING (term)
        JOIN lines l ON l.kernel = w.kernel AND l.pc = w.pc
    WHERE w.reason = 'long_scoreboard' AND t.cause = 'global_memory' AND w.role IS NOT 'producer'
        AND l.executed > 0
    GROUP BY w.kernel, w.pc),
longest AS (SELECT kernel, max(samples) AS samples FROM waiting GROUP BY kernel),
waits AS (
    SELECT w.kernel, sum(w.executed) AS waits
    FROM waiting w JOIN longest m USING (kernel) WHERE w.samples >= 0.3 * m.samples
    GROUP BY w.kernel),
executed AS (
    SELECT o.kernel, sum(o.executed) AS instructions,
        sum(CASE WHEN o.opcode GLOB 'LDG*' OR o.opcode GLOB 'LD.*' OR o.opcode GLOB 'LD'
            OR o.opcode GLOB 'UBLKCP*' OR o.opcode GLOB 'UTMALDG*' THEN o.executed END) AS loads,
        sum(CASE WHEN o.opcode GLOB 'BAR*' THEN o.executed END) AS barriers
    FROM opcode_sums o GROUP BY o.kernel)
SELECT k.family, k.variant, max(w.waits / nullif(e.loads, 0)) AS waits_per_load,
    max(e.barriers / nullif(e.instructions, 0)) AS barriers_per_instruction
FROM executed e JOIN kernels k USING (kernel) LEFT JOIN waits w USING (kernel)
GROUP BY k.family, k.variant;
CREATE INDEX wait_counts_key ON wait_counts(family, variant);

-- One row for each point, with what the features below are made of. Runs that did not measure the
-- latencies of the device get those of an H200. A launch that takes too long for instrumented code
-- has no counts of accesses, and so no features: they are not 0.
CREATE TABLE time_base AS
SELECT b.point, m.family, m.variant, m.size, m.block, m.sweep, m.device,
    m.time_ns, m.sm_clock_mhz / 1000 AS ghz, coalesce(m.is_as_run, 0) AS is_as_run,
    m.sm_count AS sms,
    m.scheduler_count * 1.0 / m.sm_count AS per_sm, m.scheduler_count AS schedulers,
    m.warp_instructions_hw / m.scheduler_count AS issued,
    b.launch / b.ghz AS launch_ns, m.launches,
    min(m.sm_coverage_pct / 100, 1) AS coverage,
    max(ceil(m.grid_blocks * 1.0 / m.sm_count) * m.sm_count / m.grid_blocks, 1) AS uneven,
    m.grid_blocks, m.blocks_per_sm, m.block_threads, m.blocks * m.block_threads AS all_threads,
    m.stall_total, m.stall_barrier,
    coalesce(m.stall_dispatch_stall, 0) / (1 + coalesce(m.stall_not_selected, 0)) AS lost,
    m.demand_fma_ns * m.sm_clock_mhz / 1000 AS fma,
    m.demand_alu_ns * m.sm_clock_mhz / 1000 AS alu,
    m.tensor_cycles AS tensor,
    max(coalesce(m.shared_wavefronts, 0) - coalesce(m.shared_bypass_wavefronts, 0)
        + max(coalesce(m.wgmma_wavefronts_hw, 0) - coalesce(m.wgmma_wavefronts_sass, 0), 0), 0)
        AS shared_wavefronts,
    max(coalesce(m.shared_instructions, 0) - coalesce(m.wgmma_instructions, 0), 0)
        AS shared_instructions,
    coalesce(m.shared_excess_wavefronts, m.shared_excess_least, 0) AS conflicts,
    coalesce(m.same_word_wavefronts, 0) AS same_word,
    coalesce(m.l1_wavefronts, 0) AS data_wavefronts,
    max(coalesce(m.shared_load_instructions_hw + m.shared_store_instructions_hw
        - m.shared_load_instructions - m.shared_store_instructions, 0), 0) AS idle_accesses,
    coalesce(m.global_load_sectors, 0) AS load_sectors,
    coalesce(m.global_store_sectors, 0) AS store_sectors,
    coalesce(m.local_sectors, 0) AS local_sectors,
    max(coalesce(m.global_excess_sectors, 0), 0) AS load_excess,
    max(coalesce(m.store_excess_sectors, 0), 0) AS store_excess,
    coalesce(m.global_load_bytes, 0) AS load_bytes,
    coalesce(m.global_load_instructions, 0) + coalesce(m.shared_async_instructions, 0) AS loads,
    m.demand_l2_ns AS l2,
    m.demand_dram_ns AS dram,
    m.useful_bytes / nullif(m.dram_read_bytes + m.dram_write_bytes, 0) AS useful_part,
    m.l2_atomic_cycles_busiest AS atomics,
    coalesce(m.ceiling_memory_latency_ns, 351) AS round_trip_ns,
    coalesce(m.ceiling_barrier_ns, 14.8) AS barrier_ns,
    coalesce(m.ceiling_atomic_ns, 0.73) AS atomic_ns,
    (SELECT w.waits_per_load FROM wait_counts w
        WHERE w.family = m.family AND w.variant = m.variant) AS waits_per_load,
    (SELECT w.barriers_per_instruction FROM wait_counts w
        WHERE w.family = m.family AND w.variant = m.variant) AS barriers_per_instruction
FROM ledger_metrics m JOIN ledger_base b USING (point)
WHERE m.stall_total > 0 AND m.sm_count > 0 AND m.global_load_instructions IS NOT NULL;
CREATE UNIQUE INDEX time_base_key ON time_base(point);

-- The part of the queue of shared memory that conflicts cause. An access that takes k wavefronts
-- holds up those that come meanwhile for k / 2 on average, and the N accesses of a kind with W
-- wavefronts for W^2 / N / 2 (the mean residual service of queueing theory): `whole`, and `ideal`
-- without the conflicts.
CREATE TABLE shared_queue AS
WITH kind AS (
    SELECT point, shared_wavefronts_load AS wavefronts, shared_load_instructions AS accesses,
        load_excess_wavefronts AS excess, 0 AS same_word FROM ledger_metrics
    UNION ALL SELECT point, shared_wavefronts_store, shared_store_instructions,
        store_excess_wavefronts, 0 FROM ledger_metrics
    UNION ALL SELECT point, shared_async_wavefronts - coalesce(shared_bypass_wavefronts, 0),
        shared_async_instructions, async_excess_wavefronts, 0 FROM ledger_metrics
    UNION ALL SELECT point, shared_matrix_load_wavefronts, shared_matrix_load_instructions,
        shared_matrix_load_conflicts, 0 FROM ledger_metrics
    UNION ALL SELECT point, shared_atomic_wavefronts, shared_atomic_instructions,
        atomic_excess_wavefronts - same_word_wavefronts, same_word_wavefronts FROM ledger_metrics),
held AS (
    SELECT point, sum(wavefronts * wavefronts / accesses) AS whole,
        sum(pow(max(wavefronts - coalesce(excess, 0) - coalesce(same_word, 0), 0), 2) / accesses)
            AS ideal,
        sum(excess) AS excess, sum(same_word) AS same_word
    FROM kind WHERE accesses > 0 GROUP BY point)
SELECT point, (1 - ideal / whole) * coalesce(excess / nullif(excess + same_word, 0), 0)
        AS conflict_part,
    (1 - ideal / whole) * coalesce(same_word / nullif(excess + same_word, 0), 0) AS same_word_part
FROM held WHERE whole > 0;
CREATE UNIQUE INDEX shared_queue_key ON shared_queue(point);

-- Issued cycles of the ledger by cause.
CREATE TABLE issued_cause AS
SELECT b.point, c.cause, sum(c.cycles) AS cycles
FROM ledger_cause c JOIN ledger_base b USING (@POINT_KEY)
WHERE c.issued GROUP BY b.point, c.cause;

CREATE TABLE time_features(point INTEGER, input TEXT, cause TEXT, value REAL);

-- Issue slots by cause, as the ledger divides them, and those lost while the dispatcher held an
-- instruction back: at most one for each multiply-add is a conflict of register banks.
INSERT INTO time_features
SELECT t.point, 'issue', c.cause, t.issued * c.cycles / s.cycles
FROM time_base t JOIN issued_cause c USING (point)
    JOIN (SELECT point, sum(cycles) AS cycles FROM issued_cause GROUP BY point) s USING (point)
WHERE c.cycles > 0 AND s.cycles > 0;
INSERT INTO time_features
SELECT point, 'issue', 'register_banks', min(lost * issued, fma) FROM time_base WHERE fma > 0;
INSERT INTO time_features
SELECT point, 'issue', 'dispatch', lost * issued - min(lost * issued, coalesce(fma, 0))
FROM time_base;
INSERT INTO time_features SELECT point, 'fma', 'pipes', fma FROM time_base WHERE fma > 0;
INSERT INTO time_features SELECT point, 'alu', 'pipes', alu FROM time_base WHERE alu > 0;
INSERT INTO time_features
SELECT point, 'tensor', 'tensor_pipe', tensor FROM time_base WHERE tensor > 0;

-- Cycles of the data stage. An access to shared memory whose lanes are all off takes one, too: the
-- hardware counts every executed access, the instrumentation those with an active lane.
CREATE TABLE data_stage AS
WITH rest AS (
    SELECT *, max(data_wavefronts - shared_wavefronts, 0) AS other,
        nullif(load_sectors + store_sectors + local_sectors, 0) AS sectors FROM time_base)
SELECT point, sms, shared_wavefronts, conflicts, same_word,
    min(other, idle_accesses) AS idle, other - min(other, idle_accesses) AS global,
    coalesce(local_sectors / sectors, 0) AS local_part,
    coalesce(load_excess / sectors, 0) AS load_part,
    coalesce(store_excess / sectors, 0) AS store_part,
    CASE WHEN load_excess <= 1.01 * loads THEN 'misaligned' ELSE 'uncoalesced' END AS load_cause
FROM rest;
INSERT INTO time_features
SELECT point, 'data', 'bank_conflicts', conflicts / sms FROM data_stage
UNION ALL SELECT point, 'data', 'same_word', same_word / sms FROM data_stage
UNION ALL SELECT point, 'data', 'shared_traffic',
    max(shared_wavefronts - conflicts - same_word, 0) / sms FROM data_stage
UNION ALL SELECT point, 'data', 'idle_accesses', idle / sms FROM data_stage
UNION ALL SELECT point, 'data', 'spills', global * local_part / sms FROM data_stage
UNION ALL SELECT point, 'data', load_cause, global * load_part / sms FROM data_stage
UNION ALL SELECT point, 'data', 'uncoalesced_writes', global * store_part / sms FROM data_stage
UNION ALL SELECT point, 'data', 'global_traffic',
    global * (1 - local_part - load_part - store_part) / sms FROM data_stage
UNION ALL SELECT t.point, 'l2_ns', 'spills', l2 * local_part
FROM data_stage JOIN time_base t USING (point)
UNION ALL SELECT t.point, 'l2_ns', load_cause, l2 * load_part
FROM data_stage JOIN time_base t USING (point)
UNION ALL SELECT t.point, 'l2_ns', 'uncoalesced_writes', l2 * store_part
FROM data_stage JOIN time_base t USING (point)
UNION ALL SELECT t.point, 'l2_ns', 'l2', l2 * (1 - local_part - load_part - store_part)
FROM data_stage JOIN time_base t USING (point);
INSERT INTO time_features
SELECT point, 'dram_ns', 'dram_bytes', dram * min(coalesce(useful_part, 1), 1) FROM time_base
UNION ALL SELECT point, 'dram_ns', 'reread', dram * (1 - min(coalesce(useful_part, 1), 1))
FROM time_base;

-- Waits. A wait for global memory counts as latency up to 1.3 round trips; the rest is queueing. A
-- wait at a barrier counts as the barrier up to four times the latency of an idle one; the rest is
-- queueing. A wait for shared memory counts as latency up to 10 cycles for each access.
INSERT INTO time_features
SELECT point, input, cause, sum(cycles) FROM wait_feature
WHERE cause NOT IN ('global_latency', 'global_queue', 'shared_waits')
GROUP BY point, input, cause;
CREATE TABLE shared_wait AS
SELECT t.point, w.cycles, 10 * t.shared_instructions / t.schedulers AS most
FROM time_base t JOIN (SELECT point, sum(cycles) AS cycles FROM wait_feature
    WHERE cause = 'shared_waits' GROUP BY point) w USING (point);
INSERT INTO time_features
SELECT point, 'short', 'shared_waits', min(cycles, most) FROM shared_wait
UNION ALL SELECT point, 'short_queue', 'bank_conflicts', max(cycles - most, 0) * conflict_part
FROM shared_wait JOIN shared_queue USING (point)
UNION ALL SELECT point, 'short_queue', 'same_word', max(cycles - most, 0) * same_word_part
FROM shared_wait JOIN shared_queue USING (point)
UNION ALL SELECT point, 'short_queue', 'shared_waits',
    max(cycles - most, 0) * (1 - coalesce(conflict_part + same_word_part, 0))
FROM shared_wait LEFT JOIN shared_queue USING (point);
CREATE TABLE memory_wait AS
SELECT t.point, w.cycles, t.load_bytes / t.schedulers AS bytes,
    t.waits_per_load * t.loads / t.schedulers AS waits, 1.3 * t.round_trip_ns * t.ghz AS most
FROM time_base t JOIN (SELECT point, sum(cycles) AS cycles FROM wait_feature
    WHERE cause = 'global_latency' AND input = 'long' GROUP BY point) w USING (point);
INSERT INTO time_features
SELECT point, 'loaded_bytes', 'global_latency', bytes FROM memory_wait
WHERE waits > 0 AND bytes > 0
UNION ALL SELECT point, 'bytes_per_wait', 'bytes_in_flight', bytes / waits FROM memory_wait
WHERE waits > 0 AND bytes > 0
UNION ALL SELECT point, 'wait_cycles', 'global_latency', min(cycles / waits, most)
FROM memory_wait WHERE waits > 0 AND bytes > 0
UNION ALL SELECT point, 'long', 'global_latency', cycles FROM memory_wait
WHERE NOT coalesce(waits > 0 AND bytes > 0, 0);
CREATE TABLE queue_wait AS
SELECT point, sum(cycles) AS cycles FROM (
    SELECT point, max(cycles - waits * most, 0) AS cycles FROM memory_wait
    WHERE waits > 0 AND bytes > 0
    UNION ALL SELECT point, cycles FROM wait_feature WHERE cause = 'global_queue')
GROUP BY point;
INSERT INTO time_features
SELECT point, 'long_queue', load_cause, cycles * load_part
FROM queue_wait JOIN data_stage USING (point)
UNION ALL SELECT point, 'long_queue', 'uncoalesced_writes', cycles * store_part
FROM queue_wait JOIN data_stage USING (point)
UNION ALL SELECT point, 'long_queue', 'spills', cycles * local_part
FROM queue_wait JOIN data_stage USING (point)
UNION ALL SELECT q.point, 'long_queue', 'atomics',
    cycles * (1 - load_part - store_part - local_part) * min(atomics * atomic_ns / time_ns, 1)
FROM queue_wait q JOIN data_stage USING (point) JOIN time_base USING (point)
UNION ALL SELECT q.point, 'long_queue', 'global_queue',
    cycles * (1 - load_part - store_part - local_part)
        * (1 - coalesce(min(atomics * atomic_ns / time_ns, 1), 0))
FROM queue_wait q JOIN data_stage USING (point) JOIN time_base USING (point);
CREATE TABLE barrier_wait AS
SELECT f.rowid AS feature, f.point, f.value,
    4 * t.barrier_ns * t.ghz * t.barriers_per_instruction * t.issued AS most
FROM time_features f JOIN time_base t USING (point)
WHERE f.cause = 'barriers' AND f.input = 'long';
INSERT INTO time_features
SELECT point, 'long_queue', 'barriers', value - most FROM barrier_wait WHERE value > most;
UPDATE time_features SET value = (SELECT most FROM barrier_wait WHERE feature = time_features.rowid)
WHERE rowid IN (SELECT feature FROM barrier_wait WHERE value > most);

-- The highest clock of the kernels that took turns. One that runs more than 3 % below it lowers the
-- clock by its own load.
CREATE TABLE size_clock AS
SELECT family, size, device, max(CASE WHEN NOT is_as_run THEN ghz END) AS top_ghz
FROM time_base GROUP BY family, size, device;

-- Slots of warps, those that wait together, and the time in which a slot is empty between blocks.
CREATE TABLE slots AS
WITH busy AS (
    SELECT *, max((time_ns - coalesce(launch_ns, 0)) * ghz, 300) AS cycles FROM time_base),
mean AS (
    SELECT *, issued * stall_total / (cycles * coverage) AS resident,
        min(blocks_per_sm, ceil(grid_blocks * 1.0 / sms)) * block_threads / 32.0 / per_sm AS room
    FROM busy)
SELECT *, max(room, min(resident, 16), 0.25) AS warps FROM mean;
INSERT INTO time_features
SELECT point, 'warps', 'residency', warps FROM slots WHERE warps > 0
UNION ALL SELECT point, 'group', 'residency',
    CASE WHEN stall_barrier > 0.005 * stall_total THEN max(block_threads / 32.0 / per_sm, 1)
        ELSE 1 / per_sm END FROM slots
UNION ALL SELECT point, 'turnover', 'residency',
    min(max(warps - resident, 0) * cycles * coverage,
        all_threads / 32.0 / schedulers * 0.7 * round_trip_ns * ghz) FROM slots
UNION ALL SELECT point, 'uneven', 'last_wave', min(uneven, 1 / coverage) FROM slots
UNION ALL SELECT point, 'uneven', 'unequal_blocks', 1 / coverage / min(uneven, 1 / coverage)
FROM slots
UNION ALL SELECT point, 'launch_ns', 'launches', launch_ns FROM slots WHERE launch_ns > 0
UNION ALL SELECT point, 'end', 'launches', (launches - 1) * 3 * round_trip_ns * ghz FROM slots
UNION ALL SELECT point, 'atomic_ns', 'atomics', atomics * atomic_ns FROM slots WHERE atomics > 0
UNION ALL SELECT point, 'ghz', 'clock', CASE WHEN ghz < 0.97 * top_ghz THEN top_ghz ELSE ghz END
FROM slots JOIN size_clock USING (family, size, device)
UNION ALL SELECT point, 'ghz', 'throttling', ghz / top_ghz
FROM slots JOIN size_clock USING (family, size, device) WHERE ghz < 0.97 * top_ghz
UNION ALL SELECT point, 'round_trip_ns', 'latency', round_trip_ns FROM slots
UNION ALL SELECT point, 'time_ns', NULL, time_ns FROM slots;
DELETE FROM time_features WHERE value IS NULL OR value = 0;
CREATE INDEX time_features_key ON time_features(point);

CREATE TABLE features AS
SELECT @POINT_KEY_OF(t), f.input, f.cause, sum(f.value) AS value
FROM time_features f JOIN time_base t USING (point) GROUP BY f.point, f.input, f.cause
ORDER BY t.family, CAST(t.size AS INTEGER), t.size, t.variant, t.block, f.rowid;
CREATE INDEX features_key ON features(@POINT_KEY);
