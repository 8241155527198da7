-- reads: cause causes experiments knockout_kinds metrics points resource_unit said_demand steps
--        variants
-- makes: said_change said_cause said_unit said_headline said_also said_setting said_limit
--        said_main said_warm said
-- What is said of every change, decided here once: the terminal, the pages, the pictures and all
-- exports print these rows and decide nothing. `direction` is 1 for what surely saved time, -1 for
-- what surely cost time, 0 if neither is sure.

-- Of each change: its time. It is open if it must have a cause and the account names none that is
-- significant.
CREATE TABLE said_change AS
SELECT s.*, c.change_ns, coalesce(s.evidence IN ('faster', 'slower') AND c.named = 0
    AND abs(s.speedup_prev - 1) >= @SAID_LEAST_CHANGE, 0) AS is_open
FROM steps s LEFT JOIN (SELECT @POINT_KEY, after, sum(saved_ns) AS change_ns,
        max(named BETWEEN 1 AND @SAID_NAMED AND status <> 'unresolved') AS named
    FROM causes GROUP BY @POINT_KEY, after) c USING (@POINT_KEY, after);
CREATE INDEX said_change_key ON said_change(family, variant, size, block, after);

-- Each cause; together they make the change. A row is small below half a per cent of the change;
-- below two per cent, if it is not sure. `named` is its place in the sentence, which counts the
-- causes of one unit as one; beyond that, it is that of a count that moved beside them. `counted`
-- is the count that moved with the cause. The main cause is the largest of the first place, and
-- counters and lines are shown of what `proves` a change: @SAID_MAIN_PCT % of it or more, unless an
-- experiment contradicts what the counters say. `part` is the share of a cause that is not most of
-- the change, in words.
CREATE TABLE said_cause AS
WITH beside AS (
    SELECT *, 'measured' || CASE WHEN witness IS NOT 'measured_barriers_conflicts_ns' THEN ''
        WHEN cause = 'barriers' THEN ' with bank conflicts' WHEN cause = 'barriers_conflicts'
        THEN '' ELSE ' with barriers' END AS measured_so FROM causes),
titled AS (
    SELECT c.*, k.area, k.title, coalesce(CASE c.witness
            WHEN 'load_distance' THEN 'instructions between load and use'
            WHEN 'loads_per_wait' THEN 'loads for each wait'
            WHEN 'bytes_per_wait' THEN iif(c.cause = 'bytes_in_flight', '', 'bytes ')
                || 'for each wait'
            WHEN 'barriers' THEN 'executed' WHEN 'division' THEN 'their instructions'
            WHEN 'resident_warps' THEN 'resident warps' WHEN 'warp_cycles' THEN 'waits'
            WHEN 'cycles_per_warp' THEN 'waits of a warp'
            WHEN 'other_kernels_ns' THEN 'their time'
            WHEN 'left_warps_pct' THEN 'of those that could run'
            WHEN 'measured_barriers_conflicts_ns' THEN measured_so
            WHEN 'measured_loads_ns' THEN 'all loads and copies: measured'
            ELSE CASE WHEN c.witness LIKE 'measured%' THEN 'measured' || iif(abs(c.witness_before
                    - c.witness_after - c.saved_ns) > 0.01 * abs(c.saved_ns), ' alone', '')
                WHEN c.witness NOT LIKE '%\_ns' ESCAPE '\' THEN k.counts END END || ' ', '')
        || CASE WHEN c.witness = 'waited_loads_ns' THEN 'by knock-outs and waits for the copy '
                || 'engine ' || time_text(c.witness_before) || ' → ' || time_text(c.witness_after)
            WHEN c.witness = 'scaled_cost_ns'
            THEN iif(abs(c.inferred_ns) > abs(c.saved_ns), 'at most', 'at least')
                || ', by knock-outs at another size'
            WHEN c.witness LIKE '%\_ns' ESCAPE '\'
            THEN time_text(c.witness_before) || ' → ' || time_text(c.witness_after)
            ELSE moved_text(c.witness_before, c.witness_after,
                c.witness LIKE '%\_pct' ESCAPE '\') END AS moved,
        CASE WHEN c.status = 'resolved' AND c.low_ns * c.high_ns > 0
            THEN CAST(sign(c.saved_ns) AS INTEGER) ELSE 0 END AS direction,
        iif(c.share_pct < @SAID_MOST_PCT, printf(', %.0f %% of the change', c.share_pct), '')
            AS part,
        c.named NOT BETWEEN 1 AND @SAID_NAMED AND coalesce(abs(c.share_pct)
            < CASE c.status WHEN 'resolved' THEN 0.5 ELSE 2 END, c.saved_ns = 0) AS is_small
    FROM beside c LEFT JOIN cause k USING (cause))
SELECT @POINT_KEY, after, cause AS id, area, title,
    CASE WHEN inferred_ns IS NOT NULL THEN iif(witness = 'scaled_cost_ns', 'Bounded by knock-outs '
            || 'at another size', 'Measured by knock-outs') || '; without them '
            || iif(abs(inferred_ns) > (high_ns - low_ns) / 2, saved_text(inferred_ns)
                || ' would be inferred.', 'nothing would be inferred.')
        WHEN abs(gross_ns - saved_ns) >= 0.1 * abs(gross_ns) THEN
        'Before waits are set off against each other it '
        || CASE WHEN gross_ns > 0 THEN 'saved ' ELSE 'cost ' END || time_text(abs(gross_ns)) || '.'
        END AS aside, saved_ns, low_ns, high_ns, share_pct, status,
    direction, is_small AND sum(is_small) OVER step > 1 AS is_small, named,
    named = 1 AND status <> 'unresolved' AND share_pct >= @SAID_MAIN_PCT
        AND row_number() OVER (step ORDER BY named = 1 DESC, abs(saved_ns) DESC) = 1 AS is_main,
    direction <> 0 AND witness IS NOT NULL AND abs(share_pct) >= @SAID_MAIN_PCT
        AND NOT EXISTS (SELECT 1
        FROM experiments e WHERE (@POINT_KEY_OF(e), e.after, e.cause, e.verdict)
            = (@POINT_KEY_OF(titled), titled.after, titled.cause, 'contradicts')) AS proves,
    witness, witness_before, witness_after, line_before, line_after,
    coalesce(moved || ', ' || detail, moved, detail) AS counted, CASE
        WHEN witness = 'scaled_cost_ns' THEN 'bounded at another size'
        WHEN inferred_ns IS NOT NULL THEN measured_so WHEN EXISTS (SELECT 1 FROM experiments e
            WHERE (@POINT_KEY_OF(e), e.after, e.cause) = (@POINT_KEY_OF(titled), titled.after,
                titled.cause) AND e.is_used AND e.note IS NOT 'undecided: noise')
            THEN 'measured in part' END AS measured, part
FROM titled WINDOW step AS (PARTITION BY @POINT_KEY, after);
INSERT INTO said_cause
SELECT @POINT_KEY, after, 'rest', NULL, count(*) || ' smaller ones', NULL, sum(saved_ns), NULL,
    NULL, sum(share_pct), 'rest', 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ''
FROM said_cause WHERE is_small GROUP BY @POINT_KEY, after;
CREATE INDEX said_cause_key ON said_cause(family, variant, size, block, after);

-- The causes of one unit, of those that a headline may name.
CREATE TABLE said_unit AS
SELECT @POINT_KEY, after, named, group_concat(title, ' and ') AS title,
    group_concat(title || coalesce(' (' || counted || ')', ''), ' and ') AS counted,
    sum(saved_ns) AS saved_ns, sum(share_pct) AS share_pct, max(status = 'unresolved') AS is_unit
FROM (SELECT * FROM said_cause WHERE named > 0 AND (named <= @SAID_NAMED OR counted IS NOT NULL)
    ORDER BY abs(saved_ns) DESC)
GROUP BY @POINT_KEY, after, named;
CREATE INDEX said_unit_key ON said_unit(@POINT_KEY, after);

-- The words of a headline, by shares: at most three causes that made most of the change, and the
-- one that most offset it; beside these, if sure and at least a third of the least that is named,
-- others that offset it, and unexplained time, which stands alone if it exceeds the change. If a
-- share exceeds 100 %, for causes oppose each other, times stand for shares. A change without a
-- significant cause names the likeliest, or the unit whose demand changed most.
CREATE TABLE said_headline AS
WITH opposed AS (
    SELECT *, max(abs(share_pct)) OVER (PARTITION BY @POINT_KEY, after) > @SAID_WHOLE_PCT
        AS is_opposed
    FROM (SELECT @POINT_KEY, after, named, counted, saved_ns, share_pct, is_unit FROM said_unit
        WHERE named <= @SAID_NAMED UNION ALL
        SELECT @POINT_KEY_OF(c), c.after, @SAID_NAMED + 1, c.title
            || coalesce(' (' || c.counted || ')', ''), c.saved_ns, c.share_pct, 0
        FROM said_cause c WHERE c.direction <> 0 AND c.named = 0
            AND iif(c.id = 'residual', abs(c.share_pct), -c.share_pct) >= coalesce((
                SELECT min(u.share_pct) / 3 FROM said_unit u
                WHERE (@POINT_KEY_OF(u), u.after) = (@POINT_KEY_OF(c), c.after)
                    AND u.named <= @SAID_NAMED AND u.share_pct > 0 AND NOT u.is_unit),
                iif(c.id = 'residual', 100.1, NULL)))),
part AS (
    SELECT *, share_pct < 0 AND NOT is_opposed AS rank,
        CASE WHEN is_unit THEN 'no cause stands out: of all units, the demand for ' || counted
                || ' changed most'
            WHEN is_opposed OR share_pct < 0 THEN counted
                || CASE WHEN share_pct < 0 AND NOT is_opposed THEN ', which' ELSE '' END
                || CASE WHEN saved_ns > 0 THEN ' saved ' ELSE ' cost ' END
                || time_text(abs(saved_ns))
            ELSE printf('%.0f %%', share_pct)
                || CASE WHEN saved_ns > 0 THEN ' from ' ELSE ' to ' END || counted END AS words
    FROM opposed)
SELECT @POINT_KEY, after, coalesce(group_concat(words, ', ') FILTER (WHERE NOT rank),
        'no cause stands out')
    || coalesce('; partly offset by ' || group_concat(words, ', and ') FILTER (WHERE rank), '')
        AS words
FROM (SELECT * FROM part ORDER BY rank, named, share_pct) p GROUP BY @POINT_KEY, after;

-- The counts that moved beside the causes.
CREATE TABLE said_also AS
SELECT @POINT_KEY, after, '. Also changed: ' || group_concat(counted, ', ') AS words
FROM said_unit WHERE named > @SAID_NAMED GROUP BY @POINT_KEY, after;
CREATE INDEX said_also_key ON said_also(@POINT_KEY, after);

-- A change of the setting that both rungs of a step have, in the best setting of each.
CREATE TABLE said_setting AS
SELECT @POINT_KEY_OF(s), s.after,
    printf(' (best setting of each: %s → %s)', setting_text(b.sweep_name, b.sweep_text, m.sweep),
        setting_text(v.sweep_name, v.sweep_text, s.sweep)) AS words
FROM steps s CROSS JOIN variants v USING (family, variant)
    JOIN variants b ON b.family = s.family AND b.variant = s.after AND b.sweep_name = v.sweep_name
    JOIN metrics m ON m.family = s.family AND m.variant = s.after AND m.size = s.size
        AND m.block = s.block AND m.best = 1
WHERE m.sweep <> s.sweep;

-- The busiest unit of a point, if it is busy for @SAID_LIMIT_PCT % of the time.
CREATE TABLE said_limit AS
SELECT @POINT_KEY, title, area, max(pct) AS pct
FROM (SELECT @POINT_KEY, article || title AS title, CASE WHEN unit IN ('dram', 'l2')
            THEN 'global_memory' WHEN unit = 'l1' THEN 'shared_memory' ELSE 'instructions' END
            AS area, sum(pct) AS pct
    FROM said_demand JOIN resource_unit USING (resource) WHERE unit <> 'launch'
    GROUP BY @POINT_KEY, unit)
GROUP BY @POINT_KEY HAVING max(pct) >= @SAID_LIMIT_PCT;
CREATE INDEX said_limit_key ON said_limit(family, variant, size, block);

-- What a step of less than 2 % names: its main cause, or the one that would be it if it were sure,
-- with the count that moved with it; without these, or if the main one exceeds the change, what a
-- larger step names. If a unit of another kind is at its limit on both rungs, that is why it gained
-- little; if it is only the busiest one, that is said. `most` is the largest of the causes of a
-- change without a main one.
CREATE TABLE said_main AS
SELECT @POINT_KEY, after, max(CASE WHEN is_main THEN title || part END) AS main,
    max(CASE WHEN named = 1 AND share_pct = named_pct THEN title || part END) AS most,
    coalesce(max(CASE WHEN is_main THEN share_pct END) > @SAID_WHOLE_PCT, 0) AS is_more,
    max(CASE WHEN share_pct = likely_pct AND direction = 0
        THEN title || coalesce(' (' || counted || ')', '') END) AS likely,
    max(CASE WHEN share_pct = likely_pct AND direction = 0 AND counted IS NOT NULL
        AND abs(witness_after - witness_before) >= 0.05 * witness_before THEN (
        SELECT iif(min(l.pct, b.pct) >= 100 * @LIMIT_OF_UNITS, printf(': %s, busy %.0f %% of the '
            || 'time, limits both', l.title, l.pct), printf('; the busiest unit of both is %s, '
            || 'busy %.0f %% of the time', l.title, l.pct))
        FROM said_limit l JOIN said_limit b ON b.family = l.family AND b.size = l.size
            AND b.block = l.block AND b.title = l.title
        WHERE (@POINT_KEY_OF(l)) = (@POINT_KEY_OF(c)) AND b.variant = c.after
            AND l.area <> c.area) END) AS limited
FROM (SELECT *, max(CASE WHEN direction = 0 AND id <> 'rest' AND share_pct >= @SAID_MAIN_PCT
            THEN share_pct END) OVER step AS likely_pct,
        max(CASE WHEN named = 1 AND share_pct >= 1 THEN share_pct END) OVER step AS named_pct
    FROM said_cause WINDOW step AS (PARTITION BY @POINT_KEY, after)) c
GROUP BY @POINT_KEY, after;
CREATE INDEX said_main_key ON said_main(@POINT_KEY, after);

-- What a change becomes with a warm L2 cache, if that turns it round.
CREATE TABLE said_warm AS
SELECT @POINT_KEY_OF(s), s.after, ' With the data in the L2 cache it is '
    || change_text(b.time_warm_ns / m.time_warm_ns) || '.' AS words
FROM steps s JOIN metrics m USING (@POINT_KEY) JOIN metrics b ON b.family = s.family
    AND b.variant = s.after AND b.size = s.size AND b.block = s.block AND b.best = 1
WHERE s.evidence IN ('faster', 'slower') AND abs(s.speedup_prev - 1) >= @SAID_LEAST_CHANGE
    AND abs(b.time_warm_ns / m.time_warm_ns - 1) >= @SAID_LEAST_CHANGE
    AND (s.speedup_prev > 1) <> (b.time_warm_ns > m.time_warm_ns);

-- Place 0 is the change as a whole, with the headline as its sentence. Every number of a headline
-- is a cell of this table or of steps, a setting, or the ratio of two warm times.
CREATE TABLE said AS SELECT * FROM (
SELECT @POINT_KEY_OF(s), s.after, 0 AS place, 'change' AS id, NULL AS area,
    change_text(s.speedup_prev) AS title, s.change_ns AS saved_ns, NULL AS low_ns, NULL AS high_ns,
    NULL AS share_pct, s.evidence AS status, CASE s.evidence WHEN 'faster' THEN 1
        WHEN 'slower' THEN -1 WHEN 'no evidence' THEN 0 END AS direction,
    0 AS is_main, 0 AS proves, 0 AS is_small, saved_text(s.change_ns) AS moved,
    s.is_open AND n.likely IS NULL AS is_open,
    CASE s.evidence
        WHEN 'not measured' THEN coalesce((SELECT CASE p.wrong_trials
                WHEN 0 THEN 'This rung races, but every launch was right'
                    || coalesce((SELECT ': ' || time_text(m.unguaranteed_time_ns)
                        || ', which nothing guarantees' FROM metrics m
                        WHERE (@POINT_KEY_OF(m)) = (@POINT_KEY_OF(s))), '') || '.'
                ELSE printf('This rung races: %.3g %% of its launches were wrong.',
                    100.0 * p.wrong_trials / p.trials) END
            FROM points p WHERE (@POINT_KEY_OF(p)) = (@POINT_KEY_OF(s)) AND p.trials > 0),
            change_text(s.speedup_prev) || ', from too few samples for an interval.',
            'Not measured.')
        WHEN 'no evidence' THEN
            replace(replace(printf('No evidence of a change: %+.1f %% in speed, 95 %% interval '
                || '%+.1f to %+.1f %%, noise floor %.2f %%.', 100 * (s.speedup_prev - 1),
                100 * (s.speedup_prev_low - 1), 100 * (s.speedup_prev_high - 1), s.floor_pct),
                '-0.0 ', '+0.0 '), '-', '−')
        ELSE change_text(s.speedup_prev) || coalesce(t.words, '') || CASE
            WHEN s.change_ns IS NULL THEN '; the counters that would explain it are missing.'
            WHEN s.is_open THEN coalesce('; the likeliest cause, ' || n.likely
                || ', is not significant', '; ' || coalesce(w.words, 'no cause stands out')
                || coalesce(a.words, '')) || '.'
            WHEN abs(s.speedup_prev - 1) < @SAID_LEAST_CHANGE AND n.is_more IS NOT 1
                AND (w.words IS NULL OR coalesce(n.main, n.likely) IS NOT NULL)
                THEN coalesce('; the main cause is ' || n.main, '; the likeliest cause, '
                    || n.likely || ', is not significant' || coalesce(n.limited, ''),
                    '; no cause is significant') || '.'
            ELSE ', ' || time_text(abs(s.change_ns))
                || CASE s.evidence WHEN 'faster' THEN ' saved: ' ELSE ' lost: ' END
                || coalesce(w.words, 'no cause stands out')
                || coalesce(a.words, '') || '.' || iif(EXISTS (SELECT 1 FROM metrics m
                    WHERE (m.family, m.size, m.best) = (s.family, s.size, 1)
                        AND m.variant IN (s.variant, s.after)
                        AND m.global_load_instructions IS NULL),
                    ' Accesses were not counted: waits stand for what caused them.', '') END
            || coalesce((SELECT x.words FROM said_warm x WHERE (@POINT_KEY_OF(x), x.after)
                = (@POINT_KEY_OF(s), s.after)), '')
    END AS sentence,
    CASE WHEN s.evidence = 'not measured' THEN coalesce((SELECT status_text(p.status, p.trials,
                p.wrong_trials) FROM points p WHERE (@POINT_KEY_OF(p)) = (@POINT_KEY_OF(s))
                AND p.trials > 0), s.evidence)
        WHEN s.evidence = 'no evidence' THEN 'no significant change'
        WHEN s.change_ns IS NULL THEN 'not counted'
        WHEN n.main IS NULL THEN coalesce('likeliest cause: ' || n.likely || ', not significant',
            iif(s.is_open, 'no cause stands out', coalesce('largest cause: ' || n.most,
                'no main cause'))) END AS note,
    NULL AS aside, NULL AS counted, NULL AS witness, NULL AS witness_before,
    NULL AS witness_after, NULL AS line_before, NULL AS line_after, NULL AS main_moved
FROM said_change s LEFT JOIN said_headline w USING (@POINT_KEY, after)
    LEFT JOIN said_also a USING (@POINT_KEY, after)
    LEFT JOIN said_setting t USING (@POINT_KEY, after)
    LEFT JOIN said_main n USING (@POINT_KEY, after)
UNION ALL
SELECT @POINT_KEY, after,
    row_number() OVER (PARTITION BY @POINT_KEY, after ORDER BY is_small, status = 'rest',
        direction = 0, coalesce(share_pct, 0) <= 0, abs(saved_ns) DESC, id),
    id, area, title, saved_ns, low_ns, high_ns, share_pct, status, direction, is_main, proves,
    is_small, saved_text(saved_ns), 0, title
        || CASE WHEN saved_ns > 0 THEN ' saved ' ELSE ' cost ' END
        || time_text(abs(saved_ns)) || '.',
    CASE WHEN status = 'unresolved' OR (direction, status) = (0, 'resolved') THEN 'not significant'
        WHEN direction <> 0 AND witness IS NULL THEN 'no counter moved with it'
        WHEN measured IS NOT NULL THEN measured
        WHEN id IN (SELECT cause FROM knockout_kinds) THEN 'inferred' END,
    aside,
    counted, witness, witness_before, witness_after, CASE WHEN proves THEN line_before END,
    CASE WHEN proves THEN line_after END, CASE WHEN is_main THEN saved_text(saved_ns) || part END
FROM said_cause)
ORDER BY family, CAST(size AS INTEGER), size, variant, block, after, place;
CREATE INDEX said_key ON said(family, variant, size, place);
