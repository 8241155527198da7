-- reads: conflict_places conflicts wanted_all wanted_sizes
-- makes: ranked worded conflict_rows verdict remarks
-- The kernels that were asked for, ranked by cost, small ones last; then those without conflicts,
-- and those that could not be counted. wanted_all says whether small costs are listed one by one. A
-- name has the size if several sizes of a variant are listed.
CREATE TABLE ranked AS
WITH chosen AS (
    SELECT c.*, c.family || '/' || c.variant
        || CASE WHEN count(*) OVER (PARTITION BY c.family, c.variant) = 1 THEN ''
        WHEN c.size LIKE '%x%' THEN ' ' || c.size ELSE ' ' || size_text(c.size) END AS name,
        CASE WHEN c.status <> 'ok' THEN 2 WHEN c.excess > 0 THEN 0 ELSE 1 END AS part
    FROM conflicts c
    WHERE c.family || '/' || c.variant IN wanted AND (c.size IN wanted_sizes
        OR (c.is_primary = 1 AND NOT EXISTS (SELECT 1 FROM wanted_sizes))))
SELECT row_number() OVER (ORDER BY part, is_small, cost_ns IS NULL, cost_ns DESC, excess DESC,
        family, variant) AS rank, *,
    NOT is_small OR (SELECT is_all FROM wanted_all) AS is_listed
FROM chosen;
CREATE TABLE worded AS
SELECT *, CASE WHEN path IS NOT NULL THEN (SELECT at FROM conflict_places p
        WHERE p.family = ranked.family AND p.variant = ranked.variant
        ORDER BY p.excess DESC LIMIT 1) END AS at,
    CASE kind WHEN 'load' THEN 'loads' WHEN 'store' THEN 'stores' WHEN 'atomic' THEN 'atomics'
        WHEN 'asynchronous copy' THEN 'asynchronous copies' WHEN 'access' THEN 'accesses'
        ELSE kind END || coalesce(printf(' of %d bytes', width_bytes), '') || coalesce(
        ', ' || line_words, '') AS access
FROM ranked;
CREATE VIEW conflict_rows AS
SELECT *,
    CASE WHEN is_exact = 0 THEN '≤ ' ELSE '' END || human(round(excess)) AS excess_text,
    printf('%.3g', ways) AS ways_text,
    substr(cost_text, instr(cost_text, ', ') + 2) AS bound,
    substr(coalesce('; loads ' || human(nullif(round(loads), 0)), '')
        || coalesce('; stores ' || human(nullif(round(stores), 0)), '')
        || coalesce('; ldmatrix and stmatrix ' || human(nullif(round(matrix), 0)), '')
        || coalesce('; asynchronous copies ' || human(nullif(round(copies), 0)), '')
        || coalesce('; atomics ' || human(nullif(round(atomics), 0)), '')
        || coalesce('; not counted as conflicts: ' || human(nullif(round(same_word), 0))
            || ' of lanes that update one word', '')
        || coalesce('; not counted as conflicts: ' || human(nullif(round(copied_lines), 0))
            || ' of copies from several cache lines', ''), 3) AS kinds,
    coalesce(at || ': ' || access || iif(at LIKE '% each', '',
            printf(', %.3g %% of the excess', line_share_pct)),
        'line unknown: ' || replace(line_status, 'absent: ', '')) AS place
FROM worded;

-- Which kernel is worst, in a sentence.
CREATE VIEW verdict AS
SELECT CASE WHEN name IS NULL THEN CASE (SELECT count(*) FROM ranked WHERE part = 1)
        WHEN 0 THEN 'No kernel could be counted.' ELSE 'No kernel has bank conflicts.' END
    ELSE 'Bank conflicts cost ' || name || CASE WHEN cost_ns IS NULL THEN ' an unknown time'
        WHEN cost_ns < 1 THEN ' most: less than 1 ns'
        ELSE ' most: ' || time_text(cost_ns) || ' (' || cost_text || ')'
            || printf(', %.1f %% of its time', share_pct) END
        || coalesce(', mostly at ' || at || ' (' || access || ')', '') || '.' END AS words
FROM (SELECT 1) LEFT JOIN (SELECT * FROM worded WHERE part = 0 ORDER BY rank LIMIT 1);
-- What is said below the table: how to read it, and which kernels it leaves out.
CREATE VIEW remarks AS
SELECT 'The cost is the time that the kernel would save without conflicts: measured by whyfast '
    || 'knockout, or estimated as a range, which holds between kernels that differ in conflicts '
    || 'alone; knock-outs often measure costs outside it. Excess wavefronts are those '
    || 'beyond the ideal, which accesses need without conflicts, in all launches; × ideal is '
    || 'over all accesses of the kernel, the words beside a line over '
    || 'those of it that conflict.' AS words
FROM (SELECT 1) WHERE EXISTS (SELECT 1 FROM ranked WHERE part = 0)
UNION ALL
SELECT 'At most (≤): the number is estimated from the sums over a launch whose single instructions '
    || 'were not counted, so that wide accesses may count as conflicts.'
FROM (SELECT 1) WHERE EXISTS (SELECT 1 FROM ranked WHERE part = 0 AND is_listed AND is_exact = 0)
UNION ALL
SELECT CASE count(*) WHEN 1 THEN name || ' has conflicts that cost little: '
    ELSE count(*) || ' more kernels have conflicts that cost little: each at most ' END
    || CASE WHEN max(cost_ns) < 1 THEN 'less than 1 ns'
        ELSE time_text(max(cost_ns)) || printf(', %.1f %% of the time', max(share_pct)) END
    || CASE count(*) WHEN 1 THEN ' (-v lists it).' ELSE ' (-v lists them).' END
FROM ranked WHERE part = 0 AND NOT is_listed HAVING count(*) > 0
UNION ALL
SELECT count(*) || CASE WHEN (SELECT count(*) FROM ranked WHERE part = 0) > 0 THEN ' other'
    ELSE '' END || CASE count(*) WHEN 1 THEN ' kernel has' ELSE ' kernels have' END
    || ' no bank conflicts.'
FROM ranked WHERE part = 1 HAVING count(*) > 0
UNION ALL
SELECT * FROM (SELECT 'Lanes of ' || name || ' update one word, one after the other ('
        || human(round(same_word)) || ' wavefronts); that is no bank conflict.'
    FROM ranked WHERE part = 1 AND same_word > 0 ORDER BY same_word DESC)
UNION ALL
SELECT * FROM (SELECT name || ' could not be counted: ' || replace(status, 'absent: ', '')
    FROM ranked WHERE part = 2 ORDER BY rank);
