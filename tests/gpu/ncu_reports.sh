#!/bin/sh
# shellcheck disable=SC2086 # lists of words
# Tests on a GPU what whyfast reads from reports of Nsight Compute: profiles rungs of a ladder with
# the sets `full` and `basic` and with our own section, and compares
#   - each value of a counter with `ncu --import --page raw --csv`, to the digits that are printed;
#   - the counts of single instructions, summed up, with ncu's source page;
#   - the main cause of each step with that of a run of our own.
# Prints a line for each value that differs, and for each step with another main cause. The causes
# must be the same in STEPS_SAME_FULL of the steps with `full`, and in all with our section.
#
# With TARGETS=others instead of "rungs": ten kernels of other programs, six of samples (samples.cu)
# and four of Triton and PyTorch (frameworks.py), in pairs of neighbours, the last with the first. Our
# own run is then one by `whyfast run`, and with our section the share SAME_OTHERS of the pairs must
# have its cause. They take from 40 to 430 us: a kernel of a few microseconds has other waits when
# ncu launches it alone than it has in its program.
#
# SETS are those that are tried; "application" is our section with --replay-mode application.
# FOLDER, if set, keeps the reports, the CSV files and the run of our own, in a folder for each
# program, from where a later call takes it: `SETS=` measures it alone.
. "${ROOT:-.}/tests/gpu/programs.inc"
RUNGS=${RUNGS:-'gemm/0[1-9]* gemm/1[0-2]*'}
SIZE=${SIZE:-1024x1024x1024}
SETS=${SETS-full basic whyfast}
STEPS_SAME_FULL=${STEPS_SAME_FULL:-9}
SAME_OTHERS=${SAME_OTHERS:-0.8}
set -f # the rungs are patterns
if ! command -v ncu >/dev/null; then
    echo '1..0 # SKIP ncu is not on the PATH'
    exit 0
fi
explain "$(ncu --version | tail -n 1)" || :

expect 0 'our section is written' "$WHYFAST" sections -o sections

# profile NAME OPTION...: writes NAME.ncu-rep or NAME.ncu-repz, whichever this ncu writes.
profile() {
    profiled=$1
    shift
    expect 0 "$what: ncu $*" timeout 150 ncu "$@" -f -o "$profiled" --nvtx --kernel-name-base mangled \
        --kernel-name "regex:$kernels" $filter $command ||
        explain "$(grep '==ERROR\|==WARN' "$work/out" "$work/err" | head -n 5)"
    file=$(find . -maxdepth 1 -name "$profiled.ncu-rep*" | head -n 1)
    explain "$(ls -l "$file")" || :
}

cat "$ROOT/tests/gpu/csv.awk" - >csv.awk <<'CODE'
# "(64, 2, 1)" is 128.
function volume(extent,    v) {
    gsub(/[() ]/, "", extent)
    split(extent, v, ",")
    return v[1] * v[2] * v[3]
}
function plain(number) { gsub(/,/, "", number); return number }
# half(NUMBER): half a unit of its last printed digit, 0 of a whole one of ours.
function half(number,    digits, power) {
    power = match(number, /e[-+][0-9]+$/) ? substr(number, RSTART + 1) + 0 : 0
    sub(/e.*/, "", number)
    digits = match(number, /\./) ? length(number) - RSTART : 0
    return 0.5 * 10 ^ (power - digits)
}
# is_same(OURS, THEIRS): no more apart than both are rounded when they are printed (we print whole
# numbers with all digits, and others with nine), and a double is.
function is_same(ours, theirs,    apart, is_rounded) {
    is_rounded = ours ~ /[.e]/ ||
        (ours ~ /^[0-9]+$/ && length(ours) == 9 && theirs ~ /\.[0-9]*[1-9]/)
    apart = ours - theirs
    if (apart < 0) apart = -apart
    return apart <= half(theirs) + (is_rounded ? half(ours) : 0) + 2 ^ -52 * (ours < 0 ? -ours : ours)
}
CODE
cat >same.awk <<'CODE'
BEGIN {
    print is_same("104312.795", "104312.80") is_same("104312.794", "104312.80") \
        is_same("1006615040", "1006615040") is_same("1006615040", "1006615041") \
        is_same("1.23456789e+10", "12345678912.3") is_same("12.25", "12") is_same("12.75", "12") \
        is_same("491467577", "491467576.79") is_same("491467577", "491467576.49") \
        is_same("91467577", "91467576.79")
}
CODE
is "$(awk -f csv.awk -f same.awk)" 1010110100 'a value differs beyond half a unit of its last digit'

# compare NAME: compares the values of the run with those that ncu prints. A kernel is known by its
# symbol, grid and block; if that is not enough, it is left out.
compare() {
    awk -f csv.awk -f /dev/stdin "$1.csv" "$1.run/kernels.csv" "$1.run/launches.csv" \
        "$1.run/counters.csv" <<'CODE'
FNR == 1 { file++ }
file == 1 { # the second line has units
    if (!read_row() || FNR == 2) next
    key = get("Kernel Name") "|" volume(get("Grid Size")) "|" volume(get("Block Size"))
    n = times[key]++
    for (name in at) value[key, n, name] = get(name)
    rows++
    next
}
!read_row() { next }
file == 2 { symbol[get("family") "/" get("variant")] = get("symbol"); next }
file == 3 {
    variant = get("family") "/" get("variant")
    key_of[variant] = symbol[variant] "|" get("grid_blocks") "|" get("block_threads")
    owners[key_of[variant]]++
    next
}
get("status") == "ok" {
    variant = get("family") "/" get("variant")
    key = key_of[variant]
    source = get("source")
    if (owners[key] > 1 || source !~ /^[a-zA-Z0-9_.]+$/) { derived++; next }
    theirs = plain(value[key, get("repeat") + 0, source])
    if (theirs == "") { lacking++; missing[source] = 1; next }
    ours = get("value")
    if (is_same(ours, theirs)) { same++; next }
    differs++
    if (differs <= 30) print "# differs: " variant ", " source ": " ours " read, " theirs " by ncu"
}
END {
    for (source in missing) printf "# ncu does not print %s\n", source
    printf "# %d rows of ncu; %d values are derived or of kernels that are told apart by NVTX\n", \
        rows, derived
    print same + 0, differs + 0, lacking + 0
}
CODE
}

# The first cause that is sure, and the first of all. One launch is known within 2.5 % alone.
cat >first.awk <<'CODE'
BEGIN { first = sure = "none" }
read_row() && get("is_small") != 1 {
    if (first == "none") first = get("cause")
    if (sure == "none" && get("status") == "resolved") sure = get("cause")
}
END { print sure, first }
CODE

# The columns of our lines, and what ncu's source page calls them. It is a table for each launch,
# below a line "Kernel Name" and one of titles, of which some are there twice.
cat >columns <<'CODE'
executed Instructions Executed
threads Thread Instructions Executed
threads_on Predicated-On Thread Instructions Executed
shared_wavefronts L1 Wavefronts Shared
shared_ideal L1 Wavefronts Shared Ideal
global_sectors L2 Theoretical Sectors Global
global_ideal L2 Theoretical Sectors Global Ideal
local_sectors L2 Theoretical Sectors Local
samples # Samples
CODE
cat >lines.awk <<'CODE'
FILENAME == "columns" { name[++columns] = $1; next }
read_row() { for (i = 1; i <= columns; i++) sum[i] += get(name[i]) }
END { for (i = 1; i <= columns; i++) printf "%s %.0f\n", name[i], sum[i] }
CODE
cat >source.awk <<'CODE'
FILENAME == "columns" {
    name[++columns] = $1
    title[columns] = substr($0, length($1) + 2)
    next
}
# A table that ncu prints twice is of one launch.
function add(    i) {
    if (text == "" || text in seen) repeats += text != ""
    else for (i in sum) { total[i] += sum[i]; found[i] += count[i] }
    if (text != "") seen[text]
    text = ""
    split("", sum)
    split("", count)
}
/"?Kernel Name"?,/ { add(); kernels++; next }
/(^|,)"?Address"?,/ && /(^|,)"?Source"?,/ {
    add()
    n = cells($0, part)
    split("", at)
    for (i = 1; i <= n; i++) at[part[i]] = i
    tables++
    next
}
tables && (n = cells($0, part)) >= at["Source"] && part[at["Address"]] ~ /^(0x)?[0-9a-fA-F]+$/ {
    rows++
    text = text $0 "\n"
    for (i = 1; i <= columns; i++)
        if (title[i] in at && plain(part[at[title[i]]]) ~ /^[0-9]+$/) {
            sum[i] += plain(part[at[title[i]]])
            count[i]++
        }
}
END {
    add()
    printf "# the source page has %d tables (%d repeated) of %d kernels, and %d instructions\n", \
        tables, repeats, kernels, rows >"/dev/stderr"
    for (i = 1; i <= columns; i++)
        if (found[i]) printf "%s %.0f\n", name[i], total[i]
        else printf "# the source page has no numbers under \"%s\"\n", title[i] >"/dev/stderr"
}
CODE

# causes NAME: prints "AFTER SURE FIRST" for each step of the rungs, with the causes in a run.
# Variants of an imported run are found by the symbols of the rungs.
causes() {
    run=$1
    before=
    is_first=1
    while read -r family variant kernel; do
        if [ "$run" = clean.run ]; then
            name=$family/$variant
        else
            name=$(column "$run/kernels.csv" family variant symbol |
                awk -v k="$kernel" '$3 == k { print $1 "/" $2; exit }')
        fi
        cause='none none'
        if [ -n "$before" ] && [ -n "$name" ]; then
            cause=$("$WHYFAST" explain -q --csv "$run" "$before" "$name" 2>/dev/null |
                awk -f csv.awk -f first.awk)
        fi
        [ -n "$is_first" ] || echo "$family/$variant $cause"
        is_first=
        before=$name
    done <rungs
}

# own: measures the rungs by ourselves.
own() {
    expect 0 'the rungs by ourselves' timeout 300 "$WHYFAST" measure $RUNGS -s "$SIZE" \
        --seconds 2 -o clean.run
    expect 0 'their counters' timeout 500 "$WHYFAST" collect clean.run \
        --sets mission,roofline,stalls,ledger,tensor,lines --repeats 2
    expect 0 'are evaluated' "$WHYFAST" evaluate clean.run
}
# own_others: the same, of kernels of another program.
own_others() {
    expect 0 "$what by ourselves" timeout 120 "$WHYFAST" run -o clean.run --kernel "$kernels" -- $command
    explain "it took $(passed "$begun") s" || :
}
# clean HOW: puts the run of our own into clean.run.
clean() {
    begun=$(now)
    if [ -n "$folder" ] && [ -d "$folder/clean.run" ]; then
        cp -r "$folder/clean.run" .
    else
        "$1"
        if [ -n "$folder" ]; then cp -r clean.run "$folder/"; fi
    fi
}

# ratios NAME: prints each counter that a report gives by another name or a formula, if a kernel has
# another value than in our own run: the least and the most of their ratios. Both are of launches of
# their own, whose caches and polls differ a little.
ratios() {
    awk -f csv.awk -f /dev/stdin clean.run/kernels.csv clean.run/counters.csv "$1.run/kernels.csv" \
        "$1.run/counters.csv" <<'CODE'
FNR == 1 { file++ }
!read_row() { next }
file % 2 { symbol[file, get("family") "/" get("variant")] = get("symbol"); next }
get("status") != "ok" { next }
{ key = symbol[file - 1, get("family") "/" get("variant")] "|" get("counter") }
file == 2 { sum[key] += get("value"); times[key]++; next }
get("repeat") == 0 && key in sum && get("source") !~ /^smsp__sass[a-z0-9_]*\.sum$/ {
    counter = get("counter")
    ours = sum[key] / times[key]
    theirs = get("value") + 0
    ratio = ours == theirs ? 1 : ours == 0 ? 99 : theirs / ours
    if (!(counter in source)) least[counter] = most[counter] = ratio
    source[counter] = get("source")
    if (ratio < least[counter]) least[counter] = ratio
    if (ratio > most[counter]) most[counter] = ratio
}
END {
    for (counter in source)
        if (least[counter] < 0.97 || most[counter] > 1.03)
            printf "# %s is %.3g to %.3g times ours: %s\n", counter, least[counter], most[counter], \
                substr(source[counter], 1, 60)
}
CODE
}

# judge NAME LEAST: the whole test of a report.
judge() {
    [ -n "$file" ] || return
    begun=$(now)
    expect 0 "$what, $1: becomes a run" "$WHYFAST" import "$file" -o "$1.run"
    explain "import took $(passed "$begun") s; $(head -n 3 "$work/err")" || :
    ncu --import "$file" --page raw --csv --print-units base --print-kernel-base mangled \
        >"$1.csv" 2>"$1.err"
    compare "$1" >compared
    sed '$d' compared >&2
    read -r same differs lacking <<CODE
$(tail -n 1 compared)
CODE
    result "$([ "${same:-0}" -gt 0 ] && [ "${differs:-1}" -eq 0 ]; echo $?)" \
        "$what, $1: ${same:-0} values are those of ncu, $differs differ, $lacking are not printed" || :
    "$WHYFAST" doctor "$file" | sed 's/^/#   /' >&2
    ratios "$1" | sort >&2
    states "$1.run" | sed 's/^/#   instructions: /' >&2
    column "$1.run/counters.csv" counter status | awk '$2 ~ /^absent/ && !seen[$1]++ { print $1 }' |
        paste -s -d' ' - | fold -s -w 900 | sed "s/^/# absent in $1: /" >&2
    causes "$1.run" >"$1.causes"
    # A sure cause of ours must be the first of the report; without one, the report has no sure one.
    paste -d ' ' clean.causes "$1.causes" >both.causes
    awk '{ print "# " $1 ": " $2 " (" $3 ") by ourselves, " $5 " (" $6 ") by the report" }' \
        both.causes >&2
    equal=$(awk '$2 == "none" ? $5 == "none" : $2 == $6' both.causes | wc -l)
    result "$([ "$(grep -vc ' none ' clean.causes)" -ge 2 ]; echo $?)" \
        "$what: steps of our own have a sure cause" || :
    result "$([ "$equal" -ge "$2" ]; echo $?)" \
        "$what, $1: $equal of $(wc -l <clean.causes) steps have the same main cause, at least $2" || :
    if [ -n "$folder" ]; then cp -r "$file" "$1.csv" "$1.run" "$folder/"; fi
}
printf '%s\n' 'read_row() && FNR > 2 { print get("launch__function_pcs") }' >begins.awk
# of_code: the sums over the instructions of all kernels are those of ncu's source page, in each
# column that it has.
of_code() {
    ncu --import "$file" --page source --csv --print-kernel-base mangled >source.csv 2>source.err
    explain "the kernels begin at: $(awk -f csv.awk -f begins.awk full.csv | paste -s -d' ' -)" || :
    explain "the titles of the source page: $(grep -m 1 '"Address",' source.csv | fold -w 900 |
        sed '2,$s/^/# /')
$(head -n 2 source.err)" || :
    awk -f csv.awk -f source.awk columns source.csv >theirs
    is "$(grep -c '^executed ' theirs)" 1 'the source page has instructions' || return 0
    awk -f csv.awk -f lines.awk columns full.run/lines.csv |
        awk 'NR == FNR { seen[$1]; next } $1 in seen' theirs - >ours
    is "$(cat ours)" "$(cat theirs)" 'the sums over the lines are those of the source page'
}

# try LEAST_FULL LEAST_OURS: profiles with each set, and judges it.
try() {
    causes clean.run >clean.causes
    for set in $SETS; do
        case $set in
        full)
            profile full --set full
            judge full "$1"
            head -n 1 full.csv | tr -d '"' | tr , '\n' | grep -E '(shared|global|local|ldgsts|lsu)' |
                paste -s -d' ' - | fold -s -w 900 | sed 's/^/# full has: /' >&2
            of_code
            ;;
        basic)
            profile basic --set basic
            judge basic 0
            ;;
        whyfast)
            profile whyfast --section-folder "$work/sections" --section Whyfast
            judge whyfast "$2"
            ;;
        application) # a start of the program for each pass
            profile application --replay-mode application --section-folder "$work/sections" \
                --section Whyfast
            judge application "$2"
            ;;
        esac
    done
}

# in_folder NAME: goes to a directory of its own.
in_folder() {
    what=$1
    folder=${FOLDER:+$FOLDER/$what}
    mkdir "$work/$what" ${folder:+-p "$folder"}
    cd "$work/$what" || exit 1
    for needed in columns csv.awk first.awk lines.awk source.awk begins.awk; do
        cp "$work/$needed" . || exit 1
    done
}

# of_others NAME FILTER COMMAND...: the kernels $kernels of another program, with the caches and the
# clocks that they have there.
of_others() {
    in_folder "$1"
    filter="--cache-control none --clock-control none $2"
    shift 2
    command=$*
    clean own_others
    column clean.run/kernels.csv family variant symbol >rungs
    head -n 1 rungs >>rungs
    pairs=$(($(wc -l <rungs) - 1))
    try 0 "$(awk -v n=$pairs -v share="$SAME_OTHERS" 'BEGIN { print int(n * share) }')"
}

case " ${TARGETS:-rungs} " in *' rungs '*)
    in_folder rungs
    expect 0 'the rungs are launched' timeout 120 "$WHYFAST" launch $RUNGS -s "$SIZE"
    cp "$work/out" launches.csv
    kernels="^($(column launches.csv kernel | sort -u | paste -s -d'|' -))\$"
    command="$WHYFAST launch $RUNGS -s $SIZE"
    filter=
    column launches.csv family variant kernel | awk '!seen[$1 "/" $2]++' >rungs
    clean own
    try "$STEPS_SAME_FULL" "$(($(wc -l <rungs) - 1))"
    if [ -f whyfast.run/counters.csv ] && command -v zstd >/dev/null; then
        case $file in
        *z) explain 'ncu wrote a .ncu-repz itself' || : ;;
        *)
            zstd -q -f "$file" -o packed.ncu-repz
            expect 0 'a report that zstd has compressed' "$WHYFAST" import packed.ncu-repz -o packed.run
            is "$(cmp packed.run/counters.csv whyfast.run/counters.csv 2>&1 | head -n 1)" '' \
                '  has the same values'
            ;;
        esac
    fi
    ;;
esac
case " ${TARGETS:-rungs} " in *' others '*)
    compile -DSAMPLES_SIDE=4096 -o app "$programs/samples.cu" || exit 1
    kernels='^.*(transpose|heat|histogram_shared|scan_tree|reduce_sequential).*$'
    of_others samples '--launch-count 6' "$work/app" images
    if python3 -c 'import torch, triton' 2>/dev/null; then
        kernels='^(product|softmax|.*layer_norm.*|.*exp_kernel.*)$'
        of_others frameworks '--launch-count 4 --nvtx-include others/' python3 "$programs/frameworks.py"
    else
        skip 'PyTorch and Triton: missing'
    fi
    ;;
esac
finish
