#!/bin/sh
# shellcheck disable=SC2086 # lists of words
# Tests that every variant of every family, also on the CPU and of libraries, gives the right result
# at the sizes that break bounds, tails and empty warps, with every block size that is offered, and
# that the sanitizers find nothing. A rung that is expected to fail may be wrong or right, and
# racecheck must find its race. Prints TAP.
#
# FAMILIES names the families (all). PARTS names the parts to run: right memcheck racecheck
# synccheck (all). UNRACED is a pattern of family/variant that racecheck leaves out (none).
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
PARTS=${PARTS:-right memcheck racecheck synccheck}
UNRACED=${UNRACED:-}
sanitizer=$(command -v compute-sanitizer)

# sizes_of FAMILY RANK PART: prints the sizes for a part: odd ones, each of which can fail for a
# reason of its own; large ones, which fill the device for sums and products, and less of it for
# families that do more work per element; and those for the sanitizers. Three dimensions are a
# product of matrices, most of whose rungs have no code for borders: its sizes include whole tiles,
# so that each rung runs in every part, and rows of whole 16-byte pieces, which some rungs need.
sizes_of() {
    case $3-$2-$1 in
    odd-1-*) echo 1 2 31 32 33 255 257 1000 65537 100001 1048577 ;;
    odd-2-*) echo 1x1 1x257 257x1 3x5 7x257 33x1000 3x65537 65537x3 ;;
    odd-3-*)
        echo 1x1x1 3x5x7 33x65x129 257x1x3 129x257x33 1001x1003x1005 128x128x128 384x256x264 \
            1x8x8 130x264x200
        ;;
    large-1-reduce* | large-1-dot*) echo 4194304 16777216 67108864 134217728 536870912 ;;
    large-1-*) echo 4194304 16777216 ;;
    large-2-*) echo 2048x4096 262144x2048 2048x262144 ;;
    large-3-gemm | large-3-gemm_tensor)
        echo 256x256x256 1024x1024x1024 2048x2048x2048 4096x4096x4096 8192x8192x8192
        ;;
    large-3-*) echo 256x256x256 1024x1024x1024 2048x2048x2048 4096x4096x4096 ;;
    sanitizer-1-*) echo 257 100001 1048577 ;;
    sanitizer-2-*) echo 3x5 7x257 33x1000 ;;
    sanitizer-3-*) echo 33x65x129 128x128x128 256x384x40 ;;
    esac
}
commas() { echo "$*" | tr ' ' ,; }

# judge FAMILY SIZE: succeeds if every variant of the family has a point at this size that is right,
# expected to fail, or skipped with a reason, and 'whyfast launch' has launched each of its kernels
# and says so of each. Writes the faults to $work/wrong and a summary to $words.
judge() {
    : >"$work/words"
    awk -F , -v size="$2" -v names="$(variants "$1" | tr '\n' ' ')" -v words="$work/words" \
        "$by_name"'
        # The cell of launches, the third behind a reason that may hold commas.
        function launches_of(  rest) {
            rest = $0
            if (!sub(/.*",/, "", rest)) return $at["launches"] + 0
            split(rest, cell, ",")
            return cell[3] + 0
        }
        FILENAME ~ /kinds$/ { kind[$2] = $3; next }
        FILENAME ~ /points.csv$/ {
            if ($3 != size) next
            seen[$2] = 1
            key = $2 (" setting " $5)
            status = $at["status"]
            if (status == "ok") {
                right++
                if (kind[$2] != "cpu") wanted[key] = $at["launches"] + 0
                else cpu++
            }
            else if (status == "wrong as expected" || status == "right by luck") {
                wanted[key] = launches_of(); tried[key] = 1; print "# " $0
            }
            else if (status == "skipped" && $at["reason"] != "") {
                skipped++; print "# skipped: " $0
            }
            else print key ": " status " " $at["reason"]
            next
        }
        $3 == size {
            key = $2 (" setting " $5)
            rows[key]++
            launches++
            if (!(key in wanted) || (key in tried ? $NF !~ /^(wrong as|right by)/ : $NF != "ok"))
                print key ": launch says " $NF
        }
        END {
            n = split(names, name, " ")
            for (i = 1; i <= n; i++) if (!(name[i] in seen)) print name[i] ": was not run"
            for (key in wanted)
                if (rows[key] < 1 || rows[key] != wanted[key])
                    print key ": " rows[key] + 0 " launches instead of " wanted[key]
            printf "%d points right, %d of them on the CPU, %d skipped; %d launches", right, cpu,
                skipped, launches >words
        }' "$work/kinds" "$work/run/points.csv" "$work/launches" >"$work/wrong" 2>&1
    words=$(cat "$work/words")
    grep '^#' "$work/wrong"
    [ -n "$words" ] && ! grep -qv '^#' "$work/wrong"
}

# right FAMILY BLOCK SIZE...: tests all sizes in one run and one launch.
right() {
    family=$1
    block=$2
    shift 2
    label=$family${block:+, block $block}
    rm -rf "$work/run" "$work/launches"
    "$WHYFAST" measure -q "$family" -s "$(commas "$@")" ${block:+-b $block} --samples 1 \
        --seconds 1 -o "$work/run" >"$work/out" 2>&1
    result $? "$label: measure verifies everything, before and after" || :
    sed 's/^/# /' "$work/out" | grep -v "^# $work/run\$"
    "$WHYFAST" launch "$family" -s "$(commas "$@")" \
        ${block:+-b $block} >"$work/launches" 2>"$work/err"
    result $? "$label: launch verifies everything"
    sed 's/^/# /' "$work/err"
    if [ ! -e "$work/run/points.csv" ]; then
        result 1 "$label: there are no points to judge"
        return
    fi
    kinds "$work/run" >"$work/kinds"
    for size; do
        judge "$family" "$size"
        result $? "$label, $size: $words"
        sed 's/^/# /' "$work/wrong" | grep -v '^# # '
    done
}

# sanitize TOOL FAMILY BLOCK SIZE...: tests every variant that runs on the GPU; racecheck looks only
# at the project's own kernels.
sanitize() {
    tool=$1
    family=$2
    block=$3
    shift 3
    racy=
    label="compute-sanitizer $tool, $family${block:+, block $block}, $*"
    wanted='kernel library'
    [ "$tool" = racecheck ] && wanted=kernel
    names=
    for name in $(awk -F , -v wanted=" $wanted " 'index(wanted, " " $3 " ") { print $1 "/" $2 }' \
        "$work/kinds"); do
        if [ "$tool" = racecheck ]; then
            # shellcheck disable=SC2254 # a pattern
            case $name in
            $UNRACED)
                skip "compute-sanitizer racecheck does not look at $name"
                continue
                ;;
            esac
            if grep -qx "$(echo "$name" | tr / ,)" "$work/failing"; then
                racy="$racy $name"
                continue
            fi
        fi
        names="$names $name"
    done
    for name in $racy; do
        compute-sanitizer --tool "$tool" "$WHYFAST" launch "$name" -s "$(commas "$@")" \
            ${block:+-b $block} >"$work/out" 2>&1
        grep -q 'RACECHECK SUMMARY: [1-9][0-9]* hazard' "$work/out"
        result $? "compute-sanitizer $tool finds the race of $name"
    done
    [ -n "$names" ] || return
    "$WHYFAST" launch $names -s "$(commas "$@")" ${block:+-b $block} >"$work/launches" 2>"$work/err"
    for name in $names; do
        grep -q "^$(echo "$name" | tr / ,)," "$work/launches" ||
            skip "$name runs at none of these sizes here"
    done
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$WHYFAST" launch $names \
        -s "$(commas "$@")" ${block:+-b $block} >"$work/out" 2>&1
    status=$?
    rows=$(grep -cE ',(ok|wrong as expected|right by luck)$' "$work/out")
    [ "$rows" -gt 0 ] &&
        [ "$rows" -eq "$(grep -cE ',(ok|wrong as expected|right by luck)$' "$work/launches")" ] ||
        status=1
    [ "$status" -eq 0 ] || tail -n 20 "$work/out" | sed 's/^/# /'
    result "$status" "$label: $rows launches"
}

for family in ${FAMILIES:-$(families)}; do
    if ! family_takes "$family"; then
        result 1 "$family: what sizes it takes"
        continue
    fi
    sizes=$(sizes_of "$family" $rank odd)
    small=$(sizes_of "$family" $rank sanitizer)
    for size in $(sizes_of "$family" $rank large); do
        if fits "$size"; then
            sizes="$sizes $size"
        else
            skip "$family, $size: does not fit into this machine's memory"
        fi
    done
    # One small point of each variant tells its kind.
    "$WHYFAST" measure -q "$family" -s "${sizes%% *}" --samples 1 --seconds 1 \
        -o "$work/run" >"$work/out" 2>&1
    kinds "$work/run" >"$work/kinds" 2>/dev/null
    failing "$work/run" >"$work/failing"
    if [ ! -s "$work/kinds" ]; then
        result 1 "$family cannot be measured: $(head -n 1 "$work/out")"
        continue
    fi
    for part in $PARTS; do
        for block in ${blocks:-none}; do
            [ "$block" = none ] && block=
            case $part in
            right) right "$family" "$block" $sizes ;;
            *)
                if [ -n "$sanitizer" ]; then
                    sanitize "$part" "$family" "$block" $small
                else
                    skip "$part, $family: compute-sanitizer is not on the PATH"
                fi
                ;;
            esac
        done
    done
done
[ "$tests" -gt 0 ]
result $? 'something was checked'
finish
