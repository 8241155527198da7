-- reads: access_words conflict_places conflicts wanted_all wanted_sizes
-- makes: ranked conflicts_shown worded conflict_rows verdict legends remarks
-- The kernels that were asked for, ranked by the least that their conflicts cost, small ones last;
-- then those without conflicts, and those that could not be counted. Sizes tell equal names apart.
CREATE TABLE ranked AS
WITH chosen AS (
    SELECT c.*, c.family || '/' || c.variant
        || CASE WHEN count(*) OVER (PARTITION BY c.family, c.variant) = 1 THEN ''
        WHEN c.size LIKE '%x%' THEN ' ' || c.size ELSE ' ' || size_text(c.size) END AS name,
        CASE WHEN c.status <> 'ok' THEN 2 WHEN c.excess > 0 THEN 0 ELSE 1 END AS part
    FROM conflicts c
    WHERE c.family || '/' || c.variant IN wanted AND (c.size IN wanted_sizes
        OR (c.is_primary = 1 AND NOT EXISTS (SELECT 1 FROM wanted_sizes))))
SELECT row_number() OVER (ORDER BY part, is_small, cost_low_ns IS NULL, cost_low_ns DESC,
        excess DESC, family, variant) AS rank, *
FROM chosen;

-- What is shown: each kernel that has conflicts in a row of the ranking, and the lines of the first
-- three. wanted_all, of -v or patterns, adds those that cost little, and the lines of all. Up to
-- three kernels are not ranked first.
CREATE TABLE conflicts_shown AS
SELECT r.rank, NOT r.is_small OR w.is_all AS is_listed,
    (NOT r.is_small AND r.rank <= 3) OR w.is_all AS is_detailed,
    count(*) FILTER (WHERE NOT r.is_small OR w.is_all) OVER () > 3 AS has_ranking
FROM ranked r JOIN wanted_all w WHERE r.part = 0;

CREATE TABLE worded AS
SELECT *,
    kinds_word || coalesce(printf(' of %d bytes', width_bytes), '') || coalesce(', ' || line_words,
        '') AS access,
    coalesce(path || ':' || CAST(line AS INTEGER) || ': ' || kinds_word || coalesce(', '
        || substr(line_words, 1, instr(line_words || ', ', ', ') - 1), ''), 'line unknown')
        || iif(has_copies, '; with copies from several cache lines', '')
        AS worst
FROM (SELECT r.*, coalesce(w.words, r.kind) AS kinds_word, path IS NOT NULL AS has_line
        FROM ranked r LEFT JOIN access_words w USING (kind)) LEFT JOIN conflicts_shown USING (rank)
    LEFT JOIN (SELECT family, variant, 1 AS has_line, at, is_tie, max(excess) AS most
        FROM conflict_places GROUP BY family, variant) USING (family, variant, has_line);
CREATE VIEW conflict_rows AS
SELECT *,
    CASE WHEN is_exact = 0 THEN '≤ ' ELSE '' END || human(round(excess)) AS excess_text,
    printf('%.3g', ways) AS ways_text,
    substr(coalesce('; loads ' || human(nullif(round(loads), 0)), '')
        || coalesce('; stores ' || human(nullif(round(stores), 0)), '')
        || coalesce('; ldmatrix and stmatrix ' || human(nullif(round(matrix), 0)), '')
        || coalesce('; asynchronous copies ' || human(nullif(round(copies), 0)), '')
        || coalesce('; atomics ' || human(nullif(round(atomics), 0)), '')
        || coalesce('; not counted as conflicts: ' || human(nullif(round(same_word), 0))
            || ' of lanes that update one word', '')
        || coalesce('; not counted as conflicts: ' || human(nullif(round(copied_lines), 0))
            || ' of copies from several cache lines' || iif(has_copies, ', which are in the cost',
                ''), ''), 3) AS kinds,
    CASE WHEN worst IS NOT lag(worst) OVER (ORDER BY rank) THEN worst END AS worst_place,
    coalesce(at || ': ' || access || iif(is_tie, '',
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
-- How the ranking (1) and the lines (2) are read.
CREATE VIEW legends AS
SELECT 1 AS place, 'Cost: the time that the kernel would save without conflicts; share: its part '
    || 'of the kernel''s time. The low end of its range ranks an estimate. Each kernel with its '
    || 'worst line, unless it is that of the one above:'
    AS words
FROM (SELECT 1) WHERE EXISTS (SELECT 1 FROM conflicts_shown WHERE has_ranking)
UNION ALL
SELECT 2, CASE WHEN NOT max(has_ranking) THEN 'Cost: the time that the kernel would save without '
        || 'conflicts; share: its part of the kernel''s time; '
    WHEN min(is_detailed) THEN 'Their lines; '
    ELSE printf('The lines of the first %d (-v, or the name of a kernel, shows others); ',
        sum(is_detailed)) END
    || 'excess: the wavefronts, in all launches, beyond the ideal, which the accesses need without '
    || 'conflicts; × ideal: the wavefronts of all accesses of the kernel over the ideal, beside '
    || 'lines those of the accesses that conflict:'
FROM conflicts_shown HAVING max(is_detailed)
UNION ALL
SELECT 2, 'At most (≤): the number is estimated from the sums over a launch whose single '
    || 'instructions were not counted, so that wide accesses may count as conflicts.'
FROM (SELECT 1)
WHERE EXISTS (SELECT 1 FROM ranked JOIN conflicts_shown USING (rank)
    WHERE is_detailed AND is_exact = 0);
-- What is said below: what the costs are, and which kernels are left out.
CREATE VIEW remarks AS
SELECT 'Costs are measured by whyfast knockout, or estimated as a range, which holds between '
    || 'kernels that differ in conflicts alone; knock-outs often measure costs outside it.' AS words
FROM (SELECT 1) WHERE EXISTS (SELECT 1 FROM conflicts_shown)
UNION ALL
SELECT CASE count(*) WHEN 1 THEN name || ' has conflicts that cost little: '
    ELSE count(*) || ' more kernels have conflicts that cost little: each at most ' END
    || CASE WHEN max(cost_ns) < 1 THEN 'less than 1 ns'
        ELSE time_text(max(cost_ns)) || printf(', %.1f %% of the time', max(share_pct)) END
    || CASE count(*) WHEN 1 THEN ' (-v lists it).' ELSE ' (-v lists them).' END
FROM ranked JOIN conflicts_shown USING (rank) WHERE NOT is_listed HAVING count(*) > 0
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
