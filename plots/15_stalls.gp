#: title   Why warps stall, :size_words
#: caption The time that a warp waits between two of its instructions, by reason; reasons that are
#:            large in some rung are named. At the right: the cycles that a warp waits per
#:            instruction, and the share of cycles in which a scheduler issues one: if nearly every
#:            slot is used, waiting costs nothing. A warp that is not selected could issue, but
#:            another one did. First launch.
#: each    WITH reasons(reason) AS (VALUES ('long_scoreboard'), ('short_scoreboard'), ('barrier'),
#:              ('mio_throttle'), ('lg_throttle'), ('math_pipe_throttle'), ('dispatch_stall'),
#:              ('wait'), ('no_instruction'), ('branch_resolving'), ('not_selected')), stall AS
#:              (SELECT m.family, m.variant, m.size, m.time_ns, v.rung, v.kind, m.stall_total - 1 AS
#:              waiting, r.reason, CASE r.reason WHEN 'long_scoreboard' THEN stall_long_scoreboard
#:              WHEN 'short_scoreboard' THEN stall_short_scoreboard WHEN 'barrier' THEN
#:              stall_barrier WHEN 'mio_throttle' THEN stall_mio_throttle WHEN 'lg_throttle' THEN
#:              stall_lg_throttle WHEN 'math_pipe_throttle' THEN stall_math_pipe_throttle WHEN
#:              'dispatch_stall' THEN stall_dispatch_stall WHEN 'wait' THEN stall_wait WHEN
#:              'no_instruction' THEN stall_no_instruction WHEN 'branch_resolving' THEN
#:              stall_branch_resolving WHEN 'not_selected' THEN stall_not_selected END AS warps FROM
#:              metrics m JOIN variants v USING (family, variant) CROSS JOIN reasons r WHERE m.best
#:              = 1 AND v.kind <> 'cpu' AND m.stall_total > 1 AND m.size = (SELECT w.size FROM
#:              metrics w WHERE w.family = m.family ORDER BY w.useful_bytes DESC, w.size LIMIT 1)),
#:            named AS (SELECT *, row_number() OVER (PARTITION BY family, variant ORDER BY warps
#:              DESC) AS place FROM stall WHERE warps IS NOT NULL AND reason <> 'not_selected')
#:            SELECT s.family AS family, s.size AS size, CASE WHEN s.size LIKE '%x%' THEN '' ELSE
#:              'n = ' END || size_text(s.size) AS size_words,
#:            (SELECT count(DISTINCT variant) FROM points p JOIN variants v USING (family, variant)
#:              WHERE p.family = s.family AND p.size = s.size AND v.kind <> 'cpu') AS rungs,
#:            (SELECT group_concat(reason, ' ') FROM (SELECT reason FROM stall o WHERE o.family =
#:              s.family GROUP BY reason HAVING max(warps / waiting) > 0.04 ORDER BY max(warps /
#:              waiting) DESC LIMIT 8)) AS common,
#:            (SELECT n.rung || ' ' || n.reason || ' ' || round(100 * n.warps / n.waiting) FROM
#:              named n WHERE n.family = s.family AND n.place = 1 AND n.kind = 'kernel' ORDER BY
#:              n.time_ns DESC LIMIT 1) AS slowest,
#:            (SELECT n.rung || ' ' || n.reason || ' ' || round(100 * n.warps / n.waiting) FROM
#:              named n WHERE n.family = s.family AND n.place = 1 AND n.kind = 'kernel' ORDER BY
#:              n.time_ns LIMIT 1) AS fastest
#:            FROM stall s GROUP BY s.family, s.size HAVING common IS NOT NULL ORDER BY s.family
#: data    SELECT row_number() OVER (ORDER BY v.rung, v.variant) - 1 AS at, CASE v.kind WHEN
#:              'library' THEN 0 ELSE v.rung END AS rung,
#:            replace(v.rung || ' ' || v.title || coalesce(', ' || v.sweep_name || ' ' || m.sweep,
#:              ''), ',', char(8218)) AS label,
#:            m.stall_total - 1 AS value, m.stall_long_scoreboard AS long_scoreboard,
#:              m.stall_short_scoreboard AS short_scoreboard,
#:            m.stall_barrier AS barrier, m.stall_mio_throttle AS mio_throttle, m.stall_lg_throttle
#:              AS lg_throttle,
#:            m.stall_math_pipe_throttle AS math_pipe_throttle, m.stall_dispatch_stall AS
#:              dispatch_stall, m.stall_wait AS wait,
#:            m.stall_no_instruction AS no_instruction, m.stall_branch_resolving AS
#:              branch_resolving, m.stall_not_selected AS not_selected,
#:            printf('%.1f', m.stall_total - 1) AS warps_text,
#:              coalesce(CAST(round(m.issue_active_pct) AS INTEGER) || ' %', '-') AS issue_text,
#:            CASE WHEN max(p.status = 'ok') THEN 'not measured' ELSE max(p.status) END AS word
#:            FROM points p JOIN variants v USING (family, variant)
#:            LEFT JOIN metrics m ON m.family = p.family AND m.variant = p.variant AND m.size =
#:              p.size AND m.best = 1
#:            WHERE p.family = :family AND p.size = :size AND v.kind <> 'cpu' GROUP BY v.variant
#:            ORDER BY v.rung, v.variant

# The reasons by their names and colours, the same in every picture. To add one: a word in each of
# the three, at the same place, and a column above.
known = 'long_scoreboard short_scoreboard barrier mio_throttle lg_throttle math_pipe_throttle ' \
    .'dispatch_stall wait no_instruction branch_resolving not_selected other'
shades = '0x0072b2 0x56b4e9 0xd55e00 0x009e73 0x004c78 0xe69f00 0xcc79a7 0xf0e442 0x7b3294 ' \
    .'0x8c510a 0xdddddd 0xa0a0a0'
array words_of[12] = ['Long scoreboard (global memory)', 'Short scoreboard (shared memory)', \
    'Barrier', 'MIO throttle', 'LG throttle (global memory)', \
    'Math pipe', 'Dispatch stall', 'Wait', 'No instruction', 'Branch resolving', 'Not selected', \
        'other']
place(reason) = (sum [k = 1:words(known)] (word(known, k) eq reason ? k : 0))
title_of(reason) = words_of[place(reason)]
shade(reason) = int(word(shades, place(reason)))
# The main wait of a rung: "<rung> <reason> <share>".
waits(who) = 'rung '.word(who, 1).': '.title_of(word(who, 2)).', '.sprintf('%d', int(word(who, \
    3))).' %'
message = slowest eq '' ? 'Not measured' : slowest eq fastest ? 'Longest wait of '.waits(slowest) \
        : 'Longest wait of the slowest, '.waits(slowest).'; of the fastest, '.waits(fastest)
reasons = ''
do for [i = 1:words(known)] { if (word(known, i) eq 'other' || strstrt(' '.common.' ', \
    ' '.word(known, i).' ')) { reasons = reasons.' '.word(known, i) } }
legend_rows = (words(reasons) + 1) / 2
top = top - 12 + 19 * legend_rows + 26
columns = 106           # pixels for the numbers at the right
eval canvas(top + bottom + rungs * row)
set multiplot
set rmargin at screen 1 - real(columns + 10) / width
set xrange [0:100]
set xtics 25
set xlabel 'of the time that a warp waits, %'
do for [i = 1:words(reasons)] {
    legend_y = 1 - (68.0 + shift + 19 * ((i - 1) / 2)) / height
    legend_x = 22.0 + 300 * ((i - 1) % 2)
    set object i rectangle at screen legend_x / width, screen legend_y size screen 11.0 / width, \
        screen 11.0 / height fillcolor rgb shade(word(reasons, i)) fillstyle solid noborder
    set label 10 + i title_of(word(reasons, i)) at screen (legend_x + 12) / width, \
        screen legend_y left font font.',13' textcolor rgb ink
}
# Shares add up to 100; reasons without a name of their own are the last share.
named = words(reasons) - 1
share(j) = 100 * number(word(reasons, j)) / number('value')
before(i) = i == 1 ? 0 : (sum [j = 1:i - 1] share(j))
from(i) = before(i) < 100 ? before(i) : 100
to(i) = i > named || before(i + 1) > 100 ? 100 : before(i + 1)
plot for [i = 1:words(reasons)] data using (to(i)):(column('at')):(from(i)):(to(i)):(column('at') \
    - 0.36):(column('at') + 0.36) \
         with boxxyerror linecolor rgb shade(word(reasons, i)) notitle, \
     @names, @absences
# The numbers, on pixels.
unset label
unset object
set lmargin at screen 0
set rmargin at screen 1
set border 0
unset xtics
unset xlabel
unset grid
set xrange [0:width]
set label 1 "cycles\nwaiting" at first width - 66, graph 1 right offset character 0, \
    1.5 font font.',13' textcolor rgb grey
set label 2 "issue\nslots" at first width - 14, graph 1 right offset character 0, \
    1.5 font font.',13' textcolor rgb grey
plot data using (width - 66):(strlen(strcol('value')) ? column('at') \
    : nowhere):(strcol('warps_text')) with labels right font font.',14' textcolor rgb ink notitle, \
     data using (width - 14):(strlen(strcol('value')) ? column('at') \
         : nowhere):(strcol('issue_text')) with labels right font font.',14' textcolor rgb ink \
         notitle
unset multiplot
