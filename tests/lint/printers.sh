#!/bin/sh
# Checks that printers, pages and pictures decide nothing: what is faster, which cause is named and
# what is too small to be listed stand in said.csv and in the tables beside it
# (harness/explain/said.sql, harness/query/verdict.h).
. "${ROOT:-.}/tests/tap.sh"

word='(faster|slower|no evidence|not measured|resolved|unresolved|model)'
number='(0\.[0-9]|[1-9])'
what='(share_pct|share|saved_ns|saved|speedup[a-z_]*|floor_pct)'
# A comparison with the words of a verdict or a status, a threshold of what is said, a share of a
# cause, or a choice by a status.
cat >"$work/patterns" <<END
(=|<>|IN \(|WHEN|eq|ne|===|!==|includes\(\[?|strcmp\([a-z_>.-]*,) *["']${word}["']
$what\)? *(<|>)=? *$number
abs\([a-z_.]*$what\)? *[<>]=? *$number
0\.(05|2|5) \* abs
CASE ([a-z]\.)?(status|evidence|verdict)([^_a-z]|$)
END

for file in "$ROOT"/harness/report/*.c "$ROOT"/harness/report/*.sql "$ROOT"/reports/pages/* \
    "$ROOT"/plots/*.gp "$ROOT"/harness/*/*_print.* "$ROOT"/harness/fleet/boards.*; do
    echo "$file"
done | sort -u >"$work/files"
is "$(($(wc -l <"$work/files") > 60))" 1 'printers, pages and pictures are found'
none "$(looked xargs grep -nHE -f "$work/patterns" <"$work/files")" '  they decide nothing'

# Each kind of decision is found, if it is planted.
plant() {
    printf '%s\n' "$1" >"$work/planted.sql"
    is "$(grep -cE -f "$work/patterns" "$work/planted.sql")" 1 "a planted decision is found: $1"
}
plant "SELECT sum(evidence = 'faster') FROM steps"
plant "CASE WHEN c.status <> 'resolved' THEN 1 END"
plant 'if (step.evidence === "slower") return;'
plant "WHERE verdict IN ('no evidence', 'tolerated')"
plant 'WHERE share_pct >= 0.5'
plant 'step.speedup_prev > 1.02'
plant 'abs(c.saved_ns) > 5'
plant 'abs(d.saved_ns - c.saved_ns) <= 0.2 * abs(c.saved_ns)'
plant "CASE s.evidence WHEN 1 THEN 2 END"
plant "strcmp(verdict, \"faster\")"
finish
