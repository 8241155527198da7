-- reads: compared device_fact
-- makes: machine_fact guard
-- Whether two runs may be compared, and what else than the code can have changed a time. A guard
-- `holds`, `fails` (the runs are not comparable), `differs` (which is told), or is `unknown`.
CREATE TABLE machine_fact AS
WITH keys(place, key) AS (VALUES (1, 'device_name'), (2, 'device_uuid'), (3, 'driver'),
    (4, 'cuda_driver'), (5, 'cuda_runtime'), (6, 'device_sm_clock_khz'),
    (7, 'device_dram_clock_khz'), (8, 'device_power_limit_w'), (9, 'device_ecc'),
    (10, 'device_mig'), (11, 'device_clock_event_reasons'))
SELECT k.place, k.key, coalesce(a.value, 'unknown') AS before, coalesce(b.value, 'unknown') AS after
FROM keys k LEFT JOIN device_fact a ON a.run = 1 AND a.key = k.key
    LEFT JOIN device_fact b ON b.run = 2 AND b.key = k.key
WHERE a.value IS NOT b.value;

-- Points with the same machine code are a control: the code did not change their times.
CREATE TABLE guard AS
WITH known AS (SELECT key, max(CASE run WHEN 1 THEN value END) AS before,
        max(CASE run WHEN 2 THEN value END) AS after FROM device_fact GROUP BY key),
    seed AS (SELECT before, after FROM known
    WHERE key = 'seed' AND before IS NOT NULL AND after IS NOT NULL),
    started AS (SELECT before, after FROM known WHERE key = 'program'),
    imported AS (SELECT before, after FROM known WHERE key = 'imported'),
    -- The fact of an imported run has the words 'Nsight Compute VERSION,'.
    tool AS (SELECT run, substr(value, instr(value, 'Nsight Compute ') + 15) || ' ' AS version
    FROM device_fact WHERE key = 'imported'),
    measurer AS (SELECT f.run, coalesce('Nsight Compute '
            || rtrim(substr(t.version, 1, instr(t.version, ' ') - 1), ',;.'),
            max(CASE f.key WHEN 'git_revision' THEN 'revision ' || f.value END)) AS name
    FROM device_fact f LEFT JOIN tool t ON t.run = f.run GROUP BY f.run),
    measured AS (SELECT (SELECT name FROM measurer WHERE run = 1) AS before,
        (SELECT name FROM measurer WHERE run = 2) AS after),
    grown AS (SELECT DISTINCT c.family || '/' || c.variant AS name, a.grid_blocks AS before,
        b.grid_blocks AS after
    FROM started, compared c
        JOIN launches_1 a ON a.family = c.family AND a.variant = c.variant AND a.size = c.size
            AND a.block = c.block AND a.sweep = c.sweep_before
        JOIN launches_2 b ON b.family = c.family AND b.variant = c.variant AND b.size = c.size
            AND b.block = c.block AND b.sweep = c.sweep_after AND b.launch = a.launch
    WHERE c.machine_code = 'same' AND a.grid_blocks <> b.grid_blocks),
    control AS (SELECT count(*) AS points, coalesce(sum(direction <> 0), 0) AS moved
    FROM compared WHERE machine_code = 'same' AND direction IS NOT NULL),
    clock AS (SELECT avg(m.sm_clock_mhz) AS before, avg(n.sm_clock_mhz) AS after
    FROM compared c
        JOIN metrics_1 m ON m.family = c.family AND m.variant = c.variant AND m.size = c.size
            AND m.block = c.block AND m.sweep = c.sweep_before
        JOIN metrics_2 n ON n.family = c.family AND n.variant = c.variant AND n.size = c.size
            AND n.block = c.block AND n.sweep = c.sweep_after
    WHERE m.sm_clock_mhz > 0 AND n.sm_clock_mhz > 0)
SELECT 1 AS place, 'inputs' AS guard, CASE WHEN (SELECT before = after FROM seed) THEN 'holds'
        WHEN (SELECT before <> after FROM seed) THEN 'fails'
        WHEN NOT EXISTS (SELECT 1 FROM imported) AND (SELECT before <> after FROM started)
            THEN 'differs' ELSE 'unknown' END AS state,
    coalesce((SELECT printf(iif(before = after, 'the seed of the inputs is %s',
            'the seeds of the inputs differ: %s, then %s'), before, after) FROM seed),
        (SELECT 'a report of Nsight Compute does not say what its program read' FROM imported),
        (SELECT printf(iif(before = after, 'the program was %s; its files are not compared',
            'the program was %s, then %s'), before, after) FROM started
        WHERE before IS NOT NULL AND after IS NOT NULL),
        'not both runs name the seed of their inputs') AS words
UNION ALL SELECT 2, 'sizes', iif(EXISTS (SELECT 1 FROM grown), 'fails', 'holds'), coalesce((SELECT
        printf('the same machine code of %s has a grid of %.0f blocks, then %.0f: the problem '
            || 'sizes differ', name, before, after) FROM grown ORDER BY name LIMIT 1),
        'points of the same size are compared')
UNION ALL SELECT 3, 'results', CASE WHEN EXISTS (SELECT 1 FROM started) THEN 'unknown'
        WHEN sum(verdict = 'failed now') > 0 THEN 'fails' ELSE 'holds' END,
    CASE WHEN EXISTS (SELECT 1 FROM started)
            THEN 'those of a program are not compared; ''whyfast diff'' compares them'
        WHEN sum(verdict = 'failed now') > 0
            THEN printf('correct before, failed now: %d', sum(verdict = 'failed now'))
        ELSE 'each run verified those that it timed' END
FROM compared
UNION ALL SELECT 4, 'device', CASE WHEN EXISTS (SELECT 1 FROM machine_fact
        WHERE key = 'device_name') THEN 'fails' WHEN EXISTS (SELECT 1 FROM machine_fact)
        THEN 'differs' ELSE 'holds' END,
    coalesce((SELECT CASE key WHEN 'device_name' THEN 'the runs were measured on different devices'
            WHEN 'device_uuid' THEN 'the runs were measured on two boards'
            ELSE 'the machine had other settings' END || ': ' || (
            SELECT group_concat(printf('%s (%s, then %s)', key, before, after), ', ')
            FROM (SELECT * FROM machine_fact ORDER BY place))
        FROM machine_fact ORDER BY place LIMIT 1), 'device, driver and settings are the same')
UNION ALL SELECT 5, 'clock', CASE WHEN before IS NULL THEN 'unknown'
        WHEN abs(after / before - 1) > 0.01 THEN 'differs' ELSE 'holds' END,
    iif(before IS NULL, 'the SM clock was not counted',
        printf('the SM clock was %.0f MHz, then %.0f MHz on average', before, after))
FROM clock
UNION ALL SELECT 6, 'unchanged', CASE WHEN points = 0 THEN 'unknown' WHEN moved THEN 'differs'
        ELSE 'holds' END,
    CASE WHEN points THEN printf('%d of %d points with the same machine code are faster or slower',
            moved, points)
        WHEN NOT EXISTS (SELECT 1 FROM compared WHERE machine_code IS NOT NULL)
            THEN 'no machine code is known in both runs'
        WHEN EXISTS (SELECT 1 FROM compared WHERE machine_code = 'same')
            THEN 'no point with the same machine code was measured often enough'
        ELSE 'no point has the same machine code in both runs' END
FROM control
UNION ALL SELECT 7, 'whyfast', CASE WHEN before = after THEN 'holds'
        WHEN before <> after THEN 'differs' ELSE 'unknown' END,
    CASE WHEN before = after THEN before || ' measured both runs'
        ELSE printf('%s measured the first run, %s the second',
            coalesce(before, 'an unknown revision'), coalesce(after, 'an unknown revision')) END
FROM measured;
