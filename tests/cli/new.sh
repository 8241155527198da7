#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests whyfast new, and that the commands compile and load a family outside of the tree.
. "${ROOT:-.}/tests/tap.sh"
cd "$work" || exit 1

# ---- writing -------------------------------------------------------------------------------------

expect 0 'a new family is written' "$WHYFAST" new demo
is "$(ls demo | tr '\n' ' ')" '01_first.cu 02_second.cu family.c ' '  as three files'
is "$(grep -cE '/\* [0-9]+(:.*)? \*/$' demo/family.c)" 16 '  with 16 lines about the problem'
is "$(sed -n '/^static void plan/,$p' demo/02_second.cu | grep -cE '^    (launch|\.)')" 6 \
    '  and 6 about a variant that follow from its kernel'
expect 2 'an existing folder is not touched' "$WHYFAST" new demo/
says 'demo exists already' '  and the message says so'
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

cat >saxpy.cu <<'END'
// __global__ void in_a_comment(int x) { }
__global__ void declared(float *y, int n);
float helper(float x) { return x; }
extern "C" __global__ void Saxpy(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}
template <typename T, int B>
__global__ void __launch_bounds__(B) tiled(const T *__restrict__ x, T *__restrict__ y, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) y[i] = x[i];
}
int main() { return 0; }
END
expect 4 'a missing file' "$WHYFAST" new other --from saxp.cu
says "did you mean 'saxpy.cu'?" '  is answered with the nearest one'
echo 'int main() { return 0; }' >none.cu
expect 4 'a file without kernels' "$WHYFAST" new other --from none.cu
says 'none.cu defines no __global__ function' '  is refused'
result "$([ ! -e other ]; echo $?)" '  and no folder is left'
expect 0 'a family of the kernels of a file' "$WHYFAST" new other --from saxpy.cu
prints 'for each of 2 kernels. kernel.cuh is a copy of saxpy.cu; edit the kernels there' \
    '  and the message says where the kernels are'
is "$(ls other | tr '\n' ' ')" '01_saxpy.cu 02_tiled.cu family.c kernel.cuh ' '  one variant each'
cmp -s saxpy.cu other/kernel.cuh
result $? '  and the file'
contains other/01_saxpy.cu '        1 /* TO''DO: float a */,' '  values follow the parameters'
contains other/02_tiled.cu \
    'launch_kernel(launch, ::tiled<float, 256> /* TO''DO: template <typename T, int B> */' \
    '  also those of a template'
cat >kinds.cu <<'END'
struct pair { float a, b; };
__global__ void kinds(float *__restrict__ const b, float const *x, float *const more,
                      const float *y, const float *__restrict__ z, const float last[],
                      pair by_value, cudaTextureObject_t texture, double d, unsigned n) { }
END
expect 0 'parameters of every kind' "$WHYFAST" new kinds --from kinds.cu
prints 'for each of 1 kernel.' '  of one kernel'
is "$(sed -n 's/^        \([^ ]*\) .*/\1/p' kinds/01_kinds.cu | tr '\n' ' ')" \
    "work->output work->input[0] work->scratch work->input[1] work->input[2] work->scratch \
1 1 1 n " '  only a pointer to const is an input'
is "$(grep -c 'a texture or more than 8 bytes cannot be passed \*/,$' kinds/01_kinds.cu)" 2 \
    '  and a comment says what cannot be passed'
contains kinds/family.c 'enum { INPUTS = 3 };' '  also in the number of inputs'

cat >'we"ird\.cu' <<'END'
#define KERNEL __global__ void
#if 0
__global__ void dead(float *x) { x[0] = 1; } // don't
#if 1
#else
__global__ void inner(float *x) { x[0] = 1; }
#endif
#else
namespace outer {
struct pair { float a, b; };
namespace {
__global__ void inside(float *x) { x[0] = 1; }
}
template <typename T> __global__ void special(T *x) { x[0] = 1; }
}
#endif
template <> __global__ void outer::special<int>(int *x) { x[0] = 2; }
__global__ void twice(const float *x, float *y) { y[0] = x[0]; }
__global__ void twice(const double *x, double *y, int n = 2 * 3) { y[0] = x[0] + n; }
static __global__ void plan(float *x, int n) { x[0] = n; }
__global__ void launch_kernel(float *x) { x[0] = 1; }
__global__ void n(float *x, float (*f)(float)) { x[0] = f(x[0]); }
template <bool B, int N = 8>
__global__ void LIMIT(N) flags(float *x) { x[0] = B ? N : 0; }
const char *text = R"(
__global__ void quoted(float *x) { })";
END
sed -i 's/LIMIT/__launch_bounds__/' 'we"ird\.cu'
expect 0 'kernels that are hard to name' "$WHYFAST" new hard --from 'we"ird\.cu'
says 'whyfast does not find the kernels that macros define' '  and a word about macros'
# shellcheck disable=SC1078 # the quotes divide a word that must not stand here
is "$(sed -n 's/.*launch_kernel(launch, \(.*\),$/\1/p' hard/*.cu)" \
    "::outer::inside
::outer::special<float> /* TO""DO: template <typename T> */
::outer::special<int>
static_cast<void (*)(const float *x, float *y)>(::twice)
static_cast<void (*)(const double *x, double *y, int n)>(::twice)
static_cast<void (*)(float *x, int n)>(::plan)
static_cast<void (*)(float *x)>(::launch_kernel)
::n
::flags<true> /* TO""DO: template <bool B, int N = 8> */" '  are found and named'
contains hard/08_n.cu 'nullptr /* TO''DO: float (*f)(float)' '  a function is no array'
contains hard/family.c '"The problem of we\"ird\\.cu."' '  and the file, too'
echo '#define KERNEL(name) __global__ void name() { }' >macro.cu
expect 4 'a file whose kernels are all in macros' "$WHYFAST" new macro --from macro.cu
says 'no __global__ function except in macros' '  is refused'
for file in - /dev/null; do
    expect 4 "kernels from $file" "$WHYFAST" new stream --from $file
    says "must name a file, which it copies; found '$file'" '  are refused'
done

# ---- paths ---------------------------------------------------------------------------------------

mkdir plain
for command in list report; do
    expect 4 "$command of a folder without family.c" "$WHYFAST" $command plain/
    says "plain/ has no family.c; 'whyfast new' writes one" '  is refused'
    expect 4 "$command of a folder that does not exist" "$WHYFAST" $command nowhere/
    says 'there is no folder nowhere/' '  is refused'
done
expect 4 'list of a path without a slash at its end' "$WHYFAST" list ./nowhere
says 'there is no folder ./nowhere' '  is refused'
expect 2 'a file of this directory' sh -c "cd demo && '$WHYFAST' report 01_first.cu"
says 'write ./01_first.cu' '  must have a slash'
expect 2 'a file that belongs to no family' "$WHYFAST" report saxpy.cu
says "'whyfast new NAME --from saxpy.cu' makes one" '  is answered with the command'

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

# ---- compiling -----------------------------------------------------------------------------------

# With data outside of the tree, objects are kept in the cache of this test.
mkdir data
ln -s "$ROOT"/* data/ && rm data/build
export WHYFAST_DATA="$work/data"
is "$(nm -D "$WHYFAST" 2>/dev/null | grep -cE ' T __wrap_(cudaMalloc|__cudaRegisterFatBinary)$')" \
    2 'the program exports its CUDA runtime'
expect 0 'a folder is compiled' "$WHYFAST" list demo/
says "compiling $work/demo" '  with a word'
prints 'demo/02_second: Neighbours in a warp' '  and its variants are listed'
prints "file     $work/demo/02_second.cu" '  with their files'
expect 0 'a second time' "$WHYFAST" list ./demo
is "$(cat "$work/err")" '' '  nothing is compiled'
expect 0 'its launches are planned' "$WHYFAST" report --dry-run demo
prints 'collect,demo,02_second,16777216' '  at the primary size'
expect 0 'a variant is named by its file' "$WHYFAST" launch --dry-run --size 2^20 demo/01_first.cu
is "$(grep -c ',demo,' "$work/out")" 1 '  alone'
expect 0 'the kernels of a file, with main and helpers, are compiled' "$WHYFAST" list other/
says "$(cat other/*.c* | grep -c '/\* TO''DO:') lines still say" '  lines to complete are counted'
says 'the first of them in 01_saxpy.cu' '  with the first file'
expect 0 'and those that are hard to name' "$WHYFAST" list hard/
echo '__global__ void by_value(dim3 size) { }' >by_value.cu
"$WHYFAST" new by_value --from by_value.cu >/dev/null
expect 4 'a value that is not complete' "$WHYFAST" list by_value/
says "lines still say TO""DO, the first of them in 01_by_value.cu" '  is still counted'
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
says "$work/some/demo/family.c: .title is missing; add a few words" '  is named with its file'
sed 's/\.plan = plan,//' some/demo/01_first.cu >x && mv x some/demo/01_first.cu
expect 4 'a missing plan' "$WHYFAST" list some/demo/
says "$work/some/demo/01_first.cu: .plan is missing" '  too'
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
    grep -c '/demo-[0-9a-f]*$')" 5 'each version is kept'
is "$(find "$XDG_CACHE_HOME/whyfast/own" -maxdepth 1 -name '*empty*')" '' \
    'and nothing half made is left'

# ---- the tree's names ----------------------------------------------------------------------------

cp -r "$ROOT/kernels/storage" storage
expect 0 'a name of the tree is a pattern' "$WHYFAST" list storage
is "$(cat "$work/err")" '' '  and compiles nothing'
finish
