#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Checks the pages of the documentation: their links, their length, and the fields they explain.
. "${ROOT:-.}/tests/tap.sh"
cd "$ROOT" || exit 1

is "$(($(wc -l <README.md) <= 130))" 1 'README.md has at most 130 lines'

# anchors PAGE: prints the anchors of its headings, one a line.
anchors() {
    sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}

# broken_links PAGE: prints the links to files that do not exist, or to headings that their page
# lacks.
broken_links() {
    grep -o '](\([^)]*\))' "$1" | sed 's/^](//; s/)$//' | grep -v '^https\{0,1\}:' |
        while read -r link; do
            file=${link%%#*}
            target=$1
            [ -z "$file" ] || target=$(dirname "$1")/$file
            case $link in
            *#*) anchors "$target" 2>/dev/null | grep -qxF -e "${link#*#}" || echo "$link" ;;
            *) [ -e "$target" ] || echo "$link" ;;
            esac
        done
}
for page in README.md ./*/*.md; do
    case $page in ./build/* | ./reports/pages/*) continue ;; esac
    is "$(broken_links "$page")" '' "${page#./}: every link leads to a file or a heading"
done
printf '## One heading\n[a](b) [c](#one-heading) [d](#two)\n' >"$work/page.md"
is "$(broken_links "$work/page.md" | tr '\n' ' ')" 'b #two ' '  planted broken links are found'
is "$(grep -lE '\]\([^)]*recorded/' README.md ./*/*.md)" '' 'no page links into a recorded run'

# fields STRUCT: prints the names of its members.
fields() {
    awk -v head="struct $1 {" '$0 == head { inside = 1; next } inside && /^};/ { exit } inside' \
        harness/catalog/variant.h |
        tr '\n' ' ' | sed 's|/\*|\x01|g; s|\*/|\x02|g; s|\x01[^\x02]*\x02||g; s/([^()*][^()]*)//g' |
        tr ';' '\n' |
        sed -n 's/\[[^]]*\]//g; s/(\*\([a-z_]*\))/\1/; s/^.*[ *]\([a-z_][a-z_]*\)[ )]*$/\1/p'
}
for struct in family variant; do
    is "$(($(fields "$struct" | wc -l) >= 15))" 1 "struct $struct has its fields"
    for field in $(fields "$struct"); do
        case $struct-$field in variant-family | variant-name | variant-file) continue ;; esac
        contains kernels/README.md "\`$field\`" "  kernels/README.md explains $field"
    done
done
finish
