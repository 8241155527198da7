-- reads: cause metric_words said
-- makes:
-- A row for each cause of the pair, in the order of `said`. If the second is slower (:sign '-'),
-- `part`, in ns, is the loss. Small ones share a row unless :all is 1; then those without a time of
-- their own share one.
SELECT part, interval, share, title, note, direction, details, witness, place FROM (
    SELECT saved_ns * CASE :sign WHEN '-' THEN -1 ELSE 1 END AS part,
        saved_text(high_ns) || ' to ' || saved_text(low_ns) AS interval,
        replace(printf('%.1f %%', round(share_pct, 1) + 0.0), '-', '−') AS share,
        l.title || CASE id WHEN 'rest' THEN ' (-v lists them)' ELSE '' END AS title, note,
        direction,
        coalesce(l.aside || ' ', '') || k.means AS details,
        w.words || CASE w.unit
            WHEN 'ns' THEN ': ' || time_text(witness_before) || ' -> ' || time_text(witness_after)
            ELSE coalesce(', ' || w.unit, '') || ': ' || human(witness_before) || ' -> '
                || human(witness_after) END AS witness,
        coalesce(CASE WHEN line_before = line_after THEN line_before END,
            line_before || ' -> ' || line_after, line_before || ' before', line_after || ' after')
            AS place, l.place AS nth
    FROM said l LEFT JOIN cause k ON k.cause = l.id LEFT JOIN metric_words w ON w.name = l.witness
    WHERE l.place > 0 AND CASE :all WHEN '1' THEN id <> 'rest' AND saved_ns <> 0
        ELSE NOT is_small END
    UNION ALL
    SELECT 0, NULL, NULL, group_concat(title, ', '), 'no time of their own', NULL, NULL, NULL,
        NULL, 1e9
    FROM (SELECT title FROM said WHERE place > 0 AND id <> 'rest' AND saved_ns = 0 AND :all = '1'
        ORDER BY place) HAVING count(*) > 0)
ORDER BY nth
