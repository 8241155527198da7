# The style of all pictures. To add a picture, put a script into this folder: nothing else changes.
# Its head (harness/report/chart_script.h) says what the picture shows:
#   #: title    the finding, with its number; :name is a column of `each`
#   #: caption  how to read it
#   #: each     a SELECT with one row per picture. Its columns become strings here; `family` and
#               `size` (and `part`) name the file, `message` is the grey line below the title. Take
#               the sizes from chart_size, rungs from chart_rung, steps from chart_step
#               (harness/report/chart_tables.sql), whose titles are in quotes; leave out families in
#               which nothing moves.
#   #: data     a SELECT for the rows to plot: columns by name, :name from `each`
# Then `eval canvas(rows)` makes room for so many rows of a legend, or `eval table(rows, rungs)`
# also for the rows of a table or of bars, and `plot data using ...` draws. All lengths are pixels
# of a picture 1280 wide; its height is 720, or that of its rows. The PNG is 1.25 times as large.
# No text is below 14 pixels: pages draw a picture as wide as their column.

set encoding utf8
set datafile separator comma columnheaders

width = 1280.0
height = 720.0
most_for_labels = 370
label_width = most_for_labels # room for names, at the left; less if they are short
right_margin = 40
foot = 26             # room for the line at the bottom: device, date and program
bottom = 66 + foot    # and for the tics and the name of the axis

ink = 0x1a1a1a
grey = 0x6b6b6b
faint = 0xdddddd
font = 'sans-serif'
bold = font.(terminal eq 'svg' ? ' Bold' : ':Bold')
dots = terminal eq 'svg' ? 1.0 : 1.6   # size of a point

# A colour has one meaning in all pictures and pages: a measurement is `measured`, what it is
# compared with `reference`, what is faster or saved `faster`, what is slower or lost `slower`;
# the rest are groups of causes. Rungs are told apart by their names.
measured = 0x44546a
reference = 0xb4bcc6
faster = 0x313695
slower = 0xa50026

# The colours of the areas of metrics/causes.metric, in their order.
areas_known = 'work instructions shared_memory global_memory synchronisation launch_and_tail ' \
    .'unexplained'
area_colours = '0x009e73 0xe69f00 0xd55e00 0x0072b2 0xcc79a7 0x8c8c8c 0xffffff'
area_place(area) = (sum [k = 1:7] (word(areas_known, k) eq area ? k : 0))
group_colour(area) = area_place(area) ? int(word(area_colours, area_place(area))) : reference

channel(c, shift) = (int(c) / 2**shift) % 256
mix(a, b, part) = int((1 - part) * a + part * b + 0.5)
blend(a, b, part) = 65536 * mix(channel(a, 16), channel(b, 16), part) + 256 * mix(channel(a, 8), \
    channel(b, 8), part) + mix(channel(a, 0), channel(b, 0), part)
light(c) = blend(c, 0xffffff, 0.62)
# White or black, whichever is readable on the colour.
on(c) = 0.3 * channel(c, 16) + 0.59 * channel(c, 8) + 0.11 * channel(c, 0) > 120 ? ink : 0xffffff
# From white to the colour of faster, for 1, or slower, for -1.
least_of(a, b) = a < b ? a : b
heat(x) = x >= 0 ? blend(0xffffff, faster, least_of(1, x)) \
    : blend(0xffffff, slower, least_of(1, -x))

# Text over at most so many lines, each broken at the last blank that leaves at most `most`
# characters, or else behind the last hyphen.
blank_before(s, i) = i < 2 ? 0 : s[i:i] eq ' ' ? i : blank_before(s, i - 1)
cut(s, most) = strlen(s) <= most ? s : s[1:most - 1].'…'
hyphen_before(s, i) = i < 2 ? 0 : s[i:i] eq '-' ? i : hyphen_before(s, i - 1)
split(s, at, most, lines) = at ? s[1:at - 1]."\n".fold(s[at + 1:*], most, lines - 1) \
    : hyphen_before(s, most) ? s[1:hyphen_before(s, most)]."\n" \
        .fold(s[hyphen_before(s, most) + 1:*], most, lines - 1) : cut(s, most)
fold(s, most, lines) = strlen(s) <= most ? s : lines < 2 ? cut(s, most + 1) : split(s, \
    blank_before(s, most + 1), most, lines)
breaks(s) = strstrt(s, "\n") ? 1 + breaks(s[strstrt(s, "\n") + 1:*]) : 0

# gnuplot 5.4 cuts strings of a data file at a comma, even inside quotes: names contain char(8218)
# instead, which looks the same. It reads garbage from an empty last cell of a row: the last column
# of data that are read as strings is never empty. A column of only empty cells causes a warning,
# hence `number`: an empty cell is a point without a position, which gnuplot skips silently.
number(name) = strlen(strcol(name)) ? column(name) : NaN
nowhere = -1e9   # for hidden text: gnuplot 5.4 crashes on labels without a position

# Distance between tics that gives about five of them: 1, 2 or 5 times a power of ten.
decade(range) = 10**floor(log10(range / 5.0))
tics(range) = decade(range) * (range / 5.0 < 1.5 * decade(range) ? 1 \
    : range / 5.0 < 3.5 * decade(range) ? 2 : range / 5.0 < 7.5 * decade(range) ? 5 : 10)

# Sizes are written as 2^22 and 64 x 64: the exponent is raised, the x becomes a cross. gnuplot's
# own
# markup is off, because names of variants and devices must stay unchanged.
raised = '⁰ ¹ ² ³ ⁴ ⁵ ⁶ ⁷ ⁸ ⁹'
superscript(s, i) = i <= strlen(s) && strstrt('0123456789', s[i:i]) ? word(raised, \
    strstrt('0123456789', s[i:i])).superscript(s, i + 1) : crossed(s[i:*])
crossed(s) = strstrt(s, ' x ') ? s[1:strstrt(s, ' x ') - 1]."\302\240×\302\240" \
    .crossed(s[strstrt(s, ' x ') + 3:*]) : s
raise(s) = strstrt(s, '^') ? crossed(s[1:strstrt(s, '^') - 1]).raise(superscript(s, \
    strstrt(s, '^') + 1)) : crossed(s)

# The canvas: the title in at most two lines, the message below it in at most two, `legend` rows.
if (!exists('message')) { message = '' }
# No line ends between a number and its unit, or in 'n = 5'.
units = '% µs ms ns GB/s TFLOP/s KiB M)'
glued(s, unit) = strstrt(s, ' '.unit) ? s[1:strstrt(s, ' '.unit) - 1]."\302\240".unit \
    .glued(s[strstrt(s, ' '.unit) + strlen(unit) + 1:*], unit) : s
equal(s) = strstrt(s, ' = ') ? s[1:strstrt(s, ' = ') - 1]."\302\240=\302\240" \
    .equal(s[strstrt(s, ' = ') + 3:*]) : s
glue(s, i) = i > words(units) ? equal(glued(glued(raise(s), 'M →'), 'G →')) \
    : glued(glue(s, i + 1), word(units, i))
words_of_title = glue(title, 1)
long = strlen(words_of_title) > 140     # then it is smaller, so that it is never cut
headline = long ? fold(words_of_title, 106, 4) : fold(words_of_title, 76, 2)
message_lines = fold(glue(message, 1), 124, 2)
head = 74 + (long ? 28 : 35) * breaks(headline)
top = head + (message eq '' ? 0 : 14 + 24 * breaks(message_lines))
screen_y(y) = 1 - y / height
canvas(rows) = sprintf("legend_top = top + 16; top = top + %d; %s; set output output;", \
    16 + 28 * rows, terminal eq 'svg' \
    ? "set terminal svg size 1280,height fixed noenhanced font 'sans-serif,16' background rgb " \
        ."'white'" \
    : "set terminal png size 1600,1.25*height noenhanced font 'sans-serif,16' fontscale 0.9 " \
        ."linewidth 1.25 background rgb 'white'").frame
origin = run_device_name.' · '.run_date[1:10].' · whyfast '.run_whyfast_version \
    .(run_git_revision eq '' ? '' : ' ('.run_git_revision.')')
heading = "set label 1 headline at screen 24 / width, screen_y(36) left font bold.(long ? ',20' " \
        .": ',28') textcolor rgb ink;" \
    . "set label 2 message_lines at screen 24 / width, screen_y(head) left font font.',18' " \
        ."textcolor rgb grey;" \
    . "set label 9 origin at screen 24 / width, screen 14 / height left font font.',14' " \
        ."textcolor rgb grey;"
frame = heading \
    . "set tmargin at screen screen_y(top); set bmargin at screen bottom / height;" \
    . "set lmargin at screen label_width / width;" \
    . "set rmargin at screen 1 - right_margin / width;" \
    . "set key at screen 24 / width, screen_y(legend_top - 4) left top Left reverse horizontal " \
        ."samplen 1.3 spacing 1.1 maxrows 1 width 2 font font.',16' textcolor rgb ink"

# A row of a legend, by hand: `eval swatch(i, row, x, colour, text)`, i counts them.
swatch(i, row, x, c, text) = sprintf("set object %d rectangle center screen %.5f, screen %.5f " \
    ."size screen 16 / width, screen 16 / height fillcolor rgb %d fillstyle solid border " \
    ."linecolor rgb %d; set label %d '%s' at screen %.5f, screen %.5f left font font.',16' " \
    ."textcolor rgb ink;", 40 + i, (x + 8) / width, screen_y(legend_top + 12 + 28 * row), c, \
    c == 0xffffff ? grey : c, 40 + i, text, (x + 24) / width, screen_y(legend_top + 12 + 28 * row))

set border 2 linecolor rgb grey
set xtics nomirror scale 0 font font.',15' textcolor rgb grey
set ytics nomirror scale 0 font font.',15' textcolor rgb grey
# A line of SVG is taller than one of PNG: without the offset the last one is cut off.
set xlabel offset 0, (terminal eq 'svg' ? 0.7 : 0) font font.',16' textcolor rgb ink
set ylabel font font.',16' textcolor rgb ink
set style fill solid 1 noborder
set bars 0.5

# Pictures of rungs: horizontal bars with the first rung on top, so that names stay horizontal.
# The data hold `at`, the row; `label`; `value`, its interval `low` and `high` (or none), its text
# `value_text`; and `word`, the text in place of a missing value. The height of the picture is that
# of its rows; `headroom` is the room for headings between them and the legend.
headroom = 0
narrower = "if (label_width == most_for_labels) { stats data using (strlen(strcol('label'))) " \
    ."name 'lettered' nooutput; label_width = least_of(label_width, 46 + int(0.53 * text * " \
    ."lettered_max)) }"
row_height(n) = n > 16 ? 27 : n > 8 ? 34 : 46
table(legend, n) = sprintf("row = row_height(%d); text = row > 60 ? '18' : '16'; eval " \
    ."narrower; height = top + 16.0 + 28 * %d + headroom + row " \
    ."* %d + bottom;", n + 0, legend, n + 0).canvas(legend).sprintf("; top = top + headroom; " \
    ."set tmargin at screen screen_y(top); set yrange [%d - 0.5:-0.5]; unset ytics; set grid " \
    ."xtics back linetype 1 linecolor rgb faint linewidth 0.7; " \
    ."letters = int((label_width - 24) / (0.53 * text)); lines = row > 40 ? 2 : 1; " \
    ."line_height = 1.5 * text;", n + 0)
start = 0               # of the axis
room = 1.24             # beyond the largest value, for its text
# `eval axis(most)`: from 0, so that lengths compare.
axis(most) = sprintf("axis_end = %g; set xrange [0:axis_end]; set xtics %g", \
    most > 0 ? room * most : 1, tics(most > 0 ? room * most : 1))
seen = -1
at_start = "(column('at') == seen ? nowhere : (seen = column('at'), start + 1e-6 * abs(start)))"
# A name of two lines stands beside its row, not below it.
name_of = "fold(strcol('label'), letters, lines)"
raised_by(s) = 0.5 * line_height * breaks(s) / row
names = "data using ".at_start.":(column('at') - raised_by(".name_of.")):(".name_of.") with " \
    ."labels right offset -0.8, 0 font font.','.text textcolor rgb ink notitle"
absences = \
    "data using (start + 1e-6 * abs(start)):(column('at')):(strlen(strcol('value')) ? '' " \
    .": strcol('word')) " \
    ."with labels left offset 0.6, 0 font font.','.text textcolor rgb grey notitle"
bar(name, c) = sprintf("data using (number('%s')):(column('at')):(start):(number('%s')):" \
    ."(column('at') - 0.36):(column('at') + 0.36):(%s) with boxxyerror linecolor rgb variable " \
    ."notitle", name, name, c)
shade = "(strcol('kind') eq 'kernel' ? measured : reference)"   # of a rung
bars = bar('value', shade)
intervals = "data using (number('value')):(column('at')):(number('low')):(number('high')) with " \
    ."xerrorbars pointtype -1 linewidth 1.3 linecolor rgb ink notitle"
# A number that a line at `barrier` would strike through stands inside its bar.
barrier = 1e300
value_end(x) = strlen(strcol('high')) ? column('high') : strlen(strcol('value')) ? column('value') \
    : nowhere
is_struck(x) = value_end(0) < barrier && value_end(0) + 0.1 * axis_end > barrier
values = "data using (is_struck(0) ? nowhere : value_end(0)):(column('at')):" \
    ."(strcol('value_text')) with labels left offset 0.8, 0 font font.','.text textcolor rgb ink " \
    ."notitle, data using (is_struck(0) ? column('low') : nowhere):(column('at')):" \
    ."(strcol('value_text')):" \
    ."(on(@shade)) with labels right offset -0.8, 0 font font.','.text textcolor rgb variable " \
    ."notitle"

# Heat maps: the data hold `at`, `label`, `place` (the column, from 0), `tint` from -1 to 1 (empty
# for a cell without a value) and `value_text`. `columns` holds the headings, separated by '|', and
# `headroom = headings(1)` makes room for them. There are no tics below: `bottom = no_tics`.
no_tics = 20 + foot
part(s, i) = i < 2 ? (strstrt(s, '|') ? s[1:strstrt(s, '|') - 1] : s) \
    : part(s[strstrt(s, '|') + 1:*], i - 1)
# A heading has some air on both sides, but no word of twelve letters is cut where they fit.
cell_letters(wide) = int(least_of(12, wide / 7.0) > wide / 8.2 ? least_of(12, wide / 7.0) \
    : wide / 8.2)
heading_of(i) = fold(raise(part(columns, i)), \
    cell_letters((width - label_width - right_margin) / places), 5)
most_breaks(i) = i > places ? 0 : breaks(heading_of(i)) > most_breaks(i + 1) \
    ? breaks(heading_of(i)) : most_breaks(i + 1)
headings(i) = 36 + 24 * most_breaks(i)
columns_from = "start = -0.5; unset xlabel; set border 0; unset grid; set xrange [-0.5:places - " \
    ."0.5]; unset xtics; do for [i = 1:places] { set label 100 + i heading_of(i) at first i - 1, " \
    ."screen screen_y(top - 18 - 24 * breaks(heading_of(i))) center font font.',15' textcolor " \
    ."rgb ink }"
text_shift = 0          # of the text of a cell, in rows
tints(rule) = "data using (strlen(strcol('tint')) ? column('place') : NaN):(column('at')):" \
    ."(column('place') - 0.48):(column('place') + 0.48):(column('at') - 0.46):(column('at') + " \
    ."0.46):(".rule.") with boxxyerror linecolor rgb variable notitle, " \
    ."data using (column('place')):(column('at') + text_shift):(strcol('value_text')):(strlen(" \
    ."strcol('tint')) ? on(".rule.") : grey) with labels center font font.','.text textcolor rgb " \
    ."variable notitle"
cells = tints("heat(column('tint'))")
frames = "data using (strlen(strcol('tint')) ? column('place') : NaN):(column('at')):" \
    ."(column('place') - 0.48):(column('place') + 0.48):(column('at') - 0.46):(column('at') + " \
    ."0.46) with boxxyerror linecolor rgb reference fillstyle empty border notitle"

# Powers of ten and of two for the tics of logarithmic axes.
power(i) = i < 0 ? sprintf('%g', 10.0**i) : i < 5 ? sprintf('%d', 10**i) : raise(sprintf('10^%d', \
    i))
binary(x) = raise(sprintf('2^%d', floor(log(x) / log(2) + 0.5)))
log_tics(letter, from, to) = sprintf("set %stics (power(%d) 1e%d); do for [k = %d:%d] { set " \
    ."%stics add (power(k) 10.0**k) }", letter, from, from, from, to, letter)
# The same with 1, 2 and 5, or more, if there are few, and at equal distances over less than a
# doubling.
mantissas(range) = range > 12 ? '1 2 5' : range > 4 ? '1 1.5 2 3 4 5 7' \
    : '1 1.2 1.5 2 2.5 3 4 5 6 8'
fine_tics(letter, low, high) = log10(high / low) > 2.5 \
    ? log_tics(letter, floor(log10(low)), ceil(log10(high))) \
    : high < 2 * low ? sprintf("set %stics (1); do for [k = %d:%d] { set %stics add " \
        ."(sprintf('%%g', k * %g) k * %g) }", letter, ceil(low / tics(high - low)), \
        floor(high / tics(high - low)), letter, tics(high - low), tics(high - low)) \
    : sprintf("set %stics (1); do for [k = %d:%d] { do for [m in '%s'] { set %stics add " \
        ."(sprintf('%%g', m * 10.0**k) m * 10.0**k) } }", letter, floor(log10(low)), \
        ceil(log10(high)), mantissas(high / low), letter)

# Panels below each other: `eval between(from, to)`, in pixels below the top of the picture.
between(from, to) = sprintf("set tmargin at screen %.6f; set bmargin at screen %.6f", \
    screen_y(from), screen_y(to))
# Everything on pixels from the top left corner, for what is placed by hand.
on_pixels = "unset logscale; unset label; unset grid; unset xlabel; unset ylabel; unset xtics; " \
    ."unset ytics; unset arrow; unset object; set border 0; set tmargin at screen 1; set bmargin " \
    ."at screen 0; set lmargin at screen 0; set rmargin at screen 1; set xrange [0:width]; set " \
    ."yrange [height:0]"
