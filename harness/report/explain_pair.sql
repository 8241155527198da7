-- A row for each cause: the largest first, then the interaction and the residual. If the second is
-- slower (:sign '-'), rows count the loss. Causes below half a per cent of the change, and
-- insignificant ones below a fiftieth, share one line unless :all is 1. A cause is named by a
-- detail only if that saves as much alone, within a twentieth. `part` is in ns.
WITH signed AS (
    SELECT *, CASE :sign WHEN '-' THEN -1 ELSE 1 END AS s FROM causes),
listable AS (
    SELECT *, saved_ns * s AS part, :all = '0' AND status <> 'model'
        AND coalesce(abs(share_pct) < CASE status WHEN 'resolved' THEN 0.5 ELSE 2 END,
            saved_ns = 0) AS is_small
    FROM signed),
detailed AS (
    SELECT d.cause, max(CASE d.place WHEN 1 THEN k.title END) AS lead,
        group_concat(printf('%s %.1f %%', k.title, d.share_pct), ', ') AS words
    FROM (SELECT *, row_number() OVER (PARTITION BY cause ORDER BY abs(saved_ns) DESC) AS place
        FROM details WHERE share_pct IS NOT NULL AND (abs(share_pct) >= 0.5 OR :all = '1')
        ORDER BY abs(saved_ns) DESC) d JOIN cause k ON k.cause = d.detail
    GROUP BY d.cause HAVING count(*) > 1),
listed AS (
    SELECT status = 'model' AS last, abs(part) AS size, part, l.share_pct,
        CASE WHEN l.detail IS NULL THEN k.title || coalesce(' (mostly ' || d.lead || ')', '')
            WHEN :all = '1' THEN w.title || ': ' || k.title
            WHEN abs(o.saved_ns - l.saved_ns) > 0.05 * abs(l.saved_ns)
                THEN w.title || ' (mostly ' || k.title || ')'
            ELSE k.title END AS title,
        CASE l.status WHEN 'resolved' THEN 'resolved' WHEN 'model' THEN 'model'
            WHEN 'unresolved' THEN 'not significant' ELSE l.status END AS status,
        CASE WHEN status <> 'model' THEN min(low_ns * s, high_ns * s) END AS low,
        CASE WHEN status <> 'model' THEN max(low_ns * s, high_ns * s) END AS high,
        coalesce(d.words || '. ', '') || k.means AS details,
        l.witness || ' ' || human(witness_before) || ' -> ' || human(witness_after) AS witness,
        coalesce(CASE WHEN line_before = line_after THEN line_before END,
            line_before || ' -> ' || line_after, line_before || ' before',
            line_after || ' after') AS place
    FROM listable l JOIN cause k ON k.cause = coalesce(l.detail, l.cause)
        JOIN cause w ON w.cause = l.cause LEFT JOIN detailed d ON d.cause = l.cause
        LEFT JOIN details o ON o.cause = l.cause AND o.detail = l.detail
    WHERE NOT is_small
    UNION ALL
    SELECT 0, 0, sum(part), sum(share_pct), count(*) || CASE count(*)
        WHEN 1 THEN ' smaller one (-v lists it)'
        ELSE ' smaller ones, together (-v lists them)' END, 'rest', NULL, NULL, NULL, NULL, NULL
    FROM listable WHERE is_small HAVING count(*) > 0)
SELECT printf('%.17g', part), CASE WHEN share_pct IS NOT NULL
        THEN printf('%.1f %%', round(share_pct, 1) + 0.0) END,
    title, status, CASE WHEN low IS NOT NULL THEN printf('%.17g', low) END,
    CASE WHEN high IS NOT NULL THEN printf('%.17g', high) END, details, witness, place
FROM listed WHERE status <> 'model' OR :all = '1' OR abs(share_pct) >= 0.5
ORDER BY last, size DESC
