#: title   :headline
#: caption The request of a warp to shared memory in one instruction: a cell is a word that a lane
#:            takes from a bank, coloured by the wavefront that brings it. Several colours in a
#:            column are a conflict: a bank delivers its words one after the other (their order is a
#:            convention). Lanes that share a word share its wavefront. Black lines separate groups
#:            of lanes that are served in turn, as in wide accesses, with or without a conflict:
#:            wavefronts are counted anew in each group, and the ideal is one. There is a panel for
#:            each address map; of accesses with the same conflicts, the first is shown.
#: each    WITH RECURSIVE lanes(lane) AS (SELECT 0 UNION ALL SELECT lane + 1 FROM lanes WHERE lane <
#:              31),
#:            request AS (SELECT x.*, v.rung, substr(x.name, 1, instr(x.name || ',', ',') - 1) AS
#:              base, trim(substr(x.name, instr(x.name || ',', ',') + 1)) AS which FROM accesses x
#:              JOIN metrics m USING (family, variant, size, block, sweep) JOIN variants v USING
#:              (family, variant) WHERE m.best = 1 AND (x.family, x.size) IN (SELECT family,
#:              size FROM chart_size) AND x.block =
#:              (SELECT max(w.block) FROM accesses w WHERE w.family = x.family AND w.size = x.size)
#:              AND (SELECT count(lane_turn(x.kind, x.width_bytes, x.addresses, lane)) FROM lanes) >
#:              0),
#:            map AS (SELECT family, size, base, which, wavefronts, ideal, min(rung) AS rung,
#:              min(access) AS access, sum(executions) AS executions, (SELECT max(lane_delay(kind,
#:              width_bytes, addresses, lane, 0)) FROM lanes) AS longest, instr(addresses, '-') AS
#:              idle FROM request GROUP BY family, size, base, which, kind, width_bytes, addresses),
#:            placed AS (SELECT *, (row_number() OVER line - 1) / 8 AS page,
#:              group_concat(printf('%d %g %g %g', rung, wavefronts, ideal, executions)) OVER (line
#:              ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS conflicts FROM map
#:              WINDOW line AS (PARTITION BY family, base ORDER BY rung, access)),
#:            picture AS (SELECT family, size, base, conflicts, min(access) AS access, max(page) AS
#:              last_page, sum(executions * wavefronts) AS needed, sum(executions * ideal) AS
#:              would_do, max(wavefronts / ideal) AS ways, max(longest) AS longest, max(idle) AS
#:              idle, max(ideal) AS turns, count(*) AS maps, count(DISTINCT rung) AS climbed,
#:              count(DISTINCT CASE WHEN wavefronts > ideal THEN wavefronts / ideal END) AS kinds
#:              FROM placed GROUP BY family, base HAVING needed > would_do),
#:            drawn AS (SELECT *, row_number() OVER (PARTITION BY family ORDER BY needed - would_do
#:              DESC, access) AS place FROM (SELECT *, row_number() OVER (PARTITION BY family,
#:              conflicts ORDER BY access) AS alike FROM picture) WHERE alike = 1)
#:            SELECT d.family AS family, d.size AS size, d.base AS base, p.page AS page, d.place ||
#:              ' ' || replace(replace(d.base, '[', ' '), ']', '') || CASE d.last_page WHEN 0 THEN
#:              '' ELSE ' ' || (p.page + 1) END AS part, count(*) AS panels, d.longest AS longest,
#:              d.idle AS idle, d.turns AS turns,
#:            'Bank map of the ' || d.base || coalesce((SELECT ', also ' || group_concat(base, ', ')
#:              FROM (SELECT o.base FROM picture o WHERE o.family = d.family AND o.conflicts =
#:              d.conflicts AND o.base <> d.base ORDER BY o.access) HAVING count(*) > 0), '') ||
#:              '. ' || (SELECT subject FROM chart_size s WHERE s.family = d.family AND s.size =
#:              d.size) AS message,
#:            upper(substr(d.base, 1, 1)) || substr(d.base, 2) || CASE WHEN d.climbed = 1 AND d.maps
#:            > 1 THEN ' take ' || human(d.needed / d.would_do) ||
#:              '× the ideal number of wavefronts, ' ELSE (SELECT CASE WHEN count(DISTINCT r.rung) =
#:              1 THEN ' conflict' ELSE ' conflict in ' || count(DISTINCT CASE WHEN r.wavefronts >
#:              r.ideal THEN r.rung END) || ' of ' || count(DISTINCT r.rung) || ' rungs' END FROM
#:              request r WHERE r.family = d.family AND r.base = d.base) || ': ' END || (SELECT CASE
#:              d.kinds WHEN 1 THEN '' ELSE 'up to ' END || human(max(w.wavefronts)) ||
#:              ' wavefronts in place of ' || human(max(w.ideal)) FROM placed w WHERE w.family =
#:              d.family AND w.base = d.base AND w.wavefronts / w.ideal = d.ways) AS headline
#:            FROM drawn d JOIN placed p USING (family, base) WHERE d.place <= 2 GROUP BY d.family,
#:              d.base, p.page ORDER BY d.family, d.place, p.page
#: data    WITH RECURSIVE lanes(lane) AS (SELECT 0 UNION ALL SELECT lane + 1 FROM lanes WHERE lane <
#:              31),
#:            request AS (SELECT x.*, v.rung, v.title, trim(substr(x.name, instr(x.name || ',', ',')
#:              + 1)) AS which FROM accesses x JOIN metrics m USING (family, variant, size, block,
#:              sweep) JOIN variants v USING (family, variant) WHERE m.best = 1 AND x.family =
#:              :family AND x.size = :size AND substr(x.name, 1, instr(x.name || ',', ',') - 1) =
#:              :base AND x.block = (SELECT max(w.block) FROM accesses w WHERE w.family = :family
#:              AND w.size = :size) AND (SELECT count(lane_turn(x.kind, x.width_bytes, x.addresses,
#:              lane)) FROM lanes) > 0),
#:            map AS (SELECT *, row_number() OVER (ORDER BY rung, access) - 1 AS place FROM (SELECT
#:              *, row_number() OVER (PARTITION BY which, kind, width_bytes, addresses ORDER BY
#:              rung, access, launch) AS copy FROM request) WHERE copy = 1),
#:            cell AS (SELECT place - 8 * :page AS panel, lane, lane_address(addresses, lane) / 4 %
#:              32 AS bank, width_bytes / 4 AS words, lane_turn(kind, width_bytes, addresses, lane)
#:              AS turn, lane_wavefront(kind, width_bytes, addresses, lane, 0) AS wavefront,
#:              lane_delay(kind, width_bytes, addresses, lane, 0) AS delay, CASE lane WHEN 0 THEN
#:              rung || ' ' || title END AS name, CASE lane WHEN 0 THEN coalesce(': ' ||
#:              nullif(which, ''), '') || coalesce((SELECT '(and ' || group_concat(rung, ', ') ||
#:              ')' FROM (SELECT DISTINCT r.rung FROM request r WHERE r.rung > map.rung AND r.which
#:              = map.which AND r.kind = map.kind AND r.width_bytes = map.width_bytes AND
#:              r.addresses = map.addresses ORDER BY r.rung) HAVING count(*) > 0), '') END AS mark,
#:              CASE lane WHEN 0 THEN printf('%d bytes: %d wavefront%s, ideal %d%s', width_bytes,
#:              wavefronts, CASE wavefronts WHEN 1 THEN '' ELSE 's' END, ideal, CASE WHEN wavefronts
#:              > ideal THEN printf(' (%.3g-way)', wavefronts / ideal) ELSE '' END) END AS numbers
#:              FROM map JOIN lanes WHERE place / 8 = CAST(:page AS INTEGER))
#:            SELECT panel, lane, bank, words, turn, wavefront, delay, coalesce(turn > max(turn)
#:              OVER (PARTITION BY panel ORDER BY lane ROWS BETWEEN UNBOUNDED PRECEDING AND 1
#:              PRECEDING), 0) AS parted, replace(name, ',', char(8218)) AS name, replace(mark, ',',
#:              char(8218)) AS mark, coalesce(replace(numbers, ',', char(8218)), '-') AS numbers
#:              FROM cell ORDER BY panel, lane

# One picture for all accesses with the same name up to its comma; the rest of the name tells panels
# apart. There is a panel for each address map, with all rungs that have it. Everything is on
# pixels, counted from the top left corner.
panels = panels + 0
across = panels < 3 ? panels : panels < 5 ? 2 : panels < 7 ? 3 : 4
down = (panels + across - 1) / across
height = down > 1 ? 860.0 : 720.0
eval canvas(1)
head_room = 84          # of a panel: its three lines
fit(a, b) = int(a < b ? a : b)
cell_width = fit((width - 40) / across / 32 - 2.2, 16)
cell_height = fit(((height - top - 8 - foot) / down - head_room - 24) / 32, 14)
panel_wide = 32 * cell_width
panel_high = 32 * cell_height
set tmargin at screen 1
set bmargin at screen 0
set lmargin at screen 0
set rmargin at screen 1
set xrange [0:width]
set yrange [height:0]
set border 0
unset xtics
unset ytics
unset grid
unset key
x(panel, bank) = 60 + (int(panel) % across) * (width - 20) / across + bank * cell_width
y(panel, lane) = top + int(panel / across) * (height - top - 8 - foot) / down + head_room \
    + lane * cell_height

# Grey for the first wavefront of a turn, from pale to full orange for the following ones, as on the
# page of conflicts.
longest = longest + 0
late = group_colour('shared_memory')
later(part) = blend(blend(0xffffff, late, 0.4), late, part)
shade(delay) = delay < 1 ? 0x909090 : longest == 1 ? late \
    : later((delay - 1.0) / (longest - 1))

resting = 0xe9e9e9

# The legend: wavefronts with their numbers, or the first and the last if there are many.
few = longest < 8
legend_y = legend_top + 12
first_swatch = turns > 1 ? 520 : 280
swatch_wide = few ? 15 : 200.0 / (longest + 1)
swatch_x(i) = few ? first_swatch + i * 40 : first_swatch + 12 + i * swatch_wide
set label 11 (turns > 1 ? 'Wavefront that serves the lane, of those between two black lines' \
    : 'Wavefront that serves the lane') at first 24, first legend_y left font font.',16' \
    textcolor rgb ink
do for [i = 0:longest] {
    set object 20 + i rectangle from first swatch_x(i), \
        first legend_y - 6 to first swatch_x(i) + swatch_wide, first legend_y + 6 \
        fillcolor rgb shade(i) fillstyle solid 1 noborder
    if (few) { set label 20 + i sprintf('%d', i + 1) at first swatch_x(i) + 20, \
        first legend_y left font font.',16' textcolor rgb ink }
}
if (!few) {
    set label 20 '1' at first swatch_x(0) - 4, first legend_y right font font.',16' textcolor rgb \
        ink
    set label 21 sprintf('%d', longest + 1) at first swatch_x(longest + 1) + 4, \
        first legend_y left font font.',16' textcolor rgb ink
}
if (idle > 0) {
    set object 60 rectangle from first swatch_x(longest + 1) + (few ? 10 : 40), \
        first legend_y - 6 to first swatch_x(longest + 1) + (few ? 25 : 55), first legend_y + 6 \
        fillcolor rgb resting fillstyle solid 1 noborder
    set label 60 'idle lane' at first swatch_x(longest + 1) + (few ? 30 : 60), \
        first legend_y left font font.',16' textcolor rgb ink
}

# Frames, with the numbers of banks below and of lanes at the left.
do for [p = 0:panels - 1] {
    set object 100 + p rectangle from first x(p, 0), first y(p, 0) to first x(p, 32), first y(p, \
        32) fillstyle empty border linecolor rgb grey linewidth 0.8
    do for [i = 8:24:8] {
        set arrow 1000 + 40 * p + i from first x(p, i), first y(p, 0) to first x(p, i), first y(p, \
            32) nohead linecolor rgb faint linewidth 0.7 back
    }
    do for [i = 0:32:8] {
        n = i < 32 ? i : 31
        set label 1000 + 80 * p + i sprintf('%d', n) at first x(p, n + 0.5), first y(p, \
            32) + 12 center font font.',14' textcolor rgb grey
        set label 1000 + 80 * p + i + 1 sprintf('%d', n) at first x(p, 0) - 5, first y(p, \
            n + 0.5) right font font.',14' textcolor rgb grey
    }
    set label 1000 + 80 * p + 40 'bank' at first x(p, 0) - 4, first y(p, \
        32) + 12 right font font.',14' textcolor rgb grey
    set label 1000 + 80 * p + 41 'lane' at first x(p, 0) - 30, first y(p, \
        16) center rotate by 90 font font.',14' textcolor rgb grey
}

# A lane's row, from one bank to another; the part of a plot command that fills it.
from(bank) = x(column('panel'), bank)
above(i) = y(column('panel'), column('lane'))
below(i) = y(column('panel'), column('lane') + 1)
name_of_panel(x) = fold(strcol('name').(strcol('mark')[1:1] eq ':' ? '' : ' ').strcol('mark'), \
    int(((width - 20) / across - 20) / 7.0), 2)
busy = "(strlen(strcol('bank')) ? column('bank') : NaN)"
still = "(strlen(strcol('bank')) ? NaN : 0)"
plot data using (from(@still)):(above(0)):(from(@still)):(from(32)):(above(0)):(below(0)) \
    with boxxyerror linecolor rgb resting notitle, \
     data using (from(@busy)):(above(0)):(from(@busy)):(from(@busy + \
         column('words'))):(above(0)):(below(0) - 1):(shade(column('delay'))) \
         with boxxyerror linecolor rgb variable notitle, \
     data using (column('parted') > 0 ? from(0) : NaN):(above(0) - 0.3):(panel_wide):(0) \
         with vectors nohead linewidth 1 linecolor rgb ink notitle, \
     data using (column('lane') > 0 ? nowhere : from(0) - 30):(above(0) - 37 - 20 * breaks( \
         name_of_panel(0))):(name_of_panel(0)) with labels left font font.',14' textcolor rgb ink \
         notitle, \
     data using (column('lane') > 0 ? nowhere : from(0) - 30):(above(0) - 15):(strcol('numbers')) \
         with labels left font font.',14' textcolor rgb grey notitle
