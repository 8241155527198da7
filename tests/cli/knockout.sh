#!/bin/sh
# Tests 'whyfast knockout' without a GPU, and what is said of a run that has knock-outs.
. "${ROOT:-.}/tests/tap.sh"
unset COLUMNS

expect 2 'no operand' "$WHYFAST" knockout
says 'knockout: expected a run or variants' '  is a usage error'
expect 2 'a knock-out that does not exist' "$WHYFAST" knockout gemm/06 --cause bariers
says "no knock-out is called 'bariers'; did you mean 'barriers'?" '  is named, with the nearest'
expect 2 'a variant that does not exist' "$WHYFAST" knockout gemm/66
says 'gemm/66' '  is named'
expect 2 'a line of a whole run' "$WHYFAST" knockout "$(fixture_run)" --line 7
says 'costs of a single line are printed and not kept in a run' '  would look like all of a cost'
for line in x 0 gemm.h: :7 7x; do
    expect 2 "--line $line" "$WHYFAST" knockout gemm/06 --line "$line"
    says "--line: expected N or FILE:N, found '$line'" '  is none'
done
expect 3 'a line of a file, without a GPU,' "$WHYFAST" knockout gemm/06 --line gemm/quad.h:40
expect 3 'a variant, without a GPU,' "$WHYFAST" knockout gemm/06
says 'no GPU here to measure' '  cannot be measured'

expect 125 'a program, started once,' "$WHYFAST" run --once --knockout -- true
says '--knockout needs the counts of instructions, which --once leaves out' '  has no counts'

sed -n 's/^ *\[KNOCKOUT_.*= {"\([a-z0-9_]*\)".*/\1/p' "$ROOT/harness/catalog/knockout.c" |
    grep -v '^nothing$' >"$work/names"
"$WHYFAST" knockout --help | tr -s ' \n,' '\n' >"$work/words"
none "$(looked grep -vxF -f "$work/words" <"$work/names")" 'the help names every knock-out'

# ---- a run with knock-outs -----------------------------------------------------------------------

# row VARIANT KNOCKOUT STATUS PATCHED LEFT TIME SAVED: prints a row of knockouts.csv.
row() {
    echo "gemm,$1,2048x2048x2048,256,0,0,0,symbol,$2,$3,$4,$5,,41,$6,$7,$(($7 - 900)),$(($7 + 900))"
}
run=$work/run
cp -r "$(fixture_run)" "$run"
{
    printf '%s,' family variant size block sweep device launch symbol knockout status patched left \
        left_reason samples time_ns saved_ns low_ns
    echo high_ns
    row 06_wide_loads nothing 'no cost' 0 0 489500 -832
    row 06_wide_loads barriers ok 2 0 489500 64960
    row 06_wide_loads conflicts ok 20 0 489500 64000
    row 07_swizzled_b nothing 'no cost' 0 0 467700 300
    row 07_swizzled_b conflicts ok 8 0 467700 15100
    row 08_double_buffer nothing 'no cost' 0 0 435200 64
    row 08_double_buffer barriers ok 2 0 435200 18400
    row 08_double_buffer conflicts ok 26 0 435200 32800
    row 09_compute_first nothing 'no cost' 0 0 466500 64
    row 09_compute_first conflicts ok 26 0 466500 33000
    row 13_async_copies nothing 'no cost' 0 0 507600 64
    row 13_async_copies conflicts ok 4 4 507600 11000
} >"$run/knockouts.csv"
expect 0 'a run with knock-outs is evaluated' "$WHYFAST" evaluate "$run"
expect 0 '  and explained' "$WHYFAST" explain "$run" gemm/08
# counted WORDS: prints 1 if the output, which may be wrapped, has the words, else 0.
counted() { tr -s ' \n' ' ' <"$work/out" | grep -c "$1"; }
is "$(counted '−46.56 .* barriers (measured)')" 1 '  a measured cost is the part of its cause'
is "$(counted '64.96 18.40 −46.56 barriers (used instead of the inferred −1[0-9.]* µs)')" 1 \
    '  in place of what would be inferred, if it differs'
is "$(counted '64.00 32.80 −31.20 bank conflicts (used: nothing could be inferred from the ')" 1 \
    '  where nothing would be, it says so'
is "$(counted '32.80 8 bank conflicts, measured')" 1 '  what remains is the measured cost'
expect 0 '  with every number' "$WHYFAST" explain "$run" gemm/08 -v
is "$(counted 'Measured cost of barriers: 64.96 µs -> 18.40 µs')" 1 '  a measured cost is one of them'
lacks "$work/out" 'were measured at' '  and no other size is named'
is "$(grep -cE '^ +0 ' "$work/out") $(counted 'no time of their own')" '1 1' \
    '  and those without a time of their own share a row'
expect 0 '  as JSON' "$WHYFAST" explain "$run" gemm/08 --json
is "$(counted '"outcome":"used instead of the inferred −1[0-9.]* µs"')" 1 '  the outcome is told'
json_valid "$work/out"
expect 0 'a size without knock-outs' "$WHYFAST" explain "$run" gemm/08 --size 8192^3
prints 'Knock-outs of this step were measured at 2048x2048x2048 (--size shows them).' \
    '  says where they are'
expect 0 'a kernel and itself' "$WHYFAST" explain "$run" gemm/08 gemm/08
prints '(not used: both sides are the same kernel' '  has no other reason'
expect 0 'another step' "$WHYFAST" explain "$run" gemm/07
is "$(counted '64.00 15.10 −48.90 bank conflicts (used: confirms the inferred −5[0-9.]* µs)')" 1 '  is confirmed'
lacks "$work/out" 'instead of' '  and what was measured of one side alone has no verdict'
is "$(counted '−48.90 .* bank conflicts (measured)')" 1 '  its part is measured'
# The parts still make the change: those of the causes, and the rest.
is "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["family"] == "gemm" && $at["variant"] ~ /^08/ && $at["size"] ~ /^2048/ { sum += $at["saved_ns"] }
    END { printf "%.0f\n", sum / 1000 }' "$run/causes.csv")" \
    "$("$WHYFAST" explain "$run" gemm/08 --json | tr ',' '\n' | sed -n 's/.*"time_ns": *//p' |
        awk 'NR == 1 { before = $1 } NR == 2 { printf "%.0f\n", (before - $1) / 1000 }')" \
    '  with the others, the parts make the change'
expect 0 'a step of which an experiment measures less than noise' "$WHYFAST" explain "$run" gemm/09
is "$(counted '32.80 33.00 +0.2[0-9]* bank conflicts (used: no change beyond the noise)')" 1 '  is undecided'
expect 0 'a step to a kernel of which a part was left alone' "$WHYFAST" explain "$run" gemm/06 gemm/13
is "$(counted 'bank conflicts (not used: a lower bound; a part of the cost stays in the copy)')" 1 '  does not use it'
none "$(looked awk 'NR > 1 && (/,"?used/ ? !/,1$/ : !/,0$/)' <"$run/experiments.csv")" \
    'is_used says of each experiment whether it is used'
expect 0 'conflicts' "$WHYFAST" conflicts "$run" gemm/08 gemm/13
is "$(counted '32.80 31.90 33.70 measured')" 1 '  have the measured cost'
# At the time of the whole launch, not at that of the original of the knock-out.
is "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["bound"] == "measured" && $at["variant"] ~ /^08/ && $at["cause"] == "bank_conflicts" {
        printf "%.0f\n", 100 * $at["saved_ns"] / $at["share_pct"]
    }' "$run/remains.csv")" "$("$WHYFAST" explain "$run" gemm/08 --json | tr ',{}' '\n\n\n' |
    sed -n 's/.*"time_ns": *//p' | awk 'NR == 2 { printf "%.0f", $1 }')" '  in per cent of the clean time'
is "$(counted ' estimated ')" 1 \
    '  but that of which a part was left alone stays estimated'
none "$(grep ',measured,' "$run/remains.csv" | looked sed '/^gemm,0[6-9]_/d')" \
    'other kernels have no measured cost'

# at_once BOTH [BARRIERS]: explains a step whose second kernel saves so much without barriers and
# conflicts, and without barriers alone.
at_once() {
    cp -r "$run" "$work/at_once"
    [ $# -lt 2 ] || sed -i '/08_double_buffer,.*,barriers,/d' "$work/at_once/knockouts.csv"
    [ $# -lt 2 ] || row 08_double_buffer barriers ok 2 0 435200 "$2" >>"$work/at_once/knockouts.csv"
    row 06_wide_loads barriers_conflicts ok 22 0 489500 100000 >>"$work/at_once/knockouts.csv"
    row 08_double_buffer barriers_conflicts ok 28 0 435200 "$1" >>"$work/at_once/knockouts.csv"
    "$WHYFAST" evaluate "$work/at_once" -q
    expect 0 "both at once save $1 ns" "$WHYFAST" explain "$work/at_once" gemm/08
    rm -r "$work/at_once"
}
at_once 40000
is "$(counted 'barriers with bank conflicts (measured)')" 1 '  what they share changed: they are one cause'
is "$(counted '64.00* 32.80* −31.20* bank conflicts (not used alone: both at once are')" 1 \
    '  and each alone is not used'
is "$(counted '100.00* 40.00* −60.00* barriers and bank conflicts at once (used')" 1 '  but both are'
is "$(counted 'the changes of each alone do not add up')" 1 '  which is explained'
at_once 60000 64000
is "$(counted '100.0* 60.0* −40.0* barriers and bank conflicts at once (used as bank conflicts')" 1 \
    '  only conflicts moved with it: it has their name'
at_once 23000
is "$(counted '(not used: the two are used one by one)')" 1 '  what they share did not change'
is "$(counted 'the changes of each alone do not add up')" 0 '  and nothing is explained'

# Barriers cost more because loads do: the cause that has their time is marked, too.
cp -r "$run" "$work/loads"
{
    head -n 1 "$run/knockouts.csv"
    row 11_zigzag nothing 'no cost' 0 0 399000 64
    row 11_zigzag barriers ok 2 0 399000 18000
    row 11_zigzag global_loads ok 2 0 399000 20000
    row 08_double_buffer nothing 'no cost' 0 0 435200 64
    row 08_double_buffer barriers ok 2 0 435200 45000
    row 08_double_buffer global_loads ok 2 0 435200 60000
    row 07_swizzled_b nothing 'no cost' 0 0 99000 300
    echo 'gemm,06_wide_loads,2048x2048x2048,256,0,0,0,symbol,nothing,absent: no time was left,0,0,,0,,,,'
} >"$work/loads/knockouts.csv"
"$WHYFAST" evaluate "$work/loads" -q
is "$(sed -n 's/.*nothing,nothing,,[0-9.e+]*,,,,,,,\(.*\),,0$/\1/p' "$work/loads/experiments.csv")" \
    'no time was left
"the launch whose copies were timed takes 99.00 µs, but 467.2 µs in the clean timing; its clock, caches or inputs differ"' \
    'experiments.csv says why no cost of a kernel was measured'
latency=$(cause_title global_latency)
expect 0 'kernels whose barriers wait for loads' "$WHYFAST" explain "$work/loads" gemm/11 gemm/08
is "$(counted "barriers (used as $latency")" 1 '  gives their time to the loads'
is "$(counted "$latency (measured in part)")" 1 '  which are measured in part'

# ---- a run of a program --------------------------------------------------------------------------

cp -r "$run" "$work/program"
echo 'program: ./application' >>"$work/program/run.txt"
expect 0 'knock-outs that were measured while a program ran' "$WHYFAST" knockout "$work/program"
is "$(counted 'bank conflicts 64.00 63.10 64.90 489.5')" 1 '  are printed without a GPU'
expect 0 '  as JSON' "$WHYFAST" knockout "$work/program" --json
prints '"saved_ns":64000' '  in nanoseconds'
sed -i 2,\$d "$work/program/knockouts.csv"
expect 1 'a run of a program without them' "$WHYFAST" knockout "$work/program"
says "has no knock-outs; 'whyfast run --knockout' measures them" '  says how they are measured'

# ---- its pages -----------------------------------------------------------------------------------

expect 0 'a report of it' "$WHYFAST" report "$run"
contains "$run/ladder-gemm.js" '["barriers",64960,18400,-46560,"used instead of the inferred −1' \
    '  has the experiments of a step'
contains "$run/method.html" 'id="knockouts"' '  says how well the inference agrees'
is "$(tr '\n' ' ' <"$run/method.html" | grep -oE 'badge [^>]*>[a-z]*</span></td><td data-label="Step"><a href="[^"]*"' |
    sed 's/badge [a-z]*">//; s|</span.*href=| |' | tr '\n' ' ')" \
    'contradicted "ladder-gemm.html#step=gemm/08&amp;size=2048x2048x2048" '\
'confirmed "ladder-gemm.html#step=gemm/07&amp;size=2048x2048x2048" ' \
    '  and of which steps, the contradicted ones first'
is "$(tr '\n' ' ' <"$run/method.html" |
    grep -oE 'Of [0-9]+ measured changes of a cause, .* and in [0-9]+ nothing')" \
    'Of 4 measured changes of a cause, the inference from counters is contradicted in 1 and '\
'confirmed in 1. In 1 the measured change is noise, and in 1 nothing' '  of all that have a cause'
contains "$run/method.html" '<p>Without a verdict: 14; <code>experiments.csv</code>' \
    '  counts what else was measured'
contains "$run/experiments.csv" 'used: nothing could be inferred from the counters' \
    '  and its file says why'
sed -i 2,\$d "$run/knockouts.csv"
sed -i '/,knockouts,/d' "$run/evaluation.csv"
expect 0 'without knock-outs' "$WHYFAST" evaluate "$run"
expect 0 '  a report' "$WHYFAST" report "$run"
lacks "$run/method.html" 'id="knockouts"' '  says nothing of them'
lacks "$run/ladder-gemm.js" '"experiments"' '  of no step, either'
finish
