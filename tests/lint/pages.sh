#!/bin/sh
# Checks the pages of the documentation: their links, their length, and the fields they explain.
. "${ROOT:-.}/tests/tap.sh"
cd "$ROOT" || exit 1

is "$(($(wc -l <README.md) <= 130))" 1 'README.md has at most 130 lines'
is "$(($(wc -l <CONTRIBUTING.md) <= 60))" 1 'CONTRIBUTING.md has at most 60'
for picture in $(grep -o '](reports/pictures/[^)]*)' README.md | tr -d ']()'); do
    is "$(($(wc -c <"$picture") <= 60000))" 1 "$picture has at most 60 kB"
done

# anchors PAGE: prints the anchors of its headings, one a line.
anchors() {
    sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}

# links PAGE...: prints the page and the target of each of its links, but for those to the net.
links() { grep -Ho '](\([^)]*\))' "$@" | sed 's/:](/ /; s/)$//' | grep -v ' https\{0,1\}:'; }
# broken: prints those that lead to a file that does not exist, or to a heading that it lacks.
broken() {
    while read -r page link; do
        file=${link%%#*}
        target=$page
        [ -z "$file" ] || target=$(dirname "$page")/$file
        case $link in
        *#*) anchors "$target" 2>/dev/null | grep -qxF -e "${link#*#}" || echo "$page: $link" ;;
        *) [ -e "$target" ] || echo "$page: $link" ;;
        esac
    done
}
find README.md CONTRIBUTING.md ./*/*.md ! -path './build/*' ! -path './reports/pages/*' >"$work/pages"
# shellcheck disable=SC2046 # names without blanks
none "$(links $(cat "$work/pages") | looked broken)" 'every link leads to a file or a heading'
printf '## One heading\n[a](b) [c](#one-heading) [d](#two)\n' >"$work/page.md"
is "$(links "$work/page.md" | broken | sed 's/.*: //' | tr '\n' ' ')" 'b #two ' \
    '  planted broken links are found'
none "$(looked xargs grep -lE '\]\([^)]*recorded/' <"$work/pages")" \
    'no page links into a recorded run'

# undefined: prints the colours that these files use and the style sheet lacks.
undefined() {
    xargs grep -ohE 'var\(--[a-z0-9_]+' | sed 's/var(//' | sort -u | while read -r colour; do
        grep -qF -e "$colour:" reports/pages/whyfast.css || echo "$colour"
    done
}
none "$(printf '%s\n' reports/boards/*.html reports/pages/*.html reports/pages/*.css reports/pages/*.js |
    looked undefined)" 'every colour of a page is defined'
echo '.a { color: var(--ink); background: var(--planted); }' >"$work/page.css"
is "$(echo "$work/page.css" | undefined)" --planted '  a planted one is found that is not'

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
