#!/bin/sh
# Makes the run that the tests read: a slice of a recorded run, with all raw tables, compressed. What
# is kept is listed below; the facts say of which run it is a slice.
#
#   sh tests/tools/make_fixture.sh reports/recorded/NAME tests/fixture/NAME
set -eu
LC_ALL=C
export LC_ALL
from=${1:?usage: make_fixture.sh RECORDED_RUN DIRECTORY}
to=${2:?usage: make_fixture.sh RECORDED_RUN DIRECTORY}
tools=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/slice"
sh "$tools/../../tools/unpack_run.sh" "$from" "$work/whole"
awk -f "$tools/../full_lines.awk" "$work/whole/lines.csv" >"$work/lines.csv"
mv "$work/lines.csv" "$work/whole/"

# Families and their sizes; the primary size comes first. At the others, of the settings of a swept
# variant only the first few are kept, and the best one, which is the one that was traced.
cat >"$work/sizes" <<'END'
reduce 134217728 4194304 536870912
gemm 2048x2048x2048 8192x8192x8192
gemm_ablation 2048x2048x2048
gemm_tensor 4096x4096x4096
END
# The rounds of samples, the repeats of counters, and the first few settings.
rounds=8
repeats=1
settings=2
# Kernels with their lines.
lines_of='reduce 134217728 ^(0|1[0-5])
reduce 4194304 ^0[1-3]_
reduce 536870912 ^0[1-6]_
gemm 2048x2048x2048 ^(0[1268]|1[1346]|90)_
gemm_tensor 4096x4096x4096 ^10_'
# Points with counters over time, by their set of counters.
traces_of='reduce 134217728 kernels ^(0|1[0-6])
reduce 4194304 kernels ^0[1-3]_
reduce 536870912 timeline ^(0[137]|1[035])_
reduce 536870912 timeline_memory ^03_
gemm 2048x2048x2048 kernels ^(0[1-9]|1[0-7])_
gemm 8192x8192x8192 timeline ^(13|17)_'

# cells: the cells of a record in cell[1..count], as they are written. A record of several lines is
# joined by the caller (whole_record).
csv='function cells(record,    n, c, quoted, i, cell_text) {
        n = 1; cell_text = ""; quoted = 0
        for (i = 1; i <= length(record); i++) {
            c = substr(record, i, 1)
            if (c == "\"") quoted = !quoted
            if (c == "," && !quoted) { cell[n++] = cell_text; cell_text = "" }
            else cell_text = cell_text c
        }
        cell[n] = cell_text
        return n
    }'
# Where the leading cells of a row are: they hold neither commas nor line feeds.
by_name='FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i } '
whole=$work/whole
slice=$work/slice

awk '{ for (i = 2; i <= NF; i++) print $1, $i, i == 2 }' "$work/sizes" >"$work/places"
awk "$by_name"'FNR > 1 { print $at["family"], $at["variant"], $at["size"], $at["sweep"] }' FS=, \
    "$whole/traces.csv" | sort -u >"$work/traced"
for table in points launches series accesses samples counters stages; do
    awk -v rounds="$rounds" -v repeats="$repeats" -v settings="$settings" "$by_name"'
        FNR == 1 { file++ }
        file == 1 { kept[$1, $2] = 1; primary[$1, $2] = $3; next }
        file == 2 { traced[$1, $2, $3, $4] = 1; next }
        FNR == 1 { print; next }
        !(($at["family"], $at["size"]) in kept) { next }
        ("sweep" in at) && !primary[$at["family"], $at["size"]] && $at["sweep"] > settings &&
            !(($at["family"], $at["variant"], $at["size"], $at["sweep"]) in traced) { next }
        ("round" in at) && $at["round"] >= rounds { next }
        ("repeat" in at) && $at["repeat"] >= repeats { next }
        { print }' FS=' ' "$work/places" "$work/traced" FS=, "$whole/$table.csv" >"$slice/$table.csv"
done
for table in families claims published; do
    awk -F , '
        NR == FNR { split($0, word, " "); kept[word[1]] = 1; next }
        FNR == 1 || $1 in kept' "$work/sizes" "$whole/$table.csv" >"$slice/$table.csv"
done
# The variants without what they declared of their code: no test needs it.
awk "$csv"'
    NR == FNR { split($0, word, " "); kept[word[1]] = 1; next }
    { count = cells($0) }
    FNR == 1 { for (i = 1; i <= count; i++) if (cell[i] == "declares") left_out = i }
    FNR == 1 || cell[1] in kept {
        for (i = 1; i <= count; i++)
            if (i != left_out) printf "%s%s", (i > 1 ? "," : ""), cell[i]
        print ""
    }' "$work/sizes" "$whole/variants.csv" >"$slice/variants.csv"
cp "$whole/ceilings.csv" "$slice/"
[ ! -e "$whole/power.csv" ] || cp "$whole/power.csv" "$slice/"

# chosen LIST TABLE SET: prints the rows of the table whose family, size, set of counters (if there
# is one) and variant are in the list.
chosen() {
    echo "$1" | awk "$by_name"'
        NR == FNR { family[NR] = $1; size[NR] = $2; set[NR] = NF > 3 ? $3 : ""; name[NR] = $NF
            count = NR; next }
        FNR == 1 { print; next }
        {
            for (i = 1; i <= count; i++)
                if ($at["family"] == family[i] && $at["size"] == size[i] &&
                    (set[i] == "" || $at["counter_set"] == set[i]) && $at["variant"] ~ name[i]) {
                    print
                    next
                }
        }' FS=' ' - FS=, "$2"
}
# by_key KEYS TABLE: prints the rows whose first cell is the first of a row of KEYS.
by_key() {
    awk -F , 'FNR == 1 && NR > 1 { print; next } NR == FNR { kept[$1] = 1; next } $1 in kept' \
        "$1" "$2"
}
chosen "$lines_of" "$whole/kernels.csv" >"$slice/kernels.csv"
by_key "$slice/kernels.csv" "$whole/lines.csv" >"$slice/lines.csv"
chosen "$traces_of" "$whole/traces.csv" >"$slice/traces.csv"
for table in activities trace_samples; do
    by_key "$slice/traces.csv" "$whole/$table.csv" >"$slice/$table.csv"
done
# The sources of these lines, also of those that were inlined.
awk -F , "$by_name"'FNR == 1 { print "source"; next }
    {
        source[$at["source"]] = 1
        for (i = split($at["inlined_at"], place, " "); i > 0; i--) {
            split(place[i], part, ":")
            source[part[1]] = 1
        }
    }
    END { for (s in source) if (s != "") print s }' "$slice/lines.csv" >"$work/sources"
by_key "$work/sources" "$whole/sources.csv" >"$slice/sources.csv"
# A text has many lines: a record ends where the number of quotes so far is even.
awk -F , '
    NR == FNR { kept[$1] = 1; next }
    { quotes += gsub(/"/, "&"); record = record (record == "" ? "" : "\n") $0 }
    quotes % 2 == 0 {
        if (record ~ /^source,/ || substr(record, 1, index(record, ",") - 1) in kept) print record
        record = ""
    }' "$work/sources" "$whole/source_files.csv" >"$slice/source_files.csv"

{
    cat "$from/run.txt"
    echo "slice_of: $(basename "$from")"
} >"$slice/run.txt"
rm -rf "$to"
sh "$tools/../../tools/pack_run.sh" "$slice" "$to"
du -cb "$to"/* | tail -n 1 >&2
