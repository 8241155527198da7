#: title   :headline
#: caption Each rung over the one that it improves on: the rung above, unless an arrow names
#:            another. The axis is logarithmic, so that a step that halves the speed is as long as
#:            one that doubles it. Short black lines are 95 % intervals; grey: the interval reaches
#:            over 1, or the change is smaller than the noise between repeated measurements.
#:            Combinations of ideas have a picture of their own.
#: each    SELECT family, size, count(*) AS rungs, max(max(coalesce(speedup_prev_high,
#:              speedup_prev)), 1) AS most, min(min(coalesce(speedup_prev_low, speedup_prev)), 1) AS
#:              least,
#:            CASE sum(direction = 1) WHEN 0 THEN 'No step gains: ' || sum(direction = -1) || ' of '
#:              || count(*) || ' lose' ELSE (SELECT b.title || ' gains most, ' ||
#:              ratio_text(b.speedup_prev) FROM chart_step b WHERE b.family = s.family AND
#:              b.size = s.size AND b.direction = 1 ORDER BY b.speedup_prev DESC LIMIT 1) || '; '
#:              || CASE WHEN sum(direction = 1) = count(*) THEN 'all ' || count(*) || ' steps gain'
#:              ELSE sum(direction = 1) || ' of ' || count(*) || ' steps gain' || CASE sum(direction
#:              = 1) WHEN 1 THEN 's' ELSE '' END || CASE sum(direction = -1) WHEN 0 THEN
#:              ', none loses' WHEN 1 THEN ', 1 loses' ELSE ', ' || sum(direction = -1) || ' lose'
#:              END END END AS headline,
#:            'Speed-up of each step. ' || subject AS message
#:            FROM chart_step s WHERE family NOT IN (SELECT family FROM variants WHERE factors <>
#:              '') GROUP BY family, size HAVING count(*) > 2 AND sum(direction <> 0) > 0 ORDER BY
#:              family, size
#: data    SELECT at, speedup_prev AS value, coalesce(speedup_prev_low, speedup_prev) AS low,
#:              coalesce(speedup_prev_high, speedup_prev) AS high, direction, label || CASE is_next
#:              WHEN 1 THEN '' ELSE ' ← ' || after_rung END AS label, ratio_text(speedup_prev) AS
#:              value_text, '-' AS word FROM chart_step WHERE family = :family AND size = :size
#:              ORDER BY at

eval table(1, rungs)
set logscale x
reach = (most / least)**0.14
left_end = least / reach
start = left_end
set xrange [left_end:most * reach]
eval fine_tics('x', left_end, most * reach)
set xlabel 'Speed-up over the rung before (logarithmic)'
eval swatch(1, 0, 24, faster, 'faster') . swatch(2, 0, 124, slower, 'slower') \
    . swatch(3, 0, 224, reference, 'within the noise')
set border 0
set arrow 1 from 1, graph 0 to 1, graph 1 nohead linewidth 1.5 linecolor rgb ink front
verdict(x) = column('direction') > 0 ? faster : column('direction') < 0 ? slower \
    : reference
gains(x) = column('value') >= 1
plot data using (number('value')):(column('at')):(1):(number('value')):(column('at') - \
         0.36):(column('at') + 0.36):(verdict(0)) with boxxyerror linecolor rgb variable notitle, \
     @intervals, @names, \
     data using (gains(0) ? column('high') : nowhere):(column('at')):(strcol('value_text')) \
         with labels left offset 0.8, 0 font font.','.text textcolor rgb ink notitle, \
     data using (gains(0) ? nowhere : column('low')):(column('at')):(strcol('value_text')) \
         with labels right offset -0.8, 0 font font.','.text textcolor rgb ink notitle
