#!/bin/sh
# shellcheck disable=SC2086 # lists of words
# Tests `whyfast run` on a GPU with NVIDIA's samples for CUPTI, if the toolkit has them or $SAMPLES
# names their directory. They profile themselves, so whyfast says that it leaves them alone, and
# they do what they do without it.
. "${ROOT:-.}/tests/gpu/programs.inc"
toolkit=$(dirname "$(dirname "$(command -v nvcc)")")
samples=${SAMPLES:-$(find / -xdev -type d -path '*CUPTI/samples' 2>/dev/null | head -n 1)}
explain "samples: ${samples:-none}" || :
[ -d "$samples/common" ] || samples=
LD_LIBRARY_PATH=$toolkit/extras/CUPTI/lib64:$toolkit/lib64:${LD_LIBRARY_PATH:-}
export LD_LIBRARY_PATH

# Times, addresses and numbers of processes differ from run to run.
without_numbers() { sed 's/0x[0-9a-f]*/N/g; s/[0-9][0-9.,]*/N/g' "$1" | sort; }

for name in ${NAMES:-activity_trace_async callback_timestamp cuda_graphs_trace cupti_correlation \
    cuda_memory_trace pc_sampling pm_sampling range_profiling sass_metrics sass_source_map}; do
    source=$(ls "${samples:-/nowhere}/$name"/*.cu 2>/dev/null | head -n 1)
    if [ ! -e "$source" ]; then
        skip "there is no sample $name"
        continue
    fi
    if ! nvcc -std=c++17 -arch=native -I"$samples/common" -I"$samples/extensions/include/c_util" \
        -I"$samples/extensions/include/profilerhost_util" -I"$toolkit/extras/CUPTI/include" \
        -I"$toolkit/include" -L"$toolkit/extras/CUPTI/lib64" -L"$toolkit/lib64" -o "$name" \
        "$source" -lcupti -lcuda >compile.err 2>&1; then
        explain "$(grep -m 3 error compile.err)" || :
        skip "the sample $name does not compile with this toolkit"
        continue
    fi
    timeout 60 "./$name" >plain.txt 2>&1
    plain=$?
    status=0
    timeout 60 "$WHYFAST" run -o "$name.run" -- "./$name" >watched.txt 2>whyfast.err || status=$?
    is "$status" "$([ $plain -eq 0 ] && echo 125 || echo $plain)" \
        "$name (exit status $plain) is not watched"
    contains whyfast.err 'the program was linked with CUPTI, which serves one profiler at a time' \
        '  which is said'
    grep -v '^whyfast: ' whyfast.err >>watched.txt
    is "$(without_numbers watched.txt)" "$(without_numbers plain.txt)" \
        '  it prints what it prints alone'
    is "$(ls -d "$name.run" "$name.run.part" 2>/dev/null)" '' '  and nothing is left'
done
finish
