#!/bin/sh
# Tests that the output is ASCII where the locale has no UTF-8, and UTF-8 elsewhere.
. "${ROOT:-.}/tests/tap.sh"
beyond() { LC_ALL=C grep -c "[$(printf '\200')-$(printf '\377')]" "$1"; }
# explained SETTING...: explains a step in this environment.
explained() {
    env -u LC_ALL -u LC_CTYPE -u LANG -u WHYFAST_ASCII "$@" "$WHYFAST" explain reduce/03 \
        >"$work/out" 2>"$work/err"
}
explained LANG=en_US.UTF-8
cp "$work/out" "$work/utf8"
is "$(($(beyond "$work/utf8") > 3))" 1 'a locale with UTF-8 has bars and units'
explained A=B
cmp -s "$work/out" "$work/utf8"
result $? 'so has no locale at all'
for settings in LC_ALL=C LANG=C LC_CTYPE=POSIX LANG=en_US.ISO-8859-1 WHYFAST_ASCII=1 \
    'LC_ALL=C LANG=en_US.UTF-8'; do
    # shellcheck disable=SC2086 # settings
    explained $settings
    is "$(beyond "$work/out") $(grep -c '?' "$work/out")" '0 0' "$settings has ASCII alone"
    is "$(grep -c ' us: .* times as fast' "$work/out")" 1 '  with units'
    prints '####' '  with bars'
    is "$(awk '{ print NF }' "$work/out")" "$(awk '{ print NF }' "$work/utf8")" '  word by word'
done
explained LC_ALL=C WHYFAST_ASCII=0
cmp -s "$work/out" "$work/utf8"
result $? 'WHYFAST_ASCII=0 asks for UTF-8'
expect 2 'a message' env WHYFAST_ASCII=1 "$WHYFAST" explain 'µ×…é水'
says "no run 'ux~e?'" '  is ASCII, too'
for form in --csv --json; do
    env WHYFAST_ASCII=1 "$WHYFAST" explain reduce/03 $form >"$work/ascii"
    env WHYFAST_ASCII=0 "$WHYFAST" explain reduce/03 $form >"$work/whole"
    cmp -s "$work/ascii" "$work/whole"
    result $? "$form is for programs, and stays UTF-8"
done
if [ -w /dev/full ]; then
    env WHYFAST_ASCII=1 "$WHYFAST" explain reduce/03 >/dev/full 2>"$work/err"
    is $? 5 'a disk that is full'
    says 'cannot write to stdout' '  is told'
fi
finish
