-- reads: families metrics published
-- makes: published_here
-- For each published figure the row of metrics to compare it with: of the points of its variant at
-- its size, and in its setting if it names one, a point with its threads per block, else one with
-- those of the run; of these the fastest.
CREATE TABLE published_here AS
SELECT published, here
FROM (SELECT p.rowid AS published, m.rowid AS here, row_number() OVER (PARTITION BY p.rowid
        ORDER BY m.time_ns IS NULL, p.block > 0 AND m.block_threads <> p.block,
            m.block <> coalesce(f.usual_block, m.block), m.time_ns) AS place
    FROM published p LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant
        AND m.size = p.size AND (p.sweep = 0 OR m.sweep = p.sweep)
    LEFT JOIN families f ON f.family = p.family)
WHERE place = 1;
