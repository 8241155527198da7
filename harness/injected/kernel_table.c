/*
 * Tells kernels apart by their launch signature, and describes each once in kernels.csv.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "injected/part_files.h"
#include "injected/watch.h"

static void *kernels; /* a tree (tsearch) by signature */
static int count;

static int by_signature(const void *a, const void *b)
{
    const struct known_kernel *first = a, *second = b;
    return launch_signature_order(&first->signature, &second->signature);
}

/* A function of the runtime is a CUkernel, from which the driver makes a function. */
static int attribute(CUfunction *function, CUfunction_attribute which)
{
    int value = -1;
    if (driver.function_attribute(&value, which, *function) == CUDA_SUCCESS) return value;
    CUfunction loaded = NULL;
    if (driver.kernel_function(&loaded, (CUkernel)*function) != CUDA_SUCCESS) return -1;
    *function = loaded;
    return driver.function_attribute(&value, which, loaded) == CUDA_SUCCESS ? value : -1;
}

struct kernel_attributes kernel_attributes(CUfunction function,
                                           const struct launch_signature *signature)
{
    const unsigned threads = signature->block[0] * signature->block[1] * signature->block[2];
    struct kernel_attributes found = {.static_shared =
                                          attribute(&function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
                                      .blocks_per_sm = -1};
    found.registers = attribute(&function, CU_FUNC_ATTRIBUTE_NUM_REGS);
    found.local_bytes = attribute(&function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    found.max_block_threads = attribute(&function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    if (found.static_shared < 0 || driver.occupancy(&found.blocks_per_sm, function, (int)threads,
                                                    signature->dynamic_shared) != CUDA_SUCCESS)
        found.blocks_per_sm = -1;
    return found;
}

static void write_number(struct csv_writer *row, int value)
{
    if (value < 0)
        csv_text(row, NULL);
    else
        csv_integer(row, value);
}

static void describe(const struct known_kernel *kernel, const struct kernel_attributes *attributes)
{
    const struct launch_signature *signature = &kernel->signature;
    struct csv_writer *row = part_row(PART_KERNELS);
    char *symbol = part_escaped(signature->symbol), *range = part_escaped(signature->range);
    if (row) {
        csv_integer(row, kernel->number);
        csv_text(row, symbol);
        csv_integer(row, signature->device);
        for (int i = 0; i < 3; i++) csv_integer(row, signature->grid[i]);
        for (int i = 0; i < 3; i++) csv_integer(row, signature->block[i]);
        csv_integer(row, signature->dynamic_shared);
        write_number(row, attributes->static_shared);
        write_number(row, attributes->registers);
        write_number(row, attributes->local_bytes);
        write_number(row, attributes->max_block_threads);
        write_number(row, attributes->blocks_per_sm);
        CSV_TEXTS(row, range, NULL);
        csv_integer(row, attributes->is_of_graph);
        part_row_end(row);
    }
    free(symbol);
    free(range);
}

struct known_kernel *kernel_find(const struct launch_signature *signature)
{
    const struct known_kernel wanted = {.signature = *signature};
    struct known_kernel **found = tfind(&wanted, &kernels, by_signature);
    return found ? *found : NULL;
}

struct known_kernel *kernel_add(const struct launch_signature *signature,
                                const struct kernel_attributes *attributes)
{
    struct known_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) return NULL;
    kernel->number = count;
    kernel->signature = *signature;
    kernel->signature.symbol = strdup(signature->symbol);
    kernel->signature.range = strdup(signature->range);
    kernel->planned = watch_plan_find(&watch.plan, watch.process, signature);
    if (!kernel->signature.symbol || !kernel->signature.range ||
        !tsearch(kernel, &kernels, by_signature))
        return free(kernel), NULL;
    count++;
    describe(kernel, attributes);
    return kernel;
}
