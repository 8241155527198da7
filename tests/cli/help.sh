#!/bin/sh
# Tests the command line: help, the manual page, lists, and the messages for typos.
. "${ROOT:-.}/tests/tap.sh"

commands='list new measure collect knockout launch probe run evaluate explain plot report open lines
    conflicts timeline compare diff verify bisect merge import sections boards doctor selftest mcp skill
    help version'

# ---- help ----------------------------------------------------------------------------------------

expect 2 'no command is a usage error' "$WHYFAST"
says 'usage: whyfast COMMAND' '  and says how it is used'
is "$(wc -c <"$work/out")" 0 '  on stderr'
is "$(grep -c "^  $WHYFAST " "$work/err")" 3 '  with three commands to start with'
says "  $WHYFAST explain gemm/06" '  one of them'
mkdir -p "$work/called/build"
ln -s "$WHYFAST" "$work/called/build/whyfast"
for name in whyfast build/whyfast ./build/whyfast; do
    hint() { (cd "$work/called" && rm -rf demo && PATH=build:$PATH && "$name" "$@") >"$work/hint" 2>&1; }
    hint
    contains "$work/hint" "  $name explain gemm/06" "$name is named as it was called"
    hint xyzzy
    contains "$work/hint" "'$name help' names them all" '  in messages'
    hint explain "$(fixture_run)" reduce
    contains "$work/hint" "'$name explain" '  below an answer'
    has_variants || continue
    hint new demo
    contains "$work/hint" "  $name report demo/" '  for what is written'
    hint list nosuch/1
    contains "$work/hint" "'$name list' names them all" '  by the other program'
done
for word in help --help -h; do
    expect 0 "$word" "$WHYFAST" $word
    prints 'usage: whyfast COMMAND' "$word says how it is used"
done
for command in $commands; do
    contains "$work/out" "  $command " "the overview names $command"
done
is "$(sed -n '/^commands:/,/^$/p' "$work/out" | grep -c '^  [a-z]')" "$(echo "$commands" | wc -w)" \
    'this test knows every command'
for command in $commands; do
    expect 0 "$command --help" "$WHYFAST" "$command" --help
    prints "usage: whyfast $command" "$command --help names it"
    prints '--quiet' "$command --help names its options"
    cp "$work/out" "$work/first"
    expect 0 "help $command" "$WHYFAST" help "$command"
    is "$(cksum <"$work/out")" "$(cksum <"$work/first")" "help $command says the same"
done
# What an option does for another command is left out.
for command in $commands; do "$WHYFAST" help "$command" | sed -n '/^options:/,$p'; done >"$work/all"
none "$(looked grep -E "(^ *|; )($(echo $commands | tr -s ' \n' '|')others): " <"$work/all")" \
    'the help of an option is about the command alone'
# option_of COMMAND OPTION: prints its help in one line.
option_of() {
    "$WHYFAST" help "$1" | awk -v option="--$2" '/^  (-., |    )--/ { found = index($0, option " ") }
        found' | tr -s ' \n' ' '
}
is "$(option_of timeline output)" " -o, --output PATH the file of the trace, or '-' for stdout, the \
default unless that is a terminal " '  of timeline its trace'
is "$(option_of merge output)" ' -o, --output PATH a directory that does not exist ' \
    '  of merge a directory'
is "$(option_of report output | grep -c 'the directory of the run.*of a replay whyfast-report')" 1 \
    '  of report that of the run'
is "$(option_of probe from)" " --from FILE the output of 'probe counts' " "  of probe a file of counts"
is "$("$WHYFAST" help diff | tr -s ' \n' ' ' | grep -c 'needs no GPU; whyfast-gpu is needed neverth')" 1 \
    '  diff needs the other program'
is "$(option_of explain size | grep -c 'only one $')" 1 '  explain takes one size'
is "$(option_of compare size | grep -c 'or repeat --size $')" 1 '  compare several, but no range'
is "$(option_of report size | grep -c 'or repeat --size; a range')" 1 '  report a range'
# Help fits a terminal of 80 columns.
for command in $commands; do "$WHYFAST" help "$command"; done >"$work/all"
"$WHYFAST" help >>"$work/all"
PATH=${WHYFAST%/*}:$PATH whyfast 2>>"$work/all"
none "$(looked awk 'length($0) > 80' <"$work/all")" 'no line of help is wider than 80 columns'
none "$(looked grep ' $' <"$work/all")" '  and no option is without a text'
for word in lin line LINES; do
    expect 0 "help $word" "$WHYFAST" help $word
    prints 'usage: whyfast lines' '  describes the command that is meant'
done
expect 2 'help of a beginning of several' "$WHYFAST" help l
for word in version --version -V; do
    expect 0 "$word" "$WHYFAST" $word
    prints 'whyfast 0.' "$word prints a version"
done

# ---- typos ---------------------------------------------------------------------------------------

expect 2 'an unknown command' "$WHYFAST" reprot
says "there is no command 'reprot'; did you mean 'report'?" '  names the nearest'
is "$(wc -l <"$work/err")" 1 '  in one line'
expect 2 'a command like no other' "$WHYFAST" xyzzy
says "'whyfast help' names them all" '  says where they are listed'
for words in 'explain report' '--man explain'; do
    # shellcheck disable=SC2086 # words
    expect 2 "help $words" "$WHYFAST" help $words
    says 'help: expected one command or --man' '  is too much'
done
expect 2 'help of an unknown command' "$WHYFAST" help reprot
says "there is no command 'reprot'; did you mean 'report'?" '  names the nearest'
expect 2 'the beginning of a command' "$WHYFAST" expl
says "there is no command 'expl'; did you mean 'explain'?" '  names it'
expect 2 'a variant for a command' "$WHYFAST" gemm/11
says "there is no command 'gemm/11'; did you mean 'whyfast explain gemm/11'?" '  says what to type'
expect 2 'an unknown option' "$WHYFAST" report --outptu x
says "report has no option '--outptu'; did you mean '--output'?" '  names the nearest'
expect 2 'an unknown letter' "$WHYFAST" report -Z
says "report has no option '-Z'" '  says so'
expect 2 'an option of another command' "$WHYFAST" explain --samples 3 x
says "explain has no option '--samples', which is for measure, launch, report; 'whyfast help explain' names its options" \
    '  is said to be one'
expect 2 'an option without its value' "$WHYFAST" report --output
says '--output: expected PATH after it' '  says what is missing'
expect 2 'an empty value' "$WHYFAST" report --output=
says '--output: expected PATH' '  says so'
for value in '64,' ',64' '64,,128' ','; do
    expect 2 "--size $value" "$WHYFAST" report --replay "--size=$value"
    says '--size: a value is empty' '  says so'
done
expect 2 'a value for a flag' "$WHYFAST" report --replay=yes
says '--replay takes no value' '  says so'
for value in x 1x -1 '' 1.5 99999999999999999999; do
    expect 2 "--samples '$value'" "$WHYFAST" report "--samples=$value"
done
says '--samples: expected a whole number' '  says what was expected'
for value in x 0 -1 nan inf 1e999; do
    expect 2 "--seconds '$value'" "$WHYFAST" report "--seconds=$value"
done
says '--seconds: expected a number of seconds' '  says what was expected'
expect 2 'too many samples' "$WHYFAST" report --replay --samples 70000
says '--samples: expected a whole number from 1 to 65535' '  says the limits'
expect 2 "no sample at all" "$WHYFAST" report --replay --samples 0
says "found '0'" '  says so'
expect 2 'an operand for a command without' "$WHYFAST" version now
says "version takes no operand; found 'now'" '  says so'
expect 2 'evaluate without a run' "$WHYFAST" evaluate
says 'evaluate: expected one run directory' '  says what was expected'
expect 2 'too many operands' "$WHYFAST" explain a b c d e
says "explain: expected a variant, as in 'whyfast explain gemm/06'" '  says what was expected'

# ---- names ---------------------------------------------------------------------------------------

expect 0 'list' "$WHYFAST" list
prints 'reduce: Sum of 32-bit integers' '  names the families'
cp "$work/out" "$work/list"
for word in variants families kernels kernel Rungs ladders; do
    expect 0 "list $word" "$WHYFAST" list $word
    is "$(cat "$work/out")" "$(cat "$work/list")" '  is the same list'
done
expect 2 'a mistyped list' "$WHYFAST" list metrcs
says "there is no 'metrcs' to list; did you mean 'list metrics'?" '  names the nearest'
expect 0 'list --csv' "$WHYFAST" list --csv
is "$(head -n 1 "$work/out")" 'family,variant,rung,title,after,file' '  has a header'
expect 0 'list --json' "$WHYFAST" list --json
prints '{"schema":"whyfast.list/1","variants":[' '  names its schema'
for words in metrics bank_conflicts 'bank_conflicts dram_*'; do
    # shellcheck disable=SC2086 # words
    expect 0 "list --json $words" "$WHYFAST" list --json $words
    prints '{"schema":"whyfast.list.metrics/1","metrics":[{' '  names its schema'
done
expect 2 'list --csv --json' "$WHYFAST" list --csv --json
says 'list: --csv or --json, not both' '  takes one of them'
if has_variants; then
    expect 0 'list --csv' "$WHYFAST" list --csv
    variants=$(($(wc -l <"$work/out") - 1))
    is "$variants" "$({
        find "$ROOT/kernels" -maxdepth 2 -name '[0-9]*.cu'
        cat "$ROOT"/kernels/*/grid.cu | grep -oE '(^ *|[(])[0-9]{2}_[a-z0-9_]+,'
    } | wc -l)" '  names every file under kernels/, and every cell of a grid'
    expect 0 'list of a variant that computes' "$WHYFAST" list gemm/06_wide_loads
    is "$(grep -c '^ *printed .* 18.2 TFLOP/s$' "$work/out")" 1 \
        "  a source's figure in the unit of the family"
    expect 0 'list of a variant that is expected to fail' "$WHYFAST" list reduce/17_unsynchronised
    prints '  fails    No barrier orders the accesses' '  says why'
    expect 0 'list of a variant with a published time alone' "$WHYFAST" list reduce/20_as_pytorch
    prints ': 4 ms, a tenth of 10 sums of PyTorch' '  has no speed of 0'
    expect 0 'list of a variant' "$WHYFAST" list reduce/02_interleaved_strided
    prints 'expects: shared_excess_wavefronts > 0' '  tells its claims'
    expect 2 'list of a typo in the family of a rung' "$WHYFAST" list gmem/1
    says "did you mean 'gemm/1'?" '  mends the family alone'
    expect 2 'a pattern for less than a name' "$WHYFAST" list 'gemm/1?'
    says 'a pattern must match the whole name' '  is told so'
    for command in list 'measure --dry-run'; do
        # shellcheck disable=SC2086 # words
        expect 2 "$command of what several begin with" "$WHYFAST" $command gem
        says "; 'gem*' takes all that begin so" '  names the pattern'
    done
    expect 2 'a size of three dimensions for one' "$WHYFAST" measure --dry-run --size 4096^3 reduce
    says "size '4096^3': sizes of reduce have one dimension, as 65536" '  is told so'
    expect 2 'list of the beginning of a family' "$WHYFAST" list gem/08
    says "did you mean 'gemm/08'?" '  is no family'
    for command in list 'measure --dry-run' 'report --dry-run' 'launch --dry-run'; do
        # shellcheck disable=SC2086 # words
        expect 2 "$command of a number that no rung has" "$WHYFAST" $command reduce/77
        says "no family or variant matches 'reduce/77'; there are " '  says how many there are'
        says ', from reduce/01_' '  and the first'
        # shellcheck disable=SC2086 # words
        expect 2 "$command of a typo behind a number" "$WHYFAST" $command gemm/8x
        says "did you mean 'gemm/08_double_buffer'?" '  names the rung of this number'
    done
    expect 0 'list of rungs of families of different sizes' \
        "$WHYFAST" list 'gemm/01*' 'reduce/0[12]*' --csv
    is "$(cut -d , -f 1-3 "$work/out")" "$(printf '%s\n' family,variant,rung gemm,01_naive,1 \
        reduce,01_interleaved_modulo,1 reduce,02_interleaved_strided,2)" '  is CSV'
    expect 0 'one pattern for them' "$WHYFAST" list '*/01*'
    is "$(grep -c '^[a-z_]*/01' "$work/out")" "$("$WHYFAST" list --csv | grep -c '^[a-z_]*,01_')" \
        '  describes each'
    expect 0 'one number for several families' "$WHYFAST" report --dry-run --csv 'gemm/01*' 'reduce/01*' \
        -s 2^20
    lacks "$work/out" ',gemm,' '  is the size of those with one dimension'
    says 'gemm is left out: its sizes look like' '  the other is left out'
    is "$(grep -c 'gemm is left out' "$work/err")" 1 '  which is said once'
else
    skip 'this build has no variants'
fi

# Without whyfast-gpu, the variants are those of a recorded run.
mkdir "$work/alone"
cp "$WHYFAST" "$work/alone/"
alone() { "$work/alone/whyfast" "$@"; }
expect 0 'list without whyfast-gpu' alone list
says 'these are of the recorded run nvidia-h200-slice' '  says whose variants they are'
prints 'reduce: Sum of 32-bit integers' '  names the families of the recorded run'
expect 0 '  as CSV' alone list --csv
is "$(sed 1d "$work/out" | cut -d , -f 1,2 | sort)" \
    "$(sed 1d "$(fixture_run)/variants.csv" | cut -d , -f 1,2 | sort)" '  has all of its variants'
expect 0 'list of a family without whyfast-gpu' alone list gemm
prints '08_double_buffer' '  lists its rungs'
lacks "$work/out" 'reduce' '  and no others'
expect 0 'list of a rung without whyfast-gpu' alone list gemm/8 --json
prints '{"schema":"whyfast.list/1","variants":[{"family":"gemm","variant":"08_double_buffer","rung":8,' \
    '  is that rung'
expect 2 'a typo without whyfast-gpu' alone list gmem/8
says "did you mean 'gemm/8'?" '  is mended'
expect 2 '  in a family' alone list gemm_tensr
says "did you mean 'gemm_tensor'?" '  is mended, too'
expect 0 'a metric without whyfast-gpu' alone list dram_gbs
prints 'formula' '  is described'
expect 2 'a typo in a metric without whyfast-gpu' alone list dram_gsb
says "no metric is called 'dram_gsb'; did you mean 'dram_gbs'?" '  names the nearest'

expect 0 'list metrics' "$WHYFAST" list metrics
prints 'dram_gbs' '  names the metrics'
prints 'GB/s' '  with their units'
expect 0 'list metrics on a wide terminal' env COLUMNS=140 "$WHYFAST" list metrics
prints '  Bytes that device memory moved, by its counters, divided by clean time.' \
    '  and their meanings'
expect 0 'list metrics in a narrow terminal' env COLUMNS=60 "$WHYFAST" list metrics
none "$(sed 's/[\xC2-\xF4][\x80-\xBF]*/./g' "$work/out" | looked awk 'length($0) > 60')" '  fits'
expect 0 'list metrics --csv' "$WHYFAST" list metrics --csv
is "$(head -n 1 "$work/out")" 'kind,name,unit,set,definition,means' '  has a header'
expect 0 'list of a metric' "$WHYFAST" list dram_gbs
prints 'formula    coalesce(dram_read_bytes + dram_write_bytes, dram_bytes) / time_ns' '  tells its formula'
expect 2 'an unknown metric' "$WHYFAST" list dram_gsb
says "no metric is called 'dram_gsb'; did you mean 'dram_gbs'?" '  names the nearest'
raw_run "$(fixture_run)" "$work/run"
expect 2 'an unknown metric of a run' "$WHYFAST" evaluate "$work/run" --metric conflicts_hw
says "did you mean 'shared_conflicts_hw'?" '  names the nearest'
is "$(find "$work/run" -name metrics.csv)" '' '  before anything is computed'
expect 0 'metrics of a run' "$WHYFAST" evaluate "$work/run" --metric time_ns,dram_gbs -m launches
is "$(head -n 1 "$work/out")" \
    'family,variant,size,block,sweep,device,time_ns,dram_gbs,launches' '  are printed as CSV'
is "$(wc -l <"$work/out")" "$(wc -l <"$work/run/metrics.csv")" '  one row per point'
rows=$(sed 1d "$work/out" | wc -l)
expect 0 '  as JSON' "$WHYFAST" evaluate "$work/run" --metric time_ns --json
is "$(grep -c '"time_ns":' "$work/out") $(head -c 39 "$work/out")" \
    "$rows {\"schema\":\"whyfast.evaluate/2\",\"metrics" '  an object per point'
expect 0 '  as JSON of a metric that points lack' "$WHYFAST" evaluate "$work/run" \
    --metric shared_conflict_ways --json

# ---- the manual page -----------------------------------------------------------------------------

expect 0 'the manual page' "$WHYFAST" help --man
cp "$work/out" "$work/whyfast.1"
sed 's/\\-/-/g' "$work/whyfast.1" >"$work/plain"
for command in $commands; do
    contains "$work/plain" ".B whyfast $command" "the manual page has the synopsis of $command"
done
options=$(for command in $commands; do "$WHYFAST" help "$command"; done |
    sed -nE 's/^  [-, a-z]*(--[a-z][a-z-]*)( .*)?$/\1/p' | sort -u)
is "$(echo "$options" | wc -l | awk '{ print ($1 >= 20) }')" 1 'the manual page has options'
for option in $options; do
    contains "$work/plain" "$option" "the manual page has the option $option"
done
for code in 0 1 2 3 4 5 130; do
    contains "$work/plain" ".B $code" "the manual page has the exit code $code"
done
contains "$work/plain" 'WHYFAST_DATA' 'the manual page has the environment'
contains "$work/plain" 'kernels of any program' '  and what the program promises'
if command -v mandoc >/dev/null; then
    none "$(mandoc -T lint -W warning "$work/whyfast.1" 2>&1 |
        looked grep -v 'TH: missing date\|missing date')" 'mandoc finds nothing wrong'
elif command -v groff >/dev/null && groff -man -Tascii /dev/null >/dev/null 2>&1; then
    is "$(groff -man -Tascii -ww "$work/whyfast.1" 2>&1 >/dev/null | head -n 3)" '' \
        'groff finds nothing wrong'
else
    skip 'neither mandoc nor groff is here to read the manual page'
fi
finish
