#: title   :words
#: caption From the time before, at the top, to the time after, at the bottom, at one size for each
#:            step. Each bar is the time that a cause saves or costs alone, the largest saving first.
#:            Pale: the interval, the thin line, includes 0, or the counter of the cause did not
#:            move. Interaction and the part that the model does not explain are separate.
#: each    WITH step AS (SELECT s.*, m.time_ns, b.time_ns AS before_ns, row_number() OVER (PARTITION
#:              BY s.family, s.variant ORDER BY coalesce(s.size = f.lines_size, 0) DESC,
#:              m.useful_bytes DESC, s.size) AS place FROM steps s JOIN metrics m USING (family,
#:              variant, size, block, sweep) JOIN metrics b ON b.family = s.family AND b.variant =
#:              s.after AND b.size = s.size AND b.block = s.block AND b.best = 1 LEFT JOIN families
#:              f ON f.family = s.family WHERE EXISTS (SELECT 1 FROM causes c WHERE c.family =
#:              s.family AND c.variant = s.variant AND c.size = s.size))
#:            SELECT s.family AS family, s.size AS size, s.variant AS part, v.rung || ' ' || v.title
#:              AS now, w.rung || ' ' || w.title AS was, s.evidence AS evidence,
#:            CASE s.evidence WHEN 'no evidence' THEN 'No evidence of a change: ' ELSE '' END ||
#:              v.rung || ' ' || v.title || ' over ' || w.rung || ' ' || w.title || ', ' || CASE
#:              WHEN s.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(s.size) AS words,
#:            s.before_ns / 1e3 AS before_us, s.time_ns / 1e3 AS after_us,
#:            coalesce(replace(replace(h.headline, 'No evidence of a change: ', ''), '-', '−'), '')
#:              AS message
#:            FROM step s JOIN variants v ON v.family = s.family AND v.variant = s.variant JOIN
#:              variants w ON w.family = s.family AND w.variant = s.after
#:            LEFT JOIN headlines h ON h.family = s.family AND h.variant = s.variant AND h.size =
#:              s.size WHERE s.place = 1 ORDER BY s.family, v.rung, s.variant
#: data    WITH cause_row AS (SELECT c.cause, coalesce(k.title, c.cause) AS title, c.saved_ns / 1e3
#:              AS saved, (c.high_ns - c.low_ns) / 2e3 AS half, c.share_pct, c.status FROM causes c
#:              LEFT JOIN cause k ON k.cause = coalesce(c.detail, c.cause) WHERE c.family =
#:              :family AND c.variant = :part AND
#:              c.size = :size AND c.saved_ns <> 0),
#:            ranked AS (SELECT *, row_number() OVER (ORDER BY abs(saved) DESC, cause) AS rank,
#:              count(*) OVER () AS all_causes, sum(abs(saved)) OVER () AS moved FROM cause_row
#:              WHERE status <> 'model'),
#:            chosen AS (SELECT *, (rank > 7 AND all_causes > 8) OR abs(saved) < 0.01 * moved AS
#:              is_small FROM ranked),
#:            told AS (SELECT 1 AS section, title AS label, saved, half, share_pct, status FROM
#:              chosen WHERE NOT is_small OR (SELECT sum(is_small) FROM chosen) = 1 UNION ALL SELECT
#:              2, count(*) || ' smaller ones', sum(saved), sqrt(sum(coalesce(half * half, 0))),
#:              sum(share_pct), CASE WHEN max(status) = 'no evidence' THEN 'no evidence' WHEN
#:              abs(sum(saved)) > sqrt(sum(coalesce(half * half, 0))) THEN 'resolved' ELSE
#:              'unresolved' END FROM chosen WHERE is_small HAVING count(*) > 1 UNION ALL SELECT 3,
#:              title, saved, half, share_pct, status FROM cause_row WHERE status = 'model'),
#:            running AS (SELECT *, CAST(:before_us AS REAL) - sum(saved) OVER (ORDER BY section,
#:              share_pct DESC, label ROWS UNBOUNDED PRECEDING) AS upto FROM told),
#:            bar AS (SELECT 0 AS section, :was AS label, 0 AS low, CAST(:before_us AS REAL) AS
#:              high, NULL AS saved, NULL AS half, NULL AS share_pct, 'full' AS kind, :evidence AS
#:              status UNION ALL SELECT section, label, upto + saved, upto, saved, half, share_pct,
#:              CASE WHEN section = 3 THEN 'rest' WHEN saved > 0 THEN 'saved' ELSE 'lost' END,
#:              status FROM running UNION ALL SELECT 4, :now, 0, CAST(:after_us AS REAL), NULL,
#:              NULL, NULL, 'full', :evidence)
#:            SELECT row_number() OVER (ORDER BY section, share_pct DESC, label) - 1 AS at,
#:              replace(label, ',', char(8218)) AS label, kind, low AS before, high AS value,
#:            high - half AS low, high + half AS high,
#:            CASE WHEN kind = 'full' THEN human(round(high, 2)) || ' µs' WHEN round(saved, 2) = 0
#:              THEN '0' ELSE CASE WHEN saved > 0 THEN '−' ELSE '+' END || human(round(abs(saved),
#:              2)) END AS value_text,
#:            CASE WHEN kind = 'full' OR status = 'no evidence' THEN '' ELSE
#:              replace(CAST(round(share_pct) AS INTEGER) || ' %', '-', '−') END AS share_text,
#:              status
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
rungs = int(drawn_records)
span = highest_max - lowest_min
# If the change is small compared with the times, the axis is broken: it begins near them.
broken = span < 0.35 * highest_max
from = broken ? lowest_min - 0.3 * span : lowest_min < 0 ? lowest_min : 0
right = highest_max + 0.04 * span
row = 35
name = 26
known = 'saved lost rest full'
shades = '0x009e73 0xd55e00 0xffffff 0x8a8a8a'
array words_of[4] = ['saved', 'lost', 'not explained', 'time before and after']
shade(kind) = int(word(shades, (sum [k = 1:words(known)] (word(known, k) eq kind ? k : 0))))
is_pale(status) = status eq 'unresolved' || status eq 'no evidence' \
    || status[1:11] eq 'its witness'
tint(kind, status) = is_pale(status) ? light(shade(kind)) : shade(kind)
columns = 158           # pixels for the numbers at the right
top = top + 18
label_width = 212
eval canvas(top + bottom + rungs * row)
set yrange [rungs - 0.5:-0.5]
# The numbers stand on the axis too, beyond its shown part: one pixel is `scale` microseconds.
scale = (right - from) / (width - label_width - columns)
end = from + scale * (width - label_width)
pixel(x) = end - scale * x
step = tics(1.5 * (right - from))
set rmargin at screen 1
set xrange [from:end]
set xtics ceil(from / step) * step, step, right
set label 3 'Time, µs'.(broken ? ' (the axis begins at '.gprintf('%.4g', from).')' \
    : '') at first (from + right) / 2, graph 0 center offset character 0, \
    -2.2 font font.',14' textcolor rgb ink
# The legend, and the headings of the numbers at the right.
legend_y = 1 - (68.0 + shift) / height
do for [i = 1:3] {
    legend_x = 22.0 + word('0 76 142', i)
    set object i rectangle at screen legend_x / width, screen legend_y size screen 11.0 / width, \
        screen 11.0 / height \
        fillcolor rgb int(word(shades, i)) fillstyle solid border linecolor rgb (i == 3 ? grey \
            : int(word(shades, i)))
    set label 10 + i words_of[i] at screen (legend_x + 12) / width, \
        screen legend_y left font font.',13' textcolor rgb ink
}
set label 20 (evidence eq 'no evidence' ? 'pale: no evidence; thin line: interval' \
    : 'pale: not significant; thin line: interval') at screen 290.0 / width, \
    screen legend_y left font font.',13' textcolor rgb ink
set label 21 'µs' at first pixel(90), graph 1 right offset character 0, \
    0.6 font font.',13' textcolor rgb grey
set label 22 (evidence eq 'no evidence' ? '' : 'share') at first pixel(14), \
    graph 1 right offset character 0, 0.6 font font.',13' textcolor rgb grey
kind(x) = strcol('kind') eq x
start(x) = kind('full') ? from : column('before')
shown(x) = tint(strcol('kind'), strcol('status'))
# A white stroke through both full bars if the axis is broken.
do for [i = 0:1] {
    if (broken) { set arrow 10 + i from first from + 9 * scale, \
        first i * (rungs - 1) + 0.42 to first from + 15 * scale, \
        first i * (rungs - 1) - 0.42 nohead linewidth 4 linecolor rgb 'white' front }
}
plot data using (kind('rest') ? NaN : \
    column('value')):(column('at')):(start(0)):(column('value')):(column('at') - \
    0.34):(column('at') + 0.34):(shown(0)) \
         with boxxyerror linecolor rgb variable notitle, \
     data using (kind('rest') ? column('value') : \
         NaN):(column('at')):(start(0)):(column('value')):(column('at') - 0.33):(column('at') + \
         0.33) \
         with boxxyerror fillcolor rgb 0xffffff fillstyle solid border linecolor rgb grey notitle, \
     data using (column('at') < rungs - 1 ? column('value') \
         : NaN):(column('at') + 0.34):(0):(0.32) with vectors nohead linewidth 0.8 linecolor rgb \
         grey notitle, \
     data using (number('high') - number('low') > 3 * scale ? number('low') \
         : NaN):(column('at')):(number('low')):(number('high')) \
         with xerrorbars pointtype -1 linewidth 1.3 linecolor rgb ink notitle, \
     data using (kind('full') ? from : \
         nowhere):(column('at')):(strcol('value_text')):(on(shown(0))) \
         with labels left offset 2.4, 0 font font.',14' textcolor rgb variable notitle, \
     data using (kind('full') ? nowhere : pixel(90)):(column('at')):(strcol('value_text')) \
         with labels right font font.',14' textcolor rgb ink notitle, \
     data using (kind('full') ? nowhere : pixel(14)):(column('at')):(strcol('share_text')) \
         with labels right font font.',14' textcolor rgb ink notitle, \
     data using (from):(column('at') - lift(strcol('label'), name)):(wrap(strcol('label'), name)) \
         with labels right offset -0.8, 0 font font.',13' textcolor rgb ink notitle
