#: title   Where the time goes, :size_words
#: caption Where the time of each rung goes, from the cycle ledger of its schedulers: instructions
#:            issued, waiting while none was issued, no warp to issue from. It does not show how
#:            much a change would save. Bank conflicts, uncoalesced access and local memory are
#:            their parts of the waiting, by wavefronts and sectors; idle lanes are issue slots of
#:            lanes without work. The clean time is 100 %: if counted launches took longer, a bar
#:            extends beyond it. At the right: that time, and the part that the ledger does not
#:            explain.
#: each    WITH part AS (SELECT l.family, l.variant, l.size, coalesce(k.area, 'instructions') AS area,
#:              sum(l.share_pct) AS pct FROM levels l LEFT JOIN cause k USING (cause) GROUP BY
#:              l.family, l.variant, l.size, coalesce(k.area, 'instructions')),
#:            most AS (SELECT p.*, v.rung, m.time_ns, row_number() OVER (PARTITION BY p.family,
#:              p.variant, p.size ORDER BY p.pct DESC) AS place, row_number() OVER (PARTITION BY
#:              p.family, p.variant, p.size ORDER BY p.area = 'work', p.pct DESC) AS cost FROM part
#:              p JOIN variants v USING (family, variant) JOIN metrics m ON m.family = p.family AND
#:              m.variant = p.variant AND m.size = p.size AND m.best = 1 WHERE v.kind = 'kernel' AND
#:              p.area <> 'unexplained')
#:            SELECT p.family AS family, p.size AS size, CASE WHEN p.size LIKE '%x%' THEN '' ELSE
#:              'n = ' END || size_text(p.size) AS size_words,
#:            (SELECT count(DISTINCT variant) FROM points o JOIN variants v USING (family, variant)
#:              WHERE o.family = p.family AND o.size = p.size AND v.kind <> 'cpu') AS rungs,
#:            (SELECT group_concat(area, ' ') FROM (SELECT o.area FROM part o WHERE o.family = p.family AND o.size = p.size
#:              AND o.pct >= 0.1 GROUP BY o.area)) AS common,
#:            (SELECT m.rung || ' ' || m.area || ' ' || round(m.pct) FROM most m WHERE m.family =
#:              p.family AND m.size = p.size AND m.cost = 1 ORDER BY m.time_ns DESC LIMIT 1) AS
#:              slowest,
#:            (SELECT m.rung || ' ' || m.area || ' ' || round(m.pct) FROM most m WHERE m.family =
#:              p.family AND m.size = p.size AND m.place = 1 ORDER BY m.time_ns LIMIT 1) AS fastest,
#:            100 - min(CASE p.area WHEN 'unexplained' THEN p.pct ELSE 0 END) AS furthest,
#:            CASE WHEN (SELECT min(e.time_ns) FROM metrics e JOIN levels w USING (family, variant,
#:              size, block, sweep) WHERE e.family = p.family AND e.size = p.size) >= 1e6 THEN 'ms'
#:              ELSE 'µs' END AS unit
#:            FROM part p GROUP BY p.family, p.size ORDER BY p.family, CAST(p.size AS INTEGER),
#:              p.size
#: data    WITH area AS (SELECT area, min(place) AS place FROM cause GROUP BY area),
#:            part AS (SELECT l.variant, coalesce(k.area, 'instructions') AS area, sum(l.share_pct) AS
#:              pct FROM levels l LEFT JOIN cause k USING (cause) WHERE l.family = :family AND
#:              l.size = :size GROUP BY 1, 2),
#:            placed AS (SELECT p.*, row_number() OVER run AS part, sum(p.pct) OVER run AS upto FROM
#:              part p LEFT JOIN area a USING (area) WINDOW run AS (PARTITION BY p.variant ORDER BY
#:              p.area = 'unexplained', a.place)),
#:            rung AS (SELECT v.variant, row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at,
#:              replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep,
#:              ''), ',', char(8218)) AS label, m.time_ns, CASE WHEN m.time_ns IS NOT NULL THEN
#:              'no counters' WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END
#:              AS word FROM points p JOIN variants v USING (family, variant) LEFT JOIN metrics m ON
#:              m.family = p.family AND m.variant = p.variant AND m.size = p.size AND m.best = 1
#:              WHERE p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant)
#:            SELECT r.at, coalesce(p.part, 1) AS part, r.label, p.area, p.pct AS value, p.upto -
#:              p.pct AS low, p.upto AS high, CAST(round(p.pct) AS INTEGER) || '' AS value_text,
#:            coalesce(human(round(r.time_ns / CASE :unit WHEN 'ms' THEN 1e6 ELSE 1e3 END, 2)), '-')
#:              AS time_text,
#:            coalesce((SELECT replace(printf('%.1f %%', round(u.pct, 1) + 0.0), '-', '−') FROM part
#:              u WHERE u.variant = r.variant AND u.area = 'unexplained'), '-') AS rest_text,
#:            r.word
#:            FROM rung r LEFT JOIN placed p USING (variant) ORDER BY r.at, p.part

small(s) = strlen(s) ? substr('abcdefghijklmnopqrstuvwxyz', strstrt('ABCDEFGHIJKLMNOPQRSTUVWXYZ', \
    s[1:1]), strstrt('ABCDEFGHIJKLMNOPQRSTUVWXYZ', s[1:1])).s[2:*] : s
# The largest share of a rung: "<rung> <area> <share>"; for the slowest rung, the largest share
# other than the work itself.
spends(who) = 'rung '.word(who, 1).': '.sprintf('%d', int(word(who, \
    3))).' % '.small(group_title(word(who, 2)))
message = slowest eq '' ? 'No rung of the ladder has counters' : word(slowest, 1) eq word(fastest, \
    1) ? 'Most of '.spends(slowest) : 'Slowest, '.spends(slowest).'; fastest, '.spends(fastest)
areas = ''
do for [i = 1:words(areas_known)] { if (word(areas_known, i) eq 'unexplained' || strstrt(' '.common.' ', \
    ' '.word(areas_known, i).' ')) { areas = areas.' '.word(areas_known, i) } }
legend_rows = (words(areas) + 2) / 3
top = top - 12 + 19 * legend_rows + 26
columns = 130           # pixels for the numbers at the right
eval canvas(top + bottom + rungs * row)
set multiplot
set rmargin at screen 1 - real(columns + 10) / width
set xrange [0:furthest + 0]
set xtics 25
set xlabel 'of the clean time, %'
do for [i = 1:words(areas)] {
    legend_y = 1 - (68.0 + shift + 19 * ((i - 1) / 3)) / height
    legend_x = 22.0 + 198 * ((i - 1) % 3)
    set object i rectangle at screen legend_x / width, screen legend_y size screen 11.0 / width, \
        screen 11.0 / height \
        fillcolor rgb group_colour(word(areas, i)) fillstyle solid border linecolor rgb (word(areas, \
            i) eq 'unexplained' ? grey : group_colour(word(areas, i)))
    set label 10 + i group_title(word(areas, i)) at screen (legend_x + 12) / width, \
        screen legend_y left font font.',13' textcolor rgb ink
}
if (furthest > 100.5) { set arrow 1 from 100, graph 0 to 100, \
    graph 1 nohead dashtype 2 linewidth 1.5 linecolor rgb ink front }
is_rest(x) = strcol('area') eq 'unexplained'
first(x) = column('part') == 1 ? x : nowhere
# Parts narrower than a third of a pixel are left out.
plot data using (is_rest(0) || !(number('value') > 0.1) ? NaN \
    : number('high')):(column('at')):(number('low')):(number('high')):(column('at') - \
    0.36):(column('at') + 0.36):(group_colour(strcol('area'))) \
         with boxxyerror linecolor rgb variable notitle, \
     data using (is_rest(0) && number('value') > 0 ? number('high') \
         : NaN):(column('at')):(number('low')):(number('high')):(column('at') - \
         0.35):(column('at') + 0.35) \
         with boxxyerror fillcolor rgb 0xffffff fillstyle solid border linecolor rgb grey notitle, \
     data using (number('value') >= 7 && !is_rest(0) ? (number('low') + number('high')) / 2 \
         : nowhere):(column('at')):(strcol('value_text')):(on(group_colour(strcol('area')))) \
         with labels center font font.',12' textcolor rgb variable notitle, \
     data using (first(left)):(column('at') - lift(strcol('label'), name)):(wrap(strcol('label'), \
         name)) with labels right offset -0.8, 0 font font.',14' textcolor rgb ink notitle, \
     data using (first(left)):(column('at')):(strlen(strcol('value')) ? '' : strcol('word')) \
         with labels left offset 0.6, 0 font font.',14' textcolor rgb grey notitle
# The numbers, on pixels.
unset label
unset object
unset arrow
set lmargin at screen 0
set rmargin at screen 1
set border 0
unset xtics
unset xlabel
unset grid
set xrange [0:width]
set label 1 "time,\n".unit at first width - 84, graph 1 right offset character 0, \
    1.5 font font.',13' textcolor rgb grey
set label 2 "not ex-\nplained" at first width - 14, graph 1 right offset character 0, \
    1.5 font font.',13' textcolor rgb grey
plot data using (first(width - 84)):(column('at')):(strcol('time_text')) \
    with labels right font font.',14' textcolor rgb ink notitle, \
     data using (first(width - 14)):(column('at')):(strcol('rest_text')) \
         with labels right font font.',14' textcolor rgb ink notitle
unset multiplot
