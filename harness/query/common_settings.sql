-- reads: setting_times variants
-- makes: common_settings
-- A setting that all kernels of a family have, with the same values, is part of the problem, such
-- as the length of an array: at each size all are compared at the one at which the fastest of them
-- is fastest. setting_times: times at the usual block size.
CREATE VIEW common_settings AS
WITH kernel AS (
    SELECT t.*, v.sweep_name FROM setting_times t JOIN variants v USING (family, variant)
    WHERE v.kind = 'kernel' AND t.ns IS NOT NULL ORDER BY t.sweep),
swept AS (
    SELECT family, size, variant, sweep_name, group_concat(sweep) AS settings
    FROM kernel GROUP BY family, size, variant),
common AS (
    SELECT family, size FROM swept GROUP BY family, size
    HAVING count(*) > 1 AND count(nullif(sweep_name, '')) = count(*)
        AND count(DISTINCT sweep_name) = 1 AND count(DISTINCT settings) = 1
        AND instr(settings, ',') > 0)
SELECT family, size, sweep FROM (
    SELECT family, size, sweep, row_number() OVER (PARTITION BY family, size
        ORDER BY ns, sweep) AS rank
    FROM kernel JOIN common USING (family, size))
WHERE rank = 1;
