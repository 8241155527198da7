#: title   Where data are stored, :size_words
#: caption The same work on an array of the given number of words per thread; the axis is
#:            logarithmic. Registers or shared memory taken by an array reduce the number of threads
#:            that fit on the SM. Spills are registers that the compiler had to move to local
#:            memory: the number is their bytes per thread, if a shorter array needs none.
#: each    SELECT p.family AS family, p.size AS size, CASE WHEN p.size LIKE '%x%' THEN '' ELSE
#:              'n = ' END || size_text(p.size) AS size_words,
#:            count(DISTINCT p.variant) AS swept, (SELECT group_concat(sweep, ' ') FROM (SELECT
#:              DISTINCT q.sweep FROM points q JOIN variants y USING (family, variant) WHERE
#:              q.family = p.family AND q.size = p.size AND y.sweep_name = 'words' ORDER BY
#:              q.sweep)) AS settings,
#:            min(m.time_ns) / 1e3 AS fast, max(m.time_ns) / 1e3 AS slow, max(m.registers) AS
#:              registers, count(m.registers) AS compiled,
#:            count(m.achieved_occupancy_pct) AS counted,
#:            (WITH timed AS (SELECT w.*, x.rung, x.title, row_number() OVER (PARTITION BY w.sweep
#:              ORDER BY w.time_ns) AS place FROM metrics w JOIN variants x USING (family, variant)
#:              WHERE w.family = p.family AND w.size = p.size AND x.sweep_name = 'words' AND
#:              w.time_ns IS NOT NULL),
#:            beside AS (SELECT a.*, b.time_ns / a.time_ns AS lead FROM timed a LEFT JOIN timed b ON
#:              b.sweep = a.sweep AND b.place = 2 WHERE a.place = 1)
#:            SELECT CASE count(DISTINCT variant) WHEN 1 THEN rung || ' ' || title || CASE WHEN
#:              count(lead) = 0 THEN '' WHEN round(min(lead), 1) = round(max(lead), 1) THEN
#:              ' is the fastest at every length, by ' || round(min(lead), 1) || '×' ELSE
#:              ' is the fastest at every length, by ' || round(min(lead), 1) || '× to ' ||
#:              round(max(lead), 1) || '×' END || coalesce('; its occupancy falls from ' ||
#:              CAST(round(max(achieved_occupancy_pct)) AS INTEGER) || ' to ' ||
#:              CAST(round(min(achieved_occupancy_pct)) AS INTEGER) || ' %', '') ELSE (SELECT
#:              group_concat(words, '; ') FROM (SELECT 'fastest at ' || group_concat(sweep, ', ') ||
#:              ' words: ' || rung || ' ' || title AS words FROM (SELECT * FROM beside ORDER BY
#:              sweep) GROUP BY variant ORDER BY rung)) END FROM beside) AS message
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m USING (family, variant, size, block, sweep)
#:            WHERE v.sweep_name = 'words' AND p.sweep > 0 GROUP BY p.family, p.size HAVING
#:              count(m.time_ns) > 0
#:            ORDER BY p.family, CAST(p.size AS INTEGER), p.size
#: data    WITH rung AS (SELECT v.*, row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at FROM
#:              variants v WHERE v.family = :family AND v.sweep_name = 'words' AND EXISTS (SELECT 1
#:              FROM points p WHERE p.family = v.family AND p.variant = v.variant AND p.size = :size
#:              AND p.sweep > 0))
#:            SELECT r.at, r.rung, replace(r.rung || ' ' || r.title, ',', char(8218)) AS label,
#:              p.sweep, m.time_ns / 1e3 AS time, m.registers, m.achieved_occupancy_pct AS
#:              occupancy, CASE WHEN m.local_bytes > 0 AND EXISTS (SELECT 1 FROM metrics o WHERE
#:              o.family = :family AND o.size = :size AND o.variant = m.variant AND o.local_bytes =
#:              0) THEN CAST(m.local_bytes AS INTEGER) || ' bytes spilled' ELSE '' END AS spilled,
#:              CASE p.status WHEN 'ok' THEN '-' ELSE p.status END AS word
#:            FROM points p JOIN rung r USING (variant) LEFT JOIN metrics m ON m.family = p.family
#:              AND m.variant = p.variant AND m.size = p.size AND m.block = p.block AND m.sweep =
#:              p.sweep WHERE p.family = :family AND p.size = :size AND p.sweep > 0 ORDER BY r.at, p.sweep

swept = swept + 0
line = 19
head = top - 30   # where the names of the rungs begin
top = head + swept * line + 30
upper = 240
gap = 50
lower = 130
eval canvas(top + upper + 2 * gap + 2 * lower + 52)
head = head + shift
first = word(settings, 1) + 0
last = word(settings, words(settings)) + 0
set multiplot
eval between(top, top + upper)
set lmargin at screen 84.0 / width
low = fast / 1.7
set xrange [first / (first == last ? 2.5 : 1.3):last * (first == last ? 2.5 : 1.3)]
set yrange [low:slow * 1.7]
set logscale y
set logscale x 2
step = words(settings) > 20 ? 2 : 1
set xtics (word(settings, 1) first)
do for [i = 1 + step:words(settings):step] { set xtics add (word(settings, i) word(settings, \
    i) + 0) }
set border 3
set grid xtics ytics back linetype 1 linecolor rgb faint linewidth 0.7
set ytics nomirror scale 0 font font.',13' textcolor rgb grey
set ytics ('1' 1)
do for [i = 0:7] { set ytics add (sprintf('%d', 2 * 10**i) 2 * 10**i, sprintf('%d', \
    5 * 10**i) 5 * 10**i, sprintf('%d', 10**(i + 1)) 10**(i + 1)) }
heading = "set label 3 '%s' at screen 14.0 / width, graph 1 left offset character 0, 0.9 font " \
    ."font.',14' textcolor rgb ink"
eval sprintf(heading, 'Time, µs (logarithmic)')
mine(i) = column('at') == i ? column('sweep') : NaN
hue(i) = colour(column('rung'))
lines(name) = sprintf("for [i = 0:swept - 1] data using (mine(i)):(number('%s')):(hue(0)) with " \
    ."linespoints linewidth 2.4 pointtype 7 pointsize 0.7 linecolor rgb variable notitle", name)
time = lines('time')
plot @time, \
     data using (column('sweep')):(strlen(strcol('time')) ? nowhere : 1.2 * low):(strcol('word')) \
         with labels center font font.',13' textcolor rgb grey notitle
eval between(top + upper + gap, top + upper + gap + lower)
unset label
unset logscale y
eval sprintf(heading, 'Achieved occupancy, % of the warps that an SM can hold')
if (counted + 0 == 0) { set label 4 'not measured' at graph 0.5, \
    graph 0.5 center font font.',14' textcolor rgb grey }
set yrange [0:105]
set ytics 0, 50, 100
occupancy = lines('occupancy')
plot @occupancy
eval between(top + upper + 2 * gap + lower, top + upper + 2 * gap + 2 * lower)
unset label
eval sprintf(heading, 'Registers per thread')
if (compiled + 0 == 0) { set label 4 'not known' at graph 0.5, \
    graph 0.5 center font font.',14' textcolor rgb grey }
set yrange [0:(registers eq '' || registers < 255 ? 255 : registers) * 1.25]
set ytics 0, 64, 256
set xlabel 'words in the array of a thread'
used = lines('registers')
spilled(i) = strlen(strcol('spilled'))
plot @used, \
     data using (column('sweep')):(spilled(0) ? number('registers') : nowhere) \
         with points pointtype 2 pointsize 1.4 linewidth 2.4 linecolor rgb 0xa83e00 notitle, \
     data using (column('sweep')):(spilled(0) ? number('registers') : nowhere):(strcol('spilled')) \
         with labels right offset 0.6, 1.1 font font.',13' textcolor rgb 0xa83e00 notitle
eval between(head, head + swept * line)
set lmargin at screen 0
set rmargin at screen 1
unset logscale
unset grid
unset label
unset xlabel
unset xtics
unset ytics
set border 0
set xrange [0:width]
set yrange [swept - 0.5:-0.5]
plot data using (22):(column('sweep') == first ? column('at') : nowhere):(hue(0)) \
    with points pointtype 5 pointsize 0.9 linecolor rgb variable notitle, \
     data using (34):(column('sweep') == first ? column('at') : nowhere):(strcol('label')) \
         with labels left font font.',13' textcolor rgb ink notitle
unset multiplot
