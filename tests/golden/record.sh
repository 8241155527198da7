#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests that the computed tables of the newest recorded run follow from its raw files:
# tests/golden/computed.txt has the checksum of each table.
#
# After a change that is meant to change them, RECORD=1 sh tests/golden/record.sh records the new
# checksums. To see the differences, compare with the tables that the program makes without the
# change.
. "${ROOT:-.}/tests/tap.sh"

# alike A B: succeeds if the tables differ at most in the last digits of numbers: valgrind computes
# long doubles with 64 bits.
alike() {
    awk -F, 'NR == FNR { line[FNR] = $0; lines = FNR; next }
        {
            n = split(line[FNR], cell, ",")
            if (n != NF) exit failed = 1
            for (i = 1; i <= n; i++)
                if (cell[i] != $i) {
                    d = cell[i] - $i
                    if (!(cell[i] + 0) || (d < 0 ? -d : d) > 1e-4 * ($i < 0 ? -$i : $i))
                        exit failed = 1
                }
        }
        END { exit failed || FNR != lines }' "$1" "$2"
}

computed='metrics noise kernel_counters impossible steps verdicts published_steps findings
    ablation demands predictions declared ledger levels features causes details cause_lines remains
    headlines phases conflicts conflict_lines shape_map'
recorded=$(newest_recorded)
raw_run "$recorded" "$work/run"
expect 0 'evaluate' "$WHYFAST" evaluate "$work/run"
is "$(complaints)" '' '  nothing to complain of'
# shellcheck disable=SC2046,SC2086
(cd "$work/run" && cksum $(printf '%s.csv ' $computed)) >"$work/computed"
if [ "${RECORD:-}" = 1 ]; then cp "$work/computed" "$ROOT/tests/golden/computed.txt"; fi
# shellcheck disable=SC2046,SC2086
(cd "$recorded" && cksum $(printf '%s.csv ' $computed)) | cmp -s - "$ROOT/tests/golden/computed.txt"
result $? 'the tables of the unpacked run are those that were recorded'
for table in $computed; do
    if [ -n "${MEMCHECK:-}" ]; then
        alike "$work/run/$table.csv" "$recorded/$table.csv"
    else
        is "$(grep " $table.csv\$" "$work/computed")" \
            "$(grep " $table.csv\$" "$ROOT/tests/golden/computed.txt")" \
            "$table.csv is the recorded one"
        continue
    fi
    result $? "$table.csv is the recorded one" ||
        explain "$(diff "$recorded/$table.csv" "$work/run/$table.csv" | cut -c 1-300 | head -n 6)"
done
finish
