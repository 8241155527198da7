-- Causes that a headline may name: those that are resolved. If the leading detail of a cause saves
-- nearly as much alone, within a fifth, the headline names the detail, with what that saves.
CREATE TABLE headline_cause AS
WITH named AS (
    SELECT c.*, k.title AS whole, x.title AS part, d.saved_ns AS part_ns, d.share_pct AS part_pct,
        coalesce(abs(d.saved_ns - c.saved_ns) <= 0.2 * abs(c.saved_ns), 0) AS is_part
    FROM causes c JOIN cause k ON k.cause = c.cause LEFT JOIN cause x ON x.cause = c.detail
        LEFT JOIN details d ON (@POINT_KEY_OF(d)) = (@POINT_KEY_OF(c)) AND d.cause = c.cause
            AND d.detail = c.detail
    WHERE c.status = 'resolved')
SELECT family, variant, size, block, cause,
    CASE WHEN is_part THEN part_ns ELSE saved_ns END AS saved_ns,
    CASE WHEN is_part THEN part_pct ELSE share_pct END AS share_pct,
    CASE WHEN is_part THEN part ELSE whole || coalesce(' (mostly ' || part || ')', '') END AS title,
    row_number() OVER (step ORDER BY share_pct DESC) AS along,
    row_number() OVER (step ORDER BY share_pct) AS against,
    row_number() OVER (step ORDER BY abs(share_pct) DESC) AS place
FROM named
WINDOW step AS (PARTITION BY family, variant, size, block);

-- Per step: at most three causes that made most of the change, and the one that most offset it, by
-- their shares. If a share exceeds 100 %, because causes oppose each other, the four largest by
-- their times. Both name only causes of at least a tenth of the change.
CREATE TABLE headline_words AS
WITH said AS (
    SELECT family, variant, size, block,
        group_concat(printf('%.0f %%', share_pct)
            || CASE WHEN saved_ns > 0 THEN ' from ' ELSE ' to ' END || title, ', ') AS words
    FROM (SELECT * FROM headline_cause WHERE along <= 3 AND share_pct >= 10 ORDER BY along)
    GROUP BY family, variant, size, block),
against AS (
    SELECT family, variant, size, block, title || ', which'
        || CASE WHEN saved_ns > 0 THEN ' saved ' ELSE ' cost ' END
        || replace(time_text(abs(saved_ns)), ' us', ' µs') AS words
    FROM headline_cause WHERE against = 1 AND share_pct <= -10),
times AS (
    SELECT family, variant, size, block, group_concat(
        title || CASE WHEN saved_ns > 0 THEN ' saved ' ELSE ' cost ' END
            || replace(time_text(abs(saved_ns)), ' us', ' µs'), ', ') AS words
    FROM (SELECT * FROM headline_cause WHERE place <= 4 AND abs(share_pct) >= 10 ORDER BY place)
    GROUP BY family, variant, size, block HAVING max(abs(share_pct)) > 100.5)
SELECT family, variant, size, block, sum(c.saved_ns) AS saved_ns,
    max(CASE c.cause WHEN 'residual' THEN abs(c.share_pct) > 50 ELSE 0 END) AS is_open,
    max(CASE WHEN h.along = 1 AND h.share_pct BETWEEN 50 AND 150 THEN h.title END) AS main,
    coalesce(s.words, 'no cause is resolved')
        || coalesce('; partly offset by ' || a.words, '') AS shares, t.words AS times
FROM causes c LEFT JOIN headline_cause h USING (family, variant, size, block, cause)
    LEFT JOIN said s USING (family, variant, size, block)
    LEFT JOIN against a USING (family, variant, size, block)
    LEFT JOIN times t USING (family, variant, size, block)
GROUP BY family, variant, size, block;

-- A change of the setting that both rungs of a step have, in the best setting of each.
CREATE TABLE headline_setting AS
SELECT s.family, s.variant, s.size, s.block,
    printf(', with %s %g instead of %g', v.sweep_name, s.sweep, m.sweep) AS words
FROM steps s JOIN variants v USING (family, variant)
    JOIN variants b ON b.family = s.family AND b.variant = s.after AND b.sweep_name = v.sweep_name
    JOIN metrics m ON m.family = s.family AND m.variant = s.after AND m.size = s.size
        AND m.block = s.block AND m.best = 1
WHERE m.sweep <> s.sweep;

-- Every number is a cell of steps, causes or details, the sum of saved_ns, or a setting. A step of
-- less than 2 % names at most its main cause.
CREATE TABLE headlines AS
WITH said AS (
    SELECT s.*, w.shares, w.times, w.main, w.is_open, coalesce(t.words, '') AS setting,
        replace(time_text(abs(w.saved_ns)), ' us', ' µs')
            || CASE s.evidence WHEN 'faster' THEN ' saved' ELSE ' lost' END AS change,
        CASE WHEN s.speedup_prev >= 1.1 THEN printf('%.2f× faster', s.speedup_prev)
            ELSE printf(CASE WHEN abs(s.speedup_prev - 1) < 0.0995 THEN '%.1f %% %s'
                ELSE '%.0f %% %s' END, 100 * abs(s.speedup_prev - 1), s.evidence) END AS ratio
    FROM steps s LEFT JOIN headline_words w USING (family, variant, size, block)
        LEFT JOIN headline_setting t USING (family, variant, size, block))
SELECT @POINT_KEY, after, CASE evidence
        WHEN 'not measured' THEN coalesce((SELECT CASE p.wrong_trials
                WHEN 0 THEN 'This rung is expected to fail, but all launches were right.'
                ELSE printf('This rung is expected to fail: %.9g %% of its launches were wrong.',
                    100.0 * p.wrong_trials / p.trials) END
            FROM points p WHERE (@POINT_KEY_OF(p)) = (@POINT_KEY_OF(said)) AND p.trials > 0),
            'Not measured.')
        WHEN 'no evidence' THEN
            replace(replace(printf('No evidence of a change: %+.1f %% in speed, 95 %% interval '
                || '%+.1f to %+.1f %%, noise floor %.2f %%.', 100 * (speedup_prev - 1),
                100 * (speedup_prev_low - 1), 100 * (speedup_prev_high - 1), floor_pct),
                '-0.0 ', '+0.0 '), '-', '−')
        ELSE ratio || setting || CASE
            WHEN shares IS NULL THEN '; the counters that would explain it are missing.'
            WHEN is_open THEN '; the model does not explain most of this change.'
            WHEN abs(speedup_prev - 1) < 0.02
                THEN coalesce('; the main cause is ' || main, '') || '.'
            ELSE ', ' || change || ': ' || coalesce(times, shares) || '.' END
    END AS headline
FROM said ORDER BY family, CAST(size AS INTEGER), size, variant, block;
