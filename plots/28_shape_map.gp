#: title   :headline
#: caption Our time over the library's at each shape: below 1 the rung is faster. Blue: faster than
#:            the library, red: slower, the stronger the more; grey: as fast within the noise.
#:            Hatched: no ratio. At each shape the fastest rung and the fastest library call count.
#: each    SELECT g.family, 'k' || coalesce(g.k, '') AS part, g.place AS grid, g.rows, g.columns AS
#:              places, (SELECT group_concat(n, '|') FROM (SELECT DISTINCT 'N = ' || n AS n FROM
#:              map_cell c WHERE c.family = g.family AND c.grid = g.place ORDER BY c.place)) AS
#:              columns, g.name || ': ' || 'the library is faster at '
#:              || CASE g.losses WHEN 0 THEN 'none' ELSE g.losses END || ' of ' || g.shapes ||
#:              ' shapes' || (SELECT CASE WHEN g.losses THEN ', at worst ours takes ' ||
#:              ratio_text(w.ratio) || ' its time' ELSE '' END FROM map_worst w
#:              WHERE w.family = g.family AND w.k IS g.k ORDER BY w.ratio DESC LIMIT 1) AS headline,
#:              'Our time over that of ' || f.theirs || '. ' || f.title || ', ' || f.ours AS message
#:            FROM map_grid g JOIN map_family f USING (family) ORDER BY g.family, g.place
#: data    SELECT at, 'M = ' || m AS label, place, m, n, ratio, low, high, level, words AS
#:              value_text
#:            FROM map_cell WHERE family = :family AND grid = :grid ORDER BY at, place

label_width = 130
bottom = no_tics
headroom = headings(1)
row_height(n) = n > 8 ? 44 : 64
eval table(1, rows)
strength(i) = i == 0 ? 0 : (i < 0 ? -1 : 1) * (abs(i) == 1 ? 0.22 : abs(i) == 2 ? 0.5 : 1)
cell(i) = i == 0 ? 0xe4e4e4 : heat(strength(i))
eval swatch(1, 0, 24, cell(3), 'ours faster, > 20 %')
eval swatch(2, 0, 220, cell(2), '5 to 20 %')
eval swatch(3, 0, 340, cell(1), '< 5 %')
eval swatch(4, 0, 440, cell(0), 'as fast')
eval swatch(5, 0, 590, cell(-1), '< 5 %')
eval swatch(6, 0, 690, cell(-2), '5 to 20 %')
eval swatch(7, 0, 810, cell(-3), 'library faster, > 20 %')
set object 60 rectangle center screen 1038 / width, screen_y(legend_top + 12) size screen \
    16 / width, screen 16 / height fillcolor rgb reference fillstyle pattern 4 border linecolor \
    rgb grey
set label 60 'no ratio' at screen 1054 / width, screen_y(legend_top + 12) left font font.',16' \
    textcolor rgb ink
unset grid
eval columns_from
known(i) = strlen(strcol('level')) > 0
letters = int((width - label_width - right_margin) / places / 4.6)
size = letters > 26 ? 26 : letters
plot data using (known(0) ? NaN : column('place')):(column('at')):(column('place') - 0.48): \
         (column('place') + 0.48):(column('at') - 0.46):(column('at') + 0.46) with boxxyerror \
         linecolor rgb reference fillstyle pattern 4 noborder notitle, \
     data using (known(0) ? column('place') : NaN):(column('at')):(column('place') - 0.48): \
         (column('place') + 0.48):(column('at') - 0.46):(column('at') + 0.46): \
         (cell(column('level'))) with boxxyerror linecolor rgb variable notitle, \
     data using (known(0) ? column('place') : nowhere):(column('at')):(strcol('value_text')): \
         (known(0) ? on(cell(column('level'))) : grey) with labels center font \
         font.','.sprintf('%d', size) textcolor rgb variable notitle, \
     @names
