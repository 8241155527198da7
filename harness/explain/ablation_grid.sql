-- Each word "name=value" of the factors of a variant, in order. Other words are passed over.
CREATE TABLE ablation_setting AS
WITH RECURSIVE word(family, variant, rung, place, word, rest) AS (
    SELECT family, variant, rung, 0, '', factors || ' ' FROM variants WHERE factors IS NOT NULL
    UNION ALL
    SELECT family, variant, rung, place + 1, substr(rest, 1, instr(rest, ' ') - 1),
        substr(rest, instr(rest, ' ') + 1)
    FROM word WHERE rest <> '')
SELECT row_number() OVER (ORDER BY family, rung, variant, place) AS nth, family, variant,
    substr(word, 1, instr(word, '=') - 1) AS name, substr(word, instr(word, '=') + 1) AS value
FROM word WHERE instr(word, '=') > 1;

-- The factors of a grid are those with several values; `other` is neither 0 nor 1.
CREATE TABLE ablation_factor AS
SELECT family, name, row_number() OVER (PARTITION BY family ORDER BY min(nth)) - 1 AS bit,
    (SELECT o.value FROM ablation_setting o WHERE o.family = s.family AND o.name = s.name
        AND o.value NOT IN ('0', '1') ORDER BY o.nth LIMIT 1) AS other
FROM ablation_setting s GROUP BY family, name HAVING count(DISTINCT value) > 1;

-- The cell of each variant that names all factors.
CREATE TABLE ablation_cell AS
SELECT family, variant, min(nth) AS nth, sum(is_on << bit) AS cell
FROM (SELECT s.family, s.variant, min(s.nth) AS nth, f.bit, max(s.value = '1') AS is_on
    FROM ablation_setting s JOIN ablation_factor f USING (family, name)
    WHERE f.bit < 6 GROUP BY s.family, s.variant, f.bit) c
GROUP BY family, variant
HAVING count(*) = (SELECT min(count(*), 6) FROM ablation_factor f WHERE f.family = c.family);

-- The fastest setting of each cell, and its samples with the rounds in which they were taken.
CREATE TABLE ablation_time AS
SELECT * FROM (
    SELECT c.family, c.cell, c.variant, m.size, m.block, m.sweep, m.device, m.time_ns, m.floor_pct,
        row_number() OVER (PARTITION BY family, variant, m.size
            ORDER BY m.time_ns, m.block, m.sweep) AS nth
    FROM ablation_cell c JOIN metrics m USING (family, variant)
    WHERE m.best = 1 AND m.time_ns > 0)
WHERE nth = 1;
CREATE INDEX ablation_time_key ON ablation_time(family, variant, size);
CREATE TABLE ablation_sample AS
SELECT t.family, t.size, t.cell, s.time_ns,
    dense_rank() OVER (PARTITION BY t.family, t.size ORDER BY s.round) - 1 AS round
FROM ablation_time t JOIN samples s USING (@POINT_KEY)
    JOIN variants v USING (family, variant)
WHERE @MAIN_SERIES AND s.status = 'ok' AND s.time_ns > 0;
CREATE INDEX ablation_sample_key ON ablation_sample(family, size, cell, time_ns);
CREATE INDEX IF NOT EXISTS points_key ON points(family, variant);
