-- reads: ceilings families metrics noise variants
-- makes: ledger_base ledger_metrics ledger_formula
-- One row for each point that ran on the GPU and has counters: cycles per scheduler, and how
-- uncertain they are. A name in _noise is relative, one in _half is half of a 95 % interval in
-- cycles. Repeats that are missing say nothing; the residual always does. launch is NULL if its
-- cost was not measured, imbalance if the busiest SM is not known; the residual has them then. The
-- tail is a difference of two counters read in passes of their own, and as uncertain as both.
CREATE TABLE ledger_base AS
WITH cost AS (
    SELECT max(CASE ceiling WHEN 'launch_ns' THEN value END) AS one,
        max(CASE ceiling WHEN 'launch_ns' THEN high - low END) AS one_width,
        max(CASE ceiling WHEN 'next_launch_ns' THEN value END) AS next,
        max(CASE ceiling WHEN 'next_launch_ns' THEN high - low END) AS next_width
    FROM ceilings),
counted AS (
    SELECT row_number() OVER (ORDER BY @POINT_KEY) AS point,
        @POINT_KEY,
        m.time_ns, m.sm_clock_mhz / 1000 AS ghz, m.launches,
        coalesce(m.clock_shorter_ns, 0) AS shorter,
        (m.time_high_ns - m.time_low_ns) / 2 * m.sm_clock_mhz / 1000 AS elapsed_half,
        m.scheduler_cycles_issued / m.scheduler_count AS issued,
        m.scheduler_cycles_idle / m.scheduler_count AS stalled,
        m.sm_cycles_active_busiest AS busiest, m.warp_instructions_hw AS instructions,
        max(m.useful_operations - coalesce(m.tensor_operations, 0), 0) / 32
            / CASE WHEN f.unit LIKE 'tensor%' THEN 2 ELSE f.operations_per_lane END
            / m.scheduler_count AS work, -- of a tensor family, multiply-adds of the lanes
        CASE WHEN m.tensor_operations > 0
            THEN min(m.useful_operations / m.tensor_operations, 1) ELSE 0 END AS tensor_useful,
        n.scheduler_cycles_issued / m.scheduler_cycles_issued AS moved,
        abs(m.warp_instructions_hw - m.warp_instructions_sass) / m.warp_instructions_hw AS differs,
        n.scheduler_cycles_active / nullif(m.scheduler_cycles_active, 0) AS active_noise,
        n.sm_cycles_active_busiest AS busiest_half,
        n.scheduler_cycles_active / m.scheduler_count AS active_half
    FROM metrics m JOIN variants v USING (family, variant) LEFT JOIN families f USING (family)
        LEFT JOIN noise n USING (@POINT_KEY)
    WHERE m.best = 1 AND v.kind IS NOT 'cpu' AND m.time_ns > 0 AND m.sm_clock_mhz > 0
        AND m.scheduler_count > 0 AND m.scheduler_cycles_issued > 0
        AND m.scheduler_cycles_idle IS NOT NULL),
parts AS (
    SELECT *, time_ns * ghz AS elapsed, max(busiest - issued - stalled, 0) AS imbalance,
        sqrt(busiest_half * busiest_half + active_half * active_half) AS imbalance_half,
        (max(one - shorter, 0)
            + (launches - 1) * coalesce(next, CASE launches WHEN 1 THEN 0 END)) * ghz AS launch,
        (one_width + (launches - 1) * coalesce(next_width, 0)) / 2 * ghz AS launch_half
    FROM counted, cost),
summed AS (
    SELECT *, elapsed - issued - stalled - coalesce(imbalance, 0) - coalesce(launch, 0)
        AS residual FROM parts)
SELECT *, max(coalesce(moved, differs), coalesce(differs, moved)) AS issued_noise,
    max(coalesce(active_noise, 0), abs(residual) / elapsed) AS noise,
    CASE
        WHEN abs(residual) <= 1.0 / 100 * elapsed THEN 'closed'
        WHEN launch IS NULL THEN 'the cost of a launch was not measured'
        WHEN time_ns < 20000.0 THEN 'short: the cost of its launch is not known to within 1 %'
        ELSE printf('the counted launches took %.2f %% %s than the clean ones',
            100 * abs(residual) / elapsed, CASE WHEN residual > 0 THEN 'less' ELSE 'more' END)
    END AS closing
FROM summed;
CREATE UNIQUE INDEX ledger_base_point ON ledger_base(point);
CREATE VIEW ledger_metrics AS
SELECT b.point, m.* FROM metrics m JOIN ledger_base b USING (@POINT_KEY);
CREATE TABLE ledger_formula(point INTEGER, field TEXT, term TEXT, value REAL);
