#: title   :headline
#: caption One of the two steps of the ladder that change most, up or down, of those with a
#:            significant cause. From the time before, at the top, to the time after, at the bottom.
#:            Each bar is the time that a cause saves (−, to the left) or costs (+, to the right)
#:            alone, in the order of the report and the colour of its group. Pale: not significant.
#:            Measured: by knock-outs; all others are inferred from counters. Thin line with ends:
#:            the 95 % interval.
#: each    SELECT s.family, s.size, s.variant AS part, s.label AS now, s.after_label AS was,
#:              s.before_ns, s.time_ns AS after_ns, CASE WHEN max(s.before_ns, s.time_ns) >=
#:              9999500 THEN 1e6 WHEN max(s.before_ns, s.time_ns) >= 9999.5 THEN 1e3 ELSE 1 END AS
#:              per, CASE WHEN max(s.before_ns, s.time_ns) >= 9999500 THEN 'ms' WHEN max(
#:              s.before_ns, s.time_ns) >= 9999.5 THEN 'µs' ELSE 'ns' END AS unit,
#:            replace(replace(rtrim(s.sentence, '.'), ' -', ' −'), '(-', '(−') AS headline,
#:            (SELECT group_concat(title, '|') FROM (SELECT title FROM area ORDER BY place)) AS
#:              areas,
#:            replace(s.label, char(8218), ',') || ' over ' || replace(s.after_label, char(8218),
#:              ',') || '. ' || s.subject AS message
#:            FROM (SELECT *, row_number() OVER (PARTITION BY family, size ORDER BY abs(ln(
#:              speedup_prev)) DESC) AS place FROM chart_step s WHERE direction <> 0 AND EXISTS (
#:              SELECT 1 FROM said c WHERE c.family = s.family AND c.variant = s.variant AND c.size
#:              =
#:              s.size AND c.place > 0 AND c.direction <> 0)) s WHERE s.place <= 2
#:              GROUP BY s.family, s.size, s.variant ORDER BY s.family, s.size, s.rung
#: data    WITH unit AS (SELECT 0.0 + :per AS ns, max(0.0 + :before_ns, 0.0 + :after_ns) AS most),
#:            running AS (SELECT place, title || iif(direction <> 0, coalesce(' (' || note || ')',
#:              ''), '') AS label, substr('+−', (saved_ns > 0) + 1, 1) || part_among(abs(saved_ns),
#:              min(max(largest, 9.9995 * :per), most)) AS moved, saved_ns / ns AS saved, (high_ns -
#:              low_ns) / 2 / ns AS half,
#:              share_pct, area, direction, (:before_ns - sum(saved_ns) OVER (ORDER BY place)) / ns AS
#:              upto FROM (SELECT *, max(abs(saved_ns)) OVER () AS largest FROM said WHERE family =
#:              :family AND variant = :part AND size = :size AND place > 0 AND NOT is_small), unit),
#:            bar AS (SELECT 0 AS place, :was AS label, 0 AS low, :before_ns / ns AS high,
#:              NULL AS moved, NULL AS half, NULL AS share_pct, 'full' AS kind, 1 AS direction
#:              FROM unit UNION ALL SELECT place, label, upto + saved, upto, moved, half,
#:              share_pct, coalesce(area, 'several'), direction FROM running UNION ALL
#:              SELECT 1000, :now, 0, :after_ns / ns, NULL, NULL, NULL, 'full', 1 FROM unit)
#:            SELECT row_number() OVER (ORDER BY place) - 1 AS at,
#:              replace(label, ',', char(8218)) AS label, kind, low AS before, high AS value,
#:            high - half AS low, high + half AS high,
#:            CASE WHEN kind = 'full' THEN time_among(:per * high, (SELECT most FROM unit)) ELSE moved
#:              END AS value_text,
#:            CASE WHEN kind = 'full' THEN '' ELSE replace(CAST(round(share_pct) AS INTEGER) ||
#:              ' %', '-', '−') END AS share_text,
#:              direction
#:            FROM bar ORDER BY at

# The number of rows, and the range that the causes span.
set yrange [*:*]
stats data using (column('value')) name 'drawn' nooutput
stats data using (strcol('kind') eq 'full' ? column('value') : strlen(strcol('low')) \
    ? (column('low') < column('before') ? column('low') : column('before')) \
    : column('value')) name 'lowest' nooutput
stats data using (strcol('kind') eq 'full' ? column('value') : strlen(strcol('high')) \
    ? (column('high') > column('before') ? column('high') : column('before')) \
    : column('value')) name 'highest' nooutput
stats data using (abs(column('direction'))) name 'surest' nooutput
stats data using (strlen(strcol('low')) ? column('high') - column('low') : 0) name 'interval' \
    nooutput
stats data using (strcol('kind') eq 'several' && column('direction') != 0 ? 1 : 0) name 'grouped' \
    nooutput
rungs = int(drawn_records)
span = highest_max - lowest_min
# If the change is small compared with the times, the axis is broken: it begins near them.
broken = span < 0.35 * highest_max
from = broken ? lowest_min - 0.3 * span : lowest_min < 0 ? lowest_min : 0
right = highest_max + 0.04 * span
tint_of(kind) = kind eq 'full' ? measured : area_place(kind) ? group_colour(kind) : reference
tint(kind, direction) = direction == 0 ? light(tint_of(kind)) : tint_of(kind)
label_width = 370.0
right_margin = 230      # pixels for the numbers at the right
headroom = 24
eval table(2, rungs)
# The numbers stand on the axis too, beyond its shown part: one pixel is `scale` of them.
scale = (right - from) / (width - label_width - right_margin)
has_interval = interval_max > 3 * scale     # of a length that is seen
end = from + scale * (width - label_width)
pixel(x) = end - scale * x
step = tics(1.5 * (right - from))
set rmargin at screen 1
set xrange [from:end]
set xtics ceil(from / step) * step, step, right
unset xlabel
set label 4 'Time, '.unit.(broken ? ' (the axis begins at '.gprintf('%.4g', from).')' \
    : '') at first (from + right) / 2, graph 0 \
    center offset character 0, (terminal eq 'svg' ? -1.9 : -2.6) font font.',16' textcolor rgb ink
# The legend, and the headings of the numbers at the right.
do for [i = 1:7] { eval swatch(i, 0, word('24 168 302 560 712 872 1092', i), \
    int(word(area_colours, i)), part(areas, i)) }
set label 20 '− saved, + lost' at screen 24 / width, screen screen_y(legend_top + 40) left \
    font font.',16' textcolor rgb ink
if (surest_min == 0) { eval swatch(8, 1, 168, light(group_colour('instructions')), 'pale: not significant') }
legend_x = surest_min == 0 ? 390 : 168
if (grouped_max > 0) {
    eval swatch(9, 1, legend_x, reference, 'SM clock, or several groups')
    legend_x = legend_x + 270
}
if (has_interval) {
    set arrow 20 from screen legend_x / width, screen screen_y(legend_top + 40) to \
        screen (legend_x + 40) / width, screen screen_y(legend_top + 40) heads \
        size screen 5 / width, 90 linewidth 1.3 linecolor rgb ink
    set label 23 '95 % interval of what the cause saves or costs' at screen (legend_x + 50) / width, \
        screen screen_y(legend_top + 40) left font font.',16' textcolor rgb ink
}
set label 21 'change' at first pixel(120), graph 1 right offset character 0, 0.7 font font.',15' \
    textcolor rgb grey
set label 22 'share' at first pixel(24), graph 1 right offset character 0, 0.7 font font.',15' \
    textcolor rgb grey
kind(x) = strcol('kind') eq x
start(x) = kind('full') ? from : column('before')
is_long(x) = column('value') - from > 110 * scale     # room for its text
shown(x) = tint(strcol('kind'), column('direction'))
# A white stroke through both full bars if the axis is broken.
do for [i = 0:1] {
    if (broken) { set arrow 10 + i from first from + 9 * scale, \
        first i * (rungs - 1) + 0.42 to first from + 15 * scale, \
        first i * (rungs - 1) - 0.42 nohead linewidth 4 linecolor rgb 'white' front }
}
plot data using (kind('unexplained') ? NaN : \
    column('value')):(column('at')):(start(0)):(column('value')):(column('at') - \
    0.34):(column('at') + 0.34):(shown(0)) \
         with boxxyerror linecolor rgb variable notitle, \
     data using (kind('unexplained') ? column('value') : \
         NaN):(column('at')):(start(0)):(column('value')):(column('at') - 0.33):(column('at') + \
         0.33) \
         with boxxyerror fillcolor rgb 0xffffff fillstyle solid border linecolor rgb grey notitle, \
     data using (column('at') < rungs - 1 ? column('value') \
         : NaN):(column('at') + 0.34):(0):(0.32) with vectors nohead linewidth 0.8 linecolor rgb \
         grey notitle, \
     data using (number('high') - number('low') > 3 * scale ? number('low') \
         : NaN):(column('at')):(number('low')):(number('high')) \
         with xerrorbars pointtype -1 linewidth 1.3 linecolor rgb ink notitle, \
     data using (kind('full') ? (is_long(0) ? from + 18 * scale : column('value') + 8 * scale) \
         : nowhere):(column('at')):(strcol('value_text')):(is_long(0) ? on(shown(0)) : ink) \
         with labels left font font.','.text textcolor rgb variable notitle, \
     data using (kind('full') ? nowhere : pixel(120)):(column('at')):(strcol('value_text')) \
         with labels right font font.','.text textcolor rgb ink notitle, \
     data using (kind('full') ? nowhere : pixel(24)):(column('at')):(strcol('share_text')) \
         with labels right font font.','.text textcolor rgb ink notitle, \
     data using (from + 1e-6 * span):(column('at') - raised_by(@name_of)):(@name_of) \
         with labels right offset -0.8, 0 font font.','.text textcolor rgb ink notitle
