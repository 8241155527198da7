-- reads: metrics points samples variants
-- makes: ablation_setting ablation_factor ablation_cell ablation_fault ablation_time
--        ablation_sample ablation_case ablation_effect ablation_interval ablation_judged ablation
-- The effect of each factor on the clean times, for the families whose variants carry factors. A
-- factor is on in some variants and off in others (1 and 0); a variant that names all of them is a
-- cell, numbered by its bits: bit f is set if factor f is on. Its time is that of its fastest
-- setting (block and sweep). `mask` has the bits of the factors of an effect. As ratios of times:
--   main         of a factor: time without it divided by time with it, as the geometric mean over
--                all pairs of cells that differ only in it
--   interaction  of two: the speed-up from one when the other is on, divided by that when the other
--                is off, as the geometric mean over the settings of the other factors; symmetric
-- with 95 % bootstrap intervals: in a round all variants take turns, so whole rounds are drawn, the
-- same ones for all cells. An effect is unresolved if its interval is not beyond the noise floor of
-- the cells on one side of 1, and absent if no cells differ in its factors alone. Sources:
-- G. Box, J. Hunter and W. Hunter, Statistics for Experimenters (1978), chapter 10; B. Efron and
-- R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 8.

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
    GROUP BY s.family, s.variant, f.bit) c
GROUP BY family, variant
HAVING count(*) = (SELECT count(*) FROM ablation_factor f WHERE f.family = c.family);

-- Why the variants of a family make no grid.
CREATE TABLE ablation_fault AS
SELECT family, coalesce(
    (SELECT name || '=' || other || ' is neither 0 nor 1' FROM ablation_factor o
        WHERE o.family = f.family AND other IS NOT NULL ORDER BY bit LIMIT 1),
    (SELECT a.variant || ' and ' || b.variant || ' have the same factors'
        FROM ablation_cell a JOIN ablation_cell b USING (family, cell)
        WHERE family = f.family AND a.nth < b.nth ORDER BY b.nth, a.nth LIMIT 1)) AS why
FROM ablation_factor f GROUP BY family HAVING why IS NOT NULL;

-- The fastest setting of each cell, and its samples with the rounds in which they were taken.
CREATE TABLE ablation_time AS
SELECT * FROM (
    SELECT c.family, c.cell, c.variant, m.size, m.block, m.sweep, m.device, m.time_ns, m.floor_pct,
        row_number() OVER (PARTITION BY family, variant, m.size
            ORDER BY m.time_ns, m.block, m.sweep) AS nth
    FROM ablation_cell c JOIN metrics m USING (family, variant)
    WHERE m.best = 1 AND m.time_ns > 0 AND family NOT IN (SELECT family FROM ablation_fault))
WHERE nth = 1;
CREATE INDEX ablation_time_key ON ablation_time(family, size, cell);
CREATE TABLE ablation_sample AS
SELECT t.family, t.size, t.cell, s.time_ns,
    dense_rank() OVER (PARTITION BY t.family, t.size ORDER BY s.round) - 1 AS round
FROM samples s CROSS JOIN ablation_time t USING (@POINT_KEY)
    JOIN variants v USING (family, variant)
WHERE @MAIN_SERIES AND s.status = 'ok' AND s.time_ns > 0;
CREATE INDEX ablation_sample_key ON ablation_sample(family, size, cell, time_ns);

-- The worth of each factor with the others set as in `cell`, or `at` in words, and of each pair the
-- worth of one when the other is on, divided by that when it is off.
CREATE TABLE ablation_case AS
WITH worth AS (
    SELECT family, size, bit, off.cell, off.time_ns / t.time_ns AS ratio
    FROM ablation_factor JOIN ablation_time off USING (family) JOIN ablation_time t
        USING (family, size)
    WHERE NOT off.cell >> bit & 1 AND t.cell = off.cell + (1 << bit)),
effect AS (
    SELECT family, size, 1 << bit AS mask, cell, ratio FROM worth
    UNION ALL
    SELECT family, size, (1 << a.bit) + (1 << f.bit), a.cell, b.ratio / a.ratio
    FROM worth a JOIN ablation_factor f USING (family) JOIN worth b USING (family, size)
    WHERE f.bit > a.bit AND NOT a.cell >> f.bit & 1 AND b.bit = a.bit
        AND b.cell = a.cell + (1 << f.bit))
SELECT *, (SELECT group_concat(word, ', ')
    FROM (SELECT replace(name, '_', ' ') || iif(cell >> bit & 1, ' on', ' off') AS word
    FROM ablation_factor f WHERE f.family = effect.family AND NOT mask >> bit & 1 ORDER BY bit))
    AS at FROM effect;
CREATE INDEX ablation_case_key ON ablation_case(family, size, mask, cell);

-- Every effect at every size; some have no case.
CREATE TABLE ablation_effect AS
WITH wanted AS (
    SELECT family, 'main' AS kind, name AS factors, 1 << bit AS mask FROM ablation_factor
    UNION ALL
    SELECT family, 'interaction', a.name || ' ' || b.name, (1 << a.bit) + (1 << b.bit)
    FROM ablation_factor a JOIN ablation_factor b USING (family)
    WHERE a.bit < b.bit AND family NOT IN (SELECT family FROM ablation_fault)),
measured AS (
    SELECT DISTINCT family, size FROM points JOIN variants USING (family, variant)
    WHERE factors IS NOT NULL)
SELECT family, size, kind, factors, mask, count(ratio) AS cases, geometric_mean(ratio) AS ratio,
    min(ratio) AS least, max(ratio) AS most
FROM wanted JOIN measured USING (family) LEFT JOIN ablation_case USING (family, size, mask)
GROUP BY family, size, mask;

-- The ratio of an effect is the product of the times of its cells to the power of their weights.
CREATE TABLE ablation_interval AS
SELECT family, size, mask, resampled_low(cell, weight, time_ns, round) AS low,
    resampled_high(cell, weight, time_ns, round) AS high
FROM (
    SELECT e.family, e.size, e.mask, s.cell, time_ns, round, CASE s.cell & e.mask WHEN e.mask
        THEN -1.0 WHEN 0 THEN iif(kind = 'main', 1.0, -1.0) ELSE 1.0 END / cases AS weight
    FROM ablation_effect e JOIN ablation_sample s USING (family, size) JOIN ablation_case c
        ON (c.family, c.size, c.mask, c.cell) = (e.family, e.size, e.mask, s.cell & ~e.mask))
GROUP BY family, size, mask;

-- Cells have one noise floor, the largest; it is unknown if one is. Times have nine digits: equal
-- ratios may differ by 1e-8.
CREATE TABLE ablation_judged AS
SELECT e.*, low, high, floor_pct,
    (SELECT at FROM ablation_case c WHERE (c.family, c.size, mask) = (e.family, e.size, e.mask)
        ORDER BY c.ratio, cell LIMIT 1) AS least_at,
    (SELECT at FROM ablation_case c WHERE (c.family, c.size, mask) = (e.family, e.size, e.mask)
        ORDER BY c.ratio DESC, cell LIMIT 1) AS most_at,
    CASE WHEN ratio IS NOT NULL THEN CASE verdict(low, high, floor_pct + 1e-6)
        WHEN 'faster' THEN 1 WHEN 'slower' THEN -1 ELSE 0 END END AS direction,
    upper(substr(factors, 1, 1)) || replace(replace(substr(factors, 2), ' ', ' and '), '_', ' ')
        || ': ' AS subject,
    printf('%.3f×', ratio) || CASE WHEN low IS NULL THEN '' ELSE
        printf(' [%.3f – %.3f]', low, high) END AS estimate
FROM ablation_effect e LEFT JOIN ablation_interval USING (family, size, mask)
    LEFT JOIN (SELECT family, size, CASE WHEN count(floor_pct) = count(*) THEN max(floor_pct) END
        AS floor_pct FROM ablation_time GROUP BY family, size) USING (family, size);

CREATE TABLE ablation AS
SELECT family, size, kind, factors, ratio, low, high, least, most, least_at, most_at, floor_pct,
    CASE WHEN direction IS NULL THEN 'absent: ' || coalesce(
            (SELECT why FROM ablation_fault f WHERE f.family = j.family),
            CASE kind WHEN 'main' THEN 'no two cells differ in it alone'
            ELSE 'no four cells differ in these two alone' END)
        WHEN direction THEN 'resolved' ELSE 'unresolved' END AS status,
    CASE WHEN ratio IS NOT NULL THEN subject || CASE
        WHEN NOT direction THEN 'unresolved, ' || estimate || CASE
            WHEN low IS NULL THEN ' with too few samples for an interval'
            WHEN floor_pct IS NULL THEN ' at an unknown noise floor'
            ELSE printf(' at a noise floor of %.2f %%', floor_pct) END
        WHEN kind = 'main' THEN iif(direction < 0, 'slower, ', '') || printf('%.3f×', ratio)
            || ' on average'
        ELSE 'the speed-up of both is ' || estimate || ' the product of their separate speed-ups'
        END || CASE WHEN kind = 'main' AND cases < 1 << (
                SELECT count(*) FROM ablation_factor f WHERE f.family = j.family) - 1
            THEN ' over the available pairs' ELSE '' END
        || CASE WHEN most / least > 1.0005 + floor_pct / 100
            THEN printf(' (%.3f× with %s to %.3f× with %s)', least, least_at, most, most_at)
            ELSE '' END || '.'
        || coalesce((SELECT ' Its speed-up is ' || group_concat(words, ', ') || '.' FROM (
            SELECT printf('%.3f× as large with %s as without', i.ratio, replace(f.name, '_', ' '))
                AS words
            FROM ablation_judged i JOIN ablation_factor f USING (family)
            WHERE j.kind = 'main' AND i.kind = 'interaction' AND i.direction
                AND (i.family, i.size, i.mask) = (j.family, j.size, j.mask + (1 << f.bit))
            ORDER BY f.bit) HAVING count(*) > 0), '') END AS sentence,
    direction
FROM ablation_judged j
ORDER BY family, CAST(size AS INTEGER), size, kind = 'interaction', mask;
