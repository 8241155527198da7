#: title   :headline
#: caption Speed over the library's own call at each size; above the line a rung is faster. Dark:
#:              the
#:            ladder's fastest rung at that size, with its 95 % interval; pale: the others. Each ratio is the median over rounds in which both were timed one after the
#:            other.
#: each    WITH ratio AS (SELECT m.*, row_number() OVER (PARTITION BY m.family, m.size ORDER BY
#:              m.time_ns) AS place FROM metrics m JOIN variants v USING (family, variant) WHERE
#:              m.best = 1 AND v.kind = 'kernel' AND m.speedup_library > 0),
#:            library AS (SELECT family, CASE count(*) WHEN 1 THEN title ELSE 'the library' END AS
#:              words FROM variants WHERE kind = 'library' GROUP BY
#:              family)
#:            SELECT r.family, l.words AS library, count(DISTINCT r.size) AS places, (SELECT
#:              group_concat(words, '|') FROM (SELECT size_text(size) AS words FROM ratio o WHERE
#:              o.family = r.family AND place = 1 ORDER BY useful_bytes, size)) AS columns,
#:            min(r.speedup_library) AS least, max(1, max(r.speedup_library)) AS most,
#:            'The fastest rung beats ' || l.words || ' at ' || (SELECT sum(m.direction = 1) ||
#:              ' of ' || count(m.ratio) FROM shape_map m WHERE m.family = r.family)
#:              || ' sizes, ' || CASE WHEN sum(r.place = 1) = 1 THEN 'with ' ELSE 'with ' ||
#:              printf('%.2f× to ', min(CASE r.place WHEN 1 THEN r.speedup_library END)) END ||
#:              printf('%.2f× its speed', max(CASE r.place WHEN 1 THEN r.speedup_library END)) AS
#:              headline, 'Speed over the library. ' || coalesce(f.title, r.family)
#:              AS message
#:            FROM ratio r JOIN library l USING (family) LEFT JOIN families f USING (family) GROUP
#:              BY
#:              r.family HAVING places > 1 ORDER BY r.family
#: data    WITH ranked AS (SELECT m.*, v.rung, row_number() OVER (PARTITION BY m.size ORDER BY
#:              m.time_ns) AS place, dense_rank() OVER (ORDER BY m.useful_bytes, m.size) - 1 AS at
#:              FROM metrics m JOIN variants v USING (family, variant) WHERE m.family = :family AND
#:              m.best = 1 AND v.kind = 'kernel' AND m.speedup_library > 0)
#:            SELECT at, place, speedup_library AS value, speedup_library_low AS low,
#:              speedup_library_high AS high, 'rung ' || rung AS who, printf('%.3f×',
#:              speedup_library) AS value_text FROM ranked ORDER BY at, place

eval canvas(0)
set lmargin at screen 110 / width
low = least / 1.4
high = most * 1.8
set logscale y
set xrange [-0.5:places - 0.1]
set yrange [low:high]
eval fine_tics('y', low, high)
set format y '%g×'
unset xtics
set xtics (raise(part(columns, 1)) 0) nomirror scale 0 font font.',16' textcolor rgb ink
do for [i = 2:places] { set xtics add (raise(part(columns, i)) i - 1) }
set border 3
set grid ytics back linetype 1 linecolor rgb faint linewidth 0.7
set xlabel 'Size' offset 0, -0.4
set ylabel 'Speed over the library' offset -1, 0
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linewidth 1.6 linecolor rgb ink back
set label 5 "as fast as\n".library at graph 1, first 1 right offset character 0, -0.8 font \
    font.',15' textcolor rgb ink
best(i) = column('place') == 1
ahead(i) = best(0) && column('value') >= 1
behind(i) = best(0) && column('value') < 1
plot data using (best(0) ? NaN : column('at')):(number('value')) with points pointtype 7 pointsize \
         0.6 * dots linecolor rgb reference notitle, \
     data using (best(0) ? column('at') : NaN):(number('value')):(number('low')):(number('high')) \
         with yerrorbars pointtype 7 pointsize 1.1 * dots linewidth 1.8 linecolor rgb measured \
         notitle, \
     data using (ahead(0) ? column('at') : nowhere):(column('value')):(strcol('value_text')) with \
         labels center offset 0, 2.1 font font.',18' textcolor rgb ink notitle, \
     data using (ahead(0) ? column('at') : nowhere):(column('value')):(strcol('who')) with \
         labels center offset 0, 1 font font.',15' textcolor rgb grey notitle, \
     data using (behind(0) ? column('at') : nowhere):(column('value')):(strcol('value_text')) with \
         labels center offset 0, -1 font font.',18' textcolor rgb ink notitle, \
     data using (behind(0) ? column('at') : nowhere):(column('value')):(strcol('who')) with \
         labels center offset 0, -2.1 font font.',15' textcolor rgb grey notitle
