-- reads: cause families levels points resource_unit shape_map variants
-- makes: area_time size_name mapped map_grid map_cell map_worst map_family
-- Tables that pages and pictures share.

-- The time of each point by group of causes, as bars show it. Its parts add up to the time: where
-- the levels explain more than that, all but the useful work, which is measured, are smaller. Where
-- arithmetic is less than a twentieth of the time of each rung, such as in sums that wait for
-- memory, it is no useful work but instructions: its share would say nothing of the rung's worth.
CREATE TABLE area_time AS
WITH part AS (
    SELECT l.family AS family, l.variant AS variant, l.size AS size, c.area AS area,
        sum(l.ns) AS ns
    FROM levels l JOIN cause c USING (cause) GROUP BY 1, 2, 3, 4),
whole AS (
    SELECT family, variant, size, sum(ns) AS all_ns, sum(max(ns, 0)) AS parts_ns,
        sum(iif(area = 'work', ns, 0)) AS work_ns,
        max(sum(iif(area = 'work', ns, 0)) / sum(ns)) OVER (PARTITION BY family, size) AS most
    FROM part GROUP BY 1, 2, 3)
SELECT family, variant, size, iif(p.area = 'work' AND most < 0.05, 'instructions', p.area) AS area,
    sum(CASE WHEN p.area = 'work' OR parts_ns <= work_ns THEN p.ns
        ELSE p.ns * max(all_ns - work_ns, 0) / (parts_ns - work_ns) END) AS ns
FROM part p JOIN whole USING (family, variant, size) WHERE p.ns > 0 GROUP BY 1, 2, 3, 4;
CREATE INDEX area_time_key ON area_time(family, variant, size);

-- A size in words.
CREATE TABLE size_name AS
SELECT size, CASE
        WHEN size_text(size) GLOB '2^[0-9][0-9]' THEN 'n = 2'
            || substr('⁰¹²³⁴⁵⁶⁷⁸⁹', substr(size_text(size), 3, 1) + 1, 1)
            || substr('⁰¹²³⁴⁵⁶⁷⁸⁹', substr(size_text(size), 4, 1) + 1, 1)
        WHEN size = 'as_run' THEN 'as run'
        WHEN size LIKE '%x%' THEN replace(size, 'x', ' × ')
        ELSE 'n = ' || human(CAST(size AS INTEGER)) END AS words
FROM (SELECT size FROM points UNION SELECT size FROM shape_map);
CREATE UNIQUE INDEX size_name_key ON size_name(size);

-- The shape map (explain/shape_map.sql): families whose fastest rung was compared with a library at
-- eight sizes or more. A family's own sizes are at most seven, so that only a run of many shapes
-- has a map.
CREATE TABLE mapped AS
SELECT family, size, CAST(m AS INTEGER) AS m, CAST(n AS INTEGER) AS n, CAST(k AS INTEGER) AS k,
    variant, choice, library, ratio, low, high, limiter, limiter_pct, remains, remains_pct, status,
    -- 0 within the noise; above 0 the rung is faster, below 0 the library: by less
    -- than 5 %, by less than 20 %, or by more.
    direction * (1 + (max(ratio, 1 / ratio) >= 1.05) + (max(ratio, 1 / ratio) >= 1.2)) AS level,
    CASE WHEN ratio >= 9.995 THEN human(ratio, 1)
        WHEN ratio IS NOT NULL THEN printf('%.2f', ratio) END AS words,
    w.words AS shape
FROM shape_map JOIN size_name w USING (size)
WHERE family IN (SELECT family FROM shape_map GROUP BY family HAVING count(ratio) >= 8);
CREATE INDEX mapped_key ON mapped(family, k, m, n);

-- The values of K with a grid of M x N, at most three of them: the least, the middle, the largest.
CREATE TABLE map_grid AS
WITH grid AS (
    SELECT family, k, count(DISTINCT m) AS rows, count(DISTINCT n) AS columns,
        count(ratio) AS shapes, sum(level > 0) AS wins, sum(level < 0) AS losses
    FROM mapped WHERE m IS NOT NULL GROUP BY family, k
    HAVING shapes >= 6 AND rows BETWEEN 2 AND 16 AND columns BETWEEN 2 AND 16
        AND 2 * count(*) >= rows * columns),
ranked AS (
    SELECT *, row_number() OVER (PARTITION BY family ORDER BY k) AS place,
        count(*) OVER (PARTITION BY family) AS places FROM grid)
SELECT family, k, rows, columns, shapes, wins, losses, place, coalesce('K = ' || k, 'M × N') AS name
FROM ranked WHERE place IN (1, (places + 1) / 2, places);

-- Its cells, those without a point too.
CREATE TABLE map_cell AS
SELECT g.family, g.k, r.m, c.n, CAST(g.place AS INTEGER) AS grid, dense_rank() OVER rows - 1 AS at,
    dense_rank() OVER columns - 1 AS place, x.ratio, x.level,
    coalesce(x.words, '–') AS words,
    coalesce(CASE WHEN x.ratio IS NULL THEN x.status END, CASE WHEN x.ratio IS NULL THEN
        'absent: not in this run' END) AS absent,
    x.variant, x.choice, x.library, x.low, x.high
FROM map_grid g JOIN (SELECT DISTINCT family, k, m FROM mapped) r
        ON r.family = g.family AND r.k IS g.k
    JOIN (SELECT DISTINCT family, k, n FROM mapped) c ON c.family = g.family AND c.k IS g.k
    LEFT JOIN mapped x ON x.family = g.family AND x.k IS g.k AND x.m = r.m AND x.n = c.n
WINDOW rows AS (PARTITION BY g.family, g.place ORDER BY r.m),
    columns AS (PARTITION BY g.family, g.place ORDER BY c.n)
ORDER BY g.family, g.place, r.m, c.n;
CREATE INDEX map_cell_key ON map_cell(family, grid, m);

-- The shapes from the worst on, with the limiter in words.
CREATE TABLE map_worst AS
SELECT w.*, row_number() OVER (PARTITION BY w.family ORDER BY w.ratio DESC, w.k, w.m, w.n)
        AS place,
    coalesce(w.m, 1) * w.n * coalesce(w.k, 1) AS side,
    v.rung || ' ' || v.title AS rung_name, l.title AS library_name,
    CASE WHEN w.limiter = 'launch'
            THEN printf('launch: an empty kernel takes %.0f %% of the time', w.limiter_pct)
        ELSE coalesce(t.title, w.limiter) || printf(', %.0f %% of the time', w.limiter_pct)
        END AS limiter_words,
    c.title AS remains_title
FROM mapped w LEFT JOIN variants v USING (family, variant)
    LEFT JOIN variants l ON l.family = w.family AND l.variant = w.library
    LEFT JOIN resource_unit t ON t.resource = w.limiter
    LEFT JOIN cause c ON c.cause = w.remains
WHERE w.ratio IS NOT NULL;
CREATE INDEX map_worst_key ON map_worst(family, place);

CREATE TABLE map_family AS
SELECT m.family, coalesce(f.title, m.family) AS title, count(m.ratio) AS shapes,
    sum(m.level > 0) AS wins, sum(m.level = 0) AS draws, sum(m.level < 0) AS losses,
    geometric_mean(m.ratio) AS mean, w.ratio AS worst, ratio_text(w.ratio) AS worst_words, w.shape
        AS worst_shape, m.m IS NULL AS is_line, iif(m.m IS NULL, 'sizes', 'shapes') AS noun,
    CASE count(DISTINCT m.variant) WHEN 1 THEN 'rung ' || w.rung_name
        ELSE 'the fastest of ' || count(DISTINCT m.variant) || ' rungs' END AS ours,
    CASE count(DISTINCT m.library) WHEN 1 THEN w.library_name
        ELSE 'the fastest of ' || count(DISTINCT m.library) || ' library calls' END AS theirs
FROM mapped m LEFT JOIN families f USING (family) JOIN map_worst w ON w.family = m.family
    AND w.place = 1
WHERE m.ratio IS NOT NULL GROUP BY m.family;
ALTER TABLE map_family ADD COLUMN headline;
UPDATE map_family SET headline = printf('The library is faster at %s of %d %s; ours takes %s its '
    || 'time on average', iif(losses, losses, 'none'), shapes, noun, ratio_text(mean))
    || iif(losses, printf(', at worst %s (%s)', worst_words, worst_shape), '');
