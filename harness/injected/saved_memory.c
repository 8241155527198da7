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

int saved_memory_save(struct saved_memory *saved, const struct twin_functions *functions,
                      const struct watched_launch *launch, const struct twin_original *original)
{
    const size_t reserve = (size_t)256 << 20; /* for the copies of the code, and the driver */
    size_t wanted = reserve, available = 0, total;
    *saved = (struct saved_memory){.driver = functions};
    note_parameters(saved, launch, original->function);
    twin_variables(&functions->loading, original, note_variable, saved);
    for (int r = 0; r < saved->count; r++) wanted += saved->range[r].bytes;
    if (functions->free_bytes(&available, &total) == CUDA_SUCCESS && wanted <= available &&
        saved->count < MOST_RANGES && copy_all(saved))
        return 1;
    saved_memory_free(saved);
    return 0;
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
