#!/bin/sh
# A published schema of JSON (reports/schema) does not change: who changes what is printed gives it
# the next version, in the file's name and where it is printed, and adds the line below.
#
#   (cd reports/schema && cksum *.json) >tests/lint/schemas.txt
. "${ROOT:-.}/tests/tap.sh"

published=$ROOT/tests/lint/schemas.txt
changed() {
    while read -r sum bytes name; do
        [ "$(cksum <"$1/$name" 2>/dev/null)" = "$sum $bytes" ] || echo "$name"
    done
}
none "$(looked changed "$ROOT/reports/schema" <"$published")" \
    'no published schema has changed; what has changed needs the next version'
is "$(cd "$ROOT/reports/schema" && echo *.json)" "$(cut -d ' ' -f 3 "$published" | xargs)" \
    '  and all are listed'
cp -R "$ROOT/reports/schema" "$work/planted"
sed -i 's/"speedup"/"speed_up"/' "$work/planted/explain.3.json"
is "$(changed "$work/planted" <"$published")" explain.3.json '  a planted change is found'
cat "$ROOT"/harness/*/*.c | tr '\n' ' ' |
    grep -oE '(json_begin|json_begin_member|print_table_print)\([^;]*"[a-z.]+/[0-9]+"' |
    grep -oE '"[a-z.]+/[0-9]+"' | tr / . | tr -d '"' | sed 's/$/.json/' | sort -u >"$work/printed"
is "$(xargs <"$work/printed")" "$(cut -d ' ' -f 3 "$published" | sort | xargs)" \
    'what is printed has a schema, and no other schema is there'

finish
