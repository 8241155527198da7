-- reads: conflict_lines
-- makes: conflict_places access_words
-- What several accesses of a kind are called, if it is no instruction.
CREATE TABLE access_words(kind, words);
INSERT INTO access_words VALUES ('load', 'loads'), ('store', 'stores'), ('atomic', 'atomics'),
    ('asynchronous copy', 'asynchronous copies'), ('access', 'accesses');
-- The worst line of each kernel, or the lines that tie for it.
CREATE TABLE conflict_places AS
WITH worst AS (
    SELECT *, rank() OVER (PARTITION BY family, variant, size, block, sweep, device
        ORDER BY excess DESC) AS nth FROM conflict_lines)
SELECT family, variant, size, block, sweep, device, max(excess) AS excess, CASE WHEN count(*) < 3
        THEN group_concat(at, ' and ') ELSE min(at) || printf(' and %d other lines', count(*) - 1)
        END || iif(count(*) > 1, printf(', %.3g %% each', max(share_pct)), '') AS at,
    count(*) > 1 AS is_tie
FROM (SELECT *, path || ':' || CAST(line AS INTEGER) || coalesce(' (called at ' || called_path
        || ':' || CAST(called_line AS INTEGER) || ')', '') AS at
    FROM worst WHERE nth = 1 AND path IS NOT NULL ORDER BY place)
GROUP BY family, variant, size, block, sweep, device;
CREATE INDEX conflict_places_key ON conflict_places(family, variant);
