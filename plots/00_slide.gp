#: title   :headline
#: caption The way from the ladder's first rung to its fastest, by the rungs that are each faster
#:            than all before them on it: the five rises that gain most, in the ladder's order, and
#:            the others together. A rung that is slower is counted with the next one that is a gain
#:            on the whole. The speed-ups multiply, so a bar is as long as the logarithm of its
#:            speed-up. At the right: the main cause of the step, and what it saves of the time that
#:            the step saves.
#: each    WITH goal AS (SELECT r.family, r.size, r.subject, r.title, r.time_ns, b.words || ' “' ||
#:              x.title || '”' AS beside,
#:              row_number() OVER (PARTITION BY r.family, r.size ORDER BY r.time_ns, r.variant) AS
#:              place FROM chart_rung r JOIN metrics m ON m.family = r.family AND m.variant =
#:              r.variant AND m.size = r.size AND m.best = 1 JOIN variants v ON v.family = r.family
#:              AND v.variant = r.variant LEFT JOIN library_ratios b ON b.family = r.family AND
#:              b.size = r.size AND b.variant = r.variant LEFT JOIN variants x ON x.family =
#:              b.family
#:              AND x.variant = b.library WHERE r.kind = 'kernel' AND v.fails IS
#:              NULL AND r.time_ns > 0),
#:            whole AS (SELECT family, size, count(*) AS steps, exp(sum(ln(ratio))) AS gain,
#:              max(ratio) AS most, max(CASE place WHEN 1 THEN title END) AS best FROM (SELECT *,
#:              row_number() OVER (PARTITION BY family, size ORDER BY ratio DESC) AS place FROM
#:              rise) GROUP BY family, size)
#:            SELECT g.family, g.size, w.steps, w.gain, w.most, min(w.steps, 6) AS rungs, f.title ||
#:              ' becomes ' || ratio_text(w.gain) || ' as fast; “' || w.best || '” raises it most, ' ||
#:              ratio_text(w.most) AS headline, 'From ' || time_text(w.gain * g.time_ns) ||
#:              ' to ' || time_text(g.time_ns) || ' at ' || substr(g.subject, length(f.title) + 3) ||
#:              ' with ' || g.title || coalesce(', which ' || g.beside, '') AS message
#:            FROM goal g JOIN whole w USING (family, size) JOIN families f USING (family) WHERE
#:              g.place = 1 AND w.gain >= 1.1 AND w.steps > 1 ORDER BY g.family, g.size
#: data    WITH step AS (SELECT *, row_number() OVER (ORDER BY ratio DESC) AS place FROM rise WHERE
#:              family = :family AND size = :size),
#:            shown AS (SELECT s.*, CAST(:steps AS INTEGER) > 6 AND place > 5 AS is_other FROM step
#:              s),
#:            bar AS (SELECT rung, rung || ' ' || title || CASE steps WHEN 1 THEN '' ELSE
#:              ', over rung ' || over END AS label, ratio AS value, CASE steps WHEN 1 THEN coalesce(
#:              (SELECT title FROM said c WHERE c.family = s.family AND c.variant = s.variant AND
#:              c.size = s.size AND c.is_main LIMIT 1), 'no main cause') ELSE steps ||
#:              ' steps together' END AS cause, CASE steps WHEN 1 THEN (SELECT c.moved ||
#:              iif(abs(c.saved_ns) > abs(h.saved_ns), ', partly offset', ' of ' || h.moved)
#:              FROM said c JOIN said h USING (family, variant, size, block) WHERE c.family =
#:              s.family AND c.variant = s.variant AND c.size = s.size AND c.is_main AND h.place = 0
#:              LIMIT 1) END AS amount FROM shown s WHERE NOT is_other
#:            UNION ALL SELECT 1e9, 'The ' || count(*) || ' other steps', exp(sum(ln(ratio))), 'rungs ' ||
#:              group_concat(rung, ', '), NULL FROM (SELECT * FROM shown WHERE is_other ORDER BY
#:              rung) HAVING count(*) > 0)
#:            SELECT row_number() OVER (ORDER BY rung) - 1 AS at, value, replace(label, ',',
#:              char(8218)) AS label, replace(cause, ',', char(8218)) AS cause, replace(amount, ',',
#:              char(8218)) AS amount,
#:              ratio_text(value) AS value_text FROM bar ORDER BY at

stats data using (strlen(strcol('cause'))) name 'cause' nooutput
label_width = 430
bars_end = 860.0        # pixels; from there on stand the causes
bottom = 34 + foot
headroom = 30
row_height(n) = 84
eval table(0, rungs)
# All texts are larger: on a phone the picture is narrower than others.
set label 9 origin font font.',20'
set label 2 message_lines font font.',20'
set logscale x
least_end = 1 / most**0.02 # every bar is a gain
per_pixel = 1.4 * log(most / least_end) / (bars_end - label_width)
pixel(x) = least_end * exp(per_pixel * (x - label_width))
set rmargin at screen 1
set xrange [least_end:pixel(width)]
unset xtics
set label 4 'Speed-up of the step (logarithmic)' at screen label_width / width, \
    screen screen_y(top - 14) left font font.',20' textcolor rgb grey
set label 5 'Main cause: its saving, of the whole' at screen bars_end / width, \
    screen screen_y(top - 14) left font font.',20' textcolor rgb grey
set border 0
step = "fold(strcol('label'), 28, 2)"
size = cause_max > 33 ? 20 : 24     # so that no cause with an amount below it needs two lines
cause = "fold(strcol('cause'), size == 24 ? 33 : 41, 2)"
plot data using (number('value')):(column('at')):(1):(number('value')):(column('at') - \
         0.34):(column('at') + 0.34) with boxxyerror linecolor rgb faster notitle, \
     data using (column('value')):(column('at')):(strcol('value_text')) with labels \
         left offset 0.7, 0 font bold.',30' textcolor rgb ink notitle, \
     data using (least_end):(column('at') - 18.0 / row * breaks(@step)):(@step) with labels \
         right offset -1.2, 0 font font.',24' textcolor rgb ink notitle, \
     data using (pixel(bars_end)):(column('at') - (strlen(strcol('amount')) ? 0.18 : 0) - \
         18.0 / row * breaks(@cause)):(@cause) with labels left font font.','.size \
         textcolor rgb ink notitle, \
     data using (strlen(strcol('amount')) ? pixel(bars_end) : nowhere):(column('at') + 0.2): \
         (strcol('amount')) with labels left font font.',20' textcolor rgb grey notitle
