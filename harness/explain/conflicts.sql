-- reads: accesses estimate impossible kernels line_chains line_place lines metrics
--        points sizes source_files sources variants
-- makes: conflict_instruction conflict_line conflict_access conflict_lines worst_line conflicts
-- The bank conflicts of each point in its best setting, and the source lines that have them. All
-- instructions of a kernel were counted at one size: at other sizes its lines are those.

-- Instructions with excess wavefronts, at the place of their inlining chain (cause_lines.sql).
-- Copies that bypass the L1 cache do not pass through the data stage; others need a wavefront for
-- each cache line, of which there are at most as many as sectors, if lines were counted.
CREATE TABLE conflict_instruction AS
WITH excess AS (
    SELECT rowid AS id, kernel, opcode_of(sass) AS opcode, executed, shared_wavefronts,
        CASE WHEN sass LIKE '%LDGSTS%' AND kernel IN (SELECT kernel FROM kernels
                JOIN metrics USING (@POINT_KEY) WHERE line_wavefronts > 0)
            THEN max(shared_ideal, global_sectors) ELSE shared_ideal END AS shared_ideal
    FROM lines WHERE coalesce(sass, '') NOT LIKE '%LDGSTS%.BYPASS%')
SELECT e.kernel, x.source, x.line, x.of_source, x.of_line,
    CASE WHEN e.opcode LIKE 'LDGSTS%' THEN 'asynchronous copy' WHEN e.opcode LIKE 'LDSM%'
        THEN 'ldmatrix' WHEN e.opcode LIKE 'STSM%' THEN 'stmatrix' WHEN e.opcode LIKE 'ATOM%'
        OR e.opcode LIKE 'RED%' THEN 'atomic' WHEN e.opcode LIKE 'LD%' THEN 'load'
        WHEN e.opcode LIKE 'ST%' THEN 'store' ELSE 'access' END AS kind,
    CASE WHEN e.opcode LIKE 'LDSM%' OR e.opcode LIKE 'STSM%' THEN
        CASE WHEN e.opcode LIKE '%.4' THEN 16 WHEN e.opcode LIKE '%.2' THEN 8 ELSE 4 END
        WHEN e.opcode LIKE '%.128%' THEN 16 WHEN e.opcode LIKE '%.64%' THEN 8
        WHEN e.opcode LIKE '%.U16%' OR e.opcode LIKE '%.S16%' THEN 2
        WHEN e.opcode LIKE '%.U8%' OR e.opcode LIKE '%.S8%' THEN 1
        WHEN e.opcode IS NOT NULL THEN 4 END AS width,
    e.executed, e.shared_wavefronts AS wavefronts, e.shared_ideal AS ideal
FROM excess e LEFT JOIN line_chains USING (id) LEFT JOIN line_place x USING (chain)
WHERE e.shared_wavefronts > e.shared_ideal;

-- Their sums over the counted launches of a point by line, kind and width. `words` say what an
-- access takes, in whole wavefronts if all take as many. An odd number is that of a copy, whose
-- words from each further cache line take a wavefront more.
CREATE TABLE conflict_line AS
WITH summed AS (
SELECT @POINT_KEY_OF(k), min(k.launch) AS launch, s.path, i.line,
    text_line(coalesce(g.text, f.text), coalesce(i.of_line, i.line)) AS text,
    c.path AS called_path, i.of_line AS called_line, i.kind, i.width AS width_bytes,
    sum(i.executed) AS executed, sum(i.wavefronts) AS wavefronts, sum(i.ideal) AS ideal,
    sum(i.wavefronts - i.ideal) AS excess,
    sum(i.wavefronts) / nullif(sum(i.ideal), 0) AS ways,
    sum(i.wavefronts) / nullif(sum(i.executed), 0) AS each,
    sum(i.ideal) / nullif(sum(i.executed), 0) AS each_ideal
FROM conflict_instruction i JOIN kernels k USING (kernel) LEFT JOIN sources s USING (source)
    LEFT JOIN source_files f USING (source) LEFT JOIN sources c ON c.source = i.of_source
    LEFT JOIN source_files g ON g.source = i.of_source
WHERE k.counts_status = 'ok'
GROUP BY @POINT_KEY_OF(k), i.source, i.line, i.of_source, i.of_line, i.kind, i.width)
SELECT *, CASE WHEN ways > 1 THEN CASE WHEN each_ideal > 0.5
        AND max(abs(each - round(each)), abs(each_ideal - round(each_ideal))) < 0.005
    THEN printf('%d wavefronts instead of %d', round(each), round(each_ideal))
        || CASE WHEN kind = 'asynchronous copy' AND CAST(round(each) AS INTEGER) % 2 = 1
            THEN ', of which each further cache line takes one' ELSE '' END
    ELSE printf('%.3g times the ideal wavefronts', ways) END END AS words
FROM summed;

-- The described accesses of a line are those of its kind and width that conflict. If several lines
-- have this kind and width, they are those of the line's n-way alone.
CREATE TABLE conflict_access AS
SELECT @POINT_KEY_OF(a), a.launch, a.access, a.kind, a.width_bytes AS width,
    a.wavefronts / a.ideal AS ways
FROM accesses a WHERE a.wavefronts > a.ideal AND a.ideal > 0;
CREATE INDEX conflict_access_key ON conflict_access(@POINT_KEY, launch, kind, width);
CREATE TABLE conflict_lines AS
WITH counted AS (
    SELECT *, row_number() OVER (PARTITION BY @POINT_KEY ORDER BY excess DESC, path, line,
            called_line, kind) AS place,
        100 * excess / sum(excess) OVER (PARTITION BY @POINT_KEY) AS share_pct,
        count(*) OVER (PARTITION BY @POINT_KEY, kind, width_bytes) AS similar
    FROM conflict_line)
SELECT @POINT_KEY_OF(c), c.launch, c.place, c.path, c.line, c.text, c.called_path,
    c.called_line, c.kind, c.width_bytes,
    c.executed, c.wavefronts, c.ideal, c.excess, c.ways, c.words, c.share_pct,
    (SELECT group_concat(a.access, ' ') FROM conflict_access a
        WHERE (@POINT_KEY_OF(a), a.launch, a.kind, a.width)
            = (@POINT_KEY_OF(c), c.launch, c.kind, c.width_bytes)
            AND (c.similar = 1 OR abs(a.ways - c.ways) <= 0.001 * c.ways)) AS accesses
FROM counted c ORDER BY c.family, CAST(c.size AS INTEGER), c.size, c.variant, c.block, c.place;

-- The worst line of each variant: at the point itself, else where its instructions were counted.
CREATE TABLE worst_line AS
SELECT *, row_number() OVER (PARTITION BY family, variant ORDER BY place, excess DESC) AS first
FROM conflict_lines WHERE place = 1;
CREATE INDEX worst_line_key ON worst_line(@POINT_KEY);

-- Every point that ran on the GPU. The cost is measured or estimated (estimates.sql); below half a
-- per cent of the time it is small. A copy of the machine code without conflicts has no copies from
-- several cache lines either, so that the measured cost is of both. An unknown status is set later.
CREATE TABLE conflicts AS
WITH best AS (
    SELECT m.*, row_number() OVER (PARTITION BY m.family, m.variant, m.size
        ORDER BY m.time_ns IS NULL, m.time_ns, m.block) AS place
    FROM metrics m JOIN variants v USING (family, variant) WHERE m.best = 1 AND v.kind <> 'cpu')
SELECT @POINT_KEY_OF(m),
    EXISTS (SELECT 1 FROM sizes p WHERE p.family = m.family AND p.size = m.size AND p.place = 1)
        AS is_primary,
    m.time_ns,
    CASE WHEN m.shared_excess_wavefronts = 0 THEN 0
        WHEN m.shared_excess_wavefronts > 0 THEN r.saved_ns END AS cost_ns,
    CASE WHEN m.shared_excess_wavefronts = 0 THEN 0
        WHEN m.shared_excess_wavefronts > 0 THEN r.low_ns END AS cost_low_ns,
    CASE WHEN m.shared_excess_wavefronts = 0 THEN 0
        WHEN m.shared_excess_wavefronts > 0 THEN r.high_ns END AS cost_high_ns,
    NULL AS cost_text,
    CASE WHEN m.shared_excess_wavefronts = 0 THEN 0
        WHEN m.shared_excess_wavefronts > 0 THEN r.share_pct END AS share_pct,
    m.shared_excess_wavefronts AS excess, m.load_excess_wavefronts AS loads,
    m.store_excess_wavefronts AS stores, m.matrix_excess_wavefronts AS matrix,
    m.async_excess_wavefronts - coalesce(m.line_wavefronts, 0) AS copies,
    m.atomic_excess_wavefronts - m.same_word_wavefronts AS atomics,
    m.same_word_wavefronts AS same_word, m.line_wavefronts AS copied_lines,
    m.shared_excess_exact AS is_exact,
    m.shared_conflict_ways AS ways, w.path, w.line, w.text, w.called_path, w.called_line,
    w.kind, w.width_bytes, w.ways AS line_ways, w.words AS line_words,
    w.share_pct AS line_share_pct,
    CASE WHEN m.shared_excess_wavefronts IS NOT NULL THEN 'ok'
        WHEN p.status IS NOT NULL AND p.status <> 'ok' THEN 'absent: '
            || status_text(p.status, p.trials, p.wrong_trials)
            || CASE WHEN p.status = 'skipped' THEN coalesce(', ' || p.reason, '') ELSE '' END
        ELSE (SELECT 'absent: ' || coalesce(i.numbers || ' cannot be right. ', '') || i.because
            FROM impossible i
            WHERE (@POINT_KEY_OF(i)) = (@POINT_KEY_OF(m)) AND (i.name LIKE '%excess%'
                OR i.empties LIKE '%shared\_%instructions%' ESCAPE '\'
                OR i.empties LIKE '%shared_wavefronts%')
            ORDER BY i.kind = 'follows' LIMIT 1) END AS status,
    CASE WHEN w.path IS NOT NULL THEN 'ok'
        WHEN m.shared_excess_wavefronts > 0 THEN coalesce((SELECT CASE
            WHEN k.counts_status <> 'ok' THEN k.counts_status
            WHEN k.lines_status <> 'ok' THEN k.lines_status
            WHEN w.family IS NULL THEN 'absent: every instruction needs no more wavefronts than '
                || 'its width; the counters of whole launches give an upper bound'
            ELSE 'absent: the machine code names no line of the project' END
            FROM kernels k WHERE k.family = m.family AND k.variant = m.variant
            ORDER BY k.counts_status = 'ok' DESC, k.launch LIMIT 1),
            'absent: the run has no counts of single instructions') END AS line_status,
    coalesce(m.shared_excess_wavefronts > 0 AND r.share_pct < 0.5, 0) AS is_small,
    CASE WHEN m.shared_excess_wavefronts > 0 THEN r.bound END AS bound,
    coalesce(r.bound = 'measured' AND m.line_wavefronts > m.shared_excess_wavefronts
        AND m.shared_excess_wavefronts > 0, 0) AS has_copies
FROM best m
    LEFT JOIN points p ON (@POINT_KEY_OF(p)) = (@POINT_KEY_OF(m))
    LEFT JOIN estimate r ON (@POINT_KEY_OF(r)) = (@POINT_KEY_OF(m))
        AND r.cause IN ('bank_conflicts', 'copied_lines')
    LEFT JOIN worst_line w ON w.family = m.family AND w.variant = m.variant AND w.first = 1
        AND m.shared_excess_wavefronts > 0
WHERE m.place = 1
ORDER BY m.family, CAST(m.size AS INTEGER), m.size, m.variant;
UPDATE conflicts SET cost_text = time_text(cost_low_ns, cost_high_ns) || ', ' || bound
    || iif(has_copies, ' with copies from several cache lines', '');
