#: title   Speed-up of each step, :size_words
#: caption Each rung over the one that it improves on: the rung above, unless "after" names another.
#:            Filled bars are measured here, with the 95 % interval in brackets; outlined bars are
#:            the figures that the sources print for this size on their devices; if these are of
#:            blocks of another size, "here" is the step measured with such blocks. The line is "no
#:            change".
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS
#:              size_words,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant)
#:              WHERE p.family = m.family AND p.size = m.size AND v.after IS NOT NULL) AS rungs,
#:            (SELECT max(coalesce(speedup_prev_high, speedup_prev)) FROM steps s WHERE s.family =
#:              m.family AND s.size = m.size) AS most,
#:            (SELECT min(coalesce(speedup_prev_low, speedup_prev)) FROM steps s WHERE s.family =
#:              m.family AND s.size = m.size) AS least,
#:            (SELECT max(published_speedup_prev) FROM published_steps q WHERE q.family = m.family
#:              AND q.size = m.size) AS most_published,
#:            (SELECT max(speedup_prev_high) FROM steps s WHERE s.family = m.family AND s.size =
#:              m.size AND s.evidence = 'no evidence') AS unclear,
#:            (SELECT min(published_speedup_prev) FROM published_steps q WHERE q.family = m.family
#:              AND q.size = m.size) AS least_published,
#:            (SELECT count(DISTINCT source) + 1 FROM published_steps q WHERE q.family = m.family
#:              AND q.size = m.size AND published_speedup_prev IS NOT NULL) AS slots,
#:            EXISTS (SELECT 1 FROM published_steps q JOIN steps s USING (family, variant, size)
#:              WHERE q.family = m.family AND q.size = m.size AND s.speedup_prev <>
#:              q.measured_speedup_prev AND q.published_speedup_prev IS NOT NULL) AS two_blocks,
#:            (SELECT group_concat(words, '; ') FROM (SELECT DISTINCT source || ', ' || device AS
#:              words FROM published_steps q WHERE q.family = m.family AND q.size = m.size AND
#:              published_speedup_prev IS NOT NULL)) AS sources,
#:            coalesce((SELECT sum(evidence = 'faster') || ' of ' || count(*) || CASE count(*) WHEN
#:              1 THEN ' step is faster' ELSE ' steps are faster' END || CASE sum(evidence =
#:              'slower') WHEN 0 THEN '' ELSE ', ' || sum(evidence = 'slower') || ' slower' END ||
#:              CASE sum(evidence = 'no evidence') WHEN 0 THEN '' ELSE ', ' || sum(evidence =
#:              'no evidence') || ' within the noise' END FROM steps s WHERE s.family = m.family AND
#:              s.size = m.size AND s.speedup_prev IS NOT NULL HAVING count(*) > 0) ||
#:              coalesce((SELECT '; largest: ' || printf('%.2f', s.speedup_prev) || '×, ' || v.rung
#:              || ' ' || v.title FROM steps s JOIN variants v USING (family, variant) WHERE
#:              s.family = m.family AND s.size = m.size AND s.evidence = 'faster' ORDER BY
#:              s.speedup_prev DESC LIMIT 1), ''), 'Not measured') AS message
#:            FROM metrics m WHERE best = 1 GROUP BY m.family, m.size
#:            HAVING rungs > 0 AND most IS NOT NULL ORDER BY m.family, CAST(m.size AS INTEGER),
#:              m.size
#: data    WITH present AS (SELECT v.*, lag(v.variant) OVER (ORDER BY v.rung, v.variant) AS above
#:              FROM variants v WHERE v.family = :family AND EXISTS (SELECT 1 FROM points p WHERE
#:              p.family = v.family AND p.variant = v.variant AND p.size = :size)),
#:            step AS (SELECT row_number() OVER (ORDER BY rung, variant) - 1 AS at, present.*, CASE
#:              WHEN above IS NOT after THEN ' (after ' || (SELECT w.rung FROM variants w WHERE
#:              w.family = :family AND w.variant = present.after) || ')' END AS origin FROM present
#:              WHERE after IS NOT NULL),
#:            printed AS (SELECT q.*, row_number() OVER (PARTITION BY variant ORDER BY source) AS
#:              slot FROM published_steps q WHERE q.family = :family AND q.size = :size AND
#:              q.published_speedup_prev IS NOT NULL) SELECT at, rung,
#:            replace(rung || ' ' || title || coalesce(origin, ''), ',', char(8218)) AS label, 0 AS
#:              slot,
#:            (SELECT count(*) FROM printed q WHERE q.variant = step.variant) + 1 AS filled,
#:            speedup_prev AS value, speedup_prev_low AS low, speedup_prev_high AS high,
#:            CASE WHEN speedup_prev IS NOT NULL THEN printf('%.2f', speedup_prev) END || '×' ||
#:              CASE WHEN speedup_prev_low IS NOT NULL THEN printf(' [%.3f – %.3f]',
#:              speedup_prev_low, speedup_prev_high) ELSE '' END || CASE evidence WHEN 'no evidence'
#:              THEN char(8218) || ' no evidence' ELSE '' END AS value_text, 'not measured' AS word
#:              FROM step
#:            LEFT JOIN steps s ON s.family = :family AND s.variant = step.variant AND s.size =
#:              :size
#:            UNION ALL SELECT at, rung, '', slot, (SELECT count(*) FROM printed r WHERE r.variant =
#:              q.variant) + 1, published_speedup_prev, NULL, NULL, printf('%.2f',
#:              published_speedup_prev) || '× on ' || replace(q.device, ',', char(8218)) || CASE
#:              WHEN q.measured_speedup_prev <> s.speedup_prev THEN printf('%s here %.2f×', char(8218),
#:              q.measured_speedup_prev) ELSE '' END, '-'
#:            FROM step JOIN printed q ON q.variant = step.variant LEFT JOIN steps s ON s.family =
#:              :family AND s.variant = step.variant AND s.size = :size
#:            ORDER BY at, slot

room = slots > 1 ? row + 6 : row
if (slots < 2) { top = top - 10 }   # no legend
eval canvas(top + bottom + rungs * room)
largest = most eq '' ? 1.1 : most > 1.1 ? most + 0 : 1.1
largest = most_published eq '' ? largest : most_published > largest ? most_published + 0 : largest
smallest = least eq '' || least > 1 ? 1.0 : least + 0
smallest = least_published eq '' || least_published > smallest ? smallest : least_published + 0
# Room for the text behind the longest bar, and for the longer text if there is no evidence.
span = (two_blocks + 0 ? 2.15 : largest < 10 ? 1.75 : 2.1) * (largest - smallest)
long = ((unclear eq '' || unclear < 1 ? 1.0 : unclear + 0) - smallest) / 0.33
span = unclear eq '' || long < span ? span : long
set xrange [smallest:smallest + span]
set xtics tics(1.6 * span)
set xtics format '%g×'
set border 0
set xlabel 'Speed-up (1× = no change)'
set arrow 1 from 1, graph 0 to 1, graph 1 nohead linewidth 1.2 linecolor rgb grey front
left = smallest
thick = 0.84 / (slots > 1 ? slots : 1)
upper(i) = column('at') + (column('slot') - 0.5 * column('filled')) * thick
middle(i) = upper(0) + 0.5 * thick
lower(i) = upper(0) + thick - 0.05
beyond(v) = v > 1 ? v : 1
measured = "data using (column('slot') == 0 ? number('value') : " \
    ."NaN):(column('at')):(1):(number('value')):(upper(0)):(lower(0)):(colour(column('rung')))" \
    ." with boxxyerror fillstyle solid 1 noborder linecolor rgb variable notitle"
published = "data using (column('slot') > 0 ? number('value') : " \
    ."NaN):(column('at')):(1):(number('value')):(upper(0)):(lower(0)):(colour(column('rung')))" \
    ." with boxxyerror fillstyle empty linewidth 1.6 linecolor rgb variable notitle"
intervals = "data using (strlen(strcol('low')) ? number('value') : " \
    ."NaN):(middle(0)):(number('low')):(number('high'))" \
    ." with xerrorbars pointtype -1 linewidth 1.3 linecolor rgb ink notitle"
words_behind = "data using (strlen(strcol('high')) ? beyond(number('high')) : " \
    ."strlen(strcol('value')) ? beyond(number('value')) : nowhere):(middle(0))" \
    .":(strcol('value_text')):(column('slot') > 0 ? grey : ink) with labels left offset 1.2, 0 " \
        ."font font.',13' textcolor rgb variable notitle"
unmeasured = "data using (1):(middle(0)):(strlen(strcol('value')) ? '' : strcol('word')) with " \
    ."labels left offset 1.2, 0 font font.',13' textcolor rgb grey notitle"
if (slots > 1) {   # the legend by hand: gnuplot would make its columns as wide as the longest words
    legend_y = 1 - (70.0 + shift) / height
    set label 11 '' at screen 22.0 / width, screen legend_y point pointtype 5 pointsize 1.1 \
        linecolor rgb neutral
    set label 12 'measured here' at screen 34.0 / width, \
        screen legend_y left font font.',13' textcolor rgb ink
    set label 13 '' at screen 152.0 / width, screen legend_y point pointtype 4 pointsize 1.1 \
        linewidth 1.6 linecolor rgb neutral
    set label 14 cut('published: '.sources, 60) at screen 164.0 / width, \
        screen legend_y left font font.',13' textcolor rgb ink
}
plot @measured, @published, @intervals, @words_behind, @unmeasured, @names
