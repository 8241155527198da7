-- reads: activities stages trace_samples traces
-- makes:
-- The first thing in the tables that no run can have, in words. On one track of a trace nothing may
-- overlap, but for a launch that begins before the launch ahead of it has ended (a programmatic
-- dependent launch, as cuBLAS uses them).
SELECT 'stages.csv: ''' || stage || ''' ends before it begins' FROM stages WHERE end_ns < begin_ns
UNION ALL
SELECT 'stages.csv: ''' || stage || ''' begins before ''' || earlier || ''' ends'
FROM (SELECT stage, begin_ns, lag(stage) OVER w AS earlier, lag(end_ns) OVER w AS earlier_end
    FROM stages WINDOW w AS (ORDER BY begin_ns, end_ns))
WHERE begin_ns < earlier_end
UNION ALL
SELECT * FROM (SELECT 'traces.csv: trace ' || trace || ' is there twice' FROM traces GROUP BY trace
    HAVING count(*) > 1)
UNION ALL
SELECT 'traces.csv: trace ' || trace || ' was sampled by time at no interval' FROM traces
WHERE "trigger" = 'time' AND coalesce(interval_ns, 0) <= 0
UNION ALL
SELECT 'activities.csv: there is no trace ' || trace FROM activities
WHERE trace NOT IN (SELECT trace FROM traces)
UNION ALL
SELECT 'activities.csv: a kernel of trace ' || trace || ' ends before it begins' FROM activities
WHERE end_ns < begin_ns
UNION ALL
SELECT 'activities.csv: kernels of trace ' || trace || ' overlap'
FROM (SELECT a.trace, t.begin_ns + a.begin_ns AS begin,
        lag(t.begin_ns + a.end_ns) OVER w AS earlier_end,
        a.trace = lag(a.trace) OVER w AND a.repeat = lag(a.repeat) OVER w
            AND a.launch = lag(a.launch) OVER w + 1 AS is_next_launch
    FROM activities a JOIN traces t USING (trace)
    WINDOW w AS (PARTITION BY t.family ORDER BY t.begin_ns + a.begin_ns, a.end_ns))
WHERE begin < earlier_end AND NOT is_next_launch
UNION ALL
SELECT 'trace_samples.csv: there is no trace ' || trace FROM trace_samples
WHERE trace NOT IN (SELECT trace FROM traces)
UNION ALL
SELECT 'trace_samples.csv: sample ' || sample || ' of trace ' || trace || ' takes no time'
FROM trace_samples WHERE end_ns <= begin_ns
UNION ALL
SELECT 'trace_samples.csv: samples of trace ' || trace || ' overlap'
FROM (SELECT s.trace, t.begin_ns + s.begin_ns AS begin, lag(t.begin_ns + s.end_ns) OVER (
        PARTITION BY t.family, s.track ORDER BY t.begin_ns + s.begin_ns) AS earlier_end
    FROM trace_samples s JOIN traces t USING (trace))
WHERE begin < earlier_end
LIMIT 1
