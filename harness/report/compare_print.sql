-- reads: compared renamed
-- makes: printed listed unlisted verified
-- Each compared point in words: the point as patterns and --size name it, with the block if points
-- differ in it, whether its machine code changed, and why a number is missing.
CREATE VIEW IF NOT EXISTS printed AS
SELECT c.*,
    CASE WHEN ratio_low IS NOT NULL
        THEN printf('%.3f to %.3f', ratio_low, ratio_high) END AS interval,
    verdict || ': ' || family || '/' || variant
        || CASE WHEN coalesce(sweep_after, sweep_before) = 0 THEN ''
        ELSE '@' || coalesce(sweep_after, sweep_before) END
        || ' ' || replace(size_text(size), ' x ', 'x')
        || CASE WHEN (SELECT count(DISTINCT o.block) FROM compared o WHERE o.family = c.family
            AND o.variant = c.variant AND o.size = c.size) > 1 THEN ', block ' || block ELSE '' END
        || CASE WHEN sweep_before <> sweep_after THEN ', before: @' || sweep_before ELSE '' END
        || CASE WHEN coalesce(direction, 0) = 0 OR machine_code IS NULL THEN ''
        WHEN machine_code = 'same' THEN '; same machine code' ELSE '; machine code changed' END
        || coalesce('; ' || reason, '') AS words
FROM compared c;
-- The points that need an action: the others take one line for each verdict. Of two devices it is
-- of interest, too, why a variant is as fast on both.
CREATE VIEW IF NOT EXISTS listed AS
SELECT * FROM printed WHERE is_news OR account IS NOT NULL;
CREATE VIEW IF NOT EXISTS unlisted AS
SELECT printf('%s: %d point%s of %d variant%s', verdict, count(*), iif(count(*) = 1, '', 's'),
        count(DISTINCT family || '/' || variant),
        iif(count(DISTINCT family || '/' || variant) = 1, '', 's'))
    || CASE WHEN max(ratio) IS NULL THEN ''
    ELSE printf(', ratios from %.3f to %.3f', min(ratio), max(ratio)) END || '; -v lists them'
    AS words
FROM compared WHERE NOT is_news AND account IS NULL
GROUP BY verdict;

-- The points as `verify` names them: a speed-up above 1 is a faster candidate, and a kernel of a
-- program has its name in each run.
CREATE VIEW IF NOT EXISTS verified AS
SELECT p.*, family || '/' || variant AS before, family || '/' || coalesce((
        SELECT r.variant_2 FROM renamed r WHERE r.family = p.family AND r.variant_1 = p.variant),
        variant) AS after,
    1 / ratio AS speedup, 1 / ratio_high AS low, 1 / ratio_low AS high,
    time_before_ns AS before_ns, time_after_ns AS after_ns,
    iif(ratio_low IS NULL, NULL, printf('%.3f to %.3f', 1 / ratio_high, 1 / ratio_low))
        AS speedup_interval
FROM printed p;
