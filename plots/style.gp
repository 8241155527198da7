# The style of all pictures. The program sets title, terminal, data, output and the columns of
# `each` before it loads this file; the script of the picture follows and calls `eval
# canvas(height)` first. All lengths are pixels of the SVG; the PNG has twice as many.

set encoding utf8
set datafile separator comma columnheaders

width = 620
label_width = 222     # room for the names of the rungs, at the left
top = 92              # room for the title, the message and the legend
bottom = 58           # room for the tics and the name of the axis
row = !exists('rungs') || rungs + 0 <= 12 ? 46 : 40   # height of a rung

ink = 0x1a1a1a
grey = 0x6b6b6b
faint = 0xdddddd
neutral = 0x9a9a9a    # shown in the legend instead of a rung's own colour
font = 'sans-serif'
bold = font.(terminal eq 'svg' ? ' Bold' : ':Bold')

# Okabe and Ito's colours, which colour-blind readers can tell apart. The number at the start of a
# variant's name is the key, so that a rung has the same colour in every picture; from the ninth
# rung on the colours repeat, and the number in the label tells the rungs apart. Anything that is
# not a rung is grey: a library is 0, the CPU -1.
palette = '0x0072b2 0xe69f00 0x009e73 0xcc79a7 0x56b4e9 0xd55e00 0x4d4d4d 0xf0e442'
colour(rung) = rung == 0 ? 0xa0a0a0 : rung < 0 ? 0xcccccc \
    : int(word(palette, (int(rung) - 1) % 8 + 1))
channel(c, shift) = (int(c) / 2**shift) % 256
light(c) = 65536 * ((channel(c, 16) + 510) / 3) + 256 * ((channel(c, 8) + 510) / 3) + (channel(c, \
    0) + 510) / 3
# White or black, whichever is readable on the colour.
on(c) = 0.3 * channel(c, 16) + 0.59 * channel(c, 8) + 0.11 * channel(c, 0) > 120 ? ink : 0xffffff

# The groups of causes (the areas of metrics/causes.metric) with their colours, the same in every
# picture and on every page.
areas_known = 'work instructions shared_memory global_memory synchronisation launch_and_tail ' \
    .'unexplained'
area_colours = '0x009e73 0xe69f00 0xd55e00 0x0072b2 0xcc79a7 0x8c8c8c 0xffffff'
array area_titles[7] = ['Useful work', 'Instructions', 'Shared memory and conflicts', \
    'Global memory', 'Synchronisation', 'Launch and tail', 'Not explained']
area_place(area) = (sum [k = 1:7] (word(areas_known, k) eq area ? k : 0))
group(area) = area_place(area) ? area_place(area) : 2
group_colour(area) = int(word(area_colours, group(area)))
group_title(area) = area_titles[group(area)]

# Text over at most so many lines, each broken at the last blank that leaves at most `most`
# characters; a name has two lines.
blank_before(s, i) = i < 2 ? 0 : s[i:i] eq ' ' ? i : blank_before(s, i - 1)
cut(s, most) = strlen(s) <= most ? s : s[1:most - 1].'…'
split(s, at, most, lines) = at ? s[1:at - 1]."\n".fold(s[at + 1:*], most, lines - 1) : cut(s, most)
fold(s, most, lines) = strlen(s) <= most ? s : lines < 2 ? cut(s, most + 1) : split(s, \
    blank_before(s, most + 1), most, lines)
wrap(s, most) = fold(s, most, 2)
breaks(s) = strstrt(s, "\n") ? 1 + breaks(s[strstrt(s, "\n") + 1:*]) : 0
# gnuplot centres one line on its point and hangs a second below: this moves such a label up by half
# a line, in rows.
lift(s, most) = strstrt(wrap(s, most), "\n") ? 0.2 : 0

# gnuplot 5.4 cuts strings of a data file at a comma, even inside quotes: names contain char(8218)
# instead, which looks the same.
name = 25             # characters on a line of a rung's name

# gnuplot 5.4 also reads garbage from an empty last cell of a row: the last column of data that are
# read as strings is never empty.

# A cell as a number. An empty cell is a point without a position, which gnuplot skips silently; a
# column of only empty cells would cause a warning.
number(name) = strlen(strcol(name)) ? column(name) : NaN

# End of an axis that starts at zero: slightly beyond the peak if it is known and not far from the
# measurements, otherwise `room` times the largest value. Both may be empty.
far_below(peak, most) = peak ne '' && most ne '' && most < 0.4 * peak
limit(peak, most, room) = peak eq '' || far_below(peak, most) ? (most eq '' ? 1 : room * most) \
                        : most eq '' || peak + 0 > most + 0 ? 1.02 * peak : 1.02 * most

# Distance between tics that gives about five of them: 1, 2 or 5 times a power of ten.
decade(range) = 10**floor(log10(range / 5.0))
tics(range) = decade(range) * (range / 5.0 < 1.5 * decade(range) ? 1 \
    : range / 5.0 < 3.5 * decade(range) ? 2 : range / 5.0 < 7.5 * decade(range) ? 5 : 10)

# Titles hold sizes as 2^22; here the exponent is raised and the x between factors becomes a cross,
# without gnuplot's markup, because names of variants and devices must stay unchanged.
raised = '⁰ ¹ ² ³ ⁴ ⁵ ⁶ ⁷ ⁸ ⁹'
heading = ''
exponent = 0
do for [i = 1:strlen(title)] {
    letter = title[i:i]
    digit = strstrt('0123456789', letter)
    if (letter eq '^') { exponent = 1; continue }
    if (!digit) { exponent = 0 }
    if (exponent) { letter = word(raised, digit) }
    if (i > 1 && title[i - 1:i + 1] eq ' x ') { letter = '×' }
    # No line ends within a size.
    if (letter eq ' ' && (title[i:i + 2] eq ' x ' || title[i:i + 2] eq ' = ' || i > 2 \
        && (title[i - 2:i] eq ' x ' || title[i - 2:i] eq ' = '))) { letter = "\302\240" }
    heading = heading.letter
}
if (!exists('message')) { message = '' }

# The same for text that a script builds or that comes from the data.
superscript(s, i) = i <= strlen(s) && strstrt('0123456789', s[i:i]) ? word(raised, \
    strstrt('0123456789', s[i:i])).superscript(s, i + 1) : raise(s[i:*])
raise(s) = strstrt(s, '^') ? s[1:strstrt(s, '^') - 1].superscript(s, strstrt(s, '^') + 1) : s

# The title in at most two lines, the message below it in at most three; each line beyond the first
# moves everything below it.
headline = fold(heading, 54, 2)
headline_shift = 21 * breaks(headline)
most_letters = 82
message_lines(s) = fold(raise(s), most_letters, 3)
moved(s) = headline_shift + 17 * breaks(message_lines(s))

# The canvas of a picture: terminal, title, and below it in grey the message, which `each` may
# provide. h is the height with a title and a message of one line each.
canvas(h) = sprintf("shift = moved(message); top = top + shift; height = %d + shift; set " \
    ."terminal %s; set output output; %s", h, \
    terminal eq 'svg' ? sprintf("svg size %d,%d fixed noenhanced font '%s,15' background rgb " \
        ."'white'", width, h + moved(message), font) \
                      : sprintf("%s size %d,%d noenhanced font '%s,15' fontscale 1.6 linewidth " \
                          ."2 pointscale 3.4 background rgb 'white'", \
                                terminal, 2 * width, 2 * (h + moved(message)), font), frame)
frame = "set label 1 headline at screen 14.0 / width, screen 1 - 23.0 / height left font " \
    ."bold.',17' textcolor rgb ink;" \
      . "set label 2 message_lines(message) at screen 14.0 / width, screen 1 - (46.0 + " \
          ."headline_shift) / height left font font.',13' textcolor rgb grey;" \
      . "set tmargin at screen 1 - real(top) / height; set bmargin at screen real(bottom) / " \
          ."height;" \
      . "set lmargin at screen real(label_width) / width; set rmargin at screen 1 - 22.0 / width;" \
      . "set key at screen 14.0 / width, screen 1 - (59.0 + shift) / height left top Left " \
          ."reverse horizontal samplen 1.3 spacing 1 font font.',13' textcolor rgb ink"

# Pictures of rungs: horizontal bars with the first rung on top, so that names stay horizontal
# whatever their number. The data hold `at`, the row; `rung`; `label`; the column named by `which`
# and its text, <which>_text; and `word`, the text shown instead of a missing value.
rungs = exists('rungs') ? rungs + 0 : 7
set yrange [rungs - 0.5:-0.5]
unset ytics
set border 2 linecolor rgb grey
set xtics nomirror scale 0 font font.',13' textcolor rgb grey offset 0, 0.4
set xlabel font font.',14' textcolor rgb ink offset 0, 0.8
set grid xtics back linetype 1 linecolor rgb faint linewidth 0.7
set style fill solid 1 noborder
set bars 0.5

# Parts of a plot command, used as @name. The first column of a box repeats its value: gnuplot
# leaves a box out if that is not a number, but not if only its edge is not one. Values stand behind
# their bar (at column `edge`), or inside it if it goes beyond `far`.
which = 'value'
edge = which
behind(i) = strlen(strcol(edge)) ? column(edge) : number(which)
left = 0
nowhere = -1e9   # for hidden text: gnuplot 5.4 crashes on labels without a position
bars = "data using (number(which)):(column('at')):(0):(number(which)):(column('at') - " \
    ."0.36):(column('at') + 0.36):(colour(column('rung')))" \
     . " with boxxyerror linecolor rgb variable notitle"
names = "data using (left):(column('at') - lift(strcol('label'), name)):(wrap(strcol('label'), " \
    ."name))" \
     . " with labels right offset -0.8, 0 font font.',14' textcolor rgb ink notitle"
absences = "data using (left):(column('at')):(strlen(strcol(which)) ? '' : strcol('word'))" \
     . " with labels left offset 0.6, 0 font font.',14' textcolor rgb grey notitle"
values = "data using (number(which) <= far ? behind(0) : " \
    ."nowhere):(column('at')):(strcol(which.'_text'))" \
     . " with labels left offset 0.8, 0 font font.',14' textcolor rgb ink notitle," \
     . "data using (number(which) > far ? number(which) : " \
         ."nowhere):(column('at')):(strcol(which.'_text')):(on(colour(column('rung'))))" \
     . " with labels right offset -0.8, 0 font font.',14' textcolor rgb variable notitle"

# The peak of the memory as a labelled line on an axis that ends at `right`. Use: eval
# peak_line(right)
peak_line(right) = peak eq '' ? "" \
    : peak + 0 > right ? "set label 3 'DRAM bus peak '.peak_text.' GB/s, far to the right' at " \
        ."graph 1, graph 1 right offset character 0, 0.6 font font.',13' textcolor rgb grey" \
    : "set arrow 1 from peak + 0, graph 0 to peak + 0, graph 1 nohead dashtype 2 linewidth 1.5 " \
        ."linecolor rgb ink front;" \
    . "set label 3 'DRAM bus peak '.peak_text.' GB/s' at peak + 0, graph 1 right offset " \
        ."character 0, 0.6 font font.',13' textcolor rgb ink"

# Several panels side by side: `eval panel(i, count, 'heading over', 'two lines')` inside a
# multiplot.
gap = 28
panel_width(count) = (width - label_width - 22.0 - (count - 1) * gap) / count
panel_left(i, count) = label_width + i * (panel_width(count) + gap)
panel(i, count, over, under) = \
    sprintf("set lmargin at screen %.6f; set rmargin at screen %.6f;", \
            panel_left(i, count) / width, (panel_left(i, count) + panel_width(count)) / width) \
    . sprintf("set label 3 '%s' at graph 0, graph 1 left offset character 0, 1.8 font " \
        ."font.',14' textcolor rgb ink;", over) \
    . sprintf("set label 4 '%s' at graph 0, graph 1 left offset character 0, 0.7 font " \
        ."font.',14' textcolor rgb ink;", under) \
    . (i ? "unset label 1; unset label 2" : "")

# Powers of ten and of two for the tics of logarithmic axes.
power(i) = i < 3 ? word('1 10 100', i + 1) : raise(sprintf('10^%d', i))
binary(x) = raise(sprintf('2^%d', floor(log(x) / log(2) + 0.5)))

# Panels below each other: `eval between(from, to)`, in pixels below the top of the picture.
between(from, to) = sprintf("set tmargin at screen %.6f; set bmargin at screen %.6f", \
    1 - real(from) / height, 1 - real(to) / height)
