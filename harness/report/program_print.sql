-- reads: conflicts limiters run samples variants
-- makes:
-- Each kernel of the program, as it is typed and as it is written there, by its total time in the
-- first start, or in all reports of Nsight Compute: its launches, its median time, its share of all
-- times on the GPU, what limits it, and the share that bank conflicts cost; at most :most of them.
SELECT row_number() OVER (ORDER BY sum(s.time_ns) DESC) AS rank,
    v.family || '/' || v.variant AS kernel, v.family || '/' || v.title AS title,
    count(*) AS launches, sum(s.time_ns) AS total_ns, median_time(s.time_ns) AS median_ns,
    100 * sum(s.time_ns) / (SELECT value FROM run WHERE key = 'program_gpu_ns') AS share_pct,
    (SELECT limiter FROM limiters l WHERE (l.family, l.variant) = (v.family, v.variant)) AS limiter,
    (SELECT c.share_pct FROM conflicts c
        WHERE c.family = v.family AND c.variant = v.variant AND c.share_pct IS NOT NULL)
        AS conflicts_pct
FROM samples s JOIN variants v USING (family, variant)
WHERE s.status = 'ok' AND (s.copy = 'a' OR EXISTS (SELECT 1 FROM run WHERE key = 'imported'))
GROUP BY v.family, v.variant
ORDER BY sum(s.time_ns) DESC
LIMIT coalesce(CAST(:most AS INTEGER), -1);
