#: title   Which idea pays, :size_words
#: caption Every measured combination of the ideas, fastest first; a dot marks an idea that is on.
#:            The bar is the speed at clean times, cold L2 cache; the short black lines are 95 %
#:            intervals. At the right: registers per thread, shared memory per block, theoretical
#:            occupancy. The worth of an idea is the geometric mean of the speed-ups over all pairs
#:            of cells that differ only in it; an effect is unresolved if its 95 % interval cannot
#:            be told from noise.
#: each    WITH RECURSIVE cell AS (SELECT m.family, m.size, ' ' || v.factors || ' ' AS factors,
#:              coalesce(f.rate, 'bytes') AS rate, CASE f.rate WHEN 'operations' THEN m.tflops_high
#:              ELSE m.effective_high_gbs END AS most, CASE f.rate WHEN 'operations' THEN
#:              m.fp32_peak_tflops ELSE m.dram_peak_gbs END AS peak FROM metrics m JOIN variants v
#:              USING (family, variant) JOIN families f USING (family) WHERE v.factors IS NOT NULL
#:              AND m.best = 1 AND m.time_ns IS NOT NULL AND m.size = (SELECT w.size FROM metrics w
#:              WHERE w.family = m.family ORDER BY w.useful_bytes DESC, w.size LIMIT 1)),
#:            factor_name(family, place, name, rest) AS (SELECT family, 0, NULL, ltrim(min(factors))
#:              FROM cell GROUP BY family UNION ALL SELECT family, place + 1, substr(rest, 1,
#:              instr(rest, '=') - 1), ltrim(substr(rest, instr(rest, ' '))) FROM factor_name WHERE
#:              instr(rest, '=') > 0)
#:            SELECT c.family AS family, c.size AS size, CASE WHEN c.size LIKE '%x%' THEN '' ELSE
#:              'n = ' END || size_text(c.size) AS size_words,
#:            c.rate AS rate, max(c.most) AS most, max(c.peak) AS peak, human(max(c.peak)) AS
#:              peak_text,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant)
#:              WHERE p.family = c.family AND p.size = c.size AND v.factors IS NOT NULL) AS rungs,
#:            (SELECT group_concat(name, ' ') FROM (SELECT name FROM factor_name n WHERE n.family =
#:              c.family AND name IS NOT NULL ORDER BY place)) AS ideas,
#:            coalesce((SELECT 'Worth on average: ' || group_concat(replace(factors, '_', ' ') ||
#:              CASE status WHEN 'resolved' THEN printf(' %.2f×', ratio) ELSE ' unresolved' END,
#:              ', ') FROM (SELECT * FROM ablation a WHERE a.family = c.family AND a.size = c.size
#:              AND a.kind = 'main' AND ratio IS NOT NULL ORDER BY status <> 'resolved', ratio DESC)
#:              HAVING count(*) > 0), 'No two cells differ in only one idea') AS message
#:            FROM cell c GROUP BY c.family, c.size HAVING count(*) > 1 ORDER BY c.family
#: data    SELECT row_number() OVER (ORDER BY m.time_ns IS NULL, m.time_ns, v.rung) - 1 AS at,
#:              v.rung, replace(v.factors, ',', char(8218)) AS factors,
#:            CASE :rate WHEN 'operations' THEN m.tflops ELSE m.effective_gbs END AS value,
#:            CASE :rate WHEN 'operations' THEN m.tflops_low ELSE m.effective_low_gbs END AS low,
#:            CASE :rate WHEN 'operations' THEN m.tflops_high ELSE m.effective_high_gbs END AS high,
#:            human(CASE :rate WHEN 'operations' THEN m.tflops ELSE m.effective_gbs END) || '' AS
#:              value_text,
#:            coalesce(CAST(m.registers AS INTEGER), '-') || '' AS registers_text,
#:            CASE WHEN m.static_shared_bytes + m.dynamic_shared_bytes IS NULL THEN '-' ELSE
#:              printf('%.1f', (m.static_shared_bytes + m.dynamic_shared_bytes) / 1024) END AS
#:              shared_text,
#:            CASE WHEN m.theoretical_occupancy_pct IS NULL THEN '-' ELSE printf('%.1f %%',
#:              m.theoretical_occupancy_pct) END AS occupancy_text,
#:            CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size =
#:              p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size AND v.factors IS NOT NULL GROUP BY
#:              v.variant ORDER BY at

unit = rate eq 'operations' ? 'TFLOP/s' : 'GB/s'
count = words(ideas)
idea(i) = word(ideas, i)
# The setting of an idea in a cell: the word after "idea=", or "-" if it is not given.
after(s, at) = at ? word(s[at:*], 1) : '-'
setting(s, name) = after(' '.s, strstrt(' '.s, ' '.name.'=') ? strstrt(' '.s, \
    ' '.name.'=') + strlen(name) + 2 : 0)
spaced(s) = strstrt(s, '_') ? s[1:strstrt(s, '_') - 1].' '.spaced(s[strstrt(s, '_') + 1:*]) : s
pitch = 30
matrix = 62             # where the dots begin
dot(i) = matrix + (i - 1) * pitch
label_width = matrix + count * pitch
columns = 222           # of numbers at the right
row = 25
top = top + 46
eval canvas(top + bottom + rungs * row)
set multiplot
set rmargin at screen 1 - real(columns) / width
right = limit(peak, most, 1.3)
far = 0.75 * right
edge = 'high'
set xrange [0:right]
set xtics tics(2 * right)
set xlabel (rate eq 'operations' ? 'Throughput, TFLOP/s' : 'Effective bandwidth, GB/s')
if (peak ne '' && peak + 0 <= right) {
    set arrow 1 from peak + 0, graph 0 to peak + 0, graph 1 nohead dashtype 2 linewidth 1.5 \
        linecolor rgb ink front
    set label 3 (rate eq 'operations' ? 'FP32 peak ' : 'DRAM bus peak ').peak_text.' '.unit at \
        peak + 0, graph 1 right offset character 0, 0.6 font font.',13' textcolor rgb ink
}
bar = int(word(palette, 1))
plot data using (number('value')):(column('at')):(0):(number('value')):(column('at') - \
    0.36):(column('at') + 0.36) \
         with boxxyerror linecolor rgb bar notitle, \
     data using (number('value')):(column('at')):(number('low')):(number('high')) \
         with xerrorbars pointtype -1 linewidth 1.3 linecolor rgb ink notitle, \
     data using (number('value') <= far ? number('high') \
         : nowhere):(column('at')):(strcol('value_text')) \
         with labels left offset 0.8, 0 font font.',13' textcolor rgb ink notitle, \
     data using (number('value') > far ? number('value') \
         : nowhere):(column('at')):(strcol('value_text')) \
         with labels right offset -0.8, 0 font font.',13' textcolor rgb on(bar) notitle, \
     data using (left):(column('at')):(strlen(strcol('value')) ? '' : strcol('word')) \
         with labels left offset 0.6, 0 font font.',13' textcolor rgb grey notitle
# The dots and the numbers, on pixels.
unset label
unset arrow
set lmargin at screen 0
set rmargin at screen 1
set border 0
unset xtics
unset xlabel
unset grid
set xrange [0:width]
do for [i = 1:count] {
    set label i spaced(idea(i)) at first dot(i) - 6, graph 1 left rotate by 38 offset character 0, \
        0.6 font font.',13' textcolor rgb ink
}
set label 40 "registers\n/thread" at first width - 160, graph 1 right offset character 0, \
    1.5 font font.',13' textcolor rgb grey
set label 41 "shared,\nKiB" at first width - 94, graph 1 right offset character 0, \
    1.5 font font.',13' textcolor rgb grey
set label 42 "theoretical\noccupancy" at first width - 14, graph 1 right offset character 0, \
    1.5 font font.',13' textcolor rgb grey
is(i, what) = setting(strcol('factors'), idea(i)) eq what
plot for [i = 1:count] data using (dot(i)):(is(i, '0') ? column('at') : nowhere) \
    with points pointtype 6 pointsize 0.7 linewidth 1.2 linecolor rgb 0xb8b8b8 notitle, \
     for [i = 1:count] data using (dot(i)):(is(i, '1') ? column('at') : nowhere) \
         with points pointtype 7 pointsize 1.0 linecolor rgb ink notitle, \
     for [i = 1:count] data using (dot(i)):(is(i, '0') || is(i, '1') ? nowhere \
         : column('at')):(setting(strcol('factors'), idea(i))) \
         with labels center font font.',13' textcolor rgb ink notitle, \
     data using (matrix - 24):(column('at')):(strcol('rung')) \
         with labels right font font.',13' textcolor rgb grey notitle, \
     data using (width - 160):(column('at')):(strcol('registers_text')) \
         with labels right font font.',13' textcolor rgb ink notitle, \
     data using (width - 94):(column('at')):(strcol('shared_text')) \
         with labels right font font.',13' textcolor rgb ink notitle, \
     data using (width - 14):(column('at')):(strcol('occupancy_text')) \
         with labels right font font.',13' textcolor rgb ink notitle
unset multiplot
