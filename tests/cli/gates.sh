#!/bin/sh
# Tests the gates of 'whyfast compare --gates', its file of JUnit, and packed runs as baselines.
. "${ROOT:-.}/tests/tap.sh"
tiny_run "$work/before"
expect 0 'a baseline' "$WHYFAST" evaluate "$work/before"
cp -R "$work/before" "$work/after"
# In the second run the first rung is slower; so is the second one, with other machine code and a
# tenth more instructions.
awk -F , -v OFS=, "$by_name"'$2 ~ /^0[12]_/ { $at["time_ns"] *= 1.05 } 1' \
    "$work/before/samples.csv" >"$work/after/samples.csv"
hash=$(grep '^reduce,02_' "$work/before/variants.csv" | grep -oE '[0-9a-f]{16}')
sed "s/$hash/0123456789abcdef/" "$work/before/variants.csv" >"$work/after/variants.csv"
awk -F , -v OFS=, "$by_name"'
    $2 ~ /^0[12]_/ && $at["time_ns"] != "" { $at["time_ns"] *= 1.05 }
    $2 ~ /^02_/ && $at["warp_instructions"] != "" { $at["warp_instructions"] *= 1.1 } 1' \
    "$work/before/metrics.csv" >"$work/after/metrics.csv"
slow() { grep '^slower: ' "$work/out" | grep -o 'reduce/0[0-9]' | tr '\n' ' '; }

expect 1 'without gates' "$WHYFAST" compare "$work/before" "$work/after"
is "$(slow)" 'reduce/01 reduce/02 ' '  time alone decides'
expect 1 'with gates' "$WHYFAST" compare "$work/before" "$work/after" --gates \
    --junit "$work/junit.xml"
is "$(slow)" 'reduce/02 ' '  equal machine code is as fast'
grep -A 1 '^slower: ' "$work/out" | tr -s ' \n' ' ' >"$work/said"
contains "$work/said" 'machine code changed; warp instructions +10 %' '  counts that changed are told'
expect 0 '  one rung' "$WHYFAST" compare "$work/before" "$work/after" 'reduce/01*' --gates -v
prints 'the same machine code' '    says why it is as fast'
expect 0 '  as JSON' "$WHYFAST" compare "$work/before" "$work/after" 'reduce/01*' --gates --json
json_valid "$work/out"
cp -R "$work/before" "$work/few"
awk -F , "$by_name"'$2 !~ /^01_/ || $at["round"] < 3' "$work/before/samples.csv" \
    >"$work/few/samples.csv"
expect 0 'a run with few samples' "$WHYFAST" evaluate "$work/few"
expect 0 '  of the same code' "$WHYFAST" compare "$work/before" "$work/few" 'reduce/01*' --gates \
    --json
prints '"reason":"the same machine code"' '    needs no more'
prints '"reason_code":"same_code"' '    and the reason has its own code'

# ---- JUnit ---------------------------------------------------------------------------------------

"${PYTHON:-python3}" - "$work/junit.xml" >"$work/read" <<'CODE'
import sys
import xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
cases = suite.findall("testcase")
failures = [case for case in cases if case.find("failure") is not None]
print(suite.tag, suite.get("tests") == str(len(cases)), suite.get("failures"), len(failures))
print(failures[0].get("classname"), failures[0].get("name").split("_")[0])
print(failures[0].find("failure").get("message"))
CODE
is "$(sed -n 1p "$work/read")" 'testsuite True 1 1' 'each point is a test case'
is "$(sed -n 2p "$work/read")" 'reduce 02' '  the slower one has failed'
contains "$work/read" 'slower: reduce/02' '  with the words of the table'
expect 5 'a file that cannot be written' "$WHYFAST" compare "$work/before" "$work/after" \
    --junit "$work/nowhere/junit.xml"

# ---- baselines -----------------------------------------------------------------------------------

expect 0 'a packed baseline' sh "$ROOT/tools/pack_run.sh" "$work/before" "$work/packed"
expect 0 '  is compared as it is' "$WHYFAST" compare "$work/packed" "$work/before" --gates
finish
