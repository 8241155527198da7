-- A row for each cause: the largest first, then the interaction and the residual. If the second is
-- slower (:sign '-'), rows count the loss. Causes below half a per cent share one line unless :all
-- is 1. Details are listed if there are several, and the lines at which most of the
-- cause happened before and after.
WITH signed AS (
    SELECT *, CASE :sign WHEN '-' THEN -1 ELSE 1 END AS s FROM causes),
listable AS (
    SELECT *, saved_ns * s AS part, :all = '0' AND status <> 'model'
        AND coalesce(abs(share_pct) < 0.5, saved_ns = 0) AS is_small
    FROM signed),
detailed AS (
    SELECT d.cause, group_concat(k.title || ' ' || printf('%.1f %%', d.share_pct), ', ') AS words
    FROM (SELECT * FROM details
        WHERE share_pct IS NOT NULL AND (abs(share_pct) >= 0.5 OR :all = '1')
        ORDER BY abs(saved_ns) DESC) d JOIN cause k ON k.cause = d.detail
    GROUP BY d.cause HAVING count(*) > 1),
listed AS (
    SELECT status = 'model' AS last, abs(part) AS size, part, share_pct,
        CASE WHEN l.detail IS NOT NULL THEN w.title || ': ' ELSE '' END || k.title
            || CASE WHEN l.status IN ('resolved', 'model') THEN ''
            ELSE ' (' || l.status || ')' END AS title,
        CASE WHEN status <> 'model' THEN 'interval ' || time_text(min(low_ns * s, high_ns * s))
            || ' to ' || time_text(max(low_ns * s, high_ns * s)) END AS interval,
        d.words AS details,
        l.witness || ' ' || human(witness_before) || ' -> ' || human(witness_after) AS witness,
        CASE WHEN coalesce(line_before, line_after) IS NOT NULL THEN 'mostly at '
            || coalesce(CASE WHEN line_before = line_after THEN line_before END,
                line_before || ' -> ' || line_after, line_before || ' before',
                line_after || ' after') END AS place,
        CASE WHEN l.status = 'resolved' THEN 1 END AS sure
    FROM listable l JOIN cause k ON k.cause = coalesce(l.detail, l.cause)
        JOIN cause w ON w.cause = l.cause LEFT JOIN detailed d ON d.cause = l.cause
    WHERE NOT is_small
    UNION ALL
    SELECT 0, 0, sum(part), sum(share_pct), count(*) || CASE count(*)
        WHEN 1 THEN ' smaller one (-v lists it)'
        ELSE ' smaller ones, together (-v lists them)' END, NULL, NULL, NULL, NULL,
        NULL
    FROM listable WHERE is_small HAVING count(*) > 0)
SELECT time_text(part), CASE WHEN share_pct IS NOT NULL
        THEN printf('%.1f %%', round(share_pct, 1) + 0.0) END,
    title, interval, details, witness, place, sure
FROM listed ORDER BY last, size DESC
