-- reads: points samples variants
-- makes: timing
-- A series is the samples of one point with the same l2, kind and copy. It is numbered in the order
-- of samples.csv. main = 1 for the series that time_ns is of.

CREATE INDEX points_key ON points(@POINT_KEY);

CREATE TABLE timing(point INTEGER, l2 TEXT, kind TEXT, copy TEXT, series INTEGER PRIMARY KEY,
    samples INTEGER, last_round INTEGER, throttled INTEGER, main INTEGER, clock REAL,
    median REAL, low REAL, high REAL, q1 REAL, q3 REAL);

INSERT INTO timing(point, l2, kind, copy, series, samples, last_round, throttled, main, clock)
SELECT p.rowid, s.l2, s.kind, s.copy, row_number() OVER (ORDER BY min(s.rowid)) - 1,
    count(s.time_ns) FILTER (WHERE s.status = 'ok'),
    max(CAST(s.round AS INTEGER)) FILTER (WHERE s.status = 'ok' AND s.time_ns IS NOT NULL),
    sum(s.status <> 'ok'),
    coalesce(@MAIN_SERIES, 0),
    median(s.sm_clock_mhz) FILTER (WHERE s.status = 'ok' AND s.time_ns IS NOT NULL)
FROM samples s JOIN points p USING (@POINT_KEY)
LEFT JOIN variants v USING (family, variant)
GROUP BY p.rowid, s.l2, s.kind, s.copy;

CREATE INDEX timing_point ON timing(point);
