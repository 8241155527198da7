#!/bin/sh
# Tests counts of single instructions on a GPU: planted bank conflicts are found at their line and in
# their number. Those of the ladders are tested in whole_run.sh. Prints TAP.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
PLANTED=${PLANTED:-$BUILD/planted/whyfast}

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

# ways VARIANT: prints the number of planted ways, by its name.
ways() { echo "$1" | sed 's/.*_\([0-9]*\)_way$/\1/'; }

"$PLANTED" report 'conflicts/*' --sets mission,lines -q --samples 6 --seconds 1 --repeats 1 \
    -o "$work/planted" >"$work/out" 2>"$work/err" && [ -s "$work/planted/lines.csv" ]
result $? 'a run of the planted conflicts has lines.csv'
sed 's/^/# /' "$work/err"
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
    result $? "$variant: exactly $(ways "$variant")-way at its line, no excess elsewhere"
done
finish
