#: title   :headline
#: caption Our time over the library's at each size, with the 95 % interval: below the line at 1 the
#:            rung is faster (blue), above it the library (red). Grey: as fast within the noise.
#:            The grey bar around 1 is the noise: how much the rung's time, or the library's,
#:            differs between two processes. At each size the fastest rung and the fastest library
#:              call count.
#:            Shapes of several dimensions that are no grid stand by the product of their sides.
#: each    SELECT f.family, f.headline, f.worst, f.is_line, CASE WHEN f.is_line THEN 'n' WHEN
#:              max(s.k) IS NULL THEN 'M × N' ELSE 'M × N × K' END AS axis, min(s.ratio) AS best,
#:              min(s.side) AS least_n, max(s.side) AS most_n,
#:              'Our time over that of ' || f.theirs || '; grey: within the noise (bar at 1). ' ||
#:              f.title || ', ' || f.ours AS message
#:            FROM map_family f JOIN map_worst s USING (family) WHERE f.family NOT IN (SELECT family
#:              FROM map_grid) GROUP BY f.family ORDER BY f.family
#: data    SELECT w.side AS n, w.ratio, w.low, w.high, w.level, w.place = 1 AND w.level < 0 AS
#:              is_worst, 1 + r.known_floor_pct / 100 AS noise, ratio_text(w.ratio) AS value_text
#:              FROM map_worst w LEFT JOIN library_ratios r USING (family, variant, size) WHERE
#:              w.family = :family ORDER BY w.side

bottom = 92 + foot
eval canvas(0)
set lmargin at screen 130 / width
set logscale xy
set logscale x 2
least = least_of(0.95, best + 0)
most = worst > 1.05 ? worst + 0 : 1.05
low = least / (most / least)**0.15
high = most * (most / least)**0.15
set yrange [low:high]
set xrange [least_n / 1.5:most_n * 1.5]
unset xtics
first = floor(log(least_n) / log(2) + 0.001)
last = ceil(log(most_n) / log(2) - 0.001)
set xtics (binary(2.0**first) 2.0**first) nomirror scale 0 font font.',20' textcolor rgb ink
do for [i = first + 1:last] { if ((i - first) % ((last - first) / 11 + 1) == 0) { set xtics add \
    (binary(2.0**i) 2.0**i) } }
step = tics(high - low)
eval fine_tics('y', low, high)
if (high < 5 * low) { set ytics (1); do for [k = ceil(low / step):floor(high / step)] { set ytics \
    add (sprintf('%g', k * step) k * step) } }
set ytics font font.',20'
set format y '%g'
set border 3
set grid ytics back linetype 1 linecolor rgb faint linewidth 0.7
set xlabel axis font font.',20'
set ylabel 'Our time / time of the library' font font.',20' offset -2, 0
set label 5 'the library is faster' at graph 0.995, 0.955 right font font.',20' textcolor rgb slower
set label 6 'ours is faster' at graph 0.995, 0.045 right font font.',20' textcolor rgb faster
shade(i) = i > 0 ? faster : i < 0 ? slower : grey
plot data using (column('n')):(1 / number('noise')):(0):(number('noise') - 1 / number('noise')) \
         with vectors nohead linewidth 10 linecolor rgb faint notitle, \
     1 with lines linewidth 2.2 linecolor rgb ink notitle, \
     data using (is_line + 0 ? column('n') : NaN):(column('ratio')) with lines \
    linewidth 1.2 linecolor rgb reference \
         notitle, \
     data using (column('n')):(number('ratio')):(strlen(strcol('low')) ? column('low') : \
         column('ratio')):(strlen(strcol('high')) ? column('high') : column('ratio')): \
         (shade(column('level'))) with yerrorbars pointtype 7 pointsize 1.3 * dots linewidth 2 \
         linecolor rgb variable notitle, \
     data using (column('is_worst') > 0 ? column('n') : nowhere): \
         (strlen(strcol('high')) ? column('high') : column('ratio')): \
         (strcol('value_text')) with labels center offset 0, 0.8 font font.',22' textcolor rgb \
         slower notitle
