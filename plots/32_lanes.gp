#: title   :headline
#: caption Which threads of a block add in each round of the tree, by the condition in the code of
#:            rungs 1 to 3. A row is a round, a cell a thread, and lines part the warps. Red: the
#:            thread does nothing, but another one of its warp adds, so that the warp executes the
#:            instructions. Grey: the whole warp goes on to the barrier. The picture is drawn only
#:            if each warp's two loads from shared memory in a round, and one of the result, are as
#:            many as were counted.
#: each    WITH RECURSIVE stride(s) AS (SELECT 1 UNION ALL SELECT 2 * s FROM stride WHERE s < 512),
#:            rung AS (SELECT c.subject, c.family, c.size, m.variant, v.rung, m.block_threads AS
#:              block, m.shared_load_instructions / m.blocks AS counted, (SELECT sum(CASE m.variant
#:              WHEN '01_interleaved_modulo' THEN m.block_threads / max(2 * s, 32) ELSE
#:              max(m.block_threads / (64 * s), 1) END) FROM stride WHERE s < m.block_threads) AS
#:              warps FROM metrics m JOIN chart_size c USING (family, size) JOIN variants v USING
#:              (family, variant) WHERE m.best = 1 AND m.family = 'reduce' AND m.variant IN
#:              ('01_interleaved_modulo', '02_interleaved_strided', '03_sequential'))
#:            SELECT family, size, max(block) AS block, count(*) AS panels, 'Rung 1 runs ' ||
#:              human(max(warps)) || ' warps of a block for ' || human(max(block) - 1) ||
#:              ' additions, rungs 2 and 3 run ' || human(min(warps)) AS headline,
#:            'Warps that run, over all rounds; counted loads of a block from shared memory: ' ||
#:              group_concat(human(counted), ', ') || '. ' || max(subject) AS message FROM (SELECT *
#:              FROM rung ORDER BY rung) GROUP BY family, size HAVING count(*) = 3 AND max(block) =
#:              min(block) AND sum(abs(counted - 2 * warps - 1) < 0.001) = 3 ORDER BY family
#: data    WITH RECURSIVE stride(s, round) AS (SELECT 1, 0 UNION ALL SELECT 2 * s, round + 1 FROM
#:              stride WHERE 4 * s <= CAST(:block AS INTEGER)),
#:            thread(t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM thread WHERE t + 1 < CAST(:block AS
#:              INTEGER)),
#:            lane AS (SELECT v.rung - 1 AS panel, round, t, CASE v.variant WHEN
#:              '01_interleaved_modulo' THEN t % (2 * s) = 0 ELSE 2 * s * t < CAST(:block AS
#:              INTEGER) END AS adds, v.rung || ' ' || replace(v.title, ',', char(8218)) AS label
#:              FROM variants v, stride, thread WHERE v.family = :family AND v.variant IN
#:              ('01_interleaved_modulo', '02_interleaved_strided', '03_sequential')),
#:            warp AS (SELECT *, max(adds) OVER (PARTITION BY panel, round, t / 32) AS runs FROM
#:              lane),
#:            stretch AS (SELECT panel, round, 0 AS adds, min(t) AS t, max(t) AS last, label FROM
#:              warp WHERE runs = 1 GROUP BY panel, round, t / 32 UNION ALL SELECT panel, round, 1,
#:              min(t), max(t), label FROM (SELECT *, t - row_number() OVER (PARTITION BY panel,
#:              round ORDER BY t) AS run FROM warp WHERE adds = 1) GROUP BY panel, round, run)
#:            SELECT panel, round, t, last, adds, round = 0 AND t = 0 AND adds = 0 AS is_first,
#:              label FROM stretch ORDER BY panel, adds, round, t

eval canvas(1)
eval swatch(1, 0, 24, measured, 'adds')
eval swatch(2, 0, 110, light(slower), 'idle in a warp that runs')
eval swatch(3, 0, 330, 0xe9e9e9, 'idle with its whole warp')
block = block + 0
panels = panels + 0
rounds = int(log(block) / log(2) + 0.5)
set tmargin at screen 1
set bmargin at screen 0
set lmargin at screen 0
set rmargin at screen 1
set xrange [0:width]
set yrange [height:0]
set border 0
unset xtics
unset ytics
unset grid
unset key
left_edge = 110
cell = (width - left_edge - right_margin) / block
pitch = (height - top - 34.0 - foot) / panels
line = (pitch - 40) / rounds
x(t) = left_edge + t * cell
y(panel, round) = top + panel * pitch + 30 + round * line
do for [p = 0:panels - 1] {
    set object 100 + p rectangle from first x(0), first y(p, 0) to first x(block), \
        first y(p, rounds) fillcolor rgb 0xe9e9e9 fillstyle solid 1 noborder behind
    do for [w = 0:block / 32] {
        set arrow 200 + 40 * p + w from first x(32 * w), first y(p, 0) to first x(32 * w), \
            first y(p, rounds) nohead linecolor rgb ink linewidth 0.8 front
    }
    do for [r = 0:rounds - 1] {
        set label 400 + 20 * p + r sprintf('%d', r + 1) at first x(0) - 8, \
            first y(p, r + 0.5) right font font.',14' textcolor rgb grey
    }
    set label 500 + p 'round' at first x(0) - 44, first y(p, rounds / 2.0) center rotate by 90 \
        font font.',15' textcolor rgb grey
}
do for [w = 0:block / 32 - 1] {
    set label 600 + w sprintf('warp %d', w) at first x(32 * w + 16), \
        first y(panels - 1, rounds) + 14 center font font.',15' textcolor rgb grey
}
plot data using (x(column('t'))):(y(column('panel'), column('round'))):(x(column('t'))): \
         (x(column('last') + 1)):(y(column('panel'), column('round'))):(y(column('panel'), \
         column('round') + 1)):(column('adds') > 0 ? measured : light(slower)) \
         with boxxyerror linecolor rgb variable notitle, \
     data using (column('is_first') > 0 ? x(0) : nowhere):(y(column('panel'), 0) - 14): \
         (strcol('label')) with labels left font font.',16' textcolor rgb ink notitle
