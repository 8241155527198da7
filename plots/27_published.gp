#: title   :headline
#: caption How the speed-up over the first rung builds up: by the times that its source prints for
#:            its own device, and as measured here at the same size; logarithmic, so that parallel
#:            lines mean the same gain in a step.
#: each    WITH pair AS (SELECT * FROM published_steps WHERE published_speedup_first > 0 AND
#:              measured_speedup_first > 0)
#:            SELECT family, size, row_number() OVER (PARTITION BY family, size ORDER BY source,
#:              device) || '' AS part, source, device, count(*) AS rungs, min(min(
#:              published_speedup_first, measured_speedup_first)) AS least, max(max(
#:              published_speedup_first, measured_speedup_first)) AS most, (SELECT value FROM run
#:              WHERE key = 'device_name') AS here,
#:            'The published steps gain up to ' || ratio_text(max(published_speedup_first)) ||
#:              ' on ' || device || ' and up to ' || ratio_text(max(measured_speedup_first)) ||
#:              ' here' || coalesce(at_size, '') AS headline,
#:            'Speed-up over the first rung, published by ' || source || ', and measured. ' ||
#:              coalesce((SELECT title FROM families f WHERE f.family = pair.family), family) ||
#:              iif(at_size IS NULL, ', ' || size_text(size), '') AS message
#:            FROM pair LEFT JOIN chart_other USING (family, size) GROUP BY family, size, source,
#:              device HAVING count(*) > 2 ORDER BY family, size
#: data    SELECT row_number() OVER (ORDER BY v.rung) - 1 AS at, p.published_speedup_first AS
#:              published, p.measured_speedup_first AS here, replace(v.rung || ' ' || v.title, ',',
#:              char(8218)) AS label, ratio_text(p.published_speedup_first) AS
#:              published_text, CASE p.measured_speedup_first WHEN 1 THEN '1×' ELSE
#:              ratio_text(p.measured_speedup_first) END AS here_text FROM
#:              published_steps p JOIN variants v USING (family, variant) WHERE p.family = :family
#:              AND p.size = :size AND p.source = :source AND p.device = :device AND
#:              p.published_speedup_first > 0 AND p.measured_speedup_first > 0 ORDER BY v.rung

eval canvas(1)
set lmargin at screen 100 / width
set bmargin at screen (118 + foot) / height
set logscale y
set xrange [-0.5:rungs - 0.5]
set yrange [least / 1.6:most * 2]
set border 3
set grid ytics back linetype 1 linecolor rgb faint linewidth 0.7
eval fine_tics('y', least + 0, most + 0)
set ylabel 'Speed-up over the first rung' offset -1, 0
unset xtics
floor_y = least / 1.6
# The first rung has one number, 1, in both curves.
is_first(x) = column('published') == 1 && column('here') == 1
above(x) = column('here') >= column('published') ? 1 : -1
plot data using (column('at')):(column('published')) with linespoints linewidth 2.4 pointtype 7 \
         pointsize dots linecolor rgb reference title 'published: '.device, \
     data using (column('at')):(column('here')) with linespoints linewidth 2.8 pointtype 7 \
         pointsize dots linecolor rgb measured title 'here: '.here, \
     for [side in '1 -1'] data using (above(0) == side ? column('at') : nowhere):(column('here')): \
         (strcol('here_text')) with labels center offset 0, 0.9 * side font font.',16' textcolor \
         rgb ink notitle, \
     for [side in '1 -1'] data using (above(0) == side && !is_first(0) ? column('at') : nowhere): \
         (column('published')):(strcol('published_text')) with labels center \
         offset side > 0 ? 2 : 0, -0.9 * side font font.',15' textcolor rgb grey notitle, \
     data using (column('at')):(floor_y):(fold(strcol('label'), int(1100.0 / rungs / 8.0), 3)) \
         with labels center offset 0, -2.2 font font.',15' textcolor rgb ink notitle
