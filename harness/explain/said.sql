-- reads: steps causes details cause metrics variants points
-- makes: said_change said_cause said_headline said_setting said
-- What is said of every change, decided here once: the terminal, the pages, the pictures and all
-- exports print these rows and decide nothing. `direction` is 1 for what surely saved time, -1 for
-- what surely cost time, 0 if neither is sure.

-- Of each change: its time, and the two cases in which its causes do not make sense one by one. It
-- is open if the model leaves more than half of it unexplained. It is below zero if its savings
-- together exceed the time before.
CREATE TABLE said_change AS
SELECT s.*, m.time_ns, c.change_ns, coalesce(m.time_ns + c.change_ns < c.savings_ns, 0) AS is_below,
    coalesce(s.evidence IN ('faster', 'slower') AND c.residual_pct > 50, 0) AS is_open
FROM steps s LEFT JOIN metrics m USING (@POINT_KEY)
    LEFT JOIN (SELECT @POINT_KEY, after, sum(saved_ns) AS change_ns,
            sum(max(saved_ns, 0)) AS savings_ns,
            max(CASE cause WHEN 'residual' THEN abs(share_pct) END) AS residual_pct
        FROM causes GROUP BY @POINT_KEY, after) c USING (@POINT_KEY, after);
CREATE INDEX said_change_key ON said_change(family, variant, size, block, after);

-- Each cause with its one name: that of its leading detail if it saves as much alone, within a
-- twentieth. The amount is always that of the whole cause, so that the rows sum to the change. A
-- row is small below half a per cent of the change; below two per cent, if it is not sure. If
-- neither the causes nor the model make sense, all of the change is not explained.
CREATE TABLE said_cause AS
WITH named AS (
    SELECT c.*, coalesce(x.area, k.area) AS area, h.is_open, h.is_below,
        CASE WHEN c.detail IS NULL THEN coalesce(k.title, c.cause)
            WHEN abs(d.saved_ns - c.saved_ns) <= 0.05 * abs(c.saved_ns)
                THEN coalesce(x.title, c.detail)
            ELSE coalesce(k.title, c.cause) || ' (mostly ' || coalesce(x.title, c.detail) || ')'
            END AS title,
        CASE c.status WHEN 'resolved' THEN CAST(sign(c.saved_ns) AS INTEGER) ELSE 0 END
            AS direction,
        coalesce(abs(c.share_pct) < CASE c.status WHEN 'resolved' THEN 0.5 WHEN 'model' THEN 0.5
            ELSE 2 END, c.saved_ns = 0) AS is_small
    FROM said_change h JOIN causes c USING (@POINT_KEY, after)
        LEFT JOIN cause k ON k.cause = c.cause LEFT JOIN cause x ON x.cause = c.detail
        LEFT JOIN details d ON (@POINT_KEY_OF(d)) = (@POINT_KEY_OF(c)) AND d.after = c.after
            AND d.cause = c.cause AND d.detail = c.detail
    WHERE NOT (h.is_open AND h.is_below))
SELECT @POINT_KEY, after, cause AS id, detail, area, title, saved_ns, low_ns, high_ns, share_pct,
    status, direction, is_small AND sum(is_small) OVER step > 1 AS is_small,
    NOT is_open AND direction <> 0 AND share_pct > 0
        AND row_number() OVER (step ORDER BY direction <> 0 DESC, share_pct DESC) = 1 AS is_main,
    is_below, witness, witness_before, witness_after, line_before, line_after
FROM named WINDOW step AS (PARTITION BY @POINT_KEY, after)
UNION ALL
SELECT @POINT_KEY, after, 'residual', NULL, k.area, k.title, change_ns, NULL, NULL, 100, 'model', 0,
    0, 0, 0, NULL, NULL, NULL, NULL, NULL
FROM said_change JOIN cause k ON k.cause = 'residual' WHERE is_open AND is_below;
INSERT INTO said_cause
SELECT @POINT_KEY, after, 'rest', NULL, NULL, count(*) || ' smaller ones', sum(saved_ns), NULL,
    NULL, sum(share_pct), 'rest', 0, 0, 0, max(is_below), NULL, NULL, NULL, NULL, NULL
FROM said_cause WHERE is_small GROUP BY @POINT_KEY, after;
CREATE INDEX said_cause_key ON said_cause(family, variant, size, block, after);

-- The words of a headline: at most three causes that made most of the change, and the one that most
-- offset it, by their shares. If a share exceeds 100 %, because causes oppose each other, the four
-- largest by their times. Both name only sure causes of at least a tenth of the change.
CREATE TABLE said_headline AS
WITH sure AS (
    SELECT *, title || CASE WHEN saved_ns > 0 THEN ' saved ' ELSE ' cost ' END
            || time_text(abs(saved_ns)) AS moved,
        row_number() OVER (step ORDER BY share_pct DESC) AS along,
        row_number() OVER (step ORDER BY share_pct) AS against,
        row_number() OVER (step ORDER BY abs(share_pct) DESC) AS place,
        max(abs(share_pct)) OVER step > 100.5 AS is_opposed
    FROM said_cause WHERE direction <> 0 AND abs(share_pct) >= 10
    WINDOW step AS (PARTITION BY @POINT_KEY, after)),
part AS (
    SELECT *, 1 AS rank, along AS nth, printf('%.0f %%', share_pct)
        || CASE WHEN saved_ns > 0 THEN ' from ' ELSE ' to ' END || title AS words
    FROM sure WHERE NOT is_opposed AND along <= 3 AND share_pct > 0
    UNION ALL SELECT *, 1, place, moved FROM sure WHERE is_opposed AND place <= 4
    UNION ALL SELECT *, 2, 1, title || ', which'
        || CASE WHEN saved_ns > 0 THEN ' saved ' ELSE ' cost ' END || time_text(abs(saved_ns))
    FROM sure WHERE NOT is_opposed AND against = 1 AND share_pct < 0)
SELECT @POINT_KEY, after, coalesce(group_concat(words, ', ') FILTER (WHERE rank = 1),
        'no cause is resolved')
    || coalesce('; partly offset by ' || max(CASE rank WHEN 2 THEN words END), '') AS words,
    max(CASE WHEN along = 1 AND share_pct BETWEEN 50 AND 150 THEN title END) AS main
FROM (SELECT * FROM part ORDER BY rank, nth) GROUP BY @POINT_KEY, after;

-- A change of the setting that both rungs of a step have, in the best setting of each.
CREATE TABLE said_setting AS
SELECT @POINT_KEY_OF(s), s.after,
    printf(', with %s %g instead of %g', v.sweep_name, s.sweep, m.sweep) AS words
FROM steps s JOIN variants v USING (family, variant)
    JOIN variants b ON b.family = s.family AND b.variant = s.after AND b.sweep_name = v.sweep_name
    JOIN metrics m ON m.family = s.family AND m.variant = s.after AND m.size = s.size
        AND m.block = s.block AND m.best = 1
WHERE m.sweep <> s.sweep;

-- Place 0 is the change as a whole, with the headline as its sentence. Every number of a headline
-- is a cell of this table or of steps, or a setting. A step of less than 2 % names at most its main
-- cause.
CREATE TABLE said AS SELECT * FROM (
SELECT @POINT_KEY_OF(s), s.after, 0 AS place, 'change' AS id, NULL AS detail, NULL AS area,
    change_text(s.speedup_prev) AS title, s.change_ns AS saved_ns, NULL AS low_ns, NULL AS high_ns,
    NULL AS share_pct, s.evidence AS status, CASE s.evidence WHEN 'faster' THEN 1
        WHEN 'slower' THEN -1 WHEN 'no evidence' THEN 0 END AS direction,
    0 AS is_main, 0 AS is_small, saved_text(s.change_ns) AS moved,
    s.is_open,
    CASE s.evidence
        WHEN 'not measured' THEN coalesce((SELECT CASE p.wrong_trials
                WHEN 0 THEN 'This rung is expected to fail, but all launches were right.'
                ELSE printf('This rung is expected to fail: %.9g %% of its launches were wrong.',
                    100.0 * p.wrong_trials / p.trials) END
            FROM points p WHERE (@POINT_KEY_OF(p)) = (@POINT_KEY_OF(s)) AND p.trials > 0),
            'Not measured.')
        WHEN 'no evidence' THEN
            replace(replace(printf('No evidence of a change: %+.1f %% in speed, 95 %% interval '
                || '%+.1f to %+.1f %%, noise floor %.2f %%.', 100 * (s.speedup_prev - 1),
                100 * (s.speedup_prev_low - 1), 100 * (s.speedup_prev_high - 1), s.floor_pct),
                '-0.0 ', '+0.0 '), '-', '−')
        ELSE change_text(s.speedup_prev) || coalesce(t.words, '') || CASE
            WHEN s.change_ns IS NULL THEN '; the counters that would explain it are missing.'
            WHEN s.is_open THEN '; the model does not explain most of this change.'
            WHEN abs(s.speedup_prev - 1) < 0.02
                THEN coalesce('; the main cause is ' || w.main, '') || '.'
            ELSE ', ' || time_text(abs(s.change_ns))
                || CASE s.evidence WHEN 'faster' THEN ' saved: ' ELSE ' lost: ' END
                || coalesce(w.words, 'no cause is resolved') || '.' END
    END AS sentence,
    CASE WHEN s.evidence = 'not measured' THEN s.evidence
        WHEN s.evidence = 'no evidence' THEN 'no significant change'
        WHEN s.is_open THEN 'mostly not explained' WHEN s.change_ns IS NULL THEN 'not counted'
        END AS note,
    NULL AS witness, NULL AS witness_before, NULL AS witness_after,
    NULL AS line_before, NULL AS line_after
FROM said_change s LEFT JOIN said_headline w USING (@POINT_KEY, after)
    LEFT JOIN said_setting t USING (@POINT_KEY, after)
UNION ALL
SELECT @POINT_KEY, after,
    row_number() OVER (PARTITION BY @POINT_KEY, after ORDER BY is_below AND saved_ns > 0,
        status = 'model', CASE status WHEN 'model' THEN id END, is_small, status = 'rest',
        direction = 0,
        coalesce(share_pct, 0) <= 0, abs(saved_ns) DESC),
    id, detail, area, title, saved_ns, low_ns, high_ns, share_pct, status, direction, is_main,
    is_small, saved_text(saved_ns), 0, title
        || CASE WHEN saved_ns > 0 THEN ' saved ' ELSE ' cost ' END
        || time_text(abs(saved_ns)) || '.',
    CASE WHEN status = 'unresolved' THEN 'not significant' WHEN status LIKE 'its %' THEN status END,
    witness, witness_before, witness_after, CASE WHEN direction <> 0 THEN line_before END,
    CASE WHEN direction <> 0 THEN line_after END
FROM said_cause)
ORDER BY family, CAST(size AS INTEGER), size, variant, block, after, place;
CREATE INDEX said_key ON said(family, variant, size, place);
