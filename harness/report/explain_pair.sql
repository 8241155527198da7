-- A row for each cause: the largest first, the residual last. If the second is slower (:sign '-'),
-- rows count the loss. Causes below half a per cent share one line unless :all is 1.
WITH signed AS (
    SELECT *, CASE :sign WHEN '-' THEN -1 ELSE 1 END AS s FROM pair_causes),
listable AS (
    SELECT *, saved_ns * s AS part, :all = '0' AND cause <> 'residual'
        AND coalesce(abs(share_pct) < 0.5, saved_ns = 0) AS is_small
    FROM signed),
listed AS (
    SELECT cause = 'residual' AS last, abs(part) AS size, part, share_pct,
        title || CASE status WHEN 'resolved' THEN '' ELSE ' (' || status || ')' END AS title,
        time_text(before_ns) || ' -> ' || time_text(after_ns) AS levels,
        'interval ' || time_text(min(low_ns * s, high_ns * s)) || ' to '
            || time_text(max(low_ns * s, high_ns * s)) AS interval,
        witness || ' ' || human(witness_before) || ' -> ' || human(witness_after) AS witness,
        CASE status WHEN 'resolved' THEN 1 END AS sure
    FROM listable WHERE NOT is_small
    UNION ALL
    SELECT 0, 0, sum(part), sum(share_pct), count(*) || CASE count(*)
        WHEN 1 THEN ' smaller one (-v lists it)'
        ELSE ' smaller ones, together (-v lists them)' END, NULL, NULL, NULL, NULL
    FROM listable WHERE is_small HAVING count(*) > 0)
SELECT time_text(part), CASE WHEN share_pct IS NOT NULL
        THEN printf('%.1f %%', round(share_pct, 1) + 0.0) END,
    title, levels, interval, witness, sure
FROM listed ORDER BY last, size DESC
