#: title   :headline
#: caption Our time over the library's at each size, with the 95 % interval: below the line at 1 the
#:            rung is faster (blue), above it the library (red); grey: the interval includes 1. At
#:            each size the fastest rung and the fastest library call count.
#: each    SELECT f.family, f.headline, f.worst, (SELECT min(ratio) FROM mapped m WHERE m.family =
#:              f.family) AS best, (SELECT min(n) FROM mapped m WHERE m.family = f.family) AS
#:              least_n, (SELECT max(n) FROM mapped m WHERE m.family = f.family) AS most_n,
#:              'Our time over that of ' || f.theirs || '. ' || f.title || ', ' || f.ours AS message
#:            FROM map_family f WHERE f.is_line = 1 ORDER BY f.family
#: data    SELECT m.n, m.ratio, m.low, m.high, m.level, w.place = 1 AND m.level < 0 AS is_worst,
#:              m.words || '×' AS value_text FROM mapped m JOIN map_worst w USING (family, size)
#:              WHERE m.family = :family ORDER BY m.n

bottom = 92
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
eval fine_tics('y', low, high)
set ytics font font.',20'
set format y '%g'
set border 3
set grid ytics back linetype 1 linecolor rgb faint linewidth 0.7
set xlabel 'n' font font.',20'
set ylabel 'Our time / time of the library' font font.',20' offset -2, 0
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linewidth 2.2 linecolor rgb ink back
set label 5 'the library is faster' at graph 0.995, 0.955 right font font.',20' textcolor rgb slower
set label 6 'ours is faster' at graph 0.995, 0.045 right font font.',20' textcolor rgb faster
shade(i) = i > 0 ? faster : i < 0 ? slower : grey
plot data using (column('n')):(column('ratio')) with lines linewidth 1.2 linecolor rgb reference \
         notitle, \
     data using (column('n')):(number('ratio')):(strlen(strcol('low')) ? column('low') : \
         column('ratio')):(strlen(strcol('high')) ? column('high') : column('ratio')): \
         (shade(column('level'))) with yerrorbars pointtype 7 pointsize 1.3 * dots linewidth 2 \
         linecolor rgb variable notitle, \
     data using (column('is_worst') > 0 ? column('n') : nowhere):(column('ratio')): \
         (strcol('value_text')) with labels center offset 0, 1.2 font font.',22' textcolor rgb \
         slower notitle
