#!/bin/sh
# Tests damaged and missing input: exit 4, the place as file:line, and nothing written.
. "${ROOT:-.}/tests/tap.sh"
quick_gnuplot

tiny_run "$work/good"
expect 0 'the run that will be damaged is good' "$WHYFAST" report "$work/good" -o "$work/earlier"
sums "$work/earlier" >"$work/earlier.sums"

# refused NAME WORDS COMMAND...: passes if the command exits with 4 and these words, and the damaged
# run, an earlier output and everything around them are unchanged.
refused() {
    name=$1
    words=$2
    shift 2
    sums "$work/place" >"$work/before"
    expect 4 "$name" "$@"
    says "$words" '  says where, and what was expected'
    sums "$work/place" >"$work/after"
    cmp -s "$work/before" "$work/after"
    result $? '  writes nothing' || explain "$(diff "$work/before" "$work/after" | head -n 5)"
}

# damaged: makes a fresh copy of the good run in $work/place/run, with an earlier output beside it.
damaged() {
    rm -rf "$work/place"
    mkdir "$work/place"
    cp -R "$work/good" "$work/place/run"
    cp -R "$work/earlier" "$work/place/out"
}
run=$work/place/run

# ---- runs ----------------------------------------------------------------------------------------

damaged
for command in evaluate explain plot report; do
    if [ "$command" = report ]; then
        operand=$work/place/empty
        words="$operand has no run.txt; expected a run directory"
        mkdir "$operand"
    else
        operand=$work/place/none
        words="there is no directory '$operand'"
    fi
    refused "$command without a run" "$words" "$WHYFAST" "$command" \
        "$operand"
done
for command in explain lines conflicts timeline; do
    refused "$command of a folder without run.txt" 'empty has no run.txt; expected a run directory' \
        sh -c "cd '$work/place' && '$WHYFAST' $command empty"
done
rm -r "$work/place/empty"
mkdir "$work/place/foreign"
echo 'years of work' >"$work/place/foreign/thesis.tex"
refused 'a foreign directory' 'foreign has no run.txt' "$WHYFAST" evaluate \
    "$work/place/foreign"
refused 'a file' 'thesis.tex is no directory' "$WHYFAST" evaluate \
    "$work/place/foreign/thesis.tex"

damaged
printf 'half a li' >>"$run/run.txt"
refused 'run.txt: truncated' 'the last line is not complete; the file is truncated' "$WHYFAST" \
    report "$run" -o "$work/place/out"

for table in $raw_tables; do
    damaged
    rm "$run/$table.csv"
    refused "$table.csv: missing" "$table.csv: " "$WHYFAST" report "$run" -o "$work/place/out"
    damaged
    printf 'cut,off' >>"$run/$table.csv"
    refused "$table.csv: truncated" "$table.csv" "$WHYFAST" report "$run" -o "$work/place/new"
    damaged
    sed -i '2s/$/,more/' "$run/$table.csv"
    refused "$table.csv: one cell too many" "$table.csv:2: " "$WHYFAST" report "$run" \
        -o "$work/place/out"
done

damaged
sed -i '1s/time_ns/time_s/' "$run/samples.csv"
refused 'samples.csv: another column' "samples.csv:1: column 'time_s'; expected 'time_ns'" \
    "$WHYFAST" evaluate "$run"
damaged
refused 'plot before evaluate' "is missing; 'whyfast evaluate $run' creates it" "$WHYFAST" plot "$run"
"$WHYFAST" evaluate -q "$run"
sed -i '3s/.*/&,1/' "$run/metrics.csv"
refused 'metrics.csv: damaged' 'metrics.csv:3: ' "$WHYFAST" explain "$run"

# ---- knowledge: records, charts, templates -------------------------------------------------------

data=$work/data
fresh_data() {
    rm -rf "$data"
    mkdir -p "$data/reports"
    cp -R "$ROOT/metrics" "$ROOT/plots" "$data/"
    cp -R "$ROOT/reports/pages" "$data/reports/"
    damaged
    "$WHYFAST" evaluate -q "$run"
}
WHYFAST_DATA=$data

WHYFAST_DATA=$work/nowhere
damaged
words='cannot find the directory with metrics/, plots/ and reports/; name it in WHYFAST_DATA;'
refused 'missing data' "$words it is now $work/nowhere" \
    "$WHYFAST" evaluate "$run"
WHYFAST_DATA=$data

fresh_data
printf '%s\n' 'metric broken' '    unit x' '    formula no_such_counter + 1' \
    '    better lower' '    means Nothing.' >"$data/metrics/zz.metric"
refused 'a metric of an unknown counter' 'zz.metric:3: no such column: no_such_counter' "$WHYFAST" \
    report "$run" -o "$work/place/out"
refused 'the same, in place' 'zz.metric:3: ' "$WHYFAST" evaluate "$run"

# bad_chart NAME WORDS HEADER...: passes if a script under plots/ with these lines is refused.
# bad_picture: passes if its picture alone is left out.
bad_chart() {
    add_chart "$@"
    refused "a chart: $name" "$words" "$WHYFAST" plot "$run"
    refused "a chart in a report: $name" "$words" "$WHYFAST" report "$run" -o "$work/place/out"
}
bad_picture() {
    add_chart "$@"
    expect 1 "a chart: $name" "$WHYFAST" plot "$run"
    says ": plots/$words" '  says where'
    expect 0 "a chart in a report: $name" "$WHYFAST" report "$run" -o "$work/place/out"
    says ": plots/$words" '  says where'
}
add_chart() {
    name=$1
    words=$2
    shift 2
    fresh_data
    printf '%s\n' "$@" >"$data/plots/zz.gp"
}
title='#: title   x'
caption='#: caption x'
each="#: each    SELECT 'reduce' AS family"
rows='#: data    SELECT 1 AS x'
bad_chart 'without data' "zz.gp:1: expected a line '#: data'" "$title" "$caption" "$each"
bad_chart 'an unknown line' "zz.gp:2: 'tilte'; expected title, caption, each or data" '# comment' \
    '#: tilte x'
bad_chart 'twice the same' "zz.gp:2: 'title' is given twice" "$title" "$title"
bad_picture 'an unknown table' 'zz.gp:3: no such table: nowhere' "$title" "$caption" \
    '#: each SELECT * FROM nowhere' "$rows"
bad_picture 'an unknown name' "zz.gp:4: no enclosing row has a column ':nobody'" "$title" \
    "$caption" "$each" '#: data SELECT :nobody AS x'
bad_picture 'a write' 'zz.gp:4: not authorized' "$title" "$caption" "$each" \
    '#: data DELETE FROM metrics'
bad_picture 'two statements' 'zz.gp:4: more than one statement' "$title" "$caption" "$each" \
    '#: data SELECT 1 AS x; SELECT 2'

# bad_template WORDS TEXT: passes if this template is refused.
bad_template() {
    fresh_data
    printf '%b' "$2" >"$data/reports/pages/index.html"
    refused "a template: $2" "$1" "$WHYFAST" report "$run" -o "$work/place/out"
}
bad_template "index.html:2: no enclosing row has a column 'nobody'" 'first\n{{nobody}}\n'
bad_template "index.html:1: 'each' without its 'end'" '{{each SELECT 1}} x'
bad_template "index.html:3: 'end' without 'each'" '\n\n{{end}}'
bad_template "index.html:1: 'none' without 'each'" '{{none}}'
bad_template 'index.html:1: no such table: nowhere' '{{each SELECT * FROM nowhere}}{{end}}'
bad_template 'index.html:1: not authorized' '{{each DELETE FROM metrics}}{{end}}'
bad_template 'index.html:2: more than one statement' '\n{{each SELECT 1; SELECT 2}}{{end}}'
bad_template "index.html:1: no enclosing row has a column ':nobody'" \
    '{{each SELECT :nobody}}{{end}}'
bad_template 'is not the name of a chart' "{{each SELECT '../../x' AS chart}}{{picture}}{{end}}"
bad_template 'is not the name of a chart' '{{picture}}'
bad_template 'index.html:1: malformed JSON' "{{each SELECT 'no' AS x}}{{json x}}{{end}}"
bad_template "index.html:1: no enclosing row has a column 'x'" '{{json x}}'
bad_template 'index.html:1: expected {{page NAME SELECT ...}}' '{{page }}'
bad_template "index.html:1: '../x' cannot be part of the name of a page" \
    "{{page a-:name.html SELECT '../x' AS name}}"
bad_template "index.html:1: '' cannot be part of the name of a page" \
    '{{page a-:name.html SELECT 1 AS one}}'
bad_template "index.html:1: cannot include '_gone.html'" '{{include _gone.html}}'
bad_template "index.html:1: cannot include 'method.html'" '{{include method.html}}'
bad_template "index.html:1: cannot include '_/../method.html'" '{{include _/../method.html}}'
bad_template "index.html:1: cannot include ''" '{{include}}'
# bad_part WORDS TEXT: passes if this part of a page is refused.
bad_part() {
    fresh_data
    printf '{{include _part.html}}' >"$data/reports/pages/index.html"
    printf '%b' "$2" >"$data/reports/pages/_part.html"
    refused "a part of a page: $2" "$1" "$WHYFAST" report "$run" -o "$work/place/out"
}
bad_part "_part.html:2: no enclosing row has a column 'nobody'" '\n{{nobody}}'
bad_part "_part.html:1: cannot include '_part.html'" '{{include _part.html}}'
fresh_data
rm -r "$data/reports/pages"
refused 'templates that are not there' 'reports/pages: ' "$WHYFAST" report "$run" \
    -o "$work/place/out"

# ---- earlier runs stay unchanged -----------------------------------------------------------------

sums "$work/earlier" | cmp -s - "$work/earlier.sums"
result $? 'the earlier output never changed'
finish
