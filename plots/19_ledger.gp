#: title   :headline
#: caption Where the time of each rung goes, from the cycle ledger of its schedulers, in six groups
#:            of causes, as shares of its time; white: not explained. Where DRAM is at its limit,
#:            global memory has all the time that DRAM needs, whatever warps wait for. It does not
#:            show how much a change would save. At the right: the clean time.
#: each    WITH part AS (SELECT r.family, r.size, r.subject, r.variant, r.title, r.time_ns, r.kind,
#:              l.area, l.ns, lower(substr(g.title, 1, 1)) || substr(g.title, 2) AS words FROM
#:              chart_rung r JOIN area_time l USING (family, variant, size) JOIN area g USING
#:              (area)),
#:            most AS (SELECT *, 100 * ns / sum(ns) OVER (PARTITION BY family, size, variant) AS
#:              pct, row_number() OVER (PARTITION BY family, size, variant ORDER BY area =
#:              'unexplained', ns DESC) AS place, first_value(variant) OVER (PARTITION BY family,
#:              size ORDER BY kind <> 'kernel', time_ns) AS fastest, first_value(variant) OVER
#:              (PARTITION BY family, size ORDER BY kind <> 'kernel', time_ns DESC) AS slowest FROM
#:              part)
#:            SELECT m.family, m.size, (SELECT count(*) FROM chart_rung r WHERE r.family = m.family
#:              AND r.size = m.size AND r.kind <> 'cpu') AS rungs,
#:            max(CASE WHEN m.variant = m.slowest AND m.place = 1 THEN m.title || ' spends ' ||
#:              CAST(round(m.pct) AS INTEGER) || ' % on ' || m.words END) || max(CASE WHEN
#:              m.variant <> m.fastest OR m.place <> 1 THEN '' WHEN m.fastest = m.slowest OR
#:              is_program THEN ''
#:              ELSE '; ' || m.title || ', the fastest, ' || CAST(round(m.pct) AS INTEGER) || ' % on
#:              ' || m.words END) AS headline, (SELECT group_concat(title, '|') FROM (SELECT title
#:              FROM area ORDER BY place)) AS areas,
#:            'Shares of the time of each ' || noun || ' by groups of causes. ' || (SELECT iif(
#:              max(x.tensor_operations) > 0, 'Useful work: the tensor cores are busy' || iif(
#:              max(x.tensor_operations_per_useful) >= 1.9, ', with all products', '') ||
#:              iif(min(coalesce(x.tensor_operations, 0)) = 0, '; of FP32 ' || noun ||
#:              's: their multiply-adds', '') || '. ', iif(max(f.rate = 'operations' AND f.unit =
#:              'fp32'),
#:              'Useful work: multiply-adds. ', '')) FROM metrics x JOIN chart_rung o USING (family,
#:              variant, size) JOIN families f USING (family) WHERE x.family = m.family AND x.size =
#:              m.size AND x.best = 1 AND o.kind <> 'cpu') || m.subject AS message
#:            FROM most m JOIN chart_noun GROUP BY m.family, m.size HAVING rungs > 1 ORDER BY m.family, m.size
#: data    WITH part AS (SELECT variant, area, ns / 1e3 AS us FROM area_time WHERE family = :family
#:              AND size = :size),
#:            placed AS (SELECT p.*, row_number() OVER run AS part, sum(p.us) OVER run AS upto,
#:              sum(p.us) OVER (PARTITION BY p.variant) AS total FROM part p LEFT JOIN area a USING
#:              (area) WHERE p.us > 0 WINDOW run AS (PARTITION BY p.variant ORDER BY p.area =
#:              'unexplained', a.place))
#:            SELECT r.at, coalesce(p.part, 1) AS part, r.label, p.area, round(p.us, 3) AS us,
#:              round(100 * (p.upto - p.us) / p.total, 3) AS before, round(100 * p.upto / p.total,
#:              3) AS upto, round(p.total, 3) AS total, coalesce(printf('%.0f', 100 * p.us /
#:              p.total), '') AS part_text, coalesce(time_text(r.time_ns), '') AS time_text, CASE
#:              WHEN r.time_ns IS NOT NULL THEN 'no counters' ELSE r.word END AS word
#:            FROM chart_rung r LEFT JOIN placed p USING (variant) WHERE r.family = :family AND
#:              r.size = :size AND r.kind <> 'cpu' ORDER BY r.at, p.part

right_margin = 130      # for the times
eval table(1, rungs)
set xrange [0:100]
set xtics 20
set xlabel 'Share of the time, %'
do for [i = 1:7] { eval swatch(i, 0, word('24 168 302 560 712 872 1092', i), \
    int(word(area_colours, i)), part(areas, i)) }
is_rest(x) = strcol('area') eq 'unexplained'
middle(x) = strlen(strcol('us')) && column('upto') - column('before') > 4 ? 0.5 * \
    (column('before') + column('upto')) : nowhere
plot data using (is_rest(0) || !strlen(strcol('us')) ? NaN : column('upto')):(column('at')): \
         (column('before')):(column('upto')):(column('at') - 0.38):(column('at') + 0.38): \
         (group_colour(strcol('area'))) with boxxyerror linecolor rgb variable notitle, \
     data using (is_rest(0) && column('upto') - column('before') > 0.3 ? column('upto') : NaN): \
         (column('at')):(column('before')): \
         (column('upto')):(column('at') - 0.37):(column('at') + 0.37) with boxxyerror fillcolor \
         rgb 0xffffff fillstyle solid border linecolor rgb grey notitle, \
     data using (is_rest(0) ? nowhere : middle(0)):(column('at')):(strcol('part_text')): \
         (on(group_colour(strcol('area')))) with labels center font font.',15' textcolor rgb \
         variable notitle, \
     data using (column('part') == 1 && strlen(strcol('total')) ? 100 : nowhere):(column('at')): \
         (strcol('time_text')) with labels left offset 0.8, 0 font font.','.text textcolor rgb ink \
         notitle, \
     data using (column('part') == 1 && !strlen(strcol('total')) ? 1e-4 : nowhere):(column('at')): \
         (strcol('word')) with labels left offset 0.8, 0 font font.','.text textcolor rgb grey \
         notitle, \
     @names
