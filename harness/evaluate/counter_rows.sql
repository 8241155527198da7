-- reads: counter_records counters points
-- makes: counter_values repeats collected_once longest_launches counter_sums
-- The counters of the run by the point's rowid. `id` is NULL for a counter without a record; rows
-- of unknown points are ignored. A launch without a value makes the sum over launches NULL.

CREATE TABLE counter_values AS
SELECT p.rowid AS point, c.repeat, c.launch, r.id, c.value
FROM counters c JOIN points p USING (@POINT_KEY)
LEFT JOIN counter_records r USING (counter);

CREATE TABLE repeats AS SELECT DISTINCT point, repeat FROM counter_values;
CREATE INDEX repeats_point ON repeats(point);

-- Counts by instrumentation are collected in the first repeat alone, and hold for the others.
CREATE TABLE collected_once AS
SELECT point, id FROM counter_values WHERE id IS NOT NULL GROUP BY point, id
HAVING max(repeat) = 0 AND point IN (SELECT point FROM repeats WHERE repeat > 0);
CREATE UNIQUE INDEX collected_once_key ON collected_once(point, id);
INSERT INTO counter_values
SELECT v.point, r.repeat, v.launch, v.id, v.value
FROM counter_values v JOIN collected_once o USING (point, id)
JOIN repeats r ON r.point = v.point AND r.repeat > 0;
CREATE INDEX counter_values_key ON counter_values(point, repeat, id, launch, value);

-- The launch with the most cycles, the first of several. A ratio of the point is that of this
-- launch.
CREATE TABLE longest_launches AS
SELECT point, launch FROM (
    SELECT point, launch,
        row_number() OVER (PARTITION BY point ORDER BY sum(value) DESC, launch) AS rank
    FROM counter_values JOIN counter_records r USING (id)
    WHERE r.counter = 'sm_cycles_elapsed' GROUP BY point, launch)
WHERE rank = 1;
CREATE UNIQUE INDEX longest_launches_point ON longest_launches(point);

CREATE TABLE counter_sums(point INTEGER, repeat INTEGER, id INTEGER, value REAL,
    PRIMARY KEY(point, repeat, id)) WITHOUT ROWID;
INSERT INTO counter_sums
SELECT point, repeat, id, CASE WHEN count(*) = count(value) THEN sum(value) END AS value
FROM counter_values CROSS JOIN counter_records r USING (id)
LEFT JOIN longest_launches g USING (point)
WHERE r.is_sum OR counter_values.launch = coalesce(g.launch, 0) GROUP BY point, repeat, id;
