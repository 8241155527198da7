/*
 * Tells kernels apart by their launch signature, and describes each once in kernels.csv.
 */
#include <stdlib.h>
#include <string.h>

#include "inject/part_files.h"
#include "inject/watch.h"

enum { BUCKETS = 4096 };

/* The kernels in order of their first launch. Pointers stay valid: each is allocated by itself. */
static struct known_kernel **table;
static int count;

/* Lists of kernels by hash, as numbers + 1; 0 ends a list. */
static int bucket[BUCKETS], *next;

static unsigned hash_of(const struct launch_signature *signature)
{
    unsigned hash = 2166136261u;
    for (const char *p = signature->symbol; *p; p++) hash = (hash ^ (unsigned char)*p) * 16777619u;
    for (const char *p = signature->range; *p; p++) hash = (hash ^ (unsigned char)*p) * 16777619u;
    for (int i = 0; i < 3; i++) hash = (hash ^ signature->grid[i]) * 16777619u;
    return (hash ^ signature->block[0] ^ signature->dynamic_shared) % BUCKETS;
}

struct known_kernel *kernel_at(int number)
{
    return table[number];
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

static void describe(int number, const struct kernel_attributes *attributes)
{
    const struct launch_signature *signature = &table[number]->signature;
    struct csv_writer *row = part_row(PART_KERNELS);
    char *symbol = part_escaped(signature->symbol), *range = part_escaped(signature->range);
    if (row) {
        csv_integer(row, number);
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

/* Makes room for one more kernel: the arrays double at each power of two. Returns 1, or 0 if memory
 * is short. */
static int grow(void)
{
    if (count & (count - 1)) return 1;
    const size_t capacity = count ? 2 * (size_t)count : 1;
    struct known_kernel **kernels = realloc(table, capacity * sizeof(struct known_kernel *));
    if (kernels) table = kernels;
    int *links = kernels ? realloc(next, capacity * sizeof *links) : NULL;
    if (links) next = links;
    return links != NULL;
}

int kernel_find(const struct launch_signature *signature)
{
    for (int at = bucket[hash_of(signature)]; at; at = next[at - 1])
        if (launch_signature_is(&table[at - 1]->signature, signature)) return at - 1;
    return -1;
}

int kernel_add(const struct launch_signature *signature, const struct kernel_attributes *attributes)
{
    int *const list = &bucket[hash_of(signature)];
    struct known_kernel *kernel = grow() ? calloc(1, sizeof *kernel) : NULL;
    if (!kernel) return -1;
    kernel->signature = *signature;
    kernel->signature.symbol = strdup(signature->symbol);
    kernel->signature.range = strdup(signature->range);
    if (!kernel->signature.symbol || !kernel->signature.range) return free(kernel), -1;
    kernel->planned = watch_plan_find(&watch.plan, watch.process, signature);
    table[count] = kernel;
    next[count] = *list;
    *list = ++count;
    describe(count - 1, attributes);
    return count - 1;
}
