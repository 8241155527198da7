-- reads: metrics steps variants
-- makes: rise
-- The way from the first rung of a ladder to its fastest kernel, by the rungs that are each faster
-- than all before them on it: a rung that is slower is counted with the next one that is a gain on
-- the whole, which may only undo its loss. `ratio` is over the rung `over`, `steps` steps before;
-- those of a ladder multiply to what it gains.
CREATE TABLE rise AS
WITH RECURSIVE
top AS (
    SELECT family, size, variant FROM (
        SELECT m.family, m.size, m.variant, row_number() OVER (PARTITION BY m.family, m.size
            ORDER BY m.time_ns, m.variant) AS nth
        FROM metrics m JOIN variants v USING (family, variant)
        WHERE m.best = 1 AND v.kind = 'kernel' AND v.fails IS NULL AND m.time_ns > 0)
    WHERE nth = 1),
way(family, size, variant, at) AS (
    SELECT family, size, variant, 0 FROM top
    UNION ALL SELECT w.family, w.size, s.after, w.at + 1
    FROM way w JOIN steps s USING (family, size, variant)
    WHERE s.speedup_prev > 0 AND w.at < 1000),
gained AS (
    SELECT w.*, v.rung, v.title, coalesce(sum(ln(s.speedup_prev)) OVER (
        PARTITION BY w.family, w.size ORDER BY w.at DESC), 0) AS gain
    FROM way w JOIN variants v USING (family, variant)
        LEFT JOIN steps s USING (family, size, variant)),
record AS (
    SELECT * FROM (SELECT *, max(gain) OVER (PARTITION BY family, size ORDER BY at DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS best FROM gained)
    WHERE best IS NULL OR gain > best)
SELECT * FROM (
    SELECT family, size, variant, rung, title, exp(gain - lag(gain) OVER way) AS ratio,
        lag(at) OVER way - at AS steps, lag(rung) OVER way AS over
    FROM record WINDOW way AS (PARTITION BY family, size ORDER BY at DESC))
WHERE ratio IS NOT NULL;
