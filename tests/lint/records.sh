#!/bin/sh
# Checks the records under metrics/: each is complete, and the documentation describes it.
. "${ROOT:-.}/tests/tap.sh"
expect 0 'the records are read' "$WHYFAST" list metrics --csv
cp "$work/out" "$work/list"
none "$(sed 1d "$work/list" | looked awk -F , '$1 != "set" && $3 == ""')" \
    'every counter, fact and metric has a unit'
none "$(sed 1d "$work/list" | looked grep ',$')" 'every counter, fact and metric has a meaning'

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
none "$(looked grep -vE '\| means +[A-Z0-9].*\. \|' <"$work/records")" \
    'every meaning is a sentence'
# unnamed: prints the records without words for sentences. The ends of an interval share those of
# the interval.
unnamed() {
    awk '{ if (/\| (title|words) /) named[$2] = 1; else wanted[$2] = $0 }
        END { for (name in wanted) {
                of = name
                if (!sub(/_(low|high)/, "", of) || !(of in named)) print wanted[name] } }'
}
records metric counter fact >"$work/columns"
none "$(looked unnamed <"$work/columns")" 'every counter, fact and metric has words for sentences'
none "$(looked grep -E '\| words +[^|]*[;:_]' <"$work/columns")" \
    'words are no sentences and no names'
none "$(grep -oE '\| words +[^|]+' "$work/columns" | sort | looked uniq -d)" 'words differ'
is "$(sed '/^[^ ]* time_ns /s/| words/|/' "$work/columns" | unnamed | cut -d ' ' -f 2 | sort)" \
    "$(printf 'time_high_ns\ntime_low_ns\ntime_ns')" '  what has none is found'
none "$(records metric | looked grep -vE '\| better +(lower|higher|neither) \|')" \
    'every metric says which direction is better'
# A wide load has more sectors than a narrow one, and the L2 cache serves more of fewer sectors.
none "$(records metric | grep -E '^[^ ]+ (sectors_per_request|l1_miss_ratio) ' |
    looked grep -v '| better  neither |')" 'sectors per load are neither better nor worse'
none "$(records metric | grep -E '\| unit +% \|' | grep -E '\| (least|most) ' |
    looked grep -vE '\| least +0 \| most +(100|[^|]*[a-z][^|]*) \|')" \
    'a percentage with bounds has both'
is "$(records metric | grep -oE '^[^ ]+ [a-z0-9_]+' | grep -E '_pct' | wc -l)" \
    "$(records metric | grep -E '\| unit +% \|' | grep -cE '^[^ ]+ [a-z0-9_]*_pct')" \
    'metrics named _pct have the unit %'
none "$(records metric | grep -E '\| rate ' |
    looked grep -vE '\| rate +(bytes|operations) \|')" \
    'a rate is one of bytes or of operations'
none "$(records metric fact | grep -E '^[^ ]+ [a-z0-9_]+_ns ' | looked grep -vE '\| unit +ns \|')" \
    'metrics named _ns have the unit ns'
none "$(records metric | grep -E '^[^ ]+ [a-z0-9_]+_gbs ' | looked grep -vE '\| unit +GB/s \|')" \
    'metrics named _gbs have the unit GB/s'
none "$(records metric | grep -E '^[^ ]+ [a-z0-9_]*tflops(_low|_high)? ' |
    looked grep -vE '\| unit +TFLOP/s \|')" 'metrics named tflops have the unit TFLOP/s'
none "$(records counter | looked grep -vE '\| over +(sum|longest) \|')" \
    'every counter says how launches combine'
none "$(records counter | grep -E '\| over +sum \|' |
    looked grep -E '\| from [^|]*(\.pct|pct_of_peak|\.avg\.per_)')" \
    'no ratio is added up over launches'
none "$(records cause | grep -E '\| try ' | looked grep -vE '\| try +[A-Z][^{]*\. \|')" \
    'advice is a sentence without numbers, which are not filled in'
is "$(($(records cause | grep -cE '\| try ') > 20))" 1 'most causes have advice'
none "$(records device | grep -oE 'compute_capability +[0-9.]+' | sort | looked uniq -d)" \
    'one record per compute capability'
none "$(records device | looked grep -vE 'compute_capability +[0-9]+\.[0-9] \|')" \
    'a compute capability is written as runs have it'

# field NAME: prints "record value" for each record on stdin that has the field.
field() { sed -n "s/^[^ ]* \\([a-z0-9_]*\\) .*| $1  *\\([^|]*[^ |]\\) |.*/\\1 \\2/p"; }
# words: prints the words of each line but the first, one a line.
words() { cut -d ' ' -f 2- | grep -oE "${1:-[^ ]+}" | sort; }
records term | cut -d ' ' -f 2 | sort >"$work/terms"
records cause | cut -d ' ' -f 2 | sort >"$work/causes"
cut -d , -f 2 "$work/list" | sort >"$work/names"
none "$(records term cause | looked grep -vE '\| means +[A-Z].*\. \|')" \
    'every term and every cause has a meaning that is a sentence'
is "$(records term | field part | words | sort -u | tr '\n' ' ')" 'empty issued stalled ' \
    'every term is of a part'
none "$(records term | field cause | words | sort -u | looked comm -23 - "$work/causes")" \
    'every cause of a term is there'
# The causes that levels.sql splits off, and those that accounts name (account_words.h, causes.c).
sed -E 's/^ *--.*//' "$ROOT"/harness/explain/levels.sql | grep -oE "'[a-z_0-9]+'" | tr -d "'" |
    sort -u | comm -12 - "$work/causes" >"$work/made"
{
    grep -oE 'X\([a-z0-9_]+, [a-z0-9_]+\)' "$ROOT/harness/explain/account_words.h" |
        sed 's/.*, //; s/)//'
    printf '%s\n' contention lanes_off
} | sort -u >"$work/named"
is "$(($(wc -l <"$work/named") > 30)) $(comm -23 "$work/named" "$work/causes")" '1 ' \
    'every cause of an account is there'
{
    records term | field cause | words
    cat "$work/made" "$work/named"
} | sort -u >"$work/led"
none "$(looked comm -13 "$work/led" - <"$work/causes")" 'something leads to every cause'
none "$(records cause | grep -E '\| witness ' | looked grep -vE '\| costs +(more|less) \|')" \
    'a cause with a witness says which side costs'
is "$(records term | grep -vE '\| (opcodes|idioms|counted|classes|sampled|state) ' |
    cut -d ' ' -f 2 | sort | tr '\n' ' ')" \
    'imbalance launch rest work ' 'the other terms have a distinguishing field'
none "$(records term | field sampled | words | looked uniq -d)" 'no stall reason is of two terms'
none "$(records term | field opcodes | words | looked uniq -d)" \
    'no pattern of opcodes is of two terms'
none "$({
    records term | field counted
    records term | field state
} | words '[a-z][a-z0-9_]+' | grep -vx coalesce |
    sort -u | looked comm -23 - "$work/names")" 'formulas of terms use only known names'
none "$(records cause | field witness | words '[a-z][a-z0-9_]+' | sort -u |
    looked comm -23 - "$work/names")" 'formulas of witnesses use only known names'
is "$(records cause | grep -E '\| title +([a-z][a-z]|[A-Z][A-Z0-9])' | wc -l)" "$(wc -l <"$work/causes")" \
    'titles of causes stand within a sentence'

none "$(records check metric counter fact | grep -E '\| because ' |
    looked grep -vE '\| because +[A-Z].*\. \|')" \
    'the reason why a value is impossible is a sentence'
none "$({
    records check | field empties
    records check | field holds
    records metric counter fact | field least
    records metric counter fact | field most
} |
    words '[a-z][a-z0-9_]*_[a-z0-9_]+' | sort -u |
    grep -v '^device_\|^schedulers_per_sm$\|^fp32_lanes_per_sm$\|^tensor_[bt]f[0-9]*_per_sm$' |
    looked comm -23 - "$work/names")" 'formulas of checks and bounds use only known names'

recorded=$(fixture_run)
is "$(records device |
    grep -c "compute_capability *$(sed -n 's/^device_compute_capability: //p' \
        "$recorded/run.txt") ")" \
    1 'the device of the tests has a record'

# Every area of a cause has a colour in the pictures.
known=$(sed -n '/^areas_known = /,/[^\\]$/p' "$ROOT/plots/style.gp" | tr -cs 'a-z_' ' ')
for area in $(records cause | sed -n 's/.*| area \+\([a-z_]\+\) |.*/\1/p' | sort -u); do
    echo "$known" | grep -q " $area "
    result $? "plots/style.gp knows the area '$area'"
done
records cause | grep -vE '\| area ' | sed 's/^cause \([a-z_0-9]*\).*/\1/' >"$work/grey"
none "$(records term | looked grep -wFf "$work/grey")" 'every cause of the ledger has an area'

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
