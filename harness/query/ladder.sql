-- reads: steps_of metrics
-- makes: ladder_rows ladder
CREATE INDEX metrics_best ON metrics(family, variant, size, block, best);
CREATE TABLE ladder_rows(row INTEGER PRIMARY KEY, after TEXT, kind TEXT, prev, first);
INSERT INTO ladder_rows SELECT c.rowid, s.prev, s.kind,
  (SELECT o.rowid FROM metrics o WHERE o.family = c.family AND o.variant = s.prev
   AND o.size = c.size AND o.block = c.block AND %s ORDER BY o.best DESC, o.rowid LIMIT 1),
  (SELECT o.rowid FROM metrics o WHERE o.family = c.family AND o.variant = s.first
   AND o.size = c.size AND o.block = c.block AND %s ORDER BY o.best DESC, o.rowid LIMIT 1)
FROM metrics c JOIN steps_of s ON s.family = c.family AND s.variant = c.variant;
CREATE VIEW ladder AS SELECT %s, l.after AS after, l.kind AS kind
FROM metrics cur JOIN ladder_rows l ON l.row = cur.rowid
LEFT JOIN metrics prev ON prev.rowid = l.prev LEFT JOIN metrics first ON first.rowid = l.first;
