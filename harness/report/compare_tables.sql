-- reads: best cause cause_lines kernels line_rows pair_said pair_steps place rungs source_text
--        witness witness_values
-- makes: compare_rungs compare_metrics compare_rows compare_notes compare_verdicts compare_causes
--        compare_pairs compare_values compare_moved compare_lines compare_hot compare_places
-- What compare.html shows of each pair of rungs (explain/pairs.h), with numbers in place of names.
CREATE TABLE compare_rungs AS
SELECT family, variant, row_number() OVER (PARTITION BY family ORDER BY rung, variant) - 1 AS number
FROM rungs WHERE (family, variant) IN (SELECT family, variant FROM pair_steps);
CREATE UNIQUE INDEX compare_rungs_key ON compare_rungs(family, variant);
CREATE TABLE compare_metrics AS
SELECT name, place, row_number() OVER (ORDER BY place) - 1 AS number FROM witness;

CREATE TABLE compare_rows AS
SELECT family, variant, after, place, id, title, saved_ns, share_pct,
    direction, proves, note
FROM pair_said WHERE place > 0;
CREATE TABLE compare_notes AS
SELECT note, row_number() OVER (ORDER BY note) - 1 AS number
FROM (SELECT DISTINCT note FROM compare_rows WHERE note IS NOT NULL);
CREATE TABLE compare_verdicts AS
SELECT evidence, row_number() OVER (ORDER BY evidence) - 1 AS number
FROM (SELECT DISTINCT evidence FROM pair_steps);
CREATE TABLE compare_causes AS
SELECT r.family, r.id, r.title, c.area, m.number AS witness,
    row_number() OVER (PARTITION BY r.family ORDER BY c.place, r.title) - 1 AS number
FROM (SELECT DISTINCT family, id, title FROM compare_rows) r LEFT JOIN cause c ON c.cause = r.id
    LEFT JOIN compare_metrics m ON m.name = c.witness;
CREATE INDEX compare_causes_key ON compare_causes(family, title);

-- The rows of a pair as JSON, and in a form in which those of the reverse pair are the same if its
-- causes save the opposite.
CREATE TABLE compare_pairs AS
WITH numbered AS (
    SELECT r.*, c.number AS cause, n.number AS words
    FROM compare_rows r JOIN compare_causes c ON c.family = r.family AND c.title = r.title
            AND c.id IS r.id
        LEFT JOIN compare_notes n USING (note)
    ORDER BY r.family, r.variant, r.after, r.place),
joined AS (
    SELECT family, variant, after, json_group_array(json_patch('{}', json_object('c',
            cause, 's', short_number(saved_ns), 'p', short_number(share_pct, 3), 'd',
            nullif(direction, 0), 'w', nullif(proves, 0), 'n', words))) AS causes,
        group_concat(printf('%d %d %d %.3g', cause, words, direction, saved_ns), ';') AS there,
        group_concat(printf('%d %d %d %.3g', cause, words, -direction, 0 - saved_ns), ';') AS back
    FROM numbered GROUP BY family, variant, after)
SELECT s.*, b.number AS a, a.number AS b, v.number AS verdict, h.sentence, j.causes, j.there, j.back
FROM pair_steps s JOIN compare_verdicts v USING (evidence)
    JOIN compare_rungs a USING (family, variant)
    JOIN compare_rungs b ON b.family = s.family AND b.variant = s.after
    JOIN pair_said h ON h.family = s.family AND h.variant = s.variant AND h.after = s.after
        AND h.place = 0
    LEFT JOIN joined j ON j.family = s.family AND j.variant = s.variant AND j.after = s.after;
CREATE UNIQUE INDEX compare_pairs_key ON compare_pairs(family, a, b);
UPDATE compare_pairs SET causes = NULL WHERE b < a AND there = (SELECT o.back
    FROM compare_pairs o WHERE o.family = compare_pairs.family AND o.a = compare_pairs.b
        AND o.b = compare_pairs.a);

-- The metrics that moved by at least 2 % between two rungs, at most eight, the most first.
CREATE TABLE compare_values AS
SELECT r.family, r.number AS rung, m.number AS metric, v.value
FROM witness_values v JOIN compare_rungs r USING (family, variant) JOIN place p USING (family, size)
    JOIN compare_metrics m ON m.place = v.place
WHERE p.place = 1 AND v.value IS NOT NULL;
CREATE INDEX compare_values_key ON compare_values(family, metric);
CREATE TABLE compare_moved AS
SELECT family, a, b, json_group_array(metric) AS metrics
FROM (SELECT x.family, x.rung AS a, y.rung AS b, x.metric, row_number() OVER (
            PARTITION BY x.family, x.rung, y.rung
            ORDER BY abs(ln(abs(x.value / nullif(y.value, 0)))) DESC NULLS FIRST, x.metric) AS nth
    FROM compare_values x JOIN compare_values y USING (family, metric)
    WHERE x.rung < y.rung AND abs(x.value - y.value) >= 0.02 * max(abs(x.value), abs(y.value))
        AND x.value <> y.value ORDER BY 1, 2, 3, nth)
WHERE nth <= 8 GROUP BY family, a, b;
CREATE UNIQUE INDEX compare_moved_key ON compare_moved(family, a, b);

-- Where causes happen, the lines with the most stall samples, and the list of these places.
CREATE TABLE compare_lines AS
SELECT c.family, c.variant, l.cause, l.path || ':' || l.line AS at
FROM cause_lines l JOIN compare_rungs c USING (family, variant)
WHERE l.cause IN (SELECT id FROM compare_causes o WHERE o.family = l.family);
CREATE TABLE compare_hot AS
SELECT * FROM (
    SELECT c.family, c.variant, l.path || ':' || CAST(l.line AS INTEGER) AS at,
        trim(t.text) AS text, l.sample_pct, replace(l.reason, '_', ' ') AS reason, row_number()
        OVER (PARTITION BY c.family, c.variant ORDER BY l.sample_pct DESC, l.path, l.line) AS nth
    FROM compare_rungs c JOIN place p USING (family) JOIN best b USING (family, variant, size)
        JOIN kernels k USING (family, variant, size, block, sweep)
        JOIN line_rows l ON l.kernel = k.kernel
        LEFT JOIN source_text t ON t.source = l.source AND t.line = l.line
    WHERE p.place = 1 AND k.launch = 0 AND k.counts_status = 'ok' AND l.path IS NOT NULL
        AND l.sample_pct >= 1)
WHERE nth <= 3;
CREATE TABLE compare_places AS
SELECT family, at, row_number() OVER (PARTITION BY family ORDER BY at) - 1 AS number
FROM (SELECT family, at FROM compare_lines UNION SELECT family, at FROM compare_hot);
CREATE UNIQUE INDEX compare_places_key ON compare_places(family, at);
