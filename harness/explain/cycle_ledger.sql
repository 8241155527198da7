-- reads: code_idioms kernels ledger_base ledger_formula lines opcode_sums reason_sums term
--        term_class term_idiom term_opcode term_reason wait_charges
-- makes: ledger_opcode ledger_idiom idiom_sums ledger_mix mixed_kernel scaled_mix charged_kernel
--        charged_sums ledger_wait ledger_raw ledger_mixed ledger_issued ledger_work ledger_waited
--        ledger
-- If one of a field's formulas has no value at a point, the point has none of them: the others
-- would stand for it.
DELETE FROM ledger_formula
WHERE (point, field) IN (SELECT point, field FROM ledger_formula WHERE value IS NULL);

-- Instructions by term: by opcode, if nearly all that the point executes were counted one by one
-- and their machine code is known. For a kernel that is launched again on its own results the
-- first launch is counted, which reads the whole input. The same kernel at a size at which it was
-- not counted has the same mix, scaled. Otherwise by counters, which leave `rest`.
CREATE TABLE ledger_opcode AS
SELECT o.opcode, coalesce((SELECT t.term FROM term_opcode t WHERE o.opcode GLOB t.glob
    ORDER BY t.place LIMIT 1), 'issued') AS term
FROM (SELECT DISTINCT opcode FROM opcode_sums WHERE opcode IS NOT NULL) o;
CREATE INDEX ledger_opcode_key ON ledger_opcode(opcode);
-- Instructions of an idiom belong to its term, whatever their opcodes are.
CREATE TABLE ledger_idiom AS
SELECT kernel, pc, part, term FROM (
    SELECT i.kernel, i.pc, t.part, t.term,
        row_number() OVER (PARTITION BY i.kernel, i.pc, t.part ORDER BY t.place) AS nth
    FROM code_idioms i JOIN term_idiom t ON i.name GLOB t.glob)
WHERE nth = 1;
CREATE INDEX ledger_idiom_key ON ledger_idiom(kernel, pc, part);
CREATE TABLE idiom_sums AS
SELECT i.kernel, opcode_of(l.sass) AS opcode, i.term, sum(l.executed) AS executed
FROM ledger_idiom i JOIN lines l ON l.kernel = i.kernel AND l.pc = i.pc
WHERE i.part = 'issued' AND l.executed > 0 GROUP BY i.kernel, opcode_of(l.sass), i.term;
CREATE TABLE ledger_mix AS
SELECT b.point, x.term, sum(x.executed) AS weight, 'by instruction' AS status
FROM (SELECT l.kernel, o.term, l.executed - coalesce((SELECT sum(i.executed) FROM idiom_sums i
            WHERE i.kernel = l.kernel AND i.opcode = l.opcode), 0) AS executed
        FROM opcode_sums l JOIN ledger_opcode o ON o.opcode = l.opcode
    UNION ALL SELECT kernel, term, executed FROM idiom_sums) x
    JOIN kernels k USING (kernel) JOIN ledger_base b USING (@POINT_KEY)
WHERE x.executed > 0 GROUP BY b.point, x.term;
DELETE FROM ledger_mix WHERE point NOT IN (
    SELECT b.point
    FROM ledger_base b
        JOIN (SELECT point, sum(weight) AS known FROM ledger_mix GROUP BY point) x USING (point)
    WHERE x.known >= 95.0 / 100 * b.instructions);
CREATE TABLE mixed_kernel AS
SELECT x.point, k.family, k.variant, k.symbol, b.instructions
FROM (SELECT DISTINCT point FROM ledger_mix) x JOIN ledger_base b USING (point)
    JOIN kernels k USING (@POINT_KEY)
GROUP BY k.family, k.variant, k.symbol;
CREATE TABLE scaled_mix AS
SELECT b.point, max(c.point) AS counted, b.instructions / c.instructions AS factor
FROM ledger_base b JOIN kernels k USING (@POINT_KEY)
    JOIN mixed_kernel c ON c.family = k.family AND c.variant = k.variant AND c.symbol = k.symbol
WHERE b.point NOT IN (SELECT point FROM ledger_mix) GROUP BY b.point;
INSERT INTO ledger_mix
SELECT s.point, x.term, x.weight * s.factor, 'scaled from another size'
FROM scaled_mix s JOIN ledger_mix x ON x.point = s.counted;
INSERT INTO ledger_mix
SELECT point, term, value, 'by counters' FROM ledger_formula JOIN ledger_base USING (point)
WHERE field = 'counted' AND instructions > 0 AND point NOT IN (SELECT point FROM ledger_mix);
INSERT INTO ledger_mix
SELECT b.point, 'rest', max(b.instructions - sum(x.weight), 0), x.status
FROM ledger_mix x JOIN ledger_base b USING (point)
WHERE x.status = 'by counters' GROUP BY b.point;

-- Cycles in which no warp could issue, by term: samples in which nothing was issued, in cycles,
-- and their number; otherwise the states of warps. Samples of a wait for another instruction belong
-- to the term of what that instruction does, if the machine code is known. A warp that only copies
-- and waits for a free slot holds nobody up: its samples are left out, and the cycles are those of
-- the other warps.
CREATE TABLE charged_kernel AS SELECT DISTINCT kernel FROM wait_charges WHERE class IS NOT NULL;
CREATE TABLE charged_sums AS
SELECT w.kernel, coalesce(i.term, CASE WHEN cause_of.cause = cause_by.cause THEN r.term END, c.term,
        r.term, 'stalled') AS term, sum(w.not_issued) AS not_issued, 'by producer' AS status
FROM wait_charges w JOIN charged_kernel USING (kernel)
    LEFT JOIN ledger_idiom i ON i.kernel = w.kernel AND i.pc = w.producer_pc AND i.part = 'stalled'
    LEFT JOIN term_class c ON c.class = w.class LEFT JOIN term_reason r ON r.reason = w.reason
    LEFT JOIN term cause_of ON cause_of.term = c.term
    LEFT JOIN term cause_by ON cause_by.term = r.term
WHERE w.role IS NOT 'producer' GROUP BY 1, 2;
INSERT INTO charged_sums
SELECT s.kernel, coalesce(r.term, 'stalled'), s.not_issued,
    CASE WHEN k.kernel IS NULL THEN 'sampled' ELSE 'by producer' END
FROM reason_sums s LEFT JOIN charged_kernel k USING (kernel) LEFT JOIN term_reason r USING (reason)
WHERE k.kernel IS NULL
    OR s.reason NOT IN (SELECT DISTINCT w.reason FROM wait_charges w WHERE w.kernel = s.kernel);
CREATE TABLE ledger_wait AS
SELECT b.point, s.term, sum(s.not_issued * k.period_cycles / k.sampled_launches) AS weight,
    sum(s.not_issued) AS samples, min(s.status) AS status
FROM charged_sums s JOIN kernels k USING (kernel)
    JOIN ledger_base b USING (@POINT_KEY)
WHERE s.not_issued > 0 AND k.period_cycles > 0 AND k.sampled_launches > 0
GROUP BY b.point, s.term;
INSERT INTO ledger_wait
SELECT point, term, value, NULL, 'by warp state' FROM ledger_formula
WHERE field = 'state' AND point NOT IN (SELECT point FROM ledger_wait);

-- The rows, with uncertainties relative (noise) and in cycles (extra). Useful work is the useful
-- part of the tensor instructions; that of other instructions is taken out of the arithmetic, and
-- the remainder out of the other instructions that can do it.
CREATE TABLE ledger_raw(point INTEGER, part TEXT, term TEXT, cycles REAL, noise REAL, extra REAL,
    status TEXT);
CREATE TABLE ledger_mixed(point INTEGER PRIMARY KEY, total REAL);
INSERT INTO ledger_mixed SELECT point, sum(weight) FROM ledger_mix GROUP BY point;
CREATE TABLE ledger_issued AS
SELECT x.point, x.term, b.issued * x.weight / t.total AS cycles, b.issued_noise, x.status
FROM ledger_mix x JOIN ledger_base b USING (point) JOIN ledger_mixed t USING (point)
WHERE t.total > 0;
CREATE TABLE ledger_work AS
SELECT x.point, x.arithmetic, x.other, min(b.work, x.arithmetic + x.other) AS work,
    x.tensor * b.tensor_useful AS tensor_work, x.issued_noise, x.status
FROM (SELECT point, sum(CASE WHEN term = 'arithmetic' THEN cycles ELSE 0 END) AS arithmetic,
        sum(CASE WHEN term = 'tensor' THEN cycles ELSE 0 END) AS tensor,
        sum(CASE WHEN term IN ('overhead', 'rest') THEN cycles ELSE 0 END) AS other,
        issued_noise, status
    FROM ledger_issued GROUP BY point) x
JOIN ledger_base b USING (point) WHERE b.work IS NOT NULL;
INSERT INTO ledger_raw
SELECT i.point, 'issued', i.term, i.cycles - coalesce(CASE
        WHEN i.term = 'tensor' THEN w.tensor_work
        WHEN i.term = 'arithmetic' THEN min(w.work, w.arithmetic)
        WHEN i.term IN ('overhead', 'rest') THEN max(w.work - w.arithmetic, 0) * i.cycles / w.other
    END, 0), i.issued_noise, 0, i.status
FROM ledger_issued i LEFT JOIN ledger_work w USING (point);
INSERT INTO ledger_raw
SELECT point, 'issued', 'work', work + tensor_work, issued_noise, 0, status FROM ledger_work;
INSERT INTO ledger_raw
SELECT point, 'issued', 'issued', issued, issued_noise, 0, 'not told apart' FROM ledger_base
WHERE point NOT IN (SELECT point FROM ledger_issued);

CREATE TABLE ledger_waited(point INTEGER PRIMARY KEY, total REAL, samples REAL);
INSERT INTO ledger_waited SELECT point, sum(weight), sum(samples) FROM ledger_wait GROUP BY point;
INSERT INTO ledger_raw
SELECT b.point, 'stalled', x.term, b.stalled * x.weight / t.total, b.noise,
    CASE WHEN t.samples > 0 THEN 1.96
        * sqrt(x.weight / t.total * (1 - x.weight / t.total) / t.samples) * b.stalled
    ELSE 0 END, x.status
FROM ledger_wait x JOIN ledger_base b USING (point) JOIN ledger_waited t USING (point)
WHERE t.total > 0;
INSERT INTO ledger_raw
SELECT point, 'stalled', 'stalled', stalled, noise, 0, 'not told apart' FROM ledger_base
WHERE point NOT IN (SELECT point FROM ledger_raw WHERE part = 'stalled');

INSERT INTO ledger_raw
SELECT point, 'empty', 'imbalance', imbalance, noise, coalesce(imbalance_half, 0), 'counted'
FROM ledger_base WHERE imbalance IS NOT NULL;
INSERT INTO ledger_raw
SELECT point, 'empty', 'launch', launch, 0, launch_half, 'measured by itself' FROM ledger_base
WHERE launch IS NOT NULL;
INSERT INTO ledger_raw
SELECT point, 'residual', 'residual', residual, 0, sqrt(elapsed_half * elapsed_half
    + noise * noise * (issued + stalled) * (issued + stalled)), closing FROM ledger_base;
INSERT INTO ledger_raw
SELECT point, 'elapsed', 'elapsed', elapsed, 0, elapsed_half, closing FROM ledger_base;

CREATE TABLE ledger AS
SELECT @POINT_KEY_OF(b), r.part, r.term, r.cycles,
    r.cycles / b.ghz AS ns, (r.cycles - r.half) / b.ghz AS low_ns,
    (r.cycles + r.half) / b.ghz AS high_ns, 100 * r.cycles / b.elapsed AS share_pct, r.status
FROM (SELECT *, sqrt(cycles * cycles * noise * noise + extra * extra) AS half FROM ledger_raw) r
    JOIN ledger_base b USING (point) LEFT JOIN term t USING (term)
ORDER BY b.family, CAST(b.size AS INTEGER), b.size, b.variant, b.block,
    CASE r.part WHEN 'issued' THEN 1 WHEN 'stalled' THEN 2 WHEN 'empty' THEN 3 WHEN 'residual'
        THEN 4 ELSE 5 END, t.place, r.term;
CREATE INDEX ledger_key ON ledger(@POINT_KEY, term);
