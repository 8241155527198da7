-- reads: kernels ledger_idiom ledger_opcode line_chains line_place line_stalls lines metrics
--        sources term term_class term_reason wait_charges
-- makes: counted_line line_weight line_alias cause_lines
-- For each variant whose instructions were counted one by one: the line of its source at which most
-- of each cause happened, if it is a fifth or more. The weight of a line is
--   bank conflicts     excess wavefronts; uncoalesced access: excess sectors
--   waits              stall samples that are charged to the cause, at the instruction that is
--                      waited for, if it is known; at a barrier, the last one before the sample
--   instructions       executions
CREATE TABLE counted_line(id INTEGER PRIMARY KEY, kernel INTEGER, pc INTEGER, sass TEXT,
    executed REAL, shared_wavefronts REAL, shared_ideal REAL, global_sectors REAL,
    global_ideal REAL);
INSERT INTO counted_line
SELECT l.rowid, l.kernel, l.pc, l.sass, l.executed, l.shared_wavefronts, l.shared_ideal,
    l.global_sectors, l.global_ideal
FROM lines l WHERE l.kernel IN (
    SELECT k.kernel FROM kernels k JOIN metrics m ON (@POINT_KEY_OF(m)) = (@POINT_KEY_OF(k))
    WHERE k.counts_status = 'ok' AND k.launch = coalesce(m.longest_launch, 0));
CREATE INDEX counted_line_key ON counted_line(kernel, pc);
CREATE TABLE line_weight(kernel INTEGER, id INTEGER, cause TEXT, weight REAL);
INSERT INTO line_weight
SELECT l.kernel, l.id, c.column1, l.shared_wavefronts - l.shared_ideal
FROM counted_line l JOIN (VALUES ('bank_conflicts'), ('copied_lines')) c
    ON c.column1 = 'bank_conflicts' OR l.sass LIKE '%LDGSTS%'
WHERE l.shared_wavefronts > l.shared_ideal AND l.sass NOT LIKE '%LDGSTS%.BYPASS%'
UNION ALL
SELECT l.kernel, l.id,
    CASE WHEN l.sass LIKE '%STG%' THEN 'uncoalesced_writes' ELSE 'uncoalesced' END,
    l.global_sectors - l.global_ideal
FROM counted_line l WHERE l.global_sectors > l.global_ideal
UNION ALL
SELECT l.kernel, l.id, coalesce(ti.cause, t.cause), l.executed
FROM counted_line l
    LEFT JOIN ledger_idiom i ON i.kernel = l.kernel AND i.pc = l.pc AND i.part = 'issued'
    LEFT JOIN term ti ON ti.term = i.term
    LEFT JOIN ledger_opcode o ON o.opcode = opcode_of(l.sass) LEFT JOIN term t ON t.term = o.term
WHERE l.executed > 0 AND coalesce(ti.cause, t.cause) IN ('overhead', 'arithmetic', 'division')
UNION ALL
SELECT l.kernel, l.id, CASE tc.cause WHEN 'shared_memory' THEN 'shared_waits'
        WHEN 'global_memory' THEN 'global_latency' ELSE tc.cause END, w.samples
FROM wait_charges w
    JOIN counted_line l ON l.kernel = w.kernel AND l.pc = coalesce(w.producer_pc, w.pc)
    JOIN term_class c ON c.class = w.class JOIN term tc ON tc.term = c.term
WHERE w.role IS NOT 'producer' AND tc.cause <> 'division'
UNION ALL
SELECT l.kernel, CASE s.reason WHEN 'barrier' THEN coalesce((SELECT b.id FROM counted_line b
            WHERE b.kernel = l.kernel AND b.pc <= l.pc AND b.sass LIKE '%BAR.%'
            ORDER BY b.pc DESC LIMIT 1), l.id) ELSE l.id END,
    t.cause, s.samples
FROM counted_line l JOIN line_stalls s ON s.id = l.id JOIN term_reason r ON r.reason = s.reason
    JOIN term t ON t.term = r.term
WHERE s.reason IN ('barrier', 'wait', 'no_instructions', 'branch_resolving', 'dispatch_stall',
        'math_pipe_throttle')
    AND NOT EXISTS (SELECT 1 FROM wait_charges w WHERE w.kernel = l.kernel AND w.pc = l.pc
        AND w.reason = s.reason AND w.class IS NOT NULL);

-- A cause without a line of its own has that of the one that stands for it.
CREATE TABLE line_alias(cause TEXT, of TEXT);
INSERT INTO line_alias VALUES ('lanes_off', 'shared_waits'),
    ('shared_traffic', 'shared_waits'), ('dram_bytes', 'global_latency'),
    ('dram_rate', 'global_latency'), ('bytes_in_flight', 'global_latency'),
    ('l2', 'global_latency'),
    ('global_traffic', 'global_latency'), ('l1_misses', 'global_latency'),
    ('l2_misses', 'global_latency'), ('instructions', 'overhead'), ('tensor_pipe', 'tensor_waits'),
    ('operations', 'arithmetic'), ('same_word', 'bank_conflicts'),
    ('barriers_conflicts', 'bank_conflicts');

CREATE TABLE cause_lines AS
WITH counted AS (
    SELECT w.kernel, w.cause, x.source, x.line, x.of_source, x.of_line, sum(w.weight) AS weight
    FROM line_weight w JOIN line_chains USING (id) JOIN line_place x USING (chain)
    GROUP BY 1, 2, 3, 4, 5, 6),
summed AS (
    SELECT * FROM counted
    UNION ALL
    SELECT c.kernel, a.cause, c.source, c.line, c.of_source, c.of_line, c.weight
    FROM counted c JOIN line_alias a ON a.of = c.cause),
called AS (
    SELECT w.*, s.path || ':' || w.of_line AS called_from
    FROM summed w LEFT JOIN sources s ON s.source = w.of_source
    ORDER BY kernel, cause, w.source, line, called_from),
placed AS ( -- with the call that has most of it
    SELECT kernel, cause, source, line, called_from, max(weight) AS most, sum(weight) AS weight
    FROM called GROUP BY kernel, cause, source, line),
ranked AS (
    SELECT *, row_number() OVER (PARTITION BY kernel, cause ORDER BY weight DESC, source, line)
        AS place, 100 * weight / sum(weight) OVER (PARTITION BY kernel, cause) AS share_pct
    FROM placed)
SELECT k.family, k.variant, r.cause, s.path, r.line, r.share_pct, r.called_from
FROM ranked r JOIN kernels k USING (kernel) JOIN sources s USING (source)
WHERE r.place = 1 AND r.share_pct >= 20
GROUP BY k.family, k.variant, r.cause
ORDER BY k.family, k.variant, r.cause;
CREATE UNIQUE INDEX cause_lines_key ON cause_lines(family, variant, cause);
