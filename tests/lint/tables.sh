#!/bin/sh
# Checks what scripts of SQL say of the tables that they read and make, and that no two make the
# same. Keeps the graph in $BUILD/tables.dot.
. "${ROOT:-.}/tests/tap.sh"
cd "$ROOT" || exit 1

# makers DIRECTORY: prints the names of all tables that scripts, strings of C and runs have.
makers() {
    find "$1" -name '*.sql' -o -name '*.c' | tr '\n' '\0' | xargs -0 sed 's/--.*//' |
        grep -oE 'CREATE (TEMP )?(TABLE|VIEW) (IF NOT EXISTS )?[a-z_0-9]+' | awk '{ print $NF }'
    sed -nE 's/.*TABLE\([A-Z_]+, "([a-z_]+)".*/\1/p' harness/run/tables.c
}

# used DIRECTORY: prints "FILE reads NAME" and "FILE makes NAME" for its scripts.
used() {
    find "$1" -name '*.sql' | sort | tr '\n' '\0' |
        xargs -0 awk -v known="$(makers "$1" | sort -u)" -f tests/lint/tables.awk
}

# said DIRECTORY: the same as their first comments say it.
said() {
    find "$1" -name '*.sql' | tr '\n' '\0' | xargs -0 awk '
        FNR == 1 { on = 1 }
        !/^--/ { on = 0 }
        on && /^-- (reads|makes):/ { what = substr($2, 1, 5); $1 = $2 = "" }
        on && /^-- [^ ]/ { if ($1) what = "" }
        on && what { for (i = 1; i <= NF; i++) if ($i != "--" && $i) print FILENAME, what, $i }'
}

used harness | sort >"$work/used"
is "$(($(wc -l <"$work/used") > 400))" 1 'scripts read and make tables'
none "$(said harness | sort | looked diff - "$work/used")" '  as their first comments say'
# Pairs of variants take the place of the steps (explain/pairs.sql).
is "$(awk '$2 == "makes" { print $3 }' "$work/used" | sort | uniq -d | tr '\n' ' ')" 'steps ' \
    '  and no name is made twice'
mkdir -p "$work/planted"
printf '%s\n' '-- reads: metrics' '-- makes: a' 'CREATE TABLE a AS SELECT * FROM metrics JOIN b;' \
    >"$work/planted/a.sql"
printf '%s\n' '-- reads:' '-- makes: b' 'CREATE TABLE b AS WITH metrics AS (SELECT 1)' \
    'SELECT * FROM metrics;' >"$work/planted/b.sql"
is "$(said "$work/planted" | sort | diff - "$(used "$work/planted" | sort >"$work/u" &&
    echo "$work/u")" | sed -n 's/^> .*planted\///p')" 'a.sql reads b' '  a planted reader is found'
awk 'BEGIN { print "digraph tables {" } $2 == "makes" { by[$3] = $1 } { line[NR] = $0 }
    END {
        for (i = 1; i <= NR; i++) {
            split(line[i], word, " ")
            if (word[2] == "reads" && by[word[3]] && by[word[3]] != word[1] &&
                !seen[word[3], word[1]]++)
                print "  \"" by[word[3]] "\" -> \"" word[1] "\" [label=\"" word[3] "\"];"
        }
        print "}"
    }' "$work/used" >"$BUILD/tables.dot"
circles() { { tsort >/dev/null; } 2>&1; }
none "$(sed -n 's/^  "\([^"]*\)" -> "\([^"]*\)".*/\1 \2/p' "$BUILD/tables.dot" |
    looked circles)" 'no circle between scripts'
finish
