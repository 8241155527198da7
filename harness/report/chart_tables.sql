-- reads: families life metrics points run said shown sizes steps variants wanted_sizes
-- makes: chart_size chart_other chart_noun chart_rung level chart_step
-- The tables that scripts under plots/ read besides the run's own. wanted_sizes(size) holds the
-- sizes that the user named; without any, each family has its primary one.
CREATE TABLE chart_size AS
SELECT family, size, coalesce(title, family) || CASE WHEN size = 'as_run' THEN '' ELSE
    iif(size LIKE '%x%', ', ', ', n = ') || size_text(size) END AS subject, bytes
FROM sizes LEFT JOIN families f USING (family)
WHERE CASE WHEN EXISTS (SELECT 1 FROM wanted_sizes)
    THEN size IN (SELECT size FROM wanted_sizes) ELSE place = 1 END
ORDER BY family, bytes, size;

-- What the title of a picture of another size ends with.
CREATE TABLE chart_other AS SELECT family, size, printf(' (%s%s)', iif(size LIKE '%x%', '', 'n = '),
    size_text(size)) AS at_size FROM sizes
WHERE (family, size) NOT IN (SELECT family, size FROM chart_size);

-- What a row is: a kernel of a program does not take the place of another, so none is the fastest.
CREATE TABLE chart_noun AS SELECT count(*) AS is_program, iif(count(*), 'kernel', 'rung') AS noun
FROM run WHERE key IN ('program_starts', 'imported');

-- Every rung of these sizes, at its row of a picture; metrics join by name. A title is in quotes.
CREATE TABLE chart_rung AS
SELECT s.family, s.size, s.subject, v.variant, v.kind, v.rung, '“' || v.title || '”' AS title,
    replace(v.rung || ' ' || v.title, ',', char(8218)) AS label, m.time_ns, m.block, m.sweep,
    row_number() OVER (PARTITION BY s.family, s.size ORDER BY v.kind = 'cpu', v.rung, v.variant) - 1
        AS at, replace(CASE WHEN max(p.status = 'ok') THEN 'not measured'
        ELSE max(status_text(p.status, p.trials, p.wrong_trials)) END, ',', char(8218)) AS word
FROM chart_size s JOIN points p ON p.family = s.family AND p.size = s.size
JOIN variants v ON v.family = p.family AND v.variant = p.variant
LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size = p.size
    AND m.best = 1
GROUP BY s.family, s.size, v.variant;
CREATE INDEX chart_rung_key ON chart_rung(family, size, variant);

-- The mean of each track over the time in which an SM held a warp. A median would leave out the
-- pauses of device memory, such as its refresh.
CREATE TABLE level AS
SELECT trace, s.track, sum(s.value * (s.end_ns - s.begin_ns)) / sum(s.end_ns - s.begin_ns) AS level
FROM shown s JOIN life l USING (trace)
WHERE s.value IS NOT NULL AND s.begin_ns >= l.begin_ns AND s.end_ns <= l.end_ns
GROUP BY trace, s.track;
CREATE INDEX level_key ON level(trace, track);

-- Every step of these sizes that was timed.
CREATE TABLE chart_step AS
SELECT r.family, r.size, r.subject, r.variant, r.rung, r.title, r.label, s.after,
    a.label AS after_label, a.rung AS after_rung, s.speedup_prev, s.speedup_prev_low,
    s.speedup_prev_high, h.direction, h.sentence, r.time_ns, a.time_ns AS before_ns,
    a.at = r.at - 1 AS is_next,
    row_number() OVER (PARTITION BY r.family, r.size ORDER BY r.rung, r.variant) - 1 AS at
FROM chart_rung r JOIN steps s ON s.family = r.family AND s.variant = r.variant AND s.size = r.size
JOIN chart_rung a ON a.family = r.family AND a.size = r.size AND a.variant = s.after
JOIN said h ON h.family = s.family AND h.variant = s.variant AND h.size = s.size
    AND h.block = s.block AND h.place = 0
WHERE s.speedup_prev IS NOT NULL
GROUP BY r.family, r.size, r.variant;
