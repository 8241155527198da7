-- reads: activities counters kernels launches ledger_base ledger_mix ledger_opcode line_stalls
--        lines metrics opcode_sums points power reason_sums scaled_mix term_class term_reason
--        traces wait_charges
-- makes: wait_name term_wait unusual_load grid_barrier at_grid sampled_wait without_shared
--        launch_counter traced_launch counted_launch launch_state launch_sample state_sample
--        point_warps side_value data_wait loads_per_wait early_exit
-- The numbers of each point that an account of two points needs (explain/account.h), summed over
-- its launches: of each function, and of the point as a whole, where `function` is NULL.

-- What a stall sample waits for: by the class of the producer, else by its reason. Both belong to
-- the terms of the ledger, but for some that are apart here.
CREATE TABLE wait_name(kind, name, waits_for);
INSERT INTO wait_name VALUES ('class', 'constant_load', 'start'), ('class', 'polling', 'polling'),
    ('class', 'at_grid', 'at_grid'), ('class', 'indexed_constant', 'constant'),
    ('class', 'double_precision', 'fp64'),
    ('class', 'special_register', 'special'), ('reason', 'drain', 'stores'),
    ('reason', 'imc_miss', 'start'),
    ('reason', 'selected', 'selected'), ('reason', 'not_selected', 'not_selected'),
    ('reason', 'dispatch_stall', 'dispatch'), ('reason', 'branch_resolving', 'branch'),
    ('reason', 'no_instruction', 'fetch');
CREATE TABLE term_wait(term, waits_for);
INSERT INTO term_wait VALUES ('long_scoreboard', 'global'), ('lg_throttle', 'queue'),
    ('short_scoreboard', 'shared'), ('mio_throttle', 'shared'), ('at_barrier', 'barriers'),
    ('tensor_wait', 'tensor'), ('wait', 'fixed'), ('pipe', 'pipe'), ('fetch', 'fetch'),
    ('local_wait', 'local'), ('atomic_wait', 'atomics'), ('exchange_wait', 'shuffles'),
    ('special_wait', 'conversions');
INSERT INTO wait_name
SELECT * FROM (SELECT 'class' AS kind, class AS name, waits_for FROM term_class
    JOIN term_wait USING (term) UNION ALL SELECT 'reason', reason, waits_for FROM term_reason
    JOIN term_wait USING (term)) WHERE (kind, name) NOT IN (SELECT kind, name FROM wait_name);

-- Loads whose waits are of another kind than those of their class. By function, for code is counted
-- once for it.
CREATE TABLE unusual_load AS
SELECT DISTINCT k.family, k.variant, k.symbol, l.pc, unusual_class(l.sass) AS class
FROM lines l JOIN kernels k USING (kernel)
WHERE l.sass LIKE '%LD%' AND CASE unusual_class(l.sass)
    WHEN 'polling' THEN coalesce(l.global_sectors, 0) <= l.executed
    WHEN 'indexed_constant' THEN 1 END;
CREATE INDEX unusual_load_key ON unusual_load(family, variant, symbol, pc);

-- A barrier of the grid: a thread polls a flag in a loop, and its block waits at the next barrier.
-- Blocks at it only wait for others.
CREATE TABLE grid_barrier AS
SELECT DISTINCT k.family, k.variant, k.symbol, b.begins, b.ends, b.follows
FROM (SELECT kernel, executed, pc AS begins, lead(pc) OVER barriers AS ends, lead(pc, 2)
        OVER barriers AS follows FROM lines WHERE sass GLOB '*BAR.SYNC*'
        WINDOW barriers AS (PARTITION BY kernel ORDER BY pc)) b JOIN kernels k USING (kernel)
    JOIN unusual_load u USING (family, variant, symbol)
    JOIN lines l ON l.kernel = b.kernel AND l.pc = u.pc AND l.executed > b.executed
WHERE u.class = 'polling' AND u.pc > b.begins AND u.pc < b.ends;
INSERT INTO grid_barrier -- where a warp goes whose lanes arrive one by one
SELECT DISTINCT family, variant, symbol, t.pc - 16, (SELECT min(pc) FROM lines e
        WHERE e.kernel = t.kernel AND e.pc > t.pc AND e.sass GLOB 'BRA *'), 0
FROM grid_barrier g JOIN kernels k USING (family, variant, symbol) JOIN lines d USING (kernel)
    JOIN lines t ON t.kernel = d.kernel AND d.sass GLOB '*BRA.DIV*' || printf('0x%x', t.pc)
WHERE d.pc > g.begins AND d.pc < g.ends;
CREATE TABLE at_grid AS
SELECT l.kernel, l.pc, s.reason, s.samples
FROM grid_barrier g JOIN kernels k USING (family, variant, symbol) JOIN lines l USING (kernel)
    JOIN line_stalls s ON s.id = l.rowid
WHERE s.reason <> 'selected' AND iif(s.reason = 'barrier', l.pc > g.ends
    AND l.pc <= coalesce(g.follows, l.pc), l.pc > g.begins AND l.pc <= g.ends);

-- Samples of each launch by state and by what they wait for. A warp that waits for a free slot of a
-- ring, as producers do, holds nobody up.
CREATE TABLE sampled_wait AS
WITH sampled AS (
    SELECT w.kernel, w.reason, CASE WHEN u.class IS NOT NULL AND w.class = CASE u.class
            WHEN 'polling' THEN 'global_load' ELSE 'constant_load' END THEN u.class
        ELSE w.class END AS class, w.idiom, w.role IS 'producer' AS is_harmless, w.samples
    FROM wait_charges w JOIN kernels k USING (kernel) LEFT JOIN unusual_load u
        ON u.family = k.family AND u.variant = k.variant AND u.symbol = k.symbol
        AND u.pc = w.producer_pc
    WHERE (w.kernel, w.reason, w.pc) NOT IN (SELECT kernel, reason, pc FROM at_grid)
    UNION ALL
    SELECT r.kernel, r.reason, NULL, NULL, 0, r.samples - (SELECT total(samples) FROM at_grid g
        WHERE (g.kernel, g.reason) = (r.kernel, r.reason)) FROM reason_sums r
    WHERE NOT EXISTS (SELECT 1 FROM wait_charges w
        WHERE w.kernel = r.kernel AND w.reason = r.reason)
    UNION ALL SELECT kernel, reason, 'at_grid', NULL, 0, samples FROM at_grid),
stated AS (
    SELECT *, CASE reason WHEN 'warpgroup_arrive' THEN 'gmma'
        WHEN 'no_instructions' THEN 'no_instruction' ELSE reason END AS state FROM sampled)
SELECT s.kernel, s.state, CASE WHEN s.is_harmless THEN NULL WHEN s.idiom IS NOT NULL THEN 'division'
        WHEN (s.reason, s.class) = ('lg_throttle', 'global_store') THEN 'stores'
        ELSE coalesce(c.waits_for, r.waits_for, 'other') END AS waits_for, sum(s.samples) AS samples
FROM stated s LEFT JOIN wait_name c ON (c.kind, c.name) = ('class', s.class)
    LEFT JOIN wait_name r ON (r.kind, r.name) = ('reason', s.reason)
GROUP BY 1, 2, 3;

-- A short scoreboard is that of shared memory or of a special unit. Only the machine code tells
-- them apart; a point that does not access shared memory does not wait for it.
CREATE TABLE without_shared AS
SELECT b.point FROM ledger_base b JOIN metrics m USING (@POINT_KEY) WHERE m.shared_wavefronts = 0;
UPDATE sampled_wait SET waits_for = 'conversions'
WHERE state = 'short_scoreboard' AND waits_for = 'shared' AND kernel IN (SELECT k.kernel
    FROM kernels k JOIN ledger_base b USING (@POINT_KEY) JOIN without_shared USING (point));

-- The counters of each launch, and the cycles per scheduler of its warps by state. States without a
-- counter are the rest.
CREATE TABLE launch_counter AS
SELECT b.point, c.launch, c.counter, avg(c.value) AS value
FROM counters c JOIN ledger_base b USING (@POINT_KEY)
WHERE c.status = 'ok' AND c.value IS NOT NULL AND (c.counter LIKE 'stall\_%' ESCAPE '\'
    OR c.counter IN ('scheduler_cycles_issued', 'scheduler_cycles_idle', 'warp_instructions_hw',
    'sm_cycles_elapsed', 'sm_cycles_active_mean', 'sm_cycles_active_most'))
GROUP BY b.point, c.launch, c.counter;
CREATE INDEX launch_counter_key ON launch_counter(point, launch, counter);
-- The time of each launch of a point, of points whose launches were all recorded in a row.
CREATE TABLE traced_launch AS
SELECT p.rowid AS point, a.launch, median(a.end_ns - a.begin_ns) AS ns,
    count(*) OVER (PARTITION BY p.rowid) = p.launches AS is_whole
FROM points p JOIN traces t USING (@POINT_KEY) JOIN activities a USING (trace)
WHERE p.launches > 1 GROUP BY p.rowid, a.launch;
CREATE INDEX traced_launch_key ON traced_launch(point, launch);
CREATE TABLE counted_launch AS
WITH wide AS (
    SELECT point, launch, max(CASE counter WHEN 'scheduler_cycles_issued' THEN value END) AS issued,
        max(CASE counter WHEN 'stall_total' THEN value END) AS warps_per_issue,
        max(CASE counter WHEN 'warp_instructions_hw' THEN value END) AS instructions,
        coalesce(max(CASE counter WHEN 'scheduler_cycles_idle' THEN value END), 0) AS idle,
        max(CASE counter WHEN 'sm_cycles_elapsed' THEN value END) AS elapsed,
        coalesce(max(CASE counter WHEN 'sm_cycles_active_mean' THEN value END), 0) AS mean,
        coalesce(max(CASE counter WHEN 'sm_cycles_active_most' THEN value END), 0) AS most
    FROM launch_counter GROUP BY point, launch)
SELECT w.point, w.launch, w.issued / m.scheduler_count AS issued, w.warps_per_issue,
    w.idle / m.scheduler_count AS idle, w.instructions / m.scheduler_count AS instructions,
    -- How long a function took beside others; without records and counters, by its active cycles.
    coalesce((SELECT a.ns FROM traced_launch a JOIN points p ON p.rowid = a.point AND a.is_whole
            WHERE (@POINT_KEY_OF(p), a.launch) = (@POINT_KEY_OF(b), w.launch)),
        w.elapsed, (w.issued + w.idle) / m.scheduler_count) AS elapsed, w.mean, w.most,
    substr(l.kernel || '<', 1, instr(l.kernel || '<', '<') - 1) AS function,
    l.grid_blocks, l.block_threads, l.blocks_per_sm
FROM wide w JOIN ledger_base b USING (point) JOIN metrics m USING (@POINT_KEY)
    LEFT JOIN launches l ON (@POINT_KEY_OF(l)) = (@POINT_KEY_OF(b)) AND l.launch = w.launch
WHERE w.issued > 0 AND w.warps_per_issue > 0 AND w.instructions IS NOT NULL;
CREATE TABLE launch_state AS
SELECT l.point, l.launch, substr(c.counter, 7) AS state, c.value * l.issued AS cycles
FROM counted_launch l JOIN launch_counter c USING (point, launch)
WHERE c.counter IN ('stall_barrier', 'stall_long_scoreboard', 'stall_short_scoreboard',
    'stall_mio_throttle', 'stall_lg_throttle', 'stall_math_pipe_throttle', 'stall_dispatch_stall',
    'stall_wait', 'stall_no_instruction', 'stall_branch_resolving', 'stall_not_selected',
    'stall_gmma');
CREATE INDEX launch_state_key ON launch_state(point, launch, state);
INSERT INTO launch_state
SELECT l.point, l.launch, 'other', max((l.warps_per_issue - 1) * l.issued - coalesce((
    SELECT sum(cycles) FROM launch_state s WHERE (s.point, s.launch) = (l.point, l.launch)), 0), 0)
FROM counted_launch l;
UPDATE sampled_wait SET state = 'other'
WHERE state <> 'selected' AND state NOT IN (SELECT state FROM launch_state);
CREATE TABLE launch_sample AS
SELECT b.point, k.launch, w.state, w.waits_for, sum(w.samples) AS samples
FROM sampled_wait w JOIN kernels k USING (kernel) JOIN ledger_base b USING (@POINT_KEY)
WHERE w.state <> 'selected' GROUP BY 1, 2, 3, 4;
CREATE TABLE state_sample AS
SELECT point, launch, state, sum(samples) AS samples FROM launch_sample GROUP BY 1, 2, 3;
CREATE INDEX state_sample_key ON state_sample(point, launch, state);

CREATE TABLE side_value(point INTEGER, function TEXT, name TEXT, value REAL);
INSERT INTO side_value
SELECT l.point, l.function, coalesce('wait_' || x.waits_for, 'harmless'), sum(x.cycles)
FROM counted_launch l JOIN (
    SELECT s.point, s.launch, p.waits_for, s.cycles * p.samples / t.samples AS cycles
    FROM launch_state s JOIN state_sample t USING (point, launch, state)
        JOIN launch_sample p USING (point, launch, state)
    WHERE t.samples > 0
    UNION ALL
    SELECT s.point, s.launch, CASE WHEN s.state = 'short_scoreboard'
            AND s.point IN (SELECT point FROM without_shared) THEN 'conversions'
        ELSE coalesce(r.waits_for, 'other') END, s.cycles
    FROM launch_state s LEFT JOIN state_sample t USING (point, launch, state)
        LEFT JOIN wait_name r ON r.kind = 'reason'
            AND r.name = CASE s.state WHEN 'other' THEN 'misc' ELSE s.state END
    WHERE coalesce(t.samples, 0) = 0
    UNION ALL SELECT point, launch, 'selected', issued FROM counted_launch) x USING (point, launch)
GROUP BY 1, 2, 3;
-- Warps that hold nobody up are not among the resident ones, for their waits are left out.
INSERT INTO side_value
SELECT f.point, f.function, n.column1, f.numbers ->> n.column1 FROM (
    SELECT point, function, json_object('instructions', sum(instructions), 'issued', sum(issued),
        'active', sum(issued + idle),
        'resident', sum(issued * warps_per_issue) - coalesce(h.value, 0),
        'sm_mean', sum(mean), 'sm_most', sum(most), 'elapsed', sum(elapsed),
        'main', max(issued * warps_per_issue), 'grid', grid_blocks, 'block', block_threads,
        'per_sm', blocks_per_sm) AS numbers
    FROM counted_launch LEFT JOIN (SELECT point, function, value FROM side_value
        WHERE name = 'harmless') h USING (point, function) GROUP BY point, function) f,
    (VALUES ('instructions'), ('issued'), ('active'), ('resident'), ('sm_mean'), ('sm_most'),
    ('elapsed'), ('main'), ('grid'), ('block'), ('per_sm')) n;

CREATE TABLE data_wait AS
SELECT * FROM wait_charges w WHERE w.reason = 'long_scoreboard' AND w.class IN ('global_load',
    'async_copy') AND w.role IS NOT 'producer' AND (w.kernel, w.reason, w.pc) NOT IN (
    SELECT kernel, reason, pc FROM at_grid);
CREATE INDEX data_wait_key ON data_wait(kernel, pc);

-- Global loads for each wait for them: the waiting instructions that hold nine tenths of the
-- samples, of the kernel of the rung that has most.
CREATE TABLE loads_per_wait AS
WITH waiting AS (
    SELECT w.kernel, w.pc, l.executed, sum(w.samples) AS samples
    FROM data_wait w JOIN lines l ON l.kernel = w.kernel AND l.pc = w.pc
    WHERE l.executed > 0 GROUP BY w.kernel, w.pc),
running AS (
    SELECT *, sum(samples) OVER (PARTITION BY kernel) AS total, sum(samples) OVER (
        PARTITION BY kernel ORDER BY samples DESC, executed DESC
        ROWS UNBOUNDED PRECEDING) - samples AS before
    FROM waiting),
waits AS (SELECT kernel, sum(executed) AS waits FROM running WHERE before < 0.9 * total
    GROUP BY kernel),
loads AS (SELECT kernel, sum(executed) AS loads FROM opcode_sums
    WHERE opcode GLOB 'LDG*' OR opcode = 'LD' OR opcode GLOB 'LD.*' GROUP BY kernel)
SELECT k.family, k.variant, max(l.loads / w.waits) AS value
FROM waits w JOIN loads l USING (kernel) JOIN kernels k USING (kernel)
WHERE l.loads > 0 GROUP BY k.family, k.variant;
INSERT INTO side_value
SELECT b.point, NULL, 'loads_per_wait', w.value FROM ledger_base b
    JOIN loads_per_wait w USING (family, variant);
-- Instructions of each scheduler by kind, where the counts tell the kinds apart. At another size a
-- warp executes as many barriers as were counted if no barrier of a block is in a loop, and no wait
-- for the copy engine.
CREATE TABLE point_warps AS
SELECT b.point, total(l.grid_blocks * ((l.block_threads + 31) / 32)) AS warps,
    max(l.sass_loop_barriers) = 0 AND NOT EXISTS (SELECT 1 FROM kernels k
            JOIN opcode_sums c USING (kernel) JOIN ledger_opcode o USING (opcode)
        WHERE (@POINT_KEY_OF(k)) = (@POINT_KEY_OF(b)) AND o.term = 'barrier'
            AND o.opcode GLOB 'SYNCS*') AS has_no_loop
FROM ledger_base b JOIN launches l USING (@POINT_KEY) GROUP BY b.point;
CREATE UNIQUE INDEX point_warps_key ON point_warps(point);
INSERT INTO side_value
SELECT m.point, NULL, t.column2, sum(m.weight * (m.term = t.column1)) / sum(m.weight)
    * (SELECT sum(instructions) FROM counted_launch l WHERE l.point = m.point)
    * coalesce((SELECT h.warps / c.warps / s.factor FROM scaled_mix s
            JOIN point_warps h ON h.point = s.point JOIN point_warps c ON c.point = s.counted
        WHERE s.point = m.point AND t.column1 = 'barrier' AND c.has_no_loop), 1)
FROM ledger_mix m, (VALUES ('division', 'division'), ('exchange', 'exchange'),
    ('function', 'function'), ('barrier', 'barriers')) t
WHERE m.status <> 'by counters' GROUP BY m.point, t.column1;
INSERT INTO side_value
SELECT b.point, NULL, 'scheduler_count', m.scheduler_count
FROM ledger_base b JOIN metrics m USING (@POINT_KEY);

-- Instructions between a global load and the instruction that waits for it, by samples. In a loop
-- the wait may come before the load in the code: then it is not known.
INSERT INTO side_value
SELECT b.point, NULL, 'load_distance', sum(w.samples * (w.pc - w.producer_pc)) / sum(w.samples) / 16
FROM data_wait w JOIN kernels k USING (kernel) JOIN ledger_base b USING (@POINT_KEY)
WHERE w.pc > w.producer_pc GROUP BY b.point;
INSERT INTO side_value
SELECT b.point, NULL, 'launch_ns', min(0.9 * b.time_ns, max(coalesce(b.one, 0) - b.shorter, 0)
    + (coalesce(b.launches, 1) - 1) * coalesce(b.next, 0)) FROM ledger_base b;

-- The part of the warps that is gone while others of their blocks run on: those that leave at an
-- EXIT whose next instruction fewer warps execute, but one of each block, are missing in what
-- follows.
CREATE TABLE early_exit AS
SELECT k.family, k.variant, k.symbol, l.pc, max((l.executed - n.executed) / w.executed) AS part
FROM lines l JOIN lines n ON n.kernel = l.kernel AND n.pc = l.pc + 16
    JOIN lines w ON w.kernel = l.kernel AND w.pc = 0 JOIN kernels k ON k.kernel = l.kernel
    JOIN launches g ON (@POINT_KEY_OF(g), g.launch) = (@POINT_KEY_OF(k), k.launch)
WHERE l.sass GLOB '@*EXIT*' AND l.executed > n.executed AND n.executed >= g.grid_blocks
GROUP BY k.family, k.variant, k.symbol, l.pc;
INSERT INTO side_value
SELECT b.point, NULL, 'left_warps_pct', 100 - 100 * total(l.samples) / total(l.samples / (1 - (
        SELECT total(e.part) FROM early_exit e WHERE (e.family, e.variant, e.symbol)
            = (k.family, k.variant, k.symbol) AND e.pc < l.pc)))
FROM lines l JOIN kernels k USING (kernel) JOIN ledger_base b USING (@POINT_KEY)
WHERE l.samples > 0
GROUP BY b.point HAVING min((k.family, k.variant, k.symbol) IN (
    SELECT c.family, c.variant, c.symbol FROM kernels c WHERE c.counts_status = 'ok'));

-- The copy engine takes no issue slots: what it copies for a kernel that loads nothing else costs
-- no more than warps wait for it.
INSERT INTO side_value
SELECT b.point, NULL, 'waited_loads_ns', (b.time_ns - max(CASE w.name WHEN 'launch_ns'
        THEN w.value END)) * total(CASE WHEN w.name IN ('wait_global', 'wait_queue')
        THEN w.value END) / total(CASE WHEN w.name GLOB 'wait_*' THEN w.value END)
FROM ledger_base b JOIN side_value w USING (point)
WHERE (b.family, b.variant) IN (SELECT k.family, k.variant
    FROM kernels k JOIN opcode_sums o USING (kernel) GROUP BY k.family, k.variant
    HAVING max(o.opcode GLOB 'UTMALDG*' OR o.opcode GLOB 'UBLKCP.S*')
        AND NOT max(o.opcode GLOB 'LDG*'))
GROUP BY b.point;

-- What limits the warps of an SM, and what was read to lower the clock: the words are in the name.
INSERT INTO side_value
SELECT b.point, NULL, 'limited by ' || replace(l.occupancy_limiter, ', ', ' and '), 1
FROM ledger_base b JOIN metrics m USING (@POINT_KEY)
    JOIN launches l ON (@POINT_KEY_OF(l)) = (@POINT_KEY_OF(b))
        AND l.launch = coalesce(m.longest_launch, 0)
WHERE l.occupancy_limiter IS NOT NULL
UNION ALL
SELECT b.point, NULL, 'slowed by ' || p.reasons, 1
FROM ledger_base b JOIN power p ON (@POINT_KEY_OF(p)) = (@POINT_KEY_OF(b))
WHERE p.status = 'ok' AND p.reasons IS NOT NULL;

-- What other settings of a variant lose whose resident warps are another part of those of its best
-- one, in per cent: the least loss of each.
INSERT INTO side_value
SELECT b.point, NULL, printf('lost_at_%.0f_pct_of_warps',
    100 * s.achieved_occupancy_pct / m.achieved_occupancy_pct), min(s.time_ns - m.time_ns)
FROM ledger_base b JOIN metrics m USING (@POINT_KEY)
    JOIN metrics s USING (family, variant, size, device)
WHERE s.best = 0 AND abs(s.achieved_occupancy_pct / m.achieved_occupancy_pct - 1) >= 0.1
GROUP BY b.point, 3;
