-- reads: kernels launches line_chains line_locations line_stalls lines run source_state
-- makes: charged stalls leading_stalls counted line_counts kernel_counts kernel_totals
--        instructions line_waits line_shares line_sums kernel_waits kernel_shares kernel_sums
-- The tables and views of lines/lines_tables.h, from the loaded ones and from the split cells:
--   line_chains(id, chain)                       the inlining chain of the row `id` of lines
--   line_locations(chain, depth, source, line)   its locations
--   line_stalls(id, place, reason, samples, not_issued)   its stall samples

-- The depth in its chain at which an instruction is charged: that of the innermost location in the
-- project, else of the innermost location.
CREATE TABLE charged AS
WITH place AS (
    SELECT chain, coalesce(min(depth) FILTER (WHERE s.state <> 'foreign'), 0) AS depth
    FROM line_locations LEFT JOIN source_state s USING (source) GROUP BY chain)
SELECT l.rowid AS id, l.kernel, l.pc, c.source, c.line, coalesce(c.depth, 0) AS depth
FROM lines l JOIN line_chains i ON i.id = l.rowid
LEFT JOIN (SELECT * FROM line_locations JOIN place USING (chain, depth)) c ON c.chain = i.chain;
CREATE UNIQUE INDEX charged_key ON charged(id);

CREATE TABLE stalls AS
SELECT c.kernel, c.pc, c.source, c.line, s.reason, s.samples, s.not_issued
FROM line_stalls s JOIN charged c USING (id);
CREATE INDEX stalls_key ON stalls(kernel, source, line);

-- The reason with most samples at each instruction. A warp that was selected did not wait.
CREATE TABLE leading_stalls AS
SELECT id, reason, samples FROM (
    SELECT *, row_number() OVER (PARTITION BY id ORDER BY samples DESC, reason) AS rank
    FROM line_stalls WHERE reason <> 'selected' AND samples > 0)
WHERE rank = 1;
CREATE UNIQUE INDEX leading_stalls_key ON leading_stalls(id);

-- Each instruction where it is charged. A wide read whose lanes share words may need less than the
-- ideal, which makes up for no conflict elsewhere: its excess is 0. Copies that bypass the L1 cache
-- do not pass through the data stage; the instrumented code assumes that they do. other_excess is
-- that of instructions other than loads, ldmatrix among them, and stores.
CREATE VIEW counted AS
SELECT l.kernel, l.pc, c.source, c.line, c.depth, l.source AS own_source, l.line AS own_line,
    l.inlined_at, l.sass, 1 AS instructions, l.executed, l.threads, l.threads_on,
    l.branches_uniform, l.branches_divergent, l.shared_wavefronts, l.shared_ideal,
    CASE WHEN l.sass LIKE '%LDGSTS%.BYPASS%' THEN 0.0
        ELSE max(l.shared_wavefronts - l.shared_ideal, 0.0) END AS excess,
    CASE WHEN l.sass LIKE '%LDGSTS%.BYPASS%' THEN 0.0
        WHEN l.sass LIKE '%LDGSTS%' OR l.sass LIKE '%STSM%' OR l.sass LIKE '%ATOM%'
            THEN max(l.shared_wavefronts - l.shared_ideal, 0.0)
        WHEN l.sass IS NOT NULL THEN 0.0 END AS other_excess,
    CASE WHEN l.sass LIKE '%ATOM%' THEN max(l.shared_wavefronts - l.shared_ideal, 0.0)
        WHEN l.sass IS NOT NULL THEN 0.0 END AS atomic_excess,
    CASE WHEN l.sass LIKE '%LDGSTS%.BYPASS%' THEN 0.0
        WHEN l.sass LIKE '%LDGSTS%' THEN max(l.shared_wavefronts - l.shared_ideal, 0.0)
        WHEN l.sass IS NOT NULL THEN 0.0 END AS async_excess,
    l.global_sectors, l.global_ideal, max(l.global_sectors - l.global_ideal, 0.0) AS global_excess,
    l.local_sectors, l.samples, l.not_issued, s.reason,
    100.0 * s.samples / nullif(l.samples, 0) AS reason_pct
FROM lines l JOIN charged c ON c.id = l.rowid LEFT JOIN leading_stalls s ON s.id = l.rowid;

CREATE TABLE line_counts AS
SELECT kernel, source, line, @SUMS
FROM counted GROUP BY kernel, source, line;
CREATE INDEX line_counts_key ON line_counts(kernel, source, line);

CREATE TABLE kernel_counts AS
SELECT k.kernel, @SUMS
FROM kernels k LEFT JOIN line_counts c USING (kernel) GROUP BY k.kernel;
CREATE UNIQUE INDEX kernel_counts_key ON kernel_counts(kernel);

-- For each kernel the totals that shares are of, and its point.
CREATE TABLE kernel_totals AS
SELECT k.kernel, c.executed AS all_executed, c.samples AS all_samples,
    c.not_issued AS all_not_issued, p.launches, p.best,
    h.shared_conflicts_all AS hw_conflicts,
    h.shared_arbitration AS arbitration,
    (SELECT value FROM run WHERE key = 'device_sm_count')
        * p.time_kernels_ns * p.sm_clock_mhz / 1000.0 AS pipe_cycles,
    l.closed_form_excess_wavefronts AS closed_form
FROM kernels k JOIN kernel_counts c USING (kernel)
LEFT JOIN clean_points p ON (@POINT_KEY_OF(p))
    = (@POINT_KEY_OF(k))
LEFT JOIN launches l ON (@POINT_KEY_OF(l), l.launch)
    = (@POINT_KEY_OF(k), k.launch)
LEFT JOIN counted_launches h ON h.kernel = k.kernel;
CREATE INDEX kernel_totals_key ON kernel_totals(kernel);

CREATE VIEW instructions AS
SELECT c.*, @SHARES
FROM counted c JOIN kernel_totals t USING (kernel);

-- The stalls of a line. waiting_samples counts those for shared memory, or for the pipe that it
-- shares with global and local memory.
CREATE VIEW line_waits AS
SELECT c.*,
    (SELECT s.reason FROM stalls s
        WHERE s.kernel = c.kernel AND s.source IS c.source AND s.line IS c.line
            AND s.reason <> 'selected'
        GROUP BY s.reason ORDER BY sum(s.samples) DESC, s.reason LIMIT 1) AS reason,
    100.0 * (SELECT sum(s.samples) FROM stalls s
        WHERE s.kernel = c.kernel AND s.source IS c.source AND s.line IS c.line
            AND s.reason <> 'selected'
        GROUP BY s.reason ORDER BY sum(s.samples) DESC, s.reason LIMIT 1)
        / nullif(c.samples, 0) AS reason_pct,
    CASE WHEN c.samples IS NOT NULL THEN coalesce((SELECT sum(s.samples) FROM stalls s
        WHERE s.kernel = c.kernel AND s.source IS c.source AND s.line IS c.line
            AND s.reason IN ('short_scoreboard', 'mio_throttle', 'lg_throttle')), 0)
        END AS waiting_samples
FROM line_counts c;

CREATE VIEW line_shares AS
SELECT c.*, @SHARES,
    100.0 * c.waiting_samples / nullif(t.all_samples, 0) AS waiting_pct, t.launches
FROM line_waits c JOIN kernel_totals t USING (kernel);

CREATE VIEW line_sums AS
SELECT c.*, s.path,
    conflict_cost(c.excess, c.shared_wavefronts, c.pipe_pct, c.waiting_pct, c.sample_pct, NULL,
        c.launches, k.counts_status, k.samples_status) AS cost
FROM line_shares c JOIN kernels k USING (kernel) LEFT JOIN source_state s USING (source);

CREATE VIEW kernel_waits AS
SELECT c.*,
    (SELECT s.reason FROM stalls s WHERE s.kernel = c.kernel AND s.reason <> 'selected'
        GROUP BY s.reason ORDER BY sum(s.samples) DESC, s.reason LIMIT 1) AS reason,
    100.0 * (SELECT sum(s.samples) FROM stalls s
        WHERE s.kernel = c.kernel AND s.reason <> 'selected'
        GROUP BY s.reason ORDER BY sum(s.samples) DESC, s.reason LIMIT 1)
        / nullif(c.samples, 0) AS reason_pct,
    (SELECT count(*) FROM line_counts x
        WHERE x.kernel = c.kernel AND x.excess > 0 AND x.source IS NOT NULL) AS conflict_lines,
    (SELECT sum(x.samples) FROM line_counts x
        WHERE x.kernel = c.kernel AND x.excess > 0 AND x.source IS NOT NULL) AS conflict_samples,
    (SELECT sum(x.waiting_samples) FROM line_waits x
        WHERE x.kernel = c.kernel AND x.excess > 0 AND x.source IS NOT NULL) AS conflict_waiting
FROM kernel_counts c;

CREATE VIEW kernel_shares AS
SELECT c.*, @SHARES,
    100.0 * c.conflict_samples / nullif(c.samples, 0) AS conflict_sample_pct,
    100.0 * c.conflict_waiting / nullif(c.samples, 0) AS waiting_pct,
    100.0 * c.shared_wavefronts / nullif(t.pipe_cycles, 0) AS pipe_used_pct, t.pipe_cycles,
    t.launches, t.best, t.hw_conflicts, t.arbitration, t.closed_form
FROM kernel_waits c JOIN kernel_totals t USING (kernel);

CREATE VIEW kernel_sums AS
SELECT *,
    conflict_views(hw_conflicts, arbitration, excess, shared_wavefronts, closed_form,
        other_excess, atomic_excess, async_excess) AS views,
    conflict_views_agree(hw_conflicts, arbitration, excess, shared_wavefronts, closed_form,
        other_excess, atomic_excess, async_excess) AS views_agree,
    conflict_cost(excess, shared_wavefronts, pipe_pct, waiting_pct, conflict_sample_pct,
        conflict_lines, launches, counts_status,
        CASE WHEN lines_status = 'ok' THEN samples_status ELSE lines_status END) AS cost
FROM kernels JOIN kernel_shares USING (kernel);
