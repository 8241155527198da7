#!/bin/sh
# Tests the top rung of the matrix product against both modes of cuBLAS, as library.sh does, for
# shapes drawn at random: uniform, with one side below 64, and small. On average it must not be much
# slower. Prints TAP.
#
# SHAPES is the number of shapes drawn of each of the three kinds (20), from SEED.
set -u
PATTERN=${PATTERN:-gemm/[29][0-9]*}
RANK=3
LEAST_MEAN=0.90
OPTIONS='--samples 25 --seconds 1'

# Sides up to 4096; the same, but one side, each in its turn, up to 63; sides up to 512. They are
# the same on every machine, by Lehmer's generator with the factor 48271 (Park, Miller, Stockmeyer,
# 1993), whose products awk's numbers hold exactly. Its first numbers are skipped because they
# depend on the small seed.
SIZES=$(awk -v seed="${SEED:-20260713}" -v count="${SHAPES:-20}" '
    function side(most) { x = 48271 * x % 2147483647; return 1 + int(most * x / 2147483647) }
    function shape(m_most, n_most, k_most,    m, n) {
        m = side(m_most); n = side(n_most); print m "x" n "x" side(k_most)
    }
    BEGIN {
        x = seed
        for (i = 0; i < 16; i++) side(1)
        for (i = 0; i < count; i++) shape(4096, 4096, 4096)
        for (i = 0; i < count; i++)
            shape(i % 3 ? 4096 : 63, i % 3 == 1 ? 63 : 4096, i % 3 == 2 ? 63 : 4096)
        for (i = 0; i < count; i++) shape(512, 512, 512)
    }')
export PATTERN RANK SIZES LEAST_MEAN OPTIONS
exec sh "$(dirname "$0")/library.sh"
