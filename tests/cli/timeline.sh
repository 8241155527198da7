#!/bin/sh
# Tests 'whyfast timeline': wrong and missing names, missing data, the destination of the trace, and
# hostile names.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/tools/timeline.inc"
run=$work/run
small_run "$run"
for table in stages traces activities trace_samples; do rm -f "$run/$table.csv"; done

# ---- a run without times -------------------------------------------------------------------------

mkdir "$work/place"
trace=$work/place/trace.json
# nothing: passes if no file was made and nothing was printed.
nothing() {
    is "$(ls -A "$work/place")" '' "  $1"
    is "$(wc -c <"$work/out")" 0 '  nothing is printed'
}
expect 4 'a run without stages' "$WHYFAST" timeline "$run" -o "$trace"
says "has no times of stages or kernels" '  says so'
says "'whyfast collect $run --sets timeline' adds" '  and what to do'
nothing 'no file is made'

# ---- a run by hand -------------------------------------------------------------------------------

cat >"$run/stages.csv" <<'END'
stage,family,size,begin_ns,end_ns
measure,reduce,4194304,0,5000
END
expect 0 'a run that was only timed' "$WHYFAST" timeline "$run"
says 'has no kernels and counters over time: none were recorded' '  says what it lacks'
prints '{"name":"reduce 4194304","cat":"reduce/measure","ph":"X","pid":1,"tid":1,"ts":0.000,"dur":5.000,' \
    '  its stages are shown'
expect 0 'quietly' "$WHYFAST" timeline -q "$run"
is "$(complaints)" '' '  no message'
echo 'timeline,reduce,4194304,10000,90000' >>"$run/stages.csv"
timeline_tables "$run"
expect 0 'a run with kernels' "$WHYFAST" timeline "$run" -o "$trace"
is "$(wc -c <"$work/out")" 0 '  prints nothing'
is "$(ls -A "$work/place")" trace.json '  but makes the file alone'
says "is not evaluated: its kernels have no figures" '  and says what it lacks'
says "$trace: open it at ui.perfetto.dev" '  and where to look at it'
is "$(grep -c '"ts":0.000' "$trace") $(grep -c '"name":"measure"' "$trace")" '2 0' \
    '  begins with the stage in which kernels ran'
contains "$trace" '{"name":"DRAM read,","ph":"C","pid":2,"tid":21,"ts":35.000,"args":{"GB/s":4}}' \
    '  counters are shown in their units'
contains "$trace" \
    '{"name":"03 Sequential addressing, 2^22","cat":"reduce/timeline","ph":"X","pid":2,"tid":22,"ts":33.000,"dur":4.000,' \
    '  and when kernels ran, by the samples'
is "$(grep -c 'no kernels' "$work/err")" 0 '  no message that none were recorded'
lacks "$trace" '"point"' '  there are no figures'
cp "$trace" "$work/whole"
for words in '' '-o -' '--output=-'; do
    # shellcheck disable=SC2086 # words
    expect 0 "to stdout: '$words'" "$WHYFAST" timeline "$run" $words
    cmp -s "$work/out" "$work/whole"
    result $? '  the same'
done
expect 0 'over an earlier one' "$WHYFAST" timeline "$run" reduce/3 --size 2^22 -o "$trace"
contains "$trace" '"from":"samples"' '  the chosen variant is there'
lacks "$trace" '"kernel":"reduce_strided"' '  the others are left out'
expect 0 'into a pipe' sh -c '"$1" timeline "$2" -o /dev/stdout | cat' - "$WHYFAST" "$run"
cmp -s "$work/out" "$work/whole"
result $? '  the same'
cp -R "$run" "$work/evaluated"
"$WHYFAST" evaluate -q "$work/evaluated"
expect 0 'a run that is evaluated' "$WHYFAST" timeline "$work/evaluated"
is "$(complaints)" '' '  lacks nothing'
is "$(grep -c '"point":{"time_ns":.*"effective_gbs":.*"speedup_prev":' "$work/out")" 2 \
    '  and has the figures of every kernel'

ln -s place/trace.json "$work/link"
echo "the user's" >"$trace.tmp"
expect 0 'where a link leads' "$WHYFAST" timeline "$run" -o "$work/link"
is "$(readlink "$work/link")" place/trace.json '  which stays one'
cmp -s "$trace" "$work/whole"
result $? '  the trace is there'
expect 5 'over a file of the user' "$WHYFAST" timeline "$run" -o "$trace.tmp"
says "$trace.tmp: is no timeline of whyfast, so it is left unchanged; name another file" '  is refused'
is "$(cat "$trace.tmp")" "the user's" '  and the file beside it is untouched'
rm "$trace.tmp"
is "$(ls -A "$work/place")" trace.json '  with nothing else'

# ---- wrong names and places ----------------------------------------------------------------------

rm "$trace" "$work/link"
ln -s nothing "$work/lost"
on_cpu=$(awk -F , '$2 ~ /_cpu_/ { print $1 "/" $2; exit }' "$run/variants.csv")
expect 2 'a mistyped run' "$WHYFAST" timeline nosuchdir -o "$trace"
says "there is no run 'nosuchdir', and " '  it may have been meant as one'
says "has no traces of a variant 'nosuchdir'" '  or as a variant'
nothing 'no file is made'
expect 2 'an empty operand' "$WHYFAST" timeline '' -o "$trace"
says 'timeline: an operand is empty' '  says so'
expect 4 'a variant of the CPU' "$WHYFAST" timeline "$run" "$on_cpu" -o "$trace"
says "$run has no traces of '$on_cpu': it ran on the CPU, and traces are of kernels" \
    '  says so'
expect 4 'a variant that was not traced' "$WHYFAST" timeline "$run" '*/04*' -o "$trace"
says "$run has '*/04*', but no traces of it" '  says so'
nothing 'no file is made'
expect 5 'a link to nothing' "$WHYFAST" timeline "$run" -o "$work/lost"
says "$work/lost: cannot write to the target of this link: No such file or directory" '  says so'
ln -s run/samples.csv "$work/into"
sums "$run" >"$work/before"
for file in "$run/samples.csv" "$run/run.txt" "$work/into"; do
    expect 5 "the run's own ${file##*/}" "$WHYFAST" timeline "$run" -o "$file"
    says "$file: belongs to the run $run" '  says so'
done
sums "$run" | cmp -s - "$work/before"
result $? '  the run is as it was'
expect 5 'a missing directory' "$WHYFAST" timeline "$run" -o "$work/nowhere/trace.json"
says "$work/nowhere/trace.json: cannot write: No such file or directory" '  says so'
expect 5 'a place that is a directory' "$WHYFAST" timeline "$run" -o "$work/place"
says 'cannot write: Is a directory' '  says so'
nothing 'nothing is made in it'
if [ -w /dev/full ]; then
    expect 5 'a full disk' "$WHYFAST" timeline "$run" -o /dev/full
    says '/dev/full: cannot write: No space left on device' '  says so'
    is "$([ -c /dev/full ] && echo device)" device '  the device is still one'
    status=0
    "$WHYFAST" timeline "$run" >/dev/full 2>"$work/err" || status=$?
    is "$status" 5 'a full disk behind stdout'
    says 'cannot write to stdout' '  says so'
else
    skip 'there is no /dev/full here'
fi
cp "$work/whole" "$trace"
sed -i 's/^0,0,0,reduce_strided,1000,/0,0,0,reduce_strided,9000,/' "$run/activities.csv"
expect 4 'a kernel that ends before it begins' "$WHYFAST" timeline "$run" -o "$trace"
says "$run/activities.csv: a kernel of trace 0 ends before it begins" '  says so'
is "$(wc -c <"$work/out")" 0 '  nothing is printed'
is "$(ls -A "$work/place")" trace.json '  nothing lies beside the earlier file'
cmp -s "$trace" "$work/whole"
result $? '  which is intact'
sed -i 's/^0,0,0,reduce_strided,9000,/0,0,0,reduce_strided,1000,/' "$run/activities.csv"

# ---- hostile names -------------------------------------------------------------------------------

# The name holds quotes, a backslash, the end of a script, a line feed, a control character and
# bytes that are not UTF-8, all in one CSV field.
hostile=$(printf '"a""},{""ph"":""X\\u0000 </script>\n\001\377\303("')
awk -F , -v OFS=, -v name="$(printf '%s' "$hostile" | sed 's/\\/\\\\/g')" \
    '$1 == "reduce" && $2 == "03_sequential" { $4 = name } { print }' \
    "$run/variants.csv" >"$work/cut"
mv "$work/cut" "$run/variants.csv"
awk -F , -v OFS=, -v name="$(printf '%s' "$hostile" | sed 's/\\/\\\\/g')" \
    'NR == 2 { $4 = name } { print }' "$run/activities.csv" >"$work/cut"
mv "$work/cut" "$run/activities.csv"
expect 0 'hostile names' "$WHYFAST" timeline -q "$run"
# shellcheck disable=SC1003 # a backslash
prints '{"name":"03 a\"},{\"ph\":\"X\\u0000 </script>\n\u0001'"$(printf '\357\277\275\357\277\275(')"', 2^22","cat":"reduce/timeline","ph":"X","pid":2,' \
    '  stay names'
prints '"kernel":"a\"},{\"ph\":\"X\\u0000 </script>\n\u0001' '  of kernels, too'
is "$(grep -c '^{"name":.*}},*$' "$work/out")" "$(($(wc -l <"$work/out") - 3))" \
    '  every event is a line'
if command -v python3 >/dev/null; then
    python3 -m json.tool "$work/out" >/dev/null 2>"$work/err"
    result $? '  another reader of JSON takes it' || explain "$(cat "$work/err")"
else
    skip 'there is no python3 to read JSON'
fi

if has_terminal; then
    on_terminal "'$WHYFAST' timeline '$run'"
    prints "whyfast timeline -o trace.json'" 'a terminal gets no trace'
    on_terminal "'$WHYFAST' timeline '$run' -o -"
    prints '"traceEvents"' '  unless it is asked for'
else
    skip 'no terminal is available'
fi
finish
