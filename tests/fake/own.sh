#!/bin/sh
# Tests that a family in a folder outside of the tree is measured, counted by probes and explained
# like one of the tree, on a fake GPU, which knows its kernels by their names.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"
nvcc=$(sed -n 's/^NVCC := //p' "$ROOT/build/config.mk")
if [ ! -x "$nvcc" ]; then
    skip 'there is no nvcc'
    finish
fi

# variant NUMBER NAME AFTER: writes a variant of the sum of words, in two launches.
variant() {
    cat >"$work/mine/$1_$2.cu" <<END
#include "catalog/variant.h"
#include "sum.cuh"

__global__ void sum_machine_code_$2(const uint32_t *from, uint32_t *to, uint64_t words, uint64_t)
{
    sum_share(from, to, words);
}

static unsigned launches(const struct point *)
{
    return 2;
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    launch->function = (const void *)sum_machine_code_$2;
    launch->grid[0] = index ? 1 : 32;
    launch->block[0] = 256;
    launch_pointer(launch, index ? work->scratch : work->input[0]);
    launch_pointer(launch, index ? work->output : work->scratch);
    launch_integer(launch, index ? 32 : work->point.shape.dim[0]);
    launch_integer(launch, 0);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY, .title = "$2", .after = $3, .launch_count = launches, .plan = plan,
};
END
}
mkdir "$work/mine"
variant 01 first NULL
variant 02 second '"01_first"'
cat >"$work/mine/sum.cuh" <<'END'
static __device__ void sum_share(const uint32_t *from, uint32_t *to, uint64_t words)
{
    uint32_t sum = 0;
    for (uint64_t i = words * blockIdx.x / gridDim.x + threadIdx.x;
         i < words * (blockIdx.x + 1) / gridDim.x; i += 256)
        sum += from[i];
    atomicAdd(&to[blockIdx.x], sum);
}
END
cat >"$work/mine/family.c" <<'END'
#include <string.h>
#include "catalog/random.h"
#include "catalog/variant.h"
static size_t input_bytes(const struct shape *shape, int index) { return shape->dim[index] * 4; }
static size_t output_bytes(const struct shape *shape) { return shape->rank * 4; }
static size_t scratch_bytes(const struct shape *shape) { return shape->rank * 128; }
static double useful_bytes(const struct shape *shape) { return 4.0 * shape->dim[0]; }
static double useful_operations(const struct shape *shape) { return shape->dim[0]; }
static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    for (uint64_t i = 0; i < shape->dim[0]; i++)
        ((uint32_t *)input[0])[i] = random_word(seed, i);
}
static void reference(const struct shape *shape, void *const *input, void *output)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < shape->dim[0]; i++) sum += ((uint32_t *)input[0])[i];
    memcpy(output, &sum, sizeof sum);
}
const struct family FAMILY = {
    .name = FAMILY_NAME, .title = "Sum of words", .problem = "Sum words.", .rank = 1,
    .sizes = {"16384", "65536"}, .input_count = 1, .comparison = COMPARE_INT32_EXACT,
    .useful_bytes_text = "4 bytes for each word", .input_bytes = input_bytes,
    .output_bytes = output_bytes, .scratch_bytes = scratch_bytes, .useful_bytes = useful_bytes,
    .useful_operations = useful_operations, .fill = fill, .reference = reference,
};
END

cd "$work" || exit 1
fake report -o run mine/
ends 0 'a report of a folder is measured, counted and made'
all_closed '  and leaves nothing open'
is "$(column run/points.csv family variant size status | tr '\t' , | tr '\n' ' ')" \
    'mine,01_first,65536,ok mine,02_second,65536,ok ' '  with right results'
contains run/run.txt "own_families: mine: $work/mine, sources " \
    '  the run says which folder was measured'
is "$(grep -c '^probe calls' "$FAKE_LOG")" 5 \
    '  probes load the folder, too: one for the samples, two for counts and twins of each variant'
is "$(column run/kernels.csv variant counts_status lines_status | sort -u | tr '\t' , |
    tr '\n' ' ')" '01_first,ok,ok 02_second,ok,ok ' '  every instruction has its line'
is "$(column run/sources.csv path status | grep mine | sort | tr '\t' , | tr '\n' ' ')" \
    'kernels/mine/01_first.cu,ok kernels/mine/02_second.cu,ok kernels/mine/sum.cuh,ok ' \
    '  of files that the run carries'
is "$(column run/steps.csv variant | grep -c 02_second)" 1 '  the step is explained'
fake collect --sets lines -o more run
ends 2 'counters cannot be added without the folder'
says 'name it, too: mine: ' '  and the message names it'
fake collect --sets lines -o more run mine
ends 0 '  but with it'
echo '/* changed */' >>mine/sum.cuh
fake collect --sets lines -o other run mine/
ends 2 '  unless it was changed'
says 'is of other sources' '  which the message says'
fake measure --samples 3 -o part mine/
fake measure --samples 3 -o part -q mine/02_second.cu
is "$(column part/points.csv variant | sort -u)" 02_second 'one variant is measured by its file'
is "$(wc -l <run/power.csv)" 1 'without tensor cores the power is not measured'
sed -i 's/\.after = "01_first",/& .sustained = 1,/' mine/02_second.cu
fake measure --samples 3 --size 16384 --seconds 4 -o asked mine/
# The power, which the fake counts in steps, to a tenth.
watts() { column "$1/power.csv" variant power_w limit_w reasons status | awk -F '\t' '
    { printf "%s,%s,%s,%s,%s ", $1, ($2 > 810 && $2 < 990 ? 900 : $2), $3, $4, $5 }'; }
is "$(watts asked)" '02_second,900,1,,ok ' \
    '  but of a variant that asks for it'
sed -i 's/ \.sustained = 1,//' mine/02_second.cu
# A family of one word, the bits of a float, whose reference for a 1 is not exact yet within the bound.
cp -R mine ones
sed -i 's/= random_word(seed, i)/= i ? 0 : seed == SEED_OF_ONES ? 0x3F800000u : 0x40000000u/
    s/memcpy(output, &sum, sizeof sum)/*(double *)output = sum == 0x3F800000u ? ONE : 2/
    s/COMPARE_INT32_EXACT,/COMPARE_FLOAT_FROBENIUS, .ones_are_exact = exact, .tolerance = bound,/
    s/^static void reference/static int exact(const struct shape *s) { return s->dim[0] < 65536; }\
static double bound(const struct shape *s) { return 1e-3 * s->rank; }\
#define ONE 1.0\
&/' ones/family.c
fake measure --samples 3 -o exact ones/
ends 0 'sums of ones are verified'
contains exact/run.txt 'exact_sums: 2' '  where they are exact'
sed -i 's/#define ONE 1.0/&0001/' ones/family.c
fake measure --samples 3 -o inexact ones/
ends 1 '  and a sum within the bound is wrong if it must be exact'
says 'size 16384, with ones, before: wrong result: not exact: relative error' '  which the message says'
sed -i 's/\.rank = 1,/&.rate = RATE_OPERATIONS, .unit = UNIT_TENSOR_BF16,/' mine/family.c
fake measure --samples 3 --size 16384 -o tensor mine/
ends 0 'for tensor cores the power is measured, too'
is "$(watts tensor)" \
    '01_first,900,1,,ok 02_second,900,1,,ok ' '  of each variant'
fake measure --samples 3 --size 16384 --seconds 5 -o five mine/
is "$(watts five)" \
    '01_first,900,1,,ok 02_second,900,1,,ok ' '  also in 5 seconds for a size'
fake measure --samples 3 --size 16384 --seconds 4 -o hasty mine/
is "$(watts hasty)" \
    '02_second,900,1,,ok ' '  in a shorter run of the top rung alone'
fake measure --samples 3 --size 16384 --seconds 4 -o first mine/01_first.cu
is "$(column first/power.csv variant status | tr '\t' ,)" '01_first,ok' \
    '  which is the last that is measured'
sed -i 's/\.rank = 1,/&.primary_size = "16384",/' mine/family.c
fake measure --samples 3 --size 8192 --size 16384 --size 32768 -o beyond mine/
is "$(column beyond/power.csv variant size | tr '\t' , | tr '\n' ' ')" \
    '01_first,16384 02_second,16384 02_second,32768 ' \
    '  of each variant at the primary size, and of the top rung beyond it'
sed -i 's/\.primary_size = "16384",//' mine/family.c
FAKE_STATE=throttled fake measure --samples 3 --size 16384 -o capped mine/01_first.cu
is "$(column capped/power.csv reasons)" 'power cap' '  and why the clock was lower'
rm -r mine
expect 0 'without the folder' "$program" lines --all run mine/02
prints 'atomicAdd(&to[blockIdx.x], sum);' '  the source is shown'
finish
