#: title   Time of each rung over the size: :family_words
#: caption Clean time, cold L2 cache; a swept rung is shown in its best setting. Both axes are
#:            logarithmic: a line that rises as steeply as the dashed one takes time in proportion
#:            to the problem, a flat one takes the time of its launches. Where two lines cross,
#:            another rung becomes the faster one. Grey: the library.
#: each    WITH timed AS (SELECT m.family, m.size, m.time_ns / 1e3 AS time, v.rung, v.kind, CASE
#:              f.rate WHEN 'operations' THEN p.useful_operations ELSE p.useful_bytes END AS extent,
#:              CAST(CAST(m.size AS INTEGER) AS TEXT) AS edge, row_number() OVER (PARTITION BY
#:              m.family, m.size ORDER BY v.kind <> 'kernel', m.time_ns) AS place
#:              FROM metrics m JOIN variants v USING (family, variant)
#:              JOIN points p USING (family, variant, size, block, sweep)
#:              LEFT JOIN families f USING (family)
#:              WHERE m.best = 1 AND v.kind <> 'cpu' AND m.time_ns IS NOT NULL),
#:            named AS (SELECT *, size = edge || 'x' || edge || 'x' || edge AS is_cube FROM timed),
#:            sizes AS (SELECT family, size, is_cube, max(extent) AS extent, max(CASE WHEN place = 1
#:              THEN rung END) AS fastest, max(CASE WHEN place = 1 THEN time END) AS fast, max(time)
#:              AS slow, replace(size_text(CASE WHEN is_cube THEN edge ELSE size END), ' x ', '×')
#:              AS words, row_number() OVER (PARTITION BY family ORDER BY max(extent), size) AS
#:              place, count(*) OVER (PARTITION BY family) AS places FROM named GROUP BY family,
#:              size),
#:            leads AS (SELECT *, lag(fastest) OVER (PARTITION BY family ORDER BY place) AS before
#:              FROM sizes),
#:            ends AS (SELECT family, places, max(extent) / min(extent) AS growth, max(CASE WHEN
#:              place = places THEN fast END) / max(CASE WHEN place = 1 THEN fast END) AS
#:              fast_growth, max(CASE WHEN place = places THEN fast END) AS least_last, max(CASE
#:              WHEN place = places THEN slow END) AS most_last, count(DISTINCT fastest) AS winners,
#:              max(fastest) AS winner, min(is_cube) AS is_cube, group_concat(words, ' ') AS sizes,
#:              group_concat(extent, ' ') AS extents FROM (SELECT * FROM sizes ORDER BY place)
#:              GROUP BY family)
#:            SELECT m.family AS family, replace(m.family, '_', ' ') AS family_words,
#:              count(DISTINCT m.variant) AS rungs, (SELECT min(t.extent) FROM timed t WHERE
#:              t.family = m.family) AS smallest, (SELECT max(t.extent) FROM timed t WHERE t.family
#:              = m.family) AS largest, min(m.time_ns) / 1e3 AS least, max(m.time_ns) / 1e3 AS most,
#:              e.least_last AS least_last, e.most_last AS most_last, e.sizes AS sizes, e.extents AS
#:              extents, CASE WHEN e.is_cube THEN ', M = N = K' ELSE '' END AS axis,
#:            CASE WHEN e.winners = 1 THEN 'Rung ' || e.winner ||
#:              ' takes the least time at every size' ELSE 'Least time: ' || (SELECT
#:              group_concat('rung ' || fastest || ' from ' || words, ', ') FROM (SELECT * FROM
#:              leads l WHERE l.family = m.family AND l.fastest IS NOT l.before ORDER BY l.place))
#:              END || '. The largest problem is ' || human(e.growth) ||
#:              '× the smallest, its least time ' || human(e.fast_growth) || '× as long' AS message
#:            FROM metrics m JOIN variants v USING (family, variant) JOIN ends e USING (family)
#:            WHERE m.best = 1 AND v.kind <> 'cpu' AND m.time_ns IS NOT NULL AND e.places >= 3
#:            GROUP BY m.family ORDER BY m.family
#: data    WITH timed AS (SELECT m.variant, m.time_ns / 1e3 AS time, v.title, CASE v.kind WHEN
#:              'library' THEN 0 ELSE v.rung END AS rung, v.rung AS number, CASE f.rate WHEN
#:              'operations' THEN p.useful_operations ELSE p.useful_bytes END AS extent
#:              FROM metrics m JOIN variants v USING (family, variant)
#:              JOIN points p USING (family, variant, size, block, sweep)
#:              LEFT JOIN families f USING (family)
#:              WHERE m.family = :family AND m.best = 1 AND v.kind <> 'cpu' AND m.time_ns IS NOT
#:              NULL),
#:            last AS (SELECT variant, max(extent) AS extent FROM timed GROUP BY variant),
#:            tips AS (SELECT t.variant, t.extent, row_number() OVER (ORDER BY t.time DESC,
#:              t.variant) - 1 AS tip FROM timed t JOIN last l USING (variant, extent))
#:            SELECT dense_rank() OVER (ORDER BY t.number, t.variant) AS line, t.rung, t.extent,
#:              t.time, s.tip, replace(t.number || ' ' || t.title, ',', char(8218)) AS label
#:            FROM timed t LEFT JOIN tips s USING (variant, extent)
#:            ORDER BY t.number, t.variant, t.extent

top = top - 8
line_height = 19.0
high = rungs * line_height > 340 ? rungs * line_height : 340
eval canvas(top + high + 60)
eval between(top, top + high)
set lmargin at screen 74.0 / width
smallest = smallest + 0
largest = largest + 0
beyond = (largest / smallest)**0.06    # from the last point to the names
room = (largest / smallest)**0.75
set logscale xy
set xrange [smallest / beyond:largest * room]
low = least / 1.4
high_end = most * 1.4
set yrange [low:high_end]
set border 3
unset grid
set grid ytics back linetype 1 linecolor rgb faint linewidth 0.7
set ytics nomirror scale 0 font font.',13' textcolor rgb grey
set ytics (power(0) 1)
do for [i = -1:9] { set ytics add ((i < 0 ? '0.1' : power(i)) 10**i) }
set xtics (raise(word(sizes, 1)) word(extents, 1) + 0)
do for [i = 2:words(sizes)] { set xtics add (raise(word(sizes, i)) word(extents, i) + 0) }
set ylabel 'Time, µs' font font.',14' textcolor rgb ink offset 1, 0
set xlabel 'Size'.axis
unset key
# In proportion to the problem, through the highest point of the largest size.
steep(x) = x > largest ? NaN : most_last * x / largest
# The names stand below each other, as near to the last points as the picture allows. Heights are
# parts of the axis, from its top.
depth(time) = log(high_end / time) / log(high_end / low)
band = rungs * line_height / high
centred = depth(sqrt(least_last * most_last)) - band / 2
first_name = centred < 0 ? 0 : centred > 1 - band ? 1 - band : centred
name_at(i) = high_end * (low / high_end)**(first_name + (column('tip') + 0.5) * line_height / high)
plot steep(x) with lines dashtype 2 linewidth 1.2 linecolor rgb neutral notitle, \
     for [i = 1:rungs] data using (column('line') == i ? number('extent') : \
         NaN):(number('time')):(colour(column('rung'))) \
         with linespoints linewidth 1.8 pointtype 7 pointsize 0.5 linecolor rgb variable notitle, \
     data using (strlen(strcol('tip')) ? number('extent') * beyond**0.3 : \
         NaN):(number('time')):(number('extent') * (beyond - beyond**0.3)):(strlen(strcol('tip')) \
         ? name_at(0) - number('time') : 0):(colour(column('rung'))) \
         with vectors nohead linewidth 0.8 linecolor rgb variable notitle, \
     data using (strlen(strcol('tip')) ? number('extent') * beyond * 1.08 : \
         nowhere):(strlen(strcol('tip')) ? name_at(0) : 1):(cut(strcol('label'), 27)) \
         with labels left font font.',13' textcolor rgb ink notitle
