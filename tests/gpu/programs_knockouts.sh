#!/bin/sh
# Tests `whyfast run --knockout` on a GPU: what it measures on programs of our own, of CuPy, Triton
# and PyTorch, on samples and on CUB, that pitfalls end nothing, and that kernels of vendors are not
# changed. Set TARGETS to some of "own cupy triton torch others samples cub vendors". Prints how many
# copies ran. Keeps the tables in $OUT if that is set.
. "${ROOT:-.}/tests/gpu/programs.inc"
keep=${OUT:-$work}
TARGETS=${TARGETS:-own cupy triton torch others samples cub vendors}
copies=0

# knock NAME OPTION... -- PROGRAM ARGUMENT...: knocks out the costs of its kernels into NAME.run.
knock() {
    name=$1
    shift
    begun=$(now)
    timeout 200 "$WHYFAST" run -v -o "$name.run" --knockout "$@" >"$name.out" 2>"$name.err"
    is $? 0 "$name: the exit status is the program's" || explain "$(tail -n 3 "$name.err")"
    cp "$name.run/knockouts.csv" "$keep/programs_$name.csv"
    seconds=$(sed -n 's/.*for knockouts, took \([0-9.]*\) s/\1/p' "$name.err" |
        awk '{ sum += $1 } END { print sum }')
    is "$(grep -c 'for knockouts, took' "$name.err")" 1 '  it took one start'
    first=$(sed -n 's/.*start 1, for times, took \([0-9.]*\) s/\1/p' "$name.err")
    holds "x <= $first + 10" '    of at most 10 s more' "$seconds"
    is "$(grep 'twin failed' "$name.err")" '' '  no copy fails'
    told "$name"
}

# told NAME: prints how many copies ran, how many failed, and by how much of the time the unchanged
# ones differ from their kernels.
told() {
    column "$1.run/knockouts.csv" knockout status samples time_ns saved_ns |
        awk -F "$(printf '\t')" -v name="$1" -v seconds="$(passed "$begun")" '
            $3 >= 15 { copies++ }
            $2 ~ /the twin failed/ { faults++ }
            $3 >= 15 && $1 == "nothing" {
                x = 100 * $5 / $4
                x = x < 0 ? -x : x
                for (i = ++kernels; i > 1 && apart[i - 1] > x; i--) apart[i] = apart[i - 1]
                apart[i] = x
            }
            END {
                printf "# %s: %d copies of %d kernels, %d faults; the unchanged ones differ by", name,
                    copies, kernels, faults
                printf " %.2f %% (median), at most %.2f %%; %.0f s\n",
                    apart[int((kernels + 1) / 2)], apart[kernels], seconds
            }' >told
    cat told
    copies=$((copies + $(sed 's/^# [^:]*: \([0-9]*\) .*/\1/' told)))
}

# cell NAME KERNEL KNOCKOUT COLUMN: prints a cell of the table, of the kernels that match.
cell() {
    column "$1.run/knockouts.csv" variant knockout "$4" |
        awk -F "$(printf '\t')" -v kernel="$2" -v knockout="$3" '
            $1 ~ kernel && $2 == knockout { print $3 }'
}

if wants own; then
    compile -o knocked "$programs/knocked.cu" || exit 1
    knock plain --kernel . -- ./knocked plain
    holds 'x <= 3' 'bank conflicts are worth what a copy without them saves, within % of the time' \
        "$(awk -v a="$(cell plain columns-0 nothing time_ns)" \
            -v b="$(cell plain columns-1 nothing time_ns)" \
            -v saved="$(cell plain columns-0 conflicts saved_ns)" \
            'BEGIN { x = 100 * (saved - (a - b)) / a; print x < 0 ? -x : x }')"
    is "$(cell plain columns-1 conflicts status)" none '  and none where there are none'
    holds 'x > 0.5' 'more than 48 KiB of shared memory: part of the time that conflicts cost' \
        "$(awk -v saved="$(cell plain large nothing saved_ns)" \
            -v conflicts="$(cell plain large conflicts saved_ns)" \
            -v time="$(cell plain large nothing time_ns)" \
            'BEGIN { print (conflicts - saved) / time }')"
    is "$(cell plain rounds-1 barriers status)" ok 'barriers cost something'
    knock pitfalls --kernel . -- ./knocked pitfalls
    for kernel in constants chases elects stack continues tickets; do
        holds 'x >= 15' "$kernel: copies are timed, samples" \
            "$(cell pitfalls $kernel nothing samples)"
    done
    holds 'x > 0.7 && x < 1.4' 'a counter in the module starts anew for each launch: time, of usual' \
        "$(column pitfalls.run/samples.csv variant time_ns | sed -n 's/^tickets\t//p' | sort -n |
            awk -v measured="$(cell pitfalls tickets nothing time_ns)" '
                { x[NR] = $1 } END { print measured / x[int((NR + 1) / 2)] }')"
    is "$(cell pitfalls elects global_loads patched)" 0 'loads that elect a lane stay'
    is "$(cell pitfalls chases global_loads left)" 2 'loads that give addresses stay'
    knock waits --kernel . -- ./knocked waits
    holds 'x >= 15' 'a kernel that waits for the host is timed, samples' \
        "$(cell waits waits nothing samples)"
fi

# Kernels of others: library, program, kernels.
copies=0
if wants cupy cupy; then
    knock cupy --kernel . -- python3 "$programs/cupy_kernel.py"
    holds 'x >= 15' 'CuPy compiled a kernel that is timed, samples' \
        "$(cell cupy scale nothing samples)"
fi
if wants triton triton; then
    knock triton --kernel product -- python3 "$programs/triton_matmul.py"
    holds 'x >= 15' "Triton's kernel is timed, samples" "$(cell triton product nothing samples)"
fi
if wants torch torch; then
    knock torch --kernel . -- python3 "$programs/torch_loop.py"
    holds 'x >= 15' "PyTorch's own kernels are timed, samples" \
        "$(cell torch reduce_kernel nothing samples | sort -n | head -n 1)"
fi

if wants others 'torch, triton'; then
    knock others --range others -- python3 "$programs/others.py"
    holds 'x >= 14' "kernels of PyTorch and Triton are timed" \
        "$(cell others . nothing samples | awk '$1 >= 15' | wc -l)"
fi

if wants samples && compile -o samples "$programs/samples.cu"; then
    for group in images numbers networks; do
        knock $group --kernel '4data$' -- ./samples $group
        holds 'x == 16' "$group: kernels of samples are timed" \
            "$(cell $group . nothing samples | awk '$1 >= 15' | wc -l)"
    done
fi
if wants cub && compile -o cub "$programs/cub.cu"; then
    knock cub --kernel cub -- ./cub
    holds 'x >= 14' "CUB's kernels are timed" "$(cell cub . nothing samples | awk '$1 >= 15' | wc -l)"
fi
if wants samples && wants cub; then
    holds 'x >= 330' 'copies of kernels that others wrote have run' "$copies"
fi

# ---- vendors -------------------------------------------------------------------------------------

# refused NAME LIBRARY: passes if kernels of that library were refused.
refused() {
    holds 'x > 0' "$1: kernels are refused for $2" \
        "$(cell "$1" . nothing status | grep -cE "absent: .*$2")"
}
if wants vendors torch; then
    knock vendors --range calls -- python3 "$programs/vendors.py" cublas cufft cusparse cusolver cudnn
    for vendor in cublas cufft cusparse cusolver cudnn; do
        refused vendors "(lib$vendor|kernel of $(echo "$vendor" | sed 's/cublas/cuBLAS/; s/fft/FFT/
            s/sparse/SPARSE/; s/solver/SOLVER/; s/dnn/DNN/'))"
    done
fi
if wants vendors && nvcc -std=c++17 -arch=native -o linked "$programs/linked.cu" -lcublas_static \
    -lcublasLt_static -lculibos 2>/dev/null; then
    knock linked --kernel . -- ./linked
    refused linked 'cuBLAS'
    is "$(awk -F , 'NR > 1 && $NF != ""' linked.run/knockouts.csv | wc -l)" 0 \
        '  no kernel of it is timed'
elif wants vendors; then
    skip 'cuBLAS cannot be linked statically here'
fi
finish
