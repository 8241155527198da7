#!/bin/sh
# Tests 'whyfast open': which page it shows, by what, and what it prints where none can be shown.
. "${ROOT:-.}/tests/tap.sh"
mkdir -p "$work/bin" "$work/report" "$work/single" "$work/empty"
echo page >"$work/report/index.html"
echo page >"$work/single/report.html"
printf '#!/bin/sh\necho "$1" >"%s/opened"\nexit "$(cat "%s/status")"\n' "$work" "$work" \
    >"$work/bin/xdg-open"
chmod +x "$work/bin/xdg-open"
echo 0 >"$work/status"
# on DISPLAY PATH ARGUMENT...: runs open there.
on() { display=$1 path=$2 && shift 2 && env DISPLAY="$display" PATH="$path" "$WHYFAST" open "$@"; }

expect 0 'a report' on :0 "$work/bin:$PATH" "$work/report"
is "$(cat "$work/opened")" "$work/report/index.html" '  is opened'
is "$(wc -c <"$work/out")" 0 '  without a word'
expect 0 'a report in a single file' on :0 "$work/bin:$PATH" "$work/single"
is "$(cat "$work/opened")" "$work/single/report.html" '  is opened'
echo 3 >"$work/status"
expect 0 'a report that no browser opens' on :0 "$work/bin:$PATH" "$work/report"
is "$(cat "$work/out")" "$work/report/index.html" '  has its path printed'
says 'no browser can be started here' '  and says why'
rm -f "$work/opened"
expect 0 'without a display' env -u DISPLAY -u WAYLAND_DISPLAY PATH="$work/bin:$PATH" "$WHYFAST" \
    open -q "$work/report"
is "$(cat "$work/out")" "$work/report/index.html" '  the path is printed'
is "$(wc -c <"$work/err")" 0 '  alone with -q'
[ ! -e "$work/opened" ]
result $? '  and nothing is started'
expect 0 'without xdg-open' on :0 "$work/empty" "$work/report"
is "$(cat "$work/out")" "$work/report/index.html" '  the path is printed'

cd "$work" || exit 1
expect 4 'no report' on :0 "$work/bin:$PATH"
says 'whyfast-report: holds no report' '  in the directory where replays are written'
mv report whyfast-report
echo 0 >"$work/status"
expect 0 'the report of a replay' on :0 "$work/bin:$PATH"
is "$(cat "$work/opened")" whyfast-report/index.html '  is the one that is opened by default'
expect 2 'two directories' on :0 "$work/bin:$PATH" whyfast-report single
finish
