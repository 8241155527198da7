-- The counters of the run by the point's rowid. `id` is NULL for a counter without a record; rows
-- of unknown points are ignored. A launch without a value makes the sum over launches NULL.

CREATE TABLE counter_values AS
SELECT p.rowid AS point, c.repeat, c.launch, r.id, c.value
FROM counters c JOIN points p USING (@POINT_KEY)
LEFT JOIN counter_records r USING (counter);
DROP TABLE counters;
CREATE INDEX counter_values_key ON counter_values(point, repeat, launch, id);

CREATE TABLE repeats AS SELECT DISTINCT point, repeat FROM counter_values;
CREATE INDEX repeats_point ON repeats(point);

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

CREATE TABLE counter_sums AS
SELECT point, repeat, id, CASE WHEN count(*) = count(value) THEN sum(value) END AS value
FROM counter_values JOIN counter_records r USING (id) LEFT JOIN longest_launches g USING (point)
WHERE r.is_sum OR counter_values.launch = coalesce(g.launch, 0) GROUP BY point, repeat, id;
CREATE UNIQUE INDEX counter_sums_key ON counter_sums(point, repeat, id);
