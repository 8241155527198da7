-- reads: families kernels metrics scope_limit sizes traces variants
-- makes: scope_place scope_large hidden_family hidden_place sampled_kernel hidden_kernel
--        hidden_trace scope_count
-- Families and sizes in the order of the report. scope_limit holds the limits of report_scope.h.
CREATE TABLE scope_place AS
WITH family AS (
    SELECT f.family, row_number() OVER (ORDER BY (SELECT count(*) FROM variants v
        WHERE v.family = f.family) DESC, f.family) AS place
    FROM families f)
SELECT f.family, f.place AS family_place, s.size, s.place AS size_place
FROM family f LEFT JOIN sizes s ON s.family = f.family;
CREATE TABLE scope_large AS
SELECT 1 FROM scope_limit
WHERE (SELECT count(DISTINCT family) FROM scope_place) > whole_families
    OR (SELECT count(size) FROM scope_place) > whole_places;

-- The families and sizes beyond the limits; none in a run within them.
CREATE TABLE hidden_family AS
SELECT DISTINCT family FROM scope_place, scope_limit
WHERE family_place > shown_families AND EXISTS (SELECT 1 FROM scope_large);
CREATE TABLE hidden_place AS
SELECT family, size
FROM (SELECT p.*, row_number() OVER (ORDER BY p.size_place, p.family_place) AS place
    FROM scope_place p
    WHERE p.size IS NOT NULL AND p.family NOT IN (SELECT family FROM hidden_family)), scope_limit
WHERE place > shown_places AND EXISTS (SELECT 1 FROM scope_large);

-- Kernels that were sampled alone, because their instructions were counted at another size.
CREATE TABLE sampled_kernel AS
SELECT k.kernel FROM kernels k JOIN sizes s ON s.family = k.family AND s.place = 1
WHERE k.size <> s.size AND k.counts_status <> 'ok' AND EXISTS (SELECT 1 FROM kernels p
    WHERE p.family = k.family AND p.variant = k.variant AND p.size = s.size);

-- They are not shown. Of many kernels, those of one point per variant are shown, in the best
-- setting if it is known.
CREATE INDEX metrics_point ON metrics(@POINT_KEY);
CREATE TABLE hidden_kernel AS
WITH visible AS (
    SELECT k.* FROM kernels k WHERE k.family NOT IN (SELECT family FROM hidden_family)
        AND (k.family, k.size) NOT IN (SELECT family, size FROM hidden_place)),
point AS (
    SELECT dense_rank() OVER (PARTITION BY k.family, k.variant ORDER BY coalesce(m.best, 0) DESC,
        s.place, k.block, k.sweep) AS place, k.kernel
    FROM visible k LEFT JOIN metrics m USING (@POINT_KEY) LEFT JOIN sizes s USING (family, size))
SELECT kernel FROM kernels
WHERE (SELECT count(*) FROM kernels) > (SELECT whole_kernels FROM scope_limit)
    AND kernel NOT IN (SELECT kernel FROM point WHERE place = 1)
UNION
SELECT kernel FROM sampled_kernel
UNION
SELECT kernel FROM kernels WHERE family IN (SELECT family FROM hidden_family)
    OR (family, size) IN (SELECT family, size FROM hidden_place);
CREATE TABLE hidden_trace AS
SELECT trace FROM traces WHERE family IN (SELECT family FROM hidden_family)
    OR (family, size) IN (SELECT family, size FROM hidden_place);

CREATE TABLE scope_count AS
SELECT f.total, f.total - (SELECT count(*) FROM hidden_family) AS shown_families,
    p.total AS places, p.total - (SELECT count(*) FROM hidden_place)
        - (SELECT count(size) FROM scope_place WHERE family IN (SELECT family FROM hidden_family)),
    k.total AS kernels, k.total - (SELECT count(*) FROM hidden_kernel
        WHERE kernel NOT IN (SELECT kernel FROM sampled_kernel))
FROM (SELECT count(*) AS total FROM families) f, (SELECT count(size) AS total FROM scope_place) p,
    (SELECT count(*) AS total FROM kernels
        WHERE kernel NOT IN (SELECT kernel FROM sampled_kernel)) k;
