#!/bin/sh
# Tests the rung of the matrix product that chooses its kernel by the shape, at shapes that make it
# take each kind of kernel: aligned rows and others, clusters, parts, and tiles that hang over. The
# results are right, and the sanitizers find nothing. Prints the choices. Prints TAP.
#
# racecheck gets shapes that fill no stage twice in a ring with barriers in shared memory. If one is
# filled twice, racecheck of CUDA 13.0 reports races between the copies and the reads before them,
# although the barrier keeps them apart (one thread of each warp arrives, after __syncwarp and after
# the reads are over). According to its release notes, racecheck 2025.4 corrects this.
#
# TOOLS names the sanitizers (memcheck racecheck synccheck).
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
RUNG=${RUNG:-gemm/22*}
TOOLS=${TOOLS-memcheck racecheck synccheck}

corners='1x1x1,1x7x3000,7x1x3001,3x5x1001,8x8x20000,8x3x50000'
rows='1x4096x500,1x4097x333,4x256x777,5x40x20000,8x300x1000,8x301x999,12x1001x300,16x2048x200'
columns='1000x1x500,999x2x501,1001x3x500,500x4x333,400x5x1000'
columns=$columns,'300x6x333,200x7x999,500x8x1000,40x8x20000'
split='33x65x129,64x64x64,100x100x100,16x16x50000,300x12x4000,12x40x64,129x257x33'
# Many tall tiles with a large K: a stage of the ring is filled again soon after it was read.
again='3647x17x3719,3906x15x3605,3700x28x2956,2066x21x4018,2267x844x3109,1184x1484x4034'
share='512x512x512,256x256x2048,500x400x2000,510x509x601,64x64x16384,63x1500x1000,300x77x2999'
stream='1024x1024x1024,1500x1501x300,2048x2048x256,1999x2003x150,2047x2047x1000'
few='600x1001x33,969x787x38,1000x1002x100,1024x1000x20,1999x2003x1'
once='512x512x512,300x77x500,2047x2047x128,2048x2048x128'
kinds='corner rows columns split share stream few'
all="$corners,$rows,$columns,$split,$share,$again,$stream,$few"

"$WHYFAST" measure -q "$RUNG" -s "$all" --samples 5 -o "$work/run" >"$work/out" 2>&1
result $? 'measured'
sed 's/^/# /' "$work/out"
wrong=$(faults "$work/run")
[ -s "$work/run/points.csv" ] && [ -z "$wrong" ]
result $? "every point is right $wrong"
plain "$work/run/points.csv" >"$work/points"
column "$work/points" size choice | sed 's/^/# /'
for kind in $kinds; do
    column "$work/points" choice | grep -q "^$kind "
    result $? "a point is computed by $kind"
done
for tool in $TOOLS; do
    shapes=$all
    [ "$tool" = racecheck ] && shapes=$corners,$rows,$columns,$split,$few,$once
    wanted=$(echo "$shapes" | tr , '\n' | wc -l)
    if ! command -v compute-sanitizer >/dev/null; then
        skip 'compute-sanitizer is not on the PATH'
        continue
    fi
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$WHYFAST" launch "$RUNG" -s "$shapes" \
        >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] && [ "$(grep -c ',ok$' "$work/out")" -ge "$wanted" ]
    result $? "compute-sanitizer $tool finds nothing: exit status $status," \
        "$(grep -c ',ok$' "$work/out") launches"
    [ $status -eq 0 ] || tail -n 20 "$work/out" | sed 's/^/# /'
done
finish
