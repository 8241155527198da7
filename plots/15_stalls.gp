#: title   :headline
#: caption The cycles that a warp waits between two of its instructions, by reason, of its longest
#:            launch; the darker, the longer (by the logarithm). Dark: the longest of the row. The
#:            last columns are all cycles of waiting; those in which a warp that could issue is not
#:            selected because another one is, which are not among the waits; and the share of
#:            cycles in which a scheduler issues: if nearly every slot is used, waiting costs
#:            nothing.
#: each    WITH wait AS (SELECT *, CASE WHEN waiting < 10 THEN printf('%.1f', waiting) ELSE
#:              human(round(waiting)) END AS words FROM (SELECT r.*, m.stall_total - 1 -
#:              coalesce(m.stall_not_selected, 0) AS waiting,
#:              (SELECT why FROM (SELECT m.stall_long_scoreboard AS cycles, 'global memory' AS why
#:              UNION ALL SELECT m.stall_short_scoreboard, 'shared memory' UNION ALL SELECT
#:              m.stall_barrier, 'a barrier' UNION ALL SELECT m.stall_mio_throttle, 'the MIO queue'
#:              UNION ALL SELECT m.stall_lg_throttle, 'the LG queue' UNION ALL SELECT
#:              m.stall_math_pipe_throttle, 'a math pipe' UNION ALL SELECT m.stall_wait + coalesce(
#:              m.stall_dispatch_stall, 0), 'a fixed latency' UNION ALL SELECT
#:              m.stall_no_instruction + coalesce(m.stall_branch_resolving, 0),
#:              'its next instruction' UNION ALL SELECT m.stall_gmma, 'the tensor cores') ORDER BY
#:              cycles DESC LIMIT 1) AS longest, row_number() OVER
#:              (PARTITION BY r.family, r.size ORDER BY m.stall_total - coalesce(
#:              m.stall_not_selected, 0) DESC) AS most, row_number() OVER (PARTITION BY r.family,
#:              r.size ORDER BY r.time_ns) AS fast, coalesce(max(m.stall_gmma) OVER (PARTITION BY
#:              r.family, r.size), 0) >= 0.05 AS has_gmma FROM chart_rung r JOIN metrics m ON
#:              m.family =
#:              r.family AND m.variant = r.variant AND m.size = r.size AND m.best = 1 WHERE r.kind =
#:              'kernel' AND m.stall_total > 1))
#:            SELECT a.family, a.size, a.has_gmma, 11 + a.has_gmma AS places,
#:              'global memory|shared memory|barrier|MIO queue|LG queue|math pipe|fixed latency|' ||
#:              'fetch, branch|' || iif(a.has_gmma, 'tensor cores|', '') || 'all waits|not
#:              selected|issue slots used' AS columns, (SELECT count(*)
#:              FROM chart_rung r JOIN metrics m ON m.family = r.family AND m.variant = r.variant
#:              AND m.size = r.size AND m.best = 1 WHERE r.family = a.family AND r.size = a.size AND
#:              m.stall_total > 1) AS rungs,
#:            'A warp of ' || a.title || ' waits ' || a.words ||
#:              ' cycles for each instruction, most ' || 'for ' || a.longest ||
#:              iif(is_program, '', '; in the fastest rung, it waits ' || b.words) AS headline,
#:              'Why warps stall: cycles per instruction; dark: the longest wait of a ' || noun ||
#:              '. ' || a.subject AS message FROM wait a JOIN wait b ON b.family = a.family AND
#:              b.size = a.size AND b.fast = 1 JOIN chart_noun WHERE a.most = 1 AND (is_program OR a.waiting > 1.5 * b.waiting) ORDER BY
#:              a.family, a.size
#: data    WITH wait AS (SELECT r.at AS row, r.label, m.* FROM chart_rung r JOIN metrics m ON
#:              m.family = r.family AND m.variant = r.variant AND m.size = r.size AND m.best = 1
#:              WHERE r.family = :family AND r.size = :size AND m.stall_total > 1),
#:            cell AS (SELECT row, label, 0 AS place, stall_long_scoreboard AS cycles FROM wait
#:              UNION ALL SELECT row, label, 1, stall_short_scoreboard FROM wait UNION ALL SELECT
#:              row, label, 2, stall_barrier FROM wait UNION ALL SELECT row, label, 3,
#:              stall_mio_throttle FROM wait UNION ALL SELECT row, label, 4, stall_lg_throttle FROM
#:              wait UNION ALL SELECT row, label, 5, stall_math_pipe_throttle FROM wait UNION ALL
#:              SELECT row, label, 6, stall_wait + coalesce(stall_dispatch_stall, 0) FROM wait UNION
#:              ALL SELECT row, label, 7, stall_no_instruction + coalesce(stall_branch_resolving, 0)
#:              FROM wait UNION ALL SELECT row, label, 8, stall_gmma FROM wait WHERE :has_gmma = '1'
#:              UNION ALL SELECT row, label, 9, stall_total - 1 - coalesce(stall_not_selected, 0)
#:              FROM
#:              wait UNION ALL SELECT row, label, 10, stall_not_selected FROM wait UNION ALL SELECT
#:              row, label, 11, issue_active_pct FROM wait)
#:            SELECT dense_rank() OVER (ORDER BY row) - 1 AS at, dense_rank() OVER (ORDER BY place)
#:              - 1
#:              AS place, CASE WHEN place < 9 AND NOT is_small THEN (ln(cycles) + 3.5) / 9.5 END AS
#:              tint, place < 9 AND NOT is_small AND cycles = max(CASE WHEN place < 9 THEN cycles
#:              END)
#:              OVER (PARTITION BY row) AS is_longest, label, coalesce(CASE WHEN place = 11 THEN
#:              CAST(round(cycles) AS INTEGER) || ' %' WHEN is_small THEN '·' WHEN cycles < 10 THEN
#:              printf('%.1f', cycles) ELSE human(round(cycles)) END, '-') AS value_text FROM
#:              (SELECT
#:              *, cycles < 0.05 AS is_small FROM cell) ORDER BY 1, 2

bottom = no_tics
headroom = headings(1)
eval table(0, rungs)
eval columns_from
grown = tints("column('is_longest') > 0 ? measured : blend(0xffffff, measured, " \
    ."0.45 * least_of(1, column('tint')))")
plot @grown, @names
