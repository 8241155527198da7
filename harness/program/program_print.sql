-- Each kernel of the program by its total time in the first start: its launches, its median time,
-- its share of all times on the GPU, the resource that takes the most time, and the share that bank
-- conflicts cost.
SELECT v.family || '/' || v.variant AS name, count(*) AS launches,
    time_text(sum(s.time_ns)) AS total, time_text(median(s.time_ns)) AS median,
    printf('%.1f %%', 100 * sum(s.time_ns)
        / (SELECT value FROM run WHERE key = 'program_gpu_ns')) AS share,
    coalesce((SELECT group_concat(DISTINCT CASE
            WHEN d.resource = 'dram' THEN 'device memory' WHEN d.resource = 'l2' THEN 'L2 cache'
            WHEN d.resource IN ('shared', 'conflicts', 'l1', 'same_word')
            THEN 'L1 and shared memory'
            WHEN d.resource = 'issue' THEN 'instruction issue' ELSE d.resource END) FROM demands d
        WHERE d.family = v.family AND d.variant = v.variant AND d.rank = 1), '') AS limiter,
    coalesce((SELECT printf('%.1f %%', c.share_pct) FROM conflicts c
        WHERE c.family = v.family AND c.variant = v.variant AND c.share_pct IS NOT NULL), '')
        AS conflicts
FROM samples s JOIN variants v USING (family, variant)
WHERE s.copy = 'a' AND s.status = 'ok'
GROUP BY v.family, v.variant
ORDER BY sum(s.time_ns) DESC;
