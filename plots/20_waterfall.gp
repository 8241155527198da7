#: title   :headline
#: caption One of the two steps of the ladder that change most, up or down. From the time before, at
#:              the top, to the time after, at the bottom. Each bar is the time that a cause saves
#:              or costs alone, the largest saving first.
#:            Pale: the interval, the thin line, includes 0, or the counter of the cause did not
#:            move. Interaction and the part that the model does not explain are separate. If the
#:            savings together exceed the time before, the costs stand first; if the model does not
#:            explain most of such a change either, only the part not explained is drawn.
#: each    SELECT s.family, s.size, s.variant AS part, s.label AS now, s.after_label AS was,
#:              s.evidence, s.before_ns / 1e3 AS before_us, s.time_ns / 1e3 AS after_us,
#:            coalesce(replace(rtrim(h.headline, '.'), '-', '−'), CASE WHEN s.speedup_prev >= 1
#:              THEN printf('%.2f× faster', s.speedup_prev) ELSE printf('%.0f %% slower', 100 -
#:              100 * s.speedup_prev) END) AS headline,
#:            replace(s.label, char(8218), ',') || ' over ' || replace(s.after_label, char(8218),
#:              ',') || '. ' || s.subject AS message
#:            FROM (SELECT *, row_number() OVER (PARTITION BY family, size ORDER BY abs(ln(
#:              speedup_prev)) DESC) AS place FROM chart_step WHERE evidence <> 'no evidence') s
#:              LEFT JOIN headlines h ON h.family = s.family AND h.variant = s.variant
#:              AND h.size = s.size WHERE s.place <= 2 AND EXISTS (SELECT 1 FROM
#:              causes c WHERE c.family = s.family AND c.variant = s.variant AND c.size = s.size)
#:              GROUP BY s.family, s.size, s.variant ORDER BY s.family, s.size, s.rung
#: data    WITH cause_row AS (SELECT c.cause, CASE WHEN abs(d.saved_ns - c.saved_ns) <= 0.05 *
#:              abs(c.saved_ns) THEN k.title ELSE coalesce(g.title, c.cause) END AS title,
#:              c.saved_ns / 1e3 AS saved, (c.high_ns - c.low_ns) / 2e3 AS half, c.share_pct,
#:              c.status FROM causes c LEFT JOIN details d USING (family, variant, size, block,
#:              cause, detail) LEFT JOIN cause k ON k.cause = c.detail LEFT JOIN cause g ON
#:              g.cause = c.cause WHERE c.family = :family AND c.variant = :part AND
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
#:            first AS (SELECT CAST(:before_us AS REAL) - sum(saved) OVER (ORDER BY section,
#:              share_pct DESC, label ROWS UNBOUNDED PRECEDING) AS upto FROM told),
#:            fit AS (SELECT min(upto) < 0 AS is_below, min(upto) < 0 AND (SELECT abs(saved) FROM
#:              cause_row WHERE cause = 'residual') > 0.5 * abs(:before_us - :after_us) AS is_unfit
#:              FROM first),
#:            drawn AS (SELECT told.* FROM told, fit WHERE NOT is_unfit UNION ALL SELECT 3,
#:              'not explained', :before_us - :after_us, NULL, 100, 'model' FROM fit WHERE
#:              is_unfit),
#:            running AS (SELECT drawn.*, row_number() OVER shown AS place, CAST(:before_us AS REAL)
#:              - sum(saved) OVER shown AS upto FROM drawn, fit WINDOW shown AS (ORDER BY CASE WHEN
#:              is_below THEN saved END, section, share_pct DESC, label ROWS UNBOUNDED PRECEDING)),
#:            bar AS (SELECT 0 AS section, 0 AS place, :was AS label, 0 AS low,
#:              CAST(:before_us AS REAL) AS high, NULL AS saved, NULL AS half, NULL AS share_pct,
#:              'full' AS kind, :evidence AS status UNION ALL SELECT section, place, label,
#:              upto + saved, upto, saved, half, share_pct, CASE WHEN section = 3 THEN 'rest' WHEN
#:              saved > 0 THEN 'saved' ELSE 'lost' END, status FROM running UNION ALL SELECT 4, 99,
#:              :now, 0, CAST(:after_us AS REAL), NULL, NULL, NULL, 'full', :evidence)
#:            SELECT row_number() OVER (ORDER BY place) - 1 AS at,
#:              replace(label, ',', char(8218)) AS label, kind, low AS before, high AS value,
#:            high - half AS low, high + half AS high,
#:            CASE WHEN kind = 'full' THEN human(high, 2) || ' µs' WHEN round(saved, 2) = 0
#:              THEN '0' ELSE CASE WHEN saved > 0 THEN '−' ELSE '+' END || human(abs(saved), 2)
#:              END AS value_text,
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
known = 'saved lost rest full'
array shades[4] = [faster, slower, 0xffffff, measured]
array words_of[3] = ['saved', 'lost', 'not explained']
tint_of(kind) = shades[int((sum [k = 1:words(known)] (word(known, k) eq kind ? k : 0)))]
is_pale(status) = status eq 'unresolved' || status eq 'no evidence' \
    || status[1:11] eq 'its witness'
tint(kind, status) = is_pale(status) ? light(tint_of(kind)) : tint_of(kind)
label_width = 370.0
right_margin = 230      # pixels for the numbers at the right
eval canvas(1)
top = top + 16
eval rows(rungs)
# The numbers stand on the axis too, beyond its shown part: one pixel is `scale` microseconds.
scale = (right - from) / (width - label_width - right_margin)
end = from + scale * (width - label_width)
pixel(x) = end - scale * x
step = tics(1.5 * (right - from))
set rmargin at screen 1
set xrange [from:end]
set xtics ceil(from / step) * step, step, right
unset xlabel
set label 3 'Time, µs'.(broken ? ' (the axis begins at '.gprintf('%.4g', from).')' \
    : '') at first (from + right) / 2, graph 0 \
    center offset character 0, (terminal eq 'svg' ? -1.9 : -2.6) font font.',16' textcolor rgb ink
# The legend, and the headings of the numbers at the right.
do for [i = 1:3] { eval swatch(i, 0, word('24 114 194', i), shades[i], words_of[i]) }
set label 20 'pale: not significant; thin line: interval' at screen 360 / width, \
    screen screen_y(legend_top + 12) left font font.',16' textcolor rgb ink
set label 21 'µs' at first pixel(120), graph 1 right offset character 0, 0.7 font font.',15' \
    textcolor rgb grey
set label 22 'share' at first pixel(24), graph 1 right offset character 0, 0.7 font font.',15' \
    textcolor rgb grey
kind(x) = strcol('kind') eq x
start(x) = kind('full') ? from : column('before')
is_long(x) = column('value') - from > 110 * scale     # room for its text
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
     data using (kind('full') ? (is_long(0) ? from + 18 * scale : column('value') + 8 * scale) \
         : nowhere):(column('at')):(strcol('value_text')):(is_long(0) ? on(shown(0)) : ink) \
         with labels left font font.','.text textcolor rgb variable notitle, \
     data using (kind('full') ? nowhere : pixel(120)):(column('at')):(strcol('value_text')) \
         with labels right font font.','.text textcolor rgb ink notitle, \
     data using (kind('full') ? nowhere : pixel(24)):(column('at')):(strcol('share_text')) \
         with labels right font font.','.text textcolor rgb ink notitle, \
     data using (from + 1e-6 * span):(column('at')):(fold(strcol('label'), letters, lines)) \
         with labels right offset -0.8, 0 font font.','.text textcolor rgb ink notitle
