#!/bin/sh
# Records a full run on this machine's GPU, in pieces if the time of a command is limited: runs the
# self-test, then `whyfast report --full --seconds 6` for at most LIMIT seconds (540), and packs the
# raw tables that there are into $OUT/recorded.tar, for reports/recorded/NAME, with the log. Call it
# again to continue. Exits with 0 once the run is complete. The program must have been built from a
# committed revision. PLACE is the directory of the run; it must outlast the calls
# (/tmp/whyfast-recording).
set -u
cd "$(dirname "$0")/../.." || exit 1
OUT=${OUT:-build/recording}
PLACE=${PLACE:-/tmp/whyfast-recording}
WHYFAST=${WHYFAST:-build/whyfast}
mkdir -p "$OUT" "$PLACE"
begun=$(date +%s)
if [ ! -e "$PLACE/selftest.txt" ]; then
    if ! "$WHYFAST" selftest -q >"$PLACE/selftest.new" 2>&1; then
        cat "$PLACE/selftest.new"
        exit 1
    fi
    mv "$PLACE/selftest.new" "$PLACE/selftest.txt"
fi
tail -n 1 "$PLACE/selftest.txt"
resume=
[ ! -e "$PLACE/run.part" ] || resume=--resume
left=$((${LIMIT:-540} - $(date +%s) + begun))
timeout -s INT "$left" "$WHYFAST" report -v --full --seconds 6 $resume -o "$PLACE/run" \
    >>"$PLACE/log.txt" 2>&1
echo "report: exit status $?, $(($(date +%s) - begun)) s"
tail -n 3 "$PLACE/log.txt"
run=run
[ -e "$PLACE/run" ] || run=run.part
sh tools/pack_run.sh "$PLACE/$run" "$PLACE/recorded"
tar cf "$OUT/recorded.tar" -C "$PLACE" log.txt selftest.txt recorded
[ "$run" = run ]
