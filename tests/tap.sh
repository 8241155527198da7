#!/bin/sh
# Shared by the shell tests: a few functions that print TAP, a scratch directory, and runs to work
# on. To be sourced; `finish` comes last.
#
# The Makefile sets WHYFAST (the program), ROOT (the project) and BUILD; a test run by hand in the
# project's root has defaults for them.

set -u
ROOT=${ROOT:-$(pwd)}
BUILD=${BUILD:-$ROOT/build}
WHYFAST=${WHYFAST:-$BUILD/whyfast}
LC_ALL=C
# The data directory with the run of tests/fixture/ as its recorded one.
TEST_DATA=${TEST_DATA:-$ROOT/build/test-data}
WHYFAST_DATA=$TEST_DATA
# The tools sort and count bytes; the program writes UTF-8 nevertheless.
WHYFAST_ASCII=0
export LC_ALL TEST_DATA WHYFAST_DATA WHYFAST_ASCII
unset NO_COLOR DISPLAY
# No test here needs a GPU, and none may find one.
CUDA_VISIBLE_DEVICES=
export CUDA_VISIBLE_DEVICES

work=$(mktemp -d) || exit 1
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

tests=0
failures=0
subject=

# result STATUS NAME: one test, which passes if STATUS is 0. A name that begins with two blanks goes
# on about the subject of the last one that does not: both are printed.
result() {
    tests=$((tests + 1))
    case $2 in
    '  '*) set -- "$1" "$subject: ${2#  }" ;;
    *) subject=${2% (of [0-9]*)} ;;
    esac
    if [ "$1" -eq 0 ]; then
        printf 'ok %d - %s\n' "$tests" "$2"
    else
        failures=$((failures + 1))
        printf 'not ok %d - %s\n' "$tests" "$2"
        return 1
    fi
}

# some FEW MANY: prints the number of cases to try: FEW, or MANY with DEEP=1, as in make test-deep.
some() { if [ -n "${DEEP:-}" ]; then echo "$2"; else echo "$1"; fi; }

# has_variants: succeeds if whyfast-gpu was built, which has the variants of this program.
has_variants() {
    [ -x "${WHYFAST%/*}/whyfast-gpu" ] || [ -x "${WHYFAST%/*}/../lib/whyfast/whyfast-gpu" ]
}

# has_terminal: succeeds if a terminal is available. on_terminal COMMAND: runs it on a terminal of
# its own, with its output in $work/out.
has_terminal() {
    command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null
}
on_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null >"$work/out" 2>&1; }

# coloured COMMAND [COLOUR]: passes if it prints colours, this one among them, on a terminal, none
# elsewhere, and none if the reader or the terminal wants none. Its output without them is in $work/out.
coloured() {
    escape=$(printf '\033')
    sh -c "$1" >"$work/out" 2>&1 </dev/null
    none "$(looked grep "$escape" <"$work/out")" 'no colours where there is no terminal'
    has_terminal || {
        skip 'no terminal is available'
        return
    }
    on_terminal "$1"
    contains "$work/out" "${escape}[${2:-}" 'colours on a terminal'
    for setting in TERM=dumb NO_COLOR=1; do
        on_terminal "$setting $1"
        none "$(looked grep "$escape" <"$work/out")" "no colours with $setting"
    done
}

# explain WORDS...: prints on stderr why the test above failed.
explain() {
    printf '%s\n' "$*" | sed 's/^/#   /' >&2
    return 1
}

skip() {
    tests=$((tests + 1))
    printf 'ok %d # SKIP %s\n' "$tests" "$1"
}

finish() {
    echo "1..$tests"
    [ "$failures" -eq 0 ]
    exit
}

# json_valid FILE: passes if it is JSON as its schema describes it.
json_valid() {
    for python in "${PYTHON:-python3}" /usr/bin/python3; do
        "$python" -c 'import jsonschema' 2>/dev/null || continue
        is "$("$python" -B "$ROOT/tests/tools/json_schema.py" "$ROOT/reports/schema" "$1" 2>&1 |
            tail -n 3)" '' '  as its schema says'
        return
    done
    skip 'no Python has jsonschema'
}

# expect STATUS NAME COMMAND...: passes if the command ends with this exit status. Its output is in
# $work/out and $work/err, with "'whyfast" for the path of the program in commands that are hints.
# JSON must be as its schema describes it.
expect() {
    wanted=$1
    name=$2
    shift 2
    status=0
    "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    for stream in out err; do
        ! grep -qF "'$WHYFAST " "$work/$stream" || sed -i "s|'$WHYFAST |'whyfast |g" "$work/$stream"
    done
    result "$([ "$status" -eq "$wanted" ]; echo $?)" "$name" ||
        explain "exit status $status instead of $wanted; $(head -c 600 "$work/err")"
    case " $* " in *' --json '*) [ ! -s "$work/out" ] || json_valid "$work/out" ;; esac
}

# says TEXT NAME: passes if the last command printed it on stderr. prints TEXT NAME: the same for
# stdout.
says() { contains "$work/err" "$1" "$2"; }
prints() { contains "$work/out" "$1" "$2"; }

# complaints: prints the last command's output on stderr, without the lines of finished stages and
# without what to try next.
complaints() {
    grep -vE '^whyfast: ([a-z ]+: [0-9]+ [a-z]+ in [0-9.]+ s$|try next: )' "$work/err"
}

contains() {
    grep -qF -e "$2" "$1"
    result $? "$3" || explain "'$2' is not in: $(head -c 600 "$1")"
}

lacks() {
    if grep -qF -e "$2" "$1"; then result 1 "$3" || explain "'$2' is in $1"; else result 0 "$3"; fi
}

is() {
    result "$([ "$1" = "$2" ]; echo $?)" "$3" || explain "'$1' instead of '$2'"
}

# holds EXPRESSION WORDS NUMBER: passes if the awk expression holds for x = NUMBER; for an absent
# number none holds.
holds() {
    awk -v x="$3" "BEGIN { exit !(x != \"\" && ($1)) }"
    result $? "$2: $3"
}

# looked COMMAND...: prints how many lines it is given, and below that what the command finds in
# them. none FOUND NAME: passes if that is nothing, and there were lines to look at.
looked() {
    cat >"$work/looked"
    wc -l <"$work/looked"
    "$@" <"$work/looked"
}
none() {
    looked_at=$(echo "$1" | sed -n 1p)
    result "$([ "$looked_at" -gt 0 ] && [ "$1" = "$looked_at" ]; echo $?)" "$2 (of $looked_at)" ||
        explain "$(echo "$1" | sed 1d | cut -c 1-200 | head -n 5)"
}

# html_faults PAGE: prints what tidy finds wrong with it, also if tidy is not there. It does not know
# the attribute of pictures that are loaded late, nor pages that show one <main> of several.
html_faults() {
    sed 's,<\(/\{0\,1\}\)main\([ >]\),<\1div\2,g' "$1" |
        tidy -q -e -utf8 --drop-empty-elements no 2>&1 | grep -v '<img> proprietary attribute "loading"'
}
# valid PAGE: passes if it is HTML without faults.
valid() { is "$(html_faults "$1" | head -n 5)" '' "$(basename "$1") is valid HTML"; }

# apart FILE: prints the doctor's findings with a line for each check that is skipped for want of a
# GPU or CUDA; these share one.
apart() {
    awk '!/^no (GPU|CUDA)  / { print; next }
        {
            lacks = $2
            reason = match($0, / \(.*\):/) ? substr($0, RSTART, RLENGTH - 1) : ""
            sub(/^.*: /, "")
            n = split($0, name, ", ")
            for (i = 1; i <= n; i++) printf "%-17s%-9s%s\n", name[i], "skipped", "no " lacks reason
        }' "$1"
}

# finds CHECK SEVERITY WORDS NAME: passes if the doctor's output, in $work/out, has this finding.
finds() {
    awk -v name="$1 " '/^[^ ]/ { if (found) print line; found = index($0, name) == 1; line = $0; next }
        found { sub(/^ +/, " "); line = line $0 } END { if (found) print line }' "$work/out" |
        cut -c 18- | grep -F -e "$3" | grep -q "^$2 "
    result $? "$4" || explain "$(grep "^$1 " "$work/out")"
}

# sums DIR: prints every name, and the checksum of every file, below it.
sums() { (cd "$1" && find . -type d | sort && find . -type f -exec cksum '{}' + | sort); }

# fixture_run: prints the run that the tests read, unpacked and with all its tables: the one under
# reports/recorded/ of the data directory TEST_DATA, which make has put there.
fixture_run() { dirname "$(echo "$TEST_DATA"/reports/recorded/*/run.txt)"; }

# cause_title ID: prints the title that the record of this cause gives it.
cause_title() {
    awk -v id="$1" '/^[a-z]/ { found = $1 == "cause" && $2 == id }
        found && sub(/^ +title +/, "")' "$ROOT/metrics/causes.metric"
}

raw_tables='families variants claims published points launches series samples counters'
# Raw tables that a run may lack because it is older than they are.
later_tables='accesses sources source_files kernels lines ceilings power stages
    traces activities trace_samples'

# raw_run FROM DIR: copies the raw files of a run, from which the stages compute everything else.
raw_run() {
    mkdir -p "$2"
    cp "$1/run.txt" "$2/"
    for table in $raw_tables; do cp "$1/$table.csv" "$2/"; done
    for table in $later_tables; do [ ! -e "$1/$table.csv" ] || cp "$1/$table.csv" "$2/"; done
}

# The first rule of awk programs on tables: at["name"] is the number of the column `name` in
# the current file. Cells up to the columns in use must not hold commas or line feeds.
# shellcheck disable=SC2016 # awk expands these
by_name='FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i } '

# rows_where FILE CONDITION: prints the header and the rows for which the awk condition holds;
# `size` is that of small_run.
rows_where() { awk -F , -v size="${size:-}" "$by_name"'NR == 1 { print; next } '"$2" "$1"; }

# column FILE NAME...: prints these columns without their names, separated by tabs.
column() {
    file=$1
    shift
    awk -F , -v wanted="$*" "$by_name"'
        NR == 1 {
            n = split(wanted, name, " ")
            for (k = 1; k <= n; k++) if (!(name[k] in at)) { print "no column " name[k]; exit }
            next
        }
        { for (k = 1; k <= n; k++) printf "%s%s", $at[name[k]], k < n ? "\t" : "\n" }' "$file"
}

# small_run DIR: copies one problem size of the run that the tests read, with few samples and the
# lines of a few kernels, so that every stage is quick. tiny_run DIR: copies two rungs of one ladder
# of that.
# shellcheck disable=SC2016 # awk expands these
small_run() {
    whole=$(fixture_run)
    raw_run "$whole" "$1"
    size=$(rows_where "$whole/points.csv" '$at["family"] == "reduce" && $at["size"] == 4194304' |
        sed -n 2p | cut -d , -f 3)
    for table in points launches series accesses; do
        [ ! -e "$whole/$table.csv" ] ||
            rows_where "$whole/$table.csv" '$at["size"] == size && $at["sweep"] <= 2' \
                >"$1/$table.csv"
    done
    rows_where "$whole/samples.csv" \
        '$at["size"] == size && $at["sweep"] <= 2 && $at["round"] < 8' >"$1/samples.csv"
    rows_where "$whole/traces.csv" '$at["size"] == size && $at["sweep"] <= 2' >"$1/traces.csv"
    for table in activities trace_samples; do
        awk -F , 'FNR == 1 && NR > 1 { print; next } NR == FNR { kept[$1] = 1; next } $1 in kept' \
            "$1/traces.csv" "$whole/$table.csv" >"$1/$table.csv"
    done
    rows_where "$whole/counters.csv" '$at["size"] == size && $at["sweep"] <= 2' >"$1/counters.csv"
    awk -F , 'FNR == NR { family[$1] = 1; next } FNR == 1 || $2 in family && $3 ~ /^0[1-3]_/' \
        "$1/points.csv" "$whole/kernels.csv" >"$1/kernels.csv"
    awk -F , 'FNR == NR { kernel[$1] = 1; next } $1 in kernel' "$1/kernels.csv" \
        "$whole/lines.csv" >"$1/lines.csv"
}

tiny_run() {
    tiny=$1
    small_run "$1.small"
    mkdir "$1"
    for table in $raw_tables $later_tables; do
        [ "$table" != source_files ] || continue # its cells hold line feeds
        from=$1.small/$table.csv
        [ -e "$from" ] || continue # the recorded run is older than the table
        # by_key TABLE: prints the rows whose key is in the first column of that table of the tiny
        # run.
        by_key() {
            awk -F , \
                'FNR == 1 && NR > 1 { print; next } NR == FNR { kept[$1] = 1; next } $1 in kept' \
                "$tiny/$1.csv" "$from"
        }
        case $table in
        families) awk -F , 'NR == 1 || $1 == "reduce"' "$from" ;;
        kernels | traces) awk -F , 'NR == 1 || $2 == "reduce" && $3 ~ /^0[12]_/' "$from" ;;
        lines) by_key kernels ;;
        activities | trace_samples) by_key traces ;;
        sources | ceilings | stages) cat "$from" ;;
        *) awk -F , 'NR == 1 || $1 == "reduce" && $2 ~ /^0[12]_/' "$from" ;;
        esac >"$1/$table.csv"
    done
    cp "$1.small/run.txt" "$1/"
    rm -r "$1.small"
}

# with_words FILE COLUMN WORDS: prints a table with these words in every cell of a column.
with_words() {
    WORDS=$3 awk -v column="$2" '
        function cells(line,    n, c, cell, quoted, i) {
            n = 1; cell = ""; quoted = 0
            for (i = 1; i <= length(line); i++) {
                c = substr(line, i, 1)
                if (c == "\"") quoted = !quoted
                if (c == "," && !quoted) { part[n++] = cell; cell = "" } else cell = cell c
            }
            part[n] = cell
            return n
        }
        BEGIN { words = ENVIRON["WORDS"]; gsub(/"/, "\"\"", words); words = "\"" words "\"" }
        { n = cells($0) }
        NR == 1 { for (i = 1; i <= n; i++) if (part[i] == column) at = i }
        NR > 1 { part[at] = words }
        { for (i = 1; i <= n; i++) printf "%s%s", part[i], i < n ? "," : "\n" }' "$1"
}

# tiny_data DIR: makes a data directory as an installation has it, with a compressed tiny run as its
# recorded one.
tiny_data() {
    mkdir -p "$1/reports"
    cp -R "$ROOT/metrics" "$ROOT/plots" "$1/"
    cp -R "$ROOT/reports/pages" "$1/reports/"
    tiny_run "$1.run"
    sh "$ROOT/tools/pack_run.sh" "$1.run" "$1/reports/recorded/tiny"
    rm -r "$1.run"
}

# quick_gnuplot: from here on, a stand-in that draws empty pictures replaces gnuplot, for tests that
# are not about the pictures.
quick_gnuplot() {
    mkdir -p "$work/quick"
    cat >"$work/quick/gnuplot" <<'END'
#!/bin/sh
case $1 in --version) echo 'gnuplot 5.4 patchlevel 0'; exit ;; -*) exit ;; esac
sed -n "s/^output = '\(.*\)'\$/\1/p" "$@" |
    while read -r picture; do echo '<svg></svg>' >"$picture"; done
END
    chmod +x "$work/quick/gnuplot"
    PATH=$work/quick:$PATH
    export PATH
}

# preloaded PROGRAM: prints the LD_PRELOAD that makes calls of the program fail
# (tests/fault/fault.c). The address sanitizer's own library has to come first; its own calls, such
# as those for memory, cannot be made to fail then.
preloaded() {
    echo "$(sanitizer "$1") $BUILD/tests/fault/libfault.so"
}
# sanitizer PROGRAM: prints the address sanitizer's library that the program is linked with, or
# nothing.
sanitizer() {
    ldd "$1" 2>/dev/null | awk '$1 ~ /^libasan/ { print $3 }'
}
