-- reads: activities chosen figures life process stages trace_samples
-- makes: event named trace_point sampled
-- Events, in the order of the file. Thread 10 * pid + 1 of a family has its kernels, 10 * pid + 2
-- its samples. Absent values have no place in an event: json_patch leaves NULL out.
CREATE TABLE event(json TEXT);

CREATE TABLE named AS
SELECT 1 AS pid, 1 AS tid, 'process_name' AS kind, 'host' AS value
UNION ALL SELECT 1, 1, 'thread_name', 'stages'
UNION ALL SELECT pid, 10 * pid + 1, 'process_name', family FROM process
UNION ALL SELECT pid, 10 * pid + 1, 'thread_name', 'kernels' FROM process
UNION ALL SELECT pid, 10 * pid + 2, 'thread_name', 'counters sampled' FROM process p
WHERE EXISTS (SELECT 1 FROM chosen s JOIN trace_samples USING (trace) WHERE s.pid = p.pid);
INSERT INTO event
SELECT json_object('name', kind, 'ph', 'M', 'pid', pid, 'tid', tid,
    'args', json_object('name', value)) FROM named;
INSERT INTO event
SELECT json_object('name', replace(kind, '_name', '_sort_index'), 'ph', 'M', 'pid', pid,
    'tid', tid, 'args', json_object('sort_index', CASE kind WHEN 'process_name' THEN pid ELSE tid
    END)) FROM named;

-- Consecutive rows of a stage are one event, and each of them about a family is one inside it. A
-- nested event follows the one around it.
INSERT INTO event
WITH numbered AS (
    SELECT *, row_number() OVER (ORDER BY begin_ns, end_ns)
        - row_number() OVER (PARTITION BY stage ORDER BY begin_ns, end_ns) AS island
    FROM stages),
shown_stage(name, cat, args, begin_ns, end_ns, depth) AS (
    SELECT stage, stage, '{}', min(begin_ns), max(end_ns), 0 FROM numbered GROUP BY stage, island
    UNION ALL SELECT family || coalesce(' ' || size, ''), family || '/' || stage, json_patch('{}',
        json_object('stage', stage, 'family', family, 'size', size)), begin_ns, end_ns, 1
    FROM stages WHERE family IS NOT NULL)
SELECT json_object('name', name, 'cat', cat, 'ph', 'X', 'pid', 1, 'tid', 1,
    'ts', json(microseconds(begin_ns)), 'dur', json(microseconds(end_ns - begin_ns)),
    'args', json(args))
FROM shown_stage ORDER BY begin_ns, depth;

-- The keys of the point of each trace as a JSON object, and its figures.
CREATE TABLE trace_point AS
SELECT s.trace, json_object('family', s.family, 'variant', s.variant, 'size', s.size,
    'block', s.block, 'sweep', s.sweep, 'counter_set', s.counter_set) AS keys,
    (SELECT f.json FROM figures f WHERE f.family = s.family AND f.variant = s.variant
        AND f.size = s.size AND f.block = s.block AND f.sweep = s.sweep) AS figures
FROM chosen s;
CREATE INDEX trace_point_key ON trace_point(trace);

-- Slices of a track may not overlap: a kernel's ends where the next launch begins, and says for how
-- long both ran.
INSERT INTO event
SELECT json_object('name', s.name || CASE WHEN s.launches > 1
        THEN printf(', %d of %d', a.launch + 1, s.launches) ELSE '' END,
    'cat', s.family || '/timeline', 'ph', 'X', 'pid', pid, 'tid', 10 * pid + 1,
    'ts', json(microseconds(s.begin_ns + a.begin_ns)),
    'dur', json(microseconds(min(a.end_ns, coalesce(next_ns, a.end_ns)) - a.begin_ns)),
    'args', json(json_patch(p.keys, json_object('kernel', a.kernel, 'launch', a.launch,
        'repeat', a.repeat, 'overlaps_next_ns',
        CASE WHEN next_ns < a.end_ns THEN a.end_ns - next_ns END,
        'grid', printf('%d x %d x %d', a.grid_x, a.grid_y, a.grid_z),
        'block_threads', printf('%d x %d x %d', a.block_x, a.block_y, a.block_z),
        'registers', a.registers, 'static_shared_bytes', a.static_shared_bytes,
        'dynamic_shared_bytes', a.dynamic_shared_bytes, 'point', json(p.figures)))))
FROM (SELECT *, lead(begin_ns) OVER (PARTITION BY trace, repeat ORDER BY launch) AS next_ns
        FROM activities) a
    JOIN chosen s USING (trace) JOIN trace_point p USING (trace)
ORDER BY pid, s.begin_ns + a.begin_ns, a.end_ns;

-- When there were samples, and whether the last one found the device idle.
CREATE TABLE sampled AS
SELECT *, begin_ns + first_ns AS sampled_begin, begin_ns + last_end_ns AS sampled_end,
    coalesce((SELECT max(value) FROM trace_samples x WHERE x.trace = s.trace
        AND x.begin_ns = last_begin_ns AND x.track IN ('resident_warps', 'sms_busy')) = 0, 0)
        AS is_idle
FROM chosen s JOIN (SELECT trace, min(begin_ns) AS first_ns, max(begin_ns) AS last_begin_ns,
        max(end_ns) AS last_end_ns, count(DISTINCT sample) AS samples
    FROM trace_samples GROUP BY trace) USING (trace);

-- When there were samples, and inside of that when kernels ran.
INSERT INTO event
WITH shown_trace(pid, name, cat, begin_ns, end_ns, depth, args) AS (
    SELECT pid, name || ': ' || counter_set, family, sampled_begin, sampled_end, 0,
        json_patch(p.keys, json_object('repeats', repeats, 'interval_ns', interval_ns,
            'trigger', "trigger", 'samples', samples))
    FROM sampled JOIN trace_point p USING (trace)
    UNION ALL SELECT pid, name, family, s.begin_ns + l.begin_ns, s.begin_ns + l.end_ns, 1,
        json_patch(p.keys, json_object('from', 'samples', 'repeats', repeats,
            'point', json(p.figures)))
    FROM sampled s JOIN life l USING (trace) JOIN trace_point p USING (trace))
SELECT json_object('name', name, 'cat', cat || '/timeline', 'ph', 'X', 'pid', pid,
    'tid', 10 * pid + 2, 'ts', json(microseconds(begin_ns)),
    'dur', json(microseconds(end_ns - begin_ns)), 'args', json(args))
FROM shown_trace ORDER BY pid, begin_ns, depth;
