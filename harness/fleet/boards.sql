-- reads: devices figures
-- makes: quantities kinds medians spreads judged board_facts usual unusual boards shown board_rows
--        outliers outlying apart board_pairs board_findings
-- The figures of the devices that are compared, in their order on a page, with the least difference
-- that is worth a word.
CREATE TABLE quantities(place, quantity, title, unit, digits, least_pct);
INSERT INTO quantities VALUES
    (1, 'read_gbs', 'DRAM read', 'GB/s', 0, 1),
    (2, 'l2_read_gbs', 'L2 read', 'GB/s', 0, 1),
    (3, 'fma_tflops', 'FP32', 'TFLOP/s', 1, 1),
    (4, 'tensor_tflops', 'Tensor cores', 'TFLOP/s', 0, 1),
    (5, 'sm_clock_mhz', 'SM clock', 'MHz', 0, 1),
    (6, 'power_w', 'Power', 'W', 0, 5),
    (7, 'temperature_c', 'Temperature', '°C', 0, 15),
    (8, 'noise_pct', 'Noise', '%', 2, 100);

-- Devices of one kind are compared with each other.
CREATE TABLE kinds AS
SELECT device, label, name, dense_rank() OVER (
    ORDER BY name, compute_capability, sm_count, memory_bytes) AS kind
FROM devices;

INSERT INTO figures
SELECT device, 'temperature_c', CAST(temperature_c AS REAL), CAST(temperature_c AS REAL),
    CAST(temperature_c AS REAL), NULL
FROM devices WHERE temperature_c GLOB '[0-9]*';
INSERT INTO figures
SELECT d.device, q.quantity, NULL, NULL, NULL, CASE q.quantity
    WHEN 'temperature_c' THEN d.temperature_c ELSE 'absent: not measured in this run' END
FROM devices d CROSS JOIN quantities q
WHERE NOT EXISTS (SELECT 1 FROM figures f WHERE f.device = d.device AND f.quantity = q.quantity);

-- The median of each kind, and the scaled median absolute deviation from it. Between two values
-- lies none that a board has: they are compared with each other, and differ if their intervals do.
CREATE TABLE medians AS
SELECT k.kind, f.quantity, median(f.value) AS typical, count(f.value) AS count,
    min(f.value) AS least, max(f.value) AS most, max(coalesce(f.low, f.value))
        > min(coalesce(f.high, f.value)) AS is_apart
FROM figures f JOIN kinds k USING (device) GROUP BY k.kind, f.quantity;
CREATE TABLE spreads AS
SELECT k.kind, f.quantity, 1.4826 * median(abs(f.value - m.typical)) AS spread
FROM figures f JOIN kinds k USING (device) JOIN medians m USING (kind, quantity)
GROUP BY k.kind, f.quantity;

CREATE TABLE judged AS
SELECT f.device, k.kind, k.label, f.quantity, f.value, f.low, f.high,
    CASE WHEN m.count <> 2 THEN m.typical END AS typical, 100 * (f.value / CASE m.count
        WHEN 2 THEN m.least + m.most - f.value ELSE m.typical END - 1) AS difference_pct, CASE
        WHEN f.value IS NULL THEN coalesce(f.status, 'absent: not measured in this run')
        WHEN m.count = 1 THEN 'alone'
        WHEN m.count = 2 THEN CASE WHEN m.is_apart AND (m.most - m.least) * 100
            > q.least_pct * abs(m.least) THEN 'differs' ELSE 'typical' END
        WHEN abs(f.value - m.typical) * 100 <= q.least_pct * abs(m.typical) THEN 'typical'
        WHEN m.typical BETWEEN coalesce(f.low, f.value) AND coalesce(f.high, f.value)
            THEN 'typical'
        WHEN m.count >= 4 AND abs(f.value - m.typical) <= 3.5 * s.spread THEN 'typical'
        WHEN f.value > m.typical THEN 'higher' ELSE 'lower' END AS status
FROM figures f JOIN kinds k USING (device) JOIN quantities q USING (quantity)
    JOIN medians m USING (kind, quantity) JOIN spreads s USING (kind, quantity);

-- The facts in which a device differs from most of its kind.
CREATE TABLE board_facts AS
SELECT device, 1 AS place, 'ECC' AS title, CASE ecc WHEN '1' THEN 'on' WHEN '0' THEN 'off'
    ELSE ecc END AS value FROM devices
UNION ALL SELECT device, 2, 'MIG', CASE mig WHEN '1' THEN 'on' WHEN '0' THEN 'off' ELSE mig END
    FROM devices
UNION ALL SELECT device, 3, 'power limit', power_limit_w || ' W' FROM devices
UNION ALL SELECT device, 4, 'SM clock limit', CAST(sm_clock_khz / 1000 AS INTEGER) || ' MHz'
    FROM devices WHERE sm_clock_khz GLOB '[0-9]*'
UNION ALL SELECT device, 5, 'memory clock', CAST(dram_clock_khz / 1000 AS INTEGER) || ' MHz'
    FROM devices WHERE dram_clock_khz GLOB '[0-9]*'
UNION ALL SELECT device, 6, 'throttle reasons', clock_words(clock_event_reasons) FROM devices
UNION ALL SELECT device, 7, 'remapped rows', remapped_rows FROM devices
UNION ALL SELECT device, 8, 'PCIe', pcie FROM devices
UNION ALL SELECT device, 9, 'persistence mode', CASE persistence WHEN '1' THEN 'on'
    WHEN '0' THEN 'off' ELSE persistence END FROM devices
UNION ALL SELECT device, 10, 'driver', driver FROM devices
UNION ALL SELECT device, 11, 'host', host FROM devices;
DELETE FROM board_facts WHERE value IS NULL OR value LIKE 'absent: %' OR value = 'withheld';

-- The value that most devices of a kind have; a fact that half of them have, as hosts of a
-- cluster, tells nothing.
CREATE TABLE usual AS
SELECT kind, title, value FROM (
    SELECT k.kind, f.title, f.value, count(*) AS many, sum(count(*)) OVER (
        PARTITION BY k.kind, f.title) AS known
    FROM board_facts f JOIN kinds k USING (device) GROUP BY k.kind, f.title, f.value)
WHERE 2 * many > known OR known = 2;
CREATE TABLE unusual AS
SELECT f.device, group_concat(f.title || ' ' || f.value || ', not ' || u.value, '; ') AS words
FROM (SELECT * FROM board_facts ORDER BY device, place) f JOIN kinds k USING (device)
    JOIN usual u ON u.kind = k.kind AND u.title = f.title AND u.value <> f.value
GROUP BY f.device;

CREATE TABLE boards AS
SELECT device, label, quantity, title, unit, value, low, high, typical, difference_pct, status,
    differs
FROM (SELECT j.device, q.place, j.label, j.quantity, q.title, q.unit, j.value, j.low, j.high,
        j.typical, j.difference_pct, j.status, CASE WHEN j.status IN ('higher', 'lower', 'differs')
            THEN coalesce(u.words, 'nothing that the runs recorded') END AS differs
    FROM judged j JOIN quantities q USING (quantity) LEFT JOIN unusual u USING (device)
    UNION ALL
    SELECT device, 100, label, 'selftest', 'Self-test', NULL, NULL, NULL, NULL, NULL, NULL,
        selftest, NULL
    FROM devices)
ORDER BY device, place;

-- For people: a row of texts for each device, the fastest of its kind first.
CREATE TABLE shown AS
SELECT device, quantity, printf('%.*f', digits, value) AS text
FROM boards JOIN quantities USING (quantity) WHERE value IS NOT NULL;
CREATE UNIQUE INDEX shown_key ON shown(device, quantity);
CREATE UNIQUE INDEX boards_key ON boards(device, quantity);

-- For a terminal: an arrow marks an outlier.
CREATE TABLE board_rows AS
SELECT d.label AS label,
    max(CASE quantity WHEN 'read_gbs' THEN text END) AS read_gbs,
    max(CASE quantity WHEN 'fma_tflops' THEN text END) AS fma_tflops,
    max(CASE quantity WHEN 'tensor_tflops' THEN text END) AS tensor_tflops,
    max(CASE quantity WHEN 'sm_clock_mhz' THEN text END) AS sm_clock_mhz,
    max(CASE quantity WHEN 'power_w' THEN text END) AS power_w,
    max(CASE quantity WHEN 'temperature_c' THEN text END) AS temperature_c,
    max(CASE quantity WHEN 'noise_pct' THEN text END) AS noise_pct,
    CASE WHEN d.selftest LIKE 'passed%' THEN 'passed'
        WHEN d.selftest NOT LIKE 'absent%' THEN 'failed' ELSE '-' END AS selftest
FROM devices d JOIN kinds k USING (device) LEFT JOIN (
    SELECT s.device, s.quantity, b.value, s.text || CASE sign(b.difference_pct)
        * (b.status IN ('higher', 'lower')) WHEN 1 THEN ' ▲' WHEN -1 THEN ' ▼' ELSE '' END AS text
    FROM shown s JOIN boards b USING (device, quantity)) USING (device)
GROUP BY d.device
ORDER BY k.kind, max(CASE quantity WHEN 'read_gbs' THEN value END) DESC, d.device;

-- What stands out, in words, the largest difference first.
CREATE TABLE outliers AS
SELECT b.device, b.label, b.quantity, b.difference_pct, b.status, b.title,
    printf('%s %.*f %s%s, %.*f %% %s than the typical %.*f %s', b.title, q.digits, b.value, b.unit,
        CASE WHEN b.low < b.high
            THEN printf(' (%.*f to %.*f)', q.digits, b.low, q.digits, b.high) ELSE '' END,
        abs(b.difference_pct) < 10, abs(b.difference_pct), b.status, q.digits, b.typical, b.unit)
        AS words,
    CASE WHEN b.differs = 'nothing that the runs recorded'
        THEN 'The runs recorded nothing else in which it differs.'
        ELSE 'It also differs in: ' || b.differs || '.' END AS why,
    row_number() OVER (ORDER BY round(abs(b.difference_pct), 1) DESC, q.place, b.device) AS rank
FROM boards b JOIN quantities q USING (quantity) WHERE b.status IN ('higher', 'lower');

-- The same as a sentence for each device.
CREATE TABLE outlying AS
SELECT label, label || ': ' || group_concat(words, '; ') || '.' AS sentence, why, min(rank) AS rank
FROM (SELECT * FROM outliers ORDER BY rank) GROUP BY device;

-- Two boards of a kind that differ: each figure, the largest difference first, in per cent of the
-- smaller value; and a sentence for both boards.
CREATE TABLE apart AS
SELECT a.device, b.device AS other, a.label || ' and ' || b.label AS labels, q.title,
    max(a.difference_pct, b.difference_pct) AS difference_pct, printf('%s by %.*f %% (%.*f and '
        || '%.*f %s)', q.title, max(a.difference_pct, b.difference_pct) < 10,
        max(a.difference_pct, b.difference_pct), q.digits, a.value, q.digits, b.value, q.unit)
        AS words,
    row_number() OVER (ORDER BY round(max(a.difference_pct, b.difference_pct), 1) DESC, q.place,
        a.device) AS rank
FROM boards a JOIN kinds ka ON ka.device = a.device
    JOIN kinds kb ON kb.kind = ka.kind AND kb.device > ka.device
    JOIN boards b ON b.device = kb.device AND b.quantity = a.quantity
    JOIN quantities q ON q.quantity = a.quantity
WHERE a.status = 'differs' AND b.status = 'differs';
CREATE TABLE board_pairs AS
SELECT labels || ' differ: ' || group_concat(words, '; ')
    || '. With two of a kind it cannot be said which is unusual.' AS sentence,
    coalesce('They also differ in: ' || (SELECT group_concat(f.title || ' ' || f.value || ' and '
        || g.value, '; ') FROM (SELECT * FROM board_facts ORDER BY place) f JOIN board_facts g
        ON g.title = f.title AND g.value <> f.value
        WHERE f.device = p.device AND g.device = p.other) || '.',
        'The runs recorded nothing else in which they differ.') AS why, min(rank) AS rank
FROM (SELECT * FROM apart ORDER BY rank) p GROUP BY device, other;

-- The finding in one line, unless that is a pair's sentence.
CREATE TABLE board_findings AS
SELECT CASE
    WHEN outlying = 1 THEN 'One board differs from the others of its kind:'
    WHEN outlying > 1 THEN outlying || ' boards differ from the others of their kind:'
    WHEN NOT compared AND devices = 1 THEN 'There is no other board to compare this one with.'
    WHEN NOT compared THEN 'There are no two boards of a kind to compare.'
    ELSE 'No board differs from the others of its kind.' END AS words
FROM (SELECT (SELECT count(*) FROM outlying) AS outlying, (SELECT count(*) FROM devices) AS devices,
    EXISTS (SELECT 1 FROM boards WHERE status IN ('typical', 'higher', 'lower', 'differs'))
        AS compared)
WHERE outlying > 0 OR NOT EXISTS (SELECT 1 FROM board_pairs);
