#include "injected/saved_memory.h"

#include <stdint.h>
#include <string.h>

static void note_range(struct saved_memory *saved, CUdeviceptr from, size_t bytes)
{
    for (int r = 0; r < saved->count; r++)
        if (saved->range[r].from == from) return;
    if (saved->count < MOST_RANGES)
        saved->range[saved->count++] = (struct saved_range){.from = from, .bytes = bytes};
}

static int note_variable(void *context, const char *name, CUdeviceptr from, size_t bytes)
{
    struct saved_memory *saved = context;
    (void)name;
    saved->has_variables = 1;
    note_range(saved, from, bytes);
    return 1;
}

static void note_word(struct saved_memory *saved, uint64_t word)
{
    CUdeviceptr from;
    size_t bytes;
    if (saved->driver->range(&from, &bytes, (CUdeviceptr)word) == CUDA_SUCCESS)
        note_range(saved, from, bytes);
}

static void note_words(struct saved_memory *saved, const void *bytes, size_t size)
{
    uint64_t word;
    for (size_t at = 0; at + sizeof word <= size; at += sizeof word) {
        memcpy(&word, (const char *)bytes + at, sizeof word);
        note_word(saved, word);
    }
}

/* Parameters come one by one, or as a buffer. */
static void note_parameters(struct saved_memory *saved, const struct watched_launch *launch,
                            CUfunction function)
{
    const void *buffer = NULL;
    size_t size = 0, offset;
    for (size_t i = 0; launch->parameters &&
                       saved->driver->parameter(function, i, &offset, &size) == CUDA_SUCCESS;
         i++)
        note_words(saved, launch->parameters[i], size);
    size = 0;
    for (void **word = launch->extra; word && *word != CU_LAUNCH_PARAM_END; word += 2) {
        if (*word == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = word[1];
        if (*word == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *(const size_t *)word[1];
    }
    if (buffer) note_words(saved, buffer, size);
}

static int copy_all(struct saved_memory *saved)
{
    for (int r = 0; r < saved->count; r++) {
        struct saved_range *range = &saved->range[r];
        if (saved->driver->allocate(&range->copy, range->bytes) != CUDA_SUCCESS) {
            range->copy = 0;
            return 0;
        }
        if (saved->driver->loading.copy(range->copy, range->from, range->bytes) != CUDA_SUCCESS)
            return 0;
    }
    return saved->driver->synchronize() == CUDA_SUCCESS;
}

/* Returns 1 if all ranges are of the launch's own device. */
static int is_of_device(const struct saved_memory *saved)
{
    CUdevice own;
    int ordinal;
    if (saved->driver->device(&own) != CUDA_SUCCESS) return 0;
    for (int r = 0; r < saved->count; r++)
        if (saved->driver->pointer(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                   saved->range[r].from) == CUDA_SUCCESS &&
            ordinal >= 0 && ordinal != (int)own)
            return 0;
    return 1;
}

const char *saved_memory_save(struct saved_memory *saved, const struct twin_functions *functions,
                              const struct watched_launch *launch,
                              const struct twin_original *original)
{
    size_t wanted = 0, available = 0, total = 0;
    *saved = (struct saved_memory){.driver = functions};
    note_parameters(saved, launch, original->function);
    if (!twin_variables(&functions->loading, original, note_variable, saved) ||
        saved->count == MOST_RANGES) {
        saved->count = 0;
        return "the variables of its module, or its parameters, are too many to save";
    }
    if (!is_of_device(saved)) {
        saved->count = 0;
        return "it uses memory of another device";
    }
    for (int r = 0; r < saved->count; r++) wanted += saved->range[r].bytes;
    /* A tenth stays for the copies of the code, the driver and other threads. */
    if (functions->free_bytes(&available, &total) == CUDA_SUCCESS &&
        wanted <= available - available / 10 && copy_all(saved))
        return NULL;
    saved_memory_free(saved);
    return "the memory that it uses cannot be saved beside it";
}

int saved_memory_restore(const struct saved_memory *saved, CUstream stream)
{
    for (int r = 0; r < saved->count; r++) {
        const struct saved_range *range = &saved->range[r];
        if (saved->driver->copy_on(range->from, range->copy, range->bytes, stream) != CUDA_SUCCESS)
            return 0;
    }
    return 1;
}

void saved_memory_free(struct saved_memory *saved)
{
    for (int r = 0; r < saved->count; r++)
        if (saved->range[r].copy) saved->driver->release(saved->range[r].copy);
    saved->count = 0;
}
