-- The kernels that were asked for, ranked by cost; then those without conflicts, and those that
-- could not be counted. wanted_all says whether small costs are listed one by one. A name has the
-- size if several sizes of a variant are listed.
CREATE TABLE ranked AS
WITH chosen AS (
    SELECT c.*, c.family || '/' || c.variant
        || CASE WHEN count(*) OVER (PARTITION BY c.family, c.variant) = 1 THEN ''
        WHEN c.size LIKE '%x%' THEN ' ' || c.size ELSE ' ' || size_text(c.size) END AS name,
        CASE WHEN c.status <> 'ok' THEN 2 WHEN c.excess > 0 THEN 0 ELSE 1 END AS part
    FROM conflicts c
    WHERE c.family || '/' || c.variant IN wanted AND (c.size IN wanted_sizes
        OR (c.is_primary = 1 AND NOT EXISTS (SELECT 1 FROM wanted_sizes))))
SELECT row_number() OVER (ORDER BY part, cost_ns IS NULL, cost_ns DESC, excess DESC, family,
        variant) AS rank, *,
    part > 0 OR (SELECT is_all FROM wanted_all) OR coalesce(share_pct >= 0.5, 1) AS is_listed
FROM chosen;
CREATE VIEW worded AS
SELECT *, path || ':' || CAST(line AS INTEGER) AS at,
    CASE kind WHEN 'load' THEN 'loads' WHEN 'store' THEN 'stores' WHEN 'atomic' THEN 'atomics'
        WHEN 'asynchronous copy' THEN 'asynchronous copies' WHEN 'access' THEN 'accesses'
        ELSE kind END || coalesce(printf(' of %d bytes', width_bytes), '') || coalesce(
        printf(', %.3g-way', line_ways), '') AS access,
    substr(coalesce('; loads ' || human(nullif(round(loads), 0)), '')
        || coalesce('; stores ' || human(nullif(round(stores), 0)), '')
        || coalesce('; ldmatrix and stmatrix ' || human(nullif(round(matrix), 0)), '')
        || coalesce('; asynchronous copies ' || human(nullif(round(copies), 0)), '')
        || coalesce('; atomics ' || human(nullif(round(atomics), 0)), '')
        || coalesce('; not counted as conflicts: ' || human(nullif(round(same_word), 0))
            || ' of lanes that update one word', ''), 3) AS kinds
FROM ranked;
