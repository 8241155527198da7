-- reads: cause ledger metrics term
-- makes: ledger_share ledger_half ledger_idle ledger_pipe ledger_cause ledger_dram levels
-- Of every point: how many of its lanes take part, and which part of its waiting excess wavefronts
-- and sectors have. An unknown share counts as 0.
CREATE TABLE ledger_share AS
SELECT @POINT_KEY, sm_clock_mhz / 1000 AS ghz,
    min(coalesce(warp_execution_efficiency_pct, 100) / 100, 1) AS active,
    min(coalesce(predicated_on_pct, 100) / 100, 1) AS lanes_on,
    coalesce(min(max(shared_excess_wavefronts / nullif(shared_wavefronts, 0), 0), 1), 0)
        AS conflict,
    coalesce(min(max(global_excess_sectors / nullif(global_read_sectors + local_sectors, 0), 0),
        1), 0) AS uncoalesced,
    coalesce(min(max(local_sectors / nullif(global_read_sectors + local_sectors, 0), 0), 1), 0)
        AS spilled,
    coalesce(min(max(global_excess_sectors / nullif(global_read_sectors, 0), 0), 1), 0)
        AS uncoalesced_alone, CASE WHEN tensor_operations > 0
        THEN coalesce(demand_tensor_ns * sm_clock_mhz / 1000, 0) ELSE 0 END AS pipe,
    min(useful_operations / nullif(tensor_operations, 0), 1) AS pipe_useful,
    demand_dram_ns * sm_clock_mhz / 1000 AS dram
FROM metrics WHERE best = 1;
UPDATE ledger_share SET spilled = min(spilled, 1 - uncoalesced);
CREATE INDEX ledger_share_key ON ledger_share(@POINT_KEY);
CREATE TABLE ledger_half AS
SELECT s.rowid AS point, l.part, l.term, l.cycles, (l.high_ns - l.low_ns) / 2 * s.ghz AS half,
    s.active, s.lanes_on, s.conflict,
    -- Waits that were charged to instructions are those for global memory alone.
    CASE l.status WHEN 'by producer' THEN s.uncoalesced_alone ELSE s.uncoalesced END AS uncoalesced,
    CASE l.status WHEN 'by producer' THEN 0 ELSE s.spilled END AS spilled,
    coalesce(t.cause, l.term) AS cause
FROM ledger l JOIN ledger_share s USING (@POINT_KEY)
    LEFT JOIN term t USING (term)
WHERE l.part <> 'elapsed';

-- Idle lanes in whole warps, taken from all but the useful work, and the uncertainty of the
-- instructions, the same for all.
CREATE TABLE ledger_idle AS
WITH issued AS (
    SELECT point, sum(cycles) AS issued, sum(CASE term WHEN 'work' THEN cycles ELSE 0 END) AS work,
        active, lanes_on,
        CASE WHEN count(half) = count(*) THEN sum(half) / nullif(sum(cycles), 0) END AS noise
    FROM ledger_half WHERE part = 'issued' GROUP BY point),
diverged AS (SELECT *, min(issued * (1 - active), issued - work) AS divergence FROM issued),
idle AS (
    SELECT *, min(issued * active * (1 - lanes_on), issued - work - divergence) AS predication
    FROM diverged)
SELECT *, CASE WHEN issued > work
    THEN (issued - work - divergence - predication) / (issued - work) ELSE 1 END AS kept FROM idle;
CREATE INDEX ledger_idle_key ON ledger_idle(point);

-- Tensor cores work on while the warps that feed them wait. So the cycles in which their pipe is
-- busy are theirs, if they are more than those that issue their instructions: useful work as far as
-- the operations are useful, further products beyond. `kept` is what is left of the other cycles
-- with warps.
CREATE TABLE ledger_pipe AS
SELECT l.point, min(s.pipe, l.held) AS busy, s.pipe_useful AS useful,
    (l.held - min(s.pipe, l.held)) / nullif(l.held - l.own, 0) AS kept
FROM (SELECT h.point, sum(h.cycles) AS held, sum(CASE h.term WHEN 'work' THEN h.cycles
            WHEN 'tensor' THEN h.cycles * i.kept ELSE 0 END) AS own
        FROM ledger_half h JOIN ledger_idle i USING (point)
        WHERE h.part IN ('issued', 'stalled') GROUP BY h.point) l
    JOIN ledger_share s ON s.rowid = l.point
WHERE min(s.pipe, l.held) > l.own;
CREATE UNIQUE INDEX ledger_pipe_key ON ledger_pipe(point);

-- Every part of a term goes to one cause. A cause has an interval if all its parts have one.
-- `issued` is NULL of cycles without warps.
CREATE TABLE ledger_cause AS
WITH issued AS (
    SELECT l.*, CASE l.term WHEN 'work' THEN 1 ELSE i.kept END AS part_kept
    FROM ledger_half l JOIN ledger_idle i USING (point) WHERE l.part = 'issued'
        AND (l.term NOT IN ('work', 'tensor') OR l.point NOT IN (SELECT point FROM ledger_pipe))),
stalled AS (SELECT * FROM ledger_half WHERE part = 'stalled'),
shared AS (SELECT * FROM stalled WHERE cause = 'shared_memory'),
global AS (
    SELECT *, 1 - uncoalesced - spilled AS others FROM stalled WHERE cause = 'global_memory'),
parts AS (
    SELECT point, cause, 1 AS issued, cycles * part_kept AS cycles, half * part_kept AS half
    FROM issued
    UNION ALL SELECT point, 'divergence', 1, divergence, divergence * noise FROM ledger_idle
    UNION ALL SELECT point, 'predication', 1, predication, predication * noise FROM ledger_idle
    UNION ALL SELECT point, 'bank_conflicts', 0, cycles * conflict, half * conflict FROM shared
    UNION ALL SELECT point, cause, 0, cycles * (1 - conflict), half * (1 - conflict) FROM shared
    UNION ALL SELECT point, 'uncoalesced', 0, cycles * uncoalesced, half * uncoalesced FROM global
    UNION ALL SELECT point, 'spills', 0, cycles * spilled, half * spilled FROM global
    UNION ALL SELECT point, cause, 0, cycles * others, half * others FROM global
    UNION ALL SELECT point, cause, 0, cycles, half FROM stalled
    WHERE cause NOT IN ('shared_memory', 'global_memory')),
filled AS (
    SELECT p.point, p.cause, p.issued, p.cycles * coalesce(b.kept, 1) AS cycles,
        p.half * coalesce(b.kept, 1) AS half
    FROM parts p LEFT JOIN ledger_pipe b USING (point)
    UNION ALL SELECT point, 'work', 1, busy * useful, NULL FROM ledger_pipe
    UNION ALL SELECT point, 'products', 1, busy * (1 - useful), NULL FROM ledger_pipe
    WHERE useful < 1
    UNION ALL SELECT point, cause, NULL, cycles, half FROM ledger_half
    WHERE part IN ('empty', 'residual'))
SELECT @POINT_KEY_OF(s), p.cause, p.issued, sum(p.cycles) AS cycles,
    CASE WHEN count(p.half) = count(*) THEN sqrt(sum(p.half * p.half)) END AS half
FROM filled p JOIN ledger_share s ON s.rowid = p.point GROUP BY p.point, p.cause, p.issued;
CREATE INDEX ledger_cause_key ON ledger_cause(@POINT_KEY);

-- Device memory, too, works on while warps compute or wait for something else. Where it is at the
-- limit of a unit (account.h) while a launch runs, all the time that it needs is that of access to
-- global memory, but for the useful work: `more` than warps wait for it. `kept` is what is left of
-- the other cycles with warps.
CREATE TABLE ledger_dram AS
WITH own AS (
    SELECT @POINT_KEY, sum(CASE k.area WHEN 'global_memory' THEN cycles ELSE 0 END) AS own,
        sum(CASE WHEN k.area IN ('global_memory', 'work') THEN 0 ELSE cycles END) AS others
    FROM ledger_cause LEFT JOIN cause k USING (cause) WHERE issued IS NOT NULL
    GROUP BY @POINT_KEY)
SELECT @POINT_KEY_OF(s), min(s.dram - o.own, o.others) AS more,
    1 - min((s.dram - o.own) / o.others, 1) AS kept
FROM own o JOIN ledger_share s USING (@POINT_KEY) JOIN (
        SELECT @POINT_KEY, sum(CASE term WHEN 'launch' THEN -cycles ELSE cycles END) AS cycles
        FROM ledger WHERE term IN ('elapsed', 'launch') GROUP BY @POINT_KEY) g USING (@POINT_KEY)
WHERE s.dram >= @LIMIT_OF_UNITS * g.cycles AND s.dram > o.own AND o.others > 0;
UPDATE ledger_cause SET cycles = cycles * d.kept, half = half * d.kept FROM ledger_dram d
WHERE (@POINT_KEY_OF(ledger_cause)) = (@POINT_KEY_OF(d)) AND issued IS NOT NULL
    AND cause NOT IN (SELECT cause FROM cause WHERE area IN ('global_memory', 'work'));
INSERT INTO ledger_cause SELECT @POINT_KEY, 'global_memory', 0, more, NULL FROM ledger_dram;

-- The same by cause and in time. For each point they add up to its clean time.
CREATE TABLE levels AS
WITH summed AS (
    SELECT @POINT_KEY, cause, sum(cycles) AS cycles,
        CASE WHEN count(half) = count(*) THEN sqrt(sum(half * half)) END AS half
    FROM ledger_cause GROUP BY @POINT_KEY, cause)
SELECT @POINT_KEY_OF(s), s.cause, s.cycles * e.ns / e.cycles AS ns,
    (s.cycles - s.half) * e.ns / e.cycles AS low_ns,
    (s.cycles + s.half) * e.ns / e.cycles AS high_ns, 100 * s.cycles / e.cycles AS share_pct
FROM summed s JOIN ledger e USING (@POINT_KEY)
    LEFT JOIN cause k USING (cause)
WHERE e.part = 'elapsed'
ORDER BY s.family, CAST(s.size AS INTEGER), s.size, s.variant, k.place;
