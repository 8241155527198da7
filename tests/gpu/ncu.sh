#!/bin/sh
# The counts agree with Nsight Compute's on the same kernels: prints the table, one row per launch and counter that differ at all or that are
# judged by a tolerance, and TAP. Counts must be equal in every repeat of both; what
# varies is taken as the median of five collections and of three profiles. Set TABLE to keep the whole table as a CSV file.
set -u
here=$(dirname "$0")
# shellcheck source=ncu.inc
. "$here/ncu.inc"
sweep=16
if ! command -v ncu >/dev/null; then
    echo "1..0 # SKIP ncu is not on the PATH"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=${TABLE:-$work/table.csv}
echo 'size,variant,sweep,launch,counter,whyfast,ncu,difference,judged' >"$table"

for size in 4194304 536870912; do
    "$WHYFAST" measure -q -s $size --sweep $sweep --samples 1 -o "$work/run" >/dev/null || exit 1
    "$WHYFAST" collect -q "$work/run" --repeats 5 >/dev/null || exit 1
    ncu_prepare "$work/run" $size $sweep
    for i in 1 2 3; do ncu_profile $size $sweep "$work/ncu$i.csv" || { cat "$work/ncu$i.csv.err"; exit 1; }; done
    # ncu's file: a header and a row of units behind its own messages, every cell quoted. Its rows come in launch order, as the launches do.
    awk -F, -v size=$size '
        function cells(line, out) { sub(/^"/, "", line); sub(/"$/, "", line); return split(line, out, /","/) }
        function median(values, key, n, i, j, t) {
            for (i = 1; i <= n; i++) sorted[i] = values[key, i] + 0
            for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (sorted[j] < sorted[i]) { t = sorted[i]; sorted[i] = sorted[j]; sorted[j] = t }
            return sorted[int((n + 1) / 2)]
        }
        FILENAME ~ /launches$/ { if ($0 ~ /,ok$/) { launch[++launches] = $2 "," $5 "," $6 } next }
        FILENAME ~ /ncu[0-9].csv$/ {
            if ($0 !~ /^"/) next
            n = cells($0, cell)
            if (cell[1] == "ID") { profiles++; row = 0; for (i = 1; i <= n; i++) name[i] = cell[i]; next }
            if (cell[1] == "") next
            row++
            for (i = 1; i <= n; i++) { value = cell[i]; gsub(/,/, "", value); theirs[launch[row] "," name[i], profiles] = value }
            next
        }
        FNR > 1 && $12 != "" {
            key = $2 "," $5 "," $6 "," $11
            if (!(key in repeats)) { order[++keys] = key; counter[key] = $10 }
            ours[key, ++repeats[key]] = $12
        }
        END {
            for (k = 1; k <= keys; k++) {
                key = order[k]
                split(key, part, ",") # variant, sweep, launch, name
                if (theirs[key, 1] == "") { print size "," part[1] "," part[2] "," part[3] "," counter[key] "," ours[key, 1] ",,,missing"; continue }
                judged = "not compared: a rate, a time or a rounded share"
                if (part[4] ~ /sass|inst_executed/ && part[4] !~ /pct|peak_sustained/) judged = "equal"
                if (part[4] ~ /^sm__warps_active/) judged = part[3] == 0 ? "within 1 point" : "not compared: a launch of a few microseconds"
                if (part[4] ~ /^dram__bytes_(op_)?(read|write)/) judged = (size > 1e8 && part[3] == 0 && part[4] ~ /read/) ? "within 3 %" : "not compared: what the L2 cache still holds"
                if (part[4] ~ /bank_conflicts/) judged = "not compared: arbitration differs from run to run"
                mine = median(ours, key, repeats[key])
                value = median(theirs, key, profiles)
                for (i = 1; i <= repeats[key] && judged == "equal"; i++) if (ours[key, i] + 0 != value) mine = ours[key, i]
                for (i = 1; i <= profiles && judged == "equal"; i++) if (theirs[key, i] + 0 != mine + 0) value = theirs[key, i]
                print size "," part[1] "," part[2] "," part[3] "," counter[key] "," mine "," value "," mine - value "," judged
            }
        }' OFMT=%.9g CONVFMT=%.15g "$work/ncu1.csv.launches" "$work/ncu1.csv" "$work/ncu2.csv" "$work/ncu3.csv" "$work/run/counters.csv" >>"$table"
done

awk -F, '
    NR == 1 { next }
    $9 == "missing" { missing++; print "# missing in ncu: " $0; next }
    $9 == "equal" { n[1]++; if ($6 != 0) real++; if ($8 != 0) { bad[1]++; print "# differs: " $0 } next }
    $9 == "within 1 point" { n[2]++; d = $8 < 0 ? -$8 : $8; if (d > most[2]) most[2] = d; if (d > 1) { bad[2]++; print "# differs: " $0 } next }
    $9 == "within 3 %" { n[3]++; d = 100 * ($8 < 0 ? -$8 : $8) / $7; if (d > most[3]) most[3] = d; if (d > 3) { bad[3]++; print "# differs: " $0 } next }
    END {
        printf "%s 1 - instructions, wavefronts and SASS counts equal: %d values, %d of them not 0; %d differ\n", n[1] && !bad[1] ? "ok" : "not ok", n[1], real, bad[1]
        printf "%s 2 - achieved occupancy of the first launches within 1 point: %d values, largest difference %.3f\n", n[2] && !bad[2] ? "ok" : "not ok", n[2], most[2]
        printf "%s 3 - DRAM bytes read of the first launches at 2^29 within 3 %%: %d values, largest difference %.3f %%\n", n[3] && !bad[3] ? "ok" : "not ok", n[3], most[3]
        printf "%s 4 - no counter is missing in ncu: %d\n", missing ? "not ok" : "ok", missing
        print "1..4"
    }' "$table"
