#!/bin/sh
# Tests the top rung of the matrix product against both modes of cuBLAS for squares, as library.sh
# does. Prints TAP.
set -u
PATTERN=${PATTERN:-gemm/[29][0-9]*}
RANK=3
SIZES='64x64x64 128x128x128 256x256x256 512x512x512 1024x1024x1024 2048x2048x2048 4096x4096x4096
    8192x8192x8192'
export PATTERN RANK SIZES
exec sh "$(dirname "$0")/library.sh"
