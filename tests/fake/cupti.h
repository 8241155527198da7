/*
 * Shared by the parts of the fake CUPTI (fake.h). Nothing is owned.
 */
#ifndef FAKE_CUPTI_H
#define FAKE_CUPTI_H

#include <cupti_result.h>

#include "fake.h"

static inline CUptiResult entered(const char *name)
{
    return (CUptiResult)fake_call(name);
}

/* Define a function that does something in any case, or only if no fault is planted. */
#define ALWAYS(name, parameters, ...)                                                              \
    CUptiResult name parameters                                                                    \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return entered(#name);                                                                     \
    }
#define UNLESS(name, parameters, ...)                                                              \
    CUptiResult name parameters                                                                    \
    {                                                                                              \
        const CUptiResult planted = entered(#name);                                                \
        if (planted) return planted;                                                               \
        __VA_ARGS__;                                                                               \
        return CUPTI_SUCCESS;                                                                      \
    }

/* Returns the error that refuses every use of counters, whichever call asks first. */
static inline CUptiResult refusal(void)
{
    if (fake_state("refused")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    if (fake_state("busy")) return CUPTI_ERROR_HARDWARE_BUSY;
    if (fake_state("subscribed")) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    if (fake_state("cupti_memory")) return CUPTI_ERROR_OUT_OF_MEMORY;
    return CUPTI_SUCCESS;
}

/* Values of a range or of a sample. */
struct totals {
    struct fake_cost cost;
    double ns, busy_ns, cycles, cycles_active, launches;
};

void fake_cupti_add_cost(struct fake_cost *to, const struct fake_cost *from, double share);

/* Returns 1 if there is such a metric. */
int fake_cupti_find_metric(const struct totals *totals, const char *name, double *value);

/* ---- images: a header, then records ---------------------------------------------------------- */

enum { HEADER_BYTES = 4096, NAME_BYTES = 24 };

struct header {
    char magic[8];
    size_t count;
};

struct record {
    char name[NAME_BYTES];
    uint64_t begin_ns, end_ns;
    struct totals totals;
};

static inline struct record *records_of(const uint8_t *image)
{
    return (struct record *)(uintptr_t)(image + HEADER_BYTES);
}

static inline struct header *header_of(const uint8_t *image)
{
    return (struct header *)(uintptr_t)image;
}

/* Returns an error unless it is an image that has a record of that index. */
CUptiResult fake_cupti_check_image(const uint8_t *image, size_t size, size_t index);
CUptiResult fake_cupti_begin_image(uint8_t *image, size_t size);

/* Number of passes of a configuration image. */
size_t fake_cupti_passes(const uint8_t *image);

/* ---- listeners to every kernel that has run -------------------------------------------------- */

void fake_cupti_begin_listening(void);
void fake_cupti_count_instructions(const struct fake_ran *ran);
void fake_cupti_take_samples(const struct fake_ran *ran);
void fake_cupti_record_run(const struct fake_ran *ran);
void fake_cupti_record_activity(const struct fake_ran *ran);

#endif
