#!/bin/sh
# shellcheck disable=SC2086 # lists of words
# Tests that whatever call of CUDA, CUPTI or NVML fails, once or from then on, the program ends with
# one of its own exit codes, says why, leaves nothing open, and can resume the finished work.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"

fake measure $few -o "$work/few"
ends 0 'a few points are measured'
calls_of_measure=$work/measure.calls
cp "$FAKE_LOG" "$calls_of_measure"
fake collect "$work/few" -o "$work/run" --repeats 1
ends 0 '  and counted'
calls_of_collect=$work/collect.calls
cp "$FAKE_LOG" "$calls_of_collect"

# act COMMAND...: measures or collects into $work/new.
act() {
    if [ "$1" = measure ]; then
        shift
        fake measure $few -o "$work/new" "$@"
    else
        shift
        fake collect "$work/few" -o "$work/new" --repeats 1 "$@"
    fi
}

# judge: prints what is wrong with how the last command ended, or nothing.
judge() {
    if [ "$status" -gt 5 ]; then
        echo "ends with $status"
    elif [ "$status" -ne 0 ] && [ ! -s "$work/err" ]; then
        echo "ends with $status and says nothing"
    elif [ "$status" -eq 0 ] && [ ! -d "$work/new" ]; then
        echo 'succeeds without a run'
    elif [ "$status" -ne 0 ] && [ -d "$work/new" ]; then
        echo 'fails with a run'
    fi
    left
    grep -q '^main calls ' "$FAKE_LOG" || echo 'did not come to its end'
}

# each COMMAND EVERY NAME [UNFELT]: runs it with each fault of some or all lines of $work/faults.
# After every EVERY-th fault that ends it, the run is resumed.
each() {
    : >"$work/wrong"
    ended=0
    resumed=0
    rm -rf "$work/new" "$work/new.part"
    awk -v step="$(some 5 1)" 'NR % step == 1 || step == 1' "$work/faults" >"$work/chosen"
    while read -r fault; do
        FAKE_FAIL=$fault act "$1"
        words=$(judge)
        [ -z "$words" ] ||
            echo "$fault: $words: $(tail -n 2 "$work/err" | tr '\n' ' ')" >>"$work/wrong"
        if [ "$status" -ne 0 ]; then
            ended=$((ended + 1))
            if [ -d "$work/new.part" ] && [ $((ended % $2)) -eq 0 ]; then
                resumed=$((resumed + 1))
                act "$1" --resume
                [ "$status" -eq 0 ] ||
                    echo "$fault: cannot be resumed: $(tail -n 2 "$work/err" | tr '\n' ' ')" \
                        >>"$work/wrong"
                [ "$1" = measure ] || cmp -s "$work/new/counters.csv" "$work/run/counters.csv" ||
                    echo "$fault: resumed, the counters differ" >>"$work/wrong"
            fi
        fi
        rm -rf "$work/new" "$work/new.part"
    done <"$work/chosen"
    chosen=$(wc -l <"$work/chosen" | tr -d ' ')
    is "$(wc -l <"$work/wrong" | tr -d ' ')" 0 \
        "$3: $chosen faults; $ended end the program, and after $resumed the run is resumed" ||
        explain "$(head -n 8 "$work/wrong")"
    is "$((ended > 0 || ${4:-0}))" 1 '  and they are felt'
}

# by_name LOG PROCESS PREFIX: prints the first and the last call of each function.
by_name() {
    awk -v process="$2" -v prefix="$3" '
        $1 == process && $2 == "call" && $4 > most[$3] { most[$3] = $4 }
        END {
            for (name in most) {
                print prefix name ":1"; if (most[name] > 1) print prefix name ":" most[name]
            }
        }' "$1" |
        sort
}

# in_order LOG PROCESS PREFIX FIRST SAMPLES SUFFIX: prints the first calls, then some spread over
# all the others.
in_order() {
    awk -v process="$2" -v prefix="$3" -v each="$4" -v samples="$5" \
        -v suffix="$6" '$1 == process && $2 == "calls" && $3 > total { total = $3 } END {
        for (n = 1; n <= each && n <= total; n++) print prefix "*:" n suffix
        for (i = 1; i <= samples; i++)
            print prefix "*:" int(each + (total - each) * i / samples) suffix }' "$1"
}

by_name "$calls_of_measure" main '' >"$work/faults"
is "$(awk 'END { print (NR > 60) }' "$work/faults")" 1 'many functions are called to measure'
each measure 8 'measure, function by function'
in_order "$calls_of_measure" main '' 40 16 '' >"$work/faults"
each measure 8 'measure, call by call'
in_order "$calls_of_measure" main '' 0 16 + >"$work/faults"
each measure 4 'measure, with a device that is lost'

by_name "$calls_of_collect" main '' >"$work/faults"
is "$(awk 'END { print (NR > 120) }' "$work/faults")" 1 'many functions are called to collect'
each collect 4 'collect, function by function'
in_order "$calls_of_collect" main '' 60 30 '' >"$work/faults"
each collect 4 'collect, call by call'
in_order "$calls_of_collect" main '' 0 16 + >"$work/faults"
each collect 4 'collect, with a device that is lost'

# If the program itself runs out of memory, it still returns everything it holds of the device.
library=$(preloaded "$program")
lacks_memory() {
    rm -rf "$work/new" "$work/new.part"
    LD_PRELOAD=$library FAULT=malloc:$2 FAULT_COUNT=$work/count act "$1"
}
lacks_memory measure 0
if [ "$status" -ne 0 ] || [ ! -s "$work/count" ]; then
    skip "memory cannot be made to fail here: $(head -n 1 "$work/err")"
elif [ "$(cat "$work/count")" -eq 0 ] && [ -n "$(sanitizer "$program")" ]; then
    skip 'memory cannot be made to fail here: the address sanitizer has calls of its own'
else
    for command in measure collect; do
        lacks_memory "$command" 0
        : >"$work/wrong"
        ended=0
        count=$(some 8 32)
        for number in $(awk '{ for (i = 1; i <= some; i++) print int($1 * i / some) }' \
            some="$count" "$work/count"); do
            lacks_memory "$command" "$number"
            words=$(judge)
            [ -z "$words" ] ||
                echo "allocation $number: $words: $(tail -n 2 "$work/err" | tr '\n' ' ')" \
                    >>"$work/wrong"
            [ "$status" -eq 0 ] || ended=$((ended + 1))
            [ "$status" -eq 0 ] || grep -qE 'memory|absent' "$work/err" ||
                echo "allocation $number: does not say why:" \
                    "$(tail -n 2 "$work/err" | tr '\n' ' ')" >>"$work/wrong"
        done
        words="$count of $(cat "$work/count") allocations fail, one at a time"
        is "$(cat "$work/wrong" | head -n 8)" '' "$command: $words; $ended end the program"
        is "$((ended > count / 2))" 1 '  and they are felt'
    done
    rm -rf "$work/new" "$work/new.part"
fi

# A failing probe does not fail the run: the values that it would have found are absent.
by_name "$calls_of_collect" probe probe/ >"$work/faults"
is "$(awk 'END { print (NR > 80) }' "$work/faults")" 1 'many functions are called in probes'
each collect 1 'probes, function by function' 1
is "$ended" 0 '  and none ends the run'
in_order "$calls_of_collect" probe probe/ 0 20 + >"$work/faults"
each collect 1 'probes, with a device that is lost' 1

# Probes started by hand report their failure by their exit code.
: >"$work/wrong"
for words in 'counts sums/02_no_conflicts' 'samples sums/02_no_conflicts sums/90_library'; do
    fake probe $words --size 16384
    cp "$FAKE_LOG" "$work/probe.calls"
    for fault in $(by_name "$work/probe.calls" probe probe/ |
        awk -v step="$(some 5 1)" 'NR % step == 1 || step == 1'); do
        FAKE_FAIL=$fault fake probe $words --size 16384
        [ "$status" -le 5 ] && { [ "$status" -eq 0 ] || [ -s "$work/err" ]; } ||
            echo "$fault: ends with $status: $(cat "$work/err")" >>"$work/wrong"
        [ -z "$(left)" ] || echo "$fault: $(left)" >>"$work/wrong"
    done
done
is "$(cat "$work/wrong")" '' 'probes by themselves, function by function'
: >"$work/wrong"
fake launch $points
cp "$FAKE_LOG" "$work/launch.calls"
for fault in $(by_name "$work/launch.calls" main '' |
    awk -v step="$(some 5 1)" 'NR % step == 1 || step == 1'); do
    FAKE_FAIL=$fault fake launch $points
    [ "$status" -le 5 ] && { [ "$status" -eq 0 ] || [ -s "$work/err" ]; } ||
        echo "$fault: ends with $status: $(cat "$work/err")" >>"$work/wrong"
    [ -z "$(left)" ] || echo "$fault: $(left)" >>"$work/wrong"
done
is "$(cat "$work/wrong")" '' 'launches, function by function'
finish
