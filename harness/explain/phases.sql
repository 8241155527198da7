-- Finds ramp, steady part and tail of each sampled trace: a row of `phases` for each track of each
-- trace whose samples are ok. Needs the tables of query/track_values.h with the sum of DRAM
-- traffic, the tables traces and trace_samples, and metrics with the columns of ledger_columns.
--
-- The table `shown` (query/track_values.h) holds the value of each track, the sum of DRAM reads and
-- writes included. The samples of a trace tell its life: from the begin of the first to the end of
-- the last sample in which an SM held a warp (tracks resident_warps and sms_busy), each known to
-- one interval; the samples before and after it must be idle. The life of a repeated point covers
-- all its launches and the gaps between them.
--
--   steady     median of the samples that lie wholly in the middle of the life, from 25 % to 75 %
--   low, high  5th and 95th percentile of the same samples, by nearest rank
--   ramp_ns    from the begin of the life to the begin of the first sample that reaches 90 % of
--              steady
--   tail_ns    from the end of the last such sample to the end of the life
--   integral   value times the length of a sample, summed over the samples of the life: bytes
--              for a track in GB/s
--   main       1 for the track whose ramp and tail stand for this family and size: DRAM traffic if
--              any trace of it reaches half of the peak, else the issue slots used
--
-- Ramp and tail are known to one sampling interval. They are empty for a repeated point, because
-- all launches but the first find the L2 cache warm. The status is 'not steady' if low and high
-- are more than 30 % of steady apart. An unknown value is empty, and the status gives the reason.

-- The life of each trace. It is unknown if samples before or after it are missing or not idle.
CREATE TABLE phase_life AS
WITH reach AS (
    SELECT trace, min(begin_ns) AS first_ns, max(end_ns) AS last_ns FROM trace_samples
    WHERE track IN ('resident_warps', 'sms_busy') AND value IS NOT NULL GROUP BY trace),
around AS (
    SELECT trace, b.* FROM life b JOIN reach r USING (trace)
    WHERE r.first_ns < b.begin_ns AND r.last_ns > b.end_ns)
SELECT t.trace, t.repeats, b.trace IS NOT NULL AS held, a.begin_ns, a.end_ns,
    a.end_ns - a.begin_ns AS kernel_ns
FROM traces t LEFT JOIN life b USING (trace) LEFT JOIN around a USING (trace)
WHERE t.samples_status = 'ok';
CREATE UNIQUE INDEX phase_life_key ON phase_life(trace);

-- The samples of a life by part, which is one track of one trace, in the order of the index of
-- `shown`. `middle`: the sample lies between 25 % and 75 % of the life.
CREATE TABLE phase_sample(part INTEGER, nth INTEGER, begin_ns INTEGER, end_ns INTEGER, value REAL,
    ns REAL, middle INTEGER, PRIMARY KEY(part, nth)) WITHOUT ROWID;
INSERT INTO phase_sample
SELECT l.rowid * 1000000 + k.rowid, s.rowid, s.begin_ns, s.end_ns, s.value, s.ns,
    100 * (s.begin_ns - l.begin_ns) >= 25 * l.kernel_ns
        AND 100 * (s.end_ns - l.begin_ns) <= 75 * l.kernel_ns
FROM phase_life l CROSS JOIN track k
    CROSS JOIN shown s ON s.trace = l.trace AND s.track = k.track
WHERE s.end_ns > l.begin_ns AND s.begin_ns < l.end_ns AND s.value IS NOT NULL;

-- `enough`: at least 12 samples lie in the life. `whole`: they cover it without a gap.
CREATE TABLE phase_cover(part INTEGER PRIMARY KEY, trace INTEGER, track TEXT, enough, integral,
    whole);
INSERT INTO phase_cover
SELECT part, l.trace, k.track, samples >= 12, integral,
    first_ns <= l.begin_ns AND last_ns >= l.end_ns AND covered_ns = last_ns - first_ns
FROM (SELECT part, count(*) AS samples, sum(value * ns) AS integral, min(begin_ns) AS first_ns,
        max(end_ns) AS last_ns, sum(end_ns - begin_ns) AS covered_ns
    FROM phase_sample GROUP BY part)
JOIN phase_life l ON l.rowid = part / 1000000 JOIN track k ON k.rowid = part % 1000000;
CREATE UNIQUE INDEX phase_cover_key ON phase_cover(trace, track);

CREATE TABLE phase_steady(part INTEGER PRIMARY KEY, trace INTEGER, track TEXT, steady, low, high);
INSERT INTO phase_steady
SELECT c.part, c.trace, c.track, median(s.value), nearest_rank(s.value, 5),
    nearest_rank(s.value, 95)
FROM phase_cover c CROSS JOIN phase_sample s ON s.part = c.part
WHERE c.enough AND c.whole AND s.middle GROUP BY c.part;
CREATE INDEX phase_steady_key ON phase_steady(trace);

-- The end of the ramp and the begin of the tail.
CREATE TABLE phase_edge(part INTEGER PRIMARY KEY, up_ns, down_ns);
INSERT INTO phase_edge
SELECT p.part, min(s.begin_ns), max(s.end_ns)
FROM phase_steady p CROSS JOIN phase_sample s ON s.part = p.part
WHERE p.steady > 0 AND 100 * s.value >= 90 * p.steady GROUP BY p.part;

-- The track whose ramp and tail stand for a family and size.
CREATE TABLE phase_main AS
SELECT t.family, t.size, CASE
        WHEN max(CASE p.track WHEN 'dram' THEN p.steady END)
            >= 0.5 * (SELECT max(dram_peak_gbs) FROM metrics)
        THEN 'dram' ELSE 'issue' END AS track
FROM traces t LEFT JOIN phase_steady p USING (trace)
WHERE t.samples_status = 'ok' GROUP BY t.family, t.size;

CREATE TABLE phases AS
WITH sampled AS (
    SELECT DISTINCT trace, track FROM trace_samples
    UNION SELECT trace, 'dram' FROM trace_samples WHERE track IN ('dram_read', 'dram_write'))
SELECT @POINT_KEY_OF(t), t.trace, d.track, l.kernel_ns,
    CASE WHEN t.repeats = 1 THEN e.up_ns - l.begin_ns END AS ramp_ns, p.steady,
    CASE WHEN t.repeats = 1 THEN l.end_ns - e.down_ns END AS tail_ns, p.low, p.high,
    CASE WHEN c.whole THEN c.integral END AS integral,
    CASE
        WHEN l.held = 0 THEN 'absent: no sample in which an SM held a warp'
        WHEN l.kernel_ns IS NULL THEN 'absent: the samples do not cover the whole kernels'
        WHEN d.track = 'dram' AND c.whole IS NULL THEN 'absent: reads or writes are missing'
        WHEN k.track IS NULL THEN 'absent: no record describes this counter'
        WHEN EXISTS (SELECT 1 FROM impossible_samples i
            WHERE i.trace = t.trace AND i.track = d.track)
            THEN 'absent: samples have impossible values'
        WHEN coalesce(c.whole, 0) = 0 THEN 'absent: samples are missing while its kernels ran'
        WHEN c.enough = 0 THEN 'absent: too short for the sampling interval'
        WHEN e.up_ns IS NULL THEN 'absent: its steady part is 0'
        WHEN 100 * (p.high - p.low) > 30 * p.steady THEN 'not steady'
        ELSE 'ok'
    END AS status, l.begin_ns, l.end_ns, CAST(d.track = m.track AS INTEGER) AS main
FROM traces t JOIN phase_life l USING (trace)
    JOIN phase_main m ON m.family = t.family AND m.size = t.size
    JOIN sampled d ON d.trace = t.trace
    LEFT JOIN track k ON k.track = d.track
    LEFT JOIN phase_cover c ON c.trace = t.trace AND c.track = d.track
    LEFT JOIN phase_steady p ON p.part = c.part
    LEFT JOIN phase_edge e ON e.part = c.part
ORDER BY t.family, CAST(t.size AS INTEGER), t.size, t.variant, t.trace, k.place, d.track;
