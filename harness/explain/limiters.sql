-- reads: demands resource_unit
-- makes: limiters
-- What limits a point: the busiest unit, if it is busy for @SAID_LIMIT_PCT % of the time.
CREATE TABLE limiters AS
SELECT @POINT_KEY, iif(sum(d.pct) >= @SAID_LIMIT_PCT,
    group_concat(DISTINCT coalesce(t.title, d.resource)), 'latency') AS limiter
FROM demands d LEFT JOIN resource_unit t USING (resource) WHERE d.rank = 1 GROUP BY @POINT_KEY;
