/*
 * Reads a probe's samples and counts, in one input with a NUL byte between them. They are refused,
 * or the result is ordered by pc without a gap.
 */
#include "fuzz.h"

#include "machine_code/probe_results.h"
#include "base/message.h"

FUZZ_INPUT("", "input.csv")

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = memchr(data, 0, size);
    const size_t length = cut ? (size_t)(cut - data) : size;
    struct probe_results kernels = {0};
    write_input(data, length);
    int result = probe_results_add(&kernels, input_path);
    if (result && result != FAIL_INPUT) abort();
    if (cut && kernels.count) {
        write_input(cut + 1, size - length - 1);
        result = probe_result_counts(&kernels.kernel[0], input_path);
        if (result && result != FAIL_INPUT) abort();
    }
    for (int i = 0; i < kernels.count; i++) {
        const struct probe_result *kernel = &kernels.kernel[i];
        const struct point_key *key = &kernel->key;
        for (int c = 0; c < POINT_KEY_COLUMNS; c++)
            if (!key->column[c]) abort();
        if (kernel->count > kernel->capacity) abort();
    }
    probe_results_free(&kernels);
    return 0;
}
