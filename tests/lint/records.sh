#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Checks the records under metrics/: each is complete, and the documentation describes it.
. "${ROOT:-.}/tests/tap.sh"
expect 0 'the records are read' "$WHYFAST" list metrics --csv
cp "$work/out" "$work/list"
is "$(awk -F , 'NR > 1 && $1 != "set" && $3 == ""' "$work/list")" '' \
    'every counter, fact and metric has a unit'
is "$(grep -c ',$' "$work/list")" 0 '  and a meaning'

# records KIND...: prints file:line and text of every record of these kinds, one a line, with the
# fields joined.
records() {
    for kind; do
        awk -v kind="$kind" 'function flush() { if (record != "") print record; record = "" }
            FNR == 1 { flush() }
            /^[a-z]/ { flush(); if ($1 == kind) record = FILENAME ":" FNR ": " $2 " |" }
            /^    / && record != "" { sub(/^ +/, ""); record = record " " $0 " |" }
            END { flush() }' \
            "$ROOT"/metrics/*.metric "$ROOT"/metrics/devices/*.device
    done
}
records metric counter fact set >"$work/records"
is "$(wc -l <"$work/records")" "$(($(wc -l <"$work/list") - 1))" 'this test reads the same records'
is "$(grep -vE '\| means +[A-Z0-9].*\. \|' "$work/records" | head -n 3)" '' \
    'every meaning is a sentence'
is "$(records metric | grep -vE '\| better +(lower|higher|neither) \|' | head -n 3)" '' \
    'every metric says which direction is better'
is "$(records metric | grep -E '\| unit +% \|' | grep -E '\| (least|most) ' |
    grep -vE '\| least +0 \| most +(100|[^|]*[a-z][^|]*) \|' | head -n 3)" \
    '' 'a percentage with bounds has both'
is "$(records metric | grep -oE '^[^ ]+ [a-z0-9_]+' | grep -E '_pct' | wc -l)" \
    "$(records metric | grep -E '\| unit +% \|' | grep -cE '^[^ ]+ [a-z0-9_]*_pct')" \
    'metrics named _pct have the unit %'
is "$(records metric | grep -E '\| rate ' | grep -vE '\| rate +(bytes|operations) \|')" '' \
    'a rate is one of bytes or of operations'
is "$(records metric fact | grep -E '^[^ ]+ [a-z0-9_]+_ns ' | grep -vE '\| unit +ns \|')" '' \
    'metrics named _ns have the unit ns'
is "$(records metric | grep -E '^[^ ]+ [a-z0-9_]+_gbs ' | grep -vE '\| unit +GB/s \|')" '' \
    'metrics named _gbs have the unit GB/s'
is "$(records metric | grep -E '^[^ ]+ [a-z0-9_]*tflops(_low|_high)? ' |
    grep -vE '\| unit +TFLOP/s \|')" \
    '' 'metrics named tflops have the unit TFLOP/s'
is "$(records counter | grep -vE '\| over +(sum|longest) \|')" '' \
    'every counter says how launches combine'
is "$(records counter | grep -E '\| over +sum \|' |
    grep -E '\| from [^|]*(\.pct|pct_of_peak|\.avg\.per_)')" \
    '' 'no ratio is added up over launches'
is "$(records cause | grep -E '\| try ' | grep -vE '\| try +[A-Z][^{]*\. \|' | head -n 3)" '' \
    'advice is a sentence without numbers, which are not filled in'
is "$(($(records cause | grep -cE '\| try ') > 20))" 1 '  which most causes have'
is "$(records device | grep -oE 'compute_capability +[0-9.]+' | sort | uniq -d)" '' \
    'one record per compute capability'
is "$(records device | grep -vE 'compute_capability +[0-9]+\.[0-9] \|' | head -n 3)" '' \
    '  written as the run has it'

# field NAME: prints "record value" for each record on stdin that has the field.
field() { sed -n "s/^[^ ]* \\([a-z0-9_]*\\) .*| $1  *\\([^|]*[^ |]\\) |.*/\\1 \\2/p"; }
# words: prints the words of each line but the first, one a line.
words() { cut -d ' ' -f 2- | grep -oE "${1:-[^ ]+}" | sort; }
records term | cut -d ' ' -f 2 | sort >"$work/terms"
records cause | cut -d ' ' -f 2 | sort >"$work/causes"
cut -d , -f 2 "$work/list" | sort >"$work/names"
is "$(records term cause | grep -vE '\| means +[A-Z].*\. \|' | head -n 3)" '' \
    'every term and every cause has a meaning that is a sentence'
is "$(records term | field part | words | sort -u | tr '\n' ' ')" 'empty issued stalled ' \
    'every term is of a part'
is "$(records term | field cause | words | sort -u | comm -23 - "$work/causes")" '' \
    '  and leads to a cause'
# The causes that levels.sql splits off, and those that accounts name (account_names.h).
sed -E 's/^ *--.*//' "$ROOT"/harness/explain/levels.sql | grep -oE "'[a-z_0-9]+'" | tr -d "'" |
    sort -u | comm -12 - "$work/causes" >"$work/made"
{
    grep -oE 'X\([a-z0-9_]+, [a-z0-9_]+\)' "$ROOT/harness/explain/account_names.h" |
        sed 's/.*, //; s/)//'
    echo contention
} | sort -u >"$work/named"
is "$(($(wc -l <"$work/named") > 30)) $(comm -23 "$work/named" "$work/causes")" '1 ' \
    '  as every cause of an account has'
{
    records term | field cause | words
    cat "$work/made" "$work/named"
} | sort -u >"$work/led"
is "$(comm -13 "$work/led" "$work/causes")" '' '  to which nothing leads, is no cause'
is "$(records cause | grep -E '\| witness ' | grep -vE '\| costs +(more|less) \|' | head -n 3)" '' \
    'a cause with a witness says which side costs'
is "$(records term | grep -vE '\| (opcodes|idioms|counted|classes|sampled|state) ' |
    cut -d ' ' -f 2 | sort | tr '\n' ' ')" \
    'imbalance launch rest work ' 'the other terms have a distinguishing field'
is "$(records term | field sampled | words | uniq -d)" '' 'no stall reason is of two terms'
is "$(records term | field opcodes | words | uniq -d)" '' '  no pattern of opcodes either'
is "$({
    records term | field counted
    records term | field state
} | words '[a-z][a-z0-9_]+' | grep -vx coalesce |
    sort -u | comm -23 - "$work/names")" \
    '' 'formulas of terms use only known names'
is "$(records cause | field witness | words '[a-z][a-z0-9_]+' | sort -u |
    comm -23 - "$work/names")" \
    '' '  witnesses, too'
is "$(records cause | grep -E '\| title +([a-z][a-z]|[A-Z][A-Z0-9])' | wc -l)" "$(wc -l <"$work/causes")" \
    'titles of causes stand within a sentence'

is "$(records check metric counter fact | grep -E '\| because ' |
    grep -vE '\| because +[A-Z].*\. \|' | head -n 3)" \
    '' 'the reason why a value is impossible is a sentence'
is "$({
    records check | field empties
    records check | field holds
    records metric counter fact | field least
    records metric counter fact | field most
} |
    words '[a-z][a-z0-9_]*_[a-z0-9_]+' | sort -u |
    grep -v '^device_\|^schedulers_per_sm$\|^fp32_lanes_per_sm$\|^tensor_[bt]f[0-9]*_per_sm$' |
    comm -23 - "$work/names")" \
    '' \
    '  and names the known ones'

recorded=$(fixture_run)
is "$(records device |
    grep -c "compute_capability *$(sed -n 's/^device_compute_capability: //p' \
        "$recorded/run.txt") ")" \
    1 '  the recorded device has one'

# Every area of a cause has a colour in the pictures.
known=$(sed -n '/^areas_known = /,/[^\\]$/p' "$ROOT/plots/style.gp" | tr -cs 'a-z_' ' ')
for area in $(records cause | sed -n 's/.*| area \+\([a-z_]\+\) |.*/\1/p' | sort -u); do
    echo "$known" | grep -q " $area "
    result $? "plots/style.gp knows the area '$area'"
done
is "$(records cause | grep -vE '\| area ')" '' '  and every cause has an area'

# The page with the grammar describes every kind of record and every field.
if [ -e "$ROOT/metrics/README.md" ]; then
    for word in set counter fact metric device term cause track check proof \
        $(cat "$ROOT"/metrics/*.metric "$ROOT"/metrics/devices/*.device |
            sed -n 's/^    \([a-z_][a-z_]*\) .*/\1/p' | sort -u); do
        grep -qw "$word" "$ROOT/metrics/README.md"
        result $? "metrics/README.md knows '$word'"
    done
else
    result 1 'metrics/README.md is there'
fi
finish
