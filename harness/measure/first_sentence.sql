-- reads: samples variants
-- makes:
-- The median clean time of each setting; of each kernel the fastest setting; of each ladder the
-- first rung and the fastest one.
WITH settings AS (
    SELECT family, variant, size, median(time_ns) AS ns
    FROM samples
    WHERE l2 = 'cold' AND kind = 'end_to_end' AND copy = 'a' AND status = 'ok'
    GROUP BY @POINT_KEY
), rungs AS (
    SELECT s.family, s.variant, s.size, v.rung, min(s.ns) AS ns
    FROM settings s JOIN variants v USING (family, variant)
    WHERE v.kind = 'kernel'
    GROUP BY s.family, s.variant, s.size
), ladders AS (
    SELECT DISTINCT family, size,
        first_value(variant) OVER by_rung AS first, first_value(ns) OVER by_rung AS first_ns,
        first_value(variant) OVER by_time AS best, first_value(ns) OVER by_time AS best_ns
    FROM rungs
    WINDOW by_rung AS (PARTITION BY family, size ORDER BY rung),
           by_time AS (PARTITION BY family, size ORDER BY ns)
)
SELECT 'provisional: ' || family || ' at ' || size_text(size) || ': ' || best || ' takes '
    || time_text(best_ns)
    || CASE WHEN best = first THEN ', no rung is faster than the first'
       ELSE ', ' || human(first_ns / best_ns) || ' times as fast as ' || first || ' ('
           || time_text(first_ns) || ')' END AS sentence
FROM ladders
ORDER BY family, size;
