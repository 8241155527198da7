-- reads: best cause cause_lines kernels line_rows pair_said pair_steps place rungs
--        source_text to_gain witness witness_values
-- makes: assembly compare_rungs compare_rows compare_notes compare_verdicts compare_values
--        compare_moves compare_metrics compare_causes compare_pairs compare_pieces compare_phrases
--        compare_lines compare_hot compare_places compare_advice compare_sizes compare_limits
-- What compare.html shows of each pair of rungs (explain/pairs.h), with numbers in place of names.
-- At other sizes than the primary one that is their sentences and causes.
CREATE TABLE compare_rungs AS
SELECT family, variant, row_number() OVER (PARTITION BY family ORDER BY rung, variant) - 1 AS number
FROM rungs WHERE (family, variant) IN (SELECT family, variant FROM pair_steps);
CREATE UNIQUE INDEX compare_rungs_key ON compare_rungs(family, variant);

CREATE TABLE compare_rows AS SELECT * FROM pair_said WHERE place > 0;
CREATE TABLE compare_notes AS SELECT note, row_number() OVER (ORDER BY note) - 1 AS number
FROM compare_rows WHERE note IS NOT NULL GROUP BY note;
CREATE TABLE compare_verdicts AS
SELECT evidence, row_number() OVER (ORDER BY evidence) - 1 AS number
FROM pair_steps GROUP BY evidence;

-- The metrics that moved by least_part of the larger value or more between two rungs, at most
-- most_metrics of them, the most first; and of each ladder those that moved or show a cause.
CREATE TABLE compare_limits AS SELECT 0.02 AS least_part, 8 AS most_metrics;
CREATE TABLE compare_values AS
SELECT r.family, r.number AS rung, v.place AS metric, v.value
FROM witness_values v JOIN compare_rungs r USING (family, variant) JOIN place p USING (family, size)
WHERE p.place = 1 AND v.value IS NOT NULL;
CREATE INDEX compare_values_key ON compare_values(family, metric, rung);
CREATE TABLE compare_moves AS
SELECT * FROM (SELECT x.family, x.rung AS a, y.rung AS b, x.metric, row_number() OVER (
            PARTITION BY x.family, x.rung, y.rung
            ORDER BY abs(ln(abs(x.value / nullif(y.value, 0)))) DESC NULLS FIRST, x.metric) AS nth
    FROM compare_values x JOIN compare_values y USING (family, metric), compare_limits
    WHERE x.rung < y.rung AND abs(x.value - y.value) >= least_part * max(abs(x.value), abs(y.value))
        AND x.value <> y.value)
WHERE nth <= (SELECT most_metrics FROM compare_limits);
CREATE TABLE compare_metrics AS
SELECT u.family, u.metric, w.name,
    row_number() OVER (PARTITION BY u.family ORDER BY u.metric) - 1 AS number
FROM (SELECT family, metric FROM compare_moves
        UNION SELECT r.family, w.place FROM compare_rows r JOIN cause c ON c.cause = r.id
            JOIN witness w ON w.name = c.witness) u JOIN witness w ON w.place = u.metric;
CREATE UNIQUE INDEX compare_metrics_key ON compare_metrics(family, metric);
CREATE INDEX compare_moves_key ON compare_moves(family, a, b, nth);

CREATE TABLE compare_causes AS
SELECT r.family, r.id, r.title, c.area, m.number AS witness,
    row_number() OVER (PARTITION BY r.family ORDER BY c.place, r.title) - 1 AS number
FROM (SELECT DISTINCT family, id, title FROM compare_rows) r LEFT JOIN cause c ON c.cause = r.id
    LEFT JOIN compare_metrics m ON m.family = r.family AND m.name = c.witness;
CREATE INDEX compare_causes_key ON compare_causes(family, title);

-- The rows of a pair as JSON, and in a form in which those of the reverse pair are the same if its
-- causes save the opposite.
CREATE TABLE compare_pairs AS
WITH numbered AS (
    SELECT r.*, c.number AS cause, n.number AS words
    FROM compare_rows r JOIN compare_causes c ON c.family = r.family AND c.title = r.title
            AND c.id IS r.id
        LEFT JOIN compare_notes n USING (note)
    ORDER BY r.family, r.variant, r.size, r.after, r.place),
joined AS (
    SELECT family, variant, size, after, json_group_array(json_array(cause, short_number(saved_ns),
            short_number(share_pct, 3), coalesce(direction, 0), coalesce(proves, 0), words))
            AS causes,
        group_concat(printf('%d %d %d %.3g', cause, words, direction, saved_ns), ';') AS there,
        group_concat(printf('%d %d %d %.3g', cause, words, -direction, 0 - saved_ns), ';') AS back
    FROM numbered GROUP BY family, variant, size, after)
SELECT s.*, b.number AS a, a.number AS b, v.number AS verdict, h.sentence, j.causes, j.there, j.back
FROM pair_steps s JOIN compare_verdicts v USING (evidence)
    JOIN compare_rungs a USING (family, variant)
    JOIN compare_rungs b ON b.family = s.family AND b.variant = s.after
    JOIN (SELECT * FROM pair_said WHERE place = 0) h USING (family, variant, size, after)
    LEFT JOIN joined j USING (family, variant, size, after);
CREATE UNIQUE INDEX compare_pairs_key ON compare_pairs(family, size, a, b);
UPDATE compare_pairs SET causes = NULL WHERE b < a AND there = (SELECT o.back
    FROM compare_pairs o WHERE o.family = compare_pairs.family AND o.size = compare_pairs.size
        AND o.a = compare_pairs.b AND o.b = compare_pairs.a);

-- The pair at each other size at which any is compared, in the order of the sizes, as JSON.
CREATE TABLE compare_sizes AS
SELECT DISTINCT family, size, place FROM pair_steps WHERE place > 1;
CREATE INDEX pair_steps_key ON pair_steps(family, variant, after, size);
ALTER TABLE compare_pairs ADD COLUMN others;
UPDATE compare_pairs SET others = (SELECT json_group_array(json(other)) FROM (
    SELECT coalesce(json_array(short_number(s.speedup_prev, 7), v.number), 'null') AS other
    FROM compare_sizes o LEFT JOIN pair_steps s ON s.family = o.family AND s.size = o.size
            AND s.variant = compare_pairs.variant AND s.after = compare_pairs.after
        LEFT JOIN compare_verdicts v USING (evidence)
    WHERE o.family = compare_pairs.family ORDER BY o.place DESC)) WHERE place = 1;

-- The sentences in turns of a number and of what follows it, which a ladder's sentences share.
CREATE TABLE compare_pieces AS
WITH RECURSIVE cut(family, size, a, b, sentence, nth, was, mask) AS (
    -- What is left of a sentence, with 0 for each digit.
    SELECT family, size, a, b, sentence, 0, 0, replace(replace(replace(replace(replace(replace(
        replace(replace(replace(sentence, '1', '0'), '2', '0'), '3', '0'), '4', '0'), '5', '0'),
        '6', '0'), '7', '0'), '8', '0'), '9', '0') FROM compare_pairs
    UNION ALL SELECT family, size, a, b, sentence, nth + 1, length(mask), CASE nth % 2
            WHEN 0 THEN ltrim(mask, '0.') ELSE substr(mask, instr(mask || '0', '0')) END
        FROM cut WHERE mask <> '')
SELECT family, size, a, b, nth, nth % 2 AS is_number,
    substr(sentence, length(sentence) - was + 1, was - length(mask)) AS piece
FROM cut WHERE nth > 0;
CREATE INDEX compare_pieces_key ON compare_pieces(family, size, a, b, nth);
CREATE TABLE compare_phrases AS SELECT family, piece, row_number() OVER (PARTITION BY family
    ORDER BY count(*) DESC, piece) - 1 AS number
FROM compare_pieces WHERE NOT is_number GROUP BY family, piece;
CREATE UNIQUE INDEX compare_phrases_key ON compare_phrases(family, piece);
ALTER TABLE compare_pairs ADD COLUMN pieces;
UPDATE compare_pairs SET pieces = (SELECT group_concat(word, '|') FROM (
    SELECT iif(is_number, c.piece, h.number) AS word
    FROM compare_pieces c LEFT JOIN compare_phrases h USING (family, piece)
    WHERE (c.family, c.size, c.a, c.b) = (compare_pairs.family, compare_pairs.size,
        compare_pairs.a, compare_pairs.b) ORDER BY nth));

-- Where causes happen, the lines with the most stall samples, and the list of these places.
CREATE TABLE compare_lines AS
SELECT c.family, c.variant, l.cause, l.path || ':' || l.line AS at
FROM cause_lines l JOIN compare_rungs c USING (family, variant)
WHERE l.cause IN (SELECT id FROM compare_causes o WHERE o.family = l.family);
-- The first line of the inline assembly that a line continues.
CREATE TABLE assembly AS
SELECT * FROM (SELECT t.source, t.line, assembly_line(w.text, t.line) AS first
    FROM source_text t JOIN (SELECT source, group_concat(text, char(10)) AS text
        FROM (SELECT source, text FROM source_text ORDER BY source, line) GROUP BY source) w
        USING (source)
    WHERE trim(t.text) GLOB '[:"]*')
WHERE first < line;
CREATE UNIQUE INDEX assembly_key ON assembly(source, line);
CREATE TABLE compare_hot AS
SELECT * FROM (
    SELECT c.family, c.variant, l.path || ':' || CAST(l.line AS INTEGER) AS at,
        trim(t.text) AS text, l.sample_pct, replace(l.reason, '_', ' ') AS reason, row_number()
        OVER (PARTITION BY c.family, c.variant ORDER BY l.sample_pct DESC, l.path, l.line) AS nth
    FROM compare_rungs c JOIN place p USING (family) JOIN best b USING (family, variant, size)
        JOIN kernels k USING (family, variant, size, block, sweep)
        JOIN line_rows l ON l.kernel = k.kernel
        LEFT JOIN assembly y ON y.source = l.source AND y.line = l.line
        LEFT JOIN source_text t ON t.source = l.source AND t.line = coalesce(y.first, l.line)
    WHERE p.place = 1 AND k.launch = 0 AND k.counts_status = 'ok' AND l.path IS NOT NULL
        AND l.sample_pct >= 1)
WHERE nth <= 3;
CREATE TABLE compare_places AS
SELECT family, at, text, row_number() OVER (PARTITION BY family ORDER BY at, text) - 1 AS number
FROM (SELECT family, at, text FROM compare_hot UNION SELECT family, at, NULL FROM compare_lines l
    WHERE NOT EXISTS (SELECT 1 FROM compare_hot h WHERE h.family = l.family AND h.at = l.at));
CREATE INDEX compare_places_key ON compare_places(family, at);

-- What may be gained yet from the rungs of a ladder.
CREATE TABLE compare_advice AS
SELECT *, row_number() OVER (PARTITION BY family ORDER BY title, try) - 1 AS number
FROM (SELECT DISTINCT family, cause, area, title, try
    FROM to_gain JOIN compare_rungs USING (family, variant));
