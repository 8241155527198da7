#!/bin/sh
# Checks the names and the contents of the files under kernels/, before they are compiled.
#
#   sh tools/check_kernels.sh kernels
#
# Prints one sentence for each fault, with the file and the way to mend it; exits with 1 if there is
# one. The fields of families and variants are checked by the program (harness/catalog/contract.c).

root=${1:?usage: sh tools/check_kernels.sh kernels}
faults=0
fault() {
    printf '%s\n' "$*" >&2
    faults=$((faults + 1))
}

for file in "$root"/*.cu; do
    [ -e "$file" ] &&
        fault "$file: a variant lies in the folder of its family;" \
            "move it to $root/FAMILY/NN_idea.cu"
done
for folder in "$root"/*/; do
    folder=${folder%/}
    family=${folder##*/}
    set -- "$folder"/*.cu
    [ -e "$1" ] || [ -e "$folder/family.c" ] || continue
    case $family in
    [a-z]*[!a-z0-9_]* | [!a-z]*)
        fault "$folder: the name of a family is made of lower-case letters, digits and '_'," \
            "and begins with a letter; rename the folder"
        ;;
    esac
    if [ ! -e "$folder/family.c" ]; then
        fault "$folder: there is no family.c; write one, which declares the problem of these" \
            "variants (kernels/README.md)"
    elif ! grep -qw FAMILY "$folder/family.c"; then
        fault "$folder/family.c: there is no 'const struct family FAMILY = { ... };'"
    fi
    for unit in "$folder"/*/*.cu; do
        [ ! -e "$unit" ] || [ -e "${unit%/*}.cu" ] ||
            fault "$unit: a unit lies in the folder of its variant, and there is no ${unit%/*}.cu;" \
                "rename the folder"
    done
    file=$folder/grid.cu
    if [ -e "$file" ]; then
        [ "$#" -eq 1 ] ||
            fault "$file: it defines all variants of its family; move the others into it"
        numbers=$(grep -oE '(^ *|[(])[0-9]{2}_[a-z0-9_]+[,)]' "$file" | tr -d ' (' | cut -c 1-2)
        { [ "$numbers" ] && [ "$numbers" = "$(printf '%s\n' "$numbers" | sort -u)" ]; } ||
            fault "$file: it needs variants such as CELL(03_sequential, ...), in the order of" \
                "their numbers; no two have the same number"
        continue
    fi
    before=
    for file in "$@"; do
        [ -e "$file" ] || continue
        name=${file##*/}
        name=${name%.cu}
        case $name in
        [0-9][0-9]_*[!a-z0-9_]* | [0-9][0-9]_) good= ;;
        [0-9][0-9]_[a-z0-9]*) good=1 ;;
        *) good= ;;
        esac
        [ "$good" ] ||
            fault "$file: the name of a variant is two digits, '_' and an idea in lower-case" \
                "letters, digits and '_', as in 03_sequential.cu; rename the file"
        case $name in
        "${before%%_*}"_*) fault "$file: $before.cu has the same number; rename one of the files" ;;
        esac
        before=$name
    done
    # A header of the family may define its variants by a macro.
    grep -qs VARIANT_DEFINITION "$folder"/*.h && continue
    for file in $([ -e "$1" ] && grep -L VARIANT_DEFINITION "$@"); do
        fault "$file: there is no 'VARIANT_DEFINITION = { VARIANT_IDENTITY, ... };'"
    done
done
[ "$faults" -eq 0 ]
