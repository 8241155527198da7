/*
 * Vendor baseline: cub::DeviceReduce::Sum of the CUDA Toolkit's CCCL.
 *
 * CUB launches two kernels: partial sums, and a block that adds them in a fixed order. In every
 * call CUB queries the device on the host; the time here is that of the kernels alone, as for all
 * rungs.
 */
#include "cub_sum.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "CUB",
    .suffers = "The problem is the same.",
    .changes = "The vendor's library: cub::DeviceReduce::Sum with its own choice of kernels.",
    .pays = "CUB needs two kernels, and its tuning was made for the P100 and is used up to compute "
            "capability 9.0.",
    .published =
        {
            {"NVIDIA/cccl pull request 9722", "H200", 4814, "65536", 0, 0, 5.35e3, 49.0},
            {"NVIDIA/cccl pull request 9722", "H200", 4814, "16777216", 0, 0, 25.7e3, 2611},
        },
    .call = cub_sum<unsigned>,
};
