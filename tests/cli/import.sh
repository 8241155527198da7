#!/bin/sh
# Tests reports of Nsight Compute: 'whyfast import', reports in the place of runs, 'whyfast doctor'
# of a report, and 'whyfast sections'. The reports are written here, with whole numbers only.
. "${ROOT:-.}/tests/tap.sh"
unset COLUMNS
cd "$work" || exit 1

# report [VARIABLE=VALUE...]: prints a report of two kernels, slow and fast, as hexadecimal digits on
# stdin of an awk program become bytes. broken=1 has shares of 300 %, dram=N uses N % of DRAM, and
# shared=N has N wavefronts of shared memory, with waits for a short scoreboard; launches=N
# has N of each kernel.
report() {
    for assignment; do set -- "$@" -v "$assignment"; shift; done
    awk "$@" '
        function hex(n) { return sprintf("%02x", n) }
        function varint(n,  out) {
            for (; n > 127; n = int(n / 128)) out = out hex(n % 128 + 128)
            return out hex(n)
        }
        function string(s,  i, out) {
            for (i = 1; i <= length(s); i++) out = out hex(byte[substr(s, i, 1)])
            return out
        }
        function number(field, n) { return varint(field * 8) varint(n) }
        function bytes(field, h) { return varint(field * 8 + 2) varint(length(h) / 2) h }
        function entry(h,  n) {
            n = length(h) / 2
            return hex(n % 256) hex(int(n / 256) % 256) hex(int(n / 65536)) "00" h
        }
        function metric(name, value, instances) {
            if (!(name in place)) {
                place[name] = names++
                table = table bytes(1, string(name))
            }
            return bytes(13, number(1, place[name]) bytes(2, number(5, value)) instances)
        }
        function opcode(name, n) {
            return bytes(3, bytes(1, bytes(1, string(name))) bytes(2, number(5, n)))
        }
        function launch(kernel, ns, loads, waits,  h) {
            h = bytes(5, string(kernel)) bytes(6, string(kernel)) bytes(7, string(kernel "(float *)")) \
                bytes(10, number(1, 64) number(2, 1) number(3, 1)) \
                bytes(11, number(1, 256) number(2, 1) number(3, 1)) \
                metric("gpu__time_duration.sum", ns) \
                metric("sm__cycles_elapsed.avg.per_second", 1000000000) \
                metric("sm__cycles_active.avg", ns) metric("sm__cycles_active.max", ns) \
                metric("gpc__cycles_elapsed.max", ns) \
                metric("smsp__inst_executed.sum", 4000 + 10 * loads) \
                metric("sm__warps_active.avg.per_cycle_active", 16) \
                metric("launch__registers_per_thread", 32) metric("launch__grid_size", 64) \
                metric("launch__block_size", 256) metric("launch__occupancy_limit_warps", 8) \
                metric("device__attribute_multiprocessor_count", 10) \
                metric("device__attribute_num_schedulers_per_multiprocessor", 4) \
                metric("device__attribute_compute_capability_major", 9) \
                metric("device__attribute_compute_capability_minor", 0) \
                metric("device__attribute_max_threads_per_multiprocessor", 2048) \
                metric("sass__inst_executed_per_opcode", 4000, opcode("LDG", loads) opcode("FADD", 9)) \
                metric("sm__throughput.avg.pct_of_peak_sustained_elapsed", broken ? 300 : 30) \
                metric("gpc_sm__throughput.avg.pct_of_peak_sustained_elapsed", broken ? 300 : 30) \
                metric("smsp__average_warps_issue_stalled_" (shared == "" ? "long" : "short") \
                    "_scoreboard_per_issue_active.ratio", waits) \
                metric("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 1)
            if (shared != "") h = h metric("memory_l1_wavefronts_shared", shared)
            if (dram) h = h metric("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", dram) \
                metric("dram__cycles_elapsed.avg.per_second", 1000000000) \
                metric("device__attribute_global_memory_bus_width", 1024) \
                metric("device__attribute_memory_clock_rate", 1000000)
            return h
        }
        function block(names, h, process) {
            process = bytes(6, bytes(3, string("/opt/programs/" program)))
            return entry(number(2, h != "") bytes(4, names) number(5, h == "" ? 0 : length(h) / 2 + 4) \
                process) (h == "" ? "" : entry(h))
        }
        BEGIN {
            for (i = 32; i < 127; i++) byte[sprintf("%c", i)] = i
            if (program == "") program = "sums"
            if (!scale) scale = 1
            for (i = 0; i < (launches ? launches : 1); i++)
                all = all block("", launch("slow", 40000 * scale + i, 800, 100)) \
                    block("", launch("fast", 20000 * scale + i, 200, 40))
            h = "4e565200" entry(number(1, 7)) block(table, "") all
            for (i = 1; i <= length(h); i += 2) printf "%s\n", substr(h, i, 2)
        }' </dev/null |
        while read -r digits; do printf '%b' "\\0$(printf '%o' "0x$digits")"; done
}
report >a.ncu-rep
report scale=0.5 >b.ncu-rep
report broken=1 >broken.ncu-rep
report dram=90 >bound.ncu-rep
report shared=0 >special.ncu-rep
report shared=9 >shared.ncu-rep

# ---- import --------------------------------------------------------------------------------------

expect 0 'a report becomes a run' "$WHYFAST" import a.ncu-rep -o run
says "whyfast: times are Nsight Compute's, of replayed launches, taken as known within 2.5 %" \
    '  and says whose times it has, and that there is no noise floor'
says 'absent counts are found by waits or not at all' '  and that it lacks counts'
is "$(grep '^whyfast: ' "$work/err" | awk 'length > 100' | wc -l)" 0 '  in lines of 100 columns'
is "$(sed -n 's/^imported_unseen: //p' run/run.txt | tr ':,' '\n\n' | sed '1d;s/^ //' | sort |
    uniq -d)" '' '  each of which once'
contains run/run.txt ' bank conflicts, ' '  such as bank conflicts'
expect 0 'more of it' "$WHYFAST" import -v a.ncu-rep -o run
says 'a.ncu-rep: times are those of Nsight Compute' '  says which version it was'
says 'fewer than twelve launches has no noise floor' '  and why there is no noise floor'
says ' bank conflicts, ' '  and what it has no counts of'
is "$(cut -d , -f 1-2,7 run/samples.csv 2>/dev/null | sed 1d | tr '\n' ' ')" \
    'sums,slow,as_run sums,fast,as_run ' '  as variants of its program'
expect 0 'explain reads the run' "$WHYFAST" explain run slow fast
prints '2.00× faster' '  with the change of the time'
prints 'global-load latency' '  and its cause'
prints '; a.ncu-rep:' '  and with whose times they are'
expect 2 'a run needs a place' "$WHYFAST" import a.ncu-rep
says '-o names the run' '  which -o names'
expect 2 'import without a report' "$WHYFAST" import -o other
expect 4 'a file that is not there' "$WHYFAST" import nowhere.ncu-rep -o other
is "$(ls -d other* 2>/dev/null)" '' '  leaves nothing'
expect 4 'no data of the program' env WHYFAST_DATA=/nowhere "$WHYFAST" import a.ncu-rep -o other
says 'it is now /nowhere' '  names where they were looked for'
expect 4 'nor for sections' env WHYFAST_DATA=/nowhere "$WHYFAST" sections
expect 4 'nor for doctor' env WHYFAST_DATA=/nowhere "$WHYFAST" doctor a.ncu-rep

# Without counts of bytes, the use of DRAM tells that it limits a kernel, and how much it moved.
expect 0 'kernels that DRAM limits' "$WHYFAST" import bound.ncu-rep -o bound
is "$(grep -cE '^ .* DRAM +sums/|^ .* DRAM$' "$work/err")" 2 '  are said to be limited by it'
expect 0 'the difference of two of them' "$WHYFAST" explain -q bound slow fast
prints '100 % from DRAM bytes (−50 %)' '  is that of the bytes'
prints 'sums/fast: DRAM, busy 90 % of the time, limits it' '  and what is left is limited by DRAM'
prints ' 8  exposed global-load latency, at most' '  so that waits promise no more than it leaves'

# Without machine code, what does not access shared memory does not wait for it.
expect 0 'waits for a short scoreboard' "$WHYFAST" explain -q shared.ncu-rep slow fast
prints 'waiting for shared memory' '  are for shared memory'
expect 0 'without any access to it' "$WHYFAST" explain -q special.ncu-rep slow fast
prints 'special functions and conversions' '  for a special unit'
is "$(grep -c 'shared memory' "$work/out")" 0 '  and not for shared memory'

# ---- in the place of a run -----------------------------------------------------------------------

expect 0 'two kernels of a report' "$WHYFAST" explain a.ncu-rep slow fast
says "times are Nsight Compute's" '  whose times are told'
prints '2.00× faster' '  are explained'
prints 'Report a.ncu-rep (' '  and the report is named'
expect 0 'a kernel in two reports' "$WHYFAST" explain a.ncu-rep b.ncu-rep slow
prints '40.00 µs -> 20.00 µs' '  is compared'
is "$(grep -c "times are Nsight Compute's" "$work/err")" 1 '  and whose times they are is told once'
expect 0 'the steps of a report' "$WHYFAST" explain "$work/a.ncu-rep"
prints "'whyfast explain $work/a.ncu-rep sums/slow sums/fast'" '  name it as it was typed'
expect 2 'one kernel of a report' "$WHYFAST" explain run fast
says 'fast is of a report, whose kernels have no order; name the one to compare it with' \
    '  is compared with nothing'
expect 4 'no timeline of a report' "$WHYFAST" timeline a.ncu-rep
says 'a.ncu-rep: a report of Nsight Compute has no times of stages' '  as it has no such times'
expect 2 'lines without a kernel' "$WHYFAST" lines a.ncu-rep
says 'variants of a.ncu-rep: sums/slow, sums/fast' '  names the kernels'
expect 0 'lines of a report' "$WHYFAST" lines a.ncu-rep slow
prints 'absent: the report has no values of instructions' '  which has none'
expect 0 'conflicts of a report' "$WHYFAST" conflicts a.ncu-rep
prints 'could not be counted: the report has no value of' '  says what is lacking'
expect 7 'compare takes two reports' "$WHYFAST" compare a.ncu-rep b.ncu-rep
prints 'sums/slow as run; fewer than six samples' '  whose launches are too few'
expect 7 'verify takes two reports' "$WHYFAST" verify a.ncu-rep b.ncu-rep
prints 'not comparable: no point was measured often enough in both runs' \
    '  whose launches are too few, too'
report launches=12 >often.ncu-rep
report launches=12 scale=0.5 >faster.ncu-rep
expect 0 'a report with many launches' "$WHYFAST" import often.ncu-rep -o often
is "$(awk '$2 == 12 { print $NF, $2, $3, $5 }' "$work/err")" 'sums/slow 12 480.1 66.7
sums/fast 12 240.1 33.3' '  counts all of them'
expect 0 'verify of reports with many launches' "$WHYFAST" verify often.ncu-rep faster.ncu-rep
prints 'faster: 0 slower, 2 faster' '  says which is faster'
prints '2.00× faster, 20.00 µs saved: ' '  and by what'
expect 0 'the same as JSON' "$WHYFAST" compare --json often.ncu-rep faster.ncu-rep
expect 1 'the slower one as the candidate' "$WHYFAST" verify faster.ncu-rep often.ncu-rep
expect 6 'a report and itself' "$WHYFAST" verify often.ncu-rep often.ncu-rep
expect 2 'a page needs a place' "$WHYFAST" report a.ncu-rep
says '-o names the directory' '  which -o names'
expect 0 'a page of a report' "$WHYFAST" report -q a.ncu-rep -o page
contains page/index.html '<b>Reports of Nsight Compute</b>: a.ncu-rep: times are those of' \
    '  says whose times it has'
contains page/index.html 'The kernels of sums' '  and lists its kernels'
expect 2 'evaluate would change the report' "$WHYFAST" evaluate a.ncu-rep
says "'whyfast import a.ncu-rep -o RUN' makes one" '  and says what to do'
TMPDIR=$work/temporary
export TMPDIR
mkdir "$TMPDIR"
expect 0 'a report leaves nothing behind' "$WHYFAST" explain -q a.ncu-rep slow fast
is "$(ls "$TMPDIR")" '' '  in the temporary directory'
is "$(cat "$work/err")" '' '  and is silent with -q'

# ---- compressed and damaged ----------------------------------------------------------------------

if command -v zstd >/dev/null; then
    zstd -q a.ncu-rep -o a.ncu-repz
    expect 0 'a compressed report' "$WHYFAST" explain a.ncu-repz slow fast
    prints '2.00× faster' '  reads like the other'
else
    skip 'zstd is not on the PATH'
fi
head -c 700 a.ncu-rep >cut.ncu-rep
expect 4 'a cut report' "$WHYFAST" explain cut.ncu-rep slow fast
says 'cut.ncu-rep: is damaged at byte' '  is damaged'
is "$(ls "$TMPDIR")" '' '  of which nothing is left'

# ---- doctor and sections -------------------------------------------------------------------------

expect 0 'doctor of a report' "$WHYFAST" doctor a.ncu-rep
prints 'clocks     ok' '  judges its clocks'
prints 'sections   note' '  names what is missing'
prints 'caches     skipped' '  and what it cannot know'
prints 'agreement  skipped' '  such as whether instructions agree that were not counted twice'
prints 'samples    skipped' '  whether samples were dropped that were not taken'
prints 'device     skipped' '  and of which device it is'
expect 1 'doctor of a report with an impossible value' "$WHYFAST" doctor broken.ncu-rep
prints 'above 100 %, such as gpc_sm__throughput.avg.pct_of_peak_sustained_elapsed (300)' \
    '  names it'
prints ', sm__throughput.avg.pct_of_peak_sustained_elapsed' '  and one whose name ends another one'
expect 0 'the findings as JSON' "$WHYFAST" doctor a.ncu-rep --json
json_valid "$work/out"
expect 4 'doctor of a damaged report' "$WHYFAST" doctor cut.ncu-rep
expect 0 'a section file' "$WHYFAST" sections
prints '    Name: "smsp__issue_active.sum"' '  collects what counters are made from'
is "$(grep 'Name:' "$work/out" | sort | uniq -d)" '' '  each once'
expect 0 'in a directory' "$WHYFAST" sections -o folder
says 'wrote folder/Whyfast.section; collect it with: ncu --section-folder folder' '  says how it is used'
cmp -s "$work/folder/Whyfast.section" "$work/sections" || "$WHYFAST" sections >"$work/sections"
is "$(cmp "$work/folder/Whyfast.section" "$work/sections" 2>&1)" '' '  it is the same'
finish
