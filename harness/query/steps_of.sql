-- reads: variants
-- makes: steps_of
CREATE INDEX IF NOT EXISTS variants_key ON variants(family, variant);
CREATE TABLE steps_of AS WITH RECURSIVE up(family, variant, at) AS (
  SELECT family, variant, variant FROM variants UNION SELECT u.family, u.variant, v.after
  FROM up u JOIN variants v ON v.family = u.family AND v.variant = u.at WHERE v.after IS NOT NULL)
SELECT v.family, v.variant, v.after AS prev,
  min(u.at) FILTER (WHERE w.after IS NULL) AS first, v.kind AS kind
FROM variants v JOIN up u ON u.family = v.family AND u.variant = v.variant
LEFT JOIN variants w ON w.family = u.family AND w.variant = u.at GROUP BY v.rowid;
CREATE INDEX steps_of_key ON steps_of(family, variant);
