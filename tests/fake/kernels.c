/*
 * Runs the harness' own kernels on the CPU (fake.h): those of gate.cu and ceilings.cu, known by
 * their names. They leave the same results as on a GPU, except with FAKE_STATE=wrong_ceilings. The
 * memory of device N is slower with FAKE_STATE=slow_N.
 */
#include <stdlib.h>
#include <string.h>

#include "measure/ceiling_kernels.h"
#include "fake.h"
#include "gpu/stream_gate.h"

static struct fake_kernel *kernels;

void fake_kernel_add(struct fake_kernel *kernel)
{
    if (!kernel->function) kernel->function = kernel;
    kernel->next = kernels;
    kernels = kernel;
}

/* Kernels in C are registered before main in no fixed order, so emulations are looked up on
 * request. */
static void emulate(struct fake_kernel *kernel)
{
    for (const struct fake_kernel *other = kernels; other; other = other->next) {
        if (!other->emulates || !strstr(kernel->symbol, other->emulates)) continue;
        kernel->arguments = other->arguments;
        kernel->run = other->run;
        kernel->cost = other->cost;
        kernel->static_shared = other->static_shared;
    }
}

struct fake_kernel *fake_kernel_find(const void *function)
{
    struct fake_kernel *kernel = kernels;
    while (kernel && kernel->function != function && kernel != function) kernel = kernel->next;
    if (kernel && !kernel->run) emulate(kernel);
    return kernel;
}

static void *pointer(const struct fake_launch *launch, int index)
{
    return (void *)(uintptr_t)launch->argument[index];
}

static double threads_of(const struct fake_launch *launch)
{
    return (double)launch->grid[0] * launch->grid[1] * launch->grid[2] * launch->block[0] *
           launch->block[1] * launch->block[2];
}

static void nothing(const struct fake_launch *launch)
{
}

/* ---- ceilings.cu: from, to, count, loops, sums ----------------------------------------------- */

enum { FROM, TO, COUNT, LOOPS, SUMS };

/* Leaves one word per block: the first is the whole sum, the others are 0. */
static void leave_sum(const struct fake_launch *launch, uint32_t sum)
{
    uint32_t *sums = pointer(launch, SUMS);
    memset(sums, 0, launch->grid[0] * sizeof *sums);
    sums[0] = sum + (fake_state("wrong_ceilings") ? 1 : 0);
}

static uint32_t sum_of(const struct ceiling_words *from, size_t count)
{
    struct ceiling_words sum = {0, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        sum.x += from[i].x;
        sum.y += from[i].y;
        sum.z += from[i].z;
        sum.w += from[i].w;
    }
    return ceiling_weigh(sum);
}

static void read_once(const struct fake_launch *launch)
{
    leave_sum(launch, sum_of(pointer(launch, FROM), launch->argument[COUNT]));
}

static void read_l2(const struct fake_launch *launch)
{
    leave_sum(launch, sum_of(pointer(launch, FROM), launch->argument[COUNT]) *
                          (uint32_t)launch->argument[LOOPS]);
}

static void write_once(const struct fake_launch *launch)
{
    struct ceiling_words *to = pointer(launch, TO);
    for (size_t i = 0; i < launch->argument[COUNT]; i++) to[i] = ceiling_words((uint32_t)i);
}

static void copy_once(const struct fake_launch *launch)
{
    memcpy(pointer(launch, TO), pointer(launch, FROM),
           16 * (launch->argument[COUNT] - (fake_state("wrong_ceilings") ? 3 : 0)));
}

/* Kernels that only calculate read nothing: the sum is that of the same launch in the harness'
 * arithmetic, which takes long and is therefore kept. */
static void calculate(const struct fake_launch *launch)
{
    const enum ceiling_kernel kernel = (enum ceiling_kernel)launch->kernel->ceiling;
    static struct kept {
        struct ceiling_launch launch;
        uint32_t sum;
    } kept[CEILING_KERNEL_COUNT];
    const struct ceiling_launch asked = {.kernel = kernel,
                                         .blocks = launch->grid[0],
                                         .threads = launch->block[0],
                                         .loops = (uint32_t)launch->argument[LOOPS]};
    struct kept *last = &kept[kernel];
    if (last->launch.blocks != asked.blocks || last->launch.threads != asked.threads ||
        last->launch.loops != asked.loops) {
        last->launch = asked;
        last->sum = ceiling_sum(&asked);
    }
    leave_sum(launch, last->sum);
}

/* The sums of tensor cores, rounded to floats. They are kept, too, because tests let one allocation
 * of the program fail: few of them are to be of the fake. */
static void multiply(const struct fake_launch *launch)
{
    const enum ceiling_kernel kernel = (enum ceiling_kernel)launch->kernel->ceiling;
    enum { MOST_BLOCKS = 4096 };
    static struct products {
        struct ceiling_launch launch;
        double sum[MOST_BLOCKS];
    } kept[CEILING_KERNEL_COUNT];
    const struct ceiling_launch asked = {.kernel = kernel,
                                         .blocks = launch->grid[0],
                                         .threads = launch->block[0],
                                         .loops = (uint32_t)launch->argument[LOOPS]};
    struct products *last = &kept[kernel];
    uint32_t *sums = pointer(launch, SUMS);
    if (last->launch.blocks != asked.blocks || last->launch.loops != asked.loops) {
        double norm;
        last->launch = asked;
        if (asked.blocks > MOST_BLOCKS || (ceiling_product_sums(&asked, last->sum, &norm) &&
                                           ceiling_product_sums(&asked, last->sum, &norm)))
            abort();
    }
    for (unsigned block = 0; block < asked.blocks; block++) {
        const float value = (float)last->sum[block] * (fake_state("wrong_ceilings") ? 1.1f : 1);
        memcpy(&sums[block], &value, sizeof value);
    }
}

static void chase(const struct fake_launch *launch)
{
    const struct ceiling_words *from = pointer(launch, FROM);
    uint32_t sum = 0;
    for (size_t hop = 0; hop < launch->argument[LOOPS]; hop++) sum += from[hop * CEILING_HOP].x;
    leave_sum(launch, sum);
}

static void add_atomically(const struct fake_launch *launch)
{
    uint32_t *word = pointer(launch, SUMS);
    *word += launch->grid[0] * (launch->block[0] / 32) * (uint32_t)launch->argument[LOOPS] +
             (fake_state("wrong_ceilings") ? 1 : 0);
}

static void count_wrong(const struct fake_launch *launch)
{
    const struct ceiling_words *buffer = pointer(launch, 0);
    uint32_t *wrong = pointer(launch, 2);
    for (size_t i = 0; i < launch->argument[1]; i++) {
        const struct ceiling_words expected = ceiling_words((uint32_t)i);
        *wrong += memcmp(&buffer[i], &expected, sizeof expected) != 0;
    }
}

/* ---- costs of kernels, whose warps are known ------------------------------------------------- */

static void cost_nothing(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->instructions = 2 * cost->warps;
}

static void cost_calculation(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->instructions = cost->warps * CEILING_CHAINS * (double)launch->argument[LOOPS];
}

/* As many instructions as there are issue slots in the time of the operations at the peak. */
static void cost_products(const struct fake_launch *launch, struct fake_cost *cost)
{
    const enum ceiling_kernel kernel = (enum ceiling_kernel)launch->kernel->ceiling;
    const double peak = kernel == CEILING_MMA ? FAKE_MMA_PEAK : FAKE_WGMMA_PEAK;
    const struct ceiling_launch asked = {.kernel = kernel,
                                         .blocks = launch->grid[0],
                                         .threads = launch->block[0],
                                         .loops = (uint32_t)launch->argument[LOOPS]};
    cost->instructions = FAKE_SCHEDULERS * 1e3 * ceiling_amount(&asked) / (0.95 * peak);
}

static void cost_shared(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->shared_loads = cost->warps * 4 * (double)launch->argument[LOOPS];
    cost->shared_load_wavefronts = 4 * cost->shared_loads;
    cost->instructions = 5 * cost->shared_loads;
}

static void cost_read(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->dram_read_bytes = 16.0 * (double)launch->argument[COUNT];
    cost->instructions = cost->dram_read_bytes / 128;
}

static void cost_l2(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->instructions = (double)launch->argument[COUNT] * (double)launch->argument[LOOPS] / 32;
}

static void cost_write(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->dram_written_bytes = 16.0 * (double)launch->argument[COUNT];
    cost->instructions = cost->dram_written_bytes / 128;
}

static void cost_copy(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost_write(launch, cost);
    cost->dram_read_bytes = cost->dram_written_bytes;
}

/* Steps that wait for each other: those of a thread, or of all warps that add to one word. */
static void cost_steps(const struct fake_launch *launch, struct fake_cost *cost)
{
    const int kernel = launch->kernel->ceiling;
    cost->serial_cycles = (double)launch->argument[LOOPS] *
                          (kernel == CEILING_CHASE     ? FAKE_HOP_CYCLES
                           : kernel == CEILING_BARRIER ? FAKE_BARRIER_CYCLES
                                                       : FAKE_ATOMIC_CYCLES * cost->warps);
}

/* ---- by name --------------------------------------------------------------------------------- */

/* The queue runs the kernels of gate.cu (cudart_queue.c), so their `run` does nothing. To emulate
 * another kernel: a row here. */
static const struct {
    const char *symbol, *arguments;
    void (*run)(const struct fake_launch *launch);
    void (*cost)(const struct fake_launch *launch, struct fake_cost *cost);
    int ceiling, static_shared;
} emulated[] = {
    {"gate_wait", "88", nothing, cost_nothing, 0, 0},
    {"gate_stamp_kernel", "8", nothing, cost_nothing, 0, 0},
    {"flush_read", "888", nothing, cost_nothing, 0, 0},
    {"5empty", "88848", nothing, cost_nothing, 0, 0},
    {"read_once", "88848", read_once, cost_read, 0, 0},
    {"write_once", "88848", write_once, cost_write, 0, 0},
    {"copy_once", "88848", copy_once, cost_copy, 0, 0},
    {"read_l2", "88848", read_l2, cost_l2, 0, 0},
    {"read_shared", "88848", calculate, cost_shared, CEILING_READ_SHARED, 16384},
    {"read_matrices", "88848", calculate, cost_shared, CEILING_LDMATRIX, 16384},
    {"multiply_warpgroups", "88848", multiply, cost_products, CEILING_WGMMA, 0},
    {"multiply_warps", "88848", multiply, cost_products, CEILING_MMA, 0},
    {"multiply_add", "88848", calculate, cost_calculation, CEILING_FMA, 0},
    {"add_three", "88848", calculate, cost_calculation, CEILING_ADD, 0},
    {"5chase", "88848", chase, cost_steps, CEILING_CHASE, 0},
    {"pass_barriers", "88848", calculate, cost_steps, CEILING_BARRIER, 0},
    {"add_atomically", "88848", add_atomically, cost_steps, CEILING_ATOMIC, 0},
    {"count_wrong", "888", count_wrong, cost_nothing, 0, 0},
};

void fake_kernel_emulate(struct fake_kernel *kernel)
{
    kernel->registers = 32;
    for (size_t i = 0; i < sizeof emulated / sizeof *emulated; i++) {
        if (!strstr(kernel->symbol, emulated[i].symbol)) continue;
        kernel->arguments = emulated[i].arguments;
        kernel->run = emulated[i].run;
        kernel->cost = emulated[i].cost;
        kernel->ceiling = emulated[i].ceiling;
        kernel->static_shared = emulated[i].static_shared;
    }
}

double fake_cycles_of(const struct fake_launch *launch, struct fake_cost *cost)
{
    const double start = 1200, schedulers = FAKE_SMS * FAKE_SCHEDULERS;
    memset(cost, 0, sizeof *cost);
    cost->warps = threads_of(launch) / 32;
    launch->kernel->cost(launch, cost);
    const double issue = 1.25 * cost->instructions / schedulers;
    const double shared = (cost->shared_load_wavefronts + cost->shared_store_wavefronts) / FAKE_SMS;
    const double dram =
        (cost->dram_read_bytes + cost->dram_written_bytes) /
        (fake_device_state("slow") ? 0.9 * FAKE_DRAM_BYTES_PER_CYCLE : FAKE_DRAM_BYTES_PER_CYCLE);
    double longest = issue;
    if (shared > longest) longest = shared;
    if (dram > longest) longest = dram;
    return start + longest + 0.1 * (issue + shared + dram) + cost->serial_cycles;
}
