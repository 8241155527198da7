-- reads: cause causes knocked_out knockout_kinds metrics steps used_knockouts
-- makes: experiments
-- What knock-outs say of each change: what each of them saves before and after, and, of a cause,
-- what the account infers without them. They agree if the one is half to twice the other, or if
-- they differ by no more than @SAID_NOISE of the time, which is noise of the account. Only
-- knock-outs that save something on one side. A verdict has what is measured on both, and what the
-- account claims: a part beyond its threshold. Otherwise the counters do not tell the cost from the
-- waits that took its place. A measured change is noise below @SAID_NOISE of the time, or within
-- the half of its interval: it decides nothing, unless what is inferred differs from it by more.
-- What comes before a change may be of another family: then `after` has its full name.
-- `outcome` says in words whether the account uses what was measured of a cause, which may have
-- another name in it, and what that says of the inference; `is_used` is 1 if it does.
CREATE TABLE experiments AS
WITH step AS (
    SELECT @POINT_KEY_OF(s), s.after, b.family AS b_family, b.variant AS b_variant,
        b.block AS b_block, b.sweep AS b_sweep,
        (a.time_ns + b.time_ns) / 2 AS time_ns, (SELECT max(c.high_ns - c.low_ns) / 2 FROM causes c
            WHERE (@POINT_KEY_OF(c), c.after) = (@POINT_KEY_OF(s), s.after)) AS half_ns,
        (SELECT u.knockout FROM used_knockouts u WHERE (@POINT_KEY_OF(u), u.after)
            = (@POINT_KEY_OF(s), s.after) AND u.knockout IN ('barriers_conflicts', 'global_loads')
            ) AS instead
    FROM steps s JOIN metrics a USING (@POINT_KEY)
        JOIN metrics b ON b.family = CASE WHEN s.after LIKE '%/%'
                THEN substr(s.after, 1, instr(s.after, '/') - 1) ELSE s.family END
            AND b.variant = substr(s.after, instr(s.after, '/') + 1) AND b.size = s.size
            AND b.best = 1),
found AS (
    SELECT @POINT_KEY_OF(s), s.after, s.time_ns, n.rowid AS place, n.knockout, n.title,
        n.cause AS own, coalesce(u.cause, n.cause) AS cause,
        b.saved_ns AS before_ns, a.saved_ns AS after_ns, b.saved_ns - a.saved_ns AS saved_ns,
        b.is_whole AND a.is_whole AS is_whole, (b.is_measured AND a.is_measured)
            OR (u.knockout = 'global_loads' AND b.is_whole AND a.is_whole) AS is_measured,
        max(@SAID_NOISE * s.time_ns, sqrt((b.high_ns - b.low_ns) * (b.high_ns - b.low_ns)
            + (a.high_ns - a.low_ns) * (a.high_ns - a.low_ns)) / 2) AS noise_ns,
        coalesce(u.cause, n.cause) <> '' AND s.half_ns IS NOT NULL AS is_known,
        CASE WHEN abs(iif(u.knockout IS NULL, c.saved_ns, u.inferred_ns)) > s.half_ns
            THEN iif(u.knockout IS NULL, c.saved_ns, u.inferred_ns) END AS account_ns,
        u.cause IS NOT NULL AS is_taken, s.instead
    FROM step s CROSS JOIN knockout_kinds n
        LEFT JOIN knocked_out a ON (@POINT_KEY_OF(a), a.knockout) = (@POINT_KEY_OF(s), n.knockout)
        LEFT JOIN knocked_out b ON b.family = s.b_family AND b.variant = s.b_variant
            AND b.size = s.size AND b.block = s.b_block AND b.sweep = s.b_sweep
            AND b.knockout = n.knockout
        LEFT JOIN used_knockouts u ON (@POINT_KEY_OF(u), u.after, u.knockout)
            = (@POINT_KEY_OF(s), s.after, n.knockout)
        LEFT JOIN causes c ON (@POINT_KEY_OF(c), c.after, c.cause)
            = (@POINT_KEY_OF(s), s.after, n.cause)
    WHERE (a.is_cost OR b.is_cost)
        AND (n.cause <> '' OR n.knockout NOT LIKE '%\_conflicts' ESCAPE '\')),
judged AS (
    SELECT *, cause <> '' AND is_taken AND (saved_ns IS NULL OR (is_measured AND is_known))
            AS is_used, CASE WHEN is_measured AND NOT is_noise AND account_ns IS NOT NULL
        THEN iif(abs(account_ns - saved_ns) <= @SAID_NOISE * time_ns
            OR account_ns / nullif(saved_ns, 0) BETWEEN 0.5 AND 2, 'confirms', 'contradicts')
        END AS verdict, saved_text(account_ns) AS inferred
    FROM (SELECT *, abs(saved_ns) <= noise_ns
            AND abs(coalesce(account_ns, 0) - saved_ns) <= noise_ns AS is_noise FROM found))
SELECT @POINT_KEY, after, place, knockout, title, cause, time_ns, before_ns, after_ns, saved_ns,
    account_ns, CASE WHEN is_measured AND abs(saved_ns) >= @SAID_NOISE * time_ns
        THEN account_ns / saved_ns END AS ratio, verdict,
    CASE WHEN saved_ns IS NULL THEN 'one side only' WHEN NOT is_whole THEN 'lower bound'
        WHEN is_measured AND is_noise THEN 'undecided: noise'
        WHEN is_known AND account_ns IS NULL THEN 'nothing inferred' END AS note,
    CASE WHEN cause = '' THEN NULL
        WHEN saved_ns IS NULL THEN iif(is_used, 'used: the copy engine of the other kernel costs '
            || 'at most what warps wait for it', 'not used: measured on one side only')
        WHEN NOT is_measured THEN 'not used: a lower bound; a part of the cost stays in the copy'
        WHEN NOT is_known THEN iif(after = variant, 'not used: both sides are the same kernel',
            'not used: without counters there is no account')
        WHEN is_used THEN 'used' || coalesce(' as ' || (SELECT t.title FROM cause t
                WHERE t.cause = judged.cause AND judged.cause <> judged.own), '')
            || CASE WHEN verdict = 'confirms' THEN ': confirms the inferred ' || inferred
                WHEN verdict IS NOT NULL THEN ' instead of the inferred ' || inferred
                WHEN is_noise THEN ': no change beyond the noise'
                ELSE ': nothing could be inferred from the counters' END
        ELSE CASE instead WHEN 'barriers_conflicts' THEN 'not used alone: both at once are'
            WHEN 'global_loads' THEN 'not used alone: all that the copies cost is'
            ELSE iif(knockout = 'barriers_conflicts', 'not used: the two are used one by one',
                'not used: the account cannot divide the rest') END
            || coalesce('; ' || verdict || ' the inferred ' || inferred, '') END AS outcome,
    is_used
FROM judged ORDER BY family, CAST(size AS INTEGER), size, variant, block, after, place;
CREATE INDEX experiments_key ON experiments(family, variant, size, block, after);
