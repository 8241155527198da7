#!/bin/sh
# Tests that a foreign run cannot write outside of the output, run a command, read a file, put a
# script into the report, or control the terminal.
. "${ROOT:-.}/tests/tap.sh"
real_path=$PATH
quick_gnuplot

# Nothing may touch these files; they are compared after every attempt. The commands planted in a
# run would create $work/guarded/hit.
mkdir "$work/guarded" "$work/place"
echo 'the secret of this machine' >"$work/guarded/secret"
sums "$work/guarded" >"$work/guarded.sums"
untouched() {
    sums "$work/guarded" | cmp -s - "$work/guarded.sums"
    result $? "$1: nothing around it was touched" ||
        explain "$(sums "$work/guarded" | diff "$work/guarded.sums" -)"
}

# Two rungs of one ladder at one size: a report of them takes a second.
tiny_run "$work/tiny"
run=$work/place/run
out=$work/place/out
fresh() {
    rm -rf "$run" "$out"
    cp -R "$work/tiny" "$run"
}

# ---- words ---------------------------------------------------------------------------------------

# tags FILE...: prints every tag of pages once, without the text in quotes. A tag that the honest
# pages lack must come from the run.
tags() { cat "$@" | tr '\n' ' ' | sed 's/"[^"]*"/""/g' | grep -o '<[^>]*>' | sort -u; }
# harmless NAME: passes if the report has only the tags and links of the honest one, no script of a
# run, and nothing printed has control characters.
harmless() {
    tags "$out"/*.html | comm -23 - "$work/tags" >"$work/more"
    result "$([ ! -s "$work/more" ]; echo $?)" "$1: the pages have no tag of the run's" ||
        explain "$(head -c 300 "$work/more")"
    sed 's/`[^`]*`//g' \
        "$out/report.md" >"$work/report.md" # text between backticks is shown as it is
    cat "$out"/*.html | grep -o 'href="[^"]*"' |
        grep -v '^href="[A-Za-z0-9_./-]*\(#[A-Za-z0-9_.=/-]*\(&amp;b=[A-Za-z0-9_/]*\)\{0,1\}\)\{0,1\}"$' >"$work/more"
    if [ -s "$work/more" ] || grep -q '[^\\]](javascript' "$work/report.md" ||
        grep -q '<[a-z/!]' "$work/report.md"; then
        result 1 "$1: no link and no tag of the run's" || explain "$(head -c 300 "$work/more")"
    else
        result 0 "$1: no link and no tag of the run's"
    fi
    none "$(cat "$out"/ladder-*.js | looked grep '[<>&]')" "$1: no script ends in the data"
    if command -v node >/dev/null; then
        for script in "$out"/ladder-*.js; do node --check "$script" || echo "$script"; done \
            >"$work/more" 2>&1
        is "$(head -c 300 "$work/more")" '' '  and the data are a script'
    fi
    quiet "$1"
}
# quiet NAME: passes if nothing that was printed or reported controls the terminal.
escape=$(printf '\033')
quiet() {
    set -- "$1" "$work/out" "$work/err"
    [ ! -e "$out" ] || set -- "$@" "$out/report.md" "$out"/*.html "$out"/*.js
    name=$1
    shift
    if grep -qF "$escape" "$@"; then
        result 1 "$name: no orders to the terminal"
    else
        result 0 "$name: no orders to the terminal"
    fi
}

fresh
expect 0 'the honest run is reported' "$WHYFAST" report "$run" -o "$out"
# The tags of the templates count as well: a report of few rungs does not use all of them.
{
    tags "$out"/*.html
    cat "$ROOT"/reports/pages/*.html | tr '\n' ' ' | sed 's/{{[^}]*}}//g' >"$work/template"
    tags "$work/template"
} |
    sort -u >"$work/tags"
result "$([ "$(wc -l <"$work/tags")" -gt 20 ]; echo $?)" 'the honest page has tags'

hit="touch $work/guarded/hit"
words="\"><script>alert(1)</script><img src=x onerror=alert(2)>'\`$hit\`\$($hit)'; system('$hit'); \"; !$hit; load '<$hit' ](javascript:alert(3)) {{each SELECT 1}} @names ${escape}]0;title"
# set_column TABLE COLUMN: puts the words into every cell of a column.
set_column() { with_words "$work/tiny/$1.csv" "$2" "$words" >"$run/$1.csv"; }

# Every column of every table in turn, in make test one of eight: a cell that must be a number or a
# name is refused with its place; other words are shown as words.
step=$(some 8 1)
columns=0
for table in $raw_tables $later_tables; do
    [ -e "$work/tiny/$table.csv" ] || continue
    for column in $(head -n 1 "$work/tiny/$table.csv" | tr , ' '); do
        [ "$(wc -l <"$work/tiny/$table.csv")" -gt 1 ] || continue
        columns=$((columns + 1))
        [ $((columns % step)) -eq 0 ] || continue
        fresh
        set_column "$table" "$column"
        status=0
        "$WHYFAST" report "$run" -o "$out" >"$work/out" 2>"$work/err" </dev/null || status=$?
        case $status in
        0) harmless "$table.$column" ;;
        4)
            quiet "$table.$column"
            case $table.$column in # an expression, and a lookup in another table
            claims.expect) says "$run/claims.csv: claim 1 of" '  says where' ;;
            *) says "$run/$table.csv" '  says where' ;;
            esac
            ;;
        *) result 1 "$table.$column: exit status $status" || explain "$(head -c 300 "$work/err")" ;;
        esac
        [ ! -e "$work/guarded/hit" ] || result 1 "$table.$column: a command was run"
    done
done
untouched 'every column in turn'
is "$((columns > 100))" 1 '  of many'
fresh
set_column claims expect
expect 4 'an expression, evaluated' "$WHYFAST" evaluate "$run"
says "$run/claims.csv: claim 1 of" '  the file is named by its own path'
# At least one free column must have reached the report: otherwise nothing would have been escaped.
fresh
set_column variants title
expect 0 'a title may be any words' "$WHYFAST" report "$run" -o "$out"
contains "$out/index.html" '&lt;script&gt;alert(1)' '  and appears in the page as words'
contains "$out/report.md" '&lt;script>' '  and in the Markdown'

fresh
WORDS=$words awk '
    /^[a-z_]*: [^0-9]/ && !/^status:/ { sub(/: .*/, ": "); print $0 ENVIRON["WORDS"]; next }
    { print }' "$work/tiny/run.txt" >"$run/run.txt"
expect 0 'every fact that is no number has these words' "$WHYFAST" report "$run" -o "$out"
harmless 'facts'
untouched 'facts'

# With the real gnuplot, and the words in every column that charts show.
if [ -n "${GNUPLOT:-}" ] && PATH=$real_path command -v "$GNUPLOT" >/dev/null; then
    fresh
    for column in title sweep_name sweep_text; do
        set_column variants "$column"
        expect 0 "charts with such words in $column" env PATH="$real_path" "$WHYFAST" report \
            "$run" -o "$out"
        lacks "$work/err" 'warning: ' '  gnuplot has nothing to say'
        untouched '  they are drawn'
        [ "$column" = title ] || continue
        result "$(ls "$out"/charts/*.svg >/dev/null 2>&1; echo $?)" '  there are pictures'
        if grep -l '<script' "$out"/charts/*.svg >"$work/more"; then
            result 1 '  no script in a picture'
        else
            result 0 '  no script in a picture'
        fi
    done
    fresh
    set_column families title
    expect 0 'charts with such words in the name of a family' env PATH="$real_path" "$WHYFAST" \
        report "$run" -o "$out"
    untouched '  they are drawn'
else
    skip 'gnuplot is not installed'
fi

# ---- names ---------------------------------------------------------------------------------------

# Names of rungs, families and sizes become parts of file names, anchors and command lines.
for name in '../../x' '/etc/passwd' '.hidden' '-o' 'a b' 'a;b' "it's" 'a"b' 'a$b' 'a`b`' '<b>' \
    'a\b' 'é' '%n' '*' "$(printf '%065d' 0)"; do
    for column in family variant size; do
        fresh
        words=$name set_column points "$column"
        expect 4 "a $column '$name'" "$WHYFAST" evaluate "$run"
        says "points.csv:2: column '$column': expected a name of at most 64 letters, digits" \
            '  says where, and what was expected'
    done
done
untouched 'names'

# ---- expressions ---------------------------------------------------------------------------------

# The run is evaluated once; explain then judges its claims.
fresh
"$WHYFAST" evaluate "$run"
rm -rf "$work/evaluated"
cp -R "$run" "$work/evaluated"
endless='WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n'
cd "$work/place" || exit 1
for expression in "1); ATTACH '$work/guarded/hit' AS x; SELECT (1" \
    "readfile('$work/guarded/secret')" "writefile('$work/guarded/hit', 'x')" "($endless)" \
    "1) FROM run; VACUUM INTO '$work/guarded/hit'; --" "edit('x', 'touch hit')"; do
    rm -rf "$run"
    cp -R "$work/evaluated" "$run"
    words=$expression set_column claims expect
    rm -f "$run/verdicts.csv"
    expect 4 "claims.expect: $expression" "$WHYFAST" evaluate "$run"
    [ ! -e "$run/verdicts.csv" ]
    result $? '  and nothing is written' || explain "$(ls "$run")"
done
untouched 'expressions'

# Foreign records, charts and templates can read only the run, and they end.
data=$work/place/data
mkdir -p "$data/reports"
cp -R "$ROOT/metrics" "$ROOT/plots" "$data/"
cp -R "$ROOT/reports/pages" "$data/reports/"
expect_of_data() {
    fresh
    expect 4 "$1" env WHYFAST_DATA="$data" "$WHYFAST" report "$run" -o "$out"
    says "$2" '  says where'
}
cp "$data/reports/pages/report.md" "$work/template.md"
printf '{{each %s}}x{{end}}' "$endless" >"$data/reports/pages/report.md"
expect_of_data 'a template without an end' 'report.md:1: stopped after '
printf '{{each SELECT readfile(%s)}}x{{end}}' "'$work/guarded/secret'" >"$data/reports/pages/report.md"
expect_of_data 'a template that reads a file' 'report.md:1: '
cp "$work/template.md" "$data/reports/pages/report.md"
printf 'metric broken\n    unit x\n    formula (%s)\n    better lower\n    means Nothing.\n' \
    "$endless" >"$data/metrics/zz.metric"
expect_of_data 'a formula without an end' 'zz.metric:3: stopped after '
printf '%s\n' 'metric broken' '    unit x' '    formula 1' '    better lower' \
    '    least 0; DROP TABLE m' '    means Nothing.' >"$data/metrics/zz.metric"
expect_of_data 'a malformed bound' "zz.metric:5: least '0; DROP TABLE m'; expected a number"
printf '%s\n' 'term zz' '    part issued' '    title x' '    cause residual' '    means x' \
    '    counted 1) FROM ledger_metrics UNION SELECT "0, 0, 0, 0); DROP TABLE m; --", (1' \
    >"$data/metrics/zz.metric"
expect_of_data 'a formula that ends its statement' "zz.metric:6: "
rm "$data/metrics/zz.metric"
untouched 'records and templates'

# ---- files ---------------------------------------------------------------------------------------

# Links, pipes and devices in a run.
for target in ../../guarded/secret "$work/guarded"; do
    fresh
    rm "$run/variants.csv"
    ln -s "$target" "$run/variants.csv"
    for command in evaluate report; do
        expect 4 "$command of a run with a link to $target" "$WHYFAST" "$command" "$run"
        says "$run/variants.csv: is a symbolic link; a run may contain only plain files" \
            '  says which'
    done
done
fresh
if mkfifo "$run/samples.csv.fifo" 2>/dev/null; then
    mv "$run/samples.csv.fifo" "$run/samples.csv"
    expect 4 'a pipe that nobody writes' "$WHYFAST" report "$run" -o "$out"
    says 'samples.csv: is not a plain file' '  says which'
    fresh
    rm "$run/run.txt"
    mkfifo "$run/run.txt"
    expect 4 'a pipe for run.txt' "$WHYFAST" evaluate "$run"
    mkfifo "$data/metrics/zz.metric"
    expect_of_data 'a pipe among the records' 'zz.metric: cannot read: '
    rm "$data/metrics/zz.metric"
else
    skip 'there are no pipes here'
fi
untouched 'links and pipes'

# Of the paths in sources.csv, the program opens only files of the project below kernels/, and shows
# only files whose hash matches the run's.
for path in ../../guarded/secret "$work/guarded/secret" kernels/../../../guarded/secret /dev/stdin \
    kernels/../Makefile /etc/passwd kernels /proc/self/environ; do
    fresh
    words=$path set_column sources path
    expect 0 "a source $path" "$WHYFAST" lines "$run" 01_
    lacks "$work/out" 'the secret' '  is not shown'
done
words=../../guarded/secret set_column sources path
expect 0 'a report with such sources' "$WHYFAST" report "$run" -o "$out"
lacks "$out/index.html" 'the secret' '  does not show it'
fresh
words="x${escape}[2Jy" set_column lines sass
expect 0 'orders to the terminal in the machine code' "$WHYFAST" lines "$run" 01_ --sass
quiet 'lines'
fresh
for column in title sweep_name suffers factors sass_status; do
    set_column variants "$column"
    expect 0 "a run with such words in $column is evaluated" "$WHYFAST" evaluate "$run"
    expect 0 '  its steps are shown' "$WHYFAST" explain "$run"
    quiet "explain of a run, $column"
    expect 0 '  two rungs are compared' "$WHYFAST" explain "$run" 01_ 02_
    quiet "explain of two rungs, $column"
    expect 0 '  and the run with itself' "$WHYFAST" compare "$run" "$run" --all-settings
    quiet "compare, $column"
done
sed -i "s/^device_name: .*/device_name: x${escape}[2Jy/" "$run/run.txt"
expect 0 'orders to the terminal in a fact' "$WHYFAST" compare "$run" "$run"
quiet 'facts of a comparison'
expect 0 '  as JSON' "$WHYFAST" compare "$run" "$run" --json
quiet 'facts in JSON'
expect 0 '  in a timeline' "$WHYFAST" timeline "$run"
quiet 'facts of a timeline'
if has_terminal; then
    on_terminal "$WHYFAST lines $run 01_ --sass --csv"
    lacks "$work/out" "x${escape}" 'CSV on a terminal is without them'
else
    skip 'no terminal is available'
fi
untouched 'sources'

# Files beside the tables are kept when a run is reported in place, but none of them is followed.
fresh
mkdir "$run/charts"
printf '<svg onload="alert(1)"><script>alert(2)</script></svg>' \
    >"$run/charts/01_ladder-reduce-4194304.svg"
printf 'chart,script,family,size,title,caption\n../../guarded/secret,x,reduce,1,x,x\n' \
    >"$run/charts.csv"
printf 'system("%s")\n' "$hit" >"$run/charts/plot.gp"
printf 'done ../../x\n' >"$run/journal.txt"
expect 0 'a run with charts of its own' "$WHYFAST" report "$run"
out=$run harmless 'its own charts'
lacks "$run/index.html" "$(printf '<svg onload' | base64 | cut -c 1-12)" '  they are drawn anew'
untouched 'charts'

cd "$work" || exit 1
rm -rf "$run" "$out" "$data"
is "$(find "$work/place" -mindepth 1 | head -n 3)" '' \
    'the reports leave nothing beside the run and its report'
finish
