#!/bin/sh
# Tests what completes command lines in bash, zsh and fish.
. "${ROOT:-.}/tests/tap.sh"
mkdir "$work/bin"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$WHYFAST" >"$work/bin/whyfast"
chmod +x "$work/bin/whyfast"
PATH=$work/bin:$PATH

for shell in bash zsh fish; do
    expect 0 "completion for $shell" "$WHYFAST" help --completion $shell
    cp "$work/out" "$work/$shell"
    if command -v $shell >/dev/null; then
        expect 0 '  is a script of that shell' $shell -n "$work/$shell"
    else
        skip "$shell is not installed"
    fi
    # Every option of the help of a command, with its letter, and no other one.
    "$WHYFAST" help lines | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p' | sort >"$work/options"
    case $shell in
    bash) sed -n '/^    lines)/,/;;/s/^ *options=//p' "$work/bash" | grep -oE -e '--[a-z-]+' | cut -c 3- ;;
    zsh) sed -n '/^    lines)/,/;;/p' "$work/zsh" | grep -oE -e "[ )']--[a-z-]+=?\[" | tr -d " )'=[" |
        cut -c 3- ;;
    fish) sed -n "s/.*from lines'.* -l \([a-z-]*\) .*/\1/p" "$work/fish" ;;
    esac | sort >"$work/completed"
    is "$(cat "$work/completed")" "$(cat "$work/options")" '  has the options of lines'
done
expect 2 'completion for another shell' "$WHYFAST" help --completion csh
says "--completion: expected bash, zsh or fish, found 'csh'" '  is refused'

# completed WORDS...: prints what bash makes of the last word.
completed() {
    bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _whyfast; echo "${COMPREPLY[*]}"' \
        "$work/bash" whyfast "$@"
}
if command -v bash >/dev/null; then
    is "$(completed con)" conflicts 'bash completes a command'
    is "$(completed help ex)" explain '  also after help'
    is "$(completed lines --sa)" --sass '  an option'
    is "$(completed lines --thr)" '' '  not one of another command'
    is "$(completed explain reduce/03)" reduce/03_sequential '  a variant'
fi
if command -v fish >/dev/null; then
    # fished LINE: prints what fish makes of it.
    fished() { HOME=$work fish --no-config -c "source $work/fish; complete -C '$1'" | cut -f 1; }
    is "$(fished 'whyfast con')" conflicts 'fish completes a command'
    is "$(fished 'whyfast lines --sa')" --sass '  an option'
    is "$(fished 'whyfast explain reduce/03')" reduce/03_sequential '  a variant'
fi
if command -v zsh >/dev/null; then
    expect 0 'zsh takes it' zsh -fc "autoload -Uz compinit; compinit -D -u; . $work/zsh
        [ \"\${_comps[whyfast]}\" = _whyfast ]"
fi
finish
