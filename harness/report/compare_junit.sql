-- reads: printed
-- makes: junit
-- The points as test cases: family, name, verdict, the words and the account of the table, and the
-- time in seconds.
CREATE VIEW IF NOT EXISTS junit AS
SELECT family, variant
        || CASE WHEN coalesce(sweep_after, sweep_before) = 0 THEN ''
        ELSE '@' || coalesce(sweep_after, sweep_before) END
        || ' ' || size || ', block ' || block AS name,
    verdict, words, account,
    CASE WHEN time_after_ns IS NOT NULL THEN printf('%.9f', time_after_ns * 1e-9) END AS seconds
FROM printed
ORDER BY family, variant, size, block, sweep_before;
