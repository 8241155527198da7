/*
 * Defines what a family (one problem) and a variant (one rung of its ladder) of kernels/ declare.
 * It is static constant data of the declaring file; the harness only reads it.
 *
 * This header is valid C11 and C++17, because families are C and variants are CUDA C. The Makefile
 * derives the identity of a file (FAMILY, FAMILY_NAME; VARIANT, VARIANT_FAMILY, VARIANT_NAME,
 * VARIANT_FILE) from its path, so that no name is written twice.
 */
#ifndef WHYFAST_VARIANT_H
#define WHYFAST_VARIANT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "catalog/busy_limit.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /* Maximum numbers; those of lists include the terminating empty entry. */
    SHAPE_RANK = 3,        /* dimensions of a problem */
    INPUT_COUNT = 3,       /* input arrays of a problem */
    LAUNCH_ARGUMENTS = 12, /* arguments of a kernel */
    SWEEP_VALUES = 24,     /* settings of a sweep: a list */
    BLOCK_VALUES = 8,      /* block sizes of a family: a list */
    CLAIM_COUNT = 9,       /* claims of a variant: a list */
    PUBLISHED_COUNT = 16,  /* published figures of a variant: a list */
    TENSOR_MAPS = 3,       /* tensor maps of a launch */
    SHARED_ACCESSES = 32   /* kinds of access to shared memory that a launch describes */
};

/* One problem size: n, or M x N x K. Written "4194304" or "1024x1024x1024". */
struct shape {
    int rank;
    uint64_t dim[SHAPE_RANK];
};

/* One point to run: a shape and the settings of a variant. block and sweep are 0 without such a
 * setting. */
struct point {
    struct shape shape;
    int block;  /* threads per block, one of family.blocks; a rung may ignore it */
    int sweep;  /* one of variant.sweep_values */
    int device; /* number among the devices of the run, from 0 */
};

/* Input of a launch. All pointers are device memory owned by the harness; for variant.host they are
 * host memory. */
struct work {
    struct point point;
    int sm_count;           /* of the device, for grids that fill it */
    int compute_capability; /* 90 for 9.0 */
    const void *input[INPUT_COUNT];
    void *output;
    void *scratch; /* family.scratch_bytes(shape) bytes, undefined before the first launch */
};

enum map_element { ELEMENT_FLOAT, ELEMENT_BFLOAT16, ELEMENT_COUNT };

/* A row-major matrix. Bulk tensor copies (TMA) bring boxes of it into shared memory, where elements
 * outside of it arrive as 0, or write boxes of shared memory into it. */
struct tensor_map {
    const void *base; /* device memory, aligned to 16 bytes */
    uint64_t rows, columns;
    uint64_t pitch;                 /* bytes from row to row, a multiple of 16 */
    unsigned box_rows, box_columns; /* of a copy, at most 256 each */
    int swizzle; /* 0, or 32, 64, 128 bytes: 16-byte pieces are permuted within such a row */
    enum map_element element; /* floats if it is not set */
};

static inline size_t tensor_map_element_bytes(const struct tensor_map *map)
{
    return map->element == ELEMENT_BFLOAT16 ? 2 : 4;
}

/* One kernel launch, filled by variant.plan. Its arguments are the tensor maps, each a `const
 * __grid_constant__ CUtensorMap`, then values of up to 8 bytes. */
struct launch {
    const void *function; /* the __global__ entry point */
    unsigned grid[3];
    unsigned block[3];
    size_t dynamic_shared; /* bytes; above 48 KiB the harness raises the function's limit */
    int cooperative;       /* the point is skipped if the grid cannot be resident at once */
    unsigned cluster;      /* blocks of a cluster, along x; 0: no clusters */
    int tensor_map_count;
    struct tensor_map tensor_map[TENSOR_MAPS];
    /* The output and the first clear_scratch bytes of scratch are set to 0 right before, by
     * cudaMemsetAsync, which counts in the time but not in the counters. */
    int clear_output;
    size_t clear_scratch;
    int argument_count;
    uint64_t argument[LAUNCH_ARGUMENTS];
};

/* Add one argument. In CUDA C, launch_kernel below sets all of them. */
static inline void launch_integer(struct launch *launch, uint64_t value)
{
    launch->argument[launch->argument_count++] = value;
}

static inline void launch_pointer(struct launch *launch, const void *pointer)
{
    launch_integer(launch, (uint64_t)(uintptr_t)pointer);
}

/* One kind of access to shared memory: the address map of a warp, from which its wavefronts follow
 * (catalog/bank_model.h), and the number of such warp instructions in a launch. */
enum access_kind {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_MATRIX_LOAD /* ldmatrix: each lane names a row of a matrix, 16 bytes */
};
enum { LANE_IDLE = -1 };

struct shared_access {
    const char *name; /* "reads of B" */
    enum access_kind kind;
    int width;       /* bytes per lane: 2, 4, 8 or 16 */
    int address[32]; /* bytes, by lane, or LANE_IDLE */
    double executions;
};

/* How the output is judged against the reference. The exact kinds compare it element by element
 * with a reference of the same type. The others hold the relative Frobenius error
 * ||output - reference|| / ||reference|| against family.tolerance(shape), with a reference in
 * double. */
enum comparison {
    COMPARE_UNSET,              /* forgotten: an error at start-up */
    COMPARE_BYTES_EXACT,        /* 8-bit integers */
    COMPARE_INT32_EXACT,        /* 32-bit integers */
    COMPARE_BITS_EXACT,         /* any type, byte by byte */
    COMPARE_HALF_FROBENIUS,     /* IEEE halves */
    COMPARE_BFLOAT16_FROBENIUS, /* bfloat16 */
    COMPARE_FLOAT_FROBENIUS,    /* floats */
    COMPARE_DOUBLE_FROBENIUS,   /* doubles */
    COMPARISON_COUNT
};

static inline int comparison_is_approximate(enum comparison comparison)
{
    return comparison >= COMPARE_HALF_FROBENIUS;
}

/* The seed for which a family with ones_are_exact fills its inputs with 1. */
#define SEED_OF_ONES UINT64_MAX

/* The unit of a problem's speed: bytes if memory is its final limit, operations if arithmetic is.
 */
enum rate {
    RATE_BYTES,     /* GB/s of useful bytes */
    RATE_OPERATIONS /* TFLOP/s of useful operations */
};

/* The unit whose peak limits the arithmetic of a problem (metrics/devices/). */
enum compute_unit {
    UNIT_FP32,        /* the CUDA cores: single-precision multiply-adds */
    UNIT_TENSOR_BF16, /* the tensor cores: bfloat16 or FP16 matrices, float32 sums */
    UNIT_TENSOR_TF32, /* the tensor cores: TF32 matrices, float32 sums */
    UNIT_COUNT
};

/* One problem. kernels/<family>/family.c defines `const struct family FAMILY`. */
struct family {
    const char *name;         /* FAMILY_NAME */
    const char *title;        /* "Sum of 32-bit integers" */
    const char *problem;      /* one or two sentences for a reader who has never seen it */
    int rank;                 /* dimensions of a shape */
    const char *sizes[8];     /* sizes of a run if the user names none, NULL-terminated */
    const char *primary_size; /* one of sizes: that of a quick report, and the one at which single
                                 instructions are counted; NULL: the largest */
    int blocks[BLOCK_VALUES]; /* block sizes to choose from, 0-terminated; may be empty */
    int block_preset;         /* the block size if the user names none */
    int input_count;
    enum comparison comparison;
    enum rate rate;
    int operations_per_lane;       /* most useful operations of a lane in one instruction: 2 for a
                                      multiply-add or a sum of three; 0 counts as 1 */
    const char *useful_bytes_text; /* what useful_bytes counts, in words */
    size_t (*input_bytes)(const struct shape *shape, int index);
    size_t (*output_bytes)(const struct shape *shape);
    size_t (*scratch_bytes)(const struct shape *shape);     /* NULL: none */
    double (*useful_bytes)(const struct shape *shape);      /* least traffic of the problem */
    double (*useful_operations)(const struct shape *shape); /* least arithmetic of the problem */
    double (*tolerance)(const struct shape *shape);         /* NULL for exact comparison */
    /* Both in host memory; inputs are random, never zeros, or ones for SEED_OF_ONES. */
    void (*fill)(const struct shape *shape, uint64_t seed, void *const *input);
    void (*reference)(const struct shape *shape, void *const *input, void *output);
    enum compute_unit unit; /* its peak is the family's own, beside that of the CUDA cores */
    /* Returns 1 if the output of inputs that are all 1 must be exact. NULL: never. */
    int (*ones_are_exact)(const struct shape *shape);
};

static inline size_t family_scratch_bytes(const struct family *family, const struct shape *shape)
{
    return family->scratch_bytes ? family->scratch_bytes(shape) : 0;
}

/* A claim of a source about a step. `expect` is a boolean SQL expression over the metrics of this
 * rung, of the rung before (prev_<metric>) and of the first (first_<metric>). The verdict is
 * "confirmed" or "refuted", "seen" or "not seen" if `at_times`; "undecided" if the expression has
 * no value although all its metrics have; if about another device, "not measurable here". */
struct claim {
    const char *says; /* the claim in our words */
    const char *source;
    const char *place; /* in the source: slide, section, heading */
    const char *size;  /* the size that it is about, or NULL for every size */
    const char *expect;
    int sweep;          /* the setting that it is about, or 0 for the best one */
    int at_times;       /* 1: the source says that it holds at times, or may hold */
    const char *device; /* part of the name of the only device that it is about, or NULL */
    int block;          /* the block size that it is about, or 0 for the run's own */
};

/* An `expect`: at least x times as fast as the library; undecided if the interval includes x. */
#define TIMES_LIBRARY(x)                                                                           \
    "CASE WHEN speedup_library_low >= " #x " THEN 1 WHEN speedup_library_high < " #x " THEN 0 END"

/* An `expect`: warps wait less for shared memory than those of the rung before. Where its data
 * stage limits the kernel, the waits are for its throughput, too, so that more of them do not show
 * that latency is exposed. */
#define SHARED_LATENCY_HIDDEN                                                                      \
    "CASE WHEN stall_short_scoreboard < prev_stall_short_scoreboard THEN 1 WHEN shared_pipe_pct "  \
    "< " VALUE_TEXT(BUSY_LIMIT_PCT) " THEN 0 END"

/* A figure that a source prints for this rung. */
struct published {
    const char *source;
    const char *device;
    double peak_gbs; /* the device's DRAM peak by the source, or by peak_source */
    const char *size;
    int block; /* 0: not given; a full report measures the rung with this one, too, if it can */
    int sweep;
    double time_ns;
    double effective_gbs;    /* 0: not given */
    const char *row;         /* of the source's table, if it has several for this rung, or NULL */
    const char *peak_source; /* if the source does not give the peak itself, or NULL */
};

/* One rung. kernels/<family>/NN_idea.cu defines `VARIANT_DEFINITION = { VARIANT_IDENTITY, ... };`,
 * and grid.cu several (VARIANT_GRID).
 *
 * It sets the functions of one kind:
 *   a kernel    launch_count and plan: the harness launches
 *   a library   call: a vendor's baseline for the rungs of the ladder
 *   the CPU     host: a reference, timed by the CPU's clock; its caches are not flushed
 */
struct variant {
    const char *family;
    const char *name;
    const char *file;
    const char *title;   /* a few words for charts and headings */
    const char *after;   /* the rung that it improves on, NULL for the first */
    const char *suffers; /* the problem of the rung before it; for the first: of the problem */
    const char *changes; /* the change of this rung */
    const char *pays;    /* the cost that remains */
    /* Why the result must be expected to be wrong, as a sentence, or NULL. Such a rung is launched
     * many times, and the run says how often it was wrong. If it never was, it is timed, but this
     * time is not compared with others (unguaranteed_time_ns). */
    const char *fails;
    int full_only;                  /* 1: a quick report measures it only if its name is given */
    int sustained;                  /* 1: it is also run again and again without pauses */
    const char *factors;            /* "double_buffer=1 conflict_free=0" for ablations, or NULL */
    const char *sweep_name;         /* name of the swept setting, e.g. "loads", or NULL */
    const char *sweep_text;         /* its meaning, in words */
    int sweep_values[SWEEP_VALUES]; /* 0-terminated */
    struct claim claims[CLAIM_COUNT];
    struct published published[PUBLISHED_COUNT];
    /* The largest relative error that is accepted of this variant, whose arithmetic is shorter than
     * that of others. NULL: family.tolerance. */
    double (*tolerance)(const struct shape *shape);
    /* Computes the expected output at a setting that changes the problem. NULL: family.reference.
     */
    void (*reference)(const struct point *point, void *const *input, void *output);
    /* Returns why the point cannot run here, as a sentence, or NULL if it can. The function may be
     * NULL. */
    const char *(*refuses)(const struct point *point, int compute_capability);
    unsigned (*launch_count)(const struct point *point); /* NULL: one launch */
    void (*plan)(const struct work *work, unsigned index, struct launch *launch);
    /* Queues the library's work on `stream`, a cudaStream_t. Returns 0 or the library's error. */
    int (*call)(const struct work *work, void *stream);
    void (*host)(const struct work *work);
    /* Returns the excess shared-memory wavefronts of launch `index`, computed from its addresses,
     * for variants whose accesses are all 4 bytes wide. NULL if no closed form is known. */
    double (*excess_wavefronts)(const struct point *point, unsigned index);
    /* Lists the accesses to shared memory of launch `index` and returns their number, at most
     * SHARED_ACCESSES. Replaces excess_wavefronts if accesses of several kinds mix, or to show
     * which lanes collide. The text after a comma in a name distinguishes accesses of one line of
     * code. */
    int (*shared_accesses)(const struct work *work, unsigned index, struct shared_access *list);
    /* Returns what the variant picks for the shape and the device, such as its tile, in a few words
     * without a comma; the text is constant. NULL if the variant has no choice. */
    const char *(*choice)(const struct work *work);
};

/* For variant.excess_wavefronts: the lanes of a warp always access different banks. */
static inline double no_excess_wavefronts(const struct point *point, unsigned index)
{
    (void)point;
    (void)index;
    return 0;
}

enum variant_kind { KIND_KERNEL, KIND_LIBRARY, KIND_CPU };

static inline enum variant_kind variant_kind(const struct variant *variant)
{
    return variant->host ? KIND_CPU : variant->call ? KIND_LIBRARY : KIND_KERNEL;
}

/* Returns the number of launches of the harness: kernels, one call of a library, none on the CPU.
 */
static inline unsigned variant_launches(const struct variant *variant, const struct point *point)
{
    if (variant->host) return 0;
    return variant->call || !variant->launch_count ? 1 : variant->launch_count(point);
}

#ifdef VARIANT
#define VARIANT_IDENTITY VARIANT_FAMILY, VARIANT_NAME, VARIANT_FILE
/* C++ gives a const object internal linkage unless it was declared extern before. */
#define VARIANT_DEFINITION                                                                         \
    extern "C" const struct variant VARIANT;                                                       \
    const struct variant VARIANT

/* kernels/<family>/grid.cu defines all variants of a family that differ in their factors:
 * `VARIANT_GRID = {CELL(01_idea, ...), ..., {}};`. Each one begins a line with a macro of that file
 * whose first argument is the name; the macro begins with `{VARIANT_NAMED(name), `. */
#define VARIANT_NAMED(name) VARIANT_FAMILY, #name, VARIANT_FILE
#define VARIANT_GRID                                                                               \
    extern "C" const struct variant VARIANT[];                                                     \
    const struct variant VARIANT[]

/* A text of a cell by a factor, 1 or 0. */
#define VARIANT_IF(factor, on, off) VARIANT_IF_##factor(on, off)
#define VARIANT_IF_0(on, off) off
#define VARIANT_IF_1(on, off) on
#endif

#ifdef __cplusplus
}

/* Also if the header is included within extern "C". */
extern "C++" {

/* Adds one argument, converted to the type of the parameter. */
template <typename Parameter, typename Value>
static inline void launch_value(struct launch *launch, Value value)
{
    static_assert(sizeof(Parameter) <= sizeof(uint64_t),
                  "an argument has at most 8 bytes; pass a larger one by a pointer");
    const Parameter parameter = static_cast<Parameter>(value);
    uint64_t bits = 0;
    memcpy(&bits, &parameter, sizeof parameter);
    launch_integer(launch, bits);
}

template <typename... Parameters, typename... Values>
static inline void launch_values(struct launch *launch, Values... values)
{
    static_assert(sizeof...(Parameters) == sizeof...(Values),
                  "the kernel needs one value for each parameter that is no tensor map");
    if constexpr (sizeof...(Parameters) == sizeof...(Values))
        (launch_value<Parameters>(launch, values), ...);
}

/* The tensor maps come first, and are no values. */
template <typename First, typename... Rest, typename... Values>
static inline void launch_after_maps(struct launch *launch, void (*)(First, Rest...),
                                     Values... values)
{
    if constexpr (sizeof(First) > sizeof(uint64_t) && sizeof...(Rest) > 0 &&
                  sizeof...(Rest) >= sizeof...(Values))
        launch_after_maps(launch, static_cast<void (*)(Rest...)>(nullptr), values...);
    else if constexpr (sizeof(First) <= sizeof(uint64_t) || sizeof...(Values) > 0)
        launch_values<First, Rest...>(launch, values...);
}

/* Sets the kernel of a launch and its arguments: a value for each parameter that is no tensor map,
 * which is converted to the type of the parameter. */
template <typename... Parameters, typename... Values>
static inline void launch_kernel(struct launch *launch, void (*kernel)(Parameters...),
                                 Values... values)
{
    static_assert(sizeof...(Values) <= LAUNCH_ARGUMENTS, "more values than LAUNCH_ARGUMENTS");
    launch->function = reinterpret_cast<const void *>(kernel);
    if constexpr (sizeof...(Parameters) > 0)
        launch_after_maps(launch, kernel, values...);
    else
        launch_values<>(launch, values...);
}

template <typename Value> static inline Value plan_argument(Value value)
{
    return value;
}

template <typename... Parameters>
static inline const void *plan_argument(void (*kernel)(Parameters...))
{
    return reinterpret_cast<const void *>(kernel);
}

/* For variant.plan: FILL(work, launch, arguments), in which a kernel is a `const void *`. */
template <auto FILL, auto... ARGUMENTS>
static inline void plan_by(const struct work *work, unsigned, struct launch *launch)
{
    FILL(work, launch, plan_argument(ARGUMENTS)...);
}

/* For variant.shared_accesses: DESCRIBE(work, list). */
template <auto DESCRIBE>
static inline int list_by(const struct work *work, unsigned, struct shared_access *list)
{
    return DESCRIBE(work, list);
}
}
#endif
#endif
