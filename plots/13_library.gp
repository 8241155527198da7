#: title   Compared with the library: :library
#: caption The ladder's fastest rung at each size: its speed-up over the library's own call, with
#:            the 95 % interval; above the line the rung is faster. Faint: the other rungs. Each
#:            ratio is the median over rounds in which both were timed one after the other.
#: each    SELECT m.family AS family, l.words AS library, count(DISTINCT m.size) AS places,
#:            (SELECT group_concat(words, ' ') FROM (SELECT replace(size_text(w.size), ' x ', '×')
#:              AS words FROM metrics w WHERE w.family = m.family AND w.best = 1 AND
#:              w.speedup_library IS NOT NULL GROUP BY w.size ORDER BY min(w.useful_bytes), w.size))
#:              AS sizes,
#:            min(CASE WHEN m.place = 1 THEN coalesce(m.speedup_library_low, m.speedup_library) END)
#:              AS least,
#:            max(CASE WHEN m.place = 1 THEN coalesce(m.speedup_library_high, m.speedup_library)
#:              END) AS most,
#:            'The fastest rung is ahead at ' || sum(m.place = 1 AND m.speedup_library_low > 1) ||
#:              ' of ' || sum(m.place = 1) || ' sizes' || CASE sum(m.place = 1 AND
#:              m.speedup_library_high < 1) WHEN 0 THEN '' ELSE ', behind at ' || sum(m.place = 1
#:              AND m.speedup_library_high < 1) END || ': ' || printf('%.3f×', min(CASE WHEN m.place
#:              = 1 THEN m.speedup_library END)) || CASE WHEN count(DISTINCT m.size) > 1 THEN ' to '
#:              || printf('%.3f×', max(CASE WHEN m.place = 1 THEN m.speedup_library END)) ||
#:              ' the speed of ' ELSE ' the speed of ' END || l.words AS message
#:            FROM (SELECT w.*, row_number() OVER (PARTITION BY w.family, w.size ORDER BY w.time_ns)
#:              AS place FROM metrics w JOIN variants v USING (family, variant) WHERE w.best = 1 AND
#:              v.kind = 'kernel' AND w.speedup_library IS NOT NULL) m
#:            JOIN (SELECT family, CASE count(*) WHEN 1 THEN title ELSE 'the fastest of ' ||
#:              count(*) || ' calls' END AS words FROM variants WHERE kind = 'library' GROUP BY
#:              family) l ON l.family = m.family GROUP BY m.family ORDER BY m.family
#: data    WITH ranked AS (SELECT w.*, v.rung, row_number() OVER (PARTITION BY w.size ORDER BY
#:              w.time_ns) AS place, dense_rank() OVER (ORDER BY w.useful_bytes, w.size) - 1 AS at
#:              FROM metrics w JOIN variants v USING (family, variant) WHERE w.family = :family AND
#:              w.best = 1 AND v.kind = 'kernel' AND w.speedup_library IS NOT NULL)
#:            SELECT at, rung, place, speedup_library AS value, speedup_library_low AS low,
#:              speedup_library_high AS high, 'rung ' || rung AS who, printf('%.3f×',
#:              speedup_library) AS value_text
#:            FROM ranked ORDER BY at, place

top = top - 10
high = 300
eval canvas(top + high + 60)
eval between(top, top + high)
set lmargin at screen 70.0 / width
places = places + 0
smallest = least < 1 ? least + 0 : 1
largest = most > 1 ? most + 0 : 1
span = largest - smallest > 0.02 ? largest - smallest : 0.02
bottom_end = smallest - 0.25 * span
set yrange [bottom_end:largest + 0.3 * span]
set ytics tics(1.5 * span) nomirror scale 0 font font.',13' textcolor rgb grey format '%g×'
set xrange [-0.6:places - 0.4]
set xtics (raise(word(sizes, 1)) 0)
do for [i = 2:words(sizes)] { set xtics add (raise(word(sizes, i)) i - 1) }
set border 3
unset grid
set grid ytics back linetype 1 linecolor rgb faint linewidth 0.7
set xlabel 'Size'
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linewidth 1.6 linecolor rgb ink back
set label 3 'as fast as '.library at graph 1, first 1 right offset character 0, \
    -0.7 font font.',13' textcolor rgb ink
best(i) = column('place') == 1
plot data using (best(0) ? nowhere : column('at')):(number('value')) \
    with points pointtype 7 pointsize 0.5 linecolor rgb 0xc4c4c4 notitle, \
     data using (best(0) ? column('at') : \
         NaN):(number('value')):(number('low')):(number('high')):(colour(column('rung'))) \
         with yerrorbars pointtype 7 pointsize 1.1 linewidth 1.8 linecolor rgb variable notitle, \
     data using (column('at')):(best(0) ? number('high') : nowhere):(strcol('value_text')) \
         with labels center offset 0, 1.9 font font.',14' textcolor rgb ink notitle, \
     data using (column('at')):(best(0) ? number('high') : nowhere):(strcol('who')) \
         with labels center offset 0, 0.9 font font.',13' textcolor rgb grey notitle
