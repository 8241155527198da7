#!/bin/sh
# shellcheck disable=SC2086,SC2154 # lists of words; what points.inc sets
# The counts agree with Nsight Compute's on the same kernels: prints the table, one row per launch and counter that differ at all or that are judged by a
# tolerance, and TAP. What varies is taken as the median of five collections and of three profiles. Of the seven relaunching rungs every count must be
# equal in every repeat of both. Other rungs may wait in a loop, for a ticket, a barrier or a copy: their counts must be equal where both tools see the
# same in all their repeats, and are only shown where they do not. A library's call is one range here and several kernels there, which are added up; where
# the library has picked other kernels under ncu, which it may, its counts are shown and not compared.
#
# PATTERN is a pattern of family/variant (*). SIZES are the sizes for every family in it; else it is known below. SWEEP is the setting of a swept variant
# where it has that, else its middle one (16). Set TABLE to keep the whole table as a CSV file.
set -u
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
# shellcheck source=ncu.inc
. "$here/ncu.inc"
PATTERN=${PATTERN:-*}
SWEEP=${SWEEP:-16}
if ! command -v ncu >/dev/null; then
    echo "1..0 # SKIP ncu is not on the PATH"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=${TABLE:-$work/table.csv}
echo 'size,variant,sweep,launch,counter,whyfast,ncu,difference,compared_as,family' >"$table"

sizes_of() {
    case $1-$rank in
    reduce-*) echo 4194304 536870912 ;;
    gemm*-3) echo 1024x1024x1024 ;;
    *-1) echo 4194304 ;;
    *-2) echo 2048x4096 ;;
    *) echo 256x256x256 ;;
    esac
}

# setting_of FAMILY/VARIANT: the one to profile; none where nothing is swept.
setting_of() {
    "$WHYFAST" list "$1" | awk -v wanted="$SWEEP" '/^  sweep / {
        sub(/^.*:/, "")
        n = split($0, value, " ")
        for (i = 1; i <= n; i++) if (value[i] == wanted) found = wanted
        print found ? found : value[int((n + 1) / 2)]
        swept = 1
    } END { if (!swept) print "none" }'
}

# compare SIZE RUN PROFILE...: rows of the table. ncu's file: a header and a row of units behind its own messages, every cell quoted. Its rows come in
# launch order, as the launches do. A launch of a library whose kernel is not the one that was profiled has none: the next row belongs to a later launch.
compare() {
    elements=$(elements "$1")
    case $1 in *x*x*) streams=0 ;; *) streams=$((elements > 100000000)) ;; esac # a product finds most of what it reads in a cache
    kinds "$2" >"$work/kinds"
    size=$1
    run=$2
    shift 2
    awk -F, -v size="$size" -v streams="$streams" '
        function cells(line, out) { sub(/^"/, "", line); sub(/"$/, "", line); return split(line, out, /","/) }
        function median(values, key, n, i, j, t) {
            for (i = 1; i <= n; i++) sorted[i] = values[key, i] + 0
            for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (sorted[j] < sorted[i]) { t = sorted[i]; sorted[i] = sorted[j]; sorted[j] = t }
            return sorted[int((n + 1) / 2)]
        }
        function varies(values, key, n, i) {
            for (i = 2; i <= n; i++) if (values[key, i] + 0 != values[key, 1] + 0) return 1
            return 0
        }
        function pass_over_library(name) {
            while (row < launches && is_library[row + 1] && name != kernel[row + 1]) { row++; other[launch[row]] = kernel[row] }
        }
        function end_profile() {
            if (!profiles) return
            pass_over_library("")
            if (row != launches || surplus) { print "# profile " profiles " does not fit the " launches " launches"; lost = 1 }
        }
        FILENAME ~ /kinds$/ { kind[$1 "," $2] = $3; next }
        FILENAME ~ /launches$/ {
            if ($0 !~ /,ok$/) next
            is_library[++launches] = kind[$1 "," $2] == "library"
            launch[launches] = $1 "," $2 "," $5 "," (is_library[launches] ? 0 : $6)
            kernel[launches] = $7
            next
        }
        FILENAME ~ /ncu[0-9].csv$/ {
            if ($0 !~ /^"/) next
            n = cells($0, cell)
            if (cell[1] == "ID") { end_profile(); profiles++; row = surplus = 0; for (i = 1; i <= n; i++) { name[i] = cell[i]; if (name[i] == "Kernel Name") named = i }; next }
            if (cell[1] == "") next
            sub(/\(.*/, "", cell[named])
            pass_over_library(cell[named])
            if (row == launches) { surplus++; next }
            row++
            if (cell[named] ~ /^_Z/ && cell[named] != kernel[row]) { print "# launch " row " is " kernel[row] ", ncu profiled " cell[named]; lost = 1 }
            for (i = 1; i <= n; i++) {
                value = cell[i]
                gsub(/,/, "", value)
                key = launch[row] "," name[i]
                if (value == "") continue
                theirs[key, profiles] += value
                there[key, profiles] = 1
            }
            next
        }
        FNR > 1 && $12 != "" {
            key = $1 "," $2 "," $5 "," $6 "," $11
            if (!(key in repeats)) { order[++keys] = key; counter[key] = $10 }
            ours[key, ++repeats[key]] = $12
        }
        END {
            end_profile()
            for (k = 1; k <= keys && !lost; k++) {
                key = order[k]
                split(key, part, ",") # family, variant, sweep, launch, name
                begin = size "," part[2] "," part[3] "," part[4] "," counter[key] ","
                range = part[1] "," part[2] "," part[3] "," part[4]
                if (!((key, 1) in there) && !(range in other)) { print begin ours[key, 1] ",,,missing," part[1]; continue }
                seven = part[1] == "reduce" && part[2] ~ /^0[1-7]_/
                library = kind[part[1] "," part[2]] == "library"
                judged = "not compared: a rate, a time or a rounded share"
                if (part[5] ~ /sass|inst_executed/ && part[5] !~ /pct|peak_sustained/) judged = "equal"
                if (part[5] ~ /^sm__warps_active/) judged = part[4] == 0 && (seven || streams) ? "within 1 point" : "not compared: a short launch"
                if (part[5] ~ /^dram__bytes_(op_)?(read|write)/) judged = (streams && part[4] == 0 && part[5] ~ /read/) ? "within 3 %" : "not compared: what the L2 cache still holds"
                if (part[5] ~ /bank_conflicts/) judged = "not compared: arbitration differs from run to run"
                if (library && part[5] ~ /pct|\.avg|\.max|\.min|\.ratio|peak_sustained|per_second/) judged = "not compared: not to be added up over kernels"
                if (range in other) {
                    judged = "not compared: under ncu the library did not launch " other[range]
                    profiled = ((key, 1) in there) ? median(theirs, key, profiles) : ""
                    print begin median(ours, key, repeats[key]) "," profiled ",," judged "," part[1]
                    continue
                }
                mine = median(ours, key, repeats[key])
                value = median(theirs, key, profiles)
                if (judged == "equal" && !seven && (varies(ours, key, repeats[key]) || varies(theirs, key, profiles))) judged = "not compared: differs from run to run"
                for (i = 1; i <= repeats[key] && judged == "equal"; i++) if (ours[key, i] + 0 != value) mine = ours[key, i]
                for (i = 1; i <= profiles && judged == "equal"; i++) if (theirs[key, i] + 0 != mine + 0) value = theirs[key, i]
                print begin mine "," value "," mine - value "," judged "," part[1]
            }
        }' OFMT=%.9g CONVFMT=%.15g "$work/kinds" "$1.launches" "$@" "$run/counters.csv" >"$work/rows"
    grep '^#' "$work/rows"
    grep -v '^#' "$work/rows" >>"$table"
    ! grep -q '^#' "$work/rows"
}

# profile FAMILY SIZE SETTING VARIANT...: one run with its counters, three profiles of the same points.
profile() {
    label="$1, $2, setting $3"
    size=$2
    sweep=
    [ "$3" = none ] || sweep="--sweep $3"
    shift 3
    rm -rf "$work/run"
    if ! "$WHYFAST" measure -q "$@" -s "$size" $sweep --samples 1 -o "$work/run" >"$work/out" 2>&1 || ! "$WHYFAST" collect -q "$work/run" --repeats 5 >"$work/out" 2>&1; then
        sed 's/^/# /' "$work/out"
        report 1 "$label: counters are collected"
        return
    fi
    ncu_prepare "$work/run" "$@" -s "$size" $sweep
    if [ -z "$kernels" ]; then
        skip "$label: nothing of it runs on the GPU"
        return
    fi
    for i in 1 2 3; do
        if ! ncu_profile "$work/ncu$i.csv" "$@" -s "$size" $sweep; then
            tail -n 5 "$work/ncu$i.csv.err" | sed 's/^/# /'
            report 1 "$label: ncu profiles it"
            return
        fi
    done
    compare "$size" "$work/run" "$work/ncu1.csv" "$work/ncu2.csv" "$work/ncu3.csv"
    report $? "$label: ncu has profiled each launch ($(grep -c ',ok$' "$work/ncu1.csv.launches") launches)"
}

for family in $(families); do
    : >"$work/settings"
    for variant in $(variants "$family"); do
        # shellcheck disable=SC2254 # a pattern
        case $family/$variant in $PATTERN) echo "$(setting_of "$family/$variant") $family/$variant" >>"$work/settings" ;; esac
    done
    [ -s "$work/settings" ] || continue
    family_takes "$family" || { report 1 "$family: what sizes it takes"; continue; }
    for size in ${SIZES:-$(sizes_of "$family")}; do
        if ! fits "$size"; then
            skip "$family, $size: does not fit into this machine's memory"
            continue
        fi
        for setting in $(cut -d ' ' -f 1 "$work/settings" | sort -u); do
            names=$(awk -v setting="$setting" '$1 == setting { print $2 }' "$work/settings")
            profile "$family" "$size" "$setting" $names
        done
    done
done

awk -F, -v count="$count" '
    NR == 1 { next }
    $9 == "missing" { missing++; print "# missing in ncu: " $0; next }
    $9 == "equal" { n[1]++; if ($6 != 0) real++; if ($8 != 0) { bad[1]++; print "# differs: " $0 } next }
    $9 == "within 1 point" { n[2]++; d = $8 < 0 ? -$8 : $8; if (d > most[2]) most[2] = d; if (d > 1) { bad[2]++; print "# differs: " $0 } next }
    $9 == "within 3 %" { n[3]++; d = 100 * ($8 < 0 ? -$8 : $8) / $7; if (d > most[3]) most[3] = d; if (d > 3) { bad[3]++; print "# differs: " $0 } next }
    $9 ~ /under ncu the library/ && !seen[$10, $2, $1]++ { print "# " $10 "/" $2 ", " $1 ": " $9 }
    $9 ~ /differs from run to run$/ && $5 !~ /conflicts/ { loops++; print "# differs from run to run: " $0; next }
    function line(good, words) { printf "%s %d - %s\n", good ? "ok" : "not ok", ++count, words }
    END {
        line(n[1] && !bad[1], sprintf("instructions, wavefronts and SASS counts equal: %d values, %d of them not 0; %d differ; %d more wait in loops", n[1], real, bad[1], loops))
        if (n[2]) line(!bad[2], sprintf("achieved occupancy of the first launches within 1 point: %d values, largest difference %.3f", n[2], most[2]))
        if (n[3]) line(!bad[3], sprintf("DRAM bytes read of the first launches at 2^29 within 3 %%: %d values, largest difference %.3f %%", n[3], most[3]))
        line(!missing, "no counter is missing in ncu: " missing + 0)
        print "1.." count
    }' "$table"
