-- reads: families ladder_rows metrics noise
-- makes: found moved_rows
CREATE TABLE found(@POINT_KEY, name, before REAL, after REAL, noise REAL, verdict);

-- For each step the rows of metrics and noise of both its rungs.
CREATE TABLE moved_rows AS
SELECT cur.rowid AS cur, prev.rowid AS prev, n.rowid AS cur_noise, q.rowid AS prev_noise,
    coalesce(f.rate, 'bytes') AS rate
FROM metrics cur JOIN ladder_rows l ON l.row = cur.rowid JOIN metrics prev ON prev.rowid = l.prev
    JOIN noise n ON n.family = cur.family AND n.variant = cur.variant AND n.size = cur.size
        AND n.block = cur.block AND n.sweep = cur.sweep
    JOIN noise q ON q.family = prev.family AND q.variant = prev.variant AND q.size = prev.size
        AND q.block = prev.block AND q.sweep = prev.sweep
    LEFT JOIN families f ON f.family = cur.family
WHERE cur.best = 1 ORDER BY cur.rowid;
