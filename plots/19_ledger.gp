#: title   :headline
#: caption Where the time of each rung goes, from the cycle ledger of its schedulers, in six groups
#:            of causes; white: not explained. It does not show how much a change would save. If the
#:            fastest rung takes less than a tenth of the slowest one's time, the axis is
#:            logarithmic: a bar's end shows its time, and its colours divide its length by share.
#: each    WITH part AS (SELECT r.family, r.size, r.subject, r.variant, r.title, r.time_ns, r.kind,
#:              coalesce(k.area, 'instructions') AS area, sum(l.ns) / 1e3 AS us, sum(l.share_pct) AS
#:              pct, lower(g.title) AS words FROM chart_rung r JOIN levels l USING (family, variant,
#:              size) LEFT JOIN cause k USING (cause) LEFT JOIN area g ON g.area = coalesce(k.area,
#:              'instructions') GROUP BY r.family, r.size, r.variant, 8),
#:            most AS (SELECT *, row_number() OVER (PARTITION BY family, size, variant ORDER BY area
#:              =
#:              'unexplained', pct DESC) AS place, first_value(variant) OVER (PARTITION
#:              BY family, size ORDER BY kind <> 'kernel', time_ns) AS fastest, first_value(variant)
#:              OVER (PARTITION BY family, size ORDER BY kind <> 'kernel', time_ns DESC) AS slowest
#:              FROM part)
#:            SELECT m.family, m.size, (SELECT count(*) FROM chart_rung r WHERE r.family = m.family
#:              AND r.size = m.size AND r.kind <> 'cpu') AS rungs, min(m.time_ns) / 1e3 AS least,
#:              max(m.time_ns) / 1e3 AS most, (SELECT max(o.us) FROM (SELECT sum(us) AS us FROM part
#:              p WHERE p.family = m.family AND p.size = m.size AND p.us > 0 GROUP BY p.variant) o)
#:              AS furthest,
#:            max(CASE WHEN m.variant = m.slowest AND m.place = 1 THEN m.title || ' spends ' ||
#:              CAST(round(m.pct) AS INTEGER) || ' % on ' || m.words END) || max(CASE WHEN
#:              m.variant <> m.fastest OR m.place <> 1 THEN '' WHEN m.fastest = m.slowest THEN ''
#:              ELSE '; ' || m.title || ', the fastest, ' || CAST(round(m.pct) AS INTEGER) || ' % on
#:              ' || m.words END) AS headline, (SELECT group_concat(title, '|') FROM (SELECT title
#:              FROM area ORDER BY place)) AS areas,
#:            'Time of each rung by groups of causes. ' ||
#:              m.subject AS message
#:            FROM most m GROUP BY m.family, m.size ORDER BY m.family, m.size
#: data    WITH part AS (SELECT l.variant, coalesce(k.area, 'instructions') AS area, max(0, sum(l.ns))
#:              / 1e3 AS us FROM levels l LEFT JOIN cause k USING (cause) WHERE l.family = :family
#:              AND l.size = :size GROUP BY 1, 2),
#:            placed AS (SELECT p.*, row_number() OVER run AS part, sum(p.us) OVER run AS upto,
#:              sum(p.us) OVER (PARTITION BY p.variant) AS total FROM part p LEFT JOIN area a USING
#:              (area) WHERE p.us > 0 WINDOW run AS (PARTITION BY p.variant ORDER BY p.area =
#:              'unexplained', a.place))
#:            SELECT r.at, coalesce(p.part, 1) AS part, r.label, p.area, round(p.us, 3) AS value,
#:              round(
#:              p.upto - p.us, 3) AS before, round(p.upto, 3) AS upto, round(p.total, 3) AS total,
#:              coalesce(human(p.us), '') AS part_text,
#:              coalesce(human(r.time_ns / 1e3) || ' µs', '') AS time_text, CASE WHEN r.time_ns IS
#:              NOT NULL THEN 'no counters' ELSE r.word END AS word
#:            FROM chart_rung r LEFT JOIN placed p USING (variant) WHERE r.family = :family AND
#:              r.size = :size AND r.kind <> 'cpu' ORDER BY r.at, p.part

eval canvas(1)
eval rows(rungs)
room = 1.14
spans = least < 0.1 * most
eval axis(0, furthest)
if (spans) { set logscale x; start = 10**floor(log10(0.6 * least)); set xrange [start:furthest * \
    (furthest / \
    start)**0.12]; eval fine_tics('x', start, furthest + 0) }
set xlabel 'Clean time, µs'.(spans ? ' (logarithmic; colours divide a bar by share)' : '')
do for [i = 1:7] { eval swatch(i, 0, word('24 168 302 580 736 908 1076', i), \
    int(word(area_colours, i)), part(areas, i)) }
# The position of a sum of parts along the bar.
along(us) = spans ? start * (column('total') / start)**(us / column('total')) : us
wide(x) = spans ? column('value') / column('total') * log(column('total') / start) / log(furthest \
    / start) : column('value') / furthest
is_rest(x) = strcol('area') eq 'unexplained'
inside = text < 16 ? text : '14'
plot data using (is_rest(0) || !strlen(strcol('value')) ? NaN : along(column('upto'))):(column( \
         'at')):(along(column('before'))):(along(column('upto'))):(column('at') - 0.38):(column( \
         'at') + 0.38):(group_colour(strcol('area'))) with boxxyerror linecolor rgb variable \
         notitle, \
     data using (is_rest(0) ? along(column('upto')) : NaN):(column('at')):(along(column( \
         'before'))):(along(column('upto'))):(column('at') - 0.37):(column('at') + 0.37) with \
         boxxyerror fillcolor rgb 0xffffff fillstyle solid border linecolor rgb grey notitle, \
     data using (strlen(strcol('value')) && wide(0) > 0.055 && !is_rest(0) ? (spans ? sqrt(along( \
         column('before')) * along(column('upto'))) : 0.5 * (column('before') + column('upto'))) \
         : nowhere):(column('at')):(strcol('part_text')):(on(group_colour(strcol('area')))) \
         with labels center font font.','.inside textcolor rgb variable notitle, \
     data using (column('part') == 1 ? (strlen(strcol('total')) ? column('total') : 1.0001 * \
         start) \
         : nowhere):(column('at')):(strlen(strcol('total')) ? strcol('time_text') \
         : strcol('word')) with labels left offset 0.8, 0 font font.','.text textcolor rgb ink \
         notitle, \
     @names
