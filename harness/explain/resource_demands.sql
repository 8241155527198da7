-- reads: demand steps_of
-- makes: demands
-- For the best setting of whatever runs on the GPU one row for each metric demand_<resource>_ns. An
-- unused resource (0 ns) has no row. An unknown demand has a row with empty cells; it could be the
-- limiter, so no other has a rank but one at its limit (account.h). Conflicts, shared memory and
-- the other traffic of L1 (l1) share one unit, its data stage, and the rank of their sum.
CREATE TABLE demands AS
WITH unit AS (
    SELECT demand.*,
        CASE WHEN resource IN ('conflicts', 'l1', 'same_word') THEN 'shared' ELSE resource
            END AS of_unit
    FROM demand JOIN steps_of s USING (family, variant) WHERE s.kind <> 'cpu'),
summed AS (
    SELECT *, sum(ns) OVER (PARTITION BY @POINT_KEY, of_unit) AS unit_ns,
        count(*) OVER point = count(ns) OVER point AS all_known
    FROM unit WINDOW point AS (PARTITION BY @POINT_KEY))
SELECT @POINT_KEY, resource, ns, 100.0 * ns / time_ns AS pct,
    CASE WHEN all_known OR (unit_ns >= @LIMIT_OF_UNITS * time_ns AND unit_ns = max(unit_ns)
        OVER (PARTITION BY @POINT_KEY)) THEN dense_rank() OVER (PARTITION BY @POINT_KEY
        ORDER BY unit_ns DESC, of_unit) END AS rank
FROM summed WHERE ns IS NULL OR ns > 0
ORDER BY family, CAST(size AS INTEGER), size, variant, block, sweep, unit_ns DESC, ns DESC,
    resource;
