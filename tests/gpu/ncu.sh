#!/bin/sh
# shellcheck disable=SC2046,SC2086 # lists of words
# Tests that the counts of every variant agree with Nsight Compute's on the same kernels; prints the
# differences, and TAP. Both see the same machine: under ncu the program runs once for each pass
# (application replay) and flushes the L2 cache itself, as it does for its own counters, and ncu
# leaves clocks and caches alone. In each process of ncu, the first launch of each point is profiled
# and left out: the program launches each point once before it counts, and a first launch writes
# more.
#
# Values that vary, mostly with the place of a process' memory, are the median of six collections in
# three processes and of four profiles in two. If the repeats of either tool differ by more than the
# tolerance, as for kernels of some 10 us, achieved occupancy and bytes of device memory are
# collected once more by themselves: as the mean of 44 collections and of 44 profiles, four in each
# of 11 processes. Counts must be equal if both tools see the same in all their repeats; counts of
# kernels that wait in loops, for a ticket, a barrier or a copy, differ from run to run in both and
# are shown. Achieved occupancy, of the first launch of a point as in the metric, must agree within
# 1 point; bytes of device memory, read and written by all launches of a point, within 3 %. Any
# other difference is an exception: it must be explained in ncu_exceptions.csv, and is printed with
# its explanation. A library's call is one range for the program and several kernels for ncu, which
# are added up; if the library has picked other kernels under ncu, which it may, its counts are
# shown and not compared.
#
# PATTERN is a pattern of family/variant (*). SIZES are the sizes of all families; STREAM_SIZE is
# the size, far beyond the L2 cache, at which the family reduce is compared once more (empty: it is
# not). SWEEP is the setting of a swept variant if it has that one, else its middle one (16). Set
# TABLE to keep the whole table as a CSV file.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
# shellcheck source=ncu.inc
. "$here/ncu.inc"
PATTERN=${PATTERN:-*}
SIZES=${SIZES:-4194304,2048x4096,1024x1024x1024}
STREAM_SIZE=${STREAM_SIZE:-134217728}
SWEEP=${SWEEP:-16}
if ! command -v ncu >/dev/null; then
    echo "1..0 # SKIP ncu is not on the PATH"
    exit 0
fi
table=${TABLE:-$work/table.csv}
echo 'size,variant,sweep,launch,counter,whyfast,ncu,difference,compared_as,family,whyfast_spread,ncu_spread,whyfast_repeats,ncu_repeats' \
    >"$table"

# with_setting FAMILY/VARIANT: prints it as a pattern, with the setting to profile if it has
# settings.
with_setting() {
    "$WHYFAST" list "$1" | awk -v wanted="$SWEEP" -v name="$1" '/^  sweep / {
        sub(/^.*:/, "")
        n = split($0, value, " ")
        for (i = 1; i <= n; i++) if (value[i] == wanted) found = wanted
        name = name "@" (found ? found : value[int((n + 1) / 2)])
    } END { print name }'
}

# compare RUN PROFILE...: writes rows of the table to $work/rows. A file of ncu has a header and a
# row of units after its own messages, and every cell is quoted. Its rows are in launch order, as
# the launches are. If the kernel of a library's launch is not the profiled one, the launch has no
# row: the next row belongs to a later launch.
compare() {
    kinds "$1" >"$work/kinds"
    run=$1
    shift
    awk -F, -v middle="$middle" -v times="$times" "$by_name"'
        function cells(line, out) {
            sub(/^"/, "", line); sub(/"$/, "", line); return split(line, out, /","/)
        }
        function median(values, key, n, i, j, t) {
            for (i = 1; i <= n; i++) sorted[i] = values[key, i] + 0
            for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (sorted[j] < sorted[i]) {
                t = sorted[i]; sorted[i] = sorted[j]; sorted[j] = t
            }
            return sorted[int((n + 1) / 2)]
        }
        function mean(values, key, n, i, sum) {
            for (i = 1; i <= n; i++) sum += values[key, i]
            return sum / n
        }
        function typical(values, key, n) {
            return middle == "mean" ? mean(values, key, n) : median(values, key, n)
        }
        function varies(values, key, n, i) {
            for (i = 2; i <= n; i++) if (values[key, i] + 0 != values[key, 1] + 0) return 1
            return 0
        }
        function spread(values, key, n, i, least, most) {
            least = most = values[key, 1] + 0
            for (i = 2; i <= n; i++) {
                if (values[key, i] + 0 < least) least = values[key, i] + 0
                if (values[key, i] + 0 > most) most = values[key, i] + 0
            }
            return most - least
        }
        function pass_over_library(name) {
            while (row < launches && is_library[row + 1] && name != kernel[row + 1]) {
                row++; if (before[row]) other[launch[row]] = kernel[row]
            }
        }
        function end_profile() {
            if (!profiles) return
            pass_over_library("")
            if (row != launches || surplus) {
                print "# profile " profiles " does not fit the " launches " launches"
                lost = 1
            }
        }
        FILENAME ~ /kinds$/ { kind[$1 "," $2] = $3; next }
        FILENAME ~ /launches$/ {
            if ($0 !~ /,ok$/) next
            is_library[++launches] = kind[$1 "," $2] == "library"
            nth = $at["launch"]
            before[launches] = seen[$1, $2, $3, $5, nth]++
            launch[launches] = $1 "," $2 "," $3 "," $5 "," (is_library[launches] ? 0 : nth)
            kernel[launches] = $at["kernel"]
            next
        }
        FILENAME ~ /ncu[0-9]+.csv$/ {
            if ($0 !~ /^"/) next
            n = cells($0, cell)
            if (cell[1] == "ID") {
                end_profile()
                profiles++
                row = surplus = 0
                for (i = 1; i <= n; i++) {
                    name[i] = cell[i]; if (name[i] == "Kernel Name") named = i
                }
                next
            }
            if (cell[1] == "") next
            sub(/\(.*/, "", cell[named])
            pass_over_library(cell[named])
            if (row == launches) { surplus++; next }
            row++
            if (cell[named] ~ /^_Z/ && cell[named] != kernel[row]) {
                print "# launch " row " is " kernel[row] ", ncu profiled " cell[named]
                lost = 1
            }
            for (i = 1; i <= n && before[row]; i++) {
                value = cell[i]
                gsub(/,/, "", value)
                key = launch[row] "," name[i]
                if (value == "") continue
                nth = (profiles - 1) * (times - 1) + before[row]
                theirs[key, nth] += value
                there[key, nth] = 1
            }
            next
        }
        FILENAME ~ /samples.csv$/ {
            if ($at["status"] == "ok" && $at["kind"] == "end_to_end" && $at["l2"] == "cold")
                alone[$1 "," $2 "," $3 "," $5, ++timed[$1 "," $2 "," $3 "," $5]] = $at["time_ns"]
            next
        }
        FNR > 1 && $at["value"] != "" {
            key = $1 "," $2 "," $3 "," $5 "," $at["launch"] "," $at["source"]
            if (!(key in repeats)) { order[++keys] = key; counter[key] = $at["counter"] }
            ours[key, ++repeats[key]] = $at["value"]
        }
        END {
            end_profile()
            profiled = profiles * (times - 1)
            for (k = 1; k <= keys && !lost; k++) {
                key = order[k]
                split(key, part, ",") # family, variant, size, sweep, launch, name
                begin = part[3] "," part[2] "," part[4] "," part[5] "," counter[key] ","
                range = part[1] "," part[2] "," part[3] "," part[4] "," part[5]
                point = part[1] "," part[2] "," part[3] "," part[4]
                if (!((key, 1) in there) && !(range in other)) {
                    print begin ours[key, 1] ",,,missing," part[1] ",,," repeats[key] ",0"
                    continue
                }
                library = kind[part[1] "," part[2]] == "library"
                judged = "not compared: a time or what is rounded or divided"
                if (part[6] ~ /sass|inst_executed/ && part[6] !~ /pct|peak_sustained/)
                    judged = "equal"
                if (part[6] ~ /^sm__warps_active/)
                    judged = part[5] == 0 ? "within 1 point" : \
                        "not compared: the metric is of the first launch"
                if (counter[key] == "dram_read_bytes" || counter[key] == "dram_write_bytes") {
                    judged = "not compared: one part of dram_total_bytes"
                    if (!(point in dram_ours)) points[++point_count] = point
                    dram_ours[point] += typical(ours, key, repeats[key])
                    if (range in other) dram_other[point] = other[range]
                    else dram_theirs[point] += typical(theirs, key, profiled)
                }
                if (part[6] ~ /bank_conflicts/)
                    judged = "not compared: arbitration differs from run to run"
                if (library &&
                    part[6] ~ /pct|\.avg|\.max|\.min|\.ratio|peak_sustained|per_second/)
                    judged = "not compared: not to be added up over kernels"
                if (range in other) {
                    judged = "not compared: under ncu the library did not launch " other[range]
                    value = ((key, 1) in there) ? median(theirs, key, profiled) : ""
                    print begin median(ours, key, repeats[key]) "," value ",," judged "," part[1] \
                        ",,," repeats[key] "," profiled
                    continue
                }
                mine = typical(ours, key, repeats[key])
                value = typical(theirs, key, profiled)
                if (judged == "equal" &&
                    (varies(ours, key, repeats[key]) || varies(theirs, key, profiled)))
                    judged = "not compared: differs from run to run"
                for (i = 1; i <= repeats[key] && judged == "equal"; i++)
                    if (ours[key, i] + 0 != value) mine = ours[key, i]
                for (i = 1; i <= profiled && judged == "equal"; i++)
                    if (theirs[key, i] + 0 != mine + 0) value = theirs[key, i]
                print begin mine "," value "," mine - value "," judged "," part[1] "," \
                    spread(ours, key, repeats[key]) "," spread(theirs, key, profiled) "," \
                    repeats[key] "," profiled
            }
            for (k = 1; k <= point_count && !lost; k++) {
                point = points[k]
                split(point, part, ",")
                begin = part[3] "," part[2] "," part[4] ",all,dram_total_bytes,"
                if (point in dram_other)
                    print begin dram_ours[point] \
                        ",,,not compared: under ncu the library did not launch " \
                        dram_other[point] "," part[1] ",,,,"
                else
                    print begin dram_ours[point] "," dram_theirs[point] "," \
                        dram_ours[point] - dram_theirs[point] ",within 3 %," part[1] ",,,,"
            }
            for (k = 1; k <= point_count && !lost; k++) if (timed[points[k]]) {
                split(points[k], part, ",")
                print part[3] "," part[2] "," part[4] ",all,time_alone_ns," \
                    median(alone, points[k], timed[points[k]]) \
                    ",,,not compared: without any profiler," part[1] "," \
                    spread(alone, points[k], timed[points[k]]) ",," timed[points[k]] ","
            }
        }' OFMT=%.9g CONVFMT=%.15g "$work/kinds" "$1.launches" "$@" "$run/samples.csv" \
        "$run/counters.csv" >"$work/rows"
    [ -s "$work/rows" ] && ! grep "^#" "$work/rows"
}

# collect RUN: collects its counters of the sets $sets, $repeats times in each of $processes
# processes.
collect() {
    cp -r "$1" "$work/timed"
    "$WHYFAST" collect -q "$1" --sets "$sets" --repeats "$repeats" || return
    for i in $(seq 2 "$processes"); do
        rm -rf "$work/again"
        cp -r "$work/timed" "$work/again"
        "$WHYFAST" collect -q "$work/again" --sets "$sets" --repeats "$repeats" || return
        tail -n +2 "$work/again/counters.csv" >>"$1/counters.csv"
    done
}

# profile LABEL SIZES PATTERN...: compares one run with its counters and $profiles profiles of the
# same points, each launched $times times. ncu profiles $metric alone if that is not empty.
profile() {
    label=$1
    sizes=$2
    shift 2
    rm -rf "$work/run" "$work/timed" "$work"/ncu*
    : >"$work/rows"
    if ! "$WHYFAST" measure -q "$@" -s "$sizes" --samples 5 --seconds 1 \
        -o "$work/run" >"$work/out" 2>&1 ||
        ! collect "$work/run" >"$work/out" 2>&1; then
        sed 's/^/# /' "$work/out"
        result 1 "$label: counters are collected"
        return
    fi
    ncu_prepare "$work/run" "$@" -s "$sizes"
    metrics=${metric:-$metrics}
    taken=
    for i in $(seq "$profiles"); do
        taken="$taken $work/ncu$i.csv"
        if ! ncu_profile "$work/ncu$i.csv" "$@" -s "$sizes" --samples "$times"; then
            tail -n 5 "$work/ncu$i.csv.err" "$work/ncu$i.csv" | sed 's/^/# /'
            result 1 "$label: ncu profiles it"
            return
        fi
    done
    compare "$work/run" $taken
    result $? \
        "$label: ncu has profiled each launch ($(grep -c ',ok$' \
            "$work/ncu1.csv.launches") launches)"
}

for family in $(families); do
    for variant in $(variants "$family"); do
        # shellcheck disable=SC2254 # a pattern
        case $family/$variant in $PATTERN) with_setting "$family/$variant" ;; esac
    done
done >"$work/patterns"
NCU_REPLAY='--replay-mode application --cache-control none'
sets=$RANGE_SETS processes=3 repeats=2 profiles=2 times=3 middle=median metric=
profile "$SIZES" "$SIZES" $(cat "$work/patterns")
grep -v '^#' "$work/rows" >>"$table"
streams=$(grep '^reduce/' "$work/patterns")
if [ "$STREAM_SIZE" != none ] && [ -n "$streams" ]; then
    if fits "$STREAM_SIZE"; then
        profile "reduce, $STREAM_SIZE" "$STREAM_SIZE" $streams
        grep -v '^#' "$work/rows" >>"$table"
    else
        skip "reduce, $STREAM_SIZE: does not fit into this machine's memory"
    fi
fi

# Values that vary too much for so few repeats; the new rows replace the old ones.
awk -F, '{ point = $1 " " $10 "/" $2 ($3 != 0 ? "@" $3 : "") }
    $5 == "warps_active_pct" && $9 == "within 1 point" && ($11 > 1 || $12 > 1) { print point }
    $5 == "dram_read_bytes" || $5 == "dram_write_bytes" { ours[point] += $11; theirs[point] += $12 }
    $5 == "dram_total_bytes" && $9 == "within 3 %" &&
        (ours[point] > 0.03 * $7 || theirs[point] > 0.03 * $7) {
        print point
    }' "$table" | sort -ru >"$work/unsettled"
sets=mission processes=11 repeats=4 profiles=11 times=5 middle=mean
metric=sm__warps_active.avg.pct_of_peak_sustained_active,dram__bytes_read.sum,dram__bytes_write.sum
for size in $(cut -d ' ' -f 1 "$work/unsettled" | uniq); do
    profile "$size, often" "$size" \
        $(awk -v size="$size" '$1 == size { print $2 }' "$work/unsettled")
    [ -s "$work/rows" ] || continue # it failed, with a message
    awk -F, '{ row = $1 FS $2 FS $3 FS $4 FS $5 FS $10 }
        FNR == NR { if ($9 != "missing" && $5 != "time_alone_ns") often[row] = $0; next }
        { print (row in often) ? often[row] : $0 }' "$work/rows" "$table" >"$work/settled"
    cat "$work/settled" >"$table"
done

awk -F, -v count="$tests" '
    FILENAME ~ /ncu_exceptions/ {
        if (FNR > 1) {
            exceptions++
            name[exceptions] = $1 "," $2 "," $3 "," $4
            because[exceptions] = substr($0, length(name[exceptions]) + 2)
        }
        next
    }
    FNR == 1 { next }
    # How long the busiest SM worked under each tool, and the time of the launches without any
    # profiler: this shows which tool disturbs them less.
    !judging {
        if ($4 == 0 || $4 == "all") {
            here[$10, $2, $1, $5] = $6; there[$10, $2, $1, $5] = $7
        }
        next
    }
    function busiest(of, point, clock) {
        clock = of[point, "sm_clock_hz"]
        return clock ? \
            sprintf("%.1f us", 1e6 * of[point, "sm_cycles_active_most"] / clock) : "unknown"
    }
    # Returns 0, with the row, if no exception explains it.
    function explained(point, i, because_of) {
        point = $10 SUBSEP $2 SUBSEP $1
        for (i = 1; i <= exceptions && !because_of; i++)
            if (name[i] == $10 "," $2 "," $1 "," $5) because_of = because[i]
        print because_of ? "# exception: " $10 "/" $2 " " $1 ": " $5 " " $6 " against " $7 \
            ", in repeats " $11 " and " $12 " apart: " because_of : "# differs: " $0
        print "#   alone " ((point, "time_alone_ns") in here ? \
            sprintf("%.1f us", here[point, "time_alone_ns"] / 1e3) : "not timed") \
            "; the busiest SM was at work for " busiest(here, point) " here and " \
            busiest(there, point) " under ncu"
        return because_of != ""
    }
    $9 == "missing" { missing++; print "# missing in ncu: " $0; next }
    $9 == "equal" {
        n[1]++; if ($6 != 0) real++; if ($8 != 0) { bad[1]++; print "# differs: " $0 } next
    }
    $9 == "within 1 point" {
        n[2]++
        d = $8 < 0 ? -$8 : $8
        if (d > 1) {
            if (explained()) known[2]++; else bad[2]++
        } else if (d > most[2]) most[2] = d
        next
    }
    $9 == "within 3 %" {
        n[3]++
        d = 100 * ($8 < 0 ? -$8 : $8) / $7
        if (d > 3) {
            if (explained()) known[3]++; else bad[3]++
        } else if (d > most[3]) most[3] = d
        next
    }
    $9 ~ /under ncu the library/ && !seen[$10, $2, $1]++ { print "# " $10 "/" $2 ", " $1 ": " $9 }
    $9 ~ /differs from run to run$/ && $5 !~ /conflicts|arbitration/ {
        loops++; print "# differs from run to run: " $0; next
    }
    function line(good, words) { printf "%s %d - %s\n", good ? "ok" : "not ok", ++count, words }
    END {
        line(n[1] && !bad[1],
            sprintf("instructions, wavefronts and SASS counts equal: %d values, " \
                "%d of them not 0; %d differ; %d more wait in loops", n[1], real, bad[1], loops))
        line(n[2] && !bad[2],
            sprintf("achieved occupancy within 1 point: %d values, largest difference %.3f; " \
                "%d exceptions, explained", n[2], most[2], known[2]))
        line(n[3] && !bad[3],
            sprintf("bytes of device memory within 3 %%: %d points, largest difference %.3f %%; " \
                "%d exceptions, explained", n[3], most[3], known[3]))
        line(!missing, "no counter is missing in ncu: " missing + 0)
        print "1.." count
    }' "$here/ncu_exceptions.csv" "$table" judging=1 "$table"
