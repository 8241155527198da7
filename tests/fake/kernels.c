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
    (void)launch;
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
static void calculate(const struct fake_launch *launch, enum ceiling_kernel kernel)
{
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

static void read_shared(const struct fake_launch *launch)
{
    calculate(launch, CEILING_READ_SHARED);
}

static void read_matrices(const struct fake_launch *launch)
{
    calculate(launch, CEILING_LDMATRIX);
}

/* The sums of tensor cores, rounded to floats. They are kept, too, because tests let one allocation
 * of the program fail: few of them are to be of the fake. */
static void multiply(const struct fake_launch *launch, enum ceiling_kernel kernel)
{
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

static void multiply_warps(const struct fake_launch *launch)
{
    multiply(launch, CEILING_MMA);
}

static void multiply_warpgroups(const struct fake_launch *launch)
{
    multiply(launch, CEILING_WGMMA);
}

static void multiply_add(const struct fake_launch *launch)
{
    calculate(launch, CEILING_FMA);
}

static void add_three(const struct fake_launch *launch)
{
    calculate(launch, CEILING_ADD);
}

static void chase(const struct fake_launch *launch)
{
    const struct ceiling_words *from = pointer(launch, FROM);
    uint32_t sum = 0;
    for (size_t hop = 0; hop < launch->argument[LOOPS]; hop++) sum += from[hop * CEILING_HOP].x;
    leave_sum(launch, sum);
}

static void pass_barriers(const struct fake_launch *launch)
{
    calculate(launch, CEILING_BARRIER);
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

/* ---- costs of kernels ------------------------------------------------------------------------ */

static void cost_nothing(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->warps = threads_of(launch) / 32;
    cost->instructions = 2 * cost->warps;
}

static void cost_calculation(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->warps = threads_of(launch) / 32;
    cost->instructions = cost->warps * CEILING_CHAINS * (double)launch->argument[LOOPS];
}

/* As many instructions as there are issue slots in the time of the operations at this peak. */
static void cost_products(const struct fake_launch *launch, enum ceiling_kernel kernel, double peak,
                          struct fake_cost *cost)
{
    const struct ceiling_launch asked = {.kernel = kernel,
                                         .blocks = launch->grid[0],
                                         .threads = launch->block[0],
                                         .loops = (uint32_t)launch->argument[LOOPS]};
    cost->warps = threads_of(launch) / 32;
    cost->instructions = FAKE_SCHEDULERS * 1e3 * ceiling_amount(&asked) / (0.95 * peak);
}

static void cost_warps(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost_products(launch, CEILING_MMA, FAKE_MMA_PEAK, cost);
}

static void cost_warpgroups(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost_products(launch, CEILING_WGMMA, FAKE_WGMMA_PEAK, cost);
}

static void cost_shared(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->warps = threads_of(launch) / 32;
    cost->shared_loads = cost->warps * 4 * (double)launch->argument[LOOPS];
    cost->shared_load_wavefronts = 4 * cost->shared_loads;
    cost->instructions = 5 * cost->shared_loads;
}

static void cost_read(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->warps = threads_of(launch) / 32;
    cost->dram_read_bytes = 16.0 * (double)launch->argument[COUNT];
    cost->instructions = cost->dram_read_bytes / 128;
}

static void cost_l2(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->warps = threads_of(launch) / 32;
    cost->instructions = (double)launch->argument[COUNT] * (double)launch->argument[LOOPS] / 32;
}

static void cost_write(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->warps = threads_of(launch) / 32;
    cost->dram_written_bytes = 16.0 * (double)launch->argument[COUNT];
    cost->instructions = cost->dram_written_bytes / 128;
}

static void cost_copy(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost_write(launch, cost);
    cost->dram_read_bytes = cost->dram_written_bytes;
}

static void cost_chase(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->warps = threads_of(launch) / 32;
    cost->serial_cycles = FAKE_HOP_CYCLES * (double)launch->argument[LOOPS];
}

static void cost_barriers(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->warps = threads_of(launch) / 32;
    cost->serial_cycles = FAKE_BARRIER_CYCLES * (double)launch->argument[LOOPS];
}

static void cost_atomic(const struct fake_launch *launch, struct fake_cost *cost)
{
    cost->warps = threads_of(launch) / 32;
    cost->serial_cycles = FAKE_ATOMIC_CYCLES * cost->warps * (double)launch->argument[LOOPS];
}

/* ---- by name --------------------------------------------------------------------------------- */

/* The queue runs the kernels of gate.cu (cudart_queue.c), so their `run` does nothing. To emulate
 * another kernel: a row here. */
static const struct fake_kernel emulated[] = {
    {.symbol = "gate_wait", .arguments = "88", .run = nothing, .cost = cost_nothing},
    {.symbol = "gate_stamp_kernel", .arguments = "8", .run = nothing, .cost = cost_nothing},
    {.symbol = "flush_read", .arguments = "888", .run = nothing, .cost = cost_nothing},
    {.symbol = "5empty", .arguments = "88848", .run = nothing, .cost = cost_nothing},
    {.symbol = "read_once", .arguments = "88848", .run = read_once, .cost = cost_read},
    {.symbol = "write_once", .arguments = "88848", .run = write_once, .cost = cost_write},
    {.symbol = "copy_once", .arguments = "88848", .run = copy_once, .cost = cost_copy},
    {.symbol = "read_l2", .arguments = "88848", .run = read_l2, .cost = cost_l2},
    {.symbol = "read_shared",
     .arguments = "88848",
     .run = read_shared,
     .cost = cost_shared,
     .static_shared = 16384},
    {.symbol = "read_matrices",
     .arguments = "88848",
     .run = read_matrices,
     .cost = cost_shared,
     .static_shared = 16384},
    {.symbol = "multiply_warpgroups",
     .arguments = "88848",
     .run = multiply_warpgroups,
     .cost = cost_warpgroups},
    {.symbol = "multiply_warps", .arguments = "88848", .run = multiply_warps, .cost = cost_warps},
    {.symbol = "multiply_add", .arguments = "88848", .run = multiply_add, .cost = cost_calculation},
    {.symbol = "add_three", .arguments = "88848", .run = add_three, .cost = cost_calculation},
    {.symbol = "5chase", .arguments = "88848", .run = chase, .cost = cost_chase},
    {.symbol = "pass_barriers", .arguments = "88848", .run = pass_barriers, .cost = cost_barriers},
    {.symbol = "add_atomically", .arguments = "88848", .run = add_atomically, .cost = cost_atomic},
    {.symbol = "count_wrong", .arguments = "888", .run = count_wrong, .cost = cost_nothing},
};

void fake_kernel_emulate(struct fake_kernel *kernel)
{
    kernel->registers = 32;
    for (size_t i = 0; i < sizeof emulated / sizeof *emulated; i++) {
        if (!strstr(kernel->symbol, emulated[i].symbol)) continue;
        kernel->arguments = emulated[i].arguments;
        kernel->run = emulated[i].run;
        kernel->cost = emulated[i].cost;
        kernel->static_shared = emulated[i].static_shared;
    }
}

double fake_cycles_of(const struct fake_launch *launch, struct fake_cost *cost)
{
    const double start = 1200, schedulers = FAKE_SMS * FAKE_SCHEDULERS;
    memset(cost, 0, sizeof *cost);
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
