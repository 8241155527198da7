#!/bin/sh
# Tests added metrics, charts and devices, a missing gnuplot, hostile strings and paths, and Ctrl-C.
. "${ROOT:-.}/tests/tap.sh"
tiny_run "$work/good"
unset WHYFAST_DATA
if [ "$BUILD" = "$ROOT/build" ]; then
    expect 0 'the data are found beside the program' "$WHYFAST" list metrics
else
    skip 'this tree of objects does not lie where a program is'
fi

# ---- a metric, a chart, a device: a file each ----------------------------------------------------

data="$work/my data"
mkdir -p "$data/reports"
cp -R "$ROOT/metrics" "$ROOT/plots" "$data/"
cp -R "$ROOT/reports/pages" "$data/reports/"
WHYFAST_DATA=$data
export WHYFAST_DATA
cat >"$data/metrics/mine.metric" <<'END'
metric my_metric
    title   Mine
    unit    apples
    formula 3 * launches + 1
    better  lower
    means   A metric of my own.
END
cat >"$data/plots/99_mine.gp" <<'END'
#: title   Mine :size
#: caption How many apples: :apples.
#: each    SELECT family, size, human(max(my_metric)) AS apples FROM metrics GROUP BY family, size
#: data    SELECT variant, my_metric FROM metrics WHERE family = :family AND size = :size AND best = 1
eval canvas(400)
plot data using 0:(column('my_metric')) with points notitle
END
expect 0 'a report with a metric and a chart of my own' "$WHYFAST" report "$work/good" \
    -o "$work/mine"
is "$(complaints)" '' '  nothing to complain of'
is "$(head -n 1 "$work/mine/metrics.csv" | tr , '\n' | grep -c '^my_metric$')" 1 \
    '  the metric is a column'
is "$(head -n 1 "$work/mine/noise.csv" | tr , '\n' | grep -c '^my_metric$')" 1 '  its noise as well'
expect 0 'its values' "$WHYFAST" evaluate "$work/mine" -m launches,my_metric
# A variant of the CPU launches nothing, so it has neither value.
column "$work/out" launches my_metric >"$work/values"
none "$(looked awk -F '\t' '$1 == "" ? $2 != "" : $2 != 3 * $1 + 1' <"$work/values")" '  are right'
is "$(awk -F '\t' '$1 != ""' "$work/values" | wc -l | awk '{ print ($1 > 0) }')" 1 \
    '  of every launch'
is "$(find "$work/mine/charts" -name '99_mine*.svg' | wc -l)" \
    "$(sed 1d "$work/mine/metrics.csv" | cut -d , -f 1,3 | sort -u | wc -l)" \
    '  a chart for each family and size'
chart=$(find "$work/mine/charts" -name '99_mine*.svg' | sort | head -n 1)
result "$([ -s "$chart" ]; echo $?)" '  the chart is drawn'
contains "$chart" '</svg>' '  and whole'
expect 0 'plot' "$WHYFAST" plot "$work/mine"
result "$([ -s "${chart%.svg}.png" ]; echo $?)" '  draws it as PNG too'
contains "$work/mine/charts.csv" '99_mine' '  it is in the list'
contains "$work/mine/ladder-reduce.html" 'How many apples: ' '  and in the report, with its caption'
contains "$work/mine/report.md" "](charts/$(basename "$chart"))" '  in both'
contains "$work/mine/method.html" 'A metric of my own.' '  the glossary has the metric'
expect 0 'it is listed' "$WHYFAST" list my_metric
prints 'formula    3 * launches + 1' '  with its formula'
is "$(find "$work/mine/charts" -name '*.svg' | wc -l)" \
    "$(($(wc -l <"$work/mine/charts.csv") - 1))" 'every chart of the list is there, and no other'
expect 0 'the charts can be drawn again by hand' sh \
    -c 'cd "$1" && rm -f ./*.svg && "$2" plot.gp && ls ./*.svg' sh "$work/mine/charts" \
    "${GNUPLOT:-gnuplot}"
is "$(wc -l <"$work/out")" "$(($(wc -l <"$work/mine/charts.csv") - 1))" '  all of them'
rm "$data/plots/99_mine.gp" "$data/metrics/mine.metric"

expect 0 'plot makes the same charts again' "$WHYFAST" plot "$work/mine"
is "$(find "$work/mine/charts" -name '99_mine*')" '' '  without the one whose script is gone'
is "$(find "$work/mine" -name '*.part' -o -name '*.tmp')" '' '  and leaves nothing behind'

# A picture that fails is a gap: gnuplot fails on the first, SQL on the others.
failing='01_ladder 02_speedup 20_waterfall'
sums "$work/mine/charts" | grep -vE '/(0[12]|20)_|/plot' >"$work/others"
printf 'plot nonsense here\n' >>"$data/plots/01_ladder.gp"
sed -i '/^#: each/s/SELECT/SELECT nonsense,/' "$data/plots/02_speedup.gp"
sed -i '/^#: data/s/SELECT/SELECT nonsense,/' "$data/plots/20_waterfall.gp"
expect 1 'pictures that cannot be drawn' "$WHYFAST" plot "$work/mine"
says 'warning: 01_ladder-reduce-4194304: "01_ladder.gp" line ' '  gnuplot names its script'
says 'undefined variable: nonsense' '  and its reason'
says 'warning: 02_speedup: plots/02_speedup.gp:' '  SQL, of which no picture is known'
says 'warning: 20_waterfall-reduce-4194304-02_interleaved_strided: plots/20_waterfall.gp:' '  or the picture'
is "$(grep -c 'no such column: nonsense' "$work/err")" 2 '  with its reason'
is "$(sums "$work/mine/charts" | grep -vE '/(0[12]|20)_|/plot')" "$(cat "$work/others")" \
    '  all others are drawn'
is "$(grep -c "^output = '.*svg'" "$work/mine/charts/plot.gp")" \
    "$(find "$work/mine/charts" -name '*.svg' | wc -l)" '  plot.gp draws those again'
expect 0 'a report with gaps' "$WHYFAST" report "$work/good" -o "$work/gaps"
says 'warning: 02_speedup: plots/02_speedup.gp:' '  warns of them'
for page in ladder-reduce.html report.md; do
    contains "$work/gaps/$page" 'could not be drawn: ' "  $page says where"
    lacks "$work/gaps/$page" 'charts/01_ladder-' '  and has no such picture'
done
for script in $failing; do cp "$ROOT/plots/$script.gp" "$data/plots/"; done

expect 0 'evaluate says more with -v' "$WHYFAST" evaluate -v "$work/mine"
says "wrote $work/mine/metrics.csv" '  names the file that it wrote'

# ---- without gnuplot -----------------------------------------------------------------------------

expect 0 'a report without gnuplot' env PATH=/nowhere "$WHYFAST" report "$work/good" -o "$work/bare"
is "$(complaints | grep -c .)" 1 '  one warning'
says 'warning: gnuplot is not on the PATH: the report has no charts' '  says what is missing'
result "$([ ! -e "$work/bare/charts" ]; echo $?)" '  no charts'
lacks "$work/bare/ladder-reduce.html" '<img' '  no picture in the report'
is "$(grep -ci 'gnuplot' "$work/bare/report.md" | awk '{ print ($1 > 0) }')" 1 \
    '  the report says so'
expect 0 'quietly' env PATH=/nowhere "$WHYFAST" report -q "$work/good" -o "$work/bare"
is "$(complaints)" '' '  no warning with -q'
expect 5 'plot alone cannot do without' env PATH=/nowhere "$WHYFAST" plot "$work/bare"
says 'gnuplot' '  says why'

# ---- paths ---------------------------------------------------------------------------------------

odd="$work/it's a \"place\"; \$(touch pwned) & %s"
mkdir "$odd"
cp -R "$work/good" "$odd/a run"
mkdir "$odd/data"
cp -R "$data/metrics" "$data/plots" "$data/reports" "$odd/data/"
(cd "$odd" &&
    WHYFAST_DATA="$odd/data" "$WHYFAST" report "a run" -o "an 'out' put" >"$work/out" 2>"$work/err")
is "$?" 0 'blanks, quotes and dollars in paths' || explain "$(cat "$work/err")"
prints "an 'out' put/index.html" '  the report is named as it is'
result "$([ -s "$odd/an 'out' put/index.html" ]; echo $?)" '  and is there'
is "$(find "$odd/an 'out' put/charts" -name '*.svg' -size +0 | wc -l)" \
    "$(($(wc -l <"$odd/an 'out' put/charts.csv") - 1))" '  with its charts'
is "$(find "$work" -name 'pwned*')" '' '  nothing was run'
(cd "$work" && cp -R good ./-run &&
    "$WHYFAST" report -q -o ./-out -- -run >"$work/out" 2>"$work/err")
is "$?" 0 'a run whose name begins with a dash, after --' || explain "$(cat "$work/err")"

# ---- strings -------------------------------------------------------------------------------------

# A foreign run may hold any text. The report must show it as text; gnuplot and the shell must treat
# it as a string.
cp -R "$work/good" "$work/hostile"
evil="<script>alert(1)</script> | \"q\" 'x' \`touch $work/pwned1\` & \\ {{date}} @
'; system(\"touch $work/pwned2\"); set title 'x"

# poison FILE COLUMN: puts that text, as CSV, into this column of the first row; the columns before
# it must be plain words.
poison() {
    EVIL="\"$(printf '%s' "$evil" | sed 's/"/""/g')\"" awk -v column="$2" 'NR != 2 { print; next } {
        for (i = 1; i < column; i++) {
            match($0, /^[^,]*,/)
            head = head substr($0, 1, RLENGTH)
            $0 = substr($0, RLENGTH + 1)
        }
        match($0, /^("([^"]|"")*"|[^,]*)/)
        print head ENVIRON["EVIL"] substr($0, RLENGTH + 1)
    }' "$work/good/$1" >"$work/hostile/$1"
}
poison variants.csv 4
poison families.csv 2
poison claims.csv 4
EVIL=$(printf '%s' "$evil" |
    tr '\n' ' ') awk '/^device_name: / { print "device_name: " ENVIRON["EVIL"]; next } { print }' \
    "$work/good/run.txt" >"$work/hostile/run.txt"
expect 0 'a run with hostile strings' "$WHYFAST" report "$work/hostile" -o "$work/shown"
is "$(complaints)" '' '  nothing to complain of'
is "$(find "$work" -name 'pwned*')" '' '  nothing was run'
contains "$work/shown/ladder-reduce.html" '&#123;&#123;date&#125;&#125;' '  braces in a value are text'
# In a Markdown table, a pipe in a value must not start a cell, and a line feed must not start a
# row.
none "$(looked awk '
    /^\|/ {
        row = $0
        gsub(/\\\|/, "", row)
        cells = gsub(/\|/, "", row)
        if (previous && cells != previous) print
        previous = cells
    }
    !/^\|/ { previous = 0 }' <"$work/shown/report.md")" \
    '  every row of a table has the cells of its head'
is "$(find "$work/shown/charts" -name '*.svg' -size +0 | wc -l)" \
    "$(($(wc -l <"$work/shown/charts.csv") - 1))" '  all charts are drawn'

# The name of a setting may be any words, and it is part of the charts' names.
find "$work" -name '*.svg' | sort >"$work/pictures"
small_run "$work/climbing"
sed -i "2,\$s/,blocks per SM,/,..\/..\/..\/..\/setting,/
    2,\$s/,loads,/,..\/..\/..\/..\/setting,/
    2,\$s/,words,/,..\/..\/..\/..\/setting,/" "$work/climbing/variants.csv"
expect 0 'a setting that is called like a path' "$WHYFAST" report "$work/climbing" \
    -o "$work/climbed"
is "$(grep -c '\.\./\.\./setting' "$work/climbing/variants.csv" | sed 's/^[1-9][0-9]*$/some/')" \
    some '  there is one'
is "$(find "$work/climbed/charts" -name '*.svg' | wc -l)" \
    "$(($(wc -l <"$work/climbed/charts.csv") - 1))" '  stays in charts/'
is "$(find "$work" -name '*.svg' ! -path "$work/climbed/charts/*" | sort |
    diff "$work/pictures" -)" \
    '' '  and nowhere else'

# ---- Ctrl-C --------------------------------------------------------------------------------------

# A gnuplot that announces its start and then takes its time, so that the signal arrives meanwhile.
mkdir "$work/slow" "$work/place"
cat >"$work/slow/gnuplot" <<END
#!/bin/sh
: >"$work/drawing"
exec sleep 1
END
chmod +x "$work/slow/gnuplot"
cp -R "$work/bare" "$work/place/out"
sums "$work/place" >"$work/before"
cp -R "$work/good" "$work/damaged"
echo damaged >"$work/damaged/samples.csv"
expect 4 'a report of a damaged run, in its place' "$WHYFAST" report "$work/damaged" -o "$work/damaged"
says "$work/damaged/samples.csv:1: " '  names the file by its own path'
# A shell makes background processes ignore SIGINT; env restores the default.
if env --default-signal=INT true 2>/dev/null; then
    signals='INT TERM HUP'
    heed='--default-signal=INT,HUP'
else
    signals='TERM HUP'
    heed=
    skip 'env cannot give SIGINT its meaning back'
fi
for signal in $signals; do
    rm -f "$work/drawing"
    # shellcheck disable=SC2086 # an option or nothing
    env $heed PATH="$work/slow:$PATH" "$WHYFAST" report "$work/good" \
        -o "$work/place/out" >"$work/out" 2>"$work/err" &
    program=$!
    tries=0
    while [ ! -e "$work/drawing" ] && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -$signal $program
    status=0
    wait $program || status=$?
    is "$status" 130 "SIG$signal in the middle of a report"
    says 'interrupted' '  says so'
    sums "$work/place" | cmp -s - "$work/before"
    result $? '  the earlier output is intact, nothing lies beside it'
done
finish
