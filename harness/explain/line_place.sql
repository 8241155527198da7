-- reads: line_locations sources
-- makes: line_place
-- Of an inlining chain the innermost line whose source is known and, where another file calls it,
-- the nearest such call: the place of a cause, and that of bank conflicts (conflicts.sql).
CREATE TABLE line_place(chain INTEGER PRIMARY KEY, source, line, of_source, of_line);
INSERT INTO line_place
WITH known AS (
    SELECT x.chain, x.depth, x.source, x.line
    FROM line_locations x JOIN sources s USING (source) WHERE s.status = 'ok')
SELECT i.chain, i.source, i.line, c.source, c.line
FROM (SELECT chain, min(depth) AS depth, source, line FROM known GROUP BY chain) i
    LEFT JOIN line_locations c ON c.chain = i.chain AND c.depth = (SELECT min(k.depth)
        FROM known k WHERE k.chain = i.chain AND k.source <> i.source);
