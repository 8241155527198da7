-- What each source says, and where a reader finds it: a claim of a variant, a published time, or a
-- record of the kind item. An article that is cited with an addition to its name stands below the
-- name that its items have.

CREATE VIEW said AS
SELECT source, place, says, 'claim ' || claim || ' of ' || family || '/' || variant AS shown,
    CASE WHEN sum(points) = 1 THEN max(verdict)
        ELSE group_concat(verdict || ' at ' || points, ', ') || ' points' END AS outcome,
    2 AS kind, min(first_row) AS place_in_table
FROM (SELECT *, count(*) AS points, min(rowid) AS first_row FROM verdicts WHERE source <> 'whyfast'
    GROUP BY family, variant, claim, verdict)
GROUP BY family, variant, claim
UNION ALL
SELECT p.source, 'Published times',
    human(p.time_ns / 1e3) || ' µs' || CASE WHEN f.rate = 'bytes' AND p.effective_gbs > 0
        THEN ', ' || human(p.effective_gbs) || ' GB/s,' ELSE '' END || ' on ' || p.device
        || ' at ' || size_text(p.size)
        || CASE WHEN p.block > 0 THEN ', ' || p.block || ' threads per block' ELSE '' END,
    p.family || '/' || p.variant || CASE WHEN p.sweep > 0 THEN '@' || p.sweep ELSE '' END,
    coalesce('here ' || human(m.time_ns / 1e3) || ' µs' || CASE WHEN m.block_threads <> p.block
        AND p.block > 0 THEN printf(', %d threads per block', m.block_threads) ELSE '' END,
        'not measured at this size'), 3, p.rowid
FROM published p LEFT JOIN families f USING (family) LEFT JOIN metrics m
    ON m.family = p.family AND m.variant = p.variant AND m.size = p.size
        AND CASE WHEN p.sweep > 0 THEN m.sweep = p.sweep ELSE m.best = 1 END
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
FROM said s;
