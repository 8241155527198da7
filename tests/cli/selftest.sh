#!/bin/sh
# Tests the self-test without a GPU: it judges a recorded one again, and fails if a wrong formula or
# an impossible value is planted.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/gpu/selftest.inc"
XDG_STATE_HOME=$work/state
export XDG_STATE_HOME
recorded=$work/recorded
sh "$ROOT/tools/unpack_run.sh" "$(dirname "$ROOT"/tests/gpu/recorded_selftest/*/run.txt)" "$recorded"
sums "$recorded" >"$work/recorded.sums"

expect 3 'no GPU here' "$WHYFAST" selftest
says 'no GPU here to test' '  says so'
expect 3 'nor for some kernels' "$WHYFAST" selftest 'selftest/0*'
expect 2 'neither a run nor a kernel' "$WHYFAST" selftest nothing
says "no kernel of the self-test matches 'nothing'" '  says so'

# ---- a recorded one ------------------------------------------------------------------------------

expect 0 'the recorded self-test passes' "$WHYFAST" selftest "$recorded"
none "$(looked grep '^ *wrong' <"$work/out")" '  nothing is wrong'
is "$(($(grep -c '^ *ok' "$work/out") > 600))" 1 '  more than 600 values are right'
checks=$(grep -cE '^ *(ok|absent)' "$work/out")
prints "$(grep -c '^ *ok' "$work/out") values right, 0 wrong, $(grep -c '^ *absent' \
    "$work/out") not testable here, on NVIDIA H200 with driver " \
    '  the last line sums it up'
is "$(sums "$recorded")" "$(cat "$work/recorded.sums")" '  it is left as it was'
is "$(ls -A "$work/state" 2>/dev/null)" '' '  a result that was not measured here is not remembered'
expect 0 'as CSV' "$WHYFAST" selftest --csv "$recorded"
is "$(head -n 1 "$work/out")" \
    'variant,setting,metric,expected,measured,error,within,noise,verdict,because' \
    '  it has a header'
is "$(($(wc -l <"$work/out") - 1))" "$checks" '  and a row for each check'
expect 0 'as JSON' "$WHYFAST" selftest --json "$recorded"
prints '{"schema":"whyfast.selftest/1","device_name":"NVIDIA H200"' '  it names the device'
is "$(grep -c '"verdict":' "$work/out")" "$checks" '  and has each check'
expect 0 'kept' "$WHYFAST" selftest "$recorded" -o "$work/kept"
is "$(awk -F , 'NR > 1' "$work/kept/selftest.csv" | wc -l)" "$checks" '  with its table'
expect 2 'options about measuring' "$WHYFAST" selftest "$recorded" --repeats 5
says 'options about measuring do not apply' '  say so'
mkdir "$work/nothing"
expect 4 'a directory that is no run' "$WHYFAST" selftest "$work/nothing"
expect 4 'a run of something else' "$WHYFAST" selftest "$(fixture_run)"
says "$(fixture_run) is no run of the self-test" '  says so'

# ---- planted -------------------------------------------------------------------------------------

# plant FILE EXPRESSION WORDS METRIC PATTERN: passes if the self-test finds METRIC wrong with the
# records changed so.
plant() {
    if ! planted_data "$work/data" "$1" "$2"; then
        result 1 "$3: the records are changed"
        return
    fi
    status=0
    WHYFAST_DATA=$work/data "$WHYFAST" selftest "$recorded" \
        -o "$work/planted" >"$work/out" 2>"$work/err" ||
        status=$?
    found_wrong "$status" "$work/planted/selftest.csv" "$4"
    result $? "$3: $4 is found wrong" || explain "exit status $status; $(head -c 300 "$work/err")"
}
each_formula plant

# counters SCRIPT: copies the recorded run with its counters changed by awk.
counters() {
    rm -rf "$work/changed"
    cp -R "$recorded" "$work/changed"
    awk -F , "BEGIN { OFS = FS } $by_name $1 { print }" \
        "$recorded/counters.csv" >"$work/changed/counters.csv"
}
cp -R "$recorded" "$work/damaged"
echo damaged >"$work/damaged/samples.csv"
expect 4 'a damaged table' "$WHYFAST" selftest "$work/damaged"
says "$work/damaged/samples.csv:1: " '  is named by its own path'
counters '
    $at["counter"] == "dram_read_bytes" { $at["counter"] = "dram_write_bytes"; print; next }
    $at["counter"] == "dram_write_bytes" { $at["counter"] = "dram_read_bytes" }'
expect 1 'reads for writes' "$WHYFAST" selftest "$work/changed" -o "$work/planted"
found_wrong 1 "$work/planted/selftest.csv" dram_write_bytes &&
    found_wrong 1 "$work/planted/selftest.csv" dram_read_bytes
result $? '  both are found wrong'
# taken COUNTER ANOTHER: passes if COUNTER is found wrong in a copy of the recorded run in which it
# has the values of ANOTHER; a check may already find these values impossible.
taken() {
    rm -rf "$work/changed"
    cp -R "$recorded" "$work/changed"
    awk -F , -v to="$1" -v from="$2" "$by_name"'
        BEGIN { OFS = FS }
        { key = ""; for (i = 1; i <= at["repeat"]; i++) key = key $i "," }
        NR == FNR { if ($at["counter"] == from) value[key] = $at["value"]; next }
        $at["counter"] == to && key in value { $at["value"] = value[key] }
        { print }' "$recorded/counters.csv" "$recorded/counters.csv" \
        >"$work/changed/counters.csv"
    expect 1 "$2 for $1" "$WHYFAST" selftest "$work/changed" -o "$work/planted"
    found_wrong 1 "$work/planted/selftest.csv" "$1"
    result $? '  it is found wrong'
}
taken dram_read_bytes dram_write_bytes
taken dram_write_bytes dram_read_bytes
taken branch_targets_divergent branch_targets_uniform
prints ' impossible ' '  a value that cannot be is shown as such'
counters '$at["counter"] == "tensor_instructions" {
    $at["value"] = ""
    $at["status"] = "absent: for this test"
}'
expect 0 'an unavailable counter is not an error' "$WHYFAST" selftest "$work/changed"
# The recorded self-test is older than some counters, which are absent, too.
is "$(grep -A 1 '^selftest/20_tensor tensor_instructions$' "$work/out" | awk 'NR == 2 { print $1 }')" \
    'absent' '  but it is reported'
cp -R "$recorded" "$work/skipped"
awk -F , "$by_name"'
    BEGIN { OFS = FS }
    $2 == "09_shared_async" { $at["status"] = "skipped"; $at["reason"] = "not on this device" }
    { print }' "$recorded/points.csv" >"$work/skipped/points.csv"
expect 0 'nor is a kernel that cannot run' "$WHYFAST" selftest "$work/skipped"
prints 'not on this device' '  with the reason'
finish
