#!/bin/sh
# Checks that the sources are about the project alone, and that the project is complete.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/lint/private.inc"
cd "$ROOT" || exit 1

# The project's files: those that git tracks or, in an unpacked archive, all except built ones.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -n "$(git ls-files Makefile)" ]; then
    git ls-files -z --cached --others --exclude-standard | tr '\0' '\n' >"$work/files"
else
    find . -path './.?*' -type d ! -name .ci -prune -o -path ./build -prune -o -type f -print |
        sed 's|^\./||' >"$work/files"
fi
# A user may have added families: the README lists the project's own.
own=$(sed -n '/^## Ladders/,/^## Glossary/s/^| \(`.*`\) |.*/\1/p' README.md | tr -d '` ' | tr '\n,' '||')
while read -r file; do [ -f "$file" ] && echo "$file"; done <"$work/files" | sort -u |
    awk -F / -v own="|$own" '$1 != "kernels" || NF < 3 || index(own, "|" $2 "|")' >"$work/all"
grep -vE '\.(gz|xz|png|bin)$' "$work/all" >"$work/text"
# The compressed tables of the tests' runs are searched, too.
for run in $(sed -n 's|^\(tests/[fg].*\)/points\.csv\.xz$|\1|p' "$work/all"); do
    sh tools/unpack_run.sh "$run" "$work/unpacked/$run"
    ls "$work/unpacked/$run"/*.csv >>"$work/text"
done
is "$(($(wc -l <"$work/text") > 80))" 1 'there are files to look at'

# ---- no trace of a machine -----------------------------------------------------------------------

# nowhere NAME PATTERN [EXCEPT]: passes if no file matches the extended regular expression, apart
# from the files that match EXCEPT.
nowhere() {
    none "$(grep -vE "^(${3:-nothing})\$" "$work/text" |
        looked xargs -d '\n' grep -nIE "$2" /dev/null)" "$1"
}
nowhere 'no path of a home or of a workplace' "$private_paths" 'tests/lint/private\.inc'
nowhere 'no name of a user or a host' "$private_names" 'tests/lint/private\.inc'
nowhere 'no marks of an unfinished merge' '^(<<<<<<<|>>>>>>>|=======$)'
nowhere 'no trailing blanks' '[[:blank:]]+$' \
    'LICENSE|.*/recorded(_selftest)?/.*|reports/pictures/.*|tests/fuzz/corpus/.*|.*\.md'
nowhere 'no carriage returns' "$(printf '\r')" 'tests/fuzz/corpus/.*'
nowhere 'no tabs in the sources' "$(printf '\t')" \
    'Makefile|.*\.mk|.*/recorded(_selftest)?/.*|reports/pictures/.*|tests/fuzz/corpus/.*|LICENSE'
nowhere 'no leftovers' '(^|[^X])(XXX|FIXME|TODO|HACK)([^X]|$)' \
    'tests/lint/repository\.sh|tests/fuzz/corpus/.*|harness/user_kernels/new_family\.c'
top='harness|kernels|metrics|plots|reports|tests|tools'
none "$(ls -d ./*/ | tr -d './' | looked grep -vxE "build|$top")" \
    'the top level has its seven directories, and build/'
none "$(looked grep -vE "^(Makefile|README\.md|CONTRIBUTING\.md|CHANGELOG\.md|LICENSE|\.[a-z-]+(/.*)?|($top)/.*)\$" \
    <"$work/all")" 'the top level has the customary files, and hidden ones'
# The last byte of each text: a file is named by looking again, at one after the other.
grep -vE '^(tests/fuzz/corpus/.*)$' "$work/text" >"$work/whole"
xargs -d '\n' tail -qc 1 <"$work/whole" | tr -d '\n' >"$work/ends"
[ ! -s "$work/ends" ] || while read -r file; do
    [ "$(tail -c 1 "$file" | od -An -c | tr -d ' ')" = '\n' ] || [ ! -s "$file" ] || echo "$file"
done <"$work/whole" >"$work/found"
is "$(wc -c <"$work/ends") $([ ! -s "$work/ends" ] || cat "$work/found")" '0 ' \
    'every text ends in a line feed'
none "$(xargs -d '\n' wc -c <"$work/all" | grep -v ' total$' |
    looked awk '$1 > ($2 ~ /\/recorded(_selftest)?\// ? 4000000 : 1000000)')" 'no file is large'
is "$(($(xargs -d '\n' cat <"$work/all" | wc -c) <= 15000000))" 1 \
    'all files together have at most 15 MB'

# ---- headers -------------------------------------------------------------------------------------

# headers FILE...: prints what each header lacks, then its name and each function that it declares,
# but for names of types, on a line.
headers() {
    awk '
        FNR == 1 {
            finish_header()
            name = FILENAME; guard = ""; guards = 0
            if ($0 != "/*") print "lacks: " FILENAME " does not open with a comment"
        }
        guard == "" && /^#ifndef .*_H$/ { guard = $2 }
        guard != "" && $0 == "#define " guard { guards++ }
        /^typedef / { types = types $0 }
        match($0, /^[a-z][a-zA-Z_ 0-9*]*[ *][a-z][a-z0-9_]*\(/) && /\(.*[,;]$/ {
            word = substr($0, 1, RLENGTH - 1)
            sub(/.*[ *]/, "", word)
            if (word !~ /^__/) declared[word] = FILENAME
        }
        function finish_header(w) {
            if (name != "" && guards != 1) print "lacks: " name " has no guard"
            for (w in declared) if (!index(types, w "(")) print declared[w], w
            split("", declared)
            types = ""
        }
        END { finish_header() }' "$@"
}
headers harness/*/*.h >"$work/headers"
none "$(looked grep '^lacks' <"$work/headers")" 'headers open with a comment and have a guard'
grep -v '^lacks' "$work/headers" | sort >"$work/declared"
printf 'struct planted *planted_function(int planted);\n' >"$work/planted.h"
is "$(headers "$work/planted.h" | grep -c '^lacks') $(headers "$work/planted.h" |
    grep -c planted_function)" '2 1' '  a planted one without them is found'
# unused DECLARED: prints the functions that are declared, one a line after its header, that the
# program does not use, or that are used only in the file that defines them. A test counts as a file
# that uses them; a macro of the same header may, too.
unused() {
    awk '
        NR == FNR { header[$2] = $1; next }
        {
            split("", seen)
            n = split($0, word, /[^A-Za-z0-9_]+/)
            for (i = 1; i <= n; i++) {
                w = word[i]
                if (!(w in header) || w in seen) continue
                seen[w] = 1
                if (!lines[w, FILENAME]++ && FILENAME != header[w]) users[w]++
                if (FILENAME !~ /^tests\//) calls[w]++
            }
        }
        END {
            for (w in header) {
                if (users[w] < 2 && lines[w, header[w]] < 2)
                    print header[w] ": only the file that defines " w " has its name"
                if (calls[w] < 3)
                    print header[w] ": " w " is declared and defined, and only tests call it"
            }
        }' "$1" harness/*/*.[ch] harness/*/*.cu kernels/*/*.* kernels/*/*/*.* tests/unit/*.h \
        tests/unit/*/*.c
}
is "$(($(wc -l <"$work/declared") > 500))" 1 'headers declare functions'
none "$(looked unused "$work/declared" <"$work/declared")" 'other files use what a header declares'
printf 'harness/base/text.h planted_function\nharness/base/text.h text_free\n' >"$work/planted"
is "$(unused "$work/planted" | grep -c planted_function)" 2 '  a planted one that none uses is found'

# ---- sources -------------------------------------------------------------------------------------

for file in harness/*/*.c; do
    [ -e "${file%.c}.h" ] || echo "$file"
done >"$work/without"
none "$(looked xargs awk '
    FNR == 1 && !/^(\/\*|#include "[a-z_\/]*\.h")/ { print FILENAME }' <"$work/without")" \
    "a source without a header of its own opens with a comment or its owner's header"
grep -E '^kernels/[^/]*/.*\.(cu|c|h)$' "$work/all" >"$work/kernels"
is "$(($(wc -l <"$work/kernels") > 100))" 1 'there are kernels'
none "$(looked xargs awk 'FNR == 1 && $0 != "/*" { print FILENAME }' <"$work/kernels")" \
    'kernels open with their story'
# A rung begins as a copy of another one, whose title, claims and published times are not its own.
# same FAMILY: prints the titles that several of its variants have.
same() { cat "$1"/[0-9]*.cu 2>/dev/null | grep -oE '^ *\.title = "[^"]*"' | sort | uniq -d; }
for family in kernels/*/; do same "$family"; done >"$work/same"
is "$(cat "$work/same")" '' 'no two variants of a family have the same title'
mkdir "$work/copied"
cp kernels/reduce/03_sequential.cu "$work/copied/"
cp kernels/reduce/03_sequential.cu "$work/copied/24_copy.cu"
is "$(same "$work/copied" | grep -c title)" 1 '  a copy is found'
is "$(grep -lE '(^|[^a-z_])exit\(' harness/*/*.c | tr '\n' ' ')" \
    'harness/command/main.c harness/gpu_command/main.c ' 'only main.c exits'
none "$(grep -lE '#include .cupti[_a-z]*\.h' harness/*/*.[ch] |
    looked grep -vE '^harness/(cupti|collect|injected)/')" \
    "CUPTI's headers are included in cupti/, collect/ and injected/ alone"
rooms=$(sed -n '/^GPU_ROOMS/,/[^\\]$/p' Makefile | tr -d '\\\n' | sed 's/.*:= *//; s/  */|/g')
none "$(grep -lE '^#include <cuda' harness/*/*.[ch] |
    looked grep -vE "^harness/($rooms|injected)/")" \
    "CUDA's headers are included in the rooms that are compiled with them alone"
none "$(ls harness/*/*.c |
    looked xargs grep -nE '(^|[^a-z_])(sprintf|gets|strtok|atoi|atof|system|popen)\(')" \
    'no function that cannot be used safely'
# Names that are typical of the well-known versions of these kernels.
none "$(looked xargs grep -niE \
    '(g_idata|g_odata|sdata|warpReduce|cg::|helper_cuda|thread_block_reduce_sum|workspace_ptr|NUM_THREADS|NUM_WARPS|checkCudaErrors|nTPB|blockReduce|d_in\b|d_out\b)' \
    <"$work/kernels")" "the kernels are the project's own"
finish
