#!/bin/sh
# Tests on a GPU that the family which `whyfast new` writes, outside of the tree, is measured and
# that its step is explained. Needs nvcc.
. "${ROOT:-.}/tests/tap.sh"
unset CUDA_VISIBLE_DEVICES
cd "$work" || exit 1
expect 0 'a new family' "$WHYFAST" new demo
start=$(date +%s)
expect 0 'its report' "$WHYFAST" report -o run demo/
explain "$(($(date +%s) - start)) s" || :
says 'compiling' '  compiles it first'
is "$(column run/points.csv variant status | sort -u | tr '\t' , | tr '\n' ' ')" \
    '01_first,ok 02_second,ok ' '  both variants give right results'
is "$(column run/kernels.csv counts_status samples_status lines_status sass_status | sort -u |
    tr '\t' ,)" 'ok,ok,ok,ok' '  instructions are counted and sampled, and have their lines'
expect 0 'the step is explained' "$WHYFAST" explain run demo/02
cat "$work/out" >&2
prints '02_second' '  by its name'
is "$([ "$(wc -l <run/causes.csv)" -gt 1 ] && echo yes)" yes '  with causes'
expect 0 'the source' "$WHYFAST" lines --all run demo/02
prints 'z[i] = 2 * x[i] + y[i]' '  is shown with its counts'
cat "$work/out" >&2
expect 0 'one of its variants' "$WHYFAST" measure -o one demo/01_first.cu
is "$(column one/points.csv variant | sort -u)" 01_first '  is measured alone'
expect 0 'counters can be added later' "$WHYFAST" collect --sets lines one demo/
finish
