#!/bin/sh
# Tests that the compressed recorded run is unpacked once, into the user's cache, and again when it
# changes.
. "${ROOT:-.}/tests/tap.sh"
data=$work/data
packed=$data/reports/recorded/test-gpu
copy=$work/cache/whyfast/recorded/test-gpu
mkdir -p "$data"
cp -R "$ROOT/metrics" "$ROOT/plots" "$data/"
small_run "$work/small"
sh "$ROOT/tools/pack_run.sh" "$work/small" "$packed"
cp -R "$ROOT/reports/pages" "$data/reports/"
WHYFAST_DATA=$data
export WHYFAST_DATA

for words in 'explain test-gp' 'explain tst-gpu reduce/02' 'lines est-gpu reduce/02' 'conflicts test-gup' \
    'timeline test_gpu' 'compare test-gpu test-gpv' 'explain test-gpu test-gp reduce/02'; do
    # shellcheck disable=SC2086 # words
    expect 2 "a mistyped name: $words" "$WHYFAST" $words
    says "did you mean 'test-gpu'?" '  names the nearest'
done
[ ! -e "$copy" ]
result $? '  and nothing was unpacked for them'

expect 0 'a compressed run' "$WHYFAST" explain reduce/02 reduce/03
prints 'Recorded run test-gpu' '  is shown'
is "$(complaints)" "whyfast: unpacking the recorded run into $copy, once" \
    '  and unpacked into the cache, with one line that says so'
for table in $raw_tables; do
    cmp -s "$work/small/$table.csv" "$copy/$table.csv"
    result $? "  $table.csv is the same"
    is "$(xz -dc "$packed/$table.csv.xz" | head -n 1)" \
        "#columns of $(($(wc -l <"$work/small/$table.csv"))) rows" '  and was packed by columns'
done
mkdir "$work/texts"
cp "$work/small/run.txt" "$work/texts/"
printf 'source,text\n0,"one\ntwo ""three"""\n1,"four"\n' >"$work/texts/source_files.csv"
printf 'kernel,sass,pc\n0,"MOV R1, R2 ""x""",\n0,,16\n' >"$work/texts/lines.csv"
sh "$ROOT/tools/pack_run.sh" "$work/texts" "$work/texts.packed"
sh "$ROOT/tools/unpack_run.sh" "$work/texts.packed" "$work/texts.again"
is "$(xz -dc "$work/texts.packed/source_files.csv.xz" | head -n 1)" source,text \
    'cells with line feeds are packed by rows'
is "$(xz -dc "$work/texts.packed/lines.csv.xz" | tr '\n' '|')" \
    '#columns of 3 rows|kernel|0|0|sass|"MOV R1, R2 ""x"""||pc||16|' 'those with commas by columns'
is "$(sums "$work/texts.again")" "$(sums "$work/texts")" '  all unpack to the same bytes'
is "$(grep -v '^status' "$copy/run.txt")" "$(grep -v '^status' "$packed/run.txt")" \
    '  the facts are the same'
is "$([ -s "$copy/metrics.csv" ] && [ -s "$copy/causes.csv" ]; echo $?)" 0 \
    '  the other tables are computed'
is "$(ls -A "$work/cache/whyfast/recorded")" "test-gpu
test-gpu.from" '  nothing else is left there'
expect 0 'again' "$WHYFAST" explain reduce/02 reduce/03
is "$(complaints)" '' '  it is there already'

# ---- by its name and by its path -----------------------------------------------------------------

"$WHYFAST" explain "$copy" reduce/02 reduce/03 >"$work/said"
for run in test-gpu "$packed" "$packed/"; do
    expect 0 "explain $run" "$WHYFAST" explain "$run" reduce/02 reduce/03
    cmp -s "$work/said" "$work/out"
    result $? '  asks its copy'
    for words in "lines $run reduce/02" "conflicts $run" "compare $run test-gpu"; do
        # shellcheck disable=SC2086 # words
        expect 0 "$words" "$WHYFAST" $words
        prints 'test-gpu (' '  is called by its name'
        lacks "$work/out" "$copy" '  not by the path of its copy'
        none "$(looked grep -E '(^|[ 0-9])us( |$)' <"$work/out")" '  with times in µs'
    done
    sums "$copy" >"$work/before"
    for words in "evaluate $run" "plot $run" "knockout $run" "collect $run"; do
        # shellcheck disable=SC2086 # words
        expect 4 "$words" "$WHYFAST" $words
        says "$run: is a recorded run, which ${words%% *} would change" '  is refused'
    done
    (cd "$work" && rm -rf whyfast-report &&
        exec env SSH_CONNECTION=elsewhere "$WHYFAST" report "$run") >"$work/out" 2>&1
    result $? "report $run"
    prints 'Replaying the recorded run test-gpu' '  replays it'
    prints 'whyfast-report/index.html' '  names its page'
    prints 'this host is remote: copy whyfast-report to look at it' '  and how to see it elsewhere'
    sed -n 's/^whyfast: try next: \(.*[^ ]\)  *(.*)$/\1/p' "$work/out" >"$work/next"
    is "$(wc -l <"$work/next")" 2 '  and two commands to try next'
    prints '(every step and its main causes)' '  about its steps'
    while read -r line; do
        # shellcheck disable=SC2086 # words
        (cd "$work" && $line) >"$work/out" 2>&1
        result $? "  $line"
    done <"$work/next"
    is "$(sed -n 's/^replay_of: //p' "$work/whyfast-report/run.txt")" test-gpu '  into a place of its own'
    sums "$copy" | cmp -s - "$work/before"
    result $? '  not into the copy'
done
if env --default-signal=INT true 2>/dev/null; then
    XDG_CACHE_HOME=$work/empty env --default-signal=INT "$WHYFAST" explain reduce/03 \
        >"$work/out" 2>"$work/err" &
    program=$!
    tries=0
    while ! grep -q unpacking "$work/err" && [ $tries -lt 200 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    kill -INT $program
    status=0
    wait $program || status=$?
    is $status 130 'SIGINT while it is evaluated'
    says 'interrupted; nothing was kept of ' '  is told'
fi
expect 2 'a variant that it lacks' "$WHYFAST" explain test-gpu reduce/77
says "whyfast: test-gpu has no variant 'reduce/77'" '  is said of it by its name'
for words in 'lines no/report reduce/02' 'explain no/report reduce/02' 'lines before slow'; do
    # shellcheck disable=SC2086 # words
    expect 2 "$words" "$WHYFAST" $words
    word=${words#* }
    says "there is no run '${word%% *}', and test-gpu has no variant of this name; its families are" \
        '  takes what is no family for a run, too'
done
for words in 'explain a.cu b.cu' 'lines a.cu' 'compare a.cu b.cu' 'conflicts a.cu'; do
    # shellcheck disable=SC2086 # words
    expect 2 "$words" "$WHYFAST" $words
    says "whyfast: a.cu is a source file, and no run" '  says what a source is'
    says "'whyfast run -- PROGRAM'" '  and what measures it'
    says "'whyfast diff" '  or compares two'
    is "$(wc -l <"$work/err")" 1 '  and unpacks no run for that'
done
mkdir "$work/here"
cp -R "$(fixture_run)" "$work/here/test-gpu"
(cd "$work/here" && exec "$WHYFAST" lines test-gpu reduce/02) >"$work/out" 2>&1
lacks "$work/out" 'Recorded run' 'a run of this name in the current directory goes first'

sed 's/^date: .*/date: 2031-01-01T00:00:00Z/' "$packed/run.txt" >"$work/run.txt"
cp "$work/run.txt" "$packed/run.txt"
expect 0 'another run of this name' "$WHYFAST" explain reduce/02 reduce/03
says 'unpacking the recorded run' '  is unpacked anew'
prints '2031-01-01' '  and shown'
echo '# another record' >>"$data/metrics/facts.metric"
expect 0 'other records' "$WHYFAST" explain reduce/02 reduce/03
says 'unpacking the recorded run' '  compute the tables anew'
expect 0 'a report' "$WHYFAST" report --replay -o "$work/report"
cmp -s "$work/small/samples.csv" "$work/report/samples.csv"
result $? '  replays the unpacked run'
ln -s "$data" "$work/link"
sums "$data" >"$work/before"
for place in "$packed" "$work/link/reports/recorded/test-gpu"; do
    for operands in --replay "$place"; do
        expect 5 "into the recorded run: report $operands" "$WHYFAST" report "$operands" -o "$place"
        says "$place: is a recorded run, which a result does not replace" '  is refused'
    done
done
expect 4 'the recorded run evaluated' "$WHYFAST" evaluate "$packed"
expect 5 'into its copy' "$WHYFAST" report --replay -o "$copy/../test-gpu"
says 'test-gpu: is the recorded run itself' '  is refused'
sums "$data" | cmp -s - "$work/before"
result $? '  nothing is changed'

rm -r "$work/cache"
mkdir "$work/bin"
expect 4 'without xz' env PATH="$work/bin" "$WHYFAST" explain reduce/02 reduce/03
says 'xz is not on the PATH: install it' '  it says so'
is "$(find "$work/cache" -name '*.csv')" '' '  and leaves nothing'
if python=$(python3 -c 'import lzma, sys; print(sys.executable)' 2>/dev/null); then
    printf '#!/bin/sh\nexec %s "$@"\n' "$python" >"$work/bin/python3"
    chmod +x "$work/bin/python3"
    expect 0 '  with Python it does' env PATH="$work/bin" "$WHYFAST" explain reduce/02 reduce/03
    rm -r "$work/cache"
else
    skip 'there is no Python with lzma'
fi
printf '#columns of 3 rows\nfamily\nreduce\n' | xz -c >"$packed/samples.csv.xz"
expect 4 'a table by columns that is cut off' "$WHYFAST" explain reduce/02 reduce/03
says "$packed/samples.csv.xz: is damaged: its last column is cut off" '  is named'
is "$(find "$work/cache" -name '*.csv')" '' '  and leaves nothing'
echo broken >"$packed/samples.csv.xz"
expect 4 'a broken file' "$WHYFAST" explain reduce/02 reduce/03
says "$packed/samples.csv.xz: cannot be unpacked: " '  is named'
expect 5 'no place for it' env -u XDG_CACHE_HOME -u HOME "$WHYFAST" explain reduce/02 reduce/03
says 'XDG_CACHE_HOME' '  says what to set'
finish
