#!/bin/sh
# shellcheck disable=SC2086 # lists of words
# Tests on a GPU that `whyfast run` says the same of rungs of the ladders, when it watches `whyfast
# launch`, as `measure` and `collect`: counts, times, bank conflicts, causes and their sentences.
# Counts are what a kernel does whenever it runs on the same data: instructions, and the bytes,
# sectors and wavefronts that they ask for. Other counters depend on time, on the caches, or, as
# stalls and lost arbitration, on what warps do at the same time.
#
# A time may differ by 2 % from the clean time, which is of pairs of events. They include up to
# 2.5 us for each launch that an activity record does not, which counts where a rung has several
# launches, of which the later ones are short. Prints a table of the times.
. "${ROOT:-.}/tests/gpu/programs.inc"
RUNGS=${RUNGS:-'reduce/0[1-6]* reduce/07*@16 gemm/0[3-6]*'}
SIZES=${SIZES:-134217728,2048x2048x2048}
STEPS=${STEPS:-reduce/02 reduce/03 reduce/04 reduce/05 reduce/06 reduce/07 gemm/04 gemm/05 \
    gemm/06}
MOST_PCT=2
EVENTS_NS=2500
COUNTS_PER_LAUNCH=50
LEAST_NS=120000
set -f # the rungs are patterns

expect 0 'the rungs are launched' "$WHYFAST" launch $RUNGS -s $SIZES
cp "$work/out" launches.csv
kernels=$(column launches.csv kernel | sort -u | paste -s -d'|' -)
expect 0 'their clean times' "$WHYFAST" measure $RUNGS -s $SIZES -o clean \
    --seconds "${SECONDS_OF_TIMING:-6}"
expect 0 'whyfast run watches them' "$WHYFAST" run -v -o watched --kernel "^($kernels)\$" -- \
    "$WHYFAST" launch $RUNGS -s $SIZES --samples 12
grep 'took' "$work/err" | tail -n 30 >&2
expect 0 'a start alone' "$WHYFAST" run --once -o once --kernel "^($kernels)\$" -- \
    "$WHYFAST" launch $RUNGS -s $SIZES --samples 12
cp -r clean again
expect 0 'their counters' "$WHYFAST" collect clean --sets mission,roofline,stalls,ledger,lines \
    --repeats 2
expect 0 'their counters once more' "$WHYFAST" collect again --sets mission,roofline,stalls,ledger \
    --repeats 2
expect 0 'are evaluated' "$WHYFAST" evaluate clean
expect 0 'and explained' "$WHYFAST" explain clean
for run in clean watched; do
    "$WHYFAST" conflicts --csv -s "$SIZES" $run >$run.conflicts 2>/dev/null
    "$WHYFAST" conflicts --csv $run >$run.conflicts.as_run 2>/dev/null
done

cat "$ROOT/tests/gpu/csv.awk" - >csv.awk <<'CODE'
function shape() {
    return get("kernel") "|" get("grid_blocks") "|" get("block_threads") "|" \
        get("dynamic_shared_bytes")
}
function rung() { return get("family") "/" get("variant") }
function median(list, n,    i, j, t, v) {
    split(list, v, " ")
    for (i = 2; i <= n; i++) {
        t = v[i] + 0
        for (j = i - 1; j > 0 && v[j] + 0 > t; j--) v[j + 1] = v[j]
        v[j + 1] = t
    }
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
CODE
# Both runs list their launches; the same kernel with the same shape is the same launch. Rows: the
# watched variant, the rung, its launch.
awk -f csv.awk -f /dev/stdin clean/launches.csv watched/launches.csv >joined <<'CODE'
!read_row() { next }
FILENAME ~ /^clean/ { of[shape()] = rung() " " get("launch"); next }
shape() in of { print get("variant"), of[shape()] }
CODE
is "$(wc -l <joined)" "$(column clean/launches.csv family | wc -l)" \
    'every launch of the rungs is a kernel of the program'

# ---- counts --------------------------------------------------------------------------------------

awk -f csv.awk -f /dev/stdin joined clean/counters.csv again/counters.csv watched/counters.csv \
    >counts <<'CODE'
function is_count(name) { return name ~ /\.sum$/ && name ~ /_sass_|inst_executed|l1tex__t_bytes/ }
FILENAME == "joined" { split($0, word, " "); launch_of[word[1]] = word[2] " " word[3]; next }
!read_row() || get("status") != "ok" || get("value") == "" { next }
FILENAME ~ /^watched/ {
    if (!(get("variant") in launch_of)) next
    key = launch_of[get("variant")] " " get("source")
    if (seen[key]++) next
    if (!(key in first)) { absent++; next }
    split(key, word, " ")
    if (!is_count(get("source"))) {
        if (moves[key]) varies++
        else if (get("value") == first[key]) others++
        else {
            apart++
            print "# no count: " key ": " first[key] " in collect, " get("value") " watched"
        }
        next
    }
    if (get("value") == first[key] && !moves[key]) { same++; of[word[1]]++; next }
    differs++
    print "# differs: " key ": " first[key] " in collect" (moves[key] ? ", which varies" : "") \
        ", " get("value") " watched"
    next
}
{
    key = rung() " " get("launch") " " get("source")
    if (!(key in first)) { first[key] = get("value"); keys++ }
    else if (get("value") != first[key]) moves[key] = 1
}
END {
    for (r in of) print "# " r ": " of[r] " counts are equal"
    print "# " same + 0 " counts are equal, " differs + 0 " differ, " absent + 0 " are only watched"
    print "# of other counters " others + 0 " are equal, " apart + 0 " differ, " varies + 0 \
        " vary in collect"
    print same + 0, differs + 0
}
CODE
sed '$d' counts
read -r same differs <<CODE
$(tail -n 1 counts)
CODE
least=$((COUNTS_PER_LAUNCH * $(wc -l <joined)))
result "$([ "$same" -ge $least ] && [ "$differs" -eq 0 ]; echo $?)" \
    "$same counts (at least $least) are equal to the digit, $differs differ" || :

# ---- times ---------------------------------------------------------------------------------------

# Of a rung with several launches the medians are added up.
awk -f csv.awk -f /dev/stdin joined clean/samples.csv watched/samples.csv once/launches.csv \
    once/samples.csv watched/counters.csv >durations <<'CODE'
FILENAME == "joined" {
    split($0, word, " "); of[word[1]] = word[2]; nth[word[1]] = word[3]; launches[word[2]]++
    next
}
!read_row() { next }
FILENAME ~ /launches.csv$/ { next }
FILENAME ~ /counters.csv$/ {
    if (get("source") != "gpu__time_duration.sum" || !(get("variant") in of)) next
    if (!seen[get("variant")]++) counted[of[get("variant")]] += get("value")
    next
}
get("status") != "ok" || get("copy") != "a" { next }
FILENAME ~ /^clean/ {
    if (get("kind") != "end_to_end" || get("l2") != "cold") next
    clean[rung()] = clean[rung()] " " get("time_ns")
    cleans[rung()]++
    next
}
{
    from = FILENAME ~ /^once/ ? "once" : "watched"
    name = get("variant")
    if (!(name in of)) next
    list[from, name] = list[from, name] " " get("time_ns")
    count[from, name]++
    if (from == "watched" && nth[name] == 0) kind[of[name]] = get("kind")
}
END {
    for (key in list) {
        split(key, word, SUBSEP)
        sum[word[1], of[word[2]]] += median(list[key], count[key])
    }
    for (r in clean) {
        c = median(clean[r], cleans[r])
        printf "%s %.0f %.0f %.2f %s %.0f %.2f %.0f %d\n", r, c, sum["watched", r],
            100 * (sum["watched", r] / c - 1), kind[r], sum["once", r],
            100 * (sum["once", r] / c - 1), counted[r], launches[r]
    }
}
CODE
sort -o durations durations
echo '# rung clean_ns watched_ns difference_pct clock activity_ns difference_pct' \
    'gpu__time_duration launches'
sed 's/^/# /' durations
while read -r rung clean time pct clock once once_pct counted launches; do
    [ "$clean" -ge $LEAST_NS ] || continue
    result "$(awk -v x="$pct" -v ns=$((time - clean)) -v most=$MOST_PCT -v n="$launches" \
        -v events=$EVENTS_NS 'BEGIN {
            exit !(x * x <= most * most || n > 1 && ns * ns <= n * n * events * events)
        }'
    echo $?)" \
        "$rung: $time ns by $clock are $pct % from its clean time, of $launches launches" || :
done <durations

# ---- bank conflicts ------------------------------------------------------------------------------

awk -f csv.awk -f /dev/stdin joined clean.conflicts watched.conflicts.as_run >conflicts <<'CODE'
FILENAME == "joined" { split($0, word, " "); of[word[1]] = word[2]; nth[word[1]] = word[3]; next }
!read_row() { next }
FILENAME ~ /^clean/ {
    excess[rung()] = get("excess"); line[rung()] = get("path") ":" get("line")
    share[rung()] = get("share_pct"); ways[rung()] = get("ways")
    next
}
get("variant") in of {
    r = of[get("variant")]
    watched[r] += get("excess")
    if (nth[get("variant")] == 0) {
        there[r] = get("path") ":" get("line"); of_share[r] = get("share_pct")
        of_ways[r] = get("ways")
    }
}
END {
    for (r in excess)
        print r, excess[r] + 0, watched[r] + 0, ways[r] + 0, of_ways[r] + 0, line[r], \
            there[r] ? there[r] : "none", share[r] + 0, of_share[r] + 0
}
CODE
sort -o conflicts conflicts
echo '# rung excess watched ways watched line watched share_pct watched'
sed 's/^/# /' conflicts
# The path of a source is that of the tree, or the absolute one of the machine code.
is "$(awk '{ sub(/.*kernels\//, "kernels/", $7); print $1, $3, $7 }' conflicts)" \
    "$(awk '{ print $1, $2, $6 }' conflicts)" 'bank conflicts and their lines are the same'

# ---- causes --------------------------------------------------------------------------------------

# first_launch RUNG: prints the watched variant of the first launch of a rung.
first_launch() {
    awk -v rung="$1" 'index($2, rung) == 1 && $3 == 0 { print "whyfast/" $1 }' joined
}
# launches RUNG: prints how many launches a rung has.
launches() { awk -v rung="$1" 'index($2, rung) == 1' joined | wc -l; }
# headline: prints the sentence of a step without its numbers.
headline() { sed -n 's/.*"sentence":"\([^"]*\)".*/\1/p' | sed 's/[0-9][0-9.]*/N/g'; }
# A rung with several launches is compared with its first kernel, so the details of a cause may
# differ, and so may the end of the sentence.
for step in $STEPS; do
    family=${step%/*}
    number=${step#*/}
    earlier=$(printf '%02d' $((${number#0} - 1)))
    case $family in reduce) size=${SIZES%%,*} ;; *) size=${SIZES##*,} ;; esac
    "$WHYFAST" explain --csv -s "$size" clean $family/$earlier $family/$number >own.csv 2>own.err
    "$WHYFAST" explain --csv watched "$(first_launch $family/$earlier)" \
        "$(first_launch $family/$number)" >other.csv 2>other.err
    own=$(column own.csv cause | head -n 1)
    other=$(column other.csv cause | head -n 1)
    is "$other" "$own" "$step: the first cause of its step is ${own:-missing}" ||
        { head -n 6 own.csv other.csv; cat own.err other.err; } | sed 's/^/# /'
    "$WHYFAST" explain --json -s "$size" clean $family/$earlier $family/$number >own.json \
        2>/dev/null
    "$WHYFAST" explain --json watched "$(first_launch $family/$earlier)" \
        "$(first_launch $family/$number)" >other.json 2>/dev/null
    sed -n 's/.*"sentence":"\([^"]*\)".*/#   own:     \1/p' own.json
    sed -n 's/.*"sentence":"\([^"]*\)".*/#   watched: \1/p' other.json
    [ "$(launches $family/$earlier)$(launches $family/$number)" != 11 ] ||
        is "$(headline <other.json)" "$(headline <own.json)" "$step: its sentence" || :
done
finish
