#!/bin/sh
# Tests that the tests hold when a kernel, a sentence, a title, a rung or a metric changes, although
# nobody has measured anything since: those that read the run of tests/fixture/ and the records pass
# on a copy of the project in which all of these are planted. For the tests that is the same as a
# change of the program: then the run says what the program does not.
. "${ROOT:-.}/tests/tap.sh"
project=$ROOT
run=$(fixture_run)
name=${run##*/}

# A copy of the project whose files are links, but for those that are altered: its records and
# kernels, the run in its data directory, and the README.
copy=$work/copy
altered=$copy/data/reports/recorded/$name
mkdir -p "$copy/data/reports/recorded"
for part in "$project"/*; do
    case ${part##*/} in build | kernels | metrics | README.md) ;; *) ln -s "$part" "$copy/" ;; esac
done
cp -R "$project/kernels" "$project/metrics" "$project/README.md" "$copy/"
for part in harness kernels metrics plots; do ln -s "$copy/$part" "$copy/data/"; done
for part in "$project"/reports/*; do
    [ "${part##*/}" = recorded ] || ln -s "$part" "$copy/data/reports/"
done
raw_run "$run" "$altered"

# The run lacks a rung that the program has, as after a new file under kernels/.
for table in variants claims published points launches accesses series samples counters; do
    grep -v '^reduce,19_' "$run/$table.csv" >"$altered/$table.csv"
done
is "$(grep -c '^reduce,19_' "$run/variants.csv") $(grep -c '^reduce,19_' "$altered/variants.csv")" \
    '1 0' 'the run lacks a rung'

with_words "$altered/variants.csv" pays 'This sentence is another one, and is said of every rung.' \
    >"$work/variants.csv"
mv "$work/variants.csv" "$altered/variants.csv"
is "$(grep -c 'This sentence is another one' "$altered/variants.csv")" \
    "$(($(wc -l <"$run/variants.csv") - 2))" 'a sentence of every rung is changed'

sed 's|^ \* .*|& A word more.|' "$project/kernels/reduce/03_sequential.cu" \
    >"$copy/kernels/reduce/03_sequential.cu"
cmp -s "$project/kernels/reduce/03_sequential.cu" "$copy/kernels/reduce/03_sequential.cu"
is $? 1 'the comment of a kernel is changed'

# The title of each cause stands in one line of its record.
sed -E '/^cause /,/^$/s/^( +title +.*)$/\1 retitled/' "$project/metrics/causes.metric" \
    >"$copy/metrics/causes.metric"
is "$(grep -c '^ .* retitled$' "$copy/metrics/causes.metric")" \
    "$(grep -c '^cause ' "$project/metrics/causes.metric")" 'the title of every cause is changed'

cat >"$copy/metrics/planted.metric" <<'END'
metric planted_instructions
    words    planted instructions
    formula  2 * warp_instructions_hw
    unit     instructions
    better   lower
    means    Twice the instructions of the warps.
END
expect 0 'the run is evaluated' env WHYFAST_DATA="$copy/data" "$WHYFAST" evaluate -q "$altered"
is "$(head -n 1 "$altered/metrics.csv" | tr , '\n' | grep -c planted_instructions)" 1 \
    '  a new metric is a column of its metrics'

for test in explain/test_recorded_causes explain/test_recorded_conflicts \
    explain/test_recorded_ledger explain/test_recorded_steps lines/test_recorded_lines \
    lines/test_recorded_waits report/test_recorded_timeline catalog/test_records \
    catalog/test_items evaluate/test_metrics evaluate/test_metric_checks \
    cli/conflicts.sh cli/explain.sh cli/lines.sh lint/pages.sh lint/records.sh \
    golden/operations.sh; do
    status=0
    case $test in
    *.sh) set -- sh "$copy/tests/$test" ;;
    *) set -- "$BUILD/tests/unit/$test" ;;
    esac
    env WHYFAST="$WHYFAST" BUILD="$BUILD" ROOT="$copy" TEST_DATA="$copy/data" \
        WHYFAST_DATA="$copy/data" CMOCKA_MESSAGE_OUTPUT=TAP "$@" >"$work/out" 2>&1 || status=$?
    is "$status $(grep -c '^ok ' "$work/out" | sed 's/^[1-9][0-9]*$/some/')" '0 some' \
        "  $test holds" || explain "$(grep -A 2 '^not ok' "$work/out" | head -n 6)"
done
finish
