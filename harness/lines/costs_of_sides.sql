-- reads: knocked_out metrics sides
-- makes: side_cost scaled_cost
-- The costs that accounts know from knock-outs (explain/account.h): measured at one size, and, at
-- others, what that says of the same kernel, both in their best settings. There a cost grows as the
-- useful work. The time may grow by more or by less: a cost has a least and a most by so much.
-- Barriers and bank conflicts cost what they do alone, or beside the other ones. That holds where
-- all SMs have work at both sizes, and for at most 64 times as much work.
CREATE TABLE side_cost AS
SELECT @POINT_KEY, cause AS cost, saved_ns, is_none FROM knocked_out WHERE is_measured
UNION ALL SELECT @POINT_KEY, 'loads', saved_ns, is_none FROM knocked_out
WHERE knockout = 'global_loads' AND is_whole AND is_cost
UNION ALL SELECT @POINT_KEY, knockout, saved_ns, is_none FROM knocked_out
WHERE knockout IN ('half_tensor', 'register_banks') AND is_whole;
CREATE INDEX side_cost_key ON side_cost(@POINT_KEY, cost);
CREATE TABLE scaled_cost AS
WITH point AS (
    SELECT *, coalesce(useful_operations, useful_bytes) AS work FROM metrics
    WHERE best = 1 AND sm_coverage_pct > 90),
beside AS (
    SELECT c.*, coalesce(b.saved_ns - o.saved_ns, c.saved_ns) AS beside_ns
    FROM side_cost c LEFT JOIN side_cost b ON (@POINT_KEY_OF(b), b.cost)
            = (@POINT_KEY_OF(c), 'barriers_conflicts')
        LEFT JOIN side_cost o ON (@POINT_KEY_OF(o), o.cost) = (@POINT_KEY_OF(c), CASE c.cost
            WHEN 'barriers' THEN 'bank_conflicts' WHEN 'bank_conflicts' THEN 'barriers' END)),
scaled AS (
    SELECT @POINT_KEY_OF(m), c.cost, min(c.saved_ns, c.beside_ns) * m.work / p.work AS least_ns,
        max(c.saved_ns, c.beside_ns) * m.work / p.work AS most_ns, m.time_ns,
        iif(c.is_none, 0, m.time_ns - p.time_ns * m.work / p.work) AS beyond_ns
    FROM beside c JOIN point p USING (@POINT_KEY)
        JOIN point m ON (m.family, m.variant, m.block, m.device)
            = (p.family, p.variant, p.block, p.device) AND m.size <> p.size
    WHERE m.work <= 64 * p.work AND p.work <= 64 * m.work
        AND NOT EXISTS (SELECT 1 FROM side_cost o
            WHERE (@POINT_KEY_OF(o), o.cost) = (@POINT_KEY_OF(m), c.cost)))
SELECT @POINT_KEY, cost, max(least_ns + min(beyond_ns, 0), 0) AS least_ns,
    min(most_ns + max(beyond_ns, 0), time_ns) AS most_ns
FROM scaled;
INSERT INTO sides
SELECT @POINT_KEY, NULL, 'measured_' || cost || '_ns', saved_ns FROM side_cost
UNION ALL SELECT @POINT_KEY, NULL, 'scaled_' || cost || '_least_ns', least_ns FROM scaled_cost
UNION ALL SELECT @POINT_KEY, NULL, 'scaled_' || cost || '_most_ns', most_ns FROM scaled_cost;
