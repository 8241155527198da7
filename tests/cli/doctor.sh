#!/bin/sh
# Tests the doctor: it prints a line for every check, names what is missing, gives advice, prints
# CSV, and exits accordingly. The tests hold with and without a driver.
. "${ROOT:-.}/tests/tap.sh"
for variable in NV_COMPUTE_PROFILER_PERFWORKS_DIR NSYS_PROFILING_SESSION_ID \
    NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN NV_NSIGHT_INJECTION_TRANSPORT_TYPE \
    CUDA_INJECTION64_PATH \
    NVTX_INJECTION64_PATH CUDA_LAUNCH_BLOCKING; do unset "$variable"; done
mkdir "$work/place"
cd "$work/place" || exit 1

# asked NAME COMMAND...: passes if it prints a line for every check and its exit status follows from
# its findings.
asked() {
    name=$1
    shift
    status=0
    "$@" >"$work/printed" 2>"$work/err" </dev/null || status=$?
    apart "$work/printed" >"$work/out"
    bad=$(cut -c 18-20 "$work/out" | grep -c bad)
    is "$status" "$([ "$bad" -eq 0 ]; echo $?)" "$name: the exit status follows from the bad checks"
    is "$(cut -c 1-17 "$work/out" | sed 's/ *$//' | sort)" "$(echo "$checks" | sort)" \
        '  every check is there'
}

checks='driver
MIG
virtualization
compute mode
other programs
clocks
temperature
power limit
ECC
persistence
GPU
CUDA
kernels
device memory
CUPTI
counter support
counters
self-test
permissions
WSL
other profilers
host memory
output
temporary files
gnuplot
xz
disassembler
libraries
data
recorded runs'

# ---- this machine --------------------------------------------------------------------------------

asked 'here' "$WHYFAST" doctor
none "$(cut -c 18-26 "$work/out" | looked grep -vxE '(ok|note|bad|skipped) *')" \
    '  every line says how it is'
none "$(cut -c 27- "$work/out" | looked grep '^$')" '  and what was found'
is "$(ls -A "$work/place")" '' '  nothing is left behind'
if [ -e /proc/driver/nvidia ]; then
    skip 'there is a driver here'
else
    is "$status" 0 '  a machine without a GPU is fine: it replays'
    is "$(complaints)" '' '  nothing to complain of'
    finds driver note 'only recorded runs can be replayed; to measure, install' \
        '  and the uses of a machine without a driver'
    case $("$WHYFAST" version) in
    *absent*) finds GPU skipped 'no CUDA' '  a build without CUDA asks no GPU' ;;
    *) finds GPU note 'no GPU: only recorded runs can be replayed' '  likewise without a GPU' ;;
    esac
    finds clocks skipped 'no GPU' '  a check that cannot be made says why'
    finds counters skipped '' '  and so do counters'
fi
finds output ok "$work/place can be written and has room for" '  the place of the results'
finds data ok "$ROOT" '  the data directory'
finds 'recorded runs' ok 'is shown' '  the recorded runs'
mkdir -p "$work/two/reports"
ln -s "$ROOT/metrics" "$ROOT/plots" "$work/two/"
cp -R "$TEST_DATA/reports/recorded" "$work/two/reports/"
mkdir "$work/two/reports/recorded/another"
cp "$(fixture_run)/run.txt" "$work/two/reports/recorded/another/"
WHYFAST_DATA=$work/two "$WHYFAST" doctor 2>/dev/null | tr -s ' \n' ' ' | grep -q 'is shown; by name also [a-z0-9-]* ('
result $? '  and names the others'
cp "$work/out" "$work/table"
is "$(grep -c 'need a GPU' "$work/printed" | awk '{ print $1 <= 1 }')" 1 \
    'the doctor has one line for all that needs a GPU'
expect "$status" 'in a terminal of 60 columns' env COLUMNS=60 "$WHYFAST" doctor
none "$(looked awk 'length($0) > 60 && !/\//' <"$work/out")" '  no line is wider, but for a path'
# findings FILE: prints them without what changes from run to run.
findings() { cut -c 27- "$1" | tr -s ' \n' ' ' | sed 's/[0-9.]* [GM]B//g'; }
is "$(findings "$work/out")" "$(findings "$work/printed")" '  it breaks between words'
status=0
"$WHYFAST" doctor --csv >"$work/csv" 2>/dev/null || status=$?
is "$(head -n 1 "$work/csv")" 'check,status,detail,fix' 'CSV: the header'
cell='("([^"]|"")*"|[^",]*)'
none "$(looked grep -vE "^$cell(,$cell){3}\$" <"$work/csv")" '  every row has four cells'
is "$(sed 1d "$work/csv" | cut -d , -f 1)" "$checks" '  every check has its row'
is "$(sed 1d "$work/csv" | cut -d , -f 1,2 | sort)" \
    "$(sed -E 's/^(.{16}) (.{8}).*/\1,\2/; s/ *,/,/; s/ *$//' "$work/table" | sort)" \
    '  and says what its line says'
"$WHYFAST" doctor --json >"$work/json" 2>/dev/null
is "$(grep -c '"status":' "$work/json")" "$(echo "$checks" | wc -l)" 'JSON: every check has its object'
is "$(head -c 38 "$work/json")" '{"schema":"whyfast.doctor/1","checks":' '  after its schema'
expect 5 'a full disk behind stdout' sh -c '"$0" doctor >/dev/full' "$WHYFAST"

# ---- programs ------------------------------------------------------------------------------------

asked 'without gnuplot' env PATH=/nowhere NVCC=/nowhere/nvcc "$WHYFAST" doctor
finds gnuplot note 'not on the PATH: reports have no charts; install gnuplot' \
    '  says so, and what to do'
finds xz bad 'a recorded run cannot be unpacked; install xz' '  likewise of xz'
finds disassembler note 'neither nvdisasm nor cuobjdump' '  likewise of the disassembler'
mkdir "$work/bin"
cat >"$work/bin/gnuplot" <<'END'
#!/bin/sh
case $2 in *png) exit 1 ;; esac
echo 'gnuplot 9.9 of a test'
END
chmod +x "$work/bin/gnuplot"
asked 'gnuplot without a terminal' env PATH="$work/bin:$PATH" "$WHYFAST" doctor
finds gnuplot bad 'gnuplot 9.9 of a test at' '  is bad'
finds gnuplot bad 'cannot draw PNG; install gnuplot with libgd' \
    '  and says what it lacks'
bad=$(awk '$2 == "bad"' "$work/out" | wc -l)
says " checks $([ "$bad" -eq 1 ] && echo is || echo are) bad" '  with a message at the end'
printf '#!/bin/sh\nexit 1\n' >"$work/bin/gnuplot"
asked 'gnuplot that fails' env PATH="$work/bin:$PATH" "$WHYFAST" doctor
finds gnuplot bad 'does not work; reinstall it' '  is bad'

# ---- places --------------------------------------------------------------------------------------

: >"$work/file"
asked 'a file in place of a directory' "$WHYFAST" doctor -o "$work/file/run"
words='cannot be written: Not a directory; name another directory with -o'
finds output bad "$work/file/run $words" \
    '  is bad'
asked 'a place where nobody can write' "$WHYFAST" doctor -o /proc/run
finds output bad '/proc cannot be written' '  is bad'
asked 'a run that is to be made' "$WHYFAST" doctor -o "$work/place/a/b"
finds output ok "$work/place can be written" '  is looked for above'
is "$(ls -A "$work/place")" '' '  and not made'
if [ -n "${MEMCHECK:-}" ]; then
    skip 'valgrind itself does not start without a place for temporary files'
else
    asked 'no place for temporary files' env TMPDIR="$work/none" "$WHYFAST" doctor
    finds 'temporary files' bad \
        "$work/none cannot be written: No such file or directory; name another directory in TMPDIR" \
        '  is bad'
    finds gnuplot skipped 'needs temporary files' '  and what needs them is not asked'
fi
mkdir "$work/full"
# shellcheck disable=SC2016 # for the shell inside
if unshare -rm sh -c 'mount -t tmpfs -o size=16k none "$1"' sh "$work/full" 2>/dev/null; then
    # shellcheck disable=SC2016
    full='mount -t tmpfs -o size=16k none "$1" && exec "$2" doctor -o "$1/run"'
    asked 'a full disk' unshare -rm sh -c "$full" sh "$work/full" "$WHYFAST"
    finds output bad "$work/full cannot be written: No space left on device" '  is bad'
    # shellcheck disable=SC2016
    small='mount -t tmpfs -o size=1m none "$1" && exec "$2" doctor -o "$1/run"'
    asked 'a small disk' unshare -rm sh -c "$small" sh "$work/full" "$WHYFAST"
    finds output note "$work/full has room for" '  is worth a note'
else
    skip 'a file system of its own cannot be mounted here'
fi
mkdir "$work/nodata"
asked 'no data' env WHYFAST_DATA="$work/nodata" "$WHYFAST" doctor
finds data bad 'reinstall the program, or name its data directory in WHYFAST_DATA' '  is bad'
is "$(wc -l <"$work/err")" 1 '  with a message of one line'
finds 'recorded runs' note 'no recorded run' '  and nothing can be replayed'
mkdir "$work/half"
cp -R "$ROOT/metrics" "$work/half/"
asked 'half of the data' env WHYFAST_DATA="$work/half" "$WHYFAST" doctor
finds data bad "$work/half/kernels cannot be read: No such file or directory" '  is bad'

# ---- other profilers -----------------------------------------------------------------------------

asked 'no profiler' "$WHYFAST" doctor
case ${LD_PRELOAD:-}${MEMCHECK:-} in
'') finds 'other profilers' ok 'none in this process' '  is found' ;;
*) skip 'something is preloaded here' ;;
esac
while IFS='|' read -r variable value words; do
    asked "$variable" env "$variable=$value" "$WHYFAST" doctor
    finds 'other profilers' note "$words ($variable=$value)" '  is named'
    finds 'other profilers' note '; run without' '  with what to do'
done <<'END'
NSYS_PROFILING_SESSION_ID|7|Nsight Systems (nsys)
NV_COMPUTE_PROFILER_PERFWORKS_DIR|/nowhere|Nsight Compute (ncu)
NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN|1|Compute Sanitizer
NV_NSIGHT_INJECTION_TRANSPORT_TYPE|1|a tool of the Nsight family
CUDA_INJECTION64_PATH|/nowhere/x.so|a library that CUDA_INJECTION64_PATH loads
NVTX_INJECTION64_PATH|/nowhere/y.so|an NVTX tool
CUDA_LAUNCH_BLOCKING|1|CUDA_LAUNCH_BLOCKING
END
case $BUILD in
*/asan | */ubsan) skip 'sanitizers want to be loaded first' ;;
*/valgrind) skip 'valgrind preloads libraries of its own' ;;
*)
    asked 'LD_PRELOAD' env LD_PRELOAD=libc.so.6 "$WHYFAST" doctor
    finds 'other profilers' note 'preloaded libraries (LD_PRELOAD=libc.so.6)' '  is named'
    ;;
esac
asked 'two of them, one with a quote' env NSYS_PROFILING_SESSION_ID='a","b' \
    NVTX_INJECTION64_PATH=/nowhere/y.so "$WHYFAST" doctor
finds 'other profilers' note \
    'Nsight Systems (nsys) (NSYS_PROFILING_SESSION_ID=a","b), an NVTX tool (NVTX_INJECTION64_PATH=/nowhere/y.so)' \
    '  are both named'
status=0
NSYS_PROFILING_SESSION_ID='a","b' "$WHYFAST" doctor --csv >"$work/csv" 2>/dev/null || status=$?
none "$(looked grep -vE "^$cell(,$cell){3}\$" <"$work/csv")" '  is four cells in CSV, too'

# ---- the command line ----------------------------------------------------------------------------

expect 2 'an unknown option' "$WHYFAST" doctor --outputs x
says "doctor has no option '--outputs'; did you mean '--output'?" '  says what was meant'
expect 2 'an operand' "$WHYFAST" doctor reduce
says "doctor takes no operand but reports of Nsight Compute (.ncu-rep); found 'reduce'" '  is none of its'
finish
