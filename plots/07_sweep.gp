#: title   Effective bandwidth over :sweep_name, :size_words
#: caption Each point is one setting; the axis is logarithmic and names the tried settings. The ring
#:            marks the best with a cold L2 cache. Below: the settings that the noise floor cannot
#:            tell from it, and the skipped ones. The meaning of a setting is given with its step.
#: each    SELECT p.family AS family, p.size AS size, p.size AS at_size, v.sweep_name AS part,
#:              v.sweep_name AS sweep_name,
#:            CASE WHEN p.size LIKE '%x%' THEN '' ELSE 'n = ' END || size_text(p.size) AS
#:              size_words,
#:            count(DISTINCT p.variant) AS swept, max(p.sweep) >= 4096 AS large,
#:            CASE count(DISTINCT v.sweep_text) WHEN 1 THEN min(v.sweep_text) ELSE v.sweep_name END
#:              AS axis,
#:            (SELECT group_concat(sweep, ' ') FROM (SELECT DISTINCT q.sweep FROM points q JOIN
#:              variants y USING (family, variant) WHERE q.family = p.family AND q.size = p.size AND
#:              y.sweep_name = v.sweep_name AND q.sweep > 0 ORDER BY q.sweep)) AS settings,
#:            human(max(m.dram_peak_gbs)) AS peak_text, max(m.dram_peak_gbs) AS peak,
#:              max(m.effective_high_gbs) AS most,
#:            'Best: ' || (SELECT x.rung || ' ' || x.title || ', ' || x.sweep_name || ' ' || CASE
#:              WHEN max(p.sweep) >= 4096 THEN size_text(w.sweep) ELSE w.sweep END || ': ' ||
#:              human(w.effective_gbs) || ' GB/s' || coalesce(', ' || round(w.effective_pct_peak, 1)
#:              || ' % of the peak', '') FROM metrics w JOIN variants x USING (family, variant)
#:              WHERE w.family = p.family AND w.size = p.size AND w.sweep > 0 AND x.sweep_name =
#:              v.sweep_name AND w.best = 1 ORDER BY w.effective_gbs DESC LIMIT 1) AS message
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN families f USING (family)
#:            LEFT JOIN metrics m USING (family, variant, size, block, sweep)
#:            WHERE p.block = coalesce(f.usual_block, p.block) AND p.sweep > 0 AND v.sweep_name IS
#:              NOT NULL AND coalesce(f.rate, 'bytes') = 'bytes' AND (p.family, p.size) IN (SELECT
#:              family, first_value(size) OVER (PARTITION BY family ORDER BY useful_bytes,
#:              size) FROM metrics UNION SELECT family, first_value(size) OVER (PARTITION BY family
#:              ORDER BY useful_bytes DESC, size) FROM metrics)
#:            GROUP BY p.family, p.size, v.sweep_name HAVING count(m.effective_gbs) > 0
#:            ORDER BY p.family, CAST(p.size AS INTEGER), p.size, min(v.rung)
#: data    WITH rung AS (SELECT v.*, row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at FROM
#:              variants v WHERE v.family = :family AND v.sweep_name = :sweep_name AND EXISTS
#:              (SELECT 1 FROM points p WHERE p.family = v.family AND p.variant = v.variant AND
#:              p.size = :at_size AND p.sweep > 0)),
#:            setting AS (SELECT m.*, r.at, CASE :large WHEN '1' THEN size_text(m.sweep) ELSE
#:              m.sweep END AS words, coalesce(m.best = 1 OR m.behind_best_low_pct <= m.floor_pct,
#:              0) AS near, row_number() OVER (PARTITION BY m.variant ORDER BY m.sweep) AS place
#:              FROM metrics m JOIN families f USING (family) JOIN rung r USING (variant) WHERE
#:              m.family = :family AND m.size = :at_size AND m.sweep > 0 AND m.block =
#:              coalesce(f.usual_block, m.block)),
#:            skipped AS (SELECT r.at, p.variant, p.sweep, p.status, CASE :large WHEN '1' THEN
#:              size_text(p.sweep) ELSE p.sweep END AS words FROM points p JOIN rung r USING
#:              (variant) WHERE p.family = :family AND p.size = :at_size AND p.sweep > 0 AND
#:              p.status <> 'ok')
#:            SELECT r.at, r.rung, 'point' AS type, m.sweep, m.effective_gbs AS cold,
#:              m.effective_warm_gbs AS warm, m.best, '' AS head, '-' AS detail FROM setting m JOIN
#:              rung r USING (variant)
#:            UNION ALL SELECT s.at, r.rung, 'absent', s.sweep, NULL, NULL, 0, CASE WHEN
#:              row_number() OVER (PARTITION BY s.status ORDER BY s.sweep, s.at) = 1 THEN s.status
#:              ELSE '' END, '-' FROM skipped s JOIN rung r USING (variant)
#:            UNION ALL SELECT r.at, r.rung, 'name', NULL, NULL, NULL, 0, replace(r.rung || ' ' ||
#:              r.title, ',', char(8218)), replace(coalesce((SELECT 'best: ' || max(CASE WHEN m.best
#:              = 1 THEN m.words || ' with ' || human(m.effective_gbs) || ' GB/s' END) || CASE WHEN
#:              count(*) < 2 OR count(m.floor_pct) = 0 THEN '' WHEN sum(m.near) = 1 THEN
#:              '; all others are slower' WHEN sum(m.near) = max(CASE WHEN m.near THEN m.place END)
#:              - min(CASE WHEN m.near THEN m.place END) + 1 THEN '; ' || (SELECT x.words FROM
#:              setting x WHERE x.variant = r.variant AND x.near ORDER BY x.sweep LIMIT 1) || ' to '
#:              || (SELECT x.words FROM setting x WHERE x.variant = r.variant AND x.near ORDER BY
#:              x.sweep DESC LIMIT 1) || ': no evidence of a difference' ELSE '; ' || (SELECT
#:              group_concat(words, ', ') FROM (SELECT x.words FROM setting x WHERE x.variant =
#:              r.variant AND x.near ORDER BY x.sweep)) || ': no evidence of a difference' END FROM
#:              setting m WHERE m.variant = r.variant) || '; ', '') || coalesce((SELECT
#:              group_concat(status || ': ' || words, '; ') FROM (SELECT DISTINCT s.status,
#:              group_concat(s.words, ', ') OVER (PARTITION BY s.status ORDER BY s.sweep ROWS
#:              BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS words FROM skipped s WHERE
#:              s.variant = r.variant)), ''), ',', char(8218)) FROM rung r ORDER BY at, type, sweep

high = 300      # of the plot; the names of the rungs come below it
line = 38
swept = swept + 0
if (swept < 3) { top = top + 20 }
eval canvas(top + high + 66 + swept * line)
foot = height - swept * line - 6
set multiplot
eval between(top, top + high)
set lmargin at screen 80.0 / width
right = 1.1 * limit(peak, most, 1.1)
first = word(settings, 1) + 0
last = word(settings, words(settings)) + 0
set yrange [0:right]
set ytics tics(right) nomirror scale 0 font font.',13' textcolor rgb grey
set ylabel 'Effective bandwidth, GB/s' font font.',14' textcolor rgb ink offset 1.2, 0
set logscale x 2
set xrange [first / (first == last ? 2.5 : 1.3):last * (first == last ? 2.5 : 1.3)]
setting(i) = large + 0 ? binary(word(settings, i) + 0) : word(settings, i)
step = words(settings) > 20 ? 2 : 1
set xtics (setting(1) first)
do for [i = 1 + step:words(settings):step] { set xtics add (setting(i) word(settings, i) + 0) }
set border 3
set grid ytics back linetype 1 linecolor rgb faint linewidth 0.7
set xlabel strlen(axis) > 62 ? sweep_name : axis
if (peak ne '') {
    if (peak + 0 < right) {
        set arrow 1 from graph 0, first peak + 0 to graph 1, \
            first peak + 0 nohead dashtype 2 linewidth 1.5 linecolor rgb ink front
        set label 3 'DRAM bus peak '.peak_text.' GB/s' at graph 1, \
            first peak + 0 right offset character 0, 0.6 font font.',13' textcolor rgb ink
    } else {
        set label 3 'DRAM bus peak '.peak_text.' GB/s, far above' at graph 1, \
            graph 1 right offset character 0, 0.6 font font.',13' textcolor rgb grey
    }
}
at(i) = strcol('type') eq 'point' && column('at') == i
hue(i) = colour(column('rung'))
cold = "for [i = 0:swept - 1] data using (at(i) ? column('sweep') : " \
    ."NaN):(number('cold')):(hue(0))" \
    ." with linespoints linewidth 2.4 pointtype 7 pointsize 0.7 linecolor rgb variable notitle"
# At most two rungs: more would hide the cold ones. Picture 09 has them all.
warm = swept > 2 ? "" : "for [i = 0:swept - 1] data using (at(i) ? column('sweep') : " \
    ."NaN):(number('warm')):(hue(0))" \
    ." with linespoints linewidth 1.4 dashtype 3 pointtype 6 pointsize 0.6 linecolor rgb " \
        ."variable notitle,"
legend = swept > 2 ? "" : \
    ", keyentry with linespoints linewidth 2.4 pointtype 7 pointsize 0.7 linecolor rgb neutral " \
    ."title 'cold L2'," \
    ." keyentry with linespoints linewidth 1.4 dashtype 3 pointtype 6 pointsize 0.6 linecolor " \
        ."rgb neutral title 'warm L2'"
plot @warm @cold, \
     data using (strcol('type') eq 'point' && column('best') == 1 ? column('sweep') \
         : NaN):(number('cold')):(hue(0)) \
         with points pointtype 6 pointsize 1.5 linewidth 2 linecolor rgb variable notitle, \
     data using (strcol('type') eq 'absent' ? column('sweep') : first):(strcol('type') eq 'absent' \
         ? 0.035 * right : nowhere):(hue(0)) \
         with points pointtype 2 pointsize 0.8 linewidth 2 linecolor rgb variable notitle, \
     data using (strcol('type') eq 'absent' ? column('sweep') : first):(strcol('type') eq 'absent' \
         ? 0.035 * right : nowhere):(strcol('head')) \
         with labels center offset 0, 0.9 font font.',13' textcolor rgb grey notitle @legend
eval between(foot, foot + swept * line)
set lmargin at screen 0
set rmargin at screen 1
unset logscale
unset grid
unset label
unset arrow
unset xlabel
unset ylabel
unset xtics
unset ytics
set border 0
set xrange [0:width]
set yrange [swept - 0.5:-0.5]
named(i) = strcol('type') eq 'name' ? column('at') : nowhere
tidy(s) = strlen(s) > 1 && s[strlen(s) - 1:*] eq '; ' ? s[1:strlen(s) - 2] : s
plot data using (22):(named(0) - 0.22):(hue(0)) with points pointtype 5 pointsize 0.9 linecolor \
    rgb variable notitle, \
     data using (34):(named(0) - 0.22):(strcol('head')) \
         with labels left font font.',13' textcolor rgb ink notitle, \
     data using (34):(named(0) + 0.22):(cut(raise(tidy(strcol('detail'))), 82)) \
         with labels left font font.',13' textcolor rgb grey notitle
unset multiplot
