#!/bin/sh
# What the shell tests share: TAP by a few functions, a scratch directory, runs to work on. To be sourced; `finish` comes last.
#
# The Makefile gives WHYFAST (the program), ROOT (the project) and BUILD; by hand, in the project's root, they have defaults.

set -u
ROOT=${ROOT:-$(pwd)}
BUILD=${BUILD:-$ROOT/build}
WHYFAST=${WHYFAST:-$BUILD/whyfast}
LC_ALL=C
WHYFAST_DATA=$ROOT
export LC_ALL WHYFAST_DATA
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

# result STATUS NAME: one test, passed when STATUS is 0.
result() {
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then
        printf 'ok %d - %s\n' "$tests" "$2"
    else
        failures=$((failures + 1))
        printf 'not ok %d - %s\n' "$tests" "$2"
        return 1
    fi
}

# some FEW MANY: how many of the same kind are tried: FEW, or MANY with DEEP=1, as in make test-deep.
some() { if [ -n "${DEEP:-}" ]; then echo "$2"; else echo "$1"; fi; }

# has_terminal: whether a terminal can be had. on_terminal COMMAND: what it prints on one of its own, in $work/out.
has_terminal() { command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; }
on_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null >"$work/out" 2>&1; }

# explain WORDS...: why the test above failed, on stderr.
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

# expect STATUS NAME COMMAND...: the command ends with this exit status. What it printed is in $work/out and $work/err.
expect() {
    wanted=$1
    name=$2
    shift 2
    status=0
    "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    result "$([ "$status" -eq "$wanted" ]; echo $?)" "$name" || explain "exit status $status instead of $wanted; $(head -c 600 "$work/err")"
}

# says TEXT NAME: the last command said so on stderr. prints TEXT NAME: it printed so on stdout.
says() { contains "$work/err" "$1" "$2"; }
prints() { contains "$work/out" "$1" "$2"; }

# complaints: what the last command said on stderr, but for the stages that it finished.
complaints() { grep -vE '^whyfast: [a-z ]+: [0-9]+ [a-z]+ in [0-9.]+ s$' "$work/err"; }

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

# sums DIR: every name and the checksum of every file below it.
sums() { (cd "$1" && find . -type d | sort && find . -type f -exec cksum '{}' + | sort); }

# newest_in DIR: the run with the newest date there.
newest_in() {
    grep -H '^date: ' "$1"/*/run.txt | sed 's|\(.*\)/run.txt:date: \(.*\)|\2 \1|' | sort | tail -n 1 | cut -d ' ' -f 2-
}

# The newest recorded run, unpacked and with all its tables. make unpacks it before the tests.
newest_recorded() {
    copy=$ROOT/build/recorded/$(basename "$(newest_in "$ROOT/reports/recorded")")
    [ -e "$copy/metrics.csv" ] || "$WHYFAST" report --replay --dry-run >/dev/null 2>&1
    echo "$copy"
}

# own_families: the project's own, which are those of the recorded run. Somebody may have added others.
own_families() { sed 1d "$(newest_recorded)/families.csv" | cut -d , -f 1; }

# unpack_run FROM DIR: the run of compressed tables FROM as plain tables.
unpack_run() {
    mkdir -p "$2"
    cp "$1/run.txt" "$2/"
    for packed in "$1"/*.csv.gz; do gzip -dc "$packed" >"$2/$(basename "$packed" .gz)"; done
}

raw_tables='families variants claims published points launches series samples counters'
# Raw tables that a run may lack, because it was recorded before there were such.
later_tables='accesses sources source_files kernels lines ceilings stages traces activities trace_samples'

# raw_run FROM DIR: the raw files of a run, from which the other stages compute everything else.
raw_run() {
    mkdir -p "$2"
    cp "$1/run.txt" "$2/"
    for table in $raw_tables; do cp "$1/$table.csv" "$2/"; done
    for table in $later_tables; do [ ! -e "$1/$table.csv" ] || cp "$1/$table.csv" "$2/"; done
}

# small_run DIR: one problem size of the newest recorded run, with few samples, one repeat of the counters and the lines of few kernels, so that every stage is quick.
# tiny_run DIR: of that, two rungs of one ladder.
small_run() {
    recorded=$(newest_recorded)
    raw_run "$recorded" "$1"
    size=$(awk -F , '$1 == "reduce" && $3 == 4194304 { print $3; exit }' "$recorded/points.csv")
    for table in points launches series; do
        awk -F , -v size="$size" 'NR == 1 || $3 == size && $5 <= 2' "$recorded/$table.csv" >"$1/$table.csv"
    done
    [ ! -e "$recorded/accesses.csv" ] || awk -F , -v size="$size" 'NR == 1 || $3 == size && $5 <= 2' "$recorded/accesses.csv" >"$1/accesses.csv"
    awk -F , -v size="$size" 'NR == 1 || $3 == size && $5 <= 2 && $9 < 8' "$recorded/samples.csv" >"$1/samples.csv"
    awk -F , -v size="$size" 'NR == 1 || $4 == size && $6 <= 2' "$recorded/traces.csv" >"$1/traces.csv"
    for table in activities trace_samples; do
        awk -F , 'FNR == 1 && NR > 1 { print; next } NR == FNR { kept[$1] = 1; next } $1 in kept' "$1/traces.csv" "$recorded/$table.csv" >"$1/$table.csv"
    done
    awk -F , -v size="$size" 'NR == 1 || $3 == size && $5 <= 2 && $7 == 0' "$recorded/counters.csv" >"$1/counters.csv"
    awk -F , 'FNR == NR { family[$1] = 1; next } FNR == 1 || $2 in family && $3 ~ /^0[1-3]_/' "$1/points.csv" "$recorded/kernels.csv" >"$1/kernels.csv"
    awk -F , 'FNR == NR { kernel[$1] = 1; next } $1 in kernel' "$1/kernels.csv" "$recorded/lines.csv" >"$1/lines.csv"
}

tiny_run() {
    tiny=$1
    small_run "$1.small"
    mkdir "$1"
    for table in $raw_tables $later_tables; do
        [ "$table" != source_files ] || continue # cells with line feeds
        from=$1.small/$table.csv
        # by_key TABLE: rows whose key is among those in the first column of that table of the tiny run.
        by_key() { awk -F , 'FNR == 1 && NR > 1 { print; next } NR == FNR { kept[$1] = 1; next } $1 in kept' "$tiny/$1.csv" "$from"; }
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

# tiny_data DIR: data as of an installation, with a tiny run as its recorded one, compressed.
tiny_data() {
    mkdir -p "$1/reports"
    cp -R "$ROOT/metrics" "$ROOT/plots" "$1/"
    cp "$ROOT"/reports/template.* "$1/reports/"
    tiny_run "$1.run"
    sh "$ROOT/tests/tools/pack_run.sh" "$1.run" "$1/reports/recorded/tiny"
    rm -r "$1.run"
}

# quick_gnuplot: from here on, a stand-in that draws nothing but a frame, where the pictures are not what is tested.
quick_gnuplot() {
    mkdir -p "$work/quick"
    cat >"$work/quick/gnuplot" <<'END'
#!/bin/sh
case $1 in --version) echo 'gnuplot 5.4 patchlevel 0'; exit ;; -*) exit ;; esac
sed -n "s/^output = '\(.*\)'\$/\1/p" "$1" | while read -r picture; do echo '<svg></svg>' >"$picture"; done
END
    chmod +x "$work/quick/gnuplot"
    PATH=$work/quick:$PATH
    export PATH
}

# preloaded PROGRAM: what LD_PRELOAD needs to be so that calls of the program can be made to fail (tests/fault/fault.c). The address sanitizer's own library has to come
# first; calls that it has for itself, as for memory, cannot be made to fail then.
preloaded() {
    echo "$(sanitizer "$1") $BUILD/tests/fault/libfault.so"
}
# sanitizer PROGRAM: the library of the address sanitizer that the program is linked with; nothing where it is not.
sanitizer() {
    ldd "$1" 2>/dev/null | awk '$1 ~ /^libasan/ { print $3 }'
}
