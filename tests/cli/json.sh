#!/bin/sh
# The check of JSON against its schemas finds what it must; names in JSON are those of the records.
. "${ROOT:-.}/tests/tap.sh"

expect 0 'a step as JSON' "$WHYFAST" explain "$(fixture_run)" reduce/02 reduce/03 --json
mv "$work/out" "$work/step"
for planted in 's/"speedup":[^,]*,//' 's/"cause":"/"cause_id":"/' 's/"block":256/"block":256.0/' \
    's/"verdict":"faster"/"verdict":"quicker"/' 's/"saved_ns":[^,]*,/"saved_ns":"1",/'; do
    sed "$planted" "$work/step" >"$work/planted"
    is "$(cmp -s "$work/step" "$work/planted" && echo same)" '' "$planted changes it"
    failures_before=$failures
    json_valid "$work/planted" >"$work/found" 2>&1
    failed=$((failures - failures_before))
    failures=$failures_before tests=$((tests - 1))
    if grep -q SKIP "$work/found"; then skip 'no Python has jsonschema'; else is $failed 1 '  and is found'; fi
done

# names MEMBER: prints the values of a member.
names() { tr ',{' '\n\n' <"$work/step" | sed -n "s/^\"$1\":\"\(.*\)\"}*\$/\1/p" | sort -u; }
# Values that only the account has are no records.
unrecorded() {
    while read -r id; do
        grep -qE "^($1) $id\$" "$ROOT"/metrics/*.metric ||
            grep -q "'$id'" "$ROOT/harness/explain/sides.sql" ||
            grep -q "\"$id\"" "$ROOT/harness/explain/cause_witness.c" || echo "$id"
    done
}
none "$(names cause | looked unrecorded cause)" 'each cause is a record'
none "$(names witness | looked unrecorded '[a-z]+')" 'each witness is one, too'

finish
