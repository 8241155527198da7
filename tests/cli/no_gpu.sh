#!/bin/sh
# Tests that every command that needs a GPU says so if there is none: exit 3, and nothing written.
. "${ROOT:-.}/tests/tap.sh"
small_run "$work/good"
mkdir "$work/place"
cd "$work/place" || exit 1

# refused NAME COMMAND...: passes if the command exits with 3 and writes nothing.
refused() {
    name=$1
    shift
    expect 3 "$name" "$@"
    is "$(wc -l <"$work/err")" 1 '  in one line'
    is "$(ls -A "$work/place")" '' '  writes nothing'
}
refused 'measure' "$WHYFAST" measure
says 'no GPU here to measure' '  says why'
refused 'measure into a place' "$WHYFAST" measure -o "$work/place/x"
if has_variants; then
    refused 'measure one variant' "$WHYFAST" measure reduce/03_sequential --size 2^10
    refused 'probe counts' "$WHYFAST" probe counts reduce/03_sequential --size 2^10
    refused 'probe samples' "$WHYFAST" probe samples reduce --size 2^10
    expect 2 'probe counts of several points' "$WHYFAST" probe counts reduce --size 2^10
    says 'counts need exactly one point' '  says so'
    expect 2 'probe counts of an unknown launch' "$WHYFAST" probe counts \
        reduce/08_atomic_per_block@16 --size 2^10 --launch 7
    says 'reduce/08_atomic_per_block has no launch 7 at this point' '  says so'
    expect 2 'probe samples of several sizes' "$WHYFAST" probe samples reduce --size 2^10,2^11
    says 'samples need points of one family and size' '  says so'
fi
expect 2 'probe for nothing' "$WHYFAST" probe
says "expected 'counts', 'samples' or 'twins', found nothing" '  says what it expected'
expect 2 'probe for something else' "$WHYFAST" probe sample
says "expected 'counts', 'samples' or 'twins', found 'sample'" '  says what it expected'
cp -R "$work/good" "$work/run"
sums "$work/run" >"$work/before"
refused 'collect' "$WHYFAST" collect "$work/run"
refused 'collect elsewhere' "$WHYFAST" collect "$work/run" -o "$work/place/x"
sums "$work/run" | cmp -s - "$work/before"
result $? 'collect leaves the run as it was'
# missing WORD COMMAND...: passes if what is not there is told before the missing GPU.
missing() {
    word=$1
    shift
    expect 4 "what is not there: $(basename "$*")" "$@"
    says "'$word'" '  names it'
    lacks "$work/err" 'no GPU' '  and not the GPU'
}
missing "$work/none" "$WHYFAST" collect "$work/none"
for command in report measure launch knockout 'probe samples'; do
    # shellcheck disable=SC2086 # words
    missing "$work/none" "$WHYFAST" $command "$work/none"
done
missing none.cu "$WHYFAST" report none.cu
refused 'launch' "$WHYFAST" launch
refused 'report that demands counters' "$WHYFAST" report --demand-counters -o "$work/place/x"
says 'but --demand-counters was given' '  says why'
for words in reduce '--samples 5' --raw --resume --full '--seed 3' '--size 2^10'; do
    # shellcheck disable=SC2086 # words
    refused "report $words" "$WHYFAST" report $words -o "$work/place/x"
    says 'no GPU here to measure' '  says why'
    says "'whyfast report' alone shows a recorded run" '  and what can be shown'
    # shellcheck disable=SC2086 # words
    expect 2 "report --replay $words" "$WHYFAST" report --replay $words
    says 'patterns, folders and options about measuring do not apply' '  says so'
done
if "$WHYFAST" doctor 2>&1 | grep -q '^driver .*no NVIDIA driver'; then
    for command in measure report launch selftest; do
        refused "$command --device" env -u CUDA_VISIBLE_DEVICES "$WHYFAST" "$command" --device 0
        says 'no NVIDIA driver' '  says why'
    done
else
    skip 'there is an NVIDIA driver here'
fi
expect 0 'a recorded run is unpacked' "$WHYFAST" lines reduce/02
expect 0 'report without a GPU replays' env PATH=/nowhere "$WHYFAST" report -o "$work/replay"
prints 'Replaying the recorded run' '  and says so'
is "$(head -n 1 "$work/out" | grep -c 'nothing was measured on this machine')" 1 \
    '  in its first line'
mkdir "$work/data"
cp -R "$ROOT/metrics" "$ROOT/plots" "$work/data/"
refused 'report without a recorded run' env WHYFAST_DATA="$work/data" "$WHYFAST" report \
    -o "$work/place/x"
says "no recorded run under $work/data/reports/recorded to replay" '  says where it looked'

# recorded NAME DEVICE EXTENT DATE: makes a recorded run.
recorded() {
    mkdir -p "$work/data/reports/recorded"
    cp -R "$work/good" "$work/data/reports/recorded/$1"
    sed -i "/^date: /d; /^device_name: /d; /^extent: /d" "$work/data/reports/recorded/$1/run.txt"
    printf 'device_name: %s\nextent: %s\ndate: %s\n' "$2" "$3" "$4" \
        >>"$work/data/reports/recorded/$1/run.txt"
}
recorded old 'NVIDIA Old' full 2020-01-01T00:00:00Z
recorded full 'NVIDIA Full' full 2021-01-01T00:00:00Z
recorded quick 'NVIDIA Quick' quick 2022-01-01T00:00:00Z
cp -R "$ROOT/reports/pages" "$work/data/reports/"
replays() { env WHYFAST_DATA="$work/data" PATH=/nowhere "$WHYFAST" report -o "$work/again" "$@"; }
expect 0 'of three recorded runs' replays
prints 'Replaying the recorded run full (NVIDIA Full' '  the newest full one is replayed'
prints 'NVIDIA Old' '  the others are named'
prints 'quick (NVIDIA Quick)' '  each with its device'
expect 0 'the run of a device' replays --replay --device quick
prints 'Replaying the recorded run quick' '  is chosen by a part of its name'
expect 2 'a device that has none' replays --replay --device h100
says "is of a device 'h100'" '  is refused by its name'
says 'quick (NVIDIA Quick)' '  and the others are named'
expect 2 'two devices' replays --replay --device old,quick
says 'a part of the name of one device' '  are too many'

# ---- without whyfast-gpu -------------------------------------------------------------------------

mkdir "$work/bin"
cp "$WHYFAST" "$work/bin/whyfast"
for words in measure 'new folder' 'knockout reduce/02' 'report reduce'; do
    # shellcheck disable=SC2086 # words
    refused "$words without the other program" "$work/bin/whyfast" $words
    says "can only read runs; 'make' builds it" '  says what is missing'
done
expect 0 'what reads runs works' "$work/bin/whyfast" explain reduce/03
expect 0 'the doctor without the other program' "$work/bin/whyfast" doctor
is "$(grep -cE '^(no CUDA|GPU|CUPTI|counters) ' "$work/out")" 1 '  has one line about CUDA'
prints '8 checks need CUDA, which this build lacks: GPU, CUDA, kernels, ' '  that names the checks'
mkdir "$work/place/runs"
cp -R "$work/good" "$work/place/runs/report"
expect 4 'a typo in the path of a run' "$work/bin/whyfast" report runs/reprot
says "runs/reprot: no such run; did you mean 'runs/report'?" '  is told before what is missing'
finish
