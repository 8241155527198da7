#: title   :headline
#: caption The speed-up of each step of the run as the model predicts it from what the variant
#:            declares, over the measured one; both axes are logarithmic. On the diagonal the
#:            prediction is right; between the thin lines it is off by at most a factor of 1.2.
#:            Circles: steps in which no change was measured.
#: each    SELECT count(*) AS places, min(min(predicted_speedup, speedup_prev)) AS least,
#:              max(max(predicted_speedup, speedup_prev)) AS most,
#:            sum(right AND is_change) || ' of ' || sum(is_change) ||
#:              ' predicted speed-ups are within a factor of 1.2 of the measured one' AS headline,
#:            'Predicted against measured: ' || sum(verdict = 'missed') || ' of all ' || count(*) ||
#:              ' steps miss. All sizes' AS message FROM
#:              (SELECT *, evidence <> 'no evidence' AS is_change, abs(ln(predicted_speedup /
#:              speedup_prev)) <= ln(1.2) AS right FROM predictions WHERE predicted_speedup > 0 AND
#:              speedup_prev > 0) HAVING count(*) > 4 AND sum(is_change) > 0
#: data    SELECT p.predicted_speedup AS predicted, p.speedup_prev AS measured, p.evidence, CASE
#:              WHEN
#:              row_number() OVER (ORDER BY abs(ln(p.predicted_speedup / p.speedup_prev)) DESC) <= 4
#:              THEN replace(p.family || '/' || v.rung || ', ' || size_text(p.size), ',',
#:              char(8218)) ELSE '-' END AS label FROM predictions p JOIN variants v USING (family,
#:              variant) WHERE predicted_speedup > 0 AND speedup_prev > 0

eval canvas(1)
label_width = 110.0
set lmargin at screen label_width / width
low = least / 1.25
high = most * 1.25
set logscale xy
set xrange [low:high]
set yrange [low:high]
set border 3
set grid xtics ytics back linetype 1 linecolor rgb faint linewidth 0.7
eval fine_tics('x', low, high)
eval fine_tics('y', low, high)
set xlabel 'Measured speed-up (logarithmic)'
set ylabel 'Predicted speed-up' offset -1, 0
set key at screen 24 / width, screen_y(legend_top - 4)
changed(x) = strcol('evidence') ne 'no evidence'
set label 5 'predicted too high' at graph 0.02, graph 0.95 left font font.',15' textcolor rgb grey
set label 6 'predicted too low' at graph 0.98, graph 0.05 right font font.',15' textcolor rgb grey
plot x with lines linewidth 2 linecolor rgb ink notitle, \
     1.2 * x with lines linewidth 0.8 linecolor rgb grey notitle, \
     x / 1.2 with lines linewidth 0.8 linecolor rgb grey notitle, \
     data using (changed(0) ? column('measured') : NaN):(column('predicted')) with points \
         pointtype 7 pointsize 0.7 * dots linecolor rgb measured title 'a measured change', \
     data using (changed(0) ? NaN : column('measured')):(column('predicted')) with points \
         pointtype 6 pointsize 0.7 * dots linewidth 1.3 linecolor rgb measured title \
         'no evidence of a change', \
     data using (strcol('label') eq '-' ? nowhere : column('measured')):(column( \
         'predicted')):(raise(strcol('label'))) with labels left offset 0.7, 0.4 font font.',14' \
             textcolor rgb ink notitle
