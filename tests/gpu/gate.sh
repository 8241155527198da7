#!/bin/sh
# Tries `whyfast compare` and `whyfast verify` on a GPU as a gate of time: of equal code at most 1 %
# of 200 comparisons may say 'slower', and of slow-downs of 2 to 3 % at least 95 % must be found, on
# 20 kernels from 5 us to 5 ms (programs/gate.cu). No option --gates: the times alone decide.
#
# Ten rounds measure the program, the slowed program, and the program again. The first and the last
# run of a round are compared for equal code, the first and the second for the slow-down. So no run
# is in two comparisons of one kind, which are then independent, and drift within a round counts.
#
# The slow-down is more work of the same kind in changed machine code. How much of it takes 2.4 %
# more time is measured first, by means: the time stamps of an H200 have a resolution of 256 ns,
# which is 5 % of the shortest kernel.
#
# Set MOST to the seconds that all may take; rounds beyond are left out.
. "${ROOT:-.}/tests/gpu/programs.inc"
most=${MOST:-285}
rounds=${ROUNDS:-10}
started=$(now)

# built DIR [MORE]: compiles the program, with more work. In an option nvcc would split the list.
built() {
    mkdir -p "$1" && echo "#define MORE ${2:-0}" >"$1/more.h" &&
        compile -include "$1/more.h" -o "$1/gate" "$programs/gate.cu"
}
# measured RUN DIR: measures all its kernels, and sets $took to the seconds that this took.
measured() {
    begun=$(now)
    timeout 60 "$WHYFAST" run --no-counters --kernel gate:: -o "$1" -- "$2/gate" >"$1.out" \
        2>"$1.err" </dev/null || result 1 "$1: $(tail -n 3 "$1.err" | tr '\n' ' ')" || finish
    took=$(passed "$begun")
}
# points FILE: prints of each point in JSON its kernel, verdict, ratio, the ratio's ends, the floor,
# the first time in us and whether the machine code is the same.
points() {
    awk '
        function value(key) {
            if (!match($0, "\"" key "\":(\"[^\"]*\"|[^,}]*)")) return "none"
            key = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
            gsub(/"/, "", key)
            gsub(/ /, "_", key)
            return key
        }
        sub(/^.*"points":\[/, "") || inside {
            inside = 1
            time = value("time_before_ns")
            print value("variant"), value("verdict"), value("ratio"), value("ratio_low"),
                value("ratio_high"), value("floor_pct"), time == "null" ? time : time / 1e3,
                value("machine_code")
        }' "$1"
}
# means RUN1 RUN2: prints of each kernel the ratio of the mean times of the first starts, without
# those that are 20 % from the median.
means() {
    for run in "$1" "$2"; do
        column "$run/samples.csv" variant copy time_ns | awk '$2 == "a" { print $1, $3 }' |
            sort -k 1,1 -k 2,2g | awk '
            function ends(i, sum, n, middle) {
                middle = time[int((count + 1) / 2)]
                for (i = 1; i <= count; i++)
                    if (time[i] > 0.8 * middle && time[i] < 1.2 * middle) { sum += time[i]; n++ }
                if (n) print name, sum / n
                count = 0
            }
            $1 != name { ends() }
            { name = $1; time[++count] = $2 }
            END { ends() }'
    done | awk '$1 in first { print $1, $2 / first[$1]; next } { first[$1] = $2 }'
}
# compared NAME RUN1 RUN2: compares by time, into NAME.json, and NAME.word with verify's status.
compared() {
    status=0
    "$WHYFAST" compare --json "$2" "$3" >"$1.json" 2>"$1.err" || status=$?
    [ $status -le 1 ] || cat "$1.err" >&2
    status=0
    "$WHYFAST" verify "$2" "$3" >"$1.verify" 2>&1 || status=$?
    echo $status >"$1.word"
}

built plain || exit 1
./plain/gate amounts >amounts
awk '{ print $1, int($2 * 0.05 + 0.5) }' amounts >./more

# ---- how much more work takes 2.4 % more time ----------------------------------------------------

for scaling in 1 2; do
    built slow$scaling "$(cut -d ' ' -f 2 more | paste -s -d, -)" || exit 1
    measured first.run plain
    measured slow.run slow$scaling
    explain "a run takes $took s" || :
    means first.run slow.run |
        awk 'NR == FNR { more[$1] = $2; next } { print $1, more[$1], $2 - 1 }' more - >gains
    awk '
        NR == FNR { more[$1] = $2; gain[$1] = $3; next }
        {
            least = 0.1 * more[$1] / $2
            wanted = int(0.024 * more[$1] / (gain[$1] > least ? gain[$1] : least) + 0.5)
            print $1, wanted ? wanted : 1
        }' gains amounts >./more
done
built slow "$(cut -d ' ' -f 2 more | paste -s -d, -)" || exit 1
explain "compiled and scaled in $(passed "$started") s" || :

# ---- ten rounds ----------------------------------------------------------------------------------

round=0
longest=0
while [ $round -lt "$rounds" ]; do
    awk -v spent="$(passed "$started")" -v longest="$longest" -v most="$most" \
        'BEGIN { exit spent + 1.1 * longest > most - 10 }' || break
    since=$(now)
    round=$((round + 1))
    measured before$round plain
    measured slower$round slow
    measured after$round plain
    longest=$(awk -v a="$longest" -v b="$(passed "$since")" 'BEGIN { print (a > b ? a : b) }')
done
explain "$round rounds; the longest took $longest s, all $(passed "$started") s" || :
for n in $(seq "$round"); do
    compared equal$n before$n after$n &
    compared planted$n before$n slower$n &
done
wait
for n in $(seq "$round"); do
    points equal$n.json | sed "s/^/$n /" >>equal
    points planted$n.json | sed "s/^/$n /" >>planted
    means before$n slower$n >>ratios
done

# ---- what they say -------------------------------------------------------------------------------

awk '
    FNR == 1 { file++ }
    file == 1 { amount[$1] = $2; kernel[++kernels] = $1; next }
    file == 2 { more[$1] = $2; next }
    file == 3 { said[$2 " " $3]++; floors[$2] += $7; time[$2] += $8; n[$2]++; next }
    file == 4 { found[$2] += $3 == "slower"; next }
    { ratio[$1] += $2; of[$1]++ }
    END {
        print "# kernel time_us work more slow_down_pct found of", \
            "equal:slower equal:faster of floor_pct"
        for (k = 1; k <= kernels; k++) {
            name = kernel[k]
            if (!n[name] || !of[name]) { print "#", name, "was not measured"; continue }
            printf "# %s %.2f %d %d %.2f %d %d %d %d %d %.2f\n", name, time[name] / n[name],
                amount[name], more[name], 100 * (ratio[name] / of[name] - 1), found[name], of[name],
                said[name " slower"], said[name " faster"], n[name], floors[name] / n[name]
        }
    }' amounts more equal planted ratios >table
cat table
# others FILE VERDICT WORDS: prints each point of the file that has another verdict.
others() {
    awk -v verdict="$2" -v words="$3" '$3 != verdict {
        printf "# %s, round %d: %s: %s, %s [%s to %s], floor %s %%\n",
            words, $1, $2, $3, $4, $5, $6, $7
    }' "$1"
}
others equal no_evidence 'equal code'
others planted slower missed

# count FILE CONDITION: prints how many points of the file meet it.
count() { awk "$2 { n++ } END { print n + 0 }" "$1"; }
judged='$5 + 0 > 0 && $7 != "null"'
compared=$(count equal "$judged && \$9 == \"same\"")
holds 'x == 200' 'comparisons by time of equal machine code, of 200' "$compared"
slower=$(count equal '$3 == "slower"')
holds "x <= 0.01 * $compared" "  at most 1 % of $compared say slower" "$slower"
planted=$(count planted "$judged && \$9 == \"changed\"")
holds 'x == 200' 'comparisons by time of changed machine code, of 200' "$planted"
holds 'x == 0' '  slow-downs that are not 2 to 3 %' \
    "$(awk '!/kernel/ && !($6 >= 2 && $6 <= 3) { n++ } END { print n + 0 }' table)"
found=$(count planted '$3 == "slower"')
holds "$planted > 0 && x >= 0.95 * $planted" "  at least 95 % of $planted are found" "$found"
holds 'x < 8' 'the shortest kernel, us' \
    "$(sed 1d table | sort -g -k 3 | awk 'NR == 1 { print $3 }')"
holds 'x > 4000' '  the longest one, us' "$(sed 1d table | sort -g -k 3 | awk 'END { print $3 }')"
with_slower() { awk '$3 == "slower" { print $1 }' "$1" | sort -un | wc -l; }
is "$(cat equal*.word | grep -c '^1$')" "$(with_slower equal)" \
    "verify says slower of equal code where compare does, $(with_slower equal) times"
is "$(cat planted*.word | grep -c '^1$')" "$round" '  and of each slowed program'
holds 'x <= 300' 'seconds for all' "$(passed "$started")"
finish
