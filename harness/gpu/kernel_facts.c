#include "gpu/kernel_facts.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "gpu/device.h"
#include "gpu/driver_api.h"

int kernel_facts(const struct listed_kernel *kernel, struct kernel_facts *facts)
{
    PFN_cuFuncGetName_v12030 get_name;
    PFN_cuFuncGetAttribute_v2020 get_attribute;
    const struct {
        CUfunction_attribute attribute;
        int *value;
    } attributes[] = {
        {CU_FUNC_ATTRIBUTE_NUM_REGS, &facts->registers},
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &facts->static_shared},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &facts->local},
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &facts->max_block_threads},
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &facts->max_dynamic_shared},
    };
    if (driver_find("cuFuncGetName", 12030, &get_name) ||
        driver_find("cuFuncGetAttribute", 2020, &get_attribute))
        return FAIL_GPU;
    facts->function = kernel->driver_function;
    if (!facts->function &&
        !CUDA_OK(cudaGetFuncBySymbol(&facts->function, kernel->launch.function)))
        return FAIL_GPU;
    if (!driver_ok(get_name(&facts->symbol, facts->function), "cuFuncGetName")) return FAIL_GPU;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (!driver_ok(get_attribute(attributes[i].value, attributes[i].attribute, facts->function),
                       "cuFuncGetAttribute"))
            return FAIL_GPU;
    return 0;
}

int kernel_blocks_per_sm(const struct kernel_facts *facts, int threads, size_t dynamic_shared,
                         int *blocks)
{
    static const char name[] = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050 get_blocks;
    if (driver_find(name, 6050, &get_blocks)) return FAIL_GPU;
    const CUresult status = get_blocks(blocks, facts->function, threads, dynamic_shared);
    return driver_ok(status, name) ? 0 : FAIL_GPU;
}

/* From the C++ runtime, which the kernels' host code is linked with (Itanium C++ ABI, 3.4). */
char *__cxa_demangle(const char *symbol, char *buffer, size_t *bytes, int *status);

char *kernel_name(const char *symbol)
{
    static const char result[] = "void ", unnamed[] = "(anonymous namespace)";
    int status, depth = 0;
    char *name = __cxa_demangle(symbol, NULL, NULL, &status);
    if (!name) {
        char *same = strdup(symbol);
        if (!same) error_memory();
        return same;
    }
    if (!strncmp(name, result, strlen(result)))
        memmove(name, name + strlen(result), strlen(name + strlen(result)) + 1);
    for (char *p = name; *p; p++) {
        if (!strncmp(p, unnamed, strlen(unnamed)))
            p += strlen(unnamed) - 1;
        else if (*p == '<')
            depth++;
        else if (*p == '>')
            depth--;
        else if (*p == '(' && depth == 0) {
            *p = 0; /* the arguments */
            break;
        }
    }
    return name;
}
