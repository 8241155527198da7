-- reads: families points
-- makes: sizes
-- The sizes of each family in the order in which they are shown. Place 1 is its primary size: that
-- at which single instructions were counted, else the largest. Sizes at which nothing ran are last.
CREATE TABLE sizes AS
SELECT p.family, p.size, p.bytes, p.operations, row_number() OVER (PARTITION BY p.family
    ORDER BY p.has_run DESC, coalesce(p.size = f.lines_size, 0) DESC, p.bytes DESC, p.size) AS place
FROM (SELECT family, size, max(useful_bytes) AS bytes, max(useful_operations) AS operations,
        max(status = 'ok') AS has_run FROM points GROUP BY family, size) p
    LEFT JOIN families f USING (family);
CREATE UNIQUE INDEX sizes_key ON sizes(family, size);
