#: title   Speed-up of each step over the rung before, :size_words
#: caption Filled bars are measured here, the 95 % interval in brackets; outlined bars are what the sources print for this size on their
#:            devices. The left edge of a bar is "no change".
#: each    SELECT m.family AS family, m.size AS size,
#:            CASE WHEN m.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(m.size) AS size_words,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant) WHERE p.family = m.family AND p.size =
#:              m.size AND v.after IS NOT NULL) AS rungs,
#:            (SELECT max(coalesce(speedup_prev_high, speedup_prev)) FROM steps s WHERE s.family = m.family AND s.size = m.size) AS most,
#:            (SELECT min(coalesce(speedup_prev_low, speedup_prev)) FROM steps s WHERE s.family = m.family AND s.size = m.size) AS least,
#:            (SELECT max(published_speedup_prev) FROM published_steps q WHERE q.family = m.family AND q.size = m.size) AS most_published,
#:            (SELECT min(published_speedup_prev) FROM published_steps q WHERE q.family = m.family AND q.size = m.size) AS least_published,
#:            coalesce('Published: ' || (SELECT group_concat(words, '; ') FROM (SELECT DISTINCT source || ', ' || device AS words FROM
#:              published_steps q WHERE q.family = m.family AND q.size = m.size)), 'No source prints this size') AS message
#:            FROM metrics m WHERE best = 1 GROUP BY m.family, m.size
#:            HAVING rungs > 0 ORDER BY m.family, CAST(m.size AS INTEGER), m.size
#: data    WITH step AS (SELECT dense_rank() OVER (ORDER BY v.rung, v.variant) - 1 AS at, v.* FROM variants v WHERE v.family = :family AND
#:              v.after IS NOT NULL AND EXISTS (SELECT 1 FROM points p WHERE p.family = v.family AND p.variant = v.variant AND p.size =
#:              :size)),
#:            sources AS (SELECT row_number() OVER (ORDER BY source) AS slot, source FROM (SELECT DISTINCT source FROM published_steps WHERE
#:              family = :family AND size = :size AND published_speedup_prev IS NOT NULL)) SELECT at, rung,
#:            replace(rung || ' ' || title, ',', char(8218)) AS label, 0 AS slot, (SELECT count(*) FROM sources) + 1 AS slots,
#:            speedup_prev AS value, speedup_prev_low AS low, speedup_prev_high AS high,
#:            CASE WHEN speedup_prev IS NOT NULL THEN printf('%.2f', speedup_prev) END || '× [' || CASE WHEN speedup_prev_low IS NOT NULL
#:              THEN printf('%.3f', speedup_prev_low) END || ' – ' || CASE WHEN speedup_prev_high IS NOT NULL THEN printf('%.3f',
#:              speedup_prev_high) END || ']' || CASE evidence WHEN 'no evidence' THEN char(8218) || ' no evidence' ELSE '' END AS
#:              value_text, 'not measured' AS word FROM step
#:            LEFT JOIN steps s ON s.family = :family AND s.variant = step.variant AND s.size = :size
#:            UNION ALL SELECT at, rung, '', slot, (SELECT count(*) FROM sources) + 1, published_speedup_prev, NULL, NULL,
#:            printf('%.2f', published_speedup_prev) || '× on ' || device, '-'
#:            FROM step JOIN published_steps q ON q.family = :family AND q.variant = step.variant AND q.size = :size
#:            JOIN sources USING (source) WHERE published_speedup_prev IS NOT NULL
#:            ORDER BY at, slot

eval canvas(top + bottom + rungs * (row + 6))
largest = most eq '' ? 1.1 : most > 1.1 ? most + 0 : 1.1
largest = most_published eq '' ? largest : most_published > largest ? most_published + 0 : largest
smallest = least eq '' || least > 1 ? 1.0 : least + 0
smallest = least_published eq '' || least_published > smallest ? smallest : least_published + 0
set xrange [smallest:smallest + 1.75 * (largest - smallest)]   # room for the words behind the longest bar
set xtics tics(1.75 * (largest - smallest))
set xtics format '%g×'
set border 0
set xlabel 'Speed-up over the rung before (1× = no change)'
set arrow 1 from 1, graph 0 to 1, graph 1 nohead linewidth 1.2 linecolor rgb grey front
left = smallest
thick(slots) = 0.84 / slots
upper(i) = column('at') - 0.42 + column('slot') * thick(column('slots'))
middle(i) = upper(0) + 0.5 * thick(column('slots'))
lower(i) = upper(0) + thick(column('slots')) - 0.05
beyond(v) = v > 1 ? v : 1
plot data using (column('slot') == 0 ? number('value') : NaN):(column('at')):(1):(number('value')):(upper(0)):(lower(0)):(colour(column('rung'))) \
         with boxxyerror fillstyle solid 1 noborder linecolor rgb variable notitle, \
     data using (column('slot') > 0 ? number('value') : NaN):(column('at')):(1):(number('value')):(upper(0)):(lower(0)):(colour(column('rung'))) \
         with boxxyerror fillstyle empty linewidth 1.6 linecolor rgb variable notitle, \
     data using (strlen(strcol('low')) ? number('value') : NaN):(middle(0)):(number('low')):(number('high')) \
         with xerrorbars pointtype -1 linewidth 1.3 linecolor rgb ink notitle, \
     data using (strlen(strcol('high')) ? beyond(number('high')) : strlen(strcol('value')) ? beyond(number('value')) : nowhere):(middle(0)):(strcol('value_text')):(column('slot') > 0 ? grey : ink) \
         with labels left offset 1.2, 0 font font.',13' textcolor rgb variable notitle, \
     data using (1):(middle(0)):(strlen(strcol('value')) ? '' : strcol('word')) \
         with labels left offset 1.2, 0 font font.',13' textcolor rgb grey notitle, \
     @names, \
     keyentry with boxes fillstyle solid 1 noborder linecolor rgb neutral title 'measured here', \
     keyentry with boxes fillstyle empty linewidth 1.6 linecolor rgb neutral title 'published'
