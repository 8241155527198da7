-- reads: kernel_sums
-- makes:
-- The paragraphs of the summary of a kernel: label, words (NULL for none) and style.
WITH k AS MATERIALIZED (SELECT * FROM kernel_sums WHERE kernel = :kernel)
SELECT '', printf('%s/%s, size %s%s', family, variant, size_text(size),
    CASE WHEN block > 0 THEN ', block ' || block ELSE '' END)
    || CASE WHEN sweep <> 0 THEN ', sweep ' || sweep ELSE '' END
    || ', launch ' || launch || coalesce(' of ' || human(launches), ''), 'heading' FROM k
UNION ALL
SELECT 'kernel', printf('%s', name)
    || coalesce(' (' || human(instructions) || ' instructions)', ''), 'plain' FROM k
UNION ALL
SELECT 'counts', CASE WHEN counts_status IS NOT 'ok' THEN counts_status ELSE
    printf('%s warp instructions, %s of 32 lanes on', human(executed), ratio_words(lanes))
    || CASE WHEN shared_wavefronts IS NULL THEN '' ELSE
        printf('; %s shared-memory wavefronts, %s of them excess', human(shared_wavefronts),
            human(excess)) || coalesce(' (' || ratio_words(ways) || ' times the ideal)', '')
        END END,
    'plain' FROM k
UNION ALL
SELECT 'samples', CASE WHEN samples_status IS NOT 'ok' THEN samples_status ELSE
    printf('%s stall samples at its instructions', human(samples))
    || coalesce(', from ' || human(sampled_launches)
        || CASE sampled_launches WHEN 1 THEN ' launch' ELSE ' launches' END, '')
    || coalesce(', one every ' || human(period_cycles) || ' cycles', '')
    || coalesce('; ' || human(samples_elsewhere) || ' elsewhere', '')
    || coalesce(', ' || human(samples_dropped) || ' dropped', '')
    || coalesce('; most frequent reason: ' || replace(reason, '_', ' ') || ' ('
        || percent_words(reason_pct) || ' % of the samples)', '') END,
    'plain' FROM k
UNION ALL
SELECT 'lines', nullif(lines_status, 'ok'), 'plain' FROM k
UNION ALL
SELECT 'SASS', nullif(sass_status, 'ok'), 'plain' FROM k
UNION ALL
SELECT 'distance', CASE WHEN distance_status IS NULL
        THEN 'absent: the run was recorded without this count'
    WHEN distance_status = 'ok' THEN coalesce(human(sass_read_distance)
        || ' arithmetic instructions between a read of shared memory and its first use', '')
        || CASE WHEN sass_read_distance + sass_copy_distance >= 0 THEN '; ' ELSE '' END
        || coalesce(human(sass_copy_distance)
        || ' between an asynchronous copy and the wait for it', '')
        || ' (median of the main loop)' END, 'plain' FROM k WHERE sass_status = 'ok'
UNION ALL
SELECT 'conflicts', views, CASE views_agree WHEN 0 THEN 'hot' ELSE 'plain' END FROM k
UNION ALL
SELECT 'excess', cost, 'plain' FROM k
