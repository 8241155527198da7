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

CREATE TABLE counter_sums AS
SELECT point, repeat, id, CASE WHEN count(*) = count(value) THEN sum(value) END AS value
FROM counter_values JOIN counter_records r USING (id)
WHERE r.is_sum OR launch = 0 GROUP BY point, repeat, id;
CREATE UNIQUE INDEX counter_sums_key ON counter_sums(point, repeat, id);
