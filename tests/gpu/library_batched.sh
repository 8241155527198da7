#!/bin/sh
# Tests the top rung of the batched sums against CUB and cuBLAS, as library.sh does, at 16 shapes
# from 65536 batches of 64 elements to 16 of 2^24. For the shapes where a block of any kernel reads
# each batch, the library is as fast: there the lower end of the interval may be 1 % below. Prints
# TAP.
set -u
SIZES=${SIZES:-65536x64 32768x256 16384x512 8192x1024 4096x4096 2048x16384 1024x32768 512x65536 \
256x262144 128x1048576 64x2097152 32x4194304 16x16777216 65536x1024 8192x8192 2048x262144}
export SIZES
RANK=2 LEAST_SPEEDUP=${LEAST_SPEEDUP:-0.99} exec sh "$(dirname "$0")/library.sh"
