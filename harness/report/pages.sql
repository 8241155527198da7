-- reads: ablation accesses advice cause claim_outcome conflict_lines conflict_places conflicts
--        demands facts families impossible impossible_lines kernels library_ratios limiters
--        metric_words metrics moved pair_said points remains resource_unit rise run said selection
--        size_name sizes steps variants verdicts
-- makes: best place rungs shown_metrics programs program_kernels to_gain tops way ideas peaks
--        worths stops ladders device refuted notices impossible_points impossible_words trust
--        primary_rungs bounds pieces conflict_ranked bank_maps limits
-- What several pages show, made once.

CREATE TABLE best AS SELECT * FROM metrics WHERE best = 1;
CREATE UNIQUE INDEX best_key ON best(family, variant, size);
CREATE INDEX points_of ON points(family, size, variant);
CREATE INDEX steps_of_point ON steps(family, variant, size);
CREATE INDEX levels_of ON levels(family, variant, size);
CREATE INDEX said_of ON said(family, variant, size, place);
CREATE INDEX remains_of ON remains(family, variant, size);
CREATE TABLE to_gain AS SELECT * FROM advice;
CREATE INDEX to_gain_of ON to_gain(family, variant, size);
CREATE INDEX verdicts_of ON verdicts(family, variant, claim);
CREATE INDEX impossible_of ON impossible(family, variant, size);

-- Thresholds that pages tell (catalog/thresholds.h).
CREATE TABLE limits AS SELECT @CONVERGED_TEXT AS converged_pct;

-- The sizes of a family: words for a page, and place 1 for the primary one.
CREATE TABLE place AS
SELECT s.family, s.size, s.bytes, s.operations, w.words, s.place
FROM sizes s JOIN size_name w USING (size);
CREATE UNIQUE INDEX place_key ON place(family, size);

-- The rungs, with the short name that addresses and anchors use: 07 for 07_swizzled_b. The role of
-- one that is no step stands in place of the evidence.
CREATE TABLE rungs AS
SELECT v.*, CASE WHEN count(*) OVER (PARTITION BY v.family, v.rung) = 1
        THEN printf('%02d', v.rung) ELSE v.variant END AS key,
    printf('%d %s', v.rung, v.title) AS name,
    CASE WHEN v.kind = 'library' THEN 'library' WHEN v.kind = 'cpu' THEN 'CPU'
        WHEN v.fails IS NOT NULL THEN 'expected to fail'
        WHEN EXISTS (SELECT 1 FROM run WHERE key = 'program_starts') THEN ''
        WHEN v.after IS NULL THEN 'first rung' END AS role
FROM variants v
WHERE EXISTS (SELECT 1 FROM points p WHERE p.family = v.family AND p.variant = v.variant);
CREATE UNIQUE INDEX rungs_key ON rungs(family, variant);

-- The metrics that a ladder's page names.
CREATE TABLE shown_metrics AS SELECT n.family, n.name, g.words, g.unit
FROM (SELECT family, name FROM moved
        UNION SELECT family, witness FROM said WHERE witness IS NOT NULL) n
    LEFT JOIN metric_words g USING (name);
CREATE UNIQUE INDEX shown_metrics_key ON shown_metrics(family, name);

-- The programs of the user, whose kernels are ranked by their total time: there are no steps. The
-- share is of the GPU's time.
CREATE TABLE programs AS SELECT family FROM families
WHERE EXISTS (SELECT 1 FROM run WHERE key IN ('program_starts', 'imported'));
CREATE TABLE program_kernels AS
SELECT r.family, r.variant, r.key, r.title, p.size, CAST(m.time_samples AS INTEGER) AS launches,
    time_among(m.time_samples * m.time_ns, max(m.time_samples * m.time_ns) OVER (),
        min(m.time_samples * m.time_ns) OVER ()) AS total,
    time_among(m.time_ns, max(m.time_ns) OVER (), min(m.time_ns) OVER ()) AS time,
    printf('%.1f %%', 100 * m.time_samples * m.time_ns
        / (SELECT value FROM run WHERE key = 'program_gpu_ns')) AS share,
    (SELECT d.limiter FROM limiters d WHERE d.family = m.family AND d.variant = m.variant
        AND d.size = m.size) AS limiter,
    (SELECT printf('%.1f %%', c.share_pct) FROM conflicts c WHERE c.family = m.family
        AND c.variant = m.variant AND c.size = m.size AND c.excess > 0) AS conflicts,
    row_number() OVER (ORDER BY m.time_samples * m.time_ns DESC) AS rank
FROM programs JOIN rungs r USING (family) JOIN points p USING (family, variant)
    JOIN best m USING (family, variant, size);

-- For each ladder at its primary size the fastest kernel, and the way up to it. Of a program it is
-- the kernel with the most time.
CREATE TABLE tops AS
SELECT family, size, variant, time_ns
FROM (SELECT b.family, b.size, b.variant, b.time_ns, row_number() OVER (PARTITION BY b.family
        ORDER BY CASE WHEN r.family IN (SELECT family FROM programs) THEN r.rung END, b.time_ns,
            b.variant) AS place
    FROM best b JOIN rungs r USING (family, variant) JOIN place p USING (family, size)
    WHERE p.place = 1 AND r.kind = 'kernel' AND r.fails IS NULL AND b.time_ns IS NOT NULL)
WHERE place = 1;
CREATE TABLE way AS
WITH RECURSIVE up(family, variant, at) AS (
    SELECT family, variant, 0 FROM tops
    UNION SELECT u.family, r.after, u.at + 1
    FROM up u JOIN rungs r USING (family, variant) WHERE r.after IS NOT NULL AND u.at < 1000)
SELECT family, variant, at FROM up;

-- The one or two rises of the way up that paid most, with the main cause of each, and of a grid of
-- ideas the worth of each.
CREATE TABLE ideas AS
WITH step AS (
    SELECT s.family, s.ratio, printf('%s (%s%s)', s.title, ratio_text(s.ratio), CASE s.steps WHEN 1
            THEN coalesce((SELECT printf(', %s %s', c.title, c.main_moved)
                FROM said c WHERE c.family = s.family AND c.variant = s.variant AND c.size = s.size
                AND c.is_main), '')
            ELSE ' over rung ' || s.over || coalesce((SELECT ', ' || c.title || ' ' || c.main_moved
                FROM pair_said c JOIN rungs o ON o.variant = c.after WHERE (c.family, c.variant,
                c.size, o.family, o.rung) = (s.family, s.variant, s.size, s.family, s.over)
                AND c.main_moved IS NOT NULL), '') END) AS words,
        row_number() OVER (PARTITION BY s.family ORDER BY s.ratio DESC) AS rank
    FROM rise s JOIN tops t USING (family, size)
        JOIN said h ON h.family = s.family AND h.variant = s.variant AND h.size = s.size
            AND h.place = 0
    WHERE h.direction = 1),
idea AS (
    SELECT family, words
    FROM step WHERE rank = 1 OR rank = 2 AND ratio >= 1.1 ORDER BY family, rank)
SELECT family, group_concat(words, ' and ') AS words, iif(count(*) > 1, 's', '') AS plural
FROM idea GROUP BY family;
CREATE TABLE worths AS
SELECT family, group_concat(words, ', ') AS words
FROM (SELECT a.family, replace(a.factors, '_', ' ') || ' ' || ratio_text(a.ratio) AS words
    FROM ablation a JOIN place p USING (family, size)
    WHERE p.place = 1 AND a.kind = 'main' AND a.direction <> 0 ORDER BY a.ratio DESC)
GROUP BY family;

-- What each rung reaches of the peak of its unit, which is named where those of a ladder differ.
CREATE TABLE peaks AS
WITH own AS (
    SELECT b.family, b.variant, b.size, CASE f.rate WHEN 'operations' THEN b.tflops_pct_peak
            ELSE b.effective_pct_peak END AS pct,
        CASE f.rate WHEN 'operations' THEN unit_text(f.unit, coalesce(b.mma_bf16_operations, 0)
            + coalesce(b.wgmma_bf16_operations, 0), coalesce(b.mma_tf32_operations, 0)
            + coalesce(b.wgmma_tf32_operations, 0), b.wgmma_half_operations) ELSE 'DRAM' END AS unit
    FROM best b JOIN families f USING (family))
SELECT *, printf(iif(pct < 0.5, '%.1g %%', '%.0f %%'), pct) || CASE WHEN (
        SELECT count(DISTINCT o.unit) FROM own o WHERE o.family = p.family AND o.size = p.size) > 1
    THEN ' of ' || replace(unit, ' tensor', '') ELSE '' END AS words
FROM own p WHERE pct IS NOT NULL;
CREATE UNIQUE INDEX peaks_key ON peaks(family, variant, size);

-- What stops the fastest rung of each ladder: its busiest unit, and the clock that power allows; in
-- `more` the clock without pauses and the largest cost that is left.
CREATE TABLE stops AS
SELECT t.family, printf(iif(sum(d.pct) >= 100 * @LIMIT_OF_UNITS, 'Stopped by %s, busy %.0f %%',
        'No unit is at its limit; the busiest is %s, %.0f %%'), r.article || r.title, sum(d.pct))
    || iif(b.power_capped = 1 AND b.sm_clock_pct < 98, printf(' at %.0f of %.0f MHz, which power '
        || 'limits', b.sm_clock_mhz, 100 * b.sm_clock_mhz / b.sm_clock_pct), '') || '.' AS words,
    iif(b.power_capped = 1 AND b.sm_clock_pct < 98, printf('Without pauses, the power limit%s '
        || 'allows only %.0f MHz. ', coalesce((SELECT printf(' of %.0f W', value) FROM run
            WHERE key = 'device_power_limit_w'), ''), b.sustained_clock_mhz), '')
    || coalesce((SELECT printf('Largest cost left: %s, %s %s (%.0f %%).', c.title, m.bound,
            time_text(m.saved_ns), m.share_pct) FROM remains m JOIN cause c USING (cause)
        WHERE m.family = t.family AND m.variant = t.variant AND m.size = t.size AND m.place = 1),
        '') AS more
FROM tops t JOIN best b USING (family, variant, size)
    JOIN demands d USING (family, variant, size) JOIN resource_unit r USING (resource)
WHERE d.rank = 1 GROUP BY t.family;

-- One row per ladder: from its first rung to its fastest one at the primary size. A family that
-- combines ideas, or has too few rungs to be a ladder, is an experiment. Where rungs compute with
-- different numbers of bits, the error of the fastest stands beside its speed.
-- If this one ran below 98 % of the highest clock, `at_clock` says what it reached of the peak at
-- its own; if it computes several products for each useful one, what it reaches with them, which
-- `with_products` says in a cell.
CREATE TABLE ladders AS
WITH kinds AS (
    SELECT family, max(factors IS NOT NULL) = 1 OR count(*) < 4 AS is_experiment, count(*) AS rungs
    FROM variants WHERE kind = 'kernel' GROUP BY family),
bits AS (
    SELECT family, size FROM points GROUP BY family, size
    HAVING max(error_bound) > min(error_bound))
SELECT f.family, f.title, f.problem, coalesce(f.rate, 'bytes') AS rate, p.size, p.words AS n,
    b.variant AS first, b.key AS first_key, b.title AS first_title,
    t.variant AS top, r.key AS top_key, r.title AS top_title,
    time_text(x.time_ns) AS first_time,
    time_text(t.time_ns) AS top_time,
    time_among(x.time_ns, max(max(x.time_ns, t.time_ns)) OVER ()) AS first_cell,
    time_among(t.time_ns, max(max(x.time_ns, t.time_ns)) OVER ()) AS top_cell,
    CASE WHEN t.variant <> b.variant THEN ratio_text(coalesce(gain, x.time_ns / t.time_ns)) END
        AS speedup,
    ratio_text(y.ratio) AS over_library, y.words AS beside, y.direction = 0 AS is_even,
    (SELECT l.title FROM rungs l WHERE l.family = f.family AND l.variant = y.library) AS library,
    q.pct, coalesce(q.unit || ' peak', iif(f.rate = 'operations', unit_text(f.unit), 'DRAM')
        || ' peak') AS peak,
    CASE WHEN f.rate = 'operations' AND m.sm_clock_pct < 98 AND m.tflops_pct_peak_at_clock > 0
        THEN printf('%.0f %% at %.0f MHz', m.tflops_pct_peak_at_clock, m.sm_clock_mhz) END
        AS at_own_clock,
    CASE WHEN m.tensor_operations_per_useful >= 1.9 THEN printf('%.0f %% with its %.3g products',
        q.pct * m.tensor_operations_per_useful, m.tensor_operations_per_useful) END
        AS with_products,
    CASE WHEN f.rate = 'operations' AND m.sm_clock_pct < 98 AND m.tflops_pct_peak_at_clock > 0
        THEN printf(' at %.0f MHz, %.0f %% at the %.0f MHz ', 100 * m.sm_clock_mhz
                / m.sm_clock_pct, m.tflops_pct_peak_at_clock, m.sm_clock_mhz)
            || CASE WHEN m.power_capped = 1 THEN 'that the ' || coalesce((SELECT printf('%.0f W ',
                value) FROM run WHERE key = 'device_power_limit_w'), 'power ')
                || 'limit allows between pauses'
            ELSE 'at which it ran' END ELSE '' END
        || CASE WHEN m.tensor_operations_per_useful >= 1.9 THEN printf(
            '; %.0f %% with its %.3g products in place of one',
            q.pct * m.tensor_operations_per_useful, m.tensor_operations_per_useful) ELSE '' END
        AS at_clock, o.words AS stops, o.more AS cost_left,
    coalesce(q.unit, unit_text(f.unit)) AS unit_name,
    CASE f.rate WHEN 'operations' THEN human(m.tflops) || ' TFLOP/s'
        ELSE human(m.effective_gbs) || ' GB/s' END AS speed,
    CASE WHEN w.words IS NOT NULL THEN 'On average: ' || w.words || '.'
        WHEN i.words IS NOT NULL THEN 'Largest step' || i.plural || ': ' || i.words || '.'
        WHEN f.family IN (SELECT family FROM programs)
            THEN 'It takes more of the GPU''s time than any other kernel of the program.'
        WHEN t.variant = b.variant AND (SELECT count(*) FROM rungs o WHERE o.family = f.family
            AND o.kind = 'kernel') > 1 THEN 'No later rung is faster than the first.'
        END AS sentence,
    CASE WHEN a.family IS NOT NULL AND m.relative_error IS NOT NULL
        THEN printf('relative error %.2g', m.relative_error) END AS accuracy,
    printf('the library''s %.2g', m.library_relative_error) AS library_accuracy,
    coalesce(k.is_experiment, 0) AS is_experiment,
    row_number() OVER (ORDER BY coalesce(k.is_experiment, 0), (SELECT count(*) FROM variants v
        WHERE v.family = f.family) DESC, f.family) AS position
FROM families f LEFT JOIN place p ON p.family = f.family AND p.place = 1
    LEFT JOIN kinds k ON k.family = f.family
    LEFT JOIN bits a ON a.family = f.family AND a.size = p.size
    LEFT JOIN tops t ON t.family = f.family
    LEFT JOIN rungs r ON r.family = f.family AND r.variant = t.variant
    LEFT JOIN rungs b ON b.family = f.family AND b.variant = (SELECT o.variant FROM rungs o
        WHERE o.family = f.family AND o.after IS NULL AND o.kind = 'kernel' ORDER BY o.rung LIMIT 1)
    LEFT JOIN best m ON m.family = f.family AND m.variant = t.variant AND m.size = p.size
    LEFT JOIN best x ON x.family = f.family AND x.variant = b.variant AND x.size = p.size
    LEFT JOIN peaks q ON q.family = f.family AND q.variant = t.variant AND q.size = p.size
    LEFT JOIN (SELECT w.family, w.variant, m.speedup_first AS gain
        FROM way w JOIN tops t USING (family)
        JOIN best m ON m.family = t.family AND m.variant = t.variant AND m.size = t.size) g
        ON g.family = f.family AND g.variant = b.variant
    LEFT JOIN library_ratios y ON y.family = f.family AND y.size = p.size
        AND y.variant = t.variant
    LEFT JOIN stops o ON o.family = f.family
    LEFT JOIN ideas i ON i.family = f.family LEFT JOIN worths w ON w.family = f.family
ORDER BY position;

-- The claims of the textbooks that this run refutes at all sizes, at the largest of them; what is
-- claimed of several sizes is one. Those in few words come first.
CREATE TABLE refuted AS
SELECT family, key, title, says, source, words, measured,
    row_number() OVER (ORDER BY length(says), position, rung) AS place
FROM (SELECT c.family, r.key, r.title, c.says, c.source, p.words, CASE
        WHEN v.is_about_step THEN iif(h.direction = 0, h.note, h.title)
        ELSE v.measured END AS measured, f.position, r.rung,
        row_number() OVER (PARTITION BY c.family, c.variant, c.says ORDER BY p.place) AS nth
    FROM claim_outcome c JOIN rungs r USING (family, variant) JOIN ladders f USING (family)
        JOIN verdicts v ON v.rowid = (SELECT q.rowid
            FROM verdicts q LEFT JOIN place o USING (family, size)
            WHERE q.family = c.family AND q.variant = c.variant AND q.claim = c.claim
                AND q.verdict = 'refuted' ORDER BY o.place, q.rowid LIMIT 1)
        LEFT JOIN place p ON p.family = v.family AND p.size = v.size
        LEFT JOIN said h ON h.family = v.family AND h.variant = v.variant AND h.size = v.size
            AND h.place = 0
    WHERE c.outcome = 'refuted' AND c.source <> 'whyfast')
WHERE nth = 1
ORDER BY place;

-- What a reader must know before the numbers.
CREATE TABLE notices AS
SELECT 'replay' AS kind, printf('Replay of the recorded run %s', value) AS title,
    ': nothing was measured on this machine.' AS words
FROM facts WHERE key = 'replay_of'
UNION ALL SELECT 'quick', 'Quick report', ': every ladder at one size, with fewer repeats '
    || 'and without a timeline. whyfast report --full measures all sizes.'
FROM facts WHERE key = 'extent' AND value = 'quick'
UNION ALL SELECT 'selection', printf('A selection: %d of %d ladders, at %d of %d problem sizes, '
        || 'with the lines of %d of %d kernels.', families, all_families, places, all_places,
        kernels, all_kernels),
    ' A run of more than 16 ladders, 48 sizes or 1000 kernels is too long to show in full. The '
    || 'report shows the longest ladders, each at its main and its largest sizes; the tables '
    || 'beside it (metrics.csv, steps.csv, causes.csv and so on) hold everything, and whyfast '
    || 'lines, whyfast explain and whyfast timeline show any point.'
FROM selection
UNION ALL SELECT 'alarm', 'A variant gave a wrong result', ': its times are not shown. '
    || group_concat(iif(place <= 3, printf('%s/%s at %s: %s', family, variant, size, reason), NULL),
        '; ') || iif(count(*) > 3, printf('; and %d more', count(*) - 3), '') || '.'
FROM (SELECT *, row_number() OVER (ORDER BY rowid) AS place FROM points
    WHERE status = 'failed' AND trials IS NULL)
HAVING count(*) > 0
UNION ALL SELECT 'alarm', 'Times are not clean', printf(' (%s): they include the host''s launch '
    || 'latency and the tool''s overhead in each launch. Measure again without the tool before '
    || 'relying on a ratio.', substr(value, 12))
FROM facts WHERE key = 'timing' AND value LIKE 'not clean: %'
UNION ALL SELECT 'alarm', 'Reports of Nsight Compute', ': ' || value || '.'
FROM facts WHERE key = 'imported'
UNION ALL SELECT DISTINCT 'alarm', 'Hardware counters are missing', printf(' (%s). Times, '
    || 'resources and everything derived from them are shown as usual. All other values read '
    || '"not measured", and their charts are left out.', substr(value, 9))
FROM facts WHERE value LIKE 'absent: %' AND (key LIKE 'counters\_%' ESCAPE '\'
    OR key = 'counters' AND NOT EXISTS (SELECT 1 FROM run r
        WHERE r.key LIKE 'counters\_%' ESCAPE '\' AND r.value IS NOT NULL))
UNION ALL SELECT 'impossible', 'Impossible values.', ' These values contradict the known '
    || 'properties of the device, or each other. They, and everything computed from them, were '
    || 'left empty; the tables show "impossible" in their place. Values that do not depend on '
    || 'them are shown as usual.'
WHERE EXISTS (SELECT 1 FROM impossible) OR EXISTS (SELECT 1 FROM impossible_lines);

-- The impossible values, and what follows from them.
CREATE TABLE impossible_points AS
SELECT i.*, i.family || ', ' || v.rung || ' ' || v.title || ', ' || o.words
    || coalesce(', ' || setting_text(v.sweep_name, v.sweep_text, i.sweep), '') AS point
FROM impossible i JOIN variants v USING (family, variant) LEFT JOIN place o USING (family, size)
ORDER BY i.rowid;
CREATE TABLE impossible_words AS
SELECT printf('Computed from them, at %s: %s.', point, group_concat(name, ', ')) AS words
FROM impossible_points WHERE kind = 'follows' GROUP BY point
UNION ALL SELECT printf('At %s, the counts at %s of its instructions are impossible: %s does not '
    || 'hold. %s The first is %s.', k.family || ', ' || v.rung || ' ' || v.title || ', '
    || coalesce(o.words, k.size), i.instructions, i.holds, i.because, coalesce(i.first, 'unknown'))
FROM impossible_lines i JOIN kernels k USING (kernel) JOIN variants v USING (family, variant)
    LEFT JOIN place o USING (family, size);

-- The device, and what decides its speed.
CREATE TABLE device AS
SELECT group_concat(words, ', ') AS words FROM (
    SELECT words FROM (
        SELECT 1 AS nth, (SELECT value || ' SMs' FROM run WHERE key = 'device_sm_count') AS words
        UNION ALL SELECT 2, (SELECT printf('at most %.0f MHz', value / 1000.0) FROM run
            WHERE key = 'device_sm_clock_khz')
        UNION ALL SELECT 3, (SELECT human(max(dram_peak_gbs)) || ' GB/s of DRAM' FROM best)
        UNION ALL SELECT 4, (SELECT 'power limit ' || value || ' W' FROM run
            WHERE key = 'device_power_limit_w')
        UNION ALL SELECT 5, (SELECT 'driver ' || value FROM run WHERE key = 'driver')
        UNION ALL SELECT 6, (SELECT 'CUDA ' || value FROM run WHERE key = 'cuda_toolkit'))
    WHERE words IS NOT NULL AND words NOT LIKE '%absent%' ORDER BY nth);

-- How far the numbers can be trusted. A step without counters has the reason of its shared memory.
CREATE TABLE trust AS
SELECT sum(status = 'ok') || ' of ' || count(*) || ' measurements are verified' || coalesce(' ('
    || (SELECT group_concat(words, ', ') FROM (SELECT status || ': ' || count(*) AS words
        FROM points WHERE status <> 'ok' AND trials IS NULL GROUP BY status)) || ')', '') || '.'
    AS words
FROM points WHERE trials IS NULL AND family NOT IN (SELECT family FROM programs) HAVING count(*) > 0
UNION ALL SELECT printf('Two timings of the same kernel differ by %.2f %% (median; at most '
    || '%.1f %%): what differs less than they do is no evidence of a change.', median(floor_pct),
    max(floor_pct))
FROM best JOIN rungs USING (family, variant) WHERE kind = 'kernel' AND floor_pct IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'imported')
HAVING count(*) > 0
UNION ALL SELECT 'Self-test of the counters: '
    || replace(iif(value LIKE 'absent: %', substr(value, 9), value), '-', '‑') || '.'
FROM facts WHERE key = 'selftest'
UNION ALL SELECT 'Rungs are timed in turns, and the power of one lowers the clock of the next: '
    || group_concat(printf('%s/%s at %s ran at %.0f MHz, alone at %.0f MHz', family, key, size_text(
        size), sm_clock_mhz, sustained_clock_mhz), '; ') || '. A ratio to one of them is too large '
    || 'by that of its clocks.'
FROM best JOIN rungs USING (family, variant) WHERE sm_clock_mhz < 0.98 * sustained_clock_mhz
HAVING count(*) > 0
UNION ALL SELECT printf('%d of %d steps that change the time change it by 2 %% or more and name '
    || 'no cause.', sum(is_open), count(*))
FROM said WHERE place = 0 AND direction <> 0 AND saved_ns IS NOT NULL HAVING count(*) > 0
UNION ALL SELECT printf('%d further step%s the time, but counters are missing, and with them the '
    || 'causes: ', sum(many), iif(sum(many) = 1, ' changes', 's change'))
    || group_concat(iif(many > 1 AND why LIKE 'its %', 'their' || substr(why, 4), why), '; ') || '.'
FROM (SELECT count(*) AS many, coalesce(substr(coalesce(b.status, c.status), 9),
        'without a reason') AS why
    FROM said h LEFT JOIN conflicts c ON (c.family, c.variant, c.size, c.block)
            = (h.family, h.variant, h.size, h.block) AND c.status <> 'ok'
        LEFT JOIN conflicts b ON (b.family, b.variant, b.size) = (h.family, h.after, h.size)
            AND b.status <> 'ok'
    WHERE h.place = 0 AND h.direction <> 0 AND h.saved_ns IS NULL GROUP BY why)
HAVING count(*) > 0;

-- The rungs of a ladder at the primary size, as its table and the picture of its way up show them.
CREATE TABLE primary_rungs AS
SELECT r.family, r.variant, r.rung, r.key, r.title, r.kind, r.after, r.fails, p.size,
    m.time_ns,
    time_among(m.time_ns, max(m.time_ns) OVER family, min(m.time_ns) OVER family) AS time,
    coalesce(time_text(m.unguaranteed_time_ns) || ' (right in every launch here, not guaranteed)',
        (SELECT max(status_text(status, trials, wrong_trials)) FROM points o
            WHERE o.family = r.family AND o.variant = r.variant AND o.size = p.size
                AND status <> 'ok'), 'not measured') AS absent,
    setting_text(r.sweep_name, r.sweep_text, m.sweep) AS setting,
    ratio_text(s.speedup_prev) AS step,
    CASE WHEN s.speedup_prev IS NOT NULL AND r.after <> lag(r.variant, 1, '') OVER (
        PARTITION BY r.family ORDER BY r.rung, r.variant)
        THEN (SELECT o.key FROM rungs o WHERE o.family = r.family AND o.variant = r.after) END
        AS over,
    coalesce(r.role, h.status, 'not measured') AS verdict, h.direction,
    CASE WHEN s.speedup_prev_low IS NOT NULL
        THEN printf('%.3f–%.3f', s.speedup_prev_low, s.speedup_prev_high)
            || CASE h.direction WHEN 0 THEN printf(', noise %.1f %%', s.floor_pct) ELSE '' END
        END AS interval,
    h.is_open, h.note, c.title AS cause, saved_among(c.saved_ns, max(abs(c.saved_ns)) OVER family)
        || substr(c.main_moved, length(c.moved) + 1) AS cause_time,
    coalesce(c.area, 'several') AS area, h.sentence AS headline,
    CASE WHEN r.kind <> 'cpu' THEN coalesce(q.words, '–') END AS peak_pct,
    coalesce(y.pct_text, '–') AS library_pct
FROM rungs r JOIN place p ON p.family = r.family AND p.place = 1
    LEFT JOIN best m ON m.family = r.family AND m.variant = r.variant AND m.size = p.size
    LEFT JOIN peaks q ON q.family = r.family AND q.variant = r.variant AND q.size = p.size
    LEFT JOIN library_ratios y ON y.family = r.family AND y.variant = r.variant AND y.size = p.size
    LEFT JOIN steps s ON s.family = r.family AND s.variant = r.variant AND s.size = p.size
    LEFT JOIN said h ON h.family = r.family AND h.variant = r.variant AND h.size = p.size
        AND h.place = 0
    LEFT JOIN said c ON c.family = r.family AND c.variant = r.variant AND c.size = p.size
        AND c.is_main
WHERE EXISTS (SELECT 1 FROM points o WHERE o.family = r.family AND o.variant = r.variant
    AND o.size = p.size)
WINDOW family AS (PARTITION BY r.family)
ORDER BY r.family, r.rung, r.variant;
CREATE INDEX primary_rungs_key ON primary_rungs(family);

-- What bounds a rung: of the units that compute and of those that move data the busiest, in per
-- cent of the time.
CREATE TABLE bounds AS
WITH unit AS (
    SELECT d.family, d.variant, d.size, u.title, sum(d.pct) AS pct,
        CASE WHEN u.unit IN ('dram', 'l2', 'l1') THEN 'Memory' ELSE 'Compute' END AS kind
    FROM demands d JOIN resource_unit u USING (resource) WHERE u.unit <> 'launch'
    GROUP BY d.family, d.variant, d.size, u.unit),
ranked AS (
    SELECT *, row_number() OVER (PARTITION BY family, variant, size, kind
        ORDER BY pct DESC, title) AS nth FROM unit)
SELECT family, variant, size, kind, title, pct, printf('%.0f %%', pct) AS pct_text,
    printf('%.1f', min(pct, 100)) AS width
FROM ranked WHERE nth = 1 AND pct IS NOT NULL
ORDER BY family, variant, size, kind;
CREATE INDEX bounds_key ON bounds(family, variant, size);

-- Names of kernels and places in sources in pieces: a line may end after a slash or an underscore.
CREATE TABLE pieces AS
WITH RECURSIVE name(name) AS (
    SELECT family || '/' || variant FROM conflicts
    UNION SELECT at FROM conflict_places
    UNION SELECT path || ':' || CAST(line AS INTEGER) FROM conflicts WHERE path IS NOT NULL),
cut(name, place, piece, rest) AS (
    SELECT name, 0, '', replace(replace(name, '_', '_' || char(1)), '/', '/' || char(1)) || char(1)
    FROM name
    UNION ALL SELECT name, place + 1, substr(rest, 1, instr(rest, char(1)) - 1),
        substr(rest, instr(rest, char(1)) + 1)
    FROM cut WHERE rest <> '')
SELECT name, place, piece FROM cut WHERE place > 0 AND piece <> '';
CREATE INDEX pieces_key ON pieces(name, place);

-- The kernels of conflicts.html, ranked by the least that their conflicts cost, small ones last.
CREATE VIEW conflict_ranked AS
SELECT *, bound <> 'measured' AS is_estimate, row_number() OVER (ORDER BY is_small,
    cost_low_ns IS NULL, cost_low_ns DESC, excess DESC, family, variant) AS rank
FROM conflicts WHERE is_primary = 1 AND excess > 0;

-- The different ways in which accesses conflict in the lines that conflicts.html shows.
CREATE TABLE bank_maps AS
SELECT a.kind, a.width_bytes, a.addresses, row_number() OVER () AS number
FROM accesses a JOIN conflicts c USING (family, variant, size, block, sweep, device)
    JOIN conflict_lines l USING (family, variant, size, block, sweep, device, launch)
WHERE c.is_primary = 1 AND c.excess > 0 AND NOT c.is_small AND a.wavefronts > a.ideal
    AND l.place <= 3 AND ' ' || l.accesses || ' ' LIKE '% ' || a.access || ' %'
GROUP BY a.kind, a.width_bytes, a.addresses;
