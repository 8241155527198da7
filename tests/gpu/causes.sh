#!/bin/sh
# Tests planted causes on a GPU: for each step of the planted families to a rung whose name begins
# with a cause (02_bank_conflicts, 16_bank_conflicts_async, ...), that cause is named first, with a
# share of the change between 0.6 and 1.3. A step to a rung whose name begins with nothing, which is
# as fast as the rung before, has no cause. The claims of these rungs say
# that the cause is there and that nothing else differs: each must be confirmed. Keeps the run in
# $OUT if that is set, else in a temporary directory. Prints TAP.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
PLANTED=${PLANTED:-$BUILD/planted/whyfast}
run=${OUT:-$work/run}
tab=$(printf '\t')

"$PLANTED" report 'causes*/*' -q -o "$run" >"$work/out" 2>"$work/err"
result $? 'a run of the planted causes'
sed 's/^/# /' "$work/err"

# cells TABLE COLUMN...: writes these columns of the run's table to $work/TABLE.
cells() {
    table=$1
    shift
    [ -s "$run/$table.csv" ]
    result $? "there is $table.csv"
    plain "$run/$table.csv" >"$work/plain" 2>"$work/err"
    column "$work/plain" "$@" >"$work/$table"
}
cells points status variant size
cells verdicts verdict variant size claim
cells steps family variant size speedup_prev
cells causes family variant size cause status saved_ns share_pct

# ---- exactly the planted causes are there --------------------------------------------------------

wrong=$(grep -v "^ok$tab" "$work/points")
nothing "$wrong" "every rung is right"
while IFS=$tab read -r verdict variant size claim; do
    [ "$verdict" = confirmed ]
    result $? "$variant at $size: claim $claim is $verdict"
    [ "$verdict" = confirmed ] ||
        grep ",$variant,$size,[^,]*,[^,]*,[^,]*,$claim," "$run/verdicts.csv" | sed 's/^/# /'
done <"$work/verdicts"

# ---- and they explain the steps ------------------------------------------------------------------

steps=$(cut -f 2 "$work/steps" | sort -u | wc -l)
[ "$steps" -ge 45 ]
result $? "33 causes and 12 times nothing were planted: $steps"
while IFS=$tab read -r family variant size speedup; do
    planted=$(echo "$variant" | sed 's/^[0-9]*_//')
    while [ "$planted" != "${planted%_*}" ] &&
        ! grep -q "^$planted," "$here/planted_causes.csv"; do
        planted=${planted%_*}
    done
    cause=$(sed -n "s/^$planted,//p" "$here/planted_causes.csv")
    grep "^$family$tab$variant$tab$size$tab" "$work/causes" | cut -f 4- >"$work/terms"
    if expr "$variant" : '[0-9]*_nothing' >/dev/null; then
        [ "$(cut -f 2 "$work/terms" | grep -c '^resolved$')" -eq 0 ]
        result $? "$family/$variant at $size: no cause is found"
        continue
    fi
    largest=$(awk -F '\t' '
        { saved = $3 < 0 ? -$3 : $3 + 0 }
        saved > most { most = saved; cause = $1; share = $4 }
        END { print cause, (share >= 60 && share <= 130 ? "" : share " %") }' "$work/terms")
    [ "$largest" = "$cause " ]
    words="its largest cause is $cause, by 60 to 130 %; found: ${largest:-none}"
    result $? "$family/$variant at $size, speed-up $speedup: $words"
    sed 's/^/# /' "$work/terms"
done <"$work/steps"
finish
