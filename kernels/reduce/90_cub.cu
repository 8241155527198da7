/*
 * Vendor baseline: cub::DeviceReduce::Sum of the CUDA Toolkit's CCCL.
 *
 * Two kernels, partial sums and a block that adds them, in a fixed order. What CUB wants to know of
 * the device it asks the runtime in every call, on the host; the time here is the kernels' alone,
 * as for all rungs.
 */
#include "cub_sum.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "CUB",
    .suffers = "The same problem.",
    .changes = "The vendor's library: cub::DeviceReduce::Sum with its own choice of kernels.",
    .pays = "Two kernels, and a tuning that was made for the P100 and serves up to compute "
            "capability 9.0.",
    .published =
        {
            {"NVIDIA/cccl pull request 9722", "H200", 4814, "65536", 0, 0, 5.35e3, 49.0},
            {"NVIDIA/cccl pull request 9722", "H200", 4814, "16777216", 0, 0, 25.7e3, 2611},
        },
    .call = cub_sum<unsigned>,
};
