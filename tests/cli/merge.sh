#!/bin/sh
# Tests 'whyfast merge', and that commands about one run choose a device of a merged run.
. "${ROOT:-.}/tests/tap.sh"
unset COLUMNS
recorded=$(fixture_run)

# Two small runs of one family at one size, of two devices: transformed copies of the recorded run.
raw_run "$recorded" "$work/first"
sed -i '/^replay_of: /d' "$work/first/run.txt"
for table in points launches series samples accesses; do
    [ -e "$recorded/$table.csv" ] || continue
    awk -F , 'NR == 1 || $1 == "reduce" && $3 == 536870912' \
        "$recorded/$table.csv" >"$work/first/$table.csv"
done
for table in counters lines kernels sources source_files traces activities trace_samples; do
    [ ! -e "$work/first/$table.csv" ] || sed -i 2,\$d "$work/first/$table.csv"
done
cp -R "$work/first" "$work/second"
sed -i 's/^device_uuid: .*/device_uuid: 01234567-transformed/' "$work/second/run.txt"
sed -i '/^read_gbs/s/4[0-9]*\.[0-9]*/4000/g' "$work/second/ceilings.csv"

# ---- merging -------------------------------------------------------------------------------------

expect 0 'two devices are merged' "$WHYFAST" merge "$work/first" "$work/second" -o "$work/both"
prints "$work/both" '  into a new run'
is "$(column "$work/both/devices.csv" device uuid | cut -f 2 | tail -n 1)" 01234567-transformed \
    '  with a table of the devices'
is "$(cat "$work/both/devices/1/samples.csv" | cksum)" "$(cksum <"$work/second/samples.csv")" \
    '  and their tables as they were'
expect 2 'no output' "$WHYFAST" merge "$work/first"
expect 2 'no run' "$WHYFAST" merge -o "$work/none"
cp -R "$work/first" "$work/replayed"
echo 'replay_of: recorded-1' >>"$work/replayed/run.txt"
expect 4 'a replay' "$WHYFAST" merge "$work/replayed" "$work/second" -o "$work/none"
says "$work/replayed: replays the recorded run recorded-1; name recorded-1 in its place" \
    '  is refused by the name of what it replays'
is "$(find "$work" -name 'none*')" '' 'refused merges write nothing'
expect 0 'without serials' "$WHYFAST" merge --no-serials "$work/both" -o "$work/nameless"
none "$(find "$work/nameless" -type f | looked xargs grep -lE '01234567|895e37c1')" '  no UUID is left'

expect 4 'a run without serials and the same with them' "$WHYFAST" merge "$work/nameless" \
    "$work/first" -o "$work/none"
says "$work/first: is a copy of $work/nameless/devices/0" '  is refused'
cp -R "$work/first" "$work/later"
sed -i 's/^date: .*/date: 2030-01-01T00:00:00Z/' "$work/later/run.txt"
expect 0 'a later run of what may be the same device' "$WHYFAST" merge "$work/nameless" \
    "$work/later" -o "$work/doubtful"
says "$work/nameless/devices/0 and $work/later may be of one device, but not both have its UUID" \
    '  is merged with a warning'
is "$(grep -c 'warning' "$work/err")" 1 '  once'
sed -i 's/^device_name: .*/device_name: NVIDIA B200/' "$work/later/run.txt"
expect 0 'one of another kind' "$WHYFAST" merge "$work/nameless" "$work/later" -o "$work/certain"
is "$(grep -c 'warning' "$work/err")" 0 '  without one'

# ---- choosing a device ---------------------------------------------------------------------------

expect 2 'a command about one device' "$WHYFAST" conflicts "$work/both"
says 'is a merged run; choose a device with --device: 0 (nvidia-h200-0, NVIDIA H200), 1 (' \
    '  says which devices there are'
expect 2 'a device that is not there' "$WHYFAST" conflicts "$work/both" --device 2
says "has no device '2'" '  is named'
expect 2 'a device of no merged run' "$WHYFAST" conflicts "$work/first" --device 0
expect 2 'a device of no run' "$WHYFAST" explain nothing gemm/10 --device 1
says "there is no run 'nothing'" '  is told of the run'
expect 0 'all devices are evaluated' "$WHYFAST" evaluate "$work/both"
is "$(find "$work/both" -name metrics.csv | wc -l)" 2 '  each in its place'
expect 0 'steps of a device' "$WHYFAST" explain "$work/both" --device nvidia-h200-1 reduce --csv
expect 0 'a table of a device' "$WHYFAST" evaluate "$work/both" -d 0123 -m time_ns
is "$(sed 1d "$work/out" | grep -c '^reduce,')" "$(sed 1d "$work/both/devices/1/metrics.csv" | wc -l)" \
    '  has its points'
expect 2 'a table of several devices' "$WHYFAST" evaluate "$work/both" -m time_ns
expect 0 'two devices are compared' "$WHYFAST" compare "$work/both"
says 'measured on two boards' '  and told apart'
expect 0 '  or named' "$WHYFAST" compare "$work/both" --device 1,0
expect 0 '  and patterns named' "$WHYFAST" compare "$work/both" 'reduce/0*'
expect 2 'one device to compare' "$WHYFAST" compare "$work/both" --device 1
says 'choose two devices, as in --device 0,1: 0 (nvidia-h200-0, ' '  is told what is needed'
for command in conflicts evaluate lines plot report timeline; do
    expect 2 "several devices for $command" "$WHYFAST" "$command" "$work/both" --device 0,1
    says "$command takes one device of merged runs" '  are refused'
done
expect 2 'three for explain' "$WHYFAST" explain "$work/both" reduce/02 --device 0,1,0
says 'explain takes two devices of merged runs' '  too'
expect 2 'a device with a pattern' "$WHYFAST" report "$work/both" reduce --device 1
says "$work/both/devices/1 is a run, which is reported as a whole" '  is not reported'
expect 0 'the only device is taken' "$WHYFAST" merge "$work/both/devices/1" -o "$work/one"
is "$(find "$work/one" -name metrics.csv -o -name steps.csv)" '' \
    '  without the tables of an evaluation before'
expect 0 '  without a choice' "$WHYFAST" explain "$work/one" reduce

# An evaluation that stops before its end: only explain reads the claims.
cp -R "$work/both" "$work/stopped"
device=$work/stopped/devices/1
awk -F , -v OFS=, "$by_name"'NR > 1 && $at["variant"] ~ /^02_/ { $at["time_ns"] *= 2 } 1' \
    "$device/samples.csv" >"$work/samples"
cp "$work/samples" "$device/samples.csv"
echo broken >"$device/claims.csv"
expect 4 'an evaluation stops' "$WHYFAST" evaluate "$work/stopped"
cp "$work/both/devices/1/claims.csv" "$device/"
expect 0 'the device is explained' "$WHYFAST" explain "$work/stopped" reduce --device 1 --csv
says "$device is not evaluated" '  anew'
mv "$work/out" "$work/steps"
expect 0 'it is evaluated again' "$WHYFAST" evaluate "$work/stopped"
expect 0 '  and explained' "$WHYFAST" explain "$work/stopped" reduce --device 1 --csv
cmp -s "$work/out" "$work/steps"
result $? '  with the same tables'

# ---- boards --------------------------------------------------------------------------------------

expect 0 'the boards are compared' "$WHYFAST" boards "$work/both"
prints 'nvidia-h200-0 and nvidia-h200-1 differ: ' '  by how much they differ is said'
prints ' and 4000 GB/s)' '  with both values'
expect 0 '  as CSV' "$WHYFAST" boards "$work/both" --csv
cmp -s "$work/out" "$work/both/boards.csv"
result $? '  like the table in the run'
expect 0 '  as JSON' "$WHYFAST" boards "$work/both" --json
prints '{"schema":"whyfast.boards/1","figures":[{"device":0,"label":"nvidia-h200-0"' '  every figure'
prints '"sentence":"nvidia-h200-0 and nvidia-h200-1 differ: ' '  and what differs'
contains "$work/both/index.html" 'nvidia-h200-0 and nvidia-h200-1 differ: ' '  and on its page'
valid "$work/both/index.html"
expect 4 'boards of a report' "$WHYFAST" boards none.ncu-rep
says "none.ncu-rep: is no merged run; '" '  names what was typed'
expect 4 'boards of a run that is not merged' "$WHYFAST" boards "$work/first"
mkdir "$work/page"
cp "$work/both/run.txt" "$work/both/boards.csv" "$work/both/index.html" "$work/page"
expect 4 'boards of which only the page was kept' "$WHYFAST" boards "$work/page"
says "$work/page/index.html: has the page of the boards without their runs" '  leads to that page'
quick_gnuplot
expect 0 'one is reported' "$WHYFAST" report "$work/both" --device 1
contains "$work/both/index.html" 'href="devices/1/index.html"' '  and the page leads to it'
lacks "$work/both/index.html" 'href="devices/0/index.html"' '  not to the other one'
expect 0 'both are reported' "$WHYFAST" report "$work/both"
prints "$work/both/index.html" '  with a page for all'
contains "$work/both/index.html" 'href="devices/1/index.html"' '  that leads to that of each'
expect 0 'devices without names are compared' "$WHYFAST" evaluate "$work/nameless"
expect 0 '  too' "$WHYFAST" compare "$work/nameless"
prints 'DRAM read ' '  as two'
expect 0 'a copy is reported' "$WHYFAST" report "$work/nameless" -o "$work/copy"
contains "$work/copy/index.html" 'UUIDs and names of hosts are' '  without names'
is "$(find "$work/nameless" -name ladder-reduce.html | wc -l)" 0 '  and the original is left alone'
finish
