#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests that the tests hold when a kernel, a sentence, a title, a rung or a metric changes, although
# nobody has measured anything since: those that read the run of tests/fixture/ and the records pass
# on copies of the project in which each of these is planted. For the tests that is the same as a
# change of the program: then the run says what the program does not.
. "${ROOT:-.}/tests/tap.sh"
project=$ROOT
run=$(fixture_run)
name=${run##*/}

# altered WHAT: makes $work/WHAT, a copy of the project whose files are links, but for those that
# can be altered: its records, kernels and pages, the run in its data directory, and the README.
altered() {
    copy=$work/$1
    mkdir -p "$copy/data/reports/recorded"
    for part in "$project"/*; do
        case ${part##*/} in build | kernels | metrics | README.md) ;; *) ln -s "$part" "$copy/" ;; esac
    done
    cp -R "$project/kernels" "$project/metrics" "$project/README.md" "$copy/"
    for part in harness kernels metrics plots; do ln -s "$copy/$part" "$copy/data/"; done
    for part in "$project"/reports/*; do
        [ "${part##*/}" = recorded ] || ln -s "$part" "$copy/data/reports/"
    done
    raw_run "$run" "$copy/data/reports/recorded/$name"
}
# holds WHAT TEST...: evaluates the run of the copy and runs the tests on it.
holds() {
    what=$1
    shift
    WHYFAST_DATA=$copy/data "$WHYFAST" evaluate -q "$copy/data/reports/recorded/$name" \
        >"$work/out" 2>&1
    result $? "$what: the run is evaluated" || explain "$(head -n 3 "$work/out")"
    for test in "$@"; do
        status=0
        case $test in
        *.sh) set -- sh "$copy/tests/$test" ;;
        *) set -- "$BUILD/tests/unit/$test" ;;
        esac
        env WHYFAST="$WHYFAST" BUILD="$BUILD" ROOT="$copy" TEST_DATA="$copy/data" WHYFAST_DATA="$copy/data" \
            CMOCKA_MESSAGE_OUTPUT=TAP "$@" >"$work/out" 2>&1 || status=$?
        is "$status $(grep -c '^ok ' "$work/out" | sed 's/^[1-9][0-9]*$/some/')" '0 some' \
            "  $test holds" || explain "$(grep -A 2 '^not ok' "$work/out" | head -n 6)"
    done
}
on_the_run='explain/test_recorded_causes explain/test_recorded_conflicts
    explain/test_recorded_ledger explain/test_recorded_steps lines/test_recorded_lines
    lines/test_recorded_waits report/test_recorded_timeline'
on_the_records='catalog/test_records catalog/test_items evaluate/test_metrics
    evaluate/test_metric_checks explain/test_rules'

altered sentence
changed=$copy/data/reports/recorded/$name/variants.csv
with_words "$run/variants.csv" pays 'This sentence is another one, and is said of every rung.' \
    >"$changed"
is "$(grep -c 'This sentence is another one' "$changed")" \
    "$(($(wc -l <"$run/variants.csv") - 1))" 'a sentence of every rung is changed'
# shellcheck disable=SC2086 # a list
holds 'another sentence' $on_the_run cli/conflicts.sh

altered comment
sed 's|^ \* .*|& A word more.|' "$project/kernels/reduce/03_sequential.cu" \
    >"$copy/kernels/reduce/03_sequential.cu"
cmp -s "$project/kernels/reduce/03_sequential.cu" "$copy/kernels/reduce/03_sequential.cu"
is $? 1 'the comment of a kernel is changed'
# shellcheck disable=SC2086 # a list
holds 'another comment' $on_the_run cli/lines.sh lint/pages.sh

# The title of each cause stands in one line of its record.
altered title
sed -E '/^cause /,/^$/s/^( +title +.*)$/\1 retitled/' "$project/metrics/causes.metric" \
    >"$copy/metrics/causes.metric"
is "$(grep -c '^ .* retitled$' "$copy/metrics/causes.metric")" \
    "$(grep -c '^cause ' "$project/metrics/causes.metric")" 'the title of every cause is changed'
# shellcheck disable=SC2086 # a list
holds 'other titles' $on_the_run cli/explain.sh cli/conflicts.sh golden/operations.sh

# The run lacks a rung that the program has, as after a new file under kernels/.
altered rung
for table in variants claims published points launches accesses series samples counters; do
    grep -v '^reduce,19_' "$run/$table.csv" >"$copy/data/reports/recorded/$name/$table.csv"
done
is "$(grep -c '^reduce,19_' "$run/variants.csv") $(grep -c '^reduce,19_' \
    "$copy/data/reports/recorded/$name/variants.csv")" '1 0' 'the run lacks a rung'
# shellcheck disable=SC2086 # a list
holds 'a new rung' $on_the_run cli/conflicts.sh

altered metric
cat >"$copy/metrics/planted.metric" <<'END'
metric planted_instructions
    formula  2 * warp_instructions_hw
    unit     instructions
    better   lower
    means    Twice the instructions of the warps.
END
# shellcheck disable=SC2086 # two lists
holds 'a new metric' $on_the_run $on_the_records lint/records.sh lint/pages.sh cli/conflicts.sh
is "$(head -n 1 "$copy/data/reports/recorded/$name/metrics.csv" | tr , '\n' |
    grep -c planted_instructions)" 1 '  which is a column of its metrics'
finish
