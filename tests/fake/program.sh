#!/bin/sh
# Tests 'whyfast run' with a program that writes what the injected library would (watched.c): how
# often it is started, its exit status, output and input, and the tables of the run.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"
watched=$BUILD/fake/watched
run=$work/run

# run_it [OPTION...] -- ARGUMENT...: runs the program. Its output is in $work/out and $work/err.
replay=--replay-launches
run_it() {
    rm -rf "$run"
    fake run $replay -o "$run" "$@"
}
fact() { sed -n "s/^$1: //p" "$run/run.txt"; }
cells() { column "$run/$1.csv" $2 | tr '\t' , | tr '\n' ' '; }

# ---- a program that repeats itself ---------------------------------------------------------------

run_it -- "$watched" exit=7 environment
ends 7 'the exit status is the program'"'"'s own'
is "$(tr '\n' ' ' <"$work/out")" '3 done ' '  its output is its own, and it has the variables'
all_closed '  and nothing is left open'
is "$(fact program_status) $(fact program_starts)" '7 7' \
    '  two for times, two for a kernel with one launch, one for the others, two for instructions'
is "$(fact program_repeats)" 'yes: status and output are the same in all later starts' \
    '  it repeats itself'
is "$(fact program)" "$watched exit=7 environment" '  the run has its command line'
is "$(fact clock)" 'activity records of CUPTI' '  and the clock'
is "$(ls "$run/output" | wc -l)" 12 '  the output of six later starts is kept'
is "$(ls -d "$run/watch" 2>/dev/null)" '' '  and the files of the library are not'
is "$(cells variants 'variant rung')" 'add,1 product,2 mul-float,3 ' \
    'kernels are variants, ranked by time; a mark names one'
is "$(cells points 'variant size status useful_bytes')" \
    'add,as_run,ok, product,1024,ok,4194304 mul-float,as_run,ok, ' '  with its size and useful bytes'
is "$(cells series 'l2 kind' | tr ' ' '\n' | sort -u | tr -d '\n')" as_run,activity \
    '  times of one kind'
is "$(cells series 'variant copy samples')" \
    'add,a,20 add,b,20 product,a,12 product,b,12 mul-float,a,1 mul-float,b,1 ' '  of two starts'
is "$(column "$run/samples.csv" variant copy time_ns | sed -n 's/^add\ta\t//p' | sort -u |
    tr '\n' ' ')" '100000 100001 100002 ' '  of each launch'
is "$(column "$run/counters.csv" variant counter value status |
    sed -n 's/\tshared_conflicts_load\t/ /p' | tr '\t' ' ' | tr '\n' ';')" \
    'add 808 ok;product 808 ok;mul-float 7 ok;' \
    'the last of 8 passes is taken at launch 8, and launch 0 is replayed in 7 of them'
is "$(column "$run/counters.csv" variant passes | sort -u | tr '\t\n' '  ')" \
    'add 8 mul-float 1 mul-float 7 product 8 ' '  a replayed kernel has a pass without replay, too'
is "$(column "$run/counters.csv" variant source status | sed -n 's/mul-float\tdram.*\t//p' |
    sort -u) $(fact counters_replayed)" \
    'ok one launch of each of 1 in one pass, and replayed in 7 passes' '  with the bytes of DRAM'
is "$(fact counters_range)" '126 counters in 8 passes, each of another launch' '  as the run says'
contains "$run/variants.csv" 'Its counters are of one launch: those of memory, caches and time without' \
    '  and its kernel'
is "$(column "$run/counters.csv" variant status | sort -u | grep -v 'ok$' | tr '\t' ' ' |
    cut -c 1-66)" \
    'mul-float absent: replaying the launch would falsify it; it did no' \
    '  what does not fit into that pass is absent'
is "$(cells kernels 'variant sampled_launches counts_status')" \
    'add,20,ok product,12,ok mul-float,1,absent: the counts of this function are at product ' \
    'instructions are of functions: one kernel has them'
is "$(cells kernels 'variant samples_status')" \
    'add,ok product,ok mul-float,absent: the samples of this function are at product ' \
    '  and the samples, too'
is "$(cells lines 'kernel pc shared_wavefronts samples stalls' | tr ' ' '\n' | sed -n 2p)" \
    '0,16,128,35,long_scoreboard=30/22' '  counts and samples are joined'
contains "$work/err" 'rank  launches' 'the kernels are printed on stderr'
contains "$work/err" ' watched/mul<float>' '  with their template arguments as they are written'
contains "$work/err" "whyfast lines $run watched/add" '  and the names to type'
contains "$work/err" "  $program report $run" '  with the next command'
contains "$work/err" 'about 6 more follow in about 6 s: 1 for times and stalls, 3 for counters, 2 for' \
    '  and before, how many starts follow'
is "$(grep -cE 'rank +launches +total' "$work/err")" 2 '  and the times of the first one'
contains "$work/err" '3 kernels take 100 % of the time of all kernels of the program; 1 other is ' \
    '  what part of the time was chosen'

# ---- everything else works on the run ------------------------------------------------------------

expect 0 'the run is reported' "$WHYFAST" report "$run"
says "try next: $WHYFAST explain $run    (its kernels, and how to explain two of them)" \
    '  and what to try next'
is "$(ls "$run/output" | wc -l)" 12 '  and keeps the output'
contains "$run/index.html" '<h1>The kernels of watched</h1>' '  with a page'
contains "$run/ladder-watched.html" 'A launch of add takes' '  and one for its kernels'
expect 0 'lines are shown' "$WHYFAST" lines "$run" watched/add
contains "$work/out" 'size as run' '  of no size'
expect 0 'a piece of a name' "$WHYFAST" lines "$run" dd
contains "$work/out" 'add, size as run' '  is enough'
expect 0 'a piece as it is written in the program' "$WHYFAST" conflicts "$run" 'ul-flo'
expect 2 'a piece of several full names' "$WHYFAST" conflicts "$run" 'UL< flo'
says 'matches several variants: watched/product, watched/mul-float; name one' \
    '  is answered with the candidates'
expect 2 'no piece of a name' "$WHYFAST" conflicts "$run" nowhere
says "has no kernel of a variant 'nowhere'" '  is answered as before'
expect 0 'kernels are listed' "$WHYFAST" explain "$run"
contains "$work/out" 'The run has no steps.' '  without steps'
contains "$work/out" " watched/add watched/product'" '  and with two of them to explain'
expect 0 'runs are compared' "$WHYFAST" compare "$run" "$run" watched/add
contains "$work/out" '0 slower, 0 faster, 1 without evidence' '  by their times'

cp -R "$run" "$work/other"
sed -i 's/watched,mul-float,/watched,mul-float.g32,/' "$work/other"/*.csv
expect 0 'runs with different names of a kernel are compared' "$WHYFAST" compare "$run" "$work/other"
says 'watched/mul-float.g32 of the second run is watched/mul-float of the first' '  which is said'
contains "$work/out" '0 slower, 0 faster, 2 without evidence' '  as one kernel'
expect 7 '  which a piece of its name names' "$WHYFAST" compare "$work/other" "$run" 'l-float.g'
says 'no point was measured in both runs' '    of one launch, which gives no interval'

fake run --no-counters -o "$run" -- "$watched"
ends 0 'a run takes the place of an earlier one'
is "$(ls "$run/output" | wc -l)" 2 '  with its output'

# ---- very many blocks ----------------------------------------------------------------------------

run_it --no-counters -- "$watched" blocks
ends 0 'a kernel of very many blocks'
is "$(cells series 'variant kind copy samples')" \
    'add,activity_alone,a,20 add,activity_alone,b,20 product,activity,a,12 product,activity,b,12 '"\
"'mul-float,activity,a,1 mul-float,activity,b,1 ' '  is timed with the kernels one at a time'
is "$(fact program_starts)" 4 '  in two more starts'
expect 0 '  and is reported' "$WHYFAST" report "$run"
contains "$run/ladder-watched.html" '100.0&nbsp;µs. ' '  with these times'

# ---- knock-outs ----------------------------------------------------------------------------------

run_it --knockout -- "$watched"
ends 0 'costs are to be knocked out'
is "$(cells knockouts 'variant knockout status')" \
    'add,nothing,absent: its machine code was not found product,nothing,absent: its machine code '"\
"'was not found mul-float,nothing,absent: its machine code was not found ' \
    '  each kernel says why nothing can be'
is "$(fact program_starts)" 7 '  there is no start for nothing'
contains "$work/err" 'without  patched  left' '  and the table is printed'
for time in 120000 20000; do
    { head -n 1 "$run/knockouts.csv" && echo "watched,add,as_run,0,0,0,0,add,nothing,no cost,0,0,,15,\
$time,0,-1,1"; } >"$work/changed.csv" && cp "$work/changed.csv" "$run/knockouts.csv"
    expect 0 "  a time of $time ns" "$WHYFAST" knockout "$run"
    mv "$work/out" "$work/$time"
done
contains "$work/120000" 'what the method itself costs' '    is about what the program has'
contains "$work/20000" 'in the program it takes 100.0 µs: clock, caches or inputs differ' '    is another'

# ---- replay --------------------------------------------------------------------------------------

for word in replay_prints replay_refused; do
    run_it -- "$watched" $word
    contains "$work/err" 'in more starts, because their launches could not be replayed' \
        "what cannot be replayed ($word)"
    is "$(fact program_repeats | sed 's/ without replay$//')" \
        'yes: status and output are the same in all later starts' \
        '  does not mean that the program does not repeat itself'
    is "$(fact program_starts) $(column "$run/counters.csv" variant passes status | sort -u |
        tr '\t\n' '  ')" '14 add 8 ok mul-float 8 ok product 8 ok ' \
        '  has each launch in one pass, in more starts'
    is "$(column "$run/counters.csv" variant repeat | sort -u | tr '\t\n' '  ')" \
        'add 0 mul-float 0 product 0 ' '  and one value of each counter'
done
replay=
run_it -- "$watched"
is "$(fact program_starts) $(column "$run/counters.csv" passes status | sort -u | tr '\t' ' ')" \
    '12 8 ok' 'nothing is replayed unless that is asked for'
replay=--replay-launches
run_it --kernel mul --range '^$' -- "$watched"
is "$(fact program_starts)" 5 'one kernel with one launch takes five starts'
contains "$work/err" '2 for counters, 1 for instructions' '  as planned'

export FAKE_STATE=slow_host
run_it -- "$watched"
unset FAKE_STATE
is "$(fact program_starts)" 5 'a start of 20 s is too long for the instructions of one kernel'
contains "$run/kernels.csv" 'absent: a start of the program takes too long (--budget counts them)' \
    '  which are absent with that reason'
contains "$work/err" '0 for instructions (--budget S allows for them)' '  is said'

# ---- limits --------------------------------------------------------------------------------------

run_it --budget 0.5 -- "$watched"
is "$(fact program_starts) $(column "$run/counters.csv" status | sort -u)" \
    '1 absent: 0 of 8 passes came: there was no time for the start (--budget)' \
    'a limit that only the first start keeps to'
is "$(cells kernels 'variant samples_status counts_status' | cut -c 1-69)" \
    'add,ok,absent: there was no time for the start (--budget) product,ok,' \
    '  leaves stalls, and the rest absent with that reason'
contains "$work/err" 'about 6 more follow in about 6 s, as far as 0.5 s allow' '  is said'
run_it --budget 6 --kernel mul --range '^$' -- "$watched"
is "$(fact program_starts) $(column "$run/counters.csv" status | sort -u | head -n 1 | cut -c 1-20)" \
    '5 absent: replaying th' 'a limit with time for all starts changes nothing'
run_it --kernel 'add|tiny' -- "$watched"
is "$(cells kernels 'variant counts_status' | sed 's/.*tiny,//')" \
    'absent: the kernel takes less than 2 % of the selected time (--kernel can choose it alone) ' \
    'a minor kernel has no start of its own'
is "$(fact program_starts) $(column "$run/counters.csv" variant status | grep -c '^tiny.*absent')" \
    '4 126' '  neither for counters'

run_it --kernel 'add|tiny' --knockout -- "$watched"
is "$(cells kernels 'variant counts_status') $(fact program_starts)" 'add,ok tiny,ok  5' \
    '  but for a knock-out that --kernel asks for'

# ---- ceilings ------------------------------------------------------------------------------------

# kept: prints where the ceilings are kept, by the run before, or nothing if they were measured.
kept() { sed -n 's/.*ceilings of this board were measured at .* and kept in //p' "$work/err"; }
run_it -v --once -- "$watched"
names=$(cut -d , -f 1 "$run/ceilings.csv")
file=$(kept)
is "$(test -s "$file" && echo kept)" kept 'the ceilings of the board are kept'
is "$(fact ceilings_date | cut -c 1-2)" 20 '  and the run says when they were measured'
expect 0 '  and can be reported' "$WHYFAST" report "$run"
printf x | dd of="$file" bs=1 seek=100 conv=notrunc 2>/dev/null
run_it -v --once -- "$watched"
is "$(kept)$(fact ceilings_date)" '' '  a damaged file is not used'
run_it -v --once -- "$watched"
is "$(kept)" "$file" '  but replaced'
is "$(cut -d , -f 1 "$run/ceilings.csv")" "$names" '  with all ceilings'
head -c 3000 "$file" >"$work/cut" && cp "$work/cut" "$file"
run_it -v --once -- "$watched"
is "$(kept)" '' '  a file that was cut is not used'

# ---- choice --------------------------------------------------------------------------------------

run_it -q --once --json -- "$watched"
is "$(head -c 44 "$work/err")" '{"schema":"whyfast.run/1","kernels":[{"rank"' 'JSON is printed, too, if asked for'
contains "$work/err" '"kernel":"watched/add"' '  with each kernel'
run_it --once -- "$watched"
ends 0 'one start'
is "$(fact program_starts) $(fact program_repeats)" '1 absent: started once' '  is enough'
is "$(column "$run/counters.csv" status | sort -u)" \
    'absent: the program was started once (--once)' \
    '  counters are absent, with the reason'
run_it --no-counters --kernel 'mul|tiny' --no-arguments --bytes 'mul=4*2^20' -- "$watched" secret
ends 0 'kernels by name'
is "$(cells points 'variant useful_bytes')" 'product,4194304 mul-float,4194304 tiny, ' \
    '  as few as they are, with useful bytes'
is "$(fact program) $(fact program_starts)" 'absent: hidden by --no-arguments 2' \
    '  the command line is hidden'
run_it --no-counters --range '^step #$' --skip 5 --count 3 -- "$watched"
is "$(cells series 'variant copy samples')" 'add,a,3 add,b,3 ' 'launches by range and number'
contains "$run/variants.csv" 'in the NVTX range step #' '  which are named'
contains "$work/err" '1 kernel is asked for and takes 69 % of the time of all kernels of the ' \
    '  their part is that of all kernels of the program'
contains "$work/err" 'program; 3 others are not' '  and what is left out was not asked for'
run_it --no-counters --kernel add --by range -- "$watched"
contains "$run/variants.csv" 'in the NVTX range step #' 'launches are told apart by range if asked'
run_it --no-counters --kernel '^mul-float$' -- "$watched"
is "$(cells points variant) $(grep -c 'NVTX range step' "$run/variants.csv")" \
    'product mul-float  0' '  else by shape; a name as printed names a kernel'
run_it --no-counters --process 1 -- "$watched" child
is "$(cells points 'family variant')" 'watched-p2,add ' 'one process'
run_it --kernel add -- "$watched" child
is "$(cells points 'family variant')" 'watched,add watched-p2,add ' 'two processes'
is "$(column "$run/counters.csv" status | sort -u) $(fact program_starts)" 'ok 6' \
    '  have their counters in starts of their own'
run_it -- "$watched" graph
is "$(column "$run/counters.csv" variant status | sed -n 's/^add\t//p' | sort -u)" \
    'absent: a CUDA graph launched the kernel: CUPTI 13 has no counters of one pass for it' \
    'nodes of a graph have no counters'

run_it --no-counters -- "$watched" modes
contains "$run/variants.csv" \
    'Its times have two modes: 10 launches take about 100.0 µs, and 10 about 200.0 µs.' \
    'times in two modes are told'
is "$(grep -c 'two modes' "$run/variants.csv")" 2 '  of two kernels, and not of one launch'

# ---- programs that do not repeat themselves ------------------------------------------------------

run_it -- "$watched" random
contains "$work/err" 'the program does not repeat itself: start 3 printed something else than ' \
    'another output is noticed'
contains "$work/err" 'start 2, from line 1 on (output/1.stdout, output/2.stdout), and so did ' \
    '  in one sentence, with its first line'
is "$(fact program_repeats | grep -o 'printed something else' | wc -l)" 1 '    and no other'
is "$(fact program_repeats | cut -c 1-4)" 'no: ' '  and recorded'
run_it -- "$watched" fewer=3
contains "$run/series.csv" '3 launches, where the first start had 20' 'fewer launches are told'
is "$(column "$run/counters.csv" variant status | sed -n 's/^add\t//p' | sort -u)" \
    ok '  and passes of counters that they lack are made up for in later starts'
run_it -- "$watched" fewer=1
is "$(column "$run/counters.csv" variant status | sed -n 's/^add\t//p' | sort -u)" \
    'absent: 0 of 8 passes came: the starts with counters did not launch the kernel as the first '"\
"'start did' '  or are absent'
run_it --kernel add -- "$watched" fewer=3
is "$(column "$run/counters.csv" status | sort -u) $(fact program_starts)" 'ok 7' \
    '  in as many starts as that takes'

# ---- what CUPTI refuses --------------------------------------------------------------------------

run_it -- "$watched" refused
ends 0 'a program whose counters are refused'
is "$(column "$run/counters.csv" status | sort -u)" 'absent: refused in counters' \
    '  has the reason in place of the counters'
is "$(cells kernels 'samples_status counts_status' | sed 's/ absent: r/\nabsent: r/g' |
    head -n 1)" \
    'absent: refused in samples,absent: refused in counts' '  of the samples and the counts'
is "$(cells points 'variant status')" 'add,ok product,ok mul-float,ok ' '  and its times'
expect 0 '  and can be reported' "$WHYFAST" report "$run"

run_it --no-counters -- "$watched" dropped
contains "$work/err" 'launches are missing: refused in times' 'lost records of kernels are told'
is "$(column "$run/series.csv" stop_reason | sort -u)" 'refused in times' '  and recorded'

# ---- input and output ----------------------------------------------------------------------------

: >"$FAKE_LOG"
rm -rf "$run"
printf 'some input\n' | "$program" run -o "$run" -- "$watched" echo >"$work/out" 2>"$work/err"
is "$(cat "$work/out")" "$(printf 'some input\ndone')" 'a pipe is passed on'
is "$(cat "$run"/output/*.stdout | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" '11 11 ' \
    '  and given again to eleven later starts'
rm -rf "$run"
printf 'in a file\n' >"$work/in"
"$program" run -o "$run" -- "$watched" echo >"$work/out" 2>"$work/err" <"$work/in"
is "$(head -n 1 "$run/output/5.stdout")" 'in a file' 'a file is given again'
rm -rf "$run"
"$program" run -o "$run" -- "$watched" close <&- >"$work/out" 2>"$work/err"
is "$? $(fact program_status)" '0 0' 'closed descriptors do no harm'
run_it -- "$watched" crash
ends 139 'a signal gives 128 and its number'
is "$(cells points variant)" 'add product mul-float ' '  and what was recorded stays'

# ---- a full disk ---------------------------------------------------------------------------------

run_it --no-counters -- "$watched" unwritten
ends 0 'records that could not be written'
contains "$work/err" 'start 1: records of the kernels are missing, because they could not be ' \
    '  are told'
contains "$work/err" 'written: No space left on device' '  with the reason'

# on_small_disk KIB ARGUMENT: runs the program on a disk of its own, which ends with the shell. The
# names that are left there are in $work/there.
small=$work/small
mkdir "$small"
on_small_disk() {
    : >"$FAKE_LOG"
    status=0
    unshare -rm sh -c 'mount -t tmpfs -o size="$1"k none "$2" || exit 1
        there=$2
        names=$3
        shift 3
        "$@"
        status=$?
        ls -A "$there" >"$names"
        exit $status' sh "$1" "$small" "$work/there" "$program" run -o "$small/run" -- "$watched" \
        "fill=$small/full" echo "$2" >"$work/out" 2>"$work/err" <"$work/in" || status=$?
}
printf 'some input\n' >"$work/in"
if unshare -rm mount -t tmpfs none "$small" 2>/dev/null; then
    on_small_disk 1000 exit=0
    ends 125 'a program that fills the disk'
    contains "$work/err" 'No space left on device' '  is told'
    is "$(cat "$work/out")" "$(printf 'some input\ndone')" '  its output is whole'
    is "$(cat "$work/there")" full '  its file stays, and nothing else'
    on_small_disk 1000 exit=7
    ends 7 '  a failure of its own comes first'
    on_small_disk 4 exit=0
    ends 125 'a disk without any room'
    contains "$work/err" 'No space left on device' '  is told'
else
    skip 'no disk can be mounted here'
fi

# ---- refused -------------------------------------------------------------------------------------

# refuses STATUS WORDS NAME COMMAND...: passes if it ends so, says so, and leaves no run.
refuses() {
    wanted=$1
    words=$2
    name=$3
    shift 3
    rm -rf "$run"
    fake "$@"
    ends "$wanted" "$name"
    contains "$work/err" "$words" '  says so'
    is "$(ls -d "$run" "$run.part" 2>/dev/null)" '' '  leaves nothing'
}
refuses 125 'launched no kernel' 'a program without CUDA' run -o "$run" -- "$watched" none
refuses 3 'launched no kernel' '  keeps a status of its own' run -o "$run" -- "$watched" none exit=3
refuses 125 'were not recorded' 'a program whose records could not be written' run -o "$run" -- \
    "$watched" unwritten none
refuses 125 'refused in launches' 'a program that another tool watches' run -o "$run" -- \
    "$watched" busy
refuses 125 'none of the 4 kernels' 'a name that no kernel has' run -o "$run" --kernel nothing -- \
    "$watched"
contains "$work/err" 'is asked for; the names are, in order: add, mul<float>, tiny' '  names them'
refuses 125 'the NVTX ranges are, in order: step #, whyfast|product|1024|4194304, none' \
    'a range that no launch has' run -o "$run" --range nothing -- "$watched"
refuses 125 '--kernel' 'a damaged expression' run -o "$run" --kernel '(' -- "$watched"
refuses 125 '--by: expected range or operator' 'another way to tell apart' run -o "$run" --by size -- \
    "$watched"
refuses 125 'expected KERNEL=NUMBER' 'bytes without a number' run -o "$run" --bytes add -- \
    "$watched"
refuses 125 'expected a program' 'no program' run -o "$run"
refuses 125 "did you mean '--once'" 'a typo' run --onc -- "$watched"
refuses 127 'no such program on the PATH' 'an unknown program' run -o "$run" -- no-such-program
refuses 127 'the name of the program is empty' 'no name' run -o "$run" -- ''
refuses 127 'No such file' 'a missing file' run -o "$run" -- ./no-such-program
refuses 126 'not executable' 'a file that is no program' run -o "$run" -- "$ROOT/README.md"
cp "$watched" "$work/privileged"
chmod u+s "$work/privileged"
refuses 126 'no library can be loaded' 'a set-user-ID program' run -o "$run" -- "$work/privileged"
mkdir "$work/alone"
cp "$program" "$program-gpu" "$BUILD"/fake/lib[cn][uv]*.so.* "$work/alone"
rm -rf "$run"
"$work/alone/whyfast" run -o "$run" -- "$watched" >/dev/null 2>"$work/err"
is "$?" 125 'a program without its library'
contains "$work/err" 'libwhyfast_inject.so is neither beside' '  says so'
expect 125 'without a GPU' "$WHYFAST" run -o "$run" -- "$watched"

# ---- hostile names -------------------------------------------------------------------------------

name="$work/odd <b> \$(touch x) .py"
cp "$watched" "$name"
run_it --no-counters -- "$name" '<script>' '"quoted"'
ends 0 'odd names are names'
expect 0 '  and can be reported' "$WHYFAST" report "$run"
is "$(grep -c '<script>"' "$run/index.html")" 0 '  as text'

run_it --no-counters --kernel . -- "$watched" odd
ends 0 'an odd name of a kernel'
is "$(cells points variant)" 'add product mul-float f-4 ' '  is a plain word'
expect 0 '  and can be reported' "$WHYFAST" report "$run"
expect 4 '  and asked for by a piece' "$WHYFAST" explain "$run" 'odd<"q' mul
says 'has no ledger of watched/f-4' '    which says what it lacks'
expect 0 '  as JSON' "$WHYFAST" conflicts "$run" 'ODD<"q", ' --json

# ---- interrupted ---------------------------------------------------------------------------------

rm -rf "$run"
# timeout alone would send a second signal, to its group, which ends whyfast at once.
timeout --foreground -s INT 1 "$program" run -o "$run" -- "$watched" hang >/dev/null 2>"$work/err"
status=$?
contains "$work/err" 'interrupted; nothing was kept' 'Ctrl-C during a later start'
is "$(ls -d "$run" "$run.part" 2>/dev/null)" '' '  leaves nothing'
if [ -n "${DEEP:-}" ]; then
    run_it --no-counters -- "$watched" hang
    contains "$work/err" 'start 2 took too long' 'a later start that hangs is ended'
fi
finish
