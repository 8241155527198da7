#!/bin/sh
# Compiles the example of kernels/README.md: the family, and its variants as C++ with stand-ins for
# CUDA's keywords, so that no toolkit is needed.
. "${ROOT:-.}/tests/tap.sh"
CC=${CC:-cc}
CXX=${CXX:-c++}

# block FILE: prints the block of code under the heading of this file.
block() {
    awk -v head="## $1" \
        '/^## / { found = $0 == head } /^```/ { inside = !inside; next } found && inside' \
        "$ROOT/kernels/README.md"
}

mkdir -p "$work/kernels/transpose"
for file in family.c 01_naive.cu 02_tile.cu; do
    block "kernels/transpose/$file" >"$work/kernels/transpose/$file"
    is "$(head -n 1 "$work/kernels/transpose/$file")" '/*' "$file is in kernels/README.md"
done

# shellcheck disable=SC2086 # CC may be a command with options
expect 0 'family.c compiles' $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -Wmissing-prototypes \
    -fsyntax-only -I"$ROOT/harness" \
    -DFAMILY=family_transpose -DFAMILY_NAME='"transpose"' "$work/kernels/transpose/family.c"
cat >"$work/cuda.h" <<'END'
#define __global__
#define __shared__ static
static struct { unsigned x, y, z; } blockIdx, threadIdx;
static inline void __syncthreads() {}
END
if ! command -v "${CXX%% *}" >/dev/null; then
    skip 'there is no compiler of C++'
    finish
fi
for file in 01_naive 02_tile; do
    # shellcheck disable=SC2086
    expect 0 "$file.cu compiles" $CXX -std=c++17 -Wall -fsyntax-only -x c++ -I"$ROOT/harness" \
        -include "$work/cuda.h" -DVARIANT="variant_transpose_$file" \
        -DVARIANT_FAMILY='"transpose"' -DVARIANT_NAME="\"$file\"" \
        -DVARIANT_FILE="\"kernels/transpose/$file.cu\"" "$work/kernels/transpose/$file.cu"
done

# The arguments of a launch, as the contract's template makes them.
cat >"$work/launch.cc" <<'END'
#include "catalog/variant.h"
struct map { char bytes[128]; };
struct two { float first, second; };
static void none() {}
static void maps(map, map) {}
static void mixed(map, const float *, double *, int, float, double, two) {}
int main()
{
    float input[1], f;
    double d;
    two pair;
    struct launch nothing = {}, both = {}, some = {};
    launch_kernel(&nothing, none);
    launch_kernel(&both, maps);
    launch_kernel(&some, mixed, (const void *)input, (void *)nullptr, (uint64_t)7, 1, 2.5f,
                  two{3, 4});
    memcpy(&f, &some.argument[3], sizeof f);
    memcpy(&d, &some.argument[4], sizeof d);
    memcpy(&pair, &some.argument[5], sizeof pair);
    return nothing.function != (const void *)none || nothing.argument_count ||
           both.argument_count || some.argument_count != 6 || some.argument[0] != (uint64_t)(uintptr_t)input ||
           some.argument[1] || some.argument[2] != 7 || f != 1 || d != 2.5 || pair.second != 4;
}
END
# shellcheck disable=SC2086
expect 0 'arguments of every kind compile' $CXX -std=c++17 -Wall -Wextra -Werror -I"$ROOT/harness" \
    -o "$work/launch" "$work/launch.cc"
expect 0 '  and have the types of the parameters' "$work/launch"

# main fills a matrix of 3 x 5 words, transposes it and compares it with the definition.
cat >"$work/main.c" <<'END'
#include "catalog/variant.h"
extern const struct family family_transpose;
int main(void)
{
    const struct family *family = &family_transpose;
    const struct shape shape = {.rank = 2, .dim = {3, 5}};
    uint32_t in[15], out[15];
    void *inputs[] = {in};
    int wrong = family->input_bytes(&shape, 0) != sizeof in || family->output_bytes(&shape) != sizeof out;
    family->fill(&shape, 1, inputs);
    family->reference(&shape, inputs, out);
    for (int i = 0; i < 15; i++) wrong |= out[i % 5 * 3 + i / 5] != in[i];
    return wrong;
}
END
# shellcheck disable=SC2086
expect 0 'the program of family.c links' $CC -std=c11 -I"$ROOT/harness" -DFAMILY=family_transpose \
    -DFAMILY_NAME='"transpose"' -o "$work/main" \
    "$work/main.c" "$work/kernels/transpose/family.c"
expect 0 '  and its reference is a transpose' "$work/main"
finish
