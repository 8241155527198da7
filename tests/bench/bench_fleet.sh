#!/bin/sh
# Measures how 'merge', with the page of the boards that it writes, and 'boards' grow with the
# number of devices: time, processor time and memory for 10, 100 and 1000 runs. Each run is the part
# of the newest recorded run that a quick report measures, with other UUIDs, hosts, times and
# ceilings: every time and ceiling is scaled by a factor of its device, with a standard deviation of
# 0.3 %, and by 0.94 for the sixth device of every hundred, whose power limit is lower. No such
# device exists.
#
# Passes if the largest fleet is merged within MOST_SECONDS=600, no command takes more than
# MOST_MIB=2048, memory does not grow by more than half of the fleet's growth, processor time per
# device by no more than 1.3 times, and exactly the slow devices are outliers in bandwidth.
# DEVICES=1000 chooses another largest fleet. Needs 30 MB of disk for each device, in TMPDIR: where
# there is too little for 1000, takes 100.
set -u
MOST_SECONDS=${MOST_SECONDS:-600}
MOST_MIB=${MOST_MIB:-2048}
WHYFAST_DATA=$ROOT
export WHYFAST_DATA
if [ ! -x /usr/bin/time ]; then
    echo 'bench_fleet: there is no /usr/bin/time: skipped'
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${DEVICES:-}" ]; then
    DEVICES=1000
    if [ "$(df -Pk "$work" | awk 'NR == 2 { print int($4 / 1048576) }')" -lt 40 ]; then
        echo "bench_fleet: less than 40 GiB are free in $work: 100 devices instead of 1000"
        DEVICES=100
    fi
fi
# make has unpacked this run.
recorded=$ROOT/build/recorded/$(grep -L '^extent: quick' "$ROOT"/reports/recorded/*/run.txt |
    xargs grep -H '^date: ' | sed 's|.*/\(.*\)/run.txt:date: \(.*\)|\2 \1|' | sort | tail -n 1 | cut -d ' ' -f 2-)

# ---- a quick run ---------------------------------------------------------------------------------

"$WHYFAST" report --dry-run --csv -q >"$work/plan" || exit 1
mkdir "$work/quick" "$work/runs"
grep -vE '^(replay_of|host|device_(uuid|power_limit_w|temperature_c)):' "$recorded/run.txt" \
    >"$work/quick/run.txt"
for table in families variants claims published sources source_files ceilings; do
    cp "$recorded/$table.csv" "$work/quick/"
done
for table in points launches accesses series samples counters; do
    awk -F , 'NR == FNR { if ($1 == "measure") quick[$2, $3, $4, $5, $6] = 1; next }
        FNR == 1 || ($1, $2, $3, $4, $5) in quick' "$work/plan" "$recorded/$table.csv" \
        >"$work/quick/$table.csv"
done
awk -F , 'NR == FNR { if ($1 == "measure") quick[$2, $3, $4, $5, $6] = 1; next }
    FNR == 1 || ($2, $3, $4, $5, $6) in quick' "$work/plan" "$recorded/kernels.csv" \
    >"$work/quick/kernels.csv"
# Lines may refer, in their last column, to the code of an earlier kernel: here each has its own.
awk -F , 'NR == FNR { quick[$1] = 1; next }
    FNR == 1 { print; next }
    {
        key = $1 "," $2 ","
        rest = substr($0, length(key) + 1)
        match(rest, /^[^,]*,[^,]*,[^,]*,("([^"]|"")*"|[^",]*)/)
        counts = substr(rest, RLENGTH + 1)
        if ($NF == "") code[$1, $2] = substr(rest, 1, RLENGTH)
        if (!($1 in quick)) next
        sub(/[^,]*$/, "", counts)
        print key code[$NF == "" ? $1 : $NF, $2] counts
    }' "$work/quick/kernels.csv" "$recorded/lines.csv" >"$work/quick/lines.csv"

# make_run NUMBER: makes a run of another device. Tables that are the same are links.
make_run() {
    run=$work/runs/$1
    mkdir "$run"
    ln "$work/quick/"*.csv "$run/"
    rm "$run/samples.csv" "$run/ceilings.csv"
    { cat "$work/quick/run.txt" && awk -v number="$1" 'BEGIN {
        printf "device_uuid: %08d-0000\nhost: node%d\n", number, number / 8
        printf "device_power_limit_w: %d\n", number % 100 == 5 ? 500 : 700
        printf "device_temperature_c: %d\n", 45 + number % 7 }'; } >"$run/run.txt"
    for table in samples ceilings; do
        awk -F , -v OFS=, -v number="$1" -v table="$table" '
            function normal(  i, sum) { for (i = 0; i < 12; i++) sum += rand(); return sum - 6 }
            BEGIN {
                srand(number + 1)
                factor = (1 + 0.003 * normal()) * (number % 100 == 5 ? 0.94 : 1)
            }
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = NF - i; print; next }
            # From the end: a title may hold a comma.
            table == "samples" { i = NF - at["time_ns"]; if ($i != "") $i = $i / factor }
            table == "ceilings" {
                for (name in at)
                    if (name == "value" || name == "low" || name == "high")
                        $(NF - at[name]) *= factor
            }
            { print }' "$work/quick/$table.csv" >"$run/$table.csv"
    done
}

# ---- fleets --------------------------------------------------------------------------------------

# measure DEVICES NAME COMMAND...: adds a row to the table: devices, name, seconds, processor
# seconds, MiB at most.
measure() {
    devices=$1
    name=$2
    shift 2
    /usr/bin/time -f '%e %U %S %M' -o "$work/time" "$@" >"$work/out" || {
        echo "not ok - $name of $devices devices"
        exit 1
    }
    awk -v devices="$devices" -v name="$name" '{ print devices, name, $1, $2 + $3, $4 / 1024 }' \
        "$work/time" >>"$work/table"
}

made=0
: >"$work/table"
for part in 100 10 1; do
    devices=$((DEVICES / part))
    [ "$devices" -gt 0 ] || continue
    while [ "$made" -lt "$devices" ]; do
        make_run "$made"
        made=$((made + 1))
    done
    (cd "$work/runs" && measure "$devices" merge "$WHYFAST" merge -q ./* -o "$work/fleet") || exit 1
    measure "$devices" boards "$WHYFAST" boards -q --csv "$work/fleet"
    grep -cE ',read_gbs,.*,lower,' "$work/out" | sed "s/^/$devices /" >>"$work/found"
    printf "# the page of %d devices has %d kB\n" "$devices" \
        "$(du -sk "$work/fleet/index.html" | cut -f 1)" >>"$work/pages"
    rm -rf "$work/fleet"
done
awk -v most_seconds="$MOST_SECONDS" -v most_mib="$MOST_MIB" -v largest="$DEVICES" \
    -v found="$work/found" '
    function judge(what, good) { printf "%s %d - %s\n", good ? "ok" : "not ok", ++tests, what }
    BEGIN {
        printf "%7s %-6s %9s %9s %7s\n", "devices", "", "seconds", "processor", "MiB"
    }
    {
        printf "%7d %-6s %9.1f %9.1f %7.0f\n", $1, $2, $3, $4, $5
        seconds[$2, $1] = $3
        each[$2, $1] = $4 / $1
        mib[$2, $1] = $5
        if ($5 > worst) worst = $5
    }
    END {
        judge("the largest fleet is merged in time", seconds["merge", largest] <= most_seconds)
        judge("no command needs more memory", worst <= most_mib)
        for (i = split("merge boards", name); i; i--) {
            smaller = int(largest / 10)
            judge(name[i] " grows with the fleet: processor time",
                each[name[i], largest] <= 1.3 * each[name[i], smaller] + 0.001)
            judge("  memory", mib[name[i], largest] <= 5 * mib[name[i], smaller])
        }
        while ((getline line <found) > 0) {
            split(line, field, " ")
            judge("the slow boards of " field[1] " are found",
                field[2] == int((field[1] + 94) / 100))
        }
    }' "$work/table"
cat "$work/pages"
