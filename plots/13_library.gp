#: title   :headline
#: caption Speed of the ladder's fastest rung over the library's own call at each size, with its
#:            95 % interval; above the line the rung is faster. Blue: faster than the library, red:
#:            slower. Grey: as fast within the noise. The grey band around 1 is the noise: how much
#:            the rung's time, or the library's, differs between two processes. Each ratio is the
#:              median over
#:            rounds in which both were timed one after the other. A ladder with a map of many
#:            sizes has that map instead. Where rungs compute with different numbers of bits, their
#:            relative errors stand below.
#: each    WITH ratio AS (SELECT m.*, row_number() OVER (PARTITION BY m.family, m.size ORDER BY
#:              m.time_ns) AS place FROM metrics m JOIN variants v USING (family, variant) WHERE
#:              m.best = 1 AND v.kind = 'kernel' AND m.speedup_library > 0),
#:            library AS (SELECT b.family, iif(min(v.title) = max(v.title), '“' || max(v.title) ||
#:              '”', 'the library') AS words, max((SELECT max(p.error_bound) > min(p.error_bound)
#:              FROM
#:              points p WHERE p.family = b.family AND p.size = b.size)) AS has_errors FROM ratio b
#:              JOIN library_ratios y USING (family, variant, size) JOIN variants v ON v.family =
#:              y.family AND v.variant = y.library GROUP BY b.family)
#:            SELECT r.family, l.has_errors, l.words AS library, count(DISTINCT r.size) AS places,
#:              (SELECT
#:              group_concat(words, '|') FROM (SELECT size_text(size) AS words FROM ratio o WHERE
#:              o.family = r.family AND place = 1 ORDER BY useful_bytes, size)) AS columns,
#:            min(1, min(CASE r.place WHEN 1 THEN r.speedup_library END)) AS least, max(1, max(
#:              r.speedup_library)) AS most,
#:            'The fastest rung has ' || replace(ratio_text(min(CASE r.place WHEN 1 THEN
#:              r.speedup_library END)) || ' to ', ratio_text(max(CASE r.place WHEN 1 THEN
#:              r.speedup_library END)) || ' to ', '') || ratio_text(max(CASE r.place WHEN 1 THEN
#:              r.speedup_library END)) || ' the speed of ' || l.words || (SELECT CASE count(*) WHEN
#:              sum(direction = 1) THEN ' and is faster at each size' ELSE ': faster at ' ||
#:              iif(sum(direction = 1), sum(direction = 1), 'none') || ' of ' || count(*) ||
#:              ' sizes, slower at ' || iif(sum(direction = -1), sum(direction = -1), 'none') END FROM shape_map s WHERE s.family = r.family AND s.size IN (SELECT size FROM
#:              ratio o WHERE o.family = r.family)) AS headline,
#:              'Speed over the library; blue: faster, red: slower, grey: within the noise (band). ' ||
#:              coalesce(f.title, r.family) AS message
#:            FROM ratio r JOIN library l USING (family) LEFT JOIN families f USING (family) GROUP
#:              BY r.family HAVING places > 1 AND r.family NOT IN (SELECT family FROM map_family)
#:              ORDER BY r.family
#: data    WITH ranked AS (SELECT m.*, v.rung, row_number() OVER (PARTITION BY m.size ORDER BY
#:              m.time_ns) AS place, dense_rank() OVER (ORDER BY m.useful_bytes, m.size) - 1 AS at
#:              FROM metrics m JOIN variants v USING (family, variant) WHERE m.family = :family AND
#:              m.best = 1 AND v.kind = 'kernel' AND m.speedup_library > 0)
#:            SELECT at, speedup_library AS value, speedup_library_low AS low, speedup_library_high
#:              AS high, (SELECT direction FROM shape_map s WHERE s.family = :family AND s.size =
#:              ranked.size) AS direction, 1 + (SELECT known_floor_pct FROM library_ratios r WHERE
#:              r.family = :family AND r.variant = ranked.variant AND r.size = ranked.size) / 100 AS
#:              noise, 'rung ' || rung AS who, 'error ' || iif(relative_error IS NULL, NULL,
#:              printf('%.2g', relative_error)) AS error_text, (SELECT printf('library %.2g',
#:              l.relative_error) FROM library_ratios r JOIN metrics l ON l.family = r.family AND
#:              l.variant = r.library AND l.size = r.size AND l.best = 1 WHERE l.relative_error IS
#:              NOT
#:              NULL AND r.family = :family AND r.variant = ranked.variant AND r.size = ranked.size)
#:              AS
#:              library_text, ratio_text(speedup_library) AS value_text FROM ranked
#:              WHERE place = 1 ORDER BY at

errors_shown = has_errors eq '1'
height = errors_shown ? 520.0 : 460.0
eval canvas(0)
set lmargin at screen 110 / width
span = most / least < 1.2 ? 1.2 : most / least
low = least / span**0.25
high = most * span**(errors_shown ? 1.2 : 0.6) * 1.06
set logscale y
set xrange [-0.5:places - 0.5 + 0.14 * places]
set yrange [low:high]
eval fine_tics('y', low, high)
set format y '%g×'
unset xtics
set xtics (raise(part(columns, 1)) 0) nomirror scale 0 font font.',16' textcolor rgb ink
do for [i = 2:places] { set xtics add (raise(part(columns, i)) i - 1) }
set border 3
set grid ytics back linetype 1 linecolor rgb faint linewidth 0.7
set ylabel 'Speed over the library' offset -1, 0
set label 5 'as fast as '.library at graph 1, first 1 right offset character 0, 0.6 font \
    font.',15' textcolor rgb ink
shade(x) = number('direction') > 0 ? faster : number('direction') < 0 ? slower : grey
# The numbers stand in a row above all points, where no line meets them.
on_top(name, lines, size, colour) = sprintf("data using (column('at')):(high):(strcol('%s')) " \
    ."with labels center offset 0, %g font font.',%d' textcolor rgb %s notitle", name, lines, \
    size, colour)
ratios = on_top('value_text', -1.0, 18, 'ink')
rungs_above = on_top('who', -2.1, 15, 'grey')
below(name, lines) = errors_shown ? ', '.on_top(name, lines, 15, 'grey') : ''
errors = below('error_text', -3.3).below('library_text', -4.4)
plot data using (column('at')):(number('noise')):(column('at') - 0.3):(column('at') + 0.3): \
         (1 / number('noise')):(number('noise')) with boxxyerror fillcolor rgb faint notitle, \
     1 with lines linewidth 1.6 linecolor rgb ink notitle, \
     data using (column('at')):(number('value')):(number('low')):(number('high')):(shade(0)) with \
         yerrorbars pointtype 7 pointsize 1.1 * dots linewidth 1.8 linecolor rgb variable notitle, \
     @ratios, @rungs_above @errors
