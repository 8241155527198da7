-- reads: m_facts steps_of
-- makes: m_links
-- Indexes of m_facts, for the joins of the view m and for writing its points in order; and for each
-- row the rows of the ladder's previous and first rung at the same size, block and repeat, in their
-- best setting: at a block size that is there for published figures alone none is marked as best.

CREATE UNIQUE INDEX m_facts_row ON m_facts(row_id);
CREATE INDEX m_facts_best ON m_facts(family, variant, size, block, best, repeat);
CREATE INDEX m_facts_point ON m_facts(@POINT_KEY, point);

CREATE TABLE m_links(row_id INTEGER PRIMARY KEY, after TEXT, kind TEXT, prev INTEGER,
    first INTEGER);
INSERT INTO m_links
SELECT c.row_id, s.prev, s.kind,
    (SELECT p.row_id FROM m_facts p
        WHERE (p.family, p.variant, p.size, p.block, p.repeat)
            = (c.family, s.prev, c.size, c.block, c.repeat)
            AND (p.best = 1 OR p.behind_best_pct = 0)
        ORDER BY p.best DESC, p.sweep LIMIT 1),
    (SELECT p.row_id FROM m_facts p
        WHERE (p.family, p.variant, p.size, p.block, p.repeat)
            = (c.family, s.first, c.size, c.block, c.repeat)
            AND (p.best = 1 OR p.behind_best_pct = 0)
        ORDER BY p.best DESC, p.sweep LIMIT 1)
FROM m_facts c JOIN steps_of s USING (family, variant)
ORDER BY c.row_id;
