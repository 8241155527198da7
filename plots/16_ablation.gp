#: title   :headline
#: caption Every measured combination of the ideas, fastest first; a dot marks an idea that is on.
#:            The bar is the speed at clean times, cold L2 cache; the short black lines are 95 %
#:            intervals. At the right: registers per thread, shared memory per block, theoretical
#:            occupancy where it differs. The worth of an idea is the geometric mean of the speed-ups over all pairs
#:            of cells that differ only in it; an effect is unresolved if its 95 % interval cannot
#:            be told from noise.
#: each    WITH RECURSIVE cell AS (SELECT m.family, m.size, ' ' || v.factors || ' ' AS factors,
#:              coalesce(f.rate, 'bytes') AS rate, m.theoretical_occupancy_pct AS occupancy, CASE f.rate WHEN 'operations' THEN m.tflops_high
#:              ELSE m.effective_high_gbs END AS most, CASE f.rate WHEN 'operations' THEN
#:              m.unit_peak_tflops ELSE m.dram_peak_gbs END AS peak FROM metrics m JOIN variants v
#:              USING (family, variant) JOIN families f USING (family) WHERE v.factors IS NOT NULL
#:              AND m.best = 1 AND m.time_ns IS NOT NULL AND (m.family, m.size) IN (SELECT
#:              family, size FROM chart_size)),
#:            factor_name(family, place, name, rest) AS (SELECT family, 0, NULL, ltrim(min(factors))
#:              FROM cell GROUP BY family UNION ALL SELECT family, place + 1, substr(rest, 1,
#:              instr(rest, '=') - 1), ltrim(substr(rest, instr(rest, ' '))) FROM factor_name WHERE
#:              instr(rest, '=') > 0)
#:            SELECT c.family AS family, c.size AS size, c.rate AS rate, max(c.most) AS most,
#:              max(c.peak) AS peak, human(max(c.peak)) AS
#:              peak_text,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant)
#:              WHERE p.family = c.family AND p.size = c.size AND v.factors IS NOT NULL) AS rungs,
#:            (SELECT group_concat(name, ' ') FROM (SELECT name FROM factor_name n WHERE n.family =
#:              c.family AND name IS NOT NULL ORDER BY place)) AS ideas,
#:            'Every combination of the ideas, fastest first' || iif(min(c.occupancy) =
#:              max(c.occupancy), printf(', each at a theoretical occupancy of %.1f %%. ',
#:              min(c.occupancy)), '. ') || (SELECT subject FROM chart_size s WHERE s.family =
#:              c.family AND s.size = c.size) AS message, min(c.occupancy) = max(c.occupancy) AS
#:              is_one,
#:            coalesce((SELECT CASE WHEN direction = 1 THEN 'The idea that gains most is ' ||
#:              replace(factors, '_', ' ') || ', ' || ratio_text(ratio) || ' on average' ELSE
#:              'No idea gains on average' END FROM ablation a WHERE a.family = c.family AND a.size
#:              = c.size AND a.kind = 'main' AND ratio IS NOT NULL ORDER BY direction DESC, ratio
#:              DESC LIMIT 1) || coalesce((SELECT '; ' || group_concat(replace(factors, '_', ' '),
#:              ' and ') || CASE count(*) WHEN 1 THEN ' costs speed' ELSE ' cost speed' END FROM
#:              ablation a WHERE a.family = c.family AND a.size = c.size AND a.kind = 'main' AND
#:              ratio IS NOT NULL AND direction = -1 HAVING count(*) > 0), ''),
#:              'No two cells differ in only one idea') AS headline,
#:            (SELECT group_concat(factors || ' ' || iif(direction <> 0, ratio_text(ratio), '?'),
#:              ' ') FROM ablation a WHERE a.family = c.family AND a.size =
#:              c.size AND a.kind = 'main' AND ratio IS NOT NULL) AS worths
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
#:            CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(status_text(
#:              p.status, p.trials, p.wrong_trials)) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size =
#:              p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size AND v.factors IS NOT NULL GROUP BY
#:              v.variant ORDER BY at

count = words(ideas)
idea(i) = word(ideas, i)
# The setting of an idea in a cell: the word after "idea=", or "-" if it is not given.
after(s, at) = at ? word(s[at:*], 1) : '-'
setting(s, name) = after(' '.s, strstrt(' '.s, ' '.name.'=') ? strstrt(' '.s, \
    ' '.name.'=') + strlen(name) + 2 : 0)
spaced(s) = strstrt(s, '_') ? s[1:strstrt(s, '_') - 1].' '.spaced(s[strstrt(s, '_') + 1:*]) : s
pitch = 34
dot(i) = 70 + (i - 1) * pitch
label_width = 70 + count * pitch
gone = is_one eq '1' ? 110 : 0 # the room of a column that says the same in each row
right_margin = 330 - gone      # of numbers
headroom = 92
eval table(0, rungs)
set multiplot
eval axis(most)
set xlabel (rate eq 'operations' ? 'Throughput, TFLOP/s' : 'Effective bandwidth, GB/s')
shade = 'measured'
plain = bar('value', shade)
plot @plain, @intervals, @values, @absences
# The dots and the numbers, on pixels.
eval on_pixels
y(at) = top + row * (at + 0.5)
worth(i) = after(' '.worths, strstrt(' '.worths, ' '.idea(i).' ') ? strstrt(' '.worths, \
    ' '.idea(i).' ') + strlen(idea(i)) + 2 : 0)
do for [i = 1:count] {
    set label i spaced(idea(i)).(worth(i) eq '-' ? '' : ', '.worth(i)) at first dot(i) - 6, \
        first top - 8 left rotate by 38 font font.',15' textcolor rgb ink
}
array heads[3] = ["registers\n/thread", "shared,\nKiB", "theoretical\noccupancy"]
set label 40 'rung' at first 44, first top - 8 right font font.',15' textcolor rgb grey
do for [i = 1:gone ? 2 : 3] { set label 40 + i heads[i] at first width + gone - word('230 134 24', \
    i), first top - 34 right font font.',15' textcolor rgb grey }
is(i, what) = setting(strcol('factors'), idea(i)) eq what
text_at(x, name) = sprintf("data using (%g):(y(column('at'))):(strcol('%s')) with labels right " \
    ."font font.','.text textcolor rgb ink notitle", x, name)
rungs_text = text_at(44, 'rung')
registers = text_at(width + gone - 230, 'registers_text')
shared = text_at(width + gone - 134, 'shared_text')
occupancy = text_at(gone ? nowhere : width - 24, 'occupancy_text')
plot for [i = 1:count] data using (dot(i)):(is(i, '0') ? y(column('at')) : nowhere) with points \
         pointtype 6 pointsize 0.7 * dots linewidth 1.2 linecolor rgb reference notitle, \
     for [i = 1:count] data using (dot(i)):(is(i, '1') ? y(column('at')) : nowhere) with points \
         pointtype 7 pointsize dots linecolor rgb ink notitle, \
     for [i = 1:count] data using (dot(i)):(is(i, '0') || is(i, '1') ? nowhere \
         : y(column('at'))):(setting(strcol('factors'), idea(i))) with labels center font \
         font.',14' textcolor rgb ink notitle, \
     @rungs_text, @registers, @shared, @occupancy
unset multiplot
