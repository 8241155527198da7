CREATE TABLE demands AS
WITH unit AS (
    SELECT demand.*,
        CASE WHEN resource IN ('conflicts', 'l1') THEN 'shared' ELSE resource END AS of_unit
    FROM demand JOIN steps_of s USING (family, variant) WHERE s.kind <> 'cpu'),
summed AS (
    SELECT *, sum(ns) OVER (PARTITION BY family, variant, size, block, sweep, of_unit) AS unit_ns,
        count(*) OVER point = count(ns) OVER point AS all_known
    FROM unit WINDOW point AS (PARTITION BY family, variant, size, block, sweep))
SELECT family, variant, size, block, sweep, resource, ns, 100.0 * ns / time_ns AS pct,
    CASE WHEN all_known THEN dense_rank() OVER (PARTITION BY family, variant, size, block, sweep
        ORDER BY unit_ns DESC, of_unit) END AS rank
FROM summed WHERE ns IS NULL OR ns > 0
ORDER BY family, CAST(size AS INTEGER), size, variant, block, sweep, unit_ns DESC, ns DESC,
    resource;
