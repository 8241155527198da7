#!/bin/sh
# Tests on a GPU how `whyfast run` names the kernels of frameworks, and prints its tables for
# reports/programs.md. A framework that is missing is skipped. CUTLASS names the directory of its
# headers. Set TARGETS to some of "binary eager operators compiled triton cupy jax cutlass".
. "${ROOT:-.}/tests/gpu/programs.inc"
TARGETS=${TARGETS:-binary eager operators compiled triton cupy jax cutlass}
limit='timeout 400'

# named NAME OPTION... -- PROGRAM...: runs the program into NAME.run, and prints what that prints.
named() {
    name=$1
    shift
    begun=$(now)
    status=0
    $limit "$WHYFAST" run -o "$name.run" "$@" >"$name.txt" 2>"$name.err" || status=$?
    is "$status" 0 "$name is watched"
    echo "---- $name: whyfast run $*, $(passed "$begun") s"
    head -n 60 "$name.err" | cut -c 1-200
    is "$(column "$name.run/variants.csv" family variant | sort | uniq -d)" '' \
        '  no two kernels have one name'
    is "$(column "$name.run/variants.csv" variant | grep -c '[^A-Za-z0-9_.-]')" 0 \
        '  no name needs quotes'
    echo "---- $name: full names"
    awk "$(cat "$ROOT/tests/gpu/csv.awk")"' read_row() { print get("variant") "\t" get("kernel") }' \
        "$name.run/launches.csv" | cut -c 1-240 | head -n 40
}

# finds NAME PIECE...: each piece of a name means a kernel, or several, which are told.
finds() {
    name=$1
    shift
    for piece in "$@"; do
        status=0
        "$WHYFAST" conflicts "./$name.run" "$piece" >"$work/found" 2>&1 || status=$?
        grep -q 'matches several variants' "$work/found" && status=0
        is "$status" 0 "  '$piece' names a kernel" || explain "$(head -n 3 "$work/found")"
    done
}

if wants binary; then
    compile -o app "$programs/targets.cu" && named binary -- ./app plain 12
    finds binary transpose 'transpose<0>' 'NSPOSE<1'
fi
if wants eager torch; then
    named eager --kernel . -- python3 "$programs/torch_block.py"
    finds eager Gelu softmax layer_norm MulFunctor
fi
if wants operators torch; then
    named operators --by operator --kernel . --no-counters -- \
        python3 "$programs/torch_block.py" operators
    contains operators.run/variants.csv 'in the NVTX range aten::' '  operators are told'
    named mm --by operator --range '^aten::(mm|addmm)$' --no-counters -- \
        python3 "$programs/torch_block.py" operators
    is "$(grep -c 'in the NVTX range aten::\(add\)\{0,1\}mm' mm.run/variants.csv)" \
        "$(sed 1d mm.run/variants.csv | wc -l)" '  and asked for'
fi
if wants compiled torch; then
    # What is compiled is kept, so that later starts find it.
    export TORCHINDUCTOR_CACHE_DIR="$work/inductor" TORCHINDUCTOR_FX_GRAPH_CACHE=1 \
        TORCHINDUCTOR_AUTOGRAD_CACHE=1
    for cache in 'an empty cache' 'a warm one'; do
        begun=$(now)
        $limit python3 "$programs/torch_block.py" compiled >plain.txt 2>&1 ||
            explain "$(tail -n 3 plain.txt)" || :
        explain "compiled, alone with $cache: $(passed "$begun") s" || :
    done
    named compiled --kernel . -- python3 "$programs/torch_block.py" compiled
    finds compiled triton_
fi
if wants triton 'torch, triton'; then
    named triton --kernel product -- python3 "$programs/triton_matmul.py"
    is "$(grep -c shared_pipe_pct triton.err)" 0 '  its use of shared memory is not called impossible'
    finds triton product
fi
if wants cupy cupy; then
    named cupy -- python3 "$programs/cupy_kernel.py"
    finds cupy scale
fi
if wants jax jax; then
    named jax --kernel . -- python3 "$programs/jax_block.py"
    finds jax gemm
fi
if wants cutlass && [ -d "${CUTLASS:-}" ]; then
    compile -I "$CUTLASS" -o gemm "$programs/cutlass_gemm.cu" && named cutlass -- ./gemm
    finds cutlass Kernel
else
    skip 'CUTLASS: its headers are missing'
fi
finish
