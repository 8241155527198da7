-- reads: families items metrics points published published_here verdicts
-- makes: statement coverage claim_outcome claim_count
-- What each source says, and where a reader finds it: a claim of a variant, a published time, or a
-- record of the kind item. An article that is cited with an addition to its name stands below the
-- name that its items have.

CREATE VIEW statement AS
SELECT source, place, says, 'claim ' || claim || ' of ' || family || '/' || variant AS shown,
    CASE WHEN sum(points) = 1 THEN max(verdict)
        WHEN count(*) = 1 THEN max(verdict) || ' at ' || sum(points) || ' points'
        ELSE group_concat(verdict || ' at ' || points, ', ') || ' of ' || sum(points) || ' points'
        END AS outcome,
    2 AS kind, min(first_row) AS place_in_table
FROM (SELECT *, count(*) AS points, min(rowid) AS first_row FROM verdicts WHERE source <> 'whyfast'
    GROUP BY family, variant, claim, verdict)
GROUP BY family, variant, claim
UNION ALL
SELECT p.source, 'Published times',
    time_text(p.time_ns) || CASE WHEN f.rate = 'bytes' AND p.effective_gbs > 0
        THEN ', ' || human(p.effective_gbs) || ' GB/s,' ELSE '' END || ' on ' || p.device
        || ' at ' || size_text(p.size)
        || CASE WHEN p.block > 0 THEN ', ' || p.block || ' threads per block' ELSE '' END,
    p.family || '/' || p.variant || CASE WHEN p.sweep > 0 THEN '@' || p.sweep ELSE '' END
        || coalesce(', row ' || p.row, ''),
    coalesce('here ' || time_text(m.time_ns) || CASE WHEN m.block_threads <> p.block
        AND p.block > 0 THEN printf(', %d threads per block', m.block_threads) ELSE '' END,
        'not measured at this size'), 3, p.rowid
FROM published p LEFT JOIN families f USING (family) JOIN published_here h
    ON h.published = p.rowid LEFT JOIN metrics m ON m.rowid = h.here
UNION ALL
SELECT source, place, says, CASE WHEN shown LIKE 'absent: %' THEN '' ELSE shown END,
    CASE WHEN instr(shown, 'absent: ') > 0 THEN substr(shown, instr(shown, 'absent: '))
        WHEN replace(shown, 'plots/', '') GLOB '*[a-z]/[0-9][0-9]_*' AND NOT EXISTS
            (SELECT 1 FROM points p WHERE instr(shown, p.family || '/' || p.variant) > 0)
            THEN 'not in this run'
        ELSE coalesce(figure, 'shown') END, 1, rowid
FROM items;

CREATE TABLE coverage AS
SELECT coalesce((SELECT i.source FROM items i WHERE substr(s.source, 1, length(i.source)) = i.source
    LIMIT 1), s.source) AS source, s.place, s.says, s.shown, s.outcome, s.kind, s.place_in_table
FROM statement s;

-- The outcome of each claim over its points. One that the source limits to some cases is seen if
-- one point shows it.
CREATE TABLE claim_outcome AS
SELECT family, variant, claim, says, source, CASE
        WHEN seen > 0 THEN 'seen'
        WHEN unseen > 0 THEN 'not seen'
        WHEN yes > 0 AND no > 0 THEN 'at some sizes'
        WHEN yes > 0 THEN 'confirmed'
        WHEN no > 0 THEN 'refuted'
        WHEN undecided > 0 THEN 'undecided'
        ELSE 'not measurable here' END AS outcome
FROM (SELECT family, variant, claim, says, source, sum(verdict = 'confirmed') AS yes,
        sum(verdict = 'refuted') AS no, sum(verdict = 'seen') AS seen,
        sum(verdict = 'not seen') AS unseen, sum(verdict = 'undecided') AS undecided
    FROM verdicts GROUP BY family, variant, claim);

-- Per family the number of claims with each outcome; rest has those that are not 0, in words.
CREATE TABLE claim_count AS
SELECT family, sum(outcome = 'confirmed') AS confirmed, sum(outcome = 'refuted') AS refuted,
    (SELECT group_concat(words, '')
        FROM (SELECT printf(', %d %s', count(*), CASE outcome
                    WHEN 'at some sizes' THEN 'confirmed at some sizes and refuted at others'
                    ELSE outcome END) AS words
            FROM claim_outcome o
            WHERE o.family = c.family AND outcome NOT IN ('confirmed', 'refuted')
            GROUP BY outcome ORDER BY outcome)) AS rest
FROM claim_outcome c GROUP BY family;
