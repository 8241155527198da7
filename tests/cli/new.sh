#!/bin/sh
# Tests whyfast new, and that the commands compile and load a family outside of the tree.
. "${ROOT:-.}/tests/tap.sh"
cd "$work" || exit 1

# ---- writing -------------------------------------------------------------------------------------

expect 0 'a new family is written' "$WHYFAST" new demo
is "$(ls demo | tr '\n' ' ')" '01_first.cu 02_second.cu family.c ' '  as three files'
is "$(grep -cE '/\* [0-9]: .* \*/$' demo/family.c)" 4 '  with 4 lines about the problem'
is "$(sed -n '/^static void plan/,$p' demo/02_second.cu | grep -cE '^    (launch|\.)')" 6 \
    '  and 6 about a variant that follow from its kernel'
expect 2 'an existing folder is not touched' "$WHYFAST" new demo/
says 'demo exists already' '  and the message says so'
mkdir beside
expect 2 '  nor the family that a path leads to' sh -c "cd beside && '$WHYFAST' new ../demo"
says 'new: ../demo exists already; nothing was changed' '    which is said'
is "$(ls beside)" '' '    and nothing is made beside it'
for name in Demo 9demo de-mo; do
    expect 2 "the name $name is refused" "$WHYFAST" new "$name"
    says 'begins with a letter' '  with the rule'
done
expect 2 'a folder is needed' "$WHYFAST" new
expect 0 'a folder elsewhere' "$WHYFAST" new some/where/mine
result "$([ -e some/where/mine/family.c ]; echo $?)" '  is made'
mkdir disk
if unshare -rm mount -t tmpfs none disk 2>/dev/null; then
    # shellcheck disable=SC2016 # for the shell inside
    expect 5 'a folder on a full disk' unshare -rm sh -c '
        mount -t tmpfs -o size=8k none disk && ! "$1" new disk/some/demo 2>&1 &&
            ls -A disk && exit 5
    ' sh "$WHYFAST"
    is "$(sed 's/^whyfast: disk.some.demo.*: No space left on device$/full/' "$work/out")" full \
        '  is said, and nothing is left'
else
    skip 'a file system of its own cannot be mounted here'
fi

echo 'int main() { return 0; }' >none.cu
for file in - /dev/null none.c; do
    expect 4 "kernels from $file" "$WHYFAST" new other --from $file
    says 'it must be a CUDA file' '  are refused'
done

# ---- paths ---------------------------------------------------------------------------------------

mkdir plain
for command in list report; do
    expect 4 "$command of a folder without family.c" "$WHYFAST" $command plain/
    says "plain/ has no family.c; 'whyfast new' writes one" '  is refused'
    expect 4 "$command of a folder that does not exist" "$WHYFAST" $command nowhere/
    says "there is no file or folder 'nowhere/'" '  is refused'
done
expect 4 'list of a path without a slash at its end' "$WHYFAST" list ./nowhere
says "there is no file or folder './nowhere'" '  is refused'
expect 2 'a file of this directory' sh -c "cd demo && '$WHYFAST' report 01_first.cu"
says 'write ./01_first.cu' '  must have a slash'
expect 2 'a file that belongs to no family' "$WHYFAST" report none.cu
says "makes one, and 'whyfast run -- PROGRAM' explains" '  names the other way'
says "'whyfast new NAME --from none.cu' makes one" '  is answered with the command'

# ---- without CUDA --------------------------------------------------------------------------------

if ! "$WHYFAST" version | grep -q 'CUDA [0-9]'; then
    expect 3 'a build without CUDA cannot compile' "$WHYFAST" report demo/
    says 'this build has no CUDA' '  and says so'
    finish
fi
expect 4 'without nvcc' env NVCC="$work/nvcc" "$WHYFAST" list demo/
says "there is no nvcc at $work/nvcc" '  the message says where it was looked for'
nvcc=$(sed -n 's/^NVCC := //p' "$ROOT/build/config.mk")
if [ ! -x "$nvcc" ]; then
    skip 'there is no nvcc'
    finish
fi

# ---- the kernels of a file -----------------------------------------------------------------------

expect 4 'a file without kernels' "$WHYFAST" new other --from none.cu
says 'none.cu has no code of a __global__ function; a template has code only for arguments that' \
    '  is refused'
result "$([ ! -e other ]; echo $?)" '  and no folder is left'
echo '__global__ void broken() { int x = y; }' >broken.cu
expect 4 'a file with a mistake' "$WHYFAST" new other --from broken.cu
says 'broken.cu(1): error: identifier "y" is undefined' '  is shown by nvcc'
says 'broken.cu: nvcc refuses it' '  and refused'
cat >kernels.cu <<'END'
// __global__ void in_a_comment(int x) { }
__global__ void declared(float *y, int n);
extern "C" __global__ void Saxpy(const float *x, float *y, const float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}
namespace outer {
struct pair { float a, b; };
enum mode { UP, DOWN };
namespace {
__global__ void inside(float *x, pair p, mode m) { x[0] = p.a + m; }
}
template <typename T, int B, mode M>
__global__ void LIMIT(B) tiled(const T *__restrict__ x, T *__restrict__ y, int n = 2)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) y[i] = x[i];
}
template __global__ void tiled<float, 256, DOWN>(const float *, float *, int);
template <>
__global__ void tiled<int, 128, UP>(const int *__restrict__ x, int *__restrict__ y, int n) { }
}
template <typename T> __global__ void unused(T *x) { }
__global__ void twice(const float *x, float *y) { y[0] = x[0]; }
__global__ void twice(const double *x, double *y) { y[0] = x[0]; }
static __global__ void plan(float *x, int n) { x[0] = n; }
#define KERNEL(name) __global__ void name(float *x) { x[0] = 1; }
KERNEL(launch_kernel)
__global__ void n(float *x, float (*f)(float), const int (*rows)[4], const float *const *y,
                  float *const more, unsigned long long k, double d, float2 both) { }
int main() { outer::inside<<<(1 + 0) / 1,
  1>>>(nullptr, {}, outer::UP); }
END
sed -i 's/LIMIT/__launch_bounds__/' kernels.cu
expect 0 'a family of the kernels of a file' "$WHYFAST" new other --from kernels.cu
prints 'for each of 9 kernels. kernel.cuh is a copy of kernels.cu; edit the kernels there' \
    '  and the message says where the kernels are'
is "$(ls other | tr '\n' ' ')" "01_saxpy.cu 02_inside.cu 03_tiled.cu 04_tiled.cu 05_twice.cu \
06_twice.cu 07_plan.cu 08_launch_kernel.cu 09_n.cu family.c kernel.cuh " \
    '  one variant each, by line'
cmp -s kernels.cu other/kernel.cuh
result $? '  and the file'
is "$(sed -n 's/^    void (\*const kernel)//p' other/*.cu)" \
    '(float const*, float*, float, int) = ::Saxpy;
(float*, outer::pair, outer::mode) = ::outer::inside;
(float const*, float*, int) = ::outer::tiled<float, 256, (outer::mode)1>;
(int const*, int*, int) = ::outer::tiled<int, 128, (outer::mode)0>;
(float const*, float*) = ::twice;
(double const*, double*) = ::twice;
(float*, int) = ::plan;
(float*) = ::launch_kernel;
(float*, float (*)(float), int const (*) [4], float const* const*, float*, unsigned long long, '\
'double, float2) = ::n;' '  with names and types'
is "$(sed -n 's/^        \([^ ]*\) .*/\1/p' other/09_n.cu | tr '\n' ' ')" \
    'work->output nullptr work->input[0] work->input[1] work->scratch n 1 float2{} ' \
    '  values follow the types'
contains other/02_inside.cu '/* The file launches inside<<<(1 + 0) / 1, 1>>>(nullptr, {}, outer::UP) */' \
    '  with the launch that the file has'
is "$(grep -l 'The file launches' other/*)" other/02_inside.cu '  and no other'
contains other/02_inside.cu 'outer::pair{} /* outer::pair, 8 bytes */,' '  and sizes'
contains other/family.c 'enum { INPUTS = 2 };' '  and so does the number of inputs'
contains other/family.c '"Kernels of " FAMILY_NAME' '  and the title'
contains other/family.c '"Compute what the kernels of " FAMILY_NAME " do."' '  and the problem'
is "$(cat other/*.c* | grep -c 'TO''DO')" 13 '  one mark for each launch, four for the problem'

# ---- compiling -----------------------------------------------------------------------------------

# With data outside of the tree, objects are kept in the cache of this test.
mkdir data
ln -s "$ROOT"/* data/ && rm data/build
export WHYFAST_DATA="$work/data"
is "$(nm -D "$WHYFAST-gpu" 2>/dev/null | grep -cE ' T __wrap_(cudaMalloc|__cudaRegisterFatBinary)$')" \
    2 'the program exports its CUDA runtime'
expect 0 'a folder is compiled' "$WHYFAST" list demo/
says "compiling $work/demo" '  with a word'
prints 'demo/02_second: Neighbours in a warp' '  and its variants are listed'
prints "file     $work/demo/02_second.cu" '  with their files'
expect 0 'a second time' "$WHYFAST" list ./demo
is "$(cat "$work/err")" '' '  nothing is compiled'
expect 0 'its launches are planned' "$WHYFAST" report --dry-run --csv demo
prints 'collect,demo,02_second,16777216' '  at the primary size'
expect 0 'a variant is named by its file' "$WHYFAST" launch --dry-run --size 2^20 demo/01_first.cu
is "$(grep -c ',demo,' "$work/out")" 1 '  alone'
mkdir large
cp demo/family.c large
sed 's/THREADS = 256/THREADS = 2048/' demo/01_first.cu >large/01_first.cu
for command in report measure 'launch --size 2^20'; do
    # shellcheck disable=SC2086 # words
    expect 4 "blocks that no device can have, by $command" "$WHYFAST" $command --dry-run large
    says 'large/01_first launches blocks of 2048 x 1 x 1 threads; a block has 1 to 1024' \
        '  are refused as in a run'
    is "$(cat "$work/out")" '' '  before anything is planned'
done
mkdir crash
sed 's/^    (void)index;.*/    *(volatile int *)0 = index;/' demo/family.c >crash/family.c
cp demo/01_first.cu crash
expect 4 'a family that crashes' "$WHYFAST" list crash/
says "whyfast: crashed by signal 11; on the CPU it runs code of crash: $work/crash, " '  is named'
mkdir cells
cp demo/family.c cells
sed 's/^VARIANT_DEFINITION = {/VARIANT_GRID = {{/; s/VARIANT_IDENTITY/VARIANT_NAMED(01_base)/
    s/^};/}, {VARIANT_NAMED(02_more), .title = "More", .after = "01_base", .plan = plan}, {}};/' \
    demo/01_first.cu >cells/grid.cu
expect 0 'one file with several variants' "$WHYFAST" list cells/
prints 'cells/02_more: More' '  gives all of them'
prints "file     $work/cells/grid.cu" '  with their file'
expect 0 '  as JSON' "$WHYFAST" list --json cells/
prints "\"file\":\"$work/cells/grid.cu\"" '    the same'
expect 0 'that file is named' "$WHYFAST" launch --dry-run --size 2^20 cells/grid.cu
is "$(grep -c ',cells,' "$work/out")" 2 '  for all of them'
cp demo/01_first.cu cells
expect 4 'and no other file beside it' "$WHYFAST" list cells/
says "$work/cells/grid.cu: it defines all variants of its family" '  is explained'
rm cells/01_first.cu
sed 's/02_more/01_more/' cells/grid.cu >x && mv x cells/grid.cu
expect 4 'two cells of one number' "$WHYFAST" list cells/
says 'no two have the same number' '  are refused'
expect 0 'the kernels of a file, with main and helpers, are compiled' "$WHYFAST" list other/
says "$(cat other/*.c* | grep -c '/\* TO''DO:') lines still say" '  lines to complete are counted'
says ": 01_saxpy.cu:$(grep -n 'TO''DO' other/01_saxpy.cu | cut -d : -f 1), 02_inside.cu:" \
    '  and named with their files and lines'
echo '__global__ void by_value(dim3 size) { }' >by_value.cu
mkdir -p beside/inc
echo 'static const int one = 1;' >beside/inc/one.h
printf '#include "inc/one.h"\n#include <stdint.h>\n%s\n' \
    '__global__ void add_one(int *to) { *to = one; }' >beside/one.cu
expect 0 'kernels with a header beside them' "$WHYFAST" new with_header --from beside/one.cu
is "$(grep -c "^#include \".*/beside/inc/one.h\"$" with_header/kernel.cuh)" 1 '  name its path in the copy'
expect 0 '  which compiles' "$WHYFAST" list with_header/
printf 'struct work { int a; };\nnamespace n { class launched; }\n%s\n' \
    '__global__ void clash(int *to, struct work by) { *to = by.a; }' >clash.cu
expect 0 'a type with the name of one of the contract' "$WHYFAST" new clash --from clash.cu
prints 'clash/ has a variant for the kernel. ' '  of the only kernel'
is "$(grep -c ' defines ' "$work/err")" 1 '  gets a warning'
says "clash.cu defines 'work', as catalog/variant.h does" '  that names it'
expect 0 'a kernel with a large value' "$WHYFAST" new by_value --from by_value.cu
says "by_value.cu: argument 1 of by_value has 12 bytes; kernels of a family take at most 8 by" \
    '  gets a warning'
contains by_value/01_by_value.cu '12 bytes; more than 8 cannot be passed' '  and a remark'
expect 4 '  must be mended' "$WHYFAST" list by_value/
says "lines still say TO""DO: 01_by_value.cu:" '  is still counted'
cp -r demo 'with blank'
expect 4 'a name with a blank is refused' "$WHYFAST" list 'with blank/'
says 'rename the folder' '  with the rule'
if unshare -rm mount -t tmpfs none disk 2>/dev/null; then
    # shellcheck disable=SC2016 # for the shell inside
    expect 4 'no room for the temporary files of nvcc' unshare -rm sh -c '
        mount -t tmpfs -o size=4k none disk && head -c 4096 /dev/zero >disk/all
        TMPDIR=$PWD/disk NVCCFLAGS=-DY=1 exec "$1" list demo/
    ' sh "$WHYFAST"
    says 'fatal' '  is said by nvcc'
fi
echo '/* changed */' >>demo/02_second.cu
expect 0 'a changed folder' "$WHYFAST" list demo/
says 'compiling' '  is compiled again'
expect 0 'other flags' env NVCCFLAGS=-DX=1 "$WHYFAST" list demo/
says 'compiling' '  are another object'
expect 0 'the sources of a run may move' mv demo some/demo
expect 0 '  with the same objects' "$WHYFAST" list some/demo/
is "$(cat "$work/err")" '' '  because their contents are the same'
expect 0 'one folder named twice' "$WHYFAST" list --csv other/ ./other
mkdir twice
cp -r other twice/other
expect 2 'two folders of one name' "$WHYFAST" list other/ twice/other/
says 'are both named other' '  are refused'

# ---- mistakes ------------------------------------------------------------------------------------

sed 's/\.title = "Scaled.*//' some/demo/family.c >x && mv x some/demo/family.c
expect 4 'a missing field' "$WHYFAST" list some/demo/
says "$work/some/demo/family.c:$(grep -n '^const struct family' some/demo/family.c | cut -d : -f 1): \
.title is missing; add a few words" '  is named with its file and line'
sed 's/\.plan = plan,//' some/demo/01_first.cu >x && mv x some/demo/01_first.cu
expect 4 'a missing plan' "$WHYFAST" list some/demo/
says "$work/some/demo/01_first.cu:$(grep -n '^VARIANT_DEF' some/demo/01_first.cu | cut -d : -f 1): \
.plan is missing" '  too'
sed 's/typedef float/typedef int/' some/demo/family.c >x && mkdir whole && cp x whole/family.c
cp some/demo/0*.cu whole
expect 4 'integers that are filled with fractions' "$WHYFAST" list whole/
says "$work/whole/family.c:" '  are refused'
says 'random_fraction is 0 in integers: use random_word' '  by a sentence'
sed 's/, work->output, n);/, work->output);/' some/demo/02_second.cu >some/demo/03_third.cu
sed 's/work->input\[1\], work->output, n/work->output, work->input[1], n/' \
    some/demo/02_second.cu >some/demo/04_fourth.cu
expect 4 'values that the kernel does not take' "$WHYFAST" list some/demo/
says 'one value for each parameter' '  are counted by nvcc'
says 'error: static assertion failed' '  as an error'
says 'nvcc refuses 2 of its files' '  and an input is no output'
rm some/demo/0[34]*
echo 'int x = y;' >>some/demo/02_second.cu
expect 4 'a mistake in a kernel' "$WHYFAST" list some/demo/
says "$work/some/demo/02_second.cu(" '  is shown by nvcc, with the path of the file'
says 'identifier "y" is undefined' '  and its message'
says 'nvcc refuses 1 of its files' '  and counted'
mv some/demo/02_second.cu some/demo/second.cu
expect 4 'a bad name of a file' "$WHYFAST" list some/demo/
says "$work/some/demo/second.cu: the name of a variant is two digits" '  is explained'
cp some/demo/second.cu some/demo/01_other.cu
expect 4 'two variants of one number' "$WHYFAST" list some/demo/
says "$work/some/demo/01_other.cu: 01_first.cu has the same number" '  are refused'
mkdir empty
: >empty/family.c
expect 4 'an empty family.c' "$WHYFAST" list empty/
says "$work/empty/family.c: there is no 'const struct family FAMILY" '  is explained'
mkdir alone
cp other/family.c alone
expect 4 'a family without a variant' "$WHYFAST" list alone/
says "$work/alone has no variant; add a file NN_idea.cu" '  is explained'
is "$(find "$XDG_CACHE_HOME/whyfast/own" -maxdepth 1 -name 'demo-*' |
    grep -c '/demo-[0-9a-f]*$')" 5 'the cache keeps each version of a family'
is "$(find "$XDG_CACHE_HOME/whyfast/own" -maxdepth 1 -name '*empty*')" '' \
    '  and nothing half made'

# ---- the tree's names ----------------------------------------------------------------------------

cp -r "$ROOT/kernels/storage" storage
expect 0 'a name of the tree is a pattern' "$WHYFAST" list storage
is "$(cat "$work/err")" '' '  and compiles nothing'
finish
