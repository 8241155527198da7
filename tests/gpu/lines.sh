#!/bin/sh
# Tests counts and samples of single instructions on a GPU: planted bank conflicts are found at
# their line and in their number; the inner line of the strided reduction reads as its address map
# says; sums over instructions equal the counters of whole launches; and samples sum up to the
# sampler's totals. Prints TAP.
#
# PARTS names the parts to run: planted strided sums (all).
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
PARTS=${PARTS:-planted strided sums}
PLANTED=${PLANTED:-${BUILD:-build}/planted/whyfast}

# instructions RUN: prints for every instruction: family, variant, launch, source path, line, the
# place where it was inlined (both as "path:line"), executed, shared_wavefronts, shared_ideal,
# samples; separated by tabs.
instructions() {
    plain "$1/sources.csv" >"$work/sources"
    plain "$1/kernels.csv" >"$work/kernels"
    awk -f "$here/../full_lines.awk" "$1/lines.csv" >"$work/lines"
    plain "$work/lines" |
        awk -F , -v OFS='\t' -v sources="$work/sources" -v kernels="$work/kernels" '
        BEGIN {
            while ((getline row <sources) > 0) { split(row, cell, ","); path[cell[1]] = cell[2] }
            getline row <kernels
            width = split(row, column, ",")
            for (i = 1; i <= width; i++) if (column[i] == "launch") launch = i
            while ((getline row <kernels) > 0) {
                split(row, cell, ","); name[cell[1]] = cell[2] OFS cell[3] OFS cell[launch]
            }
        }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            inlined = ""
            n = split($(at["inlined_at"]), place, " ")
            for (i = 1; i <= n; i++) {
                split(place[i], part, ":")
                inlined = inlined (i > 1 ? " " : "") path[part[1]] ":" part[2]
            }
            print name[$(at["kernel"])], path[$(at["source"])], $(at["line"]), inlined,
                $(at["executed"]), $(at["shared_wavefronts"]),
                $(at["shared_ideal"]), $(at["samples"])
        }'
}

# collected RUN PROGRAM WHAT...: makes a quick run with lines.
collected() {
    run=$1 program=$2
    shift 2
    "$program" report "$@" -q --samples 6 --seconds 1 --repeats 1 \
        -o "$run" >"$work/out" 2>"$work/err" &&
        [ -s "$run/lines.csv" ]
    report $? "whyfast report $* has lines.csv"
    sed 's/^/# /' "$work/err"
}

# ways VARIANT: prints the number of planted ways, by its name.
ways() { echo "$1" | sed 's/.*_\([0-9]*\)_way$/\1/'; }

planted() {
    collected "$work/planted" "$PLANTED" 'conflicts/*' --sets mission,lines
    instructions "$work/planted" >"$work/rows"
    line=$(grep -n 'the planted access' "$here/kernels/conflicts/conflicts.h" | cut -d : -f 1)
    for variant in $("$PLANTED" list --csv |
        awk -F , 'NR > 1 && $1 == "conflicts" { print $2 }'); do
        awk -F '\t' -v variant="$variant" -v place="tests/gpu/kernels/conflicts/conflicts.h:$line" \
            -v ways="$(ways "$variant")" -v wide="$(echo "$variant" | grep -c wide)" '
            $2 != variant || $8 == "" { next }
            {
                here = $4 ":" $5 " " $6
                if (index(here " ", place " ")) { wavefronts += $8; ideal += $9; executed += $7 }
                else elsewhere += $8 - $9
            }
            END {
                printf "# %s: %d wavefronts, %d ideal, of %d instructions; " \
                    "elsewhere an excess of %d\n", variant, wavefronts, ideal, executed, elsewhere
                exit !(ideal > 0 && wavefronts == ways * ideal &&
                    ideal == executed * (wide ? 4 : 1) && elsewhere == 0)
            }' "$work/rows"
        report $? "$variant: exactly $(ways "$variant")-way at its line, no excess elsewhere"
    done
}

# One line makes three accesses in eight rounds; in each round the b / 2s active threads read words
# that are 2s apart.
strided() {
    collected "$work/strided" "$WHYFAST" 'reduce/02*' -s 2^27 --block 256 --sets mission,lines
    instructions "$work/strided" >"$work/rows"
    line=$(grep -n 'sum\[first\] += sum\[first + s\]' \
        "$here/../../kernels/reduce/02_interleaved_strided.cu" |
        cut -d : -f 1)
    awk -F '\t' -v line="$line" '
        $3 != 0 || $8 == "" { next }
        $5 == line { accesses++; if ($8 == 24641536 && $9 == 6291456) right++; next }
        { elsewhere += $8 - $9 }
        END { exit !(accesses == 3 && right == 3 && elsewhere == 0) }' "$work/rows"
    words="makes three accesses of 24641536 wavefronts against 6291456 each"
    report $? "the strided reduction's inner line $words, and nothing else conflicts"
}

# Kernels that wait in a loop do not always execute the same number of instructions: only their
# wavefronts can be compared.
sums() {
    collected "$work/sums" "$WHYFAST" 'reduce/0[1-6]*' 'reduce/10*' 'gemm/0[1-9]*' 'gemm/1[0-4]*' \
        -s 2^24,1024x1024x1024 --sets mission,lines
    plain "$work/sums/kernels.csv" >"$work/kernels"
    plain "$work/sums/lines.csv" >"$work/lines"
    awk -f "$here/../full_lines.awk" "$work/sums/lines.csv" |
        grep TRYWAIT | cut -d , -f 1 | sort -u >"$work/waiting"
    plain "$work/sums/counters.csv" |
        awk -F , -v kernels="$work/kernels" -v lines="$work/lines" -v waiting="$work/waiting" \
            "$by_name"'
        BEGIN {
            names = "executed=warp_instructions_sass threads=thread_instructions " \
                "threads_on=thread_instructions_on branches_uniform=branch_targets_uniform " \
                "branches_divergent=branch_targets_divergent shared_wavefronts=shared_wavefronts"
            count = split(names, pair, " ")
            for (i = 1; i <= count; i++) {
                split(pair[i], half, "=")
                counter_of[half[1]] = half[2]
                is_wanted[half[2]] = 1
            }
            getline row <kernels
            width = split(row, column, ",")
            while ((getline row <kernels) > 0) {
                split(row, cell, ",")
                for (i = 2; column[i - 1] != "launch"; i++)
                    key[cell[1]] = key[cell[1]] cell[i] ","
            }
            getline row <lines
            width = split(row, column, ",")
            while ((getline row <lines) > 0) {
                split(row, cell, ",")
                for (i = 1; i <= width; i++)
                    if (column[i] in counter_of)
                        sum[key[cell[1]], counter_of[column[i]]] += cell[i]
            }
            while ((getline row <waiting) > 0) waits[key[row]] = 1
        }
        { k = ""; for (i = 1; i <= at["launch"]; i++) k = k $i ","; name = $at["counter"] }
        NR > 1 && (name in is_wanted) && ((k, name) in sum) {
            if ((k in waits) && name != "shared_wavefronts") next
            compared++
            if ($at["value"] != sum[k, name]) {
                printf "# %s %s: %s, the sum over its instructions is %s\n", k, name,
                    $at["value"], sum[k, name]
                differ++
            }
        }
        END {
            printf "# %d sums compared, %d differ\n", compared, differ
            exit !(compared > 100 && differ == 0)
        }'
    report $? "sums over instructions are the range profiler's counts of the launch"
    awk -F , -v lines="$work/lines" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            wanted[$1] = $(at["samples_total"]) - $(at["samples_dropped"]) - \
                $(at["samples_elsewhere"])
        }
        END {
            getline row <lines
            width = split(row, column, ",")
            for (i = 1; i <= width; i++) if (column[i] == "samples") samples = i
            while ((getline row <lines) > 0) {
                split(row, cell, ","); sum[cell[1]] += cell[samples]
            }
            for (k in wanted) {
                compared++
                if (sum[k] != wanted[k]) {
                    printf "# kernel %s: %d samples, the sampler says %d\n", k, sum[k],
                        wanted[k]
                    differ++
                }
            }
            exit !(compared > 10 && differ == 0)
        }' "$work/kernels"
    report $? \
        "samples over instructions are the sampler's total less those dropped and those elsewhere"
}

for part in $PARTS; do
    case $part in
    planted | strided | sums) $part ;;
    *) report 1 "no part is called $part" ;;
    esac
done
echo "1..$count"
