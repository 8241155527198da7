/*
 * Reference: the sum on one CPU core, with the loop that the sources use to check their kernels.
 */
#include "reduce.h"

static void host(const struct work *work)
{
    const unsigned *in = static_cast<const unsigned *>(work->input[0]);
    const uint64_t n = work->point.shape.dim[0];
    unsigned sum = 0;
    for (uint64_t i = 0; i < n; i++) sum += in[i];
    *static_cast<unsigned *>(work->output) = sum;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "CPU, one thread",
    .suffers = "The problem is the same.",
    .changes = "A loop on one core, vectorised by the compiler.",
    .pays = "One core can use only part of the memory's bandwidth.",
    .published =
        {
            {"Yikai, Reduction notes", "its CPU", 0, "536870912", 0, 0, 1.65679e9, 1.29617},
        },
    .host = host,
};
