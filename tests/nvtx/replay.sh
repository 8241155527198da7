#!/bin/sh
# Tests the announcements of a replay by NVTX, with the recorder in place of Nsight: ranges nest and
# end whatever happens, and results are marks. The program does the same with a tool as without one.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/nvtx/recorder.inc"
quick_gnuplot
small_run "$work/run"

expect 0 'a report without a tool' "$WHYFAST" report "$work/run" -o "$work/out.run"
cp "$work/out" "$work/out.alone"
sums "$work/out.run" >"$work/alone"
if [ ! -e "$recorder" ]; then
    skip 'this build has no NVTX: its headers come with the CUDA toolkit'
    finish
fi

# ---- a report ------------------------------------------------------------------------------------

rm -r "$work/out.run"
expect 0 'with a tool' under_recorder "$WHYFAST" report "$work/run" -o "$work/out.run"
is "$(complaints)" '' '  nothing to complain of'
cmp -s "$work/out" "$work/out.alone"
result $? '  it prints the same, to the byte'
sums "$work/out.run" | cmp -s - "$work/alone"
result $? '  it writes the same, to the byte'
said=$(balanced)
result $? '  every range ends' || explain "$said"
is "$(ranges)" "0 run whyfast report
1 run/evaluate evaluate
1 run/explain explain
1 run/plot plot
1 run/report report" '  the stages lie in the run, one after the other'
is "$(cut -f 4 "$work/events" | sort -u)" whyfast '  in one domain'
none "$(looked awk -F '\t' '$2 == "push" && $6 != "-"' <"$work/events")" \
    '  ranges without a variant have no colour'

# ---- results -------------------------------------------------------------------------------------

# "family/variant size block time conflicts" of every best point: from metrics.csv, and from the
# marks.
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["best"] == 1 {
        printf "%s/%s %s %s %.6g %s\n", $1, $2, $3, $4, $at["time_ns"],
            $at["shared_excess_wavefronts"] == "" ? "none" : sprintf("%.6g",
                $at["shared_excess_wavefronts"])
    }' \
    "$work/out.run/metrics.csv" | sort >"$work/best"
awk -F '\t' '$2 == "mark" && $7 ~ /^result / {
    n = split($8, word, " ")
    split("", value)
    value["block"] = 0
    for (i = 2; i <= n; i++) { split(word[i], pair, "="); value[pair[1]] = pair[2] }
    size = ("m" in value ? value["m"] "x" : "") value["n"] ("k" in value ? "x" value["k"] : "")
    sub(/^result /, "", $7)
    printf "%s %s %s %.6g %s\n", $7, size, value["block"], value["time_ns"],
        "bank_conflicts" in value ? sprintf("%.6g", value["bank_conflicts"]) : "none"
}' "$work/events" | sort >"$work/marks"
is "$(($(wc -l <"$work/best") > 10))" 1 'the rungs that are explained have results'
cmp -s "$work/best" "$work/marks"
result $? '  each is a mark, with time and conflicts as in metrics.csv' ||
    explain "$(diff "$work/best" "$work/marks" | head -n 6)"
none "$(looked awk -F '\t' \
    '$2 == "mark" { split($7, word, "[ /]"); if ($5 != word[2] "/evaluate" || $3 != 2) print }' \
    <"$work/events")" '  in the category of its family, in its stage'
is "$(awk -F '\t' '$7 == "result reduce/01_interleaved_modulo" { print $6 }' "$work/events" |
    sort -u)" \
    ff0072b2 '  a rung in its colour of the charts'
is "$(awk -F '\t' '$7 == "result reduce/90_cub" { print $6 }' "$work/events" | sort -u)" ffa0a0a0 \
    '  a library in grey'
none "$(looked awk -F '\t' '$7 ~ /cpu/ && $8 ~ / bank_conflicts/' <"$work/events")" \
    '  unknown values are not in the payload'

# ---- failures and interrupts ---------------------------------------------------------------------

cp -R "$work/run" "$work/damaged"
sed -i '2s/,/,"/' "$work/damaged/points.csv"
expect 4 'a damaged run without a tool' "$WHYFAST" report "$work/damaged" -o "$work/out.damaged"
cp "$work/err" "$work/err.alone"
expect 4 'with a tool' under_recorder "$WHYFAST" report "$work/damaged" -o "$work/out.damaged"
cmp -s "$work/err" "$work/err.alone"
result $? '  it says the same'
said=$(balanced)
result $? '  every range ends' || explain "$said"
is "$(ranges | tail -n 1)" '1 run/evaluate evaluate' '  the last is the stage that failed'
expect 2 'a typo' under_recorder "$WHYFAST" evaluate
said=$(balanced)
result $? '  every range ends' || explain "$said"

# Ctrl-C while gnuplot draws: only the first stand-in for gnuplot sends it, because a second one
# would end the program at once.
mv "$work/quick/gnuplot" "$work/quick/draws"
cat >"$work/quick/gnuplot" <<'ENDS'
#!/bin/sh
"$(dirname "$0")/draws" "$@"
mkdir "$(dirname "$0")/once" 2>/dev/null && kill -INT "$PPID"
ENDS
chmod +x "$work/quick/gnuplot"
expect 130 'Ctrl-C in the middle' under_recorder "$WHYFAST" report "$work/run" \
    -o "$work/out.stopped"
said=$(balanced)
result $? '  every range ends' || explain "$said"
is "$(ranges | tail -n 1)" '1 run/plot plot' '  the last is the stage in which it came'
finish
